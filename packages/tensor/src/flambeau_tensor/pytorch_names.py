"""Tables between names in PyTorch and names here, for writing and reading files.

An entry for a module applies to everything below it, unless a longer entry matches; other objects have separate
entries. Higher packages add their own.
"""

LOCAL_NAMES = {
    "torch._utils": "flambeau_tensor.serialization.rebuilding",
    "torch.return_types": "flambeau_tensor.return_types",
    "torch.serialization": "flambeau_tensor.serialization",
    "torch.storage": "flambeau_tensor.storage",
}

# Exceptions to `LOCAL_NAMES`: a module here, whose public classes and functions are meant, or the full name of one
# object -> PyTorch's module.
HOMES: "dict[str, str]" = {}

# Functions that reduce objects of a class and of its subclasses for files, if Python's default does not apply: class ->
# function of an object, which returns what `__reduce_ex__` does.
REDUCED: "dict" = {}

_back: "tuple[int, dict[str, str]]" = (0, {})  # the inverse of `LOCAL_NAMES`, when it had so many entries


def _names_in_pytorch():
    global _back
    if _back[0] != len(LOCAL_NAMES):
        _back = len(LOCAL_NAMES), {here: there for there, here in reversed(LOCAL_NAMES.items())}
    return _back[1]


def _mapped(name, names):
    head = name
    while head:
        if head in names:
            return names[head] + name[len(head) :]
        head = head.rpartition(".")[0]
    return name


def local_name(name: str) -> str:
    """Return flambeau's full name of an object, given PyTorch's.

    >>> local_name("torch.storage.TypedStorage"), local_name("collections.OrderedDict")
    ('flambeau_tensor.storage.TypedStorage', 'collections.OrderedDict')
    """
    return _mapped(name, LOCAL_NAMES)


def module_in_pytorch(module: str, name: str) -> str:
    """Return the module in which PyTorch has the object ``name`` of a flambeau module; by default the module itself.

    >>> module_in_pytorch("flambeau_tensor.storage", "TypedStorage")
    'torch.storage'
    """
    full = f"{module}.{name}"
    if full in HOMES or module in HOMES and not name.startswith("_"):
        return HOMES.get(full) or HOMES[module]
    known = _mapped(full, _names_in_pytorch())
    return known[: -len(name) - 1] if known.endswith(f".{name}") else known.rpartition(".")[0]


def name_in_pytorch(name: str) -> str:
    """Return PyTorch's full name of a module or object, given flambeau's.

    >>> name_in_pytorch("flambeau_tensor.storage.TypedStorage")
    'torch.storage.TypedStorage'
    """
    return _mapped(name, _names_in_pytorch())
