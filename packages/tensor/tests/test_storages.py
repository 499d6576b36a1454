"""Storages in programs: bytes and elements of given memory, tensors on it, shared memory and files."""

import copy
import gc
import os
import pickle
import warnings

import numpy as np
import pytest

import flambeau_tensor as ft
from flambeau_tensor import TypedStorage, UntypedStorage, storage, switches
from samples.values import check_values

pytestmark = pytest.mark.filterwarnings("ignore:TypedStorage is deprecated")


def test_bytes():
    s = UntypedStorage(4).fill_(3)
    assert (s.tolist(), len(s), s.size(), s.nbytes(), s[1], s.element_size()) == ([3] * 4, 4, 4, 4, 3, 1)
    s[0], s[1:3] = 300, 9
    assert s.tolist() == [44, 9, 9, 3] == list(s) and s[-1] == 3
    s[1:].fill_(7)  # a slice uses the same memory
    assert s.tolist() == [44, 7, 7, 7] == s.clone().tolist()
    assert repr(UntypedStorage([1, 2])) == " 1\n 2\n[torch.storage.UntypedStorage(device=cpu) of size 2]"
    assert UntypedStorage().size() == 0 and s.copy_(UntypedStorage([1, 2, 3, 4])).tolist() == [1, 2, 3, 4]
    assert repr(UntypedStorage(5000).fill_(1)) == (
        " 1\n 1\n 1\n ...\n 1\n 1\n 1\n[torch.storage.UntypedStorage(device=cpu) of size 5000]"
    )
    assert s.device == ft.device("cpu") and s.cpu() is s and s.untyped() is s and not s.is_cuda
    assert UntypedStorage.from_buffer(b"abcd", byte_order="big", dtype=ft.int16).tolist() == [98, 97, 100, 99]


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda s: s[8], IndexError),
        (lambda s: s["a"], TypeError),
        (lambda s: s[::2], RuntimeError),
        (lambda s: s.copy_(UntypedStorage(3)), RuntimeError),
        (lambda s: s.resize_(-1), RuntimeError),
        (lambda s: UntypedStorage(-1), RuntimeError),
        (lambda s: UntypedStorage("a"), RuntimeError),
        (lambda s: UntypedStorage(2.5), RuntimeError),
        (lambda s: s.__init__(3), RuntimeError),
        (lambda s: UntypedStorage(3, device="cuda"), AssertionError),
        (lambda s: UntypedStorage(2, 3), TypeError),
        (lambda s: s.resize_(1 << 60), RuntimeError),
    ],
)
def test_what_does_not_fit_is_refused(call, error):
    with pytest.raises(error):
        call(UntypedStorage(8))


def test_memory_that_is_read_only_stays_so():
    with pytest.warns(UserWarning, match="not writable"):
        t = ft.frombuffer(b"\1\2", dtype=ft.uint8)
    for write in (lambda s: s.fill_(1), lambda s: s.copy_(UntypedStorage(2)), lambda s: s.byteswap(ft.int16)):
        with pytest.raises(RuntimeError, match="read-only"):
            write(t.untyped_storage())
    assert t.tolist() == [1, 2]


def test_elements():
    s = TypedStorage([1, 2, 3], dtype=ft.int16)
    assert (s.tolist(), s[1], len(s), s.nbytes(), s.element_size(), s.dtype) == ([1, 2, 3], 2, 3, 6, 2, ft.int16)
    assert repr(ft.FloatStorage([1, 2])) == (
        " 1.0\n 2.0\n[torch.storage.TypedStorage(dtype=torch.float32, device=cpu) of size 2]"
    )
    s[0], s[1:] = 7, 5
    assert s.tolist() == [7, 5, 5] == s.double().tolist() == s.type("torch.LongStorage").tolist()
    assert (s.type(), s.pickle_storage_type()) == ("torch.ShortStorage", "ShortStorage")
    assert isinstance(s, ft.ShortStorage) and not isinstance(s, ft.FloatStorage) and isinstance(s, TypedStorage)
    assert type(ft.ShortStorage(3)) is TypedStorage and ft.ShortStorage.dtype is ft.int16
    assert s.copy_(ft.FloatStorage([1, 2, 3])).tolist() == [1, 2, 3] and s.fill_(4).tolist() == [4, 4, 4]
    x = ft.arange(3.0)
    assert x.storage().untyped() is x.untyped_storage() and x.storage().data_ptr() == x.data_ptr()
    x.storage()[1] = 9
    assert x.tolist() == [0, 9, 2]
    for each in (copy.deepcopy(s), pickle.loads(pickle.dumps(s)), s.clone()):
        assert each.tolist() == [4, 4, 4] and each.dtype is ft.int16 and each.data_ptr() != s.data_ptr()
    for dtype in (ft.bool, ft.bfloat16, ft.complex64):
        assert TypedStorage([0, 1], dtype=dtype).tolist() == ft.tensor([0, 1], dtype=dtype).tolist()
    assert ft.is_storage(s) and ft.is_storage(s.untyped()) and not ft.is_storage(x)
    assert ft.FloatStorage.from_buffer(b"\0\0\x80?", "little").tolist() == [1.0]
    with pytest.raises(RuntimeError, match="slices are only supported"):
        s[1:]
    with pytest.raises(ValueError, match="invalid type"):
        s.type("torch.OddStorage")


def test_typed_storages_warn_once(monkeypatch):
    monkeypatch.setattr(switches, "_warned", set())
    with pytest.warns(UserWarning, match="TypedStorage is deprecated") as found:
        ft.ones(1).storage()
    assert found[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ft.ones(1).storage()


def test_typed_storages_on_meta():
    there = ft.zeros(2, dtype=ft.int32, device="meta").storage()
    for s in (TypedStorage([1, 2], device="meta", dtype=ft.int32), there):
        assert (s.device.type, s.size(), s.nbytes(), s.data_ptr(), s.dtype) == ("meta", 2, 8, 0, ft.int32)
        assert repr(s) == "...\n[torch.storage.TypedStorage(dtype=torch.int32, device=meta) of size 2]"
        assert s.type() == "torch.storage.TypedStorage" and s.float().device.type == "meta" == s.clone().device.type
        for read in (lambda s: s[0], list, lambda s: s.tolist()):
            with pytest.raises(NotImplementedError, match="Not available for 'meta' device type"):
                read(s)
        with pytest.raises(NotImplementedError, match="Cannot copy out of meta tensor; no data!"):
            s.cpu()
        s.resize_(3)
        with pytest.raises(RuntimeError, match="size does not match, self was 12 bytes but src was 8 bytes"):
            s.copy_(ft.FloatStorage(2))


def test_names_without_the_warning():
    s = ft.FloatStorage([1, 2])
    assert (s._size(), s._nbytes(), s._element_size(), s._is_shared()) == (2, 8, 4, False)
    assert s._pickle_storage_type() == "FloatStorage" and s._data_ptr() == s.data_ptr()
    s._setitem(slice(0, 1), 3)
    assert s._deepcopy({}).tolist() == [3, 2] == [s._getitem(0), s._getitem(1)]
    assert ft.FloatStorage._dtype is s._dtype is ft.float32
    s._resize_(3)
    assert s.size() == 3 and ft.ShortStorage._new_shared(2)._share_memory_().is_shared()
    assert ft.ByteStorage._from_buffer(b"ab", "native").tolist() == [97, 98]
    assert storage._dtype_to_storage_type_map()[ft.bfloat16] == "BFloat16Storage"
    assert storage._storage_type_to_dtype_map()["ComplexFloatStorage"] is ft.complex64


def test_arguments_of_typed_storages():
    untyped = UntypedStorage(8)
    for cls, args, options, error in (
        (ft.ByteStorage, (1, 2), {}, "Too many positional arguments"),
        (ft.ByteStorage, (), {"dtype": ft.uint8}, "Keyword argument 'dtype' cannot be specified"),
        (ft.ByteStorage, (), {"device": "cpu"}, "Keyword argument 'device' cannot be specified"),
        (ft.ByteStorage, (1.5,), {}, "Argument type not recognized: <class 'float'>"),
        (TypedStorage, (0,), {"wrap_storage": untyped, "dtype": ft.uint8}, "No positional arguments should be given"),
        (TypedStorage, (), {"wrap_storage": untyped}, "Argument 'dtype' must be specified"),
        (TypedStorage, (), {"wrap_storage": 3, "dtype": ft.uint8}, "'wrap_storage' must be UntypedStorage, but got"),
        (TypedStorage, (), {"wrap_storage": untyped, "dtype": 0}, "'dtype' must be torch.dtype, not <class 'int'>"),
        (TypedStorage, (), {"wrap_storage": untyped, "dtype": ft.uint8, "device": "cpu"}, "'device' should not be"),
    ):
        with pytest.raises((RuntimeError, TypeError), match=error):
            cls(*args, **options)


def test_tensors_of_the_bytes_of_storages():
    x = ft.arange(4.0)
    assert ft.tensor(x.untyped_storage(), dtype=ft.float32).tolist() == x.tolist() == ft.tensor(x.storage()).tolist()
    assert ft.tensor(x.untyped_storage()).dtype is ft.int64
    with pytest.raises(RuntimeError, match="Expected a Storage of type Double or an UntypedStorage, but got Float"):
        ft.tensor(x.storage(), dtype=ft.float64)
    assert x.new(x.storage()).data_ptr() == x.data_ptr() and x.new(size=(2, 3)).shape == (2, 3)


def test_tensors_over_a_storage():
    x = ft.arange(6.0)
    memory = x.untyped_storage()
    y = ft.empty(0)
    assert y.set_(memory) is y and y.tolist() == x.tolist() and y.untyped_storage() is memory
    assert y.set_(memory, 1, (2, 2), (3, 1)).tolist() == [[1, 2], [4, 5]] and y.storage_offset() == 1
    assert y.set_(memory, 2, (2, 2)).stride() == (2, 1)
    assert y.set_(x[1:]).tolist() == [1, 2, 3, 4, 5]
    assert y.set_(x, 1, (2,), (2,)).tolist() == [1, 3] == y.set_(x.storage(), 1, (2,), (2,)).tolist()
    assert y.set_(memory, 4, (4,)).tolist()[:2] == [4, 5] and len(memory) == 32 and x.tolist()[:2] == [0, 1]
    assert y.set_().shape == (0,) and y.untyped_storage() is not memory
    view = x[1:]
    view.set_(ft.ones(2))
    view.fill_(5)
    assert x.tolist() == [0, 1, 2, 3, 4, 5] and view._base is None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((ft.arange(2),), "Could not set tensor of type long int to a tensor of type float"),
        ((ft.arange(2).untyped_storage(), -1, (1,), (1,)), "Tensor: invalid storage offset -1"),
        ((ft.arange(2).untyped_storage(), 0, (1,), (1, 2)), "mismatch in length"),
        ((ft.arange(2).untyped_storage(), 0, (2,), (-1,)), "negative"),
        ((ft.arange(2).untyped_storage(), 0, (1 << 40, 1 << 40)), "Storage size calculation overflowed"),
        ((ft.from_numpy(np.zeros(2)).untyped_storage(), 0, (100,)), "not resizable"),
    ],
)
def test_wrong_windows_change_nothing(arguments, message):
    x = ft.arange(3.0)
    with pytest.raises(RuntimeError, match=message):
        x.set_(*arguments)
    assert x.tolist() == [0, 1, 2]


def test_dtypes_of_storages_and_tensors_agree():
    with pytest.raises(RuntimeError, match="Expected a Storage of type float or an UntypedStorage, but got type Long"):
        ft.empty(0).set_(ft.LongStorage(2))


def test_arrays_of_storages_are_no_copies():
    memory = ft.arange(8, dtype=ft.uint8).untyped_storage()
    t = ft.asarray(memory[2:6], dtype=ft.uint8)
    t[0] = 7
    assert memory[2] == 7 and ft.asarray(memory, dtype=ft.int16).shape == (4,)
    assert ft.frombuffer(bytearray(b"\x80\x3f\0\x40"), dtype=ft.bfloat16).tolist() == [1, 2]


@pytest.mark.parametrize("n", [4, 100])
def test_a_storage_that_shrinks_leaves_tensors_their_memory(n):
    x = ft.arange(n)
    view, memory = x[1:], x.untyped_storage()
    memory.resize_(0)
    assert len(memory) == 0 and memory.data_ptr() == 0
    memory.resize_(8)
    filler = [ft.full((n,), -1) for _ in range(20)]
    view.fill_(5)
    assert x.shape == (n,) and x[1:].tolist() == [5] * (n - 1) and filler[3].tolist() == [-1] * n
    memory.resize_(8 * n * 100)
    assert len(memory) == 800 * n and view.data_ptr() == x.data_ptr() + 8 == memory.data_ptr() + 8


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes cannot be forked here")
@pytest.mark.parametrize("n", [0, 3, 1000])
def test_forked_processes_share_memory(n):
    x = ft.arange(n)
    view, array = x[1:], x.numpy()
    assert not x.is_shared() and x.share_memory_() is x and x.is_shared() and view.is_shared()
    assert x.tolist() == list(range(n)) and x.untyped_storage().is_shared()
    child = os.fork()
    if not child:
        view.fill_(7)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    assert x.tolist() == [0, *[7] * (n - 1)][:n]
    assert array.tolist() == list(range(n))  # uses the old memory
    with pytest.raises(RuntimeError, match="not resizable"):
        x.untyped_storage().resize_(10_000)
    del x, view
    gc.collect()
    assert array.tolist() == list(range(n))
    borrowed = ft.from_numpy(np.arange(3)).share_memory_()
    assert borrowed.tolist() == [0, 1, 2] and borrowed.is_shared()


def test_files(tmp_path):
    path = tmp_path / "numbers"
    x = ft.from_file(str(path), shared=True, size=3)
    x.copy_(ft.tensor([1, 2, 3]))
    assert x.untyped_storage().filename == str(path) and not x.untyped_storage().resizable()
    assert np.frombuffer(path.read_bytes(), "<f4").tolist() == [1, 2, 3]
    assert UntypedStorage.from_file(path, nbytes=4).tolist() == [0, 0, 128, 63]
    own = ft.from_file(str(path), size=2)
    own.zero_()
    assert own.tolist() == [0, 0] and x.tolist() == [1, 2, 3]
    assert ft.from_file(str(path), size=2, dtype=ft.int16).dtype is ft.int16
    assert ft.from_file(str(path)).shape == (0,) and ft.FloatStorage.from_file(str(path), False, 2).tolist() == [1, 2]
    for arguments, message in (
        (("none",), "unable to open file"),
        ((str(path), False, 4), "is smaller than"),
        ((str(path), False, -1), "unable to mmap"),
    ):
        with pytest.raises(RuntimeError, match=message):
            ft.from_file(*arguments, **({} if len(arguments) > 1 else {"size": 1}))


@pytest.mark.parametrize(
    ("offset", "size", "stride"),
    [(2**61, (2,), (1,)), (0, (3,), (2**62,)), (0, (2**33, 2**33), (2**33, 1)), (2**62, (3,), (1,))],
)
def test_windows_that_no_memory_holds(offset, size, stride):
    x = ft.ones(2, 3)
    with pytest.raises(RuntimeError, match="Storage size calculation overflowed with sizes="):
        x.set_(ft.ones(4).untyped_storage(), offset, size, stride)
    assert x.tolist() == [[1] * 3] * 2


TestSamples = check_values("tensor.storages")


WINDOWS = {
    "transposed": lambda: ft.arange(6.0).reshape(2, 3).t(),
    "expanded": lambda: ft.arange(3.0).expand(2, 3),
    "cut": lambda: ft.arange(6.0).reshape(2, 3)[:, 1:],
    "every second": lambda: ft.arange(6.0).reshape(2, 3)[:, ::2],
    "number": lambda: ft.arange(6.0)[2],
    "plain": lambda: ft.arange(6.0),
}


@pytest.mark.parametrize("window", WINDOWS)
def test_resizing_to_the_same_size_changes_nothing(window):
    x = WINDOWS[window]()
    before, values, strides = x.data_ptr(), x.tolist(), x.stride()
    assert x.resize_(x.shape) is x and x.resize_as_(ft.zeros(x.shape)) is x
    assert (x.data_ptr(), x.tolist(), x.stride()) == (before, values, strides)
    plain = ft.empty(x.shape).stride()
    assert x.resize_(x.shape, memory_format=ft.contiguous_format).stride() == plain  # as in PyTorch
    assert WINDOWS[window]().resize_(2, 2).stride() == (strides if x.shape == (2, 2) else (2, 1))
