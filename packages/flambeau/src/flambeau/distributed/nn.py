"""``torch.distributed.nn``: reductions over processes that have gradients, which are not built."""

from flambeau.distributed import ReduceOp as ReduceOp
from flambeau.distributed import function_not_built as _function

for _name in (
    "all_gather",
    "all_reduce",
    "all_to_all",
    "all_to_all_single",
    "broadcast",
    "gather",
    "reduce",
    "reduce_scatter",
    "scatter",
):
    globals()[_name] = _function(f"nn.{_name}")
