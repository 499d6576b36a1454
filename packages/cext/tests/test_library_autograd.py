"""Custom operators in autograd: registered derivatives, what happens without one, kernels at the key Autograd."""

import gc
import weakref

import numpy as np
import pytest

import flambeau_cext as cext
import flambeau_tensor as ft
from flambeau_cext import ops
from flambeau_cext.library import OpCheckError, _scoped_library, custom_op, opcheck, register_autograd, register_vmap

autograd = pytest.importorskip("flambeau_autograd")
func = pytest.importorskip("flambeau_autograd.func")

Tensor = ft.Tensor


def leaf(*values, dtype=ft.float64):
    return ft.tensor(values, dtype=dtype).requires_grad_()


@pytest.fixture
def scaled():
    @custom_op("grads::scaled", mutates_args=())
    def scaled(x: Tensor, y: Tensor, power: int = 2) -> Tensor:
        return ft.from_numpy(x.numpy() * y.numpy() ** power)

    def setup_context(ctx, inputs, output):
        x, y, ctx.power = inputs
        ctx.save_for_backward(x, y)

    def backward(ctx, grad):
        x, y = ctx.saved_tensors
        p = ctx.power
        return (
            grad * y**p if ctx.needs_input_grad[0] else None,
            grad * x * p * y ** (p - 1) if ctx.needs_input_grad[1] else None,
            None,
        )

    scaled.register_autograd(backward, setup_context=setup_context)
    return scaled


def test_gradients_of_any_order(scaled):
    x, y = leaf(1.0, 2.0), leaf(3.0, -1.0)
    out = scaled(x, y)
    assert type(out.grad_fn).__name__ == "GeneratedBackwardFor_grads_scaled_defaultBackward"
    out.sum().backward()
    assert x.grad.tolist() == [9.0, 1.0] and y.grad.tolist() == [6.0, -4.0]
    assert autograd.gradcheck(lambda a, b: scaled(a, b, 3), (x, y))
    assert autograd.gradgradcheck(lambda a, b: scaled(a, b, 3), (x, y))


def test_only_what_is_needed(scaled):
    x, y = ft.tensor([2.0]), leaf(3.0)
    scaled(x, y, power=1).backward()
    assert y.grad.tolist() == [2.0] and x.grad is None
    assert not scaled(x, ft.tensor([3.0])).requires_grad
    with autograd.no_grad():
        assert not scaled(x, y).requires_grad


def test_a_saved_tensor_that_was_changed(scaled):
    x, y = leaf(1.0), leaf(2.0)
    z = x * 1
    out = scaled(z, y)
    with autograd.no_grad():
        z.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        out.backward()


def test_nothing_is_kept_alive(scaled):
    x = leaf(1.0, 2.0)
    y = x * 2
    out = scaled(y, y)
    gone = weakref.ref(y)
    del y
    assert gone() is not None or out is not None
    del out
    gc.collect()
    assert gone() is None


def test_keyword_arguments():
    @custom_op("grads::shifted", mutates_args=())
    def shifted(x: Tensor, a: float, *, b: float = 1.0) -> Tensor:
        return x * a + b

    def setup_context(ctx, inputs, keyword_only_inputs, output):
        assert keyword_only_inputs == {"b": 3.0} and len(inputs) == 2 and output.shape == inputs[0].shape
        ctx.a = inputs[1]

    shifted.register_autograd(lambda ctx, grad: (grad * ctx.a, None), setup_context=setup_context)
    x = leaf(1.0)
    out = shifted(x, 5.0, b=3.0)
    out.backward()
    assert out.item() == 8.0 and x.grad.item() == 5.0


def test_lists():
    @custom_op("grads::scale_all", mutates_args=())
    def scale_all(xs: list[Tensor], a: float) -> list[Tensor]:
        return [x * a for x in xs]

    seen = []

    def setup_context(ctx, inputs, output):
        assert type(inputs[0]) is list and type(output) is list
        ctx.a = inputs[1]

    def backward(ctx, grads):
        seen.append(([g.tolist() for g in grads], ctx.needs_input_grad[:2]))
        return [g * ctx.a for g in grads], None

    scale_all.register_autograd(backward, setup_context=setup_context)
    x, y = leaf(1.0), ft.ones(1, dtype=ft.float64)
    out = scale_all([x, y, x], 3.0)
    assert type(out) is list and all(t.requires_grad for t in out)
    (out[0] + out[2] * 2).sum().backward()
    assert x.grad.item() == 9.0
    assert seen == [([[1.0], [0.0], [2.0]], (True, False))]


def test_several_results():
    @custom_op("grads::parts", mutates_args=())
    def parts(x: Tensor) -> tuple[Tensor, list[Tensor], Tensor]:
        return x * 2, [x * 3, x * 4], x.argmax()

    parts.register_autograd(lambda ctx, a, bs, n: a * 2 + bs[0] * 3 + bs[1] * 4)
    x = leaf(1.0, 2.0)
    a, (b, c), n = parts(x)
    assert not n.requires_grad and n.item() == 1
    (a + b + c).sum().backward()
    assert x.grad.tolist() == [9.0, 9.0]
    assert autograd.gradcheck(lambda t: parts(t)[1][1], (leaf(1.0, 2.0),))


def test_without_a_derivative():
    @custom_op("grads::none", mutates_args=())
    def none(x: Tensor) -> Tensor:
        return x * 2

    x = leaf(1.0)
    out = none(x)
    assert out.requires_grad
    with pytest.raises(
        RuntimeError, match="Trying to backward through grads::none but no autograd formula was registered"
    ):
        out.backward()
    none.register_autograd(lambda ctx, grad: grad * 2)
    none(x).backward()
    assert x.grad.item() == 2.0


def test_operators_that_write_have_no_derivative():
    @custom_op("grads::bump", mutates_args={"x"})
    def bump(x: Tensor, by: Tensor) -> None:
        x.add_(by)

    with pytest.raises(RuntimeError, match="autograd formula for non-functional operator grads.bump.default"):
        bump.register_autograd(lambda ctx, grad: grad)
    x = leaf(1.0)
    for target in (x, x * 2):
        with pytest.raises(RuntimeError, match="grads::bump: argument 'x' requires grad and would be written to"):
            bump(target, ft.ones(1, dtype=ft.float64))
    running = ft.zeros(1, dtype=ft.float64)
    bump(running, x)  # statistics
    assert running.item() == 1.0 and not running.requires_grad
    with autograd.no_grad():
        bump(x, running)
    assert x.item() == 2.0


def test_kernels_of_a_library():
    with _scoped_library("grads2", "DEF") as lib:
        lib.define("square(Tensor x) -> Tensor")
        lib.impl("square", lambda x: x * x, "CPU")
        lib.define("cube(Tensor x) -> Tensor")
        lib.impl("cube", lambda x: x * x * x, "CompositeImplicitAutograd")
        lib.define("halved(Tensor x, *, float a=0.5) -> Tensor")
        lib.impl("halved", lambda x, *, a: x * a, "CPU")

        class Halved(autograd.Function):
            @staticmethod
            def forward(ctx, x, a):
                return ops.grads2.halved(x, a=a)

            @staticmethod
            def backward(ctx, grad):
                return grad * 100, None

        lib.impl("halved", lambda x, *, a: Halved.apply(x, a), "Autograd")
        x = leaf(3.0)
        ops.grads2.square(x).backward()  # what it calls is recorded
        ops.grads2.cube(x).backward()
        assert x.grad.item() == 6.0 + 27.0
        out = ops.grads2.halved(x)
        out.backward()
        assert out.item() == 1.5 and x.grad.item() == 133.0
        assert not ops.grads2.halved(ft.ones(1)).requires_grad


C = r"""
fl_tensor cubed(fl_tensor x) {
    if (FL_CHECK(x, FL_FLOAT64, FL_ANY)) return NULL;
    fl_tensor y = fl_empty_like(x);
    if (!y) return NULL;
    const double *from = fl_const_data(x);
    double *to = fl_data(y);
    for (int64_t i = 0; i < fl_numel(x); i++) to[i] = from[i] * from[i] * from[i];
    return y;
}
"""


def test_a_kernel_in_c():
    module = cext.load_inline("cubes", c_sources=C, functions=["cubed"])
    custom_op("grads::cubed", module.cubed, mutates_args=(), schema="(Tensor x) -> Tensor")

    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    register_autograd("grads::cubed", lambda ctx, g: g * 3 * ctx.saved_tensors[0] ** 2, setup_context=setup_context)
    x = leaf(2.0, -1.0)
    assert opcheck(ops.grads.cubed, (x,)) == {
        "test_schema": "SUCCESS", "test_autograd_registration": "SUCCESS", "test_gradients": "SUCCESS",
    }  # fmt: skip
    assert autograd.gradgradcheck(ops.grads.cubed, (x,))


def test_opcheck_on_derivatives():
    wrong = custom_op("grads::wrong", lambda x: x * 2, mutates_args=(), schema="(Tensor x) -> Tensor")
    wrong.register_autograd(lambda ctx, grad: grad * 3)
    with pytest.raises(OpCheckError, match="test_gradients failed with Jacobian mismatch"):
        opcheck(wrong, (leaf(1.0),))
    assert "test_gradients" not in opcheck(wrong, (leaf(1.0, dtype=ft.float32),))
    with _scoped_library("grads3", "DEF") as lib:
        lib.define("plain(Tensor x) -> Tensor")
        lib.impl("plain", lambda x: x * 2, "CPU")
        message = "test_autograd_registration failed with grads3::plain: at least one output"
        with pytest.raises(OpCheckError, match=message):  # though it is made of what has a derivative
            opcheck(ops.grads3.plain, (leaf(1.0),))
        register_vmap(ops.grads3.plain, lambda info, in_dims, x: (ops.grads3.plain(x), in_dims[0]))
        with pytest.raises(OpCheckError, match=message):
            opcheck(ops.grads3.plain, (leaf(1.0),))


# --- transforms -----------------------------------------------------------------------------------------------------


@pytest.fixture
def cosine():
    """A kernel that no transform sees into, with a derivative."""

    @custom_op("grads::cosine", mutates_args=())
    def cosine(x: Tensor, factor: float = 1.0) -> Tensor:
        assert not func_levels(x)
        return ft.from_numpy(np.cos(x.numpy()) * factor)

    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(inputs[0])
        ctx.factor = inputs[1]

    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * -ft.sin(x) * ctx.factor, None

    cosine.register_autograd(backward, setup_context=setup_context)
    return cosine


def func_levels(x):
    return type(x).__name__ != "Tensor" or (not x.is_contiguous() and x.ndim > 1)


X = ft.tensor([[0.1, 0.2, 0.3], [1.0, 2.0, 3.0]], dtype=ft.float64)


def test_batches(cosine):
    expected = np.cos(X.numpy())
    assert np.allclose(func.vmap(cosine)(X).numpy(), expected)
    assert np.allclose(func.vmap(lambda x: cosine(x, 2.0), in_dims=1, out_dims=1)(X.contiguous()).numpy(), 2 * expected)
    seen = []

    @cosine.register_vmap
    def _(info, in_dims, x, factor):
        seen.append((info.batch_size, info.randomness, in_dims, tuple(x.shape), factor))
        return cosine(x, factor), in_dims[0]

    assert np.allclose(func.vmap(cosine)(X, factor=1.0).numpy(), expected)
    assert seen == [(2, "error", (0, None), (2, 3), 1.0)]


@pytest.mark.parametrize("rule", [False, True])
def test_transforms_compose(cosine, rule):
    if rule:
        cosine.register_vmap(lambda info, in_dims, x, factor: (cosine(x, factor), in_dims[0]))

    def f(x):
        return cosine(x).sum()

    minus_sine = -np.sin(X.numpy())
    assert np.allclose(func.grad(f)(X).numpy(), minus_sine)
    assert np.allclose(func.vmap(func.grad(f))(X).numpy(), minus_sine)
    assert np.allclose(func.grad(lambda x: func.vmap(cosine)(x).sum())(X).numpy(), minus_sine)
    assert np.allclose(func.grad(lambda x: func.grad(f)(x).sum())(X).numpy(), -np.cos(X.numpy()))
    value, tangent = func.jvp(cosine, (X,), (X * 0 + 2,))
    assert np.allclose(value.numpy(), np.cos(X.numpy())) and np.allclose(tangent.numpy(), 2 * minus_sine)
    jacobian = func.jacrev(cosine)(X[0])
    assert np.allclose(jacobian.numpy(), np.diag(minus_sine[0]))
    assert np.allclose(func.jacfwd(cosine)(X[0]).numpy(), np.diag(minus_sine[0]))


def test_lists_in_batches():
    @custom_op("grads::all_twice", mutates_args=())
    def all_twice(xs: list[Tensor], by: float) -> tuple[list[Tensor], Tensor]:
        return [ft.from_numpy(np.asarray(x.numpy() * by)) for x in xs], xs[0].sum()

    outs, total = func.vmap(lambda x: all_twice([x, x[0]], 2.0))(X)
    assert np.allclose(outs[0].numpy(), 2 * X.numpy()) and np.allclose(outs[1].numpy(), 2 * X.numpy()[:, 0])
    assert np.allclose(total.numpy(), X.numpy().sum(1))


def test_writing_in_batches():
    @custom_op("grads::add_to", mutates_args={"out"})
    def add_to(x: Tensor, out: Tensor) -> None:
        out.numpy()[...] += x.numpy()

    out = ft.zeros(2, 3, dtype=ft.float64)
    func.vmap(add_to, out_dims=None)(X, out)
    assert np.allclose(out.numpy(), X.numpy())
    with pytest.raises(RuntimeError, match="vmap: grads::add_to cannot write for each example: argument .out. is one"):
        func.vmap(add_to, in_dims=(0, None))(X, out[0])
    with pytest.raises(NotImplementedError, match="grads::add_to: it writes to an argument, which has no tangent"):
        func.jvp(lambda x: add_to(x, out[0]), (X[0],), (X[0],))


def test_a_library_kernel_in_batches():
    with _scoped_library("grads4", "DEF") as lib:
        lib.define("double(Tensor x) -> Tensor")
        lib.impl("double", lambda x: x * 2, "CPU")
        assert np.allclose(func.vmap(ops.grads4.double)(X).numpy(), 2 * X.numpy())
        assert np.allclose(func.vmap(func.grad(lambda x: ops.grads4.double(x).sum()))(X).numpy(), 2)
        register_vmap("grads4::double", lambda info, in_dims, x: (x * 3, in_dims[0]))
        assert np.allclose(func.vmap(ops.grads4.double)(X).numpy(), 3 * X.numpy())


# --- subclasses -----------------------------------------------------------------------------------------------------


def test_a_subclass_through_a_derivative(scaled):
    class Sub(Tensor):
        pass

    x = leaf(2.0)
    out = scaled(x.as_subclass(Sub), ft.tensor([3.0], dtype=ft.float64))
    assert type(out) is Sub
    out.sum().backward()
    assert x.grad.tolist() == [9.0]
