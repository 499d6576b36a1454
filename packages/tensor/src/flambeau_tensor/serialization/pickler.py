"""The pickler of files: things of this library go by PyTorch's names, and the bytes of storages apart."""

import pickle

from flambeau_tensor.serialization import naming
from flambeau_tensor.storage import TypedStorage, UntypedStorage

UNTYPED = "untyped"


class _Reducers(dict):
    """What pickle asks for each class that it does not know by itself."""

    def get(self, cls, default=None):
        try:
            return self[cls]
        except KeyError:
            found = self[cls] = naming.reduce_of(cls) or pickle.dispatch_table.get(cls, default)
            return found


def pickler_class(pickle_module):
    """The pickler of files, over that of a module like `pickle`, which has to be one in Python: names are its own."""
    base = getattr(pickle_module, "_Pickler", pickle_module.Pickler)
    if not issubclass(base, pickle._Pickler):
        raise NotImplementedError(
            f"save(): the Pickler of pickle_module {pickle_module.__name__} is not derived from "
            "pickle._Pickler, whose names can be chosen"
        )

    class Pickler(base):
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
            if outer and self.proto < 4:  # whose instructions have no names with dots
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

        dispatch[type] = save_type
        dispatch[type(pickler_class)] = save_global

    return Pickler


class Storages:
    """The storages of a file that is written, by key, and how the pickle speaks of each."""

    def __init__(self):
        self.keys = {}
        self.kinds = {}
        self.found = []  # keeps them alive, so that none has the place of another

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
