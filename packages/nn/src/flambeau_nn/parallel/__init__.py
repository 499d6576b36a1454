"""``torch.nn.parallel``, which is for several devices.

On the CPU `DataParallel` calls its module, and functions that need devices raise an error.
"""

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
