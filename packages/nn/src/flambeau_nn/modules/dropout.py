"""Dropout as modules: active while training only."""

from flambeau_nn import functional as F
from flambeau_nn.modules.module import Module
from flambeau_tensor import Tensor

__all__ = ["AlphaDropout", "Dropout", "Dropout1d", "Dropout2d", "Dropout3d", "FeatureAlphaDropout"]


class _DropoutNd(Module):
    __constants__ = ["inplace", "p"]
    p: float
    inplace: bool

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        if p < 0 or p > 1:
            raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
        self.p = p
        self.inplace = inplace

    def extra_repr(self) -> str:
        return f"p={self.p}, inplace={self.inplace}"


class Dropout(_DropoutNd):
    """Sets each element to zero with probability `p` and divides it by 1 - p otherwise (Hinton et al., 2012).

    Shape:
        (*) → (*)

    Raises:
        ValueError: ``p`` is not between 0 and 1.

    >>> dropout, x = Dropout(0.5), torch.ones(4)
    >>> sorted(set(dropout(torch.ones(100)).tolist()))
    [0.0, 2.0]
    >>> dropout.eval()(x)
    tensor([1., 1., 1., 1.])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.dropout(input, self.p, self.training, self.inplace)


class Dropout1d(_DropoutNd):
    """Dropout of whole channels of (N, C, L) or (C, L).

    Shape:
        (N, C, L) or (C, L) → the same

    Raises:
        ValueError: ``p`` is not between 0 and 1.
        RuntimeError: the input has neither two nor three dimensions.

    >>> _ = torch.manual_seed(3)
    >>> Dropout1d(0.5)(torch.ones(3, 2))
    tensor([[2., 2.],
            [2., 2.],
            [0., 0.]])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.dropout1d(input, self.p, self.training, self.inplace)


class Dropout2d(_DropoutNd):
    """Dropout of whole channels of (N, C, H, W).

    Shape:
        (N, C, H, W) or (C, H, W) → the same

    Raises:
        ValueError: ``p`` is not between 0 and 1.

    >>> y = Dropout2d(0.5)(torch.ones(4, 3, 2, 2))
    >>> bool(((y == 0).all((2, 3)) | (y == 2).all((2, 3))).all())
    True
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.dropout2d(input, self.p, self.training, self.inplace)


class Dropout3d(_DropoutNd):
    """Dropout of whole channels of (N, C, D, H, W) or (C, D, H, W).

    Shape:
        (N, C, D, H, W) or (C, D, H, W) → the same

    Raises:
        ValueError: ``p`` is not between 0 and 1.

    >>> Dropout3d(0.5).eval()(torch.ones(1, 2, 1, 1, 1)).flatten()
    tensor([1., 1.])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.dropout3d(input, self.p, self.training, self.inplace)


class AlphaDropout(_DropoutNd):
    """Dropout that preserves the mean and variance of the results of selu.

    Shape:
        (*) → (*)

    Raises:
        ValueError: ``p`` is not between 0 and 1.

    >>> x = torch.ones(3)
    >>> AlphaDropout(0.2).eval()(x)
    tensor([1., 1., 1.])
    >>> _ = torch.manual_seed(0)
    >>> y = AlphaDropout(0.5)(torch.nn.functional.selu(torch.randn(10000)))
    >>> y.mean().abs() < 0.05, (y.std() - 1).abs() < 0.05
    (tensor(True), tensor(True))
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.alpha_dropout(input, self.p, self.training)


class FeatureAlphaDropout(_DropoutNd):
    """AlphaDropout of whole channels.

    Shape:
        (N, C, *) → (N, C, *)

    Raises:
        ValueError: ``p`` is not between 0 and 1.

    >>> FeatureAlphaDropout(0.5).eval()(torch.ones(1, 2, 2))
    tensor([[[1., 1.],
             [1., 1.]]])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.feature_alpha_dropout(input, self.p, self.training)
