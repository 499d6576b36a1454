"""Calls of what runs along a dimension."""

from samples import call, real

X = real(3, 4)

TABLE = {
    "cumsum": call(X, 1, like=lambda x: x.cumsum(1), dtypes="dfhgcliub"),
    "cumprod": call(X, 0, like=lambda x: x.cumprod(0), dtypes="dfhgcliub"),
    "cummax": call(X, 1, dtypes="dfhgliub"),
    "cummin": call(X, 0, dtypes="dfhgliub"),
    "logcumsumexp": call(X, 1, dtypes="dfhgc"),
    "_ops.logcumsumexp_shares": call(X, X, real(3, 4, low=2, high=4), 1, False, dtypes="dfhgcliu"),
    "_ops.logcumsumexp_shares, behind": call(X, X, real(3, 4, low=2, high=4), 1, True, dtypes="dfhgcliu"),
    "diff": call(X, 2, 1, dtypes="dfhgcliub"),
    "diff, with more before it": call(X, 1, 0, real(1, 4), dtypes="dfhgcliub"),
}
