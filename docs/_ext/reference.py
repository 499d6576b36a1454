"""The directive ``api`` lists what a module offers, and names that flambeau's packages use resolve to torch's.

``.. api:: torch.autograd`` lists the public functions and classes of a module, which so get pages of their own
(name_pages.py); ``:only:`` picks some, in its order, and ``:but:`` leaves out some that are listed elsewhere.
``.. modules::`` lists the modules that users know; a name of theirs that has no entry anywhere fails the build.
"""

import importlib
import inspect
import re
from functools import cache, lru_cache
from pathlib import Path

from docutils.parsers.rst import directives
from packages import PROJECTS, module
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective
from sphinx.util.nodes import make_refnode

from flambeau_tensor.extend import Operator

REFERENCE = Path(__file__).parents[1] / "reference"
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


def kind_of(value):
    if inspect.isclass(value):
        return "exception" if issubclass(value, BaseException) else "class"
    return "function"


def chosen(module_name, options):
    """The (name, value) of what an ``api`` directive lists."""
    module = importlib.import_module(module_name)
    names = options["only"].split() if "only" in options else public_names(module)
    left_out = options.get("but", "").split()
    return [(n, value) for n in names if n not in left_out and documented(value := getattr(module, n))]


@cache
def modules():
    """The modules that the page By module lists."""
    return re.findall(r"^   (torch\S*)$", (REFERENCE / "modules.md").read_text(), re.MULTILINE)


def listed():
    """(module, full name, value) of all that ``api`` directives of the written pages list."""
    for page in sorted(REFERENCE.glob("*.md")):
        for name, block in re.findall(r"^\.\. api:: (\S+)\n((?:   .*\n)*)", page.read_text(), re.MULTILINE):
            options = dict(re.findall(r":(\w+):((?:[^:]|\n)*)", block))
            for n, value in chosen(name, options):
                yield name, f"{name}.{n}", value


class Api(SphinxDirective):
    """A line for each function and class of a module, with a link to its page."""

    required_arguments = 1
    option_spec = {"only": directives.unchanged, "but": directives.unchanged}

    def run(self):
        from name_pages import first_sentence
        from operator_pages import summary_table

        name = self.arguments[0]
        rows = [(f":py:obj:`~{name}.{n}`", first_sentence(value)) for n, value in chosen(name, self.options)]
        return self.parse_text_to_nodes("\n".join(summary_table(rows)))


class Modules(SphinxDirective):
    """A line for each module, with a link to its page and the number of its names."""

    has_content = True

    def run(self):
        from name_pages import first_sentence
        from operator_pages import summary_table

        rows = []
        for name in self.content:
            module = importlib.import_module(name)
            rows.append((f":doc:`{name} <modules/{name}>`", f"{first_sentence(module)} ({len(offered(module))} names)"))
        return self.parse_text_to_nodes("\n".join(summary_table(rows)))


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
    for name in modules():
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
    app.add_directive("modules", Modules)
    app.connect("missing-reference", resolve)
    app.connect("env-check-consistency", check)
    return {"parallel_read_safe": True}
