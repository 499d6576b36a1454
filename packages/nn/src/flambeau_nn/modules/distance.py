"""Distances and similarities."""

from flambeau_nn import functional as F
from flambeau_nn.modules.module import Module
from flambeau_tensor import Tensor

__all__ = ["CosineSimilarity", "PairwiseDistance"]


class PairwiseDistance(Module):
    """The p-norm of x1 - x2 + eps along the last dimension.

    Shape:
        (N, D) or (D), twice → (N) or ()

    Raises:
        RuntimeError: sizes cannot be broadcast.

    >>> PairwiseDistance()(torch.zeros(2, 2), torch.tensor([[3.0, 4.0], [0.0, 1.0]]))
    tensor([5.0000, 1.0000])
    """

    __constants__ = ["eps", "keepdim", "norm"]

    def __init__(self, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> None:
        super().__init__()
        self.norm = p
        self.eps = eps
        self.keepdim = keepdim

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:
        return F.pairwise_distance(x1, x2, self.norm, self.eps, self.keepdim)


class CosineSimilarity(Module):
    """The cosine of the angle between vectors along `dim`.

    Shape:
        (*, D, *) twice, D at `dim` → (*, *)

    Raises:
        RuntimeError: sizes cannot be broadcast.
        IndexError: the dimension is out of range.

    >>> CosineSimilarity()(torch.tensor([[1.0, 0.0]]), torch.tensor([[1.0, 1.0]]))
    tensor([0.7071])
    """

    __constants__ = ["dim", "eps"]

    def __init__(self, dim: int = 1, eps: float = 1e-8) -> None:
        super().__init__()
        self.dim = dim
        self.eps = eps

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:
        return F.cosine_similarity(x1, x2, self.dim, self.eps)
