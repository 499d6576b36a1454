"""Normalization: against NumPy, gradients against differences, running statistics, modules."""

import itertools
import re

import numpy as np
import pytest

import flambeau_nn as nn
import flambeau_tensor as ft
from flambeau_autograd import grad
from flambeau_autograd.gradcheck import gradcheck, gradgradcheck
from flambeau_nn import functional as F
from flambeau_nn.derivatives import normalization as derivatives
from flambeau_nn.ops import normalization as ops
from samples.derivatives import check_batches, check_derivatives
from samples.values import check_values

RNG = np.random.default_rng(0)
IMAGE = RNG.standard_normal((2, 4, 3, 5)) * 2 + 1


def t(a, requires_grad=False):
    return ft.from_numpy(np.array(a)).requires_grad_(requires_grad)


def standard(x, axes, eps=1e-5):
    mean = x.mean(axes, keepdims=True)
    return (x - mean) / np.sqrt(((x - mean) ** 2).mean(axes, keepdims=True) + eps)


def channels(w, ndim=4):
    return w.reshape((1, -1) + (1,) * (ndim - 2))


# --- layers ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [(1,), (7,), (16,), (33,), (1000,), (3, 5), (4, 3, 5)])
@pytest.mark.parametrize("affine", ["", "w", "b", "wb"])
def test_layer_norm(size, affine):
    x = RNG.standard_normal((6, *size)) * 3 + 2
    w = RNG.standard_normal(size) if "w" in affine else None
    b = RNG.standard_normal(size) if "b" in affine else None
    expected = standard(x, tuple(range(1, x.ndim))) * (1 if w is None else w) + (0 if b is None else b)
    args = [None if v is None else t(v) for v in (w, b)]
    np.testing.assert_allclose(F.layer_norm(t(x), size, *args).numpy(), expected, rtol=1e-10, atol=1e-12)
    single = F.layer_norm(t(x).float(), size, *(None if v is None else v.float() for v in args))
    np.testing.assert_allclose(single.numpy(), expected, rtol=1e-4, atol=1e-5)


def test_layer_norm_of_large_numbers():
    """The mean is subtracted before squaring."""
    x = (RNG.standard_normal((4, 1000)) + 1e4).astype("float32")
    np.testing.assert_allclose(F.layer_norm(t(x), (1000,)).numpy(), standard(x.astype("float64"), 1), atol=2e-3)


@pytest.mark.parametrize("rows", [1, 3, 200])
def test_layer_norm_gradients(rows):
    x, w, b = t(RNG.standard_normal((rows, 5)), True), t(RNG.standard_normal(5), True), t(RNG.standard_normal(5), True)
    fast = {"fast_mode": True} if rows > 10 else {}
    assert gradcheck(lambda x, w, b: F.layer_norm(x, (5,), w, b), (x, w, b), **fast)
    assert gradgradcheck(lambda x, w, b: F.layer_norm(x, (5,), w, b), (x, w, b), check_fwd_over_rev=True, **fast)
    assert gradcheck(lambda x: F.layer_norm(x, (5,)), (x,), **fast)


@pytest.mark.parametrize("size", [(4, 64), (300, 130)])
def test_layer_norm_kernel_agrees_with_its_formula(size):
    x, w, b = (t(RNG.standard_normal(n), True) for n in (size, size[1], size[1]))
    out = F.layer_norm(x, size[1:], w, b)
    g = t(RNG.standard_normal(size))
    by_kernel = grad(out, (x, w, b), g, retain_graph=True)
    by_formula = grad(out, (x, w, b), g, create_graph=True)
    for k, f in zip(by_kernel, by_formula, strict=True):
        np.testing.assert_allclose(k.numpy(), f.detach().numpy(), rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("groups", [0, 1, 3])
@pytest.mark.parametrize("sizes", [(4, 6), (5, 6, 7), (2, 6, 3, 5), (40, 6, 33, 31), (1, 6, 2, 3, 4), (3, 6, 1, 1)])
def test_channel_norm_kernels_agree_with_their_formula(sizes, groups):
    """In double precision, as planes lie and with channels beside each other, with a weight for each or without."""
    rng = np.random.default_rng(len(sizes))
    x, g = (ft.from_numpy(rng.standard_normal(sizes) * 2 + 3) for _ in range(2))
    weight, bias = (ft.from_numpy(rng.standard_normal(6)) for _ in range(2))
    for affine in ((weight, bias), (weight, None), (None, bias), (None, None)):
        apart = x.reshape((sizes[0], groups, 6 // groups, -1) if groups else (sizes[0], 6, 1, -1))
        over = (2, 3) if groups else (0, 2, 3)
        mean, variance = apart.mean(over, keepdim=True), apart.var(over, correction=0, keepdim=True)
        expected = ((apart - mean) / (variance + 0.1).sqrt()).reshape(sizes)
        for t, step in zip(affine, (ft.mul, ft.add), strict=True):
            expected = expected if t is None else step(expected, t.reshape((6,) + (1,) * (len(sizes) - 2)))
        slopes = derivatives._channel_norm_backward(g, x, *affine, mean, variance, groups, 0.1)
        formats = {4: ft.channels_last, 5: ft.channels_last_3d}
        for y in (x, x.contiguous(memory_format=formats.get(x.ndim, ft.contiguous_format)), x.expand(2, *sizes)[1]):
            out, *statistics = ops.channel_norm(y, *affine, groups, 0.1)
            found = ops.channel_norm_backward(g, y, *affine, *statistics, groups, 0.1)
            assert out.stride() == found[0].stride() == y.stride()
            for t, wanted in zip((out, *statistics, *found), (expected, mean, variance, *slopes), strict=True):
                assert (t is None) == (wanted is None)
                assert t is None or np.allclose(t.numpy().ravel(), wanted.numpy().ravel(), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("sizes", [(3, 0), (0, 4), (3, 0, 2), (2, 4, 0), (0, 4, 1, 1)])
@pytest.mark.parametrize("groups", [0, 2])
def test_channel_norm_of_nothing(sizes, groups):
    x, weight = ft.zeros(sizes), ft.ones(sizes[1])
    out, *statistics = ops.channel_norm(x, weight, weight, groups, 0.1)
    found = ops.channel_norm_backward(x, x, weight, weight, *statistics, groups, 0.1)
    assert out.shape == found[0].shape == x.shape and found[1].equal(weight * 0) and found[2].equal(weight * 0)


@pytest.mark.parametrize("sizes", [(4, 6), (5, 6, 7), (2, 6, 3, 5), (40, 6, 33, 31), (2, 6, 0)])
def test_gradients_with_running_statistics(sizes):
    """They agree with those of the composition, in each memory format, also those of the statistics."""
    rng = np.random.default_rng(len(sizes))
    x, g = (ft.from_numpy(rng.standard_normal(sizes)) for _ in range(2))
    mean, weight, bias = (ft.from_numpy(rng.standard_normal(6)) for _ in range(3))
    variance = ft.from_numpy(rng.uniform(0.5, 2, 6))
    formats = {4: ft.channels_last, 5: ft.channels_last_3d}
    for w, b in ((weight, bias), (weight, None), (None, bias), (None, None)):
        for y in (x, x.contiguous(memory_format=formats.get(x.ndim, ft.contiguous_format))):
            inputs = [t.detach().requires_grad_() if t is not None else None for t in (y, mean, variance, w, b)]
            known = [t for t in inputs if t is not None]
            found = grad(ops.channel_scale(*inputs, 0.1), known, g)
            wanted = grad(ops.composed_scale(*inputs, 0.1), known, g)
            assert not x.numel() or found[0].stride() == y.stride()
            for one, other in zip(found, wanted, strict=True):
                np.testing.assert_allclose(one.numpy(), other.numpy(), rtol=1e-9, atol=1e-9)


def test_derivatives_with_running_statistics():
    x, m, w, b = t(RNG.standard_normal((3, 2, 2)), True), *(t(RNG.standard_normal(2), True) for _ in range(3))
    v = t(RNG.uniform(0.5, 2, 2), True)
    assert gradcheck(lambda *a: F.batch_norm(*a), (x, m, v, w, b), check_forward_ad=True)
    assert gradgradcheck(lambda *a: F.batch_norm(*a), (x, m, v, w, b))
    half = x.detach().half().requires_grad_()
    F.batch_norm(half, m.detach().float(), v.detach().float(), w.detach().float()).sum().backward()
    assert half.grad.dtype is ft.float16


def test_second_derivatives_of_a_batch_of_nothing():
    """Sizes are said, as there are no elements to tell them from."""
    x, w = ft.zeros(0, 6, 3, requires_grad=True), ft.ones(6, requires_grad=True)
    first = grad(F.group_norm(x, 2, w).sum(), (x, w), create_graph=True)
    second = grad(sum((g * g).sum() for g in first), (x, w), allow_unused=True)
    assert [g.shape for g in (*first, *second)] == [(0, 6, 3), (6,)] * 2


def test_layer_norm_layouts_and_dtypes():
    x = t(IMAGE)
    turned = x.permute(3, 2, 1, 0).contiguous().permute(3, 2, 1, 0)
    assert (F.layer_norm(turned, (5,)) == F.layer_norm(x, (5,))).all()
    half = F.layer_norm(x.half(), (5,), ft.ones(5))
    assert half.dtype is ft.float16
    assert F.layer_norm(ft.ones(0, 3), (3,)).shape == (0, 3)


@pytest.mark.parametrize(
    ("args", "text"),
    [
        (
            ((4,),),
            r"Given normalized_shape=\[4\], expected input with shape \[\*, 4\], but got input of size\[2, 4, 3, "
            r"5\]",
        ),
        (((3, 4),), r"Given normalized_shape=\[3, 4\], expected input with shape \[\*, 3, 4\]"),
        (
            ((5,), ft.ones(4)),
            r"Expected weight to be of same shape as normalized_shape, but got weight of shape \[4\] and "
            r"normalized_shape = \[5\]",
        ),
        (((5,), None, ft.ones(4)), "Expected bias to be of same shape as normalized_shape"),
        (((),), "Expected normalized_shape to be at least 1-dimensional"),
    ],
)
def test_layer_norm_errors(args, text):
    with pytest.raises(RuntimeError, match=text):
        F.layer_norm(t(IMAGE), *args)


def test_gradient_of_another_size():
    from flambeau_nn.ops.normalization import layer_norm_backward

    with pytest.raises(RuntimeError, match=r"expected a gradient of size \[2, 4, 3, 5\], got \[5\]"):
        layer_norm_backward(ft.ones(5), t(IMAGE), (5,))


def test_rms_norm():
    w = RNG.standard_normal(5)
    expected = IMAGE / np.sqrt((IMAGE**2).mean(-1, keepdims=True) + 0.1) * w
    np.testing.assert_allclose(F.rms_norm(t(IMAGE), (5,), t(w), 0.1).numpy(), expected)
    assert gradcheck(lambda x, w: F.rms_norm(x, (5,), w), (t(IMAGE, True), t(w, True)))
    with pytest.raises(RuntimeError, match=r"Given normalized_shape=\[4\], expected input with shape \[\*, 4\]"):
        F.rms_norm(t(IMAGE), (4,))


# --- groups and batches ---------------------------------------------------------------------------------------------


def test_group_norm():
    w, b = RNG.standard_normal(4), RNG.standard_normal(4)
    grouped = standard(IMAGE.reshape(2, 2, 2, 3, 5), (2, 3, 4)).reshape(IMAGE.shape)
    out = F.group_norm(t(IMAGE), 2, t(w), t(b))
    np.testing.assert_allclose(out.numpy(), grouped * channels(w) + channels(b), rtol=1e-9)
    assert gradcheck(lambda x, w, b: F.group_norm(x, 2, w, b), (t(IMAGE, True), t(w, True), t(b, True)))
    with pytest.raises(RuntimeError, match="Expected number of channels in input to be divisible by num_groups"):
        F.group_norm(t(IMAGE), 3)
    with pytest.raises(RuntimeError, match="Expected weight to be a vector of size equal to the number of channels"):
        F.group_norm(t(IMAGE), 2, ft.ones(3))


def test_batch_norm():
    w, b = RNG.standard_normal(4), RNG.standard_normal(4)
    mean, var = ft.zeros(4, dtype=ft.float64), ft.ones(4, dtype=ft.float64)
    out = F.batch_norm(t(IMAGE), mean, var, t(w), t(b), training=True, momentum=0.3)
    np.testing.assert_allclose(out.numpy(), standard(IMAGE, (0, 2, 3)) * channels(w) + channels(b), rtol=1e-9)
    np.testing.assert_allclose(mean.numpy(), 0.3 * IMAGE.mean((0, 2, 3)))
    np.testing.assert_allclose(var.numpy(), 0.7 + 0.3 * IMAGE.var((0, 2, 3), ddof=1))
    out = F.batch_norm(t(IMAGE), mean, var, t(w), t(b))
    expected = (IMAGE - channels(mean.numpy())) / np.sqrt(channels(var.numpy()) + 1e-5) * channels(w) + channels(b)
    np.testing.assert_allclose(out.numpy(), expected)
    args = (t(IMAGE, True), t(w, True), t(b, True))
    assert gradcheck(lambda x, w, b: F.batch_norm(x, None, None, w, b, training=True), args)
    assert gradcheck(lambda x, w, b: F.batch_norm(x, mean, var, w, b), args)


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (
            lambda: F.batch_norm(ft.ones(1, 3), None, None, training=True),
            ValueError,
            r"Expected more than 1 value per channel when training, got input size torch.Size\(\[1, 3\]\)",
        ),
        (
            lambda: F.batch_norm(ft.ones(2, 3), None, None),
            RuntimeError,
            "Expected running_mean and running_var to be defined when training=False",
        ),
        (
            lambda: F.batch_norm(ft.ones(2, 3), ft.ones(4), ft.ones(3)),
            RuntimeError,
            "running_mean should contain 3 elements not 4",
        ),
        (lambda: nn.BatchNorm2d(3)(ft.ones(2, 3)), ValueError, r"expected 4D input \(got 2D input\)"),
        (lambda: nn.BatchNorm1d(3)(ft.ones(2, 3, 4, 4)), ValueError, r"expected 2D or 3D input \(got 4D input\)"),
        (lambda: nn.GroupNorm(2, 3), ValueError, r"num_channels \(3\) must be divisible by num_groups \(2\)"),
    ],
)
def test_errors(call, error, text):
    with pytest.raises(error, match=text):
        call()


def test_instance_norm():
    np.testing.assert_allclose(F.instance_norm(t(IMAGE)).numpy(), standard(IMAGE, (2, 3)), rtol=1e-9)
    m = nn.InstanceNorm2d(4, affine=True, track_running_stats=True).double()
    m(t(IMAGE))
    np.testing.assert_allclose(m.running_mean.numpy(), 0.1 * IMAGE.mean((2, 3)).mean(0))
    np.testing.assert_allclose(m.running_var.numpy(), 0.9 + 0.1 * IMAGE.var((2, 3), ddof=1).mean(0))
    assert nn.InstanceNorm2d(4)(ft.ones(4, 3, 5)).shape == (4, 3, 5)


def test_normalize():
    np.testing.assert_allclose(F.normalize(t(IMAGE)).numpy(), IMAGE / np.linalg.norm(IMAGE, axis=1, keepdims=True))
    np.testing.assert_allclose(F.normalize(t(IMAGE), 1.0, 0).numpy(), IMAGE / np.abs(IMAGE).sum(0, keepdims=True))
    assert not F.normalize(ft.zeros(2, 3)).any()
    assert gradcheck(F.normalize, (t(IMAGE, True),))


def test_local_response_norm():
    size, expected = 3, np.empty_like(IMAGE)
    for c in range(4):
        near = IMAGE[:, max(c - size // 2, 0) : c + (size - 1) // 2 + 1]
        expected[:, c] = IMAGE[:, c] / (1 + 1e-4 * (near**2).sum(1) / size) ** 0.75
    np.testing.assert_allclose(F.local_response_norm(t(IMAGE), size).numpy(), expected)
    assert gradcheck(lambda x: F.local_response_norm(x, 2), (t(IMAGE, True),))


# --- modules --------------------------------------------------------------------------------------------------------


def test_batch_norm_module():
    m = nn.BatchNorm2d(4).double()
    assert list(m.state_dict()) == ["weight", "bias", "running_mean", "running_var", "num_batches_tracked"]
    first = m(t(IMAGE))
    assert m.num_batches_tracked.item() == 1
    np.testing.assert_allclose(m.running_mean.numpy(), 0.1 * IMAGE.mean((0, 2, 3)))
    m.eval()
    assert (m(t(IMAGE)) != first).any() and m.num_batches_tracked.item() == 1
    m.reset_running_stats()
    assert not m.running_mean.any() and m.num_batches_tracked.item() == 0
    average = nn.BatchNorm2d(4, momentum=None).double()
    for x in (IMAGE, IMAGE + 1):
        average(t(x))
    np.testing.assert_allclose(average.running_mean.numpy(), IMAGE.mean((0, 2, 3)) + 0.5)
    plain = nn.BatchNorm1d(3, affine=False, track_running_stats=False).eval()
    assert not list(plain.parameters()) and not plain.state_dict()
    np.testing.assert_allclose(plain(ft.tensor([[1.0, 2, 3], [3, 2, 1]])).mean(0).numpy(), 0, atol=1e-6)


def test_old_checkpoints_of_batch_norm():
    state = nn.BatchNorm1d(3).state_dict()
    del state["num_batches_tracked"]
    state._metadata[""]["version"] = 1
    nn.BatchNorm1d(3).load_state_dict(state)


def test_layer_norm_module():
    m = nn.LayerNorm(5).double()
    np.testing.assert_allclose(m(t(IMAGE)).detach().numpy(), standard(IMAGE, (3,)), rtol=1e-9)
    assert [n for n, _ in nn.LayerNorm(5, bias=False).named_parameters()] == ["weight"]
    assert not list(nn.LayerNorm(5, elementwise_affine=False).parameters())
    assert nn.GroupNorm(2, 4)(t(IMAGE).float()).shape == IMAGE.shape
    assert nn.RMSNorm((3, 5)).double()(t(IMAGE)).shape == IMAGE.shape
    assert nn.LocalResponseNorm(2)(t(IMAGE)).shape == IMAGE.shape


@pytest.mark.parametrize(
    ("module", "printed"),
    [  # made with PyTorch 2.13
        (nn.LayerNorm(4), "LayerNorm((4,), eps=1e-05, elementwise_affine=True, bias=True)"),
        (nn.RMSNorm(3), "RMSNorm((3,), eps=None, elementwise_affine=True)"),
        (nn.GroupNorm(2, 4), "GroupNorm(2, 4, eps=1e-05, affine=True, bias=True)"),
        (
            nn.BatchNorm2d(4),
            "BatchNorm2d(4, eps=1e-05, momentum=0.1, affine=True, bias=True, track_running_stats=True)",
        ),
        (nn.LocalResponseNorm(2), "LocalResponseNorm(2, alpha=0.0001, beta=0.75, k=1.0)"),
    ],
)
def test_printing(module, printed):
    assert repr(module) == printed


def test_rms_norm_of_halves():
    x = ft.tensor([[0.001, 0.002], [500.0, 200.0]])
    for dtype, tolerance in ((ft.float16, 2e-3), (ft.bfloat16, 2e-2)):
        result = F.rms_norm(x.to(dtype), (2,))
        assert result.dtype is dtype
        np.testing.assert_allclose(result.float().numpy(), F.rms_norm(x.to(dtype).float(), (2,)).numpy(), tolerance)


def test_nothing_to_normalize():
    assert F.group_norm(ft.zeros(0, 2), 1, ft.ones(2), ft.ones(2)).shape == (0, 2)
    assert F.group_norm(ft.zeros(0, 4, 0), 2).shape == (0, 4, 0)
    assert F.batch_norm(ft.zeros(0), ft.zeros(0), None, training=True).shape == (0,)
    assert F.local_response_norm(ft.zeros((0, 1, 2), dtype=ft.int64), 1).dtype is ft.int64


def test_local_response_norm_of_integers():
    # Printed by PyTorch 2.13: the mean of integers is rounded down.
    x = ft.arange(6).reshape(1, 3, 2)
    assert F.local_response_norm(x, 2, alpha=1.0).tolist()[0] == [
        [0.0, 1.0],
        pytest.approx([0.8773826, 0.7825423]),
        pytest.approx([0.6622401, 0.5721576]),
    ]


# --- long rows ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "size, kind", [(65536, "lognormal"), (65536, "offset"), (1_000_003, "offset"), (17, "offset"), (2080, "lognormal")]
)
def test_long_rows_lose_no_accuracy(size, kind):
    """Values and gradients in float32 beside NumPy's in float64."""
    rng = np.random.default_rng(3)
    rows = (
        np.exp(3 * rng.standard_normal((2, size)))
        if kind == "lognormal"
        else 1e4 + 0.01 * rng.standard_normal((2, size))
    )
    rows, grad = rows.astype(np.float32), rng.standard_normal((2, size)).astype(np.float32)
    exact = rows.astype(np.float64)
    scale = 1 / np.sqrt(exact.var(-1, keepdims=True) + 1e-5)
    normal = (exact - exact.mean(-1, keepdims=True)) * scale
    slope = scale * (
        grad - grad.mean(-1, keepdims=True, dtype=np.float64) - normal * (grad * normal).mean(-1, keepdims=True)
    )
    x = ft.from_numpy(rows).requires_grad_()
    last = x.view(1, 2, size, 1).contiguous(memory_format=ft.channels_last)
    for out in (
        F.layer_norm(x, (size,)),
        F.group_norm(x.view(2, 1, size), 1),
        F.group_norm(last, 2),
        F.instance_norm(x.view(2, 1, size)),
        F.batch_norm(x.view(1, 2, size), None, None, training=True),
        F.batch_norm(x.t(), None, None, training=True).t(),
        F.batch_norm(last, None, None, training=True),
    ):
        assert np.abs(out.detach().numpy().reshape(2, size) - normal).max() < 1e-6 * np.abs(normal).max()
        x.grad = None
        out.backward(ft.from_numpy(grad).view(out.shape))
        assert np.abs(x.grad.numpy() - slope).max() < 1e-6 * np.abs(slope).max()


H, S, D = ft.float16, ft.float32, ft.float64


@pytest.mark.parametrize(
    "input, weight, bias, running, message",
    [
        (H, S, S, S, None),
        (H, S, None, S, None),
        (H, None, None, S, None),
        (H, H, H, H, None),
        (D, D, D, D, None),
        (H, H, S, H, "expected scalar type Half but found Float"),
        (S, S, H, S, "expected scalar type Float but found Half"),
        (S, H, H, S, "mixed dtype (CPU): expect parameter to have scalar type of Float"),
        (H, S, H, S, "mixed dtype (CPU): expect parameter to have scalar type of Float"),
        (D, S, S, S, "mixed dtype (CPU): all inputs must share same datatype."),
    ],
)
def test_mixed_dtypes(input, weight, bias, running, message):
    x = ft.arange(24.0).reshape(2, 3, 4).to(input)
    w, b, r = (None if d is None else ft.ones(3, dtype=d) for d in (weight, bias, running))
    calls = [lambda: F.batch_norm(x, r.clone(), r.clone(), w, b, True), lambda: F.batch_norm(x, r, r, w, b, False)]
    if weight is not None:  # running ones do not count here
        calls += [lambda: F.instance_norm(x, None, None, w, b), lambda: F.group_norm(x, 3, w, b)]
    for call in calls:
        if message is None:
            assert call().dtype is input
        else:
            with pytest.raises(RuntimeError, match=re.escape(message)):
                call()


def test_half_precision_is_computed_in_single():
    x = ft.linspace(100, 110, 24).reshape(2, 3, 4).half().requires_grad_()
    out = F.batch_norm(x, None, None, training=True)
    expected = F.batch_norm(x.detach().float(), None, None, training=True)
    assert out.tolist() == expected.half().tolist()
    (out * ft.arange(24.0).reshape(2, 3, 4)).sum().backward()
    assert x.grad.dtype is ft.float16


def test_an_empty_batch_leaves_the_running_averages_alone():
    for layer, x in (
        (nn.BatchNorm1d(3), ft.ones(0, 3)),
        (nn.BatchNorm2d(3), ft.ones(0, 3, 2, 2)),
        (nn.InstanceNorm1d(3, track_running_stats=True), ft.ones(0, 3, 4)),
    ):
        assert layer(x).shape == x.shape
        assert layer.running_mean.tolist() == [0, 0, 0] and layer.running_var.tolist() == [1, 1, 1]


def test_layer_norm_takes_parameters_of_one_dtype():
    """PyTorch's choice: the input's, or float32 beside half precision."""
    dtypes = [ft.float16, ft.bfloat16, ft.float32, ft.float64, ft.complex64, ft.int64]
    for x, w, b in itertools.product(dtypes[:4], [None, *dtypes], [None, *dtypes]):
        given = {d for d in (w, b) if d is not None}
        fits = given <= {x} or (given == {ft.float32} and x in dtypes[:2])
        weight, bias = (None if d is None else ft.ones(3, dtype=d) for d in (w, b))
        if fits:
            assert F.layer_norm(ft.ones(2, 3, dtype=x), (3,), weight, bias).dtype is x
        else:
            with pytest.raises(RuntimeError, match="expected weight and bias to have the dtype of the input"):
                F.layer_norm(ft.ones(2, 3, dtype=x), (3,), weight, bias)


@pytest.mark.parametrize("shape", [(0, 3, 6), (2, 0, 6), (2, 3, 0)])
def test_instances_without_elements(shape):
    assert F.instance_norm(ft.empty(shape)).shape == shape


TestSamples = check_values("nn.normalization")
TestDerivatives = check_derivatives("nn.normalization")
TestBatches = check_batches("nn.normalization")


def test_one_element_in_a_group():
    for shape, groups in (((1, 4), 4), ((1, 4, 1, 1), 4)):
        with pytest.raises(ValueError, match="Expected more than 1 value per channel when training"):
            F.group_norm(ft.zeros(shape), groups)
    assert F.group_norm(ft.zeros(2, 4), 4).shape == (2, 4)


def test_layouts_of_empty_batches_and_of_sizes_of_one():
    narrow = ft.arange(6.0).reshape(1, 3, 2, 1).permute(0, 2, 1, 3)
    empty = ft.ones(0, 5, 3, 3).to(memory_format=ft.channels_last)
    for training in (False, True):
        layer = nn.BatchNorm2d(2).train(training)
        assert layer(narrow).stride() == (6, 1, 2, 2)
        assert ft.allclose(layer(narrow), nn.BatchNorm2d(2).train(training)(narrow.contiguous()))
        x = empty.clone().requires_grad_()
        layer = nn.BatchNorm2d(5).train(training)
        y = layer(x)
        y.sum().backward()
        assert y.stride() == x.grad.stride() == (45, 1, 15, 5) and layer.weight.grad.tolist() == [0.0] * 5


def test_counter_of_batches_on_meta_and_integers():
    assert nn.BatchNorm1d(3, device="meta").num_batches_tracked.device.type == "meta"
    integers = ft.ones(3, 3, dtype=ft.int64)
    for run in (nn.BatchNorm1d(3), lambda x: F.batch_norm(x, None, None, training=True)):
        with pytest.raises(NotImplementedError, match="\"batch_norm\" not implemented for 'Long'"):
            run(integers)


def test_layout_of_rms_norm():
    x = ft.ones(2, 3, 4, 5).to(memory_format=ft.channels_last).requires_grad_()
    y = F.rms_norm(x, (5,), ft.ones(5))
    y.sum().backward()
    assert y.stride() == x.grad.stride() == (60, 1, 15, 3)
