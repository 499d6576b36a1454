"""``torch.cuda.random``: those of ``torch.cuda``'s names that programs look for here."""

from typing import Any

from flambeau import cuda


def __getattr__(name: str) -> Any:
    return getattr(cuda, name)
