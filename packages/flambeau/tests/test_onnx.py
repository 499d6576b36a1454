"""Models as ONNX, run by onnxruntime beside Python; sizes that vary have other values there than in the export."""

import io

import numpy as np
import onnx
import pytest

import flambeau as torch
import flambeau.nn.functional as F
from flambeau import nn

BATCH = {"input": {0: "batch"}}


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(0)


def flat(o):
    return [o] if isinstance(o, torch.Tensor) else [t for each in o for t in flat(each)]


def check(model, *args, axes=None, other=None):
    """Export a model, and compare what onnxruntime makes of these arguments, and of others."""
    if isinstance(model, nn.Module):
        model.eval()
    program = torch.onnx.export(model, args, dynamic_axes=axes)
    for given in [args] if other is None else [args, other]:
        expected, found = flat(model(*given)), program(*given)
        assert len(found) == len(expected)
        for a, b in zip(found, expected, strict=True):
            assert a.dtype == b.dtype
            np.testing.assert_allclose(a.numpy(), b.detach().numpy(), rtol=1e-5, atol=1e-5)
    return program


ACTIVATIONS = [
    nn.Tanh(), nn.Sigmoid(), nn.GELU(), nn.GELU("tanh"), nn.SiLU(), nn.Mish(), nn.Softplus(), nn.Softplus(2.0),
    nn.ELU(), nn.SELU(), nn.CELU(0.7), nn.LeakyReLU(0.2), nn.Hardtanh(), nn.ReLU6(), nn.Hardsigmoid(), nn.Hardswish(),
    nn.LogSigmoid(), nn.PReLU(), nn.Softsign(), nn.Tanhshrink(), nn.ReLU(inplace=True), nn.Softmax(-1),
    nn.LogSoftmax(-1), nn.GLU(),
]  # fmt: skip


@pytest.mark.parametrize("layer", ACTIVATIONS, ids=str)
def test_activations(layer):
    check(layer, torch.randn(3, 8), axes=BATCH, other=(torch.randn(5, 8),))


class UNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.down, self.low = nn.Conv2d(4, 8, 3, padding=1), nn.Conv2d(8, 16, 3, padding=1)
        self.up, self.out = nn.ConvTranspose2d(16, 8, 2, stride=2), nn.Conv2d(16, 2, 1)

    def forward(self, input):  # noqa: A002
        x = F.relu(self.down(input))
        return self.out(torch.cat([self.up(F.relu(self.low(F.max_pool2d(x, 2)))), x], 1))


class Flow(nn.Module):
    """An affine coupling, as normalizing flows have it."""

    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 8))

    def forward(self, input):  # noqa: A002
        a, b = input.chunk(2, 1)
        scale, shift = self.net(a).chunk(2, 1)
        return torch.cat([a, b * scale.exp() + shift], 1), scale.sum(1)


class Patches(nn.Module):
    """A small vision transformer."""

    def __init__(self):
        super().__init__()
        self.embed, self.first = nn.Conv2d(4, 8, 4, stride=4), nn.Parameter(torch.randn(1, 1, 8))
        layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True, activation="gelu", norm_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.head = nn.Sequential(nn.LayerNorm(8), nn.Linear(8, 3))

    def forward(self, input):  # noqa: A002
        x = self.embed(input).flatten(2).transpose(1, 2)
        x = torch.cat([self.first.expand(x.shape[0], -1, -1), x], 1)
        return self.head(self.encoder(x)[:, 0])


class Words(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed, self.out = nn.Embedding(11, 6), nn.Linear(10, 11)
        self.layers = nn.LSTM(6, 5, num_layers=2, bidirectional=True, batch_first=True)

    def forward(self, input):  # noqa: A002
        return self.out(self.layers(self.embed(input))[0])


CNN = [
    nn.Conv2d(4, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2),
    nn.Conv2d(8, 8, 3, stride=2, groups=2),
    nn.GroupNorm(2, 8), nn.AvgPool2d(2), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 3),
]  # fmt: skip
IMAGES = {"input": {0: "batch", 2: "height", 3: "width"}}
SEQUENCES = {"input": {0: "batch", 1: "time"}}
MODELS = {
    "mlp": (lambda: nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Dropout(), nn.Linear(16, 2)), (3, 8), BATCH, (7, 8)),
    "cnn": (lambda: nn.Sequential(*CNN), (2, 4, 16, 16), BATCH, (5, 4, 16, 16)),
    "unet": (UNet, (2, 4, 16, 16), IMAGES, (1, 4, 20, 18)),
    "flow": (Flow, (3, 8), BATCH, (2, 8)),
    "patches": (Patches, (2, 4, 16, 16), BATCH, (3, 4, 16, 16)),
    "transposed": (lambda: nn.ConvTranspose2d(4, 3, 3, 2, 1, output_padding=1), (2, 4, 5, 5), IMAGES, (1, 4, 6, 7)),
    "instance": (lambda: nn.InstanceNorm2d(4, affine=True), (2, 4, 5, 5), IMAGES, (3, 4, 6, 7)),
    "layer_norm": (lambda: nn.LayerNorm((4, 8), elementwise_affine=False), (2, 4, 8), BATCH, (3, 4, 8)),
    "rms_norm": (lambda: nn.RMSNorm((4, 8)), (2, 4, 8), None, None),
    "conv1d": (lambda: nn.Conv1d(4, 3, 3, padding="same"), (2, 4, 9), None, None),
    "lstm": (
        lambda: nn.LSTM(8, 5, num_layers=2, bidirectional=True, batch_first=True),
        (3, 6, 8),
        SEQUENCES,
        (4, 9, 8),
    ),
    "gru": (lambda: nn.GRU(8, 5, batch_first=True), (3, 6, 8), SEQUENCES, (2, 4, 8)),
    "rnn": (lambda: nn.RNN(8, 5, nonlinearity="relu"), (6, 3, 8), None, None),
    "cells": (lambda: nn.GRUCell(8, 5), (3, 8), BATCH, (4, 8)),
}


@pytest.mark.parametrize("name", MODELS)
def test_models(name):
    make, shape, axes, other = MODELS[name]
    check(make(), torch.randn(shape), axes=axes, other=None if other is None else (torch.randn(other),))


def test_words_and_transformers():
    check(Words(), torch.randint(0, 11, (2, 5)), axes=SEQUENCES, other=(torch.randint(0, 11, (3, 8)),))
    layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
    axes = {"src": {0: "batch", 1: "time"}}
    check(nn.TransformerEncoder(layer, 2), torch.randn(3, 5, 8), axes=axes, other=(torch.randn(2, 7, 8),))
    check(nn.TransformerDecoderLayer(8, 2, 16, batch_first=True), torch.randn(3, 5, 8), torch.randn(3, 4, 8))
    q = torch.randn(3, 5, 8)
    check(nn.MultiheadAttention(8, 2, batch_first=True), q, q * 2, q - 1)


FUNCTIONS = {
    "views": lambda x: x.view(x.size(0), 2, -1).transpose(1, 2).reshape(x.size(0), -1),
    "cat": lambda x: (torch.cat([x, x * 2, torch.zeros(x.size(0), 1)], 1), torch.stack([x, x + 1], -1)),
    "indices": lambda x: (x[:, 0], x[:, 1:3], x[..., ::2], x[:, [0, 2]], x[-1], x[:, None], x.flip(1)),
    "reductions": lambda x: (x.sum(), x.mean(1), x.amax(0), x.argmax(1), x.max(1), x.std(1), x.var(0, keepdim=True),
                             x.norm(dim=1), x.prod(1), x.cumsum(1), x.softmax(0)),
    "choices": lambda x: ((x > 0).float(), torch.where(x > 0, x, -x), x.clamp(-1, 1), x.clamp(min=0), x != 0,
                          x.masked_fill(x < 0, 0.0), (x > 0) & (x < 1), ~(x > 0)),
    "functions": lambda x: (x.abs().sqrt(), x.exp(), torch.log1p(x.abs()), x**2, 1 / (1 + x * x), torch.atan(x), x % 2,
                            torch.erf(x), x.floor(), x.round(), x.trunc(), torch.rsqrt(x * x + 1), x.expm1(), 2 - x),
    "shapes": lambda x: (x[:, None].expand(-1, 3, -1).contiguous(), x.repeat(1, 2), x.roll(1, 1), x.chunk(2, 1),
                         F.pad(x, (1, 2), value=1.0), x.T, x.unsqueeze(0).squeeze(0)),
    "products": lambda x: (x @ x.T, torch.einsum("bi,bj->bij", x, x), torch.tril(x @ x.T), F.normalize(x)),
    "orders": lambda x: (x.sort(1)[0], x.topk(3, 1), x.gather(1, x.argmax(1, keepdim=True)), F.one_hot(x.argmax(1), 8)),
    "in place": lambda x: x.clone().add_(1).mul_(2),
    "ranges": lambda x: x + torch.arange(x.size(1)) + torch.arange(x.size(0))[:, None],
    "dtypes": lambda x: (x.double(), x.long() + 1, x.int() // 2, -x.int() // 3, x // 0.7,
                         torch.div(x, 0.3, rounding_mode="floor"),
                         torch.div(x, 0.3, rounding_mode="trunc"), x.double() * 2 + x),
}  # fmt: skip


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(name):
    check(FUNCTIONS[name], torch.randn(3, 8), axes={"x": {0: "n"}}, other=(torch.randn(6, 8),))


def put(x, place, value, accumulate=False):
    return x.clone().index_put_(place, value, accumulate)


A, B = torch.tensor([2, 0]), torch.tensor([[1], [-1]])
MASKS = {
    "picked": lambda x: (x[x > 0], x[x > 0].sum(), x[x[:, 0, 0] > 0], x[:, x[0, :, 0] > 0], x[..., x[0, 0] > 0]),
    "beside indices": lambda x: (x[A, B], x[A, :, B], x[:, A, B], x[:, B, A], x[x[:, 0, 0] > -9, :, A[0]]),
    "two dimensions": lambda x: (x[(x > 0)[:, :, 0]], x[:, (x > 0)[0]], x[(x > 0).nonzero(as_tuple=True)]),
    "other functions": lambda x: (x.masked_select(x > 0), x.masked_select(x[0] > 0), (x > 0).nonzero(),
                                  x.masked_scatter(x > 0, -x)),
    "put": lambda x: (put(x, (x > 0,), torch.tensor(7.0)), put(x, (x[:, :, 0] > 0,), torch.tensor(7.0)),
                      put(x, (A,), x[0] * 2), put(x, (A, B), x[0, 0] + 1), put(x, (None, A), x[:, :2] * 3),
                      put(x, (None, A, B), torch.ones(2)), put(x, (A, A), x[1, :2], True)),
    "scattered": lambda x: (x.scatter(1, x.sort(1)[1], x * 2), x.scatter(0, x.sort(1)[1] % 4, 3.0),
                            x.scatter_add(1, x.long().abs() % 3, x), x.index_add(0, A, x[:2]),
                            x.index_add(1, A, x[:, :2], alpha=0.5), x.new_zeros(x.size(0), 2), x.new_full((2,), 3.0)),
}  # fmt: skip


@pytest.mark.parametrize("name", MASKS)
def test_masks_and_indices(name):
    check(MASKS[name], torch.randn(4, 4, 4), axes={"x": {0: "n"}}, other=(torch.randn(6, 4, 4),))


def test_tokens_that_are_left_out():
    """A masked mean of embeddings, and a loss over the tokens that are there."""
    table = nn.Embedding(11, 6)

    def model(tokens, scores):
        kept = tokens != 0
        chances = scores[kept].log_softmax(-1).gather(1, tokens[kept][:, None])
        return -chances.mean(), (table(tokens) * kept[..., None]).sum(1) / kept.sum(1, keepdim=True)

    axes = {"tokens": {0: "n", 1: "time"}, "scores": {0: "n", 1: "time"}}
    others = torch.tensor([[1, 0, 3, 4], [0, 6, 7, 8], [9, 9, 1, 0]]), torch.randn(3, 4, 11)
    check(model, torch.tensor([[3, 0, 5], [1, 2, 0]]), torch.randn(2, 3, 11), axes=axes, other=others)


IMAGE_FUNCTIONS = {
    "nearest": lambda x: F.interpolate(x, scale_factor=2),
    "bilinear": lambda x: F.interpolate(x, scale_factor=2, mode="bilinear"),
    "corners": lambda x: F.interpolate(x, size=(9, 11), mode="bilinear", align_corners=True),
    "bicubic": lambda x: F.interpolate(x, scale_factor=2, mode="bicubic"),
    "reflect": lambda x: F.pad(x, (1, 1, 2, 2), mode="reflect"),
    "shuffle": lambda x: F.pixel_shuffle(x, 2),
    "pools": lambda x: (F.max_pool2d(x, 3, 2, 1, ceil_mode=True), F.avg_pool2d(x, 3, 2, 1, count_include_pad=False)),
    "adaptive": lambda x: F.adaptive_avg_pool2d(x, 4),
    "unfold": lambda x: F.unfold(x, (2, 3), dilation=2, padding=1, stride=2),
    "causal": lambda x: F.scaled_dot_product_attention(x, x, x, is_causal=True),
}


@pytest.mark.parametrize("name", IMAGE_FUNCTIONS)
def test_functions_of_images(name):
    check(IMAGE_FUNCTIONS[name], torch.randn(2, 4, 8, 8), axes={"x": {0: "n"}}, other=(torch.randn(3, 4, 8, 8),))


def test_what_no_result_needs_is_left_out():
    def model(x):
        if not torch.linalg.svdvals(x).sum() >= 0:
            raise AssertionError
        return x * 2

    assert [node.op_type for node in check(model, torch.ones(2, 2)).model_proto.graph.node] == ["Mul", "Identity"]


def test_names_files_and_versions(tmp_path):
    net = nn.Sequential(nn.Linear(2, 3), nn.ReLU())
    path = tmp_path / "net.onnx"
    shapes = ({0: torch.export.Dim("rows")},)
    made = torch.onnx.export(
        net, (torch.ones(4, 2),), path, input_names=["x"], output_names=["y"], dynamic_shapes=shapes
    )
    graph = onnx.load(path).graph
    assert [i.name for i in graph.input] == ["x"] and [o.name for o in graph.output] == ["y"]
    assert graph.input[0].type.tensor_type.shape.dim[0].dim_param == "rows"
    assert {i.name for i in graph.initializer} == {"0.weight", "0.bias"}
    assert made.model_proto.opset_import[0].version == 18
    buffer = io.BytesIO()
    assert torch.onnx.export(net, torch.ones(4, 2), buffer, dynamo=False, opset_version=17) is None
    assert onnx.load_from_string(buffer.getvalue()).opset_import[0].version == 17


def test_keywords_and_containers():
    def model(pair, scale=None):
        return {"sum": pair[0] + pair[1], "scaled": pair[0] * scale}["scaled"]

    shapes = {"pair": ({0: "n"}, {0: torch.export.Dim("n")}), "scale": ["n"]}
    given = (((torch.ones(2), torch.ones(2))),)
    program = torch.onnx.export(model, given, kwargs={"scale": torch.ones(2)}, dynamic_shapes=shapes)
    sizes = [i.type.tensor_type.shape.dim[0].dim_param for i in program.model_proto.graph.input]
    assert sizes == ["n", "n", "n"]
    program = torch.onnx.export(model, (((torch.ones(2), torch.ones(2))),), kwargs={"scale": torch.full((2,), 3.0)})
    assert [i.name for i in program.model_proto.graph.input] == ["pair_0", "pair_1", "scale"]
    assert program(torch.ones(2), torch.ones(2), torch.full((2,), 2.0))[0].tolist() == [2.0, 2.0]


@pytest.mark.parametrize(
    "model, message",
    [
        (lambda x: torch.linalg.svdvals(x), "_linalg_svd cannot be exported to ONNX"),
        (lambda x: x + torch.randn(3, 3), "randn cannot be exported to ONNX"),
        (lambda x: x.clone().select(0, 0).fill_(1) + x, None),
        (lambda x: x[x > 0] + torch.zeros(len(x[x > 0])), "computes with the number of elements that a mask selects"),
        (lambda x: x * 2 if len(x) < 4 else x + 1, "runs other operators for other sizes"),
    ],
)
def test_refused(model, message):
    axes = {"x": {0: "n"}} if message and "sizes" in message else None
    if message is None:
        check(model, torch.ones(3, 3))
        return
    with pytest.raises(torch.onnx.OnnxExporterError, match=message):
        torch.onnx.export(model, (torch.randn(3, 3),), dynamic_axes=axes)


def test_a_view_that_is_written_to():
    def model(x):
        y = x.clone()
        y[:, 0] = 1
        return y

    with pytest.raises(torch.onnx.OnnxExporterError, match="writes to a view of a tensor in place"):
        torch.onnx.export(model, (torch.zeros(2, 2),))


def test_bad_arguments():
    with pytest.raises(TypeError, match="cannot be called with these arguments"):
        torch.onnx.export(nn.Linear(2, 2), ())
    with pytest.raises(ValueError, match="dynamic_axes has 'y', which is no input"):
        torch.onnx.export(nn.Linear(2, 2), (torch.ones(1, 2),), dynamic_axes={"y": {0: "n"}})
    with pytest.raises(torch.onnx.OnnxExporterError, match="the example arguments contain no tensor"):
        torch.onnx.export(lambda n: torch.ones(n), (3,))
