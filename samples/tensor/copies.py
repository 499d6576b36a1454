"""Calls of what copies as a view would show it."""

import flambeau_tensor as torch
from samples import call, real

X = real(3, 4)
D = real(2, 3, 4)
UNIT = real(3, 1, 4)

TABLE = {
    "alias_copy": call(X, dtypes="dfhgcliub"),
    "as_strided_copy": call(X, (2, 3), (4, 1), 1, loop=False, dtypes="dfhgcliub", layouts=False),
    "diagonal_copy": call(X, 1, dtypes="dfhgcliub"),
    "expand_copy": call(UNIT, (2, 3, 2, 4), dtypes="dfhgcliub"),
    "narrow_copy": call(X, 1, 1, 2, dtypes="dfhgcliub"),
    "permute_copy": call(D, (2, 0, 1), dtypes="dfhgcliub"),
    "select_copy": call(X, 1, -2, dtypes="dfhgcliub"),
    "slice_copy": call(X, 1, 1, 4, 2, dtypes="dfhgcliub"),
    "split_copy": call(X, 2, 1, dtypes="dfhgcliub"),
    "split_with_sizes_copy": call(X, (1, 3), 1, dtypes="dfhgcliub"),
    "squeeze_copy": call(UNIT, dtypes="dfhgcliub"),
    "squeeze_copy, one dimension": call(UNIT, 1, dtypes="dfhgcliub"),
    "squeeze_copy, dimensions": call(UNIT, (0, 1), dtypes="dfhgcliub"),
    "t_copy": call(X, dtypes="dfhgcliub"),
    "transpose_copy": call(D, 0, -1, dtypes="dfhgcliub"),
    "unbind_copy": call(X, 1, dtypes="dfhgcliub"),
    "unfold_copy": call(X, 1, 2, 1, dtypes="dfhgcliub"),
    "unsqueeze_copy": call(X, 1, dtypes="dfhgcliub"),
    "view_as_complex_copy": call(real(3, 2), dtypes="dfh", layouts=False),
    "view_as_real_copy": call(X, dtypes="c"),
    "view_copy": call(X, (4, 3), dtypes="dfhgcliub", layouts=False),
    "view_copy, dtype": call(X, torch.int64, dtypes="d?", layouts=False),
}
