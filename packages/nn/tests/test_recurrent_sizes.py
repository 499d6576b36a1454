"""Recurrent layers at the borders of blocks, tiles and shares of threads, against the same by other operations."""

import pytest

import flambeau_nn as nn
import flambeau_tensor as ft
from flambeau_autograd import grad
from flambeau_nn.utils.rnn import PackedSequence
from flambeau_tensor.extend import find_operator

find_operator("torch.lstm")
from flambeau_nn.ops import recurrent  # noqa: E402

SIZES = [  # (times, batch, input size, hidden size)
    (1, 1, 1, 1),
    (1, 3, 2, 5),
    (3, 1, 3, 8),
    (2, 7, 4, 16),
    (4, 9, 5, 17),
    (3, 12, 1, 33),
    (2, 19, 6, 32),
    (5, 40, 3, 40),
    (2, 2, 3, 130),
    (3, 9, 200, 100),
]


def runs(mode, layer, x, sizes, states, reverse):
    """Results and gradients of the layer's kernel, and of the composition."""
    weights = list(layer.parameters())
    weights += [None] * (5 - len(weights))
    operands = [t.detach().clone().requires_grad_() for t in (x, *states)]
    h, c = (operands[1:] + [None])[:2]
    if mode == "LSTM":
        fused = recurrent.lstm_layer(operands[0], sizes, h, c, *weights, reverse)[:3]
    else:
        fused = recurrent.rnn_layer(operands[0], sizes, h, *weights[:4], mode, reverse)[:2]
    plain = recurrent.composed(mode, operands[0], sizes, h, c, *weights, reverse)
    leaves = [*operands, *(w for w in weights if w is not None)]
    for results in (fused, plain):
        results = [r for r in results if r is not None]
        ft.manual_seed(1)
        total = sum((r * ft.randn_like(r)).sum() for r in results)
        yield [*results, *grad(total, leaves)]


@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("mode", ["LSTM", "GRU", "RNN_TANH", "RNN_RELU"])
def test_kernel_and_composition(mode, size):
    times, batch, inputs, hidden = size
    reverse, dtype = hidden % 2 == 0, ft.float32 if times % 2 else ft.float64
    ft.manual_seed(0)
    options = {"proj_size": hidden // 3} if mode == "LSTM" and hidden in (17, 130) else {}
    layer = getattr(nn, mode.split("_")[0])(inputs, hidden, bias=hidden != 33, dtype=dtype, **options)
    states = [ft.randn(batch, options.get("proj_size", hidden), dtype=dtype)]
    if mode == "LSTM":
        states.append(ft.randn(batch, hidden, dtype=dtype))
    x = ft.randn(times, batch, inputs, dtype=dtype)
    counts = [max(1, batch - 3 * t) for t in range(times)]
    packed = ft.cat([x[t, :n] for t, n in enumerate(counts)])
    for given, sizes in ((x, None), (packed, tuple(counts))):
        for ours, right in zip(*runs(mode, layer, given, sizes, states, reverse), strict=True):
            assert ours.shape == right.shape and (ours - right).abs().max().item() <= 2e-5 * (
                1 + right.abs().max().item()
            )


@pytest.mark.parametrize("mode", ["LSTM", "GRU", "RNN"])
@pytest.mark.parametrize("lay", ["batches first", "every third step", "every second number"])
def test_rows_as_they_lie(mode, lay):
    """Inputs and gradients are read where they are; results and gradients are those of dense ones."""
    ft.manual_seed(0)
    layer, whole = getattr(nn, mode)(5, 18), ft.randn(20, 6, 10)
    dense = {
        "batches first": whole.transpose(0, 1)[..., :5],
        "every third step": whole[2::3, :, 5:],
        "every second number": whole[..., ::2],
    }[lay]
    factor = ft.randn(dense.shape[1], dense.shape[0], 18)  # so that the gradient of the output is a transposed view
    found = []
    for x in (dense, dense.contiguous()):
        x = x.detach().requires_grad_()
        output = layer(x)[0]
        by = factor if x.is_contiguous() else factor.transpose(0, 1).contiguous().transpose(0, 1)
        total = (output.transpose(0, 1) * by).sum()
        found.append([output, *grad(total, [x, *layer.parameters()])])
    for a, b in zip(*found, strict=True):
        assert ft.allclose(a, b, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("options", [{}, {"bidirectional": True, "bias": False}], ids=str)
@pytest.mark.parametrize("mode", ["LSTM", "GRU", "RNN"])
def test_threads_agree(mode, options):
    """Each thread takes rows of the batch, so their number changes nothing but the order of sums over all rows, which
    is the same each time."""
    ft.manual_seed(0)
    layer = getattr(nn, mode)(8, 48, dtype=ft.float64, **options)
    x, threads = ft.randn(12, 50, 8, dtype=ft.float64, requires_grad=True), ft.get_num_threads()
    try:
        results = []
        for n in (1, 2, 3, 3):
            ft.set_num_threads(n)
            output = layer(x)[0]
            results.append([output.detach(), *grad((output * output).sum(), [x, *layer.parameters()])])
    finally:
        ft.set_num_threads(threads)
    for other in results[1:]:
        assert all(ft.equal(a, b) for a, b in zip(results[0][:2], other[:2], strict=True))
        for a, b in zip(results[0][2:], other[2:], strict=True):
            assert ft.allclose(a, b, rtol=1e-12, atol=1e-12)
    assert all(ft.equal(a, b) for a, b in zip(results[2], results[3], strict=True))


def test_far_gates_and_nan():
    """Gates saturate without overflow, and NaN stays in its row of the batch."""
    layer = nn.LSTM(1, 3)
    layer.weight_ih_l0.data.fill_(1000.0)
    x = ft.tensor([[[1.0], [-1.0], [ft.nan], [0.0]]])
    output = layer(x)[0]
    assert output[0, 2].isnan().all() and output[0, [0, 1, 3]].isfinite().all()
    assert output[0, 1].abs().max().item() < 1e-30
    sequence = PackedSequence(x[0], ft.tensor([4]))
    assert ft.equal(layer(sequence)[0].data[[0, 1, 3]], output[0, [0, 1, 3]])
