"""Collectives: every process of a group calls the same function, and together they compute a result.

Each returns None, or with ``async_op=True`` a `Work` whose ``wait()`` returns when it is done. A process that is not in
the group gets a warning and None. If processes call different functions, or tensors differ in size, all raise an error.
"""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from flambeau_distributed.futures import Future
from flambeau_distributed.methods import ProcessGroup
from flambeau_distributed.reduce_op import RedOpType, ReduceOp
from flambeau_distributed.work import Work
from flambeau_distributed.world import group_of, member_of, world
from flambeau_tensor import Tensor

__all__ = [
    "all_gather",
    "all_gather_coalesced",
    "all_gather_into_tensor",
    "all_reduce",
    "all_reduce_coalesced",
    "all_to_all",
    "all_to_all_single",
    "barrier",
    "broadcast",
    "gather",
    "monitored_barrier",
    "reduce",
    "reduce_scatter",
    "reduce_scatter_tensor",
    "scatter",
]


def checked_tensor(tensor: Any, name: str) -> None:
    """Raise a TypeError if the argument is not a tensor."""
    if not isinstance(tensor, Tensor):
        raise TypeError(
            f"Invalid function argument. Expected parameter `{name}` of type torch.Tensor\n"
            f"             but got {type(tensor)} instead."
        )


def checked_tensors(tensors: Any, name: str) -> None:
    """Raise a TypeError if the argument is not a list of tensors."""
    if not isinstance(tensors, list | tuple) or not all(isinstance(t, Tensor) for t in tensors):
        raise TypeError(
            f"Invalid function argument. Expected parameter `{name}` of type List[torch.Tensor]\n"
            f"             but got {type(tensors)} with elements of type "
            f"{[type(t) for t in tensors] if isinstance(tensors, list | tuple) else None}."
        )


def opened(function: str, group: Any, **arguments: Any) -> "ProcessGroup | None":
    """Check the tensors and lists of tensors of a collective, and return the group; None outside of it.

    Raises:
        TypeError: an argument has another type.
        ValueError: the tensors have several dtypes, or there is no group.
    """
    flat: list[Tensor] = []
    for name, given in arguments.items():
        if name.endswith(("list", "tensors")):
            checked_tensors(given, name)
            flat += given
        else:
            checked_tensor(given, name)
            flat.append(given)
    for tensor in flat:
        if tensor.dtype != flat[0].dtype:
            raise ValueError(
                f"Invalid usage of tensors with different dtypes. Found {flat[0].dtype} and  {tensor.dtype}"
            )
    return member_of(group, function, 4)


def root_of(group: ProcessGroup, rank: "int | None", group_rank: "int | None", name: str) -> int:
    """Return the root's rank in the group, given its global rank or its rank in the group; by default global rank 0."""
    if group_rank is not None:
        if rank is not None:
            raise ValueError(f"Can't specify both group_{name} and {name}")
        return group_rank
    rank = 0 if rank is None else rank
    if group is world.default:
        if not 0 <= rank < group.size():
            raise RuntimeError(f"ProcessGroupGloo: invalid root rank: {rank}")
        return rank
    if rank not in group.ranks:
        raise ValueError(f"Global rank {rank} is not part of group {group}")
    return group.ranks.index(rank)


def _of_root(tensors: Any, expected: bool, name: str, where: str) -> Any:
    """A list that one rank has, and the others have not."""
    if expected and not tensors:
        raise ValueError(f"Argument ``{name}`` must be specified on {where} rank.")
    if tensors and not expected:
        raise ValueError(f"Argument ``{name}`` must NOT be specified on non-{where} ranks.")
    return [tensors] if tensors else []


def all_reduce(tensor: Tensor, op: Any = ReduceOp.SUM, group: Any = None, async_op: bool = False) -> "Work | None":
    """Reduce the tensors of all ranks; each becomes the result.

    Args:
        tensor: of the same number of elements on all ranks.
        op: a `ReduceOp`; `ReduceOp.AVG` divides the sum by the number of ranks.
        group: the process group; default: all processes.
        async_op: return immediately.

    Returns:
        A `Work` with ``async_op``, else None.

    Raises:
        DistBackendError: a rank calls another function, has ended, or does not arrive in time.

    >>> torch.distributed.init_process_group(store=torch.distributed.HashStore(), rank=0, world_size=1)
    >>> x = torch.ones(2)
    >>> torch.distributed.all_reduce(x)
    >>> x
    tensor([1., 1.])
    >>> torch.distributed.destroy_process_group()
    """
    found = world.default if group is None else None
    if found is not None and type(tensor) is Tensor and not async_op and not found.worker.pending:  # the usual call
        code = op.of_floats if type(op) is RedOpType and tensor.dtype.is_floating_point else None
        if code is not None and found.carrier.all_reduce([tensor], code):
            return None
    found = opened("all_reduce", group, tensor=tensor)
    if found is None:
        return None
    return found.run(lambda: found.do_all_reduce([tensor], op), [tensor], async_op)


def all_reduce_coalesced(
    tensors: Sequence[Tensor], op: Any = ReduceOp.SUM, group: Any = None, async_op: bool = False
) -> "Future | None":
    """Reduce each of several tensors over all ranks, in one exchange.

    Args:
        tensors: of one dtype.
        op, group: as for `all_reduce`.
        async_op: return a future immediately.

    Raises:
        DistBackendError: a rank calls another function, has ended, or does not arrive in time.
    """
    tensors = [tensors] if isinstance(tensors, Tensor) else list(tensors)
    found = opened("all_reduce_coalesced", group, tensors=tensors)
    if found is None:
        return None
    return _future(found.allreduce_coalesced(tensors, op), async_op)


def _future(work: Work, async_op: bool) -> "Future | None":
    if async_op:
        return work.get_future()
    work.wait()
    return None


def reduce(
    tensor: Tensor,
    dst: "int | None" = None,
    op: Any = ReduceOp.SUM,
    group: Any = None,
    async_op: bool = False,
    group_dst: "int | None" = None,
) -> "Work | None":
    """Reduce the tensors of all ranks to one of them; those of the others are unchanged.

    Args:
        tensor: has the same number of elements on all ranks.
        dst: the rank that receives the result.
        op, group, async_op: as for `all_reduce`.
        group_dst: the rank in the group, instead of `dst`.

    Raises:
        DistBackendError: a rank calls another function, has ended, or does not arrive in time.
    """
    found = opened("reduce", group, tensor=tensor)
    if found is None:
        return None
    root = root_of(found, dst, group_dst, "dst")
    return found.run(lambda: found.do_reduce(tensor, root, op), [tensor], async_op)


def broadcast(
    tensor: Tensor,
    src: "int | None" = None,
    group: Any = None,
    async_op: bool = False,
    group_src: "int | None" = None,
) -> "Work | None":
    """Broadcast the tensor of one rank to all.

    Args:
        tensor: the tensor to send or to write to.
        src: the rank that sends it.
        group, async_op: as for `all_reduce`.
        group_src: the rank in the group, instead of `src`.

    Raises:
        DistBackendError: a rank calls another function, has ended, or does not arrive in time.
    """
    found = opened("broadcast", group, tensor=tensor)
    if found is None:
        return None
    root = root_of(found, src, group_src, "src")
    return found.run(lambda: found.do_broadcast(tensor, root), [tensor], async_op)


def all_gather(
    tensor_list: Sequence[Tensor], tensor: Tensor, group: Any = None, async_op: bool = False
) -> "Work | None":
    """Give all ranks the tensors of all.

    Args:
        tensor_list: an output tensor for each rank.
        tensor: this rank's.
        group, async_op: as for `all_reduce`.

    Raises:
        RuntimeError: the list or its tensors have the wrong size.
        DistBackendError: a rank calls another function, has ended, or does not arrive in time.
    """
    found = opened("all_gather", group, tensor_list=tensor_list, tensor=tensor)
    if found is None:
        return None
    return found.run(*found.gathering_all([tensor_list], [tensor]), async_op)


def all_gather_into_tensor(
    output_tensor: Tensor, input_tensor: Tensor, group: Any = None, async_op: bool = False
) -> "Work | None":
    """Give all ranks the tensors of all ranks, concatenated.

    Args:
        output_tensor: as large as those of all ranks together.
        input_tensor: this rank's.
        group, async_op: as for `all_reduce`.

    Raises:
        RuntimeError: the output has the wrong size.
        DistBackendError: a rank calls another function, has ended, or does not arrive in time.
    """
    found = opened("all_gather_into_tensor", group, output_tensor=output_tensor, input_tensor=input_tensor)
    if found is None:
        return None
    if output_tensor.numel() != input_tensor.numel() * found.size():
        raise RuntimeError("output tensor size must be equal to world_size times input tensor size")
    return found.run(lambda: found.do_all_gather_into(output_tensor, input_tensor), [output_tensor], async_op)


def all_gather_coalesced(
    output_tensor_lists: Sequence[Sequence[Tensor]],
    input_tensor_list: Sequence[Tensor],
    group: Any = None,
    async_op: bool = False,
) -> "Future | None":
    """Give all ranks several tensors of all.

    Args:
        output_tensor_lists: for each rank a list of output tensors.
        input_tensor_list: this rank's.
        group, async_op: as for `all_reduce`.

    Raises:
        RuntimeError: a list has the wrong length.
        DistBackendError: a rank calls another function, has ended, or does not arrive in time.
    """
    if not isinstance(output_tensor_lists, list):
        raise TypeError("Invalid function argument: output_tensor_lists should be a list")
    found = opened("all_gather_coalesced", group)
    checked_tensors(input_tensor_list, "input_tensor_list")
    if found is None:
        return None
    return _future(found.allgather_coalesced(output_tensor_lists, input_tensor_list), async_op)


def gather(
    tensor: Tensor,
    gather_list: "Sequence[Tensor] | None" = None,
    dst: "int | None" = None,
    group: Any = None,
    async_op: bool = False,
    group_dst: "int | None" = None,
) -> "Work | None":
    """Give one rank the tensors of all.

    Args:
        tensor: this rank's.
        gather_list: on that rank, an output tensor for each rank.
        dst: the rank that receives the tensors.
        group, async_op: as for `all_reduce`.
        group_dst: the rank in the group, instead of `dst`.

    Raises:
        ValueError: the list is missing on that rank, or given on another.
        DistBackendError: a rank calls another function, has ended, or does not arrive in time.
    """
    found = opened("gather", group, tensor=tensor, gather_list=() if gather_list is None else gather_list)
    if found is None:
        return None
    root = root_of(found, dst, group_dst, "dst")
    outs = _of_root(gather_list, found.rank() == root, "gather_list", "destination")
    return found.run(*found.gathering(outs, [tensor], root), async_op)


def scatter(
    tensor: Tensor,
    scatter_list: "Sequence[Tensor] | None" = None,
    src: "int | None" = None,
    group: Any = None,
    async_op: bool = False,
    group_src: "int | None" = None,
) -> "Work | None":
    """Distribute a list of tensors on one rank to all.

    Args:
        tensor: the tensor to write to.
        scatter_list: on the sending rank, a tensor for each rank.
        src: the rank that sends them.
        group, async_op: as for `all_reduce`.
        group_src: the rank in the group, instead of `src`.

    Raises:
        ValueError: the list is missing, or is given on another rank.
        DistBackendError: a rank calls another function, has ended, or does not arrive in time.
    """
    found = opened("scatter", group, tensor=tensor, scatter_list=() if scatter_list is None else scatter_list)
    if found is None:
        return None
    root = root_of(found, src, group_src, "src")
    rows = _of_root(scatter_list, found.rank() == root, "scatter_list", "source")
    return found.run(*found.scattering([tensor], rows, root), async_op)


def reduce_scatter(
    output: Tensor, input_list: Sequence[Tensor], op: Any = ReduceOp.SUM, group: Any = None, async_op: bool = False
) -> "Work | None":
    """Reduce a list of tensors over all ranks and give each rank its part.

    Args:
        output: the tensor to write to.
        input_list: a tensor for each rank.
        op, group, async_op: as for `all_reduce`.

    Raises:
        ValueError: the list has the wrong length.
        DistBackendError: a rank calls another function, has ended, or does not arrive in time.
    """
    found = opened("reduce_scatter", group, output=output, input_list=input_list)
    if found is None:
        return None
    if len(input_list) != found.size():
        raise ValueError(f"reduce_scatter(): {len(input_list)} tensors for {found.size()} ranks")
    return found.run(lambda: found.do_reduce_scatter(output, input_list, op), [output], async_op)


def reduce_scatter_tensor(
    output: Tensor, input: Tensor, op: Any = ReduceOp.SUM, group: Any = None, async_op: bool = False
) -> "Work | None":
    """Reduce a tensor over all ranks and give each rank its part.

    Args:
        output: the tensor to write to.
        input: as large as the outputs of all ranks together.
        op, group, async_op: as for `all_reduce`.

    Raises:
        RuntimeError: the input has the wrong size.
        DistBackendError: a rank calls another function, has ended, or does not arrive in time.
    """
    found = opened("reduce_scatter_tensor", group, output=output, input=input)
    if found is None:
        return None
    if input.numel() != output.numel() * found.size():
        raise RuntimeError("input tensor must be the same size as output size times world size")
    return found.run(lambda: found.do_reduce_scatter_into(output, input, op), [output], async_op)


def all_to_all_single(
    output: Tensor,
    input: Tensor,
    output_split_sizes: "Sequence[int] | None" = None,
    input_split_sizes: "Sequence[int] | None" = None,
    group: Any = None,
    async_op: bool = False,
) -> "Work | None":
    """Send some rows of a tensor to each rank, and receive some from each.

    Args:
        output: the tensor to write to.
        input: the tensor to send.
        output_split_sizes: the number of rows from each rank; by default equal numbers.
        input_split_sizes: the number of rows to each rank.
        group, async_op: as for `all_reduce`.

    Raises:
        RuntimeError: the numbers do not add up, or a rank sends another number than expected.
        DistBackendError: a rank calls another function, has ended, or does not arrive in time.
    """
    found = opened("all_to_all_single", group, output=output, input=input)
    if found is None:
        return None
    receives = found.splits(output, output_split_sizes, "output")
    sends = found.splits(input, input_split_sizes, "input")
    return found.run(lambda: found.do_all_to_all_single(output, input, receives, sends), [output], async_op)


def all_to_all(
    output_tensor_list: Sequence[Tensor],
    input_tensor_list: Sequence[Tensor],
    group: Any = None,
    async_op: bool = False,
) -> "Work | None":
    """Send a tensor to each rank, and receive one from each.

    Args:
        output_tensor_list: the tensors to write to, one for each rank.
        input_tensor_list: the tensors to send, one for each rank.
        group, async_op: as for `all_reduce`.

    Raises:
        ValueError: a list has the wrong length.
        DistBackendError: a rank calls another function, has ended, or does not arrive in time.
    """
    outs, ins = output_tensor_list, input_tensor_list
    found = opened("all_to_all", group, output_tensor_list=outs, input_tensor_list=ins)
    if found is None:
        return None
    if not len(outs) == len(ins) == found.size():
        raise ValueError(f"all_to_all(): the lists must have a tensor for each of {found.size()} ranks")
    return found.run(lambda: found.do_all_to_all(outs, ins), list(outs), async_op)


def barrier(
    group: Any = None, async_op: bool = False, device_ids: Any = None, timeout: "timedelta | None" = None
) -> "Work | None":
    """Wait until all ranks have called this function.

    Args:
        group, async_op: as for `all_reduce`.
        device_ids: None.
        timeout: how long to wait for the others.

    Raises:
        RuntimeError: devices are named.
        DistBackendError: a rank calls another function, has ended, or does not arrive in time.
    """
    found = opened("barrier", group)
    if found is None:
        return None
    if device_ids is not None:
        raise RuntimeError(f"Function argument device_ids not supported for the selected backend {found.backend}")
    return found.run(lambda: found.do_barrier(timeout), [], async_op)


def monitored_barrier(group: Any = None, timeout: "timedelta | None" = None, wait_all_ranks: bool = False) -> None:
    """Wait until all ranks have called this function; raise an error that names missing ranks.

    Args:
        group: the group of ranks; by default all.
        timeout: the maximum time to wait.
        wait_all_ranks: whether to name all missing ranks, not only the first.

    Raises:
        DistBackendError: some ranks do not arrive in time.
    """
    found = group_of(group)
    if found is not None:
        found.monitored_barrier(timeout, wait_all_ranks)
