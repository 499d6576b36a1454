"""Forward mode: the tangents of an operation's results from those of its arguments.

Most follow from what is already there. A linear operation is its own tangent rule; an elementwise one multiplies the
tangent by the factor that its reverse formula multiplies gradients by. What is neither, and has no ``jvp`` of its own,
gets its tangent by transposing the reverse formulas: they are linear in the gradient, so differentiating them by it
gives the map from tangents to tangents.
"""

import flambeau_tensor as torch
from flambeau_autograd._engine.backward import grad as _grad
from flambeau_autograd._engine.dispatch import call
from flambeau_autograd._engine.grad_mode import enable_grad, is_grad_enabled
from flambeau_autograd._engine.rule import parameter_names
from flambeau_autograd._engine.tape_level import TapeLevel

Tensor = torch.Tensor


def tangents_of(op, values, tangents, result):
    """The tangents of a call's results.

    Args:
        op: the operator; one that works in place stands for the one it is made from.
        values: its arguments, those of a call in place as they were before.
        tangents: for each argument a tensor, a tuple where the argument is a list, or None.
        result: what it returned, a tensor or a tuple.

    Returns:
        A tensor or, of several results, a tuple of tensors and None.
    """
    if op.functional is not None and op.functional.derivative is not None:
        op = op.functional
    rule = op.derivative
    slots = {a.name: i for i, a in enumerate(op.schema.arguments)}
    if rule.jvp is not None:
        return _written(op, rule, slots, values, tangents, result)
    if rule.linear is not None:
        names = rule.argument_names if rule.linear is True or rule.linear == "each" else rule.linear.split()
        if rule.linear == "each":
            moving = [name for name in names if tangents[slots[name]] is not None]
            out = _sum(_once(op, slots, values, tangents, [name]) for name in moving)
        elif all(tangents[slots[name]] is None for name in rule.argument_names if name not in names):
            out = _once(op, slots, values, tangents, names)
        else:  # it is linear in some arguments, and others move
            out = transposed(lambda *args: call(op, *args), values, tangents)
    elif rule.elementwise:
        out = _factors(rule, slots, values, tangents, result)
    else:
        out = transposed(lambda *args: call(op, *args), values, tangents)
    if isinstance(result, tuple):
        return tuple(_matched(t, r) for t, r in zip(out, result, strict=True))
    return _matched(out[0] if isinstance(out, tuple) else out, result)


def _matched(tangent, result):
    """A tangent in the form of what it is the tangent of."""
    if tangent is None or not isinstance(result, Tensor):
        return None
    if not (result.is_floating_point() or result.is_complex()):
        return None
    if tangent.is_complex() and not result.is_complex():
        tangent = tangent.real
    if tangent.dtype is not result.dtype:
        tangent = tangent.to(result.dtype)
    return tangent if tangent.shape == result.shape else tangent.expand(result.shape)


def _sum(terms):
    total = None
    for term in terms:
        if total is None:
            total = term
        elif isinstance(term, tuple):
            total = tuple(a + b for a, b in zip(total, term, strict=True))
        else:
            total = total + term
    return total


def _zeros(value):
    if isinstance(value, Tensor):
        return torch.zeros_like(value)
    return None if value is None else 0


def _once(op, slots, values, tangents, names):
    """The operation applied to tangents in place of the named arguments."""
    args = list(values)
    for name in names:
        i = slots[name]
        if isinstance(args[i], tuple):
            given = tangents[i] or (None,) * len(args[i])
            args[i] = tuple(_zeros(v) if t is None else t for v, t in zip(args[i], given, strict=True))
        else:
            args[i] = _zeros(args[i]) if tangents[i] is None else tangents[i]
    return call(op, *args)


def _factors(rule, slots, values, tangents, result):
    """Of an elementwise function: each tangent through the formula of its argument's gradient."""
    terms = []
    for function, names in zip(rule.functions, rule.results, strict=True):
        if all(tangents[slots[name]] is None for name in names):
            continue
        for name in names:
            tangent = tangents[slots[name]]
            if tangent is None:
                continue
            if tangent.shape != result.shape:
                tangent = tangent.expand(result.shape)
            # The formulas give conjugate derivatives, see derivatives/pointwise.py.
            tangent = tangent.conj() if tangent.is_complex() else tangent
            args = [
                tangent
                if p == "grad"
                else tuple(n == name for n in rule.argument_names)
                if p == "needs"
                else rule.read(p, values, result)
                for p in parameter_names(function)
            ]
            term = function(*args)
            if len(names) > 1:
                term = term[names.index(name)]
            terms.append(term.conj() if term.is_complex() else term)
    return _sum(terms)


def _written(op, rule, slots, values, tangents, result):
    """The rule's own formula."""
    args = [
        tangents[slots[p[:-2]]] if p.endswith("_t") and p[:-2] in slots else rule.read(p, values, result)
        for p in parameter_names(rule.jvp)
    ]
    out = rule.jvp(*args)
    if isinstance(result, tuple):
        out = out if isinstance(out, tuple) else (out,) + (None,) * (len(result) - 1)
        return tuple(_matched(t, r) for t, r in zip(out, result, strict=True))
    return _matched(out, result)


def transposed(function, values, tangents):
    """The tangents of ``function(*values)`` from its reverse mode alone.

    Args:
        function: takes the values; returns a tensor or a tuple.
        values, tangents: as in ``tangents_of``.

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
