"""Sampling with tensors as parameters (gamma, Dirichlet, binomial), and derivatives of samples by parameters.

Gamma variables use Marsaglia and Tsang's rejection method (ACM Transactions on Mathematical Software 26 (2000) 363),
large binomial ones transformed rejection with a squeeze (W. Hörmann, J. Statistical Computation and Simulation 46
(1993) 101).

The derivative of a sample by a parameter is -dF/da / p, where F is the distribution function and p its density. It is
summed or integrated on the side of the sample where all terms have the same sign, so only rounding errors occur.
"""
from cpython.object cimport PyObject
from libc.math cimport (
    INFINITY, NAN, ceil, cosh, exp, expm1, fabs, fmax, fmin, floor, lgamma, log, log1p, pow, sinh, sqrt,
)

from flambeau_tensor._core.elementwise.copying cimport copy_elements
from flambeau_tensor._core.elementwise.dtype cimport CATEGORY, dtype_object
from flambeau_tensor._core.call.operator cimport Operator, make_kernel
from flambeau_tensor._core.memory.tensor cimport Tensor, empty, same_shape, shape_str
from flambeau_tensor._core.memory.types cimport *
from flambeau_tensor._kernels.digamma cimport digamma
from flambeau_tensor._kernels.random_types cimport Params, Source, draw_t
from flambeau_tensor._kernels.generator cimport Generator, generator_of

from flambeau_tensor._core.elementwise.dtype import type_name
from flambeau_tensor._core.elementwise.cpu_levels import hot

cdef draw_t UNIFORM = <draw_t><size_t>hot("random").LOOPS["uniform"]["float64"]
cdef draw_t NORMAL = <draw_t><size_t>hot("random").LOOPS["normal"]["float64"]
cdef Params UNIT
UNIT.a, UNIT.b, UNIT.dtype = 0, 1, FLOAT64

cdef double THIRD = <double>(<float>1 / <float>3), SQUEEZE = <double>(<float>0.0331)  # PyTorch stores them as floats
cdef double HALF_PI = 1.5707963267948966

cdef enum:
    NODES = 193  # of the double exponential rule
cdef double[NODES] PLACES, WEIGHTS


cdef int make_nodes() noexcept:
    """Compute the double exponential rule for the half-line: s = exp(π/2 sinh u)."""
    cdef double u, step = 8.0 / (NODES - 1)
    cdef int i
    for i in range(NODES):
        u = -4 + i * step
        PLACES[i] = exp(HALF_PI * sinh(u))
        WEIGHTS[i] = PLACES[i] * HALF_PI * cosh(u) * step
    return 0


make_nodes()


cdef inline double uniform(Source* s) noexcept nogil:
    cdef double x
    UNIFORM(s, &UNIT, &x, 1)
    return x


cdef inline double normal(Source* s) noexcept nogil:
    cdef double x
    NORMAL(s, &UNIT, &x, 1)
    return x


# --- samples --------------------------------------------------------------------------------------------------------

cdef double gamma_sample(Source* s, double a) noexcept nogil:
    cdef double scale = 1, d, c, x, y, v, u, xx
    if a < 0:
        return NAN
    if a < 1:
        if a == 0:
            return 0
        scale = pow(1 - uniform(s), 1 / a)
        a += 1
    d = a - THIRD
    c = 1 / sqrt(9 * d)
    while True:
        x = normal(s)
        y = 1 + c * x
        if not y <= 0:
            v = y * y * y
            u = 1 - uniform(s)
            xx = x * x
            if u < 1 - SQUEEZE * xx * xx or log(u) < 0.5 * xx + d * (1 - v + log(v)) or a != a:
                return scale * d * v


cdef double few_successes(Source* s, double n, double p) noexcept nogil:
    """Sample by the numbers of trials until each success."""
    cdef double trials = 0, found = 0, log_failure = log1p(-p)
    while True:
        trials += ceil(log(uniform(s)) / log_failure)
        if trials > n:
            return found
        found += 1


cdef double many_successes(Source* s, double n, double p) noexcept nogil:
    cdef double deviation = sqrt(n * p * (1 - p))
    cdef double b = 1.15 + 2.53 * deviation, a = -0.0873 + 0.0248 * b + 0.01 * p, c = n * p + 0.5
    cdef double alpha = (2.83 + 5.1 / b) * deviation, m = floor((n + 1) * p), u, v, us, k
    cdef double highest = lgamma(m + 1) + lgamma(n - m + 1), log_odds = log(p / (1 - p))
    while True:
        u = uniform(s) - 0.5
        v = uniform(s)
        us = 0.5 - fabs(u)
        k = floor((2 * a / us + b) * u + c)
        if us >= 0.07 and v <= 0.92 - 4.2 / b:
            return k
        if k < 0 or k > n:
            continue
        if log(v * alpha / (a / (us * us) + b)) <= highest - lgamma(k + 1) - lgamma(n - k + 1) + (k - m) * log_odds:
            return k


cdef double binomial_sample(Source* s, double n, double p) noexcept nogil:
    if n <= 0 or p <= 0:
        return 0
    if p >= 1:
        return n
    if p <= 0.5:
        return many_successes(s, n, p) if n * p >= 10 else few_successes(s, n, p)
    if p > 0.5:
        p = 1 - p
        return n - (many_successes(s, n, p) if n * p >= 10 else few_successes(s, n, p))
    return NAN


# --- derivatives of samples -----------------------------------------------------------------------------------------

cdef double gamma_derivative(double a, double x) noexcept nogil:
    """Return dx/da of a gamma variable with the parameter a."""
    cdef double total = 0, ratio, term, mean, log_x = log(x), s, scale
    cdef Py_ssize_t n
    if not (x > 0 and 0 < a < INFINITY) or x == INFINITY:
        return 0 if x == 0 else NAN
    mean = digamma(a)
    if x <= a:
        ratio = x / a
        mean += 1 / a
        n = 1
        while True:
            term = ratio * (mean - log_x)
            total += term
            if not term > total * 1e-17:
                return total
            ratio *= x / (a + n)
            mean += 1 / (a + n)
            n += 1
    scale = sqrt(x)
    for n in range(NODES):
        s = PLACES[n] * scale
        total += WEIGHTS[n] * exp((a - 1) * log1p(s / x) - s) * (log_x + log1p(s / x) - mean)
    return total * scale


cdef double beta_derivative(double x, double a, double b) noexcept nogil:
    """Return dx/da of a beta variable with the parameters a and b."""
    cdef double total = 0, mean, v, small, log_x = log(x), log_y = log1p(-x)
    cdef int n
    if not (0 < x < 1):
        return 0
    if not (0 < a < INFINITY and 0 < b < INFINITY):
        return NAN
    mean = digamma(a) - digamma(a + b)
    if x * fmax(1, b) < 1e-9:  # the distribution is x ** a / (a B(a, b)) over decades, which the nodes do not resolve
        return x / a * (1 / a + mean - log_x)
    for n in range(NODES):
        v = PLACES[n]
        if log_x <= mean:
            small = log1p(-x * exp(-v))
            total += WEIGHTS[n] * exp(-a * v + (b - 1) * (small - log_y)) * (mean - log_x + v)
        else:
            small = log(x * exp(-v) - expm1(-v))  # 1 - (1 - x) exp(-v), when both are small
            total += WEIGHTS[n] * exp(-b * v + (a - 1) * (small - log_x)) * (small - mean)
    return total * (x if log_x <= mean else 1 - x)


# --- operators ------------------------------------------------------------------------------------------------------

cdef int check(str what, Tensor t) except -1:
    if CATEGORY[t.dtype] != CAT_FLOAT:
        raise NotImplementedError(f"\"{what}\" not implemented for '{type_name(dtype_object(t.dtype))}'")
    return 0


cdef int check_shapes(str name, Tensor t, Tensor other) except -1:
    if not same_shape(t, other):
        raise RuntimeError(f"{name}(): expected tensors of one shape, but got {shape_str(t.ndim, t.sizes)} and "
                           f"{shape_str(other.ndim, other.sizes)}")
    return 0


cdef Tensor as_doubles(Tensor t):
    """Return a dense copy in double precision."""
    cdef Tensor copy = empty(FLOAT64, t.ndim, t.sizes)
    copy_elements(copy, t)
    return copy


cdef double smallest(int dtype) noexcept nogil:
    """Return the smallest normal number."""
    if dtype == FLOAT64:
        return 2.2250738585072014e-308
    return 6.103515625e-05 if dtype == FLOAT16 else 1.1754943508222875e-38


cdef double below_one(int dtype) noexcept nogil:
    """Return the largest number below 1."""
    if dtype == FLOAT64:
        return 1 - 1.1102230246251565e-16
    if dtype == FLOAT32:
        return 1 - 5.960464477539063e-08
    return 1 - (0.00048828125 if dtype == FLOAT16 else 0.001953125 * 2)


cdef Tensor like(Tensor t, Tensor numbers):
    """Convert numbers to the dtype of a tensor."""
    cdef Tensor result
    if t.dtype == FLOAT64:
        return numbers
    result = empty(t.dtype, t.ndim, t.sizes)
    copy_elements(result, numbers)
    return result


cdef object _standard_gamma(Operator op, PyObject** a):
    """self, generator"""
    cdef Tensor t = <Tensor>a[0], numbers
    cdef Generator g = generator_of(op.name, <object>a[1])
    cdef double* x
    cdef double least = smallest(t.dtype)
    cdef Py_ssize_t i
    check("gamma_cpu", t)
    numbers = as_doubles(t)
    x = <double*>numbers.data
    with g.lock.mutex:
        with nogil:
            for i in range(numbers.numel):
                x[i] = fmax(least, gamma_sample(&g.source, x[i]))
    return like(t, numbers)


cdef object _sample_dirichlet(Operator op, PyObject** a):
    """self, generator"""
    cdef Tensor t = <Tensor>a[0], numbers
    cdef Generator g = generator_of(op.name, <object>a[1])
    cdef double* x
    cdef double total, least = smallest(t.dtype), most = below_one(t.dtype)
    cdef Py_ssize_t i, _i, j, n = t.sizes[t.ndim - 1] if t.ndim else 1
    check("dirichlet_cpu", t)
    numbers = as_doubles(t)
    x = <double*>numbers.data
    with g.lock.mutex:
        with nogil:
            for i in range(numbers.numel):  # at least one must be positive, because the sum is a divisor
                x[i] = fmax(smallest(FLOAT64), gamma_sample(&g.source, x[i]))
    for _i in range(numbers.numel // max(n, 1)):
        total = 0
        for j in range(n):
            total += x[j]
        for j in range(n):
            x[j] = fmin(most, fmax(least, x[j] / total))
        x += n
    return like(t, numbers)


cdef object _binomial(Operator op, PyObject** a):
    """count, prob, generator"""
    cdef Tensor count = <Tensor>a[0], prob = <Tensor>a[1], numbers, probabilities
    cdef Generator g = generator_of(op.name, <object>a[2])
    cdef double* n
    cdef double* p
    cdef Py_ssize_t i
    for i in range(2):
        if CATEGORY[(<Tensor>a[i]).dtype] != CAT_FLOAT:
            raise ValueError(f"binomial only supports floating-point dtypes for {('count', 'prob')[i]}, got: "
                             f"{type_name(dtype_object((<Tensor>a[i]).dtype))}")
    if count.dtype != prob.dtype:
        raise RuntimeError(f"Found dtype {type_name(dtype_object(prob.dtype))} but expected "
                           f"{type_name(dtype_object(count.dtype))}")
    check_shapes(op.name, count, prob)
    numbers, probabilities = as_doubles(count), as_doubles(prob)
    n, p = <double*>numbers.data, <double*>probabilities.data
    for i in range(numbers.numel):
        if not n[i] >= 0:
            raise RuntimeError("binomial(): expected counts that are not negative")
    with g.lock.mutex:
        with nogil:
            for i in range(numbers.numel):
                n[i] = binomial_sample(&g.source, n[i], p[i])
    return like(count, numbers)


cdef object _standard_gamma_grad(Operator op, PyObject** a):
    """self, output"""
    cdef Tensor t = <Tensor>a[0], samples = <Tensor>a[1], numbers
    cdef double* alpha
    cdef double* x
    cdef Py_ssize_t i
    check("_standard_gamma_grad_cpu", t)
    check_shapes(op.name, t, samples)
    numbers, samples = as_doubles(t), as_doubles(samples)
    alpha, x = <double*>numbers.data, <double*>samples.data
    with nogil:
        for i in range(numbers.numel):
            alpha[i] = gamma_derivative(alpha[i], x[i])
    return like(t, numbers)


cdef object _dirichlet_grad(Operator op, PyObject** a):
    """x, alpha, total"""
    cdef Tensor t = <Tensor>a[0], numbers, first, all_
    cdef double* x
    cdef double* alpha
    cdef double* total
    cdef Py_ssize_t i
    check("_dirichlet_grad_cpu", t)
    check_shapes(op.name, t, <Tensor>a[1])
    check_shapes(op.name, t, <Tensor>a[2])
    numbers, first, all_ = as_doubles(t), as_doubles(<Tensor>a[1]), as_doubles(<Tensor>a[2])
    x, alpha, total = <double*>numbers.data, <double*>first.data, <double*>all_.data
    with nogil:
        for i in range(numbers.numel):
            if x[i] == 1:
                x[i] = below_one(FLOAT64)  # the limit
            x[i] = beta_derivative(x[i], alpha[i], total[i] - alpha[i]) / (1 - x[i])
    return like(t, numbers)


standard_gamma = make_kernel(_standard_gamma)
sample_dirichlet = make_kernel(_sample_dirichlet)
binomial = make_kernel(_binomial)
standard_gamma_grad = make_kernel(_standard_gamma_grad)
dirichlet_grad = make_kernel(_dirichlet_grad)
