"""``torch.distributed.tensor.parallel``: layers that are sharded over several processes, which are not built."""

from flambeau_distributed.unbuilt import class_not_built as _class
from flambeau_distributed.unbuilt import function_not_built as _function

for _name in (
    "ColwiseParallel",
    "ParallelStyle",
    "PrepareModuleInput",
    "PrepareModuleOutput",
    "RowwiseParallel",
    "SequenceParallel",
):
    globals()[_name] = _class(f"tensor.parallel.{_name}")
loss_parallel = _function("tensor.parallel.loss_parallel")
parallelize_module = _function("tensor.parallel.parallelize_module")
