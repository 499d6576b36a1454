"""Calls of normalization."""

from samples import Dtypes, call, find, real

ROWS = real(2, 3, 6)
W, B, SPREAD = real(6), real(6), real(3, low=0.5)


def _backward(op, grad, x, weight, bias):
    _, mean, variance = find("_C._nn.channel_norm")(x.detach(), weight, bias, 2, 1e-5)
    return op(grad, x, weight, bias, mean, variance, 2, 1e-5)


CHANNELS = real(2, 4, 3), real(4), real(4)

TABLE = {
    "nn.functional.layer_norm": call(ROWS, (6,), W, B),
    "nn.functional.layer_norm, two dimensions": call(ROWS, (3, 6)),
    "nn.functional.layer_norm, of a vector": call(real(6), (6,), W),
    "_C._nn.layer_norm_backward": call(ROWS, ROWS, (6,), W),
    "_C._nn.channel_norm": call(*CHANNELS, via=lambda op, *a: op(*a, 2, 1e-5)[0]),
    "_C._nn.channel_norm_backward": call(real(2, 4, 3), *CHANNELS, via=_backward),
    "_C._nn.row_moments": call(ROWS, 2, 1e-5, True),
    "_C._nn.channel_scale": call(real(2, 4, 3), real(4), real(4, low=0.5), real(4), real(4), 1e-5),
    "_C._nn.channel_scale_backward": call(
        real(2, 4, 3), real(2, 4, 3), real(4), real(4, low=0.5), real(4), real(4), 1e-5
    ),
    "nn.functional.group_norm": call(real(2, 4, 3), 2, real(4), real(4)),
    "_C._nn.rms_rows": call(ROWS, (6,), W, 1e-5),
    "_C._nn.rms_rows_backward": call(ROWS, ROWS, (6,), W, 1e-5),
    "nn.functional.rms_norm": call(ROWS, (6,), W, dtypes=Dtypes.INEXACT),
    "nn.functional.batch_norm": call(real(4, 3), None, None, real(3), real(3), True, dtypes=Dtypes.INEXACT),
    "nn.functional.batch_norm, by running ones": call(real(4, 3), real(3), SPREAD, dtypes=Dtypes.NUMBERS),
    "nn.functional.instance_norm": call(ROWS),
    "nn.functional.instance_norm, with weights": call(ROWS, weight=real(3), bias=real(3)),
    "nn.functional.normalize": call(ROWS, dtypes=Dtypes.INEXACT),
    "nn.functional.local_response_norm": call(ROWS, 2, dtypes=Dtypes.ALL),
}
