"""Derivatives of recurrent layers: backward in one kernel, and its own derivatives as a composition over time."""

from flambeau_autograd.derivatives import derivative
from flambeau_nn.ops import recurrent as ops


def _gradients(mode, grads, batch_sizes, reverse, of_input, tensors):
    """The gradients of the layer's tensors (None of those that are not there), as differentiable as they can be."""
    from flambeau_autograd.func import vjp

    there = [k for k, t in enumerate(tensors) if t is not None]

    def run(*given):
        every = dict(zip(there, given, strict=True))
        x, h, c, *weights = (every.get(k) for k in range(8))
        results = ops.composed(mode, x, batch_sizes, h, c, *weights, reverse)
        return tuple(r for r, g in zip(results, grads, strict=True) if g is not None)

    _, pull = vjp(run, *(tensors[k] for k in there))
    found = dict(zip(there, pull(tuple(g for g in grads if g is not None)), strict=True))
    return tuple(found.get(k) if k or of_input else None for k in range(8))


def _lstm_backward(
    grad_output,
    grad_h,
    grad_c,
    output,
    workspace,
    input,
    batch_sizes,
    h0,
    c0,
    w_ih,
    w_hh,
    b_ih,
    b_hh,
    w_hr,
    reverse,
    of_input,
):
    tensors = input, h0, c0, w_ih, w_hh, b_ih, b_hh, w_hr
    return _gradients("LSTM", (grad_output, grad_h, grad_c), batch_sizes, reverse, of_input, tensors)


def _rnn_backward(
    grad_output, grad_h, output, workspace, input, batch_sizes, h0, w_ih, w_hh, b_ih, b_hh, mode, reverse, of_input
):
    tensors = input, h0, None, w_ih, w_hh, b_ih, b_hh, None
    x, h, _, *weights = _gradients(mode, (grad_output, grad_h, None), batch_sizes, reverse, of_input, tensors)
    return (x, h, *weights[:4])


def _lstm_gradients(grads, result0, result3, input, batch_sizes, h0, c0, w_ih, w_hh, b_ih, b_hh, w_hr, reverse, needs):
    operands = input, batch_sizes, h0, c0, w_ih, w_hh, b_ih, b_hh, w_hr
    return ops.lstm_layer_backward(*grads[:3], result0, result3, *operands, reverse, needs[0])


def _rnn_gradients(grads, result0, result2, input, batch_sizes, h0, w_ih, w_hh, b_ih, b_hh, mode, reverse, needs):
    operands = input, batch_sizes, h0, w_ih, w_hh, b_ih, b_hh
    return ops.rnn_layer_backward(*grads[:2], result0, result2, *operands, mode, reverse, needs[0])


derivative(ops.lstm_layer_backward, composition=_lstm_backward)
derivative(ops.rnn_layer_backward, composition=_rnn_backward)
derivative(
    ops.lstm_layer,
    {"input, h0, c0, w_ih, w_hh, b_ih, b_hh, w_hr": _lstm_gradients},
    not_differentiable=("workspace",),
)
derivative(ops.rnn_layer, {"input, h0, w_ih, w_hh, b_ih, b_hh": _rnn_gradients}, not_differentiable=("workspace",))
