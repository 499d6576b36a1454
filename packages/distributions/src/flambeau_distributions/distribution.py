"""The base of all distributions."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from typing import Any, Self

import flambeau_tensor as torch
from flambeau_autograd import no_grad
from flambeau_distributions import constraints
from flambeau_distributions.parameters import lazy_property
from flambeau_tensor import Tensor

__all__ = ["Distribution"]

_Size = torch.Size
_Tensor = torch.Tensor
_EMPTY = torch.Size()


class Distribution:
    """A probability distribution, or a batch of them.

    Samples have the shape ``sample_shape + batch_shape + event_shape``.

    Args:
        batch_shape: the shape of the batch of distributions.
        event_shape: the shape of a single value.
        validate_args: whether to check parameters and values; default: the setting of `set_default_validate_args`.

    Raises:
        ValueError: a parameter does not satisfy its constraint.

    >>> d = torch.distributions.Normal(torch.zeros(2, 3), 1.0)
    >>> d.batch_shape, d.event_shape, d.sample((4,)).shape
    (torch.Size([2, 3]), torch.Size([]), torch.Size([4, 2, 3]))
    """

    has_rsample = False
    has_enumerate_support = False
    _validate_args = __debug__

    @staticmethod
    def set_default_validate_args(value: bool) -> None:
        """Say whether distributions check parameters and values from now on.

        Raises:
            ValueError: it is neither True nor False.
        """
        if value not in (True, False):
            raise ValueError("set_default_validate_args() takes True or False")
        Distribution._validate_args = value

    def __init__(
        self, batch_shape: torch.Size = _EMPTY, event_shape: torch.Size = _EMPTY, validate_args: bool | None = None
    ) -> None:
        self._batch_shape = batch_shape
        self._event_shape = event_shape
        if validate_args is not None:
            self._validate_args = validate_args
        if self._validate_args:
            self._validate_parameters()

    def _validate_parameters(self) -> None:
        try:
            arg_constraints = self.arg_constraints
        except NotImplementedError:
            warnings.warn(
                f"{self.__class__} does not define `arg_constraints`. Please set `arg_constraints = {{}}` or "
                "initialize the distribution with `validate_args=False` to turn off validation.",
                stacklevel=4,
            )
            return
        own, cls, is_dependent, is_all_true = self.__dict__, type(self), constraints.is_dependent, torch._is_all_true
        for name, constraint in arg_constraints.items():
            if name not in own and isinstance(getattr(cls, name, None), lazy_property):
                continue  # a lazy property that was not given
            if is_dependent(constraint):
                continue
            value = own[name] if name in own else getattr(self, name)
            if not is_all_true(constraint.check(value)):
                raise ValueError(
                    f"Expected parameter {name} ({type(value).__name__} of shape {tuple(value.shape)}) of "
                    f"distribution {self!r} to satisfy the constraint {constraint!r}, but found invalid "
                    f"values:\n{value}"
                )

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Self:
        """The same distributions for a larger batch shape; parameters are expanded, and nothing is copied."""
        raise NotImplementedError

    @property
    def batch_shape(self) -> torch.Size:
        """The shape of the batch of distributions."""
        return self._batch_shape

    @property
    def event_shape(self) -> torch.Size:
        """The shape of a single value."""
        return self._event_shape

    @property
    def arg_constraints(self) -> dict[str, Any]:
        """A dict from the names of parameters to their constraints."""
        raise NotImplementedError

    @property
    def support(self) -> Any:
        """The constraint that values satisfy."""
        raise NotImplementedError

    @property
    def mean(self) -> Tensor:
        """The mean."""
        raise NotImplementedError

    @property
    def mode(self) -> Tensor:
        """The mode."""
        raise NotImplementedError(f"{self.__class__} does not implement mode")

    @property
    def variance(self) -> Tensor:
        """The variance."""
        raise NotImplementedError

    @property
    def stddev(self) -> Tensor:
        """The standard deviation."""
        return self.variance.sqrt()

    def sample(self, sample_shape: Sequence[int] = _EMPTY) -> Tensor:
        """Values drawn at random, without gradients."""
        with no_grad():
            return self.rsample(sample_shape)

    def rsample(self, sample_shape: Sequence[int] = _EMPTY) -> Tensor:
        """Values drawn at random that have gradients by the parameters."""
        raise NotImplementedError

    def sample_n(self, n: int) -> Tensor:
        """The older form of ``sample((n,))``."""
        warnings.warn("sample_n will be deprecated. Use .sample((n,)) instead", UserWarning, stacklevel=2)
        return self.sample(_Size((n,)))

    def log_prob(self, value: Tensor) -> Tensor:
        """The logarithm of the density, or probability, of values."""
        raise NotImplementedError

    def cdf(self, value: Tensor) -> Tensor:
        """The probability of being at most a value."""
        raise NotImplementedError

    def icdf(self, value: Tensor) -> Tensor:
        """The value that is not exceeded with a probability."""
        raise NotImplementedError

    def enumerate_support(self, expand: bool = True) -> Tensor:
        """Return all values of a finite support along the first dimension."""
        raise NotImplementedError

    def entropy(self) -> Tensor:
        """The entropy, of the batch's shape."""
        raise NotImplementedError

    def perplexity(self) -> Tensor:
        """exp of the entropy."""
        return torch.exp(self.entropy())

    def _extended_shape(self, sample_shape: Sequence[int] = _EMPTY) -> torch.Size:
        if not isinstance(sample_shape, _Size):
            sample_shape = _Size(sample_shape)
        return _Size(sample_shape + self._batch_shape + self._event_shape)

    def _validate_sample(self, value: Tensor) -> None:
        """Raise unless the value is a tensor of a fitting shape within the support."""
        if not isinstance(value, _Tensor):
            raise ValueError("The value argument to log_prob must be a Tensor")
        shape: tuple[int, ...] = value.shape
        own: tuple[int, ...] = self._batch_shape
        if self._event_shape:
            own = own + self._event_shape
        if shape != own:
            self._check_shape(shape, own)
        try:
            support = self.support
        except NotImplementedError:
            warnings.warn(
                f"{self.__class__} does not define `support` to enable sample validation. Please initialize "
                "the distribution with `validate_args=False` to turn off validation.",
                stacklevel=3,
            )
            return
        valid = support.check(value)
        if not torch._is_all_true(valid):
            raise ValueError(
                f"Expected value argument ({type(value).__name__} of shape {tuple(shape)}) to be within "
                f"the support ({support!r}) of the distribution {self!r}, but found invalid values:\n"
                f"{value}"
            )

    def _check_shape(self, shape: Sequence[int], own: Sequence[int]) -> None:
        start = len(shape) - len(self._event_shape)
        if shape[max(start, 0) :] != self._event_shape:
            raise ValueError(f"The right-most size of value must match event_shape: {shape} vs {self._event_shape}.")
        for i, j in zip(reversed(shape), reversed(own), strict=False):
            if i != 1 and j != 1 and i != j:
                raise ValueError(f"Value is not broadcastable with batch_shape+event_shape: {shape} vs {_Size(own)}.")

    def _get_checked_instance(self, cls: type, _instance: Any = None) -> Any:
        if _instance is None and type(self).__init__ != cls.__init__:  # type: ignore[misc]
            raise NotImplementedError(
                f"Subclass {self.__class__.__name__} of {cls.__name__} that defines a custom "
                "__init__ method must also define a custom .expand() method."
            )
        return self.__new__(type(self)) if _instance is None else _instance

    def _expanded(
        self,
        cls: type,
        batch_shape: Sequence[int],
        _instance: Any,
        names: Iterable[str],
        keep: Iterable[str] = (),
        event_dims: dict[str, int] | None = None,
    ) -> Any:
        """Expand most kinds: the named parameters, each with its number of own dimensions; other fields are copied."""
        new = self._get_checked_instance(cls, _instance)
        batch_shape = _Size(batch_shape)
        for name in names:
            if name in self.__dict__:
                value = self.__dict__[name]
                own = (event_dims or {}).get(name, 0)
                setattr(new, name, value.expand(batch_shape + value.shape[value.dim() - own :] if own else batch_shape))
        for name in keep:
            setattr(new, name, getattr(self, name))
        super(cls, new).__init__(batch_shape, self._event_shape, validate_args=False)  # type: ignore[arg-type]
        new._validate_args = self._validate_args
        return new

    def __repr__(self) -> str:
        names = [name for name in self.arg_constraints if name in self.__dict__]
        shown = ", ".join(f"{name}: {_shown(self.__dict__[name])}" for name in names)
        return f"{self.__class__.__name__}({shown})"


def _shown(value: Tensor) -> Any:
    """A number, a tensor of one element, or a larger one's shape."""
    if value.numel() != 1:
        return value.size()
    return value if value.dim() else value.item()
