"""Calls of products over chosen dimensions."""

import numpy as np

from samples import call, real

TABLE = {
    "tensordot": call(real(2, 3, 4), real(4, 3, 2), ([1, 2], [1, 0]), dtypes="dfhgcliu"),
    "_ops.tensordot": call(real(2, 3), real(3, 2), [1], [0], dtypes="dfhgcliu"),
    "inner": call(real(2, 3), real(4, 3), like=np.inner, dtypes="dfhgcliu"),
    "kron": call(real(2, 3), real(2, 2), like=np.kron, dtypes="dfhgcliub"),
    "linalg.multi_dot": call((real(2, 3), real(3, 4), real(4, 2)), dtypes="dfhgcliu"),
    "linalg.cross": call(real(2, 3), real(1, 3), dtypes="dfhgcliu"),
    "cross": call(real(3, 2), real(3, 2), 0, dtypes="dfhgcliu"),
    "linalg.vecdot": call(real(2, 3), real(3), dtypes="dfhgc"),
    "_ops.einsum": call("ij,kj->ik", (real(2, 3), real(4, 3)), dtypes="dfhgcliu"),
    "_ops.chain_matmul": call((real(2, 3), real(3, 4), real(4, 2)), dtypes="dfhgcliu"),
}
