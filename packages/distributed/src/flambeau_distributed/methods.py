"""PyTorch's class ``ProcessGroup``: groups with the methods of its C++ class.

These take lists of tensors and an object with options, and start work that a thread of the group runs.
"""

from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any

from flambeau_distributed.process_group import Group, packed
from flambeau_distributed.reduce_op import ReduceOp, default_pg_timeout
from flambeau_distributed.stores import PrefixStore, Store
from flambeau_distributed.work import Work
from flambeau_tensor import Tensor, empty, stack

__all__ = ["ProcessGroup", "ProcessGroupGloo"]

_LOCALLY: dict[Any, Callable[[Any, Any], Any]] = {
    ReduceOp.SUM: lambda a, b: a + b,
    ReduceOp.AVG: lambda a, b: a + b,
    ReduceOp.PRODUCT: lambda a, b: a * b,
    ReduceOp.MIN: lambda a, b: a.minimum(b),
    ReduceOp.MAX: lambda a, b: a.maximum(b),
    ReduceOp.BAND: lambda a, b: a & b,
    ReduceOp.BOR: lambda a, b: a | b,
    ReduceOp.BXOR: lambda a, b: a ^ b,
}


class ProcessGroup(Group):
    """Processes that work together, created by `init_process_group` and `new_group`.

    >>> torch.distributed.group.WORLD is None
    True
    """

    def __repr__(self) -> str:
        return f"<torch.distributed.ProcessGroup {self.group_name!r}: rank {self.rank()} of {self.size()}>"

    def name(self) -> str:
        """The name of the backend."""
        return self.backend

    def _get_backend_name(self) -> str:
        return self.backend

    def _get_backend(self, device: Any = None) -> "ProcessGroup":
        return self

    def _set_sequence_number_for_group(self) -> None:
        """Nothing: the number begins at 0 on every rank."""

    def _get_sequence_number_for_group(self) -> int:
        return self.sequence

    def get_group_store(self) -> Store:
        """The store of the group."""
        return self.store

    def set_timeout(self, timeout: timedelta) -> None:
        """Set how long a rank waits for the others."""
        self.timeout = timeout
        self.carrier.timeout = timeout.total_seconds()

    _set_default_timeout = set_timeout

    def abort(self) -> None:
        """Take no further part; ranks that wait for this one raise."""
        self.close("the group was aborted")

    def shutdown(self) -> None:
        """Take no further part."""
        self.close()

    # --- collectives

    def allreduce(self, tensors: Any, opts: Any = ReduceOp.SUM, timeout: Any = None) -> Work:
        """Reduce the tensors of all ranks; each of this rank's becomes the reduction."""
        op = getattr(opts, "reduceOp", opts)
        tensors = [tensors] if isinstance(tensors, Tensor) else list(tensors)
        if any(t.layout != tensors[0].layout for t in tensors):
            raise RuntimeError("ProcessGroupGloo::allreduce: invalid tensor layout at index 1")
        if not tensors:
            raise RuntimeError("ProcessGroupGloo::allreduce: requires non-empty tensor list")
        _alike(tensors, tensors[0], "allreduce")
        packed(tensors[0])
        return self.start(lambda: self._reduced(tensors, op), tensors)

    def _reduced(self, tensors: "list[Tensor]", op: Any) -> None:
        total = tensors[0]
        if len(tensors) > 1:
            total = total.detach().clone()
            for tensor in tensors[1:]:
                total = _LOCALLY[op](total, tensor.detach())
        self.do_all_reduce([total], op)
        for tensor in tensors:
            if tensor is not total:
                tensor.detach().copy_(total)

    def allreduce_coalesced(self, tensors: Any, opts: Any = ReduceOp.SUM) -> Work:
        """Reduce each of the tensors over all ranks, in one exchange."""
        op = getattr(opts, "reduceOp", opts)
        if not tensors:
            raise RuntimeError("ProcessGroupGloo::allreduce_coalesced: requires non-empty tensor list")
        tensors = list(tensors)
        if any(t.layout != tensors[0].layout for t in tensors):
            raise RuntimeError("ProcessGroupGloo::allreduce_coalesced: invalid tensor layout at index 1")
        if str(tensors[0].layout) != "torch.strided":
            raise RuntimeError("ProcessGroupGloo::allreduce_coalesced: unsupported layout")
        if any(t.dtype != tensors[0].dtype for t in tensors):
            raise RuntimeError("ProcessGroupGloo::allreduce_coalesced: tensors must all have the same type")

        return self.start(lambda: self.do_all_reduce(tensors, op), tensors)

    def reduce(self, tensors: Any, root: Any = 0, op: Any = ReduceOp.SUM) -> Work:
        """Reduce to one rank."""
        if hasattr(root, "rootRank"):
            self._check_root(root.rootRank, "reduce")
            if root.rootTensor:
                raise RuntimeError(f"ProcessGroupGloo::reduce: invalid root tensor: {root.rootTensor}")
            root, op = root.rootRank, root.reduceOp
        (tensor,) = self._single(tensors, root, "reduce")
        return self.start(lambda: self.do_reduce(tensor, root, op), [tensor])

    def broadcast(self, tensors: Any, root: Any = 0, timeout: Any = None) -> Work:
        """Give all ranks the tensor of one."""
        index = getattr(root, "rootTensor", 0)
        root = getattr(root, "rootRank", root)
        self._check_root(root, "broadcast")
        tensors = [tensors] if isinstance(tensors, Tensor) else list(tensors)
        if not 0 <= index < len(tensors):
            raise RuntimeError(f"ProcessGroupGloo::broadcast: invalid root tensor: {index}")
        _alike(tensors, tensors[0], "broadcast")

        def call() -> None:
            self.do_broadcast(tensors[index], root)
            for tensor in tensors:
                if tensor is not tensors[index]:
                    tensor.detach().copy_(tensors[index].detach())

        return self.start(call, tensors)

    def allgather(self, outs: Any, tensors: Any, opts: Any = None) -> Work:
        """``outs[i][r]`` becomes a tensor of rank r: its only one, or all of them in a row."""
        return self.start(*self.gathering_all(outs, tensors))

    def gathering_all(self, outs: Any, tensors: Any) -> "tuple[Callable[[], None], list[Any]]":
        """Check the arguments of `allgather`; return a function that runs it, and its results."""
        if isinstance(tensors, Tensor):
            outs, tensors = [outs], [tensors]
        what = "ProcessGroupGloo::allgather"
        if not tensors:
            raise RuntimeError(f"{what}: requires non-empty input tensor list")
        if len(outs) != len(tensors):
            raise RuntimeError(f"{what}: requires input/output tensor lists to have the same length")
        for i, out in enumerate(outs):
            expected = len(tensors) * self.size()
            if len(out) != expected:
                raise RuntimeError(
                    f"{what}: invalid output tensor list at index {i} (expected length {expected}, got {len(out)})"
                )
        _alike(tensors, tensors[0], "allgather")
        for out in outs:
            _alike(out, tensors[0], "allgather")

        def call() -> None:
            mine = stack([t.detach() for t in tensors])
            rows = empty((self.size(), *mine.shape), dtype=mine.dtype)
            self.carrier.all_gather(rows, packed(mine)[1])
            for out in outs:
                for target, row in zip(out, rows.flatten(0, 1), strict=True):
                    target.detach().copy_(row)

        results = [list(out) for out in outs]
        return call, results[0] if len(results) == 1 else results

    def allgather_coalesced(self, outs: Any, tensors: Any, opts: Any = None) -> Work:
        """``outs[r][i]`` becomes tensor i of rank r."""
        if not tensors:
            raise RuntimeError("ProcessGroupGloo::allgather_coalesced: requires non-empty input tensor list")
        if len(outs) != self.size():
            raise RuntimeError("ProcessGroupGloo::allgather_coalesced: output lists should be equal to world size")
        for out in outs:
            if len(out) != len(tensors):
                raise RuntimeError("ProcessGroupGloo::allgather_coalesced: invalid output size")
            for i, (target, tensor) in enumerate(zip(out, tensors, strict=True)):
                if target.shape != tensor.shape or target.dtype != tensor.dtype:
                    what = "size of output tensor" if target.shape != tensor.shape else "tensor type"
                    raise RuntimeError(
                        f"ProcessGroupGloo::allgather_coalesced: invalid {what} of output tensor at index {i}"
                    )

        def call() -> None:
            for i, tensor in enumerate(tensors):
                self.do_all_gather([out[i] for out in outs], tensor)

        return self.start(call, [list(out) for out in outs])

    def _allgather_base(self, out: Tensor, tensor: Tensor, opts: Any = None) -> Work:
        return self.start(lambda: self.do_all_gather_into(out, tensor), [out])

    def gather(self, outs: Any, tensors: Any, root: Any = 0) -> Work:
        """The root's ``outs[0][r]`` becomes the tensor of rank r."""
        return self.start(*self.gathering(outs, tensors, getattr(root, "rootRank", root)))

    def gathering(self, outs: Any, tensors: Any, root: int) -> "tuple[Callable[[], None], list[Any]]":
        """Check the arguments of `gather`; return a function that runs it, and its results."""
        (tensor,) = self._single(tensors, root, "gather", "requires a single-element input tensor list")
        row = self._of_root(outs, root, "gather", "output")
        if row is not None:
            _alike(row, tensor, "gather")
        return lambda: self.do_gather(row, tensor, root), list(row or ())

    def scatter(self, outs: Any, tensors: Any, root: Any = 0) -> Work:
        """Each rank's ``outs[0]`` becomes its part of the root's ``tensors[0]``."""
        return self.start(*self.scattering(outs, tensors, getattr(root, "rootRank", root)))

    def scattering(self, outs: Any, tensors: Any, root: int) -> "tuple[Callable[[], None], list[Any]]":
        """Check the arguments of `scatter`; return a function that runs it, and its results."""
        (out,) = self._single(outs, root, "scatter", "requires a single-element output tensor list")
        row = self._of_root(tensors, root, "scatter", "input")
        if row is not None:
            _alike(row, out, "scatter")
        return lambda: self.do_scatter(out, row, root), [out]

    def reduce_scatter(self, outs: Any, tensors: Any, opts: Any = ReduceOp.SUM) -> Work:
        """``outs[0]`` becomes this rank's part of the reduction."""
        op = getattr(opts, "reduceOp", opts)
        return self.start(lambda: self.do_reduce_scatter(outs[0], tensors[0], op), outs)

    def alltoall_base(self, out: Tensor, tensor: Tensor, receives: Any, sends: Any, opts: Any = None) -> Work:
        """Rows to each rank, and from each."""
        sends, receives = self.splits(tensor, sends, "input"), self.splits(out, receives, "output")
        return self.start(lambda: self.do_all_to_all_single(out, tensor, receives, sends), [out])

    def alltoall(self, outs: Any, tensors: Any, opts: Any = None) -> Work:
        """A tensor to each rank, and from each."""
        return self.start(lambda: self.do_all_to_all(outs, tensors), list(outs))

    def splits(self, tensor: Tensor, sizes: "Sequence[int] | None", which: str) -> Sequence[int]:
        """Return how many rows of a tensor each rank receives."""
        size, length = self.size(), len(tensor) if tensor.dim() else 1
        if not sizes:
            if length % size:
                raise RuntimeError("Tensor's dim 0 does not divide equally across group size")
            return [length // size] * size
        if len(sizes) != size:
            raise RuntimeError("Number of tensor splits not equal to group size")
        if sum(sizes) != length:
            raise RuntimeError("Split sizes doesn't match total dim 0 size")
        return sizes

    def barrier(self, opts: Any = None) -> Work:
        """Wait for all ranks."""
        return self.start(self.do_barrier, [])

    def monitored_barrier(self, timeout: Any = None, wait_all_ranks: bool = False) -> None:
        """Wait for all ranks; on rank 0, an error names those that are missing."""
        self.carrier.monitored_barrier((timeout or self.timeout).total_seconds(), wait_all_ranks)

    # --- messages

    def send(self, tensors: Any, to: int, tag: int = 0) -> Work:
        """Send a tensor to another rank of the group."""
        return self.do_send(tensors if isinstance(tensors, Tensor) else tensors[0], to, tag)

    def recv(self, tensors: Any, source: "int | None", tag: int = 0) -> Work:
        """Receive a tensor from a rank of the group."""
        return self.do_receive(tensors if isinstance(tensors, Tensor) else tensors[0], source, tag)

    def recv_anysource(self, tensors: Any, tag: int = 0) -> Work:
        """Receive a tensor from any rank of the group."""
        return self.recv(tensors, None, tag)

    @staticmethod
    def create_device(hostname: str = "", interface: str = "", lazy_init: Any = None) -> Any:
        """Nothing that is needed: the ranks share memory."""

    create_default_device = create_device

    # --- checks

    def _check_root(self, root: int, function: str) -> None:
        if not 0 <= root < self.size():
            raise RuntimeError(f"ProcessGroupGloo::{function}: invalid root rank: {root}")

    def _single(
        self, tensors: Any, root: int, function: str, text: str = "requires a single-element tensor list"
    ) -> Any:
        self._check_root(root, function)
        if len(tensors) != 1:
            raise RuntimeError(f"ProcessGroupGloo::{function}: {text}")
        return tensors

    def _of_root(self, lists: Any, root: int, function: str, which: str) -> Any:
        """The list that the root has and the others have not."""
        if self.rank() != root:
            if lists and lists[0]:
                raise RuntimeError(f"ProcessGroupGloo::{function}: requires empty {which} on non-root")
            return None
        if len(lists) != 1:
            raise RuntimeError(f"ProcessGroupGloo::{function}: requires a single-element {which} list")
        if len(lists[0]) != self.size():
            raise RuntimeError(
                f"ProcessGroupGloo::{function}: Incorrect {which} list size {len(lists[0])}. "
                f"{which.capitalize()} list size should be {self.size()}, same as size of the process group."
            )
        return lists[0]


def _alike(tensors: Sequence[Tensor], like: Tensor, function: str) -> None:
    for i, tensor in enumerate(tensors):
        if tensor.dtype != like.dtype:
            raise RuntimeError(
                f"ProcessGroupGloo::{function}: invalid tensor type at index {i} (expected {like.dtype}, "
                f"got {tensor.dtype})"
            )
        if tensor.shape != like.shape:
            raise RuntimeError(
                f"ProcessGroupGloo::{function}: invalid tensor size at index {i} (expected {tuple(like.shape)}, "
                f"got {tuple(tensor.shape)})"
            )


class ProcessGroupGloo(ProcessGroup):
    """A group of the processes of this host that find each other by a store.

    Args:
        store: the store by which they find each other.
        rank, size: the rank of this process, and the number of processes.
        timeout: how long a process waits for the others, or an object with options.

    >>> group = torch.distributed.ProcessGroupGloo(torch.distributed.HashStore(), 0, 1)
    >>> group.allreduce(torch.ones(2)).wait()
    True
    """

    class _Options:
        def __init__(self) -> None:
            self._timeout: Any = default_pg_timeout
            self._devices: list[Any] = []
            self._threads = 2

    Options = _Options

    def __init__(self, store: Store, rank: int, size: int, timeout: Any = default_pg_timeout) -> None:
        from flambeau_distributed.shared_memory import SharedMemory

        timeout = getattr(timeout, "_timeout", timeout)
        if not isinstance(timeout, timedelta):
            timeout = timedelta(seconds=timeout)
        carrier = SharedMemory(PrefixStore("gloo", store), rank, size, timeout.total_seconds())
        super().__init__(carrier, store, range(size), "gloo", "gloo", timeout)
