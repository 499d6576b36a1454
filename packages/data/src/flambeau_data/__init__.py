"""Datasets, samplers and the :class:`DataLoader`: what users know as ``torch.utils.data``."""

from typing import Any

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

__version__ = "0.1.0"

__all__ = [
    "BatchSampler", "ChainDataset", "ConcatDataset", "DataLoader", "Dataset", "DistributedSampler", "IterableDataset",
    "RandomSampler", "Sampler", "SequentialSampler", "StackDataset", "Subset", "SubsetRandomSampler", "TensorDataset",
    "WeightedRandomSampler", "_DatasetKind", "default_collate", "default_convert", "get_worker_info", "random_split",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    from flambeau_tensor.not_built import missing

    raise missing("torch.utils.data", name)
