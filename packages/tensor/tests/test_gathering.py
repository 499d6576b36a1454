"""Gathering and scattering along a dimension against NumPy, over dtypes, layouts and empty sizes; PyTorch's errors."""

import itertools

import numpy as np
import pytest
from flambeau_tensor._core.schema.registry import find_operator
from hypothesis import given, settings
from hypothesis import strategies as st

import flambeau_tensor as ft
from samples.values import check_values

embedding = find_operator("torch.nn.functional.embedding")
one_hot = find_operator("torch.nn.functional.one_hot")
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
rng = np.random.default_rng(0)


def count(shape, dtype="float32", start=0):
    return np.asarray((np.arange(int(np.prod(shape))) + start) % 23).reshape(shape).astype(dtype)


def turned(array):
    """Return a tensor with the array's values, stored in the opposite order of dimensions."""
    return ft.from_numpy(np.asarray(array.T).copy()).permute(tuple(range(array.ndim))[::-1])


def same(result, expected):
    assert tuple(result.shape) == expected.shape
    np.testing.assert_array_equal(result.numpy(), expected)


def places(n, shape, dtype="int64"):
    return np.asarray(rng.integers(0, n, shape)).astype(dtype)


# --- whole slices ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    "shape, dim", [((5,), 0), ((4, 3), 0), ((4, 3), 1), ((2, 3, 4), 1), ((2, 3, 4), -1), ((3, 0), 0)]
)
def test_index_select(dtype, shape, dim):
    a, i = count(shape, dtype), places(shape[dim], 7)
    indices = ft.from_numpy(i), ft.from_numpy(i.astype("int32"))
    for t, index in itertools.product((ft.from_numpy(a), turned(a)), indices):
        same(ft.index_select(t, dim, index), np.take(a, i, dim))
    same(ft.from_numpy(a).index_select(dim, ft.tensor(1)), np.take(a, [1], dim))


def test_index_select_of_one_number():
    assert ft.index_select(ft.tensor(3), 0, ft.tensor([0])).item() == 3
    assert ft.index_select(ft.tensor(3), 0, ft.tensor(0)).ndim == 0


@pytest.mark.parametrize("dtype", [*DTYPES[1:], "bfloat16"])
@pytest.mark.parametrize("shape, dim", [((5,), 0), ((4, 3), 0), ((4, 3), 1), ((2, 3, 4), 1)])
@pytest.mark.parametrize("alpha", [1, 2])
def test_index_add(dtype, shape, dim, alpha):
    i = places(shape[dim], 6)
    sizes = list(shape)
    sizes[dim] = 6
    a, b = count(shape), count(sizes, start=3) % 5
    expected = a.copy()
    np.add.at(np.moveaxis(expected, dim, 0), i, np.moveaxis(b * alpha, dim, 0))
    kind = getattr(ft, dtype)
    for source in (ft.from_numpy(b), turned(b)):
        t = turned(a).to(kind)
        result = ft.index_add(t, dim, ft.from_numpy(i), source.to(kind), alpha=alpha)
        assert result.dtype is kind
        same(result.to(ft.complex64), expected)
        same(t.to(ft.complex64), a)
        assert t.index_add_(dim, ft.from_numpy(i), source.to(kind), alpha=alpha) is t
        same(t.to(ft.complex64), expected)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape, dim", [((5,), 0), ((4, 3), 0), ((4, 3), 1), ((2, 3, 4), 1)])
def test_index_copy_and_fill(dtype, shape, dim):
    i = rng.permutation(shape[dim])[:2]
    sizes = list(shape)
    sizes[dim] = 2
    a, b = count(shape, dtype), count(sizes, dtype, 9)
    expected = a.copy()
    np.moveaxis(expected, dim, 0)[i] = np.moveaxis(b, dim, 0)
    same(ft.index_copy(turned(a), dim, ft.from_numpy(i), turned(b)), expected)
    t = turned(a)
    assert t.index_copy_(dim, ft.from_numpy(i), ft.from_numpy(b)) is t
    same(t, expected)
    np.moveaxis(expected, dim, 0)[i] = 1
    same(ft.index_fill(turned(a), dim, ft.from_numpy(i - shape[dim]), 1), expected)


def test_take_and_put():
    a = count((3, 4))
    i = np.array([[0, 11, -1], [5, -12, 5]])
    for t in (ft.from_numpy(a.copy()), turned(a)):
        same(ft.take(t, ft.from_numpy(i)), np.take(a, i))
        expected = a.copy()
        np.put(expected, i, count((6,), start=50))
        same(ft.put(t, ft.from_numpy(i), ft.from_numpy(count((2, 3), start=50))), expected)
        np.add.at(expected.reshape(-1), i.reshape(-1), 2.0)
        put = t.put_(ft.from_numpy(i), ft.from_numpy(count((2, 3), start=50)))
        assert put is t
        same(t.put_(ft.from_numpy(i), ft.full((2, 3), 2.0), accumulate=True), expected)


# --- element by element ---------------------------------------------------------------------------------------------


@st.composite
def scatters(draw):
    shape = draw(st.lists(st.integers(1, 4), min_size=1, max_size=3))
    dim = draw(st.integers(0, len(shape) - 1))
    sizes = [draw(st.integers(0, s + (3 if d == dim else 0))) for d, s in enumerate(shape)]
    n = int(np.prod(sizes))
    index = draw(st.lists(st.integers(0, shape[dim] - 1), min_size=n, max_size=n))
    return shape, dim, np.array(index, "int64").reshape(sizes)


def each(index, dim):
    """Yield pairs of an index's position and the position that it refers to."""
    for at in np.ndindex(*index.shape):
        yield at, (*at[:dim], int(index[at]), *at[dim + 1 :])


@settings(deadline=None, max_examples=150)
@given(scatters(), st.sampled_from(DTYPES), st.booleans())
def test_gather(case, dtype, narrow):
    shape, dim, index = case
    a = count(shape, dtype)
    expected = np.empty(index.shape, dtype)
    for at, named in each(index, dim):
        expected[at] = a[named]
    i = ft.from_numpy(index.astype("int32") if narrow else index)
    for t in (ft.from_numpy(a), turned(a)):
        same(ft.gather(t, dim, i), expected)
        same(t.gather(dim - len(shape), turned(index)), expected)


REDUCE = {
    None: lambda x: x[-1],
    "add": np.sum,
    "multiply": np.prod,
    "sum": np.sum,
    "prod": np.prod,
    "amax": np.max,
    "amin": np.min,
    "mean": np.mean,
}


@settings(deadline=None, max_examples=250)
@given(scatters(), st.sampled_from(list(REDUCE)), st.booleans(), st.data())
def test_scatter(case, how, include_self, data):
    shape, dim, index = case
    dtype = data.draw(st.sampled_from(["float32", "float64", "int64", "float16", "int8"]))
    a = count(shape, dtype) % 4
    src = count([n + data.draw(st.integers(0, 2)) for n in index.shape], dtype, 5) % 3 + 1
    if how in (None, "add", "multiply") or include_self:
        found = {named: [a[named]] for _, named in each(index, dim)}
    else:
        found = {named: [] for _, named in each(index, dim)}
    for at, named in each(index, dim):
        found[named].append(src[at])
    expected = a.copy()
    for named, values in found.items():
        exact = np.array(values, "float64")
        combined = REDUCE[how](exact)
        expected[named] = np.floor(combined).astype("int64").astype(dtype) if dtype.startswith("int") else combined
    t, i, s = turned(a), ft.from_numpy(index), turned(src)
    if how not in (None, "add", "multiply"):
        result = ft.scatter_reduce(t, dim, i, s, how, include_self=include_self)
    else:
        result = ft.scatter(t, dim, i, s, **({"reduce": how} if how else {}))
    assert result.dtype is t.dtype
    tolerance = {"float16": 1e-2, "float32": 1e-6, "float64": 1e-12}.get(dtype, 0)
    np.testing.assert_allclose(result.numpy(), expected, rtol=tolerance)
    same(t, a)
    if how == "sum" and include_self or how == "add":
        np.testing.assert_array_equal(ft.scatter_add(t, dim, i, s).numpy(), result.numpy())
        assert t.scatter_add_(dim, i, s) is t
        np.testing.assert_array_equal(t.numpy(), result.numpy())


def test_scattering_one_number():
    t = ft.zeros((3, 4))
    i = ft.tensor([[0, 2, 1, 0]])
    expected = np.zeros((3, 4), "float32")
    np.put_along_axis(expected, i.numpy(), 2.5, 0)
    for result in (t.scatter(0, i, 2.5), ft.scatter(t, 0, i, value=2.5), ft.scatter(t, dim=0, index=i, value=2.5)):
        same(result, expected)
    same(t.scatter(0, i, 2.5).scatter(0, i, 2, reduce="multiply"), 2 * expected)
    assert t.scatter_(0, i, 2.5) is t
    assert ft.zeros((3,), dtype=ft.int64).scatter(0, ft.tensor([1]), 2.7).tolist() == [0, 2, 0]


def test_not_a_number_wins():
    t = ft.tensor([float("nan"), 1.0])
    i = ft.tensor([0, 1, 1])
    src = ft.tensor([3.0, float("nan"), 2.0])
    for how in ("amax", "amin"):
        result = t.scatter_reduce(0, i, src, how).numpy()
        assert np.isnan(result).all()


def test_tensors_without_dimensions():
    assert ft.gather(ft.tensor(3), 0, ft.tensor(0)).item() == 3
    assert ft.gather(ft.tensor(3), 0, ft.tensor([0, 0])).tolist() == [3, 3]
    assert ft.gather(ft.tensor([4, 5]), 0, ft.tensor(1)).item() == 5
    assert ft.scatter(ft.tensor(3), 0, ft.tensor([0]), 7).item() == 7
    assert ft.tensor(1.0).index_fill(0, ft.tensor([0]), 3).item() == 3


def test_a_source_that_is_written_to():
    t = ft.tensor([0, 1, 2])
    for write in (t.scatter_, t.index_copy_):
        with pytest.raises(RuntimeError, match="some elements of the input tensor and the written-to tensor refer to"):
            write(0, ft.tensor([1, 2, 0]), t)
        assert t.tolist() == [0, 1, 2]


@pytest.mark.parametrize("dim", [0, 1, -1, None])
def test_take_along_dim(dim):
    a = rng.permutation(12).reshape(3, 4)
    if dim is None:
        i = np.argsort(a, None)
        same(ft.take_along_dim(ft.from_numpy(a), ft.from_numpy(i)), np.take_along_axis(a, i, None))
        return
    i = np.argsort(a, dim)
    same(ft.take_along_dim(ft.from_numpy(a), ft.from_numpy(i), dim), np.take_along_axis(a, i, dim))
    least = a.argmin(dim, keepdims=True)
    same(ft.take_along_dim(ft.from_numpy(a), ft.from_numpy(least), dim), a.min(dim, keepdims=True))


# --- embedding, one_hot ---------------------------------------------------------------------------------------------


def test_embedding():
    w = rng.standard_normal((7, 5)).astype("float32")
    for shape in ((), (4,), (2, 3), (0,)):
        i = places(7, shape)
        same(embedding(ft.from_numpy(i), ft.from_numpy(w)), w[i])
        same(embedding(ft.from_numpy(i.astype("int32")), turned(w), padding_idx=-1), w[i])


def test_embedding_scales_long_rows_down():
    w = count((4, 3)) + 1
    t = ft.from_numpy(w.copy())
    result = embedding(ft.tensor([[0, 2], [0, 0]]), t, max_norm=2.0)
    norms = np.linalg.norm(w, axis=1, keepdims=True)
    expected = w * np.minimum(1, 2 / (norms + 1e-7))
    expected[[1, 3]] = w[[1, 3]]
    np.testing.assert_allclose(t.numpy(), expected, rtol=1e-5)
    np.testing.assert_allclose(result.numpy(), expected[[[0, 2], [0, 0]]], rtol=1e-5)


def test_one_hot():
    i = places(4, (2, 5))
    i[0, 0] = 3
    same(one_hot(ft.from_numpy(i)), np.eye(4, dtype="int64")[i])
    same(one_hot(ft.from_numpy(i), 6), np.eye(6, dtype="int64")[i])
    assert tuple(one_hot(ft.zeros((0,), dtype=ft.int64), 3).shape) == (0, 3)


# --- errors ---------------------------------------------------------------------------------------------------------

T = ft.tensor


def grid(*shape):
    return ft.ones(shape)


# Texts as PyTorch 2.13 words them.
@pytest.mark.parametrize(
    "call, error, text",
    [
        (lambda t: ft.index_select(t, 0, T([0, 5])), IndexError, "index out of range in self"),
        (lambda t: ft.index_select(t, 0, T([0, -1])), IndexError, "index out of range in self"),
        (
            lambda t: ft.index_select(t, 2, T([0])),
            IndexError,
            "Dimension out of range (expected to be in range of [-2, 1], but got 2)",
        ),
        (lambda t: ft.index_select(t, 0, T([[0]])), IndexError, "index_select(): Index is supposed to be a vector"),
        (
            lambda t: ft.index_select(t, 0, T([0.0])),
            RuntimeError,
            "index_select(): Expected dtype int32 or int64 for index",
        ),
        (
            lambda t: t.index_add_(0, T([0, 5]), grid(2, 4)),
            RuntimeError,
            "index 5 is out of bounds for dimension 0 with size 3",
        ),
        (
            lambda t: t.index_add_(0, T([0, 1]), grid(2, 3)),
            RuntimeError,
            "source tensor shape must match self tensor "
            "shape, "
            "excluding the specified dimension. Got self.shape = [3, 4] source.shape = [2, 3]",
        ),
        (
            lambda t: t.index_add_(0, T([0, 1]), grid(3, 4)),
            RuntimeError,
            "index_add_(): Number of indices (2) should be equal to source.size(dim): (3), for dim: 0",
        ),
        (
            lambda t: t.index_add_(0, T([0, 1]), grid(2, 4).double()),
            RuntimeError,
            "index_add_(): self (Float) and source (Double) must have the same scalar type",
        ),
        (
            lambda t: t.index_copy_(0, T([0, 5]), grid(2, 4)),
            IndexError,
            "index_copy_(): index 5 is out of bounds for dimension 0 with size 3",
        ),
        (
            lambda t: t.index_copy_(0, T([0]), grid(4)),
            IndexError,
            "index_copy_(): When source and destination are not "
            "scalars, "
            "their dimensionality must match. Source dimensionality (1), destination dimensionality (2)",
        ),
        (
            lambda t: t.index_copy_(0, T([0, 1]), grid(3, 4)),
            IndexError,
            "index_copy_(): Number of indices (2) should be equal to source.size(dim) (3)",
        ),
        (lambda t: t.index_fill_(0, T([0, 5]), 1), IndexError, "index 5 is out of bounds for dimension 0 with size 3"),
        (
            lambda t: t.index_fill_(0, T([0]), T([2.0])),
            RuntimeError,
            "index_fill_ only supports a 0-dimensional value tensor, but got tensor with 1 dimension(s).",
        ),
        (lambda t: ft.gather(t, 0, T([[0, 5]])), RuntimeError, "index 5 is out of bounds for dimension 0 with size 3"),
        (
            lambda t: ft.gather(t, 0, T([[0, -1]])),
            RuntimeError,
            "index -1 is out of bounds for dimension 0 with size 3",
        ),
        (
            lambda t: ft.gather(t, 1, T([0, 1])),
            RuntimeError,
            "Index tensor must have the same number of dimensions as input tensor",
        ),
        (
            lambda t: ft.gather(t, 0, T([[0, 1, 0, 1, 0]])),
            RuntimeError,
            "Size does not match at dimension 1 expected index "
            "[1, 5] to be no larger than self [3, 4] apart from dimension 0",
        ),
        (lambda t: ft.gather(t, 0, T([[0.0]])), RuntimeError, "gather(): Expected dtype int32/int64 for index"),
        (
            lambda t: t.scatter_(0, T([[0, 5]]), 1.0),
            RuntimeError,
            "index 5 is out of bounds for dimension 0 with size 3",
        ),
        (
            lambda t: t.scatter_(0, T([[0, 1]]), grid(1, 2).double()),
            RuntimeError,
            "scatter(): Expected self.dtype to be equal to src.dtype",
        ),
        (
            lambda t: t.scatter_(0, T([[0, 1]]), grid(1, 1)),
            RuntimeError,
            "Expected index [1, 2] to be no larger than self "
            "[3, 4] apart from dimension 0 and to be no larger size than src [1, 1]",
        ),
        (
            lambda t: t.scatter_(0, T([0, 1]), grid(1, 1)),
            RuntimeError,
            "Index tensor must have the same number of dimensions as self tensor",
        ),
        (
            lambda t: t.scatter_(0, T([[0]]), grid(1, 1), reduce="other"),
            RuntimeError,
            "reduce argument must be either add or multiply.",
        ),
        (lambda t: t.scatter_(0, T([[0]]), 1j), RuntimeError, "value cannot be converted to type float"),
        (
            lambda t: ft.take(t, T([0, 12])),
            IndexError,
            "out of range: tried to access index 12 on a tensor of 12 elements.",
        ),
        (lambda t: ft.take(t, T([0.0])), RuntimeError, "take(): Expected a long tensor for index, but got Float"),
        (lambda t: ft.take(ft.zeros((0,)), T([0])), IndexError, "take(): tried to take from an empty tensor"),
        (
            lambda t: t.put_(T([0, 1]), T([5.0])),
            IndexError,
            "put_(): Expected source and index to have the same number of "
            "elements, but got source.numel() = 1, index.numel() = 2",
        ),
        (
            lambda t: t.put_(T([0, 12]), T([5.0, 6.0])),
            IndexError,
            "out of range: tried to access index 12 on a tensor of 12 elements.",
        ),
        (lambda t: embedding(T([0, 5]), t), IndexError, "index out of range in self"),
        (lambda t: embedding(T([0]), grid(3)), RuntimeError, "'weight' must be 2-D"),
        (lambda t: embedding(T([1]), t, padding_idx=5), AssertionError, "Padding_idx must be within num_embeddings"),
        (lambda t: one_hot(T([0, 2]), 2), RuntimeError, "Class values must be smaller than num_classes."),
        (lambda t: one_hot(T([0, -1])), RuntimeError, "Class values must be non-negative."),
        (lambda t: one_hot(T([0.0])), RuntimeError, "one_hot is only applicable to index tensor of type LongTensor."),
    ],
)
def test_errors_leave_the_tensor_alone(call, error, text):
    t = grid(3, 4)
    with pytest.raises(error) as caught:
        call(t)
    assert text in str(caught.value)
    same(t, np.ones((3, 4), "float32"))
    assert t._version == 0


def test_indices_of_take_along_dim_wrap_around():
    t = ft.arange(6.0).reshape(2, 3)
    places = ft.tensor([[-1, 3], [-7, 4]])
    same(ft.take_along_dim(t, places, 1), np.take_along_axis(t.numpy(), places.numpy() % 3, 1))


def test_no_index_may_have_any_dtype():
    t, none = ft.ones(2, 3), ft.zeros((0, 3), dtype=ft.uint8)
    assert ft.gather(t, 0, none).shape == (0, 3)
    assert ft.equal(ft.scatter(t, 0, none, ft.zeros(0, 3)), t)
    with pytest.raises(RuntimeError, match="Expected dtype int32/int64 for index"):
        ft.gather(t, 0, ft.zeros((1, 3), dtype=ft.uint8))


@pytest.mark.parametrize("reduce", ["prod", "mean", "amax", "amin"])
@pytest.mark.parametrize("include_self", [True, False])
def test_index_reduce(reduce, include_self):
    rng = np.random.default_rng(3)
    x, source, index = rng.standard_normal((3, 4, 2)), rng.standard_normal((3, 5, 2)), np.array([2, 0, 2, 2, 1])
    expected = x.copy()
    for i in set(index.tolist()):
        parts = source[:, index == i]
        if include_self:
            parts = np.concatenate([x[:, i : i + 1], parts], 1)
        expected[:, i] = getattr(np, reduce)(parts, 1)
    t = ft.tensor(x)
    found = ft.index_reduce(
        t, 1, ft.tensor(index, dtype=ft.int32), ft.tensor(source), reduce, include_self=include_self
    )
    np.testing.assert_allclose(found, expected, rtol=1e-14)
    t.index_reduce_(-2, ft.tensor(index), ft.tensor(source), reduce, include_self=include_self)
    np.testing.assert_allclose(t, expected, rtol=1e-14)


def test_index_reduce_of_integers_and_numbers():
    i = ft.arange(6).view(2, 3)
    assert ft.index_reduce(i, 0, ft.tensor([0, 0]), i, "mean").tolist() == [[1, 2, 3], [3, 4, 5]]
    assert ft.index_reduce(i > 1, 0, ft.tensor([0, 0]), i > 2, "amax").all()
    assert ft.index_reduce(ft.tensor(2.0), 0, ft.tensor(0), ft.tensor(3.0), "prod").item() == 6


@pytest.mark.parametrize(
    "index, source, reduce, error, text",
    [
        (
            [0, 0],
            ft.ones(2, 3),
            "sum",
            RuntimeError,
            "Expected reduce to be one of prod, mean, amax or amin but got sum",
        ),
        ([0, 5], ft.ones(2, 3), "mean", IndexError, "index out of range in self"),
        ([0, -1], ft.ones(2, 3), "mean", IndexError, "index out of range in self"),
        (
            [0],
            ft.ones(2, 3),
            "mean",
            RuntimeError,
            r"Number of indices \(1\) should be equal to source.size\(dim\): \(2\)",
        ),
        ([[0, 0]], ft.ones(2, 3), "mean", IndexError, "Index is supposed to be a vector, but got dim: 2"),
        ([0.0, 0.0], ft.ones(2, 3), "mean", RuntimeError, "Expected dtype int32/int64 for index but got: Float"),
        ([0, 0], ft.ones(2, 3).double(), "mean", RuntimeError, "must have the same scalar type"),
        ([0, 0], ft.ones(2, 2), "mean", RuntimeError, "source tensor shape must match self tensor shape"),
    ],
)
def test_errors_of_index_reduce(index, source, reduce, error, text):
    with pytest.raises(error, match=text):
        ft.index_reduce(ft.ones(2, 3), 0, ft.tensor(index), source, reduce)


TestSamples = check_values("tensor.gathering")


@pytest.mark.parametrize("shape", [(3000, 5), (700, 1), (4, 300, 7), (2, 3, 70, 64), (9, 65), (600,), (2, 1500)])
@pytest.mark.parametrize("dtype", ["uint8", "int16", "float32", "int64", "complex128"])
def test_along_the_last_dimension(shape, dtype):
    random = np.random.default_rng(1)
    x = random.integers(0, 100, shape).astype(dtype)
    index = random.integers(0, shape[-1], shape)
    views = [ft.from_numpy(x.copy()), ft.from_numpy(np.repeat(x, 2, -1))[..., ::2]]
    if len(shape) > 1:
        views.append(ft.from_numpy(np.asarray(x.swapaxes(0, 1)).copy()).transpose(0, 1))
    for t in views:
        for at in (index, index[..., : max(1, shape[-1] // 2)], index[: shape[0] - 1]):
            taken = t.gather(-1, ft.from_numpy(at.copy()))
            np.testing.assert_array_equal(
                taken.numpy(), np.take_along_axis(x[: at.shape[0]] if x.ndim > 1 else x, at, -1)
            )
        added = x.copy()
        where = (*np.ogrid[tuple(slice(n) for n in shape)][:-1], index)
        np.add.at(added, where, x)
        np.testing.assert_array_equal(t.scatter_add(-1, ft.from_numpy(index), ft.from_numpy(x)).numpy(), added)
        if dtype != "complex128":
            most = x.copy()
            np.maximum.at(most, where, x[..., ::-1])
            given = ft.from_numpy(x[..., ::-1].copy())
            np.testing.assert_array_equal(t.scatter_reduce(-1, ft.from_numpy(index), given, "amax").numpy(), most)


@pytest.mark.parametrize("bad", [-1, 7])
def test_an_index_beyond_a_short_row(bad):
    index = ft.zeros(500, 4, dtype=ft.int64)
    index[399, 2] = bad
    with pytest.raises(RuntimeError, match=f"index {bad} is out of bounds for dimension 1 with size 7"):
        ft.zeros(500, 7).gather(1, index)


@pytest.mark.parametrize("alpha", [2, 0.5, -1, 0, True])
def test_index_add_of_truth_values_takes_alpha_for_one(alpha):
    x = ft.tensor([False, True])
    out = x.index_add(0, ft.tensor([0]), ft.tensor([True]), alpha=alpha)
    assert out.tolist() == [bool(alpha), True] and (out == out).all()
    assert out.view(ft.uint8).tolist() == [int(bool(alpha)), 1]


@pytest.mark.parametrize("dim", [0, 1, 2])
@pytest.mark.parametrize("dtype", ["uint8", "int64", "float16", "float32", "complex64"])
def test_an_index_that_repeats_one_line(dim, dtype):
    """Slices are moved as a whole, with the result for the whole index."""
    shape = (5, 4, 6)
    src, into = turned(count(shape, dtype, 3)), turned(count(shape, dtype))
    line = ft.from_numpy(rng.integers(0, shape[dim], 4))
    sizes = [4 if d == dim else min(n, 5) for d, n in enumerate(shape)]
    index = line.reshape([4 if d == dim else 1 for d in range(3)]).expand(sizes)
    whole = index.clone()
    assert ft.equal(ft.gather(src, dim, index), ft.gather(src, dim, whole))
    for call in (
        lambda at: into.scatter(dim, at, src),
        lambda at: into.scatter(dim, at, 2),
        lambda at: into.scatter_add(dim, at, src),
        *(
            lambda at, reduce=reduce, own=own: into.scatter_reduce(dim, at, src, reduce, include_self=own)
            for reduce in (("sum", "prod") if dtype == "complex64" else ("sum", "prod", "amax", "amin"))
            for own in (False, True)
        ),
    ):
        assert ft.equal(call(index), call(whole))
    with pytest.raises(RuntimeError, match=f"index 7 is out of bounds for dimension {dim} with size {shape[dim]}"):
        ft.gather(src, dim, ft.full([1] * 3, 7).expand(sizes))


def test_extremes_of_slices_keep_nan():
    x, src = ft.zeros(3, 40), ft.ones(2, 40)
    src[0, 7] = x[2, 9] = float("nan")
    for reduce, expected in (("amax", 1.0), ("amin", 0.0)):
        result = x.index_reduce(0, ft.tensor([1, 1]), src, reduce)
        assert result[1, 7].isnan() and result[2, 9].isnan() and result[1].nansum().item() == 39 * expected
