"""The printer for programs of any size: loops over memory.

Adjacent elementwise steps over the same elements become one loop, in blocks, whose intermediate values stay in
registers or in a few kilobytes of cache; functions that exist only in eager are called for each block. Sums call
eager's loops on rows; small products are written out.
"""

from typing import Any

from flambeau_compile import memory, products, updates
from flambeau_compile.functions import expression
from flambeau_compile.graph import (
    C_TYPES,
    ITEMSIZE,
    Buffer,
    Call,
    Check,
    Map,
    Number,
    Opaque,
    Product,
    Program,
    Reduce,
    Uncompilable,
    Update,
    While,
    Window,
    row_major,
)  # fmt: skip
from flambeau_compile.printing import Source, literal, order
from flambeau_tensor.extend import hot, reduction_loops

MOST_COPIED = 4096  # bytes from which on the result of a kernel is used in place
BLOCK = 512  # elements of a block of fused steps
_ACROSS = 512  # accumulators that a loop across rows has at most


class _Printer:
    def __init__(self, program: Program, source: Source, changing: frozenset[int] | None) -> None:
        self.program, self.source = program, source
        self.changing = changing
        self.steps = _legal(program, program.steps)
        self.groups = grouped(self.steps)
        self.kernels = self.checks = 0  # the numbers printed so far
        self.spans = memory.lifetimes(self.groups)
        self.dynamic = dynamic = self._dynamic()
        for buffer in dynamic.values():
            source.add_dynamic(buffer)
        source.places, source.arena = memory.place(program, self.groups, set(dynamic) | self._local())
        self.count = 0
        self.shapes: dict[Any, str] = {}

    # --- names ----------------------------------------------------------------------------------------------------

    def name(self, what: str) -> str:
        self.count += 1
        return f"{what}{self.count}"

    def base(self, window: Window) -> str:
        place = self.source.places.get(window.buffer.index)
        return self.source.pointer(window.buffer) if place is None else f"(arena + {place})"

    def at(self, window: Window) -> str:
        """The address of a window's first element."""
        return f"(({C_TYPES[window.dtype]} *){self.base(window)} + {window.offset})"

    # --- steps ----------------------------------------------------------------------------------------------------

    def run(self) -> None:
        for i, group in enumerate(self.groups):
            self.print_group(group, i)
        if self.source.arena:
            self.source.lines.insert(0, f"char *const arena = (char *)p[{len(self.source.addresses)}];")

    def print_group(self, group: list[Any], i: int) -> None:
        """Print steps that form one loop, or one step; `i` is the group's index, or -1 inside a While."""
        step = group[0]
        if isinstance(step, Map):
            if _is_flat(step):
                self.block(group, i)
            else:
                self.nested(step)
        elif isinstance(step, Reduce):
            self.reduce(step)
        elif isinstance(step, Product):
            self.product(step)
        elif isinstance(step, Call):
            self.source.line(f"{{ {self.source.call(step, list(map(self.at, (*step.outs, *step.inputs))))} }}")
        elif isinstance(step, Update):
            self.update(step)
        elif isinstance(step, Opaque):
            self.call_kernel(step)
        elif isinstance(step, Check):
            self.checks += 1
            self.check(step, self.checks)
        else:
            self.loop(step)

    def call_kernel(self, step: Opaque) -> None:
        callback = self.source.function("callback")
        self.source.line(f"if (((fl_call)f[{callback}])(context, {self.kernels})) return -1;")
        self.kernels += 1
        for window in step.results:
            if window is not None and window.buffer.index in self.dynamic:
                name = self.source.pointer(window.buffer)
                self.source.line(f"{name} = (char *)p[{name[1:]}];")

    def loop(self, step: While) -> None:
        """Print a loop whose iterations use memory: any step may read what another one wrote."""
        if step.flag is None:
            i = step.counter
            self.source.line(f"for (fl_size {i} = 0; {i} < {step.turns}; {i}++) {{")
        else:
            self.source.line("for (;;) {")
            for group in grouped(step.test):
                self.print_group(group, -1)
            self.source.line(f"if (!*{self.at(step.flag)}) break;")
        for group in grouped(step.body):
            self.print_group(group, -1)
        self.source.line("}")

    def _dynamic(self) -> dict[int, Buffer]:
        """Return the larger temporaries that kernels create, which are used without a copy."""
        found = {}
        for step in self.steps:
            if isinstance(step, Opaque):
                for window in step.results:
                    if window is None:
                        continue
                    buffer = window.buffer
                    if buffer.tensor is None and not buffer.lasts and buffer.nbytes >= MOST_COPIED:
                        found[buffer.index] = buffer
        return found

    def _local(self) -> set[int]:
        """Return the temporaries that only one fused loop writes and reads; they have the memory of a block only."""
        found: set[int] = set()
        read: set[int] = set()  # before the loop wrote it
        for i, group in enumerate(self.groups):
            if not isinstance(group[0], Map) or not _is_flat(group[0]):
                continue
            made: set[Any] = set()
            for step in group:
                read.update(w.buffer.index for w in step.windows() if _key(w) not in made)
                made.add(_key(step.out))
                if not self._is_kept(step.out, i):
                    found.add(step.out.buffer.index)
        return found - read

    # --- elementwise ----------------------------------------------------------------------------------------------

    def block(self, steps: list[Map], group: int) -> None:
        """A group of steps over the same row of elements, block by block."""
        n = steps[0].out.numel
        if n == 0:
            return
        size = min(n, BLOCK) if self.changing is None else BLOCK
        line = self.source.line
        single = n <= BLOCK and self.changing is None
        line("{")
        if single:
            line(f"const fl_size i0 = 0, m = {n}; (void)i0;")
        else:
            line(f"for (fl_size i0 = 0; i0 < {n}; i0 += {BLOCK}) {{")
            line(f"const fl_size m = {n} - i0 < {BLOCK} ? {n} - i0 : {BLOCK};")
        locals_: dict[Any, str] = {}  # window -> the local array that has its block
        runs = _runs(steps)
        later: list[set[Any]] = []
        for k in range(len(runs)):
            later.append({_key(w) for run in runs[k + 1 :] for step in run for w in step.windows()})
        for k, run in enumerate(runs):
            if len(run) == 1 and _needs_loop(run[0]):
                self._loop_block(run[0], locals_, size, group)
            else:
                self._expressions(run, locals_, later[k], size, group)
        line("}" if single else "} }")

    def _is_kept(self, window: Window, group: int) -> bool:
        """Whether a window is read after a group."""
        buffer = window.buffer
        return buffer.tensor is not None or buffer.lasts or self.spans[buffer.index][1] > group

    def _operand(self, operand: Any, kind: str, locals_: dict[Any, str], values: dict[Any, str]) -> str:
        if isinstance(operand, Number):
            return literal(kind, _converted(operand.value, kind))
        own = C_TYPES[operand.dtype]
        known = values.get(_key(operand))
        if known is None:
            local = locals_.get(_key(operand))
            if local is not None:
                known = f"{local}[i]"
            elif _is_single(operand):
                known = f"*{self.at(operand)}"
            else:
                known = f"{self.at(operand)}[i0 + i]"
        return _cast(known, own, kind)

    def _expressions(self, steps: list[Map], locals_: dict[Any, str], later: set[Any], size: int, group: int) -> None:
        line = self.source.line
        values: dict[Any, str] = {}
        body, stores = [], []
        for step in steps:
            reads = tuple(C_TYPES[d] for d in step.reads)
            template = expression(step.function, reads) or ""
            operands = [self._operand(o, kind, locals_, values) for o, kind in zip(step.inputs, reads, strict=True)]
            name = self.name("v")
            target = C_TYPES[step.out.dtype]
            text = _cast(template.format(*operands), C_TYPES[step.writes], target)
            body.append(f"const {target} {name} = {text};")
            key = _key(step.out)
            values[key] = name
            locals_.pop(key, None)
        last = {_key(step.out): step for step in steps}
        for key, step in last.items():
            target = C_TYPES[step.out.dtype]
            if self._is_kept(step.out, group):
                stores.append(f"{self.at(step.out)}[i0 + i] = {values[key]};")
            if key in later:
                local = self.name("t")
                line(f"{target} {local}[{size}];")
                locals_[key] = local
                stores.append(f"{local}[i] = {values[key]};")
        line(f"for (fl_size i = 0; i < m; i++) {{ {' '.join(body)} {' '.join(stores)} }}")

    def _loop_block(self, step: Map, locals_: dict[Any, str], size: int, group: int) -> None:
        """A function of eager's on a block."""
        line = self.source.line
        operands, steps = [], []
        line("{")
        for operand, dtype in zip(step.inputs, step.reads, strict=True):
            kind = C_TYPES[dtype]
            if isinstance(operand, Number):
                name = self.name("c")
                line(f"{kind} {name} = {literal(kind, _converted(operand.value, kind))};")
                operands.append(f"&{name}")
                steps.append("0")
            elif _key(operand) in locals_:
                operands.append(locals_[_key(operand)])
                steps.append(str(ITEMSIZE[dtype]))
            elif _is_single(operand):
                operands.append(self.at(operand))
                steps.append("0")
            else:
                operands.append(f"{self.at(operand)} + i0")
                steps.append(str(ITEMSIZE[dtype]))
        key = _key(step.out)
        steps.append(str(ITEMSIZE[step.writes]))
        local = None
        if self._is_kept(step.out, group):
            target = f"{self.at(step.out)} + i0"
            locals_.pop(key, None)
        else:
            local = target = self.name("t")
            self.source.lines.insert(_before_block(self.source.lines), f"{C_TYPES[step.writes]} {local}[{size}];")
        line(self.source.loop_call([*operands, target], step.loop, step.data, "m", steps))
        line("}")
        if local is not None:
            locals_[key] = local

    def nested(self, step: Map) -> None:
        """Print one step over elements that are not contiguous."""
        if step.out.numel == 0:
            return
        sizes, strides = _collapsed([step.out, *step.windows()])
        reads = tuple(C_TYPES[d] for d in step.reads)
        line = self.source.line
        depth = len(sizes)
        by_loop = _needs_loop(step)
        loops = depth - 1 if by_loop else depth
        line("{")
        for d in range(loops):
            line(f"for (fl_size i{d} = 0; i{d} < {sizes[d]}; i{d}++)")
        names = iter(range(1, len(strides)))

        def place(window: Window, k: int, dims: int) -> str:
            terms = [f"i{d} * {strides[k][d]}" for d in range(dims) if strides[k][d]]
            return " + ".join([self.at(window), *terms])

        operands, steps = [], []
        line("{")
        for operand, dtype, kind in zip(step.inputs, step.reads, reads, strict=True):
            if isinstance(operand, Number):
                value = literal(kind, _converted(operand.value, kind))
                if by_loop:
                    name = self.name("c")
                    line(f"{kind} {name} = {value};")
                    operands.append(f"&{name}")
                    steps.append("0")
                else:
                    operands.append(value)
                continue
            k = next(names)
            address = place(operand, k, loops)
            if by_loop:
                operands.append(address)
                steps.append(str(strides[k][-1] * ITEMSIZE[dtype] if depth else 0))
            else:
                operands.append(_cast(f"*({address})", C_TYPES[operand.dtype], kind))
        if by_loop:
            steps.append(str(strides[0][-1] * ITEMSIZE[step.writes] if depth else 0))
            target = place(step.out, 0, loops)
            count = str(sizes[-1]) if depth else "1"
            line(self.source.loop_call([*operands, target], step.loop, step.data, count, steps))
        else:
            text = (expression(step.function, reads) or "").format(*operands)
            text = _cast(text, C_TYPES[step.writes], C_TYPES[step.out.dtype])
            line(f"*({place(step.out, 0, loops)}) = {text};")
        line("} }")

    # --- reductions -----------------------------------------------------------------------------------------------

    def reduce(self, step: Reduce) -> None:
        x, line = step.input, self.source.line
        kind = C_TYPES[x.dtype]
        if step.kind == "losses":
            call = self.source.function(hot("loss", "flambeau_nn._kernels").SUMS[x.dtype])
            finish = "" if step.divisor is None else f" / {literal('f64', step.divisor)}"
            line(f"*{self.at(step.out)} = ({kind})(((fl_total)f[{call}])({self.at(x)}, {x.numel}){finish});")
            return
        along, across, _, acc = reduction_loops[step.kind][x.dtype]
        wide = C_TYPES[acc if acc in C_TYPES else x.dtype]
        kept, _, runs, by_rows = order(x, step.dims)
        out_strides = dict(zip([d for d in range(len(x.sizes)) if d not in step.dims], step.out.strides, strict=True))
        target = C_TYPES[step.out.dtype]
        finish = "" if step.divisor is None else f" / {literal(wide, step.divisor)}"
        line("{ static const double unused[1];")
        inner = kept[-1] if by_rows else -1
        outer = kept[:-1] if by_rows else kept
        for d in outer:
            line(f"for (fl_size i{d} = 0; i{d} < {x.sizes[d]}; i{d}++)")
        line("{")
        source = " + ".join([self.at(x), *(f"i{d} * {x.strides[d]}" for d in outer)])
        result = " + ".join([self.at(step.out), *(f"i{d} * {out_strides[d]}" for d in outer)])
        if by_rows:
            size, stride = runs[0]
            width = x.sizes[inner]
            call = self.source.function(across)
            most, apart = min(width, _ACROSS) if self.changing is None else _ACROSS, stride * ITEMSIZE[x.dtype]
            line(f"for (fl_size j = 0; j < {width}; j += {_ACROSS}) {{ {wide} s[{most}]; i64 aux[{most}];")
            line(f"const fl_size m = {width} - j < {_ACROSS} ? {width} - j : {_ACROSS};")
            line(f"((fl_across)f[{call}])(unused, {source} + j, {apart}, {size}, m, s, aux, 0);")
            place = f"({result})[(j + q) * {out_strides[inner]}]"
            line(f"for (fl_size q = 0; q < m; q++) {place} = ({target})(s[q]{finish}); }}")
        else:
            call = self.source.function(along)
            sum_of = f"((fl_along)f[{call}])" + "(unused, {x}, {n}, &s, &aux, seen);"
            line(f"{wide} s = 0; i64 aux = 0; fl_size seen = 0; const {kind} *const x = {source};")
            last = runs[-1] if runs else (1, 1)
            loops = runs[:-1]
            row = "x" + "".join(f" + r{k} * {stride}" for k, (_, stride) in enumerate(loops))
            for k, (size, _) in enumerate(loops):
                line(f"for (fl_size r{k} = 0; r{k} < {size}; r{k}++)")
            if last[1] == 1:
                line(f"{{ {sum_of.format(x=row, n=last[0])} seen += {last[0]}; }}")
            else:
                line(f"{{ {kind} dense[{BLOCK}]; for (fl_size q0 = 0; q0 < {last[0]}; q0 += {BLOCK}) {{"
                     f" const fl_size m = {last[0]} - q0 < {BLOCK} ? {last[0]} - q0 : {BLOCK};"
                     f" for (fl_size q = 0; q < m; q++) dense[q] = ({row})[(q0 + q) * {last[1]}];"
                     f" {sum_of.format(x='dense', n='m')} seen += m; }} }}")  # fmt: skip
            line(f"*({result}) = ({target})(s{finish});")
        line("} }")

    # --- products -------------------------------------------------------------------------------------------------

    def product(self, step: Product) -> None:
        a, b, out = step.a, step.b, step.out
        *batches, m, k = a.sizes
        n = b.sizes[-1]
        line = self.source.line
        kind = C_TYPES[out.dtype]
        line("{")
        for d, size in enumerate(batches):
            line(f"for (fl_size i{d} = 0; i{d} < {size}; i{d}++)")

        def place(w: Window) -> str:
            return " + ".join([self.at(w), *(f"i{d} * {w.strides[d]}" for d in range(len(batches)) if w.strides[d])])

        strides = (*a.strides[-2:], *b.strides[-2:], *out.strides[-2:])
        if products.is_inline(a, b, out):
            shape: Any = kind, m, n, k, *strides, step.add, self.changing
            if shape not in self.shapes:
                if not self.shapes:
                    self.source.prelude.append(products.PRELUDE)
                self.shapes[shape] = f"product{len(self.shapes)}"
                self.source.prelude.append(products.function(self.shapes[shape], *shape))
            line(f"{self.shapes[shape]}(FL_GIVEN {place(a)}, {place(b)}, {place(out)});")
        else:
            if out.strides[-1] != 1 and n != 1:
                raise Uncompilable("the result of a product is column-major")
            call = self.source.function("multiply")
            numbers = ", ".join(map(str, (11 if kind == "f32" else 12, int(step.add), m, n, k)))
            apart = ", ".join(map(str, strides[:5]))
            places = ", ".join(map(place, (a, b, out)))
            line(f"if (((fl_multiply)f[{call}])({numbers}, {places}, {apart})) return -1;")
        line("}")

    # --- the rest -------------------------------------------------------------------------------------------------

    def update(self, step: Update) -> None:
        parameter: Any = step.arrays[0]
        name = updates.function(self.source, step)
        addresses = ", ".join("0" if w is None else self.at(w) for w in step.arrays)
        self.source.line(f"{name}({addresses}, {parameter.numel}, k + {step.position});")

    def check(self, step: Check, number: int) -> None:
        kind = C_TYPES[step.input.dtype]
        value = literal(kind, _converted(step.value, kind))
        seen = f"*{self.at(step.input)}"
        same = f"{seen} == {value}" if step.value == step.value else f"{seen} != {seen}"
        self.source.line(f"if (!({same})) return {number};")


def print_program(program: Program, source: Source, changing: frozenset[int] | None = None) -> None:
    """Write the program's body into a source; `changing`: for a general form (see `sizes`), the sizes that change."""
    _Printer(program, source, changing).run()


# --- helpers --------------------------------------------------------------------------------------------------------


def grouped(steps: Any) -> list[list[Any]]:
    """Group the steps; elementwise steps that become one loop are in one group."""
    steps = list(steps)
    groups, i = [], 0
    while i < len(steps):
        n = max(_fused(steps, i), 1) if isinstance(steps[i], Map) else 1
        groups.append(steps[i : i + n])
        i += n
    return groups


def _fused(steps: list[Any], start: int) -> int:
    """Return how many steps from `start` on form one loop over contiguous elements; 0 if the first does not."""
    n = steps[start].out.numel
    written: list[Window] = []
    read: list[Window] = []
    i = start
    while i < len(steps):
        step = steps[i]
        if not isinstance(step, Map) or step.out.numel != n or not _is_flat(step):
            break
        if any(w.overlaps(o) for w in step.windows() for o in written):
            break
        if any(step.out.overlaps(o) for o in (*written, *read)):
            break
        if any(_is_single(w) and w.buffer is o.buffer for w in step.windows() for o in written):
            break  # an element that the loop itself writes is only available after the loop
        written.append(step.out)
        read.extend(step.windows())
        i += 1
    return i - start


def _needs_loop(step: Map) -> bool:
    return expression(step.function, tuple(C_TYPES[d] for d in step.reads)) is None


def _legal(program: Program, given: Any) -> list[Any]:
    """Return the steps, with conversions around functions that exist only in eager mode as separate steps."""
    steps: list[Any] = []
    for step in given:
        if isinstance(step, While):
            test, body = (tuple(_legal(program, part)) for part in (step.test, step.body))
            steps.append(step._replace(test=test, body=body))
            continue
        if not isinstance(step, Map) or not _needs_loop(step):
            steps.append(step)
            continue
        if not step.loop:
            raise Uncompilable(f"'{step.function}' has no loop for {step.reads[0]}")
        inputs = []
        for operand, dtype in zip(step.inputs, step.reads, strict=True):
            if isinstance(operand, Window) and operand.dtype != dtype:
                operand = _converted_window(program, steps, operand, dtype)
            inputs.append(operand)
        out = step.out
        if out.dtype != step.writes:
            out = _fresh(program, step.writes, out.sizes)
        steps.append(step._replace(inputs=tuple(inputs), out=out))
        if out is not step.out:
            steps.append(Map("copy", (step.writes,), step.writes, (out,), step.out))
    return steps


def _fresh(program: Program, dtype: str, sizes: tuple[int, ...]) -> Window:
    n = ITEMSIZE[dtype]
    for size in sizes:
        n *= size
    return Window(program.buffer(n), dtype, 0, sizes, row_major(sizes))


def _converted_window(program: Program, steps: list[Any], window: Window, dtype: str) -> Window:
    fresh = _fresh(program, dtype, window.sizes)
    steps.append(Map("copy", (window.dtype,), window.dtype, (window,), fresh))
    return fresh


def _is_single(window: Window) -> bool:
    """Whether it repeats one element."""
    return all(size == 1 or stride == 0 for size, stride in zip(window.sizes, window.strides, strict=True))


def _is_flat(step: Map) -> bool:
    """Whether the elements of all windows are contiguous, or single elements."""
    if not step.out.contiguous:
        return False
    return all(w.contiguous or _is_single(w) for w in step.windows())


def _key(window: Window) -> Any:
    return window.buffer.index, window.dtype, window.offset, window.numel, _is_single(window)


def _runs(steps: list[Map]) -> list[list[Map]]:
    """Group consecutive steps with expressions; each other step is a group by itself."""
    runs: list[list[Map]] = []
    for step in steps:
        if _needs_loop(step) or not runs or _needs_loop(runs[-1][-1]):
            runs.append([step])
        else:
            runs[-1].append(step)
    return runs


def _before_block(lines: list[str]) -> int:
    """The place of the last line that opens the braces of a call."""
    depth = 0
    for i in range(len(lines) - 1, -1, -1):
        if lines[i] == "{" and depth == 0:
            return i
    return len(lines)


def _collapsed(windows: list[Window]) -> tuple[list[int], list[list[int]]]:
    """Return sizes and strides of windows with the same sizes, without dimensions of size 1 and merged where possible.

    Dimensions are in the memory order of the first window.
    """
    dims = [d for d, size in enumerate(windows[0].sizes) if size != 1]
    dims.sort(key=lambda d: -abs(windows[0].strides[d]))
    sizes: list[int] = []
    strides: list[list[int]] = [[] for _ in windows]
    for d in dims:
        size = windows[0].sizes[d]
        if sizes and all(own[-1] == size * w.strides[d] for own, w in zip(strides, windows, strict=True)):
            sizes[-1] *= size
            for own, w in zip(strides, windows, strict=True):
                own[-1] = w.strides[d]
        else:
            sizes.append(size)
            for own, w in zip(strides, windows, strict=True):
                own.append(w.strides[d])
    return sizes, strides


def _cast(text: str, own: str, kind: str) -> str:
    if own == kind:
        return text
    return f"({text} != 0)" if kind == "b8" else f"(({kind}){text})"


def _converted(value: Any, kind: str) -> Any:
    if kind in ("f32", "f64"):
        import numpy as np

        return float(np.float32(value)) if kind == "f32" else float(value)
    return bool(value) if kind == "b8" else int(value)
