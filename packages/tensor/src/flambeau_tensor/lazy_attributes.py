"""Lazy attributes of modules, and the error for missing ones: one ``__getattr__`` for all modules."""

import sys
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from typing import Any

from flambeau_tensor.not_built import left_out, missing


def attach(
    module: str,
    place: str,
    names: Mapping[str, str] | None = None,
    modules: Iterable[str] | Mapping[str, str] = (),
    find: Callable[[str], Any] | None = None,
    unlisted: bool = False,
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return the ``__getattr__`` and the ``__dir__`` of a module, for assignment in it.

    Args:
        module: the module's ``__name__``.
        place: the module's name in PyTorch, for errors.
        names: attribute -> module that contains it; ``"module:name"`` if it has another name there. Results are cached.
        modules: attributes that are modules: name -> module.
        find: a function that returns other attributes by name, or None; it is not called for names that begin with two
            underscores. Results are cached.
        unlisted: whether every other name counts as a name of PyTorch that is not built, because the list of PyTorch's
            names does not include this module.

    Names of modules may begin with a dot, which means this module's package.

    >>> __getattr__, __dir__ = attach("flambeau_tensor", "torch.example", {"root": "math:sqrt"}, ("special",))
    >>> __getattr__("root")(9.0), __getattr__("special").__name__
    (3.0, 'flambeau_tensor.special')
    >>> __getattr__("rooot")
    Traceback (most recent call last):
    AttributeError: module 'torch.example' has no attribute 'rooot'
    """
    namespace = vars(sys.modules[module])
    places = dict(modules) if isinstance(modules, Mapping) else {name: f".{name}" for name in modules}
    names = names or {}

    def __getattr__(name: str) -> Any:
        if name in places:
            return import_module(places[name], module)
        if name in names:
            owner, _, other = names[name].partition(":")
            found = getattr(import_module(owner, module), other or name)
        elif find is None or name.startswith("__") or (found := find(name)) is None:
            raise (left_out if unlisted else missing)(place, name)
        return namespace.setdefault(sys.intern(name), found)  # operators' caches compare addresses

    def __dir__() -> list[str]:
        return sorted({*namespace, *names, *places})

    return __getattr__, __dir__
