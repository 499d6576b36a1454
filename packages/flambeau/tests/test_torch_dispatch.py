"""``__torch_dispatch__`` as programs use it: what they print was written down with PyTorch 2.13.

``pytorch_dispatch.txt`` has calls and what a TorchDispatchMode sees of them, written by ``conformance/dispatch.py``.
"""

import copy
import importlib.util
import threading
from collections import Counter
from pathlib import Path

import pytest

import flambeau as torch
from flambeau.utils._python_dispatch import (
    TorchDispatchMode,
    _disable_current_modes,
    _get_current_dispatch_mode,
    _get_current_dispatch_mode_stack,
    _pop_mode_temporarily,
    is_traceable_wrapper_subclass,
    return_and_correct_aliasing,
    transform_subclass,
)
from flambeau.utils._pytree import tree_map, tree_map_only

aten = torch.ops.aten
HERE = Path(__file__).parent


class Names(TorchDispatchMode):
    def __init__(self):
        super().__init__()
        self.seen = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.seen.append(str(func).removeprefix("aten."))
        return func(*args, **(kwargs or {}))


class Wrapper(torch.Tensor):
    """A tensor that holds another one, whose calls are `calls`."""

    __torch_function__ = torch._C._disabled_torch_function_impl
    calls = []

    @staticmethod
    def __new__(cls, inner, requires_grad=False):
        return torch.Tensor._make_wrapper_subclass(
            cls,
            inner.shape,
            strides=inner.stride(),
            dtype=inner.dtype,
            device=inner.device,
            requires_grad=requires_grad,
        )

    def __init__(self, inner, requires_grad=False):
        self.inner = inner

    def __repr__(self):
        return f"Wrapper({self.inner.tolist()})"

    def __tensor_flatten__(self):
        return ["inner"], None

    @staticmethod
    def __tensor_unflatten__(inner_tensors, context, outer_size, outer_stride):
        return Wrapper(inner_tensors["inner"])

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        Wrapper.calls.append(str(func).removeprefix("aten."))
        given, named = tree_map_only(Wrapper, lambda t: t.inner, (args, kwargs or {}))
        out = tree_map_only(torch.Tensor, Wrapper, func(*given, **named))
        return return_and_correct_aliasing(func, args, kwargs, out)


@pytest.fixture
def calls():
    Wrapper.calls.clear()
    return Wrapper.calls


# --- what handlers are told -----------------------------------------------------------------------------------------


def test_modes_see_what_they_see_in_pytorch():
    spec = importlib.util.spec_from_file_location("dispatch_record", HERE.parents[2] / "conformance/dispatch.py")
    recorder = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(recorder)
    lines = [line.split("\t") for line in (HERE / "pytorch_dispatch.txt").read_text().splitlines() if line[0] != "#"]
    assert len(lines) > 200
    different = [(call, seen, ours) for call, seen in lines if (ours := recorder.seen(call, torch)) != seen]
    assert different == []


def test_numbers_defaults_and_lists_are_as_pytorch_hands_them_over():
    told = []

    class Tell(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            told.append((func, types, args, kwargs))
            return func(*args, **(kwargs or {}))

    x = torch.ones(2, 3)
    with Tell():
        x.add(2, alpha=3)
        x.sum((0,))
        torch.cat((x, x))
    assert told == [
        (aten.add.Tensor, (), (x, 2), {"alpha": 3}),
        (aten.sum.dim_IntList, (), (x, [0]), {}),
        (aten.cat.default, (), ([x, x],), {}),
    ]
    assert type(told[1][2][1]) is list and type(told[2][2][0]) is list and told[0][3] == {"alpha": 3}


def test_modes_nest_and_are_taken_off_while_they_handle():
    order = []

    class Say(TorchDispatchMode):
        def __init__(self, name):
            super().__init__()
            self.name = name

        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            order.append((self.name, [m.name for m in _get_current_dispatch_mode_stack()]))
            return func(*args, **(kwargs or {}))

    with Say("a"), Say("b") as b:
        torch.ones(1).exp()
        assert _get_current_dispatch_mode() is b
        with _pop_mode_temporarily():
            torch.zeros(1)
        with _disable_current_modes():
            torch.zeros(1)
            assert _get_current_dispatch_mode_stack() == []
        with torch._C._DisableTorchDispatch():
            torch.zeros(1)
    assert order == [("b", ["a"]), ("a", [])] * 2 + [("a", [])]
    assert _get_current_dispatch_mode() is None and torch._C._len_torch_dispatch_stack() == 0


def test_modes_are_the_thread_s():
    with Names() as names:
        thread = threading.Thread(target=lambda: torch.ones(2) + 1)
        thread.start()
        thread.join()
    assert names.seen == []


def test_an_error_in_a_handler_leaves_everything_as_it_was():
    class Fail(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            raise ZeroDivisionError(str(func))

    w = torch.ones(2, requires_grad=True)
    with Fail() as mode:
        for _ in range(2):
            with pytest.raises(ZeroDivisionError, match="aten.mul.Tensor"):
                w * 2
        assert _get_current_dispatch_mode_stack() == [mode]
    assert torch.is_grad_enabled() and (w * 2).requires_grad


def test_nobody_answers():
    class Silent(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            return NotImplemented

        def __repr__(self):
            return "Silent()"

    class Sub(torch.Tensor):
        __torch_function__ = torch._C._disabled_torch_function_impl

        @classmethod
        def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
            return NotImplemented

    s = torch.Tensor._make_subclass(Sub, torch.ones(2))
    with Silent(), pytest.raises(TypeError) as error:
        torch.add(s, 1)
    assert str(error.value) == (
        "Multiple dispatch failed for 'torch._ops.aten.add.Tensor'; all __torch_dispatch__ handlers returned "
        f"NotImplemented:\n\n  - mode object Silent()\n  - tensor subclass {Sub!r}"
    )
    with pytest.raises(TypeError, match=r"unsupported operand type\(s\) for \+"):
        s + 1


def test_subclasses_are_asked_before_their_bases_and_in_order():
    asked = []

    class Base(Wrapper):
        @classmethod
        def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
            asked.append((cls.__name__, [t.__name__ for t in types]))
            return NotImplemented

    class Derived(Base):
        pass

    class Other(Base):
        pass

    with pytest.raises(TypeError, match="Multiple dispatch failed"):
        torch.cat([Base(torch.ones(1)), Other(torch.ones(1)), Derived(torch.ones(1))])
    assert asked == [(name, ["Other", "Derived", "Base"]) for name in ("Other", "Derived", "Base")]


# --- subclasses -----------------------------------------------------------------------------------------------------


def test_a_wrapper_has_a_geometry_and_a_history_of_its_own(calls):
    t = Wrapper(torch.arange(4.0).reshape(2, 2), requires_grad=True)
    assert t.shape == (2, 2) and t.stride() == (2, 1) and t.is_leaf and t.requires_grad and not t.inner.requires_grad
    (t * t).sum().backward()
    assert calls == [
        "mul.Tensor",
        "sum.default",
        "ones_like.default",
        "expand.default",
        "mul.Tensor",
        "mul.Tensor",
        "add.Tensor",
        "detach.default",
    ]
    assert type(t.grad) is Wrapper and t.grad.inner.tolist() == [[0, 2], [4, 6]]


def test_results_that_formulas_read_are_detached_by_the_handler(calls):
    t = Wrapper(torch.tensor([1.0, 2.0]), requires_grad=True)
    y = t.exp()
    (g,) = torch.autograd.grad(y, t, Wrapper(torch.ones(2)))
    assert calls == ["exp.default", "detach.default", "detach.default", "mul.Tensor"]
    assert torch.equal(g.inner, torch.tensor([1.0, 2.0]).exp())


def test_views_and_writes_keep_what_they_alias(calls):
    u = Wrapper(torch.zeros(2, 2))
    v = u.view(4)
    assert type(v) is Wrapper and v._base is u and v._is_view()
    assert v.add_(1) is v and u.inner.tolist() == [[1, 1], [1, 1]] and u._version == v._version == 1
    assert u.mul_(2) is u and v.inner.tolist() == [2, 2, 2, 2] and v._version == 2
    out = Wrapper(torch.empty(2, 2))
    assert torch.add(u, u, out=out) is out and out.inner.tolist() == [[4, 4], [4, 4]]
    assert calls == ["view.default", "add_.Tensor", "mul_.Tensor", "add.out"]


def test_several_results_come_as_they_do_elsewhere():
    values, indices = Wrapper(torch.tensor([[3.0, 1.0]])).max(1)
    assert values.inner.tolist() == [3] and indices.inner.tolist() == [0]
    top = Wrapper(torch.tensor([3.0, 1.0, 2.0])).topk(2)
    assert top.values.inner.tolist() == [3, 2] and type(top).__name__ == "topk"


def test_numbers_come_out_of_wrappers():
    t = Wrapper(torch.tensor([2.5]))
    assert t.item() == 2.5 and float(t) == 2.5 and int(t) == 2 and bool(t > 2)


def test_second_derivatives_of_wrappers():
    t = Wrapper(torch.tensor([2.0, 3.0]), requires_grad=True)
    (g,) = torch.autograd.grad((t * t * t).sum(), t, create_graph=True)
    (h,) = torch.autograd.grad(g.sum(), t)
    assert g.inner.tolist() == [12, 27] and h.inner.tolist() == [12, 18]


def test_flattening_and_rebuilding():
    t = Wrapper(torch.ones(2))
    assert is_traceable_wrapper_subclass(t) and not is_traceable_wrapper_subclass(t.inner)
    assert transform_subclass(t, lambda name, inner: inner + 1).inner.tolist() == [2, 2]


def test_a_weight_with_a_scale_trains_in_a_linear_layer():
    class Scaled(torch.Tensor):
        __torch_function__ = torch._C._disabled_torch_function_impl

        @staticmethod
        def __new__(cls, values, scale):
            return torch.Tensor._make_wrapper_subclass(cls, values.shape, dtype=torch.float32)

        def __init__(self, values, scale):
            self.values, self.scale = values, scale

        @classmethod
        def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
            if func is aten.detach.default:
                return cls(args[0].values, args[0].scale)
            whole = tree_map_only(cls, lambda t: t.values.float() * t.scale, (args, kwargs or {}))
            return func(*whole[0], **whole[1])

    layer = torch.nn.Linear(2, 2)
    layer.weight = torch.nn.Parameter(Scaled(torch.tensor([[1, 2], [3, 4]], dtype=torch.int8), 0.5))
    assert type(layer.weight) is Scaled and isinstance(layer.weight, torch.nn.Parameter)
    x = torch.tensor([[2.0, 4.0]], requires_grad=True)
    y = layer(x)
    y.sum().backward()
    assert (y - layer.bias).tolist() == [[5, 11]]
    assert x.grad.tolist() == [[2, 3]] and layer.weight.grad.tolist() == [[2, 4], [2, 4]]


def test_a_diagonal_tensor():
    class Diagonal(torch.Tensor):
        __torch_function__ = torch._C._disabled_torch_function_impl

        @staticmethod
        def __new__(cls, d):
            return torch.Tensor._make_wrapper_subclass(cls, (len(d), len(d)), dtype=d.dtype)

        def __init__(self, d):
            self.d = d

        @classmethod
        def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
            if func is aten.mm.default and all(type(a) is cls for a in args):
                return cls(args[0].d * args[1].d)
            if func is aten.mul.Tensor:
                return cls(args[0].d * args[1])
            return func(*tree_map_only(cls, lambda t: torch.diag(t.d), args), **(kwargs or {}))

    g = Diagonal(torch.tensor([1.0, 2.0]))
    assert (g @ g).d.tolist() == [1, 4] and (g * 3).d.tolist() == [3, 6]
    assert (g + torch.ones(2, 2)).tolist() == [[2, 1], [1, 3]] and g.sum().item() == 3 and g.t().tolist()[1] == [0, 2]


# --- modes ----------------------------------------------------------------------------------------------------------


def test_a_mode_that_looks_for_nan():
    class NoNan(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            out = func(*args, **(kwargs or {}))
            for t in out if isinstance(out, tuple) else (out,):
                if isinstance(t, torch.Tensor) and t.is_floating_point() and bool(torch.isnan(t).any()):
                    raise RuntimeError(f"{func} made NaN")
            return out

    with NoNan(), pytest.raises(RuntimeError, match=r"aten\.sqrt\.default made NaN"):
        torch.tensor([1.0, -1.0]).sqrt().sum()


def test_counting_the_operators_of_a_training_step():
    class Count(TorchDispatchMode):
        def __init__(self):
            super().__init__()
            self.counts = Counter()

        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            self.counts[func] += 1
            return func(*args, **(kwargs or {}))

    torch.manual_seed(0)
    net = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 3))
    x, y = torch.randn(6, 4), torch.randint(0, 3, (6,))
    with Count() as count:
        loss = torch.nn.functional.cross_entropy(net(x), y)
        loss.backward()
    plain = torch.nn.functional.cross_entropy(net(x), y)
    assert abs(loss.item() - plain.item()) < 1e-6
    expected = {
        aten.addmm.default: 2,
        aten.mm.default: 3,
        aten.relu.default: 1,
        aten.threshold_backward.default: 1,
        aten._log_softmax.default: 1,
        aten.nll_loss_forward.default: 1,
        aten.nll_loss_backward.default: 1,
    }
    assert {func: count.counts[func] for func in expected} == expected
    grads = torch.autograd.grad(plain, list(net.parameters()))
    for p, g in zip(net.parameters(), grads, strict=True):
        assert torch.allclose(p.grad, g, atol=1e-6)


def test_a_mode_that_follows_memory():
    class Bytes(TorchDispatchMode):
        def __init__(self):
            super().__init__()
            self.storages = {}

        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            out = func(*args, **(kwargs or {}))
            tree_map(
                lambda t: (
                    self.storages.setdefault(t.untyped_storage().data_ptr(), t.nbytes)
                    if isinstance(t, torch.Tensor)
                    else None
                ),
                out,
            )
            return out

    with Bytes() as memory:
        x = torch.zeros(100)
        y = (x + 1).view(10, 10).t()
    assert sum(memory.storages.values()) == 800 and y.shape == (10, 10)


def test_factories_under_modes_may_require_grad():
    with Names() as names:
        t = torch.zeros(2, requires_grad=True)
    assert names.seen == ["zeros.default"] and t.requires_grad and t.is_leaf


def test_a_mode_may_answer_with_other_tensors():
    class Doubles(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            kwargs = dict(kwargs or {})
            if "dtype" not in kwargs and func in (aten.zeros.default, aten.ones.default):
                kwargs["dtype"] = torch.float64
            return func(*args, **kwargs)

    with Doubles():
        assert torch.ones(2).dtype == torch.float64


def test_modes_hear_of_wrappers_first(calls):
    t = Wrapper(torch.ones(2))
    seen = []

    class Tell(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            seen.append((func, types))
            return func(*args, **(kwargs or {}))

    with Tell():
        t + t
    assert seen == [(aten.add.Tensor, (Wrapper,))] and calls == ["add.Tensor"]


def test_custom_operators_are_handed_over():
    from flambeau.library import _scoped_library, register_autograd

    with _scoped_library("dispatched", "DEF") as library:  # which leaves no operator behind for other tests
        library.define("twice(Tensor x) -> Tensor")
        library.impl("twice", lambda x: x * 2, "CPU")
        register_autograd("dispatched::twice", lambda ctx, grad: grad * 2)  # so that it is no composition
        with Names() as names:
            assert torch.ops.dispatched.twice(torch.ones(2)).tolist() == [2, 2]
    assert names.seen == ["ones.default", "dispatched.twice.default"]


def test_kernels_in_python_are_one_call():
    x = torch.rand(4, 4)
    with Names() as names:
        torch.linalg.eigvals(x)
    assert names.seen == ["linalg_eigvals.default"]


class Two(torch.Tensor):
    """Two tensors side by side."""

    @staticmethod
    def __new__(cls, a, b):
        return torch.Tensor._make_wrapper_subclass(cls, a.shape, strides=a.stride(), dtype=a.dtype)

    def __init__(self, a, b):
        self.a, self.b = a, b

    def __repr__(self):
        return f"Two({self.a}, {self.b})"

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        a, b = (
            func(*tree_map_only(Two, pick, args), **tree_map_only(Two, pick, kwargs))
            for pick in (lambda x: x.a, lambda x: x.b)
        )
        return return_and_correct_aliasing(func, args, kwargs, Two(a, b)) if isinstance(a, torch.Tensor) else a


@pytest.mark.parametrize(
    ("optimizer", "options"),
    [
        ("SGD", {"momentum": 0.9, "nesterov": True}),
        ("Adam", {}),
        ("Adam", {"amsgrad": True, "weight_decay": 0.1}),
        ("AdamW", {}),
        ("RMSprop", {"centered": True, "momentum": 0.5}),
        ("Adagrad", {}),
        ("Adadelta", {}),
        ("Adamax", {}),
        ("NAdam", {}),
        ("RAdam", {}),
        ("Rprop", {}),
        ("ASGD", {}),
    ],
)
def test_optimizers_update_wrappers_by_operations(optimizer, options):
    def trained(make):
        layer = torch.nn.Linear(2, 1, bias=False)
        layer.weight = torch.nn.Parameter(make(torch.tensor([[0.5, -0.25]])))
        step = getattr(torch.optim, optimizer)(layer.parameters(), lr=0.1, **options)
        for x in ([[1.0, 2.0]], [[3.0, -1.0]]):
            step.zero_grad()
            layer(torch.tensor(x)).pow(2).sum().backward()
            step.step()
        return layer.weight.detach()

    both = trained(lambda w: Two(w.clone(), 2 * w))
    assert torch.allclose(both.a, trained(lambda w: w.clone())) and torch.allclose(both.b, trained(lambda w: 2 * w))
    assert not torch.equal(both.a, torch.tensor([[0.5, -0.25]]))


def test_the_memory_of_wrappers_is_not_handed_out():
    x = Two(torch.ones(2), torch.zeros(2))
    with pytest.raises(RuntimeError, match=r"^\.numpy\(\) is not supported for tensor subclasses\.$"):
        x.numpy()
    with pytest.raises(RuntimeError, match=r"^\.tolist\(\) is not supported for tensor subclasses, got Two$"):
        x.tolist()


def test_handlers_alone_say_of_which_class_results_are():
    class Half(torch.Tensor):
        @staticmethod
        def __new__(cls, values):
            return torch.Tensor._make_wrapper_subclass(cls, values.shape, dtype=torch.float32)

        def __init__(self, values):
            self.values_of = values

        @classmethod
        def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
            if func is torch.ops.aten.detach.default:
                return cls(args[0].values_of)
            return func(*tree_map_only(Half, lambda x: x.values_of / 2, args), **(kwargs or {}))

    class Later(Half):
        pass

    class Asked(Half):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            return "asked"

    assert Half.__torch_function__ is Later.__torch_function__ is torch._C._disabled_torch_function_impl
    layer = torch.nn.Linear(2, 2, bias=False)
    layer.weight = torch.nn.Parameter(Half(torch.tensor([[1.0, 2.0], [3.0, 4.0]])), requires_grad=False)
    x = torch.ones(1, 2, requires_grad=True)
    y = layer(x)
    y.sum().backward()
    assert type(y) is torch.Tensor and y.tolist() == [[1.5, 3.5]] and x.grad.tolist() == [[2.0, 3.0]]
    assert torch.sin(Asked(torch.ones(1))) == "asked"


def squares(x):
    return x * x * 3


def written(x):
    y = x.clone()
    y[0] *= y[1]
    return y.view(1, 2).sin()


def doubled_slope(x):
    return torch.func.grad(lambda v: (v * v * v).sum())(x)


@pytest.mark.parametrize("function", [squares, written, doubled_slope])
def test_forward_mode_carries_wrappers(function):
    a, b, s, t = torch.tensor([[1.0, 2.0], [3.0, 4.0], [1.0, -1.0], [0.5, 2.0]])
    value, tangent = torch.func.jvp(function, (Two(a, b),), (Two(s, t),))
    for x, along, pick in ((a, s, lambda two: two.a), (b, t, lambda two: two.b)):
        expected = torch.func.jvp(function, (x,), (along,))
        assert torch.allclose(pick(value), expected[0]) and torch.allclose(pick(tangent), expected[1])
    with torch.autograd.forward_ad.dual_level():
        dual = torch.autograd.forward_ad.make_dual(Two(a, b), Two(s, t))
        primal, direction = torch.autograd.forward_ad.unpack_dual(function(dual))
    assert torch.equal(primal.b, value.b) and torch.equal(direction.b, tangent.b)


# --- wrappers are what their handlers make of them --------------------------------------------------------------------

SHAPES = [(3,), (2, 3), (4, 2, 3)]
RIGHT = [(3,), (3, 2), (4, 3, 2)]


@pytest.mark.parametrize("a", SHAPES)
@pytest.mark.parametrize("b", RIGHT)
@pytest.mark.parametrize("recorded", [False, True])
def test_products_of_wrappers_have_the_sizes_of_their_insides(a, b, recorded):
    left, right = torch.randn(a), torch.randn(b)
    expected = left @ right
    for x, y in (
        (Wrapper(left, recorded), right),
        (left, Wrapper(right, recorded)),
        (Wrapper(left, recorded), Wrapper(right, recorded)),
    ):
        for product in (x @ y, torch.matmul(x, y)):
            assert type(product) is Wrapper and product.shape == product.inner.shape == expected.shape
            assert product.requires_grad == recorded
            torch.testing.assert_close(product.inner, expected)


@pytest.mark.parametrize("a", SHAPES)
@pytest.mark.parametrize("bias", [False, True])
def test_linear_of_wrappers_has_the_sizes_of_its_inside(a, bias):
    x, layer = torch.randn(a), torch.nn.Linear(3, 2, bias=bias)
    expected = layer(x)
    for out in (layer(Wrapper(x)), torch.nn.functional.linear(Wrapper(x), layer.weight.detach(), layer.bias)):
        assert type(out) is Wrapper and out.shape == out.inner.shape == expected.shape
        torch.testing.assert_close(out.inner, expected.detach())


VIEWS_IN_PLACE = [
    ("squeeze_", (0,)),
    ("squeeze_", ()),
    ("unsqueeze_", (0,)),
    ("t_", ()),
    ("transpose_", (0, 1)),
    ("swapaxes_", (0, 1)),
    ("swapdims_", (0, 1)),
    ("as_strided_", ((2,), (1,))),
]


@pytest.mark.parametrize("name, arguments", VIEWS_IN_PLACE)
def test_views_in_place_change_the_inside(name, arguments):
    plain = getattr(torch.arange(2.0).reshape(1, 2), name)(*arguments)
    x = Wrapper(torch.arange(2.0).reshape(1, 2))
    Wrapper.calls.clear()
    assert getattr(x, name)(*arguments) is x
    assert x.inner.tolist() == plain.tolist()
    told = "transpose_" if name.startswith("swap") else name
    assert [c.partition(".")[0] for c in Wrapper.calls] == [told]  # as in PyTorch, where the outside keeps its sizes
    recorded = Wrapper(torch.arange(2.0).reshape(1, 2), True) * 2
    getattr(recorded, name)(*arguments)
    assert recorded.requires_grad and recorded.shape == recorded.inner.shape == plain.shape
    assert recorded.inner.tolist() == (plain * 2).tolist()
    with Names() as mode:
        getattr(torch.ones(1, 2), name)(*arguments)
    assert [seen.partition(".")[0] for seen in mode.seen[-1:]] == [told]


TRANSFORMS = {
    "grad": lambda f: torch.func.grad(lambda x: f(x).sum()),
    "jvp": lambda f: lambda x: torch.func.jvp(f, (x,), (torch.ones_like(x),))[1],
    "hessian": lambda f: (
        lambda x: torch.autograd.functional.hessian(
            lambda y: f(y).sum(), x, vectorize=True, outer_jacobian_strategy="forward-mode"
        )
    ),
}
OF_VIEWS = {
    "power": lambda x: x**3,
    "views": lambda x: x.view(2, 1).expand(2, 2).t().reshape(4)[1:3] ** 3,
    "parts": lambda x: torch.stack([a * a * a for a in x.unbind(0)]),
    "writes": lambda x: (x * x).view(2).mul_(x),
}


@pytest.mark.parametrize("function", OF_VIEWS)
@pytest.mark.parametrize("transforms", [("grad",), ("jvp", "grad"), ("hessian",)])
def test_transforms_of_wrappers_that_are_views(transforms, function):
    """Layers of a base are those of its views; what a handler is given has none of them."""
    f = OF_VIEWS[function]
    for name in transforms[::-1]:
        f = TRANSFORMS[name](f)
    x = torch.tensor([1.0, 2.0])
    got = f(Wrapper(x.clone()))
    assert torch.equal(getattr(got, "inner", got), f(x))


# --- classes without memory -----------------------------------------------------------------------------------------


def test_the_inherited_handler_asks_nobody():
    heard = []

    class Plain(torch.Tensor):
        @staticmethod
        def __new__(cls, data):
            return torch.Tensor._make_subclass(cls, data)

        @classmethod
        def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
            heard.append(str(func))
            return super().__torch_dispatch__(func, types, args, kwargs)

    x = Plain(torch.ones(2))
    assert type(x + 1) is torch.Tensor and (x + 1).tolist() == [2.0, 2.0]
    assert heard == ["aten.add.Tensor"] * 2 and type(torch.cat([x, x])) is torch.Tensor


class Answers(torch.Tensor):
    """A class that answers with `answers`, and None for the rest."""

    __torch_function__ = torch._C._disabled_torch_function_impl
    answers = {}
    asked = []

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        Answers.asked.append(str(func))
        return Answers.answers.get(func)


@pytest.fixture
def answers():
    Answers.asked.clear()
    Answers.answers = {
        aten.sym_size.default: (3, 2),
        aten.sym_stride.default: (2, 1),
        aten.sym_numel.default: 6,
        aten.dim.default: 2,
        aten.is_contiguous.default: False,
        torch.ops.prim.device.default: torch.device("meta"),
        torch.ops.prim.layout.default: torch.sparse_csr,
    }
    yield Answers.asked
    Answers.answers = {}


def facts(x):
    return [
        tuple(x.shape),
        tuple(x.size()),
        x.size(0),
        x.dim(),
        x.ndim,
        len(x),
        x.numel(),
        x.stride(),
        x.is_contiguous(),
    ]


def test_classes_are_asked_for_the_geometry_that_they_answer_for(answers):
    def made(policy):
        return torch.Tensor._make_wrapper_subclass(Answers, (6,), (1,), dispatch_sizes_strides_policy=policy)

    own = [(6,), (6,), 6, 1, 1, 6, 6, (1,), True]
    assert facts(made(None)) == own and answers == []
    assert facts(made("strides")) == [*own[:7], (2, 1), False]
    assert answers == ["aten.sym_stride.default", "aten.is_contiguous.default"]
    assert facts(made("sizes")) == [(3, 2), (3, 2), 3, 2, 2, 3, 6, (2, 1), False]
    assert made("sizes").stride(1) == 1 and type(made("sizes").shape) is torch.Size
    Answers.answers = {}
    assert facts(made("sizes")) == own  # None: what it was made with
    with pytest.raises(ValueError, match="Unknown dispatch_sizes_strides_policy: both"):
        made("both")


def test_classes_are_asked_for_device_and_layout(answers):
    x = torch.Tensor._make_wrapper_subclass(Answers, (2,), dispatch_device=True, dispatch_layout=True)
    assert (x.device, x.is_meta, x.is_cpu, x.layout) == (torch.device("meta"), True, False, torch.sparse_csr)
    y = torch.Tensor._make_wrapper_subclass(Answers, (2,))
    assert (y.device, y.layout) == (torch.device("cpu"), torch.strided)


def test_instances_with_memory_answer_too(answers):
    data = torch.zeros(6)
    x = torch.Tensor._make_subclass(Answers, data, dispatch_sizes_strides_policy="sizes", dispatch_device=True)
    assert (tuple(x.shape), x.stride(), x.device.type) == ((3, 2), (2, 1), "meta")
    y = torch.Tensor._make_subclass(Answers, data)
    assert (tuple(y.shape), y.stride(), y.device.type) == ((6,), (1,), "cpu")
    with pytest.raises(ValueError, match="Unknown dispatch_sizes_strides_policy: both"):
        torch.Tensor._make_subclass(Answers, data, dispatch_sizes_strides_policy="both")


def test_other_memory_leaves_the_class_its_handler():
    class Counts(torch.Tensor):
        calls = 0

        @classmethod
        def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
            cls.calls += 1
            return super().__torch_dispatch__(func, types, args, kwargs)

    x = Counts(torch.zeros(2, 3))
    x.data = torch.ones(2, 3)
    assert Counts.calls == 0
    x.sum()
    x.set_(torch.ones(3, 2).untyped_storage(), 0, (3, 2), (2, 1))
    x.sum()
    x.t_()
    x.sum()
    assert Counts.calls >= 4 and type(x) is Counts
    plain = torch.zeros(2)
    plain.data = Counts(torch.ones(2))
    before = Counts.calls
    assert plain.sum().item() == 2.0 and Counts.calls == before


def test_tensors_that_dispatch():
    like = torch._C._dispatch_isTensorSubclassLike
    assert not like(torch.ones(1)) and like(torch.Tensor._make_wrapper_subclass(Answers, (2,)))
    assert torch.func.vmap(lambda x: x + like(x))(torch.zeros(2)).tolist() == [1.0, 1.0]
    with torch._C._EnablePythonDispatcher():
        assert torch.ones(2).add(1).tolist() == [2.0, 2.0]


def test_what_has_no_memory_takes_none():
    x = torch.Tensor._make_wrapper_subclass(Answers, (10**12,))
    assert x.shape == (10**12,) and x.data_ptr() == 0
    assert x.untyped_storage().nbytes() == 4 * 10**12
    with pytest.raises(RuntimeError, match="data pointer on an invalid python storage"):
        x.untyped_storage().data_ptr()


def test_a_copy_is_what_clone_gives():
    x = Wrapper(torch.ones(2))
    y = copy.deepcopy([x, x])
    assert type(y[0]) is Wrapper and y[0] is y[1] and y[0].inner is not x.inner and y[0].inner.tolist() == [1.0, 1.0]
    with pytest.raises(RuntimeError, match=r"of Answers.*clone\(\) returns an instance of NoneType"):
        copy.deepcopy(torch.Tensor._make_wrapper_subclass(Answers, (2,)))


def test_a_handler_may_return_none():
    class Mute(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            return None

    x, w = torch.ones(2), torch.ones(2, requires_grad=True)
    with Mute():
        assert torch.add(x, 1) is None and x.sum() is None and torch.add(w, 1) is None
    assert torch.Tensor._make_wrapper_subclass(Answers, (2,)) + 1 is None


@pytest.mark.parametrize("cut", ["split(2)", "split([1, 5])", "split_with_sizes([4, 2])", "chunk(4)", "unbind()"])
def test_pieces_are_cut_at_once_and_joined_in_backward(cut):
    def run(names):
        x = torch.arange(6.0, requires_grad=True)
        pieces = eval(f"x.{cut}", {"x": x})
        (pieces[0].sum() * 2 + pieces[-1].sum()).backward()
        if names is not None:
            names.append(type(pieces[0].grad_fn).__name__)
        return [p.tolist() for p in pieces], x.grad.tolist()

    expected = run(None)
    with Names() as mode:
        assert run(mode.seen) == expected
    cutting = [name for name in mode.seen if name in ("split.Tensor", "split_with_sizes.default", "unbind.int")]
    assert len(cutting) == 1 and "slice.Tensor" not in mode.seen and "select.int" not in mode.seen
    assert ("stack.default" if cut == "unbind()" else "cat.default") in mode.seen
    assert {"SplitBackward0", "SplitWithSizesBackward0", "UnbindBackward0"} & set(mode.seen)


def test_pieces_may_not_be_written_to_where_they_have_a_history():
    x = torch.ones(4, requires_grad=True)
    with Names():
        a, _ = (x * 2).split(2)
        with pytest.raises(RuntimeError, match="is a view and is being modified inplace"):
            a.mul_(3)


def test_modes_with_a_class_method():
    class Mode(TorchDispatchMode):
        @classmethod
        def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
            return func(*args)

    with pytest.raises(RuntimeError, match="as a classmethod is not supported, please make it a plain method"):
        with Mode():
            torch.ones(1) + 1


def test_gradients_that_handlers_hold_are_checked():
    class Held(torch.Tensor):
        @staticmethod
        def __new__(cls, x):
            return torch.Tensor._make_wrapper_subclass(cls, x.shape, dtype=x.dtype, requires_grad=x.requires_grad)

        def __init__(self, x):
            self.x = x.detach()

        @classmethod
        def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
            args, kwargs = tree_map(lambda a: a.x if isinstance(a, cls) else a, (args, kwargs or {}))
            return tree_map(lambda a: cls(a) if isinstance(a, torch.Tensor) else a, func(*args, **kwargs))

    x = Held(torch.tensor([0.5, 2.0], dtype=torch.float64)).requires_grad_()
    assert torch.autograd.gradcheck(torch.exp, (x,))


def test_a_handler_that_calls_itself_raises():
    """Each call takes ten kilobytes of the stack, which ends before Python's limit of recursion."""

    class Endless(torch.Tensor):
        @classmethod
        def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
            return args[0][:1]

    x = torch.Tensor._make_subclass(Endless, torch.ones(2, 3))
    for _ in range(2):
        with pytest.raises(RecursionError):
            x + 1
    assert torch.is_grad_enabled() and (torch.ones(2) + 1).tolist() == [2, 2]


def answering(answer):
    """A type whose handler returns what a function returns, whatever the operator."""

    class Own(torch.Tensor):
        @classmethod
        def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
            return answer()

    return Own


@pytest.mark.parametrize("result", ((torch.ones(2), torch.ones(2)), (), [torch.ones(2)]))
def test_one_tensor_is_not_several(result):
    x = torch.Tensor._make_subclass(answering(lambda: result), torch.ones(2, 3))
    for call in (x.neg, lambda: x.roll(1), lambda: torch.func.grad(lambda v: v.sum())(x)):
        with pytest.raises(RuntimeError, match="(?s)Unable to cast .* to Tensor"):
            call()


def test_results_of_another_number():
    x = result = torch.Tensor._make_subclass(answering(lambda: result), torch.ones(2, 3))
    for call in (lambda: iter(x), x.unbind, lambda: x.split(1), lambda: x.max(0), lambda: torch.linalg.svd(x)):
        with pytest.raises(
            RuntimeError, match="must return (a list of|2|3) tensors, and returned an object of type 'Own'"
        ):
            call()
    result = (torch.ones(2), torch.ones(2))
    with pytest.raises(RuntimeError, match="svd must return 3 tensors, and returned .* 'tuple' of 2"):
        torch.linalg.svd(x)
    assert torch.unbind(x) == result


def test_a_view_is_not_its_base():
    x = torch.Tensor._make_subclass(answering(lambda: x), torch.ones(2, 3))
    for call in (lambda: x[...,], lambda: x.view(3, 2), lambda: x[0], x.t):
        with pytest.raises(RuntimeError, match="View operation returned a tensor that is the same as the input base"):
            call()
    assert x.detach() is x + 1 is x.t_() is x.contiguous() is x


def test_transforms_of_a_type_without_results():
    x = torch.Tensor._make_subclass(answering(lambda: None), torch.ones(2, 3))
    assert x.neg() is None
    with pytest.raises(RuntimeError, match="Unable to cast None to Tensor"):
        torch.func.grad(lambda v: v.sum())(x)
