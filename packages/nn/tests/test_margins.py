"""Losses by margins, and of linear layers, against numbers of PyTorch 2.13."""

import math

import pytest

import flambeau_nn as nn
import flambeau_tensor as ft
from flambeau_autograd import gradcheck
from flambeau_autograd.gradcheck import gradgradcheck
from flambeau_nn import functional as F
from samples.derivatives import check_batches, check_derivatives
from samples.values import check_values


def wave(step, *shape):
    return ft.arange(float(math.prod(shape)), dtype=ft.float64).mul(step).sin().reshape(shape)


X = wave(1.3, 3, 4)
Y = ft.tensor([0, 1, 3])
LABELS = ft.tensor([[3, 0, -1, 1], [-1, 2, 2, 2], [0, 1, 2, 3]])
WEIGHT = ft.tensor([0.5, 1, 2, 1.5], dtype=ft.float64)
ONES = (wave(0.9, 3, 4) > 0).double()
OTHERS = wave(0.7, 3, 4), wave(0.3, 3, 4)


def distance(a, b):
    return (a - b).abs().sum(1)


LOSSES = {
    "multi_margin": lambda x: F.multi_margin_loss(x, Y, reduction="none"),
    "multi_margin, squared, weighted": nn.MultiMarginLoss(2, 0.7, WEIGHT),
    "multi_margin of one": lambda x: F.multi_margin_loss(x[1], Y[1]),
    "multilabel_margin": lambda x: F.multilabel_margin_loss(x, LABELS, reduction="none"),
    "multilabel_margin of one": lambda x: nn.MultiLabelMarginLoss()(x[0], LABELS[0]),
    "multilabel_soft_margin": lambda x: nn.MultiLabelSoftMarginLoss(WEIGHT, reduction="none")(x, ONES),
    "triplet": lambda x: nn.TripletMarginWithDistanceLoss(swap=True, reduction="none")(x, *OTHERS),
    "triplet, own distance": lambda x: F.triplet_margin_with_distance_loss(
        x, *OTHERS, distance_function=distance, margin=0.5
    ),
    "linear_cross_entropy": lambda x: F.linear_cross_entropy(
        x, wave(0.4, 5, 4), ft.tensor([0, 4, 2]), linear_bias=wave(2.0, 5), label_smoothing=0.1
    ),
    "linear_cross_entropy of pairs": lambda x: F.linear_cross_entropy(
        x, wave(0.4, 5, 2, 4), ft.tensor([[0, 4], [2, 2], [1, -100]]), reduction="sum"
    ),
}
# The loss and its gradient, weighed by 1, 2, 3, …
EXPECTED = {
    "multi_margin": (2.71657052, 2.25),
    "multi_margin, squared, weighted": (0.4163439163, 0.8261531205),
    "multi_margin of one": (0.7218504329, 0.75),
    "multilabel_margin": (2.083412858, 0.0),
    "multilabel_margin of one": (2.083412858, 0.0),
    "multilabel_soft_margin": (6.553014864, -1.188136528),
    "triplet": (5.288420564, 29.01877285),
    "triplet, own distance": (0.9804442962, 9.333333333),
    "linear_cross_entropy": (2.339333638, 12.13964851),
    "linear_cross_entropy of pairs": (8.512435805, 25.32563955),
}


@pytest.mark.parametrize("name", EXPECTED)
def test_losses(name, weighed):
    loss = LOSSES[name]
    x = X.clone().requires_grad_()
    out = loss(x) if name != "multi_margin, squared, weighted" else loss(x, Y)
    weighed(out).backward()
    assert (weighed(out).item(), weighed(x.grad).item()) == pytest.approx(EXPECTED[name], rel=1e-8, abs=1e-8)


@pytest.mark.parametrize("name", [name for name in LOSSES if "weighted" not in name])
def test_derivatives(name):
    x = X.clone().requires_grad_()
    assert gradcheck(LOSSES[name], x, check_forward_ad=True) and gradgradcheck(LOSSES[name], x)


def test_linear_cross_entropy_as_a_module():
    layer = nn.LinearCrossEntropyLoss(4, 3, out_features=(2,), bias=True, options=nn.LinearCrossEntropyOptions())
    target = ft.tensor([[0, 1], [2, 2], [1, 0]])
    scores = layer.linear(X.float()).reshape(3, 3, 2)
    assert ft.allclose(layer(X.float(), target), F.cross_entropy(scores, target))
    assert list(layer.state_dict()) == ["linear.weight", "linear.bias"]
    assert repr(nn.LinearCrossEntropyLoss(3, 4)) == (
        "LinearCrossEntropyLoss(\n  in_features=3, num_classes=4, out_features=(), bias=False, reduction=mean, "
        "ignore_index=None, label_smoothing=0.0, options=None\n  (linear): Linear(in_features=3, out_features=4, "
        "bias=False)\n)"
    )


def test_the_older_name_warns():
    with pytest.warns(FutureWarning, match="NLLLoss2d has been deprecated"):
        assert nn.NLLLoss2d()(X, Y).equal(F.nll_loss(X, Y))


ERRORS = {
    "few targets": (
        lambda: F.multi_margin_loss(X, Y[:2]),
        RuntimeError,
        "multi_margin_loss: target tensor should be 1-D with size equal to the number of input samples "
        "(batch size). Expected target size [3], but got [2]. Input has shape [3, 4].",
    ),
    "a class beyond": (lambda: F.multi_margin_loss(X, Y + 1), RuntimeError, "target out of range"),
    "p": (lambda: F.multi_margin_loss(X, Y, p=3), ValueError, "only p == 1 and p == 2 supported"),
    "few weights": (
        lambda: F.multi_margin_loss(X, Y, weight=WEIGHT[:3]),
        RuntimeError,
        "inconsistent weight size, expected 4 but got [3]",
    ),
    "int32": (lambda: F.multi_margin_loss(X, Y.int()), RuntimeError, "expected scalar type Long but found Int"),
    "cube": (
        lambda: F.multi_margin_loss(ft.ones(2, 3, 4), Y),
        RuntimeError,
        "Expected non-empty vector or matrix with optional 0-dim batch size, but got: [2, 3, 4]",
    ),
    "labels": (
        lambda: F.multilabel_margin_loss(X, LABELS[:2]),
        RuntimeError,
        "inconsistent target size: [2, 4] for input of size: [3, 4]",
    ),
    "a label beyond": (
        lambda: F.multilabel_margin_loss(X, LABELS + 3),
        RuntimeError,
        "argument #2 'target' is out of range",
    ),
    "reduction": (lambda: F.multilabel_soft_margin_loss(X, ONES, reduction="x"), ValueError, "x is not valid"),
    "margin": (
        lambda: F.triplet_margin_with_distance_loss(X, X, X, margin=-1),
        ValueError,
        "margin must be greater than 0, got -1.0",
    ),
    "module's margin": (
        lambda: nn.TripletMarginWithDistanceLoss(margin=0),
        ValueError,
        "TripletMarginWithDistanceLoss: expected margin to be greater than 0, got 0 instead",
    ),
    "dimensions": (
        lambda: F.triplet_margin_with_distance_loss(X, X, X[0]),
        RuntimeError,
        "The anchor, positive, and negative tensors are expected to have the same number of dimensions, but "
        "got: anchor 2D, positive 2D, and negative 1D inputs",
    ),
    "module's weight": (
        lambda: nn.MultiMarginLoss(weight=ONES),
        ValueError,
        "MultiMarginLoss: expected weight to be None or 1D tensor, got 2D instead",
    ),
}


@pytest.mark.parametrize("name", ERRORS)
def test_errors(name, check_error):
    check_error(*ERRORS[name])


def test_margins_that_are_just_kept_have_no_gradient():
    x = ft.tensor([[1.0, 0.0, 0.0]], requires_grad=True)
    F.multi_margin_loss(x, ft.tensor([0])).backward()
    assert not x.grad.any()
    x.grad = None
    F.multilabel_margin_loss(x, ft.tensor([[0, -1, -1]])).backward()
    assert not x.grad.any()


TestSamples = check_values("nn.margins")
TestDerivatives = check_derivatives("nn.margins")
TestBatches = check_batches("nn.margins")


def test_the_own_class_does_not_count_and_nan_is_no_margin():
    inf, nan = math.inf, math.nan
    x = ft.tensor([[inf, 1.0], [1.0, inf], [-inf, -inf], [inf, inf], [nan, 1.0], [1.0, nan]])
    for p in (1, 2):
        each = F.multi_margin_loss(x, ft.zeros(6, dtype=ft.int64), p, reduction="none")
        assert each.tolist() == [0, inf, 0, 0, 0, 0]
        from flambeau_nn.ops import margins  # declared by the first call

        composed = margins.composed_margin(x, ft.zeros(6, dtype=ft.int64), None, p, "none", 1.0)
        assert composed.tolist() == each.tolist()
