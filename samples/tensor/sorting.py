"""Calls of what orders elements, and of what looks numbers up in an order."""

import flambeau_tensor as torch
from samples import call, each, real, whole

X = real(3, 4)

TABLE = {
    "sort": call(X, dtypes="dfhgliub"),
    "sort, down": call(X, 0, True, dtypes="dfhgliub"),
    "sort, stable": call(X, stable=True, dim=0, dtypes="dfhgliub"),
    "argsort": call(X, 0, dtypes="dfhgliub"),
    "argsort, stable": call(X, stable=True, dim=1, dtypes="dfhgliub"),
    "topk": call(X, 2, 1, dtypes="dfhgliu"),
    "topk, smallest": call(X, 2, 0, False, dtypes="dfhgliu"),
    "kthvalue": call(X, 2, 1, dtypes="dfhgliu"),
    "mode": call(X, 1, dtypes="dfhgliub"),
    "msort": call(X, dtypes="dfhgliub"),
    "median": call(X, dtypes="dfhgliu"),
    "median, a dimension": call(X, 1, True, dtypes="dfhgliu"),
    "nanmedian": call(X, dtypes="dfhgliu"),
    "nanmedian, a dimension": call(X, 0, dtypes="dfhgliu"),
    "quantile": call(X, 0.3, 1, dtypes="df"),
    "quantile, several": call(X, torch.tensor([0.1, 0.6], dtype=torch.float64), 1, dtypes="d?"),
    "nanquantile": call(X, 0.3, 1, dtypes="df"),
    "nanquantile, several": call(X, torch.tensor([0.1, 0.6], dtype=torch.float64), 1, dtypes="d?"),
    "unique": call(each([2, 0, 1], [1, 2, 0], [0, 1, 2]), derivative=False),
    "unique, all that is known": call(X, True, True, True, 0, dtypes="dfhgliub", derivative=False),
    "_ops.unique": call(each([2, 0, 1], [1, 2, 0], [0, 1, 2]), derivative=False),
    "unique_consecutive": call(each([2, 0, 1], [1, 2, 0], [0, 1, 2]), derivative=False),
    "_ops.unique_consecutive": call(each([2, 0, 1], [1, 2, 0], [0, 1, 2]), derivative=False),
    "searchsorted": call(real(3, 5), real(3, 2), via=lambda op, b, x: op(b.sort(-1)[0], x), dtypes="dfhgliub"),
    "searchsorted, by an order": call(
        real(4), real(3, 2), via=lambda op, b, x: op(b, x, sorter=b.argsort()), dtypes="dfhgliub"
    ),
    "searchsorted, a number": call(real(4), via=lambda op, b: op(b.sort()[0], 0.3), dtypes="dfhgliub"),
    "bucketize": call(X, real(4), via=lambda op, x, b: op(x, b.sort()[0]), dtypes="dfhgliub"),
    "bucketize, right": call(
        each([5, -3, 7, 2], [4, 9, -8, 1], [0, 3, -5, 6]), each([1, 2, 5], [0, 1, 4], [-3, 3, 4]), right=True
    ),
    "bucketize, a number": call(real(4), via=lambda op, b: op(0.3, b.sort()[0]), dtypes="dfhgliub"),
    "histc": call(X, 5, -1.5, 1),
    "histc, of all": call(X, 5),
    "bincount": call(each([1, 2], [8, 1], [0, 0]), minlength=9),
    "bincount, weighed": call(whole(4, high=5), real(4), 5, dtypes="dfhgliub", derivative=False),
}
