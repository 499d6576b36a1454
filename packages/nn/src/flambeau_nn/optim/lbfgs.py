"""The L-BFGS optimizer."""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt
from typing import Any, NamedTuple

from flambeau_autograd import no_grad
from flambeau_nn.optim.optimizer import Optimizer, ParamsT, _check_options, _to_scalar
from flambeau_tensor import Tensor, cat, empty, view_as_real

__all__ = ["LBFGS"]

_ENOUGH, _CURVATURE = 1e-4, 0.9  # of the decrease that the slope promises; of the slope that may remain


class _Point(NamedTuple):
    """A point on the line: its distance, the loss, its gradient, and the slope along the line."""

    t: float
    f: float
    grad: Tensor
    slope: float


def _lowest(a: _Point, b: _Point, bounds: tuple[float, float] | None = None) -> float:
    """Return the minimum, within the bounds, of the cubic with the values and slopes of two points."""
    low, high = bounds or (min(a.t, b.t), max(a.t, b.t))
    if a.t == b.t:
        return a.t
    d1 = a.slope + b.slope - 3 * (a.f - b.f) / (a.t - b.t)
    square = d1**2 - a.slope * b.slope
    if square >= 0:
        d2 = sqrt(square)
        if a.t > b.t:
            a, b = b, a
        divisor = b.slope - a.slope + 2 * d2
        if divisor != 0:
            return min(max(b.t - (b.t - a.t) * ((b.slope + d2 - d1) / divisor), low), high)
    return (low + high) / 2.0


def _cubic_interpolate(
    x1: float, f1: float, g1: float, x2: float, f2: float, g2: float, bounds: tuple[float, float] | None = None
) -> float:
    """`_lowest` of numbers, by PyTorch's name, which packages import."""
    none = empty(0)
    return _lowest(_Point(x1, f1, none, g1), _Point(x2, f2, none, g2), bounds)


def _strong_wolfe(
    obj_func: Callable[[Any, float, Tensor], tuple[float, Tensor]],
    x: Any,
    t: float,
    d: Tensor,
    f: float,
    g: Tensor,
    gtd: Any,
    c1: float = _ENOUGH,
    c2: float = _CURVATURE,
    tolerance_change: float = 1e-9,
    max_ls: int = 25,
) -> tuple[float, Tensor, float, int]:
    """`_search` with the arguments and results of PyTorch's, which packages import."""

    def at(t: float) -> _Point:
        value, gradient = obj_func(x, t, d)
        return _Point(t, value, gradient, gradient.dot(d).item())

    start = _Point(0.0, f, g, float(gtd))
    point, calls = _search(at, t, start, d.abs().max().item(), tolerance_change, max_ls, c1, c2)
    return point.f, point.grad, point.t, calls


def _search(
    at: Callable[[float], _Point],
    t: float,
    start: _Point,
    longest: float,
    tolerance: float,
    most: int,
    enough: float = _ENOUGH,
    curvature: float = _CURVATURE,
) -> tuple[_Point, int]:
    """Return a point on the line that satisfies the strong Wolfe conditions, and the number of evaluations.

    Args:
        at: evaluates the point at a distance.
        t: the first distance to try.
        start: the point at 0.
        longest: the largest component of the direction.
        tolerance: brackets shorter than this are not divided further.
        most: the greatest number of points after the first.
        enough: of the decrease that the slope promises.
        curvature: of the slope that may remain.

    Source: J. Nocedal and S. J. Wright, Numerical optimization, 2nd edition, algorithms 3.5 and 3.6.
    """

    def too_high(point: _Point) -> bool:
        return point.f > start.f + enough * point.t * start.slope

    def flat(point: _Point) -> bool:
        return abs(point.slope) <= -curvature * start.slope

    bracket, before, here, n = None, start, at(t), 0
    while n < most:
        if too_high(here) or (n > 1 and here.f >= before.f):
            bracket = [before, here]
            break
        if flat(here):
            return here, n + 1
        if here.slope >= 0:
            bracket = [before, here]
            break
        t = _lowest(before, here, (here.t + 0.01 * (here.t - before.t), here.t * 10))
        before, here = here, at(t)
        n += 1
    if bracket is None:
        bracket = [start, here]
    stuck = False
    low, high = (0, 1) if bracket[0].f <= bracket[1].f else (1, 0)
    while n < most and abs(bracket[1].t - bracket[0].t) * longest >= tolerance:
        left, right = sorted((bracket[0].t, bracket[1].t))
        t = _lowest(bracket[0], bracket[1])
        margin = 0.1 * (right - left)
        if min(right - t, t - left) < margin:  # twice in a row so near to an end: a tenth away from it
            if stuck or t >= right or t <= left:
                t = right - margin if abs(t - right) < abs(t - left) else left + margin
                stuck = False
            else:
                stuck = True
        else:
            stuck = False
        here = at(t)
        n += 1
        if too_high(here) or here.f >= bracket[low].f:
            bracket[high] = here
            low, high = (0, 1) if bracket[0].f <= bracket[1].f else (1, 0)
        else:
            if flat(here):
                return here, n + 1
            if here.slope * (bracket[high].t - bracket[low].t) >= 0:
                bracket[high] = bracket[low]
            bracket[low] = here
    return bracket[low], n + 1


class LBFGS(Optimizer):
    """Newton's method with the second derivatives estimated from the last gradients.

    ``step`` needs a closure, which computes the loss and its gradients, and calls it several times. All parameters
    are one group.

    Args:
        params: the parameters, see :class:`Optimizer`.
        lr: the step size; with a line search, the first one that it tries.
        max_iter: the maximum number of iterations per step.
        max_eval: the maximum number of calls of the closure per step; by default 1.25 times `max_iter`.
        tolerance_grad: stop when no gradient is larger.
        tolerance_change: stop when neither loss nor a parameter changes by more.
        history_size: the number of gradients that are stored.
        line_search_fn: None or "strong_wolfe".

    Raises:
        ValueError: an option is out of its range, or there is more than one group.
        RuntimeError: by ``step``: the line search is unknown.

    Source: D. C. Liu and J. Nocedal, On the limited memory BFGS method for large scale optimization, Math. Program. 45,
    1989.

    >>> import flambeau_tensor as ft
    >>> p = ft.tensor([3.0, -2.0], requires_grad=True)
    >>> optimizer = LBFGS([p], line_search_fn="strong_wolfe")
    >>> def closure():
    ...     optimizer.zero_grad()
    ...     loss = ((p - ft.tensor([1.0, 5.0])) ** 2).sum()
    ...     loss.backward()
    ...     return loss
    >>> optimizer.step(closure)
    tensor(53., grad_fn=<SumBackward0>)
    >>> p
    tensor([1.0000, 5.0000], requires_grad=True)
    """

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 1,
        max_iter: int = 20,
        max_eval: int | None = None,
        tolerance_grad: float = 1e-7,
        tolerance_change: float = 1e-9,
        history_size: int = 100,
        line_search_fn: str | None = None,
    ) -> None:
        _check_options(lr)
        super().__init__(
            params,
            {
                "lr": lr,
                "max_iter": max_iter,
                "max_eval": max_iter * 5 // 4 if max_eval is None else max_eval,
                "tolerance_grad": tolerance_grad,
                "tolerance_change": tolerance_change,
                "history_size": history_size,
                "line_search_fn": line_search_fn,
            },
        )
        if len(self.param_groups) != 1:
            raise ValueError("LBFGS doesn't support per-parameter options (parameter groups)")

    @property
    def _params(self) -> list[Tensor]:
        return self.param_groups[0]["params"]

    def _gradient(self) -> Tensor:
        """All gradients as one vector."""
        parts = []
        for p in self._params:
            part = (
                p.new_zeros(p.numel())
                if p.grad is None
                else (p.grad.to_dense() if p.grad.is_sparse else p.grad).reshape(-1)  # type: ignore[attr-defined]
            )
            parts.append(view_as_real(part).view(-1) if part.is_complex() else part)
        return cat(parts, 0)

    def _move(self, t: float, direction: Tensor) -> None:
        offset = 0
        for p in self._params:
            real = view_as_real(p) if p.is_complex() else p
            n = real.numel()
            real.add_(direction[offset : offset + n].view_as(real), alpha=t)
            offset += n

    def step(self, closure: Callable[[], Any]) -> Any:  # type: ignore[override]  # needs its closure
        """Update the parameters; ``closure`` clears gradients, computes the loss, calls ``backward``, returns it."""
        with no_grad():
            return self._minimize(lambda: self._evaluate(closure))

    def _direction(self, state: dict[str, Any], grad: Tensor, history: int) -> Tensor:
        """Minus the gradient times the estimated inverse of the second derivatives (the two loops of L-BFGS)."""
        if state["n_iter"] == 1:
            state.update(old_dirs=[], old_stps=[], ro=[], H_diag=1)
            return grad.neg()
        changes, steps, ro = state["old_dirs"], state["old_stps"], state["ro"]
        y = grad.sub(state["prev_flat_grad"])
        s = state["d"].mul(state["t"])
        ys = y.dot(s)
        if ys > 1e-10:
            if len(changes) == history:
                for memory in (changes, steps, ro):
                    memory.pop(0)
            changes.append(y)
            steps.append(s)
            ro.append(1.0 / ys)
            state["H_diag"] = ys / y.dot(y)
        al = state.setdefault("al", [None] * history)
        q = grad.neg()
        for i in range(len(changes) - 1, -1, -1):
            al[i] = steps[i].dot(q) * ro[i]
            q.add_(changes[i], alpha=-al[i].item())
        r = q.mul(state["H_diag"])
        for i in range(len(changes)):
            r.add_(steps[i], alpha=(al[i] - changes[i].dot(r) * ro[i]).item())
        return r

    def _minimize(self, closure: Callable[[], Any]) -> Any:
        group = self.param_groups[0]
        state = self.state[self._params[0]]
        if len(self.param_groups) != 1:
            raise AssertionError(f"Expected exactly one param_group, but got {len(self.param_groups)}")
        fresh = "d" not in state
        state.setdefault("func_evals", 0)
        state.setdefault("n_iter", 0)
        first = closure()
        loss, evaluations = float(first), 1
        state["func_evals"] += 1
        grad = self._gradient()
        small = grad.abs().max() <= group["tolerance_grad"]
        for n in range(1, group["max_iter"] + 1):
            if small:
                break
            state["n_iter"] += 1
            d = state["d"] = self._direction(state, grad, group["history_size"])
            if state.get("prev_flat_grad") is None:
                state["prev_flat_grad"] = grad.clone()
            else:
                state["prev_flat_grad"].copy_(grad)
            before = state["prev_loss"] = loss
            t = _to_scalar(group["lr"])
            state["t"] = t if state["n_iter"] != 1 else min(1.0, 1.0 / grad.abs().sum()) * t
            t = float(state["t"])
            slope = grad.dot(d).item()
            if slope > -group["tolerance_change"]:
                break
            calls = 0
            if group["line_search_fn"] is None:
                self._move(t, d)
                if n != group["max_iter"]:
                    loss, grad, calls = float(closure()), self._gradient(), 1
            elif group["line_search_fn"] == "strong_wolfe":
                start = _Point(0.0, loss, grad, slope)
                point, calls = _search(
                    self._line(closure, d),
                    t,
                    start,
                    d.abs().max().item(),
                    1e-9,
                    group["max_eval"] - evaluations,
                )
                loss, grad = point.f, point.grad
                if point.t != t:
                    t = state["t"] = point.t
                self._move(t, d)
            else:
                raise RuntimeError("only 'strong_wolfe' is supported")
            small = grad.abs().max() <= group["tolerance_grad"]
            evaluations += calls
            state["func_evals"] += calls
            change = group["tolerance_change"]
            if evaluations >= group["max_eval"] or d.mul(t).abs().max() <= change or abs(loss - before) < change:
                break
        if fresh:  # in the order of PyTorch's state
            for name in ("d", "t", "old_dirs", "old_stps", "ro", "H_diag", "prev_flat_grad", "prev_loss"):
                if name in state:
                    state[name] = state.pop(name)
        return first

    def _line(self, closure: Callable[[], Any], d: Tensor) -> Callable[[float], _Point]:
        """The function from a distance along `d` to the point there."""
        origin = [p.clone() for p in self._params]

        def at(t: float) -> _Point:
            self._move(t, d)
            f = float(closure())
            grad = self._gradient()
            for p, value in zip(self._params, origin, strict=True):
                p.copy_(value)
            return _Point(t, f, grad, grad.dot(d).item())

        return at
