"""``torch.ops``: custom operators by namespace and name.

>>> from flambeau_cext.library import custom_op
>>> @custom_op("docs::twice", mutates_args=())
... def twice(x: torch.Tensor) -> torch.Tensor:
...     return x * 2
>>> from flambeau_cext import ops
>>> ops.docs.twice(torch.ones(2))
tensor([2., 2.])
"""

from functools import partial
from types import ModuleType

from flambeau_tensor._core.operator import Operator
from flambeau_tensor._core.registry import find_operator, operators

loaded_libraries: set[str] = set()


class _OpNamespace(ModuleType):
    """The operators of one namespace, found when first asked for and kept."""

    def __init__(self, name: str):
        super().__init__(f"torch.ops.{name}")
        self.__getattr__ = partial(_look_up, self)  # not of the class, which would slow down what is there, too

    def __dir__(self):
        head = f"{self.__name__}."
        return sorted({key.removeprefix(head).partition(".")[0] for key in operators() if key.startswith(head)})

    def __repr__(self):
        return f"<namespace {self.__name__}>"


def _look_up(namespace: _OpNamespace, name: str) -> "Operator | OverloadPacket":
    space = namespace.__name__.removeprefix("torch.ops.")
    op = _find(space, name)
    if op is None:
        raise AttributeError(f"'_OpNamespace' '{space}' object has no attribute '{name}'")
    setattr(namespace, name, op)
    return op


class OverloadPacket:
    """Operators of one name that differ in their arguments: ``add.Tensor`` and ``add.Scalar``.

    Called, it tries them in the order of their declaration.
    """

    def __init__(self, name: str, found: dict[str, Operator]):
        self.__name__, self._operators = name, found
        self.__dict__.update(found)

    def __getattr__(self, name: str):
        raise AttributeError(f"The underlying op of '{self.__name__}' has no overload name '{name}'")

    def __call__(self, *args, **kwargs):
        failures = []
        for op in self._operators.values():
            try:
                op.__signature__.bind(*args, **kwargs)
                return op(*args, **kwargs)
            except TypeError as error:
                if not _is_binding(error):
                    raise
                failures.append(str(error))
        raise RuntimeError("Overloaded torch operator invoked from Python failed to match any schema:\n"
                           + "\n\n".join(failures))  # fmt: skip

    def overloads(self) -> list[str]:
        """The names of the overloads; that of one without a name is ``"default"``."""
        return list(self._operators)

    def __repr__(self):
        return f"<OpOverloadPacket(op='{self.__name__}')>"


def _is_binding(error: TypeError) -> bool:
    """Whether it was raised before any code of the operator ran."""
    traceback = error.__traceback__
    while traceback.tb_next is not None:
        traceback = traceback.tb_next
    return traceback.tb_frame.f_globals.get("__name__", "").startswith(("flambeau_tensor._core.binding", "inspect"))


def _find(space: str, name: str) -> Operator | OverloadPacket | None:
    if space == "aten":
        return _of_library(name)
    head = f"torch.ops.{space}.{name}"
    try:
        single = find_operator(head)
    except AttributeError:
        single = None
    found = {key.removeprefix(f"{head}."): op for key, op in operators().items() if key.startswith(f"{head}.")}
    if not found:
        return single
    return OverloadPacket(f"{space}.{name}", {**({"default": single} if single is not None else {}), **found})


def _of_library(name: str) -> Operator | None:
    """PyTorch keeps its own operators in the namespace ``aten``."""
    for space in ("torch", "torch.nn.functional", "torch.Tensor", "torch.special", "torch.linalg", "torch.fft"):
        try:
            return find_operator(f"{space}.{name}")
        except AttributeError:
            continue
    return None


_namespaces: dict[str, _OpNamespace] = {}


def refresh(namespace: str) -> None:
    """Forget what was found in a namespace, since its operators change."""
    if namespace in _namespaces:
        kept = _namespaces[namespace].__dict__
        for name in [name for name in kept if not name.startswith("__")]:
            del kept[name]


def load_library(path: str) -> None:
    """Load a shared library into the process; the operators that it registers are there afterwards.

    Raises:
        OSError: it cannot be loaded.
        ImportError: it was built for another release of flambeau.
    """
    from flambeau_cext.load import load_plain

    load_plain(str(path))
    loaded_libraries.add(str(path))


def __getattr__(name: str) -> _OpNamespace:
    if name.startswith("__"):
        raise AttributeError(f"module 'torch.ops' has no attribute '{name}'")
    if name not in _namespaces:
        _namespaces[name] = _OpNamespace(name)
    globals()[name] = _namespaces[name]
    return _namespaces[name]
