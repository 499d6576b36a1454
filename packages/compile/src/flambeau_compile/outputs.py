"""Results of calls and arguments of kernels, in terms of a program's buffers."""

from typing import Any, NamedTuple

import flambeau_tensor as ft
from flambeau_compile._results import Argument, Instance, NumberOf, Output, TakenFrom, refuse_writes
from flambeau_compile._spot import Spot
from flambeau_compile.graph import ITEMSIZE, Buffer, Uncompilable, Window
from flambeau_compile.instances import Fields
from flambeau_compile.lowering import Builder, dtype_name
from flambeau_compile.symbols import Symbol, like
from flambeau_tensor.extend import Window as Seen
from flambeau_tensor.extend import window

WIDE = {float: ft.float64, int: ft.int64}  # dtypes of tensors that represent a number exactly


def spot(fields: Any) -> Spot:
    """Return a window as an argument of a kernel in an Entry, from the fields of a `Plan`."""
    slot, start, nbytes, dtype, sizes, strides, offset = fields
    return Spot(slot, start, nbytes, getattr(ft, dtype).id, tuple(sizes), tuple(strides), offset)


def spotted(o: Any, spots: Any) -> Any:
    """The arguments of a call in a trace, with Spots for tensors."""
    if isinstance(o, Seen):
        return spot(spots)
    if isinstance(o, tuple):
        return tuple(spotted(each, s) for each, s in zip(o, spots, strict=True))
    return o


T_NO_GRAD_VIEW, T_MULTI_VIEW = 16, 256  # flags of tensors


class View(NamedTuple):
    """A result that is a view of `base`: an output, an argument (negative) or a tensor from outside."""

    base: Any
    sizes: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int
    start: int | None  # the argument's offset when the program was built; None: it is not an argument
    apart: bool  # whether autograd does not treat it as a view
    several: bool  # whether an operator returned several views, which cannot be written to

    def of(self, outputs: list[Any], tensors: list[Any]) -> Any:
        """Return the view, given the outputs and arguments of a call."""
        whole, offset = self.base, self.offset
        if isinstance(whole, int):
            whole = outputs[whole] if whole >= 0 else tensors[-1 - whole]
        if self.start is not None:
            offset += whole.storage_offset() - self.start
        if self.apart:
            whole = whole.detach()
            if (whole.shape, whole.stride(), whole.storage_offset()) == (self.sizes, self.strides, offset):
                return whole
        view = whole.as_strided(self.sizes, self.strides, offset)
        if self.several:
            refuse_writes(view)
        return view


def _overlaps(t: Any) -> bool:
    """Whether elements of a tensor may share memory: the gradient of `as_strided` is then another than the view's."""
    extent = 1
    for stride, size in sorted((stride, size) for stride, size in zip(t.stride(), t.shape, strict=True) if size > 1):
        if stride < extent:
            return True
        extent += stride * (size - 1)
    return False


class Outputs:
    """The results and side effects of a call, in terms of buffers."""

    def __init__(self, b: Builder, tensors: list[Any], arguments: dict[int, int], symbols: dict[Any, int],
                 taken: dict[int, Window], found: list[tuple[Any, int]], outside: set[int]) -> None:  # fmt: skip
        self.b, self.tensors, self.arguments, self.symbols, self.taken = b, tensors, arguments, symbols, taken
        self.found, self.outside = found, outside
        self.containers: dict[int, Any] = {}  # lists, dicts and objects of the structure, by their ids
        self.met: frozenset[int] = frozenset()  # ids of objects that existed before the call
        self.windows: list[Window] = []
        self.bases: list[Any] = []
        self.apart: list[bool] = []  # whether autograd does not treat it as a view of its base
        self.results: list[Any] = []  # of each window, the tensor that was returned, or None
        self.histories = False  # some result has one
        self._whole: dict[int, int] = {}  # index of a buffer -> the output that creates it
        self._known: dict[int, int] = {}  # id of a tensor -> its output

    def structure(self, o: Any) -> Any:
        """The structure that calls return, with Outputs and Arguments for tensors."""
        if type(o) is Symbol:
            return self.number(o)
        if isinstance(o, ft.Tensor):
            return self._tensor(o)
        if type(o) in (list, dict, Fields):
            if id(o) in self.containers or id(o) in self.met:
                raise Uncompilable("it returns a list, dict or object twice, or one that existed before")
            self.containers[id(o)] = o
        if type(o) is Fields:
            return Instance(o.kind, self.structure(o.state))
        if isinstance(o, tuple):
            return like(o, [self.structure(each) for each in o])
        if type(o) is list:
            return [self.structure(each) for each in o]
        if type(o) is dict:
            return {name: self.structure(each) for name, each in o.items()}
        if id(o) in self.taken:
            return self._number(id(o))
        if o is None or isinstance(o, (bool, int, float, str)):
            return o
        raise Uncompilable(f"it returns an object of type {type(o).__name__}")

    def _tensor(self, t: Any) -> Any:
        for given, i in (*zip(self.tensors, range(len(self.tensors)), strict=True), *self.found):
            if given is t:
                return Argument(i)
        if id(t) in self.outside:
            return t  # returned unchanged
        seen = window(t)
        if self.b.is_known(seen):
            buffer = self.b.window(seen).buffer
            if buffer.tensor is t and buffer.index not in self.arguments:
                return t  # a captured tensor, returned unchanged
        self.histories = self.histories or (t.requires_grad and t.grad_fn is not None)
        return Output(self._output(t))

    def number(self, symbol: Symbol) -> NumberOf:
        """The argument that has the number for which a Symbol stood."""
        return NumberOf(self.symbols[symbol.number, WIDE[type(symbol.value)]])

    def _number(self, key: int) -> TakenFrom:
        """Return the number in its own window."""
        if key not in self._known:
            w = self.taken[key]
            self._known[key] = len(self.windows)
            w.buffer.lasts = True
            self.windows.append(w)
            self.bases.append(None)
            self.apart.append(False)
            self.results.append(ft.empty((), dtype=getattr(ft, w.dtype)))
        return TakenFrom(self._known[key])

    def _output(self, t: Any) -> int:
        if id(t) in self._known:
            return self._known[id(t)]
        seen = window(t)
        if not self.b.is_known(seen):
            raise Uncompilable("it returns a tensor that no operator made")
        if getattr(t, "__dict__", None):
            raise Uncompilable("it returns a tensor with attributes of its own")
        w = self.b.window(seen)
        number = len(self.windows)
        buffer = w.buffer
        if buffer.tensor is not None:
            base = -1 - self.arguments[buffer.index] if buffer.index in self.arguments else buffer.tensor
        elif buffer.index in self._whole:
            base = self._whole[buffer.index]
        else:
            base = None
            low, high = w.span()
            if low != 0 or high > buffer.nbytes or w.offset != 0 or w.numel * ITEMSIZE[w.dtype] < buffer.nbytes:
                root = t._base if t.requires_grad and t.grad_fn is not None and t._is_view() else None
                whole = root is not None and self._shows_all(root, buffer)
                base = self._output(root) if whole else self._make_whole(buffer, w.dtype)
                number = len(self.windows)
            else:
                self._whole[buffer.index] = number
            buffer.lasts = True
        if base is not None and self._dtype_of(base) not in (None, w.dtype):
            raise Uncompilable("it returns a view of another dtype")
        self.windows.append(w)
        self.bases.append(base)
        self.apart.append(not t._is_view() or (not t.requires_grad and self._base_requires_grad(base)))
        self.results.append(t)
        self._known[id(t)] = number
        return number

    def _dtype_of(self, base: Any) -> str | None:
        """Return the dtype of an output's base: an output, an argument, or a captured tensor; None for a number."""
        if isinstance(base, int) and base >= 0:
            return self.windows[base].dtype
        if isinstance(base, int):
            base = {**dict(enumerate(self.tensors)), **{i: t for t, i in self.found}}.get(-1 - base)
        return None if base is None else dtype_name(base.dtype)

    def _base_requires_grad(self, base: Any) -> bool:
        if isinstance(base, int):
            return base < 0 and -1 - base < len(self.tensors) and self.tensors[-1 - base].requires_grad
        return base is not None and base.requires_grad

    def _shows_all(self, t: Any, buffer: Buffer) -> bool:
        """Whether a tensor shows all of a buffer, and each element once."""
        seen = window(t)
        if not self.b.is_known(seen):
            return False
        w = self.b.window(seen)
        return w.buffer is buffer and w.offset == 0 and w.contiguous and w.numel * ITEMSIZE[w.dtype] == buffer.nbytes

    def views(self) -> list[View | None]:
        """Return for each output its derivation as a view, so that autograd follows it, or None.

        The base may be another output, an argument or a captured tensor.

        Raises:
            Uncompilable: the view would differ from the function's result.
        """
        found: list[View | None] = []
        for t, w, base, apart in zip(self.results, self.windows, self.bases, self.apart, strict=True):
            if t is None:
                raise Uncompilable("it returns a part of what it makes together with results that have a history")
            if base is None:
                found.append(None)
                continue
            given = {**dict(enumerate(self.tensors)), **{i: t for t, i in self.found}}
            of = base if not isinstance(base, int) else self.results[base] if base >= 0 else given.get(-1 - base)
            if of is None or window(t).flags & T_NO_GRAD_VIEW:
                raise Uncompilable("it returns views, made under no_grad, together with results that have a history")
            if t.requires_grad and (apart or t.grad_fn is None or not of.requires_grad):
                raise Uncompilable("it returns leaves or bases of views together with results that have a history")
            if t.requires_grad and not apart and _overlaps(of):
                raise Uncompilable("it returns a view of a tensor whose elements share memory")
            start = window(of).offset if isinstance(base, int) and base < 0 else None
            apart = apart or t.requires_grad != of.requires_grad
            several = window(t).flags & T_MULTI_VIEW != 0
            found.append(View(base, w.sizes, w.strides, w.offset, start, apart, several))
        return found

    def _make_whole(self, buffer: Buffer, dtype: str) -> int:
        n = buffer.nbytes // ITEMSIZE[dtype]
        self.windows.append(Window(buffer, dtype, 0, (n,), (1,)))
        self.bases.append(None)
        self.apart.append(False)
        self.results.append(None)
        self._whole[buffer.index] = len(self.windows) - 1
        return len(self.windows) - 1

    @classmethod
    def of_windows(cls, b: Builder, windows: list[Window]) -> "Outputs":
        """Outputs that are fresh tensors."""
        outputs = cls(b, [], {}, {}, {}, [], set())
        outputs.windows, outputs.bases, outputs.apart = list(windows), [None] * len(windows), [False] * len(windows)
        return outputs

    def grads(self, pairs: list[tuple[Any, Any]], made: set[int]) -> list[tuple[Any, Any]]:
        """Return the gradients that a call sets, as (owner, value): None, an Output, an Argument, or a captured tensor.

        A tensor that the function created is an Output, too; if it is not returned, its gradient is not observable.
        """
        known = dict(self._known)
        seen = [(p, g) for p, g in pairs if id(p) in known or id(p) not in made]
        return [
            (Output(known[id(p)]) if id(p) in known else p, None if g is None else self._tensor(g)) for p, g in seen
        ]

    def classes(self) -> list[Any]:
        """Return, for each output, its subclass of Tensor or None."""
        kinds = [type(t) for t in self.results] or [ft.Tensor] * len(self.windows)
        return [None if kind in (ft.Tensor, type(None)) else kind for kind in kinds]

    def described(self, slots: dict[int, int]) -> list[tuple[Any, ...]]:
        return [
            (slots.get(w.buffer.index, 0), getattr(ft, w.dtype).id, w.sizes, w.strides, w.offset, base, apart, cls)
            for w, base, apart, cls in zip(self.windows, self.bases, self.apart, self.classes(), strict=True)
        ]
