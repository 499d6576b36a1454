"""``torch._functorch.vmap``: the steps of ``vmap``, which calls them by these names.

A library whose containers are treated as tensors, such as tensordict, replaces `_process_batched_inputs`,
`_create_batched_inputs` and `_unwrap_batched`. They receive the level itself, where PyTorch passes its number.
"""

import sys
from typing import Any

from flambeau._C._functorch import _add_batch_dim as _add_batch_dim
from flambeau.utils._pytree import TreeSpec as TreeSpec
from flambeau.utils._pytree import _broadcast_to_and_flatten as _broadcast_to_and_flatten
from flambeau.utils._pytree import tree_flatten as tree_flatten
from flambeau.utils._pytree import tree_map_ as tree_map_
from flambeau.utils._pytree import tree_unflatten as tree_unflatten
from flambeau_autograd.extend import BatchLevel as _BatchLevel
from flambeau_autograd.func import vectorize
from flambeau_autograd.func.vectorize import _create_batched_inputs as _create_batched_inputs
from flambeau_autograd.func.vectorize import _maybe_remove_batch_dim as _maybe_remove_batch_dim
from flambeau_autograd.func.vectorize import _process_batched_inputs as _process_batched_inputs
from flambeau_autograd.func.vectorize import _unwrap_batched as _unwrap_batched
from flambeau_autograd.func.vectorize import vmap as vmap
from flambeau_tensor import Tensor as Tensor

_get_name = vectorize._name
in_dims_t = out_dims_t = int | tuple[int, ...]
vectorize.steps = sys.modules[__name__]


def restore_vmap(func: Any, in_dims: Any, batch_size: int, randomness: str) -> Any:
    """Return `func` as a function of batched arguments that also returns where its results are batched.

    Args:
        func: takes and returns tensors, or containers of them.
        in_dims: the batch dimension of each argument, in its structure; None for one that is not batched.
        batch_size: the size of these dimensions, which may all be None.
        randomness: as in `vmap`.
    """

    def inner(*args: Any, **kwargs: Any) -> Any:
        flat, spec = tree_flatten(args)
        dims = _broadcast_to_and_flatten(in_dims, spec)
        with _BatchLevel(batch_size, randomness) as level:
            wrapped = [x if d is None else level.wrap(x, d) for x, d in zip(flat, dims, strict=True)]
            results, spec = tree_flatten(func(*tree_unflatten(wrapped, spec), **kwargs))
            pairs = [level.unwrap(r) if isinstance(r, Tensor) else (r, None) for r in results]
        return tree_unflatten([r for r, _ in pairs], spec), tree_unflatten([d for _, d in pairs], spec)

    return inner
