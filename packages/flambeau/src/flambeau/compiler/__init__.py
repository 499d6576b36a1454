"""``torch.compile`` and ``torch.compiler``: there is no compiler, so a function or a module is run as it is.

>>> import flambeau as torch
>>> @torch.compile(fullgraph=True)
... def double(x):
...     return 2 * x
>>> double(torch.ones(2))
tensor([2., 2.])
"""

from collections.abc import Callable, Sequence
from contextlib import ContextDecorator
from types import TracebackType
from typing import Any, Literal, Self, TypeVar

F = TypeVar("F", bound=Callable[..., Any])

__all__ = [
    "allow_in_graph",
    "assume_constant_result",
    "compile",
    "cudagraph_mark_step_begin",
    "disable",
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


def compile(
    model: Callable[..., Any] | None = None,
    *,
    fullgraph: bool = False,
    dynamic: bool | None = None,
    backend: Any = None,
    mode: str | None = None,
    options: dict[str, Any] | None = None,
    name: str | None = None,
    disable: bool = False,
    recompile_limit: int | None = None,
    isolate_recompiles: bool = False,
    shapes_spec: Any = None,
) -> Any:
    """The function or module itself; without one, a decorator that returns what it is given.

    Args:
        model: what to run as it is.
        fullgraph, dynamic, backend, mode, options, name, disable, recompile_limit, isolate_recompiles, shapes_spec:
            without effect.

    Raises:
        RuntimeError: both ``mode`` and ``options`` are given.
        AssertionError: `model` cannot be called.

    >>> @compile
    ... def twice(x):
    ...     return x + x
    >>> twice(torch.ones(2))
    tensor([2., 2.])
    """
    if mode is not None and options is not None:
        raise RuntimeError("Either mode or options can be specified, but both can't be specified at the same time.")
    if model is None:
        return _same
    if not callable(model):
        raise AssertionError(f"A callable function is expected, but {type(model)} is provided.")
    return model


def _same(fn):
    return fn


def disable(fn: Any = None, recursive: bool = True, *, reason: str | None = None) -> Any:
    """The function itself, or a decorator that returns what it is given.

    Raises:
        AssertionError: it is no function.

    >>> disable(len) is len
    True
    """
    if fn is not None and not callable(fn):
        raise AssertionError("fn must be callable")
    return _same if fn is None else fn


def allow_in_graph(fn: F) -> F:
    """The function itself, or the functions of a list.

    Raises:
        AssertionError: one of them is no function.

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
    """The function itself, or a decorator that returns what it is given.

    >>> nested_compile_region(len) is len
    True
    """
    return _same if fn is None else fn


def wrap_numpy(fn: Callable[..., Any]) -> Callable[..., Any]:
    """A function that is given tensors and hands NumPy arrays to ``fn``, and returns tensors for its arrays.

    Raises:
        TypeError: what is wrapped is not callable; when it is called.

    >>> @wrap_numpy
    ... def twice(x):
    ...     return x + x
    >>> twice(torch.ones(2))
    tensor([2., 2.])
    """
    from functools import wraps

    import numpy as np

    import flambeau_tensor as torch
    from flambeau_autograd.trees import tree_map

    @wraps(fn)
    def wrapper(*args, **kwargs):
        args, kwargs = tree_map(lambda x: x.numpy() if isinstance(x, torch.Tensor) else x, (args, kwargs))
        return tree_map(lambda x: torch.as_tensor(x) if isinstance(x, np.ndarray) else x, fn(*args, **kwargs))

    return wrapper


def substitute_in_graph(
    original_fn: Callable[..., Any], *, can_constant_fold_through: bool = False, skip_signature_check: bool = False
) -> Callable[[F], F]:
    """A decorator that returns what it is given.

    Raises:
        TypeError: what it stands for is no function.

    >>> @substitute_in_graph(len)
    ... def length(x):
    ...     return x.__len__()
    >>> length([1, 2])
    2
    """
    if not callable(original_fn):
        raise TypeError(f"substitute_in_graph expects a function but got {type(original_fn)!r}")
    return _same


def is_compiling() -> bool:
    """False.

    >>> is_compiling()
    False
    """
    return False


def is_dynamo_compiling() -> bool:
    """False.

    >>> is_dynamo_compiling()
    False
    """
    return False


def is_exporting() -> bool:
    """False.

    >>> is_exporting()
    False
    """
    return False


def reset() -> None:
    """Does nothing: nothing was compiled.

    >>> reset()
    """


def cudagraph_mark_step_begin() -> None:
    """Does nothing.

    >>> cudagraph_mark_step_begin()
    """


def list_backends(exclude_tags: Sequence[str] = ("debug", "experimental")) -> list[str]:
    """An empty list.

    >>> list_backends()
    []
    """
    return []


def get_default_backend() -> str:
    """``"eager"``: the function as it is.

    >>> get_default_backend()
    'eager'
    """
    return "eager"


def set_default_backend(backend: Any) -> None:
    """Does nothing.

    >>> set_default_backend("eager")
    """


class set_stance(ContextDecorator):  # noqa: N801
    """A call, ``with`` block or decorator that says how to compile, without effect.

    >>> with set_stance("force_eager"):
    ...     print(torch.ones(2) + 1)
    tensor([2., 2.])
    """

    def __init__(
        self, stance: str = "default", *, skip_guard_eval_unsafe: bool = False, force_backend: Any = None
    ) -> None:
        self.stance = stance

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> Literal[False]:
        return False


def __getattr__(name: str) -> Any:
    from flambeau_tensor.not_built import left_out

    raise left_out("torch.compiler", name)
