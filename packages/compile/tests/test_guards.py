"""What calls differ in beside sizes and dtypes: identities, histories, hooks, memory that arguments share."""

import abc
import enum
import functools

import pytest

import flambeau_autograd as fa
import flambeau_nn as nn
import flambeau_tensor as ft
from flambeau_compile import compile, explain


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("FLAMBEAU_EXTENSIONS_DIR", str(tmp_path))


def leaf(*numbers):
    return ft.tensor(numbers, requires_grad=True)


def test_arguments_that_are_one_object():
    f = compile(lambda a, b: a + 1 if a is b else b - 1)
    x, y = ft.ones(2), ft.ones(2)
    for _ in range(2):
        assert f(x, x).tolist() == [2.0, 2.0] and f(x, y).tolist() == [0.0, 0.0]
    second = compile(lambda a, b, c: b)
    assert second(x, x, y) is x
    view = x.view(2)
    assert second(x, view, y) is view and second(x, x, x) is x


def test_arguments_that_are_read_from_outside_as_well():
    w = ft.ones(2)
    f = compile(lambda x: x + w)
    assert f(w).tolist() == [2.0, 2.0]
    assert f(ft.tensor([5.0, 6.0])).tolist() == [6.0, 7.0]
    assert f(w[:]).tolist() == f(w).tolist() == [2.0, 2.0]


def test_trained_parameter_as_argument():
    p = nn.Parameter(ft.ones(2))
    optimizer = nn.optim.SGD([p], lr=0.5)

    @compile
    def step(q, x):
        optimizer.zero_grad()
        (q * x).sum().backward()
        optimizer.step()

    for _ in range(2):
        step(p, ft.tensor([1.0, 2.0]))
    assert p.tolist() == [0.0, -1.0]
    other = nn.Parameter(ft.full((2,), 7.0))
    step(other, ft.tensor([1.0, 2.0]))
    assert other.tolist() == [7.0, 7.0] and other.grad.tolist() == [1.0, 2.0] and p.tolist() == [0.0, -1.0]


def test_gradients_of_arguments():
    @compile
    def f(x):
        (x * x).sum().backward()
        return x.detach() + 0

    for i in range(3):
        x = leaf(1.0, float(i))
        f(x)
        assert x.grad.tolist() == [2.0, 2.0 * i]
        f(x)
        assert x.grad.tolist() == [4.0, 4.0 * i]

    g = compile(lambda x: x if x.grad is None else x + x.grad)
    with fa.no_grad():
        for _ in range(2):
            x = leaf(1.0)
            assert g(x).item() == 1.0
            x.grad = ft.ones(1) * 3
            assert g(x).item() == 4.0


def test_histories_of_arguments():
    f = compile(lambda x: x * (2 if x.is_leaf else 3))
    x = leaf(1.0)
    assert [f(each).item() for each in (x, x * 1, x, x * 1)] == [2.0, 3.0, 2.0, 3.0]


@pytest.mark.filterwarnings("ignore:torch.compile")
def test_attributes_of_arguments():
    f = compile(lambda x: x * getattr(x, "gain", 1.0))
    plain, loud = ft.ones(1), ft.ones(1)
    loud.gain = 5.0
    assert [f(plain).item(), f(loud).item(), f(plain).item()] == [1.0, 5.0, 1.0]
    loud.gain = 6.0
    assert f(loud).item() == 6.0


@pytest.mark.filterwarnings("ignore:torch.compile")
@pytest.mark.parametrize("read", ["x._version", "x.storage_offset()", "x.untyped_storage().nbytes()"])
def test_what_each_tensor_answers_anew(read):
    f = eval(f"lambda x: {read}")
    compiled = compile(f)
    for n in range(3):
        x = ft.arange(4.0 + n)[n : n + 4]
        for _ in range(n):
            x.add_(1)
        assert compiled(x) == f(x)
    assert "eagerly" in explain(compiled)


def test_as_strided_knows_where_arguments_begin():
    f = compile(lambda x: x.as_strided((3,), (1,), 0) + 1)
    for n in (1, 3, 1):
        assert f(ft.arange(8.0)[n : n + 3]).tolist() == [1.0, 2.0, 3.0]
    long = compile(lambda x: x.as_strided((6,), (1,)).sum())
    assert long(ft.ones(8)[:4]).item() == 6.0
    with pytest.raises(RuntimeError, match="storage"):
        long(ft.ones(4))


@pytest.mark.filterwarnings("ignore:torch.compile")
def test_requires_grad_of_arguments_set_inside():
    @compile
    def f(x):
        x.requires_grad_()
        return (x * 2).sum()

    for _ in range(3):
        x = ft.ones(2)
        f(x).backward()
        assert x.grad.tolist() == [2.0, 2.0]


@pytest.mark.parametrize("kind", ["register_hook", "register_post_accumulate_grad_hook"])
def test_hooks_of_captured_tensors(kind):
    w = leaf(1.0, 2.0)

    def double(o):
        if o is not w:
            return 2 * o
        o.grad.mul_(2)

    def halve(o):
        if o is not w:
            return 0.5 * o
        o.grad.mul_(0.5)

    @compile
    def f(x):
        w.grad = None
        (w * x).sum().backward()
        return w.grad * 1

    x = ft.ones(2)
    assert f(x)[0] == f(x)[0] == 1
    for hook, factor in ((double, 2.0), (halve, 0.5), (double, 2.0)):
        handle = getattr(w, kind)(hook)
        assert f(x)[0] == f(x)[0] == factor
        handle.remove()
        assert f(x)[0] == 1


# --- with autograd around -------------------------------------------------------------------------------------------


def test_results_that_backward_needs():
    w = leaf(1.0, 2.0)
    f = compile(lambda x: (w * x).exp())
    for _ in range(3):
        y = f(ft.tensor([0.0, 1.0]))
        assert y.tolist() == pytest.approx([1.0, 2.718281**2], rel=1e-5)
        (g,) = fa.grad(y.sum(), w)
        assert g.tolist() == pytest.approx([0.0, 2.718281**2], rel=1e-5)
        y = f(ft.tensor([0.0, 1.0]))
        y.detach().add_(1)
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            y.sum().backward()


def test_arguments_that_changed_before_backward():
    w = leaf(1.0, 2.0)
    f, g = compile(lambda x: (w * x).sum()), compile(lambda x: (w + x).sum())
    for _ in range(3):
        x = ft.ones(2)
        loss, free = f(x), g(x)
        x.add_(5)
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            loss.backward()
        assert fa.grad(free, w)[0].tolist() == [1.0, 1.0]


def test_second_derivatives_of_random_programs():
    w = ft.ones(64).requires_grad_()

    def f(x):
        return (nn.functional.dropout(x * w * w, 0.5)).sum()

    compiled = compile(f)
    compiled(ft.ones(64))
    for seed in range(2):
        found = []
        for function in (f, compiled):
            ft.manual_seed(seed)
            (g,) = fa.grad(function(ft.ones(64)), w, create_graph=True)
            (h,) = fa.grad(g.sum(), w)
            found.append((g.tolist(), h.tolist(), ft.rand(1).item()))
        assert found[0] == found[1]


def test_second_derivatives_that_would_be_wrong_raise():
    w, gain = leaf(1.0, 2.0), [2.0]

    @compile
    def writes(x):
        x.add_(1)
        return (w * w * x).sum()

    @compile
    def reads(x):
        return (w * w * x * gain[0]).sum()

    for f in (writes, reads):
        f(ft.ones(2))
    loss = writes(ft.ones(2))
    assert fa.grad(loss, w, retain_graph=True)[0].tolist() == [4.0, 8.0]
    with pytest.raises(RuntimeError, match="it writes to tensors that were there before"):
        fa.grad(loss, w, create_graph=True)
    loss = reads(ft.ones(2))
    assert fa.grad(loss, w, create_graph=True)[0].tolist() == [4.0, 8.0]
    loss = reads(ft.ones(2))
    gain[0] = 3.0
    with pytest.raises(RuntimeError, match=r"gain\[0\]"):
        fa.grad(loss, w, create_graph=True)


# --- what is returned -----------------------------------------------------------------------------------------------


def test_returned_tensors_that_were_there():
    w = leaf(1.0, 2.0)
    f, g = compile(lambda x: (w, w.detach(), x.detach(), x[1:])), compile(lambda x: ((w * x).sum(), x))
    for _ in range(3):
        x = ft.ones(2)
        same, alone, other, part = f(x)
        assert same is w and not alone.requires_grad
        assert [t._is_view() for t in (alone, other, part)] == [False, False, True] and part._base is x
        part.add_(1)
        assert x.tolist() == [1.0, 2.0] and x._version == 1
        loss, back = g(x)
        assert back is x and loss.item() == 5.0


def test_views_that_are_returned_without_recording():
    f = compile(lambda x: (x[1:], x.detach(), x * 2))
    for _ in range(3):
        with fa.no_grad():
            assert [t.requires_grad for t in f(leaf(1.0, 2.0))] == [True, False, False]


# --- what is read from outside --------------------------------------------------------------------------------------

SHARED = ft.ones(2)


def test_globals_and_lists_as_arguments():
    f = compile(lambda x: x + SHARED)
    for x in (SHARED, ft.zeros(2), SHARED):
        assert f(x).tolist() == (x + SHARED).tolist()
    g = compile(lambda pair: pair[0] + pair[1])
    for i in range(4):
        assert g([ft.ones(2), ft.full((2,), float(i))]).tolist() == [1.0 + i] * 2
    assert explain(g).count("compiled") == 1


@pytest.mark.filterwarnings("ignore:torch.compile")
def test_captured_tensors_that_get_another_shape():
    w = ft.ones(2)
    f = compile(lambda x: (w.unsqueeze_(0), x * 1)[1])
    for n in range(1, 5):
        f(ft.ones(2))
        assert w.shape == (*[1] * n, 2)


def test_gradients_and_attributes_of_one_shape():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = nn.Parameter(ft.ones(2))
            self.register_buffer("seen", ft.zeros(2))

        def forward(self, x):
            self.seen = self.seen + 1
            return self.weight * x

    net = Net()
    step = compile(lambda x: net(x).sum().backward())
    for n in range(1, 6):
        step(ft.tensor([10.0, 20.0]))
        assert net.seen.tolist() == [n, n] and net.weight.grad.tolist() == [10.0 * n, 20.0 * n]


class Way(enum.Enum):
    THERE = 1.0
    BACK = -1.0


class Amount(abc.ABC):
    factor = 2.0

    @abc.abstractmethod
    def of(self, x):
        """So many of them."""


class Times(Amount):
    def of(self, x):
        return x * self.factor


def test_classes_with_a_metaclass(monkeypatch):
    amount, way = Times(), Way.THERE

    @compile
    def f(x):
        return amount.of(x) * way.value if way is Way.THERE else x

    assert [f(ft.ones(1)).item() for _ in range(2)] == [2.0, 2.0]
    monkeypatch.setattr(Amount, "factor", 3.0)
    assert f(ft.ones(1)).item() == 3.0
    assert "Times.factor was set: 2.0 -> 3.0" in explain(f)
    way = Way.BACK
    assert f(ft.ones(1)).item() == 1.0


@pytest.mark.parametrize("order", [("before", "after"), ("after", "before"), ("before", "before")])
def test_hooks_on_the_gradient_beside_others(order):
    w = nn.Parameter(ft.ones(1))
    register = {
        "before": lambda: w.register_hook(lambda g: g * 2),
        "after": lambda: w.register_post_accumulate_grad_hook(lambda p: p.grad.mul_(2) and None),
    }

    @compile
    def f(x):
        w.grad = None
        (w * x).sum().backward()

    for i, kind in enumerate(order, 1):
        register[kind]()
        for _ in range(2):
            f(ft.ones(1))
            assert w.grad.item() == 2.0**i


@pytest.mark.parametrize("size", [0, 2])
def test_arguments_that_are_what_is_returned_from_outside(size):
    outside = ft.zeros(size, 3)
    f = compile(lambda x: (x + 1, outside))
    for _ in range(2):
        for x in (outside, ft.zeros(size, 3), outside[:]):
            assert f(x)[1] is outside


def doubled(function):
    @functools.wraps(function)
    def wrapper(x):
        return function(x) * 2

    wrapper.offset = 1.0
    return wrapper


@doubled
def plus_one(x):
    return x + 1


def test_functions_with_attributes():
    f = compile(lambda x: plus_one(x) + plus_one.offset, fullgraph=True)
    assert [f(ft.ones(1)).item() for _ in range(2)] == [5.0, 5.0]
    plus_one.offset = 2.0
    assert f(ft.ones(1)).item() == 6.0
    assert "vars(plus_one)['offset'] was set: 1.0 -> 2.0" in explain(f)


def test_explain_says_why_a_call_needed_another_program():
    compiled = compile(lambda x, scale=2.0, negate=False: -x * scale if negate else x * scale)
    compiled(ft.ones(2))
    compiled(ft.ones(3))
    compiled(ft.ones(3, 2).t())
    compiled(ft.ones(3, 2).t(), negate=True)
    with fa.no_grad():
        compiled(ft.ones(3, 2).t(), negate=True)
    first, *others = explain(compiled).split("\n")
    reasons = [line.removeprefix("compiled again, since ").rpartition(": ")[0] for line in others]
    tensor = "a tensor of torch.float32 and shape"
    assert first.startswith("compiled: ") and reasons == [
        f"argument 0 is {tensor} (3,), it was {tensor} (2,)",
        f"argument 0 is {tensor} (2, 3) with strides (1, 2), it was {tensor} (3,)",
        "argument 'negate' is True, it was left out",
        "grad mode is off, it was on",
    ]
    compiled = compile(lambda x: x if x.sum() > 0 else -x)
    compiled(ft.ones(2))
    compiled(-ft.ones(2))
    assert "an element that it reads" in explain(compiled)
