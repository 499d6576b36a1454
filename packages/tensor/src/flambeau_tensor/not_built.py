"""PyTorch names that are not implemented, and their error.

The ``__getattr__`` of modules (`lazy_attributes.attach`) ends with ``raise missing(...)``. Names that PyTorch does not
have either raise the ordinary AttributeError. Modules of which flambeau implements little, and whose names are not
listed, end with ``raise left_out(...)`` instead.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, NoReturn

from flambeau_overrides.suggestions import suggesting


class NotBuiltError(NotImplementedError, AttributeError):
    """A part of PyTorch that is not implemented was used. ``hasattr`` returns False for it."""


def not_built(name: str, why: str = "") -> NotBuiltError:
    """Return the error for a full name; `why` says what to use instead.

    >>> not_built("torch.nn.functional.grouped_mm")
    NotBuiltError('torch.nn.functional.grouped_mm is not built')
    """
    return NotBuiltError(f"{name} is not built{why and ': '}{why}")


@cache
def names_of_pytorch() -> dict[str, frozenset[str]]:
    """Return PyTorch's public names by module: ``{"torch.nn": {"Linear", ...}, ...}``."""
    from pathlib import Path

    places: dict[str, set[str]] = {}
    for line in Path(__file__).with_name("pytorch_names.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            place, _, name = line.rpartition(".")
            places.setdefault(place, set()).add(name)
    return {place: frozenset(names) for place, names in places.items()}


def missing(place: str, name: str) -> AttributeError:
    """Return the error for an attribute that a module does not have; ``place`` is the module's name in PyTorch."""
    if name in names_of_pytorch().get(place, ()):
        return not_built(f"{place}.{name}")
    error = AttributeError(f"module {place!r} has no attribute {name!r}")
    if place == "torch" and not name.startswith("_"):  # Python suggests names itself, but not for such large modules
        return suggesting(error, name, (known for known in names_of_pytorch()[place] if known[0] == name[0]))
    return error


def left_out(place: str, name: str) -> AttributeError:
    """Return the error for an attribute of a module all of whose names count as PyTorch's, except those that Python
    looks up.

    >>> left_out("torch.onnx", "dynamo_export")
    NotBuiltError('torch.onnx.dynamo_export is not built')
    >>> left_out("torch.onnx", "__path__")
    AttributeError("module 'torch.onnx' has no attribute '__path__'")
    """
    if name.startswith("__"):
        return AttributeError(f"module {place!r} has no attribute {name!r}")
    return not_built(f"{place}.{name}")


def function_not_built(name: str, why: str = "") -> Callable[..., NoReturn]:
    """Return a function, by its full name, that raises when it is called; `why` is appended to the message."""

    def function(*args: Any, **kwargs: Any) -> NoReturn:
        raise NotBuiltError(f"{name} is not built{why}")

    function.__name__ = function.__qualname__ = name.rpartition(".")[2]
    function.__doc__ = "Raises: it is not built."
    function.__not_built__ = True  # type: ignore[attr-defined]  # for the list in the documentation
    return function


def class_not_built(name: str, why: str = "") -> type:
    """Return a class, by its full name, that raises when it is called; `why` is appended to the message.

    Annotations, `isinstance` and imports can use it; nothing is an instance of it.

    >>> from collections import deque
    >>> isinstance(deque(), class_not_built("torch.Anything"))
    False
    """
    module, _, own = name.rpartition(".")
    return type(
        own,
        (),
        {
            "__init__": function_not_built(name, why),
            "__module__": module,
            "__not_built__": True,
            "__doc__": "Raises when made: it is not built.",
        },
    )


class NotBuiltAttribute:
    """An attribute of a class by its full name; accessing it on the class or an instance raises."""

    def __init__(self, name: str, why: str = "") -> None:
        self.name, self.why = name, why

    def __get__(self, instance: object, owner: type | None = None) -> NoReturn:
        raise not_built(self.name, self.why)


OF_TENSORS = {  # attributes of PyTorch's tensors only, with the texts of the errors
    "dequantize int_repr q_scale q_zero_point qscheme": "tensors are not quantized",
    "q_per_channel_axis q_per_channel_scales q_per_channel_zero_points": "tensors are not quantized",
    "ipu mtia record_stream": "tensors live on the CPU",
    "resize_as_sparse_ sparse_resize_ sparse_resize_and_clear_": "use torch.sparse_coo_tensor(indices, values, size)",
    "smm": "use torch.sparse.mm",
    "sspaddmm": "use torch.sparse.addmm",
    "to_mkldnn to_padded_tensor": "tensors are strided or sparse",
    "eig": "use torch.linalg.eig",
    "lstsq": "use torch.linalg.lstsq",
    "solve": "use torch.linalg.solve",
    "symeig": "use torch.linalg.eigh",
    "const_data_ptr": "use data_ptr()",
    "reinforce": "use torch.distributions",
    "grad_dtype": "gradients have the dtype of the tensor",
    "index": "use x[…]",
    "module_load": "use copy_",
    "slice_inverse": "use slice_scatter",
}
