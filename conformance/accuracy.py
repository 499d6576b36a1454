"""How far the elementwise functions are from the right values, in units of the last place.

``python conformance/accuracy.py --json conformance/accuracy.json`` compares with mpmath, at arguments that are spread
evenly over the exponents of each function's domain. A unit of the last place is the distance of the two numbers of the
dtype around the right value, which is no subnormal one.
"""

import argparse
import json
import math

import mpmath
import numpy as np

import flambeau as torch

mpmath.mp.prec = 200
ALL, POSITIVE, UNIT = (-1e300, 1e300), (0.0, 1e300), (-1.0, 1.0)
POINTS = 1500


def _gamma_p(a, x):
    return mpmath.gammainc(a, 0, x, regularized=True)


# Name below torch: (the right value, domain, points if not POINTS).
FUNCTIONS = {
    "acos": (mpmath.acos, UNIT),
    "acosh": (mpmath.acosh, (1.0, 1e300)),
    "asin": (mpmath.asin, UNIT),
    "asinh": (mpmath.asinh, ALL),
    "atan": (mpmath.atan, ALL),
    "atanh": (mpmath.atanh, UNIT),
    "cos": (mpmath.cos, (-1e5, 1e5)),
    "cosh": (mpmath.cosh, (-700, 700)),
    "exp": (mpmath.exp, (-700, 700)),
    "exp2": (lambda x: mpmath.mpf(2) ** x, (-1000, 1000)),
    "expm1": (mpmath.expm1, (-700, 700)),
    "log": (mpmath.log, POSITIVE),
    "log10": (mpmath.log10, POSITIVE),
    "log1p": (mpmath.log1p, (-1.0, 1e300)),
    "log2": (lambda x: mpmath.log(x, 2), POSITIVE),
    "reciprocal": (lambda x: 1 / x, ALL),
    "rsqrt": (lambda x: 1 / mpmath.sqrt(x), POSITIVE),
    "sigmoid": (lambda x: 1 / (1 + mpmath.exp(-x)), (-700, 700)),
    "sin": (mpmath.sin, (-1e5, 1e5)),
    "sinh": (mpmath.sinh, (-700, 700)),
    "sqrt": (mpmath.sqrt, POSITIVE),
    "tan": (mpmath.tan, (-1e5, 1e5)),
    "tanh": (mpmath.tanh, ALL),
    "special.erf": (mpmath.erf, (-30, 30)),
    "special.erfc": (mpmath.erfc, (-30, 25)),
    "special.erfcx": (lambda x: mpmath.exp(x * x) * mpmath.erfc(x), (-5, 1e8)),
    "special.erfinv": (mpmath.erfinv, (-1.0, 1.0), 200),
    "special.gammaln": (lambda x: mpmath.log(abs(mpmath.gamma(x))), (0.0, 1e100), 300),
    "special.digamma": (mpmath.digamma, (0.0, 1e100), 300),
    "special.i0": (lambda x: mpmath.besseli(0, x), (-80, 80), 300),
    "special.i0e": (lambda x: mpmath.exp(-abs(x)) * mpmath.besseli(0, x), (-80, 80), 300),
    "special.i1": (lambda x: mpmath.besseli(1, x), (-80, 80), 300),
    "special.i1e": (lambda x: mpmath.exp(-abs(x)) * mpmath.besseli(1, x), (-80, 80), 300),
    "special.modified_bessel_k0": (lambda x: mpmath.besselk(0, x), (0.0, 80), 300),
    "special.modified_bessel_k1": (lambda x: mpmath.besselk(1, x), (0.0, 80), 300),
    "special.bessel_j0": (lambda x: mpmath.besselj(0, x), (-2, 2), 300),
    "special.bessel_j1": (lambda x: mpmath.besselj(1, x), (-3, 3), 300),
    "special.bessel_y0": (lambda x: mpmath.bessely(0, x), (0.0, 0.8), 300),
    "special.bessel_y1": (lambda x: mpmath.bessely(1, x), (0.0, 2), 300),
    "special.airy_ai": (mpmath.airyai, (-2, 80), 300),
    "special.spherical_bessel_j0": (lambda x: mpmath.sin(x) / x, (-3, 3)),
    "special.ndtr": (mpmath.ncdf, (-30, 30)),
    "special.log_ndtr": (lambda x: mpmath.log(mpmath.ncdf(x)), (-30, 5)),
    "special.ndtri": (lambda p: mpmath.sqrt(2) * mpmath.erfinv(2 * p - 1), (0.0, 1.0), 200),
    "special.entr": (lambda x: -x * mpmath.log(x), POSITIVE),
    "special.logit": (lambda p: mpmath.log(p / (1 - p)), (0.0, 1.0)),
    "special.gammainc": (lambda x: _gamma_p(mpmath.mpf(2.5), x), (0.0, 50), 300),
    "special.gammaincc": (lambda x: 1 - _gamma_p(mpmath.mpf(2.5), x), (0.0, 50), 300),
    "special.zeta": (lambda x: mpmath.zeta(x, mpmath.mpf(1.5)), (1.0, 60), 150),
}
FIRST = {"special.gammainc": 2.5, "special.gammaincc": 2.5}  # before the argument that varies
SECOND = {"special.zeta": 1.5}  # behind it


def arguments(domain, count, dtype):
    """Numbers of the domain, half of them spread over exponents down from its ends, half evenly in its middle."""
    low, high = (float(np.clip(end, np.finfo(dtype).min / 4, np.finfo(dtype).max / 4)) for end in domain)
    rng = np.random.default_rng(1)
    parts = []
    for end, other in ((low, high), (high, low)):
        size = min(abs(end), 1e300) or min(abs(other), 1.0)
        scale = size * 10.0 ** -rng.uniform(0, min(30, 30 + math.log10(size)) or 1, count // 4)
        parts.append(end + math.copysign(1, other - end) * scale if abs(end) <= 1 else math.copysign(1, end) * scale)
    parts.append(rng.uniform(max(low, -20), min(high, 20), count // 2))
    x = np.concatenate(parts).astype(dtype)
    return x[(x > low) & (x < high) & (x != 0)]


def units(name, dtype):
    """The largest error in units of the last place, and the argument where it is."""
    exact, domain, *count = FUNCTIONS[name]
    x = arguments(domain, *count or (POINTS,), dtype)
    function = torch
    for part in name.split("."):
        function = getattr(function, part)
    tensors = [torch.from_numpy(x)]
    if name in FIRST:
        tensors.insert(0, torch.full_like(tensors[0], FIRST[name]))
    if name in SECOND:
        tensors.append(torch.full_like(tensors[0], SECOND[name]))
    info, worst = np.finfo(dtype), (0.0, 0.0)
    for argument, ours in zip(x.tolist(), function(*tensors).numpy().tolist(), strict=True):
        right = exact(mpmath.mpf(argument))
        if abs(right) > float(info.max) or abs(right) < float(info.tiny):
            continue
        unit = mpmath.mpf(2) ** (math.frexp(float(right))[1] - 1 - info.nmant)
        error = float(abs(mpmath.mpf(ours) - right) / unit)
        worst = max(worst, (error if error == error else math.inf, argument))
    return worst


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", help="where to write the figures")
    parser.add_argument("--only", nargs="*", help="names of functions")
    options = parser.parse_args()
    found = {}
    for name in options.only or FUNCTIONS:
        found[name] = {}
        for dtype in (np.float32, np.float64):
            error, argument = units(name, dtype)
            found[name][dtype.__name__] = {"units": round(error, 2), "at": argument}
        print(name, found[name])
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(found, file, indent=1)
            file.write("\n")


if __name__ == "__main__":
    main()
