"""One program of compiled.py in JAX, as `jax.jit` runs it: `compiled_jax.py jax NAME`."""

import json
import sys

import jax
import jax.numpy as jnp
import numpy as np
from timing import least

jax.config.update("jax_enable_x64", True)
NAME = sys.argv[2]
DRAW = np.random.default_rng(0).standard_normal


def motion(state, push):
    _, speed, angle, turn = state
    sine, cosine = jnp.sin(angle), jnp.cos(angle)
    along = (push + 0.05 * turn * turn * sine) / 1.1
    turning = (9.8 * sine - cosine * along) / (0.5 * (4.0 / 3.0 - 0.1 * cosine * cosine / 1.1))
    return jnp.stack([speed, along - 0.05 * turning * cosine / 1.1, turn, turning])


def move(state, push, h=0.02):
    a = motion(state, push)
    b = motion(state + h / 2 * a, push)
    c = motion(state + h / 2 * b, push)
    d = motion(state + h * c, push)
    return state + h / 6 * (a + 2 * b + 2 * c + d)


def layers(*sizes, dtype=jnp.float32):
    return [
        (jnp.asarray(0.1 * DRAW((a, b)), dtype), jnp.zeros(b, dtype)) for a, b in zip(sizes, sizes[1:], strict=False)
    ]


def forward(parameters, x, activation=jnp.tanh):
    *hidden, (last, bias) = parameters
    for weight, shift in hidden:
        x = activation(x @ weight + shift)
    return x @ last + bias


def called(function, *args):
    function = jax.jit(function)
    return lambda: jax.block_until_ready(function(*args))


def training(*sizes, batch, activation=jnp.tanh):
    """A step of Adam, whose state is handed on from call to call."""
    x, y = (jnp.asarray(DRAW((batch, n)), jnp.float32) for n in (sizes[0], sizes[-1]))
    each = jax.tree.map

    def step(state, x, y):
        parameters, mean, square, count = state
        loss, gradient = jax.value_and_grad(lambda p: jnp.mean((forward(p, x, activation) - y) ** 2))(parameters)
        count = count + 1
        mean = each(lambda m, g: 0.9 * m + 0.1 * g, mean, gradient)
        square = each(lambda s, g: 0.999 * s + 0.001 * g * g, square, gradient)
        rate, scale = 1e-3 / (1 - 0.9**count), 1 - 0.999**count
        parameters = each(lambda p, m, s: p - rate * m / (jnp.sqrt(s / scale) + 1e-8), parameters, mean, square)
        return (parameters, mean, square, count), loss

    first = layers(*sizes)
    state = [(first, each(jnp.zeros_like, first), each(jnp.zeros_like, first), jnp.float32(0))]
    compiled = jax.jit(step, donate_argnums=0)

    def run():
        state[0], loss = compiled(state[0], x, y)
        loss.block_until_ready()

    return run


def physics():
    times = jnp.linspace(0, 1, 3)

    def place(parameters, t):
        return forward(parameters, t.reshape(1, 1)).reshape(())

    def loss(parameters):
        force = jax.vmap(jax.grad(jax.grad(place, 1), 1), (None, 0))(parameters, times)
        return jnp.mean((force + jax.vmap(place, (None, 0))(parameters, times)) ** 2)

    return called(jax.value_and_grad(loss), layers(1, 6, 1, dtype=jnp.float64))


START = jnp.array([0.1, 0.2, 0.3, 0.4]), jnp.float64(0.5)
PROGRAMS = {
    "plus_one": lambda: called(lambda x: x + 1, jnp.ones(4, jnp.float32)),
    "cart": lambda: called(motion, *START),
    "advance": lambda: called(move, *START),
    "jacobian": lambda: called(jax.jacfwd(move, argnums=(0, 1)), *START),
    "hessian": lambda: called(
        jax.hessian(lambda s, u: jnp.sum(move(move(s, u), u) ** 2), argnums=(0, 1)), *START),
    "policy": lambda: called(forward, layers(8, 64, 64, 2), jnp.ones((1, 8), jnp.float32)),
    "small_step": lambda: training(16, 32, 4, batch=8),
    "middle_step": lambda: training(64, 64, 64, 1, batch=32),
    "large_step": lambda: training(784, 256, 10, batch=128, activation=jax.nn.relu),
    "physics": physics,
    "chain": lambda: called(
        lambda x: jnp.tanh(x * 1.5 + 0.5) * jax.nn.sigmoid(x) - 0.1 * x,
        jnp.linspace(-3, 3, 2_000_000, dtype=jnp.float32),
    ),
}  # fmt: skip
print(json.dumps({"seconds": least(PROGRAMS[NAME]())}))
