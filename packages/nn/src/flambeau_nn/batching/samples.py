"""The rule of operations on independent samples: a batch adds more of them."""

from flambeau_autograd.batching.table import all_batch_first, call, looped


def as_samples(rank, *sizes):
    """Merge batch and samples into one dimension; if a tensor has no samples, the batch takes their dimension.

    rank: the number of dimensions of the first tensor if it has samples: an int, a function of the arguments, or None
        if it always has them.
    sizes: the positions of arguments that are the size of a tensor.
    """

    def rule(level, op, args, dims):
        given = args[0].ndim - (dims[0] is not None)
        wanted = rank(args) if callable(rank) else rank or given
        if level.size == 0 or given not in (wanted - 1, wanted):
            return looped(level, op, args, dims)
        args = all_batch_first(level, args, dims)
        lead = (level.size, args[0].shape[1]) if given == wanted else (level.size,)
        for i, a in enumerate(args):
            if i in sizes:
                args[i] = (level.size * a[0], *a[1:]) if given == wanted else (level.size, *a)
            elif given == wanted and hasattr(a, "shape"):
                args[i] = a.reshape((a.shape[0] * a.shape[1], *a.shape[2:]))
        result = call(op, *args)
        if isinstance(result, tuple):
            shaped = tuple(None if t is None else t.reshape((*lead, *t.shape[1:])) for t in result)
            return shaped, tuple(None if t is None else 0 for t in result)
        return result.reshape((*lead, *result.shape[1:])), 0

    return rule
