"""Convolution against a sum over windows in NumPy; gradients to second order against differences; layers and errors.

Texts of errors, strides and the numbers under "literal" were printed by PyTorch 2.13 on the CPU.
"""

import itertools
import pickle
import random
import warnings

import numpy as np
import pytest

import flambeau_nn as nn
import flambeau_tensor as ft
from flambeau_autograd import forward_ad, grad
from flambeau_autograd.func import grad as grad_of
from flambeau_autograd.func import vmap
from flambeau_autograd.gradcheck import gradcheck, gradgradcheck
from flambeau_nn import functional as F
from flambeau_nn import ops
from flambeau_tensor.extend import find_operator
from samples.derivatives import check_batches, check_derivatives
from samples.values import check_values

RNG = np.random.default_rng(0)
convolution = find_operator("torch.convolution")
CONV = {1: F.conv1d, 2: F.conv2d, 3: F.conv3d}
TRANSPOSED = {1: F.conv_transpose1d, 2: F.conv_transpose2d, 3: F.conv_transpose3d}


def floats(*shape, dtype="float64"):
    values = RNG.standard_normal(shape)
    return ft.from_numpy((values + 1j * RNG.standard_normal(shape) if "complex" in dtype else values).astype(dtype))


# --- values ---------------------------------------------------------------------------------------------------------


def windows(image, kernel, count, stride, padding, dilation):
    """(N, C, *count, *kernel): what each tap sees at each position."""
    n = len(kernel)
    room = [(c - 1) * s + d * (k - 1) + 1 for c, s, d, k in zip(count, stride, dilation, kernel, strict=True)]
    padded = np.pad(
        image,
        [(0, 0), (0, 0)]
        + [(p, max(0, r - p - size)) for p, r, size in zip(padding, room, image.shape[2:], strict=True)],
    )
    places = np.ix_(*[np.arange(c) * s for c, s in zip(count, stride, strict=True)])
    out = np.empty((*image.shape[:2], *count, *kernel), image.dtype)
    for tap in itertools.product(*map(range, kernel)):
        at = tuple(p + t * d for p, t, d in zip(places, tap, dilation, strict=True))
        out[(Ellipsis, *[slice(None)] * n, *tap)] = padded[(slice(None), slice(None), *at)]
    return out


def reference(x, w, b, stride, padding, dilation, groups):
    n = w.ndim - 2
    count = [
        (size + 2 * p - d * (k - 1) - 1) // s + 1
        for size, p, d, k, s in zip(x.shape[2:], padding, dilation, w.shape[2:], stride, strict=True)
    ]
    seen = windows(x, w.shape[2:], count, stride, padding, dilation)
    parts = [
        np.tensordot(a, f, ([1, *range(2 + n, 2 + 2 * n)], [1, *range(2, 2 + n)]))
        for a, f in zip(np.split(seen, groups, 1), np.split(w, groups), strict=True)
    ]
    out = np.moveaxis(np.concatenate(parts, -1), -1, 1)
    return out if b is None else out + b.reshape(-1, *[1] * n)


def transposed_reference(x, w, b, stride, padding, dilation, groups, rest):
    """What convolution's gradient is: the sum that pairs the result with each input, read the other way."""
    n = w.ndim - 2
    sizes = [
        (m - 1) * s - 2 * p + d * (k - 1) + 1 + r
        for m, s, p, d, k, r in zip(x.shape[2:], stride, padding, dilation, w.shape[2:], rest, strict=True)
    ]
    out = np.zeros(
        (x.shape[0], w.shape[1] * groups, *[size + 2 * p for size, p in zip(sizes, padding, strict=True)]), x.dtype
    )
    for tap in itertools.product(*map(range, w.shape[2:])):
        at = tuple(
            slice(t * d, t * d + (m - 1) * s + 1, s)
            for t, d, m, s in zip(tap, dilation, x.shape[2:], stride, strict=True)
        )
        parts = [
            np.tensordot(a, f[(Ellipsis, *tap)], ([1], [0]))
            for a, f in zip(np.split(x, groups, 1), np.split(w, groups), strict=True)
        ]
        out[(slice(None), slice(None), *at)] += np.moveaxis(np.concatenate(parts, -1), -1, 1)
    out = out[(slice(None), slice(None), *[slice(p, p + size) for p, size in zip(padding, sizes, strict=True)])]
    return out if b is None else out + b.reshape(-1, *[1] * n)


def drawn(seed, most=9, widest=3):
    """Arguments of a convolution: (x, w, b, stride, padding, dilation, groups, rest, transposed)."""
    r = random.Random(seed)
    n, groups, transposed = r.choice((1, 2, 3)), r.choice((1, 1, 2, 3)), r.random() < 0.5
    channels, features = groups * r.randint(1, widest), groups * r.randint(1, widest)
    kernel, stride, padding, dilation = (
        [r.randint(low, high) for _ in range(n)] for low, high in ((1, 4), (1, 3), (0, 2), (1, 2))
    )
    least = [max(1, d * (k - 1) + 1 - 2 * p) for d, k, p in zip(dilation, kernel, padding, strict=True)]
    if transposed:
        least = [
            max(1, -(-(2 * p - d * (k - 1)) // s) + 1)
            for d, k, p, s in zip(dilation, kernel, padding, stride, strict=True)
        ]
    sizes = [low + r.randint(0, most) for low in least]
    rest = [r.randint(0, max(s, d) - 1) if transposed else 0 for s, d in zip(stride, dilation, strict=True)]
    dtype = r.choice(("float32", "float64", "float64", "complex128"))
    x = floats(r.choice((1, 2, 3)), channels, *sizes, dtype=dtype)
    shape = (channels, features // groups) if transposed else (features, channels // groups)
    b = floats(features, dtype=dtype) if r.random() < 0.5 else None
    return x, floats(*shape, *kernel, dtype=dtype), b, stride, padding, dilation, groups, rest, transposed


def call(x, w, b, stride, padding, dilation, groups, rest, transposed):
    if transposed:
        return TRANSPOSED[w.ndim - 2](x, w, b, stride, padding, rest, groups, dilation)
    return CONV[w.ndim - 2](x, w, b, stride, padding, dilation, groups)


@pytest.mark.parametrize("most, widest, seeds", [(9, 3, range(60)), (24, 12, range(60, 75))], ids=["small", "larger"])
def test_values(most, widest, seeds):
    for seed in seeds:
        x, w, b, stride, padding, dilation, groups, rest, transposed = arguments = drawn(seed, most, widest)
        found = call(*arguments)
        arrays = [None if t is None else t.numpy() for t in (x, w, b)]
        expected = (
            transposed_reference(*arrays, stride, padding, dilation, groups, rest)
            if transposed
            else reference(*arrays, stride, padding, dilation, groups)
        )
        assert found.dtype == x.dtype and found.is_contiguous()
        np.testing.assert_allclose(found.numpy(), expected, rtol=1e-10, atol=1e-4 if x.dtype == ft.float32 else 1e-10)


def test_many_blocks_and_threads():
    """Sizes at which positions are split into blocks, and work into shares."""
    for shape, weight, stride, padding, groups in (
        ((2, 16, 48, 50), (12, 16, 3, 3), 1, 1, 1),
        ((1, 3, 65, 64), (40, 3, 7, 7), 2, 3, 1),
        ((3, 24, 20, 30), (20, 24, 1, 1), 1, 0, 1),
        ((2, 40, 31, 33), (40, 1, 3, 3), 1, 1, 40),
        ((2, 12, 31, 33), (24, 1, 5, 5), 2, 2, 12),
        ((1, 64, 6, 6), (64, 64, 3, 3), 1, 1, 1),
    ):
        x, w, b = floats(*shape), floats(*weight), floats(weight[0])
        found = F.conv2d(x.requires_grad_(), w.requires_grad_(), b.requires_grad_(), stride, padding, 1, groups)
        pairs = (stride,) * 2, (padding,) * 2, (1, 1)
        expected = reference(x.detach().numpy(), w.detach().numpy(), b.detach().numpy(), *pairs, groups)
        np.testing.assert_allclose(found.detach().numpy(), expected, rtol=1e-9, atol=1e-9)
        # <g, conv(x, w) + b> is linear in each: its gradients are what gives it back.
        g = floats(*found.shape)
        total = (g * (found - b.reshape(-1, 1, 1))).sum().item()
        of_x, of_w, of_b = grad(found, (x, w, b), g)
        assert (of_x * x).sum().item() == pytest.approx(total, rel=1e-9, abs=1e-7)
        assert (of_w * w).sum().item() == pytest.approx(total, rel=1e-9, abs=1e-7)
        np.testing.assert_allclose(of_b.numpy(), g.numpy().sum((0, 2, 3)), atol=1e-10)
        u, v = floats(*shape), floats(*weight)
        assert (of_x * u).sum().item() == pytest.approx(
            (g * F.conv2d(u, w, None, stride, padding, 1, groups)).sum().item(), rel=1e-8, abs=1e-7
        )
        assert (of_w * v).sum().item() == pytest.approx(
            (g * F.conv2d(x, v, None, stride, padding, 1, groups)).sum().item(), rel=1e-8, abs=1e-7
        )


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_half_precision_is_rounded_once(dtype):
    x, w, b = (t.to(getattr(ft, dtype)) for t in (floats(2, 3, 8, 8), floats(4, 3, 3, 3), floats(4)))
    found = F.conv2d(x, w, b)
    assert found.dtype == x.dtype
    assert ft.equal(found, F.conv2d(x.float(), w.float(), b.float()).to(x.dtype))


def test_integers():
    x, w = ft.arange(24).reshape(1, 2, 12), ft.arange(12).reshape(2, 2, 3)
    found = F.conv1d(x, w)
    assert found.dtype == ft.int64 and found[0, 0].tolist()[:3] == [163, 178, 193]
    assert ft.equal(F.conv1d(x.to(ft.uint8), w.to(ft.uint8)), found.to(ft.uint8))
    assert F.conv_transpose1d(x, w).dtype == ft.int64
    with pytest.raises(NotImplementedError, match="\"slow_conv_transpose2d_out_cpu\" not implemented for 'Int'"):
        F.conv_transpose1d(x.int(), w.int())
    with pytest.raises(NotImplementedError, match="\"slow_conv_dilated<>\" not implemented for 'Short'"):
        F.conv1d(x.short(), w.short(), dilation=2)
    with pytest.raises(NotImplementedError, match="\"slow_conv2d_cpu\" not implemented for 'Bool'"):
        F.conv1d(x.bool(), w.bool())


def test_without_samples_and_empty():
    x, w = floats(4, 6, 5), floats(6, 2, 3, 3)
    assert ft.equal(F.conv2d(x, w, groups=2), F.conv2d(x.unsqueeze(0), w, groups=2)[0])
    assert F.conv_transpose2d(x, floats(4, 2, 3, 3), groups=2).shape == (4, 8, 7)
    assert F.conv2d(floats(0, 4, 6, 5), w, groups=2).shape == (0, 6, 4, 3)
    out = F.conv2d(floats(2, 0, 6, 5), floats(4, 0, 3, 3), ft.arange(4.0, dtype=ft.float64))
    assert out.shape == (2, 4, 4, 3) and out[1, :, 0, 0].tolist() == [0, 1, 2, 3]
    x = floats(0, 4, 6, 5).requires_grad_()
    w = floats(3, 4, 3, 3).requires_grad_()
    of_x, of_w = grad(F.conv2d(x, w).sum(), (x, w))
    assert of_x.shape == x.shape and ft.equal(of_w, ft.zeros(3, 4, 3, 3, dtype=ft.float64))


def test_padding_by_name():
    x = floats(2, 3, 9, 8)
    for kernel, dilation in (((3, 3), 1), ((2, 4), 1), ((4, 1), (3, 1))):
        w = floats(4, 3, *kernel)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = F.conv2d(x, w, None, 1, "same", dilation)
        each = dilation if isinstance(dilation, tuple) else (dilation,) * 2
        totals = [d * (k - 1) for d, k in zip(each, kernel, strict=True)]
        padded = F.pad(x, [n for t in reversed(totals) for n in (t // 2, t - t // 2)])
        np.testing.assert_allclose(found.numpy(), F.conv2d(padded, w, None, 1, 0, dilation).numpy(), atol=1e-12)
        assert found.shape == (2, 4, 9, 8)
    w = floats(4, 3, 3, 3)
    assert ft.equal(F.conv2d(x, w, padding="valid"), F.conv2d(x, w))
    with pytest.raises(RuntimeError, match="padding='same' is not supported for strided convolutions"):
        F.conv2d(x, w, stride=2, padding="same")
    with pytest.raises(RuntimeError, match="Invalid padding string: 'whole'"):
        F.conv2d(x, w, padding="whole")


def test_time_batch_channels():
    x, w, b = floats(7, 2, 3), floats(3, 3, 4), floats(4)
    found = find_operator("torch.conv_tbc")(x, w, b, 1)
    expected = F.conv1d(x.permute(1, 2, 0), w.permute(2, 1, 0), b, padding=1).permute(2, 0, 1)
    assert found.shape == (7, 2, 4) and found.is_contiguous() and ft.equal(found, expected)


# --- layout ---------------------------------------------------------------------------------------------------------


def test_channels_last_of_input_or_weight_stays():
    x, w = floats(2, 4, 6, 5), floats(4, 4, 3, 3)
    for a, b in itertools.product((x, x.to(memory_format=ft.channels_last)), (w, w.to(memory_format=ft.channels_last))):
        last = (48, 1, 12, 4) if not (a.is_contiguous() and b.is_contiguous()) else (48, 12, 3, 1)
        assert F.conv2d(a, b).stride() == last
        assert ft.equal(F.conv2d(a, b), F.conv2d(x, w))
    a = x.to(memory_format=ft.channels_last).requires_grad_()
    b = w.clone().requires_grad_()
    F.conv2d(a, b).sum().backward()
    assert a.grad.stride() == (120, 1, 20, 4) and b.grad.stride() == w.stride()
    volume = floats(2, 4, 6, 5, 4, dtype="float32").to(memory_format=ft.channels_last_3d)
    w = floats(4, 4, 3, 3, 3, dtype="float32")
    assert F.conv3d(volume, w).stride() == (96, 1, 24, 8, 4)
    assert F.conv3d(volume.double(), w.double()).stride() == (96, 24, 6, 2, 1)
    assert F.conv1d(floats(2, 6, 4).transpose(1, 2), floats(4, 4, 3)).is_contiguous()


# --- derivatives ----------------------------------------------------------------------------------------------------

DERIVED = [
    ((2, 4, 5), (6, 2, 2), True, (1,), (1,), (2,), False, (0,), 2),
    ((1, 2, 4, 3), (2, 2, 2, 3), True, (2, 1), (1, 2), (1, 1), False, (0, 0), 1),
    ((1, 2, 3, 3), (2, 2, 2, 2), False, (2, 1), (1, 0), (1, 2), True, (1, 1), 1),
    ((2, 2, 3), (2, 1, 1), True, (1,), (0,), (1,), True, (0,), 2),
    ((1, 1, 2, 3, 2), (1, 1, 2, 2, 1), True, (1, 1, 1), (1, 0, 0), (1, 1, 1), False, (0, 0, 0), 1),
]


@pytest.mark.parametrize("case", DERIVED, ids=range(len(DERIVED)))
def test_derivatives(case):
    shape, weight, biased, *geometry = case
    features = weight[1] * geometry[-1] if geometry[3] else weight[0]
    inputs = [floats(*s).requires_grad_() for s in (shape, weight, *([(features,)] if biased else []))]

    def run(x, w, b=None):
        return convolution(x, w, b, *geometry)

    assert gradcheck(run, inputs, check_forward_ad=True, check_batched_grad=True, check_batched_forward_grad=True)
    assert gradgradcheck(run, inputs, check_fwd_over_rev=True, check_batched_grad=True)


def test_derivatives_of_complex_numbers():
    x, w = (floats(*s, dtype="complex128").requires_grad_() for s in ((1, 2, 4), (2, 2, 2)))
    for transposed in (False, True):

        def run(x, w, transposed=transposed):
            return convolution(x, w, None, (2,), (1,), (1,), transposed, (0,), 1)

        assert gradcheck(run, [x, w], check_forward_ad=True)
        assert gradgradcheck(run, [x, w])


def test_tangent_of_a_bias_alone():
    x, w, b = floats(2, 3, 5), floats(4, 3, 2), floats(4)
    with forward_ad.dual_level():
        out = F.conv1d(x, w, forward_ad.make_dual(b, ft.ones_like(b)))
        assert ft.equal(forward_ad.unpack_dual(out).tangent, ft.ones(2, 4, 4, dtype=ft.float64))


def test_name_of_the_node():
    out = F.conv2d(floats(1, 1, 3, 3).requires_grad_(), floats(1, 1, 2, 2))
    assert type(out.grad_fn).__name__ == "ConvolutionBackward0"


@pytest.mark.parametrize("transposed, groups", [(False, 1), (False, 2), (True, 1), (True, 2)])
def test_vmap_is_a_loop(transposed, groups):
    x, w = floats(3, 2, 4, 5), floats(3, 4, 3, 3) if transposed else floats(3, 6, 4 // groups, 3)
    b = floats(3, 3 * groups if transposed else 6)

    def run(x, w, b):
        return convolution(x, w, b, (1,), (1,), (1,), transposed, (0,), groups)

    def slopes(x, w, b):
        inputs = [t.detach().clone().requires_grad_() for t in (x, w, b)]
        out = run(*inputs)
        return grad((out * out).sum(), inputs)

    for batched in itertools.product([True, False], repeat=3):
        if any(batched):
            dims = tuple(0 if each else None for each in batched)
            given = [t if each else t[0] for t, each in zip((x, w, b), batched, strict=True)]
            alone = [[t[i] if each else t[0] for t, each in zip((x, w, b), batched, strict=True)] for i in range(3)]
            np.testing.assert_allclose(
                vmap(run, dims)(*given).numpy(), ft.stack([run(*a) for a in alone]).numpy(), atol=1e-12
            )
            found = vmap(grad_of(lambda *a: (run(*a) ** 2).sum(), (0, 1, 2)), dims)(*given)
            for k, each in enumerate(found):
                np.testing.assert_allclose(each.numpy(), ft.stack([slopes(*a)[k] for a in alone]).numpy(), atol=1e-11)


# --- errors ---------------------------------------------------------------------------------------------------------

ERRORS = [
    (
        lambda x, w: F.conv2d(x, w[:, :3]),
        "Given groups=1, weight of size [4, 3, 3, 3], expected input[2, 4, 6, 5] to "
        "have 3 channels, but got 4 channels instead",
    ),
    (
        lambda x, w: F.conv2d(x[0, 0], w),
        "Expected 3D (unbatched) or 4D (batched) input to conv2d, but got input of size: [6, 5]",
    ),
    (
        lambda x, w: F.conv2d(x, w[..., 0]),
        "expected stride to be a single integer value or a list of 1 values to match "
        "the convolution dimensions, but got stride=[1, 1]",
    ),
    (
        lambda x, w: F.conv2d(x[:, :, :2], w),
        "Calculated padded input size per channel: (2 x 5). Kernel size: (3 x 3). "
        "Kernel size can't be greater than actual input size",
    ),
    (
        lambda x, w: F.conv2d(x, w, ft.ones(3)),
        "Given weight of size [4, 4, 3, 3], expected bias to be 1-dimensional "
        "with 4 elements, but got bias of size [3] instead",
    ),
    (lambda x, w: F.conv2d(x, w, stride=0), "non-positive stride is not supported"),
    (lambda x, w: F.conv2d(x, w, padding=-1), "negative padding is not supported"),
    (
        lambda x, w: F.conv2d(x, w, padding=(0, 2**63 - 1)),
        "Given padding=9223372036854775807 at dimension 1 , expected padding to be at most 4611686018427387901",
    ),
    (lambda x, w: F.conv2d(x, w, dilation=0), "non-positive dilation is not supported"),
    (lambda x, w: F.conv2d(x, w, groups=0), "non-positive groups is not supported"),
    (
        lambda x, w: F.conv2d(x, w, groups=3),
        "Given groups=3, expected weight to be divisible by 3 at dimension 0, but "
        "got weight of size [[4, 4, 3, 3]] instead",
    ),
    (
        lambda x, w: F.conv2d(x, w[:0]),
        "Given groups=1, expected weight to be at least 1 at dimension 0, but got weight of size [0, 4, 3, 3] instead",
    ),
    (
        lambda x, w: F.conv2d(x, w, stride=(1, 2, 3)),
        "expected stride to be a single integer value or a list of 2 "
        "values to match the convolution dimensions, but got stride=[1, 2, 3]",
    ),
    (
        lambda x, w: F.conv2d(x, w.double()),
        "Input type (torch.FloatTensor) and weight type (torch.DoubleTensor) should "
        "be the same or input should be a MKLDNN tensor and weight is a dense tensor",
    ),
    (
        lambda x, w: F.conv2d(x, w, ft.ones(4, dtype=ft.float64)),
        "Input type (float) and bias type (double) should be the same",
    ),
    (lambda x, w: F.conv2d(x.int(), w), "expected scalar type Int but found Float"),
    (
        lambda x, w: F.conv2d(x[:, :, :0], w, padding=2),
        "Only zero batch or zero channel inputs are supported, but got input shape: [2, 4, 0, 5]",
    ),
    (
        lambda x, w: F.conv_transpose2d(x, w, output_padding=1),
        "output padding must be smaller than either stride or "
        "dilation, but got output_padding_height: 1 output_padding_width: 1 stride_height: 1 stride_width: 1 "
        "dilation_height: 1 dilation_width: 1",
    ),
    (
        lambda x, w: F.conv_transpose2d(x[:, :3], w),
        "Given transposed=1, weight of size [4, 4, 3, 3], expected "
        "input[2, 3, 6, 5] to have 4 channels, but got 3 channels instead",
    ),
    (
        lambda x, w: convolution(x[0], w, None, [1], [0], [1], False, [0], 1),
        "Expected 4-dimensional input for "
        "4-dimensional weight [4, 4, 3, 3], but got 3-dimensional input of size [4, 6, 5] instead",
    ),
]


@pytest.mark.parametrize("number", range(len(ERRORS)))
def test_errors(number):
    call, text = ERRORS[number]
    with pytest.raises(RuntimeError) as caught:
        call(ft.ones(2, 4, 6, 5), ft.ones(4, 4, 3, 3))
    assert str(caught.value) == text


def test_names():
    for name in ops.OF_TORCH:
        assert getattr(F, name) is find_operator(f"torch.{name}")


# --- layers ---------------------------------------------------------------------------------------------------------

REPRS = {
    "Conv2d(3, 4, kernel_size=(3, 3), stride=(1, 1))": lambda: nn.Conv2d(3, 4, 3),
    "Conv2d(3, 4, kernel_size=(3, 3), stride=(2, 2), padding=(1, 1), dilation=(2, 2), bias=False, "
    "padding_mode=reflect)": lambda: nn.Conv2d(3, 4, 3, 2, 1, 2, bias=False, padding_mode="reflect"),
    "Conv1d(3, 6, kernel_size=(3,), stride=(1,), padding=same, groups=3)": lambda: nn.Conv1d(
        3, 6, 3, padding="same", groups=3
    ),
    "ConvTranspose3d(3, 4, kernel_size=(3, 3, 3), stride=(2, 2, 2), output_padding=(1, 1, 1))": lambda: (
        nn.ConvTranspose3d(3, 4, 3, 2, output_padding=1)
    ),
}


@pytest.mark.parametrize("text", REPRS)
def test_layers(text):
    layer = REPRS[text]()
    assert repr(layer) == text
    again = pickle.loads(pickle.dumps(layer))
    x = floats(2, layer.in_channels, *[6] * len(layer.kernel_size), dtype="float32")
    assert ft.equal(again(x), layer(x)) and list(layer.state_dict()) == list(again.state_dict())


@pytest.mark.parametrize("mode", ["zeros", "reflect", "replicate", "circular"])
def test_padding_modes(mode):
    layer, x = nn.Conv2d(2, 3, (3, 2), padding=(1, 2), padding_mode=mode), floats(2, 2, 5, 6, dtype="float32")
    padded = F.pad(x, (2, 2, 1, 1), mode="constant" if mode == "zeros" else mode)
    assert ft.allclose(layer(x), F.conv2d(padded, layer.weight, layer.bias), atol=1e-6)
    same = nn.Conv2d(2, 3, 3, padding="same", padding_mode=mode)
    assert same(x).shape == (2, 3, 5, 6)


def test_output_size():
    layer, x = nn.ConvTranspose2d(3, 4, 3, stride=2), ft.ones(1, 3, 5, 5)
    assert layer(x).shape == (1, 4, 11, 11)
    assert layer(x, (12, 11)).shape == layer(x, output_size=(1, 4, 12, 11)).shape == (1, 4, 12, 11)
    with pytest.raises(
        ValueError,
        match=r"requested an output size of \(9, 9\), but valid sizes range from \[11, 11\] "
        r"to \[12, 12\] \(for an input of torch.Size\(\[5, 5\]\)\)",
    ):
        layer(x, (9, 9))
    with pytest.raises(ValueError, match="for 4D input, output_size must have 2 or 4 elements \\(got 3\\)"):
        layer(x, (4, 12, 12))


@pytest.mark.parametrize(
    "make, text",
    [
        (lambda: nn.Conv2d(3, 4, 3, groups=0), "groups must be a positive integer"),
        (lambda: nn.Conv2d(3, 4, 3, groups=2), "in_channels must be divisible by groups"),
        (lambda: nn.Conv2d(4, 3, 3, groups=2), "out_channels must be divisible by groups"),
        (
            lambda: nn.Conv2d(3, 4, 3, padding="whole"),
            "Invalid padding string 'whole', should be one of {'same', 'valid'}",
        ),
        (lambda: nn.Conv2d(3, 4, 3, 2, "same"), "padding='same' is not supported for strided convolutions"),
        (
            lambda: nn.Conv2d(3, 4, 3, padding_mode="odd"),
            "padding_mode must be one of {'zeros', 'reflect', 'circular', 'replicate'}, but got padding_mode='odd'",
        ),
        (
            lambda: nn.ConvTranspose2d(3, 4, 3, padding_mode="reflect"),
            'Only "zeros" padding mode is supported for ConvTranspose2d',
        ),
    ],
)
def test_errors_of_layers(make, text):
    with pytest.raises(ValueError) as caught:
        make()
    assert str(caught.value) == text


def test_initial_weights():
    """Literal: what the seed gives."""
    ft.manual_seed(0)
    layer = nn.Conv2d(2, 2, 2)
    assert layer.weight.flatten()[:3].tolist() == pytest.approx([-0.00264699, 0.18966144, -0.29099038], abs=1e-7)
    assert layer.bias.tolist() == pytest.approx([0.1397721, 0.21214008], abs=1e-7)


def test_a_network_learns():
    ft.manual_seed(0)
    model = nn.Sequential(nn.Conv2d(1, 4, 3, padding=1), nn.ReLU(), nn.Flatten(), nn.Linear(4 * 36, 2))
    x, y = ft.zeros(8, 1, 6, 6), ft.arange(8) % 2
    for i in range(8):
        x[i, 0, :, i // 2] = 1.0 if i % 2 else 0.0
        x[i, 0, i // 2, :] = 0.0 if i % 2 else 1.0
    optimizer = nn.optim.SGD(model.parameters(), lr=0.5)
    for _ in range(40):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
    assert loss.item() < 0.05


TestSamples = check_values("nn.convolution")
TestDerivatives = check_derivatives("nn.convolution")
TestBatches = check_batches("nn.convolution")


def test_sizes_that_no_integer_holds():
    """(5 - 1) * 2**62 is 0 in 64 bits."""
    x, w = ft.ones(1, 1, 5), ft.ones(1, 1, 5)
    for options in (
        {"stride": 2**62},
        {"dilation": 2**62},
        {"padding": 2**62},
        {"stride": 2**62, "output_padding": 2**61},
    ):
        with pytest.raises(RuntimeError):
            F.conv_transpose1d(x, w, **options)
    for options in ({"dilation": 2**62}, {"padding": 2**62}):
        with pytest.raises(RuntimeError):
            F.conv1d(x, w, **options)


def test_complex_half():
    x, w = ft.ones(1, 2, 2, 2).to(ft.complex32), ft.ones(2, 1, 1, 1).to(ft.complex32)
    y = F.conv_transpose2d(x, w * 1j)
    assert y.dtype is ft.complex32 and y.to(ft.complex64).flatten().tolist() == [2j] * 4
