"""Special functions: Bessel, Airy, incomplete gamma and zeta functions, normal distribution, orthogonal polynomials.

All are computed in double precision and rounded to the dtype; integers are converted to the default floating dtype.
Functions of `torch` are also in `torch.special`, under their names there. In single precision, errors are below one
unit in the last place, except for arguments whose rounding matters more. In double precision, the largest observed
errors, in units in the last place and compared with values of 40 digits, are 3 for `i0e`, `i1`, `i1e`, `erfcx`, `ndtr`,
`ndtri` and the spherical Bessel function, 4 for `log_ndtr` and `zeta`, 6 for `i0`, 8 for modified Bessel functions of
the second kind, and 45 for `gammainc` and `gammaincc` (600 far out in their tails). For oscillating functions, these
figures apply between zeros; near zeros, errors are small relative to the amplitude.
"""

import math

from flambeau_tensor._core.call.forwarding import Forward
from flambeau_tensor._core.call.operator import Operator
from flambeau_tensor._core.elementwise.cpu_levels import hot
from flambeau_tensor._core.elementwise.engine import Elementwise
from flambeau_tensor._core.schema.declaring import FLOATS, FUNCTION, INPLACE, INPLACE_FUNCTION, METHOD, REALS
from flambeau_tensor.ops import factories, pointwise, reductions, softmax
from flambeau_tensor.ops.pointwise import LOOPS as _OLDER

_LOOPS = hot("bessel").LOOPS | hot("gammas").LOOPS | hot("polynomials").LOOPS | hot("normal").LOOPS
SPECIAL = {"namespace": "torch.special", "variants": FUNCTION}
_OUT = "*, Tensor(a!)? out=None) -> Tensor"


def _one(name, doc, loop=None, argument="self", *, differentiable=True, error="", **where):
    kernel = Elementwise(error or f"{name}_cpu", 1, _LOOPS[loop or name], default_float=True, dtypes=REALS)
    return Operator(
        f"{name}(Tensor {argument}, {_OUT}", kernel, differentiable=differentiable, doc=doc, **(where or SPECIAL)
    )


def _same(name, target, arguments="self", variants=FUNCTION, doc=None):
    """Declare another name in `torch.special`."""
    listed = {"self": "Tensor self, " + _OUT, "pair": "Tensor self, Tensor other, " + _OUT}
    numbers = {"self", "other"} if arguments == "pair" and target is not igamma and target is not igammac else ()
    return Operator(
        f"{name}({listed.get(arguments, arguments)}",
        Forward(target),
        composite=True,
        numbers=numbers,
        namespace="torch.special",
        variants=variants,
        doc=doc or f":func:`torch.{target.name}`.",
    )


# --- Bessel functions -----------------------------------------------------------------------------------------------

i0 = _one(
    "i0",
    "The modified Bessel function of the first kind, of order 0.",
    error="i0_vml_cpu",
    variants=FUNCTION | METHOD | INPLACE_FUNCTION,
)
i0e = _one("i0e", "exp(-|x|) I₀(x).")
i1 = _one("i1", "The modified Bessel function of the first kind, of order 1.")
i1e = _one("i1e", "exp(-|x|) I₁(x).")
for _name, _loop, _doc in (
    ("bessel_j0", "", "The Bessel function of the first kind, of order 0."),
    ("bessel_j1", "", "The Bessel function of the first kind, of order 1."),
    ("bessel_y0", "", "The Bessel function of the second kind, of order 0."),
    ("bessel_y1", "", "The Bessel function of the second kind, of order 1."),
    ("modified_bessel_i0", "i0", "The modified Bessel function of the first kind, of order 0."),
    ("modified_bessel_i1", "i1", "The modified Bessel function of the first kind, of order 1."),
    ("modified_bessel_k0", "k0", "The modified Bessel function of the second kind, of order 0."),
    ("modified_bessel_k1", "k1", "The modified Bessel function of the second kind, of order 1."),
):
    _one(_name, _doc, _loop, differentiable=False)
for _name, _loop, _doc in (
    ("scaled_modified_bessel_k0", "k0e", "exp(x) K₀(x)."),
    ("scaled_modified_bessel_k1", "k1e", "exp(x) K₁(x)."),
    ("spherical_bessel_j0", "", "sin(x) / x, the spherical Bessel function of the first kind, of order 0."),
    ("airy_ai", "", "Airy's function Ai."),
):
    _one(_name, _doc, _loop, "x", differentiable=False)


# --- gamma functions ------------------------------------------------------------------------------------------------


def _incomplete(name, doc):
    return Operator(
        f"{name}(Tensor self, Tensor other, {_OUT}",
        Elementwise("igamma_cpu", 2, _LOOPS[name], dtypes=FLOATS),
        variants=FUNCTION | METHOD | INPLACE,
        doc=doc,
    )


igamma = _incomplete("igamma", "The regularized lower incomplete gamma function, of order `input`.")
igammac = _incomplete("igammac", "The regularized upper incomplete gamma function, of order `input`.")
zeta = Operator(
    "zeta(Tensor self, Tensor other, " + _OUT,
    Elementwise("zeta_cpu", 2, _OLDER["zeta"], default_float=True, dtypes=REALS),
    numbers={"self", "other"},
    **SPECIAL,
    doc="Hurwitz's zeta function, the sum of (other + k)^(-input) over k ≥ 0.",
)


def _mvlgamma(input, p, out=None):
    if p < 1:
        raise RuntimeError("p has to be greater than or equal to 1")
    dtype = input.dtype if input.is_floating_point() else None
    halves = factories.arange(0.5 * p, step=0.5, device=input.device, **({"dtype": dtype} if dtype else {}))
    return (input.unsqueeze(-1) - halves).lgamma().sum(-1) + p * (p - 1) / 4 * math.log(math.pi)


_MVLGAMMA = "The logarithm of the multivariate gamma function of dimension `p`."
mvlgamma = Operator(
    "mvlgamma(Tensor self, int p, " + _OUT,
    _mvlgamma,
    composite=True,
    variants=FUNCTION | METHOD | INPLACE,
    doc=_MVLGAMMA,
)


# --- normal distributions and entropies -----------------------------------------------------------------------------

ndtr = _one("ndtr", "The cumulative distribution function of the standard normal distribution.")
log_ndtr = _one("log_ndtr", "The logarithm of `ndtr`, accurate for small values.")
ndtri = _one("ndtri", "The inverse of `ndtr`.")
erfcx = _one("erfcx", "exp(x²) erfc(x).")
entr = _one("entr", "-x log(x); 0 at 0, -inf below it.")
xlog1py = Operator(
    "xlog1py(Tensor self, Tensor other, " + _OUT,
    Elementwise("xlog1py_cpu", 2, _LOOPS["xlog1py"], default_float=True, dtypes=REALS),
    numbers={"self", "other"},
    doc="input · log(1 + other), 0 where `input` is 0.",
    **SPECIAL,
)


# --- orthogonal polynomials -----------------------------------------------------------------------------------------

for _name, _loop, _doc in (
    ("chebyshev_polynomial_t", "chebyshev_t", "Chebyshev polynomials of the first kind"),
    ("chebyshev_polynomial_u", "chebyshev_u", "Chebyshev polynomials of the second kind"),
    ("chebyshev_polynomial_v", "chebyshev_v", "Chebyshev polynomials of the third kind"),
    ("chebyshev_polynomial_w", "chebyshev_w", "Chebyshev polynomials of the fourth kind"),
    ("shifted_chebyshev_polynomial_t", "shifted_chebyshev_t", "Chebyshev polynomials of the first kind of 2x - 1"),
    ("shifted_chebyshev_polynomial_u", "shifted_chebyshev_u", "Chebyshev polynomials of the second kind of 2x - 1"),
    ("shifted_chebyshev_polynomial_v", "shifted_chebyshev_v", "Chebyshev polynomials of the third kind of 2x - 1"),
    ("shifted_chebyshev_polynomial_w", "shifted_chebyshev_w", "Chebyshev polynomials of the fourth kind of 2x - 1"),
    ("hermite_polynomial_h", "hermite_h", "Hermite polynomials, those of physicists"),
    ("hermite_polynomial_he", "hermite_he", "Hermite polynomials, those of probability theory"),
    ("laguerre_polynomial_l", "laguerre_l", "Laguerre polynomials"),
    ("legendre_polynomial_p", "legendre_p", "Legendre polynomials"),
):
    Operator(
        f"{_name}(Tensor x, Tensor n, {_OUT}",
        Elementwise(f"{_name}_cpu", 2, _LOOPS[_loop], default_float=True, dtypes=REALS),
        numbers={"x", "n"},
        differentiable=False,
        doc=f"{_doc}, of the degree `n` cut to an integer; 0 for negative ones.",
        **SPECIAL,
    )


# --- other names ----------------------------------------------------------------------------------------------------

for _name, _target in (
    ("erf", "erf"),
    ("erfc", "erfc"),
    ("erfinv", "erfinv"),
    ("exp2", "exp2"),
    ("expit", "sigmoid"),
    ("expm1", "expm1"),
    ("log1p", "log1p"),
    ("gammaln", "lgamma"),
    ("digamma", "digamma"),
    ("psi", "digamma"),
    ("sinc", "sinc"),
):
    _same(_name, getattr(pointwise, _target))
_same("i0", i0)
_same("gammainc", igamma, "pair")
_same("gammaincc", igammac, "pair")
_same("xlogy", pointwise.xlogy, "pair")
_same("round", pointwise.round, "Tensor self, *, int decimals=0, Tensor(a!)? out=None) -> Tensor")
_same("logit", pointwise.logit, "Tensor self, float? eps=None, " + _OUT)
_same("polygamma", pointwise.polygamma, "int n, Tensor self, " + _OUT)
_same("multigammaln", mvlgamma, "Tensor self, int p, " + _OUT, doc=_MVLGAMMA)
_same("logsumexp", reductions.logsumexp, "Tensor self, int[1] dim, bool keepdim=False, " + _OUT)
_same("softmax", softmax.softmax, "Tensor self, int dim, ScalarType? dtype=None) -> Tensor")
_same("log_softmax", softmax.log_softmax, "Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor")
