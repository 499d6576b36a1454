"""Derivatives of Fourier transforms: reverse to second order, forward, batched; real and complex."""

import numpy as np
import pytest

import flambeau_autograd  # noqa: F401  (fills the sockets)
import flambeau_tensor as torch
from flambeau_autograd import func, gradcheck, gradgradcheck
from flambeau_tensor import fft

# name: (function, shapes of its inputs)
CASES = {
    "fft": (fft.fft, [(2, 3)]),
    "ifft longer": (lambda x: fft.ifft(x, 5, 0, "ortho"), [(3, 2)]),
    "fft shorter": (lambda x: fft.fft(x, 2), [(3,)]),
    "fftn": (lambda x: fft.fftn(x, norm="forward"), [(2, 3)]),
    "ifft2": (fft.ifft2, [(2, 2, 3)]),
    "irfft": (fft.irfft, [(2, 4)]),
    "irfft odd": (lambda x: fft.irfft(x, 5), [(2, 3)]),
    "irfftn": (lambda x: fft.irfftn(x, (3, 4), (0, 2), "ortho"), [(2, 2, 3)]),
    "hfft": (lambda x: fft.hfft(x, 5), [(4,)]),
    "hfft2": (fft.hfft2, [(2, 3)]),
    "fftshift": (lambda x: fft.ifftshift(fft.fftshift(x), 0), [(3, 2)]),
}
REAL = {
    "rfft": (fft.rfft, [(2, 4)]),
    "rfft odd": (lambda x: fft.rfft(x, 5, 0, "ortho"), [(4, 2)]),
    "rfftn": (lambda x: fft.rfftn(x, dim=(2, 0)), [(3, 2, 4)]),
    "ihfft": (fft.ihfft, [(5,)]),
    "ihfft2": (fft.ihfft2, [(2, 3)]),
    "both halves": (lambda x: torch._fft_r2c(x, (0, 1), 1, False), [(3, 2)]),
}
ALL = [(name, dtype) for name in CASES for dtype in ("float64", "complex128")] + [(name, "float64") for name in REAL]


@pytest.mark.parametrize(("name", "dtype"), ALL)
def test_derivatives(name, dtype, draw):
    function, shapes = (CASES | REAL)[name]
    inputs = tuple(draw(7 * i + 1, dtype, *s) for i, s in enumerate(shapes))
    assert gradcheck(function, inputs, check_forward_ad=True, check_batched_grad=True)
    assert gradgradcheck(function, inputs)


@pytest.mark.parametrize(("name", "dtype"), ALL)
def test_vmap_is_a_loop(name, dtype, draw):
    function, shapes = (CASES | REAL)[name]
    x = draw(1, dtype, 3, *shapes[0]).detach()
    found = func.vmap(function, in_dims=-1)(x.movedim(0, -1))
    for i in range(3):
        np.testing.assert_allclose(
            found[i].resolve_conj().numpy(), function(x[i]).resolve_conj().numpy(), rtol=1e-12, atol=1e-12
        )


def test_names_of_nodes(draw):
    x = draw(1, "float64", 4)
    assert [f(x).grad_fn.name() for f in (fft.rfft, fft.irfft)] == ["FftR2CBackward0", "FftC2RBackward0"]
    assert fft.ifft(draw(1, "complex128", 4)).grad_fn.name() == "FftC2CBackward0"
    assert torch.log1p(x).grad_fn.name() == "Log1PBackward0"
