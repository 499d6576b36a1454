"""Groups of processes: their ranks, and their collectives on any tensors and lists of tensors.

A group passes contiguous tensors to its carrier (`shared_memory.SharedMemory`, `mpi.Mpi`), checks and packs its
arguments, and runs asynchronous operations in its own thread, in order. The methods of PyTorch's class
(``allreduce``, …) are in `methods.py`.
"""

from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any

from flambeau_distributed.reduce_op import BITWISE, CODES, ReduceOp, default_pg_timeout
from flambeau_distributed.stores import Store
from flambeau_distributed.work import Work, Worker
from flambeau_tensor import Tensor, empty

__all__ = ["Group"]


class Group:
    """Processes that work together; `ProcessGroup` adds PyTorch's methods.

    Args:
        carrier: transfers tensors between the ranks.
        store: the store by which the ranks have found each other.
        ranks: the global rank of each member.
        backend: the name by which the group was requested.
        name: the name of the group.
        timeout: how long a rank waits for the others.
    """

    def __init__(
        self,
        carrier: Any,
        store: Store,
        ranks: Sequence[int],
        backend: str,
        name: str,
        timeout: timedelta = default_pg_timeout,
    ) -> None:
        self.carrier, self.store, self.ranks = carrier, store, list(ranks)
        self.backend, self.group_name, self.timeout = backend, name, timeout
        self.group_desc = "undefined"
        self.bound_device_id: Any = None
        self.worker = Worker(f"flambeau-group-{name}")
        self.sequence = 0

    def rank(self) -> int:
        """This process's rank in the group."""
        return self.carrier.rank

    def size(self) -> int:
        """The number of processes in the group."""
        return self.carrier.size

    def start(self, call: Callable[[], Any], result: "list[Any]") -> Work:
        """Have something done in its turn by the group's thread."""
        self.sequence += 1
        return self.worker.submit(call, Work(result))

    def run(self, call: Callable[[], Any], result: "list[Any]", async_op: bool = False) -> "Work | None":
        """Do something in its turn: now, or with `async_op` in the group's thread."""
        if async_op:
            return self.start(call, result)
        if self.worker.pending:
            self.start(call, result).wait()
        else:
            self.sequence += 1
            call()
        return None

    def close(self, error: str = "") -> None:
        """Take no further part."""
        self.worker.close()
        self.carrier.leave(error)

    # --- collectives on any tensors, done when they return

    def do_all_reduce(self, tensors: "list[Tensor]", op: Any, divisor: float = 1) -> None:
        """Every rank's tensors, of one dtype, become the reductions of all, divided by a number, in one exchange."""
        code = reduction(tensors[0], op, "all_reduce")
        pairs = [packed(tensor) for tensor in tensors]
        self.carrier.all_reduce([dense for _, dense in pairs], code, divisor)
        for target, dense in pairs:
            self._averaged(dense, op)
            put_back(target, dense)

    def sum(self, tensors: "list[Tensor]", divisor: float = 1) -> None:
        """Every rank's tensors, of one dtype, become the sums of all, divided by a number, in one exchange."""
        if not self.sum_now(tensors, divisor):
            self.run(lambda: self.do_all_reduce(tensors, ReduceOp.SUM, divisor), tensors)

    def sum_now(self, tensors: "list[Tensor]", divisor: float) -> bool:
        """Do the same immediately if all tensors are contiguous and no work is pending; otherwise return False."""
        return not self.worker.pending and self.carrier.all_reduce(tensors, 0, divisor)

    def join(self, joinables: "list[Any]", *options: Any, **hooks: Any) -> Any:
        """A context in which ranks may have different numbers of inputs."""
        from flambeau_distributed.algorithms.join import Join

        return Join(joinables, *options, **hooks)

    def do_reduce(self, tensor: Tensor, root: int, op: Any) -> None:
        """The root's tensor becomes the reduction of all."""
        code = reduction(tensor, op, "reduce")
        target, dense = packed(tensor)
        self.carrier.reduce(dense, root, code)
        if root == self.rank():
            self._averaged(dense, op)
            put_back(target, dense)

    def _averaged(self, dense: Tensor, op: Any) -> None:
        if op is ReduceOp.AVG:
            dense.div_(self.size())

    def do_broadcast(self, tensor: Tensor, root: int) -> None:
        """Every rank's tensor becomes the root's."""
        target, dense = packed(tensor)
        self.carrier.broadcast(dense, root)
        put_back(target, dense)

    def do_all_gather_into(self, out: Tensor, tensor: Tensor) -> None:
        """Set ``out`` to the tensors of all ranks, concatenated."""
        target, dense = packed(out)
        self.carrier.all_gather(dense, packed(tensor)[1])
        put_back(target, dense)

    def do_all_gather(self, outs: Sequence[Tensor], tensor: Tensor) -> None:
        """``outs[r]`` becomes the tensor of rank r."""
        rows = self._rows(tensor)
        self.carrier.all_gather(rows, packed(tensor)[1])
        for out, row in zip(outs, rows, strict=True):
            out.detach().copy_(row)

    def do_gather(self, outs: "Sequence[Tensor] | None", tensor: Tensor, root: int) -> None:
        """The root's ``outs[r]`` becomes the tensor of rank r."""
        rows = self._rows(tensor) if self.rank() == root else None
        self.carrier.gather(rows, packed(tensor)[1], root)
        if rows is not None:
            for out, row in zip(outs or (), rows, strict=True):
                out.detach().copy_(row)

    def do_scatter(self, out: Tensor, tensors: "Sequence[Tensor] | None", root: int) -> None:
        """Each rank's ``out`` becomes its part of the root's tensors."""
        target, dense = packed(out)
        self.carrier.scatter(dense, self._stacked(tensors or ()) if self.rank() == root else None, root)
        put_back(target, dense)

    def do_reduce_scatter_into(self, out: Tensor, tensor: Tensor, op: Any) -> None:
        """``out`` becomes this rank's part of the reduction of all ``tensor``."""
        code = reduction(tensor, op, "reduce_scatter")
        target, dense = packed(out)
        self.carrier.reduce_scatter(dense, packed(tensor)[1], code)
        self._averaged(dense, op)
        put_back(target, dense)

    def do_reduce_scatter(self, out: Tensor, tensors: Sequence[Tensor], op: Any) -> None:
        """``out`` becomes the reduction of the ranks' ``tensors[this rank]``."""
        sizes = [t.numel() for t in tensors]
        if len(set(sizes)) < 2:
            self.do_reduce_scatter_into(out, self._stacked(tensors), op)
            return
        for root, tensor in enumerate(tensors):  # of several sizes
            part = tensor.detach().clone()
            self.do_reduce(part, root, op)
            if root == self.rank():
                out.detach().copy_(part)

    def do_all_to_all_single(self, out: Tensor, tensor: Tensor, receives: Sequence[int], sends: Sequence[int]) -> None:
        """Send ``sends[r]`` rows of ``tensor`` to rank r, and receive ``receives[r]`` rows of ``out`` from it."""
        row = tensor[:1].numel() if tensor.dim() and len(tensor) else out[:1].numel() if out.dim() else 1
        target, dense = packed(out)
        self.carrier.all_to_all(dense, packed(tensor)[1], [row * n for n in sends], [row * n for n in receives])
        put_back(target, dense)

    def do_all_to_all(self, outs: Sequence[Tensor], tensors: Sequence[Tensor]) -> None:
        """Send ``tensors[r]`` to rank r, and receive ``outs[r]`` from it."""
        flat = empty(sum(t.numel() for t in tensors), dtype=tensors[0].dtype)
        target = empty(sum(t.numel() for t in outs), dtype=outs[0].dtype)
        sends, receives = [t.numel() for t in tensors], [t.numel() for t in outs]
        for tensor, part in zip(tensors, flat.split(sends), strict=True):
            part.copy_(tensor.detach().reshape(-1))
        self.carrier.all_to_all(target, flat, sends, receives)
        for out, part in zip(outs, target.split(receives), strict=True):
            out.detach().copy_(part.view(out.shape))

    def do_barrier(self, timeout: "timedelta | None" = None) -> None:
        """Wait for all ranks."""
        self.carrier.barrier(timeout=None if timeout is None else timeout.total_seconds())

    def _rows(self, tensor: Tensor) -> Tensor:
        return empty((self.size(), *tensor.shape), dtype=tensor.dtype)

    def _stacked(self, tensors: Sequence[Tensor]) -> Tensor:
        rows = self._rows(tensors[0])
        for row, tensor in zip(rows, tensors, strict=True):
            row.copy_(tensor.detach())
        return rows

    # --- messages

    def do_send(self, tensor: Tensor, to: int, tag: int) -> Work:
        """Send a tensor to another rank of the group."""
        return self.carrier.send(packed(tensor)[1], to, tag)

    def do_receive(self, tensor: Tensor, source: "int | None", tag: int) -> Work:
        """Receive a tensor from a rank of the group, or from any."""
        target, dense = packed(tensor)
        work = self.carrier.receive(dense, source, tag)
        return work if dense is target else _Unpacked(work, target, dense)


class _Unpacked(Work):
    """A message for a tensor that is not contiguous."""

    def __init__(self, work: Work, target: Tensor, dense: Tensor) -> None:
        super().__init__([target])
        self._work, self._pair = work, (target, dense)

    def is_completed(self) -> bool:
        return self._work.is_completed()

    def source_rank(self) -> int:
        return self._work.source_rank()

    def wait(self, timeout: "timedelta | None" = None) -> bool:
        self._work.wait(timeout)
        if not self._done.is_set():
            put_back(*self._pair)
            self.finish()
        return True


def packed(tensor: Tensor) -> "tuple[Tensor, Tensor]":
    """Return the tensor without its history, and its elements as a contiguous tensor: itself or a copy."""
    if not isinstance(tensor, Tensor) or tensor.layout != _STRIDED:
        raise ValueError(f"groups of processes take dense tensors, not {getattr(tensor, 'layout', type(tensor))}")
    if tensor.device.type != "cpu":
        raise RuntimeError(f"groups of processes take tensors on the CPU, not on {tensor.device}")
    plain = tensor.detach()
    return plain, plain.resolve_conj().resolve_neg().contiguous()


_STRIDED = empty(0).layout


def put_back(target: Tensor, dense: Tensor) -> None:
    """Give a tensor the elements of its packed copy, if that is one."""
    if dense is not target:
        target.copy_(dense)


def reduction(tensor: Tensor, op: Any, function: str) -> int:
    """Return the number of a reduction for the compiled loops.

    Raises:
        TypeError: the argument is not a reduction.
        RuntimeError: it does not support the tensor's dtype.
    """
    op = getattr(op, "reduceOp", op)
    code = CODES.get(op) if op.__hash__ else None
    if code is None:
        raise TypeError(f"{function}(): op must be a torch.distributed.ReduceOp that is built, not {op!r}")
    if tensor.is_complex() and code:
        raise ValueError(f"{function} does not support {op} on complex tensors")
    if op in BITWISE and (tensor.is_floating_point() or tensor.is_complex()):
        raise ValueError(f"Cannot use ReduceOp.{op.name} with non-integral dtype")
    return code
