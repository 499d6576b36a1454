"""torch::autograd::Function in C++, gradients asked for in C++, and operators whose derivative is such a Function."""

import gc
import weakref
from pathlib import Path

import pytest

import flambeau_cext as cext
import flambeau_tensor as torch
from flambeau_tensor.extend import find_operator

autograd = pytest.importorskip("flambeau_autograd")
PROGRAMS = Path(__file__).parent / "programs"


@pytest.fixture(scope="module")
def m(tmp_path_factory):
    return cext.load("autograd", PROGRAMS / "autograd.cpp", build_directory=tmp_path_factory.mktemp("autograd"))


def randn(*shape):
    return torch.randn(*shape, dtype=torch.float64, requires_grad=True)


def test_a_linear_layer(m):
    x, w, b = randn(4, 3), randn(2, 3), randn(2)
    assert torch.equal(m.linear(x, w, b).detach(), (x @ w.t() + b).detach())
    assert autograd.gradcheck(m.linear, (x, w, b))
    assert autograd.gradgradcheck(m.linear, (x, w, b))
    assert autograd.gradcheck(lambda x, w: m.linear(x, w, None), (x, w))
    y = m.linear(x.detach(), w, None)
    assert type(y.grad_fn).__name__ == "LinearFunctionBackward"
    y.sum().backward()
    assert x.grad is None
    assert w.grad is not None
    assert not m.linear(x.detach(), w.detach(), b.detach()).requires_grad


def test_arguments_that_are_no_tensors(m):
    x = randn(3)
    assert autograd.gradcheck(lambda x: m.mul_constant(x, 2.5), (x,))
    (grad,) = autograd.grad(m.mul_constant(x, 2.5).sum(), x)
    assert grad.tolist() == [2.5] * 3


def test_several_results_of_a_list(m):
    inputs = [randn(3) for _ in range(3)]
    total, largest, indices = m.sum_and_max(inputs)
    assert total.requires_grad
    assert largest.requires_grad
    assert not indices.requires_grad
    assert autograd.gradcheck(lambda *xs: tuple(m.sum_and_max(list(xs))[:2]), inputs)


def test_gradients_that_do_not_come(m):
    x = randn(2)
    assert autograd.grad(m.lazy(x)[0].sum(), x)[0].tolist() == [2, 2]
    assert autograd.grad(m.lazy(x)[1].sum(), x)[0].tolist() == [3, 3]


def test_in_place(m):
    x = randn(2)
    y = x * 1
    assert m.doubled_(y) is y
    (grad,) = autograd.grad(y.sum(), x)
    assert grad.tolist() == [2, 2]
    with pytest.raises(RuntimeError, match="leaf"):
        m.doubled_(randn(2))


def test_errors(m):
    x = randn(2)
    with pytest.raises(IndexError, match="forward refuses"):
        m.wrong(x, 0)
    with pytest.raises(ValueError, match="backward refuses"):
        m.wrong(x, 1).sum().backward()
    with pytest.raises(RuntimeError, match=r"WrongBackward returned an incorrect number .* \(expected 2, got 1"):
        m.wrong(x, 2).sum().backward()
    with pytest.raises(RuntimeError, match="gradient"):
        m.wrong(x, 3).sum().backward()
    m.wrong(x, 4).sum().backward()
    assert x.grad.tolist() == [1, 1]


def test_gradients_asked_for_in_cxx(m):
    x = randn(3)
    assert torch.allclose(m.slope(x, False), 3 * (x * x).detach())
    first = m.slope(x, True)
    (second,) = autograd.grad(first.sum(), x)
    assert torch.allclose(second, 6 * x.detach())
    assert m.accumulated(2).tolist() == [5, 5]


def test_modes(m):
    assert m.modes(randn(1)) == [True, False, False, True, True, False]


def test_an_operator_with_a_kernel_for_autograd(m):
    cube = find_operator("torch.ops.cppgrad.cube")
    x = randn(3)
    for function in (cube, m.cube):
        assert autograd.gradcheck(function, (x,))
        assert type(function(x).grad_fn).__name__ == "CubeFunctionBackward"
    assert torch.equal(cube(x.detach()), (x * x * x).detach())


def test_what_is_saved_is_freed(m):
    x = randn(3)
    kept = weakref.ref(x)
    y = m.linear(x.view(1, 3), randn(2, 3), None)
    node = weakref.ref(y.grad_fn)
    del x
    assert kept() is not None
    del y
    gc.collect()
    assert kept() is None
    assert node() is None


LIMITED = r"""
#include <torch/all.h>
#include <torch/library.h>
#if !defined(Py_LIMITED_API)
#error "asked for"
#endif
struct Cube : torch::autograd::Function<Cube> {
    static at::Tensor forward(torch::autograd::AutogradContext *ctx, at::Tensor x) {
        ctx->save_for_backward({x});
        return x * x * x;
    }
    static torch::autograd::variable_list backward(torch::autograd::AutogradContext *ctx,
                                                   torch::autograd::variable_list grads) {
        auto x = ctx->get_saved_variables()[0];
        return {grads[0] * x * x * 3};
    }
};
TORCH_LIBRARY(cpplimited, m) {
    m.def("cube(Tensor x) -> Tensor");
    m.impl("cube", c10::DispatchKey::Autograd, [](const at::Tensor &x) { return Cube::apply(x); });
}
"""


def test_with_the_limited_api_of_python():
    """As extensions are compiled whose binary serves many releases of Python."""
    flags = ["-DPy_LIMITED_API=0x03090000"]
    cext.load_inline("cpplimited", LIMITED, extra_cflags=flags, no_implicit_headers=True, is_python_module=False)
    assert autograd.gradgradcheck(
        cext.ops.cpplimited.cube, torch.tensor([1.0, -2.0], dtype=torch.float64).requires_grad_()
    )
