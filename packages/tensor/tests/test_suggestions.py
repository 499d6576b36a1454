"""Errors about names suggest the name that was probably meant, in a note, because messages are PyTorch's."""

import pytest

import flambeau_tensor as torch
from flambeau_tensor.not_built import missing


@pytest.mark.parametrize(
    ("call", "meant"),
    [
        (lambda x: torch.zeros(2, dtyp=torch.int32), "dtype"),
        (lambda x: torch.sum(x, keep_dim=True), "keepdim"),
        (lambda x: x.sum(dims=0), "dim"),
        (lambda x: x.add(1, alpa=2), "alpha"),
    ],
)
def test_a_keyword(call, meant):
    with pytest.raises(TypeError) as caught:
        call(torch.ones(2))
    assert caught.value.__notes__ == [f"Did you mean: '{meant}'?"]


def test_an_attribute_of_torch():
    error = missing("torch", "oness")
    assert str(error) == "module 'torch' has no attribute 'oness'" and error.__notes__ == ["Did you mean: 'ones'?"]
    assert not hasattr(missing("torch", "__oness__"), "__notes__")


@pytest.mark.parametrize(
    "call", [lambda x: torch.zeros(2, qqq=1), lambda x: torch.sum(x, qqq=1), lambda x: torch.add(x)]
)
def test_nothing_resembles(call):
    with pytest.raises(TypeError) as caught:
        call(torch.ones(2))
    assert not hasattr(caught.value, "__notes__")
