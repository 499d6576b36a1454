"""``torch._functorch.vmap``: the steps of ``vmap``, which calls them by these names.

A library whose containers are treated as tensors, such as tensordict, replaces `_process_batched_inputs`,
`_create_batched_inputs` and `_unwrap_batched`. They receive the level itself, where PyTorch passes its number.
"""

import sys

from flambeau._C._functorch import _add_batch_dim as _add_batch_dim
from flambeau.utils._pytree import TreeSpec as TreeSpec
from flambeau.utils._pytree import _broadcast_to_and_flatten as _broadcast_to_and_flatten
from flambeau.utils._pytree import tree_flatten as tree_flatten
from flambeau.utils._pytree import tree_map_ as tree_map_
from flambeau.utils._pytree import tree_unflatten as tree_unflatten
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
