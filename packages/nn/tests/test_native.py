"""Functions of layers that are functions of torch itself. Numbers are PyTorch's."""

import warnings

import pytest

import flambeau_nn as nn
import flambeau_tensor as ft
from flambeau_autograd.gradcheck import gradcheck
from flambeau_nn import functional as F
from flambeau_nn import grad as gradients
from flambeau_nn import ops
from flambeau_nn._reduction import get_enum, legacy_get_enum, legacy_get_string
from flambeau_nn.attention import SDPBackend, _cur_sdpa_kernel_backends, sdpa_kernel
from flambeau_nn.modules.sizes import (
    _list_with_default,
    _pair,
    _reverse_repeat_tuple,
    consume_prefix_in_state_dict_if_present,
)
from flambeau_nn.ops.lazy_names import NAMES
from flambeau_tensor.extend import find_operator
from samples.derivatives import check_batches, check_derivatives
from samples.values import check_values

X = ft.arange(24.0).reshape(2, 3, 4)
W = ft.arange(15.0).reshape(5, 3) / 10


def native(name):
    return find_operator(f"torch.{name}")


def same(ours, theirs):
    return ours.shape == theirs.shape and ft.allclose(ours, theirs, equal_nan=True)


PAIRS = {
    "celu": (lambda f: f(X - 9, 2.0), lambda: F.celu(X - 9, 2.0)),
    "selu": (lambda f: f(X - 9), lambda: F.selu(X - 9)),
    "rrelu": (lambda f: f(X - 9), lambda: F.rrelu(X - 9)),
    "max_pool1d": (lambda f: f(X, 2), lambda: F.max_pool1d(X, 2)),
    "max_pool2d": (lambda f: f(X, 2, stride=1), lambda: F.max_pool2d(X, 2, 1)),
    "max_pool3d": (lambda f: f(X[None], [2, 1, 2]), lambda: F.max_pool3d(X[None], (2, 1, 2))),
    "max_pool1d_with_indices": (lambda f: f(X, 2)[1], lambda: F.max_pool1d(X, 2, return_indices=True)[1]),
    "adaptive_max_pool1d": (lambda f: f(X, 2)[1], lambda: F.adaptive_max_pool1d(X, 2, return_indices=True)[1]),
    "layer_norm": (lambda f: f(X, [3, 4], eps=1e-3, cudnn_enable=False), lambda: F.layer_norm(X, (3, 4), eps=1e-3)),
    "group_norm": (lambda f: f(X, 3), lambda: F.group_norm(X, 3)),
    "rms_norm": (lambda f: f(X, [4]), lambda: F.rms_norm(X, (4,))),
    "batch_norm": (
        lambda f: f(X, W[0], W[1], None, None, True, 0.1, 1e-5, True),
        lambda: F.batch_norm(X, None, None, W[0], W[1], True),
    ),
    "instance_norm": (
        lambda f: f(X, W[0], W[1], None, None, True, 0.1, 1e-5, True),
        lambda: F.instance_norm(X, None, None, W[0], W[1]),
    ),
    "embedding": (lambda f: f(W, ft.tensor([1, 4]), -1), lambda: W[ft.tensor([1, 4])]),
    "binary_cross_entropy_with_logits": (
        lambda f: f(X, X / 24, None, W[0, 1], 2),
        lambda: F.binary_cross_entropy_with_logits(X, X / 24, pos_weight=W[0, 1], reduction="sum"),
    ),
    "cosine_embedding_loss": (
        lambda f: f(W, W + 1, ft.ones(5), 0.1, 0),
        lambda: F.cosine_embedding_loss(W, W + 1, ft.ones(5), 0.1, reduction="none"),
    ),
    "hinge_embedding_loss": (lambda f: f(W, W.sign(), 0.5, 1), lambda: F.hinge_embedding_loss(W, W.sign(), 0.5)),
    "kl_div": (lambda f: f(W, W, 2, log_target=True), lambda: F.kl_div(W, W, reduction="sum", log_target=True)),
    "margin_ranking_loss": (
        lambda f: f(W, W.flip(0), ft.ones(5, 3), reduction=1),
        lambda: F.margin_ranking_loss(W, W.flip(0), ft.ones(5, 3)),
    ),
    "poisson_nll_loss": (lambda f: f(W, W, True, True, 1e-8, 1), lambda: F.poisson_nll_loss(W, W, full=True)),
    "triplet_margin_loss": (
        lambda f: f(W, W.flip(0), W + 1, swap=True, reduction=1),
        lambda: F.triplet_margin_loss(W, W.flip(0), W + 1, swap=True),
    ),
    "ctc_loss": (
        lambda f: f(X.permute(2, 0, 1).log_softmax(2), ft.tensor([[1], [2]]), [4, 4], [1, 1], 0, 2),
        lambda: F.ctc_loss(X.permute(2, 0, 1).log_softmax(2), ft.tensor([[1], [2]]), [4, 4], [1, 1], reduction="sum"),
    ),
    "norm_except_dim": (lambda f: f(X, 2, 1), lambda: ft.tensor([27.34959, 36.823906, 47.116875]).reshape(1, 3, 1)),
    "_weight_norm": (
        lambda f: f(X, ft.ones(1, 3, 1), 1)[0, 0],
        lambda: ft.tensor([0, 0.0365636, 0.0731272, 0.1096909]),
    ),
}


@pytest.mark.parametrize("name", PAIRS)
def test_the_same_as_in_functional(name):
    of_torch, of_functional = PAIRS[name]
    assert same(of_torch(native(name)), of_functional())


@pytest.mark.parametrize("weight, expected", [(None, ft.float16), (ft.float16, ft.float16), (ft.float32, ft.float32)])
def test_dtypes_of_the_statistics_of_half_types(weight, expected):
    x = ft.tensor([[[1.0, 2, 6], [0, 0, 3]]], dtype=ft.float16)
    w = None if weight is None else ft.ones(2, dtype=weight)
    running = () if weight is None else (ft.zeros(2, dtype=weight), ft.ones(2, dtype=weight))
    for results in (
        find_operator("torch.native_group_norm")(x, w, w, 1, 2, 3, 2, 1e-5),
        find_operator("torch.native_layer_norm")(x.transpose(1, 2), [2], w, w, 1e-5),
        find_operator("torch.native_batch_norm")(x, w, w, *(running or (None, None)), True, 0.1, 1e-5),
    ):
        out, mean, deviation = results
        assert out.dtype is ft.float16 and mean.dtype is deviation.dtype is expected
    assert mean.tolist() == [3, 1]
    if running:
        results = find_operator("torch.native_batch_norm")(x, w, w, *running, False, 0.1, 1e-5)
        assert [t.dtype for t in results] == [ft.float16, expected, expected]
        assert results[1].shape == (0,)


def test_losses_are_not_reduced_unless_they_are_told_to():
    """As in PyTorch, whose schemas have the mean for a default."""
    target = ft.ones(5)
    assert native("kl_div")(W, W).shape == native("hinge_embedding_loss")(W, W.sign()).shape == W.shape
    assert native("binary_cross_entropy_with_logits")(W, W).shape == native("margin_ranking_loss")(W, W, W).shape
    assert native("triplet_margin_loss")(W, W, W).shape == native("cosine_embedding_loss")(W, W, target).shape == (5,)


@pytest.mark.parametrize("name", ["celu_", "selu_", "rrelu_", "threshold_"])
def test_in_place(name):
    x, rest = X - 9, (1.0, -3.0) if name == "threshold_" else ()
    expected = getattr(F, name[:-1])(X - 9, *rest)
    assert getattr(F, name) is native(name) and native(name)(x, *rest) is x and ft.equal(x, expected)
    with pytest.raises(RuntimeError, match="leaf"):
        native(name)((X - 9).requires_grad_(), *rest)


@pytest.mark.parametrize("name", ops.OF_TORCH + ops.LATE_OF_TORCH)
def test_functions_that_are_those_of_torch(name):
    assert getattr(F, name) is native(name) and name in dir(F)


@pytest.mark.parametrize("name", ["dropout", "alpha_dropout", "feature_dropout", "feature_alpha_dropout"])
def test_dropout(name):
    x = ft.rand(50, 40, 2) + 1
    ft.manual_seed(1)
    out = native(name)(x, 0.5, True)
    ft.manual_seed(1)
    y = x.clone()
    assert native(f"{name}_")(y, 0.5, True) is y and ft.equal(y, out) and not ft.equal(out, x)
    assert native(name)(x, 0.5, False) is x
    dropped = out == out.min()
    assert 0.4 < dropped.double().mean().item() < 0.6
    if name.startswith("feature"):
        assert ft.equal(dropped[..., 0], dropped[..., 1])
    with pytest.raises(RuntimeError, match="dropout probability has to be between 0 and 1, but got 1.5"):
        native(name)(x, 1.5, True)


def test_native_dropout():
    x = ft.rand(60, 50) + 1
    out, kept = native("native_dropout")(x, 0.25, True)
    assert kept.dtype is ft.bool and ft.allclose(out, ft.where(kept, x / 0.75, 0.0))
    assert 0.7 < kept.double().mean().item() < 0.8
    for p, train, value in ((0.25, False, 1.0), (0.0, True, 1.0), (1.0, True, 0.0)):
        out, kept = native("native_dropout")(x, p, train)
        assert ft.equal(out, x * value) and kept.double().mean().item() == value
    assert native("native_dropout")(ft.ones(3, dtype=ft.int64), 0.5, False)[0].tolist() == [1, 1, 1]
    for p in 0.0, 0.5, 1.0:
        with pytest.raises(RuntimeError, match="result type Float can't be cast to the desired output type"):
            native("native_dropout")(ft.ones(3, dtype=ft.int64), p, True)


def test_native_norms():
    with pytest.raises(RuntimeError, match="Expected num groups to be greater than 0, got 0"):
        native("native_group_norm")(X, None, None, 2, 3, 4, 0, 1e-5)
    out, mean, deviation = native("native_layer_norm")(X, [4], None, None, 1e-5)
    assert same(out, F.layer_norm(X, (4,))) and mean.shape == deviation.shape == (2, 3, 1)
    assert mean.flatten().tolist() == [1.5, 5.5, 9.5, 13.5, 17.5, 21.5]
    assert ft.allclose(deviation, ft.tensor(0.8944236))
    out, mean, deviation = native("native_group_norm")(X, None, None, 2, 3, 4, 3, 1e-5)
    assert same(out, F.group_norm(X, 3)) and mean.tolist() == [[1.5, 5.5, 9.5], [13.5, 17.5, 21.5]]
    moving = ft.zeros(3), ft.ones(3)
    out, mean, deviation = native("native_batch_norm")(X, None, None, *moving, True, 0.1, 1e-5)
    assert same(out, F.batch_norm(X, None, None, training=True)) and mean.tolist() == [7.5, 11.5, 15.5]
    assert ft.allclose(deviation, ft.tensor(0.1638464)) and ft.allclose(moving[0], ft.tensor([0.75, 1.15, 1.55]))
    legit = native("_native_batch_norm_legit")
    assert [t.shape for t in legit(X, None, None, *moving, False, 0.1, 1e-5)] == [X.shape, (0,), (0,)]
    assert same(legit(X, None, None, True, 0.1, 1e-5)[2], deviation)
    x = X.double().requires_grad_()
    assert gradcheck(lambda x: native("native_layer_norm")(x, [4], None, None, 1e-5)[0], (x,))


def test_bags():
    indices, offsets = ft.tensor([1, 2, 4, 3]), ft.tensor([0, 2])
    bag = native("embedding_bag")
    out, owner, sizes, maxima = bag(W, indices, offsets)
    assert same(out, F.embedding_bag(indices, W, offsets, mode="sum"))
    assert (owner.tolist(), sizes.tolist(), maxima.tolist()) == ([], [0, 0], [0, 0])
    out, owner, sizes, maxima = bag(W, indices, offsets, False, 1, False, None, False, 2)
    assert same(out[0], W[1]) and (owner.tolist(), sizes.tolist(), maxima.tolist()) == ([0, 0, 1, 1], [1, 2], [1, 2])
    out, owner, sizes, maxima = bag(-W, indices, offsets, mode=2)
    assert same(out, -W[ft.tensor([1, 3])]) and maxima.tolist() == [[1, 1, 1], [3, 3, 3]] and sizes.tolist() == [2, 2]
    w = W.clone()
    assert native("embedding_renorm_")(w, ft.tensor([0, 4]), 1.0, 2.0) is w
    assert ft.allclose(w[4].norm(), ft.tensor(1.0)) and ft.equal(w[:4], W[:4])


def test_all_of_the_family_are_tried():
    tried = {
        *PAIRS,
        "celu_",
        "selu_",
        "rrelu_",
        "threshold_",
        "native_dropout",
        "native_layer_norm",
        "native_group_norm",
        "native_batch_norm",
        "_native_batch_norm_legit",
        "embedding_bag",
        "embedding_renorm_",
    }
    tried |= {
        name + end
        for name in ("dropout", "alpha_dropout", "feature_dropout", "feature_alpha_dropout")
        for end in ("", "_")
    }
    assert {name.removeprefix("torch.") for name in NAMES["native"].split()} == tried


def test_methods():
    x = X - 9
    assert ft.equal(x.prelu(ft.tensor(0.5)), F.prelu(x, ft.tensor(0.5)))
    assert ft.equal(x.hardshrink(2), F.hardshrink(x, 2))


# --- modules of small things ----------------------------------------------------------------------------------------


def test_ways_to_compute_attention():
    x = ft.rand(1, 2, 5, 4, dtype=ft.float64)
    usual = F.scaled_dot_product_attention(x, x, x, is_causal=True)
    default = _cur_sdpa_kernel_backends(with_priority=True)
    for backend in (SDPBackend.MATH, SDPBackend.FLASH_ATTENTION):
        with sdpa_kernel(backend):
            assert _cur_sdpa_kernel_backends() == [backend]
            assert ft.allclose(F.scaled_dot_product_attention(x, x, x, is_causal=True), usual)
    for others in ([], SDPBackend.CUDNN_ATTENTION, [SDPBackend.EFFICIENT_ATTENTION, SDPBackend.OVERRIDEABLE]):
        with sdpa_kernel(others), pytest.raises(RuntimeError, match="No viable backend for scaled_dot_product_attent"):
            F.scaled_dot_product_attention(x, x, x)
    with sdpa_kernel(SDPBackend.FLASH_ATTENTION), pytest.raises(RuntimeError, match="No viable backend"):
        F.scaled_dot_product_attention(x, x, x, dropout_p=0.5)
    with sdpa_kernel([SDPBackend.MATH, SDPBackend.FLASH_ATTENTION], set_priority=True):
        assert _cur_sdpa_kernel_backends(True) == [SDPBackend.MATH, SDPBackend.FLASH_ATTENTION]

    @sdpa_kernel(SDPBackend.MATH)
    def function():
        return _cur_sdpa_kernel_backends()

    assert function() == [SDPBackend.MATH] and _cur_sdpa_kernel_backends(with_priority=True) == default
    with (
        pytest.raises(
            AssertionError, match="must be an instance of SDPBackend or a list of SDPBackend instances, got int"
        ),
        sdpa_kernel(1),
    ):
        pass
    assert (repr(SDPBackend.MATH), str(SDPBackend.ERROR), int(SDPBackend(3))) == (
        "<SDPBackend.MATH: 0>",
        "SDPBackend.ERROR",
        3,
    )


@pytest.mark.parametrize("dims", [1, 2, 3])
def test_gradients_of_convolution(dims):
    x, w = (
        ft.rand(shape, dtype=ft.float64, requires_grad=True) for shape in ((2, 4) + (6,) * dims, (6, 2) + (3,) * dims)
    )
    options = {"stride": 2, "padding": 1, "dilation": 1, "groups": 2}
    out = getattr(F, f"conv{dims}d")(x, w, **options)
    g = ft.rand_like(out)
    out.backward(g)
    of_input = getattr(gradients, f"conv{dims}d_input")(x.shape, w.detach(), g, **options)
    of_weight = getattr(gradients, f"conv{dims}d_weight")(x.detach(), w.shape, g, **options)
    assert ft.allclose(of_input, x.grad) and ft.allclose(of_weight, w.grad)


def test_reductions_as_numbers():
    assert [get_enum(word) for word in ("none", "mean", "sum")] == [0, 1, 2]
    with pytest.raises(ValueError, match="^x is not a valid value for reduction$"):
        get_enum("x")
    with pytest.warns(UserWarning, match="reduction='elementwise_mean' is deprecated"):
        assert get_enum("elementwise_mean") == 1
    with pytest.warns(UserWarning, match="please use reduction='none' instead"):
        assert legacy_get_string(None, False) == "none"
    with warnings.catch_warnings(action="error"):
        assert legacy_get_enum(False, None, emit_warning=False) == 2
        assert legacy_get_enum(None, None, emit_warning=False) == 1


def test_sizes():
    assert (_pair(3), _pair([1, 2, 3]), _pair.__name__) == ((3, 3), (1, 2, 3), "_pair")
    assert _reverse_repeat_tuple((1, 2), 2) == (2, 2, 1, 1)
    assert (_list_with_default([None, 3], [4, 5, 6]), _list_with_default(3, [4])) == ([5, 3], 3)
    with pytest.raises(ValueError, match="Input dimension should be at least 4"):
        _list_with_default([1, 2, 3], [4, 5])


def test_state_dicts_without_a_prefix():
    state = nn.Sequential(nn.BatchNorm1d(2)).state_dict()
    consume_prefix_in_state_dict_if_present(state, "0.")
    assert list(state) == ["weight", "bias", "running_mean", "running_var", "num_batches_tracked"]
    assert dict(state._metadata) == {"": {"version": 2}}


def test_where_pytorch_has_them():
    from flambeau_nn.modules import activation, batchnorm, conv, instancenorm, linear, pooling

    for place, name in (
        (activation, "MultiheadAttention"),
        (linear, "LazyLinear"),
        (conv, "LazyConv2d"),
        (linear, "NonDynamicallyQuantizableLinear"),
        (pooling, "MaxUnpool2d"),
        (batchnorm, "LazyBatchNorm1d"),
        (instancenorm, "LazyInstanceNorm3d"),
    ):
        assert isinstance(getattr(place, name), type) and getattr(nn, name, None) in (None, getattr(place, name))
        with pytest.raises(AttributeError, match="nonsense"):
            place.nonsense  # noqa: B018


def test_norms_of_the_slices_of_a_vector():
    v = ft.tensor([-3.0, 4.0])
    assert native("norm_except_dim")(v, 2, 0).tolist() == [3, 4]
    assert native("norm_except_dim")(v, 0, 0).tolist() == [1, 1]
    assert native("_weight_norm")(v, ft.ones(2), 0).tolist() == [-1, 1]
    for name, tensors in ("norm_except_dim", (v, 2)), ("_weight_norm", (v, ft.ones(2))):
        for dim in 1, -2:
            with pytest.raises(IndexError, match="Dimension out of range"):
                native(name)(*tensors, dim)
        with pytest.raises(IndexError, match="has no dimensions"):
            native(name)(ft.tensor(3.0), tensors[1], 0)


ROWS, LINE, POINT = ft.ones(2, 3), ft.ones(3), ft.tensor(1.0)
MISFITS = {
    "channels of batch_norm": (lambda: native("native_batch_norm")(LINE, *[None] * 4, True, 0.1, 1e-5), IndexError),
    "channels of instance_norm": (
        lambda: native("instance_norm")(LINE, *[None] * 4, True, 0.1, 1e-5, False),
        IndexError,
    ),
    "channels of group_norm": (lambda: native("group_norm")(LINE, 1), IndexError),
    "no groups": (lambda: native("group_norm")(ROWS, 0), RuntimeError),
    "no spatial element": (lambda: F.instance_norm(LINE), ValueError),
    "input of a cell": (lambda: native("gru_cell")(LINE, ROWS, ft.ones(9, 3), ft.ones(9, 3)), IndexError),
    "state of a cell": (lambda: native("rnn_relu_cell")(ROWS, POINT, ft.ones(3, 3), ft.ones(3, 3)), IndexError),
    "weight of a cell": (lambda: native("lstm_cell")(ROWS, (ROWS, ROWS), LINE, ft.ones(12, 3)), IndexError),
    "log_probs": (lambda: F.ctc_loss(POINT, ft.ones(1, 1).long(), (1,), (1,)), IndexError),
    "dtype of log_probs": (lambda: F.ctc_loss(LINE.long(), ft.ones(1, 1).long(), (1,), (1,)), NotImplementedError),
    "embedding": (lambda: native("embedding")(LINE, ft.tensor([0])), RuntimeError),
    "embedding_bag": (lambda: native("embedding_bag")(LINE, ft.tensor([0]), ft.tensor([0])), RuntimeError),
    "bilinear": (lambda: F.bilinear(LINE, ROWS, ft.ones(3, 3, 3)), RuntimeError),
    "weight of bilinear": (lambda: F.bilinear(ROWS, ROWS, ROWS), IndexError),
    "bias of bilinear": (lambda: F.bilinear(ROWS, ROWS, ft.ones(4, 3, 3), LINE), RuntimeError),
    "padding": (lambda: F.conv2d(ft.ones(2, 1, 5, 3), ft.ones(1, 2, 3), None, 1, "same"), RuntimeError),
    "limits of hardtanh": (lambda: F.hardtanh(ROWS.int(), max_val=1e30), RuntimeError),
}


@pytest.mark.parametrize("name", MISFITS)
def test_exceptions_are_pytorchs(name):
    call, error = MISFITS[name]
    with pytest.raises(error) as caught:
        call()
    assert type(caught.value) is error


def test_lengths_of_another_shape_broadcast():
    v = ft.ones(3, 4)
    assert native("_weight_norm")(v, ft.tensor(2.0), 0).tolist() == [[1.0] * 4] * 3
    with pytest.raises(RuntimeError, match="must match"):
        native("_weight_norm")(v, ft.ones(2, 1), 0)


TestSamples = check_values("nn.native")
TestDerivatives = check_derivatives("nn.native")
TestBatches = check_batches("nn.native")


def test_native_dropout_of_nothing():
    x = ft.empty(0, 3)
    result, mask = ft.native_dropout(x, 0.5, True)
    assert result.shape == mask.shape == (0, 3) and mask.dtype is ft.float32
