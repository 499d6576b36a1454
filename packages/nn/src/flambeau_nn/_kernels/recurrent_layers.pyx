# cython: language_level=3
"""Stacks of recurrent layers as compositions: distribute weights and states to layers and directions.

The operators are declared in higher folders and connected from there.
"""
from cpython.object cimport PyObject

from flambeau_tensor.abi cimport T_COMPLEX, TensorInfo, dtype_number, tensor_info

cdef object _lstm_layer, _rnn_layer, _composed, _select, _cat, _stack, _dropout


def connect(lstm_layer, rnn_layer, composed, select, cat, stack, dropout):
    """Set the functions of recurrent layers.

    `lstm_layer` and `rnn_layer` compute one direction of a layer, `composed` does so for complex numbers; the other
    operators split and join states.
    """
    global _lstm_layer, _rnn_layer, _composed, _select, _cat, _stack, _dropout
    _lstm_layer, _rnn_layer, _composed = lstm_layer, rnn_layer, composed
    _select, _cat, _stack, _dropout = select, cat, stack, dropout


def direction(str mode, input, batch_sizes, h, c, w_ih, w_hh, b_ih, b_hh, w_hr, bint reverse):
    """Compute one direction of one layer: with its kernel or, for complex numbers, by composed operations."""
    if dtype_number(<PyObject*>input) >= T_COMPLEX:
        return _composed(mode, input, batch_sizes, h, c, w_ih, w_hh, b_ih, b_hh, w_hr, reverse)
    if mode == "LSTM":
        return _lstm_layer(input, batch_sizes, h, c, w_ih, w_hh, b_ih, b_hh, w_hr, reverse)[:3]
    output, h, _ = _rnn_layer(input, batch_sizes, h, w_ih, w_hh, b_ih, b_hh, mode, reverse)
    return output, h, None


cdef object _stacked(list states):
    return states[0].unsqueeze(0) if len(states) == 1 else _stack(states)


def layers(str mode, input, batch_sizes, hx, params, bint has_biases, Py_ssize_t num_layers, double dropout,
           bint train, bint bidirectional):
    """Return output, final states and final cells, stacked, of all layers and directions."""
    cdef Py_ssize_t directions = 2 if bidirectional else 1, each = 4 if has_biases else 2, layer, at, first
    cdef TensorInfo h
    cdef int k
    cdef bint projected = False
    cdef list finals = [], cells = [], outputs
    h0, c0 = hx, None
    if mode == "LSTM":
        if len(hx) != 2:
            raise RuntimeError("lstm expects two hidden states")
        h0, c0 = hx
        projected = h0.shape[2] != c0.shape[2]
        each += projected
    if len(params) != each * num_layers * directions:
        raise RuntimeError(f"expected {each * num_layers * directions} parameters, got {len(params)}")
    tensor_info(<PyObject*>h0, &h)
    if h.ndim != 3 or h.sizes[0] != num_layers * directions:
        raise RuntimeError(f"expected hidden states of {num_layers * directions} layers, got size {list(h0.shape)}")
    for layer in range(num_layers):
        outputs = []
        for k in range(directions):
            at = layer * directions + k
            first = each * at
            b_ih, b_hh = (params[first + 2], params[first + 3]) if has_biases else (None, None)
            output, final, cell = direction(
                mode, input, batch_sizes, _select(h0, 0, at), None if c0 is None else _select(c0, 0, at),
                params[first], params[first + 1], b_ih, b_hh, params[first + each - 1] if projected else None, k == 1)
            outputs.append(output)
            finals.append(final)
            if cell is not None:
                cells.append(cell)
        input = _cat(outputs, -1) if bidirectional else outputs[0]
        if dropout and train and layer < num_layers - 1:
            input = _dropout(input, dropout)
    if not finals:
        return (input,)
    return (input, _stacked(finals), _stacked(cells)) if cells else (input, _stacked(finals))


cdef int _check_step(input, hx, w_ih) except -1:
    """Check that the input is a matrix: raise an IndexError if it has no dimension 1."""
    input.size(1)
    hx.size(0)
    w_ih.size(1)
    return 0


def lstm_step(input, hx, w_ih, w_hh, b_ih, b_hh):
    """Compute one step of an LSTM: return the new state and cells."""
    if len(hx) != 2:
        raise RuntimeError("lstm_cell expects two hidden states")
    h, c = hx
    _check_step(input, h, w_ih)
    return direction("LSTM", input.unsqueeze(0), None, h, c, w_ih, w_hh, b_ih, b_hh, None, False)[1:]


def step(str mode, input, hx, w_ih, w_hh, b_ih, b_hh):
    """Compute one step of another layer: return the new state."""
    _check_step(input, hx, w_ih)
    return direction(mode, input.unsqueeze(0), None, hx, None, w_ih, w_hh, b_ih, b_hh, None, False)[1]
