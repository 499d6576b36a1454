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

# How files write the objects of a class and of those derived from it, where not as Python does: class -> (object ->
# what `__reduce_ex__` returns).
REDUCED: "dict" = {}


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


def name_in_pytorch(name: str) -> str:
    """PyTorch's name of a thing, by its full name here.

    >>> name_in_pytorch("flambeau_tensor.storage.TypedStorage")
    'torch.storage.TypedStorage'
    """
    return _mapped(name, {here: there for there, here in LOCAL_NAMES.items()})
