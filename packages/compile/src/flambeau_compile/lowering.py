"""Lowering a trace to a Program: the formula of each kernel converts its call to steps.

Views need no steps, because steps contain windows. A kernel without a formula becomes an Opaque step.
"""

import functools
import re
from typing import Any

import flambeau_tensor as ft
from flambeau_compile._storages import Storages
from flambeau_compile.formulas import find
from flambeau_compile.functions import expression
from flambeau_compile.graph import (
    C_TYPES,
    COMPUTED,
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
    Step,
    Uncompilable,
    Window,
    leaves,
    row_major,
)
from flambeau_compile.reading import whose
from flambeau_tensor.extend import Elementwise, plan
from flambeau_tensor.extend import Window as Seen

_FLOATS = ("float32", "float64")
_DIVISIONS = frozenset(("div", "floor_divide", "remainder", "fmod"))
# Words in the names of operators whose kernels raise an error for some values of elements.
_FAILING = re.compile(
    "linalg|cholesky|lu_|index|gather|scatter|take|put|embedding|nll|cross_entropy|margin|ctc|multinomial|bernoulli(?!_)|poisson|"
    "binomial|normal(?!_)|gamma|dirichlet|one_hot|bincount|histogram|unpool|assert"
)


@functools.cache
def may_fail(op: Any) -> bool:
    """Whether a kernel may raise an error that depends on elements."""
    name = op.__torch_name__
    return name.startswith("torch.ops.") or _FAILING.search(name) is not None


class Builder:
    """A Program in the making; formulas add steps to it through these methods."""

    def __init__(self) -> None:
        self.program = Program()
        self.storages = Storages(self.program, name_of)
        self.call_number = -1  # of the call that is being lowered, among all

    # --- memory ---------------------------------------------------------------------------------------------------

    def window(self, seen: Seen, made: bool = False) -> Window:
        """Convert a tensor that a Tracer saw to a window of the program; ``made``: the current kernel created it."""
        found: Window = self.storages.window(seen, made)
        return found

    def name_memory(self, seen: Seen, buffer: Buffer) -> None:
        """Use memory that no kernel allocated as a buffer."""
        self.storages.name_memory(seen, buffer)

    def is_known(self, seen: Seen) -> bool:
        return bool(self.storages.is_known(seen))

    def temporary(self, dtype: str, sizes: tuple[int, ...]) -> Window:
        """Fresh memory for a contiguous tensor."""
        n = ITEMSIZE[dtype]
        for size in sizes:
            n *= size
        return Window(self.program.buffer(n), dtype, 0, tuple(sizes), row_major(tuple(sizes)))

    def temporary_like(self, w: Window) -> Window:
        """Fresh memory with the strides of a window, or for a contiguous tensor if these leave gaps or overlap."""
        order = tuple(sorted(range(len(w.sizes)), key=lambda d: -w.strides[d]))
        fresh = self.temporary(w.dtype, w.permute(order).sizes)
        if fresh.strides != w.permute(order).strides:
            return fresh._replace(sizes=w.sizes, strides=row_major(w.sizes))
        return fresh._replace(sizes=w.sizes, strides=w.strides)

    # --- steps ----------------------------------------------------------------------------------------------------

    def emit(self, step: Step) -> None:
        self.program.steps.append(step)

    def map(
        self,
        function: str,
        *inputs: Any,
        out: Window | None = None,
        dtype: str | None = None,
        reads: tuple[str, ...] | None = None,
        writes: str | None = None,
        loop: int = 0,
        data: Any = 0,
    ) -> Window:
        """``out = function(inputs…)``, elementwise; inputs are broadcast to ``out``, which is created if not given.

        Args:
            function: a name of `flambeau_compile.functions`.
            inputs: windows and Python numbers.
            out: the window for results.
            dtype: the dtype of the computation; default: that of the first window.
            reads, writes: dtypes of the operands and of the function's value, if they differ from it.
            loop, data: eager's inner loop.
        """  # fmt: skip
        windows = [w for w in inputs if isinstance(w, Window)]
        if dtype is None:
            dtype = windows[0].dtype if windows else out.dtype if out is not None else "float32"
        reads = (dtype,) * len(inputs) if reads is None else reads
        writes = dtype if writes is None else writes
        if out is None:
            out = self.temporary(writes, broadcast_sizes([w.sizes for w in windows]))
        target = out
        if any(w.buffer is out.buffer and w.broadcast(out.sizes).overlaps(out) for w in windows) or _repeats(out):
            target = self.temporary(out.dtype, out.sizes)
        operands = tuple(
            w.broadcast(out.sizes) if isinstance(w, Window) else Number(bool(w) if read == "bool" else w)
            for w, read in zip(inputs, reads, strict=True)
        )
        self.emit(Map(function, reads, writes, operands, target, loop, data))
        if target is not out:
            self.emit(Map("copy", (out.dtype,), out.dtype, (target,), out))
        return out

    def copy(self, source: Any, out: Window) -> Window:
        """``out[...] = source``, converted to the dtype of ``out``."""
        dtype = source.dtype if isinstance(source, Window) else out.dtype
        return self.map("copy", source, out=out, reads=(dtype,), writes=dtype)

    def reduce(
        self,
        kind: str,
        input: Window,
        dims: tuple[int, ...],
        out: Window | None = None,
        divisor: float | None = None,
        dtype: str | None = None,
    ) -> Window:
        """``out = kind over dims``; ``out`` has the remaining dimensions. The mean of no elements is nan."""
        kept = tuple(size for d, size in enumerate(input.sizes) if d not in dims)
        if out is None:
            out = self.temporary(dtype or input.dtype, kept)
        if out.buffer is input.buffer:
            raise Uncompilable("a reduction writes to its own input")
        if input.numel == 0:
            nothing = 1 if kind in ("prod", "min") else 0  # of truths, min is all()
            return self.copy(nothing if divisor is None else float("nan"), out) if out.numel else out
        self.emit(Reduce(kind, input, tuple(sorted(dims)), out._replace(sizes=kept, strides=out.strides), divisor))
        return out

    def product(self, a: Window, b: Window, out: Window | None = None, add: bool = False) -> Window:
        """``out = a @ b`` for two or more dimensions, whose batches are broadcast; with ``add``, ``out += a @ b``."""
        batches = broadcast_sizes([a.sizes[:-2], b.sizes[:-2]])
        sizes = (*batches, a.sizes[-2], b.sizes[-1])
        if out is None:
            out = self.temporary(a.dtype, sizes)
        a, b = (self._factor(w).broadcast((*batches, *w.sizes[-2:])) for w in (a, b))
        target = out
        if out.buffer in (a.buffer, b.buffer) or (out.strides[-1] != 1 and out.sizes[-1] != 1):
            target = self.temporary(out.dtype, out.sizes)
            if add:
                self.copy(out, target)
        self.emit(Product(a, b, target, add))
        if target is not out:
            self.copy(target, out)
        return out

    def _factor(self, w: Window) -> Window:
        """Return a factor with contiguous rows or columns, as eager's products need it."""
        (rows, columns), (row, column) = w.sizes[-2:], w.strides[-2:]
        row, column = row if rows > 1 else columns, column if columns > 1 else 1
        fits = (column == 1 and row >= columns) or (row == 1 and column >= rows) or (rows == 1 and column >= 1)
        return w if fits else self.dense(w)

    def dense(self, source: Window, dtype: str | None = None) -> Window:
        """Return the elements in row-major order, converted to `dtype`; the window itself if it has this form."""
        dtype = dtype or source.dtype
        if source.contiguous and source.dtype == dtype:
            return source
        return self.copy(source, self.temporary(dtype, source.sizes))

    def loops(self, text: str, functions: list[int], inputs: list[Window], *outs: Window) -> None:
        """Add C code that calls loops of eager (see `Call`), with dense copies of windows that are not dense."""
        given = [self.dense(w) for w in inputs]
        made = [
            w if w.contiguous and not any(w.buffer is i.buffer for i in given) else self.temporary(w.dtype, w.sizes)
            for w in outs
        ]
        self.emit(Call(text, tuple(functions), tuple(given), tuple(made)))
        for w, target in zip(made, outs, strict=True):
            if w is not target:
                self.copy(w, target)

    # --- records --------------------------------------------------------------------------------------------------

    def call(self, op: Any, arguments: tuple[Any, ...], result: Any) -> None:
        """Add a kernel's call."""
        self.lower(op, arguments, result, self.storages.meet(op, arguments, result))

    def lower(self, op: Any, arguments: tuple[Any, ...], result: Any, known: list[bool]) -> None:
        """Add the steps of a call; `known` tells for each result tensor whether its memory existed before."""
        args = self._given(arguments)
        if type(result) is Seen:
            results = self.window(result)
            outs = [results]
        else:
            results = self._given(result)
            outs = list(leaves(results))
        base, written = _of_operator(op)
        writes = op.writes or any(arguments[i] is not None for i in written)
        if outs and all(known) and not writes:
            return  # a view, or an argument returned unchanged
        if writes and any(map(_repeats, outs)):
            raise Uncompilable("it writes to a tensor that shows an element twice")
        supported = all([w.dtype in COMPUTED for w in (*leaves(args), *outs)])
        if supported and outs and isinstance(base.implementation, Elementwise) and len(outs) == 1:
            if self._elementwise(op, arguments, args, outs[0]):
                return
        formula = find(base) if supported else None
        if formula is not None:
            before = len(self.program.steps), len(self.program.buffers)
            if formula(self, args, results) is not NotImplemented:
                return
            del self.program.steps[before[0] :], self.program.buffers[before[1] :]
        self._opaque(op, args, results, outs, known, writes)

    def _given(self, o: Any) -> Any:
        """Replace the tensors that a Tracer saw by windows, in nested values."""
        if type(o) is Seen:
            return self.storages.window(o)
        if isinstance(o, tuple):
            return tuple([self._given(each) for each in o])
        return o

    def _elementwise(self, op: Any, seen: tuple[Any, ...], args: tuple[Any, ...], out: Window) -> bool:
        tensors = tuple(_tensors(each) for each in seen)
        p = plan(op, tensors)
        if p is None:
            return False
        reads = tuple(dtype_name(d) for d in p.reads)
        writes = dtype_name(p.writes)
        if not {*reads, writes} <= COMPUTED or dtype_name(p.result) != writes:
            return False
        operands = list(args[: len(reads)])
        name = _of_operator(op)[0].name
        if type(p.alpha) is not int or p.alpha != 1:
            name = f"{name}_scaled"
            if expression(name, (C_TYPES[reads[0]],) * 3):
                operands, reads = [*operands, p.alpha], (*reads, reads[0])
        if name in _DIVISIONS and "int" in reads[1] and isinstance(operands[1], Window) and out.numel:
            self._check_divisor(op, operands[1], reads[1])
        if p.mode is not None:
            name = f"{name}_{p.mode}"
        self.map(name, *operands, out=out, reads=reads, writes=writes, loop=p.loop, data=p.data)
        return True

    def _check_divisor(self, op: Any, divisor: Window, dtype: str) -> None:
        """Check that no divisor is zero, which is an error for integers."""
        whole = divisor if divisor.dtype == dtype else self.copy(divisor, self.temporary(dtype, divisor.sizes))
        flags = self.copy(whole, self.temporary("bool", whole.sizes))
        found = self.reduce("min", flags, tuple(range(len(flags.sizes)))) if flags.sizes else flags
        self._emit_check(Check(found, True, op.__torch_name__))

    def _check(self, op: Any, args: tuple[Any, ...], result: Any) -> None:
        """Add a check that a number that Python read from a tensor is the same in later calls."""
        first: Any = args[0] if args else None
        alone = isinstance(first, Window) and first.numel == 1 and len(list(leaves(args))) == 1
        if not alone or first.dtype not in COMPUTED or not isinstance(result, (bool, int, float)):
            raise Uncompilable(f"{op.__torch_name__} hands out what stands in a tensor")
        truth = isinstance(result, bool) and first.dtype != "bool"
        if truth:
            flag = self.temporary("bool", ())
            self.copy(first._replace(sizes=(), strides=()), flag)
            first = flag
        self._emit_check(Check(first, result, op.__torch_name__))

    def _emit_check(self, check: Check) -> None:
        self.emit(check)
        if not self.program.advance_last():
            raise Uncompilable(
                f"{check.what} reads a number that depends on memory of the caller's that was written to, on an "
                "optimizer's step or on a generator's numbers; return the tensor, and read the number outside"
            )

    def _opaque(self, op: Any, args: tuple[Any, ...], results: Any, outs: list[Window], known: list[bool],
                writes: Any) -> None:  # fmt: skip
        written: list[Window] = []
        if writes:
            for a, given in zip(op.schema.arguments, args, strict=True):
                if a.write and given is not None:
                    written.extend(leaves(given))
            if op.writes and not written:
                written.extend(leaves(args[0]))
        if not outs and not written and results is not None and (type(results) is not tuple or results):
            self._check(op, args, results)
            return
        if _has_unknown_shape(op, args):
            raise Uncompilable(f"the shape of what {op.__torch_name__} returns depends on elements")
        if not _is_plain(args):
            raise Uncompilable(f"{op.__torch_name__} has an argument that may change")
        fresh = iter(known)
        flat = (results,) if isinstance(results, Window) or not isinstance(results, tuple) else results
        if any(isinstance(r, tuple) and not isinstance(r, Window) for r in flat):
            raise Uncompilable(f"{op.__torch_name__} returns nested results")
        targets = tuple(None if not isinstance(r, Window) or next(fresh) else r for r in flat)
        self.emit(Opaque(op, args, targets, tuple(written), self.call_number))
        if may_fail(op):
            self.program.advance_last()  # a call whose kernel fails before anything was written starts again in Python


def name_of(op: Any) -> Any:
    """Return a name of an operator that is valid in other processes, or None if it may mean another one there."""
    implementation = (op.functional or op).implementation
    if isinstance(implementation, Elementwise) and whose(op.declared_at.rpartition(":")[0]) != "flambeau":
        return None
    return op.__torch_name__, str(op.schema), type(implementation).__name__


@functools.cache
def _of_operator(op: Any) -> tuple[Any, list[int]]:
    """The operator that computes the same and writes to no argument, and which arguments this one may write to."""
    return op.functional or op, [i for i, a in enumerate(op.schema.arguments) if a.write]


def _has_unknown_shape(op: Any, args: tuple[Any, ...]) -> bool:
    """Whether the shape of an operator's result depends on elements, so that it cannot run on device 'meta'."""
    if not callable(op.meta):
        return op.meta is False or isinstance(op.meta, Exception)
    try:
        op.meta(*_on_meta(args))
    except RuntimeError:
        return True
    return False


def _on_meta(o: Any) -> Any:
    """Arguments with tensors without elements for windows."""
    if isinstance(o, Window):
        return ft.empty_strided(o.sizes, o.strides, dtype=getattr(ft, o.dtype), device="meta")
    return tuple(map(_on_meta, o)) if isinstance(o, tuple) else o


def _is_plain(o: Any) -> bool:
    """Whether arguments consist of windows and immutable values."""
    if isinstance(o, tuple) and not isinstance(o, Window):
        return all(map(_is_plain, o))
    return o is None or isinstance(o, _PLAIN)


_PLAIN = (Window, bool, int, float, complex, str, ft.dtype, ft.device, ft.Generator, ft.layout, ft.memory_format)


@functools.cache
def dtype_name(dtype: Any) -> str:
    return str(dtype).removeprefix("torch.")


def broadcast_sizes(shapes: list[tuple[int, ...]]) -> tuple[int, ...]:
    """The sizes that shapes are broadcast to."""
    if shapes and shapes.count(shapes[0]) == len(shapes):
        return shapes[0]
    sizes: list[int] = []
    for shape in shapes:
        while len(sizes) < len(shape):
            sizes.insert(0, 1)
        lead = len(sizes) - len(shape)
        for d, size in enumerate(shape):
            if size != 1:
                sizes[lead + d] = size
    return tuple(sizes)


def _repeats(out: Window) -> bool:
    """Whether a window may show an element twice, so that the order in which a kernel writes matters."""
    if out.strides == row_major(out.sizes):
        return False
    reach = 0
    for stride, size in sorted((abs(stride), size) for size, stride in zip(out.sizes, out.strides, strict=True)):
        if size > 1 and stride <= reach:
            return True
        reach += stride * (size - 1)
    return False


def _tensors(o: Any) -> Any:
    if isinstance(o, Seen):
        return o.tensor
    return tuple(_tensors(each) for each in o) if isinstance(o, tuple) else o


def _seen_leaves(o: Any) -> Any:
    if isinstance(o, Seen):
        yield o
    elif isinstance(o, tuple):
        for each in o:
            yield from _seen_leaves(each)
