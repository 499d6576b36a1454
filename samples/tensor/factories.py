"""Calls of what makes tensors."""

import numpy as np

import flambeau_tensor as torch
from samples import Dtypes, call, real

X = real(2, 3)

TABLE = {
    "zeros": call((2, 3)),
    "ones": call((2, 3)),
    "full": call((2, 3), 2.5),
    "zeros_like": call(X, dtypes=Dtypes.ALL),
    "ones_like": call(X, dtypes=Dtypes.ALL),
    "full_like": call(X, 2.5, dtypes=Dtypes.ALL),
    "Tensor.new_zeros": call(X, (2, 4), dtypes=Dtypes.ALL),
    "Tensor.new_ones": call(X, (2, 4), dtypes=Dtypes.ALL),
    "Tensor.new_full": call(X, (2, 4), 3, dtypes=Dtypes.ALL),
    "Tensor.new_tensor": call(X, [1, 2], dtypes=Dtypes.ALL),
    "tensor": call([[1, 2], [3, 4]]),
    "from_numpy": call(np.arange(3)),
    "as_tensor": call([1.0, 2.0]),
    "asarray": call([True]),
    "frombuffer": call(bytearray(b"flam"), dtype=torch.uint8),
    "arange": call(5),
    "arange, from": call(2, 9),
    "arange, in steps": call(2, 9, 3),
    "range": call(0, 2, 0.5),
    "linspace": call(0, 1, 5),
    "linspace, between tensors": call(real(), real(), 4, cut=True, dtypes=Dtypes.ALL),
    "linspace, from a tensor": call(real(), 2, 4, cut=True, dtypes=Dtypes.ALL),
    "linspace, to a tensor": call(0, real(), 4, cut=True, dtypes=Dtypes.ALL),
    "logspace": call(0, 1, 5),
    "logspace, between tensors": call(real(), real(), 4, cut=True, dtypes=Dtypes.ALL),
    "logspace, from a tensor": call(real(), 2, 4, cut=True, dtypes=Dtypes.ALL),
    "logspace, to a tensor": call(0, real(), 4, cut=True, dtypes=Dtypes.ALL),
    "eye": call(3),
    "eye, wide": call(2, 3),
    "scalar_tensor": call(2.5),
    "complex": call(X, real(3)),
}
EXCUSED = {
    "what their elements are is nobody's": "empty empty_like empty_strided empty_permuted Tensor.new_empty "
    "Tensor.new_empty_strided",
}
