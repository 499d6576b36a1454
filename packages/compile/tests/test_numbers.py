"""Python numbers that change between calls: inputs of programs, read at each call."""

import warnings

import pytest

import flambeau_tensor as ft
from flambeau_autograd import Function, grad
from flambeau_compile import compile, explain
from flambeau_nn import Module, Parameter, functional
from flambeau_nn.optim import SGD

VALUES = (0.5, 0.1, -1.3, 0.7, 3.25, 2.0, -0.0, 7.0, 1e-3, 12.5)
OPERATIONS = {
    "add": lambda x, s: x + s,
    "add_left": lambda x, s: s + x,
    "sub": lambda x, s: x - s,
    "sub_left": lambda x, s: s - x,
    "mul": lambda x, s: s * x,
    "div": lambda x, s: x / (s + 0.25),
    "div_left": lambda x, s: s / x,
    "compared": lambda x, s: (x < s, s < x, x >= s, x == s, x != s),
    "where": lambda x, s: (ft.where(x > 0, x, s), ft.where(x > 0, s, x)),
    "in_place": lambda x, s: x.clone().mul_(s).sub_(s).add_(x, alpha=s),
    "fill": lambda x, s: x.clone().fill_(s),
    "tensor": lambda x, s: (ft.tensor(s) * x, ft.tensor([s, 2 * s, 1])),
    "full": lambda x, s: (ft.full((2,), s), ft.full_like(x, s)),
    "remainder": lambda x, s: (x % (s + 20), (s + 20) % x, ft.fmod(x, s + 20), x // (s + 20)),
    "clamp": lambda x, s: (x.clamp(-abs(s), abs(s)), x.clamp(min=s), ft.clip(x, max=s), x.clone().clamp_(-1, abs(s))),
    "lerp": lambda x, s: (ft.lerp(x, 3 * x, s), x.clone().masked_fill_(x > 0, s)),
    "computed": lambda x, s: x * (1 - s) + s**2 / (s * s + 3) - round(s, 1) * x + abs(-s),
    "returned": lambda x, s: (x * s, {"twice": 2 * s, "all": [s, (s + 1,)]}, s),
}


def _same(a, b):
    if isinstance(a, ft.Tensor):
        return a.dtype == b.dtype and ft.equal(a, b)
    if isinstance(a, (tuple, list)):
        return type(a) is type(b) and len(a) == len(b) and all(map(_same, a, b))
    if isinstance(a, dict):
        return list(a) == list(b) and all(map(_same, a.values(), b.values()))
    return type(a) is type(b) and a == b


def _programs(function):
    return explain(function).count("compiled")


_FLOATING = {"in_place", "fill", "full", "where", "remainder", "clamp", "lerp"}  # what puts a float into a tensor


@pytest.mark.parametrize(
    ("name", "dtype"),
    [
        (name, dtype)
        for name in OPERATIONS
        for dtype in (ft.float32, ft.float64, ft.int64)
        if dtype is not ft.int64 or name not in _FLOATING
    ],
)
def test_operators_read_the_number_of_each_call(name, dtype):
    f = OPERATIONS[name]
    compiled = compile(f)
    for value in VALUES:
        x = ft.tensor([2.5, -1.0, 3.5]).to(dtype)
        assert _same(compiled(x, value), f(x, value)), value
    assert _programs(compiled) == 2


def test_exponents_are_read_at_each_call():
    def f(x, s):
        return x.abs() ** s, ft.pow(x, 3 * s).nan_to_num(), s**x

    compiled = compile(f)
    for value in (0.5, 0.1, 2.0, 3.0, 1.0, 0.0):
        x = ft.tensor([2.5, -1.0, 3.5])
        for found, expected in zip(compiled(x, value), f(x, value), strict=True):
            assert ft.allclose(found, expected), value
    assert _programs(compiled) == 2


def test_numbers_in_containers_and_by_name():
    def f(x, *, gains, steps):
        return x * gains["p"] + gains["i"][0] - steps

    compiled = compile(f)
    for i in range(12):
        gains = {"p": 0.5 * i, "i": (0.1 * i,)}
        assert _same(compiled(ft.ones(2), gains=gains, steps=i), f(ft.ones(2), gains=gains, steps=i))
    assert _programs(compiled) == 2


class _Scaled(Module):
    def __init__(self):
        super().__init__()
        self.scale = 1.0
        self.list = [1.0, 2.0]

    def forward(self, x):
        return x * self.scale + self.list[1]


def test_attributes_and_items_that_change():
    module = _Scaled()
    compiled = compile(module)
    for i in range(12):
        module.scale, module.list[1] = 0.3 * i, 0.1 * i
        assert _same(compiled(ft.ones(2)), ft.ones(2) * (0.3 * i) + 0.1 * i)
        assert type(module.scale) is float and type(module.list[1]) is float
    assert _programs(compiled) <= 3
    module.scale = "no number"
    with pytest.raises(TypeError):
        compiled(ft.ones(2))
    module.scale = ft.tensor(3.0)
    assert _same(compiled(ft.ones(2)), ft.ones(2) * 3 + module.list[1])
    module.list = [0.0, 5.0]
    assert _same(compiled(ft.ones(2)), ft.ones(2) * 3 + 5.0)


_factor = 1.0


def test_globals_and_closures_that_change():
    global _factor
    gain = 1.0

    def f(x):
        return x * gain * _factor

    compiled = compile(f)
    for i in range(12):
        gain, _factor = 0.1 * i, _factor + 0.5
        assert _same(compiled(ft.ones(2)), ft.ones(2) * gain * _factor)
    assert _programs(compiled) <= 4


class _Controller:
    def __init__(self):
        self.time, self.count, self.sum = 0.0, 0, 0.0

    def act(self, error, dt):
        self.time += dt
        self.count += 1
        self.sum = self.sum + self.time * dt
        return 2 * error + self.sum if self.count % 3 else error - self.count


def test_numbers_that_the_function_keeps():
    own, other = _Controller(), _Controller()
    compiled = compile(own.act)
    for i in range(30):
        error, dt = ft.tensor([0.1 * i]), 0.01 * (1 + i % 4)
        assert _same(compiled(error, dt), other.act(error, dt))
        assert vars(own) == vars(other)
        assert list(map(type, vars(own).values())) == [float, int, float]
    assert "eagerly" not in explain(compiled)


def test_branches_are_guards():
    def f(x, t):
        if t > 0.5:
            return x * t
        return x - t

    compiled = compile(f)
    for i in range(20):
        t = 0.13 * (i * 7 % 11)
        assert _same(compiled(ft.ones(2), t), f(ft.ones(2), t))
    assert _programs(compiled) == 3


def test_what_python_looks_at_stays_constant():
    import math

    def f(x, t):
        return x + math.sin(t)

    compiled = compile(f)
    with pytest.warns(RuntimeWarning, match="Python itself looks at argument 1"):
        for i in range(12):
            assert _same(compiled(ft.ones(2), 0.1 * i), f(ft.ones(2), 0.1 * i))


def test_sizes_and_indices_stay_constant():
    def f(x, n):
        return x[n] * n + ft.zeros(n)

    compiled = compile(f)
    for n in (2, 3, 1, 3, 2):
        assert _same(compiled(ft.arange(12.0).view(4, 3)[:, :1], n), f(ft.arange(12.0).view(4, 3)[:, :1], n))


def test_errors_are_those_of_python():
    def f(x, t):
        return x * (1 / t)

    compiled = compile(f)
    for t in (1.0, 2.0, 3.0):
        compiled(ft.ones(2), t)
    with pytest.raises(ZeroDivisionError):
        compiled(ft.ones(2), 0.0)
    assert _same(compiled(ft.ones(2), 5.0), ft.ones(2) * (1 / 5.0))


def test_another_type_is_another_program():
    def f(x, t):
        return x * t

    compiled = compile(f)
    for t in (1.5, 2.5, 3.5, 2, 3, 4, True, 4.5):
        assert _same(compiled(ft.tensor([2, 3]), t), f(ft.tensor([2, 3]), t))


def test_gradients_of_each_call_have_its_number():
    def f(w, beta):
        return (w * beta).tanh().sum() * beta

    compiled = compile(f)
    w = ft.tensor([0.5, -0.25], requires_grad=True)
    for beta in (0.5, 1.5, 2.5):
        compiled(w, beta).backward()
    w.grad = None
    losses = [(beta, compiled(w, beta)) for beta in (0.3, 0.7, 1.9)]
    for beta, loss in losses:
        loss.backward()
        found, w.grad = w.grad, None
        f(w, beta).backward()
        assert ft.allclose(found, w.grad)
        w.grad = None
    loss = compiled(w, 0.9)
    (first,) = grad(loss, w, create_graph=True)
    first.sum().backward()
    found, w.grad = w.grad, None
    (first,) = grad(f(w, 0.9), w, create_graph=True)
    first.sum().backward()
    assert ft.allclose(found, w.grad)


def test_a_schedule_in_a_training_step():
    def trained(wrap):
        ft.manual_seed(0)
        w = Parameter(ft.randn(3))
        optimizer = SGD([w], lr=0.1, momentum=0.9)

        def step(x, y, weight, rate):
            optimizer.zero_grad()
            loss = functional.mse_loss(x @ w, y) + weight * w.square().sum()
            loss.backward()
            optimizer.step()
            w.data.sub_(w.data, alpha=rate)
            return loss.detach()

        run = wrap(step)
        losses = [run(ft.ones(4, 3), ft.ones(4), 1.0 / (1 + i), 0.01 * i) for i in range(12)]
        return run, [*losses, w.detach()]

    compiled, found = trained(compile)
    assert _same(found, trained(lambda f: f)[1])
    assert "eagerly" not in explain(compiled) or "x.data" in explain(compiled)


def test_followed_numbers_do_not_escape():
    kept = []

    class Holder:
        last = None

    holder = Holder()

    def f(x, t):
        if t > 0.65:
            kept.append(t * 2)
            holder.last = t
        return x * t

    compiled = compile(f)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for i in range(1, 11):
            compiled(ft.ones(2), 0.1 * i)
    assert kept == [0.1 * i * 2 for i in range(7, 11)] and {type(value) for value in kept} == {float}
    assert type(holder.last) is float


def test_dynamic_false_keeps_constants():
    compiled = compile(lambda x, t: x * t, dynamic=False)
    for i in range(4):
        compiled(ft.ones(2), 0.1 * i)
    assert _programs(compiled) == 4


def test_what_is_put_where_a_number_stood_is_put_there_each_time():
    class Kept:
        value = 1.5

    def run(wrap, function):
        kept = Kept()
        kept.value = 1.5
        call = wrap(lambda x, b: function(kept, x, b))
        found = []
        for i, b in enumerate((2, 2, 2, 3, 4, 6.5, 7, 8, 4.5, 2, 2)):
            if i % 4 == 3:
                kept.value = 0.25 * i
            found.append((call(ft.ones(2), b).tolist(), kept.value, type(kept.value)))
        return found

    def computed(kept, x, b):
        result = x * kept.value
        kept.value = b - 3
        return result

    def constant(kept, x, b):
        kept.value = 1.25
        return x * (b - kept.value)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for function in (computed, constant):
            assert run(compile, function) == run(lambda f: f, function)


def test_a_number_that_is_set_is_not_counted_up():
    class Kept:
        value = 1.0

    kept = Kept()
    kept.value = 1.0

    def f(x):
        kept.value = 3.0
        return x * 2

    compiled = compile(f)
    for value in (1.0, 1.0, 7.0, 7.0, 3.0, 2.0):
        kept.value = value
        compiled(ft.ones(1))
        assert kept.value == 3.0


def test_numbers_that_a_backward_reads():
    """A custom Function keeps a number that changes from call to call."""

    class Rounded(Function):
        @staticmethod
        def forward(ctx, x, bits):
            ctx.bits, ctx.twice = bits, 2 * bits
            return (x * 2**bits).round() / 2**bits

        @staticmethod
        def backward(ctx, gradient):
            return gradient * ctx.bits + ctx.twice, None

    compiled = compile(lambda x, bits: Rounded.apply(x, bits))
    for bits in (2, 2, 3, 3, 4, 4, 2, 5, 5.0, 4):
        x = ft.tensor([0.3, -0.7], requires_grad=True)
        compiled(x, bits).sum().backward()
        assert ft.equal(x.grad, ft.full((2,), 3.0 * bits)), bits
