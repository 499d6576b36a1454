"""Losses: values against NumPy, gradients of first and second order against differences, errors with PyTorch's
texts."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import flambeau_nn as nn
import flambeau_tensor as ft
from flambeau_autograd import grad
from flambeau_autograd.gradcheck import gradcheck, gradgradcheck
from flambeau_nn import functional as F
from samples.derivatives import check_batches, check_derivatives
from samples.values import check_values

REDUCTIONS = ("mean", "sum", "none")
RNG = np.random.default_rng(0)
X, Y = RNG.standard_normal((3, 5)) * 3, RNG.standard_normal((3, 5))
P, Q = RNG.random((3, 5)) * 0.9 + 0.05, RNG.random((3, 5)) * 0.9 + 0.05
LABELS, WEIGHT = np.array([4, 0, 2]), np.array([0.5, 1.5, 2.0, 0.7, 1.1])
SIGNS = np.where(RNG.random((3, 5)) > 0.5, 1.0, -1.0)
COUNTS = RNG.integers(0, 6, (3, 5)).astype(float)


def t(a, requires_grad=False):
    return ft.from_numpy(np.array(a)).requires_grad_(requires_grad)


def reduced(loss, reduction):
    return {"mean": np.mean, "sum": np.sum, "none": lambda x: x}[reduction](loss)


def log_softmax(x, axis=1):
    x = x - x.max(axis, keepdims=True)
    return x - np.log(np.exp(x).sum(axis, keepdims=True))


# --- cross entropy --------------------------------------------------------------------------------------------------


def reference(x, target, weight=None, ignore_index=-100, reduction="mean", smoothing=0.0):
    """Row by row, of (N, C) scores."""
    n, classes = x.shape
    w = np.ones(classes) if weight is None else weight
    logs = log_softmax(x)
    if np.asarray(target).dtype.kind == "f":
        q = np.asarray(target) * (1 - smoothing) + smoothing / classes
        losses = -(q * w * logs).sum(1)
        total = n
    else:
        losses, total = np.zeros(n), 0.0
        for i, y in enumerate(target):
            if y == ignore_index:
                continue
            q = np.full(classes, smoothing / classes) * w
            q[y] += (1 - smoothing) * w[y]
            losses[i] = -(q * logs[i]).sum()
            total += w[y]
    return losses.sum() / total if reduction == "mean" else reduced(losses, reduction)


OPTIONS = [
    {},
    {"weight": WEIGHT},
    {"label_smoothing": 0.2},
    {"weight": WEIGHT, "label_smoothing": 0.2},
    {"ignore_index": 0},
    {"ignore_index": 0, "weight": WEIGHT, "label_smoothing": 0.1},
]


@pytest.mark.parametrize("reduction", REDUCTIONS)
@pytest.mark.parametrize("target", [LABELS, P / P.sum(1, keepdims=True)], ids=["labels", "probabilities"])
@pytest.mark.parametrize("options", OPTIONS, ids=[",".join(o) for o in OPTIONS])
def test_cross_entropy(options, target, reduction):
    given_options = {k: t(v) if k == "weight" else v for k, v in options.items()}
    renamed = {{"label_smoothing": "smoothing"}.get(k, k): v for k, v in options.items()}
    expected = reference(X, target, reduction=reduction, **renamed)

    def loss(x):
        return F.cross_entropy(x, t(target), reduction=reduction, **given_options)

    if "ignore_index" in options and target is not LABELS:
        with pytest.raises(RuntimeError, match="ignore_index is not supported for floating point target"):
            loss(t(X))
        return
    np.testing.assert_allclose(loss(t(X)).numpy(), expected, rtol=1e-12)
    x = t(X, True)
    assert gradcheck(loss, (x,)) and gradgradcheck(loss, (x,), check_fwd_over_rev=True)
    g = t(RNG.standard_normal(np.shape(expected)))
    out = loss(x)
    (by_kernel,) = grad(out, x, g, retain_graph=True)
    (by_formula,) = grad(out, x, g, create_graph=True)
    np.testing.assert_allclose(by_kernel.numpy(), by_formula.detach().numpy(), rtol=1e-9, atol=1e-13)


def test_cross_entropy_gradient_of_probabilities():
    x, q = t(X, True), t(P, True)
    for reduction in REDUCTIONS:
        assert gradcheck(
            lambda a, b, r=reduction: F.cross_entropy(a, b, t(WEIGHT), reduction=r, label_smoothing=0.1), (x, q)
        )


@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_cross_entropy_with_more_dimensions(reduction):
    x = RNG.standard_normal((2, 5, 3, 4))
    y = RNG.integers(0, 5, (2, 3, 4))
    y[0, 0, 0] = -100
    rows = np.moveaxis(x, 1, -1).reshape(-1, 5)
    expected = reference(rows, y.reshape(-1), WEIGHT, reduction=reduction, smoothing=0.1)
    out = F.cross_entropy(t(x), t(y), t(WEIGHT), reduction=reduction, label_smoothing=0.1)
    np.testing.assert_allclose(out.numpy(), expected.reshape(y.shape) if reduction == "none" else expected, rtol=1e-12)
    a = t(x, True)
    assert gradcheck(lambda a: F.cross_entropy(a, t(y), t(WEIGHT), reduction=reduction, label_smoothing=0.1), (a,))


def test_cross_entropy_of_one_sample():
    for reduction in REDUCTIONS:
        out = F.cross_entropy(t(X[0]), ft.tensor(2), reduction=reduction)
        assert out.shape == ()
        np.testing.assert_allclose(out.item(), -log_softmax(X[:1])[0, 2])
    np.testing.assert_allclose(F.cross_entropy(t(X[0]), t(P[0])).item(), -(log_softmax(X[:1])[0] * P[0]).sum())
    assert gradcheck(lambda a: F.cross_entropy(a, ft.tensor(2)), (t(X[0], True),))


@pytest.mark.parametrize("classes", [1, 2, 15, 16, 17, 1000, 1024, 1025, 5000])
@pytest.mark.parametrize("dtype", [ft.float32, ft.float64])
def test_cross_entropy_of_many_classes(classes, dtype):
    x = RNG.standard_normal((40, classes)) * 4
    y = RNG.integers(0, classes, 40)
    a = t(x).to(dtype).requires_grad_()
    out = F.cross_entropy(a, t(y))
    tolerance = {"rtol": 2e-6, "atol": 1e-7} if dtype is ft.float32 else {"rtol": 1e-12, "atol": 1e-15}
    np.testing.assert_allclose(out.item(), reference(x, y), **tolerance)
    out.backward()
    expected = np.exp(log_softmax(x))
    expected[np.arange(40), y] -= 1
    np.testing.assert_allclose(
        a.grad.numpy(),
        expected / 40,
        rtol=1e-5 if dtype is ft.float32 else 1e-10,
        atol=1e-7 if dtype is ft.float32 else 1e-15,
    )


def test_cross_entropy_layouts_and_dtypes():
    x = t(X)
    turned = t(np.ascontiguousarray(X.T)).t()
    assert F.cross_entropy(turned, t(LABELS)).item() == F.cross_entropy(x, t(LABELS)).item()
    half = F.cross_entropy(x.half(), t(LABELS))
    assert half.dtype is ft.float16 and abs(half.item() - reference(X, LABELS)) < 0.02
    assert F.cross_entropy(x, t(LABELS).to(ft.uint8)).item() == F.cross_entropy(x, t(LABELS)).item()
    assert F.cross_entropy(ft.zeros(0, 3), ft.zeros(0, dtype=ft.int64), reduction="sum").item() == 0
    assert math.isnan(F.cross_entropy(ft.zeros(0, 3), ft.zeros(0, dtype=ft.int64)).item())
    assert math.isnan(F.cross_entropy(x, t([-100, -100, -100])).item())


def test_cross_entropy_does_not_overflow():
    x = ft.tensor([[1000.0, -1000.0], [-1e30, 1e30]], requires_grad=True)
    out = F.cross_entropy(x, ft.tensor([0, 1]))
    out.backward()
    assert out.item() == 0 and not x.grad.any()
    assert F.cross_entropy(x, ft.tensor([1, 1])).item() == 1000


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (
            lambda: F.cross_entropy(t(X), t([0, 1])),
            ValueError,
            r"Expected input batch_size \(3\) to match target "
            r"batch_size \(2\)\.",
        ),
        (lambda: F.cross_entropy(t(X), t([0, 1, 5])), IndexError, r"Target 5 is out of bounds\."),
        (lambda: F.cross_entropy(t(X), t([0, 1, -1])), IndexError, r"Target -1 is out of bounds\."),
        (
            lambda: F.cross_entropy(t(X), t([0, 1, 2]).int()),
            RuntimeError,
            "expected target dtype to be Long or Byte, but got Int",
        ),
        (
            lambda: F.cross_entropy(t(X), t(X > 0).long()),
            RuntimeError,
            "Expected floating point type for target with class probabilities, got Long",
        ),
        (
            lambda: F.cross_entropy(t(X), t([[0, 1], [1, 2], [2, 3]])),
            RuntimeError,
            "0D or 1D target tensor expected, multi-target not supported",
        ),
        (
            lambda: F.cross_entropy(t(X), t(LABELS), t([1.0])),
            RuntimeError,
            r"weight tensor should be defined either for all 5 classes or no classes but got weight tensor of "
            r"shape: \[1\]",
        ),
        (
            lambda: F.cross_entropy(t(X), t(LABELS), label_smoothing=2.0),
            RuntimeError,
            r"label_smoothing must be between 0.0 and 1.0. Got: 2",
        ),
        (
            lambda: F.cross_entropy(t(X), t(LABELS), reduction="other"),
            ValueError,
            "other is not a valid value for reduction",
        ),
        (
            lambda: F.cross_entropy(ft.ones(2, 3, 4), ft.ones(2, 5, dtype=ft.int64)),
            RuntimeError,
            r"Expected target size \[2, 4\], got \[2, 5\]",
        ),
        (lambda: F.cross_entropy(ft.ones(3, 5, dtype=ft.int64), t(LABELS)), RuntimeError, "not implemented for 'Long'"),
        (
            lambda: F.cross_entropy(3, t(LABELS)),
            TypeError,
            r"cross_entropy\(\): argument 'input' \(position 1\) must be Tensor, not int",
        ),
    ],
)
def test_cross_entropy_errors(call, error, text):
    with pytest.raises(error, match=text):
        call()


@settings(max_examples=50, deadline=None)
@given(st.integers(1, 70), st.integers(1, 40), st.floats(0, 1), st.booleans(), st.integers(0, 2**32 - 1))
def test_cross_entropy_against_the_reference(rows, classes, smoothing, weighted, seed):
    rng = np.random.default_rng(seed)
    x, y, w = rng.standard_normal((rows, classes)) * 5, rng.integers(0, classes, rows), rng.random(classes) + 0.1
    y[rng.random(rows) < 0.2] = -100
    if (y == -100).all():
        y[0] = 0
    out = F.cross_entropy(t(x), t(y), t(w) if weighted else None, label_smoothing=smoothing)
    np.testing.assert_allclose(
        out.item(), reference(x, y, w if weighted else None, smoothing=smoothing), rtol=1e-10, atol=1e-12
    )


@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_nll_loss_is_the_rest_of_cross_entropy(reduction):
    x = t(X, True)
    y = t([4, -100, 2])
    a = F.cross_entropy(x, y, t(WEIGHT), reduction=reduction)
    b = F.nll_loss(F.log_softmax(x, 1), y, t(WEIGHT), reduction=reduction)
    np.testing.assert_allclose(a.detach().numpy(), b.detach().numpy())
    for ga, gb in zip(grad(a.sum(), x), grad(b.sum(), x), strict=True):
        np.testing.assert_allclose(ga.numpy(), gb.numpy(), atol=1e-15)
    with pytest.raises(IndexError, match="Target 7 is out of bounds"):
        F.nll_loss(x, t([7, 0, 0]))


# --- pairs ----------------------------------------------------------------------------------------------------------

D = X - Y
SIGMOID = 1 / (1 + np.exp(-X))
PAIRS = {
    "mse_loss": (F.mse_loss, (X, Y), D**2),
    "l1_loss": (F.l1_loss, (X, Y), np.abs(D)),
    "smooth_l1_loss": (F.smooth_l1_loss, (X, Y), np.where(np.abs(D) < 1, D**2 / 2, np.abs(D) - 0.5)),
    "smooth_l1_loss, beta": (
        lambda a, b, **k: F.smooth_l1_loss(a, b, beta=0.4, **k),
        (X, Y),
        np.where(np.abs(D) < 0.4, D**2 / 0.8, np.abs(D) - 0.2),
    ),
    "smooth_l1_loss, beta 0": (lambda a, b, **k: F.smooth_l1_loss(a, b, beta=0, **k), (X, Y), np.abs(D)),
    "huber_loss": (
        lambda a, b, **k: F.huber_loss(a, b, delta=1.5, **k),
        (X, Y),
        np.where(np.abs(D) <= 1.5, D**2 / 2, 1.5 * (np.abs(D) - 0.75)),
    ),
    "binary_cross_entropy": (F.binary_cross_entropy, (P, Q), -(Q * np.log(P) + (1 - Q) * np.log(1 - P))),
    "binary_cross_entropy_with_logits": (
        F.binary_cross_entropy_with_logits,
        (X, Q),
        -(Q * np.log(SIGMOID) + (1 - Q) * np.log1p(-SIGMOID)),
    ),
    "weighted bce": (
        lambda a, b, **k: F.binary_cross_entropy(a, b, t(WEIGHT), **k),
        (P, Q),
        -(Q * np.log(P) + (1 - Q) * np.log(1 - P)) * WEIGHT,
    ),
    "weighted bce with logits": (
        lambda a, b, **k: F.binary_cross_entropy_with_logits(a, b, t(WEIGHT), pos_weight=t(WEIGHT + 1), **k),
        (X, Q),
        -(Q * (WEIGHT + 1) * np.log(SIGMOID) + (1 - Q) * np.log1p(-SIGMOID)) * WEIGHT,
    ),
    "poisson_nll_loss": (F.poisson_nll_loss, (X, COUNTS), np.exp(X) - COUNTS * X),
    "poisson_nll_loss, full": (
        lambda a, b, **k: F.poisson_nll_loss(a, b, log_input=False, full=True, eps=0.0, **k),
        (P, COUNTS + 2),
        P
        - (COUNTS + 2) * np.log(P)
        + (COUNTS + 2) * np.log(COUNTS + 2)
        - (COUNTS + 2)
        + np.log(2 * np.pi * (COUNTS + 2)) / 2,
    ),
    "soft_margin_loss": (F.soft_margin_loss, (X, SIGNS), np.logaddexp(0, -SIGNS * X)),
    "hinge_embedding_loss": (F.hinge_embedding_loss, (X, SIGNS), np.where(SIGNS > 0, X, np.maximum(0, 1 - X))),
    "kl_div": (F.kl_div, (X, Q), Q * (np.log(Q) - X)),
    "kl_div, log": (lambda a, b, **k: F.kl_div(a, b, log_target=True, **k), (X, Y), np.exp(Y) * (Y - X)),
}


@pytest.mark.filterwarnings("ignore:reduction")
@pytest.mark.parametrize("reduction", REDUCTIONS)
@pytest.mark.parametrize("name", PAIRS)
def test_pairs(name, reduction):
    function, (a, b), losses = PAIRS[name]
    np.testing.assert_allclose(
        function(t(a), t(b), reduction=reduction).numpy(), reduced(losses, reduction), rtol=1e-11
    )
    single = function(t(a).float(), t(b).float(), reduction=reduction) if "weighted" not in name else None
    if single is not None:
        assert single.dtype is ft.float32
        np.testing.assert_allclose(single.numpy(), reduced(losses, reduction), rtol=2e-5, atol=1e-5)


@pytest.mark.filterwarnings("ignore:reduction")
@pytest.mark.parametrize("reduction", REDUCTIONS)
@pytest.mark.parametrize("name", PAIRS)
def test_gradients_of_pairs(name, reduction):
    function, (a, b), _ = PAIRS[name]
    second = "poisson" not in name and "margin" not in name and "hinge" not in name and "weighted bce" != name

    def loss(*args):
        return function(*(args if second else (*args, t(b))), reduction=reduction)

    inputs = (t(a, True), t(b, True)) if second else (t(a, True),)
    assert gradcheck(loss, inputs) and gradgradcheck(loss, inputs, check_fwd_over_rev=True)


@pytest.mark.parametrize("name", ["mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss"])
def test_large_pairs(name):
    """Sums in parts, values by threads."""
    a, b = (RNG.standard_normal((300, 1001)) for _ in range(2))
    small = getattr(F, name)(t(a[:3]), t(b[:3]), reduction="none")
    for reduction in REDUCTIONS:
        out = getattr(F, name)(t(a), t(b), reduction=reduction)
        whole = getattr(F, name)(t(a), t(b), reduction="none").numpy()
        np.testing.assert_allclose(out.numpy(), reduced(whole, reduction), rtol=1e-12)
    np.testing.assert_allclose(whole[:3], small.numpy())
    assert getattr(F, name)(t(a), t(b)).item() == getattr(F, name)(t(a), t(b)).item()
    x = t(a.astype("float32"), True)
    getattr(F, name)(x, t(b.astype("float32"))).backward()
    part = t(a[:3].astype("float32"), True)
    getattr(F, name)(part, t(b[:3].astype("float32")), reduction="sum").backward()
    np.testing.assert_allclose(x.grad[:3].numpy() * a.size, part.grad.numpy(), rtol=1e-5)


def test_bce_at_the_ends():
    x = ft.tensor([0.0, 1.0, 0.0, 1.0])
    assert F.binary_cross_entropy(x, ft.tensor([0.0, 1.0, 1.0, 0.0]), reduction="none").tolist() == [0, 0, 100, 100]
    x = ft.tensor([-1000.0, 1000.0])
    assert F.binary_cross_entropy_with_logits(x, ft.tensor([1.0, 1.0]), reduction="none").tolist() == [1000, 0]


def test_sizes_that_differ():
    with pytest.warns(
        UserWarning,
        match=r"Using a target size \(torch.Size\(\[5\]\)\) that is different to the input "
        r"size",
    ):
        out = F.mse_loss(t(X), t(Y[0]))
    np.testing.assert_allclose(out.item(), ((X - Y[0]) ** 2).mean())
    with pytest.raises(ValueError, match="Please ensure they have the same size"):
        F.binary_cross_entropy(t(P), t(Q[0]))
    for wrong in (-0.1, 1.5, float("nan")):
        with pytest.raises(RuntimeError, match="all elements of input should be between 0 and 1"):
            F.binary_cross_entropy(ft.tensor([0.5, wrong]), ft.tensor([0.5, 1.0]))
        with pytest.raises(RuntimeError, match="all elements of target should be between 0 and 1"):
            F.binary_cross_entropy(ft.tensor([0.5, 1.0]), ft.tensor([wrong, 0.5]))
    with pytest.raises(ValueError, match=r"Target size \(torch.Size\(\[5\]\)\) must be the same as input size"):
        F.binary_cross_entropy_with_logits(t(P), t(Q[0]))


def test_dtypes_that_differ():
    assert F.mse_loss(t(X).float(), t(Y)).dtype is ft.float64
    with pytest.raises(RuntimeError, match="not implemented for 'Long'"):
        F.mse_loss(ft.ones(2, dtype=ft.int64), ft.ones(2, dtype=ft.int64))
    assert F.mse_loss(t(X).half(), t(Y).half()).dtype is ft.float16


def test_weights_of_pairs():
    out = F.mse_loss(t(X), t(Y), weight=t(P))
    np.testing.assert_allclose(out.item(), (D**2 * P).sum() / P.sum())
    with pytest.raises(ValueError, match="Weights and input must have the same size"):
        F.mse_loss(t(X), t(Y), weight=t(WEIGHT))


@pytest.mark.parametrize("dtype", [ft.float64, ft.float16, ft.int64])
def test_weights_of_binary_cross_entropy_change_no_dtype(dtype):
    p, weight = ft.full((2, 3), 0.25), ft.tensor([1, 2, 0], dtype=dtype)
    each = -(0.25 * math.log(0.25) + 0.75 * math.log(0.75))
    out = F.binary_cross_entropy(p, p, weight, reduction="none")
    assert out.dtype is ft.float32
    np.testing.assert_allclose(out.numpy(), [[each, 2 * each, 0]] * 2, rtol=1e-6)
    assert F.binary_cross_entropy(p, p, weight).dtype is ft.float32


def test_old_arguments():
    with pytest.warns(UserWarning, match="please use reduction='sum' instead"):
        assert F.mse_loss(t(X), t(Y), size_average=False).item() == F.mse_loss(t(X), t(Y), reduction="sum").item()
    with pytest.warns(UserWarning, match="please use reduction='none' instead"):
        assert F.cross_entropy(t(X), t(LABELS), reduce=False).shape == (3,)
    with pytest.warns(UserWarning, match="reduction='mean'"):
        assert nn.MSELoss(size_average=True).reduction == "mean"


def test_gradients_of_another_size():
    from flambeau_nn.ops import loss as ops

    for reduction in REDUCTIONS:
        for bad in (ft.ones(2), ft.ones(0)):
            with pytest.raises(RuntimeError, match="mse_loss_backward: expected a gradient of"):
                ops.mse_loss_backward(bad, t(X), t(Y), reduction)
            with pytest.raises(RuntimeError, match="cross_entropy_backward: expected a gradient of"):
                ops.cross_entropy_backward(bad, t(X), t(LABELS), None, -100, reduction)
    with pytest.raises(RuntimeError, match="input and target must have the same size"):
        ops.l1_loss_backward(ft.ones(()), t(X), t(Y[0]))


def test_wrong_parameters():
    with pytest.raises(RuntimeError, match="huber_loss does not support non-positive values for delta"):
        F.huber_loss(t(X), t(Y), delta=0)
    with pytest.raises(RuntimeError, match="smooth_l1_loss does not support negative values for beta"):
        F.smooth_l1_loss(t(X), t(Y), beta=-1)
    with pytest.raises(ValueError, match="margin must be greater than 0"):
        F.triplet_margin_loss(t(X), t(Y), t(P), margin=0)
    with pytest.raises(ValueError, match="var has negative entry/entries"):
        F.gaussian_nll_loss(t(X), t(Y), t(-P))


# --- of vectors -----------------------------------------------------------------------------------------------------


def test_losses_of_vectors():
    near = np.linalg.norm(X - Y + 1e-6, axis=1)
    far = np.minimum(np.linalg.norm(X - P + 1e-6, axis=1), np.linalg.norm(Y - P + 1e-6, axis=1))
    np.testing.assert_allclose(
        F.triplet_margin_loss(t(X), t(Y), t(P), swap=True).item(), np.maximum(0, 1 + near - far).mean()
    )
    cos = (X * Y).sum(1) / np.linalg.norm(X, axis=1) / np.linalg.norm(Y, axis=1)
    signs = np.array([1.0, -1.0, 1.0])
    np.testing.assert_allclose(
        F.cosine_embedding_loss(t(X), t(Y), t(signs), margin=0.1, reduction="none").numpy(),
        np.where(signs > 0, 1 - cos, np.maximum(0, cos - 0.1)),
    )
    np.testing.assert_allclose(
        F.margin_ranking_loss(t(X[:, 0]), t(Y[:, 0]), t(signs), margin=0.1, reduction="none").numpy(),
        np.maximum(0, -signs * (X[:, 0] - Y[:, 0]) + 0.1),
    )
    np.testing.assert_allclose(
        F.gaussian_nll_loss(t(X), t(Y), t(P), full=True, reduction="none").numpy(),
        0.5 * (np.log(P) + D**2 / P + np.log(2 * np.pi)),
    )
    x, y, p = t(X, True), t(Y, True), t(P, True)
    assert gradcheck(F.triplet_margin_loss, (x, y, p)) and gradcheck(F.gaussian_nll_loss, (x, y, p))


@pytest.mark.filterwarnings("ignore:reduction")
@pytest.mark.parametrize(
    ("module", "function", "args"),
    [
        (
            nn.CrossEntropyLoss(t(WEIGHT), label_smoothing=0.1),
            lambda a, b: F.cross_entropy(a, b, t(WEIGHT), label_smoothing=0.1),
            (X, LABELS),
        ),
        (nn.NLLLoss(t(WEIGHT), ignore_index=0), lambda a, b: F.nll_loss(a, b, t(WEIGHT), ignore_index=0), (X, LABELS)),
        (nn.MSELoss(reduction="sum"), lambda a, b: F.mse_loss(a, b, reduction="sum"), (X, Y)),
        (nn.L1Loss(), F.l1_loss, (X, Y)),
        (nn.SmoothL1Loss(beta=2.0), lambda a, b: F.smooth_l1_loss(a, b, beta=2.0), (X, Y)),
        (nn.HuberLoss(delta=0.5), lambda a, b: F.huber_loss(a, b, delta=0.5), (X, Y)),
        (nn.BCELoss(), F.binary_cross_entropy, (P, Q)),
        (
            nn.BCEWithLogitsLoss(pos_weight=t(WEIGHT)),
            lambda a, b: F.binary_cross_entropy_with_logits(a, b, pos_weight=t(WEIGHT)),
            (X, Q),
        ),
        (nn.KLDivLoss(reduction="batchmean"), lambda a, b: F.kl_div(a, b, reduction="sum") / 3, (X, Q)),
        (nn.PoissonNLLLoss(full=True), lambda a, b: F.poisson_nll_loss(a, b, full=True), (X, COUNTS)),
        (nn.GaussianNLLLoss(), F.gaussian_nll_loss, (X, Y, P)),
        (nn.SoftMarginLoss(), F.soft_margin_loss, (X, SIGNS)),
        (nn.HingeEmbeddingLoss(2.0), lambda a, b: F.hinge_embedding_loss(a, b, 2.0), (X, SIGNS)),
        (nn.TripletMarginLoss(2.0), lambda a, b, c: F.triplet_margin_loss(a, b, c, 2.0), (X, Y, P)),
        (nn.CosineEmbeddingLoss(0.2), lambda a, b, c: F.cosine_embedding_loss(a, b, c, 0.2), (X, Y, SIGNS[:, 0])),
        (
            nn.MarginRankingLoss(0.2),
            lambda a, b, c: F.margin_ranking_loss(a, b, c, 0.2),
            (X[:, 0], Y[:, 0], SIGNS[:, 0]),
        ),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, nn.Module) else "",
)
def test_modules(module, function, args):
    args = [t(a) for a in args]
    assert module(*args).item() == function(*args).item()
    assert repr(module) == f"{type(module).__name__}()"


def test_weight_is_a_buffer():
    m = nn.CrossEntropyLoss(weight=ft.ones(3))
    assert list(m.state_dict()) == ["weight"] and m.double().weight.dtype is ft.float64


def test_losses_of_integers_and_complex_numbers():
    # Printed by PyTorch 2.13.
    x, y = ft.arange(10).reshape(2, 5), ft.arange(10).reshape(2, 5) + 1
    target = ft.tensor([1, -1])
    assert F.cosine_embedding_loss(x, y, target).item() == pytest.approx(0.5074855)
    assert F.cosine_embedding_loss(x, y, target, margin=0.3, reduction="sum").item() == pytest.approx(0.7149710)
    assert F.l1_loss(x, y, reduction="none").dtype is ft.int64
    z = ft.tensor([1 + 2j, -3 + 0.5j], requires_grad=True)
    loss = F.l1_loss(z, ft.zeros(2, dtype=ft.complex64))
    assert loss.item() == pytest.approx((abs(1 + 2j) + abs(-3 + 0.5j)) / 2)
    loss.backward()
    assert z.grad.tolist() == pytest.approx([v / abs(v) / 2 for v in (1 + 2j, -3 + 0.5j)])
    with pytest.raises(NotImplementedError, match="mse_loss"):
        F.mse_loss(x, y)


# --- dtypes and errors, as PyTorch 2.13 has them --------------------------------------------------------------------

HALF, SINGLE, DOUBLE = (ft.tensor([0.5, -1.0], dtype=d) for d in (ft.float16, ft.float32, ft.float64))
LONG, SIGN = ft.tensor([3, -2]), ft.tensor([1, -1])


@pytest.mark.parametrize(
    "call, dtype, values",
    [
        (lambda: F.mse_loss(HALF, DOUBLE, reduction="none"), ft.float64, [0, 0]),
        (lambda: F.huber_loss(HALF, SINGLE * 2, reduction="none"), ft.float16, [0.125, 0.5]),
        (lambda: F.l1_loss(LONG, SIGN, reduction="none"), ft.int64, [2, 1]),
        (lambda: F.smooth_l1_loss(LONG, SIGN, reduction="sum", beta=0), ft.int64, 3),
        (
            lambda: F.binary_cross_entropy_with_logits(DOUBLE, SINGLE.abs(), reduction="none"),
            ft.float32,
            [0.724077, 1.313262],
        ),
        (lambda: F.soft_margin_loss(HALF, SIGN.double(), reduction="none"), ft.float16, [0.474121, 0.313232]),
        (lambda: F.hinge_embedding_loss(LONG, SIGN, margin=1.5, reduction="none"), ft.int64, [3, 3]),
        (lambda: F.poisson_nll_loss(HALF, LONG, full=True, reduction="none"), ft.float16, [1.912109, -1.631836]),
        (lambda: F.kl_div(SINGLE, SINGLE, reduction="none"), ft.float32, [-0.596574, float("nan")]),
        (lambda: F.kl_div(SINGLE, ft.tensor([-1.0, 0.0]), reduction="none"), ft.float32, [float("nan"), 0]),
        (lambda: F.huber_loss(SINGLE, DOUBLE * 0, weight=ft.tensor([1.0, 3.0])), ft.float32, 0.8125),
        (lambda: F.mse_loss(SINGLE, DOUBLE * 0, weight=ft.tensor([1.0, 3.0])), ft.float64, 0.8125),
        (lambda: F.mse_loss(SINGLE * 1j, SINGLE, weight=SINGLE, reduction="none"), ft.complex64, [-0.25j, 2j]),
    ],
)
def test_mixed_dtypes(call, dtype, values):
    out = call()
    assert out.dtype is dtype
    np.testing.assert_allclose(
        out.to(ft.complex128 if dtype is ft.complex64 else ft.float64).numpy(),
        values,
        atol=1e-3 if dtype is ft.float16 else 1e-5,
    )


@pytest.mark.parametrize(
    "call, kind, text",
    [
        (
            lambda: F.huber_loss(LONG, SINGLE),
            RuntimeError,
            "result type Float can't be cast to the desired output type L",
        ),
        (lambda: F.soft_margin_loss(LONG, SIGN), RuntimeError, "result type Float can't be cast"),
        (lambda: F.binary_cross_entropy_with_logits(SINGLE, SIGN), RuntimeError, "result type Float can't be cast"),
        (lambda: F.kl_div(SINGLE * 1j, SINGLE, reduction="sum"), RuntimeError, "Complex inputs not supported"),
        (lambda: F.kl_div(LONG, SINGLE, reduction="sum"), RuntimeError, "Integral inputs not supported"),
        (lambda: F.l1_loss(LONG, ft.tensor([True, False])), RuntimeError, "with a bool tensor is not supported"),
        (lambda: F.smooth_l1_loss(SINGLE, SINGLE, beta=float("nan")), RuntimeError, "negative values for beta"),
        (
            lambda: F.cross_entropy(SINGLE.view(1, 2), ft.tensor([0]), weight=DOUBLE),
            RuntimeError,
            "expected scalar type Float but found Double",
        ),
        (
            lambda: F.nll_loss(SINGLE.view(1, 2), ft.tensor([0]), weight=DOUBLE),
            RuntimeError,
            "expected scalar type Float but found Double",
        ),
        (lambda: F.cosine_embedding_loss(SINGLE, SINGLE, SIGN), RuntimeError, "1D target tensor expects 2D input"),
        (lambda: F.hinge_embedding_loss(LONG, SIGN), RuntimeError, "mean"),
        *[
            (
                lambda name=name: getattr(F, name)(LONG, SIGN.bool(), reduction="bad"),
                ValueError,
                "bad is not a valid value",
            )
            for name in (
                "mse_loss",
                "l1_loss",
                "smooth_l1_loss",
                "huber_loss",
                "poisson_nll_loss",
                "soft_margin_loss",
                "hinge_embedding_loss",
                "kl_div",
                "binary_cross_entropy_with_logits",
            )
        ],
    ],
)
def test_what_losses_refuse(call, kind, text):
    with pytest.raises(kind, match=text):
        call()


def test_margin_ranking_loss_of_integers_is_a_float():
    """The margin is one, also where it is left out."""
    one, target = ft.tensor([1, 5, 3]), ft.tensor([1, 1, -1])
    assert F.margin_ranking_loss(one, one + 1, target, reduction="sum") == ft.tensor(2.0)
    assert F.margin_ranking_loss(one, one + 1, target).dtype == ft.float32


@pytest.mark.parametrize("name", ["mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss"])
@pytest.mark.parametrize("dtype", [ft.float64, ft.float32, ft.float16])
def test_losses_of_elements_lie_as_the_input_does(name, dtype):
    """Also where elements have gaps between them, and where there are more than one block of them."""
    loss = getattr(F, name)
    for shape in ((2, 3), (50, 61)):
        x, y = (ft.manual_seed(s) and ft.randn(*shape).to(dtype).t() for s in (1, 2))
        expected = loss(x.contiguous(), y.contiguous(), reduction="none")
        for a, b, strides in ((x, y, x.stride()), (x, y.contiguous(), x.stride()), (x.contiguous(), y, (shape[0], 1))):
            got = loss(a, b, reduction="none")
            assert got.stride() == strides and got.tolist() == expected.tolist()
        gaps = ft.stack((x, y), -1)
        assert loss(gaps[..., 0], gaps[..., 1], reduction="none").tolist() == expected.tolist()


@pytest.mark.parametrize("weight", [None, "float16", "float32", "float64"])
@pytest.mark.parametrize("target", ["float16", "float32", "float64"])
@pytest.mark.parametrize("input", ["float16", "bfloat16", "float64"])
@pytest.mark.parametrize("reduction", ["mean", "none"])
def test_cross_entropy_of_probabilities_promotes(input, target, weight, reduction):
    x = ft.tensor([[1.0, 2.0, 3.0]], dtype=getattr(ft, input), requires_grad=True)
    p, w = ft.tensor([[0.25, 0.25, 0.5]], dtype=getattr(ft, target)), None
    dtype = ft.promote_types(x.dtype, p.dtype)
    if weight is not None:
        w = ft.ones((3,), dtype=getattr(ft, weight))
        dtype = ft.promote_types(dtype, w.dtype)
    loss = F.cross_entropy(x, p, w, reduction=reduction)
    assert loss.dtype is dtype and loss.sum().item() == pytest.approx(1.1576, rel=4e-3)
    loss.sum().backward()
    assert x.grad.dtype is x.dtype and x.grad.sum().item() == pytest.approx(0, abs=4e-3)


@pytest.mark.parametrize("shape", [(3, 0, 2, 3), (3, 0), (0,), (2, 0, 3)])
def test_cross_entropy_without_classes_is_zero(shape):
    """Whatever the memory held before."""
    x, weight = ft.ones(shape), ft.ones(0)
    rows = shape[:1] + shape[2:] if len(shape) > 1 else ()
    for _ in range(10):
        [ft.full((n,), 1e20) for n in range(1, 20)]
        for options in ({}, {"label_smoothing": 0.1}, {"weight": weight}):
            assert F.cross_entropy(x, x, reduction="none", **options).tolist() == ft.zeros(rows).tolist()
            assert F.cross_entropy(x, x, reduction="sum", **options).item() == 0
            assert F.cross_entropy(x, x, **options).isnan()


TestSamples = check_values("nn.loss")
TestDerivatives = check_derivatives("nn.loss")
TestBatches = check_batches("nn.loss")


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("reduction", ["none", "mean"])
@pytest.mark.parametrize("sizes", [(2, 5, 3, 4), (1, 130, 300), (3, 2, 1, 257)])
def test_cross_entropy_of_rows_beside_each_other(sizes, reduction, weighted, smoothing):
    """Scores of images are what they are with their classes last, in any layout."""
    rng = np.random.default_rng(sum(sizes))
    scores, targets = (ft.from_numpy(rng.standard_normal(sizes) * 4) for _ in range(2))
    labels = ft.from_numpy(rng.integers(0, sizes[1], (sizes[0], *sizes[2:])))
    labels[0, 0] = -100
    weight = ft.from_numpy(rng.random(sizes[1])) if weighted else None
    for dtype, tolerance in ((ft.float64, 1e-12), (ft.float32, 2e-5)):
        for target in (labels, targets.softmax(1).to(dtype)):
            options = {"reduction": reduction, "label_smoothing": smoothing}
            options["weight"] = None if weight is None else weight.to(dtype)
            found = []
            for x in (scores, scores.movedim(1, -1).contiguous().movedim(-1, 1), scores.movedim(1, -1).flatten(0, -2)):
                x = x.to(dtype).requires_grad_()
                wanted = target if x.ndim > 2 else target.flatten() if target is labels else target.movedim(1, -1)
                wanted = wanted.flatten(0, -2) if x.ndim == 2 and target is not labels else wanted
                loss = F.cross_entropy(x, wanted, **options)
                slopes = ft.arange(loss.numel(), dtype=dtype).reshape(loss.shape) / loss.numel() + 1
                (slope,) = grad(loss, x, slopes)
                found.append((loss.flatten(), slope if x.ndim == 2 else slope.movedim(1, -1).flatten(0, -2)))
            for loss, slope in found[:2]:
                assert ft.allclose(loss, found[2][0], rtol=tolerance, atol=tolerance)
                assert ft.allclose(slope, found[2][1], rtol=tolerance, atol=tolerance)


def test_cross_entropy_of_no_classes_and_wrong_targets():
    none, x = ft.ones(5, 0), ft.ones(5, 0, requires_grad=True)
    assert F.cross_entropy(none, none).isnan() and F.cross_entropy(none, none, reduction="sum") == 0
    for reduction in REDUCTIONS:
        q = ft.ones(5, 0, requires_grad=True)
        F.cross_entropy(x, q, reduction=reduction, label_smoothing=0.1).sum().backward(create_graph=True)
        assert x.grad.shape == q.grad.shape == (5, 0)
    with pytest.raises(ValueError, match="For 1D input, 1D target must have size 1, but got target size: 2"):
        F.cross_entropy(ft.ones(3), ft.tensor([1, 2]))
    with pytest.raises(RuntimeError, match="label_smoothing must be between 0.0 and 1.0. Got: 2"):
        F.cross_entropy(ft.ones(3, 4), ft.tensor([1, 2]), label_smoothing=2.0)
