"""Helpers of other packages' optimizers for updates of lists of tensors: ``torch.utils._foreach_utils``.

The optimizers here do not use them, because their step is one compiled call.
"""

from __future__ import annotations

from typing import Any

from flambeau_tensor import Tensor, device, dtype, float32, float64, get_default_dtype

Lists = list[list[Tensor | None]]


def _get_foreach_kernels_supported_devices() -> list[str]:
    """The types of devices on which lists are faster than loops: none that is here."""
    return ["cuda", "xpu", "mtia", "privateuseone"]


def _get_fused_kernels_supported_devices() -> list[str]:
    """The types of devices with fused steps."""
    return ["mps", "cuda", "xpu", "hpu", "cpu", "mtia", "privateuseone"]


def _get_capturable_supported_devices(supports_xla: bool = True) -> list[str]:
    """The types of devices on which ``capturable=True`` has an effect."""
    return ["cuda", "xpu", "hpu", "privateuseone", *(["xla"] if supports_xla else [])]


def _device_dtype_check_for_fused(p: Tensor, cuda_unsupported: bool = False) -> None:
    """Raise RuntimeError unless a fused step can update the parameter."""
    if not p.is_floating_point():
        raise RuntimeError(
            "`fused=True` requires all the params to be floating point Tensors of supported devices: "
            f"{_get_fused_kernels_supported_devices()} but {p.dtype} and {p.device.type}"
        )


def _get_scalar_dtype(is_fused: bool | None = None) -> dtype:
    """Return the dtype of step counts: float32, or float64 if that is the default dtype and the step is not fused."""
    return float64 if get_default_dtype() == float64 and not is_fused else float32


def _to_scalar(x: Any) -> Any:
    """Return a tensor of one number without dimensions, and everything else unchanged."""
    return x.squeeze() if isinstance(x, Tensor) and x.ndim else x


def _disable_dynamo_if_unsupported(single_tensor_fn: Any = None) -> Any:
    """Return a decorator that does nothing: every step can be compiled."""
    return lambda function: function


def _device_has_foreach_support(device: device) -> bool:
    return device.type in (*_get_foreach_kernels_supported_devices(), "cpu")


def _has_foreach_support(tensors: list[Tensor], device: device) -> bool:
    """Whether the ``_foreach_`` functions support these tensors."""
    return _device_has_foreach_support(device) and all(t is None or type(t) is Tensor for t in tensors)


def _group_tensors_by_device_and_dtype(
    tensorlistlist: Lists, with_indices: bool = False
) -> dict[tuple[device, dtype], tuple[Lists, list[int]]]:
    """Lists of equal lengths, or empty, divided by the device and dtype of the first list's tensors.

    Args:
        tensorlistlist: the lists; those after the first may have None for a tensor.
        with_indices: also return the indices of a group's tensors.
    """
    groups: dict[tuple[device, dtype], tuple[Lists, list[int]]] = {}
    for i, first in enumerate(tensorlistlist[0]):
        if first is None:
            raise RuntimeError(
                "Tensors of the first list of nested Tensor lists are supposed to be defined "
                f"but the {i}-th Tensor is not."
            )
        lists, places = groups.setdefault((first.device, first.dtype), ([[] for _ in tensorlistlist], []))
        for chosen, tensors in zip(lists, tensorlistlist, strict=True):
            if tensors:
                chosen.append(tensors[i])
        if with_indices:
            places.append(i)
    return groups


def _default_to_fused_or_foreach(
    params: list[Tensor], differentiable: bool, use_fused: bool = False
) -> tuple[bool, bool]:
    """Return the default ``(fused, foreach)`` of a step. Foreach is for other devices."""
    from flambeau_nn.parameter import Parameter

    fusible = all(p is None or (type(p) in (Tensor, Parameter) and p.is_floating_point()) for p in params)
    return use_fused and not differentiable and fusible, False


def _use_grad_for_differentiable(func: Any) -> Any:
    """Decorate a ``step`` so that it is recorded if the optimizer's ``defaults`` contain ``differentiable``."""
    from functools import wraps

    from flambeau_autograd import set_grad_enabled

    @wraps(func)
    def step(self: Any, *args: Any, **kwargs: Any) -> Any:
        with set_grad_enabled(self.defaults["differentiable"]):
            return func(self, *args, **kwargs)

    return step


def _get_value(x: Any) -> Any:
    """The number that a tensor of one element holds."""
    return x.item() if isinstance(x, Tensor) else x


def _stack_if_compiling(x: Any) -> Any:
    """Return the number unchanged: nothing is compiled."""
    return x


def _view_as_real(params: list[Tensor], *state_and_grads: list[Tensor]) -> None:
    """Replace complex parameters in a list, and the corresponding tensors in the others, by pairs of real numbers."""
    from flambeau_tensor import view_as_real

    for i, p in enumerate(params):
        if p.is_complex():
            for tensors in (params, *state_and_grads):
                tensors[i] = view_as_real(tensors[i])
