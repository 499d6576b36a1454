"""Parametrizations: weights with a separate norm, with spectral norm 1, or orthogonal."""

from __future__ import annotations

from typing import Any

import flambeau_tensor as ft
from flambeau_autograd import no_grad
from flambeau_nn import functional as F
from flambeau_nn.modules.module import Module
from flambeau_nn.utils import parametrize
from flambeau_nn.utils.spectral_norm import as_matrix, usual_dim
from flambeau_nn.utils.weight_norm import norm_except_dim, normed
from flambeau_tensor import Tensor, linalg
from flambeau_tensor.extend import wrapped_dim

__all__ = ["orthogonal", "spectral_norm", "weight_norm"]


def _weight_of(module: Module, name: str) -> Tensor:
    weight = getattr(module, name, None)
    if not isinstance(weight, Tensor):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    return weight


# --- orthogonal -----------------------------------------------------------------------------------------------------


def _is_orthogonal(q: Tensor) -> bool:
    n, k = q.shape[-2:]
    identity = ft.eye(k, dtype=q.dtype)
    return ft.allclose(q.mH @ q, identity, atol=10.0 * n * ft.finfo(q.dtype).eps)


def _made_orthogonal(a: Tensor) -> Tensor:
    """Return the factor Q of the QR decomposition in which the diagonal of R is positive."""
    x, tau = ft.geqrf(a)
    return linalg.householder_product(x, tau) * x.diagonal(dim1=-2, dim2=-1).sgn().unsqueeze(-2)


class _Orthogonal(Module):
    base: Tensor | None

    def __init__(self, weight: Tensor, orthogonal_map: str, *, use_trivialization: bool = True) -> None:
        super().__init__()
        if weight.is_complex() and orthogonal_map == "householder":
            raise ValueError("The householder parametrization does not support complex tensors.")
        self.shape = weight.shape
        self.orthogonal_map = orthogonal_map
        if use_trivialization:
            self.register_buffer("base", None)

    def forward(self, x: Tensor) -> Tensor:
        wide = x.shape[-2] < x.shape[-1]
        if wide:
            x = x.mT
        n, k = x.shape[-2:]
        if self.orthogonal_map == "householder":
            a = x.tril(-1)
            q = linalg.householder_product(a, 2.0 / (1.0 + (a * a).sum(-2)))
            q = q * x.diagonal(dim1=-2, dim2=-1).int().unsqueeze(-2)  # signs, which have no gradient
        else:
            x = x.tril()
            if n != k:
                x = ft.cat([x, x.new_zeros((n, n - k)).expand((*x.shape[:-2], -1, -1))], -1)
            a = x - x.mH
            if self.orthogonal_map == "matrix_exp":
                q = linalg.matrix_exp(a)
            else:
                identity = ft.eye(n, dtype=a.dtype)
                q = linalg.solve(identity - 0.5 * a, identity + 0.5 * a)
            q = q[..., :k]
        if hasattr(self, "base"):
            q = self.base @ q
        return q.mT if wide else q

    @no_grad()
    def right_inverse(self, q: Tensor) -> Tensor:
        """Return a matrix that is mapped to `q`. With a base, store `q` as the base."""
        if q.shape != self.shape:
            raise ValueError(
                f"Expected a matrix or batch of matrices of shape {self.shape}. Got a tensor of shape {q.shape}."
            )
        given = q
        wide = q.shape[-2] < q.shape[-1]
        if wide:
            q = q.mT
        n, k = q.shape[-2:]
        if not hasattr(self, "base"):
            if self.orthogonal_map != "householder":
                raise NotImplementedError(
                    "It is not possible to assign to the matrix exponential or the Cayley "
                    "parametrizations when use_trivialization=False."
                )
            a, tau = ft.geqrf(q)
            diagonal = a.diagonal(dim1=-2, dim2=-1)
            diagonal.sign_()
            diagonal[tau == 0.0] *= -1
            return a.mT if wide else a
        if n == k:
            q = q.clone() if _is_orthogonal(q) else _made_orthogonal(q)
        else:  # completed by random columns
            more = ft.randn((*q.shape[:-2], n, n - k), dtype=q.dtype)
            q = _made_orthogonal(ft.cat([q, more], -1))
        self.base = q
        identity = ft.zeros_like(given)
        identity.diagonal(dim1=-2, dim2=-1).fill_(-1.0)
        return identity


def orthogonal(
    module: Module, name: str = "weight", orthogonal_map: str | None = None, *, use_trivialization: bool = True
) -> Module:
    """Parametrize a weight to be orthogonal (or to have orthonormal rows or columns, or to be unitary).

    Args:
        module: the module with the weight.
        name: the name of the weight; the last two dimensions are matrices.
        orthogonal_map: "matrix_exp", "cayley" or "householder": how a matrix is mapped to an orthogonal one; the last
            one for matrices that are not square, unless given, and the first one otherwise.
        use_trivialization: whether the map is taken around a base, so that any orthogonal matrix can be assigned.

    Raises:
        ValueError: the weight does not exist, it has fewer than two dimensions, or the map is unknown.

    >>> layer = orthogonal(torch.nn.Linear(3, 3))
    >>> torch.allclose(layer.weight @ layer.weight.T, torch.eye(3), atol=1e-5)
    True
    """
    weight = _weight_of(module, name)
    if weight.ndim < 2:
        raise ValueError(f"Expected a matrix or batch of matrices. Got a tensor of {weight.ndim} dimensions.")
    if orthogonal_map is None:
        square = weight.shape[-2] == weight.shape[-1] or weight.is_complex()
        orthogonal_map = "matrix_exp" if square else "householder"
    if orthogonal_map not in ("matrix_exp", "cayley", "householder"):
        raise ValueError(
            f'orthogonal_map has to be one of "matrix_exp", "cayley", "householder". Got: {orthogonal_map}'
        )
    return parametrize.register_parametrization(
        module, name, _Orthogonal(weight, orthogonal_map, use_trivialization=use_trivialization), unsafe=True
    )


# --- norms ----------------------------------------------------------------------------------------------------------


class _WeightNorm(Module):
    def __init__(self, dim: int | None = 0) -> None:
        super().__init__()
        self.dim = -1 if dim is None else dim

    def forward(self, weight_g: Tensor, weight_v: Tensor) -> Tensor:
        return normed(weight_v, weight_g, self.dim)

    def right_inverse(self, weight: Tensor) -> tuple[Tensor, Tensor]:
        """Length and direction."""
        return norm_except_dim(weight, self.dim), weight


def weight_norm(module: Module, name: str = "weight", dim: int = 0) -> Module:
    """Parametrize a weight by its norms, `original0`, and its direction, `original1` (Salimans and Kingma, 2016).

    Args:
        module: the module with the weight.
        name: its name.
        dim: the dimension whose slices each have a norm; None: one norm of the whole weight.

    Raises:
        ValueError: the module has no parameter of that name.

    >>> layer = weight_norm(torch.nn.Linear(2, 3))
    >>> {name: tuple(p.shape) for name, p in layer.named_parameters()}
    {'bias': (3,), 'parametrizations.weight.original0': (3, 1), 'parametrizations.weight.original1': (3, 2)}
    """
    parametrize.register_parametrization(module, name, _WeightNorm(dim), unsafe=True)

    def take_older_names(state_dict: dict[str, Any], prefix: str, *args: Any) -> None:
        g, v = f"{prefix}{name}_g", f"{prefix}{name}_v"
        if g in state_dict and v in state_dict:
            state_dict[f"{prefix}parametrizations.{name}.original0"] = state_dict.pop(g)
            state_dict[f"{prefix}parametrizations.{name}.original1"] = state_dict.pop(v)

    module._register_load_state_dict_pre_hook(take_older_names)
    return module


class _SpectralNorm(Module):
    def __init__(self, weight: Tensor, n_power_iterations: int = 1, dim: int = 0, eps: float = 1e-12) -> None:
        super().__init__()
        wrapped_dim(dim, weight.ndim, False)
        if n_power_iterations <= 0:
            raise ValueError(
                f"Expected n_power_iterations to be positive, but got n_power_iterations={n_power_iterations}"
            )
        self.dim = dim % weight.ndim
        self.eps = eps
        if weight.ndim > 1:
            self.n_power_iterations = n_power_iterations
            matrix = as_matrix(weight, self.dim)
            h, w = matrix.shape
            u, v = matrix.new_empty((h,)).normal_(0, 1), matrix.new_empty((w,)).normal_(0, 1)
            self.register_buffer("_u", F.normalize(u, dim=0, eps=eps).detach())
            self.register_buffer("_v", F.normalize(v, dim=0, eps=eps).detach())
            self._power_method(matrix, 15)

    @no_grad()
    def _power_method(self, matrix: Tensor, n_power_iterations: int) -> None:
        for _ in range(n_power_iterations):
            self._u.copy_(F.normalize(ft.mv(matrix, self._v), dim=0, eps=self.eps))
            self._v.copy_(F.normalize(ft.mv(matrix.mH, self._u), dim=0, eps=self.eps))

    def forward(self, weight: Tensor) -> Tensor:
        if weight.ndim == 1:
            return F.normalize(weight, dim=0, eps=self.eps)
        matrix = as_matrix(weight, self.dim)
        if self.training:
            self._power_method(matrix, self.n_power_iterations)
        u, v = self._u.clone(), self._v.clone()  # the next step writes to them
        return weight / ft.vdot(u, ft.mv(matrix, v))

    def right_inverse(self, value: Tensor) -> Tensor:
        """The value itself: it need not have norm 1."""
        return value


def spectral_norm(
    module: Module, name: str = "weight", n_power_iterations: int = 1, eps: float = 1e-12, dim: int | None = None
) -> Module:
    """Parametrize a weight by spectral normalization: divide it by its largest singular value (Miyato et al., 2018).

    Args:
        module: the module with the weight.
        name: its name.
        n_power_iterations: steps towards that value in each computation while training.
        eps: a lower bound of norms.
        dim: the dimension that is the rows of a matrix; 0, or 1 for transposed convolutions, unless given.

    Raises:
        ValueError: the module has no parameter of that name, or ``n_power_iterations`` is not positive.

    >>> layer = spectral_norm(torch.nn.Linear(4, 3), n_power_iterations=30)
    >>> torch.linalg.matrix_norm(layer.weight, 2).round(decimals=2)
    tensor(1., grad_fn=<RoundBackward0>)
    """
    weight = _weight_of(module, name)
    dim = usual_dim(module) if dim is None else dim
    return parametrize.register_parametrization(module, name, _SpectralNorm(weight, n_power_iterations, dim, eps))
