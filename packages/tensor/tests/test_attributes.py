"""Properties of tensors, conversions and copies."""

import pickle

import numpy as np
import pytest

import flambeau_tensor as ft
from flambeau_tensor.not_built import NotBuiltError
from samples.values import check_values

LEFT_OUT = {  # with the alternative that the error names
    "dequantize": "not quantized",
    "index": "use x",
    "ipu": "CPU",
    "record_stream": "CPU",
    "solve": "torch.linalg.solve",
    "symeig": "torch.linalg.eigh",
    "to_mkldnn": "strided",
}


@pytest.mark.parametrize("name", LEFT_OUT)
def test_what_is_not_here_says_so_at_access(name):
    class Sub(ft.Tensor):
        pass

    for asked in ft.ones(2), ft.Tensor, ft.ones(2).as_subclass(Sub):
        assert not hasattr(asked, name)
        with pytest.raises(NotBuiltError, match=rf"^torch\.Tensor\.{name} is not built: .*{LEFT_OUT[name]}"):
            getattr(asked, name)


def test_facts():
    t = ft.zeros(2, 3, dtype=ft.float64)[:, 1:]
    assert t.shape == t.size() == ft.Size([2, 2]) and t.size(0) == t.size(-2) == 2
    assert t.stride() == (3, 1) and t.stride(0) == 3 and t.storage_offset() == 1
    assert (t.ndim, t.dim(), t.ndimension(), t.numel(), t.nelement(), ft.numel(t)) == (2, 2, 2, 4, 4, 4)
    assert (t.itemsize, t.element_size(), t.nbytes) == (8, 8, 32)
    assert t.dtype is ft.float64 and t.layout is ft.strided and t.device == ft.device("cpu") and t.is_cpu
    assert not t.is_contiguous() and t.contiguous().is_contiguous() and not t.is_cuda and not t.is_sparse
    assert t.is_floating_point() and not t.is_complex() and t.is_signed() and ft.is_floating_point(t)
    assert t._base.shape == (2, 3) and t._base._base is None and t.is_set_to(t) and not t.is_set_to(t.clone())
    assert len(t) == 2 and t.names == (None, None) and t.get_device() == -1
    assert not ft.zeros(1, dtype=ft.uint8).is_signed()
    with pytest.raises(IndexError, match=r"Dimension out of range \(expected to be in range of \[-2, 1\], but got 2\)"):
        t.size(2)
    with pytest.raises(IndexError, match="Dimension specified as 0 but tensor has no dimensions"):
        ft.tensor(1).size(0)
    with pytest.raises(AttributeError, match="attribute 'shape' of 'torch.Tensor' objects is not writable"):
        t.shape = (4,)
    with pytest.raises(AttributeError, match="nonsense"):
        t.nonsense  # noqa: B018


def test_size():
    s = ft.Size([2, 3])
    assert repr(s) == "torch.Size([2, 3])" and s.numel() == 6 and s == (2, 3) and hash(s) == hash((2, 3))
    for other in (s[:1], s + (1,), (1,) + s, s * 2):
        assert type(other) is ft.Size
    assert type(s[0]) is int and isinstance(s, tuple) and ft.Size().numel() == 1


def test_contiguity_in_channels_last():
    t = ft.zeros(2, 3, 4, 5).permute(0, 3, 1, 2)
    assert t.is_contiguous(memory_format=ft.channels_last) and not t.is_contiguous()
    assert not ft.zeros(3).is_contiguous(memory_format=ft.channels_last)


DTYPES = (
    "bool",
    "uint8",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint16",
    "uint32",
    "uint64",
    "float16",
    "bfloat16",
    "float32",
    "float64",
    "complex32",
    "complex64",
    "complex128",
)


@pytest.mark.filterwarnings("ignore:Casting complex values to real")
@pytest.mark.parametrize("source", DTYPES)
@pytest.mark.parametrize("target", DTYPES)
def test_conversions(source, target):
    values = np.array([0, 1, 2, 100, 0])
    x = ft.from_numpy(values).to(getattr(ft, source))
    if source == "bool":
        values = values.astype(bool).astype(int)
    expected = values.astype(bool) if target == "bool" else values
    for t in (x, x[::2], x[:1].expand(3), x[:0]):
        y = t.to(getattr(ft, target))
        assert y.dtype is getattr(ft, target) and y.shape == t.shape
    assert x.to(getattr(ft, target)).tolist() == expected.tolist()
    assert x.to(dtype=getattr(ft, target)).type() == x.to(getattr(ft, target)).type()


def test_to():
    x = ft.tensor([1.5])
    assert x.to(ft.float32) is x.to("cpu") is x.to(ft.device("cpu")) is x.cpu() is x.float() is x.to(x) is x
    assert x.to(ft.float32, copy=True) is not x and x.to("cpu", ft.float64).dtype is ft.float64
    assert x.to(ft.zeros(1, dtype=ft.int16)).dtype is x.to(tensor=ft.zeros(1, dtype=ft.int16)).dtype is ft.int16
    assert x.to(int).dtype is ft.int64 and x.type_as(ft.tensor(1)).dtype is ft.int64
    for name, dtype in (
        ("double", "float64"),
        ("half", "float16"),
        ("bfloat16", "bfloat16"),
        ("int", "int32"),
        ("long", "int64"),
        ("short", "int16"),
        ("char", "int8"),
        ("byte", "uint8"),
        ("bool", "bool"),
        ("chalf", "complex32"),
        ("cfloat", "complex64"),
        ("cdouble", "complex128"),
    ):
        assert getattr(x, name)().dtype is getattr(ft, dtype)
    assert x.type() == "torch.FloatTensor" and x.type("torch.DoubleTensor").dtype is ft.float64
    with pytest.raises(ValueError, match="invalid type: 'nonsense'"):
        x.type("nonsense")
    for call in (lambda: x.cuda(), lambda: x.to("cuda"), lambda: x.to(device="cuda:0")):
        with pytest.raises(AssertionError, match="Torch not compiled with CUDA enabled: tensors live on the CPU"):
            call()
    with pytest.warns(UserWarning, match="discards the imaginary part"):
        assert ft.tensor([1 + 2j]).float().tolist() == [1]


def test_clone_contiguous_copy():
    x = ft.arange(6).view(2, 3).t()
    c = x.clone()
    assert c.stride() == x.stride() and c.data_ptr() != x.data_ptr() and c.tolist() == x.tolist()
    assert x.contiguous().stride() == (2, 1) and c.contiguous().tolist() == x.tolist()
    y = ft.zeros(2, 3, 2, dtype=ft.float16)
    assert y.copy_(x) is y and y[1].tolist() == x.tolist()
    y.copy_(ft.tensor(True))
    assert y.sum().item() == 12
    with pytest.raises(RuntimeError, match=r"size of tensor a \(2\) must match the size of tensor b \(3\)"):
        ft.zeros(2).copy_(ft.zeros(3))
    with pytest.raises(RuntimeError, match=r"output with shape \[2\] doesn't match the broadcast shape \[2, 2\]"):
        ft.zeros(2).copy_(ft.zeros(2, 2))


@pytest.mark.parametrize(
    ("into", "source", "fits"),
    [
        ((4, 3), (3, 4), False),
        ((4, 3), (12,), False),
        ((4, 3), (2, 6), False),
        ((4, 3), (1, 4, 3), False),
        ((), (1,), False),
        ((0, 3), (3, 0), False),
        ((0,), (0, 3), False),
        ((4, 3), (4, 1), True),
        ((4, 3), (), True),
        ((0, 3), (1, 3), True),
        ((0,), (), True),
        ((2, 4, 3), (4, 3), True),
    ],
)
def test_only_what_broadcasts_is_copied(into, source, fits):
    """An equal number of elements in another shape does not suffice."""
    for target in (ft.zeros(into), ft.zeros(tuple(reversed(into))).permute(tuple(reversed(range(len(into)))))):
        if fits:
            assert target.copy_(ft.ones(source)).sum().item() == target.numel()
            continue
        for write in (target.copy_, target[...].copy_):
            with pytest.raises(RuntimeError, match="must match the size of tensor b|doesn't match the broadcast shape"):
                write(ft.ones(source))
        assert not target.any()


def test_fill_and_zero():
    x = ft.ones(2, 3).t()
    assert x.fill_(2.5) is x and x.tolist() == [[2.5, 2.5]] * 3 and x[1:].zero_().tolist() == [[0, 0]] * 2
    assert ft.ones(2, dtype=ft.int64).fill_(2.9).tolist() == [2, 2] and x.fill_(ft.tensor(3)).sum().item() == 18
    assert ft.empty(2, dtype=ft.bool).fill_(5).tolist() == [True, True]
    with pytest.raises(RuntimeError, match="cannot be converted to type float without overflow"):
        x.fill_(1j)
    assert x.type(None) == x.type() == "torch.FloatTensor"
    with pytest.raises(RuntimeError, match="only supports 0-dimension value tensor but got tensor with 1 dim"):
        x.fill_(ft.ones(1))
    with pytest.raises(RuntimeError, match="cannot be converted to type uint8_t"):
        ft.empty(1, dtype=ft.uint8).fill_(300)
    assert x.fill_(1)._version == x._version


def test_versions_count_writes():
    x = ft.zeros(3)
    for i, write in enumerate(
        (
            lambda: x.add_(1),
            lambda: x.zero_(),
            lambda: x.fill_(1),
            lambda: x.copy_(ft.ones(3)),
            lambda: x[0].mul_(2),
            lambda: x.__setitem__(0, 1.0),
            lambda: ft.exp(x, out=x),
        )
    ):
        assert x._version == i
        write()
    assert x._version == 7 and x.clone()._version == 0


def test_numpy_and_tolist():
    x = ft.tensor([[1, 2]], dtype=ft.int16)
    assert x.numpy().dtype == np.int16 and np.shares_memory(x.numpy(), x.t().numpy())
    assert x.tolist() == [[1, 2]] and ft.tensor(2.5).tolist() == 2.5 and ft.zeros(2, 0).tolist() == [[], []]
    assert x.numpy(force=True).tolist() == [[1, 2]]


def test_dtype_objects():
    assert repr(ft.float32) == "torch.float32" and ft.float32 is ft.float
    assert ft.long is ft.int64 and ft.half is ft.float16
    assert isinstance(ft.float32, ft.dtype) and ft.float32.itemsize == 4 and ft.complex64.to_real() is ft.float32
    assert ft.bool.is_signed is False and ft.float16.is_floating_point and ft.complex64.is_complex
    assert ft.can_cast(ft.int8, ft.uint8) and not ft.can_cast(ft.float32, ft.int64)
    with pytest.raises(TypeError, match="cannot create 'torch.dtype' instances"):
        ft.dtype()


def test_devices():
    assert repr(ft.device("cpu")) == "device(type='cpu')" and str(ft.device("cuda", 1)) == "cuda:1"
    assert ft.device("cuda:1").index == 1 and ft.device(ft.device("cpu")) == ft.device("cpu")
    assert len({ft.device("cpu"), ft.device("cpu")}) == 1
    for call, error in ((lambda: ft.device(3.5), TypeError), (lambda: ft.device("cpu:x"), RuntimeError)):
        with pytest.raises(error):
            call()
    with pytest.raises(AttributeError, match="not writable"):
        ft.device("cpu").type = "cuda"


def test_hash_is_identity():
    x = ft.ones(2)
    assert {x: 1}[x] == 1 and hash(x) != hash(x.clone())


@pytest.mark.parametrize("name", ["cuda", "xpu"])
def test_devices_that_are_not_there(name):
    with pytest.raises(AssertionError, match=f"Torch not compiled with {name.upper()} enabled"):
        getattr(ft.ones(2), name)()
    for other in ("cpu", ft.device("cpu"), "meta"):
        with pytest.raises(RuntimeError, match=f"Invalid device, must be {name} device"):
            getattr(ft.ones(2), name)(other)


def test_python_functions_on_elements():
    x = ft.arange(6.0).view(2, 3)
    assert x.clone().apply_(lambda v: v + 0.5).tolist() == [[0.5, 1.5, 2.5], [3.5, 4.5, 5.5]]
    assert x.t().apply_(lambda v: v * 2) is not None and x.tolist() == [[0, 2, 4], [6, 8, 10]]
    assert x.clone().map_(x[0], lambda a, b: a - b).tolist() == [[0, 0, 0], [6, 6, 6]]
    assert x.clone().map2_(x, x, lambda a, b, c: a * b + c).tolist() == [[0, 6, 20], [42, 72, 110]]
    assert ft.tensor([1, 2]).apply_(lambda v: v * 2.6).tolist() == [2, 5]
    for wrong, error in ((None, TypeError), ([1.0], TypeError), ("x", TypeError), (ft.ones(2), ValueError)):
        calls = []
        with pytest.raises(error):
            x.clone().apply_(lambda v, calls=calls, wrong=wrong: [calls.append(v), wrong][1])
        assert len(calls) == 1
    with pytest.raises(TypeError, match="map_: expected torch.LongTensor for 'other' \\(got torch.FloatTensor\\)"):
        x.long().map_(x, lambda a, b: a)
    with pytest.raises(TypeError, match="map2_: expected torch.FloatTensor for 'y' \\(got torch.LongTensor\\)"):
        x.map2_(x, x.long(), lambda a, b, c: a)


def test_filled_and_resized():
    x = ft.arange(6.0).view(2, 3)
    assert ft.fill(x, 3).tolist() == ft.fill(x, ft.tensor(3)).tolist() == [[3] * 3] * 2 and x[0, 0] == 0
    with pytest.raises(RuntimeError, match="0-dimension value tensor but got tensor with 1 dimensions"):
        ft.fill(x, ft.ones(2))
    y = ft.empty(0)
    assert y.resize_as_(x) is y and y.shape == (2, 3)
    image = ft.ones(2, 3, 4, 5).to(memory_format=ft.channels_last)
    assert ft.empty(0).resize_as_(image, memory_format=ft.preserve_format).stride() == image.stride()


def test_resized_out_of_place_as_of_old():
    x = ft.arange(6.0)
    with pytest.warns(UserWarning, match="^non-inplace resize is deprecated$") as found:
        y = x.resize(2, 3)
    assert found[0].filename == __file__
    assert y.tolist() == [[0, 1, 2], [3, 4, 5]] and y.data_ptr() == x.data_ptr()
    with pytest.warns(UserWarning, match="^non-inplace resize_as is deprecated$") as found:
        z = y.t().resize_as(ft.ones(3, 2))
    assert found[0].filename == __file__ and z.tolist() == [[0, 3], [1, 4], [2, 5]]
    with pytest.warns(UserWarning):
        assert y.resize(6).tolist() == x.tolist() and y.resize((3, 2)).shape == (3, 2)
    message = r"resize to 4x1 \(4 elements in total\), but the given tensor has a size of 2x3 \(6 elements\)"
    for call in (lambda: y.resize(4, 1), lambda: y.resize_as(ft.ones(4, 1))):
        with pytest.warns(UserWarning), pytest.raises(RuntimeError, match=message):
            call()


def test_the_type_of_dtypes_has_the_name_of_pytorch():
    assert ft.dtype.__name__ == ft.dtype.__qualname__ == "dtype" and ft.dtype.__module__.startswith("flambeau")
    assert type(ft.float32) is ft.dtype and pickle.loads(pickle.dumps(ft.dtype)) is ft.dtype


def test_attributes_of_old():
    x = ft.ones(2)
    assert x.name is None and ft.Tensor.__array_priority__ == 1000
    with pytest.raises(AttributeError, match="'name' .* not writable"):
        x.name = "a"
    with pytest.warns(UserWarning, match="volatile was removed"):
        assert x.volatile is False
    with pytest.warns(UserWarning, match="volatile was removed and now has no effect"):
        x.volatile = True


def test_dtypes_that_are_names_alone():
    for call in (
        lambda: ft.ones(2).to(ft.float8_e4m3fn),
        lambda: ft.ones(2).type(ft.qint8),
        lambda: ft.ones(2, dtype=ft.qint8),
    ):
        with pytest.raises(NotImplementedError, match="tensors of torch.* are not built"):
            call()


TestSamples = check_values("tensor.attributes")


def test_tensors_without_elements_are_set_to_their_own_storage():
    x = ft.zeros(2, 0)
    assert x.is_set_to(x.view(2, 0)) and not x.is_set_to(ft.zeros(2, 0))


def test_dir_lists_what_there_is():
    x = ft.ones(2, 2)
    assert all(hasattr(x, name) for name in dir(x) if name not in ("imag", "volatile"))
