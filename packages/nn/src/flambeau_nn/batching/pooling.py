"""Batching of pooling: each plane is pooled separately."""

from flambeau_autograd.batching.table import batched
from flambeau_nn.batching.samples import as_samples
from flambeau_nn.ops import pooling as ops

for _n in ops.DIMS:
    batched(
        as_samples(_n + 2),
        ops.avg_pools[_n],
        ops.adaptive_avg_pools[_n],
        ops.max_pools[_n],
        ops.adaptive_max_pools[_n],
    )
batched(as_samples(lambda args: args[2] + 2, 1), ops.avg_pool_backward, ops.adaptive_avg_pool_backward)
batched(as_samples(lambda args: args[3] + 2, 2), ops.max_pool_backward)
