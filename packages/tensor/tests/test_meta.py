"""Device 'meta': tensors with a geometry but without memory."""

import copy
import gc
import pickle

import numpy as np
import pytest

import flambeau_tensor as ft


def meta(*size, **options):
    return ft.empty(size, device="meta", **options)


def geometry(t):
    assert t.is_meta
    return tuple(t.shape), t.stride(), t.dtype


def test_what_it_is():
    m = meta(3, 4)
    assert m.is_meta and not m.is_cpu and m.device == ft.device("meta") and m.device.type == "meta"
    assert m.get_device() == -1 and m.type() == "torch.meta.FloatTensor"
    storage = m.untyped_storage()
    assert m.data_ptr() == storage.data_ptr() == 0 and len(storage) == 48 and storage.device == ft.device("meta")
    assert repr(m) == "tensor(..., device='meta', size=(3, 4))" == f"{m}"
    assert repr(meta(2, 0, dtype=ft.int64)) == "tensor(..., device='meta', size=(2, 0), dtype=torch.int64)"
    assert repr(storage) == "...\n[torch.storage.UntypedStorage(device=meta) of size 48]"
    assert m[1:, ::2].storage_offset() == 4 and m[1:, ::2].untyped_storage() is storage


FACTORIES = {
    "zeros": lambda d: ft.zeros(2, 3, device=d),
    "full": lambda d: ft.full((2,), 7, device=d),
    "tensor": lambda d: ft.tensor([[1, 2]], device=d),
    "as_tensor": lambda d: ft.as_tensor([1.0, 2.0], device=d),
    "as_tensor of an array": lambda d: ft.as_tensor(np.zeros((2, 3)), device=d),
    "asarray": lambda d: ft.asarray([True], device=d),
    "arange": lambda d: ft.arange(2, 9, 3, device=d),
    "linspace": lambda d: ft.linspace(0, 1, 5, device=d),
    "eye": lambda d: ft.eye(3, device=d),
    "randn": lambda d: ft.randn(2, 2, device=d),
    "randint": lambda d: ft.randint(0, 5, (3,), device=d),
    "randperm": lambda d: ft.randperm(5, device=d),
    "empty_strided": lambda d: ft.empty_strided((2, 3), (1, 5), device=d),
    "empty_permuted": lambda d: ft.empty_permuted((2, 3, 4), (2, 0, 1), device=d),
    "channels_last": lambda d: ft.empty((2, 3, 4, 5), device=d, memory_format=ft.channels_last),
    "tril_indices": lambda d: ft.tril_indices(3, 3, device=d),
    "hann_window": lambda d: ft.hann_window(7, device=d),
    "zeros_like": lambda d: ft.zeros_like(ft.ones(3, 2).T, device=d),
    "new_ones": lambda d: ft.ones(1, dtype=ft.int8).new_ones(4, device=d),
    "new_empty_strided": lambda d: ft.ones(1).new_empty_strided((2, 2), (1, 2), device=d),
    "to": lambda d: ft.ones(2, 3).T.to(d),
    "to with a dtype": lambda d: ft.ones(2, 3).to(d, ft.float16),
}


@pytest.mark.parametrize("name", FACTORIES)
def test_factories(name):
    made, real = FACTORIES[name]("meta"), FACTORIES[name]("cpu")
    assert not real.is_meta
    assert geometry(made) == (tuple(real.shape), real.stride(), real.dtype)


def test_a_device_is_not_what_a_program_meant():
    with pytest.raises(AssertionError):
        ft.zeros(2, device="cuda")


def test_default_device():
    with ft.device("meta"):
        assert ft.zeros(3).is_meta and ft.tensor([1]).is_meta and not ft.zeros(3, device="cpu").is_meta
        assert ft.ones(3).repeat_interleave(2).shape == (6,)
    assert not ft.zeros(3).is_meta


def test_larger_than_memory():
    m = ft.empty(1 << 20, 1 << 20, device="meta")  # 4 TiB
    assert (m @ m + 1).exp().sum(1).sort().values.shape == (1 << 20,)
    assert ft.cat([m, m]).softmax(0).T.contiguous().stride() == (1 << 21, 1)
    assert m.normal_() is m and m.zero_() is m


def test_in_place_views_and_resizing():
    m = meta(2, 6)
    row = m[0]
    before = m._version
    assert m.add_(1) is m and m._version > before and row._version == m._version
    assert row._base is m and row.view(2, 3)._base is m and m.reshape(3, 4)._base is m
    assert m.t_() is m and m.shape == (6, 2) and m.stride() == (1, 6)
    assert m.resize_(4, 5).stride() == (5, 1) and len(m.untyped_storage()) == 80
    m[0] = 1
    m[ft.tensor([0, 1])] = meta(5)
    with pytest.raises(RuntimeError, match="must match the size"):
        m + meta(3)
    with pytest.raises(RuntimeError, match=r"doesn't match the broadcast shape \[2, 5\]"):
        meta(5).add_(meta(2, 5))
    out = meta(0)
    assert ft.add(m, m, out=out) is out and out.shape == (4, 5)
    a = meta(3, dtype=ft.complex64)
    assert a.conj().is_conj() and a.conj().imag.is_neg() and (a.conj() + 1).shape == (3,)
    assert [t.shape for t in meta(5, 2).split(2)] == [(2, 2), (2, 2), (1, 2)]


def test_with_tensors_on_the_cpu():
    m, x = meta(3, 4), ft.ones(3, 4)
    assert geometry(m * ft.tensor(2.0, dtype=ft.float64)) == ((3, 4), (4, 1), ft.float32)
    assert (m > 0).is_meta and m[ft.tensor([0, 2])].shape == (2, 4)
    assert m.index_select(1, ft.tensor([1])).shape == (3, 1) and m.copy_(x) is m
    assert m[ft.tensor([True, False, True])].shape == (2, 4)
    for call in (lambda: m + x, lambda: ft.where(m > 0, m, x), lambda: ft.cat([m, x])):
        with pytest.raises(RuntimeError, match="Tensor on device cpu is not on the expected device meta!"):
            call()
    for call in (lambda: x + m, lambda: x.add_(m), lambda: x @ m.T, lambda: x[meta(2, dtype=ft.int64)]):
        with pytest.raises(RuntimeError, match="Tensor on device meta is not on the expected device cpu!"):
            call()
    with pytest.raises(RuntimeError, match="cross-device copies are not allowed"):
        ft.add(m, m, out=x)
    assert ft.zeros_like(m, device="cpu").tolist() == [[0.0] * 4] * 3
    assert m.new_tensor([1, 2]).is_meta and m.new_full((2,), 3.0, device="cpu").tolist() == [3.0, 3.0]
    assert ft.ones(3).to(m.device).is_meta and m.to("meta") is m


NO_DATA = "Cannot copy out of meta tensor; no data!"
NO_ITEM = "Tensor.item() cannot be called on meta tensors"
REFUSED = {
    "cpu": (lambda m: m.cpu(), NotImplementedError, NO_DATA),
    "to": (lambda m: m.to("cpu"), NotImplementedError, NO_DATA),
    "copy_": (lambda m: ft.ones(3, 4).copy_(m), NotImplementedError, NO_DATA),
    "setitem": (lambda m: ft.ones(3, 4).__setitem__(0, m[0]), NotImplementedError, NO_DATA),
    "tolist": (lambda m: m.tolist(), NotImplementedError, NO_DATA),
    "buffer": (lambda m: memoryview(m), NotImplementedError, NO_DATA),
    "numpy": (
        lambda m: m.numpy(),
        TypeError,
        "can't convert meta device type tensor to numpy. Use Tensor.cpu() to copy the tensor to host memory first.",
    ),
    "array": (lambda m: np.asarray(m), TypeError, "can't convert meta device type tensor to numpy."),
    "dlpack": (lambda m: m.__dlpack__(), BufferError, "Cannot pack tensors on meta"),
    "item": (lambda m: m.sum().item(), RuntimeError, NO_ITEM),
    "bool": (lambda m: bool(m.sum()), RuntimeError, NO_ITEM),
    "float": (lambda m: float(m.sum()), RuntimeError, NO_ITEM),
    "in": (lambda m: 1 in m, RuntimeError, NO_ITEM),
    "allclose": (lambda m: ft.allclose(m, m), RuntimeError, NO_ITEM),
    "format": (lambda m: f"{m.sum():.3f}", TypeError, "unsupported format string"),
    "nonzero": (
        lambda m: m.nonzero(),
        NotImplementedError,
        "aten::nonzero: attempted to run this operator with Meta "
        "tensors, but there was no fake impl or Meta kernel registered.",
    ),
    "argwhere": (lambda m: ft.argwhere(m), NotImplementedError, "attempted to run this operator with Meta tensors"),
    "mask": (lambda m: m[m > 0], NotImplementedError, "aten::nonzero: attempted"),
    "masked_select": (lambda m: m.masked_select(m > 0), NotImplementedError, "aten::masked_select: attempted"),
    "unique": (lambda m: m.unique(), NotImplementedError, "attempted to run this operator with Meta tensors"),
    "bincount": (lambda m: meta(3, dtype=ft.int64).bincount(), NotImplementedError, "aten::bincount: attempted"),
    "repeat_interleave": (
        lambda m: m.repeat_interleave(meta(3, dtype=ft.int64), 0),
        RuntimeError,
        "cannot repeat_interleave a meta tensor without output_size",
    ),
    "storage": (lambda m: m.untyped_storage().tolist(), NotImplementedError, "Not available for 'meta' device type"),
    "byte": (lambda m: m.untyped_storage()[0], NotImplementedError, "Not available for 'meta' device type"),
    "share": (lambda m: m.share_memory_(), RuntimeError, "_share_fd_: only available on CPU"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_nothing_reads_it(name):
    function, error, message = REFUSED[name]
    with pytest.raises(error) as raised:
        function(meta(3, 4))
    assert message in str(raised.value)


def test_copies_and_pickles():
    m = meta(3, 4)[:, 1:]
    for other in (copy.copy(m), copy.deepcopy(m), pickle.loads(pickle.dumps(m)), m.clone(), m.contiguous()):
        assert other.is_meta and other.shape == m.shape and other.data_ptr() == other.storage_offset() * 4
    assert copy.deepcopy(m).stride() == (4, 1) and m.clone().stride() == (3, 1)
    a, b = copy.deepcopy((m, m[0]))
    assert a.untyped_storage() is b.untyped_storage()
    m.untyped_storage().fill_(1)
    assert m.untyped_storage().clone().device.type == m.untyped_storage().cpu.__self__.device.type == "meta"
    with pytest.raises(NotImplementedError, match=NO_DATA):
        m.untyped_storage().cpu()
    assert ft.ones(4).set_(ft.ones(2).untyped_storage(), 0, (2,)).tolist() == [1.0, 1.0]


def test_random_numbers_are_not_spent():
    ft.manual_seed(0)
    expected = ft.rand(3).tolist()
    ft.manual_seed(0)
    ft.randn(4, device="meta")
    meta(5).uniform_().bernoulli_()
    ft.randperm(9, device="meta")
    assert ft.rand(3).tolist() == expected


def test_memory_is_given_back():
    gc.collect()
    before = ft.memory_stats()["allocated"] if hasattr(ft, "memory_stats") else None
    for _ in range(20):
        ft.empty(1 << 15, 1 << 15, device="meta").cumsum(0).sort()
    if before is not None:
        assert ft.memory_stats()["allocated"] == before
