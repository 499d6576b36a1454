"""Calls of what orders elements, and of what looks numbers up in an order."""

import flambeau_tensor as torch
from samples import Dtypes, call, each, real, whole

X = real(3, 4)

TABLE = {
    "sort": call(X, dtypes=Dtypes.REALS),
    "sort, down": call(X, 0, True, dtypes=Dtypes.REALS),
    "sort, stable": call(X, stable=True, dim=0, dtypes=Dtypes.REALS),
    "argsort": call(X, 0, dtypes=Dtypes.REALS),
    "argsort, stable": call(X, stable=True, dim=1, dtypes=Dtypes.REALS),
    "topk": call(X, 2, 1, dtypes=Dtypes.REAL_NUMBERS),
    "topk, smallest": call(X, 2, 0, False, dtypes=Dtypes.REAL_NUMBERS),
    "kthvalue": call(X, 2, 1, dtypes=Dtypes.REAL_NUMBERS),
    "mode": call(X, 1, dtypes=Dtypes.REALS),
    "msort": call(X, dtypes=Dtypes.REALS),
    "median": call(X, dtypes=Dtypes.REAL_NUMBERS),
    "median, a dimension": call(X, 1, True, dtypes=Dtypes.REAL_NUMBERS),
    "nanmedian": call(X, dtypes=Dtypes.REAL_NUMBERS),
    "nanmedian, a dimension": call(X, 0, dtypes=Dtypes.REAL_NUMBERS),
    "quantile": call(X, 0.3, 1, dtypes=Dtypes.DOUBLE | Dtypes.SINGLE),
    "quantile, several": call(
        X, torch.tensor([0.1, 0.6], dtype=torch.float64), 1, dtypes=Dtypes.DOUBLE | Dtypes.UNASKED
    ),
    "nanquantile": call(X, 0.3, 1, dtypes=Dtypes.DOUBLE | Dtypes.SINGLE),
    "nanquantile, several": call(
        X, torch.tensor([0.1, 0.6], dtype=torch.float64), 1, dtypes=Dtypes.DOUBLE | Dtypes.UNASKED
    ),
    "unique": call(each([2, 0, 1], [1, 2, 0], [0, 1, 2]), derivative=False),
    "unique, all that is known": call(X, True, True, True, 0, dtypes=Dtypes.REALS, derivative=False),
    "_ops.unique": call(each([2, 0, 1], [1, 2, 0], [0, 1, 2]), derivative=False),
    "_unique": call(each([2, 0, 1], [1, 2, 0], [0, 1, 2]), derivative=False),
    "_unique2": call(each([2, 0, 1], [1, 2, 0], [0, 1, 2]), derivative=False),
    "unique_consecutive": call(each([2, 0, 1], [1, 2, 0], [0, 1, 2]), derivative=False),
    "_ops.unique_consecutive": call(each([2, 0, 1], [1, 2, 0], [0, 1, 2]), derivative=False),
    "searchsorted": call(real(3, 5), real(3, 2), via=lambda op, b, x: op(b.sort(-1)[0], x), dtypes=Dtypes.REALS),
    "searchsorted, by an order": call(
        real(4), real(3, 2), via=lambda op, b, x: op(b, x, sorter=b.argsort()), dtypes=Dtypes.REALS
    ),
    "searchsorted, a number": call(real(4), via=lambda op, b: op(b.sort()[0], 0.3), dtypes=Dtypes.REALS),
    "bucketize": call(X, real(4), via=lambda op, x, b: op(x, b.sort()[0]), dtypes=Dtypes.REALS),
    "bucketize, right": call(
        each([5, -3, 7, 2], [4, 9, -8, 1], [0, 3, -5, 6]), each([1, 2, 5], [0, 1, 4], [-3, 3, 4]), right=True
    ),
    "bucketize, a number": call(real(4), via=lambda op, b: op(0.3, b.sort()[0]), dtypes=Dtypes.REALS),
    "histc": call(X, 5, -1.5, 1),
    "histc, of all": call(X, 5),
    "bincount": call(each([1, 2], [8, 1], [0, 0]), minlength=9),
    "bincount, weighed": call(whole(4, high=5), real(4), 5, dtypes=Dtypes.REALS, derivative=False),
}
