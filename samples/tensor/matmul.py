"""Calls of products of matrices and vectors."""

import numpy as np

from samples import Dtypes, call, real

TABLE = {
    "mm": call(real(2, 3), real(3, 4), like=np.matmul, dtypes=Dtypes.NUMBERS),
    "bmm": call(real(2, 2, 3), real(2, 3, 2), like=np.matmul, dtypes=Dtypes.NUMBERS),
    "mv": call(real(2, 3), real(3), like=np.matmul, dtypes=Dtypes.NUMBERS),
    "dot": call(real(3), real(3), like=np.dot, dtypes=Dtypes.NUMBERS),
    "vdot": call(real(3), real(3), like=np.vdot, dtypes=Dtypes.NUMBERS),
    "outer": call(real(2), real(3), like=np.outer, dtypes=Dtypes.ALL),
    "matmul": call(real(2, 2, 3), real(3, 2), like=np.matmul, dtypes=Dtypes.NUMBERS),
    "matmul, a vector": call(real(3), real(2, 3, 2), like=np.matmul, dtypes=Dtypes.NUMBERS),
    "Tensor.__rmatmul__": call(real(3, 2), real(2, 3), like=lambda a, b: b @ a, dtypes=Dtypes.NUMBERS),
    "addmm": call(
        real(2, 2),
        real(2, 3),
        real(3, 2),
        beta=3,
        alpha=2,
        like=lambda s, a, b: 3 * s + 2 * (a @ b),
        dtypes=Dtypes.NUMBERS,
    ),
    "addmm, a row": call(real(2), real(2, 3), real(3, 2), like=lambda s, a, b: s + a @ b, dtypes=Dtypes.NUMBERS),
    "addmv": call(
        real(2), real(2, 3), real(3), beta=3, alpha=2, like=lambda s, a, b: 3 * s + 2 * (a @ b), dtypes=Dtypes.NUMBERS
    ),
    "baddbmm": call(
        real(2, 2, 2),
        real(2, 2, 3),
        real(2, 3, 2),
        beta=3,
        alpha=2,
        like=lambda s, a, b: 3 * s + 2 * (a @ b),
        dtypes=Dtypes.NUMBERS,
    ),
    "addbmm": call(
        real(2, 2), real(2, 2, 3), real(2, 3, 2), like=lambda s, a, b: s + (a @ b).sum(0), dtypes=Dtypes.NUMBERS
    ),
    "addr": call(real(2, 3), real(2), real(3), like=lambda s, a, b: s + np.outer(a, b), dtypes=Dtypes.ALL),
    "nn.functional.linear": call(
        real(2, 3), real(4, 3), real(4), like=lambda x, w, b: x @ w.T + b, dtypes=Dtypes.NUMBERS
    ),
    "nn.functional.linear, without bias": call(
        real(2, 3), real(4, 3), like=lambda x, w: x @ w.T, dtypes=Dtypes.NUMBERS
    ),
    "nn.functional.linear, of a vector": call(real(3), real(4, 3), like=lambda x, w: x @ w.T, dtypes=Dtypes.NUMBERS),
    "nn.functional.linear, to a number": call(real(2, 3), real(3), like=lambda x, w: x @ w, dtypes=Dtypes.NUMBERS),
}
