"""Calls of what moves elements."""

from samples import Dtypes, call, each, real

X = real(3, 4)
TIMES = each([1, 3, 0], [2, 1, 1], [4, 0, 0])

TABLE = {
    "flip": call(X, (0, -1), dtypes=Dtypes.ALL),
    "tril": call(X, dtypes=Dtypes.ALL),
    "triu": call(X, 1, dtypes=Dtypes.ALL),
    "fliplr": call(X, dtypes=Dtypes.ALL),
    "flipud": call(X, dtypes=Dtypes.ALL),
    "rot90": call(X, 3, (1, 0), dtypes=Dtypes.ALL),
    "roll": call(X, (1, -1), (0, 1), dtypes=Dtypes.ALL),
    "Tensor.repeat": call(X, (2, 1, 2), dtypes=Dtypes.ALL),
    "tile": call(X, (2, 1), dtypes=Dtypes.ALL),
    "repeat_interleave": call(X, 2, 1, dtypes=Dtypes.ALL),
    "repeat_interleave, by tensors": call(X, TIMES, 0, dtypes=Dtypes.ALL),
    "repeat_interleave.Tensor": call(TIMES),
    "_ops.repeated": call(TIMES),
    "diag_embed": call(X, 1, dtypes=Dtypes.ALL),
    "diag": call(X, 1, dtypes=Dtypes.ALL),
    "diag, of a vector": call(real(3), -1, dtypes=Dtypes.ALL),
    "diagflat": call(real(2, 2), 1, dtypes=Dtypes.ALL),
    "trace": call(X, dtypes=Dtypes.NUMBERS),
    "tril_indices": call(3, 4, 1),
    "triu_indices": call(3, 4, -1),
}
