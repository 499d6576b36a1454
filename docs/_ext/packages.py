"""The directive ``packages``: a table of the packages in packages/, from what their pyproject.toml files declare."""
import re
import tomllib
from graphlib import TopologicalSorter
from pathlib import Path

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

ROOT = Path(__file__).parents[2]
PROJECTS = {f.parent.name: tomllib.loads(f.read_text()) for f in sorted(ROOT.glob("packages/*/pyproject.toml"))}
FOLDERS = {project["project"]["name"]: folder for folder, project in PROJECTS.items()}


def module_name(project):
    """What a project's package is imported as."""
    return project["project"]["name"].replace("-", "_")


def siblings(folder):
    """The folders of the packages that one declares."""
    names = (re.match(r"[\w-]+", line)[0] for line in PROJECTS[folder]["project"]["dependencies"])
    return [FOLDERS[name] for name in names if name in FOLDERS]


def needed(folder):
    """A package and those that it needs, lowest first."""
    graph, waiting = {}, [folder]
    while waiting:
        name = waiting.pop()
        graph[name] = siblings(name)
        waiting += graph[name]
    return list(TopologicalSorter(graph).static_order())


class Packages(SphinxDirective):
    """A row for each package: what it holds, which folders to install, and what to import."""

    def run(self):
        rows = [tuple(map(nodes.Text, ("it holds", "install", "import")))]
        for folder in sorted(PROJECTS, key=lambda folder: len(needed(folder))):
            project, install = PROJECTS[folder], " ".join(f"packages/{name}" for name in needed(folder))
            code = (nodes.literal(text=text) for text in (install, module_name(project)))
            rows.append((nodes.Text(project["project"]["description"]), *code))
        group = nodes.tgroup("", *(nodes.colspec(colwidth=width) for width in (4, 5, 2)), cols=3)
        lines = [nodes.row("", *(nodes.entry("", nodes.paragraph("", "", cell)) for cell in row)) for row in rows]
        group += nodes.thead("", lines[0])
        group += nodes.tbody("", *lines[1:])
        return [nodes.table("", group)]


def setup(app):
    app.add_directive("packages", Packages)
    return {"parallel_read_safe": True}
