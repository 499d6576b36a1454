"""Recurrent layers against numbers of PyTorch 2.13, and their derivatives of all kinds."""

import copy
import math
import pickle

import pytest

import flambeau_nn as nn
import flambeau_tensor as ft
from flambeau_autograd import gradcheck
from flambeau_autograd.func import hessian, jacfwd, jacrev, vmap
from flambeau_autograd.gradcheck import gradgradcheck
from flambeau_nn.func import functional_call
from flambeau_nn.utils.rnn import pack_padded_sequence, pack_sequence, pad_packed_sequence
from samples.derivatives import check_batches, check_derivatives
from samples.values import check_values

BOTH = {"bidirectional": True}
LAYERS = {
    "LSTM": ("LSTM", {}),
    "GRU, both directions": ("GRU", BOTH),
    "RNN": ("RNN", {"batch_first": True}),
    "LSTM, projected, both directions, two layers": ("LSTM", {"num_layers": 2, "proj_size": 2, **BOTH}),
    "GRU without bias, two layers": ("GRU", {"bias": False, "num_layers": 2}),
    "RNN, relu": ("RNN", {"nonlinearity": "relu", **BOTH}),
}
# (name, packed): output, final states, gradient of the input, gradients of the weights; each weighed by 1, 2, 3, …
EXPECTED = {
    ("LSTM", False): (
        -91.75448363,
        [-6.2364551481, -14.9665696265],
        -2764.722028,
        [-1314.0387756, -575.646354961, 637.801975705, 637.801975705],
    ),
    ("LSTM", True): (
        -53.79940315,
        [-10.1734106436, -18.7821919142],
        -593.7048405,
        [-420.098255383, 75.89167188, 95.038459465, 95.038459465],
    ),
    ("LSTM, projected, both directions, two layers", False): (
        294.3773809,
        [104.6794743735, -259.6347411266],
        562.0562046,
        [
            24.702896517,
            143.549864562,
            387.765279896,
            387.765279896,
            57.37742021,
            615.414655262,
            343.476914276,
            309.125686356,
            309.125686356,
            239.317753237,
            4183.355733357,
            496.41891721,
            1750.976852858,
            1750.976852858,
            644.693537836,
            2543.183242321,
            1445.083024964,
            891.733906855,
            891.733906855,
            -2281.565216913,
        ],
    ),
    ("LSTM, projected, both directions, two layers", True): (
        122.8830543,
        [76.7161088553, -150.7650956818],
        124.3161379,
        [
            408.883085767,
            75.333019286,
            311.726544365,
            311.726544365,
            39.917454035,
            639.854361425,
            145.271167764,
            370.36514695,
            370.36514695,
            -3.78937585,
            2317.392977333,
            210.615680083,
            1021.622567856,
            1021.622567856,
            293.471131742,
            1726.895231285,
            667.956872617,
            749.295231495,
            749.295231495,
            -1177.748887038,
        ],
    ),
    ("GRU, both directions", False): (
        -939.7124198,
        [-77.7908523099],
        -14845.64014,
        [
            658.469162739,
            -5218.437505513,
            3485.685424082,
            2765.756720259,
            -1380.539686009,
            -2621.649613786,
            3586.269166555,
            3069.256827415,
        ],
    ),
    ("GRU, both directions", True): (
        -529.5621074,
        [-69.5618600358],
        -4300.87076,
        [
            713.705812068,
            -2342.254763425,
            1596.907243465,
            1321.965065457,
            880.652402313,
            -1017.920328266,
            1626.501917255,
            1374.294599115,
        ],
    ),
    ("GRU without bias, two layers", False): (
        -45.55459818,
        [-0.8423783857],
        639.5496692,
        [870.487237673, -74.936065303, 5408.239187293, -976.031195723],
    ),
    ("GRU without bias, two layers", True): (
        -14.50403136,
        [-4.4769647499],
        -111.9306923,
        [180.527832524, -105.618736791, 1533.141581527, -420.369919737],
    ),
    ("RNN", False): (
        -121.9784397,
        [-24.7176441834],
        6890.009287,
        [166.545243409, -497.30357981, 1031.594363525, 1031.594363525],
    ),
    ("RNN", True): (
        -115.4389284,
        [-31.3679540872],
        6070.099341,
        [10.286990151, -148.798376854, 864.268706521, 864.268706521],
    ),
    ("RNN, relu", False): (
        2136.881574,
        [303.3562002797],
        -1015.95938,
        [
            1558.531051553,
            4857.173701917,
            2954.895096692,
            2954.895096692,
            -1521.646336551,
            12022.981125127,
            3880.737295727,
            3880.737295727,
        ],
    ),
    ("RNN, relu", True): (
        959.9336584,
        [192.2182021177],
        3067.547419,
        [
            606.009435596,
            2213.070662516,
            1797.972586171,
            1797.972586171,
            305.858359213,
            4068.738496829,
            1610.471154547,
            1610.471154547,
        ],
    ),
}


@pytest.mark.parametrize(("name", "packed"), EXPECTED)
def test_layers(name, packed, close, waves, weighed):
    kind, options = LAYERS[name]
    layer = waves(getattr(nn, kind)(2, 3, **options).double())
    first = layer.batch_first
    x = ft.arange(24.0, dtype=ft.float64).mul(1.3).cos().reshape(4, 3, 2).requires_grad_()
    lengths = [2, 1, 3, 3] if first else [2, 4, 1]
    output, states = layer(pack_padded_sequence(x, lengths, first, enforce_sorted=False) if packed else x)
    if packed:
        output, _ = pad_packed_sequence(output, first)
    states = states if isinstance(states, tuple) else (states,)
    (weighed(output) + sum(map(weighed, states))).backward()
    of_output, of_states, of_x, of_weights = EXPECTED[name, packed]
    close(weighed(output).item(), of_output)
    close([weighed(t).item() for t in states], of_states)
    close(weighed(x.grad).item(), of_x)
    close([weighed(p.grad).item() for p in layer.parameters()], of_weights)


CELLS = {
    "LSTMCell": [
        [[-0.0009, -0.0039, -0.3384], [0.1158, -0.5933, -0.4542]],
        [[-0.0045, -0.0107, -0.5013], [0.3250, -0.8185, -0.7342]],
    ],
    "GRUCell": [[[-0.0838, -0.3459, -0.6060], [0.1945, -0.6779, -0.3330]]],
    "RNNCell": [[[-0.9034, -0.5916, 0.7118], [-0.5948, 0.9542, 0.7419]]],
}


@pytest.mark.parametrize("name", CELLS)
def test_cells(name, waves):
    cell = waves(getattr(nn, name)(2, 3).double())
    x = ft.tensor([[0.5, -1.0], [2.0, 0.25]], dtype=ft.float64)
    out = cell(x)
    out = out if isinstance(out, tuple) else (out,)
    for got, expected in zip(out, CELLS[name], strict=True):
        assert ft.allclose(got, ft.tensor(expected, dtype=ft.float64), atol=6e-5)
    one = cell(x[0])
    one = one if isinstance(one, tuple) else (one,)
    for got, expected in zip(one, out, strict=True):
        assert ft.allclose(got, expected[0], atol=1e-14)
    # A cell is a layer over one time.
    layer = getattr(nn, name.removesuffix("Cell"))(2, 3).double()
    layer.load_state_dict({f"{key}_l0": value for key, value in cell.state_dict().items()})
    assert ft.allclose(layer(x.unsqueeze(0))[0][0], out[0], atol=1e-14)


def test_weights_at_the_start_follow_the_seed(close):
    ft.manual_seed(3)
    state = nn.LSTM(1, 2).state_dict()
    assert list(state) == ["weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0"]
    close(state["weight_ih_l0"].flatten().tolist()[:4], [-0.7011, -0.5578, -0.3029, -0.6690], 2e-4)
    close(state["bias_hh_l0"].tolist()[-2:], [-0.3311, 0.0136], 4e-3)
    close(nn.GRUCell(1, 1).bias_hh.tolist(), [0.9246, 0.5212, -0.4038], 2e-4)


def test_dropout_between_layers_follows_the_seed(waves):
    layer = nn.RNN(2, 3, 2, dropout=0.5)
    ft.manual_seed(3)
    waves(layer)
    nn.RNN(2, 3, 2)  # draws as much as the layer did
    output, states = layer(ft.ones(2, 1, 2))
    assert ft.allclose(output[:, 0], ft.tensor([[0.1398, -0.9717, 0.2290], [-0.9361, 0.8922, -0.9070]]), atol=1e-4)
    assert ft.allclose(states[:, 0], ft.tensor([[-0.8145, 0.9859, 0.3382], [-0.9361, 0.8922, -0.9070]]), atol=1e-4)
    assert not layer.eval()(ft.ones(2, 1, 2))[0].equal(output)


DIFFERENTIATED = {
    "LSTM": {},
    "projected LSTM": {"proj_size": 2},
    "GRU": {},
    "RNN": {},
    "RNN, relu": {"nonlinearity": "relu"},
}


@pytest.mark.parametrize("name", DIFFERENTIATED)
@pytest.mark.parametrize("packed", [False, True])
def test_derivatives(name, packed, waves):
    kind = name.removeprefix("projected ").split(",")[0]
    layer = waves(getattr(nn, kind)(2, 3, bidirectional=True, **DIFFERENTIATED[name]).double())
    names = [n for n, _ in layer.named_parameters()]
    x = ft.arange(12.0, dtype=ft.float64).cos().reshape(3, 2, 2).requires_grad_()

    def run(x, *weights):
        given = pack_padded_sequence(x, [3, 1]) if packed else x
        output, states = functional_call(layer, dict(zip(names, weights, strict=False)), (given,))
        states = states if isinstance(states, tuple) else (states,)
        return (output.data if packed else output, *states)

    inputs = (x, *(p.detach().requires_grad_() for p in layer.parameters()))
    assert gradcheck(run, inputs, check_forward_ad=True)
    if not packed:
        assert gradgradcheck(run, inputs[:4])


def test_transforms(waves):
    layer = waves(nn.GRU(2, 3).double())
    x = ft.arange(16.0, dtype=ft.float64).cos().reshape(2, 4, 1, 2)

    def run(x):
        return layer(x)[0]

    assert ft.allclose(vmap(run)(x), ft.stack([run(each) for each in x]))
    assert ft.allclose(jacfwd(run)(x[0]), jacrev(run)(x[0]))
    assert hessian(lambda x: run(x).sum())(x[0]).shape == (4, 1, 2, 4, 1, 2)


@pytest.mark.parametrize("dtype", [ft.float16, ft.bfloat16])
def test_half_types_are_computed_in_float32(dtype, waves):
    layer = waves(nn.LSTM(2, 3))
    x = ft.arange(12.0).cos().reshape(3, 2, 2).to(dtype).requires_grad_()
    exact = layer(x.detach().float())[0]
    halves = copy.deepcopy(layer).to(dtype)
    output, (h, c) = halves(x)
    assert output.dtype is h.dtype is c.dtype is dtype
    assert ft.allclose(output.float(), exact, atol=2e-2)
    output.sum().backward()
    assert x.grad.dtype is dtype and halves.weight_hh_l0.grad.dtype is dtype


@pytest.mark.parametrize("kind", ["LSTM", "GRU", "RNN"])
def test_large_batches_share_the_work(kind):
    """Many rows, on the thread pool, give what few rows give."""
    layer = getattr(nn, kind)(8, 64)
    x = ft.arange(3 * 700 * 8.0).cos().reshape(3, 700, 8).requires_grad_()
    output, _ = layer(x)
    output.sum().backward()
    few = x.detach()[:, 350:352].requires_grad_()
    part, _ = layer(few)
    part.sum().backward()
    assert ft.allclose(output[:, 350:352], part, atol=1e-6) and ft.allclose(x.grad[:, 350:352], few.grad, atol=1e-6)


def test_single_sequences_and_states(waves):
    layer = waves(nn.LSTM(2, 3, batch_first=True))
    x = ft.arange(8.0).cos().reshape(4, 2)
    output, (h, c) = layer(x)
    assert (output.shape, h.shape, c.shape) == ((4, 3), (1, 3), (1, 3))
    batched, (h2, c2) = layer(x.unsqueeze(0))
    assert output.equal(batched[0]) and h.equal(h2[:, 0]) and c.equal(c2[:, 0])
    # A run in two parts is the run at once.
    first, states = layer(x[:2])
    second, last = layer(x[2:], states)
    assert ft.allclose(ft.cat([first, second]), output) and ft.allclose(last[1], c)


def test_empty_batches_and_rows_of_one():
    layer = nn.GRU(2, 3)
    output, h = layer(ft.ones(4, 0, 2))
    assert output.shape == (4, 0, 3) and h.shape == (1, 0, 3)
    output.sum().backward()
    assert layer.weight_ih_l0.grad.abs().sum().item() == 0
    assert layer(pack_sequence([ft.ones(1, 2)]))[0].data.shape == (1, 3)


def test_batch_first_changes_strides_as_in_pytorch():
    assert nn.LSTM(2, 3, batch_first=True)(ft.ones(2, 4, 2))[0].stride() == (3, 6, 1)


def test_functions_are_found_and_overridden():
    assert ft.lstm.__name__ == "lstm" and ft.gru_cell.__name__ == "gru_cell"
    seen = []

    class Duck:
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            seen.append(func)
            return "quack"

    assert ft.gru(Duck(), Duck(), [], True, 1, 0.0, False, False, False) == "quack"
    assert seen == [ft.gru]


REPRS = {
    "LSTM(3, 4, proj_size=2, num_layers=2, bias=False, bidirectional=True)": lambda: nn.LSTM(
        3, 4, 2, bidirectional=True, proj_size=2, bias=False
    ),
    "GRU(2, 3, num_layers=2, batch_first=True, dropout=0.5)": lambda: nn.GRU(2, 3, 2, batch_first=True, dropout=0.5),
    "RNN(2, 3)": lambda: nn.RNN(2, 3, nonlinearity="relu"),
    "RNNCell(2, 3)": lambda: nn.RNNCell(2, 3),
    "LSTMCell(2, 3, bias=False)": lambda: nn.LSTMCell(2, 3, bias=False),
    "RNNCell(2, 3, nonlinearity=relu)": lambda: nn.RNNCell(2, 3, nonlinearity="relu"),
}


@pytest.mark.parametrize("text", REPRS)
def test_repr_copies_and_pickles(text):
    layer = REPRS[text]()
    assert repr(layer) == text
    for other in (copy.deepcopy(layer), pickle.loads(pickle.dumps(layer))):
        assert repr(other) == text
        assert all(a.equal(b) for a, b in zip(layer.parameters(), other.parameters(), strict=True))
    assert isinstance(layer, (nn.RNNBase, nn.RNNCellBase))


H = ft.zeros(1, 3, 4)
ERRORS = {
    "dtype": (
        lambda: nn.LSTM(3, 4)(ft.ones(2, 2, 3).double()),
        ValueError,
        "RNN input dtype (torch.float64) does not match weight dtype (torch.float32). Convert input: "
        "input.to(torch.float32), or convert model: model.to(torch.float64)",
    ),
    "size": (
        lambda: nn.GRU(3, 4)(ft.ones(2, 2, 5)),
        RuntimeError,
        "input.size(-1) must be equal to input_size. Expected 3, got 5",
    ),
    "one dimension": (
        lambda: nn.RNN(3, 4)(ft.ones(2)),
        ValueError,
        "RNN: Expected input to be 2D or 3D, got 1D tensor instead",
    ),
    "state": (lambda: nn.GRU(3, 4)(ft.ones(2, 2, 3), H), RuntimeError, "Expected hidden size (1, 2, 4), got [1, 3, 4]"),
    "cells": (
        lambda: nn.LSTM(3, 4)(ft.ones(2, 3, 3), (H, ft.zeros(1, 3, 2))),
        RuntimeError,
        "Expected hidden[1] size (1, 3, 4), got [1, 3, 2]",
    ),
    "2-D states": (
        lambda: nn.LSTM(3, 4)(ft.ones(2, 2, 3), (H[0], H[0])),
        RuntimeError,
        "For batched 3-D input, hx and cx should also be 3-D but got (2-D, 2-D) tensors",
    ),
    "3-D state": (
        lambda: nn.RNN(3, 4)(ft.ones(2, 3), H),
        RuntimeError,
        "For unbatched 2-D input, hx should also be 2-D but got 3-D tensor",
    ),
    "no time": (
        lambda: nn.GRU(3, 4)(ft.ones(0, 2, 3)),
        RuntimeError,
        "Expected sequence length to be larger than 0 in RNN",
    ),
    "projected GRU": (
        lambda: nn.GRU(3, 4, proj_size=2),
        ValueError,
        "proj_size argument is only supported for LSTM, not RNN or GRU",
    ),
    "projection": (lambda: nn.LSTM(3, 4, proj_size=4), ValueError, "proj_size has to be smaller than hidden_size"),
    "nonlinearity": (
        lambda: nn.RNN(3, 4, nonlinearity="x"),
        ValueError,
        "Unknown nonlinearity 'x'. Select from 'tanh' or 'relu'.",
    ),
    "float": (lambda: nn.LSTM(3.0, 4), TypeError, "input_size should be of type int, got: float"),
    "nothing": (lambda: nn.LSTM(3, 0), ValueError, "hidden_size must be greater than zero"),
    "layers": (lambda: nn.LSTM(3, 4, 0), ValueError, "num_layers must be greater than zero"),
    "dropout": (
        lambda: nn.LSTM(3, 4, dropout=2.0),
        ValueError,
        "dropout should be a number in range [0, 1] representing the probability of an element being zeroed",
    ),
    "cell's size": (
        lambda: nn.GRUCell(3, 4)(ft.ones(2, 5)),
        RuntimeError,
        "input has inconsistent input_size: got 5 expected 3",
    ),
    "cell's batch": (
        lambda: nn.LSTMCell(3, 4)(ft.ones(2, 3), (H[0], H[0])),
        RuntimeError,
        "Input batch size 2 doesn't match hidden0 batch size 3",
    ),
    "cell's state": (
        lambda: nn.RNNCell(3, 4)(ft.ones(2, 3), ft.ones(2, 5)),
        RuntimeError,
        "hidden0 has inconsistent hidden_size: got 5, expected 4",
    ),
    "operands": (
        lambda: ft.gru_cell(ft.ones(2, 3), ft.ones(2, 4), ft.ones(12, 2), ft.ones(12, 4)),
        RuntimeError,
        "expected w_ih to be of size [12, 3], but got [12, 2]",
    ),
}


@pytest.mark.parametrize("name", ERRORS)
def test_errors(name, check_error):
    check_error(*ERRORS[name])


def spiral(*shape):
    """Numbers of length 1/2, by 1 further round each."""
    x = ft.arange(float(ft.Size(shape).numel()))
    return 0.5 * ft.complex(x.sin(), x.cos()).reshape(shape)


# PyTorch's first two outputs and final states.
OF_COMPLEX = {
    "LSTM": ([0.0949 + 0.1343j, 0.533 - 0.029j], [0.1433 + 0.1534j, 0.6896 - 0.3428j], [0.6918 + 0.2682j]),
    "GRU": ([0.434 + 0.1121j, 0.4684 - 0.5505j], [0.6534 + 0.13j, 0.476 - 0.7606j], []),
    "RNN": ([0.0676 + 1.6943j, 0.7761 + 0.2579j], [-0.4175 + 0.1275j, -1.568 - 0.6194j], []),
}


@pytest.mark.filterwarnings("ignore:Complex modules are a new feature")
@pytest.mark.parametrize("name", OF_COMPLEX)
def test_layers_of_complex_numbers(name):
    layer = getattr(nn, name)(3, 4, dtype=ft.complex64)
    for p in layer.parameters():
        p.data.copy_(spiral(*p.shape))
    x = spiral(5, 2, 3)
    output, h = layer(x)
    h, *c = h if name == "LSTM" else (h,)
    first, final, cells = OF_COMPLEX[name]
    assert output.flatten()[:2].tolist() == pytest.approx(first, abs=1e-4)
    assert h.flatten()[:2].tolist() == pytest.approx(final, abs=1e-4)
    assert [t.flatten()[0].item() for t in c] == pytest.approx(cells, abs=1e-4)
    packed, _ = layer(pack_padded_sequence(x, ft.tensor([5, 2])))
    padded, _ = pad_packed_sequence(packed)
    assert ft.allclose(padded[:, 0], output[:, 0])
    assert ft.allclose(padded[:2, 1], output[:2, 1])
    assert not padded[2:, 1].any()
    layer = getattr(nn, name)(3, 2, dtype=ft.complex128)
    assert gradcheck(lambda x: layer(x)[0], (x[:2].to(ft.complex128).requires_grad_(),))


def test_gradients_pass_relu_at_nan():
    # Printed by PyTorch 2.13.
    x, w = ft.ones(1, 2).requires_grad_(), ft.ones(2, 2).requires_grad_()
    out = ft.rnn_relu_cell(x, ft.tensor([[math.nan, 1.0]]), w, ft.ones(2, 2))
    out.sum().backward()
    assert x.grad.tolist() == [[2, 2]] and w.grad.tolist() == [[1, 1], [1, 1]]


def test_relu_takes_no_complex_numbers():
    with pytest.raises(NotImplementedError, match="complex"):
        nn.RNN(3, 4, nonlinearity="relu", dtype=ft.complex64)(spiral(5, 2, 3))


def test_dropout_of_one_layer_warns():
    with pytest.warns(UserWarning, match="dropout option adds dropout after all but last recurrent layer"):
        nn.LSTM(3, 4, dropout=0.3)


def test_flat_weights_can_be_handed_back():
    layer = nn.GRU(2, 3)
    given = [nn.Parameter(w.detach() + 1) for w in layer._flat_weights]
    layer._flat_weights = given
    assert all(a is b for a, b in zip(layer.parameters(), given, strict=True))
    with pytest.raises(ValueError, match="shorter"):
        layer._flat_weights = given[:2]


TestSamples = check_values("nn.recurrent")
TestDerivatives = check_derivatives("nn.recurrent")
TestBatches = check_batches("nn.recurrent")


def test_permutation_by_its_old_name():
    from flambeau_nn.modules.rnn import apply_permutation

    with pytest.warns(FutureWarning, match="index_select"):
        assert apply_permutation(ft.tensor([[1, 2]]), ft.tensor([1, 0])).tolist() == [[2, 1]]
