"""Checkpoints that keep what a policy says."""

import functools

import pytest

import flambeau as torch
from flambeau.utils.checkpoint import (
    CheckpointPolicy,
    SelectiveCheckpointContext,
    checkpoint,
    create_selective_checkpoint_contexts,
)


def program(x):
    return ((x @ x).sin().cos() @ x).sum(0)


def gradient_of(policy, f=program, **options):
    x = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    context_fn = functools.partial(create_selective_checkpoint_contexts, policy, **options)
    checkpoint(f, x, use_reentrant=False, context_fn=context_fn).sum().backward()
    return x.grad


def plain():
    x = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    program(x).sum().backward()
    return x.grad


class Count(torch.utils._python_dispatch.TorchDispatchMode):
    def __init__(self):
        self.calls = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.calls.append(str(func))
        return func(*args, **(kwargs or {}))


def test_kept_results_are_not_computed_again():
    mm = torch.ops.aten.mm.default
    with Count() as recomputed:
        assert torch.equal(gradient_of([]), plain())
    with Count() as kept:
        assert torch.equal(gradient_of([mm]), plain())
    # once forward, once again up to the last tensor that backward needs, two for each gradient of a product
    assert recomputed.calls.count("aten.mm.default") - kept.calls.count("aten.mm.default") == 1
    assert recomputed.calls.count("aten.sin.default") == kept.calls.count("aten.sin.default")


def test_the_policy_hears_of_every_call_in_both_runs():
    heard = []

    def policy(context, func, *args, **kwargs):
        assert isinstance(context, SelectiveCheckpointContext)
        assert (context.op_output is None) == context.is_recompute
        heard.append((str(func), context.is_recompute))
        return CheckpointPolicy.MUST_SAVE if "mm" in str(func) else CheckpointPolicy.PREFER_RECOMPUTE

    assert torch.equal(gradient_of(policy), plain())
    first = [name for name, again in heard if not again]
    again = [name for name, again in heard if again]
    assert first[:4] == [f"aten.{name}.default" for name in ("mm", "sin", "cos", "mm")]
    assert again == first[: len(again)] and len(again) >= 3


def test_a_policy_may_answer_with_bools():
    assert torch.equal(gradient_of(lambda context, func, *args: "mm" in str(func)), plain())


def test_kept_results_must_not_change():
    def changed(x):
        y = x @ x
        z = y.sin()
        with torch.no_grad():
            y.detach().mul_(2)
        return z.cos()

    with pytest.raises(RuntimeError, match="has been mutated"):
        gradient_of([torch.ops.aten.mm.default], changed)


def test_backward_twice_needs_what_was_thrown_away():
    x = torch.ones(2, 2, requires_grad=True)
    context_fn = functools.partial(create_selective_checkpoint_contexts, [torch.ops.aten.mm.default])
    y = checkpoint(program, x, use_reentrant=False, context_fn=context_fn).sum()
    y.backward(retain_graph=True)
    with pytest.raises(RuntimeError, match="Trying to backward an extra time"):
        y.backward()


def test_what_is_neither_a_policy_nor_operators_is_refused():
    with pytest.raises(TypeError, match="must be either a function or a list of ops"):
        create_selective_checkpoint_contexts(3)
    with pytest.raises(TypeError, match="Expected op in `op_list` to be an OpOverload"):
        create_selective_checkpoint_contexts([torch.mm])
