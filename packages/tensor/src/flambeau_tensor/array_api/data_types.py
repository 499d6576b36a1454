"""Dtypes: the standard's promotion, and properties of dtypes.

0-dimensional tensors promote like all others here, and numbers take the dtype of the other operand.
"""

from typing import NamedTuple

import numpy as np

import flambeau_tensor as torch
from flambeau_tensor import Tensor
from flambeau_tensor._core.elementwise.dtype import DType

_BOOL = ("bool",)
_SIGNED = ("int8", "int16", "int32", "int64")
_UNSIGNED = ("uint8", "uint16", "uint32", "uint64")
_REAL = ("float32", "float64")
_COMPLEX = ("complex64", "complex128")
KINDS = {
    "bool": _BOOL,
    "signed integer": _SIGNED,
    "unsigned integer": _UNSIGNED,
    "integral": _SIGNED + _UNSIGNED,
    "real floating": _REAL,
    "complex floating": _COMPLEX,
    "numeric": _SIGNED + _UNSIGNED + _REAL + _COMPLEX,
}


def promoted(a: DType, b: DType) -> DType:
    """Return the dtype of the result for two operands."""
    if a is b:
        return a
    if "uint" in f"{a}{b}" and a.itemsize + b.itemsize > 2:  # PyTorch does not define it
        return getattr(torch, np.promote_types(a.name, b.name).name)
    return torch.promote_types(a, b)


def with_number(dtype: DType, number: complex) -> DType:
    """Return the dtype of the result for a tensor and a number."""
    if isinstance(number, complex) and not dtype.is_complex:
        return torch.complex128 if dtype is torch.float64 else torch.complex64
    if isinstance(number, float) and not (dtype.is_floating_point or dtype.is_complex):
        return torch.get_default_dtype()
    return dtype


def result_type(*arrays_and_dtypes: Tensor | DType | complex) -> DType:
    """Return the dtype to which tensors, dtypes and numbers promote.

    >>> result_type(torch.ones(()), torch.float64, 3)
    torch.float64
    """
    dtypes = [x if isinstance(x, DType) else x.dtype for x in arrays_and_dtypes if isinstance(x, (DType, Tensor))]
    if not dtypes:
        raise ValueError("result_type() needs at least one tensor or dtype")
    found = dtypes[0]
    for dtype in dtypes[1:]:
        found = promoted(found, dtype)
    for number in arrays_and_dtypes:
        if not isinstance(number, (DType, Tensor)):
            found = with_number(found, number)
    return found


def astype(x: Tensor, dtype: DType, /, *, copy: bool = True, device: object = None) -> Tensor:
    """Return the elements in another dtype, as a copy if `copy` is True or the dtype differs.

    >>> astype(torch.tensor([1.5]), torch.int64)
    tensor([1])
    """
    return x.to(x.device if device is None else device, dtype, copy=copy)


def can_cast(from_: DType | Tensor, to: DType, /) -> bool:
    """Return True if promoting the two types results in `to`.

    >>> can_cast(torch.int64, torch.int32)
    False
    """
    from_ = from_.dtype if isinstance(from_, Tensor) else from_
    return promoted(from_, to) is to


class FloatLimits(NamedTuple):
    """The result of `finfo`."""

    bits: int
    eps: float
    max: float
    min: float
    smallest_normal: float
    dtype: DType


class IntegerLimits(NamedTuple):
    """The result of `iinfo`."""

    bits: int
    max: int
    min: int
    dtype: DType


def finfo(type: DType | Tensor, /) -> FloatLimits:
    """Return the limits of a floating point dtype, or of the parts of a complex one.

    >>> finfo(torch.float32).bits
    32
    """
    found = torch.finfo(type.dtype if isinstance(type, Tensor) else type)
    dtype = getattr(torch, found.dtype)
    return FloatLimits(found.bits, found.eps, found.max, found.min, found.smallest_normal, dtype)


def iinfo(type: DType | Tensor, /) -> IntegerLimits:
    """Return the limits of an integer dtype.

    >>> iinfo(torch.int8).max
    127
    """
    found = torch.iinfo(type.dtype if isinstance(type, Tensor) else type)
    return IntegerLimits(found.bits, found.max, found.min, getattr(torch, found.dtype))


def isdtype(dtype: DType, kind: DType | str | tuple[DType | str, ...]) -> bool:
    """Return True if a dtype is a given dtype, is of a kind, or is one of several.

    >>> isdtype(torch.int8, "integral")
    True
    """
    if isinstance(kind, tuple):
        return any(isdtype(dtype, each) for each in kind)
    if isinstance(kind, str):
        if kind not in KINDS:
            raise ValueError(f"isdtype(): there is no kind {kind!r} of dtypes")
        return dtype.name in KINDS[kind]
    return dtype is kind
