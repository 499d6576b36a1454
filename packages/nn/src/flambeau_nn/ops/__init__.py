"""Operations of ``torch.nn.functional``, one module a family: schemas bound to kernels. Importing a family declares
it."""
from importlib import import_module as _import

FAMILIES = ("activation", "softmax", "linear", "dropout", "pooling", "normalization", "padding", "distance", "loss")
NAMESPACE = "torch.nn.functional"
INTERNAL = "torch._C._nn"  # what the functions are made of

for _family in FAMILIES:
    _import(f"flambeau_nn.ops.{_family}")
