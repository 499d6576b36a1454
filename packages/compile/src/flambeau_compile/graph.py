"""A program as the compiler sees it: memory, windows on it, and steps that read and write through windows.

The representation is not functional: a step changes the contents of a window, and all other windows on this memory
change with it. In-place operators and views are therefore exact and need no special rules.
"""

import functools
import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import flambeau_tensor as ft

ITEMSIZE = {
    "bool": 1, "uint8": 1, "int8": 1, "int16": 2, "uint16": 2, "int32": 4, "uint32": 4, "int64": 8, "uint64": 8,
    "float32": 4, "float64": 8, "float16": 2, "bfloat16": 2, "complex32": 4, "complex64": 8, "complex128": 16,
}  # fmt: skip
C_TYPES = {
    "bool": "b8", "uint8": "u8", "int8": "i8", "int16": "i16", "uint16": "u16", "int32": "i32", "uint32": "u32",
    "int64": "i64", "uint64": "u64", "float32": "f32", "float64": "f64",
}  # fmt: skip
COMPUTED = frozenset(C_TYPES)  # programs compute in these, and move elements of the others
C_TYPES.update(float16="h16", bfloat16="g16", complex32="c32", complex64="c64", complex128="c128")


class Uncompilable(Exception):
    """Why a program cannot be compiled; its text ends a sentence that begins "it runs eagerly: "."""


class Buffer:
    """One block of memory.

    Attributes:
        index: its number in the program.
        nbytes: how large it is.
        tensor: for memory that was there before the program ran, a tensor that shows it; else None.
        lasts: whether it is needed after the program: it is a result, or a gradient.
    """

    __slots__ = ("index", "lasts", "nbytes", "tensor")

    def __init__(self, index: int, nbytes: int, tensor: Any = None) -> None:
        self.index, self.nbytes, self.tensor, self.lasts = index, nbytes, tensor, False

    def __repr__(self) -> str:
        return f"<buffer {self.index}{' given' if self.tensor is not None else ''}, {self.nbytes} bytes>"


class Window(NamedTuple):
    """Elements of a buffer; offset and strides count elements."""

    buffer: Buffer
    dtype: str
    offset: int
    sizes: tuple[int, ...]
    strides: tuple[int, ...]

    @property
    def numel(self) -> int:
        return math.prod(self.sizes)

    @property
    def contiguous(self) -> bool:
        return self.strides == row_major(self.sizes) or all(
            size == 1 or stride == expected
            for size, stride, expected in zip(self.sizes, self.strides, row_major(self.sizes), strict=True)
        )

    def broadcast(self, sizes: tuple[int, ...]) -> "Window":
        """The same elements, repeated to larger sizes."""
        if self.sizes == sizes:
            return self
        lead = len(sizes) - len(self.sizes)
        strides = [0] * lead
        for own, size, stride in zip(self.sizes, sizes[lead:], self.strides, strict=True):
            strides.append(0 if own == 1 and size != 1 else stride)
        return self._replace(sizes=tuple(sizes), strides=tuple(strides))

    def permute(self, order: tuple[int, ...]) -> "Window":
        return self._replace(sizes=tuple(self.sizes[d] for d in order), strides=tuple(self.strides[d] for d in order))

    def t(self) -> "Window":
        """The last two dimensions exchanged."""
        n = len(self.sizes)
        return self.permute((*range(n - 2), n - 1, n - 2))

    def select(self, dim: int, index: int) -> "Window":
        offset = self.offset + index * self.strides[dim]
        sizes, strides = list(self.sizes), list(self.strides)
        del sizes[dim], strides[dim]
        return self._replace(offset=offset, sizes=tuple(sizes), strides=tuple(strides))

    def narrow(self, dim: int, start: int, length: int, step: int = 1) -> "Window":
        sizes, strides = list(self.sizes), list(self.strides)
        offset = self.offset + start * strides[dim]
        sizes[dim], strides[dim] = length, strides[dim] * step
        return self._replace(offset=offset, sizes=tuple(sizes), strides=tuple(strides))

    def unsqueeze(self, dim: int) -> "Window":
        sizes, strides = list(self.sizes), list(self.strides)
        sizes.insert(dim, 1)
        strides.insert(dim, 0)
        return self._replace(sizes=tuple(sizes), strides=tuple(strides))

    def elements(self) -> Sequence[int]:
        """The place of each element in the buffer, in elements, in row-major order of the window."""
        if self.strides == row_major(self.sizes):
            return range(self.offset, self.offset + self.numel)
        places = [self.offset]
        for size, stride in zip(self.sizes, self.strides, strict=True):
            places = [place + i * stride for place in places for i in range(size)]
        return places

    def overlaps(self, other: "Window") -> bool:
        """Return True if the two may share an element without being the same window."""
        if self.buffer is not other.buffer or self[1:] == other[1:]:
            return False
        low, high = self.span()
        other_low, other_high = other.span()
        return low < other_high and other_low < high

    def span(self) -> tuple[int, int]:
        """Return the first byte that the window may access, and the end of the last one."""
        low = high = self.offset
        for size, stride in zip(self.sizes, self.strides, strict=True):
            if size == 0:
                return 0, 0
            if stride < 0:
                low += (size - 1) * stride
            else:
                high += (size - 1) * stride
        item = ITEMSIZE[self.dtype]
        return low * item, (high + 1) * item


@functools.lru_cache(4096)
def row_major(sizes: tuple[int, ...]) -> tuple[int, ...]:
    """The strides of a contiguous tensor."""
    strides, n = [], 1
    for size in reversed(sizes):
        strides.append(n)
        n *= max(size, 1)
    return tuple(reversed(strides))


class Number(NamedTuple):
    """A Python number among the operands."""

    value: Any


class Map(NamedTuple):
    """``out[i] = function(inputs[0][i], …)``: every input has the sizes of ``out``.

    Inputs are converted to the dtypes ``reads``; the function's value, of dtype ``writes``, is converted to that of
    ``out``. ``loop`` and ``data`` are the address of eager's inner loop, if there is one, and its parameters or their
    address.
    """

    function: str
    reads: tuple[str, ...]
    writes: str
    inputs: tuple[Any, ...]  # Window or Number
    out: Window
    loop: int = 0
    data: Any = 0

    def windows(self) -> list[Window]:
        return [w for w in self.inputs if isinstance(w, Window)]

    def written(self) -> list[Window]:
        return [self.out]


class Reduce(NamedTuple):
    """``out = kind over dims of input``; ``out`` does not have the reduced dimensions. ``divisor`` divides sums."""

    kind: str  # "sum", "max" and others of hot/reductions, or "losses", a sum of all as losses add
    input: Window
    dims: tuple[int, ...]
    out: Window
    divisor: float | None = None

    def windows(self) -> list[Window]:
        return [self.input]

    def written(self) -> list[Window]:
        return [self.out]


class Product(NamedTuple):
    """``out = a @ b``, or ``out += a @ b`` with ``add``, over the last two dimensions; others are batch dimensions."""

    a: Window
    b: Window
    out: Window
    add: bool = False

    def windows(self) -> list[Window]:
        return [self.a, self.b, self.out] if self.add else [self.a, self.b]

    def written(self) -> list[Window]:
        return [self.out]


class Call(NamedTuple):
    """C that calls loops of eager's on dense windows: ``text`` has ``$0$``, ``$1$`` … for the addresses of `outs`, then
    of `inputs`, and ``#0#`` … for `functions`, which are their addresses."""

    text: str
    functions: tuple[int, ...]
    inputs: tuple[Window, ...]
    outs: tuple[Window, ...]

    def windows(self) -> list[Window]:
        return list(self.inputs)

    def written(self) -> list[Window]:
        return list(self.outs)


class Opaque(NamedTuple):
    """A call of an operator's kernel. ``arguments`` have Windows for tensors; results are copied to ``results``;
    ``number`` is that of the call in the trace."""

    op: Any
    arguments: tuple[Any, ...]
    results: tuple[Any, ...]  # Window, or None for other values
    writes: tuple[Window, ...]  # arguments that it writes to
    number: int = -1

    def windows(self) -> list[Window]:
        return list(leaves(self.arguments))

    def written(self) -> list[Window]:
        return [*(w for w in self.results if w is not None), *self.writes]


class Update(NamedTuple):
    """An optimizer's update of one parameter; ``step`` fills in its coefficients, the ``position``-th of all."""

    step: Any
    position: int
    key: str
    variant: Any
    arrays: tuple[Window | None, ...]  # the parameter, its gradient, its states

    def windows(self) -> list[Window]:
        return [w for w in self.arrays if w is not None]

    def written(self) -> list[Window]:
        return [w for i, w in enumerate(self.arrays) if w is not None and i != 1]


class Check(NamedTuple):
    """The program saw that an element has this value, and took the way that it took because of it."""

    input: Window
    value: Any
    what: str

    def windows(self) -> list[Window]:
        return [self.input]

    def written(self) -> list[Window]:
        return []


class While(NamedTuple):
    """``while True: test; if not flag: break; body``, or a fixed number of iterations of `body`."""

    test: tuple[Any, ...]
    flag: Window | None  # None: `turns` is the number of iterations
    body: tuple[Any, ...]
    carried: tuple[Window, ...]  # values that an iteration passes to the next one
    turns: int = 0
    counter: str = ""  # the variable in C that counts them

    def windows(self) -> list[Window]:
        flag = [] if self.flag is None else [self.flag]
        return [w for step in (*self.test, *self.body) for w in step.windows()] + [*flag, *self.carried]

    def written(self) -> list[Window]:
        return [w for step in (*self.test, *self.body) for w in step.written()]


Step = Map | Reduce | Product | Call | Opaque | Update | Check | While


def flat(steps: Any) -> Iterator[Any]:
    """All steps, those in loops included, in the order in which they are printed."""
    for step in steps:
        if isinstance(step, While):
            yield from flat(step.test)
            yield from flat(step.body)
        else:
            yield step


def draws(op: Any) -> bool:
    """Return True if an operator draws random numbers."""
    return any("Generator" in a.type for a in op.schema.arguments) or "dropout" in op.name


def draw(steps: Any) -> bool:
    """Return True if any of some steps draws random numbers."""
    return any(isinstance(step, Opaque) and draws(step.op) for step in flat(steps))


def is_noticed(step: Step) -> bool:
    """Return True if a caller could notice that a step ran, even if the program then gave up."""
    return isinstance(step, Update) or any(w.buffer.tensor is not None for w in step.written()) or draw((step,))


def is_undone(step: Step) -> bool:
    """Whether a program may give up after a step: the caller notices nothing, or only that the default generator was
    used, which the call undoes."""
    if not is_noticed(step):
        return True
    own = (o for each in flat((step,)) if isinstance(each, Opaque) for o in each.arguments)
    return all(w.buffer.tensor is None for w in step.written()) and not (
        isinstance(step, Update) or any(isinstance(o, ft.Generator) for o in own)
    )


def leaves(o: Any) -> Iterator[Window]:
    """All windows among nested arguments."""
    if isinstance(o, Window):
        yield o
    elif isinstance(o, (tuple, list)):
        for each in o:
            yield from leaves(each)


def moved(o: Any, buffers: dict[int, Buffer]) -> Any:
    """Return a step, or part of one, with buffers replaced according to their numbers."""
    if isinstance(o, Window):
        return o._replace(buffer=buffers.get(o.buffer.index, o.buffer))
    if isinstance(o, tuple):
        items = [moved(each, buffers) for each in o]
        return type(o)(*items) if hasattr(o, "_fields") else tuple(items)
    return o


class Program:
    """Buffers and steps in order; ``outputs`` are the windows that are returned to the caller."""

    def __init__(self) -> None:
        self.buffers: list[Buffer] = []
        self.steps: list[Step] = []
        self.start = 0  # the index of the first step of the second part, if there is one

    def buffer(self, nbytes: int, tensor: Any = None) -> Buffer:
        self.buffers.append(Buffer(len(self.buffers), nbytes, tensor))
        return self.buffers[-1]

    def given(self) -> list[Buffer]:
        """The buffers that were there before."""
        return [b for b in self.buffers if b.tensor is not None]

    def advance_last(self) -> bool:
        """Move the last step, with the steps that it needs, before all steps of its part that a caller could notice.

        Draws from the default generator may be among them, since a program that gives up takes them back.

        Returns:
            Whether a program may give up at this step. If another step prevents the move, nothing is moved.
        """
        *before, last = self.steps
        first = next((i for i in range(self.start, len(before)) if is_noticed(before[i])), len(before))
        needed = {w.buffer.index for w in last.windows()}
        taken, left, changed = [last], [], {w.buffer.index for w in last.written()}
        drawn = draw((last,))  # draws from the default generator move together, so that their order stays
        for step in reversed(before[first:]):
            written = {w.buffer.index for w in step.written()}
            is_drawn = draw((step,))
            if (written & needed or drawn and is_drawn) and is_undone(step):
                drawn |= is_drawn
                taken.append(step)
                needed.update(w.buffer.index for w in step.windows())
                changed |= written
            elif (
                (drawn and is_drawn)
                or (written | {w.buffer.index for w in step.windows()}) & (needed if written & needed else changed)
            ):  # fmt: skip
                return all(map(is_undone, self.steps[self.start :]))
            else:
                left.append(step)
        self.steps = [*before[:first], *reversed(taken), *reversed(left)]
        return True

    def remove_dead_steps(self) -> None:
        """Remove steps whose results are never read, from the last to the first."""
        needed = {b.index for b in self.buffers if b.lasts or b.tensor is not None}
        kept = []
        for step in reversed(self.steps):
            written = {w.buffer.index for w in step.written()}
            if isinstance(step, (Opaque, Check)) or written & needed:
                kept.append(step)
                needed.update(w.buffer.index for w in step.windows())
        self.steps = kept[::-1]

    def remove_copies(self) -> None:
        """If a whole buffer is copied to another one and then not used, let its steps write to that one."""
        first: dict[int, int] = {}  # by the number of a buffer, which step is the first that touches it, and the last
        last: dict[int, int] = {}
        for i, step in enumerate(self.steps):
            for w in (*step.windows(), *step.written()):
                first.setdefault(w.buffer.index, i)
                last[w.buffer.index] = i
        places: dict[int, Buffer] = {}
        kept = []
        for i in reversed(range(len(self.steps))):
            step = self.steps[i]
            if isinstance(step, Map) and _copies_all(step):
                (source,), out = step.inputs, step.out
                if last[source.buffer.index] == i and first[out.buffer.index] == i:
                    places[source.buffer.index] = places.get(out.buffer.index, out.buffer)
                    continue
            kept.append(moved(step, places) if places else step)
        self.steps = kept[::-1]


def _copies_all(step: Map) -> bool:
    """Whether a step copies a whole temporary buffer to another new one."""
    source, out = step.inputs[0], step.out
    if step.function != "copy" or not isinstance(source, Window) or source.buffer is out.buffer:
        return False
    if {source.dtype, step.reads[0], step.writes} != {out.dtype} or source[2:] != out[2:] or out.offset:
        return False
    whole = out.numel * ITEMSIZE[out.dtype] == out.buffer.nbytes == source.buffer.nbytes and not any(
        size > 1 and stride == 0 for size, stride in zip(out.sizes, out.strides, strict=True)
    )
    return whole and source.buffer.tensor is None and out.buffer.tensor is None and not source.buffer.lasts
