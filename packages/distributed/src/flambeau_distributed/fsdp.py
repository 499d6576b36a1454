"""``torch.distributed.fsdp``: parameters that are sharded over several processes, which is not built."""

from flambeau_distributed.unbuilt import class_not_built as _class
from flambeau_distributed.unbuilt import function_not_built as _function

CPUOffload = _class("fsdp.CPUOffload")
FullStateDictConfig = _class("fsdp.FullStateDictConfig")
FullyShardedDataParallel = _class("fsdp.FullyShardedDataParallel")
MixedPrecision = _class("fsdp.MixedPrecision")
MixedPrecisionPolicy = _class("fsdp.MixedPrecisionPolicy")
CPUOffloadPolicy = _class("fsdp.CPUOffloadPolicy")
FSDPModule = _class("fsdp.FSDPModule")
ShardingStrategy = _class("fsdp.ShardingStrategy")
StateDictType = _class("fsdp.StateDictType")
fully_shard = _function("fsdp.fully_shard")
