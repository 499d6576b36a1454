"""Gradient clipping and parameters as a vector, against NumPy; errors and warnings as PyTorch 2.13 has them."""

import numpy as np
import pytest

import flambeau_tensor as ft
from flambeau_autograd import grad
from flambeau_nn import Linear, ReLU, utils

INF, NAN = float("inf"), float("nan")


def parameter(gradient):
    gradient = ft.tensor(gradient)
    p = ft.zeros(gradient.shape, dtype=gradient.dtype, requires_grad=True)
    p.grad = gradient
    return p


def parameters():
    return [parameter([3.0, -1.0]), ft.ones(3, requires_grad=True), parameter([[-4.0], [0.5]])]


ALL = np.array([3.0, -1, -4, 0.5])


@pytest.mark.parametrize("norm_type", [2, 2.0, 1, 3, 0.5, INF, "inf", -INF])
@pytest.mark.parametrize("foreach", [None, True, False])
def test_clip_grad_norm(norm_type, foreach):
    ps = parameters()
    # Norms of norms: for p = -inf and p < 1 as well.
    expected = np.linalg.norm(
        [np.linalg.norm(ALL[:2], float(norm_type)), np.linalg.norm(ALL[2:], float(norm_type))], float(norm_type)
    )
    total = utils.clip_grad_norm_(ps, 0.25, norm_type, foreach=foreach)
    assert total.item() == pytest.approx(expected, rel=1e-6)
    got = np.concatenate([ps[0].grad.numpy(), ps[2].grad.numpy().ravel()])
    np.testing.assert_allclose(got, ALL * (0.25 / expected), rtol=1e-5)
    assert ps[1].grad is None
    assert not total.requires_grad


def test_small_norms_are_left():
    ps = parameters()
    utils.clip_grad_norm_(ps, 100.0)
    assert ps[0].grad.tolist() == [3, -1]
    assert utils.clip_grad_norm_(parameter([0.0, 0.0]), 1.0).item() == 0


def test_one_tensor_none_and_generators():
    p = parameter([3.0, 4.0])
    assert utils.clip_grad_norm_(p, 1.0).item() == 5
    np.testing.assert_allclose(p.grad.numpy(), [0.6, 0.8], rtol=1e-6)
    assert utils.clip_grad_norm_([], 1.0).item() == 0
    assert utils.clip_grad_norm_([ft.ones(1, requires_grad=True)], 1.0).item() == 0
    q = parameter([3.0, 4.0])
    utils.clip_grad_norm_((p for p in [q]), 1.0)
    np.testing.assert_allclose(q.grad.numpy(), [0.6, 0.8], rtol=1e-6)
    with pytest.warns(
        UserWarning, match="`parameters` is an empty generator, no gradient clipping will occur"
    ) as caught:
        utils.clip_grad_norm_((p for p in []), 1.0)
    assert caught[0].filename == __file__


@pytest.mark.parametrize("bad", [INF, NAN])
def test_not_finite(bad):
    ps = [parameter([3.0]), parameter([bad])]
    with pytest.raises(RuntimeError) as caught:
        utils.clip_grad_norm_(ps, 1.0, 1, error_if_nonfinite=True)
    assert str(caught.value) == (
        "The total norm of order 1.0 for gradients from `parameters` is non-finite, so it cannot be clipped. To "
        "disable this error and scale the gradients by the non-finite norm anyway, set `error_if_nonfinite=False`"
    )
    assert ps[0].grad.item() == 3
    utils.clip_grad_norm_(ps, 1.0)
    np.testing.assert_array_equal(ps[0].grad.numpy(), [0 if bad == INF else NAN])
    assert ps[1].grad.isnan().all()


def test_dtypes():
    ps = [parameter(3.0).double(), parameter(4.0)]
    ps[0] = ft.zeros((), dtype=ft.float64, requires_grad=True)
    ps[0].grad = ft.tensor(3.0, dtype=ft.float64)
    total = utils.clip_grad_norm_(ps, 1.0)
    assert total.dtype == ft.float64
    assert total.item() == pytest.approx(5)
    assert ps[0].grad.dtype == ft.float64
    assert ps[1].grad.dtype == ft.float32
    half = ft.zeros(2, dtype=ft.float16, requires_grad=True)
    half.grad = ft.tensor([3.0, 4.0], dtype=ft.float16)
    utils.clip_grad_norm_(half, 1.0)
    assert half.grad.dtype == ft.float16
    np.testing.assert_allclose(half.grad.numpy(), [0.6, 0.8], rtol=2e-3)


def test_the_two_halves():
    tensors = [ft.tensor([1.0, 2]), ft.tensor([[2.0, 4.0]])]
    total = utils.get_total_norm(tensors)
    assert total.item() == pytest.approx(5)
    assert utils.get_total_norm(tensors[0], 1).item() == 3
    assert utils.get_total_norm([]).item() == 0
    with pytest.raises(RuntimeError, match="non-finite"):
        utils.get_total_norm([ft.tensor([INF])], error_if_nonfinite=True)
    p = parameter([3.0])
    assert utils.clip_grads_with_norm_([p], 2.0, ft.tensor(4.0)) is None
    assert p.grad.item() == pytest.approx(1.5, rel=1e-6)
    utils.clip_grads_with_norm_([], 2.0, total)


def test_clip_grad_value():
    ps = parameters()
    memory = ps[0].grad
    assert utils.clip_grad_value_(ps, 0.75, foreach=True) is None
    assert ps[0].grad is memory
    assert ps[0].grad.tolist() == [0.75, -0.75]
    assert ps[2].grad.tolist() == [[-0.75], [0.5]]
    p = parameter([3.0])
    utils.clip_grad_value_(p, "0.5")
    assert p.grad.tolist() == [0.5]


def test_old_name():
    p = parameter([3.0, 4.0])
    with pytest.warns(
        FutureWarning,
        match="`torch.nn.utils.clip_grad_norm` is now deprecated in favor of `torch.nn.utils.clip_grad_norm_`",
    ) as caught:
        assert utils.clip_grad_norm(p, 1.0).item() == 5
    assert caught[0].filename == __file__


def test_parameters_to_vector():
    a, b = ft.tensor([1.0, 2], requires_grad=True), ft.tensor([[3.0, 4], [5, 6]], requires_grad=True)
    v = utils.parameters_to_vector([a, b.t()])
    assert v.tolist() == [1, 2, 3, 5, 4, 6]
    assert grad((v * ft.arange(6.0)).sum(), b)[0].tolist() == [[2, 4], [3, 5]]
    with pytest.raises(ValueError, match="non-empty"):
        utils.parameters_to_vector([])


def test_vector_to_parameters():
    model = Linear(2, 3)
    v = ft.arange(9.0, requires_grad=True)
    assert utils.vector_to_parameters(v, model.parameters()) is None
    assert model.weight.tolist() == [[0, 1], [2, 3], [4, 5]]
    assert model.bias.tolist() == [6, 7, 8]
    assert model.weight.requires_grad
    assert model.weight.is_leaf
    assert model.weight.data_ptr() == v.data_ptr()
    assert utils.parameters_to_vector(model.parameters()).tolist() == v.tolist()
    with pytest.raises(TypeError, match="^expected torch.Tensor, but got: list$"):
        utils.vector_to_parameters([1, 2], model.parameters())
    with pytest.raises(RuntimeError, match=r"shape '\[3\]' is invalid for input of size 1"):
        utils.vector_to_parameters(ft.arange(7.0), model.parameters())


def test_skip_init():
    g = ft.manual_seed(0)
    state = g.get_state()
    layer = utils.skip_init(Linear, 2, 3, bias=False)
    assert isinstance(layer, Linear)
    assert layer.weight.shape == (3, 2)
    assert layer.bias is None
    assert g.get_state().equal(state)
    with pytest.raises(RuntimeError, match="Expected a Module; got <class 'int'>"):
        utils.skip_init(int)
    with pytest.raises(RuntimeError, match="Module must support a 'device' arg to skip initialization"):
        utils.skip_init(ReLU)


def test_state_dicts_of_the_first_spectral_norm():
    """They hold the normalized weight, and lack the second vector."""
    layer = utils.spectral_norm(Linear(3, 4))
    layer(ft.ones(2, 3))
    state = layer.state_dict()
    weight = layer.weight.detach().clone()
    old = {"weight_orig": state["weight_orig"], "weight_u": state["weight_u"], "bias": state["bias"], "weight": weight}
    other = utils.spectral_norm(Linear(3, 4))
    other.load_state_dict(old)
    other.eval()
    assert ft.allclose(other(ft.eye(3)), layer.eval()(ft.eye(3)), atol=1e-5)
    del old["weight_u"], old["weight"]
    with pytest.raises(RuntimeError, match="weight_u"):
        utils.spectral_norm(Linear(3, 4)).load_state_dict(old)
