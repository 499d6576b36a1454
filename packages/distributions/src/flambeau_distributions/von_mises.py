"""The von Mises distribution."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Self

import flambeau_tensor as torch
from flambeau_autograd import no_grad
from flambeau_distributions import constraints
from flambeau_distributions.distribution import Distribution
from flambeau_distributions.parameters import broadcast_all, lazy_property
from flambeau_tensor import Tensor

__all__ = ["VonMises"]

# Polynomials for modified Bessel functions of order 0 and 1, Abramowitz and Stegun 9.8.1 to 9.8.4.
_SMALL = (
    (1.0, 3.5156229, 3.0899424, 1.2067492, 0.2659732, 0.360768e-1, 0.45813e-2),
    (0.5, 0.87890594, 0.51498869, 0.15084934, 0.2658733e-1, 0.301532e-2, 0.32411e-3),
)
_LARGE = (
    (
        0.39894228,
        0.1328592e-1,
        0.225319e-2,
        -0.157565e-2,
        0.916281e-2,
        -0.2057706e-1,
        0.2635537e-1,
        -0.1647633e-1,
        0.392377e-2,
    ),
    (
        0.39894228,
        -0.3988024e-1,
        -0.362018e-2,
        0.163801e-2,
        -0.1031555e-1,
        0.2282967e-1,
        -0.2895312e-1,
        0.1787654e-1,
        -0.420059e-2,
    ),
)


def _polynomial(y: Tensor, coefficients: Sequence[float]) -> Tensor:
    result: Any = coefficients[-1]
    for c in coefficients[-2::-1]:
        result = c + y * result
    return result


def log_modified_bessel(x: Tensor, order: int = 0) -> Tensor:
    """The logarithm of the modified Bessel function of the first kind, of order 0 or 1, for positive x.

    >>> log_modified_bessel(torch.tensor(1.0))
    tensor(0.2359)
    """
    small = _polynomial((x / 3.75).pow(2), _SMALL[order])
    small = (x.abs() * small).log() if order == 1 else small.log()
    large = x - 0.5 * x.log() + _polynomial(3.75 / x, _LARGE[order]).log()
    return torch.where(x < 3.75, small, large)


class VonMises(Distribution):
    """Angles around ``loc``, with a density proportional to ``exp(concentration cos(x - loc))``.

    Args:
        loc: any number.
        concentration: above 0.

    Shape:
        Numbers or floating point tensors: arguments broadcast to (*); a sample is ``sample_shape`` + (*).

    Raises:
        ValueError: an argument is outside its range, or an argument of `log_prob` is outside `support`.

    >>> d = VonMises(torch.tensor([0.0]), torch.tensor([4.0]))
    >>> d.mean, d.log_prob(torch.tensor([0.0])).exp()
    (tensor([0.]), tensor([0.7689]))
    """

    arg_constraints = {"loc": constraints.real, "concentration": constraints.positive}
    support = constraints.real
    has_rsample = False

    def __init__(self, loc: Tensor | float, concentration: Tensor | float, validate_args: bool | None = None) -> None:
        self.loc, self.concentration = broadcast_all(loc, concentration)
        super().__init__(self.loc.shape, torch.Size(), validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Self:
        try:
            return super().expand(batch_shape)
        except NotImplementedError:
            return type(self)(
                self.loc.expand(batch_shape),
                self.concentration.expand(batch_shape),
                validate_args=self.__dict__.get("_validate_args"),
            )

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        log_prob = self.concentration * torch.cos(value - self.loc)
        return log_prob - math.log(2 * math.pi) - log_modified_bessel(self.concentration, order=0)

    @lazy_property
    def _loc(self) -> Tensor:
        return self.loc.to(torch.double)

    @lazy_property
    def _concentration(self) -> Tensor:
        return self.concentration.to(torch.double)

    @lazy_property
    def _proposal_r(self) -> Tensor:
        kappa = self._concentration
        tau = 1 + (1 + 4 * kappa**2).sqrt()
        rho = (tau - (2 * tau).sqrt()) / (2 * kappa)
        return torch.where(kappa < 1e-5, 1 / kappa + kappa, (1 + rho**2) / (2 * rho))

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Best and Fisher's rejection from a wrapped Cauchy distribution, in double precision."""
        with no_grad():
            x = torch.empty(self._extended_shape(sample_shape), dtype=torch.double)
            k, r = self._concentration.expand(x.shape), self._proposal_r.expand(x.shape)
            done = torch.zeros(x.shape, dtype=torch.bool)
            while not done.all():
                u1, u2, u3 = torch.rand((3,) + x.shape, dtype=torch.double).unbind()
                z = torch.cos(math.pi * u1)
                f = (1 + r * z) / (r + z)
                c = k * (r - f)
                accept = ((c * (2 - c) - u2) > 0) | ((c / u2).log() + 1 - c >= 0)
                if accept.any():
                    x = torch.where(accept, (u3 - 0.5).sign() * f.acos(), x)
                    done = done | accept
            x = (x + math.pi + self._loc.expand(x.shape)) % (2 * math.pi) - math.pi
            return x.to(self.loc.dtype)

    mean = mode = property(lambda self: self.loc)

    @lazy_property
    def variance(self) -> Tensor:
        """The circular variance, between 0 and 1."""
        k = self.concentration
        return 1 - (log_modified_bessel(k, order=1) - log_modified_bessel(k, order=0)).exp()
