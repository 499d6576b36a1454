"""A physics-informed network: it is told a differential equation and two numbers, and finds the motion.

The equation is that of a damped spring, u'' + 2 g u' + w² u = 0, with u(0) = 1 and u'(0) = 0. No point of the solution
is given; the loss is by how much the network misses the equation at points between.
"""

import math
import sys

import flambeau as torch
from flambeau import nn

torch.manual_seed(0)
torch.set_default_dtype(torch.float64)
DAMPING, FREQUENCY, END = 0.6, 4.0, 3.0


def exact(t):
    fast = math.sqrt(FREQUENCY**2 - DAMPING**2)
    return torch.exp(-DAMPING * t) * (torch.cos(fast * t) + DAMPING / fast * torch.sin(fast * t))


class Motion(nn.Module):
    """u(t) = 1 + t² net(t): whatever the network is, it starts at 1 and at rest."""

    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(1, 32), nn.Tanh(), nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, 1))

    def forward(self, t):
        return 1 + t * t * self.net(t)


def residual(motion, t):
    """What the equation leaves over at the times t, by two derivatives of the network."""
    u = motion(t)
    (speed,) = torch.autograd.grad(u.sum(), t, create_graph=True)
    (force,) = torch.autograd.grad(speed.sum(), t, create_graph=True)
    return force + 2 * DAMPING * speed + FREQUENCY**2 * u


motion = Motion()
t = torch.linspace(0, END, 100)[:, None].requires_grad_()
optimizer = torch.optim.LBFGS(motion.parameters(), max_iter=50, history_size=30, line_search_fn="strong_wolfe")
history = []


def closure():
    optimizer.zero_grad()
    loss = residual(motion, t).square().mean()
    loss.backward()
    history.append(loss.item())
    return loss


def largest_error():
    with torch.no_grad():
        return (motion(t) - exact(t)).abs().max().item()


for _ in range(40):
    if optimizer.step(closure) < 1e-4:  # the loss before these steps
        break
print("the equation is met:", min(history) < 1e-3)
print("close to the solution:", largest_error() < 5e-3)

if len(sys.argv) > 1:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    times = torch.linspace(0, END, 300)[:, None]
    with torch.no_grad():
        figure, (left, right) = pyplot.subplots(1, 2, figsize=(8, 3), layout="constrained")
        left.plot(times.numpy(), exact(times).numpy(), "--", color="#808080", label="exact")
        left.plot(times.numpy(), motion(times).numpy(), color="#c2510c", alpha=0.8, label="network")
        left.legend()
        left.set(title="the motion", xlabel="t", ylabel="u")
        right.semilogy(history, color="#c2510c")
        right.set(title="mean square of the residual", xlabel="evaluation")
        figure.savefig(sys.argv[1], dpi=110)
