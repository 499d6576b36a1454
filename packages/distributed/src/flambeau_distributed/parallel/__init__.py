"""One function over many inputs, in several processes: sweeps, seeds, folds, chains, populations.

>>> from flambeau_distributed import parallel
>>> list(parallel.map(abs, [-1, 2, -3], engine="serial"))
[1, 2, 3]
"""

from flambeau_distributed.parallel._map import ItemFailed as ItemFailed
from flambeau_distributed.parallel._map import Results as Results
from flambeau_distributed.parallel._map import WorkerEnded as WorkerEnded
from flambeau_distributed.parallel._map import map as map

__all__ = ["ItemFailed", "Results", "WorkerEnded", "map"]
