"""Tables of what sessions stored, for the directives that show it."""

from docutils import nodes


def row(*cells):
    texts = (cell if isinstance(cell, nodes.Node) else nodes.paragraph(text=str(cell)) for cell in cells)
    return nodes.row("", *(nodes.entry("", text) for text in texts))


def table(kind, widths, head, rows):
    """A table with a class for the style sheet; a cell is a text, a number or a node."""
    group = nodes.tgroup(cols=len(head))
    group += [nodes.colspec(colwidth=width) for width in widths]
    group += nodes.thead("", row(*head))
    group += nodes.tbody("", *(row(*cells) for cells in rows))
    return nodes.table("", group, classes=[kind, "colwidths-given"])


def nothing_stored(what="results"):
    """What stands in the place of a table."""
    text = f"No {what} are stored with this build of the documentation."
    return [nodes.note("", nodes.paragraph(text=text))]
