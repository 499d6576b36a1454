"""``torch.distributed.tensor.placement_types``: the placements of sharded tensors, which are not built."""

from flambeau_distributed.tensor import Partial as Partial
from flambeau_distributed.tensor import Placement as Placement
from flambeau_distributed.tensor import Replicate as Replicate
from flambeau_distributed.tensor import Shard as Shard
