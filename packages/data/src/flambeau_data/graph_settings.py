"""Settings that a DataLoader applies to the pipes of its dataset: shards, seeds and shuffling."""

import inspect
import warnings
from typing import Any

from flambeau_data._utils import seeds
from flambeau_data.datapipes.iter.sharding import SHARDING_PRIORITIES
from flambeau_data.graph import DataPipe, DataPipeGraph, traverse_dps
from flambeau_tensor import Generator

__all__ = ["apply_random_seed", "apply_sharding", "apply_shuffle_settings", "get_all_graph_pipes"]


def get_all_graph_pipes(graph: DataPipeGraph) -> list[DataPipe]:
    """Each pipe of a graph, once."""
    found: dict[int, DataPipe] = {}

    def add(graph: DataPipeGraph) -> None:
        for key, (pipe, sources) in graph.items():
            if key not in found:
                found[key] = pipe
                add(sources)

    add(graph)
    return list(found.values())


def _has(pipe: Any, *methods: str) -> bool:
    return all(inspect.ismethod(getattr(pipe, name, None)) for name in methods)


def apply_sharding(
    datapipe: DataPipe,
    num_of_instances: int,
    instance_id: int,
    sharding_group: int = SHARDING_PRIORITIES.DEFAULT,
) -> DataPipe:
    """Tell the pipes with a method `apply_sharding` which of the processes this is.

    Raises:
        RuntimeError: a pipe that shards its items receives them from another pipe that does so.
    """

    def tell(graph: DataPipeGraph, sharing: Any) -> None:
        for pipe, sources in graph.values():
            now = sharing
            if _has(pipe, "apply_sharding"):
                if sharing is not None:
                    raise RuntimeError(
                        "Sharding twice on a single pipeline is likely unintended and will cause data loss. "
                        f"Sharding already applied to {sharing} while trying to apply to {pipe}"
                    )
                now, share = pipe, pipe.apply_sharding
                group = {"sharding_group": sharding_group} if len(inspect.signature(share).parameters) > 2 else {}
                share(num_of_instances, instance_id, **group)
            tell(sources, now)

    tell(traverse_dps(datapipe), None)
    return datapipe


def apply_shuffle_settings(datapipe: DataPipe, shuffle: "bool | None" = None) -> DataPipe:
    """Tell the pipes that shuffle whether to; with True and none there, one is added at the end, with a warning."""
    if shuffle is None:
        return datapipe
    found: list[Any] = [
        pipe for pipe in get_all_graph_pipes(traverse_dps(datapipe)) if _has(pipe, "set_shuffle", "set_seed")
    ]
    if shuffle and not found:
        warnings.warn(
            "`shuffle=True` was set, but the datapipe does not contain a `Shuffler`. Adding one at the end. "
            "Be aware that the default buffer size might not be sufficient for your task.",
            stacklevel=3,
        )
        datapipe = datapipe.shuffle()
        found = [datapipe]
    for pipe in found:
        pipe.set_shuffle(shuffle)
    return datapipe


def apply_random_seed(datapipe: DataPipe, rng: Generator) -> DataPipe:
    """Give each pipe with a method `set_seed` a seed from a generator."""
    for pipe in get_all_graph_pipes(traverse_dps(datapipe)):
        if _has(pipe, "set_seed"):
            pipe.set_seed(seeds.draw(rng))
    return datapipe
