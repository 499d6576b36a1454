"""Exported C, compiled by the machine's compiler with every warning an error, and run beside Python."""

import ctypes
import functools
import re
import subprocess

import numpy as np
import pytest

import flambeau_nn.functional as F
import flambeau_tensor as ft
from flambeau_autograd import func
from flambeau_cext import compiler
from flambeau_compile.exporting import ExportError, export_c, own_math
from flambeau_compile.exporting.language import TWO
from flambeau_nn import (
    GRU,
    LSTM,
    RNN,
    BatchNorm2d,
    Conv1d,
    Conv2d,
    Embedding,
    GRUCell,
    LayerNorm,
    Linear,
    MultiheadAttention,
    ReLU,
    RNNCell,
    Sequential,
    Tanh,
    TransformerEncoderLayer,
)
from flambeau_nn.optim import SGD, Adam, AdamW, RMSprop, Rprop

STRICT = ("-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-O1")


@pytest.fixture
def check(tmp_path):
    """A function that exports another, compiles it strictly, and runs its self-test."""

    def run(function, *examples, **options):
        files = export_c(function, examples, tmp_path, "net", **options)
        assert [f.name for f in files] == ["net.h", "net.c", "net_test.c"]
        cc(tmp_path, *STRICT, "net.c", "net_test.c", "-o", "net_test", "-lm")
        done = subprocess.run([tmp_path / "net_test"], capture_output=True, text=True, check=False)
        assert (done.stdout, done.returncode) == ("as in Python\n", 0)
        return (tmp_path / "net.h").read_text(), (tmp_path / "net.c").read_text()

    return run


def cc(folder, *arguments):
    command = [*compiler.find(compiler.C).command, *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[:2000]


def with_gradient(function):
    return func.grad_and_value(lambda x, *more: (function(x, *more) ** 2).sum())


def every(functions):
    """One function that returns what all return."""
    return lambda *args: tuple(t for f in functions for t in ft_leaves(f(*args)))


def ft_leaves(o):
    return [t for each in o for t in ft_leaves(each)] if isinstance(o, tuple) else [o]


SMOOTH = [
    "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "atanh", "exp", "exp2", "expm1",
    "log", "log2", "log10", "log1p", "erf", "erfc", "sqrt", "rsqrt", "sigmoid", "reciprocal", "square", "abs", "frac",
    "logit", "sinc", "deg2rad", "rad2deg", "neg", "relu",
]  # fmt: skip
STEPS = ["sign", "floor", "ceil", "round", "trunc", "lgamma", "isnan", "isinf", "isfinite", "signbit", "sgn"]
PAIRS = [
    "pow", "atan2", "hypot", "fmod", "remainder", "copysign", "fmax", "fmin", "maximum", "minimum", "logaddexp",
    "xlogy", "true_divide", "floor_divide",
]  # fmt: skip
ACTIVATIONS = [
    "gelu", "silu", "mish", "softplus", "elu", "selu", "celu", "leaky_relu", "hardtanh", "relu6", "hardsigmoid",
    "hardswish", "softshrink", "hardshrink", "logsigmoid", "tanhshrink", "softsign",
]  # fmt: skip
both = pytest.mark.parametrize("dtype", [ft.float32, ft.float64], ids=["float32", "float64"])


def examples(dtype):
    ft.manual_seed(1)
    return ft.randn(2, 3, dtype=dtype), ft.rand(2, 3, dtype=dtype) * 0.8 + 0.1


@both
@pytest.mark.parametrize("unrolled", [True, False], ids=["unrolled", "loops"])
def test_elementwise(check, dtype, unrolled):
    x, p = examples(dtype)
    functions = [with_gradient(getattr(ft, name)) for name in SMOOTH]
    check(every(functions), p, unrolled=unrolled)
    check(every([getattr(ft, name) for name in STEPS]), x, unrolled=unrolled)
    check(every([getattr(ft, name) for name in PAIRS]), x.abs() + 0.1, p, unrolled=unrolled)


@both
def test_activations(check, dtype):
    x, _ = examples(dtype)
    functions = [with_gradient(getattr(F, name)) for name in ACTIVATIONS]
    functions.append(with_gradient(lambda x: F.gelu(x, approximate="tanh")))
    functions.append(with_gradient(lambda x: F.threshold(x, 0.1, 2.0)))
    check(every(functions), x)


@both
def test_operands_of_three_and_choices(check, dtype):
    x, p = examples(dtype)
    check(
        lambda a, b: (
            ft.lerp(a, b, 0.3), ft.addcmul(a, b, b, value=0.5), ft.addcdiv(a, b, b, value=0.5), a.clamp(-0.5, 0.5),
            a.clamp(min=0.1), ft.where(a > 0, a, b), a < b, a >= b, a == b, ~(a < b),
            (a < b) & (a > 0), a.logical_not(),
            ft.div(a, b, rounding_mode="floor"), ft.div(a, b, rounding_mode="trunc"),
        ),
        x, p,
    )  # fmt: skip


def test_integers(check):
    n = ft.tensor([[7, -7, 3], [0, 2, -9]])
    check(lambda n: (n * 2 + 1, n // 2, n % 4, n & 6, n | 1, n ^ 3, ~n, n > 2, n.sum(), n.abs(), n.amax(0)), n)


def along(name, dim, x):
    result = getattr(ft, name)(x, dim)
    return tuple(result) if name in ("max", "min") else result


@both
def test_along_dimensions(check, dtype):
    x, p = examples(dtype)
    names = [
        "sum", "mean", "amax", "amin", "prod", "argmax", "argmin", "var", "std", "cumsum", "max", "min", "softmax",
        "log_softmax",
    ]  # fmt: skip
    functions = [functools.partial(along, name, d) for name in names for d in (0, 1)]
    functions += [lambda x: (x.sum(), x.mean(), x.var(), x.std(), x.norm(), x.argmax(), x.max(), x.min(), x.prod())]
    functions += [lambda x: (x.norm(dim=1, keepdim=True), x.prod(0, keepdim=True), F.normalize(x))]
    functions += [with_gradient(lambda x: ft.softmax(x, -1)), with_gradient(lambda x: ft.log_softmax(x, -1))]
    functions += [
        lambda x: (x.flip(0), x.tril(), x.triu(1), x.T, ft.cat([x, x * 2], 1), ft.stack([x, x], 1), x.roll(1))
    ]
    check(every(functions), x)


@pytest.mark.parametrize("unrolled", [True, False], ids=["unrolled", "loops"])
def test_without_elements(check, unrolled):
    functions = [
        lambda x: (x.prod(0), x.prod(), x.sum(0), x.mean(), x.norm(dim=0), x.norm(dim=1, keepdim=True), x.amax(1)),
        lambda x: (F.l1_loss(x, x), F.l1_loss(x, x, reduction="sum"), F.mse_loss(x, x), (x > 0).all(), (x > 0).any()),
    ]
    check(every(functions), ft.zeros(0, 3), unrolled=unrolled)
    check(lambda x: x * 2, ft.zeros(0, 3), unrolled=unrolled)


def test_nan_is_the_largest_and_the_smallest(check):
    x = ft.tensor([[1.0, float("nan"), 3.0], [float("inf"), 2.0, float("-inf")]])
    check(
        lambda x: (x.amax(1), x.amin(1), x.argmax(1), x.argmin(1), *x.max(1), x.maximum(x.flip(1)), x.clamp(-1, 1)), x
    )


@both
def test_losses(check, dtype):
    x, p = examples(dtype)
    y = ft.tensor([2, 0])
    functions = [
        func.grad_and_value(lambda x: F.cross_entropy(x, y)),
        func.grad_and_value(lambda x: F.cross_entropy(x, y, reduction="sum", ignore_index=2)),
        lambda x: F.nll_loss(F.log_softmax(x, -1), y),
        *(func.grad_and_value(lambda x, f=f: f(x, p)) for f in (
            F.mse_loss, F.l1_loss, F.smooth_l1_loss, F.huber_loss, F.binary_cross_entropy_with_logits)),
        func.grad_and_value(lambda x: F.binary_cross_entropy(x.sigmoid(), p)),
    ]  # fmt: skip
    check(every(functions), x)


@both
def test_products_and_indices(check, dtype):
    x, p = examples(dtype)
    check(with_gradient(lambda x: x @ p.T), x)
    linear = Linear(3, 4, dtype=dtype)
    check(lambda x: (x[None] @ p.T[None], ft.outer(x[0], p[0]), x[0] @ p[0], ft.einsum("ij,kj->ik", x, p)), x)
    check(lambda x: linear(x.expand(2, 2, 3)), x)
    table, index = Embedding(5, 3, dtype=dtype), ft.tensor([4, 0, 4])
    check(lambda i: (table(i), F.one_hot(i, 5), table.weight.detach()[i]), index)
    check(with_gradient(lambda x: x.gather(1, index[:2, None] // 2)), x)
    check(func.grad_and_value(lambda w: F.embedding(index, w).pow(2).sum()), ft.randn(5, 3, dtype=dtype))


@both
def test_networks(check, dtype):
    ft.manual_seed(2)
    x, image = ft.randn(3, 4, dtype=dtype), ft.randn(2, 4, 7, 6, dtype=dtype)
    check(with_gradient(LayerNorm(4, dtype=dtype)), x)
    norm = LayerNorm(4, dtype=dtype)
    check(lambda x: func.grad(lambda w, b: F.layer_norm(x, (4,), w, b).pow(2).sum(), argnums=(0, 1))(
        norm.weight.detach(), norm.bias.detach()), x)  # fmt: skip
    for layer in (Conv2d(4, 3, 3, padding=1), Conv2d(4, 6, (3, 2), stride=2, groups=2, dilation=(2, 1))):
        layer = layer.to(dtype)
        check(with_gradient(layer), image)
        w, b = layer.weight.detach(), layer.bias.detach()
        keywords = {k: getattr(layer, k) for k in ("stride", "padding", "dilation", "groups")}
        check(lambda x, w=w, b=b, keywords=keywords: func.grad(
            lambda w, b: F.conv2d(x, w, b, **keywords).pow(2).sum(), argnums=(0, 1))(w, b), image)  # fmt: skip
    check(Conv1d(4, 3, 3, dtype=dtype), image.reshape(2, 4, 42))
    check(every([with_gradient(lambda x: F.max_pool2d(x, 2)), lambda x: F.max_pool2d(x, 3, 2, 1),
                 lambda x: F.avg_pool2d(x, 2), lambda x: F.adaptive_avg_pool2d(x, 1),
                 BatchNorm2d(4, dtype=dtype).eval()]), image)  # fmt: skip
    for layer in (LSTM(4, 5), GRU(4, 5), RNNCell(4, 5), LSTM(4, 5, bidirectional=True, num_layers=2)):
        check(layer.to(dtype), x)
    check(lambda q: F.scaled_dot_product_attention(q, q, q, is_causal=True), x[None])
    check(TransformerEncoderLayer(4, 2, 8, batch_first=True, dtype=dtype).eval(), x[None])


def squares(function):
    """The value of a sum of squares of all that a function returns, with its gradients by all arguments."""

    def run(*args):
        total = lambda *args: sum((t * t).sum() for t in ft_leaves((function(*args),)))  # noqa: E731
        return func.grad_and_value(total, argnums=tuple(range(len(args))))(*args)

    return run


@both
def test_gradients_of_layers_over_time(check, dtype):
    ft.manual_seed(3)
    layers = [
        LSTM(4, 5), GRU(4, 5), RNN(4, 5), RNN(4, 5, nonlinearity="relu", bias=False), GRUCell(4, 5),
        LSTM(4, 5, bidirectional=True, num_layers=2, bias=False),
    ]  # fmt: skip
    layers = [layer.to(dtype) for layer in layers]
    check(every([squares(layer) for layer in layers]), ft.randn(3, 4, dtype=dtype))


@both
def test_gradients_of_attention(check, dtype):
    ft.manual_seed(4)
    q, k, v = (0.5 * ft.randn(2, n, m, dtype=dtype) for n, m in ((3, 4), (5, 4), (5, 6)))
    mask = ft.rand(3, 5) > 0.5
    mask[1] = False  # a query without keys
    options = [{}, {"is_causal": True}, {"attn_mask": mask}, {"attn_mask": ft.randn(2, 3, 5, dtype=dtype)}]
    check(every([
        squares(functools.partial(F.scaled_dot_product_attention, **option)) for option in options
    ]), q, k, v)  # fmt: skip
    heads, missing = MultiheadAttention(4, 2, batch_first=True, dtype=dtype), ft.tensor([[False, False, True]] * 2)
    check(lambda x: heads(x, x, x, key_padding_mask=missing), q)


@pytest.mark.parametrize("layer", ["lstm", "gru", "transformer"])
def test_training_steps_of_layers_over_time(check, layer):
    """Keys' biases have no gradient but rounding, of which Adam makes a whole step: no number to compare."""
    ft.manual_seed(5)
    net = {"lstm": lambda: LSTM(4, 4, num_layers=2), "gru": lambda: GRU(4, 4, bidirectional=True),
           "transformer": lambda: TransformerEncoderLayer(4, 2, 8, dropout=0.0, batch_first=True)}[layer]()  # fmt: skip
    optimizer = Adam(net.parameters(), lr=0.01)

    def step(x, y):
        optimizer.zero_grad()
        made = net(x)
        loss = F.mse_loss(made[0] if isinstance(made, tuple) else made, y)
        loss.backward()
        optimizer.step()
        return loss

    x = ft.randn(2, 3, 4)
    header, _ = check(step, x, ft.randn(2, 3, 8 if layer == "gru" else 4))
    assert "exp_avg_sq" in header


def test_arguments_may_have_any_name(check):
    """Names of variables that the code itself has, and of what stands around it."""

    def function(x, h, a, c, i, s, k, i0, v1, run, best):  # noqa: PLR0913
        return x @ a, (h * i).sum(0), s.softmax(-1) + k, i0.argmax(1), v1.cumsum(0), run * c, best.norm(dim=0)

    given = [ft.randn(3, 3) for _ in range(11)]
    for unrolled in (True, False):
        check(function, *given, unrolled=unrolled)
    linear = Linear(3, 2)
    optimizer = Adam(linear.parameters())
    check(lambda k, i: step_of(optimizer, linear)(k, i), ft.randn(2, 3), ft.randn(2, 2))


def test_constants(check):
    check(lambda x: (x + ft.arange(3), x @ ft.eye(3), x * ft.tensor([1.0, 2.0, 3.0])), ft.randn(2, 3))


def step_of(optimizer, net):
    def step(x, y):
        optimizer.zero_grad()
        loss = F.mse_loss(net(x), y)
        loss.backward()
        optimizer.step()
        return loss

    return step


OPTIMIZERS = {
    "sgd": lambda p: SGD(p, lr=0.05),
    "momentum": lambda p: SGD(p, lr=0.05, momentum=0.9, dampening=0.3, weight_decay=0.01),
    "nesterov": lambda p: SGD(p, lr=0.05, momentum=0.9, nesterov=True),
    "adam": lambda p: Adam(p, lr=0.01, weight_decay=0.01),
    "amsgrad": lambda p: Adam(p, lr=0.01, amsgrad=True),
    "adamw": lambda p: AdamW(p, lr=0.01),
    "rmsprop": lambda p: RMSprop(p, lr=0.01),
}


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_training_in_c(check, tmp_path, name):
    """Twenty steps with another learning rate on the way give Python's losses and parameters."""
    ft.manual_seed(0)
    net = Sequential(Linear(4, 8), Tanh(), Linear(8, 2)).to(ft.float64)
    optimizer = OPTIMIZERS[name](net.parameters())
    step = step_of(optimizer, net)
    x, y = ft.randn(5, 4, dtype=ft.float64), ft.randn(5, 2, dtype=ft.float64)
    before = [p.detach().clone() for p in net.parameters()]
    header, _ = check(step, x, y)
    assert all(bool((p == b).all()) for p, b in zip(net.parameters(), before, strict=True))
    assert not optimizer.state and all(p.grad is None for p in net.parameters())
    assert "net_0_weight[32]" in header

    cc(tmp_path, *STRICT, "-shared", "-fPIC", "net.c", "-o", "net.so", "-lm")
    library = ctypes.CDLL(str(tmp_path / "net.so"))
    numbers = {k: int(v) for k, v in re.findall(r"#define NET_(\w+) (\d+)", header)}
    state = (ctypes.c_double * (numbers["STATE_BYTES"] // 8 + 8))()
    work = (ctypes.c_double * (numbers["WORK_BYTES"] // 8 + 8))()
    loss = (ctypes.c_double * 1)()
    library.net_init(state)
    arrays = [np.ascontiguousarray(t.numpy()) for t in (x, y)]
    pointers = [a.ctypes.data_as(ctypes.POINTER(ctypes.c_double)) for a in arrays]
    for i in range(20):
        if i == 10:
            optimizer.param_groups[0]["lr"] = state[0] = 0.002
        expected = step(x, y)
        library.net(*pointers, state, work, loss)
        assert loss[0] == pytest.approx(expected.item(), rel=1e-12)
    field = header.index("net_0_weight[")
    first = header[:field].count("double ", header.index("typedef struct"))  # numbers before it in the state
    found = np.array(state[first - 1 : first + 31])
    np.testing.assert_allclose(found, net[0].weight.detach().numpy().ravel(), rtol=1e-11)


def test_functions_of_its_own(check, tmp_path):
    """Nothing of C's library is left: the object file needs no symbol of others."""
    _, p = examples(ft.float32)
    smooth = [with_gradient(getattr(ft, name)) for name in SMOOTH]
    for unrolled in (True, False):
        check(every(smooth), p, unrolled=unrolled, math="own")
        check(every([getattr(ft, name) for name in PAIRS]), p, p.flip(0) + 0.3, unrolled=unrolled, math="own")
    check(every([with_gradient(getattr(F, name)) for name in ACTIVATIONS]), p - 0.5, math="own")
    cc(tmp_path, "-std=c99", "-O1", "-ffreestanding", "-fno-builtin", "-c", "net.c", "-o", "net.o")
    symbols = subprocess.run(["nm", "-u", "net.o"], cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    assert [name for name in symbols.split() if name not in ("U", "_GLOBAL_OFFSET_TABLE_", "memset", "memcpy")] == []
    with pytest.raises(ExportError, match="pow of float64 has no implementation of its own"):
        export_c(lambda x: x**0.3, (ft.ones(2, dtype=ft.float64),), tmp_path, math="own")
    with pytest.raises(ExportError, match="lgamma of float32 has no implementation of its own"):
        export_c(ft.lgamma, (ft.ones(2),), tmp_path, math="own")


def _erf(x):
    terms, total = x, x
    for n in range(1, 150):
        terms = terms * -x * x / n
        total = total + terms / (2 * n + 1)
    return total * 2 / np.sqrt(np.longdouble(np.pi) + np.longdouble(1.2246467991473532e-16))


@pytest.mark.skipif(np.finfo(np.longdouble).nmant < 63, reason="there is no longer type to compare with")
def test_own_functions_are_right_to_two_units_in_the_last_place(tmp_path):
    """In double, on 4,000 numbers each; what a type with 64 bits gives counts as exact."""
    functions = {
        "exp": (np.exp, -700, 700), "exp2": (np.exp2, -1000, 1000), "expm1": (np.expm1, -2, 2), "log": (np.log, 0.1, 9),
        "log1p": (np.log1p, -0.9, 9), "log2": (np.log2, 0.1, 9), "log10": (np.log10, 0.1, 9), "tanh": (np.tanh, -2, 2),
        "sinh": (np.sinh, -3, 3), "cosh": (np.cosh, -3, 3), "asinh": (np.arcsinh, -3, 3), "acosh": (np.arccosh, 1, 4),
        "atanh": (np.arctanh, -1, 1), "sin": (np.sin, -9, 9), "cos": (np.cos, -9, 9), "tan": (np.tan, -9, 9),
        "atan": (np.arctan, -4, 4), "asin": (np.arcsin, -1, 1), "acos": (np.arccos, -1, 1), "sqrt": (np.sqrt, 0, 9),
        "erf": (_erf, -1.9, 1.9), "atan2": (np.arctan2, -9, 9), "hypot": (np.hypot, -9, 9),
    }  # fmt: skip
    lines = ["#include <stddef.h>", "#include <stdint.h>", "#define INFINITY (1.0f / 0.0f)"]
    lines += own_math.definitions([(name, "f64") for name in functions], "own")
    for name in functions:
        operands = "a[i], b[i]" if name in TWO else "a[i]"
        lines.append(f"void all_{name}(const double *a, const double *b, double *c, ptrdiff_t n) "
                     f"{{ (void)b; for (ptrdiff_t i = 0; i < n; i++) c[i] = own_{name}({operands}); }}")  # fmt: skip
    (tmp_path / "own.c").write_text("\n".join([*lines, ""]))
    cc(tmp_path, *STRICT, "-O2", "-shared", "-fPIC", "own.c", "-o", "own.so")
    library = ctypes.CDLL(str(tmp_path / "own.so"))
    random, worst = np.random.default_rng(0), {}
    for name, (function, low, high) in functions.items():
        a, b, c = random.uniform(low, high, 4000), random.uniform(low, high, 4000), np.empty(4000)
        getattr(library, f"all_{name}")(*(v.ctypes.data_as(ctypes.c_void_p) for v in (a, b, c)), ctypes.c_ssize_t(4000))
        exact = function(*(v.astype(np.longdouble) for v in ((a, b) if name in TWO else (a,))))
        worst[name] = float((np.abs(c - exact) / np.spacing(np.abs(exact.astype(np.float64)))).max())
    assert max(worst.values()) <= 2, worst


def test_a_law_in_double_of_its_own(check):
    x = ft.linspace(-3, 3, 13, dtype=ft.float64)
    check(
        lambda x: (x.sin(), x.cos(), x.exp(), x.tanh(), x.atan(), (x * x).log1p(), x.erf(), x.sigmoid()), x, math="own"
    )


def test_weights_as_an_argument(check):
    net = Sequential(Linear(3, 4), ReLU(), Linear(4, 2))
    header, source = check(net, ft.randn(2, 3), weights="argument")
    assert "0_weight" in header and "const net_weights *weights" in header and "static const" not in source
    header, source = check(net, ft.randn(2, 3))
    assert "weights;" not in header and source.count("static const float") == 4


def test_names_and_sizes(check):
    scale = ft.tensor([2.0, 3.0])
    header, _ = check(lambda double, state: double * scale + state["v"], ft.ones(2), {"v": ft.ones(2)})
    assert "const float *v_double, const float *state_v, float *result" in header
    assert "#define NET_V_DOUBLE_SIZE 2" in header


def test_functions_are_left_as_they_are(tmp_path):
    net = Sequential(Linear(2, 2), BatchNorm2d(1))
    table = ft.zeros(2)

    def count(x):
        table.add_(x)
        return table * 2

    export_c(count, (ft.ones(2),), tmp_path)
    assert table.tolist() == [0.0, 0.0]
    text = (tmp_path / "net.c").read_text()
    assert "state->table" in text
    del net


@pytest.mark.parametrize(
    "function, message",
    [
        (lambda x: x.sort()[0], "torch.sort.default has no form in C"),
        (lambda x: x * 2 if x.sum() > 0 else x, "takes a branch that depends on .* torch.cond"),
        (lambda x: x.mul_(2), "it writes to its argument x: return the new value"),
        (lambda x: x + ft.randn(3), "randn has no form in C"),
    ],
)
def test_refused(tmp_path, function, message):
    with pytest.raises(ExportError, match=message):
        export_c(function, (ft.ones(3),), tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_an_optimizer_without_a_form(tmp_path):
    net = Linear(2, 1)
    step = step_of(Rprop(net.parameters()), net)
    with pytest.raises(ExportError, match="rule rprop is not exported: use SGD, Adam or AdamW"):
        export_c(step, (ft.ones(1, 2), ft.ones(1, 1)), tmp_path)


def test_gradients_of_earlier_calls(tmp_path):
    net = Linear(2, 1)

    def step(x):
        net(x).sum().backward()
        return net.weight.grad * 1

    net(ft.ones(1, 2)).sum().backward()
    with pytest.raises(ExportError, match="call zero_grad"):
        export_c(step, (ft.ones(1, 2),), tmp_path)


@pytest.mark.parametrize(
    "arguments, error",
    [
        ({"name": "2net"}, "name must be a C identifier"),
        ({"name": "while"}, "name must be a C identifier"),
        ({"abi": "rust"}, "abi must be 'plain' or 'casadi'"),
        ({"math": "mine"}, "math must be 'libm' or 'own'"),
        ({"weights": "file"}, "weights must be 'static' or 'argument'"),
    ],
)
def test_bad_arguments(tmp_path, arguments, error):
    with pytest.raises(ValueError, match=error):
        export_c(lambda x: x, (ft.ones(2),), tmp_path, **arguments)
    with pytest.raises(TypeError, match="examples must be a tuple"):
        export_c(lambda x: x, ft.ones(2), tmp_path)
