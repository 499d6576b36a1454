"""Channel shuffling."""

from flambeau_nn import functional as F
from flambeau_nn.modules.module import Module
from flambeau_tensor import Tensor

__all__ = ["ChannelShuffle"]


class ChannelShuffle(Module):
    """The channels of all groups interleaved, see :func:`torch.channel_shuffle`.

    Shape:
        (N, C, *), C divisible by ``groups``

    Raises:
        RuntimeError: the channels are not divisible by ``groups``.

    >>> ChannelShuffle(2)(torch.arange(4.0).reshape(1, 4, 1)).flatten()
    tensor([0., 2., 1., 3.])
    """

    __constants__ = ["groups"]
    groups: int

    def __init__(self, groups: int) -> None:
        super().__init__()
        self.groups = groups

    def forward(self, input: Tensor) -> Tensor:
        return F.channel_shuffle(input, self.groups)

    def extra_repr(self) -> str:
        return f"groups={self.groups}"
