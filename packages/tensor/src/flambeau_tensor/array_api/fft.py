"""The extension ``fft``: ``torch.fft`` under the standard's signatures."""

from collections.abc import Sequence

from flambeau_tensor import Tensor
from flambeau_tensor import fft as _fft
from flambeau_tensor._core.elementwise.dtype import DType


def _one(name):
    function = getattr(_fft, name)

    def wrapper(x: Tensor, /, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> Tensor:
        return function(x, n, axis, norm)

    return _described(wrapper, name)


def _many(name):
    function = getattr(_fft, name)

    def wrapper(
        x: Tensor,
        /,
        *,
        s: Sequence[int] | None = None,
        axes: Sequence[int] | None = None,
        norm: str = "backward",
    ) -> Tensor:
        return function(x, s, axes, norm)

    return _described(wrapper, name)


def _shift(name):
    function = getattr(_fft, name)

    def wrapper(x: Tensor, /, *, axes: int | Sequence[int] | None = None) -> Tensor:
        return function(x, axes)

    return _described(wrapper, name)


def _frequencies(name):
    function = getattr(_fft, name)

    def wrapper(n: int, /, *, d: float = 1.0, dtype: DType | None = None, device: object = None) -> Tensor:
        return function(n, d, dtype=dtype, device=device)

    return _described(wrapper, name)


def _described(wrapper, name):
    wrapper.__name__ = wrapper.__qualname__ = name
    wrapper.__doc__ = f"``torch.fft.{name}``, under the array API standard's signature."
    return wrapper


fft, ifft, rfft, irfft, hfft, ihfft = map(_one, ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft"))
fftn, ifftn, rfftn, irfftn = map(_many, ("fftn", "ifftn", "rfftn", "irfftn"))
fftshift, ifftshift = map(_shift, ("fftshift", "ifftshift"))
fftfreq, rfftfreq = map(_frequencies, ("fftfreq", "rfftfreq"))
