"""A Hamiltonian simulation: forces are the derivative of the energy, which 6,000 steps keep.

The energy of five bodies is all that is written down. Its gradient gives the forces, a leapfrog step uses them, and the
compiled function makes 20 such steps at a time.
"""

import sys
import time

import flambeau as torch

torch.set_default_dtype(torch.float64)
torch.set_num_threads(1)
MASSES = torch.tensor([1.0, 1e-3, 3e-4, 4e-5, 5e-5])
ORBITS = torch.tensor([1.0, 1.9, 3.0, 3.9])
STEP = 0.01


def potential(places):
    apart = places[:, None] - places[None, :]
    distances = (apart.square().sum(-1) + torch.eye(5)).sqrt()
    pairs = MASSES[:, None] * MASSES[None, :] / distances
    return -0.5 * (pairs.sum() - pairs.diagonal().sum())


def energy(places, momenta):
    return (momenta.square().sum(-1) / (2 * MASSES)).sum() + potential(places)


def leapfrog(places, momenta):
    force = torch.func.grad(potential)
    momenta = momenta - STEP / 2 * force(places)
    for i in range(20):
        places = places + STEP * momenta / MASSES[:, None]
        momenta = momenta - (STEP if i < 19 else STEP / 2) * force(places)
    return places, momenta


def microseconds(function, *args):
    """The shortest of several calls."""
    times = []
    for _ in range(20):
        begin = time.perf_counter()
        function(*args)
        times.append(time.perf_counter() - begin)
    return min(times) * 1e6


zero = torch.zeros(4)
places = torch.cat([torch.zeros(1, 2), torch.stack([ORBITS, zero], 1)])
momenta = MASSES[:, None] * torch.cat([torch.zeros(1, 2), torch.stack([zero, ORBITS.rsqrt()], 1)])
compiled = torch.compile(leapfrog)
before = energy(places, momenta)
path, drift = [], []
for _ in range(300):
    places, momenta = compiled(places, momenta)
    path.append(places)
    drift.append(abs(energy(places, momenta) / before - 1))
eager, fast = microseconds(leapfrog, places, momenta), microseconds(compiled, places, momenta)
print("energy kept to a thousandth:", bool(max(drift) < 1e-3))
print("compiled and eager agree:", torch.allclose(leapfrog(places, momenta)[0], compiled(places, momenta)[0]))
print("compiled is at least 10 times as fast:", eager > 10 * fast)

if len(sys.argv) > 1:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(4.5, 4.5), layout="constrained")
    for body, shade in enumerate(("#5a9e4b", "#c2510c", "#e08a4f", "#808080", "#a0a0a0")):
        axes.plot(*torch.stack(path)[:, body].T.numpy(), color=shade, linewidth=1)
    axes.set(aspect="equal", title=f"20 steps take {fast:.0f} µs, eagerly {eager:.0f}")
    figure.savefig(sys.argv[1], dpi=110)
