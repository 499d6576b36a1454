"""gradcheck and gradgradcheck: they pass what is right, and say what is wrong where."""

import numpy as np
import pytest

import flambeau_tensor as torch
from flambeau_autograd import Function, GradcheckError, gradcheck, gradgradcheck


def function(forward, backward):
    """A Function of these two that saves its arguments."""

    def save_and_run(ctx, *args):
        ctx.save_for_backward(*args)
        return forward(*args)

    return type(
        "Made",
        (Function,),
        {
            "forward": staticmethod(save_and_run),
            "backward": staticmethod(lambda ctx, *grads: backward(*ctx.saved_tensors, *grads)),
        },
    ).apply


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
    with pytest.raises(GradcheckError, match="output 0.1. by input 1.1.: numerical 2, analytical 6"):
        gradcheck(wrong, (leaf(1.0, 2.0), leaf(3.0, 4.0)), fast_mode=True)


def test_second_derivatives_that_are_wrong(leaf):
    wrong = function(lambda x: x**3, lambda x, g: g * 3 * x.detach() ** 2)
    assert gradcheck(wrong, (leaf(1.0, 2.0),))
    with pytest.raises(GradcheckError, match="Jacobian mismatch for output 0 with respect to input 0"):
        gradgradcheck(wrong, (leaf(1.0, 2.0),))


def test_complex(random):
    z = random(3, complex=True)
    assert gradcheck(lambda z: z * z.conj(), (z,))
    assert gradcheck(lambda z: (z * z).abs(), (z,))
    assert gradgradcheck(lambda z: z**3, (z,))
    wrong = function(lambda z: z**2, lambda z, g: g * 2 * z)  # forgot the conjugate
    with pytest.raises(GradcheckError, match="While considering the imaginary part of complex outputs only, Jacobian"):
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


# --- forward mode, and many at once ---------------------------------------------------------------------------------


class Skewed(Function):
    """x³ with a derivative for each mode, of which one may be wrong."""

    wrong = ()

    @staticmethod
    def forward(x):
        return x**3

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)
        ctx.save_for_forward(*inputs)

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * x * x * (4 if "backward" in Skewed.wrong else 3)

    @staticmethod
    def jvp(ctx, t):
        (x,) = ctx.saved_tensors
        return t * x * x * (4 if "forward" in Skewed.wrong else 3)


@pytest.fixture
def skew(monkeypatch):
    return lambda *wrong: monkeypatch.setattr(Skewed, "wrong", wrong)


@pytest.mark.parametrize("fast", [False, True])
def test_forward_mode(leaf, skew, fast):
    x = leaf(1.0, 2.0)
    assert gradcheck(Skewed.apply, (x,), check_forward_ad=True, fast_mode=fast)
    skew("forward")
    assert gradcheck(Skewed.apply, (x,), fast_mode=fast)
    with pytest.raises(
        GradcheckError, match="Jacobian computed with forward mode mismatch for output 0 with respect to input 0,"
    ) as caught:
        gradcheck(Skewed.apply, (x,), check_forward_ad=True, fast_mode=fast)
    assert "output 0[1] by input 0[1]: numerical 12, analytical 16." in str(caught.value)
    skew("backward")
    assert gradcheck(Skewed.apply, (x,), check_forward_ad=True, check_backward_ad=False, fast_mode=fast)
    with pytest.raises(GradcheckError, match="^Jacobian mismatch for output 0"):
        gradcheck(Skewed.apply, (x,), check_forward_ad=True, fast_mode=fast)


def test_forward_mode_of_many_kinds(leaf, random):
    assert gradcheck(
        lambda x, y: (x * y.sin(), x.argmax(), y.exp()), (leaf(1.0, 2.0), leaf(0.5, 1.5)), check_forward_ad=True
    )
    z = random(3, complex=True)
    assert gradcheck(lambda z: (z * z.conj() * z, z.abs(), z.real), (z,), check_forward_ad=True)
    assert gradcheck(lambda z: z.exp(), (z,), check_forward_ad=True, fast_mode=True)
    assert gradcheck(
        lambda xs, k: xs[0] * xs[1]["x"] if isinstance(xs[1], dict) else xs[0] * xs[1] * k,
        ([leaf(1.0), leaf(2.0)], 3),
        check_forward_ad=True,
    )
    assert gradgradcheck(lambda x, y: x**3 * y, (leaf(1.0, 2.0), leaf(0.5, 1.5)), check_fwd_over_rev=True)


def test_second_derivatives_by_forward_mode(leaf):
    detached = function(lambda x: x**3, lambda x, g: g * 3 * x.detach() ** 2)
    with pytest.raises(GradcheckError, match="Jacobian computed with forward mode mismatch"):
        gradgradcheck(
            detached, (leaf(1.0, 2.0),), check_fwd_over_rev=True, check_rev_over_rev=False, check_undefined_grad=False
        )


def test_batches(leaf):
    x, y = leaf(1.0, 2.0), leaf(0.5, 1.5)
    assert gradcheck(
        lambda x, y: (x * y.sin(), x.exp()),
        (x, y),
        check_batched_grad=True,
        check_forward_ad=True,
        check_batched_forward_grad=True,
    )
    assert gradgradcheck(lambda x, y: x * y.sin(), (x, y), check_batched_grad=True)
    reads = function(lambda x: x * 2, lambda x, g: g * 2 if g.sum().item() < 1e9 else g)
    with pytest.raises(
        GradcheckError, match="(?s)While computing batched gradients of output 0, got: .*does not work under vmap"
    ) as caught:
        gradcheck(reads, (x,), check_batched_grad=True)
    assert isinstance(caught.value.__cause__, RuntimeError)


def test_a_gradient_that_ignores_what_comes_in(leaf):
    careless = function(lambda x: x * 1, lambda x, g: torch.ones_like(x))
    with pytest.raises(GradcheckError, match="Jacobian mismatch"):
        gradcheck(careless, (leaf(1.0, 2.0),))
    one = function(lambda x: x * 1, lambda x, g: torch.ones_like(x))
    with pytest.raises(GradcheckError, match="backward not multiplied by grad_output"):
        gradcheck(one, (leaf(1.0),))


def test_fast_mode_where_no_element_is_wrong(leaf):
    """Along a direction large derivatives may cancel, and what is left of their errors is large beside the sum."""
    a, b = np.random.RandomState(1).standard_normal(2)  # the direction
    slope = torch.tensor([1000 * b, -1000 * a], dtype=torch.float64)
    nearly = function(lambda x: (x * slope).sum(), lambda x, g: g * slope * torch.tensor([1 + 1e-4, 1 - 1e-4]))
    assert gradcheck(nearly, (leaf(1.0, 2.0),))
    with pytest.raises(GradcheckError, match="Fast gradcheck failed for output 0 though all elements of the Jacobian"):
        gradcheck(nearly, (leaf(1.0, 2.0),), fast_mode=True)


def test_nondeterminism_in_fast_mode(leaf):
    calls = []
    shaky = function(lambda x: x * 2, lambda x, g: g * 2 + 1e-4 * (calls.append(1) or len(calls)))
    with pytest.raises(GradcheckError, match="Backward is not reentrant"):
        gradcheck(shaky, (leaf(1.0),), fast_mode=True)


def test_results_whose_form_depends_on_values(leaf):
    with pytest.raises(AssertionError, match="Expected `func` to return outputs with the same shape when"):
        gradcheck(lambda x: x * 2 if x[0] <= 1 else x[:1] * 2, (leaf(1.0, 2.0),))


@pytest.mark.parametrize("arrange", [lambda t: {"result": t}, lambda t: [{"deep": (t, None)}], lambda t: (3, t)])
def test_results_in_containers(arrange, leaf):
    """PyTorch refuses dicts and what is no tensor; left out of the check they would pass in silence."""
    x, options = leaf(1.0, 2.0), {"check_forward_ad": True, "check_batched_grad": True}
    assert gradcheck(lambda x: arrange(x**2), x, **options) and gradgradcheck(lambda x: arrange(x**2), x)
    with pytest.raises(GradcheckError, match="Jacobian mismatch for output 0"):
        gradcheck(lambda x: arrange(x * x.detach()), x, **options)
    inputs = ({"a": x, "b": [leaf(3.0, 4.0)]},)
    assert gradcheck(lambda d: d["a"] * d["b"][0], inputs, **options)


@pytest.mark.parametrize("answer", [None, 3, "text", (None,), {"a": 3}])
def test_a_function_that_returns_no_tensor(answer, leaf):
    for check in (gradcheck, gradgradcheck):
        with pytest.raises(ValueError, match="expects func to return tensors, but got"):
            check(lambda x: answer, leaf(1.0))


def test_dtypes(leaf):
    narrow = torch.ones(2, requires_grad=True)
    assert gradcheck(lambda x: x * 2, (leaf(1.0),), check_grad_dtypes=True, check_forward_ad=True)
    with pytest.warns(UserWarning, match="not a double precision"):
        gradcheck(lambda x: (x * 2).double(), (narrow,), eps=1e-2, atol=1e-2, check_grad_dtypes=True)


def test_options_that_contradict_each_other(leaf):
    x = leaf(1.0)
    for check, options, message in (
        (gradcheck, {"check_backward_ad": False}, "Expected at least one of check_forward_ad or check_backward_ad"),
        (
            gradcheck,
            {"check_backward_ad": False, "check_forward_ad": True, "check_batched_grad": True},
            "check_batched_grad=True requires check_backward_ad",
        ),
        (gradcheck, {"check_batched_forward_grad": True}, "check_batched_forward_grad=True requires check_forward_ad"),
        (gradgradcheck, {"check_rev_over_rev": False}, "Expected at least one of check_fwd_over_rev or"),
        (
            gradgradcheck,
            {"check_rev_over_rev": False, "check_fwd_over_rev": True},
            "check_undefined_grad=True requires check_rev_over_rev",
        ),
    ):
        with pytest.raises(AssertionError, match=message):
            check(torch.sin, (x,), **options)


def test_what_has_no_derivative_in_forward_mode(leaf):
    assert gradcheck(lambda x: x.argmax(), (leaf(1.0, 2.0),), check_forward_ad=True)
    with pytest.raises(GradcheckError, match="Numerical gradient for function expected to be zero"):
        gradcheck(lambda x: x.detach() * 2, (leaf(1.0),), check_forward_ad=True, check_backward_ad=False)


@pytest.mark.parametrize("fast", [False, True])
def test_outputs_without_a_history_are_constants(fast, random):
    x = random(3)
    assert gradcheck(lambda x: (x * 2, (x * 3).detach()), x, fast_mode=fast)
    with pytest.raises(GradcheckError, match="Numerical gradient for function expected to be zero"):
        gradcheck(lambda x: x.detach() * 3, x, fast_mode=fast)


def test_results_without_elements():
    x = torch.zeros(0, 3, dtype=torch.float64, requires_grad=True)
    y = torch.ones(2, 3, dtype=torch.float64, requires_grad=True)
    for function, given in ((lambda t: t * t, x), (lambda t: t[:0] * 2, y), (lambda t: t[:0].sum(0), y)):
        assert gradcheck(function, (given,)) and gradgradcheck(function, (given,))


def test_forms_that_depend_on_values():
    x = torch.ones(1, dtype=torch.float64, requires_grad=True)
    for fast in (True, False):
        with pytest.raises(AssertionError, match="same shape when inputs are perturbed"):
            gradcheck(lambda x: torch.cat([x, x]) if (x >= 1).all() else x, (x,), fast_mode=fast)
        with pytest.raises(AssertionError, match="same dtype when inputs are perturbed"):
            gradcheck(lambda x: x.to(torch.float32) if (x >= 1).all() else x, (x,), fast_mode=fast)


@pytest.mark.parametrize("fast", [False, True])
def test_undefined_gradients_reach_hooks(fast):
    def hook(g):
        if g is None:
            raise RuntimeError("no gradient")

    def refuses(x):
        y = x.clone()
        y.register_hook(hook)
        return y

    x = torch.ones(1, dtype=torch.float64, requires_grad=True)
    with (
        pytest.warns(UserWarning, match="Backwards compatibility: New undefined gradient support checking"),
        pytest.raises(GradcheckError, match="Expected backward function to handle undefined output grads"),
    ):
        gradcheck(refuses, (x,), fast_mode=fast)


@pytest.mark.parametrize("fast", [False, True])
def test_forward_mode_runs_once_for_each_input(fast):
    """Other inputs have a tangent of zeros, which the function may use."""
    calls = []

    class Pair(Function):
        @staticmethod
        def forward(ctx, x, y):
            return x.clone(), y.clone()

        @staticmethod
        def jvp(ctx, *tangents):
            calls.append(tangents)
            return tangents

    x, y = (torch.ones(1, dtype=torch.float64, requires_grad=True) for _ in range(2))
    options = {"check_forward_ad": True, "check_backward_ad": False, "check_undefined_grad": False}
    assert gradcheck(Pair.apply, (x, y), fast_mode=fast, **options)
    assert len(calls) == 2 and None not in calls[0] + calls[1]


def test_fast_mode_moves_no_element_further_than_eps():
    x, moves = torch.linspace(0.0, 1.0, 9, dtype=torch.float64).requires_grad_(), []

    def square(y):
        moves.append(float((y.detach() - torch.linspace(0.0, 1.0, 9, dtype=torch.float64)).abs().max()))
        return y**2

    assert gradcheck(square, (x,), eps=1e-4, fast_mode=True)
    assert 0 < max(moves) <= 1e-4


def test_a_single_input_without_others_is_called_once_for_undefined_tangents():
    calls = []

    class Counted(Function):
        @staticmethod
        def forward(ctx, x):
            return x.clone()

        @staticmethod
        def jvp(ctx, t):
            calls.append(1)
            return t

    x = torch.ones(1, dtype=torch.float64, requires_grad=True)
    assert gradcheck(Counted.apply, (x,), check_forward_ad=True, check_backward_ad=False)
    assert len(calls) == 2
