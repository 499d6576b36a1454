"""Examples of docstrings as a reader can paste them after ``import flambeau as torch; from flambeau import nn``.

A package's docstrings use the bare names of their module and short names of packages that they import. Here these
become the names that users write: ``ft.ones`` and ``ones`` are ``torch.ones``, ``Linear`` is ``nn.Linear``.
"""

import ast
import builtins
import doctest
import importlib
import inspect
import sys
from collections import ChainMap
from functools import cache
from types import ModuleType

from flambeau._layout import TABLE

PARSER = doctest.DocTestParser()
OURS = "flambeau"


def spelled(full_name):
    """``torch.nn.Linear`` as programs write it: ``nn.Linear``."""
    return full_name.removeprefix("torch.") if full_name.startswith("torch.nn.") else full_name


@cache
def public_paths():
    """The shortest public name of each of our objects, by identity; the objects are kept alive by their modules."""
    import flambeau

    modules = {"torch": flambeau}
    for name in TABLE:
        if not any(part.startswith("_") for part in name.split(".")):
            try:
                modules[f"torch.{name}"] = importlib.import_module(f"flambeau.{name}")
            except ModuleNotFoundError:
                continue
    found = {}
    for full, module in sorted(modules.items(), key=lambda item: (item[0].count("."), item[0])):
        found.setdefault(id(module), "nn" if full == "torch.nn" else spelled(full))
        for name in [*vars(module), *getattr(module, "__all__", ())]:
            value = getattr(module, name, None)
            if not name.startswith("_") and str(getattr(value, "__module__", "")).startswith((OURS, "torch")):
                found.setdefault(id(value), spelled(f"{full}.{name}"))
    found[id(importlib.import_module("flambeau_tensor"))] = "torch"
    return found


def importing(name, value):
    """The statement that gives the name to something that is not ours; None where there is none."""
    if isinstance(value, ModuleType):
        return f"import {value.__name__}" if value.__name__ == name else f"import {value.__name__} as {name}"
    home = getattr(value, "__module__", None)
    return f"from {home} import {name}" if home and getattr(sys.modules.get(home), name, None) is value else None


class Names:
    """What the names of one docstring's examples mean."""

    def __init__(self, home, trees, own=None):
        self.home, self.imported, self.lines = home, {}, []
        self.bound = {"torch", "nn", *dir(builtins)} - {own}
        for node in (node for tree in trees for node in ast.walk(tree)):
            match node:
                case ast.Name(ctx=ast.Store()):
                    self.bound.add(node.id)
                case ast.arg():
                    self.bound.add(node.arg)
                case ast.FunctionDef() | ast.ClassDef():
                    self.bound.add(node.name)
                case ast.Import() | ast.ImportFrom():
                    self.note(node)

    def note(self, node):
        """Remember what an import statement names; what is not ours stays as it is written."""
        for alias in node.names:
            name = alias.asname or alias.name
            module = node.module if isinstance(node, ast.ImportFrom) else alias.name
            if not module.startswith((OURS, "torch")):
                self.bound.add(name.partition(".")[0])
                continue
            value = importlib.import_module(module)
            if isinstance(node, ast.ImportFrom):
                value = getattr(value, alias.name)
            if id(value) in public_paths():
                self.imported[name] = value
                self.bound -= {name} - {"torch", "nn"}
            else:
                self.bound.add(name)

    def replacement(self, node, parent):
        """What stands for a name in a public program; the name itself where it needs no other."""
        name = node.id
        if name in self.bound:
            return name
        missing = object()
        value = self.imported.get(name, self.home.get(name, missing))
        if value is missing:
            return name
        path = public_paths().get(id(value))
        if path and isinstance(value, ModuleType) and isinstance(parent, ast.Attribute):
            public = importlib.import_module("flambeau" + path.removeprefix("torch")) if path != "nn" else value
            if not hasattr(public, parent.attr):
                path = None
        if path is None:
            line = importing(name, value)
            if line and line not in self.lines:
                self.lines.append(line)
            return name
        return path


def rewritten(source, tree, names):
    """The source of one example with public names; None for an import that is not needed any more."""
    if len(tree.body) == 1 and isinstance(tree.body[0], (ast.Import, ast.ImportFrom)):
        node = tree.body[0]
        kept = [a for a in node.names if (a.asname or a.name) not in names.imported]
        if not kept:
            return None
        node.names = kept
        return ast.unparse(node) + "\n"
    lines = [line.encode() for line in source.splitlines(keepends=True)]
    parents = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
    found = [n for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)]
    for node in sorted(found, key=lambda n: (n.lineno, n.col_offset), reverse=True):
        text, start = lines[node.lineno - 1], node.col_offset
        end = start + len(node.id.encode())
        new = names.replacement(node, parents.get(node))
        if new != node.id and text[start:end] == node.id.encode():
            lines[node.lineno - 1] = text[:start] + new.encode() + text[end:]
    return b"".join(lines).decode()


def namespace(value, module):
    """The names that an object's docstring may use: those of the file that defines it, then of its public module."""
    homes = [vars(module)]
    if home := sys.modules.get(getattr(value, "__module__", None) or ""):
        homes.insert(0, vars(home))
    functions = vars(value).values() if isinstance(value, type) else [value]
    for function in map(inspect.unwrap, [getattr(f, "__func__", f) for f in functions if callable(f)]):
        if getattr(function, "__module__", None) == getattr(value, "__module__", None):
            homes.insert(0, getattr(function, "__globals__", {}))
            break
    return ChainMap(*homes)


def prompts(source, indent):
    """The source as a session shows it."""
    return [indent + ("... " if i else ">>> ") + line for i, line in enumerate(source.rstrip("\n").split("\n"))]


def qualified(lines, home, own=None):
    """A docstring's lines, with examples that can be pasted; `own` is the name of what it documents."""
    text = "\n".join(lines) + "\n"
    if ">>>" not in text:
        return lines
    examples = PARSER.get_examples(text)
    try:
        trees = [ast.parse(example.source) for example in examples]
    except SyntaxError:
        return lines
    names = Names(home, trees, own)
    out, at, first = [], 0, None
    for example, tree in zip(examples, trees, strict=True):
        out += lines[at : example.lineno]
        at = example.lineno + example.source.count("\n")
        source = rewritten(example.source, tree, names)
        if source is not None:
            shown = prompts(source, " " * example.indent)
            first = len(out) if first is None else first
            out += shown
    out += lines[at:]
    if names.lines:
        indent = " " * examples[0].indent
        out[first:first] = [indent + ">>> " + line for line in sorted(names.lines)]
    return out
