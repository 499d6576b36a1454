"""`parallel.map`: the same results however many workers there are and whatever runs them, and errors that say where."""

import gc
import importlib.util
import os
import pickle
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import flambeau_tensor as torch
from flambeau_distributed import parallel

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))  # workers inherit it, and import `sweep`

import sweep  # noqa: E402


def installed(name):
    return pytest.param(name, marks=pytest.mark.skipif(not importlib.util.find_spec(name), reason="not installed"))


def test_the_same_results_for_any_workers_and_engines():
    expected = list(parallel.map(sweep.draws, range(9), seed=5, engine="serial"))
    assert [row[0] for row in expected] == list(range(9)) and len({row[1] for row in expected}) == 9
    for workers in (1, 8, 2):  # 2 last: later tests find that pool
        found = list(parallel.map(sweep.draws, range(9), seed=5, workers=workers, chunk=workers))
        assert [row[:4] for row in found] == [row[:4] for row in expected]
        assert {row[4] for row in found} == {1}
    other = list(parallel.map(sweep.draws, range(9), seed=6, engine="serial"))
    assert [row[1:4] for row in other] != [row[1:4] for row in expected]
    with ThreadPoolExecutor(1) as executor:  # anything that has `submit`
        found = list(parallel.map(sweep.draws, range(9), seed=5, engine=executor))
    assert [row[:4] for row in found] == [row[:4] for row in expected]


@pytest.mark.parametrize("name", [installed("joblib")])
def test_other_engines(name):
    expected = list(parallel.map(sweep.draws, range(6), seed=5, engine="serial"))
    found = list(parallel.map(sweep.draws, range(6), seed=5, workers=2, engine=name))
    assert [row[:4] for row in found] == [row[:4] for row in expected]


@pytest.mark.skipif(not importlib.util.find_spec("distributed"), reason="Dask is not installed")
def test_dask():
    from distributed import Client

    with Client(n_workers=1, threads_per_worker=1, dashboard_address=None) as client:
        found = list(parallel.map(sweep.draws, range(4), seed=5, engine=client))
    assert [row[:4] for row in found] == [
        row[:4] for row in parallel.map(sweep.draws, range(4), seed=5, engine="serial")
    ]


def test_serial_leaves_generators_as_they_were():
    torch.manual_seed(1)
    first = torch.rand(1)
    torch.manual_seed(1)
    list(parallel.map(sweep.draws, range(3), engine="serial"))
    assert torch.rand(1) == first


def test_trained_models_come_back():
    losses = [loss for loss, _ in parallel.map(sweep.train, range(4), seed=1, engine="serial")]
    for (loss, state), expected in zip(parallel.map(sweep.train, range(4), seed=1, workers=2), losses, strict=True):
        assert loss == expected and state["0.weight"].shape == (16, 4)


def test_results_come_in_order_and_as_they_come():
    results = parallel.map(sweep.slow, range(4), workers=2, chunk=1)
    assert len(results) == 4
    assert list(results) == [0, 1, 2, 3]
    pairs = list(parallel.map(sweep.slow, range(4), workers=2, chunk=1).as_completed())
    assert sorted(pairs) == [(i, i) for i in range(4)] and pairs[-1][0] == 0
    assert list(parallel.map(abs, [], workers=2)) == []


def test_what_is_large_is_shared_and_each_worker_has_its_own():
    data = torch.ones(300, 300)
    data[1] = torch.arange(300.0)
    function = sweep.Product(data)
    found = list(parallel.map(function, [torch.ones(300) * i for i in range(6)], workers=2, chunk=1))
    assert [round(value) for _, value in found] == [i * 299 * 150 for i in range(6)]
    assert {before for before, _ in found} <= {1.0, 100.0} and data[0, 0] == 1  # a worker's writes are its own
    items = [torch.full((200_000,), float(i)) for i in range(3)]
    assert [x.sum().item() for x in parallel.map(sweep.identity, items, workers=2)] == [0, 200_000, 400_000]


def test_an_exception_says_which_item_and_where():
    with pytest.raises(ValueError, match="no 7") as caught:
        list(parallel.map(sweep.fails, range(20), workers=2))
    cause = caught.value.__cause__
    assert isinstance(cause, parallel.ItemFailed) and (cause.index, cause.item) == (7, 7)
    assert "in fails\n" in cause.traceback and 'raise ValueError(f"no {item}")' in str(cause)
    again = pickle.loads(pickle.dumps(cause))
    assert str(again) == str(cause) and again.index == 7
    with pytest.raises(parallel.ItemFailed, match=r"item (\d+) \(\1\) failed(?s:.*)Unpicklable: \1"):
        list(parallel.map(sweep.fails_oddly, range(2), workers=2))
    with pytest.raises(ValueError, match="no 7"):
        list(parallel.map(sweep.fails, [7], engine="serial"))


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="there is no such signal")
def test_a_worker_that_is_killed_ends_the_map():
    began = time.monotonic()
    with pytest.raises(parallel.WorkerEnded, match="a worker has ended: .* Items without a result: .*3") as caught:
        list(parallel.map(sweep.dies, range(6), workers=2, chunk=1))
    assert 3 in caught.value.indices and time.monotonic() - began < 100
    assert list(parallel.map(abs, [-1], workers=2)) == [1]  # the next map has workers again


@pytest.mark.skipif(os.name != "posix", reason="signals are others")
def test_ctrl_c_ends_the_workers():
    process = subprocess.Popen(
        [sys.executable, str(HERE / "sweep.py"), "interrupted"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stdout.readline() == "None\n"
    os.killpg(process.pid, signal.SIGINT)  # as a terminal sends it: to the workers, too
    try:
        said, errors = process.communicate(timeout=100)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        raise
    assert said == "interrupted\n" and process.returncode == 0 and "Traceback" not in errors
    end = time.monotonic() + 60  # nobody is left
    with pytest.raises(ProcessLookupError):
        while time.monotonic() < end:
            os.killpg(process.pid, 0)
            time.sleep(0.05)


def test_maps_in_maps_stay_in_their_worker():
    assert list(parallel.map(sweep.nested, [1, 2], workers=2)) == [3, 6]


def test_progress(capsys):
    pytest.importorskip("tqdm")
    list(parallel.map(abs, range(3), engine="serial", progress=True))
    assert "3/3" in capsys.readouterr().err
    list(parallel.map(abs, range(3), engine="serial"))
    assert capsys.readouterr().err == ""  # no terminal


@pytest.mark.measures
@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="memory is not told")
def test_many_items_leak_nothing():
    def used():
        for _ in parallel.map(sweep.identity, range(10_000), workers=2):
            pass
        gc.collect()
        return sweep.memory(), len(os.listdir("/proc/self/fd"))

    first = [used() for _ in range(3)][-1]
    last = [used() for _ in range(4)][-1]
    assert last[0] - first[0] < 8e6 and last[1] == first[1]


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({"workers": 0}, ValueError, "workers must be at least 1"),
        ({"chunk": 0}, ValueError, "chunk must be at least 1"),
        ({"seed": -1}, ValueError, "seed must not be negative"),
        ({"engine": "steam"}, ValueError, "engine must be one of 'processes'"),
    ],
)
def test_arguments(options, error, text):
    with pytest.raises(error, match=text):
        parallel.map(abs, [1], **options)
    with pytest.raises(TypeError, match="f must be callable"):
        parallel.map(3, [1])


def test_functions_that_cannot_be_sent(monkeypatch):
    monkeypatch.setitem(sys.modules, "cloudpickle", None)  # as where it is not installed
    with pytest.raises(pickle.PicklingError, match="Define functions at the top of a module, or install cloudpickle"):
        parallel.map(lambda x: x, [1], workers=2)
    assert list(parallel.map(lambda x: x + 1, [1], engine="serial")) == [2]
