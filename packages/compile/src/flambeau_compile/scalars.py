"""The printer for tiny programs: every element is a variable, and moving data costs nothing.

The steps are run on expressions instead of numbers. Memory maps locations to expressions, so views, copies, transposes
and in-place writes disappear. Equal expressions are merged, constants are folded, and structural zeros eliminate their
products: a Jacobian consists mostly of such zeros. A product with a structural zero counts as zero although the other
factor may be infinite or NaN.
"""

from itertools import product as every
from typing import Any

import numpy as np

from flambeau_compile.functions import expression
from flambeau_compile.graph import (
    C_TYPES,
    COMPUTED,
    ITEMSIZE,
    Call,
    Check,
    Map,
    Number,
    Product,
    Program,
    Reduce,
    Uncompilable,
    Window,
)
from flambeau_compile.printing import Source, literal, order

MOST_STATEMENTS = 60_000  # expressions, before unused ones are removed
MOST_ELEMENTS = 600  # elements or products of one step, beyond which loops are the better form

LONGEST = 256  # terms of a row that are summed in sixteen lanes at most
BATCH = 3  # calls of one function that are worth one call of eager's loop
_ZERO_GIVES_ZERO = {"neg", "copy", "sqrt", "relu", "abs", "square"}
# These call the C library, because a call of eager's loop for one element costs several times as much: the last digit
# may differ. Three or more calls of the same function are passed to eager's loop together.
_LIBM = {"sin": "sin", "cos": "cos", "tan": "tan", "exp": "exp", "log": "log", "tanh": "tanh"}


class TooLarge(Exception):
    """A program that the other printer should have."""


class Scalars:
    """Expressions, each once."""

    def __init__(self) -> None:
        self.nodes: list[tuple[Any, ...]] = []  # (C type, kind, operands or value)
        self._known: dict[tuple[Any, ...], int] = {}
        self._values: dict[int, Any] = {}  # of constants

    def make(self, *node: Any) -> int:
        found = self._known.get(node)
        if found is None:
            found = self._known[node] = len(self.nodes)
            self.nodes.append(node)
            if found > MOST_STATEMENTS:
                raise TooLarge
        return found

    def constant(self, kind: str, value: Any) -> int:
        number: Any = value
        if kind in ("f32", "f64"):
            number = float(np.float32(value)) if kind == "f32" else float(value)
            made = self.make(kind, "constant", number.hex())
        else:
            number = int(value)
            made = self.make(kind, "constant", number)
        self._values[made] = number
        return made

    def value_of(self, x: int) -> Any:
        """The number that an expression is, or None."""
        return self._values.get(x)

    def cast(self, x: int, kind: str) -> int:
        own = self.nodes[x][0]
        if own == kind:
            return x
        value = self.value_of(x)
        if value is not None and (kind in ("f32", "f64") or (value == value and abs(value) < 2**31)):
            return self.constant(kind, (value != 0) if kind == "b8" else value)
        return self.make(kind, "cast", x)

    def call(self, function: str, kind: str, writes: str, operands: tuple[int, ...], loop: int, data: Any,
             exact: bool = False) -> int:  # fmt: skip
        """Return ``function(operands…)``, simplified; with `exact`, only if all operands are constants."""
        values = [self._values.get(x) for x in operands]
        if kind in ("f32", "f64") and (not exact or None not in values):
            simple = self._simplified(function, kind, operands, values)
            if simple is not None:
                return simple
        if function == "where" and (values[0] is not None or operands[1] == operands[2]):
            return operands[1] if values[0] else operands[2]
        if function in ("add", "mul") and operands[0] > operands[1]:
            operands = operands[::-1]
        return self.make(writes, "call", function, operands, loop, data)

    def _simplified(self, function: str, kind: str, x: tuple[int, ...], values: list[Any]) -> int | None:
        if function == "copy":
            return x[0]
        if None not in values:
            folded = self._folded(function, kind, values)
            if folded is not None:
                return folded
        if function == "mul":
            if 0.0 in values:
                return self.constant(kind, 0.0)
            if 1.0 in values:
                return x[1 - values.index(1.0)]
            if -1.0 in values:
                return self.make(kind, "call", "neg", (x[1 - values.index(-1.0)],), 0, 0)
        elif function == "add":
            if 0.0 in values:
                return x[1 - values.index(0.0)]
        elif function == "sub":
            if values[1] == 0.0:
                return x[0]
            if values[0] == 0.0:
                return self.make(kind, "call", "neg", (x[1],), 0, 0)
        elif function in ("div", "true_divide"):
            if values[0] == 0.0:
                return x[0]
            if values[1] == 1.0:
                return x[0]
        elif function in _ZERO_GIVES_ZERO and values[0] == 0.0:
            return self.constant(kind, 0.0)
        elif function == "pow" and values[1] is not None:
            if values[1] == 2.0:
                return self.make(kind, "call", "mul", (x[0], x[0]), 0, 0)
            if values[1] == 1.0:
                return x[0]
        elif function == "fma":
            if values[0] == 0.0 or values[1] == 0.0:
                return x[2]
            if values[2] == 0.0:
                return self.call("mul", kind, kind, x[:2], 0, 0)
        if function == "neg" and self.nodes[x[0]][1] == "call" and self.nodes[x[0]][2] == "neg":
            return self.nodes[x[0]][3][0]
        return None

    def _folded(self, function: str, kind: str, values: list[Any]) -> int | None:
        # The double result, rounded, equals the result in single precision.
        if function == "add":
            value = values[0] + values[1]
        elif function == "sub":
            value = values[0] - values[1]
        elif function == "mul":
            value = values[0] * values[1]
        elif function == "neg":
            value = -values[0]
        elif function == "div" and values[1] != 0:
            value = values[0] / values[1]
        else:
            return None
        if kind == "f64":
            return self.constant(kind, value)
        with np.errstate(all="ignore"):
            return self.constant(kind, value)


class _Memory:
    """The expressions stored at the positions of each buffer."""

    def __init__(self, scalars: Scalars) -> None:
        self.scalars = scalars
        self.places: dict[int, dict[int, int]] = {}
        self.changed: dict[int, set[int]] = {}
        self.checks: list[tuple[int, Any]] = []  # an expression, and its expected value

    def read(self, window: Window) -> list[int]:
        kind, item = C_TYPES[window.dtype], ITEMSIZE[window.dtype]
        places = self.places.setdefault(window.buffer.index, {})
        found = []
        for at in window.elements():
            byte = at * item
            x = places.get(byte)
            if x is None:
                if window.buffer.tensor is None:
                    x = self.scalars.constant(kind, 0)  # never written
                else:
                    x = self.scalars.make(kind, "load", window.buffer.index, byte)
                places[byte] = x
            elif self.scalars.nodes[x][0] != kind:
                raise Uncompilable("it reads memory as another dtype than it wrote")
            found.append(x)
        return found

    def write(self, window: Window, values: list[int]) -> None:
        item = ITEMSIZE[window.dtype]
        places = self.places.setdefault(window.buffer.index, {})
        changed = self.changed.setdefault(window.buffer.index, set())
        at = [at * item for at in window.elements()]
        places.update(zip(at, values, strict=True))
        changed.update(at)


def run(program: Program, exact: bool = True) -> tuple[Scalars, _Memory]:
    """The program on expressions; `exact`: each rounds as eager's loops do.

    Raises:
        TooLarge: it has a step for loops.
    """
    scalars = Scalars()
    memory = _Memory(scalars)
    for step in program.steps:
        if isinstance(step, Map):
            _map(scalars, memory, step)
        elif isinstance(step, Reduce):
            if exact and step.kind == "square_sum" and step.input.dtype == "float64":
                raise TooLarge  # eager's loops use fused multiply-add if the processor has it
            _reduce(scalars, memory, step)
        elif isinstance(step, Product):
            _product(scalars, memory, step)
        elif isinstance(step, Call):
            _call(scalars, memory, step)
        elif isinstance(step, Check):
            memory.checks.append((memory.read(step.input)[0], step.value))
        else:
            raise TooLarge
    return scalars, memory


def _map(s: Scalars, memory: _Memory, step: Map) -> None:
    n = step.out.numel
    if n > MOST_ELEMENTS or not COMPUTED.issuperset((*step.reads, step.out.dtype)):
        raise TooLarge
    reads = tuple(C_TYPES[d] for d in step.reads)
    columns = []
    for operand, kind in zip(step.inputs, reads, strict=True):
        if isinstance(operand, Number):
            columns.append([s.constant(kind, operand.value)] * n)
        else:
            column = memory.read(operand)
            columns.append(column if C_TYPES[operand.dtype] == kind else [s.cast(x, kind) for x in column])
    writes, target = C_TYPES[step.writes], C_TYPES[step.out.dtype]
    kind = reads[-1]
    function = step.function
    if function != "copy" and expression(function, reads) is None and function not in _LIBM and \
            function != "pow" and not step.loop:  # fmt: skip
        raise Uncompilable(f"'{function}' has no loop for {step.reads[0]}")
    loop, data = (0, 0) if expression(function, reads) is not None else (step.loop, step.data)
    exact = any(isinstance(o, Number) and o.value == 0 for o in step.inputs)  # not a zero in memory
    if function == "copy":
        values = columns[0]
    else:
        each = zip(*columns, strict=True) if columns else [()] * n
        values = [s.call(function, kind, writes, operands, loop, data, exact) for operands in each]
    memory.write(step.out, [s.cast(x, target) for x in values] if kind != target or writes != target else values)


def _sum(s: Scalars, terms: list[int], narrow: str, wide: str, across: bool, function: str) -> int:
    """A sum, or a product, in the order in which eager's loops add or multiply; few terms are combined as `narrow`."""

    def add(a: int, b: int, kind: str = wide) -> int:
        return s.call(function, kind, kind, (s.cast(a, kind), s.cast(b, kind)), 0, 0)

    total = s.constant(wide, 1 if function == "mul" else 0)
    if across:
        i = 0
        while i + 4 <= len(terms):
            a, b, c, d = terms[i : i + 4]
            total = add(total, add(add(a, b, narrow), add(c, d, narrow), narrow))
            i += 4
        for x in terms[i:]:
            total = add(total, x)
        return total
    if len(terms) < 16:
        for x in terms:
            total = add(total, x)
        return total
    lanes = list(terms[:16])
    whole = len(terms) & ~15
    for i in range(16, len(terms)):  # the elements of an incomplete vector are its last
        k = i % 16 if i < whole else 16 - len(terms) + i
        lanes[k] = add(lanes[k], terms[i], narrow)
    for width in (8, 4):
        for k in range(width):
            lanes[k] = add(lanes[k], lanes[width + k], narrow)
    return add(add(lanes[0], lanes[2]), add(lanes[1], lanes[3]))


def _reduce(s: Scalars, memory: _Memory, step: Reduce) -> None:
    window = step.input
    if window.numel > MOST_ELEMENTS:
        raise TooLarge
    kind, target = C_TYPES[window.dtype], C_TYPES[step.out.dtype]
    values = dict(zip(every(*map(range, window.sizes)), memory.read(window), strict=True))
    _, gone, runs, by_rows = order(window, step.dims)
    row = runs[-1][0] if runs else 1
    if row > LONGEST:
        raise TooLarge
    results = []
    kept = [d for d in range(len(window.sizes)) if d not in step.dims]
    for index in every(*(range(window.sizes[d]) for d in kept)):
        terms = []
        for rest in every(*(range(window.sizes[d]) for d in gone)):
            at = [0] * len(window.sizes)
            for d, i in (*zip(kept, index, strict=True), *zip(gone, rest, strict=True)):
                at[d] = i
            terms.append(values[tuple(at)])
        if step.kind in ("sum", "losses", "prod", "square_sum"):
            wide = "f64" if kind in ("f32", "f64") else "i64"
            narrow = kind if step.kind == "sum" and kind == "f32" else wide
            if narrow == wide:
                terms = [s.cast(t, wide) for t in terms]
            if step.kind == "square_sum":
                terms = [s.call("mul", wide, wide, (t, t), 0, 0) for t in terms]
            x = _total(s, terms, narrow, wide, row, by_rows, "mul" if step.kind == "prod" else "add")
            if step.divisor is not None:
                x = s.call("div", wide, wide, (x, s.constant(wide, step.divisor)), 0, 0)
        elif step.kind in ("max", "min") and kind in ("f32", "f64"):
            x = terms[0]
            for t in terms[1:]:
                x = s.make(kind, "call", {"max": "maximum", "min": "minimum"}[step.kind], (x, t), 0, 0)
        else:
            raise TooLarge
        results.append(s.cast(x, target))
    memory.write(step.out, results)


def _total(s: Scalars, terms: list[int], narrow: str, wide: str, row: int, by_rows: bool, function: str) -> int:
    """The sum, or product, of rows: each is summed, and added to those before."""
    total = None
    for at in range(0, len(terms), row):
        x = _sum(s, terms[at : at + row], narrow, wide, by_rows, function)
        total = x if total is None else s.call(function, wide, wide, (total, x), 0, 0)
    return total if total is not None else s.constant(wide, 0)


def _call(s: Scalars, memory: _Memory, step: Call) -> None:
    """Copy operands to small arrays, and read results from such arrays."""
    windows = (*step.outs, *step.inputs)
    if sum(w.numel for w in windows) > MOST_ELEMENTS:
        raise TooLarge
    given = tuple((C_TYPES[w.dtype], tuple(memory.read(w))) for w in step.inputs)
    made = tuple((C_TYPES[w.dtype], w.numel) for w in step.outs)
    whole = s.make("", "block", given, made, step)
    for number, window in enumerate(step.outs):
        kind = C_TYPES[window.dtype]
        memory.write(window, [s.make(kind, "item", whole, number, i) for i in range(window.numel)])


def _product(s: Scalars, memory: _Memory, step: Product) -> None:
    *batches, m, k = step.a.sizes
    n = step.b.sizes[-1]
    count = int(np.prod(batches)) if batches else 1
    if count * m * n * k > MOST_ELEMENTS:
        raise TooLarge
    kind = C_TYPES[step.out.dtype]
    a, b = memory.read(step.a), memory.read(step.b)
    before = memory.read(step.out) if step.add else None
    zero = s.constant(kind, 0.0)
    results = []
    for batch in range(count):
        for i in range(m):
            for j in range(n):
                x = before[(batch * m + i) * n + j] if before is not None else zero
                for p in range(k):
                    left, right = a[(batch * m + i) * k + p], b[(batch * k + p) * n + j]
                    x = s.call("fma", kind, kind, (left, right, x), 0, 0)
                results.append(x)
    memory.write(step.out, results)


# --- text -----------------------------------------------------------------------------------------------------------


def print_program(program: Program, source: Source) -> None:
    """Write the program's body into a source.

    Raises:
        TooLarge: it has a step for loops, or too many statements.
    """
    scalars, memory = run(program)
    stores = []
    for buffer in program.buffers:
        if not (buffer.lasts or buffer.tensor is not None):
            continue
        for byte in sorted(memory.changed.get(buffer.index, ())):
            x = memory.places[buffer.index][byte]
            kind, what, *rest = scalars.nodes[x]
            if what == "load" and rest == [buffer.index, byte]:
                continue
            stores.append((buffer, byte, x))
    done: set[int] = set()
    for number, (x, value) in enumerate(memory.checks, 1):
        _print_expressions(scalars, [x], done, program, source)
        kind, name = scalars.nodes[x][0], _name(scalars, x)
        same = f"{name} == {literal(kind, value)}" if value == value else f"{name} != {name}"
        source.line(f"if (!({same})) return {number};")
    _print_expressions(scalars, [x for _, _, x in stores], done, program, source)
    for buffer, byte, x in stores:
        source.line(f"*({scalars.nodes[x][0]} *)({source.pointer(buffer)} + {byte}) = {_name(scalars, x)};")


def _print_expressions(s: Scalars, roots: list[int], done: set[int], program: Program, source: Source) -> None:
    needed = [x for x in _needed(s, roots) if x not in done]
    done.update(needed)
    levels: dict[int, int] = {}
    batches: dict[Any, list[int]] = {}
    for x in needed:
        _, what, *rest = s.nodes[x]
        operands = _operands(s, x)
        levels[x] = max((levels.get(o, 0) for o in operands), default=0)
        if what == "call" and rest[2]:
            levels[x] += 1
            batches.setdefault((levels[x], rest[2], rest[3], s.nodes[x][0]), []).append(x)
    together = {key: batch for key, batch in batches.items() if len(batch) >= BATCH}
    batched = {x for batch in together.values() for x in batch}
    alone: dict[int, list[int]] = {}
    for x in needed:
        if x not in batched:
            alone.setdefault(levels[x], []).append(x)
    for level in range(max(levels.values(), default=0) + 1):
        for key, batch in together.items():
            if key[0] == level:
                _print_batch(s, batch, source)
        for x in alone.get(level, ()):
            source.line(_statement(s, x, program, source))


def _print_batch(s: Scalars, batch: list[int], source: Source) -> None:
    """Print several independent calls of one function as one call of eager's loop."""
    first, n = batch[0], len(batch)
    kind, _, _, operands, loop, data = s.nodes[first]
    names = []
    for k, operand in enumerate(operands):
        own = s.nodes[operand][0]
        values = ", ".join(_name(s, s.nodes[x][3][k]) for x in batch)
        names.append(f"batch{first}_{k}")
        source.line(f"{own} {names[-1]}[{n}] = {{{values}}};")
    source.line(f"{kind} batch{first}[{n}];")
    steps = [f"sizeof *{name}" for name in (*names, f"batch{first}")]
    source.line("{ " + source.loop_call([*names, f"batch{first}"], loop, data, str(n), steps) + " }")
    for i, x in enumerate(batch):
        source.line(f"const {kind} v{x} = batch{first}[{i}];")


def _needed(s: Scalars, roots: list[int]) -> list[int]:
    """Return the expressions that stores need, in an order in which operands come first."""
    seen: set[int] = set()
    stack = list(roots)
    while stack:
        x = stack.pop()
        if x in seen:
            continue
        seen.add(x)
        stack.extend(_operands(s, x))
    return sorted(x for x in seen if s.nodes[x][1] != "constant")


def _operands(s: Scalars, x: int) -> tuple[int, ...]:
    _, what, *rest = s.nodes[x]
    if what == "call":
        return rest[1]
    if what == "block":
        return tuple(operand for _, values in rest[0] for operand in values)
    return (rest[0],) if what in ("cast", "item") else ()


def _block(s: Scalars, x: int, source: Source) -> str:
    given, made, step = s.nodes[x][2:]
    lines, names = [], []
    for number, (kind, count) in enumerate(made):
        names.append(f"v{x}_{number}")
        lines.append(f"{kind} {names[-1]}[{max(count, 1)}];")
    for kind, values in given:
        names.append(f"v{x}_{len(names)}")
        lines.append(
            f"const {kind} {names[-1]}[{max(len(values), 1)}] = {{{', '.join(_name(s, v) for v in values) or 0}}};"
        )
    return f"{' '.join(lines)} {{ {source.call(step, names)} }}"


def _name(s: Scalars, x: int) -> str:
    kind, what, *rest = s.nodes[x]
    if what == "constant":
        return literal(kind, s.value_of(x))
    return f"v{x}"


def _statement(s: Scalars, x: int, program: Program, source: Source) -> str:
    kind, what, *rest = s.nodes[x]
    if what == "block":
        return _block(s, x, source)
    if what == "item":
        text = f"v{rest[0]}_{rest[1]}[{rest[2]}]"
    elif what == "load":
        index, byte = rest
        text = f"*(const {kind} *)({source.pointer(program.buffers[index])} + {byte})"
    elif what == "cast":
        own = s.nodes[rest[0]][0]
        text = f"({_name(s, rest[0])} != 0)" if kind == "b8" and own != "b8" else f"({kind}){_name(s, rest[0])}"
    else:
        function, operands, loop, data = rest
        names = [_name(s, o) for o in operands]
        kinds = tuple(s.nodes[o][0] for o in operands)
        suffix = "f" if kinds and kinds[0] == "f32" else ""
        if function == "fma":
            text = f"__builtin_fma{suffix}({', '.join(names)})"
        elif function in _LIBM and kinds[0] in ("f32", "f64"):
            text = f"__builtin_{_LIBM[function]}{suffix}({', '.join(names)})"
        elif (template := expression(function, kinds)) is not None:
            text = template.format(*names)
        else:
            lines = [f"{k} v{x}_{i} = {n};" for i, (k, n) in enumerate(zip(kinds, names, strict=True))]
            call = source.loop_call([f"&v{x}_{i}" for i in range(len(operands))] + [f"&v{x}"], loop, data)
            return f"{kind} v{x}; {{ {' '.join(lines)} {call} }}"
    return f"const {kind} v{x} = {text};"
