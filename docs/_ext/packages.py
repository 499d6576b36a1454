"""The directive ``packages``: a table of the packages in packages/, from what their pyproject.toml files declare."""

import sys
from pathlib import Path

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

sys.path.insert(0, str(Path(__file__).parents[2]))

from monorepo import PROJECTS, closure, module  # noqa: E402


class Packages(SphinxDirective):
    """A row for each package: what it holds, which folders to install, and what to import."""

    def run(self):
        rows = [tuple(map(nodes.Text, ("it holds", "install", "import")))]
        for folder in sorted(PROJECTS, key=lambda folder: len(closure(folder))):
            project, install = PROJECTS[folder], " ".join(f"packages/{name}" for name in closure(folder))
            code = (nodes.literal(text=text) for text in (install, module(project["project"]["name"])))
            rows.append((nodes.Text(project["project"]["description"]), *code))
        group = nodes.tgroup("", *(nodes.colspec(colwidth=width) for width in (4, 5, 2)), cols=3)
        lines = [nodes.row("", *(nodes.entry("", nodes.paragraph("", "", cell)) for cell in row)) for row in rows]
        group += nodes.thead("", lines[0])
        group += nodes.tbody("", *lines[1:])
        return [nodes.table("", group)]


def setup(app):
    app.add_directive("packages", Packages)
    return {"parallel_read_safe": True}
