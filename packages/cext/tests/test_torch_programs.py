"""Programs written after PyTorch's tutorials on extensions: they compile unchanged and compute what Python does."""

import runpy
from pathlib import Path

import pytest

import flambeau_cext as cext
import flambeau_tensor as torch
from flambeau_tensor.extend import find_operator

PROGRAMS = Path(__file__).parent / "programs"


@pytest.fixture(scope="module")
def lltm(tmp_path_factory):
    """The cell as an autograd Function over the extension."""
    autograd = pytest.importorskip("flambeau_autograd")
    pytest.importorskip("flambeau_nn")
    cell = cext.load("lltm", [PROGRAMS / "lltm.cpp"], build_directory=tmp_path_factory.mktemp("lltm"))
    return runpy.run_path(str(PROGRAMS / "lltm.py"))["differentiable"](autograd.Function, cell).apply


def in_python(input, weights, bias, old_h, old_cell):
    from flambeau_nn import functional as f

    gates = f.linear(torch.cat([old_h, input], 1), weights) + bias
    input_gate, output_gate, candidate = gates.chunk(3, dim=1)
    new_cell = old_cell + f.elu(candidate) * input_gate.sigmoid()
    return new_cell.tanh() * output_gate.sigmoid(), new_cell


def arguments(batch=3, features=17, state=5):
    shapes = [(batch, features), (3 * state, features + state), (1, 3 * state), (batch, state), (batch, state)]
    return [torch.randn(shape, dtype=torch.float64, requires_grad=True) for shape in shapes]


def test_a_recurrent_cell(lltm):
    from flambeau_autograd import grad, gradcheck

    given = arguments()
    for got, want in zip(lltm(*given), in_python(*given), strict=True):
        assert torch.allclose(got, want, rtol=1e-12)
    grads = [grad(sum(y.sin().sum() for y in f(*given)), given) for f in (lltm, in_python)]
    for got, want in zip(*grads, strict=True):
        assert torch.allclose(got, want, rtol=1e-10, atol=1e-12)
    assert gradcheck(lltm, arguments(2, 3, 2))


@pytest.fixture(scope="module")
def muladd(tmp_path_factory):
    cext.load("muladd", PROGRAMS / "muladd.cpp", build_directory=tmp_path_factory.mktemp("muladd"))
    return lambda name: find_operator(f"torch.ops.extension_cpp.{name}")


def test_a_fused_operator(muladd):
    a, b = torch.randn(3, 4), torch.randn(4, 3).t()
    assert torch.equal(muladd("mymuladd")(a, b, 0.5), a * b + 0.5)
    assert torch.equal(muladd("mymul")(a, b), a * b)
    out = torch.zeros(3, 4)
    version = out._version
    assert muladd("myadd_out")(a, b, out) is None
    assert torch.equal(out, a + b)
    assert out._version > version
    with pytest.raises(RuntimeError, match=r"mymul: sizes \[3, 4\] and \[4, 3\]"):
        muladd("mymul")(a, a.t())
    with pytest.raises(RuntimeError, match=r"Expected a.dtype\(\) == at::kFloat to be true"):
        muladd("mymuladd")(a.to(torch.float64), b, 1.0)


def test_its_derivative_in_python(muladd):
    from_python = pytest.importorskip("flambeau_cext.library")
    autograd = pytest.importorskip("flambeau_autograd")

    def setup_context(ctx, inputs, output):
        a, b, c = inputs
        ctx.save_for_backward(a if ctx.needs_input_grad[1] else None, b if ctx.needs_input_grad[0] else None)

    def backward(ctx, grad):
        a, b = ctx.saved_tensors
        grad_a = muladd("mymul")(grad, b) if ctx.needs_input_grad[0] else None
        grad_b = muladd("mymul")(grad, a) if ctx.needs_input_grad[1] else None
        return grad_a, grad_b, None

    from_python.register_autograd("extension_cpp::mymuladd", backward, setup_context=setup_context)
    a, b = torch.randn(4, requires_grad=True), torch.randn(4, requires_grad=True)
    grad_a, grad_b = autograd.grad(muladd("mymuladd")(a, b, 1.0).sum(), (a, b))
    assert torch.equal(grad_a, b.detach())
    assert torch.equal(grad_b, a.detach())
    (grad_a,) = autograd.grad(muladd("mymuladd")(a, b.detach(), 1.0).sum(), a)
    assert torch.equal(grad_a, b.detach())
