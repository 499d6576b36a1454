"""Stores: where processes leave values for each other."""

import pickle
import subprocess
import sys
import threading
from datetime import timedelta

import pytest

import flambeau_distributed as dist

SHORT = timedelta(seconds=0.05)


def made(kind, tmp_path):
    if kind == "file":
        return dist.FileStore(str(tmp_path / "store"), 1)
    if kind == "tcp":
        return dist.TCPStore("localhost", 0, 1, True)
    store = dist.HashStore()
    return store if kind == "hash" else dist.PrefixStore("p", store)


@pytest.mark.parametrize("kind", ["hash", "prefix", "file", "tcp"])
def test_values(kind, tmp_path):
    store = made(kind, tmp_path)
    before = store.num_keys()
    store.set("a", "1")
    assert store.get("a") == b"1" and store.add("n", 2) == 2 and store.add("n", 3) == 5
    assert store.num_keys() == before + 2 and store.get("n") == b"5"
    assert store.check(["a", "n"]) and not store.check(["b"]) and store.multi_get(["a", "n"]) == [b"1", b"5"]
    assert store.compare_set("a", "1", "2") == b"2" and store.compare_set("a", "1", "3") == b"2"
    assert store.compare_set("new", "", "x") == b"x" and store.compare_set("none", "y", "x") == b"y"
    store.append("a", "3")
    store.multi_set(["b", "c"], [b"\x00\xff", ""])
    assert store.get("a") == b"23" and store.get("b") == b"\x00\xff" and store.get("c") == b""
    assert store.delete_key("a") and not store.delete_key("a") and "b" in store.list_keys()
    store.set_timeout(SHORT)
    assert store.timeout == SHORT
    with pytest.raises(dist.DistStoreError, match="wait timeout after 50ms, keys: .*missing"):
        store.get("missing")
    with pytest.raises(TypeError, match="incompatible function arguments"):
        store.set("a", 1)
    with pytest.raises(TypeError, match="cannot pickle"):
        pickle.dumps(store)
    if kind == "file":
        with pytest.raises(NotImplementedError, match="queue support is not implemented"):
            store.queue_push("q", "1")
        return
    store.queue_push("q", "1")
    assert store.queue_len("q") == 1 and store.queue_pop("q") == b"1"
    with pytest.raises(dist.QueueEmptyError, match="queue is empty"):
        store.queue_pop("q", block=False)


@pytest.mark.parametrize("kind", ["hash", "file", "tcp"])
def test_who_waits_gets_what_comes_later(kind, tmp_path):
    store = made(kind, tmp_path)
    later = threading.Timer(0.1, lambda: store.clone().set("late", "1"))
    later.start()
    assert store.clone().get("late") == b"1"
    later.join()


def test_counters_of_several_processes(tmp_path):
    path = str(tmp_path / "store")
    server = dist.TCPStore("localhost", 0, is_master=True, wait_for_workers=False)
    code = f"""
import flambeau_distributed as dist
for store in (dist.FileStore({path!r}, 3), dist.TCPStore("localhost", {server.port})):
    for _ in range(200):
        store.add("n", 1)
"""
    own = dist.FileStore(path, 3)
    started = [subprocess.Popen([sys.executable, "-c", code]) for _ in range(2)]
    assert [process.wait(60) for process in started] == [0, 0]
    assert own.add("n", 0) == server.add("n", 0) == 400
    del own
    assert not (tmp_path / "store").exists()


def test_a_server_that_is_not_there():
    with pytest.raises(
        dist.DistNetworkError, match=r"timed out after 200ms while trying to connect to \(localhost, 1\)"
    ):
        dist.TCPStore("localhost", 1, timeout=timedelta(seconds=0.2))
    store = dist.TCPStore("localhost", 0, is_master=True, wait_for_workers=False)
    with pytest.raises(dist.DistNetworkError, match="Address already in use"):
        dist.TCPStore("localhost", store.port, is_master=True, wait_for_workers=False)
    with pytest.raises(dist.DistNetworkError, match="1/2 clients joined"):
        dist.TCPStore("localhost", 0, 2, True, timeout=timedelta(seconds=0.1))


def test_a_store_in_python():
    class Own(dist.Store):
        def __init__(self):
            super().__init__()
            self.values = {}

        def set(self, key, value):
            self.values[key] = value

        def get(self, key):
            return self.values[key]

    below = dist.PrefixStore("p", Own())
    below.set("k", b"v")
    assert below.underlying_store.values == {"p/k": b"v"} and below.get("k") == b"v"
    with pytest.raises(NotImplementedError, match="Own does not say where its values are"):
        below.add("n", 1)


@pytest.mark.parametrize(
    ("url", "options", "error", "text"),
    [
        ("none://x", {}, RuntimeError, "No rendezvous handler for none://"),
        ("tcp://localhost?rank=0&world_size=1", {}, ValueError, "port number missing"),
        ("tcp://localhost:1?world_size=1", {}, ValueError, "rank parameter missing"),
        ("file://?rank=0&world_size=1", {}, ValueError, "path missing"),
        ("file:///x?rank=0", {}, ValueError, "size parameter missing"),
        ("file:///x?rank=0", {"rank": 1}, AssertionError, "node-specific arguments"),
        ("env://", {}, ValueError, "environment variable RANK expected, but not set"),
        (3, {}, RuntimeError, "`url` must be a string"),
    ],
)
def test_addresses_that_lead_nowhere(url, options, error, text, monkeypatch):
    monkeypatch.delenv("RANK", raising=False)
    with pytest.raises(error, match=text):
        next(dist.rendezvous(url, **options))


def test_a_scheme_of_ones_own():
    store = dist.HashStore()
    dist.register_rendezvous_handler("own", lambda url, **options: iter([(store, 0, 1)]))
    with pytest.raises(RuntimeError, match="already registered"):
        dist.register_rendezvous_handler("own", None)
    dist.init_process_group(init_method="own://")
    assert dist.get_world_size() == 1
    with pytest.raises(ValueError, match="twice"):
        dist.init_process_group(init_method="own://")
    dist.destroy_process_group()


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({"backend": "nccl"}, RuntimeError, "doesn't have NCCL built in"),
        ({"backend": "own"}, RuntimeError, "Unknown c10d backend type OWN"),
        ({"timeout": 3}, TypeError, "datetime.timedelta"),
        ({"store": dist.HashStore()}, AssertionError, "world_size must be positive"),
        ({"store": dist.HashStore(), "init_method": "env://"}, AssertionError, "Cannot specify both"),
    ],
)
def test_groups_that_cannot_be_made(options, error, text):
    with pytest.raises(error, match=text):
        dist.init_process_group(**options)
    assert not dist.is_initialized()
