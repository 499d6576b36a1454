"""Calls of what moves elements."""

from samples import call, each, real

X = real(3, 4)
TIMES = each([1, 3, 0], [2, 1, 1], [4, 0, 0])

TABLE = {
    "flip": call(X, (0, -1), dtypes="dfhgcliub"),
    "tril": call(X, dtypes="dfhgcliub"),
    "triu": call(X, 1, dtypes="dfhgcliub"),
    "fliplr": call(X, dtypes="dfhgcliub"),
    "flipud": call(X, dtypes="dfhgcliub"),
    "rot90": call(X, 3, (1, 0), dtypes="dfhgcliub"),
    "roll": call(X, (1, -1), (0, 1), dtypes="dfhgcliub"),
    "Tensor.repeat": call(X, (2, 1, 2), dtypes="dfhgcliub"),
    "tile": call(X, (2, 1), dtypes="dfhgcliub"),
    "repeat_interleave": call(X, 2, 1, dtypes="dfhgcliub"),
    "repeat_interleave, by tensors": call(X, TIMES, 0, dtypes="dfhgcliub"),
    "repeat_interleave.Tensor": call(TIMES),
    "_ops.repeated": call(TIMES),
    "diag_embed": call(X, 1, dtypes="dfhgcliub"),
    "diag": call(X, 1, dtypes="dfhgcliub"),
    "diag, of a vector": call(real(3), -1, dtypes="dfhgcliub"),
    "diagflat": call(real(2, 2), 1, dtypes="dfhgcliub"),
    "trace": call(X, dtypes="dfhgcliu"),
    "tril_indices": call(3, 4, 1),
    "triu_indices": call(3, 4, -1),
}
