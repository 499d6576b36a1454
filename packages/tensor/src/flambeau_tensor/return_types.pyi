"""Written from the operators' schemas by flambeau_tensor.stubs; do not edit."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from flambeau_tensor import Tensor

class NamedResult(tuple[Any, ...]): ...
def named_result(name: str, fields: tuple[str, ...]) -> type: ...

class _linalg_det(NamedTuple):
    result: Tensor
    LU: Tensor
    pivots: Tensor

class _linalg_eigh(NamedTuple):
    eigenvalues: Tensor
    eigenvectors: Tensor

class _linalg_slogdet(NamedTuple):
    sign: Tensor
    logabsdet: Tensor
    LU: Tensor
    pivots: Tensor

class _linalg_solve_ex(NamedTuple):
    result: Tensor
    LU: Tensor
    pivots: Tensor
    info: Tensor

class _linalg_svd(NamedTuple):
    U: Tensor
    S: Tensor
    Vh: Tensor

class aminmax(NamedTuple):
    min: Tensor
    max: Tensor

class cholesky_ex(NamedTuple):
    L: Tensor
    info: Tensor

class cummax(NamedTuple):
    values: Tensor
    indices: Tensor

class cummin(NamedTuple):
    values: Tensor
    indices: Tensor

class eig(NamedTuple):
    eigenvalues: Tensor
    eigenvectors: Tensor

class eigh(NamedTuple):
    eigenvalues: Tensor
    eigenvectors: Tensor

class frexp(NamedTuple):
    mantissa: Tensor
    exponent: Tensor

class geqrf(NamedTuple):
    a: Tensor
    tau: Tensor

class histogram(NamedTuple):
    hist: Tensor
    bin_edges: Tensor

class histogramdd(NamedTuple):
    hist: Tensor
    bin_edges: Sequence[Tensor]

class inv_ex(NamedTuple):
    inverse: Tensor
    info: Tensor

class kthvalue(NamedTuple):
    values: Tensor
    indices: Tensor

class ldl_factor(NamedTuple):
    LD: Tensor
    pivots: Tensor

class ldl_factor_ex(NamedTuple):
    LD: Tensor
    pivots: Tensor
    info: Tensor

class lstsq(NamedTuple):
    solution: Tensor
    residuals: Tensor
    rank: Tensor
    singular_values: Tensor

class lu(NamedTuple):
    P: Tensor
    L: Tensor
    U: Tensor

class lu_factor(NamedTuple):
    LU: Tensor
    pivots: Tensor

class lu_factor_ex(NamedTuple):
    LU: Tensor
    pivots: Tensor
    info: Tensor

class lu_unpack(NamedTuple):
    P: Tensor
    L: Tensor
    U: Tensor

class max(NamedTuple):
    values: Tensor
    indices: Tensor

class median(NamedTuple):
    values: Tensor
    indices: Tensor

class min(NamedTuple):
    values: Tensor
    indices: Tensor

class mode(NamedTuple):
    values: Tensor
    indices: Tensor

class nanmedian(NamedTuple):
    values: Tensor
    indices: Tensor

class qr(NamedTuple):
    Q: Tensor
    R: Tensor

class slogdet(NamedTuple):
    sign: Tensor
    logabsdet: Tensor

class solve_ex(NamedTuple):
    result: Tensor
    info: Tensor

class sort(NamedTuple):
    values: Tensor
    indices: Tensor

class svd(NamedTuple):
    U: Tensor
    S: Tensor
    V: Tensor

class topk(NamedTuple):
    values: Tensor
    indices: Tensor

class triangular_solve(NamedTuple):
    solution: Tensor
    cloned_coefficient: Tensor
