"""The installed package: values against NumPy, gradients against finite differences, errors, threads."""

import numpy as np
import pytest
from softsign import softsign

import flambeau as torch
from flambeau.library import opcheck


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("shape", [(), (0,), (7,), (3, 5), (200, 500)])
def test_values(dtype, shape):
    x = torch.randn(shape, dtype=dtype)
    a = x.numpy()
    np.testing.assert_allclose(softsign(x).numpy(), a / (1 + np.abs(a)), rtol=1e-6)


def test_layouts():
    x = torch.randn(4, 6, dtype=torch.float64)
    for view in (x.t(), x[:, ::2], x[1:, 3], x.expand(2, 4, 6)):
        a = view.numpy()
        np.testing.assert_allclose(softsign(view).numpy(), a / (1 + np.abs(a)))


def test_gradients():
    x = torch.randn(3, 4, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(softsign, (x,))
    assert torch.autograd.gradgradcheck(softsign, (x,))


def test_transforms():
    x = torch.randn(3, 4, dtype=torch.float64)
    per_example = torch.func.vmap(torch.func.grad(lambda row: softsign(row).sum()))(x)
    np.testing.assert_allclose(per_example.numpy(), 1 / (1 + np.abs(x.numpy())) ** 2)


def test_as_an_operator():
    assert torch.ops.softsign.softsign.default is softsign._opoverload
    x = torch.randn(5, dtype=torch.float64, requires_grad=True)
    assert set(opcheck(softsign, (x,)).values()) == {"SUCCESS"}


def test_wrong_arguments():
    with pytest.raises(TypeError, match=r"softsign\(\): argument 'x' must be float32 or float64"):
        softsign(torch.ones(3, dtype=torch.int64))
    with pytest.raises(RuntimeError, match=r"Expected a value of type 'Tensor' for argument 'x' but .* type 'list'"):
        softsign([1.0])
    with pytest.raises(ValueError, match="must have the sizes and the dtype of 'x'"):
        torch.ops.softsign.softsign_backward(torch.ones(2), torch.ones(3))
