"""Functions of C's library in C99 itself, for machines without one: accurate to two units in the last place.

Arguments are reduced to ranges where a power series is short, with constants in two or three parts, and series are
summed by Horner's rule. The rounding error of a quotient, a root or a reduced argument is kept as a second number, by
exact products (Dekker, 1971). Functions of float compute in double, except those in `SINGLE`. Sources: the series are
Taylor's; the reductions are Cody and Waite's, Software Manual for the Elementary Functions (1980); erfc is a polynomial
in (x - 2) / (x + 2), as Shepherd and Laframboise have it (1981), whose coefficients were fitted at the Chebyshev points
with 90 digits.
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
_SINH = _horner([1 / math.factorial(2 * n + 1) for n in range(1, 10)], "z")
_COS = _horner([(-1) ** n / math.factorial(2 * n) for n in range(2, 10)], "z")
_LOG = _horner([2 / (2 * n + 1) for n in range(1, 13)], "z")
_ATAN = _horner([(-1) ** n / (2 * n + 1) for n in range(1, 19)], "z")
_ERF = _horner([2 / math.sqrt(math.pi) * (-1) ** n / (math.factorial(n) * (2 * n + 1)) for n in range(1, 18)], "z")
_ERFC = _horner(
    [
        1.2769783815525286, -0.09276382658574601, -0.1660303976152902, 0.16405128003344346, -0.054220000991936364,
        -0.00803401508259994, 0.008722653871048803, 0.0012713389758083008, -0.0014568138418808011,
        -0.0004543411097695632, 0.00020636597660682432, 0.00015104349298132906, -1.5031122774430317e-06,
        -3.646106217090191e-05, -1.3493115351623813e-05, 3.888378660780497e-06, 5.03754901785423e-06,
        1.1522630580780894e-06, 1.3947169186104598e-07, -1.0282000568911368e-06, -1.3159226934438025e-06,
        1.432478752231556e-06, -3.5030872730168937e-07,
    ],
    "q",
)  # fmt: skip
# The arctangents of 2/8, 3/8, … 1, and their remainders.
_ATANS = """0.24497866312686414, 0.35877067027057225, 0.4636476090008061, 0.5585993153435624, 0.6435011087932844,
        0.7188299996216245, 0.7853981633974483"""
_ATAN_RESTS = """1.0698755618734451e-17, -2.4623815582638635e-17, 2.2698777452961687e-17, -5.4556305485916264e-18,
        1.5834785051444286e-17, -2.1478388444456983e-17, 3.061616997868383e-17"""

# Each function with those that it calls. All compute in double; @ is the prefix of the file.
_DOUBLE = {
    "scale": ("", """static double @scale(double x, int64_t n) {
    union { uint64_t u; double d; } power;
    while (n > 1000) { power.u = (uint64_t)(1023 + 1000) << 52; x *= power.d; n -= 1000; }
    while (n < -1000) { power.u = (uint64_t)(1023 - 1000) << 52; x *= power.d; n += 1000; }
    power.u = (uint64_t)(1023 + n) << 52;
    return x * power.d;
}"""),
    "low": ("", """static double @low(double x, double y, double product) { /* what is missing in a rounded product */
    const double a = 134217729 * x, b = 134217729 * y;
    const double xh = a - (a - x), yh = b - (b - y), xl = x - xh, yl = y - yh;
    return ((xh * yh - product) + xh * yl + xl * yh) + xl * yl;
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
    "power": ("scale floor", f"""static double @power(double x, int64_t more) {{ /* exp(x) times a power of two */
    const double n = @floor(x * 1.4426950408889634 + 0.5);
    const double r = (x - n * 6.93147180369123816490e-01) - n * 1.90821492927058770002e-10;
    return @scale(1 + (r + r * r * {_EXP}), (int64_t)n + more);
}}"""),
    "exp": ("power", """static double @exp(double x) {
    if (x != x) return x;
    return x > 709.8 ? INFINITY : x < -745.2 ? 0 : @power(x, 0);
}"""),
    "exp2": ("exp scale floor", "static double @exp2(double x) { const double n = @floor(x + 0.5); "
             "return x - x != 0 || n > 1100 || n < -1100 ? @exp(x * 0.6931471805599453) "
             ": @scale(@exp((x - n) * 0.6931471805599453), (int64_t)n); }"),
    "expm1": ("exp scale floor", f"""static double @expm1(double x) {{
    const double n = @floor(x * 1.4426950408889634 + 0.5);
    const double high = x - n * 6.93147180369123816490e-01, low = n * 1.90821492927058770002e-10;
    const double r = high - low, rest = r * r * {_EXP} + ((high - r) - low);
    double one, s;
    if (!(x > -40 && x < 40)) return @exp(x) - 1;
    one = 1 - @scale(1, -(int64_t)n);
    s = one + r;
    return n == 0 ? r + rest : @scale(s + (((one - s) + r) + rest), (int64_t)n);
}}"""),
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
    "logs": ("log", """static double @logs(double x, double low) { /* log(1 + x + low) */
    const volatile double u = 1 + x;
    const double rest = u >= 2 ? 1 - (u - x) : x - (u - 1);
    return @log(u) + (rest + low) / u;
}"""),
    "log1p": ("logs", "static double @log1p(double x) { if (x != x || x == INFINITY) return x; "
                      "return 1 + x > 0 ? x < 1e-17 && x > -1e-17 ? x : @logs(x, 0) : @log(1 + x); }"),
    "log2": ("log", "static double @log2(double x) { return @log(x) * 1.4426950408889634; }"),
    "log10": ("log", "static double @log10(double x) { return @log(x) * 0.4342944819032518; }"),
    "tanh": ("expm1 fabs copysign", """static double @tanh(double x) {
    const double a = @fabs(x);
    double t, d, q;
    if (!(a <= 20)) return x != x ? x : @copysign(1, x);
    t = @expm1(2 * a); d = t + 2; q = t / d;
    return @copysign(q - q * ((t > 2 ? (t - d) + 2 : (2 - d) + t) / d), x);
}"""),
    "sinh": ("expm1 power fabs copysign", f"""static double @sinh(double x) {{
    const double a = @fabs(x), z = a * a;
    double t;
    if (a < 1) return x + x * z * {_SINH};
    if (a > 40) return a > 711 ? x * INFINITY : @copysign(@power(a, -1), x);
    t = @expm1(a);
    return @copysign(0.5 * (t + t / (t + 1)), x);
}}"""),
    "cosh": ("power fabs", "static double @cosh(double x) { const double a = @fabs(x); double t; "
             "if (!(a < 711)) return a * INFINITY; if (a > 40) return @power(a, -1); "
             "t = @power(a, 0); return 0.5 * t + 0.5 / t; }"),
    "asinh": ("logs sqrt fabs copysign log", """static double @asinh(double x) {
    const double a = @fabs(x);
    double q, s;
    if (!(a < 1e150)) return @copysign(@log(a) + 0.6931471805599453, x);
    q = a * a / (1 + @sqrt(a * a + 1));
    s = a + q;
    return @copysign(@logs(s, (a - s) + q), x);
}"""),
    "acosh": ("log logs root low", """static double @acosh(double x) {
    const double t = x - 1, u = x + 1, rest = (x - u) + 1, product = t * u;
    double low, r, s;
    if (!(x >= 1 && x < 1e150)) return x > 1 ? @log(x) + 0.6931471805599453 : (x - x) / (x - x);
    r = @root(product, @low(t, u, product) + t * rest, &low);
    s = t + r;
    return s == 0 ? 0 : @logs(s, ((t > r ? (t - s) + r : (r - s) + t)) + low);
}"""),
    "atanh": ("logs fabs copysign low", """static double @atanh(double x) {
    const double a = @fabs(x), d = 1 - a, rest = (1 - d) - a, q = 2 * a / d, product = q * d;
    if (!(a < 1)) return a > 1 ? (a - a) / (a - a) : x / d;
    return @copysign(0.5 * @logs(q, (((2 * a - product) - @low(q, d, product)) - q * rest) / d), x);
}"""),
    "turned": ("floor", f"""static double @turned(double x, int quarter, double *rest) {{ /* and what it leaves */
    const double n = @floor(x * 0.6366197723675814 + 0.5);
    const double a = x - n * 1.5707963267341256, b = n * 6.077100506303966e-11, c = a - b;
    const double left = ((a - c) - b) - n * 2.0222662487959506e-21;
    const double r = c + left, low = (c - r) + left, z = r * r, half = 0.5 * z, top = 1 - half;
    const int q = (int)(n - 4 * @floor(n / 4)) + quarter;
    const double first = q & 1 ? top : r;
    const double second = q & 1 ? ((1 - top) - half) + (z * z * {_COS} - r * low)
        : r * z * {_SIN} + low * (1 - half);
    const double value = first + second;
    *rest = q & 2 ? value - first - second : first - value + second;
    return q & 2 ? -value : value;
}}"""),
    "sin": ("turned", "static double @sin(double x) { double rest; "
            "return x - x != 0 ? x - x : @turned(x, 0, &rest); }"),
    "cos": ("turned", "static double @cos(double x) { double rest; "
            "return x - x != 0 ? x - x : @turned(x, 1, &rest); }"),
    "tan": ("turned low", """static double @tan(double x) {
    double of_s, of_c, s, c, q, product;
    if (x - x != 0) return x - x;
    s = @turned(x, 0, &of_s); c = @turned(x, 1, &of_c);
    q = s / c; product = q * c;
    return q + (((s - product) - @low(q, c, product)) + of_s - q * of_c) / c;
}"""),
    "root": ("sqrt low", """static double @root(double x, double low, double *rest) { /* of x + low */
    const double r = @sqrt(x), square = r * r;
    *rest = r > 0 ? (((x - square) - @low(r, r, square)) + low) / (2 * r) : 0;
    return r;
}"""),
    "arc": ("", f"""static double @arc(double a, double low) {{ /* of a + low, from 0 to 1 */
    static const double angles[7] = {{{_ATANS}}};
    static const double rests[7] = {{{_ATAN_RESTS}}};
    double q = a, c, z;
    int j = 0;
    if (a > 0.1875) {{
        j = (int)(8 * a + 0.5);
        c = 0.125 * j;
        q = (a - c) / (1 + a * c);
    }}
    z = q * q;
    c = q * z * {_ATAN} + low / (1 + a * a);
    return j ? angles[j - 2] + (q + (c + rests[j - 2])) : q + c;
}}"""),
    "atan": ("arc fabs copysign", """static double @atan(double x) {
    const double a = @fabs(x);
    if (x != x) return x;
    if (a <= 1) return @copysign(@arc(a, 0), x);
    return @copysign(1.5707963267948966 - (@arc(1 / a, 0) - 6.123233995736766e-17), x);
}"""),
    "atan2": ("arc fabs copysign low", """static double @atan2(double y, double x) {
    const double a = @fabs(x), b = @fabs(y), large = a > b ? a : b, small = a > b ? b : a;
    double q, angle, rest = 0, whole;
    union { double d; uint64_t u; } sign;
    sign.d = x;
    if (x != x || y != y) return x + y;
    q = small == large ? large != 0 : small / large;
    if (large < 1e150 && small > 1e-150) {
        const double product = q * large;
        rest = ((small - product) - @low(q, large, product)) / large;
    }
    angle = @arc(q, rest);
    if (b > a) angle = 1.5707963267948966 - (angle - 6.123233995736766e-17);
    whole = sign.u >> 63 ? 3.141592653589793 - (angle - 1.2246467991473532e-16) : angle;
    return @copysign(whole, y);
}"""),
    "arcs": ("arc root low", """static double @arcs(double x, double low) { /* asin(x + low), from 0 to 1 / sqrt(2) */
    const double square = x * x, w = 1 - square;
    double rest, r, q, product;
    r = @root(w, ((1 - w) - square) - @low(x, x, square), &rest);
    q = x / r; product = q * r;
    return @arc(q, (((x - product) - @low(q, r, product)) - q * rest + low / w) / r);
}"""),
    "upper": ("arcs root fabs", """static double @upper(double x) { /* acos(x) for x from 1/2 to 1 */
    double rest, r = @root(0.5 * (1 - x), 0, &rest);
    return 2 * @arcs(r, rest);
}"""),
    "asin": ("arcs upper fabs copysign", "static double @asin(double x) { const double a = @fabs(x); "
             "if (!(a <= 1)) return (x - x) / (x - x); return @copysign(a <= 0.5 ? @arcs(a, 0) "
             ": 1.5707963267948966 - (@upper(a) - 6.123233995736766e-17), x); }"),
    "acos": ("arcs upper fabs copysign", "static double @acos(double x) { const double a = @fabs(x); "
             "if (!(a <= 1)) return (x - x) / (x - x); if (a <= 0.5) "
             "return 1.5707963267948966 - (@copysign(@arcs(a, 0), x) - 6.123233995736766e-17); "
             "return x > 0 ? @upper(a) : 3.141592653589793 - (@upper(a) - 1.2246467991473532e-16); }"),
    "hypot": ("root fabs low", """static double @hypot(double x, double y) {
    double a = @fabs(x), b = @fabs(y), t, p, q, s, rest, unit = 1;
    if (a == INFINITY || b == INFINITY) return INFINITY;
    if (a < b) { t = a; a = b; b = t; }
    if (a == 0 || a != a || b != b || b < a * 1e-18) return a + b;
    if (a > 1e150) { a *= 7.458340731200207e-155; b *= 7.458340731200207e-155; unit = 1.3407807929942597e154; }
    else if (a < 1e-130) { a *= 1.3407807929942597e154; b *= 1.3407807929942597e154; unit = 7.458340731200207e-155; }
    p = a * a; q = b * b; s = p + q;
    t = @root(s, ((p - s) + q) + @low(a, a, p) + @low(b, b, q), &rest);
    return (t + rest) * unit;
}"""),
    "fmod": ("fabs copysign", """static double @fmod(double x, double y) {
    double a = @fabs(x), b = @fabs(y), t;
    if (y == 0 || x - x != 0 || y != y) return (x * y) / (x * y);
    while (a >= b) { t = b; while (a / 2 >= t) t *= 2; a -= t; }
    return @copysign(a, x);
}"""),
    "beyond": ("exp low", f"""static double @beyond(double x) {{ /* erfc from 0.8 on */
    const double q = (x - 2) / (x + 2), square = x * x;
    if (x > 27) return 0;
    return @exp(-square) * (1 - @low(x, x, square)) * ({_ERFC} / (1 + 2 * x));
}}"""),
    "erf": ("beyond fabs copysign", f"""static double @erf(double x) {{
    const double a = @fabs(x), z = a * a;
    if (x != x) return x;
    if (a > 0.8125) return @copysign(1 - @beyond(a), x);
    return x + x * (0.12837916709551256 + z * {_ERF});
}}"""),
    "erfc": ("erf beyond", "static double @erfc(double x) { return x <= 0.8125 ? 1 - @erf(x) : @beyond(x); }"),
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
# Functions of float that compute in float: for processors without double, and for loops that compilers vectorize. The
# polynomials were fitted at Chebyshev points; exp is accurate to 0.98 units in the last place, tanh to 1.31.
SINGLE = {
    "exp": ("", """static float @expf(float x) {
    const float y = x > -104.0f ? (x < 89.0f ? x : 89.0f) : -104.0f;
    const int32_t n = (int32_t)(y * 1.44269504f + (y < 0 ? -0.5f : 0.5f)), half = n / 2;
    const float r = (y - (float)n * 0.693359375f) + (float)n * 2.12194440e-4f;
    const float p = 1 + (r + r * r * (((((0.0001989198f * r + 0.0013934542f) * r + 0.0083333105f) * r + 0.041666456f)
        * r + 0.16666667f) * r + 0.5f));
    union { uint32_t u; float f; } a, b;
    a.u = (uint32_t)(127 + half) << 23; b.u = (uint32_t)(127 + n - half) << 23;
    return x != x ? x : p * a.f * b.f;
}"""),
    "tanh": ("exp", """static float @tanhf(float x) {
    const float a = x < 0 ? -x : x, z = x * x;
    const float low = x + x * z * (((((0.0021838632f * z - 0.0082423594f) * z + 0.021736087f) * z - 0.053954985f) * z
        + 0.13333285f) * z - 0.33333334f);
    const float high = 1 - 2 / (@expf(2 * a) + 1);
    return a < 0.625f ? low : x < 0 ? -high : high;
}"""),
}  # fmt: skip
# in double: functions whose form here is less accurate than two units in the last place
ROUGH = frozenset(("pow", "erfc", "lgamma"))
_CALL = re.compile(r"@(\w+)\(")


def known(function: str, kind: str) -> bool:
    """Return True if a function of C's library has a form here for ``"f32"`` or ``"f64"``."""
    return function in _DOUBLE and not (kind == "f64" and function in ROUGH)


def definitions(functions: Iterable[tuple[str, str]], prefix: str) -> list[str]:
    """Return the definitions of functions, given as (name, ``"f32"`` or ``"f64"``), and of their callees, in order."""
    lines: list[str] = []
    done: set[str] = set()

    def add(name: str, table: dict[str, tuple[str, str]], suffix: str = "") -> None:
        if name + suffix in done:
            return
        done.add(name + suffix)
        calls, text = table[name]
        for other in calls.split():
            add(other, table, suffix)
        lines.append(_CALL.sub(rf"{prefix}_\1(", text))

    for name, kind in sorted(functions):
        if kind == "f32" and name in SINGLE:
            add(name, SINGLE, "f")
            continue
        add(name, _DOUBLE)
        if kind == "f32":
            two = "float y" if ", double y" in _DOUBLE[name][1].partition(")")[0] else ""
            if name == "atan2":
                head, call = "float y, float x", "(double)y, (double)x"
            else:
                head, call = (f"float x, {two}", "(double)x, (double)y") if two else ("float x", "(double)x")
            lines.append(f"static float {prefix}_{name}f({head}) {{ return (float){prefix}_{name}({call}); }}")
    return lines
