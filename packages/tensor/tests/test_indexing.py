"""Indexing against NumPy: reading and writing, views and copies, masks, errors."""

import itertools
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import flambeau_tensor as ft
from flambeau_tensor.extend import Tracer
from samples.values import check_values

DTYPES = [
    "bool",
    "uint8",
    "int8",
    "int16",
    "int32",
    "int64",
    "float16",
    "float32",
    "float64",
    "complex64",
    "complex128",
]


def count(shape, dtype="int64"):
    return np.asarray((np.arange(int(np.prod(shape))) % 251).reshape(shape).astype(dtype))


def shuffled(array, order):
    """Return a tensor with the array's values, stored in another order of dimensions."""
    back = np.argsort(order).tolist()
    return (
        ft.from_numpy(np.ascontiguousarray(array.transpose(order))).permute(tuple(back))
        if array.ndim
        else ft.from_numpy(array.copy())
    )


def same(result, expected):
    assert tuple(result.shape) == expected.shape
    np.testing.assert_array_equal(result.numpy(), expected)


# --- index expressions ----------------------------------------------------------------------------------------------


@st.composite
def cases(draw):
    """Draw a shape, an index expression for NumPy, and whether NumPy interprets it as PyTorch does."""
    shape = draw(st.lists(st.integers(0, 4), max_size=4))
    index, dim, arrays, integers = [], 0, 0, 0
    broadcast = draw(st.sampled_from([(2,), (3,), (2, 3), (1,), (2, 1)]))
    ellipsis = False
    while len(index) < 7:
        kinds = ["none", "stop"] + ([] if ellipsis else ["ellipsis"])
        if dim < len(shape):
            kinds += ["slice", "slice", "mask"] + (["int", "array"] if shape[dim] else [])
        kind = draw(st.sampled_from(kinds))
        if kind == "stop":
            break
        if kind == "none":
            index.append(None)
            continue
        if kind == "ellipsis":
            index.append(Ellipsis)
            ellipsis = True
            break
        n = shape[dim]
        if kind == "int":
            index.append(draw(st.integers(-n, n - 1)))
            integers += 1
        elif kind == "slice":
            bound = st.none() | st.integers(-n - 2, n + 2)
            index.append(slice(draw(bound), draw(bound), draw(st.none() | st.integers(1, 3))))
        elif kind == "array":
            sizes = tuple(draw(st.sampled_from([1, s])) for s in broadcast)
            flat = draw(st.lists(st.integers(-n, n - 1), min_size=int(np.prod(sizes)), max_size=int(np.prod(sizes))))
            index.append(np.array(flat, draw(st.sampled_from(["int64", "int32"]))).reshape(sizes))
            arrays += 1
        else:
            if arrays:
                break
            wide = 2 if dim + 1 < len(shape) and draw(st.booleans()) else 1
            sizes = shape[dim : dim + wide]
            flat = draw(st.lists(st.booleans(), min_size=int(np.prod(sizes)), max_size=int(np.prod(sizes))))
            index.append(np.array(flat, bool).reshape(sizes))
            arrays += 1
            dim += wide - 1
        dim += 1
    return tuple(shape), tuple(index), arrays, integers


def numpy_steps(index, ndim):
    """PyTorch applies an integer first, like a slice; NumPy treats it as another index array if there are arrays."""
    taken, rest = [], []
    spoken = sum(
        i.ndim if isinstance(i, np.ndarray) and i.dtype == bool else i is not None and i is not Ellipsis for i in index
    )
    for i in index:
        if i is Ellipsis:
            taken += [slice(None)] * (ndim - spoken)
        elif isinstance(i, np.ndarray):
            taken += [slice(None)] * (i.ndim if i.dtype == bool else 1)
        elif i is not None:
            taken.append(i if isinstance(i, int) else slice(None))
        if not isinstance(i, int):
            rest.append(i)
    return tuple(taken), tuple(rest)


def for_tensors(index, form):
    def convert(i):
        if isinstance(i, np.ndarray):
            return i if form == "array" else i.tolist() if form == "list" and i.ndim == 1 else ft.from_numpy(i.copy())
        return i

    return tuple(convert(i) for i in index)


@settings(deadline=None, max_examples=600)
@given(cases(), st.sampled_from(DTYPES), st.sampled_from(["tensor", "array", "list"]), st.data())
def test_reads_and_writes_like_numpy(case, dtype, form, data):
    shape, index, arrays, integers = case
    array = count(shape, dtype)
    order = data.draw(st.permutations(range(len(shape))))
    t = shuffled(array, order)
    taken, rest = numpy_steps(index, len(shape))
    try:
        expected = array[taken][rest]
    except IndexError:
        with pytest.raises(IndexError):
            t[for_tensors(index, form)]
        return
    expected = np.asarray(expected)
    result = t[for_tensors(index, form)]
    same(result, expected)
    assert result.dtype is t.dtype
    shares = result.numel() and np.shares_memory(result.numpy(), t.numpy())
    assert bool(shares) == (not arrays and result.numel() > 0)

    sizes = [data.draw(st.sampled_from([1, s])) for s in expected.shape]
    sizes = sizes[data.draw(st.integers(0, len(sizes))) :]
    value = np.asarray(count(sizes) + 7).astype(dtype)
    written = array.copy()
    view = written[taken]
    if view.ndim or not isinstance(view, np.generic):
        view[rest] = value
    else:
        written[taken] = np.broadcast_to(value, np.empty(())[rest].shape).reshape(-1)[-1:].reshape(())
    version = t._version
    t[for_tensors(index, form)] = ft.from_numpy(value)
    same(t, written)
    assert t._version > version


@pytest.mark.parametrize(
    "index",
    [
        0,
        -1,
        (1, 2),
        slice(1, 3),
        (slice(None), 2),
        (..., 1),
        (None, 0),
        (),
        slice(None, None, 2),
        (0, slice(1, None, 2)),
    ],
)
def test_views_share_memory_both_ways(index):
    t = ft.from_numpy(count((4, 5)))
    v = t[index]
    v.fill_(77)
    expected = count((4, 5))
    expected[index] = 77
    same(t, expected)
    assert v._base is t
    assert v._version == t._version


def test_integers_of_any_kind():
    t = ft.from_numpy(count((3, 4)))
    for two in (2, -1, np.int64(2), np.int32(-1), ft.tensor(2), ft.tensor(-1, dtype=ft.int32), np.array(2)):
        same(t[two], count((3, 4))[2])
        same(t[:, two], count((3, 4))[:, int(two)])
    same(t[ft.tensor(1) : ft.tensor(3)], count((3, 4))[1:3])


def test_truths():
    t = ft.from_numpy(count((2, 3)))
    same(t[True], count((2, 3))[None])
    assert tuple(t[False].shape) == (0, 2, 3)
    same(t[ft.tensor(True)], count((2, 3))[None])
    assert tuple(t[True, True].shape) == (1, 2, 3)
    same(t[True, [0, 1]], count((2, 3)))
    assert ft.tensor(5)[ft.tensor(True)].tolist() == [5]
    t[False] = 9
    same(t, count((2, 3)))
    t[True] = 9
    assert (t.numpy() == 9).all()


def test_sequences_that_used_to_mean_tuples():
    t = ft.from_numpy(count((3, 4)))
    with pytest.warns(UserWarning, match="non-tuple sequence"):
        assert t[[[0, 1], [1, 2]]].tolist() == [1, 6]
    same(t[[2, 0]], count((3, 4))[[2, 0]])
    same(t[range(2)], count((3, 4))[:2])
    same(t[[True, False, True]], count((3, 4))[[True, False, True]])
    assert tuple(t[[]].shape) == (0, 4)


def test_bytes_mask_with_a_warning():
    t = ft.from_numpy(count((3, 4)))
    with pytest.warns(UserWarning, match="torch.uint8 is now deprecated"):
        same(t[ft.tensor([0, 1, 1], dtype=ft.uint8)], count((3, 4))[1:])


def test_indices_that_are_not_neighbours_come_first():
    array = count((2, 3, 4, 5))
    t = ft.from_numpy(array)
    one, two = np.array([[0], [1]]), np.array([1, 0, 1])
    for index in (
        (one, slice(None), two),
        (slice(None), one, two),
        (one, slice(1), slice(None), two),
        (slice(None), one, slice(1, 3), two),
        (one, None, two),
        (..., one, two),
    ):
        same(t[tuple(ft.from_numpy(i) if isinstance(i, np.ndarray) else i for i in index)], array[index])


@pytest.mark.parametrize("dtype", [*DTYPES, "bfloat16"])
def test_rows_of_every_dtype(dtype):
    source = ft.from_numpy(count((40, 6), "float32")).to(getattr(ft, dtype))
    places = np.random.default_rng(0).integers(-40, 40, 300)
    result = source[ft.from_numpy(places)]
    assert result.dtype is source.dtype
    np.testing.assert_array_equal(
        result.to(ft.float64 if "complex" not in dtype else ft.complex128).numpy(),
        source.to(ft.float64 if "complex" not in dtype else ft.complex128).numpy()[places],
    )


def test_large_gathers_split_over_threads():
    array = count((3000, 33), "float32")
    places = np.random.default_rng(0).integers(-3000, 3000, 5000)
    t, index = ft.from_numpy(array), ft.from_numpy(places)
    same(t[index], array[places])
    same(t.t()[:, index], array.T[:, places])
    same(t[index, 3:30:2], array[places, 3:30:2])
    flat = ft.from_numpy(count((200_000,)))
    many = np.random.default_rng(1).integers(0, 200_000, 100_000)
    same(flat[ft.from_numpy(many)], many % 251)


# --- writing --------------------------------------------------------------------------------------------------------


def test_of_equal_indices_the_last_counts():
    t = ft.zeros((3,), dtype=ft.int64)
    t[ft.tensor([0, 0, 2])] = ft.tensor([1, 2, 3])
    assert t.tolist() == [2, 0, 3]


@pytest.mark.parametrize(
    "dtype, value, expected",
    [
        ("int64", 1.7, 1),
        ("int64", -1.7, -1),
        ("bool", 2, True),
        ("float32", True, 1.0),
        ("uint8", -1, 255),
        ("float64", 1, 1.0),
        ("complex64", 1 + 2j, 1 + 2j),
        ("float32", float("nan"), float("nan")),
        ("int8", -128, -128),
    ],
)
@pytest.mark.parametrize("index", [1, slice(1, 2), [1], (None, 1)])
def test_numbers_are_converted(dtype, value, expected, index):
    t = ft.zeros((3,), dtype=getattr(ft, dtype))
    t[index] = value
    np.testing.assert_array_equal(t[1].item(), expected)
    assert t[0].item() == t[2].item() == 0


def test_values_of_another_dtype():
    t = ft.from_numpy(count((3,)))
    t[1:] = ft.tensor([4.9, 5.1])
    assert t.tolist() == [0, 4, 5]
    t[ft.tensor([0, 1])] = ft.tensor(3.5)  # a 0-d tensor counts as a number
    assert t.tolist() == [3, 3, 5]
    t[0] = ft.tensor([[8.5]])
    assert t.tolist() == [8, 3, 5]
    t[1:] = np.array([1, 2])
    assert t.tolist() == [8, 1, 2]


def test_leading_dimensions_of_size_one_fall_away():
    t = ft.from_numpy(count((2, 3)))
    t[0] = ft.tensor([[[7, 8, 9]]])
    assert t.tolist() == [[7, 8, 9], [3, 4, 5]]


def test_a_tensor_written_to_itself():
    t = ft.from_numpy(count((6,)))
    t[ft.tensor([0, 1, 2])] = t[ft.tensor([1, 2, 0])]
    assert t.tolist() == [1, 2, 0, 3, 4, 5]
    m = ft.from_numpy(count((3, 3)))
    for target, index, values in ((t, [5, 4, 3], t[3:]), (m, [0, 1, 2], m.t()), (m, [0, 1, 2], m)):
        with pytest.raises(RuntimeError, match="some elements of the input tensor and the written-to tensor refer to"):
            target[ft.tensor(index)] = values
    long = ft.from_numpy(count((12,)))
    long[::2][ft.tensor([0, 1, 2])] = long[1::4]  # layouts that may interleave are read first
    assert long[:6].tolist() == [1, 1, 5, 3, 9, 5]


def test_writing_through_a_view():
    base = count((4, 6))
    t = ft.from_numpy(base.copy())
    base[1:, ::2][[0, 2], 1:] = 50
    t[1:, ::2][[0, 2], 1:] = 50
    same(t, base)


def test_read_only_memory_stays_unwritten():
    array = count((4,))
    array.flags.writeable = False
    with pytest.warns(UserWarning, match="The given NumPy array is not writable"):
        t = ft.from_numpy(array)
    for index in (0, slice(2), [0, 1], np.array([True, False, True, False])):
        with pytest.raises(RuntimeError, match="read-only"):
            t[index] = 5
    assert array.tolist() == [0, 1, 2, 3]


def test_writing_to_one_place_many_times_is_refused():
    t = ft.zeros((1,)).expand((3,))
    with pytest.raises(RuntimeError, match="more than one element of the written-to tensor"):
        t[:] = 5


# --- index_put --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(2, 0), (0, 2), (0,), (2, 0, 3)])
@pytest.mark.parametrize("accumulate", [False, True])
def test_no_indices_write_nothing(shape, accumulate):
    i = ft.zeros(shape, dtype=ft.int64)
    for t in (ft.ones((3, 4)), ft.ones((4, 3)).t(), ft.ones((0, 4)), ft.ones((3, 0))):
        before = t.tolist()
        for places in ((i,), (None, i), (i, i)):
            values = t[tuple(slice(None) if place is None else place for place in places)]
            assert t.index_put_(places, ft.ones(tuple(values.shape)), accumulate).tolist() == before
        t[i] = ft.ones(tuple(t[i].shape))
        assert t.tolist() == before


@pytest.mark.parametrize("dtype", [*DTYPES[1:], "bfloat16"])
def test_index_put_accumulates(dtype):
    kind = getattr(ft, dtype)
    places = np.array([0, 2, 2, -1, 2])
    t, v = ft.from_numpy(count((4, 3), "float32")).to(kind), ft.from_numpy(count((5, 3), "float32")).to(kind)
    expected = count((4, 3), "float64")
    np.add.at(expected, places, count((5, 3), "float64"))
    result = ft.index_put(t, (ft.from_numpy(places),), v, True)
    assert result.dtype is kind
    np.testing.assert_array_equal(result.to(ft.complex128).numpy(), expected)
    np.testing.assert_array_equal(t.to(ft.complex128).numpy(), count((4, 3)))
    assert t.index_put_((ft.from_numpy(places),), v, True) is t
    np.testing.assert_array_equal(t.to(ft.complex128).numpy(), expected)


def test_index_put_with_whole_dimensions_between():
    array = count((3, 4, 5))
    t = ft.from_numpy(array.copy())
    i = np.array([1, 3])
    array[:, i] = 9
    t.index_put_([None, ft.from_numpy(i)], ft.tensor(9))
    same(t, array)


# --- masks, nonzero -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "shape, mask_shape",
    [
        ((3, 4), (3, 4)),
        ((3, 4), (4,)),
        ((3, 1), (1, 4)),
        ((4,), (2, 4)),
        ((), ()),
        ((0, 3), (0, 3)),
        ((2, 3), ()),
        ((5, 1, 3), (2, 1)),
    ],
)
@pytest.mark.parametrize("dtype", ["float32", "int8", "complex128", "bool"])
def test_masks(shape, mask_shape, dtype):
    rng = np.random.default_rng(0)
    array, mask = count(shape, dtype), np.asarray(rng.random(mask_shape) > 0.4)
    wide, wide_mask = np.broadcast_arrays(array, mask)
    t, m = ft.from_numpy(array.copy()), ft.from_numpy(mask)
    same(ft.masked_select(t, m), wide[wide_mask])
    same(ft.masked_fill(t, m, 1), np.where(mask, np.array(1, dtype), array))
    source = count((int(np.prod(wide.shape)) + 2,), dtype)[::-1].copy()
    expected = wide.copy()
    expected[wide_mask] = source[: wide_mask.sum()]
    same(ft.masked_scatter(t, m, ft.from_numpy(source)), expected)
    if wide.shape == shape:
        assert t.masked_fill_(m, 1) is t
        same(t, np.where(mask, np.array(1, dtype), array))


@pytest.mark.parametrize("shape", [(), (5,), (3, 4), (2, 3, 4), (0, 3), (3, 0)])
@pytest.mark.parametrize("dtype", ["float32", "bool", "int16", "complex64"])
def test_nonzero(shape, dtype):
    array = np.asarray(count(shape) % 3).astype(dtype)
    t = ft.from_numpy(array)
    same(ft.nonzero(t), np.argwhere(array).astype("int64"))
    same(t.argwhere(), np.argwhere(array))
    for found, expected in itertools.zip_longest(ft.nonzero(t, as_tuple=True), np.nonzero(np.atleast_1d(array))):
        same(found, expected)
    if shape:
        same(t[t.nonzero(as_tuple=True)], array[np.nonzero(array)])


# --- errors ---------------------------------------------------------------------------------------------------------


def indexed(shape, index):
    return lambda: ft.from_numpy(count(shape))[index]


def assigned(shape, index, value, dtype="int64"):
    def run():
        t = ft.from_numpy(count(shape, dtype))
        try:
            t[index] = value
        finally:
            same(t, count(shape, dtype))  # nothing was written
            assert t._version == 0

    return run


# Texts as PyTorch 2.13 words them (it counts None and the ellipsis as dimensions, though).
@pytest.mark.parametrize(
    "call, error, text",
    [
        (indexed((3,), 5), IndexError, "index 5 is out of bounds for dimension 0 with size 3"),
        (indexed((3,), -4), IndexError, "index -4 is out of bounds for dimension 0 with size 3"),
        (indexed((3, 4), (1, 7)), IndexError, "index 7 is out of bounds for dimension 1 with size 4"),
        (indexed((3,), (None, None, 5)), IndexError, "index 5 is out of bounds for dimension 0 with size 3"),
        (indexed((3, 4), (..., 7)), IndexError, "index 7 is out of bounds for dimension 1 with size 4"),
        (indexed((3,), (1, 2)), IndexError, "too many indices for tensor of dimension 1"),
        (
            indexed((), 0),
            IndexError,
            "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` "
            "in "
            "C++ to convert a 0-dim tensor to a number",
        ),
        (indexed((), slice(None)), IndexError, "slice() cannot be applied to a 0-dim tensor."),
        (indexed((3,), slice(None, None, -1)), ValueError, "step must be greater than zero"),
        (indexed((3,), slice(None, None, 0)), ValueError, "slice step cannot be zero"),
        (
            indexed((3,), 1.0),
            IndexError,
            "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables "
            "are "
            "valid indices (got float)",
        ),
        (
            indexed((3,), {}),
            IndexError,
            "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables "
            "are "
            "valid indices (got dict)",
        ),
        (indexed((3,), ft.tensor(1.0)), IndexError, "tensors used as indices must be long, int, byte or bool tensors"),
        (indexed((3,), [0.5]), IndexError, "tensors used as indices must be long, int, byte or bool tensors"),
        (
            indexed((3,), ft.tensor([0, 1], dtype=ft.int8)),
            IndexError,
            "tensors used as indices must be long, int, byte or bool tensors",
        ),
        (
            indexed((3, 4), (ft.tensor([0, 1]), ft.tensor([0, 1, 2]))),
            IndexError,
            "shape mismatch: indexing tensors could not be broadcast together with shapes [2], [3]",
        ),
        (indexed((3, 4), ft.tensor([0, 5])), IndexError, "index 5 is out of bounds for dimension 0 with size 3"),
        (
            indexed((3, 4), (slice(None), ft.tensor([0, 5]))),
            IndexError,
            "index 5 is out of bounds for dimension 1 with size 4",
        ),
        (indexed((2, 3), [-3]), IndexError, "index -3 is out of bounds for dimension 0 with size 2"),
        (indexed((0,), [0]), IndexError, "index is out of bounds for dimension with size 0"),
        (
            indexed((3, 4), ft.tensor([True, False])),
            IndexError,
            "The shape of the mask [2] at index 0 does not match the shape of the indexed tensor [3, 4] at index 0",
        ),
        (
            indexed((3, 4), (slice(None), ft.tensor([True, False]))),
            IndexError,
            "The shape of the mask [2] at index 0 does not match the shape of the indexed tensor [3, 4] at index 1",
        ),
        (assigned((3,), 5, 1), IndexError, "index 5 is out of bounds for dimension 0 with size 3"),
        (assigned((3,), [0, 5], 1), IndexError, "index 5 is out of bounds for dimension 0 with size 3"),
        (
            assigned((3,), slice(1, None), ft.ones((3,))),
            RuntimeError,
            "The expanded size of the tensor (2) must match the "
            "existing size (3) at non-singleton dimension 0.  Target sizes: [2].  Tensor sizes: [3]",
        ),
        (
            assigned((3,), [0, 1], ft.tensor([1, 2, 3])),
            RuntimeError,
            "shape mismatch: value tensor of shape [3] cannot be broadcast to indexing result of shape [2]",
        ),
        (
            assigned((3,), [0, 1], ft.ones((2,))),
            RuntimeError,
            "Index put requires the source and destination dtypes match, "
            "got "
            "Long for the destination and Float for the source.",
        ),
        (assigned((3,), 0, "a"), TypeError, "can't assign a str to a torch.LongTensor"),
        (assigned((3,), 0, [1]), TypeError, "can't assign a list to a torch.LongTensor"),
        (assigned((3,), 0, None), TypeError, "can't assign a NoneType to a torch.LongTensor"),
        (
            lambda: ft.masked_select(ft.zeros((3,)), ft.tensor([1, 0, 0])),
            RuntimeError,
            "masked_select: expected BoolTensor for mask",
        ),
        (
            lambda: ft.masked_select(ft.zeros((3,)), ft.tensor([True, False])),
            RuntimeError,
            "The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 0",
        ),
        (
            lambda: ft.masked_fill(ft.zeros((3,)), ft.tensor([True, False, True]), ft.tensor([2.0])),
            RuntimeError,
            "masked_fill_ only supports a 0-dimensional value tensor, but got tensor with 1 dimension(s).",
        ),
        (
            lambda: ft.masked_scatter(ft.zeros((3,)), ft.tensor([True, False, True]), ft.tensor([5.0])),
            RuntimeError,
            "Number of elements of source < number of ones in mask",
        ),
    ],
)
def test_errors(call, error, text):
    with pytest.raises(error) as caught:
        call()
    assert str(caught.value) == text


@pytest.mark.parametrize("dtype, value", [("float32", 1j), ("uint8", 300), ("int64", float("nan")), ("int8", 1000)])
@pytest.mark.parametrize("index", [0, [0]])
def test_numbers_that_do_not_fit(dtype, value, index):
    with pytest.raises(RuntimeError, match="value cannot be converted to type .* without overflow"):
        assigned((3,), index, value, dtype)()


def test_too_many_dimensions():
    t = ft.zeros((1,) * 60)
    with pytest.raises(IndexError, match="dimensions"):
        t[(None,) * 10]


# --- what subclasses and overriding types receive -------------------------------------------------------------------


def test_one_call_is_seen():
    seen = []

    class Watched(ft.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            seen.append(func.__name__)
            return super().__torch_function__(func, types, args, kwargs or {})

    t = ft.from_numpy(count((3, 4))).as_subclass(Watched)
    seen.clear()
    assert type(t[1:, 0]) is Watched
    assert type(t[[0, 1]]) is Watched
    t[0, 1] = 5
    t[[0], [2]] = 5
    assert seen == ["__getitem__", "__getitem__", "__setitem__", "__setitem__"]
    assert ft.Tensor.__getitem__(t, 0).tolist() == [0, 5, 5, 3]


def test_no_warnings_in_ordinary_use():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        t = ft.from_numpy(count((3, 4)))
        t[[0, 1], [1, 2]], t[:, [0]], t[[True, False, True]], t[..., None]


def test_index_put_needs_an_index():
    for indices in ((), (None,)):
        with pytest.raises(RuntimeError, match=r"index_put_\(\): at least one of the indices must be a tensor"):
            ft.ones(3).index_put_(indices, ft.tensor(1.0))


def test_a_mask_is_filled_with_a_number_of_any_dtype():
    x, mask = ft.zeros(3), ft.tensor([True, False, True])
    for value in (ft.tensor(1.5, dtype=ft.float64), ft.tensor([1.5], dtype=ft.float16)):
        assert x.index_put((mask,), value).tolist() == [1.5, 0.0, 1.5]
        assert x.long().index_put_((mask,), value).tolist() == [1, 0, 1]
        for indices, accumulate in (((mask,), True), ((ft.tensor([0]),), False), ((mask, mask), False)):
            with pytest.raises((RuntimeError, IndexError), match="dtypes match|too many indices"):
                x.index_put(indices, value, accumulate)
    with pytest.raises(RuntimeError, match="dtypes match"):
        x.index_put((mask,), ft.tensor(1j))


@pytest.mark.parametrize("accumulate", [False, True])
def test_masks_have_the_sizes_of_what_they_index(accumulate):
    """With a larger mask, writes would exceed the tensor."""
    t, one = ft.zeros(3, 4), ft.tensor(1.0)
    row = ft.tensor([0])
    for sizes, before in (((120,), ()), ((2,), ()), ((3, 40), ()), ((4, 3), ()), ((3,), (None,)), ((5,), (row,))):
        mask = ft.ones(sizes, dtype=ft.bool)
        for call in (t.index_put, t.index_put_):
            with pytest.raises(IndexError, match=r"The shape of the mask .* at index \d does not match the"):
                call((*before, mask), one, accumulate)
        with pytest.raises(IndexError, match="The shape of the mask"):
            t[(slice(None), *before[1:], mask) if before == (None,) else (*before, mask)]
    assert t.index_put((None, ft.ones(4, dtype=ft.bool)), one).sum() == 12 and t.sum() == 0


def test_sizes_are_ints():
    with pytest.raises(TypeError, match=r"view\(\) received an invalid combination of arguments - got \(bool\)"):
        ft.ones(1).view(True)
    with pytest.raises(TypeError):
        ft.ones(4).split([1.5, 2.5])
    with pytest.raises(TypeError, match="argument 'memory_format' must be torch.memory_format, not int"):
        ft.ones(4).is_contiguous(memory_format=1)


@pytest.mark.parametrize("dtype", [ft.int8, ft.int16, ft.int32, ft.uint16])
def test_a_number_of_any_integer_dtype_is_an_index(dtype):
    x, i = ft.arange(12).view(3, 4), ft.tensor(2, dtype=dtype)
    assert x[i].tolist() == [8, 9, 10, 11] and x[i, i].item() == 10
    x[i, i] = -1
    assert x[2, 2].item() == -1


def test_a_row_is_filled_with_an_element_of_itself():
    x = ft.arange(12).view(3, 4).clone()
    x[1] = x[1][0]
    x[2] = x[2][1:2]
    assert x.tolist() == [[0, 1, 2, 3], [4, 4, 4, 4], [9, 9, 9, 9]]


TestSamples = check_values("tensor.indexing")


def test_indices_and_truth_values_are_not_written_into_other_dtypes():
    x = ft.tensor([0.0, 2.0])
    assert ft.nonzero(x, out=ft.empty(0, dtype=ft.int64)).tolist() == [[1]]
    with pytest.raises(RuntimeError, match="nonzero: Expected out tensor to have scalar type Long but got"):
        ft.nonzero(x, out=ft.empty(0))
    for function in (ft.all, ft.any):
        for dims in ((), (0,), ((0,),)):
            for dtype in (ft.bool, ft.uint8):
                assert function(x, *dims, out=ft.empty((), dtype=dtype)).item() == (function is ft.any)
            with pytest.raises(
                RuntimeError, match=f"{function.__name__} only supports bool tensor for result, got: Float"
            ):
                function(x, *dims, out=ft.empty(()))


def test_slices_with_a_step_have_its_strides_under_a_tracer_too():
    for size in (0, 1, 2, 5):
        x = ft.ones(size, 3)
        with Tracer():
            found = x[::2, ::3]
        assert found.stride() == x[::2, ::3].stride() and found.shape == x[::2, ::3].shape


def test_shapes_are_checked_before_dtypes():
    t = ft.arange(4)
    for value in (ft.tensor([]), ft.ones(3)):
        with pytest.raises(RuntimeError, match=r"shape mismatch: value tensor of shape \[\d\] cannot be broadcast to"):
            t[t > -1] = value
    assert t.tolist() == [0, 1, 2, 3]


@pytest.mark.filterwarnings("ignore:Using a non-tuple sequence")
def test_lists_that_contain_themselves_are_no_indices():
    itself, twice = [], [0]
    itself.append(itself)
    twice += [twice, twice]
    for index in (itself, twice, (itself, 0), [itself, itself]):
        with pytest.raises(IndexError):
            ft.ones(2, 2)[index]
        with pytest.raises(IndexError):
            ft.ones(2, 2)[index] = 1


@pytest.mark.parametrize("answer", ["x", 1.5, None, (), object()])
def test_an_index_that_is_no_int_raises(answer):
    """An object whose `__index__` returns something else was read as if it were a tensor."""
    wrong = type("Wrong", (), {"__index__": lambda self: answer})()
    x = ft.ones(3, 3)
    for use in (
        lambda: x[wrong],
        lambda: x[0, wrong],
        lambda: x[wrong:],
        lambda: x.__setitem__(wrong, 1),
        lambda: x.sum(wrong),
        lambda: x.split(wrong),
        lambda: x.chunk(wrong),
        lambda: x.tensor_split(wrong),
        lambda: ft.zeros(wrong),
        lambda: ft.zeros((wrong, 2)),
        lambda: ft.Size([wrong]),
        lambda: ft.UntypedStorage(wrong),
        lambda: x.untyped_storage()[wrong],
        lambda: ft.Generator().manual_seed(wrong),
        lambda: ft.tensordot(x, x, wrong),
        lambda: x.random_(wrong),
    ):
        with pytest.raises((TypeError, ValueError, RuntimeError, IndexError)):
            use()
