"""``torch.distributed.distributed_c10d``: the same names as ``torch.distributed``."""

from typing import Any

from flambeau import distributed


def __getattr__(name: str) -> Any:
    return getattr(distributed, name)


def _get_default_group():
    distributed.get_rank()
