"""The caching allocator, and shared memory."""

import gc
import os

import numpy as np
import pytest
from flambeau_tensor._core.memory.storage import empty_cache, memory_stats, reset_peak_memory_stats, set_cache_limit

import flambeau_tensor as ft


@pytest.fixture(autouse=True)
def settled():
    gc.collect()
    yield
    set_cache_limit(1 << 30)


def test_freed_blocks_are_reused():
    empty_cache()
    a = ft.empty(10_000)
    address = a.data_ptr()
    before = memory_stats()
    del a
    assert memory_stats()["cached"] >= 40_000
    b = ft.empty(10_000)
    assert b.data_ptr() == address
    after = memory_stats()
    assert after["reused"] == before["reused"] + 1 and after["fresh"] == before["fresh"]
    assert after["allocated"] == before["allocated"]


def test_statistics_follow_what_is_in_use():
    before = memory_stats()["allocated"]
    reset_peak_memory_stats()
    tensors = [ft.empty(1 << 18) for _ in range(4)]
    used = memory_stats()["allocated"] - before
    assert 4 << 20 <= used <= 5 << 20
    del tensors
    assert memory_stats()["allocated"] == before
    assert memory_stats()["peak"] >= before + used
    reset_peak_memory_stats()
    assert memory_stats()["peak"] == before


def test_the_cache_has_a_limit():
    empty_cache()
    set_cache_limit(1 << 20)
    tensors = [ft.empty(1 << 17) for _ in range(6)]
    del tensors
    assert memory_stats()["cached"] <= 1 << 20
    set_cache_limit(0)
    assert memory_stats()["cached"] == 0
    with pytest.raises(ValueError, match="must not be negative"):
        set_cache_limit(-1)


def test_blocks_are_aligned_and_zeros_are_zero_in_reused_memory():
    for n in (17, 100, 1000, 3_000_000):
        x = ft.full((n,), 7.0)
        assert x.data_ptr() % 64 == 0
        del x
        assert ft.zeros(n).sum().item() == 0


def test_an_absurd_size_cannot_be_allocated():
    for exponent in (50, 52, 53, 55, 60):
        with pytest.raises(RuntimeError, match=f"you tried to allocate {4 << exponent} bytes"):
            ft.empty(1 << exponent)
    with pytest.raises(RuntimeError, match="overflow"):
        ft.empty(1 << 40, 1 << 40)


def test_views_keep_the_memory_alive():
    x = ft.arange(100_000.0)
    part = x[10:20]
    before = memory_stats()["allocated"]
    del x
    gc.collect()
    assert memory_stats()["allocated"] == before
    assert part.tolist() == list(range(10, 20))
    array = ft.arange(50_000.0).numpy()
    ft.zeros(50_000)
    assert array[-1] == 49_999.0


def test_storages_are_shared_and_counted():
    x = ft.zeros(4)
    assert x.untyped_storage() is x[1:].untyped_storage()
    assert len(x.untyped_storage()) == 16
    assert x[2:].storage_offset() == 2 and x[2:].data_ptr() == x.data_ptr() + 8
    x[1:].fill_(3)
    assert x._version == 1 and bytes(x.untyped_storage()) == x.numpy().tobytes()


@pytest.mark.measures
def test_small_work_does_not_grow_memory():
    def work():
        x = ft.ones(3, 3)
        for _ in range(2000):
            y = (x * 2 + 1).t()[1:].clone()
            y.add_(1)
            y.numpy()
            ft.exp(y, out=ft.empty(0))
            with pytest.raises(RuntimeError):
                x + ft.ones(2)
        del x, y

    def resident():
        with open("/proc/self/statm") as f:
            return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    if not os.path.exists("/proc/self/statm"):
        import tracemalloc

        tracemalloc.start()

        def resident():
            return tracemalloc.get_traced_memory()[0]

    work()
    gc.collect()
    allocated, grown = memory_stats()["allocated"], []
    for _ in range(3):  # a leak occurs each time, unlike pages that the process touches for the first time
        start = resident()
        for _ in range(5):
            work()
        gc.collect()
        grown.append(resident() - start)
    assert memory_stats()["allocated"] == allocated
    assert min(grown) < 1 << 20


def test_resize_keeps_elements_and_views():
    x = ft.arange(6)
    x.resize_(2, 2)
    assert x.tolist() == [[0, 1], [2, 3]]
    x.resize_(40)
    assert x[:6].tolist() == [0, 1, 2, 3, 4, 5]
    borrowed = ft.from_numpy(np.zeros(2))
    with pytest.raises(RuntimeError, match="Trying to resize storage that is not resizable"):
        borrowed.resize_(1000)


def windows(x):
    """Return several kinds of tensors that use a vector's memory."""

    class Sub(ft.Tensor):
        pass

    return [x[2:], x.view(2, -1), x[1:].as_subclass(Sub), x[3:][::2], x.reshape(-1)]


@pytest.mark.parametrize("n", [8, 100])  # in the storage object, and separate
def test_memory_that_grows_is_still_shared(n):
    """It moves, and its old memory is used by others."""
    x = ft.arange(n, dtype=ft.float64)
    shared = windows(x)
    for grown in (shared[0], x):
        before = [t.tolist() for t in shared[1:]]
        grown.resize_(grown.numel() * 50)
        filler = [ft.full((n,), -1.0, dtype=ft.float64) for _ in range(20)]  # would take the old memory
        assert [t.tolist() for t in shared[1:]] == before and filler[0][0] == -1
        assert {t.data_ptr() - 8 * t.storage_offset() for t in shared} == {x.data_ptr()}
    x[5] = 77
    assert [t.reshape(-1)[i].item() for t, i in zip(shared, (3, 5, 4, 1, 5), strict=True)] == [77] * 5


def test_out_that_grows_over_an_input_is_refused():
    """The overlap is checked after growing, since its memory may have been different before."""
    a = ft.arange(12) - 5
    with pytest.warns(UserWarning, match="was resized"), pytest.raises(RuntimeError, match="unsupported operation"):
        ft.abs(a.view(3, 4), out=a[1:])
    assert a.tolist() == list(range(-5, 7))


def test_memory_that_the_garbage_collector_does_not_tell_of_does_not_grow():
    x = ft.arange(20.0)
    y = x[2:]
    gc.freeze()
    try:
        with pytest.raises(RuntimeError, match="Trying to resize storage that is not resizable"):
            y.resize_(1000)
        assert ft.ones(2).resize_(100)[:2].tolist() == [1, 1]  # not shared
    finally:
        gc.unfreeze()
    assert y.resize_(1000)[:3].tolist() == [2, 3, 4] and x[:3].tolist() == [0, 1, 2]


def test_elements_are_aligned():
    """Small tensors, too, whose memory is in the storage object; others read it through the buffer protocol."""
    for dtype in (ft.int64, ft.float64, ft.complex128, ft.float32):
        for size in (1, 3, 7, 100):
            t = ft.zeros(size, dtype=dtype)
            assert t.data_ptr() % 8 == 0 and t.numpy().flags.aligned
    assert memoryview(ft.ones(2, dtype=ft.float64))[1] == 1.0
