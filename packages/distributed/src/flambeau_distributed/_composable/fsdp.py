"""The names of ``torch.distributed.fsdp`` under its older name; none of it is built."""

from flambeau_distributed import fsdp as _fsdp

CPUOffloadPolicy, FSDPModule = _fsdp.CPUOffloadPolicy, _fsdp.FSDPModule
MixedPrecisionPolicy, fully_shard = _fsdp.MixedPrecisionPolicy, _fsdp.fully_shard
