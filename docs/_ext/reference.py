"""The directive ``api`` lists what a module offers, and names that flambeau's packages use resolve to torch's.

``.. api:: torch.autograd`` documents the public functions and classes of a module; ``:only:`` picks some, in its order.
"""

import importlib
import inspect

from docutils.parsers.rst import directives
from packages import PROJECTS, module
from sphinx.util.docutils import SphinxDirective
from sphinx.util.nodes import make_refnode

from flambeau_tensor.extend import Operator

PACKAGES = {module(p["project"]["name"]): p["tool"]["flambeau"]["layout"] for p in PROJECTS.values()}
NAMES = {"flambeau_tensor._core.dtype.DType": "torch.dtype"}  # where a class has another name inside


def public_names(module):
    """What a module offers of its own: its ``__all__``, or the functions and classes that some package of ours made."""
    if hasattr(module, "__all__"):
        return list(module.__all__)
    return [
        name
        for name, value in vars(module).items()
        if not name.startswith("_")
        and documented(value)
        and str(getattr(value, "__module__", "")).partition(".")[0] in {*PACKAGES, "torch"}
    ]


def documented(value):
    """Operators have pages of their own."""
    return (inspect.isclass(value) or callable(value)) and not isinstance(value, Operator)


class Api(SphinxDirective):
    """Entries, made from docstrings, for the functions and classes of a module."""

    required_arguments = 1
    option_spec = {"only": directives.unchanged}

    def run(self):
        name = self.arguments[0]
        module = importlib.import_module(name)
        names = self.options["only"].split() if "only" in self.options else public_names(module)
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
    for name in candidates:
        if name in objects:
            entry = objects[name]
            return make_refnode(app.builder, node["refdoc"], entry.docname, entry.node_id, contnode, name)
    return None


def setup(app):
    app.add_directive("api", Api)
    app.connect("missing-reference", resolve)
    return {"parallel_read_safe": True}
