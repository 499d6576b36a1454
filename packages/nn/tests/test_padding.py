"""Padding against numpy.pad, gradients against differences, modules."""

import numpy as np
import pytest

import flambeau_nn as nn
import flambeau_tensor as ft
from flambeau_autograd.gradcheck import gradcheck, gradgradcheck
from flambeau_nn import functional as F
from samples.derivatives import check_batches, check_derivatives
from samples.values import check_values

RNG = np.random.default_rng(0)
X = RNG.standard_normal((2, 3, 4, 5))
MODES = {"reflect": "reflect", "replicate": "edge", "circular": "wrap"}


def t(a, requires_grad=False):
    return ft.from_numpy(np.array(a)).requires_grad_(requires_grad)


def pairs(pad, ndim):
    """numpy.pad's form of `pad`."""
    given = [(pad[i], pad[i + 1]) for i in range(0, len(pad), 2)][::-1]
    return [(0, 0)] * (ndim - len(given)) + given


@pytest.mark.parametrize("pad", [(1, 2), (0, 0, 3, 0), (1, 1, 0, 2, 1, 0), (1, 2, 0, 0, 0, 0, 1, 1)])
def test_constant(pad):
    expected = np.pad(X, pairs(pad, 4), constant_values=1.5)
    np.testing.assert_array_equal(F.pad(t(X), pad, value=1.5).numpy(), expected)
    np.testing.assert_array_equal(F.pad(t(X), pad).numpy(), np.pad(X, pairs(pad, 4)))


def test_negative_cuts():
    np.testing.assert_array_equal(
        F.pad(t(X), (-1, 2, 1, -2), value=7).numpy(),
        np.pad(X[:, :, :2, 1:], [(0, 0), (0, 0), (1, 0), (0, 2)], constant_values=7),
    )
    with pytest.raises(RuntimeError, match="The input size 5, plus negative padding -3 and -3 resulted in a negative"):
        F.pad(t(X), (-3, -3))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("pad", "x"), [((2, 1), X[0]), ((2, 1), X[0, 0]), ((2, 1, 1, 3), X), ((1, 0, 1, 1, 2, 0), X[None])]
)
def test_modes(mode, pad, x):
    np.testing.assert_array_equal(F.pad(t(x), pad, mode=mode).numpy(), np.pad(x, pairs(pad, x.ndim), mode=MODES[mode]))


@pytest.mark.parametrize("mode", ["constant", *MODES])
def test_gradients(mode):
    x = t(X[:1, :2], True)
    assert gradcheck(lambda x: F.pad(x, (1, 2, 2, 1), mode=mode), (x,))
    assert gradgradcheck(lambda x: F.pad(x, (1, 2, 2, 1), mode=mode), (x,), check_fwd_over_rev=True)
    if mode == "constant":
        assert gradcheck(lambda x: F.pad(x, (-1, 2, 1, -2)), (x,))


def test_dtypes_and_layouts():
    assert F.pad(ft.ones(2, dtype=ft.int64), (1, 1), value=3).tolist() == [3, 1, 1, 3]
    assert F.pad(ft.ones(2, dtype=ft.bool), (1, 0)).tolist() == [False, True, True]
    turned = t(X).transpose(0, 3)
    np.testing.assert_array_equal(F.pad(turned, (1, 0)).numpy(), np.pad(X.swapaxes(0, 3), pairs((1, 0), 4)))


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: F.pad(t(X), (1,)), RuntimeError, "Length of pad must be even but instead it equals 1"),
        (lambda: F.pad(t(X), (1,) * 10), RuntimeError, "Pad length is 10 while the input has 4 dimensions"),
        (lambda: F.pad(t(X), (1, 1), mode="other"), NotImplementedError, "Unrecognised padding mode other"),
        (
            lambda: F.pad(t(X), (5, 1, 0, 0), mode="reflect"),
            RuntimeError,
            r"Padding size should be less than the corresponding input dimension, but got: padding \(5, 1\) at "
            r"dimension 3",
        ),
        (lambda: F.pad(t(X), (6, 1, 0, 0), mode="circular"), RuntimeError, "wrapping around more than once"),
        (
            lambda: F.pad(t(X), (1, 1), mode="reflect"),
            NotImplementedError,
            "is not supported for",
        ),
        (lambda: F.pad(t(X), (), mode="reflect"), NotImplementedError, "Padding size 0 is not supported for"),
        (lambda: F.pad(ft.ones(1, 3).bool(), (1, 1), mode="reflect"), NotImplementedError, '"reflection_pad1d" not'),
    ],
)
def test_errors(call, error, text):
    with pytest.raises(error, match=text):
        call()


@pytest.mark.parametrize("dims", [1, 2, 3])
def test_modules(dims):
    x = t(RNG.standard_normal((2, 2, 4, 4, 4)[: dims + 2]))
    pad = (1, 2) * dims
    for name, mode in (("Reflection", "reflect"), ("Replication", "replicate"), ("Circular", "circular")):
        module = getattr(nn, f"{name}Pad{dims}d")
        assert (module(pad)(x) == F.pad(x, pad, mode=mode)).all()
        assert (module(1)(x) == F.pad(x, (1, 1) * dims, mode=mode)).all()
    assert (getattr(nn, f"ConstantPad{dims}d")(pad, 3.0)(x) == F.pad(x, pad, value=3.0)).all()
    assert (getattr(nn, f"ZeroPad{dims}d")(pad)(x) == F.pad(x, pad)).all()


def test_printing():  # made with PyTorch 2.13
    assert repr(nn.ZeroPad2d(1)) == "ZeroPad2d((1, 1, 1, 1))"
    assert repr(nn.ConstantPad1d((1, 2), 3.0)) == "ConstantPad1d(padding=(1, 2), value=3.0)"
    assert repr(nn.ReflectionPad2d(1)) == "ReflectionPad2d((1, 1, 1, 1))"


@pytest.mark.parametrize("pad", [(-1, 1, -2, 1), (2, 2, -1, 3), (-1, -1, 2, 1), (3, -2)])
def test_circular_padding_cuts_before_it_goes_round(pad):
    x = np.arange(50.0).reshape(1, 2, 5, 5)[..., : 5 if len(pad) == 4 else 1, :]
    x = x if len(pad) == 4 else x[:, :, 0]
    expected = x
    for i in range(len(pad) // 2):
        axis, (before, after) = x.ndim - 1 - i, pad[2 * i : 2 * i + 2]
        n = expected.shape[axis]
        cut = np.take(expected, np.arange(max(-before, 0), n - max(-after, 0)), axis)
        around = [(max(before, 0), max(after, 0)) if d == axis else (0, 0) for d in range(x.ndim)]
        expected = np.pad(cut, around, mode="wrap")
    np.testing.assert_array_equal(F.pad(ft.tensor(x), pad, "circular").numpy(), expected)
    with pytest.raises(RuntimeError, match="Negative padding value is resulting in an empty dimension"):
        F.pad(ft.ones(1, 1, 3), (-2, -2), "circular")


@pytest.mark.parametrize("size", [2**45, 2**62, 2**63 - 1])
@pytest.mark.parametrize("mode", ["replicate", "reflect", "circular", "constant"])
def test_absurd_sizes_raise_at_once(mode, size):
    with pytest.raises(RuntimeError):
        F.pad(ft.zeros(1, 2, 2), (size, 0), mode)


TestSamples = check_values("nn.padding")
TestDerivatives = check_derivatives("nn.padding")
TestBatches = check_batches("nn.padding")


@pytest.mark.parametrize("mode", ["reflect", "replicate", "circular"])
def test_results_without_elements(mode):
    assert F.pad(ft.ones(1, 2, 3, 3), (-1, -2, 0, 0), mode).shape == (1, 2, 3, 0)
    assert F.pad(ft.ones(0, 2, 3), (1, 1), mode).shape == (0, 2, 5)
    with pytest.raises(RuntimeError, match="too small|empty dimension"):
        F.pad(ft.ones(1, 2, 3, 3), (-2, -2, 0, 0), mode)
    for shape in ((1, 0, 3), (0, 3), (1, 2, 0)):
        if mode == "circular":
            assert F.pad(ft.ones(shape), (0, 0), mode).shape == shape
        else:
            with pytest.raises(RuntimeError, match=r"possibly 0 batch size and other non-zero dimensions for input"):
                F.pad(ft.ones(shape), (1, 1), mode)


def test_dimensions_of_circular_padding():
    for dims, layer in enumerate((nn.CircularPad1d(1), nn.CircularPad2d(1), nn.CircularPad3d(1)), 1):
        with pytest.raises(ValueError, match=f"expected {dims + 1}D or {dims + 2}D input .got {dims}D input."):
            layer(ft.ones((3,) * dims))


@pytest.mark.parametrize("mode", ["reflect", "replicate", "circular"])
def test_batches_of_empty_batches(mode):
    from flambeau_autograd.func import vmap

    assert vmap(lambda x: F.pad(x, (1, 1), mode=mode))(ft.ones(2, 0, 3, 3)).shape == (2, 0, 3, 5)


def test_classes_of_layers():
    """Programs ask for the bases of layers, by PyTorch's names."""
    bases = nn.modules.padding
    assert isinstance(nn.ZeroPad2d(1), nn.ConstantPad2d) and nn.ZeroPad3d(1).padding == (1,) * 6
    assert isinstance(nn.ReflectionPad3d(1), bases._ReflectionPadNd) and nn.ReflectionPad3d(1).padding == (1,) * 6
    assert isinstance(nn.ReplicationPad1d(1), bases._ReplicationPadNd)
    assert isinstance(nn.CircularPad2d(1), bases._CircularPadNd) and repr(nn.ZeroPad2d(1)) == "ZeroPad2d((1, 1, 1, 1))"
