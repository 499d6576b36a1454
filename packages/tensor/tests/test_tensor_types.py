"""The types of tensors by dtype, and the tensors that they create; PyTorch's rules as literals (2.13, CPU)."""

import pickle

import numpy as np
import pytest

import flambeau_tensor as ft
from flambeau_tensor.tensor_types import tensor_type

NAMES = {
    "Half": ft.float16,
    "BFloat16": ft.bfloat16,
    "Float": ft.float32,
    "Double": ft.float64,
    "Byte": ft.uint8,
    "Char": ft.int8,
    "Short": ft.int16,
    "Int": ft.int32,
    "Long": ft.int64,
    "Bool": ft.bool,
}


@pytest.mark.parametrize("name", NAMES)
def test_types(name):
    cls, dtype = getattr(ft, f"{name}Tensor"), NAMES[name]
    assert (cls.__module__, cls.__name__, repr(cls)) == ("torch", f"{name}Tensor", f"<class 'torch.{name}Tensor'>")
    assert (cls.dtype, cls.layout, cls.is_cuda, cls.is_sparse) == (dtype, ft.strided, False, False)
    x = cls([[1, 0], [1, 1]])
    assert type(x) is ft.Tensor and x.dtype is dtype and x.float().tolist() == [[1, 0], [1, 1]]
    assert isinstance(x, cls) and not isinstance(3, cls) and not isinstance(x.to(ft.complex64), cls)
    assert [isinstance(x, getattr(ft, f"{other}Tensor")) for other in NAMES] == [other == name for other in NAMES]
    assert cls(2, 3).shape == cls(ft.Size([2, 3])).shape == (2, 3) and cls().shape == (0,)
    assert cls(x) is not x and cls(x).data_ptr() == x.data_ptr()
    assert x.type() == ft.typename(x) == f"torch.{name}Tensor" and ft.ones(2).type(cls).dtype is dtype
    assert pickle.loads(pickle.dumps(cls)) is cls
    assert cls.add is ft.Tensor.add and not issubclass(cls, ft.Tensor)


def test_data():
    for data in (2, 3), [2, 3], range(2, 4), np.array([2, 3]), ft.Size([2, 3])[:]:
        made = ft.FloatTensor(data)
        assert made.dtype is ft.float32 and (
            made.shape == (2, 3) if isinstance(data, ft.Size) else made.tolist() == [2, 3]
        )
    assert ft.LongTensor([1.5, 2]).tolist() == [1, 2] and ft.FloatTensor(data=[1], device="cpu").tolist() == [1]


def test_new():
    x = ft.ones(2, dtype=ft.int32)
    assert x.new().shape == (0,) and x.new(2, 3).shape == (2, 3) and x.new([1.5]).tolist() == [1]
    assert x.new(ft.Size([4])).dtype is ft.int32 and x.new(x).data_ptr() == x.data_ptr()

    class Tagged(ft.Tensor):
        pass

    assert type(x.as_subclass(Tagged).new(2)) is Tagged


def test_default_type():
    try:
        ft.set_default_tensor_type(ft.DoubleTensor)
        assert ft.get_default_dtype() is ft.float64 and ft.Tensor([1]).dtype is ft.float64
        ft.set_default_tensor_type("torch.HalfTensor")
        assert ft.get_default_dtype() is ft.float16
    finally:
        ft.set_default_tensor_type("torch.FloatTensor")


def test_names():
    assert ft.typename(3) == "int" and ft.typename(ft) == "flambeau_tensor" and ft.typename(int) == "int"
    assert ft.typename(pytest.raises) == "_pytest.raises.raises" or ft.typename(pytest.raises).startswith("_pytest.")


def test_types_of_another_device():
    cuda = type("FloatTensor", (), {"__module__": "torch.cuda"})
    with pytest.raises(AssertionError, match="not compiled with CUDA"):
        ft.ones(1).type(cuda)


@pytest.mark.parametrize(
    "call, error, text",
    [
        (lambda: ft.FloatTensor(2.5), TypeError, r"new\(\): data must be a sequence \(got float\)"),
        (lambda: ft.FloatTensor(None), TypeError, r"new\(\): data must be a sequence \(got NoneType\)"),
        (lambda: ft.FloatTensor("a"), TypeError, r"new\(\): invalid data type 'str'"),
        (lambda: ft.FloatTensor(-1), RuntimeError, "negative dimension -1"),
        (lambda: ft.FloatTensor(2, dtype=ft.float32), TypeError, r"new\(\) got an unexpected keyword argument 'dtype'"),
        (lambda: ft.FloatTensor(ft.ones(1).long()), TypeError, r"expected .*dtype=float.* \(got .*dtype=long int"),
        (lambda: ft.ones(1).new(ft.ones(1).long()), TypeError, "dtype=float"),
        (lambda: ft.ComplexFloatTensor, AttributeError, "ComplexFloatTensor"),
        (lambda: tensor_type("ComplexFloatTensor"), AttributeError, "ComplexFloatTensor"),
        (lambda: ft.ones(1).type("FloatTensor"), ValueError, "invalid type: 'FloatTensor'"),
        (lambda: ft.ones(1).type(str), ValueError, "invalid type: 'str'"),
        (lambda: ft.set_default_tensor_type(ft.LongTensor), TypeError, "only floating-point types are supported"),
        (lambda: ft.set_default_tensor_type(ft.float32), TypeError, "invalid type object"),
        (lambda: ft.set_default_tensor_type("torch.FloTensor"), AttributeError, "FloTensor"),
        (lambda: ft.set_default_tensor_type("torch.cuda.FloatTensor"), TypeError, "not compiled with CUDA"),
    ],
)
def test_errors(call, error, text):
    with pytest.raises(error, match=text):
        call()


def test_the_class_of_all_tensors_stands_for_the_default_dtype():
    x = ft.tensor([True, False])
    assert x.type(ft.Tensor).dtype is x.type("torch.Tensor").dtype is ft.float32
