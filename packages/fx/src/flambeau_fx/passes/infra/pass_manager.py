"""Runs passes in order and checks constraints of their order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

from flambeau_fx.graph_module import GraphModule
from flambeau_fx.passes.infra.pass_base import PassResult

__all__ = ["PassManager", "pass_result_wrapper", "this_before_that_pass_constraint"]


def pass_result_wrapper(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Convert a function that changes programs in place to one that returns a `PassResult`.

    Raises:
        TypeError: the argument is not callable; raised by the call.

    >>> from flambeau_fx import symbolic_trace
    >>> pass_result_wrapper(lambda gm: None)(symbolic_trace(lambda x: x)).modified
    True
    """
    if fn is None:
        return None

    @wraps(fn)
    def wrapped(gm: GraphModule) -> PassResult:
        result = fn(gm)
        return result if isinstance(result, PassResult) else PassResult(gm if result is None else result, True)

    return wrapped


def this_before_that_pass_constraint(this: Callable[..., Any], that: Callable[..., Any]) -> Callable[..., bool]:
    """Return a constraint of a `PassManager`: one pass must run before another.

    >>> this_before_that_pass_constraint(len, str)(str, len)
    False
    """

    def holds(a: Callable[..., Any], b: Callable[..., Any]) -> bool:
        return not (a == that and b == this)

    return holds


class PassManager:
    """Runs passes on a program, until none changes it, or `steps` times.

    Args:
        passes: `PassBase` objects, or functions that return a `PassResult`.
        constraints: functions of two passes: whether the first may come before the second.
        steps: the maximum number of rounds. Default: one.
        run_checks_after_each_pass: whether functions from `add_checks` check the program after each pass, too.
        suppress_check_failures: whether a reordering that breaks constraints is allowed.

    Raises:
        RuntimeError: a constraint is broken, or a pass does not return a `PassResult`.

    >>> import flambeau_tensor as torch
    >>> from flambeau_fx import symbolic_trace
    >>> def no_relu(gm):
    ...     found = gm.graph.find_nodes(op="call_function", target=torch.relu)
    ...     for node in found:
    ...         node.target = torch.tanh
    ...     gm.recompile()
    ...     return PassResult(gm, bool(found))
    >>> result = PassManager([no_relu])(symbolic_trace(lambda x: torch.relu(x)))
    >>> result.modified, result.graph_module(torch.zeros(1))
    (True, tensor([0.]))
    """

    def __init__(
        self,
        passes: Sequence[Callable[..., Any]] | None = None,
        constraints: Sequence[Callable[..., bool]] | None = None,
        steps: int | None = None,
        run_checks_after_each_pass: bool = False,
        suppress_check_failures: bool = False,
    ) -> None:
        self.passes, self.constraints = list(passes or ()), list(constraints or ())
        self.steps = 1 if steps is None else steps
        self.run_checks_after_each_pass = run_checks_after_each_pass
        self.suppress_check_failures = suppress_check_failures
        self._checks: list[Callable[..., Any]] = []

    def add_pass(self, _pass: Callable[..., Any]) -> None:
        """Add a pass."""
        self.passes.append(_pass)

    def add_constraint(self, constraint: Callable[..., bool]) -> None:
        """Add a constraint."""
        self.constraints.append(constraint)

    def add_checks(self, check: Callable[..., Any]) -> None:
        """Add a function that is called with the program at the end, and raises an error if something is wrong."""
        self._checks.append(check)

    def validate_constraints(self) -> None:
        """Raise if the order of the passes breaks a constraint."""
        for constraint in self.constraints:
            for i, this in enumerate(self.passes):
                for that in self.passes[i + 1 :]:
                    if not constraint(this, that) and not self.suppress_check_failures:
                        raise RuntimeError(f"pass schedule constraint violated. Expected {that} before {this}")

    def check(self, module: GraphModule) -> None:
        """Call the functions from `add_checks`."""
        for check in self._checks:
            check(module)

    def __call__(self, module: GraphModule) -> PassResult:
        self.validate_constraints()
        self.check(module)
        changed = False
        for _ in range(self.steps):
            again = False
            for one in self.passes:
                result = one(module)
                if not isinstance(result, PassResult):
                    raise TypeError(f"The result of the pass {one} should be type PassResult, got {type(result)}")
                module, again = result.graph_module, again or result.modified
                if self.run_checks_after_each_pass:
                    self.check(module)
            changed = changed or again
            if not again:
                break
        return PassResult(module, changed)
