"""Tensors with units: metres add to metres, divide by seconds into speeds, and refuse kilograms.

The type wraps a tensor and answers `__torch_function__`; what it lets through works with every function that it lists,
gradients included.
"""

import sys
from typing import Any

import flambeau as torch
from flambeau.overrides import OperatorsMixin

F: Any = torch  # for type checkers: the stubs speak of tensors, and here functions are called with quantities


class Quantity(OperatorsMixin):
    """A tensor and the powers of the base units that it is counted in: `Quantity(x, m=1, s=-1)`."""

    def __init__(self, value, **powers):
        self.value = torch.as_tensor(value, dtype=torch.float64)
        self.powers = {unit: power for unit, power in powers.items() if power}

    def __repr__(self):
        up = [u if p == 1 else f"{u}^{p:g}" for u, p in sorted(self.powers.items())]
        return f"{self.value.tolist()} {' '.join(up)}".rstrip()

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        rule = RULES.get(func)
        if rule is None or not all(issubclass(t, (Quantity, torch.Tensor)) for t in types):
            return NotImplemented
        quantities = [a if isinstance(a, Quantity) else Quantity(a) for a in args if not isinstance(a, int)]
        powers = rule(quantities, args)
        values = [a.value if isinstance(a, Quantity) else a for a in args]
        return Quantity(func(*values, **(kwargs or {})), **powers)


def same(quantities, args):
    first, *rest = (q.powers for q in quantities)
    if any(powers != first for powers in rest):
        raise TypeError(f"units do not agree: {quantities[0]} and {quantities[1]}")
    return first


def combined(sign):
    def rule(quantities, args):
        a, b = (q.powers for q in quantities)
        return {unit: a.get(unit, 0) + sign * b.get(unit, 0) for unit in a.keys() | b.keys()}

    return rule


def root(quantities, args):
    return {unit: power / 2 for unit, power in quantities[0].powers.items()}


def none(quantities, args):
    if quantities[0].powers:
        raise TypeError(f"{quantities[0]} must have no unit here")
    return {}


def product(quantities, args):
    """`torch.mul(q, 2)`: a plain int has no unit."""
    return combined(1)(quantities, args) if len(quantities) == 2 else quantities[0].powers


RULES = {
    torch.add: same,
    torch.sub: same,
    torch.mul: product,
    torch.true_divide: combined(-1),
    torch.sqrt: root,
    torch.mean: same,
    torch.sin: none,
    torch.exp: none,
}

length = Quantity([0.25, 1.0, 4.0], m=1)
gravity = Quantity(9.81, m=1, s=-2)
period = 2 * torch.pi * F.sqrt(length / gravity)
print("periods of pendulums:", F.mean(period))
try:
    length + period
except TypeError as error:
    print("TypeError:", error)

# How much longer a pendulum has to be for its period to grow by a second: gradients pass through.
x = torch.tensor(1.0, dtype=torch.float64, requires_grad=True)
swing = 2 * torch.pi * F.sqrt(Quantity(x, m=1) / gravity)
swing.value.backward()
per_second = Quantity(1.0, m=1) / Quantity(x.grad, s=1)
print(f"{per_second.value.item():.4f}", " ".join(f"{u}^{p}" for u, p in sorted(per_second.powers.items())))

if len(sys.argv) > 1:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    lengths = Quantity(torch.linspace(0.05, 4, 100), m=1)
    periods = 2 * torch.pi * F.sqrt(lengths / gravity)
    figure, axes = pyplot.subplots(figsize=(6, 3), layout="constrained")
    axes.plot(lengths.value.numpy(), periods.value.numpy(), color="#c2510c")
    axes.set(title="periods of pendulums", xlabel=" ".join(lengths.powers), ylabel=" ".join(periods.powers))
    figure.savefig(sys.argv[1], dpi=110)
