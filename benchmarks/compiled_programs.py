"""One program of compiled.py on one side: `compiled_programs.py eager|compiled|peer NAME`."""

import json
import sys
import time

from timing import least

SIDE, NAME = sys.argv[1:3]
if SIDE == "peer":
    import torch
else:
    import flambeau as torch
torch.set_num_threads(1)
nn, double = torch.nn, torch.float64


def motion(state, push):
    _, speed, angle, turn = state.unbind(-1)
    sine, cosine = torch.sin(angle), torch.cos(angle)
    along = (push + 0.05 * turn * turn * sine) / 1.1
    turning = (9.8 * sine - cosine * along) / (0.5 * (4.0 / 3.0 - 0.1 * cosine * cosine / 1.1))
    return torch.stack([speed, along - 0.05 * turning * cosine / 1.1, turn, turning], -1)


def move(state, push, h=0.02):
    a = motion(state, push)
    b = motion(state + h / 2 * a, push)
    c = motion(state + h / 2 * b, push)
    d = motion(state + h * c, push)
    return state + h / 6 * (a + 2 * b + 2 * c + d)


def network(*sizes, activation=nn.Tanh):
    torch.manual_seed(0)
    layers = [layer for a, b in zip(sizes, sizes[1:], strict=False) for layer in (nn.Linear(a, b), activation())]
    return nn.Sequential(*layers[:-1])


def training(*sizes, batch, activation=nn.Tanh):
    net = network(*sizes, activation=activation)
    optimizer = torch.optim.Adam(net.parameters(), 1e-3)
    torch.manual_seed(1)

    def step(x, y):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(net(x), y)
        loss.backward()
        optimizer.step()
        return loss.detach()

    return step, (torch.randn(batch, sizes[0]), torch.randn(batch, sizes[-1]))


def fitting(model, loss, *batch):
    """A training step of a model that has its targets last in the batch."""
    optimizer = torch.optim.Adam(model.parameters(), 1e-3, fused=True)

    def step(*batch):
        optimizer.zero_grad()
        value = loss(model(*batch[:-1]), batch[-1])
        value.backward()
        optimizer.step()
        return value.detach()

    return step, batch


class Convolutions(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.norm = nn.Conv2d(1, 16, 3, padding=1), nn.BatchNorm2d(16)
        self.second, self.out = nn.Conv2d(16, 32, 3, padding=1), nn.Linear(32 * 7 * 7, 10)

    def forward(self, x):
        x = nn.functional.max_pool2d(self.norm(self.first(x)).relu(), 2)
        x = nn.functional.max_pool2d(self.second(x).relu(), 2)
        return self.out(x.flatten(1))


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.cells, self.out = nn.LSTM(16, 32, batch_first=True), nn.Linear(32, 4)

    def forward(self, x):
        return self.out(self.cells(x)[0][:, -1])


class Attention(nn.Module):
    def __init__(self, width=128, heads=4, words=256):
        super().__init__()
        self.heads, self.words = heads, nn.Embedding(words, width)
        self.before, self.between = nn.LayerNorm(width), nn.LayerNorm(width)
        self.mixed, self.joined = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.wide = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))
        self.out = nn.Linear(width, words)

    def forward(self, tokens):
        x = self.words(tokens)
        batch, length, width = x.shape
        mixed = self.mixed(self.before(x)).view(batch, length, 3, self.heads, width // self.heads)
        query, key, value = mixed.permute(2, 0, 3, 1, 4).unbind(0)
        seen = nn.functional.scaled_dot_product_attention(query, key, value, is_causal=True)
        x = x + self.joined(seen.transpose(1, 2).reshape(batch, length, width))
        return self.out(x + self.wide(self.between(x))).flatten(0, 1)


def classes(model, *sizes, words=0, count, rows=None):
    """A step of a classifier on random examples; `model` makes it."""
    torch.manual_seed(1)
    model = model()
    x = torch.randint(words, sizes) if words else torch.randn(sizes)
    return fitting(model, nn.functional.cross_entropy, x, torch.randint(count, (rows or sizes[0],)))


def start():
    return torch.tensor([0.1, 0.2, 0.3, 0.4], dtype=double), torch.tensor(0.5, dtype=double)


def policy():
    net = network(8, 64, 64, 2)
    return torch.no_grad()(lambda x: net(x)), (torch.randn(1, 8),)


def physics():
    net = network(1, 6, 1).double()
    parameters = {name: p.detach() for name, p in net.named_parameters()}

    def loss(parameters, times):
        def place(t):
            return torch.func.functional_call(net, parameters, (t.reshape(1, 1),)).reshape(())

        force = torch.vmap(torch.func.grad(torch.func.grad(place)))(times)
        return (force + torch.vmap(place)(times)).square().mean()

    return torch.func.grad_and_value(loss), (parameters, torch.linspace(0, 1, 3, dtype=double))


PROGRAMS = {
    "plus_one": lambda: (lambda x: x + 1, (torch.ones(4),)),
    "cart": lambda: (motion, start()),
    "advance": lambda: (move, start()),
    "jacobian": lambda: (torch.func.jacfwd(move, argnums=(0, 1)), start()),
    "hessian": lambda: (
        torch.func.hessian(lambda s, u: move(move(s, u), u).square().sum(), argnums=(0, 1)), start()),
    "policy": policy,
    "small_step": lambda: training(16, 32, 4, batch=8),
    "middle_step": lambda: training(64, 64, 64, 1, batch=32),
    "large_step": lambda: training(784, 256, 10, batch=128, activation=nn.ReLU),
    "wide_step": lambda: classes(lambda: network(1024, 1024, 1024, 10, activation=nn.GELU), 256, 1024, count=10),
    "convolutions": lambda: classes(Convolutions, 64, 1, 28, 28, count=10),
    "recurrent": lambda: classes(Recurrent, 16, 50, 16, count=4),
    "attention": lambda: classes(Attention, 8, 64, words=256, count=256, rows=512),
    "physics": physics,
    "chain": lambda: (
        lambda x: torch.tanh(x * 1.5 + 0.5) * torch.sigmoid(x) - 0.1 * x, (torch.linspace(-3, 3, 2_000_000),)),
}  # fmt: skip


def leaves(o):
    if isinstance(o, torch.Tensor):
        return [o.detach()]
    return [leaf for each in (o.values() if isinstance(o, dict) else o) for leaf in leaves(each)]


def agreement(function, reference, args):
    """Whether four calls of each return the same bits, or the same to rounding."""
    equal = "to the bit"
    for _ in range(4):
        for a, b in zip(leaves(function(*args)), leaves(reference(*args)), strict=True):
            if not torch.equal(a, b):
                equal = "to rounding"
                torch.testing.assert_close(a, b, rtol=1e-5 if a.dtype == torch.float32 else 1e-10, atol=1e-7)
    return equal


def main():
    function, args = PROGRAMS[NAME]()
    found = {}
    if SIDE == "compiled":
        function, (reference, _) = torch.compile(function), PROGRAMS[NAME]()
        begin = time.perf_counter()
        function(*args)
        found["first"] = time.perf_counter() - begin
        reference(*args)
        found["equal"] = agreement(function, reference, args)
    found["seconds"] = least(lambda: function(*args))
    print(json.dumps(found))


main()
