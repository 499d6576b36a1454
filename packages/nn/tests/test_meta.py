"""Modules without memory, on device 'meta'."""

import copy

import pytest

import flambeau_tensor as torch
from flambeau_nn import functional as F
from flambeau_nn import modules as nn
from flambeau_nn.parameter import Parameter
from flambeau_nn.utils import skip_init


def on_meta(module):
    return all(t.is_meta for t in [*module.parameters(), *module.buffers()])


def test_made_and_run():
    with torch.device("meta"):
        model = nn.Sequential(
            nn.Conv2d(3, 8, 3, padding=1),
            nn.BatchNorm2d(8),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Flatten(),
            nn.Linear(8 * 16 * 16, 10),
        )
    assert on_meta(model) and on_meta(nn.Linear(1 << 20, 1 << 20, device="meta"))
    y = model(torch.empty(4, 3, 32, 32, device="meta"))
    assert y.is_meta and y.shape == (4, 10)
    F.cross_entropy(y, torch.empty(4, dtype=torch.int64, device="meta")).backward()
    assert all(p.grad.is_meta and p.grad.shape == p.shape for p in model.parameters())


def test_large_attention():
    layer = nn.TransformerEncoderLayer(4096, 32, 16384, batch_first=True, device="meta")
    x = torch.empty(64, 2048, 4096, device="meta", requires_grad=True)
    y = layer(x)
    y.sum().backward()
    assert y.shape == x.shape == x.grad.shape and on_meta(layer)


def test_there_and_back():
    model = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3))
    weights = model.state_dict()
    copied = copy.deepcopy(model).to("meta")
    assert on_meta(copied) and isinstance(copied[0].weight, Parameter) and copied[0].weight.requires_grad
    with pytest.raises(NotImplementedError, match="Please use torch.nn.Module.to_empty()"):
        copied.to("cpu")
    with pytest.warns(UserWarning, match="copying from a non-meta parameter"):
        copied.load_state_dict(weights)
    assert on_meta(copied)
    copied.load_state_dict(weights, assign=True)
    assert copied[0].weight.tolist() == model[0].weight.tolist() and not on_meta(copied)
    empty = model.to("meta").to_empty(device="cpu")
    assert empty is model and not empty[0].weight.is_meta and empty[0].weight.requires_grad
    empty.load_state_dict(weights)


def test_skip_init():
    torch.manual_seed(0)
    expected = torch.rand(2).tolist()
    torch.manual_seed(0)
    layer = skip_init(nn.Linear, 3, 4)
    assert not layer.weight.is_meta and layer.weight.shape == (4, 3) and torch.rand(2).tolist() == expected
    assert on_meta(skip_init(nn.Linear, 3, 4, device="meta"))


@pytest.mark.parametrize("kind", [nn.RNN, nn.LSTM, nn.GRU])
def test_recurrent_layers_and_cells(kind):
    x = torch.ones(5, 2, 3, device="meta")
    layer = kind(3, 4, 2, device="meta", bidirectional=True)
    output, states = layer(x)
    assert output.is_meta and output.shape == (5, 2, 8)
    assert all(s.is_meta and s.shape == (4, 2, 4) for s in (states if kind is nn.LSTM else [states]))
    output.sum().backward()
    assert layer.weight_ih_l0.grad.is_meta and layer.weight_ih_l0.grad.shape == layer.weight_ih_l0.shape
    cell = {nn.RNN: nn.RNNCell, nn.LSTM: nn.LSTMCell, nn.GRU: nn.GRUCell}[kind](3, 4, device="meta")
    new = cell(x[0])
    assert (new[0] if kind is nn.LSTM else new).shape == (2, 4)
