"""Roll, flip, rotate, repeat, and triangles, against NumPy; PyTorch's errors."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import flambeau_tensor as ft
from samples.values import check_values

DTYPES = ["bool", "uint8", "int16", "int32", "int64", "float16", "float32", "float64", "complex64", "complex128"]
SHAPES = [(), (0,), (1,), (5,), (3, 4), (4, 0), (2, 3, 4), (2, 1, 3, 2)]


def count(shape, dtype="int64"):
    return np.asarray((np.arange(int(np.prod(shape))) % 251).reshape(shape)).astype(dtype)


def turned(array):
    """Return a tensor with the array's values, stored in the opposite order of dimensions."""
    return ft.from_numpy(np.asarray(array.T).copy()).permute(tuple(range(array.ndim))[::-1])


def same(result, expected):
    assert tuple(result.shape) == expected.shape
    np.testing.assert_array_equal(result.numpy(), expected)


@settings(deadline=None, max_examples=100)
@given(st.sampled_from(SHAPES), st.sampled_from(DTYPES), st.data())
def test_flip(shape, dtype, data):
    array = count(shape, dtype)
    dims = data.draw(st.lists(st.integers(0, len(shape) - 1), unique=True)) if shape else []
    for t in (ft.from_numpy(array), turned(array)):
        same(t.flip(tuple(dims)), np.flip(array, dims))
        assert not np.shares_memory(t.flip(tuple(dims)).numpy(), t.numpy())


def test_flips_by_name():
    a = count((3, 4, 2))
    t = ft.from_numpy(a)
    same(ft.fliplr(t), np.fliplr(a))
    same(t.flipud(), np.flipud(a))
    same(t.flip(0, -1), np.flip(a, (0, -1)))
    same(t[:, 1:].flip(1), a[:, 1:][:, ::-1])


@pytest.mark.parametrize("k", range(-5, 6))
@pytest.mark.parametrize("dims", [(0, 1), (1, 0), (0, 2), (-1, -2)])
def test_rot90(k, dims):
    same(ft.rot90(ft.from_numpy(count((2, 3, 4))), k, dims), np.rot90(count((2, 3, 4)), k, dims))


@settings(deadline=None, max_examples=100)
@given(st.sampled_from(SHAPES), st.data())
def test_roll(shape, data):
    a = count(shape)
    t = turned(a)
    n = data.draw(st.integers(-9, 9))
    same(ft.roll(t, n), np.roll(a, n))
    if shape:
        pairs = data.draw(
            st.lists(st.tuples(st.integers(-9, 9), st.integers(-len(shape), len(shape) - 1)), min_size=1, max_size=3)
        )
        shifts, dims = zip(*pairs, strict=True)
        rolled = t.roll(shifts, dims)
        same(rolled, np.roll(a, shifts, dims))
        if a.size:
            assert not np.shares_memory(rolled.numpy(), t.numpy())


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("extra", [(), (2,), (1, 3)])
def test_repeat_and_tile(shape, extra):
    a = count(shape)
    ones = (1,) * len(shape)
    for counts in (extra + (2,) * len(shape), extra + ones, extra + ((3, 0) + ones)[: len(shape)]):
        same(turned(a).repeat(counts), np.tile(a, counts))
    for counts in ((2,), (1, 2), (2, 1, 3)):
        same(ft.tile(turned(a), counts), np.tile(a, counts))
    assert not np.shares_memory(turned(a).repeat((1,) * len(shape)).numpy(), a) or not a.size


def test_repeats_one_by_one():
    same(ft.from_numpy(count((2, 3))).repeat(2, 1, 2), np.tile(count((2, 3)), (2, 1, 2)))
    same(ft.tensor(1).repeat(3), np.ones(3, "int64"))


@pytest.mark.parametrize("shape", [(3,), (2, 3), (4, 0), (2, 3, 2)])
def test_repeat_interleave(shape):
    a = count(shape)
    t = ft.from_numpy(a)
    same(t.repeat_interleave(2), np.repeat(a, 2))
    for dim in range(-len(shape), len(shape)):
        same(ft.repeat_interleave(t, 3, dim), np.repeat(a, 3, dim))
        counts = np.arange(a.shape[dim])
        same(ft.repeat_interleave(t, ft.from_numpy(counts), dim), np.repeat(a, counts, dim))
        same(t.repeat_interleave(ft.from_numpy(counts), dim, output_size=int(counts.sum())), np.repeat(a, counts, dim))
    same(ft.repeat_interleave(ft.tensor([2, 0, 1])), np.array([0, 0, 2]))
    same(ft.repeat_interleave(ft.tensor(7), 2), np.array([7, 7]))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(3, 3), (2, 5), (5, 2), (2, 3, 4), (0, 3), (3, 0), (1, 1)])
def test_triangles(shape, dtype):
    a = count(shape, dtype)
    for k in range(-6, 7):
        for t in (ft.from_numpy(a), turned(a)):
            same(ft.tril(t, k), np.tril(a, k))
            same(t.triu(k), np.triu(a, k))
    t = ft.from_numpy(a.copy())
    assert t.tril_(1) is t
    same(t, np.tril(a, 1))


@pytest.mark.parametrize("rows, columns", [(3, 3), (2, 5), (5, 2), (0, 3), (3, 0)])
def test_triangle_indices(rows, columns):
    for k in (-2, 0, 1, 4):
        same(ft.tril_indices(rows, columns, k), np.stack(np.tril_indices(rows, k, columns)))
        same(ft.triu_indices(rows, columns, k), np.stack(np.triu_indices(rows, k, columns)))
    assert ft.tril_indices(3, 3, dtype=ft.int32).dtype is ft.int32


def grid(*shape):
    return ft.from_numpy(count(shape))


# Texts as PyTorch 2.13 words them.
@pytest.mark.parametrize(
    "call, error, text",
    [
        (lambda: ft.flip(grid(2, 3), (0, 0)), RuntimeError, "dim 0 appears multiple times in the list of dims"),
        (
            lambda: ft.flip(grid(2, 3), (2,)),
            IndexError,
            "Dimension out of range (expected to be in range of [-2, 1], but got 2)",
        ),
        (lambda: ft.fliplr(grid(3)), RuntimeError, "Input must be >= 2-d."),
        (
            lambda: ft.rot90(grid(2, 3), 1, [0, 0]),
            RuntimeError,
            "expected rotation dims to be different, but got dim0 = 0 and dim1 = 0",
        ),
        (lambda: ft.rot90(grid(3)), RuntimeError, "expected total dims >= 2, but got total dims = 1"),
        (
            lambda: ft.roll(grid(2, 3), (1, 1), (0,)),
            RuntimeError,
            "shifts and dimensions must align. shifts: 2, dims:1",
        ),
        (
            lambda: ft.roll(grid(2, 3), 1, 5),
            IndexError,
            "Dimension out of range (expected to be in range of [-2, 1], but got 5)",
        ),
        (lambda: ft.roll(ft.tensor(1), 1, 0), IndexError, "Dimension specified as 0 but tensor has no dimensions"),
        (
            lambda: grid(2, 3).repeat(2),
            RuntimeError,
            "Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor",
        ),
        (lambda: grid(2, 3).repeat(-1, 2), RuntimeError, "Trying to create tensor with negative dimension -2: [-2, 6]"),
        (lambda: grid(3).repeat_interleave(-1), RuntimeError, "Repeats must be non-negative"),
        (
            lambda: grid(2, 3).repeat_interleave(ft.tensor([1, 2, 3]), 0),
            RuntimeError,
            "repeats must have the same size as input along dim, but got repeats.size(0) = 3 and input.size(0) = 2",
        ),
        (lambda: grid(2, 3).repeat_interleave(ft.tensor([1, -2]), 0), RuntimeError, "repeats can not be negative"),
        (
            lambda: grid(3).repeat_interleave(ft.tensor([1, 2, 3]), output_size=5),
            RuntimeError,
            "allocated size does not match required size",
        ),
        (lambda: ft.tril(grid(3)), RuntimeError, "tril: input tensor must have at least 2 dimensions"),
        (lambda: ft.tril_indices(-1, 2), RuntimeError, "row must be non-negative, got-1"),
        (lambda: ft.tril_indices(3, 3, dtype=ft.float32), NotImplementedError, '"tril_indices" not implemented for'),
    ],
)
def test_errors(call, error, text):
    with pytest.raises(error) as caught:
        call()
    assert text in str(caught.value)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("k", [-4, -1, 0, 1, 2, 5])
def test_diag(dtype, k):
    for shape in ((0,), (3,), (3, 4), (4, 3), (2, 0)):
        array = count(shape, dtype)
        same(
            ft.diag(turned(array), k),
            np.diag(array, k) if array.size or array.ndim == 2 else np.zeros((abs(k), abs(k)), dtype),
        )
    t = turned(count((3, 3), dtype))
    copy = t.diag()
    copy.zero_()
    same(t, count((3, 3), dtype))
    out = ft.empty(0, dtype=t.dtype)
    assert ft.diag(t, k, out=out) is out
    same(out, np.diag(count((3, 3), dtype), k))


def test_diag_embed():
    t = turned(count((2, 3)))
    for offset in (-2, 0, 1):
        expected = np.stack([np.diag(row, offset) for row in count((2, 3))])
        same(t.diag_embed(offset), expected)
        same(ft.diag_embed(t, offset, 0, 2), expected.transpose(1, 0, 2))
        same(ft.diag_embed(t, offset, 2, 0), expected.transpose(2, 0, 1))


def test_trace():
    for shape in ((3, 4), (4, 2), (0, 3), (5, 5)):
        assert ft.trace(turned(count(shape))).item() == np.trace(count(shape))
    assert ft.ones(2, 2, dtype=ft.int8).trace().dtype is ft.int64 and ft.ones(2, 2, dtype=ft.half).trace().item() == 2


def test_written_through_views():
    array = count((3, 4))
    t, src = turned(array), -count((3,)) - 1
    expected = array.copy()
    expected[[0, 1, 2], [1, 2, 3]] = src
    same(ft.diagonal_scatter(t, ft.from_numpy(src), 1), expected)
    expected = array.copy()
    expected[:, -2] = src
    same(t.select_scatter(ft.from_numpy(src), 1, -2), expected)
    expected = array.copy()
    expected[:, 1:4:2] = src[:, None]
    same(ft.slice_scatter(t, ft.from_numpy(src)[:, None].expand(3, 2), 1, 1, 4, 2), expected)
    same(t, array)
    assert ft.select_scatter(t, ft.ones(3, dtype=ft.float64), 1, 0).dtype is ft.int64


@pytest.mark.parametrize(
    "call, error, text",
    [
        (lambda t: ft.diag(t[None]), RuntimeError, "Supports 1D or 2D tensors. Got 3D"),
        (lambda t: ft.diag(t[0, 0]), RuntimeError, "Supports 1D or 2D tensors. Got 0D"),
        (lambda t: ft.diag_embed(t, 0, 1, 1), RuntimeError, "diagonal dimensions cannot be identical 1, 1"),
        (lambda t: ft.diag_embed(t, 0, 5, 1), IndexError, "expected to be in range of [-3, 2], but got 5"),
        (lambda t: ft.diag_embed(t[0, 0]), IndexError, "expected to be in range of [-1, 0], but got -2"),
        (lambda t: ft.trace(t[0]), RuntimeError, "trace: expected a matrix, but got tensor with dim 1"),
        (lambda t: ft.trace(t.bool()), NotImplementedError, "\"trace\" not implemented for 'Bool'"),
        (lambda t: ft.diagonal_scatter(t, t[0]), RuntimeError, "src size = [4], slice size = [3]"),
        (lambda t: ft.select_scatter(t, t[:, 0], 1, 7), IndexError, "index 7 out of range for tensor of size [3, 4]"),
    ],
)
def test_errors_of_diagonals(call, error, text):
    with pytest.raises(error) as raised:
        call(ft.ones(3, 4))
    assert text in str(raised.value)


def test_copies_of_views():
    t = ft.arange(6.0).view(2, 3)
    calls = {
        "transpose": (0, 1),
        "select": (1, -1),
        "slice": (1, 0, 3, 2),
        "squeeze": (),
        "unsqueeze": (0,),
        "t": (),
        "expand": ((4, 2, 3),),
        "view": ((3, 2),),
        "permute": ((1, 0),),
        "diagonal": (1,),
        "unfold": (1, 2, 1),
        "as_strided": ((2, 2), (1, 1), 1),
        "alias": (),
    }
    for name, arguments in calls.items():
        view = ft.Tensor.__getattribute__(t, name) if hasattr(ft.Tensor, name) else None
        copy = getattr(ft, f"{name}_copy")(t, *arguments)
        assert copy.is_contiguous() and copy.data_ptr() != t.data_ptr() and copy._base is None
        if view is not None:
            assert ft.equal(copy, view(*arguments))
        out = ft.empty(0)
        assert getattr(ft, f"{name}_copy")(t, *arguments, out=out) is out and ft.equal(out, copy)
    assert ft.view_copy(t, ft.int32).dtype is ft.int32
    pieces = ft.unbind_copy(t) + ft.split_copy(t, 1, 1) + ft.split_with_sizes_copy(t, (1, 2), 1)
    assert [p.shape for p in pieces] == [(3,), (3,), (2, 1), (2, 1), (2, 1), (2, 1), (2, 2)]
    assert all(p._base is None for p in pieces)


def test_constants():
    assert (ft.pi, ft.e, ft.inf, ft.newaxis) == (np.pi, np.e, np.inf, None) and ft.nan != ft.nan
    assert ft.is_tensor(ft.ones(1)) and not ft.is_tensor(np.ones(1))


def test_diagflat():
    x = ft.arange(4.0).view(2, 2)
    for offset in 0, 1, -2:
        np.testing.assert_array_equal(ft.diagflat(x, offset), np.diagflat(x.numpy(), offset))


@pytest.mark.parametrize("dtype", [ft.int32, ft.int64])
def test_repeated_indices_are_of_the_dtype_of_repeats(dtype):
    found = ft.repeat_interleave(ft.tensor([1, 2], dtype=dtype))
    assert found.tolist() == [0, 1, 1] and found.dtype is dtype
    assert ft.repeat_interleave(ft.empty((0,), dtype=dtype)).dtype is dtype


TestSamples = check_values("tensor.rearranging")


@pytest.mark.parametrize("dtype", DTYPES)
def test_flip_of_long_rows(dtype):
    for shape in ((1000,), (7, 133), (200, 5)):
        x = count(shape, dtype)
        same(ft.from_numpy(x).flip(-1), np.flip(x, -1))
        same(ft.from_numpy(x).flip(tuple(range(x.ndim))), np.flip(x))
        same(turned(x).flip(-1), np.flip(x, -1))


def test_layouts_of_copies():
    """A roll by whole turns is contiguous; a padding that only crops has the layout of the part."""
    x = ft.zeros(2, 3, 4).permute(2, 0, 1)
    assert x.roll(8, 0).stride() == x.roll((0, 2), (1, 1)).stride() == (6, 3, 1)
    assert ft.constant_pad_nd(x, (0, 0)).stride() == x.stride()
    assert ft.constant_pad_nd(x, (0, -1)).stride() == (1, 8, 4)
    assert ft.constant_pad_nd(x, (0, 1)).stride() == (8, 4, 1)
