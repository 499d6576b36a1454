"""The files of an exported function: a header, the code, and a test that a C compiler alone can run."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from flambeau_compile.exporting import own_math
from flambeau_compile.exporting.language import TWO, TYPES, number
from flambeau_compile.exporting.recorded import ExportError, Named, Recorded, identifier, record
from flambeau_compile.exporting.text import Body, item_size


class Unit:
    """The C of one function.

    Args:
        recorded: its run.
        name: the name of the C function, and the prefix of all other names.
        weights: ``"static"``: the file contains values that the function only reads; ``"argument"``: callers pass them.
        unrolled: whether every element is a variable; None: if the program is tiny.
        tables: names of the tables in the file, by type and bytes; new ones are added.
        math: ``"libm"``: uses functions of C's library. ``"own"``: the file contains them. ``"single"``: like "own",
            but only functions that compute in float, which compilers vectorize.
    """

    def __init__(
        self,
        recorded: Recorded,
        name: str,
        weights: str,
        unrolled: bool | None = None,
        tables: dict[tuple[str, bytes], str] | None = None,
        math: str = "libm",
    ) -> None:
        self.recorded, self.name, self.weights, self.math = recorded, name, weights, math
        self.tables: list[str] = []  # of constants, as C
        self.aliases = {n.name: _alias(n.name) for n in (*recorded.inputs, *recorded.outputs)}
        places = {n.buffer.index: self.aliases[n.name] for n in (*recorded.inputs, *recorded.outputs)}
        places.update({n.buffer.index: f"state->{n.name}" for n in recorded.states})
        tables = {} if tables is None else tables
        for n in recorded.constants:
            place = f"weights->{n.name}"
            if weights == "static":
                key = n.kind, n.value.tobytes()
                if key not in tables:
                    tables[key] = f"{name}_{n.name}"
                    self.tables += [f"/* {_about(n)} */", _table(tables[key], n)]
                place = tables[key]
            places[n.buffer.index] = place
        self.body = Body(recorded, places, name)
        self.body.print(unrolled)
        self.own: set[tuple[str, str]] = set()  # library functions that the file contains, with their types
        if math != "libm":
            self._use_own()

    def _use_own(self) -> None:
        """Replace calls of the C library by calls of functions in the file."""
        body = self.body
        self.own = body.library - {("fma", "f32"), ("fma", "f64")}
        if self.math == "single":
            self.own = {(name, kind) for name, kind in self.own if kind == "f32" and name in own_math.SINGLE}
        for name, kind in sorted(self.own):
            if not own_math.known(name, kind):
                of = "float64" if kind == "f64" else "float32"
                raise ExportError(f"{name} of {of} has no implementation of its own: export with math='libm'")
            suffix = "f" if kind == "f32" else ""
            call, own = re.compile(rf"\b{name}{suffix}\("), f"{self.name}_own_{name}{suffix}("
            body.lines = [call.sub(own, line) for line in body.lines]
            body.functions = {key: call.sub(own, text) for key, text in body.functions.items()}

    # --- the interface for callers
    # --------------------------------------------------------------------------------------

    @property
    def scalars(self) -> dict[str, float]:
        """Return the numbers in the state, apart from tensors."""
        return self.body.updates.fields

    @property
    def has_state(self) -> bool:
        return bool(self.recorded.states or self.scalars)

    @property
    def has_weights(self) -> bool:
        return self.weights == "argument" and bool(self.recorded.constants)

    @property
    def has_work(self) -> bool:
        return any(self.body.work.values())

    def parameters(self) -> list[str]:
        """The parameters of the C function."""
        r = self.recorded
        found = [f"const {TYPES[n.kind]} *{n.name}" for n in r.inputs]
        found += [f"const {self.name}_weights *weights"] * self.has_weights
        found += [f"{self.name}_state *state"] * self.has_state
        found += [f"{self.name}_work *work"] * self.has_work
        return found + [f"{TYPES[n.kind]} *{n.name}" for n in r.outputs]

    def prototype(self) -> str:
        return f"void {self.name}({', '.join(self.parameters()) or 'void'})"

    def _fields(self, named: list[Named]) -> list[str]:
        return [f"    {TYPES[n.kind]} {n.name}[{max(n.count, 1)}]; /* {_about(n)} */" for n in named]

    def _size(self) -> list[str]:
        r, name = self.recorded, self.name.upper()
        lines = [f"#define {name}_{n.name.upper()}_SIZE {n.window.numel}" for n in (*r.inputs, *r.outputs)]
        constants = sum(n.buffer.nbytes for n in r.constants)
        lines.append(f"#define {name}_WEIGHT_BYTES {constants}")
        state = sum(n.buffer.nbytes for n in r.states) + 8 * len(self.scalars)
        lines.append(f"#define {name}_STATE_BYTES {state}")
        work = sum(n * item_size(kind) for kind, n in self.body.work.items())
        lines.append(f"#define {name}_WORK_BYTES {work}")
        return lines

    def work_type(self) -> list[str]:
        """Return the declaration of the scratch memory's type, if there is any."""
        if not self.has_work:
            return []
        fields = [f"    {TYPES[kind]} {kind}[{n}];" for kind, n in self.body.work.items() if n]
        return ["typedef struct {", *fields, f"}} {self.name}_work;"]

    def header(self) -> str:
        r, name = self.recorded, self.name
        lines = [f"/* {name}: exported by flambeau. {self.about()} */", f"#ifndef {name.upper()}_H",
                 f"#define {name.upper()}_H", "", "#include <stddef.h>", "#include <stdint.h>", "",
                 "#ifdef __cplusplus", 'extern "C" {', "#endif", "", *self._size(), ""]  # fmt: skip
        if self.has_weights:
            lines += ["/* What the function reads and never changes. */", "typedef struct {"]
            lines += [*self._fields(r.constants), f"}} {name}_weights;", ""]
        if self.has_state:
            lines += ["/* What calls change. */", "typedef struct {"]
            lines += [f"    double {field};" for field in self.scalars]
            lines += [*self._fields(r.states), f"}} {name}_state;", ""]
            lines += [f"/* The values of the moment of the export. */\nvoid {name}_init({name}_state *state);", ""]
        if self.has_work:
            lines += ["/* Scratch memory; nothing in it lasts from call to call. */", *self.work_type(), ""]
        lines += ["/*", *(f"   {n.name}: {_about(n)}, {'read' if n.role == 'input' else 'written'}"
                          for n in (*r.inputs, *r.outputs)), "*/", self.prototype() + ";", ""]  # fmt: skip
        return "\n".join([*lines, "#ifdef __cplusplus", "}", "#endif", "#endif", ""])

    def about(self) -> str:
        """Describe the amount of work of a call."""
        counts = ", ".join(f"{n} {what}" for what, n in sorted(self.body.operations.items()))
        return f"A call does {counts or 'nothing but copies'}."

    # --- the code -------------------------------------------------------------------------------------------------

    def source(self) -> str:
        """The C file."""
        return "\n".join([f'#include "{self.name}.h"', "", *includes([self]), *self.definitions(), ""])

    def definitions(self, storage: str = "") -> list[str]:
        """Return the function and the definitions that it needs; ``storage`` is ``"static "`` inside another file."""
        lines = [*self.tables, *self.body.functions.values()]
        if self.has_state:
            lines += self._init()
        r, unused = self.recorded, ["(void)work;"] * self.has_work
        for n in (*r.inputs, *r.outputs):
            other, const = self.aliases[n.name], "const " if n.role == "input" else ""
            unused += [f"{const}{TYPES[n.kind]} *{other} = {n.name};"] * (other != n.name) + [f"(void){other};"]
        return [
            *lines,
            f"{storage}{self.prototype()} {{",
            *(f"    {line}" for line in (*unused, *self.body.lines)),
            "}",
        ]

    def _init(self) -> list[str]:
        name = self.name
        before, lines = [], [f"void {name}_init({name}_state *state) {{"]
        lines += [f"    state->{field} = {number('f64', value)};" for field, value in self.scalars.items()]
        for n in self.recorded.states:
            fill = f"    for (i = 0; i < {n.count}; i++) state->{n.name}[i] = "
            if not np.any(n.value):
                lines.append(f"{fill}0;")
            else:
                before.append(_table(f"{name}_{n.name}_first", n))
                lines.append(f"{fill}{name}_{n.name}_first[i];")
        if self.recorded.states:
            lines.insert(1, "    size_t i;")
        return [*before, *lines, "}", ""]

    def test(self) -> str:
        """Return the code of a program that returns 0 if the function computes the recorded results."""
        r, name = self.recorded, self.name
        lines = [f'#include "{name}.h"', "", "#include <math.h>", "#include <stdio.h>", ""]
        lines += [_table(f"given_{n.name}", n) for n in r.inputs]
        compared = [(n, n.name, n.value) for n in r.outputs if n.value.size]
        compared += [(n, f"state.{n.name}", r.after[n.buffer.index]) for n in r.states if n.count]
        for n, _, value in compared:
            lines.append(_table(f"expected_{n.name}", Named(n.name, n.label, n.buffer, n.window, n.role, value)))
        if self.has_weights:
            lines.append(f"static const {name}_weights weights = {{")
            lines += [f"    {_list(n)}," for n in r.constants]
            lines.append("};")
        for what, wanted in (("state", self.has_state), ("work", self.has_work)):
            lines += [f"static {name}_{what} {what};"] * wanted
        lines += [f"static {TYPES[n.kind]} {n.name}[{max(n.count, 1)}];" for n in r.outputs]
        lines += _CHECK.split("\n") if compared else []
        arguments = [f"given_{n.name}" for n in r.inputs]
        arguments += ["&weights"] * self.has_weights + ["&state"] * self.has_state + ["&work"] * self.has_work
        arguments += [n.name for n in r.outputs]
        lines += ["int main(void) {", "    int wrong = 0;"]
        lines += [f"    {name}_init(&state);"] * self.has_state
        lines += [
            f"    state.{field} = 1; /* as in the run that was recorded */" for field in self.body.updates.uncounted
        ]
        lines.append(f"    {name}({', '.join(arguments)});")
        sizes = [float(np.abs(n.value).max(initial=0.0)) for n in r.inputs if n.kind in ("f32", "f64")]
        least = min(1.0, max(sizes, default=0.0))
        for n, place, value in compared:
            lines.append(_compared(n, place, value.reshape(-1), least, r.spread.get(n.buffer.index, 0.0)))
        lines += ['    if (!wrong) printf("%s\\n", "as in Python");', "    return wrong != 0;", "}", ""]
        return "\n".join(lines)


def _alias(name: str) -> str:
    """Return the name of an argument in the statements, whose own variables have up to five letters."""
    return name if len(name) > 5 else f"at_{name}"


# Macros of compilers whose processor multiplies and adds in one instruction.
_FUSED = {"f32": ("__FP_FAST_FMAF", "__ARM_FEATURE_FMA"), "f64": ("__FP_FAST_FMA", "__aarch64__")}
UNITS = 8  # largest difference, in units in the last place, due to another order of sums and other exponentials


def includes(units: list[Unit]) -> list[str]:
    """Return the lines that functions need before them in their file."""
    lines = []
    text = "\n".join(line for unit in units for line in (*unit.body.lines, *unit.body.functions.values()))
    if units[0].math == "own":
        lines += ["#define INFINITY (1.0f / 0.0f)", "#define NAN (0.0f / 0.0f)"]
    elif "NAN" in text or "INFINITY" in text:
        lines += ["#include <math.h>", ""]
    library = sorted({each for unit in units for each in unit.body.library})
    own = {each for unit in units for each in unit.own}
    lines += own_math.definitions(own, f"{units[0].name}_own")
    declared = [each for each in library if each not in own]
    for each, kind in declared:  # declared here, because freestanding compilers have no math.h
        kind_name = TYPES[kind]
        operands = ", ".join([kind_name] * (3 if each == "fma" else 2 if each in TWO else 1))
        lines.append(f"{kind_name} {each}{'f' if kind == 'f32' else ''}({operands});")
    for kind, suffix in (("f32", "F"), ("f64", "")):
        if ("fma", kind) in library:
            lines += [f"#if {' || '.join(f'defined({m})' for m in (*_FUSED[kind], '__FMA__'))}",
                      f"#define FMA{suffix}(a, b, c) fma{suffix.lower()}(a, b, c)", "#else",
                      f"#define FMA{suffix}(a, b, c) ((a) * (b) + (c))", "#endif", ""]  # fmt: skip
    return lines


_CHECK = """
static int differ(const char *name, size_t i, double got, double expected, double most) {
    if (got == expected || (got != got && expected != expected) || fabs(got - expected) <= most) return 0;
    printf("%s[%lu] is %.17g, not %.17g\\n", name, (unsigned long)i, got, expected);
    return 1;
}
"""


def _compared(n: Named, place: str, values: Any, least: float, spread: float) -> str:
    """Return code that compares a result with Python's, within a few units in the last place of its largest element, or
    of `least`, the size of terms in sums that may cancel, plus the change that such units in the arguments cause.
    """
    finite = values[np.isfinite(values)] if values.dtype.kind == "f" else values[:0]
    largest = float(np.abs(finite).max(initial=least))
    unit, count = {"f32": 2.0**-23, "f64": 2.0**-52}.get(n.kind, 0.0) * UNITS * largest, values.size
    most = repr(unit + (UNITS * spread if np.isfinite(spread) else 0.0))
    return (
        f"    {{ size_t i; for (i = 0; i < {count}; i++) "
        f'wrong += differ("{n.name}", i, (double){place}[i], (double)expected_{n.name}[i], {most}); }}'
    )


def _about(n: Named) -> str:
    sizes = " x ".join(map(str, n.window.sizes)) or "one number"
    return f"{n.label}: {sizes}, {n.window.dtype}"


def _list(n: Named) -> str:
    values = [number(n.kind, v) for v in n.value.reshape(-1).tolist()] or ["0"]
    rows = [", ".join(values[i : i + 10]) for i in range(0, len(values), 10)]
    return "{" + ",\n    ".join(rows) + "}"


def _table(name: str, n: Named) -> str:
    return f"static const {TYPES[n.kind]} {name}[{max(len(n.value.reshape(-1)), 1)}] = {_list(n)};"


def export_c(
    function: Callable[..., Any],
    examples: tuple[Any, ...],
    folder: str | Path,
    name: str = "net",
    *,
    abi: str = "plain",
    weights: str = "static",
    math: str = "libm",
    unrolled: bool | None = None,
) -> list[Path]:
    """Write a function as C99 that needs no Python, allocates nothing and has no global variables.

    The function runs on the examples; what it does with tensors becomes ``name.h`` and ``name.c``: inference, a value
    with its gradient, a Jacobian, or a whole training step with its optimizer. Parameters keep their names. What the
    function changes (parameters, buffers, the optimizer's moments, its learning rate) is in ``name_state``, which
    ``name_init`` fills with the values of now; export itself leaves them as they are.

    Args:
        function: a function, method or module; its Python runs once, so that branches and loops are as the examples
            take them.
        examples: a tuple of its arguments. Tensors are inputs, of these shapes and dtypes; all else is constant.
        folder: where the files go; it is made if need be.
        name: of the C function and of the files.
        abi: ``"plain"``, or ``"casadi"`` for what ``casadi.external`` loads: the function with its first and second
            derivatives and their sparsity, in one file, see `flambeau_compile.exporting.casadi`.
        weights: ``"static"``: tensors that are only read stand in the C file. ``"argument"``: callers pass them as
            ``name_weights``.
        math: ``"libm"``: the code calls functions of C's library, such as ``tanhf``. ``"own"``: it has its own.
        unrolled: whether each element is a variable of its own, which is fastest for tiny programs. None: where there
            are few.

    Returns:
        The files: the header, the code, and ``name_test.c``, whose ``main`` returns 0 if the code gives Python's
        results, to the last digits. For CasADi, the code alone.

    Raises:
        ExportError: an operation of the function has no form in C; the message names it and an alternative.
        ValueError: `name` is not a C identifier, or `weights` is invalid.

    >>> import tempfile
    >>> import flambeau_tensor as ft
    >>> files = export_c(lambda x: (x * x).sum(), (ft.ones(3),), tempfile.mkdtemp(), "norm")
    >>> [f.name for f in files]
    ['norm.h', 'norm.c', 'norm_test.c']
    """
    if weights not in ("static", "argument"):
        raise ValueError(f"export_c(): weights must be 'static' or 'argument', not {weights!r}")
    if math not in ("libm", "own"):
        raise ValueError(f"export_c(): math must be 'libm' or 'own', not {math!r}")
    if abi not in ("plain", "casadi"):
        raise ValueError(f"export_c(): abi must be 'plain' or 'casadi', not {abi!r}")
    check_name("export_c", name, examples)
    if abi == "casadi":
        from flambeau_compile.exporting.casadi import text

        if weights != "static":
            raise ValueError("export_c(): CasADi functions store their weights in the file")
        return write(folder, {f"{name}.c": text(function, examples, name, unrolled)})
    unit = Unit(record(function, examples), name, weights, unrolled, math=math)
    return write(folder, {f"{name}.h": unit.header(), f"{name}.c": unit.source(), f"{name}_test.c": unit.test()})


def check_name(caller: str, name: str, examples: Any) -> None:
    """Check that the name is a C identifier and the examples are a tuple."""
    if not isinstance(name, str) or identifier(name, set()) != name:
        raise ValueError(f"{caller}(): name must be a C identifier, not {name!r}")
    if not isinstance(examples, tuple):
        raise TypeError(f"{caller}(): examples must be a tuple of arguments, not {type(examples).__name__}")


def write(folder: str | Path, texts: dict[str, str | bytes]) -> list[Path]:
    """Write files into a folder, all or none."""
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    written = []
    for name, text in texts.items():
        scratch = place / f".{name}.part"
        scratch.write_bytes(text if isinstance(text, bytes) else text.encode())
        written.append((scratch, place / name))
    for scratch, target in written:
        scratch.replace(target)
    return [target for _, target in written]


__all__ = ["ExportError", "Unit", "export_c", "write"]
