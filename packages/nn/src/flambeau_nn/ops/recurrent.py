"""Recurrent layers: LSTM (Hochreiter and Schmidhuber, 1997), GRU (Cho et al., 2014) and plain ones.

One direction of one layer is an operator; ``torch.lstm`` and its kin stack them, and the functions of single steps are
layers over one time. ``input`` is (time, batch, size) or, with ``batch_first``, (batch, time, size), or packed: rows of
all sequences, time by time, with ``batch_sizes`` telling how many rows each time has.
"""

import flambeau_tensor as ft
from flambeau_nn._kernels import recurrent as kernels
from flambeau_nn.ops import INTERNAL
from flambeau_tensor import Operator
from flambeau_tensor.extend import FUNCTION
from flambeau_tensor.ops.matmul import linear

_WEIGHTS = "Tensor w_ih, Tensor w_hh, Tensor? b_ih, Tensor? b_hh"
_LSTM = f"Tensor input, int[]? batch_sizes, Tensor h0, Tensor c0, {_WEIGHTS}, Tensor? w_hr, bool reverse"
_RNN = f"Tensor input, int[]? batch_sizes, Tensor h0, {_WEIGHTS}, str mode, bool reverse"
lstm_layer = Operator(
    f"lstm_layer({_LSTM}) -> (Tensor output, Tensor h, Tensor c, Tensor workspace)",
    kernels.lstm_layer,
    namespace=INTERNAL,
    variants=FUNCTION,
    doc="One direction of a layer of an LSTM; the workspace is for backward.",
)
lstm_layer_backward = Operator(
    "lstm_layer_backward(Tensor? grad_output, Tensor? grad_h, Tensor? grad_c, Tensor output, Tensor workspace, "
    f"{_LSTM}, bool of_input) -> (Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor)",
    kernels.lstm_layer_backward,
    namespace=INTERNAL,
    variants=FUNCTION,
    doc="The gradients of lstm_layer with respect to its tensors; that of the input if `of_input`.",
)
rnn_layer = Operator(
    f"rnn_layer({_RNN}) -> (Tensor output, Tensor h, Tensor workspace)",
    kernels.rnn_layer,
    namespace=INTERNAL,
    variants=FUNCTION,
    doc="One direction of a layer; `mode` is 'GRU', 'RNN_TANH' or 'RNN_RELU'.",
)
rnn_layer_backward = Operator(
    "rnn_layer_backward(Tensor? grad_output, Tensor? grad_h, Tensor output, Tensor workspace, "
    f"{_RNN}, bool of_input) -> (Tensor, Tensor, Tensor, Tensor, Tensor, Tensor)",
    kernels.rnn_layer_backward,
    namespace=INTERNAL,
    variants=FUNCTION,
    doc="The gradients of rnn_layer with respect to its tensors; that of the input if `of_input`.",
)


# --- by other operations --------------------------------------------------------------------------------------------


def composed(mode, input, batch_sizes, h, c, w_ih, w_hh, b_ih, b_hh, w_hr, reverse):
    """What the operators compute, by products and activations: output, final state and, of an LSTM, final cells."""
    if batch_sizes is None:
        steps = list(input.unbind(0))
    else:
        steps = list(input.split(list(batch_sizes), 0))
    outputs = [None] * len(steps)
    states = list(h.unbind(0)), None if c is None else list(c.unbind(0))
    whole = h, c
    for t in reversed(range(len(steps))) if reverse else range(len(steps)):
        m = steps[t].shape[0]
        if m != whole[0].shape[0]:
            whole = ft.stack(states[0][:m]), None if c is None else ft.stack(states[1][:m])
        whole = _step(mode, steps[t], *whole, w_ih, w_hh, b_ih, b_hh, w_hr)
        outputs[t] = whole[0]
        for kept, new in zip(states, whole, strict=True):
            if new is not None:
                kept[:m] = new.unbind(0)
    output = ft.stack(outputs) if batch_sizes is None else ft.cat(outputs)
    final = ft.stack(states[0]) if len(states[0]) else h
    return output, final, None if c is None else (ft.stack(states[1]) if len(states[1]) else c)


def _step(mode, x, h, c, w_ih, w_hh, b_ih, b_hh, w_hr):
    inner = linear(x, w_ih, b_ih)
    outer = linear(h, w_hh, b_hh)
    if mode == "LSTM":
        i, f, u, o = (inner + outer).chunk(4, 1)
        c = f.sigmoid() * c + i.sigmoid() * u.tanh()
        h = o.sigmoid() * c.tanh()
        return (h if w_hr is None else linear(h, w_hr, None)), c
    if mode == "GRU":
        r, z, u = inner.chunk(3, 1)
        of_r, of_z, of_u = outer.chunk(3, 1)
        u = (u + (r + of_r).sigmoid() * of_u).tanh()
        return (h - u) * (z + of_z).sigmoid() + u, None
    return ((inner + outer).tanh() if mode == "RNN_TANH" else (inner + outer).relu()), None


# --- the functions --------------------------------------------------------------------------------------------------


def _direction(mode, input, batch_sizes, h, c, w_ih, w_hh, b_ih, b_hh, w_hr, reverse):
    """One direction of one layer: by its kernel or, of complex numbers, which it does not take, by other operations."""
    if input.is_complex():
        return composed(mode, input, batch_sizes, h, c, w_ih, w_hh, b_ih, b_hh, w_hr, reverse)
    if mode == "LSTM":
        return lstm_layer(input, batch_sizes, h, c, w_ih, w_hh, b_ih, b_hh, w_hr, reverse)[:3]
    output, h, _ = rnn_layer(input, batch_sizes, h, w_ih, w_hh, b_ih, b_hh, mode, reverse)
    return output, h, None


def _layers(mode, input, batch_sizes, hx, params, has_biases, num_layers, dropout, train, bidirectional):
    """Output, final states and final cells, stacked, of all layers and directions."""
    directions = 2 if bidirectional else 1
    each = 4 if has_biases else 2
    h0, c0, projected = hx, None, False
    if mode == "LSTM":
        if len(hx) != 2:
            raise RuntimeError("lstm expects two hidden states")
        h0, c0 = hx
        projected = h0.shape[2] != c0.shape[2]
        each += projected
    if len(params) != each * num_layers * directions:
        raise RuntimeError(f"expected {each * num_layers * directions} parameters, got {len(params)}")
    if h0.ndim != 3 or h0.shape[0] != num_layers * directions:
        raise RuntimeError(f"expected hidden states of {num_layers * directions} layers, got size {list(h0.shape)}")
    finals, cells = [], []
    for layer in range(num_layers):
        outputs = []
        for direction in range(directions):
            at = layer * directions + direction
            weights = params[each * at : each * (at + 1)]
            w_ih, w_hh = weights[0], weights[1]
            b_ih, b_hh = (weights[2], weights[3]) if has_biases else (None, None)
            c = None if c0 is None else c0[at]
            w_hr = weights[-1] if projected else None
            output, h, c = _direction(mode, input, batch_sizes, h0[at], c, w_ih, w_hh, b_ih, b_hh, w_hr, direction == 1)
            outputs.append(output)
            finals.append(h)
            if c is not None:
                cells.append(c)
        input = ft.cat(outputs, -1) if bidirectional else outputs[0]
        if dropout and train and layer < num_layers - 1:
            input = _dropout(input, dropout)
    return (input, *(each[0].unsqueeze(0) if len(each) == 1 else ft.stack(each) for each in (finals, cells) if each))


def _dropout(input, p):
    from flambeau_nn.functional import dropout

    return dropout(input, p, True)


def _declare(mode, name, hx, results, doc):
    rest = "Tensor[] params, bool has_biases, int num_layers, float dropout, bool train, bool bidirectional"

    def of_tensor(input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first):
        output, *finals = _layers(
            mode,
            input.transpose(0, 1) if batch_first else input,
            None,
            hx,
            params,
            has_biases,
            num_layers,
            dropout,
            train,
            bidirectional,
        )
        return (output.transpose(0, 1) if batch_first else output, *finals)

    def of_packed(data, batch_sizes, hx, params, has_biases, num_layers, dropout, train, bidirectional):
        return _layers(
            mode, data, batch_sizes.tolist(), hx, params, has_biases, num_layers, dropout, train, bidirectional
        )

    return (
        Operator(
            f"{name}.input(Tensor input, {hx} hx, {rest}, bool batch_first) -> {results}",
            of_tensor,
            variants=FUNCTION,
            composite=True,
            doc=doc,
        ),
        Operator(
            f"{name}.data(Tensor data, Tensor batch_sizes, {hx} hx, {rest}) -> {results}",
            of_packed,
            variants=FUNCTION,
            composite=True,
            doc=f"The same of packed sequences. {doc}",
        ),
    )


_ALL = "All layers and directions: the output of the last layer, and the final states of each."
lstm = _declare("LSTM", "lstm", "Tensor[]", "(Tensor, Tensor, Tensor)", f"{_ALL} `hx` is (h_0, c_0).")
gru = _declare("GRU", "gru", "Tensor", "(Tensor, Tensor)", _ALL)
rnn_tanh = _declare("RNN_TANH", "rnn_tanh", "Tensor", "(Tensor, Tensor)", _ALL)
rnn_relu = _declare("RNN_RELU", "rnn_relu", "Tensor", "(Tensor, Tensor)", _ALL)


def _check_step(input, hx, w_ih):
    """A step has rows of features: what has no dimension 1 raises an IndexError."""
    input.size(1)
    hx.size(0)
    w_ih.size(1)


def _lstm_cell(input, hx, w_ih, w_hh, b_ih, b_hh):
    if len(hx) != 2:
        raise RuntimeError("lstm_cell expects two hidden states")
    _check_step(input, hx[0], w_ih)
    return _direction("LSTM", input.unsqueeze(0), None, *hx, w_ih, w_hh, b_ih, b_hh, None, False)[1:]


def _cell(mode):
    def run(input, hx, w_ih, w_hh, b_ih, b_hh):
        _check_step(input, hx, w_ih)
        return _direction(mode, input.unsqueeze(0), None, hx, None, w_ih, w_hh, b_ih, b_hh, None, False)[1]

    return run


_STEP = "Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? b_hh=None"
lstm_cell = Operator(
    f"lstm_cell(Tensor input, Tensor[] hx, {_STEP}) -> (Tensor, Tensor)",
    _lstm_cell,
    variants=FUNCTION,
    composite=True,
    doc="One step of an LSTM: state and cells after it; `hx` is those before it.",
)
gru_cell, rnn_tanh_cell, rnn_relu_cell = (
    Operator(
        f"{name}(Tensor input, Tensor hx, {_STEP}) -> Tensor",
        _cell(mode),
        variants=FUNCTION,
        composite=True,
        doc=f"One step: the state after it. {what}",
    )
    for name, mode, what in (
        ("gru_cell", "GRU", "Of a GRU."),
        ("rnn_tanh_cell", "RNN_TANH", "Its activation is tanh."),
        ("rnn_relu_cell", "RNN_RELU", "Its activation is relu."),
    )
)
