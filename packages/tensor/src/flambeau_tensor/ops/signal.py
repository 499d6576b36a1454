"""The short-time Fourier transform, its inverse, and windows."""

import math
from functools import cache

from flambeau_tensor._core.call.forwarding import overloads
from flambeau_tensor._core.call.operator import Operator
from flambeau_tensor._core.elementwise.dtype import _dtype_by_name, get_default_dtype, type_name
from flambeau_tensor._core.schema.declaring import FUNCTION
from flambeau_tensor._core.schema.registry import find_operator
from flambeau_tensor.ops import factories
from flambeau_tensor.ops.factories import _OPTIONS
from flambeau_tensor.ops.joining import cat
from flambeau_tensor.ops.views import slice_backward, unfold_backward
from flambeau_tensor.packing import apply, apply_functional, known_as
from flambeau_tensor.switches import warn_once

_NO_WINDOW = (
    "A window was not provided. A rectangular window will be applied,which is known to cause spectral "
    "leakage. Other windows such as torch.hann_window or torch.hamming_window are recommended to reduce "
    "spectral leakage.To suppress this warning and use a rectangular window, explicitly set "
    "`window=torch.ones(n_fft, device=<device>)`."
)
_NO_WINDOW_BACK = (
    "A window was not provided. A rectangular window will be applied.Please provide the same window "
    "used by stft to make the inversion lossless.To suppress this warning and use a rectangular window, "
    "explicitly set `window=torch.ones(n_fft, device=<device>)`."
)
_AS_PARTS = (
    "stft with return_complex=False is deprecated. In a future pytorch release, stft will return complex "
    "tensors for all inputs, and return_complex=False will raise an error.\nNote: you can still call "
    "torch.view_as_real on the complex output to recover the old return format."
)
_TOO_LONG = (
    "The length of signal is shorter than the length parameter. Result is being padded with zeros in the "
    "tail. Please check your center and hop_length settings."
)
_FLOAT64 = _dtype_by_name("float64")


def _kind(t):
    return f"CPU{type_name(t.dtype)}Type" if t.is_complex() else t.type()


def _error(name, input, window, numbers, said):
    """Return the error for invalid arguments, after the call in PyTorch's notation."""
    shown = "None" if window is None else f"{_kind(window)}{{{list(window.shape)}}}"
    given = [
        f"n_fft={numbers.pop('n_fft')}",
        f"hop_length={numbers.pop('hop_length')}",
        f"win_length={numbers.pop('win_length')}",
        f"window={shown}",
        *(f"{key}={int(value) if isinstance(value, bool) else value}" for key, value in numbers.items()),
    ]
    return RuntimeError(f"{name}({_kind(input)}{list(input.shape)}, {', '.join(given)}) {said}")


def _padded(x, n, mode):
    """Pad both ends of the last dimension with `n` elements."""
    size = x.shape[-1]
    if mode == "constant":
        return _zeros_around(x, n, n)
    if mode == "reflect":
        if n >= size:
            shape = [1] * (3 - x.ndim) + list(x.shape)
            raise RuntimeError(
                "Argument #4: Padding size should be less than the corresponding input dimension, but "
                f"got: padding ({n}, {n}) at dimension 2 of input {shape}"
            )
        return cat((x.narrow(-1, 1, n).flip(-1), x, x.narrow(-1, size - 1 - n, n).flip(-1)), -1)
    if mode == "replicate":
        return cat((x[..., :1].expand(*x.shape[:-1], n), x, x[..., -1:].expand(*x.shape[:-1], n)), -1)
    if mode == "circular":
        if n > size:
            raise RuntimeError("Padding value causes wrapping around more than once.")
        return cat((x.narrow(-1, size - n, n), x, x.narrow(-1, 0, n)), -1)
    raise NotImplementedError(f"Unrecognised padding mode {mode}")


def _zeros_around(x, before, after):
    size = x.shape[-1]
    return slice_backward(x, (*x.shape[:-1], before + size + after), x.ndim - 1, before, before + size, 1)


def _wrong_in_stft(input, window, n_fft, hop, size):
    """Return what is wrong with the arguments, or None."""
    if not (input.is_floating_point() or input.is_complex()):
        return "a tensor of floating point or complex values"
    if not 0 < input.ndim < 3:
        return "a 1D or 2D tensor"
    length = input.shape[-1]
    if not 0 < n_fft <= length:
        return f"0 < n_fft < {length}, but got n_fft={size}"
    if hop <= 0:
        return f"hop_length > 0, but got hop_length={hop}"
    if not 0 < size <= n_fft:
        return f"0 < win_length <= n_fft, but got win_length={size}"
    if window is not None and tuple(window.shape) != (size,):
        return f"a 1D window tensor of size equal to win_length={size}, but got window with size {list(window.shape)}"
    return None


def _stft(
    input,
    n_fft,
    hop_length,
    win_length,
    window,
    center,
    pad_mode,
    normalized,
    onesided,
    return_complex,
    align_to_window,
):
    if center and align_to_window is not None:
        raise RuntimeError("stft align_to_window should only be set when center = false")
    if center and 0 < input.ndim < 3:
        input = _padded(input, n_fft // 2, pad_mode)
    if window is None:
        warn_once(_NO_WINDOW)
    hop = n_fft >> 2 if hop_length is None else hop_length
    size = n_fft if win_length is None else win_length
    if return_complex is None:
        return_complex = input.is_complex() or window is not None and window.is_complex()
        if not return_complex:
            raise RuntimeError(
                "stft requires the return_complex parameter be given for real inputs, and will further "
                "require that return_complex=True in a future PyTorch release."
            )
    if not return_complex:
        warn_once(_AS_PARTS)
    given = {
        "n_fft": n_fft,
        "hop_length": hop,
        "win_length": size,
        "normalized": normalized,
        "onesided": onesided,
        "return_complex": return_complex,
        "align_to_window": align_to_window,
    }
    if said := _wrong_in_stft(input, window, n_fft, hop, size):
        raise _error("stft", input, window, given, f": expected {said}")
    batch = input if input.ndim == 2 else input.unsqueeze(0)
    if size < n_fft:
        left = (n_fft - size) // 2
        window = _zeros_around(input.new_ones((size,)) if window is None else window, left, n_fft - size - left)
    frames = batch.unfold(1, n_fft, hop)
    frames = frames if window is None else frames * window
    norm = 1 if normalized else 0
    if frames.is_complex():
        if onesided:
            raise RuntimeError("Cannot have onesided output if window or input is complex")
        out = find_operator("torch._fft_c2c")(frames, (2,), norm, True)
    else:
        out = find_operator("torch._fft_r2c")(frames, (2,), norm, True if onesided is None else onesided)
    out = out.transpose(1, 2)
    out = out if input.ndim == 2 else out.squeeze(0)
    return out if return_complex else find_operator("torch.view_as_real")(out)


stft = Operator(
    "stft(Tensor self, int n_fft, int? hop_length=None, int? win_length=None, Tensor? window=None, "
    "bool center=True, str pad_mode='reflect', bool normalized=False, bool? onesided=None, "
    "bool? return_complex=None, bool? align_to_window=None) -> Tensor",
    _stft,
    composite=True,
    doc="""
The short-time Fourier transform: those of pieces of the signal, each `n_fft` long and `hop_length` (a quarter of that
unless given) behind the one before, times `window`. `input` is a signal or a batch of them, (*, time); the result is
(*, frequencies, pieces). `window` is `win_length` long, with zeros around. With `center` the pieces' middles are at
multiples of `hop_length`, for which the signal is padded by `pad_mode`: "constant", "reflect", "replicate" or
"circular". `normalized` divides by the root of `n_fft`. Of real signals the first half of the spectrum is given, unless
`onesided` is False. `return_complex`, which real signals need, says whether the result is complex or has real and
imaginary parts in a last dimension.
""",
)


def _wrong_in_istft(input, window, n_fft, hop, size, one):
    """Return what is wrong with the arguments, or None; ``one``: whether the spectrum is one-sided."""
    if input.numel() == 0:
        return ": input tensor cannot be empty."
    if input.ndim not in (2, 3):
        return f": expected a tensor with 3 or 4 dimensions, but got {input.ndim + 1}"
    if input.size(-2) != (n_fft // 2 + 1 if one else n_fft):
        return (
            ": expected the frequency dimension (3rd to the last) of the input tensor to match n_fft"
            f"{' / 2 + 1' if one else ''} when onesided={one}, but got {input.size(-2)}"
        )
    if not 0 < hop <= size:
        return ": expected 0 < hop_length <= win_length"
    if not 0 < size <= n_fft:
        return ": expected 0 < win_length <= n_fft"
    if window is not None and tuple(window.shape) != (size,):
        return ": Invalid window shape. window has to be 1D and length of `win_length`"
    return None


def _istft(input, n_fft, hop_length, win_length, window, center, normalized, onesided, length, return_complex):
    if window is None:
        warn_once(_NO_WINDOW_BACK)
    hop = n_fft >> 2 if hop_length is None else hop_length
    size = n_fft if win_length is None else win_length
    if not input.is_complex():
        raise RuntimeError(
            "istft requires a complex-valued input tensor matching the output from stft with return_complex=True."
        )
    given = {
        "n_fft": n_fft,
        "hop_length": hop,
        "win_length": size,
        "center": center,
        "normalized": normalized,
        "onesided": onesided,
        "length": length,
        "return_complex": return_complex,
    }
    frequencies, pieces = input.size(-2), input.size(-1)
    expected = n_fft + hop * (pieces - 1)
    one = frequencies != n_fft if onesided is None else onesided
    if said := _wrong_in_istft(input, window, n_fft, hop, size, one):
        raise _error("istft", input, window, given, said)
    weights = factories.ones((size,), dtype=input.dtype.to_real(), device=input.device) if window is None else window
    if size < n_fft:
        left = (n_fft - size) // 2
        weights = _zeros_around(weights, left, n_fft - size - left)
    frames = (input if input.ndim == 3 else input.unsqueeze(0)).transpose(1, 2)
    norm = 1 if normalized else 2
    if return_complex:
        if one:
            raise RuntimeError("Cannot have onesided output if window or input is complex")
        frames = find_operator("torch._fft_c2c")(frames, (2,), norm, False)
    else:
        if weights.is_complex():
            raise RuntimeError("Complex windows are incompatible with return_complex=False")
        frames = frames if one else frames[..., : n_fft // 2 + 1]
        frames = find_operator("torch._fft_c2r")(frames, (2,), norm, n_fft)
    # Each frame has now been multiplied by its window twice, so the sum is divided by the sum of squared windows.
    y = unfold_backward(frames * weights, (frames.shape[0], expected), 1, n_fft, hop)
    weights = unfold_backward((weights * weights).expand(1, pieces, n_fft), (1, expected), 1, n_fft, hop)
    start = n_fft // 2 if center else 0
    end = start + length if length is not None else expected - start
    y, weights = y[:, start:end], weights[:, start:end]
    if bool((weights.abs() < 1e-11).any()):
        raise _error("istft", input, window, given, "window overlap add min: 1\n[ CPUBoolType{} ]")
    y = y / weights
    y = y if input.ndim == 3 else y.squeeze(0)
    if end > expected:
        warn_once(_TOO_LONG)
        y = _zeros_around(y, 0, end - expected)
    return y


istft = Operator(
    "istft(Tensor self, int n_fft, int? hop_length=None, int? win_length=None, Tensor? window=None, "
    "bool center=True, bool normalized=False, bool? onesided=None, int? length=None, "
    "bool return_complex=False) -> Tensor",
    _istft,
    composite=True,
    doc="""
The inverse of `stft`: the signal, or batch of signals, of which (*, frequencies, pieces) is the short-time Fourier
transform, where several overlap their best fit in the sense of least squares. The arguments are those of the transform;
`length` cuts the signal or fills it up with zeros. Raises where windows leave a place out.
""",
)


# --- windows --------------------------------------------------------------------------------------------------------


def _window(name, doc, formula, *more):
    """Declare a window.

    `formula` receives the numbers from 0 to size - 1, the size, and the arguments after `periodic`, whose names and
    defaults are in `more`."""

    def kernel(window_length, periodic, *rest):
        values, options = rest[: len(more)], rest[len(more) :]
        dtype, layout, device, _pinned, requires_grad = options
        dtype = dtype or get_default_dtype()
        if not (dtype.is_floating_point or dtype.is_complex):
            raise RuntimeError(f"{name} expects floating point dtypes, got: {dtype}")
        if window_length < 0:
            raise RuntimeError(f"{name} requires non-negative window_length, got window_length={window_length}")
        if window_length < 2:
            result = factories.ones((window_length,), dtype=dtype, layout=layout, device=device)
        else:
            size = window_length + periodic
            numbers = factories.arange(size, dtype=dtype, layout=layout, device=device)
            result = formula(numbers, size, *values)[:window_length]
        return result.requires_grad_() if requires_grad else result

    head = f"{name}(int window_length, bool periodic=True"
    names = ["", "periodic", *("periodic_" + "_".join(n for n, _ in more[: i + 1]) for i in range(len(more)))]
    if name == "kaiser_window":
        names[2] = "beta"
    signatures = [f"{name}(int window_length"]
    for i, overload in enumerate(names[1:]):
        given = "".join(f", float {n}" for n, _ in more[:i])
        signatures.append(f"{name}.{overload}(int window_length, bool periodic{given}")
    defaults = "".join(f", float {n}={value}" for n, value in more)
    op = Operator(
        f"{head}{defaults}, *, {_OPTIONS}) -> Tensor",
        kernel,
        namespace="torch._ops",
        variants=FUNCTION,
        differentiable=False,
        doc=f"{doc} `window_length` numbers; a `periodic` window, for transforms, is a symmetric window with one "
        "more number, without the last.",
    )
    overloads(
        op, *(f"{each}, *, {_OPTIONS}) -> Tensor" for each in signatures), variants=FUNCTION, differentiable=False
    )


def _hamming(x, size, alpha, beta):
    return (x * (2 * math.pi / (size - 1))).cos() * -beta + alpha


def _bartlett(x, size):
    x = x * (2 / (size - 1))
    half = (size - 1) // 2 + 1
    return cat((x[:half], 2 - x[half:]))


def _blackman(x, size):
    x = x * (math.pi / (size - 1))
    return (x * 4).cos() * 0.08 - (x * 2).cos() * 0.5 + 0.42


@cache
def _bessel(x):
    """Return I₀ of a number."""
    return find_operator("torch.i0")(factories.tensor(x, dtype=_FLOAT64)).item()


def _kaiser(x, size, beta):
    x = x * (2 * beta / (size - 1))  # for y = x - beta, beta² (1 - (y / beta)²) is x (2 beta - x)
    return find_operator("torch.i0")((x * (2 * beta - x)).clamp_min(0).sqrt()) / _bessel(beta)


_window("hann_window", "Hann's window, sin²(πk / (N - 1)).", lambda x, size: _hamming(x, size, 0.5, 0.5))
_window(
    "hamming_window", "Hamming's window, alpha - beta cos(2πk / (N - 1)).", _hamming, ("alpha", 0.54), ("beta", 0.46)
)
_window("bartlett_window", "Bartlett's window, a triangle.", _bartlett)
_window("blackman_window", "Blackman's window, 0.42 - 0.5 cos(2πk / (N - 1)) + 0.08 cos(4πk / (N - 1)).", _blackman)
_window("kaiser_window", "Kaiser's window, I₀(beta sqrt(1 - (2k / (N - 1) - 1)²)) / I₀(beta).", _kaiser, ("beta", 12.0))

_FRAMES = "n_fft * hop_length=None win_length=None window=None center=True"
_STFT = f"{_FRAMES} pad_mode='reflect' normalized=False onesided=None return_complex=None align_to_window=None"
_ISTFT = f"{_FRAMES} normalized=False onesided=None length=None return_complex=False"
apply_functional({"stft": f"input! {_STFT}"})
known_as("torch.functional", "istft")
apply("torch.Tensor", {"stft": f"self! {_STFT}", "istft": f"self! {_ISTFT}"})
