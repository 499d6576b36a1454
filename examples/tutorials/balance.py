"""Balancing a pole: policy gradients with a network so small that calling its operations is all the time there is.

Runs unchanged on PyTorch (`python balance.py`) and on flambeau (`flambeau run balance.py`).
"""

# --- world
import math
import sys
import time

import torch
from torch import nn
from torch.distributions import Categorical

torch.manual_seed(3)
torch.set_default_dtype(torch.float64)


class Pole:
    """A pole on a cart that is pushed to the left or to the right, 50 times a second."""

    def reset(self):
        self.state = (torch.rand(4) * 0.1 - 0.05).tolist()
        return self.state

    def step(self, action):
        x, speed, angle, turning = self.state
        force = 10.0 if action else -10.0
        sin, cos = math.sin(angle), math.cos(angle)
        pushed = (force + 0.05 * turning * turning * sin) / 1.1
        bend = (9.8 * sin - cos * pushed) / (0.5 * (4 / 3 - 0.1 * cos * cos / 1.1))
        drive = pushed - 0.05 * bend * cos / 1.1
        speed, turning = speed + 0.02 * drive, turning + 0.02 * bend
        self.state = [x + 0.02 * speed, speed, angle + 0.02 * turning, turning]
        fallen = abs(self.state[0]) > 2.4 or abs(self.state[2]) > 0.21
        return self.state, fallen


# --- policy
policy = nn.Sequential(nn.Linear(4, 24), nn.Tanh(), nn.Linear(24, 2))
optimizer = torch.optim.Adam(policy.parameters(), lr=0.01)
LONGEST = 200


def episode(world):
    """Play until the pole falls; the log-probabilities of what was done."""
    state, log_probs = world.reset(), []
    for _ in range(LONGEST):
        choice = Categorical(logits=policy(torch.tensor(state)))
        action = choice.sample()
        log_probs.append(choice.log_prob(action))
        state, fallen = world.step(action.item())
        if fallen:
            break
    return torch.stack(log_probs)


# --- learning
world, steps, lengths, begin = Pole(), 0, [], time.perf_counter()
for number in range(1, 121):
    log_probs = episode(world)
    length = len(log_probs)
    # What was still to come from each step on, discounted; then as deviation from the mean.
    to_come = torch.zeros(length)
    running = 0.0
    for i in reversed(range(length)):
        running = 1.0 + 0.98 * running
        to_come[i] = running
    advantage = (to_come - to_come.mean()) / (to_come.std() + 1e-9)
    loss = -(log_probs * advantage).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    lengths.append(length)
    steps += length
    if number % 20 == 0:
        print(f"episodes {number - 19}-{number}: {sum(lengths[-20:]) / 20:.1f} steps upright")
seconds = time.perf_counter() - begin

# --- result
print("total", steps, "steps")
if "--time" in sys.argv:
    print(f"{seconds / steps * 1e6:.0f} us a step, learning included")

# --- picture
if sys.argv[-1].endswith(".png"):
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(7, 2.8), layout="constrained")
    axes.bar(range(1, len(lengths) + 1), lengths, color="#e0a070", width=1.0)
    means = [sum(lengths[max(0, i - 9) : i + 1]) / min(i + 1, 10) for i in range(len(lengths))]
    axes.plot(range(1, len(lengths) + 1), means, color="#3a6ea5", linewidth=2, label="mean of ten episodes")
    axes.set(title="Steps that the pole stays upright", xlabel="episode", ylabel="steps")
    axes.legend()
    figure.savefig(sys.argv[-1], dpi=110)
