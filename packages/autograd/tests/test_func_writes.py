"""Transforms inside each other, of functions that write in place and to views."""

import pytest

import flambeau_tensor as torch
from flambeau_autograd import func, grad


def _view(a):
    b = a * 1
    b[0].mul_(a[1])
    v = b[1:]
    b.mul_(a)
    return (b * b).sum() + v.sum()


def _view_without(a):
    b = torch.stack([a[0] * a[1] * a[0], a[1] * a[1]])
    return (b * b).sum() + b[1]


def _transposed(a):
    b = a * 1
    v = b.view(1, 2).t()
    v.add_(a[:, None])
    b.sin_()
    return (v * v).sum()


def _transposed_without(a):
    return ((2 * a).sin() ** 2).sum()


def _filled(a):
    b = torch.zeros(2, 2, dtype=a.dtype) * a[0]
    first = b.t()[0]
    first.add_(a)
    seen = b.expand(2, 2, 2)[0]
    b.exp_()
    return (seen * seen).sum()


def _filled_without(a):
    return (2 * a).exp().sum() + 2.0


def _parts(a):
    b = torch.zeros(2, dtype=torch.complex128) * a
    b.real = a
    b.imag.add_(a * a)
    return (b * b).imag.sum()


def _parts_without(a):
    return (2 * a**3).sum()


def _overwritten(a):
    b = a * 1
    v = b[1:]
    v.mul_(a[:1])
    b.mul_(a)
    return (b * b).sum()


def _overwritten_without(a):
    return a[0] ** 4 + (a[0] * a[1] ** 2) ** 2


COMPOSED = {
    "grad": func.grad,
    "jacfwd": func.jacfwd,
    "hessian": func.hessian,
    "jacrev of grad": lambda f: func.jacrev(func.grad(f)),
    "jacfwd of jacfwd": lambda f: func.jacfwd(func.jacfwd(f)),
    "jacrev of jacfwd": lambda f: func.jacrev(func.jacfwd(f)),
    "grad of grad": lambda f: func.grad(lambda a: func.grad(f)(a)[1] * func.grad(f)(a)[0]),
    "jvp of grad": lambda f: lambda a: func.jvp(func.grad(f), (a,), (torch.ones_like(a) * 2,)),
    "grad of jvp": lambda f: func.grad(lambda a: func.jvp(f, (a,), (torch.ones_like(a) * 2,))[1]),
}


@pytest.mark.parametrize("composed", COMPOSED)
@pytest.mark.parametrize(
    ("f", "without"),
    [
        (_view, _view_without),
        (_transposed, _transposed_without),
        (_filled, _filled_without),
        (_parts, _parts_without),
        (_overwritten, _overwritten_without),
    ],
)
def test_writes_inside(f, without, composed):
    """Also for many examples at a time, along either dimension."""
    a = torch.tensor([[1.0, 0.5], [0.75, -1.5]], dtype=torch.float64)
    transform = COMPOSED[composed]
    for call in (lambda g: g(a[1]), func.vmap, lambda g: func.vmap(g, in_dims=1)):
        found, expected = call(transform(f)), call(transform(without))
        found, expected = (found(a), expected(a)) if callable(found) else (found, expected)
        for x, y in zip(*[r if isinstance(r, tuple) else (r,) for r in (found, expected)], strict=True):
            assert torch.allclose(x, y, rtol=1e-10)


def test_batches_of_gradients_through_writes(leaf):
    x = leaf(1.0, 2.0)
    b = x * 1
    b[0].mul_(x[1])
    b.mul_(x)
    (rows,) = grad(b, x, torch.eye(2, dtype=torch.float64), is_grads_batched=True)
    assert rows.tolist() == [[4.0, 1.0], [0.0, 4.0]]


def test_a_window_stays_within_its_example():
    x = torch.arange(12.0).view(3, 4)
    assert func.vmap(lambda r: r.as_strided((2,), (2,)))(x).tolist() == [[0.0, 2.0], [4.0, 6.0], [8.0, 10.0]]
    assert func.vmap(lambda r: r.as_strided((2,), (4,)), in_dims=1)(x)[1].tolist() == [1.0, 5.0]
    with pytest.raises(RuntimeError, match="tensor.as_strided.* can access memory outside of `tensor`, one example"):
        func.vmap(lambda r: r.as_strided((5,), (1,)))(x)
