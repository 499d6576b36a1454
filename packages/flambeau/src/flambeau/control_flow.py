"""``torch.cond`` and ``torch.while_loop``: branches and loops that depend on values, as calls.

Nothing is compiled here, so they run as the ``if`` and ``while`` of Python would, and are recorded so.
"""

from collections.abc import Callable
from typing import Any

import flambeau as torch


def _truth(value, what):
    if isinstance(value, torch.Tensor) and value.numel() != 1:
        raise RuntimeError(f"Expected {what} to be bool or single-element tensor, but got {value}.")
    return bool(value)


def cond(
    pred: Any, true_fn: Callable[..., Any], false_fn: Callable[..., Any], operands: tuple[Any, ...] | list[Any] = ()
) -> Any:
    """``true_fn(*operands)`` if `pred` is true, else ``false_fn(*operands)``.

    Args:
        pred: a number, or a tensor with one element.
        true_fn, false_fn: both take the operands, and return tensors of the same shapes and dtypes.
        operands: a tuple or list.

    Raises:
        RuntimeError: `pred` has more than one element, or `operands` are no tuple or list.

    >>> x = torch.tensor(3.0, requires_grad=True)
    >>> y = torch.cond(x > 2, lambda x: x * x, lambda x: -x, (x,))
    >>> y.backward()
    >>> x.grad
    tensor(6.)
    """
    if not isinstance(operands, (tuple, list)):
        raise RuntimeError(f"Expected operands to be a tuple or list of operands, but got {operands!r}")
    return (true_fn if _truth(pred, "pred") else false_fn)(*operands)


def while_loop(
    cond_fn: Callable[..., Any], body_fn: Callable[..., Any], carried_inputs: tuple[Any, ...] | list[Any]
) -> Any:
    """Replace values by ``body_fn(*values)`` as long as ``cond_fn(*values)`` is true, beginning with `carried_inputs`.

    Args:
        cond_fn: returns a truth, or a tensor with one element.
        body_fn: returns as many values as it takes, of the same shapes and dtypes.
        carried_inputs: a tuple or list.

    Returns:
        The last values, a tuple.

    Raises:
        RuntimeError: `carried_inputs` are no tuple or list, or `body_fn` returns another number of values.

    >>> torch.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x * 2), (torch.tensor(0), torch.ones(2)))
    (tensor(3), tensor([8., 8.]))
    """
    if not isinstance(carried_inputs, (tuple, list)):
        raise RuntimeError(f"Expected carried_inputs to be a tuple or list, got {type(carried_inputs)}")
    values = tuple(carried_inputs)
    while _truth(cond_fn(*values), "what cond_fn returns"):
        result = body_fn(*values)
        result = tuple(result) if isinstance(result, (tuple, list)) else (result,)
        if len(result) != len(values):
            raise RuntimeError(f"body_fn should return as many values as it takes, {len(values)}, not {len(result)}")
        values = result
    return values


def _assert_async(input, message="Expected Tensor with single nonzero value, but got zero"):
    """Raise RuntimeError if a tensor's one element is zero. PyTorch does so later where there are other devices."""
    if not _truth(input, "input"):
        raise RuntimeError(message)
