"""The C++ layer, part by part: factories, elements, operators, indexing, casters, errors, threads."""

import sys
import threading
import warnings
from pathlib import Path

import numpy as np
import pytest

import flambeau_cext as cext
import flambeau_tensor as torch

PROGRAMS = Path(__file__).parent / "programs"


@pytest.fixture(scope="module")
def m(tmp_path_factory):
    return cext.load("layer", PROGRAMS / "layer.cpp", build_directory=tmp_path_factory.mktemp("layer"))


def same(tensor, expected, dtype=None):
    np.testing.assert_array_equal(tensor.numpy(), np.asarray(expected))
    assert dtype is None or tensor.dtype is dtype


@pytest.mark.parametrize(
    ("how", "expected", "dtype"),
    [
        ("zeros", np.zeros((2, 3)), torch.float32),
        ("ones", np.ones((2, 3)), torch.int32),
        ("dtype", np.empty((0, 4)), torch.int64),
        ("arange", [1, 3, 5], torch.float32),
        ("eye", [[True, False], [False, True]], torch.bool),
        ("linspace", [0, 0.5, 1], torch.float64),
        ("full_like", [7, 7], torch.int32),
        ("new_zeros", [[0, 0]], torch.int16),
        ("scalar", 2.5, torch.float32),
        ("list", [1, 2, 3], torch.int64),
        ("nested", [[1, 2], [3, 4]], torch.float64),
        ("vector", [4, 5], torch.int64),
        ("complex", 1 - 2j, torch.complex128),
        ("empty_strided", np.ones((2, 2)), torch.float32),
    ],
)
def test_factories(m, how, expected, dtype):
    same(m.made(how), expected, dtype)


def test_options(m):
    pytest.importorskip("flambeau_autograd")
    t = m.made("options")
    assert t.requires_grad
    same(t.detach(), [1.5, 1.5], torch.float64)


def test_more_factories(m):
    assert m.made("nothing") is None
    numbers = m.made("randint")
    assert numbers.dtype is torch.int64
    assert 0 <= int(numbers.min()) <= int(numbers.max()) <= 4
    assert m.made("empty_strided").stride() == (1, 2)
    with pytest.raises(RuntimeError, match="flambeau has no device 'cuda', only 'cpu' and 'meta'"):
        m.made("cuda")


def test_memory_of_the_extensions_own(m):
    before = m.times_freed()
    t = m.blob(4)
    view = t[1:]
    same(t, [0, 0.5, 1, 1.5])
    del t
    same(view, [0.5, 1, 1.5])
    assert m.times_freed() == before
    del view
    assert m.times_freed() == before + 1


def test_looking(m):
    assert m.described(torch.zeros(2, 3).t()) == "2 [3, 2] [1, 3] 6 float cpu 0001 0 4 24 Float CPUFloatType Strided"
    t = torch.zeros(5, dtype=torch.int16)[2:]
    assert m.described(t) == "1 [3] [1] 3 short int cpu 1001 2 2 6 Short CPUShortType Strided"
    assert m.printed(torch.tensor([1.0, 2.0])) == "tensor([1., 2.])"
    assert m.printed(torch.arange(500)) == repr(torch.arange(500))
    assert m.size(torch.zeros(2, 3), -1) == 3
    with pytest.raises(IndexError, match=r"Dimension out of range \(expected to be in range of \[-2, 1\], but got 2\)"):
        m.size(torch.zeros(2, 3), 2)
    assert m.same_dtype(torch.zeros(1))
    assert not m.same_dtype(torch.zeros(1, dtype=torch.float64))


def test_accessors(m):
    x = np.random.default_rng(0).standard_normal((4, 3))
    assert m.trace(torch.from_numpy(x)) == np.trace(x)
    assert m.trace(torch.from_numpy(x).t()[1:]) == np.trace(x.T[1:])
    with pytest.raises(RuntimeError, match="TensorAccessor expected 2 dims but tensor has 1"):
        m.trace(torch.zeros(3, dtype=torch.float64))
    with pytest.raises(RuntimeError, match="expected scalar type Double but found Float"):
        m.trace(torch.zeros(3, 3))
    v = torch.arange(6.0)[::2]
    expected = np.multiply.outer(v.numpy(), v.numpy())[..., None] + np.array([0, 1])
    same(m.outer3(v), expected, torch.float32)


def test_elements_and_dispatch(m):
    for dtype in (torch.float32, torch.float64):
        same(m.square(torch.tensor([1.5, -2.0], dtype=dtype)), [2.25, 4.0], dtype)
    with pytest.raises(NotImplementedError, match="\"square\" not implemented for 'Int'"):
        m.square(torch.ones(2, dtype=torch.int32))
    with pytest.raises(RuntimeError, match="expected scalar type Float but found Double"):
        m.wrong_type(torch.zeros(1, dtype=torch.float64))
    sizes = {"integral": torch.int64, "half": torch.float16, "all": torch.uint8, "all2": torch.bfloat16,
             "complex": torch.complex64}  # fmt: skip
    for kind, dtype in sizes.items():
        x = torch.zeros(1, dtype=dtype)
        assert m.dispatched(x, kind).endswith(str(x.element_size()))
    assert m.dispatched(torch.zeros(1, dtype=torch.bool), "all2") == "b1"
    for kind in ("integral", "half", "all", "one"):
        with pytest.raises(NotImplementedError, match="\"named\" not implemented for 'Bool'"):
            m.dispatched(torch.zeros(1, dtype=torch.bool), kind)
    for dtype in (torch.float16, torch.bfloat16):
        x = torch.tensor([1.0, -2.5, 1 / 3], dtype=dtype)
        assert torch.equal(m.halves(x), x * 2 + 1)


def test_writing_through_addresses(m):
    x = torch.zeros(3, dtype=torch.float64)
    version = x._version
    m.first(x)
    assert x._version == version
    m.add_in_place(x, 2.5)
    same(x, [2.5] * 3)
    assert x._version == version + 1
    array = np.zeros(2)
    array.flags.writeable = False
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        readonly = torch.from_numpy(array)
    with pytest.raises(RuntimeError, match="read-only memory"):
        m.add_in_place(readonly, 1.0)
    assert m.first(readonly) == 0


def test_arithmetic(m):
    rng = np.random.default_rng(1)
    a, b = rng.standard_normal((3, 4)), rng.integers(1, 5, (3, 4)).astype(float)
    c = (a + b) * 2 - 1 / (b + 3)
    c = (c + a - 1) * b / 2
    expected = np.remainder(-c, 7) + (a > b) + (1 - a) + ((a <= 0) | (~(b == 2) & (b != 3)))
    np.testing.assert_allclose(m.arithmetic(torch.from_numpy(a), torch.from_numpy(b)).numpy(), expected, rtol=1e-14)


def test_reductions(m):
    x = np.random.default_rng(2).standard_normal((3, 4))
    t = torch.from_numpy(x)
    e = np.exp(x - x.max(-1, keepdims=True))
    expected = [
        x.sum(), x.sum(0), x.sum(keepdims=True), x.mean(-1, keepdims=True), x.max(1), x.argmax(1), x.std(0),
        np.argsort(-x, 1)[:, :2], np.linalg.norm(x), x.argmax(1), x.var(ddof=1), x.max(0), x.prod(1), (x > 0).any(),
        np.abs(x), e / e.sum(-1, keepdims=True), x.clip(-0.5, 0.5), x.clip(0), np.where(x > 0, x, 0), x.sum(),
    ]  # fmt: skip
    results = m.reductions(t)
    assert len(results) == len(expected)
    for got, want in zip(results, expected, strict=True):
        assert got.shape == want.shape
        np.testing.assert_allclose(got.numpy(), want, rtol=1e-12)


def test_indexing(m):
    x = np.random.default_rng(3).standard_normal((3, 4))
    rows = np.array([2, 0, 1])
    expected = [
        x[0], x[0, 1], x[rows], x[:, 1], x[..., 0:4:2], x[None, rows], x[x > 0], x[rows, 1:], x[True, 0], x[:, 1:3],
        x[1:3], x[:, 2], x[rows], x.T.ravel(), x.T, x, 2 * x, x[::-1, ::-1], np.take_along_axis(x, rows[:, None], 1),
        np.stack([x, x], 2),
    ]  # fmt: skip
    results = m.indexed(torch.from_numpy(x), torch.from_numpy(rows))
    assert len(results) == len(expected)
    for got, want in zip(results, expected, strict=True):
        same(got, want)
    y = x.copy()
    y[0], y[1] = 5, 6
    y[:, 2], y[2, 0:2] = -1, [8, 9]
    y[y > 8.5] = 0.25
    same(m.assigned(torch.from_numpy(x)), y)
    for got, want in zip(m.parts(torch.from_numpy(x)), [x[:, :2], x[:, 2:], x[:, :1], x[:, 1:]], strict=True):
        same(got, want)


def test_operators_of_networks(m):
    nn = pytest.importorskip("flambeau_nn")
    x, y = torch.randn(4, 3), torch.randn(4, 3)
    f = nn.functional
    expected = [f.mse_loss(x, y), f.l1_loss(x, y, reduction="sum"),
                f.binary_cross_entropy_with_logits(x, y.sigmoid()), f.smooth_l1_loss(x, y)]  # fmt: skip
    assert torch.equal(m.losses(x, y), torch.stack(expected))


def test_writing_into_a_given_tensor(m):
    out = torch.zeros(2)
    assert m.written(out, torch.ones(2), torch.ones(2)) is out
    same(out, [3, 3])


def test_scalars(m):
    assert m.scalar(2) == "2 0100 Long"
    assert m.scalar(2.5) == "2.5 1000 Double"
    assert m.scalar(True) == "true 0010 Bool"
    assert m.scalar(1 - 2j) == "(1,-2) 0001 ComplexDouble"
    assert m.scalar(torch.tensor(3)) == "3 0100 Long"
    assert m.scalar(np.float32(0.5)) == "0.5 1000 Double"
    assert m.scalar(np.int8(-3)) == "-3 0100 Long"
    assert m.to_double(3) == 3.0
    assert m.to_int(3.9) == 3
    with pytest.raises(RuntimeError, match="value cannot be converted to type Int without overflow"):
        m.to_int(2**40)
    with pytest.raises(RuntimeError, match="without overflow"):
        m.to_double(1j)
    for value in (True, -7, 2.5, 1 + 1j):
        result = m.item(torch.tensor(value))
        assert type(result) is type(value)
        assert result == value
    same(m.scaled(torch.ones(2), 0.5), [0.5, 0.5], torch.float32)
    with pytest.raises(TypeError, match="incompatible function arguments"):
        m.scaled(torch.ones(2), "x")


def test_casters(m):
    x = torch.tensor([1.0])
    assert m.maybe(None) is None
    same(m.maybe(x), [2])
    with pytest.raises(TypeError, match="incompatible function arguments"):  # that is for optional<Tensor>
        m.undefined_or(None)
    assert m.undefined_or(x) is x
    assert [t.tolist() for t in m.each_plus_one([x, x * 2])] == [[2], [3]]
    assert m.each_plus_one([]) == []
    same(m.joined((x, x)), [1, 1])
    assert m.reversed([1, 2, 3]) == [3, 2, 1]
    assert m.reversed(torch.Size([4, 5])) == [5, 4]
    assert m.reversed(7) == [7]
    assert m.sizes(torch.zeros(2, 0)) == (2, 0)
    assert m.dtype(x, None) is torch.float32
    assert m.dtype(x, torch.complex64) is torch.complex64
    assert m.device("cpu") == m.device(x.device) == x.device
    assert type(m.device("cpu")) is torch.device
    assert m.promotes()
    same(m.with_defaults(x), [2])
    same(m.with_defaults(x=x, b=False), [1])
    assert "documented" in m.with_defaults.__doc__
    for call in (lambda: m.square([1.0]), lambda: m.dtype(x, "float"), lambda: m.joined([x, 1]), lambda: m.square()):
        with pytest.raises(TypeError, match="incompatible function arguments"):
            call()


@pytest.mark.parametrize(
    ("how", "error", "message"),
    [
        ("check", RuntimeError, r"expected 7 dimensions, got 1 of sizes \[2\]"),
        ("bare", RuntimeError, r"Expected t.dim\(\) == 7 to be true, but got false. \(.*layer.cpp:\d+\)"),
        ("index", IndexError, "an index"),
        ("value", ValueError, "a value"),
        ("type", TypeError, "a type"),
        ("not implemented", NotImplementedError, "nothing"),
        ("assert", RuntimeError, r'false INTERNAL ASSERT FAILED at ".*layer.cpp":\d+. never'),
        ("old assert", RuntimeError, r't.dim\(\) == 7 INTERNAL ASSERT FAILED at ".*layer.cpp":\d+. an assert'),
        ("error", RuntimeError, "plainly 3"),
        ("library", RuntimeError, "shape '\\[-1, 7\\]' is invalid for input of size 2"),
        ("own", IndexError, None),
        ("caught", RuntimeError, "then 1"),
        ("std", IndexError, None),
        ("undefined", RuntimeError, "is no tensor"),
    ],
)
def test_errors(m, how, error, message):
    x = torch.zeros(2)
    before = sys.getrefcount(x)
    with pytest.raises(error, match=message) as caught:
        m.fails(how, x)
    assert type(caught.value) is error
    assert m.live_guards() == 0
    del caught
    assert sys.getrefcount(x) == before


def test_warnings(m):
    with pytest.warns(UserWarning, match="a warning with 2 parts"):
        m.fails("warn", torch.zeros(2))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(UserWarning, match="a warning with 2 parts"):
            m.fails("warn", torch.zeros(2))


def test_loops_in_threads(m):
    x = np.random.default_rng(4).random(10_000)
    same(m.in_parallel(torch.from_numpy(x)), np.sqrt(x))
    assert m.summed(torch.from_numpy(x)) == pytest.approx(x.sum(), rel=1e-12)
    assert m.summed(torch.zeros(0, dtype=torch.float64)) == 0
    with pytest.raises(IndexError, match="element 500"):
        m.parallel_fails(1000)
    rows = torch.from_numpy(x.reshape(100, 100))
    np.testing.assert_allclose(m.operators_in_parallel(rows).numpy(), 2 * x.reshape(100, 100).sum(1))


def test_operators_without_the_gil(m):
    x = torch.ones(3)
    for function in (m.without_gil, m.released):
        same(function(x), [3, 3, 3])
    before, results = sys.getrefcount(x), []
    threads = [threading.Thread(target=lambda: results.append([m.released(x).sum() for _ in range(200)]))
               for _ in range(4)]  # fmt: skip
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert [int(s) for r in results for s in r] == [9] * 800
    del t, threads
    assert sys.getrefcount(x) == before


def test_references_are_kept(m, keeps_references):
    x = torch.ones(3)
    calls = (
        lambda: m.square(x), lambda: m.undefined_or(x), lambda: m.each_plus_one([x, x]), lambda: m.maybe(x),
        lambda: m.joined([x, x]), lambda: m.scaled(x, 2.0), lambda: pytest.raises(RuntimeError, m.fails, "library", x),
        lambda: m.parts(torch.ones(2, 4)),
    )  # fmt: skip
    for call in calls:
        keeps_references(call, x)


@pytest.mark.parametrize(
    "shape, strides, format", [((2, 3, 4, 5), (60, 1, 15, 3), 2), ((2, 3, 4, 5, 6), (360, 1, 90, 18, 3), 3)]
)
def test_channels_last(m, shape, strides, format):
    x = torch.rand(shape)
    last = m.channels_last(x)
    assert last.stride() == strides and torch.equal(last, x) and m.channels_last(last).data_ptr() == last.data_ptr()
    assert m.suggested(x) == 0 and m.suggested(last) == format and m.suggested(last[:, :, 1:]) == -1
