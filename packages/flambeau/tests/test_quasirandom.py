"""Sobol sequences: numbers of PyTorch 2.13."""

import pytest

import flambeau as torch
from flambeau.quasirandom import SobolEngine


def near(x, expected):
    torch.testing.assert_close(x, torch.tensor(expected), atol=6e-5, rtol=0)


def test_points():
    engine = torch.quasirandom.SobolEngine(3)
    near(engine.draw(4), [[0.0, 0.0, 0.0], [0.5, 0.5, 0.5], [0.75, 0.25, 0.25], [0.25, 0.75, 0.75]])
    near(engine.draw(2), [[0.375, 0.375, 0.625], [0.875, 0.875, 0.125]])
    assert engine.num_generated == 6 and repr(engine) == "SobolEngine(dimension=3)"
    near(engine.fast_forward(3).draw(1), [[0.6875, 0.8125, 0.4375]])
    near(engine.reset().draw(), [[0.0, 0.0, 0.0]])
    assert torch.equal(engine.reset().draw(9)[1:], SobolEngine(3).fast_forward(1).draw(8))


def test_scrambled_points():
    engine = SobolEngine(3, scramble=True, seed=1)
    first = [[0.2677, 0.3618, 0.7123], [0.8840, 0.6187, 0.1758], [0.5053, 0.1442, 0.9889]]
    near(engine.draw(3), first)
    near(engine.reset().draw(2), first[:2])
    assert engine.shift.tolist() == [287468019, 388430972, 764873974]
    assert engine.sobolstate[0, :3].tolist() == [699466964, 415565209, 228163850]
    assert engine.draw(2, dtype=torch.float64).dtype is torch.float64
    assert repr(engine) == "SobolEngine(dimension=3, scramble=True, seed=1)"
    torch.manual_seed(5)
    near(SobolEngine(2, scramble=True).draw(2), [[0.4803, 0.1173], [0.9498, 0.7430]])


def test_numbers_of_points():
    near(SobolEngine(2).draw_base2(1), [[0.0, 0.0], [0.5, 0.5]])
    engine = SobolEngine(2)
    out = torch.empty(0)
    assert engine.draw(3, out=out) is out and out.shape == (3, 2)
    with pytest.raises(ValueError, match=r"n=3\+2\*\*2=7"):
        engine.draw_base2(2)
    with pytest.raises(ValueError, match=r"is \[1, 21201\]"):
        SobolEngine(0)
