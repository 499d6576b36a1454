"""Subclasses of Tensor with other bases: abstract and generic classes, protocols, dataclasses, other metaclasses."""

import abc
import dataclasses
import enum
import pickle
import typing

import pytest

import flambeau_tensor as ft

T = typing.TypeVar("T")


@typing.runtime_checkable
class Measured(typing.Protocol):
    def area(self) -> float: ...


class Abstract(abc.ABC):
    @abc.abstractmethod
    def area(self) -> float: ...


class Generic(ft.Tensor, typing.Generic[T]):
    pass


class Field(ft.Tensor, Abstract):
    def area(self) -> float:
        return float(self.sum())


@pytest.mark.parametrize("bases", [(ft.Tensor, Abstract), (Abstract, ft.Tensor)], ids=["tensor first", "tensor last"])
def test_abstract_bases(bases):
    base = type("Base", bases, {})
    whole = type("Whole", (base,), {"area": lambda self: 2.0})
    assert base.__abstractmethods__ == {"area"} and not whole.__abstractmethods__
    x = ft.ones(2).as_subclass(whole)
    assert (
        type(x + 1) is whole and (x * x).area() == 2.0 and isinstance(x, Abstract) and not isinstance(ft.ones(2), base)
    )
    base.register(complex)
    assert isinstance(1j, base)


def test_generic_classes():
    assert typing.get_origin(Generic[int]) is Generic and type(ft.ones(2).as_subclass(Generic) + 1) is Generic
    assert typing.get_args(Generic[int]) == (int,)


def test_protocols():
    class Area(ft.Tensor, Measured):
        def area(self):
            return 3.0

    x = ft.ones(2).as_subclass(Area)
    assert isinstance(x, Measured) and type(x[0]) is Area and not isinstance(ft.ones(2), Measured)


def test_dataclasses_and_enums():
    @dataclasses.dataclass
    class Tagged(ft.Tensor):
        tag: int = 3

    @dataclasses.dataclass
    class Pair:
        left: ft.Tensor
        right: ft.Tensor = dataclasses.field(default_factory=lambda: ft.ones(1))

    class Constant(enum.Enum):
        ONE = ft.tensor(1.0)

    x = ft.ones(2).as_subclass(Tagged)
    assert x.tag == 3 and type(x + 1) is Tagged
    assert dataclasses.asdict(Pair(ft.zeros(1))) == {"left": ft.zeros(1), "right": ft.ones(1)}
    assert Constant.ONE.value.item() == 1 and Constant["ONE"] is Constant.ONE


def test_a_metaclass_of_ones_own():
    class Meta(type(ft.Tensor)):
        def __new__(mcs, name, bases, namespace, tag=None):
            cls = super().__new__(mcs, name, bases, namespace)
            cls.tag = tag
            return cls

    class Marked(ft.Tensor, metaclass=Meta, tag=5):
        pass

    assert type(ft.ones(1).as_subclass(Marked) * 2).tag == 5


def test_they_pickle():
    for cls in (Field, Generic):
        x = pickle.loads(pickle.dumps(ft.arange(3.0).as_subclass(cls)))
        assert type(x) is cls and x.tolist() == [0, 1, 2]
    assert x.dtype is ft.float32 and ft.arange(3.0).as_subclass(Field).area() == 3.0
