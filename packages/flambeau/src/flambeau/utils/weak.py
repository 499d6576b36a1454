"""``torch.utils.weak``: tensors as keys and references that do not keep them alive.

Tensors compare elementwise, so dictionaries with tensors as keys use identity.

>>> import flambeau as torch
>>> x = torch.ones(2)
>>> seen = torch.utils.weak.WeakTensorKeyDictionary({x: "first"})
>>> seen[x]
'first'
>>> del x
>>> len(seen)
0
"""

import weakref
from collections.abc import Callable, Iterator, Mapping, MutableMapping
from copy import deepcopy
from typing import Any, Self

from flambeau import Tensor

__all__ = ["TensorWeakRef", "WeakIdKeyDictionary", "WeakIdRef", "WeakTensorKeyDictionary"]


class WeakIdRef(weakref.ref):
    """A weak reference that is equal to another as long as both refer to the same object.

    Raises:
        TypeError: the object takes no weak references.

    >>> x = Tensor([1.0, 2.0])
    >>> WeakIdRef(x) == WeakIdRef(x), hash(WeakIdRef(x)) == id(x)
    (True, True)
    """

    __slots__ = ("_id",)

    def __init__(self, key: Any, callback: Callable[[Any], Any] | None = None) -> None:
        super().__init__(key, callback)  # type: ignore[call-arg]  # typeshed has `__new__` alone
        self._id = id(key)

    def __hash__(self) -> int:
        return self._id

    def __eq__(self, other: object) -> bool:
        ours, theirs = self(), other() if isinstance(other, weakref.ref) else None
        if ours is not None and theirs is not None:
            return ours is theirs
        return self is other

    __ne__ = object.__ne__


class WeakIdKeyDictionary(MutableMapping):
    """A dictionary by the identity of its keys, which drops keys that are freed.

    Args:
        dict: the initial contents.
        ref_type: the class of weak references to keys.

    Raises:
        KeyError: the key does not exist; by indexing.

    >>> key = Tensor([1.0])
    >>> d = WeakIdKeyDictionary()
    >>> d[key] = 1
    >>> key in d, Tensor([1.0]) in d
    (True, False)
    """

    def __init__(self, dict: Any = None, ref_type: type = WeakIdRef) -> None:
        self.data: Any = {}
        self.ref_type = ref_type
        ours = weakref.ref(self)

        def forget(reference):
            self = ours()
            if self is not None:
                self.data.pop(reference, None)

        self._forget = forget
        if dict is not None:
            self.update(dict)

    def _of(self, key):
        try:
            return self.ref_type(key)
        except TypeError:
            return None

    def __getitem__(self, key: Any) -> Any:
        return self.data[self.ref_type(key)]

    def __setitem__(self, key: Any, value: Any) -> None:
        self.data[self.ref_type(key, self._forget)] = value

    def __delitem__(self, key: Any) -> None:
        del self.data[self.ref_type(key)]

    def __contains__(self, key: object) -> bool:
        reference = self._of(key)
        return reference is not None and reference in self.data

    def __iter__(self) -> Iterator[Any]:
        for reference in list(self.data):
            key = reference()
            if key is not None:
                yield key

    def __len__(self) -> int:
        return len(self.data)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} at {id(self):#x}>"

    def keyrefs(self) -> list[Any]:
        """The weak references to the keys."""
        return list(self.data)

    def copy(self) -> Self:
        """Another one with the same keys and values."""
        return self.__copy__()

    def __copy__(self) -> Self:
        return type(self)(self, self.ref_type)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """Return a dict with the same keys and copies of the values."""
        new = type(self)(None, self.ref_type)
        for key, value in list(self.items()):
            new[key] = deepcopy(value, memo)
        return new

    def __or__(self, other: Any) -> Self:
        if not isinstance(other, Mapping):
            return NotImplemented
        new = self.__copy__()
        new.update(other)
        return new

    def __ror__(self, other: Any) -> Self:
        if not isinstance(other, Mapping):
            return NotImplemented
        new = type(self)(other, self.ref_type)
        new.update(self)
        return new

    def __ior__(self, other: Any) -> Self:
        self.update(other)
        return self


WeakTensorKeyDictionary = WeakIdKeyDictionary


class TensorWeakRef:
    """A weak reference to a tensor of any shape.

    Raises:
        AssertionError: the argument is not a tensor.

    >>> x = Tensor([1.0])
    >>> reference = TensorWeakRef(x)
    >>> reference() is x
    True
    """

    __slots__ = ("ref",)

    def __init__(self, tensor: Tensor) -> None:
        if not isinstance(tensor, Tensor):
            raise AssertionError(f"expected torch.Tensor, got {type(tensor)}")
        self.ref = weakref.ref(tensor)

    def __call__(self) -> Tensor | None:
        return self.ref()
