"""Functions of ``torch._utils`` that packages use, except those that files name (``serialization.rebuilding``)."""

import sys
import traceback
from collections.abc import Sequence
from importlib import import_module
from typing import Any, NoReturn

from flambeau_tensor._core.elementwise.dtype import DType
from flambeau_tensor._core.memory.tensor import Tensor
from flambeau_tensor.options import device as _device
from flambeau_tensor.pytorch_names import local_name


def _element_size(dtype: DType) -> int:
    """Return the size of an element in bytes."""
    if not isinstance(dtype, DType):
        raise RuntimeError(f"expected torch.dtype, but got {type(dtype)}")
    return dtype.itemsize


def _has_compatible_shallow_copy_type(input: Tensor, from_: Tensor) -> bool:
    """Whether ``input.data = from_`` preserves the layout of ``input``."""
    return input.layout == from_.layout


def _set_obj_state(obj: Any, state: Any) -> Any:
    """Set an object's attributes from the result of ``__getstate__``: a dict, or a pair of it and a dict of slots."""
    attributes, slots = state if isinstance(state, tuple) and len(state) == 2 else (state, None)
    for each in (attributes, slots):
        for name, value in (each or {}).items():
            setattr(obj, name, value)
    return obj


def _flatten_dense_tensors(tensors: Sequence[Tensor]) -> Tensor:
    """Return a 1-d tensor with the elements of all tensors."""
    from flambeau_tensor import cat

    return cat([t.reshape(-1) for t in tensors])


def _unflatten_dense_tensors(flat: Tensor, tensors: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """Return the parts of `flat` as views with the sizes of ``tensors``."""
    parts, start = [], 0
    for t in tensors:
        parts.append(flat.narrow(0, start, t.numel()).view(t.shape))
        start += t.numel()
    return tuple(parts)


def _get_device_index(device: Any, optional: bool = False, allow_cpu: bool = False) -> Any:
    """Return the number of a device; -1 for the CPU if `allow_cpu`."""
    if isinstance(device, str):
        device = _device(device)
    if isinstance(device, _device):
        if device.type == "cpu" and not allow_cpu:
            raise ValueError(f"Expected a non cpu device, but got: {device}")
        index = -1 if device.type == "cpu" else device.index
    else:
        index = device if isinstance(device, int) else None
    if index is None and not optional:
        raise ValueError(f"Expected a torch.device with a specified index or an integer, but got:{device}")
    return index


def _get_available_device_type() -> None:
    """Return None: there is no device except the CPU."""


def is_compiling() -> bool:
    """Return False."""
    return False


class PyTorchFileReader:
    """Reads the records of a file of `torch.save`.

    Raises:
        FileNotFoundError: the file does not exist or is not an archive.

    >>> import io
    >>> file = io.BytesIO()
    >>> torch.save(3, file)
    >>> PyTorchFileReader(file).has_record("data.pkl")
    True
    """

    def __init__(self, file: Any) -> None:
        from zipfile import ZipFile

        self._archive = ZipFile(file)
        self._root = self._archive.namelist()[0].partition("/")[0]

    def has_record(self, name: str) -> bool:
        """Return True if there is a record with this name."""
        return f"{self._root}/{name}" in self._archive.namelist()

    def get_all_records(self) -> list[str]:
        """Return the names of all records."""
        return [name.partition("/")[2] for name in self._archive.namelist()]

    def get_record(self, name: str) -> bytes:
        """Return the bytes of a record."""
        return self._archive.read(f"{self._root}/{name}")

    def get_storage_from_record(self, name: str, numel: int, dtype: DType) -> Tensor:
        """Return a record as a 1-d tensor with `numel` elements."""
        from flambeau_tensor import empty, frombuffer

        data = bytearray(self.get_record(name))
        return frombuffer(data, dtype=dtype, count=numel) if numel else empty(0, dtype=dtype)


def _cast_to(kind):
    def cast(self: Tensor, non_blocking: bool = False) -> Tensor:
        return self.to(dtype)

    dtype = getattr(import_module("flambeau_tensor"), kind.lower() if kind not in _BYTES else _BYTES[kind])
    cast.__name__ = cast.__qualname__ = f"_cast_{kind}"
    cast.__doc__ = f"`self` in {dtype}."
    return cast


_BYTES = {"Byte": "uint8", "Char": "int8"}
_cast_Byte, _cast_Char, _cast_Short = _cast_to("Byte"), _cast_to("Char"), _cast_to("Short")
_cast_Int, _cast_Long = _cast_to("Int"), _cast_to("Long")
_cast_Half, _cast_Float, _cast_Double = _cast_to("Half"), _cast_to("Float"), _cast_to("Double")


class KeyErrorMessage(str):
    """The text of a KeyError, printed with its line breaks."""

    def __repr__(self) -> str:
        return self


class ExceptionWrapper:
    """An exception from another thread or process, with its traceback as text, to be raised again here.

    Args:
        exc_info: the result of ``sys.exc_info()``; by default the exception that is being handled.
        where: where it was raised, for the message.
    """

    def __init__(self, exc_info: Any = None, where: str = "in background") -> None:
        kind: Any
        kind, value, trace = exc_info or sys.exc_info()
        self.exc_type, self.where = kind, where
        self.exc_msg = "".join(traceback.format_exception(kind, value, trace))

    def reraise(self) -> NoReturn:
        """Raise an exception of the original type with the traceback in its message."""
        text = f"Caught {self.exc_type.__name__} {self.where}.\nOriginal {self.exc_msg}"
        if self.exc_type is KeyError:
            text = KeyErrorMessage(text)
        elif getattr(self.exc_type, "message", None):
            raise self.exc_type(message=text)
        try:
            error = self.exc_type(text)
        except Exception:  # the type takes other arguments
            raise RuntimeError(text) from None
        raise error


def _get_device_module(device_type: str) -> Any:
    """Return the module of a device type, such as ``torch.cpu``.

    Raises:
        RuntimeError: there is no such module.
    """
    module = getattr(import_module(local_name("torch")), device_type, None)
    if module is None:
        place = f"torch.{device_type}"
        raise RuntimeError(f"Device '{device_type}' does not have a corresponding module registered as '{place}'.")
    return module
