"""Modules called with other tensors in place of their own, and many of them at once."""

import pytest

import flambeau_nn as nn
import flambeau_tensor as torch
from flambeau_autograd.func import grad, vmap
from flambeau_nn.func import functional_call, replace_all_batch_norm_modules_, stack_module_state
from flambeau_nn.utils import stateless

F = nn.functional


@pytest.fixture
def layer():
    return nn.Linear(2, 1)


WEIGHTS = {"weight": torch.ones(1, 2), "bias": torch.zeros(1)}
POINT = torch.tensor([2.0, 3.0])


class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(2, 2, bias=False), nn.Linear(2, 2, bias=False)
        self.b.weight = self.a.weight

    def forward(self, x):
        return self.b(self.a(x))


def test_the_module_has_its_own_back(layer):
    own = dict(layer.named_parameters())
    assert functional_call(layer, WEIGHTS, POINT).tolist() == [5.0]
    assert functional_call(layer, [{"weight": torch.ones(1, 2)}, {"bias": torch.zeros(1)}], (POINT,)).tolist() == [5.0]
    assert functional_call(layer, {"bias": torch.zeros(1)}, (), {"input": POINT}).shape == (1,)
    with pytest.raises(RuntimeError):
        functional_call(layer, {"weight": torch.ones(1, 3)}, POINT)
    assert all(layer.get_parameter(name) is p for name, p in own.items())


def test_names(layer):
    for wrong, error, match in (
        (3, ValueError, "to be a dict, or a list/tuple of dicts"),
        ((WEIGHTS, 3), ValueError, "to be dictionaries"),
        ((WEIGHTS, {"bias": torch.ones(1)}), ValueError, r"\['bias'\] appeared in multiple dictionaries"),
        ({"bias": 3}, TypeError, "not an instance of torch.Tensor"),
        ({"0.bias": 3}, AttributeError, "no attribute"),
        ({"in_features": torch.ones(1)}, TypeError, "`in_features`: 2 is not an instance of torch.Tensor"),
    ):
        with pytest.raises(error, match=match):
            functional_call(layer, wrong, POINT)
    functional_call(layer, {**WEIGHTS, "more": torch.ones(1)}, POINT)
    assert not hasattr(layer, "more")
    with pytest.raises(RuntimeError, match=r"Unexpected key\(s\): 'more'.\n\tMissing key\(s\): 'weight'"):
        functional_call(layer, {"bias": torch.ones(1), "more": torch.ones(1)}, POINT, strict=True)
    assert functional_call(layer, WEIGHTS, POINT, strict=True).tolist() == [5.0]


def test_tied_weights():
    module, one = Tied(), torch.ones(2)
    for name in ("a.weight", "b.weight"):
        assert functional_call(module, {name: torch.eye(2) * 3}, one).tolist() == [9.0, 9.0]
    assert functional_call(module, {"a.weight": torch.eye(2)}, one, strict=True).tolist() == [1.0, 1.0]
    several = {"a.weight": torch.eye(2) * 3, "b.weight": torch.eye(2)}
    with pytest.raises(ValueError, match=r"multiple values for keys \['a.weight', 'b.weight'\], which are tied"):
        functional_call(module, several, one)
    assert functional_call(module, several, one, tie_weights=False).tolist() == [3.0, 3.0]
    assert module.a.weight is module.b.weight


def test_buffers_that_are_replaced_go_to_the_dict():
    class Counter(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("n", torch.zeros(1))

        def forward(self, x):
            self.n = self.n + x
            return self.n

    module, state = Counter(), {"n": torch.ones(1)}
    functional_call(module, state, torch.ones(1))
    assert state["n"].tolist() == [2.0] and module.n.tolist() == [0.0]
    norm = nn.BatchNorm1d(2)
    state = {"running_mean": torch.zeros(2), "running_var": torch.ones(2), "num_batches_tracked": torch.tensor(0)}
    functional_call(norm, state, torch.tensor([[1.0, 2.0], [3.0, 4.0]]))
    assert state["num_batches_tracked"].item() == 1 and norm.num_batches_tracked.item() == 0
    assert torch.allclose(state["running_mean"], torch.tensor([0.2, 0.3])) and norm.running_mean.tolist() == [0.0, 0.0]


def test_the_older_name(layer):
    with pytest.warns(FutureWarning, match="stateless.functional_call` is deprecated"):
        assert stateless.functional_call(layer, WEIGHTS, POINT).tolist() == [5.0]


def test_per_sample_gradients():
    net = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.LayerNorm(4), nn.Linear(4, 5))
    params = {name: p.detach() for name, p in net.named_parameters()}
    x, y = torch.linspace(-1, 1, 18).view(6, 3), torch.tensor([0, 1, 2, 3, 4, 0])

    def loss(params, x, y):
        return F.cross_entropy(functional_call(net, params, (x[None],)), y[None])

    found = vmap(grad(loss), in_dims=(None, 0, 0))(params, x, y)
    for i in range(6):
        net.zero_grad()
        F.cross_entropy(net(x[i : i + 1]), y[i : i + 1]).backward()
        for name, p in net.named_parameters():
            assert torch.allclose(found[name][i], p.grad, atol=1e-6), name


def test_per_sample_gradients_of_embeddings():
    table = nn.Embedding(5, 2)
    indices = torch.tensor([[0, 1], [2, 2], [4, 0]])

    def loss(params, index):
        return functional_call(table, params, (index,)).pow(2).sum()

    found = vmap(grad(loss), in_dims=(None, 0))({"weight": table.weight.detach()}, indices)["weight"]
    for i in range(3):
        table.zero_grad()
        table(indices[i]).pow(2).sum().backward()
        assert torch.allclose(found[i], table.weight.grad)


def test_many_models():
    models = [nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3)).eval() for _ in range(4)]
    params, buffers = stack_module_state(models)
    assert params["0.weight"].shape == (4, 3, 2) and params["0.weight"].is_leaf and params["0.weight"].requires_grad
    assert buffers["1.running_mean"].shape == (4, 3) and not buffers["1.running_mean"].requires_grad
    x = torch.ones(5, 2)
    found = vmap(lambda p, b: functional_call(models[0], (p, b), (x,)))(params, buffers)
    assert torch.allclose(found, torch.stack([m(x) for m in models]), atol=1e-6)
    found.sum().backward()
    assert params["0.weight"].grad.shape == (4, 3, 2)


def test_models_that_do_not_go_together(layer):
    frozen = nn.Linear(2, 1)
    frozen.weight.requires_grad_(False)
    for models, match in (
        ([], "at least one model"),
        ([layer, nn.Linear(2, 1).eval()], "same training/eval mode"),
        ([layer, nn.ReLU()], "of the same class"),
        ([layer, frozen], "same .requires_grad"),
    ):
        with pytest.raises(RuntimeError, match=match):
            stack_module_state(models)


def test_batch_norm_under_vmap():
    net = nn.Sequential(nn.BatchNorm1d(2))
    examples = torch.arange(24.0).view(3, 4, 2)
    with pytest.raises(RuntimeError, match="would write many examples into one tensor"):
        vmap(net)(examples)
    assert replace_all_batch_norm_modules_(net) is net and net[0].running_mean is None
    assert torch.allclose(vmap(net)(examples), torch.stack([net(e) for e in examples]), atol=1e-6)


def test_ordinary_tensor_attributes_are_replaced_for_the_length_of_the_call():
    class M(nn.Module):
        def __init__(self):
            super().__init__()
            self.w, self.n = torch.ones(2), 3

        def forward(self, x):
            return self.w * x

    m = M()
    kept = m.w
    assert functional_call(m, {"w": torch.zeros(2)}, (torch.ones(2),)).tolist() == [0, 0]
    assert m.w is kept
    with pytest.raises(TypeError, match="attribute `n`: 3 is not an instance of torch.Tensor"):
        functional_call(m, {"n": torch.zeros(2)}, (torch.ones(2),))
    with pytest.raises(KeyError, match="be empty string"):
        functional_call(m, {"": torch.zeros(2)}, (torch.ones(2),))


def test_modules_that_hold_each_other(layer):
    class Outer(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = layer
            layer.outer = self

        def forward(self, x):
            return self.layer(x)

    outer = Outer()
    weights = {"layer.outer.layer.weight": WEIGHTS["weight"], "layer.bias": WEIGHTS["bias"]}
    assert functional_call(outer, weights, POINT, tie_weights=False).tolist() == [5.0]


def test_parameters_that_the_module_lacks_are_listed(layer):
    class Listing(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = layer

        def forward(self):
            return list(dict(self.named_parameters()))

    listing = Listing()
    assert functional_call(listing, {"layer.more": nn.Parameter(POINT)}, ())[-1] == "layer.more"
    assert "layer.more" not in functional_call(listing, {"layer.more": POINT}, ())
    assert not hasattr(layer, "more")


def test_parametrized_weights(layer):
    """The value of a parametrized weight goes through the inverse of its parametrizations, as in an assignment."""
    from flambeau_nn.utils.parametrize import register_parametrization

    class Doubled(nn.Module):
        def forward(self, x):
            return 2 * x

        def right_inverse(self, y):
            return y / 2

    register_parametrization(layer, "weight", Doubled())
    own, bias = layer.weight.detach().clone(), layer.bias.item()
    assert functional_call(layer, {"weight": torch.ones(1, 2)}, (POINT,)).item() == pytest.approx(5 + bias)
    assert torch.allclose(layer.weight, own)
