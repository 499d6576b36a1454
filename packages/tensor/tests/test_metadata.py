"""Metadata that a subclass of Tensor declares is preserved by operations, views, copies and pickles."""

import copy
import pickle

import pytest

import flambeau_tensor as ft
from flambeau_overrides import agreed, first


def joined(values):
    return [item for value in values for item in value]


class Image(ft.Tensor):
    __torch_metadata__ = {"unit": agreed, "history": joined}


class Photo(Image):
    __torch_metadata__ = {"iso": max}


class Quiet(Image):
    """Overrides, and forwards calls."""

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return super().__torch_function__(func, types, args, kwargs)


def image(values=((1.0, 2.0), (3.0, 4.0)), cls=Image, **metadata):
    t = ft.tensor(values).as_subclass(cls)
    vars(t).update(metadata)
    return t


@pytest.fixture(params=[Image, Photo, Quiet])
def a(request):
    return image(cls=request.param, unit="m", history=["a"])


OPERATIONS = {
    "function": lambda x: ft.exp(x),
    "method": lambda x: x.add(1),
    "keyword": lambda x: x.sum(dim=0),
    "operator": lambda x: 2 - x,
    "number": lambda x: x * 3,
    "comparison": lambda x: x < 2,
    "view": lambda x: x.view(4),
    "transpose": lambda x: x.t(),
    "attribute": lambda x: x.T,
    "index": lambda x: x[0],
    "slice": lambda x: x[:, 1:],
    "mask": lambda x: x[x > 2],
    "clone": lambda x: x.clone(),
    "dtype": lambda x: x.double(),
    "to": lambda x: x.to(ft.float64),
    "like": lambda x: ft.zeros_like(x),
    "new": lambda x: x.new_ones(3),
    "list": lambda x: ft.cat([ft.ones(1, 2), x]),
    "tuple of results": lambda x: x.max(0),
    "pieces": lambda x: x.split(1),
    "iteration": lambda x: list(x),
    "nested": lambda x: ft.broadcast_tensors(x, ft.ones(2, 2))[0],
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda x: pickle.loads(pickle.dumps(x)),
}


@pytest.mark.parametrize("operation", OPERATIONS.values(), ids=OPERATIONS)
def test_it_survives(a, operation):
    result = operation(a)
    for t in result if isinstance(result, (tuple, list)) else [result]:
        assert type(t) is type(a) and (t.unit, set(t.history)) == ("m", {"a"})
    assert vars(a) == {"unit": "m", "history": ["a"]}


def test_values_are_merged(a):
    b = image(unit="m", history=["b"])
    assert (a + b).history == ["a", "b"] and (b + a).history == ["b", "a"]
    assert ft.stack([b, a, b]).history == ["b", "a", "b"]
    assert ft.add(b, other=a, alpha=2).history == ["b", "a"]
    assert ft.where(ft.ones(2, 2) > 0, a, b).history == ["a", "b"]


def test_the_lowest_class_decides_with_the_rules_of_all():
    a, b = image(unit="m"), image(cls=Photo, unit="m", iso=100)
    for result in (a + b, b + a):
        assert type(result) is Photo and vars(result) == {"unit": "m", "iso": 100}
    assert (b + image(cls=Photo, iso=400)).iso == 400


def test_a_rule_that_objects_stops_the_operation_before_it_begins(a):
    feet = image(unit="ft")
    for operation in (lambda: a + feet, lambda: a.add_(feet), lambda: a.copy_(feet), lambda: a.mul_(1).sub_(feet)):
        with pytest.raises(ValueError, match="'m' and 'ft' do not agree") as error:
            operation()
        assert error.value.__notes__[0].startswith(f"(merging {type(a).__name__}.unit for ")
        assert a.tolist() == [[1, 2], [3, 4]] and a.unit == "m"


def test_tensors_that_are_arguments_keep_their_own(a):
    b = image(unit="m", history=["b"])
    assert a.add_(b) is a and a.history == ["a"]
    assert a.contiguous() is a and a.history == ["a"]
    out = image(unit="m", history=["out"])
    assert ft.add(a, b, out=out) is out and out.history == ["out"]


def test_facts_are_not_asked_to_agree():
    counted = []

    class Counting(ft.Tensor):
        __torch_metadata__ = {"mark": lambda values: counted.append(values) or values[0]}

    c = image(cls=Counting, mark=1)
    assert (c.shape, c.ndim, c.dtype, c.tolist()) == ((2, 2), 2, ft.float32, [[1, 2], [3, 4]])
    assert counted == []
    c + c
    assert counted == [[1, 1]]


def test_defaults_of_the_class_count_as_values():
    class Measured(ft.Tensor):
        __torch_metadata__ = {"unit": agreed}
        unit = "1"

    assert vars(Measured([1.0]) + 1) == {"unit": "1"}
    with pytest.raises(ValueError, match="'1' and 'm' do not agree"):
        Measured([1.0]) + image([1.0], Measured, unit="m")


def test_slots_work_as_well():
    class Slotted(ft.Tensor):
        __slots__ = ("unit",)
        __torch_metadata__ = {"unit": first}

    s = ft.ones(2).as_subclass(Slotted)
    s.unit = "m"
    assert (s + 1).unit == s[0].unit == copy.copy(s).unit == "m"


def test_declarations_are_checked_when_the_class_is_made():
    with pytest.raises(TypeError, match=r"^Bad\.__torch_metadata__ must be a dict"):
        type("Bad", (ft.Tensor,), {"__torch_metadata__": ["unit"]})


def test_a_class_without_declaration_costs_and_keeps_nothing():
    class Bare(ft.Tensor):
        pass

    b = ft.ones(2).as_subclass(Bare)
    b.unit = "m"
    assert vars(b + 1) == {}
