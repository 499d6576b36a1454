"""Bars in HTML, for figures that sessions wrote to files; they take the theme's colours and any width."""

from html import escape

from docutils import nodes


def bars(groups, full=None):
    """A chart: for each group its title, what it says beside it, and (name, size, figure) of each bar.

    Sizes are comparable within a group; the longest bar has the full width, or `full` has.
    """
    lines = ['<div class="bars">']
    for title, note, entries in groups:
        widest = full or max(size for _, size, _ in entries)
        lines.append(f'<div class="group"><p class="title">{escape(title)} <span>{escape(note)}</span></p>')
        for name, size, figure in entries:
            kind = "ours" if name == "flambeau" else "peer"
            width = max(100 * size / widest, 0.5)
            lines += [
                f'<div class="bar {kind}"><span class="name">{escape(name)}</span>',
                f'<span class="track"><span style="width: {width:.1f}%"></span></span>',
                f'<span class="figure">{escape(figure)}</span></div>',
            ]
        lines.append("</div>")
    lines.append("</div>")
    return nodes.raw("", "\n".join(lines), format="html")


def ratio(value):
    """A bar on a logarithmic scale from 1/10 to 100, to the right of 1 where flambeau is faster."""
    from math import log10

    at = max(-1.0, min(2.0, log10(value)))
    one, here = 100 / 3, 100 * (at + 1) / 3
    left, width, kind = min(one, here), abs(here - one), "ours" if value >= 1 else "behind"
    style = f"left: {left:.1f}%; width: {max(width, 0.7):.1f}%"
    return nodes.raw("", f'<div class="ratio {kind}"><span style="{style}"></span></div>', format="html")


def machine_line(machine, what="Measured"):
    """One sentence on what was measured on, and when; says so where a run did not write it down."""
    if not machine:
        return nodes.paragraph(text=f"{what} before sessions wrote down their machine.", classes=["machine"])
    sides = " against ".join(
        f"{name} {found[key]}"
        for name, key, found in (("flambeau", "flambeau", machine["ours"]), ("PyTorch", "torch", machine["peer"]))
        if key in found
    )
    text = (
        f"{what} {machine['date']}: {sides}, Python {machine['ours']['Python']}, NumPy {machine['ours']['numpy']}, "
        f"{machine['processor']} ({machine['instructions']}, {machine['cores']} cores), {machine['system']}."
    )
    return nodes.paragraph(text=text, classes=["machine"])


def setup(app):
    return {"parallel_read_safe": True}
