"""Numbers that are followed while a function is traced.

A `Symbol` represents a Python number. Arithmetic on it returns Symbols, and the computation is recorded. Operators
receive a tensor without dimensions in its place, which the program fills with the number of each call. If Python needs
the number itself (for a comparison in control flow, an index, a function of ``math``), it receives the number, and the
program records that it is only valid for this outcome: a *guard*. A Symbol is not a float, so C code cannot read it
unnoticed; `isinstance` reports that it is one.
"""

import operator
from collections.abc import Callable, Iterator
from typing import Any

import flambeau_tensor as ft
from flambeau_compile._numbers import Numbers, as_tensor
from flambeau_tensor.extend import untraced

MOST_STEPS = 300  # computed of numbers at each call; beyond, numbers are constants
_FLOATS = (ft.float32, ft.float64)

Way = tuple[Any, ...]  # to a number among (args, kwargs): indices and keys


class Table:
    """The numbers that are followed in one trace.

    Args:
        sources: their places: a path into (args, kwargs), or a `Place`.
    """

    def __init__(self, sources: list[Any]) -> None:
        self.sources = sources
        self.values: list[Any] = [None] * len(sources)  # of sources and steps
        self.steps: list[tuple[Any, tuple[Any, ...]]] = []
        self.guards: dict[int, Any] = {}
        self.tensors: dict[tuple[int, Any], Any] = {}  # (operand, dtype) -> the tensor that operators received
        self.over = False  # the trace has ended: remaining Symbols act as plain numbers
        self.closed = False  # what a program reads is settled
        self.late: set[int] = set()  # numbers that Python looked at afterwards
        self._known: dict[Any, int] = {}
        self._placed: list[tuple[Any, Symbol]] = []

    # --- in and out -----------------------------------------------------------------------------------------------

    def put(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments with Symbols in place of numbers, and Symbols in the places outside."""
        whole: Any = (args, kwargs)
        for number, source in enumerate(self.sources):
            if type(source) is tuple:
                value = whole
                for key in source:
                    value = value[key]
                whole = _replaced(whole, source, self._symbol(number, value))
        args, kwargs = whole
        for number, source in enumerate(self.sources):
            if type(source) is not tuple:
                symbol = self._symbol(number, source.get())
                source.set(symbol)
                self._placed.append((source, symbol))
        return args, kwargs

    def _symbol(self, number: int, value: Any) -> "Symbol":
        self.values[number] = value
        return Symbol(self, number, value)

    def restore(self) -> None:
        """End the trace: restore the numbers in places outside of it."""
        self.over = True
        for place, _ in self._placed:
            now = place.get()
            if type(now) is Symbol:
                place.set(now.value)
        self._placed.clear()

    # --- computations
    # ---------------------------------------------------------------------------------------------------

    def apply(self, function: Callable[..., Any], *operands: Any) -> Any:
        """Apply a function to numbers and Symbols."""
        value = function(*(o.value if type(o) is Symbol else o for o in operands))
        if self.over or len(self.steps) >= MOST_STEPS:
            for o in operands:
                if type(o) is Symbol:
                    o.seen()
            return value
        known = tuple(o.number if type(o) is Symbol else (type(o), repr(o)) for o in operands)
        number = self._known.get((function, known))
        if number is None:
            at = tuple(o.number if type(o) is Symbol else (o,) for o in operands)
            number = self._known[function, known] = len(self.values)
            self.values.append(value)
            self.steps.append((function, at))
        if type(value) in (int, float):
            return Symbol(self, number, value)
        self.guards[number] = value
        return value

    def tensor(self, symbol: "Symbol", dtype: Any) -> Any:
        """Return a zero-dimensional tensor with the number, or None if its dtype cannot hold it."""
        key = symbol.number, dtype
        if key not in self.tensors:
            if self.closed:
                return None
            with untraced():
                made = as_tensor(symbol.value, dtype)
            if made is None:
                return None
            self.tensors[key] = made
        return self.tensors[key]

    def finished(self) -> Numbers:
        """Return the contents of the table in the form that a program uses; no tensors are added any more."""
        self.closed = True
        n = len(self.sources)
        constants: list[Any] = []
        fixed: dict[Any, int] = {}
        for _, operands in self.steps:
            for o in operands:
                if isinstance(o, tuple) and (type(o[0]), repr(o[0])) not in fixed:
                    fixed[type(o[0]), repr(o[0])] = len(constants)
                    constants.append(o[0])
        lead = len(constants)

        def place(o: Any) -> int:
            return fixed[type(o[0]), repr(o[0])] if isinstance(o, tuple) else lead + o

        return Numbers(
            self.sources,
            [type(value) for value in self.values[:n]],
            constants,
            [(function, tuple(map(place, operands))) for function, operands in self.steps],
            [(lead + number, value) for number, value in self.guards.items()],
            [(lead + number, dtype) for number, dtype in self.tensors],
        )

    def fixed(self) -> list[Any]:
        """Return the sources whose values must be the same in later calls."""
        numbers = {*self.guards, *self.late}
        for number in range(len(self.values) - 1, len(self.sources) - 1, -1):
            if number in self.late:  # computed of others
                operands = [o for o in self.steps[number - len(self.sources)][1] if not isinstance(o, tuple)]
                self.late.update(operands)
                numbers.update(operands)
        return [source for number, source in enumerate(self.sources) if number in numbers]


def like(o: Any, items: list[Any]) -> Any:
    """A list, tuple or named tuple of the type of another one."""
    return type(o)(*items) if hasattr(o, "_fields") else type(o)(items)


def _replaced(o: Any, way: Way, symbol: Any) -> Any:
    """Return nested arguments with a Symbol at the end of a path; containers on the path are copied."""
    if not way:
        return symbol
    key, rest = way[0], way[1:]
    if isinstance(o, dict):
        return {k: _replaced(v, rest, symbol) if k == key else v for k, v in o.items()}
    return like(o, [_replaced(v, rest, symbol) if i == key else v for i, v in enumerate(o)])


def numbers_in(o: Any, way: Way = ()) -> Iterator[tuple[Way, Any]]:
    """(way, number) of all floats and ints among nested arguments."""
    if type(o) in (int, float):
        yield way, o
    elif isinstance(o, tuple) or type(o) is list:
        for i, each in enumerate(o):
            yield from numbers_in(each, (*way, i))
    elif type(o) is dict:
        for key, each in o.items():
            yield from numbers_in(each, (*way, key))


# --- the representation of numbers ----------------------------------------------------------------------------------


def _binary(function: Callable[..., Any], reflected: bool = False) -> Any:
    def method(self: "Symbol", other: Any) -> Any:
        if type(other) is Symbol or type(other) in (int, float, bool):
            operands = (other, self) if reflected else (self, other)
            return self.table.apply(function, *operands)
        if isinstance(other, ft.Tensor):
            return NotImplemented  # let the tensor's method, and `__torch_function__`, handle it
        return function(other, self.seen()) if reflected else function(self.seen(), other)

    return method


def _unary(function: Callable[..., Any]) -> Any:
    def method(self: "Symbol", *further: Any) -> Any:
        return self.table.apply(function, self, *further)

    return method


class Symbol:
    """A number that is followed."""

    __slots__ = ("number", "table", "value")

    def __init__(self, table: Table, number: int, value: Any) -> None:
        self.table, self.number, self.value = table, number, value

    @property
    def __class__(self) -> Any:  # what `isinstance` asks
        return type(self.value)

    @__class__.setter
    def __class__(self, value: Any) -> None:
        raise TypeError("the class of a number cannot be changed")

    def seen(self) -> Any:
        """The number itself: the program is for this one."""
        if self.table.over:
            self.table.late.add(self.number)
        else:
            self.table.guards[self.number] = self.value
        return self.value

    __divmod__, __rdivmod__ = _binary(divmod), _binary(divmod, reflected=True)
    __round__ = _unary(round)

    def __float__(self) -> float:
        return float(self.seen())

    def __int__(self) -> int:
        return _guarded(self.table.apply(int, self))

    def __index__(self) -> int:
        return operator.index(self.seen())

    def __bool__(self) -> bool:
        return bool(self.table.apply(bool, self))

    def __trunc__(self) -> int:
        return _guarded(self.table.apply(int, self))

    def __complex__(self) -> complex:
        return complex(self.seen())

    def __hash__(self) -> int:
        return hash(self.seen())

    def __repr__(self) -> str:
        return repr(self.seen())

    def __str__(self) -> str:
        return str(self.seen())

    def __format__(self, form: str) -> str:
        return format(self.seen(), form)

    def __copy__(self) -> "Symbol":
        return self

    def __deepcopy__(self, memory: Any) -> "Symbol":
        return self

    def __reduce__(self) -> Any:
        return type(self.value), (self.seen(),)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.seen(), name)

    __array_ufunc__ = None  # NumPy's arrays leave operations to this class

    @classmethod
    def __torch_function__(cls, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        rule = _RULES.get(getattr(function, "__name__", ""))
        if rule is not None:
            found = rule(function, *args, **kwargs)
            if found is not NotImplemented:
                return found
        return function(*(seen(a) for a in args), **{name: seen(a) for name, a in kwargs.items()})


for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and_", "or_", "xor", "lshift", "rshift"):
    setattr(Symbol, f"__{_name.rstrip('_')}__", _binary(getattr(operator, _name)))
    setattr(Symbol, f"__r{_name.rstrip('_')}__", _binary(getattr(operator, _name), reflected=True))
for _name in ("lt", "le", "eq", "ne", "gt", "ge"):
    setattr(Symbol, f"__{_name}__", _binary(getattr(operator, _name)))
for _name in ("neg", "pos", "abs", "invert"):
    setattr(Symbol, f"__{_name}__", _unary(getattr(operator, _name)))


def _guarded(o: Any) -> Any:
    return o.seen() if type(o) is Symbol else o


def seen(o: Any) -> Any:
    """Nested arguments with the numbers themselves in place of Symbols; these are looked at."""
    return plain(o, Symbol.seen)


def plain(o: Any, of: Callable[[Symbol], Any] = lambda symbol: symbol.value) -> Any:
    """Replace Symbols in nested values. Lists and dicts are modified, tuples created anew, others kept."""
    if type(o) is Symbol:
        return of(o)
    if type(o) is list:
        for i, each in enumerate(o):
            if (new := plain(each, of)) is not each:
                o[i] = new
    elif type(o) is dict:
        for key, each in o.items():
            if (new := plain(each, of)) is not each:
                o[key] = new
    elif type(o) is slice:
        parts = tuple(plain(each, of) for each in (o.start, o.stop, o.step))
        return o if all(a is b for a, b in zip(parts, (o.start, o.stop, o.step), strict=True)) else slice(*parts)
    elif isinstance(o, tuple) and not isinstance(o, ft.Size):
        items = [plain(each, of) for each in o]
        if all(a is b for a, b in zip(items, o, strict=True)):
            return o
        return like(o, items)
    return o


def copied(o: Any) -> Any:
    """Copy those containers of nested values that contain Symbols."""
    if type(o) is list:
        return [copied(each) for each in o] if _has_symbols(o) else o
    if type(o) is dict:
        return {key: copied(each) for key, each in o.items()} if _has_symbols(o) else o
    if isinstance(o, tuple) and _has_symbols(o):
        return like(o, [copied(each) for each in o])
    return o


def _has_symbols(o: Any) -> bool:
    return next(symbols_in(o), None) is not None


def symbols_in(o: Any) -> Iterator[Symbol]:
    """All Symbols among nested values."""
    if type(o) is Symbol:
        yield o
    elif isinstance(o, tuple) or type(o) is list:
        for each in o:
            yield from symbols_in(each)
    elif type(o) is dict:
        yield from symbols_in(tuple(o.values()))


# --- operators that receive a tensor in place of a number ------------------------------------------------------------
# They compute the same with a zero-dimensional tensor of the dtype to which eager converts the number.


def _beside(symbol: Any, x: Any) -> Any:
    """Return a Symbol as a tensor operand next to another one, or None if a number would behave differently."""
    if type(symbol) is not Symbol or not isinstance(x, ft.Tensor):
        return None
    if x.dtype in _FLOATS:
        return symbol.table.tensor(symbol, x.dtype)
    if type(symbol.value) is float and not x.dtype.is_floating_point and not x.dtype.is_complex:
        dtype = ft.get_default_dtype()
        return symbol.table.tensor(symbol, dtype) if dtype in _FLOATS else None
    return None


def _of_two(function: Any, a: Any, b: Any, *, alpha: Any = 1, **kwargs: Any) -> Any:
    """Handle add, mul, comparisons and similar functions."""
    if any(value is not None for value in kwargs.values()):
        return NotImplemented
    if type(alpha) is Symbol:
        scale = _beside(alpha, b)
        if scale is None or not isinstance(a, ft.Tensor) or a.dtype != b.dtype or not b.dtype.is_floating_point:
            return NotImplemented
        name = function.__name__
        if name.rstrip("_") not in ("add", "sub", "subtract"):
            return NotImplemented
        fused = ft.Tensor.addcmul_ if name.endswith("_") else ft.addcmul  # one rounding, as in eager's loop
        return fused(a, b, scale, value=1 if name.startswith("add") else -1)
    if alpha != 1:
        return NotImplemented
    x, y = _beside(a, b), _beside(b, a)
    if x is None and y is None:
        return NotImplemented
    return function(a if x is None else x, b if y is None else y)


def _divide_by(function: Any, x: Any, number: Any) -> Any:
    y = _beside(number, x)
    return NotImplemented if y is None else ft.div(y, x)


def _where(function: Any, condition: Any, a: Any, b: Any, **kwargs: Any) -> Any:
    x, y = _beside(a, b), _beside(b, a)
    if kwargs or (x is None and y is None) or any(isinstance(o, ft.Tensor) and o.dtype not in _FLOATS for o in (a, b)):
        return NotImplemented
    return function(condition, a if x is None else x, b if y is None else y)


def _fill(function: Any, x: Any, value: Any) -> Any:
    y = _beside(value, x) if isinstance(x, ft.Tensor) and x.dtype in _FLOATS else None
    return NotImplemented if y is None else function(x, y)


def _set_item(function: Any, x: Any, index: Any, value: Any) -> Any:
    y = _beside(value, x) if isinstance(x, ft.Tensor) and x.dtype in _FLOATS else None
    return NotImplemented if y is None else function(x, seen(index), y)


def _tensor(function: Any, data: Any, *, dtype: Any = None, device: Any = None, requires_grad: Any = False) -> Any:
    dtype = ft.get_default_dtype() if dtype is None else dtype
    if requires_grad or dtype not in _FLOATS or not _is_float(data):
        return NotImplemented
    return _stacked(function, data, dtype)


def _is_float(data: Any) -> bool:
    """Whether data become a tensor of floating point: a float is among them, and only numbers are."""
    leaves = list(_leaves(data))
    kinds = {type(o.value) if type(o) is Symbol else type(o) for o in leaves}
    return float in kinds and kinds <= {float, int}


def _leaves(data: Any) -> Iterator[Any]:
    if type(data) in (list, tuple):
        for each in data:
            yield from _leaves(each)
    else:
        yield data


def _stacked(function: Any, data: Any, dtype: Any) -> Any:
    if type(data) in (list, tuple):
        return ft.stack([_stacked(function, each, dtype) for each in data]) if data else function(data, dtype=dtype)
    if type(data) is Symbol:
        made = data.table.tensor(data, dtype)
        return function(data.seen(), dtype=dtype) if made is None else made.clone()
    return function(data, dtype=dtype)


def _full(function: Any, size: Any, value: Any, *, dtype: Any = None, **kwargs: Any) -> Any:
    like = size.dtype if isinstance(size, ft.Tensor) else ft.get_default_dtype()
    dtype = like if dtype is None else dtype
    if type(value) is not Symbol or type(value.value) is not float or dtype not in _FLOATS or kwargs:
        return NotImplemented
    y = value.table.tensor(value, dtype)
    return NotImplemented if y is None else function(seen(size), 0.0, dtype=dtype).fill_(y)


def _second(function: Any, x: Any, number: Any) -> Any:
    """Handle pow, remainder and similar functions whose second operand is a number."""
    y = _beside(number, x) if isinstance(x, ft.Tensor) and x.dtype in _FLOATS else None
    return NotImplemented if y is None else function(x, y)


def _swapped(function: Any) -> Any:
    """Return a function of a tensor and a number that is its left operand."""
    return lambda _, x, number: NotImplemented if (y := _beside(number, x)) is None else function(y, x)


def _bounded(function: Any, x: Any, low: Any = None, high: Any = None, *, min: Any = None, max: Any = None) -> Any:
    """Handle clamp, whose bounds are both numbers or both tensors."""
    low, high = min if low is None else low, max if high is None else high
    if not isinstance(x, ft.Tensor) or x.dtype not in _FLOATS or any(isinstance(o, ft.Tensor) for o in (low, high)):
        return NotImplemented
    bounds = [_beside(o, x) if type(o) is Symbol else o for o in (low, high)]
    if any(type(o) is Symbol and y is None for o, y in zip((low, high), bounds, strict=True)):
        return NotImplemented
    low, high = (o if o is None or isinstance(o, ft.Tensor) else ft.full((), o, dtype=x.dtype) for o in bounds)
    return function(x, low, high)


def _third(function: Any, x: Any, other: Any, number: Any) -> Any:
    """Handle lerp and masked_fill, whose third operand is a number."""
    y = _beside(number, x) if isinstance(x, ft.Tensor) and x.dtype in _FLOATS else None
    return NotImplemented if y is None or not isinstance(other, ft.Tensor) else function(x, other, y)


_RULES: dict[str, Callable[..., Any]] = dict.fromkeys(
    (
        "add", "sub", "subtract", "rsub", "mul", "multiply", "div", "divide", "true_divide", "add_", "sub_", "mul_",
        "div_", "__rsub__", "lt", "le", "gt", "ge", "eq", "ne", "__eq__", "__ne__",
    ),
    _of_two,
)  # fmt: skip
_RULES.update({"where": _where, "fill_": _fill, "__setitem__": _set_item, "tensor": _tensor, "full": _full})
_RULES.update({"full_like": _full, "__rtruediv__": _divide_by})
_RULES.update(
    dict.fromkeys(
        (
            "pow", "pow_", "__pow__", "remainder", "remainder_", "__mod__", "fmod", "fmod_", "floor_divide",
            "floor_divide_", "__floordiv__", "clamp_min", "clamp_min_", "clamp_max", "clamp_max_",
        ),
        _second,
    )
)  # fmt: skip
_RULES.update(dict.fromkeys(("clamp", "clamp_", "clip", "clip_"), _bounded))
_RULES.update({"__rpow__": _swapped(ft.pow), "__rmod__": _swapped(ft.remainder)})
_RULES.update({"lerp": _third, "lerp_": _third, "masked_fill": _third, "masked_fill_": _third})
