"""Calls of what joins tensors and takes them apart."""

import numpy as np

from samples import call, each, real

X = real(3, 4)
Y = real(2, 4)
D = real(2, 2, 4)

TABLE = {
    "cat": call((X, Y), like=lambda *x: np.concatenate(x), dtypes="dfhgcliub"),
    "stack": call((X, X), 1, like=lambda *x: np.stack(x, 1), dtypes="dfhgcliub"),
    "split": call(X, 2, dtypes="dfhgcliub"),
    "split, sizes": call(X, (1, 3), 1, dtypes="dfhgcliub"),
    "split_with_sizes": call(X, (1, 3), 1, dtypes="dfhgcliub"),
    "chunk": call(X, 2, 1, dtypes="dfhgcliub"),
    "unbind": call(X, 1, dtypes="dfhgcliub"),
    "tensor_split": call(X, 3, 1, dtypes="dfhgcliub"),
    "tensor_split, at": call(X, (1, 2), 1, dtypes="dfhgcliub"),
    "tensor_split, at what a tensor says": call(X, each([1, 2], [1, 2], [1, 2]), 1, loop=False, dtypes="dfhgcliub"),
    "unsafe_split": call(X, 3, 1, dtypes="dfhgcliub"),
    "unsafe_split_with_sizes": call(X, (1, 2), dtypes="dfhgcliub"),
    "unsafe_chunk": call(X, 2, 1, dtypes="dfhgcliub"),
    "hsplit": call(X, 2, dtypes="dfhgcliub"),
    "hsplit, at": call(X, (1, 3), dtypes="dfhgcliub"),
    "vsplit": call(X, 3, dtypes="dfhgcliub"),
    "vsplit, at": call(X, (1, 2), dtypes="dfhgcliub"),
    "dsplit": call(D, 2, dtypes="dfhgcliub"),
    "dsplit, at": call(D, (1, 3), dtypes="dfhgcliub"),
    "hstack": call((X, X), dtypes="dfhgcliub"),
    "vstack": call((X, Y), dtypes="dfhgcliub"),
    "dstack": call((X, X), dtypes="dfhgcliub"),
    "column_stack": call((X, real(3)), dtypes="dfhgcliub"),
    "broadcast_to": call(real(4), (3, 4), like=lambda x: np.broadcast_to(x, (3, 4)), dtypes="dfhgcliub"),
    "combinations": call(real(4), 2, dtypes="dfhgcliub"),
    "_ops.block_diag": call((X, Y), dtypes="dfhgcliub"),
    "_ops.broadcast_tensors": call((X, real(4)), dtypes="dfhgcliub"),
    "_ops.cartesian_prod": call((real(2), real(3)), dtypes="dfhgcliub"),
    "_ops.meshgrid": call((real(2), real(3)), indexing="ij", dtypes="dfhgcliub"),
}
