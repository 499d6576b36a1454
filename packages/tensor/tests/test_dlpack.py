"""DLPack in both directions: both forms of capsules, the table of C functions, and tensors that are rejected."""

import ctypes
import gc
import weakref

import numpy as np
import pytest

import flambeau_tensor as ft
from flambeau_tensor.dlpack import DLDeviceType, to_dlpack

ALL = [ft.bool, ft.uint8, ft.int8, ft.int16, ft.int32, ft.int64, ft.uint16, ft.uint32, ft.uint64, ft.float16,
       ft.float32, ft.float64, ft.complex64, ft.complex128]  # fmt: skip


@pytest.mark.parametrize("dtype", ALL, ids=str)
def test_to_and_from_numpy(dtype):
    t = ft.arange(6).to(dtype).view(2, 3)[:, 1:]
    a = np.from_dlpack(t)
    assert np.shares_memory(a, t.numpy()) and a.tolist() == t.tolist() and a.dtype == t.numpy().dtype
    back = ft.from_dlpack(a)
    assert back.dtype is dtype and back.data_ptr() == t.data_ptr() and back.stride() == t.stride()


def test_every_dtype_crosses_between_tensors():
    for dtype in (*ALL, ft.bfloat16):
        t = ft.ones(3, dtype=dtype)
        for other in (ft.from_dlpack(t), ft.from_dlpack(t.__dlpack__()), ft.from_dlpack(to_dlpack(t)),
                      ft.from_dlpack(t.__dlpack__(max_version=(1, 0)))):  # fmt: skip
            assert other.dtype is dtype and other.data_ptr() == t.data_ptr() and other.tolist() == t.tolist()


@pytest.mark.parametrize("shape", [(), (0,), (3, 0, 2), (1, 1)])
def test_odd_shapes(shape):
    t = ft.zeros(shape)
    assert tuple(ft.from_dlpack(t.__dlpack__()).shape) == shape
    assert np.from_dlpack(t).shape == shape
    assert tuple(ft.from_dlpack(np.zeros(shape)).shape) == shape
    expanded = ft.ones(1).expand(4)
    assert ft.from_dlpack(expanded).stride() == (0,)


def test_memory_lives_as_long_as_anybody_looks():
    t = ft.full((1000,), 3.0)
    gone = weakref.ref(t)
    a = np.from_dlpack(t)
    del t
    gc.collect()
    assert gone() is None and a.sum() == 3000.0
    b = np.full(1000, 4.0)
    source = weakref.ref(b)
    t = ft.from_dlpack(b)
    del b
    gc.collect()
    assert source() is not None and t.sum().item() == 4000.0
    view = t[1:]
    del t
    gc.collect()
    assert source() is not None and view.sum().item() == 3996.0
    del view
    gc.collect()
    assert source() is None
    for _ in range(100):
        ft.ones(1000).__dlpack__()  # a capsule that is not consumed


def test_a_tensor_that_changes_meanwhile():
    t = ft.ones(4)
    capsule = t.__dlpack__()
    t.resize_(2, 2)
    assert tuple(ft.from_dlpack(capsule).shape) == (4,)


def test_a_capsule_is_taken_once():
    t = ft.ones(2)
    for capsule in (t.__dlpack__(), t.__dlpack__(max_version=(1, 3))):
        ft.from_dlpack(capsule)
        with pytest.raises(RuntimeError, match="from_dlpack received an invalid capsule. .* consumed only once"):
            ft.from_dlpack(capsule)
    with pytest.raises(RuntimeError, match="from_dlpack received an invalid capsule"):
        ft.from_dlpack(3)
    with pytest.raises(TypeError, match=r"to_dlpack\(\): argument 'tensor' \(position 1\) must be Tensor, not list"):
        to_dlpack([1.0])


def test_forms_of_capsules():
    t = ft.ones(2)
    assert '"dltensor" at' in repr(t.__dlpack__()) and '"dltensor" at' in repr(t.__dlpack__(max_version=(0, 8)))
    assert '"dltensor_versioned" at' in repr(t.__dlpack__(max_version=(2, 0)))
    for version in ((), [], (1,), 5, "ab", (1, 0, 0)):
        with pytest.raises((TypeError, ValueError)):
            t.__dlpack__(max_version=version)
    assert t.__dlpack_device__() == (1, 0) and t.__dlpack_device__()[0] is DLDeviceType.kDLCPU
    t.__dlpack__(stream=-1, dl_device=(1, 0))
    with pytest.raises(AssertionError, match="stream should be None on cpu."):
        t.__dlpack__(stream=1)
    with pytest.raises(TypeError, match="stream must be ``int`` or ``none``"):
        t.__dlpack__(stream="1")
    with pytest.raises(BufferError, match=r"cannot put the tensor on device \(2, 0\): there is only the CPU"):
        t.__dlpack__(dl_device=(2, 0))
    with pytest.raises(BufferError, match=r"from_dlpack\(\): there is no device cuda"):
        ft.from_dlpack(t, device="cuda")


def test_copies():
    t = ft.ones(2)
    copy = ft.from_dlpack(t.__dlpack__(max_version=(1, 0), copy=True))
    another = ft.from_dlpack(np.ones(2), copy=True)
    from_capsule = ft.from_dlpack(t.__dlpack__(), copy=True)
    assert copy.data_ptr() != t.data_ptr() and from_capsule.data_ptr() != t.data_ptr()
    another.add_(1)
    assert another.tolist() == [2.0, 2.0]
    assert np.from_dlpack(t, copy=True).ctypes.data != t.data_ptr()


def test_read_only_memory_stays_unwritten():
    array = np.ones(2)
    array.flags.writeable = False
    t = ft.from_dlpack(array)
    with pytest.raises(RuntimeError, match="read-only"):
        t.add_(1)
    assert not np.from_dlpack(t).flags.writeable
    with pytest.raises(BufferError, match="Cannot export readonly array"):
        t.__dlpack__()


class Old:
    """An array of a library that does not support versions."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, stream=None):
        return self.array.__dlpack__()


def test_libraries_that_know_no_versions():
    array = np.arange(3.0)
    t = ft.from_dlpack(Old(array))
    assert t.data_ptr() == array.ctypes.data
    assert ft.from_dlpack(Old(array), copy=True).data_ptr() != array.ctypes.data


def test_what_tensors_are_not():
    with pytest.raises(BufferError, match="negative strides are not supported"):
        ft.from_dlpack(np.arange(3.0)[::-1])

    class Odd:
        def __dlpack_device__(self):
            return 1, 0

        def __dlpack__(self, **options):
            capsule = ft.ones(2).__dlpack__()
            address = ctypes.pythonapi.PyCapsule_GetPointer
            address.restype, address.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
            ctypes.c_uint8.from_address(address(capsule, b"dltensor") + 21).value = 4  # DLDataType.bits
            return capsule

    with pytest.raises(BufferError, match="there is no dtype for DLPack's type code 2 with 4 bits and 1 lanes"):
        ft.from_dlpack(Odd())


# --- the table of C functions ---------------------------------------------------------------------------------------


class Version(ctypes.Structure):
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32)]


class Flat(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]  # fmt: skip


class Managed(ctypes.Structure):
    _fields_ = [
        ("version", Version), ("manager_ctx", ctypes.c_void_p), ("deleter", ctypes.CFUNCTYPE(None, ctypes.c_void_p)),
        ("flags", ctypes.c_uint64), ("tensor", Flat),
    ]  # fmt: skip


SetError = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p)


class Table(ctypes.Structure):
    _fields_ = [
        ("version", Version), ("prev", ctypes.c_void_p),
        ("allocate", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Flat), ctypes.POINTER(ctypes.POINTER(Managed)),
                                      ctypes.c_void_p, SetError)),
        ("from_object", ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.POINTER(ctypes.POINTER(Managed)))),
        ("to_object", ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.POINTER(Managed), ctypes.POINTER(ctypes.py_object))),
        ("view", ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.POINTER(Flat))),
        ("stream", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int32, ctypes.c_int32, ctypes.POINTER(ctypes.c_void_p))),
    ]  # fmt: skip


@pytest.fixture
def table():
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    capsule = ft.Tensor.__dlpack_c_exchange_api__
    assert capsule is type(ft.ones(1)).__dlpack_c_exchange_api__
    return Table.from_address(pointer(capsule, b"dlpack_exchange_api"))


def test_the_table(table):
    assert (table.version.major, table.prev) == (1, None)
    t = ft.arange(6.0).view(2, 3)[:, 1:]
    managed = ctypes.POINTER(Managed)()
    assert table.from_object(t, ctypes.byref(managed)) == 0
    flat = managed.contents.tensor
    assert (flat.data, flat.ndim, flat.device_type, flat.code, flat.bits, flat.lanes) == (t.data_ptr(), 2, 1, 2, 32, 1)
    assert flat.shape[:2] == [2, 2] and flat.strides[:2] == [3, 1] and flat.byte_offset == 0
    out = ctypes.py_object()
    assert table.to_object(managed, ctypes.byref(out)) == 0
    assert out.value.tolist() == t.tolist() and out.value.data_ptr() == t.data_ptr()
    viewed = Flat()
    assert table.view(t, ctypes.byref(viewed)) == 0
    assert viewed.data == t.data_ptr() and viewed.strides[:2] == [3, 1]
    stream = ctypes.c_void_p(1)
    assert table.stream(1, 0, ctypes.byref(stream)) == 0 and stream.value is None


def test_the_table_makes_memory(table):
    shape = (ctypes.c_int64 * 2)(3, 4)
    like = Flat(None, 1, 0, 2, 2, 64, 1, shape, None, 0)
    managed = ctypes.POINTER(Managed)()
    errors = []
    set_error = SetError(lambda context, kind, text: errors.append((kind, text)))
    assert table.allocate(ctypes.byref(like), ctypes.byref(managed), None, set_error) == 0
    flat = managed.contents.tensor
    assert flat.shape[:2] == [3, 4] and flat.strides[:2] == [4, 1] and flat.bits == 64
    managed.contents.deleter(managed)
    like.code = 77
    assert table.allocate(ctypes.byref(like), ctypes.byref(managed), None, set_error) == -1
    assert errors[0][0] == b"BufferError" and b"type code 77" in errors[0][1]


def test_the_table_refuses(table):
    managed = ctypes.POINTER(Managed)()
    with pytest.raises(TypeError):
        table.from_object(3, ctypes.byref(managed))
