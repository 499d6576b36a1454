"""uint16, uint32, uint64 and complex32: supported computations, promotion and errors; numbers are PyTorch's."""

import copy
import io
import pickle

import numpy as np
import pytest
from flambeau_tensor._core.elementwise.dtype import all_dtypes

import flambeau_tensor as ft

UNSIGNED = [ft.uint16, ft.uint32, ft.uint64]
MOST = {ft.uint16: 2**16 - 1, ft.uint32: 2**32 - 1, ft.uint64: 2**64 - 1}
Z = ft.tensor([1 + 2j, 3.14159 - 0.5j]).to(ft.complex32)
BOTH = pytest.mark.parametrize("dtype", UNSIGNED, ids=str)


# --- numbers in and out ---------------------------------------------------------------------------------------------


@BOTH
def test_numbers(dtype):
    most = MOST[dtype]
    assert ft.tensor([0, most], dtype=dtype).tolist() == [0, most]
    assert ft.full((2,), most, dtype=dtype).tolist() == [most] * 2 and ft.full((1,), -1, dtype=dtype).item() == most
    assert ft.tensor([-1, -3]).to(dtype).tolist() == [most, most - 2]
    assert ft.tensor([most], dtype=dtype).to(ft.int64).item() == (most if dtype is not ft.uint64 else -1)
    assert ft.tensor([most], dtype=dtype).double().item() == float(most)
    x = ft.zeros(3, dtype=dtype)
    x[1], x[2:] = 7, most
    assert x.tolist() == [0, 7, most] and x.numpy().dtype == str(dtype)[6:] and not dtype.is_signed
    info = ft.iinfo(dtype)
    assert (info.min, info.max) == (0, most)
    with pytest.raises(ValueError if dtype is not ft.uint64 else OverflowError):
        ft.tensor([2**64], dtype=dtype)


def test_floats_become_unsigned_numbers_as_the_processor_has_it():
    values = [-1.0, 1e20, 1e10, float("nan"), float("inf"), 3.7, -5.5, 3e9]
    for source in ft.float32, ft.float64:
        x = ft.tensor(values, dtype=source)
        assert x.to(ft.uint16).tolist() == [65535, 0, 0, 0, 0, 3, 65531, 0]
        assert x.to(ft.uint32).tolist() == [2**32 - 1, 0, 0, 2**31, 0, 3, 2**32 - 5, 3000000000]
        assert x.to(ft.uint64).tolist() == [2**64 - 1, 0, 10**10, 2**63, 0, 3, 2**64 - 5, 3000000000]
        assert ft.tensor([1e19], dtype=ft.float64).to(ft.uint64).item() == 10**19


@pytest.mark.parametrize(("call", "error"), [
    (lambda: ft.tensor(-1, dtype=ft.uint64), OverflowError), (lambda: ft.tensor(1.5, dtype=ft.uint64), TypeError),
    (lambda: ft.tensor(2**16, dtype=ft.uint16), RuntimeError),
    (lambda: ft.full((1,), -2**32, dtype=ft.uint32), RuntimeError),
    (lambda: ft.full((1,), 2**63), RuntimeError), (lambda: ft.full((1,), 2**64, dtype=ft.uint64), OverflowError),
    (lambda: ft.tensor([2**63]), ValueError), (lambda: ft.tensor([1]).fill_(2**63), RuntimeError),
])  # fmt: skip
def test_numbers_that_do_not_fit(call, error):
    with pytest.raises(error):
        call()


def test_ints_beyond_the_signed_ones():
    assert (ft.tensor([1]) + 2**63).tolist() == [1 - 2**63] and (ft.tensor([1.0]) + 2**63).tolist() == [2.0**63]
    assert (ft.tensor([1], dtype=ft.uint64) * 2**63).tolist() == [2**63]
    assert (ft.tensor([2**63], dtype=ft.uint64) == 2**63).tolist() == [True]


# --- operators ------------------------------------------------------------------------------------------------------


@BOTH
def test_operators(dtype):
    x, y = ft.tensor([3, 5, 3], dtype=dtype), ft.tensor([1, 5, 2], dtype=dtype)
    most = MOST[dtype]
    for result, expected, of in (
            (x * y, [3, 25, 6], dtype), (x * -1, [most - 2, most - 4, most - 2], dtype), (x & 1, [1, 1, 1], dtype),
            (x | y, [3, 5, 3], dtype), (x ^ y, [2, 0, 1], dtype), (x == y, [False, True, False], ft.bool),
            (x != 3, [False, True, False], ft.bool), (x / 2, [1.5, 2.5, 1.5], ft.float32),
            (x + 1.5, [4.5, 6.5, 4.5], ft.float32),
            (x.sqrt() ** 2, [3, 5, 3], ft.float32), (ft.where(x == y, x, y), [1, 5, 2], dtype),
            (x.floor(), [3, 5, 3], dtype),
            (x.round(), [3, 5, 3], dtype), (x.signbit(), [False] * 3, ft.bool), (x.isnan(), [False] * 3, ft.bool),
            (x.sum(), 11, ft.int64), (x.prod(), 45, ft.int64), (x.any(), True, ft.bool),
            (x.cumsum(0), [3, 8, 11], ft.int64),
            (x.mean(dtype=ft.float32), 11 / 3, ft.float32), (x.sort()[0], [3, 3, 5], dtype),
            (x.argsort(), [0, 2, 1], ft.int64),
            (x.unique(), [3, 5], dtype), (ft.cat((x, y)), [3, 5, 3, 1, 5, 2], dtype),
            (ft.stack((x, y)).T[1], [5, 5], dtype),
            (x[ft.tensor([2, 0])], [3, 3], dtype), (x[x == 5], [5], dtype), (x.outer(y)[1], [5, 25, 10], dtype),
            (ft.arange(9)[x[1]], 5, ft.int64), (ft.randint(5, 6, (2,), dtype=dtype), [5, 5], dtype)):  # fmt: skip
        assert result.dtype is of
        np.testing.assert_allclose(result.numpy(), expected, rtol=1e-6)


@BOTH
def test_large_numbers_are_sorted_and_searched(dtype):
    x = ft.tensor([2, MOST[dtype], 0, MOST[dtype] - 1], dtype=dtype)
    assert x.sort()[1].tolist() == [2, 0, 3, 1] and x.sort(descending=True)[1].tolist() == [1, 3, 0, 2]
    assert x.repeat(3000).sort()[0][[0, -1]].tolist() == [0, MOST[dtype]]


@BOTH
def test_what_is_refused(dtype):
    x = ft.tensor([3, 5], dtype=dtype)
    for call in (lambda: x + 1, lambda: x - x, lambda: -x, lambda: x // 2, lambda: x % 2, lambda: x ** 2, lambda: x < 2,
                 lambda: x >= x, lambda: ~x, lambda: x << 1, lambda: abs(x), lambda: x.clamp(0, 2), lambda: x.max(),
                 lambda: x.max(0), lambda: x.argmin(), lambda: x.median(), lambda: x.topk(1), lambda: x.mode(),
                 lambda: x @ x,
                 lambda: x.sign(), lambda: ft.arange(5, dtype=dtype), lambda: x.random_(),
                 lambda: ft.maximum(x, x),
                 lambda: x.logical_not(), lambda: x.index_add(0, ft.tensor([0]), x[:1]),
                 lambda: ft.gcd(x, x)):  # fmt: skip
        with pytest.raises(NotImplementedError, match=f"not implemented for '{str(dtype)[6:].replace('ui', 'UI')}'"):
            call()
    with pytest.raises(IndexError, match="tensors used as indices"):
        ft.arange(9)[x]


# --- promotion ------------------------------------------------------------------------------------------------------


def test_promotion():
    for dtype in UNSIGNED:
        for other in all_dtypes():
            if other is dtype or other.is_floating_point:
                assert ft.promote_types(dtype, other) is ft.promote_types(other, dtype) is other
                continue
            for call in (
                lambda a=dtype, b=other: ft.promote_types(a, b),
                lambda a=dtype, b=other: ft.zeros(1, dtype=a) * ft.zeros(1, dtype=b),
                lambda a=dtype, b=other: ft.cat((ft.zeros(1, dtype=a), ft.zeros(1, dtype=b))),
            ):
                with pytest.raises(RuntimeError, match="Promotion for uint16, uint32, uint64 types is not supported"):
                    call()
        assert (ft.ones(2, dtype=dtype) * ft.tensor(2)).dtype is dtype  # 0-dimensional
        assert ft.result_type(ft.ones(2, dtype=dtype), True) is dtype and ft.can_cast(dtype, ft.int8)
        with pytest.raises(RuntimeError, match="Unknown Complex ScalarType"):
            dtype.to_complex()
    half = {
        "float16": "complex32",
        "bfloat16": "complex64",
        "float32": "complex64",
        "float64": "complex128",
        "complex64": "complex64",
        "complex128": "complex128",
    }
    for other in all_dtypes():
        if other not in UNSIGNED:
            assert str(ft.promote_types(ft.complex32, other)) == "torch." + half.get(other.name, "complex32")
    assert (ft.ones(1, dtype=ft.float16) * 1j).dtype is ft.complex32
    assert (ft.ones(1, dtype=ft.bfloat16) * 1j).dtype is ft.complex64
    assert ft.float16.to_complex() is ft.complex32 is ft.chalf and ft.complex32.to_real() is ft.float16


# --- complex32 ------------------------------------------------------------------------------------------------------


def test_complex32():
    assert repr(Z) == "tensor([1.0000+2.0000j, 3.1406-0.5000j], dtype=torch.complex32)" and Z.itemsize == 4
    assert Z.tolist() == [1 + 2j, 3.140625 - 0.5j] and Z.real.dtype is Z.imag.dtype is ft.float16
    assert Z.imag.tolist() == [2, -0.5] and Z.conj().tolist() == [1 - 2j, 3.140625 + 0.5j]
    assert ft.view_as_real(Z).tolist() == [[1, 2], [3.140625, -0.5]]
    assert ft.view_as_complex(ft.view_as_real(Z)).tolist() == Z.tolist() == Z.to(ft.complex128).chalf().tolist()
    assert Z.view(ft.float16).tolist() == [1, 2, 3.140625, -0.5] and Z.to(ft.bool).tolist() == [True, True]
    assert ft.complex(ft.ones(1).half(), ft.ones(1).half()).dtype is ft.complex32
    assert (ft.finfo(ft.complex32).max, ft.finfo(ft.complex32).dtype) == (65504, "float16")
    assert ft.tensor([1 + 70000j], dtype=ft.complex32).item() == complex(1, float("inf"))
    with pytest.raises(TypeError, match="Got unsupported ScalarType ComplexHalf"):
        Z.numpy()


def test_operators_of_complex32():
    for result, expected, dtype in (
            (Z + Z, [2 + 4j, 6.28125 - 1j], ft.complex32), (Z * Z, [-3 + 4j, 9.6171875 - 3.140625j], ft.complex32),
            (Z - 1, [2j, 2.140625 - 0.5j], ft.complex32), (-Z, [-1 - 2j, -3.140625 + 0.5j], ft.complex32),
            (abs(Z), [2.236328125, 3.1796875], ft.float16), (Z == Z, [True, True], ft.bool),
            (Z * ft.ones(2), Z.tolist(), ft.complex64),
            (Z.isnan(), [False, False], ft.bool), (Z.any(), True, ft.bool), (Z.count_nonzero(), 2, ft.int64),
            (ft.where(Z == 1, Z, Z * 0), [0, 0], ft.complex32), (Z[ft.tensor([1])], [3.140625 - 0.5j], ft.complex32),
            (ft.cat((Z, Z))[::2], [1 + 2j] * 2, ft.complex32), (Z.norm(), 3.88671875, ft.float16),
            (Z.index_add(0, ft.tensor([0, 0]), Z), [5.140625 + 3.5j, 3.140625 - 0.5j], ft.complex32),
            (ft.randn(3, dtype=ft.complex32) * 0, [0] * 3, ft.complex32),
            (Z.var(), 5.4140625, ft.float16)):  # fmt: skip
        assert result.dtype is dtype
        assert result.tolist() == expected
    for call in (lambda: Z / Z, lambda: Z.sum(), lambda: Z.mean(), lambda: Z.prod(), lambda: Z.exp(), lambda: Z.sqrt(),
                 lambda: Z @ Z, lambda: Z ** 2, lambda: Z.reciprocal(), lambda: ft.arange(3, dtype=ft.complex32),
                 lambda: Z.logsumexp(0), lambda: Z.cumsum(0)):  # fmt: skip
        with pytest.raises(NotImplementedError, match="not implemented for 'ComplexHalf'"):
            call()


# --- files ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("x", [ft.tensor([3, 5], dtype=d) for d in UNSIGNED] + [Z, Z.conj()])
def test_files_and_copies(x):
    for legacy in (False, True):
        file = io.BytesIO()
        ft.save({"x": x, "part": x[1:]}, file, _use_new_zipfile_serialization=not legacy)
        file.seek(0)
        back = ft.load(file)
        assert back["x"].dtype is x.dtype and back["x"].tolist() == x.tolist()
        assert back["part"].tolist() == x.tolist()[1:]
        assert back["x"].untyped_storage().data_ptr() == back["part"].untyped_storage().data_ptr()
    for again in (copy.deepcopy(x), pickle.loads(pickle.dumps(x))):
        assert again.dtype is x.dtype and again.tolist() == x.tolist()


@pytest.mark.filterwarnings("ignore:TypedStorage is deprecated")
def test_storages():
    storage = ft.tensor([1, 2], dtype=ft.uint16).storage()
    assert storage.dtype is ft.uint16 and storage.tolist() == [1, 2] and storage.type() == "torch.storage.TypedStorage"
    for name in ("UInt16Storage", "UInt16Tensor", "ComplexHalfStorage"):
        assert not hasattr(ft, name)


@BOTH
def test_arrays_of_numpy(dtype):
    a = np.array([[1, 2], [3, MOST[dtype]]], str(dtype)[6:])
    for t in (ft.from_numpy(a), ft.tensor(a), ft.as_tensor(a), ft.from_dlpack(a)):
        assert t.dtype is dtype and t.tolist() == a.tolist() and np.array_equal(np.from_dlpack(t), a)
    assert (ft.from_numpy(a) * a).dtype is dtype and np.array_equal(ft.from_numpy(a).T.numpy(), a.T)
