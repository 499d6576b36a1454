"""Calls of what copies as a view would show it."""

import flambeau_tensor as torch
from samples import Dtypes, call, real

X = real(3, 4)
D = real(2, 3, 4)
UNIT = real(3, 1, 4)

TABLE = {
    "alias_copy": call(X, dtypes=Dtypes.ALL),
    "as_strided_copy": call(X, (2, 3), (4, 1), 1, loop=False, dtypes=Dtypes.ALL, layouts=False),
    "diagonal_copy": call(X, 1, dtypes=Dtypes.ALL),
    "expand_copy": call(UNIT, (2, 3, 2, 4), dtypes=Dtypes.ALL),
    "narrow_copy": call(X, 1, 1, 2, dtypes=Dtypes.ALL),
    "permute_copy": call(D, (2, 0, 1), dtypes=Dtypes.ALL),
    "select_copy": call(X, 1, -2, dtypes=Dtypes.ALL),
    "slice_copy": call(X, 1, 1, 4, 2, dtypes=Dtypes.ALL),
    "split_copy": call(X, 2, 1, dtypes=Dtypes.ALL),
    "split_with_sizes_copy": call(X, (1, 3), 1, dtypes=Dtypes.ALL),
    "squeeze_copy": call(UNIT, dtypes=Dtypes.ALL),
    "squeeze_copy, one dimension": call(UNIT, 1, dtypes=Dtypes.ALL),
    "squeeze_copy, dimensions": call(UNIT, (0, 1), dtypes=Dtypes.ALL),
    "t_copy": call(X, dtypes=Dtypes.ALL),
    "transpose_copy": call(D, 0, -1, dtypes=Dtypes.ALL),
    "unbind_copy": call(X, 1, dtypes=Dtypes.ALL),
    "unfold_copy": call(X, 1, 2, 1, dtypes=Dtypes.ALL),
    "unsqueeze_copy": call(X, 1, dtypes=Dtypes.ALL),
    "view_as_complex_copy": call(real(3, 2), dtypes=Dtypes.DOUBLE | Dtypes.SINGLE | Dtypes.HALF, layouts=False),
    "view_as_real_copy": call(X, dtypes=Dtypes.COMPLEX),
    "view_copy": call(X, (4, 3), dtypes=Dtypes.ALL, layouts=False),
    "view_copy, dtype": call(X, torch.int64, dtypes=Dtypes.DOUBLE | Dtypes.UNASKED, layouts=False),
}
