"""A small call of everything that PyTorch has too, on both sides: where PyTorch's time over ours is least, first.

    python benchmarks/every.py --peer-python PYTHON [--only movedim,quantile] [--below 3] [--json every.json]

Called are the samples of the tests (``samples``), with tensors of some ten floats, each operator as users write it:
``torch.add(a, b)``, ``a.view(4, 3)``. Modules, distributions, optimizers and what else is written in Python stand in
the lists below. Nothing is recorded for backward, and one thread computes. Each round times all calls in a fresh
process of either side, in turns; a call's time is the least of many short loops over all rounds.
"""

import argparse
import contextlib
import copy
import importlib
import json
import math
import pickle
import subprocess
import sys
import warnings
from collections import namedtuple
from pathlib import Path
from time import perf_counter_ns

import numpy as np
from machine import described

LOOP, LOOPS = 100_000, 15  # nanoseconds of a loop, and how many of a call

MODULES = {  # by the sizes of their input
    (2, 3): "Linear(3,4) Identity() ReLU() GELU() Tanh() Sigmoid() SiLU() Softmax(-1) LogSoftmax(-1) LeakyReLU() ELU() "
    "SELU() CELU() Hardtanh() Hardswish() Hardsigmoid() Mish() Softplus() Softsign() LogSigmoid() ReLU6() PReLU() "
    "Tanhshrink() Softshrink() Hardshrink() Threshold(0.1,2.0) Softmin(-1) LayerNorm(3) RMSNorm(3) BatchNorm1d(3) "
    "BatchNorm1d(3).eval() Dropout() Dropout().eval() AlphaDropout() Flatten() Unflatten(1,(1,3)) RNNCell(3,4) "
    "LSTMCell(3,4) GRUCell(3,4) Sequential(nn.Linear(3,4),nn.ReLU(),nn.Linear(4,2))",
    (2, 4): "GLU()",
    (
        2,
        3,
        4,
    ): "Conv1d(3,2,2) ConvTranspose1d(3,2,2) MaxPool1d(2) AvgPool1d(2) AdaptiveAvgPool1d(2) "
    "AdaptiveMaxPool1d(2) InstanceNorm1d(3) LSTM(4,3) GRU(4,3) RNN(4,3) ReflectionPad1d(1) ReplicationPad1d(1) "
    "ConstantPad1d(1,0.0) ZeroPad1d(1) CircularPad1d(1) Upsample(scale_factor=2) Softmax2d() Dropout1d() "
    "TransformerEncoderLayer(4,2,8) LPPool1d(2,2)",
    (
        2,
        4,
        4,
        4,
    ): "Conv2d(4,2,3) ConvTranspose2d(4,2,3) MaxPool2d(2) AvgPool2d(2) AdaptiveAvgPool2d(2) "
    "AdaptiveMaxPool2d(2) BatchNorm2d(4) BatchNorm2d(4).eval() InstanceNorm2d(4) GroupNorm(2,4) "
    "LocalResponseNorm(2) ReflectionPad2d(1) "
    "ReplicationPad2d(1) ConstantPad2d(1,0.0) ZeroPad2d(1) CircularPad2d(1) Upsample(scale_factor=2) "
    "UpsamplingBilinear2d(scale_factor=2) UpsamplingNearest2d(scale_factor=2) PixelShuffle(2) PixelUnshuffle(2) "
    "ChannelShuffle(2) Dropout2d() Unfold(2) LPPool2d(2,2) FractionalMaxPool2d(2,output_size=2)",
    (1, 2, 4, 4, 4): "Conv3d(2,2,2) MaxPool3d(2) AvgPool3d(2) AdaptiveAvgPool3d(2) BatchNorm3d(2) ConstantPad3d(1,0.0) "
    "ReplicationPad3d(1) Dropout3d()",
}
LOSSES = "MSELoss L1Loss SmoothL1Loss HuberLoss KLDivLoss BCEWithLogitsLoss SoftMarginLoss PoissonNLLLoss".split()
DISTRIBUTIONS = [
    "Normal(zeros, ones)",
    "Bernoulli(half)",
    "Bernoulli(logits=zeros)",
    "Categorical(half)",
    "Categorical(logits=zeros)",
    "OneHotCategorical(half)",
    "Uniform(zeros, ones)",
    "Exponential(ones)",
    "Gamma(ones, ones)",
    "Beta(ones, ones)",
    "Dirichlet(ones)",
    "Laplace(zeros, ones)",
    "Poisson(ones)",
    "Geometric(half)",
    "Gumbel(zeros, ones)",
    "Cauchy(zeros, ones)",
    "HalfNormal(ones)",
    "LogNormal(zeros, ones)",
    "StudentT(3 * ones)",
    "Weibull(ones, ones)",
    "Binomial(4, half)",
    "Multinomial(4, half)",
    "MultivariateNormal(zeros, eye)",
    "Independent(torch.distributions.Normal(zeros, ones), 1)",
]
OPTIMIZERS = "SGD Adam AdamW NAdam RAdam Adamax Adagrad Adadelta RMSprop Rprop ASGD Adafactor".split()
OTHERS = {  # what is made before: what is timed
    "x, p = torch.ones(3), torch.nn.Parameter(torch.ones(3)); p.grad = torch.ones(3)": """
        torch.nn.utils.clip_grad_norm_(p, 1.0)
        torch.nn.utils.clip_grad_value_(p, 1.0)
        torch.nn.utils.parameters_to_vector([p])
        torch.nn.Parameter(x)
        torch.utils.data.default_collate([x, x])
        torch.nn.utils.rnn.pad_sequence([x, x])
        torch.distributions.kl_divergence(torch.distributions.Bernoulli(x), torch.distributions.Bernoulli(x))
        torch.no_grad().__enter__()
        torch.is_tensor(x)
        torch.is_floating_point(x)
        torch.get_default_dtype()
        torch.manual_seed(1)
        torch.promote_types(torch.float32, torch.int64)
        torch.broadcast_shapes((2, 1), (3,))
        torch.finfo(torch.float32).eps
        torch.equal(x, x)
        torch.Size((2, 3)).numel()
        torch.as_tensor([1.0, 2.0])
        torch.from_numpy(x.numpy())
        x.tolist()
        x.size(0)
        x.dim()
        x.numel()
        x.detach()
        x[0].item()
        repr(x)
        len(x)
        list(x)
        x.new_tensor([1.0])
        x.to(torch.float64)
        x.to("cpu")
        x.type()
        x.device
        x.is_contiguous()
        x.data_ptr()
        x.stride()
        x.element_size()
        copy.copy(x)
        copy.deepcopy(x)
        pickle.loads(pickle.dumps(x))
    """,
    "m = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU())": """
        m.train()
        m.zero_grad()
        m.requires_grad_()
        m.state_dict()
        m.load_state_dict(m.state_dict())
        list(m.parameters())
        list(m.named_modules())
        m.to(torch.float32)
        torch.nn.Linear(3, 4)
        torch.func.functional_call(m, dict(m.named_parameters()), torch.ones(1, 3))
    """,
    "x = torch.ones(3, 3)": """
        torch.func.grad(lambda x: x.sum())(x)
        torch.func.vmap(lambda x: x * 2)(x)
        torch.func.vjp(lambda x: x * 2, x)
        torch.func.jvp(lambda x: x * 2, (x,), (x,))
        torch.func.jacrev(lambda x: x * 2)(x)
        torch.autograd.functional.jacobian(lambda x: x * 2, x)
        torch.nn.init.normal_(x)
        torch.nn.init.uniform_(x)
        torch.nn.init.xavier_uniform_(x)
        torch.nn.init.kaiming_uniform_(x)
        torch.nn.init.orthogonal_(x)
        torch.nn.init.zeros_(x)
        torch.nn.functional.gumbel_softmax(x)
    """,
}

Spelled = namedtuple("Spelled", "name")  # "float32": an attribute of either library


def plain(x, tensor):
    """What a sample holds, without the library that drew it."""
    if isinstance(x, tensor):
        return np.asarray(x.resolve_conj().resolve_neg().numpy())
    if isinstance(x, (list, tuple)):
        return (list if isinstance(x, list) else tuple)(plain(item, tensor) for item in x)
    if isinstance(x, dict):
        return {k: plain(v, tensor) for k, v in x.items()}
    text = str(x)
    return Spelled(text.removeprefix("torch.")) if text.startswith("torch.") else x


def restored(x, torch):
    """The same for either library."""
    if isinstance(x, np.ndarray):
        return torch.from_numpy(x.copy(order="K")) if x.ndim else torch.tensor(x.item(), dtype=restored_dtype(x, torch))
    if isinstance(x, Spelled):
        return getattr(torch, x.name)
    if isinstance(x, (list, tuple)):
        return type(x)(restored(item, torch) for item in x)
    return {k: restored(v, torch) for k, v in x.items()} if isinstance(x, dict) else x


def restored_dtype(x, torch):
    return getattr(torch, x.dtype.name)


def sampled():
    """Name, path, arguments and options of the samples' calls."""
    sys.path.insert(0, str(Path(__file__).parents[1]))
    import flambeau
    from samples import families, table

    found = []
    for package in ("tensor", "nn"):
        for family in families(package):
            for name, sample in table(f"{package}.{family}").items():
                if sample.in_place_of is not None or name.startswith("_ops."):
                    continue
                path = sample.operator.__torch_name__.removeprefix("torch.")
                # functions, generators, and what is no call of the operator
                with contextlib.suppress(pickle.PicklingError, AttributeError):
                    arguments, options = plain(bound(sample, flambeau.float32), flambeau.Tensor)
                    call = path + name[len(name.partition(",")[0]) :], path, list(arguments), options
                    pickle.dumps(call)
                    found.append(call)
    return found


def bound(sample, dtype):
    """The arguments and options of one call."""
    tensors = sample.one(dtype if "torch.float32" in map(str, sample.admitted) else None)
    if sample.via is None:
        return sample.bind(tensors)
    given = [((), {})]

    def noted(*arguments, **options):
        given.append((arguments, options))
        return sample.operator(*arguments, **options)

    sample.via(noted, *tensors)
    return given[min(1, len(given) - 1)]


def called(torch, path, arguments, options):
    """A function without arguments that makes the call as users write it."""
    places = [f"a{i}" for i in range(len(arguments))]
    named = [f"{name}=o{i}" for i, name in enumerate(options)]
    kind, _, method = path.rpartition(".")
    if path.endswith(".__get__"):
        text = f"a0.{path.split('.')[-2]}"
    elif path == "Tensor.__getitem__":
        text = "a0[a1]"
    elif kind == "Tensor":
        text = f"a0.{method}({', '.join(places[1:] + named)})"
    else:
        text = f"f({', '.join(places + named)})"
    f = torch
    for word in path.split("."):
        f = getattr(f, word)
    names = ["f", *places, *[f"o{i}" for i in range(len(options))]]
    values = [f, *restored(arguments, torch), *restored(list(options.values()), torch)]
    return eval(f"lambda {', '.join(names)}: lambda: {text}")(*values)


def written(torch):
    """Name and maker of what stands in the lists of this file; a maker gives a function without arguments."""
    nn, three = torch.nn, {"zeros": torch.zeros(3), "ones": torch.ones(3), "half": torch.full((3,), 0.5)}
    scope = {"torch": torch, "nn": nn, "copy": copy, "pickle": pickle, "eye": torch.eye(3), **three}

    def timed(text, **values):
        return eval(f"lambda {', '.join(values)}: lambda: {text}", scope)(**values)

    for sizes, modules in MODULES.items():
        x = torch.linspace(-1, 1, math.prod(sizes)).reshape(sizes)
        for text in modules.split():
            yield f"nn.{text} of {sizes}", lambda text=text, x=x: timed("m(x)", m=eval(f"nn.{text}", scope), x=x)
    x, y, chosen = torch.rand(2, 3), torch.rand(2, 3), torch.tensor([0, 2])
    for name in LOSSES:
        yield f"nn.{name}()", lambda name=name: timed("m(x, y)", m=getattr(nn, name)(), x=x, y=y)
    yield "nn.CrossEntropyLoss()", lambda: timed("m(x, y)", m=nn.CrossEntropyLoss(), x=x, y=chosen)
    yield "nn.Embedding(4, 3)", lambda: timed("m(x)", m=nn.Embedding(4, 3), x=chosen)
    attention = "nn.MultiheadAttention(4, 2)"
    yield attention, lambda: timed("m(x, x, x)", m=eval(attention, scope), x=torch.rand(3, 1, 4))
    for text in DISTRIBUTIONS:
        made = eval(f"lambda: torch.distributions.{text}", scope)
        yield f"distributions.{text}", lambda made=made: made
        for use in ("sample()", "log_prob(x)", "entropy()", "mean"):
            yield (
                f"distributions.{text}.{use}",
                lambda made=made, use=use: timed(f"d.{use}", d=made(), x=made().sample()),
            )
    for name in OPTIMIZERS:
        p = nn.Parameter(torch.ones(3))
        p.grad = torch.ones(3)
        optimizer = getattr(torch.optim, name)
        yield f"optim.{name}.step()", lambda p=p, optimizer=optimizer: optimizer([p], lr=1e-9).step
    for before, lines in OTHERS.items():
        values = {}
        exec(before, scope, values)
        for text in filter(None, map(str.strip, lines.split("\n"))):
            yield text, lambda text=text, values=values: timed(text, **values)


def least(function):
    """The least time of a call, in nanoseconds."""
    start = perf_counter_ns()
    function()
    function()
    n = max(1, min(1000, LOOP * 2 // (perf_counter_ns() - start)))
    best = math.inf
    for _ in range(LOOPS):
        start = perf_counter_ns()
        for _ in range(n):
            function()
        best = min(best, (perf_counter_ns() - start) / n)
        if best * n < LOOP / 2:
            n *= 2
    return best


def run_side(library, only):
    """Times of one side as JSON, {name: nanoseconds or the error}; the samples' calls come from stdin."""
    warnings.simplefilter("ignore")
    torch = importlib.import_module(library)
    for name in ("distributions", "nn.utils.rnn", "utils.data", "func", "special", "linalg", "fft"):
        importlib.import_module(f"{library}.{name}")
    torch.set_num_threads(1)
    torch.manual_seed(0)
    cases = [
        (name, lambda path=path, a=a, o=o: called(torch, path, a, o))
        for name, path, a, o in pickle.load(sys.stdin.buffer)
    ]
    found = {}
    for name, make in [*cases, *written(torch)]:
        if not only or any(part in name for part in only):
            try:
                found[name] = least(make())
            except Exception as error:
                found[name] = f"{type(error).__name__}: {error}"
    print(json.dumps(found))


def parser(text, rounds):
    """The options of this file and its siblings."""
    options = argparse.ArgumentParser(description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--peer-python", required=True, help="a Python with PyTorch")
    options.add_argument("--our-python", default=sys.executable)
    options.add_argument("--rounds", type=int, default=rounds)
    options.add_argument("--only", default="", help="parts of names, separated by commas")
    options.add_argument("--below", type=float, default=math.inf, help="list no ratios above this")
    options.add_argument("--json", type=Path, help="where to write the figures")
    options.add_argument("--side", help=argparse.SUPPRESS)
    return options


def parts_of(args):
    """What `--only` names."""
    return [part for part in args.only.split(",") if part]


def in_turns(script, args, calls):
    """What `script` finds of both sides, the least of all rounds: ratios, and what could not be called."""
    given = pickle.dumps(calls)
    sides, rows = {"ours": (args.our_python, "flambeau"), "peer": (args.peer_python, "torch")}, {}
    for _ in range(args.rounds):
        for who, (python, library) in sides.items():
            command = [python, script, "--peer-python", "", "--only", args.only, "--side", library]
            done = subprocess.run(command, input=given, stdout=subprocess.PIPE, check=True)
            for name, time in json.loads(done.stdout).items():
                row = rows.setdefault(name, {})
                row[who] = min(row[who], time) if who in row else time
    return split(rows)


def write(args, rows, absent):
    """The figures, where `--json` says."""
    if args.json:
        parts = {"machine": described(args.our_python, args.peer_python), "calls": rows, "not timed": absent}
        args.json.write_text("{\n" + ",\n".join(f'"{name}": {lines(part)}' for name, part in parts.items()) + "\n}\n")


def main():
    args = parser(__doc__, rounds=3).parse_args()
    if args.side:
        run_side(args.side, parts_of(args))
        return
    rows, absent = in_turns(__file__, args, sampled())
    for name, row in rows.items():
        if row["ratio"] <= args.below:
            print(f"{row['ratio']:8.2f}  {name:70}  {row['ours']:10.0f}  {row['peer']:10.0f} ns")
    print(summary(rows))
    write(args, rows, absent)


def lines(part):
    """JSON with a line for each entry, times in whole nanoseconds."""
    if not isinstance(part, dict):
        return json.dumps(part)
    digits = {"ours": 0, "peer": 0, "ratio": 2}
    rounded = {
        name: {key: round(x, digits[key]) if isinstance(x, float) else x for key, x in row.items()}
        if isinstance(row, dict) and row.keys() <= digits.keys()
        else row
        for name, row in part.items()
    }
    return "{\n" + ",\n".join(f"{json.dumps(name)}: {json.dumps(row)}" for name, row in rounded.items()) + "\n}"


def split(rows):
    """Ratios in ascending order, and what could not be called on one side: {name: {side: error}}."""
    timed = {name: row for name, row in rows.items() if not any(isinstance(time, str) for time in row.values())}
    for row in timed.values():
        row["ratio"] = row["peer"] / row["ours"]
    absent = {
        name: {who: time for who, time in row.items() if isinstance(time, str)}
        for name, row in rows.items()
        if name not in timed
    }
    return dict(sorted(timed.items(), key=lambda item: item[1]["ratio"])), absent


def summary(rows):
    ratios = [row["ratio"] for row in rows.values()]
    below = ", ".join(f"{sum(r < limit for r in ratios)} below {limit}" for limit in (1, 3, 6))
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    return f"{len(ratios)} calls: {below}; geometric mean {mean:.1f}"


if __name__ == "__main__":
    main()
