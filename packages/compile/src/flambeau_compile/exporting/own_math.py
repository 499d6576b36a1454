"""Functions of C's library in C99 itself, for machines that have none: to the last digit of float, to four units in
the last place of double.

Arguments are reduced to where a power series is short, with constants in two or three parts, and series are summed by
Horner's rule. Functions of float compute in double. Sources: the series are Taylor's; the reductions are Cody and
Waite's, Software Manual for the Elementary Functions (1980); log1p is Kahan's.
"""

import math
import re
from collections.abc import Iterable


def _horner(coefficients: list[float], x: str) -> str:
    text = repr(coefficients[-1])
    for c in reversed(coefficients[:-1]):
        text = f"({text} * {x} + {c!r})"
    return text


_EXP = _horner([1 / math.factorial(n) for n in range(2, 15)], "r")
_SIN = _horner([(-1) ** n / math.factorial(2 * n + 1) for n in range(1, 9)], "z")
_COS = _horner([(-1) ** n / math.factorial(2 * n) for n in range(2, 10)], "z")
_LOG = _horner([2 / (2 * n + 1) for n in range(1, 13)], "z")
_ATAN = _horner([(-1) ** n / (2 * n + 1) for n in range(1, 19)], "z")

# Each with what it calls. All compute in double; @ stands for the prefix of the file.
_DOUBLE = {
    "scale": ("", """static double @scale(double x, int64_t n) {
    union { uint64_t u; double d; } power;
    while (n > 1000) { power.u = (uint64_t)(1023 + 1000) << 52; x *= power.d; n -= 1000; }
    while (n < -1000) { power.u = (uint64_t)(1023 - 1000) << 52; x *= power.d; n += 1000; }
    power.u = (uint64_t)(1023 + n) << 52;
    return x * power.d;
}"""),
    "fabs": ("", "static double @fabs(double x) { union { double d; uint64_t u; } v; v.d = x; "
                 "v.u &= UINT64_C(0x7fffffffffffffff); return v.d; }"),
    "copysign": ("", "static double @copysign(double x, double y) { union { double d; uint64_t u; } a, b; "
                     "const uint64_t sign = UINT64_C(1) << 63; a.d = x; b.d = y; "
                     "a.u = (a.u & ~sign) | (b.u & sign); return a.d; }"),
    "trunc": ("", "static double @trunc(double x) { return x < 4503599627370496.0 && x > -4503599627370496.0 "
                  "? (double)(int64_t)x : x; }"),
    "floor": ("trunc", "static double @floor(double x) { const double t = @trunc(x); return t > x ? t - 1 : t; }"),
    "ceil": ("trunc", "static double @ceil(double x) { const double t = @trunc(x); return t < x ? t + 1 : t; }"),
    "rint": ("floor", "static double @rint(double x) { const double f = @floor(x), d = x - f; if (d != d) return x; "
                      "if (d == 0.5) return f - 2 * @floor(f / 2) == 0 ? f : f + 1; return d < 0.5 ? f : f + 1; }"),
    "fmax": ("", "static double @fmax(double x, double y) { return x > y || y != y ? x : y; }"),
    "fmin": ("", "static double @fmin(double x, double y) { return x < y || y != y ? x : y; }"),
    "sqrt": ("", """static double @sqrt(double x) {
    union { double d; uint64_t u; } v;
    double s, scale = 1;
    if (!(x > 0) || x - x != 0) return x < 0 ? (x - x) / (x - x) : x;
    if (x < 1e-290) { x *= 1.3407807929942597e154; scale = 8.636168555094445e-78; }
    v.d = x;
    v.u = (v.u >> 1) + UINT64_C(0x1ff7a3bea91d9b1b);
    s = v.d;
    s = 0.5 * (s + x / s); s = 0.5 * (s + x / s); s = 0.5 * (s + x / s); s = 0.5 * (s + x / s);
    return s * scale;
}"""),
    "exp": ("scale floor", f"""static double @exp(double x) {{
    double n, r;
    if (x != x) return x;
    if (x > 709.8) return INFINITY;
    if (x < -745.2) return 0;
    n = @floor(x * 1.4426950408889634 + 0.5);
    r = (x - n * 6.93147180369123816490e-01) - n * 1.90821492927058770002e-10;
    return @scale(1 + (r + r * r * {_EXP}), (int64_t)n);
}}"""),
    "exp2": ("exp scale floor", "static double @exp2(double x) { const double n = @floor(x + 0.5); "
             "return x - x != 0 || n > 1100 || n < -1100 ? @exp(x * 0.6931471805599453) "
             ": @scale(@exp((x - n) * 0.6931471805599453), (int64_t)n); }"),
    "expm1": ("exp fabs", f"static double @expm1(double x) {{ const double r = x; "
              f"return @fabs(x) < 0.35 ? r + r * r * {_EXP} : @exp(x) - 1; }}"),
    "log": ("", f"""static double @log(double x) {{
    union {{ double d; uint64_t u; }} v;
    double k = 0, f, s, z, half;
    if (x != x || x == INFINITY) return x;
    if (x <= 0) return x == 0 ? -INFINITY : (x - x) / (x - x);
    if (x < 2.2250738585072014e-308) {{ x *= 18014398509481984.0; k = -54; }}
    v.d = x;
    k += (double)((int64_t)(v.u >> 52) - 1023);
    v.u = (v.u & UINT64_C(0x000fffffffffffff)) | UINT64_C(0x3ff0000000000000);
    if (v.d > 1.4142135623730951) {{ v.d *= 0.5; k += 1; }}
    f = v.d - 1; s = f / (2 + f); z = s * s; half = 0.5 * f * f;
    return k * 6.93147180369123816490e-01 - ((half - (s * (half + z * {_LOG}) + k * 1.90821492927058770002e-10)) - f);
}}"""),
    "log1p": ("log", "static double @log1p(double x) { const volatile double u = 1 + x; if (u == 1) return x; "
                     "if (x == INFINITY) return x; return @log(u) * (x / (u - 1)); }"),
    "log2": ("log", "static double @log2(double x) { return @log(x) * 1.4426950408889634; }"),
    "log10": ("log", "static double @log10(double x) { return @log(x) * 0.4342944819032518; }"),
    "tanh": ("expm1 fabs copysign", "static double @tanh(double x) { const double a = @fabs(x); double t; "
             "if (x != x) return x; t = a > 20 ? 1 : @expm1(2 * a); return @copysign(a > 20 ? 1 : t / (t + 2), x); }"),
    "sinh": ("expm1 exp fabs copysign", "static double @sinh(double x) { const double a = @fabs(x); double t; "
             "if (a > 700) { t = @exp(0.5 * a); return @copysign(0.5 * t * t, x); } t = @expm1(a); "
             "return @copysign(0.5 * (t + t / (t + 1)), x); }"),
    "cosh": ("exp fabs", "static double @cosh(double x) { const double t = @exp(0.5 * @fabs(x)), w = 0.5 * t; "
             "return @fabs(x) > 700 ? w * t : 0.5 * t * t + 0.5 / (t * t); }"),
    "asinh": ("log1p sqrt fabs copysign log", "static double @asinh(double x) { const double a = @fabs(x); "
              "return @copysign(a > 1e150 ? @log(a) + 0.6931471805599453 "
              ": @log1p(a + a * a / (1 + @sqrt(a * a + 1))), x); }"),
    "acosh": ("log log1p sqrt", "static double @acosh(double x) { const double t = x - 1; "
              "return x > 1e150 ? @log(x) + 0.6931471805599453 : @log1p(t + @sqrt(2 * t + t * t)); }"),
    "atanh": ("log1p fabs copysign", "static double @atanh(double x) { const double a = @fabs(x); "
              "return @copysign(0.5 * @log1p(2 * a / (1 - a)), x); }"),
    "turned": ("floor", f"""static double @turned(double x, int quarter) {{
    const double n = @floor(x * 0.6366197723675814 + 0.5);
    const double r = ((x - n * 1.5707963267341256) - n * 6.077100506303966e-11) - n * 2.0222662487959506e-21;
    const double z = r * r;
    const int q = (int)(n - 4 * @floor(n / 4)) + quarter;
    const double value = q & 1 ? 1 - (0.5 * z - z * z * {_COS}) : r + r * z * {_SIN};
    return q & 2 ? -value : value;
}}"""),
    "sin": ("turned", "static double @sin(double x) { return x - x != 0 ? x - x : @turned(x, 0); }"),
    "cos": ("turned", "static double @cos(double x) { return x - x != 0 ? x - x : @turned(x, 1); }"),
    "tan": ("turned", "static double @tan(double x) { return x - x != 0 ? x - x : @turned(x, 0) / @turned(x, 1); }"),
    "atan": ("fabs copysign", f"""static double @atan(double x) {{
    double a = @fabs(x), base = 0, z, flip = 1;
    if (x != x) return x;
    if (a > 2.414213562373095) {{ base = 1.5707963267948966; a = -1 / a; }}
    else if (a > 0.41421356237309503) {{ base = 0.7853981633974483; a = (a - 1) / (a + 1); }}
    if (@fabs(a) > 0.2) {{ const double c = 0.19891236737965800; flip = a < 0 ? -1 : 1; a = @fabs(a);
        a = (a - c) / (1 + a * c); base += flip * 0.19634954084936207; a *= flip; }}
    z = a * a;
    return @copysign(base + (a + a * z * {_ATAN}), x);
}}"""),
    "atan2": ("atan fabs copysign", """static double @atan2(double y, double x) {
    union { double d; uint64_t u; } sign;
    sign.d = x;
    if (x != x || y != y) return x + y;
    if (y == 0) return @copysign(sign.u >> 63 ? 3.141592653589793 : 0, y);
    if (x == 0) return @copysign(1.5707963267948966, y);
    if (x - x != 0) { const double a = y - y != 0 ? 0.7853981633974483 : 0;
        return @copysign(x > 0 ? a : 3.141592653589793 - a, y); }
    if (y - y != 0) return @copysign(1.5707963267948966, y);
    return @copysign(x > 0 ? @atan(@fabs(y / x)) : 3.141592653589793 - @atan(@fabs(y / x)), y);
}"""),
    "asin": ("atan sqrt", "static double @asin(double x) { return x == 1 || x == -1 ? x * 1.5707963267948966 "
             ": @atan(x / @sqrt((1 - x) * (1 + x))); }"),
    "acos": ("atan sqrt", "static double @acos(double x) { return x == -1 ? 3.141592653589793 "
             ": 2 * @atan(@sqrt((1 - x) / (1 + x))); }"),
    "hypot": ("sqrt fabs", "static double @hypot(double x, double y) { double a = @fabs(x), b = @fabs(y), t; "
              "if (a == INFINITY || b == INFINITY) return INFINITY; if (a < b) { t = a; a = b; b = t; } "
              "if (a == 0 || a != a || b != b) return a + b; t = b / a; return a * @sqrt(1 + t * t); }"),
    "fmod": ("fabs copysign", """static double @fmod(double x, double y) {
    double a = @fabs(x), b = @fabs(y), t;
    if (y == 0 || x - x != 0 || y != y) return (x * y) / (x * y);
    while (a >= b) { t = b; while (a / 2 >= t) t *= 2; a -= t; }
    return @copysign(a, x);
}"""),
    "beyond": ("exp", """static double @beyond(double x) { /* erfc from 2 on, by its continued fraction */
    double f = 0;
    int n;
    if (x > 27) return 0;
    for (n = 120; n > 0; n--) f = 0.5 * n / (x + f);
    return 0.5641895835477563 * @exp(-x * x) / (x + f);
}"""),
    "erf": ("beyond exp fabs copysign", """static double @erf(double x) {
    const double a = @fabs(x), z = a * a;
    double term = a, sum = a;
    int n;
    if (x != x) return x;
    if (a > 2) return @copysign(1 - @beyond(a), x);
    for (n = 1; n < 200 && term > sum * 1e-17; n++) { term *= 2 * z / (2 * n + 1); sum += term; }
    return @copysign(1.1283791670955126 * @exp(-z) * sum, x);
}"""),
    "erfc": ("erf beyond", "static double @erfc(double x) { return x < 2 ? 1 - @erf(x) : @beyond(x); }"),
    "pow": ("exp log fabs floor", """static double @pow(double x, double y) {
    const double n = @floor(y);
    double base = x, result = 1;
    if (y == 0 || x == 1) return 1;
    if (y == n && @fabs(y) <= 64) {
        int k = (int)@fabs(y);
        for (; k; k >>= 1) { if (k & 1) result *= base; base *= base; }
        return y < 0 ? 1 / result : result;
    }
    if (x < 0) {
        if (y != n) return (x - x) / (x - x);
        result = @exp(y * @log(-x));
        return n - 2 * @floor(n / 2) == 0 ? result : -result;
    }
    if (x == 0) return y > 0 ? 0 : INFINITY;
    return @exp(y * @log(x));
}"""),
}  # fmt: skip
ROUGH = frozenset(("pow", "erfc", "lgamma"))  # of double: what has no form here to two units in the last place
_CALL = re.compile(r"@(\w+)\(")


def known(function: str, kind: str) -> bool:
    """Whether a function of C's library has a form here for ``"f32"`` or ``"f64"``."""
    return function in _DOUBLE and not (kind == "f64" and function in ROUGH)


def definitions(functions: Iterable[tuple[str, str]], prefix: str) -> list[str]:
    """The definitions of functions, each a name with ``"f32"`` or ``"f64"``, and of what they call, callees first."""
    lines: list[str] = []
    done: set[str] = set()

    def add(name: str) -> None:
        if name in done:
            return
        done.add(name)
        calls, text = _DOUBLE[name]
        for other in calls.split():
            add(other)
        lines.append(_CALL.sub(rf"{prefix}_\1(", text))

    for name, kind in sorted(functions):
        add(name)
        if kind == "f32":
            two = "float y" if ", double y" in _DOUBLE[name][1].partition(")")[0] else ""
            if name == "atan2":
                head, call = "float y, float x", "(double)y, (double)x"
            else:
                head, call = (f"float x, {two}", "(double)x, (double)y") if two else ("float x", "(double)x")
            lines.append(f"static float {prefix}_{name}f({head}) {{ return (float){prefix}_{name}({call}); }}")
    return lines
