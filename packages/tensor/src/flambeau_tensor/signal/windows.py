"""``torch.signal.windows``: windows as SciPy defines them, symmetric unless `sym=False` requests a periodic one.

Each is a tensor of `M` numbers, float32 or float64, whose maximum is 1.

>>> hann(5)
tensor([0.0000, 0.5000, 1.0000, 0.5000, 0.0000])
"""

import math
from collections.abc import Iterable

import flambeau_tensor as torch
from flambeau_tensor.lazy_attributes import attach as _attach

__all__ = [
    "bartlett",
    "blackman",
    "cosine",
    "exponential",
    "gaussian",
    "general_cosine",
    "general_hamming",
    "hamming",
    "hann",
    "kaiser",
    "nuttall",
]


def _options(name, M, dtype, layout, device):
    """Check the options, and return those with which intermediate tensors are created."""
    dtype = torch.get_default_dtype() if dtype is None else dtype
    if M < 0:
        raise ValueError(f"{name} requires non-negative window length, got M={M}")
    if layout is not torch.strided:
        raise ValueError(f"{name} is implemented for strided tensors only, got: {layout}")
    if dtype not in (torch.float32, torch.float64):
        raise ValueError(f"{name} expects float32 or float64 dtypes, got: {dtype}")
    return {"dtype": dtype, "device": device}


def _window(name, M, formula, dtype, layout, device, requires_grad):
    """Return the result of `formula` for the options if M is at least 2, else ones."""
    like = _options(name, M, dtype, layout, device)
    window = formula(like) if M > 1 else torch.ones((M,), **like)
    return window.requires_grad_() if requires_grad else window


def _steps(M, start, step, like):
    return torch.linspace(start, start + (M - 1) * step, M, **like)


def exponential(
    M: int,
    *,
    center: float | None = None,
    tau: float = 1.0,
    sym: bool = True,
    dtype: torch.dtype | None = None,
    layout: torch.layout = torch.strided,
    device: torch.device | None = None,
    requires_grad: bool = False,
) -> torch.Tensor:
    """exp(-\\|n - center\\| / tau), around the middle unless `center` is given, which is possible for asymmetric
    windows.

    Shape:
        (M,), of float32 or float64.

    Raises:
        ValueError: ``M`` is negative, or ``dtype`` is another one.

    >>> exponential(5, tau=2.0)
    tensor([0.3679, 0.6065, 1.0000, 0.6065, 0.3679])
    """
    _options("exponential", M, dtype, layout, device)
    if tau <= 0:
        raise ValueError(f"Tau must be positive, got: {tau} instead.")
    if sym and center is not None:
        raise ValueError("Center must be None for symmetric windows")
    middle = (M - sym) / 2 if center is None else center
    return _window(
        "exponential",
        M,
        lambda like: torch.exp(-abs(_steps(M, -middle / tau, 1 / tau, like))),
        dtype,
        layout,
        device,
        requires_grad,
    )


def cosine(
    M: int,
    *,
    sym: bool = True,
    dtype: torch.dtype | None = None,
    layout: torch.layout = torch.strided,
    device: torch.device | None = None,
    requires_grad: bool = False,
) -> torch.Tensor:
    """sin(π (n + 1/2) / M), half a period.

    Shape:
        (M,), of float32 or float64.

    Raises:
        ValueError: ``M`` is negative, or ``dtype`` is another one.

    >>> cosine(5)
    tensor([0.3090, 0.8090, 1.0000, 0.8090, 0.3090])
    """
    step = math.pi / max(1, M + (not sym))
    return _window(
        "cosine", M, lambda like: torch.sin(_steps(M, step / 2, step, like)), dtype, layout, device, requires_grad
    )


def gaussian(
    M: int,
    *,
    std: float = 1.0,
    sym: bool = True,
    dtype: torch.dtype | None = None,
    layout: torch.layout = torch.strided,
    device: torch.device | None = None,
    requires_grad: bool = False,
) -> torch.Tensor:
    """exp(-(n / std)² / 2), where n is counted from the middle.

    Shape:
        (M,), of float32 or float64.

    Raises:
        ValueError: ``M`` is negative, or ``dtype`` is another one.

    >>> gaussian(5, std=1.5)
    tensor([0.4111, 0.8007, 1.0000, 0.8007, 0.4111])
    """
    _options("gaussian", M, dtype, layout, device)
    if std <= 0:
        raise ValueError(f"Standard deviation must be positive, got: {std} instead.")
    step = 1 / (std * math.sqrt(2))
    return _window(
        "gaussian",
        M,
        lambda like: torch.exp(-(_steps(M, -(M - sym) / 2 * step, step, like) ** 2)),
        dtype,
        layout,
        device,
        requires_grad,
    )


def kaiser(
    M: int,
    *,
    beta: float = 12.0,
    sym: bool = True,
    dtype: torch.dtype | None = None,
    layout: torch.layout = torch.strided,
    device: torch.device | None = None,
    requires_grad: bool = False,
) -> torch.Tensor:
    """I₀(sqrt(beta² - k²)) / I₀(beta) for k from -beta to beta.

    Shape:
        (M,), of float32 or float64.

    Raises:
        ValueError: ``M`` is negative, or ``dtype`` is another one.

    >>> kaiser(5, beta=6.0)
    tensor([0.0149, 0.4830, 1.0000, 0.4830, 0.0149])
    """
    _options("kaiser", M, dtype, layout, device)
    if beta < 0:
        raise ValueError(f"beta must be non-negative, got: {beta} instead.")

    def formula(like):
        most = torch.tensor(beta, **like)
        end = min(beta, -beta + (M - 1) * 2 * beta / (M - sym))
        k = torch.linspace(-beta, end, M, **like)
        return torch.i0(torch.sqrt((most * most - k**2).clamp(min=0))) / torch.i0(most)

    return _window("kaiser", M, formula, dtype, layout, device, requires_grad)


def hamming(
    M: int,
    *,
    sym: bool = True,
    dtype: torch.dtype | None = None,
    layout: torch.layout = torch.strided,
    device: torch.device | None = None,
    requires_grad: bool = False,
) -> torch.Tensor:
    """0.54 - 0.46 cos(2πn / (M - 1)).

    Shape:
        (M,), of float32 or float64.

    Raises:
        ValueError: ``M`` is negative, or ``dtype`` is another one.

    >>> hamming(5)
    tensor([0.0800, 0.5400, 1.0000, 0.5400, 0.0800])
    """
    return general_hamming(M, sym=sym, dtype=dtype, layout=layout, device=device, requires_grad=requires_grad)


def hann(
    M: int,
    *,
    sym: bool = True,
    dtype: torch.dtype | None = None,
    layout: torch.layout = torch.strided,
    device: torch.device | None = None,
    requires_grad: bool = False,
) -> torch.Tensor:
    """(1 - cos(2πn / (M - 1))) / 2.

    Shape:
        (M,), of float32 or float64.

    Raises:
        ValueError: ``M`` is negative, or ``dtype`` is another one.

    >>> hann(5)
    tensor([0.0000, 0.5000, 1.0000, 0.5000, 0.0000])
    >>> hann(4, sym=False)
    tensor([0.0000, 0.5000, 1.0000, 0.5000])
    """
    return general_hamming(
        M, alpha=0.5, sym=sym, dtype=dtype, layout=layout, device=device, requires_grad=requires_grad
    )


def blackman(
    M: int,
    *,
    sym: bool = True,
    dtype: torch.dtype | None = None,
    layout: torch.layout = torch.strided,
    device: torch.device | None = None,
    requires_grad: bool = False,
) -> torch.Tensor:
    """0.42 - 0.5 cos(2πn / (M - 1)) + 0.08 cos(4πn / (M - 1)).

    Shape:
        (M,), of float32 or float64.

    Raises:
        ValueError: ``M`` is negative, or ``dtype`` is another one.

    >>> blackman(5)
    tensor([-1.4901e-08,  3.4000e-01,  1.0000e+00,  3.4000e-01, -1.4901e-08])
    """
    return general_cosine(
        M, a=[0.42, 0.5, 0.08], sym=sym, dtype=dtype, layout=layout, device=device, requires_grad=requires_grad
    )


def bartlett(
    M: int,
    *,
    sym: bool = True,
    dtype: torch.dtype | None = None,
    layout: torch.layout = torch.strided,
    device: torch.device | None = None,
    requires_grad: bool = False,
) -> torch.Tensor:
    """1 - \\|2n / (M - 1) - 1\\|, a triangle.

    Shape:
        (M,), of float32 or float64.

    Raises:
        ValueError: ``M`` is negative, or ``dtype`` is another one.

    >>> bartlett(5)
    tensor([0.0000, 0.5000, 1.0000, 0.5000, 0.0000])
    """
    return _window(
        "bartlett", M, lambda like: 1 - abs(_steps(M, -1, 2 / (M - sym), like)), dtype, layout, device, requires_grad
    )


def general_cosine(
    M: int,
    *,
    a: Iterable[float],
    sym: bool = True,
    dtype: torch.dtype | None = None,
    layout: torch.layout = torch.strided,
    device: torch.device | None = None,
    requires_grad: bool = False,
) -> torch.Tensor:
    """Σ (-1)ⁱ aᵢ cos(2πin / (M - 1)), a sum of cosines with the weights `a`.

    Shape:
        (M,), of float32 or float64.

    Raises:
        ValueError: ``M`` is negative, or ``dtype`` is another one.

    >>> general_cosine(5, a=[0.5, 0.5])
    tensor([0.0000, 0.5000, 1.0000, 0.5000, 0.0000])
    """
    _options("general_cosine", M, dtype, layout, device)
    if not isinstance(a, Iterable):
        raise TypeError("Coefficients must be a list/tuple")
    weights = [-w if i % 2 else w for i, w in enumerate(a)]
    if not weights:
        raise ValueError("Coefficients cannot be empty")

    def formula(like):
        k = _steps(M, 0, 2 * math.pi / (M - sym), like)
        order = torch.arange(len(weights), **like).unsqueeze(-1)
        return (torch.tensor(weights, **like).unsqueeze(-1) * torch.cos(order * k)).sum(0)

    return _window("general_cosine", M, formula, dtype, layout, device, requires_grad)


def general_hamming(
    M: int,
    *,
    alpha: float = 0.54,
    sym: bool = True,
    dtype: torch.dtype | None = None,
    layout: torch.layout = torch.strided,
    device: torch.device | None = None,
    requires_grad: bool = False,
) -> torch.Tensor:
    """alpha - (1 - alpha) cos(2πn / (M - 1)).

    Shape:
        (M,), of float32 or float64.

    Raises:
        ValueError: ``M`` is negative, or ``dtype`` is another one.

    >>> general_hamming(5, alpha=0.5)
    tensor([0.0000, 0.5000, 1.0000, 0.5000, 0.0000])
    """
    return general_cosine(
        M, a=[alpha, 1 - alpha], sym=sym, dtype=dtype, layout=layout, device=device, requires_grad=requires_grad
    )


def nuttall(
    M: int,
    *,
    sym: bool = True,
    dtype: torch.dtype | None = None,
    layout: torch.layout = torch.strided,
    device: torch.device | None = None,
    requires_grad: bool = False,
) -> torch.Tensor:
    """0.3635819 - 0.4891775 cos(2πn / (M - 1)) + 0.1365995 cos(4πn / (M - 1)) - 0.0106411 cos(6πn / (M - 1)).

    Shape:
        (M,), of float32 or float64.

    Raises:
        ValueError: ``M`` is negative, or ``dtype`` is another one.

    >>> nuttall(5)
    tensor([3.6280e-04, 2.2698e-01, 1.0000e+00, 2.2698e-01, 3.6280e-04])
    """
    return general_cosine(
        M,
        a=[0.3635819, 0.4891775, 0.1365995, 0.0106411],
        sym=sym,
        dtype=dtype,
        layout=layout,
        device=device,
        requires_grad=requires_grad,
    )


__getattr__, __dir__ = _attach(__name__, "torch.signal.windows")
