"""Derivatives of derivatives, and of many examples, by every order of the transforms: all have to agree."""

import numpy as np
import pytest

import flambeau_tensor as torch
from flambeau_autograd.func import grad, hessian, jacfwd, jacrev, jvp, vjp, vmap


def in_place(x):
    y = x.clone()
    y.addcmul_(x, x.sin())
    return y.div_(x.exp())


def overwritten_rows(x):
    y = x * 1
    y[0] = x[1] * 2
    y[:, 1].mul_(3)
    return y * x


def through_a_view(x):
    y = x * 1
    y.view(6)[::2] *= x.sum()
    y.T.sin_()
    return y * x


def overwritten(x):
    y = x.new_zeros(2, 3)
    y.copy_(x**2)
    return y.clamp_(-0.5, 0.8) * x


def at(x, *index):
    return x.new_tensor(index).long()


FUNCTIONS = {
    "product": lambda x: x.sin() * x,
    "matmul": lambda x: (x @ x.T).tanh(),
    "softmax": lambda x: torch.softmax(x, -1) * x,
    "logsumexp": lambda x: x.logsumexp(-1),
    "norm": lambda x: x.norm(dim=1),
    "std": lambda x: x.std(0),
    "prod": lambda x: x.prod(1),
    "cumprod": lambda x: x.cumprod(1),
    "cumsum": lambda x: x.cumsum(1) ** 2,
    "sort": lambda x: x.sort(-1)[0] * x,
    "max": lambda x: x.max(1)[0] * x.amin(),
    "where": lambda x: torch.where(x > 0, x.exp(), x**2),
    "clamp": lambda x: x.clamp(min=x.mean()) ** 2,
    "index": lambda x: x[:, [2, 0]] ** 3,
    "index_put": lambda x: torch.zeros_like(x).index_put((at(x, 0),), x[1] ** 2),
    "scatter_add": lambda x: torch.zeros_like(x).scatter_add(1, (x * 0).long(), x**3),
    "cat": lambda x: torch.cat([x, x.sin()], 0) ** 2,
    "reshape": lambda x: x.view(6).reshape(3, 2).T.flip(0) ** 2,
    "repeat": lambda x: x.expand(2, 2, 3).repeat(1, 2, 1) ** 2,
    "unfold": lambda x: x.unfold(1, 2, 1) ** 2,
    "pow": lambda x: (x.abs() + 0.1) ** (x**2),
    "lgamma": lambda x: x.lgamma(),
    "complex": lambda x: (torch.complex(x, x.exp()) * torch.complex(x, -x)).real,
    "addmm": lambda x: torch.addmm(x[:, :2], x, x.T),
    "einsum": lambda x: torch.einsum("ij,kj->ik", x, x.exp()),
    "in place": in_place,
    "overwritten rows": overwritten_rows,
    "through a view": through_a_view,
    "overwritten": overwritten,
}
X = np.array([[0.7, -0.4, 1.1], [0.3, 0.9, -0.8]])
every_function = pytest.mark.parametrize("f", FUNCTIONS.values(), ids=FUNCTIONS)


def same(got, wanted, tolerance=1e-9):
    assert got.shape == wanted.shape
    assert np.allclose(got.numpy(), wanted.numpy(), rtol=tolerance, atol=tolerance)


def scalar(f):
    return lambda x: (f(x) ** 2).sum()


def along(f):
    """The derivative in a direction that depends on x, too."""
    return lambda x: jvp(f, (x,), (x.cos() + 0.3,))[1]


@every_function
def test_second_derivatives(f):
    x = torch.tensor(X)
    wanted = jacrev(jacrev(f))(x)
    same(jacfwd(jacrev(f))(x), wanted)
    same(jacrev(jacfwd(f))(x), wanted)
    same(jacfwd(jacfwd(f))(x), wanted)
    same(along(grad(scalar(f)))(x), torch.einsum("ijkl,kl->ij", hessian(scalar(f))(x), x.cos() + 0.3))


@every_function
def test_third_derivatives(f):
    x = torch.tensor(X)
    wanted = grad(lambda x: jacrev(jacrev(scalar(f)))(x).sum())(x)
    same(grad(lambda x: hessian(scalar(f))(x).sum())(x), wanted)
    same(jacfwd(lambda x: hessian(scalar(f))(x).sum())(x), wanted)
    same(grad(lambda x: jacfwd(jacfwd(scalar(f)))(x).sum())(x), wanted)
    direction = grad(lambda x: (grad(scalar(f))(x) * (x.cos() + 0.3)).sum())(x)
    same(grad(along(scalar(f)))(x), direction)


@every_function
@pytest.mark.parametrize("derivative", ["plain", "jvp", "grad", "hessian", "jvp of grad", "grad of jvp"])
def test_many_examples(f, derivative):
    of = {"plain": f, "jvp": along(f), "grad": grad(scalar(f)), "hessian": hessian(scalar(f)),
          "jvp of grad": along(grad(scalar(f))), "grad of jvp": grad(scalar(along(f)))}[derivative]  # fmt: skip
    x = torch.tensor(X)
    examples = torch.stack([x, x * 0.5 + 0.1, x.flip(0)])
    wanted = torch.stack([of(each) for each in examples])
    same(vmap(of)(examples), wanted)
    same(vmap(of, in_dims=2)(examples.movedim(0, 2)), wanted)
    same(vmap(vmap(of))(torch.stack([examples, examples]))[1], wanted)


@every_function
def test_derivatives_by_many_examples(f):
    x = torch.tensor(X)
    examples = torch.stack([x, x * 0.5 + 0.1])
    same(along(vmap(f))(examples), vmap(along(f))(examples))
    same(grad(scalar(vmap(f)))(examples), vmap(grad(scalar(f)))(examples))
    curvature, each = hessian(scalar(vmap(f)))(examples), vmap(hessian(scalar(f)))(examples)
    for i in range(2):
        same(curvature[i, :, :, i], each[i])
        same(curvature[i, :, :, 1 - i], torch.zeros_like(each[i]))
    same(along(vmap(grad(scalar(f))))(examples), vmap(along(grad(scalar(f))))(examples))


@every_function
@pytest.mark.parametrize("order", ["ggbg", "gjvb", "bgvj", "vbgg"])
def test_fourth_derivatives(f, order):
    x, one, rows = torch.tensor(X), torch.ones(2, 3, dtype=torch.float64), torch.eye(6, dtype=torch.float64)
    along = {
        "g": lambda s: lambda x: grad(s)(x).sum(),
        "j": lambda s: lambda x: jvp(s, (x,), (one,))[1],
        "v": lambda s: lambda x: vmap(lambda w: jvp(s, (x,), (w,))[1])(rows.view(6, 2, 3)).sum(),
        "b": lambda s: lambda x: vmap(lambda w: vjp(s, x)[1](w)[0])(torch.ones(2, dtype=torch.float64)).mean(0).sum(),
    }
    got, wanted = scalar(f), scalar(f)
    for transform in reversed(order):
        got, wanted = along[transform](got), along["g"](wanted)
    same(got(x * 0.7), wanted(x * 0.7))
