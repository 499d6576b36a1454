"""The elementwise engine: broadcasting, strides, promotion, overlap, out=, threads.

The promotion tables were printed by PyTorch 2.13 (torch.result_type), with one letter per dtype, and "-" for complex32.
"""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import flambeau_tensor as ft

DTYPES = dict(
    zip(
        "?uijklebfdxz",
        (
            ft.bool,
            ft.uint8,
            ft.int8,
            ft.int16,
            ft.int32,
            ft.int64,
            ft.float16,
            ft.bfloat16,
            ft.float32,
            ft.float64,
            ft.complex64,
            ft.complex128,
        ),
        strict=True,
    )
)
WITH_DIMENSIONS = {
    "?": "?uijklebfdxz",
    "u": "uujjklebfdxz",
    "i": "ijijklebfdxz",
    "j": "jjjjklebfdxz",
    "k": "kkkkklebfdxz",
    "l": "llllllebfdxz",
    "e": "eeeeeeeffdxz",
    "b": "bbbbbbfbfdxz",
    "f": "fffffffffdxz",
    "d": "ddddddddddzz",
    "x": "xxxxxxxxxzxz",
    "z": "zzzzzzzzzzzz",
}
WITH_ZERO_DIM = {
    "?": "?uijklebfdxz",
    "u": "uuuuuuebfdxz",
    "i": "iiiiiiebfdxz",
    "j": "jjjjjjebfdxz",
    "k": "kkkkkkebfdxz",
    "l": "llllllebfdxz",
    "e": "eeeeeeeeee--",
    "b": "bbbbbbbbbbxx",
    "f": "ffffffffffxx",
    "d": "ddddddddddzz",
    "x": "xxxxxxxxxxxx",
    "z": "zzzzzzzzzzzz",
}
WITH_NUMBERS = {
    "?": "?lfx",
    "u": "uufx",
    "i": "iifx",
    "j": "jjfx",
    "k": "kkfx",
    "l": "llfx",
    "e": "eee-",
    "b": "bbbx",
    "f": "fffx",
    "d": "dddz",
    "x": "xxxx",
    "z": "zzzz",
}


@pytest.mark.parametrize("a", DTYPES)
def test_promotion(a):
    row = ft.ones(1, dtype=DTYPES[a])
    scalar = ft.ones((), dtype=DTYPES[a])
    for b, strong, weak in zip(DTYPES, WITH_DIMENSIONS[a], WITH_ZERO_DIM[a], strict=True):
        other, other_scalar = ft.ones(1, dtype=DTYPES[b]), ft.ones((), dtype=DTYPES[b])
        assert (row * other).dtype is DTYPES[strong]
        assert ft.promote_types(DTYPES[a], DTYPES[b]) is DTYPES[strong]
        assert (scalar * other_scalar).dtype is DTYPES[strong]
        if weak != "-":
            assert (row * other_scalar).dtype is DTYPES[weak]
            assert (other_scalar * row).dtype is DTYPES[weak]
            assert ft.result_type(row, other_scalar) is DTYPES[weak]
    for number, letter in zip((True, 1, 1.0, 1j), WITH_NUMBERS[a], strict=True):
        if letter != "-":
            assert (row * number).dtype is DTYPES[letter]
            assert (number * row).dtype is DTYPES[letter]
            assert (scalar * number).dtype is DTYPES[letter]


def test_values_survive_promotion():
    ints = ft.tensor([1, -2, 300], dtype=ft.int16)
    for letter in "efbdxzl":
        other = ft.tensor([2, 3, 4]).to(DTYPES[letter])
        assert (ints * other).tolist() == [2, -6, 1200]
        assert (other * ints).tolist() == [2, -6, 1200]


def test_default_dtype_decides_what_integers_become():
    assert ft.exp(ft.tensor([1])).dtype is ft.float32
    ft.set_default_dtype(ft.float64)
    try:
        assert ft.exp(ft.tensor([1])).dtype is ft.float64
        assert (ft.tensor([1]) / 2).dtype is ft.float64
        assert (ft.tensor([1]) * 1.5).dtype is ft.float64
        assert (ft.ones(1, dtype=ft.float32) * 1.5).dtype is ft.float32
    finally:
        ft.set_default_dtype(ft.float32)


# --- geometry -------------------------------------------------------------------------------------------------------


@st.composite
def operands(draw):
    """Draw two integer tensors that broadcast, each some view of its memory, and arrays with the same values."""
    ndim = draw(st.integers(0, 5))
    shape = [draw(st.integers(0, 3)) for _ in range(ndim)]
    pair = []
    for _ in range(2):
        own = [1 if draw(st.booleans()) and draw(st.booleans()) else n for n in shape]
        own = own[draw(st.integers(0, len(own))) if draw(st.booleans()) else 0 :]
        order = draw(st.permutations(range(len(own))))
        steps = [draw(st.integers(1, 2)) for _ in own]
        base_shape = [own[d] * steps[d] for d in order]
        base = np.arange(int(np.prod(base_shape)), dtype=np.int64).reshape(base_shape) * 7 % 23 + 1
        back = np.argsort(order)
        a = base.transpose(back)[tuple(slice(None, None, s) for s in steps)] if own else base
        t = ft.from_numpy(base.copy()).permute(*[int(i) for i in back]) if own else ft.tensor(int(base))
        for d, s in enumerate(steps):
            t = t[(slice(None),) * d + (slice(None, None, s),)]
        if own and draw(st.booleans()) and own[-1] == 1 and not shape[len(shape) - 1] == 0:
            a, t = np.broadcast_to(a, (*a.shape[:-1], 3)), t.expand(*t.shape[:-1], 3)
            if shape[-1] not in (1, 3):
                a, t = a[..., :1], t[..., :1]
        pair.append((t, a))
    return pair


@settings(max_examples=300, deadline=None)
@given(operands())
def test_broadcasting_over_any_strides(pair):
    (x, a), (y, b) = pair
    try:
        expected = a * b - a
    except ValueError:
        with pytest.raises(RuntimeError, match="must match the size of tensor b"):
            x * y
        return
    result = x * y - x
    assert tuple(result.shape) == expected.shape
    np.testing.assert_array_equal(result.numpy(), expected)
    half = x.to(ft.float16) * y.to(ft.float64)
    np.testing.assert_array_equal(half.numpy(), (a * b).astype(float))
    out = ft.zeros(tuple(reversed(expected.shape)), dtype=ft.int32)
    out = out.permute(*reversed(range(out.ndim))) if out.ndim else out
    assert ft.mul(x, y, out=out) is out
    np.testing.assert_array_equal(out.numpy(), a * b)
    if expected.shape == a.shape:
        changed = x.clone()
        changed *= y
        np.testing.assert_array_equal(changed.numpy(), a * b)


def test_many_dimensions_that_do_not_merge():
    shape = (2,) * 10
    a = np.arange(2**10).reshape(shape)
    x = ft.from_numpy(a).permute(*range(9, -1, -1))
    y = ft.from_numpy(a).permute(3, 1, 4, 0, 5, 9, 2, 6, 8, 7)
    np.testing.assert_array_equal((x + y).numpy(), a.T + a.transpose(3, 1, 4, 0, 5, 9, 2, 6, 8, 7))
    np.testing.assert_array_equal((x + y.to(ft.float64)).numpy(), a.T + a.transpose(3, 1, 4, 0, 5, 9, 2, 6, 8, 7))
    fresh = ft.empty(shape, dtype=ft.float32).copy_(y)
    np.testing.assert_array_equal(fresh.numpy(), a.transpose(3, 1, 4, 0, 5, 9, 2, 6, 8, 7))


def test_results_keep_the_order_of_dimensions():
    x = ft.zeros(2, 3).t()
    assert (x + 1).stride() == (1, 3)
    assert ft.exp(x).stride() == (1, 3)
    assert (x + ft.zeros(3, 1)).stride() == (1, 3)
    assert (x.expand(2, 3, 2) + 1).stride() == (6, 1, 3)
    assert x.clone().stride() == (1, 3)


@pytest.mark.parametrize("shape", [(0,), (2, 0), (0, 3, 1), ()])
def test_zero_size_and_zero_dimensions(shape):
    x = ft.zeros(shape)
    for result in (x + 1, x * x, ft.exp(x), x < 1, x.to(ft.int64), ft.where(x < 1, x, 2.0)):
        assert result.shape == shape
    x += 1
    assert x.sum().item() == (1.0 if shape == () else 0.0)


def test_zero_size_broadcasts():
    assert (ft.zeros(2, 0) + ft.zeros(1)).shape == (2, 0)
    assert (ft.zeros(0, 1) + ft.zeros(3)).shape == (0, 3)
    with pytest.raises(RuntimeError, match=r"tensor a \(0\) must match the size of tensor b \(3\).*dimension 1"):
        ft.zeros(2, 0) + ft.zeros(2, 3)


# --- writing --------------------------------------------------------------------------------------------------------


def test_in_place_on_views_is_seen_by_all_of_them():
    base = ft.zeros(3, 4)
    column, part = base[:, 1], base[1:, ::2]
    column += 2
    part.mul_(3).add_(1)
    assert base.tolist() == [[0, 2, 0, 0], [1, 2, 1, 0], [1, 2, 1, 0]]
    assert base._version == column._version == part._version == 3
    base.t().sub_(ft.arange(3.0))
    assert base[2].tolist() == [-1, 0, -1, -2]


def test_writing_to_overlapping_memory_is_refused():
    x = ft.zeros(4)
    with pytest.raises(RuntimeError, match="some elements of the input tensor and the written-to tensor refer to"):
        x[1:].add_(x[:-1])
    with pytest.raises(RuntimeError, match="some elements of the input tensor and the written-to tensor"):
        ft.add(x[1:], 1, out=x[:-1])
    with pytest.raises(RuntimeError, match="more than one element of the written-to tensor refers to a single memory"):
        ft.zeros(1).expand(3).add_(1)
    square = ft.arange(4.0).view(2, 2)
    for write in (lambda: square.copy_(square.t()), lambda: square.add_(square.t()), lambda: x[1:].copy_(x[:-1])):
        with pytest.raises(RuntimeError, match="some elements of the input tensor and the written-to tensor"):
            write()
    assert square.tolist() == [[0, 1], [2, 3]]
    assert x.tolist() == [0] * 4 and x._version == 0
    x.add_(x)
    ft.exp(x, out=x)
    assert x.tolist() == [1] * 4


def test_interleaved_memory_is_read_before_it_is_written():
    x = ft.arange(6.0)
    x[::2].add_(x[1::2])
    assert x.tolist() == [1, 1, 5, 3, 9, 5]
    m = ft.arange(9.0).view(3, 3)
    m[0].copy_(m[:, 0])
    m[:, 1] += m[1]
    assert m.tolist() == [[0, 6, 6], [3, 8, 5], [6, 12, 8]]


def test_out():
    a = ft.tensor([1.0, 2.0])
    out = ft.zeros(2, dtype=ft.float64)
    assert ft.add(a, a, out=out) is out and out.tolist() == [2, 4]
    empty = ft.empty(0)
    storage = empty.untyped_storage()
    assert ft.add(a, a, out=empty).shape == (2,) and empty.untyped_storage() is storage
    with pytest.warns(UserWarning, match="An output with one or more elements was resized"):
        assert ft.add(a, a, out=ft.zeros(3)).shape == (2,)
    with pytest.raises(RuntimeError, match="result type Float can't be cast to the desired output type Long"):
        ft.add(a, a, out=ft.zeros(2, dtype=ft.int64))
    with pytest.raises(TypeError, match="add.*argument 'out' must be Tensor, not list"):
        ft.add(a, a, out=[1.0])
    assert out._version == 1


def test_in_place_shapes_and_dtypes():
    x = ft.zeros(2)
    with pytest.raises(RuntimeError, match=r"output with shape \[2\] doesn't match the broadcast shape \[2, 2\]"):
        x.add_(ft.ones(2, 2))
    with pytest.raises(RuntimeError, match="result type Float can't be cast to the desired output type Long"):
        ft.tensor([1]).mul_(1.5)
    assert x.add_(ft.tensor(3)).tolist() == [3, 3] and x.dtype is ft.float32
    assert x.add_(ft.ones(2, dtype=ft.float64)).dtype is ft.float32
    n = ft.tensor([5])
    n //= 2
    n **= 3
    n <<= 1
    n |= 1
    assert n.tolist() == [17]


@pytest.mark.parametrize("dtype", ["bool", "int16", "int32", "int64", "float32", "complex128"])
@pytest.mark.parametrize("shape", [(8, 8), (16, 16), (257,), (2, 3, 4, 5), (1, 257), (4, 65)])
def test_few_elements_in_any_order(shape, dtype):
    """Up to 256 elements are gathered before the loop; more are processed row by row."""
    a = (np.arange(np.prod(shape)).reshape(shape) % 7).astype(dtype)
    t = ft.from_numpy(a)
    back = range(t.dim())[::-1]
    turned, row, column = t.permute(*back), t[:1], t[..., :1]
    np.testing.assert_array_equal((t + row).numpy(), a + a[:1])
    np.testing.assert_array_equal((column * t).numpy(), a[..., :1] * a)
    np.testing.assert_array_equal((turned + column.permute(*back)).numpy(), a.T + a[..., :1].T)
    np.testing.assert_array_equal(
        ft.where(column != 0, turned.contiguous().permute(*back), row).numpy(), np.where(a[..., :1] != 0, a, a[:1])
    )
    wide = ft.zeros(*shape[:-1], 2 * shape[-1], dtype=t.dtype)
    assert ft.add(t, row, out=wide[..., ::2]).tolist() == (a + a[:1]).tolist()


# --- large work -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("step", [1, 2, 3, 8])
@pytest.mark.parametrize(
    ("name", "dtype"),
    [
        *itertools.product(
            ["isnan", "isinf", "isfinite", "logical_not"], ["float16", "float32", "float64", "complex64"]
        ),
        *itertools.product(["signbit"], ["float16", "float32", "float64", "int8", "int64"]),
    ],
)
def test_truth_that_does_not_lie_in_line(name, dtype, step):
    """Long enough for vector instructions; NumPy's own loops skipped elements of such results."""
    values = [0, -0.0, 1, -2, np.nan, -np.nan, np.inf, -np.inf][: 4 if "int" in dtype else 8]
    values = np.resize(np.array(values).astype(dtype), 333)
    expected = getattr(np, name)(values)
    out = ft.ones(333 * step, dtype=ft.bool) if step % 2 else ft.zeros(333 * step, dtype=ft.bool)
    getattr(np, name)(ft.from_numpy(values), out=out[::step])
    np.testing.assert_array_equal(out[::step].numpy(), expected)


@pytest.mark.parametrize("length", [1, 2, 3, 7, 8, 15, 16, 17])
@pytest.mark.parametrize("rows", [(700,), (3, 301), (40, 1, 9)])
def test_short_rows(length, rows):
    rng = np.random.default_rng(0)
    x = rng.standard_normal((*rows, 2 * length)).astype("float32")
    row, column = rng.standard_normal(length).astype("float32"), rng.standard_normal((*rows, 1)).astype("float32")
    t = ft.from_numpy(x.copy())
    some, cut = t[..., length:], x[..., length:]
    np.testing.assert_array_equal((some + ft.from_numpy(row)).numpy(), cut + row)
    np.testing.assert_array_equal((some * ft.from_numpy(column)).numpy(), cut * column)
    np.testing.assert_array_equal((some < ft.from_numpy(row)).numpy(), cut < row)
    np.testing.assert_array_equal(some.clone().numpy(), cut)
    np.testing.assert_array_equal(some.isnan().numpy(), np.isnan(cut.copy()))
    np.testing.assert_array_equal(some.isfinite().numpy(), np.isfinite(cut.copy()))
    np.testing.assert_array_equal((some + 1j).numpy(), (cut + 1j).astype("complex64"))
    t[..., :length] = some[..., :1]
    np.testing.assert_array_equal(t[..., :length].numpy(), np.broadcast_to(cut[..., :1], cut.shape))
    np.testing.assert_array_equal(some.numpy(), cut)


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_threads_share_large_work(threads):
    n = 300_007
    was = ft.get_num_threads()
    ft.set_num_threads(threads)
    try:
        a = np.arange(n) % 1009
        x = ft.from_numpy(a)
        np.testing.assert_array_equal((x * x + 1).numpy(), a * a + 1)
        np.testing.assert_array_equal((x.to(ft.float16) * 2).to(ft.int64).numpy(), a * 2)
        grid = ft.from_numpy(np.arange(700 * 900).reshape(700, 900))
        np.testing.assert_array_equal((grid.t() - grid[:, :1].t()).numpy(), grid.numpy().T - grid.numpy()[:, :1].T)
        np.testing.assert_array_equal((grid + grid[0]).numpy(), grid.numpy() + grid.numpy()[0])
        wide = ft.zeros(n)[::3]
        assert ft.add(wide, 1.5, out=wide).tolist() == [1.5] * len(wide)
    finally:
        ft.set_num_threads(was)


def test_python_threads_work_at_once():
    from threading import Thread

    x = ft.arange(200_000)
    results = [None] * 6

    def work(i):
        for _ in range(20):
            results[i] = (x * i).sum().item()

    threads = [Thread(target=work, args=(i,)) for i in range(6)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert results == [i * 199_999 * 100_000 for i in range(6)]


def test_set_num_threads_refuses_nonsense():
    with pytest.raises(RuntimeError, match="expects a positive integer"):
        ft.set_num_threads(0)


@given(st.floats(width=32), st.floats(width=32))
def test_every_pair_of_floats_adds_as_in_numpy(a, b):
    with np.errstate(all="ignore"):
        expected = np.float32(a) + np.float32(b)
    np.testing.assert_array_equal((ft.tensor([a]) + ft.tensor([b])).numpy(), np.array([expected]))


@given(st.lists(st.floats(width=16), min_size=1, max_size=40))
def test_half_precision_round_trips(values):
    x = ft.tensor(values, dtype=ft.float16)
    with np.errstate(over="ignore"):
        doubled = (x.numpy().astype(np.float32) * 2).astype(np.float16)
    np.testing.assert_array_equal(x.numpy(), np.array(values, np.float16))
    np.testing.assert_array_equal(x.to(ft.float32).to(ft.float16).numpy(), x.numpy())
    np.testing.assert_array_equal((x + x).numpy(), doubled)


def test_bfloat16_rounds_to_even():
    one = 1.0
    step = 2.0**-7
    for value, rounded in (
        (one + step / 2, one),
        (one + 1.5 * step, one + 2 * step),
        (one + 0.51 * step, one + step),
        (-one - step / 2, -one),
        (3.4e38, float("inf")),
        (float("inf"), float("inf")),
    ):
        assert ft.tensor([value]).to(ft.bfloat16).item() == rounded
    assert str(ft.tensor([float("nan")]).to(ft.bfloat16).item()) == "nan"


def test_out_of_a_wider_dtype_gets_what_the_operands_dtype_holds():
    x = ft.tensor([0.1, 2.5, 3.3], dtype=ft.bfloat16)
    for dtype in (ft.float32, ft.complex64, ft.float64):
        out = ft.empty(3, dtype=dtype)
        ft.sigmoid(x, out=out)
        assert ft.equal(out, ft.sigmoid(x).to(dtype))
        ft.mul(x, x, out=out)
        assert ft.equal(out, (x * x).to(dtype))


@pytest.mark.parametrize("op", ["add", "mul", "remainder", "pow"])
def test_integers_become_half_numbers_before_the_computation(op):
    """With the range and precision of the half type: infinite beyond its range."""
    whole, half = ft.tensor([2**63 - 1, 2049, 7]), ft.tensor([2.0, 1.0, 2.0], dtype=ft.float16)
    got = getattr(ft, op)(whole, half)
    assert got.dtype == ft.float16
    assert got.tolist() == pytest.approx(getattr(ft, op)(whole.half(), half).tolist(), nan_ok=True)


@pytest.mark.parametrize("dtype", ["float32", "int64", "uint8", "bool", "float16"])
@pytest.mark.parametrize(
    ("shape", "row"),
    [
        ((8, 8), (1, 8)),
        ((8, 8), (8,)),
        ((2, 3, 4), (3, 4)),
        ((2, 3), (1, 1)),
        ((3,), ()),
        ((2, 3), (2, 1)),
        ((0, 3), (3,)),
        ((20, 20), (20,)),
        ((20, 20), (1,)),
        ((1, 1, 5), (1, 5)),
        ((70, 1000), (1,)),
    ],
)
def test_rows_are_repeated(shape, row, dtype):
    """Short rows are repeated in a buffer; larger operands, and those that are no rows, are broadcast."""
    rng = np.random.default_rng(1)
    x, y = ((rng.integers(0, 2 if dtype == "bool" else 9, s)).astype(dtype) for s in (shape, row))
    for ours, theirs in ((ft.mul, np.multiply), (ft.lt, np.less), (ft.maximum, np.maximum)):
        for a, b in ((x, y), (y, x)):
            result = ours(ft.tensor(a), ft.tensor(b))
            assert result.numpy().dtype == theirs(a, b).dtype and result.is_contiguous()
            np.testing.assert_array_equal(result.numpy(), theirs(a, b))
    t = ft.tensor(x)
    if dtype != "bool":
        t += ft.tensor(y)
        np.testing.assert_array_equal(t.numpy(), x + y)


def test_a_row_of_the_tensor_itself():
    x = ft.arange(6.0).reshape(2, 3)
    with pytest.raises(RuntimeError, match="single memory location"):
        x += x[0]
    with pytest.raises(RuntimeError, match="doesn't match the broadcast shape"):
        ft.ones(3).add_(x)
    assert (x * x[1]).tolist() == [[0, 4, 10], [9, 16, 25]]


def spread(x):
    """Return the same elements with gaps in between."""
    return ft.stack((x, x), -1)[..., 0] if isinstance(x, ft.Tensor) else x


def outcome(f, *operands):
    try:
        result = f(*operands)
    except (RuntimeError, TypeError) as e:
        return type(e), str(e)
    return result.dtype, tuple(result.shape), str(result.tolist())


@pytest.mark.parametrize("dtype", ["float32", "int64", "float16", "complex64"])
def test_how_operands_lie_makes_no_difference(dtype):
    # Contiguous operands of one shape, or with one element, take a fast path.
    dtype = getattr(ft, dtype)
    x, y = (ft.tensor(v, dtype=dtype) for v in ([[-2, -1, 0], [1, 2, 3]], [[4, 5, 6], [1, 2, 3]]))
    more = (ft.tensor(3, dtype=dtype), ft.full((1, 1, 1), 4, dtype=dtype), x[1], ft.full((2, 3), 5.0), 2, -1.5, True)
    conditions = (ft.tensor([[True, False, True], [False, False, True]]), ft.tensor([False]), ft.tensor(True))
    calls = [(ft.where, c, a, b) for c in conditions for a in (x, *more) for b in (y, *more)]
    calls += [
        (f, a, b, c) for f in (ft.addcmul, ft.lerp) for a in (x, *more[:2]) for b in (x, *more) for c in (y, *more)
    ]
    calls += [(f, a, b) for f in (ft.round, ft.logit) for a in (x, *more[:4]) for b in (0, 2)]
    for f, *operands in calls:
        assert outcome(f, *operands) == outcome(f, *map(spread, operands)), (f, operands)


@pytest.mark.parametrize("write", [ft.Tensor.addcmul_, ft.Tensor.lerp_])
def test_operands_in_the_memory_that_is_written(write):
    memory = ft.from_numpy(np.arange(24, dtype="float32"))
    x, y, version = memory[:6], memory[8:14], memory._version
    expected = (x + x * y if write is ft.Tensor.addcmul_ else x + y * (x - x)).tolist()
    assert write(x, x, y).tolist() == expected and memory[6:].tolist() == list(range(6, 24))
    assert memory._version == version + 1
    for part in (memory[1:7], memory[5:6]):
        with pytest.raises(RuntimeError, match="refer to a single memory location"):
            write(x, part, y)
    with pytest.raises(RuntimeError, match="doesn't match the broadcast shape"):
        write(x[:1], y, y)
    array = np.ones(3, "float32")
    array.flags.writeable = False
    with pytest.warns(UserWarning, match="not writable"):
        constant = ft.from_numpy(array)
    with pytest.raises(RuntimeError, match="read-only"):
        write(constant, ft.ones(3), ft.ones(3))
    assert ft.from_numpy(np.ones(3, "float32")).add_(ft.from_numpy(np.ones(3, "float32"))).tolist() == [2, 2, 2]
