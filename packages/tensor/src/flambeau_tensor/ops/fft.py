"""Fourier transforms of real and complex signals, over one or several dimensions.

Dimensions `dim` are truncated or zero-padded to the sizes `n` or `s`. `norm` determines the divisor: with "backward"
(the default), inverse transforms are divided by the number of points; with "forward", forward transforms; with "ortho",
both by its square root. Single precision is computed in single precision; integers and booleans in the default dtype.
"""

import math

from flambeau_tensor._core.call.operator import Operator
from flambeau_tensor._core.elementwise.dtype import get_default_dtype, type_name
from flambeau_tensor._core.elementwise.operands import wrapped_dim
from flambeau_tensor._core.schema.declaring import FUNCTION
from flambeau_tensor._core.schema.registry import find_operator
from flambeau_tensor._kernels import fft as kernels
from flambeau_tensor._kernels.fft import Transform, fitted, norm_number, promoted
from flambeau_tensor.ops import factories
from flambeau_tensor.ops.factories import _factory

_FFT = {"namespace": "torch.fft", "variants": FUNCTION, "composite": True}
_OUT = "*, Tensor(a!)? out=None) -> Tensor"

# --- the kernels ----------------------------------------------------------------------------------------------------

_NORM = "`normalization` is 0 for none, 1 for the root of the number of points, 2 for their number."
c2c = Operator(
    "_fft_c2c(Tensor self, int[] dim, int normalization, bool forward) -> Tensor",
    kernels.c2c,
    variants=FUNCTION,
    doc=f"Complex numbers to complex numbers. {_NORM}",
)
r2c = Operator(
    "_fft_r2c(Tensor self, int[] dim, int normalization, bool onesided) -> Tensor",
    kernels.r2c,
    variants=FUNCTION,
    doc=f"Real numbers to complex ones, half of them if `onesided`. {_NORM}",
)
c2r = Operator(
    "_fft_c2r(Tensor self, int[] dim, int normalization, int last_dim_size) -> Tensor",
    kernels.c2r,
    variants=FUNCTION,
    doc=f"Half of a Hermitian signal, backward, to real numbers. {_NORM}",
)

# --- one dimension --------------------------------------------------------------------------------------------------

_BACK = "`n` is the size of the result, 2 (size - 1) unless given."
_ONE = {
    "fft": (True, None, "The Fourier transform along `dim`."),
    "ifft": (False, None, "The inverse of `fft`."),
    "rfft": (
        True,
        "input",
        "The Fourier transform of real numbers along `dim`: the first half, n // 2 + 1 numbers, of "
        "which the rest is the conjugate.",
    ),
    "irfft": (False, "result", f"The inverse of `rfft`. {_BACK}"),
    "hfft": (True, "result", f"The Fourier transform of a Hermitian signal, given by its first half. {_BACK}"),
    "ihfft": (False, "input", "The inverse of `hfft`: the first half of a Hermitian signal, from real numbers."),
}
for _name, (_forward, _real, _doc) in _ONE.items():
    Operator(
        f"{_name}(Tensor self, int? n=None, int dim=-1, str? norm=None, " + _OUT,
        Transform(_name, _forward, _real, c2c, r2c, c2r),
        doc=_doc,
        **_FFT,
    )


# --- several dimensions ---------------------------------------------------------------------------------------------


def _sizes_and_dims(input, s, dim):
    """Return the dimensions as nonnegative numbers, and the number of points in each."""
    s, dim = ((x,) if isinstance(x, int) else x for x in (s, dim))
    if dim is not None:
        dim = [wrapped_dim(d, input.ndim, False) for d in dim]
        if len(set(dim)) < len(dim):
            raise RuntimeError("FFT dims must be unique")
    if s is not None:
        if dim is not None and len(dim) != len(s):
            raise RuntimeError("When given, dim and shape arguments must have the same length")
        if len(s) > input.ndim:
            raise RuntimeError(f"Got shape with {len(s)} values but input tensor only has {input.ndim} dimensions.")
    if dim is None:
        dim = list(range(input.ndim - len(s) if s is not None else 0, input.ndim))
    sizes = [input.shape[d] for d in dim]
    if s is not None:
        sizes = [have if n == -1 else n for n, have in zip(s, sizes, strict=True)]
    for n in sizes:
        _check_points(n)
    return sizes, dim


def _check_points(n):
    if n < 1:
        raise RuntimeError(f"Invalid number of data points ({n}) specified")


def _resized(input, sizes, dim):
    for n, d in zip(sizes, dim, strict=True):
        input = fitted(input, d, n)
    return input


def _complex(name, forward):
    def transform(input, s, dim, norm, out):
        sizes, dim = _sizes_and_dims(input, s, dim)
        return c2c(_resized(promoted(input, True), sizes, dim), dim, norm_number(norm, forward), forward)

    return transform


def _some_dims(name, dim):
    if not dim:
        raise RuntimeError(f"{name} must transform at least one axis")


def _refuse_complex(name, input):
    if input.is_complex():
        raise RuntimeError(f"{name} expects a real-valued input tensor, but got {type_name(input.dtype)}")


def _rfftn(input, s, dim, norm, out):
    _refuse_complex("rfftn", input)
    sizes, dim = _sizes_and_dims(input, s, dim)
    _some_dims("rfftn", dim)
    return r2c(_resized(promoted(input, False), sizes, dim), dim, norm_number(norm, True), True)


def _ihfftn(input, s, dim, norm, out):
    _refuse_complex("ihfftn", input)
    sizes, dim = _sizes_and_dims(input, s, dim)
    _some_dims("ihfftn", dim)
    norm = norm_number(norm, False)
    half = r2c(_resized(promoted(input, False), sizes, dim), dim[-1:], norm, True)
    return c2c(find_operator("torch.conj_physical")(half), dim[:-1], norm, False) if len(dim) > 1 else half.conj()


def _half_of_result(name, input, s, dim):
    """Return the prepared input, its dimensions, and the result's size in the last of them."""
    sizes, dim = _sizes_and_dims(input, s, dim)
    _some_dims(name, dim)
    given = s if s is None or isinstance(s, int) else s[-1]
    last = 2 * (input.shape[dim[-1]] - 1) if given in (None, -1) else sizes[-1]
    _check_points(last)
    return _resized(promoted(input, True), [*sizes[:-1], last // 2 + 1], dim), dim, last


def _irfftn(input, s, dim, norm, out):
    x, dim, last = _half_of_result("irfftn", input, s, dim)
    return c2r(x, dim, norm_number(norm, False), last)


def _hfftn(input, s, dim, norm, out):
    x, dim, last = _half_of_result("hfftn", input, s, dim)
    norm = norm_number(norm, True)
    if len(dim) > 1:
        x = c2c(x, dim[:-1], norm, True)
    return c2r(x.conj(), dim[-1:], norm, last)


_SEVERAL = {
    "fft": (_complex("fftn", True), "The Fourier transform over "),
    "ifft": (_complex("ifftn", False), "The inverse of the Fourier transform over "),
    "rfft": (
        _rfftn,
        "The Fourier transform of real numbers, of which the last transformed dimension keeps the first half, over ",
    ),
    "irfft": (_irfftn, "The inverse of the Fourier transform of real numbers over "),
    "hfft": (
        _hfftn,
        "The Fourier transform of a signal that is Hermitian in the last transformed dimension, given by "
        "the first half of it, over ",
    ),
    "ihfft": (_ihfftn, "The inverse of the Fourier transform of Hermitian signals over "),
}
for _name, (_function, _doc) in _SEVERAL.items():
    Operator(
        f"{_name}2(Tensor self, int[1]? s=None, int[1] dim=[-2, -1], str? norm=None, " + _OUT,
        _function,
        doc=_doc + "two dimensions.",
        **_FFT,
    )
    Operator(
        f"{_name}n(Tensor self, int[1]? s=None, int[1]? dim=None, str? norm=None, " + _OUT,
        _function,
        doc=_doc + "the dimensions `dim`: all, or the last of them where `s` has sizes for fewer.",
        **_FFT,
    )


# --- frequencies and their order ------------------------------------------------------------------------------------


def _frequencies(name, numbers):
    def kernel(n, d, out, dtype, layout, device, pin_memory, requires_grad):
        dtype = dtype or (get_default_dtype() if out is None else out.dtype)
        if not (dtype.is_floating_point or dtype.is_complex):
            raise RuntimeError(f"{name} requires a floating point or complex dtype")
        if n < 0:
            raise RuntimeError(f"Trying to create tensor with negative dimension {n}: [{n}]")
        result = numbers(n, dtype=dtype, layout=layout, device=device) * (
            1 / (n * d) if n * d else math.copysign(math.inf, d)
        )
        return result.requires_grad_() if requires_grad else result

    return kernel


def _both_signs(n, **like):
    return factories.arange((n + 1) // 2, -(n // 2), **like).roll(-(n // 2))


_factory(
    "fftfreq(int n, float d=1.0, *, Tensor(a!)? out=None, OPTIONS) -> Tensor",
    _frequencies("fftfreq", _both_signs),
    "The frequencies of `fft`'s result for `n` points `d` apart: 0, 1, …, -2, -1, divided by n d.",
    namespace="torch.fft",
)
_factory(
    "rfftfreq(int n, float d=1.0, *, Tensor(a!)? out=None, OPTIONS) -> Tensor",
    _frequencies("rfftfreq", lambda n, **like: factories.arange(n // 2 + 1, **like)),
    "The frequencies of `rfft`'s result for `n` points `d` apart: 0, 1, …, n // 2, divided by n d.",
    namespace="torch.fft",
)


def _shift(name, steps, doc):
    def function(input, dim):
        dim = range(input.ndim) if dim is None else (dim,) if isinstance(dim, int) else dim
        return find_operator("torch.roll")(input, [steps(input.shape[d]) for d in dim], list(dim))

    Operator(f"{name}(Tensor self, int[1]? dim=None) -> Tensor", function, doc=doc, **_FFT)


_shift(
    "fftshift",
    lambda n: n // 2,
    "The tensor rolled so that frequency 0, which `fft` puts first, is in the middle of the dimensions `dim` (by "
    "default all).",
)
_shift("ifftshift", lambda n: (n + 1) // 2, "The inverse of `fftshift`.")
