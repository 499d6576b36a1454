"""The pickler of files: uses PyTorch's names for objects of this library, and stores the storages' bytes apart."""

import pickle
from collections import OrderedDict
from functools import cache, lru_cache
from types import FunctionType

from flambeau_tensor._core.memory.tensor import Tensor
from flambeau_tensor.serialization import naming
from flambeau_tensor.serialization.rebuilding import _rebuild_tensor_v2
from flambeau_tensor.storage import TypedStorage, UntypedStorage

UNTYPED = "untyped"


class _Reducers(dict):
    """The reducers that pickle looks up for classes that it does not know."""

    def get(self, cls, default=None):
        try:
            return self[cls]
        except KeyError:
            found = self[cls] = naming.reduce_of(cls) or pickle.dispatch_table.get(cls, default)
            return found


class TensorWriter:
    """The part of a pickler that writes tensors."""

    def save_tensor(self, t):
        """Write the bytes that pickle would write for a reduced tensor, without a call for each part."""
        rebuild, arguments = naming.reduce_tensor(t)
        place = self.describe(arguments[0]) if rebuild is _rebuild_tensor_v2 and len(arguments) == 6 else ()
        if len(place) != 5 or self.proto < 2:
            self.save_reduce(rebuild, arguments, obj=t)
            return
        tag, kind, key, device, count = place
        _, offset, size, stride, requires_grad, hooks = arguments
        self.save_known(rebuild)
        self.write(pickle.MARK + pickle.MARK)
        for part in (tag, kind, key, device):
            self.save_known(part)
        self.write(_integer(count) + pickle.TUPLE)
        self.memoize(place)
        self.write(pickle.BINPERSID + _integer(offset))
        self.save_integers(size)
        self.save_integers(stride)
        self.write(pickle.NEWTRUE if requires_grad else pickle.NEWFALSE)
        self.save_known(OrderedDict)
        self.write(pickle.EMPTY_TUPLE + pickle.REDUCE)
        self.memoize(hooks)
        self.write(pickle.TUPLE)
        self.memoize(arguments)
        self.write(pickle.REDUCE)
        self.memoize(t)

    def save_integers(self, numbers):
        """Write a tuple of integers that occurs only once, so that the memo need not be searched."""
        self.write(_integers(numbers))
        if numbers:
            self.memoize(numbers)

    def save_known(self, obj):
        """Write an object, or a reference to it if it is in the memo, as it usually is."""
        known = self.memo.get(id(obj))
        if known is None:
            self.save(obj)
        else:
            self.write(self.get(known[0]))


@cache
def pickler_class(pickle_module):
    """Return a pickler of files based on that of a module like `pickle`, which must be in Python to rename objects."""
    base = getattr(pickle_module, "_Pickler", pickle_module.Pickler)
    if not issubclass(base, pickle._Pickler):
        raise NotImplementedError(
            f"save(): the Pickler of pickle_module {pickle_module.__name__} is not derived from "
            "pickle._Pickler, whose names can be chosen"
        )

    class Pickler(TensorWriter, base):
        def __init__(self, file, protocol, describe):
            super().__init__(file, protocol)
            self.dispatch_table = _Reducers()
            self.describe = describe

        def persistent_id(self, obj):
            if type(obj) is UntypedStorage or type(obj) is TypedStorage:
                return self.describe(obj)
            return None

        def save_global(self, obj, name=None):
            known = naming.name_of(obj, name)
            if not known[0].startswith("torch"):
                super().save_global(obj, name)
                return
            outer, _, last = known[1].rpartition(".")
            if outer and self.proto < 4:  # older protocols have no names with dots
                self.save_reduce(getattr, (naming.object_of(known[0], outer), last))
                return
            if self.proto >= 4:
                self.save(known[0])
                self.save(known[1])
                self.write(pickle.STACK_GLOBAL)
            else:
                self.write(pickle.GLOBAL + "{}\n{}\n".format(*known).encode())
            self.memoize(obj)

        dispatch = dict(base.dispatch)

        def save_type(self, obj):
            if obj is type(None) or obj is type(NotImplemented) or obj is type(...):
                super().save_type(obj)
            else:
                self.save_global(obj)

        dispatch[Tensor] = TensorWriter.save_tensor
        dispatch[type] = save_type
        dispatch[FunctionType] = save_global

    return Pickler


@lru_cache(maxsize=512)
def _integers(numbers):
    """Return the bytes that push a tuple of integers."""
    if not numbers:
        return pickle.EMPTY_TUPLE
    pushed = b"".join(map(_integer, numbers))
    if len(numbers) <= 3:
        return pushed + (pickle.TUPLE1, pickle.TUPLE2, pickle.TUPLE3)[len(numbers) - 1]
    return pickle.MARK + pushed + pickle.TUPLE


def _integer(n):
    """Return the bytes that push an integer."""
    if 0 <= n < 1 << 8:
        return pickle.BININT1 + n.to_bytes(1, "little")
    if 0 <= n < 1 << 16:
        return pickle.BININT2 + n.to_bytes(2, "little")
    if -(1 << 31) <= n < 1 << 31:
        return pickle.BININT + n.to_bytes(4, "little", signed=True)
    data = pickle.encode_long(n)
    return pickle.LONG1 + len(data).to_bytes(1, "little") + data


class Storages:
    """The storages of a file that is being written, by key, and their descriptions in the pickle."""

    def __init__(self):
        self.keys = {}
        self.kinds = {}
        self.found = []  # keeps them alive, so that addresses stay unique

    def describe(self, obj, *more):
        if type(obj) is TypedStorage:
            kind, untyped, count = obj.dtype, obj.untyped(), len(obj)
            named = naming.OBJECTS[f"torch.{obj.pickle_storage_type()}"]
        else:
            kind, untyped, count, named = UNTYPED, obj, len(obj), UntypedStorage
        key = self.keys.get(untyped._cdata)
        if key is None:
            key = self.keys[untyped._cdata] = str(len(self.found))
            self.found.append(untyped)
            self.kinds[key] = kind
        elif self.kinds[key] is not kind and len(untyped):
            raise RuntimeError("Cannot save multiple tensors or storages that view the same data as different types")
        return ("storage", named, key, "cpu", count, *more)
