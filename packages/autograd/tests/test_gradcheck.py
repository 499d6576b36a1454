"""gradcheck and gradgradcheck: they pass what is right, and say what is wrong where."""

import pytest

import flambeau_tensor as torch
from flambeau_autograd import Function, GradcheckError, gradcheck, gradgradcheck


def function(forward, backward):
    """A Function of these two that saves its arguments."""
    def save_and_run(ctx, *args):
        ctx.save_for_backward(*args)
        return forward(*args)

    return type("Made", (Function,), {
        "forward": staticmethod(save_and_run),
        "backward": staticmethod(lambda ctx, *grads: backward(*ctx.saved_tensors, *grads)),
    }).apply


def test_right_ones(leaf):
    assert gradcheck(lambda x, y: x * y.sin(), (leaf(1.0, 2.0), leaf(0.5, 1.5)))
    assert gradgradcheck(lambda x, y: x * y.sin(), (leaf(1.0, 2.0), leaf(0.5, 1.5)))
    assert gradcheck(torch.sin, leaf(1.0), fast_mode=True)
    assert gradcheck(lambda x: (x * 2, x.argmax(), x.exp()), (leaf(1.0, 2.0),))


def test_the_message_names_the_worst_element(leaf):
    wrong = function(lambda x, y: x * y, lambda x, y, g: (g * y, g * x * torch.tensor([1.0, 3.0], dtype=torch.float64)))
    with pytest.raises(GradcheckError) as caught:
        gradcheck(wrong, (leaf(1.0, 2.0), leaf(3.0, 4.0)))
    text = str(caught.value)
    assert "Jacobian mismatch for output 0 with respect to input 1," in text
    assert "numerical:tensor([[1.0000, 0.0000]" in text and "analytical:tensor([[1., 0.]" in text
    assert "derivative of output 0[1] by input 1[1]: numerical 2, analytical 6." in text
    assert gradcheck(wrong, (leaf(1.0, 2.0), leaf(3.0, 4.0)), raise_exception=False) is False
    with pytest.raises(GradcheckError, match="fast mode"):
        gradcheck(wrong, (leaf(1.0, 2.0), leaf(3.0, 4.0)), fast_mode=True)


def test_second_derivatives_that_are_wrong(leaf):
    wrong = function(lambda x: x ** 3, lambda x, g: g * 3 * x.detach() ** 2)
    assert gradcheck(wrong, (leaf(1.0, 2.0),))
    with pytest.raises(GradcheckError, match="Jacobian mismatch for output 0 with respect to input 0"):
        gradgradcheck(wrong, (leaf(1.0, 2.0),))


def test_complex(random):
    z = random(3, complex=True)
    assert gradcheck(lambda z: z * z.conj(), (z,))
    assert gradcheck(lambda z: (z * z).abs(), (z,))
    assert gradgradcheck(lambda z: z ** 3, (z,))
    wrong = function(lambda z: z ** 2, lambda z, g: g * 2 * z)  # forgot the conjugate
    with pytest.raises(GradcheckError, match="While considering the real part of complex outputs only, Jacobian"):
        gradcheck(wrong, (z,))


def test_nondeterminism(leaf):
    calls = []
    shaky = function(lambda x: x * 2, lambda x, g: g * 2 + 1e-4 * (calls.append(1) or len(calls)))
    with pytest.raises(GradcheckError, match="Backward is not reentrant"):
        gradcheck(shaky, (leaf(1.0, 2.0),), atol=1)
    assert gradcheck(shaky, (leaf(1.0, 2.0),), atol=1, nondet_tol=1.0, check_undefined_grad=False)


def test_undefined_gradients(leaf):
    class Careless(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.set_materialize_grads(False)
            return x * 2, x * 3

        @staticmethod
        def backward(ctx, a, b):
            return (a if a is not None else torch.ones(2, dtype=torch.float64)) * 2 + (0 if b is None else b * 3)

    x = leaf(1.0, 2.0)
    assert gradcheck(lambda x: Careless.apply(x)[0], (x,), check_undefined_grad=False)
    with pytest.raises(GradcheckError, match="Expected all input grads to be undefined or zero"):
        gradcheck(Careless.apply, (x,), atol=10)


def test_judging_inputs(leaf):
    with pytest.raises(ValueError, match="expects at least one input tensor to require gradient"):
        gradcheck(torch.sin, (torch.ones(2),))
    with pytest.warns(UserWarning, match="Input #0 requires gradient and is not a double precision"):
        gradcheck(torch.sin, (torch.ones(2, requires_grad=True),), eps=1e-2, atol=1e-2)
    with pytest.raises(RuntimeError, match="The 0th input has a dimension with stride 0"):
        gradcheck(torch.sin, (torch.ones(1, dtype=torch.float64).expand(3).requires_grad_(),))
    with pytest.raises(GradcheckError, match="Numerical gradient for function expected to be zero"):
        gradcheck(lambda x: x.detach() * 2, (leaf(1.0),))
    assert gradcheck(lambda x: x.argmax(), (leaf(1.0, 2.0),))


def test_inputs_come_back_unchanged(leaf):
    x = leaf(0.1, 0.2)
    gradcheck(torch.exp, (x,))
    assert x.tolist() == [0.1, 0.2]


def test_not_built(leaf):
    for option in ("check_forward_ad", "check_batched_grad", "check_batched_forward_grad"):
        with pytest.raises(NotImplementedError, match=option):
            gradcheck(torch.sin, (leaf(1.0),), **{option: True})
