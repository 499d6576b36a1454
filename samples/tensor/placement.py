"""Calls of what tells where tensors are."""

from samples import Dtypes, call, real

X = real(2, 3)

TABLE = {
    "Tensor.pin_memory": call(X, dtypes=Dtypes.ALL),
    "is_distributed": call(X, dtypes=Dtypes.ALL),
    "is_same_size": call(X, real(2, 3), dtypes=Dtypes.ALL),
}
