"""``torch.distributed.tensor``: tensors that are sharded over several processes, which are not built."""

from flambeau_distributed.unbuilt import class_not_built as _class
from flambeau_distributed.unbuilt import function_not_built as _function

DTensor = _class("tensor.DTensor")
DeviceMesh = _class("tensor.DeviceMesh")
Partial = _class("tensor.Partial")
Placement = _class("tensor.Placement")
Replicate = _class("tensor.Replicate")
Shard = _class("tensor.Shard")
distribute_module = _function("tensor.distribute_module")
distribute_tensor = _function("tensor.distribute_tensor")
