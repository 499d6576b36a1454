"""``torch._dynamo``: names of PyTorch's compiler that programs use, for that of flambeau-compile."""

from collections.abc import Callable
from typing import Any

from flambeau.compiler import allow_in_graph as allow_in_graph
from flambeau.compiler import assume_constant_result as assume_constant_result
from flambeau.compiler import compile as _compile
from flambeau.compiler import disable as disable
from flambeau.compiler import is_compiling as is_compiling
from flambeau.compiler import list_backends as list_backends
from flambeau.compiler import reset as reset
from flambeau.compiler import set_stance as set_stance
from flambeau.compiler import substitute_in_graph as substitute_in_graph
from flambeau_tensor.lazy_attributes import attach as _attach

disallow_in_graph = forbid_in_graph = nonstrict_trace = run = allow_in_graph


def graph_break(msg="") -> None:
    """Do nothing: there is no graph to break."""


def mark_dynamic(t, index, *, hint_override=None, min=None, max=None, specialize_on=None) -> None:
    """Does nothing: every size may change."""


def maybe_mark_dynamic(t, index) -> None:
    """Does nothing: every size may change."""


def mark_static(t, index=None) -> None:
    """Does nothing: every size may change."""


def mark_static_address(t, guard=False) -> None:
    """Does nothing."""


def optimize(backend: Any = "inductor", *, nopython: bool = False, **options: Any) -> Callable[..., Any]:
    """A decorator that compiles, as ``torch.compile(backend=…, fullgraph=nopython)`` does.

    >>> import flambeau as torch
    >>> torch._dynamo.optimize("inductor")(lambda x: x + 1)(torch.ones(2))
    tensor([2., 2.])
    """
    chosen = {name: options[name] for name in ("dynamic", "disable") if name in options}
    return lambda function: _compile(function, backend=backend, fullgraph=nopython, **chosen)


def optimize_assert(backend: Any = "inductor", **options: Any) -> Callable[..., Any]:
    """Like `optimize`, but a function that cannot be compiled raises an error."""
    return optimize(backend, **{**options, "nopython": True})


def is_dynamo_supported() -> bool:
    """True."""
    return True


_names = {"OptimizedModule": ".eval_frame", "explain": ".explaining"}
_modules = ("config", "eval_frame", "exc", "utils")
__getattr__, __dir__ = _attach(__name__, "torch._dynamo", _names, _modules, unlisted=True)
