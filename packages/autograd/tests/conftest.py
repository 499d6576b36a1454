"""Fixtures: leaves to differentiate by, and a check of gradients against finite differences to second order."""

import gc

import numpy as np
import pytest

import flambeau_autograd as autograd
import flambeau_tensor as torch


@pytest.fixture
def leaf():
    """Makes a float64 tensor of the given values that requires grad."""
    def make(*values, dtype=torch.float64):
        return torch.tensor(list(values), dtype=dtype, requires_grad=True)
    return make


@pytest.fixture
def check():
    """Checks first and second derivatives of a function by finite differences."""
    def run(function, *inputs, second=True):
        assert autograd.gradcheck(function, inputs)
        if second:
            assert autograd.gradgradcheck(function, inputs)
    return run


@pytest.fixture
def random():
    """Makes random tensors: `random(3, 2, low=0.5)`."""
    state = np.random.RandomState(0)

    def make(*shape, low=-2.0, high=2.0, complex=False, requires_grad=True):
        values = state.uniform(low, high, shape)
        if complex:
            values = values + 1j * state.uniform(low, high, shape)
        return torch.from_numpy(np.asarray(values)).requires_grad_(requires_grad)
    return make


@pytest.fixture
def resident():
    """The memory that the process occupies, in bytes, after a collection."""
    def measure():
        gc.collect()
        with open("/proc/self/statm") as f:
            return int(f.read().split()[1]) * 4096
    try:
        measure()
    except OSError:
        pytest.skip("no /proc here")
    return measure
