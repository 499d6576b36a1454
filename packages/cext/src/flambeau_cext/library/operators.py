"""Custom operators as a library defines them: declared by a schema, with one kernel for each way of running.

PyTorch names these ways by dispatch keys. Here there is one device, so five remain: a kernel below autograd (``CPU``,
or ``CompositeExplicitAutograd`` if there is none), a composition of other operators (``CompositeImplicitAutograd``), a
function that records the call itself (``Autograd``), one that computes the properties of results (``Meta``), and one
that replaces the call under autocast (``AutocastCPU``). Other keys belong to other devices, or to kinds of tensors that
do not exist here: their kernels are stored and never called.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from flambeau_cext.library.autograd import generated, spread, writing
from flambeau_cext.library.keys import KEYS
from flambeau_cext.library.schema import parsed, split_name
from flambeau_cext.tags import Tag, give_tags
from flambeau_tensor.extend import FUNCTION, FunctionKernel, Operator, OperatorHandle, find_operator, forget
from flambeau_tensor.not_built import not_built

CPU, EXPLICIT, IMPLICIT = "CPU", "CompositeExplicitAutograd", "CompositeImplicitAutograd"
AUTOGRAD, META, AUTOCAST = "Autograd", "Meta", "AutocastCPU"

_DEVICES = ("CPU", "CUDA", "XPU", "MPS", "HPU", "MTIA", "XLA", "IPU", "MAIA", "VE", "Vulkan", "Lazy", "PrivateUse1")
_KEYS = {
    **{key: key for key in KEYS},
    "": IMPLICIT, "default": EXPLICIT, "catchall": IMPLICIT, EXPLICIT: EXPLICIT, IMPLICIT: IMPLICIT,
    "CompositeExplicitAutogradNonFunctional": EXPLICIT, META: META,
    **{f"Autograd{device}": AUTOGRAD if device in ("", "CPU") else f"Autograd{device}" for device in ("", *_DEVICES)},
    **{device: device for device in _DEVICES}, "PrivateUse1": "PrivateUse1",
}  # fmt: skip
_DEVICE_TYPES = (
    "cpu", "cuda", "ipu", "xpu", "mkldnn", "opengl", "opencl", "ideep", "hip", "ve", "fpga", "maia", "xla", "lazy",
    "vulkan", "mps", "meta", "hpu", "mtia", "privateuseone",
)  # fmt: skip
_BY_LOWER = {name.lower(): key for name, key in _KEYS.items()}
_RESERVED = {"prim"}


@dataclass
class Kernels:
    """The kernels of an operator, by key.

    ``original`` is the function from which it was created, which replaces a disabled kernel. ``checked``: its results
    must not share memory with its arguments.
    """

    original: Callable[..., Any] | None = None
    by_key: dict[str, Callable[..., Any]] = field(default_factory=dict)
    disabled: set[str] = field(default_factory=set)
    derivative: Callable[..., Any] | None = None  # created by register_autograd
    checked: bool = False


_waiting: dict[str, list[tuple[str, Callable[..., Any]]]] = {}  # kernels that came before their operator


def key_of(name: str) -> str:
    """The dispatch key of a name, or of a device's.

    >>> key_of("cpu"), key_of("CompositeImplicitAutograd")
    ('CPU', 'CompositeImplicitAutograd')
    """
    try:
        return _KEYS[name] if name in _KEYS else _BY_LOWER[name.lower()]
    except KeyError:
        raise RuntimeError(f"could not parse dispatch key: {name}") from None


def key_of_device(name: str) -> str:
    """The dispatch key of a type of device.

    >>> key_of_device("cuda")
    'CUDA'
    """
    if name not in _DEVICE_TYPES:
        raise RuntimeError(f"Expected one of {', '.join(_DEVICE_TYPES)} device type at start of device string: {name}")
    return _BY_LOWER.get({"privateuseone": "privateuse1"}.get(name, name), name.upper())


def check_namespace(namespace: str) -> None:
    """Raise ValueError for a name that no namespace can have."""
    if namespace in _RESERVED:
        raise ValueError(f"{namespace} is a reserved namespace. Please try creating a library with another name.")
    if not namespace.isidentifier():
        raise ValueError(f"{namespace!r} is not a valid namespace")


def qualified(op: Operator) -> str:
    """The name that people write: ``mylib::leaky``, with an overload after a dot."""
    namespace, _, name = op.__torch_name__.removeprefix("torch.ops.").partition(".")
    return f"{namespace}::{name}"


def find(op: Operator | str) -> Operator:
    """Return an operator, given as such or by its name ``"mylib::leaky"``.

    Raise ValueError if the name is invalid, RuntimeError if the operator does not exist.
    """
    if isinstance(op, OperatorHandle):
        op = op.target
    if isinstance(op, Operator):
        return op
    namespace, name = split_name(op)
    try:
        return find_operator(f"torch.ops.{namespace}.{name}")
    except AttributeError:
        raise RuntimeError(f"operator {op} does not exist") from None


def declare(
    namespace: str, schema: str, *, doc: str | None = None, replace: bool = False, checked: bool = False
) -> Operator:
    """Create an operator with a schema ``"name(...) -> ..."`` and without a kernel.

    Raises RuntimeError if an operator of that name exists, unless ``replace`` is set.
    """
    check_namespace(namespace)
    read = parsed(namespace, schema)
    text = schema if read.namespace else f"{namespace}::{schema}"
    name = f"{read.name}.{read.overload}" if read.overload else read.name
    try:
        old = find_operator(f"torch.ops.{namespace}.{name}")
    except AttributeError:
        pass
    else:
        if not replace:
            raise RuntimeError(
                f"Tried to register an operator ({text}) with the same name and overload name multiple times. Each "
                f"overload's schema should only be registered with a single call to def(): it is {old.schema} already."
            )
        forget(old)
    op = Operator(
        text, _no_kernel(f"{namespace}::{name}"), namespace=f"torch.ops.{namespace}", variants=FUNCTION, doc=doc
    )
    op.library = Kernels(checked=checked)
    for key, function in _waiting.pop(f"{namespace}::{name}", ()):
        kernels(op).by_key[key] = function
    choose(op)
    return op


def kernels(op: Operator) -> Kernels:
    """The kernels of the operator; none at first for an operator that a C or C++ extension registered."""
    if op.library is None:
        op.library = Kernels()
    return op.library


def implement(qualname: str, function: Callable[..., Any], key: str) -> None:
    """Give the operator of this name a kernel; it may be declared later.

    Raise NotBuiltError for a kernel of one of the library's operators that records calls or runs under autocast.
    """
    if not callable(function):
        raise TypeError(f"Input function is required to be a callable but found type {type(function)}")
    op = _find_or_none(qualname)
    if op is None:
        _waiting.setdefault(qualname, []).append((key, function))
        return
    if _is_of_library(op):
        if key == CPU:
            from flambeau_cext.library.replacing import replace

            replace(op, function)
        elif key in (AUTOGRAD, AUTOCAST):
            raise not_built(f"a kernel {key!r} for {qualname}", "use torch.autograd.Function or a TorchFunctionMode")
        return
    kernels(op).by_key[key] = function
    choose(op)


def implement_by(qualname: str, kernel: str, key: str) -> None:
    """Make the operator ``kernel`` of a C++ extension the kernel of another one under autocast or for ``Meta``."""
    implement(qualname, find(kernel), key)


def tag(qualname: str, number: int) -> None:
    """Attach a tag, which C++ gives by its number, to an operator of a C++ extension."""
    give_tags(find(qualname), Tag(number))


def _find_or_none(qualname: str) -> Operator | None:
    namespace, name = split_name(qualname)
    if namespace == "aten":  # the library's operators are declared on first access
        from flambeau_cext import ops

        getattr(ops.aten, name.partition(".")[0], None)
    try:
        return find(qualname)
    except RuntimeError:
        return None


def _is_of_library(op: Operator) -> bool:
    return op.namespace == "torch.ops.aten" and op.library is None


def withdraw(qualname: str, function: Callable[..., Any], key: str) -> None:
    """Take a kernel back, if it is still the one."""
    waiting = _waiting.get(qualname, [])
    if (key, function) in waiting:
        waiting.remove((key, function))
    op = _find_or_none(qualname)
    if op is None:
        return
    if _is_of_library(op):
        if key == CPU:
            from flambeau_cext.library.replacing import restore

            restore(op, function)
        return
    if kernels(op).by_key.get(key) is function:
        del kernels(op).by_key[key]
        choose(op)


def choose(op: Operator) -> None:
    """Select the most specific kernel of the operator."""
    given, schema = kernels(op), op.schema
    usable = {key: f for key, f in given.by_key.items() if key not in given.disabled}
    function = usable.get(CPU) or usable.get(EXPLICIT) or (given.original if given.disabled else None)
    derivative = spread(usable[AUTOGRAD], schema) if AUTOGRAD in usable else given.derivative
    # A Library's kernel without a derivative may call operators that have one: then autograd differentiates these.
    composed = function is None or not (given.checked or derivative or op.vmap is not None)
    if composed:
        function = function or usable.get(IMPLICIT)
    if function is not None:
        op.implement(FunctionKernel(function, schema, fresh=given.checked), composite=composed)
    elif isinstance(op.implementation, FunctionKernel):  # not a kernel that an extension registered
        op.implement(_no_kernel(qualified(op), schema))
    if META in usable:
        op.meta = usable[META]
    if derivative is None and not composed:
        name = qualified(op)
        derivative = writing(op, name) if any(a.write for a in schema.arguments) else generated(op, name, None, None)
    op.derivative = derivative


def _no_kernel(name: str, schema: Any = None) -> Callable[..., Any] | FunctionKernel:
    def missing(*args: object, **kwargs: object) -> None:
        raise NotImplementedError(
            f"Could not run '{name}' with arguments from the 'CPU' backend. This could be because the operator doesn't "
            "exist for this backend: no kernel is registered for it."
        )

    return missing if schema is None else FunctionKernel(missing, schema)
