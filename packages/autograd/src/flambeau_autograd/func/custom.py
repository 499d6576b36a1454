"""Custom Functions under the transforms: one level after the other, the innermost first, like any operation."""

import inspect

import flambeau_tensor as torch
from flambeau_autograd._engine.function.apply import apply_in, context_of
from flambeau_autograd._engine.graph.grad_mode import enable_grad
from flambeau_autograd._engine.graph.settings import Paused
from flambeau_autograd._engine.levels import layers
from flambeau_autograd._engine.levels.dispatch import VmapUnsupportedError, dispatch_function
from flambeau_autograd._engine.levels.dual_level import have_tangents
from flambeau_autograd._engine.levels.histories import lowered
from flambeau_autograd.batching.table import Info
from flambeau_autograd.func.generated_vmap import Examples
from flambeau_autograd.function import Function, bind
from flambeau_autograd.pytree import broadcast, filled, leaves, tree_map
from flambeau_autograd.tangents import transposed

Tensor = torch.Tensor


def _is_combined(cls):
    """Whether ``forward`` takes the context, too."""
    return cls.setup_context is Function.setup_context


def _bound(cls, args, kwargs):
    """Return all arguments, including defaults, if the other functions of the class receive all of them."""
    return (args, kwargs) if _is_combined(cls) else bind(cls.forward, False, args, kwargs)


def _root(tensor):
    return tensor if tensor._base is None else tensor._base


# --- calls at outer levels ------------------------------------------------------------------------------------------


def differentiated(cls, args, kwargs, all_histories=False):
    """Apply ``cls`` at this level: outer levels compute its values, its node and context belong to this level."""
    return apply_in(context_of(_lifted(cls, all_histories)), None, *args, **kwargs)


def _lifted(cls, all_histories):
    """Return a Function like ``cls`` whose values are computed at outer levels.

    Histories up to the innermost batch are recorded there, with ``all_histories`` all, for tangents that follow them.
    """
    made = cls.__dict__.get("_flambeau_lifted")
    if made is None:
        made = cls._flambeau_lifted = {}  # on the class, so that both are freed together
    if all_histories not in made:
        made[all_histories] = _lift(cls, all_histories)
    return made[all_histories]


def _lift(cls, all_histories):
    if _is_combined(cls):

        def forward(ctx, *args, **kwargs):
            own = cls.forward(ctx, *args, **kwargs)  # for the values that it saves on ctx
            if ctx.dirty_tensors is not None:
                raise RuntimeError(
                    f"{cls.__name__}: mark_dirty inside of several transforms needs a Function with a "
                    "separate setup_context"
                )
            out = _apply_further_out(cls, args, kwargs, all_histories)
            ctx.replace_saved({id(a): b for a, b in zip(leaves(own), leaves(out), strict=True)})
            return out
    else:

        def forward(*args, **kwargs):  # type: ignore[misc]
            return _apply_further_out(cls, args, kwargs, all_histories)

        forward.__signature__ = inspect.signature(cls.forward)
    module = cls._backward_cls.__module__  # cls itself may have none
    members = {"forward": staticmethod(forward), "_is_lifted": True, "__module__": module}
    return type(cls.__name__, (cls,), members)


def _apply_further_out(cls, args, kwargs, all_histories):
    """Apply ``cls`` to the arguments as outer levels see them; map results that are arguments back to the originals."""
    given = _tensors((args, kwargs))
    stand_ins = lowered(given) if all_histories else lowered(given, layers.innermost(given)[1])
    rest = iter(stand_ins)
    args, kwargs = tree_map(lambda a: next(rest) if isinstance(a, Tensor) else a, (args, kwargs))
    with enable_grad():
        out = dispatch_function(cls, args, kwargs)

    def original(o):
        for a, b in zip(given, stand_ins, strict=True):
            if o is b:
                layers.take_layers(a, b)
                return a
        return o

    return tree_map(original, out)


# --- batches --------------------------------------------------------------------------------------------------------


def _has_rule(cls):
    return cls.vmap is not Function.vmap


def _check_batchable(cls):
    if _has_rule(cls) and cls.generate_vmap_rule:
        raise RuntimeError(
            f"You tried to vmap over {cls.__name__}, but it has both generate_vmap_rule=True and an "
            "overridden vmap staticmethod. Please set generate_vmap_rule=False or delete the overridden "
            "vmap staticmethod to avoid ambiguity."
        )
    if not _has_rule(cls) and not cls.generate_vmap_rule:
        raise VmapUnsupportedError(
            f"You tried to vmap over {cls.__name__}, but it does not have vmap support. Please "
            "override and implement the vmap staticmethod or set generate_vmap_rule=True, or "
            'use vmap(..., fallback="loop").'
        )


def batch(cls, args, kwargs, level):
    """Run the Function on the whole batch, with its own rule or a generated one."""
    _check_batchable(cls)
    args, kwargs = _bound(cls, args, kwargs)
    values, dims = (tree_map(lambda a, i=i: level.unwrap(a)[i], (args, kwargs)) for i in (0, 1))
    if _has_rule(cls):
        result = cls.vmap(Info(level.size, level.randomness), dims[0], *values[0], **values[1])
        if not isinstance(result, tuple) or len(result) != 2:
            raise RuntimeError(
                f"Expected the vmap staticmethod of {cls.__name__} to have two returns, a tuple (outputs, out_dims), "
                f"got {type(result).__name__}"
            )
    else:
        result = Examples(cls, values, dims, level).run()
    out, out_dims = result
    places = broadcast(out_dims, out)
    if places is None or not all(d is None or isinstance(d, int) for d in places):
        raise RuntimeError(
            f"{cls.__name__}.vmap returned an incompatible pair: out_dims {out_dims} does not fit the structure of the "
            "outputs"
        )
    given = [each for each in zip(*map(leaves, ((args, kwargs), values, dims)), strict=True) if each[2] is not None]
    return filled(out, [_one_example(o, d, level, given) for o, d in zip(leaves(out), places, strict=True)])


def _one_example(value, dim, level, given):
    """Wrap a result at the level. ``given``: the arguments, their batched tensors, and the batch dimensions."""
    if dim is None or not isinstance(value, Tensor):
        return value
    dim %= value.ndim
    for argument, theirs, at in given:
        if value is theirs and dim == at:
            return argument  # returned unchanged, or written to
    out = level.wrap(value, dim)
    if value._is_view():
        for argument, theirs, _ in given:
            if _root(theirs) is value._base:
                layers.set_view_of(out, argument)
    return out


# --- tangents -------------------------------------------------------------------------------------------------------


def dual(cls, args, kwargs, level):
    """Compute values at the levels below, and tangents by ``jvp``, or by ``backward`` if there is no ``jvp``."""
    bound, keywords = _bound(cls, args, kwargs)
    flat = leaves((bound, keywords))
    pairs = [level.unpack(a) if isinstance(a, Tensor) else (a, None) for a in flat]
    values, tangents = [p[0] for p in pairs], [p[1] for p in pairs]
    own = cls.jvp is not Function.jvp and not keywords
    if not own and cls.backward is Function.backward and cls.vjp is Function.vjp:
        Function.jvp(None)  # raises an error: there is nothing from which tangents follow
    if not own and getattr(cls.backward, "once_differentiable", False):
        raise NotImplementedError(
            f"You must implement the jvp function of {cls.__name__} to use it with forward mode "
            "AD: its backward is @once_differentiable, so that none follows from that."
        )

    def attach(outputs, marked):
        """Before they are saved, since a saved result has its tangent, too."""
        before = [None if t is None or layers.elements_are_hidden(t) else t._version for t in tangents]
        found = _by_rule(cls, ctx, bound, values, tangents, level) if own else derived
        if not own:
            outputs = [o for o in outputs if isinstance(o, Tensor)]
        if len(found) != len(outputs):
            raise RuntimeError(
                f"{cls.__name__}.jvp: Function's jvp returned an invalid number of forward gradients "
                f"(expected {len(outputs)} but got {len(found)})"
            )
        for i, (o, tangent) in enumerate(zip(outputs, found, strict=True)):
            if tangent is None:
                continue
            if own:
                _check_tangent(cls, i, o, tangent, marked[i])
            if own or _of_whom(o, flat, tangents) is None:
                _attach(cls, o, tangent, flat, tangents, level, own, before)

    with Paused([level]):
        # Use copies, and do this first: forward may write to its arguments.
        derived = (
            None
            if own
            else transposed(
                lambda *given: tuple(_tensors(_called(cls, (bound, keywords), map(_copied, given)))), values, tangents
            )
        )
        tensors = _tensors(flat)
        further_out, _ = layers.innermost(tensors)
        # Pass the arguments themselves, so that saved ones keep their tangents for forward over reverse.
        ctx = context_of(cls if further_out is None else _lifted(cls, have_tangents(tensors)))
        ctx.dual_level = level
        out = apply_in(ctx, attach, *args, **kwargs)
    if own:
        return out

    rest = iter(derived)

    def finished(o):
        tangent = next(rest) if isinstance(o, Tensor) else None
        if tangent is None or _of_whom(o, flat, tangents) is None:
            return o
        o = o.clone()  # its tangent is not a view of the argument's, so it must not be a view either
        _attach(cls, o, tangent, flat, tangents, level, own)
        return o

    return tree_map(finished, out)


def _by_rule(cls, ctx, args, values, tangents, level):
    """The tangents that ``jvp`` returns."""
    for i, (value, tangent) in enumerate(zip(values, tangents, strict=True)):
        if tangent is not None and ctx.dirty_tensors is not None and not layers.holds_examples(tangent, value):
            # jvp may write to it, and the values may have more batch dimensions
            tangents[i] = tangent + torch.zeros_like(value)
            level.attach(leaves(args)[i], tangents[i])
    given = [_zeros(v) if t is None and ctx.materialize_grads else t for v, t in zip(values, tangents, strict=True)]
    ctx.in_jvp = True
    try:
        found = cls.jvp(ctx, *filled(args, given))
    finally:
        ctx.in_jvp = False
    return found if isinstance(found, tuple) else (found,)


def _tensors(tree):
    return [leaf for leaf in leaves(tree) if isinstance(leaf, Tensor)]


def _zeros(value):
    differentiable = isinstance(value, Tensor) and (value.is_floating_point() or value.is_complex())
    return torch.zeros_like(value) if differentiable else None


def _copied(value):
    return value.clone() if isinstance(value, Tensor) else value


def _called(cls, form, values):
    args, kwargs = filled(form, values)
    return cls.apply(*args, **kwargs)


def _of_whom(out, flat, tangents):
    """The tangent of the argument that an output is a view of, or None."""
    if not isinstance(out, Tensor) or not out._is_view():
        return None
    return next(
        (t for a, t in zip(flat, tangents, strict=True) if t is not None and a is not out and _root(a) is out._base),
        None,
    )


def _check_tangent(cls, number, out, tangent, marked):
    """Check the tangent that ``jvp`` returned for output ``number`` of forward."""
    if not isinstance(tangent, Tensor):
        raise RuntimeError(
            f"{cls.__name__}.jvp: expected Variable or None (got {type(tangent).__name__}) for grad output {number}"
        )
    if marked or not isinstance(out, Tensor) or not (out.is_floating_point() or out.is_complex()):
        raise RuntimeError(
            f"{cls.__name__}.jvp: Function's jvp returned a gradient at position {number}, but the "
            "corresponding forward output is not a differentiable Variable. You should return None at that position "
            "instead."
        )


def _attach(cls, out, tangent, flat, tangents, level, own, before=()):
    """Give an output its tangent; ``before``: the versions of the arguments' tangents before ``jvp`` ran."""
    if tangent.shape != out.shape:
        raise RuntimeError(
            f"{cls.__name__}.jvp returned a tangent of shape {list(tangent.shape)} for an output of "
            f"shape {list(out.shape)}"
        )
    for i, (a, t) in enumerate(zip(flat, tangents, strict=True)):
        if a is not out or t is None:
            continue
        if tangent is not t or (own and before[i] is not None and before[i] == t._version):
            if own:
                raise RuntimeError(
                    "An inplace custom Function is not modifying the forward mode gradients inplace. If "
                    "the forward is modifying an input inplace, then the jvp function must modify the "
                    "corresponding gradient inplace."
                )
            tangent = t.copy_(tangent)
    whose = _of_whom(out, flat, tangents)
    if whose is not None and (_root(tangent) is not _root(whose) or not tangent._is_view()):
        of = "the same base as the given tangent" if tangent._is_view() and whose._is_view() else "the given tangent"
        raise RuntimeError(
            f"{cls.__name__}: A custom Function's forward is returning a view (or an input as-is) but "
            f"the jvp is not returning a view of {of}."
        )
    level.attach(out, tangent)
