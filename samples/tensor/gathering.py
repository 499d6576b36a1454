"""Calls of what gathers elements from places and scatters them to places."""

from samples import Dtypes, call, each, real, whole

X = real(3, 4)
PLACES = each([2, 0, 2], [1, 1, 0], [0, 2, 1])
COLUMNS = each([[0], [3], [2]], [[1], [1], [0]], [[3], [0], [0]])
UNIQUE = each([2, 0, 1], [1, 2, 0], [0, 1, 2])
WITHIN = each([5, -3, 7, 2], [4, 9, -8, 1], [0, 3, -5, 6])
POSITIVE = real(3, 4, low=0.5)

TABLE = {
    "index_select": call(X, 1, PLACES, dtypes=Dtypes.ALL),
    "index_select, of a number": call(real(), 0, each([0], [0], [0]), dtypes=Dtypes.ALL),
    "index_add": call(X, -1, PLACES, real(3, 3), alpha=2, dtypes=Dtypes.ALL),
    "index_copy": call(X, 1, UNIQUE, real(3, 3), dtypes=Dtypes.ALL),
    "index_fill": call(X, 1, PLACES, real(), dtypes=Dtypes.ALL),
    "index_fill, a number": call(X, 0, UNIQUE, 1, dtypes=Dtypes.ALL),
    "take": call(X, WITHIN, dtypes=Dtypes.ALL),
    "put": call(X, UNIQUE, real(3), dtypes=Dtypes.ALL),
    "put, added": call(X, WITHIN, real(4), True, dtypes=Dtypes.ALL),
    "gather": call(X, 1, COLUMNS, dtypes=Dtypes.ALL),
    "gather, of a number": call(real(), 0, each(0, 0, 0), dtypes=Dtypes.ALL),
    "_ops.scatter": call(X, 1, COLUMNS, X, dtypes=Dtypes.ALL),
    "scatter": call(X, 1, COLUMNS, X, dtypes=Dtypes.ALL),
    "scatter, a number": call(X, 1, COLUMNS, 1, dtypes=Dtypes.ALL),
    "scatter, added": call(X, 1, COLUMNS, real(3, 4), reduce="add", derivative=False, loop=False, dtypes=Dtypes.ALL),
    "scatter, a number multiplied": call(
        X, 1, COLUMNS, 2, reduce="multiply", derivative=False, loop=False, dtypes=Dtypes.ALL
    ),
    "scatter_add": call(X, 1, COLUMNS, X, dtypes=Dtypes.ALL),
    "scatter_reduce": call(POSITIVE, 1, COLUMNS, real(3, 1, low=0.5), "prod", dtypes=Dtypes.ALL),
    "scatter_reduce, sum": call(X, 1, COLUMNS, X, "sum", include_self=False, dtypes=Dtypes.FLOATS | Dtypes.UNASKED),
    "scatter_reduce, product of others": call(
        POSITIVE, 1, COLUMNS, real(3, 4, low=0.5), "prod", include_self=False, dtypes=Dtypes.FLOATS | Dtypes.UNASKED
    ),
    "scatter_reduce, smallest": call(X, 1, COLUMNS, X, "amin", dtypes=Dtypes.FLOATS | Dtypes.UNASKED),
    "scatter_reduce, mean": call(X, 1, COLUMNS, X, "mean", include_self=False, dtypes=Dtypes.NUMBERS),
    "scatter_reduce, largest": call(X, 1, COLUMNS, X, "amax", dtypes=Dtypes.REALS),
    "index_reduce": call(POSITIVE, 0, PLACES, real(3, 4, low=0.5), "amax", dtypes=Dtypes.REALS),
    "index_reduce, mean": call(X, 0, PLACES, X, "mean", dtypes=Dtypes.NUMBERS),
    "nn.functional.embedding": call(PLACES, X, dtypes=Dtypes.ALL),
    "nn.functional.embedding, with padding": call(each([2, 1, 2], [1, 1, 2], [2, 2, 1]), X, 0, dtypes=Dtypes.ALL),
    "take_along_dim": call(X, COLUMNS, 1, dtypes=Dtypes.ALL),
    "nn.functional.one_hot": call(whole(3, high=4), 4),
}
