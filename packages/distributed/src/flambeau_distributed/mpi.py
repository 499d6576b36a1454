"""Groups of processes started by MPI, on any number of hosts, through mpi4py (``flambeau-distributed[mpi]``).

Buffers are passed by address, without a copy. float16 and bfloat16 are reduced in float32 by a custom MPI operation.
"""

import os
import time
from collections.abc import Sequence
from typing import Any

import flambeau_tensor
from flambeau_autograd.graph import increment_version
from flambeau_distributed.errors import DistBackendError
from flambeau_distributed.stores import HashStore
from flambeau_distributed.work import Work
from flambeau_tensor import Tensor, bfloat16, cat, empty, float16, frombuffer, int32

# Environment variables that launchers set in the processes that they start.
_STARTED = ("OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK", "PMI_RANK", "MPI_LOCALNRANKS")


def started() -> bool:
    """Return True if MPI has started this process and mpi4py is installed."""
    if not any(name in os.environ for name in _STARTED):
        return False
    from importlib.util import find_spec

    return find_spec("mpi4py") is not None


class MpiStore(HashStore):
    """A store for this process only: MPI already connects the processes."""

    def __init__(self, carrier: "Mpi") -> None:
        super().__init__()
        self.carrier = carrier


_NAMES = ("SUM", "PROD", "MIN", "MAX", "BAND", "BOR", "BXOR")
_half_ops: dict[Any, Any] = {}


class Mpi:
    """One rank's part in a communicator.

    Args:
        comm: an mpi4py communicator; this object takes ownership.
        timeout: seconds to wait in `monitored_barrier` and in other waits with a timeout.
    """

    name = "MPI"

    def __init__(self, comm: Any, timeout: float) -> None:
        from mpi4py import MPI

        self.mpi, self.comm, self.timeout = MPI, comm, timeout
        self.rank, self.size = comm.Get_rank(), comm.Get_size()
        types = {
            "bool": MPI.C_BOOL, "uint8": MPI.UINT8_T, "int8": MPI.INT8_T, "int16": MPI.INT16_T, "int32": MPI.INT32_T,
            "int64": MPI.INT64_T, "uint16": MPI.UINT16_T, "uint32": MPI.UINT32_T, "uint64": MPI.UINT64_T,
            "float32": MPI.FLOAT, "float64": MPI.DOUBLE, "complex64": MPI.C_FLOAT_COMPLEX,
            "complex128": MPI.C_DOUBLE_COMPLEX, "float16": MPI.UINT16_T, "bfloat16": MPI.UINT16_T,
            "complex32": MPI.UINT32_T,
        }  # fmt: skip
        self._types = {getattr(flambeau_tensor, name): kind for name, kind in types.items()}
        self._ops: dict[Any, Any] = {}
        self._memory = MPI.buffer.fromaddress

    @classmethod
    def world(cls, timeout: float) -> "Mpi":
        """The group of all processes that were started together; an uncaught exception ends all of them."""
        from mpi4py import MPI

        _abort_on_exceptions(MPI)
        return cls(MPI.COMM_WORLD.Dup(), timeout)

    def part(self, ranks: Sequence[int], number: int, timeout: float) -> "Mpi":
        """Return a group of some ranks; only these call this."""
        group = self.comm.Get_group()
        return Mpi(self.comm.Create_group(group.Incl(list(ranks)), number % 32767), timeout)

    # --- passing tensors

    def _buffer(self, tensor: "Tensor | None", count: "int | None" = None) -> Any:
        """Return a tensor's memory and type, and with `count` the number of its elements for each rank."""
        if tensor is None:
            return None
        nbytes = tensor.nbytes
        memory = self._memory(tensor.data_ptr(), nbytes) if nbytes else bytearray()
        kind = self._types[tensor.dtype]
        return [memory, kind] if count is None else [memory, count, kind]

    def _op(self, tensor: Tensor, op: int) -> Any:
        key = tensor.dtype, op
        if key not in self._ops:
            self._ops[key] = self._made_op(tensor, op)
        return self._ops[key]

    def _made_op(self, tensor: Tensor, op: int) -> Any:
        if tensor.dtype in (float16, bfloat16):
            key = tensor.dtype, op
            if key not in _half_ops:
                _half_ops[key] = self.mpi.Op.Create(_of_halves(*key), commute=True)
            return _half_ops[key]
        name = _NAMES[op]
        if str(tensor.dtype) == "torch.bool":
            name = {"SUM": "LOR", "MAX": "LOR", "PROD": "LAND", "MIN": "LAND", "BAND": "LAND", "BOR": "LOR"}.get(
                name, "LXOR"
            )
        return getattr(self.mpi, name)

    # --- collectives on contiguous tensors

    def barrier(self, timeout: "float | None" = None) -> None:
        if timeout is None:
            self.comm.Barrier()
            return
        request = self.comm.Ibarrier()
        self._wait(request, timeout, "barrier")

    def all_reduce(self, tensors: "list[Tensor]", op: int, divisor: float = 1) -> bool:
        """Reduce several tensors of one dtype together; return False if some are not contiguous."""
        for tensor in tensors:
            if not tensor.is_contiguous() or tensor.is_neg():
                return False
        if len(tensors) == 1:
            flat = tensors[0]
        else:
            flat = cat([tensor.detach().view(-1) for tensor in tensors])
        self.comm.Allreduce(self.mpi.IN_PLACE, self._buffer(flat), self._op(flat, op))
        increment_version(flat)
        if divisor != 1:
            flat.detach().div_(divisor)
        if len(tensors) > 1:
            for tensor, part in zip(tensors, flat.split([tensor.numel() for tensor in tensors]), strict=True):
                tensor.detach().view(-1).copy_(part)
        return True

    def reduce(self, tensor: Tensor, root: int, op: int) -> None:
        if self.rank == root:
            self.comm.Reduce(self.mpi.IN_PLACE, self._buffer(tensor), self._op(tensor, op), root)
            increment_version(tensor)
        else:
            self.comm.Reduce(self._buffer(tensor), None, self._op(tensor, op), root)

    def broadcast(self, tensor: Tensor, root: int) -> None:
        self.comm.Bcast(self._buffer(tensor), root)
        if self.rank != root:
            increment_version(tensor)

    def all_gather(self, out: Tensor, tensor: Tensor) -> None:
        self.comm.Allgather(self._buffer(tensor), self._buffer(out, tensor.numel()))
        increment_version(out)

    def gather(self, out: "Tensor | None", tensor: Tensor, root: int) -> None:
        self.comm.Gather(self._buffer(tensor), self._buffer(out, tensor.numel()), root)
        if out is not None:
            increment_version(out)

    def scatter(self, out: Tensor, tensor: "Tensor | None", root: int) -> None:
        self.comm.Scatter(self._buffer(tensor, out.numel()), self._buffer(out), root)
        increment_version(out)

    def reduce_scatter(self, out: Tensor, tensor: Tensor, op: int) -> None:
        send, receive = self._buffer(tensor, out.numel()), self._buffer(out)
        self.comm.Reduce_scatter_block(send[:1] + send[2:], receive, self._op(tensor, op))
        increment_version(out)

    def all_to_all(self, out: Tensor, tensor: Tensor, sends: list[int], receives: list[int]) -> None:
        kind = self._types[tensor.dtype]
        memory, target = self._buffer(tensor)[0], self._buffer(out)[0]
        self.comm.Alltoallv([memory, sends, None, kind], [target, receives, None, kind])
        increment_version(out)

    def monitored_barrier(self, timeout: float, wait_all_ranks: bool) -> None:
        """A barrier after which rank 0 knows which ranks did not arrive."""
        here = empty(1, dtype=int32)
        if self.rank:
            self._wait(self.comm.Isend(self._buffer(here), 0, _MONITORED), timeout, "monitored_barrier")
            self._wait(self.comm.Irecv(self._buffer(here), 0, _MONITORED), timeout, "monitored_barrier")
            return
        absent = []
        requests = {r: self.comm.Irecv(self._buffer(empty(1, dtype=int32)), r, _MONITORED) for r in range(1, self.size)}
        end = time.monotonic() + timeout
        for rank, request in requests.items():
            while not request.Test() and time.monotonic() < end:
                time.sleep(0.0005)
            if not request.Test():
                absent.append(rank)
                if not wait_all_ranks:
                    break
        if absent:
            names = ", ".join(map(str, absent))
            raise DistBackendError(f"[Rank 0]: Rank {names} failed to pass monitoredBarrier in {timeout * 1000:.0f} ms")
        for rank in requests:
            self.comm.Isend(self._buffer(here), rank, _MONITORED).Wait()

    def _wait(self, request: Any, timeout: float, function: str) -> None:
        end = time.monotonic() + timeout
        while not request.Test():
            if time.monotonic() > end:
                raise DistBackendError(f"Timed out waiting {timeout * 1000:.0f}ms for {function} to complete")
            time.sleep(0.0001)

    # --- messages

    def send(self, tensor: Tensor, to: int, tag: int) -> Work:
        return _Requested(self.comm.Isend(self._buffer(tensor), to, tag), tensor, self, False)

    def receive(self, tensor: Tensor, source: "int | None", tag: int) -> Work:
        source = self.mpi.ANY_SOURCE if source is None else source
        return _Requested(self.comm.Irecv(self._buffer(tensor), source, tag), tensor, self, True)

    def leave(self, error: str = "") -> None:
        """Take no further part."""
        if self.comm is not None and not self.mpi.Is_finalized():
            self.comm.Free()
        self.comm = None


_MONITORED = 32766  # a tag


class _Requested(Work):
    """A message that MPI sends or receives."""

    def __init__(self, request: Any, tensor: Tensor, carrier: Mpi, receives: bool) -> None:
        super().__init__([tensor])
        self._request, self._carrier, self._receives = request, carrier, receives

    def _settled(self, status: Any) -> None:
        if self._receives:
            self._source = status.Get_source()
            increment_version(self._result[0])
        self.finish()

    def is_completed(self) -> bool:
        if not self._done.is_set():
            status = self._carrier.mpi.Status()
            if self._request.Test(status):
                self._settled(status)
        return self._done.is_set()

    def wait(self, timeout: Any = None) -> bool:
        if not self._done.is_set():
            status = self._carrier.mpi.Status()
            self._request.Wait(status)
            self._settled(status)
        return super().wait()


def _of_halves(dtype: Any, op: int) -> Any:
    """A reduction of halves for MPI, which computes in float32."""

    def combine(given: Any, into: Any, datatype: Any) -> None:
        a = frombuffer(given, dtype=dtype).float()
        target = frombuffer(into, dtype=dtype)
        b = target.float()
        target.copy_((a + b, a * b, a.minimum(b), a.maximum(b))[op] if op < 4 else a)

    return combine


def _abort_on_exceptions(mpi: Any) -> None:
    import sys
    import traceback

    if mpi.COMM_WORLD.Get_size() == 1 or getattr(sys.excepthook, "aborts", False):
        return

    def hook(kind: Any, error: Any, trace: Any) -> None:
        traceback.print_exception(kind, error, trace)
        sys.stderr.write(f"rank {mpi.COMM_WORLD.Get_rank()} of MPI has raised {kind.__name__}: the job ends\n")
        sys.stderr.flush()
        time.sleep(0.3)  # the launcher forwards output that it has read before it ends the job
        mpi.COMM_WORLD.Abort(1)

    hook.aborts = True  # type: ignore[attr-defined]
    sys.excepthook = hook


def is_mpi_available() -> bool:
    """Return True if mpi4py is installed.

    >>> isinstance(torch.distributed.is_mpi_available(), bool)
    True
    """
    from importlib.util import find_spec

    return find_spec("mpi4py") is not None
