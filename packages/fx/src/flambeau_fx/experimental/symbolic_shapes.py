"""``torch.fx.experimental.symbolic_shapes``: questions about sizes that are not known yet. Here all are, so they have
plain answers."""

from typing import Any

from flambeau_tensor import not_built


class ShapeEnv:
    """PyTorch's relations between sizes that are not known. All sizes are known here, so there is none to create.

    Raises:
        NotBuiltError: always.

    >>> ShapeEnv()
    Traceback (most recent call last):
    NotBuiltError: torch.fx.experimental.symbolic_shapes.ShapeEnv is not built: all sizes are known
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise not_built.not_built("torch.fx.experimental.symbolic_shapes.ShapeEnv", "all sizes are known")


def guard_or_false(a: Any) -> bool:
    """The truth of `a`.

    >>> guard_or_false(2 > 1)
    True
    """
    return bool(a)


guard_or_true = guard_size_oblivious = statically_known_true = definitely_true = guard_or_false


def expect_true(a: Any, skip: int = 0) -> bool:
    """The truth of `a`."""
    return bool(a)


def is_concrete_int(a: Any) -> bool:
    """Return True if `a` is a whole number."""
    return isinstance(a, int)


def has_free_symbols(val: Any) -> bool:
    """False."""
    return False


has_free_unbacked_symbols = has_free_symbols


def free_symbols(val: Any) -> set[Any]:
    """An empty set."""
    return set()


free_unbacked_symbols = free_symbols
