"""What PyTorch lets pass and gets wrong, and what is said here. The figures in the comments are those of PyTorch 2.13
for the same program."""

import pytest

import flambeau_autograd as autograd
import flambeau_tensor as torch
from flambeau_autograd import Function, detect_mutation, grad, gradgradcheck, is_mutation_detection_enabled


class Cube(Function):
    """Saves an intermediate result."""

    @staticmethod
    def forward(ctx, x):
        square = x * x
        ctx.save_for_backward(x, square)
        return square * x

    @staticmethod
    def backward(ctx, g):
        x, square = ctx.saved_tensors
        return g * (2 * square + x * x)


def test_double_backward_through_an_intermediate(leaf):
    """The second derivative of x³ at 2 is 12; PyTorch returns 4, the part that it can see."""
    x = leaf(2.0)
    (slope,) = grad(Cube.apply(x).sum(), x, create_graph=True)
    assert slope.tolist() == [12.0]
    with pytest.raises(RuntimeError) as caught:
        grad(slope.sum(), x)
    text = str(caught.value)
    assert "CubeBackward saved an intermediate result of its forward (tensor 1 of save_for_backward)" in text
    assert "return it from forward as another output" in text and "compute it in backward" in text
    assert "(slope,) = grad(Cube.apply(x)" in text  # where the call was
    with pytest.raises(RuntimeError, match="saved an intermediate result"):
        gradgradcheck(Cube.apply, (x,))


def test_where_nothing_else_was_recorded(leaf):
    """Here all of the second derivative goes by the intermediate. PyTorch's gradient does not even require grad, so
    that adding it to something that does loses the term."""

    class Plain(Cube):
        @staticmethod
        def backward(ctx, g):
            return g * 3 * ctx.saved_tensors[1]

    x = leaf(2.0)
    (slope,) = grad(Plain.apply(x).sum(), x, create_graph=True)
    with pytest.raises(RuntimeError, match="saved an intermediate result"):
        (slope + x).sum().backward()


def test_the_ways_out(leaf):
    class Returned(Cube):
        @staticmethod
        def forward(ctx, x):
            square = x * x
            ctx.save_for_backward(x, square)
            return square * x, square

        @staticmethod
        def backward(ctx, g, g_square):
            x, square = ctx.saved_tensors
            return g * (2 * square + x * x) + g_square * 2 * x

    class Computed(Cube):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x * x

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return g * 3 * x * x

    class Masked(Function):
        """The mask does not depend on what is passed in."""

        @staticmethod
        def forward(ctx, x):
            mask = torch.tensor([1.0, 0.0], dtype=torch.float64)
            ctx.save_for_backward(mask)
            ctx.mark_non_differentiable(mask)
            return x * mask

        @staticmethod
        def backward(ctx, g):
            return g * ctx.saved_tensors[0]

    assert gradgradcheck(lambda x: Returned.apply(x)[0], (leaf(2.0),))
    assert gradgradcheck(Computed.apply, (leaf(2.0),))
    assert gradgradcheck(Masked.apply, (leaf(2.0, 3.0),))


def test_what_is_no_mistake_goes_on(leaf):
    x = leaf(2.0)
    (slope,) = grad(Cube.apply(x).sum(), x, create_graph=True)
    w = leaf(3.0)
    assert grad((slope * w).sum(), w)[0].tolist() == [12.0]  # not through the intermediate

    class Sorted(Function):
        """Integers have no derivative."""

        @staticmethod
        def forward(ctx, x):
            values, order = x.sort()
            ctx.save_for_backward(order)
            return values

        @staticmethod
        def backward(ctx, g):
            (order,) = ctx.saved_tensors
            return torch.zeros_like(g).scatter(0, order, g)

    assert gradgradcheck(Sorted.apply, (leaf(3.0, 1.0, 2.0),))
    outside = leaf(5.0)

    class Outside(Cube):
        """Saves a tensor from outside that has a history of its own."""

        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(outside)
            return x * 1

        @staticmethod
        def backward(ctx, g):
            return g * ctx.saved_tensors[0]

    (slope,) = grad(Outside.apply(x).sum(), x, create_graph=True)
    assert grad(slope.sum(), outside)[0].tolist() == [1.0]


class Unmarked(Function):
    """Writes to its argument and tells nobody."""

    @staticmethod
    def forward(ctx, x):
        x.detach().numpy()[...] *= 2
        return x.clone()

    @staticmethod
    def backward(ctx, g):
        return g * 2


class Greedy(Function):
    """Writes to the gradient that it is given."""

    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g.mul_(2)


def square_and_double(x):
    a = x * 1
    return ((a * a) + Unmarked.apply(a)).sum()


def test_an_argument_written_to_without_mark_dirty(leaf):
    """The gradient of a² + 2a at 2 is 6; PyTorch returns 10, and so does what is not watched here."""
    x = leaf(2.0)
    assert grad(square_and_double(x), x)[0].tolist() == [10.0]
    with detect_mutation():
        assert is_mutation_detection_enabled()
        with pytest.raises(RuntimeError, match=r"Unmarked: forward wrote to its argument 'x' without ctx.mark_dirty"):
            square_and_double(x)
    assert not is_mutation_detection_enabled()
    assert x.tolist() == [2.0]


def double_and_keep(x):
    z = x * 1
    return (Greedy.apply(z) + z).sum()


def test_a_backward_that_writes_to_its_gradient(leaf):
    """The gradient of 2x + x is 3; PyTorch returns 4, and so does what is not watched here."""
    x = leaf(2.0)
    assert grad(double_and_keep(x), x)[0].tolist() == [4.0]
    with detect_mutation():
        with pytest.raises(RuntimeError, match="GreedyBackward: backward wrote to the gradient of output 0") as caught:
            double_and_keep(x).backward()
    assert "return (Greedy.apply(z) + z).sum()" in str(caught.value)


def test_the_watch_lets_pass_what_is_right(leaf):
    class Scale(Function):
        @staticmethod
        def forward(x, *, options):
            return options["out"].copy_(x * options["factor"])

        @staticmethod
        def setup_context(ctx, inputs, keyword_only_inputs, output):
            ctx.mark_dirty(output)
            ctx.save_for_backward(inputs[0], keyword_only_inputs["options"]["factor"])

        @staticmethod
        def backward(ctx, g):
            x, factor = ctx.saved_tensors
            return g * factor, {"factor": g * x}

    nan = leaf(float("nan"), 1.0)
    with autograd.set_detect_mutation(True):
        x, factor = leaf(1.0, 2.0), leaf(3.0, 4.0)
        out = torch.zeros(2, dtype=torch.float64)
        y = Scale.apply(x, options={"factor": factor, "out": out})
        assert y is out
        y.sum().backward()
        assert factor.grad.tolist() == [1.0, 2.0]
        Cube.apply(nan).sum().backward()

        class Forgets(Scale):
            @staticmethod
            def setup_context(ctx, inputs, keyword_only_inputs, output):
                pass

        with pytest.raises(RuntimeError, match=r"wrote to its argument 'options\['out'\]'"):
            Forgets.apply(x, options={"factor": factor, "out": torch.zeros(2, dtype=torch.float64)})


def test_the_watch_costs_nothing_while_off(leaf):
    """Nothing is copied: a Function sees the very tensors that it is given, and nothing looks at them."""
    seen = []

    class Look(Greedy):
        @staticmethod
        def backward(ctx, g):
            seen.append(g)
            return g * 2

    x, g = leaf(2.0), torch.ones(1, dtype=torch.float64)
    Look.apply(x).backward(g)
    assert seen[0] is g
