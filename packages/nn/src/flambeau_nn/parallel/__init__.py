"""``torch.nn.parallel``, which is for several devices: on the CPU `DataParallel` is the module in it, and what needs
devices says that there are none."""

from flambeau_nn.parallel.data_parallel import DataParallel, data_parallel
from flambeau_nn.parallel.distributed import DistributedDataParallel
from flambeau_nn.parallel.scatter_gather import gather, parallel_apply, replicate, scatter

__all__ = [
    "DataParallel",
    "DistributedDataParallel",
    "data_parallel",
    "gather",
    "parallel_apply",
    "replicate",
    "scatter",
]
