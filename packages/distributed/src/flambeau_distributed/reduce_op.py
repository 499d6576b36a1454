"""The reductions of collectives, and the options of a group's methods; the names are PyTorch's."""

from datetime import timedelta
from enum import Enum, IntEnum
from typing import Any

__all__ = ["DebugLevel", "GroupMember", "ReduceOp", "default_pg_timeout", "group", "reduce_op", "supports_complex"]

default_pg_timeout = timedelta(minutes=30)


class RedOpType(Enum):
    """The operations of reductions over processes.

    >>> torch.distributed.ReduceOp.SUM
    <RedOpType.SUM: 0>
    """

    SUM = 0
    AVG = 1
    PRODUCT = 2
    MIN = 3
    MAX = 4
    BAND = 5
    BOR = 6
    BXOR = 7
    PREMUL_SUM = 8

    of_floats: "int | None"  # the number of the compiled loop, if it suffices for floats


ReduceOp: Any = RedOpType
ReduceOp.RedOpType = RedOpType
reduce_op = ReduceOp

# The numbers of the compiled kernels; AVG is a sum, divided.
CODES: dict[Any, int] = {
    ReduceOp.SUM: 0,
    ReduceOp.AVG: 0,
    ReduceOp.PRODUCT: 1,
    ReduceOp.MIN: 2,
    ReduceOp.MAX: 3,
    ReduceOp.BAND: 4,
    ReduceOp.BOR: 5,
    ReduceOp.BXOR: 6,
}
CODE_NAMES = ("SUM", "PRODUCT", "MIN", "MAX", "BAND", "BOR", "BXOR")
BITWISE = {ReduceOp.BAND, ReduceOp.BOR, ReduceOp.BXOR}
for _op in RedOpType:
    _op.of_floats = None if _op in BITWISE or _op is ReduceOp.AVG else CODES.get(_op)


def supports_complex(reduceOp: Any) -> bool:  # noqa: N803
    """Return True if a reduction takes complex numbers: sums and averages do.

    >>> torch.distributed.supports_complex(torch.distributed.ReduceOp.MAX)
    False
    """
    return reduceOp in (ReduceOp.SUM, ReduceOp.AVG)


class GroupMember:
    """Stands for the group of all processes, and for none."""

    WORLD: Any = None
    NON_GROUP_MEMBER = -100


group = GroupMember


class DebugLevel(IntEnum):
    """PyTorch's debug levels. They have no effect, as every call is checked."""

    OFF = 0
    INFO = 1
    DETAIL = 2


class _Options:
    """Options of a method of `ProcessGroup`."""

    def __init__(self) -> None:
        self.timeout = timedelta(milliseconds=-1)
        self.reduceOp: Any = ReduceOp.SUM
        self.rootRank = self.rootTensor = 0
        self.asyncOp = True


class AllreduceOptions(_Options):
    """Options of ``ProcessGroup.allreduce``."""


class AllreduceCoalescedOptions(_Options):
    """Options of ``ProcessGroup.allreduce_coalesced``."""


class AllToAllOptions(_Options):
    """Options of ``ProcessGroup.alltoall``."""


class AllgatherOptions(_Options):
    """Options of ``ProcessGroup.allgather``."""


class BarrierOptions(_Options):
    """Options of ``ProcessGroup.barrier``."""


class BroadcastOptions(_Options):
    """Options of ``ProcessGroup.broadcast``."""


class GatherOptions(_Options):
    """Options of ``ProcessGroup.gather``."""


class ReduceOptions(_Options):
    """Options of ``ProcessGroup.reduce``."""


class ReduceScatterOptions(_Options):
    """Options of ``ProcessGroup.reduce_scatter``."""


class ScatterOptions(_Options):
    """Options of ``ProcessGroup.scatter``."""
