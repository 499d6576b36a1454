"""Custom Functions under transforms inside each other: every way to write one against operations that do the same."""

import gc
import itertools
import weakref

import numpy as np
import pytest

import flambeau_tensor as torch
from flambeau_autograd import Function
from flambeau_autograd.func import grad, hessian, jacfwd, jacrev, jvp, vjp, vmap


class CubeInNumpy(Function):
    """Its own rules for everything, values from NumPy; a result is saved."""

    @staticmethod
    def forward(x):
        return torch.tensor(x.numpy() ** 3), torch.tensor(3 * x.numpy() ** 2)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(inputs[0], output[1])
        ctx.save_for_forward(inputs[0], output[1])

    @staticmethod
    def backward(ctx, grad, grad_slope):
        x, slope = ctx.saved_tensors
        return grad * slope + 6 * Product.apply(grad_slope, x)

    @staticmethod
    def jvp(ctx, x_t):
        x, slope = ctx.saved_tensors
        return Product.apply(x_t, slope), 6 * Product.apply(x_t, x)

    @staticmethod
    def vmap(info, in_dims, x):
        return CubeInNumpy.apply(x), (in_dims[0], in_dims[0])


class Product(Function):
    """Two arguments of different shapes; a generated rule."""

    generate_vmap_rule = True

    @staticmethod
    def forward(x, y):
        return x * y

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)
        ctx.save_for_forward(*inputs)

    @staticmethod
    def backward(ctx, grad):
        x, y = ctx.saved_tensors
        return Product.apply(grad, y), Product.apply(grad, x)

    @staticmethod
    def jvp(ctx, x_t, y_t):
        x, y = ctx.saved_tensors
        return Product.apply(x_t, y) + Product.apply(x, y_t)


class ExpOfResult(Function):
    """No tangent rule: it follows from backward, which reads a saved result."""

    generate_vmap_rule = True

    @staticmethod
    def forward(x):
        return x.exp()

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(output)

    @staticmethod
    def backward(ctx, grad):
        (y,) = ctx.saved_tensors
        return grad * y


class Combined(Function):
    """forward takes ctx; an input and a result are saved."""

    generate_vmap_rule = True

    @staticmethod
    def forward(ctx, x, power):
        y = x**power
        ctx.save_for_backward(x, y)
        ctx.save_for_forward(x, y)
        ctx.power = power
        return y

    @staticmethod
    def backward(ctx, grad):
        x, y = ctx.saved_tensors
        return grad * ctx.power * y / x, None


class CombinedWithTangents(Combined):
    @staticmethod
    def jvp(ctx, x_t, _):
        x, y = ctx.saved_tensors
        return x_t * ctx.power * y / x


class ExpInPlace(Function):
    """Writes to its argument, and to that's tangent."""

    @staticmethod
    def forward(x):
        np.exp(x.numpy(), out=x.numpy())
        return x

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.mark_dirty(inputs[0])
        ctx.save_for_backward(output)
        ctx.save_for_forward(output)

    @staticmethod
    def backward(ctx, grad):
        (y,) = ctx.saved_tensors
        return grad * y

    @staticmethod
    def jvp(ctx, x_t):
        (y,) = ctx.saved_tensors
        return x_t.mul_(y)

    @staticmethod
    def vmap(info, in_dims, x):
        return ExpInPlace.apply(x), in_dims[0]


class Row(Function):
    """Returns a view, and has an argument with a default."""

    @staticmethod
    def forward(x, row=1):
        return x[row]

    @staticmethod
    def setup_context(ctx, inputs, output):
        x, ctx.row = inputs
        ctx.shape = x.shape

    @staticmethod
    def backward(ctx, grad):
        out = grad.new_zeros(ctx.shape)
        out[ctx.row] = grad
        return out, None

    @staticmethod
    def jvp(ctx, x_t, _):
        return Row.apply(x_t, ctx.row)

    @staticmethod
    def vmap(info, in_dims, x, row):
        return Row.apply(x.movedim(in_dims[0], 0).movedim(0, -1), row), -1


class RowGenerated(Row):
    generate_vmap_rule = True
    vmap = Function.vmap

    @staticmethod
    def jvp(ctx, x_t, _):
        return RowGenerated.apply(x_t, ctx.row)


def cube_of(x):
    y, slope = CubeInNumpy.apply(x)
    return torch.sin(y) * slope


# name -> (with a Function, of operations alone)
CASES = {
    "own rules": (cube_of, lambda x: torch.sin(x**3) * 3 * x**2),
    "two arguments": (lambda x: Product.apply(x, x[0] * 2), lambda x: x * (x[0] * 2)),
    "derived tangents": (lambda x: ExpOfResult.apply(x).sin(), lambda x: x.exp().sin()),
    "combined": (lambda x: Combined.apply(x, 3).cos(), lambda x: (x**3).cos()),
    "combined, with tangents": (lambda x: CombinedWithTangents.apply(x, 3).cos(), lambda x: (x**3).cos()),
    "in place": (lambda x: ExpInPlace.apply(x * 1.0).sin() + x, lambda x: x.exp().sin() + x),
    "view": (lambda x: Row.apply(x).exp() + x[0], lambda x: x[1].exp() + x[0]),
    "view, generated": (lambda x: RowGenerated.apply(x, 0).exp() * x[1], lambda x: x[0].exp() * x[1]),
}


def scalar(f):
    return lambda x: (f(x) ** 2).sum()


def along(f):
    """The derivative in a direction that depends on x, too."""
    return lambda x: jvp(f, (x,), (x.cos() + 0.3,))[1]


COMPOSITIONS = {
    "grad": lambda f: grad(scalar(f)),
    "jvp": along,
    "vmap": vmap,
    "jacrev": jacrev,
    "jacfwd": jacfwd,
    "hessian": lambda f: hessian(scalar(f)),
    "grad of grad": lambda f: grad(lambda x: grad(scalar(f))(x).sin().sum()),
    "jvp of jvp": lambda f: along(along(f)),
    "jvp of grad": lambda f: along(grad(scalar(f))),
    "grad of jvp": lambda f: grad(scalar(along(f))),
    "jacfwd of jacfwd": lambda f: jacfwd(jacfwd(f)),
    "jacrev of jacrev": lambda f: jacrev(jacrev(f)),
    "jacrev of jacfwd": lambda f: jacrev(jacfwd(f)),
    "grad of hessian": lambda f: grad(lambda x: hessian(scalar(f))(x).sum()),
    "grad of jvp of jvp": lambda f: grad(scalar(along(along(f)))),
    "jacrev of jacfwd of jacfwd": lambda f: jacrev(jacfwd(jacfwd(f))),
    "grad of jvp of vmap of jvp": lambda f: grad(scalar(along(vmap(along(f))))),
    "vmap of grad of jvp of jvp": lambda f: vmap(grad(scalar(along(along(f))))),
    "jvp of grad of jvp": lambda f: along(grad(scalar(along(f)))),
    "jvp of jvp of grad": lambda f: along(along(grad(scalar(f)))),
    "vmap of jvp": lambda f: vmap(along(f)),
    "vmap of grad": lambda f: vmap(grad(scalar(f))),
    "vmap of hessian": lambda f: vmap(hessian(scalar(f))),
    "vmap of jvp of grad": lambda f: vmap(along(grad(scalar(f)))),
    "vmap of grad of jvp": lambda f: vmap(grad(scalar(along(f)))),
    "jvp of vmap": lambda f: along(vmap(f)),
    "grad of vmap": lambda f: grad(scalar(vmap(f))),
    "hessian of vmap": lambda f: hessian(scalar(vmap(f))),
    "jvp of vmap of grad": lambda f: along(vmap(grad(scalar(f)))),
    "vmap of vmap": lambda f: lambda x: vmap(vmap(f, in_dims=1), in_dims=2)(torch.stack([x, x * 0.5], 2).movedim(0, 1)),
    "vmap of vmap of grad": lambda f: lambda x: vmap(vmap(grad(scalar(f))))(torch.stack([x, x * 0.5])),
}


@pytest.mark.parametrize("composition", COMPOSITIONS)
@pytest.mark.parametrize("case", CASES)
def test_a_function_is_what_it_computes(case, composition):
    ours, theirs = CASES[case]
    transform = COMPOSITIONS[composition]
    x = torch.tensor([[0.7, -0.4, 1.1], [0.3, 0.9, -0.8]], dtype=torch.float64)
    if "vmap" in composition:
        x = torch.stack([x, x * 0.5 + 0.1, x.flip(0)])
    got, wanted = transform(ours)(x), transform(theirs)(x)
    assert got.shape == wanted.shape
    assert np.allclose(got.numpy(), wanted.numpy(), rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("case", CASES)
def test_every_order_of_three(case):
    x, one = torch.tensor([[0.7, -0.4], [0.3, 0.9]], dtype=torch.float64), torch.ones(2, 2, dtype=torch.float64)
    rows = torch.eye(4, dtype=torch.float64).view(4, 2, 2)
    along_one = {
        "g": lambda s: lambda x: grad(s)(x).sum(),
        "j": lambda s: lambda x: jvp(s, (x,), (one,))[1],
        "v": lambda s: lambda x: vmap(lambda w: jvp(s, (x,), (w,))[1])(rows).sum(),
        "b": lambda s: lambda x: vmap(lambda w: vjp(s, x)[1](w)[0])(torch.ones(2, dtype=torch.float64)).mean(0).sum(),
    }

    def third(f, order):
        s = scalar(f)
        for transform in reversed(order):
            s = along_one[transform](s)
        return s(x).item()

    ours, theirs = CASES[case]
    wanted = third(theirs, "ggg")
    for order in itertools.product(along_one, repeat=3):
        assert third(ours, order) == pytest.approx(wanted, rel=1e-9), order


def test_results_in_containers_with_other_things():
    class Both(Function):
        generate_vmap_rule = True

        @staticmethod
        def forward(ctx, x, times):
            ctx.times = times
            return [x * times, x.clone()], times

        @staticmethod
        def backward(ctx, grads, _):
            return grads[0] * ctx.times + grads[1], None

    def f(x):
        (a, b), n = Both.apply(x, 3)
        return a.sin() * b * n

    x = torch.tensor([0.5, 1.0], dtype=torch.float64)
    for transform in (along, lambda f: vmap(along(f)), lambda f: along(vmap(f)), jacfwd, lambda f: jacfwd(jacrev(f))):
        got, wanted = transform(f)(x), transform(lambda x: (x * 3).sin() * x * 3)(x)
        assert np.allclose(got.numpy(), wanted.numpy())


def test_a_function_that_was_transformed_goes_when_nobody_holds_it():
    def transformed():
        class Local(Combined):
            pass

        class Separate(ExpOfResult):
            kept = torch.zeros(1000)

        x = torch.tensor([0.7, 0.4], dtype=torch.float64)
        for function in (lambda x: Local.apply(x, 3), Separate.apply):
            along(along(function))(x)
            vmap(grad(function))(x)
            vmap(along(function))(x)
        return weakref.ref(Local), weakref.ref(Separate)

    refs = transformed()
    gc.collect()
    assert [r() for r in refs] == [None, None]


def test_weights_of_an_outer_transform_reach_a_function_inside_of_vmap():
    x = torch.tensor([[0.7, -0.4], [0.3, 0.9], [1.2, 0.1]], dtype=torch.float64)
    w = torch.tensor([0.5, 1.5], dtype=torch.float64)

    def loss(product):
        def of(w):
            return vmap(lambda x: jvp(lambda y: product(y, w).sin(), (x,), (w,))[1])(x).sum()

        return of

    for transform in (grad, jacfwd, hessian):
        got, wanted = transform(loss(Product.apply))(w), transform(loss(torch.mul))(w)
        assert np.allclose(got.numpy(), wanted.numpy())


def test_a_result_that_is_the_same_for_all_examples_has_no_tangent_of_its_own():
    class Same(Function):
        generate_vmap_rule = True

        @staticmethod
        def forward(x, shared):
            return x * 2, shared * 3

        @staticmethod
        def setup_context(ctx, inputs, output):
            pass

        @staticmethod
        def backward(ctx, a, b):
            return a * 2, b * 3

        @staticmethod
        def jvp(ctx, x_t, shared_t):
            return x_t * 2, shared_t * 3 + x_t

    x = torch.arange(3.0)
    with pytest.raises(RuntimeError, match="Same.jvp: output 1 is the same for all examples under vmap"):
        along(lambda x: vmap(lambda x: sum(Same.apply(x, torch.ones(()))))(x))(x)


def test_forward_over_reverse_through_an_intermediate_result_raises():
    class Saves(Function):
        @staticmethod
        def forward(ctx, x, constant):
            y = x.exp()
            if constant:
                ctx.mark_non_differentiable(y)
            ctx.save_for_backward(y)
            return y * 2

        @staticmethod
        def backward(ctx, grad):
            (y,) = ctx.saved_tensors
            return grad * 2 * y, None

    x = torch.tensor([0.5, 1.0])
    assert torch.allclose(grad(lambda x: Saves.apply(x, False).sum())(x), 2 * x.exp())
    with pytest.raises(RuntimeError, match="saved an intermediate result.*its backward has forward gradients"):
        along(grad(lambda x: Saves.apply(x, False).sum()))(x)
    assert along(grad(lambda x: Saves.apply(x, True).sum()))(x).tolist() == [0.0, 0.0]


def test_a_combined_function_that_writes_says_so_under_several_transforms():
    class Doubles(Function):
        generate_vmap_rule = True

        @staticmethod
        def forward(ctx, x):
            ctx.mark_dirty(x)
            return x.mul_(2)

        @staticmethod
        def backward(ctx, grad):
            return grad * 2

    x = torch.ones(2)
    assert grad(lambda x: Doubles.apply(x * 1).sum())(x).tolist() == [2.0, 2.0]
    with pytest.raises(RuntimeError, match="mark_dirty"):
        vmap(grad(lambda x: Doubles.apply(x * 1)))(x)
