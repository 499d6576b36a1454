"""Special functions: values with 40 digits rounded to double precision, limits, polynomials, names, errors."""

import math
from fractions import Fraction

import numpy as np
import pytest

import flambeau_tensor as ft
from flambeau_tensor import special
from samples.values import check_values

inf, nan = math.inf, math.nan
# name: (largest error in units in the last place, [(argument, value), ...])
VALUES = {
    "erfinv": (
        2,
        [
            (1e-20, 8.86226925452758e-21),
            (0.3, 0.2724627147267543),
            (-0.5, -0.4769362762044699),
            (0.75, 0.8134198475976185),
            (0.9999, 2.75106390571208),
            (0.9999999, 3.7665625816384707),
            (-0.9999999999, -4.572824958544925),
            (0.9999999999999, 5.261483331372676),
            (0.9999999999999889, 5.463071556529793),
            (0.9999999999999998, 5.805018683193453),
            (0.9999999999999999, 5.8635847487551676),
        ],
    ),
    "i0": (
        3,
        [
            (0.001, 1.0000002500000156),
            (-0.7, 1.1263030183068092),
            (2.5, 3.289839144050123),
            (7.9, 389.406283282158),
            (8.1, 469.5006067101215),
            (30.25, 999495401052.5316),
            (699.5, 9.28076896088578e301),
            (712.0, 2.4684110577627523e307),
        ],
    ),
    "i0e": (
        3,
        [
            (0.001, 0.9990007495835156),
            (-0.7, 0.5593055265070683),
            (2.5, 0.27004644161220276),
            (7.9, 0.14436986414104191),
            (8.1, 0.14251180948829528),
            (30.25, 0.07284046717911502),
            (10000.0, 0.003989472674604732),
            (1e300, 3.9894228040143264e-151),
        ],
    ),
    "i1": (
        3,
        [
            (1e-10, 5e-11),
            (-0.7, -0.37187967777700864),
            (2.5, 2.5167162452886984),
            (7.9, 363.8539440845084),
            (8.1, 439.48430891035844),
            (30.25, 982833517945.7871),
            (699.5, 9.274132727402616e301),
            (712.0, 2.4666770135246153e307),
        ],
    ),
    "i1e": (
        3,
        [
            (1e-10, 4.9999999995e-11),
            (-0.7, -0.18466998276274732),
            (2.5, 0.20658464953126657),
            (7.9, 0.13489649943989376),
            (8.1, 0.13340068832583662),
            (30.25, 0.07162619510912749),
            (10000.0, 0.003989273195983662),
            (1e300, 3.9894228040143264e-151),
        ],
    ),
    "modified_bessel_k0": (
        3,
        [
            (1e-10, 23.14178244559887),
            (0.1, 2.4270690247020164),
            (0.75, 0.6105824221164641),
            (1.9, 0.1288459792760475),
            (2.1, 0.10078374088996693),
            (9.5, 3.0057884957934336e-05),
            (40.0, 8.392861100099567e-19),
            (600.0, 1.3558285309948523e-262),
        ],
    ),
    "modified_bessel_k1": (
        3,
        [
            (1e-10, 10000000000.0),
            (0.1, 9.853844780870606),
            (0.75, 0.9495804669621403),
            (1.9, 0.15966015303266762),
            (2.1, 0.12274641153350789),
            (9.5, 3.160203411042674e-05),
            (40.0, 8.497131954861039e-19),
            (600.0, 1.356957918112806e-262),
        ],
    ),
    "scaled_modified_bessel_k0": (
        3,
        [
            (1e-10, 23.141782447913048),
            (0.1, 2.6823261022628944),
            (0.75, 1.2926029977639617),
            (1.9, 0.8614506167517558),
            (2.1, 0.8230171525316621),
            (9.5, 0.40156513211540534),
            (40.0, 0.19755558495729816),
            (100000.0, 0.003963322343474756),
        ],
    ),
    "scaled_modified_bessel_k1": (
        3,
        [
            (1e-10, 10000000001.0),
            (0.1, 10.890182683049696),
            (0.75, 2.010261864333922),
            (1.9, 1.0674709298145701),
            (2.1, 1.0023680527405792),
            (9.5, 0.42219454297695785),
            (40.0, 0.20000996725443349),
            (100000.0, 0.003963342160036932),
        ],
    ),
    "bessel_j0": (
        3,
        [
            (0.001, 0.9999997500000156),
            (0.75, 0.8642422751666486),
            (-2.0, 0.22389077914123567),
            (-5.421528065997276, -0.03378131278826025),
            (9.5, -0.19392874768742235),
            (40.0, 0.00736689058423729),
            (1000.0, 0.024786686152420176),
            (1000000.0, 0.00033104301373987376),
        ],
    ),
    "bessel_j1": (
        3,
        [
            (0.001, 0.0004999999375000026),
            (0.75, 0.34924360217486217),
            (-2.0, -0.5767248077568734),
            (5.5, -0.34143821542904335),
            (9.5, 0.16126443075752986),
            (40.0, 0.126038318037585),
            (1000.0, 0.004728311907089524),
            (1000000.0, -0.000725968356813763),
        ],
    ),
    "bessel_y0": (
        3,
        [
            (0.001, -4.471416611375923),
            (0.5, -0.44451873350670656),
            (2.0, 0.5103756726497451),
            (5.5, -0.339480592881911),
            (9.5, 0.17121062620272384),
            (40.0, 0.12593641705826092),
            (1000.0, 0.0047159179776228135),
            (1000000.0, -0.0007259685223351791),
        ],
    ),
    "bessel_y1": (
        3,
        [
            (0.001, -636.6221672311394),
            (0.75, -1.0375945507692854),
            (1.5, -0.4123086269739113),
            (5.576059452216908, -0.04898599332109945),
            (9.5, 0.20317989938720768),
            (40.0, -0.005793505821549633),
            (1000.0, -0.024784331292351778),
            (1000000.0, -0.00033104337672417626),
        ],
    ),
    "spherical_bessel_j0": (
        3,
        [
            (1e-09, 1.0),
            (0.3, 0.9850673555377986),
            (-0.6, 0.9410707889917256),
            (2.0, 0.45464871341284085),
            (5.0, -0.1917848549326277),
            (40.5, 0.00825064634193631),
            (1000000.0, -3.4999350217129296e-07),
        ],
    ),
    "airy_ai": (
        3,
        [
            (0.5, 0.23169360648083348),
            (1.9, 0.0405944200315295),
            (2.1, 0.029952602115866523),
            (5.0, 0.00010834442813607442),
            (30.5, 2.0425346166692602e-50),
            (100.0, 2.6344821520881846e-291),
            (-0.5, 0.4757280916105396),
            (-2.9, -0.341905095672983),
            (-3.1, -0.4043822223909783),
            (-10.0, 0.04024123848644319),
            (-100.0, 0.1767533932395529),
            (-1000.0, 0.05597189577301992),
        ],
    ),
    "erfcx": (
        3,
        [
            (0.001, 0.9988726200811514),
            (0.5, 0.6156903441929259),
            (2.0, 0.25539567631050575),
            (9.0, 0.06230772403777468),
            (150.0, 0.003761180312247992),
            (-0.5, 1.952360489182557),
            (-3.3, 107274.43593281436),
            (-26.0, 7.657724931490568e293),
        ],
    ),
    "ndtr": (
        3,
        [
            (0.5, 0.6914624612740131),
            (3.0, 0.9986501019683699),
            (-0.5, 0.3085375387259869),
            (-3.0, 0.0013498980316300946),
            (-10.5, 4.3190063178092304e-26),
            (-37.0, 5.725571222524577e-300),
        ],
    ),
    "log_ndtr": (
        3,
        [
            (0.5, -0.3689464152886564),
            (3.0, -0.0013508099647481938),
            (7.5, -3.190891672910947e-14),
            (-0.5, -1.1759117615936185),
            (-1.5, -2.7059444008238898),
            (-10.5, -58.404187061073245),
            (-10000.0, -50000010.12927891),
        ],
    ),
    "ndtri": (
        3,
        [
            (1e-300, -37.0470962993612),
            (1e-30, -11.464024688443615),
            (1e-09, -5.9978070150076865),
            (0.01, -2.326347874040841),
            (0.3, -0.5244005127080408),
            (0.499, -0.002506630899571766),
            (0.51, 0.025068908258711057),
            (0.8, 0.8416212335729144),
            (0.99, 2.3263478740408408),
            (0.999999999999, 7.0344869100478356),
        ],
    ),
    "entr": (
        3,
        [
            (1e-300, 6.9077552789821376e-298),
            (0.3, 0.3611918412977808),
            (2.0, -1.3862943611198906),
            (50.5, -198.05965348220636),
        ],
    ),
}
PAIRS = {
    "gammainc": (
        8,
        [
            (1e-08, 0.3, 0.9999999909432334),
            (0.5, 0.2, 0.4729107431344619),
            (0.5, 3.0, 0.9856941215645704),
            (3.0, 0.1, 0.00015465307026467167),
            (7.5, 7.0, 0.4744708702370911),
            (15.5, 14.6, 0.4411821884191208),
            (39.0, 41.0, 0.6436098599332855),
            (45.0, 44.0, 0.4600209917001805),
            (150.0, 170.0, 0.9443655686898067),
            (200.0, 80.0, 1.5741200241004164e-29),
            (10000.0, 9900.0, 0.15865119219356466),
            (1000000.0, 1001000.0, 0.8413447863683403),
        ],
    ),
    "gammaincc": (
        8,
        [
            (1e-08, 0.3, 9.056766532959496e-09),
            (0.5, 0.2, 0.5270892568655381),
            (0.5, 3.0, 0.01430587843542964),
            (3.0, 0.1, 0.9998453469297354),
            (7.5, 7.0, 0.5255291297629089),
            (15.5, 33.0, 0.00024990841294339),
            (39.0, 41.0, 0.3563901400667145),
            (45.0, 44.0, 0.5399790082998195),
            (150.0, 170.0, 0.05563443131019329),
            (100.0, 190.0, 2.663289961843494e-13),
            (10000.0, 10100.0, 0.15865124955282037),
            (1000000.0, 1001000.0, 0.15865521363165971),
        ],
    ),
    "zeta": (
        4,
        [
            (1.001, 0.5, 1001.9648639703559),
            (2.0, 1.0, 1.6449340668482264),
            (2.5, 0.1, 317.3277936562428),
            (9.75, 11.25, 1.047180962450358e-10),
            (55.5, 9.5, 5.470512438794684e-55),
            (3.0, -2.25, -61.94847488703008),
            (4.0, -0.25, 259.2938854224751),
        ],
    ),
    "xlog1py": (
        2,
        [(2.0, 1e-12, 1.999999999999e-12), (-3.5, 0.75, -1.9586552577739793), (1.0, 1e300, 690.7755278982137)],
    ),
}


def units(got, wanted, dtype):
    return np.abs(got.astype("float64") - wanted) / np.spacing(np.abs(wanted).astype(dtype)).astype("float64")


@pytest.mark.parametrize("name", VALUES)
def test_values(name):
    most, pairs = VALUES[name]
    x, wanted = np.array(pairs).T
    got = getattr(special, name)(ft.tensor(x)).numpy()
    assert units(got, wanted, "float64").max() <= most
    single = (np.abs(x) < 1e30) & (np.abs(x) > 1e-30) & (np.abs(wanted) < 1e30) & (np.abs(wanted) > 1e-30)
    x, wanted = x[single], wanted[single]
    same = x.astype("float32") == x
    got = getattr(special, name)(ft.tensor(x[same].astype("float32"))).numpy()
    assert got.dtype == "float32" and units(got, wanted[same], "float32").max(initial=0) <= 1


@pytest.mark.parametrize("name", PAIRS)
def test_values_of_pairs(name):
    most, triples = PAIRS[name]
    a, b, wanted = np.array(triples).T
    assert units(getattr(special, name)(ft.tensor(a), ft.tensor(b)).numpy(), wanted, "float64").max() <= most


LIMITS = {
    "erfinv": [(0, 0), (1, inf), (-1, -inf), (1.5, nan)],
    "i0": [(0, 1), (inf, inf), (-inf, inf), (800, inf)],
    "i1": [(0, 0), (inf, inf), (-inf, -inf), (-800, -inf)],
    "i0e": [(0, 1), (inf, 0)],
    "i1e": [(0, 0), (-inf, 0)],
    "modified_bessel_k0": [(0, inf), (-1, nan), (inf, 0), (800, 0)],
    "modified_bessel_k1": [(0, inf), (-1, nan), (inf, 0), (800, 0)],
    "scaled_modified_bessel_k0": [(0, inf), (-1, nan), (inf, 0)],
    "scaled_modified_bessel_k1": [(0, inf), (-1, nan), (inf, 0)],
    "bessel_j0": [(0, 1), (inf, 0)],
    "bessel_j1": [(0, 0), (-inf, 0)],
    "bessel_y0": [(0, -inf), (-1, nan), (inf, 0)],
    "bessel_y1": [(0, -inf), (-1, nan), (inf, 0)],
    "spherical_bessel_j0": [(0, 1), (-inf, 0)],
    "airy_ai": [(0, 0.3550280538878172), (inf, 0), (-inf, 0), (200, 0)],
    "erfcx": [(0, 1), (inf, 0), (-inf, inf), (-27, inf)],
    "erfc": [(0, 1), (inf, 0), (-inf, 2), (30, 0), (-30, 2)],
    "ndtr": [(0, 0.5), (inf, 1), (-inf, 0), (-40, 0)],
    "log_ndtr": [(inf, 0), (-inf, -inf)],
    "ndtri": [(0, -inf), (1, inf), (0.5, 0), (-1, nan), (2, nan)],
    "entr": [(0, 0), (1, 0), (-1, -inf), (inf, -inf)],
}


@pytest.mark.parametrize("name", LIMITS)
def test_limits(name):
    x, wanted = np.array([*LIMITS[name], (nan, nan)], "float64").T
    for dtype, tolerance in (("float64", 1e-15), ("float32", 1e-7)):
        np.testing.assert_allclose(
            getattr(special, name)(ft.tensor(x.astype(dtype))).numpy(), wanted, tolerance, tolerance
        )


@pytest.mark.parametrize(
    ("a", "x", "lower"),
    [
        (0, 0, nan),
        (0, 1, 1),
        (0, inf, 1),
        (1, 0, 0),
        (inf, 1, 0),
        (1, inf, 1),
        (inf, inf, nan),
        (-1, 1, nan),
        (1, -1, nan),
        (nan, 1, nan),
        (1, nan, nan),
        (inf, 0, 0),
    ],
)
def test_limits_of_incomplete_gamma_functions(a, x, lower):
    a, x = ft.tensor(float(a), dtype=ft.float64), ft.tensor(float(x), dtype=ft.float64)
    np.testing.assert_equal([special.gammainc(a, x).item(), special.gammaincc(a, x).item()], [lower, 1 - lower])


def test_a_tiny_upper_incomplete_gamma_function():
    a = ft.tensor(1e-300, dtype=ft.float64)  # a times the exponential integral of 1
    assert ft.igammac(a, ft.ones_like(a)).item() == pytest.approx(2.193839343955203e-301, rel=1e-14)
    assert ft.igamma(a, ft.ones_like(a)).item() == 1


@pytest.mark.parametrize(
    ("s", "q", "wanted"),
    [
        (1, 2, inf),
        (0.5, 2, nan),
        (2, 0, inf),
        (2, -1, inf),
        (2.5, -1.5, nan),
        (inf, 1, 1),
        (inf, 2, 0),
        (inf, 0.5, inf),
        (2, inf, 0),
        (-1, 2, nan),
    ],
)
def test_limits_of_zeta(s, q, wanted):
    np.testing.assert_equal(special.zeta(ft.tensor(float(s)), q).item(), wanted)


# --- polynomials ----------------------------------------------------------------------------------------------------


def recurrence(first, step):
    """Return the polynomial of degree n by its recurrence, in rational numbers."""

    def value(x, n):
        p, q = Fraction(1), first(x)
        if n < 1:
            return p if n == 0 else Fraction(0)
        for k in range(1, n):
            p, q = q, step(x, k, p, q)
        return q

    return value


def chebyshev(first, shifted=False):
    plain = recurrence(first, lambda x, k, p, q: 2 * x * q - p)
    return (lambda x, n: plain(2 * x - 1, n)) if shifted else plain


KINDS = {"t": lambda x: x, "u": lambda x: 2 * x, "v": lambda x: 2 * x - 1, "w": lambda x: 2 * x + 1}
POLYNOMIALS = {
    **{f"chebyshev_polynomial_{kind}": chebyshev(first) for kind, first in KINDS.items()},
    **{f"shifted_chebyshev_polynomial_{kind}": chebyshev(first, True) for kind, first in KINDS.items()},
    "hermite_polynomial_h": recurrence(lambda x: 2 * x, lambda x, k, p, q: 2 * x * q - 2 * k * p),
    "hermite_polynomial_he": recurrence(lambda x: x, lambda x, k, p, q: x * q - k * p),
    "laguerre_polynomial_l": recurrence(lambda x: 1 - x, lambda x, k, p, q: ((2 * k + 1 - x) * q - k * p) / (k + 1)),
    "legendre_polynomial_p": recurrence(lambda x: x, lambda x, k, p, q: ((2 * k + 1) * x * q - k * p) / (k + 1)),
}


@pytest.mark.parametrize("name", POLYNOMIALS)
def test_polynomials(name):
    x = [-1.5, -1.0, -0.75, -0.125, 0.0, 0.25, 0.5, 0.96875, 1.0, 2.0]
    for n in (-1, 0, 1, 2, 5, 9, 20):
        wanted = [float(POLYNOMIALS[name](Fraction(value), n)) for value in x]
        got = getattr(special, name)(ft.tensor(x, dtype=ft.float64), n)
        np.testing.assert_allclose(got.numpy(), wanted, rtol=1e-13, atol=1e-13 * max(1, n) ** 2)


def test_degrees():
    x = ft.tensor([0.5], dtype=ft.float64)
    assert special.chebyshev_polynomial_t(x, 2.9).item() == -0.5  # truncated to an integer
    assert special.legendre_polynomial_p(x, nan).item() == 0
    assert special.chebyshev_polynomial_t(0.5, ft.tensor([1, 2])).tolist() == [0.5, -0.5]
    assert special.hermite_polynomial_h(ft.tensor([3]), ft.tensor([1])).dtype is ft.float32


def test_degrees_that_no_recurrence_reaches():
    x = ft.tensor([0.3, -0.9, 7.0, 2.0], dtype=ft.float64)
    for name in POLYNOMIALS:  # as in PyTorch, whose degrees have 64 bits
        assert [getattr(special, name)(x, n).tolist() for n in (2.0**63, inf)] == [[0] * 4] * 2
    # Computed by another method, which must agree with the recurrence.
    n, x = 2**20 + 8, ft.tensor([0.3, 0.9], dtype=ft.float64)
    p, q, r = (special.laguerre_polynomial_l(x, k) for k in (n - 1, n, n + 1))
    assert ((r - q - ((n - x) * q - n * p) / (n + 1)).abs() < 1e-9).all()
    p, q, r = (special.legendre_polynomial_p(x, k) for k in (n - 1, n, n + 1))
    assert ((r - ((2 * n + 1) * x * q - n * p) / (n + 1)).abs() < 1e-9).all()
    assert special.legendre_polynomial_p(x, 2.0**62).abs().max() < 1e-8


# --- names, dtypes, errors ------------------------------------------------------------------------------------------

OLDER = {
    "erf": "erf",
    "erfc": "erfc",
    "erfinv": "erfinv",
    "exp2": "exp2",
    "expit": "sigmoid",
    "expm1": "expm1",
    "log1p": "log1p",
    "gammaln": "lgamma",
    "digamma": "digamma",
    "psi": "digamma",
    "sinc": "sinc",
    "i0": "i0",
    "round": "round",
    "logit": "logit",
    "modified_bessel_i0": "i0",
}


@pytest.mark.parametrize("name", OLDER)
def test_other_names(name):
    x = ft.tensor([0.125, 0.75])
    out = ft.empty(0)
    assert getattr(special, name)(x, out=out) is out
    assert (out == getattr(ft, OLDER[name])(x)).all() and (out == getattr(special, name)(x)).all()


def test_other_names_with_arguments():
    x = ft.tensor([[0.5, 2.0], [1.5, 0.25]])
    for ours, other in [
        (special.softmax(x, 0), x.softmax(0)),
        (special.log_softmax(x, 1, dtype=ft.float64), x.log_softmax(1, dtype=ft.float64)),
        (special.logsumexp(x, (0, 1)), x.logsumexp((0, 1))),
        (special.round(x, decimals=1), x.round(decimals=1)),
        (special.logit(x, 0.3), x.logit(0.3)),
        (special.polygamma(1, x), x.polygamma(1)),
        (special.xlogy(2, x), ft.xlogy(2, x)),
        (special.gammainc(x, x), x.igamma(x)),
        (special.gammaincc(x, x), x.igammac(x)),
        (special.multigammaln(x + 1, 2), (x + 1).mvlgamma(2)),
        (x.clone().i0_(), ft.i0(x)),
        (x.clone().igamma_(x), ft.igamma(x, x)),
        (x.clone().mvlgamma_(1), x.lgamma()),
    ]:
        assert ours.dtype is other.dtype and (ours == other).all()


def test_the_multivariate_gamma_function():
    x = np.array([1.5, 2.0, 7.25])
    wanted = [math.log(math.pi) * 1.5 + sum(math.lgamma(v - j / 2) for j in range(3)) for v in x]
    np.testing.assert_allclose(ft.mvlgamma(ft.tensor(x), 3).numpy(), wanted, rtol=1e-14)
    assert ft.mvlgamma(ft.tensor([3, 4]), 2).dtype is ft.float32


@pytest.mark.parametrize("name", [*VALUES, "zeta", "xlog1py"])
def test_integers_become_floats(name):
    x = (ft.tensor([1]),) * (2 if name in PAIRS else 1)
    assert getattr(special, name)(*x).dtype is ft.float32


x = ft.ones(2)
ERRORS = [
    (lambda: special.airy_ai(x + 0j), NotImplementedError, "\"airy_ai_cpu\" not implemented for 'ComplexFloat'"),
    (lambda: ft.i0(x + 0j), NotImplementedError, "\"i0_vml_cpu\" not implemented for 'ComplexFloat'"),
    (lambda: ft.igamma(x.long(), x.long()), NotImplementedError, "\"igamma_cpu\" not implemented for 'Long'"),
    (lambda: special.multigammaln(x, 0), RuntimeError, "p has to be greater than or equal to 1"),
    (lambda: special.nothing, AttributeError, "no attribute"),
]


@pytest.mark.parametrize(("call", "error", "said"), ERRORS, ids=[case[2][:30] for case in ERRORS])
def test_errors(call, error, said):
    with pytest.raises(error, match=said):
        call()


@pytest.mark.parametrize(
    ("x", "expected"),  # from mpmath
    [(-1e5, -0.0131529787374982), (-1e10, 0.000173620644815282), (-(2.0**40), -0.000210345049792474)],
)
def test_airy_function_far_to_the_left(x, expected):
    assert special.airy_ai(ft.tensor(x).double()).item() == pytest.approx(expected, rel=1e-7)


def test_airy_function_stays_below_its_amplitude():
    x = -ft.logspace(6, 30, 97, dtype=ft.float64)
    assert (special.airy_ai(x).abs() * (-x) ** 0.25 <= math.pi**-0.5 * 1.0001).all()


def test_the_middle_of_the_normal_distribution():
    for dtype in (ft.float32, ft.float64):
        assert ft.special.ndtri(ft.tensor([0.5], dtype=dtype)).tolist() == [0.0]


TestSamples = check_values("tensor.special")
