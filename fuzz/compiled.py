"""Random programs called many times, compiled beside eager, with changes between the calls.

    python fuzz/compiled.py [--seconds 60] [--seed 1] [--only chain,training]
    python fuzz/compiled.py --program training:7.22    # that one alone

What is drawn is the text of a module: tensors, objects, and a function `f`; then a list of actions, each a line that
calls `f` or changes what `f` reads. Two namespaces run the text, one with `f` compiled. After each action results,
arguments, captured tensors, gradients and the generator have to be the same in both; what the program has kept of
earlier calls is looked at again, too. A program that differs is shortened, line by line, and printed.
"""

# ruff: noqa: E501 - programs are lines of text

import argparse
import itertools
import linecache
import os
import random
import shutil
import sys
import tempfile
import threading
import time
import types
import warnings

import flambeau as torch
from flambeau.utils.hooks import RemovableHandle
from flambeau_compile import build
from flambeau_compile.api import Compiled

PRELUDE = """
import copy, gc, pickle, threading
import flambeau as torch
from flambeau import nn
from flambeau.func import grad, jacrev, jvp, vmap, hessian
F = nn.functional
"""


def tensor(dtype="float32", shape=(3,), seed=0, look="plain", grad=False):
    """A tensor of numbers that follow from a seed, which lies in memory in some way."""
    draw = random.Random(f"{dtype}{shape}{seed}")
    full = list(shape)
    if look == "offset":
        full[0:1] = [full[0] + 2] if full else []
    elif look == "steps":
        full[-1:] = [2 * full[-1]] if full else []
    elif look == "turned":
        full = full[::-1]
    elif look == "wide":
        full[0:1] = [1] if full else []
    n = 1
    for size in full:
        n *= size
    if dtype == "bool":
        numbers = [draw.random() < 0.5 for _ in range(n)]
    elif dtype.startswith("int"):
        numbers = [draw.randint(-5, 5) for _ in range(n)]
    else:
        numbers = [
            draw.choice((0.0, -0.0, 1.0, -1.0, draw.gauss(0, 1), draw.gauss(0, 1), draw.gauss(0, 3))) for _ in range(n)
        ]
    t = torch.tensor(numbers, dtype=getattr(torch, dtype)).reshape(full)
    if look == "offset" and full:
        t = t[1:-1]
    elif look == "steps" and full:
        t = t[..., ::2]
    elif look == "turned":
        t = t.permute(*range(t.dim()))[...] if t.dim() < 2 else t.permute(*reversed(range(t.dim())))
    elif look == "wide" and full:
        t = t.expand(shape)
    return t.requires_grad_() if grad else t


# --- running --------------------------------------------------------------------------------------------------------


class World:
    """One run of a program."""

    counter = itertools.count()

    def __init__(self, text, compiled):
        name = f"<program {next(self.counter)}>"
        linecache.cache[name] = (len(text), None, text.splitlines(True), name)
        self.name, self.kept, self.compiled = name, [], compiled
        self.names = {
            "T": tensor,
            "__name__": "program",
            "call": self.call,
            "kept": self.kept,
            "threads": self.threads,
            "compiled": torch.compile if compiled else lambda f, **_: f,
        }
        torch.manual_seed(0)
        torch.set_default_dtype(torch.float32)
        exec(compile(text, name, "exec"), self.names)
        self.f = torch.compile(self.names["f"], recompile_limit=64) if compiled else self.names["f"]
        self.random = torch.get_rng_state()

    def call(self, *args, **kwargs):
        result = self.f(*args, **kwargs)
        self.kept.append(result)
        return result

    def threads(self, *arguments):
        """Calls of several threads at once."""
        results = [None] * len(arguments)

        def work(i, args):
            try:
                results[i] = [self.f(*args) for _ in range(3)]
            except Exception as error:
                results[i] = error

        if self.compiled:
            running = [threading.Thread(target=work, args=pair) for pair in enumerate(arguments)]
            for each in running:
                each.start()
            for each in running:
                each.join()
        else:
            for pair in enumerate(arguments):
                work(*pair)
        self.kept.append(results)
        return results

    def act(self, line):
        """What an action comes to: the description of all that can be seen after it."""
        torch.set_rng_state(self.random)
        try:
            code = compile(line, self.name, "exec")
            exec(code, self.names)
            raised = None
        except Exception as error:
            raised = f"{type(error).__name__}: {error}".split("\n")[0]
            if "inplace operation: " in raised or "through the graph a second time" in raised:
                raised = "RuntimeError: backward is too late"  # a program is one node, which says one of the two
        finally:
            self.random = torch.get_rng_state()
        torch.set_default_dtype(torch.float32)
        seen = {}
        known = {}
        for name, value in list(self.names.items()):
            if (
                name.startswith("_")
                or isinstance(value, (types.ModuleType, type))
                or name in ("T", "call", "threads", "compiled")
            ):
                continue
            look(value, name, seen, known, 0)
        return raised, self.random, seen

    def close(self):
        linecache.cache.pop(self.name, None)
        self.names.clear()
        self.kept.clear()


def look(o, path, seen, known, depth):
    """Write down what is at a path and below it."""
    if id(o) in known and not isinstance(o, (int, float, str, bool, type(None))):
        seen[path] = ("same as", known[id(o)])
        return
    if depth > 9:
        return
    if isinstance(o, torch.Tensor):
        known[id(o)] = path
        with torch.no_grad():
            seen[path] = Look(o, known)
        if o.is_leaf and o.grad is not None:
            look(o.grad, path + ".grad", seen, known, depth + 1)
        return
    if isinstance(o, (int, float, str, bool, type(None))):
        seen[path] = ("value", type(o).__name__, repr(o))
    elif isinstance(o, (list, tuple)):
        known[id(o)] = path
        seen[path] = (type(o).__name__, len(o))
        for i, each in enumerate(o):
            look(each, f"{path}[{i}]", seen, known, depth + 1)
    elif isinstance(o, dict):
        known[id(o)] = path
        seen[path] = ("dict", len(o))
        for i, (name, each) in enumerate(o.items()):
            key = name if isinstance(name, (str, int)) else i
            look(each, f"{path}[{key!r}]", seen, known, depth + 1)
    elif isinstance(o, Exception):
        seen[path] = ("error", repr(o))
    elif isinstance(o, (types.FunctionType, types.BuiltinFunctionType, torch.Generator, Compiled, RemovableHandle)):
        return
    elif isinstance(o, torch.optim.Optimizer):
        known[id(o)] = path
        look(list(o.state.values()), path + ".state", seen, known, depth + 1)
        look(o.param_groups, path + ".param_groups", seen, known, depth + 1)
    elif hasattr(o, "__dict__"):
        known[id(o)] = path
        attributes = {k: v for k, v in vars(o).items() if k not in ("_backward_hooks", "_forward_hooks")}
        known.setdefault("made", []).append(attributes)  # no other one gets its id
        look(attributes, path + ".", seen, known, depth + 1)


class Look:
    """What can be seen of a tensor."""

    def __init__(self, t, known):
        plain = t.detach()
        self.value = plain.clone()
        self.about = (type(t).__name__, str(t.dtype), tuple(t.shape), t.requires_grad, t.grad_fn is None)
        self.strides = tuple(t.stride()) if t.numel() else None
        key = t.untyped_storage().data_ptr()
        places = known.setdefault("memory", {})
        self.memory = places.setdefault(key, len(places)) if t.numel() and key else None

    def difference(self, other):
        if self.about != other.about:
            return f"{self.about} instead of {other.about}"
        if self.strides != other.strides:
            return f"strides {self.strides} instead of {other.strides}"
        if not close(self.value, other.value):
            return f"{self.value} instead of {other.value}"
        if self.memory != other.memory:
            return f"memory of the {self.memory}-th instead of the {other.memory}-th"
        return None


def close(a, b):
    if a.numel() == 0:
        return True
    if not a.is_floating_point():
        return bool(torch.equal(a, b))
    a = torch.where(b.isnan() & (a == 0), b, a)  # times a structural zero, see docs/guides/compile.md
    return bool(torch.allclose(a, b, rtol=2e-5, atol=2e-5, equal_nan=True))  # in float64 what was float32 before, too


def near(x, y):
    """Whether two numbers that were taken out of tensors are as close as these may be."""
    numbers = [each for each in (x, y) if each[:2] == ("value", "float")]
    return len(numbers) == 2 and close(*(torch.tensor(float(each[2]), dtype=torch.float64) for each in numbers))


def difference(ours, eager):
    """The first difference of two outcomes, in words; None where there is none."""
    if ours[0] != eager[0]:
        return f"raised {ours[0]!r} instead of {eager[0]!r}"
    a, b = ours[2], eager[2]
    for path in b:
        if path not in a:
            return f"{path} is missing"
        x, y = a[path], b[path]
        if isinstance(x, Look) and isinstance(y, Look):
            found = x.difference(y)
            if found:
                return f"{path}: {found}"
        elif x != y and not near(x, y):
            return f"{path}: {x} instead of {y}"
    for path in a:
        if path not in b:
            return f"{path} should not be there"
    if not torch.equal(ours[1], eager[1]):
        return "the generator is elsewhere"
    return None


DECLINED = "gradients of f that are themselves differentiated need another run of it"


def run(setup, actions, notes=None):
    """The first difference between a compiled and an eager run: (number of the action, words); None: there is none."""
    text = PRELUDE + "\n".join(setup) + "\n"
    try:
        eager = World(text, False)
    except Exception as error:  # refused by Python, alike in both
        if notes is not None:
            notes["refused"] = notes.get("refused", 0) + 1
            notes["why"] = repr(error)
        return None
    ours = World(text, True)
    try:
        for i, line in enumerate(actions):
            wanted = eager.act(line)
            got = ours.act(line)
            if got[0] and DECLINED in got[0]:  # said, and docs/differences.md has it; what follows differs by that
                if notes is not None:
                    notes["declined"] = notes.get("declined", 0) + 1
                return None
            if notes is not None:
                notes["actions"] = notes.get("actions", 0) + 1
                if wanted[0]:
                    notes["raised"] = notes.get("raised", 0) + 1
                    notes["last"] = wanted[0]
            found = difference(got, wanted)
            if found:
                return i, found
        return None
    finally:
        if notes is not None:
            about = torch.compiler.explain(ours.f)
            notes.setdefault("events", []).append(about)
        ours.close()
        eager.close()


def shortened(setup, actions, seconds=15):
    """A program with fewer lines that still differs."""
    end = time.monotonic() + seconds
    i, found = run(setup, actions) or (len(actions), None)
    if found is None:
        return setup, actions, None
    actions = actions[: i + 1]
    changed = True
    while changed:
        changed = False
        for lines, which in ((actions, 1), (setup, 0)):
            n = len(lines) - 1
            while n >= 0 and time.monotonic() < end:
                fewer = lines[:n] + lines[n + 1 :]
                pair = (setup, fewer) if which else (fewer, actions)
                again = run(*pair)
                if again and _kind(again[1]) == _kind(found):
                    lines = fewer
                    found = again[1]
                    if which:
                        actions = fewer
                    else:
                        setup = fewer
                    changed = True
                n -= 1
    return setup, actions, found


def _kind(words):
    words = words.split(": ", 1)[-1]
    return next((k for k in ("raised", "version", "memory", "strides") if words.startswith(k)), "value")


# --- drawing: chains of operations ----------------------------------------------------------------------------------

LOOKS = ("plain", "plain", "offset", "steps", "turned", "wide")


class Draw:
    def __init__(self, seed):
        self.r = random.Random(seed)

    def one(self, *choices):
        return self.r.choice(choices)

    def chance(self, p):
        return self.r.random() < p

    def sizes(self):
        r = self.r
        if self.chance(0.04):
            return (2000,)
        n = self.one(0, 1, 1, 2, 2, 2, 3)
        return tuple(r.choice((0, 1, 2, 3, 3, 4, 5, 7, 17, 70) if n < 3 else (1, 2, 3, 4)) for _ in range(n))


UNARY = ("sin", "exp", "tanh", "sigmoid", "relu", "neg", "abs", "sqrt", "sign", "floor", "round", "square", "log1p",
         "reciprocal", "erf", "softmax", "cumsum", "sort", "clone", "contiguous", "isnan", "logical_not", "nan_to_num",
         "softplus", "gelu", "silu", "prod", "logsumexp", "argmax", "flip", "tril", "roll")  # fmt: skip
BINARY = ("+", "-", "*", "/", "torch.maximum", "torch.minimum", "torch.atan2", "<", ">=", "==", "torch.where", "//", "%",
          "torch.pow", "torch.lerp", "torch.addcmul", "torch.fmod", "torch.copysign", "torch.hypot", "torch.logical_and")  # fmt: skip


def operation(d, names):
    """An expression of tensors."""
    a, b = d.one(*names), d.one(*names)
    kind = d.r.random()
    if kind < 0.28:
        u = d.one(*UNARY)
        special = {"softmax": "{0}.softmax(-1)", "cumsum": "{0}.cumsum(-1)", "sort": "{0}.sort(-1)[0]",
                   "softplus": "F.softplus({0})", "gelu": "F.gelu({0})", "silu": "F.silu({0})", "prod": "{0}.prod()",
                   "logsumexp": "{0}.logsumexp(-1, keepdim=True)", "argmax": "{0}.argmax()", "flip": "{0}.flip(-1)",
                   "roll": "{0}.roll(1, -1)"}  # fmt: skip
        return special.get(u, "{0}." + u + "()").format(a)
    if kind < 0.5:
        o = d.one(*BINARY)
        number = d.one("2", "0.5", "-1.5", "True", "n", "k")
        right = b if d.chance(0.7) else number
        if o == "torch.where":
            return f"torch.where({a} > {d.one('0', b)}, {b}, {d.one(a, '0.25')})"
        if o == "torch.lerp":
            return f"torch.lerp({a}, {b}, 0.3)"
        if o == "torch.addcmul":
            return f"torch.addcmul({a}, {b}, {b}, value=0.5)"
        return f"{o}({a}, {right})" if o.startswith("torch") else f"({a} {o} {right})"
    if kind < 0.62:
        return d.one(
            "{a}.sum(-1)",
            "{a}.sum()",
            "{a}.mean(0, keepdim=True)",
            "{a}.float().var(-1)",
            "{a}.amax(-1)",
            "{a}.max(-1)[1]",
            "{a}.min()",
            "{a}.any()",
            "{a}.all(-1)",
            "{a}.float().norm()",
            "{a}.sum(0, keepdim=True)",
            "{a}.std()",
        ).format(a=a)
    if kind < 0.8:
        return d.one(
            "{a}[..., 1:]",
            "{a}[..., ::2]",
            "{a}[0]",
            "{a}.t()",
            "{a}.mT",
            "{a}.unsqueeze(0)",
            "{a}.squeeze()",
            "{a}.reshape(-1)",
            "{a}.flatten()",
            "{a}.expand(2, *{a}.shape)",
            "{a}.transpose(0, -1)",
            "{a}.unbind(0)[-1]",
            "{a}.chunk(2, -1)[0]",
            "{a}.as_strided((2,), (1,))",
            "{a}.view(-1)",
            "{a}.movedim(0, -1)",
            "{a}[None]",
            "{a}.detach()",
            "{a}.narrow(0, 0, 1)",
            "{a}.diagonal()",
            "{a}.view_as({a})",
            "{a}.split(2)[0]",
        ).format(a=a)
    if kind < 0.9:
        return d.one(
            "{a} @ {b}",
            "{a}.mT @ {b}",
            "torch.cat([{a}, {b}])",
            "torch.stack([{a}, {a}])",
            "torch.outer({a}, {a})",
            "{a}.float()",
            "{a}.double()",
            "{a}.long()",
            "{a}.bool()",
            "torch.zeros_like({a})",
            "{a}.new_ones(3)",
            "torch.einsum('...i,...i->...', {a}, {b})",
            "{a}.masked_fill({a} > 0, 7)",
            "F.pad({a}, (1, 1))",
            "torch.addmm({a}, {a}, {a}.mT)",
            "torch.linspace(0, 1, 4)",
            "{a}.gather(-1, {a}.long().clamp(0, 0))",
            "{a}.index_select(0, torch.tensor([0]))",
            "torch.tensor([1.0, 2.0])",
            "F.layer_norm({a}, {a}.shape[-1:])",
        ).format(a=a, b=b)
    if kind < 0.94:
        return d.one(
            "torch.rand(3)",
            f"torch.randn_like({a}.float())",
            f"F.dropout({a}.float(), 0.5)",
            f"torch.bernoulli({a}.float().sigmoid())",
            "torch.randperm(4)",
            "torch.randint(0, 9, (3,))",
        )
    return d.one(f"{a}", f"({a}, {b})[0]", f"{a} if n > 1 else {b}")


def write(d, names):
    a, b = d.one(*names), d.one(*names)
    return d.one(
        "{a}.add_({b})", "{a}.mul_(0.5)", "{a}[0] = 1", "{a}[..., 0] = {b}[..., 0]", "{a}[1:] += 1", "{a}.copy_({b})",
        "{a}.zero_()", "{a}.t().mul_(2)", "{a}[..., ::2].sub_(1)", "{a}.clamp_(-1, 1)", "{a}.masked_fill_({b} > 0, 3)",
        "{a}.fill_(n)", "{a} += {b}", "{a}.view(-1)[0] = k", "{a}[..., 1:] = {a}[..., :-1]", "{a}.uniform_()", "{a}.normal_()",
        "{a}.index_add_(0, torch.tensor([0]), {a}[:1])", "torch.add({b}, 1, out={a})", "{a}.t_()", "{a}.unsqueeze_(0)",
        "{a}.relu_()", "{a}.addcmul_({b}, {b})", "{a}.exponential_()", "{a}.squeeze_()", "{a}.reshape(-1).mul_(3)",
        "{a}.data.mul_(2)", "{a}.detach().add_(1)", "{a}[{b} > 0] = 1", "{a}.sigmoid_()",
    ).format(a=a, b=b)  # fmt: skip


def chain(d, grads=False):
    """Setup, and actions: straight-line functions of two tensors, numbers and a captured tensor."""
    shape = d.sizes()
    other = d.one(shape, shape, shape[1:], shape[-1:], d.sizes())
    dtype = d.one("float32", "float32", "float64", "int64", "bool") if not grads else d.one("float32", "float64")
    dtype2 = d.one(dtype, dtype, "float32", "float64", "int64") if not grads else dtype
    setup = [f"c = T({dtype2!r}, {other!r}, 9)", "d0 = [T('float32', (3,), 8), 2.0]", "scale = 1.5"]
    body, names = [], ["a", "b", "c"]
    for i in range(d.r.randint(1, 9)):
        if d.chance(0.22):
            body.append(f"    {write(d, names)}")
        elif d.chance(0.06):
            body.append(f"    x{i} = a * scale" if d.chance(0.5) else f"    x{i} = d0[0] * d0[1]")
            names.append(f"x{i}")
        elif d.chance(0.05):
            condition = d.one(
                "a.sum() > 0", "n > 2", "bool((a > 0).any())", "a.float().mean().item() > 0.1", "a is b", "a.dim() > 1"
            )
            body.append(f"    x{i} = {d.one(*names)} if {condition} else {operation(d, names)}")
            names.append(f"x{i}")
        else:
            body.append(f"    x{i} = {operation(d, names)}")
            names.append(f"x{i}")
    tail = names[-3:]
    returned = d.one(
        "{0}", "({0}, {1})", "[{0}, {1}, {0}]", "{{'x': {0}, 'y': ({1}, n)}}", "({0}, {2}, a)", "({0}, {1}, {2})"
    ).format(tail[-1], d.one(*tail), d.one(*names))
    setup += ["def f(a, b, n=2, k=0.5):", *body, f"    return {returned}"]
    extra = ", grad=True" if grads and d.chance(0.7) else ""
    extra2 = ", grad=True" if grads and d.chance(0.4) else ""
    setup += [
        f"a = T({dtype!r}, {shape!r}, 1, {d.one(*LOOKS)!r}{extra})",
        f"b = T({dtype2!r}, {other!r}, 2, {d.one(*LOOKS)!r}{extra2})",
    ]
    actions = ["call(a, b)", "call(a, b)"]
    for i in range(d.r.randint(4, 12)):
        look, look2 = d.one(*LOOKS), d.one(*LOOKS)
        actions.append(
            d.one(
                "call(a, b)",
                "call(a, b)",
                "call(b, a)",
                "call(a, a)",
                f"call(a, b, {d.one(1, 2, 3, True, 2.0, -0.0, 0.0)})",
                "call(a, b, k=0.25)",
                f"a = T({dtype!r}, {shape!r}, {i}, {look!r}{extra})",
                f"b = T({dtype2!r}, {other!r}, {i}, {look2!r})",
                "scale = 2.5",
                "d0[1] = 3.0",
                "d0[0] = T('float32', (3,), 5)",
                "d0[0].add_(1)",
                "c.add_(1)",
                f"c = T({dtype2!r}, {other!r}, {i})",
                "call(a, a.view_as(a))",
                "call(a.detach().clone(), b)",
                "call(a[1:], a[:-1])",
                "call(a, c)",
                "call(c, c)",
                "call(a.t(), b)",
                "call(a, a.detach())",
                "c.data = c.data.clone() + 1",
                "gc.collect()",
                "call(b=b, a=a)",
                "del kept[:]",
                "threads((a.detach().clone(), b), (b.detach().clone(), a.detach().clone()))"
                if not any(word in str(body) for word in ("rand", "bernoulli"))
                and "_()" not in str(body)
                and "dropout" not in str(body)
                and "c." not in str(body)
                and "c[" not in str(body)
                else "call(a, b)",
                "with torch.no_grad(): call(a, b)",
                "with torch.inference_mode(): call(a.clone(), b.clone())",
                "torch.set_default_dtype(torch.float64); call(a, b)",
                "try: kept[-1].sum().backward()\nexcept AttributeError: kept[-1][0].sum().backward()"
                if grads
                else "kept[-1][0].add_(1)",
                "a.requires_grad_(not a.requires_grad)" if grads else "kept[-1].add_(1)",
                "a.grad = None",
                "c.requires_grad_()" if grads else "call(a, b)",
                "copied = copy.deepcopy(a); call(copied, b)",
                "vmap(lambda v: call(v, b) if 0 else f(v, b))(a)",
                "a.add_(1)" if not grads else "a.data.add_(1)",
                "call(a, kept[-1])",
                "base = torch.zeros(200); call(base[:9], base[3:12])",
                "base = torch.ones(64); call(base.view(8, 8), base.view(8, 8).t())",
                "base = torch.ones(64); call(base.as_strided((4, 3), (2, 1)), base.as_strided((4, 3), (2, 1), 1))",
            )
        )
    actions += ["call(a, b)", "call(a, b)"]
    return setup, actions


# --- drawing: modules and training ----------------------------------------------------------------------------------

LAYERS = (
    "nn.Linear(4, 4)", "nn.Linear(4, 4, bias=False)", "nn.BatchNorm1d(4)", "nn.Dropout(0.4)", "nn.LayerNorm(4)", "nn.Tanh()", "nn.ReLU()",
    "nn.GELU()", "nn.ReLU(inplace=True)", "nn.Softmax(-1)", "nn.Sequential(nn.Linear(4, 7), nn.Sigmoid(), nn.Linear(7, 4))", "nn.PReLU()",
    "nn.BatchNorm1d(4, momentum=None)", "nn.BatchNorm1d(4, track_running_stats=False)", "nn.Identity()", "nn.SiLU()", "nn.GroupNorm(2, 4)",
    "nn.utils.parametrizations.weight_norm(nn.Linear(4, 4))", "nn.Embedding(5, 4)", "nn.Bilinear(4, 4, 4)", "nn.ELU(inplace=True)",
)  # fmt: skip
OPTIMIZERS = (
    "SGD({p}, lr=0.1)", "SGD({p}, lr=0.1, momentum=0.9)", "SGD({p}, lr=0.1, momentum=0.9, nesterov=True, weight_decay=0.01)", "Adam({p}, lr=0.01)",
    "AdamW({p}, lr=0.01)", "Adam({p}, lr=0.01, amsgrad=True)", "RMSprop({p}, lr=0.01)", "RMSprop({p}, lr=0.01, momentum=0.5, centered=True)",
    "Adagrad({p})", "Adadelta({p})", "Adamax({p})", "NAdam({p})", "RAdam({p})", "ASGD({p})", "Rprop({p})", "Adam({p}, lr=0.01, maximize=True, weight_decay=0.1)",
)  # fmt: skip


def training(d):
    """A module with state, and a step that trains it, or calls of it."""
    layers = [d.one(*LAYERS) for _ in range(d.r.randint(1, 3))]
    layers = [x for x in layers if "Embedding" not in x and "Bilinear" not in x] or ["nn.Linear(4, 4)"]
    style = d.one("step", "step", "step", "forward", "module", "loss")
    setup = [
        "class Net(nn.Module):",
        "    def __init__(self):",
        "        super().__init__()",
        *(f"        self.l{i} = {x}" for i, x in enumerate(layers)),
        "        self.scale = 1.0",
        "        self.settings = {'gain': 1.0, 'list': [1.0, 2.0]}",
        "        self.count = 0",
        "        self.last = torch.zeros(())",
        "        self.register_buffer('seen', torch.zeros(4))",
        "    def forward(self, x):",
        *(f"        x = self.l{i}(x)" + (" + x" if d.chance(0.2) else "") for i in range(len(layers))),
    ]
    for extra in ("        self.seen.add_(x.detach().sum(0))", "        self.seen = self.seen * 0.9 + 1", "        x = x * self.scale",
                  "        x = x * self.settings['gain'] + self.settings['list'][-1]", "        self.count += 1",
                  "        self.last = x.detach().mean()", "        x = x * (2.0 if self.training else 3.0)",
                  "        if x.detach().mean() > 0: x = x * 2", "        x = x + torch.rand(4)",
                  "        self.seen.mul_(0.5)", "        x = x * GLOBAL[0]", "        x = x + self.seen"):  # fmt: skip
        if d.chance(0.18):
            setup.append(extra)
    setup += ["        return x", "GLOBAL = [1.0]", "torch.manual_seed(1)", "net = Net()",
              "optimizer = torch.optim." + d.one(*OPTIMIZERS).format(p="net.parameters()")]  # fmt: skip
    if style == "step":
        set_none = d.one(
            "optimizer.zero_grad()",
            "optimizer.zero_grad()",
            "optimizer.zero_grad(set_to_none=False)",
            "net.zero_grad()",
            "pass",
            "for p in net.parameters(): p.grad = None",
        )
        loss = d.one(
            "F.mse_loss(net(x), y)",
            "(net(x) - y).square().mean()",
            "F.smooth_l1_loss(net(x), y)",
            "(net(x) * y).sum()",
            "F.cross_entropy(net(x), y.argmax(-1))",
            "F.mse_loss(net(x), y) + 0.1 * sum(p.square().sum() for p in net.parameters())",
            "F.l1_loss(net(x) + net(y), y)",
            "F.binary_cross_entropy_with_logits(net(x), y.sigmoid())",
        )
        setup += [
            "def f(x, y):",
            f"    {set_none}",
            f"    loss = {loss}",
            f"    {d.one('loss', 'loss', '(loss / 2)', '(loss + 0 * loss.detach())')}.backward()",
        ]
        if d.chance(0.2):
            setup.append("    nn.utils.clip_grad_norm_(net.parameters(), 1.0)")
        if d.chance(0.15):
            setup.append("    old = [p.grad for p in net.parameters()]")
        if d.chance(0.8):
            setup.append("    optimizer.step()")
        if d.chance(0.15):
            setup.append("    optimizer.zero_grad()")
        setup.append(
            f"    return {d.one('loss.detach()', 'loss.item()', 'loss.detach().clone(), x', 'None', '[p.grad for p in net.parameters()]', 'loss.detach() + 0, [p.detach() for p in net.parameters()]')}"
        )
    elif style == "forward":
        setup += ["def f(x, y):", "    return net(x)"]
    elif style == "loss":
        setup += [
            "def f(x, y):",
            f"    return {d.one('F.mse_loss(net(x), y)', '(net(x), net(x + y))', 'net(x).sum(), x * 2')}",
        ]
    else:
        setup += ["def f(x, y=None):", "    return net(x)"]
    xgrad = ", grad=True" if d.chance(0.2) else ""
    setup += [f"x = T('float32', (6, 4), 1, 'plain'{xgrad})", "y = T('float32', (6, 4), 2)", "saved = copy.deepcopy(net.state_dict())",
              "kept_state = copy.deepcopy(optimizer.state_dict())"]  # fmt: skip
    actions = ["call(x, y)"] * 3
    after = {
        "step": ["call(x, y)"],
        "forward": ["kept[-1].sum().backward()", "optimizer.step()", "optimizer.zero_grad()"],
        "module": [
            "kept[-1].square().mean().backward(); optimizer.step()",
            "optimizer.zero_grad()",
            "optimizer.step()",
        ],
        "loss": [
            "(kept[-1] if isinstance(kept[-1], torch.Tensor) else kept[-1][0]).sum().backward()",
            "optimizer.step(); optimizer.zero_grad()",
        ],
    }[style]
    for _ in range(d.r.randint(8, 22)):
        if d.chance(0.35):
            actions.append("call(x, y)")
            continue
        if d.chance(0.3):
            actions.append(d.one(*after))
            continue
        actions.append(
            d.one(
                "net.eval()",
                "net.train()",
                "net.scale = 2.0",
                "net.settings['gain'] = 0.5",
                "net.settings['list'].append(3.0)",
                "GLOBAL[0] = 2.0",
                "GLOBAL = [3.0]",
                "net.l0 = nn.Linear(4, 4)",
                "optimizer.param_groups[0]['lr'] = 0.05",
                "optimizer.param_groups[0]['weight_decay'] = 0.02",
                "optimizer.param_groups[0]['betas'] = (0.8, 0.9)",
                "net.load_state_dict(saved)",
                "optimizer.load_state_dict(kept_state)",
                "for p in net.parameters(): p.data = p.data.clone() * 0.5",
                "for p in net.parameters(): p.data.mul_(0.9)",
                "next(net.parameters()).requires_grad_(False)",
                "next(net.parameters()).requires_grad_(True)",
                "for p in net.parameters(): p.requires_grad_(False)",
                "for p in net.parameters(): p.grad = None",
                "net.zero_grad()",
                "grads = [p.grad for p in net.parameters()]",
                "for p in net.parameters(): p.grad = torch.ones_like(p)",
                "for p in net.parameters(): p.grad.zero_()",
                "hook = net.l0.register_forward_hook(lambda m, a, r: r * 2)",
                "hook.remove()",
                "hook2 = net.l0.register_forward_pre_hook(lambda m, a: (a[0] + 1,))",
                "hook3 = next(net.parameters()).register_hook(lambda g: g * 2)",
                "hook3.remove()",
                "x = T('float32', (5, 4), 3)",
                "y = T('float32', (5, 4), 4)",
                "x = T('float32', (6, 4), 5, 'turned')",
                "x = T('float32', (6, 4), 1); y = T('float32', (6, 4), 2)",
                "x = x.detach().requires_grad_()",
                "net.seen = torch.ones(4)",
                "net.seen.fill_(2.0)",
                "net.last = torch.ones(())",
                "net.count = 10",
                "with torch.no_grad(): call(x, y)",
                "with torch.inference_mode(): call(x, y)",
                "torch.set_default_dtype(torch.float64); call(x, y)",
                "gc.collect()",
                "net.half_way = 1",
                "net.forward = lambda v: v * 2 + net.l0.weight.sum() if hasattr(net.l0, 'weight') else v",
                "del net.forward",
                "Net.forward = lambda self, v: self.l0(v) * 3",
                "net2 = copy.deepcopy(net)",
                "net2 = pickle.loads(pickle.dumps(net.state_dict()))",
                "optimizer.zero_grad()",
                "optimizer.step()",
                "hook4 = next(net.parameters()).register_post_accumulate_grad_hook(lambda p: (p.grad.mul_(2), None)[1])",
                "hook4.remove()",
                "net.double(); x = x.double(); y = y.double()",
                "net.float(); x = x.float(); y = y.float()",
                "net.l0.weight = nn.Parameter(torch.ones(4, 4))",
                "net.l0.bias = None",
                "optimizer.add_param_group({'params': [nn.Parameter(torch.ones(2))]})",
                "call(x, y[:2])",
                "call(x[:1], y[:1])",
                "call(x, x)",
                "with torch.no_grad(): next(net.parameters()).add_(0.1)",
                "optimizer = torch.optim.SGD(net.parameters(), lr=0.01)",
                "net.l0.eval()",
                "net.p = 0.9",
                "net.l0.p = 0.1",
                "net.l0.momentum = 0.5",
                "net.l0.eps = 0.1",
                "del kept[:]",
                "threads((x, y), (x, y))" if style == "nothing" else "call(x, y)",
                "net.requires_grad_(True)",
                "next(net.parameters()).retain_grad()",
                "list(net.parameters())[-1].grad = None",
                "optimizer.state.clear()",
            )
        )
    actions += ["call(x, y)"] * 3
    return setup, actions


SPECIAL = (
    "grad(lambda v: (v * v).sum())({a})", "jacrev(lambda v: v.sin() * v)({a})", "vmap(lambda v: v * v.sum())({a})", "hessian(lambda v: (v ** 3).sum())({a})",
    "jvp(lambda v: v.exp(), ({a},), ({b},))[1]", "torch.autograd.grad(({a} * {b}).sum() if {a}.requires_grad else {a}.detach().requires_grad_().sum(), [w])[0]",
    "Twice.apply({a})", "torch.utils.checkpoint.checkpoint(lambda v: v.tanh(), {a}, use_reentrant=False)", "inner({a})", "conv({a}.reshape(-1)[:8].reshape(1, 1, 8))",
    "gru({a}.reshape(-1)[:12].reshape(2, 2, 3))[0]", "emb({a}.reshape(-1)[:3].long().abs() % 5)", "norm({a}.reshape(-1)[:8].reshape(2, 4))", "w * {a}.sum()",
    "lin({a}.reshape(-1)[:4])", "box.value * {a}", "box.table['t'] + {a}.sum()", "cell({a})", "(box.items[0] * {a})", "drop({a})", "w[1:] * 2", "lin.weight.t() @ lin.weight",
    "attn({a}.reshape(-1)[:8].reshape(2, 1, 4), {a}.reshape(-1)[:8].reshape(2, 1, 4), {a}.reshape(-1)[:8].reshape(2, 1, 4))[0]",
)  # fmt: skip
EFFECTS = ("box.value = {a}.detach() * 1.5", "box.n += 1", "box.items.append(1.0)", "box.items[0] = {a}.detach().sum()", "box.t.add_(1)", "box.table['t'] = {a}.detach().sum()",
           "check({a})", "w.grad = None", "with torch.no_grad(): w.mul_(0.9)", "({a} * w.sum()).sum().backward(retain_graph=True)", "global G; G = G + 1", "box.t = box.t + 1",
           "box.old, box.t = box.t, {a}.detach().sum()", "old = w.grad", "w.grad = torch.ones_like(w)", "w.grad += 1", "box.t[0] = {a}.detach().sum()", "w.data = w.data * 0.5",
           "if {a}.detach().sum() > 100: raise ValueError('large')", "box.m.update(k=1)", "w.requires_grad_(True)")  # fmt: skip


def mixed(d):
    """Chains with modules, transforms, custom Functions, objects and effects among them."""
    shape = d.one((12,), (3, 4), (4,), (2, 6), (12,))
    dtype = d.one("float32", "float32", "float64")
    torch_dtype = "" if dtype == "float32" else ".double()"
    setup = [
        "class Box: pass", "box = Box(); box.value = 2.0; box.n = 0; box.items = [2.0, 3.0]; box.table = {'t': torch.ones(())}; box.t = torch.zeros(3); box.m = {}; box.old = None",
        "G = 1", f"w = T({dtype!r}, (4,), 7, grad=True)", "torch.manual_seed(1)", f"conv = nn.Conv1d(1, 2, 3){torch_dtype}", f"gru = nn.GRU(3, 2, batch_first=True){torch_dtype}",
        f"emb = nn.Embedding(5, 3){torch_dtype}", f"norm = nn.BatchNorm1d(4){torch_dtype}", f"lin = nn.Linear(4, 2){torch_dtype}", "drop = nn.Dropout(0.5)",
        f"attn = nn.MultiheadAttention(4, 2){torch_dtype}",
        "class Twice(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, v):\n        ctx.save_for_backward(v)\n        return v * v\n    @staticmethod\n    def backward(ctx, g):\n        return g * 3 * ctx.saved_tensors[0]",
        "inner = compiled(lambda v: v.sin() + G)", "def outside(k):\n    def cell(v):\n        return v * k\n    return cell", "cell = outside(2.0)",
        "def check(v):\n    if bool(v.detach().isnan().any()): raise RuntimeError('nan')",
    ]  # fmt: skip
    names, body = ["a", "b"], []
    for i in range(d.r.randint(1, 6)):
        r = d.r.random()
        if r < 0.45:
            body.append(f"    x{i} = {d.one(*SPECIAL).format(a=d.one(*names), b=d.one(*names))}")
        elif r < 0.6:
            body.append(f"    {d.one(*EFFECTS).format(a=d.one(*names))}")
            continue
        elif r < 0.65:
            body.append(f"    {write(d, names)}")
            continue
        elif r < 0.7:
            body.append("    with torch.no_grad():")
            body.append(f"        x{i} = {operation(d, names)}")
        else:
            body.append(f"    x{i} = {operation(d, names)}")
        names.append(f"x{i}")
    tail = names[-1]
    setup += [
        "def f(a, b, n=2, k=0.5):",
        *body,
        "    return "
        + d.one("{0}", "({0}, {1})", "{0}.sum()", "{{'r': {0}, 'o': [{1}, 1]}}", "({0}, box.n)").format(
            tail, d.one(*names)
        ),
    ]
    g1, g2 = (", grad=True" if d.chance(0.5) else ""), (", grad=True" if d.chance(0.3) else "")
    setup += [
        f"a = T({dtype!r}, {shape!r}, 1, {d.one(*LOOKS)!r}{g1})",
        f"b = T({dtype!r}, {shape!r}, 2, {d.one(*LOOKS)!r}{g2})",
        "def first():\n    o = kept[-1]\n    while not isinstance(o, torch.Tensor): o = o['r'] if isinstance(o, dict) else o[0]\n    return o",
    ]
    actions = ["call(a, b)"] * 3
    for i in range(d.r.randint(6, 16)):
        if d.chance(0.4):
            actions.append("call(a, b)")
            continue
        actions.append(
            d.one(
                "first().sum().backward()",
                "first().sum().backward()",
                "first().square().sum().backward(retain_graph=True)",
                "a.grad = None",
                "w.grad = None",
                "w.grad.zero_()",
                "w.data.mul_(0.5)",
                "w.data = torch.ones_like(w)",
                "w.requires_grad_(not w.requires_grad)",
                "box.value = 3.0",
                "box.value = torch.ones(())",
                "box.n = 5",
                "box.items[0] = 4.0",
                "box.items = [1.0]",
                "box.table['t'] = torch.zeros(())",
                "box.table['u'] = 1",
                "G = 5",
                "cell = outside(3.0)",
                "drop.eval()",
                "norm.eval()",
                "norm.train()",
                "conv.weight.data.zero_()",
                "lin.bias = None",
                "lin.weight.requires_grad_(False)",
                "Twice.forward = staticmethod(lambda ctx, v: (ctx.save_for_backward(v), v * 5)[1])",
                "del kept[:]",
                "gc.collect()",
                f"a = T({dtype!r}, {shape!r}, {i}{g1})",
                f"b = T({dtype!r}, {shape!r}, {i}, {d.one(*LOOKS)!r})",
                "call(b, a)",
                "call(a, a)",
                "call(a, b, k=1.0)",
                "with torch.no_grad(): call(a, b)",
                "emb.weight.data.add_(1)",
                "torch.autograd.grad(torch.autograd.grad(first().square().sum(), a, create_graph=True)[0].sum(), a)",
                "r = torch.autograd.grad(first().sum(), a)[0]",
                "call(a * 2, b)",
                "leaf = a.detach().clone().requires_grad_(); call(leaf * 2, b); first().sum().backward()",
                "a.data.fill_(float('nan'))",
                "a.data.fill_(50.0)",
                "box.t = torch.ones(3)",
                "box.t.fill_(1.0)",
                "inner = compiled(lambda v: v.cos() + G)",
                "old = first()",
                "threads((a.detach(), b.detach()), (b.detach(), a.detach()))"
                if not body
                or not any(e.split("{")[0][:5] in str(body) for e in EFFECTS + ("rand", "drop", "norm", "_("))
                else "call(a, b)",
                "conv.register_forward_hook(lambda m, x, y: y + 1)",
                "w.register_hook(lambda g: g + 1)",
                "a.register_hook(lambda g: g * 2)",
                "first().add_(1)",
                "gru.flatten_parameters()",
                "call(first(), b)",
                "a = a.double() if a.dtype == torch.float32 else a.float()",
                "torch.set_default_dtype(torch.float64); call(a, b)",
                "call(a.detach(), b.detach())",
            )
        )
    actions += ["call(a, b)"] * 2
    return setup, actions


KINDS = {"chain": chain, "grads": lambda d: chain(d, True), "training": training, "mixed": mixed}


def draw(kind, seed):
    """Setup and actions of the program of a seed."""
    return KINDS[kind](Draw(f"{kind}{seed}"))


def names_of(seconds, seed, only=()):
    """(kind, name) of the programs of a seed, for some seconds."""
    kinds = [k for k in KINDS if not only or k in only]
    end = time.monotonic() + seconds
    for n in itertools.count():
        if time.monotonic() >= end:
            return
        yield kinds[n % len(kinds)], f"{seed}.{n}"


def session(programs, shorten=True, report=print, notes=None):
    """Draw and run programs by their (kind, name); the differences that were found."""
    found = []
    notes = {} if notes is None else notes
    notes["programs"] = 0
    for kind, name in programs:
        program = draw(kind, name)
        notes["programs"] += 1
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            differs = run(*program, notes)
            if differs is None:
                continue
            setup, actions, words = shortened(*program) if shorten else (*program, None)
            words = words or f"action {differs[0]}: {differs[1]}"
        found.append((kind, name, setup, actions, words))
        report(
            f"--- {kind}:{name}: {words}\n" + "\n".join(setup) + "\n" + "\n".join("> " + a for a in actions),
            flush=True,
        )
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--only", default="")
    parser.add_argument("--program", help="names of programs, such as training:7.22, with commas between")
    parser.add_argument("--no-shorten", action="store_true")
    parser.add_argument("--optimized", action="store_true")
    given = parser.parse_args()
    if not given.optimized:
        build.FLAGS = (*build.FLAGS, "-O0")
    notes = {}
    folder = tempfile.mkdtemp()
    os.environ.setdefault("FLAMBEAU_EXTENSIONS_DIR", folder)
    if given.program:
        programs = [tuple(name.split(":")) for name in given.program.split(",")]
    else:
        programs = names_of(given.seconds, given.seed, tuple(filter(None, given.only.split(","))))
    found = session(programs, not given.no_shorten, notes=notes)
    events = notes.get("events", [])
    eager = [e for e in events if "eagerly" in e]
    print(
        f"{notes['programs']} programs, {notes.get('actions', 0)} actions ({notes.get('raised', 0)} raise), {len(found)} differ, {len(eager)} run eagerly at some time, {notes.get('declined', 0)} decline second derivatives, {notes.get('refused', 0)} that Python refuses"
    )
    if os.environ.get("WHY"):
        from collections import Counter

        c = Counter(
            line.split("eagerly: ")[1].split(": ")[-1][:90]
            for e in events
            for line in e.split("\n")
            if "eagerly: " in line
        )
        for k, v in c.most_common(40):
            print(v, k)
    shutil.rmtree(folder, ignore_errors=True)
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
