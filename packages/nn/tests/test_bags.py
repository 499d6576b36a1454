"""Bags of embeddings against numbers of PyTorch 2.13."""

import math

import pytest

import flambeau_nn as nn
import flambeau_tensor as ft
from flambeau_autograd import gradcheck
from flambeau_nn import functional as F
from samples.derivatives import check_batches, check_derivatives
from samples.values import check_values


def wave(step, *shape):
    return ft.arange(float(math.prod(shape)), dtype=ft.float64).mul(step).sin().reshape(shape)


TABLE = wave(0.6, 5, 3)
INDICES, OFFSETS = ft.tensor([0, 1, 2, 2, 4, 1, 0, 3]), ft.tensor([0, 3, 3, 6])
BAGS = {
    "sum": (OFFSETS, {"mode": "sum"}),
    "mean, padding": (OFFSETS, {"mode": "mean", "padding_idx": 2}),
    "max": (OFFSETS, {"mode": "max"}),
    "rows": (None, {"mode": "mean"}),
    "weights": (OFFSETS, {"mode": "sum", "per_sample_weights": wave(0.8, 8)}),
    "last offset": (ft.tensor([0, 3, 3, 8]), {"include_last_offset": True}),
    "short": (OFFSETS, {"max_norm": 0.5}),
}
# The result and the gradient of the table, weighed by 1, 2, 3, …
EXPECTED = {
    "sum": (27.52258781, 1183.0),
    "mean, padding": (25.86624219, 469.5),
    "max": (45.01309784, 366.0),
    "rows": (5.88404308, 158.5),
    "weights": (-40.37827155, -206.237949),
    "last offset": (5.250807853, 226.0),
    "short": (4.263566974, 466.5),
}


@pytest.mark.parametrize("name", EXPECTED)
def test_bags(name, weighed):
    offsets, options = BAGS[name]
    table = TABLE.clone().requires_grad_()
    out = F.embedding_bag(INDICES.reshape(2, 4) if offsets is None else INDICES, table, offsets, **options)
    weighed(out).backward()
    assert (weighed(out).item(), weighed(table.grad).item()) == pytest.approx(EXPECTED[name], rel=1e-8)


@pytest.mark.parametrize("name", sorted(BAGS.keys() - {"short"}))
def test_derivatives(name):
    offsets, options = BAGS[name]
    weights = options.get("per_sample_weights")
    rest = {key: value for key, value in options.items() if key != "per_sample_weights"}

    def run(table, weights=None):
        return F.embedding_bag(
            INDICES.reshape(2, 4) if offsets is None else INDICES, table, offsets, **rest, per_sample_weights=weights
        )

    given = [TABLE.clone().requires_grad_()] + ([] if weights is None else [weights.clone().requires_grad_()])
    assert gradcheck(run, given, check_forward_ad=True)


def test_gradients_by_frequency():
    table = TABLE.clone().requires_grad_()
    F.embedding_bag(INDICES, table, OFFSETS, mode="sum", scale_grad_by_freq=True).sum().backward()
    assert table.grad.tolist() == [[1, 1, 1]] * 5


def test_empty_bags():
    for mode in ("sum", "mean", "max"):
        assert F.embedding_bag(INDICES[:2], TABLE, ft.tensor([0, 2, 2]), mode=mode)[1:].tolist() == [[0, 0, 0]] * 2
    assert F.embedding_bag(INDICES[:0], TABLE, ft.tensor([0, 0])).tolist() == [[0, 0, 0]] * 2
    assert F.embedding_bag(INDICES[:0], TABLE, OFFSETS[:0]).shape == (0, 3)


def test_the_layer():
    ft.manual_seed(0)
    layer = nn.EmbeddingBag(2, 2)
    assert layer.weight.flatten().tolist() == pytest.approx(
        [1.5409960746765137, -0.293428897857666, -2.1787893772125244, 0.5684312582015991], rel=1e-5
    )
    layer = nn.EmbeddingBag(5, 3, padding_idx=-1, mode="sum")
    assert layer.padding_idx == 4 and layer.weight[4].tolist() == [0, 0, 0]
    assert repr(nn.EmbeddingBag(3, 2, 2.0, 1.0, True, "sum", padding_idx=-1)) == (
        "EmbeddingBag(3, 2, max_norm=2.0, norm_type=1.0, scale_grad_by_freq=True, mode='sum', padding_idx=2)"
    )
    known = nn.EmbeddingBag.from_pretrained(TABLE, mode="max")
    assert not known.weight.requires_grad and known(INDICES, OFFSETS).equal(
        F.embedding_bag(INDICES, TABLE, OFFSETS, mode="max")
    )


ERRORS = {
    "no offsets": (lambda: F.embedding_bag(INDICES, TABLE), ValueError, "offsets has to be a 1D Tensor but got None"),
    "both": (
        lambda: F.embedding_bag(INDICES.reshape(2, 4), TABLE, OFFSETS),
        ValueError,
        "if input is 2D, then offsets has to be None, as input is treated is a mini-batch of fixed length "
        f"sequences. However, found offsets of type {ft.Tensor}",
    ),
    "mode": (
        lambda: F.embedding_bag(INDICES, TABLE, OFFSETS, mode="x"),
        ValueError,
        "mode has to be one of sum, mean or max",
    ),
    "first": (
        lambda: F.embedding_bag(INDICES, TABLE, OFFSETS + 1),
        RuntimeError,
        "offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start from position 0. "
        "However, got 1",
    ),
    "last": (
        lambda: F.embedding_bag(INDICES, TABLE, ft.tensor([0, 9])),
        RuntimeError,
        "offsets[-1] can not be greater than input's length 8 but got offsets[-1] of 9",
    ),
    "weights": (
        lambda: F.embedding_bag(INDICES, TABLE, OFFSETS, per_sample_weights=TABLE, mode="sum"),
        ValueError,
        "embedding_bag: If per_sample_weights (torch.Size([5, 3])) is not None, then it must have the same "
        "shape as the input (torch.Size([8]))",
    ),
    "padding": (
        lambda: F.embedding_bag(INDICES, TABLE, OFFSETS, padding_idx=7),
        RuntimeError,
        "padding_idx must be within the number of embeddings, -5 through 4, but got 7",
    ),
    "cube": (
        lambda: F.embedding_bag(INDICES.reshape(2, 2, 2), TABLE),
        ValueError,
        "input has to be 1D or 2D Tensor, but got Tensor of dimension 3",
    ),
    "frequency": (
        lambda: F.embedding_bag(INDICES, TABLE, OFFSETS, mode="max", scale_grad_by_freq=True),
        ValueError,
        "max mode does not support scaling the gradient by the frequency",
    ),
}


@pytest.mark.parametrize("name", ERRORS)
def test_errors(name, check_error):
    check_error(*ERRORS[name])


TestSamples = check_values("nn.bags")
TestDerivatives = check_derivatives("nn.bags")
TestBatches = check_batches("nn.bags")


def test_indices_that_are_no_rows():
    for index in (10, -1):
        with pytest.raises(
            RuntimeError, match=f"Expected idx >= 0 && idx < num_embeddings but found idx to be {index}"
        ):
            F.embedding_bag(ft.tensor([[1, index]]), ft.ones(10, 3))


def test_the_old_order_of_arguments():
    table = ft.arange(6.0).view(3, 2)
    with pytest.warns(UserWarning, match="Argument order of nn.functional.embedding_bag was changed"):
        assert F.embedding_bag(table, ft.tensor([[1, 2]]), mode="sum").tolist() == [[6, 8]]


@pytest.mark.parametrize("sparse", [False, True])
def test_where_bags_begin(sparse):
    bags = nn.EmbeddingBag(5, 2, mode="sum", sparse=sparse)
    indices = ft.tensor([3, 1, 4])
    with pytest.raises(RuntimeError, match="offsets.0. has to be 0"):
        bags(indices, ft.tensor([1, 2]))
    for offsets in ([0, 9], [0, 9, 2]):
        with pytest.raises(RuntimeError, match="can not be greater than input's length 3 but got offsets.* of 9"):
            bags(indices, ft.tensor(offsets))
    with pytest.raises(RuntimeError, match="Expected tensor for argument #1 'weight' to have the same type as"):
        bags(indices, ft.tensor([0]), ft.ones(3, dtype=ft.float64))


def test_errors_of_the_function_of_torch():
    from flambeau_tensor.extend import find_operator

    five = ft.zeros(2, 0, 0, 6, 6, dtype=ft.int64)
    with pytest.raises(RuntimeError, match="input has to be a 1D or 2D Tensor, but got Tensor of dimension 5"):
        find_operator("torch.embedding_bag")(ft.zeros(2, 6), five, five)
