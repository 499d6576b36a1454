"""The exception types for wrong arguments are PyTorch 2.13's, since programs catch them."""

import numpy as np
import pytest

import flambeau_tensor as ft

X, WIDE, INTS, BOOLS, Z = ft.ones(2), ft.ones(2).double(), ft.ones(2).long(), ft.ones(2).bool(), ft.tensor([1j, 2j])


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: ft.ones(2, layout=3), TypeError),
        (lambda: ft.tensor_split(X, BOOLS), RuntimeError),
        (lambda: ~X, TypeError),
        (lambda: ~Z, TypeError),
        (lambda: X.bitwise_not(), NotImplementedError),
        (lambda: ft.median(BOOLS), NotImplementedError),
        (lambda: ft.nanmedian(BOOLS, 0), NotImplementedError),
        (lambda: ft.linalg.vecdot(INTS, INTS), RuntimeError),
        (lambda: ft.linalg.vecdot(X, WIDE), RuntimeError),
        (lambda: ft.polar(X, WIDE), RuntimeError),
        (lambda: ft.polar(INTS, INTS), RuntimeError),
        (lambda: ft.frombuffer(bytearray(4), dtype=ft.int16, count=0), ValueError),
        (lambda: ft.frombuffer(bytearray(0), dtype=ft.int16), ValueError),
        (lambda: ft.ones(3, 2).index_select(0, ft.tensor([5])), IndexError),
        (lambda: ft.ones(3, 2).index_select(1, ft.tensor([5])), RuntimeError),
        (lambda: ft.ones(0, 2).index_select(0, ft.tensor([5])), RuntimeError),
        (lambda: ft.ones(0).index_select(0, ft.tensor([5])), IndexError),
        (lambda: ft.ones(3, 2).squeeze((0, -2)), RuntimeError),
        (lambda: ft.slice_copy(ft.ones(()), -1, 1), IndexError),
        (lambda: ft.ones(3).index_fill_(2**31, ft.tensor([0]), X), RuntimeError),
        (lambda: ft.binomial(INTS, X), ValueError),
        (lambda: ft.binomial(X, INTS), ValueError),
        (lambda: ft.ones(()).unflatten(0, (1, -1)), RuntimeError),
        (lambda: ft.ones(3).mT, RuntimeError),
        (lambda: ft.histogramdd(ft.ones(3, 2), 2, 1.0), TypeError),
        (lambda: ft._foreach_mul([X], scalars=2), TypeError),
        (lambda: ft._foreach_mul([X], scalars=[[1]]), TypeError),
        (lambda: ft._foreach_abs(input=[X]), TypeError),
        (lambda: ft.device(0), RuntimeError),
        (lambda: ft.device("cpu", -1), RuntimeError),
        (lambda: ft.zeros(2, device=2**63), ValueError),
        (lambda: X.to(True), TypeError),
        *[
            (lambda f=f, given=given: f(given), TypeError)
            for f in (ft.cartesian_prod, ft.atleast_2d, ft.broadcast_tensors, ft.block_diag, ft.meshgrid)
            for given in (1, [1])
        ],
        (lambda: ft.einsum("i", 1), TypeError),
    ],
)
def test_types_of_errors(call, error):
    with pytest.raises(Exception) as caught:
        call()
    assert type(caught.value) is error


def test_tensors_without_dimensions_are_transposed_to_themselves():
    x = ft.tensor(1 + 2j)
    assert x.mT.item() == x.T.item() == x.movedim(0, -1).item() == x.item()
    assert x.mH.item() == x.adjoint().item() == x.H.item() == 1 - 2j


def test_functions_of_lists_in_place_return_the_list():
    tensors = [ft.ones(2), ft.zeros(1)]
    for given in (tensors, tuple(tensors)):
        assert ft._foreach_add_(given, 1) is given and ft._foreach_sqrt_(self=given) is given
    assert ft._foreach_mul([X, X], [np.float32(3), 2])[0].tolist() == [3, 3]


def test_out_that_grows_over_its_input_is_written_last():
    a = ft.tensor(4.0)
    with pytest.warns(UserWarning, match="was resized"):
        ft.exp(a.expand(3), out=a)  # `a` is resized to three elements, which begin at the input
    assert (a == ft.exp(ft.tensor(4.0))).all() and a.shape == (3,)


def test_what_a_handler_raises_of_an_inversion_arrives():
    class Refusing(ft.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            raise NotImplementedError("not for these")

    with pytest.raises(NotImplementedError, match="not for these"):
        ~X.as_subclass(Refusing)


def test_devices_and_sizes_by_other_names():
    assert ft.device(device="cpu") == ft.device(type="cpu")
    assert ft.Tensor(np.int64(2), 3).shape == (2, 3) and ft.Tensor(np.int32(1)).shape == (1,)
