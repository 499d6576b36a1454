"""Pipes of streams."""

from flambeau_data.datapipes.iter.callable import CollatorIterDataPipe as Collator
from flambeau_data.datapipes.iter.callable import MapperIterDataPipe as Mapper
from flambeau_data.datapipes.iter.combinatorics import SamplerIterDataPipe as Sampler
from flambeau_data.datapipes.iter.combinatorics import ShufflerIterDataPipe as Shuffler
from flambeau_data.datapipes.iter.combining import ConcaterIterDataPipe as Concater
from flambeau_data.datapipes.iter.combining import MultiplexerIterDataPipe as Multiplexer
from flambeau_data.datapipes.iter.combining import ZipperIterDataPipe as Zipper
from flambeau_data.datapipes.iter.files import FileListerIterDataPipe as FileLister
from flambeau_data.datapipes.iter.files import FileOpenerIterDataPipe as FileOpener
from flambeau_data.datapipes.iter.files import StreamReaderIterDataPipe as StreamReader
from flambeau_data.datapipes.iter.grouping import BatcherIterDataPipe as Batcher
from flambeau_data.datapipes.iter.grouping import GrouperIterDataPipe as Grouper
from flambeau_data.datapipes.iter.grouping import UnBatcherIterDataPipe as UnBatcher
from flambeau_data.datapipes.iter.selecting import FilterIterDataPipe as Filter
from flambeau_data.datapipes.iter.sharding import ShardingFilterIterDataPipe as ShardingFilter
from flambeau_data.datapipes.iter.splitting import DemultiplexerIterDataPipe as Demultiplexer
from flambeau_data.datapipes.iter.splitting import ForkerIterDataPipe as Forker
from flambeau_data.datapipes.iter.utils import IterableWrapperIterDataPipe as IterableWrapper
from flambeau_tensor.lazy_attributes import attach as _attach

__all__ = [
    "Batcher", "Collator", "Concater", "Demultiplexer", "FileLister", "FileOpener", "Filter", "Forker", "Grouper",
    "IterableWrapper", "Mapper", "Multiplexer", "Sampler", "ShardingFilter", "Shuffler", "StreamReader", "UnBatcher",
    "Zipper",
]  # fmt: skip


__getattr__, __dir__ = _attach(__name__, "torch.utils.data.datapipes.iter")
