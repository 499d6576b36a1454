"""The function transforms, alone and inside each other."""

import math

import pytest

import flambeau_tensor as torch
from flambeau_autograd import Function
from flambeau_autograd import grad as autograd_grad
from flambeau_autograd.func import grad, grad_and_value, hessian, jacfwd, jacrev, jvp, linearize, vjp, vmap


def close(a, b):
    assert torch.allclose(a, torch.as_tensor(b).to(a.dtype), rtol=1e-5, atol=1e-6), (a, b)


@pytest.fixture
def x():
    return torch.tensor([1.0, 2.0, 3.0])


def cubes(x):
    return (x**3).sum()


def test_grad(x):
    close(grad(cubes)(x), 3 * x * x)
    close(grad(grad(grad(torch.sin)))(torch.tensor(0.5)), -math.cos(0.5))
    gradient, (value, aux) = grad_and_value(lambda a, b: ((a * b["w"]).sum(), a), argnums=1, has_aux=True)(x, {"w": x})
    assert list(gradient) == ["w"] and aux is x
    close(gradient["w"], x)
    close(value, 14.0)
    assert not gradient["w"].requires_grad and not value.requires_grad


def test_grad_of_what_needs_it_outside(x):
    w = torch.tensor(2.0, requires_grad=True)
    g = grad(lambda x: (w * x).sin().sum())(x)
    assert g.requires_grad
    g.sum().backward()
    close(w.grad, ((2 * x).cos() - 2 * x * (2 * x).sin()).sum())
    assert not grad(lambda x: (w.detach() * x).sum())(x).requires_grad


def test_perturbations_are_not_confused():
    one, three = torch.tensor(1.0), torch.tensor(3.0)
    close(grad(lambda x: x * grad(lambda y: x + y)(one))(three), 1.0)
    close(jvp(lambda x: x * jvp(lambda y: x + y, (one,), (one,))[1], (three,), (one,))[1], 1.0)
    close(jvp(lambda x: x * grad(lambda y: x * y)(one), (three,), (one,))[1], 6.0)
    close(grad(lambda x: x * jvp(lambda y: x * y, (one,), (one,))[1])(three), 6.0)


@pytest.mark.parametrize("outer", [jacrev, jacfwd])
@pytest.mark.parametrize("inner", [jacrev, jacfwd, grad])
def test_second_derivatives(x, outer, inner):
    close(outer(inner(cubes))(x), torch.diag(6 * x) if hasattr(torch, "diag") else 6 * x * torch.eye(3))


def test_third_derivatives(x):
    third = jacfwd(hessian(cubes))(x)
    assert third.shape == (3, 3, 3)
    close(third.sum(), 18.0)
    close(third[1, 1, 1], 6.0)


def test_jacobians_of_several(x):
    def f(a, b):
        return {"p": a * b.sum(), "q": a.sum() * b}

    for transform in (jacrev, jacfwd):
        found = transform(f, argnums=(0, 1))(x, x[:2])
        close(found["p"][0], 3 * torch.eye(3))
        close(found["p"][1], x.reshape(3, 1).expand(3, 2))
        close(found["q"][1], 6 * torch.eye(2))
    close(jacrev(torch.sin, chunk_size=2)(x), x.cos() * torch.eye(3))
    close(jacfwd(torch.sin, chunk_size=1)(x), x.cos() * torch.eye(3))


def test_vjp_and_linearize(x):
    value, back = vjp(lambda a: (a * a, a.sum()), x)
    close(value[1], 6.0)
    close(back((torch.ones(3), torch.tensor(1.0)))[0], 2 * x + 1)
    close(back((torch.zeros(3), torch.tensor(2.0)))[0], 2 * torch.ones(3))  # a second time
    value, along = linearize(torch.sin, x)
    close(along(torch.ones(3)), x.cos())
    close(vmap(along)(torch.eye(3)), x.cos() * torch.eye(3))


def test_jvp(x):
    value, tangent, aux = jvp(lambda a: (a * a, {"twice": 2 * a}), (x,), (torch.ones(3),), has_aux=True)
    close(tangent, 2 * x)
    assert aux["twice"].tolist() == (2 * x).tolist()
    assert jvp(lambda a: torch.ones(2), (x,), (x,))[1].tolist() == [0.0, 0.0]
    with pytest.raises(RuntimeError, match="independent of the"):
        jvp(lambda a: torch.ones(2), (x,), (x,), strict=True)
    with pytest.raises(RuntimeError, match="shape and dtype"):
        jvp(torch.sin, (x,), (torch.ones(2),))


def test_vmap(x):
    close(vmap(torch.dot)(torch.ones(3, 2), torch.arange(6.0).view(3, 2)), [1.0, 5.0, 9.0])
    outer = vmap(vmap(lambda a, b: a * b, in_dims=(None, 0)), in_dims=(0, None))(x, x)
    close(outer, x.reshape(3, 1) * x)
    close(vmap(lambda a: a.sum(), in_dims=1)(outer), outer.sum(0))
    close(vmap(lambda a: a * 2, out_dims=1)(outer), outer.T * 2)
    close(vmap(lambda a, n=None: a * n)(x, n=x), x.reshape(3, 1) * x)  # keyword arguments are shared
    close(vmap(lambda a: a + 1, chunk_size=2)(x), x + 1)


def test_vmap_of_gradients(x):
    w = torch.ones(2, 3)
    samples = torch.arange(6.0).view(2, 3)
    found = vmap(grad(lambda w, s: ((w @ s) ** 2).sum()), in_dims=(None, 0))(w, samples)
    close(found, torch.stack([2 * (w @ s).reshape(2, 1) * s for s in samples]))


def test_gradients_through_vmap(x):
    close(grad(lambda w: vmap(lambda a: a * w)(x).sum())(torch.tensor(2.0)), 6.0)
    w = torch.tensor(2.0, requires_grad=True)
    vmap(lambda a: (a * w).sin())(x).sum().backward()
    close(w.grad, (x * (2 * x).cos()).sum())


def test_in_place_inside(x):
    def f(a):
        b = a.clone()
        b.mul_(a)
        b[0].add_(1.0)
        return b

    expected = x * x + torch.tensor([1.0, 0.0, 0.0])
    close(vmap(f)(torch.stack([x, x])), torch.stack([expected, expected]))
    close(grad(lambda a: f(a).sum())(x), 2 * x)
    close(jvp(f, (x,), (torch.ones(3),))[1], 2 * x)
    close(vmap(grad(lambda a: f(a).sum()))(torch.stack([x, x])), torch.stack([2 * x, 2 * x]))
    with pytest.raises(RuntimeError, match="inplace arithmetic"):
        vmap(lambda a: torch.zeros(3).add_(a))(torch.stack([x, x]))


def test_vmap_says_what_it_cannot(x):
    for f, match in (
        (lambda a: a.item(), "item"),
        (lambda a: a if a > 0 else -a, "data-dependent"),
        (lambda a: a.numpy(), "numpy"),
        (lambda a: torch.rand(2), "randomness"),
        (lambda a: 1, "only return Tensors"),
        (lambda a: torch.nonzero(a - 1.0), "different sizes"),
    ):
        with pytest.raises((RuntimeError, ValueError), match=match):
            vmap(f)(x)
    with pytest.raises(ValueError, match="same size"):
        vmap(lambda a, b: a)(x, torch.ones(2))
    with pytest.raises(ValueError, match="dimensionality"):
        vmap(torch.sin, in_dims=1)(x)
    with pytest.raises(ValueError, match="structure"):
        vmap(torch.sin, in_dims=(0, 0))(x)
    kept = []
    vmap(lambda a: kept.append(a) or a)(x)
    with pytest.raises(RuntimeError, match="after the vmap"):
        kept[0] + 1


def test_one_example_at_a_time(x):
    def branching(a):
        return torch.tensor(2 * a.item()) if a > 1 else -a

    with pytest.warns(UserWarning, match="once for each example"):
        close(vmap(branching, fallback="loop")(x), [-1.0, 4.0, 6.0])
    close(vmap(branching, fallback="loop")(x), [-1.0, 4.0, 6.0])  # and is silent from then on


def test_random_numbers(x):
    torch.manual_seed(0)
    different = vmap(lambda a: a + torch.rand(2), randomness="different")(torch.zeros(3))
    assert len({float(v) for v in different.reshape(-1)}) == 6
    same = vmap(lambda a: a + torch.rand(2), randomness="same")(torch.zeros(3))
    assert same[0].tolist() == same[1].tolist() == same[2].tolist()


@pytest.mark.parametrize(
    "draw", [lambda a: torch.normal(a, 1.0), lambda a: torch.normal(0.0, a + 1.0), lambda a: torch.normal(a, a + 1.0)]
)
def test_random_numbers_around_examples(draw):
    examples = torch.zeros(3, 2)
    torch.manual_seed(0)
    different = vmap(draw, randomness="different")(examples)
    assert len({float(v) for v in different.reshape(-1)}) == 6
    with pytest.raises(RuntimeError, match="randomness error mode"):
        vmap(draw)(examples)
    with pytest.raises(RuntimeError, match="same randomness with a batched tensor input"):
        vmap(draw, randomness="same")(examples)


def test_gradients_of_many_at_once(x):
    leaf = x.clone().requires_grad_()
    (jacobian,) = autograd_grad(leaf**2, leaf, torch.eye(3), is_grads_batched=True)
    close(jacobian, 2 * x * torch.eye(3))


# --- custom Functions -----------------------------------------------------------------------------------------------


class Cube(Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * 3 * x**2


class NumpyCube(Function):
    @staticmethod
    def forward(x):
        return torch.from_numpy(x.detach().numpy() ** 3)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)
        ctx.save_for_forward(*inputs)

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * 3 * x**2

    @staticmethod
    def jvp(ctx, t):
        (x,) = ctx.saved_tensors
        return t * 3 * x**2

    @staticmethod
    def vmap(info, in_dims, x):
        assert info.batch_size == 3 and info.randomness == "error"
        return NumpyCube.apply(x), in_dims[0]


class Plain(Cube):
    """Old style, without a rule."""

    generate_vmap_rule = False


@pytest.mark.parametrize("cube", [Cube, NumpyCube, Plain])
def test_functions_under_derivatives(x, cube):
    def f(x):
        return cube.apply(x).sum()

    close(grad(f)(x), 3 * x * x)
    close(jvp(cube.apply, (x,), (torch.ones(3),))[1], 3 * x * x)  # Cube and Plain have no jvp: it follows from backward
    close(grad(lambda x: grad(f)(x).sum())(x), 6 * x)
    close(jvp(grad(f), (x,), (torch.ones(3),))[1], 6 * x)


@pytest.mark.parametrize("cube", [Cube, NumpyCube])
def test_functions_under_vmap(x, cube):
    close(vmap(cube.apply)(x), x**3)
    close(vmap(grad(cube.apply))(x), 3 * x * x)
    close(vmap(grad(grad(cube.apply)))(x), 6 * x)
    close(grad(lambda x: vmap(cube.apply)(x).sum())(x), 3 * x * x)
    close(grad(lambda x: vmap(grad(cube.apply))(x).sum())(x), 6 * x)
    close(grad(lambda x: vmap(grad_and_value(cube.apply))(x)[1].sum())(x), 3 * x * x)
    close(jacrev(cube.apply)(x), 3 * x * x * torch.eye(3))
    close(hessian(lambda x: cube.apply(x).sum())(x), 6 * x * torch.eye(3))


def test_functions_without_a_rule(x):
    with pytest.raises(RuntimeError, match="does not have vmap support"):
        vmap(Plain.apply)(x)
    with pytest.warns(UserWarning, match="once for each example"):
        close(vmap(lambda a: Plain.apply(a), fallback="loop")(x), x**3)


def test_what_derivatives_refuse(x):
    with pytest.raises(TypeError, match="gradients can be either Tensors or None, but got int"):
        vjp(torch.sin, x)[1](3)
    for transform in (jacrev, hessian):
        with pytest.raises(RuntimeError, match="must be floating-point or complex Tensors, got .* torch.int64"):
            transform(lambda a: a.sum().long())(x)
    for transform in (jacfwd, lambda f: lambda x: jvp(f, (x,), (x,))):
        with pytest.raises(RuntimeError, match="Expected f to be a function that has non-empty output"):
            transform(lambda a: ())(x)
    value, along = linearize(lambda a: (), x)
    assert value == along(x) == ()


@pytest.mark.parametrize(
    "second",
    [
        lambda f, x: hessian(f)(x).sum(),
        lambda f, x: jacrev(jacrev(f))(x).sum(),
        lambda f, x: vmap(lambda t: jvp(grad(f), (x,), (t,))[1])(torch.eye(2)).sum(),
    ],
)
def test_an_outer_gradient_through_examples_of_inner_ones(second):
    """What only the outer gradient depends on keeps its history where an inner one meets a batch."""
    x = torch.tensor([0.5, 1.5])
    cubes = grad(lambda x: second(lambda x: (x**3).sum(), x))(x)
    assert cubes.tolist() == [6, 6]


def test_linearize_refuses_integers():
    with pytest.raises(ValueError, match="Expected primal to be floating point or complex, but got: torch.int64"):
        linearize(torch.sin, torch.tensor([1, 2]))
