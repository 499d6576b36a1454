"""Normalization of each sample separately."""

from __future__ import annotations

from flambeau_nn import functional as F
from flambeau_nn.modules.batchnorm import _NormBase
from flambeau_tensor import Tensor, dtype
from flambeau_tensor.options import Device

__all__ = ["InstanceNorm1d", "InstanceNorm2d", "InstanceNorm3d"]


class _InstanceNorm(_NormBase):
    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float = 0.1,
        affine: bool = False,
        track_running_stats: bool = False,
        device: Device | None = None,
        dtype: dtype | None = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias)

    def _get_no_batch_dim(self) -> int:
        return self._dims[0]

    def forward(self, input: Tensor) -> Tensor:
        self._check_input_dim(input)
        single = input.dim() == self._dims[0]
        channels = input.shape[0 if single else 1]
        if channels != self.num_features and self.affine:
            raise ValueError(
                f"expected input's size at dim={0 if single else 1} to match num_features "
                f"({self.num_features}), but got: {channels}."
            )
        batch = input.unsqueeze(0) if single else input
        out = F.instance_norm(
            batch,
            self.running_mean,
            self.running_var,
            self.weight,
            self.bias,
            self.training or not self.track_running_stats,
            0.0 if self.momentum is None else self.momentum,
            self.eps,
        )
        return out.squeeze(0) if single else out


class InstanceNorm1d(_InstanceNorm):
    """BatchNorm1d of each sample separately, for (N, C, L) or (C, L) (Ulyanov et al., 2016).

    Shape:
        (N, C, L) or (C, L) → the same

    Raises:
        ValueError: the input has neither two nor three dimensions; in training, a channel of an example has only one
            value; with ``affine``, the number of input channels does not match.

    >>> InstanceNorm1d(2)(torch.tensor([[1.0, 3.0], [10.0, 30.0]]))
    tensor([[-1.0000,  1.0000],
            [-1.0000,  1.0000]])
    """

    _dims = (2, 3)


class InstanceNorm2d(_InstanceNorm):
    """InstanceNorm1d for (N, C, H, W) or (C, H, W).

    Shape:
        (N, C, H, W) or (C, H, W) → the same

    Raises:
        ValueError: the input has neither three nor four dimensions; in training, a channel of an example has only one
            value; with ``affine``, the number of input channels does not match.

    >>> y = InstanceNorm2d(3)(torch.rand(2, 3, 8, 8))
    >>> abs(y.mean((2, 3))).max() < 1e-5
    tensor(True)
    """

    _dims = (3, 4)


class InstanceNorm3d(_InstanceNorm):
    """InstanceNorm1d for (N, C, D, H, W) or (C, D, H, W).

    Shape:
        (N, C, D, H, W) or (C, D, H, W) → the same

    Raises:
        ValueError: the input has neither four nor five dimensions; in training, a channel of an example has only one
            value; with ``affine``, the number of input channels does not match.

    >>> InstanceNorm3d(3)(torch.rand(2, 3, 2, 4, 4)).shape
    torch.Size([2, 3, 2, 4, 4])
    """

    _dims = (4, 5)
