"""Iterative computation of a few eigenpairs of large symmetric matrices."""

from types import SimpleNamespace

from flambeau_tensor._core.call.operator import Operator
from flambeau_tensor._core.schema.declaring import FUNCTION
from flambeau_tensor._core.schema.registry import find_operator
from flambeau_tensor._kernels.interop import requires_grad
from flambeau_tensor.ops.linear_algebra.spectral import eigh
from flambeau_tensor.ops.matmul import matmul
from flambeau_tensor.packing import apply

_EPSILON = {"float32": 1.2e-7, "float64": 2.23e-16, "complex64": 1.2e-7, "complex128": 2.23e-16}


def _times(matrix, x):
    return x if matrix is None else matmul(matrix, x)


def _orthonormal(basis, B, epsilon):
    """Return a basis that is orthonormal in the inner product of B, without directions that nearly depend on others
    (A. Stathopoulos, K. Wu, SIAM J. Sci. Comput. 23 (2002) 2165). Two passes suffice."""
    for _ in range(2):
        gram = matmul(basis.mH, _times(B, basis))
        size = gram.diagonal().real.clamp(min=0).sqrt()
        kept = size > epsilon * size.max()
        basis, gram, size = basis[:, kept], gram[kept][:, kept], size[kept]
        basis = basis / size
        values, vectors = eigh(gram / size / size.unsqueeze(-1))
        kept = values > epsilon * values.max() * len(values)
        basis = matmul(basis, vectors[:, kept] / values[kept].sqrt())
    return basis


def _rayleigh_ritz(A, basis, n, largest):
    """Return the n best eigenpairs within the space of an orthonormal basis."""
    small = matmul(basis.mH, matmul(A, basis))
    values, vectors = eigh((small + small.mH) / 2)
    if largest:
        values, vectors = values.flip(0), vectors.flip(-1)
    return values[:n], matmul(basis, vectors[:, :n])


def _iterate(w):
    """LOBPCG (A. Knyazev, SIAM J. Sci. Comput. 23 (2001) 517): each step searches the space of the current
    eigenvectors, their residuals and the previous directions."""
    A, B, n = w.A, w.B, w.iparams["n"]
    epsilon, largest = _EPSILON[w.X.dtype.name], w.bparams["largest"]
    norm = find_operator("torch.linalg.vector_norm")
    w.fvars["A_norm"] = float(norm(matmul(A, w.X)) / norm(w.X))
    w.fvars["B_norm"] = float(norm(_times(B, w.X)) / norm(w.X))
    w.E, w.X = _rayleigh_ritz(A, _orthonormal(w.X, B, epsilon), n, largest)
    direction = None
    for step in range(w.iparams["niter"] + 1):
        BX = _times(B, w.X)
        w.R = matmul(A, w.X) - BX * w.E
        scale = norm(w.X, 2, 0) * (w.fvars["A_norm"] + w.E.abs() * w.fvars["B_norm"])
        w.tvars["rerr"] = errors = norm(w.R, 2, 0) / scale
        bad = (errors >= w.fparams["tol"]).tolist()
        done = bad.index(True) if True in bad else len(bad)
        w.ivars.update(istep=step, converged_count=done, converged_end=done, iterations_left=w.iparams["niter"] - step)
        if w.tracker is not None:
            w.tracker(w)
        if done >= w.iparams["k"] or step == w.iparams["niter"]:
            return
        parts = [w.R[:, done:] if w.iK is None else matmul(w.iK, w.R[:, done:])]
        if direction is not None:
            parts.append(direction[:, done:])
        rest = find_operator("torch.cat")(parts, 1)
        for _ in range(2):
            rest = rest - matmul(w.X, matmul(BX.mH, rest))
        w.S = find_operator("torch.cat")([w.X, rest], 1)
        w.S = _orthonormal(w.S, B, epsilon)
        w.E, moved = _rayleigh_ritz(A, w.S, n, largest)
        direction, w.X = moved - matmul(w.X, matmul(BX.mH, moved)), moved


def _one(A, k, B, X, n, iK, niter, tol, largest, method, tracker, parameters):
    m = A.shape[-1]
    k = (1 if X is None else X.shape[-1]) if k is None else k
    n = (k if X is None else X.shape[-1]) if n is None else n
    if m < 3 * n:
        raise ValueError(
            f"LOBPCG algorithm is not applicable when the number of A rows (={m}) is smaller than 3 x the "
            f"number of requested eigenpairs (={n})"
        )
    if X is None:
        X = find_operator("torch.randn")((m, n), dtype=A.dtype, device=A.device)
    elif tuple(X.shape) != (m, n):
        raise AssertionError(f"X shape mismatch: got {X.shape}, expected {(m, n)}")
    integers, floats, booleans = parameters
    w = SimpleNamespace(
        A=A,
        B=B,
        iK=iK,
        X=X,
        E=None,
        R=None,
        S=None,
        method=method,
        tracker=tracker,
        tvars={},
        ivars={},
        fvars={},
        bvars={},
        iparams={"m": m, "n": n, "k": k, "niter": 1000 if niter is None else niter} | integers,
        fparams={"tol": _EPSILON[A.dtype.name] ** 0.5 if tol is None else tol} | floats,
        bparams={"largest": largest} | booleans,
    )
    _iterate(w)
    return w.E[:k], w.X[:, :k]


def _lobpcg(A, k, B, X, n, iK, niter, tol, largest, method, tracker, *parameters):
    largest, method = largest is not False, "ortho" if method is None else method
    if A.shape[-1] != A.shape[-2]:
        raise AssertionError(f"A must be square, got shape {A.shape}")
    if method not in ("basic", "ortho"):
        raise ValueError(f"method must be 'basic' or 'ortho', not {method!r}")
    if A.dtype.name not in _EPSILON:
        raise RuntimeError(f"lobpcg: Expected a floating point or complex tensor as input. Got {A.dtype}")
    parameters = tuple(p or {} for p in parameters)
    matrices = [t.detach() if t is not None and requires_grad(t) else t for t in (A, B, X, iK)]
    batch = tuple(A.shape[:-2])
    flat = [
        [None] * _count(batch)
        if t is None
        else list(t.expand((*batch, *t.shape[-2:])).reshape((-1, *t.shape[-2:])).unbind(0))
        for t in matrices
    ]
    found = [
        _one(a, k, b, x, n, i, niter, tol, largest, method, tracker, parameters)
        for a, b, x, i in zip(*flat, strict=True)
    ]
    stack = find_operator("torch.stack")
    E, V = (stack([pair[i] for pair in found]) if found else A.new_zeros((0, k or 1)) for i in (0, 1))
    E, V = E.reshape((*batch, *E.shape[1:])), V.reshape((*batch, *V.shape[1:]))
    if requires_grad(A) or (B is not None and requires_grad(B)):
        return _differentiable(A, B, E, V, largest)
    return E, V


def _count(sizes):
    count = 1
    for n in sizes:
        count *= n
    return count


def _differentiable(A, B, E, V, largest):
    """Return the same eigenpairs with a history: parts of the full decomposition, with the iteration's signs."""
    if B is not None:
        raise ValueError("lobpcg.backward does not support backward with B != I yet.")
    values, vectors = eigh((A + A.mH) / 2)
    if largest:
        values, vectors = values.flip(-1), vectors.flip(-1)
    k = E.shape[-1]
    values, vectors = values[..., :k], vectors[..., :k]
    turn = find_operator("torch.sgn")((vectors.detach().conj() * V).sum(-2, True))
    return values, vectors * turn


lobpcg = Operator(
    "lobpcg(Tensor A, int? k=None, Tensor? B=None, Tensor? X=None, int? n=None, Tensor? iK=None, int? niter=None, "
    "float? tol=None, bool? largest=None, str? method=None, Callable? tracker=None, Object? ortho_iparams=None, "
    "Object? ortho_fparams=None, Object? ortho_bparams=None) -> (Tensor, Tensor)",
    _lobpcg,
    composite=True,
    variants=FUNCTION,
    doc="""
The largest (or smallest) eigenvalues of symmetric positive definite matrices and their eigenvectors, A x = λ B x, by
the locally optimal block preconditioned conjugate gradient method.

Args:
    A: (*, m, m), symmetric or Hermitian, of a floating point or complex dtype.
    k: the number of pairs; by default the number of columns of `X`, or 1.
    B: (*, m, m), symmetric positive definite; the identity if left out.
    X: (*, m, n), the initial vectors; by default random.
    n: the number of vectors in the iteration, at least `k` and at most m / 3.
    iK: (*, m, m), a preconditioner, by which residuals are multiplied.
    niter: the maximum number of steps; by default 1000.
    tol: the relative residual of a pair that is found; the root of the dtype's precision unless given.
    largest: False asks for the smallest eigenvalues.
    method: "ortho" or "basic". Both iterate with an orthonormal basis, as PyTorch's "ortho" does.
    tracker: is called at each step with an object that holds its state (`X`, `E`, `R`, `tvars`, `ivars`, `fvars`, …).
    ortho_iparams, ortho_fparams, ortho_bparams: dicts that the tracker finds among the parameters; the basis is
        orthogonalised twice whatever they say.

Returns:
    The eigenvalues (*, k), and the eigenvectors (*, m, k), orthonormal in the inner product of B. Where `A` requires
    grad they have its history, for which the whole decomposition is computed.

Raises:
    AssertionError: `A` is not square, or `X` does not fit. ValueError: m < 3n, or a gradient is asked for with `B`.

>>> import flambeau_tensor as ft
>>> values, vectors = ft.lobpcg(ft.diag(ft.arange(1.0, 10.0)), k=2)
>>> values
tensor([9., 8.])
""",
)
_OPTIONS = "niter=None tol=None largest=None method=None tracker=None"
_PARAMETERS = "ortho_iparams=None ortho_fparams=None ortho_bparams=None"
apply("torch", {"lobpcg": f"A! * k=None B!=None X!=None n=None iK!=None {_OPTIONS} {_PARAMETERS}"})
