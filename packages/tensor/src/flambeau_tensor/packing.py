"""The arguments that handlers of ``__torch_function__`` receive for functions that are written in Python in PyTorch.

Handlers of a compiled function receive the arguments as the caller wrote them. PyTorch's functions in Python have
already bound their arguments and pass defaults, too; which arguments they pass by position and which by name is visible
to handlers. `flambeau_overrides.Packing` explains the notation. A table is only read after a handler has been found.
"""

from flambeau_overrides.registry import register, unregister
from flambeau_tensor import dlpack, ops, subclassing  # noqa: F401  (declare what is named here)
from flambeau_tensor._core.call.binding import pack
from flambeau_tensor._core.schema.registry import find_handled

FUNCTIONAL = {
    "split": "tensor! split_size_or_sections * dim=0",
    "tensordot": "a! b! * dims=2 out=None",
    "norm": "input! * p='fro' dim=None keepdim=False out=None dtype=None",
}
_REFLECTED = (
    "__rsub__ __rtruediv__ __rmod__ __rpow__ __rfloordiv__ __rlshift__ __rrshift__ __rmatmul__ "
    "__floordiv__ __pow__ __ipow__"
)
METHODS = {
    "split": "self! split_size * dim=0",
    "norm": "self! * p='fro' dim=None keepdim=False dtype=None",
    "unflatten": "self! dim sizes",
    "is_shared": "self!",
    "__len__": "self!",
    "__contains__": "self! element",
    "__array__": "self! * dtype=None [copy=None]",
    "__array_wrap__": "self! * array [context=None] [return_scalar=False]",
    "__reduce_ex__": "self! proto",
    "__deepcopy__": "self! memo",
    "__repr__": "self! * tensor_contents=None",
    "__format__": "self! format_spec",
    "__reversed__": "self!",
    "__dir__": "self!",
    "__dlpack__": "self! * stream=-1 max_version=None dl_device=None copy=None",
    "__dlpack_device__": "self!",
    **dict.fromkeys(_REFLECTED.split(), "self! other!"),
}


def apply(namespace, table):
    """Register a table of packings for the functions or methods of a namespace."""
    for name, text in table.items():
        pack(find_handled(namespace, name), text)


def known_as(namespace, *names):
    """Make `torch.overrides` use names in another namespace for functions of `torch`."""
    for name in names:
        called = find_handled("torch", name)
        unregister(called)
        for each in (namespace, "torch"):
            register(each, name, called)


def apply_functional(table):
    """Apply a table to functions of `torch` that PyTorch defines in Python, in `torch.functional`."""
    apply("torch", table)
    known_as("torch.functional", *table)


apply_functional(FUNCTIONAL)
apply("torch.Tensor", METHODS)
