"""Tensor options other than the dtype: device, layout and memory format. Tensors are on the CPU, or on device 'meta'
without memory. The other names exist so that programs that use them get clear errors."""

from typing import Self

from flambeau_overrides import ask_modes, has_torch_function
from flambeau_overrides.modes import block_of
from flambeau_tensor._core.elementwise import dtype as _dtypes
from flambeau_tensor._core.elementwise.dtype import DType


def promote_types(type1: DType, type2: DType) -> DType:
    """Return the smallest dtype to which both promote.

    Raises:
        TypeError: an argument is not a dtype.

    >>> promote_types(torch.int32, torch.float16), promote_types(torch.uint8, torch.int8)
    (torch.float16, torch.int16)
    """
    if has_torch_function(()):
        return ask_modes(promote_types, (type1, type2))
    return _dtypes.promote_types(type1, type2)


def can_cast(from_: DType, to: DType) -> bool:
    """Return True if PyTorch's casting rules allow ``from_`` to be stored into ``to``.

    Raises:
        TypeError: an argument is not a dtype.

    >>> can_cast(torch.int64, torch.float32), can_cast(torch.float32, torch.int64)
    (True, False)
    """
    if has_torch_function(()):
        return ask_modes(can_cast, (from_, to))
    return _dtypes.can_cast(from_, to)


def _default(self: "device") -> object:
    from flambeau_tensor.default_device import DeviceContext

    return DeviceContext(self)


class device:
    """The device of a tensor: ``torch.device("cpu")``, or ``torch.device("meta")`` for tensors that have a shape, dtype
    and strides but no data.

    Raises:
        RuntimeError: the device type is unknown, or its index is not a number.

    >>> device("cpu").type
    'cpu'
    """

    __slots__ = ("index", "type")
    index: int | None
    type: str
    _TYPES = ("cpu", "cuda", "mps", "meta", "xpu", "hpu", "mtia")

    def __new__(cls, *args: object, **options: object) -> "device":
        if has_torch_function(()):
            return ask_modes(device, args, options or None)
        return cls._make(*args, **{"type" if name == "device" else name: v for name, v in options.items()})

    @classmethod
    def _make(cls, type: "device | str", index: int | None = None) -> "device":
        if isinstance(type, device):
            type, index = type.type, type.index
        accelerator = isinstance(type, int) and not isinstance(type, bool)  # an accelerator by its number
        number = type if accelerator else index
        if isinstance(number, int) and not -(2**63) <= number < 2**63:
            raise ValueError("Overflow when unpacking long long")
        if isinstance(number, int) and number < 0:
            raise RuntimeError("Device index must not be negative")
        if accelerator:
            raise RuntimeError("Cannot access accelerator device when none is available.")
        if not isinstance(type, str):
            raise TypeError(f"device(): argument 'type' (position 1) must be str, not {type.__class__.__name__}")
        if ":" in type:
            type, _, number = type.partition(":")
            if not number.isdigit():
                raise RuntimeError(f"Invalid device string: '{type}:{number}'")
            index = int(number)
        if type not in cls._TYPES:
            known = ", ".join(cls._TYPES)
            raise RuntimeError(f"Expected one of {known} device type at start of device string: {type}")
        self = object.__new__(cls)
        object.__setattr__(self, "type", type)
        object.__setattr__(self, "index", index)
        return self

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"attribute '{name}' of 'torch.device' objects is not writable")

    def __repr__(self) -> str:
        index = "" if self.index is None else f", index={self.index}"
        return f"device(type='{self.type}'{index})"

    def __str__(self) -> str:
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, device) and (self.type, self.index) == (other.type, other.index)

    def __hash__(self) -> int:
        return hash((self.type, self.index))

    def __reduce__(self):
        return device, (self.type,) if self.index is None else (self.type, self.index)

    __enter__, __exit__ = block_of(_default)


Device = device | str  # the type of arguments named device


class _Named:
    __slots__ = ("name",)
    name: str

    def __new__(cls, *_: object) -> Self:
        raise TypeError(f"cannot create 'torch.{cls.__name__}' instances")

    @classmethod
    def _make(cls, name: str) -> Self:
        self = object.__new__(cls)
        self.name = name
        return self

    def __repr__(self) -> str:
        return f"torch.{self.name}"

    def __reduce__(self):
        return _named, (self.name,)


class layout(_Named):
    """The memory layout of a tensor. Dense tensors have ``torch.strided``.

    Raises:
        TypeError: the class is called; only the named layouts exist.

    >>> torch.ones(2).layout
    torch.strided
    """

    def __reduce__(self):
        return _get_layout, (repr(self),)


class memory_format(_Named):
    """The order of dimensions in memory that an operation should produce.

    Raises:
        TypeError: the class is called; only the named formats exist.

    >>> torch.ones(1, 2, 3, 4).to(memory_format=torch.channels_last).stride()
    (24, 1, 8, 2)
    """


strided = layout._make("strided")
contiguous_format = memory_format._make("contiguous_format")
preserve_format = memory_format._make("preserve_format")
channels_last = memory_format._make("channels_last")
channels_last_3d = memory_format._make("channels_last_3d")
# For programs that compare a tensor's layout with them; no tensor has these layouts.
sparse_coo, sparse_csr, sparse_csc, sparse_bsr, sparse_bsc, jagged, _mkldnn = map(
    layout._make, ("sparse_coo", "sparse_csr", "sparse_csc", "sparse_bsr", "sparse_bsc", "jagged", "_mkldnn")
)
CPU, META = device._make("cpu"), device._make("meta")


def _named(name):
    return globals()[name]


def _get_layout(name):
    found = globals().get(name.rpartition(".")[2])
    if not isinstance(found, layout):
        raise NotImplementedError(f"layout {name} is not built")
    return found


def check_device(where) -> device:
    """Return `CPU` or `META` for a device argument; raises for other devices."""
    if where is None or where is CPU:
        return CPU
    if not isinstance(where, device):
        where = device._make(where)
    if where.type in ("cuda", "xpu", "mtia"):
        raise AssertionError(f"Torch not compiled with {where.type.upper()} enabled: tensors live on the CPU")
    if where.type == "meta":
        return META
    if where.type != "cpu":
        raise RuntimeError(f"device '{where}' is not available: tensors live on the CPU")
    return CPU


def check_layout(wanted) -> None:
    """Raise for layouts other than strided."""
    if wanted is not None and wanted is not strided:
        if not isinstance(wanted, layout):
            raise TypeError(f"argument 'layout' must be torch.layout, not {type(wanted).__name__}")
        raise NotImplementedError(f"layout {wanted!r} is not built; tensors are torch.strided")
