"""Random calls of every operator, written from its schema: most of them sensible, some of them wild."""

import random
import re

import flambeau
import flambeau.nn.functional  # declares the rest
from flambeau_tensor.extend import functions, operators, parse

FLOATS = ["float32"] * 6 + ["float64"] * 2 + ["float16", "bfloat16"]
INTS = ["int64"] * 4 + ["int32", "int16", "int8", "uint8"]
DTYPES = FLOATS * 3 + INTS * 2 + ["bool"] * 3 + ["complex64", "complex128"] * 2
SHAPES = (
    [(3, 3)] * 4
    + [(3,)] * 3
    + [
        (2, 3),
        (2, 3),
        (),
        (),
        (1,),
        (0,),
        (2, 0),
        (0, 3),
        (1, 3),
        (3, 1),
        (2, 3, 4),
        (3, 3, 3),
        (3, 3, 3),
        (2, 3, 4, 4),
        (1, 2, 1, 3),
        (2, 2, 3, 4, 4),
        (5,),
        (8, 9),
        (40, 33),
    ]
)
HUGE = ["2**31 - 1", "2**31", "-2**31", "2**33", "2**62", "2**63 - 1", "-2**63", "2**63", "2**64", "-2**64", "10**30"]
NUMBERS = ["0", "1", "2", "-1", "3", "0.5", "2.0", "-1.5", "True", "1.0", "0.1"]
WILD_NUMBERS = ["nan", "inf", "-inf", "1j", "2 + 1j", "1e30", "-0.0", "1e-40", "300", "-1000", "False", *HUGE]
WRONG = [
    "None",
    "'abc'",
    "object()",
    "[]",
    "()",
    "1.5",
    "3",
    "True",
    "(1, 2)",
    "[1.5]",
    "{}",
    "torch.float32",
    "1j",
    "nan",
    "slice(None)",
    "T('float32', (2,))",
    "T('int64', ())",
    "[T('float32', (2,))]",
    "range(3)",
    "''",
    "b'a'",
    "[[1], [2]]",
    "torch.Tensor",
    "type",
    "T('bool', (1,))",
    "T('float32', ())",
    "[None]",
    "2**63",
    "-1",
    "0",
    "torch.device('cpu')",
    "np.float32(2)",
    "np.int64(1)",
    "np.array([1, 2])",
]
# What stands in for one argument of a call that is sensible otherwise.
ODD = [
    *WRONG,
    *HUGE,
    "T('float32', (3, 3))",
    "T('int64', (1,))",
    "T('float64', (2, 0))",
    "T('float32', (3,)).as_subclass(type('S', (torch.Tensor,), {}))",
    "torch.nn.Parameter(T('float32', (3,)))",
    "T('float32', (2,), grad=True)",
    "(T('float32', (2,)), None)",
    "np.bool_(True)",
    "np.float64(0.5)",
    "(2.0, 1)",
    "(True, 1)",
    "(T('int64', ()), 1)",
    "'cpu'",
    "...",
]
WORDS = {
    "reduction": ["mean", "sum", "none", "max"],
    "rounding_mode": ["floor", "trunc", "ceil"],
    "approximate": ["none", "tanh", "x"],
    "indexing": ["ij", "xy", "x"],
    "side": ["left", "right", "x"],
    "interpolation": ["linear", "lower", "higher", "midpoint", "nearest", "x"],
    "reduce": ["sum", "prod", "mean", "amax", "amin", "add", "multiply", "x"],
    "mode": ["constant", "reflect", "replicate", "circular", "x"],
    "equation": ["ij,jk->ik", "ij->ji", "ii->i", "...j->...", "ij,ij", "ii", "i,j->ij", "ijk->", "ij->k", "", "i..."],
}
ANY = {
    "p": ["'fro'", "2", "1", "inf", "'nuc'", "0.5"],
    "indices_or_sections": ["2", "(1, 2)", "[1]", "0", "T('int64', (2,))", "-1", "2**31"],
    "split_size": ["1", "2", "(1, 2)", "0", "-1", "[3, 0]", "2**62"],
    "dtype": ["torch.float64", "torch.int8", "'torch.FloatTensor'", "None", "float", "torch.bool"],
    "device": ["'cpu'", "None", "'cuda'", "torch.device('cpu')", "torch.int8"],
    "repeats": ["2", "T('int64', (3,), pattern='index')", "0", "-1"],
    "q": ["0.5", "0.0", "1.5", "nan", "T('float32', (2,), pattern='unit')", "T('float64', (2,), pattern='unit')"],
    "output_size": ["2", "(2, 3)", "None", "0", "(2,)", "(None, 2)", "-1", "2**40", "(2, 2, 2)"],
    "value": ["0.0", "1", "-1.5", "None", "nan", "2**63", "1j"],
    "low": ["0", "2", "-3"],
    "high": ["5", "1", "0", "2**40"],
    "mean": ["0.0", "T('float32', (3,))", "1"],
    "std": ["1.0", "T('float32', (3,), pattern='unit')", "-1", "0"],
}
DATA = [
    "[1, 2, 3]",
    "[[1., 2.], [3., 4.]]",
    "3",
    "2.5",
    "True",
    "1j",
    "[]",
    "[[]]",
    "[1, 2.5]",
    "[True, 2]",
    "[[1], [2, 3]]",
    "[T('float32', ()), 1]",
    "(1, 2)",
    "range(3)",
    "'ab'",
    "[2**63]",
    "2**64",
    "[1e400]",
    "[None]",
    "np.array([1, 2])",
    "np.float16(2)",
    "[np.float32(1)]",
    "[np.array([1, 2]), np.array([3, 4])]",
    "np.array([2**63], dtype='uint64')",
    "T('int8', (2,))",
    "[nan, -0.0]",
    "[[[1]]]",
    "[-1]",
    "[300]",
    "bytearray(b'abcdefgh')",
    "np.arange(4.)[::-1]",
    "np.zeros((2, 0))",
    "np.array(['a'])",
    "np.array(3)",
]
BINARY = ["+", "-", "*", "/", "//", "%", "**", "@", "&", "|", "^", "<<", ">>", "<", "<=", "==", "!=", ">", ">="]
UNARY = [
    "-{}",
    "+{}",
    "~{}",
    "abs({})",
    "bool({})",
    "int({})",
    "float({})",
    "complex({})",
    "len({})",
    "list({})",
    "operator.index({})",
    "round({})",
    "{}.tolist()",
    "not {}",
    "[*{}]",
    "hash({}) and 0",
    "{!s}.shape",
    "divmod({}, 2)",
    "2 in {}",
    "{}.__array__().dtype.name",
]
# PyTorch's signatures for functions of ours that are written in Python.
PLAIN = [
    "torch.promote_types(ScalarType a, ScalarType b) -> ScalarType",
    "torch.can_cast(ScalarType a, ScalarType b) -> bool",
    "torch.broadcast_shapes(int[] a, int[] b) -> Any",
    "torch.finfo(ScalarType a) -> Any",
    "torch.iinfo(ScalarType a) -> Any",
    "torch.scalar_tensor(Scalar s, *, ScalarType? dtype=None) -> Tensor",
    "torch.Size(Any data) -> Any",
    "torch.device(str device, int index=0) -> Any",
    "torch.set_default_dtype(ScalarType d) -> Any",
    "torch.set_num_threads(int n) -> Any",
    "torch.Tensor(int[] size) -> Tensor",
    "torch.FloatTensor(int[] size) -> Tensor",
    "torch.manual_seed(int seed) -> Any",
    "torch.is_tensor(Any data) -> bool",
    "torch.nn.functional.normalize(Tensor input, float p=2.0, int dim=1) -> Tensor",
    "torch.einsum(str equation, Tensor[] operands) -> Tensor",
    "torch.meshgrid(Tensor[] tensors, *, str indexing='ij') -> Tensor[]",
    "torch.broadcast_tensors(Tensor[] tensors) -> Tensor[]",
    "torch.block_diag(Tensor[] tensors) -> Tensor",
    "torch.cartesian_prod(Tensor[] tensors) -> Tensor",
    "torch.atleast_2d(Tensor[] tensors) -> Tensor[]",
]
STARRED = {
    "torch.meshgrid",
    "torch.broadcast_tensors",
    "torch.block_diag",
    "torch.cartesian_prod",
    "torch.Tensor",
    "torch.broadcast_shapes",
}
# These would change the worker itself, or never return the same.
LEFT_OUT = {
    "torch.set_num_threads",
    "torch.from_file",
    "torch.Tensor.data_ptr",
    "torch.Tensor.__reduce_ex__",
    "torch.Tensor.__deepcopy__",
    "torch.Tensor.register_hook",
    "torch.Tensor.storage",
    "torch.Tensor.untyped_storage",
    "torch.Tensor.__dlpack__",
    "torch.Tensor.apply_",
    "torch.Tensor.map_",
    "torch.seed",
    "torch.Tensor.__dir__",
    "torch.Tensor.__torch_function__",
}
ROUNDS = {"niter"}  # how often something is done again, which takes as long as that
DRAWN = (
    "rand",
    "bernoulli",
    "multinomial",
    "normal",
    "uniform",
    "cauchy",
    "exponential",
    "geometric",
    "dropout",
    "rrelu",
    "gumbel",
    "_gamma(",
    "dirichlet",
    "poisson",
    "binomial",
    "lowrank",
    "lobpcg",
    "fractional_max",
)
UNWRITTEN = ("empty", "resize", "Tensor(", "set_")
INNER = re.compile(r"\btorch\._(?!foreach)")  # what compositions are made of; they must not crash


def has_values(program):
    """Whether the program's numbers say anything: drawn ones and memory that nobody wrote are compared without."""
    return not any(word in program for word in DRAWN + UNWRITTEN) and not INNER.search(program)


class Target:
    """Something to call: how it is spelled and what it takes."""

    def __init__(self, name, schema, method):
        self.name, self.schema, self.method = name, schema, method


def targets():
    """All of them, by how they are spelled."""
    found = {}

    def add(owner, name, schema):
        """`torch.max`, and `torch.max.dim` for the schema of that name."""
        target = Target(name if owner == "torch.Tensor" else f"{owner}.{name}", schema, owner == "torch.Tensor")
        found.setdefault(".".join([owner, name, *filter(None, [schema.overload])]), target)

    for key, op in sorted(operators().items()):
        if ".__get__" in key or ".__set__" in key or key.startswith(("torch._ops", "torch.ops")):
            continue
        if op.is_function:
            add(op.namespace, op.name, op.schema)
        if op.is_method:
            add("torch.Tensor", op.name, op.schema)
    for namespace in ("torch", "torch.nn.functional", "torch.linalg", "torch.special"):
        for name, op in functions(namespace).items():
            for one in getattr(op, "overloads", [op]):
                add(namespace, name, one.schema)
    for text in PLAIN:
        name, _, rest = text.partition("(")
        found[name] = Target(name, parse(f"{name.rpartition('.')[2]}({rest}"), False)
    return {key: target for key, target in found.items() if key not in LEFT_OUT and exists(target)}


def exists(target):
    """Whether the name is there for programs; operators that others are made of are not."""
    x = flambeau.Tensor if target.method else flambeau
    for word in (target.name if target.method else target.name.removeprefix("torch.")).split("."):
        x = getattr(x, word, None)
    return x is not None


class Draw:
    """One program that is being drawn."""

    def __init__(self, rng, wildness, odd=None):
        self.odd = odd  # the place of an argument that is something else
        self.rng, self.wildness, self.lines, self.tensors = rng, wildness, [], []
        self.shape = rng.choice(SHAPES)
        self.dtype = rng.choice(DTYPES)

    def wild(self, chance=0.25):
        return self.rng.random() < chance * self.wildness

    def tensor(self, role="", shape=None, dtype=None):
        """The name of a new tensor, or of one that is there."""
        rng = self.rng
        if self.tensors and (rng.random() < 0.04 or self.wild(0.1)):
            old, sizes, kind = rng.choice(self.tensors)
            if rng.random() < 0.6 or not sizes or sizes[0] < 2:
                return old
            views = [
                f"{old}[1:]",
                f"{old}[:-1]",
                f"{old}.transpose(0, -1)",
                f"{old}.expand(2, *{old}.shape)",
                f"{old}.reshape(-1)",
                f"{old}[::2]",
                f"{old}[0]",
                f"{old}.flip(0)",
                f"{old}.unsqueeze(0)",
                f"{old}.view({old}.dtype)",
            ]
            return self.define(rng.choice(views), None, kind)
        dtype = dtype or (rng.choice(DTYPES) if self.wild(0.5) or rng.random() < 0.08 else self.dtype)
        if shape is None:
            shape = self.shape
            draw = rng.random()
            if draw < 0.08:
                shape = tuple(1 if rng.random() < 0.4 else n for n in shape[rng.randrange(len(shape) + 1) :])
            elif draw < 0.14 or self.wild(0.3):
                shape = rng.choice(SHAPES)
        pattern = "small"
        if role == "index":
            pattern, dtype = (
                "index",
                rng.choice(["int64"] * 6 + ["int32", "uint8", "bool", "float32"]) if self.wild() else "int64",
            )
        elif role == "mask":
            dtype = "bool" if not self.wild() else dtype
        elif rng.random() < 0.15:
            pattern = rng.choice(["unit", "edge", "edge"])
        text = f"T('{dtype}', {shape!r}"
        strides, offset = self.layout(shape)
        if strides is not None:
            text += f", {strides!r}"
        if offset:
            text += f", offset={offset}"
        if pattern != "small":
            text += f", pattern='{pattern}'"
        if (seed := rng.randrange(1, 6)) != 1:
            text += f", seed={seed}"
        return self.define(text + ")", shape, dtype)

    def define(self, text, shape, dtype):
        name = "abcdefghijklm"[min(len(self.lines), 12)]
        self.lines.append(f"{name} = {text}")
        self.tensors.append((name, shape, dtype))
        return name

    def layout(self, shape):
        rng = self.rng
        draw = rng.random()
        if draw < 0.72 or not shape:
            return None, 0 if draw < 0.9 else 2
        order = list(range(len(shape)))
        if draw < 0.84 and len(shape) > 1:  # permuted
            rng.shuffle(order)
            if len(shape) == 4 and rng.random() < 0.6:
                order = [0, 2, 3, 1]
        strides, n = [0] * len(shape), 2 if 0.84 < draw < 0.9 else 1  # or every other element
        for i in reversed(order):
            strides[i] = n
            n *= max(shape[i], 1)
        if draw > 0.95:  # expanded
            strides[rng.randrange(len(shape))] = 0
        elif draw > 0.93:  # overlapping
            strides = [1] * len(shape)
        return tuple(strides), rng.choice([0, 0, 1])

    def int(self, name):
        rng = self.rng
        if self.wild(0.15):
            return rng.choice(HUGE)
        if name.startswith(("dim", "axis", "start_dim", "end_dim", "destination", "source")):
            n = max(1, len(self.shape))
            return str(rng.randrange(-n, n) if not self.wild() else rng.randrange(-n - 2, n + 2))
        if "size" in name or name in (
            "stride",
            "dilation",
            "k",
            "n",
            "steps",
            "bins",
            "chunks",
            "num_samples",
            "groups",
            "num_classes",
            "step",
        ):
            return str(rng.choice([1, 2, 3, 3, 1, 2]) if not self.wild() else rng.randrange(-2, 6))
        return str(rng.choice([0, 1, 2, 0, 1]) if not self.wild() else rng.randrange(-5, 6))

    def ints(self, name, size):
        rng = self.rng
        n = size or (
            max(1, len(self.shape))
            if name.startswith(("dim", "stride", "repeats", "shape")) and rng.random() < 0.7
            else rng.randrange(4)
        )
        if self.wild(0.15):
            n = rng.randrange(7)
        if size and rng.random() < 0.5:
            return self.int(name)
        if name == "dims" and rng.random() < 0.5:
            items = [str(i) for i in rng.sample(range(n), n)]
        elif name in ("shape", "size", "sizes") and rng.random() < 0.4:
            items = [str(i) for i in self.shape]
        elif name == "normalized_shape":
            items = [str(i) for i in self.shape[-n:]]
        else:
            items = [self.int(name) for _ in range(n)]
        return "(" + "".join(f"{i}, " for i in items) + ")" if rng.random() < 0.6 else f"[{', '.join(items)}]"

    def argument(self, a, target):
        """The text of a value for an argument of a schema."""
        rng, kind = self.rng, a.type
        if self.wild(0.05):
            return rng.choice(WRONG)
        if a.optional and rng.random() < 0.25:
            return "None"
        if "(" in kind:
            kind = kind[: kind.index("(")] + kind[kind.index(")") + 1 :]
        kind, size = kind.rstrip("?"), a.size
        if a.is_list:
            kind = kind[: kind.rindex("[")].rstrip("?")
            if kind in ("int", "SymInt"):
                return self.ints(a.name, size)
            if kind == "Tensor":
                items = [
                    self.tensor("index" if a.name == "indices" else "")
                    for _ in range(rng.choice([1, 2, 2, 3] if not self.wild() else [0, 1]))
                ]
                return f"[{', '.join(items)}]" if rng.random() < 0.6 else "(" + "".join(i + ", " for i in items) + ")"
        if kind == "Tensor":
            numbers = (
                a.name in ("other", "exponent", "end", "self", "value", "min", "max", "test_elements")
                and rng.random() < 0.2
            )
            if numbers and (a.name != "self" or rng.random() < 0.15):
                return self.number()
            role = "mask" if a.name in ("mask", "condition") else ""
            if a.name in ("index", "indices", "repeats") or a.name == "target" and "nll" in target.name:
                role = "index"
            vector = a.name in ("vec", "vec1", "vec2", "running_mean", "running_var") and not self.wild()
            shape = (3,) if vector else None
            if a.name in ("weight", "bias") and rng.random() < 0.7 and self.shape:
                shape = self.shape[-1:] if rng.random() < 0.5 else self.shape[1:2]
            if a.name in ("boundaries", "sorted_sequence"):  # there is no answer among others
                return f"{self.tensor(role, shape, dtype='float32')}.nan_to_num().sort()[0]"
            return self.tensor(role, shape)
        if kind in ("int", "SymInt"):
            return self.int(a.name)
        if kind == "Scalar":
            return self.number()
        if kind == "float":
            return (
                rng.choice(["0.5", "0.0", "1.0", "2.0", "0.1", "1e-5", "3"])
                if not self.wild()
                else rng.choice([*WILD_NUMBERS, "-0.5"])
            )
        if kind == "bool":
            return (
                rng.choice(["True", "False"])
                if not self.wild(0.1)
                else rng.choice(["1", "0", "None", "np.bool_(True)"])
            )
        if kind == "str":
            return repr(rng.choice(WORDS.get(a.name, ["x"])[: None if self.wild() else -1] or ["x"]))
        if kind == "ScalarType":
            return (
                "torch." + rng.choice(DTYPES)
                if not self.wild(0.15)
                else rng.choice(["float", "int", "bool", "complex", "'float32'", "3"])
            )
        if kind == "Layout":
            return "torch.strided"
        if kind == "Device":
            return rng.choice(["'cpu'", "torch.device('cpu')", "None"])
        if kind == "MemoryFormat":
            return rng.choice(["torch.contiguous_format", "torch.preserve_format", "torch.channels_last"])
        if kind == "Generator":
            return "torch.Generator()"
        if a.name in ("data", "obj", "element") or kind == "Buffer":
            return rng.choice(DATA)
        if a.name in ("dim", "dims"):
            return rng.choice([self.int("dim"), self.ints("dim", 0)])
        if a.name in ANY:
            return rng.choice(ANY[a.name])
        return rng.choice([self.tensor(), self.number(), self.int(a.name), self.ints(a.name, 0), rng.choice(WRONG)])

    def number(self):
        return self.rng.choice(NUMBERS) if not self.wild() else self.rng.choice(WILD_NUMBERS)

    def call(self, target):
        rng, arguments = self.rng, target.schema.arguments
        given, positional = [], True
        cut = rng.randrange(len(arguments) + 1) if rng.random() < 0.4 else len(arguments)
        start = "r = "
        if target.method:
            owner = self.tensor()
            head = f"{owner}.{target.name}"
            arguments = arguments[1:]
            if rng.random() < 0.03:
                head, given = f"torch.Tensor.{target.name}", [owner]
        else:
            head = target.name
        for i, a in enumerate(arguments):
            name = "input" if a.name == "self" and not target.method and not a.is_list else a.name
            if a.kwarg_only or i >= cut:
                positional = False
            if name == "out":
                if rng.random() < 0.12:
                    given.append(f"out={self.out(target)}")
                continue
            if a.has_default and i != self.odd and rng.random() < (0.5 if a.kwarg_only is False else 0.75):
                positional = False
                continue
            if not a.has_default and self.wild(0.03):
                positional = False
                continue
            text = rng.choice(ODD) if i == self.odd else self.argument(a, target)
            if a.name in ROUNDS and text in HUGE:
                text = "3"
            if positional and target.name in STARRED and text[0] in "([":
                text = "*" + text
            given.append(text if positional else f"{name}={text}")
        if self.wild(0.03):
            given.append(
                rng.choice(["unknown=1", "out=None", "out=3", "dim=0", "keepdim=True", "dtype=torch.float64", "axis=0"])
            )
        if self.wild(0.02):
            given.insert(0, rng.choice(WRONG))
        self.lines.append(f"{start}{head}({', '.join(given)})")

    def out(self, target):
        rng = self.rng
        several = len(target.schema.returns) > 1

        def one():
            dtype = None if rng.random() < 0.7 else rng.choice(DTYPES)
            return self.tensor(shape=rng.choice([self.shape, (0,), None]), dtype=dtype)

        return f"({one()}, {one()})" if several and not self.wild() else one()

    def index(self):
        """What may stand in brackets."""
        rng, parts = self.rng, []
        for _ in range(rng.choice([1, 1, 2, 2, 3])):
            parts.append(
                rng.choice(
                    [
                        lambda: str(rng.randrange(-2, 3)),
                        lambda: rng.choice([":", "1:", "::2", ":-1", "5:", "::-1", "2:1", "-100:100"]),
                        lambda: "None",
                        lambda: "...",
                        lambda: rng.choice(["True", "False"]),
                        lambda: self.tensor("index"),
                        lambda: self.tensor("mask"),
                        lambda: rng.choice(
                            ["[0, 1]", "[]", "[True, False, True]", "[[0], [1]]", "(0, 1)", "[0, -1]", "range(2)"]
                        ),
                        lambda: self.tensor("index", ()),
                        lambda: (
                            rng.choice([*WRONG, *HUGE, "2**31:", ":2**63", "::0", "1.0:"]) if self.wild(0.6) else "0"
                        ),
                    ]
                )()
            )
        return ", ".join(parts)

    def syntax(self):
        rng = self.rng
        kind = rng.randrange(7)
        if kind == 0:
            self.lines.append(f"r = {self.tensor()} {rng.choice(BINARY)} {self.tensor_or_operand()}")
        elif kind == 1:
            self.lines.append(f"r = {self.operand()} {rng.choice(BINARY)} {self.tensor()}")
        elif kind == 2:
            owner = self.tensor()
            self.lines.append(f"{owner} {rng.choice(BINARY[:13])}= {self.tensor_or_operand()}")
        elif kind == 3:
            self.lines.append("r = " + rng.choice(UNARY).format(self.tensor()))
        elif kind == 4:
            name = rng.choice(
                [
                    "T",
                    "mT",
                    "H",
                    "mH",
                    "real",
                    "imag",
                    "shape",
                    "dtype",
                    "ndim",
                    "itemsize",
                    "nbytes",
                    "is_leaf",
                    "grad",
                    "data",
                    "layout.__str__()",
                    "_base",
                ]
            )
            owner = self.tensor()
            self.lines.append(
                f"r = {owner}.{name}"
                if rng.random() < 0.7
                else f"{owner}.{name} = {self.operand() if rng.random() < 0.4 else self.tensor()}"
            )
        elif kind == 5:
            owner = self.tensor()
            self.lines.append(f"r = {owner}[{self.index()}]")
        else:
            owner, index = self.tensor(), self.index()
            self.lines.append(f"{owner}[{index}] = {self.tensor() if rng.random() < 0.5 else self.operand()}")

    def tensor_or_operand(self):
        return self.tensor() if self.rng.random() < 0.6 else self.operand()

    def operand(self):
        return self.number() if not self.wild(0.2) else self.rng.choice(WRONG)


def odd(seed, table, only=None):
    """The program of a seed: a sensible call of any of the targets, but for one argument."""
    rng = random.Random(seed)
    key = rng.choice(only or list(table))
    draw = Draw(rng, 0, rng.randrange(max(len(table[key].schema.arguments), 1)))
    draw.call(table[key])
    return key, "\n".join(draw.lines)


def recipe(seed, table, only=None):
    """The program of a seed: a call of any of the targets, or Python's syntax on tensors."""
    rng = random.Random(seed)
    draw = Draw(rng, rng.choice([0, 0.4, 1]))
    keys = only or list(table)
    key = "syntax" if only is None and rng.random() < 0.12 else rng.choice(keys)
    if key == "syntax":
        draw.syntax()
    else:
        draw.call(table[key])
    return key, "\n".join(draw.lines)
