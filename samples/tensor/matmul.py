"""Calls of products of matrices and vectors."""

import numpy as np

from samples import call, real

TABLE = {
    "mm": call(real(2, 3), real(3, 4), like=np.matmul, dtypes="dfhgcliu"),
    "bmm": call(real(2, 2, 3), real(2, 3, 2), like=np.matmul, dtypes="dfhgcliu"),
    "mv": call(real(2, 3), real(3), like=np.matmul, dtypes="dfhgcliu"),
    "dot": call(real(3), real(3), like=np.dot, dtypes="dfhgcliu"),
    "vdot": call(real(3), real(3), like=np.vdot, dtypes="dfhgcliu"),
    "outer": call(real(2), real(3), like=np.outer, dtypes="dfhgcliub"),
    "matmul": call(real(2, 2, 3), real(3, 2), like=np.matmul, dtypes="dfhgcliu"),
    "matmul, a vector": call(real(3), real(2, 3, 2), like=np.matmul, dtypes="dfhgcliu"),
    "Tensor.__rmatmul__": call(real(3, 2), real(2, 3), like=lambda a, b: b @ a, dtypes="dfhgcliu"),
    "addmm": call(
        real(2, 2), real(2, 3), real(3, 2), beta=3, alpha=2, like=lambda s, a, b: 3 * s + 2 * (a @ b), dtypes="dfhgcliu"
    ),
    "addmm, a row": call(real(2), real(2, 3), real(3, 2), like=lambda s, a, b: s + a @ b, dtypes="dfhgcliu"),
    "addmv": call(
        real(2), real(2, 3), real(3), beta=3, alpha=2, like=lambda s, a, b: 3 * s + 2 * (a @ b), dtypes="dfhgcliu"
    ),
    "baddbmm": call(
        real(2, 2, 2),
        real(2, 2, 3),
        real(2, 3, 2),
        beta=3,
        alpha=2,
        like=lambda s, a, b: 3 * s + 2 * (a @ b),
        dtypes="dfhgcliu",
    ),
    "addbmm": call(
        real(2, 2), real(2, 2, 3), real(2, 3, 2), like=lambda s, a, b: s + (a @ b).sum(0), dtypes="dfhgcliu"
    ),
    "addr": call(real(2, 3), real(2), real(3), like=lambda s, a, b: s + np.outer(a, b), dtypes="dfhgcliub"),
    "nn.functional.linear": call(real(2, 3), real(4, 3), real(4), like=lambda x, w, b: x @ w.T + b, dtypes="dfhgcliu"),
    "nn.functional.linear, without bias": call(real(2, 3), real(4, 3), like=lambda x, w: x @ w.T, dtypes="dfhgcliu"),
    "nn.functional.linear, of a vector": call(real(3), real(4, 3), like=lambda x, w: x @ w.T, dtypes="dfhgcliu"),
    "nn.functional.linear, to a number": call(real(2, 3), real(3), like=lambda x, w: x @ w, dtypes="dfhgcliu"),
}
