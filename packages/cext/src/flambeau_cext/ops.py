"""``torch.ops``: custom operators by namespace and name.

>>> from flambeau_cext.library import custom_op
>>> @custom_op("docs::twice", mutates_args=())
... def twice(x: torch.Tensor) -> torch.Tensor:
...     return x * 2
>>> from flambeau_cext import ops
>>> ops.docs.twice(torch.ones(2))
tensor([2., 2.])
"""

from importlib import import_module
from types import ModuleType

from flambeau_cext.aten import declare as _declare_aten
from flambeau_cext.overloads import OpOverload, OpOverloadPacket
from flambeau_tensor.extend import Operator
from flambeau_tensor.extend import declared_operators as _declared
from flambeau_tensor.extend import sockets as _sockets
from flambeau_tensor.lazy_attributes import attach as _attach

__all__ = ["OpOverload", "OpOverloadPacket", "load_library", "loaded_libraries"]

loaded_libraries: set[str] = set()


def _namespace(space: str) -> ModuleType:
    """Create a namespace with the existing operators; `_note` keeps it up to date.

    It is a plain module without a function for missing names, because Python looks up names in these fastest.
    """
    module = ModuleType(f"torch.ops.{space}", f"The operators of the namespace ``{space}``.")
    if space == "aten":
        module.__getattr__ = _of_library  # type: ignore[method-assign]
    for name in {op.name for op in _declared().values() if op.namespace == module.__name__}:
        _place(module, name)
    return module


def _place(module: ModuleType, name: str) -> None:
    """Let ``module.name`` be the operators of that name, or nothing."""
    same = [op for op in _declared().values() if op.namespace == module.__name__ and op.name == name]
    found = {op.schema.overload or "default": op for op in sorted(same, key=lambda op: op.schema.overload != "")}
    if not found:
        module.__dict__.pop(name, None)
    else:
        setattr(module, name, OpOverloadPacket(module.__name__.removeprefix("torch.ops."), name, found))


def _note(op: Operator) -> None:
    """Update namespaces when an operator is created or deleted."""
    module = globals().get(op.namespace.removeprefix("torch.ops."))
    if isinstance(module, ModuleType) and module.__name__ == op.namespace:
        _place(module, op.name)


_sockets.operator_changed = _note


def _of_library(name: str) -> OpOverloadPacket:
    """Return an operator of PyTorch, whose namespace is ``aten``."""
    if name.startswith("__") or not (_declare_aten(name) or _declare_named(name)):
        raise AttributeError(f"module 'torch.ops.aten' has no attribute '{name}'")
    packet: OpOverloadPacket = globals()["aten"].__dict__[name]
    return packet


def _declare_named(name: str) -> bool:
    from flambeau_cext.dispatch.forms import declare_named

    return declare_named(name) or name in vars(globals()["aten"])


def load_library(path: str) -> None:
    """Load a shared library into the process; the operators that it registers are there afterwards.

    Raises:
        OSError: it cannot be loaded.
        ImportError: it was built for another release of flambeau.
    """
    from flambeau_cext.load import load_plain

    load_plain(str(path))
    loaded_libraries.add(str(path))


def _find(name: str) -> ModuleType:
    if name == "prim":  # attributes that handlers see
        import_module("flambeau_cext.dispatch")
    return _namespace(name)


__getattr__, __dir__ = _attach(__name__, "torch.ops", find=_find)
