"""Storages: the memory under tensors, as bytes (`UntypedStorage`) and as elements of a dtype (`TypedStorage`).

``torch.FloatStorage`` and similar classes are TypedStorages with their dtype. Storages, and slices of them, share the
memory of the tensors.

>>> import flambeau_tensor as ft
>>> x = ft.tensor([1, 2], dtype=ft.uint8)
>>> x.untyped_storage().tolist()
[1, 2]
"""

import copyreg
import io
from operator import index as as_index

from flambeau_tensor._core.elementwise.dtype import (
    CONVERSIONS,
    DType,
    _dtype_by_name,
    all_dtypes,
    get_default_dtype,
    type_name,
)
from flambeau_tensor._core.memory.storage import UntypedStorage
from flambeau_tensor._core.memory.tensor import Tensor
from flambeau_tensor._core.schema.registry import find_operator
from flambeau_tensor._kernels import interop
from flambeau_tensor.options import META, check_device
from flambeau_tensor.switches import warn_once

__all__ = ["TypedStorage", "UntypedStorage", "is_storage"]

StorageBase = UntypedStorage  # PyTorch's base class of untyped storages, for isinstance checks
_FORMS = """Expected one of:
 * (*, torch.device device, torch.dtype dtype)
 * (int size, *, torch.device device, torch.dtype dtype)
 * (Sequence data, *, torch.device device, torch.dtype dtype)
 * (*, UntypedStorage wrap_storage, torch.dtype dtype)"""
_FORMS_OF_ONE_DTYPE = """Expected one of:
 * no arguments
 * (int size)
 * (Sequence data)
 * (*, UntypedStorage wrap_storage)"""


def warn_of_typed_storages(stacklevel: int = 2) -> None:
    """Give PyTorch's warning, once per process."""
    warn_once(
        "TypedStorage is deprecated. It will be removed in the future and UntypedStorage will be the "
        "only storage class. This should only matter to you if you are using storages directly.  To "
        "access UntypedStorage directly, use tensor.untyped_storage() instead of tensor.storage()",
        stacklevel + 1,
    )


def is_storage(obj: object, /) -> bool:
    """Return True if an object is a storage.

    >>> is_storage(UntypedStorage(3)), is_storage([])
    (True, False)
    """
    return isinstance(obj, (UntypedStorage, TypedStorage))


class TypedStorage:
    """The memory of tensors as a sequence of elements of one dtype.

    Args:
        args: a number of elements, which are not initialized, or a sequence of numbers; nothing for an empty storage.
        wrap_storage: an UntypedStorage to use.
        dtype: the dtype of the elements; by default the default dtype.
        device: the CPU, or 'meta' for a storage without memory.

    Raises:
        RuntimeError: both a size and a storage are given, or the storage's size is not a multiple of the element size.

    >>> import flambeau_tensor as ft
    >>> TypedStorage([1, 2, 3], dtype=ft.int16).tolist()
    [1, 2, 3]
    """

    is_cuda = is_hpu = is_sparse = False

    def __init__(self, *args, wrap_storage=None, dtype=None, device=None, _internal=False):
        if not _internal:
            warn_of_typed_storages()
        error = f"TypedStorage.__init__ received an invalid combination of arguments. {_FORMS}\n\n"
        if wrap_storage is not None:
            _check_wrapped(error, args, wrap_storage)
            if dtype is None:
                raise RuntimeError(f"{error}Argument 'dtype' must be specified")
            if device is not None:
                raise RuntimeError(f"{error}Argument 'device' should not be specified when 'wrap_storage' is given")
        elif len(args) > 1:
            raise RuntimeError(f"{error}Too many positional arguments")
        if dtype is not None and not isinstance(dtype, DType):
            raise TypeError(f"{error}Argument 'dtype' must be torch.dtype, not {type(dtype)}")
        self.dtype = get_default_dtype() if dtype is None else dtype
        if wrap_storage is None:
            wrap_storage = self._made(args[0] if args else 0, check_device(device), error)
        self._untyped_storage = wrap_storage

    def _made(self, given, device, error):
        if hasattr(given, "__index__") and not isinstance(given, Tensor):
            return UntypedStorage(as_index(given) * self.dtype.itemsize, device=device)
        if not hasattr(given, "__iter__"):
            raise TypeError(f"{error}Argument type not recognized: {type(given)}")
        return find_operator("torch.tensor")(list(given), dtype=self.dtype, device=device).untyped_storage()

    def _new_wrapped_storage(self, untyped, dtype=None):
        return TypedStorage(wrap_storage=untyped, dtype=dtype or self.dtype, _internal=True)

    def _tensor(self):
        """Return the elements as a tensor, which is on 'meta' if the storage is."""
        return interop.over_storage(Tensor, self._untyped_storage, self.dtype, 0, (len(self),), (1,), False)

    # --- properties ---

    def __len__(self):
        return len(self._untyped_storage) // self.dtype.itemsize

    def size(self):
        return len(self)

    def nbytes(self):
        return len(self._untyped_storage)

    def __sizeof__(self):
        return super().__sizeof__() + self.nbytes()

    def element_size(self):
        return self.dtype.itemsize

    def data_ptr(self):
        return self._untyped_storage.data_ptr()

    def is_shared(self):
        return self._untyped_storage.is_shared()

    def untyped(self):
        return self._untyped_storage

    def pickle_storage_type(self):
        return f"{type_name(self.dtype)}Storage"

    def __repr__(self):
        if self.device == META:
            return f"...\n[torch.storage.TypedStorage(dtype={self.dtype}, device=meta) of size {len(self)}]"
        shown = self.tolist() if len(self) <= 1000 else [*self.tolist()[:3], "...", *self.tolist()[-3:]]
        return "".join(f" {n}\n" for n in shown) + (
            f"[torch.storage.TypedStorage(dtype={self.dtype}, device=cpu) of size {len(self)}]"
        )

    def __hash__(self):
        return hash(id(self._untyped_storage))

    def __getattr__(self, name):
        if name.startswith("__") or name == "_untyped_storage":
            raise AttributeError(name)
        return getattr(self._untyped_storage, name)  # device, is_shared(), filename, _cdata, …

    # --- elements ---

    def tolist(self):
        self._check_elements()
        return self._tensor().tolist()

    def _check_elements(self):
        if self.device == META:
            raise NotImplementedError("Not available for 'meta' device type")

    def __iter__(self):
        return iter(self.tolist())

    def __getitem__(self, index):
        self._check_elements()
        if isinstance(index, slice):
            raise RuntimeError("slices are only supported in UntypedStorage.__getitem__")
        if not hasattr(index, "__index__"):
            raise RuntimeError(f"can't index a TypedStorage with {type(index).__name__}")
        return self._tensor()[self._place(index)].item()

    def _place(self, index):
        if not -len(self) <= index < len(self):
            raise IndexError(f"index {index} out of range for storage of size {len(self)}")
        return int(index)

    def __setitem__(self, index, value):
        if not isinstance(index, slice):
            index = self._place(index)
        elif isinstance(value, TypedStorage):
            value = value._tensor()
        self._tensor()[index] = value

    def fill_(self, value):
        self._tensor().fill_(value)
        return self

    def copy_(self, source, non_blocking=None):
        """Copy the elements of another storage, converted; or the bytes of an untyped one."""
        if isinstance(source, UntypedStorage):
            self._untyped_storage.copy_(source)
        elif META in (self.device, source.device):
            self._untyped_storage.copy_(source.untyped())
        else:
            self._tensor().copy_(source._tensor())
        return self

    def clone(self):
        return self._new_wrapped_storage(self._untyped_storage.clone())

    def cpu(self):
        return self._new_wrapped_storage(self._untyped_storage.cpu())

    def to(self, *, device, non_blocking=False):
        check_device(device)
        return self

    def type(self, dtype=None, non_blocking=False):
        """Return the name of the type, such as ``torch.FloatStorage``; with an argument, the elements as that type."""
        if dtype is None:
            return (
                f"torch.{type_name(self.dtype)}Storage"
                if self.dtype.name not in YOUNGER and self.device != META
                else "torch.storage.TypedStorage"
            )
        name = dtype if isinstance(dtype, str) else f"torch.{dtype.__name__}"
        return self._converted(_dtype_of(name.removeprefix("torch.")))

    def _converted(self, dtype):
        if dtype is self.dtype:
            return self
        return self._new_wrapped_storage(self._tensor().to(dtype).untyped_storage(), dtype)

    # --- memory ---

    def resize_(self, size):
        self._untyped_storage.resize_(size * self.dtype.itemsize)

    def share_memory_(self):
        self._untyped_storage.share_memory_()
        return self

    def __reduce__(self):
        return reduce_storage(self)

    def __deepcopy__(self, memo):
        from copy import deepcopy

        return self._new_wrapped_storage(deepcopy(self._untyped_storage, memo))

    def __copy__(self):
        return self.clone()

    @classmethod
    def from_buffer(cls, *args, dtype=None, device=None, **kwargs):
        """Copy a buffer's bytes; the second argument names their byte order."""
        dtype = cls._dtype_for("from_buffer", dtype)
        if len(args) > 1:
            kwargs["byte_order"] = args[1]
        untyped = UntypedStorage.from_buffer(args[0], dtype=dtype, **kwargs)
        return TypedStorage(wrap_storage=untyped, dtype=dtype, _internal=True)

    @classmethod
    def _new_shared(cls, size):
        """Create a storage of `size` elements in shared memory."""
        dtype = cls._dtype_for("_new_shared", None)
        untyped = UntypedStorage._new_shared(size * dtype.itemsize)
        return TypedStorage(wrap_storage=untyped, dtype=dtype, _internal=True)

    @classmethod
    def from_file(cls, filename, shared=False, size=0, *, dtype=None):
        """Map the first `size` elements of a file as memory; see `UntypedStorage.from_file`."""
        dtype = cls._dtype_for("from_file", dtype)
        untyped = UntypedStorage.from_file(filename, shared, size * dtype.itemsize)
        return TypedStorage(wrap_storage=untyped, dtype=dtype, _internal=True)

    @classmethod
    def _dtype_for(cls, function, dtype):
        return get_default_dtype() if dtype is None else dtype

    @property
    def _dtype(self):
        return self.dtype


def _check_wrapped(error, args, wrap_storage):
    if args:
        raise RuntimeError(f"{error}No positional arguments should be given when using 'wrap_storage'")
    if not isinstance(wrap_storage, UntypedStorage):
        raise TypeError(f"{error}Argument 'wrap_storage' must be UntypedStorage, but got {type(wrap_storage)}")


# Names that PyTorch's own code and packages use, which do not warn that the class is deprecated.
_QUIET = "data_ptr element_size from_buffer is_shared nbytes pickle_storage_type resize_ share_memory_ size"
for _name in (*_QUIET.split(), "__setitem__", "__getitem__", "__deepcopy__"):
    setattr(TypedStorage, f"_{_name.strip('_') if _name.startswith('__') else _name}", vars(TypedStorage)[_name])

_COMPLEX = {"cfloat": "complex_float", "cdouble": "complex_double"}
for _name, _dtype in CONVERSIONS.items():
    if _name != "chalf":
        _dtype = _dtype_by_name(_dtype)
        setattr(TypedStorage, _COMPLEX.get(_name, _name), lambda self, _dtype=_dtype: self._converted(_dtype))


class _OfOneDtype(type):
    def __instancecheck__(cls, instance):
        return type(instance) is TypedStorage and instance.dtype is cls.dtype


def _legacy(dtype):
    class Legacy(TypedStorage, metaclass=_OfOneDtype):
        def __new__(cls, *args, wrap_storage=None, dtype=None, device=None, _internal=False):
            error = f"{cls}.__new__ received an invalid combination of arguments. {_FORMS_OF_ONE_DTYPE}\n\n"
            for name, given in (("dtype", dtype), ("device", device)):
                if given is not None:
                    raise RuntimeError(f"{error}Keyword argument '{name}' cannot be specified")
            if wrap_storage is not None:
                _check_wrapped(error, args, wrap_storage)
            if len(args) > 1:
                raise RuntimeError(f"{error}Too many positional arguments")
            if args and not hasattr(args[0], "__index__") and not hasattr(args[0], "__iter__"):
                raise TypeError(f"{error}Argument type not recognized: {type(args[0])}")
            return TypedStorage(*args, wrap_storage=wrap_storage, dtype=cls.dtype, _internal=_internal)

        @classmethod
        def _dtype_for(cls, function, dtype):
            if dtype is not None:
                raise TypeError(f"{cls.__name__}.{function}(): argument 'dtype' is not expected, it is {cls.dtype}")
            return cls.dtype

    Legacy.dtype = Legacy._dtype = dtype
    Legacy.__name__ = Legacy.__qualname__ = f"{type_name(dtype)}Storage"
    example = f">>> {Legacy.__name__}(3).dtype, len({Legacy.__name__}(3))\n({dtype}, 3)"
    errors = "Raises:\n    TypeError: the argument is neither a size nor a sequence of numbers."
    Legacy.__doc__ = f"A `TypedStorage` whose elements are {dtype}.\n\n{errors}\n\n{example}"
    return Legacy


YOUNGER = ("uint16", "uint32", "uint64", "complex32")  # newer than typed storages, which have no classes for them
LEGACY = {cls.__name__: cls for cls in (_legacy(d) for d in all_dtypes() if d.name not in YOUNGER)}
globals().update(LEGACY)
__all__ += LEGACY


def _dtype_to_storage_type_map():
    """Return the name of the storage class for each dtype that has one."""
    return {cls.dtype: name for name, cls in LEGACY.items()}


def _storage_type_to_dtype_map():
    return {name: cls.dtype for name, cls in LEGACY.items()}


def _dtype_of(name):
    if name not in LEGACY:
        raise ValueError(f"invalid type: '{name}'")
    return LEGACY[name].dtype


def reduce_storage(storage):
    """Reduce a storage for pickles as PyTorch does: to a call with the contents of a file in the older format."""
    if storage.device == META:
        return storage.__reduce_ex__(2)
    from flambeau_tensor.serialization.legacy import bytes_of_storage

    return _load_from_bytes, (bytes_of_storage(storage),)


copyreg.pickle(UntypedStorage, reduce_storage)


def _load_from_bytes(b):
    from flambeau_tensor.serialization import load

    return load(io.BytesIO(b), weights_only=False)
