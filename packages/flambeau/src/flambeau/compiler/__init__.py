"""``torch.compile`` and ``torch.compiler``: functions, modules and training steps as C code, by flambeau-compile.

>>> import flambeau as torch
>>> @torch.compile(fullgraph=True)
... def double(x):
...     return 2 * x
>>> double(torch.ones(2))
tensor([2., 2.])
"""

import functools
from collections.abc import Callable, Sequence
from contextlib import ContextDecorator
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, Self, TypeVar

import flambeau_compile
from flambeau_compile import explain as explain
from flambeau_compile import is_compiling as is_compiling
from flambeau_compile import reset as reset
from flambeau_tensor.extend import trace_event
from flambeau_tensor.lazy_attributes import attach as _attach

if TYPE_CHECKING:
    from flambeau_compile.exporting import ExportError as ExportError
    from flambeau_compile.exporting import export_c as export_c
    from flambeau_compile.exporting import export_wasm as export_wasm

F = TypeVar("F", bound=Callable[..., Any])

__all__ = [
    "ExportError",
    "allow_in_graph",
    "assume_constant_result",
    "compile",
    "cudagraph_mark_step_begin",
    "disable",
    "explain",
    "export_c",
    "export_wasm",
    "get_default_backend",
    "is_compiling",
    "is_dynamo_compiling",
    "is_exporting",
    "list_backends",
    "nested_compile_region",
    "reset",
    "set_default_backend",
    "set_stance",
    "substitute_in_graph",
    "wrap_numpy",
]


def _same(fn):
    return fn


@functools.wraps(flambeau_compile.compile)
def compile(model: Callable[..., Any] | None = None, **options: Any) -> Any:
    if not callable(options.get("backend")):
        return flambeau_compile.compile(model, **options)
    if model is None:
        return lambda function: compile(function, **options)
    from flambeau.compiler.backends import by_backend

    return by_backend(model, options["backend"])


def disable(fn: Any = None, recursive: bool = True, *, reason: str | None = None) -> Any:
    """Exclude a function from compilation: a compiled function that calls it runs in Python.

    Args:
        fn: the function or module; if omitted, a decorator is returned.
        recursive: without effect: functions that it calls are not compiled, either.
        reason: the reason that `torch.compiler.explain` shows.

    Raises:
        AssertionError: the argument is not a function.

    >>> @disable
    ... def shown(x):
    ...     print(x)
    >>> shown(torch.ones(1))
    tensor([1.])
    """
    if fn is None:
        return functools.partial(disable, recursive=recursive, reason=reason)
    if not callable(fn):
        raise AssertionError("fn must be callable")

    @functools.wraps(fn, updated=())
    def disabled(*args: Any, **kwargs: Any) -> Any:
        name = getattr(fn, "__qualname__", type(fn).__name__)
        why = f": {reason}" if reason else ""
        trace_event(("refuse", f"it calls {name}, which torch.compiler.disable excludes{why}"))
        return fn(*args, **kwargs)

    return disabled


def allow_in_graph(fn: F) -> F:
    """The function itself, or the functions of a list.

    Raises:
        AssertionError: an argument is not a function.

    >>> allow_in_graph(len) is len
    True
    """
    if not all(map(callable, fn if isinstance(fn, (list, tuple)) else (fn,))):
        raise AssertionError("allow_in_graph expects a callable")
    return fn


def assume_constant_result(fn: F) -> F:
    """The function itself.

    >>> assume_constant_result(len) is len
    True
    """
    return fn


def nested_compile_region(fn: Any = None, *args: Any, **kwargs: Any) -> Any:
    """Return the function unchanged, or a decorator that does so.

    >>> nested_compile_region(len) is len
    True
    """
    return _same if fn is None else fn


def wrap_numpy(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that converts tensors to NumPy arrays for ``fn``, and its arrays to tensors.

    Raises:
        TypeError: the argument is not callable; raised by the call.

    >>> @wrap_numpy
    ... def twice(x):
    ...     return x + x
    >>> twice(torch.ones(2))
    tensor([2., 2.])
    """
    from functools import wraps

    import numpy as np

    import flambeau_tensor as torch
    from flambeau_autograd.pytree import tree_map

    @wraps(fn)
    def wrapper(*args, **kwargs):
        args, kwargs = tree_map(lambda x: x.numpy() if isinstance(x, torch.Tensor) else x, (args, kwargs))
        return tree_map(lambda x: torch.as_tensor(x) if isinstance(x, np.ndarray) else x, fn(*args, **kwargs))

    return wrapper


def substitute_in_graph(
    original_fn: Callable[..., Any], *, can_constant_fold_through: bool = False, skip_signature_check: bool = False
) -> Callable[[F], F]:
    """Return a decorator that returns its argument.

    Raises:
        TypeError: the original is not a function.

    >>> @substitute_in_graph(len)
    ... def length(x):
    ...     return x.__len__()
    >>> length([1, 2])
    2
    """
    if not callable(original_fn):
        raise TypeError(f"substitute_in_graph expects a function but got {type(original_fn)!r}")
    return _same


def is_dynamo_compiling() -> bool:
    """Return True if this thread is tracing a function, as `is_compiling`.

    >>> is_dynamo_compiling()
    False
    """
    return is_compiling()


def is_exporting() -> bool:
    """False.

    >>> is_exporting()
    False
    """
    return False


def cudagraph_mark_step_begin() -> None:
    """Does nothing.

    >>> cudagraph_mark_step_begin()
    """


def list_backends(exclude_tags: Sequence[str] = ("debug", "experimental")) -> list[str]:
    """The names that ``torch.compile(backend=…)`` accepts.

    >>> list_backends()
    ['inductor']
    """
    return ["inductor"]


def get_default_backend() -> str:
    """Return ``"inductor"``, which generates C code in flambeau.

    >>> get_default_backend()
    'inductor'
    """
    return "inductor"


def set_default_backend(backend: Any) -> None:
    """Does nothing.

    >>> set_default_backend("eager")
    """


class set_stance(ContextDecorator):  # noqa: N801
    """Set how compiled functions are called, permanently or, as a context or decorator, temporarily.

    Args:
        stance: ``"default"``; ``"force_eager"``: without compiling; ``"eager_on_recompile"``: without compiling if no
            existing program fits; ``"fail_on_recompile"``: raise an error in that case.
        skip_guard_eval_unsafe, force_backend: have no effect.

    Raises:
        RuntimeError: the stance is unknown.

    >>> with set_stance("force_eager"):
    ...     print(torch.compile(lambda x: x + 1)(torch.ones(2)))
    tensor([2., 2.])
    """

    def __init__(
        self, stance: str = "default", *, skip_guard_eval_unsafe: bool = False, force_backend: Any = None
    ) -> None:
        self.stance = stance
        self._before = flambeau_compile.set_stance(stance)

    def __call__(self, function: F) -> F:
        """The function, called in this stance."""
        flambeau_compile.set_stance(self._before)
        return super().__call__(function)

    def __enter__(self) -> Self:
        before = flambeau_compile.set_stance(self.stance)
        if before != self.stance:
            self._before = before
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> Literal[False]:
        flambeau_compile.set_stance(self._before)
        return False


_names = dict.fromkeys(("ExportError", "export_c", "export_wasm"), "flambeau_compile.exporting")
__getattr__, __dir__ = _attach(__name__, "torch.compiler", _names, unlisted=True)
