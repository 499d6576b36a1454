"""Fixtures: leaves to differentiate by, and a check of gradients against finite differences to second order."""

import ctypes
import gc

import numpy as np
import pytest

import flambeau_autograd as autograd
import flambeau_tensor as torch
from samples import derivatives


@pytest.fixture
def leaf():
    """Makes a float64 tensor of the given values that requires grad."""

    def make(*values, dtype=torch.float64):
        return torch.tensor(list(values), dtype=dtype, requires_grad=True)

    return make


@pytest.fixture
def check_tangents():
    """Checks forward mode against reverse mode."""
    return derivatives.check_tangents


@pytest.fixture
def check(check_tangents):
    """Checks first and second derivatives of a function by finite differences, and tangents against gradients."""

    def run(function, *inputs, second=True):
        assert autograd.gradcheck(function, inputs)
        if second:  # forward mode needs it, too, where it transposes the formulas
            check_tangents(function, *inputs)
            assert autograd.gradgradcheck(function, inputs, check_fwd_over_rev=True)

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
def draw():
    """Makes normal numbers from a seed, real or complex: `draw(0, "complex128", 3, 2)`."""

    def make(seed, dtype, *shape):
        g = np.random.default_rng(seed)
        a = g.standard_normal(shape)
        if dtype == "complex128":
            a = a + 1j * g.standard_normal(shape)
        return torch.tensor(a.astype(dtype)).requires_grad_()

    return make


@pytest.fixture
def resident():
    """The memory that the process occupies, in bytes, after a collection."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # of glibc: what is free goes back, wherever it lies

    def measure():
        gc.collect()
        if trim:
            trim(0)
        with open("/proc/self/statm") as f:
            return int(f.read().split()[1]) * 4096

    try:
        measure()
    except OSError:
        pytest.skip("no /proc here")
    return measure
