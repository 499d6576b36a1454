"""Recording of custom operators: the functions that act as their derivative rules.

A rule of this kind is called instead of the operator, with all arguments of the schema, if a call must be recorded or a
function transform is active.
"""

from collections.abc import Callable
from typing import Any

import flambeau_tensor as torch
from flambeau_tensor.extend import Operator, run_kernel

_Function = Callable[..., Any]


def spread(function: Callable[..., Any], schema: Any) -> Callable[..., Any]:
    """Return ``function`` with all arguments positional, and with tuples in place of lists."""
    npos, names, lists = _form(schema)
    if not names and not lists:
        return function

    def called(*slots: Any) -> Any:
        given = as_lists(slots, lists)
        return function(*given[:npos], **dict(zip(names, given[npos:], strict=True)))

    return called


def _form(schema: Any) -> tuple[int, list[str], list[int]]:
    """Return the number of positional arguments, the names of the others, and the positions of lists."""
    arguments = schema.arguments
    npos = sum(not a.kwarg_only for a in arguments)
    return npos, [a.name for a in arguments[npos:]], [i for i, a in enumerate(arguments) if a.is_list]


def as_lists(slots: tuple[Any, ...], lists: list[int]) -> tuple[Any, ...]:
    """Convert arguments to the form in which PyTorch passes them to functions: lists instead of tuples."""
    if not lists:
        return slots
    given = list(slots)
    for i in lists:
        if isinstance(given[i], tuple):
            given[i] = list(given[i])
    return tuple(given)


# --- operators that write to arguments ------------------------------------------------------------------------------


def writing(op: Operator, name: str) -> Callable[..., Any]:
    """The rule of an operator that writes to arguments: these must not have a history, which would then be wrong."""
    written = [i for i, a in enumerate(op.schema.arguments) if a.write]

    def run(*slots: Any) -> Any:
        for i in written:
            if any(t.requires_grad for t in _tensors(slots[i])):
                raise RuntimeError(
                    f"{name}: argument '{op.schema.arguments[i].name}' requires grad and would be written to, "
                    "which has no derivative: call it under torch.no_grad(), or give it detach()"
                )
        from flambeau_autograd.extend import BatchLevel, innermost

        level, _ = innermost([t for slot in slots for t in _tensors(slot)])
        if level is None:
            return run_kernel(op, *slots)
        if not isinstance(level, BatchLevel):
            raise NotImplementedError(f"{name}: it writes to an argument, which has no tangent")
        return _each(op, name, slots, level, written)

    return run


def _each(op: Operator, name: str, slots: tuple[Any, ...], level: Any, written: list[int]) -> None:
    """Run on one example of a batch after the other, in the memory of all."""
    pairs = [level.unwrap(slot) if isinstance(slot, torch.Tensor) else (slot, None) for slot in slots]
    alone = [op.schema.arguments[i].name for i in written if pairs[i][1] is None]
    if alone or op.schema.returns:
        why = f"argument '{alone[0]}' is one tensor for all examples" if alone else "it has results, too"
        from flambeau_autograd.extend import VmapUnsupportedError

        raise VmapUnsupportedError(f"vmap: {name} cannot write for each example: {why}")
    for example in range(level.size):
        op_call = [value if dim is None else value.select(dim, example) for value, dim in pairs]
        spread(op, op.schema)(*op_call)


def _tensors(slot: object) -> list[Any]:
    """The tensors in an argument."""
    if isinstance(slot, torch.Tensor):
        return [slot]
    return [t for t in slot if isinstance(t, torch.Tensor)] if isinstance(slot, tuple | list) else []


# --- registered derivatives -----------------------------------------------------------------------------------------


def generated(op: Operator, name: str, backward: _Function | None, setup_context: _Function | None) -> _Function:
    """Return the rule of ``register_autograd``: a Function around the kernel, created at the first use.

    Without ``backward``, results require grad, and differentiating them raises an error that names the missing
    derivative.
    """
    made = None

    def recorded(*slots: Any) -> Any:
        nonlocal made
        if made is None:
            made = _function(op, name, backward, setup_context)
        return made(*slots)

    return recorded


def _function(op: Operator, name: str, backward: _Function | None, setup_context: _Function | None) -> _Function:
    from flambeau_autograd.function import Function

    schema = op.schema
    npos, names, lists = _form(schema)

    def run(*slots: Any) -> Any:
        return run_kernel(op, *slots)

    def set_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        if setup_context is not None:
            given = as_lists(inputs, lists)
            if names:
                keywords = dict(zip(names, given[npos:], strict=True))
                setup_context(ctx=ctx, inputs=given[:npos], keyword_only_inputs=keywords, output=output)
            else:
                setup_context(ctx=ctx, inputs=given, output=output)

    def differentiate(ctx: Any, *grads: Any) -> tuple[Any, ...]:
        if backward is None:
            raise RuntimeError(
                f"Trying to backward through {name} but no autograd formula was registered. Please use "
                "register_autograd to add one."
            )
        found = backward(ctx, *grads)
        return (*(found if isinstance(found, tuple) else (found,)), *(None,) * len(names))

    title = f"GeneratedBackwardFor_{name.replace('::', '_').replace('.', '_')}"
    members = {
        # With the schema's parameters, so that a call need not look for their names.
        "forward": staticmethod(eval(f"lambda {_parameters(schema)}: run({_parameters(schema)})", {"run": run})),
        "setup_context": staticmethod(set_context),
        "backward": staticmethod(differentiate),
        "vmap": staticmethod(_batching(op, name)),
    }
    made: Any = type(title + ("" if schema.overload else "_default"), (Function,), members)
    return made.apply


def _parameters(schema: Any) -> str:
    return ", ".join(f"a{i}" for i in range(len(schema.arguments)))


def _batching(op: Operator, name: str) -> Callable[..., Any]:
    """Return the Function's ``vmap``: the rule of ``register_vmap``, otherwise a loop over examples."""
    call = spread(op, op.schema)
    npos, names, _ = _form(op.schema)

    def batch(info: Any, in_dims: tuple[Any, ...], *slots: Any) -> Any:
        rule = op.vmap
        if rule is not None:
            return rule(info, in_dims[:npos], *slots[:npos], **dict(zip(names, slots[npos:], strict=True)))
        if info.batch_size == 0:
            raise RuntimeError(f"vmap: {name} has no batching rule and there is no example to run it on")
        results = [call(*_example(slots, in_dims, i)) for i in range(info.batch_size)]
        if isinstance(results[0], tuple | list):
            columns = [_stacked(column) for column in zip(*results, strict=True)]
            return type(results[0])(c for c, _ in columns), type(results[0])(d for _, d in columns)
        return _stacked(results)

    return batch


def _example(slots: tuple[Any, ...], dims: tuple[Any, ...], i: int) -> list[Any]:
    return [
        a if d is None else tuple(_example(tuple(a), d, i)) if isinstance(a, tuple | list) else a.select(d, i)
        for a, d in zip(slots, dims, strict=True)
    ]


def _stacked(results: Any) -> tuple[Any, ...]:
    if isinstance(results[0], torch.Tensor):
        return torch.stack(list(results)), 0
    if isinstance(results[0], list):
        columns = [_stacked(column) for column in zip(*results, strict=True)]
        return [c for c, _ in columns], [d for _, d in columns]
    return results[0], None
