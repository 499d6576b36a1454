"""Datasets, samplers, pipes and the :class:`DataLoader`: the implementation of ``torch.utils.data``."""

from typing import TYPE_CHECKING

from flambeau_data._utils.collate import default_collate, default_convert
from flambeau_data._utils.worker import get_worker_info
from flambeau_data.dataloader import DataLoader, _DatasetKind
from flambeau_data.dataset import (
    ChainDataset,
    ConcatDataset,
    Dataset,
    IterableDataset,
    StackDataset,
    Subset,
    TensorDataset,
    random_split,
)
from flambeau_data.distributed import DistributedSampler
from flambeau_data.sampler import (
    BatchSampler,
    RandomSampler,
    Sampler,
    SequentialSampler,
    SubsetRandomSampler,
    WeightedRandomSampler,
)
from flambeau_tensor.lazy_attributes import attach as _attach

if TYPE_CHECKING:
    from flambeau_data.datapipes._decorator import (
        functional_datapipe,
        guaranteed_datapipes_determinism,
        non_deterministic,
    )
    from flambeau_data.datapipes.datapipe import DataChunk, IterDataPipe, MapDataPipe

__version__ = "0.1.0"

__all__ = [
    "BatchSampler", "ChainDataset", "ConcatDataset", "DataChunk", "DataLoader", "Dataset", "DistributedSampler",
    "IterDataPipe", "IterableDataset", "MapDataPipe", "RandomSampler", "Sampler", "SequentialSampler", "StackDataset",
    "Subset", "SubsetRandomSampler", "TensorDataset", "WeightedRandomSampler", "_DatasetKind", "default_collate",
    "default_convert", "functional_datapipe", "get_worker_info", "guaranteed_datapipes_determinism",
    "non_deterministic", "random_split",
]  # fmt: skip


# Pipes load when one is named.
_PIPES = {
    **dict.fromkeys(("DataChunk", "IterDataPipe", "MapDataPipe"), ".datapipes.datapipe"),
    **dict.fromkeys(
        ("functional_datapipe", "guaranteed_datapipes_determinism", "non_deterministic"), ".datapipes._decorator"
    ),
}
_MODULES = ("datapipes", "graph", "graph_settings")


__getattr__, __dir__ = _attach(__name__, "torch.utils.data", _PIPES, _MODULES)
