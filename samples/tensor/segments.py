"""Calls of what reduces segments."""

import flambeau_tensor as torch
from samples import call, real

TABLE = {
    "segment_reduce": call(real(4, 2), "mean", lengths=torch.tensor([1, 3])),
    "segment_reduce, largest": call(real(4, 2), "max", offsets=torch.tensor([0, 2, 4])),
    "segment_reduce, sum": call(real(4), "sum", lengths=torch.tensor([1, 0, 3]), initial=0.5),
    "_segment_reduce": call(real(4, 2), "min", lengths=torch.tensor([2, 2])),
}
