"""Modes: the stack, the arguments of a handler, and the cost for functions that a mode does not handle."""

import asyncio
import gc
import threading

import pytest

import flambeau_overrides as overrides
from flambeau_overrides import BaseTorchFunctionMode, TorchFunctionMode, overridable


@overridable(namespace="lib")
def ones(size):
    return [1] * size


@overridable(namespace="lib")
def total(values):
    return sum(values)


def guarded(x):
    if overrides.has_torch_function((x,)):
        return overrides.handle_torch_function(guarded, (x,), x)
    return "own"


def stack():
    return overrides._get_current_function_mode_stack()


class Log(TorchFunctionMode):
    def __init__(self, log, name="mode"):
        super().__init__()
        self.log, self.name = log, name

    def __torch_function__(self, func, types, args=(), kwargs=None):
        self.log.append((self.name, func.__name__, types, args, kwargs))
        return func(*args, **(kwargs or {}))


class Duck:
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return "duck", stack()


def test_every_call_comes_by_even_without_arguments_that_override():
    log = []
    with Log(log):
        assert ones(2) == [1, 1]
        assert ones(size=1) == [1]
        assert guarded(5) == "own"
    ones(3)
    assert log == [
        ("mode", "ones", (), (2,), {}),
        ("mode", "ones", (), (), {"size": 1}),
        ("mode", "guarded", (), (5,), {}),
    ]


def test_modes_come_before_types_and_know_them():
    log, duck = [], Duck()
    with Log(log) as mode:
        assert total(duck)[0] == "duck"
        assert stack() == [mode]
    assert log == [("mode", "total", (Duck,), (duck,), {})]


def test_not_implemented_goes_on_to_the_types_with_the_mode_active():
    class Pass(TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            return NotImplemented

    with Log([]) as outer, Pass() as inner:
        assert total(Duck()) == ("duck", [outer, inner])


def test_modes_nest_innermost_first():
    log = []
    with Log(log, "outer"), Log(log, "inner"):
        ones(1)
    assert [entry[0] for entry in log] == ["inner", "outer"]


def test_handler_runs_with_its_mode_aside():
    seen = []

    class Look(TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            seen.append(stack())
            with self:
                seen.append(stack())
            with overrides.enable_reentrant_dispatch():
                seen.append(stack())
            seen.append(stack())

    with Log([]) as outer, Look() as look:
        ones(1)
        assert stack() == [outer, look]
    assert seen == [[outer], [outer, look], [outer, look], [outer]]


def test_stack_is_restored_after_an_error():
    class Raise(TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            raise ValueError

    with Raise() as mode:
        for call in (lambda: ones(1), lambda: guarded(1)):
            with pytest.raises(ValueError):
                call()
            assert stack() == [mode]
    assert stack() == []


def test_reentrant_dispatch_undoes_switches_and_ends_with_its_block():
    class Handler(TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            with overrides.DisableTorchFunctionSubclass():
                with overrides.enable_reentrant_dispatch():
                    inside = overrides.has_torch_function_unary(Duck())
                return inside, overrides.has_torch_function_unary(Duck())

    with Handler():
        assert ones(1) == (True, False)
    with pytest.raises(RuntimeError, match="outside of '__torch_function__'"), overrides.enable_reentrant_dispatch():
        pass


def test_switches():
    log = []
    with Log(log) as mode:
        with overrides.DisableTorchFunctionSubclass():
            total([])
            assert overrides.has_torch_function_unary(1)
        with overrides.DisableTorchFunction():
            assert ones(1) == [1]
            assert not overrides.has_torch_function_unary(Duck())
            assert not overrides._is_torch_function_mode_enabled()
            assert overrides._get_current_function_mode() is mode
            with overrides._enable_torch_function():
                ones(4)
            assert ones(1) == [1]
        assert overrides._is_torch_function_mode_enabled()
    assert [entry[1] for entry in log] == ["total", "ones"]
    assert overrides._is_torch_function_enabled()


def test_base_mode_passes_on():
    with BaseTorchFunctionMode():
        assert ones(2) == [1, 1]


def test_redispatch_with_the_mode_still_active():
    log = []

    @overridable(namespace="lib")
    def composed(n):
        return total(ones(n))

    class Deep(TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            log.append(func.__name__)
            with self:
                return overrides.redispatch_function(func, types, args, kwargs)

    with Deep():
        assert composed(3) == 3
    assert log == ["composed", "ones", "total"]


class TestHandles:
    class Selective(Log):
        __torch_function_handles__ = frozenset({ones})

    def test_other_functions_do_not_come_by(self):
        log = []
        with self.Selective(log):
            assert total([1, 2]) == 3
            assert guarded(1) == "own"
            assert total(Duck())[0] == "duck"
            ones(1)
        assert [entry[1] for entry in log] == ["ones"]

    def test_they_go_to_the_next_mode(self):
        log = []
        with Log(log, "outer") as outer, self.Selective(log, "inner") as inner:
            total([1])
            ones(1)
            assert stack() == [outer, inner]
        assert [entry[:2] for entry in log] == [("outer", "total"), ("inner", "ones"), ("outer", "ones")]

    def test_is_read_from_the_instance_too(self):
        log = []
        mode = Log(log)
        mode.__torch_function_handles__ = [total]
        with mode:
            ones(1)
            total([])
        assert [entry[1] for entry in log] == ["total"]


class TestStack:
    def test_push_and_pop(self):
        mode = Log([])
        assert overrides._get_current_function_mode() is None
        overrides._push_mode(mode)
        assert overrides._get_current_function_mode() is mode
        with overrides._pop_mode_temporarily() as popped:
            assert popped is mode and stack() == []
        assert overrides._pop_mode() is mode
        with pytest.raises(RuntimeError, match="trying to pop from empty mode stack"):
            overrides._pop_mode()

    def test_what_cannot_be_a_mode(self):
        class ByClass(TorchFunctionMode):
            @classmethod
            def __torch_function__(cls, func, types, args=(), kwargs=None):
                pass

        with pytest.raises(RuntimeError, match="as a classmethod is not supported"), ByClass():
            pass
        with pytest.raises(TypeError, match="int does not"):
            overrides._push_mode(5)
        with TorchFunctionMode(), pytest.raises(NotImplementedError):
            ones(1)
        assert stack() == []

    def test_old_spelling(self):
        with pytest.warns(UserWarning, match="no longer necessary"):
            mode = Log.push([])
        assert isinstance(mode, Log)

    def test_threads_have_their_own(self):
        log, seen = [], []
        with Log(log):
            thread = threading.Thread(target=lambda: seen.append((stack(), ones(1), guarded(1))))
            thread.start()
            thread.join()
        assert seen == [([], [1], "own")] and log == []

    def test_thread_that_ends_with_a_mode_leaves_nothing(self):
        class Tracked(BaseTorchFunctionMode):
            alive = 0

            def __init__(self):
                Tracked.alive += 1

            def __del__(self):
                Tracked.alive -= 1

        thread = threading.Thread(target=lambda: overrides._push_mode(Tracked()))
        thread.start()
        thread.join()
        gc.collect()
        assert Tracked.alive == 0
        assert ones(1) == [1]


def test_a_container_that_cannot_tell_lets_the_mode_decide():
    class Unsure:
        def __contains__(self, func):
            raise LookupError(func)

    class Unhashable(list):
        __name__ = "unhashable"

        def __call__(self, x):
            return overrides.handle_torch_function(self, (x,), x) if overrides.has_torch_function((x,)) else "own"

    log = []
    for handles, call in ((Unsure(), lambda: ones(1)), ({ones}, lambda: Unhashable()(1)), ([ones], lambda: ones(1))):
        mode = BaseTorchFunctionMode()
        mode.__torch_function_handles__ = handles
        with Log(log), mode:
            call()
            assert len(stack()) == 2
    assert len(log) == 3


# --- blocks that end in another order than they began ----------------------------------------------------------------


def test_a_suspended_generator_takes_its_own_mode_away():
    mode, outer = Log([]), Log([])

    def inside():
        with mode:
            yield

    generator = inside()
    next(generator)
    with outer:
        assert stack() == [mode, outer]
        generator.close()
        assert stack() == [outer]
        ones(2)
    assert len(outer.log) == 1 and mode.log == [] and stack() == []


def test_tasks_of_one_loop_share_the_stack_and_leave_it_empty():
    async def task(mode):
        with mode:
            await asyncio.sleep(0)
            assert mode in stack()
            await asyncio.sleep(0)
        assert mode not in stack()

    async def main():
        await asyncio.gather(*[task(Log([])) for _ in range(3)])

    asyncio.run(main())
    assert stack() == []


def test_a_block_ends_in_the_thread_in_which_it_began():
    mode, other, errors = Log([]), Log([]), []

    def run():
        with other:
            try:
                mode.__exit__(None, None, None)
            except RuntimeError as error:
                errors.append(str(error))
            assert stack() == [other]

    with mode:
        thread = threading.Thread(target=run)
        thread.start()
        thread.join()
        assert stack() == [mode]
    assert errors == ["Log is not among the active modes of this thread"]


@pytest.mark.parametrize("error", [KeyError, KeyboardInterrupt, SystemExit, GeneratorExit])
def test_any_error_in_nested_blocks_and_handlers_leaves_the_stack_as_it_was(error):
    class Raises(TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            with inner, self:
                assert stack() == [outer, inner, self]
                raise error

    outer, inner, mode = Log([]), Log([]), Raises()
    with outer, mode:
        for _ in range(3):
            with pytest.raises(error):
                ones(2)
            assert stack() == [outer, mode]
    assert stack() == [] and overrides._is_torch_function_enabled()
