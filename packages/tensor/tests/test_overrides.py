"""Overrides on tensors: which arguments are asked, which handlers are called, and what happens if they decline."""

import copy
import gc
import operator
import pickle
import sys
import traceback
import warnings
import weakref

import numpy as np
import pytest

import flambeau_overrides as overrides
import flambeau_tensor as ft
from flambeau_overrides import TorchFunctionMode


class Duck:
    """Returns the arguments of its handler."""

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return func, types, args, kwargs


class Sub(ft.Tensor):
    pass


class Other(ft.Tensor):
    pass


def answering(answer):
    """Return a subclass whose handler always gives the same answer."""

    class Answers(ft.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            return answer

    return ft.ones(2, 2).as_subclass(Answers)


D, T = Duck(), ft.ones(2, 2)


# --- which arguments are asked --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "call, func",
    [
        (lambda: ft.add(D, T), ft.add),
        (lambda: ft.add(T, D), ft.add),
        (lambda: ft.add(T, other=D), ft.add),
        (lambda: T + D, ft.Tensor.add),
        (lambda: D + T, ft.Tensor.add),
        (lambda: D - T, ft.Tensor.__rsub__),
        (lambda: T @ D, ft.Tensor.matmul),
        (lambda: D / T, ft.Tensor.__rdiv__),
        (lambda: T < D, ft.Tensor.lt),
        (lambda: T == D, ft.Tensor.eq),
        (lambda: T.add(D), ft.Tensor.add),
        (lambda: T.add_(D), ft.Tensor.add_),
        (lambda: ft.max(T, D), ft.max),
        (lambda: ft.max(D, 1), ft.max),
        (lambda: ft.max(T, other=D), ft.max),
        (lambda: ft.cat([T, D]), ft.cat),
        (lambda: ft.cat((D,)), ft.cat),
        (lambda: ft.cat(D), ft.cat),
        (lambda: ft.stack(tensors=[T, D]), ft.stack),
        (lambda: ft.cat([T, T], out=D), ft.cat),
        (lambda: ft.tensor(D), ft.tensor),
        (lambda: ft.tensor([1.0, D]), ft.tensor),
        (lambda: ft.as_tensor(D), ft.as_tensor),
        (lambda: ft.as_tensor((D, 1)), ft.as_tensor),
        (lambda: ft.asarray(D), ft.asarray),
        (lambda: T.new_tensor(D), ft.Tensor.new_tensor),
        (lambda: ft.full((2,), D), ft.full),
        (lambda: ft.zeros(D), ft.zeros),
        (lambda: ft.zeros((2, D)), ft.zeros),
        (lambda: ft.zeros(2, dtype=D), ft.zeros),
        (lambda: ft.arange(D), ft.arange),
        (lambda: ft.add(T, 1, alpha=D), ft.add),
        (lambda: ft.sum(T, D), ft.sum),
        (lambda: ft.sum(T, dim=D), ft.sum),
        (lambda: T.view(D), ft.Tensor.view),
        (lambda: T.view(2, D), ft.Tensor.view),
        (lambda: T.view(D, 2), ft.Tensor.view),
        (lambda: T.to(D), ft.Tensor.to),
        (lambda: T[D], ft.Tensor.__getitem__),
        (lambda: T[D, 0], ft.Tensor.__getitem__),
        (lambda: T[[D]], ft.Tensor.__getitem__),
        (lambda: T.__setitem__(0, D), ft.Tensor.__setitem__),
        (lambda: ft.where(T > 0, D, T), ft.where),
        (lambda: ft.where(D), ft.where),
        (lambda: ft.split(T, D), ft.split),
        (lambda: ft.split(T, [1, D]), ft.split),
        (lambda: ft.quantile(T, D), ft.quantile),
        (lambda: ft.searchsorted(T[0], D), ft.searchsorted),
        (lambda: ft.repeat_interleave(T, D), ft.repeat_interleave),
        (lambda: ft.normal(D), ft.normal),
        (lambda: ft.randint(0, D, (2,)), ft.randint),
        (lambda: ft.Tensor.shape.__get__(D), ft.Tensor.shape.__get__),
        (lambda: ft.Tensor.sum(D), ft.Tensor.sum),
    ],
)
def test_every_argument_is_asked(call, func):
    got, types, args, kwargs = call()
    assert got is func and Duck in types
    found = [x for a in (*args, *(kwargs or {}).values()) for x in (a if isinstance(a, (list, tuple)) else [a])]
    assert any(x is D for x in found)


def test_attributes_that_are_set():
    seen = []

    class Sees(ft.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            seen.append((func, args))

    s = ft.ones(2, dtype=ft.complex64).as_subclass(Sees)
    s.volatile = 3
    assert len(seen) == 1 and seen[0][0] is ft.Tensor.volatile.__set__ and seen[0][1][1] == 3
    s.real = 3  # PyTorch's handlers do not see this assignment
    assert len(seen) == 1


def test_handlers_get_the_arguments_as_they_were_written():
    E = Duck()
    assert ft.add(D, E, alpha=2)[2:] == ((D, E), {"alpha": 2})
    assert ft.cat([E, D], dim=1)[2:] == (([E, D],), {"dim": 1})
    assert ft.add(other=D, input=E)[2:] == ((), {"other": D, "input": E})
    assert ft.Tensor.view(D, 2, E)[2:] == ((D, 2, E), None)


def test_what_lies_deeper_is_not_looked_for():
    with pytest.raises(TypeError, match="expected Tensor as element 0 in argument 0, but got list"):
        ft.cat([[D]])
    with pytest.raises(RuntimeError, match="Could not infer dtype of Duck"):
        ft.tensor([[D]])


@pytest.mark.parametrize(
    "call, text",
    [
        (lambda: ft.add(D), r"add\(\) missing 1 required positional arguments: \"other\""),
        (lambda: ft.add(D, D, D, D), r"add\(\) takes 2 positional arguments but 4 were given"),
        (lambda: ft.add(D, D, beta=1), r"add\(\) got an unexpected keyword argument 'beta'"),
        (lambda: ft.add("x", D), r"add\(\): argument 'input' \(position 1\) must be Tensor, not str"),
        (lambda: ft.add(D, 1, alpha="x"), r"add\(\): argument 'alpha' must be Number, not str"),
        (lambda: ft.cat([D, "x"]), r"cat\(\): expected Tensor as element 1 in argument 0, but got str"),
        (lambda: ft.transpose(D, 0, "x"), r"transpose\(\): argument 'dim1' \(position 3\) must be int, not str"),
    ],
)
def test_a_call_has_to_be_right_before_anybody_is_asked(call, text):
    with pytest.raises(TypeError, match=text):
        call()


def test_the_type_has_to_define_it():
    instance = type("Instance", (), {})()
    instance.__torch_function__ = lambda *args: "instance"

    class Asked(type):
        def __getattr__(cls, name):
            return lambda *args: "metaclass"

    for x in (instance, Asked("A", (), {})(), Duck):
        with pytest.raises(TypeError, match=r"add\(\): argument 'input' \(position 1\) must be Tensor, not "):
            ft.add(x, T)


# --- all handlers decline -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "call, text",
    [
        (lambda f: f(ft.add, D, T), r"add\(\): argument 'input' \(position 1\) must be Tensor, not Duck"),
        (lambda f: f(ft.stack, [D, T]), r"stack\(\): expected Tensor as element 0 in argument 0, but got Duck"),
        (lambda f: f(ft.cat, D), r"cat\(\): argument 'tensors' \(position 1\) must be tuple of Tensors, not Duck"),
        (lambda f: f(ft.sum, T, D), r"sum\(\) received an invalid combination of arguments - got \(Tensor, Duck\)"),
        (lambda f: f(ft.amax, T, D), r"amax\(\): argument 'dim' \(position 2\) must be tuple of ints, not Duck"),
        (lambda f: f(ft.exp, T, out=D), r"exp\(\): argument 'out' must be Tensor, not Duck"),
    ],
)
@pytest.mark.parametrize("how", ["redispatch", "types off", "all off"])
def test_only_tensors_reach_kernels(call, text, how):
    def run(func, *args, **kwargs):
        if how == "redispatch":
            return overrides.redispatch_function(func, (), args, kwargs)
        with overrides.DisableTorchFunctionSubclass() if how == "types off" else overrides.DisableTorchFunction():
            return func(*args, **kwargs)

    with pytest.raises(TypeError, match=text):
        call(run)


def test_a_handler_borrowed_from_tensor_does_not_make_a_tensor():
    Borrowed = type("Borrowed", (), {"__torch_function__": vars(ft.Tensor)["__torch_function__"]})
    with pytest.raises(TypeError, match=r"add\(\): argument 'input' \(position 1\) must be Tensor, not Borrowed"):
        ft.add(Borrowed(), T)
    ends = r"Borrowed'>\n.*Sub'>\n\n.*\[Borrowed, Sub\]$"
    with pytest.raises(TypeError, match=rf"(?s)Multiple dispatch failed for 'torch\.add'.*{ends}"):
        ft.add(Borrowed(), T.as_subclass(Sub))


def test_pretending_to_be_a_tensor_does_not_make_one():
    class Pretender:
        __class__ = property(lambda self: ft.Tensor)

        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            return NotImplemented

    assert isinstance(Pretender(), ft.Tensor)
    with pytest.raises(
        TypeError, match=r"handlers returned NotImplemented:\n\n  - tensor subclass .*Pretender'>\n\n.*\[Pretender\]$"
    ):
        ft.add(Pretender(), T)
    with overrides.DisableTorchFunction(), pytest.raises(TypeError, match="must be Tensor, not Pretender"):
        ft.add(Pretender(), T)


@pytest.mark.parametrize("answer", [True, False, ValueError])
def test_metaclasses_are_not_asked_who_inherits_from_whom(answer):
    class Meta(type(ft.Tensor)):
        def __subclasscheck__(cls, other):
            if answer is ValueError:
                raise ValueError
            return answer

        __instancecheck__ = __subclasscheck__

    Tricky = Meta("Tricky", (ft.Tensor,), {})
    t = T.as_subclass(Tricky)
    assert type(t + 1) is type(ft.add(1, t, alpha=2)) is Tricky
    assert type(ft.Tensor.__torch_function__.__func__(Tricky, ft.add, (Tricky,), (t, t))) is Tricky
    with pytest.raises(TypeError, match=r"for 'torch.Tensor.add'; .*:\n\n.*Tricky'>\n.*Sub'>\n\n.*\[Tricky, Sub\]$"):
        t.add(T.as_subclass(Sub))


def test_redispatch_gives_plain_tensors_and_lets_inner_calls_be_overridden():
    seen = []

    class Logged(ft.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            seen.append(func.__name__)
            return overrides.redispatch_function(func, types, args, kwargs)

    @overrides.overridable(namespace="testing")
    def scaled(a, b):
        return a * b + 1

    x, y = ft.tensor([3.0]).as_subclass(Logged), ft.tensor([4.0]).as_subclass(Logged)
    result = scaled(x, y)
    assert type(result) is ft.Tensor and result.tolist() == [13] and seen == ["scaled", "mul"]


# --- handlers return nonsense ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("answer", [None, "x", 1.5, -1])
def test_python_refuses_answers_of_the_wrong_kind(answer):
    w = answering(answer)
    with pytest.raises(TypeError, match=f"__bool__ should return bool, returned {type(answer).__name__}"):
        bool(w)
    with pytest.raises(TypeError, match="__complex__ returned non-complex"):
        complex(w)
    if answer != 1.5:
        with pytest.raises(TypeError, match="__float__ returned non-float"):
            float(w)
    if answer != -1:
        for function, text in (
            (int, "__int__ returned non-int"),
            (operator.index, "__index__ returned non-int"),
            (len, "cannot be interpreted as an integer"),
            (range, "__index__ returned non-int"),
        ):
            with pytest.raises(TypeError, match=text):
                function(w)
        with pytest.raises(pickle.PicklingError):
            pickle.dumps(w)
    else:
        with pytest.raises(ValueError, match=r"__len__\(\) should return >= 0"):
            len(w)
    if answer != "x":
        for function in (iter, copy.copy):
            with pytest.raises(TypeError):
                function(w)
    assert (1 in w) is bool(answer)
    assert w + 1 == w.sum() == w[0] == w.shape == answer  # the result of a function is the handler's decision
    assert isinstance(hash(w), int)
    for show in (repr, str, "{}".format):
        if answer == "x":
            assert show(w) == "x"
        else:
            with pytest.raises(TypeError, match=r"__(repr|str|format)__ "):
                show(w)


@pytest.mark.parametrize("handler", [None, 5, "handler", property(lambda self: 5)])
def test_a_handler_that_cannot_be_called(handler):
    for bases in ((), (ft.Tensor,)):
        cls = type("Odd", bases, {"__torch_function__": handler})
        odd = cls() if not bases else ft.ones(2).as_subclass(cls)
        for call in (lambda odd=odd: ft.add(odd, 1), lambda odd=odd: T.add(odd), lambda odd=odd: ft.cat([T, odd])):
            with pytest.raises(TypeError, match=r"^Odd\.__torch_function__ must be a method, not \w+$"):
                call()
    with pytest.raises(TypeError, match="Odd"):
        odd.shape  # noqa: B018


def test_nothing_is_half_done():
    class Fails(ft.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            raise KeyError(func.__name__)

    f, t, out = ft.ones(2).as_subclass(Fails), ft.ones(2), ft.zeros(2)
    for call in (
        lambda: t.add_(f),
        lambda: t.copy_(f),
        lambda: t.__setitem__(0, f),
        lambda: ft.add(t, f, out=out),
        lambda: f.add_(1),
        lambda: f.__setitem__(0, 5),
        lambda: operator.iadd(t, f),
    ):
        version = t._version
        with pytest.raises(KeyError):
            call()
        assert t.tolist() == [1, 1] and out.tolist() == [0, 0] and t._version == version
    with overrides.DisableTorchFunctionSubclass():
        assert repr(f) == "Fails([1., 1.])"
    assert overrides._get_current_function_mode_stack() == [] and overrides._is_torch_function_enabled()


@pytest.mark.parametrize(
    "call",
    [
        lambda x: ft.exp(x),
        lambda x: x.sum(dim=0),
        lambda x: 2 - x,
        lambda x: x.shape,
        lambda x: x[0],
        lambda x: bool(x),
        lambda x: ft.cat([x]),
        lambda x: list(x),
        lambda x: setattr(x, "volatile", 1),
        lambda x: ft.atleast_1d(x),
    ],
)
def test_errors_show_the_callers_line_and_the_handlers(call):
    class Raises(ft.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            raise LookupError("from the handler")

    with pytest.raises(LookupError, match="from the handler") as error:
        call(ft.ones(2).as_subclass(Raises))
    frames = traceback.extract_tb(error.value.__traceback__)
    mine = [frame.name for frame in frames if frame.filename == __file__]
    assert mine == ["test_errors_show_the_callers_line_and_the_handlers", "<lambda>", "__torch_function__"]
    assert frames[-1].line == 'raise LookupError("from the handler")'


@pytest.mark.parametrize(
    "call",
    [
        lambda x: ft.exp(x),
        lambda x: x.add(1),
        lambda x: x.shape,
        lambda x: ft.cat([x, x]),
        lambda x: x.sum(dim=0),
        lambda x: x[0],
        lambda x: len(x),
        lambda x: x + 1,
        lambda x: 2**x,
        lambda x: ft.ones(2) * x,
        lambda x: x.__iadd__(x),
        repr,
    ],
)
def test_a_handler_that_calls_its_function_again_is_told_so(call):
    class Loops(ft.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            return func(*args, **(kwargs or {}))

    x = ft.ones(2).as_subclass(Loops)
    with pytest.raises(RecursionError, match=r"^Loops\.__torch_function__ calls 'torch\.[\w.]+' again on"):
        call(x)
    with overrides.DisableTorchFunctionSubclass():
        assert repr(x) == "Loops([1., 1.])"


def test_a_plain_method_passes_on_as_a_class_method_does():
    def handler(owner, func, types, args=(), kwargs=None):
        seen.append((func, types))
        return super(owner if isinstance(owner, type) else type(owner), owner).__torch_function__(
            func, types, args, kwargs
        )

    results = []
    for spelling in (handler, classmethod(handler)):
        seen, cls = [], type("Passes", (ft.Tensor,), {"__torch_function__": spelling})
        x = ft.ones(2, 2).as_subclass(cls)
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            made = [x + 1, 2 - x, x.sum(dim=0), x[0], x.T, x.add_(1), ft.cat([T, x]), *x.split(1), *x.max(0)]
            facts = [x.shape, len(x), x.tolist()]
        assert all(type(r) is cls for r in made) and all(types == (cls,) for _, types in seen)
        # Once per process, or at each call if the function is written in Python in PyTorch.
        assert len([w for w in told if w.category is UserWarning]) <= (spelling is handler)
        assert {w.category for w in told} <= {UserWarning, DeprecationWarning}
        assert bool(told) is (spelling is handler)
        results.append(([r.tolist() for r in made], facts, [func for func, _ in seen]))
    assert results[0] == results[1]


def test_printing_dispatches():
    class Prints(ft.Tensor):
        seen = []

        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            with overrides.DisableTorchFunctionSubclass():
                cls.seen.append((func.__name__, f"{args[0]}"))
            return super().__torch_function__(func, types, args, kwargs)

    class PrintsToo(TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            return repr(args)

    p = ft.ones(()).as_subclass(Prints)
    assert (repr(p), str(p), f"{p}") == ("Prints(1.)",) * 3
    assert [name for name, _ in Prints.seen] == ["__repr__", "__repr__", "__format__"]
    assert {text for _, text in Prints.seen} == {"Prints(1.)"}
    with PrintsToo():
        shown = -p, repr(T)
    assert shown == ("(Prints(1.),)", f"({T!r},)")


# --- modes and switches ---------------------------------------------------------------------------------------------


class Names(TorchFunctionMode):
    def __init__(self, handles=None):
        self.names = []
        if handles is not None:
            self.__torch_function_handles__ = handles

    def __torch_function__(self, func, types, args=(), kwargs=None):
        self.names.append(func.__name__)
        return func(*args, **(kwargs or {}))


def test_modes_stay_where_types_are_switched_off():
    with Names() as mode, overrides.DisableTorchFunctionSubclass():
        ft.exp(T)
        assert type(T.as_subclass(Sub) + 1) is ft.Tensor
    assert mode.names == ["exp", "as_subclass", "add"]
    with Names() as mode, overrides.DisableTorchFunction():
        ft.exp(T)
    assert mode.names == []


def test_what_a_kernel_calls_is_its_own_business():
    with Names() as mode:
        ft.std(T, dim=0), ft.quantile(T, 0.5), T.split(1), repr(T)
    assert mode.names == ["std", "quantile", "split", "__repr__"]


def test_modes_that_say_what_they_handle():
    s = T.as_subclass(Sub)
    with Names({ft.exp, ft.Tensor.shape.__get__}) as mode:
        results = [T + 1, s + 1, s.sum(dim=0), ft.cat([s, T]), s.view(4), ft.add(T, T, alpha=2), ft.atleast_1d(s)]
        ft.exp(s), T.shape, T.ndim
    assert mode.names == ["exp", "__get__"]
    assert [type(r) for r in results] == [ft.Tensor, Sub, Sub, Sub, Sub, ft.Tensor, Sub]


# --- results of subclasses ------------------------------------------------------------------------------------------

RESULTS = {
    "function": lambda x: ft.exp(x),
    "keyword": lambda x: ft.sum(x, dim=0),
    "composite": lambda x: ft.std(x, 0),
    "in a list": lambda x: ft.stack([T, x]),
    "Any": lambda x: ft.max(T, x),
    "number": lambda x: ft.add(T, x[0, 0]),
    "values and indices": lambda x: ft.sort(x),
    "min and max": lambda x: ft.aminmax(x),
    "several": lambda x: ft.var_mean(x),
    "views": lambda x: ft.chunk(x, 2),
    "unbind": lambda x: x.unbind(),
    "iteration": lambda x: tuple(x),
    "reversed": lambda x: tuple(reversed(x)),
    "unique": lambda x: ft.unique(x),
    "nonzero": lambda x: x.nonzero(as_tuple=True),
    "overridable": lambda x: ft.broadcast_tensors(x, T)[0],
    "factory": lambda x: ft.as_tensor([x[0, 0], 1.0]),
}


@pytest.mark.parametrize("make", RESULTS.values(), ids=RESULTS)
def test_results_have_the_class(make):
    result = make(T.as_subclass(Sub))
    for t in result if isinstance(result, tuple) else [result]:
        assert type(t) is Sub


def test_torch_tensor_makes_plain_tensors():
    s = ft.tensor(3.0).as_subclass(Sub)
    assert type(ft.tensor([s, s])) is ft.Tensor
    assert ft.as_tensor(s) is s


def test_a_result_that_somebody_else_has_is_left_alone():
    s = T.as_subclass(Sub)
    plain = ft.ones(2, 2)
    assert type(ft.add(s, 1, out=plain)) in (Sub, ft.Tensor) and type(plain) is ft.Tensor
    assert type(s._base) is not Sub or s._base is s


def test_subclasses_with_a_layout_of_their_own():
    class Slotted(ft.Tensor):
        __slots__ = ("slot",)

    s = ft.ones(3).as_subclass(Slotted)
    s.slot = 1
    assert type(s + 1) is Slotted and not hasattr(s + 1, "slot") and s.sum().item() == 3


def test_subclasses_with_a_finalizer_are_finalized_once():
    gone = []

    class Final(ft.Tensor):
        def __del__(self):
            gone.append(self.tolist())

    f = ft.ones(2).as_subclass(Final)
    f + 1
    assert gone == [[2, 2]]
    del f
    assert gone == [[2, 2], [1, 1]]


def test_a_finalizer_that_comes_later_is_called_and_may_keep_the_tensor():
    kept = []

    class Late(ft.Tensor):
        pass

    t = ft.ones(2).as_subclass(Late)
    Late.__del__ = lambda self: kept.append(self)
    del t
    assert len(kept) == 1 and kept[0].tolist() == [1, 1] and type(kept[0]) is Late
    del Late.__del__
    kept.clear()
    assert ft.ones(2).as_subclass(Late).sum().item() == 2


def test_subclasses_die_with_all_that_they_hold():
    class Held:
        pass

    class Slotted(Sub):
        __slots__ = ("slot",)

    class Mixed(Held, Slotted, Sub):
        pass

    for cls in (Sub, type("Lower", (Sub,), {}), Slotted, Mixed, type("Mixin", (Held, Sub), {})):
        t, held = ft.ones(2).as_subclass(cls), Held()
        t.held, cycle = held, [t]
        if issubclass(cls, Slotted):
            t.slot = held
        cycle.append(cycle)
        references = [weakref.ref(t), weakref.ref(held)]
        assert all(r() is not None for r in references)
        t.itself = t
        del t, held, cycle
        gc.collect()
        assert not any(r() for r in references)


def test_classes_die_when_their_last_instance_has():
    class Short(ft.Tensor):
        pass

    reference, t = weakref.ref(Short), ft.ones(2).as_subclass(Short)
    before = sys.getrefcount(Short)
    for _ in range(100):
        t + 1, t[0], ft.exp(t)
    assert sys.getrefcount(Short) == before
    del Short
    gc.collect()
    assert reference() is type(t)
    del t
    gc.collect()
    assert reference() is None


def test_long_chains_of_attributes_go_without_a_deep_stack():
    t = ft.ones(1).as_subclass(Sub)
    for _ in range(100_000):
        t, t.before = ft.ones(1).as_subclass(Sub), t
    last = weakref.ref(t)
    del t
    assert last() is None


# --- no leaks -------------------------------------------------------------------------------------------------------


class Refuses:
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return NotImplemented


class Fails:
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        raise KeyError(func)


class PassesOn(ft.Tensor):
    __torch_metadata__ = {"unit": overrides.agreed}

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return super().__torch_function__(func, types, args, kwargs)


def in_mode(mode, x):
    with mode:
        return x * 2


class FailingMode(TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        raise KeyError(func)


CALLS = {
    "duck": lambda x: ft.add(x, D),
    "keyword": lambda x: ft.add(x, other=D),
    "list": lambda x: ft.cat([x, D]),
    "bare subclass": lambda x: x + x,
    "in a list": lambda x: ft.cat([x, T], dim=0),
    "view": lambda x: x.view(4)[0],
    "metadata": lambda x: x.as_subclass(PassesOn) + 1,
    "attribute": lambda x: x.as_subclass(PassesOn).shape,
    "mode": lambda x: in_mode(overrides.BaseTorchFunctionMode(), x),
    "refused": lambda x: ft.add(x, Refuses()),
    "failed": lambda x: ft.add(x, Fails()),
    "failed in a mode": lambda x: in_mode(FailingMode(), x),
    "wrong argument": lambda x: ft.cat([D, "x"]),
    "missing argument": lambda x: ft.add(D),
    "strangers": lambda x: x + T.as_subclass(Other),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_a_hundred_thousand_calls_leave_nothing_behind(call):
    x = ft.ones(2, 2).as_subclass(Sub)
    kept = (D, T, Sub, Duck, Refuses, Fails, PassesOn, FailingMode, ft.add, ft.cat, ())

    def run(n):
        for _ in range(n):
            try:
                call(x)
            except (TypeError, KeyError):
                pass
        gc.collect()
        return [sys.getrefcount(o) for o in (x, *kept)], sys.getallocatedblocks()

    before, blocks = run(100)
    after, blocks_after = run(100_000)
    assert all(abs(a - b) < 20 for a, b in zip(after, before, strict=True)) and blocks_after - blocks < 1000


class Silent(ft.Tensor):
    """Its handler always declines."""

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return NotImplemented


@pytest.mark.parametrize("sign", ["+", "-", "*", "/", "//", "%", "**", "@", "&", "|", "^", "<<", ">>"])
def test_python_says_that_nobody_answered_an_operator_in_place(sign):
    names = {"x": ft.ones(2, dtype=ft.int64).as_subclass(Silent)}
    with pytest.raises(TypeError, match="unsupported operand|no implementation found|Multiple dispatch failed"):
        exec(f"x {sign}= 1", names)
    assert isinstance(names["x"], Silent)


def test_arrays_are_asked_of_handlers():
    seen = []

    class Noted(ft.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            seen.append(func.__name__)
            return super().__torch_function__(func, types, args, kwargs or {})

    x = ft.ones(2).as_subclass(Noted)
    assert isinstance(x, ft.FloatTensor) and seen == []  # queries its class
    assert np.asarray(x).tolist() == [1.0, 1.0] and seen == ["__array__"]
    with pytest.raises(BufferError, match="__array__"):
        memoryview(x)
    assert memoryview(ft.ones(2)).tolist() == [1.0, 1.0]


BINARY = "add sub mul truediv floordiv mod pow matmul and or xor lshift rshift".split()


@pytest.mark.parametrize("name", [f"__{side}{word}__" for word in BINARY for side in ("", "r")] + ["__eq__", "__lt__"])
def test_methods_of_syntax_leave_operands_that_they_do_not_know_to_these(name):
    x = ft.ones(2)
    for other in (object(), "text", None, [1.0]):
        assert getattr(x, name)(other) is NotImplemented

    class Unit:
        def __getattr__(self, name):
            raise AttributeError(name)

    setattr(Unit, f"__r{name.strip('_')}__", lambda self, other: "mine")
    Below = type("Below", (ft.Tensor,), {name: lambda self, other: getattr(super(Below, self), name)(other)})
    if name.strip("_") in BINARY:
        assert eval(f"x {SIGNS[name.strip('_')]} unit", {"x": x.as_subclass(Below), "unit": Unit()}) == "mine"


SIGNS = dict(zip(BINARY, "+ - * / // % ** @ & | ^ << >>".split(), strict=True))


def test_numbers_that_an_operator_refuses_still_say_why():
    with pytest.raises(NotImplementedError, match="bitwise_and"):
        ft.ones(2, dtype=ft.int64).__and__(1.5j)


def test_a_comparison_with_another_type_is_the_method_s():
    class Other:
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            return func

    x = ft.ones(2)
    assert (x == Other()) is (Other() == x) is ft.Tensor.eq
    assert (x == 1).tolist() == [True, True] and (x == None) is False  # noqa: E711
