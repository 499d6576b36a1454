"""torch.autocast on the CPU, and GradScaler."""

import pickle

import pytest

import flambeau as torch
from flambeau import nn
from flambeau.nn import functional as F


def test_products_compute_in_bfloat16():
    x = torch.ones(2, 2)
    with torch.autocast("cpu"):
        assert torch.is_autocast_enabled("cpu") and not torch.is_autocast_enabled()
        for y in (x @ x, x.mm(x), torch.matmul(x, x), nn.Linear(2, 2)(x), torch.einsum("ij,jk", x, x), x.matmul(x[0])):
            assert y.dtype is torch.bfloat16
        for y in (x + x, x.exp(), torch.mv(x, x[0]), torch.dot(x[0], x[0]), F.mse_loss(x.bfloat16(), x.bfloat16())):
            assert y.dtype is torch.float32
        assert (x.double() @ x.double()).dtype is torch.float64
        assert x.bfloat16().prod().dtype is torch.float32 and torch.softmax(x.bfloat16(), 0).dtype is torch.bfloat16
        with torch.autocast("cpu", enabled=False):
            assert (x @ x).dtype is torch.float32
        with torch.autocast("cpu", dtype=torch.float16):
            assert (x @ x).dtype is torch.float16 and torch.get_autocast_dtype("cpu") is torch.float16
        assert (x @ x).dtype is torch.bfloat16
    assert (x @ x).dtype is torch.float32 and not torch.is_autocast_cpu_enabled()


def test_gradients_have_the_dtype_of_parameters():
    model, x = nn.Linear(3, 2), torch.ones(4, 3)
    with torch.autocast("cpu", torch.bfloat16):
        loss = model(x).float().sum()
    loss.backward()
    assert model.weight.grad.dtype is torch.float32 and model.weight.grad.tolist() == [[4.0] * 3] * 2


def test_as_a_decorator():
    @torch.autocast("cpu")
    def product(x):
        return x @ x

    assert product(torch.ones(2, 2)).dtype is torch.bfloat16 and product.__name__ == "product"


def test_what_cannot_be_switched_on():
    with pytest.warns(UserWarning, match="CUDA is not available"):
        block = torch.autocast("cuda")
    with block:
        assert not torch.is_autocast_enabled() and torch.ones(1, 1).mm(torch.ones(1, 1)).dtype is torch.float32
    with pytest.warns(UserWarning, match="target dtype is not supported. Disabling"):
        torch.autocast("cpu", dtype=torch.float64)
    with pytest.raises(RuntimeError, match="Expected one of cpu"):
        torch.autocast("foo")
    with (
        pytest.warns(FutureWarning, match=r"`torch.cpu.amp.autocast\(args...\)` is deprecated"),
        torch.cpu.amp.autocast(),
    ):
        assert torch.is_autocast_enabled("cpu")


def test_functions_of_their_own():
    class Product(torch.autograd.Function):
        @staticmethod
        @torch.amp.custom_fwd(device_type="cpu", cast_inputs=torch.float32)
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x @ x

        @staticmethod
        @torch.amp.custom_bwd(device_type="cpu")
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            return grad @ x.mT + x.mT @ grad

    x = torch.eye(2, dtype=torch.bfloat16).requires_grad_()
    with torch.autocast("cpu"):
        y = Product.apply(x)
    assert y.dtype is torch.float32
    y.sum().backward()
    assert x.grad.tolist() == [[2.0, 2.0], [2.0, 2.0]]


def test_scaler_leaves_out_infinite_steps():
    w = torch.ones(2, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=0.5)
    scaler = torch.amp.GradScaler("cpu", init_scale=8.0, growth_interval=2)
    for factor, scale, value in ((1.0, 8.0, 0.5), (float("inf"), 4.0, 0.5), (1.0, 4.0, 0.0), (1.0, 8.0, -0.5)):
        optimizer.zero_grad()
        scaler.scale((w * factor).sum()).backward()
        scaler.step(optimizer)
        with pytest.raises(RuntimeError, match="already been called since"):
            scaler.step(optimizer)
        scaler.update()
        assert scaler.get_scale() == scale and w.tolist() == [value, value]
    assert scaler.state_dict() == {
        "scale": 8.0,
        "growth_factor": 2.0,
        "backoff_factor": 0.5,
        "growth_interval": 2,
        "_growth_tracker": 0,
    }
    other = pickle.loads(pickle.dumps(torch.amp.GradScaler("cpu")))
    other.load_state_dict(scaler.state_dict())
    assert other.get_scale() == 8.0


def test_scaler_without_cuda_does_nothing():
    with pytest.warns(UserWarning, match="CUDA is not available.  Disabling"):
        scaler = torch.amp.GradScaler()
    x = torch.ones(1)
    assert not scaler.is_enabled() and scaler.scale(x) is x and scaler.get_scale() == 1.0 and scaler.state_dict() == {}


def test_out_is_written_in_its_own_dtype():
    a = torch.ones(2, 2)
    calls = {
        "mm": (a, a),
        "matmul": (a, a),
        "addmm": (a, a, a),
        "bmm": (a[None], a[None]),
        "baddbmm": (a[None], a[None], a[None]),
        "addbmm": (a, a[None], a[None]),
        "chain_matmul": (a, a),  # the functions written in Python, too
    }
    for name, arguments in calls.items():
        expected = getattr(torch, name)(*arguments)
        out = torch.zeros_like(expected)
        with torch.autocast("cpu", torch.bfloat16):
            assert getattr(torch, name)(*arguments, out=out) is out
        assert out.dtype is torch.float32 and torch.equal(out, expected)


def test_recurrent_layers_compute_as_pytorchs():
    """PyTorch has no kernel of a GRU there, nor of the cell of an LSTM."""
    x = torch.randn(5, 2, 3)
    for kind, dtype, cell in (
        ("LSTM", "bfloat16", "float32"),
        ("RNN", "bfloat16", "bfloat16"),
        ("GRU", "float32", "float32"),
    ):
        layer = getattr(torch.nn, kind)(3, 4, num_layers=2, bidirectional=True)
        with torch.autocast("cpu", torch.bfloat16):
            out, state = layer(x)
            packed, _ = layer(torch.nn.utils.rnn.pack_sequence([x[:3, 0], x[:2, 1]]))
            step = getattr(torch.nn, f"{kind}Cell")(3, 4)(x[0])
        states = state if isinstance(state, tuple) else (state,)
        steps = step if isinstance(step, tuple) else (step,)
        assert {t.dtype for t in (out, packed.data, *states)} == {getattr(torch, dtype)}
        assert {t.dtype for t in steps} == {getattr(torch, cell)}
        torch.testing.assert_close(out.float(), layer(x)[0], atol=0.05, rtol=0.05)
        out.float().sum().backward()
        assert layer.weight_ih_l0.grad.dtype is torch.float32 and layer.weight_ih_l0.grad.abs().sum() > 0


def test_custom_operators_say_what_they_do_where_autocasting_is_on():
    @torch.library.custom_op("amp_tests::both", mutates_args=())
    def both(x: torch.Tensor, y: list[torch.Tensor]) -> torch.Tensor:
        return x + y[0]

    x = torch.ones(2)
    both.register_autocast("cpu", torch.bfloat16)
    with torch.autocast("cpu"):
        assert both(x, [x]).dtype is torch.ops.amp_tests.both(x, [x]).dtype is torch.bfloat16
        assert both(x.double(), [x.int()]).dtype is torch.float64
    assert both(x, [x]).dtype is torch.float32
    with pytest.raises(ValueError, match="Unknown device type: mps"):
        both.register_autocast("mps", torch.float16)

    lib = torch.library.Library("amp_tests", "FRAGMENT")
    lib.define("f(Tensor x) -> Tensor")
    lib.impl("f", lambda x: x + 1, "CPU")
    lib.impl("f", lambda x: x + 100, "AutocastCPU")
    assert torch.ops.amp_tests.f(x).tolist() == [2.0, 2.0]
    with torch.autocast("cpu"):
        assert torch.ops.amp_tests.f(x).tolist() == [101.0, 101.0]
        with torch.autocast("cpu", enabled=False):
            assert torch.ops.amp_tests.f(x).tolist() == [2.0, 2.0]


@pytest.mark.parametrize("reentrant", [False, True])
def test_a_checkpoint_runs_again_as_it_was_cast(reentrant):
    from flambeau.utils.checkpoint import checkpoint

    seen = []

    def function(x):
        y = x @ x
        seen.append(y.dtype)
        return y @ x

    x = torch.ones(2, 2, requires_grad=True)
    with torch.autocast("cpu"):
        y = checkpoint(function, x, use_reentrant=reentrant)
    y.float().sum().backward()
    plain = checkpoint(function, x, use_reentrant=reentrant)
    with torch.autocast("cpu"):
        plain.sum().backward()
    assert seen == [torch.bfloat16] * 2 + [torch.float32] * 2


def test_arguments_in_containers_and_of_that_dtype_already():
    x, half = torch.ones(2, 2), torch.ones(2, 2, dtype=torch.bfloat16)
    with torch.autocast("cpu"):
        assert torch.einsum("ij,jk->ik", [x, half]).dtype is torch.bfloat16
        assert torch.linalg.multi_dot((x, x, x)).dtype is torch.bfloat16
        assert F.linear(half, weight=x, bias=None).dtype is torch.bfloat16
        assert torch.mm(half, half).dtype is torch.bfloat16 and torch.svd(x)[1].dtype is torch.float32
    with torch.autocast("cpu", dtype=torch.float16):
        assert torch.mm(half, x).dtype is torch.float16


def test_recurrent_layers_take_smaller_inputs():
    """What a linear layer returns under autocast is the input of a recurrent one."""
    x = torch.ones(2, 3, 4, dtype=torch.bfloat16)
    with torch.autocast("cpu"):
        for layer in (nn.RNN(4, 3), nn.GRU(4, 3), nn.LSTM(4, 3)):
            assert layer(x)[0].dtype is torch.bfloat16
        for cell in (nn.RNNCell(4, 3), nn.GRUCell(4, 3)):
            assert cell(x[0]).dtype is torch.bfloat16 and cell(x[0].float()).shape == (3, 3)
        assert nn.LSTMCell(4, 3)(x[0])[0].dtype is torch.bfloat16
    with pytest.raises(ValueError, match="RNN input dtype .torch.bfloat16. does not match weight dtype"):
        nn.GRU(4, 3)(x)


def test_pooling_and_losses_in_single_precision():
    x = torch.arange(16.0).reshape(1, 1, 4, 4).bfloat16()
    with torch.autocast("cpu"):
        pooled, indices = F.max_pool2d(x, 2, return_indices=True)
        assert F.max_unpool2d(pooled, indices, 2).dtype is torch.float32
        assert F.fractional_max_pool2d(x, 2, output_size=2).dtype is torch.float32
        assert F.linear_cross_entropy(x[0, 0], x[0, 0, :3], torch.tensor([0, 1, 2, 0])).dtype is torch.float32
        assert nn.PReLU()(x.float()).dtype is torch.bfloat16
