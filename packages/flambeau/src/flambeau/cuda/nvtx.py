"""``torch.cuda.nvtx``: marks for NVIDIA's profiler, which is not available."""

from collections.abc import Iterator
from contextlib import contextmanager


def _absent(*args, **kwargs):
    """Raises a RuntimeError."""
    raise RuntimeError("NVTX functions not installed. Are you sure you have a CUDA build?")


range_push = range_pop = range_start = range_end = mark = _absent


@contextmanager
def range(msg: str, *args: object, **kwargs: object) -> Iterator[None]:
    """A context or decorator that raises a RuntimeError when it is entered; packages decorate at import."""
    _absent()
    yield
