"""Metadata: declaration, merging and attachment, for any library's base class."""

import pytest

from flambeau_overrides import DisableTorchFunctionSubclass, agreed, first, metadata, overridable, register_base


@overridable(namespace="grids")
def combine(grids, *others, scale=1):
    return Grid()


@overridable(namespace="grids")
def several(grid):
    return [Grid(), (Grid(), grid)], 5


class Grid:
    """A base class whose subclasses may declare metadata."""

    def __init__(self, **attributes):
        vars(self).update(attributes)

    def __init_subclass__(cls, **options):
        super().__init_subclass__(**options)
        cls.declares = metadata.declare(cls)

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        merged = metadata.merge(cls, func, args, kwargs)
        with DisableTorchFunctionSubclass():
            result = func(*args, **kwargs)
        result = cls._own(result)
        metadata.attach(result, cls, merged, args, kwargs)
        return result

    @classmethod
    def _own(cls, result):
        if isinstance(result, (list, tuple)):
            return type(result)(cls._own(item) for item in result)
        return cls() if type(result) is Grid else result


register_base(Grid)


class Map(Grid):
    __torch_metadata__ = {"unit": agreed, "source": first}


class Relief(Map):
    __torch_metadata__ = {"heights": sum}


def test_rules():
    assert first([3, 4]) == 3
    same = [1.0]
    assert agreed([same, same, [1.0]]) is same
    with pytest.raises(ValueError, match="'m' and 'km' do not agree"):
        agreed(["m", "m", "km"])


def test_declarations_add_up_along_the_bases():
    assert Relief.__torch_metadata__ == {"unit": agreed, "source": first, "heights": sum}
    assert Map.__torch_metadata__ == {"unit": agreed, "source": first}
    assert Map.declares and Relief.declares
    assert not type("Bare", (Grid,), {}).declares
    assert type("Other", (Map,), {"__torch_metadata__": {"unit": max}}).__torch_metadata__["unit"] is max


@pytest.mark.parametrize("wrong", [["unit"], {"unit": "first"}, {5: first}, "unit"])
def test_what_cannot_be_declared(wrong):
    with pytest.raises(TypeError, match=r"^Wrong\.__torch_metadata__ must be a dict from names of attributes to"):
        type("Wrong", (Grid,), {"__torch_metadata__": wrong})


def test_values_of_all_arguments_are_merged_from_left_to_right():
    a, b = Relief(unit="m", source="a", heights=1), Relief(unit="m", source="b", heights=20)
    for result in (combine(a, b), combine([a, 5, b]), combine((a,), scale=b), combine(5, a, b)):
        assert type(result) is Relief and vars(result) == {"unit": "m", "source": "a", "heights": 21}
    assert combine(b, a).source == "b"


def test_what_an_argument_lacks_is_not_asked_for():
    assert vars(combine(Map(unit="m"), Map(source="b"))) == {"unit": "m", "source": "b"}
    assert vars(combine(Map(), Map())) == {}
    # Arguments of the base class, or of an unrelated class with such an attribute, declare no metadata.
    stranger = type("Stranger", (), {"unit": "km"})()
    assert vars(combine(Map(unit="m"), Grid(unit="ft"), stranger)) == {"unit": "m"}


def test_only_what_is_new_gets_metadata():
    a = Map(unit="m")
    result = several(a)
    (one, (two, again)), number = result
    assert (one.unit, two.unit, number) == ("m", "m", 5) and again is a and vars(a) == {"unit": "m"}


def test_a_rule_that_raises_says_where():
    with pytest.raises(ValueError, match="do not agree") as error:
        combine(Map(unit="m"), Map(unit="km"))
    assert error.value.__notes__ == ["(merging Map.unit for combine())"]
