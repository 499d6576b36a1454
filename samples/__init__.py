"""Sample calls of every operator, one table for each family, from which its generated tests come.

``samples/tensor/pointwise.py`` has the calls of what ``flambeau_tensor/ops/pointwise.py`` declares, ``samples/nn``
those of ``flambeau_nn/ops``. A line of a table gives an operator all its generated tests:

    "hypot": call(real(2, 3), real(3), like=np.hypot),

`values.py` checks what is computed, `derivatives.py` derivatives and batches; a family's test file in a package names
the table and what to check, and adds what is particular.
"""

from enum import Flag, auto
from functools import cache
from importlib import import_module
from pathlib import Path

import numpy as np

import flambeau_tensor as torch
from flambeau_tensor.extend import OverloadSet, find_operator

EXAMPLES = 3  # of each argument, for what works on many at once


class Dtypes(Flag):
    """Which dtypes a sample is for: those that an operator admits."""

    DOUBLE = auto()
    SINGLE = auto()
    HALF = auto()
    BFLOAT16 = auto()
    COMPLEX = auto()
    INT64 = auto()
    INTS = auto()
    UINT8 = auto()
    BOOL = auto()
    UNASKED = auto()  # the other dtypes are not asked for

    FLOATS = DOUBLE | SINGLE | HALF | BFLOAT16
    INEXACT = FLOATS | COMPLEX
    LAPACK = DOUBLE | SINGLE | COMPLEX
    INTEGERS = INT64 | INTS | UINT8
    REAL_NUMBERS = FLOATS | INTEGERS
    REALS = REAL_NUMBERS | BOOL
    NUMBERS = REAL_NUMBERS | COMPLEX
    ALL = NUMBERS | BOOL


KINDS = {
    Dtypes.DOUBLE: (torch.float64,),
    Dtypes.SINGLE: (torch.float32,),
    Dtypes.HALF: (torch.float16,),
    Dtypes.BFLOAT16: (torch.bfloat16,),
    Dtypes.COMPLEX: (torch.complex128, torch.complex64),
    Dtypes.INT64: (torch.int64,),
    Dtypes.INTS: (torch.int32, torch.int16, torch.int8),
    Dtypes.UINT8: (torch.uint8,),
    Dtypes.BOOL: (torch.bool,),
}


class Drawn:
    """An argument that is a tensor: random numbers between two bounds, for as many examples as are asked for."""

    def __init__(self, shape, low, high, kind):
        self.shape, self.low, self.high, self.kind = shape, low, high, kind

    def draw(self, state, dtype):
        """Examples, stacked. `dtype` says what to draw where the argument is of real numbers."""
        size = (EXAMPLES, *self.shape)
        if self.kind == "truth":
            return torch.tensor(state.random_sample(size) < 0.5)
        if self.kind == "whole":
            return torch.tensor(state.randint(self.low, self.high, size))
        values = state.uniform(self.low, self.high, size)
        if dtype.is_complex:
            values = values + 1j * state.uniform(self.low, self.high, size)
        elif not dtype.is_floating_point:
            values = values > (self.low + self.high) / 2 if dtype is torch.bool else np.rint(values)
            if dtype is torch.uint8:
                values = np.abs(values)
        return torch.tensor(values).to(dtype)


class Given:
    """An argument that is a tensor: one value for each example."""

    kind = "given"

    def __init__(self, values):
        self.values = values

    def draw(self, state, dtype):
        t = torch.tensor(self.values)
        return t.to(dtype) if t.is_floating_point() and dtype.is_floating_point else t


def real(*shape, low=-2, high=2):
    """Real numbers, or complex ones, or integers, where other dtypes are tested."""
    return Drawn(shape, low, high, "real")


def whole(*shape, low=0, high):
    """Integers from `low` to below `high`, always int64."""
    return Drawn(shape, low, high, "whole")


def truth(*shape):
    return Drawn(shape, 0, 1, "truth")


def each(first, second, third):
    """What is given, one value for each example."""
    return Given([first, second, third])


class Sample:
    """A call of an operator, by plain data: tensors as they are to be drawn, and everything else as it is."""

    def __init__(
        self,
        *arguments,
        like=None,
        dtypes=Dtypes.FLOATS,
        via=None,
        cut=None,
        layouts=True,
        derivative=True,
        second=True,
        loop=True,
        **options,
    ):
        """
        like: a function of NumPy's arrays that gives the same
        dtypes: those that are admitted; the others are refused, or not asked for with `Dtypes.UNASKED`
        via: what is called in place of the operator, and is given it and the tensors
        cut: whether tangents end here; without it, the operator's declaration says so
        layouts, derivative, second, loop: False where the elements' places in memory matter, where there are no
        derivatives (or no second ones), and where ``vmap`` cannot give what a loop gives
        """
        self.arguments, self.options = arguments, options
        self.like, self.dtypes, self.via = like, dtypes, via
        self.declared_cut, self.layouts, self.derivative, self.second, self.loop = (
            cut,
            layouts,
            derivative,
            second,
            loop,
        )
        self.in_place_of = None
        self.drawn = []
        _walk([*arguments, *options.values()], self.drawn.append)

    def named(self, name):
        """The sample, as the one of this name in a table."""
        self.name, self.operator = name, find(name.partition(",")[0])
        return self

    @property
    def cut(self):
        """Whether no derivative comes through."""
        if self.declared_cut is not None:
            return self.declared_cut
        op = self.operator
        return not isinstance(op, OverloadSet) and not op.is_composite and not op.records

    @property
    def writes(self):
        return self.operator.writes

    @property
    def written(self):
        """How many of the tensors are written to."""
        found = []
        _walk(self.arguments[:1], found.append)
        return len(found) if self.writes else 0

    @property
    def admitted(self):
        """The dtypes that are admitted."""
        return [dtype for kind, members in KINDS.items() if kind in self.dtypes for dtype in members]

    @property
    def dtype(self):
        """Double precision, or what is admitted first."""
        return self.admitted[0]

    def draw(self, dtype=None):
        """The tensors of the call, `EXAMPLES` of each, stacked."""
        state = np.random.RandomState(3)
        return [d.draw(state, dtype or self.dtype) for d in self.drawn]

    def one(self, dtype=None):
        """The tensors of one call."""
        return [t[0].clone() for t in self.draw(dtype)]

    def __call__(self, *tensors):
        """The operator's results for these tensors. What is written to is a copy."""
        given = [t.clone() for t in tensors] if self.writes else tensors
        if self.via is not None:
            return self.via(self.operator, *given)
        arguments, options = self.bind(given)
        result = self.operator(*arguments, **options)
        return arguments[0] if result is None and self.writes else result

    def __repr__(self):
        return self.name

    def bind(self, tensors):
        """The arguments and options with these tensors in place, and those that stand there on the same device."""
        left, device = iter(tensors), tensors[0].device if tensors else "cpu"
        return _replace((self.arguments, self.options), lambda x: x.to(device) if is_tensor(x) else next(left))


def is_tensor(x):
    return isinstance(x, torch.Tensor)


call = Sample


def find(name):
    """The operator of a name in a table: ``"add"``, ``"Tensor.view"``, ``"max.dim"``, ``"linalg.inv"``."""
    return find_operator(f"torch.{name}")


def _walk(x, visit):
    if isinstance(x, (Drawn, Given)):
        visit(x)
    elif isinstance(x, (list, tuple)):
        for item in x:
            _walk(item, visit)


def _replace(x, change):
    if isinstance(x, (Drawn, Given, torch.Tensor)):
        return change(x)
    if isinstance(x, (list, tuple)):
        return type(x)([_replace(item, change) for item in x])
    return {k: _replace(v, change) for k, v in x.items()} if isinstance(x, dict) else x


def families(package):
    """The names of a package's tables."""
    return sorted(f.stem for f in (Path(__file__).parent / package).glob("[!_]*.py"))


@cache
def table(family):
    """The samples of a family, ``"tensor.pointwise"``, by name, with those of what the operators are in place."""
    found = {}
    for name, sample in import_module(f"samples.{family}").TABLE.items():
        found[name] = sample.named(name)
        _, at, note = name.partition(",")
        if sample.via is None and (inplace := _in_place(sample.operator)) is not None:
            again = Sample(*sample.arguments, **sample.options)
            again.__dict__.update(sample.__dict__, like=None, in_place_of=sample)
            again.operator, again.name = inplace, f"{inplace.name}{at}{note}"
            if Dtypes.COMPLEX in again.dtypes and not _fits(again, torch.complex128):
                again.dtypes &= ~Dtypes.COMPLEX
            if again.name not in found and _fits(again):
                found[again.name] = again
    return found


def _in_place(operator):
    return None if operator.inplace is None or operator.writes else operator.inplace


def _fits(sample, dtype=None):
    """Whether the first argument can hold the result."""
    try:
        sample(*sample.one(dtype))
        return True
    except (RuntimeError, TypeError, NotImplementedError):
        return False


def flat(result):
    """The tensors among results."""
    if isinstance(result, torch.Tensor):
        return [result]
    return [t for item in result for t in flat(item)] if isinstance(result, (list, tuple)) else []


def excused(family):
    """Operators of a family that have no sample: ``{reason: "names"}``."""
    return getattr(import_module(f"samples.{family}"), "EXCUSED", {})
