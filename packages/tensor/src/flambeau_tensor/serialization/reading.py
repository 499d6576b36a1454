"""Reading a file's pickles, with or without restrictions, and the storages of archives."""

import pickle

from flambeau_tensor.not_built import NotBuiltError
from flambeau_tensor.serialization import naming, settings, unpickler
from flambeau_tensor.storage import TypedStorage, UntypedStorage

_ADVICE = (
    "Weights only load failed. With `weights_only=True`, the default, files may only hold tensors, numbers, "
    "texts and containers of these. If you trust where this file came from, "
    "`torch.load(..., weights_only=False)` reads anything, "
    "which means that it may run any code; or allow what the message names.\n"
    "WeightsUnpickler error: "
)


def free_unpickler(pickle_module):
    """Return the unpickler for ``weights_only=False``, based on that of a module like `pickle`."""

    class Unpickler(pickle_module.Unpickler):
        def find_class(self, module, name):
            known, spelled = naming.spelled(module, name)
            if known.split(".")[0] == "torch":
                return naming.object_of(known, spelled)
            return super().find_class(module, name)

        def persistent_load(self, saved):
            kind = saved[0].decode() if isinstance(saved[0], bytes) else saved[0]
            if kind == "storage":
                return self.storage_of(*saved[1:])
            if kind == "module":  # a class, with its source at the time of saving
                return saved[1]
            raise RuntimeError(f"Unknown typename for persistent_load, expected 'storage' but got '{kind}'")

    return Unpickler


def restricted(data, storage_of, start=0, encoding="utf-8"):
    """Load a pickle that names only allowed objects; return its object and its end."""
    reader = unpickler.Unpickler(data, storage_of, settings.allowed_names(), start, encoding)
    try:
        return reader.load(), reader.at
    except pickle.UnpicklingError as e:
        raise pickle.UnpicklingError(_ADVICE + str(e)) from None
    except NotBuiltError:
        raise
    except (TypeError, ValueError, KeyError, AttributeError, IndexError, OverflowError, RecursionError) as e:
        raise pickle.UnpicklingError(f"{_ADVICE}{type(e).__name__}: {e}") from e


class Kinds:
    """Checks the descriptions of storages in pickles."""

    def checked(self, kind, key, location, count):
        """Return the dtype (None for untyped storages), the key, the location, and the size in bytes."""
        dtype = None
        if (
            isinstance(kind, type)
            and issubclass(kind, TypedStorage)
            and isinstance(getattr(kind, "dtype", None), naming.DType)
        ):
            dtype = kind.dtype
        elif kind is not UntypedStorage:
            raise pickle.UnpicklingError(f"a storage is of a type of storages, not {kind!r}")
        if isinstance(location, bytes):
            location = location.decode()
        if isinstance(key, bytes):  # from Python 2
            key = key.decode()
        if type(key) not in (str, int) or type(location) is not str or type(count) is not int or count < 0:
            raise pickle.UnpicklingError(
                f"a storage has a key, a location and a number of elements, not {key!r}, {location!r} and {count!r}"
            )
        return dtype, key, location, count * (dtype.itemsize if dtype is not None else 1)


def typed(untyped, dtype):
    return untyped if dtype is None else TypedStorage(wrap_storage=untyped, dtype=dtype, _internal=True)


class ArchiveStorages(Kinds):
    """The storages of an archive, each created when the pickle first refers to it."""

    def __init__(self, archive, restore):
        self.archive, self.restore, self.made = archive, restore, {}
        said = archive.read("byteorder").decode("ascii", "replace") if "byteorder" in archive else None
        self.swap = settings.needs_swapping(said)

    def __call__(self, kind, key, location, count):
        dtype, key, location, nbytes = self.checked(kind, key, location, count)
        untyped = self.made.get(key)
        if untyped is None:
            there = self.archive.size(f"data/{key}")
            if there < nbytes:
                raise RuntimeError(f"storage {key} is said to have {nbytes} bytes, and the archive has {there} of it")
            untyped = self.archive.storage(f"data/{key}")
            if self.swap and dtype is not None and dtype.itemsize > 1:
                untyped.byteswap(dtype)
            untyped = self.made[key] = self.restore(untyped, location)
        return typed(untyped, dtype)
