"""The handling of datasets that are pipes in a DataLoader."""

import sys
from typing import Any

from flambeau_data._utils import seeds
from flambeau_tensor import Generator


def is_pipe(dataset: Any, *kinds: str) -> bool:
    """Return True if a dataset is a pipe of one of the kinds; there are no pipes before their module is imported."""
    module = sys.modules.get("flambeau_data.datapipes.datapipe")
    return module is not None and isinstance(dataset, tuple(getattr(module, kind) for kind in kinds))


def shuffled(dataset: Any, shuffle: "bool | None") -> Any:
    """A pipe that shuffles or does not."""
    from flambeau_data.graph_settings import apply_shuffle_settings

    return apply_shuffle_settings(dataset, shuffle)


def draw_seed(dataset: Any, generator: "Generator | None") -> "int | None":
    """Draw a stream's seed for a pass, from which its pipes derive their seeds in all processes; None if not a pipe."""
    if not is_pipe(dataset, "IterDataPipe"):
        return None
    return seeds.draw(generator)


def seed(dataset: Any, shared: "int | None") -> None:
    """Give the pipes of a stream their seeds."""
    if shared is not None:
        from flambeau_data.graph_settings import apply_random_seed

        apply_random_seed(dataset, Generator().manual_seed(shared))


def share_out(dataset: Any, processes: int, number: int) -> None:
    """Tell the pipes which of the processes this is."""
    if is_pipe(dataset, "IterDataPipe", "MapDataPipe"):
        from flambeau_data.graph_settings import apply_sharding

        apply_sharding(dataset, processes, number)
