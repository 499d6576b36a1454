"""Calls of special functions."""

from samples import Dtypes, call, each, real

P = real(2, 3, low=0.6, high=1.9)
Q = real(3, low=0.6, high=1.9)
ORDERS = each([1.5, 0.7, 4.0], [2.5, 1.1, 0.9], [3.0, 2.0, 1.3])
ABOVE_1 = each([1.5, 2.7, 4.0], [2.5, 1.7, 1.9], [3.0, 2.0, 1.3])
DEGREES = each([0, 2, 5], [1, 3, 4], [2, 2, 1])

TABLE = {
    "i0": call(real(2, 3, low=-2, high=2), dtypes=Dtypes.REALS),
    "special.i0e": call(real(2, 3, low=0.5, high=2), dtypes=Dtypes.REALS),
    "special.i1": call(real(2, 3, low=0.5, high=2), dtypes=Dtypes.REALS),
    "special.i1e": call(real(2, 3, low=0.5, high=2), dtypes=Dtypes.REALS),
    "special.ndtr": call(real(2, 3, low=-2, high=2), dtypes=Dtypes.REALS),
    "special.log_ndtr": call(real(2, 3, low=-2, high=2), dtypes=Dtypes.REALS),
    "special.ndtri": call(real(2, 3, low=0.2, high=0.8), dtypes=Dtypes.REALS),
    "special.erfcx": call(real(2, 3, low=-1, high=2), dtypes=Dtypes.REALS),
    "special.entr": call(real(2, 3, low=0.5, high=2), dtypes=Dtypes.REALS),
    "special.expit": call(real(2, 3, low=-2, high=2), dtypes=Dtypes.ALL),
    "special.gammaln": call(real(2, 3, low=0.5, high=3), dtypes=Dtypes.REALS),
    "special.psi": call(real(2, 3, low=0.5, high=3), dtypes=Dtypes.REALS),
    "special.bessel_j0": call(P, dtypes=Dtypes.REALS),
    "special.bessel_j1": call(P, dtypes=Dtypes.REALS),
    "special.bessel_y0": call(P, dtypes=Dtypes.REALS),
    "special.bessel_y1": call(P, dtypes=Dtypes.REALS),
    "special.modified_bessel_i0": call(P, dtypes=Dtypes.REALS),
    "special.modified_bessel_i1": call(P, dtypes=Dtypes.REALS),
    "special.modified_bessel_k0": call(P, dtypes=Dtypes.REALS),
    "special.modified_bessel_k1": call(P, dtypes=Dtypes.REALS),
    "special.scaled_modified_bessel_k0": call(P, dtypes=Dtypes.REALS),
    "special.scaled_modified_bessel_k1": call(P, dtypes=Dtypes.REALS),
    "special.spherical_bessel_j0": call(P, dtypes=Dtypes.REALS),
    "special.airy_ai": call(P, dtypes=Dtypes.REALS),
    "special.chebyshev_polynomial_t": call(real(2, 3, low=0.1, high=0.9), DEGREES, dtypes=Dtypes.REALS),
    "special.chebyshev_polynomial_u": call(real(2, 3, low=0.1, high=0.9), DEGREES, dtypes=Dtypes.REALS),
    "special.chebyshev_polynomial_v": call(real(2, 3, low=0.1, high=0.9), DEGREES, dtypes=Dtypes.REALS),
    "special.chebyshev_polynomial_w": call(real(2, 3, low=0.1, high=0.9), DEGREES, dtypes=Dtypes.REALS),
    "special.shifted_chebyshev_polynomial_t": call(real(2, 3, low=0.1, high=0.9), DEGREES, dtypes=Dtypes.REALS),
    "special.shifted_chebyshev_polynomial_u": call(real(2, 3, low=0.1, high=0.9), DEGREES, dtypes=Dtypes.REALS),
    "special.shifted_chebyshev_polynomial_v": call(real(2, 3, low=0.1, high=0.9), DEGREES, dtypes=Dtypes.REALS),
    "special.shifted_chebyshev_polynomial_w": call(real(2, 3, low=0.1, high=0.9), DEGREES, dtypes=Dtypes.REALS),
    "special.hermite_polynomial_h": call(real(2, 3, low=0.1, high=0.9), DEGREES, dtypes=Dtypes.REALS),
    "special.hermite_polynomial_he": call(real(2, 3, low=0.1, high=0.9), DEGREES, dtypes=Dtypes.REALS),
    "special.laguerre_polynomial_l": call(real(2, 3, low=0.1, high=0.9), DEGREES, dtypes=Dtypes.REALS),
    "special.legendre_polynomial_p": call(real(2, 3, low=0.1, high=0.9), DEGREES, dtypes=Dtypes.REALS),
    "igamma": call(ORDERS, P, dtypes=Dtypes.REALS),
    "igammac": call(ORDERS, P, dtypes=Dtypes.REALS),
    "special.zeta": call(ABOVE_1, P, dtypes=Dtypes.REALS),
    "mvlgamma": call(real(2, 3, low=1.1, high=3), 2, dtypes=Dtypes.REAL_NUMBERS),
    "special.xlog1py": call(P, Q, dtypes=Dtypes.REALS),
    "special.xlog1py, a number": call(P, 2, dtypes=Dtypes.REALS),
    "special.xlog1py, of a number": call(3.0, P, dtypes=Dtypes.REALS),
}
