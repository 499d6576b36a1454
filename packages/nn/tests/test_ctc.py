"""Connectionist temporal classification against numbers of PyTorch 2.13 and against all alignments."""

import itertools
import math

import pytest

import flambeau_nn as nn
import flambeau_tensor as ft
from flambeau_autograd import func, grad, gradcheck
from flambeau_autograd.func import vmap
from flambeau_nn import functional as F
from samples.derivatives import check_batches, check_derivatives
from samples.values import check_values


def wave(step, *shape):
    return ft.arange(float(math.prod(shape)), dtype=ft.float64).mul(step).sin().reshape(shape)


SCORES = wave(1.7, 6, 3, 5)
TARGETS = ft.tensor([[1, 2, 2, 0], [3, 3, 3, 3], [4, 1, 2, 0]])
LENGTHS = (6, 6, 4), (2, 3, 2)
OPTIONS = {"mean": {}, "each": {"reduction": "none"}, "sum, blank 3": {"reduction": "sum", "blank": 4}}
# The loss and its gradient, weighed by 1, 2, 3, …
EXPECTED = {
    "mean": (2.434313107, 1.557531032),
    "each": (32.78162369, 12.87419332),
    "sum, blank 3": (16.45633324, -13.28565089),
}


@pytest.mark.parametrize("name", EXPECTED)
def test_losses(name, weighed):
    x = SCORES.clone().requires_grad_()
    targets = TARGETS.clamp(0, 3) if "blank" in name else TARGETS
    loss = F.ctc_loss(x.log_softmax(2), targets, *LENGTHS, **OPTIONS[name])
    weighed(loss).backward()
    assert (weighed(loss).item(), weighed(x.grad).item()) == pytest.approx(EXPECTED[name], rel=1e-8, abs=1e-8)


def test_all_alignments():
    log_probs = SCORES[:4, 0].log_softmax(1)
    total = 0.0
    for path in itertools.product(range(5), repeat=4):
        labels = [c for c, _ in itertools.groupby(path) if c]
        if labels == [1, 2]:
            total += math.exp(sum(log_probs[t, c].item() for t, c in enumerate(path)))
    loss = F.ctc_loss(log_probs, ft.tensor([1, 2]), (4,), (2,), reduction="none")
    assert loss.item() == pytest.approx(-math.log(total))


def test_forms_of_targets_and_lengths():
    log_probs = SCORES.log_softmax(2)
    expected = F.ctc_loss(log_probs, TARGETS, *LENGTHS, reduction="none")
    joined = ft.cat([row[:n] for row, n in zip(TARGETS, LENGTHS[1], strict=True)])
    lengths = [ft.tensor(each) for each in LENGTHS]
    for form in (joined, TARGETS.int()):
        assert nn.CTCLoss(reduction="none")(log_probs, form, *lengths).equal(expected)
    assert F.ctc_loss(log_probs[:, 0], TARGETS[0], (6,), (2,), reduction="none").equal(expected[0])
    assert F.ctc_loss(log_probs.float(), TARGETS, *LENGTHS).dtype is ft.float32


def test_targets_that_are_too_long():
    x = SCORES.clone().requires_grad_()
    lengths = (6, 2, 4), (2, 3, 0)
    each = F.ctc_loss(x.log_softmax(2), TARGETS, *lengths, reduction="none")
    assert each[1].item() == math.inf and each[2].item() == pytest.approx(-SCORES.log_softmax(2)[:4, 2, 0].sum().item())
    loss = F.ctc_loss(x.log_softmax(2), TARGETS, *lengths, reduction="none", zero_infinity=True)
    assert loss[1].item() == 0
    (found,) = grad(loss.sum(), x)
    assert found.isfinite().all() and found[:, 1].abs().sum().item() == 0
    assert F.ctc_loss(x.log_softmax(2), TARGETS, (0, 0, 0), (0, 1, 0), reduction="none").tolist() == [0, math.inf, 0]


def test_derivatives():
    x = SCORES.clone().requires_grad_()
    assert gradcheck(lambda x: F.ctc_loss(x.log_softmax(2), TARGETS, *LENGTHS), x)
    (first,) = grad(F.ctc_loss(x.log_softmax(2), TARGETS, *LENGTHS), x, create_graph=True)
    with pytest.raises(NotImplementedError, match="ctc_loss is differentiated once"):
        first.sum().backward()
    many = vmap(lambda x: F.ctc_loss(x.log_softmax(2), TARGETS, *LENGTHS))(ft.stack([SCORES, -SCORES]))
    assert many[1].item() == pytest.approx(F.ctc_loss((-SCORES).log_softmax(2), TARGETS, *LENGTHS).item())


LOGS = SCORES.log_softmax(2)
WHERE = "(while checking arguments for ctc_loss_allocate_outputs)"
ERRORS = {
    "long input": (
        lambda: F.ctc_loss(LOGS, TARGETS, (7, 6, 4), (2, 3, 2)),
        RuntimeError,
        f"Expected input_lengths to have value at most 6, but got value 7 {WHERE}",
    ),
    "few lengths": (
        lambda: F.ctc_loss(LOGS, TARGETS, (6,), (2, 3, 2)),
        RuntimeError,
        "input_lengths must be of size batch_size",
    ),
    "long target": (
        lambda: F.ctc_loss(LOGS, TARGETS, (6, 6, 4), (5, 3, 2)),
        RuntimeError,
        "Expected tensor to have size at least 5 at dimension 1, but got size 4 for argument #2 'targets' " + WHERE,
    ),
    "blank": (lambda: F.ctc_loss(LOGS, TARGETS, *LENGTHS, blank=7), RuntimeError, "blank must be in label range"),
    "few targets": (
        lambda: F.ctc_loss(LOGS, TARGETS[0], *LENGTHS),
        RuntimeError,
        f"Expected tensor to have size 7 at dimension 0, but got size 4 for argument #2 'targets' {WHERE}",
    ),
    "negative": (
        lambda: F.ctc_loss(LOGS, TARGETS, (6, 6, 4), (2, 3, -2)),
        RuntimeError,
        f"Expected target_lengths to have value at least 0, but got value -2 {WHERE}",
    ),
    "half": (
        lambda: F.ctc_loss(LOGS.half(), TARGETS, *LENGTHS),
        NotImplementedError,
        "\"ctc_loss_cpu\" not implemented for 'Half'",
    ),
    "reduction": (
        lambda: F.ctc_loss(LOGS, TARGETS, *LENGTHS, reduction="x"),
        ValueError,
        "x is not a valid value for reduction",
    ),
    "float lengths": (
        lambda: F.ctc_loss(LOGS, TARGETS, ft.ones(3), ft.ones(3)),
        RuntimeError,
        "input_lengths must be integral",
    ),
    "a class beyond": (
        lambda: F.ctc_loss(LOGS, TARGETS + 3, *LENGTHS),
        RuntimeError,
        "ctc_loss: the target 5 is out of range of 5 classes",
    ),
}


@pytest.mark.parametrize("name", ERRORS)
def test_errors(name, check_error):
    check_error(*ERRORS[name])


TestSamples = check_values("nn.ctc")
TestDerivatives = check_derivatives("nn.ctc")
TestBatches = check_batches("nn.ctc")


def test_every_second_derivative_is_refused():
    """No formula is there, so none of the orders of modes may take the second derivative for zero."""

    def loss(log_probs):
        lengths = ft.tensor([4]), ft.tensor([2])
        return F.ctc_loss(log_probs.log_softmax(-1), ft.tensor([[1, 2]]), *lengths)

    x = ft.arange(12.0, dtype=ft.float64).reshape(4, 1, 3) / 7
    for outer, inner in itertools.product((func.jacrev, func.jacfwd), repeat=2):
        assert inner(loss)(x).isfinite().all()
        with pytest.raises(NotImplementedError, match="ctc_loss is differentiated once"):
            outer(inner(loss))(x)
    with pytest.raises(NotImplementedError, match="ctc_loss is differentiated once"):
        func.jvp(func.grad(loss), (x,), (x,))
