"""Tracing with assertions: ``assert`` becomes a call of ``torch._assert``, which the graph records."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable
from types import CodeType, FunctionType
from typing import Any

import flambeau_tensor as _torch
from flambeau_fx._symbolic_trace import Tracer
from flambeau_fx.graph import Graph
from flambeau_nn import Module

__all__ = ["RewritingTracer"]

_CHECK = "__fx_assert"  # the name of `torch._assert` in rewritten functions


class _Asserts(ast.NodeTransformer):
    def visit_Assert(self, node: ast.Assert) -> ast.Expr:  # noqa: N802
        message = node.msg or ast.Constant("")
        call = ast.Call(ast.Name(_CHECK, ast.Load()), [node.test, message], [])
        return ast.copy_location(ast.Expr(call), node)


def _rewritten(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function with calls in place of its assertions; the function itself if its source is not there."""
    plain = inspect.unwrap(function)
    try:
        lines, first = inspect.getsourcelines(plain)
        tree = ast.parse(textwrap.dedent("".join(lines)))
    except (OSError, TypeError, SyntaxError):
        return function
    definition = tree.body[0]
    if not isinstance(definition, ast.FunctionDef) or not any(isinstance(n, ast.Assert) for n in ast.walk(definition)):
        return function
    definition.decorator_list = []
    names = plain.__code__.co_freevars
    # A function around it has its free variables, so that they remain free.
    outer = ast.parse(f"def outer({', '.join(names)}):\n    pass")
    outer.body[0].body = [_Asserts().visit(definition)]  # type: ignore[attr-defined]
    ast.increment_lineno(ast.fix_missing_locations(outer), first - 1)
    code: Any = compile(outer, plain.__code__.co_filename, "exec")
    for name in ("outer", plain.__name__):
        code = next(c for c in code.co_consts if isinstance(c, CodeType) and c.co_name == name)
    cells = dict(zip(names, plain.__closure__ or (), strict=True))
    variables = {**plain.__globals__, _CHECK: _torch._assert}
    made = FunctionType(code, variables, plain.__name__, plain.__defaults__, tuple(cells[n] for n in code.co_freevars))
    made.__kwdefaults__, made.__annotations__ = plain.__kwdefaults__, plain.__annotations__
    return made


class RewritingTracer(Tracer):
    """A tracer that records the assertions of a function or of a module's ``forward``.

    >>> def half(x):
    ...     assert x.shape[0] % 2 == 0, "odd"
    ...     return x[: x.shape[0] // 2]
    >>> graph = RewritingTracer().trace(half)
    """

    def trace(self, root: Module | Callable[..., Any], concrete_args: dict[str, Any] | None = None) -> Graph:
        """Trace like `Tracer`, with assertions as nodes."""
        if not isinstance(root, Module):
            return super().trace(_rewritten(root), concrete_args)
        kind = type(root)
        function = _rewritten(kind.forward)
        if function is kind.forward:
            return super().trace(root, concrete_args)
        graph = super().trace(self._with_forward(root, function), concrete_args)
        self.root = root
        return graph

    def _with_forward(self, root: Module, function: Callable[..., Any]) -> Module:
        """Return a module with the parts of `root` and another ``forward``."""
        made: Module = type(root).__new__(type(type(root).__name__, (type(root),), {"forward": function}))
        made.__dict__.update(root.__dict__)
        return made
