"""Custom Functions under the transforms: one level after the other, the innermost first, like any operation."""

import inspect
from functools import lru_cache

import flambeau_tensor as torch
from flambeau_autograd._engine import layers
from flambeau_autograd._engine.function import apply_in, context_of
from flambeau_autograd._engine.grad_mode import enable_grad, is_grad_enabled
from flambeau_autograd.batching.table import Info
from flambeau_autograd.func.trees import broadcast, filled, leaves, tree_map
from flambeau_autograd.function import Function
from flambeau_autograd.tangents import transposed

Tensor = torch.Tensor


def apply_layered(cls, args, kwargs):
    """``cls.apply(*args, **kwargs)`` where an argument has a layer, or a transform is under way."""
    tensors = [leaf for leaf in leaves((args, kwargs)) if isinstance(leaf, Tensor)]
    level, floor = layers.innermost(tensors)
    if level is None:
        return apply_in(context_of(cls), *args, **kwargs)
    if level.size < 0:
        return _dual(cls, args, kwargs, level, floor)
    if is_grad_enabled() and any(layers.tape_depth(t) > floor for t in tensors):
        # Differentiated for each example: the node sees single examples, and forward's own operations batch.
        _check_batchable(cls)
        return apply_in(context_of(_above(cls)), *args, **kwargs)
    return _batch(cls, args, kwargs, level)


@lru_cache(maxsize=512)
def _above(cls):
    """A Function like ``cls`` for the tape of single examples: its values come from the levels below."""
    def below(args, kwargs):
        args, kwargs = tree_map(lambda a: layers.without_history(a) if isinstance(a, Tensor) else a, (args, kwargs))
        with enable_grad():
            return apply_layered(cls, args, kwargs)

    if cls.setup_context is Function.setup_context:
        def forward(ctx, *args, **kwargs):
            own = cls.forward(ctx, *args, **kwargs)  # for what it keeps on ctx
            out = below(args, kwargs)
            instead = {id(a): b for a, b in zip(leaves(own), leaves(out), strict=True)}
            ctx.replace_saved(instead)
            return out
    else:
        def forward(*args, **kwargs):
            return below(args, kwargs)

        forward.__signature__ = inspect.signature(cls.forward)
    module = cls._backward_cls.__module__  # cls itself may have none
    return type(cls.__name__, (cls,), {"forward": staticmethod(forward), "__module__": module})


# --- batches --------------------------------------------------------------------------------------------------------

def _has_rule(cls):
    return cls.vmap is not Function.vmap


def _check_batchable(cls):
    if _has_rule(cls) and cls.generate_vmap_rule:
        raise RuntimeError(f"You tried to vmap over {cls.__name__}, but it has both generate_vmap_rule=True and an "
                           "overridden vmap staticmethod. Please set generate_vmap_rule=False or delete the overridden "
                           "vmap staticmethod to avoid ambiguity.")
    if not _has_rule(cls) and not cls.generate_vmap_rule:
        raise RuntimeError(f"You tried to vmap over {cls.__name__}, but it does not have vmap support. Please override "
                           "and implement the vmap staticmethod or set generate_vmap_rule=True, or use "
                           "vmap(..., fallback=\"loop\").")


def _batch(cls, args, kwargs, level):
    _check_batchable(cls)
    if not _has_rule(cls):
        return _Generated(cls, args, kwargs, level).run()
    values = tree_map(lambda a: layers.unbatch(a, level)[0], args)
    dims = tree_map(lambda a: layers.unbatch(a, level)[1], args)
    result = cls.vmap(Info(level.size, level.randomness), dims, *values, **kwargs)
    if not isinstance(result, tuple) or len(result) != 2:
        raise RuntimeError(f"{cls.__name__}.vmap should return a tuple (outputs, out_dims), got "
                           f"{type(result).__name__}")
    out, out_dims = result
    places = broadcast(out_dims, out)
    if places is None:
        raise RuntimeError(f"{cls.__name__}.vmap: out_dims {out_dims} does not fit the structure of its outputs")
    return filled(out, [o if d is None or not isinstance(o, Tensor) else layers.batch(o, d % o.ndim, level)
                        for o, d in zip(leaves(out), places, strict=True)])


class _Context:
    """What a Function's own functions get as ``ctx`` while they run for all examples at once."""

    def __init__(self, needs):
        self.needs_input_grad = needs
        self.to_save, self.not_differentiable, self.materialize_grads = (), (), True

    def save_for_backward(self, *tensors):
        self.to_save = tensors

    def save_for_forward(self, *tensors):
        pass

    def mark_non_differentiable(self, *tensors):
        self.not_differentiable = tensors

    def mark_dirty(self, *tensors):
        raise RuntimeError("mark_dirty is not supported with generate_vmap_rule=True; write a vmap staticmethod")

    def set_materialize_grads(self, value):
        self.materialize_grads = value

    @property
    def saved_tensors(self):
        return self.to_save


class _Generated:
    """A call of a Function for all examples at once, as a Function of the tensors that hold them."""

    def __init__(self, cls, args, kwargs, level):
        self.cls, self.size, self.randomness = cls, level.size, level.randomness
        flat = leaves((args, kwargs))
        self.form = args, kwargs
        self.flat = flat
        self.where = [i for i, a in enumerate(flat) if isinstance(a, Tensor)]
        pairs = [layers.unbatch(flat[i], level) for i in self.where]
        self.values = [p[0] for p in pairs]
        self.dims = [p[1] for p in pairs]
        self.level = level

    def run(self):
        call = self

        class Vmapped(Function):
            @staticmethod
            def forward(ctx, *values):
                return call.forward(ctx, values)

            @staticmethod
            def backward(ctx, *grads):
                return call.backward(ctx, grads)

        Vmapped.__name__ = Vmapped.__qualname__ = f"Vmapped{self.cls.__name__}"
        out = Vmapped.apply(*self.values)
        out = out if isinstance(out, tuple) else (out,)
        wrapped = [o if d is None else layers.batch(o, d, self.level) for o, d in zip(out, self.out_dims, strict=True)]
        return filled(self.out_form, wrapped)

    def _enter(self, values, dims, level):
        return [v if d is None or v is None else layers.batch(v, d, level) for v, d in zip(values, dims, strict=True)]

    def forward(self, ctx, values):
        level = layers.enter_level("vmap", self.size, self.randomness)
        try:
            flat = list(self.flat)
            for i, v in zip(self.where, self._enter(values, self.dims, level), strict=True):
                flat[i] = v
            args, kwargs = filled(self.form, flat)
            needs = iter(ctx.needs_input_grad)
            own = self.own = _Context(tuple(isinstance(a, Tensor) and next(needs) for a in flat[:len(leaves(args))]))
            if self.cls.setup_context is Function.setup_context:
                out = self.cls.forward(own, *args, **kwargs)
            else:
                out = self.cls.forward(*args, **kwargs)
                self.cls.setup_context(own, args, out)
            self.out_form = out
            outputs = leaves(out)
            pairs = [layers.unbatch(o, level) for o in outputs]
            self.out_dims = [p[1] for p in pairs]
            taken = {id(o): p[0] for o, p in zip(outputs, pairs, strict=True)}
            ctx.mark_non_differentiable(*(taken[id(o)] for o in own.not_differentiable))
            saved = [(None, None) if t is None else layers.unbatch(t, level) for t in own.to_save]
            ctx.saved_dims = [p[1] for p in saved]
            ctx.save_for_backward(*(p[0] for p in saved))
            own.to_save = ()
            ctx.set_materialize_grads(own.materialize_grads)
            result = tuple(p[0] for p in pairs)
            return result[0] if len(result) == 1 else result
        finally:
            layers.leave_level(level)

    def backward(self, ctx, grads):
        level = layers.enter_level("vmap", self.size, self.randomness)
        try:
            own = self.own
            own.to_save = tuple(self._enter(ctx.saved_tensors, ctx.saved_dims, level))
            given = self._enter(grads, self.out_dims, level)
            found = self.cls.backward(own, *given)
            found = found if isinstance(found, tuple) else (found,)
            found = [found[i] if i < len(found) else None for i in self.where]
            return tuple(self._fit(g, v, d, level) for g, v, d in zip(found, self.values, self.dims, strict=True))
        finally:
            own.to_save = ()
            layers.leave_level(level)

    def _fit(self, gradient, value, dim, level):
        if gradient is None:
            return None
        gradient, at = layers.unbatch(gradient, level)
        if dim is None:
            return gradient if at is None else gradient.sum(at)
        if at is None:
            return gradient.unsqueeze(dim).expand(value.shape)
        return gradient if at == dim else gradient.movedim(at, dim)


# --- tangents -------------------------------------------------------------------------------------------------------

def _dual(cls, args, kwargs, level, floor):
    """Forward runs on the values; the tangents follow from ``jvp``, or from ``backward`` if there is none."""
    flat = leaves((args, kwargs))
    pairs = [layers.unpack_dual(a, level) if isinstance(a, Tensor) else (a, None) for a in flat]
    tangents = [p[1] for p in pairs]
    own = cls.jvp is not Function.jvp and floor < 0 and not kwargs
    ctx = context_of(cls)
    level.paused += 1
    try:
        if own:
            # The arguments themselves, so that saved ones keep their tangents for forward over reverse.
            out = apply_in(ctx, *args)
            ctx.in_jvp = True
            try:
                given = [_zeros(p) if t is None and ctx.materialize_grads else t
                         for p, t in zip([p[0] for p in pairs], tangents, strict=True)]
                found = cls.jvp(ctx, *_with_tangents(args, given))
            finally:
                ctx.in_jvp = False
        else:
            # On copies, and first: forward may write to what it is given.
            found = transposed(lambda *given: tuple(leaves(_called(cls, (args, kwargs), map(_copied, given)))),
                               [p[0] for p in pairs], tangents)
            out = apply_layered(cls, args, kwargs)
    finally:
        level.paused -= 1
    outputs = leaves(out)
    found = found if isinstance(found, tuple) else (found,)
    if len(found) != len(outputs):
        raise RuntimeError(f"{cls.__name__}.jvp: Function's jvp returned an invalid number of forward gradients "
                           f"(expected {len(outputs)} but got {len(found)})")
    for i, (o, tangent) in enumerate(zip(outputs, found, strict=True)):
        before = next((t for a, t in zip(flat, tangents, strict=True) if a is o), None)
        if not own and tangent is not None:
            if before is not None:
                tangent = before.copy_(tangent)
            elif _of_whom(o, flat, tangents) is not None:
                o = outputs[i] = o.clone()  # its tangent is no view of the argument's: nor may it be one
        _attach(cls, o, tangent, flat, tangents, level)
    return filled(out, outputs)


def _zeros(value):
    differentiable = isinstance(value, Tensor) and (value.is_floating_point() or value.is_complex())
    return torch.zeros_like(value) if differentiable else None


def _copied(value):
    return value.clone() if isinstance(value, Tensor) else value


def _called(cls, form, values):
    args, kwargs = filled(form, values)
    return cls.apply(*args, **kwargs)


def _with_tangents(args, tangents):
    given = iter(tangents)
    return [tree_map(lambda _: next(given), a) for a in args]


def _root(tensor):
    return tensor if tensor._base is None else tensor._base


def _of_whom(out, flat, tangents):
    """The tangent of the argument that an output is a view of, or None."""
    if not isinstance(out, Tensor) or not out._is_view():
        return None
    return next((t for a, t in zip(flat, tangents, strict=True)
                 if t is not None and a is not out and _root(a) is out._base), None)


def _attach(cls, out, tangent, flat, tangents, level):
    if not isinstance(out, Tensor) or tangent is None:
        return
    if not isinstance(tangent, Tensor):
        raise TypeError(f"{cls.__name__}.jvp returned {type(tangent).__name__}, expected a Tensor or None")
    if tangent.shape != out.shape:
        raise RuntimeError(f"{cls.__name__}.jvp returned a tangent of shape {list(tangent.shape)} for an output of "
                           f"shape {list(out.shape)}")
    for a, t in zip(flat, tangents, strict=True):
        if a is out and t is not None and tangent is not t:
            raise RuntimeError("An inplace custom Function is not modifying the forward mode gradients inplace. If the "
                               "forward is modifying an input inplace, then the jvp function must modify the "
                               "corresponding gradient inplace.")
    whose = _of_whom(out, flat, tangents)
    if whose is not None and _root(tangent) is not _root(whose):
        raise RuntimeError(f"{cls.__name__}: A custom Function's forward is returning a view but the jvp is not "
                           "returning a view of the tangent that it was given.")
    layers.attach_tangent(out, tangent, level)
