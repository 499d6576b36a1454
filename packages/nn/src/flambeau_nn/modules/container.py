"""Modules and parameters in order, by number or by name."""

from __future__ import annotations

import operator
from collections import OrderedDict
from collections.abc import Callable, ItemsView, Iterable, Iterator, KeysView, Mapping, Sized, ValuesView
from itertools import chain, islice
from typing import Any, NoReturn, Self, SupportsIndex, cast, overload

from flambeau_nn._module import sequential_forward
from flambeau_nn.modules.module import Module, _addindent
from flambeau_nn.parameter import Parameter
from flambeau_tensor import Tensor

__all__ = ["ModuleDict", "ModuleList", "ParameterDict", "ParameterList", "Sequential"]


class _Numbered(Module):
    """Modules under the names "0", "1", …, with the methods of a list."""

    def _index(self, idx: int | slice) -> int:
        idx = operator.index(cast(SupportsIndex, idx))
        if not -len(self) <= idx < len(self):
            raise IndexError(f"index {idx} is out of range")
        return idx % len(self)

    def _renumber(self, modules: Iterable[Module]) -> None:
        self._modules = {str(i): module for i, module in enumerate(modules)}

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Module]:
        return iter(self._modules.values())


class Sequential(_Numbered):
    """Modules that run one after another, each on the result of the previous one.

    The arguments are the modules, or one ordered dict of names and modules.

    Shape:
        those of its modules

    Raises:
        TypeError: an argument is not a module.

    >>> import flambeau_nn as nn
    >>> Sequential(nn.Linear(2, 3), nn.ReLU())
    Sequential(
      (0): Linear(in_features=2, out_features=3, bias=True)
      (1): ReLU()
    )
    """

    def __init__(self, *args: Any) -> None:
        super().__init__()
        named = args[0].items() if len(args) == 1 and isinstance(args[0], OrderedDict) else enumerate(args)
        for name, module in named:
            self.add_module(str(name), module)

    forward = sequential_forward

    def _key(self, idx: int | slice) -> str:
        return next(islice(self._modules, self._index(idx), None))

    @overload
    def __getitem__(self, idx: int) -> Module: ...
    @overload
    def __getitem__(self, idx: slice) -> Self: ...
    def __getitem__(self, idx: int | slice) -> Any:
        if isinstance(idx, slice):
            return self.__class__(OrderedDict(list(self._modules.items())[idx]))
        return self._modules[self._key(idx)]

    def __setitem__(self, idx: int, module: Module) -> None:
        setattr(self, self._key(idx), module)

    def __delitem__(self, idx: int | slice) -> None:
        if isinstance(idx, slice):
            for key in list(self._modules)[idx]:
                delattr(self, key)
        else:
            delattr(self, self._key(idx))
        self._renumber(self._modules.values())

    def pop(self, key: int) -> Module:
        """Remove and return a module."""
        module = self[key]
        del self[key]
        return module

    def append(self, module: Module) -> Sequential:
        """Add a module at the end; returns the container."""
        self.add_module(str(len(self)), module)
        return self

    def insert(self, index: int, module: Module) -> Sequential:
        """Insert a module before ``index``."""
        if not isinstance(module, Module):
            raise AssertionError(f"module should be of type: {Module}")
        if not -len(self) <= index <= len(self):
            raise IndexError(f"Index out of range: {index}")
        modules = list(self._modules.values())
        modules.insert(index, module)
        self._renumber(modules)
        return self

    def extend(self, sequential: Iterable[Any]) -> Sequential:
        """Add modules at the end."""
        for module in list(sequential):
            self.append(module)
        return self

    def __add__(self, other: Sequential) -> Sequential:
        if not isinstance(other, Sequential):
            raise ValueError(f"add operator supports only objects of Sequential class, but {type(other)} is given.")
        return Sequential(*self, *other)

    def __iadd__(self, other: Sequential) -> Sequential:
        if not isinstance(other, Sequential):
            raise ValueError(f"add operator supports only objects of Sequential class, but {type(other)} is given.")
        return self.extend(other)

    def __mul__(self, other: int) -> Sequential:
        _check_times(other)
        return Sequential(*chain.from_iterable(list(self) for _ in range(other)))

    __rmul__ = __mul__

    def __imul__(self, other: int) -> Sequential:
        _check_times(other)
        modules = list(self)
        for _ in range(other - 1):
            self.extend(modules)
        return self


def _check_times(other: int) -> None:
    if not isinstance(other, int):
        raise TypeError(f"unsupported operand type(s) for *: {Sequential} and {type(other)}")
    if other <= 0:
        raise ValueError(f"Non-positive multiplication factor {other} for {Sequential}")


class ModuleList(_Numbered):
    """A list of modules that, unlike a plain list, registers them with the enclosing module.

    Shape:
        those of its modules: it cannot be called

    Raises:
        TypeError: an item is not a module.
        IndexError: the index is out of range.

    >>> layers = ModuleList(torch.nn.Linear(2, 2) for _ in range(3))
    >>> len(layers), len(list(layers.parameters()))
    (3, 6)
    """

    def __init__(self, modules: Iterable[Any] | None = None) -> None:
        super().__init__()
        if modules is not None:
            self.extend(modules)

    @overload
    def __getitem__(self, idx: int) -> Module: ...
    @overload
    def __getitem__(self, idx: slice) -> Self: ...
    def __getitem__(self, idx: int | slice) -> Any:
        if isinstance(idx, slice):
            return self.__class__(list(self._modules.values())[idx])
        return self._modules[str(self._index(idx))]

    def __setitem__(self, idx: int, module: Module) -> None:
        setattr(self, str(self._index(idx)), module)

    def __delitem__(self, idx: int | slice) -> None:
        modules = list(self._modules.values())
        del modules[idx if isinstance(idx, slice) else self._index(idx)]
        self._renumber(modules)

    def __iadd__(self, modules: Iterable[Any]) -> ModuleList:
        return self.extend(modules)

    def __add__(self, other: Iterable[Any]) -> ModuleList:
        return ModuleList([*self, *other])

    def insert(self, index: int, module: Module) -> None:
        """Insert a module before ``index``."""
        modules = list(self._modules.values())
        modules.insert(index, module)
        self._renumber(modules)

    def append(self, module: Module | None) -> ModuleList:
        """Add a module at the end; returns the list."""
        self.add_module(str(len(self)), module)
        return self

    def extend(self, modules: Iterable[Any]) -> ModuleList:
        """Add modules at the end; returns the list."""
        if not isinstance(modules, Iterable):
            raise TypeError(f"ModuleList.extend should be called with an iterable, but got {type(modules).__name__}")
        for module in list(modules):
            self.append(module)
        return self

    def pop(self, key: int) -> Module:
        """Remove and return a module."""
        module = self[key]
        del self[key]
        return module

    def __repr__(self) -> str:
        """Equal neighbors are printed once, with their number."""
        if not len(self):
            return f"{self._get_name()}()"
        runs: list[list[Any]] = []  # [first, last, text]
        for i, text in enumerate(map(repr, self)):
            if runs and runs[-1][2] == text:
                runs[-1][1] = i
            else:
                runs.append([i, i, text])
        lines = []
        for first, last, text in runs:
            line = f"({first}): {text}" if first == last else f"({first}-{last}): {last - first + 1} x {text}"
            lines.append(_addindent(line))
        return f"{self._get_name()}(\n  " + "\n  ".join(lines) + "\n)"

    forward = Module.forward


class ModuleDict(Module):
    """A dict of modules that, unlike a plain dict, registers them with the enclosing module.

    Shape:
        those of its modules: it cannot be called

    Raises:
        TypeError: a value is not a module, a key is not a string, or the argument is not a mapping.
        KeyError: no module has the name (when indexing), or a name is an attribute of the class or contains a dot.

    >>> layers = ModuleDict({"first": torch.nn.Linear(2, 3), "act": torch.nn.ReLU()})
    >>> layers["act"](layers["first"](torch.ones(1, 2))).shape, list(layers)
    (torch.Size([1, 3]), ['first', 'act'])
    """

    def __init__(self, modules: Mapping[str, Module] | Iterable[tuple[str, Module]] | ModuleDict | None = None) -> None:
        super().__init__()
        if modules is not None:
            self.update(modules)

    def __getitem__(self, key: str) -> Module:
        return self._modules[key]

    def __setitem__(self, key: str, module: Module) -> None:
        self.add_module(key, module)

    def __delitem__(self, key: str) -> None:
        del self._modules[key]

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __contains__(self, key: str) -> bool:
        return key in self._modules

    def clear(self) -> None:
        """Remove all entries."""
        self._modules.clear()

    def pop(self, key: str) -> Module:
        """Remove and return a module."""
        module = self[key]
        del self[key]
        return module

    def keys(self) -> KeysView[str]:
        """The names."""
        return self._modules.keys()

    def items(self) -> ItemsView[str, Module]:
        """Names and modules."""
        return self._modules.items()

    def values(self) -> ValuesView[Module]:
        """The modules."""
        return self._modules.values()

    def update(self, modules: Mapping[str, Module] | Iterable[tuple[str, Module]] | ModuleDict) -> None:
        """Add modules from a mapping or from pairs of name and module."""
        if not isinstance(modules, Iterable):
            raise TypeError(
                "ModuleDict.update should be called with an iterable of key/value pairs, but got "
                f"{type(modules).__name__}"
            )
        for key, module in _pairs(modules, "ModuleDict update sequence"):
            self[key] = module


def _pairs(items: Any, what: str) -> Iterator[Any]:
    """Keys and values of a mapping, a container like one, or an iterable of pairs."""
    if isinstance(items, (Mapping, ModuleDict, ParameterDict)):
        yield from items.items()
        return
    for i, pair in enumerate(items):
        if not isinstance(pair, Iterable):
            raise TypeError(f"{what} element #{i} should be Iterable; is{type(pair).__name__}")
        if (length := len(cast(Sized, pair))) != 2:
            raise ValueError(f"{what} element #{i} has length {length}; 2 is required")
        yield pair


def _as_parameter(value: Any) -> Any:
    return Parameter(value) if isinstance(value, Tensor) and not isinstance(value, Parameter) else value


def _listed(items: Iterable[tuple[Any, Any]], kind_of: Callable[[Tensor], Any]) -> str:
    """Return a line of `extra_repr` for each value; `kind_of` describes the elements of tensors."""
    lines = []
    for key, value in items:
        if isinstance(value, Tensor):
            kind = "Parameter" if isinstance(value, Parameter) else "Tensor"
            size = "x".join(map(str, value.size()))
            lines.append(f"  ({key}): {kind} containing: [{kind_of(value)} of size {size}]")
        else:
            lines.append(f"  ({key}): Object of type: {type(value).__name__}")
    return "\n".join(lines)


class ParameterList(Module):
    """A list of parameters; tensors become parameters, and other values are stored unchanged.

    Shape:
        it cannot be called

    Raises:
        TypeError: the values cannot be iterated over.
        IndexError: the index is out of range.

    >>> weights = ParameterList([torch.ones(2), torch.zeros(3)])
    >>> [tuple(w.shape) for w in weights.parameters()]
    [(2,), (3,)]
    """

    def __init__(self, values: Iterable[Any] | None = None) -> None:
        super().__init__()
        self._size = 0
        if values is not None:
            self += values

    def _index(self, idx: int | slice) -> int:
        idx = operator.index(cast(SupportsIndex, idx))
        if not -len(self) <= idx < len(self):
            raise IndexError(f"index {idx} is out of range")
        return idx % len(self)

    def __getitem__(self, idx: int | slice) -> Any:
        if isinstance(idx, slice):
            return self.__class__([self[i] for i in range(*idx.indices(len(self)))])
        return getattr(self, str(self._index(idx)))

    def __setitem__(self, idx: int, param: Any) -> None:
        setattr(self, str(self._index(idx)), _as_parameter(param))

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[Any]:
        return iter(self[i] for i in range(len(self)))

    def __iadd__(self, parameters: Iterable[Any]) -> ParameterList:
        return self.extend(parameters)

    def append(self, value: Any) -> ParameterList:
        """Add a value at the end; returns the list."""
        self._size += 1
        self[-1] = value
        return self

    def extend(self, values: Iterable[Any]) -> ParameterList:
        """Add values at the end; returns the list."""
        if not isinstance(values, Iterable) or isinstance(values, Tensor):
            raise TypeError(f"ParameterList.extend should be called with an iterable, but got {type(values).__name__}")
        for value in values:
            self.append(value)
        return self

    def extra_repr(self) -> str:
        return _listed(enumerate(self), lambda value: value.dtype)

    def __call__(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise RuntimeError("ParameterList should not be called.")


class ParameterDict(Module):
    """A dict of parameters; tensors become parameters, and other values are stored unchanged.

    Shape:
        it cannot be called

    Raises:
        AttributeError: the key does not exist (when indexing).

    >>> weights = ParameterDict({"w": torch.ones(2), "note": "kept"})
    >>> type(weights["w"]).__name__, weights["note"], len(list(weights.parameters()))
    ('Parameter', 'kept', 1)
    """

    def __init__(self, parameters: Mapping[str, Any] | Iterable[tuple[str, Any]] | ParameterDict | None = None) -> None:
        super().__init__()
        self._keys: dict[str, None] = {}
        if parameters is not None:
            self.update(parameters)

    def _attribute(self, key: str) -> str:
        if not isinstance(key, str):
            raise TypeError(
                f"Index given to ParameterDict cannot be used as a key as it is not a string (type is "
                f"'{type(key).__name__}'). Open an issue on github if you need non-string keys."
            )
        return key

    def __getitem__(self, key: str) -> Any:
        return getattr(self, self._attribute(key))

    def __setitem__(self, key: str, value: Any) -> None:
        self._keys[key] = None
        setattr(self, self._attribute(key), _as_parameter(value))

    def __delitem__(self, key: str) -> None:
        del self._keys[key]
        delattr(self, self._attribute(key))

    def __len__(self) -> int:
        return len(self._keys)

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys)

    def __reversed__(self) -> Iterator[str]:
        return reversed(list(self._keys))

    def __contains__(self, key: str) -> bool:
        return key in self._keys

    def copy(self) -> ParameterDict:
        """A new dict with the same parameters."""
        return ParameterDict(OrderedDict((k, self[k]) for k in self._keys))

    def setdefault(self, key: str, default: Any = None) -> Any:
        """The value of ``key``, which is added first if it is missing."""
        if key not in self:
            self[key] = default
        return self[key]

    def clear(self) -> None:
        """Remove all entries."""
        for key in list(self._keys):
            del self[key]

    def pop(self, key: str) -> Any:
        """Remove and return a value."""
        value = self[key]
        del self[key]
        return value

    def popitem(self) -> tuple[str, Any]:
        """Remove and return the last name and value."""
        key, _ = self._keys.popitem()
        self._keys[key] = None
        return key, self.pop(key)

    def get(self, key: str, default: Any = None) -> Any:
        """The value of ``key``, or ``default``."""
        return self[key] if key in self else default

    def fromkeys(self, keys: Iterable[str], default: Any = None) -> ParameterDict:
        """A new dict with these keys and one value."""
        return ParameterDict((key, default) for key in keys)

    def keys(self) -> KeysView[str]:
        """The names."""
        return self._keys.keys()

    def items(self) -> Iterator[tuple[str, Any]]:
        """Names and values."""
        return ((key, self[key]) for key in self._keys)

    def values(self) -> Iterator[Any]:
        """The values."""
        return (self[key] for key in self._keys)

    def update(self, parameters: Mapping[str, Any] | Iterable[tuple[str, Any]] | ParameterDict) -> None:
        """Add values from a mapping or from pairs of name and value."""
        if not isinstance(parameters, (Iterable, ParameterDict)):
            raise TypeError(
                "ParametersDict.update should be called with an iterable of key/value pairs, but got "
                f"{type(parameters).__name__}"
            )
        if isinstance(parameters, Mapping) and not isinstance(parameters, OrderedDict):
            parameters = sorted(parameters.items())
        for key, value in _pairs(parameters, "ParameterDict update sequence"):
            self[key] = value

    def extra_repr(self) -> str:
        return _listed(self.items(), lambda value: value.type())

    def __call__(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise RuntimeError("ParameterDict should not be called.")

    def __or__(self, other: ParameterDict) -> ParameterDict:
        out = self.copy()
        out.update(other)
        return out

    def __ror__(self, other: ParameterDict) -> ParameterDict:
        out = other.copy()
        out.update(self)
        return out

    def __ior__(self, other: ParameterDict) -> ParameterDict:
        self.update(other)
        return self
