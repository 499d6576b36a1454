"""What a module has that loads when it is first named, and the error for what it does not have: one ``__getattr__``."""

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
    """The ``__getattr__`` and the ``__dir__`` of a module, which assigns them.

    Args:
        module: the module's ``__name__``.
        place: what PyTorch calls it, for errors.
        names: attribute -> module that has it; ``"module:name"`` if it is called otherwise there. What is found stays.
        modules: the modules that are attributes, or what they are called here -> module.
        find: gives what is in neither table, or None; names that begin with two underscores do not reach it. What it
            gives stays.
        unlisted: whether every other name counts as one of PyTorch's that is not built, because the list of these names
            leaves this module out.

    The names of modules may begin with a dot, for those below this one.

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
        return namespace.setdefault(sys.intern(name), found)  # the caches of operators compare addresses

    def __dir__() -> list[str]:
        return sorted({*namespace, *names, *places})

    return __getattr__, __dir__
