"""Dispatch: which handlers are called, in what order and how, and what happens if all decline."""

import subprocess
import sys
import textwrap
import threading
import traceback
import warnings

import pytest

import flambeau_overrides as overrides
from flambeau_overrides import overridable
from flambeau_overrides._dispatch import overloaded_args


@overridable(namespace="lib")
def add(input, other, *, alpha=1):
    return input + alpha * other


@overridable(namespace="lib")
def cat(tensors, dim=0):
    return ["plain", len(tensors)]


class Duck:
    """Returns the arguments of its handler."""

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return cls, func, types, args, kwargs


class SubDuck(Duck):
    pass


class Decline:
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return NotImplemented


class AlsoDecline(Decline):
    pass


def refusing(log):
    """Return three types that log their handlers' calls and decline; the second is a subclass of the first."""

    class First:
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            log.append((cls.__name__, [t.__name__ for t in types]))
            return NotImplemented

    class Second(First):
        pass

    class Other:
        __torch_function__ = classmethod(First.__torch_function__.__func__)

    return First, Second, Other


class TestCall:
    def test_plain_call_reaches_the_function(self):
        assert add(2, 3) == 5
        assert add(2, other=3, alpha=10) == 32
        assert cat([1, 2, 3]) == ["plain", 3]

    def test_handler_gets_function_types_and_unchanged_arguments(self):
        duck = Duck()
        assert add(duck, 3) == (Duck, add, (Duck,), (duck, 3), {})
        assert add(3, duck, alpha=2) == (Duck, add, (Duck,), (3, duck), {"alpha": 2})
        assert add(input=1, other=duck) == (Duck, add, (Duck,), (), {"input": 1, "other": duck})

    def test_lists_and_tuples_are_looked_into_one_level_deep(self):
        duck = Duck()
        assert cat([1, 2, duck])[3] == ([1, 2, duck],)
        assert cat(tensors=(duck,))[4] == {"tensors": (duck,)}
        assert cat([[duck]]) == ["plain", 1]
        assert cat({1: duck}) == ["plain", 1]

    def test_static_method(self):
        class Static:
            @staticmethod
            def __torch_function__(func, types, args=(), kwargs=None):
                return "static", types

        assert add(Static(), 1) == ("static", (Static,))

    def test_any_descriptor_binds_as_usual(self):
        class Handler:
            def __call__(self, func, types, args, kwargs):
                return "callable object"

        class Descriptor:
            def __get__(self, instance, owner):
                return lambda func, types, args, kwargs: (instance, owner)

        assert add(type("A", (), {"__torch_function__": Handler()})(), 1) == "callable object"
        B = type("B", (), {"__torch_function__": Descriptor()})
        b = B()
        assert add(b, 1) == (b, B)

    def test_class_may_gain_replace_and_lose_its_handler(self):
        class Late:
            def __add__(self, other):
                return "own"

        late = Late()
        assert add(late, 1) == "own"
        Late.__torch_function__ = classmethod(lambda cls, *args: "first")
        assert add(late, 1) == "first"
        Late.__torch_function__ = classmethod(lambda cls, *args: "second")
        assert add(late, 1) == "second"
        del Late.__torch_function__
        assert add(late, 1) == "own"

    def test_only_the_type_counts(self):
        class Plain:
            def __add__(self, other):
                return "own"

        plain = Plain()
        plain.__torch_function__ = lambda *args: "instance"
        assert add(plain, 1) == "own"
        # A class that is passed as an argument is not one of its instances.
        assert cat((Duck,)) == ["plain", 1]

    def test_super_reaches_the_base(self):
        class Sub(Duck):
            @classmethod
            def __torch_function__(cls, func, types, args=(), kwargs=None):
                return ("sub", *super().__torch_function__(func, types, args, kwargs))

        assert add(Sub(), 1)[:3] == ("sub", Sub, add)

    def test_two_threads_do_not_share_switches(self):
        seen = []
        with overrides.DisableTorchFunctionSubclass():
            thread = threading.Thread(target=lambda: seen.append(add(Duck(), 1)[0]))
            thread.start()
            thread.join()
        assert seen == [Duck]


class TestOrder:
    @pytest.mark.parametrize(
        "positions, expected",
        [
            ((0, 2), ["First", "Other"]),
            ((2, 0), ["Other", "First"]),
            ((0, 1), ["Second", "First"]),
            ((1, 0), ["Second", "First"]),
            ((2, 0, 1), ["Other", "Second", "First"]),
            ((0, 2, 1), ["Second", "First", "Other"]),
            ((0, 0, 0), ["First"]),
        ],
    )
    def test_subclasses_first_then_left_to_right(self, positions, expected):
        log = []
        types = refusing(log)
        with pytest.raises(TypeError):
            cat([types[i]() for i in positions])
        assert log == [(name, expected) for name in expected]

    def test_first_answer_wins(self):
        assert cat([Decline(), Duck()])[0] is Duck
        assert cat([Decline(), SubDuck(), Duck()])[0] is SubDuck

    def test_order_is_by_inheritance_and_asks_no_metaclass(self):
        class Claims(type):
            def __subclasscheck__(cls, other):
                raise AssertionError("asked")

        class Base(metaclass=Claims):
            @classmethod
            def __torch_function__(cls, func, types, args=(), kwargs=None):
                return types

        class Derived(Base):
            pass

        assert cat([Base(), Duck(), Derived()]) == (Derived, Base, Duck)

    def test_arguments_are_collected_in_order(self):
        duck, sub = Duck(), SubDuck()
        assert overloaded_args([1, duck, None, Duck(), sub]) == [sub, duck]


class TestNobodyAnswers:
    def test_text(self):
        with pytest.raises(TypeError) as error:
            cat([Decline(), Decline(), AlsoDecline(), *(t() for t in refusing([])[::2])])
        lines = str(error.value).split("\n")
        assert lines[:2] == [
            "Multiple dispatch failed for 'lib.cat'; all __torch_function__ handlers returned NotImplemented:", ""
        ]  # fmt: skip
        assert lines[2:4] == [f"  - tensor subclass {AlsoDecline!r}", f"  - tensor subclass {Decline!r}"]
        assert [line.rpartition(".")[2] for line in lines[4:6]] == ["First'>", "Other'>"]
        assert lines[6:] == [
            "",
            "no implementation found for 'lib.cat' on types that implement __torch_function__: "
            "[AlsoDecline, Decline, First, Other]",
        ]

    def test_function_names_itself(self):
        class Operator:
            __torch_name__ = "torch.add"

            def __call__(self, a):
                return overrides.handle_torch_function(self, (a,), a)

        with pytest.raises(TypeError, match=r"no implementation found for 'torch\.add' .*: \[<class '.*Decline'>\]$"):
            Operator()(Decline())

    def test_unregistered_function_goes_by_module_and_name(self):
        def local(x):
            return overrides.handle_torch_function(local, (x,), x)

        with pytest.raises(TypeError, match=rf"found for '{__name__}\.local' on"):
            local(Decline())

    def test_mode_is_mentioned(self):
        class Pass(overrides.TorchFunctionMode):
            def __torch_function__(self, func, types, args=(), kwargs=None):
                return NotImplemented

            def __repr__(self):
                return "<Pass>"

        def local(x):
            return overrides.handle_torch_function(local, (x,), x)

        with pytest.raises(TypeError, match=r"mplemented:\n\n  - mode object <Pass>\n  - tensor subclass .*D"), Pass():
            add(Decline(), 1)
        with pytest.raises(TypeError, match=r"NotImplemented:\n\n  - mode object <Pass>$"), Pass():
            add(1, 1)
        with pytest.raises(TypeError, match=r": \[<class '.*\.Decline'>\] nor in mode <Pass>$"), Pass():
            local(Decline())
        with pytest.raises(TypeError, match=r": \[\] nor in mode <Pass>$"), Pass():
            local(1)

    @pytest.mark.parametrize("handler", [None, 5, "handler"])
    def test_handler_that_cannot_be_called(self, handler):
        Odd = type("Odd", (), {"__torch_function__": handler})
        with pytest.raises(TypeError, match=r"^Odd\.__torch_function__ must be a method, not \w+$"):
            add(Odd(), 1)

    def test_error_of_a_handler_comes_through_with_its_frame(self):
        class Broken:
            @classmethod
            def __torch_function__(cls, func, types, args=(), kwargs=None):
                raise KeyError("mine")

        with pytest.raises(KeyError, match="mine") as error:
            add(Broken(), 1)
        frames = [frame.name for frame in traceback.extract_tb(error.value.__traceback__)]
        assert frames[0] == "test_error_of_a_handler_comes_through_with_its_frame"
        assert frames[-1] == "__torch_function__"


class TestPlainMethod:
    def test_a_compiled_function_warns_once_in_a_process(self):
        code = """
            import warnings, flambeau_overrides as overrides

            def make(name):
                handler = lambda self, func, types, args=(), kwargs=None: (self, args)
                return type(name, (), {"__torch_function__": handler})

            @overrides.overridable
            def add(a, b): ...

            one, two = make("One")(), make("Two")()
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                assert add(one, 1) == (one, (one, 1))
                assert add(1, one) == (one, (1, one))
                assert add(two, 1)[0] is two
            print([w.category.__name__ for w in caught], caught[0].filename, caught[0].message)
        """
        done = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=True)
        assert done.stdout == (
            "['UserWarning'] <string> Defining your `__torch_function__` as a plain method is deprecated and will be "
            "an error in future, please define it as a classmethod.\n"
        )

    def test_a_function_in_python_warns_at_every_call(self):
        def guarded(x):
            return overrides.handle_torch_function(guarded, (x,), x)

        class Plain:
            def __torch_function__(self, func, types, args=(), kwargs=None):
                return 1

        for _ in range(2):
            with pytest.warns(DeprecationWarning, match="Defining your `__torch_function__ as a plain method is depre"):
                assert guarded(Plain()) == 1

    def test_warning_points_to_the_caller_of_a_guarded_function(self):
        def guarded(x):
            return overrides.handle_torch_function(guarded, (x,), x)

        class Plain:
            def __torch_function__(self, func, types, args=(), kwargs=None):
                return 1

        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            guarded(Plain())
        here = self.test_warning_points_to_the_caller_of_a_guarded_function.__func__.__code__
        assert caught[0].lineno > here.co_firstlineno + 3


class TestSelfCall:
    """A handler that calls its function with its own arguments."""

    def test_is_told_by_name(self):
        class Loop:
            @classmethod
            def __torch_function__(cls, func, types, args=(), kwargs=None):
                return func(*args, **(kwargs or {}))

        text = r"^Loop\.__torch_function__ calls 'lib\.{}' again on the arguments that it was given"
        with pytest.raises(RecursionError, match=text.format("add")):
            add(Loop(), 1, alpha=3)
        with pytest.raises(RecursionError, match=text.format("cat")):
            cat([Loop(), 1])

    def test_rebuilt_containers_are_the_same_arguments(self):
        class Rebuild:
            @classmethod
            def __torch_function__(cls, func, types, args=(), kwargs=None):
                return func(*[list(a) if isinstance(a, list) else a for a in args], **dict(kwargs))

        with pytest.raises(RecursionError, match="Rebuild"):
            cat([Rebuild(), 1], dim=1)

    def test_two_functions_that_call_each_other(self):
        class PingPong:
            @classmethod
            def __torch_function__(cls, func, types, args=(), kwargs=None):
                return cat(args) if func is add else add(*args[0])

        with pytest.raises(RecursionError, match="PingPong"):
            add(PingPong(), 1)

    def test_mode_inside_itself(self):
        class Again(overrides.TorchFunctionMode):
            def __torch_function__(self, func, types, args=(), kwargs=None):
                with self:
                    return func(*args, **(kwargs or {}))

        with pytest.raises(RecursionError, match=r"Again.*with self"), Again():
            add(1, 1)
        assert add(1, 1) == 2

    def test_a_flag_of_its_own_is_fine(self):
        class Guarded:
            busy = 0

            @classmethod
            def __torch_function__(cls, func, types, args=(), kwargs=None):
                if cls.busy == 2:
                    return "inner"
                cls.busy += 1
                try:
                    return func(*args, **(kwargs or {}))
                finally:
                    cls.busy -= 1

        assert add(Guarded(), 1) == "inner"

    def test_deep_calls_on_different_arguments_are_fine(self):
        class Peel:
            def __init__(self, depth):
                self.depth = depth

            @classmethod
            def __torch_function__(cls, func, types, args=(), kwargs=None):
                depth = args[0].depth
                return func(Peel(depth - 1), 0) if depth else "bottom"

        assert add(Peel(150), 0) == "bottom"

    def test_state_is_clean_afterwards(self):
        self.test_is_told_by_name()
        assert add(Duck(), 1)[0] is Duck
        assert add(1, 2) == 3


class TestSwitches:
    def test_subclass_switch(self):
        with overrides.DisableTorchFunctionSubclass():
            assert cat([Duck()]) == ["plain", 1]
            assert not overrides.has_torch_function((Duck(),))
        assert cat([Duck()])[0] is Duck

    def test_switches_nest_and_end_with_errors(self):
        outer = overrides.DisableTorchFunctionSubclass()
        with outer, outer:
            with pytest.raises(ValueError), overrides.DisableTorchFunction():
                raise ValueError
            assert cat([Duck()]) == ["plain", 1]
        assert cat([Duck()])[0] is Duck

    def test_leaving_without_entering_does_nothing(self):
        overrides.DisableTorchFunction().__exit__(None, None, None)
        overrides.DisableTorchFunctionSubclass().__exit__(None, None, None)
        assert cat([Duck()])[0] is Duck

    def test_disabled_handler_takes_a_class_out(self):
        class Out(Duck):
            __torch_function__ = overrides._disabled_torch_function_impl

        class OutToo(Duck):
            __torch_function__ = staticmethod(overrides._disabled_torch_function_impl)

        for cls in (Out, OutToo):
            assert not overrides.has_torch_function((cls(),))
            assert cat([cls(), cls()]) == ["plain", 2]
            assert cat([cls(), Duck()])[2] == (Duck,)

    def test_disabled_handler_called_directly(self):
        assert overrides._disabled_torch_function_impl(cat, (), ([Duck()],), {"dim": 1}) == ["plain", 1]
        assert overrides._disabled_torch_function_impl(cat, (), ([Duck()],)) == ["plain", 1]
        assert cat([Duck()])[0] is Duck


@pytest.fixture(scope="module")
def Base():
    class Base:
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            return cls, types

    assert cat([Base()]) == (Base, (Base,))
    assert overrides.register_base(Base) is Base
    return Base


class TestRegisteredBase:
    def test_exact_instances_are_not_asked(self, Base):
        assert cat([Base()]) == ["plain", 1]
        assert not overrides.has_torch_function((Base(),))
        assert overrides.is_tensor_like(Base())
        assert cat([Base(), Duck()])[2] == (Duck,)

    def test_subclasses_are(self, Base):
        class Sub(Base):
            pass

        assert cat([Base(), Sub()]) == (Sub, (Sub,))

    def test_registering_again_changes_nothing(self, Base):
        assert overrides.register_base(Base) is Base

    def test_needs_a_class_with_a_handler(self):
        with pytest.raises(TypeError, match="int does not define __torch_function__"):
            overrides.register_base(int)
        with pytest.raises(TypeError, match="must be a class, not int"):
            overrides.register_base(5)


class TestByHand:
    def test_has_torch_function(self):
        duck = Duck()
        assert overrides.has_torch_function((1, duck)) is True
        assert overrides.has_torch_function([1, "a", None]) is False
        assert overrides.has_torch_function(iter([duck])) is True
        assert overrides.has_torch_function(()) is False
        assert overrides.has_torch_function_unary(duck) is True
        assert overrides.has_torch_function_unary(1) is False
        assert overrides.has_torch_function_variadic(1, duck) is True
        assert overrides.has_torch_function_variadic() is False
        with pytest.raises(TypeError, match="expected a sequence"):
            overrides.has_torch_function(5)

    def test_handle_torch_function_asks_the_relevant_arguments_only(self):
        duck, sub = Duck(), SubDuck()

        def guarded(a, b, *, c=None):
            return overrides.handle_torch_function(guarded, (a,), a, b, c=c)

        assert guarded(duck, sub, c=1) == (Duck, guarded, (Duck,), (duck, sub), {"c": 1})
        with pytest.raises(TypeError, match=r"on types that implement __torch_function__: \[\]$"):
            guarded(1, sub)

    def test_keywords_may_have_any_name(self):
        def guarded(x, **kwargs):
            return overrides.handle_torch_function(guarded, (x,), x, **kwargs)

        names = {"public_api": 1, "relevant_args": 2, "func": 3}
        assert guarded(Duck(), **names)[4] == names

    def test_wrap_torch_function(self):
        @overrides.wrap_torch_function(lambda a, b=None: (a,))
        def first(a, b=None):
            "Doc."
            return a, b

        duck = Duck()
        assert first(1, b=duck) == (1, duck)
        assert first(duck, b=1) == (Duck, first, (Duck,), (duck,), {"b": 1})
        assert (first.__name__, first.__doc__) == ("first", "Doc.")

    def test_is_tensor_like(self):
        assert overrides.is_tensor_like(Duck())
        assert not any(overrides.is_tensor_like(x) for x in (6, None, "a", object()))

    def test_redispatch_skips_one_level(self):
        log = []

        @overridable(namespace="lib")
        def outer(x):
            return "outer", inner(x)

        @overridable(namespace="lib")
        def inner(x):
            return "inner"

        class Log:
            @classmethod
            def __torch_function__(cls, func, types, args=(), kwargs=None):
                log.append(func.__name__)
                return overrides.redispatch_function(func, types, args, kwargs)

        assert outer(Log()) == ("outer", "inner")
        assert log == ["outer", "inner"]

        def guarded(x):
            if overrides.has_torch_function_unary(x):
                return overrides.handle_torch_function(guarded, (x,), x)
            return inner(x)

        log.clear()
        assert guarded(Log()) == "inner"
        assert log == ["guarded", "inner"]
