"""Gradients of parts of a tensor, which are added where the gradient of the whole waits."""

import time

import numpy as np
import pytest

import flambeau_autograd as autograd
import flambeau_tensor as ft

SHAPE = (4, 4, 5)
PARTS = {
    "rows": lambda x: [x[i] for i in (0, 2, 2, -1)],
    "unbind": lambda x: list(x.unbind(1)),
    "split": lambda x: list(x.split(2, -1)),
    "steps": lambda x: [x[::2], x[1:, 1], x[..., 3:0]],
    "narrow": lambda x: [x.narrow(1, 1, 2), x.narrow(2, 0, 5)],
    "diagonal": lambda x: [x.diagonal(), x.diagonal(1, 1, 2), x.diagonal(-1, 0, 1)],
    "conj": lambda x: [x[0].conj(), x[0]],
}


def leaf(dtype="float64"):
    values = np.random.default_rng(0).standard_normal((2, *SHAPE))
    return ft.from_numpy(values[0] + (1j * values[1] if dtype == "complex128" else 0)).requires_grad_()


def loss(pieces, x, *, whole):
    """Different weights for all elements; the whole comes first, last, or not at all."""
    total = (x * x).real.sum() if whole == "first" else 0
    for k, piece in enumerate(pieces):
        weights = ft.arange(piece.numel(), dtype=ft.float64).reshape(piece.shape) + k + 1
        total = total + (piece * weights).real.sum()
    return total + (x * 3).real.sum() if whole == "last" else total


def expected(take, x, whole):
    """The same with each part's gradient by itself."""
    pieces = take(x)
    total = ft.zeros(SHAPE, dtype=x.dtype)
    for k, piece in enumerate(pieces):
        weights = ft.arange(piece.numel(), dtype=ft.float64).reshape(piece.shape) + k + 1
        total += autograd.grad((piece * weights).real.sum(), x)[0]
    if whole:
        rest = (x * x).real.sum() if whole == "first" else (x * 3).real.sum()
        total += autograd.grad(rest, x)[0]
    return total.resolve_conj().numpy()


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
@pytest.mark.parametrize("whole", [None, "first", "last"])
@pytest.mark.parametrize("parts", PARTS)
def test_sums(parts, whole, dtype):
    x = leaf(dtype)
    once = loss(PARTS[parts](x), x, whole=whole)
    once.backward(retain_graph=True)
    reference = expected(PARTS[parts], x, whole)
    np.testing.assert_allclose(x.grad.resolve_conj().numpy(), reference)
    once.backward()
    np.testing.assert_allclose(x.grad.resolve_conj().numpy(), 2 * reference)


@pytest.mark.parametrize("parts", PARTS)
def test_of_a_result_with_hooks(parts):
    """What hooks and captures are given is whole, and nothing that somebody keeps is written to."""
    x, seen = leaf(), []
    y = x * 2
    y.register_hook(lambda grad: seen.append(grad.clone()))
    y.retain_grad()
    pieces = PARTS[parts](y)
    kept = []
    for piece in pieces:
        piece.register_hook(kept.append)
    loss(pieces, y, whole=None).backward()
    before = [grad.clone() for grad in kept]
    reference = expected(PARTS[parts], leaf(), None)
    np.testing.assert_allclose(seen[0].numpy(), reference)
    np.testing.assert_allclose(y.grad.numpy(), reference)
    np.testing.assert_allclose(x.grad.numpy(), 2 * reference)
    assert all(np.array_equal(a.numpy(), b.numpy()) for a, b in zip(kept, before, strict=True))


def test_gradients_that_were_given_stay():
    x = leaf()
    given = [ft.ones(SHAPE, dtype=ft.float64), ft.ones(SHAPE[1:], dtype=ft.float64)]
    autograd.backward([x * 1, x[1]], given)
    assert given[0].sum().item() == 80 and given[1].sum().item() == 20
    assert x.grad.sum().item() == 100


def test_node_hooks_are_given_gradients_of_the_whole():
    x, shapes = leaf(), []
    rows = [x[i] for i in range(3)]
    for row in rows:
        row.grad_fn.register_hook(lambda inputs, outputs: shapes.append(tuple(inputs[0].shape)))
    sum(row.sum() for row in rows).backward()
    assert shapes == [SHAPE] * 3
    assert x.grad.sum().item() == 60


def test_second_derivatives_and_inner_runs():
    x = leaf()
    first = autograd.grad(sum((x[i] ** 3).sum() for i in range(4)), x, create_graph=True)[0]
    first.sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), 6 * x.detach().numpy())

    class Inner(autograd.Function):
        @staticmethod
        def forward(ctx, t):
            return t.clone()

        @staticmethod
        def backward(ctx, grad):
            with autograd.enable_grad():
                u = ft.ones(3, 2, dtype=ft.float64, requires_grad=True)
                total = sum(row.sum() * (i + 1) for i, row in enumerate(u))
                total.backward()
            return grad * u.grad.sum()

    x.grad = None
    Inner.apply(x).sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), np.full(SHAPE, 12.0))


def test_rows_cost_what_they_hold():
    """Ten times as many rows of ten times as large a tensor: ten times the work, where whole gradients would be 100."""

    def cost(n):
        x = ft.ones(n, 500, requires_grad=True)
        rows = [x[i] for i in range(n)]
        total = ft.stack([row.sum() for row in rows]).sum()
        start = time.thread_time()
        total.backward()
        took = time.thread_time() - start
        assert x.grad.eq(1).all()
        return took

    assert min(cost(2000) for _ in range(3)) < 40 * min(cost(200) for _ in range(5))
