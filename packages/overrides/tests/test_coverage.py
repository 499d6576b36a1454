"""The coverage report: the functions that a type handles, refuses and misses, determined by trying them."""

import subprocess
import sys
import textwrap
from types import WrapperDescriptorType

import pytest

import flambeau_overrides as overrides
from flambeau_overrides import overridable
from flambeau_overrides.coverage import coverage, sample_arguments


@overridable(namespace="tables")
def total(values):
    return sum(values)


@overridable(namespace="tables")
def scaled(values, factor: float, *, names: "list[str]", offset=0):
    return [values * factor + offset for _ in names]


@overridable(namespace="tables")
def joined(lists: "Sequence[Values]"):  # noqa: F821
    return [item for values in lists for item in values]


@overridable(namespace="tables")
def spread(*lists):
    return len(lists)


FUNCTIONS = [total, scaled, joined, spread]


class Table:
    """Handles the functions in its table."""

    handled = {}

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return cls.handled[func](*args, **kwargs) if func in cls.handled else NotImplemented


def test_arguments_fit_the_signature():
    example = object()
    assert sample_arguments(total, example) == ((example,), {})
    assert sample_arguments(scaled, example) == ((example, 1.0), {"names": [""]})
    assert sample_arguments(joined, example) == (([example],), {})
    assert sample_arguments(spread, example) == ((example,), {})
    assert sample_arguments(type, example) == ((example,), {})  # a built-in without a signature

    def annotated(a: int, b: "float | None", c: str, d: "Values | Number", e: "tuple[int, ...]", f: bool, **more): ...  # noqa: F821

    assert sample_arguments(annotated, example) == ((1, 1.0, "", example, [1], True), {})


def test_three_fates():
    class Some(Table):
        handled = {total: lambda values: 5, joined: lambda lists: lists.missing}

    found = coverage(Some(), FUNCTIONS)
    assert (found.cls, found.handled, found.refused) == (Some, [total], [scaled, spread])
    assert list(found.missed) == [joined] and isinstance(found.missed[joined], AttributeError)
    assert str(found) == textwrap.dedent("""\
        Some handles 1 of 4 overridable functions, refuses 2 and misses 1.

        Handled
          tables: total

        Refused
          tables: scaled, spread

        Missed
          tables.joined: AttributeError: 'list' object has no attribute 'missing'""")


def test_a_wrapper_handles_what_it_passes_on_even_if_the_trial_fails():
    class Wrapper:
        def __init__(self):
            self.values = 2

        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            return func(*[getattr(a, "values", a) for a in args], **kwargs)

    found = coverage(Wrapper(), FUNCTIONS)
    # total() itself raises for a number instead of a list; joined() gets a list, whose items the wrapper does not
    # examine.
    assert found.handled == [total, scaled, spread]
    assert list(found.missed) == [joined] and "calls 'tables.joined' again" in str(found.missed[joined])


def test_all_listed_functions_by_default():
    found = coverage(Table())
    listed = {
        f
        for group in overrides.get_overridable_functions().values()
        for f in group
        if not isinstance(f, WrapperDescriptorType)
    }  # slot wrappers of Python's syntax: handlers receive the method
    assert set(found.refused) == listed >= set(FUNCTIONS) and not found.handled


def test_both_spellings_and_what_is_no_handler():
    class Plain:
        def __torch_function__(self, func, types, args=(), kwargs=None):
            return self is args[0]

    assert coverage(Plain(), [total]).handled == [total]
    with pytest.raises(TypeError, match="int has no __torch_function__: it overrides nothing"):
        coverage(5)


@pytest.fixture
def run(tmp_path):
    (tmp_path / "shapes.py").write_text(
        textwrap.dedent("""
        from flambeau_overrides import overridable

        @overridable
        def area(shape): ...

        @overridable(namespace="shapes.names")
        def name(shape): ...

        class Square:
            def __init__(self, side):
                self.side = side

            @classmethod
            def __torch_function__(cls, func, types, args=(), kwargs=None):
                return args[0].side ** 2 if func is area else NotImplemented

        class Unfinished(Square):
            def __init__(self):
                pass

        square = Square(3)

        def make():
            return Square(4)
    """)
    )

    def run(*arguments):
        return subprocess.run(
            [sys.executable, "-m", "flambeau_overrides", *arguments], cwd=tmp_path, capture_output=True, text=True
        )

    return run


@pytest.mark.parametrize("target", ["shapes:Square(2)", "shapes:square", "shapes:make", "shapes:Square(side=2)"])
def test_command_line(run, target):
    done = run(target)
    assert done.returncode == 0, done.stderr
    assert done.stdout == textwrap.dedent("""\
        Square handles 1 of 2 overridable functions, refuses 1 and misses 0.

        Handled
          shapes: area

        Refused
          shapes.names: name
    """)


def test_command_line_in_one_namespace(run):
    assert run("shapes:square", "--namespace", "shapes").stdout.startswith("Square handles 1 of 1 ")
    assert run("shapes:square", "--namespace", "shapes.names").stdout.startswith("Square handles 0 of 1 ")


def test_command_line_says_what_is_missed(run):
    done = run("shapes:Unfinished")
    assert done.returncode == 1
    assert "Missed\n  shapes.area: AttributeError: 'Unfinished' object has no attribute 'side'" in done.stdout


@pytest.mark.parametrize(
    "arguments, text",
    [
        (["shapes:Square"], "missing 1 required positional argument: 'side'. Give the arguments, as in"),
        (["shapes"], "'shapes' does not name a type"),
        (["shapes:Circle"], "name 'Circle' is not defined"),
        (["nowhere:Circle"], "No module named 'nowhere'"),
        (["shapes:5"], "int has no __torch_function__"),
        (
            ["shapes:square", "--namespace", "shapes.colours"],
            "no overridable functions in a namespace 'shapes.colours'",
        ),
    ],
)
def test_command_line_errors_are_one_line(run, arguments, text):
    done = run(*arguments)
    assert done.returncode == 2 and not done.stdout
    assert text in done.stderr and done.stderr.count("\n") == 1
