"""Normalization over batches."""

from __future__ import annotations

from typing import Any

import flambeau_tensor as ft
from flambeau_nn import functional as F
from flambeau_nn import init
from flambeau_nn.modules.module import Module
from flambeau_nn.parameter import Parameter
from flambeau_tensor import Tensor, dtype
from flambeau_tensor.options import Device

__all__ = ["BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "SyncBatchNorm"]


class _NormBase(Module):
    """Running statistics and trained weights for each channel."""

    _version = 2
    __constants__ = ["affine", "eps", "momentum", "num_features", "track_running_stats"]
    num_features: int
    eps: float
    momentum: float | None
    affine: bool
    track_running_stats: bool
    running_mean: Any  # a tensor, or None
    running_var: Any
    num_batches_tracked: Any

    def __init__(
        self,
        num_features: int,
        eps: float,
        momentum: float | None,
        affine: bool,
        track_running_stats: bool,
        device: Device | None = None,
        dtype: dtype | None = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__()
        self.num_features = num_features
        self.eps = eps
        self.momentum = momentum
        self.affine = affine
        self.track_running_stats = track_running_stats
        options: dict[str, Any] = {"device": device, "dtype": dtype}
        for name, wanted in (("weight", affine), ("bias", affine and bias)):
            self.register_parameter(name, Parameter(ft.empty((num_features,), **options)) if wanted else None)
        if track_running_stats:
            self.register_buffer("running_mean", ft.zeros((num_features,), **options))
            self.register_buffer("running_var", ft.ones((num_features,), **options))
            self.register_buffer("num_batches_tracked", ft.tensor(0, dtype=ft.int64, device=device))
        else:
            for name in ("running_mean", "running_var", "num_batches_tracked"):
                self.register_buffer(name, None)
        self.reset_parameters()

    def reset_running_stats(self) -> None:
        """Reset the running mean and variance."""
        if self.track_running_stats:
            self.running_mean.zero_()
            self.running_var.fill_(1)
            self.num_batches_tracked.zero_()

    def reset_parameters(self) -> None:
        """Reset the statistics, and set weight to ones and bias to zeros."""
        self.reset_running_stats()
        if self.weight is not None:
            init.ones_(self.weight)
        if self.bias is not None:
            init.zeros_(self.bias)

    def _check_input_dim(self, input: Tensor) -> None:
        if input.dim() not in self._dims:
            wanted = " or ".join(f"{d}D" for d in self._dims)
            raise ValueError(f"expected {wanted} input (got {input.dim()}D input)")

    def extra_repr(self) -> str:
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, affine={self.affine}, "
            f"bias={self.bias is not None}, track_running_stats={self.track_running_stats}"
        )

    def _load_from_state_dict(
        self, state_dict: dict[str, Any], prefix: str, local_metadata: dict[str, Any], *args: Any
    ) -> None:
        version = local_metadata.get("version")
        key = f"{prefix}num_batches_tracked"
        if (version is None or version < 2) and self.track_running_stats and key not in state_dict:
            state_dict[key] = self.num_batches_tracked if self.num_batches_tracked is not None else ft.tensor(0)
        super()._load_from_state_dict(state_dict, prefix, local_metadata, *args)


class _BatchNorm(_NormBase):
    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Device | None = None,
        dtype: dtype | None = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias)

    def forward(self, input: Tensor) -> Tensor:
        self._check_input_dim(input)
        momentum = 0.0 if self.momentum is None else self.momentum
        if self.training and self.track_running_stats and self.num_batches_tracked is not None:
            self.num_batches_tracked.add_(1)
            if self.momentum is None:  # the plain average of all batches
                momentum = 1.0 / self.num_batches_tracked.item()
        of_batch = self.training or (self.running_mean is None and self.running_var is None)
        keep = not self.training or self.track_running_stats
        return F.batch_norm(
            input,
            self.running_mean if keep else None,
            self.running_var if keep else None,
            self.weight,
            self.bias,
            of_batch,
            momentum,
            self.eps,
        )


class BatchNorm1d(_BatchNorm):
    """(x - mean) / sqrt(var + eps) · weight + bias for each channel of (N, C) or (N, C, L) (Ioffe and Szegedy, 2015).

    In training, mean and (biased) variance are those of the batch, and update the running ones with weight `momentum`
    (None: a cumulative average); in evaluation, the running ones are used.

    Shape:
        (N, C) or (N, C, L) → the same

    Raises:
        ValueError: the input has neither two nor three dimensions; in training, a channel has only one value.
        RuntimeError: the number of input channels does not match.

    >>> norm = BatchNorm1d(2)
    >>> norm(torch.tensor([[1.0, 10.0], [3.0, 30.0]])).detach()
    tensor([[-1.0000, -1.0000],
            [ 1.0000,  1.0000]])
    >>> norm.running_mean
    tensor([0.2000, 2.0000])
    """

    _dims = (2, 3)


class BatchNorm2d(_BatchNorm):
    """BatchNorm1d for (N, C, H, W).

    Shape:
        (N, C, H, W) → (N, C, H, W)

    Raises:
        ValueError: the input does not have four dimensions; in training, a channel has only one value.
        RuntimeError: the number of input channels does not match.

    >>> y = BatchNorm2d(3)(torch.rand(8, 3, 4, 4))
    >>> y.shape, abs(y.mean((0, 2, 3))).max() < 1e-5
    (torch.Size([8, 3, 4, 4]), tensor(True))
    """

    _dims = (4,)


class BatchNorm3d(_BatchNorm):
    """BatchNorm1d for (N, C, D, H, W).

    Shape:
        (N, C, D, H, W) → (N, C, D, H, W)

    Raises:
        ValueError: the input does not have five dimensions; in training, a channel has only one value.
        RuntimeError: the number of input channels does not match.

    >>> BatchNorm3d(3)(torch.rand(2, 3, 2, 4, 4)).shape
    torch.Size([2, 3, 2, 4, 4])
    """

    _dims = (5,)


class SyncBatchNorm(_BatchNorm):
    """BatchNorm1d for (N, C, *). The statistics are those of the only process.

    Shape:
        (N, C, *) → (N, C, *)

    Raises:
        ValueError: the input has fewer than two dimensions; in training, a channel has only one value.

    >>> SyncBatchNorm(2)(torch.tensor([[1.0, 10.0], [3.0, 30.0]])).detach()
    tensor([[-1.0000, -1.0000],
            [ 1.0000,  1.0000]])
    >>> model = torch.nn.Sequential(torch.nn.BatchNorm1d(2))
    >>> SyncBatchNorm.convert_sync_batchnorm(model)[0]
    SyncBatchNorm(2, eps=1e-05, momentum=0.1, affine=True, bias=True, track_running_stats=True)
    """

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        process_group: object = None,
        device: Device | None = None,
        dtype: dtype | None = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias)
        self.process_group = process_group

    def _check_input_dim(self, input: Tensor) -> None:
        if input.dim() < 2:
            raise ValueError(f"expected at least 2D input (got {input.dim()}D input)")

    @classmethod
    def convert_sync_batchnorm(cls, module: Module, process_group: object = None) -> Module:
        """Return the module with all batch normalization replaced by SyncBatchNorm, with the same parameters and
        buffers."""
        converted = module
        if isinstance(module, _BatchNorm):
            converted = cls(
                module.num_features,
                module.eps,
                module.momentum,
                module.affine,
                module.track_running_stats,
                process_group,
            )
            for kept in ("weight", "bias") if module.affine else ():
                setattr(converted, kept, getattr(module, kept))
            for kept in ("running_mean", "running_var", "num_batches_tracked", "training"):
                setattr(converted, kept, getattr(module, kept))
        for name, child in module.named_children():
            converted.add_module(name, cls.convert_sync_batchnorm(child, process_group))
        return converted
