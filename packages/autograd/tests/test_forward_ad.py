"""Dual numbers: tangents through operations, views, writes and reverse mode."""

import pytest

import flambeau_autograd.forward_ad as fwAD
import flambeau_tensor as torch
from flambeau_autograd import Function
from flambeau_autograd import grad as autograd_grad


def tangent(f, x, t):
    with fwAD.dual_level():
        return fwAD.unpack_dual(f(fwAD.make_dual(x, t))).tangent


X, T = torch.tensor([1.0, 2.0, 3.0]), torch.tensor([1.0, 0.0, 1.0])


@pytest.mark.parametrize(("f", "expected"), [
    (lambda d: d ** 2, [2.0, 0.0, 6.0]),
    (lambda d: d.sum(), 2.0),
    (lambda d: d @ d, 8.0),
    (lambda d: d * d.exp().log(), [2.0, 0.0, 6.0]),
    (lambda d: torch.cat([d, torch.ones(1)]), [1.0, 0.0, 1.0, 0.0]),
    (lambda d: d.view(3, 1).expand(3, 2)[2], [1.0, 1.0]),
    (lambda d: d.clone().mul_(d), [2.0, 0.0, 6.0]),
    (lambda d: torch.zeros(3).add_(d), [1.0, 0.0, 1.0]),
    (lambda d: torch.max(d, 0)[0], 1.0),
    (lambda d: d.norm(), 4 / 14 ** 0.5),
    (lambda d: d.long(), None),
    (lambda d: d.detach(), None),
    (lambda d: torch.ones(3), None),
])
def test_operations(f, expected):
    found = tangent(f, X, T)
    if expected is None:
        assert found is None
    else:
        assert torch.allclose(found, torch.tensor(expected))


def test_writes_reach_what_shares_memory():
    with fwAD.dual_level():
        base = torch.zeros(2, 2)
        row = base[0]
        row.copy_(fwAD.make_dual(torch.ones(2), torch.tensor([3.0, 4.0])))
        assert fwAD.unpack_dual(base).tangent.tolist() == [[3.0, 4.0], [0.0, 0.0]]
        base.mul_(2.0)
        assert fwAD.unpack_dual(row).tangent.tolist() == [6.0, 8.0]


def test_forward_over_reverse_and_back():
    x = X.clone().requires_grad_()
    with fwAD.dual_level():
        dual = fwAD.make_dual(x, T)
        assert dual.requires_grad
        g, = autograd_grad((dual ** 3).sum(), dual, create_graph=True)
        value, along = fwAD.unpack_dual(g)
        assert torch.allclose(value, 3 * X ** 2) and torch.allclose(along, 6 * X * T)
        slope = fwAD.unpack_dual((dual ** 3).sum()).tangent
    assert torch.allclose(autograd_grad(slope, x)[0], 6 * X * T)


def test_levels():
    with pytest.raises(RuntimeError, match="no level exists"):
        fwAD.make_dual(X, T)
    with pytest.raises(RuntimeError, match="no level is active"):
        fwAD.exit_dual_level()
    with fwAD.dual_level():
        dual = fwAD.make_dual(X, T)
        with pytest.raises(RuntimeError, match="Nested forward mode"):
            fwAD.enter_dual_level()
    assert fwAD.unpack_dual(dual).tangent is None
    with fwAD.dual_level():  # another level knows nothing of the first one's tangents
        assert fwAD.unpack_dual(dual * 2).tangent is None
        with pytest.raises(RuntimeError, match="shape"):
            fwAD.make_dual(X, torch.ones(2))
        with pytest.raises(ValueError, match="floating point"):
            fwAD.make_dual(torch.ones(3, dtype=torch.int64), T)


def test_custom_jvp():
    class Scale(Function):
        @staticmethod
        def forward(ctx, x, factor):
            ctx.factor = factor
            return x * factor

        @staticmethod
        def backward(ctx, grad):
            return grad * ctx.factor, None

        @staticmethod
        def jvp(ctx, x_t, factor_t):
            assert factor_t is None
            return x_t * ctx.factor * 10  # not what backward says: this one was used

    assert tangent(lambda d: Scale.apply(d, 2.0), X, T).tolist() == [20.0, 0.0, 20.0]

    class Same(Function):
        @staticmethod
        def forward(ctx, x):
            return x.view_as(x)

        @staticmethod
        def jvp(ctx, x_t):
            return x_t.clone()

    with pytest.raises(RuntimeError, match="not returning a view"):
        tangent(Same.apply, X.clone(), T)
