"""Which functions are overridable: declared by the libraries that own them, listed for those who override.

Declaring is one entry in a dictionary, because libraries declare hundreds of functions while they are imported.
Namespaces are looked up and signatures built when somebody asks.
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

# By id of the function: namespace, name, function and signature, and the same again for each other name. One tuple and
# nothing else for each function: what is made while importing costs most when the garbage collector looks at it.
_entries: dict[int, tuple[Any, ...]] = {}
_namespaces: dict[str, object] = {}  # by dotted name
_ignored: dict[int, object] = {}  # by id of the function
_before_listing: list[Callable[[], None]] = []
_ignored_names: list[tuple[str, str]] = []  # (namespace, name), looked up on request
_cache: dict[str, Any] = {}  # what is derived from the above; emptied when they change


def register(namespace: object, name: str, func: object, signature: object = None) -> None:
    """Declare that `func`, which users reach as `namespace.name`, is overridable.

    Args:
        namespace: a module, a class, or a dotted name, which need not exist yet (see register_namespace()).
        name: "add"; "shape.__get__" for a property's getter.
        func: the object that handlers get.
        signature: the signature as text, "(input, other, *, alpha=1)", where annotations are ignored; an
            inspect.Signature; a callable without arguments that returns one of these; or None for what the function's
            own `testing_signature()` returns, if it has one, else the one that inspect finds, (*args, **kwargs) if it
            finds none.

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
    """Declare that the dotted `name` under which functions are registered means the object `namespace`, or the module
    of that name when it is a text (imported when somebody lists the functions).

    Not needed for modules under their own names and what is in them.

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
    """Have `function()` called whenever functions are listed.

    It is for libraries that declare some functions when they are first used: they declare them then."""
    _before_listing.append(function)


def _complete() -> None:
    for function in _before_listing:
        function()


def ignore(*funcs: object) -> None:
    """Declare that these functions cannot be overridden, though one might expect it. They are never listed.

    >>> def seed(n): ...
    >>> ignore(seed)
    >>> seed in get_ignored_functions()
    True
    """
    _ignored.update((id(func), func) for func in funcs)
    _cache.clear()


def ignore_names(namespace: str, names: str) -> None:
    """Declare the same by name, of functions that need not exist: the dotted name of a namespace, and names in it that
    are separated by blanks.

    Raises:
        AttributeError: the names are no string of them.

    >>> ignore_names("mylib", "save load")
    """
    _ignored_names.extend((namespace, name) for name in names.split())
    _cache.clear()


def unregister(*funcs: object) -> None:
    """Undo what `register` and `ignore` declared of these functions.

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
    """Let what `register` and `ignore` declared of a function be again what `registered` returned.

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
    """The overridable functions of all libraries: lists in order of name, by namespace.

    The keys are the namespaces themselves (modules, classes), or the dotted name of one that does not exist.

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
    """The functions that are declared not to be overridable.

    >>> print in get_ignored_functions()
    False
    """
    _complete()
    return {*_ignored.values(), *_named_and_ignored()}


def get_default_nowrap_functions() -> set[Any]:
    """The overridable functions whose results a base's default handler leaves as they are: the true `plain_result` of a
    function says so. Of others a subclass gets results of its own class.

    >>> isinstance(get_default_nowrap_functions(), set)
    True
    """
    _complete()
    return {func for _, _, func, _ in _listed() if getattr(func, "plain_result", False)}


def resolve_name(func: object) -> str | None:
    """The dotted name of an overridable function, None for others.

    It is the first name under which it was registered, else the function's own `__torch_name__` if it has one. Raises
    TypeError for what is not hashable.

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
    """The name by which messages call `func`: "torch.add"."""
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
    """Whether `func` was registered for a class, as its method, or is the getter of a property; its setter is neither.

    Raises TypeError for what is not hashable, AttributeError for what has no `__name__`.

    Raises:
        AttributeError: what is given is not a function.

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
    """What exists of the names that are ignored."""
    if "ignored" not in _cache:
        _cache["ignored"] = {_get(namespace, name) for namespace, name in _ignored_names} - {None}
    return set(_cache["ignored"])


def _ignored_name(func: object) -> str | None:
    """The dotted name of what is ignored by name. Only what has the function's own name is looked up: to look up all
    would load what waits for being named."""
    own = getattr(func, "__name__", None)
    for namespace, name in _ignored_names:
        if name == own and _get(namespace, name) is func:
            return f"{namespace}.{name}"
    return None


def _get(namespace: str, name: str) -> object:
    """What stands under a name; None for what does not exist or is not hashable."""
    try:
        found = getattr(_resolve(namespace), name)
        hash(found)
    except (AttributeError, NotImplementedError, TypeError):
        return None
    return found


def resolve_function(namespace: str, name: str) -> Any:
    """The function of a registered namespace, for what calls it by its name.

    Raises:
        NotImplementedError: Nothing of that name is there.
    """
    found = _get(namespace, name)
    if found is None:
        raise NotImplementedError(f"{namespace}.{name} is not here: no library that has it is imported")
    return found


def _listed() -> list[_Entry]:
    """The entries that are not ignored, those of modules included that declare functions when they are imported."""
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
    """A function with the parameters that `signature` (see register()) tells, and nothing else."""
    import inspect

    if signature is None:
        signature = getattr(func, "testing_signature", None)
    if callable(signature) and not isinstance(signature, inspect.Signature):
        signature = signature()
    if signature is None:
        try:
            signature = inspect.signature(func)
        except (TypeError, ValueError):  # some built-ins do not tell
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
            # By reference: a default need not have a repr that gives it back.
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
    """What a name in the text of a signature means: a loaded module (`torch.float32`), infinity or not-a-number."""

    def __missing__(self, name: str) -> object:
        if name in ("inf", "nan"):
            return float(name)
        return sys.modules[name]
