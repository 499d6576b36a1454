"""Parameters of distributions: broadcast, between probabilities and logits, computed when first read.

Also known as ``torch.distributions.utils``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import update_wrapper
from numbers import Number
from typing import TYPE_CHECKING, Any

import flambeau_tensor as torch
from flambeau_autograd import enable_grad
from flambeau_tensor import Tensor

if TYPE_CHECKING:
    from typing_extensions import TypeIs

__all__ = [
    "broadcast_all",
    "clamp_probs",
    "lazy_property",
    "logits_to_probs",
    "probs_to_logits",
    "tril_matrix_to_vec",
    "vec_to_tril_matrix",
]

euler_constant = 0.57721566490153286060
_Size = torch.Size
_Tensor = torch.Tensor


def is_number(value: object) -> TypeIs[float]:
    """Return True if a parameter was given as a number."""
    # Asking the abstract class Number about a tensor is slow.
    return isinstance(value, (int, float, complex)) or (not isinstance(value, _Tensor) and isinstance(value, Number))


def broadcast_all(*values: Tensor | float) -> tuple[Tensor, ...]:
    """Tensors of one shape: numbers become tensors of the first tensor's dtype, or the default one.

    Raises:
        ValueError: a value is neither a number nor a tensor.
    """
    first = None
    tensors: list[Any] = list(values)
    numbers = []
    for i, value in enumerate(values):
        if isinstance(value, _Tensor):
            if first is None:
                first = value
        elif is_number(value):
            numbers.append(i)
        elif not hasattr(type(value), "__torch_function__"):
            raise ValueError(
                "Input arguments must all be instances of Number, torch.Tensor or objects implementing "
                "__torch_function__."
            )
    dtype = torch.get_default_dtype() if first is None else first.dtype
    for i in numbers:
        tensors[i] = torch.tensor(values[i], dtype=dtype)
    shape = tensors[0].shape if first is None else first.shape
    for i, t in enumerate(tensors):
        if t.shape != shape:
            if t is values[i]:
                return torch.broadcast_tensors(*tensors)
            tensors[i] = t.expand(shape)
    return tuple(tensors)


def standard_normal(shape: Sequence[int], dtype: torch.dtype, device: object = None) -> Tensor:
    """Normal numbers of mean 0 and variance 1."""
    return torch.empty(shape, dtype=dtype).normal_()


_standard_normal = standard_normal


def clamp_probs(probs: Tensor) -> Tensor:
    """Clamp probabilities away from 0 and 1 by the dtype's machine epsilon."""
    eps = torch.finfo(probs.dtype).eps
    return probs.clamp(min=eps, max=1 - eps)


def logits_to_probs(logits: Tensor, is_binary: bool = False) -> Tensor:
    """Probabilities from logarithms of odds, or from logarithms of weights along the last dimension."""
    return torch.sigmoid(logits) if is_binary else torch.softmax(logits, -1)


def probs_to_logits(probs: Tensor, is_binary: bool = False) -> Tensor:
    """Logarithms of odds, or of probabilities, which are clamped away from 0 and 1."""
    clamped = clamp_probs(probs)
    return torch.log(clamped) - torch.log1p(-clamped) if is_binary else torch.log(clamped)


def softplus(x: Tensor) -> Tensor:
    """log(1 + exp(x))."""
    return torch.logaddexp(x, torch.zeros_like(x))


def log_odds_loss(logits: Tensor, value: Tensor) -> Tensor:
    """Minus the logarithm of the probability of the value, 0 or 1; the logits are those of 1."""
    return softplus(logits) - logits * value


def mvlgamma(a: Tensor, p: int) -> Tensor:
    """The logarithm of the multivariate gamma function."""
    steps = torch.arange(p, dtype=a.dtype)
    return p * (p - 1) / 4 * 1.1447298858494002 + torch.lgamma(a.unsqueeze(-1) - steps / 2).sum(-1)


def sum_rightmost(value: Tensor, dim: int) -> Tensor:
    """The sum over the last ``dim`` dimensions."""
    return value if dim == 0 else value.reshape(value.shape[:-dim] + (-1,)).sum(-1)


_sum_rightmost = sum_rightmost


def tril_matrix_to_vec(mat: Tensor, diag: int = 0) -> Tensor:
    """Return the elements of the last two dimensions on and below a diagonal, row by row.

    Raises:
        ValueError: the diagonal does not exist.
    """
    n = mat.shape[-1]
    if not -n <= diag < n:
        raise ValueError(f"diag ({diag}) provided is outside [{-n}, {n - 1}].")
    rows, columns = torch.tril_indices(n, n, diag)
    return mat[..., rows, columns]


def vec_to_tril_matrix(vec: Tensor, diag: int = 0) -> Tensor:
    """The inverse of `tril_matrix_to_vec`.

    Raises:
        ValueError: no triangle of a square matrix has this number of elements.
    """
    n = (-(1 + 2 * diag) + ((1 + 2 * diag) ** 2 + 8 * vec.shape[-1] + 4 * abs(diag) * (diag + 1)) ** 0.5) / 2
    if round(n) - n > torch.finfo(vec.dtype).eps:
        raise ValueError(
            f"The size of last dimension is {vec.shape[-1]} which cannot be expressed as the lower "
            "triangular part of a square D x D matrix."
        )
    n = round(n)
    rows, columns = torch.tril_indices(n, n, diag)
    out = vec.new_zeros(vec.shape[:-1] + (n, n))
    out[..., rows, columns] = vec
    return out


class lazy_property:  # noqa: N801
    """A property that is computed, with gradients enabled, when it is first read, and then cached."""

    def __init__(self, wrapped: Callable[[Any], Any]) -> None:
        self.wrapped = wrapped
        update_wrapper(self, wrapped)  # type: ignore[arg-type]

    def __get__(self, instance: Any, obj_type: type | None = None) -> Any:
        if instance is None:
            return _LazyPropertyOfClass(self.wrapped)
        with enable_grad():
            value = self.wrapped(instance)
        setattr(instance, self.wrapped.__name__, value)
        return value


class _LazyPropertyOfClass(lazy_property, property):
    """The form of a lazy property that a class shows."""

    def __init__(self, wrapped: Callable[[Any], Any]) -> None:
        property.__init__(self, wrapped)


_lazy_property_and_property = _LazyPropertyOfClass
