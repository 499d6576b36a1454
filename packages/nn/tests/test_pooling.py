"""Pooling against loops in NumPy over kinds, dimensions, windows, layouts and dtypes; gradients against differences.

Texts of errors and the numbers under "literal" were printed by PyTorch 2.13 on the CPU.
"""

import itertools
import math
import random

import numpy as np
import pytest

import flambeau_nn as nn
import flambeau_tensor as ft
from flambeau_autograd import grad
from flambeau_nn import functional as F
from samples.derivatives import check_batches, check_derivatives
from samples.values import check_values

FLOATS = ("float16", "float32", "float64")
TOLERANCE = {"float16": 2e-3, "float32": 2e-6, "float64": 1e-12}
NAN, INF = float("nan"), float("inf")


# --- the reference --------------------------------------------------------------------------------------------------


def starts(size, kernel, stride, padding, dilation, ceil_mode):
    """Where windows begin along an axis, in the input's coordinates."""
    reach = dilation * (kernel - 1)
    found, at = [], -padding
    while at + reach < size + padding:
        found.append(at)
        at += stride
    if ceil_mode and found and at < size and found[-1] + reach < size + padding - 1:
        found.append(at)  # begins in the input, reaches over the padding
    return found


def windows(sizes, kernel, stride, padding, dilation, ceil_mode):
    """For each axis, of every window: its positions inside the input, and how many are inside input and padding."""
    axes = []
    for size, k, s, p, d in zip(sizes, kernel, stride, padding, dilation, strict=True):
        axes.append(
            [
                ([at + d * i for i in range(k) if 0 <= at + d * i < size], sum(at + i < size + p for i in range(k)))
                for at in starts(size, k, s, p, d, ceil_mode)
            ]
        )
    return axes


def adaptive_windows(sizes, counts):
    axes = []
    for size, count in zip(sizes, counts, strict=True):
        count = size if count is None else count
        axes.append([(list(range(o * size // count, -(-(o + 1) * size // count))), 0) for o in range(count)])
    return axes


def pooled(x, axes, reduce):
    """`reduce(values, positions, covered)` of every window of every plane."""
    n = len(axes)
    planes = x.reshape(-1, *x.shape[-n:])
    results = [
        [reduce(plane, [w[0] for w in chosen], [w[1] for w in chosen]) for chosen in itertools.product(*axes)]
        for plane in planes
    ]
    return np.array(results).reshape(*x.shape[:-n], *[len(axis) for axis in axes])


def average(include=False, divisor=None):
    def reduce(plane, positions, covered):
        values = plane[np.ix_(*positions)].astype(float)
        return values.sum() / (divisor or (np.prod(covered) if include else values.size))

    return reduce


def maximum(plane, positions, covered):
    return plane[np.ix_(*positions)].max()


def position_of_maximum(plane, positions, covered):
    """The first one in the order of the plane."""
    values = plane[np.ix_(*positions)]
    at = np.unravel_index(values.argmax(), values.shape)
    return np.ravel_multi_index([p[i] for p, i in zip(positions, at, strict=True)], plane.shape)


def data(shape, dtype="float64", seed=0):
    rng = np.random.default_rng(seed)
    return (rng.permutation(int(np.prod(shape))).reshape(shape) / 7 - 3).astype(dtype)


def layouts(a):
    yield a
    yield np.ascontiguousarray(a.T).T
    wide = np.zeros([2 * n + 1 for n in a.shape], a.dtype)
    window = wide[tuple(slice(1, 2 * n, 2) for n in a.shape)]
    window[...] = a
    yield window


def case(n, seed):
    """Sizes of an input and arguments of pooling, at random."""
    rng = random.Random(f"{n} {seed}")
    shape = [rng.choice([1, 3])] * rng.choice([0, 1]) + [2] + [rng.randint(4, 9) for _ in range(n)]
    kernel = tuple(rng.randint(1, 4) for _ in range(n))
    stride = tuple(rng.randint(1, 3) for _ in range(n))
    padding = tuple(rng.randint(0, k // 2) for k in kernel)
    return shape, kernel, stride, padding, rng.random() < 0.5, rng


CASES = [(n, seed) for n in (1, 2, 3) for seed in range(12)]


# --- values ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("n", "seed"), CASES)
def test_avg_pool(n, seed):
    shape, kernel, stride, padding, ceil_mode, rng = case(n, seed)
    include, divisor = rng.random() < 0.5, rng.choice([None, 3, -2]) if n > 1 else None
    expected = pooled(
        data(shape), windows(shape[-n:], kernel, stride, padding, (1,) * n, ceil_mode), average(include, divisor)
    )
    more = () if n == 1 else (divisor,)
    for x in layouts(data(shape)):
        got = getattr(F, f"avg_pool{n}d")(ft.from_numpy(x), kernel, stride, padding, ceil_mode, include, *more)
        np.testing.assert_allclose(got.numpy(), expected, rtol=1e-12)


@pytest.mark.parametrize(("n", "seed"), CASES)
def test_max_pool(n, seed):
    shape, kernel, stride, padding, ceil_mode, rng = case(n, seed)
    # A dilated window may not lie in the padding altogether.
    dilation = tuple(1 if p or k > 2 else rng.randint(1, 2) for k, p in zip(kernel, padding, strict=True))
    axes = windows(shape[-n:], kernel, stride, padding, dilation, ceil_mode)
    for x in layouts(data(shape)):
        t = ft.from_numpy(x)
        arguments = (kernel, stride, padding, dilation, ceil_mode)
        values, indices = getattr(F, f"max_pool{n}d")(t, *arguments, return_indices=True)
        np.testing.assert_array_equal(values.numpy(), pooled(x, axes, maximum))
        np.testing.assert_array_equal(indices.numpy(), pooled(x, axes, position_of_maximum))
        assert indices.dtype == ft.int64
        assert getattr(F, f"max_pool{n}d")(t, *arguments).equal(values)
        assert getattr(F, f"max_pool{n}d_with_indices")(t, *arguments)[1].equal(indices)


@pytest.mark.parametrize(("n", "seed"), CASES)
def test_adaptive(n, seed):
    shape, *_, rng = case(n, seed)
    counts = tuple(rng.choice([rng.randint(1, 12), None]) if n > 1 else rng.randint(1, 12) for _ in range(n))
    axes = adaptive_windows(shape[-n:], counts)
    for x in layouts(data(shape)):
        t = ft.from_numpy(x)
        np.testing.assert_allclose(
            getattr(F, f"adaptive_avg_pool{n}d")(t, counts).numpy(), pooled(x, axes, average()), rtol=1e-12
        )
        values, indices = getattr(F, f"adaptive_max_pool{n}d")(t, counts, True)
        np.testing.assert_array_equal(values.numpy(), pooled(x, axes, maximum))
        np.testing.assert_array_equal(indices.numpy(), pooled(x, axes, position_of_maximum))
        assert getattr(F, f"adaptive_max_pool{n}d")(t, counts).equal(values)
        assert getattr(F, f"adaptive_max_pool{n}d_with_indices")(t, counts)[0].equal(values)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_lp_pool(n):
    x = np.abs(data([2, 3] + [7] * n)) + 0.1
    axes = windows([7] * n, (3,) * n, (2,) * n, (0,) * n, (1,) * n, True)
    # A partly filled window counts as if its average went on.
    expected = pooled(
        x, axes, lambda plane, positions, covered: ((plane[np.ix_(*positions)] ** 3).mean() * 3**n) ** (1 / 3)
    )
    got = getattr(F, f"lp_pool{n}d")(ft.from_numpy(x), 3, 3, 2, True)
    np.testing.assert_allclose(got.numpy(), expected, rtol=1e-12)


@pytest.mark.parametrize("n", [1, 2, 3])
@pytest.mark.parametrize(("order", "extreme"), [(math.inf, np.max), (-math.inf, np.min)])
def test_lp_pool_of_infinite_order(n, order, extreme):
    x = data([2, 3] + [7] * n)
    axes = windows([7] * n, (3,) * n, (2,) * n, (0,) * n, (1,) * n, True)
    expected = pooled(x, axes, lambda plane, positions, covered: extreme(np.abs(plane[np.ix_(*positions)])))
    np.testing.assert_array_equal(getattr(F, f"lp_pool{n}d")(ft.from_numpy(x), order, 3, 2, True), expected)


@pytest.mark.parametrize("dtype", FLOATS)
def test_dtypes(dtype):
    x = data([2, 2, 8, 8], dtype)
    t = ft.from_numpy(x)
    axes = windows([8, 8], (3, 3), (2, 2), (1, 1), (1, 1), False)
    for got, expected in (
        (F.avg_pool2d(t, 3, 2, 1), pooled(x, axes, average(True))),
        (F.max_pool2d(t, 3, 2, 1), pooled(x, axes, maximum)),
        (F.adaptive_avg_pool2d(t, 3), pooled(x, adaptive_windows([8, 8], [3, 3]), average())),
    ):
        assert got.numpy().dtype == np.dtype(dtype)
        np.testing.assert_allclose(got.numpy(), expected, rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype])


def test_bfloat16():
    t = ft.arange(16).reshape((1, 4, 4)).to(ft.bfloat16)
    assert F.avg_pool2d(t, 2).dtype == ft.bfloat16
    assert F.avg_pool2d(t, 2).tolist() == [[[2.5, 4.5], [10.5, 12.5]]]
    assert F.max_pool2d(t, 2).tolist() == [[[5.0, 7.0], [13.0, 15.0]]]


@pytest.mark.parametrize("dtype", ["uint8", "int8", "int16", "int32", "int64"])
def test_maxima_of_integers(dtype):
    t = ft.tensor([[[3, 1, 100, 7], [2, 9, 0, 4]]], dtype=getattr(ft, dtype))
    values, indices = F.max_pool2d(t, 2, return_indices=True)
    assert values.dtype == t.dtype
    assert values.tolist() == [[[9, 100]]]
    assert indices.tolist() == [[[5, 2]]]


def test_averages_of_integers():  # literal: they are cut off towards zero
    assert F.avg_pool2d(-ft.arange(16).view(1, 1, 4, 4), 2).tolist() == [[[[-2, -4], [-10, -12]]]]
    assert F.avg_pool1d(ft.tensor([[2**62, 2**62 - 1]]), 1).tolist() == [[2**62, 2**62 - 1]]


def test_nan_and_infinities():  # literal
    x = ft.tensor([[1.0, NAN, 3, NAN, 5]])
    values, indices = F.max_pool1d(x, 5, return_indices=True)
    assert values.isnan().item()
    assert indices.item() == 3
    values, indices = F.max_pool1d(ft.full((1, 4), -INF), 2, return_indices=True)
    assert values.tolist() == [[-INF, -INF]]
    assert indices.tolist() == [[0, 2]]
    assert F.max_pool1d(ft.tensor([[1.0, 3, 3, 2]]), 4, return_indices=True)[1].item() == 1


def test_forms_of_arguments():
    x = ft.from_numpy(data([1, 2, 6, 6]))
    assert F.avg_pool2d(x, 2).equal(F.avg_pool2d(x, [2, 2], stride=(2,), padding=[0]))
    assert F.avg_pool2d(input=x, kernel_size=2, stride=None).equal(F.avg_pool2d(x, 2, []))
    assert F.max_pool2d(x, (3, 2)).equal(F.max_pool2d(x, (3, 2), (3, 2)))
    assert isinstance(F.max_pool2d(x, 2, return_indices=True), tuple)
    assert F.adaptive_avg_pool2d(x, (None, 3)).shape == (1, 2, 6, 3)
    assert F.adaptive_avg_pool2d(x, 1).equal(F.adaptive_avg_pool2d(x, [1, 1]))


def test_sizes_of_zero():
    assert F.avg_pool2d(ft.empty((0, 1, 4, 4)), 2).shape == (0, 1, 2, 2)
    assert F.max_pool3d(ft.empty((0, 1, 4, 4, 4)), 2).shape == (0, 1, 2, 2, 2)
    assert F.adaptive_avg_pool2d(ft.empty((2, 0, 4, 4)), 3).shape == (2, 0, 3, 3)
    assert F.adaptive_max_pool1d(ft.ones((2, 4)), 0).shape == (2, 0)
    assert F.adaptive_max_pool2d(ft.ones((0, 4, 4)), 1).shape == (0, 1, 1)


def test_large_enough_for_threads():
    x = data([4, 8, 40, 40], "float32")
    axes = windows([40, 40], (3, 3), (2, 2), (1, 1), (1, 1), False)
    np.testing.assert_array_equal(F.max_pool2d(ft.from_numpy(x), 3, 2, 1).numpy(), pooled(x, axes, maximum))
    got = F.avg_pool2d(ft.from_numpy(x), 3, 2, 1)
    np.testing.assert_allclose(got.numpy(), pooled(x, axes, average(True)), rtol=1e-5, atol=1e-4)


# --- gradients ------------------------------------------------------------------------------------------------------


def check_gradients(function, x):
    """First and second derivatives along random directions against central differences."""
    rng = np.random.default_rng(1)
    weight = rng.standard_normal(function(ft.from_numpy(x)).shape)
    direction = rng.standard_normal(x.shape)

    def loss(t):  # curved, so that the second derivative is not zero
        y = function(t)
        return (y * y * ft.from_numpy(weight)).sum()

    def slope(t):
        (g,) = grad(loss(t), t, create_graph=True)
        return (g * ft.from_numpy(direction)).sum()

    h = 1e-5
    for order in (loss, slope):
        t = ft.from_numpy(x.copy()).requires_grad_()
        exact = (grad(order(t), t)[0].numpy() * direction).sum()
        ahead, behind = (order(ft.from_numpy(x + s * direction).requires_grad_()).item() for s in (h, -h))
        assert exact == pytest.approx((ahead - behind) / (2 * h), rel=1e-6, abs=1e-6)


@pytest.mark.parametrize(("n", "seed"), CASES[::2])
def test_gradients(n, seed):
    shape, kernel, stride, padding, ceil_mode, rng = case(n, seed)
    include, divisor = rng.random() < 0.5, rng.choice([None, 3]) if n > 1 else None
    counts = tuple(rng.randint(1, 8) for _ in range(n))
    x = data(shape)
    more = () if n == 1 else (divisor,)
    check_gradients(lambda t: getattr(F, f"avg_pool{n}d")(t, kernel, stride, padding, ceil_mode, include, *more), x)
    check_gradients(lambda t: getattr(F, f"max_pool{n}d")(t, kernel, stride, padding, 1, ceil_mode), x)
    check_gradients(lambda t: getattr(F, f"adaptive_avg_pool{n}d")(t, counts), x)
    check_gradients(lambda t: getattr(F, f"adaptive_max_pool{n}d")(t, counts, True)[0], x)
    check_gradients(lambda t: getattr(F, f"lp_pool{n}d")(t, 3, kernel, stride), np.abs(x) + 0.5)


def test_overlapping_windows_add_up():
    x = ft.tensor([[0.0, 5, 1, 2]], requires_grad=True)
    assert grad(F.max_pool1d(x, 2, 1).sum(), x)[0].tolist() == [[0.0, 2, 0, 1]]
    assert grad(F.avg_pool1d(x, 2, 1).sum(), x)[0].tolist() == [[0.5, 1, 1, 0.5]]


def test_indices_have_no_gradient():
    x = ft.ones((1, 4), requires_grad=True)
    values, indices = F.max_pool1d(x, 2, return_indices=True)
    assert values.requires_grad
    assert not indices.requires_grad


def test_gradients_of_float16():
    x = ft.ones((1, 4, 4), dtype=ft.float16, requires_grad=True)
    (g,) = grad(F.avg_pool2d(x, 2).sum(), x)
    assert g.dtype == ft.float16
    assert g.tolist() == [[[0.25] * 4] * 4]


# --- errors ---------------------------------------------------------------------------------------------------------


def x(*shape):
    return ft.ones(shape)


ERRORS = [
    (
        lambda: F.avg_pool1d(x(4), 2),
        RuntimeError,
        "Expected 2 to 3 dimensions, but got 1-dimensional tensor for "
        "argument #1 'self' (while checking arguments for avg_pool1d)",
    ),
    (
        lambda: F.max_pool1d(x(4), 2),
        RuntimeError,
        "max_pool1d: Expected 2D or 3D (batch mode) tensor with optional 0 dim batch size for input, but got:[4]",
    ),
    (
        lambda: F.avg_pool2d(x(1, 1, 1, 4, 4), 2),
        RuntimeError,
        "Expected 3D or 4D (batch mode) tensor with optional 0 dim batch size for input, but got:[1, 1, 1, 4, 4]",
    ),
    (
        lambda: F.max_pool2d(x(1, 0, 4, 4), 2),
        RuntimeError,
        "Expected 3D or 4D (batch mode) tensor with optional 0 dim batch size for input, but got:[1, 0, 4, 4]",
    ),
    (lambda: F.avg_pool3d(x(4, 4), 2), RuntimeError, "non-empty 4D or 5D (batch mode) tensor expected for input"),
    (
        lambda: F.avg_pool3d(x(1, 0, 4, 4, 4), 2),
        RuntimeError,
        "avg_pool3d(): Expected input's non-batch dimensions to "
        "have positive length, but input has a shape of [1, 0, 4, 4, 4] and non-batch dimension 0 has length zero!",
    ),
    (lambda: F.avg_pool1d(x(1, 1, 4), 8), RuntimeError, "Given input size: (1x1x4). Calculated output size: (1x1x0)"),
    (
        lambda: F.max_pool2d(x(1, 1, 4, 4), 8),
        RuntimeError,
        "Given input size: (1x4x4). Calculated output size: (1x0x0). Output size is too small",
    ),
    (
        lambda: F.avg_pool3d(x(1, 1, 4, 4, 4), 8),
        RuntimeError,
        "input image (T: 4 H: 4 W: 4) smaller than kernel size (kT: 8 kH: 8 kW: 8)",
    ),
    (
        lambda: F.avg_pool2d(x(1, 1, 4, 4), 2, padding=2),
        RuntimeError,
        "pad should be at most half of effective kernel size, but got pad=2, kernel_size=2 and dilation=1",
    ),
    (lambda: F.max_pool2d(x(1, 1, 4, 4), 2, padding=-1), RuntimeError, "pad must be non-negative, but got pad: -1"),
    (lambda: F.max_pool2d(x(1, 1, 4, 4), 2, 0), RuntimeError, "stride should not be zero"),
    (lambda: F.max_pool2d(x(1, 1, 4, 4), 2, -1), RuntimeError, "kernel size and stride should be greater than zero"),
    (lambda: F.avg_pool2d(x(1, 1, 4, 4), 0), RuntimeError, "stride should not be zero"),
    (
        lambda: F.max_pool2d(x(1, 1, 4, 4), 2, 1, 0, 0),
        RuntimeError,
        "dilation should be greater than zero, but got dilation",
    ),
    (lambda: F.max_pool2d(x(1, 1, 4, 4), 2**40), RuntimeError, "integer out of range in argument 'kernel_size'"),
    (
        lambda: F.avg_pool1d(x(1, 1, 4), (2, 2)),
        RuntimeError,
        "avg_pool1d() argument 'kernel_size' should contain one int (got 2)",
    ),
    (
        lambda: F.avg_pool2d(x(1, 1, 4, 4), (2, 2, 2)),
        RuntimeError,
        "avg_pool2d: kernel_size must either be a single int, or a tuple of two ints",
    ),
    (
        lambda: F.max_pool2d(x(1, 1, 4, 4), 2, (2, 2, 2)),
        RuntimeError,
        "max_pool2d: stride must either be omitted, a single int, or a tuple of two ints",
    ),
    (
        lambda: F.max_pool2d(x(1, 1, 4, 4), 2, 2, 0, (0, 0, 0)),
        RuntimeError,
        "max_pool2d: dilation must be either a single int, or a tuple of two ints",
    ),
    (lambda: F.avg_pool2d(x(1, 1, 4, 4), 2, divisor_override=0), RuntimeError, "divisor must be not zero"),
    (lambda: F.avg_pool2d(x(1, 4, 4).int(), 2), NotImplementedError, "\"avg_pool2d\" not implemented for 'Int'"),
    (lambda: F.max_pool2d(x(1, 4, 4).bool(), 2), NotImplementedError, "\"max_pool2d\" not implemented for 'Bool'"),
    (
        lambda: F.adaptive_max_pool2d(x(1, 4, 4).long(), 2),
        NotImplementedError,
        "\"adaptive_max_pool2d\" not implemented for 'Long'",
    ),
    (lambda: F.avg_pool2d("a", 2), TypeError, "avg_pool2d(): argument 'input' (position 1) must be Tensor, not str"),
    (
        lambda: F.max_pool2d(x(4, 4, 4), 1.5),
        TypeError,
        "max_pool2d(): argument 'kernel_size' (position 2) must be tuple of ints, not float",
    ),
    (
        lambda: F.adaptive_avg_pool1d(x(4), 2),
        RuntimeError,
        "Expected 2 to 3 dimensions, but got 1-dimensional tensor "
        "for argument #1 'self' (while checking arguments for adaptive_avg_pool1d)",
    ),
    (
        lambda: F.adaptive_avg_pool1d(x(4, 4), (2, 2)),
        RuntimeError,
        "adaptive_avg_pool1d() argument 'output_size' should contain one int (got 2)",
    ),
    (
        lambda: F.adaptive_avg_pool2d(x(4, 4), 2),
        RuntimeError,
        "adaptive_avg_pool2d(): Expected 3D or 4D tensor, but got [4, 4]",
    ),
    (
        lambda: F.adaptive_max_pool2d(x(4, 4), 2),
        RuntimeError,
        "adaptive_max_pool2d(): Expected 3D or 4D tensor, but got: [4, 4]",
    ),
    (lambda: F.adaptive_avg_pool2d(x(4, 4, 4), (2, 2, 2)), ValueError, "Input dimension should be at least 4"),
    (
        lambda: F.adaptive_avg_pool2d(x(2, 4, 4, 4), (2, 2, 2)),
        RuntimeError,
        "adaptive_avg_pool2d: output_size must be 2",
    ),
    (
        lambda: F.adaptive_avg_pool2d(x(4, 4, 4), -1),
        RuntimeError,
        "adaptive_avg_pool2d: elements of output_size must be greater than or equal to 0 but received {-1, -1}",
    ),
    (lambda: F.adaptive_max_pool2d(x(4, 4, 4), -1), RuntimeError, "negative dimension -1: [4, -1, -1]"),
    (lambda: F.adaptive_avg_pool2d(x(4, 4, 4), None), TypeError, "output_size"),
    (lambda: F.adaptive_avg_pool2d(x(4, 4, 4), (2, 1.5)), TypeError, "found element of type float at pos 1"),
    (
        lambda: F.adaptive_max_pool2d(x(4, 4, 0), 2),
        RuntimeError,
        "adaptive_max_pool2d(): Expected input to have "
        "non-zero size for non-batch dimensions, but input has sizes [4, 4, 0] with dimension 2 being empty",
    ),
]


@pytest.mark.parametrize("number", range(len(ERRORS)))
def test_errors(number):
    call, kind, text = ERRORS[number]
    with pytest.raises(kind) as caught:
        call()
    assert text in str(caught.value)


def test_gradient_operators_check_their_arguments():
    from flambeau_nn.ops import pooling as ops

    with pytest.raises(RuntimeError, match="does not belong to an input of size"):
        ops.avg_pool_backward(x(1, 3, 3), (1, 4, 4), 2, 2)
    with pytest.raises(RuntimeError, match="does not belong to an input of size"):
        ops.max_pool_backward(x(1, 2), ft.zeros((1, 3), dtype=ft.int64), (1, 4), 1)
    with pytest.raises(RuntimeError, match="an index outside its plane of 4 elements"):
        ops.max_pool_backward(x(1, 2), ft.tensor([[0, 4]]), (1, 4), 1)
    with pytest.raises(RuntimeError, match="dims must be 1, 2 or 3"):
        ops.avg_pool_backward(x(1, 2), (1, 4), 4, 2)


# --- names and layers -----------------------------------------------------------------------------------------------


def test_names():
    names = sorted(name for name in vars(F) if name[0].islower())
    assert names[:5] == [
        "adaptive_avg_pool1d",
        "adaptive_avg_pool2d",
        "adaptive_avg_pool3d",
        "adaptive_max_pool1d",
        "adaptive_max_pool1d_with_indices",
    ]
    for kind in (
        "avg_pool{}d",
        "max_pool{}d",
        "max_pool{}d_with_indices",
        "adaptive_avg_pool{}d",
        "adaptive_max_pool{}d",
        "adaptive_max_pool{}d_with_indices",
        "lp_pool{}d",
    ):
        for n in (1, 2, 3):
            assert getattr(F, kind.format(n)).__name__ == kind.format(n)


REPRS = {  # literal
    "MaxPool1d(2)": "MaxPool1d(kernel_size=2, stride=2, padding=0, dilation=1, ceil_mode=False)",
    "MaxPool2d((2, 3), 1, 1, 2, False, True)": "MaxPool2d(kernel_size=(2, 3), stride=1, padding=1, dilation=2, "
    "ceil_mode=True)",
    "AvgPool1d(2, padding=1)": "AvgPool1d(kernel_size=(2,), stride=(2,), padding=(1,))",
    "AvgPool2d(2, (1, 2))": "AvgPool2d(kernel_size=2, stride=(1, 2), padding=0)",
    "AvgPool3d((2, 2, 2))": "AvgPool3d(kernel_size=(2, 2, 2), stride=(2, 2, 2), padding=0)",
    "AdaptiveAvgPool1d(3)": "AdaptiveAvgPool1d(output_size=3)",
    "AdaptiveAvgPool2d((None, 3))": "AdaptiveAvgPool2d(output_size=(None, 3))",
    "AdaptiveMaxPool2d((2, 2))": "AdaptiveMaxPool2d(output_size=(2, 2))",
}


@pytest.mark.parametrize("made", REPRS)
def test_reprs(made):
    assert repr(eval(f"nn.{made}")) == REPRS[made]


@pytest.mark.parametrize("n", [1, 2, 3])
def test_layers(n):
    t = ft.from_numpy(data([2, 3] + [8] * n))
    for name, layer, arguments, more in (
        ("max_pool", "MaxPool", (3, 2, 1, 1), {"ceil_mode": True}),
        ("avg_pool", "AvgPool", (3, 2, 1), {"ceil_mode": True, "count_include_pad": False}),
        ("adaptive_avg_pool", "AdaptiveAvgPool", (3,), {}),
        ("adaptive_max_pool", "AdaptiveMaxPool", (3,), {}),
    ):
        made = getattr(nn, f"{layer}{n}d")(*arguments, **more)
        assert made(t).equal(getattr(F, f"{name}{n}d")(t, *arguments, **more))
    for layer in ("MaxPool", "AdaptiveMaxPool"):
        values, indices = getattr(nn, f"{layer}{n}d")(3, return_indices=True)(t)
        assert indices.dtype == ft.int64
    if n > 1:
        assert getattr(nn, f"AvgPool{n}d")(2, divisor_override=1)(t).equal(
            getattr(F, f"avg_pool{n}d")(t, 2, divisor_override=1)
        )


# --- loops of vectors: pieces of rows, and channels that lie beside each other ----------------------------------------


def _random_pool(seed):
    """Some pooling, and an input for it: long rows, ties, many channels, in either memory format."""
    draw = random.Random(seed)
    ft.manual_seed(seed)
    dims = draw.choice([1, 2, 2, 3])
    kernel, stride = [draw.randint(1, 5) for _ in range(dims)], [draw.randint(1, 3) for _ in range(dims)]
    padding, ceil_mode = [draw.randint(0, k // 2) for k in kernel], draw.random() < 0.4
    channels = draw.choice([1, 3, 17, 130, 300] if dims == 2 else [1, 3])
    x = ft.randn(draw.choice([1, 3]), channels, *[draw.randint(6, 15 if dims > 1 else 400) for _ in range(dims)])
    x = (x * 2).round() if draw.random() < 0.5 else x
    x = x.contiguous(memory_format=ft.channels_last) if dims == 2 and draw.random() < 0.6 else x
    dilation, counts = [draw.choice([1, 1, 2]) for _ in range(dims)], [draw.choice([1, 2, 5, 7]) for _ in range(dims)]
    name, arguments, keywords = draw.choice(
        [
            ("max_pool", (kernel, stride, padding, dilation, ceil_mode), {"return_indices": True}),
            ("avg_pool", (kernel, stride, padding, ceil_mode, draw.random() < 0.5), {}),
            ("adaptive_max_pool", (counts,), {"return_indices": True}),
            ("adaptive_avg_pool", (counts,), {}),
        ]
    )
    return lambda x: getattr(F, f"{name}{dims}d")(x, *arguments, **keywords), x


@pytest.mark.parametrize("seed", range(60))
def test_vectors_against_double_precision_in_rows(seed):
    """float64 in rows is what the other tests compare with NumPy."""
    pool, x = _random_pool(seed)
    results = []
    for t in (x, x.double().contiguous()):
        out = pool(t.requires_grad_())
        out, indices = out if isinstance(out, tuple) else (out, None)
        grad_output = ft.ones_like(out) * ft.arange(out.shape[-1]).to(out.dtype)
        results.append((out.detach(), grad(out, t, grad_output)[0], indices))
        if t.is_contiguous(memory_format=ft.channels_last) and t.ndim == 4:
            assert out.is_contiguous(memory_format=ft.channels_last)
    (out, slope, indices), (exact, exact_slope, exact_indices) = results
    assert ft.allclose(out.double(), exact, atol=1e-6) and ft.allclose(slope.double(), exact_slope, atol=1e-5)
    assert indices is None or ft.equal(indices.contiguous(), exact_indices)


TestSamples = check_values("nn.pooling")
TestDerivatives = check_derivatives("nn.pooling")
TestBatches = check_batches("nn.pooling")


def test_averages_into_given_tensors():
    for pool, x in ((F.avg_pool2d, ft.arange(16.0).view(1, 1, 4, 4)), (F.avg_pool3d, ft.arange(64.0).view(1, 4, 4, 4))):
        out = ft.empty(0)
        assert pool(x, 2, out=out) is out and ft.equal(out, pool(x, 2))


@pytest.mark.parametrize("pool", [F.adaptive_avg_pool2d, F.adaptive_max_pool2d, F.adaptive_avg_pool3d])
def test_adaptive_pooling_to_nothing_has_no_gradient(pool):
    out = pool(ft.ones(1, 2, 4, 4, requires_grad=True), 0)
    with pytest.raises(RuntimeError, match="Expected grad_output to have non-zero size for non-batch dimensions"):
        out.sum().backward()


def test_pooling_of_old_files():
    old = dict(nn.AvgPool3d(2, padding=1, ceil_mode=True).__dict__)
    for name in ("padding", "ceil_mode", "count_include_pad"):
        del old[name]
    layer = nn.AvgPool3d.__new__(nn.AvgPool3d)
    layer.__setstate__(old)
    assert (layer.padding, layer.ceil_mode, layer.count_include_pad) == (0, False, True)
