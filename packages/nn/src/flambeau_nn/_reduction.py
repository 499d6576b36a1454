"""``torch.nn._reduction``: reductions of losses as numbers, as C++ has them."""

import warnings

from flambeau_nn.ops.loss import REDUCTIONS, legacy_reduction

NUMBERS = {word: number for number, word in enumerate(REDUCTIONS)}


def get_enum(reduction: str) -> int:
    """Return the number of a reduction.

    Raises:
        ValueError: the reduction does not exist.
    """
    if reduction == "elementwise_mean":
        warnings.warn("reduction='elementwise_mean' is deprecated. Please use reduction='mean' instead.", stacklevel=2)
        return 1
    if reduction not in NUMBERS:
        raise ValueError(f"{reduction} is not a valid value for reduction")
    return NUMBERS[reduction]


def legacy_get_string(size_average: bool | None, reduce: bool | None, emit_warning: bool = True) -> str:
    """The reduction that the arguments of old mean; by default both are True."""
    with warnings.catch_warnings():
        if not emit_warning:
            warnings.simplefilter("ignore")
        return legacy_reduction(True if size_average is None else size_average, reduce, "mean", stacklevel=4)


def legacy_get_enum(size_average: bool | None, reduce: bool | None, emit_warning: bool = True) -> int:
    """The same as a number."""
    return get_enum(legacy_get_string(size_average, reduce, emit_warning))
