"""Default seeds."""

from flambeau_tensor import Generator, empty, int64


def draw(generator: "Generator | None" = None) -> int:
    """A seed out of a generator, or the default one."""
    return int(empty((), dtype=int64).random_(generator=generator).item())
