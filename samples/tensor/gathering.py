"""Calls of what gathers elements from places and scatters them to places."""

from samples import call, each, real, whole

X = real(3, 4)
PLACES = each([2, 0, 2], [1, 1, 0], [0, 2, 1])
COLUMNS = each([[0], [3], [2]], [[1], [1], [0]], [[3], [0], [0]])
UNIQUE = each([2, 0, 1], [1, 2, 0], [0, 1, 2])
WITHIN = each([5, -3, 7, 2], [4, 9, -8, 1], [0, 3, -5, 6])
POSITIVE = real(3, 4, low=0.5)

TABLE = {
    "index_select": call(X, 1, PLACES, dtypes="dfhgcliub"),
    "index_select, of a number": call(real(), 0, each([0], [0], [0]), dtypes="dfhgcliub"),
    "index_add": call(X, -1, PLACES, real(3, 3), alpha=2, dtypes="dfhgcliub"),
    "index_copy": call(X, 1, UNIQUE, real(3, 3), dtypes="dfhgcliub"),
    "index_fill": call(X, 1, PLACES, real(), dtypes="dfhgcliub"),
    "index_fill, a number": call(X, 0, UNIQUE, 1, dtypes="dfhgcliub"),
    "take": call(X, WITHIN, dtypes="dfhgcliub"),
    "put": call(X, UNIQUE, real(3), dtypes="dfhgcliub"),
    "put, added": call(X, WITHIN, real(4), True, dtypes="dfhgcliub"),
    "gather": call(X, 1, COLUMNS, dtypes="dfhgcliub"),
    "gather, of a number": call(real(), 0, each(0, 0, 0), dtypes="dfhgcliub"),
    "_ops.scatter": call(X, 1, COLUMNS, X, dtypes="dfhgcliub"),
    "scatter": call(X, 1, COLUMNS, X, dtypes="dfhgcliub"),
    "scatter, a number": call(X, 1, COLUMNS, 1, dtypes="dfhgcliub"),
    "scatter, added": call(X, 1, COLUMNS, real(3, 4), reduce="add", derivative=False, loop=False, dtypes="dfhgcliub"),
    "scatter, a number multiplied": call(
        X, 1, COLUMNS, 2, reduce="multiply", derivative=False, loop=False, dtypes="dfhgcliub"
    ),
    "scatter_add": call(X, 1, COLUMNS, X, dtypes="dfhgcliub"),
    "scatter_reduce": call(POSITIVE, 1, COLUMNS, real(3, 1, low=0.5), "prod", dtypes="dfhgcliub"),
    "scatter_reduce, sum": call(X, 1, COLUMNS, X, "sum", include_self=False, dtypes="dfhg?"),
    "scatter_reduce, product of others": call(
        POSITIVE, 1, COLUMNS, real(3, 4, low=0.5), "prod", include_self=False, dtypes="dfhg?"
    ),
    "scatter_reduce, smallest": call(X, 1, COLUMNS, X, "amin", dtypes="dfhg?"),
    "scatter_reduce, mean": call(X, 1, COLUMNS, X, "mean", include_self=False, dtypes="dfhgcliu"),
    "scatter_reduce, largest": call(X, 1, COLUMNS, X, "amax", dtypes="dfhgliub"),
    "index_reduce": call(POSITIVE, 0, PLACES, real(3, 4, low=0.5), "amax", dtypes="dfhgliub"),
    "index_reduce, mean": call(X, 0, PLACES, X, "mean", dtypes="dfhgcliu"),
    "nn.functional.embedding": call(PLACES, X, dtypes="dfhgcliub"),
    "nn.functional.embedding, with padding": call(each([2, 1, 2], [1, 1, 2], [2, 2, 1]), X, 0, dtypes="dfhgcliub"),
    "take_along_dim": call(X, COLUMNS, 1, dtypes="dfhgcliub"),
    "nn.functional.one_hot": call(whole(3, high=4), 4),
}
