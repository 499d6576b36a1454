"""Dual numbers: tangents through operations, views, writes and reverse mode."""

import pytest

import flambeau_autograd.forward_ad as fwAD
import flambeau_tensor as torch
from flambeau_autograd import Function, inference_mode, no_grad
from flambeau_autograd import grad as autograd_grad
from flambeau_autograd.func import grad, jacrev, jvp, vmap


def tangent(f, x, t):
    with fwAD.dual_level():
        return fwAD.unpack_dual(f(fwAD.make_dual(x, t))).tangent


X, T = torch.tensor([1.0, 2.0, 3.0]), torch.tensor([1.0, 0.0, 1.0])


@pytest.mark.parametrize(
    ("f", "expected"),
    [
        (lambda d: d**2, [2.0, 0.0, 6.0]),
        (lambda d: d.sum(), 2.0),
        (lambda d: d @ d, 8.0),
        (lambda d: d * d.exp().log(), [2.0, 0.0, 6.0]),
        (lambda d: torch.cat([d, torch.ones(1)]), [1.0, 0.0, 1.0, 0.0]),
        (lambda d: d.view(3, 1).expand(3, 2)[2], [1.0, 1.0]),
        (lambda d: d.clone().mul_(d), [2.0, 0.0, 6.0]),
        (lambda d: torch.zeros(3).add_(d), [1.0, 0.0, 1.0]),
        (lambda d: torch.max(d, 0)[0], 1.0),
        (lambda d: d.norm(), 4 / 14**0.5),
        (lambda d: d.long(), None),
        (lambda d: d.detach(), None),
        (lambda d: torch.ones(3), None),
    ],
)
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


@pytest.mark.parametrize(
    ("view", "expected"),
    [
        (lambda b: b[1], [8.0, 10.0]),
        (torch.t, [[0.0, 8.0], [2.0, 10.0]]),
        (lambda b: b.view(-1)[1:3], [2.0, 8.0]),
        (lambda b: b.expand(2, 2, 2)[1, :, 0], [0.0, 8.0]),
        (lambda b: b.split(1)[1], [[8.0, 10.0]]),
        (torch.Tensor.detach, None),
        (lambda b: b.view(torch.int32), None),
    ],
)
def test_views_older_than_the_tangent_of_their_base(view, expected):
    with fwAD.dual_level():
        base = torch.zeros(2, 2)
        seen = view(base)
        base.add_(fwAD.make_dual(torch.arange(4.0).view(2, 2), torch.tensor([[0.0, 1.0], [4.0, 5.0]])))
        with no_grad():
            base.mul_(2.0)
        for found in (fwAD.unpack_dual(seen), fwAD.unpack_dual(seen * 1)):
            assert found.tangent is None if expected is None else found.tangent.tolist() == expected


def test_forward_over_reverse_and_back():
    x = X.clone().requires_grad_()
    with fwAD.dual_level():
        dual = fwAD.make_dual(x, T)
        assert dual.requires_grad
        (g,) = autograd_grad((dual**3).sum(), dual, create_graph=True)
        value, along = fwAD.unpack_dual(g)
        assert torch.allclose(value, 3 * X**2) and torch.allclose(along, 6 * X * T)
        slope = fwAD.unpack_dual((dual**3).sum()).tangent
    assert torch.allclose(autograd_grad(slope, x)[0], 6 * X * T)


@pytest.mark.parametrize("given", [torch.float64, torch.float32])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.complex64])
def test_tangents_take_the_dtype_of_their_primal(dtype, given):
    x, t = X.to(dtype), T.to(given)
    assert tangent(lambda d: d * 2, x, t).dtype is dtype
    value, along = jvp(lambda a: a * 2, (x,), (t,))
    assert along.dtype is dtype and along.real.tolist() == [2.0, 0.0, 2.0]
    with pytest.raises(RuntimeError, match="has real tangents, but got torch.complex64"):
        tangent(lambda d: d, X, T.to(torch.complex64))


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
        with pytest.raises(RuntimeError, match="different size"):
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


def test_tangents_lie_in_memory_as_their_primals_do():
    """So that writes to a view of one go with writes to the same view of the other."""
    with fwAD.dual_level():
        for given in (torch.arange(6.0).view(3, 2).t(), torch.ones(1, 1).expand(2, 3)):
            dual = fwAD.make_dual(torch.zeros(2, 3), given)
            before = given.clone()
            dual.view(6)[1].mul_(3)
            expected = before.clone()
            expected[0, 1] *= 3
            assert torch.equal(fwAD.unpack_dual(dual).tangent, expected) and torch.equal(given, before)
        result = (dual.t() * 2).t() + 1
        result.reshape(-1)[1].mul_(5)
        assert fwAD.unpack_dual(result).tangent[0, 1] == 2 * 5 * expected[0, 1]


@pytest.mark.parametrize(
    "f",
    [
        lambda d: d + 1,
        lambda d: d * 1,
        torch.relu,
        lambda d: d.clamp(0, 5),
        torch.clone,
        lambda d: torch.cat([d]),
        lambda d: torch.stack([d])[0],
        lambda d: torch.where(d > 0, d, 0.0),
        lambda d: torch.maximum(d, torch.zeros(3)),
    ],
)
def test_writes_to_a_result_do_not_reach_its_argument(f):
    with fwAD.dual_level():
        dual = fwAD.make_dual(X, T)
        f(dual).mul_(3.0)
        assert fwAD.unpack_dual(dual).tangent.tolist() == T.tolist() == [1.0, 0.0, 1.0]


def test_a_dual_is_a_view_of_its_primal():
    leaf = X.clone().requires_grad_()
    with fwAD.dual_level():
        dual = fwAD.make_dual(leaf, T)
        assert dual._base is leaf and fwAD.unpack_dual(leaf).tangent is None
        with pytest.raises(RuntimeError, match="a view of a leaf Variable that requires grad"):
            dual.mul_(2.0)
        inner = leaf * 2
        fwAD.make_dual(inner, T.clone()).mul_(3.0)
        assert autograd_grad(inner.sum(), leaf)[0].tolist() == [6.0, 6.0, 6.0]
        with pytest.raises(RuntimeError, match="already has a forward gradient at the same level"):
            fwAD.make_dual(dual, T)


def test_complex():
    z = torch.tensor([1.0 + 2.0j, 3.0 - 1.0j])
    t = torch.tensor([1.0j, 2.0 + 0.0j])
    assert torch.allclose(tangent(lambda d: d * d, z, t), 2 * z * t)
    assert torch.allclose(tangent(torch.abs, z, t), (z.conj() * t).real / z.abs())
    assert tangent(lambda d: d.real, z, t).tolist() == [0.0, 2.0]
    assert tangent(lambda d: d.conj(), z, t).tolist() == [-1j, 2 + 0j]


def test_inside_transforms():
    def f(x):
        with fwAD.dual_level():
            return fwAD.unpack_dual(fwAD.make_dual(x, torch.ones(3)) ** 2).tangent

    assert grad(lambda x: f(x).sum())(X).tolist() == [2.0, 2.0, 2.0]
    assert jacrev(f)(X).tolist() == (2 * torch.eye(3)).tolist()
    # PyTorch: RuntimeError: Batching rule not implemented for aten::_make_dual; and Nested forward mode AD is not ...
    assert vmap(f)(torch.stack([X, X])).tolist() == [[2.0, 4.0, 6.0]] * 2
    assert jvp(f, (X,), (T,))[1].tolist() == [2.0, 0.0, 2.0]
    with fwAD.dual_level():
        gradient = grad(lambda x: (x**3).sum())(fwAD.make_dual(X, T))
        assert fwAD.unpack_dual(gradient).tangent.tolist() == [6.0, 0.0, 18.0]


def test_switched_off():
    with fwAD.dual_level():
        dual = fwAD.make_dual(X, T)
        with fwAD._set_fwd_grad_enabled(False):
            assert not fwAD._is_fwd_grad_enabled() and fwAD.unpack_dual(dual * 2).tangent is None
        assert fwAD._is_fwd_grad_enabled() and fwAD.unpack_dual(dual * 2).tangent is not None


def function(**methods):
    return type("Made", (Function,), {name: staticmethod(method) for name, method in methods.items()})


def doubled(ctx, x):
    ctx.mark_dirty(x)
    return x.mul_(2)


def column(ctx, x):
    return x.view(3, 1)


def test_custom_jvp_in_place_and_on_views():
    with fwAD.dual_level():
        dual = fwAD.make_dual(X.clone(), T.clone())
        assert function(forward=doubled, jvp=lambda ctx, t: t.mul_(2)).apply(dual) is dual
        assert fwAD.unpack_dual(dual).tangent.tolist() == [2.0, 0.0, 2.0]
        function(forward=column, jvp=column).apply(dual).mul_(5)
        assert fwAD.unpack_dual(dual).tangent.tolist() == [10.0, 0.0, 10.0]
        with pytest.raises(RuntimeError, match="is not modifying the forward mode gradients inplace"):
            function(forward=doubled, jvp=lambda ctx, t: t * 2).apply(dual)


def test_views_and_tangents_that_are_no_views():
    """Without a jvp, from a gradient that is turned round."""
    Flipped = function(forward=column, backward=lambda ctx, g: -g.view(3))
    x = X.clone()
    with fwAD.dual_level():
        dual = fwAD.make_dual(x, T.clone())
        y = Flipped.apply(dual)
        assert fwAD.unpack_dual(y).tangent.flatten().tolist() == [-1.0, 0.0, -1.0]
        y.mul_(5)  # PyTorch has no tangent here at all; what is written to shares nothing with the argument
        assert fwAD.unpack_dual(y).tangent.flatten().tolist() == [-5.0, 0.0, -5.0]
        assert fwAD.unpack_dual(dual).tangent.tolist() == T.tolist() and x.tolist() == X.tolist()
    assert jvp(Flipped.apply, (X,), (T,))[1].flatten().tolist() == [-1.0, 0.0, -1.0]


def test_gradients_that_are_accumulated_keep_their_tangents():
    """PyTorch drops the tangent of the first gradient: here the second one's alone would be left, [6, 0, 18]."""
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    with fwAD.dual_level():
        dual = fwAD.make_dual(x, T)
        (dual**2).sum().backward()
        assert fwAD.unpack_dual(x.grad).tangent.tolist() == [2.0, 0.0, 2.0]
        (dual**3).sum().backward()
        assert fwAD.unpack_dual(x.grad).tangent.tolist() == [8.0, 0.0, 20.0]
    assert x.grad.tolist() == [5.0, 16.0, 33.0] and fwAD.unpack_dual(x.grad).tangent is None


def test_tangents_that_a_jvp_is_given():
    seen = []

    class Two(Function):
        @staticmethod
        def forward(ctx, x, y, n):
            ctx.set_materialize_grads(n == 1)
            return x * y

        @staticmethod
        def jvp(ctx, x_t, y_t, n_t):
            seen.append((x_t.tolist(), None if y_t is None else y_t.tolist(), n_t))
            return x_t

    for n in (0, 1):
        tangent(lambda d, n=n: Two.apply(d, X, n), X, T)
    assert seen == [([1.0, 0.0, 1.0], None, None), ([1.0, 0.0, 1.0], [0.0, 0.0, 0.0], None)]


def times_one(ctx, x):
    return x * 1


def as_it_is(ctx, x):
    return x


def unmoved(ctx, x):
    ctx.mark_non_differentiable(x)
    return x


@pytest.mark.parametrize(
    ("forward", "jvp", "match"),
    [
        (times_one, lambda ctx, t: 3, r"expected Variable or None \(got int\) for grad output 0"),
        (times_one, lambda ctx, t: [t], r"got list"),
        (times_one, lambda ctx, t: t[:1], "shape"),
        (times_one, lambda ctx, t: (t, t), "expected 1 but got 2"),
        (lambda ctx, x: (x * 1, 5), lambda ctx, t: (t, t), "position 1, but the corresponding forward output is not a"),
        (lambda ctx, x: x.long(), lambda ctx, t: t, "position 0, but the corresponding forward output is not a"),
        (unmoved, lambda ctx, t: t, "position 0, but the corresponding forward output is not a differentiable"),
        *(
            (forward, jvp, "an input as-is.* but the jvp is not returning a view")
            for forward in (as_it_is, lambda ctx, x: x.view(3))
            for jvp in (lambda ctx, t: t, lambda ctx, t: t.clone(), lambda ctx, t: 2 * t, lambda ctx, t: torch.ones(3))
        ),
        (column, lambda ctx, t: t.clone().view(3, 1), "not returning a view of the given tangent"),
    ],
)
def test_tangents_that_a_jvp_may_not_return(forward, jvp, match):
    with pytest.raises(RuntimeError, match=f"Made.*{match}"):
        tangent(function(forward=forward, jvp=jvp).apply, X, T)


def test_an_argument_that_is_returned():
    Same = function(forward=as_it_is, jvp=lambda ctx, t: t.view_as(t))
    x = X.clone()
    with fwAD.dual_level():
        dual = fwAD.make_dual(x, T.clone())
        out = Same.apply(dual)
        out.mul_(2)
        for t in (dual, out):
            assert fwAD.unpack_dual(t).tangent.tolist() == [2.0, 0.0, 2.0]
    assert jvp(lambda x: jvp(lambda y: Same.apply(x) * y, (x,), (T,))[1], (X,), (X,))[1].tolist() == [1.0, 0.0, 3.0]
    same = Same.apply(x)
    assert same._base is x and same is not x and not same.requires_grad
    with pytest.raises(RuntimeError, match="A view was created in no_grad mode and is being modified inplace"):
        same.mul_(torch.ones(3, requires_grad=True))


def test_what_is_refused():
    with fwAD.dual_level():
        dual = fwAD.make_dual(X, T)
        for error, match, use in (
            (TypeError, "must be Tensor, not int", lambda: fwAD.unpack_dual(3)),
            (RuntimeError, "Invalid level given: 5", lambda: fwAD.make_dual(X, T, level=5)),
            (RuntimeError, "no level exists", lambda: fwAD.make_dual(X, T, level=-1)),
            (RuntimeError, "itself has a forward gradient at the same level", lambda: fwAD.make_dual(X, dual)),
            (NotImplementedError, "Trying to use forward AD with add_out", lambda: torch.add(X, dual, out=X.clone())),
        ):
            with pytest.raises(error, match=match):
                use()
    assert fwAD.unpack_dual(X, level=0) == (X, None)


@pytest.mark.parametrize("reduce", [None, "add"])
def test_scatter_with_repeated_indices(reduce):
    """Without `reduce` the last write stays, of values as of tangents."""
    x, x_t = torch.tensor([[1.0, 2.0, 3.0], [5.0, 7.0, 11.0]]).unbind()
    src, src_t = torch.tensor([[4.0, 6.0], [10.0, 100.0]]).unbind()
    index = torch.tensor([1, 1])

    def f(x, src):
        return torch.scatter(x, 0, index, src, **({"reduce": reduce} if reduce else {}))

    value, tangent = jvp(f, (x, src), (x_t, src_t))
    assert value.tolist() == ([1, 12, 3] if reduce else [1, 6, 3])
    assert tangent.tolist() == ([5, 117, 11] if reduce else [5, 100, 11])
    assert jvp(lambda x: f(x, src), (x,), (x_t,))[1].tolist() == ([5, 7, 11] if reduce else [5, 0, 11])
    assert jvp(lambda x: torch.scatter(x, 0, index, value=2.0), (x,), (x_t,))[1].tolist() == [5, 0, 11]


def test_a_function_without_any_derivative():
    class Nothing(Function):
        @staticmethod
        def forward(ctx, x):
            return x.clone()

    with fwAD.dual_level(), pytest.raises(NotImplementedError, match="must implement the jvp function"):
        Nothing.apply(fwAD.make_dual(torch.ones(2, requires_grad=True), torch.ones(2)))


def test_a_tangent_is_laid_out_as_the_memory_of_its_primal():
    """Otherwise views of the dual would have no view of the tangent; as PyTorch 2.13 copies them."""
    primal, t = torch.arange(5.0)[:4], torch.tensor([1.0, 2.0, 3.0, 4.0])
    with fwAD.dual_level():
        dual = fwAD.make_dual(primal, t)
        found = fwAD.unpack_dual(dual).tangent
        found *= 2
        assert t.tolist() == [1.0, 2.0, 3.0, 4.0]
        assert fwAD.unpack_dual(dual.as_strided((5,), (1,), 0)).tangent.tolist() == [2.0, 4.0, 6.0, 8.0, 0.0]
        z, bits = torch.ones(2, dtype=torch.complex64), torch.tensor([1j, 2.0])
        assert fwAD.unpack_dual(fwAD.make_dual(z, bits)).tangent is bits
        for primal, t in ((z.conj(), bits), (z, bits.conj()), (z._neg_view(), bits)):
            dual = fwAD.make_dual(primal, t)
            assert fwAD.unpack_dual(dual).tangent is not t
            assert torch.equal(fwAD.unpack_dual(dual.imag).tangent, t.imag)


def test_switched_off_without_a_level():
    assert fwAD._is_fwd_grad_enabled()
    with fwAD._set_fwd_grad_enabled(False):
        assert not fwAD._is_fwd_grad_enabled()
        with fwAD._set_fwd_grad_enabled(True), fwAD.dual_level():
            assert fwAD.unpack_dual(fwAD.make_dual(X, T) * 2).tangent.tolist() == [2.0, 0.0, 2.0]
        with fwAD.dual_level():
            assert fwAD.unpack_dual(fwAD.make_dual(X, T) * 2).tangent is None
    assert fwAD._is_fwd_grad_enabled()


def test_a_jvp_writes_where_forward_does():
    class Doubled(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.mark_dirty(x.mul_(2))
            return x

        @staticmethod
        def jvp(ctx, t):
            return t if forgets else t.mul_(2)

    for forgets in (True, False):
        with fwAD.dual_level():
            t = torch.ones(2)
            dual = fwAD.make_dual(torch.ones(2), t)
            if forgets:
                with pytest.raises(RuntimeError, match="must modify the corresponding gradient inplace"):
                    Doubled.apply(dual)
            else:
                assert Doubled.apply(dual) is dual and fwAD.unpack_dual(dual).tangent is t and t.tolist() == [2.0, 2.0]


def test_what_has_no_tangent():
    with fwAD.dual_level():
        dual = fwAD.make_dual(X.clone(), T.clone())
        with pytest.raises(NotImplementedError, match="forward AD with add_out .* because it is an out= function"):
            torch.add(X, X, out=dual)
        with pytest.raises(NotImplementedError, match="forward AD with igamma that does not support it"):
            torch.igamma(dual, dual)


def test_duals_of_inference_tensors():
    with inference_mode(), fwAD.dual_level():
        x = torch.ones(2)
        dual = fwAD.make_dual(x, torch.ones(2))
        assert not dual._is_view()
        dual += 1
        assert x.tolist() == [2.0, 2.0]


def test_transforms_switch_forward_mode_on():
    with fwAD._set_fwd_grad_enabled(False):
        assert jvp(torch.sin, (torch.zeros(1),), (torch.ones(1),))[1].tolist() == [1.0]
        assert not fwAD._is_fwd_grad_enabled()

    def off(x):
        with fwAD._set_fwd_grad_enabled(False):
            return x * 2

    assert jvp(lambda x: off(x) + x, (torch.zeros(1),), (torch.ones(1),))[1].tolist() == [1.0]
    with fwAD._set_fwd_grad_enabled(False):
        assert jvp(lambda x: off(x) + x, (torch.zeros(1),), (torch.ones(1),))[1].tolist() == [1.0]
