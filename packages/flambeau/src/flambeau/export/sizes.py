"""Numbers that follow from sizes that vary, found by running again with other sizes.

A number is modeled as a polynomial in the sizes: its growth with each single size gives the factors, its growth with
two sizes together gives the products.
"""

import itertools
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

Key = tuple[str, int]  # an input and one of its dimensions
STEPS = (1, 2, 4, 8, 16, 32)  # for sizes; the smallest one that the program accepts is used


class Size(int):
    """A number that follows from sizes of inputs: the sum of ``terms``, each a factor times the product of sizes."""

    terms: tuple[tuple[Fraction, tuple[Key, ...]], ...]


class Varied:
    """Runs of a program with the original sizes, and with larger ones.

    Args:
        sizes: for each dynamic dimension, its size in the first run.
        first: the first run: the value that `run` returns for it.
        run: runs the program with some sizes changed.
        numbers: returns the numbers of a run, nested, as `merged` expects them.
        fail: creates the error for a dimension that cannot vary, given a message.

    Attributes:
        steps: for each dimension, the step by which it grows: numbers may depend on half a size.
        runs: for each set of dimensions, a run in which they are larger by a step.
    """

    def __init__(
        self,
        sizes: dict[Key, int],
        first: Any,
        run: Callable[[dict[Key, int]], Any],
        numbers: Callable[[Any], Any],
        fail: Callable[[str], Exception],
    ) -> None:
        self.sizes, self.fail = sizes, fail
        self.steps: dict[Key, int] = {}
        self.runs: dict[tuple[Key, ...], Any] = {}
        start = numbers(first)
        for key, size in sizes.items():
            self.steps[key], self.runs[key,] = self._grown(run, numbers, start, key, size)
        for pair in itertools.combinations(sizes, 2):
            self.runs[pair] = run({key: sizes[key] + self.steps[key] for key in pair})

    def _grown(self, run: Any, numbers: Any, start: Any, key: Key, size: int) -> tuple[int, Any]:
        """Return the smallest step with which the program's numbers grow evenly, and the run after one step."""
        problem: Exception | None = None
        made: tuple[int, Any] | None = None
        for step in STEPS:
            try:
                once, twice = run({key: size + step}), run({key: size + 2 * step})
            except Exception as error:
                problem = problem or error
                continue
            made = step, once
            if _grows_evenly(start, numbers(once), numbers(twice)):
                return made
        if made is not None:
            return made  # other operators ran, or numbers are not polynomials: the caller examines the runs
        raise self.fail(f"dimension {key[1]} of {key[0]} cannot vary: {problem}") from problem

    def merged(self, value: Any, others: dict[tuple[Key, ...], Any]) -> Any:
        """A value of the first run, with a `Size` for each number in it that is another one in other runs."""
        if isinstance(value, (tuple, list)) and type(value) in (tuple, list):
            if any(not isinstance(o, type(value)) or len(o) != len(value) for o in others.values()):
                raise self.fail("an operator gets more numbers for other sizes")
            items = [self.merged(v, {keys: o[i] for keys, o in others.items()}) for i, v in enumerate(value)]
            return type(value)(items)
        if isinstance(value, int) and not isinstance(value, bool) and any(o != value for o in others.values()):
            return self._size(value, others)
        return value

    def _size(self, value: int, others: dict[tuple[Key, ...], int]) -> Size:
        terms: dict[tuple[Key, ...], Fraction] = {}
        for a, b in itertools.combinations(self.sizes, 2):
            pair = a, b
            mixed = Fraction(others[pair] - others[a,] - others[b,] + value, self.steps[a] * self.steps[b])
            if mixed:
                terms[pair] = mixed
        for key in self.sizes:
            alone = Fraction(others[key,] - value, self.steps[key])
            for keys, factor in list(terms.items()):
                if len(keys) == 2 and key in keys:
                    alone -= factor * self.sizes[keys[1 - keys.index(key)]]
            if alone:
                terms[key,] = alone
        constant = value - sum(factor * math.prod(self.sizes[k] for k in keys) for keys, factor in terms.items())
        if constant:
            terms[()] = Fraction(constant)
        size = Size(value)
        size.terms = tuple((factor, keys) for keys, factor in terms.items())
        return size


def _grows_evenly(a: Any, b: Any, c: Any) -> bool:
    if type(a) in (tuple, list):
        fits = type(b) is type(a) is type(c) and len(a) == len(b) == len(c)
        return fits and all(map(_grows_evenly, a, b, c))
    if isinstance(a, int) and not isinstance(a, bool) and isinstance(b, int) and isinstance(c, int):
        return b - a == c - b
    return True


def denominator(size: Size) -> int:
    """A common denominator of the factors of a size."""
    return math.lcm(*(factor.denominator for factor, _ in size.terms))


def grown(t: Any, dim: int, size: int) -> Any:
    """A tensor with a dimension of another size: its first slice is repeated."""
    import flambeau as torch

    more = size - t.shape[dim]
    return torch.cat([t, *[t.narrow(dim, 0, 1)] * more], dim) if more > 0 else t.narrow(dim, 0, size)
