"""Matrix factorizations: Cholesky, LU and QR, and determinants from LU."""

from flambeau_tensor._core.call.forwarding import Forward
from flambeau_tensor._core.call.operator import Operator
from flambeau_tensor._core.schema.declaring import FUNCTION
from flambeau_tensor._core.schema.registry import find_operator
from flambeau_tensor._kernels import factorization as kernels

LINALG = {"namespace": "torch.linalg", "variants": FUNCTION}
_OF_TORCH = {"variants": FUNCTION}
_OUT = "Tensor(a!)? out=None"
_OUTS = "Tensor(a!)[]? out=None"
_BATCH = "`A` has shape (*, {shape}): its last two dimensions are matrices, and the others are a batch."
_SQUARE = _BATCH.format(shape="n, n")
_ANY = _BATCH.format(shape="m, n")


# --- Cholesky -------------------------------------------------------------------------------------------------------

_CHOLESKY = f"""
The triangular L with positive diagonal of A = L Lᴴ, or with `upper` the Lᴴ, for symmetric or Hermitian positive
definite matrices. {_SQUARE} Only one triangle of the matrix is read.
"""
cholesky_ex = Operator(
    "cholesky_ex(Tensor self, *, bool upper=False, bool check_errors=False, " + _OUTS + ") -> (Tensor L, Tensor info)",
    kernels.cholesky_ex,
    doc=_CHOLESKY
    + """
`info` is 0, or the order of the first leading minor that is not positive definite; `check_errors=True` raises an error
in that case.
""",
    **LINALG,
)
cholesky = Operator(
    "cholesky(Tensor self, *, bool upper=False, " + _OUT + ") -> Tensor",
    Forward(cholesky_ex, 1, check_errors=True),
    composite=True,
    doc=_CHOLESKY
    + """
Raises a LinAlgError that names the matrix of the batch if one is not positive definite.
""",
    **LINALG,
)
Operator(
    "cholesky(Tensor self, bool upper=False, *, " + _OUT + ") -> Tensor",
    Forward(cholesky_ex, 1, check_errors=True),
    composite=True,
    doc="`linalg.cholesky`.",
)


# --- LU -------------------------------------------------------------------------------------------------------------

lu_factor_ex = Operator(
    "lu_factor_ex(Tensor A, *, bool pivot=True, bool check_errors=False, " + _OUTS + ") -> "
    "(Tensor LU, Tensor pivots, Tensor info)",
    kernels.lu_factor_ex,
    doc=f"""
L and U of A = PLU in one matrix, and the row exchanges, counted from 1, in order. {_ANY} `info` is 0, or the index of
the first zero on U's diagonal.
""",
    **LINALG,
)
lu_factor = Operator(
    "lu_factor(Tensor A, *, bool pivot=True, " + _OUTS + ") -> (Tensor LU, Tensor pivots)",
    Forward(lu_factor_ex, 2, check_errors=True),
    composite=True,
    doc=f"""
L and U of A = PLU in one matrix, and the row exchanges, for `lu_solve`. {_ANY} Raises an error if U has a zero on its
diagonal.
""",
    **LINALG,
)
permutation = Operator(
    "_permutation(Tensor LU, Tensor pivots) -> Tensor",
    kernels.permutation,
    differentiable=False,
    namespace="torch._ops",
    variants=FUNCTION,
    doc="P of PLU = A, from exchanges of rows.",
)


def _lu_unpack(LU_data, LU_pivots, unpack_data, unpack_pivots, out):
    if unpack_pivots and LU_pivots.dtype.name != "int32":
        raise RuntimeError(
            "torch.lu_unpack: LU_pivots is expected to be a contiguous tensor of torch.int32 dtype.\n"
            "Note: this function is intended to be used with the output produced by "
            "torch.linalg.lu_factor"
        )
    if LU_data.ndim < 2:
        raise RuntimeError(
            f"torch.lu_unpack: Expected tensor with 2 or more dimensions. Got size: {list(LU_data.shape)} instead"
        )
    nothing = LU_data.new_empty((0,))
    p = permutation(LU_data, LU_pivots) if unpack_pivots else nothing
    if not unpack_data:
        return p, nothing, nothing
    m, n = LU_data.shape[-2:]
    k = min(m, n)
    lower = LU_data.narrow(-1, 0, k).tril(-1)
    return (
        p,
        lower + find_operator("torch.eye")(m, k, dtype=LU_data.dtype, device=LU_data.device),
        LU_data.narrow(-2, 0, k).triu(),
    )


lu_unpack = Operator(
    "lu_unpack(Tensor LU_data, Tensor LU_pivots, bool unpack_data=True, bool unpack_pivots=True, *, "
    + _OUTS
    + ") -> (Tensor P, Tensor L, Tensor U)",
    _lu_unpack,
    composite=True,
    doc="""
P, L and U of A = PLU from the results of `linalg.lu_factor`; parts that are not requested are empty.
""",
    **_OF_TORCH,
)


def _lu(A, pivot, out):
    factors, pivots, _ = lu_factor_ex(A, pivot=pivot)
    return tuple(_lu_unpack(factors, pivots, True, True, None))


lu = Operator(
    "lu(Tensor A, *, bool pivot=True, " + _OUTS + ") -> (Tensor P, Tensor L, Tensor U)",
    _lu,
    composite=True,
    doc=f"""
P, L and U of A = PLU: a permutation, a lower triangle with ones on its diagonal, and an upper triangle. {_ANY}
""",
    **LINALG,
)


# --- determinants ---------------------------------------------------------------------------------------------------

_det = Operator(
    "_linalg_det(Tensor A) -> (Tensor result, Tensor LU, Tensor pivots)",
    kernels.det,
    doc="The determinant, and the LU that gave it.",
    **_OF_TORCH,
)
_slogdet = Operator(
    "_linalg_slogdet(Tensor A) -> (Tensor sign, Tensor logabsdet, Tensor LU, Tensor pivots)",
    kernels.slogdet,
    doc="Sign and logarithm of the determinant, and the LU that gave them.",
    **_OF_TORCH,
)
det = Operator(
    "det(Tensor A, *, " + _OUT + ") -> Tensor",
    Forward(_det, 1),
    composite=True,
    doc=f"The determinant. {_SQUARE}",
    **LINALG,
)
slogdet = Operator(
    "slogdet(Tensor A, *, " + _OUTS + ") -> (Tensor sign, Tensor logabsdet)",
    Forward(_slogdet, 2),
    composite=True,
    doc=f"""
The sign of the determinant (for complex matrices a number of absolute value 1) and the logarithm of its absolute value,
which does not overflow; 0 and -inf for singular matrices. {_SQUARE}
""",
    **LINALG,
)


def _renamed(op):
    return lambda input, *rest: op(input)


Operator("det(Tensor self) -> Tensor", _renamed(det), composite=True, doc="`linalg.det`.")
Operator(
    "slogdet(Tensor self, *, " + _OUTS + ") -> (Tensor sign, Tensor logabsdet)",
    _renamed(slogdet),
    composite=True,
    doc="`linalg.slogdet`.",
)


def _logdet(input):
    sign, log = slogdet(input)
    return (
        log + sign.log()
        if sign.is_complex()
        else log.where(sign > 0, log + (sign * 0 - 1).sqrt().where(sign < 0, sign * 0))
    )


Operator(
    "logdet(Tensor self) -> Tensor",
    _logdet,
    composite=True,
    doc="""
The logarithm of the determinant: NaN if it is negative, -inf if it is 0.
""",
)


# --- QR -------------------------------------------------------------------------------------------------------------

qr = Operator(
    "qr(Tensor A, str mode='reduced', *, " + _OUTS + ") -> (Tensor Q, Tensor R)",
    kernels.qr,
    doc=f"""
A = QR: orthonormal columns times an upper triangle. {_ANY} `"reduced"` gives Q min(m, n) columns, `"complete"` m; `"r"`
leaves it empty.
""",
    **LINALG,
)
Operator(
    "qr(Tensor self, bool some=True, *, " + _OUTS + ") -> (Tensor Q, Tensor R)",
    lambda input, some, out: qr(input, "reduced" if some else "complete"),
    composite=True,
    doc="`linalg.qr`, reduced with `some`, else complete.",
)
geqrf = Operator(
    "geqrf(Tensor self, *, " + _OUTS + ") -> (Tensor a, Tensor tau)",
    kernels.geqrf,
    doc="""
R of A = QR, with the vectors v of Householder's reflectors I - τ v vᴴ below its diagonal, and their τ.
""",
)
householder_product = Operator(
    "householder_product(Tensor input, Tensor tau, *, " + _OUT + ") -> Tensor",
    kernels.householder_product,
    doc="""
The first n columns of the product of Householder's reflectors I - τ v vᴴ, whose v stand below the diagonal of `input`,
(*, m, n), as `geqrf` gives them.
""",
    **LINALG,
)
Operator(
    "orgqr(Tensor self, Tensor input2, *, " + _OUT + ") -> Tensor",
    lambda input, tau, out: householder_product(input, tau),
    composite=True,
    doc="`linalg.householder_product`.",
)
ormqr = Operator(
    "ormqr(Tensor self, Tensor input2, Tensor input3, bool left=True, bool transpose=False, *, " + _OUT + ") -> Tensor",
    kernels.ormqr,
    doc="""
The product of `input3` with the Q whose reflectors are in `input` with the factors `input2`, from the left or the
right, or with its adjoint.
""",
)
