"""NumPy arrays, buffers and DLPack: memory shared both ways, and mixed expressions."""

import gc

import numpy as np
import pytest

import flambeau_tensor as ft

NUMPY_DTYPES = (
    "bool",
    "uint8",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint16",
    "uint32",
    "uint64",
    "float16",
    "float32",
    "float64",
    "complex64",
    "complex128",
)


@pytest.mark.parametrize("dtype", NUMPY_DTYPES)
def test_arrays_and_tensors_share_memory(dtype):
    a = np.arange(6).reshape(2, 3).astype(dtype)
    t = ft.from_numpy(a)
    assert t.dtype is getattr(ft, dtype) and t.tolist() == a.tolist() and t.data_ptr() == a.ctypes.data
    a[0, 0] = 1
    assert t[0, 0].item() == 1
    t.fill_(0)
    assert not a.any()
    back = t.t().numpy()
    assert back.dtype == a.dtype and back.strides == a.T.strides and np.shares_memory(back, a)


def test_layouts_of_arrays():
    a = np.arange(24.0).reshape(2, 3, 4)
    for view in (a.T, a[:, ::2], a[1], a[..., 1:], a[:0], np.broadcast_to(a[:1], (5, 3, 4)), np.array(3.0)):
        t = ft.from_numpy(view) if view.flags.writeable else None
        if t is not None:
            np.testing.assert_array_equal(t.numpy(), view)
        np.testing.assert_array_equal(ft.tensor(view).numpy(), view)
    np.testing.assert_array_equal(ft.as_tensor(a[::-1]).numpy(), a[::-1])
    np.testing.assert_array_equal(ft.tensor(a[::-1, :, ::-2]).numpy(), a[::-1, :, ::-2])


@pytest.mark.parametrize(
    ("array", "error", "text"),
    [
        ([1, 2], TypeError, "expected np.ndarray (got list)"),
        (np.arange(3)[::-1], ValueError, "strides in the given numpy array is negative"),
        (np.arange(3).astype(">i4"), ValueError, "byte order different from the native byte order"),
        (np.array(["a"]), TypeError, "can't convert np.ndarray of type"),
        (np.array([object()]), TypeError, "can't convert np.ndarray of type"),
        (np.zeros(2, "i4,i1").view(np.int8).reshape(2, 5)[:, :4].reshape(2, 4), None, ""),
        (np.zeros(10, np.int8)[1:9].view(np.int8), None, ""),
        (
            np.zeros((2, 5), np.int8)[:, :4].view(np.int32),
            ValueError,
            "strides not a multiple of the element byte size",
        ),
    ],
)
def test_arrays_that_do_not_fit(array, error, text):
    if error is None:
        assert ft.from_numpy(array).tolist() == array.tolist()
        return
    with pytest.raises(error) as caught:
        ft.from_numpy(array)
    assert text.replace("strides in", "stride in") in str(caught.value) or text in str(caught.value)


def test_read_only_arrays_stay_unwritten():
    a = np.arange(4.0)
    a.flags.writeable = False
    for share in (ft.as_tensor, ft.asarray, ft.from_numpy):
        with pytest.warns(UserWarning, match="The given NumPy array is not writable"):
            t = share(a)
    writes = (
        lambda: t.add_(1),
        lambda: t.fill_(1),
        lambda: t.zero_(),
        lambda: t.copy_(t + 1),
        lambda: t[1:].mul_(2),
        lambda: ft.add(t, 1, out=t),
        lambda: t.exp_(),
        lambda: t.clamp_(0, 1),
        lambda: t.__setitem__(0, 5.0),
        lambda: t.view(2, 2).sub_(1),
    )
    for write in writes:
        with pytest.raises(RuntimeError, match="read-only|cannot write"):
            write()
    assert a.tolist() == [0, 1, 2, 3]
    assert not t.numpy().flags.writeable
    assert t.clone().add_(1).tolist() == [1, 2, 3, 4]


def test_memory_outlives_its_maker():
    array = ft.arange(1000.0).numpy()
    tensor = ft.from_numpy(np.arange(1000.0))
    ft.zeros(1000)
    np.zeros(1000)
    assert array.sum() == tensor.sum().item() == 499500


def test_array_protocols():
    t = ft.tensor([[1.0, 2.0]])
    assert np.shares_memory(np.asarray(t), t.numpy())
    assert np.asarray(t, dtype=np.int64).tolist() == [[1, 2]]
    assert not np.shares_memory(np.array(t, copy=True), t.numpy())
    assert np.sqrt(t.square().numpy()).tolist() == [[1, 2]]
    assert memoryview(t).shape == (1, 2) and bytes(memoryview(t)) == t.numpy().tobytes()
    with pytest.raises(TypeError, match="BFloat16"):
        t.to(ft.bfloat16).numpy()


def test_shared_memory_stays_where_it_is():
    for share in (lambda t: t.numpy(), memoryview, np.asarray, lambda t: np.from_dlpack(t)):
        t = ft.ones(100)
        shared = share(t)
        with pytest.raises(RuntimeError, match="Trying to resize storage that is not resizable"):
            t.resize_(10_000)
        assert np.asarray(shared).sum() == 100


@pytest.mark.parametrize("kind", ["add", "sub", "mul", "truediv", "mod", "pow", "lt", "eq"])
def test_expressions_mix_arrays_and_tensors(kind):
    import operator

    compute = getattr(operator, kind)
    a, b = np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([2.0, 0.5])
    for mixed in (compute(ft.from_numpy(a), b), compute(a, ft.from_numpy(b))):
        assert type(mixed) is ft.Tensor
        np.testing.assert_array_equal(mixed.numpy(), compute(a, b))
    backwards = compute(ft.from_numpy(a[::-1].copy()), b[::-1])
    np.testing.assert_array_equal(backwards.numpy(), compute(a[::-1], b[::-1]))
    for scalar in (np.float32(2), np.float64(2), np.int64(2), np.array(2)):
        for mixed in (compute(ft.from_numpy(a), scalar), compute(scalar, ft.from_numpy(a))):
            assert type(mixed) is ft.Tensor and mixed.dtype in (ft.float64, ft.bool)
    np.testing.assert_array_equal(compute(np.float64(2), ft.from_numpy(a)).numpy(), compute(2.0, a))


def test_in_place_with_arrays():
    t = ft.zeros(2)
    t += np.array([1.0, 2.0])
    t.mul_(np.float32(2))
    assert t.tolist() == [2, 4] and t.dtype is ft.float32
    with pytest.raises(TypeError):
        t + np.array(["a", "b"])


def test_item_and_python_numbers():
    assert float(ft.tensor([2.5])) == 2.5 and int(ft.tensor(2.9)) == 2 and complex(ft.tensor(1j)) == 1j
    assert [10, 20, 30][ft.tensor(1)] == 20 and list(range(ft.tensor(3))) == [0, 1, 2]
    assert bool(ft.tensor([[1]])) and not bool(ft.tensor(0.0))
    assert type(ft.tensor(1).item()) is int and type(ft.tensor(True).item()) is bool
    for call, error, text in (
        (lambda: bool(ft.ones(2)), RuntimeError, "Boolean value of Tensor with more than one value is ambiguous"),
        (lambda: bool(ft.ones(0)), RuntimeError, "Boolean value of Tensor with no values is ambiguous"),
        (lambda: float(ft.ones(2)), ValueError, "only one element tensors can be converted to Python scalars"),
        (lambda: ft.ones(2).item(), RuntimeError, "a Tensor with 2 elements cannot be converted to Scalar"),
        (lambda: [1][ft.tensor(0.0)], TypeError, "only integer tensors of a single element can be converted"),
        (lambda: len(ft.tensor(1)), TypeError, "len() of a 0-d tensor"),
        (lambda: iter(ft.tensor(1)), TypeError, "iteration over a 0-d tensor"),
    ):
        with pytest.raises(error) as caught:
            call()
        assert text in str(caught.value)
    assert 2 in ft.tensor([1, 2]) and 5 not in ft.tensor([1, 2])
    assert [t.item() for t in ft.tensor([3, 4])] == [3, 4]


@pytest.mark.parametrize(
    "make", [ft.tensor, ft.as_tensor, ft.asarray, ft.FloatTensor, lambda v: ft.ones(1).new_tensor(v)]
)
def test_lists_that_hold_themselves_or_go_too_deep(make):
    itself, only_itself = [0], []
    itself.append(itself)
    only_itself.append(only_itself)
    deep, ragged = 0, 0
    for _ in range(100_000):
        deep, ragged = [deep], [0, ragged]
    with pytest.raises(TypeError, match="self-referential"):
        make(itself)
    for value in (only_itself, deep, ragged):
        with pytest.raises((TypeError, ValueError), match="too many dimensions"):
            make(value)
    nested = 1
    for _ in range(64):
        nested = [nested]
    assert ft.tensor(nested).ndim == 64


class Longer(list):
    """A list whose iterator goes on."""

    def __iter__(self):
        return iter([1.0] * 10_000)


class Shorter(list):
    def __iter__(self):
        return iter([1.0])


@pytest.mark.parametrize("make", [ft.tensor, ft.as_tensor, ft.FloatTensor, lambda v: ft.ones(1).new_tensor(v)])
def test_lists_whose_iterator_does_not_have_their_length(make):
    for value in (Longer([1.0, 2.0]), [Longer([1.0, 2.0])] * 3, Shorter([1.0, 2.0]), [[1.0], Shorter([])]):
        with pytest.raises((ValueError, RuntimeError), match="expected sequence of length|changed size"):
            make(value)


def test_a_list_with_more_numbers_than_memory_raises_at_once():
    numbers = 1
    for _ in range(60):
        numbers = [numbers, numbers]
    with pytest.raises(MemoryError, match="too many numbers"):
        ft.tensor(numbers)


def test_tolist_of_a_tensor_that_a_finalizer_resizes():
    x, kept = ft.full((100, 3), 7.0), []

    def resize(phase, info):
        x.set_(ft.ones(2))
        kept.append(ft.full((100, 3), 1.0))  # in the memory that is free now

    before = gc.get_threshold()
    gc.callbacks.append(resize)
    try:
        gc.set_threshold(1, 1, 1)
        numbers = x.tolist()
    finally:
        gc.set_threshold(*before)
        gc.callbacks.remove(resize)
    assert numbers in ([[7.0] * 3] * 100, [1.0, 1.0])
