"""Modules beside other classes, metaclasses and protocols; what inspection, pickling and the garbage collector see."""

import abc
import collections
import dataclasses
import enum
import gc
import inspect
import pickle
import types
import typing

import pytest

import flambeau_nn as nn
import flambeau_tensor as ft
from flambeau_nn.modules import module as module_file
from flambeau_nn.optim import Adam

T = typing.TypeVar("T")


class Counting(type):
    """A metaclass that does something at both of its occasions."""

    def __new__(mcs, name, bases, members):
        return super().__new__(mcs, name, bases, {**members, "tag": name})

    def __call__(cls, *args):
        made = super().__call__(*args)
        made.complete = True
        return made


class Named(typing.Protocol):
    def name(self) -> str: ...


class Plain:
    """Nothing."""


# --- metaclasses and bases ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("bases", [(abc.ABC, nn.Module), (nn.Module, abc.ABC)])
def test_abstract_modules(bases):
    Base = abc.ABCMeta("Base", bases, {"scale": abc.abstractmethod(lambda self: None)})
    Two = abc.ABCMeta("Two", (Base,), {"scale": lambda self: 2, "forward": lambda self, x: x * self.scale()})
    with pytest.raises(TypeError, match="abstract"):
        Base()
    assert Two()(ft.ones(1)).item() == 2


@pytest.mark.parametrize(
    "others",
    [(typing.Generic[T],), (Named,), (Plain,), (dict,), (list,), (set,), (int,)],
    ids=lambda others: getattr(others[0], "__name__", str(others[0])),
)
@pytest.mark.parametrize("first", [True, False], ids=["module first", "module last"])
def test_modules_beside_other_bases(others, first):
    def body(members):
        members.update(
            __init__=nn.Module.__init__,
            forward=lambda self, x: x * self.factor,
            name=lambda self: "a",
            __hash__=object.__hash__,
        )

    cls = types.new_class("Beside", (nn.Module, *others) if first else (*others, nn.Module), {}, body)
    m = cls()
    m.factor = nn.Parameter(ft.tensor(3.0))
    assert m(ft.ones(1)).item() == 3 and [n for n, _ in m.named_parameters()] == ["factor"]


def test_metaclass_of_ones_own():
    class M(nn.Module, metaclass=Counting):
        def forward(self, x):
            return x + 1

    assert M.tag == "M" and M().complete and M()(ft.zeros(1)).item() == 1


def test_members_of_an_enum():
    class Layer(nn.Linear, enum.Enum):
        SMALL = (1, 2)
        LARGE = (1, 20)

        def __init__(self, n, m):
            nn.Linear.__init__(self, n, m)

    assert Layer.LARGE(ft.ones(3, 1)).shape == (3, 20)


def test_dataclasses():
    @dataclasses.dataclass(eq=False)
    class M(nn.Module):
        n: int = 3

        def __post_init__(self):
            super().__init__()
            self.inner = nn.Linear(self.n, 2)

        def forward(self, x):
            return self.inner(x)

    assert M(4)(ft.ones(1, 4)).shape == (1, 2)


def test_calls_of_classes_that_change_how_they_are_called(monkeypatch):
    class M(nn.Linear):
        def __call__(self, x):
            return super().__call__(x) * 0 + 5

    assert M(1, 1)(ft.ones(1)).item() == 5
    original = nn.Module.__call__
    monkeypatch.setattr(nn.Module, "__call__", lambda self, x: original(self, x) * 0 + 7)
    assert nn.Linear(1, 1)(ft.ones(1)).item() == 7 and nn.Sequential(nn.Identity())(ft.ones(1)).item() == 7
    monkeypatch.undo()
    assert nn.Identity()(ft.ones(1)).item() == 1


# --- inspection and pickling ----------------------------------------------------------------------------------------


def test_signatures():
    parameters = inspect.signature(nn.Linear(1, 2)).parameters.values()
    assert [str(p).split(":")[0] for p in parameters] == ["*args", "**kwargs"]
    assert list(inspect.signature(nn.Module.__call__).parameters) == ["self", "args", "kwargs"]
    assert list(inspect.signature(nn.Linear).parameters) == ["in_features", "out_features", "bias", "device", "dtype"]


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_every_pickle_protocol(protocol):
    m = nn.Sequential(nn.Linear(1, 2), nn.BatchNorm1d(2), nn.ModuleDict({"a": nn.ReLU()}))
    back = pickle.loads(pickle.dumps(m, protocol))
    assert repr(back) == repr(m)
    assert all(ft.equal(a, b) for a, b in zip(m.state_dict().values(), back.state_dict().values(), strict=True))


def test_no_cycles_are_left_behind():
    """What is used and dropped is freed at once, without the garbage collector."""
    m = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2))
    optimizer = Adam(m.parameters())

    def use():
        state = m.state_dict()
        m.load_state_dict(state)
        m.load_state_dict(state, assign=True)
        m.to(ft.float32), m.train(), m.apply(lambda child: None), m.zero_grad(), repr(m), list(m.named_parameters())
        m(ft.ones(3, 2)).sum().backward()
        optimizer.step()
        optimizer.load_state_dict(optimizer.state_dict())

    use()
    gc.collect()
    gc.disable()
    try:
        use()
        assert gc.collect() == 0
    finally:
        gc.enable()


# --- the dicts of hooks for all modules -----------------------------------------------------------------------------


def test_global_hook_dicts_can_be_replaced_and_filled(monkeypatch):
    seen = []
    layer = nn.Identity()
    original = module_file._global_forward_hooks
    monkeypatch.setattr(
        module_file, "_global_forward_hooks", collections.OrderedDict({1: lambda m, args, out: seen.append("replaced")})
    )
    layer(1)
    handle = nn.modules.module.register_module_forward_hook(lambda m, args, out: seen.append("registered"))
    assert handle.id in module_file._global_forward_hooks and handle.id not in original
    layer(1)
    monkeypatch.undo()
    layer(1)
    assert module_file._global_forward_hooks is original
    assert seen == ["replaced", "replaced", "registered"]
    module_file._global_forward_pre_hooks[5] = lambda m, args: seen.append("filled")
    layer(1)
    module_file._global_forward_pre_hooks.clear()
    layer(1)
    assert seen[3:] == ["filled"]


def test_arguments_that_a_hook_returns_may_be_of_any_sequence_and_mapping():
    Pair = collections.namedtuple("Pair", "x y")
    m = nn.Bilinear(1, 1, 1)
    m.register_forward_pre_hook(lambda m, args: Pair(*args))
    m.register_forward_pre_hook(
        lambda m, args, kwargs: ([args[0]], collections.OrderedDict(input2=args[1])), with_kwargs=True
    )
    assert m(ft.ones(1), ft.ones(1)).shape == (1,)


WRONG = {
    "Conv2d.__init__() missing 1 required positional argument: 'kernel_size'": lambda: nn.Conv2d(3, 4),
    "Linear.__init__() missing 1 required positional argument: 'out_features'": lambda: nn.Linear(2),
    "Linear.__init__() takes from 3 to 6 positional arguments but 8 were given": lambda: nn.Linear(2, 3, 4, 5, 6, 7, 8),
    "MaxPool2d.__init__() missing 1 required positional argument: 'kernel_size'": lambda: nn.MaxPool2d(),
    "BatchNorm1d.__init__() got an unexpected keyword argument 'size'": lambda: nn.BatchNorm1d(3, size=2),
    "Linear.__init__() got multiple values for argument 'in_features'": lambda: nn.Linear(1, 2, in_features=3),
}


@pytest.mark.parametrize("said", WRONG)
def test_wrong_arguments_name_the_layer(said):
    with pytest.raises(TypeError) as error:
        WRONG[said]()
    assert str(error.value) == said


def test_an_error_inside_of_a_constructor_stays_what_it_is():
    with pytest.raises(TypeError, match=r"^empty\(\): argument 'size'"):
        nn.Linear("a", 3)


def test_every_layers_constructor_has_its_own_name_and_signature():
    import flambeau_nn.modules as layers

    for name, value in vars(layers).items():
        if inspect.isclass(value) and value.__init__.__qualname__ != "Module.__init__" and value.__name__ == name:
            assert inspect.signature(value) is not None
            if value.__module__.startswith("flambeau_nn.modules") and not name.startswith("_"):
                assert value.__init__.__qualname__ == f"{name}.__init__"


def test_the_keyword_that_was_meant():
    with pytest.raises(TypeError, match=r"^Linear.__init__\(\) got an unexpected keyword argument 'biass'") as caught:
        nn.Linear(2, 3, biass=False)
    assert caught.value.__notes__ == ["Did you mean: 'bias'?"]
