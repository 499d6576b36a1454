"""Under which names of PyTorch's things stand here: what files say of them, and what they mean.

A module is named with all that is below it, where nothing longer fits; other things are named one by one. Packages
above add theirs.
"""

LOCAL_NAMES = {
    "torch._utils": "flambeau_tensor.serialization.rebuilding",
    "torch.return_types": "flambeau_tensor.return_types",
    "torch.serialization": "flambeau_tensor.serialization",
    "torch.storage": "flambeau_tensor.storage",
}

# What PyTorch has in another module than `LOCAL_NAMES` says: a module here, of which the public classes and functions
# are meant, or the full name of one thing -> PyTorch's module.
HOMES: "dict[str, str]" = {}

# How files write the objects of a class and of those derived from it, where not as Python does: class -> (object ->
# what `__reduce_ex__` returns).
REDUCED: "dict" = {}

_back: "tuple[int, dict[str, str]]" = (0, {})  # `LOCAL_NAMES` the other way round, when it had that many entries


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
    """The full name of a thing here, by PyTorch's name of it.

    >>> local_name("torch.storage.TypedStorage"), local_name("collections.OrderedDict")
    ('flambeau_tensor.storage.TypedStorage', 'collections.OrderedDict')
    """
    return _mapped(name, LOCAL_NAMES)


def module_in_pytorch(module: str, name: str) -> str:
    """The module of PyTorch's that has what is called ``name`` in a module here, or the module itself.

    >>> module_in_pytorch("flambeau_tensor.storage", "TypedStorage")
    'torch.storage'
    """
    full = f"{module}.{name}"
    if full in HOMES or module in HOMES and not name.startswith("_"):
        return HOMES.get(full) or HOMES[module]
    known = _mapped(full, _names_in_pytorch())
    return known[: -len(name) - 1] if known.endswith(f".{name}") else known.rpartition(".")[0]


def name_in_pytorch(name: str) -> str:
    """PyTorch's name of a module or a thing, by its full name here.

    >>> name_in_pytorch("flambeau_tensor.storage.TypedStorage")
    'torch.storage.TypedStorage'
    """
    return _mapped(name, _names_in_pytorch())
