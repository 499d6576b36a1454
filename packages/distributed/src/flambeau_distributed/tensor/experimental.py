"""``torch.distributed.tensor.experimental``, which is not built."""

from flambeau_distributed.unbuilt import function_not_built as _function

context_parallel = _function("tensor.experimental.context_parallel")
implicit_replication = _function("tensor.experimental.implicit_replication")
local_map = _function("tensor.experimental.local_map")
