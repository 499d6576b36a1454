"""Batching of pooling: planes are pooled alone, so examples are more of them."""

from flambeau_autograd.batching.table import all_batch_first, batched, call, looped
from flambeau_nn.ops import pooling as ops


def _planes(n, *sizes):
    """The rule of pooling over `n` dimensions: examples and samples as one dimension.

    sizes: the positions of arguments that are the size of a tensor.
    """

    def rule(level, op, args, dims):
        dims_pooled = n or args[2 if op is not ops.max_pool_backward else 3]
        rank = args[0].ndim - (dims[0] is not None)
        if level.size == 0 or rank not in (dims_pooled + 1, dims_pooled + 2):
            return looped(level, op, args, dims)
        args = all_batch_first(level, args, dims)
        samples = rank == dims_pooled + 2
        for i, a in enumerate(args):
            if i in sizes:
                args[i] = (level.size * a[0], *a[1:]) if samples else (level.size, *a)
            elif samples and hasattr(a, "shape"):
                args[i] = a.reshape((level.size * a.shape[1], *a.shape[2:]))
        result = call(op, *args)

        def apart(t):
            return (
                t.reshape((level.size, -1, *t.shape[1:]))
                if samples and t.shape[0]
                else t.reshape((level.size, 0, *t.shape[1:]))
                if samples
                else t
            )

        return (tuple(map(apart, result)), (0,) * len(result)) if isinstance(result, tuple) else (apart(result), 0)

    return rule


for _n in ops.DIMS:
    batched(_planes(_n), ops.avg_pools[_n], ops.adaptive_avg_pools[_n], ops.max_pools[_n], ops.adaptive_max_pools[_n])
batched(_planes(None, 1), ops.avg_pool_backward, ops.adaptive_avg_pool_backward)
batched(_planes(None, 2), ops.max_pool_backward)
