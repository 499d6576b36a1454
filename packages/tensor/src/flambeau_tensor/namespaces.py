"""Modules that hold the operators of a namespace: those that are declared, and the others when they are first named."""

from flambeau_tensor._core.schema.namespace import find_quickly
from flambeau_tensor._core.schema.registry import first_use, functions, lazy_names


def served(namespace, contents):
    """``__all__``, ``__getattr__`` and ``__dir__`` of a namespace's module, into whose `contents` the operators go.

    Args:
        namespace: PyTorch's name of the module, such as ``"torch.linalg"``.
        contents: the module's ``globals()``, with what else is public in it.
    """
    found = functions(namespace, lazy=False)
    public = [
        *(name for name in contents if not name.startswith("_") and name != "served"),
        *found,
        *lazy_names(namespace),
    ]
    contents.update(found)
    find_quickly(contents["__name__"])

    def __getattr__(name):
        value = first_use(namespace, name)
        if value is None:
            from flambeau_tensor.not_built import missing

            raise missing(namespace, name)
        contents[name] = value
        return value

    def __dir__():
        return sorted({*contents, *lazy_names(namespace)})

    return public, __getattr__, __dir__
