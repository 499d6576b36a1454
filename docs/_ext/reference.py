"""The directive ``api`` lists what a module offers, and names that flambeau's packages use resolve to torch's.

``.. api:: torch.autograd`` documents the public functions and classes of a module; ``:only:`` picks some, in its order,
and ``:but:`` leaves out some that have entries elsewhere. ``.. names:: torch.autograd`` lists a module's names, with
links; one that has no entry anywhere fails the build.
"""

import importlib
import inspect
import re
from functools import lru_cache
from pathlib import Path

from docutils import nodes
from docutils.parsers.rst import directives
from packages import PROJECTS, module
from sphinx.addnodes import pending_xref
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective
from sphinx.util.nodes import make_refnode

from flambeau_tensor.extend import Operator

logger = logging.getLogger(__name__)
PACKAGES = {module(p["project"]["name"]): p["tool"]["flambeau"]["layout"] for p in PROJECTS.values()}
NAMES = {  # where a class has another name inside
    "flambeau_tensor._core.elementwise.dtype.DType": "torch.dtype",
    "flambeau.jit.TracedModule": "torch.jit.TopLevelTracedModule",
}


def public_names(module):
    """What a module offers of its own: its ``__all__``, or the functions and classes that some package of ours made."""
    if hasattr(module, "__all__"):
        return list(module.__all__)
    return [name for name in dir(module) if not name.startswith("_") and is_ours(getattr(module, name, None))]


def offered(module):
    """The public classes and functions of a module that are built, by name."""
    found = {n: getattr(module, n, None) for n in public_names(module) if not n.startswith("_")}
    return {n: v for n, v in found.items() if is_ours(v) and not getattr(v, "__not_built__", False)}


def is_ours(value):
    home = str(getattr(value, "__module__", "")).partition(".")[0]
    return callable(value) and home in {*PACKAGES, "torch", "flambeau"}


def documented(value):
    """Operators have pages of their own."""
    return (inspect.isclass(value) or callable(value)) and not isinstance(value, Operator)


class Api(SphinxDirective):
    """Entries, made from docstrings, for the functions and classes of a module."""

    required_arguments = 1
    option_spec = {"only": directives.unchanged, "but": directives.unchanged}

    def run(self):
        name = self.arguments[0]
        module = importlib.import_module(name)
        names = self.options["only"].split() if "only" in self.options else public_names(module)
        names = [n for n in names if n not in self.options.get("but", "").split()]
        lines = []
        for n in names:
            value = getattr(module, n)
            if not documented(value):
                continue
            kind = (
                "exception"
                if inspect.isclass(value) and issubclass(value, BaseException)
                else "class"
                if inspect.isclass(value)
                else "function"
            )
            lines += [f".. auto{kind}:: {name}.{n}"]
            lines += ["   :members:"] if kind == "class" else []
            lines += [""]
        return self.parse_text_to_nodes("\n".join(lines))


class Names(SphinxDirective):
    """The public names of a module, each with a link to its entry, wherever that stands."""

    required_arguments = 1

    def run(self):
        name = self.arguments[0]
        paragraph = nodes.paragraph(classes=["names"])
        for n in sorted(offered(importlib.import_module(name)), key=str.lower):
            link = pending_xref("", nodes.literal(text=n), refdomain="py", reftype="obj", reftarget=f"{name}.{n}")
            link["refdoc"] = self.env.docname
            paragraph += [link, nodes.Text(" ")]
        return [paragraph]


@lru_cache(1)
def entries(names):
    """The objects that have entries: for each the full name of one of them."""
    found = {}
    for name in names:
        value = find(name)
        if value is not None:
            found.setdefault(id(value), name)
    return found


def find(full_name):
    """What stands under a dotted name below torch; None for what does not."""
    module, _, name = full_name.rpartition(".")
    if not module:
        return None
    try:
        return getattr(importlib.import_module(module), name, None)
    except ImportError:
        return None


def check(app, env):
    """Warn of what the page By module lists and what has no entry, under this name or another one."""
    domain = env.domains.python_domain
    known = entries(tuple(domain.objects))
    for name in re.findall(r"names:: (\S+)", (Path(app.srcdir) / "reference" / "modules.md").read_text()):
        for n, value in offered(importlib.import_module(name)).items():
            told = {f"{name}.{n}", f"{name}.{n.removesuffix('_')}"} & domain.objects.keys()
            if not told and id(value) not in known:
                logger.warning("%s.%s has no entry in the reference", name, n)


def resolve(app, env, node, contnode):
    """``Tensor`` means torch.Tensor in any signature, and ``flambeau_nn.Module`` is torch.nn.Module."""
    if node.get("refdomain") != "py":
        return None
    target = node["reftarget"]
    head, _, tail = target.partition(".")
    candidates = [NAMES.get(target, f"torch.{target}")]
    if head in PACKAGES:
        parts = tail.split(".")
        candidates += [f"{PACKAGES[head]}.{'.'.join(parts[i:])}" for i in range(len(parts))]
        candidates += [f"torch.{'.'.join(parts[i:])}" for i in range(len(parts))]
        candidates.append(PACKAGES[head])
    objects = env.domains.python_domain.objects
    if target.startswith("torch.") and (value := find(target)) is not None:
        # Another name of something; what works in place is told of with what does not.
        candidates += [entries(tuple(objects)).get(id(value)), target.removesuffix("_")]
    for name in candidates:
        if name in objects:
            entry = objects[name]
            return make_refnode(app.builder, node["refdoc"], entry.docname, entry.node_id, contnode, name)
    return None


def setup(app):
    app.add_directive("api", Api)
    app.add_directive("names", Names)
    app.connect("missing-reference", resolve)
    app.connect("env-check-consistency", check)
    return {"parallel_read_safe": True}
