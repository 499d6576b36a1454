"""``torchrun``, also ``python -m torch.distributed.run``: start a script in several processes of this host.

    flambeau run -m torch.distributed.run --nproc-per-node 4 script.py [arguments]

Each process gets its rank by environment variables (``RANK``, ``LOCAL_RANK``, ``WORLD_SIZE``, ``MASTER_ADDR``,
``MASTER_PORT``), by which `init_process_group` finds the others. When one fails, the others are stopped, and the exit
status is that of the first.
"""

import argparse
import os
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from flambeau_distributed.tcp_store import TCPStore

SEVERAL = """\
torchrun starts processes on this host. For several hosts start the same script by MPI:
    mpirun -n {n} --host a,b python -m flambeau run {script}
or, under Slurm, by
    srun -n {n} --mpi=pmix python -m flambeau run {script}"""
GRACE = 5.0  # seconds that processes have to end after one has failed


def parser() -> argparse.ArgumentParser:
    """The options; words may be joined by ``-`` or ``_``."""
    p = argparse.ArgumentParser("torchrun", description="Start a script in several processes of this host.")
    p.add_argument("--nnodes", default="1", help="1: for more hosts use MPI")
    p.add_argument(
        "--nproc-per-node", "--nproc_per_node", default="1", help="how many processes; auto, cpu: one a core"
    )
    p.add_argument("--node-rank", "--node_rank", type=int, default=0, help="0")
    p.add_argument("--standalone", action="store_true", help="take a free port")
    p.add_argument("--master-addr", "--master_addr", default="127.0.0.1", help="where the ranks find each other")
    p.add_argument("--master-port", "--master_port", type=int, default=29500, help="0: a free port")
    p.add_argument("--rdzv-backend", "--rdzv_backend", default="static", help="static or c10d; taken as it is")
    p.add_argument("--rdzv-endpoint", "--rdzv_endpoint", default="", help="host:port")
    p.add_argument("--rdzv-id", "--rdzv_id", default="none", help="a name of the job")
    p.add_argument("--rdzv-conf", "--rdzv_conf", default="", help="ignored")
    p.add_argument("--max-restarts", "--max_restarts", type=int, default=0, help="start all again so often")
    p.add_argument("--monitor-interval", "--monitor_interval", type=float, default=0.1, help="seconds between looks")
    p.add_argument("--start-method", "--start_method", default="spawn", help="ignored")
    p.add_argument("--role", default="default", help="a name of the processes")
    p.add_argument("-m", "--module", action="store_true", help="the script is a module, as by python -m")
    p.add_argument("--no-python", "--no_python", action="store_true", help="the script is a program of its own")
    p.add_argument("--run-path", "--run_path", action="store_true", help="ignored")
    p.add_argument("--log-dir", "--log_dir", default=None, help="a folder for what the processes write")
    p.add_argument("-r", "--redirects", default="0", help="3: write what processes print to the log folder")
    p.add_argument("-t", "--tee", default="0", help="ignored")
    p.add_argument("--local-ranks-filter", "--local_ranks_filter", default="", help="ignored")
    p.add_argument("training_script", help="the script")
    p.add_argument("training_script_args", nargs=argparse.REMAINDER, help="its arguments")
    return p


def main(args: "Sequence[str] | None" = None) -> None:
    """Start the processes and wait for them.

    Raises:
        SystemExit: one has failed, with its status.
    """
    options = parser().parse_args(args)
    count = _count(options.nproc_per_node)
    if options.nnodes not in ("1", "1:1"):
        raise SystemExit(SEVERAL.format(n=count, script=options.training_script))
    for attempt in range(options.max_restarts + 1):
        status = _attempt(options, count, attempt)
        if not status:
            return
    raise SystemExit(status)


run = main


def _count(text: str) -> int:
    if text in ("auto", "cpu"):
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if text == "gpu":
        raise ValueError("Cuda is not available.")
    try:
        count = int(text)
    except ValueError:
        raise ValueError(f"Unsupported nproc_per_node value: {text}") from None
    if count < 1:
        raise ValueError(f"nproc_per_node must be at least 1, got {count}")
    return count


def _command(options: Any) -> list[str]:
    script = [options.training_script, *options.training_script_args]
    if options.no_python:
        return script
    return [sys.executable, "-u", *(["-m"] if options.module else []), *script]


def _attempt(options: Any, count: int, attempt: int) -> int:
    host, port = options.master_addr, options.master_port
    if options.rdzv_endpoint:
        host, _, text = options.rdzv_endpoint.partition(":")
        port = int(text or port)
    if options.standalone:
        host, port = "127.0.0.1", 0
    store = TCPStore(host, port, None, True, timedelta(seconds=60), False)
    shared = {
        "WORLD_SIZE": count, "LOCAL_WORLD_SIZE": count, "GROUP_RANK": 0, "GROUP_WORLD_SIZE": 1,
        "ROLE_NAME": options.role, "ROLE_WORLD_SIZE": count,
        "MASTER_ADDR": host or "127.0.0.1", "MASTER_PORT": store.port,
        "TORCHELASTIC_RESTART_COUNT": attempt, "TORCHELASTIC_MAX_RESTARTS": options.max_restarts,
        "TORCHELASTIC_RUN_ID": options.rdzv_id, "TORCHELASTIC_USE_AGENT_STORE": "True",
        "TORCHELASTIC_ERROR_FILE": "",
    }  # fmt: skip
    if count > 1 and "OMP_NUM_THREADS" not in os.environ:
        shared["OMP_NUM_THREADS"] = 1
    folder = options.log_dir or (f"torchrun-{secrets.token_hex(4)}" if options.redirects != "0" else "")
    processes: list[subprocess.Popen[bytes]] = []
    try:
        for rank in range(count):
            own = {"RANK": rank, "LOCAL_RANK": rank, "ROLE_RANK": rank, **shared}
            environment = {**os.environ, **{name: str(value) for name, value in own.items()}}
            processes.append(subprocess.Popen(_command(options), env=environment, **_outputs(folder, rank)))
        return _watch(processes, options)
    except KeyboardInterrupt:
        _end(processes, signal.SIGINT)
        raise SystemExit(128 + signal.SIGINT) from None
    finally:
        _end(processes, signal.SIGTERM)


def _outputs(folder: str, rank: int) -> dict[str, Any]:
    if not folder:
        return {}
    os.makedirs(f"{folder}/{rank}", exist_ok=True)
    return {"stdout": open(f"{folder}/{rank}/stdout.log", "wb"), "stderr": open(f"{folder}/{rank}/stderr.log", "wb")}


def _watch(processes: "list[subprocess.Popen[bytes]]", options: Any) -> int:
    """Return 0 when all have ended successfully, otherwise report the first that failed and return its status."""
    while True:
        statuses = [process.poll() for process in processes]
        for rank, status in enumerate(statuses):
            if status:
                how = f"signal {signal.Signals(-status).name}" if status < 0 else f"status {status}"
                sys.stderr.write(
                    f"torchrun: rank {rank} (process {processes[rank].pid}) of {options.training_script} ended with "
                    f"{how}; the others are ended\n"
                )
                time.sleep(min(GRACE, 0.5))  # they may report their own errors
                return 128 - status if status < 0 else status
        if all(status == 0 for status in statuses):
            return 0
        time.sleep(min(options.monitor_interval, 0.02))


def _end(processes: "list[subprocess.Popen[bytes]]", how: int) -> None:
    alive = [process for process in processes if process.poll() is None]
    for process in alive:
        process.send_signal(how)
    end = time.monotonic() + GRACE
    for process in alive:
        try:
            process.wait(max(end - time.monotonic(), 0.01))
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


if __name__ == "__main__":
    main()
