"""Derivatives of Fourier transforms: reverse to second order, forward, batched; real and complex."""

import flambeau_autograd  # noqa: F401  (fills the sockets)
import flambeau_tensor as torch
from flambeau_tensor import fft
from samples.derivatives import check_batches, check_derivatives


def test_names_of_nodes(draw):
    x = draw(1, "float64", 4)
    assert [f(x).grad_fn.name() for f in (fft.rfft, fft.irfft)] == ["FftR2CBackward0", "FftC2RBackward0"]
    assert fft.ifft(draw(1, "complex128", 4)).grad_fn.name() == "FftC2CBackward0"
    assert torch.log1p(x).grad_fn.name() == "Log1PBackward0"


TestDerivatives = check_derivatives("tensor.fft")
TestBatches = check_batches("tensor.fft")
