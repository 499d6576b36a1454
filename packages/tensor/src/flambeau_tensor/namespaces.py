"""Modules that contain the operators of a namespace; lazy operators are declared on first use."""

from flambeau_tensor._core.schema.namespace import find_quickly
from flambeau_tensor._core.schema.registry import first_use, functions, lazy_names


def served(namespace, contents):
    """Return ``__all__``, ``__getattr__`` and ``__dir__`` of a namespace's module, and add its operators to `contents`.

    Args:
        namespace: PyTorch's name of the module, such as ``"torch.linalg"``.
        contents: the module's ``globals()``, including its other public names.
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
