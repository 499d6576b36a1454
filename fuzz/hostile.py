"""Calls with arguments that misbehave: they raise, lie about themselves, or change a tensor while a call reads it.

Nothing is compared. A program must end without a crash or a hang.
"""

import random
from pathlib import Path

import calls

HERE = Path(__file__).parent

# What runs in the middle of a call. Every program has the tensor `a` and the list `held`.
CHANGES = [
    "1 / 0",
    "a.resize_(0)",
    "a.resize_(5, 7)",
    "a.set_(T('float32', (1,)))",
    "a.untyped_storage().resize_(0)",
    "a.t_()",
    "setattr(a, 'data', T('float64', (2, 2, 2)))",
    "a.zero_()",
    "a.requires_grad_()",
    "a.detach_()",
    "held.clear()",
    "held.append(a)",
    "held.extend(held)",
    "globals().pop('a')",
    "torch.set_default_dtype(torch.float64)",
    "torch.manual_seed(1)",
    "a.sum()",
    "exec('raise KeyboardInterrupt')",
    "(lambda f: f(f))(lambda f: f(f))",
]
ANSWERS = [
    "1",
    "0",
    "-1",
    "2",
    "2**31",
    "2**62",
    "2**63",
    "-2**63",
    "2**70",
    "None",
    "'x'",
    "1.5",
    "nan",
    "1j",
    "a",
    "[]",
    "True",
]
SLOTS = ["index", "int", "float", "bool", "len", "complex", "hash", "eq", "str", "repr", "iter", "next", "contains"]
SLOTS += [
    "getattr",
    "array",
    "fspath",
    "enter",
    "call",
    "reduce",
    "radd",
    "rmul",
    "deepcopy",
    "torch_function",
    "dlpack",
]
SLOTS += ["instancecheck", "setstate", "get", "del", "getitem", "length_hint", "buffer", "array_interface", "class"]
BASES = ["int", "float", "str", "list", "tuple", "dict", "object", "torch.Tensor", "io.BytesIO", "torch.nn.Module"]
OPTIMIZERS = ["SGD", "Adam", "AdamW", "Adagrad", "RMSprop", "Adadelta", "Adamax", "NAdam", "RAdam", "Rprop", "ASGD"]


def templates():
    """The texts of hostile.txt by their section: tensors, objects, and lines, in which {x} and {y} are tensors, {h} and
    {o} hostile objects, {c} and {change} a change, and {z}, {w} and {answer} what is returned."""
    found, section = {}, []
    for line in (HERE / "hostile.txt").read_text().splitlines():
        if line.startswith("# "):
            section = found[line[2:]] = []
        else:
            section.append(line)
    return found


TEXTS = templates()
TENSORS, OBJECTS, LINES = (TEXTS[name] for name in ("tensors", "objects", "lines"))


class Draw(calls.Draw):
    """One program that is being drawn."""

    def __init__(self, rng):
        super().__init__(rng, 1)
        self.lines += ["held = []", "held.append(held)"] if rng.random() < 0.4 else ["held = [1, 2]"]
        if rng.random() < 0.4:
            self.lines.append(f"held.append({self.hostile()})")
        self.shape = rng.choice([(2, 3), (3, 3), (3,), (2, 3, 4), (0, 3), ()])

    def define(self, text, shape, dtype):
        name = "abcdefghijk"[min(len(self.tensors), 10)]
        self.lines.append(f"{name} = {text}")
        self.tensors.append((name, shape, dtype))
        return name

    def fill(self, text):
        rng = self.rng
        for word, choices in (
            ("{slot}", SLOTS),
            ("{base}", BASES),
            ("{change}", CHANGES),
            ("{c}", CHANGES),
            ("{answer}", ANSWERS),
            ("{w}", ANSWERS),
            (
                "{z}",
                [
                    *ANSWERS,
                    "a",
                    "a[:1]",
                    "b'abc'",
                    "(a, a)",
                    "[a]",
                    "a.sum()",
                    "T('float64', (2, 3))",
                    "NotImplemented",
                ],
            ),
            ("{optimizer}", OPTIMIZERS),
        ):
            while word in text:
                text = text.replace(word, rng.choice(choices), 1)
        return text

    def hostile(self):
        return self.fill(self.rng.choice(OBJECTS if self.rng.random() < 0.5 else OBJECTS[:5]))

    def tensor(self, role="", shape=None, dtype=None):
        if self.rng.random() < 0.15:
            return self.define(self.fill(self.rng.choice(TENSORS)), None, "float32")
        return super().tensor(role, shape, dtype)

    def argument(self, a, target):
        return self.hostile() if self.rng.random() < 0.35 else super().argument(a, target)

    def line(self, text):
        for word in ("{x}", "{y}"):
            if word in text:
                text = text.replace(word, self.tensor())
        for word in ("{h}", "{o}"):
            while word in text:
                text = text.replace(word, self.hostile() if self.rng.random() < 0.8 else self.number(), 1)
        self.lines.append(self.fill(text))


def program(seed, table):
    """The program of a seed: some hostile calls, and reads of what they leave."""
    rng = random.Random(seed)
    draw = Draw(rng)
    draw.tensor()
    for _ in range(rng.choice([1, 1, 2, 3])):
        if rng.random() < 0.5:
            draw.call(table[rng.choice(list(table))])
        else:
            draw.line(rng.choice(LINES))
    draw.lines += ["s = repr(a)", "s = a + 1", "a.sum().backward()", "s = r + 1", "s = repr(r)"]
    return "hostile", "\n".join(draw.lines)
