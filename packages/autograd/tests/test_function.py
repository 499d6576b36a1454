"""Custom Functions: both styles, everything on ctx, and what goes wrong."""

import pickle
import weakref

import numpy as np
import pytest

import flambeau_autograd as autograd
import flambeau_tensor as torch
from flambeau_autograd import Function, func, grad
from flambeau_autograd.function import BackwardCFunction, FunctionCtx, once_differentiable


class Square(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 2 * x * g


class Scale(Function):
    """The separate style, with a number and a default."""

    @staticmethod
    def forward(x, factor=2.0):
        return x * factor

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.factor = inputs[1]

    @staticmethod
    def backward(ctx, g):
        return g * ctx.factor, None


class Returns(Function):
    """Gives back from backward whatever it is told to."""

    answer = None

    @staticmethod
    def forward(ctx, x, k):
        return x * 1

    @staticmethod
    def backward(ctx, g):
        return Returns.answer


def test_combined_style(leaf):
    x = leaf(1.0, 2.0)
    y = Square.apply(x)
    assert y.grad_fn.name() == "SquareBackward" and type(y.grad_fn).__name__ == "SquareBackward"
    assert isinstance(y.grad_fn, BackwardCFunction) and isinstance(y.grad_fn, FunctionCtx)
    y.sum().backward()
    assert x.grad.tolist() == [2.0, 4.0]


def test_separate_style(leaf):
    x = leaf(1.0, 2.0)
    Scale.apply(x).sum().backward()
    assert x.grad.tolist() == [2.0, 2.0]
    assert Scale.apply(x, factor=4.0).grad_fn.factor == 4.0
    assert Scale.apply(factor=5.0, x=x).tolist() == [5.0, 10.0]
    with pytest.raises(TypeError, match="missing a required argument: 'x'"):
        Scale.apply()


def test_apply_is_a_function_of_its_own(leaf):
    square = Square.apply
    assert square(leaf(3.0)).tolist() == [9.0]


def test_double_backward(leaf, check):
    check(Square.apply, leaf(0.5, -1.5))


def test_saved_output_double_backward(leaf, check):
    class Exp(Function):
        @staticmethod
        def forward(ctx, x):
            result = x.exp()
            ctx.save_for_backward(result)
            return result

        @staticmethod
        def backward(ctx, g):
            (result,) = ctx.saved_tensors
            return g * result

    check(Exp.apply, leaf(0.5, -1.5))


def test_intermediate_as_output(leaf, check):
    class Cube(Function):
        @staticmethod
        def forward(x):
            return x**3, 3 * x**2

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_backward(inputs[0], output[1])

        @staticmethod
        def backward(ctx, g, g_slope):
            x, slope = ctx.saved_tensors
            return g * slope + g_slope * 6 * x

    check(lambda x: Cube.apply(x)[0], leaf(0.5, -1.5))


def test_linear_with_optional_bias(random, check):
    class Linear(Function):
        @staticmethod
        def forward(ctx, input, weight, bias=None):
            ctx.save_for_backward(input, weight, bias)
            output = input.mm(weight.t())
            if bias is not None:
                output += bias.unsqueeze(0).expand_as(output)
            return output

        @staticmethod
        def backward(ctx, g):
            input, weight, bias = ctx.saved_tensors
            assert ctx.needs_input_grad[:2] == (True, True)
            return g.mm(weight), g.t().mm(input), g.sum(0) if bias is not None else None

    check(Linear.apply, random(4, 3), random(2, 3), random(2))
    check(Linear.apply, random(4, 3), random(2, 3))


def test_needs_input_grad(leaf):
    class Probe(Function):
        @staticmethod
        def forward(ctx, a, b, c):
            ctx.seen = ctx.needs_input_grad
            return a + b

        @staticmethod
        def backward(ctx, g):
            return g, None, None

    y = Probe.apply(leaf(1.0), torch.ones(1, dtype=torch.float64), "text")
    assert y.grad_fn.seen == (True, False, False)
    assert [n for n, _ in y.grad_fn.next_functions][1:] == [None]


def test_attributes_and_saved_tensors_of_the_node(leaf):
    x = leaf(1.0)
    y = Square.apply(x)
    y.grad_fn.note = 7
    assert y.grad_fn.note == 7
    assert y.grad_fn.saved_tensors[0] is x
    y.sum().backward()
    with pytest.raises(RuntimeError, match="second time"):
        y.grad_fn.saved_tensors  # noqa: B018
    with pytest.raises(RuntimeError, match="second time"):
        y.sum().backward()


def test_non_tensors_go_through(leaf):
    class Mixed(Function):
        @staticmethod
        def forward(ctx, x):
            indices = x.argmax()
            fixed = x * 1
            ctx.mark_non_differentiable(fixed)
            return fixed, indices, x * 2, "text", None

        @staticmethod
        def backward(ctx, *grads):
            ctx.grads = grads
            return grads[2]

    x = leaf(1.0, 2.0)
    fixed, indices, doubled, text, none = Mixed.apply(x)
    assert (text, none, indices.item()) == ("text", None, 1)
    assert not fixed.requires_grad and not indices.requires_grad
    node = doubled.grad_fn
    doubled.sum().backward()
    assert node.grads[0].tolist() == [0.0, 0.0] and node.grads[1].item() == 0
    assert node.grads[3] is None and node.grads[4] is None


def test_materialize_grads(leaf):
    class Pair(Function):
        materialize = True

        @staticmethod
        def forward(ctx, x):
            ctx.set_materialize_grads(Pair.materialize)
            return x * 1, x * 2

        @staticmethod
        def backward(ctx, a, b):
            Pair.got = b
            return a

    Pair.apply(leaf(1.0, 2.0))[0].sum().backward()
    assert Pair.got.tolist() == [0.0, 0.0]
    Pair.materialize = False
    Pair.apply(leaf(1.0, 2.0))[0].sum().backward()
    assert Pair.got is None


def test_none_reaches_the_function_before_as_zeros(leaf):
    class Nothing(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, g):
            return None

    x = leaf(1.0, 2.0)
    y = Nothing.apply(Square.apply(x))
    y.sum().backward()
    assert x.grad.tolist() == [0.0, 0.0]
    z = leaf(1.0)
    Nothing.apply(z * 2).sum().backward()
    assert z.grad is None


def test_input_returned_as_it_is(leaf):
    class Identity(Function):
        @staticmethod
        def forward(ctx, x):
            return x

        @staticmethod
        def backward(ctx, g):
            return g * 3

    x = leaf(1.0, 2.0)
    y = Identity.apply(x)
    assert y is not x and y.data_ptr() == x.data_ptr()
    y.sum().backward()
    assert x.grad.tolist() == [3.0, 3.0]
    with pytest.raises(RuntimeError, match="created inside a custom Function"):
        Identity.apply(x * 1).mul_(2)
    with autograd.no_grad():
        assert not Identity.apply(x).requires_grad


class AddInPlace(Function):
    @staticmethod
    def forward(ctx, x, y):
        x.add_(y)
        ctx.mark_dirty(x)
        return x

    @staticmethod
    def backward(ctx, g):
        return g, g


def test_dirty(leaf):
    x, y = leaf(1.0, 2.0), leaf(3.0, 4.0)
    a = x * 2
    result = AddInPlace.apply(a, y)
    assert result is a and a.grad_fn.name() == "AddInPlaceBackward"
    (a * a).sum().backward()
    assert x.grad.tolist() == [4 * 5.0, 4 * 8.0] and y.grad.tolist() == [10.0, 16.0]
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad has been used in an in-place operation"):
        AddInPlace.apply(leaf(1.0), y[:1])


def test_dirty_view(leaf):
    x, y = leaf(1.0, 2.0), leaf(1.0, 2.0)
    a = x * 2
    AddInPlace.apply(a[:1], y[:1] * 3)
    (a * a).sum().backward()
    assert a.tolist() == [5.0, 4.0] and a.grad_fn.name() == "torch::autograd::CopySlices"
    assert x.grad.tolist() == [20.0, 16.0] and y.grad.tolist() == [30.0, 0.0]


def test_dirty_but_not_returned(leaf):
    class Forgets(AddInPlace):
        @staticmethod
        def forward(ctx, x, y):
            x.add_(y)
            ctx.mark_dirty(x)
            return x * 1

    with pytest.raises(RuntimeError, match="must all be outputs of the Function"):
        Forgets.apply(leaf(1.0) * 1, leaf(1.0))


def test_once_differentiable(leaf):
    class Once(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        @once_differentiable
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return 2 * x * g

    x = leaf(1.0, 2.0)
    assert grad(Once.apply(x).sum(), x)[0].tolist() == [2.0, 4.0]
    (g,) = grad(Once.apply(x).sum(), x, create_graph=True)
    for attempt in (lambda: g.sum().backward(retain_graph=True), lambda: grad(g.sum(), x)):
        with pytest.raises(RuntimeError, match="trying to differentiate twice a function that was marked with"):
            attempt()


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (
            lambda: torch.ones(2),
            r"function ReturnsBackward returned an incorrect number of gradients \(expected 2, got 1\)",
        ),
        (lambda: (torch.ones(2), None, 3), r"incorrect number of gradients \(expected 2, got 3\)"),
        (lambda: (torch.ones(2), torch.ones(2)), "a gradient different than None at position 2, but the corresponding"),
        (lambda: (1, None), r"expected Variable or None \(got int\)"),
        (
            lambda: (torch.ones(5), None),
            r"Function ReturnsBackward returned an invalid gradient at index 0 - got \[5\] but "
            r"expected shape compatible with \[2\]",
        ),
        (lambda: (torch.ones(2, dtype=torch.complex64), None), "index 0 - got a complex one"),
    ],
)
def test_wrong_gradients(answer, message, leaf):
    x = leaf(1.0, 2.0)
    Returns.answer = answer()
    with pytest.raises(RuntimeError, match=message):
        Returns.apply(x, 5).sum().backward()
    assert x.grad is None


def test_gradients_that_are_put_right(leaf):
    x = leaf(1.0, 2.0)
    Returns.answer = (torch.ones(3, 2), None, None)  # broadcast, another dtype, more None than arguments
    Returns.apply(x, 5).sum().backward()
    assert x.grad.tolist() == [3.0, 3.0] and x.grad.dtype is torch.float64


def test_misuse(leaf):
    x = leaf(1.0)
    with pytest.raises(NotImplementedError, match="You must implement the forward function"):
        type("Empty", (Function,), {}).apply(x)
    with pytest.raises(NotImplementedError, match="You must implement the forward function"):
        Function.apply(x)
    forward = {"forward": staticmethod(lambda ctx, x: x * 1)}
    with pytest.raises(NotImplementedError, match="either the backward or vjp method"):
        type("NoBackward", (Function,), forward).apply(x).sum().backward()
    both = {"backward": staticmethod(lambda ctx, g: g), "vjp": staticmethod(lambda ctx, g: g)}
    with pytest.raises(RuntimeError, match="Implementing both 'backward' and 'vjp'"):
        type("Both", (Function,), forward | both).apply(x).sum().backward()
    with pytest.raises(TypeError, match="save_for_backward can only save variables, but argument 1 is of type int"):
        type("Saves", (Function,), {"forward": staticmethod(lambda ctx, x: ctx.save_for_backward(x, 3))}).apply(x)
    with pytest.raises(RuntimeError, match="mark_dirty can only accept variables"):
        type("Dirty", (Function,), {"forward": staticmethod(lambda ctx, x: ctx.mark_dirty(3) or x * 1)}).apply(x)
    with pytest.warns(DeprecationWarning, match="should not be instantiated"):
        instance = Square()
    with pytest.raises(RuntimeError, match="Legacy autograd function"):
        instance(x)


def test_vjp_is_another_name(leaf):
    class Triple(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 3

        @staticmethod
        def vjp(ctx, g):
            return g * 3

    x = leaf(1.0)
    Triple.apply(x).sum().backward()
    assert x.grad.tolist() == [3.0]


def test_subclass_of_a_function_calls_super(leaf):
    class Logged(Square):
        calls = []

        @classmethod
        def apply(cls, *args):
            cls.calls.append(cls.__name__)
            return super().apply(*args)

    assert Logged.apply(leaf(3.0)).grad_fn.name() == "LoggedBackward"
    assert Logged.calls == ["Logged"]


def test_many_arguments_and_results(leaf):
    class Many(Function):
        @staticmethod
        def forward(ctx, *xs):
            ctx.save_for_backward(*xs)
            return tuple(x * (i + 1) for i, x in enumerate(xs))

        @staticmethod
        def backward(ctx, *gs):
            assert len(ctx.saved_tensors) == len(gs)
            return tuple(g * (i + 1) for i, g in enumerate(gs))

    xs = [leaf(float(i)) for i in range(30)]
    sum(Many.apply(*xs)).backward()
    assert [x.grad.item() for x in xs] == [i + 1.0 for i in range(30)]


def test_recording_inside_forward(leaf):
    class Inner(Function):
        @staticmethod
        def forward(ctx, x):
            with autograd.enable_grad():
                y = x.detach().requires_grad_()
                value = y * y
                (ctx.slope,) = grad(value.sum(), y)
            return value

        @staticmethod
        def backward(ctx, g):
            return g * ctx.slope

    x = leaf(1.0, 2.0)
    Inner.apply(x).sum().backward()
    assert x.grad.tolist() == [2.0, 4.0]


def test_numpy_inside(leaf, check):
    class Sine(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return torch.from_numpy(np.sin(x.detach().numpy()))

        @staticmethod
        @once_differentiable
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return g * torch.from_numpy(np.cos(x.detach().numpy()))

    check(Sine.apply, leaf(0.5, 1.5), second=False)


def test_not_built(leaf):
    with pytest.raises(NotImplementedError, match="jvp"):
        Function.jvp(None)
    with pytest.raises(NotImplementedError, match="vmap"):
        Function.vmap(None, None)


def test_dirty_counts_as_a_write(leaf):
    """Forward may have written by other means than operators, here by NumPy."""

    class Fill(Function):
        @staticmethod
        def forward(ctx, x):
            x.detach().numpy()[...] = 5
            ctx.mark_dirty(x)
            return x

        @staticmethod
        def backward(ctx, g):
            return g * 0

    x = leaf(1.0, 2.0)
    a = x * 1
    square = (a * a).sum()
    Fill.apply(a)
    assert a.tolist() == [5.0, 5.0] and a._version == 1
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        square.backward()


def test_dirty_tensor_that_is_no_input(leaf):
    class Odd(Function):
        @staticmethod
        def forward(ctx, x):
            y = x * 2
            ctx.mark_dirty(y)
            return y

        @staticmethod
        def backward(ctx, g):
            return g * 2

    with pytest.warns(UserWarning, match="received a tensor that was not an input"):
        y = Odd.apply(leaf(1.0))
    assert y.grad_fn.name() == "OddBackward"


def test_dirty_view_beside_another_result(leaf):
    class Two(Function):
        @staticmethod
        def forward(ctx, a, b):
            ctx.mark_dirty(a)
            return a.add_(1), b * 2

        @staticmethod
        def backward(ctx, g, h):
            return g, h * 2

    x = leaf(1.0, 2.0) * 1
    with pytest.raises(RuntimeError, match="cannot return more than one Tensor"):
        Two.apply(x[:1], x[1:])


def test_saved_tensors_are_let_go_on_access(leaf):
    class Once(Square):
        clear_saved_tensors_on_access = True

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            with pytest.raises(RuntimeError, match="saved_tensors can only be accessed once"):
                ctx.saved_tensors  # noqa: B018
            return 2 * x * g

    x = leaf(3.0)
    Once.apply(x).backward()
    assert x.grad.tolist() == [6.0]


def test_backward_lets_go_of_what_it_has_read(leaf):
    """maybe_clear_saved_tensors: only where the run does not keep the graph."""
    alive = []

    class Keep(Function):
        @staticmethod
        def forward(ctx, x):
            big = torch.ones(3, dtype=torch.float64)
            alive.append(weakref.ref(big))
            ctx.save_for_backward(big)
            return x * 1

        @staticmethod
        def backward(ctx, g):
            ctx.maybe_clear_saved_tensors()
            alive.append(alive[0]() is not None)
            return g

    y = Keep.apply(leaf(1.0))
    y.grad_fn.maybe_clear_saved_tensors()
    assert len(y.grad_fn.saved_tensors) == 1
    y.backward(retain_graph=True)
    y.backward()
    assert alive[1:] == [True, False]


def test_gradients_in_one_list(leaf):
    class Boxed(Function):
        boxed_grads_call = True

        @staticmethod
        def forward(ctx, x):
            return x * 2, x * 3

        @staticmethod
        def backward(ctx, grads):
            first = weakref.ref(grads[0])
            result = grads[0] * 2 + grads[1] * 3
            grads.clear()
            Boxed.freed = first() is None
            return result

    x = leaf(1.0)
    a, b = Boxed.apply(x)
    (a * 1 + b * 10).backward()
    assert x.grad.tolist() == [32.0] and Boxed.freed


def test_node_runs_the_users_backward(leaf):
    node = Square.apply(leaf(3.0)).grad_fn
    assert node.apply(torch.ones(1, dtype=torch.float64)).tolist() == [6.0]
    assert node(torch.ones(1, dtype=torch.float64)).tolist() == [6.0]


class Pickled(Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2


@pytest.mark.filterwarnings("ignore:.*should not be instantiated")
def test_pickling(leaf):
    instance = Pickled()
    instance.note = 3
    again = pickle.loads(pickle.dumps(instance))
    assert type(again) is Pickled and again.note == 3
    assert pickle.loads(pickle.dumps(Pickled)) is Pickled
    with pytest.raises(TypeError, match="cannot pickle 'SquareBackward' object"):
        pickle.dumps(Square.apply(leaf(1.0)).grad_fn)
    with pytest.raises(TypeError, match="cannot pickle 'MulBackward0' object"):
        pickle.dumps((leaf(1.0) * 2).grad_fn)


def test_old_name_of_saved_tensors(leaf):
    node = Square.apply(leaf(3.0)).grad_fn
    with pytest.warns(DeprecationWarning, match="use 'saved_tensors'"):
        assert node.saved_variables[0].tolist() == [3.0]


def test_once_differentiable_through_what_forward_got(leaf):
    """Also where the gradient that came in does not require grad; PyTorch then says nothing of the lost term."""

    class Once(Square):
        backward = staticmethod(once_differentiable(Square.backward))

    x = leaf(1.0, 2.0)
    (slope,) = grad(Once.apply(x).sum(), x, create_graph=True)
    assert slope.requires_grad
    with pytest.raises(RuntimeError, match="trying to differentiate twice a function that was marked with"):
        slope.sum().backward()


def test_recording_in_backward_from_what_was_saved(leaf):
    """Saved inputs and results require grad in backward as they did when they were saved, so that parts of a backward
    can be left to autograd."""

    class Tanh(Function):
        @staticmethod
        def forward(ctx, x):
            y = x.tanh()
            fixed = x.exp()
            ctx.mark_non_differentiable(fixed)
            ctx.save_for_backward(x, y, fixed)
            return y, fixed

        @staticmethod
        def backward(ctx, g, _):
            x, y, fixed = ctx.saved_tensors
            assert x.requires_grad and y.requires_grad and not fixed.requires_grad
            with autograd.enable_grad():
                z = y - y**3 / 3
            return g * grad(z, y, torch.ones_like(z))[0]

    x = leaf(0.5, 1.0)
    Tanh.apply(x)[0].sum().backward()
    assert x.grad.tolist() == pytest.approx((1 - x.tanh() ** 2).tolist())


class Doubled(Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad * 2


class Announced(Doubled):
    calls = []

    @classmethod
    def apply(cls, *args):
        cls.calls.append(cls.__name__)
        return super().apply(*args)


class Tripled(Announced):
    @staticmethod
    def forward(ctx, x):
        return x * 3


def test_apply_belongs_to_a_class(leaf):
    """Each class has one of its own, and ``super().apply`` is that of the class that calls it."""
    assert Doubled.apply is Doubled.apply and Doubled.apply != Tripled.apply and Doubled.apply.__self__ is Doubled
    assert pickle.loads(pickle.dumps(Doubled.apply)) is Doubled.apply
    y = Tripled.apply(leaf(1.0))
    assert y.item() == 3 and y.grad_fn.name() == "TripledBackward" and Announced.calls == ["Tripled"]
    assert super(Tripled, Tripled).apply(leaf(1.0)).grad_fn.name() == "TripledBackward"


@pytest.mark.parametrize("base", [Square, Scale])
def test_a_class_without_a_module(base, leaf, check):
    """What ``type()`` makes where nothing has a name has no ``__module__``."""
    namespace = {"__builtins__": {"type": type}, "base": base}
    exec("Nameless = type('Nameless', (base,), {'generate_vmap_rule': True})", namespace)
    nameless = namespace["Nameless"]
    assert not hasattr(nameless, "__module__")
    assert nameless.apply(leaf(3.0)).grad_fn.name() == "NamelessBackward"
    check(nameless.apply, leaf(1.0, 2.0))
    slopes = func.vmap(func.grad(nameless.apply))(leaf(1.0, 2.0).detach())
    assert slopes.tolist() == ([2, 4] if base is Square else [2, 2])


def test_what_is_found_on_the_class_is_what_getattr_finds(leaf):
    class Meta(type):
        @property
        def backward(cls):
            return lambda ctx, grad: grad * 7

    class Odd(Function, metaclass=Meta):
        @classmethod
        def forward(cls, ctx, x):
            return x * 2

    class Plain(Function):
        forward = lambda ctx, x: x * 2  # noqa: E731
        backward = lambda ctx, grad: grad * 5  # noqa: E731

    for function, slope in ((Odd, 7.0), (Plain, 5.0)):
        x = leaf(1.0)
        function.apply(x).backward()
        assert x.grad.item() == slope


@pytest.mark.parametrize("n", range(1, 8))
def test_flags_of_any_number_of_arguments(n, leaf):
    seen = []

    class Total(Function):
        @staticmethod
        def forward(ctx, *xs):
            seen.append(ctx.needs_input_grad)
            return sum(xs)

        @staticmethod
        def backward(ctx, grad):
            return (grad,) * n

    for pattern in range(1, 1 << n):
        wanted = tuple(bool(pattern >> i & 1) for i in range(n))
        Total.apply(*[leaf(1.0) if w else torch.ones(1, dtype=torch.float64) for w in wanted])
        assert seen.pop() == wanted


def test_results_are_pickled_without_history(leaf):
    with autograd.no_grad():
        plain = Doubled.apply(leaf(1.0))
    assert pickle.loads(pickle.dumps(plain)).tolist() == [2.0]
    again = pickle.loads(pickle.dumps(Doubled.apply(leaf(1.0))))
    assert again.tolist() == [2.0] and again.requires_grad and again.is_leaf


def test_only_tensors_are_saved_for_forward(leaf):
    class Keeps(Doubled):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_forward(x, 3)

    with pytest.raises(AssertionError, match="save_for_forward expects all arguments to be tensors"):
        Keeps.apply(leaf(1.0))


def test_gradients_of_outputs_that_have_none(leaf):
    seen = []

    class Parts(autograd.Function):
        @staticmethod
        def forward(ctx, x, choose):
            choose(ctx)
            whole, marked = x.long(), x * 3
            ctx.mark_non_differentiable(whole, marked)
            return x * 2, whole, marked, x + 1

        @staticmethod
        def backward(ctx, *grads):
            seen.append([g if g is None else g.tolist() for g in grads])
            return grads[0], None

    def run(choose):
        Parts.apply(leaf(1.0), choose)[0].sum().backward()
        return seen.pop()

    assert run(lambda ctx: None) == [[1.0], [0], [0.0], [0.0]]
    assert run(lambda ctx: setattr(ctx, "_materialize_non_diff_grads", False)) == [[1.0], None, None, [0.0]]
    assert run(lambda ctx: ctx.set_materialize_grads(False)) == [[1.0], None, None, None]


def test_an_argument_of_a_subclass_that_is_an_output_stays_one(leaf):
    class Own(torch.Tensor):
        pass

    class Same(autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x

        @staticmethod
        def backward(ctx, g):
            return g * 3

    x = leaf(1.0).detach().as_subclass(Own).requires_grad_()
    y = Same.apply(x)
    assert type(y) is Own and y is not x and y._is_view()
    y.sum().backward()
    assert x.grad.tolist() == [3.0]
    with pytest.raises(RuntimeError, match="This view was created inside a custom Function"):
        Same.apply(x * 1).mul_(2)


@pytest.mark.parametrize("which", ["intermediate", "fresh", "other input"])
def test_mark_dirty_of_a_view_that_is_no_input(which):
    class Writes(Function):
        @staticmethod
        def forward(ctx, x, other):
            view = {"intermediate": lambda: (x * 2)[:1], "fresh": lambda: torch.ones(3)[:1]}.get(
                which, lambda: other[:1]
            )()
            view.add_(1)
            ctx.mark_dirty(view)
            return view

        @staticmethod
        def backward(ctx, grad):
            return grad.expand(2), None

    with pytest.raises(RuntimeError, match=r"ctx.mark_dirty\(\) received a tensor that was not an input"):
        Writes.apply(torch.ones(2, requires_grad=True), torch.ones(2))
    with pytest.warns(UserWarning, match="received a tensor that was not an input"):
        assert Writes.apply(torch.ones(2), torch.ones(2)).tolist() in ([3.0], [2.0])


class Marked(torch.Tensor):
    pass


@pytest.mark.parametrize("requires_grad", [False, True])
@pytest.mark.parametrize("recording", [False, True])
def test_an_input_that_is_returned_keeps_its_class(requires_grad, recording):
    class Same(Function):
        @staticmethod
        def forward(ctx, x):
            return x

        @staticmethod
        def backward(ctx, grad):
            return grad

    x = torch.ones(2, requires_grad=requires_grad).as_subclass(Marked)
    with autograd.set_grad_enabled(recording):
        y = Same.apply(x)
    # Where a history is cut off PyTorch gives a plain tensor.
    assert (
        type(y) is (torch.Tensor if requires_grad and not recording else Marked)
        and y is not x
        and y.data_ptr() == x.data_ptr()
    )
    assert y.requires_grad == (requires_grad and recording)


@pytest.mark.parametrize("backward, forward", [(True, False), (False, True), (True, True), (False, False)])
def test_jvp_finds_what_was_saved_for_it(backward, forward):
    class Square(Function):
        @staticmethod
        def forward(x):
            return x * x

        @staticmethod
        def setup_context(ctx, inputs, output):
            if backward:
                ctx.save_for_backward(*inputs)
            if forward:
                ctx.save_for_forward(*inputs, output)

        @staticmethod
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            return 2 * x * grad

        @staticmethod
        def jvp(ctx, tangent):
            return tangent * len(ctx.saved_tensors)

    x = torch.ones(2)
    assert func.jvp(Square.apply, (x,), (x,))[1].tolist() == [2 * forward] * 2
    if backward:
        assert func.grad(lambda x: Square.apply(x).sum())(x).tolist() == [2, 2]
