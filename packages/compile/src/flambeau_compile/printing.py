"""The text of a program in C: code shared by both printers."""

import contextlib
import gc
from collections.abc import Iterator
from typing import Any, NamedTuple

from flambeau_compile.graph import Buffer, Call, Program, Window

PRELUDE = """\
typedef unsigned char b8; typedef unsigned char u8; typedef signed char i8; typedef short i16;
typedef unsigned short u16; typedef int i32; typedef unsigned int u32; typedef long long i64;
typedef unsigned long long u64; typedef float f32; typedef double f64; typedef __PTRDIFF_TYPE__ fl_size;
typedef struct { u16 bits; } h16; typedef struct { u16 bits; } g16; typedef struct { u16 bits[2]; } c32;
typedef struct { f32 parts[2]; } c64; typedef struct { f64 parts[2]; } c128;
typedef void (*fl_loop)(char **, const fl_size *, const fl_size *, void *);
typedef int (*fl_call)(void *, int);
typedef void (*fl_along)(const void *, const void *, fl_size, void *, void *, fl_size);
typedef void (*fl_across)(const void *, const void *, fl_size, fl_size, fl_size, void *, void *, fl_size);
typedef double (*fl_total)(const void *, fl_size);
typedef int (*fl_multiply)(int, int, fl_size, fl_size, fl_size, const void *, const void *, void *, fl_size, fl_size,
                           fl_size, fl_size, fl_size);
#ifdef __FMA__
#define FL_FMA(a, b, c) __builtin_fma(a, b, c)
#define FL_FMAF(a, b, c) __builtin_fmaf(a, b, c)
#else
#define FL_FMA(a, b, c) ((a) * (b) + (c))
#define FL_FMAF(a, b, c) ((a) * (b) + (c))
#endif
"""


@contextlib.contextmanager
def uncollected() -> Iterator[None]:
    """Without garbage collection: a program's many small objects all live, and looking through the whole process for
    others takes as long as making them."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def literal(kind: str, value: Any) -> str:
    """A number in C."""
    if kind in ("f32", "f64"):
        suffix = "f" if kind == "f32" else ""
        if value != value:
            return f'__builtin_nan{suffix}("")'
        if value in (float("inf"), float("-inf")):
            return f"({'-' if value < 0 else ''}__builtin_inf{suffix}())"
        value = float(value)
        text = f"{value!r}" if kind == "f64" else value.hex()
        text = text if any(c in text for c in ".exp") else text + ".0"
        return f"({text}{suffix})" if text.startswith("-") else f"{text}{suffix}"
    if kind == "i64":
        return f"({int(value)}LL)" if value > -(2**63) else "(-9223372036854775807LL - 1)"
    return f"(({kind}){int(value)})"


class Order(NamedTuple):
    """The iteration order of a reduction.

    `kept` and `gone` dimensions, outermost in memory first; `runs`, the (size, stride) of the reduced ones, merged if
    adjacent; and whether it runs by rows, into an accumulator for each column.
    """

    kept: list[int]
    gone: list[int]
    runs: list[tuple[int, int]]
    by_rows: bool


def order(x: Window, dims: tuple[int, ...]) -> Order:
    """The order in which eager reduces these dimensions."""
    kept = [d for d in range(len(x.sizes)) if d not in dims and x.sizes[d] != 1]
    gone = [d for d in dims if x.sizes[d] != 1]
    kept.sort(key=lambda d: -(x.strides[d] or 1 << 62))
    gone.sort(key=lambda d: -(x.strides[d] or 1 << 62))
    runs: list[tuple[int, int]] = []
    for d in gone:
        if runs and runs[-1][1] == x.sizes[d] * x.strides[d]:
            runs[-1] = runs[-1][0] * x.sizes[d], x.strides[d]
        else:
            runs.append((x.sizes[d], x.strides[d]))
    return Order(kept, gone, runs, bool(kept) and x.strides[kept[-1]] == 1 and len(runs) == 1 and runs[0][1] != 1)


class Source:
    """A C function in the making.

    ``addresses`` lists the buffers whose addresses are its arguments, in order; ``functions`` the addresses of eager's
    functions and data that are passed to it.
    """

    def __init__(self, program: Program) -> None:
        self.program = program
        self.lines: list[str] = []
        self.addresses: list[Buffer] = [b for b in program.buffers if b.tensor is not None or b.lasts]
        self.fixed = len(self.addresses)  # kernels allocate the other buffers while the program runs
        self._places = {b.index: i for i, b in enumerate(self.addresses)}
        self.functions: list[Any] = []
        self.arena = 0  # bytes for temporaries
        self.places: dict[int, int] = {}  # offsets of temporaries in it
        self.prelude: list[str] = []

    def add_dynamic(self, buffer: Buffer) -> None:
        """Use the result of a kernel as the memory of a buffer."""
        self._places[buffer.index] = len(self.addresses)
        self.addresses.append(buffer)

    def line(self, text: str) -> None:
        self.lines.append(text)

    def pointer(self, buffer: Buffer) -> str:
        return f"p{self._places[buffer.index]}"

    def function(self, address: Any) -> int:
        """Return the index of an address, or of bytes whose address is passed, among the function's arguments."""
        if address not in self.functions:
            self.functions.append(address)
        return self.functions.index(address)

    def loop_call(self, operands: list[str], loop: int, data: Any, n: str = "1", steps: list[str] | None = None) -> str:
        """A call of eager's inner loop on addresses of operands."""
        steps = steps or ["0"] * len(operands)
        second = f"f[{self.function(data)}]" if data else "(void *)0"
        first = self.function(loop)
        return (
            f"char *at[] = {{{', '.join(f'(char *)({o})' for o in operands)}}}; const fl_size n[] = {{{n}}}; "
            f"const fl_size by[] = {{{', '.join(steps)}}}; ((fl_loop)f[{first}])(at, n, by, {second});"
        )

    def call(self, step: Call, addresses: list[str]) -> str:
        """The text of a Call with the addresses of its windows."""
        text = step.text
        for i, address in enumerate(addresses):
            text = text.replace(f"${i}$", f"({address})")
        for i, function in enumerate(step.functions):
            text = text.replace(f"#{i}#", f"f[{self.function(function)}]")
        return text

    def text(self) -> str:
        """The whole of it."""
        pointers = [f"char *const p{i} = (char *)p[{i}]; (void)p{i};" for i in range(self.fixed)]
        pointers += [f"char *p{i} = 0; (void)p{i};" for i in range(self.fixed, len(self.addresses))]
        body = "\n    ".join([*pointers, *self.lines])
        prelude = "".join(self.prelude)
        return (
            f"{PRELUDE}{prelude}\nint fl_run(void *const *p, void *const *f, const double *k, void *context) {{\n"
            f"    (void)f; (void)k; (void)context;\n    {body}\n    return 0;\n}}\n"
        )
