# cython: language_level=3
"""One optimizer's update of one parameter: dense arrays of the parameter, its gradient and up to three states.

Coefficients come in `k` as doubles, in the order in which each loop reads them (``optim/_fused.pyx`` fills them).
Options that a loop would ask about at every element are literals of an inlined function instead, so that every
combination becomes a loop without branches.
"""
from libc cimport math

ctypedef fused real_t:
    float
    double


cdef inline real_t _root(real_t x) noexcept nogil:
    if real_t is float:
        return math.sqrtf(x)
    else:
        return math.sqrt(x)


cdef inline void _sgd_loop(real_t* p, const real_t* g, real_t* b, Py_ssize_t n, const double* k, bint decays,
                           bint momentum, bint nesterov) noexcept nogil:
    cdef real_t sign = <real_t>k[0], decay = <real_t>k[1], rate = <real_t>k[2]
    cdef real_t keep = <real_t>k[3], take = <real_t>k[4]
    cdef real_t d
    cdef Py_ssize_t i
    for i in range(n):
        d = sign * g[i]
        if decays:
            d = d + decay * p[i]
        if momentum:
            b[i] = keep * b[i] + take * d
            d = d + keep * b[i] if nesterov else b[i]
        p[i] = p[i] - rate * d


cdef void _sgd(real_t* p, const real_t* g, real_t* b, real_t* unused, real_t* unused_too, Py_ssize_t n,
               const double* k) noexcept nogil:
    """Sutskever et al., On the importance of initialization and momentum in deep learning (2013), in PyTorch's form."""
    cdef bint decays = k[1] != 0, nesterov = k[5] != 0
    if b == NULL:
        if decays:
            _sgd_loop(p, g, b, n, k, True, False, False)
        else:
            _sgd_loop(p, g, b, n, k, False, False, False)
    elif nesterov:
        if decays:
            _sgd_loop(p, g, b, n, k, True, True, True)
        else:
            _sgd_loop(p, g, b, n, k, False, True, True)
    elif decays:
        _sgd_loop(p, g, b, n, k, True, True, False)
    else:
        _sgd_loop(p, g, b, n, k, False, True, False)


cdef inline void _adam_loop(real_t* p, const real_t* g, real_t* m, real_t* v, real_t* top, Py_ssize_t n,
                            const double* k, bint decays, bint amsgrad) noexcept nogil:
    cdef real_t sign = <real_t>k[0], decay = <real_t>k[1], keep = <real_t>k[2]
    cdef real_t beta1 = <real_t>k[3], rest1 = <real_t>k[4], beta2 = <real_t>k[5], rest2 = <real_t>k[6]
    cdef real_t eps = <real_t>k[7], rate = <real_t>k[8], correction = <real_t>k[9]
    cdef real_t x, d, a, s, t
    cdef Py_ssize_t i
    for i in range(n):
        x = p[i]
        d = sign * g[i]
        if decays:
            d = d + decay * x
        a = beta1 * m[i] + rest1 * d
        s = beta2 * v[i] + rest2 * (d * d)
        m[i] = a
        v[i] = s
        if amsgrad:
            t = top[i]
            t = s if t < s else t
            s = s if s != s else t  # NaN of either, as in maximum
            top[i] = s
        p[i] = keep * x - rate * (a / (_root(s) * correction + eps))


cdef void _adam(real_t* p, const real_t* g, real_t* m, real_t* v, real_t* top, Py_ssize_t n,
                const double* k) noexcept nogil:
    """Kingma and Ba, Adam (2015); Loshchilov and Hutter's decay (2019) as `keep`; Reddi et al. (2018) with `top`."""
    cdef bint decays = k[1] != 0
    if top != NULL:
        if decays:
            _adam_loop(p, g, m, v, top, n, k, True, True)
        else:
            _adam_loop(p, g, m, v, top, n, k, False, True)
    elif decays:
        _adam_loop(p, g, m, v, top, n, k, True, False)
    else:
        _adam_loop(p, g, m, v, top, n, k, False, False)


cdef inline void _rmsprop_loop(real_t* p, const real_t* g, real_t* v, real_t* b, real_t* a, Py_ssize_t n,
                               const double* k, bint momentum, bint centered) noexcept nogil:
    cdef real_t sign = <real_t>k[0], decay = <real_t>k[1], rate = <real_t>k[2]
    cdef real_t alpha = <real_t>k[3], rest = <real_t>k[4], eps = <real_t>k[5], keep = <real_t>k[6]
    cdef real_t x, d, s
    cdef Py_ssize_t i
    for i in range(n):
        x = p[i]
        d = sign * g[i]
        if decay != 0:
            d = d + decay * x
        s = alpha * v[i] + rest * (d * d)
        v[i] = s
        if centered:
            a[i] = alpha * a[i] + rest * d
            s = s - a[i] * a[i]
        d = d / (_root(s) + eps)
        if momentum:
            b[i] = keep * b[i] + d
            d = b[i]
        p[i] = x - rate * d


cdef void _rmsprop(real_t* p, const real_t* g, real_t* v, real_t* b, real_t* a, Py_ssize_t n,
                   const double* k) noexcept nogil:
    """Tieleman and Hinton (2012); centered as in Graves, Generating sequences with recurrent neural networks (2013)."""
    if b == NULL:
        if a == NULL:
            _rmsprop_loop(p, g, v, b, a, n, k, False, False)
        else:
            _rmsprop_loop(p, g, v, b, a, n, k, False, True)
    elif a == NULL:
        _rmsprop_loop(p, g, v, b, a, n, k, True, False)
    else:
        _rmsprop_loop(p, g, v, b, a, n, k, True, True)


cdef void _adagrad(real_t* p, const real_t* g, real_t* total, real_t* unused, real_t* unused_too, Py_ssize_t n,
                   const double* k) noexcept nogil:
    """Duchi, Hazan and Singer, Adaptive subgradient methods (2011)."""
    cdef real_t sign = <real_t>k[0], decay = <real_t>k[1], rate = <real_t>k[2], eps = <real_t>k[3]
    cdef real_t x, d, s
    cdef Py_ssize_t i
    for i in range(n):
        x = p[i]
        d = sign * g[i]
        if decay != 0:
            d = d + decay * x
        s = total[i] + d * d
        total[i] = s
        p[i] = x - rate * (d / (_root(s) + eps))

cdef void _adadelta(real_t* p, const real_t* g, real_t* v, real_t* u, real_t* unused, Py_ssize_t n,
                    const double* k) noexcept nogil:
    """Zeiler, Adadelta: an adaptive learning rate method (2012)."""
    cdef real_t sign = <real_t>k[0], decay = <real_t>k[1], rate = <real_t>k[2]
    cdef real_t rho = <real_t>k[3], rest = <real_t>k[4], eps = <real_t>k[5]
    cdef real_t x, d, s, step
    cdef Py_ssize_t i
    for i in range(n):
        x = p[i]
        d = sign * g[i]
        if decay != 0:
            d = d + decay * x
        s = rho * v[i] + rest * (d * d)
        v[i] = s
        step = _root(u[i] + eps) / _root(s + eps) * d
        u[i] = rho * u[i] + rest * (step * step)
        p[i] = x - rate * step


cdef void _adamax(real_t* p, const real_t* g, real_t* m, real_t* top, real_t* unused, Py_ssize_t n,
                  const double* k) noexcept nogil:
    """Kingma and Ba, Adam (2015), section 7.1: the greatest gradient in place of the mean of squares."""
    cdef real_t sign = <real_t>k[0], decay = <real_t>k[1], rate = <real_t>k[2]
    cdef real_t beta1 = <real_t>k[3], rest1 = <real_t>k[4], beta2 = <real_t>k[5], eps = <real_t>k[6]
    cdef real_t x, d, a, s, t
    cdef Py_ssize_t i
    for i in range(n):
        x = p[i]
        d = sign * g[i]
        if decay != 0:
            d = d + decay * x
        a = beta1 * m[i] + rest1 * d
        m[i] = a
        t = beta2 * top[i]
        s = (-d if d < 0 else d) + eps
        t = s if t < s else t
        s = s if s != s else t  # NaN of either, as in maximum
        top[i] = s
        p[i] = x - rate * (a / s)


cdef void _nadam(real_t* p, const real_t* g, real_t* m, real_t* v, real_t* unused, Py_ssize_t n,
                 const double* k) noexcept nogil:
    """Dozat, Incorporating Nesterov momentum into Adam (2016); `along` and `rate` hold the momentum's schedule."""
    cdef real_t sign = <real_t>k[0], decay = <real_t>k[1], keep = <real_t>k[2]
    cdef real_t beta1 = <real_t>k[3], rest1 = <real_t>k[4], beta2 = <real_t>k[5], rest2 = <real_t>k[6]
    cdef real_t eps = <real_t>k[7], along = <real_t>k[8], rate = <real_t>k[9], correction = <real_t>k[10]
    cdef real_t x, d, a, s
    cdef Py_ssize_t i
    for i in range(n):
        x = keep * p[i]
        d = sign * g[i]
        if decay != 0:
            d = d + decay * x
        a = beta1 * m[i] + rest1 * d
        s = beta2 * v[i] + rest2 * (d * d)
        m[i] = a
        v[i] = s
        p[i] = x - (along * d + rate * a) / (_root(s) * correction + eps)


cdef void _radam(real_t* p, const real_t* g, real_t* m, real_t* v, real_t* unused, Py_ssize_t n,
                 const double* k) noexcept nogil:
    """Liu et al., On the variance of the adaptive learning rate and beyond (2020); not rectified while k[9] is 0."""
    cdef real_t sign = <real_t>k[0], decay = <real_t>k[1], keep = <real_t>k[2]
    cdef real_t beta1 = <real_t>k[3], rest1 = <real_t>k[4], beta2 = <real_t>k[5], rest2 = <real_t>k[6]
    cdef real_t eps = <real_t>k[7], rate = <real_t>k[8]
    cdef bint adapts = k[9] != 0
    cdef real_t x, d, a, s
    cdef Py_ssize_t i
    for i in range(n):
        x = keep * p[i]
        d = sign * g[i]
        if decay != 0:
            d = d + decay * x
        a = beta1 * m[i] + rest1 * d
        s = beta2 * v[i] + rest2 * (d * d)
        m[i] = a
        v[i] = s
        p[i] = x - rate * (a / (_root(s) + eps) if adapts else a)


cdef void _rprop(real_t* p, const real_t* g, real_t* before, real_t* size, real_t* unused, Py_ssize_t n,
                 const double* k) noexcept nogil:
    """Riedmiller and Braun, The RPROP algorithm (1993), without taking steps back."""
    cdef real_t sign = <real_t>k[0], less = <real_t>k[1], more = <real_t>k[2]
    cdef real_t least = <real_t>k[3], most = <real_t>k[4]
    cdef real_t d, s, both
    cdef Py_ssize_t i
    for i in range(n):
        d = sign * g[i]
        both = d * before[i]
        s = size[i] * (more if both > 0 else less if both < 0 else 1)
        s = least if s < least else most if s > most else s
        size[i] = s
        d = 0 if both < 0 else d
        p[i] = p[i] - (s if d > 0 else -s if d < 0 else 0)
        before[i] = d


cdef void _asgd(real_t* p, const real_t* g, real_t* mean, real_t* unused, real_t* unused_too, Py_ssize_t n,
                const double* k) noexcept nogil:
    """Polyak and Juditsky, Acceleration of stochastic approximation by averaging (1992)."""
    cdef real_t sign = <real_t>k[0], decay = <real_t>k[1], keep = <real_t>k[2], rate = <real_t>k[3]
    cdef real_t share = <real_t>k[4]
    cdef bint averages = k[4] != 1
    cdef real_t x, d
    cdef Py_ssize_t i
    for i in range(n):
        x = p[i]
        d = sign * g[i]
        if decay != 0:
            d = d + decay * x
        x = keep * x - rate * d
        p[i] = x
        mean[i] = mean[i] + share * (x - mean[i]) if averages else x


def _pair(size_t single, size_t double_):
    return {"float32": single, "float64": double_}


LOOPS = {
    "sgd": _pair(<size_t><void*>_sgd[float], <size_t><void*>_sgd[double]),
    "adam": _pair(<size_t><void*>_adam[float], <size_t><void*>_adam[double]),
    "rmsprop": _pair(<size_t><void*>_rmsprop[float], <size_t><void*>_rmsprop[double]),
    "adagrad": _pair(<size_t><void*>_adagrad[float], <size_t><void*>_adagrad[double]),
    "adadelta": _pair(<size_t><void*>_adadelta[float], <size_t><void*>_adadelta[double]),
    "adamax": _pair(<size_t><void*>_adamax[float], <size_t><void*>_adamax[double]),
    "nadam": _pair(<size_t><void*>_nadam[float], <size_t><void*>_nadam[double]),
    "radam": _pair(<size_t><void*>_radam[float], <size_t><void*>_radam[double]),
    "rprop": _pair(<size_t><void*>_rprop[float], <size_t><void*>_rprop[double]),
    "asgd": _pair(<size_t><void*>_asgd[float], <size_t><void*>_asgd[double]),
}
