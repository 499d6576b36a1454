"""NumPy's functions on tensors, and its protocols together with `__torch_function__` in one expression."""

import operator

import numpy as np
import pytest

import flambeau_tensor as ft


class Sub(ft.Tensor):
    pass


class Logged(ft.Tensor):
    log = []

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        cls.log.append(func)
        return super().__torch_function__(func, types, args, kwargs)


class Units(np.ndarray):
    """An array that implements universal functions itself."""

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        return "units", ufunc.__name__, tuple(type(x).__name__ for x in inputs)


class Both:
    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        return "ufunc", ufunc.__name__

    def __array_function__(self, func, types, args, kwargs):
        return "array function", func.__name__

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return "torch function", func.__name__


A = np.array([0.5, 1.0, 1.5])
T = ft.tensor([1.0, 2.0, 3.0])


def same(tensor, array):
    assert isinstance(tensor, ft.Tensor)
    np.testing.assert_allclose(np.asarray(tensor), array, rtol=1e-6)
    return True


UNARY = [
    "absolute",
    "arccos",
    "arcsinh",
    "ceil",
    "cos",
    "deg2rad",
    "degrees",
    "exp",
    "expm1",
    "fabs",
    "floor",
    "isnan",
    "log",
    "log1p",
    "negative",
    "positive",
    "rad2deg",
    "radians",
    "reciprocal",
    "rint",
    "sign",
    "signbit",
    "sin",
    "sqrt",
    "square",
    "tanh",
    "trunc",
    "cbrt",
    "spacing",
    "conjugate",
]
BINARY = [
    "add",
    "arctan2",
    "copysign",
    "divide",
    "equal",
    "float_power",
    "floor_divide",
    "fmax",
    "fmod",
    "greater",
    "heaviside",
    "hypot",
    "ldexp",
    "less_equal",
    "logaddexp",
    "logical_and",
    "matmul",
    "maximum",
    "multiply",
    "nextafter",
    "not_equal",
    "power",
    "remainder",
    "subtract",
]


@pytest.mark.parametrize("name", UNARY)
def test_unary(name):
    x = np.array([0.25, 0.5, 1.0], "float32")
    assert same(getattr(np, name)(ft.from_numpy(x)), getattr(np, name)(x))


@pytest.mark.parametrize("name", BINARY)
def test_binary(name):
    x, y = np.array([0.25, 0.5, 1.0]), np.array([2.0, 0.5, 3.0])
    if name == "ldexp":
        y = y.astype(int)
    ufunc = getattr(np, name)
    for a, b in ((ft.from_numpy(x), ft.from_numpy(y)), (x, ft.from_numpy(y)), (ft.from_numpy(x), y)):
        assert same(ufunc(a, b), ufunc(x, y))


@pytest.mark.parametrize("name", ["bitwise_and", "bitwise_xor", "left_shift", "right_shift", "gcd", "lcm"])
def test_on_integers(name):
    x, y = np.array([6, 12]), np.array([2, 3])
    assert same(getattr(np, name)(x, ft.from_numpy(y)), getattr(np, name)(x, y))
    assert same(np.invert(ft.from_numpy(x)), ~x)


@pytest.mark.parametrize(
    "op",
    [
        operator.add,
        operator.sub,
        operator.mul,
        operator.truediv,
        operator.pow,
        operator.eq,
        operator.lt,
        operator.floordiv,
        operator.mod,
        operator.matmul,
    ],
)
def test_pythons_operators_with_arrays_on_either_side(op):
    t = ft.from_numpy(np.array([2.0, 1.0, 3.0]))
    assert same(op(A, t), op(A, t.numpy())) and same(op(t, A), op(t.numpy(), A))
    if op is not operator.matmul:
        for number in (np.float64(2), np.float32(2), np.int64(2), np.array(2)):
            assert same(op(number, t), op(number, t.numpy())) and same(op(t, number), op(t.numpy(), number))
    reverse = A[::-1]  # negative strides
    assert same(op(reverse, t), op(reverse, t.numpy()))


def test_in_place_on_an_array_writes_the_array():
    a = A.copy()
    b = a
    b += T
    b *= T
    assert b is a and np.array_equal(a, (A + [1, 2, 3]) * [1, 2, 3])
    np.add(T, 1, out=a)
    assert a.tolist() == [2, 3, 4]
    out = ft.empty(3)
    assert np.multiply(T, A, out=out) is out and out.tolist() == [0.5, 2, 4.5]
    with pytest.raises(TypeError, match=r"cbrt\(\): argument 'out' must be an array: torch has no such function"):
        np.cbrt(T, out=out)


def test_what_torch_does_not_have_comes_back_as_tensors():
    assert same(np.add.reduce(T), 6) and same(np.add.outer(T, T), np.add.outer([1, 2, 3], [1, 2, 3]))
    assert same(np.add(T, 1, dtype="float64"), [2, 3, 4]) and np.add(T, 1, dtype="float64").dtype is ft.float64
    quotient, rest = np.divmod(T, 2)
    assert same(quotient, [0, 1, 1]) and same(rest, [1, 0, 1]) and rest.dtype is ft.float32
    x = ft.zeros(3)
    assert np.add.at(x, [0, 0], 1) is None and x.tolist() == [2, 0, 0]


def test_subclasses_keep_their_class_and_handlers_see_the_call():
    s, logged = T.as_subclass(Sub), T.as_subclass(Logged)
    for result in (
        np.sin(s),
        A + s,
        s * A,
        np.cbrt(s),
        np.add.accumulate(s),
        np.sum(s),
        np.transpose(s),
        *np.divmod(s, 2),
        np.reshape(s, (3, 1)),
        np.float64(2) * s,
    ):
        assert type(result) is Sub
    Logged.log.clear()
    assert type(A - logged) is type(np.exp(logged)) is type(np.power(logged, 2)) is Logged
    assert Logged.log == [ft.subtract, ft.exp, ft.pow]
    Logged.log.clear()
    assert type(np.cbrt(logged)) is Logged
    assert Logged.log[-1] is ft.Tensor.__array_wrap__


def test_an_array_that_answers_for_itself_is_asked():
    u = A.view(Units)
    assert u + T == np.add(u, T) == ("units", "add", ("Units", "Tensor"))
    assert T + u == np.add(T, u) == ("units", "add", ("Tensor", "Units"))
    assert np.sin(u) == ("units", "sin", ("Units",))


def test_types_with_both_protocols():
    both = Both()
    # With a tensor, torch computes the result, whichever function is called; without one, NumPy does.
    for result in (both + T, T + both, ft.add(T, both), ft.add(both, A), np.add(T, both)):
        assert result == ("torch function", "add")
    assert ft.cat([T, both]) == ("torch function", "cat")
    assert A + both == np.add(A, both) == ("ufunc", "add")
    assert np.concatenate([both, T]) == np.concatenate([T, both]) == ("array function", "concatenate")


def test_types_without_numpys():
    class Duck:
        __array_ufunc__ = None

        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            return func.__name__

    assert Duck() + T == T + Duck() == "add"
    with pytest.raises(TypeError, match="unsupported|does not support ufuncs|not implemented"):
        A + Duck()


def test_what_is_no_array_of_numbers():
    for wrong in (np.array(["a"]), np.array([object()])):
        with pytest.raises(TypeError, match=r"add\(\): argument '(input|other)' .* must be Tensor, not ndarray"):
            np.add(wrong, T)
    with pytest.raises(TypeError, match="unsupported operand"):
        object() + T
    assert (T == "x") is False and (None == T) is False  # noqa: E711


def test_conversion():
    assert np.asarray(T).dtype == np.float32 and np.shares_memory(np.asarray(T), T.numpy())
    assert T.__array__("int8").tolist() == [1, 2, 3] and not np.shares_memory(T.__array__(copy=True), T.numpy())
    with pytest.raises(ValueError, match="Unable to avoid copy"):
        T.__array__("int8", copy=False)
    assert ft.Tensor.__array__(Both()) == ("torch function", "__array__")
    shared = T.__array_wrap__(A)
    assert np.shares_memory(shared.numpy(), A)


@pytest.mark.parametrize("name", "maximum fmin arctan2 hypot logaddexp heaviside copysign nextafter greater".split())
def test_universal_functions_take_python_numbers(name):
    function = getattr(np, name)
    for dtype in (np.float32, np.float64):
        array = np.array([0.0, 1.0, 3.0], dtype)
        for given in (lambda x: (x, 1.5), lambda x: (1.5, x)):
            result, wanted = function(*given(ft.tensor(array))), function(*given(array))
            assert isinstance(result, ft.Tensor) and result.numpy().dtype == wanted.dtype
            assert np.allclose(result.numpy(), wanted)
