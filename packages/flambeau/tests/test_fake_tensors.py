"""FakeTensorMode: programs on tensors without elements. What they say was written down with PyTorch 2.13."""

import copy

import pytest

import flambeau as torch
from flambeau import nn
from flambeau._subclasses.fake_tensor import (
    DataDependentOutputException,
    DynamicOutputShapeException,
    FakeTensor,
    FakeTensorMode,
    UnsupportedOperatorException,
    is_fake,
    maybe_get_fake_mode,
    unset_fake_temporarily,
)
from flambeau.utils._python_dispatch import TorchDispatchMode, _get_current_dispatch_mode_stack


@pytest.fixture
def mode():
    return FakeTensorMode()


def test_what_is_made_and_what_comes_of_it(mode):
    with mode:
        x = torch.ones(2, 3)
        y = (x @ x.t()).relu()
        assert torch.empty(10**6, 10**6).matmul(torch.empty(10**6, 10)).shape == (10**6, 10)
    assert type(y) is FakeTensor and y.fake_mode is mode is maybe_get_fake_mode(y)
    assert (y.shape, y.stride(), y.dtype, y.device) == ((2, 2), (2, 1), torch.float32, torch.device("cpu"))
    assert not y.is_meta and is_fake(y) and not is_fake(torch.ones(1))
    outside = y + 1
    assert type(outside) is FakeTensor and outside.fake_mode is mode


def test_blocks_without_the_mode(mode):
    class Counting(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            return func(*args, **(kwargs or {}))

    with unset_fake_temporarily() as found:
        assert found is None and type(torch.ones(1)) is torch.Tensor
    with mode, Counting() as inner:
        with pytest.raises(ZeroDivisionError), unset_fake_temporarily() as found:
            assert found is mode and type(torch.ones(1)) is torch.Tensor
            assert _get_current_dispatch_mode_stack() == [inner]
            raise ZeroDivisionError
        assert _get_current_dispatch_mode_stack() == [mode, inner] and type(torch.ones(1)) is FakeTensor


def test_printing(mode):
    with mode:
        x = torch.ones(2)
        assert repr(x) == "FakeTensor(..., size=(2,))"
        assert repr(torch.ones(2, dtype=torch.int64)) == "FakeTensor(..., size=(2,), dtype=torch.int64)"
        made = torch.ones(2, requires_grad=True) * 2
        assert repr(made) == "FakeTensor(..., size=(2,), grad_fn=<MulBackward0>)"
    there = FakeTensor(mode, torch.empty(2, device="meta"), "cuda:0") + 1
    assert there.device == torch.device("cuda", 0) and repr(there) == "FakeTensor(..., size=(2,), device='cuda:0')"


def test_elements_are_not_there(mode):
    with mode:
        x = torch.ones(3)
        with pytest.raises(DataDependentOutputException, match=r"^aten._local_scalar_dense.default$"):
            x.sum().item()
        with pytest.raises(DataDependentOutputException):
            bool(x[0] > 0)
        with pytest.raises(DataDependentOutputException):
            x.tolist()
        for function in (torch.nonzero, lambda t: t[t > 0], torch.unique):
            with pytest.raises(DynamicOutputShapeException):
                function(x)
        assert torch.tensor(2.0).item() == 2.0  # a number that the program has written
    with pytest.raises(RuntimeError, match="not supported for tensor subclasses"):
        x.numpy()


def test_tensors_with_elements_beside_them(mode):
    real = torch.ones(2, 3)
    with mode, pytest.raises(AssertionError, match="Please convert all Tensors to FakeTensors first.*aten.add.Tensor"):
        torch.ones(2, 3) + real
    with mode:
        assert (torch.ones(2, 3) + torch.tensor(2.0)).shape == (2, 3)
    with FakeTensorMode(allow_non_fake_inputs=True):
        assert (torch.ones(2, 3) + real).shape == (2, 3)
    with pytest.raises(AssertionError, match="Mixing fake modes"):
        mode.from_tensor(real) + FakeTensorMode().from_tensor(real)


def test_of_tensors_with_elements(mode):
    real = torch.ones(4, 2, dtype=torch.float64).t()
    fake = mode.from_tensor(real)
    assert (fake.shape, fake.stride(), fake.dtype) == (real.shape, real.stride(), real.dtype)
    assert mode.from_tensor(real) is fake is mode.from_tensor(fake)
    parameter = mode.from_tensor(nn.Parameter(torch.ones(2)))
    assert isinstance(parameter, nn.Parameter) and parameter.requires_grad and type(parameter) is FakeTensor


def test_a_step_of_training(mode):
    with mode:
        net = nn.Sequential(
            nn.Conv2d(3, 8, 3, padding=1),
            nn.BatchNorm2d(8),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Flatten(),
            nn.Linear(8 * 16, 10),
        )
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        out = net(torch.randn(2, 3, 8, 8))
        loss = nn.functional.cross_entropy(out, torch.zeros(2, dtype=torch.long))
        loss.backward()
        optimizer.step()
    weight = net[0].weight
    assert isinstance(weight, nn.Parameter) and len(list(net.parameters())) == 6
    assert type(weight.grad) is FakeTensor and weight.grad.shape == (8, 3, 3, 3)
    assert (out.shape, loss.shape) == ((2, 10), ())


def test_larger_models(mode):
    with mode:
        assert nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)(torch.randn(2, 5, 8)).shape == (2, 5, 8)
        assert nn.LSTM(3, 4, 2)(torch.ones(5, 2, 3))[0].shape == (5, 2, 4)
        assert nn.Embedding(10, 3)(torch.tensor([[1, 2]])).shape == (1, 2, 3)
    real = nn.GRU(3, 4)
    with FakeTensorMode(allow_non_fake_inputs=True):
        assert real(torch.ones(5, 2, 3))[0].shape == (5, 2, 4)


def test_views_and_writes(mode):
    with mode:
        x, w = torch.ones(2, 3), torch.zeros(4)
        assert x.view(6).shape == (6,) and w.add_(1) is w
        assert x.t_() is x and x.shape == (3, 2)
        parts = x.split(2)
        assert [p.shape for p in parts] == [(2, 2), (1, 2)]
        assert type(copy.deepcopy(w)) is FakeTensor is type(w.clone()) is type(w.detach())
        assert w.double().dtype is torch.float64 and w.cpu().device.type == "cpu"


def test_custom_operators_say_what_they_look_like(mode):
    lib = torch.library.Library("fake_tests", "DEF")
    lib.define("known(Tensor x) -> Tensor")
    lib.impl("known", lambda x: x.repeat(2), "CPU")

    @torch.library.custom_op("fake_tests::unknown", mutates_args=())
    def unknown(x: torch.Tensor) -> torch.Tensor:
        return torch.from_numpy(x.numpy() + 1)

    torch.library.register_fake("fake_tests::known", lambda x: x.new_empty(2 * x.shape[0]), lib=lib)
    x = mode.from_tensor(torch.ones(3))
    assert torch.ops.fake_tests.known(x).shape == (6,)
    with pytest.raises(UnsupportedOperatorException, match="fake_tests.unknown.default"):
        unknown(x)
