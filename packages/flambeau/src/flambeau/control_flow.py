"""``torch.cond``, ``torch.while_loop`` and ``scan``: branches and loops that depend on values, as calls.

They run like Python's ``if`` and ``while`` and are recorded like them; in a compiled function a `while_loop` and a
longer `scan` are loops in C. If a condition is batched under `vmap`, all examples run both branches, or iterate until
the last one ends, and each selects its own results.
"""

from collections.abc import Callable
from typing import Any

import flambeau as torch
from flambeau.utils._pytree import tree_flatten, tree_map, tree_unflatten
from flambeau_tensor.extend import hides_values, is_tracing, trace_event, untraced

_UNROLLED = 16  # maximum number of scan iterations that a compiler receives unrolled


def _truth(value, what):
    if isinstance(value, torch.Tensor) and value.numel() != 1:
        raise RuntimeError(f"Expected {what} to be bool or single-element tensor, but got {value}.")
    return bool(value)


def _differs(value):
    """Whether a condition is batched."""
    return isinstance(value, torch.Tensor) and value.numel() == 1 and hides_values(value)


def _either(truth, first, second):
    """Return the first results where `truth` is true, and the second ones elsewhere."""
    flat, spec = tree_flatten(first)
    others, other_spec = tree_flatten(second)
    if spec != other_spec:
        raise RuntimeError(f"both branches have to return the same structure, but got {spec} and {other_spec}")
    truth = truth.reshape(()).bool()
    return tree_unflatten([torch.where(truth, a, b) for a, b in zip(flat, others, strict=True)], spec)


def cond(
    pred: Any, true_fn: Callable[..., Any], false_fn: Callable[..., Any], operands: tuple[Any, ...] | list[Any] = ()
) -> Any:
    """Return ``true_fn(*operands)`` if `pred` is true, else ``false_fn(*operands)``.

    Args:
        pred: a number, or a tensor with one element.
        true_fn, false_fn: functions of the operands that return tensors of the same shapes and dtypes.
        operands: a tuple or list.

    Raises:
        RuntimeError: `pred` has more than one element, or `operands` is not a tuple or list.

    >>> x = torch.tensor(3.0, requires_grad=True)
    >>> y = torch.cond(x > 2, lambda x: x * x, lambda x: -x, (x,))
    >>> y.backward()
    >>> x.grad
    tensor(6.)
    """
    if not isinstance(operands, (tuple, list)):
        raise RuntimeError(f"Expected operands to be a tuple or list of operands, but got {operands!r}")
    if _differs(pred):
        return _either(pred, true_fn(*operands), false_fn(*operands))
    return (true_fn if _truth(pred, "pred") else false_fn)(*operands)


def while_loop(
    cond_fn: Callable[..., Any], body_fn: Callable[..., Any], carried_inputs: tuple[Any, ...] | list[Any]
) -> Any:
    """Replace values by ``body_fn(*values)`` while ``cond_fn(*values)`` is true, starting with `carried_inputs`.

    Args:
        cond_fn: returns a bool, or a tensor with one element.
        body_fn: returns new values, in the number, shapes and dtypes of its arguments.
        carried_inputs: a tuple or list.

    Returns:
        A tuple of the last values.

    Raises:
        RuntimeError: `carried_inputs` is not a tuple or list, or `body_fn` returns another number of values.

    >>> torch.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x * 2), (torch.tensor(0), torch.ones(2)))
    (tensor(3), tensor([8., 8.]))
    """
    if not isinstance(carried_inputs, (tuple, list)):
        raise RuntimeError(f"Expected carried_inputs to be a tuple or list, got {type(carried_inputs)}")
    values = tuple(carried_inputs)
    if is_tracing() and all(_is_plain(v) for v in values):
        ended, values = _traced_loop(cond_fn, body_fn, values)
        if ended:
            return values
    while True:
        going = cond_fn(*values)
        differs = _differs(going)
        any_true = torch._is_any_true  # type: ignore[attr-defined]
        if not (any_true(going.bool()) if differs else _truth(going, "what cond_fn returns")):
            return values
        result = body_fn(*values)
        result = tuple(result) if isinstance(result, (tuple, list)) else (result,)
        if len(result) != len(values):
            raise RuntimeError(f"body_fn should return as many values as it takes, {len(values)}, not {len(result)}")
        values = tuple(_either(going, result, values)) if differs else result


def _is_plain(value):
    return isinstance(value, torch.Tensor) and not value.requires_grad and not hides_values(value)


def _traced_loop(cond_fn, body_fn, values):
    """Run the loop for a compiler: one iteration is traced between marks; the loop itself runs untraced.

    Return (True, the last values), or, if results have a history, (False, those after one iteration): then all
    iterations are traced.
    """
    values = tuple(_own(v) for v in values)
    trace_event(("while", values))
    going = cond_fn(*values)
    if not isinstance(going, torch.Tensor):
        trace_event(("refuse", "what cond_fn of a while_loop returns is no tensor"))
    trace_event(("while_test", going))
    result = body_fn(*values)
    result = tuple(result) if isinstance(result, (tuple, list)) else (result,)
    if not all(map(_is_plain, result)):
        trace_event(("unrolled", None))
        going = _truth(going, "what cond_fn returns")
        return not going, result if going else values
    trace_event(("while_turn", result))
    with untraced():
        last = while_loop(cond_fn, body_fn, result) if _truth(going, "what cond_fn returns") else values
        last = tuple(_own(v) for v in last)
    trace_event(("while_end", last))
    return True, last


def _own(value):
    """Return a copy that does not share memory with anything."""
    return value.clone(memory_format=torch.contiguous_format)


def scan(combine_fn: Callable[..., Any], init: Any, xs: Any, *, dim: int = 0, reverse: bool = False) -> tuple[Any, Any]:
    """Carry a value along a dimension: ``carry, y = combine_fn(carry, x)`` for each slice ``x``.

    Args:
        combine_fn: takes the carry and a slice, and returns the next carry and a result; both may be nested tensors.
        init: the first carry.
        xs: the tensors to slice, with the same size along `dim`.
        dim: the dimension.
        reverse: whether to begin with the last slice.

    Returns:
        The last carry, and the results stacked in the order of the slices, along dimension 0.

    Raises:
        RuntimeError: there are no slices, or `xs` differ in their number.

    >>> from flambeau._higher_order_ops.scan import scan
    >>> scan(lambda total, x: (total + x, total), torch.tensor(0.0), torch.tensor([1.0, 2.0, 3.0]))
    (tensor(6.), tensor([0., 1., 3.]))
    """
    leaves, spec = tree_flatten(xs)
    if not leaves or any(leaf.dim() == 0 for leaf in leaves):
        raise RuntimeError("scan(): xs must contain tensors with at least one dimension")
    lengths = {leaf.shape[dim] for leaf in leaves}
    if len(lengths) != 1 or 0 in lengths:
        raise RuntimeError(f"scan(): xs have to be of one size above 0 along dim {dim}, but got {sorted(lengths)}")
    order = range(lengths.pop())
    if reverse:
        order = order[::-1]
    carry, results = init, []
    first = tree_flatten(init)[0]
    plain = is_tracing() and all(map(_is_plain, [*leaves, *first])) and all(v.is_contiguous() for v in first)
    if plain and len(order) > _UNROLLED:
        done, carry, results = _traced_scan(combine_fn, init, [leaf.movedim(dim, 0) for leaf in leaves], spec, order)
        if done:
            return carry, results
        order = order[1:]
    slices = [leaf.unbind(dim) for leaf in leaves]
    for i in order:
        carry, result = combine_fn(carry, tree_unflatten([s[i] for s in slices], spec))
        results.append(result)
    results = results[::-1] if reverse else results
    return carry, tree_map(lambda *each: torch.stack(each), *results)


def _traced_scan(combine_fn, init, leaves, spec, order):
    """Record one iteration between marks, as for a loop, for a compiler; return (True, carry, results).

    If the iteration cannot be repeated by a loop, return (False, the carry after it, its result in a list).
    """
    carried, carried_spec = tree_flatten(init)
    carried = [_own(v) for v in carried]
    sources = [leaf.contiguous() for leaf in leaves]
    taken = [_own(source[order[0]]) for source in sources]
    trace_event(("scan", carried))
    carry, result = combine_fn(tree_unflatten(carried, carried_spec), tree_unflatten(taken, spec))
    following, following_spec = tree_flatten(carry)
    results, results_spec = tree_flatten(result)
    plain = all(map(_is_plain, [*following, *results])) and all(v.is_contiguous() for v in following)
    if following_spec != carried_spec or not plain:
        trace_event(("unrolled", None))
        return False, carry, [result]
    with untraced():
        rows = [[_own(r) for r in results]]
        for i in order[1:]:
            carry, result = combine_fn(carry, tree_unflatten([source[i] for source in sources], spec))
            rows.append(tree_flatten(result)[0])
        rows = rows[::-1] if order[0] else rows
        last = [_own(v) for v in tree_flatten(carry)[0]]
        stacked = [torch.stack(each) for each in zip(*rows, strict=True)]
    turn = {"carried": carried, "taken": taken, "sources": sources, "following": following, "results": results}
    trace_event(("scan_end", {**turn, "last": last, "stacked": stacked, "order": order}))
    return True, tree_unflatten(last, carried_spec), tree_unflatten(stacked, results_spec)


def _assert_async(input, message="Expected Tensor with single nonzero value, but got zero"):
    """Raise a RuntimeError if a tensor's only element is zero. On other devices, PyTorch does so later."""
    if not bool(input):
        raise RuntimeError(message)
