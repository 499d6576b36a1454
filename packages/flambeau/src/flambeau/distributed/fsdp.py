"""``torch.distributed.fsdp``: parameters that lie apart in several processes, which is not built."""

from flambeau.distributed import class_not_built as _class
from flambeau.distributed import function_not_built as _function

for _name in (
    "CPUOffload",
    "FullStateDictConfig",
    "FullyShardedDataParallel",
    "MixedPrecision",
    "MixedPrecisionPolicy",
    "CPUOffloadPolicy",
    "FSDPModule",
    "ShardingStrategy",
    "StateDictType",
):
    globals()[_name] = _class(f"fsdp.{_name}")
fully_shard = _function("fsdp.fully_shard")
