"""Transforms from unconstrained numbers to a constraint: one to one (`biject_to`), or any (`transform_to`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar, overload

from flambeau_distributions import constraints, transforms

if TYPE_CHECKING:
    from flambeau_distributions._transform import Transform
    from flambeau_distributions.constraints import Constraint

_F = TypeVar("_F", bound=Callable[..., Any])

__all__ = ["ConstraintRegistry", "biject_to", "transform_to"]


class ConstraintRegistry:
    """From constraints to transforms, by the type of the constraint.

    Raises:
        NotImplementedError: by a call: no transform is registered for the type of the constraint.

    >>> from flambeau.distributions import biject_to, constraints
    >>> to_positive = biject_to(constraints.positive)
    >>> to_positive(torch.tensor([-1.0, 0.0])), to_positive.inv(torch.tensor([1.0]))
    (tensor([0.3679, 1.0000]), tensor([0.]))
    """

    def __init__(self) -> None:
        self._registry: dict[type, Callable[..., Any]] = {}
        super().__init__()

    @overload
    def register(self, constraint: Any) -> Callable[[_F], _F]: ...
    @overload
    def register(self, constraint: Any, factory: _F) -> _F: ...
    def register(self, constraint: Any, factory: Callable[..., Any] | None = None) -> Any:
        """Register ``factory(constraint)`` as the factory of transforms for a type of constraint; also a decorator.

        Args:
            constraint: a subclass of `Constraint`, or an object of one.
            factory: a function.

        Raises:
            TypeError: ``constraint`` is none.
        """
        if factory is None:
            return lambda factory: self.register(constraint, factory)
        kind = type(constraint) if isinstance(constraint, constraints.Constraint) else constraint
        if not isinstance(kind, type) or not issubclass(kind, constraints.Constraint):
            raise TypeError(f"Expected constraint to be either a Constraint subclass or instance, but got {constraint}")
        self._registry[kind] = factory
        return factory

    def __call__(self, constraint: Constraint) -> Transform:
        try:
            factory = self._registry[type(constraint)]
        except KeyError:
            raise NotImplementedError(f"Cannot transform {type(constraint).__name__} constraints") from None
        return factory(constraint)


biject_to = ConstraintRegistry()
transform_to = ConstraintRegistry()


def _both(*kinds: Any) -> Callable[[_F], _F]:
    def decorator(factory: _F) -> _F:
        for kind in kinds:
            biject_to.register(kind, factory)
            transform_to.register(kind, factory)
        return factory

    return decorator


@_both(constraints.real)
def _real(constraint: Any) -> Transform:
    return transforms.identity_transform


@biject_to.register(constraints.independent)
def _biject_independent(constraint: Any) -> Transform:
    return transforms.IndependentTransform(biject_to(constraint.base_constraint), constraint.reinterpreted_batch_ndims)


@transform_to.register(constraints.independent)
def _transform_independent(constraint: Any) -> Transform:
    return transforms.IndependentTransform(
        transform_to(constraint.base_constraint), constraint.reinterpreted_batch_ndims
    )


@_both(constraints.greater_than, constraints.greater_than_eq)
def _above(constraint: Any) -> Transform:
    return transforms.ComposeTransform(
        [transforms.ExpTransform(), transforms.AffineTransform(constraint.lower_bound, 1)]
    )


@_both(constraints.less_than)
def _below(constraint: Any) -> Transform:
    return transforms.ComposeTransform(
        [transforms.ExpTransform(), transforms.AffineTransform(constraint.upper_bound, -1)]
    )


def _is(bound: Any, value: float) -> bool:
    return isinstance(bound, (int, float)) and bound == value


@_both(constraints.interval, constraints.half_open_interval)
def _interval(constraint: Any) -> Transform:
    low, high = constraint.lower_bound, constraint.upper_bound
    if _is(low, 0) and _is(high, 1):
        return transforms.SigmoidTransform()
    return transforms.ComposeTransform([transforms.SigmoidTransform(), transforms.AffineTransform(low, high - low)])


@biject_to.register(constraints.simplex)
def _biject_simplex(constraint: Any) -> Transform:
    return transforms.StickBreakingTransform()


@transform_to.register(constraints.simplex)
def _transform_simplex(constraint: Any) -> Transform:
    return transforms.SoftmaxTransform()


@transform_to.register(constraints.lower_cholesky)
def _lower_cholesky(constraint: Any) -> Transform:
    return transforms.LowerCholeskyTransform()


@transform_to.register(constraints.positive_definite)
@transform_to.register(constraints.positive_semidefinite)
def _positive_definite(constraint: Any) -> Transform:
    return transforms.PositiveDefiniteTransform()


@_both(constraints.corr_cholesky)
def _corr_cholesky(constraint: Any) -> Transform:
    return transforms.CorrCholeskyTransform()


@biject_to.register(constraints.cat)
def _biject_cat(constraint: Any) -> Transform:
    return transforms.CatTransform([biject_to(c) for c in constraint.cseq], constraint.dim, constraint.lengths)


@transform_to.register(constraints.cat)
def _transform_cat(constraint: Any) -> Transform:
    return transforms.CatTransform([transform_to(c) for c in constraint.cseq], constraint.dim, constraint.lengths)


@biject_to.register(constraints.stack)
def _biject_stack(constraint: Any) -> Transform:
    return transforms.StackTransform([biject_to(c) for c in constraint.cseq], constraint.dim)


@transform_to.register(constraints.stack)
def _transform_stack(constraint: Any) -> Transform:
    return transforms.StackTransform([transform_to(c) for c in constraint.cseq], constraint.dim)
