"""C99 of a recorded program: unrolled by element if it is tiny, loops over memory otherwise.

Nothing here calls eager's loops. Small sums and products have the same order as in eager mode, and `FMA` rounds
once if the processor has such an instruction, so results agree with Python's to within one unit in the last place.
"""

import re
from math import prod
from typing import Any

from flambeau_compile import memory, scalars
from flambeau_compile.exporting import language
from flambeau_compile.exporting.language import TYPES, number
from flambeau_compile.exporting.optimizers import Updates
from flambeau_compile.exporting.recorded import ExportError, Recorded
from flambeau_compile.graph import (
    C_TYPES,
    ITEMSIZE,
    Call,
    Map,
    Number,
    Product,
    Reduce,
    Update,
    While,
    Window,
    flat,
)
from flambeau_compile.loops import _collapsed, _converted, _is_flat, _is_single, _key, grouped

DEPTH = 32  # rows of a factor for which a product stores eight columns on the stack


class Body:
    """The statements of one C function, with their dependencies.

    Attributes:
        lines: the statements.
        functions: the static functions that they call, by name, in the order in which they are declared.
        library: functions of the C library, without suffix, with the C type in which each computes.
        work: for each C type, the number of elements of scratch memory.
        operations: the number of operations of each kind, for the comment.
        zeros: for result buffers, by index, the elements that are zero for all inputs.
    """

    def __init__(self, recorded: Recorded, places: dict[int, str], prefix: str) -> None:
        self.recorded, self.prefix = recorded, prefix
        self.places = places  # index of a buffer -> the C expression of its first element's address
        self.lines: list[str] = []
        self.functions: dict[str, str] = {}
        self.library: set[tuple[str, str]] = set()
        self.work: dict[str, int] = {}
        self.operations: dict[str, int] = {}
        self.zeros: dict[int, set[int]] = {}
        self.updates = Updates(recorded)
        self.products: dict[str, str] = {}  # functions of products, by their text
        self._offsets: dict[int, tuple[str, int]] = {}
        self._count = 0

    # --- names ----------------------------------------------------------------------------------------------------

    def fresh(self, what: str) -> str:
        self._count += 1
        return f"{what}{self._count}"

    def at(self, w: Window) -> str:
        """The address of a window's first element."""
        place = self.places.get(w.buffer.index)
        if place is None:
            kind, start = self._offsets[w.buffer.index]
            return f"(work->{kind} + {start + w.offset})"
        return f"({place} + {w.offset})" if w.offset else place

    def count(self, what: str, n: int) -> None:
        self.operations[what] = self.operations.get(what, 0) + n

    def call(
        self, function: str, reads: tuple[str, ...], writes: str, operands: list[str], data: Any, n: int = 1
    ) -> str:
        """A function of elements as an expression."""
        if function == "fma":
            self.count("multiply-adds", n)
            return f"{self.need_fma(reads[0])}({', '.join(operands)})"
        if function == "pow" and operands[1] in ("2.0", "2.0f"):
            function, operands = "square", operands[:1]
            reads = reads[:1]
        text = language.template(function, reads, writes)
        if text is not None:
            self.count("operations", n)
            return text.format(*operands)
        found = language.find(function, reads, writes, data)
        if found is None:
            raise ExportError(f"{function.removesuffix('_')} of {reads[0] if reads else 'nothing'} has no form in C")
        name = f"{self.prefix}_{found.name}"
        self.functions[found.name] = found.text.replace(f" {found.name}(", f" {name}(", 1)
        self.library.update((each, reads[0]) for each in found.library)
        self.count("calls of functions" if found.library else "operations", n)
        return f"{name}({', '.join([*operands, *found.arguments])})"

    def need_fma(self, kind: str) -> str:
        self.library.add(("fma", kind))
        return "FMAF" if kind == "f32" else "FMA"

    # --- the printers ---------------------------------------------------------------------------------------------

    def print(self, unrolled: bool | None) -> None:
        """Write the statements; ``unrolled`` None: element by element if the program is tiny."""
        program = self.recorded.program
        if unrolled is not False and not any(isinstance(step, (Update, While)) for step in program.steps):
            try:
                self._print_scalars()
                return
            except scalars.TooLarge:
                if unrolled:
                    raise ExportError("it is too large to be written element by element") from None
                self.__init__(self.recorded, self.places, self.prefix)  # type: ignore[misc]
        self._print_loops()

    def _print_scalars(self) -> None:
        program = self.recorded.program
        s, held = scalars.run(program, exact=False)
        stores = []
        for named in [*self.recorded.states, *self.recorded.outputs]:
            for byte in sorted(held.changed.get(named.buffer.index, ())):
                x = held.places[named.buffer.index][byte]
                stores.append((named.buffer, byte, x))
                if s.value_of(x) == 0:
                    self.zeros.setdefault(named.buffer.index, set()).add(byte // item_size(named.kind))
        for x in scalars._needed(s, [x for _, _, x in stores]):
            self.lines.append(self._statement(s, x))
        for buffer, byte, x in stores:
            kind, what, *rest = s.nodes[x]
            if what == "load" and rest == [buffer.index, byte]:
                continue
            self.lines.append(f"{self.places[buffer.index]}[{byte // item_size(kind)}] = {self._value(s, x)};")

    def _value(self, s: Any, x: int) -> str:
        kind, what, *_ = s.nodes[x]
        return number(kind, s.value_of(x)) if what == "constant" else f"v{x}"

    def _statement(self, s: Any, x: int) -> str:
        kind, what, *rest = s.nodes[x]
        own = TYPES.get(kind, "")
        if what == "load":
            text = f"{self.places[rest[0]]}[{rest[1] // item_size(kind)}]"
        elif what == "cast":
            before = s.nodes[rest[0]][0]
            value = self._value(s, rest[0])
            text = f"({value} != 0)" if kind == "b8" and before != "b8" else f"({own}){value}"
        elif what == "call":
            function, operands, _, data = rest
            kinds = tuple(s.nodes[o][0] for o in operands)
            text = self.call(function, kinds, kind, [self._value(s, o) for o in operands], data)
        elif what == "item":
            text = f"v{rest[0]}_{rest[1]}[{rest[2]}]"
        else:
            return self._portable_block(s, x)
        return f"const {own} v{x} = {text};"

    def _portable_block(self, s: Any, x: int) -> str:
        given, made, step = s.nodes[x][2:]
        lines, names, after = [], [], []
        for k, (kind, n) in enumerate(made):
            names.append(f"v{x}_{k}")
            lines.append(f"{TYPES[kind]} {names[-1]}[{max(n, 1)}];")
            after.append(f"(void){names[-1]};")
        for kind, values in given:
            names.append(f"v{x}_{len(names)}")
            text = ", ".join(self._value(s, v) for v in values) or "0"
            lines.append(f"const {TYPES[kind]} {names[-1]}[{max(len(values), 1)}] = {{{text}}};")
        return " ".join([*lines, "{", self.portable(step, names), "}", *after])

    def portable(self, step: Call, addresses: list[str]) -> str:
        """Return the code of a step whose text is C99."""
        text = step.text
        for i, address in enumerate(addresses):
            text = text.replace(f"${i}$", f"({address})")
        self.count("operations", max(w.numel for w in (*step.inputs, *step.outs)))

        def library(found: re.Match[str]) -> str:
            self.library.add((found[1], found[2]))
            return f"{found[1]}{'f' if found[2] == 'f32' else ''}("

        return re.sub(r"@(\w+):(\w+)\(", library, text)

    # --- loops ----------------------------------------------------------------------------------------------------

    def _print_loops(self) -> None:
        program = self.recorded.program
        groups = grouped(program.steps)
        self._place(program, groups)
        self.spans = memory.lifetimes(groups)
        for i, group in enumerate(groups):
            self._group(group, i)

    def _place(self, program: Any, groups: list[list[Any]]) -> None:
        """Places for temporaries, in an array for each type."""
        kinds: dict[int, str] = {}
        for step in flat(program.steps):
            for w in (*step.windows(), *step.written()):
                kind = C_TYPES[w.dtype]
                if kinds.setdefault(w.buffer.index, kind) != kind:
                    raise ExportError("it reads memory as another dtype than it wrote")
        temporaries = {b.index for b in program.buffers if b.index in kinds and b.index not in self.places}
        for kind in sorted({kinds[i] for i in temporaries}):
            others = {b.index for b in program.buffers if b.index not in temporaries or kinds[b.index] != kind}
            item = item_size(kind)
            found, size = memory.place(program, groups, others, item)
            self.work[kind] = size // item
            self._offsets.update({i: (kind, begin // item) for i, begin in found.items()})

    def _group(self, group: list[Any], i: int) -> None:
        step = group[0]
        if isinstance(step, Map):
            if _is_flat(step):
                self._flat(group, i)
            else:
                self._nested(step)
        elif isinstance(step, Reduce):
            self._reduce(step)
        elif isinstance(step, Product):
            self._product(step)
        elif isinstance(step, Update):
            self._update(step)
        elif isinstance(step, Call):
            self.lines.append(f"{{ {self.portable(step, [self.at(w) for w in (*step.outs, *step.inputs)])} }}")
        elif isinstance(step, While):
            if step.flag is None:
                turn = step.counter
                self.lines.append(f"for (size_t {turn} = 0; {turn} < {step.turns}; {turn}++) {{")
            else:
                self.lines.append("for (;;) {")
                for part in grouped(step.test):
                    self._group(part, -1)
                self.lines.append(f"if (!*{self.at(step.flag)}) break;")
            for part in grouped(step.body):
                self._group(part, -1)
            self.lines.append("}")
        else:
            raise ExportError(f"{type(step).__name__} has no form in C")

    def _kept(self, w: Window, group: int) -> bool:
        index = w.buffer.index
        return index in self.places or group < 0 or self.spans[index][1] > group

    def _flat(self, steps: list[Map], group: int) -> None:
        """Elementwise steps over the same row of elements: one loop."""
        n = steps[0].out.numel
        if n == 0:
            return
        values: dict[Any, str] = {}
        body, last = [], {}
        for step in steps:
            reads = tuple(C_TYPES[d] for d in step.reads)
            operands = []
            for operand, kind in zip(step.inputs, reads, strict=True):
                if isinstance(operand, Number):
                    operands.append(number(kind, _converted(operand.value, kind)))
                    continue
                known = values.get(_key(operand))
                if known is None:
                    known = f"{self.at(operand)}[0]" if _is_single(operand) else f"{self.at(operand)}[i]"
                operands.append(_cast(known, C_TYPES[operand.dtype], kind))
            target = C_TYPES[step.out.dtype]
            text = (
                operands[0]
                if step.function == "copy"
                else self.call(step.function, reads, C_TYPES[step.writes], operands, step.data, n)
            )
            name = self.fresh("v")
            body.append(f"const {TYPES[target]} {name} = {_cast(text, C_TYPES[step.writes], target)};")
            values[_key(step.out)] = name
            last[_key(step.out)] = step.out
        body += [f"{self.at(w)}[i] = {values[key]};" for key, w in last.items() if self._kept(w, group)]
        self.lines.append(f"for (size_t i = 0; i < {n}; i++) {{ {' '.join(body)} }}")

    def _nested(self, step: Map) -> None:
        if step.out.numel == 0:
            return
        sizes, strides = _collapsed([step.out, *step.windows()])
        heads = " ".join(f"for (ptrdiff_t i{d} = 0; i{d} < {size}; i{d}++)" for d, size in enumerate(sizes))
        reads = tuple(C_TYPES[d] for d in step.reads)
        places = iter(strides[1:])
        operands = []
        for operand, kind in zip(step.inputs, reads, strict=True):
            if isinstance(operand, Number):
                operands.append(number(kind, _converted(operand.value, kind)))
            else:
                text = f"{self.at(operand)}[{_place(next(places))}]"
                operands.append(_cast(text, C_TYPES[operand.dtype], kind))
        text = (
            operands[0]
            if step.function == "copy"
            else self.call(step.function, reads, C_TYPES[step.writes], operands, step.data, step.out.numel)
        )
        text = _cast(text, C_TYPES[step.writes], C_TYPES[step.out.dtype])
        self.lines.append(f"{heads} {self.at(step.out)}[{_place(strides[0])}] = {text};")

    def _reduce(self, step: Reduce) -> None:
        x, out = step.input, step.out
        kind, target = C_TYPES[x.dtype], C_TYPES[out.dtype]
        kept = [d for d in range(len(x.sizes)) if d not in step.dims]
        outer = " ".join(f"for (ptrdiff_t i{d} = 0; i{d} < {x.sizes[d]}; i{d}++)" for d in kept)
        inner = " ".join(f"for (ptrdiff_t i{d} = 0; i{d} < {x.sizes[d]}; i{d}++)" for d in step.dims)
        source = f"{self.at(x)}[{_terms([(d, x.strides[d]) for d in range(len(x.sizes))])}]"
        result = f"{self.at(out)}[{_terms(list(zip(kept, out.strides, strict=True)))}]"
        n = x.numel
        if step.kind in ("sum", "losses", "prod", "square_sum"):
            wide = "f64" if kind in ("f32", "f64") else "i64"
            start, sign = ("0", "+") if step.kind != "prod" else ("1", "*")
            finish = "" if step.divisor is None else f" / {number(wide, step.divisor)}"
            own = TYPES[wide]
            term = f"({own}){source}" if step.kind != "square_sum" else f"({own}){source} * ({own}){source}"
            body = f"{own} s = {start}; {inner} s = s {sign} {term}; {result} = ({TYPES[target]})(s{finish});"
        elif step.kind in ("max", "min") and kind == target:
            sign = ">" if step.kind == "max" else "<"
            first = f"{self.at(x)}[{_terms([(d, x.strides[d]) for d in kept])}]"
            nan = " || t != t" if kind in ("f32", "f64") else ""
            own = TYPES[kind]
            taken = f"const {own} t = {source}; if (t {sign} s{nan}) s = t;"
            body = f"{own} s = {first}; {inner} {{ {taken} }} {result} = s;"
        else:
            raise ExportError(f"the reduction {step.kind} has no form in C")
        self.count("operations", n)
        self.lines.append(f"{outer} {{ {body} }}")

    def _product(self, step: Product) -> None:
        a, b, out = step.a, step.b, step.out
        *batches, m, k = a.sizes
        n = b.sizes[-1]
        kind = C_TYPES[out.dtype]
        own = TYPES[kind]
        heads = " ".join(f"for (ptrdiff_t i{d} = 0; i{d} < {size}; i{d}++)" for d, size in enumerate(batches))
        lead = list(range(len(batches)))
        (ar, ac), (br, bc), (cr, cc) = a.strides[-2:], b.strides[-2:], out.strides[-2:]
        at = [f"{self.at(w)} + {_terms([(d, w.strides[d]) for d in lead])}" for w in (a, b, out)]
        fma = self.need_fma(kind)
        self.count("multiply-adds", prod(batches) * m * n * k)
        dense = bc == 1 and cc == 1
        width = min(n, 16 if dense else 8)
        # Factors that are not contiguous along the sum are copied in parts, if there are enough rows to reuse the copy.
        depth = min(k, DEPTH) if not dense and m >= 4 and k > 1 else 0

        def columns(first: int, width: int, last: int) -> str:
            """Return code for the sums of several columns that are independent of each other."""
            each = f"for (ptrdiff_t q = 0; q < {width}; q++)"
            place = f"c[i * {cr} + (j + q) * {cc}]"
            factor = f"t[p * {width} + q]" if depth else f"b[p * {br} + (j + q) * {bc}]"
            before = place if step.add else f"p0 ? {place} : 0" if depth < k and depth else "0"
            rows = (
                f"for (ptrdiff_t i = 0; i < {m}; i++) {{ {own} s[{width}]; {each} s[q] = {before}; "
                f"for (ptrdiff_t p = 0; p < {'e' if depth else k}; p++) {{ "
                f"const {own} f = a[i * {ar} + {'(p0 + p)' if depth else 'p'} * {ac}]; "
                f"{each} s[q] = {fma}(f, {factor}, s[q]); }} {each} {place} = s[q]; }}"
            )
            if depth:
                left = f"{k} - p0 < {depth} ? {k} - p0 : {depth}" if k % depth else str(depth)
                rows = (
                    f"for (ptrdiff_t p0 = 0; p0 < {k}; p0 += {depth}) {{ const ptrdiff_t e = {left}; "
                    f"{own} t[{depth * width}]; for (ptrdiff_t p = 0; p < e; p++) {each} "
                    f"t[p * {width} + q] = b[(p0 + p) * {br} + (j + q) * {bc}]; {rows} }}"
                )
            return f"for (ptrdiff_t j = {first}; j < {last}; j += {width}) {{ {rows} }}"

        whole = n - n % width if width else 0
        body = f"{columns(0, width, whole)} " * (whole > 0) + columns(whole, n - whole, n) * (n > whole)
        # A separate function, because compilers only make use of `restrict` for parameters.
        head = f"(const {own} *restrict a, const {own} *restrict b, {own} *restrict c)"
        text = f"{head} {{ {body} }}"
        name = self.products.setdefault(text, f"product{len(self.products) + 1}")
        self.functions[name] = f"static void {self.prefix}_{name}{text}"
        self.lines.append(f"{heads} {self.prefix}_{name}({', '.join(at)});")

    def _update(self, step: Update) -> None:
        parameter: Any = step.arrays[0]
        name, text = self.updates.function(step, self)
        self.functions[name] = text
        addresses = ", ".join(
            "NULL" if w is None else self.at(w) for w in (*step.arrays, *[None] * (5 - len(step.arrays)))
        )
        before, coefficients = self.updates.coefficients(step, self)
        self.lines += [*before, f"{self.prefix}_{name}({addresses}, {parameter.numel}, {coefficients});"]
        self.count("updates of parameters", parameter.numel)


def item_size(kind: str) -> int:
    """Bytes of an element of a C type."""
    return next(ITEMSIZE[dtype] for dtype, own in C_TYPES.items() if own == kind)


def _cast(text: str, own: str, kind: str) -> str:
    if own == kind:
        return text
    return f"({text} != 0)" if kind == "b8" else f"({TYPES[kind]})({text})"


def _terms(pairs: list[tuple[int, int]]) -> str:
    return " + ".join(f"i{d} * {stride}" for d, stride in pairs if stride) or "0"


def _place(strides: list[int]) -> str:
    return _terms(list(enumerate(strides)))
