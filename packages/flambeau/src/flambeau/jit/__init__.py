"""``torch.jit``: there is no TorchScript. Scripted and traced functions are the given Python functions.

>>> import flambeau as torch
>>> @torch.jit.script
... def double(x):
...     return 2 * x
>>> double(torch.ones(2))
tensor([2., 2.])
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, NamedTuple, NoReturn, TypeVar

from flambeau_nn import Module
from flambeau_tensor.lazy_attributes import attach as _attach

if TYPE_CHECKING:
    from flambeau_distributed.futures import Future

T = TypeVar("T")

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
    "load",
    "onednn_fusion_enabled",
    "optimize_for_inference",
    "optimized_execution",
    "save",
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
_FILE = "torch.jit"  # the key of the contents of a file by `save`


class Error(RuntimeError):
    """An error of TorchScript; never raised here."""


class TracerWarning(Warning):
    """A warning of PyTorch's tracer; never issued here, since traced functions remain Python functions."""

    @staticmethod
    def ignore_lib_warnings() -> None:
        """Does nothing."""


class _Marked(type(Module)):  # type: ignore[misc]  # ModuleBase is compiled
    """Treats modules that were passed to `script` or `trace` as instances, because these return them unchanged."""

    def __instancecheck__(cls, instance):
        if super().__instancecheck__(instance):
            return True
        # A user's subclass only accepts its own instances.
        return "_marks" in cls.__dict__ and getattr(instance, "__dict__", {}).get(_MARK) in cls._marks


_MARK = "_scripted_as"


class ScriptModule(Module, metaclass=_Marked):
    """A module whose methods are TorchScript in PyTorch; here it is an ordinary module.

    Modules that were passed to `script` or `trace` count as instances.

    Raises:
        TypeError: arguments are given.
    """

    _marks = frozenset(("script", "trace"))

    def save(self, f: Any, _extra_files: dict[str, Any] | None = None) -> None:
        """Write the module to a file, as `torch.jit.save` does."""
        save(self, f, _extra_files)


class RecursiveScriptModule(ScriptModule):
    """PyTorch's class of scripted modules. `script` returns the module itself, which is an instance.

    Raises:
        TypeError: arguments are given.
    """

    _marks = ScriptModule._marks


class TracedModule(ScriptModule):
    """PyTorch's class of traced modules. `trace` returns the module itself, which is an instance.

    Raises:
        TypeError: arguments are given.
    """

    _marks = frozenset(("trace",))


TopLevelTracedModule = TracedModule


def _marked(module, how):
    """Let a module count as scripted or traced, with a method ``save`` if it has none."""
    if _isinstance(module, Module) and _MARK not in module.__dict__:
        module.__dict__[_MARK] = how
        if not hasattr(module, "save"):
            module.__dict__["save"] = partial(save, module)
    return module


class ScriptFunction:
    """PyTorch's class of scripted functions. `script` returns the function itself, so it has no instances.

    Raises:
        TypeError: it is called: functions are returned unchanged.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise TypeError("torch.jit.script returns functions unchanged; a ScriptFunction cannot be created")


class CompilationUnit:
    """PyTorch's container of TorchScript. It cannot be created in flambeau.

    Raises:
        NotImplementedError: it is called: there is no TorchScript.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise NotImplementedError("torch.jit.CompilationUnit is not built: there is no TorchScript")


class Attribute(NamedTuple):
    """A value with its type. PyTorch unwraps it in a ScriptModule; flambeau does not.

    >>> Attribute(3, int).value
    3
    """

    value: Any
    type: Any


def script(
    obj: Any, optimize: bool | None = None, _frames_up: int = 0, _rcb: Any = None, example_inputs: Any = None
) -> Any:
    """The function, module or class itself. A module counts as a `ScriptModule` from then on, and has ``save``.

    Raises:
        TypeError: it is a number, a text or None.

    >>> @script
    ... def twice(x):
    ...     return x + x
    >>> twice(torch.ones(2))
    tensor([2., 2.])
    """
    if obj is None or _isinstance(obj, (int, float, str)):
        raise TypeError(f"{type(obj)} is a built-in class")
    return _marked(obj, "script")


def trace(
    func: Any,
    example_inputs: Any = None,
    optimize: bool | None = None,
    check_trace: bool = True,
    check_inputs: Any = None,
    check_tolerance: float = 1e-5,
    strict: bool = True,
    _force_outplace: bool = False,
    _module_class: Any = None,
    _compilation_unit: Any = None,
    example_kwarg_inputs: dict[str, Any] | None = None,
    _store_inputs: bool = True,
) -> Any:
    """Return the function or module itself, after running it on the example inputs, so that errors appear.

    Unlike a trace, it still branches on its arguments.

    Raises:
        TypeError: ``func`` is not callable, or raises.

    >>> trace(torch.nn.ReLU(), torch.ones(2))(torch.tensor([-1.0, 2.0]))
    tensor([0., 2.])
    """
    from flambeau_autograd import no_grad

    args: tuple[Any, ...]
    if example_inputs is None:
        args = ()
    elif _isinstance(example_inputs, (tuple, list)):
        args = tuple(example_inputs)
    else:
        args = (example_inputs,)
    if args or example_kwarg_inputs:
        with no_grad():
            func(*args, **(example_kwarg_inputs or {}))
    return _marked(func, "trace")


def trace_module(
    mod: Any,
    inputs: dict[str, Any],
    optimize: bool | None = None,
    check_trace: bool = True,
    check_inputs: Any = None,
    check_tolerance: float = 1e-5,
    strict: bool = True,
    _force_outplace: bool = False,
    _module_class: Any = None,
    _compilation_unit: Any = None,
    example_inputs_is_kwarg: bool = False,
    _store_inputs: bool = True,
) -> Any:
    """Run the methods named in ``inputs`` on their example inputs, and return the module itself.

    Raises:
        AttributeError: the module has no such method.

    >>> trace_module(torch.nn.ReLU(), {"forward": torch.ones(2)})(torch.tensor([-1.0, 2.0]))
    tensor([0., 2.])
    """
    for name, example in inputs.items():
        method = mod if name == "forward" else getattr(mod, name)
        if example_inputs_is_kwarg:
            trace(method, example_kwarg_inputs=example)
        else:
            trace(method, example)
    return _marked(mod, "trace")


def _same(fn):
    """A decorator that returns the function or class itself.

    >>> @torch.jit.export
    ... def twice(x):
    ...     return x + x
    >>> twice(2)
    4
    """
    return fn


export = unused = script_method = script_if_tracing = _script_if_tracing = interface = _overload = _overload_method = (
    _same
)


def save(m: Any, f: Any, _extra_files: dict[str, Any] | None = None) -> None:
    """Write a module or function to a file, with all its contents.

    The file has the format of `torch.save`: it does not contain code, so `load` must be able to import the classes.

    Args:
        m: the module or function; its class must be importable.
        f: a path, or a file opened for writing.
        _extra_files: further contents by name, text or bytes.

    Raises:
        RuntimeError: the folder of the file does not exist.

    >>> import io
    >>> f = io.BytesIO()
    >>> save(script(torch.nn.ReLU()), f)
    >>> _ = f.seek(0)
    >>> load(f)
    ReLU()
    """
    import flambeau

    extra = {name: text.encode() if _isinstance(text, str) else text for name, text in (_extra_files or {}).items()}
    flambeau.save({_FILE: m, "extra": extra}, f)


def load(
    f: Any, map_location: Any = None, _extra_files: dict[str, Any] | None = None, _restore_shapes: bool = False
) -> Any:
    """The module or function that `save` wrote.

    As with ``torch.load(weights_only=False)``, reading the file may run any code: only load files that you trust.

    Args:
        f: a path, or a file opened for reading.
        map_location: for `torch.load`.
        _extra_files: a dict; its keys are the names of further contents, which become its values.

    Raises:
        NotBuiltError: the file holds TorchScript, which PyTorch wrote.
        RuntimeError: `save` did not write the file.

    >>> import io
    >>> f = io.BytesIO()
    >>> save(torch.nn.Linear(1, 1), f, _extra_files={"notes": "some"})
    >>> _, extra = f.seek(0), {"notes": ""}
    >>> load(f, _extra_files=extra), extra
    (Linear(in_features=1, out_features=1, bias=True), {'notes': b'some'})
    """
    import flambeau

    archive = _names_in(f)
    if archive is not None and any(name.partition("/")[2].startswith("code/") for name in archive):
        from flambeau_tensor.not_built import NotBuiltError

        raise NotBuiltError(
            "torch.jit.load does not read TorchScript: save the state_dict, and load it into the module"
        )
    found = flambeau.load(f, map_location=map_location, weights_only=False)
    if not _isinstance(found, dict) or _FILE not in found:
        raise RuntimeError("torch.jit.load: torch.jit.save did not write this file; torch.load may read it")
    if _extra_files is not None:
        _extra_files.update({name: found["extra"].get(name, b"") for name in _extra_files})
    return found[_FILE]


def _names_in(f):
    """The names in a zip file, or None."""
    from zipfile import ZipFile, is_zipfile

    if not is_zipfile(f):
        return None
    with ZipFile(f) as archive:
        names = archive.namelist()
    if hasattr(f, "seek"):
        f.seek(0)
    return names


def ignore(drop: Any = False, **kwargs: Any) -> Any:
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


def annotate(the_type: Any, the_value: T) -> T:
    """``the_value``.

    >>> annotate(list[int], [1, 2])
    [1, 2]
    """
    return the_value


def isinstance(obj: Any, target_type: Any) -> bool:  # noqa: A001
    """Return True if an object is of a type. For types such as ``list[int]``, the contents are checked as well.

    Raises:
        TypeError: ``target_type`` is not a type.

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


def freeze(mod: Any, preserved_attrs: list[str] | None = None, optimize_numerics: bool = True) -> Any:
    """The module itself.

    Raises:
        RuntimeError: it is in training mode.

    >>> freeze(torch.nn.ReLU().eval())
    ReLU()
    """
    if mod.training:
        raise RuntimeError("Freezing module in training mode is not yet supported. Please call eval() on the module")
    return mod


def optimize_for_inference(mod: Any, other_methods: list[str] | None = None) -> Any:
    """The module itself.

    >>> optimize_for_inference(torch.nn.ReLU().eval())
    ReLU()
    """
    return mod


run_frozen_optimizations = optimize_for_inference


@contextmanager
def optimized_execution(should_optimize: bool) -> Iterator[None]:
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

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        return None


def set_fusion_strategy(strategy: list[tuple[str, int]]) -> list[tuple[str, int]]:
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


def fork(func: Callable[..., Any], *args: Any, **kwargs: Any) -> "Future":
    """Call ``func(*args, **kwargs)`` and return a future with its result.

    Raises:
        TypeError: ``func`` is not callable. Its own errors are raised here, too.

    >>> torch.jit.wait(fork(torch.add, torch.ones(2), 1))
    tensor([2., 2.])
    """
    from flambeau_distributed.futures import Future

    future = Future()
    future.set_result(func(*args, **kwargs))
    return future


def wait(future: "Future") -> Any:
    """Return the result of a future.

    Raises:
        AttributeError: the argument is not a Future.

    >>> wait(torch.jit.fork(torch.add, torch.ones(2), 1))
    tensor([2., 2.])
    """
    return future.wait()


_fork, _wait = fork, wait


def _get_trace_graph(*args: Any, **kwargs: Any) -> NoReturn:
    """Raises: it is not built. Packages that count operations in such graphs import it."""
    from flambeau_tensor.not_built import not_built

    raise not_built(
        "torch.jit._get_trace_graph", "TorchScript is not supported; torch.fx.symbolic_trace creates graphs"
    )


__getattr__, __dir__ = _attach(__name__, "torch.jit", {"Future": "flambeau_distributed.futures"}, unlisted=True)
