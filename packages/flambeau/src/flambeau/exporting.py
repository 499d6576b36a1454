"""The command ``flambeau export``: a function of a program as C, for CasADi or as WebAssembly.

flambeau export net.py:net --input 1x16                  net.h, net.c and net_test.c
flambeau export model.py:rhs --input 4:float64 --input 1:float64 --casadi
flambeau export net.py:step --wasm                       with ``examples = (x, y)`` in net.py
flambeau export net.py:net --input 1x16 --target thumb-freestanding-eabihf --cpu cortex_m4
"""

import argparse
import runpy
import sys
from pathlib import Path
from typing import Any

import flambeau as torch
from flambeau_compile.exporting import ExportError, export_c, export_wasm
from flambeau_compile.exporting.objects import sizes
from flambeau_compile.exporting.wasm import zig_cc

_EXAMPLES = "examples"


def main(arguments: list[str]) -> int:
    """Run the command line; return the exit status."""
    parser = argparse.ArgumentParser(prog="flambeau export", description="Write a function of tensors as C.")
    parser.add_argument("what", help="program.py:name of a function or module")
    parser.add_argument("--input", action="append", default=[], metavar="SIZES",
                        help="an argument: 1x16, 4:float64; left out, the program's tuple 'examples'")  # fmt: skip
    parser.add_argument("--name", help="of the C function and the files; left out, that of the function")
    parser.add_argument("--folder", default=".", help="where the files go")
    way = parser.add_mutually_exclusive_group()
    way.add_argument("--casadi", action="store_true", help="for casadi.external, with derivatives")
    way.add_argument("--wasm", action="store_true", help="WebAssembly and a module of JavaScript (needs ziglang)")
    way.add_argument("--cortex-m4", action="store_const", dest="target", const="thumb-freestanding-eabihf",
                     help="an object file for this processor, with its size (needs ziglang)")  # fmt: skip
    way.add_argument("--target", help="an object file for another machine, as zig names it")
    parser.add_argument("--cpu", help="the processor of a --target, as zig names it")
    given = parser.parse_args(arguments)
    file, colon, attribute = given.what.rpartition(":")
    if not colon or not attribute.isidentifier():
        parser.error(f"what to export is written program.py:name, not {given.what!r}")
    try:
        function, examples = _loaded(file, attribute, given.input)
        name = given.name or attribute
        if given.wasm:
            files = export_wasm(function, examples, given.folder, name)
        else:
            files = export_c(function, examples, given.folder, name, abi="casadi" if given.casadi else "plain")
        if given.target:
            cpu = given.cpu or ("cortex_m4+vfp4d16sp" if given.target.startswith("thumb") else None)
            files.append(_compiled(Path(given.folder), name, given.target, cpu))
    except (ExportError, OSError, AttributeError, ValueError, TypeError) as error:
        print(f"flambeau export: {error}", file=sys.stderr)
        return 1
    for path in files:
        print(f"{path}  {path.stat().st_size} bytes{_inside(path)}")
    return 0


def _inside(path: Path) -> str:
    """Return the size of the code and data in an object file."""
    if path.suffix != ".o":
        return ""
    try:
        found = sizes(path)
    except ValueError:  # another format, as Windows has it
        return ""
    return f": {found.code} of code, {found.constants} of constants, {found.memory} of memory"


def _loaded(file: str, attribute: str, inputs: list[str]) -> tuple[Any, tuple[Any, ...]]:
    """The function of a program's file, and its example arguments."""
    torch.install_as_torch()
    sys.path.insert(0, str(Path(file).resolve().parent))
    names = runpy.run_path(file)
    if attribute not in names:
        raise AttributeError(f"{file} has no {attribute!r}")
    if inputs:
        return names[attribute], tuple(map(_example, inputs))
    if not isinstance(names.get(_EXAMPLES), tuple):
        raise AttributeError(f"{file} has no tuple '{_EXAMPLES}' of arguments; give --input 1x16 for each of them")
    return names[attribute], names[_EXAMPLES]


def _example(text: str) -> Any:
    sizes, _, dtype = text.partition(":")
    try:
        shape = [int(n) for n in sizes.split("x") if n]
        kind = getattr(torch, dtype or "float32")
        if not isinstance(kind, torch.dtype):
            raise AttributeError
    except (ValueError, AttributeError):
        raise ValueError(f"an input is written 1x16 or 4:float64, not {text!r}") from None
    if not kind.is_floating_point:
        return torch.zeros(shape, dtype=kind)
    return torch.rand(shape, dtype=kind, generator=torch.Generator().manual_seed(0))


def _compiled(folder: Path, name: str, target: str, cpu: str | None) -> Path:
    """An object file for another machine, by zig's C compiler."""
    zig_cc([f"--target={target}", "-std=c99", "-Os", "-c", f"{name}.c", "-o", f"{name}.o", "-ffp-contract=off",
            "-fno-math-errno", "-fno-sanitize=undefined", "-ffunction-sections", *([f"-mcpu={cpu}"] if cpu else [])],
           folder)  # fmt: skip
    return folder / f"{name}.o"
