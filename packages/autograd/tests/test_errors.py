"""Errors in backward name the forward call: its file, its line, and the argument."""

import inspect
import time
import traceback

import pytest

import flambeau_tensor as torch
from flambeau_autograd import Function, backward, graph
from flambeau_autograd._engine.graph import call_site


def line_of(function, offset):
    return inspect.getsourcelines(function)[1] + offset


class Bad(Function):
    """Returns from backward, or raises there, what it is told to."""

    answer = None

    @staticmethod
    def forward(ctx, weights, *rest, bias=None):
        return weights * 2

    @staticmethod
    def backward(ctx, g):
        if isinstance(Bad.answer, BaseException):
            raise Bad.answer
        return Bad.answer


def call(x):
    y = x + 1
    z = Bad.apply(y)
    return z.sum()


def test_a_gradient_of_the_wrong_size(leaf):
    Bad.answer = torch.ones(5)
    with pytest.raises(RuntimeError) as caught:
        call(leaf(1.0, 2.0)).backward()
    text = str(caught.value)
    assert "invalid gradient at index 0 - got [5] but expected shape compatible with [2]" in text
    assert "(the gradient of argument 'weights')" in text
    assert f'The forward call of BadBackward is in "{__file__}", line {line_of(call, 2)}, in call:\n' in text
    assert text.endswith("    z = Bad.apply(y)")


@pytest.mark.parametrize(
    ("args", "kwargs", "index", "name"),
    [
        (("w", 3, "w"), {}, 2, r"rest\[1\]"),
        (("w",), {"bias": "w"}, 1, "bias"),
    ],
)
def test_names_of_arguments(leaf, args, kwargs, index, name):
    x = leaf(1.0, 2.0)
    args = [x if a == "w" else a for a in args]
    kwargs = {k: x for k in kwargs}
    grads = [None] * (len(args) + len(kwargs))
    grads[index] = torch.ones(5)
    Bad.answer = tuple(grads)
    with pytest.raises(RuntimeError, match=rf"the gradient of argument '{name}'"):
        Bad.apply(*args, **kwargs).sum().backward()
    grads[index] = "text"
    Bad.answer = tuple(grads)
    with pytest.raises(RuntimeError, match=rf"expected Variable or None \(got str\) .*of argument '{name}'"):
        Bad.apply(*args, **kwargs).sum().backward()


def test_errors_of_other_types_get_a_note(leaf):
    Bad.answer = KeyError("what")
    with pytest.raises(KeyError) as caught:
        call(leaf(1.0)).backward()
    assert caught.value.args == ("what",)
    assert f"line {line_of(call, 2)}, in call" in "".join(traceback.format_exception(caught.value))
    Bad.answer = RuntimeError("two", "arguments")
    with pytest.raises(RuntimeError) as caught:
        call(leaf(1.0)).backward()
    assert caught.value.args == ("two", "arguments") and len(caught.value.__notes__) == 1
    Bad.answer = KeyboardInterrupt()
    with pytest.raises(KeyboardInterrupt) as caught:
        call(leaf(1.0)).backward()
    assert not hasattr(caught.value, "__notes__")


def test_a_saved_tensor_that_was_changed(leaf):
    def forward(x):
        y = x * 3
        z = y * y
        y.add_(1)
        return z.sum()

    with pytest.raises(RuntimeError) as caught:
        forward(leaf(1.0, 2.0)).backward()
    assert "has been modified by an inplace operation" in str(caught.value)
    place = f'"{__file__}", line {line_of(forward, 2)}, in forward'
    assert f"The forward call of MulBackward0 is in {place}:\n    z = y * y" in str(caught.value)


def test_a_second_backward(leaf):
    y = (leaf(1.0) ** 2).sum()
    y.backward()
    with pytest.raises(RuntimeError, match="second time") as caught:
        y.backward()
    assert __file__ in str(caught.value) and "y = (leaf(1.0) ** 2).sum()" in str(caught.value)


@pytest.mark.parametrize(
    ("function", "saves"),
    [
        (lambda x: x * 2, True),  # a number in place of a tensor is saved as one
        (lambda x: 2 * x, True),
        (lambda x: x / 2, True),
        (lambda x: x.clone().mul_(2), True),
        (lambda x: x + 2, False),
        (lambda x: 2 - x, False),
        (lambda x: -x, False),
    ],
)
def test_what_a_number_leaves_for_a_second_backward(leaf, function, saves):
    x = leaf(1.0, 2.0)
    y = function(x).sum()
    y.backward(retain_graph=True)
    y.backward()
    first = x.grad.clone()
    if saves:
        with pytest.raises(RuntimeError, match="second time"):
            y.backward()
        assert torch.equal(x.grad, first)
    else:
        y.backward()
        assert torch.equal(x.grad, first * 1.5)


def test_no_history_is_said_before_a_shape(leaf):
    with pytest.raises(RuntimeError, match="element 0 of tensors does not require grad"):
        torch.ones(2).backward()
    with pytest.raises(RuntimeError, match="implicitly created only for scalar"):  # of those that have one
        backward([torch.ones(2), leaf(1.0, 2.0) * 1])


def test_a_released_number_is_gone(leaf):
    y = leaf(1.0) * 3
    assert torch.equal(y.grad_fn._saved_other, torch.tensor(3))
    y.backward()
    with pytest.raises(RuntimeError, match="second time"):
        y.grad_fn._saved_other  # noqa: B018


def test_calls_from_inside_the_library_name_the_user(leaf):
    """What records a call is often a function of ours; the line that counts is the one that called that."""
    x = leaf(1.0, 2.0)
    y = torch.std_mean(x)[0]  # a composition
    assert y.grad_fn._call_site[0].co_filename == __file__
    z = graph.saved_tensors_hooks  # a class of ours calls hooks of the user's
    with z(lambda t: t, lambda t: 3):
        w = x * x
    with pytest.raises(TypeError) as caught:
        w.sum().backward()
    assert "w = x * x" in caught.value.__notes__[0]


def test_told_once(leaf):
    """A backward inside a backward: the innermost call is the one that failed."""

    class Outer(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * 1

        @staticmethod
        def backward(ctx, g):
            x = ctx.saved_tensors[0].detach().requires_grad_()
            with torch_enable_grad():
                call(x).backward()

    from flambeau_autograd import enable_grad as torch_enable_grad

    for error in (RuntimeError("inner"), KeyError("inner")):
        Bad.answer = error
        with pytest.raises(type(error)) as caught:
            Outer.apply(leaf(1.0)).backward()
        told = str(caught.value) + "".join(getattr(caught.value, "__notes__", ()))
        assert told.count("The forward call of") == 1 and "BadBackward" in told


def test_where_there_is_no_source(leaf):
    names = {"x": leaf(1.0), "Bad": Bad}
    exec(compile("y = Bad.apply(x)", "<nowhere>", "exec"), names)
    Bad.answer = RuntimeError("oh")
    with pytest.raises(RuntimeError, match='The forward call of BadBackward is in "<nowhere>", line 1, in <module>$'):
        names["y"].backward()


def test_a_hook_that_fails(leaf):
    def fail(g):
        raise ValueError("hook")

    x = leaf(1.0)
    y = x * 2
    y.register_hook(fail)
    with pytest.raises(ValueError, match="hook") as caught:
        (y * 3).backward()
    assert "    y = x * 2" in caught.value.__notes__[0]


def recorded(x, n):
    for _ in range(n):
        x * 2


@pytest.mark.measures
def test_knowing_the_place_takes_a_tenth_of_a_microsecond_at_most(leaf):
    """The shortest of many turns with and without it: some 10 to 20 ns; of more turns where the machine is busy."""
    x, n, shortest = leaf(1.0), 500, {True: 10**12, False: 0}
    try:
        for turn in range(8000):
            if turn >= 400 and shortest[True] - shortest[False] < 100 * n:
                break
            on = turn % 2 == 0
            call_site.note_call_sites(on)
            begin = time.thread_time_ns()
            recorded(x, n)
            shortest[on] = min(time.thread_time_ns() - begin, shortest[on] or 10**12)
            assert ((x * 2).grad_fn._call_site is not None) == on
    finally:
        call_site.note_call_sites(True)
    assert shortest[True] - shortest[False] < 100 * n, f"{(shortest[True] - shortest[False]) / n} ns"


def test_what_has_no_derivative_says_so(leaf):
    x = leaf([1.0, 2.0, 1.0]).flatten().float()
    for call, name in (
        (lambda: x.unique(), "_unique2"),
        (lambda: x.unique(return_inverse=True)[0], "_unique2"),
        (lambda: x.unique(dim=0), "unique_dim"),
        (lambda: x.unique_consecutive(), "unique_consecutive"),
        (lambda: torch.bincount(torch.tensor([0, 1, 1]), x), "bincount"),
        (lambda: torch.histogram(torch.tensor([0.0, 1.0, 1.0]), 2, weight=x)[0], "histogram"),
        (lambda: torch.histogramdd(torch.ones(3, 2), [2, 2], weight=x)[0], "histogram"),
        (lambda: torch.linalg.ldl_factor(x.diag())[0], "linalg_ldl_factor_ex"),
        (
            lambda: torch.linalg.ldl_solve(torch.eye(3), torch.tensor([1, 2, 3]).int(), x.unsqueeze(1)),
            "linalg_ldl_solve",
        ),
    ):
        result = call()
        assert result.requires_grad
        with pytest.raises(NotImplementedError, match=f"the derivative for '{name}' is not implemented"):
            result.sum().backward()
    assert x.unique(return_counts=True)[1].tolist() == [2, 1] and not x.unique(return_counts=True)[1].requires_grad


@pytest.mark.parametrize(
    "call",
    [
        lambda x, p: torch.add(x, x, alpha=p),
        lambda x, p: torch.full((2,), p),
        lambda x, p: torch.isclose(x, x, p),
        lambda x, p: torch.addcmul(x, x, x, value=p),
        lambda x, p: torch.cdist(x.view(2, 1), x.view(2, 1), p=p),
        lambda x, p: x.normal_(p, 1),
    ],
)
def test_a_tensor_that_requires_grad_is_not_taken_for_a_number(call, leaf):
    """Its gradient would be lost silently."""
    with pytest.raises(TypeError, match="must be (Number|float), not Tensor"):
        call(torch.ones(2), leaf(2.0).sum())
    call(torch.ones(2), torch.tensor(2.0))
