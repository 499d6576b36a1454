"""Forward mode: tensors that carry a tangent, and operations that carry it on.

>>> import flambeau_tensor as torch
>>> import flambeau_autograd.forward_ad as fwAD
>>> x, direction = torch.tensor([1.0, 2.0]), torch.tensor([1.0, 0.0])
>>> with fwAD.dual_level():
...     fwAD.unpack_dual(fwAD.make_dual(x, direction) ** 2).tangent
tensor([2., 0.])
"""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import flambeau_tensor as torch
from flambeau_autograd._engine.graph.settings import OuterDual, SinceForward
from flambeau_autograd._engine.levels.dual_level import (
    dual_levels,
    enter_outer_dual,
    forward_enabled,
    leave_outer_dual,
    outer_dual,
)
from flambeau_autograd._engine.levels.layers import elements_are_hidden
from flambeau_autograd.strided import overlaps
from flambeau_overrides import has_torch_function
from flambeau_tensor import Tensor
from flambeau_tensor.subclassing import handles_dispatch

__all__ = ["UnpackedDualTensor", "dual_level", "enter_dual_level", "exit_dual_level", "make_dual", "unpack_dual"]

UnpackedDualTensor = namedtuple("UnpackedDualTensor", ["primal", "tangent"])
UnpackedDualTensor.__doc__ = """What ``unpack_dual`` returns: a tensor's value, and its tangent or None.

>>> with torch.autograd.forward_ad.dual_level():
...     dual = torch.autograd.forward_ad.make_dual(torch.tensor(2.0), torch.tensor(1.0))
...     print(torch.autograd.forward_ad.unpack_dual(dual**2))
UnpackedDualTensor(primal=tensor(4.), tangent=tensor(4.))
"""


def enter_dual_level() -> int:
    """Begin forward mode and return the number of the level, which is 0: levels do not nest (``torch.func.jvp`` does).

    Raises:
        RuntimeError: a level is already active.

    >>> level = enter_dual_level()
    >>> unpack_dual(make_dual(torch.tensor(2.0), torch.tensor(1.0)) ** 3).tangent
    tensor(12.)
    >>> exit_dual_level(level=level)
    """
    enter_outer_dual()
    return 0


def exit_dual_level(*, level: int | None = None) -> None:
    """End forward mode and discard all tangents.

    Raises:
        RuntimeError: no level is active, or another one is.

    >>> level = torch.autograd.forward_ad.enter_dual_level()
    >>> exit_dual_level(level=level)
    """
    if level not in (None, 0):
        raise RuntimeError(
            "Trying to exit a forward AD level that was not the last one that was created. This is not supported."
        )
    leave_outer_dual()


class dual_level(OuterDual):
    """A context for forward mode; tangents exist only inside the block.

    Raises:
        RuntimeError: a level is already active.

    >>> with dual_level():
    ...     dual = make_dual(torch.tensor(2.0), torch.tensor(1.0))
    ...     print(unpack_dual(dual**2).tangent)
    tensor(4.)
    """


def make_dual(tensor: Tensor, tangent: Any, *, level: int | None = None) -> Tensor:
    """``tensor`` with a tangent.

    Args:
        tensor: floating or complex.
        tangent: the tangent, of the same shape; it is converted to the dtype of ``tensor``.

    Returns:
        A view of ``tensor``.

    Raises:
        RuntimeError: outside of ``dual_level()``.
        ValueError: a dtype without derivatives.

    >>> with torch.autograd.forward_ad.dual_level():
    ...     print(torch.autograd.forward_ad.unpack_dual(make_dual(torch.tensor(2.0), torch.tensor(1.0)).sin()).tangent)
    tensor(-0.4161)
    """
    here = _at(level)
    if here is None:
        raise RuntimeError(
            "Trying to create a dual Tensor for forward AD but no level exists, make sure to enter_dual_level() first."
        )
    _check(tensor, tangent)
    return here.make_dual(tensor, _with_memory_of(tensor, tangent))


def _with_memory_of(tensor: Tensor, tangent: Tensor) -> Tensor:
    """``tangent``, or a copy in as much memory as ``tensor`` has, so that any view of one has a view of the other."""
    if any(elements_are_hidden(t) or handles_dispatch(type(t)) or has_torch_function((t,)) for t in (tensor, tangent)):
        return tangent
    size = tensor.untyped_storage().nbytes() // tensor.element_size()
    same_bits = tensor.is_conj() == tangent.is_conj() and tensor.is_neg() == tangent.is_neg()
    if same_bits and size == tangent.untyped_storage().nbytes() // tangent.element_size():
        return tangent
    if overlaps(tensor.shape, tensor.stride()):
        return tangent
    memory = torch.zeros(size, dtype=tensor.dtype, device=tensor.device)
    return memory.as_strided(tensor.shape, tensor.stride(), tensor.storage_offset()).copy_(tangent)


def _at(number: int | None) -> Any:
    """The level of that number, by default the only one there is; None: none."""
    here = outer_dual()
    if number is not None and number < 0:
        return None
    if number and here is not None:
        raise RuntimeError(f"Invalid level given: {number}; there is only level 0")
    return here


def _check(tensor: Tensor, tangent: Any) -> None:
    for what, t in (("primal", tensor), ("tangent", tangent)):
        if not isinstance(t, torch.Tensor):
            raise TypeError(f"make_dual(): argument '{what}' must be Tensor, not {type(t).__name__}")
        if not (t.is_floating_point() or t.is_complex()):
            raise ValueError(f"Expected {what} to be floating point or complex, but got: {t.dtype}")
    if tensor.shape != tangent.shape:
        raise RuntimeError(
            "Trying to set a forward gradient that has a different size than that of the original "
            f"Tensor, this is not supported. Tensor is of size {list(tensor.shape)} while the given "
            f"forward gradient is of size {list(tangent.shape)}."
        )
    if tangent.is_complex() and not tensor.is_complex():
        raise RuntimeError(f"make_dual(): a primal of {tensor.dtype} has real tangents, but got {tangent.dtype}")


def _set_fwd_grad_enabled(mode: bool) -> Any:
    """Ignore tangents from now on if ``mode`` is False, or carry them on; returns a context that restores this."""
    return SinceForward(bool(mode))


def _is_fwd_grad_enabled() -> bool:
    """Whether operations carry tangents on."""
    return forward_enabled() and not any(level.paused for level in dual_levels())


def unpack_dual(tensor: Tensor, *, level: int | None = None) -> UnpackedDualTensor:
    """The value and the tangent of a tensor, of the same shape; the tangent is None if it has none.

    Raises:
        TypeError: the argument is not a tensor.

    >>> with torch.autograd.forward_ad.dual_level():
    ...     print(unpack_dual(torch.tensor(2.0)).tangent)
    None
    """
    here = _at(level)
    if here is None:
        return UnpackedDualTensor(tensor, None)
    if not isinstance(tensor, torch.Tensor):
        raise TypeError(f"unpack_dual(): argument 'tensor' must be Tensor, not {type(tensor).__name__}")
    return UnpackedDualTensor(*here.unpack(tensor))
