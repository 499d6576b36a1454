"""Constraints on parameters and values: objects with a method ``check`` that tests each element."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import flambeau_tensor as torch
from flambeau_tensor import Tensor, linalg

__all__ = [
    "Constraint",
    "MixtureSameFamilyConstraint",
    "boolean",
    "cat",
    "corr_cholesky",
    "dependent",
    "dependent_property",
    "greater_than",
    "greater_than_eq",
    "half_open_interval",
    "independent",
    "integer_interval",
    "interval",
    "is_dependent",
    "less_than",
    "lower_cholesky",
    "lower_triangular",
    "multinomial",
    "nonnegative",
    "nonnegative_integer",
    "one_hot",
    "positive",
    "positive_definite",
    "positive_integer",
    "positive_semidefinite",
    "real",
    "real_vector",
    "simplex",
    "square",
    "stack",
    "symmetric",
    "unit_interval",
]


class Constraint:
    """A constraint on values.

    ``is_discrete`` is true for sets of separate points, and ``event_dim`` is the number of the last dimensions that
    form one value: `check` returns one boolean for each value.

    Raises:
        NotImplementedError: a subclass does not define ``check``.

    >>> positive.check(torch.tensor([-1.0, 2.0])), positive.event_dim, simplex.event_dim
    (tensor([False,  True]), 0, 1)
    """

    is_discrete = False
    event_dim = 0

    def check(self, value: Tensor) -> Tensor:
        """Return True if values satisfy the constraint: booleans without the value's last ``event_dim`` dimensions."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return self.__class__.__name__[1:] + "()"


class _Dependent(Constraint):
    """A region that depends on other values.

    Raises:
        ValueError: a value is checked, but the region depends on the distribution's parameters.

    >>> is_dependent(dependent), is_dependent(dependent(is_discrete=False, event_dim=0)), is_dependent(positive)
    (True, True, False)
    """

    def __init__(self, *, is_discrete: Any = NotImplemented, event_dim: Any = NotImplemented) -> None:
        self._is_discrete, self._event_dim = is_discrete, event_dim
        super().__init__()

    @property
    def is_discrete(self) -> bool:  # type: ignore[override]
        if self._is_discrete is NotImplemented:
            raise NotImplementedError(".is_discrete cannot be determined statically")
        return self._is_discrete

    @property
    def event_dim(self) -> int:  # type: ignore[override]
        if self._event_dim is NotImplemented:
            raise NotImplementedError(".event_dim cannot be determined statically")
        return self._event_dim

    def __call__(self, *, is_discrete: Any = NotImplemented, event_dim: Any = NotImplemented) -> Constraint:
        """``@constraints.dependent(is_discrete=…, event_dim=…)``."""
        return _Dependent(
            is_discrete=self._is_discrete if is_discrete is NotImplemented else is_discrete,
            event_dim=self._event_dim if event_dim is NotImplemented else event_dim,
        )

    def check(self, x: Tensor) -> Tensor:
        raise ValueError("Cannot determine validity of dependent constraint")


def is_dependent(constraint: object) -> bool:
    """Return True if a constraint is known only when parameters are.

    >>> is_dependent(dependent), is_dependent(positive)
    (True, False)
    """
    return isinstance(constraint, _Dependent)


class dependent_property(property, _Dependent):  # noqa: N801
    """A property that returns a constraint; read from the class, it is a dependent constraint.

    Raises:
        ValueError: a value is checked, but the region depends on the distribution's parameters.

    >>> class Above:
    ...     def __init__(self, bound):
    ...         self.bound = bound
    ...     @dependent_property(is_discrete=False, event_dim=0)
    ...     def support(self):
    ...         return greater_than(self.bound)
    >>> is_dependent(Above.support), Above(2.0).support
    (True, GreaterThan(lower_bound=2.0))
    """

    def __init__(self, fn: Any = None, *, is_discrete: Any = NotImplemented, event_dim: Any = NotImplemented) -> None:
        property.__init__(self, fn)
        self._is_discrete, self._event_dim = is_discrete, event_dim

    def __call__(self, fn: Any) -> dependent_property:  # type: ignore[override]
        """``@constraints.dependent_property(is_discrete=…, event_dim=…)``."""
        return dependent_property(fn, is_discrete=self._is_discrete, event_dim=self._event_dim)


class _IndependentConstraint(Constraint):
    """A constraint whose last batch dimensions are part of a value.

    Raises:
        AssertionError: the argument is not a constraint.

    >>> independent(positive, 1).check(torch.tensor([[1.0, 2.0], [1.0, -2.0]]))
    tensor([ True, False])
    """

    def __init__(self, base_constraint: Constraint, reinterpreted_batch_ndims: int) -> None:
        if not isinstance(base_constraint, Constraint):
            raise AssertionError(f"independent() takes a Constraint, not {type(base_constraint).__name__}")
        if not isinstance(reinterpreted_batch_ndims, int) or reinterpreted_batch_ndims < 0:
            raise AssertionError(f"independent() takes a number of dimensions, not {reinterpreted_batch_ndims!r}")
        self.base_constraint = base_constraint
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims

    @property
    def is_discrete(self) -> bool:  # type: ignore[override]
        return self.base_constraint.is_discrete

    @property
    def event_dim(self) -> int:  # type: ignore[override]
        return self.base_constraint.event_dim + self.reinterpreted_batch_ndims

    def check(self, value: Tensor) -> Tensor:
        result = self.base_constraint.check(value)
        if result.dim() < self.reinterpreted_batch_ndims:
            expected = self.base_constraint.event_dim + self.reinterpreted_batch_ndims
            raise ValueError(f"Expected value.dim() >= {expected} but got {value.dim()}")
        return result.reshape(result.shape[: result.dim() - self.reinterpreted_batch_ndims] + (-1,)).all(-1)

    def __repr__(self) -> str:
        return f"{self.__class__.__name__[1:]}({self.base_constraint!r}, {self.reinterpreted_batch_ndims})"


class MixtureSameFamilyConstraint(Constraint):
    """The constraint of a mixture: that of its components, which values are broadcast against.

    Raises:
        AssertionError: the argument is not a constraint.

    >>> MixtureSameFamilyConstraint(positive).check(torch.tensor([-1.0, 2.0]))
    tensor([False,  True])
    """

    def __init__(self, base_constraint: Constraint) -> None:
        if not isinstance(base_constraint, Constraint):
            raise AssertionError(
                f"MixtureSameFamilyConstraint takes a Constraint, not {type(base_constraint).__name__}"
            )
        self.base_constraint = base_constraint

    @property
    def is_discrete(self) -> bool:  # type: ignore[override]
        return self.base_constraint.is_discrete

    @property
    def event_dim(self) -> int:  # type: ignore[override]
        return self.base_constraint.event_dim

    def check(self, value: Tensor) -> Tensor:
        result = self.base_constraint.check(value.unsqueeze(-1 - self.event_dim))
        if value.dim() < self.event_dim:
            raise ValueError(f"Expected value.dim() >= {self.event_dim} but got {value.dim()}")
        return result.reshape(result.shape[: value.dim() - self.event_dim] + (-1,)).all(-1)

    def __repr__(self) -> str:
        return f"{self.__class__.__name__}({self.base_constraint!r})"


class _Boolean(Constraint):
    is_discrete = True

    def check(self, value: Tensor) -> Tensor:
        return (value == 0) | (value == 1)


class _OneHot(Constraint):
    is_discrete = True
    event_dim = 1

    def check(self, value: Tensor) -> Tensor:
        return ((value == 0) | (value == 1)).all(-1) & value.sum(-1).eq(1)


class _Bounded(Constraint):
    """With bounds that its representation shows."""

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={value}" for name, value in self.__dict__.items() if name.endswith("_bound"))
        return f"{self.__class__.__name__[1:]}({shown})"


class _Interval(_Bounded):
    """From one number to another one, both included.

    Raises:
        RuntimeError: shapes of the value and a bound cannot be broadcast.

    >>> interval(0.0, 1.0).check(torch.tensor([0.0, 0.5, 2.0]))
    tensor([ True,  True, False])
    """

    def __init__(self, lower_bound: Any, upper_bound: Any) -> None:
        self.lower_bound, self.upper_bound = lower_bound, upper_bound
        super().__init__()

    def check(self, value: Tensor) -> Tensor:
        return (self.lower_bound <= value) & (value <= self.upper_bound)


class _IntegerInterval(_Interval):
    """Whole numbers from one to another, both included.

    Raises:
        RuntimeError: shapes of the value and a bound cannot be broadcast.

    >>> integer_interval(1, 3).check(torch.tensor([1.0, 1.5, 4.0]))
    tensor([ True, False, False])
    """

    is_discrete = True

    def check(self, value: Tensor) -> Tensor:
        return (value % 1 == 0) & (self.lower_bound <= value) & (value <= self.upper_bound)


class _HalfOpenInterval(_Interval):
    """Between two numbers, of which only the lower one is included.

    Raises:
        RuntimeError: shapes of the value and a bound cannot be broadcast.

    >>> half_open_interval(0.0, 1.0).check(torch.tensor([0.0, 1.0]))
    tensor([ True, False])
    """

    def check(self, value: Tensor) -> Tensor:
        return (self.lower_bound <= value) & (value < self.upper_bound)


class _GreaterThan(_Bounded):
    """Above a number.

    Raises:
        RuntimeError: shapes of the value and the bound cannot be broadcast.

    >>> greater_than(1.0).check(torch.tensor([1.0, 2.0]))
    tensor([False,  True])
    """

    def __init__(self, lower_bound: Any) -> None:
        self.lower_bound = lower_bound
        super().__init__()

    def check(self, value: Tensor) -> Tensor:
        return value > self.lower_bound


class _GreaterThanEq(_GreaterThan):
    """Numbers greater than or equal to a bound.

    Raises:
        RuntimeError: shapes of the value and the bound cannot be broadcast.

    >>> greater_than_eq(1.0).check(torch.tensor([1.0, 0.0]))
    tensor([ True, False])
    """

    def check(self, value: Tensor) -> Tensor:
        return value >= self.lower_bound


class _IntegerGreaterThan(_GreaterThan):
    is_discrete = True

    def check(self, value: Tensor) -> Tensor:
        return (value % 1 == 0) & (value >= self.lower_bound)


class _LessThan(_Bounded):
    """Below a number.

    Raises:
        RuntimeError: shapes of the value and the bound cannot be broadcast.

    >>> less_than(1.0).check(torch.tensor([1.0, 0.0]))
    tensor([False,  True])
    """

    def __init__(self, upper_bound: Any) -> None:
        self.upper_bound = upper_bound
        super().__init__()

    def check(self, value: Tensor) -> Tensor:
        return value < self.upper_bound


class _IntegerLessThan(_LessThan):
    is_discrete = True

    def check(self, value: Tensor) -> Tensor:
        return (value % 1 == 0) & (value <= self.upper_bound)


class _Real(Constraint):
    def check(self, value: Tensor) -> Tensor:
        return value == value  # all but nan


class _Simplex(Constraint):
    event_dim = 1

    def check(self, value: Tensor) -> Tensor:
        return torch.all(value >= 0, dim=-1) & ((value.sum(-1) - 1).abs() < 1e-6)


class _Multinomial(Constraint):
    """Whole numbers, from 0, whose sum along the last dimension is at most a number.

    Raises:
        RuntimeError: shapes of the sums and the bound cannot be broadcast.

    >>> multinomial(3).check(torch.tensor([[1.0, 2.0], [3.0, 2.0]]))
    tensor([ True, False])
    """

    is_discrete = True
    event_dim = 1

    def __init__(self, upper_bound: Any) -> None:
        self.upper_bound = upper_bound

    def check(self, x: Tensor) -> Tensor:
        return (x >= 0).all(dim=-1) & (x.sum(dim=-1) <= self.upper_bound)


class _LowerTriangular(Constraint):
    event_dim = 2

    def check(self, value: Tensor) -> Tensor:
        return (value.tril() == value).flatten(-2).all(-1)


class _LowerCholesky(Constraint):
    event_dim = 2

    def check(self, value: Tensor) -> Tensor:
        return (value.tril() == value).flatten(-2).all(-1) & (value.diagonal(dim1=-2, dim2=-1) > 0).all(-1)


class _CorrCholesky(Constraint):
    event_dim = 2

    def check(self, value: Tensor) -> Tensor:
        tolerance = torch.finfo(value.dtype).eps * value.size(-1) * 10
        lengths = linalg.norm(value.detach(), dim=-1)
        return lower_cholesky.check(value) & (lengths - 1.0).abs().le(tolerance).all(dim=-1)


class _Square(Constraint):
    event_dim = 2

    def check(self, value: Tensor) -> Tensor:
        return torch.full(value.shape[:-2], value.shape[-2] == value.shape[-1], dtype=torch.bool)


class _Symmetric(_Square):
    def check(self, value: Tensor) -> Tensor:
        square = super().check(value)
        if not torch._is_all_true(square):
            return square
        return torch.isclose(value, value.mT, atol=1e-6).all(-2).all(-1)


class _PositiveSemidefinite(_Symmetric):
    def check(self, value: Tensor) -> Tensor:
        symmetric = super().check(value)
        if not torch._is_all_true(symmetric):
            return symmetric
        return linalg.eigvalsh(value).ge(0).all(-1)


class _PositiveDefinite(_Symmetric):
    def check(self, value: Tensor) -> Tensor:
        symmetric = super().check(value)
        if not torch._is_all_true(symmetric):
            return symmetric
        return linalg.cholesky_ex(value)[1].eq(0)


class _Several(Constraint):
    """Constraints for parts of a tensor along a dimension."""

    def __init__(self, cseq: Sequence[Any], dim: int = 0) -> None:
        if not all(isinstance(c, Constraint) for c in cseq):
            raise AssertionError("all elements of cseq must be Constraint instances")
        self.cseq, self.dim = list(cseq), dim
        super().__init__()

    @property
    def is_discrete(self) -> bool:  # type: ignore[override]
        return any(c.is_discrete for c in self.cseq)


class _Cat(_Several):
    """Constraints for consecutive pieces of a tensor along a dimension.

    Raises:
        AssertionError: something is not a constraint, or the numbers of lengths and constraints differ.

    >>> cat([positive, real], lengths=[1, 2]).check(torch.tensor([1.0, -1.0, -2.0]))
    tensor([True, True, True])
    """

    def __init__(self, cseq: Sequence[Any], dim: int = 0, lengths: Sequence[int] | None = None) -> None:
        super().__init__(cseq, dim)
        self.lengths = [1] * len(self.cseq) if lengths is None else list(lengths)
        if len(self.lengths) != len(self.cseq):
            raise AssertionError(
                f"lengths must have the same length as cseq ({len(self.cseq)}), got {len(self.lengths)}"
            )

    @property
    def event_dim(self) -> int:  # type: ignore[override]
        return max(c.event_dim for c in self.cseq)

    def check(self, value: Tensor) -> Tensor:
        if not -value.dim() <= self.dim < value.dim():
            raise AssertionError(f"dim {self.dim} out of range for value with {value.dim()} dimensions")
        parts = value.split(self.lengths, self.dim)
        return torch.cat([c.check(part) for c, part in zip(self.cseq, parts, strict=True)], self.dim)


class _Stack(_Several):
    """Constraints for the slices of a tensor along a dimension.

    Raises:
        AssertionError: something is not a constraint.

    >>> stack([positive, real]).check(torch.tensor([[1.0, 2.0], [-1.0, -2.0]]))
    tensor([[True, True],
            [True, True]])
    """

    @property
    def event_dim(self) -> int:  # type: ignore[override]
        dim = max(c.event_dim for c in self.cseq)
        return dim + 1 if self.dim + dim < 0 else dim

    def check(self, value: Tensor) -> Tensor:
        if not -value.dim() <= self.dim < value.dim():
            raise AssertionError(f"dim {self.dim} out of range for value with {value.dim()} dimensions")
        parts = value.unbind(self.dim)
        return torch.stack([c.check(part) for c, part in zip(self.cseq, parts, strict=True)], self.dim)


dependent = _Dependent()
independent = _IndependentConstraint
boolean = _Boolean()
one_hot = _OneHot()
nonnegative_integer = _IntegerGreaterThan(0)
positive_integer = _IntegerGreaterThan(1)
integer_interval = _IntegerInterval
real = _Real()
real_vector = independent(real, 1)
positive = _GreaterThan(0.0)
nonnegative = _GreaterThanEq(0.0)
greater_than = _GreaterThan
greater_than_eq = _GreaterThanEq
less_than = _LessThan
multinomial = _Multinomial
unit_interval = _Interval(0.0, 1.0)
interval = _Interval
half_open_interval = _HalfOpenInterval
simplex = _Simplex()
lower_triangular = _LowerTriangular()
lower_cholesky = _LowerCholesky()
corr_cholesky = _CorrCholesky()
square = _Square()
symmetric = _Symmetric()
positive_semidefinite = _PositiveSemidefinite()
positive_definite = _PositiveDefinite()
cat = _Cat
stack = _Stack
