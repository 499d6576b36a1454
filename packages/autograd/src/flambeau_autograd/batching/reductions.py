"""Batching of reductions, scans and what is normalized over a dimension."""

from flambeau_autograd.batching.table import along, batched, reduced

batched(reduced, "torch.sum", "torch.nansum", "torch.prod", "torch.mean", "torch.amax", "torch.amin", "torch.argmax",
        "torch.argmin", "torch.all", "torch.any", "torch.count_nonzero", "torch._ops.var", "torch._ops.std",
        "torch.logsumexp", "torch.linalg.vector_norm")
batched(along, "torch._ops.max", "torch._ops.min", "torch.softmax", "torch.log_softmax", "torch.cumsum",
        "torch.cumprod", "torch.cummax", "torch.cummin", "torch.logcumsumexp", "torch._ops.logcumsumexp_shares",
        "torch.sort", "torch.argsort", "torch.topk", "torch.kthvalue", "torch.mode", "torch._ops.median",
        "torch._ops.nanmedian")
