"""``torch._dynamo``: names of PyTorch's compiler that programs use. Functions run as they are."""

from importlib import import_module as _import_module

from flambeau.compiler import _same
from flambeau.compiler import allow_in_graph as allow_in_graph
from flambeau.compiler import assume_constant_result as assume_constant_result
from flambeau.compiler import disable as disable
from flambeau.compiler import is_compiling as is_compiling
from flambeau.compiler import list_backends as list_backends
from flambeau.compiler import reset as reset
from flambeau.compiler import set_stance as set_stance
from flambeau.compiler import substitute_in_graph as substitute_in_graph

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


def __getattr__(name):
    if name in ("config", "eval_frame", "exc", "utils"):
        return _import_module(f"flambeau._dynamo.{name}")
    if name == "OptimizedModule":
        return _import_module("flambeau._dynamo.eval_frame").OptimizedModule
    from flambeau_tensor.not_built import left_out

    raise left_out("torch._dynamo", name)
