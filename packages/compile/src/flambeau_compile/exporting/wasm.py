"""A function as WebAssembly, for a page, Node and other hosts: a ``.wasm`` file and a small module around it.

The C is that of `files`; the compiler is zig's, from the package ``ziglang``, with a C library for this target.
"""

import importlib.util
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from flambeau_compile.exporting.files import Unit, check_name, write
from flambeau_compile.exporting.language import TYPES
from flambeau_compile.exporting.recorded import ExportError, record

_FLAGS = ("--target=wasm32-wasi", "-mexec-model=reactor", "-std=c99", "-O3", "-msimd128", "-ffp-contract=off",
          "-fno-math-errno", "-fno-sanitize=undefined", "-s")  # fmt: skip
_ARRAYS = {"float": "Float32Array", "double": "Float64Array", "int64_t": "BigInt64Array", "int32_t": "Int32Array",
           "int16_t": "Int16Array", "int8_t": "Int8Array", "uint8_t": "Uint8Array", "uint16_t": "Uint16Array",
           "uint32_t": "Uint32Array", "uint64_t": "BigUint64Array"}  # fmt: skip


def export_wasm(
    function: Callable[..., Any], examples: tuple[Any, ...], folder: str | Path, name: str = "net"
) -> list[Path]:
    """Write a function as ``name.wasm``, and ``name.mjs``, which loads it.

    In JavaScript, ``const net = await load(bytes)`` returns an object with a typed array for each argument and result,
    ``net.run()``, which reads the former and fills the latter, and, if the function has a state, ``net.init()``, which
    resets it, and ``net.state``, whose numbers (``lr``) can be set.

    Args:
        function: a function, method or module, as for `export_c`.
        examples: a tuple of its arguments.
        folder: the folder for the files; it is created if necessary.
        name: the name of the files and of the function.

    Returns:
        The two files.

    Raises:
        ExportError: the function does something without a form in C, or the compiler from the package ``ziglang`` is
            missing.

    >>> import tempfile
    >>> import flambeau_tensor as ft
    >>> files = export_wasm(lambda x: (x * x).sum(), (ft.ones(3),), tempfile.mkdtemp(), "norm")
    >>> [f.name for f in files]
    ['norm.wasm', 'norm.mjs']
    """
    check_name("export_wasm", name, examples)
    if importlib.util.find_spec("ziglang") is None:
        raise ExportError("WebAssembly is built by zig's C compiler: pip install 'flambeau-compile[zig]'")
    unit = Unit(record(function, examples), name, "static", math="single")
    with tempfile.TemporaryDirectory() as scratch:
        place = Path(scratch)
        (place / f"{name}.h").write_text(unit.header(), encoding="utf-8")
        (place / f"{name}.c").write_text(unit.source(), encoding="utf-8")
        (place / "around.c").write_text(around(unit), encoding="utf-8")
        exports = [f"-Wl,--export={each}" for each in _exports(unit)]
        zig_cc([*_FLAGS, *exports, f"{name}.c", "around.c", "-o", "out.wasm"], place)
        code = (place / "out.wasm").read_bytes()
    return write(folder, {f"{name}.wasm": code, f"{name}.mjs": _loader(unit)})


def zig_cc(arguments: list[str], folder: Path) -> None:
    """Run zig's C compiler in a folder.

    Raises:
        ExportError: it fails, or is not there.
    """
    command = [sys.executable, "-m", "ziglang", "cc", *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ExportError(f"zig's C compiler failed: {done.stderr.strip()[-500:]}")


def _arrays(unit: Unit) -> list[tuple[str, str, int]]:
    """Name, C type and elements of each argument and result."""
    r = unit.recorded
    return [(n.name, TYPES[n.kind], max(n.count, 1)) for n in (*r.inputs, *r.outputs)]


def _fields(unit: Unit) -> list[tuple[str, str, int]]:
    states = [(n.name, TYPES[n.kind], max(n.count, 1)) for n in unit.recorded.states]
    return [*((field, "double", 1) for field in unit.scalars), *states]


def _exports(unit: Unit) -> list[str]:
    names = ["at_" + name for name, _, _ in _arrays(unit)] + ["at_state_" + name for name, _, _ in _fields(unit)]
    return ["run", *(["init"] if unit.has_state else []), *names]


def around(unit: Unit) -> str:
    """Return C code that holds the memory and returns its addresses."""
    name = unit.name
    lines = [f'#include "{name}.h"', *(f"static {kind} array_{each}[{n}];" for each, kind, n in _arrays(unit))]
    lines += [f"static {name}_state state;"] * unit.has_state + [f"static {name}_work work;"] * unit.has_work
    lines += [f"void *at_{each}(void) {{ return array_{each}; }}" for each, _, _ in _arrays(unit)]
    for each, _, _ in _fields(unit):
        lines.append(f"void *at_state_{each}(void) {{ return (void *)&state.{each}; }}")
    r = unit.recorded
    arguments = [f"array_{n.name}" for n in r.inputs] + ["&state"] * unit.has_state + ["&work"] * unit.has_work
    arguments += [f"array_{n.name}" for n in r.outputs]
    lines.append(f"void run(void) {{ {name}({', '.join(arguments)}); }}")
    lines += [f"void init(void) {{ {name}_init(&state); }}"] * unit.has_state
    return "\n".join([*lines, ""])


def _loader(unit: Unit) -> str:
    """The module of JavaScript."""
    rows = [f"    {each}: new {_ARRAYS[kind]}(c.memory.buffer, c.at_{each}(), {n})," for each, kind, n in _arrays(unit)]
    states = [
        f"      {each}: new {_ARRAYS[kind]}(c.memory.buffer, c.at_state_{each}(), {n}),"
        for each, kind, n in _fields(unit)
    ]
    state = ["    init: c.init,", "    state: {", *states, "    },"] if unit.has_state else []
    return "\n".join([
        f"// {unit.name}: exported by flambeau. load(bytes of {unit.name}.wasm) gives the function with its memory.",
        "export async function load(bytes) {",
        "  const { instance } = await WebAssembly.instantiate(bytes, { wasi_snapshot_preview1: {} });",
        "  const c = instance.exports;",
        "  if (c._initialize) c._initialize();",
        *(["  c.init();"] if unit.has_state else []),
        "  return {",
        "    run: c.run,",
        *state,
        *rows,
        "  };",
        "}",
        "",
    ])  # fmt: skip
