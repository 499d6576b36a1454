"""State dicts: what is saved, what is refused. Texts were made with PyTorch 2.13."""

from collections import OrderedDict

import pytest

import flambeau_nn as nn
import flambeau_tensor as ft


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(2, 3)
        self.scale = nn.Parameter(ft.tensor(2.0))
        self.register_buffer("kept", ft.ones(2))
        self.register_buffer("passing", ft.ones(1), persistent=False)


def changed(**changes):
    """A state dict with entries replaced, or dropped where None is given."""
    state = Net().state_dict()
    for key, value in changes.items():
        key = key.replace("__", ".")
        if value is None:
            del state[key]
        else:
            state[key] = value
    return state


def test_contents():
    m = Net()
    state = m.state_dict()
    assert list(state) == ["scale", "kept", "lin.weight", "lin.bias"]
    assert type(state) is OrderedDict and dict(state._metadata) == {"": {"version": 1}, "lin": {"version": 1}}
    assert state["lin.weight"].data_ptr() == m.lin.weight.data_ptr() and not state["lin.weight"].requires_grad
    assert m.state_dict(keep_vars=True)["scale"] is m.scale
    assert list(m.state_dict(prefix="p."))[:2] == ["p.scale", "p.kept"]
    destination = {}
    assert m.lin.state_dict(destination=destination) is destination and list(destination) == ["weight", "bias"]


def test_round_trip():
    a, b = Net(), Net()
    ft.manual_seed(1)
    nn.init.normal_(a.lin.weight)
    before = b.lin.weight
    result = b.load_state_dict(a.state_dict())
    assert repr(result) == "<All keys matched successfully>" and result == ([], [])
    assert b.lin.weight is before and (b.lin.weight == a.lin.weight).all() and b.lin.weight.requires_grad
    assert b.load_state_dict(dict(a.state_dict())) == ([], [])


def test_dtype_is_the_modules():
    m = Net().double()
    m.load_state_dict(Net().state_dict())
    assert m.lin.weight.dtype is ft.float64


def test_assign_takes_tensors_over():
    state = Net().double().state_dict()
    m = Net()
    m.lin.bias.requires_grad_(False)
    m.load_state_dict(state, assign=True)
    assert m.lin.weight.data_ptr() == state["lin.weight"].data_ptr() and m.lin.weight.dtype is ft.float64
    assert type(m.lin.weight) is nn.Parameter and m.lin.weight.requires_grad and not m.lin.bias.requires_grad
    assert m.kept.data_ptr() == state["kept"].data_ptr()


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"scale": None, "lin__bias": None}, 'Missing key(s) in state_dict: "scale", "lin.bias". '),
        (
            {"q": ft.ones(1), "lin__zz": ft.ones(1), "no__such__w": ft.ones(1)},
            'Unexpected key(s) in state_dict: "q", "no.such.w", "lin.zz". ',
        ),
        (
            {"lin__weight": ft.ones(3, 3)},
            "size mismatch for lin.weight: copying a param with shape torch.Size([3, 3]) from checkpoint, the shape in "
            "current model is torch.Size([3, 2]).",
        ),
        (
            {"scale": 3},
            'While copying the parameter named "scale", expected torch.Tensor or Tensor-like object from '
            "checkpoint "
            "but received <class 'int'>",
        ),
    ],
)
def test_errors(changes, text):
    m = Net()
    before = [p.detach().clone() for p in m.parameters()]
    with pytest.raises(RuntimeError) as caught:
        m.load_state_dict(changed(**changes))
    assert str(caught.value) == f"Error(s) in loading state_dict for Net:\n\t{text}"
    if "scale" in changes:
        assert (m.scale == before[0]).all()


def test_several_errors_at_once():
    with pytest.raises(RuntimeError) as caught:
        Net().load_state_dict(changed(scale=None, q=ft.ones(1), kept=ft.ones(3)))
    missing, unexpected, size = str(caught.value).split("\n\t")[1:]
    assert missing.startswith("Missing") and unexpected.startswith("Unexpected") and size.startswith("size mismatch")


def test_not_strict():
    m = Net()
    result = m.load_state_dict(changed(scale=None, q=ft.ones(1), kept=ft.zeros(2)), strict=False)
    assert result.missing_keys == ["scale"] and result.unexpected_keys == ["q"] and not m.kept.any()
    assert repr(result) == "_IncompatibleKeys(missing_keys=['scale'], unexpected_keys=['q'])"
    with pytest.raises(RuntimeError, match="size mismatch"):
        m.load_state_dict(changed(kept=ft.zeros(3)), strict=False)
    with pytest.raises(TypeError, match=r"Expected state_dict to be dict-like, got <class 'list'>\."):
        m.load_state_dict([1])


def test_one_element_for_a_scalar():
    m = Net()
    m.load_state_dict(changed(scale=ft.tensor([5.0])))
    assert m.scale.shape == () and m.scale.item() == 5


def test_extra_state():
    class Extra(nn.Module):
        def get_extra_state(self):
            return {"v": 1}

        def set_extra_state(self, state):
            self.got = state

    outer = nn.Sequential(Extra())
    assert outer.state_dict() == {"0._extra_state": {"v": 1}}
    other = nn.Sequential(Extra())
    other.load_state_dict(outer.state_dict())
    assert other[0].got == {"v": 1}
    with pytest.raises(RuntimeError, match='Missing key.*"_extra_state"'):
        Extra().load_state_dict({})
    with pytest.raises(RuntimeError, match='Unexpected key.*"_extra_state"'):
        nn.ReLU().load_state_dict({"_extra_state": 3})


def test_version_reaches_the_loader():
    seen = []

    class Versioned(nn.Module):
        _version = 7

        def _load_from_state_dict(self, state_dict, prefix, local_metadata, *args):
            seen.append((prefix, local_metadata.get("version")))
            super()._load_from_state_dict(state_dict, prefix, local_metadata, *args)

    m = nn.Sequential(Versioned())
    m.load_state_dict(m.state_dict())
    m.load_state_dict({})
    assert seen == [("0.", 7), ("0.", None)]


def test_hooks():
    log = []
    m = Net()
    m.register_state_dict_pre_hook(lambda module, prefix, keep_vars: log.append(("pre", prefix, keep_vars)))
    m.register_state_dict_post_hook(lambda module, state, prefix, metadata: log.append(("post", len(state), metadata)))
    handle = m.lin._register_state_dict_hook(lambda module, state, prefix, metadata: log.append(prefix))
    m.state_dict()
    assert log == [("pre", "", False), "lin.", ("post", 4, {"version": 1})]
    handle.remove()
    log.clear()

    def rename(module, state, prefix, metadata, strict, missing, unexpected, errors):
        assert module is m.lin
        state[prefix + "weight"] = state.pop(prefix + "old")

    m.lin.register_load_state_dict_pre_hook(rename)
    m.register_load_state_dict_post_hook(lambda module, keys: keys.missing_keys.clear())
    state = changed(scale=None)
    state["lin.old"] = state.pop("lin.weight")
    assert m.load_state_dict(state, strict=True).missing_keys == []


def test_post_hook_returns_nothing():
    m = Net()
    m.register_state_dict_post_hook(lambda module, state, prefix, metadata: 3)
    with pytest.raises(RuntimeError, match="state_dict post-hook must return None"):
        m.state_dict()
    m = Net()
    m.register_load_state_dict_post_hook(lambda module, keys: 3)
    with pytest.raises(AssertionError, match="are not expected to return new values"):
        m.load_state_dict(m.state_dict())


def test_keys_of_what_is_none_are_unexpected():
    """A bias in a file is not dropped in silence by a layer that has none."""
    m = nn.Module()
    m.layer = nn.Linear(2, 2, bias=False)
    m.register_buffer("kept", None)
    m.add_module("below", None)
    state = {**m.state_dict(), "layer.bias": ft.ones(2), "kept": ft.ones(1), "below": ft.ones(1)}
    result = m.load_state_dict(state, strict=False)
    assert sorted(result.unexpected_keys) == ["below", "kept", "layer.bias"] and not result.missing_keys
    with pytest.raises(RuntimeError, match="Unexpected key"):
        m.load_state_dict(state)
    assert nn.BatchNorm1d(2, affine=False).load_state_dict({"weight": ft.ones(2)}, strict=False).unexpected_keys == [
        "weight"
    ]


def test_a_module_that_contains_itself_raises():
    module = nn.Sequential(nn.Linear(3, 3))
    module.add_module("again", module)
    for call in (module.state_dict, lambda: module.load_state_dict({})):
        with pytest.raises(RecursionError):
            call()
