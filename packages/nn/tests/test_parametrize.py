"""Parametrizations, and norms of weights the newer and the older way, against numbers of PyTorch 2.13."""

import copy
import pickle
import re

import pytest

import flambeau_nn as nn
import flambeau_tensor as ft
from flambeau_autograd import no_grad
from flambeau_nn import utils
from flambeau_nn.utils import parametrizations, parametrize


def layer(inner=4, outer=3):
    """A linear layer with sines for weights."""
    module = nn.Linear(inner, outer).double()
    with no_grad():
        for i, p in enumerate(module.parameters()):
            p.copy_(ft.arange(i, i + p.numel(), dtype=p.dtype).square().mul(0.3).sin().reshape(p.shape))
    return module


def orthogonal(kind):
    return lambda: parametrizations.orthogonal(layer(4, 4), orthogonal_map=kind)


LAYERS = {
    "weight_norm": lambda: parametrizations.weight_norm(layer()),
    "weight_norm of all": lambda: parametrizations.weight_norm(layer(), dim=None),
    "older weight_norm": lambda: utils.weight_norm(layer(), dim=1),
    "spectral_norm": lambda: parametrizations.spectral_norm(layer(), n_power_iterations=2),
    "older spectral_norm": lambda: utils.spectral_norm(layer()),
    "matrix_exp": orthogonal("matrix_exp"),
    "cayley": orthogonal("cayley"),
    "householder": orthogonal("householder"),
    "tall": lambda: parametrizations.orthogonal(layer(3, 5)),
    "no base": lambda: parametrizations.orthogonal(layer(3, 5), orthogonal_map="cayley", use_trivialization=False),
}
# The result, and the gradients of the parameters for the result's square, weighed by 1, 2, 3, …
EXPECTED = {
    "weight_norm": (56.48427283, [114.9124331, 425.3026737, -384.8844576]),
    "weight_norm of all": (56.48427283, [114.9124331, 103.4347964, -976.9241426]),
    "older weight_norm": (56.48427283, [114.9124331, 664.3822986, -1034.980385]),
    "spectral_norm": (61.826282, [202.6152633, -96.78047091]),
    "older spectral_norm": (61.79487069, [202.0995658, -145.7993885]),
    "matrix_exp": (-27.39580246, [-351.1854561, -554.8249009]),
    "cayley": (-27.39580246, [-351.1854561, -554.8249009]),
    "householder": (-27.39580246, [-351.1854561, -1109.649802]),
    "tall": (166.0665256, [844.0475396, -1264.702573]),
    "no base": (136.6128552, [692.1620103, 527.9386713]),
}


@pytest.mark.parametrize("name", EXPECTED)
@pytest.mark.filterwarnings("ignore:`torch.nn.utils.weight_norm` is deprecated")
def test_values_and_gradients(name, weighed):
    # The layer's own weights draw from the stream: what is drawn counts from there.
    ft.manual_seed(0)
    module = LAYERS[name]()
    inner = module.in_features  # asking for the weight would take a step
    x = ft.linspace(-1, 1, 20, dtype=ft.float64)[: inner * (20 // inner)].reshape((-1, inner))
    out = module(x)
    weighed(out * out).backward()
    of_out, of_parameters = EXPECTED[name]
    assert weighed(out).item() == pytest.approx(of_out, rel=1e-7)
    assert [weighed(p.grad).item() for p in module.parameters()] == pytest.approx(of_parameters, rel=1e-7)


@pytest.mark.parametrize("name", ["matrix_exp", "cayley", "householder", "tall"])
def test_orthogonal_matrices_are_assigned(name):
    ft.manual_seed(0)
    module = LAYERS[name]()
    n, k = module.weight.shape
    assert ft.allclose(module.weight.mT @ module.weight, ft.eye(k, dtype=ft.float64))
    given = ft.linalg.qr(ft.arange(float(n * k), dtype=ft.float64).cos().reshape(n, k))[0]
    module.weight = given
    assert ft.allclose(module.weight, given)
    with pytest.raises(ValueError, match="Expected a matrix or batch of matrices of shape"):
        module.weight = given[:1]


def test_the_largest_singular_value_becomes_one():
    module = parametrizations.spectral_norm(layer(), n_power_iterations=20)
    module.weight  # noqa: B018
    assert ft.linalg.matrix_norm(module.eval().weight, 2).item() == pytest.approx(1)
    assert module.weight.equal(module.weight)  # in evaluation nothing moves
    older = utils.spectral_norm(layer(), n_power_iterations=20)
    older(ft.ones(1, 4, dtype=ft.float64))
    assert ft.linalg.matrix_norm(older.weight, 2).item() == pytest.approx(1)


@pytest.mark.filterwarnings("ignore:`torch.nn.utils.weight_norm` is deprecated")
def test_the_older_ways_are_undone():
    for apply, remove, names in (
        (utils.weight_norm, utils.remove_weight_norm, ["bias", "weight_g", "weight_v"]),
        (utils.spectral_norm, utils.remove_spectral_norm, ["bias", "weight_orig", "weight_u", "weight_v"]),
    ):
        module = apply(layer())
        assert list(module.state_dict()) == names and not isinstance(module.weight, nn.Parameter)
        module(ft.ones(1, 4, dtype=ft.float64))
        value = module.weight
        assert ft.allclose(remove(module).weight, value) and list(module.state_dict()) == ["bias", "weight"]
        with pytest.raises(ValueError, match="of 'weight' not found in Linear"):
            remove(module)
        with pytest.raises(RuntimeError, match="Cannot register two"):
            apply(apply(layer()))


def test_weight_norm_warns_and_loads_older_states():
    with pytest.warns(FutureWarning, match="`torch.nn.utils.weight_norm` is deprecated in favor of"):
        older = utils.weight_norm(layer())
    newer = parametrizations.weight_norm(nn.Linear(4, 3).double())
    newer.load_state_dict(older.state_dict())
    assert ft.allclose(newer.weight, layer().weight)
    assert list(newer.state_dict())[1:] == ["parametrizations.weight.original0", "parametrizations.weight.original1"]


# --- parametrizations of one's own ----------------------------------------------------------------------------------


class Symmetric(nn.Module):
    def forward(self, x):
        return x.triu() + x.triu(1).mT

    def right_inverse(self, x):
        return x.triu()


class Exp(nn.Module):
    def forward(self, x):
        return x.exp()


class Half(nn.Module):
    def forward(self, x):
        return x.half()


class Sum(nn.Module):
    def forward(self, a, b):
        return a + b

    def right_inverse(self, x):
        return x / 2, x / 2


def test_register_and_remove():
    module = layer(4, 4)
    before = module.weight.detach().clone()
    assert parametrize.register_parametrization(module, "weight", Symmetric()) is module
    assert repr(module).startswith("ParametrizedLinear(\n  in_features=4, out_features=4, bias=True\n  (parametri")
    assert ft.allclose(module.weight, before.triu() + before.triu(1).mT)
    assert parametrize.is_parametrized(module, "weight") and not parametrize.is_parametrized(module, "bias")
    assert parametrize.type_before_parametrizations(module) is nn.Linear and type(module) is not nn.Linear
    assert isinstance(module, nn.Linear)
    assert list(dict(module.named_parameters())) == ["bias", "parametrizations.weight.original"]
    module.weight = ft.eye(4, dtype=ft.float64)
    assert module.parametrizations.weight.original.equal(ft.eye(4, dtype=ft.float64))
    parametrize.register_parametrization(module, "weight", Exp())
    assert module.weight[0, 0].item() == pytest.approx(2.718281828) and module.weight[0, 1].item() == 1
    with parametrize.cached():
        assert module.weight is module.weight
    assert module.weight is not module.weight
    module(ft.ones(1, 4, dtype=ft.float64)).sum().backward()
    assert module.parametrizations.weight.original.grad.shape == (4, 4)
    value = module.weight
    parametrize.remove_parametrizations(module, "weight")
    assert type(module) is nn.Linear and module.weight.equal(value) and not hasattr(module, "parametrizations")
    assert isinstance(module.weight, nn.Parameter)


def test_several_originals_buffers_and_transfer():
    module = layer()
    before = module.weight.detach().clone()
    parametrize.register_parametrization(module, "weight", Sum())
    assert ft.allclose(module.weight, before)
    assert [n for n, _ in module.named_parameters()] == [
        "bias",
        "parametrizations.weight.original0",
        "parametrizations.weight.original1",
    ]
    other = parametrize.transfer_parametrizations_and_params(module, nn.Linear(4, 3).double())
    assert ft.allclose(other.weight, before)
    with pytest.raises(ValueError, match="Cannot leave unparametrized"):
        parametrize.remove_parametrizations(module, "weight", leave_parametrized=False)
    parametrize.remove_parametrizations(module, "weight")
    assert ft.allclose(module.weight, before)
    norm = nn.BatchNorm1d(3)
    parametrize.register_parametrization(norm, "running_mean", Exp())
    assert norm.running_mean.tolist() == [1, 1, 1] and "parametrizations.running_mean.original" in norm.state_dict()


def test_copies_share_a_class_and_pickles_are_refused():
    module = parametrize.register_parametrization(layer(4, 4), "weight", Symmetric())
    copied = copy.deepcopy(module)
    assert type(copied) is type(module) and copied.weight.equal(module.weight)
    copied.weight = ft.eye(4, dtype=ft.float64)
    assert not copied.weight.equal(module.weight)
    with pytest.raises(RuntimeError, match="Serialization of parametrized modules is only supported through state_"):
        pickle.dumps(module)


ERRORS = {
    "no such tensor": (
        lambda: parametrize.register_parametrization(layer(), "nothing", Exp()),
        "does not have a parameter, a buffer, or a parametrized element with name 'nothing'",
    ),
    "dtype": (
        lambda: parametrize.register_parametrization(layer(), "weight", Half()),
        "Registering a parametrization may not change the dtype of the tensor, unless `unsafe` flag is enabled.\n"
        "unparametrized dtype: torch.float64\nparametrized dtype: torch.float16",
    ),
    "remove": (
        lambda: parametrize.remove_parametrizations(layer(), "weight"),
        "does not have a parametrization on weight",
    ),
    "map": (
        lambda: parametrizations.orthogonal(layer(), orthogonal_map="x"),
        'orthogonal_map has to be one of "matrix_exp", "cayley", "householder". Got: x',
    ),
    "vector": (
        lambda: parametrizations.orthogonal(layer(), "bias"),
        "Expected a matrix or batch of matrices. Got a tensor of 1 dimensions.",
    ),
    "no weight": (
        lambda: parametrizations.spectral_norm(layer(), "nothing"),
        "has no parameter or buffer with name 'nothing'",
    ),
    "steps": (
        lambda: parametrizations.spectral_norm(layer(), n_power_iterations=0),
        "Expected n_power_iterations to be positive, but got n_power_iterations=0",
    ),
}


@pytest.mark.parametrize("name", ERRORS)
def test_errors(name):
    call, text = ERRORS[name]
    with pytest.raises(ValueError, match=re.escape(text)):
        call()


def test_unsafe_parametrizations_may_change_the_dtype():
    module = parametrize.register_parametrization(layer(), "weight", Half(), unsafe=True)
    assert module.weight.dtype is ft.float16


# --- fusion and memory formats --------------------------------------------------------------------------------------


def normalization(kind):
    norm = kind(3).double()
    norm.running_mean.copy_(ft.tensor([0.5, -1, 2]))
    norm.running_var.copy_(ft.tensor([0.5, 1, 4]))
    return norm.eval()


def test_fusion():
    linear, norm = layer().eval(), normalization(nn.BatchNorm1d)
    x = ft.arange(8.0, dtype=ft.float64).cos().reshape(2, 4)
    fused = utils.fuse_linear_bn_eval(linear, norm)
    assert type(fused) is nn.Linear and ft.allclose(fused(x), norm(linear(x))) and fused is not linear
    conv, norm = nn.Conv2d(2, 3, 2, bias=False).double().eval(), normalization(nn.BatchNorm2d)
    maps = ft.arange(36.0, dtype=ft.float64).cos().reshape(2, 2, 3, 3)
    assert ft.allclose(utils.fuse_conv_bn_eval(conv, norm)(maps), norm(conv(maps)))
    conv = nn.ConvTranspose2d(2, 3, 2).double().eval()
    assert ft.allclose(utils.fuse_conv_bn_eval(conv, norm, transpose=True)(maps), norm(conv(maps)))
    with pytest.raises(AssertionError, match="Fusion only for eval!"):
        utils.fuse_conv_bn_eval(conv.train(), norm)
    with pytest.raises(AssertionError, match="To fuse, linear.out_features == bn.num_features"):
        utils.fuse_linear_bn_eval(layer(4, 4).eval(), normalization(nn.BatchNorm1d))


def test_memory_formats_of_weights():
    model = nn.Sequential(nn.Conv2d(2, 3, 2), nn.Conv3d(2, 3, 2), nn.Linear(2, 2))
    assert utils.convert_conv2d_weight_memory_format(model, ft.channels_last) is model
    assert model[0].weight.is_contiguous(memory_format=ft.channels_last) and model[1].weight.is_contiguous()
    utils.convert_conv3d_weight_memory_format(model, ft.channels_last_3d)
    assert model[1].weight.is_contiguous(memory_format=ft.channels_last_3d)
