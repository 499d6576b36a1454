"""How custom operators are recorded: the functions that stand for their derivative rules.

A rule of this kind is called in place of the operator, with every argument of the schema in place, when a call is to
be recorded.
"""

from collections.abc import Callable

from flambeau_tensor._core.custom import run_kernel
from flambeau_tensor._core.operator import Operator


def spread(function: Callable, schema) -> Callable:
    """``function`` as something that takes all arguments by position, and as tuples where they are lists."""
    arguments = schema.arguments
    npos = sum(not a.kwarg_only for a in arguments)
    names = [a.name for a in arguments[npos:]]
    lists = [i for i, a in enumerate(arguments) if a.is_list]
    if not names and not lists:
        return function

    def called(*slots):
        given = as_lists(slots, lists)
        return function(*given[:npos], **dict(zip(names, given[npos:], strict=True)))

    return called


def as_lists(slots: tuple, lists: list[int]) -> tuple:
    """The arguments as functions of PyTorch's kind get them."""
    if not lists:
        return slots
    given = list(slots)
    for i in lists:
        if isinstance(given[i], tuple):
            given[i] = list(given[i])
    return tuple(given)


def composed(function: Callable, schema) -> Callable:
    """The rule of a kernel without a derivative: it is made of other operators, which are recorded."""
    return spread(function, schema)


def read_only(op: Operator, name: str) -> Callable:
    """The rule of an operator that writes to arguments: they must not have a history that would then be wrong."""
    written = [i for i, a in enumerate(op.schema.arguments) if a.write]

    def run(*slots):
        for i in written:
            for t in slots[i] if isinstance(slots[i], tuple) else (slots[i],):
                if t is not None and t.requires_grad:
                    raise RuntimeError(
                        f"{name}: argument '{op.schema.arguments[i].name}' requires grad and would be written to, "
                        "which has no derivative: call it under torch.no_grad(), or give it detach()"
                    )
        return run_kernel(op, *slots)

    return run


def generated(op: Operator, name: str, backward: Callable | None, setup_context: Callable | None) -> Callable:
    """The rule of ``register_autograd``: a Function around the kernel, made when it is first needed.

    Without ``backward`` its results require grad and say what is missing when they are differentiated.
    """
    made = None

    def recorded(*slots):
        nonlocal made
        if made is None:
            made = _function(op, name, backward, setup_context)
        return made(*slots)

    return recorded


def _function(op: Operator, name: str, backward: Callable | None, setup_context: Callable | None) -> Callable:
    from flambeau_autograd.function import Function

    schema = op.schema
    npos = sum(not a.kwarg_only for a in schema.arguments)
    names = [a.name for a in schema.arguments[npos:]]
    lists = [i for i, a in enumerate(schema.arguments) if a.is_list]
    nested = any(r.is_list for r in schema.returns)

    def forward(ctx, *slots):
        if nested:
            *slots, lengths = slots
        output = run_kernel(op, *slots)
        if setup_context is not None:
            given = as_lists(tuple(slots), lists)
            if names:
                keywords = dict(zip(names, given[npos:], strict=True))
                setup_context(ctx=ctx, inputs=given[:npos], keyword_only_inputs=keywords, output=output)
            else:
                setup_context(ctx=ctx, inputs=given, output=output)
        if nested:
            ctx._lengths = lengths
            return lengths.flatten(output)
        return output

    def differentiate(ctx, *grads):
        if backward is None:
            raise RuntimeError(
                f"Trying to backward through {name} but no autograd formula was registered. Please use "
                "register_autograd to add one."
            )
        found = backward(ctx, *(ctx._lengths.restored(grads, several=True) if nested else grads))
        return (*(found if isinstance(found, tuple) else (found,)), *(None,) * (len(names) + nested))

    title = f"GeneratedBackwardFor_{name.replace('::', '_').replace('.', '_')}"
    title += "" if schema.overload else "_default"
    members = {"forward": staticmethod(forward), "backward": staticmethod(differentiate)}
    made = type(title, (Function,), members).apply
    if not nested:
        return made

    def apply(*slots):
        lengths = _Lengths()
        return lengths.restored(made(*slots, lengths), several=len(schema.returns) > 1)

    return apply


class _Lengths:
    """How results were arranged in lists: a Function takes and returns them one by one."""

    def flatten(self, output: object) -> tuple:
        self.of = [
            len(r) if isinstance(r, list) else None for r in (output if isinstance(output, tuple) else (output,))
        ]
        flat = []
        for r in output if isinstance(output, tuple) else (output,):
            flat.extend(r if isinstance(r, list) else (r,))
        return tuple(flat)

    def restored(self, flat: object, *, several: bool) -> object:
        items = iter(flat if isinstance(flat, tuple) else (flat,))
        out = [next(items) if n is None else [next(items) for _ in range(n)] for n in self.of]
        return tuple(out) if several else out[0]
