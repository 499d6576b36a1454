"""Calls of products over chosen dimensions."""

import numpy as np

from samples import Dtypes, call, real

TABLE = {
    "tensordot": call(real(2, 3, 4), real(4, 3, 2), ([1, 2], [1, 0]), dtypes=Dtypes.NUMBERS),
    "_ops.tensordot": call(real(2, 3), real(3, 2), [1], [0], dtypes=Dtypes.NUMBERS),
    "inner": call(real(2, 3), real(4, 3), like=np.inner, dtypes=Dtypes.NUMBERS),
    "kron": call(real(2, 3), real(2, 2), like=np.kron, dtypes=Dtypes.ALL),
    "linalg.multi_dot": call((real(2, 3), real(3, 4), real(4, 2)), dtypes=Dtypes.NUMBERS),
    "linalg.cross": call(real(2, 3), real(1, 3), dtypes=Dtypes.NUMBERS),
    "cross": call(real(3, 2), real(3, 2), 0, dtypes=Dtypes.NUMBERS),
    "linalg.vecdot": call(real(2, 3), real(3), dtypes=Dtypes.INEXACT),
    "_ops.einsum": call("ij,kj->ik", (real(2, 3), real(4, 3)), dtypes=Dtypes.NUMBERS),
    "_ops.chain_matmul": call((real(2, 3), real(3, 4), real(4, 2)), dtypes=Dtypes.NUMBERS),
}
