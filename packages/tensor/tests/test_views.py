"""Views: their geometry against NumPy, shared memory, and errors, which are PyTorch 2.13's."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import flambeau_tensor as ft
from samples.values import check_values

A = np.arange(24).reshape(2, 3, 4)
X = ft.from_numpy(A)

VIEWS = {
    "view": (lambda x: x.view(4, 6), lambda a: a.reshape(4, 6)),
    "view -1": (lambda x: x.view(-1, 8), lambda a: a.reshape(-1, 8)),
    "reshape": (lambda x: x.reshape(3, 8), lambda a: a.reshape(3, 8)),
    "flatten": (lambda x: x.flatten(), lambda a: a.ravel()),
    "flatten 1": (lambda x: x.flatten(1), lambda a: a.reshape(2, 12)),
    "flatten 0 1": (lambda x: ft.flatten(x, 0, 1), lambda a: a.reshape(6, 4)),
    "ravel": (lambda x: x.ravel(), lambda a: a.ravel()),
    "unflatten": (lambda x: x.unflatten(2, (2, -1)), lambda a: a.reshape(2, 3, 2, 2)),
    "transpose": (lambda x: x.transpose(0, -1), lambda a: a.swapaxes(0, -1)),
    "swapaxes": (lambda x: ft.swapaxes(x, 0, 1), lambda a: a.swapaxes(0, 1)),
    "permute": (lambda x: x.permute(2, 0, 1), lambda a: a.transpose(2, 0, 1)),
    "movedim": (lambda x: x.movedim(0, 2), lambda a: np.moveaxis(a, 0, 2)),
    "movedim list": (lambda x: x.moveaxis((0, 1), (2, 0)), lambda a: np.moveaxis(a, (0, 1), (2, 0))),
    "mT": (lambda x: x.mT, lambda a: a.swapaxes(1, 2)),
    "T of a matrix": (lambda x: x[0].T, lambda a: a[0].T),
    "t": (lambda x: x[0].t(), lambda a: a[0].T),
    "H": (lambda x: x[0].H, lambda a: a[0].T),
    "adjoint": (lambda x: x.adjoint(), lambda a: a.swapaxes(1, 2)),
    "unsqueeze": (lambda x: x.unsqueeze(1), lambda a: a[:, None]),
    "unsqueeze -1": (lambda x: x.unsqueeze(-1), lambda a: a[..., None]),
    "squeeze": (lambda x: x[:1].squeeze(), lambda a: a[0]),
    "squeeze 0": (lambda x: x[:1].squeeze(0), lambda a: a[0]),
    "squeeze 1": (lambda x: x[:1].squeeze(1), lambda a: a[:1]),
    "squeeze list": (lambda x: x[:1, :1].squeeze((0, 1)), lambda a: a[0, 0]),
    "expand": (lambda x: x[:, :1].expand(5, -1, 3, 4), lambda a: np.broadcast_to(a[:, :1], (5, 2, 3, 4))),
    "expand_as": (lambda x: x[0].expand_as(x), lambda a: np.broadcast_to(a[0], a.shape)),
    "view_as": (lambda x: x.view_as(ft.zeros(6, 4)), lambda a: a.reshape(6, 4)),
    "reshape_as": (lambda x: x.reshape_as(ft.zeros(6, 4)), lambda a: a.reshape(6, 4)),
    "select": (lambda x: x.select(1, -1), lambda a: a[:, -1]),
    "narrow": (lambda x: x.narrow(2, 1, 2), lambda a: a[:, :, 1:3]),
    "narrow from the end": (lambda x: x.narrow(2, -2, 1), lambda a: a[:, :, 2:3]),
    "diagonal": (lambda x: x.diagonal(0, 1, 2), lambda a: a.diagonal(0, 1, 2)),
    "diagonal above": (lambda x: ft.diagonal(x, 1, 1, 2), lambda a: a.diagonal(1, 1, 2)),
    "diagonal below": (lambda x: x.diagonal(-1, dim1=1, dim2=2), lambda a: a.diagonal(-1, 1, 2)),
    "diagonal far": (lambda x: x.diagonal(9, 1, 2), lambda a: a.diagonal(9, 1, 2)),
    "unfold": (lambda x: x.unfold(2, 2, 1), lambda a: np.lib.stride_tricks.sliding_window_view(a, 2, 2)),
    "as_strided": (lambda x: x.as_strided((2, 2), (1, 3), 4), lambda a: a.ravel()[[[4, 7], [5, 8]]]),
    "real": (lambda x: x.real, lambda a: a),
}


@pytest.mark.parametrize("name", VIEWS)
@pytest.mark.parametrize("dtype", ["int64", "float32", "bool", "float64", "bfloat16"])
def test_views_look_at_the_same_memory(name, dtype):
    make, reference = VIEWS[name]
    x = X.to(getattr(ft, dtype), copy=True)
    v = make(x)
    expected = reference(A)
    assert tuple(v.shape) == expected.shape
    assert v.tolist() == (expected.astype(bool) if dtype == "bool" else expected).tolist()
    assert v.untyped_storage() is x.untyped_storage()
    if v is not x:
        assert v._base is x
    v_again = make(v) if v.shape == x.shape and name not in ("expand_as",) else None
    assert v_again is None or v_again.untyped_storage() is x.untyped_storage()
    if expected.size and "expand" not in name and "unfold" not in name:
        version = x._version
        v.fill_(0)
        assert (
            x._version == version + 1
            and x.to(ft.int64).sum().item()
            == (A if dtype != "bool" else A != 0).sum() - (expected if dtype != "bool" else expected != 0).sum()
        )


@pytest.mark.parametrize("name", ["view", "flatten", "permute", "expand", "unsqueeze", "diagonal", "select", "unfold"])
def test_views_of_subclasses_and_zero_sizes(name):
    class Sub(ft.Tensor):
        pass

    make, _ = VIEWS[name]
    assert type(make(X.as_subclass(Sub))) is Sub
    assert ft.zeros(0, 3).unsqueeze(1).shape == (0, 1, 3) and ft.zeros(0, 3).view(3, 0).shape == (3, 0)
    assert ft.zeros(2, 0).expand(4, 2, 0).shape == (4, 2, 0) and ft.zeros(0, 3).t().shape == (3, 0)


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_reshape_views_exactly_where_numpy_does(data):
    shape = data.draw(st.lists(st.sampled_from([1, 2, 3, 4]), min_size=1, max_size=4))
    order = data.draw(st.permutations(range(len(shape))))
    steps = [data.draw(st.integers(1, 2)) for _ in shape]
    base = np.arange(int(np.prod(shape)))
    a = base.reshape(shape).transpose(order)[tuple(slice(None, None, s) for s in steps)]
    x = ft.from_numpy(base.copy()).view(*shape).permute(*order)[tuple(slice(None, None, s) for s in steps)]
    left, target = a.size, []
    while left > 1:
        n = data.draw(st.sampled_from([d for d in range(2, left + 1) if left % d == 0]))
        target.append(n)
        left //= n
    target.insert(data.draw(st.integers(0, len(target))), 1)
    y = x.reshape(target)
    assert y.tolist() == a.reshape(target).tolist()
    shares = np.shares_memory(a.reshape(target), base)
    assert (y.untyped_storage() is x.untyped_storage()) == shares
    if shares:
        assert x.view(target).stride() == y.stride()
    else:
        with pytest.raises(RuntimeError, match="view size is not compatible with input tensor's size and stride"):
            x.view(target)


def test_views_in_another_dtype():
    x = ft.tensor([[1.0, 2.0], [3.0, 4.0]])
    assert x.view(ft.int32).tolist() == x.numpy().view(np.int32).tolist()
    assert x.view(ft.float64).shape == (2, 1) and x.view(ft.int16).shape == (2, 4)
    assert x.view(ft.uint8).tolist() == x.numpy().view(np.uint8).tolist() and x.t().view(ft.int32).shape == (2, 2)
    assert ft.tensor([1 + 2j]).view(ft.float32).tolist() == [1, 2]
    for call, text in (
        (lambda: ft.tensor(1.0).view(ft.int16), "self.dim() cannot be 0"),
        (lambda: x.t().view(ft.int16), "self.stride(-1) must be 1"),
        (lambda: ft.zeros(3).view(ft.float64), "self.size(-1) must be divisible by 2"),
    ):
        with pytest.raises(RuntimeError) as caught:
            call()
        assert text in str(caught.value)


def test_complex_parts():
    z = ft.tensor([[1 + 2j, 3 - 4j]])
    assert z.real.tolist() == [[1, 3]] and z.imag.tolist() == [[2, -4]] and z.real.stride() == (4, 2)
    assert ft.view_as_real(z).tolist() == [[[1, 2], [3, -4]]]
    assert ft.view_as_complex(ft.view_as_real(z)).tolist() == z.tolist()
    one = ft.ones(3).as_strided((1, 2), (1, 1))  # a dimension of size 1 takes no step
    assert ft.view_as_complex(one).tolist() == [1 + 1j]
    z.real = ft.tensor([[9.0, 8.0]])
    z.imag = 0.5
    assert z.tolist() == [[9 + 0.5j, 8 + 0.5j]] and z.mH.tolist() == [[9 - 0.5j], [8 - 0.5j]]
    assert z.conj().tolist() == z.conj().resolve_conj().tolist() and not z.is_conj()
    for call, text in (
        (lambda: ft.ones(1).imag, "imag is not implemented for tensors with non-complex dtypes."),
        (lambda: ft.view_as_real(ft.ones(1)), "only supported for complex tensors"),
        (lambda: ft.view_as_complex(ft.ones(3)), "Tensor must have a last dimension of size 2"),
        (lambda: ft.view_as_complex(ft.ones(2, dtype=ft.int64)), "only supported for half, float"),
    ):
        with pytest.raises(RuntimeError) as caught:
            call()
        assert text in str(caught.value)


M = ft.zeros(2, 3)


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: M.view(4), RuntimeError, "shape '[4]' is invalid for input of size 6"),
        (lambda: M.view(-1, 4), RuntimeError, "is invalid for input of size 6"),
        (lambda: M.view(-1, -1), RuntimeError, "only one dimension can be inferred"),
        (lambda: M.view(-2, 3), RuntimeError, "invalid shape dimension -2"),
        (lambda: ft.zeros(0).view(-1, 0), RuntimeError, "dimension size -1 can be any value and is ambiguous"),
        (lambda: M.t().view(6), RuntimeError, "Use .reshape(...) instead."),
        (lambda: M.reshape(5), RuntimeError, "shape '[5]' is invalid for input of size 6"),
        (
            lambda: M.transpose(0, 2),
            IndexError,
            "Dimension out of range (expected to be in range of [-2, 1], but got 2)",
        ),
        (lambda: ft.tensor(1).transpose(0, 1), IndexError, "in range of [-1, 0], but got 1"),
        (lambda: M.permute(0), RuntimeError, "input.dim() = 2 is not equal to len(dims) = 1"),
        (lambda: M.permute(0, 0), RuntimeError, "permute(): duplicate dims are not allowed."),
        (lambda: M.unsqueeze(4), IndexError, "Dimension out of range (expected to be in range of [-3, 2], but got 4)"),
        (lambda: M.squeeze(2), IndexError, "Dimension out of range"),
        (
            lambda: M.expand(2),
            RuntimeError,
            "the number of sizes provided (1) must be greater or equal to the number of",
        ),
        (
            lambda: M.expand(3, 3),
            RuntimeError,
            "The expanded size of the tensor (3) must match the existing size (2) at "
            "non-singleton dimension 0.  Target sizes: [3, 3].  Tensor sizes: [2, 3]",
        ),
        (lambda: M.expand(-1, 2, 3), RuntimeError, "isn't allowed in a leading, non-existing dimension 0"),
        (lambda: M.select(0, 2), IndexError, "select(): index 2 out of range for tensor of size [2, 3] at dimension 0"),
        (lambda: ft.tensor(1).select(0, 0), IndexError, "select() cannot be applied to a 0-dim tensor."),
        (lambda: M.narrow(0, 1, 2), RuntimeError, "start (1) + length (2) exceeds dimension size (2)."),
        (lambda: M.narrow(0, 0, -1), RuntimeError, "narrow(): length must be non-negative."),
        (lambda: M.narrow(0, 3, 0), IndexError, "start out of range (expected to be in range of [-2, 2], but got 3)"),
        (lambda: M.diagonal(0, 1, 1), RuntimeError, "diagonal dimensions cannot be identical 1, 1"),
        (lambda: M.unfold(0, 3, 1), RuntimeError, "maximum size for tensor at dimension 0 is 2 but size is 3"),
        (lambda: M.unfold(0, 1, 0), RuntimeError, "step is 0 but must be > 0"),
        (lambda: M.flatten(1, 0), RuntimeError, "flatten() has invalid args: start_dim cannot come after end_dim"),
        (
            lambda: M.unflatten(1, (2, 2)),
            RuntimeError,
            "unflatten: Provided sizes [2, 2] don't multiply up to the size of dim 1 (3) in the input tensor",
        ),
        (lambda: M.unflatten(5, (3,)), IndexError, "Dimension out of range"),
        (lambda: M.as_strided((3, 3), (3, 1)), RuntimeError, "are out of bounds for storage of size 24"),
        (lambda: M.as_strided((2,), (-1,)), RuntimeError, "Negative strides are not supported"),
        (lambda: M.as_strided((2,), (1,), -1), RuntimeError, "Tensor: invalid storage offset -1"),
        (lambda: M.as_strided((2,), (1, 1)), RuntimeError, "mismatch in length of strides and shape"),
        (lambda: M.as_strided((2**40, 2**40), (2**40, 1)), RuntimeError, "overflow"),
        (lambda: M.movedim(0, (0, 1)), TypeError, "invalid combination of arguments - got (int, tuple of (int, int))"),
        (lambda: M.movedim((0,), (0, 1)), RuntimeError, "Invalid source or destination dims"),
        (lambda: M.movedim((0, 0), (0, 1)), RuntimeError, "repeated dim in `source`"),
        (lambda: ft.zeros(2, 2, 2).t(), RuntimeError, "t() expects a tensor with <= 2 dimensions, but self is 3D"),
        (lambda: ft.zeros(2).mT, RuntimeError, "only supported on matrices or batches of matrices. Got 1-D tensor."),
        (lambda: ft.zeros(2).H, RuntimeError, "only supported on matrices (2-D tensors). Got 1-D tensor."),
        (lambda: ft.zeros(*[1] * 64).unsqueeze(0), RuntimeError, "at most 64 dimensions"),
    ],
)
def test_errors(call, error, text):
    with pytest.raises(error) as caught:
        call()
    assert text in str(caught.value)


def test_many_dimensions():
    x = ft.arange(64).view(*[2] * 6).permute(5, 4, 3, 2, 1, 0)
    a = np.arange(64).reshape([2] * 6).transpose(5, 4, 3, 2, 1, 0)
    assert x.transpose(0, 5).tolist() == a.swapaxes(0, 5).tolist()
    y = x.unsqueeze(3).squeeze(3).unsqueeze(0)
    assert y.shape == (1, *[2] * 6) and y[0].tolist() == x.tolist()


def test_flatten_of_one_dimension_is_the_tensor_itself():
    x = ft.arange(3)
    assert x.flatten() is x and ft.ones(2, 3).flatten(1).shape == (2, 3)
    y = ft.ones(2, 3)
    assert y.flatten(-1) is y and y.flatten(0, 1) is not y and ft.tensor(3).flatten().shape == (1,)


def test_as_strided_scatter():
    x = ft.arange(6.0).view(2, 3)
    assert ft.as_strided_scatter(x, -ft.ones(2, 2), (2, 2), (1, 2)).tolist() == [[-1, -1, -1], [-1, 4, 5]]
    part = ft.arange(12.0).view(3, 4)[1:]  # offsets count from the start of the memory
    assert part.as_strided_scatter(-ft.ones(2), (2,), (4,), 5).tolist() == [[4, -1, 6, 7], [8, -1, 10, 11]]
    turned = ft.as_strided_scatter(x.t(), -ft.ones(2), (2,), (1,))
    assert turned.stride() == (1, 3) and turned.tolist() == [[-1, 3], [-1, 4], [2, 5]]
    with pytest.raises(RuntimeError, match="expected src to have a size equal to the slice of self. src size"):
        ft.as_strided_scatter(x, ft.ones(2, 3), (2, 2), (1, 2))


def test_bytes_that_do_not_begin_at_an_element():
    """The offset of a view is a multiple of its elements."""
    x = ft.zeros(9, dtype=ft.uint8)
    assert x[4:8].view(ft.int32).storage_offset() == 1
    for part, dtype in ((x[1:5], ft.int32), (x[2:6], ft.float32), (ft.zeros(5)[1:], ft.complex64)):
        with pytest.raises(RuntimeError, match="storage_offset.* must be divisible by"):
            part.view(dtype)
    with pytest.raises(RuntimeError, match="storage_offset divisible by 2"):
        ft.view_as_complex(ft.zeros(5)[1:].view(2, 2))


@pytest.mark.parametrize(
    ("make", "dtype", "message"),
    [
        (
            lambda: ft.zeros(4, 5)[:, :4],
            ft.float64,
            r"self.stride\(0\) must be divisible by 2 .* got 5",
        ),
        (lambda: ft.zeros(4, 4).t(), ft.float64, r"self.stride\(-1\) must be 1 .* but got 4"),
        (lambda: ft.zeros(3), ft.int64, r"self.size\(-1\) must be divisible by 2 to view Float as Long .*, but got 3"),
        (lambda: ft.zeros(()), ft.int16, r"self.dim\(\) cannot be 0 to view Float as Short"),
        (lambda: ft.zeros(2, dtype=ft.complex64).conj().imag, ft.int32, "tensors with negative bit set"),
    ],
)
def test_what_cannot_be_seen_as_another_dtype(make, dtype, message):
    with pytest.raises(RuntimeError, match=message):
        make().view(dtype)


def test_new_dimensions_of_expand_lie_as_those_of_unsqueeze():
    x = ft.arange(5.0)
    assert x.expand(1, 1, 5).stride() == x.unsqueeze(0).unsqueeze(0).stride() == (5, 5, 1)
    assert ft.zeros(3, 1, 4).expand(1, 3, 1, 4).stride() == (12, 4, 4, 1)
    assert ft.zeros(()).expand(1, 2, 1).stride() == (0, 0, 1)


TestSamples = check_values("tensor.views")
