"""Arguments by keyword, and tensors inside tuples, lists and dicts, on the way in and on the way out."""

from collections import OrderedDict, namedtuple

import pytest

import flambeau_autograd as autograd
import flambeau_tensor as torch
from flambeau_autograd import Function, grad

Pair = namedtuple("Pair", "first second")


def test_keyword_only_arguments(leaf):
    class Weighted(Function):
        @staticmethod
        def forward(x, *, weight, bias=1.0):
            return x * weight + bias

        @staticmethod
        def setup_context(ctx, inputs, keyword_only_inputs, output):
            ctx.save_for_backward(inputs[0], keyword_only_inputs["weight"])

        @staticmethod
        def backward(ctx, g):
            x, weight = ctx.saved_tensors
            return g * weight, g * x

    x, w = leaf(1.0, 2.0), leaf(3.0, 4.0)
    Weighted.apply(x, weight=w).sum().backward()
    assert x.grad.tolist() == [3.0, 4.0] and w.grad.tolist() == [1.0, 2.0]


def test_tensors_inside_containers(leaf):
    class Combine(Function):
        @staticmethod
        def forward(ctx, tensors, options):
            ctx.save_for_backward(*tensors, options["scale"])
            return sum(tensors) * options["scale"]

        @staticmethod
        def backward(ctx, g):
            *tensors, scale = ctx.saved_tensors
            assert ctx.needs_input_grad == (True, True)
            return [g * scale for _ in tensors], {"scale": g * sum(tensors)}

    a, b, s = leaf(1.0), leaf(2.0), leaf(3.0)
    result = Combine.apply([a, b], {"scale": s, "name": "x"})
    assert result.tolist() == [9.0]
    result.sum().backward()
    assert (a.grad.tolist(), b.grad.tolist(), s.grad.tolist()) == ([3.0], [3.0], [3.0])


def test_containers_may_get_none(leaf):
    class First(Function):
        @staticmethod
        def forward(ctx, x, rest):
            return x * 1

        @staticmethod
        def backward(ctx, g):
            return g, None

    x, y = leaf(1.0), leaf(2.0)
    First.apply(x, [y, 3]).sum().backward()
    assert x.grad.tolist() == [1.0] and y.grad is None


class Powers(Function):
    """x and its powers, in whatever container `arrange` makes of them."""

    @staticmethod
    def forward(ctx, x, arrange):
        ctx.save_for_backward(x)
        return arrange(x * 1, x**2, x**3)

    @staticmethod
    def backward(ctx, *grads):
        (x,) = ctx.saved_tensors
        Powers.grads = grads
        g1, g2, g3 = flat(grads)
        return g1 + g2 * 2 * x + g3 * 3 * x**2, None


def flat(x):
    if isinstance(x, dict):
        x = x.values()
    return [x] if isinstance(x, torch.Tensor) else [] if x is None else [t for item in x for t in flat(item)]


@pytest.mark.parametrize(
    "arrange",
    [
        lambda a, b, c: (a, b, c),
        lambda a, b, c: [a, b, c],
        lambda a, b, c: (a, [b, c]),
        lambda a, b, c: {"a": a, "rest": (b, {"c": c})},
        lambda a, b, c: OrderedDict(a=a, b=b, c=c),
        lambda a, b, c: (Pair(a, b), c),
        lambda a, b, c: Pair(a, [b, c]),
    ],
    ids=["tuple", "list", "list in tuple", "dict", "OrderedDict", "namedtuple in tuple", "list in namedtuple"],
)
def test_results_in_containers(arrange, random, check):
    x = random(3)
    result = Powers.apply(x, arrange)
    model = arrange(x * 1, x**2, x**3)
    assert type(result) is type(model)
    parts = flat(result)
    assert [p.grad_fn.name() for p in parts] == ["PowersBackward"] * 3
    sum((i + 1) * p.sum() for i, p in enumerate(parts)).backward()
    assert torch.allclose(x.grad, 1 + 4 * x.detach() + 9 * x.detach() ** 2)
    check(lambda x: tuple(flat(Powers.apply(x, arrange))), x)


def test_gradients_come_in_the_form_of_the_result(leaf):
    x = leaf(1.0, 2.0)
    a, rest = Powers.apply(x, lambda a, b, c: (a, {"b": b, "name": "x", "c": [c, None]}))
    rest["c"][0].sum().backward()
    assert Powers.grads[0].tolist() == [0.0, 0.0]
    assert list(Powers.grads[1]) == ["b", "name", "c"] and Powers.grads[1]["name"] is None
    assert Powers.grads[1]["b"].tolist() == [0.0, 0.0]
    assert Powers.grads[1]["c"][0].tolist() == [1.0, 1.0] and Powers.grads[1]["c"][1] is None
    assert rest["name"] == "x" and rest["c"][1] is None


def test_gradients_that_did_not_come(leaf):
    class Two(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.set_materialize_grads(False)
            return [x * 2, x * 3]

        @staticmethod
        def backward(ctx, grads):
            Two.grads = grads
            return grads[1] * 3

    x = leaf(1.0)
    Two.apply(x)[1].backward()
    assert Two.grads[0] is None and Two.grads[1].tolist() == [1.0] and x.grad.tolist() == [3.0]


def test_what_is_no_tensor_in_containers(leaf):
    """A list or dict without tensors is a result like a string: backward gets None for it."""

    class Plain(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2, [1, 2], {"n": 3}

        @staticmethod
        def backward(ctx, *grads):
            assert grads[1:] == (None, None)
            return grads[0] * 2

    x = leaf(1.0)
    y, numbers, named = Plain.apply(x)
    assert (numbers, named) == ([1, 2], {"n": 3}) and y.output_nr == 0
    y.backward()
    assert x.grad.tolist() == [2.0]


def test_inputs_returned_in_containers(leaf):
    class Hand(Function):
        @staticmethod
        def forward(ctx, xs):
            return xs

        @staticmethod
        def backward(ctx, grads):
            return [g * 2 for g in grads]

    a, b = leaf(1.0), leaf(2.0)
    given = [a, b]
    got = Hand.apply(given)
    assert got is not given and given[0] is a and got[0] is not a
    (got[0] * 1 + got[1] * 3).backward()
    assert a.grad.tolist() == [2.0] and b.grad.tolist() == [6.0]
    with autograd.no_grad():
        assert not Hand.apply(given)[0].requires_grad


def test_dirty_and_not_differentiable_in_containers(leaf):
    class Mixed(Function):
        @staticmethod
        def forward(ctx, xs):
            fixed = xs["a"] * 2
            xs["a"].mul_(3)
            ctx.mark_dirty(xs["a"])
            ctx.mark_non_differentiable(fixed)
            return {"a": xs["a"], "fixed": fixed}

        @staticmethod
        def backward(ctx, grads):
            return {"a": grads["a"] * 3}

    x = leaf(1.0)
    a = x * 1
    result = Mixed.apply({"a": a})
    assert result["a"] is a and not result["fixed"].requires_grad
    assert grad(a, x)[0].tolist() == [3.0]


def test_saved_results_in_containers(leaf, check):
    class Exps(Function):
        @staticmethod
        def forward(ctx, x):
            results = {"up": x.exp(), "down": (-x).exp()}
            ctx.save_for_backward(results["up"], results["down"])
            return results

        @staticmethod
        def backward(ctx, grads):
            up, down = ctx.saved_tensors
            return grads["up"] * up - grads["down"] * down

    check(lambda x: tuple(Exps.apply(x).values()), leaf(0.5, -1.0))


def test_defaults_and_keywords(leaf):
    class Affine(Function):
        @staticmethod
        def forward(ctx, x, scale=2.0, *, shift=1.0):
            ctx.scale = scale
            return x * scale + shift

        @staticmethod
        def backward(ctx, g):
            return g * ctx.scale

    x = leaf(1.0)
    assert Affine.apply(x).tolist() == [3.0]
    y = Affine.apply(x, shift=5.0)
    assert y.tolist() == [7.0]
    y.backward()
    assert x.grad.tolist() == [2.0]
    with pytest.raises(TypeError, match="unexpected keyword argument 'other'"):
        Affine.apply(x, other=1)
    with pytest.raises(TypeError, match="multiple values for argument 'scale'"):
        Affine.apply(x, 1.0, scale=2.0)


def test_keyword_tensors_in_containers(leaf):
    class Weighted(Function):
        @staticmethod
        def forward(x, *, weights):
            return sum(x * w for w in weights)

        @staticmethod
        def setup_context(ctx, inputs, keyword_only_inputs, output):
            ctx.save_for_backward(*inputs, *keyword_only_inputs["weights"])

        @staticmethod
        def backward(ctx, g):
            x, *weights = ctx.saved_tensors
            return g * sum(weights), tuple(g * x for _ in weights)

    x, a, b = leaf(3.0), leaf(1.0), leaf(2.0)
    y = Weighted.apply(x, weights=(a, b))
    assert y.grad_fn.needs_input_grad == (True, True)
    y.backward()
    assert (x.grad.tolist(), a.grad.tolist(), b.grad.tolist()) == ([3.0], [3.0], [3.0])


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (
            lambda g: {"a": g, "z": g},
            r"returned dict at position 1, but the corresponding forward input was a dict with "
            r"the keys \['a', 'b'\]",
        ),
        (lambda g: [g], "returned list at position 1"),
        (lambda g: {"a": g, "b": [g]}, r"returned list at position 1, .* a sequence of length 2"),
        (lambda g: {"a": 3}, r"expected Variable or None \(got int\)"),
        (
            lambda g: {"b": [g, torch.ones(7)]},
            r"invalid gradient at index 2 - got \[7\] .*the gradient of argument "
            r"'options\['b'\]\[1\]'",
        ),
    ],
)
def test_wrong_gradients_of_containers(leaf, answer, message):
    class Wrong(Function):
        @staticmethod
        def forward(ctx, options):
            return options["a"] + options["b"][0] + options["b"][1]

        @staticmethod
        def backward(ctx, g):
            return answer(g)

    with pytest.raises(RuntimeError, match=message):
        Wrong.apply({"a": leaf(1.0, 2.0), "b": [leaf(1.0, 2.0), leaf(1.0, 2.0)]}).sum().backward()


def test_a_container_that_holds_itself(leaf):
    endless = [leaf(1.0)]
    endless.append(endless)
    with pytest.raises(RecursionError, match="looking for tensors in containers"):
        Powers.apply(endless, tuple)
