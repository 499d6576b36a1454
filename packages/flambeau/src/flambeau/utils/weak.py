"""``torch.utils.weak``: tensors as keys and references that do not keep them alive.

Tensors compare element by element, so dictionaries of tensors go by identity.

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
from collections.abc import MutableMapping

from flambeau import Tensor

__all__ = ["TensorWeakRef", "WeakIdKeyDictionary", "WeakIdRef", "WeakTensorKeyDictionary"]


class WeakIdRef(weakref.ref):
    """A weak reference that is equal to another as long as both refer to the same object.

    >>> x = Tensor([1.0, 2.0])
    >>> WeakIdRef(x) == WeakIdRef(x), hash(WeakIdRef(x)) == id(x)
    (True, True)
    """

    __slots__ = ("_id",)

    def __init__(self, key, callback=None):
        super().__init__(key, callback)
        self._id = id(key)

    def __hash__(self):
        return self._id

    def __eq__(self, other):
        ours, theirs = self(), other()
        if ours is not None and theirs is not None:
            return ours is theirs
        return self is other

    __ne__ = object.__ne__


class WeakIdKeyDictionary(MutableMapping):
    """A dictionary by the identity of its keys, which forgets those that are gone.

    Args:
        dict: what is in it at first.
        ref_type: the class of weak references to keys.

    >>> key = Tensor([1.0])
    >>> d = WeakIdKeyDictionary()
    >>> d[key] = 1
    >>> key in d, Tensor([1.0]) in d
    (True, False)
    """

    def __init__(self, dict=None, ref_type=WeakIdRef):
        self.data = {}
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

    def __getitem__(self, key):
        return self.data[self.ref_type(key)]

    def __setitem__(self, key, value):
        self.data[self.ref_type(key, self._forget)] = value

    def __delitem__(self, key):
        del self.data[self.ref_type(key)]

    def __contains__(self, key):
        reference = self._of(key)
        return reference is not None and reference in self.data

    def __iter__(self):
        for reference in list(self.data):
            key = reference()
            if key is not None:
                yield key

    def __len__(self):
        return len(self.data)

    def __repr__(self):
        return f"<{type(self).__name__} of {len(self)}>"

    def keyrefs(self):
        """The weak references to the keys."""
        return list(self.data)

    def copy(self):
        """Another one with the same keys and values."""
        return self.__copy__()

    def __copy__(self):
        return type(self)(self, self.ref_type)

    def __or__(self, other):
        new = self.__copy__()
        new.update(other)
        return new

    def __ior__(self, other):
        self.update(other)
        return self


WeakTensorKeyDictionary = WeakIdKeyDictionary


class TensorWeakRef:
    """A weak reference to a tensor.

    >>> x = Tensor([1.0])
    >>> reference = TensorWeakRef(x)
    >>> reference() is x
    True
    """

    __slots__ = ("ref",)

    def __init__(self, tensor):
        if not isinstance(tensor, Tensor):
            raise AssertionError(f"expected torch.Tensor, got {type(tensor)}")
        self.ref = weakref.ref(tensor)

    def __call__(self):
        return self.ref()
