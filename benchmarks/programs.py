"""The programs that ``compare.py`` times, by kind: each takes the library and returns a function without arguments.

`overhead` is one small call, whose cost is everything but the arithmetic; `kernel` is one large call. `training` is a
step of gradients and an optimizer, `transform` a transform of a small program, `distribution` what sampling and
densities take; compiled.py has what compiling brings. Data come from one seed, so both sides compute the
same; what is built here is not timed.
"""

import io

import numpy as np

PROGRAMS = []  # (kind, name, function)
KINDS = "overhead", "training", "transform", "distribution", "kernel"


def program(kind, name):
    """Decorator: lists a function of the library and of `Data` that returns what is timed."""

    def listed(function):
        PROGRAMS.append((kind, name, function))
        return function

    return listed


class Data:
    """Tensors of a library, drawn from the program's own seed."""

    def __init__(self, torch):
        self.torch, self.random = torch, np.random.default_rng(11)

    def normal(self, *shape):
        return self.torch.from_numpy(self.random.standard_normal(shape, dtype=np.float32))

    def places(self, below, *shape):
        return self.torch.from_numpy(self.random.integers(0, below, shape))


# --- one small call -------------------------------------------------------------------------------------------------

_CALLS = {
    "add": lambda t, x, y, m: lambda: x + y,
    "torch.add": lambda t, x, y, m: lambda: t.add(x, y),
    "add a number": lambda t, x, y, m: lambda: x + 0.5,
    "add in place": lambda t, x, y, m: lambda: x.add_(y),
    "multiply, broadcast": lambda t, x, y, m: lambda: m * m[0],
    "exp": lambda t, x, y, m: lambda: y.exp(),
    "sum": lambda t, x, y, m: lambda: y.sum(),
    "sum of rows": lambda t, x, y, m: lambda: m.sum(1),
    "matrix product": lambda t, x, y, m: lambda: m @ m,
    "view": lambda t, x, y, m: lambda: y.view(2, 3),
    "transpose": lambda t, x, y, m: lambda: m.T,
    "slice": lambda t, x, y, m: lambda: m[2:5],
    "row": lambda t, x, y, m: lambda: m[1],
    "cat": lambda t, x, y, m: lambda: t.cat((x, y)),
    "compare": lambda t, x, y, m: lambda: x > y,
    "where": lambda t, x, y, m: lambda: t.where(x > y, x, y),
    "item": lambda t, x, y, m: lambda: y[2].item(),
    "tensor of a list": lambda t, x, y, m: lambda: t.tensor([0.5, 1.5]),
    "zeros": lambda t, x, y, m: lambda: t.zeros(6),
    "softmax": lambda t, x, y, m: lambda: m.softmax(-1),
    "var": lambda t, x, y, m: lambda: y.var(),
    "stack": lambda t, x, y, m: lambda: t.stack((x, y)),
}


def _small(make):
    def prepared(torch, data):
        return make(torch, data.normal(6), data.normal(6), data.normal(7, 7))

    return prepared


for _name, _make in _CALLS.items():
    program("overhead", _name)(_small(_make))


@program("overhead", "add, recorded")
def recorded(torch, data):
    x, y = data.normal(6).requires_grad_(), data.normal(6)
    return lambda: x + y


@program("overhead", "backward of a product's sum")
def small_backward(torch, data):
    x, y = data.normal(6).requires_grad_(), data.normal(6)
    return lambda: (x * y).sum().backward()


@program("overhead", "backward through 60 layers")
def deep_backward(torch, data):
    start, weight = data.normal(7, 7), (data.normal(7, 7) / 7).requires_grad_()

    def run():
        h = start
        for _ in range(60):
            h = (h @ weight).tanh()
        h.sum().backward()

    return run


@program("overhead", "custom Function, with backward")
def custom_function(torch, data):
    class Cube(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x**3

        @staticmethod
        def backward(ctx, grad):
            return grad * 3 * ctx.saved_tensors[0] ** 2

    x = data.normal(6).requires_grad_()
    return lambda: Cube.apply(x).sum().backward()


@program("overhead", "subclass that overrides nothing")
def subclass(torch, data):
    class Marked(torch.Tensor):
        pass

    x, y = data.normal(6).as_subclass(Marked), data.normal(6)
    return lambda: x + y


@program("overhead", "type that overrides")
def overriding(torch, data):
    class Own:
        @classmethod
        def __torch_function__(cls, function, types, args=(), kwargs=None):
            return NotImplemented if kwargs else args[0]

    own, y = Own(), data.normal(6)
    return lambda: torch.add(own, y)


@program("overhead", "Linear")
def linear(torch, data):
    layer, x = torch.nn.Linear(7, 7), data.normal(1, 7)
    return lambda: layer(x)


@program("overhead", "LayerNorm, ReLU, Dropout")
def layers(torch, data):
    nn = torch.nn
    stack, x = nn.Sequential(nn.LayerNorm(7), nn.ReLU(), nn.Dropout(0.1)), data.normal(2, 7)
    return lambda: stack(x)


@program("overhead", "Linear under autocast")
def mixed(torch, data):
    layer, x = torch.nn.Linear(16, 16), data.normal(4, 16)

    def run():
        with torch.autocast("cpu", dtype=torch.bfloat16):
            return layer(x)

    return run


@program("overhead", "BatchNorm1d")
def batch_norm(torch, data):
    layer, x = torch.nn.BatchNorm1d(8), data.normal(4, 8)
    return lambda: layer(x)


@program("overhead", "convolution 3 x 3")
def convolution(torch, data):
    x, w = data.normal(1, 3, 8, 8), data.normal(4, 3, 3, 3)
    return lambda: torch.conv2d(x, w)


@program("overhead", "attention")
def attention(torch, data):
    q, attend = data.normal(1, 2, 4, 8), torch.nn.functional.scaled_dot_product_attention
    return lambda: attend(q, q, q)


@program("overhead", "save a state dict of 12 tensors")
def saved(torch, data):
    state = torch.nn.Sequential(*(torch.nn.Linear(16, 16) for _ in range(6))).state_dict()
    return lambda: torch.save(state, io.BytesIO())


# --- training -------------------------------------------------------------------------------------------------------


def step(torch, model, loss, *batch):
    """A step of Adam; PyTorch runs its fused one, which is its fastest."""
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-4, fused=True)

    def run():
        optimizer.zero_grad()
        loss(model, *batch).backward()
        optimizer.step()

    return run


def perceptron(torch, *sizes, activation="ReLU"):
    parts = []
    for inside, outside in zip(sizes, sizes[1:], strict=False):
        parts += [torch.nn.Linear(inside, outside), getattr(torch.nn, activation)()]
    return torch.nn.Sequential(*parts[:-1])


def _classified(torch):
    return lambda model, x, y: torch.nn.functional.cross_entropy(model(x), y)


for _sizes, _batch in (((12, 24, 3), 8), ((96, 96, 10), 64), ((784, 300, 10), 128), ((1024, 1024, 10), 256)):

    def _perceptron(torch, data, sizes=_sizes, batch=_batch):
        model = perceptron(torch, *sizes)
        return step(torch, model, _classified(torch), data.normal(batch, sizes[0]), data.places(sizes[-1], batch))

    program("training", f"perceptron {'-'.join(map(str, _sizes))}, {_batch} samples")(_perceptron)


@program("training", "convolutions, 64 images of 28 x 28")
def convolutions(torch, data):
    nn = torch.nn
    model = nn.Sequential(
        nn.Conv2d(1, 12, 3, padding=1),
        nn.BatchNorm2d(12),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(12, 24, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(24 * 49, 10),
    )
    return step(torch, model, _classified(torch), data.normal(64, 1, 28, 28), data.places(10, 64))


@program("training", "LSTM, 40 steps of 16 samples")
def recurrent(torch, data):
    model = torch.nn.ModuleDict({"steps": torch.nn.LSTM(12, 24, batch_first=True), "last": torch.nn.Linear(24, 4)})

    def loss(model, x, y):
        return torch.nn.functional.cross_entropy(model["last"](model["steps"](x)[0][:, -1]), y)

    return step(torch, model, loss, data.normal(16, 40, 12), data.places(4, 16))


@program("training", "encoder layer, 8 texts of 48 tokens")
def encoder(torch, data):
    nn = torch.nn
    layer = nn.TransformerEncoderLayer(96, 4, 192, dropout=0.0, batch_first=True)
    model = nn.Sequential(nn.Embedding(200, 96), layer, nn.Linear(96, 200))

    def loss(model, x, y):
        return torch.nn.functional.cross_entropy(model(x).flatten(0, 1), y)

    return step(torch, model, loss, data.places(200, 8, 48), data.places(200, 8 * 48))


# --- transforms -----------------------------------------------------------------------------------------------------


def pendulum(torch):
    """One step of a driven pendulum by Heun's method, from angle and speed."""

    def slope(state, torque):
        angle, speed = state.unbind(-1)
        return torch.stack((speed, torque - 9.81 * angle.sin() - 0.1 * speed), -1)

    def advance(state, torque):
        first = slope(state, torque)
        return state + 0.01 * (first + slope(state + 0.02 * first, torque))

    return advance


_TRANSFORMS = {
    "vmap": lambda f, advance, cost: f.vmap(advance),
    "vmap(grad)": lambda f, advance, cost: f.vmap(f.grad(cost)),
    "grad": lambda f, advance, cost: f.grad(cost),
    "jacrev": lambda f, advance, cost: f.jacrev(advance),
    "jacfwd": lambda f, advance, cost: f.jacfwd(advance),
    "hessian": lambda f, advance, cost: f.hessian(cost),
    "jvp": lambda f, advance, cost: lambda s, u: f.jvp(advance, (s, u), (s, u)),
}


def _transformed(name, make):
    def prepared(torch, data):
        advance = pendulum(torch)
        run = make(torch.func, advance, lambda s, u: (advance(s, u) ** 2).sum())
        many = "vmap" in name
        state, torque = (data.normal(48, 2), data.normal(48)) if many else (data.normal(2), data.normal(1)[0])
        return lambda: run(state, torque)

    return prepared


for _name, _make in _TRANSFORMS.items():
    program("transform", f"{_name} of a pendulum")(_transformed(_name, _make))


@program("transform", "gradients of each sample, perceptron")
def per_sample(torch, data):
    model, f = perceptron(torch, 12, 24, 3, activation="Tanh"), torch.func
    parameters = {name: p.detach() for name, p in model.named_parameters()}

    def loss(parameters, x, y):
        return torch.nn.functional.cross_entropy(f.functional_call(model, parameters, (x,)), y)

    run, x, y = f.vmap(f.grad(loss), (None, 0, 0)), data.normal(24, 12), data.places(3, 24)
    return lambda: run(parameters, x, y)


# --- distributions --------------------------------------------------------------------------------------------------

_DISTRIBUTIONS = {
    "Normal, made": lambda d, x, s, p: lambda: d.Normal(x, s),
    "Normal, density": lambda d, x, s, p: (lambda n: lambda: n.log_prob(x))(d.Normal(x, s)),
    "Normal, sample and density": lambda d, x, s, p: (lambda n: lambda: n.log_prob(n.rsample()))(d.Normal(x, s)),
    "Categorical, sample and density": lambda d, x, s, p: (lambda c: lambda: c.log_prob(c.sample()))(
        d.Categorical(logits=p)
    ),
    "Gamma, sample": lambda d, x, s, p: d.Gamma(s, s).sample,
    "divergence of Normals": lambda d, x, s, p: (lambda a, b: lambda: d.kl_divergence(a, b))(
        d.Normal(x, s), d.Normal(x, 2 * s)
    ),
}


def _distribution(make):
    def prepared(torch, data):
        return make(torch.distributions, data.normal(5), data.normal(5).abs() + 0.2, data.normal(12, 5))

    return prepared


for _name, _make in _DISTRIBUTIONS.items():
    program("distribution", _name)(_distribution(_make))


# --- one large call -------------------------------------------------------------------------------------------------

_MILLIONS = 8_000_000
_KERNELS = {
    "add, 8 million": lambda t, d: (lambda x: lambda: x + x)(d.normal(_MILLIONS)),
    "tanh, 8 million": lambda t, d: d.normal(_MILLIONS).tanh,
    "sum, 8 million": lambda t, d: d.normal(_MILLIONS).sum,
    "largest of rows, 4096 x 1024": lambda t, d: (lambda x: lambda: x.max(1))(d.normal(4096, 1024)),
    "copy of a transpose, 3000 x 3000": lambda t, d: d.normal(3000, 3000).T.contiguous,
    "rows of a table, 100,000": lambda t, d: (lambda x, i: lambda: x[i])(
        d.normal(500_000, 16), d.places(500_000, 100_000)
    ),
    "sort, 1 million": lambda t, d: d.normal(1_000_000).sort,
    "matrix product, 128": lambda t, d: (lambda x: lambda: x @ x)(d.normal(128, 128)),
    "matrix product of bfloat16, 512": lambda t, d: (lambda x: lambda: x @ x)(d.normal(512, 512).bfloat16()),
    "matrix product, 1024": lambda t, d: (lambda x: lambda: x @ x)(d.normal(1024, 1024)),
    "softmax, 4096 x 1024": lambda t, d: (lambda x: lambda: x.softmax(-1))(d.normal(4096, 1024)),
    "convolution 3 x 3, 48 channels": lambda t, d: (lambda x, w: lambda: t.conv2d(x, w, padding=1))(
        d.normal(16, 48, 56, 56), d.normal(48, 48, 3, 3)
    ),
    "attention, 4 x 8 x 512 x 64": lambda t, d: (
        lambda q: lambda: t.nn.functional.scaled_dot_product_attention(q, q, q)
    )(d.normal(4, 8, 512, 64)),
    "eigenvalues of 64 x 64": lambda t, d: (lambda x: lambda: t.linalg.eig(x))(d.normal(64, 64)),
    "least squares, 200": lambda t, d: (lambda x: lambda: t.linalg.lstsq(x, x))(d.normal(200, 200)),
    "system of 400": lambda t, d: (lambda a, b: lambda: t.linalg.solve(a, b))(d.normal(400, 400), d.normal(400, 8)),
    "Fourier transform, 1 million": lambda t, d: (lambda x: lambda: t.fft.rfft(x))(d.normal(1 << 20)),
}
for _name, _make in _KERNELS.items():
    program("kernel", _name)(_make)
