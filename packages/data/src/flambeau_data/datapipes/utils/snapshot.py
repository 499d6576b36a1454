"""Continuing a pipeline where an earlier run stopped."""

from typing import Any

from flambeau_data.datapipes._hook_iterator import Pass, _SnapshotState
from flambeau_data.graph_settings import apply_random_seed
from flambeau_tensor import Generator


def _simple_graph_snapshot_restoration(datapipe: Any, n_iterations: int, rng: "Generator | None" = None) -> None:
    """Read and drop items of a pipe, so that the next pass continues after them.

    Args:
        datapipe: the last pipe of a pipeline.
        n_iterations: the number of items to drop.
        rng: gives the pipes that shuffle their seeds, as in the earlier run.

    Raises:
        RuntimeError: the pipe is already restored, or has fewer items.
    """
    if datapipe._snapshot_state is _SnapshotState.Restored:
        raise RuntimeError(
            "Snapshot restoration cannot be applied. You can only restore simple snapshot to the graph if your graph "
            "has not been restored."
        )
    if rng is not None:
        apply_random_seed(datapipe, rng)
    iterator = iter(datapipe)
    for _ in range(n_iterations):
        try:
            next(iterator)
        except StopIteration:
            raise RuntimeError(
                f"Fast-forward {datapipe} by {n_iterations} iterations exceeds the number of samples available."
            ) from None
    datapipe._fast_forward_iterator = iterator.iterator if isinstance(iterator, Pass) else iterator
    datapipe._snapshot_state = _SnapshotState.Restored
