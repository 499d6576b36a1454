"""What kind of exception a wrong argument raises: that of PyTorch 2.13, since programs catch it."""

import pytest

import flambeau_tensor as ft

X, WIDE, INTS, BOOLS, Z = ft.ones(2), ft.ones(2).double(), ft.ones(2).long(), ft.ones(2).bool(), ft.tensor([1j, 2j])


@pytest.mark.parametrize(
    ("call", "error"),
    [
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
    ],
)
def test_types_of_errors(call, error):
    with pytest.raises(Exception) as caught:
        call()
    assert type(caught.value) is error
