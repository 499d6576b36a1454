"""``torch.classes``: custom classes of C++ by namespace and name, as ``torch::class_`` registers them.

An object of such a class holds the C++ object in a capsule. The C++ side defines methods, properties and pickling as
functions with positional arguments, the object first.
"""

import functools
import inspect
from collections.abc import Callable
from types import ModuleType
from typing import Any

from flambeau_cext.ops import load_library, loaded_libraries
from flambeau_tensor.lazy_attributes import attach as _attach

__all__ = ["ScriptObject", "load_library", "loaded_libraries"]

_by_type: dict[str, type["ScriptObject"]] = {}  # by the name that C++ has for the class


class ScriptObject:
    """An object of a custom class, which an extension defines by ``torch::class_`` and Python finds in `torch.classes`.

    Raises:
        RuntimeError: the class has no ``torch::init``, so that Python cannot create objects of it.
    """

    _capsule: object
    _qualified = ""

    def __init__(self, *args: object, **kwargs: object) -> None:
        raise RuntimeError(f"{self._qualified} has no torch::init, so that Python cannot make objects of it")

    @classmethod
    def _type(cls) -> str:
        """The class's full name."""
        return cls._qualified

    def _has_method(self, name: str) -> bool:
        """Whether C++ defined a method of this name."""
        return callable(getattr(type(self), name, None))

    def _method_names(self) -> list[str]:
        """The methods that C++ defined."""
        return [name for name, value in vars(type(self)).items() if isinstance(value, _Method)]

    def __reduce__(self) -> tuple[Any, ...]:
        state = getattr(type(self), "__getstate__", None)
        if not isinstance(state, _Method):
            raise RuntimeError(
                f"Tried to serialize object {self._qualified} which does not have a __getstate__ method defined!"
            )
        return _rebuilt, (*_place(type(self)), self.__getstate__())

    def __repr__(self) -> str:
        return f"<torch.ScriptObject of {self._qualified}>"


class _Method:
    """A function of C++ as a method: arguments by position or name, defaults filled in."""

    def __init__(self, function: Callable[..., Any], name: str, doc: str, signature: inspect.Signature | None) -> None:
        self.function, self.__name__, self.__doc__ = function, name, doc or None
        self.__signature__ = signature

    def __get__(self, instance: object, owner: type) -> Callable[..., Any]:
        return self if instance is None else functools.partial(self, instance)

    def __call__(self, *args: object, **kwargs: object) -> Any:
        if self.__signature__ is not None:
            try:
                bound = self.__signature__.bind(*args, **kwargs)
            except TypeError as error:
                raise TypeError(f"{self.__name__}(): {error}") from None
            bound.apply_defaults()
            args, kwargs = bound.args, {}
        if kwargs:
            raise TypeError(f"{self.__name__}() takes its arguments by position, got {', '.join(kwargs)}")
        return self.function(*args)


def _namespace(space: str) -> ModuleType:
    found = globals().get(space)
    if not isinstance(found, ModuleType):
        found = globals()[space] = ModuleType(f"torch.classes.{space}", f"The custom classes of ``{space}``.")
        found.__getattr__ = _missing(space)  # type: ignore[method-assign]
    return found


def _missing(space: str) -> Callable[[str], Any]:
    def missing(name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise RuntimeError(
            f"Class {space}.{name} not registered! Tried to instantiate class '{space}.{name}', but it does not exist! "
            'Ensure that it is registered via torch::class_<ClassType, ...>("ns", "name").'
        )

    return missing


__getattr__, __dir__ = _attach(__name__, "torch.classes", find=_namespace)


def _place(cls: type[ScriptObject]) -> tuple[str, str]:
    space, _, name = cls._qualified.removeprefix("__torch__.torch.classes.").rpartition(".")
    return space, name


# --- functions that C++ calls ---------------------------------------------------------------------------------------


def _define(space: str, name: str, type_name: str, doc: str) -> type[ScriptObject]:
    for what, word in (("namespace", space), ("class name", name)):
        if not (word.isidentifier() and word.isascii()):
            raise RuntimeError(f"Custom {what} '{word}' must be a valid C/C++ identifier")
    qualified = f"__torch__.torch.classes.{space}.{name}"
    module = _namespace(space)
    known = vars(module).get(name)
    if known is not None and known._cxx != type_name:
        raise RuntimeError(f"the class {qualified} is registered already, for another type of C++")
    body = {"__doc__": doc or None, "_qualified": qualified, "_cxx": type_name, "__module__": module.__name__}
    made = type(name, (ScriptObject,), body)
    setattr(module, name, made)
    _by_type[type_name] = made
    return made


def _signature(named: list[tuple[str, bool, Any]]) -> inspect.Signature | None:
    """Return the signature with the object and the named arguments; None if C++ named none."""
    if not named:
        return None
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    given = [inspect.Parameter(n, kind, default=v) if d else inspect.Parameter(n, kind) for n, d, v in named]
    return inspect.Signature([inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY), *given])


def _define_method(
    cls: type[ScriptObject], name: str, function: Callable[..., Any], doc: str, named: list[tuple[str, bool, Any]]
) -> None:
    setattr(cls, name, _Method(function, name, doc, _signature(named)))


def _define_constructor(
    cls: type[ScriptObject], name: str, function: Callable[..., Any], doc: str, named: list[tuple[str, bool, Any]]
) -> None:
    def construct(self: ScriptObject, *args: object) -> None:
        self._capsule = function(*args)._capsule

    setattr(cls, name, _Method(construct, name, doc, _signature(named)))


def _define_static(cls: type[ScriptObject], name: str, function: Callable[..., Any], doc: str, _named: object) -> None:
    setattr(cls, name, staticmethod(function))


def _define_getter(cls: type[ScriptObject], name: str, function: Callable[..., Any], doc: str, _named: object) -> None:
    setattr(cls, name, property(lambda self: function(self), doc=doc or None))


def _define_setter(cls: type[ScriptObject], name: str, function: Callable[..., Any], _doc: str, _named: object) -> None:
    def assign(self: ScriptObject, value: object) -> None:
        function(self, value)

    setattr(cls, name, getattr(cls, name).setter(assign))


def _wrapped(type_name: str, capsule: object) -> ScriptObject:
    """The Python object of a C++ object."""
    cls = _by_type.get(type_name)
    if cls is None:
        raise RuntimeError(f"the class {type_name} of C++ is not registered with torch::class_")
    wrapped = cls.__new__(cls)
    wrapped._capsule = capsule
    return wrapped


def _name_of(type_name: str) -> str:
    if type_name not in _by_type:
        raise RuntimeError(f"the class {type_name} of C++ is not registered with torch::class_")
    return _by_type[type_name]._qualified


def _rebuilt(space: str, name: str, state: Any) -> ScriptObject:
    """Restore a pickled object; the library with its class must be loaded."""
    made: ScriptObject = getattr(_namespace(space), name)._of_state(state)
    return made
