"""An evolution strategy teaches a cart to balance its pole, on all processors.

Every generation tries 64 changed copies of a small network, in 4 episodes each. The changes come from seeds, so a
worker gets the network and returns one number for each copy; the gradient is the sum of the changes, weighted by these.
Each worker computes its copies as one batch (`torch.func.functional_call` under `vmap`).
"""

import sys
import time

import flambeau as torch
from flambeau import nn, parallel

STEPS, EPISODES, COPIES, PART, SCALE, RATE = 200, 4, 64, 16, 0.3, 1.0
network = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
SHAPES = [p.shape for p in network.parameters()]
SIZE = sum(p.numel() for p in network.parameters())


def act(weights, states):
    """The push of one copy in each of its episodes."""
    parts = weights.split([shape.numel() for shape in SHAPES])
    names = [name for name, _ in network.named_parameters()]
    named = {name: part.view(shape) for name, part, shape in zip(names, parts, SHAPES, strict=True)}
    return torch.func.functional_call(network, named, (states,)).squeeze(-1)


def move(states, push):
    """One step of 0.02 s of carts of 1 kg with poles of 0.1 kg."""
    place, speed, angle, turn = states.unbind(-1)
    along = (push + 0.05 * turn**2 * angle.sin()) / 1.1
    turning = (9.8 * angle.sin() - angle.cos() * along) / (0.5 * (4.0 / 3.0 - 0.1 * angle.cos() ** 2 / 1.1))
    speeds = torch.stack([speed, along - 0.05 * turning * angle.cos() / 1.1, turn, turning], -1)
    return states + 0.02 * speeds


@torch.no_grad()
def balanced(weights):
    """How many steps each copy balances its pole, on average over its episodes."""
    states = 0.1 * torch.rand(len(weights), EPISODES, 4) - 0.05
    up = torch.ones(len(weights), EPISODES)
    total = torch.zeros(len(weights))
    for _ in range(STEPS):
        push = 10 * torch.vmap(act)(weights, states).tanh()
        states = move(states, push)
        up = up * ((states[..., 2].abs() < 0.21) & (states[..., 0].abs() < 2.4))
        total += up.mean(1)
    return total


def changes(seed):
    """The changes of a part of the copies: each one and its opposite."""
    generator = torch.Generator().manual_seed(seed)
    half = torch.randn(PART // 2, SIZE, generator=generator)
    return torch.cat([half, -half])


def tried(part):
    weights, seed = part
    return balanced(weights + SCALE * changes(seed))


def train(generations, workers):
    """The best average of each generation, and the seconds of one."""
    torch.manual_seed(0)
    weights, history = 0.1 * torch.randn(SIZE), []
    list(parallel.map(tried, [(weights, 0)] * workers, workers=workers))  # the workers start
    begin = time.perf_counter()
    for generation in range(generations):
        seeds = [generation * 1000 + part for part in range(COPIES // PART)]
        parts = [(weights, seed) for seed in seeds]
        scores = torch.cat(list(parallel.map(tried, parts, workers=workers, seed=generation, chunk=1)))
        ranks = scores.argsort().argsort() / (COPIES - 1) - 0.5
        weights = weights + RATE / (COPIES * SCALE) * (ranks @ torch.cat([changes(seed) for seed in seeds]))
        history.append(scores.mean().item())
    return history, (time.perf_counter() - begin) / generations


if __name__ == "__main__":
    history, _ = train(30, 2)
    print("steps balanced at first, less than 100:", history[0] < 100)
    print("in the end at least three times as many:", history[-1] > 3 * history[0])
    print("the same with one worker:", train(3, 1)[0] == history[:3])

    if len(sys.argv) > 1:
        import matplotlib

        matplotlib.use("Agg")
        from matplotlib import pyplot

        figure, (left, right) = pyplot.subplots(1, 2, figsize=(7, 3), layout="constrained")
        left.plot(history, color="#c2510c")
        left.set(xlabel="generation", ylabel="steps balanced, of 200")
        counts = [1, 2, 4]
        right.bar([str(n) for n in counts], [1 / train(3, n)[1] for n in counts], color="#808080")
        right.set(xlabel="workers", ylabel="generations a second")
        figure.savefig(sys.argv[1], dpi=110)
