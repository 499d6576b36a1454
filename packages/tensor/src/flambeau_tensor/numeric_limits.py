"""What numbers a dtype can hold: ``finfo`` for floating point, ``iinfo`` for integers.

Source: IEEE 754-2019 for the formats; the values follow from their widths of exponent and significand.
"""

from flambeau_tensor._core.dtype import DType, get_default_dtype
from flambeau_tensor.not_built import not_built

_FORMATS = {
    "float16": (16, 5, 10),
    "bfloat16": (16, 8, 7),
    "float32": (32, 8, 23),
    "float64": (64, 11, 52),
    "float8_e5m2": (8, 5, 2),
    "float8_e4m3fn": (8, 4, 3),
}
# Decimals that survive.
_DIGITS = {"float16": 3, "bfloat16": 2, "float32": 6, "float64": 15, "float8_e5m2": 0, "float8_e4m3fn": 0}


class _Limits:
    """Facts of one dtype, compared by dtype."""

    __slots__ = ("bits", "dtype", "max", "min")
    dtype: str
    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and other.dtype == self.dtype

    def __reduce__(self):
        from flambeau_tensor._core.dtype import _dtype_by_name

        return type(self), (_dtype_by_name(self.dtype),)


def _check(name, dtype):
    if not isinstance(dtype, DType):
        raise TypeError(f"{name}(): argument 'type' (position 1) must be torch.dtype, not {type(dtype).__name__}")


class finfo(_Limits):
    """Limits of a floating point dtype (of the real part, for a complex one); the default dtype's without argument.

    Attributes: ``bits``; ``eps``, the step from 1 to the next number; ``max``, ``min``, the largest and the lowest
    finite number; ``tiny`` and ``smallest_normal``, the smallest positive normal number; ``resolution``, about the
    relative size of a unit in the last decimal place; ``dtype``, its name.

    Raises:
        TypeError: the dtype is not floating point or complex.

    >>> finfo().eps
    1.1920928955078125e-07
    """

    __slots__ = ("eps", "resolution", "smallest_normal", "tiny")

    def __init__(self, type: DType | None = None) -> None:
        dtype = get_default_dtype() if type is None else type
        _check("finfo", dtype)
        if not (dtype.is_floating_point or dtype.is_complex):
            raise TypeError(
                "torch.finfo() requires a floating point input type. Use torch.iinfo to handle 'torch.finfo'"
            )
        self.dtype = dtype.to_real().name
        if self.dtype not in _FORMATS:
            raise not_built(f"torch.finfo of {dtype}")
        self.bits, exponent, fraction = _FORMATS[self.dtype]
        bias = 2 ** (exponent - 1) - 1
        self.eps = 2.0**-fraction
        self.max = (2 - self.eps) * 2.0**bias
        if self.dtype == "float8_e4m3fn":  # no infinities: their exponent has numbers, up to one NaN
            self.max = 448.0
        self.min = -self.max
        self.tiny = self.smallest_normal = 2.0 ** (1 - bias)
        self.resolution = 10.0 ** -_DIGITS[self.dtype]

    def __repr__(self) -> str:
        return (
            f"finfo(resolution={self.resolution:g}, min={self.min:g}, max={self.max:g}, eps={self.eps:g}, "
            f"smallest_normal={self.tiny:g}, tiny={self.tiny:g}, dtype={self.dtype})"
        )


class iinfo(_Limits):
    """Limits of an integer dtype: ``bits``, ``max``, ``min`` and ``dtype``, its name.

    Raises:
        TypeError: the dtype is not one of integers.

    >>> from flambeau_tensor import int8
    >>> iinfo(int8)
    iinfo(min=-128, max=127, dtype=int8)
    """

    __slots__ = ()

    def __init__(self, type: DType) -> None:
        _check("iinfo", type)
        if type.is_floating_point or type.is_complex:
            raise TypeError("torch.iinfo() requires an integer input type. Use torch.finfo to handle 'torch.iinfo'")
        if type.name == "bool":
            raise TypeError("torch.bool is not supported by torch.iinfo")
        self.dtype, self.bits = type.name, 8 * type.itemsize
        self.min = -(2 ** (self.bits - 1)) if type.is_signed else 0
        self.max = 2 ** (self.bits - type.is_signed) - 1

    def __repr__(self) -> str:
        return f"iinfo(min={self.min}, max={self.max}, dtype={self.dtype})"
