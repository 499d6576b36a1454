"""Layers that take the sizes of their parameters from the first input."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import flambeau_tensor as ft
from flambeau_autograd import no_grad
from flambeau_nn.modules import batchnorm, conv, instancenorm, linear
from flambeau_nn.modules.module import Module
from flambeau_nn.parameter import Buffer, UninitializedBuffer, UninitializedParameter, is_lazy
from flambeau_tensor import Tensor, dtype
from flambeau_tensor.options import Device

__all__ = [
    "LazyBatchNorm1d",
    "LazyBatchNorm2d",
    "LazyBatchNorm3d",
    "LazyConv1d",
    "LazyConv2d",
    "LazyConv3d",
    "LazyConvTranspose1d",
    "LazyConvTranspose2d",
    "LazyConvTranspose3d",
    "LazyInstanceNorm1d",
    "LazyInstanceNorm2d",
    "LazyInstanceNorm3d",
    "LazyLinear",
]


if TYPE_CHECKING:
    _Mixed = Module  # the class that follows the mixin
else:
    _Mixed = object


class LazyModuleMixin(_Mixed):
    """Base of modules whose parameters take their sizes from the first input; list it before the module's class.

    Such a class registers :class:`UninitializedParameter` and :class:`UninitializedBuffer`, and defines
    ``initialize_parameters``, which sets their sizes. The first call runs it and changes the module's class to
    ``cls_to_become`` (unless None). Parameters remain the same objects, so an optimizer may be created before.

    Raises (at the first call):
        RuntimeError: sizes are open after ``initialize_parameters``.
    """

    cls_to_become: type | None = None

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._load_hook = self._register_load_state_dict_pre_hook(self._lazy_load_hook)
        self._initialize_hook = self.register_forward_pre_hook(self._infer_parameters, with_kwargs=True)
        warnings.warn(
            "Lazy modules are a new feature under heavy development so changes to the API or functionality "
            "can happen at any moment.",
            stacklevel=3,
        )

    def initialize_parameters(self, *args: Any, **kwargs: Any) -> None:
        """Give parameters and buffers their sizes, from the arguments of ``forward``."""
        raise NotImplementedError(f"initialize_parameters is not implemented for {type(self).__name__}")

    def has_uninitialized_params(self) -> bool:
        """Return True if the module has uninitialized parameters or buffers."""
        return any(is_lazy(t) for t in (*self._parameters.values(), *self._buffers.values()))

    def _save_to_state_dict(self, destination: Any, prefix: str, keep_vars: bool) -> None:
        kept = {n: b for n, b in self._buffers.items() if n not in self._non_persistent_buffers_set}
        for name, t in {**self._parameters, **kept}.items():
            if t is not None:
                destination[prefix + name] = t if is_lazy(t) or keep_vars else t.detach()

    def _lazy_load_hook(self, state_dict: dict[str, Any], prefix: str, *rest: Any) -> None:
        """Before loading, initialize the parameters that have a size in the state dict."""
        for name, mine in (*self._parameters.items(), *self._buffers.items()):
            given = state_dict.get(prefix + name)
            if is_lazy(mine) and given is not None and not is_lazy(given):
                mine.materialize(given.shape)

    def _infer_parameters(self, module: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None = None) -> None:
        """Before the first call."""
        module.initialize_parameters(*args, **(kwargs or {}))
        if module.has_uninitialized_params():
            raise RuntimeError(f"module {self._get_name()} has not been fully initialized")
        module._initialize_hook.remove()
        module._load_hook.remove()
        del module._initialize_hook, module._load_hook
        module._buffers.update({name: b.data for name, b in module._buffers.items() if type(b) is Buffer})
        if module.cls_to_become is not None:
            module.__class__ = module.cls_to_become


class _Lazy(LazyModuleMixin):
    """Base class of the lazy layers: sizes are 0 at first."""

    def _leave_open(self, device: Device | None, dtype: dtype | None, *parameters: str) -> None:
        for name in parameters:
            setattr(self, name, UninitializedParameter(device=device, dtype=dtype))

    def reset_parameters(self) -> None:
        """Reinitialize the parameters that have sizes."""
        if not self.has_uninitialized_params() and self._size() != 0:
            super().reset_parameters()  # type: ignore[misc]


class LazyLinear(_Lazy, linear.Linear):
    """:class:`Linear` whose ``in_features`` is the last size of the first input.

    Shape:
        (*, any) → (*, out_features)

    Raises:
        RuntimeError: the parameters are used before the first input.

    >>> import warnings
    >>> import flambeau_tensor as ft
    >>> with warnings.catch_warnings(action="ignore"):
    ...     layer = LazyLinear(3)
    >>> layer(ft.ones(2, 5)).shape, layer
    (torch.Size([2, 3]), Linear(in_features=5, out_features=3, bias=True))
    """

    cls_to_become = linear.Linear

    def __init__(
        self, out_features: int, bias: bool = True, device: Device | None = None, dtype: dtype | None = None
    ) -> None:
        super().__init__(0, 0, False)
        self._leave_open(device, dtype, *(("weight", "bias") if bias else ("weight",)))
        self.out_features = out_features

    def _size(self) -> int:
        return self.in_features

    def initialize_parameters(self, input: Tensor) -> None:
        """Set the sizes of weight and bias, and initialize them."""
        self.in_features = input.shape[-1]
        if self.has_uninitialized_params():
            with no_grad():
                for name, shape in (("weight", (self.out_features, self.in_features)), ("bias", (self.out_features,))):
                    open_ = self._parameters[name]
                    if open_ is not None:
                        open_.materialize(shape)
                self.reset_parameters()


class _LazyConv(_Lazy):
    def _leave_open_channels(self, out_channels: int, bias: bool, device: Device | None, dtype: dtype | None) -> None:
        self._leave_open(device, dtype, *(("weight", "bias") if bias else ("weight",)))
        self.out_channels = out_channels

    def _size(self) -> int:
        return self.in_channels

    def _channels(self, input: Tensor) -> int:
        n = self._dims
        if input.ndim not in (n + 1, n + 2):
            raise RuntimeError(
                f"Expected {n + 1}D (unbatched) or {n + 2}D (batched) input to {self._get_name()}, but "
                f"got input of size: {input.shape}"
            )
        return input.shape[-n - 1]

    def initialize_parameters(self, input: Tensor, *args: Any, **kwargs: Any) -> None:
        """Set the sizes of weight and bias, and initialize them."""
        self.in_channels = self._channels(input)
        if self.has_uninitialized_params():
            if self.in_channels % self.groups:
                raise ValueError("in_channels must be divisible by groups")
            first, second = self.out_channels, self.in_channels
            if self.transposed:
                first, second = second, first
            with no_grad():
                self.weight.materialize((first, second // self.groups, *self.kernel_size))
                if self.bias is not None:
                    self.bias.materialize((self.out_channels,))
                self.reset_parameters()


class _LazyConvolution(_LazyConv):
    def __init__(
        self,
        out_channels: int,
        kernel_size: conv._Sizes,
        stride: conv._Sizes = 1,
        padding: str | conv._Sizes = 0,
        dilation: conv._Sizes = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Device | None = None,
        dtype: dtype | None = None,
    ) -> None:
        super().__init__(0, 0, kernel_size, stride, padding, dilation, groups, False, padding_mode)
        self._leave_open_channels(out_channels, bias, device, dtype)


class _LazyTransposed(_LazyConv):
    def __init__(
        self,
        out_channels: int,
        kernel_size: conv._Sizes,
        stride: conv._Sizes = 1,
        padding: conv._Sizes = 0,
        output_padding: conv._Sizes = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: conv._Sizes = 1,
        padding_mode: str = "zeros",
        device: Device | None = None,
        dtype: dtype | None = None,
    ) -> None:
        super().__init__(0, 0, kernel_size, stride, padding, output_padding, groups, False, dilation, padding_mode)
        self._leave_open_channels(out_channels, bias, device, dtype)


class LazyConv1d(_LazyConvolution, conv.Conv1d):
    """:class:`Conv1d` whose ``in_channels`` are those of the first input.

    Shape:
        (N, C, L) → (N, out_channels, …), with the sizes of the class that it becomes

    Raises:
        RuntimeError: the first input has neither two nor three dimensions.

    >>> import warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     layer = LazyConv1d(4, 3)
    >>> layer(torch.ones(2, 3, 5)).shape, type(layer).__name__
    (torch.Size([2, 4, 3]), 'Conv1d')
    """

    cls_to_become = conv.Conv1d


class LazyConv2d(_LazyConvolution, conv.Conv2d):
    """:class:`Conv2d` whose ``in_channels`` are those of the first input.

    Shape:
        (N, C, H, W) → (N, out_channels, …), with the sizes of the class that it becomes

    Raises:
        RuntimeError: the first input has neither three nor four dimensions.

    >>> import warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     layer = LazyConv2d(4, 3)
    >>> layer(torch.ones(2, 3, 5, 5)).shape, type(layer).__name__
    (torch.Size([2, 4, 3, 3]), 'Conv2d')
    """

    cls_to_become = conv.Conv2d


class LazyConv3d(_LazyConvolution, conv.Conv3d):
    """:class:`Conv3d` whose ``in_channels`` are those of the first input.

    Shape:
        (N, C, D, H, W) → (N, out_channels, …), with the sizes of the class that it becomes

    Raises:
        RuntimeError: the first input has neither four nor five dimensions.

    >>> import warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     layer = LazyConv3d(4, 3)
    >>> layer(torch.ones(2, 3, 5, 5, 5)).shape, type(layer).__name__
    (torch.Size([2, 4, 3, 3, 3]), 'Conv3d')
    """

    cls_to_become = conv.Conv3d


class LazyConvTranspose1d(_LazyTransposed, conv.ConvTranspose1d):
    """:class:`ConvTranspose1d` whose ``in_channels`` are those of the first input.

    Shape:
        (N, C, L) → (N, out_channels, …), with the sizes of the class that it becomes

    Raises:
        RuntimeError: the first input has neither two nor three dimensions.

    >>> import warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     layer = LazyConvTranspose1d(4, 3)
    >>> layer(torch.ones(2, 3, 5)).shape, type(layer).__name__
    (torch.Size([2, 4, 7]), 'ConvTranspose1d')
    """

    cls_to_become = conv.ConvTranspose1d


class LazyConvTranspose2d(_LazyTransposed, conv.ConvTranspose2d):
    """:class:`ConvTranspose2d` whose ``in_channels`` are those of the first input.

    Shape:
        (N, C, H, W) → (N, out_channels, …), with the sizes of the class that it becomes

    Raises:
        RuntimeError: the first input has neither three nor four dimensions.

    >>> import warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     layer = LazyConvTranspose2d(4, 3)
    >>> layer(torch.ones(2, 3, 5, 5)).shape, type(layer).__name__
    (torch.Size([2, 4, 7, 7]), 'ConvTranspose2d')
    """

    cls_to_become = conv.ConvTranspose2d


class LazyConvTranspose3d(_LazyTransposed, conv.ConvTranspose3d):
    """:class:`ConvTranspose3d` whose ``in_channels`` are those of the first input.

    Shape:
        (N, C, D, H, W) → (N, out_channels, …), with the sizes of the class that it becomes

    Raises:
        RuntimeError: the first input has neither four nor five dimensions.

    >>> import warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     layer = LazyConvTranspose3d(4, 3)
    >>> layer(torch.ones(2, 3, 5, 5, 5)).shape, type(layer).__name__
    (torch.Size([2, 4, 7, 7, 7]), 'ConvTranspose3d')
    """

    cls_to_become = conv.ConvTranspose3d


class _LazyNorm(_Lazy):
    def __init__(
        self,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Device | None = None,
        dtype: dtype | None = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(0, eps, momentum, False, False)
        self.affine, self.track_running_stats = affine, track_running_stats
        if affine:
            self._leave_open(device, dtype, *(("weight", "bias") if bias else ("weight",)))
        if track_running_stats:
            self.running_mean = UninitializedBuffer(device=device, dtype=dtype)
            self.running_var = UninitializedBuffer(device=device, dtype=dtype)
            self.num_batches_tracked = ft.tensor(0)

    def _size(self) -> int:
        return self.num_features

    def initialize_parameters(self, input: Tensor) -> None:
        """Allocate parameters and statistics with their sizes, and set their initial values."""
        channels = input.shape[self._channel_dim(input)]
        self.num_features = channels
        if self.has_uninitialized_params():
            for t in (self.weight, self.bias, self.running_mean, self.running_var):
                if is_lazy(t):
                    t.materialize((channels,))
            self.reset_parameters()

    def _channel_dim(self, input: Tensor) -> int:
        return 1


class LazyBatchNorm1d(_LazyNorm, batchnorm.BatchNorm1d):
    """:class:`BatchNorm1d` whose ``num_features`` are the channels of the first input.

    Shape:
        (N, C, L) → the same

    Raises:
        ValueError: the first input has neither two nor three dimensions.

    >>> import warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     layer = LazyBatchNorm1d()
    >>> layer(torch.ones(2, 3, 5)).shape, type(layer).__name__
    (torch.Size([2, 3, 5]), 'BatchNorm1d')
    """

    cls_to_become = batchnorm.BatchNorm1d


class LazyBatchNorm2d(_LazyNorm, batchnorm.BatchNorm2d):
    """:class:`BatchNorm2d` whose ``num_features`` are the channels of the first input.

    Shape:
        (N, C, H, W) → the same

    Raises:
        ValueError: the first input does not have four dimensions.

    >>> import warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     layer = LazyBatchNorm2d()
    >>> layer(torch.ones(2, 3, 5, 5)).shape, type(layer).__name__
    (torch.Size([2, 3, 5, 5]), 'BatchNorm2d')
    """

    cls_to_become = batchnorm.BatchNorm2d


class LazyBatchNorm3d(_LazyNorm, batchnorm.BatchNorm3d):
    """:class:`BatchNorm3d` whose ``num_features`` are the channels of the first input.

    Shape:
        (N, C, D, H, W) → the same

    Raises:
        ValueError: the first input does not have five dimensions.

    >>> import warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     layer = LazyBatchNorm3d()
    >>> layer(torch.ones(2, 3, 5, 5, 5)).shape, type(layer).__name__
    (torch.Size([2, 3, 5, 5, 5]), 'BatchNorm3d')
    """

    cls_to_become = batchnorm.BatchNorm3d


class _LazyInstanceNorm(_LazyNorm):
    def _channel_dim(self, input: Tensor) -> int:
        return 0 if input.ndim == self._dims[0] else 1  # without a batch


class LazyInstanceNorm1d(_LazyInstanceNorm, instancenorm.InstanceNorm1d):
    """:class:`InstanceNorm1d` whose ``num_features`` are the channels of the first input.

    Shape:
        (N, C, L) → the same

    Raises:
        ValueError: the first input has neither two nor three dimensions.

    >>> import warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     layer = LazyInstanceNorm1d()
    >>> layer(torch.ones(2, 3, 5)).shape, type(layer).__name__
    (torch.Size([2, 3, 5]), 'InstanceNorm1d')
    """

    cls_to_become = instancenorm.InstanceNorm1d


class LazyInstanceNorm2d(_LazyInstanceNorm, instancenorm.InstanceNorm2d):
    """:class:`InstanceNorm2d` whose ``num_features`` are the channels of the first input.

    Shape:
        (N, C, H, W) → the same

    Raises:
        ValueError: the first input has neither three nor four dimensions.

    >>> import warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     layer = LazyInstanceNorm2d()
    >>> layer(torch.ones(2, 3, 5, 5)).shape, type(layer).__name__
    (torch.Size([2, 3, 5, 5]), 'InstanceNorm2d')
    """

    cls_to_become = instancenorm.InstanceNorm2d


class LazyInstanceNorm3d(_LazyInstanceNorm, instancenorm.InstanceNorm3d):
    """:class:`InstanceNorm3d` whose ``num_features`` are the channels of the first input.

    Shape:
        (N, C, D, H, W) → the same

    Raises:
        ValueError: the first input has neither four nor five dimensions.

    >>> import warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     layer = LazyInstanceNorm3d()
    >>> layer(torch.ones(2, 3, 5, 5, 5)).shape, type(layer).__name__
    (torch.Size([2, 3, 5, 5, 5]), 'InstanceNorm3d')
    """

    cls_to_become = instancenorm.InstanceNorm3d
