"""``torch.distributed.distributed_c10d``: the same names as ``torch.distributed``, and some that packages reach for."""

from functools import partial
from typing import Any

import flambeau_distributed as _distributed
from flambeau_distributed.methods import ProcessGroup
from flambeau_distributed.world import default_group as _get_default_group
from flambeau_distributed.world import world
from flambeau_tensor.lazy_attributes import attach as _attach

__all__ = ["_get_default_group", "_get_default_store", "_rank_not_in_group", "_world"]

_world = world


def _get_default_store() -> Any:
    return _get_default_group().store


def _rank_not_in_group(group: Any) -> bool:
    return group == _distributed.GroupMember.NON_GROUP_MEMBER


def _get_pg_default_device(group: Any = None) -> Any:
    from flambeau_tensor import device

    return device("cpu")


def _get_process_group_name(group: ProcessGroup) -> str:
    return group.group_name


def _set_pg_timeout(timeout: Any, group: Any = None) -> None:
    (group or _get_default_group()).set_timeout(timeout)


__getattr__, __dir__ = _attach(__name__, "torch.distributed.distributed_c10d", find=partial(getattr, _distributed))
