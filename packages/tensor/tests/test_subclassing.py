"""Subclasses of Tensor, types that are not tensors, modes; copies and pickles of all of them."""

import copy
import pickle

import pytest

import flambeau_tensor as ft
from flambeau_overrides import TorchFunctionMode, resolve_name


class Sub(ft.Tensor):
    pass


class Lower(Sub):
    pass


class Other(ft.Tensor):
    pass


class Logging(ft.Tensor):
    log = []

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        cls.log.append(func.__name__)
        return super().__torch_function__(func, types, args, kwargs)


def test_results_are_of_the_subclass():
    s, t = Sub([0]), ft.tensor([1])
    for result in (
        s + t,
        t + s,
        ft.add(s, t),
        s.add(t),
        -s,
        s.view(1, 1),
        s[0],
        ft.cat([t, s]),
        s.float(),
        s.clone(),
        s.t(),
        ft.zeros_like(s),
        s.max(0).values,
        s.split(1)[0],
    ):
        assert type(result) is Sub
    assert type(s.shape) is ft.Size and type(s.item()) is float and s.tolist() == [0]
    assert s.add_(1) is s and type(s) is Sub


def test_the_lowest_class_wins_and_strangers_do_not_mix():
    assert type(Lower([0]) + Sub([1])) is Lower
    assert type(Sub([0]) + Lower([1])) is Lower
    with pytest.raises(
        TypeError,
        match=r"(?s)Multiple dispatch failed for 'torch.add'; all __torch_function__ "
        r"handlers returned NotImplemented:\n\n  - tensor subclass .*Sub'>\n  - .* .*Other'>\n\n"
        r"no implementation found for 'torch.add' on types that implement __torch_function__: \[Sub, Other\]$",
    ):
        ft.add(Sub([0]), Other([1]))
    assert ft.Tensor.__torch_function__(ft.add, (Sub,), (Sub([1]), 1)) is NotImplemented


def test_an_override_sees_functions_methods_syntax_and_attributes():
    x = ft.ones(2).as_subclass(Logging)
    Logging.log.clear()
    y = x + 1
    assert type(y) is Logging
    x.add(y)
    ft.exp(x)
    x.shape, x.T  # noqa: B018
    2 - x
    x += 1
    assert Logging.log == ["add", "add", "exp", "__get__", "__get__", "__rsub__", "add_"]
    Logging.log.clear()
    repr(x)
    assert Logging.log == ["__repr__"]


def test_handlers_get_what_they_can_look_up():
    seen = []

    class Recorder(ft.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            seen.append((func, types, len(args), kwargs))
            return super().__torch_function__(func, types, args, kwargs)

    x = ft.ones(2, 2).as_subclass(Recorder)
    seen.clear()
    ft.add(x, x, alpha=2)
    x.sum(dim=0)
    x.shape  # noqa: B018
    assert seen[0] == (ft.add, (Recorder,), 2, {"alpha": 2})
    assert seen[1] == (ft.Tensor.sum, (Recorder,), 1, {"dim": 0})
    assert seen[2][0] is ft.Tensor.shape.__get__
    assert resolve_name(seen[2][0]) == "torch.Tensor.shape.__get__"


def test_duck_types():
    class Scaled:
        def __init__(self, value):
            self.value = value

        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            if func not in (ft.add, ft.Tensor.add):
                return NotImplemented
            return Scaled(func(*(a.value if isinstance(a, Scaled) else a for a in args), **(kwargs or {})))

    d = Scaled(ft.tensor([1.0]))
    assert ft.add(d, ft.tensor([2.0])).value.tolist() == [3]
    assert (ft.tensor([2.0]) + d).value.tolist() == [3]
    with pytest.raises(
        TypeError, match=r"(?s)Multiple dispatch failed for 'torch.mul'; .*subclass .*Scaled'>\n\n.* \[Scaled\]$"
    ):
        ft.mul(d, 3)
    with pytest.raises(TypeError, match=r"sum\(\): argument 'input' \(position 1\) must be Tensor, not object"):
        ft.sum(object())


def test_modes():
    class Count(TorchFunctionMode):
        def __init__(self):
            self.names = []

        def __torch_function__(self, func, types, args=(), kwargs=None):
            self.names.append(func.__name__)
            return func(*args, **(kwargs or {}))

    with Count() as mode:
        x = ft.zeros(2)
        x + 1
        x.shape  # noqa: B018
        x.exp_()
    x + 1
    assert mode.names == ["zeros", "add", "__get__", "exp_"]


def test_a_mode_beside_a_subclass():
    class Pass(TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            return func(*args, **(kwargs or {}))

    s = Sub([1.0])
    with Pass():
        assert type(s + 1) is Sub
        assert type(ft.exp(s)) is Sub


def test_as_subclass_shares_memory():
    t = ft.zeros(2)
    s = t.as_subclass(Sub)
    s += 1
    assert t.tolist() == [1, 1] and type(s) is Sub and s.data_ptr() == t.data_ptr()
    assert type(s.as_subclass(ft.Tensor)) is ft.Tensor
    with pytest.raises(TypeError, match=r"as_subclass\(\): argument 'cls' \(position 1\) must be a subclass of Tensor"):
        t.as_subclass(int)


def test_construction():
    assert type(Sub(2, 3)) is Sub and Sub(2, 3).shape == (2, 3)
    assert Sub([1, 2]).tolist() == [1, 2] and Sub([1, 2]).dtype is ft.float32

    class WithInit(ft.Tensor):
        def __new__(cls, data, name):
            return ft.tensor(data).as_subclass(cls)

        def __init__(self, data, name):
            self.label = name

    w = WithInit([1.0], "w")
    assert w.label == "w" and type(w * 2) is WithInit and not hasattr(w * 2, "label")


def test_make_subclass():
    class Diagonal(ft.Tensor):
        @staticmethod
        def __new__(cls, values):
            return ft.Tensor._make_subclass(cls, values, True)

    values = ft.ones(3)
    d = Diagonal(values)
    assert type(d) is Diagonal and d.data_ptr() == values.data_ptr() and d.untyped_storage() is values.untyped_storage()
    values.fill_(2)
    assert d._version == values._version == 1 and d._base is None
    assert type(ft.Tensor._make_subclass(ft.Tensor, d)) is ft.Tensor
    with pytest.raises(TypeError, match="class that does not inherit from Tensor"):
        ft.Tensor._make_subclass(int, values)
    with pytest.raises(TypeError, match="argument 'data' .* must be Tensor, not list"):
        ft.Tensor._make_subclass(Diagonal, [1.0])


# --- copies and pickles ---------------------------------------------------------------------------------------------

PROTOCOLS = range(pickle.HIGHEST_PROTOCOL + 1)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_pickling_keeps_everything(protocol):
    def again(x):
        return pickle.loads(pickle.dumps(x, protocol))

    for dtype in ("bool", "uint8", "int64", "float16", "bfloat16", "float32", "complex64"):
        x = ft.tensor([[1, 0, 2], [3, 1, 0]]).to(getattr(ft, dtype))
        for t in (x, x.t(), x[:, 1:], x[0, 0], x[:0]):
            y = again(t)
            assert (y.dtype, y.shape, y.stride()) == (t.dtype, t.shape, t.stride()) and y.tolist() == t.tolist()
            assert y.storage_offset() == t.storage_offset()
    base = ft.arange(6.0)
    left, right = again((base[:4], base[2:]))
    left.fill_(9)
    assert right.tolist() == [9, 9, 4, 5]
    assert again(ft.Size([2, 3])) == ft.Size([2, 3]) and type(again(ft.Size([2]))) is ft.Size
    assert again(ft.Tensor) is ft.Tensor


@pytest.mark.parametrize(
    "duplicate", [copy.deepcopy, *(lambda x, p=p: pickle.loads(pickle.dumps(x, p)) for p in PROTOCOLS)]
)
def test_subclasses_keep_class_and_attributes(duplicate):
    s = Sub([1.0, 2.0])
    s.unit = ["m", {"power": 2}]
    s.twin = s[1:]
    d = duplicate(s)
    assert type(d) is Sub and d.tolist() == [1, 2] and d.unit == s.unit and d.unit is not s.unit
    d.twin.fill_(5)
    assert d.tolist() == [1, 5] and s.tolist() == [1, 2]
    t = ft.tensor([1.0])
    t.note = "plain"
    assert duplicate(t).note == "plain"


def test_deepcopy_copies_memory_once():
    base = ft.arange(4.0)
    d = copy.deepcopy({"base": base, "view": base[1:], "again": base})
    assert d["base"] is d["again"] and d["view"].untyped_storage() is d["base"].untyped_storage()
    d["base"].fill_(0)
    assert base.tolist() == [0, 1, 2, 3] and d["view"].tolist() == [0, 0, 0]


def test_copy_shares_memory():
    s = Sub([1.0])
    s.unit = "m"
    c = copy.copy(s)
    assert type(c) is Sub and c is not s and c.unit == "m"
    c.fill_(4)
    assert s.tolist() == [4]


def test_own_state_is_respected():
    class Own(ft.Tensor):
        def __getstate__(self):
            return {"kept": self.kept}

        def __setstate__(self, state):
            self.__dict__.update(state, restored=True)

    o = ft.ones(2).as_subclass(Own)
    o.kept, o.dropped = 1, 2
    d = copy.deepcopy(o)
    assert type(d) is Own and d.kept == 1 and d.restored and not hasattr(d, "dropped")


def test_broken_pickles_are_refused():
    rebuild, (storage, _, _, _, *rest) = ft.arange(4.0).__reduce_ex__(2)
    for offset, size, stride in (
        (0, (5,), (1,)),
        (-1, (2,), (1,)),
        (0, (2, 2), (2,)),
        (0, (2,), (-1,)),
        (0, (-2,), (1,)),
        (0, (2**40, 2**40), (2**40, 1)),
    ):
        with pytest.raises((RuntimeError, OverflowError)):
            rebuild(storage, offset, size, stride, *rest)


def test_a_class_may_say_that_it_needs_no_dispatch_handler():
    from flambeau_tensor.subclassing import _disabled_torch_dispatch_impl

    for disabled in (_disabled_torch_dispatch_impl, staticmethod(_disabled_torch_dispatch_impl)):
        own = type("Own", (ft.Tensor,), {"__torch_dispatch__": disabled})
        assert type(ft.ones(2).as_subclass(own) + 1) is own
    assert ft.Tensor.__torch_dispatch__ is _disabled_torch_dispatch_impl
