"""Transforms of tensors, with the logarithms of their Jacobian determinants."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, cast

import flambeau_tensor as torch
from flambeau_distributions import constraints
from flambeau_distributions._transform import (
    ComposeTransform,
    IndependentTransform,
    ReshapeTransform,
    Transform,
    TransformWithoutParameters,
    _InverseTransform,  # noqa: F401  (programs ask for it)
    identity_transform,
)
from flambeau_distributions._vector_transforms import (
    CorrCholeskyTransform,
    LowerCholeskyTransform,
    PositiveDefiniteTransform,
    SoftmaxTransform,
    StickBreakingTransform,
)
from flambeau_distributions.parameters import broadcast_all, is_number, softplus, sum_rightmost
from flambeau_tensor import Tensor

if TYPE_CHECKING:
    from flambeau_distributions.constraints import Constraint
    from flambeau_distributions.distribution import Distribution

__all__ = [
    "AbsTransform",
    "AffineTransform",
    "CatTransform",
    "ComposeTransform",
    "CorrCholeskyTransform",
    "CumulativeDistributionTransform",
    "ExpTransform",
    "IndependentTransform",
    "LowerCholeskyTransform",
    "PositiveDefiniteTransform",
    "PowerTransform",
    "ReshapeTransform",
    "SigmoidTransform",
    "SoftmaxTransform",
    "SoftplusTransform",
    "StackTransform",
    "StickBreakingTransform",
    "TanhTransform",
    "Transform",
    "identity_transform",
]


class ExpTransform(TransformWithoutParameters):
    """exp(x).

    Raises:
        ValueError: ``cache_size`` is neither 0 nor 1.

    >>> t, x = ExpTransform(), torch.tensor([0.0, 1.0])
    >>> t(x), t.log_abs_det_jacobian(x, t(x))
    (tensor([1.0000, 2.7183]), tensor([0., 1.]))
    """

    domain = constraints.real
    codomain = constraints.positive
    bijective = True
    sign = +1

    def _call(self, x: Tensor) -> Tensor:
        return x.exp()

    def _inverse(self, y: Tensor) -> Tensor:
        return y.log()

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return x


class PowerTransform(Transform):
    """x to the power ``exponent``, element by element, for positive x; the two broadcast.

    Raises:
        ValueError: ``cache_size`` is neither 0 nor 1.

    >>> PowerTransform(2.0)(torch.tensor([1.0, 3.0]))
    tensor([1., 9.])
    """

    domain = constraints.positive
    codomain = constraints.positive
    bijective = True

    def __init__(self, exponent: Tensor | float, cache_size: int = 0) -> None:
        super().__init__(cache_size=cache_size)
        (self.exponent,) = broadcast_all(exponent)

    def with_cache(self, cache_size: int = 1) -> Transform:
        return self if self._cache_size == cache_size else PowerTransform(self.exponent, cache_size=cache_size)

    @property
    def sign(self) -> Any:
        return self.exponent.sign()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PowerTransform) and bool(self.exponent.eq(other.exponent).all())

    __hash__ = object.__hash__

    def _call(self, x: Tensor) -> Tensor:
        return x.pow(self.exponent)

    def _inverse(self, y: Tensor) -> Tensor:
        return y.pow(1 / self.exponent)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return (self.exponent * y / x).abs().log()

    def forward_shape(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        return torch.broadcast_shapes(shape, getattr(self.exponent, "shape", ()))

    inverse_shape = forward_shape


def _clipped_sigmoid(x: Tensor) -> Tensor:
    """Return the sigmoid, clipped to the open interval."""
    info = torch.finfo(x.dtype)
    return torch.clamp(torch.sigmoid(x), min=info.tiny, max=1.0 - info.eps)


class SigmoidTransform(TransformWithoutParameters):
    """1 / (1 + exp(-x)).

    Raises:
        ValueError: ``cache_size`` is neither 0 nor 1.

    >>> SigmoidTransform()(torch.tensor([0.0, 2.0]))
    tensor([0.5000, 0.8808])
    """

    domain = constraints.real
    codomain = constraints.unit_interval
    bijective = True
    sign = +1

    def _call(self, x: Tensor) -> Tensor:
        return _clipped_sigmoid(x)

    def _inverse(self, y: Tensor) -> Tensor:
        info = torch.finfo(y.dtype)
        y = y.clamp(min=info.tiny, max=1.0 - info.eps)
        return y.log() - (-y).log1p()

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return -softplus(-x) - softplus(x)


class SoftplusTransform(TransformWithoutParameters):
    """log(1 + exp(x)).

    Raises:
        ValueError: ``cache_size`` is neither 0 nor 1.

    >>> SoftplusTransform()(torch.tensor([0.0, 2.0]))
    tensor([0.6931, 2.1269])
    """

    domain = constraints.real
    codomain = constraints.positive
    bijective = True
    sign = +1

    def _call(self, x: Tensor) -> Tensor:
        return softplus(x)

    def _inverse(self, y: Tensor) -> Tensor:
        return (-y).expm1().neg().log() + y

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return -softplus(-x)


class TanhTransform(TransformWithoutParameters):
    """tanh(x).

    Raises:
        ValueError: ``cache_size`` is neither 0 nor 1.

    >>> TanhTransform()(torch.tensor([0.0, 2.0]))
    tensor([0.0000, 0.9640])
    """

    domain = constraints.real
    codomain = constraints.interval(-1.0, 1.0)
    bijective = True
    sign = +1

    def _call(self, x: Tensor) -> Tensor:
        return x.tanh()

    def _inverse(self, y: Tensor) -> Tensor:
        return torch.atanh(y)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return 2.0 * (0.6931471805599453 - x - softplus(-2.0 * x))


class AbsTransform(TransformWithoutParameters):
    """The transform |x|; its inverse returns x ≥ 0.

    Raises:
        ValueError: ``cache_size`` is neither 0 nor 1.
        NotImplementedError: the Jacobian is requested, but the transform is not bijective.

    >>> t = AbsTransform()
    >>> t(torch.tensor([-1.0, 2.0])), t.inv(torch.tensor([1.0]))
    (tensor([1., 2.]), tensor([1.]))
    """

    domain = constraints.real
    codomain = constraints.positive

    def _call(self, x: Tensor) -> Tensor:
        return x.abs()

    def _inverse(self, y: Tensor) -> Tensor:
        return y


class AffineTransform(Transform):
    """``loc + scale * x``; ``event_dim`` dimensions belong to one value.

    Raises:
        ValueError: ``cache_size`` is neither 0 nor 1.

    >>> t, x = AffineTransform(1.0, 2.0), torch.tensor([0.0, 3.0])
    >>> t(x), t.inv(t(x)), t.log_abs_det_jacobian(x, t(x))
    (tensor([1., 7.]), tensor([0., 3.]), tensor([0.6931, 0.6931]))
    """

    bijective = True

    def __init__(self, loc: Tensor | float, scale: Tensor | float, event_dim: int = 0, cache_size: int = 0) -> None:
        super().__init__(cache_size=cache_size)
        self.loc, self.scale, self._event_dim = loc, scale, event_dim

    event_dim = property(lambda self: self._event_dim)

    @constraints.dependent_property(is_discrete=False)
    def domain(self) -> Constraint:
        return constraints.real if self.event_dim == 0 else constraints.independent(constraints.real, self.event_dim)

    codomain = domain

    def with_cache(self, cache_size: int = 1) -> Transform:
        if self._cache_size == cache_size:
            return self
        return AffineTransform(self.loc, self.scale, self.event_dim, cache_size=cache_size)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, AffineTransform):
            return False
        return _equal(self.loc, other.loc) and _equal(self.scale, other.scale)

    __hash__ = object.__hash__

    @property
    def sign(self) -> Any:
        if is_number(self.scale):
            return (self.scale > 0) - (self.scale < 0)
        return self.scale.sign()

    def _call(self, x: Tensor) -> Tensor:
        return self.loc + self.scale * x

    def _inverse(self, y: Tensor) -> Tensor:
        return (y - self.loc) / self.scale

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        scale = torch.tensor(float(self.scale), dtype=x.dtype) if is_number(self.scale) else self.scale
        result, shape = torch.log(torch.abs(scale)), x.shape
        if is_number(self.scale):
            result = result.expand(shape)
        if self.event_dim:
            result = (
                result.expand(torch.broadcast_shapes(result.shape, shape)) if result.dim() < self.event_dim else result
            )
            result = result.reshape(result.shape[: -self.event_dim] + (-1,)).sum(-1)
            shape = shape[: -self.event_dim]
        return result.expand(shape)

    def forward_shape(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        return torch.broadcast_shapes(shape, getattr(self.loc, "shape", ()), getattr(self.scale, "shape", ()))

    inverse_shape = forward_shape


def _equal(a: Tensor | float, b: Tensor | float) -> bool:
    return bool(a == b) if is_number(a) and is_number(b) else bool((torch.as_tensor(a) == torch.as_tensor(b)).all())


class _Parts(Transform):
    """Transforms of parts of a tensor along a dimension."""

    _split: Callable[..., Any]
    _join: Callable[..., Tensor]

    def __init__(self, tseq: Sequence[Transform], dim: int = 0, cache_size: int = 0) -> None:
        if not all(isinstance(t, Transform) for t in tseq):
            raise AssertionError("All elements of tseq must be Transform instances")
        if cache_size:
            tseq = [t.with_cache(cache_size) for t in tseq]
        super().__init__(cache_size=cache_size)
        self.transforms, self.dim = list(tseq), dim

    bijective = property(lambda self: all(t.bijective for t in self.transforms))

    def _call(self, x: Tensor) -> Tensor:
        return self._join([t(part) for t, part in zip(self.transforms, self._split(x), strict=True)])

    def _inverse(self, y: Tensor) -> Tensor:
        return self._join([t.inv(part) for t, part in zip(self.transforms, self._split(y), strict=True)])


class CatTransform(_Parts):
    """Transforms of pieces of the given lengths along a dimension.

    Raises:
        AssertionError: a part is not a transform; the dimension is out of range.

    >>> t = CatTransform([ExpTransform(), AffineTransform(0.0, 10.0)], lengths=[1, 2])
    >>> t(torch.tensor([0.0, 1.0, 2.0]))
    tensor([ 1., 10., 20.])
    """

    def __init__(
        self, tseq: Sequence[Transform], dim: int = 0, lengths: Sequence[int] | None = None, cache_size: int = 0
    ) -> None:
        super().__init__(tseq, dim, cache_size)
        self.lengths = [1] * len(self.transforms) if lengths is None else list(lengths)
        if len(self.lengths) != len(self.transforms):
            raise AssertionError(f"lengths must match tseq: {len(self.lengths)} != {len(self.transforms)}")

    event_dim = property(lambda self: max(t.event_dim for t in self.transforms))
    length = property(lambda self: sum(self.lengths))

    def with_cache(self, cache_size: int = 1) -> Transform:
        if self._cache_size == cache_size:
            return self
        return CatTransform(self.transforms, self.dim, self.lengths, cache_size)

    def _split(self, x: Tensor) -> tuple[Tensor, ...]:
        if not (-x.dim() <= self.dim < x.dim() and x.size(self.dim) == self.length):
            raise AssertionError(
                f"CatTransform takes {self.length} elements along dimension {self.dim}, not a tensor "
                f"of shape {tuple(x.shape)}"
            )
        return x.split(self.lengths, self.dim)

    def _join(self, parts: Sequence[Tensor]) -> Tensor:
        return torch.cat(parts, self.dim)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        parts = []
        for t, a, b in zip(self.transforms, self._split(x), self._split(y), strict=True):
            part = t.log_abs_det_jacobian(a, b)
            parts.append(sum_rightmost(part, self.event_dim - t.event_dim) if t.event_dim < self.event_dim else part)
        dim = self.dim - x.dim() if self.dim >= 0 else self.dim
        dim += self.event_dim
        return torch.cat(parts, dim) if dim < 0 else cast(Tensor, sum(parts))

    @constraints.dependent_property
    def domain(self) -> Constraint:
        return constraints.cat([t.domain for t in self.transforms], self.dim, self.lengths)

    @constraints.dependent_property
    def codomain(self) -> Constraint:
        return constraints.cat([t.codomain for t in self.transforms], self.dim, self.lengths)


class StackTransform(_Parts):
    """Transforms of the slices along a dimension.

    Raises:
        AssertionError: a part is not a transform, or the parts do not match the dimension.

    >>> t = StackTransform([ExpTransform(), AffineTransform(0.0, 10.0)])
    >>> t(torch.tensor([[0.0, 1.0], [1.0, 2.0]]))
    tensor([[ 1.0000,  2.7183],
            [10.0000, 20.0000]])
    """

    def with_cache(self, cache_size: int = 1) -> Transform:
        return self if self._cache_size == cache_size else StackTransform(self.transforms, self.dim, cache_size)

    def _split(self, x: Tensor) -> tuple[Tensor, ...]:
        if not (-x.dim() <= self.dim < x.dim() and x.size(self.dim) == len(self.transforms)):
            raise AssertionError(
                f"StackTransform takes {len(self.transforms)} slices along dimension {self.dim}, not "
                f"a tensor of shape {tuple(x.shape)}"
            )
        return x.unbind(self.dim)

    def _join(self, parts: Sequence[Tensor]) -> Tensor:
        return torch.stack(parts, self.dim)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        each = zip(self.transforms, self._split(x), self._split(y), strict=True)
        return torch.stack([t.log_abs_det_jacobian(a, b) for t, a, b in each], self.dim)

    @constraints.dependent_property
    def domain(self) -> Constraint:
        return constraints.stack([t.domain for t in self.transforms], self.dim)

    @constraints.dependent_property
    def codomain(self) -> Constraint:
        return constraints.stack([t.codomain for t in self.transforms], self.dim)


class CumulativeDistributionTransform(Transform):
    """The distribution function of a distribution.

    Raises:
        AttributeError: the distribution has no ``cdf``.

    >>> t = CumulativeDistributionTransform(torch.distributions.Normal(0.0, 1.0))
    >>> t(torch.tensor([0.0, 1.0]))
    tensor([0.5000, 0.8413])
    """

    bijective = True
    codomain = constraints.unit_interval
    sign = +1

    def __init__(self, distribution: Distribution, cache_size: int = 0) -> None:
        super().__init__(cache_size=cache_size)
        self.distribution = distribution

    domain = property(lambda self: self.distribution.support)

    def _call(self, x: Tensor) -> Tensor:
        return self.distribution.cdf(x)

    def _inverse(self, y: Tensor) -> Tensor:
        return self.distribution.icdf(y)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return self.distribution.log_prob(x)

    def with_cache(self, cache_size: int = 1) -> Transform:
        if self._cache_size == cache_size:
            return self
        return CumulativeDistributionTransform(self.distribution, cache_size=cache_size)
