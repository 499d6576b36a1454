"""``torch._functorch.apis``: ``vmap`` in a number of pieces, which ``functorch.experimental`` has, too."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from flambeau._functorch.vmap import _process_batched_inputs
from flambeau_autograd.func.vectorize import vmap

__all__ = ["chunk_vmap", "vmap"]


def chunk_vmap(
    func: Callable[..., Any],
    in_dims: Any = 0,
    out_dims: Any = 0,
    randomness: str = "error",
    chunks: int = 2,
) -> Callable[..., Any]:
    """``vmap`` of `func` over pieces of the batch, one by one, which takes less memory.

    Args:
        func, in_dims, out_dims, randomness: as for ``vmap``.
        chunks: the number of pieces; if the batch does not divide evenly, the last ones are smaller.

    Raises:
        ValueError: `chunks` is less than 1.

    >>> import flambeau as torch
    >>> chunk_vmap(torch.sum, chunks=2)(torch.ones(3, 2))
    tensor([2., 2., 2.])
    """
    if chunks < 1:
        raise ValueError(f"chunk_vmap: chunks should be greater than 0, got {chunks}")

    @wraps(func)
    def run(*args: Any, **kwargs: Any) -> Any:
        batch = _process_batched_inputs(in_dims, args, func)[0]
        size = max(-(-batch // chunks), 1)
        return vmap(func, in_dims, out_dims, randomness, chunk_size=size)(*args, **kwargs)

    return run
