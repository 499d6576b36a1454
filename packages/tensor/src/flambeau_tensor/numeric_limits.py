"""Limits of dtypes: ``finfo`` for floating point, ``iinfo`` for integers.

Source: IEEE 754-2019 for the formats; the values follow from their widths of exponent and significand.
"""

from flambeau_tensor._core.elementwise.dtype import DType, get_default_dtype
from flambeau_tensor.not_built import not_built

_FORMATS = {
    "float16": (16, 5, 10),
    "bfloat16": (16, 8, 7),
    "float32": (32, 8, 23),
    "float64": (64, 11, 52),
    "float8_e5m2": (8, 5, 2),
    "float8_e4m3fn": (8, 4, 3),
}
# Decimal digits that are preserved.
_DIGITS = {"float16": 3, "bfloat16": 2, "float32": 6, "float64": 15, "float8_e5m2": 0, "float8_e4m3fn": 0}

_floats: dict = {}  # dtype -> the instance
_integers: dict = {}


class _Limits:
    """Properties of a dtype, compared by dtype. Instances are immutable and shared."""

    __slots__ = ("bits", "dtype", "max", "min")
    bits: int
    dtype: str
    __hash__ = None  # type: ignore[assignment]

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"attribute '{name}' of 'torch.{type(self).__name__}' objects is not writable")

    @classmethod
    def _made(cls, **facts):
        self = object.__new__(cls)
        for name, value in facts.items():
            object.__setattr__(self, name, value)
        return self

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and other.dtype == self.dtype

    def __reduce__(self):
        from flambeau_tensor._core.elementwise.dtype import _dtype_by_name

        return type(self), (_dtype_by_name(self.dtype),)


# The dtypes of Python's types.
_OF_PYTHON = {float: "float64", complex: "complex128", int: "int64", bool: "bool"}


def _checked(name, dtype):
    if isinstance(dtype, type) and dtype in _OF_PYTHON:
        from flambeau_tensor._core.elementwise.dtype import _dtype_by_name

        return _dtype_by_name(_OF_PYTHON[dtype])
    if not isinstance(dtype, DType):
        raise TypeError(f"{name}(): argument 'type' (position 1) must be torch.dtype, not {type(dtype).__name__}")
    return dtype


class finfo(_Limits):
    """Limits of a floating-point dtype (of the real part for a complex one); by default those of the default dtype.

    Attributes: ``bits``; ``eps``, the step from 1 to the next number; ``max``, ``min``, the largest and the lowest
    finite number; ``tiny`` and ``smallest_normal``, the smallest positive normal number; ``resolution``, about the
    relative size of a unit in the last decimal place; ``dtype``, its name.

    Raises:
        TypeError: the dtype is not floating point or complex.

    >>> finfo().eps
    1.1920928955078125e-07
    """

    __slots__ = ("eps", "resolution", "smallest_normal", "tiny")
    eps: float
    max: float
    min: float
    resolution: float
    smallest_normal: float
    tiny: float

    def __new__(cls, type: DType | None = None) -> "finfo":
        try:
            return _floats[get_default_dtype() if type is None else type]
        except (KeyError, TypeError):  # not created yet, or not a dtype
            return cls._of(get_default_dtype() if type is None else type)

    @classmethod
    def _of(cls, dtype: DType) -> "finfo":
        dtype = _checked("finfo", dtype)
        if not (dtype.is_floating_point or dtype.is_complex):
            raise TypeError(
                "torch.finfo() requires a floating point input type. Use torch.iinfo to handle 'torch.finfo'"
            )
        name = dtype.to_real().name
        if name not in _FORMATS:
            raise not_built(f"torch.finfo of {dtype}")
        bits, exponent, fraction = _FORMATS[name]
        bias, eps = 2 ** (exponent - 1) - 1, 2.0**-fraction
        # no infinities: that exponent is used for numbers, except for one NaN
        most = 448.0 if name == "float8_e4m3fn" else (2 - eps) * 2.0**bias
        tiny, resolution = 2.0 ** (1 - bias), 10.0 ** -_DIGITS[name]
        _floats[dtype] = self = cls._made(
            dtype=name,
            bits=bits,
            eps=eps,
            max=most,
            min=-most,
            tiny=tiny,
            smallest_normal=tiny,
            resolution=resolution,
        )
        return self

    def __repr__(self) -> str:
        return (
            f"finfo(resolution={self.resolution:g}, min={self.min:g}, max={self.max:g}, eps={self.eps:g}, "
            f"smallest_normal={self.tiny:g}, tiny={self.tiny:g}, dtype={self.dtype})"
        )


class iinfo(_Limits):
    """Limits of an integer dtype: ``bits``, ``max``, ``min`` and ``dtype``, its name.

    Raises:
        TypeError: the dtype is not an integer dtype.

    >>> from flambeau_tensor import int8
    >>> iinfo(int8)
    iinfo(min=-128, max=127, dtype=int8)
    """

    __slots__ = ()
    max: int
    min: int

    def __new__(cls, type: DType) -> "iinfo":
        try:
            return _integers[type]
        except (KeyError, TypeError):
            return cls._of(type)

    @classmethod
    def _of(cls, dtype: DType) -> "iinfo":
        dtype = _checked("iinfo", dtype)
        if dtype.is_floating_point or dtype.is_complex:
            raise TypeError("torch.iinfo() requires an integer input type. Use torch.finfo to handle 'torch.iinfo'")
        if dtype.name == "bool":
            raise TypeError("torch.bool is not supported by torch.iinfo")
        bits = 8 * dtype.itemsize
        least = -(2 ** (bits - 1)) if dtype.is_signed else 0
        most = 2 ** (bits - dtype.is_signed) - 1
        _integers[dtype] = self = cls._made(dtype=dtype.name, bits=bits, min=least, max=most)
        return self

    def __repr__(self) -> str:
        return f"iinfo(min={self.min}, max={self.max}, dtype={self.dtype})"
