"""Numbers that do not fit a dtype, and the dtype of computations with mixed dtypes. Values: PyTorch 2.13, x86-64."""

import platform
import sys

import pytest

import flambeau_tensor as ft

INF, NAN = float("inf"), float("nan")
FLOATS = [INF, -1.0, 3000000007.0, -3000000007.0, 1e20, NAN, -INF, 70000.0, -70001.0, -1.5]
LOW = -2147483648


@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="what the processor makes of them")
@pytest.mark.parametrize("source", [ft.float64, ft.complex128])
@pytest.mark.parametrize(
    ("dtype", "expected"),
    [
        (ft.int32, [LOW, -1, LOW, LOW, LOW, LOW, LOW, 70000, -70001, -1]),
        (ft.int16, [0, -1, 0, 0, 0, 0, 0, 4464, -4465, -1]),
        (ft.int8, [0, -1, 0, 0, 0, 0, 0, 112, -113, -1]),
        (ft.uint8, [0, 255, 7, 249, 0, 0, 0, 112, 143, 255]),
        (ft.int64, [-(2**63), -1, 3000000007, -3000000007, -(2**63), -(2**63), -(2**63), 70000, -70001, -1]),
        (ft.bool, [True] * 10),
    ],
)
@pytest.mark.filterwarnings("ignore:Casting complex")
def test_floats_out_of_range(source, dtype, expected):
    for times in (1, 50):
        t = ft.tensor(FLOATS * times, dtype=source)
        assert t.to(dtype).tolist() == expected * times
        assert t[::2].to(dtype).tolist() == (expected * times)[::2]
        assert ft.zeros(10 * times, dtype=dtype).copy_(t).tolist() == expected * times
    single = ft.tensor(FLOATS, dtype=ft.float32).to(dtype).tolist()
    assert single[:2] + single[4:] == expected[:2] + expected[4:]


def test_integers_wrap():
    assert ft.tensor([2**40 + 3, -1, 2**31, 200, 256]).to(ft.int8).tolist() == [3, -1, 0, -56, 0]
    assert ft.tensor([2**40 + 3, -1, 2**31]).to(ft.int32).tolist() == [3, -1, LOW]


# --- divisors -------------------------------------------------------------------------------------------------------

DIVIDE = [
    ft.floor_divide,
    ft.remainder,
    ft.fmod,
    lambda a, b: ft.div(a, b, rounding_mode="floor"),
    lambda a, b: ft.div(a, b, rounding_mode="trunc"),
]
INTEGERS = [ft.uint8, ft.int8, ft.int16, ft.int32, ft.int64]


@pytest.mark.parametrize("divide", DIVIDE)
def test_a_divisor_is_checked_in_the_dtype_of_the_computation(divide):
    for a in INTEGERS:
        for b in [*INTEGERS, ft.bool, ft.float16, ft.bfloat16, ft.float32, ft.float64]:
            for n in (4, 3000):
                x, y = ft.arange(n).to(a), ft.ones(n, dtype=b)
                y[n // 2] = 0
                if b.is_floating_point:
                    assert not divide(x, y)[n // 2].isfinite() and divide(x, y).dtype is b
                    assert not divide(x, 0.0).isfinite().any()
                    assert not divide(x, ft.tensor(0.0)).isfinite().any()
                    continue
                for divisor in (y, 0, ft.tensor(0)):
                    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
                        divide(x, divisor)
                assert divide(x[: n // 2], y[: n // 2]).dtype is ft.promote_types(a, b)
    assert (ft.arange(10) // ft.arange(1.0, 11.0)).tolist() == [0] * 10


@pytest.mark.parametrize("divide", DIVIDE)
@pytest.mark.parametrize("dtype", [ft.int8, ft.uint8])
def test_a_divisor_that_wraps_around_to_zero(divide, dtype):
    x = ft.arange(3, dtype=dtype)
    for divisor in (256, 512, -256):
        for given in (divisor, ft.tensor(divisor)):
            with pytest.raises(RuntimeError, match="ZeroDivisionError"):
                divide(x, given)
    assert divide(x, 257).tolist() == divide(x, 1).tolist()
    assert divide(ft.arange(3), 2**40).dtype is ft.int64


# --- numbers as further arguments -----------------------------------------------------------------------------------


def test_integer_factors_are_exact():
    one, zero = ft.tensor([1]), ft.tensor([0])
    for value in (2**53 + 1, 2**62 + 1, -(2**63), 2**63 - 1):
        assert ft.addcmul(zero, one, one, value=value).item() == value
        assert ft.add(zero, one, alpha=value).item() == value
    assert ft.add(zero, 3, alpha=2**62).item() == 3 * 2**62 - 2**64
    small = ft.tensor([1], dtype=ft.int8)
    for call in (lambda: ft.addcmul(small, small, small, value=300), lambda: ft.add(small, small, alpha=-129)):
        with pytest.raises(RuntimeError, match="value cannot be converted to type int8_t without overflow"):
            call()
    assert ft.addcmul(small, small, small, value=-3).item() == -2


def test_closeness_of_integers_does_not_wrap_around():
    low, high = ft.tensor([-(2**63)]), ft.tensor([2**63 - 1])
    assert not ft.isclose(low, high).item() and not ft.allclose(low, high)
    for dtype in INTEGERS:
        ends = ft.tensor([ft.iinfo(dtype).min], dtype=dtype), ft.tensor([ft.iinfo(dtype).max], dtype=dtype)
        assert not ft.allclose(*ends) and not ft.allclose(*reversed(ends))
        assert ft.allclose(ends[0], ends[0]) and ft.allclose(*ends, atol=2.0**64)
    a, b = ft.tensor([100], dtype=ft.int8), ft.tensor([-100], dtype=ft.int8)
    assert not ft.isclose(a, b, rtol=0.0, atol=57).item() and ft.isclose(a, b, rtol=0.0, atol=200).item()
    assert ft.isclose(ft.tensor([True, True]), ft.tensor([False, True]), atol=2).tolist() == [True, True]
    assert ft.isclose(ft.tensor([True, True]), ft.tensor([False, True])).tolist() == [False, True]


@pytest.mark.parametrize(
    ("x", "exponent", "expected", "dtype"),
    [
        ([1.0, 2.0], [1, 2], [2, 8], ft.float16),
        ([1.0, 2.0], [1, 2], [2, 8], ft.bfloat16),
        ([1e-30], [200], [1.6069380442589903e30], ft.float64),
        ([1e-300], [1100], [1.3582985290493859e31], ft.float64),
        ([0.0, INF], [1000, -1000], [0, INF], ft.float32),
        ([2.0**-149], [149], [1], ft.float32),
        ([1.0, 1.0], [5000, -5000], [INF, 0], ft.float64),
        ([1.0], [1023], [2.0**1023], ft.float64),
    ],
)
def test_ldexp(x, exponent, expected, dtype):
    got = ft.ldexp(ft.tensor(x, dtype=dtype), ft.tensor(exponent))
    assert got.dtype is dtype and got.tolist() == expected
    assert ft.ldexp(ft.tensor([1, 2]), ft.tensor([1, 2])).dtype is ft.float32
    assert ft.ldexp(ft.tensor([1.0]), ft.tensor([1.5])).item() == pytest.approx(2.8284271)
    assert ft.ldexp(ft.tensor([1], dtype=ft.int8), ft.tensor([1.5], dtype=ft.float64)).dtype is ft.float64


def test_ldexp_of_one_complex_number():
    for dtype in (ft.complex64, ft.complex128):
        result = ft.ldexp(ft.tensor(1 + 2j, dtype=dtype), ft.tensor([1, 70]))
        assert result.dtype is dtype and result.tolist() == [2 + 4j, 2**70 + 2**71 * 1j]


def test_linspace_to_integers():
    assert ft.linspace(0, 10, 4, dtype=ft.int64).tolist() == [0, 3, 6, 10]
    assert ft.linspace(0.5, 10.7, 7, dtype=ft.int32).tolist() == [0, 1, 3, 5, 6, 8, 10]
    assert ft.linspace(-3, 10, 5, dtype=ft.uint8).tolist() == [253, 192, 131, 70, 10]
    for dtype in (ft.int8, ft.uint8):
        with pytest.raises(RuntimeError, match="without overflow"):
            ft.linspace(0, 300, 4, dtype=dtype)


def test_histograms_of_large_numbers():
    assert ft.histc(ft.tensor([1e30, 1.0, -1e30]), 4).tolist() == [1, 0, 1, 1]
    assert ft.histc(ft.tensor([1e30, 1.0]), 4, 0, 1e30).tolist() == [1, 0, 0, 1]
    assert ft.histc(ft.tensor([NAN, 1.0, 2.0, -1.0, 3.0]), 4, 0, 2).tolist() == [0, 0, 1, 1]
    assert ft.histc(ft.tensor([1.0, 1.0]), 3).tolist() == [0, 2, 0]
    assert ft.histc(ft.tensor([1e30]), 3).tolist() == [0, 1, 0]  # 1e30 - 1 equals 1e30
    assert ft.histc(ft.tensor([-1e30, -1e30]), 4).tolist() == [0, 0, 2, 0]
    with pytest.raises(RuntimeError, match="value cannot be converted to type float without overflow"):
        ft.histc(ft.tensor([1.0]), 4, 0, 1e300)


def test_numbers_of_complex_tensors():
    assert float(ft.tensor(1 + 0j)) == 1.0 and int(ft.tensor(2 + 0j)) == 2 and complex(ft.tensor(1.0)) == 1
    for convert, name in ((float, "double"), (int, "int64_t")):
        with pytest.raises(RuntimeError, match=f"value cannot be converted to type {name} without overflow"):
            convert(ft.tensor(1 + 1j))


def test_where_and_mode_at_their_edges():
    assert [t.tolist() for t in ft.where(ft.tensor(True))] == [[0]] and ft.where(ft.tensor(0.0))[0].shape == (0,)
    assert [t.item() for t in ft.tensor([1, NAN, NAN, 2]).mode()] == [1, 0]
    values, index = ft.tensor([NAN] * 3).mode()
    assert values.isnan() and index == 0
    assert ft.tensor([3, NAN, 2, NAN, 2, 3]).mode()[0] == 2


def test_sizes_are_integers():
    assert ft.Size([ft.tensor(2), True, 3]) == (2, 1, 3) and type(ft.Size((True,))[0]) is int and ft.Size() == ()
    for wrong, name in ((1.5, "float"), ("a", "str"), (None, "NoneType"), (ft.tensor(2.0), "Tensor")):
        with pytest.raises(TypeError, match=rf"torch.Size\(\) takes an iterable of 'int' \(item 1 is '{name}'\)"):
            ft.Size([1, wrong])
    with pytest.raises(ValueError, match="Overflow"):
        ft.Size([2**70])


def test_buffers_and_capsules():
    memory = bytearray(b"abcd")
    t = ft.asarray(memory, dtype=ft.uint8)
    t[0] = 1
    assert memory == b"\x01bcd" and ft.asarray(memory, dtype=ft.uint8, copy=True).tolist() == [1, 98, 99, 100]
    assert ft.asarray(bytearray(b"abcd"), dtype=ft.int32).tolist() == [int.from_bytes(b"abcd", sys.byteorder)]
    assert ft.asarray(bytearray(8)).dtype is ft.float32
    with pytest.raises(ValueError, match="must be a multiple of element size"):
        ft.asarray(bytearray(5), dtype=ft.int32)
    with pytest.warns(UserWarning, match="The given buffer is not writable"):
        ft.frombuffer(b"ab", dtype=ft.uint8)
    x = ft.arange(3)
    assert ft.asarray(x.__dlpack__()).data_ptr() == x.data_ptr()
    assert ft.asarray(x.__dlpack__(), dtype=ft.float32).tolist() == [0, 1, 2]


def test_foreign_byte_order_is_refused():
    import numpy as np

    swapped = np.array([1, 2], dtype=np.dtype("i4").newbyteorder())
    for make in (ft.tensor, ft.as_tensor, ft.asarray, ft.from_numpy):
        with pytest.raises(ValueError, match="byte order different from the native byte order"):
            make(swapped)


def test_optional_arguments_may_be_none():
    assert ft.arange(4).roll(1, None).tolist() == [3, 0, 1, 2] and ft.sort(ft.tensor([2, 1]), stable=None)[0][0] == 1


def test_asarray_copies():
    x = ft.tensor([1.0, 2.0])
    y = ft.asarray(x, copy=True)
    assert y is not x and y.tolist() == [1.0, 2.0] and ft.asarray(x) is x and ft.asarray(x, requires_grad=False) is x


def test_a_list_that_no_memory_holds():
    with pytest.raises(MemoryError):
        ft.zeros(1, 1).expand(2**58, 1).tolist()


def test_a_sequence_without_an_end_is_read_up_to_its_length():
    endless = type("Endless", (), {"__len__": lambda self: 2, "__getitem__": lambda self, i: 7})()
    assert ft.tensor(endless).tolist() == [7, 7]
    assert ft.tensor([endless, [1, 2]]).tolist() == [[7, 7], [1, 2]]


def test_a_sequence_that_is_too_long_for_memory_is_refused_at_once():
    with pytest.raises((MemoryError, OverflowError)):
        ft.tensor(range(2**62, 2**63))
