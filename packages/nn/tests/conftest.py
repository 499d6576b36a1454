"""Fixtures that several files share."""

import pytest

import flambeau_tensor as ft
from flambeau_autograd import no_grad


@pytest.fixture(scope="session")
def weighed():
    """Sums a tensor with weights 1, 2, 3, …, so that each element counts by its own."""

    def total(t):
        return (t * ft.arange(1.0, t.numel() + 1, dtype=t.dtype).reshape(t.shape)).sum()

    return total


@pytest.fixture(scope="session")
def waves():
    """Gives a module sines for weights."""

    def fill(module):
        k = 0
        with no_grad():
            for p in module.parameters():
                p.copy_(ft.arange(k, k + p.numel(), dtype=p.dtype).mul(0.7).sin().reshape(p.shape))
                k += p.numel()
        return module

    return fill


@pytest.fixture(scope="session")
def close():
    """Checks numbers that were written down."""

    def check(got, expected, rel=1e-8):
        assert got == pytest.approx(expected, rel=rel, abs=1e-8)

    return check


@pytest.fixture
def check_error():
    """Checks that a call raises, with exactly this text."""

    def check(call, kind, text):
        with pytest.raises(kind) as caught:
            call()
        assert str(caught.value) == text

    return check
