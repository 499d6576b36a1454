"""The graph of the pipes that a pipe consists of."""

from collections.abc import Iterator
from typing import Any

from flambeau_data.datapipes.datapipe import IterDataPipe, MapDataPipe

__all__ = ["traverse", "traverse_dps"]

DataPipe = IterDataPipe[Any] | MapDataPipe[Any]
DataPipeGraph = dict[int, tuple[DataPipe, Any]]


def _pipes(value: Any) -> Iterator[DataPipe]:
    """Yield the pipes in a value, or in nested containers."""
    if isinstance(value, (IterDataPipe, MapDataPipe)):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from _pipes(item)
    elif isinstance(value, (list, tuple, set, frozenset)):
        for item in value:
            yield from _pipes(item)


def traverse_dps(datapipe: DataPipe) -> DataPipeGraph:
    """The graph of a pipe: its id, with itself and the graph of the pipes that its attributes hold.

    >>> from flambeau_data.datapipes.iter import IterableWrapper
    >>> pipe = IterableWrapper(range(3)).batch(2)
    >>> [(pipe, sources)] = traverse_dps(pipe).values()
    >>> pipe, [source for source, _ in sources.values()]
    (BatcherIterDataPipe, [IterableWrapperIterDataPipe])
    """

    def graph(pipe: DataPipe, above: frozenset[int]) -> DataPipeGraph:
        above = above | {id(pipe)}
        sources = [source for source in _pipes(vars(pipe)) if id(source) not in above]
        return {id(pipe): (pipe, {key: value for source in sources for key, value in graph(source, above).items()})}

    return graph(datapipe, frozenset())


def traverse(datapipe: DataPipe, only_datapipe: "bool | None" = None) -> DataPipeGraph:
    """The same, by its older name."""
    return traverse_dps(datapipe)
