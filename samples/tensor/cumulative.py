"""Calls of what runs along a dimension."""

from samples import Dtypes, call, real

X = real(3, 4)

TABLE = {
    "cumsum": call(X, 1, like=lambda x: x.cumsum(1), dtypes=Dtypes.ALL),
    "cumprod": call(X, 0, like=lambda x: x.cumprod(0), dtypes=Dtypes.ALL),
    "cummax": call(X, 1, dtypes=Dtypes.REALS),
    "cummin": call(X, 0, dtypes=Dtypes.REALS),
    "logcumsumexp": call(X, 1, dtypes=Dtypes.INEXACT),
    "_ops.logcumsumexp_shares": call(X, X, real(3, 4, low=2, high=4), 1, False, dtypes=Dtypes.NUMBERS),
    "_ops.logcumsumexp_shares, behind": call(X, X, real(3, 4, low=2, high=4), 1, True, dtypes=Dtypes.NUMBERS),
    "diff": call(X, 2, 1, dtypes=Dtypes.ALL),
    "diff, with more before it": call(X, 1, 0, real(1, 4), dtypes=Dtypes.ALL),
}
