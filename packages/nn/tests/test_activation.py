"""Activation functions: values against NumPy and the math module, gradients against differences, in-place forms,
modules."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import flambeau_nn as nn
import flambeau_tensor as ft
from flambeau_autograd import grad
from flambeau_autograd.func import grad as func_grad
from flambeau_autograd.func import jvp
from flambeau_autograd.gradcheck import gradcheck, gradgradcheck
from flambeau_nn import functional as F
from flambeau_nn.ops import activation as ops
from flambeau_tensor.extend import FLOATS, FUNCTION, LEVEL, built_levels
from samples.derivatives import check_batches, check_derivatives
from samples.values import check_values

ERF = np.vectorize(math.erf)


def sigmoid(x):
    return np.exp(-np.logaddexp(0, -x))


SELU = (1.6732632423543772848170429916717, 1.0507009873554804934193349852946)
REFERENCES = {
    "relu": lambda x: np.maximum(x, 0),
    "relu6": lambda x: np.clip(x, 0, 6),
    "elu": lambda x: np.where(x > 0, x, np.expm1(x)),
    "selu": lambda x: SELU[1] * np.where(x > 0, x, SELU[0] * np.expm1(x)),
    "celu": lambda x: np.where(x > 0, x, np.expm1(x)),
    "leaky_relu": lambda x: np.where(x > 0, x, 0.01 * x),
    "hardtanh": lambda x: np.clip(x, -1, 1),
    "hardsigmoid": lambda x: np.clip(x / 6 + 0.5, 0, 1),
    "hardswish": lambda x: x * np.clip(x / 6 + 0.5, 0, 1),
    "silu": lambda x: x * sigmoid(x),
    "mish": lambda x: x * np.tanh(np.logaddexp(0, x)),
    "gelu": lambda x: x * (1 + ERF(x / math.sqrt(2))) / 2,
    "logsigmoid": lambda x: -np.logaddexp(0, -x),
    "softplus": lambda x: np.where(x > 20, x, np.logaddexp(0, x)),
    "softshrink": lambda x: np.sign(x) * np.maximum(np.abs(x) - 0.5, 0),
    "hardshrink": lambda x: np.where(np.abs(x) > 0.5, x, 0),
    "softsign": lambda x: x / (1 + np.abs(x)),
    "tanhshrink": lambda x: x - np.tanh(x),
    "tanh": np.tanh,
    "sigmoid": sigmoid,
}
INPLACE = ("relu", "relu6", "elu", "selu", "celu", "leaky_relu", "hardtanh", "hardsigmoid", "hardswish", "silu", "mish")
# How far float32 results may be from the exact ones, relative to the larger of 1 and the result.
FLOAT32 = 1e-6


def samples():
    x = np.concatenate([np.linspace(-30, 30, 4001), np.random.default_rng(0).standard_normal(1000) * 3])
    return x[(np.abs(np.abs(x) - 3) > 1e-3) & (np.abs(x) > 1e-4)]  # not at kinks


@pytest.mark.parametrize("name", REFERENCES)
def test_values(name):
    x = samples()
    with np.errstate(over="ignore"):
        exact = REFERENCES[name](x)
    function = getattr(F, name)
    np.testing.assert_allclose(function(ft.from_numpy(x)).numpy(), exact, rtol=1e-12, atol=1e-13)
    single = x.astype("float32")
    with np.errstate(over="ignore"):
        exact = REFERENCES[name](single.astype("float64"))
    result = function(ft.from_numpy(single))
    assert result.dtype is ft.float32
    assert (np.abs(result.numpy() - exact) <= FLOAT32 * np.maximum(1, np.abs(exact))).all()
    for dtype in (ft.float16, ft.bfloat16):
        half = ft.from_numpy(single).to(dtype)
        expected = function(half.float()).to(dtype)
        assert function(half).dtype is dtype
        if name in ("softsign", "tanhshrink"):  # compositions round after each operation
            np.testing.assert_allclose(function(half).float().numpy(), expected.float().numpy(), rtol=0.02, atol=0.05)
        else:
            assert (function(half) == expected).all()


@pytest.mark.parametrize("name", REFERENCES)
def test_special_values(name):
    for dtype in (ft.float32, ft.float64):
        out = getattr(F, name)(ft.tensor([math.nan, math.inf, -math.inf], dtype=dtype)).tolist()
        assert math.isnan(out[0])
        with np.errstate(all="ignore"):
            limits = {
                "silu": (math.inf, math.nan),
                "mish": (math.inf, math.nan),
                "gelu": (math.inf, math.nan),
                "softsign": (math.nan, math.nan),
            }
        if name not in limits:
            with np.errstate(all="ignore"):
                expected = REFERENCES[name](np.array([math.inf, -math.inf]))
            if name not in ("hardswish",):
                np.testing.assert_allclose(out[1:], expected, rtol=1e-6)


@pytest.mark.parametrize("name", REFERENCES)
@pytest.mark.parametrize("size", [(0,), (), (1,), (7,), (3, 1030), (2, 3, 50000)])
def test_shapes_and_layouts(name, size):
    x = ft.from_numpy(np.asarray(np.random.default_rng(1).standard_normal(size), dtype="float32"))
    function = getattr(F, name)
    expected = function(x)
    assert expected.shape == x.shape
    if len(size) > 1:
        turned = x.transpose(0, -1)
        assert (function(turned) == expected.transpose(0, -1)).all()
        assert (function(x[..., ::2]) == expected[..., ::2]).all()


@pytest.mark.parametrize("name", REFERENCES)
def test_gradients(name):
    # Smooth there: differences cannot be taken over kinks.
    x = ft.tensor([-7.3, -2.2, -0.7, -0.2, 0.3, 0.8, 1.7, 4.4, 7.1], dtype=ft.float64, requires_grad=True)
    assert gradcheck(getattr(F, name), (x,))
    assert gradgradcheck(getattr(F, name), (x,), check_fwd_over_rev=True)


@pytest.mark.parametrize("alpha", [-0.5, 0.5, math.inf])
def test_elu_at_zeros_and_nan(alpha):
    # Printed by PyTorch 2.13.
    x = ft.tensor([-0.0, 0.0, math.nan], requires_grad=True)
    out = F.elu(x, alpha)
    assert out[:2].tolist() == [0, 0]
    assert ft.signbit(out[:2]).tolist() == [True, False]
    for graph in (False, True):
        (by_x,) = grad(out.sum(), x, retain_graph=True, create_graph=graph)
        assert by_x.tolist() == [alpha, alpha, 1]


@pytest.mark.parametrize("name", REFERENCES)
def test_backward_kernel_agrees_with_its_formula(name):
    x = ft.from_numpy(np.random.default_rng(2).standard_normal((3, 1000)) * 4).requires_grad_()
    g = ft.from_numpy(np.random.default_rng(3).standard_normal((3, 1000)))
    out = getattr(F, name)(x)
    (by_kernel,) = grad(out, x, g, retain_graph=True)
    (by_formula,) = grad(out, x, g, create_graph=True)
    np.testing.assert_allclose(by_kernel.numpy(), by_formula.detach().numpy(), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(
    ("call", "exact"),
    [
        (lambda x: F.elu(x, 0.7), lambda x: np.where(x > 0, x, 0.7 * np.expm1(x))),
        (lambda x: F.celu(x, 0.7), lambda x: np.where(x > 0, x, 0.7 * np.expm1(x / 0.7))),
        (lambda x: F.leaky_relu(x, 0.2), lambda x: np.where(x > 0, x, 0.2 * x)),
        (lambda x: F.softplus(x, 2.0, 1.5), lambda x: np.where(2 * x > 1.5, x, np.logaddexp(0, 2 * x) / 2)),
        (lambda x: F.threshold(x, 0.3, 2.0), lambda x: np.where(x > 0.3, x, 2.0)),
        (lambda x: F.hardtanh(x, -0.3, 0.6), lambda x: np.clip(x, -0.3, 0.6)),
        (lambda x: F.softshrink(x, 0.2), lambda x: np.sign(x) * np.maximum(np.abs(x) - 0.2, 0)),
        (lambda x: F.hardshrink(x, 0.2), lambda x: np.where(np.abs(x) > 0.2, x, 0)),
        (lambda x: F.rrelu(x, 0.1, 0.3), lambda x: np.where(x > 0, x, 0.2 * x)),
        (
            lambda x: F.gelu(x, approximate="tanh"),
            lambda x: x / 2 * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))),
        ),
    ],
)
def test_arguments(call, exact):
    x = np.random.default_rng(4).standard_normal(500) * 2
    np.testing.assert_allclose(call(ft.from_numpy(x)).numpy(), exact(x), rtol=1e-12, atol=1e-14)
    t = ft.from_numpy(x[:20]).requires_grad_()
    assert gradcheck(call, (t,)) and gradgradcheck(call, (t,), check_fwd_over_rev=True)


@pytest.mark.parametrize("name", INPLACE)
def test_inplace(name):
    x = ft.from_numpy(np.random.default_rng(5).standard_normal((5, 700)).astype("float32") * 3)
    expected = getattr(F, name)(x)
    assert (x == x).all() and x.data_ptr() != expected.data_ptr()
    other = x.clone()
    assert getattr(F, name)(other, inplace=True) is other and (other == expected).all()
    strided = x.t().clone()[::2]
    getattr(F, name)(strided, inplace=True)
    assert (strided == expected.t()[::2]).all()
    leaf = ft.ones(3, requires_grad=True)
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad is being used in an in-place operation"):
        getattr(F, name)(leaf, inplace=True)


@pytest.mark.parametrize("name", INPLACE)
def test_inplace_gradients(name):
    x = ft.tensor([-7.3, -2.2, -0.7, 0.3, 1.7, 7.1], dtype=ft.float64, requires_grad=True)
    (plain,) = grad(getattr(F, name)(x * 1).sum(), x)
    (inplace,) = grad(getattr(F, name)(x * 1, inplace=True).sum(), x)
    assert (plain == inplace).all()


def test_prelu():
    x = ft.from_numpy(np.random.default_rng(6).standard_normal((2, 3, 4))).requires_grad_()
    w = ft.tensor([0.1, 0.2, 0.3], dtype=ft.float64, requires_grad=True)
    expected = np.where(x.detach().numpy() > 0, 1, w.detach().numpy().reshape(1, 3, 1)) * x.detach().numpy()
    np.testing.assert_allclose(F.prelu(x, w).detach().numpy(), expected)
    assert gradcheck(F.prelu, (x, w)) and gradcheck(F.prelu, (x, w[:1]))
    x, w = ft.tensor([2.0, -1.0, float("inf")], requires_grad=True), ft.tensor([float("nan")], requires_grad=True)
    of_x, of_w = grad(F.prelu(x, w).sum(), (x, w))  # a positive element does not depend on the weight
    assert of_x[0] == of_x[2] == 1 and of_x[1].isnan() and of_w.tolist() == [-1.0]
    with pytest.raises(RuntimeError, match="Found parameter numbers = 3 and channel size = 4"):
        F.prelu(ft.ones(2, 4), ft.ones(3))
    with pytest.raises(RuntimeError, match="Expected `weight` to be a scalar or 1D tensor, but got: ndim = 2"):
        F.prelu(ft.ones(2, 4), ft.ones(3, 1))


def test_glu():
    x = np.random.default_rng(7).standard_normal((3, 6))
    np.testing.assert_allclose(F.glu(ft.from_numpy(x)).numpy(), x[:, :3] * sigmoid(x[:, 3:]))
    with pytest.raises(RuntimeError, match="Halving dimension must be even, but dimension 1 is size 5"):
        F.glu(ft.ones(2, 5))


def test_rrelu_draws_slopes():
    ft.manual_seed(0)
    x = ft.full((10000,), -1.0)
    slopes = -F.rrelu(x, 0.1, 0.3, training=True)
    assert 0.1 <= slopes.min().item() and slopes.max().item() < 0.3 and abs(slopes.mean().item() - 0.2) < 0.002
    assert (F.rrelu(-x, 0.1, 0.3, training=True) == 1).all()


@pytest.mark.parametrize("dim", [0, 1, -1])
def test_softmax(dim):
    x = np.random.default_rng(8).standard_normal((3, 4, 5))
    e = np.exp(x)
    expected = e / e.sum(dim, keepdims=True)
    t = ft.from_numpy(x)
    np.testing.assert_allclose(F.softmax(t, dim).numpy(), expected)
    np.testing.assert_allclose(F.log_softmax(t, dim).numpy(), np.log(expected))
    np.testing.assert_allclose(F.softmin(-t, dim).numpy(), expected)
    assert F.softmax(t.float(), dim, dtype=ft.float64).dtype is ft.float64


def test_softmax_without_dim():
    with pytest.warns(UserWarning, match="Implicit dimension choice for softmax has been deprecated"):
        assert (F.softmax(ft.ones(2, 4)) == 0.25).all()


def test_gumbel_softmax():
    ft.manual_seed(0)
    logits = ft.log(ft.tensor([0.1, 0.2, 0.7])).expand(20000, 3)
    hard = F.gumbel_softmax(logits, hard=True)
    assert set(hard.unique().tolist()) <= {0.0, 1.0}
    np.testing.assert_allclose(hard.mean(0).numpy(), [0.1, 0.2, 0.7], atol=0.02)
    np.testing.assert_allclose(F.gumbel_softmax(logits, tau=0.5).sum(1).numpy(), 1, rtol=1e-5)


@settings(max_examples=60, deadline=None)
@given(st.floats(allow_nan=False, allow_infinity=False, width=32))
def test_float32_agrees_with_float64(x):
    for name in ("gelu", "silu", "mish", "elu", "softplus", "logsigmoid"):
        low = getattr(F, name)(ft.tensor([x])).item()
        high = getattr(F, name)(ft.tensor([x], dtype=ft.float64)).item()
        assert abs(low - high) <= 2e-6 * max(1.0, abs(high)), name


@pytest.mark.parametrize("level", built_levels()[built_levels().index(LEVEL) :])
def test_every_build_of_the_loops(level):
    """The loops of the CPU levels that are there and that this processor runs give the same to rounding."""
    import importlib

    from flambeau_tensor import Operator
    from flambeau_tensor.extend import Elementwise

    loops = importlib.import_module(f"flambeau_nn._kernels.hot_{level}.activation").LOOPS
    x = ft.from_numpy(samples().astype("float32"))
    for name in ("gelu", "silu", "mish", "logsigmoid"):
        op = Operator(
            f"{name}_{level}(Tensor self) -> Tensor",
            Elementwise(name, 1, loops[name], dtypes=FLOATS),
            namespace="torch._tests",
            variants=FUNCTION,
            differentiable=False,
        )
        np.testing.assert_allclose(op(x).numpy(), getattr(F, name)(x).numpy(), rtol=1e-5, atol=1e-6)


def test_errors():
    with pytest.raises(TypeError, match=r"relu\(\): argument 'input' \(position 1\) must be Tensor, not int"):
        F.relu(3)
    with pytest.raises(RuntimeError, match="\"silu\" not implemented for 'Long'"):
        F.silu(ft.ones(2, dtype=ft.int64))
    with pytest.raises(RuntimeError, match="approximate"):
        F.gelu(ft.ones(2), approximate="other")
    with pytest.raises(RuntimeError, match="ZeroDivisionError: alpha cannot be 0 for CELU"):
        F.celu(ft.ones(2), 0)
    x = ft.ones(2, dtype=ft.int64)
    with pytest.raises(RuntimeError):
        F.silu(x, inplace=True)
    assert x.tolist() == [1, 1]


# --- modules --------------------------------------------------------------------------------------------------------

MODULES = [
    (nn.ReLU(), F.relu, "ReLU()"),
    (nn.ReLU(True), F.relu, "ReLU(inplace=True)"),
    (nn.ReLU6(), F.relu6, "ReLU6()"),
    (nn.ReLU6(True), F.relu6, "ReLU6(inplace=True)"),
    (nn.ELU(0.7), lambda x: F.elu(x, 0.7), "ELU(alpha=0.7)"),
    (nn.CELU(2.0, True), lambda x: F.celu(x, 2.0), "CELU(alpha=2.0, inplace=True)"),
    (nn.SELU(True), F.selu, "SELU(inplace=True)"),
    (nn.GELU("tanh"), lambda x: F.gelu(x, approximate="tanh"), "GELU(approximate='tanh')"),
    (nn.SiLU(), F.silu, "SiLU()"),
    (nn.Mish(True), F.mish, "Mish(inplace=True)"),
    (nn.Sigmoid(), ft.sigmoid, "Sigmoid()"),
    (nn.Tanh(), ft.tanh, "Tanh()"),
    (nn.Hardsigmoid(True), F.hardsigmoid, "Hardsigmoid()"),
    (nn.Hardswish(True), F.hardswish, "Hardswish()"),
    (nn.Hardtanh(-2, 2, True), lambda x: F.hardtanh(x, -2, 2), "Hardtanh(min_val=-2, max_val=2, inplace=True)"),
    (nn.LeakyReLU(0.1, True), lambda x: F.leaky_relu(x, 0.1), "LeakyReLU(negative_slope=0.1, inplace=True)"),
    (nn.LogSigmoid(), F.logsigmoid, "LogSigmoid()"),
    (nn.Softplus(), F.softplus, "Softplus(beta=1.0, threshold=20.0)"),
    (nn.Softshrink(0.3), lambda x: F.softshrink(x, 0.3), "Softshrink(0.3)"),
    (nn.Hardshrink(0.3), lambda x: F.hardshrink(x, 0.3), "Hardshrink(0.3)"),
    (nn.Softsign(), F.softsign, "Softsign()"),
    (nn.Tanhshrink(), F.tanhshrink, "Tanhshrink()"),
    (nn.Threshold(1, 2, True), lambda x: F.threshold(x, 1, 2), "Threshold(threshold=1, value=2, inplace=True)"),
    (nn.Softmax(-1), lambda x: F.softmax(x, -1), "Softmax(dim=-1)"),
    (nn.LogSoftmax(1), lambda x: F.log_softmax(x, 1), "LogSoftmax(dim=1)"),
    (nn.Softmin(1), lambda x: F.softmin(x, 1), "Softmin(dim=1)"),
    (nn.GLU(), F.glu, "GLU(dim=-1)"),
    (nn.PReLU(), lambda x: F.prelu(x, ft.tensor([0.25])), "PReLU(num_parameters=1)"),
    (nn.RReLU(inplace=True).eval(), F.rrelu, "RReLU(lower=0.125, upper=0.3333333333333333, inplace=True)"),
]


@pytest.mark.parametrize(("module", "function", "printed"), MODULES, ids=[m[2] for m in MODULES])
def test_modules(module, function, printed):
    x = ft.from_numpy(np.random.default_rng(9).standard_normal((3, 4)).astype("float32"))
    expected = function(x)
    given = x.clone()
    out = module(given)
    assert (out == expected).all() and repr(module) == printed
    assert (out is given) == getattr(module, "inplace", False)


def test_other_modules():
    x = ft.ones(2, 3, 4, 4)
    np.testing.assert_allclose(nn.Softmax2d()(x).numpy(), 1 / 3, rtol=1e-6)
    with pytest.raises(ValueError, match="Softmax2d: expected input to be 3D or 4D, got 2D instead"):
        nn.Softmax2d()(ft.ones(2, 3))
    with pytest.raises(AssertionError, match=r"max_val \(0\) must be greater than min_val \(1\)"):
        nn.Hardtanh(1, 0)
    assert nn.PReLU(3, init=0.5).weight.tolist() == [0.5] * 3
    with pytest.raises(ValueError, match="lambda must be greater or equal to 0, but found to be -1."):
        nn.Softshrink(-1)


def test_inner_operators_are_not_in_functional():
    assert ops.silu_.namespace == "torch._C._nn" and not hasattr(F, "silu_backward")


def test_bounds_of_integers():
    # Printed by PyTorch 2.13.
    x = ft.arange(-3, 6)
    assert F.threshold(x, 2.5, 7.5).tolist() == [7] * 6 + [3, 4, 5]
    assert F.hardtanh(x, -1, 3.7).tolist() == [-1, -1, -1, 0, 1, 2, 3, 3, 3]
    assert F.relu6(x + 3).tolist() == [0, 1, 2, 3, 4, 5, 6, 6, 6]
    y = x.clone()
    assert F.hardtanh(y, 0, 2, inplace=True) is y and y.tolist() == [0, 0, 0, 0, 1, 2, 2, 2, 2]
    assert F.threshold(y, 1, 9, inplace=True) is y and y.tolist() == [9, 9, 9, 9, 9, 2, 2, 2, 2]
    for call, error, text in (
        (lambda: F.hardtanh(x.to(ft.uint8), -1, 2), RuntimeError, "unsigned type with negative limits"),
        (lambda: F.hardtanh(x > 0), RuntimeError, "Bool inputs not supported for hardtanh"),
        (
            lambda: F.softshrink(x.float(), -0.5),
            RuntimeError,
            r"lambda must be in range \[0, 3.40282e\+38\] for input dtype Float, but found -0.5",
        ),
        (lambda: F.hardtanh(x.float(), 2, 1), ValueError, "min_val cannot be greater than max_val"),
        (lambda: F.threshold(x > 0, 1, 2), NotImplementedError, "not implemented for 'Bool'"),
        (lambda: F.silu(x), NotImplementedError, "not implemented for 'Long'"),
        (lambda: F.threshold(x.to(ft.uint8), 0, 300), RuntimeError, "without overflow"),
    ):
        with pytest.raises(error, match=text):
            call()


def test_silu_of_complex_numbers():
    z = np.array([1 + 1j, -2 + 0.5j])
    np.testing.assert_allclose(F.silu(ft.tensor(z)).numpy(), z / (1 + np.exp(-z)))
    x = ft.tensor(z)
    assert F.silu(x, inplace=True) is x
    np.testing.assert_allclose(x.numpy(), z / (1 + np.exp(-z)))


def test_softmin_with_a_dtype_turns_the_sign_first():
    # Printed by PyTorch 2.13: small unsigned numbers become large ones.
    x = ft.tensor([1, 2, 0], dtype=ft.uint8)
    assert (
        F.softmin(x, 0, dtype=ft.float64).tolist()
        == F.softmax(ft.tensor([255.0, 254.0, 0.0], dtype=ft.float64), 0).tolist()
    )


# --- odd arguments, as PyTorch 2.13 takes them ----------------------------------------------------------------------

NAN, INF = float("nan"), float("inf")


@pytest.mark.parametrize(
    "call, values",
    [
        (lambda: F.hardtanh_(ft.tensor([-2.0, 0.5, 4.0]), 3, 1), [1, 1, 1]),
        (lambda: F.hardtanh_(ft.tensor([-2.0, 0.5, 4.0]), NAN, 1), [NAN, NAN, NAN]),
        (lambda: F.hardtanh(ft.tensor([-2.0, 0.5, 4.0]), 0, NAN), [NAN, NAN, NAN]),
        (lambda: F.hardtanh_(ft.tensor([-2, 0, 4]), -1, 1.9), [-1, 0, 1]),
        (lambda: F.threshold_(ft.tensor([-2, 0, 4]), 0.5, 7), [7, 7, 4]),
        (lambda: F.hardswish(ft.tensor([-INF, -4.0, 1.0, INF])), [NAN, 0, 4 / 6, INF]),
    ],
)
def test_odd_limits(call, values):
    np.testing.assert_allclose(call().numpy(), values, rtol=1e-6)


@pytest.mark.parametrize(
    "call, kind, text",
    [
        (lambda: F.hardtanh(ft.tensor([1, 2]), -INF, 1), RuntimeError, "cannot be converted to type int64_t without"),
        (lambda: F.threshold(ft.tensor([1, 2], dtype=ft.int8), NAN, 1), RuntimeError, "int8_t without overflow"),
        (lambda: F.hardtanh(ft.ones(1), 3, 1), ValueError, "min_val cannot be greater"),
        (lambda: F.prelu(ft.tensor([1, 2]), ft.tensor([1])), NotImplementedError, '"prelu_cpu" not implemented for'),
        (lambda: F.prelu(ft.ones(2), ft.ones(1).double()), RuntimeError, "Type promoting not supported"),
        (lambda: F.glu(ft.tensor([1, 2])), NotImplementedError, '"glu_cpu" not implemented for'),
        (lambda: F.rrelu(ft.ones(2), 0, INF), RuntimeError, "upper bound must be finite, got inf"),
        (lambda: F.rrelu(ft.tensor([1, 2]), training=True), NotImplementedError, '"rrelu_with_noise_out_cpu" not'),
        (lambda: F.relu(ft.tensor([True])), RuntimeError, "Boolean inputs not supported for relu"),
        (lambda: F.local_response_norm(ft.ones(1, 2, 3), 0), RuntimeError, "kernel size should be greater than zero"),
        (lambda: F.group_norm(ft.ones(1, 2, 3), 0), ZeroDivisionError, "by zero"),
        (lambda: F.rms_norm(ft.tensor([1, 2]), (2,)), NotImplementedError, '"rms_norm" not implemented for'),
        (lambda: F.pad(ft.ones(2), (1, 1, 1, 1), "reflect", 1.0), RuntimeError, "less than or equal to two times"),
        (
            lambda: F.cosine_similarity(ft.ones(2) * 1j, ft.ones(2), 0),
            RuntimeError,
            "common dtype to be floating point",
        ),
    ],
)
def test_what_is_refused(call, kind, text):
    with pytest.raises(kind, match=text):
        call()


TestSamples = check_values("nn.activation")
TestDerivatives = check_derivatives("nn.activation")
TestBatches = check_batches("nn.activation")


def test_the_truth_of_inplace_counts():
    x = ft.tensor([-1.0, 2.0])
    assert F.relu(x, inplace=1) is x and x.tolist() == [0.0, 2.0]
    assert F.relu(x, None) is not x and F.elu(x, inplace=[]) is not x
    assert F.hardtanh(ft.tensor([3], dtype=ft.uint8), -0.5, 2).tolist() == [2]  # limits are integers, too


@pytest.mark.parametrize("function", [F.softplus, F.softshrink, F.hardshrink, F.gelu, F.logsigmoid])
def test_results_into_given_tensors(function):
    x, out = ft.tensor([-2.0, 0.3, 1.5]), ft.empty(3)
    assert function(x, out=out) is out and ft.equal(out, function(x))
    with pytest.raises(RuntimeError, match="unsupported operation"):
        shared = ft.ones(1).expand(3)
        function(shared, out=shared)


@pytest.mark.parametrize(
    "f",
    [
        F.relu,
        F.relu6,
        F.hardtanh,
        F.leaky_relu,
        F.hardsigmoid,
        F.hardshrink,
        F.softshrink,
        lambda x: F.threshold(x, 0.1, 2.0),
    ],
)
def test_second_derivatives_of_piecewise_linear_functions_are_zero(f):
    x = ft.tensor([-4.0, -0.6, 0.3, 2.0], requires_grad=True)
    weight = ft.tensor([1.0, 2.0, 3.0, 4.0], requires_grad=True)
    (first,) = grad((f(x) * weight).sum(), x, create_graph=True)
    second, mixed = grad(first.sum(), (x, weight), create_graph=True)
    np.testing.assert_array_equal(second.detach().numpy(), np.zeros(4))
    np.testing.assert_allclose(mixed.detach().numpy(), (first / weight).detach().numpy())
    np.testing.assert_array_equal(jvp(func_grad(lambda y: f(y).sum()), (x.detach(),), (x.detach(),))[1].numpy(), 0)


def test_the_temperature_of_gumbel_softmax_is_learned():
    tau = ft.tensor(0.5, requires_grad=True)
    nn.functional.gumbel_softmax(ft.tensor([0.1, 0.7, 0.2]), tau=tau)[0].backward()
    assert tau.grad.isfinite() and tau.grad != 0
    for call in (lambda x: nn.functional.leaky_relu(x, tau), lambda x: nn.functional.dropout(x, tau)):
        with pytest.raises(TypeError, match="must be (Number|float), not Tensor"):
            call(ft.ones(2))
