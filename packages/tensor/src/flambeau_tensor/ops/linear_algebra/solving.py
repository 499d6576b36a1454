"""Linear systems by LU, with triangular matrices, and in the least squares sense; inverses."""

from math import prod

from flambeau_tensor._core.call.forwarding import Forward
from flambeau_tensor._core.call.operator import Operator
from flambeau_tensor._core.schema.declaring import FUNCTION
from flambeau_tensor._core.schema.registry import find_operator
from flambeau_tensor._kernels import solving as kernels
from flambeau_tensor.ops.linear_algebra.factorization import _OF_TORCH, _OUT, _OUTS, _SQUARE, LINALG

# --- by LU ----------------------------------------------------------------------------------------------------------

inv_ex = Operator(
    "inv_ex(Tensor A, *, bool check_errors=False, " + _OUTS + ") -> (Tensor inverse, Tensor info)",
    kernels.inv_ex,
    doc=f"""
The inverse. {_SQUARE} `info` is 0, or for a singular matrix the index of the first zero on the diagonal of U.
""",
    **LINALG,
)
_INVERSE = f"The inverse. {_SQUARE} Raises a LinAlgError that names the matrix of the batch if one is singular."
inv = Operator(
    "inv(Tensor A, *, " + _OUT + ") -> Tensor",
    Forward(inv_ex, 1, check_errors=True),
    composite=True,
    doc=_INVERSE,
    **LINALG,
)
Operator("inverse(Tensor self, *, " + _OUT + ") -> Tensor", lambda input, out: inv(input), composite=True, doc=_INVERSE)

_solve_ex = Operator(
    "_linalg_solve_ex(Tensor A, Tensor B, *, bool left=True, bool check_errors=False) -> "
    "(Tensor result, Tensor LU, Tensor pivots, Tensor info)",
    kernels.solve_ex,
    doc="What solves a system, and the LU of its matrix.",
    **_OF_TORCH,
)
_SOLVED = f"""
The solution X of AX = B, or of XA = B with `left=False`. {_SQUARE} `B` has shape (*, n, k), or holds vectors: (n,), or
(*, n) with the batch of `A`.
"""


def _solve_and_info(A, B, left, check_errors, out):
    result, _, _, info = _solve_ex(A, B, left=left, check_errors=check_errors)
    return result, info


Operator(
    "solve_ex(Tensor A, Tensor B, *, bool left=True, bool check_errors=False, " + _OUTS + ") -> "
    "(Tensor result, Tensor info)",
    _solve_and_info,
    composite=True,
    doc=_SOLVED
    + """
`info` is 0, or for a singular matrix the index of the first zero on the diagonal of U.
""",
    **LINALG,
)
solve = Operator(
    "solve(Tensor A, Tensor B, *, bool left=True, " + _OUT + ") -> Tensor",
    Forward(_solve_ex, 1, check_errors=True),
    composite=True,
    doc=_SOLVED
    + """
Raises a LinAlgError that names the matrix of the batch if one is singular.
""",
    **LINALG,
)
lu_solve = Operator(
    "lu_solve(Tensor LU, Tensor pivots, Tensor B, *, bool left=True, bool adjoint=False, " + _OUT + ") -> Tensor",
    kernels.lu_solve,
    doc="""
The solution X of AX = B or XA = B, or of these with the adjoint of A, from the results of `lu_factor` for A.
""",
    **LINALG,
)
Operator(
    "lu_solve(Tensor self, Tensor LU_data, Tensor LU_pivots, *, " + _OUT + ") -> Tensor",
    lambda input, LU_data, LU_pivots, out: lu_solve(LU_data, LU_pivots, input),
    composite=True,
    doc="Like `linalg.lu_solve`, with another order of arguments.",
)


# --- triangular matrices --------------------------------------------------------------------------------------------

solve_triangular = Operator(
    "solve_triangular(Tensor self, Tensor B, *, bool upper, bool left=True, bool unitriangular=False, "
    + _OUT
    + ") -> Tensor",
    kernels.solve_triangular,
    doc="""
The solution X of AX = B, or of XA = B with `left=False`, for triangular A of shape (*, n, n). The other triangle is not
read. With `unitriangular` the diagonal is not read either, and counts as ones. A zero on the diagonal gives inf and
NaN.
""",
    **LINALG,
)


def _triangular(input, A, upper, transpose, unitriangular, out):
    solution = solve_triangular(
        A.transpose(-2, -1) if transpose else A, input, upper=upper != transpose, unitriangular=unitriangular
    )
    return solution, A.clone()


Operator(
    "triangular_solve(Tensor self, Tensor A, bool upper=True, bool transpose=False, bool unitriangular=False, *, "
    + _OUTS
    + ") -> (Tensor solution, Tensor cloned_coefficient)",
    _triangular,
    composite=True,
    doc="Like `linalg.solve_triangular`, with another order of arguments, and a copy of `A`.",
)


def _cholesky_solve(input, L, upper):
    for t, name in ((input, "b"), (L, "u")):
        if t.ndim < 2:
            raise RuntimeError(f"{name} should have at least 2 dimensions, but has {t.ndim} dimensions instead")
    adjoint = L.mH
    first, second = (adjoint, L) if upper else (L, adjoint)
    return solve_triangular(second, solve_triangular(first, input, upper=False), upper=True)


cholesky_solve = Operator(
    "cholesky_solve(Tensor self, Tensor input2, bool upper=False, *, " + _OUT + ") -> Tensor",
    lambda input, L, upper, out: _cholesky_solve(input, L, upper),
    doc="""
The solution X of AX = B, where `input` is B and `input2` is the Cholesky factor of A.
""",
)


def _cholesky_inverse(input, upper, out):
    if input.ndim < 2 or input.shape[-1] != input.shape[-2]:
        raise RuntimeError(
            f"cholesky_inverse: A must be batches of square matrices, but they have shape {list(input.shape)}"
        )
    return _cholesky_solve(
        find_operator("torch.eye")(input.shape[-1], dtype=input.dtype, device=input.device), input, upper
    )


cholesky_inverse = Operator(
    "cholesky_inverse(Tensor self, bool upper=False, *, " + _OUT + ") -> Tensor",
    _cholesky_inverse,
    doc="The inverse of a matrix, from its Cholesky factor.",
)


# --- least squares --------------------------------------------------------------------------------------------------

_least_squares = Operator(
    "_least_squares(Tensor A, Tensor B, float rcond, str driver) -> (Tensor, Tensor, Tensor)",
    kernels.least_squares,
    namespace="torch._ops",
    variants=FUNCTION,
    differentiable=False,
    doc="Solutions, ranks and singular values from LAPACK.",
)


def _lstsq(input, b, rcond, driver, out):
    def fail(what):
        raise RuntimeError(f"torch.linalg.lstsq: {what}")

    if input.ndim < 2:
        fail("input must have at least 2 dimensions.")
    if b.ndim < 1:
        fail("other must have at least 1 dimension.")
    if input.dtype is not b.dtype:
        fail("input and other must be of the same dtype")
    if not 0 <= input.ndim - b.ndim <= 1:
        fail("input.dim() must be greater or equal to other.dim() and (input.dim() - other.dim()) <= 1")
    m, n = input.shape[-2:]
    vector = b.ndim == 1 or (input.ndim - b.ndim == 1 and b.shape == input.shape[:-1])
    right = b.unsqueeze(-1) if vector else b
    if right.shape[-2] != m:
        fail(f"input.size(-2) should match other.size({-1 if vector else -2})")
    driver = driver or "gelsy"
    if driver not in kernels.DRIVERS:
        fail(f"parameter `driver` should be one of ({', '.join(kernels.DRIVERS)})")
    if input.dtype.name not in ("float32", "float64", "complex64", "complex128"):
        raise RuntimeError(f"linalg.lstsq: Expected a floating point or complex tensor as input. Got {input.dtype}")
    if rcond is None:
        rcond = (
            1.1920928955078125e-07 if input.dtype.name in ("float32", "complex64") else 2.220446049250313e-16
        ) * max(m, n)
    found, rank, values = _least_squares(input, right, rcond, driver)
    solution = found.narrow(-2, 0, n)
    residuals = values.new_empty((0,))
    if m > n and driver != "gelsy" and (driver == "gels" or bool((rank == n).all())):
        rest = found.narrow(-2, n, m - n)
        residuals = (rest * rest.conj()).real.sum(-2) if rest.is_complex() else (rest * rest).sum(-2)
    if vector:
        solution = solution.squeeze(-1)
    rank = rank if driver != "gels" else rank.new_empty((0,))
    return (solution, residuals, rank, values if driver in ("gelsd", "gelss") else values.new_empty((0,)))


lstsq = Operator(
    "lstsq(Tensor self, Tensor b, float? rcond=None, *, str? driver=None, " + _OUTS + ") -> "
    "(Tensor solution, Tensor residuals, Tensor rank, Tensor singular_values)",
    _lstsq,
    doc="""
The least-squares solution X that minimizes ‖AX - B‖ (of several, the one with the smallest norm); `input` is A, (*, m,
n), and `b` is B, (*, m, k) or (*, m). Squared residuals, rank and singular values are empty if the driver (LAPACK's
`"gelsy"`, `"gels"`, `"gelsd"` or `"gelss"`) does not compute them. Singular values up to `rcond` times the largest
count as zero.
""",
    **LINALG,
)


# --- tensors as matrices --------------------------------------------------------------------------------------------


def _tensorinv(input, ind, out):
    if ind <= 0:
        raise RuntimeError(f"Expected a strictly positive integer for 'ind', but got {ind}")
    shape = tuple(input.shape)
    rows, columns = prod(shape[:ind]), prod(shape[ind:])
    if rows != columns:
        raise RuntimeError(
            "Expected self to satisfy the requirement prod(self.shape[ind:]) == prod(self.shape[:ind]), "
            f"but got {columns} != {rows}"
        )
    return inv(input.reshape((rows, columns))).reshape((*shape[ind:], *shape[:ind]))


Operator(
    "tensorinv(Tensor self, int ind=2, *, " + _OUT + ") -> Tensor",
    _tensorinv,
    composite=True,
    doc="""
The inverse with respect to `tensordot` over `ind` dimensions: that of the matrix whose rows are the first `ind`
dimensions.
""",
    **LINALG,
)


def _tensorsolve(input, other, dims, out):
    if dims is not None:
        input = input.movedim(tuple(dims), tuple(range(-len(dims), 0)))
    shape = tuple(input.shape[other.ndim :])
    columns, rows = prod(shape), prod(input.shape[: other.ndim])
    if rows != columns:
        raise RuntimeError(
            "Expected self to satisfy the requirement prod(self.shape[other.ndim:]) == "
            f"prod(self.shape[:other.ndim]), but got {columns} != {rows}"
        )
    return solve(input.reshape((rows, columns)), other.flatten()).reshape(shape)


Operator(
    "tensorsolve(Tensor self, Tensor other, int[]? dims=None, *, " + _OUT + ") -> Tensor",
    _tensorsolve,
    composite=True,
    doc="The solution X of tensordot(input, X, X.ndim) = other; `dims` of `input` are first moved to its end.",
    **LINALG,
)
