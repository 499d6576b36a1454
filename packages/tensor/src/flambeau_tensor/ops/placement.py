"""Placement of tensors: queries and requests for other devices, which have little effect on the CPU."""

from flambeau_tensor._core.call.operator import Operator
from flambeau_tensor._core.schema.declaring import FUNCTION, METHOD

_QUESTION = {"variants": FUNCTION | METHOD, "differentiable": False, "plain_result": True, "meta": True}

Operator(
    "pin_memory(Tensor(a) self, Device? device=None) -> Tensor(a)",
    lambda input, device=None: input,
    variants=METHOD,
    composite=True,
    doc="The tensor itself: no device benefits from page-locked memory.",
)
Operator(
    "is_distributed(Tensor self) -> bool",
    lambda input: False,
    doc="Always False: a tensor belongs to one process.",
    **_QUESTION,
)
Operator(
    "is_same_size(Tensor self, Tensor other) -> bool",
    lambda input, other: input.shape == other.shape,
    doc="Whether two tensors have the same sizes.",
    **_QUESTION,
)
