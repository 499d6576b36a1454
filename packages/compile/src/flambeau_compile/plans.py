"""Plans: compiled traces without references to this process, and their cache on disk.

A second process that traces the same calls finds the plan and skips lowering and printing. The key consists of all
their inputs: the words of the trace, the thread's state, the processor, and the package files that implement them.
"""

import contextlib
import functools
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy

import flambeau_autograd
import flambeau_nn
import flambeau_tensor
from flambeau_cext import cache
from flambeau_compile import build
from flambeau_compile._library import address_of, place_of
from flambeau_compile.graph import Check, Opaque, Product, Program, While, Window, draw, flat, is_undone
from flambeau_compile.loops import print_program as print_loops
from flambeau_compile.printing import Source
from flambeau_compile.scalars import TooLarge
from flambeau_compile.scalars import print_program as print_scalars

FORM = 3  # of the files
FEW = 100  # statements that are never printed as loops
PER_STEP, PER_PRODUCT = 40, 400  # statements that take as long as the start of a loop, or a call of BLAS
PER_ELEMENT = 0.1  # as an element in a loop


class Plan(NamedTuple):
    """A printed program, which refers to buffers by number.

    Attributes:
        text, level: the C code, and its optimization level.
        functions: addresses of eager functions and data that it receives, or bytes of data.
        addresses: the buffers whose addresses it receives, in order; those of the first `fixed` are known before it
            runs.
        arena: the size of its own memory in bytes.
        kernels: (index of the call in the trace, spots of its arguments, spots of its results, whether a call can start
            again in Python if it fails) of kernels that it calls.
        read, written: which of these buffers it reads and writes.
        draws, checks: whether it draws random numbers, and whether a check may make it give up.
        steps: the number of steps.
    """

    text: str
    level: str
    functions: list[Any]
    addresses: list[int]
    fixed: int
    arena: int
    kernels: list[Any]
    read: list[int]
    written: list[int]
    draws: bool
    checks: bool
    steps: int


class Found(NamedTuple):
    """The plans of a trace, and the buffers (with dtypes) that the first plan stores for the second."""

    plans: list[Plan]
    kept: list[tuple[int, str]]


def plan_of(program: Program, changing: frozenset[int] | None = None, *, scalars: bool = True) -> Plan:
    """Print a program.

    Args:
        program: the program.
        changing: if loops are to be printed in a general form (see `sizes`), the sizes that change.
        scalars: whether each element of a tiny program may be a variable.
    """
    source = Source(program)
    level = _as_scalars(program, source) if scalars else None
    if level is None:
        source, level = Source(program), "-O3"
        print_loops(program, source, changing)
    kernels = [(k, early) for step, early in _undone(program.steps) for k in flat((step,)) if isinstance(k, Opaque)]
    slots = {buffer.index: i for i, buffer in enumerate(source.addresses)}
    fixed = {buffer.index for buffer in source.addresses[: source.fixed]}
    return Plan(
        text=source.text(),
        level=level,
        functions=source.functions,
        addresses=list(slots),
        fixed=source.fixed,
        arena=source.arena,
        kernels=[
            (k.number, _spots(k.arguments, source, slots), _spots(k.results, source, slots), early)
            for k, early in kernels
        ],
        read=sorted(fixed & {w.buffer.index for step in program.steps for w in step.windows()}),
        written=sorted(fixed & {w.buffer.index for step in program.steps for w in step.written()}),
        draws=draw(program.steps),
        checks=any(isinstance(step, Check) for step in program.steps),
        steps=len(program.steps),
    )


def _undone(steps: list[Any]) -> Iterator[tuple[Any, bool]]:
    """Yield each step, and whether the caller notices nothing of the steps before it."""
    early = True
    for step in steps:
        yield step, early and (not isinstance(step, While) or is_undone(step))
        early = early and is_undone(step)


def _as_scalars(program: Program, source: Source) -> str | None:
    """Print a program with a variable for each element, and return the level at which to compile it.

    None means that loops are faster: nearly every element costs a statement, while loops compute several at a time.
    """
    try:
        print_scalars(program, source)
    except TooLarge:
        return None
    by_loops = 0.0
    for step in flat(program.steps):
        by_loops += PER_PRODUCT if isinstance(step, Product) else PER_STEP
        by_loops += PER_ELEMENT * sum(w.numel for w in step.written())
    if len(source.lines) > max(FEW, by_loops):
        return None
    return "-O2" if len(source.lines) <= build.LONG else "-O1"


def _spots(o: Any, source: Source, slots: dict[int, int]) -> Any:
    """Nested arguments of a kernel with (slot, start, bytes, dtype, sizes, strides, offset) for windows, else None."""
    if isinstance(o, Window):
        slot, start = slots.get(o.buffer.index), 0
        if slot is None:
            slot, start = len(slots), source.places[o.buffer.index]
        return [slot, start, o.buffer.nbytes, o.dtype, o.sizes, o.strides, o.offset]
    return [_spots(each, source, slots) for each in o] if isinstance(o, tuple) else None


# --- on disk --------------------------------------------------------------------------------------------------------


def key_of(words: bytes | None, *settings: Any) -> str | None:
    """Return the key of a trace, or None if its plan is of no use to other processes."""
    if words is None:
        return None
    return cache.digest(words, repr((FORM, settings)), build.processor(), *_packages())


@functools.cache
def _packages() -> list[str]:
    """Return the versions of the code that creates plans, and for its developers the state of its files."""
    found = [f"numpy {numpy.__version__}"]
    for package in (flambeau_tensor, flambeau_autograd, flambeau_nn):
        found += [package.__version__, *_files(Path(package.__file__ or "").parent, "ops")]
    found.append(_version())
    return [*found, *_files(Path(__file__).parent, "formulas")]


def _version() -> str:
    import flambeau_compile

    return flambeau_compile.__version__


def _files(folder: Path, inner: str) -> Iterator[str]:
    for place in (folder, folder / inner):
        with contextlib.suppress(FileNotFoundError):
            for entry in sorted(os.scandir(place), key=lambda entry: entry.name):
                if entry.name.endswith((".py", ".so", ".pyd")):
                    status = entry.stat()
                    yield f"{entry.name} {status.st_size} {status.st_mtime_ns}"


def _folder(key: str) -> cache.Folder:
    root = cache.root()
    cache.check_root(root)
    return cache.Folder(root / f"plan-{key}")


def find(key: str | None) -> Found | None:
    """Return a stored plan; None if there is none, or if it does not match this process."""
    if key is None:
        return None
    try:
        entry = _folder(key).lookup()
        if entry is None:
            return None
        plans, kept = json.loads(entry.path.read_bytes())
    except (OSError, ValueError):
        return None
    found = []
    for row in plans:
        plan = Plan(*row)
        functions = [_resolved(each) for each in plan.functions]
        if None in functions:
            return None
        found.append(plan._replace(functions=functions))
    return Found(found, [tuple(each) for each in kept])


def store(key: str | None, found: Found) -> None:
    """Store a plan for other processes, if the cache is writable and the plan's references are valid there."""
    if key is None:
        return
    plans = []
    for plan in found.plans:
        functions = [_portable(each) for each in plan.functions]
        if None in functions:
            return
        plans.append(plan._replace(functions=functions))
    with contextlib.suppress(OSError):
        folder = _folder(key)
        with folder.building() as scratch:
            file = scratch / "plans"
            file.write_text(json.dumps([plans, found.kept]), encoding="utf-8")
            folder.publish(file, ".plan", [], 0)


def _portable(function: Any) -> Any:
    """Return an address as (file, its size, its time, offset), data as text; None if it is in no file."""
    if isinstance(function, bytes):
        return ["data", function.hex()]
    if isinstance(function, str):
        return ["name", function]
    place = place_of(function)
    if place is None or not os.path.isabs(place[0]):
        return None
    return ["file", *_file(place[0]), *place]


def _resolved(function: Any) -> Any:
    kind, *rest = function
    if kind == "data":
        return bytes.fromhex(rest[0])
    if kind == "name":
        return rest[0]
    size, changed, path, place = rest
    try:
        return address_of(path, place) if _file(path) == (size, changed) else None
    except OSError:
        return None


@functools.cache
def _file(path: str) -> tuple[int, int]:
    status = os.stat(path)
    return status.st_size, status.st_mtime_ns
