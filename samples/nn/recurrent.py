"""Calls of recurrent layers and cells: of size 2 for inputs of size 1."""

import flambeau_tensor as torch
from samples import Dtypes, call, real

STEPS, PACKED, SIZES = real(2, 2, 1), real(3, 1), torch.tensor([2, 1])
H, STATE, ONE = real(2, 2), real(1, 2, 2), real(2, 1)


def weights(gates):
    return real(2 * gates, 1), real(2 * gates, 2), real(2 * gates), real(2 * gates)


KINDS = Dtypes.INEXACT
HOW, HOW_PACKED = (True, 1, 0.0, False, False, False), (True, 1, 0.0, False, False)

TABLE = {
    "lstm.input": call(STEPS, (STATE, STATE), weights(4), *HOW, dtypes=KINDS),
    "lstm.data": call(PACKED, SIZES, (STATE, STATE), weights(4), *HOW_PACKED, dtypes=KINDS),
    "gru.input": call(STEPS, STATE, weights(3), *HOW, dtypes=KINDS),
    "gru.data": call(PACKED, SIZES, STATE, weights(3), *HOW_PACKED, dtypes=KINDS),
    "rnn_tanh.input": call(STEPS, STATE, weights(1), *HOW, dtypes=KINDS),
    "rnn_tanh.data": call(PACKED, SIZES, STATE, weights(1), *HOW_PACKED, dtypes=KINDS),
    "rnn_relu.input": call(STEPS, STATE, weights(1), *HOW),
    "rnn_relu.data": call(PACKED, SIZES, STATE, weights(1), *HOW_PACKED),
    "lstm_cell": call(ONE, (H, H), *weights(4), dtypes=KINDS),
    "gru_cell": call(ONE, H, *weights(3), dtypes=KINDS),
    "rnn_tanh_cell": call(ONE, H, *weights(1), dtypes=KINDS),
    "rnn_relu_cell": call(ONE, H, *weights(1)),
    "_C._nn.lstm_layer": call(STEPS, H, H, *weights(4), via=lambda op, x, *a: op(x, None, *a, None, False)[:3]),
    "_C._nn.rnn_layer": call(STEPS, H, *weights(1), via=lambda op, x, *a: op(x, None, *a, "RNN_TANH", False)[:2]),
}
EXCUSED = {"called by the derivatives of the layers above": "_C._nn.lstm_layer_backward _C._nn.rnn_layer_backward"}
