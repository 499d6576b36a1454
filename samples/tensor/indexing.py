"""Calls of brackets, of masks, and of what puts elements in places."""

import flambeau_tensor as torch
from samples import Dtypes, call, each, real, truth

X = real(3, 4)
V = real(4)
PLACES = each([2, 0, 2], [1, 1, 0], [0, 2, 1])
COLUMNS = each([[0], [3], [2]], [[1], [1], [0]], [[3], [0], [0]])
UNIQUE = each([2, 0, 1], [1, 2, 0], [0, 1, 2])
MASKS = each(
    [[True, False, True, True], [False, False, True, False], [True, True, True, True]],
    [[False, False, False, True], [True, False, True, False], [False, True, True, False]],
    [[True, True, True, True], [False, True, True, False], [True, False, False, True]],
)
ROWS = each([True, False, True], [False, False, True], [True, True, True])
MASK = torch.tensor([True, False, True, True])
ALL = slice(None)


def _write(op, x, index, value):
    x = x.clone()
    op(x, index, value)
    return x


TABLE = {
    "Tensor.__getitem__": call(X, PLACES, dtypes=Dtypes.ALL),
    "Tensor.__getitem__, a number": call(X, 1, dtypes=Dtypes.ALL),
    "Tensor.__getitem__, a list": call(X, [0, 2], dtypes=Dtypes.ALL),
    "Tensor.__getitem__, second dimension": call(X, (ALL, PLACES), dtypes=Dtypes.ALL),
    "Tensor.__getitem__, both": call(X, (PLACES, PLACES), dtypes=Dtypes.ALL),
    "Tensor.__getitem__, apart": call(real(3, 2, 3), (PLACES, ALL, PLACES), dtypes=Dtypes.ALL),
    "Tensor.__getitem__, last two": call(real(2, 3, 3), (ALL, PLACES, PLACES), dtypes=Dtypes.ALL),
    "Tensor.__getitem__, of two dimensions": call(X, (ALL, COLUMNS), dtypes=Dtypes.ALL),
    "Tensor.__getitem__, a tensor without dimensions": call(X, each(2, 0, 1), dtypes=Dtypes.ALL),
    "Tensor.__getitem__, new axis and ellipsis": call(X, (None, ..., 1), dtypes=Dtypes.ALL),
    "Tensor.__getitem__, steps": call(X, (slice(None, None, 2), slice(1, None)), dtypes=Dtypes.ALL),
    "Tensor.__getitem__, a mask": call(X, (ALL, MASK), dtypes=Dtypes.ALL),
    "Tensor.__setitem__": call(X, UNIQUE, V, via=_write, dtypes=Dtypes.ALL),
    "Tensor.__setitem__, a slice": call(
        X, real(2, 4), via=lambda op, x, v: _write(op, x, slice(1, 3), v), dtypes=Dtypes.ALL
    ),
    "_ops.index": call(X, (None, PLACES), dtypes=Dtypes.ALL),
    "index_put": call(X, (UNIQUE,), V, dtypes=Dtypes.ALL),
    "index_put, columns": call(X, (None, UNIQUE), real(3, 3), dtypes=Dtypes.ALL),
    "index_put, apart": call(real(3, 2, 3), (UNIQUE, None, UNIQUE), real(3, 2), dtypes=Dtypes.ALL),
    "index_put, added": call(X, (PLACES, PLACES), real(3), True, dtypes=Dtypes.ALL),
    "index_put, by a mask": call(X, (MASKS,), real(), dtypes=Dtypes.ALL),
    "index_put, by a mask of rows": call(X, (ROWS,), V, dtypes=Dtypes.ALL),
    "index_put, by a mask and added": call(X, (MASKS,), real(1), True, dtypes=Dtypes.ALL),
    "nonzero": call(real(2, 2, low=1), dtypes=Dtypes.ALL),
    "argwhere": call(real(2, 2, low=1), dtypes=Dtypes.ALL),
    "masked_select": call(X, MASK, dtypes=Dtypes.ALL),
    "masked_scatter": call(X, MASKS, real(12), dtypes=Dtypes.ALL),
    "masked_fill": call(X, MASKS, real(), dtypes=Dtypes.ALL),
    "masked_fill, a number": call(X, truth(4), 0.5, dtypes=Dtypes.ALL),
}
