"""Checkpointing: the same gradients from less memory, both ways, nested, and what must not differ between runs."""

import contextlib
import warnings
import weakref

import pytest

import flambeau_autograd as autograd
import flambeau_tensor as torch
from flambeau_autograd import Function, func, grad
from flambeau_autograd import checkpoint as module
from flambeau_autograd.checkpoint import (
    CheckpointError,
    checkpoint,
    checkpoint_sequential,
    set_checkpoint_debug_enabled,
    set_checkpoint_early_stop,
)
from flambeau_autograd.graph import saved_tensors_hooks
from flambeau_autograd.pytree import leaves

BOTH = pytest.mark.parametrize("reentrant", [False, True], ids=["not reentrant", "reentrant"])


def steps(x):
    return x.sin().exp() * x


def slope(function, *values):
    x = torch.tensor(values, dtype=torch.float64, requires_grad=True)
    return grad(function(x).sum(), x)[0].tolist()


def near(values):
    return pytest.approx(values, rel=1e-12)


@BOTH
def test_gradients(leaf, reentrant):
    x = leaf(0.5, 1.0)
    y = checkpoint(steps, x, use_reentrant=reentrant)
    assert y.tolist() == steps(x).tolist()
    y.sum().backward()
    assert x.grad.tolist() == near(slope(steps, 0.5, 1.0))


@BOTH
def test_nothing_is_kept_between_the_runs(leaf, reentrant):
    alive = []

    def function(x):
        y = x.exp()
        z = y.sin()
        alive.extend([weakref.ref(y), weakref.ref(z)])
        return z.cos()

    x = leaf(0.5)
    y = checkpoint(function, x, use_reentrant=reentrant)
    assert [r() is None for r in alive] == [True, True]
    y.backward()
    assert len(alive) == 4 and all(r() is None for r in alive)


@BOTH
def test_results_of_many_kinds(leaf, reentrant):
    x = leaf(0.5)
    a, b, c, d = checkpoint(lambda x: (x.exp(), x.sin(), 3, x.detach()), x, use_reentrant=reentrant)
    assert c == 3 and d.requires_grad is reentrant  # unrecorded, all that can have a gradient seems to have one
    (a * 2 + b).backward()
    assert x.grad.tolist() == near(slope(lambda x: 2 * x.exp() + x.sin(), 0.5))


@BOTH
def test_parameters_that_the_function_closes_over(leaf, reentrant):
    w, x = leaf(2.0), leaf(0.5)
    checkpoint(lambda x: steps(x) * w, x, use_reentrant=reentrant).backward()
    assert w.grad.tolist() == near(steps(x).tolist())
    assert x.grad.tolist() == near(slope(lambda x: 2 * steps(x), 0.5))


@BOTH
@pytest.mark.parametrize("preserve", [True, False])
def test_random_numbers(leaf, reentrant, preserve):
    torch.manual_seed(0)
    x = leaf(1.0, 1.0, 1.0)
    y = checkpoint(
        lambda x: x * torch.rand(3, dtype=torch.float64), x, use_reentrant=reentrant, preserve_rng_state=preserve
    )
    following = torch.rand(1)
    y.sum().backward()
    assert (x.grad.tolist() == y.tolist()) is preserve
    if preserve:  # and running again draws nothing from the stream
        after = torch.rand(1)
        torch.manual_seed(0)
        torch.rand(3, dtype=torch.float64)
        assert [torch.rand(1).item(), torch.rand(1).item()] == [following.item(), after.item()]


@BOTH
def test_two_backwards(leaf, reentrant):
    x = leaf(0.5)
    y = checkpoint(steps, x, use_reentrant=reentrant)
    y.backward(retain_graph=True)
    y.backward()
    assert x.grad.tolist() == near([2 * slope(steps, 0.5)[0]])
    with pytest.raises(RuntimeError, match="second time"):
        y.backward()


@BOTH
def test_an_input_that_was_changed(leaf, reentrant):
    x = leaf(0.5) * 1
    y = checkpoint(steps, x, use_reentrant=reentrant)
    x.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.backward()


@BOTH
def test_an_error_in_the_function(leaf, reentrant):
    calls = []

    def function(x):
        calls.append(1)
        if len(calls) != 2:
            raise KeyError("function")
        return x.exp()

    x = leaf(0.5)
    with pytest.raises(KeyError, match="function"):
        checkpoint(function, x, use_reentrant=reentrant)
    y = checkpoint(function, x, use_reentrant=reentrant)
    with pytest.raises(KeyError, match="function"):
        y.backward()
    z = x.exp()  # no hooks are left behind
    z.backward()
    assert x.grad.tolist() == z.tolist() and autograd.is_grad_enabled()


@pytest.mark.filterwarnings("ignore:None of the inputs have requires_grad")  # inside an unrecorded first run
@pytest.mark.parametrize("outer", [False, True])
@pytest.mark.parametrize("inner", [False, True])
def test_nested(leaf, outer, inner):
    log = []

    def inside(x):
        log.append("i")
        return x.sin().exp()

    def outside(x):
        log.append("o")
        return checkpoint(inside, x.cos(), use_reentrant=inner).tanh()

    x = leaf(0.5)
    checkpoint(outside, x, use_reentrant=outer).backward()
    assert x.grad.tolist() == near(slope(lambda x: x.cos().sin().exp().tanh(), 0.5))
    assert log.count("o") == 2 and log.count("i") == 3


def test_nested_deeply(leaf):
    def plain(x, n):
        return x.sin() if n == 0 else plain(x.cos(), n - 1).exp()

    def nested(x, n):
        return x.sin() if n == 0 else checkpoint(lambda y: nested(y.cos(), n - 1).exp(), x, use_reentrant=False)

    x = leaf(0.5)
    nested(x, 6).backward()
    assert x.grad.tolist() == near(slope(lambda x: plain(x, 6), 0.5))


def test_all_ways_of_backward(leaf):
    x, w = leaf(0.5, 1.0), leaf(2.0, 3.0)
    y = checkpoint(lambda x: steps(x) * w, x, use_reentrant=False)
    (g,) = grad(y.sum(), w, retain_graph=True)
    assert g.tolist() == near(steps(x).tolist())
    y.sum().backward(inputs=[w], retain_graph=True)
    assert x.grad is None
    y = checkpoint(steps, x, use_reentrant=False)
    (first,) = grad(y.sum(), x, create_graph=True)
    (plain,) = grad(steps(x).sum(), x, create_graph=True)
    assert grad(first.sum(), x)[0].tolist() == near(grad(plain.sum(), x)[0].tolist())


@pytest.mark.parametrize("early", [True, False])
def test_backward_inside_the_function(leaf, early):
    def function(x):
        y = x.sin()
        (d,) = grad(y.sum(), x, create_graph=True)
        return d * y

    x = leaf(0.5)
    with set_checkpoint_early_stop(early):
        checkpoint(function, x, use_reentrant=False).backward()
    assert x.grad.tolist() == near(slope(lambda x: x.sin() * x.cos(), 0.5))


def test_keywords_and_containers(leaf):
    def function(d, *, k):
        return {"a": d["x"].exp() * k, "b": [d["y"][0].sin()]}

    x, y, k = leaf(1.0), leaf(2.0), leaf(3.0)
    result = checkpoint(function, {"x": x, "y": [y]}, k=k, use_reentrant=False)
    (result["a"] + result["b"][0]).backward()
    assert (x.grad.tolist(), y.grad.tolist(), k.grad.tolist()) == (
        near((3 * x.exp()).tolist()),
        near(y.cos().tolist()),
        near(x.exp().tolist()),
    )


def test_running_again_ends_with_the_last_tensor_needed(leaf):
    log = []

    def function(x):
        log.append("a")
        y = x.exp()
        log.append("b")
        z = y.exp()
        log.append("c")
        return z + 1

    def run(**options):
        log.clear()
        checkpoint(function, leaf(0.5), use_reentrant=False, **options).backward()
        return "".join(log)

    assert run() == "abcab"
    assert run(early_stop=False) == "abcabc"
    with set_checkpoint_early_stop(False):
        assert run(early_stop=True) == "abcabc"
        with set_checkpoint_early_stop(True):
            assert run(early_stop=False) == "abcab"
    assert run() == "abcab"


def test_a_function_may_catch_exceptions(leaf):
    """What ends it early is none that it should see."""
    caught = []

    def function(x):
        try:
            return x.exp()
        except Exception as error:  # pragma: no cover
            caught.append(error)
            raise

    checkpoint(function, leaf(0.5), use_reentrant=False).backward()
    assert not caught


def runs(first, second):
    """A function that does one thing the first time, and another the second."""
    turns = iter([first, second])
    return lambda x: next(turns)(x)


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        (
            lambda x: x.exp(),
            lambda x: x[:1].exp(),
            r"have different metadata than during the forward pass.\n"
            r"tensor at position 0:\nsaved metadata: {'shape': torch.Size\(\[2\]\)",
        ),
        (lambda x: x.exp(), lambda x: x.float().exp(), "recomputed metadata: {'shape': .*, 'dtype': torch.float32}"),
        (
            lambda x: x.exp().exp(),
            lambda x: x.exp(),
            "Number of tensors saved during forward: 2\nNumber of tensors saved during recomputation: 1",
        ),
    ],
)
def test_what_differs_between_the_runs(leaf, first, second, message):
    with pytest.raises(CheckpointError, match=message):
        checkpoint(runs(first, second), leaf(1.0, 2.0), use_reentrant=False).sum().backward()


def test_more_tensors_the_second_time(leaf):
    one, two = (lambda x: x.exp()), (lambda x: x.exp().exp())
    checkpoint(runs(one, two), leaf(1.0), use_reentrant=False).backward()  # ends before it could save more
    with pytest.raises(CheckpointError, match="trying to save more tensors during recomputation"):
        checkpoint(runs(one, two), leaf(1.0), use_reentrant=False, early_stop=False).backward()


def test_without_the_check(leaf):
    x = leaf(1.0, 2.0)
    checkpoint(
        runs(lambda x: x.exp(), lambda x: x.float().exp()), x, use_reentrant=False, determinism_check="none"
    ).sum().backward()
    assert x.grad.tolist() == pytest.approx(x.exp().tolist(), rel=1e-6)
    with pytest.raises(ValueError, match=r"determinism_check should be one of \['default', 'none'\], but got strict"):
        checkpoint(steps, x, use_reentrant=False, determinism_check="strict")


@pytest.mark.parametrize("by", ["argument", "context"])
def test_debug_lists_the_calls(leaf, by):
    function = runs(lambda x: x.exp() * 2, lambda x: x[:1].exp())
    x = leaf(1.0, 2.0)
    with set_checkpoint_debug_enabled(True if by == "context" else None):
        y = checkpoint(function, x, use_reentrant=False, debug=by == "argument")
    with pytest.raises(CheckpointError) as caught:
        y.sum().backward()
    text = str(caught.value)
    assert "Calls of the original forward:\nexp(float64[2]) -> float64[2]\nmul(float64[2], 2) -> float64[2]" in text
    assert text.split("Calls of the recomputation:")[1].endswith("\nexp(float64[1])")  # where it ended


def test_contexts_of_both_runs(leaf):
    log = []

    @contextlib.contextmanager
    def note(name):
        log.append(f"+{name}")
        yield
        log.append(f"-{name}")

    y = checkpoint(
        steps, leaf(0.5), use_reentrant=False, context_fn=lambda: (note("first"), note("again")), early_stop=False
    )
    y.backward()
    assert log == ["+first", "-first", "+again", "-again"]
    with pytest.raises(ValueError, match="debug=True is incompatible with non-default context_fn"):
        checkpoint(steps, leaf(0.5), use_reentrant=False, context_fn=lambda: (note("a"), note("b")), debug=True)
    with pytest.raises(RuntimeError, match="suppressed an exception raised during the checkpointed forward"):
        checkpoint(
            lambda x: 1 / 0,
            leaf(0.5),
            use_reentrant=False,
            context_fn=lambda: (contextlib.suppress(ZeroDivisionError), note("again")),
        )


def test_without_recording(leaf):
    with autograd.no_grad():
        assert not checkpoint(steps, leaf(0.5), use_reentrant=False).requires_grad


def test_saved_tensors_read_twice_and_outside_of_backward(leaf):
    """PyTorch raises on the second reading; here the function runs once more."""

    class Twice(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, g):
            return g * (ctx.saved_tensors[0] + ctx.saved_tensors[0])

    x = leaf(0.5)
    y = checkpoint(lambda x: Twice.apply(x.exp()), x, use_reentrant=False)
    assert y.grad_fn.saved_tensors[0].tolist() == near(x.exp().tolist())
    y.backward()
    assert x.grad.tolist() == near(slope(lambda x: x.exp() * x.exp(), 0.5))


def test_hooks_around_it_see_the_inputs_only(leaf):
    log = []
    x = leaf(0.5)
    with saved_tensors_hooks(lambda t: log.append(("pack", t is x)) or t, lambda t: log.append("unpack") or t):
        y = checkpoint(steps, x, use_reentrant=False)
    y.backward()
    assert log == [("pack", True), "unpack"]


def test_what_the_reentrant_way_cannot_do(leaf):
    x = leaf(0.5)
    for attempt in (lambda y: grad(y, x), lambda y: y.backward(inputs=[x])):
        with pytest.raises(RuntimeError, match="checkpoint is incompatible with .grad"):
            attempt(checkpoint(steps, x, use_reentrant=True))
    with pytest.raises(RuntimeError, match="none of output has requires_grad=True"):
        checkpoint(lambda x: x.detach() * 2, x, use_reentrant=True).backward()
    with pytest.raises(ValueError, match="Unexpected keyword arguments: scale"):
        checkpoint(steps, x, use_reentrant=True, scale=2)
    with pytest.raises(ValueError, match="only supported when use_reentrant=False"):
        checkpoint(steps, x, use_reentrant=True, debug=True)
    with pytest.warns(UserWarning, match="None of the inputs have requires_grad=True"):
        checkpoint(steps, x.detach(), use_reentrant=True)
    with pytest.warns(UserWarning, match="use_reentrant parameter should be passed explicitly"):
        assert checkpoint(steps, x).grad_fn.name() == "CheckpointFunctionBackward"
    with pytest.raises(RuntimeError, match="Only tuple of tensors is supported"):
        module.detach_variable([x])


@BOTH
@pytest.mark.parametrize("segments", [1, 2, 3, 5])
def test_chains(leaf, reentrant, segments):
    chain = [torch.sin, torch.exp, torch.tanh, torch.cos, torch.sin]
    x = leaf(0.5)
    checkpoint_sequential(chain, segments, x, use_reentrant=reentrant).backward()
    assert x.grad.tolist() == near(slope(lambda x: x.sin().exp().tanh().cos().sin(), 0.5))


def test_chains_of_children(leaf):
    class Chain:
        def children(self):
            return iter([torch.sin, torch.exp])

    x = leaf(0.5)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        checkpoint_sequential(Chain(), 2, x, use_reentrant=False, preserve_rng_state=False).backward()
    assert x.grad.tolist() == near(slope(lambda x: x.sin().exp(), 0.5))
    with pytest.warns(UserWarning, match="checkpoint_sequential: the use_reentrant parameter should be passed"):
        checkpoint_sequential(Chain(), 2, x)
    with pytest.raises(ValueError, match="Unexpected keyword arguments: scale"):
        checkpoint_sequential(Chain(), 2, x, use_reentrant=False, scale=2)


# --- transforms -----------------------------------------------------------------------------------------------------


def kept(x):
    return checkpoint(steps, x, use_reentrant=False)


def later(f):
    def run(x):
        back = func.vjp(f, x)[1]
        return func.grad(lambda c: back(c)[0].sum())(x)

    return run


@pytest.mark.parametrize(
    "transform",
    [
        func.vmap,
        func.jacrev,
        func.jacfwd,
        lambda f: func.vmap(func.grad(f)),
        lambda f: func.vmap(func.grad(func.grad(f))),
        lambda f: func.jacrev(func.jacrev(f)),
        lambda f: func.hessian(lambda a: f(a).sum()),
        lambda f: lambda x: func.jvp(func.grad(lambda a: f(a).sum()), (x,), (x,)),
        lambda f: lambda x: func.jvp(f, (x,), (x,)),
        lambda f: lambda x: func.linearize(f, x)[1](x),
        lambda f: lambda x: func.vjp(f, x)[1](x),
        later,
        lambda f: func.grad(lambda x: func.vjp(f, x)[1](x.detach())[0].sum()),
    ],
)
def test_inside_transforms(transform):
    x = torch.tensor([0.5, -1.0, 2.0], dtype=torch.float64)
    expected, found = transform(steps)(x), transform(kept)(x)
    for e, f in zip(leaves(expected), leaves(found), strict=True):
        assert torch.allclose(e, f) and e.any()


@pytest.mark.parametrize(
    "f",
    [
        lambda x: func.vmap(kept)(x).sum(),
        lambda x: func.jvp(kept, (x,), (torch.ones_like(x),))[1].sum(),
    ],
)
def test_a_transform_that_is_over_when_backward_runs(f):
    """Running again would need its examples or tangents."""
    x = torch.ones(3, requires_grad=True)
    with pytest.raises(RuntimeError, match="after the vmap that made it had returned|different number of tensors"):
        f(x).backward()
    assert x.grad is None


def test_there_are_no_states_of_devices():
    devices, states = module.get_device_states(torch.ones(2), 3)
    assert devices == [] and states == []
    module.set_device_states(devices, states)
    with pytest.raises(RuntimeError, match="there is no device 0"):
        module.set_device_states([0], [None])
