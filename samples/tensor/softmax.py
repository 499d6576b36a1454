"""Calls of softmax and its logarithm."""

import numpy as np

import flambeau_tensor as torch
from samples import Dtypes, call, real


def _softmax(x):
    return np.exp(x) / np.exp(x).sum(1, keepdims=True)


TABLE = {
    "softmax": call(real(3, 4), 1, like=_softmax),
    "softmax, of a number": call(real(), 0),
    "softmax, another dtype": call(real(3, 4), 0, torch.float64, dtypes=Dtypes.ALL),
    "log_softmax": call(real(3, 4), 1, like=lambda x: np.log(_softmax(x))),
    "log_softmax, first dimension": call(real(2, 3, 2), 0),
}
