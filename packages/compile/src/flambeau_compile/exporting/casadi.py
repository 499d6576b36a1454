"""A function for CasADi: its values, its Jacobian and the Jacobian of that, with the C interface of generated code.

``casadi.external(name, path)`` of the compiled file behaves like any other function of CasADi: Ipopt and other solvers
request derivatives, which are exact. Elements that are zero for all inputs are omitted from the
sparsity pattern. CasADi stores matrices by columns, with doubles as elements; a program of float32 converts its inputs
and outputs.

The interface is described in CasADi's user guide, section "Using the generated code"; since version 3.6 the Jacobian
of each result with respect to each argument is a separate result.
"""

from collections.abc import Callable
from typing import Any

from flambeau_autograd import func
from flambeau_compile.exporting.files import Unit, includes
from flambeau_compile.exporting.language import TYPES
from flambeau_compile.exporting.recorded import ExportError, Named, record
from flambeau_tensor import Tensor


def text(function: Callable[..., Any], examples: tuple[Any, ...], name: str, unrolled: bool | None = None) -> str:
    """The C file of a function, its Jacobian and that one's Jacobian.

    Args:
        function: takes and returns tensors with at most two dimensions; it changes nothing.
        examples: its arguments.
        name: the name of the function in CasADi.
        unrolled: whether each element is a variable; None: if there are few.

    Raises:
        ExportError: the function changes something, or has tensors of more dimensions.
    """
    numbers = [i for i, each in enumerate(examples) if isinstance(each, Tensor)]
    if len(numbers) < len(
        [each for each in examples if each is not None and not isinstance(each, (bool, int, float, str))]
    ):
        raise ExportError("CasADi functions take tensors as arguments, not lists or dicts of tensors")

    def values(*tensors: Any) -> tuple[Any, ...]:
        full = list(examples)
        for i, t in zip(numbers, tensors, strict=True):
            full[i] = t
        result = function(*full)
        return result if isinstance(result, tuple) else tuple(result) if isinstance(result, list) else (result,)

    given = tuple(examples[i] for i in numbers)
    every = tuple(range(len(given)))

    def first(*tensors: Any) -> Any:
        return func.jacfwd(values, argnums=every)(*tensors)

    def flat_first(*tensors: Any) -> tuple[Any, ...]:
        return tuple(j for row in first(*tensors) for j in row)

    def second(*tensors: Any) -> tuple[Any, ...]:
        return tuple(j for row in func.jacfwd(flat_first, argnums=every)(*tensors) for j in row)

    plain = record(function, examples)
    if plain.states:
        raise ExportError(f"{name} changes {plain.states[0].label}; CasADi functions must not change anything")
    labels = tuple(n.label for n in plain.inputs)
    if len(labels) < len(given):
        raise ExportError(f"two arguments of {name} share memory")
    tables: dict[Any, str] = {}
    parts = []
    for level, (what, call) in enumerate((("", values), ("jac_", flat_first), ("jac_jac_", second))):
        recorded = record(call, given, labels)
        parts.append((level, Unit(recorded, f"{what}{name}_core", "static", unrolled, tables)))
    inputs, outputs = parts[0][1].recorded.inputs, parts[0][1].recorded.outputs
    for n in (*inputs, *outputs):
        if len(n.window.sizes) > 2:
            raise ExportError(f"{n.label} has {len(n.window.sizes)} dimensions; CasADi matrices have two")
    lines = [f"/* {name}: exported by flambeau for CasADi. */", "#include <stddef.h>", "#include <stdint.h>", "",
             *includes([unit for _, unit in parts]), *_PRELUDE.strip().split("\n"), ""]  # fmt: skip
    for level, unit in parts:
        lines += _function(name, level, unit, inputs, outputs)
    return "\n".join([*lines, ""])


_PRELUDE = """
#define casadi_int long long int
#define casadi_real double
#if defined(_WIN32)
#define EXPORTED __declspec(dllexport)
#elif defined(__GNUC__)
#define EXPORTED __attribute__((visibility("default")))
#else
#define EXPORTED
#endif
"""


class _Matrix:
    """A matrix of CasADi: rows, columns, and for each element that may differ from zero its row, column and place in
    the dense result in row-major order."""

    def __init__(self, rows: int, columns: int, elements: list[tuple[int, int, int]] | None) -> None:
        self.rows, self.columns = rows, columns
        self.elements = None if elements is None else sorted(elements, key=lambda e: (e[1], e[0]))

    def sparsity(self) -> str:
        if self.elements is None:
            return f"{self.rows}, {self.columns}, 1"
        starts = [sum(1 for _, c, _ in self.elements if c < column) for column in range(self.columns + 1)]
        rows = [r for r, _, _ in self.elements]
        return ", ".join(map(str, (self.rows, self.columns, *starts, *rows)))


def _shape(n: Named) -> tuple[int, int]:
    sizes = n.window.sizes
    return (sizes[0] if sizes else 1, sizes[1] if len(sizes) == 2 else 1)


def _column_major(n: Named) -> list[int]:
    """For each element in row-major order, its place by columns."""
    rows, columns = _shape(n)
    return [r + c * rows for r in range(rows) for c in range(columns)]


def _function(name: str, level: int, unit: Unit, inputs: list[Named], outputs: list[Named]) -> list[str]:
    """Return the code of a CasADi function that wraps a program, with the functions that CasADi queries."""
    full = "jac_" * level + name
    matrices, names = _results(level, unit, inputs, outputs)
    arguments = [(n.name, _Matrix(*_shape(n), None)) for n in inputs]
    if level >= 1:
        arguments += [(f"out_{n.name}", _Matrix(*_shape(n), [])) for n in outputs]
    if level == 2:
        arguments += [(f"out_{label}", matrix) for label, matrix in _first_results(inputs, outputs)]
    lines = [*unit.work_type(), *unit.definitions("static "), ""]
    lines += [
        f"EXPORTED int {full}(const casadi_real **arg, casadi_real **res, casadi_int *iw, casadi_real *w, int mem) {{"
    ]
    body = []
    for i, n in enumerate(inputs):
        places = _column_major(n)
        own = next(m for m in unit.recorded.inputs if m.label == n.label)
        kind = TYPES[own.kind]
        body.append(f"{kind} at_{own.name}[{max(own.count, 1)}];")
        if places == list(range(len(places))):
            body.append(
                f"for (size_t i = 0; i < {len(places)}; i++) at_{own.name}[i] = arg[{i}] ? ({kind})arg[{i}][i] : 0;"
            )
        else:
            rows, columns = _shape(n)
            body.append(
                f"for (size_t r = 0; r < {rows}; r++) for (size_t c = 0; c < {columns}; c++) "
                f"at_{own.name}[r * {columns} + c] = arg[{i}] ? ({kind})arg[{i}][r + c * {rows}] : 0;"
            )
    ordered = [f"at_{n.name}" for n in unit.recorded.inputs]
    if unit.has_work:
        body.append(f"{unit.name}_work work;")
        ordered.append("&work")
    body += [f"{TYPES[n.kind]} at_{n.name}[{max(n.count, 1)}];" for n in unit.recorded.outputs]
    ordered += [f"at_{n.name}" for n in unit.recorded.outputs]
    body.append(f"{unit.name}({', '.join(ordered)});")
    for k, (source, m) in enumerate(matrices):
        if m.elements:
            stores = " ".join(f"res[{k}][{i}] = at_{source}[{at}];" for i, (_, _, at) in enumerate(m.elements))
            body.append(f"if (res[{k}]) {{ {stores} }}")
    lines += [f"    {line}" for line in (*body, "(void)iw; (void)w; (void)mem;", "return 0;")] + ["}"]
    results = [(label, m) for label, (_, m) in zip(names, matrices, strict=True)]
    return lines + _describe(full, arguments, results)


def _results(
    level: int, unit: Unit, inputs: list[Named], outputs: list[Named]
) -> tuple[list[tuple[str, _Matrix]], list[str]]:
    """Return for each result, in CasADi's order, the array that contains its elements, and their layout."""
    made = iter(unit.recorded.outputs)
    found: list[tuple[str, _Matrix]] = []
    names: list[str] = []
    if level == 0:
        for n in outputs:
            rows, columns = _shape(n)
            elements = [(r, c, r * columns + c) for r in range(rows) for c in range(columns)]
            found.append((n.name, _Matrix(rows, columns, elements)))
            names.append(n.name)
        return found, names
    if level == 1:
        for n in outputs:
            for x in inputs:
                own = next(made)
                found.append((own.name, _jacobian(unit, own, n, x)))
                names.append(f"jac_{n.name}_{x.name}")
        return found, names
    for n in outputs:
        for x in inputs:
            label = f"jac_{n.name}_{x.name}"
            size = n.window.numel * x.window.numel
            for z in inputs:
                own = next(made)
                found.append((own.name, _second(unit, own, n, x, z)))
                names.append(f"jac_{label}_{z.name}")
            for z in outputs:
                found.append(("", _Matrix(size, z.window.numel, [])))
                names.append(f"jac_{label}_out_{z.name}")
    return found, names


def _jacobian(unit: Unit, own: Named, n: Named, x: Named) -> _Matrix:
    zeros = unit.body.zeros.get(own.buffer.index, set())
    rows, columns = n.window.numel, x.window.numel
    row_of, column_of = _column_major(n), _column_major(x)
    elements = [
        (row_of[r], column_of[c], r * columns + c)
        for r in range(rows)
        for c in range(columns)
        if r * columns + c not in zeros
    ]
    return _Matrix(rows, columns, elements)


def _second(unit: Unit, own: Named, n: Named, x: Named, z: Named) -> _Matrix:
    """The Jacobian of a Jacobian: its rows are the elements of the first one, by columns."""
    zeros = unit.body.zeros.get(own.buffer.index, set())
    a, b, c = n.window.numel, x.window.numel, z.window.numel
    row_of, column_of, last_of = _column_major(n), _column_major(x), _column_major(z)
    elements = []
    for i in range(a):
        for j in range(b):
            for k in range(c):
                at = (i * b + j) * c + k
                if at not in zeros:
                    elements.append((row_of[i] + column_of[j] * a, last_of[k], at))
    return _Matrix(a * b, c, elements)


def _first_results(inputs: list[Named], outputs: list[Named]) -> list[tuple[str, _Matrix]]:
    """The results of the first Jacobian as arguments of the second, which reads none of them."""
    return [(f"jac_{n.name}_{x.name}", _Matrix(n.window.numel, x.window.numel, [])) for n in outputs for x in inputs]


def _describe(full: str, arguments: list[tuple[str, _Matrix]], results: list[tuple[str, _Matrix]]) -> list[str]:
    lines = []
    for way, items in (("in", arguments), ("out", results)):
        lines.append(f"EXPORTED casadi_int {full}_n_{way}(void) {{ return {len(items)}; }}")
        names = ", ".join(f'"{label}"' for label, _ in items)
        lines.append(f"EXPORTED const char *{full}_name_{way}(casadi_int i) {{ "
                     f"static const char *const names[] = {{{names}}}; "
                     f"return i < {len(items)} ? names[i] : 0; }}")  # fmt: skip
        lines.append(f"EXPORTED const casadi_int *{full}_sparsity_{way}(casadi_int i) {{")
        for k, (_, m) in enumerate(items):
            lines.append(f"    static const casadi_int s{k}[] = {{{m.sparsity()}}};")
        lines.append("    switch (i) {")
        lines += [f"    case {k}: return s{k};" for k in range(len(items))]
        lines += ["    default: return 0;", "    }", "}"]
    lines.append(
        f"EXPORTED int {full}_work(casadi_int *sz_arg, casadi_int *sz_res, casadi_int *sz_iw, casadi_int *sz_w) {{ "
        f"if (sz_arg) *sz_arg = {len(arguments)}; if (sz_res) *sz_res = {len(results)}; if (sz_iw) *sz_iw = 0; "
        "if (sz_w) *sz_w = 0; return 0; }"
    )
    return [*lines, ""]
