"""Random schedules of collectives with faults: nothing may hang, and nothing may stay in shared memory.

    python fuzz/ranks.py --schedules 1000

In each schedule two to four ranks call some collectives and messages, the same ones with the same values, which NumPy
checks. Then one rank has a fault: it is killed, raises, calls something else, or comes late. Every other rank must
then raise an error within a second, or when its timeout is over.
"""

import argparse
import os
import random
import signal
import sys
import tempfile
import time
import warnings
from datetime import timedelta

warnings.simplefilter("ignore", DeprecationWarning)  # fork with threads: the parent has none that matter

FAULTS = ("killed", "raises", "mismatch", "late", "none")
SLACK = float(os.environ.get("SLACK", "1"))  # on a busy machine
TIMEOUT = 0.4 * SLACK  # seconds, where a rank is late
LIMIT = 1.0 * SLACK  # seconds in which the others must raise


def reduced(dist, torch, rng, rank, size):
    n = rng.choice([1, 5, 1000, 40_000, 100_000])
    x = torch.full((n,), float(rank))
    dist.all_reduce(x)
    assert x[0] == x[-1] == sum(range(size))


def given(dist, torch, rng, rank, size):
    n, root = rng.choice([1, 50_000]), rng.randrange(size)
    x = torch.full((n,), float(rank))
    dist.broadcast(x, root)
    assert x[-1] == root


def gathered(dist, torch, rng, rank, size):
    x = torch.empty(size, rng.choice([2, 30_000]))
    dist.all_gather_into_tensor(x, torch.full((x.shape[1],), float(rank)))
    assert x[:, -1].tolist() == list(range(size))


def exchanged(dist, torch, rng, rank, size):
    x = torch.empty(size * rng.choice([1, 20_000]))
    dist.all_to_all_single(x, torch.full((len(x),), float(rank)))
    assert x[-1] == size - 1


def sent(dist, torch, rng, rank, size):
    n = rng.choice([1, 30_000])
    got = torch.empty(n)
    works = [dist.isend(torch.full((n,), float(rank)), (rank + 1) % size), dist.irecv(got, (rank - 1) % size)]
    for work in works:
        work.wait()
    assert got[-1] == (rank - 1) % size


def later(dist, torch, rng, rank, size):
    x, y = torch.ones(20_000), torch.ones(2)
    work = dist.all_reduce(x, async_op=True)
    dist.all_reduce(y)
    work.wait()
    assert x[-1] == y[-1] == size


def met(dist, torch, rng, rank, size):
    dist.barrier()


CALLS = (reduced, given, gathered, exchanged, sent, later, met)


def run(seed, rank, size, file):
    """One rank of a schedule; its exit status says how it went: 0 as it should, 3 not."""
    import flambeau_distributed as dist
    import flambeau_tensor as torch

    dist.shared_memory.SLOT = 1 << 17  # so that some tensors take several pieces
    rng = random.Random(seed)
    fault, at, who = rng.choice(FAULTS), rng.randrange(6), rng.randrange(size)
    timeout = timedelta(seconds=TIMEOUT if fault == "late" else 60)
    dist.init_process_group("gloo", init_method=f"file://{file}", rank=rank, world_size=size)
    dist.world.world.default.set_timeout(timeout)
    dist.world.world.default.carrier.timeout = timeout.total_seconds()
    began = 0.0
    for step in range(6):
        call = rng.choice(CALLS)
        if step == at and fault != "none":
            began = time.monotonic()
            if fault in ("mismatch", "late") and call in (sent, later):
                call = reduced
            if rank == who:
                if fault == "killed":
                    os.kill(os.getpid(), signal.SIGKILL)
                if fault == "raises":
                    raise KeyError("a fault")
                if fault == "late":
                    time.sleep(TIMEOUT + 0.3)
                if fault == "mismatch":
                    call = met if call is not met else given
        try:
            call(dist, torch, rng, rank, size)
        except RuntimeError as error:
            if step < at or fault == "none":
                raise
            took = time.monotonic() - began
            limit = LIMIT + (TIMEOUT + 0.3 if fault == "late" else 0)
            named = "rank" in str(error)
            if took > limit or not named:
                print(f"schedule {seed}, {fault}, rank {rank}: {took:.2f} s, {error}", flush=True)
                os._exit(3)
            os._exit(0)
    # A fault that no call of this rank depended on (a message between others) need not be seen here.
    os._exit(0)


def schedule(seed):
    """Run one; whether all was as it should."""
    size = random.Random(~seed).randrange(2, 5)
    with tempfile.TemporaryDirectory() as folder:
        children = []
        for rank in range(size):
            child = os.fork()
            if not child:
                sys.stderr = open(os.devnull, "w")
                try:
                    run(seed, rank, size, f"{folder}/store")
                except KeyError:
                    os._exit(1)
                except BaseException as error:
                    print(f"schedule {seed}, rank {rank}: {type(error).__name__}: {error}", flush=True)
                    os._exit(3)
            children.append(child)
        end, statuses = time.monotonic() + 30, {}
        while len(statuses) < size:
            for child in children:
                if child not in statuses:
                    done, status = os.waitpid(child, os.WNOHANG)
                    if done:
                        statuses[child] = os.waitstatus_to_exitcode(status)
            if time.monotonic() > end:
                for child in children:
                    if child not in statuses:
                        os.kill(child, signal.SIGKILL)
                        os.waitpid(child, 0)
                print(f"schedule {seed} hangs: {statuses}", flush=True)
                return False
            time.sleep(0.002)
    return all(status in (0, 1, -9) for status in statuses.values())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--schedules", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0)
    options = parser.parse_args()
    import flambeau_distributed  # noqa: F401  (once, for all ranks)

    memory = set(os.listdir("/dev/shm")) if os.path.isdir("/dev/shm") else set()
    files, began = len(os.listdir("/proc/self/fd")), time.monotonic()
    seeds = range(options.first, options.first + options.schedules)
    failed = [seed for seed in seeds if not schedule(seed)]
    left = {name for name in set(os.listdir("/dev/shm")) - memory if "flambeau" in name}
    assert len(os.listdir("/proc/self/fd")) == files
    print(f"{options.schedules} schedules, {len(failed)} failed {failed[:20]}, left in memory: {sorted(left)}")
    print(f"{time.monotonic() - began:.0f} s")
    sys.exit(bool(failed or left))


if __name__ == "__main__":
    main()
