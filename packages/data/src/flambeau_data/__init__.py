"""Datasets, samplers, pipes and the :class:`DataLoader`: what users know as ``torch.utils.data``."""

import importlib
from typing import TYPE_CHECKING, Any

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
    **dict.fromkeys(("DataChunk", "IterDataPipe", "MapDataPipe"), "datapipe"),
    **dict.fromkeys(("functional_datapipe", "guaranteed_datapipes_determinism", "non_deterministic"), "_decorator"),
}
_MODULES = {"datapipes", "graph", "graph_settings"}


def __getattr__(name: str) -> Any:
    if name in _PIPES:
        value = getattr(importlib.import_module(f"flambeau_data.datapipes.{_PIPES[name]}"), name)
        globals()[name] = value
        return value
    if name in _MODULES:
        return importlib.import_module(f"flambeau_data.{name}")
    from flambeau_tensor.not_built import missing

    raise missing("torch.utils.data", name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_PIPES, *_MODULES})
