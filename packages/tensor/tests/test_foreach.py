"""torch._foreach_*: each function compared with the operator that it calls for every tensor. Errors are PyTorch's."""

import numpy as np
import pytest

import flambeau_tensor as ft
from flambeau_tensor.extend import find_operator, operators
from samples.values import check_values

A = [[0.25, 0.5], [[0.75]], [0.1, 0.2, 0.3]]
B = [[1.0, 2.0], [[3.0]], [4.0, 5.0, 6.0]]
UNARY = (
    "abs acos asin atan ceil cos cosh erf erfc exp expm1 floor frac lgamma log log10 log1p log2 neg reciprocal "
    "round rsqrt sigmoid sign sin sinh sqrt tan tanh trunc"
).split()


def lists():
    return [ft.tensor(x, dtype=ft.float64) for x in A], [ft.tensor(x, dtype=ft.float64) for x in B]


def foreach(name):
    return find_operator(f"torch._foreach_{name}")


def check(name, want, *arguments, **options):
    """Check the function and its in-place variant."""
    a, _ = lists()
    got = foreach(name)(a, *arguments, **options)
    assert type(got) is tuple
    back = foreach(f"{name}_")(a, *arguments, **options)
    for x, y, z, w in zip(got, back, a, want, strict=True):
        assert y is z and ft.equal(x, w) and ft.equal(y, w)


@pytest.mark.parametrize("name", UNARY)
def test_of_one_list(name):
    function = find_operator(f"torch.{name}")
    check(name, [function(x) for x in lists()[0]])


BINARY = {
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "mul": lambda x, y: x * y,
    "div": lambda x, y: x / y,
    "pow": lambda x, y: x**y,
    "clamp_max": lambda x, y: ft.clamp(x, max=y),
    "clamp_min": lambda x, y: ft.clamp(x, min=y),
    "maximum": lambda x, y: ft.clamp(x, min=y),
    "minimum": lambda x, y: ft.clamp(x, max=y),
}


@pytest.mark.parametrize("name", list(BINARY))
def test_of_a_list_and_numbers_or_another_list(name):
    function = BINARY[name]
    a, b = lists()
    check(name, [function(x, 0.5) for x in a], 0.5)
    check(name, [function(x, s) for x, s in zip(a, (0.5, 2, 1.5), strict=True)], [0.5, 2, 1.5])
    check(name, [function(x, y) for x, y in zip(a, b, strict=True)], b)
    if name in ("add", "mul", "div"):
        check(name, [function(x, 3.0) for x in a], ft.tensor(3.0, dtype=ft.float64))
    if name in ("add", "sub"):
        check(name, [function(x, 2 * y) for x, y in zip(a, b, strict=True)], b, alpha=2)


def test_of_three_lists():
    a, b = lists()
    for name, function in (("addcmul", ft.addcmul), ("addcdiv", ft.addcdiv)):
        check(name, [function(x, x, y) for x, y in zip(a, b, strict=True)], a, b)
        check(name, [function(x, x, y, value=2) for x, y in zip(a, b, strict=True)], a, b, 2)
        for scalars in ([1, 2, 3], ft.tensor([1, 2, 3])):
            check(name, [function(x, x, y, value=s) for x, y, s in zip(a, b, (1, 2, 3), strict=True)], a, b, scalars)
    check("lerp", [ft.lerp(x, y, 0.5) for x, y in zip(a, b, strict=True)], b, 0.5)
    check("lerp", [ft.lerp(x, y, s) for x, y, s in zip(a, b, (0.5, 0.1, 1), strict=True)], b, [0.5, 0.1, 1])
    check("lerp", [ft.lerp(x, y, x) for x, y in zip(a, b, strict=True)], b, a)


def test_what_has_no_form_in_common():
    a, b = lists()
    norms = [float(np.linalg.norm(np.ravel(x))) for x in A]
    np.testing.assert_allclose([x.item() for x in foreach("norm")(a)], norms)
    assert foreach("norm")([ft.ones(2)], 1, dtype=ft.float64)[0].dtype == ft.float64
    np.testing.assert_allclose([x.item() for x in foreach("powsum")(a)], [n * n for n in norms])
    assert [x.item() for x in foreach("max")(b)] == [2, 3, 6]
    assert foreach("mm")([ft.ones(2, 2)], [ft.ones(2, 2)])[0].tolist() == [[2, 2], [2, 2]]
    copies = foreach("clone")(a)
    assert ft.equal(copies[2], a[2]) and copies[2] is not a[2]
    foreach("zero_")(a)
    assert [x.abs().sum().item() for x in a] == [0, 0, 0] and copies[0][0] == 0.25
    foreach("copy_")(a, b)
    assert ft.equal(a[2], b[2])
    assert foreach("pow")(2, [ft.tensor([3.0])])[0].item() == 8


def test_every_function_is_tested():
    named = {
        name.removeprefix("torch._foreach_").partition(".")[0].rstrip("_")
        for name in operators()
        if name.startswith("torch._foreach_")
    }
    others = "addcmul addcdiv lerp norm powsum max mm clone zero copy".split()
    assert named == {*UNARY, *BINARY, *others} and len(named) == 49


@pytest.mark.parametrize(
    ("name", "arguments", "text"),
    [
        ("abs", ([],), "^Tensor list must have at least one tensor.$"),
        ("add", ([ft.ones(1)] * 2, [ft.ones(1)]), "^Tensor lists must have the same number of tensors, got 2 and 1$"),
        ("add", ([ft.ones(1)] * 2, [1.0]), "^Tensor list must have same number of elements as scalar list.$"),
        (
            "mul",
            ([ft.ones(1)], ft.ones(1)),
            "scalar tensor expected to be 0 dim but it has 1 dimensions and 1 elements.",
        ),
        ("addcmul", ([ft.ones(1)],) * 3 + (ft.ones(()),), "Expected packed scalar Tensor to be of dimension 1. Got 0"),
        (
            "addcmul",
            ([ft.ones(1)],) * 3 + (ft.ones(2),),
            "Expected length of scalars to match input of length 1 but got 2",
        ),
        ("max", ([ft.ones(0)],), "_foreach_max cannot compute the maximum of an empty tensor"),
        ("add_", ([ft.tensor([1])], 1.5), "result type Float can't be cast to the desired output type Long"),
    ],
)
def test_errors(name, arguments, text):
    with pytest.raises(RuntimeError, match=text):
        foreach(name)(*arguments)


@pytest.mark.parametrize("dtype", [ft.float32, ft.float64, ft.complex64, ft.complex128])
def test_sums_of_powers_of_complex_numbers_are_real(dtype):
    several, one = ft._foreach_powsum([ft.tensor([3 + 4j, 1j]), ft.tensor(3 + 4j)], 2, dtype=dtype)
    assert several.dtype is one.dtype is dtype.to_real()
    assert (several.item(), one.item()) == (26, 25)


def test_sums_of_powers_of_the_least_integer():
    least = ft.tensor([-(2**31), 0], dtype=ft.int32)
    (total,) = ft._foreach_powsum([least], 0.5, ft.float64)
    assert total.item() == 2**15.5


TestSamples = check_values("tensor.foreach")


def test_a_tensor_without_dimensions_is_added_as_a_number():
    """As in PyTorch, where only a factor makes a tensor of it."""
    one = ft.tensor(1.5, dtype=ft.float64)
    assert ft._foreach_add([ft.ones(2, dtype=ft.int8)], one)[0].dtype is ft.float32
    assert ft._foreach_add([ft.ones((), dtype=ft.int8)], one, alpha=2)[0].dtype is ft.float64
    assert ft._foreach_add([ft.ones(2, dtype=ft.bool)], ft.tensor(True))[0].dtype is ft.bool
    half = ft.ones((), dtype=ft.float16)
    assert ft._foreach_add([half], ft.tensor(1j))[0].dtype is ft.complex32
    assert ft._foreach_mul([half], ft.tensor(1j))[0].dtype is ft.complex64
