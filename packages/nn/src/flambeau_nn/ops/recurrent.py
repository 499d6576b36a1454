"""Recurrent layers: LSTM (Hochreiter and Schmidhuber, 1997), GRU (Cho et al., 2014) and plain RNN.

One direction of one layer is an operator; ``torch.lstm`` and similar functions stack them, and the functions of single
steps are layers with one time step. ``input`` is (time, batch, size) or, with ``batch_first``, (batch, time, size), or
packed: rows of all sequences, ordered by time, where ``batch_sizes`` is the number of rows at each time.
"""

from functools import partial

import flambeau_tensor as ft
from flambeau_nn._kernels import recurrent as kernels
from flambeau_nn._kernels import recurrent_layers as layer_kernels
from flambeau_nn.ops import INTERNAL
from flambeau_tensor import Operator
from flambeau_tensor.extend import FUNCTION, find_operator
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
    """Compute the operators by products and activations: output, final state and, for an LSTM, final cells."""
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


def _dropout(input, p):
    from flambeau_nn.functional import dropout

    return dropout(input, p, True)


layer_kernels.connect(lstm_layer, rnn_layer, composed, find_operator("torch.select"), ft.cat, ft.stack, _dropout)


def _declare(mode, name, hx, results, doc):
    rest = "Tensor[] params, bool has_biases, int num_layers, float dropout, bool train, bool bidirectional"

    def of_tensor(input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first):
        output, *finals = layer_kernels.layers(
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
        return layer_kernels.layers(
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


_ALL = "All layers and directions: the output of the last layer, and the final states of all layers."
lstm = _declare("LSTM", "lstm", "Tensor[]", "(Tensor, Tensor, Tensor)", f"{_ALL} `hx` is (h_0, c_0).")
gru = _declare("GRU", "gru", "Tensor", "(Tensor, Tensor)", _ALL)
rnn_tanh = _declare("RNN_TANH", "rnn_tanh", "Tensor", "(Tensor, Tensor)", _ALL)
rnn_relu = _declare("RNN_RELU", "rnn_relu", "Tensor", "(Tensor, Tensor)", _ALL)


_STEP = "Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? b_hh=None"
lstm_cell = Operator(
    f"lstm_cell(Tensor input, Tensor[] hx, {_STEP}) -> (Tensor, Tensor)",
    layer_kernels.lstm_step,
    variants=FUNCTION,
    composite=True,
    doc="One step of an LSTM: the new hidden and cell state; `hx` holds the previous ones.",
)
gru_cell, rnn_tanh_cell, rnn_relu_cell = (
    Operator(
        f"{name}(Tensor input, Tensor hx, {_STEP}) -> Tensor",
        partial(layer_kernels.step, mode),
        variants=FUNCTION,
        composite=True,
        doc=f"One step of a recurrent network: the new hidden state. {what}",
    )
    for name, mode, what in (
        ("gru_cell", "GRU", "Of a GRU."),
        ("rnn_tanh_cell", "RNN_TANH", "Its activation is tanh."),
        ("rnn_relu_cell", "RNN_RELU", "Its activation is relu."),
    )
)
