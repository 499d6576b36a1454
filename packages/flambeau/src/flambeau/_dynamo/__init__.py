"""``torch._dynamo``: names of PyTorch's compiler that programs use. Functions run as they are."""

from flambeau.compiler import _same
from flambeau.compiler import allow_in_graph as allow_in_graph
from flambeau.compiler import assume_constant_result as assume_constant_result
from flambeau.compiler import disable as disable
from flambeau.compiler import is_compiling as is_compiling
from flambeau.compiler import list_backends as list_backends
from flambeau.compiler import reset as reset
from flambeau.compiler import set_stance as set_stance
from flambeau.compiler import substitute_in_graph as substitute_in_graph
from flambeau_tensor.lazy_attributes import attach as _attach

disallow_in_graph = forbid_in_graph = nonstrict_trace = run = allow_in_graph


def graph_break(msg="") -> None:
    """Does nothing: there is no graph."""


def mark_dynamic(t, index, *, hint_override=None, min=None, max=None, specialize_on=None) -> None:
    """Does nothing: every size may change."""


def maybe_mark_dynamic(t, index) -> None:
    """Does nothing: every size may change."""


def mark_static(t, index=None) -> None:
    """Does nothing: every size may change."""


def mark_static_address(t, guard=False) -> None:
    """Does nothing."""


def optimize(*args, **kwargs):
    """A decorator that returns what it is given."""
    return _same


optimize_assert = optimize


def is_dynamo_supported() -> bool:
    """False."""
    return False


_names = {"OptimizedModule": ".eval_frame"}
_modules = ("config", "eval_frame", "exc", "utils")
__getattr__, __dir__ = _attach(__name__, "torch._dynamo", _names, _modules, unlisted=True)
