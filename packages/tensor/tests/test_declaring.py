"""A declaration succeeds as a whole or has no effect."""

import re
from pathlib import Path

import numpy as np
import pytest

import flambeau_tensor as ft
from flambeau_overrides import get_overridable_functions, resolve_name
from flambeau_tensor.extend import (
    FLOATS,
    FUNCTION,
    INPLACE,
    METHOD,
    Elementwise,
    Operator,
    declared_operators,
    find_operator,
    forget,
    overloads,
)


def found():
    """Return everything that a rejected declaration might have changed."""
    listed = {str(place): len(functions) for place, functions in get_overridable_functions().items()}  # loads lazy ones
    methods = {name: id(value) for name, value in vars(ft.Tensor).items()}
    return declared_operators(), methods, listed, resolve_name(ft.add), ft.add.__torch_name__, repr(ft.add)


def test_a_second_add_is_refused_and_the_first_stays():
    before = found()
    with pytest.raises(ValueError, match="operator torch.add is declared twice"):
        Operator("add(Tensor self, Tensor other) -> Tensor", lambda a, b: a, variants=FUNCTION | METHOD, composite=True)
    assert found() == before
    assert find_operator("torch.add") is ft.add
    assert (ft.tensor([1.0]) + 1).tolist() == [2.0]


# Mistakes of contributors: the error's text, and that nothing is declared. The error is raised in the line of the
# declaration; errors that are found later (a missing result, a missing derivative) name that line.
SCHEMA = "wrong(Tensor self, int n, *, float eps=0.1) -> Tensor"
ADD = "wrong(Tensor self, Tensor other) -> Tensor"


def first(self, n, eps):
    return self


MISTAKES = {
    "a schema without a result": ("wrong(Tensor self)", first, {}, RuntimeError, "a schema reads"),
    "an unknown type": ("wrong(Tensr self) -> Tensor", first, {}, RuntimeError, "unknown type 'Tensr'"),
    "variants in a string": (SCHEMA, first, {"variants": "function"}, TypeError, "variants takes Variants, such as"),
    "numbers in a string": (SCHEMA, first, {"numbers": "self"}, TypeError, "numbers takes a set or tuple of names"),
    "numbers for no tensor": (SCHEMA, first, {"numbers": {"n"}}, ValueError, "'n'} names no tensor argument"),
    "unknown syntax": (SCHEMA, first, {"syntax": {"plus"}}, ValueError, "'plus' is no operator of Python's"),
    "in place without a tensor": (
        "wrong(int n) -> Tensor",
        lambda n: n,
        {"variants": INPLACE},
        ValueError,
        "no tensor first",
    ),
    "an unknown name in aten": (SCHEMA, first, {"aten": "wrong(Tensr self) -> Tensor"}, RuntimeError, "unknown type"),
    "fewer arguments in aten": (SCHEMA, first, {"aten": "wrong(Tensor self) -> Tensor"}, TypeError, "'n'"),
    "a function of fewer arguments": (SCHEMA, lambda self: self, {}, TypeError, "does not take the 3 arguments"),
    "no function": (SCHEMA, 3, {}, TypeError, "a kernel or a function is needed, not 3"),
    "a loop of more operands": (
        "wrong(Tensor self) -> Tensor",
        Elementwise("wrong", 2, np.add),
        {},
        ValueError,
        "2 operands",
    ),
    "a loop of fewer operands": (ADD, Elementwise("wrong", 1, np.exp), {}, ValueError, "1 operands"),
    "a loop for two results": (
        "wrong(Tensor self) -> (Tensor, Tensor)",
        Elementwise("wrong", 1, np.exp),
        {},
        ValueError,
        "computes one Tensor",
    ),
    "a parameter that is no argument": (
        "wrong(Tensor self) -> Tensor",
        Elementwise("wrong", 1, np.exp, params=("eps",)),
        {},
        ValueError,
        "'eps'",
    ),
    "a declared name": (
        "add(Tensor self, Tensor other) -> Tensor",
        lambda a, b: a,
        {},
        ValueError,
        "first at .*pointwise.py:",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_in_declarations(mistake):
    schema, implementation, how, error, says = MISTAKES[mistake]
    before = found()
    with pytest.raises(error, match=says):
        Operator(schema, implementation, **{"composite": callable(implementation), **how})
    assert found() == before
    assert not hasattr(ft.Tensor, "wrong")


@pytest.mark.parametrize(
    ("options", "error", "says"),
    [
        ({"nin": 2}, ValueError, "exp has 1 inputs, not 2"),
        ({"nin": 0}, ValueError, "1 to 5 operands, not 0"),
        ({"dtypes": "z"}, TypeError, "dtypes takes Dtypes, such as BOOLS | INTS, not 'z'"),
        ({"result": "bol"}, TypeError, "SAME, REAL_PART or a dtype, not 'bol'"),
        ({"refuse": {FLOATS: "no"}}, ValueError, "both accepted and refused"),
        ({"params": "eps"}, TypeError, "params takes a set or tuple of names, not 'eps'"),
        ({"loops": {"float23": 1}}, KeyError, "float23"),
        ({"loops": {"float32": "exp"}}, TypeError, "the loop for float32 is the address of a function, not 'exp'"),
    ],
)
def test_mistakes_in_kernels(options, error, says):
    given = {"name": "wrong", "nin": 1, "loops": np.exp, **options}
    with pytest.raises(error, match=re.escape(says)):
        Elementwise(**given)


def test_a_function_without_a_result():
    op = Operator("resultless(Tensor self) -> Tensor", lambda self: None, namespace="torch._test", composite=True)
    line = op.declared_at
    try:
        assert re.fullmatch(rf"{re.escape(__file__)}:\d+", line)
        says = f"torch._test.resultless, declared at {line}, returned None where its schema says Tensor"
        with pytest.raises(TypeError, match=re.escape(says)):
            op(ft.ones(2))
    finally:
        forget(op)


def test_helpers_are_passed_by_for_the_line():
    """A helper in the same file declares `exp`; the line is that of the helper's call."""
    file, _, line = ft.exp.declared_at.rpartition(":")
    assert Path(file).read_text().splitlines()[int(line) - 1].startswith("exp = ")


def test_overloads_are_declared_together():
    before = found()
    with pytest.raises(ValueError, match="twice"):
        overloads(
            find_operator("torch.amax"),
            "ours(Tensor self) -> Tensor",
            "ours(Tensor self, int[1] dim) -> Tensor",
            namespace="torch._ops",
            variants=FUNCTION,
        )
    assert found() == before
