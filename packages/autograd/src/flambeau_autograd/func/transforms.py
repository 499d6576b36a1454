"""``grad``, ``vjp``, ``jvp``, ``linearize``: derivatives as functions of functions."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import flambeau_tensor as torch
from flambeau_autograd._engine.graph.backward import grad as _grad
from flambeau_autograd._engine.graph.edges import edge_of
from flambeau_autograd._engine.graph.grad_mode import enable_grad, is_grad_enabled, no_grad
from flambeau_autograd._engine.levels.dual_level import DualLevel
from flambeau_autograd._engine.levels.histories import depends_on_others
from flambeau_autograd._engine.levels.tape_level import TapeLevel
from flambeau_autograd.pytree import filled, form, leaves, leaves_like, tree_map

Tensor = torch.Tensor


class _Tape:
    """A level of reverse mode around the run of a function; stores whether results remain recorded."""

    def __init__(self) -> None:
        self.level, self.keep = TapeLevel(), is_grad_enabled()

    def enter(self, tree: Any) -> Any:
        return tree_map(lambda t: self.level.wrap(t) if isinstance(t, Tensor) else t, tree)

    def leave(self, tree: Any) -> Any:
        return tree_map(lambda t: self.level.unwrap(t, self.keep) if isinstance(t, Tensor) else t, tree)

    def product(self, outputs: Sequence[Tensor], inputs: Sequence[Tensor]) -> Callable[..., Any]:
        """A function from the outputs' gradients to those of the inputs, also for when this level is over.

        The gradients are recorded if another level may differentiate them.
        """
        roots, targets = [edge_of(o) for o in outputs], [edge_of(t) for t in inputs]

        def gradients(seeds: Any, retain: bool = False, record: bool = True) -> Any:
            rows = [row for row in zip(outputs, roots, seeds, strict=True) if row[1] is not None]
            if not rows:
                return [torch.zeros_like(t) for t in inputs]
            deeper = record and any(
                depends_on_others(t, self.level) for o, _, s in rows for t in (o, s) if isinstance(t, Tensor)
            )
            found = _grad(
                [r for _, r, _ in rows],
                targets,
                [s for _, _, s in rows],
                retain_graph=retain or deeper,
                create_graph=deeper,
                allow_unused=True,
            )
            return [torch.zeros_like(t) if g is None else g for g, t in zip(found, inputs, strict=True)]

        return gradients


def _tensors(tree: Any) -> list[Tensor]:
    flat = leaves(tree)
    for t in flat:
        if not isinstance(t, Tensor):
            raise ValueError(f"Thing passed to transform API must be Tensor, got {type(t)}")
    return flat


def _parted(out: Any, has_aux: bool, where: str) -> tuple[Any, Any]:
    """Split the result of a function into (value, aux)."""
    if not has_aux:
        return out, None
    if not isinstance(out, tuple) or len(out) != 2:
        raise RuntimeError(f"{where}: output of function f should be a tuple: (output, aux) if has_aux is True")
    for leaf in leaves(out[1]):
        if not isinstance(leaf, Tensor):
            raise RuntimeError(f"Expected tensors, got unsupported type {type(leaf)}")
    return out


def _results(tree: Any, where: str, least: int = 1) -> list[Any]:
    """Return the leaves of a function's result; check that they are tensors, and at least ``least``."""
    flat = leaves(tree)
    if len(flat) < least or tree is None:
        raise RuntimeError(f"{where}: Expected f to be a function that has non-empty output (got output = {tree})")
    for t in flat:
        if not isinstance(t, Tensor):
            raise RuntimeError(f"{where}: expected f(*primals) to return only tensors, got unsupported type {type(t)}")
    return flat


def _argnums(argnums: int | tuple[int, ...], args: Sequence[Any]) -> list[int]:
    if not isinstance(argnums, (int, tuple)):
        raise RuntimeError(f"argnums must be int or Tuple[int, ...], got: {type(argnums)}")
    wanted = (argnums,) if isinstance(argnums, int) else tuple(argnums)
    if not wanted:
        raise RuntimeError("argnums must be non-empty")
    for n in wanted:
        if not isinstance(n, int):
            raise RuntimeError(f"argnums must be int, got {type(n)}")
        if not -len(args) <= n < len(args):
            raise RuntimeError(f"Got argnum={n}, but only {len(args)} positional inputs")
    places = [n % len(args) for n in wanted]
    if len(set(places)) != len(places):
        raise RuntimeError(f"argnums elements must be unique, got {argnums}")
    return places


def grad_and_value(
    func: Callable[..., Any], argnums: int | tuple[int, ...] = 0, has_aux: bool = False
) -> Callable[..., Any]:
    """Like ``grad``; the function returns ``(gradient, value)``, or with ``has_aux`` ``(gradient, (value, aux))``.

    Raises:
        RuntimeError: the function's result is not a single number, or an argument to differentiate is of integers;
            ``argnums`` is out of range.

    >>> torch.func.grad_and_value(lambda x: x * x)(torch.tensor(3.0))
    (tensor(6.), tensor(9.))
    """

    @functools.wraps(func)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        wanted = _argnums(argnums, args)
        tape = _Tape()
        with tape.level, enable_grad():
            given = list(args)
            for n in wanted:
                given[n] = tape.enter(given[n])
            inputs = _tensors(
                [given[n] for n in wanted],
            )
            out, aux = _parted(func(*given, **kwargs), has_aux, "grad_and_value(f)(*args)")
            if not isinstance(out, Tensor):
                raise RuntimeError(f"grad_and_value(f)(*args): Expected f(*args) to return a Tensor, got {type(out)}")
            if out.ndim:
                raise RuntimeError(
                    "grad_and_value(f)(*args): Expected f(*args) to return a scalar Tensor, got tensor "
                    f"with {out.ndim} dims. Maybe you wanted to use the vjp or jacrev APIs instead?"
                )
            found = iter(tape.product([out], inputs)([None]))
            gradients = [tree_map(lambda _: next(found), given[n]) for n in wanted]
            gradients = tape.leave(gradients[0] if isinstance(argnums, int) else tuple(gradients))
            value, aux = tape.leave(out), tape.leave(aux)
        return (gradients, (value, aux)) if has_aux else (gradients, value)

    return wrapped


def grad(func: Callable[..., Any], argnums: int | tuple[int, ...] = 0, has_aux: bool = False) -> Callable[..., Any]:
    """Return a function that computes the gradient of ``func``, which must return a tensor without dimensions.

    Args:
        func: takes tensors, or tuples, lists and dicts of them.
        argnums: the positional arguments to differentiate with respect to; a tuple gives a tuple of gradients.
        has_aux: ``func`` returns ``(value, aux)``; the new function then returns ``(gradient, aux)``.

    Raises:
        RuntimeError: the value has dimensions, or is not a tensor.

    >>> torch.func.grad(torch.func.grad(torch.sin))(torch.tensor(0.5))
    tensor(-0.4794)
    """
    both = grad_and_value(func, argnums, has_aux)

    @functools.wraps(func)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        gradients, value = both(*args, **kwargs)
        return (gradients, value[1]) if has_aux else gradients

    return wrapped


def vjp(func: Callable[..., Any], *primals: Any, has_aux: bool = False) -> Any:
    """The value of ``func(*primals)``, and a function that maps gradients of the value to gradients of the primals.

    Returns:
        ``(value, vjp_fn)``, with ``has_aux`` ``(value, vjp_fn, aux)``.

    Raises:
        RuntimeError: the function's result is not a tensor.

    >>> value, back = torch.func.vjp(torch.sin, torch.zeros(2))
    >>> back(torch.tensor([1.0, 2.0]))
    (tensor([1., 2.]),)
    """
    tape = _Tape()
    with tape.level, enable_grad():
        entered = tape.enter(primals)
        inputs = _tensors(
            entered,
        )
        out, aux = _parted(func(*entered), has_aux, "vjp(f, *primals)")
        outputs = _results(out, "vjp(f, *primals)")
        product = tape.product(outputs, inputs)
        value, aux = tape.leave(out), tape.leave(aux)

    def vjp_fn(*cotangents: Any, retain_graph: bool = True, create_graph: bool | None = None) -> Any:
        given = (
            cotangents[0]
            if len(cotangents) == 1
            and not (isinstance(out, tuple) and len(out) == 1 and isinstance(cotangents[0], Tensor))
            else cotangents
        )
        seeds = leaves_like(out, given)
        if seeds is None:
            raise RuntimeError(
                f"Expected pytree structure of cotangents to be the same as pytree structure of outputs "
                f"to the function. cotangents: {form(given)}, primal output: {form(out)}"
            )
        keep = is_grad_enabled()
        with enable_grad():
            found = product(seeds, retain=retain_graph, record=keep)
            found = [tape.level.unwrap(g, keep) for g in found]
        return filled(entered, found)

    return (value, vjp_fn, aux) if has_aux else (value, vjp_fn)


def jvp(func: Callable[..., Any], primals: Any, tangents: Any, *, strict: bool = False, has_aux: bool = False) -> Any:
    """The value of ``func(*primals)`` and its derivative along ``tangents``.

    Args:
        primals, tangents: tuples of the same form.
        strict: whether to raise an error if the value does not depend on a primal, instead of returning zeros.
        has_aux: ``func`` returns ``(value, aux)``.

    Returns:
        ``(value, tangent)``, with ``has_aux`` ``(value, tangent, aux)``.

    Raises:
        RuntimeError: ``primals`` and ``tangents`` are not tuples, or their sizes differ.

    >>> torch.func.jvp(torch.sin, (torch.zeros(2),), (torch.tensor([1.0, 2.0]),))
    (tensor([0., 0.]), tensor([1., 2.]))
    """
    if not isinstance(primals, tuple):
        raise RuntimeError(
            "jvp(f, primals, tangents): Expected primals to be a tuple. E.g. it should be valid to call f(*primals)."
        )
    flat, directions = leaves(primals), leaves_like(primals, tangents)
    if not flat:
        raise RuntimeError("jvp(f, primals, tangents): Expected primals to contain at least one Tensor.")
    for t in flat:
        if not isinstance(t, Tensor):
            raise RuntimeError(f"jvp(f, primals, tangents): Expected primals to only contain Tensors, got {type(t)}")
    if directions is None:
        raise RuntimeError(
            "jvp(f, primals, tangents): Expected primals and tangents to have the same python "
            "structure. For example, if primals is a tuple of 3 tensors, tangents also must be."
        )
    for p, t in zip(flat, directions, strict=True):
        if not isinstance(t, Tensor):
            raise RuntimeError(f"jvp(f, primals, tangents): Expected tangents to only contain Tensors, got {type(t)}")
        if p.shape != t.shape or (t.is_complex() and not p.is_complex()):
            raise RuntimeError(
                "jvp(f, primals, tangents): a tangent has the shape and dtype of its primal, "
                f"{list(p.shape)} and {p.dtype}, got {list(t.shape)} and {t.dtype}"
            )
        if not (p.is_floating_point() or p.is_complex()):
            raise ValueError(f"Expected primal to be floating point or complex, but got: {p.dtype}")
    with DualLevel() as level:
        duals = filled(primals, [level.make_dual(p, t) for p, t in zip(flat, directions, strict=True)])
        out, aux = _parted(func(*duals), has_aux, "jvp(f, primals, tangents)")
        aux = tree_map(lambda t: level.unpack(t)[0] if isinstance(t, Tensor) else t, aux)
        pairs = []
        for o in _results(out, "jvp(f, primals, tangents)"):
            value, tangent = level.unpack(o)
            if tangent is None:
                if strict:
                    raise RuntimeError(
                        "jvp(f, primals, tangents, strict=True): The output of f is independent of the "
                        "inputs. This is not allowed with strict=True."
                    )
                tangent = torch.zeros_like(value)
            pairs.append((value, tangent))
    value, tangent = filled(out, [p[0] for p in pairs]), filled(out, [p[1] for p in pairs])
    return (value, tangent, aux) if has_aux else (value, tangent)


def linearize(func: Callable[..., Any], *primals: Any) -> tuple[Any, Callable[..., Any]]:
    """The value of ``func(*primals)`` and the linear map from tangents to its derivative, for use many times.

    Raises:
        RuntimeError: the function's result is not a tensor.

    >>> value, along = torch.func.linearize(torch.sin, torch.zeros(2))
    >>> along(torch.tensor([1.0, 2.0]))
    tensor([1., 2.])
    """
    for primal in _tensors(primals):
        if not (primal.is_floating_point() or primal.is_complex()):
            raise ValueError(f"Expected primal to be floating point or complex, but got: {primal.dtype}")
    tape = _Tape()
    with tape.level, enable_grad():
        entered = tape.enter(primals)
        inputs = _tensors(
            entered,
        )
        out = func(*entered)
        outputs = _results(out, "linearize(f, *primals)", 0)
        seeds = [tape.level.wrap(torch.zeros_like(o).detach()) for o in outputs]
        live = [(o, s) for o, s in zip(outputs, seeds, strict=True) if o.requires_grad]
        gradients = (
            _grad([o for o, _ in live], inputs, [s for _, s in live], create_graph=True, allow_unused=True)
            if live
            else [None] * len(inputs)
        )
        roots = [None if g is None else edge_of(g) for g in gradients]
        targets = [edge_of(s) for s in seeds]
        value = tape.leave(out)

    def along(*tangents: Any) -> Any:
        directions = leaves_like(primals, tangents)
        if directions is None:
            raise RuntimeError(
                f"linearize: expected tangents of the form of the primals, {form(primals)}, got {form(tangents)}"
            )
        for t, p in zip(directions, inputs, strict=True):
            if t.shape != p.shape or t.dtype is not p.dtype:
                raise RuntimeError(
                    f"linearize: a tangent has the shape and dtype of its primal, {list(p.shape)} and "
                    f"{p.dtype}, got {list(t.shape)} and {t.dtype}"
                )
        rows = [row for row in zip(gradients, roots, directions, strict=True) if row[1] is not None]
        if not rows:
            return tree_map(torch.zeros_like, value)
        deeper = any(depends_on_others(x, tape.level) for g, _, t in rows for x in (g, t))
        with enable_grad() if deeper else no_grad():
            found = _grad(
                [r for _, r, _ in rows],
                targets,
                [t for _, _, t in rows],
                retain_graph=True,
                create_graph=deeper,
                allow_unused=True,
            )
            found = [torch.zeros_like(o) if t is None else t for t, o in zip(found, outputs, strict=True)]
        return filled(out, [tape.level.unwrap(t, tape.keep or deeper) for t in found])

    return value, along
