"""Forward mode of operations that are neither linear nor elementwise and have no ``jvp`` formula.

``_engine/levels/forward_rules.pyx`` implements the others. Reverse formulas are linear in the gradient, so
differentiating them with respect to it gives the map from tangents to tangents.
"""

import flambeau_tensor as torch
from flambeau_autograd._engine.graph.backward import grad as _grad
from flambeau_autograd._engine.graph.grad_mode import enable_grad, is_grad_enabled
from flambeau_autograd._engine.levels.dispatch import call
from flambeau_autograd._engine.levels.tape_level import TapeLevel

Tensor = torch.Tensor


def transposed_call(op, values, tangents):
    """The tangents of an operator's results from its reverse mode alone, see ``transposed``."""
    return transposed(lambda *args: call(op, *args), values, tangents)


def transposed(function, values, tangents):
    """The tangents of ``function(*values)`` from its reverse mode alone.

    Args:
        function: takes the values; returns a tensor or a tuple.
        values: its arguments.
        tangents: for each value a tensor, a tuple if the value is a list, or None.

    Returns:
        A tuple with a tangent for each result, None for those without gradient.
    """
    recording = is_grad_enabled()
    with TapeLevel(internal=True) as level, enable_grad():
        args, entered, directions = [], [], []
        for value, tangent in zip(values, tangents, strict=True):
            if isinstance(tangent, tuple):
                items = [v if t is None else level.wrap(v) for v, t in zip(value, tangent, strict=True)]
                entered += [v for v, t in zip(items, tangent, strict=True) if t is not None]
                directions += [t for t in tangent if t is not None]
                value = tuple(items)
            elif tangent is not None:
                value = level.wrap(value)
                entered.append(value)
                directions.append(tangent)
            args.append(value)
        results = function(*args)
        results = results if isinstance(results, (tuple, list)) else (results,)
        outputs = [r for r in results if isinstance(r, Tensor) and r.requires_grad]
        if not outputs:
            return (None,) * len(results)
        seeds = [level.wrap(torch.zeros_like(r).detach()) for r in outputs]
        gradients = _grad(outputs, entered, seeds, create_graph=True, allow_unused=True)
        pairs = [(g, t) for g, t in zip(gradients, directions, strict=True) if g is not None and g.requires_grad]
        if pairs:
            found = _grad(
                [g for g, _ in pairs], seeds, [t for _, t in pairs], create_graph=recording, allow_unused=True
            )
        else:
            found = [None] * len(outputs)
        found = [torch.zeros_like(r) if t is None else t for t, r in zip(found, outputs, strict=True)]
        found = iter([level.unwrap(t, recording) for t in found])
        wanted = {id(r) for r in outputs}
        return tuple(next(found) if id(r) in wanted else None for r in results)
