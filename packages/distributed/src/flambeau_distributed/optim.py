"""``torch.distributed.optim``: optimizers that several processes share, which are not built."""

from flambeau_distributed.unbuilt import class_not_built as _class

for _name in ("DistributedOptimizer", "PostLocalSGDOptimizer", "ZeroRedundancyOptimizer"):
    globals()[_name] = _class(f"optim.{_name}")
