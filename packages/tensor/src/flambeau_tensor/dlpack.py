"""DLPack: exchange of memory with other libraries' arrays, without copying."""

import enum

from flambeau_tensor._core.call.operator import Operator
from flambeau_tensor._core.memory.tensor import Tensor
from flambeau_tensor._core.schema.declaring import METHOD
from flambeau_tensor._kernels import dlpack

__all__ = ["DLDeviceType", "from_dlpack", "to_dlpack"]


class DLDeviceType(enum.IntEnum):
    """The device types of DLPack. Tensors are on ``kDLCPU``."""

    kDLCPU = 1
    kDLCUDA = 2
    kDLCUDAHost = 3
    kDLOpenCL = 4
    kDLVulkan = 7
    kDLMetal = 8
    kDLVPI = 9
    kDLROCM = 10
    kDLROCMHost = 11
    kDLExtDev = 12
    kDLCUDAManaged = 13
    kDLOneAPI = 14
    kDLWebGPU = 15
    kDLHexagon = 16
    kDLMAIA = 17


def from_dlpack(ext_tensor: object, *, device: object = None, copy: bool | None = None) -> Tensor:
    """Create a tensor that shares the memory of an object with the DLPack protocol, or of a capsule.

    Args:
        ext_tensor: an array of another library, or the result of its `__dlpack__`. A capsule can be consumed once.
        device: must be the CPU.
        copy: True copies, False and None share memory. A tensor on read-only memory cannot be written to.

    Raises:
        BufferError: the memory is on another device, or has a dtype or layout that tensors do not support.
        RuntimeError: the capsule has been consumed.

    >>> import numpy as np
    >>> from_dlpack(np.arange(3.0))
    tensor([0., 1., 2.], dtype=torch.float64)
    """
    if device is not None and str(device) != "cpu":
        raise BufferError(f"from_dlpack(): there is no device {device}, only the CPU")
    if hasattr(type(ext_tensor), "__dlpack__"):
        return dlpack.from_object(ext_tensor, copy)
    tensor = dlpack.from_capsule(ext_tensor)
    return tensor.clone() if copy else tensor


def to_dlpack(tensor: Tensor) -> object:
    """Return a tensor of any shape as a capsule for another library, in DLPack's form without a version.

    Raises:
        TypeError: the argument is not a tensor, or the tensor requires grad.

    >>> to_dlpack(torch.ones(2))
    <capsule object "dltensor" at ...>
    """
    if not isinstance(tensor, Tensor):
        raise TypeError(f"to_dlpack(): argument 'tensor' (position 1) must be Tensor, not {type(tensor).__name__}")
    return dlpack.to_capsule(tensor)


def _dlpack(self, stream, max_version, dl_device, copy):
    return dlpack.to_capsule(
        self, stream=None if stream == -1 else stream, max_version=max_version, dl_device=dl_device, copy=copy
    )


def _device(self):
    if self.is_meta:
        raise ValueError("Unknown device type meta for Dlpack")
    return DLDeviceType.kDLCPU, 0


_PROTOCOL = {
    "variants": METHOD,
    "differentiable": False,
    "plain_result": True,
    "lazy": True,
    "data_dependent": True,
    "meta": True,
}
Operator(
    "__dlpack__(Tensor self, *, Object stream=-1, Pair? max_version=None, Pair? dl_device=None, bool? copy=None) "
    "-> Capsule",
    _dlpack,
    doc="The memory as a capsule of DLPack.",
    **_PROTOCOL,
)
Operator("__dlpack_device__(Tensor self) -> Pair", _device, doc="The device by DLPack's numbers.", **_PROTOCOL)
