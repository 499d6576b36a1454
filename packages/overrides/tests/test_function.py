"""`overridable`: the result behaves like the wrapped function in every other respect."""

import copy
import gc
import inspect
import pickle
import weakref

import pytest

from flambeau_overrides import get_overridable_functions, overridable


@overridable
def scale(x, factor=2, *rest, offset=0, **more):
    """Scales."""
    return x * factor + offset, rest, more


class Duck:
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return func, args, kwargs


def test_looks_like_the_function():
    assert scale.__name__ == scale.__qualname__ == "scale"
    assert scale.__module__ == __name__
    assert scale.__doc__ == "Scales."
    assert inspect.signature(scale) == inspect.signature(scale.__wrapped__)
    assert repr(scale) == f"<overridable function {__name__}.scale>"
    assert scale.__defaults__ == (2,) and scale.__kwdefaults__ == {"offset": 0}


@pytest.mark.parametrize(
    "args, kwargs", [((3,), {}), ((3, 4), {"offset": 1}), ((1, 2, 3, 4), {"k": 1}), ((), {"x": 1})]
)
def test_calls_like_the_function(args, kwargs):
    expected = scale.__wrapped__(*args, **kwargs)
    assert scale(*args, **kwargs) == expected
    assert scale.__call__(*args, **kwargs) == expected
    duck = Duck()
    assert scale(duck, *args, **{k: v for k, v in kwargs.items() if k != "x"})[0] is scale


def test_errors_are_those_of_the_function():
    with pytest.raises(TypeError, match=r"scale\(\) missing 1 required positional argument: 'x'"):
        scale()
    with pytest.raises(TypeError, match="must be callable, not int"):
        overridable(5, namespace="lib", name="five")


def test_overriding_type_among_all_kinds_of_arguments():
    duck = Duck()
    assert scale(duck) == (scale, (duck,), {})
    assert scale(1, 2, 3, duck) == (scale, (1, 2, 3, duck), {})
    assert scale(1, more=duck) == (scale, (1,), {"more": duck})
    assert scale(1, more=[None, (), duck]) == (scale, (1,), {"more": [None, (), duck]})


def test_copies_and_pickles_by_name():
    assert pickle.loads(pickle.dumps(scale)) is scale
    assert copy.copy(scale) is scale
    assert copy.deepcopy([scale])[0] is scale


def test_takes_attributes_and_weak_references():
    @overridable(namespace="lib.temporary")
    def function(x):
        return x

    function.note = 1
    assert function.note == 1
    assert weakref.ref(function)() is function


def test_arguments_are_not_kept():
    class Thing:
        pass

    thing, duck = Thing(), Duck()
    overridden = overridable(lambda *args, **kwargs: None, namespace="lib", name="drop")
    overridden(thing, key=[thing])
    overridden(thing, duck, key=[thing])
    reference = weakref.ref(thing)
    del thing
    gc.collect()
    assert reference() is None


def test_binds_only_as_a_method():
    class Holder:
        @overridable(namespace="lib.Holder")
        def plain(*args):
            return args

        @overridable(namespace="lib.Holder", method=True)
        def method(self, x=None):
            return self, x

    holder, duck = Holder(), Duck()
    assert holder.plain(1) == (1,)
    assert holder.method(1) == (holder, 1)
    bound = holder.method
    assert bound(x=2) == (holder, 2)
    assert Holder.method(holder) == (holder, None)
    assert holder.method(duck) == (Holder.__dict__["method"], (holder, duck), {})


def test_registers_itself():
    import sys

    assert scale in get_overridable_functions()[sys.modules[__name__]]
