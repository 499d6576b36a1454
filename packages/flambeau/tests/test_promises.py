"""What the project promises of itself as a whole: its size, its memory, its agreement with a hand-made training run."""

import importlib.metadata
import re

import pytest

import flambeau as torch
from flambeau import nn
from flambeau.nn import functional as F

DISTRIBUTIONS = (
    "numpy",
    "flambeau",
    *(re.match(r"[\w-]+", line)[0] for line in importlib.metadata.requires("flambeau") if "extra" not in line),
)


def test_an_installation_is_a_tenth_of_a_gigabyte_at_most():
    """NumPy included; what it replaces takes 750 MB."""
    total = 0
    for name in DISTRIBUTIONS:
        for file in importlib.metadata.distribution(name).files or ():
            path = file.locate()
            total += path.stat().st_size if path.is_file() and path.suffix != ".pyc" else 0
    assert 0 < total < 100e6, f"{total / 1e6:.1f} MB"


@pytest.mark.measures
def test_ten_thousand_training_steps_do_not_grow_memory():
    import gc

    from flambeau_tensor.extend import memory_stats

    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 4))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    x, y = torch.randn(8, 16), torch.randint(0, 4, (8,))

    def steps(n):
        for _ in range(n):
            optimizer.zero_grad()
            loss = F.cross_entropy(model(x), y)
            loss.backward()
            optimizer.step()
        gc.collect()
        return len(gc.get_objects()), memory_stats()["allocated"]

    steps(100)
    objects, allocated = steps(100)
    later_objects, later_allocated = steps(10_000)
    assert later_objects - objects < 20
    assert later_allocated == allocated


def test_training_takes_the_steps_that_numpy_takes():
    """Two layers, squared error, plain gradient descent, against the same written out by hand."""
    import numpy as np

    rng = np.random.default_rng(0)
    x, y = rng.standard_normal((20, 3)), rng.standard_normal((20, 1))
    w1, w2 = rng.standard_normal((5, 3)), rng.standard_normal((1, 5))
    model = nn.Sequential(nn.Linear(3, 5, bias=False), nn.Tanh(), nn.Linear(5, 1, bias=False)).double()
    with torch.no_grad():
        model[0].weight.copy_(torch.from_numpy(w1))
        model[2].weight.copy_(torch.from_numpy(w2))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    tx, ty = torch.from_numpy(x), torch.from_numpy(y)
    for _ in range(25):
        optimizer.zero_grad()
        F.mse_loss(model(tx), ty).backward()
        optimizer.step()
        h = np.tanh(x @ w1.T)
        error = 2 * (h @ w2.T - y) / y.size
        g2, g1 = error.T @ h, ((error @ w2) * (1 - h * h)).T @ x
        w1, w2 = w1 - 0.1 * g1, w2 - 0.1 * g2
    assert np.allclose(model[0].weight.detach().numpy(), w1) and np.allclose(model[2].weight.detach().numpy(), w2)
