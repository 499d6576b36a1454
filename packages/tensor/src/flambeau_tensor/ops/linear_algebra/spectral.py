"""Eigenvalues and singular values, and functions based on them: pseudoinverses, ranks, norms and condition numbers."""

from flambeau_tensor._core.call.forwarding import Forward
from flambeau_tensor._core.call.operator import Operator
from flambeau_tensor._core.elementwise.dtype import _dtype_by_name
from flambeau_tensor._core.elementwise.operands import wrapped_dim
from flambeau_tensor._core.memory.tensor import Tensor, is_layered
from flambeau_tensor._core.schema.declaring import FUNCTION
from flambeau_tensor._core.schema.registry import find_operator
from flambeau_tensor._kernels import spectral as kernels
from flambeau_tensor.ops.linear_algebra.factorization import _ANY, _OF_TORCH, _OUT, _OUTS, _SQUARE, LINALG
from flambeau_tensor.ops.linear_algebra.solving import inv
from flambeau_tensor.ops.reductions import vector_norm


def _is_recorded(t):
    """Whether values will be differentiated, which requires the vectors."""
    return t.requires_grad or is_layered(t)


# --- eigenvalues ----------------------------------------------------------------------------------------------------

_eigh = Operator(
    "_linalg_eigh(Tensor A, str UPLO='L', bool compute_v=True) -> (Tensor eigenvalues, Tensor eigenvectors)",
    kernels.eigh,
    doc="Eigenvalues in ascending order, and vectors if wanted.",
    **_OF_TORCH,
)
_HERMITIAN = f"of symmetric or Hermitian matrices. Only the triangle `UPLO` is read. {_SQUARE}"


def _eigh_vectors(A, UPLO, out):
    return tuple(_eigh(A, UPLO))


eigh = Operator(
    "eigh(Tensor self, str UPLO='L', *, " + _OUTS + ") -> (Tensor eigenvalues, Tensor eigenvectors)",
    _eigh_vectors,
    composite=True,
    doc=f"""
Eigenvalues in ascending order and orthonormal eigenvectors, as columns, {_HERMITIAN}
""",
    **LINALG,
)


def _eigvalsh(input, UPLO, out):
    return _eigh(input, UPLO, _is_recorded(input))[0]


eigvalsh = Operator(
    "eigvalsh(Tensor self, str UPLO='L', *, " + _OUT + ") -> Tensor",
    _eigvalsh,
    composite=True,
    doc=f"Eigenvalues in ascending order {_HERMITIAN}",
    **LINALG,
)
eig = Operator(
    "eig(Tensor self, *, " + _OUTS + ") -> (Tensor eigenvalues, Tensor eigenvectors)",
    kernels.eig,
    doc=f"""
Eigenvalues and eigenvectors of length 1, as columns, complex and in no particular order. {_SQUARE}
""",
    **LINALG,
)
eigvals = Operator(
    "eigvals(Tensor self, *, " + _OUT + ") -> Tensor",
    kernels.eigvals,
    doc=f"""
Eigenvalues, complex and in no particular order. {_SQUARE}
""",
    **LINALG,
)


# --- singular values ------------------------------------------------------------------------------------------------

_svd = Operator(
    "_linalg_svd(Tensor A, bool full_matrices=False, bool compute_uv=True, *, str? driver=None) -> "
    "(Tensor U, Tensor S, Tensor Vh)",
    kernels.svd,
    doc="Singular values, and vectors if wanted.",
    **_OF_TORCH,
)
svd = Operator(
    "svd(Tensor A, bool full_matrices=True, *, str? driver=None, " + _OUTS + ") -> (Tensor U, Tensor S, Tensor Vh)",
    Forward(_svd),
    composite=True,
    doc=f"""
A = U diag(S) Vh, the singular values S in descending order. {_ANY} With `full_matrices` U and Vh are square; otherwise
U has min(m, n) columns and Vh as many rows.
""",
    **LINALG,
)


def _svdvals(A, driver, out):
    return _svd(A, False, _is_recorded(A), driver=driver)[1]


svdvals = Operator(
    "svdvals(Tensor A, *, str? driver=None, " + _OUT + ") -> Tensor",
    _svdvals,
    composite=True,
    doc=f"Singular values in descending order. {_ANY}",
    **LINALG,
)


def _old_svd(input, some, compute_uv, out):
    u, s, vh = _svd(input, not some, compute_uv or _is_recorded(input))
    if compute_uv:
        return u, s, vh.mH
    *batch, m, n = input.shape
    return input.new_zeros((*batch, m, m)), s, input.new_zeros((*batch, n, n))


Operator(
    "svd(Tensor self, bool some=True, bool compute_uv=True, *, " + _OUTS + ") -> (Tensor U, Tensor S, Tensor V)",
    _old_svd,
    composite=True,
    doc="A = U diag(S) Vᴴ: `linalg.svd`, but for V and its adjoint.",
)


# --- ranks and pseudoinverses ---------------------------------------------------------------------------------------

_EPS = {"float32": 1.1920928955078125e-07, "complex64": 1.1920928955078125e-07}


def _tolerances(input, atol, rtol):
    """Return both tolerances with PyTorch's defaults: `rtol` is max(m, n) eps unless `atol` is given."""
    for t, name in ((atol, "atol"), (rtol, "rtol")):
        if isinstance(t, Tensor) and t.is_complex():
            raise RuntimeError(f"torch.linalg: {name} tensor of complex type is not supported. Got {t.dtype}")
    if rtol is None:
        default = _EPS.get(input.dtype.name, 2.220446049250313e-16) * max(input.shape[-2:], default=0)
        if isinstance(atol, Tensor):
            rtol = find_operator("torch.where")(atol > 0, 0.0, default)
        else:
            rtol = 0.0 if atol else default
    return 0.0 if atol is None else atol, rtol


def _threshold(values, atol, rtol):
    """Return the threshold below which singular values count as zero, for each matrix, with a last dimension of 1."""
    largest = values.amax(-1, keepdim=True)
    maximum = find_operator("torch.maximum")
    atol, rtol = (t.unsqueeze(-1).to(values.dtype) if isinstance(t, Tensor) else t for t in (atol, rtol))
    relative = rtol * largest
    if isinstance(atol, Tensor):
        return maximum(atol, relative)
    return relative.clamp(min=atol)


def _check_matrix(name, input, what="input"):
    if input.ndim < 2:
        raise RuntimeError(f"{name}: The input tensor {what} must have at least 2 dimensions.")


def _singular_values(input, hermitian):
    return eigvalsh(input).abs() if hermitian else svdvals(input)


def _rank(input, atol, rtol, hermitian, out):
    _check_matrix("torch.linalg.matrix_rank", input)
    atol, rtol = _tolerances(input, atol, rtol)
    if input.dtype.name not in ("float32", "float64", "complex64", "complex128"):
        raise RuntimeError("This function doesn't handle types other than float and double")
    if input.numel() == 0:
        return input.new_zeros(tuple(input.shape[:-2]), dtype=_dtype_by_name("int64"))
    values = _singular_values(input, hermitian)
    return (values > _threshold(values, atol, rtol)).sum(-1)


_RANK = """
The rank: the number of singular values larger than max(atol, rtol times the largest one); `rtol` is max(m, n) times the
dtype's eps unless `atol` is given. With `hermitian` the singular values are computed from eigenvalues.
"""
_RANKS = (
    (
        "matrix_rank.atol_rtol_tensor(Tensor input, *, Tensor? atol=None, Tensor? rtol=None, bool hermitian=False, ",
        _rank,
    ),
    ("matrix_rank.atol_rtol_float(Tensor self, *, float? atol=None, float? rtol=None, bool hermitian=False, ", _rank),
    (
        "matrix_rank(Tensor self, float tol, bool hermitian=False, *, ",
        lambda input, tol, hermitian, out: _rank(input, tol, 0.0, hermitian, None),
    ),
    (
        "matrix_rank.tol_tensor(Tensor input, Tensor tol, bool hermitian=False, *, ",
        lambda input, tol, hermitian, out: _rank(input, tol, 0.0, hermitian, None),
    ),
)
for _schema, _function in _RANKS:
    Operator(_schema + _OUT + ") -> Tensor", _function, composite=True, differentiable=False, doc=_RANK, **LINALG)


def _pseudoinverse(input, atol, rtol, hermitian):
    if input.numel() == 0:
        *batch, m, n = input.shape
        return input.new_empty((*batch, n, m))
    where = find_operator("torch.where")
    if hermitian:
        values, vectors = _eigh(input)
        sizes = values.abs()
        inverse = where(sizes > _threshold(sizes, atol, rtol), values.reciprocal(), 0.0).to(input.dtype)
        return (vectors * inverse.unsqueeze(-2)) @ vectors.mH
    u, values, vh = _svd(input)
    inverse = where(values > _threshold(values, atol, rtol), values.reciprocal(), 0.0).to(input.dtype)
    return (vh.mH * inverse.unsqueeze(-2)) @ u.mH


pinv_kernel = Operator(
    "_pinv(Tensor self, Tensor atol, Tensor rtol, bool hermitian) -> Tensor",
    _pseudoinverse,
    namespace="torch._ops",
    variants=FUNCTION,
    doc="""
The pseudoinverse; tolerances are for each matrix of the batch, or for all.
""",
)


def _pinv(input, atol, rtol, hermitian, out):
    if input.ndim < 2 or input.dtype.name not in ("float32", "float64", "complex64", "complex128"):
        raise RuntimeError(
            f"linalg.pinv({input.dtype}{list(input.shape)}): expected a tensor with 2 or more "
            "dimensions of float, double, cfloat or cdouble types"
        )
    atol, rtol = (
        t if isinstance(t, Tensor) else find_operator("torch.full")((), t, dtype=input.real.dtype)
        for t in _tolerances(input, atol, rtol)
    )
    return pinv_kernel(input, atol, rtol, hermitian)


_PINV = """
The Moore-Penrose pseudoinverse, (*, n, m). Singular values up to max(atol, rtol times the largest one) count as
zero; `rtol` is max(m, n) times the dtype's eps unless `atol` is given. `rcond` is the older name of `rtol`. With
`hermitian` the matrices are symmetric or Hermitian.
"""
_PINVS = (
    ("pinv.atol_rtol_tensor(Tensor self, *, Tensor? atol=None, Tensor? rtol=None, bool hermitian=False, ", _pinv),
    ("pinv.atol_rtol_float(Tensor self, *, float? atol=None, float? rtol=None, bool hermitian=False, ", _pinv),
    (
        "pinv(Tensor self, float rcond, bool hermitian=False, *, ",
        lambda input, rcond, hermitian, out: _pinv(input, 0.0, rcond, hermitian, None),
    ),
    (
        "pinv.rcond_tensor(Tensor self, Tensor rcond, bool hermitian=False, *, ",
        lambda input, rcond, hermitian, out: _pinv(input, 0.0, rcond, hermitian, None),
    ),
)
for _schema, _function in _PINVS:
    Operator(_schema + _OUT + ") -> Tensor", _function, composite=True, doc=_PINV, **LINALG)
Operator(
    "pinverse(Tensor self, float rcond=1e-15) -> Tensor",
    lambda input, rcond: _pinv(input, 0.0, rcond, False, None),
    composite=True,
    doc="The pseudoinverse, `linalg.pinv` with `rtol=rcond`.",
)


# --- norms and condition numbers ------------------------------------------------------------------------------------


def _largest(sizes, dim, keepdim=False):
    """Return the maximum, or 0 if there are no elements."""
    return sizes.amax(dim, keepdim) if sizes.shape[dim] else sizes.sum(dim, keepdim)


def _matrix_norm(input, ord, dim, keepdim, dtype, out):
    _check_matrix("linalg.matrix_norm", input, "A")
    if len(dim) != 2:
        raise RuntimeError(f"linalg.matrix_norm: dim must be a 2-tuple. Got {' '.join(map(str, dim))}")
    rows, columns = (wrapped_dim(d, input.ndim) for d in dim)
    if rows == columns:
        raise RuntimeError(f"linalg.matrix_norm: dims must be different. Got ({dim[0]}, {dim[1]})")
    if ord == "fro":
        return vector_norm(input, 2, (rows, columns), keepdim, dtype=dtype)
    if ord not in ("nuc", 2, -2, 1, -1, float("inf"), -float("inf")):
        raise RuntimeError(f"linalg.matrix_norm: Order {ord} not supported.")
    if ord in ("nuc", 2, -2):
        x = (input if dtype is None else input.to(dtype)).movedim((rows, columns), (-2, -1))
        values = svdvals(x)
        out = values.sum(-1) if ord == "nuc" else _largest(values, -1) if ord == 2 else values.amin(-1)
        if keepdim:
            for d in sorted((rows, columns)):
                out = out.unsqueeze(d)
        return out
    summed, kept = (rows, columns) if abs(ord) == 1 else (columns, rows)
    sums = vector_norm(input, 1, (summed,), keepdim, dtype=dtype)
    kept -= 0 if keepdim or kept < summed else 1
    return _largest(sums, kept, keepdim) if ord > 0 else sums.amin(kept, keepdim)


_NORMS = """
A norm of the matrices in the dimensions `dim`: `"fro"` (Frobenius), `"nuc"` (the sum of singular values),
±inf and ±1 (the largest or smallest sum of absolute values of rows, of columns), ±2 (the largest or smallest singular
value).
"""
_REST = "int[] dim=[-2, -1], bool keepdim=False, *, ScalarType? dtype=None, " + _OUT + ") -> Tensor"
matrix_norm = Operator(
    "matrix_norm(Tensor self, Scalar ord, " + _REST, _matrix_norm, composite=True, doc=_NORMS, **LINALG
)
matrix_norm_by_name = Operator(
    "matrix_norm.str_ord(Tensor self, str ord='fro', " + _REST, _matrix_norm, composite=True, doc=_NORMS, **LINALG
)


def _norm(input, ord, dim, keepdim, dtype, out):
    dim = (dim,) if isinstance(dim, int) else dim
    if dim is not None and len(dim) not in (1, 2):
        raise RuntimeError(f"linalg.norm: If dim is specified, it must be of length 1 or 2. Got {list(dim)}")
    if dim is None and ord is not None and input.ndim not in (1, 2):
        raise RuntimeError(
            f"linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got {input.ndim}D."
        )
    matrices = len(dim) == 2 if dim is not None else input.ndim == 2
    if ord is None or not matrices:
        if isinstance(ord, str):
            raise RuntimeError(f"linalg.norm: Order {ord} needs matrices.")
        return vector_norm(input, 2 if ord is None else ord, dim, keepdim, dtype=dtype)
    return _matrix_norm(input, ord, (-2, -1) if dim is None else dim, keepdim, dtype, None)


_EITHER = """
A vector norm (`linalg.vector_norm`) if `dim` is one dimension or `input` has one, else a matrix norm
(`linalg.matrix_norm`); without `ord` and `dim`, the norm of all elements as one vector.
"""
_REST = "int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None, " + _OUT + ") -> Tensor"
Operator("norm(Tensor self, Scalar? ord=None, " + _REST, _norm, composite=True, doc=_EITHER, **LINALG)
Operator("norm.ord_str(Tensor self, str ord, " + _REST, _norm, composite=True, doc=_EITHER, **LINALG)


def _cond(input, p, out):
    if input.ndim < 2:
        raise RuntimeError("linalg.cond: The input tensor must have at least 2 dimensions.")
    if p is None or p in (2, -2):
        if input.numel() == 0:
            return input.real.new_zeros(tuple(input.shape[:-2]))
        values = svdvals(input)
        return values[..., -1] / values[..., 0] if p == -2 else values[..., 0] / values[..., -1]
    if p not in ("fro", "nuc", 1, -1, float("inf"), -float("inf")):
        raise RuntimeError(f"linalg.cond got an invalid norm type: {p}")
    if input.shape[-2] != input.shape[-1]:
        raise RuntimeError(
            f"linalg.cond(ord={p}): A must be batches of square matrices, but they are "
            f"{input.shape[-2]} by {input.shape[-1]} matrices"
        )
    if input.numel() == 0:
        return input.real.new_zeros(tuple(input.shape[:-2]))
    inverse, info = find_operator("torch.linalg.inv_ex")(input)
    result = _matrix_norm(input, p, (-2, -1), False, None, None) * _matrix_norm(inverse, p, (-2, -1), False, None, None)
    return find_operator("torch.where")(info == 0, result, float("inf"))


_COND = """
The condition number: the norm `p` of a matrix times that of its inverse; without `p` and for ±2, the ratio of the
extreme singular values. inf for singular matrices.
"""
Operator("cond(Tensor self, Scalar? p=None, *, " + _OUT + ") -> Tensor", _cond, composite=True, doc=_COND, **LINALG)
Operator("cond.p_str(Tensor self, str p, *, " + _OUT + ") -> Tensor", _cond, composite=True, doc=_COND, **LINALG)


# --- functions of matrices ------------------------------------------------------------------------------------------


def _check_square(name, input):
    _check_matrix(name, input, "A")
    if input.shape[-2] != input.shape[-1]:
        raise RuntimeError(
            f"{name}: A must be batches of square matrices, but they are {input.shape[-2]} by "
            f"{input.shape[-1]} matrices"
        )


def _matrix_power(input, n, out):
    _check_square("linalg.matrix_power", input)
    if n == 0:
        zeros = input.masked_fill(input == input, 0).masked_fill(input != input, 0)  # zeros that depend on `input`
        return zeros + find_operator("torch.eye")(input.shape[-1], dtype=input.dtype, device=input.device)
    if n < 0:
        input, n = inv(input), -n
    result = None
    while n:  # by squaring
        if n & 1:
            result = input if result is None else result @ input
        n >>= 1
        if n:
            input = input @ input
    return result.clone() if result is input else result


_POWER = "The n-th power by repeated squaring; for negative n, the power of the inverse. " + _SQUARE
Operator(
    "matrix_power(Tensor self, int n, *, " + _OUT + ") -> Tensor", _matrix_power, composite=True, doc=_POWER, **LINALG
)
Operator("matrix_power(Tensor self, int n, *, " + _OUT + ") -> Tensor", _matrix_power, composite=True, doc=_POWER)

# Padé approximants of exp up to order 13, and the norms up to which they are accurate in double precision.
# Higham, The scaling and squaring method for the matrix exponential revisited, SIAM J. Matrix Anal. Appl. 26 (2005).
_PADE = (
    64764752532480000.0,
    32382376266240000.0,
    7771770303897600.0,
    1187353796428800.0,
    129060195264000.0,
    10559470521600.0,
    670442572800.0,
    33522128640.0,
    1323241920.0,
    40840800.0,
    960960.0,
    16380.0,
    182.0,
    1.0,
)
_PADE_NORM = 5.371920351148152


def _matrix_exp(input):
    if not (input.is_floating_point() or input.is_complex()):
        raise RuntimeError(
            f"linalg.matrix_exp: Expected a floating point or complex tensor as input. Got {input.dtype}"
        )
    _check_square("linalg.matrix_exp", input)
    if input.numel() == 0:
        return input.clone()
    if input.dtype.name in ("float16", "bfloat16"):
        return _matrix_exp(input.float()).to(input.dtype)
    norms = vector_norm(input, 1, (-2,)).amax(-1, keepdim=True).unsqueeze(-1)
    # Each matrix is halved until its norm is small, and its result is squared as often. A matrix whose norm is not
    # finite has no exponential, and must not affect the others.
    where = find_operator("torch.where")
    halvings = where(norms.isfinite(), (norms / _PADE_NORM).log2().ceil().clamp(min=0), 0)
    b = _PADE
    eye = find_operator("torch.eye")(input.shape[-1], dtype=input.dtype)
    a = input * find_operator("torch.exp2")(-halvings).to(input.dtype)
    a2 = a @ a
    a4 = a2 @ a2
    a6 = a4 @ a2
    odd = a @ (a6 @ (b[13] * a6 + b[11] * a4 + b[9] * a2) + b[7] * a6 + b[5] * a4 + b[3] * a2 + b[1] * eye)
    even = a6 @ (b[12] * a6 + b[10] * a4 + b[8] * a2) + b[6] * a6 + b[4] * a4 + b[2] * a2 + b[0] * eye
    result = find_operator("torch.linalg.solve_ex")(even - odd, even + odd)[0]
    for i in range(int(halvings.amax())):
        result = where(halvings > i, result @ result, result)
    return result.contiguous()


_EXP = "The exponential of matrices, Σ Aᵏ/k!, by Padé's approximant of a halved matrix and squaring. " + _SQUARE
matrix_exp = Operator("matrix_exp(Tensor self) -> Tensor", _matrix_exp, doc=_EXP, **LINALG)
Operator("matrix_exp(Tensor self) -> Tensor", lambda input: matrix_exp(input), composite=True, doc=_EXP)


def _vander(x, N, out):
    x = x if x.ndim else x.reshape((1,))
    n = N if N is not None else x.shape[-1]
    if n <= 1:
        raise RuntimeError("N must be greater than 1.")
    if not (x.is_floating_point() or x.is_complex()):
        x = x.long()
    rising = find_operator("torch.cumprod")(x.unsqueeze(-1).expand((*x.shape, n - 1)), -1)
    return find_operator("torch.cat")((find_operator("torch.ones_like")(x).unsqueeze(-1), rising), -1)


def _named_vander(x, N, increasing):
    if x.ndim != 1:
        raise RuntimeError("x must be a one-dimensional tensor.")
    n = x.shape[0] if N is None else N
    if n < 0:
        raise RuntimeError("N must be non-negative.")
    rising = _vander(x, max(n, 2), None)
    if n < 2:
        rising = rising.narrow(1, 0, n).clone()  # a result has no gaps
    return rising if increasing else find_operator("torch.flip")(rising, (1,))


Operator(
    "vander(Tensor x, *, int? N=None, " + _OUT + ") -> Tensor",
    lambda x, N, out: _vander(x, N, out),
    composite=True,
    doc="The Vandermonde matrix: each row contains the powers 0 to N - 1 of a number.",
    **LINALG,
)
Operator(
    "vander(Tensor x, int? N=None, bool increasing=False) -> Tensor",
    _named_vander,
    composite=True,
    variants=FUNCTION,
    doc="The Vandermonde matrix: each row contains the powers N - 1 to 0 of a number, or 0 to N - 1 if `increasing`.",
)
Operator(
    "matmul(Tensor self, Tensor other, *, " + _OUT + ") -> Tensor",
    lambda input, other, out: input @ other,
    composite=True,
    doc="`torch.matmul`.",
    **LINALG,
)
Operator(
    "diagonal(Tensor(a) A, *, int offset=0, int dim1=-2, int dim2=-1) -> Tensor(a)",
    lambda A, offset, dim1, dim2: A.diagonal(offset, dim1, dim2),
    composite=True,
    doc="`torch.diagonal`, by default of the last two dimensions.",
    **LINALG,
)
