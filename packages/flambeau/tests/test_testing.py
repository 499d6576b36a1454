"""torch.testing: messages of assert_close, and inputs from make_tensor. Messages and numbers are PyTorch's."""

import numpy as np
import pytest

import flambeau as torch
from flambeau.testing import assert_allclose, assert_close, make_tensor

nan, inf = float("nan"), float("inf")
T = torch.tensor
SCALARS = (
    "Scalars are not close!\n\nExpected 2.0 but got 1.0.\nAbsolute difference: 1.0 (up to {} allowed)\n"
    "Relative difference: 0.5 (up to {} allowed)"
)
ELEMENTS = (
    "Tensor-likes are not {}!\n\nMismatched elements: {}\nGreatest absolute difference: {}\n"
    "Greatest relative difference: {}"
)
DIFFERENT = [
    (
        (T([1.0, 2.0, 3.0]), T([1.0, 2.0, 4.0])),
        {},
        ELEMENTS.format(
            "close",
            "1 / 3 (33.3%)",
            "1.0 at index (2,) (up to 1e-05 allowed)",
            "0.25 at index (2,) (up to 1.3e-06 allowed)",
        ),
    ),
    ((T(1.0), T(2.0)), {}, SCALARS.format("1e-05", "1.3e-06")),
    ((1.0, 2.0), {}, SCALARS.format("1e-07", "1e-07")),
    ((T(1.0), T(2.0)), {"rtol": 0.1, "atol": 0.1}, SCALARS.format(0.1, 0.1)),
    ((1, 2), {}, "Scalars are not equal!\n\nExpected 2 but got 1.\nAbsolute difference: 1\nRelative difference: 0.5"),
    ((1, 2.0), {}, "The (d)types do not match: <class 'int'> != <class 'float'>."),
    ((True, False), {}, "Booleans mismatch: True is not False"),
    ((None, 1), {}, "None mismatch: None is not 1"),
    (
        (T([1, 2]), T([1, 3])),
        {},
        ELEMENTS.format("equal", "1 / 2 (50.0%)", "1 at index (1,)", "0.3333333432674408 at index (1,)"),
    ),
    ((T([True]), T([False])), {}, ELEMENTS.format("equal", "1 / 1 (100.0%)", "1 at index (0,)", "inf at index (0,)")),
    (
        (T(1, dtype=torch.uint8), T(255, dtype=torch.uint8)),
        {},
        "Scalars are not equal!\n\nExpected 255 but got 1.\n"
        "Absolute difference: 254\nRelative difference: 0.996078431372549",
    ),
    (
        (T([1.0]), T([1.0, 2.0])),
        {},
        "The values for attribute 'shape' do not match: torch.Size([1]) != torch.Size([2]).",
    ),
    (
        (T([1.0]), T([1.0]).double()),
        {},
        "The values for attribute 'dtype' do not match: torch.float32 != torch.float64.",
    ),
    (
        (torch.ones(2, 2).t(), torch.ones(2, 2)),
        {"check_stride": True},
        "The values for attribute 'stride()' do not match: (1, 2) != (2, 1).",
    ),
    (
        (T([nan]), T([nan])),
        {},
        ELEMENTS.format(
            "close",
            "1 / 1 (100.0%)",
            "nan at index (0,) (up to 1e-05 allowed)",
            "nan at index (0,) (up to 1.3e-06 allowed)",
        ),
    ),
    (
        (T([1 + 1j]), T([1 + 2j])),
        {},
        ELEMENTS.format(
            "close",
            "1 / 1 (100.0%)",
            "1.0 at index (0,) (up to 1e-05 allowed)",
            "0.4472135901451111 at index (0,) (up to 1.3e-06 allowed)",
        ),
    ),
    (
        (T([1.0, 2.0, 3.0]), T([1.0, 5.0, 7.0])),
        {"rtol": 0, "atol": 1},
        ELEMENTS.format(
            "close",
            "2 / 3 (66.7%)",
            "4.0 at index (2,) (up to 1 allowed)",
            "0.6000000238418579 at index (1,) (up to 0 allowed)",
        ),
    ),
    (
        ({"a": [T(1.0)]}, {"a": [T(2.0)]}),
        {},
        SCALARS.format("1e-05", "1.3e-06") + "\n\nThe failure occurred for item ['a'][0]",
    ),
    (
        ({"a": 1}, {"b": 1}),
        {},
        "The keys of the mappings do not match:\nMissing keys in the actual mapping: ['b']\n"
        "Additional keys in the actual mapping: ['a']",
    ),
    (([1], [1, 2]), {}, "The length of the sequences mismatch: 1 != 2"),
    (
        (np.array([1.0, 2.0]), np.array([1.0, 3.0])),
        {},
        ELEMENTS.format(
            "close",
            "1 / 2 (50.0%)",
            "1.0 at index (1,) (up to 1e-07 allowed)",
            "0.3333333333333333 at index (1,) (up to 1e-07 allowed)",
        ),
    ),
    ((T(1.0), T(2.0)), {"msg": "no"}, "no"),
    ((T([1, 2]), T([1, 3])), {"msg": lambda message: message[:10] + "…"}, "Tensor-lik…"),
]


@pytest.mark.parametrize(("values", "options", "said"), DIFFERENT)
def test_what_differs(values, options, said):
    with pytest.raises(AssertionError) as caught:
        assert_close(*values, **options)
    assert str(caught.value) == said


@pytest.mark.parametrize(
    ("values", "options"),
    [
        ((T([1.0]), T([1.0 + 1e-7])), {}),
        ((T([nan]), T([nan])), {"equal_nan": True}),
        ((T([inf]), T([inf])), {}),
        ((T(1.0), T(1.001)), {"rtol": 1e-2, "atol": 0}),
        ((T([1.0]), T([1.0]).double()), {"check_dtype": False}),
        ((None, None), {}),
        (((T(1.0),), [T(1.0)]), {}),
        ((torch.ones(0, 2), torch.ones(0, 2)), {}),
        ((T([1.0]), torch.nn.Parameter(T([1.0]))), {}),
        ((nan, nan), {"equal_nan": True}),
        (([], []), {}),
        ((T([1.0]).bfloat16(), T([1.01]).bfloat16()), {}),
        ((np.float64(1), 1.0), {}),
    ],
)
def test_what_is_close(values, options):
    assert_close(*values, **options)


def test_what_cannot_be_compared():
    for values in (("a", "a"), (T(1.0), 1.0), (T([1.0]), np.ones(1)), ({1: T(1)}, [T(1)]), ([1], 1)):
        with pytest.raises(TypeError, match="^No comparison pair was able to handle inputs of type"):
            assert_close(*values)
    with pytest.raises(TypeError, match="Parameter"):
        assert_close(T([1.0]), torch.nn.Parameter(T([1.0])), allow_subclasses=False)
    with pytest.raises(ValueError, match="must be either specified or omitted, but got no atol."):
        assert_close(T(1.0), T(1.0), rtol=1.0)


def test_the_older_form():
    with pytest.warns(FutureWarning, match="deprecated"):
        assert_allclose([1.0, 2.0], T([1.0, 2.0]))


@pytest.mark.parametrize(
    ("options", "numbers"),
    [
        ({"dtype": torch.float64}, None),
        ({"dtype": torch.float32}, [-0.0674, 4.8280, -7.4074]),
        ({"dtype": torch.int64}, [6, -5, -9]),
        ({"dtype": torch.bool}, [False, True, True]),
        ({"dtype": torch.uint8}, [4, 9, 3]),
        ({"dtype": torch.float32, "low": -1, "high": 1}, [-0.0075, 0.5364, -0.8230]),
        ({"dtype": torch.float32, "noncontiguous": True}, [4.8280, -6.6235, 2.4134]),
        ({"dtype": torch.complex64}, [-0.0674 + 4.8280j, -7.4074 - 6.6235j, -3.4664 + 2.4134j]),
    ],
)
def test_inputs(options, numbers):
    torch.manual_seed(0)
    found = make_tensor(3, **options)
    assert found.dtype is options["dtype"] and found.shape == (3,)
    assert found.is_contiguous() is not options.get("noncontiguous", False)
    if numbers:
        assert np.allclose(found.numpy(), numbers, atol=6e-5)


def test_inputs_that_cannot_be():
    for options, said in (
        ({"low": 3, "high": 2}, "`low` must be less than `high`, but got 3 >= 2"),
        ({"low": nan}, "`low` and `high` cannot be NaN, but got low=nan and high=9"),
        ({"noncontiguous": True, "memory_format": torch.channels_last}, "mutually exclusive"),
    ):
        with pytest.raises(ValueError, match=said):
            make_tensor((2, 2), dtype=torch.float32, device="cpu", **options)
    with pytest.raises(ValueError, match="`requires_grad=True` is not supported"):
        make_tensor(2, dtype=torch.int32, requires_grad=True)
    assert make_tensor(2, 3, dtype=torch.float64, requires_grad=True).requires_grad
    assert (make_tensor(100, dtype=torch.int8, low=0, high=2, exclude_zero=True) == 1).all()


def test_new_tensors_are_no_views():
    for dtype in (torch.complex64, torch.float32, torch.bfloat16, torch.int64, torch.bool):
        assert make_tensor((2, 3), dtype=dtype, device="cpu", low=-9, high=9)._base is None


def test_complex_numbers_of_every_size():
    for dtype in (torch.complex32, torch.complex64, torch.complex128):
        assert make_tensor(5, dtype=dtype, device="cpu").dtype is dtype
