"""Joining and splitting tensors against NumPy, for dtypes, layouts and empty sizes; PyTorch's errors."""

import itertools

import numpy as np
import pytest
from flambeau_tensor._core.schema.registry import find_operator
from hypothesis import given, settings
from hypothesis import strategies as st

import flambeau_tensor as ft
from flambeau_tensor import switches
from flambeau_tensor.ops import joining
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


def count(shape, dtype="float32", start=0):
    return np.asarray((np.arange(int(np.prod(shape))) + start) % 251).reshape(shape).astype(dtype)


def laid_out(array, turned):
    return (
        ft.from_numpy(np.asarray(array.T).copy()).permute(tuple(range(array.ndim))[::-1])
        if turned
        else ft.from_numpy(array.copy())
    )


def same(result, expected):
    assert tuple(result.shape) == expected.shape
    np.testing.assert_array_equal(result.numpy(), expected)


def all_same(results, expected):
    assert isinstance(results, tuple)
    for r, e in itertools.zip_longest(results, expected):
        same(r, e)


@settings(deadline=None, max_examples=200)
@given(st.data())
def test_cat_like_numpy(data):
    shape = data.draw(st.lists(st.integers(0, 4), min_size=1, max_size=4))
    dim = data.draw(st.integers(-len(shape), len(shape) - 1))
    arrays, tensors = [], []
    for n in data.draw(st.lists(st.integers(0, 4), min_size=1, max_size=4)):
        sizes = list(shape)
        sizes[dim] = n
        arrays.append(count(sizes, data.draw(st.sampled_from(["float32", "float64", "int16"])), n))
        tensors.append(laid_out(arrays[-1], data.draw(st.booleans())))
    expected = np.concatenate(arrays, dim)
    same(ft.cat(tensors, dim), expected)
    dtype = tensors[0].dtype
    for t in tensors[1:]:
        dtype = ft.promote_types(dtype, t.dtype)
    assert ft.cat(tuple(tensors), dim).dtype is dtype


@pytest.mark.parametrize("dtype", [*DTYPES, "bfloat16"])
def test_cat_and_stack_of_every_dtype(dtype):
    a, b = (ft.from_numpy(count((3, 4), "float32", s)).to(getattr(ft, dtype)) for s in (0, 5))
    wide = ft.complex128
    for joined, expected in ((ft.cat((a, b)), np.concatenate), (ft.stack((a, b), 1), lambda x: np.stack(x, 1))):
        assert joined.dtype is a.dtype
        np.testing.assert_array_equal(joined.to(wide).numpy(), expected([a.to(wide).numpy(), b.to(wide).numpy()]))


def test_large_pieces():
    a, b = count((300, 1000)), count((200, 1000), start=7)
    same(ft.cat((ft.from_numpy(a), ft.from_numpy(b))), np.concatenate((a, b)))
    same(ft.cat((ft.from_numpy(a).t(), ft.from_numpy(b).t()), 1), np.concatenate((a.T, b.T), 1))
    same(ft.stack((ft.from_numpy(a),) * 3, -1), np.stack((a,) * 3, -1))


def test_empty_vectors_join_with_anything():
    a = ft.from_numpy(count((2, 3)))
    same(ft.cat((ft.zeros((0,)), a, ft.zeros((0,)))), count((2, 3)))
    same(ft.cat((ft.zeros((0,)), a), 1), count((2, 3)))
    assert tuple(ft.cat((ft.zeros((0,)), ft.zeros((0,)))).shape) == (0,)
    assert ft.cat((ft.zeros((0,)), ft.tensor([1, 2]))).dtype is ft.float32


def test_cat_into_out():
    a, b = ft.from_numpy(count((2, 3))), ft.from_numpy(count((1, 3)))
    out = ft.empty((3, 3), dtype=ft.float64)
    version = out._version
    assert ft.cat((a, b), out=out) is out
    same(out, np.concatenate((count((2, 3)), count((1, 3)))))
    assert out._version > version
    grown = ft.empty((0,))
    same(ft.stack((a, a), 2, out=grown), np.stack((count((2, 3)),) * 2, 2))


def test_names():
    for name, first in (("concat", "cat"), ("concatenate", "cat"), ("row_stack", "vstack")):  # handlers see all names
        assert getattr(ft, name).overloads == getattr(ft, first).overloads and getattr(ft, name).__name__ == name
    same(ft.cat((ft.ones((1,)), ft.zeros((1,))), axis=0), np.array([1.0, 0.0], "float32"))


@settings(deadline=None, max_examples=60)
@given(st.data())
def test_stack_like_numpy(data):
    shape = data.draw(st.lists(st.integers(0, 4), max_size=4))
    dim = data.draw(st.integers(-len(shape) - 1, len(shape)))
    arrays = [count(shape, "int64", s) for s in range(data.draw(st.integers(1, 4)))]
    same(ft.stack([laid_out(a, data.draw(st.booleans())) for a in arrays], dim), np.stack(arrays, dim))


@pytest.mark.parametrize(
    "name, reference, shapes",
    [
        ("hstack", np.hstack, [((), ()), ((2,), (3,)), ((2, 3), (2, 4)), ((2, 1, 3), (2, 2, 3))]),
        ("vstack", np.vstack, [((), ()), ((3,), (3,)), ((3,), (2, 3)), ((2, 1, 3), (1, 1, 3))]),
        ("dstack", np.dstack, [((), ()), ((3,), (3,)), ((2, 3), (2, 3)), ((2, 3, 1), (2, 3, 4))]),
        ("column_stack", np.column_stack, [((), ()), ((3,), (3,)), ((3,), (3, 2)), ((3, 2), (3, 1))]),
    ],
)
def test_joined_in_a_direction(name, reference, shapes):
    for pair in shapes:
        arrays = [count(s) for s in pair]
        same(getattr(ft, name)([ft.from_numpy(a) for a in arrays]), reference(arrays))


# --- cutting --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dim", [0, 1, -1])
def test_pieces_are_views(dim):
    t = ft.from_numpy(count((6, 5)))
    for cut in (
        t.split(2, dim),
        t.split([1, t.shape[dim] - 1], dim),
        t.split_with_sizes((2, t.shape[dim] - 2), dim),
        t.chunk(3, dim),
        t.tensor_split(2, dim),
        t.unbind(dim),
    ):
        for piece in cut:
            assert piece._base is t
            assert np.shares_memory(piece.numpy(), t.numpy())
    t.unbind(dim)[1].fill_(-1)
    assert (np.take(t.numpy(), 1, dim) == -1).all()


def test_split_and_chunk():
    a = count((7, 3))
    t = ft.from_numpy(a)
    all_same(t.split(3), [a[:3], a[3:6], a[6:]])
    all_same(ft.split(t, (0, 7), dim=0), [a[:0], a])
    all_same(t.split(2, 1), [a[:, :2], a[:, 2:]])
    all_same(t.chunk(3), [a[:3], a[3:6], a[6:]])
    all_same(t.chunk(5), [a[:2], a[2:4], a[4:6], a[6:]])
    empty = ft.zeros((0, 3))
    assert [tuple(p.shape) for p in empty.split(0)] == [(0, 3)]
    assert [tuple(p.shape) for p in empty.split(2)] == [(0, 3)]
    assert [tuple(p.shape) for p in empty.chunk(3)] == [(0, 3)] * 3


@settings(deadline=None, max_examples=100)
@given(st.integers(0, 9), st.integers(1, 5) | st.lists(st.integers(-10, 12), max_size=4), st.booleans())
def test_tensor_split_like_numpy(n, sections, as_tensor):
    a = count((2, n))
    given_sections = ft.tensor(sections, dtype=ft.int64) if as_tensor else sections
    all_same(ft.from_numpy(a).tensor_split(given_sections, 1), np.array_split(a, sections, 1))


def test_split_in_a_direction():
    a = count((4, 6, 2))
    t = ft.from_numpy(a)
    all_same(t.hsplit(3), np.hsplit(a, 3))
    all_same(t.vsplit([1, 3]), np.vsplit(a, [1, 3]))
    all_same(ft.dsplit(t, 2), np.dsplit(a, 2))
    all_same(ft.hsplit(t[0, :, 0], 2), np.hsplit(a[0, :, 0], 2))


# --- functions of any number of tensors -----------------------------------------------------------------------------


def test_at_least():
    for n, reference in ((1, np.atleast_1d), (2, np.atleast_2d), (3, np.atleast_3d)):
        function = getattr(joining, f"atleast_{n}d")
        for shape in ((), (3,), (2, 3), (2, 3, 4), (1, 2, 3, 4)):
            same(function(ft.from_numpy(count(shape))), reference(count(shape)))
        all_same(function(ft.tensor(1), ft.tensor([1, 2])), reference(1, [1, 2]))
        all_same(function([ft.tensor(1), ft.tensor([1, 2])]), reference(1, [1, 2]))


@pytest.mark.parametrize(
    "shapes", [((2, 1), (3,)), ((), (2,)), ((0, 1), (4,)), ((1,), (1,)), ((2, 1, 4), (3, 1), (4,))]
)
def test_broadcasting(shapes):
    arrays = [count(s) for s in shapes]
    all_same(joining.broadcast_tensors(*map(ft.from_numpy, arrays)), np.broadcast_arrays(*arrays))
    assert tuple(joining.broadcast_shapes(*shapes)) == np.broadcast_shapes(*shapes)
    last = arrays[-1]
    same(ft.broadcast_to(ft.from_numpy(last), (2, *last.shape)), np.broadcast_to(last, (2, *last.shape)))


def test_grids():
    a, b, c = count((2,)), count((3,)), count((0,))
    for indexing in ("ij", "xy"):
        for vectors in ((a, b), (a,), (b, a, b), (a, c)):
            all_same(
                joining.meshgrid(*map(ft.from_numpy, vectors), indexing=indexing),
                np.meshgrid(*vectors, indexing=indexing),
            )
    all_same(joining.meshgrid([ft.from_numpy(a), ft.tensor(5.0)], indexing="ij"), np.meshgrid(a, 5.0, indexing="ij"))


def test_products_and_choices():
    a, b = ft.tensor([1, 2]), ft.tensor([3, 4, 5])
    assert joining.cartesian_prod(a, b).tolist() == [list(p) for p in itertools.product([1, 2], [3, 4, 5])]
    assert joining.cartesian_prod(a) is a
    for r, again in itertools.product(range(5), (False, True)):
        choose = itertools.combinations_with_replacement if again else itertools.combinations
        expected = np.array(list(choose([3, 4, 5], r)), "int64").reshape((-1, r)) if r else np.zeros((0,), "int64")
        same(ft.combinations(b, r, again), expected)


def test_block_diag():
    blocks = [count((2, 3)), count((3,)), count(()), count((0, 2)), count((2, 2), start=4)]
    flat = [np.atleast_2d(b) for b in blocks]
    expected = np.zeros((sum(b.shape[0] for b in flat), sum(b.shape[1] for b in flat)), "float32")
    i = j = 0
    for b in flat:
        expected[i : i + b.shape[0], j : j + b.shape[1]] = b
        i, j = i + b.shape[0], j + b.shape[1]
    same(joining.block_diag(*map(ft.from_numpy, blocks)), expected)
    assert tuple(joining.block_diag().shape) == (1, 0)


def ones(*shape):
    return ft.ones(shape)


# Texts as PyTorch 2.13 words them.
@pytest.mark.parametrize(
    "call, error, text",
    [
        (lambda: ft.cat(()), ValueError, "torch.cat(): expected a non-empty list of Tensors"),
        (
            lambda: ft.cat((ft.tensor(1), ft.tensor(2))),
            RuntimeError,
            "zero-dimensional tensor (at position 0) cannot be concatenated",
        ),
        (
            lambda: ft.cat((ones(2, 3), ones(2, 4))),
            RuntimeError,
            "Sizes of tensors must match except in dimension 0. "
            "Expected "
            "size 3 but got size 4 for tensor number 1 in the list.",
        ),
        (
            lambda: ft.cat((ones(2, 3), ones(2))),
            RuntimeError,
            "Tensors must have same number of dimensions: got 2 and 1",
        ),
        (
            lambda: ft.cat((ones(2), ones(2)), 2),
            IndexError,
            "Dimension out of range (expected to be in range of [-1, 0], but got 2)",
        ),
        (lambda: ft.cat((ones(2), 1)), TypeError, "expected Tensor as element 1 in argument 0, but got int"),
        (
            lambda: ft.cat(ones(2)),
            TypeError,
            "cat(): argument 'tensors' (position 1) must be tuple of Tensors, not Tensor",
        ),
        (
            lambda: ft.cat((ones(2), ones(2)), out=ft.empty((0,), dtype=ft.int32)),
            TypeError,
            "torch.cat(): input types can't be cast to the desired output type Int",
        ),
        (lambda: ft.stack(()), RuntimeError, "stack expects a non-empty TensorList"),
        (
            lambda: ft.stack((ones(2), ones(3))),
            RuntimeError,
            "stack expects each tensor to be equal size, but got [2] at entry 0 and [3] at entry 1",
        ),
        (lambda: ft.vstack(()), RuntimeError, "vstack expects a non-empty TensorList"),
        (
            lambda: ones(5).split([2, 2]),
            RuntimeError,
            "split_with_sizes expects split_sizes to sum exactly to 5 (input "
            "tensor's "
            "size at dimension 0), but got split_sizes=[2, 2]",
        ),
        (
            lambda: ones(5).split(0),
            RuntimeError,
            "split_size can only be 0 if dimension size is 0, but got dimension size of 5",
        ),
        (lambda: ones(5).split(-1), RuntimeError, "split expects split_size be non-negative, but got split_size=-1"),
        (lambda: ones().split(1), RuntimeError, "split expects at least a 1-dimensional tensor"),
        (lambda: ones(5).chunk(0), RuntimeError, "chunk expects `chunks` to be greater than 0, got: 0"),
        (lambda: ones(5).tensor_split(0), RuntimeError, "number of sections must be larger than 0, got 0"),
        (
            lambda: ones(5).hsplit(2),
            RuntimeError,
            "torch.hsplit attempted to split along dimension 0, but the size of the "
            "dimension 5 is not divisible by the split_size 2!",
        ),
        (lambda: ones().unbind(), IndexError, "Dimension specified as 0 but tensor has no dimensions"),
        (
            lambda: joining.broadcast_tensors(ones(2), ones(3)),
            RuntimeError,
            "The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 0",
        ),
        (lambda: joining.meshgrid(), RuntimeError, "meshgrid expects a non-empty TensorList"),
        (lambda: joining.cartesian_prod(ones(2, 2)), RuntimeError, "Expect a 1D vector, but got shape [2, 2]"),
        (lambda: ft.combinations(ones(3), -1), RuntimeError, "Expect a non-negative number, but got -1"),
    ],
)
def test_errors(call, error, text):
    with pytest.raises(error) as caught:
        call()
    assert text in str(caught.value)


def test_writing_over_an_operand_is_refused():
    x = ft.from_numpy(count((4,)))
    with pytest.raises(RuntimeError, match="refer to a single memory location"):
        ft.cat((x[2:], x[:2]), out=x)
    same(x, count((4,)))


def test_subclasses_and_overrides():
    class Mine(ft.Tensor):
        pass

    t = ones(4).as_subclass(Mine)
    assert type(ft.cat((t, ones(2)))) is Mine
    assert all(type(p) is Mine for p in t.split(2))

    class Duck:
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            return func

    assert ft.cat((Duck(), ones(2))) is find_operator("torch.cat")
    assert joining.meshgrid(Duck(), ones(2)) is joining.meshgrid


def test_pieces_that_may_be_written_to():
    x = ft.arange(7.0)
    for pieces, sizes in (
        (ft.unsafe_split(x, 3), [3, 3, 1]),
        (ft.unsafe_chunk(x, 2), [4, 3]),
        (x.unsafe_split_with_sizes((2, 5), -1), [2, 5]),
    ):
        assert [p.numel() for p in pieces] == sizes and ft.cat(pieces).tolist() == x.tolist()
        assert pieces[1].data_ptr() == x.data_ptr() + 4 * sizes[0]


@pytest.mark.parametrize(
    "first, second, expected",
    [
        ("float64", "float32", "float32"),
        ("int64", "uint8", "uint8"),
        ("float16", "bfloat16", "bfloat16"),
        ("complex64", "float64", "complex128"),
        ("int64", "bool", "int64"),
    ],
)
def test_block_diag_of_a_tensor_without_dimensions_takes_the_others_dtype(first, second, expected):
    one, matrix = ft.tensor(1, dtype=getattr(ft, first)), ft.ones((1, 1), dtype=getattr(ft, second))
    for made in (ft.block_diag(one, matrix), ft.block_diag(matrix, one)):
        assert made.dtype is getattr(ft, expected) and made.tolist() == [[1, 0], [0, 1]]
    assert ft.block_diag(ft.ones((0,), dtype=ft.float64), matrix).dtype is ft.promote_types(ft.float64, matrix.dtype)
    assert ft.block_diag(one).dtype is one.dtype


TestSamples = check_values("tensor.joining")


def test_meshgrid_warns_once_without_indexing(monkeypatch):
    monkeypatch.setattr(switches, "_warned", set())
    with pytest.warns(UserWarning, match="torch.meshgrid: in an upcoming release, it will be required to pass"):
        joining.meshgrid(ft.ones(2), ft.ones(3))
    joining.meshgrid(ft.ones(2), ft.ones(3))
    ft.set_warn_always(True)
    try:
        with pytest.warns(UserWarning, match="torch.meshgrid: in an upcoming release"):
            joining.meshgrid(ft.ones(2), ft.ones(3))
    finally:
        ft.set_warn_always(False)


def test_empty_vectors_alone_are_joined_along_any_dimension():
    empty = ft.ones(0)
    for dim in (0, 1, 2, -2):
        assert ft.cat([empty, empty], dim=dim).shape == (0,)
    with pytest.raises(IndexError, match="Dimension out of range"):
        ft.cat([empty, ft.ones(2, 3)], dim=2)


def test_parts_of_one_tensor_are_joined_into_another_part_of_it():
    x = ft.arange(6.0)
    ft.cat([x[:1], x[1:3]], out=x[3:])
    assert x.tolist() == [0.0, 1.0, 2.0, 0.0, 1.0, 2.0]
    for tensors, out in (([x[:2], x[1:3]], x[2:]), ([x[::2][:1], x[:2]], x[1:4])):
        with pytest.raises(RuntimeError, match="refer to a single memory location"):
            ft.cat(tensors, out=out)
