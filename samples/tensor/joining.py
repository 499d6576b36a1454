"""Calls of what joins tensors and takes them apart."""

import numpy as np

from samples import Dtypes, call, each, real

X = real(3, 4)
Y = real(2, 4)
D = real(2, 2, 4)

TABLE = {
    "cat": call((X, Y), like=lambda *x: np.concatenate(x), dtypes=Dtypes.ALL),
    "stack": call((X, X), 1, like=lambda *x: np.stack(x, 1), dtypes=Dtypes.ALL),
    "split": call(X, 2, dtypes=Dtypes.ALL),
    "split, sizes": call(X, (1, 3), 1, dtypes=Dtypes.ALL),
    "split_with_sizes": call(X, (1, 3), 1, dtypes=Dtypes.ALL),
    "chunk": call(X, 2, 1, dtypes=Dtypes.ALL),
    "unbind": call(X, 1, dtypes=Dtypes.ALL),
    "tensor_split": call(X, 3, 1, dtypes=Dtypes.ALL),
    "tensor_split, at": call(X, (1, 2), 1, dtypes=Dtypes.ALL),
    "tensor_split, at what a tensor says": call(X, each([1, 2], [1, 2], [1, 2]), 1, loop=False, dtypes=Dtypes.ALL),
    "unsafe_split": call(X, 3, 1, dtypes=Dtypes.ALL),
    "unsafe_split_with_sizes": call(X, (1, 2), dtypes=Dtypes.ALL),
    "unsafe_chunk": call(X, 2, 1, dtypes=Dtypes.ALL),
    "hsplit": call(X, 2, dtypes=Dtypes.ALL),
    "hsplit, at": call(X, (1, 3), dtypes=Dtypes.ALL),
    "vsplit": call(X, 3, dtypes=Dtypes.ALL),
    "vsplit, at": call(X, (1, 2), dtypes=Dtypes.ALL),
    "dsplit": call(D, 2, dtypes=Dtypes.ALL),
    "dsplit, at": call(D, (1, 3), dtypes=Dtypes.ALL),
    "hstack": call((X, X), dtypes=Dtypes.ALL),
    "vstack": call((X, Y), dtypes=Dtypes.ALL),
    "dstack": call((X, X), dtypes=Dtypes.ALL),
    "column_stack": call((X, real(3)), dtypes=Dtypes.ALL),
    "broadcast_to": call(real(4), (3, 4), like=lambda x: np.broadcast_to(x, (3, 4)), dtypes=Dtypes.ALL),
    "combinations": call(real(4), 2, dtypes=Dtypes.ALL),
    "_ops.block_diag": call((X, Y), dtypes=Dtypes.ALL),
    "_ops.broadcast_tensors": call((X, real(4)), dtypes=Dtypes.ALL),
    "_ops.cartesian_prod": call((real(2), real(3)), dtypes=Dtypes.ALL),
    "_ops.meshgrid": call((real(2), real(3)), indexing="ij", dtypes=Dtypes.ALL),
}
