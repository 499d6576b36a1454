"""Programs add methods to the class Tensor, and temporarily replace some."""

from unittest import mock

import pytest

import flambeau_tensor as torch
from flambeau_tensor import Tensor


class Sub(Tensor):
    pass


@pytest.mark.parametrize("make", [torch.tensor, Sub])
def test_methods_are_added_and_taken_away(make):
    x = make([1.0, 2.0])
    Tensor.scaled = lambda self, n: self * n
    assert x.scaled(3).tolist() == [3, 6] and type(x.scaled(3)) is type(x)
    del Tensor.scaled
    assert not hasattr(x, "scaled")


@pytest.mark.parametrize("make", [torch.tensor, Sub])
def test_methods_are_replaced_for_a_while(make):
    x = make([1.0, 2.0])
    with mock.patch.object(Tensor, "sum", lambda self: "sum"), mock.patch.object(Tensor, "__repr__", lambda self: "x"):
        assert x.sum() == "sum" and repr(x) == "x"
    with mock.patch.object(Tensor, "__add__", lambda self, other: "added"):
        assert x + x == "added"
    with mock.patch.object(Tensor, "device", mock.PropertyMock(return_value="somewhere")):
        assert x.device == "somewhere"
    assert x.sum().item() == 3 and (x + x).tolist() == [2, 4] and x.device == torch.device("cpu")
    assert "1., 2." in repr(x)
