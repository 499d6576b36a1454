"""``torch.jit``: there is no TorchScript. What is scripted or traced is the Python that was given, and runs as such.

>>> import flambeau as torch
>>> @torch.jit.script
... def double(x):
...     return 2 * x
>>> double(torch.ones(2))
tensor([2., 2.])
"""

from contextlib import contextmanager
from typing import Any, Final, NamedTuple

from flambeau_nn import Module

__all__ = [
    "Attribute",
    "CompilationUnit",
    "Error",
    "Final",
    "Future",
    "RecursiveScriptModule",
    "ScriptFunction",
    "ScriptModule",
    "TracerWarning",
    "TopLevelTracedModule",
    "annotate",
    "enable_onednn_fusion",
    "export",
    "fork",
    "freeze",
    "ignore",
    "interface",
    "is_scripting",
    "is_tracing",
    "isinstance",
    "onednn_fusion_enabled",
    "optimize_for_inference",
    "optimized_execution",
    "script",
    "script_if_tracing",
    "script_method",
    "set_fusion_strategy",
    "strict_fusion",
    "trace",
    "trace_module",
    "unused",
    "wait",
]

_isinstance = isinstance


class Error(RuntimeError):
    """An error of TorchScript; never raised here."""


class TracerWarning(Warning):
    """A warning of PyTorch's tracer; never given here, as tracing keeps the Python."""

    @staticmethod
    def ignore_lib_warnings():
        """Does nothing."""


class ScriptModule(Module):
    """A module whose methods are TorchScript in PyTorch; a module as any other here."""


class RecursiveScriptModule(ScriptModule):
    """What PyTorch makes of a module that it scripts. `script` returns the module itself, so nothing is an instance."""


class TopLevelTracedModule(ScriptModule):
    """What PyTorch makes of a module that it traces. `trace` returns the module itself, so nothing is an instance."""


class ScriptFunction:
    """What PyTorch makes of a function that it scripts. `script` returns the function, so nothing is an instance."""

    def __init__(self, *args, **kwargs):
        raise TypeError("torch.jit.script returns functions as they are; there is no ScriptFunction to be made")


class CompilationUnit:
    """What holds TorchScript in PyTorch, which cannot be made here."""

    def __init__(self, *args, **kwargs):
        raise NotImplementedError("torch.jit.CompilationUnit is not built: there is no TorchScript")


class Attribute(NamedTuple):
    """A value with its type. PyTorch unwraps it in a ScriptModule; it stays what it is here.

    >>> Attribute(3, int).value
    3
    """

    value: Any
    type: Any


def script(obj, optimize=None, _frames_up=0, _rcb=None, example_inputs=None):
    """The function, module or class itself.

    >>> @script
    ... def twice(x):
    ...     return x + x
    >>> twice(torch.ones(2))
    tensor([2., 2.])
    """
    return obj


def trace(
    func,
    example_inputs=None,
    optimize=None,
    check_trace=True,
    check_inputs=None,
    check_tolerance=1e-5,
    strict=True,
    _force_outplace=False,
    _module_class=None,
    _compilation_unit=None,
    example_kwarg_inputs=None,
    _store_inputs=True,
):
    """The function or module itself, after it ran on the example inputs, so that errors show.

    Other than a trace it takes every branch of the Python for what it is then given.

    >>> trace(torch.nn.ReLU(), torch.ones(2))(torch.tensor([-1.0, 2.0]))
    tensor([0., 2.])
    """
    from flambeau_autograd import no_grad

    if example_inputs is None:
        args = ()
    elif _isinstance(example_inputs, (tuple, list)):
        args = tuple(example_inputs)
    else:
        args = (example_inputs,)
    if args or example_kwarg_inputs:
        with no_grad():
            func(*args, **(example_kwarg_inputs or {}))
    return func


def trace_module(
    mod,
    inputs,
    optimize=None,
    check_trace=True,
    check_inputs=None,
    check_tolerance=1e-5,
    strict=True,
    _force_outplace=False,
    _module_class=None,
    _compilation_unit=None,
    example_inputs_is_kwarg=False,
    _store_inputs=True,
):
    """The module itself, after each method that ``inputs`` names ran on what it gives.

    >>> trace_module(torch.nn.ReLU(), {"forward": torch.ones(2)})(torch.tensor([-1.0, 2.0]))
    tensor([0., 2.])
    """
    for name, example in inputs.items():
        method = mod if name == "forward" else getattr(mod, name)
        if example_inputs_is_kwarg:
            trace(method, example_kwarg_inputs=example)
        else:
            trace(method, example)
    return mod


def _same(fn):
    """A decorator that returns the function or class itself.

    >>> @torch.jit.export
    ... def twice(x):
    ...     return x + x
    >>> twice(2)
    4
    """
    return fn


export = unused = script_method = script_if_tracing = interface = _same


def ignore(drop=False, **kwargs):
    """A decorator that returns the function itself.

    >>> @ignore
    ... def log(x):
    ...     return x
    >>> log(3)
    3
    """
    return drop if callable(drop) else _same


def is_scripting() -> bool:
    """False.

    >>> is_scripting()
    False
    """
    return False


def is_tracing() -> bool:
    """False.

    >>> is_tracing()
    False
    """
    return False


def annotate(the_type, the_value):
    """``the_value``.

    >>> annotate(list[int], [1, 2])
    [1, 2]
    """
    return the_value


def isinstance(obj, target_type) -> bool:  # noqa: A001
    """Whether an object is of a type, which may be one like ``list[int]``: then its contents are, too.

    >>> isinstance([1, 2], list[int]), isinstance([1, "a"], list[int])
    (True, False)
    """
    from typing import get_args, get_origin

    if _isinstance(target_type, (tuple, list)):
        return any(isinstance(obj, each) for each in target_type)
    origin, parts = get_origin(target_type), get_args(target_type)
    if origin is None:
        return target_type is Any or (obj is None if target_type is None else _isinstance(obj, target_type))
    if not _isinstance(origin, type) or origin.__name__ in ("UnionType", "Union"):
        return any(isinstance(obj, each) for each in parts)
    if not _isinstance(obj, origin):
        return False
    if origin is dict:
        return all(isinstance(k, parts[0]) and isinstance(v, parts[1]) for k, v in obj.items())
    if origin is tuple and not (len(parts) == 2 and parts[1] is Ellipsis):
        return len(obj) == len(parts) and all(map(isinstance, obj, parts))
    return all(isinstance(each, parts[0]) for each in obj)


def freeze(mod, preserved_attrs=None, optimize_numerics=True):
    """The module itself.

    Raises:
        RuntimeError: it is in training mode.

    >>> freeze(torch.nn.ReLU().eval())
    ReLU()
    """
    if mod.training:
        raise RuntimeError("Freezing module in training mode is not yet supported. Please call eval() on the module")
    return mod


def optimize_for_inference(mod, other_methods=None):
    """The module itself.

    >>> optimize_for_inference(torch.nn.ReLU().eval())
    ReLU()
    """
    return mod


run_frozen_optimizations = optimize_for_inference


@contextmanager
def optimized_execution(should_optimize):
    """A ``with`` block that changes nothing.

    >>> with optimized_execution(True):
    ...     print(torch.ones(2) + 1)
    tensor([2., 2.])
    """
    yield


class strict_fusion:  # noqa: N801
    """A ``with`` block that changes nothing.

    >>> with strict_fusion():
    ...     print(torch.ones(2) + 1)
    tensor([2., 2.])
    """

    def __enter__(self):
        return None

    def __exit__(self, kind, value, traceback):
        return None


def set_fusion_strategy(strategy) -> list:
    """An empty list: nothing is fused.

    >>> set_fusion_strategy([("STATIC", 2)])
    []
    """
    return []


def enable_onednn_fusion(enabled: bool) -> None:
    """Does nothing.

    >>> enable_onednn_fusion(True)
    """


def onednn_fusion_enabled() -> bool:
    """False.

    >>> onednn_fusion_enabled()
    False
    """
    return False


def fork(func, *args, **kwargs):
    """A future that has the result of ``func(*args, **kwargs)``, which was called.

    >>> torch.jit.wait(fork(torch.add, torch.ones(2), 1))
    tensor([2., 2.])
    """
    from flambeau.futures import Future

    future = Future()
    future.set_result(func(*args, **kwargs))
    return future


def wait(future):
    """The result of a future.

    >>> wait(torch.jit.fork(torch.add, torch.ones(2), 1))
    tensor([2., 2.])
    """
    return future.wait()


def __getattr__(name):
    if name == "Future":
        from flambeau.futures import Future

        return Future
    from flambeau_tensor.not_built import not_built

    if name.startswith("__"):
        raise AttributeError(f"module 'torch.jit' has no attribute {name!r}")
    raise not_built(f"torch.jit.{name}")
