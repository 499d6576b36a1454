"""``torch._vmap_internals``: `vmap` under the names that packages from before ``torch.func`` import."""

from collections.abc import Callable
from typing import Any

from flambeau_autograd.func import vmap as vmap


def _vmap(
    func: Callable[..., Any], in_dims: Any = 0, out_dims: Any = 0, allow_none_pass_through: bool = False
) -> Callable[..., Any]:
    """``torch.vmap``; results may be None, with or without `allow_none_pass_through`."""
    return vmap(func, in_dims, out_dims)
