"""Writes the reference before Sphinx reads its sources: a page for each function and class (``api/torch.add.rst``), one
for each module that users know (``modules/torch.rst``), and one for each family of operations.

The pages of names are in no table of contents: modules, families and subjects link to them. So all of them have one
navigation, which is made once.
"""

import difflib
import importlib
import inspect
import re
import shutil
from collections import defaultdict
from enum import Enum
from functools import cache
from pathlib import Path

import operator_pages
from docstrings import escape
from examples import namespace, qualified
from operator_pages import by_name, entry, families, family_of, spellings, summary_table, title, titled
from reference import PACKAGES, documented, kind_of, listed, modules, offered

ROOT = Path(__file__).parents[2]
API = "reference/api/"
MOST = 5  # related names on a page
HEAD = [":orphan:", ":nosearch:", ""]  # names are found by themselves, and words by the families' summaries
NAVIGATION = {}  # by build
MOST_ROWS = 300  # of a module's page; of longer ones the families have the rows


def first_sentence(value):
    """What a docstring begins with, up to its first full stop."""
    text = inspect.getdoc(value) or ""
    text = " ".join(text.partition("\n\n")[0].split())
    end = text.find(". ")
    return " ".join(escape([text if end < 0 else text[: end + 1]]))


def in_repository(filename):
    """The file of a package in this repository, wherever it is installed; None for what is not ours."""
    parts = Path(filename).parts
    tops = [i for i, part in enumerate(parts) if part in PACKAGES]
    found = [path for i in tops for path in ROOT.glob(f"packages/*/src/{'/'.join(parts[i:])}")]
    return found[0].relative_to(ROOT) if found else None


@cache
def source_of(value):
    """The file that defines something, from the top of the repository, and the line; (None, None) if there is none."""
    if inspect.ismodule(value):
        return in_repository(value.__file__), None
    functions = vars(value).values() if inspect.isclass(value) else [value]
    codes = [getattr(inspect.unwrap(getattr(f, "__func__", f)), "__code__", None) for f in functions]
    for code in filter(None, codes):
        path = in_repository(code.co_filename)
        if path and inspect.isclass(value) and value.__name__ in class_lines(path):
            return path, class_lines(path)[value.__name__]
        if path and not inspect.isclass(value):
            return path, code.co_firstlineno
    return None, None


@cache
def class_lines(path):
    """The line of each class of a file."""
    lines = (ROOT / path).read_text(encoding="utf-8").splitlines()
    found = ((re.match(r"(?:cdef )?class (\w+)", line), i) for i, line in enumerate(lines, 1))
    return {match[1]: i for match, i in found if match}


def source_line(value):
    path, line = source_of(value)
    if path is None:
        return []
    place = f"{path}, line {line}" if line else f"{path}"
    return [f"Source: `{place} <../../_sources/{path}.txt>`__", ""]


def place_line(module, family=None):
    """Where a page stands: links to its module and family."""
    parts = [":doc:`Reference <../index>`"]
    if module in modules():
        parts.append(f":doc:`{module} <../modules/{module}>`")
    if family:
        parts.append(f":doc:`{titled(family[1])} <../{'/'.join(family)}>`")
    return [".. rst-class:: place", "", " › ".join(parts), ""]


def stem(full_name):
    """What names of one thing have in common: ``nn.CrossEntropyLoss`` and ``nn.functional.cross_entropy``."""
    return full_name.rpartition(".")[2].lower().replace("_", "").removesuffix("loss")


def resemblance(name, other):
    """How much of two names is the same, from 0 to 1; one that begins or ends with the other resembles it."""
    a, b = sorted((stem(name), stem(other)), key=len)
    if len(a) > 2 and (b.startswith(a) or b.endswith(a)):
        return 0.9
    return difflib.SequenceMatcher(None, a, b).ratio() if len(a) > 3 else 0.0


class Related:
    """The names that a page links to: the same thing elsewhere, and names nearby that resemble it."""

    def __init__(self, groups):
        """`groups` has the full names that stand together, by place."""
        self.groups = groups
        self.same = defaultdict(list)
        for name in dict.fromkeys(name for names in groups.values() for name in names):
            self.same[stem(name)].append(name)

    def line(self, name, group):
        names = self.groups[group]
        alike = sorted((-resemblance(name, other), i) for i, other in enumerate(names) if other != name)
        at = names.index(name)
        near = sorted((i for i in range(len(names)) if 0 < abs(i - at) <= 2), key=lambda i: abs(i - at))
        found = dict.fromkeys([*self.same[stem(name)], *(names[i] for score, i in alike if score <= -0.7)][:MOST])
        if isinstance(group, tuple):  # operators that belong together are declared together
            found |= dict.fromkeys(names[i] for i in near)
        found.pop(name, None)
        links = ", ".join(f":py:obj:`{other}`" for other in list(found)[:MOST])
        return [f"Related: {links}", ""] if links else []


def operator_page(name, ops, module, told, related):
    """The page of an operator: its overloads one after the other."""
    aliases, syntax = told
    family = family_of(module)
    lines = [*HEAD, *title(name), *place_line(ops[0].namespace, family)]
    for i, op in enumerate(ops):
        lines += entry(op, family[1], aliases.get(op, ()), syntax.get(op, ()), first=not i)
    return "\n".join(lines + related + source_line(module)) + "\n"


def object_page(name, module, value, related):
    """The page of a class or a function, made from its docstring."""
    lines = [*HEAD, *title(name), *place_line(module), f".. auto{kind_of(value)}:: {name}"]
    # An enumeration may hold itself, as PyTorch's own do: autodoc would not come to an end.
    lines += ["   :members:"] if inspect.isclass(value) and not issubclass(value, Enum) else []
    return "\n".join([*lines, "", *related, *source_line(value)]) + "\n"


def module_page(name, home):
    """The page of a module: a line for each of its names, by kind, or by the family of operations that it is in."""
    lines = [":nosearch:", "", *title(name), first_sentence(importlib.import_module(name)), ""]
    groups = defaultdict(dict)
    for n, value in sorted(offered(importlib.import_module(name)).items(), key=lambda item: item[0].lower()):
        full = f"{name}.{n}"
        family = home.get(id(value))
        if family:
            heading = ("", titled(family[1]), f":doc:`Summaries <../{'/'.join(family)}>`")
        else:
            heading = {"class": ("1", "Classes"), "function": ("2", "Functions"), "exception": ("3", "Exceptions")}
            heading = (*heading[kind_of(value)], "")
        groups[heading][full] = operator_pages.first_sentence(value) if family else first_sentence(value)
    many = sum(map(len, groups.values())) > MOST_ROWS
    for (_, heading, link), rows in sorted(groups.items()):
        lines += title(heading, "-")
        if many:
            names = "  ".join(f":py:obj:`~{full}`" for full in rows)
            lines += [link, "", ".. container:: names", "", f"   {names}", ""]
        else:
            lines += summary_table((f":py:obj:`~{full}`", text) for full, text in rows.items())
    return "\n".join(lines) + "\n"


def texts():
    """All that is written, by path below the reference."""
    operator_pages.load()
    found = {f"{path}.rst": text for path, text in operator_pages.pages().items()}
    grouped = {module: (by_name(ops), spellings(ops)) for module, ops in families().items()}
    objects = {name: (module, value) for module, name, value in listed() if documented(value)}
    groups = {family_of(m): list(names) for m, (names, _) in grouped.items()}
    for name, (module, _) in objects.items():
        groups.setdefault(module, []).append(name)
    related = Related(groups)
    home = {}
    for module, (names, told) in grouped.items():
        for name, ops in names.items():
            home |= {id(op): family_of(module) for op in (*ops, operator_pages.find(name))}
            link = related.line(name, family_of(module))
            found[f"api/{name}.rst"] = operator_page(name, ops, module, told, link)
    for name, (module, value) in objects.items():
        found[f"api/{name}.rst"] = object_page(name, module, value, related.line(name, module))
    for name in modules():
        found[f"modules/{name}.rst"] = module_page(name, home)
    return found


def write(app):
    """Write what has changed, and delete the pages of what is gone."""
    root = Path(app.srcdir) / "reference"
    found = texts()
    for name, text in found.items():
        path = root / name
        path.parent.mkdir(exist_ok=True)
        if not path.exists() or path.read_text() != text:
            path.write_text(text)
    for folder in ("api", "modules", "operators", "functional"):
        for path in (root / folder).glob("*.rst"):
            if path.relative_to(root).as_posix() not in found:
                path.unlink()


def process(app, what, name, value, options, lines):
    """Give examples of docstrings the names that readers have."""
    module = importlib.import_module(public_module(name))
    lines[:] = qualified(lines, namespace(value, module), name.rpartition(".")[2])


def public_module(name):
    """The module that a dotted name of a function, a class or a member begins with."""
    module = name
    while module not in modules() and "." in module:
        module = module.rpartition(".")[0]
    return module


def shared_navigation(app, pagename, templatename, context, doctree):
    """The navigation of all pages of names, which are in no table of contents, is the same."""
    if pagename.startswith(API) and "toctree" in context:
        make = context["toctree"]

        def toctree(**options):
            if app not in NAVIGATION:
                NAVIGATION[app] = make(**options)
            return NAVIGATION[app]

        context["toctree"] = toctree


def copy_sources(app, exception):
    """Put the files that pages name as sources beside those of the pages."""
    if exception or app.builder.name != "html":
        return
    named = re.compile(r"_sources/(packages/\S+)\.txt>")
    pages = Path(app.srcdir, API).glob("*.rst")
    for path in {found for page in pages for found in named.findall(page.read_text())}:
        target = Path(app.outdir, "_sources", f"{path}.txt")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / path, target)


def setup(app):
    app.connect("builder-inited", write)
    app.connect("autodoc-process-docstring", process, priority=300)
    app.connect("html-page-context", shared_navigation, priority=400)  # before the theme's
    app.connect("build-finished", copy_sources)
    return {"parallel_read_safe": True}
