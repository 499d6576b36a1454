"""Calling bound functions: arguments, keywords, results, errors, and what help and inspect show."""

import inspect
import math

import numpy as np
import pytest

import flambeau_cext as cext

SOURCE = r"""
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stddef.h>
#include <string.h>

static int called = 0;
double line(double x, double a, float b) { called++; return a * x + b; }
int times_called(void) { return called; }
void nothing(void) {}
bool negated(bool flag) { return !flag; }
const char *tail(const char *text, int64_t start) {
    return start > (int64_t)strlen(text) ? NULL : text + start;
}
#define SAME(type, name) type same_##name(type value) { return value; }
SAME(signed char, schar) SAME(unsigned char, uchar) SAME(short, short) SAME(unsigned short, ushort)
SAME(int, int) SAME(unsigned, uint) SAME(long, long) SAME(unsigned long, ulong)
SAME(long long, longlong) SAME(unsigned long long, ulonglong)
SAME(int8_t, i8) SAME(uint8_t, u8) SAME(int32_t, i32) SAME(uint32_t, u32) SAME(int64_t, i64) SAME(uint64_t, u64)
SAME(size_t, size) SAME(float, float) SAME(double, double)
int in_order(int lambda, int in) { return 10 * lambda + in; }
"""
BITS = {
    "schar": -8, "uchar": 8, "short": -16, "ushort": 16, "int": -32, "uint": 32, "longlong": -64, "ulonglong": 64,
    "i8": -8, "u8": 8, "i32": -32, "u32": 32, "i64": -64, "u64": 64,
}  # fmt: skip
NAMES = ["line", "times_called", "nothing", "negated", "tail", "in_order"]


@pytest.fixture(scope="module")
def module(tmp_path_factory):
    names = [*NAMES, *(f"same_{name}" for name in (*BITS, "long", "ulong", "size", "float", "double"))]
    return cext.load_inline(
        "calls",
        c_sources=SOURCE,
        functions={name: "A line's value.\n\nDocumented." if name == "line" else "" for name in names},
        no_implicit_headers=True,
        build_directory=tmp_path_factory.mktemp("calls"),
    )


def test_positions_and_keywords(module):
    assert module.line(2.0, 3.0, 0.5) == 6.5
    assert module.line(2, 3, 1) == 7.0
    assert module.line(2.0, b=0.5, a=3.0) == 6.5
    assert module.line(b=0.5, x=2.0, a=3.0) == 6.5
    assert module.in_order(1, in_=2) == module.in_order(lambda_=1, in_=2) == 12
    assert module.nothing() is None
    assert module.negated(True) is False
    assert module.negated(False) is True


def test_numbers_of_other_types(module):
    assert module.line(np.float32(2), np.int64(3), np.float64(0.5)) == 6.5
    assert module.same_int(np.int8(-3)) == -3
    assert module.same_int(True) == 1
    assert module.negated(np.bool_(True)) is False
    assert module.same_double(math.inf) == math.inf
    assert math.isnan(module.same_float(math.nan))
    assert module.same_float(0.1) == float(np.float32(0.1))


def test_strings(module):
    assert module.tail("flambeau", 4) == "beau"
    assert module.tail("größe ✓", 6) == "e ✓"  # ö and ß take two bytes each
    assert module.tail("a", 2) is None


@pytest.mark.parametrize(("name", "bits"), BITS.items())
def test_integers_take_their_range_and_no_more(module, name, bits):
    same = getattr(module, f"same_{name}")
    low, high = (-(2 ** (-bits - 1)), 2 ** (-bits - 1) - 1) if bits < 0 else (0, 2**bits - 1)
    for value in (low, low + 1, 0, 1, high - 1, high):
        assert same(value) == value
    for value in (low - 1, high + 1, 2**70, -(2**70)):
        with pytest.raises(ValueError) as caught:
            same(value)
        expected = f"same_{name}(): argument 'value' (position 1) must be in the range [{low}, {high}], got {value}"
        assert str(caught.value) == expected


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda m: m.line("a", 1, 1), TypeError, "line(): argument 'x' (position 1) must be Number, not str"),
        (lambda m: m.line(1, 2, b=[]), TypeError, "line(): argument 'b' (position 3) must be Number, not list"),
        (lambda m: m.line(1, 1j, 1), TypeError, "line(): argument 'a' (position 2) must be Number, not complex"),
        (lambda m: m.line(10**400, 1, 1), ValueError, "line(): argument 'x' (position 1) is too large for a double"),
        (lambda m: m.line(1), TypeError, 'line() missing 2 required positional arguments: "a", "b"'),
        (lambda m: m.line(1, b=1), TypeError, 'line() missing 1 required positional arguments: "a"'),
        (lambda m: m.line(1, 2, 3, 4), TypeError, "line() takes 3 positional arguments but 4 were given"),
        (lambda m: m.negated(True, 1), TypeError, "negated() takes 1 positional argument but 2 were given"),
        (lambda m: m.line(1, 2, 3, x=4), TypeError, "line() got multiple values for argument 'x'"),
        (lambda m: m.line(1, 2, c=4), TypeError, "line() got an unexpected keyword argument 'c'"),
        (lambda m: m.nothing(1), TypeError, "nothing() takes 0 positional arguments but 1 was given"),
        (lambda m: m.same_int(1.0), TypeError, "same_int(): argument 'value' (position 1) must be int, not float"),
        (lambda m: m.negated(1), TypeError, "negated(): argument 'flag' (position 1) must be bool, not int"),
        (lambda m: m.tail(b"a", 0), TypeError, "tail(): argument 'text' (position 1) must be str, not bytes"),
        (lambda m: m.tail(None, 0), TypeError, "tail(): argument 'text' (position 1) must be str, not NoneType"),
        (
            lambda m: m.tail("a\0b", 0),
            ValueError,
            "tail(): argument 'text' (position 1) has an embedded null character",
        ),
    ],
)
def test_wrong_arguments(module, call, error, message):
    before = module.times_called()
    with pytest.raises(error) as caught:
        call(module)
    assert str(caught.value) == message
    assert module.times_called() == before


def test_an_arguments_own_error_comes_through(module):
    class Refuses:
        def __float__(self):
            raise ZeroDivisionError("refused")

    with pytest.raises(ZeroDivisionError, match="refused"):
        module.line(Refuses(), 1, 1)


def test_signatures_and_docs(module):
    assert str(inspect.signature(module.line)) == "(x, a, b)"
    assert str(inspect.signature(module.in_order)) == "(lambda_, in_)"
    assert module.line.__doc__ == "A line's value.\n\nDocumented."
    assert module.tail.__doc__ == "const char *tail(const char *text, int64_t start)"
    assert module.line.__name__ == "line"
    assert module.__name__ == "calls"


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("double f(double *x, int n) { return x[n]; }", r"'f' cannot be bound: parameter 'x' \(position 1\) has type "
         r"'double \*'; supported are .*fl_tensor"),
        ("int *f(int n) { return 0; }", r"'f' cannot be bound: it returns 'int \*'"),
        ("static int f(int n) { return n; }", "'f' cannot be bound: it is static; remove 'static'"),
        ("int g(int n) { return n; }", "no source declares the function 'f'"),
        ("#if 0\nint f(int n) { return n; }\n#endif\nint g;", "no source declares the function 'f'"),
    ],
)  # fmt: skip
def test_what_cannot_be_bound_is_said(source, message):
    with pytest.raises(ValueError, match=message):
        cext.load_inline("refused", c_sources=source, functions=["f"])
