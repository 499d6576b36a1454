"""The base of transforms, and transforms of others: inverses, compositions, reshaping."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

import flambeau_tensor as torch
from flambeau_distributions import constraints
from flambeau_distributions.parameters import sum_rightmost
from flambeau_tensor import Tensor

if TYPE_CHECKING:
    from flambeau_distributions.constraints import Constraint


class Transform:
    """A transform with ``_call``, its inverse ``_inverse``, and ``log_abs_det_jacobian``.

    With ``cache_size=1`` the last input is kept with its result, so that inverting the result returns the input itself.
    ``domain`` and ``codomain`` are constraints; ``bijective`` is true if it is one to one, and ``sign`` is 1 if it
    increases and -1 if it decreases.

    Raises:
        ValueError: ``cache_size`` is neither 0 nor 1.
        NotImplementedError: a subclass does not define the requested method.

    >>> t = torch.distributions.ExpTransform()
    >>> t.domain, t.codomain, t.bijective, t.inv(torch.tensor(1.0))
    (Real(), GreaterThan(lower_bound=0.0), True, tensor(0.))
    """

    bijective: Any = False
    domain: Any
    codomain: Any

    def __init__(self, cache_size: int = 0) -> None:
        self._cache_size = cache_size
        self._inv: Any = None
        if cache_size == 1:
            self._cached_x_y: tuple[Any, Any] = None, None
        elif cache_size != 0:
            raise ValueError("cache_size must be 0 or 1")
        super().__init__()

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_inv": None}

    @property
    def event_dim(self) -> int:
        """The number of dimensions of one value, of the input and of the result."""
        if self.domain.event_dim == self.codomain.event_dim:
            return self.domain.event_dim
        raise ValueError("Please use either .domain.event_dim or .codomain.event_dim")

    @property
    def inv(self) -> Transform:
        """The inverse, a transform; its inverse is this one."""
        inv = self._inv() if self._inv is not None else None
        if inv is None:
            inv = _InverseTransform(self)
            self._inv = weakref.ref(inv)
        return inv

    @property
    def sign(self) -> Any:
        """1 where the transform increases, -1 where it decreases."""
        raise NotImplementedError

    def with_cache(self, cache_size: int = 1) -> Transform:
        """The same transform with another cache size."""
        if self._cache_size == cache_size:
            return self
        if type(self).__init__ is Transform.__init__:
            return type(self)(cache_size=cache_size)
        raise NotImplementedError(f"{type(self)}.with_cache is not implemented")

    def __eq__(self, other: object) -> bool:
        return self is other

    def __ne__(self, other: object) -> bool:
        return not self.__eq__(other)

    __hash__ = object.__hash__

    def __call__(self, x: Tensor) -> Tensor:
        if self._cache_size == 0:
            return self._call(x)
        x_old, y_old = self._cached_x_y
        if x is x_old:
            return y_old
        y = self._call(x)
        self._cached_x_y = x, y
        return y

    def _inv_call(self, y: Tensor) -> Tensor:
        if self._cache_size == 0:
            return self._inverse(y)
        x_old, y_old = self._cached_x_y
        if y is y_old:
            return x_old
        x = self._inverse(y)
        self._cached_x_y = x, y
        return x

    def _call(self, x: Tensor) -> Tensor:
        raise NotImplementedError

    def _inverse(self, y: Tensor) -> Tensor:
        raise NotImplementedError

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """The logarithm of the absolute Jacobian determinant at ``x``; ``y`` is the transform of ``x``."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return self.__class__.__name__ + "()"

    def forward_shape(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """The shape of the result for an input's shape."""
        return shape

    def inverse_shape(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """The shape of the input for a result's shape."""
        return shape


class TransformWithoutParameters(Transform):
    """Transforms that are equal to all others of their class; subclasses of such a class count as the same class."""

    _kind: type

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if TransformWithoutParameters in cls.__bases__:
            cls._kind = cls

    def __eq__(self, other: object) -> bool:
        return isinstance(other, self._kind)

    __hash__ = object.__hash__


class _InverseTransform(Transform):
    """The inverse of a transform."""

    def __init__(self, transform: Transform) -> None:
        super().__init__(cache_size=transform._cache_size)
        self._inv = transform

    def __getstate__(self) -> dict[str, Any]:
        return dict(self.__dict__)

    domain = constraints.dependent_property(lambda self: self._inv.codomain)
    codomain = constraints.dependent_property(lambda self: self._inv.domain)
    bijective = property(lambda self: self._inv.bijective)
    sign = property(lambda self: self._inv.sign)
    inv = property(lambda self: self._inv)

    def with_cache(self, cache_size: int = 1) -> Transform:
        return self.inv.with_cache(cache_size).inv

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _InverseTransform) and self._inv == other._inv

    __hash__ = object.__hash__

    def __repr__(self) -> str:
        return f"{self.__class__.__name__}({self._inv!r})"

    def __call__(self, x: Tensor) -> Tensor:
        return self._inv._inv_call(x)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return -self._inv.log_abs_det_jacobian(y, x)

    def forward_shape(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        return self._inv.inverse_shape(shape)

    def inverse_shape(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        return self._inv.forward_shape(shape)


class ComposeTransform(Transform):
    """A composition of several transforms, applied in order.

    Raises:
        ValueError: ``cache_size`` is neither 0 nor 1.

    >>> from flambeau.distributions import AffineTransform, ExpTransform
    >>> ComposeTransform([AffineTransform(0.0, 2.0), ExpTransform()])(torch.tensor([0.0, 1.0]))
    tensor([1.0000, 7.3891])
    """

    def __init__(self, parts: list[Transform], cache_size: int = 0) -> None:
        if cache_size:
            parts = [part.with_cache(cache_size) for part in parts]
        super().__init__(cache_size=cache_size)
        self.parts = parts

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ComposeTransform) and self.parts == other.parts

    __hash__ = object.__hash__

    @constraints.dependent_property(is_discrete=False)
    def domain(self) -> Constraint:
        if not self.parts:
            return constraints.real
        dim = self.parts[-1].codomain.event_dim
        for part in reversed(self.parts):
            dim = max(dim + part.domain.event_dim - part.codomain.event_dim, part.domain.event_dim)
        return _with_event_dim(self.parts[0].domain, dim)

    @constraints.dependent_property(is_discrete=False)
    def codomain(self) -> Constraint:
        if not self.parts:
            return constraints.real
        dim = self.parts[0].domain.event_dim
        for part in self.parts:
            dim = max(dim + part.codomain.event_dim - part.domain.event_dim, part.codomain.event_dim)
        return _with_event_dim(self.parts[-1].codomain, dim)

    @property
    def bijective(self) -> bool:
        return all(part.bijective for part in self.parts)

    @property
    def sign(self) -> Any:
        sign: Any = 1
        for part in self.parts:
            sign = sign * part.sign
        return sign

    @property
    def inv(self) -> Transform:
        inv = self._inv() if self._inv is not None else None
        if inv is None:
            inv = ComposeTransform([part.inv for part in reversed(self.parts)])
            self._inv, inv._inv = weakref.ref(inv), weakref.ref(self)
        return inv

    def with_cache(self, cache_size: int = 1) -> Transform:
        return self if self._cache_size == cache_size else ComposeTransform(self.parts, cache_size=cache_size)

    def __call__(self, x: Tensor) -> Tensor:
        for part in self.parts:
            x = part(x)
        return x

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        if not self.parts:
            return torch.zeros_like(x)
        values = [x]
        for part in self.parts[:-1]:
            values.append(part(values[-1]))
        values.append(y)
        dim = self.domain.event_dim
        total: Any = 0
        for part, before, after in zip(self.parts, values[:-1], values[1:], strict=True):
            total = total + sum_rightmost(part.log_abs_det_jacobian(before, after), dim - part.domain.event_dim)
            dim += part.codomain.event_dim - part.domain.event_dim
        return total

    def forward_shape(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        for part in self.parts:
            shape = part.forward_shape(shape)
        return shape

    def inverse_shape(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        for part in reversed(self.parts):
            shape = part.inverse_shape(shape)
        return shape

    def __repr__(self) -> str:
        return self.__class__.__name__ + "(\n    " + ",\n    ".join(repr(part) for part in self.parts) + "\n)"


def _with_event_dim(constraint: Constraint, dim: int) -> Constraint:
    if dim < constraint.event_dim:
        raise AssertionError(f"event_dim {dim} is smaller than that of {constraint!r}")
    return constraints.independent(constraint, dim - constraint.event_dim) if dim > constraint.event_dim else constraint


identity_transform = ComposeTransform([])


class IndependentTransform(Transform):
    """A transform whose last batch dimensions belong to one value.

    Raises:
        ValueError: the input has fewer dimensions than the transform needs.

    >>> t, x = IndependentTransform(torch.distributions.ExpTransform(), 1), torch.tensor([1.0, 2.0])
    >>> t.log_abs_det_jacobian(x, t(x))
    tensor(3.)
    """

    def __init__(self, base_transform: Transform, reinterpreted_batch_ndims: int, cache_size: int = 0) -> None:
        super().__init__(cache_size=cache_size)
        self.base_transform = base_transform.with_cache(cache_size)
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims

    def with_cache(self, cache_size: int = 1) -> Transform:
        if self._cache_size == cache_size:
            return self
        return IndependentTransform(self.base_transform, self.reinterpreted_batch_ndims, cache_size=cache_size)

    @constraints.dependent_property(is_discrete=False)
    def domain(self) -> Constraint:
        return constraints.independent(self.base_transform.domain, self.reinterpreted_batch_ndims)

    @constraints.dependent_property(is_discrete=False)
    def codomain(self) -> Constraint:
        return constraints.independent(self.base_transform.codomain, self.reinterpreted_batch_ndims)

    bijective = property(lambda self: self.base_transform.bijective)
    sign = property(lambda self: self.base_transform.sign)

    def _call(self, x: Tensor) -> Tensor:
        if x.dim() < self.domain.event_dim:
            raise ValueError("Too few dimensions on input")
        return self.base_transform(x)

    def _inverse(self, y: Tensor) -> Tensor:
        if y.dim() < self.codomain.event_dim:
            raise ValueError("Too few dimensions on input")
        return self.base_transform.inv(y)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return sum_rightmost(self.base_transform.log_abs_det_jacobian(x, y), self.reinterpreted_batch_ndims)

    def __repr__(self) -> str:
        return f"{self.__class__.__name__}({self.base_transform!r}, {self.reinterpreted_batch_ndims})"

    def forward_shape(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        return self.base_transform.forward_shape(shape)

    def inverse_shape(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        return self.base_transform.inverse_shape(shape)


class ReshapeTransform(Transform):
    """Another shape for the last dimensions.

    Raises:
        ValueError: the shapes have different numbers of elements.

    >>> t = ReshapeTransform((4,), (2, 2))
    >>> t(torch.ones(3, 4)).shape, t.inv(torch.ones(3, 2, 2)).shape
    (torch.Size([3, 2, 2]), torch.Size([3, 4]))
    """

    bijective = True

    def __init__(self, in_shape: tuple[int, ...], out_shape: tuple[int, ...], cache_size: int = 0) -> None:
        self.in_shape, self.out_shape = torch.Size(in_shape), torch.Size(out_shape)
        if self.in_shape.numel() != self.out_shape.numel():
            raise ValueError("in_shape, out_shape have different numbers of elements")
        super().__init__(cache_size=cache_size)

    @constraints.dependent_property
    def domain(self) -> Constraint:
        return constraints.independent(constraints.real, len(self.in_shape))

    @constraints.dependent_property
    def codomain(self) -> Constraint:
        return constraints.independent(constraints.real, len(self.out_shape))

    def with_cache(self, cache_size: int = 1) -> Transform:
        if self._cache_size == cache_size:
            return self
        return ReshapeTransform(self.in_shape, self.out_shape, cache_size=cache_size)

    def _call(self, x: Tensor) -> Tensor:
        return x.reshape(x.shape[: x.dim() - len(self.in_shape)] + self.out_shape)

    def _inverse(self, y: Tensor) -> Tensor:
        return y.reshape(y.shape[: y.dim() - len(self.out_shape)] + self.in_shape)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return x.new_zeros(x.shape[: x.dim() - len(self.in_shape)])

    def forward_shape(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        return _replaced(shape, self.in_shape, self.out_shape)

    def inverse_shape(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        return _replaced(shape, self.out_shape, self.in_shape)


def _replaced(shape: tuple[int, ...], old: tuple[int, ...], new: tuple[int, ...]) -> tuple[int, ...]:
    if len(shape) < len(old):
        raise ValueError("Too few dimensions on input")
    cut = len(shape) - len(old)
    if shape[cut:] != old:
        raise ValueError(f"Shape mismatch: expected {shape[cut:]} but got {old}")
    return shape[:cut] + new
