"""Messages from one process to another."""

from collections.abc import Callable, Sequence
from typing import Any

from flambeau_distributed.collectives import checked_tensor
from flambeau_distributed.methods import ProcessGroup
from flambeau_distributed.work import Work
from flambeau_distributed.world import member_of
from flambeau_tensor import Tensor

__all__ = ["P2POp", "batch_isend_irecv", "irecv", "isend", "recv", "send"]


def _peer(group: ProcessGroup, rank: "int | None", group_rank: "int | None", what: str) -> int:
    if group_rank is None:
        if rank is None:
            raise ValueError(f"Must specify one of {what[:3]} and group_{what[:3]}")
        if rank not in group.ranks:
            raise ValueError(f"Global rank {rank} is not part of group {group}")
        group_rank = group.ranks.index(rank)
    elif rank is not None:
        raise ValueError("Can't specify both a rank and a rank in the group")
    if not 0 <= group_rank < group.size():
        raise ValueError(f"rank {group_rank} is not in the group")
    if group_rank == group.rank():
        raise ValueError(f"Invalid {what} rank: {what} rank should not be the same as the rank of the current process.")
    return group_rank


def isend(
    tensor: Tensor, dst: "int | None" = None, group: Any = None, tag: int = 0, group_dst: "int | None" = None
) -> "Work | None":
    """Send a tensor, which must not change before the work is done.

    Args:
        tensor: the tensor to send.
        dst: the rank that receives it.
        group: the group; by default all ranks.
        tag: distinguishes messages.
        group_dst: the rank in the group, instead of `dst`.

    Returns:
        The `Work`; None if this process is not in the group.

    Raises:
        ValueError: the rank is this one, or is not in the group.
    """
    checked_tensor(tensor, "tensor")
    found = member_of(group, "isend")
    if found is None:
        return None
    return found.do_send(tensor, _peer(found, dst, group_dst, "destination"), tag)


def send(
    tensor: Tensor, dst: "int | None" = None, group: Any = None, tag: int = 0, group_dst: "int | None" = None
) -> None:
    """Send a tensor; the arguments are those of `isend`.

    Raises:
        ValueError: the rank is this one, or not in the group.
        DistBackendError: the receiver has ended, or does not receive in time.
    """
    work = isend(tensor, dst, group, tag, group_dst)
    if work is not None:
        work.wait()


def irecv(
    tensor: Tensor, src: "int | None" = None, group: Any = None, tag: int = 0, group_src: "int | None" = None
) -> "Work | None":
    """Receive a tensor, which is complete when the work is done.

    Args:
        tensor: the tensor to write to; it has the size and dtype of the one that is sent.
        src: the rank that sends it; by default any.
        group: the group; by default all ranks.
        tag: the tag of the message.
        group_src: the rank in the group, instead of `src`.

    Returns:
        The `Work`; None if this process is not in the group.

    Raises:
        ValueError: the rank is this one, or is not in the group.
    """
    found, work = _receive(tensor, src, group, tag, group_src, "irecv")
    if found is not None and hasattr(found.carrier, "messages"):
        found.carrier.messages.go_on(work)
    return work


def _receive(
    tensor: Tensor, src: "int | None", group: Any, tag: int, group_src: "int | None", function: str
) -> "tuple[ProcessGroup | None, Any]":
    checked_tensor(tensor, "tensor")
    found = member_of(group, function)
    if found is None:
        return None, None
    source = None if src is None and group_src is None else _peer(found, src, group_src, "source")
    return found, found.do_receive(tensor, source, tag)


def recv(
    tensor: Tensor, src: "int | None" = None, group: Any = None, tag: int = 0, group_src: "int | None" = None
) -> int:
    """Receive a tensor; the arguments are those of `irecv`.

    Returns:
        The rank of the sender; -1 if this process is not in the group.

    Raises:
        ValueError: the rank is this one, or not in the group.
        DistBackendError: the sender has ended, sends something else, or does not send in time.
    """
    found, work = _receive(tensor, src, group, tag, group_src, "recv")
    if found is None:
        return -1
    work.wait()
    return found.ranks[work.source_rank()]


class P2POp:
    """A message for `batch_isend_irecv`.

    Args:
        op: `isend` or `irecv`.
        tensor: the tensor to send or to write to.
        peer: the other rank.
        group, tag: as for `isend`.
        group_peer: the rank in the group, instead of `peer`.
    """

    def __init__(
        self,
        op: Callable[..., Any],
        tensor: Tensor,
        peer: "int | None" = None,
        group: Any = None,
        tag: int = 0,
        group_peer: "int | None" = None,
    ) -> None:
        if op not in (isend, irecv):
            raise ValueError("Invalid ``op``. Expected ``op`` to be of type torch.distributed.isend or irecv")
        checked_tensor(tensor, "tensor")
        self.op, self.tensor, self.peer, self.group, self.tag = op, tensor, peer, group, tag
        self.group_peer = group_peer


def batch_isend_irecv(p2p_op_list: Sequence[P2POp]) -> list[Work]:
    """Start several messages.

    Args:
        p2p_op_list: which.

    Returns:
        The `Work` of each.

    Raises:
        ValueError: there are none, or they are in several groups.
    """
    if not isinstance(p2p_op_list, list | tuple) or not all(isinstance(op, P2POp) for op in p2p_op_list):
        raise ValueError("Invalid ``p2p_op_list``. Each op is expected to be of type ``torch.distributed.P2POp``.")
    if not p2p_op_list:
        raise ValueError("batch_isend_irecv(): there are no messages")
    if any(op.group is not p2p_op_list[0].group for op in p2p_op_list):
        raise ValueError("All ops need to use the same group.")
    started = []
    for one in p2p_op_list:
        name = "group_dst" if one.op is isend else "group_src"
        extra = {} if one.group_peer is None else {name: one.group_peer}
        work = one.op(one.tensor, one.peer, group=one.group, tag=one.tag, **extra)
        if work is not None:
            started.append(work)
    return started
