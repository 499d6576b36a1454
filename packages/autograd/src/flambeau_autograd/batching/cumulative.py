"""Batching of running sums, products and extremes."""

from flambeau_autograd.batching.table import along, batched

batched(
    along,
    "torch.cumsum",
    "torch.cumprod",
    "torch.cummax",
    "torch.cummin",
    "torch.logcumsumexp",
    "torch._ops.logcumsumexp_shares",
)
