"""Pipes of items by key."""

from flambeau_data.datapipes.map.pipes import BatcherMapDataPipe as Batcher
from flambeau_data.datapipes.map.pipes import ConcaterMapDataPipe as Concater
from flambeau_data.datapipes.map.pipes import MapperMapDataPipe as Mapper
from flambeau_data.datapipes.map.pipes import SequenceWrapperMapDataPipe as SequenceWrapper
from flambeau_data.datapipes.map.pipes import ShufflerIterDataPipe as Shuffler
from flambeau_data.datapipes.map.pipes import ZipperMapDataPipe as Zipper

__all__ = ["Batcher", "Concater", "Mapper", "SequenceWrapper", "Shuffler", "Zipper"]
