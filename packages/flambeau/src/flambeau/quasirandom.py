"""``torch.quasirandom``: points that fill the unit cube more evenly than random points.

>>> from flambeau.quasirandom import SobolEngine
>>> SobolEngine(2).draw(4)
tensor([[0.0000, 0.0000],
        [0.5000, 0.5000],
        [0.7500, 0.2500],
        [0.2500, 0.7500]])
"""

from typing import Self

import numpy as np

import flambeau as torch

__all__ = ["SobolEngine"]


class SobolEngine:
    """A Sobol sequence with the direction numbers of Joe and Kuo, from SciPy (the extra ``sparse``).

    Args:
        dimension: the dimension of the points, at most 21201.
        scramble: whether the sequence is scrambled at random, by a matrix and a shift.
        seed: the seed of the scrambling; by default, PyTorch's generator is used.

    Raises:
        ValueError: there are no direction numbers for this dimension.

    >>> engine = SobolEngine(3, scramble=True, seed=1)
    >>> engine.draw(2)
    tensor([[0.2677, 0.3618, 0.7123],
            [0.8840, 0.6187, 0.1758]])
    """

    MAXBIT = 30
    MAXDIM = 21201

    def __init__(self, dimension: int, scramble: bool = False, seed: int | None = None) -> None:
        if not 1 <= dimension <= self.MAXDIM:
            raise ValueError(f"Supported range of dimensionality for SobolEngine is [1, {self.MAXDIM}]")
        try:
            from scipy.stats.qmc import Sobol
        except ModuleNotFoundError as e:
            raise ModuleNotFoundError(
                "torch.quasirandom.SobolEngine needs the package scipy: pip install scipy", name=e.name
            ) from None
        self.seed, self.scramble, self.dimension = seed, scramble, dimension
        numbers = Sobol(dimension, scramble=False, bits=self.MAXBIT)._sv  # SciPy offers no other way to them
        self.sobolstate = torch.from_numpy(numbers.astype(np.int64))
        self.shift = torch.zeros(dimension, dtype=torch.int64)
        if scramble:
            self._scramble()
        self.reset()

    def _scramble(self):
        generator = None
        if self.seed is not None:
            generator = torch.Generator()
            generator.manual_seed(self.seed)
        places = torch.arange(self.MAXBIT)
        shift = torch.randint(2, (self.dimension, self.MAXBIT), generator=generator)
        self.shift = (shift * 2**places).sum(1)
        matrix = torch.randint(2, (self.dimension, self.MAXBIT, self.MAXBIT), generator=generator).tril()
        matrix.diagonal(0, -2, -1).fill_(1)
        highest_first = 2 ** places.flip(0)
        bits = (self.sobolstate.unsqueeze(1) // highest_first.unsqueeze(1)) % 2  # (dimension, bit, number)
        self.sobolstate = ((matrix @ bits) % 2 * highest_first.unsqueeze(1)).sum(1)

    def _advance(self, n):
        """Return the next n points as integers, (n, dimension); the last one is stored."""
        start = max(self.num_generated - 1, 0)
        index = np.arange(start, start + n)
        changed = np.bitwise_count(index & ~(index + 1))  # the lowest bit of the index that is not set
        steps = np.concatenate([self.quasi.numpy()[None], self.sobolstate.numpy().T[changed]])
        points = np.bitwise_xor.accumulate(steps)
        self.quasi = torch.from_numpy(points[-1].copy())
        return torch.from_numpy(points[1:])

    def draw(self, n: int = 1, out: torch.Tensor | None = None, dtype: torch.dtype | None = None) -> torch.Tensor:
        """The next points of the sequence, (n, dimension).

        >>> engine = SobolEngine(1)
        >>> engine.draw(2), engine.draw()
        (tensor([[0.0000],
                [0.5000]]), tensor([[0.7500]]))
        """
        if dtype is None:
            dtype = torch.get_default_dtype()
        if self.num_generated:
            points = self._advance(n)
        else:
            points = torch.cat([self.quasi.reshape(1, -1), self._advance(n - 1)])
        self.num_generated += n
        points = points.to(dtype) / 2**self.MAXBIT
        return points if out is None else out.resize_as_(points).copy_(points)

    def draw_base2(self, m: int, out: torch.Tensor | None = None, dtype: torch.dtype | None = None) -> torch.Tensor:
        """Draw the next ``2**m`` points, a number that keeps the drawn points balanced.

        Raises:
            ValueError: the total number of drawn points is not a power of two.
        """
        n = 2**m
        total = self.num_generated + n
        if total & (total - 1):
            raise ValueError(
                "The balance properties of Sobol' points require n to be a power of 2. "
                f"{self.num_generated} points have been previously generated, then: n={self.num_generated}+2**{m}="
                f"{total}. If you still want to do this, please use 'SobolEngine.draw()' instead."
            )
        return self.draw(n=n, out=out, dtype=dtype)

    def reset(self) -> Self:
        """Begin again."""
        self.quasi = self.shift.clone()
        self.num_generated = 0
        return self

    def fast_forward(self, n: int) -> Self:
        """Pass over n points."""
        self._advance(n if self.num_generated else n - 1)
        self.num_generated += n
        return self

    def __repr__(self) -> str:
        notes = [f"dimension={self.dimension}"]
        if self.scramble:
            notes.append("scramble=True")
        if self.seed is not None:
            notes.append(f"seed={self.seed}")
        return f"SobolEngine({', '.join(notes)})"
