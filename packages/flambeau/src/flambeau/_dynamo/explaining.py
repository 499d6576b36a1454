"""``torch._dynamo.explain``."""

import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

from flambeau_compile.api import Function


class ExplainOutput(NamedTuple):
    """The result of `explain`.

    Args:
        graphs: the C code of each program.
        graph_count: how many programs there are, 0 or 1.
        graph_break_count: the number of graph breaks: 0, since a function is compiled whole or not at all.
        break_reasons: why it is not compiled.
        op_count: the number of steps of the program.
        ops_per_graph: the kernels that each program calls.
        out_guards, compile_times: empty.
    """

    graphs: list[str]
    graph_count: int
    graph_break_count: int
    break_reasons: list[str]
    op_count: int
    ops_per_graph: list[list[str]]
    out_guards: list[Any]
    compile_times: str

    def __str__(self) -> str:
        lines = [f"Graph Count: {self.graph_count}", f"Graph Break Count: {self.graph_break_count}"]
        lines += [f"Op Count: {self.op_count}", "Break Reasons:"]
        lines += [f"  Break Reason {i}:\n    {reason}" for i, reason in enumerate(self.break_reasons, 1)]
        lines.append("Ops per Graph:")
        for i, names in enumerate(self.ops_per_graph, 1):
            lines += [f"  Ops {i}:", *(f"    {name}" for name in names)]
        return "\n".join(lines)


def explain(f: Callable[..., Any], *extra_args: Any, **extra_kwargs: Any) -> Any:
    """Return a function that calls `f` once, compiled, and returns an `ExplainOutput`.

    >>> import flambeau as torch
    >>> found = torch._dynamo.explain(lambda x: x.sin() + 1)(torch.ones(2))
    >>> found.graph_count, found.op_count, found.break_reasons
    (1, 2, [])
    """

    def inner(*args: Any, **kwargs: Any) -> ExplainOutput:
        about = Function(getattr(f, "_torchdynamo_orig_callable", f), fullgraph=False, fast=False, limit=None)
        compiled = about.compiled
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for _ in range(3):  # if something changes only in the first call, the function is traced again
                compiled(*args, **kwargs)
                if compiled.entries:
                    break
        entry = compiled.entries[0] if compiled.entries else None
        if entry is None or entry.eager:
            reason = about.events[-1].partition(": ")[2]
            return ExplainOutput([], 0, 0, [reason], 0, [], [], "")
        made = entry.about
        return ExplainOutput([made["source"]], 1, 0, [], made["steps"], [sorted(made["kernels"])], [], "")

    return inner(*extra_args, **extra_kwargs) if extra_args or extra_kwargs else inner
