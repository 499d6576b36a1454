"""Generated batching rules of custom Functions: the call on a batch is itself a Function."""

import flambeau_tensor as torch
from flambeau_autograd._engine.levels.batch_level import BatchLevel
from flambeau_autograd.function import Function, FunctionCtx
from flambeau_autograd.pytree import broadcast, filled, leaves, tree_map

Tensor = torch.Tensor


class ExampleContext(FunctionCtx):
    """The ``ctx`` that a Function's methods receive while they run on one example of a batch."""

    def __init__(self, needs_input_grad):
        self.needs_input_grad = needs_input_grad
        self.to_save, self.saved_for_forward, self.non_differentiable = (), None, ()
        self.materialize_grads = True

    def mark_dirty(self, *args):
        raise RuntimeError("mark_dirty is not supported with generate_vmap_rule=True; write a vmap staticmethod")

    @property
    def saved_tensors(self):
        return self.to_save


class Examples:
    """One call of a Function under ``vmap``.

    Args:
        cls: the Function; its functions run on one example, at a separate level.
        values: ``(args, kwargs)``, with batched tensors.
        dims: the batch dimension of each, or None, in the same structure.
        level: the level of the ``vmap``.
    """

    def __init__(self, cls, values, dims, level):
        self.cls, self.size, self.randomness = cls, level.size, level.randomness
        flat = leaves(values)
        self.where = [i for i, v in enumerate(flat) if isinstance(v, Tensor)]
        self.values = [flat[i] for i in self.where]
        self.shapes = [tuple(v.shape) for v in self.values]
        self.dims = [leaves(dims)[i] for i in self.where]
        self.form = tree_map(lambda v: None if isinstance(v, Tensor) else v, values)

    def run(self):
        """Return the batched results and their batch dimensions."""
        cls, values = self.cls, self.values
        self.values = None
        members = {"generate_vmap_rule": True, "backward": self._backward, "forward": self._forward}
        if cls.setup_context is Function.setup_context:
            members["forward"] = self._combined
        else:
            members["setup_context"] = self._setup_context
        if cls.jvp is not Function.jvp and not self.form[1]:
            members["jvp"] = self._jvp
        members = {name: f if name == "generate_vmap_rule" else staticmethod(f) for name, f in members.items()}
        out = type(f"Vmapped{cls.__name__}", (Function,), members).apply(*values)
        return filled(self.out_form, out if isinstance(out, tuple) else (out,)), filled(self.out_form, self.out_dims)

    def _level(self):
        return BatchLevel(self.size, self.randomness)

    # --- between one example and all of them

    def _arguments(self, values, level):
        flat = leaves(self.form)
        for i, v in zip(self.where, _enter(values, self.dims, level), strict=True):
            flat[i] = v
        return filled(self.form, flat)

    def _results(self, out, level):
        """Return the batched form of results for one example."""
        pairs = [level.unwrap(o) for o in leaves(out)]
        self.out_form = tree_map(lambda o: None if isinstance(o, Tensor) else o, out)
        self.out_dims = [p[1] for p in pairs]
        values = tuple(p[0] for p in pairs)
        return values[0] if len(values) == 1 else values

    def _context(self, ctx):
        flags = [None] * len(leaves(self.form))
        for i, needed in zip(self.where, ctx.needs_input_grad, strict=True):
            flags[i] = needed
        args, kwargs = filled(self.form, flags)
        return ExampleContext(tuple(any(f is True for f in leaves(a)) for a in (*args, *kwargs.values())))

    def _keep(self, ctx, own, level):
        """Save on ``ctx``, in batched form, the values that the Function saves on its own context."""
        saved = [level.unwrap(t) for t in own.to_save]
        ctx.save_for_backward(*(p[0] for p in saved))
        ctx.saved_dims = ctx.jvp_dims = [p[1] for p in saved]
        if own.saved_for_forward is not None:
            saved = [level.unwrap(t) for t in own.saved_for_forward]
            ctx.save_for_forward(*(p[0] for p in saved))
            ctx.jvp_dims = [p[1] for p in saved]
        ctx.mark_non_differentiable(*(level.unwrap(t)[0] for t in own.non_differentiable))
        ctx.set_materialize_grads(own.materialize_grads)
        own.to_save, own.saved_for_forward, own.non_differentiable = (), None, ()
        ctx.own = own

    # --- the functions of the Function

    def _forward(self, *values):
        with self._level() as level:
            args, kwargs = self._arguments(values, level)
            return self._results(self.cls.forward(*args, **kwargs), level)

    def _setup_context(self, ctx, values, outputs):
        with self._level() as level:
            args, kwargs = self._arguments(values, level)
            outputs = outputs if isinstance(outputs, tuple) else (outputs,)
            out = filled(self.out_form, _enter(outputs, self.out_dims, level))
            own = self._context(ctx)
            if kwargs:
                self.cls.setup_context(own, args, kwargs, out)
            else:
                self.cls.setup_context(own, args, out)
            self._keep(ctx, own, level)

    def _combined(self, ctx, *values):
        with self._level() as level:
            args, kwargs = self._arguments(values, level)
            own = self._context(ctx)
            out = self.cls.forward(own, *args, **kwargs)
            self._keep(ctx, own, level)
            return self._results(out, level)

    def _backward(self, ctx, *grads):
        cls, own = self.cls, ctx.own
        backward = cls.vjp if cls.vjp is not Function.vjp else cls.backward
        with self._level() as level:
            own.to_save = tuple(_enter(ctx.saved_tensors, ctx.saved_dims, level))
            try:
                given = filled(self.out_form, _enter(grads, self.out_dims, level))
                found = backward(own, *given) if type(given) is tuple else backward(own, given)
            finally:
                own.to_save = ()
            args, kwargs = self.form
            given = (*args, *kwargs.values())
            found = found if isinstance(found, tuple) else (found,)
            flat = broadcast(found[: len(given)] + (None,) * (len(given) - len(found)), given)
            if flat is None:
                raise RuntimeError(f"{cls.__name__}.backward: the gradients are not of the form of forward's arguments")
            return tuple(
                self._gradient(flat[i], shape, dim, level)
                for i, shape, dim in zip(self.where, self.shapes, self.dims, strict=True)
            )

    def _gradient(self, gradient, shape, dim, level):
        """Return the gradient of a batched argument from that of one example."""
        if gradient is None:
            return None
        one = shape if dim is None else shape[:dim] + shape[dim + 1 :]
        value, at = level.unwrap(gradient if tuple(gradient.shape) == one else gradient.sum_to_size(one))
        if dim is None:
            return value if at is None else value.sum(at)
        return self._laid_out(value, at, dim)

    def _laid_out(self, value, at, dim):
        if at is None:
            value, at = value.unsqueeze(dim), dim
            value = value.expand(*value.shape[:dim], self.size, *value.shape[dim + 1 :])
        return value if at == dim else value.movedim(at, dim)

    def _jvp(self, ctx, *tangents):
        own = ctx.own
        with self._level() as level:
            own.to_save = tuple(_enter(ctx.saved_tensors, ctx.jvp_dims, level))
            try:
                flat = [None] * len(leaves(self.form))
                for i, t in zip(self.where, _enter(tangents, self.dims, level), strict=True):
                    flat[i] = t
                args, _ = filled(self.form, flat)
                found = self.cls.jvp(own, *args)
            finally:
                own.to_save = ()
            found = leaves(found if type(found) is tuple else (found,))
            out = []
            for i, t in enumerate(found):
                value, at = level.unwrap(t)
                dim = self.out_dims[i] if i < len(self.out_dims) else None
                if dim is None and at is not None:
                    raise RuntimeError(
                        f"{self.cls.__name__}.jvp: output {i} is the same for all examples under vmap, "
                        "but its tangent is not"
                    )
                out.append(value if dim is None or not isinstance(value, Tensor) else self._laid_out(value, at, dim))
            return tuple(out)


def _enter(values, dims, level):
    return [v if d is None or v is None else level.wrap(v, d) for v, d in zip(values, dims, strict=True)]
