"""The DataLoader over worker processes. Random numbers were written down from PyTorch 2.13."""

import gc
import glob
import multiprocessing
import os
import signal
import subprocess
import sys
import textwrap
import time

import numpy as np
import pytest

import flambeau_tensor as ft
from flambeau_data import DataLoader, Dataset, IterableDataset, TensorDataset, get_worker_info
from flambeau_data._utils import transport
from flambeau_data._utils.worker import _generate_state

# Later Pythons warn of any fork beside threads, as the library's own are.
pytestmark = pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")


class Images(Dataset):
    """Large enough for shared memory, of several dtypes."""

    def __len__(self):
        return 12

    def __getitem__(self, i):
        return {
            "image": ft.full((3, 50, 50), float(i)),
            "mask": ft.full((3, 50, 50), i).to(ft.bfloat16),
            "array": np.full((2000,), i),
            "name": str(i),
        }


class Stream(IterableDataset):
    """As long as the worker's number says."""

    def __iter__(self):
        return iter(range(3 + 4 * get_worker_info().id))


class Bad(Dataset):
    def __init__(self, what):
        self.what = what

    def __len__(self):
        return 6

    def __getitem__(self, i):
        if i == 3:
            self.what(i)
        return i


class Strange(Exception):
    def __init__(self, one, two):
        super().__init__(one, two)


def fail(i):
    raise ValueError(f"item {i} is bad")


def fail_with_a_key(i):
    raise KeyError("no such key")


def fail_strangely(i):
    raise Strange(1, 2)


def die(i):
    os.kill(os.getpid(), signal.SIGKILL)


def leave(i):
    os._exit(3)


def sleep(i):
    time.sleep(300)


def forked(dataset, **options):
    """The datasets of this file are for workers that inherit them."""
    return DataLoader(dataset, multiprocessing_context="fork", **options)


def no_file_left():
    gc.collect()
    return not glob.glob(f"{transport.MEMORY}/flambeau-{os.getpid()}-*") and not multiprocessing.active_children()


@pytest.fixture(autouse=True)
def nothing_stays_behind():
    yield
    assert no_file_left()


def lists(loader):
    return [b.tolist() for b in loader]


METHODS = [m for m in ("fork", "spawn", "forkserver") if m in multiprocessing.get_all_start_methods()]
DRAWS = """
import random, sys
import numpy as np
import flambeau_tensor as ft
from flambeau_data import DataLoader, Dataset, get_worker_info

class Draws(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, i):
        return i, ft.rand(()).item(), random.random(), float(np.random.rand()), get_worker_info().id

if __name__ == "__main__":
    ft.manual_seed(1)
    loader = DataLoader(Draws(), batch_size=2, num_workers=2, shuffle=True, multiprocessing_context=sys.argv[1])
    print([[t.tolist() for t in batch] for batch in loader], int(ft.randint(1000, ())), sep="; ")
"""


def test_numpys_seed_in_a_worker_is_pytorchs():
    assert _generate_state(2**61 + 5, 3) == [4210074138, 1691660605, 1713516793, 3373752242]


@pytest.mark.parametrize("method", METHODS)
def test_draws_are_pytorchs(method, tmp_path):
    """Base seed, seeds of the workers in three generators, and the order: for every way to start a process."""
    want = [
        [
            [2, 0],
            [0.5113104581832886, 0.2310420274734497],
            [0.4495910966205341, 0.3209548294164798],
            [0.7809243576395145, 0.7493266768424349],
            [0, 0],
        ],
        [
            [1, 3],
            [0.3022708296775818, 0.8597546219825745],
            [0.5858821825793612, 0.3206321469244334],
            [0.49401011740198875, 0.7704628272085052],
            [1, 1],
        ],
    ]
    script = tmp_path / "draws.py"
    script.write_text(DRAWS)
    out = subprocess.run([sys.executable, str(script), method], capture_output=True, text=True, check=True).stdout
    assert out == f"{want}; 263\n"


def test_large_batches_come_through_shared_memory():
    loader = forked(Images(), batch_size=4, num_workers=2, prefetch_factor=1)
    for _ in range(2):
        iterator = iter(loader)
        first = next(iterator)
        assert iterator._links[0].receiver._files and "0-0" not in os.listdir(iterator._directory)  # its name is gone
        batches = [first, *iterator]
        for k, batch in enumerate(batches):
            rows = [4.0 * k + i for i in range(4)]
            assert batch["image"].shape == (4, 3, 50, 50) and batch["image"].mean((1, 2, 3)).tolist() == rows
            assert batch["mask"].dtype == ft.bfloat16 and batch["mask"][:, 0, 0, 0].tolist() == rows
            assert batch["array"][:, -1].tolist() == rows and batch["name"] == [str(int(r)) for r in rows]
        batches[0]["image"].zero_()
        assert batches[1]["image"].min() == 4 and not os.path.exists(iterator._directory)


def test_without_shared_memory_batches_come_through_the_pipe(monkeypatch):
    monkeypatch.setattr("flambeau_data.dataloader.folder", lambda: "/nonexistent/folder")
    means = [b["image"].mean().item() for b in forked(Images(), batch_size=6, num_workers=1)]
    assert means == [2.5, 8.5]


def test_every_kind_of_tensor_arrives():
    items = [
        ft.zeros(0),
        ft.ones(5000).view(50, 100).t(),
        ft.ones(3000, dtype=ft.complex64).conj(),
        ft.tensor(3),
        ft.arange(30000)[::2],
        ft.ones(70000, dtype=ft.bool),
    ]
    for got, want in zip(forked(items, batch_size=None, num_workers=1), items, strict=True):
        assert ft.equal(got, want) and got.dtype == want.dtype and got.stride() == want.stride()
    same = [[ft.ones(40000)] * 2]
    a, b = next(iter(forked(same, batch_size=None, num_workers=1, collate_fn=lambda x: x)))
    assert a is b


def test_streams_end_each_at_its_own_time():
    want = [0, 0, 1, 1, 2, 2, 3, 4, 5, 6]
    assert list(forked(Stream(), batch_size=None, num_workers=2)) == want
    loader = forked(Stream(), batch_size=2, num_workers=2, persistent_workers=True)
    for _ in range(2):
        assert lists(loader) == [[0, 1], [0, 1], [2], [2, 3], [4, 5], [6]]


def test_persistent_workers_stay():
    loader = forked(TensorDataset(ft.arange(4)), batch_size=2, num_workers=2, persistent_workers=True)
    iterator = iter(loader)
    pids = [process.pid for process in iterator._workers]
    assert len(list(iterator)) == 2
    next(iter(loader))  # broken off: what is under way is thrown away
    assert iter(loader) is iterator and [b[0].tolist() for b in iterator] == [[0, 1], [2, 3]]
    assert [process.pid for process in iterator._workers] == pids


def test_out_of_order_batches_come_as_they_are_ready():
    received = multiprocessing.get_context("fork").Event()
    loader = forked(
        Bad(lambda i: received.wait(60)), batch_size=3, sampler=[3, 4, 5, 0, 1, 2], num_workers=2, in_order=False
    )
    iterator = iter(loader)
    assert next(iterator).tolist() == [0, 1, 2]
    received.set()
    assert lists(iterator) == [[3, 4, 5]]
    loader = forked(Stream(), batch_size=None, num_workers=2, in_order=False)
    assert sorted(loader) == [0, 0, 1, 1, 2, 2, 3, 4, 5, 6]


def test_init_function():
    def init(number):
        get_worker_info().dataset.offset = 10 * number

    class Shifted(Dataset):
        def __len__(self):
            return 4

        def __getitem__(self, i):
            return i + self.offset, ft.get_num_threads()

    got = [[t.tolist() for t in b] for b in forked(Shifted(), num_workers=2, batch_size=2, worker_init_fn=init)]
    assert got == [[[0, 1], [1, 1]], [[12, 13], [1, 1]]]

    def bad_init(number):
        raise ValueError("cannot start")

    with pytest.raises(ValueError, match="(?s)Caught ValueError in DataLoader worker process 0.*cannot start"):
        list(forked(Shifted(), num_workers=1, worker_init_fn=bad_init))


@pytest.mark.parametrize(
    ("what", "error", "name"),
    [
        (fail, ValueError, "ValueError"),
        (fail_with_a_key, KeyError, "KeyError"),
        (fail_strangely, RuntimeError, "Strange"),
    ],
)
def test_errors_name_worker_and_item_and_carry_the_traceback(what, error, name):
    iterator = iter(forked(Bad(what), batch_size=2, num_workers=2))
    assert next(iterator).tolist() == [0, 1]
    with pytest.raises(error) as e:
        next(iterator)
    text = str(e.value)
    assert text.startswith(f"Caught {name} in DataLoader worker process 1.\nOriginal Traceback (most recent call last)")
    assert f"in {what.__name__}" in text and "This was item 3 of Bad, in the batch of [2, 3]." in text
    assert e.value.__notes__ == ["This was item 3 of Bad, in the batch of [2, 3]."]
    assert next(iterator).tolist() == [4, 5]  # the others still come


def test_what_does_not_pickle():
    loader = forked(range(2), num_workers=1, collate_fn=lambda batch: lambda: batch)
    with pytest.raises(Exception, match="(?s)Caught .* in DataLoader worker process 0 while it sent a batch.*pickle"):
        next(iter(loader))


@pytest.mark.parametrize(("what", "how"), [(die, "killed by signal SIGKILL"), (leave, "with exit code 3")])
@pytest.mark.parametrize("in_order", [True, False])
def test_a_worker_that_dies_ends_the_pass(what, how, in_order):
    begin = time.monotonic()
    iterator = iter(forked(Bad(what), num_workers=2, timeout=200, in_order=in_order, persistent_workers=True))
    with pytest.raises(RuntimeError, match=rf"DataLoader worker \(pid\(s\) \d+\) exited unexpectedly:? {how}") as e:
        list(iterator)
    killed = str(e.value.__cause__).partition(") ")[2] if what is die else None
    assert killed == (f"is killed by signal: {signal.strsignal(signal.SIGKILL)}." if what is die else None)
    with pytest.raises(RuntimeError, match="have stopped; start another pass"):
        next(iterator)
    assert time.monotonic() - begin < 100


def test_after_a_death_a_loader_begins_anew():
    loader = forked(Images(), batch_size=4, num_workers=2, persistent_workers=True)
    iterator = iter(loader)
    os.kill(iterator._workers[1].pid, signal.SIGKILL)
    with pytest.raises(RuntimeError, match="killed by signal SIGKILL"):
        list(iterator)
    assert len(list(loader)) == 3


def test_timeout():
    begin = time.monotonic()
    iterator = iter(forked(Bad(sleep), num_workers=1, timeout=0.5, sampler=[3]))
    with pytest.raises(RuntimeError, match="DataLoader timed out after 0.5 seconds"):
        next(iterator)
    iterator._shutdown_workers(grace=0)
    assert time.monotonic() - begin < 100


def run(source, **options):
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(source)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **options,
    )


ENDLESS = """
    import signal, time
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a parent may ignore it
    from flambeau_data import DataLoader, Dataset
    import flambeau_tensor as ft
    class Slow(Dataset):
        def __len__(self): return 10 ** 6
        def __getitem__(self, i):
            time.sleep(0.01)
            return ft.ones(20000)
    for i, x in enumerate(DataLoader(Slow(), 4, num_workers=2, multiprocessing_context="fork")):
        if i == 3:
            print("running", flush=True)
"""


def wait_for_the_end(group):
    """Wait until no process of the group is left."""
    end = time.monotonic() + 60
    with pytest.raises(ProcessLookupError):
        while time.monotonic() < end:
            os.killpg(group, 0)
            time.sleep(0.05)


def test_ctrl_c_ends_everything():
    process = run(ENDLESS, start_new_session=True)
    assert process.stdout.readline() == "running\n"
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: the workers get it too
    _, err = process.communicate(timeout=100)
    assert err.count("Traceback") == 1 and err.rstrip().endswith("KeyboardInterrupt")
    wait_for_the_end(process.pid)


def test_workers_end_when_the_main_process_is_killed():
    process = run(ENDLESS, start_new_session=True)
    assert process.stdout.readline() == "running\n"
    process.kill()
    process.communicate(timeout=100)
    wait_for_the_end(process.pid)


def test_an_iterator_that_is_left_ends_its_workers():
    iterator = iter(forked(Images(), num_workers=2))
    next(iterator)
    processes = list(iterator._workers)
    del iterator
    gc.collect()
    assert [p.exitcode for p in processes] == [0, 0]


@pytest.mark.measures
def test_passes_leak_nothing():
    def open_files():
        return len(os.listdir("/proc/self/fd"))

    if not os.path.isdir("/proc/self/fd"):
        pytest.skip("no list of open files here")
    loader = forked(TensorDataset(ft.ones(64, 3000)), batch_size=8, num_workers=1)
    list(loader)
    gc.collect()
    before = open_files()
    for _ in range(5):
        list(loader)
        next(iter(loader))
    gc.collect()
    assert open_files() == before
