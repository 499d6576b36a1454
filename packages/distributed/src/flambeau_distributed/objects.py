"""Collectives and messages of any objects that pickle can carry. Take them only from processes that you trust."""

import io
import pickle
from collections.abc import Sequence
from typing import Any

from flambeau_distributed.collectives import all_gather_into_tensor, broadcast, gather, root_of, scatter
from flambeau_distributed.point_to_point import recv, send
from flambeau_distributed.world import member_of
from flambeau_tensor import Tensor, empty, frombuffer, int64, tensor, uint8

__all__ = [
    "all_gather_object",
    "broadcast_object_list",
    "gather_object",
    "recv_object_list",
    "scatter_object_list",
    "send_object_list",
]


def _bytes_of(value: Any) -> Tensor:
    return frombuffer(bytearray(pickle.dumps(value, pickle.HIGHEST_PROTOCOL)), dtype=uint8)


def _object_in(data: Tensor, size: int) -> Any:
    return pickle.load(io.BytesIO(data[:size].numpy().tobytes()))


def _padded(data: Tensor, size: int) -> Tensor:
    whole = empty(size, dtype=uint8)
    whole[: len(data)].copy_(data)
    return whole


def all_gather_object(object_list: "list[Any]", obj: Any, group: Any = None) -> None:
    """Give all ranks the objects of all.

    Args:
        object_list: a list with an entry for each rank; its entries are set.
        obj: this rank's.
        group: the process group; default: all processes.

    Raises:
        DistBackendError: a rank calls another function, has ended, or does not arrive in time.

    >>> torch.distributed.init_process_group(store=torch.distributed.HashStore(), rank=0, world_size=1)
    >>> found = [None]
    >>> torch.distributed.all_gather_object(found, {"a": 1})
    >>> found
    [{'a': 1}]
    >>> torch.distributed.destroy_process_group()
    """
    found = member_of(group, "all_gather_object")
    if found is None:
        return
    data = _bytes_of(obj)
    sizes = empty(found.size(), dtype=int64)
    all_gather_into_tensor(sizes, tensor([len(data)]), group)
    most = int(sizes.max())
    rows = empty((found.size(), most), dtype=uint8)
    all_gather_into_tensor(rows, _padded(data, most), group)
    for rank, size in enumerate(sizes.tolist()):
        object_list[rank] = _object_in(rows[rank], size)


def gather_object(
    obj: Any,
    object_gather_list: "list[Any] | None" = None,
    dst: "int | None" = None,
    group: Any = None,
    group_dst: "int | None" = None,
) -> None:
    """Give one rank the objects of all.

    Args:
        obj: this rank's.
        object_gather_list: on that rank, a list with an entry for each rank; its entries are set.
        dst: the rank that receives the objects.
        group: the process group; default: all processes.
        group_dst: the rank in the group, instead of `dst`.

    Raises:
        ValueError: the list is missing on that rank, or given on another.
        DistBackendError: a rank calls another function, has ended, or does not arrive in time.
    """
    found = member_of(group, "gather_object")
    if found is None:
        return
    root = root_of(found, dst, group_dst, "dst")
    here = found.rank() == root
    if here != bool(object_gather_list):
        where = "must be specified on destination rank" if here else "must NOT be specified on non-destination ranks"
        raise ValueError(f"Argument ``gather_list`` {where}.")
    data = _bytes_of(obj)
    sizes = empty(found.size(), dtype=int64)
    all_gather_into_tensor(sizes, tensor([len(data)]), group)
    most = int(sizes.max())
    rows = list(empty((found.size(), most), dtype=uint8)) if here else None
    gather(_padded(data, most), rows, group=group, group_dst=root)
    if here and object_gather_list is not None and rows is not None:
        for rank, size in enumerate(sizes.tolist()):
            object_gather_list[rank] = _object_in(rows[rank], size)


def broadcast_object_list(
    object_list: "list[Any]",
    src: "int | None" = None,
    group: Any = None,
    device: Any = None,
    group_src: "int | None" = None,
) -> None:
    """Broadcast the objects of one rank to all.

    Args:
        object_list: the list to send or to fill; it has the same length on all ranks.
        src: the rank that sends them.
        group: the group of ranks; by default all.
        device: None or the CPU.
        group_src: the rank in the group, instead of `src`.

    Raises:
        DistBackendError: a rank calls another function, has ended, or does not arrive in time.
    """
    found = member_of(group, "broadcast_object_list")
    if found is None:
        return
    root = root_of(found, src, group_src, "src")
    here = found.rank() == root
    parts = [_bytes_of(value) for value in object_list] if here else []
    sizes = tensor([len(part) for part in parts]) if here else empty(len(object_list), dtype=int64)
    broadcast(sizes, group=group, group_src=root)
    data = empty(int(sizes.sum()), dtype=uint8)
    if here:
        for target, part in zip(data.split(sizes.tolist()), parts, strict=True):
            target.copy_(part)
    broadcast(data, group=group, group_src=root)
    if not here:
        for i, part in enumerate(data.split(sizes.tolist())):
            object_list[i] = _object_in(part, len(part))


def scatter_object_list(
    scatter_object_output_list: "list[Any]",
    scatter_object_input_list: "Sequence[Any] | None" = None,
    src: "int | None" = None,
    group: Any = None,
    group_src: "int | None" = None,
) -> None:
    """Give each rank an object of one's list.

    Args:
        scatter_object_output_list: its first entry is set.
        scatter_object_input_list: on that rank, an object for each.
        src: the rank that sends the objects.
        group: the process group; default: all processes.
        group_src: the rank in the group, instead of `src`.

    Raises:
        ValueError: the list is missing or has the wrong length.
        DistBackendError: a rank calls another function, has ended, or does not arrive in time.
    """
    found = member_of(group, "scatter_object_list")
    if found is None:
        return
    if not isinstance(scatter_object_output_list, list) or not scatter_object_output_list:
        raise ValueError("Expected argument scatter_object_output_list to be a list of size at least 1.")
    root = root_of(found, src, group_src, "src")
    here = found.rank() == root
    if here and (scatter_object_input_list is None or len(scatter_object_input_list) != found.size()):
        raise ValueError("scatter_object_list(): the source needs an object for each rank")
    parts = [_bytes_of(value) for value in scatter_object_input_list or ()] if here else []
    sizes = tensor([len(part) for part in parts]) if here else empty(found.size(), dtype=int64)
    broadcast(sizes, group=group, group_src=root)
    most = int(sizes.max())
    data = empty(most, dtype=uint8)
    scatter(data, [_padded(part, most) for part in parts] if here else None, group=group, group_src=root)
    scatter_object_output_list[0] = _object_in(data, int(sizes[found.rank()]))


def send_object_list(
    object_list: Sequence[Any],
    dst: "int | None" = None,
    group: Any = None,
    device: Any = None,
    group_dst: "int | None" = None,
    use_batch: bool = False,
) -> None:
    """Send objects to another rank.

    Args:
        object_list: the objects to send.
        dst: the rank that receives them.
        group: the group; by default all ranks.
        device: None or the CPU.
        group_dst: the rank in the group, instead of `dst`.
        use_batch: ignored.

    Raises:
        ValueError: the rank is this one, or is not in the group.
    """
    parts = [_bytes_of(value) for value in object_list]
    send(tensor([len(part) for part in parts]), dst, group, group_dst=group_dst)
    for part in parts:
        send(part, dst, group, group_dst=group_dst)


def recv_object_list(
    object_list: "list[Any]",
    src: "int | None" = None,
    group: Any = None,
    device: Any = None,
    group_src: "int | None" = None,
    use_batch: bool = False,
) -> int:
    """Receive objects.

    Args:
        object_list: a list with the length of the one that is sent, which is filled.
        src: the rank that sends them; by default any.
        group: the group; by default all ranks.
        device: None or the CPU.
        group_src: the rank in the group, instead of `src`.
        use_batch: ignored.

    Returns:
        The rank of the sender.

    Raises:
        ValueError: the rank is this one, or is not in the group.
    """
    sizes = empty(len(object_list), dtype=int64)
    sender = recv(sizes, src, group, group_src=group_src)
    for i, size in enumerate(sizes.tolist()):
        data = empty(size, dtype=uint8)
        recv(data, None if group_src is not None else sender, group, group_src=group_src)
        object_list[i] = _object_in(data, size)
    return sender
