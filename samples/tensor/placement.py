"""Calls of what tells where tensors are."""

from samples import call, real

X = real(2, 3)

TABLE = {
    "Tensor.pin_memory": call(X, dtypes="dfhgcliub"),
    "is_distributed": call(X, dtypes="dfhgcliub"),
    "is_same_size": call(X, real(2, 3), dtypes="dfhgcliub"),
}
