"""Layers that take their sizes from the first input."""

import copy
import pickle
import warnings

import pytest

import flambeau_nn as nn
import flambeau_tensor as ft
from flambeau_nn.modules.lazy import LazyModuleMixin
from flambeau_nn.optim import SGD
from flambeau_nn.parameter import is_lazy

pytestmark = pytest.mark.filterwarnings("ignore:Lazy modules are a new feature:UserWarning")
# name: arguments, an input, what the layer is then
LAYERS = {
    "LazyLinear": ((3,), (2, 5), nn.Linear, (5, 3)),
    "LazyConv1d": ((6, 3), (2, 4, 8), nn.Conv1d, (4, 6, 3)),
    "LazyConv2d": ((6, 3, 2), (4, 8, 9), nn.Conv2d, (4, 6, 3, 2)),
    "LazyConv3d": ((6, 2), (2, 4, 3, 3, 3), nn.Conv3d, (4, 6, 2)),
    "LazyConvTranspose1d": ((6, 3), (4, 8), nn.ConvTranspose1d, (4, 6, 3)),
    "LazyConvTranspose2d": ((6, 3, 2, 1), (2, 4, 5, 5), nn.ConvTranspose2d, (4, 6, 3, 2, 1)),
    "LazyConvTranspose3d": ((6, 2), (2, 4, 3, 3, 3), nn.ConvTranspose3d, (4, 6, 2)),
    "LazyBatchNorm1d": ((), (5, 4), nn.BatchNorm1d, (4,)),
    "LazyBatchNorm2d": ((), (5, 4, 2, 2), nn.BatchNorm2d, (4,)),
    "LazyBatchNorm3d": ((), (5, 4, 2, 2, 2), nn.BatchNorm3d, (4,)),
    "LazyInstanceNorm1d": ((), (5, 4, 3), nn.InstanceNorm1d, (4, 1e-5, 0.1, True, True)),
    "LazyInstanceNorm2d": ((), (4, 2, 3), nn.InstanceNorm2d, (4, 1e-5, 0.1, True, True)),
    "LazyInstanceNorm3d": ((), (5, 4, 2, 2, 2), nn.InstanceNorm3d, (4, 1e-5, 0.1, True, True)),
}


def test_all_lazy_layers_are_here():
    assert set(LAYERS) == {name for name in dir(nn) if name.startswith("Lazy")}


@pytest.mark.parametrize("name", LAYERS)
def test_the_first_input_makes_the_layer(name):
    arguments, size, kind, of_kind = LAYERS[name]
    lazy, x = getattr(nn, name)(*arguments), ft.rand(size)
    assert repr(lazy).startswith(f"{name}(") and isinstance(lazy, kind) and lazy.has_uninitialized_params()
    assert all(is_lazy(p) for p in lazy.parameters()) and lazy.cls_to_become is kind
    assert {repr(p) for p in lazy.parameters()} == {"<UninitializedParameter>"}
    before = list(lazy.parameters())
    ft.manual_seed(3)
    y = lazy(x)
    ft.manual_seed(3)
    ready = kind(*of_kind)
    assert type(lazy) is kind and repr(lazy) == repr(ready) and ft.equal(y, ready(x))
    assert all(a is b and type(a) is nn.Parameter for a, b in zip(before, lazy.parameters(), strict=True))
    assert {k: v.tolist() for k, v in lazy.state_dict().items()} == {
        k: v.tolist() for k, v in ready.state_dict().items()
    }
    assert not lazy._forward_pre_hooks and not lazy._load_state_dict_pre_hooks
    assert not {"_initialize_hook", "_load_hook"} & vars(lazy).keys()
    assert all(type(b) is ft.Tensor for b in lazy.buffers())
    y.sum().backward()
    assert all(p.grad is not None for p in lazy.parameters())


@pytest.mark.parametrize("name", LAYERS)
def test_state_dicts(name):
    arguments, size, kind, of_kind = LAYERS[name]
    ready, x = kind(*of_kind), ft.rand(size)
    ready(x)  # statistics move
    loaded = getattr(nn, name)(*arguments)
    assert repr(loaded.load_state_dict(ready.state_dict())) == "<All keys matched successfully>"
    assert not loaded.has_uninitialized_params() and type(loaded) is not kind
    for key, value in ready.state_dict().items():
        assert ft.equal(loaded.state_dict()[key], value)
    assert ft.equal(loaded(x), ready(x)) and type(loaded) is kind and repr(loaded) == repr(ready)
    again = getattr(nn, name)(*arguments)
    again.load_state_dict(getattr(nn, name)(*arguments).state_dict())  # nothing has a size
    assert again.has_uninitialized_params()
    with pytest.raises(RuntimeError, match="Can't access the shape of an uninitialized parameter or buffer"):
        ready.load_state_dict(again.state_dict())


@pytest.mark.parametrize(
    "make",
    [copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m)), lambda m: m.double(), lambda m: m.to(ft.float64)],
    ids=["deepcopy", "pickle", "double", "to"],
)
@pytest.mark.parametrize("name", LAYERS)
def test_copies_and_conversions_before_the_first_input(name, make):
    arguments, size, kind, _ = LAYERS[name]
    lazy = make(getattr(nn, name)(*arguments))
    assert lazy.has_uninitialized_params() and repr(lazy).startswith(name)
    x = ft.rand(size).to(next(lazy.parameters()).dtype)
    assert lazy(x).dtype is x.dtype and type(lazy) is kind


def test_options_of_layers():
    assert nn.LazyLinear(2, bias=False).bias is None
    plain = nn.LazyBatchNorm1d(affine=False, track_running_stats=False)
    assert not plain.has_uninitialized_params() and plain.running_mean is None
    plain(ft.rand(3, 4))
    assert repr(plain) == "BatchNorm1d(4, eps=1e-05, momentum=0.1, affine=False, bias=False, track_running_stats=False)"
    grouped = nn.LazyConv2d(6, 3, groups=3, padding="same", dtype=ft.float64)
    assert grouped(ft.rand(2, 3, 5, 5).double()).shape == (2, 6, 5, 5) and grouped.weight.shape == (6, 1, 3, 3)
    with pytest.raises(ValueError, match="in_channels must be divisible by groups"):
        nn.LazyConv2d(6, 3, groups=2)(ft.rand(3, 5, 5))
    with pytest.raises(
        RuntimeError,
        match=r"Expected 3D \(unbatched\) or 4D \(batched\) input to LazyConv2d, but got "
        r"input of size: torch.Size\(\[2, 3\]\)",
    ):
        nn.LazyConv2d(6, 3)(ft.rand(2, 3))


def test_training_with_an_optimizer_that_came_first():
    model = nn.Sequential(nn.LazyLinear(4), nn.LazyBatchNorm1d(), nn.ReLU(), nn.LazyLinear(1))
    optimizer = SGD(model.parameters(), lr=0.1)
    ft.manual_seed(0)
    x = ft.rand(8, 3)
    losses = []
    for _ in range(5):
        optimizer.zero_grad()
        loss = ((model(x) - x.sum(1, keepdim=True)) ** 2).mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < losses[0] and repr(model[0]) == "Linear(in_features=3, out_features=4, bias=True)"


def test_parameters_without_sizes_refuse_what_needs_them():
    p = nn.UninitializedParameter(dtype=ft.float64)
    assert (p.dtype, p.requires_grad, p.is_leaf, p.grad, p.device.type) == (ft.float64, True, True, None, "cpu")
    assert isinstance(p, nn.Parameter) and p.size() == (0,) and p.half().dtype is ft.float16 and {p}
    for call in (lambda: p + 1, p.sum, lambda: ft.add(p, 1), p.numel, p.detach, lambda: len(p), lambda: p == 1):
        with pytest.raises(ValueError, match="Attempted to use an uninitialized parameter in "):
            call()
    with pytest.raises(RuntimeError, match="Can't access the shape of an uninitialized parameter"):
        p.shape  # noqa: B018
    with pytest.raises(RuntimeError, match="Can't share memory on an uninitialized parameter"):
        p.share_memory_()
    assert not is_lazy(nn.Parameter()) and is_lazy(p)
    p.materialize((2, 3))
    assert type(p) is nn.Parameter and p.shape == (2, 3) and p.dtype is ft.float64 and p.requires_grad
    q = nn.UninitializedParameter(requires_grad=False)
    q.materialize((1,), dtype=ft.bfloat16)
    assert q.dtype is ft.bfloat16 and not q.requires_grad


def test_buffers_without_sizes():
    b = nn.UninitializedBuffer(dtype=ft.int64, persistent=False)
    assert isinstance(b, nn.Buffer) and not isinstance(b, nn.Parameter) and repr(b) == "<UninitializedBuffer>"
    m = nn.Module()
    m.kept = b
    assert not m.state_dict() and m.kept is b
    b.materialize((2,))
    b.zero_()
    assert repr(b) == "tensor([0, 0])" and type(b + 1) is ft.Tensor and not b.is_floating_point()
    assert type(copy.deepcopy(b)) is type(b) and ft.equal(pickle.loads(pickle.dumps(b)), b)


class Scale(LazyModuleMixin, nn.Module):
    def __init__(self):
        super().__init__()
        self.factor = nn.UninitializedParameter()

    def initialize_parameters(self, x, *, ready=True):
        if ready:
            self.factor.materialize(x.shape[-1:])
            nn.init.ones_(self.factor)

    def forward(self, x, *, ready=True):
        return x * self.factor


def test_lazy_modules_of_ones_own():
    m = Scale()
    with pytest.raises(RuntimeError, match="module Scale has not been fully initialized"):
        m(ft.ones(2), ready=False)
    assert m(ft.ones(2)).tolist() == [1, 1] and type(m) is Scale and not hasattr(m, "_initialize_hook")

    class Unready(LazyModuleMixin, nn.Module):
        pass

    with pytest.raises(NotImplementedError, match="initialize_parameters is not implemented for Unready"):
        Unready()(1)


def test_making_one_warns():
    with pytest.warns(UserWarning, match="^Lazy modules are a new feature under heavy development"):
        nn.LazyLinear(2)


def test_one_size_may_be_a_number():
    p = nn.UninitializedParameter()
    p.materialize(10)
    assert type(p) is nn.Parameter and p.shape == (10,)


@pytest.mark.parametrize("name", ["spectral_norm", "weight_norm"])
def test_normalizing_a_weight_without_size(name):
    with pytest.raises(ValueError, match="can't have uninitialized parameters"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        getattr(nn.utils, name)(nn.LazyLinear(3))
