"""Model predictive control: a cart catches its leaning pole by planning its pushes anew at each moment.

A plan is 20 pushes. Its cost is found by simulating it, and lowered by steps along the gradient through that
simulation; then the first push is made, and planning begins again. Simulation, gradient and step are one C function.
"""

import sys
import time

import flambeau as torch

torch.set_default_dtype(torch.float64)
torch.set_num_threads(1)
HORIZON, PERIOD, STRONGEST = 20, 0.04, 20.0


def motion(state, push):
    """The speeds and accelerations of a cart of 1 kg with a pole of 0.2 kg; the angle is 0 where the pole stands."""
    _, speed, angle, turn = state.unbind()
    sine, cosine = angle.sin(), angle.cos()
    along = (push + 0.1 * turn * turn * sine) / 1.2
    turning = (9.81 * sine - cosine * along) / (0.5 * (4.0 / 3.0 - 0.2 * cosine * cosine / 1.2))
    return torch.stack([speed, along - 0.1 * turning * cosine / 1.2, turn, turning])


def move(state, push):
    middle = state + PERIOD / 2 * motion(state, push)
    return state + PERIOD * motion(middle, push)


def cost(plan, state):
    total = 0.0
    place, speed, angle, turn = state.unbind()
    for push in (STRONGEST * plan.tanh()).unbind():
        state = move(state, push)
        place, speed, angle, turn = state.unbind()
        total = total + 0.2 * place**2 + 0.1 * speed**2 + 10 * (1 - angle.cos()) + 0.2 * turn**2 + 0.001 * push**2
    return total + 5 * angle**2 + 0.5 * turn**2 + 0.5 * speed**2


def improve(plan, state):
    gradient = torch.func.grad(cost)(plan, state)
    return plan - 0.2 * gradient / (1 + gradient.norm())


def microseconds(function, *args):
    """The shortest of several calls."""
    times = []
    for _ in range(7):
        begin = time.perf_counter()
        function(*args)
        times.append(time.perf_counter() - begin)
    return min(times) * 1e6


compiled = torch.compile(improve)
state, plan = torch.tensor([0.0, 0.0, 0.5, 0.0]), torch.zeros(HORIZON)
path = []
for _ in range(100):
    for _ in range(20):
        plan = compiled(plan, state)
    path.append(state)
    state = move(state, STRONGEST * plan[0].tanh())
    plan = torch.cat([plan[1:], plan[-1:]])
path = torch.stack(path)
eager, fast = microseconds(improve, plan, state), microseconds(compiled, plan, state)
print("the pole stands:", bool(path[-20:, 2].abs().max() < 0.1))
print("compiled and eager plans agree:", torch.allclose(improve(plan, state), compiled(plan, state)))
print("compiled is at least 20 times as fast:", eager > 20 * fast)

if len(sys.argv) > 1:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(7, 3), layout="constrained")
    times = PERIOD * torch.arange(len(path))
    axes.plot(times.numpy(), path[:, 2].numpy(), color="#c2510c", label="angle of the pole")
    axes.plot(times.numpy(), path[:, 0].numpy(), color="#808080", label="place of the cart")
    axes.set(title=f"a step of planning takes {fast:.0f} µs, eagerly {eager:.0f} µs", xlabel="s")
    axes.legend()
    figure.savefig(sys.argv[1], dpi=110)
