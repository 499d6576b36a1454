"""torch::python::bind_module: modules of C++ as modules of Python."""

from pathlib import Path

import numpy as np
import pytest

import flambeau_cext as cext
import flambeau_tensor as torch

nn = pytest.importorskip("flambeau_nn")

SOURCE = Path(__file__).parent / "programs" / "world" / "bound_modules.cpp"


def assert_equal(got, expected):
    np.testing.assert_allclose(got.detach().numpy(), expected.detach().numpy(), rtol=1e-6)


@pytest.fixture(scope="module")
def bound(tmp_path_factory):
    return cext.load("bound", SOURCE, extra_cflags=["-O0"], build_directory=tmp_path_factory.mktemp("bound"))


def test_values_and_gradients_are_those_of_python(bound):
    module, same = bound.Scaled(3, 2, scale=2.0), nn.Linear(3, 2)
    names = dict(module.named_parameters())
    same.weight.data.copy_(names["inner.weight"].detach())
    same.bias.data.copy_(names["inner.bias"].detach())
    x = torch.randn(4, 3)
    assert_equal(module(x), 2 * same(x))
    module(x).sum().backward()
    (2 * same(x)).sum().backward()
    assert_equal(names["inner.weight"].grad, same.weight.grad)
    module.zero_grad()
    assert [p.grad for p in module.parameters()] == [None, None]


def test_in_a_hierarchy_of_python(bound):
    module = bound.Scaled(3, 2)
    outer = nn.Sequential(nn.Sequential(module), nn.Tanh(), bound.Either())
    assert isinstance(module, nn.cpp.ModuleWrapper)
    assert [type(m).__name__ for m in outer.modules()] == [
        "Sequential", "Sequential", "Scaled", "Module", "Tanh", "Either",
    ]  # fmt: skip
    assert [name for name, _ in outer.named_parameters()] == ["0.0.inner.weight", "0.0.inner.bias"]
    assert [name for name, _ in outer.named_buffers()] == ["0.0.calls"]
    assert_equal(outer(torch.ones(1, 3)), 2 * module.forward(torch.ones(1, 3)).tanh())
    outer.double()
    assert {p.dtype for p in outer.parameters()} == {torch.float64} == {b.dtype for b in outer.buffers()}
    outer.eval()
    assert not module.training
    before = module.buffers()[0].item()
    outer(torch.ones(1, 3, dtype=torch.float64))
    assert module.buffers()[0].item() == before
    module.train()
    assert module.training
    assert repr(outer[0]) == "Sequential(\n  (0): Scaled\n)"


def test_what_cpp_changes_is_seen(bound):
    module = bound.Scaled(3, 2)
    assert (len(module._parameters), len(module._buffers), len(module._modules)) == (0, 1, 1)
    module.add("more")
    assert list(module._parameters.keys()) == ["more_weight"]
    assert "more" in module._modules and module._modules["more"].parameters()[0].shape == (2, 3)
    bias = module._modules["inner"].parameters()[1].clone()
    module.shift(torch.ones(2))
    assert_equal(module._modules["inner"].parameters()[1], bias + 1)


def test_dicts_and_copies(bound):
    module = bound.Scaled(3, 2)
    named = module.named_parameters()
    assert len(named) == 2 and "inner.bias" in named and named[0][0] == "inner.weight"
    assert [name for name, _ in module.named_modules()] == ["", "inner"]
    copy = module.clone()
    assert_equal(copy.named_parameters()["inner.weight"], named["inner.weight"])
    assert copy.named_parameters()["inner.weight"] is not named["inner.weight"]
    module.to(torch.float64)
    assert {p.dtype for p in module.parameters()} == {torch.float64}
    with pytest.raises(RuntimeError, match="flambeau has no device 'cuda'"):
        module.to("cuda")
    with pytest.raises(TypeError, match="incompatible constructor arguments"):
        bound.Scaled("three")
