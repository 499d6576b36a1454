"""Programs that `exporting.py` takes out of Python: for each name a function that makes (function, arguments)."""

import flambeau as torch
from flambeau import nn
from flambeau.nn import functional as F


def perceptron():
    """4-32-32-2, one row: a policy."""
    net = nn.Sequential(nn.Linear(4, 32), nn.Tanh(), nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, 2))
    return net, (torch.randn(1, 4),)


def trained(net, *shapes):
    optimizer = torch.optim.Adam(net.parameters(), lr=0.01)

    def step(x, y):
        optimizer.zero_grad()
        made = net(x)
        loss = F.mse_loss(made[0] if isinstance(made, tuple) else made, y)
        loss.backward()
        optimizer.step()
        return loss

    return step, tuple(torch.randn(shape) for shape in shapes)


def training():
    """16-32-4 with tanh, batch 8: forward, backward and Adam."""
    return trained(nn.Sequential(nn.Linear(16, 32), nn.Tanh(), nn.Linear(32, 4)), (8, 16), (8, 4))


def convolution():
    """Two convolutions on 16 × 16 pixels."""
    net = nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(4, 8, 3), nn.ReLU(), nn.Flatten(),
                        nn.Linear(200, 10))  # fmt: skip
    return net, (torch.randn(1, 1, 16, 16),)


def lstm():
    """8-16, twelve times."""
    return nn.LSTM(8, 16, batch_first=True), (torch.randn(1, 12, 8),)


def lstm_training():
    """8-8, six times, batch 2: forward, backward and Adam."""
    return trained(nn.LSTM(8, 8, batch_first=True), (2, 6, 8), (2, 6, 8))


def transformer():
    """A block of width 16 with two heads, over eight places."""
    return nn.TransformerEncoderLayer(16, 2, 32, dropout=0.0, batch_first=True).eval(), (torch.randn(1, 8, 16),)


def cart_pole(x, u):
    position, speed, angle, rate = x.unbind()
    s, c = angle.sin(), angle.cos()
    push = (u[0] + 0.5 * rate * rate * s) / (1 + 0.1 * s * s)
    return torch.stack([speed, push, rate, (9.81 * s - push * c) / 0.5])


def runge_kutta(x, u, h=0.02):
    a = cart_pole(x, u)
    b = cart_pole(x + 0.5 * h * a, u)
    c = cart_pole(x + 0.5 * h * b, u)
    return x + h / 6 * (a + 2 * b + 2 * c + cart_pole(x + h * c, u))


def jacobian():
    """Of a Runge–Kutta step of the cart-pole by state and force, float64."""
    x = torch.tensor([0.1, 0.2, 0.3, 0.4], dtype=torch.float64)
    return torch.func.jacfwd(runge_kutta, argnums=(0, 1)), (x, torch.tensor([0.7], dtype=torch.float64))


PROGRAMS = {
    "network": perceptron, "training step": training, "convolutions": convolution, "LSTM": lstm,
    "training of an LSTM": lstm_training, "transformer block": transformer, "Jacobian of a simulation": jacobian,
}  # fmt: skip
