"""C++ modules as Python modules, bound by ``torch::python::bind_module`` in C++ extensions."""

from collections.abc import Callable, ItemsView, Iterable, Iterator, KeysView, ValuesView
from typing import Any, Self

from flambeau_nn.modules.module import Module
from flambeau_tensor import Tensor

__all__ = ["ModuleWrapper", "OrderedDictWrapper"]


class _OrderedDict:
    """What both kinds of ordered dicts do: they iterate over pairs and are indexed by names or positions."""

    _values: dict[str, Any]

    def items(self) -> ItemsView[str, Any]:
        """The names and values."""
        return self._values.items()

    def keys(self) -> KeysView[str]:
        """The names."""
        return self._values.keys()

    def values(self) -> ValuesView[Any]:
        """The values."""
        return self._values.values()

    def __iter__(self) -> Iterator[tuple[str, Any]]:
        return iter(self._values.items())

    def __len__(self) -> int:
        return len(self._values)

    def __contains__(self, key: object) -> bool:
        return key in self._values

    def __getitem__(self, key: str | int) -> Any:
        return list(self._values.items())[key] if isinstance(key, int) else self._values[key]


class OrderedItems(_OrderedDict):
    """The contents of a C++ ``torch::OrderedDict``.

    Args:
        pairs: names and values, in order.
    """

    def __init__(self, pairs: Iterable[tuple[str, Any]]) -> None:
        self._values = dict(pairs)


class OrderedDictWrapper(_OrderedDict):
    """A dict of a C++ module, read again at each use, since C++ may have changed it.

    Args:
        cpp_module: the bound module.
        attr: ``"_parameters"``, ``"_buffers"`` or ``"_modules"``.
    """

    def __init__(self, cpp_module: Any, attr: str) -> None:
        self.cpp_module = cpp_module
        self.attr = attr

    @property
    def cpp_dict(self) -> OrderedItems:
        """The current contents of the dict."""
        held: OrderedItems = getattr(self.cpp_module, self.attr)
        return held

    @property
    def _values(self) -> dict[str, Any]:  # type: ignore[override]
        return self.cpp_dict._values


class ModuleWrapper(Module):
    """A C++ module in a hierarchy of Python modules.

    Its public methods are those of the C++ module. ``parameters()``, ``buffers()`` and ``modules()`` return lists.

    Args:
        cpp_module: the module, bound by ``torch::python::bind_module``.
    """

    def __init__(self, cpp_module: Any) -> None:
        self.cpp_module = cpp_module
        super().__init__()
        state = self.__dict__
        for attr in ("_parameters", "_buffers", "_modules"):
            state[attr] = OrderedDictWrapper(cpp_module, attr)
        del state["training"]  # replaced by the property below
        for name in dir(cpp_module):
            if not name.startswith("_") and name != "training":
                state[name] = getattr(cpp_module, name)

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> Self:
        """Replace the data of all parameters, their gradients and buffers by the results of ``fn``."""
        for tensor in (*self.cpp_module.parameters(recurse), *self.cpp_module.buffers(recurse)):
            tensor.data = fn(tensor.data)
            if tensor.grad is not None:
                tensor.grad.data = fn(tensor.grad.data)
        return self

    @property
    def training(self) -> bool:
        """Whether the module is in training mode."""
        return bool(self.cpp_module.training)

    @training.setter
    def training(self, mode: bool) -> None:
        self.cpp_module.train(mode)

    def __repr__(self) -> str:
        return repr(self.cpp_module)


def wrapper_class(cpp_class: type, module: str) -> type[ModuleWrapper]:
    """Return a Python class that wraps a bound class, with the arguments of its constructors."""

    def __init__(self: ModuleWrapper, *args: Any, **kwargs: Any) -> None:
        ModuleWrapper.__init__(self, cpp_class(*args, **kwargs))

    return type(cpp_class.__name__, (ModuleWrapper,), {"__init__": __init__, "__module__": module})
