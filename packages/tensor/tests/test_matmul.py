"""Matrix products against NumPy's, for dtypes, layouts, ranks and empty sizes; PyTorch's errors."""

import itertools
import os
import subprocess
import sys

import numpy as np
import pytest
from flambeau_tensor._core.schema.registry import find_operator
from hypothesis import given, settings
from hypothesis import strategies as st

import flambeau_tensor as ft
from flambeau_tensor._core.elementwise.cpu_levels import built_levels
from samples.values import check_values

linear = find_operator("torch.nn.functional.linear")
rng = np.random.default_rng(0)
FLOATS = ["float32", "float64", "complex64", "complex128"]
TOLERANCE = {
    "float16": 2e-2,
    "bfloat16": 1e-1,
    "float32": 1e-4,
    "float64": 1e-11,
    "complex64": 1e-4,
    "complex128": 1e-11,
}


@pytest.fixture(autouse=True)
def unused_lanes_may_be_invalid():
    """The library behind NumPy's products sometimes sets the flag, depending on the contents of unused lanes."""
    with np.errstate(invalid="ignore"):
        yield


def values(shape, dtype="float32"):
    if dtype.startswith("complex"):
        return np.asarray(rng.standard_normal(shape) + 1j * rng.standard_normal(shape)).astype(dtype)
    if dtype.startswith("float"):
        return np.asarray(rng.standard_normal(shape)).astype(dtype)
    return np.asarray(rng.integers(0, 5, shape)).astype(dtype)


def laid_out(array, layout):
    """Return a tensor with the array's values in another memory layout."""
    if layout == "transposed" and array.ndim > 1:
        return ft.from_numpy(np.ascontiguousarray(array.swapaxes(-1, -2))).transpose(-1, -2)
    if layout == "gaps":
        wide = np.zeros((*array.shape[:-1], 2 * array.shape[-1] + 1), array.dtype) if array.ndim else array
        if array.ndim:
            wide[..., ::2][..., : array.shape[-1]] = array
            return ft.from_numpy(wide)[..., : 2 * array.shape[-1] : 2]
    if layout == "rows" and array.ndim > 1:
        tall = np.zeros((*array.shape[:-1], array.shape[-1] + 3), array.dtype)
        tall[..., : array.shape[-1]] = array
        return ft.from_numpy(tall)[..., : array.shape[-1]]
    return ft.from_numpy(array.copy())


LAYOUTS = ["plain", "transposed", "gaps", "rows"]


def check(result, expected, dtype=None):
    expected = np.asarray(expected)
    got = result.numpy()
    assert got.shape == expected.shape
    assert dtype is None or got.dtype == dtype
    tolerance = TOLERANCE.get(str(got.dtype), 0)
    np.testing.assert_allclose(got, expected, rtol=tolerance, atol=tolerance * 10)


@pytest.mark.parametrize("dtype", [*FLOATS, "uint8", "int8", "int16", "int32", "int64"])
@pytest.mark.parametrize("left, right", list(itertools.product(LAYOUTS, LAYOUTS)))
def test_mm_layouts(dtype, left, right):
    for m, k, n in [(3, 4, 5), (8, 8, 8), (1, 7, 1), (9, 1, 6), (1, 5, 8), (6, 5, 1), (17, 33, 16)]:
        a, b = values((m, k), dtype), values((k, n), dtype)
        check(ft.mm(laid_out(a, left), laid_out(b, right)), a @ b, dtype)
        check(laid_out(a, left) @ laid_out(b, right), a @ b, dtype)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_halves_multiply_as_float32(dtype):
    a, b = ft.from_numpy(values((5, 300))), ft.from_numpy(values((300, 4)))
    a, b = (t.to(getattr(ft, dtype)) for t in (a, b))
    result = a @ b
    assert result.dtype is getattr(ft, dtype)
    exact = a.to(ft.float32).numpy() @ b.to(ft.float32).numpy()
    np.testing.assert_allclose(result.to(ft.float32).numpy(), exact, rtol=TOLERANCE[dtype] / 2, atol=1e-1)
    batched = ft.bmm(a.unsqueeze(0), b.unsqueeze(0))
    np.testing.assert_array_equal(batched[0].to(ft.float32).numpy(), result.to(ft.float32).numpy())


@pytest.mark.parametrize(
    "shapes",
    [
        ((4,), (4,)),
        ((3, 4), (4,)),
        ((4,), (4, 5)),
        ((3, 4), (4, 5)),
        ((2, 3, 4), (4,)),
        ((4,), (2, 4, 5)),
        ((2, 3, 4), (4, 5)),
        ((3, 4), (2, 4, 5)),
        ((2, 3, 4), (2, 4, 5)),
        ((6, 1, 3, 4), (2, 4, 5)),
        ((1, 3, 4), (7, 4, 5)),
        ((2, 1, 3, 4), (1, 5, 4, 2)),
        ((5, 2, 3, 4), (4, 6)),
        ((0, 4), (4, 5)),
        ((3, 0), (0, 5)),
        ((2, 0, 4), (4, 5)),
        ((0, 3, 4), (0, 4, 5)),
        ((2, 3, 0), (0,)),
        ((3, 4), (4, 0)),
        ((0,), (0,)),
        ((2, 2, 1, 3, 4), (2, 1, 5, 4, 3)),
    ],
)
@pytest.mark.parametrize("dtype", ["float32", "float64", "complex128", "int64"])
def test_matmul_ranks(shapes, dtype):
    a, b = (values(s, dtype) for s in shapes)
    for left, right in itertools.product(LAYOUTS, LAYOUTS):
        check(ft.matmul(laid_out(a, left), laid_out(b, right)), np.matmul(a, b), dtype)


@settings(deadline=None, max_examples=150)
@given(st.data())
def test_matmul_broadcasts_like_numpy(data):
    batch = data.draw(st.lists(st.integers(0, 3), max_size=3))
    m, k, n = (data.draw(st.integers(0, 9)) for _ in range(3))

    def side(matrix):
        dims = batch[data.draw(st.integers(0, len(batch))) :]
        return values([1 if data.draw(st.booleans()) else d for d in dims] + matrix, "float64")

    a, b = side([m, k]), side([k, n])
    order = data.draw(st.permutations(range(a.ndim)))
    shuffled = ft.from_numpy(np.ascontiguousarray(a.transpose(order))).permute(tuple(np.argsort(order).tolist()))
    check(ft.matmul(shuffled, ft.from_numpy(b)), np.matmul(a, b))


def test_expanded_operands_are_not_copied_wrongly():
    row = ft.from_numpy(values((1, 6)))
    column = ft.from_numpy(values((6,)))
    full = row.expand((4, 6))
    check(full @ column, full.numpy() @ column.numpy())
    check(full.t() @ full, full.numpy().T @ full.numpy())
    check(ft.mm(column.unsqueeze(0).expand((3, 6)), full.t()), np.tile(column.numpy(), (3, 1)) @ full.numpy().T)
    batch = ft.from_numpy(values((1, 3, 6))).expand((5, 3, 6))
    check(batch @ full.t(), batch.numpy() @ full.numpy().T)
    one = ft.from_numpy(values((1,))).expand((6,))
    check(ft.dot(one, column), one.numpy() @ column.numpy())


@pytest.mark.parametrize("n", [64, 130, 257, 520])
def test_large_products_split_over_threads(n):
    a, b = values((n, n + 3), "float64"), values((n + 3, n - 1), "float64")
    before = ft.get_num_threads()
    try:
        for threads in (1, 2, 3):
            ft.set_num_threads(threads)
            check(ft.from_numpy(a) @ ft.from_numpy(b), a @ b)
            check(ft.from_numpy(b.T.copy()).t() @ ft.from_numpy(a.T.copy()).t()[: n - 1], b @ a[: n - 1])
            check(ft.from_numpy(a)[:2] @ ft.from_numpy(b), a[:2] @ b)
            check(ft.from_numpy(a) @ ft.from_numpy(b)[:, :1], a @ b[:, :1])
    finally:
        ft.set_num_threads(before)


def test_bmm():
    a, b = values((70, 40, 50)), values((70, 50, 30))
    check(ft.bmm(ft.from_numpy(a), ft.from_numpy(b)), a @ b)
    check(ft.from_numpy(a).bmm(ft.from_numpy(b)), a @ b)
    left = ft.from_numpy(np.ascontiguousarray(a.transpose(1, 2, 0))).permute((2, 0, 1))
    check(ft.bmm(left, ft.from_numpy(b)), a @ b)


@pytest.mark.parametrize("dtype", [*FLOATS, "int64"])
def test_vectors(dtype):
    m, v, w = values((5, 6), dtype), values((6,), dtype), values((6,), dtype)
    check(ft.mv(ft.from_numpy(m), ft.from_numpy(v)), m @ v, dtype)
    check(ft.dot(ft.from_numpy(v), ft.from_numpy(w)), v @ w, dtype)
    check(ft.vdot(ft.from_numpy(v), ft.from_numpy(w)), np.vdot(v, w), dtype)
    check(ft.outer(ft.from_numpy(v), ft.from_numpy(m[:, 0].copy())), np.outer(v, m[:, 0]), dtype)
    assert ft.ger.overloads == ft.outer.overloads


@pytest.mark.parametrize("dtype", [ft.float32, ft.float64, ft.complex64, ft.float16, ft.bfloat16])
@pytest.mark.parametrize("n", [1, 3, 40])
def test_factors_are_not_read_when_they_count_nothing(dtype, n):
    start, nan = ft.full((n, n), 2.0, dtype=dtype), ft.full((n, n), float("nan"), dtype=dtype)
    for beta in (1, 0, 3):
        expected = start * beta
        assert ft.equal(ft.addmm(start, nan, nan, beta=beta, alpha=0), expected)
        assert ft.equal(ft.addmv(start[0], nan, nan[0], beta=beta, alpha=0), expected[0])
        assert ft.equal(ft.baddbmm(start[None], nan[None], nan[None], beta=beta, alpha=0), expected[None])
        assert ft.equal(ft.addbmm(start, nan[None], nan[None], beta=beta, alpha=0), expected)


def test_imaginary_factors_of_what_is_added_to_a_product_of_nothing():
    start = ft.ones(2, 3, dtype=ft.complex64)
    assert ft.equal(ft.addmm(start, start[:, :0], start.new_ones(0, 3), beta=1j), start * 1j)


@pytest.mark.parametrize("factor", [float("inf"), float("nan"), 2**63, 1j])
def test_factors_that_whole_numbers_cannot_hold(factor):
    a = ft.ones(2, 2, dtype=ft.int64)
    for name in "beta", "alpha":
        with pytest.raises(RuntimeError, match="value cannot be converted to type int64_t without overflow"):
            ft.addmm(a, a, a, **{name: factor})
        with pytest.raises(RuntimeError, match="value cannot be converted to type int64_t without overflow"):
            ft.baddbmm(a[None], a[None], a[None], **{name: factor})
    with pytest.raises(RuntimeError, match="value cannot be converted to type uint8_t without overflow"):
        ft.addmm(*[a.to(ft.uint8)] * 3, alpha=300)


@pytest.mark.parametrize("dtype", [*FLOATS, "int32", "int64"])
@pytest.mark.parametrize("beta, alpha", [(1, 1), (0, 1), (2, 3), (1, 0), (0, 0)])
def test_products_added_to_something(dtype, beta, alpha):
    a, b, v = values((4, 5), dtype), values((5, 8), dtype), values((5,), dtype)
    for start in (values((4, 8), dtype), values((8,), dtype), values((4, 1), dtype), values((), dtype)):
        expected = beta * start + alpha * (a @ b)
        check(ft.addmm(*map(ft.from_numpy, (start, a, b)), beta=beta, alpha=alpha), expected, dtype)
    start = values((4,), dtype)
    check(
        ft.addmv(ft.from_numpy(start), ft.from_numpy(a), ft.from_numpy(v), beta=beta, alpha=alpha),
        beta * start + alpha * (a @ v),
        dtype,
    )
    x, y, start = values((3, 4, 5), dtype), values((3, 5, 8), dtype), values((4, 8), dtype)
    check(
        ft.baddbmm(ft.from_numpy(start), ft.from_numpy(x), ft.from_numpy(y), beta=beta, alpha=alpha),
        beta * start + alpha * (x @ y),
        dtype,
    )
    check(
        ft.addbmm(ft.from_numpy(start), ft.from_numpy(x), ft.from_numpy(y), beta=beta, alpha=alpha),
        beta * start + alpha * (x @ y).sum(0),
        dtype,
    )
    u, start = values((4,), dtype), values((4, 5), dtype)
    check(
        ft.addr(ft.from_numpy(start), ft.from_numpy(u), ft.from_numpy(v), beta=beta, alpha=alpha),
        beta * start + alpha * np.outer(u, v),
        dtype,
    )


def test_fractional_factors():
    a, b, start = values((4, 5)), values((5, 6)), values((4, 6))
    check(ft.addmm(*map(ft.from_numpy, (start, a, b)), beta=0.5, alpha=-1.5), 0.5 * start - 1.5 * (a @ b))
    c, d, first = (x.astype("complex64") for x in (a, b, start))
    check(ft.addmm(*map(ft.from_numpy, (first, c, d)), beta=1j, alpha=2 - 1j), 1j * first + (2 - 1j) * (c @ d))


def test_beta_zero_does_not_read_input():
    nan = ft.full((2, 8), float("nan"))
    a, b = ft.ones((2, 3)), ft.ones((3, 8))
    assert (ft.addmm(nan, a, b, beta=0).numpy() == 3).all()
    assert (ft.baddbmm(nan, a.unsqueeze(0), b.unsqueeze(0), beta=0).numpy() == 3).all()
    assert (ft.addmv(nan[:, 0], a, ft.ones((3,)), beta=0).numpy() == 3).all()


def test_empty_sums():
    assert (ft.addmm(ft.full((2, 2), 3.0), ft.ones((2, 0)), ft.ones((0, 2)), beta=2).numpy() == 6).all()
    assert (ft.mm(ft.ones((2, 0)), ft.ones((0, 3))).numpy() == 0).all()
    assert ft.dot(ft.ones((0,)), ft.ones((0,))).item() == 0
    assert tuple(linear(ft.ones((0, 3)), ft.ones((4, 3)), ft.ones((4,))).shape) == (0, 4)
    assert (linear(ft.ones((2, 0)), ft.ones((4, 0)), ft.full((4,), 7.0)).numpy() == 7).all()


def test_in_place_and_out():
    a, b, start = values((4, 5)), values((5, 6)), values((4, 6))
    t = ft.from_numpy(start.copy())
    version = t._version
    assert t.addmm_(ft.from_numpy(a), ft.from_numpy(b)) is t
    check(t, start + a @ b)
    assert t._version > version
    out = ft.empty((4, 6))
    assert ft.mm(ft.from_numpy(a), ft.from_numpy(b), out=out) is out
    check(out, a @ b)
    assert ft.matmul(ft.from_numpy(a), ft.from_numpy(b), out=out) is out
    square = values((5, 5))
    s = ft.from_numpy(square.copy())
    ft.mm(s, s, out=s)  # the result is created separately from its operands
    check(s, square @ square)


@pytest.mark.parametrize("dtype", [*FLOATS, "int64"])
@pytest.mark.parametrize("lead", [(), (1,), (3,), (70,), (2, 3), (2, 0), (2, 1, 4)])
@pytest.mark.parametrize("sizes", [(8, 8), (5, 7), (1, 3), (4, 1)])
def test_linear(dtype, lead, sizes):
    n, k = sizes
    x, w, b = values((*lead, k), dtype), values((n, k), dtype), values((n,), dtype)
    for layout_x, layout_w in itertools.product(LAYOUTS, LAYOUTS):
        tx, tw = laid_out(x, layout_x), laid_out(w, layout_w)
        check(linear(tx, tw), x @ w.T, dtype)
        check(linear(tx, tw, ft.from_numpy(b)), x @ w.T + b, dtype)
    check(linear(ft.from_numpy(x), ft.from_numpy(w), ft.from_numpy(b[:1].copy())), x @ w.T + b[:1], dtype)
    check(linear(ft.from_numpy(x), ft.from_numpy(w[0].copy())), x @ w[0], dtype)


def test_linear_of_a_permuted_batch():
    x, w, b = values((6, 4, 5)), values((3, 5)), values((3,))
    check(linear(ft.from_numpy(x).transpose(0, 1), *map(ft.from_numpy, (w, b))), x.swapaxes(0, 1) @ w.T + b)


def test_linear_in_bfloat16():
    x, w, b = (ft.from_numpy(values(s)).to(ft.bfloat16) for s in ((2, 6), (3, 6), (3,)))
    result = linear(x, w, b)
    assert result.dtype is ft.bfloat16
    exact = x.float().numpy() @ w.float().numpy().T + b.float().numpy()
    np.testing.assert_allclose(result.float().numpy(), exact, rtol=1e-2, atol=1e-2)


def ones(*shape, dtype="float32"):
    return ft.ones(shape, dtype=getattr(ft, dtype))


# Texts as PyTorch 2.13 words them.
@pytest.mark.parametrize(
    "call, error, text",
    [
        (lambda: ones(2, 3) @ ones(4, 5), RuntimeError, "mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)"),
        (lambda: ft.mm(ones(2, 3), ones(3)), RuntimeError, "mat2 must be a matrix"),
        (lambda: ft.mm(ones(3), ones(3, 3)), RuntimeError, "self must be a matrix"),
        (
            lambda: ones(2, 3) @ ones(3, 2, dtype="float64"),
            RuntimeError,
            "expected m1 and m2 to have the same dtype, but got: float != double",
        ),
        (
            lambda: ones(2, 3, dtype="bool") @ ones(3, 2, dtype="bool"),
            NotImplementedError,
            "\"addmm_impl_cpu_\" not implemented for 'Bool'",
        ),
        (lambda: ones(2, 3) @ ones(4), RuntimeError, "size mismatch, got input (2), mat (2x3), vec (4)"),
        (
            lambda: ones(3) @ ones(4),
            RuntimeError,
            "inconsistent tensor size, expected tensor [3] and src [4] to have the "
            "same "
            "number of elements, but got 3 and 4 elements respectively",
        ),
        (lambda: ones(3) @ ones(4, 2), RuntimeError, "mat1 and mat2 shapes cannot be multiplied (1x3 and 4x2)"),
        (
            lambda: ones() @ ones(3),
            RuntimeError,
            "both arguments to matmul need to be at least 1D, but they are 0D and 1D",
        ),
        (
            lambda: ones(2, 3, 4) @ ones(3, 4, 5),
            RuntimeError,
            "The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 0",
        ),
        (lambda: ones(2, 3, 4) @ ones(3, 5), RuntimeError, "mat1 and mat2 shapes cannot be multiplied (6x4 and 3x5)"),
        (
            lambda: ones(3) @ ones(2, 4, 5),
            RuntimeError,
            "Expected size for first two dimensions of batch2 tensor to be: [2, 3] but got: [2, 4].",
        ),
        (lambda: ft.mv(ones(2, 3), ones(2, 3)), RuntimeError, "vector + matrix @ vector expected, got 1, 2, 2"),
        (lambda: ft.dot(ones(3, 1), ones(4)), RuntimeError, "1D tensors expected, but got 2D and 1D tensors"),
        (lambda: ft.bmm(ones(2, 3), ones(3, 4, 6)), RuntimeError, "batch1 must be a 3D tensor"),
        (
            lambda: ft.bmm(ones(2, 3, 4), ones(3, 4, 6)),
            RuntimeError,
            "Expected size for first two dimensions of batch2 tensor to be: [2, 4] but got: [3, 4].",
        ),
        (
            lambda: ft.bmm(ones(2, 3, 4), ones(2, 4, 5, dtype="float64")),
            RuntimeError,
            "expected scalar type Float but found Double",
        ),
        (
            lambda: linear(ones(2, 3), ones(4, 5)),
            RuntimeError,
            "mat1 and mat2 shapes cannot be multiplied (2x3 and 5x4)",
        ),
        (
            lambda: linear(ones(5, 2, 3), ones(4, 5)),
            RuntimeError,
            "mat1 and mat2 shapes cannot be multiplied (10x3 and 5x4)",
        ),
        (
            lambda: linear(ones(), ones(4, 5)),
            RuntimeError,
            "both arguments to linear need to be at least 1D, but they are 0D and 2D",
        ),
        (
            lambda: linear(ones(2, 3), ones(4, 3), ones(5)),
            RuntimeError,
            "The expanded size of the tensor (4) must match "
            "the "
            "existing size (5) at non-singleton dimension 1.  Target sizes: [2, 4].  Tensor sizes: [5]",
        ),
        (
            lambda: linear(ones(2, 3), ones(4, 3), ones(4, dtype="float64")),
            RuntimeError,
            "self and mat2 must have the same dtype, but got Double and Float",
        ),
        (
            lambda: ft.addmm(ones(5), ones(2, 3), ones(4, 5)),
            RuntimeError,
            "mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)",
        ),
        (
            lambda: ft.addmm(ones(4), ones(2, 3), ones(3, 5)),
            RuntimeError,
            "The expanded size of the tensor (5) must match "
            "the "
            "existing size (4) at non-singleton dimension 1.  Target sizes: [2, 5].  Tensor sizes: [4]",
        ),
        (
            lambda: ft.addmm(ones(5, dtype="float64"), ones(2, 3), ones(3, 5)),
            RuntimeError,
            "self and mat2 must have the same dtype, but got Double and Float",
        ),
        (
            lambda: ft.addmv(ones(4), ones(2, 3), ones(3)),
            RuntimeError,
            "size mismatch, got input (4), mat (2x3), vec (3)",
        ),
        (lambda: ft.outer(ones(2), ones(3, 2)), RuntimeError, "outer: Expected 1-D argument vec2, but got 2-D"),
        (lambda: ft.mm([1], ones(2)), TypeError, "mm(): argument 'input' (position 1) must be Tensor, not list"),
        (
            lambda: ones(2, 3).matmul(2.0),
            TypeError,
            "matmul(): argument 'other' (position 1) must be Tensor, not float",
        ),
    ],
)
def test_errors(call, error, text):
    with pytest.raises(error) as caught:
        call()
    assert str(caught.value) == text


def test_a_number_is_no_matrix():
    for call in (lambda: ones(2, 3) @ 2.0, lambda: 2.0 @ ones(2, 3)):
        with pytest.raises(TypeError, match="unsupported operand"):
            call()


def test_in_place_error_leaves_the_tensor_alone():
    t = ones(2, 5)
    before, version = t.numpy().copy(), t._version
    with pytest.raises(RuntimeError, match="cannot be multiplied"):
        t.addmm_(ones(2, 3), ones(4, 5))
    np.testing.assert_array_equal(t.numpy(), before)
    assert t._version == version


@pytest.mark.parametrize("settings", [{"FLAMBEAU_BLAS": "numpy"}, {"FLAMBEAU_CPU_LEVEL": built_levels()[-1]}])
def test_other_ways_to_multiply_agree(settings):
    """Run the whole file again, with NumPy's loop and without our loop for small products."""
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-x",
            "-p",
            "no:cacheprovider",
            "-k",
            "not other_ways and not broadcasts_like",
            __file__,
        ],
        env=os.environ | settings,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout[-3000:]


def test_addr_of_integers_and_truth_values():
    # Printed by PyTorch 2.13.
    b, i = ft.tensor([True, False]), ft.arange(2)
    assert ft.addr(b, b, b).tolist() == [[True, False], [True, False]]
    assert ft.addr(b, b, b, beta=0, alpha=2).tolist() == [[True, False], [False, False]]
    for beta, alpha in ((True, 0), (2, False), (1, 0)):
        assert ft.addr(b, b, b, beta=beta, alpha=alpha).tolist() == [[True, False], [True, False]]
        assert ft.zeros(2, 2, dtype=ft.bool).addr_(b, b, beta=beta, alpha=alpha).dtype is ft.bool
    assert ft.addr(i, i.double(), i, beta=2).tolist() == [[0.0, 2.0], [0.0, 3.0]]
    for call, text in (
        (lambda: ft.addr(i, i, i, alpha=2.0), "argument alpha must not be a floating point number"),
        (lambda: ft.addr(b, b, b, beta=2.0), "argument beta must not be a floating point number"),
        (lambda: ft.addr(i, i, i, alpha=True), "Boolean alpha only supported for Boolean results"),
    ):
        with pytest.raises(RuntimeError, match=text):
            call()


@pytest.mark.parametrize("dtype", [ft.float32, ft.float64])
@pytest.mark.parametrize(
    ("m", "k", "n"), [(8, 8, 8), (1, 8, 8), (3, 5, 16), (8, 64, 8), (8, 65, 8), (4, 1, 8), (2, 7, 3)]
)
def test_small_products_with_transposed_factors(dtype, m, k, n):
    """Products of our own loop, which reads rows, and slightly larger products."""
    rng = np.random.RandomState(0)
    a, b = rng.randn(m, k), rng.randn(n, k)
    left, right = ft.from_numpy(a).to(dtype), ft.from_numpy(b).to(dtype)
    tolerance = 1e-5 if dtype is ft.float32 else 1e-12
    assert np.allclose((left @ right.t()).numpy(), a @ b.T, rtol=tolerance, atol=tolerance)
    assert np.allclose((left.t().contiguous().t() @ right.t()).numpy(), a @ b.T, rtol=tolerance, atol=tolerance)
    wide = ft.from_numpy(np.repeat(b, 2, axis=1)).to(dtype)[:, ::2]
    assert np.allclose((left @ wide.t()).numpy(), a @ b.T, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("sizes", [(16, 40, 200), (8, 90, 160), (96, 64, 128), (60, 80, 120)])
def test_a_small_batch_through_a_wide_layer(sizes):
    """The left factor is transposed before OpenBLAS reads it."""
    m, k, n = sizes
    a, w, bias = values((m, k + 3)), values((n, k)), values((n,))
    rows = ft.from_numpy(a)[:, :k]
    weight = ft.from_numpy(w)
    check(ft.mm(rows, weight.t()), a[:, :k] @ w.T)
    check(ft.addmm(ft.from_numpy(bias), rows, weight.t(), beta=0.5, alpha=2), 0.5 * bias + 2 * (a[:, :k] @ w.T))
    check(linear(rows, weight, ft.from_numpy(bias)), a[:, :k] @ w.T + bias)


def test_addr_multiplies_in_the_dtype_of_its_result():
    got = ft.addr(ft.zeros(1), ft.tensor([2]), ft.tensor([2**62]))
    assert got.tolist() == [[2.0**63]]
    short = ft.addr(ft.zeros(1, dtype=ft.int16), ft.tensor([4], dtype=ft.int8), ft.tensor([100], dtype=ft.int8))
    assert short.tolist() == [[400]]


def test_numbers_before_their_tensors():
    """Former argument orders of PyTorch, which it still accepts with a deprecation warning."""
    program = """
import warnings
import flambeau_tensor as ft
x, y = ft.tensor([1., 2.]), ft.tensor([10., 20.])
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    assert ft.add(x, 2, y).tolist() == [21, 42]
    x.add(2, y)
(warning,) = told
assert warning.category is UserWarning
assert str(warning.message) == (
    "This overload of add is deprecated:\\n\\tadd(Tensor input, Number alpha, Tensor other, *, Tensor out = None)\\n"
    "Consider using one of the following signatures instead:\\n"
    "\\tadd(Tensor input, Tensor other, *, Number alpha = 1, Tensor out = None)"), warning.message
"""
    subprocess.run([sys.executable, "-c", program], check=True)


@pytest.mark.filterwarnings("ignore:This overload of")
def test_deprecated_orders():
    m, v = ft.tensor([[1.0, 2], [3, 4]]), ft.tensor([1.0, 10])
    batch = ft.stack([m, m + 1])
    for name, first, second, start in [
        ("addmm", m, m.T, m + 5),
        ("addmv", m, v, v + 5),
        ("addr", v, v, m + 5),
        ("baddbmm", batch, batch, batch + 5),
        ("addbmm", batch, batch, m + 5),
    ]:
        function = getattr(ft, name)
        expected = function(start, first, second, beta=2, alpha=3)
        for got in (
            function(2, start, 3, first, second),
            getattr(start, name)(2, 3, first, second),
            getattr(start.clone(), name + "_")(2, 3, first, second),
            function(2, start, 3, first, second, out=ft.empty(0)),
        ):
            assert got.tolist() == expected.tolist(), name
        expected = function(start, first, second, beta=2).tolist()
        assert function(2, start, first, second).tolist() == expected
        assert getattr(start, name)(2, first, second).tolist() == expected
    for name in ("addcmul", "addcdiv"):
        expected = getattr(ft, name)(m, m, m.T, value=3).tolist()
        assert getattr(ft, name)(m, 3, m, m.T).tolist() == getattr(m, name)(3, m, m.T).tolist() == expected
        assert getattr(m.clone(), name + "_")(3, m, m.T).tolist() == expected
    assert ft.sub(m, 2, m.T).tolist() == m.clone().sub_(2, m.T).tolist() == (m - 2 * m.T).tolist()
    assert ft.add(m, 2, 3).tolist() == (m + 6).tolist()
    for wrong in (
        lambda: ft.add(m, m, 3),
        lambda: ft.add(m, 2, m, 1),
        lambda: ft.addmm(m, 2, m, m),
        lambda: ft.subtract(m, 2, m),
        lambda: ft.addmm(1, m, "a", m, m),
        lambda: ft.addcmul(m, 2, 3, m),
    ):
        with pytest.raises(TypeError):
            wrong()


@pytest.mark.filterwarnings("ignore:This overload of")
def test_handlers_get_deprecated_orders_as_they_are_written():
    class Seen(ft.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            seen.append((func, [a if type(a) is int else 0 for a in args], kwargs))
            return super().__torch_function__(func, types, args, kwargs)

    seen, s = [], ft.ones(2).as_subclass(Seen)
    assert ft.add(s, 2, s).tolist() == s.add(2, s).tolist() == [3, 3]
    assert seen == [
        (ft.add, [0, 2, 0], None),
        (ft.Tensor.tolist, [0], None),
        (ft.Tensor.add, [0, 2, 0], None),
        (ft.Tensor.tolist, [0], None),
    ]


@settings(deadline=None, max_examples=60)
@given(
    m=st.integers(8, 60),
    n=st.sampled_from([128, 144, 157, 176, 256, 288, 1056, 1100]),
    k=st.sampled_from([17, 250, 256, 257, 300, 520]),
    dtype=st.sampled_from(["float32", "float64"]),
    turned=st.tuples(st.booleans(), st.booleans()),
    added=st.booleans(),
)
def test_products_in_blocks(m, n, k, dtype, turned, added):
    """Sizes around those of tiles, panels and blocks, with each factor stored by rows or by columns."""
    error = 20 * TOLERANCE[dtype]  # NumPy's own loop adds 520 products sequentially
    left = rng.standard_normal((k, m) if turned[0] else (m, k)).astype(dtype)
    right = rng.standard_normal((n, k) if turned[1] else (k, n)).astype(dtype)
    start = rng.standard_normal((m, n)).astype(dtype)
    a = ft.tensor(left).T if turned[0] else ft.tensor(left)
    b = ft.tensor(right).T if turned[1] else ft.tensor(right)
    left, right = left.T if turned[0] else left, right.T if turned[1] else right
    whole = ft.addmm(ft.tensor(start), a, b) if added else a @ b
    expected = left.astype("float64") @ right.astype("float64") + (start if added else 0)
    np.testing.assert_allclose(whole.numpy(), expected, rtol=0, atol=error)
    stacked = ft.bmm(ft.stack([a, -a]), ft.stack([b, b])).numpy()
    np.testing.assert_allclose(
        stacked, [expected - start, start - expected] if added else [expected, -expected], rtol=0, atol=error
    )


@settings(deadline=None, max_examples=60)
@given(
    m=st.integers(2, 60),
    n=st.sampled_from([8, 15, 16, 17, 31, 32, 33, 100, 1100]),
    k=st.sampled_from([1, 2, 3, 31, 64, 511, 512, 513, 1030]),
    turned=st.tuples(st.booleans(), st.booleans()),
    added=st.booleans(),
)
def test_products_of_bfloat16(m, n, k, turned, added):
    """Sums are float32 even if the processor multiplies bfloat16 itself, and the result is rounded once."""
    left = ft.tensor(rng.standard_normal((k, m) if turned[0] else (m, k))).bfloat16()
    right = ft.tensor(rng.standard_normal((n, k) if turned[1] else (k, n))).bfloat16()
    start = ft.tensor(rng.standard_normal((m, n))).bfloat16()
    a, b = left.T if turned[0] else left, right.T if turned[1] else right
    exact = a.double() @ b.double() + (start.double() if added else 0)
    sizes = a.double().abs() @ b.double().abs() + start.double().abs()
    bound = exact.abs() * 2**-8 + sizes * 2**-16

    for result in (
        ft.addmm(start, a, b) if added else a @ b,
        ft.baddbmm(start[None], a[None], b[None])[0] if added else ft.bmm(ft.stack([a, a]), ft.stack([b, b]))[1],
        ft.addmm(start, a, b, beta=float(added)),
    ):
        assert result.dtype is ft.bfloat16
        assert bool(((result.double() - exact).abs() <= bound).all())


def test_products_of_bfloat16_that_are_no_numbers():
    a, b = ft.ones(20, 40).bfloat16(), ft.ones(40, 33).bfloat16()
    a[3, 5], a[4, 6], b[7, 32] = float("nan"), float("inf"), float("-inf")
    expected = a.float() @ b.float()
    assert ft.equal((a @ b).float().isnan(), expected.isnan()) and (a @ b)[4, 0].item() == float("inf")
    assert (a @ b)[0, 32].item() == float("-inf") and (a @ b)[4, 32].isnan()


TestSamples = check_values("tensor.matmul")
