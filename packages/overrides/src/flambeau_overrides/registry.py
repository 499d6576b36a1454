"""The registry of overridable functions: libraries declare their functions, and programs that override list them.

A declaration adds one entry to a dictionary, because libraries declare hundreds of functions while they are imported.
Namespaces are looked up and signatures built when the functions are listed.
"""

from __future__ import annotations

import sys
from itertools import chain

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing and inspect are slow to import
    from collections.abc import Callable, Iterator
    from inspect import Signature
    from typing import Any

    _Entry = tuple[object, str, Any, object]

# Maps the function's id to namespace, name, function and signature, followed by the same four for each further name.
# There is only one tuple per function, because the garbage collector traverses all objects that an import creates.
_entries: dict[int, tuple[Any, ...]] = {}
_namespaces: dict[str, object] = {}  # by dotted name
_ignored: dict[int, object] = {}  # by id of the function
_before_listing: list[Callable[[], None]] = []
_ignored_names: list[tuple[str, str]] = []  # (namespace, name), looked up when functions are listed
_cache: dict[str, Any] = {}  # results derived from the above; cleared when they change


def register(namespace: object, name: str, func: object, signature: object = None) -> None:
    """Declare that `func`, which users reach as `namespace.name`, is overridable.

    Args:
        namespace: a module, a class, or a dotted name, which need not exist yet (see register_namespace()).
        name: "add"; "shape.__get__" for a property's getter.
        func: the object that handlers receive.
        signature: a text such as "(input, other, *, alpha=1)", in which annotations are ignored; an inspect.Signature;
            or a callable without arguments that returns one of these. None means the function's own
            `testing_signature()` if it has one, else the signature that inspect finds, else (*args, **kwargs).

    >>> def scale(input, factor): ...
    >>> register("mylib", "scale", scale)
    >>> resolve_name(scale)
    'mylib.scale'
    """
    entry = (namespace, name, func, signature)
    entries = _entries.get(id(func))
    _entries[id(func)] = entry if entries is None else entries + entry
    _cache.clear()


def register_namespace(name: str, namespace: object) -> None:
    """Declare the object that the dotted `name` of a namespace stands for.

    `namespace` is the object itself or the name of a module, which is imported when functions are listed.

    Modules under their own names, and the classes in them, need no declaration.

    >>> import types
    >>> maths = types.ModuleType("maths")
    >>> def cube(x): ...
    >>> register_namespace("mylib.maths", maths)
    >>> register("mylib.maths", "cube", cube)
    >>> cube in get_overridable_functions()[maths]
    True
    """
    _namespaces[name] = namespace
    _cache.clear()


def before_listing(function: Callable[[], None]) -> None:
    """Register a callback that runs whenever functions are listed.

    Libraries that declare some functions at their first use declare them in this callback."""
    _before_listing.append(function)


def _complete() -> None:
    for function in _before_listing:
        function()


def ignore(*funcs: object) -> None:
    """Declare that these functions cannot be overridden, although users might expect it. They are never listed.

    >>> def seed(n): ...
    >>> ignore(seed)
    >>> seed in get_ignored_functions()
    True
    """
    _ignored.update((id(func), func) for func in funcs)
    _cache.clear()


def ignore_names(namespace: str, names: str) -> None:
    """Declare by name functions that cannot be overridden. They need not exist yet.

    Args:
        namespace: the dotted name of the namespace.
        names: names in the namespace, separated by blanks.

    Raises:
        AttributeError: ``names`` is not a string.

    >>> ignore_names("mylib", "save load")
    """
    _ignored_names.extend((namespace, name) for name in names.split())
    _cache.clear()


def unregister(*funcs: object) -> None:
    """Undo the declarations that `register` and `ignore` made of these functions.

    >>> def mul(input, other): ...
    >>> register("mylib", "mul", mul)
    >>> unregister(mul)
    >>> mul in get_testing_overrides()
    False
    """
    for func in funcs:
        _entries.pop(id(func), None)
        _ignored.pop(id(func), None)
    _cache.clear()


def registered(func: object) -> tuple[object, bool]:
    """Return the declarations of a function by `register` and `ignore`, for `restore`.

    >>> registered(print)
    (None, False)
    """
    return _entries.get(id(func)), id(func) in _ignored


def restore(func: object, state: tuple[Any, bool]) -> None:
    """Restore the declarations of a function that `registered` returned.

    >>> def div(input, other): ...
    >>> before = registered(div)
    >>> register("mylib", "div", div)
    >>> restore(div, before)
    >>> resolve_name(div) is None
    True
    """
    entries, ignored = state
    unregister(func)
    if entries is not None:
        _entries[id(func)] = entries
    if ignored:
        _ignored[id(func)] = func


def get_overridable_functions() -> dict[object, list[Any]]:
    """Return the overridable functions of all libraries: for each namespace, a list sorted by name.

    The keys are the namespaces (modules, classes), or the dotted name of a namespace that does not exist.

    >>> def shift(x, by): ...
    >>> register("mylib", "shift", shift)
    >>> shift in get_overridable_functions()["mylib"]
    True
    """
    _complete()
    if "functions" not in _cache:
        found: dict[object, dict[str, object]] = {}
        for namespace, name, func, _ in _listed():
            found.setdefault(_resolve(namespace), {})[name] = func
        _cache["functions"] = found
    return {namespace: [funcs[name] for name in sorted(funcs)] for namespace, funcs in _cache["functions"].items()}


def get_testing_overrides() -> dict[Any, Any]:
    """Return a dict from each overridable function to a dummy of the same signature that returns -1.

    >>> import inspect
    >>> def add(input, other, *, out=None): ...
    >>> register("mylib", "add", add)
    >>> dummy = get_testing_overrides()[add]
    >>> inspect.signature(dummy), dummy(1, other=2)
    (<Signature (input, other, *, out=None)>, -1)
    """
    _complete()
    if "dummies" not in _cache:
        _cache["dummies"] = {
            func: _dummy(_dotted(namespace, name), func, signature) for namespace, name, func, signature in _listed()
        }
    return dict(_cache["dummies"])


def get_ignored_functions() -> set[Any]:
    """Return the functions that are declared not to be overridable.

    >>> print in get_ignored_functions()
    False
    """
    _complete()
    return {*_ignored.values(), *_named_and_ignored()}


def get_default_nowrap_functions() -> set[Any]:
    """Return the overridable functions whose results a base's default handler leaves unchanged.

    A function declares this with a true attribute `plain_result`. Results of all other functions get the class of the
    subclass.

    >>> isinstance(get_default_nowrap_functions(), set)
    True
    """
    _complete()
    return {func for _, _, func, _ in _listed() if getattr(func, "plain_result", False)}


def resolve_name(func: object) -> str | None:
    """Return the dotted name of an overridable function, or None for other objects.

    It is the first name under which the function was registered, else its `__torch_name__` if it has one.

    Raises:
        TypeError: the object is not hashable.

    >>> resolve_name(print) is None
    True
    """
    if "names" not in _cache:
        names: dict[object, str] = {}
        for namespace, name, function, _ in _registered():
            names.setdefault(function, _dotted(namespace, name))
        _cache["names"] = names
    found: str | None = _cache["names"].get(func) or getattr(func, "__torch_name__", None)
    return found if isinstance(found, str) else _ignored_name(func)


def display_name(func: object) -> str:
    """Return the name of `func` in messages: "torch.add"."""
    try:
        name = resolve_name(func)
    except TypeError:  # not hashable
        name = None
    if name is None:
        name = getattr(func, "__name__", None) or repr(func)
        module = getattr(func, "__module__", None)
        if module:
            name = f"{module}.{name}"
    return name


def is_tensor_method_or_property(func: Any) -> bool:
    """Whether `func` was registered as a method of a class, or is the getter of a property; setters do not count.

    An object that is not hashable raises TypeError.

    Raises:
        AttributeError: ``func`` has no ``__name__``.

    >>> class Array:
    ...     def twice(self): ...
    >>> register(Array, "twice", Array.twice)
    >>> is_tensor_method_or_property(Array.twice), is_tensor_method_or_property(print)
    (True, False)
    """
    if "methods" not in _cache:
        _cache["methods"] = {
            function
            for namespace, name, function, _ in _registered()
            if isinstance(_resolve(namespace), type) and not name.endswith(".__set__")
        }
    return func in _cache["methods"] or func.__name__ == "__get__"


def _registered() -> Iterator[_Entry]:
    parts = chain.from_iterable(_entries.values())
    return zip(parts, parts, parts, parts, strict=True)


def _named_and_ignored() -> set[object]:
    """Return the functions that were ignored by name and exist."""
    if "ignored" not in _cache:
        _cache["ignored"] = {_get(namespace, name) for namespace, name in _ignored_names} - {None}
    return set(_cache["ignored"])


def _ignored_name(func: object) -> str | None:
    """Return the dotted name of a function that was ignored by name, or None.

    Only entries with the function's own name are looked up, because looking up all names would load lazy ones."""
    own = getattr(func, "__name__", None)
    for namespace, name in _ignored_names:
        if name == own and _get(namespace, name) is func:
            return f"{namespace}.{name}"
    return None


def _get(namespace: str, name: str) -> object:
    """Return the object with this name, or None if it does not exist or is not hashable."""
    try:
        found = getattr(_resolve(namespace), name)
        hash(found)
    except (AttributeError, NotImplementedError, TypeError):
        return None
    return found


def resolve_function(namespace: str, name: str) -> Any:
    """Return the function of this name in a registered namespace.

    Raises:
        NotImplementedError: the namespace has no such function.
    """
    found = _get(namespace, name)
    if found is None:
        raise NotImplementedError(f"{namespace}.{name} is not here: no library that has it is imported")
    return found


def _listed() -> list[_Entry]:
    """Return the entries that are not ignored, including those of modules that declare functions when imported."""
    for namespace in list(_namespaces):
        _resolve(namespace)
    ignored = get_ignored_functions()
    return [entry for entry in _registered() if entry[2] not in ignored]


def _resolve(namespace: object) -> Any:
    if not isinstance(namespace, str):
        return namespace
    if namespace in _namespaces:
        found = _namespaces[namespace]
        if isinstance(found, str):
            from importlib import import_module

            found = import_module(found)
        return found
    if namespace in sys.modules:
        return sys.modules[namespace]
    parent, _, name = namespace.rpartition(".")
    if not parent or isinstance(outer := _resolve(parent), str):
        return namespace
    return vars(outer).get(name, namespace)  # a class in a module


def _dotted(namespace: Any, name: str) -> str:
    if isinstance(namespace, type):
        namespace = f"{namespace.__module__}.{namespace.__qualname__}"
    elif not isinstance(namespace, str):
        namespace = namespace.__name__
    return f"{namespace}.{name}"


def _dummy(name: str, func: Any, signature: Any) -> Any:
    """Return a function with the parameters of `signature` (see register()) that returns -1."""
    import inspect

    if signature is None:
        signature = getattr(func, "testing_signature", None)
    if callable(signature) and not isinstance(signature, inspect.Signature):
        signature = signature()
    if signature is None:
        try:
            signature = inspect.signature(func)
        except (TypeError, ValueError):  # some built-ins have no signature
            signature = "(*args, **kwargs)"
    try:
        if isinstance(signature, inspect.Signature):
            text, names = _from_signature(signature)
        else:
            text, names = _from_text(signature)
        dummy = eval(f"lambda {text}: -1", {}, names)
    except (SyntaxError, ValueError, NameError, AttributeError, TypeError) as error:
        raise ValueError(f"cannot use the signature {signature!r} that was registered for {name}: {error}") from error
    dummy.__name__ = dummy.__qualname__ = name.rpartition(".")[2]
    return dummy


def _from_signature(signature: Signature) -> tuple[str, dict[str, Any]]:
    import inspect

    defaults: dict[str, Any] = {}
    parameters = []
    for parameter in signature.parameters.values():
        if parameter.default is not inspect.Parameter.empty:
            # Pass defaults by reference: evaluating a default's repr need not give the default back.
            defaults[f"_{len(defaults)}"] = parameter.default
            parameter = parameter.replace(default=_Verbatim(f"_{len(defaults) - 1}"))
        parameters.append(parameter.replace(annotation=inspect.Parameter.empty))
    return str(inspect.Signature(parameters))[1:-1], defaults


def _from_text(text: str) -> tuple[str, dict[str, Any]]:
    import ast

    (function,) = ast.parse(f"def _{text}: pass").body
    assert isinstance(function, ast.FunctionDef)
    arguments = function.args
    for argument in ast.walk(arguments):
        if isinstance(argument, ast.arg):
            argument.annotation = None
    return ast.unparse(arguments), _Names()


class _Verbatim(str):
    """Text that is its own repr."""

    def __repr__(self) -> str:
        return str(self)


class _Names(dict[str, object]):
    """Resolves the names in a signature's text: a loaded module (`torch.float32`), inf or nan."""

    def __missing__(self, name: str) -> object:
        if name in ("inf", "nan"):
            return float(name)
        return sys.modules[name]
