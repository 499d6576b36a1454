"""Batching of reductions and of normalization over a dimension."""

from flambeau_autograd.batching.table import along, batch_first, batched, call, in_dim_0, reduced
from flambeau_tensor.extend import find_operator

batched(
    reduced,
    "torch.sum",
    "torch.nansum",
    "torch.prod",
    "torch.mean",
    "torch.amax",
    "torch.amin",
    "torch.argmax",
    "torch.argmin",
    "torch.all",
    "torch.any",
    "torch.count_nonzero",
    "torch._ops.var",
    "torch._ops.std",
    "torch.logsumexp",
    "torch.linalg.vector_norm",
)
batched(
    along,
    "torch.max.dim",
    "torch.min.dim",
    "torch.softmax",
    "torch.log_softmax",
)


def total(level, op, args, dims):
    """Reduce all elements of each batch element, along one flattened dimension."""
    rows = batch_first(args[0], dims[0]).reshape((level.size, -1))
    return in_dim_0(call(find_operator(f"torch.{op.name}.dim"), rows, 1, False, None)[0])


batched(total, "torch.max.default", "torch.min.default")


def of_all_examples(level, op, args, dims):
    """Return one result for the whole batch."""
    return call(op, args[0]), None


batched(of_all_examples, "torch._is_all_true", "torch._is_any_true")
