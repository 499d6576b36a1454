"""The order of a tensor's dimensions in memory."""

from itertools import pairwise

from flambeau_tensor._core.call.operator import Operator
from flambeau_tensor._core.schema.declaring import METHOD
from flambeau_tensor.options import channels_last
from flambeau_tensor.packing import apply


def _dim_order(self, ambiguity_check):
    sizes, strides = tuple(self.shape), self.stride()
    if not isinstance(ambiguity_check, (bool, list)):
        raise TypeError("The ambiguity_check argument must be a bool or a list of memory formats.")
    formats = ambiguity_check if isinstance(ambiguity_check, list) else []
    if ambiguity_check and (1 in sizes or any(a == b for a, b in pairwise(strides))):
        if sum(self.is_contiguous(memory_format=each) for each in formats) != 1:
            raise RuntimeError(
                "The tensor does not have unique dim order, or cannot map to exact one of the given memory formats."
            )
    if len(sizes) < 2:
        return tuple(range(len(sizes)))
    plain, last = self.is_contiguous(), self.is_contiguous(memory_format=channels_last)
    if plain is not last:
        return tuple(range(len(sizes))) if plain else (0, *range(2, len(sizes)), 1)
    order = list(reversed(range(len(sizes))))  # neighbors first
    for here in range(1, len(order)):
        for before in reversed(range(here)):
            a, b = order[before], order[here]
            if 0 in (strides[a], strides[b]) or (strides[a] == strides[b] and sizes[b] >= sizes[a]):
                continue
            if strides[a] < strides[b]:
                break
            order[before], order[here], here = b, a, before
    return tuple(reversed(order))


Operator(
    "dim_order(Tensor self, *, Object ambiguity_check=False) -> Object",
    _dim_order,
    composite=True,
    variants=METHOD,
    plain_result=True,
    doc="""
The dimensions ordered by decreasing stride.

Args:
    ambiguity_check: True raises an error if the order is ambiguous; a list of memory formats also raises unless the
    tensor has exactly one of them.

Raises:
    RuntimeError: the order is not the only one.
""",
)
apply("torch.Tensor", {"dim_order": "self! * [ambiguity_check=False]"})
