"""Kernels that users register for operators of the library: ``Library("aten", "IMPL").impl("sum", f, "CPU")``.

A call of `torch.sum` is a call of one overload of ``torch.ops.aten.sum``, which its Form determines. The user's kernel
for that overload replaces the library's, below recording and overrides; other overloads are not affected.
"""

from collections.abc import Callable
from typing import Any

from flambeau_cext.dispatch.forms import behind, forms_of
from flambeau_tensor.extend import FUNCTION, Operator, dispatching, run_kernel


class Replacement:
    """The function that an operator runs while users have given kernels for some of its overloads."""

    def __init__(self, op: Operator) -> None:
        self.op, self.kernel, self.composite = op, op.implementation, op.is_composite
        self.differentiable = op.records
        self.given: list[tuple[Operator, Callable[..., Any]]] = []  # (overload, kernel), the latest at the end
        self.original = Operator(
            op.schema.text, self.kernel, namespace="torch.ops.flambeau.replaced", variants=FUNCTION,
            composite=self.composite, numbers=op.numbers, differentiable=False, doc=op.__doc__,
        )  # fmt: skip

    def __call__(self, *slots: Any) -> Any:
        for form in forms_of(self.op):
            for overload, function in reversed(self.given):
                if form.func.target is overload:
                    call = form.given(*slots)
                    if call is not None:
                        return dispatching.results(self.op, function(*call[0], **call[1]))
        return run_kernel(self.original, *slots)


_replacements: dict[Operator, Replacement] = {}


def replaced(overload: Operator) -> Operator:
    """Return the operator of the library that an overload of ``torch.ops.aten`` calls.

    Raises:
        NotImplementedError: the overload calls it with additional arguments.
    """
    op = behind(overload)
    if op is None or op.namespace.startswith("torch.ops."):
        raise NotImplementedError(f"{overload.__torch_name__}: a kernel cannot be given to this operator")
    return op


def replace(overload: Operator, function: Callable[..., Any]) -> None:
    """Let a function compute the calls of an overload from now on."""
    op = replaced(overload)
    found = _replacements.get(op)
    if found is None:  # it stays after `restore`, because its operator cannot be declared again
        found = _replacements[op] = Replacement(op)
    if not found.given:
        op.implement(found, composite=found.composite, differentiable=found.differentiable)
    found.given.append((overload, function))


def restore(overload: Operator, function: Callable[..., Any]) -> None:
    """Remove a function; when the last one is removed, the operator has its original kernel again."""
    op = replaced(overload)
    found = _replacements.get(op)
    if found is None or (overload, function) not in found.given:
        return
    found.given.remove((overload, function))
    if not found.given:
        op.implement(found.kernel, composite=found.composite, differentiable=found.differentiable)
