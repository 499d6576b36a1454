"""``torch.distributed.tensor``: tensors that lie apart in several processes, which are not built."""

from flambeau.distributed import class_not_built as _class
from flambeau.distributed import function_not_built as _function

for _name in ("DTensor", "DeviceMesh", "Partial", "Placement", "Replicate", "Shard"):
    globals()[_name] = _class(f"tensor.{_name}")
distribute_module = _function("tensor.distribute_module")
distribute_tensor = _function("tensor.distribute_tensor")
