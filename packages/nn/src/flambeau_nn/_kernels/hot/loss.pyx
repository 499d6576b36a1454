# cython: language_level=3
"""Losses: cross entropy over rows of scores, and elementwise losses of two operands.

``ROWS`` holds loops over rows (see loss_types.pxd), ``PAIRS`` loops over blocks of pairs: values, and derivatives with
respect to the first operand (``NAME_backward``), and ``SUMS`` sums.
"""
from libc cimport math
from libc.stdint cimport int64_t

from flambeau_nn._kernels.loss_types cimport Rows
from flambeau_tensor.vector_math cimport fast_exp, fast_log1p, largest

ctypedef fused real_t:
    float
    double

cdef enum:
    LANES = 16
    WIDE = 256  # interleaved rows that are processed at a time
    FLUSH = 64  # classes that are added in the dtype of the loop
    BUFFER = 1024  # scores whose exponentials are computed at a time


# --- sums ----------------------------------------------------------------------------------------------------------

cdef inline double _sum(const real_t* x, Py_ssize_t n) noexcept nogil:
    """Sum in lanes, which the compiler vectorizes, with regular flushes into a double."""
    cdef real_t[LANES] lanes
    cdef double total = 0
    cdef Py_ssize_t i = 0, j, stop
    while n - i >= LANES:
        stop = min(n - LANES, i + 256 * LANES)
        for j in range(LANES):
            lanes[j] = 0
        while i <= stop:
            for j in range(LANES):
                lanes[j] += x[i + j]
            i += LANES
        for j in range(LANES):
            total += lanes[j]
    while i < n:
        total += x[i]
        i += 1
    return total


cdef double _sum_of(const real_t* x, Py_ssize_t n) noexcept nogil:
    return _sum(x, n)


# --- cross entropy --------------------------------------------------------------------------------------------------

cdef inline double _exponentials(const real_t* x, real_t* e, Py_ssize_t n, real_t top) noexcept nogil:
    """Set e = exp(x - top) and return its sum; e holds up to BUFFER numbers and is reused for longer rows."""
    cdef Py_ssize_t i = 0, j, m
    cdef double total = 0
    while i < n:
        m = min(<Py_ssize_t>BUFFER, n - i)
        for j in range(m):
            e[j] = fast_exp(x[i + j] - top)
        total += _sum(e, m)
        i += m
    return total


cdef inline Py_ssize_t _prepare(const real_t* x, Py_ssize_t classes, Py_ssize_t rows, real_t* e, real_t* top,
                                double* total) noexcept nogil:
    """Compute shifted exponentials, maxima and sums for as many rows as fit; return their number."""
    cdef Py_ssize_t r, c, fit = BUFFER // classes
    cdef const real_t* row
    if fit < 1:
        top[0] = largest(x, classes)
        total[0] = _exponentials(x, e, classes, top[0])
        return 1
    rows = min(rows, fit)
    for r in range(rows):
        row = x + r * classes
        top[r] = largest(row, classes)
        for c in range(classes):
            e[r * classes + c] = row[c] - top[r]
    for c in range(rows * classes):  # all rows at once, since a short row does not fill a vector
        e[c] = fast_exp(e[c])
    for r in range(rows):
        total[r] = _sum(e + r * classes, classes)
    return rows


cdef inline double _against(const real_t* x, const real_t* q, const real_t* w, Py_ssize_t n, real_t log_total,
                            real_t keep, real_t rest) noexcept nogil:
    """Return the sum of log_total - x, times q * keep + rest unless q is NULL, and times w unless it is NULL."""
    cdef real_t[BUFFER] products
    cdef double total = 0
    cdef Py_ssize_t c, i = 0, m
    while i < n:
        m = min(<Py_ssize_t>BUFFER, n - i)
        for c in range(m):
            products[c] = log_total - x[i + c]
        if q != NULL:
            for c in range(m):
                products[c] *= q[i + c] * keep + rest
        if w != NULL:
            for c in range(m):
                products[c] *= w[i + c]
        total += _sum(products, m)
        i += m
    return total


cdef inline double _row_loss(const Rows* b, Py_ssize_t r, const real_t* x, double log_total,
                             real_t* weight_out) noexcept nogil:
    """Return the loss of one row; log_total is log(sum(exp(x)))."""
    cdef const real_t* w = <const real_t*>b.weight
    cdef const real_t* q = <const real_t*>b.probabilities + r * b.classes
    cdef double loss, wy = 1
    cdef int64_t y
    if b.labels == NULL:
        weight_out[0] = 1
        return _against[real_t](x, q, w, b.classes, <real_t>log_total, <real_t>(1 - b.smoothing),
                                <real_t>(b.smoothing / b.classes))
    y = b.labels[r]
    if y == b.ignored:
        weight_out[0] = 0
        return 0
    if w != NULL:
        wy = w[y]
    weight_out[0] = <real_t>wy
    loss = wy * (log_total - x[y])
    if b.smoothing > 0:
        loss = (1 - b.smoothing) * loss + b.smoothing / b.classes * _against[real_t](
            x, NULL, w, b.classes, <real_t>log_total, 1, 0)
    return loss


cdef void _cross_entropy(Rows* b, Py_ssize_t begin, Py_ssize_t end, real_t* tag) noexcept nogil:
    cdef real_t[BUFFER] e
    cdef real_t[BUFFER] top
    cdef double[BUFFER] total
    cdef const real_t* x = <const real_t*>b.scores
    cdef real_t* losses = <real_t*>b.losses
    cdef real_t* weights = <real_t*>b.weights
    cdef Py_ssize_t r, n
    while begin < end:
        n = _prepare(x + begin * b.classes, b.classes, end - begin, e, top, total)
        for r in range(n):
            losses[begin + r] = <real_t>_row_loss(b, begin + r, x + (begin + r) * b.classes,
                                                  top[r] + math.log(total[r]), weights + begin + r)
        begin += n


cdef inline void _row_gradient(const Rows* b, Py_ssize_t r, real_t* out, double g) noexcept nogil:
    """Replace the softmax of the row in `out` by the gradient."""
    cdef const real_t* w = <const real_t*>b.weight
    cdef const real_t* q = <const real_t*>b.probabilities + r * b.classes
    cdef real_t[BUFFER] targets
    cdef real_t scale, keep, more, slope
    cdef double sum_ = 0, wy, rest
    cdef Py_ssize_t c, i = 0, m, done
    cdef int64_t y
    if b.labels == NULL:
        keep, more, slope = <real_t>(1 - b.smoothing), <real_t>(b.smoothing / b.classes), <real_t>g
        for done in range(2):  # first compute the sum, then use it
            i, scale = 0, <real_t>(g * sum_)
            while i < b.classes:
                m = min(<Py_ssize_t>BUFFER, b.classes - i)
                for c in range(m):
                    targets[c] = q[i + c] * keep + more
                if w != NULL:
                    for c in range(m):
                        targets[c] *= w[i + c]
                if done:
                    for c in range(m):
                        out[i + c] = out[i + c] * scale - slope * targets[c]
                else:
                    sum_ += _sum(targets, m)
                i += m
        return
    y = b.labels[r]
    if y == b.ignored:
        for c in range(b.classes):
            out[c] = 0
        return
    wy = (1 - b.smoothing) * (1 if w == NULL else w[y])
    rest = b.smoothing / b.classes
    scale = <real_t>(g * (wy + rest * b.total_weight))
    for c in range(b.classes):
        out[c] = out[c] * scale
    if rest > 0:
        for c in range(b.classes):
            out[c] -= <real_t>(g * rest * (1 if w == NULL else w[c]))
    out[y] -= <real_t>(g * wy)


cdef void _cross_entropy_backward(Rows* b, Py_ssize_t begin, Py_ssize_t end, real_t* tag) noexcept nogil:
    cdef real_t[BUFFER] e
    cdef real_t[BUFFER] top
    cdef double[BUFFER] total
    cdef const real_t* x
    cdef const real_t* grads = <const real_t*>b.grads
    cdef real_t* out
    cdef real_t inverse
    cdef Py_ssize_t r, c, n
    while begin < end:
        x = <const real_t*>b.scores + begin * b.classes
        out = <real_t*>b.result + begin * b.classes
        n = _prepare(x, b.classes, end - begin, e, top, total)
        for r in range(n):
            inverse = <real_t>(1 / total[r])
            if b.classes <= BUFFER:
                for c in range(b.classes):
                    out[r * b.classes + c] = e[r * b.classes + c] * inverse
            else:
                for c in range(b.classes):
                    out[c] = fast_exp(x[c] - top[0]) * inverse
            _row_gradient(b, begin + r, out + r * b.classes, grads[(begin + r) * b.grad_step] * b.factor)
        begin += n


# --- cross entropy of interleaved rows: each step is a vector operation over WIDE rows --------------------------------

cdef inline void _prepare_planes(const real_t* x, Py_ssize_t classes, Py_ssize_t inner, Py_ssize_t m, real_t* top,
                                 double* total) noexcept nogil:
    """Compute maxima, and sums of shifted exponentials."""
    cdef real_t[WIDE] short
    cdef const real_t* row
    cdef Py_ssize_t c, k
    for k in range(m):
        top[k] = x[k]
        short[k] = total[k] = 0
    for c in range(1, classes):
        row = x + c * inner
        for k in range(m):
            top[k] = row[k] if row[k] > top[k] else top[k]
    for c in range(classes):
        row = x + c * inner
        for k in range(m):
            short[k] += fast_exp(row[k] - top[k])
        if c % FLUSH == FLUSH - 1 or c == classes - 1:
            for k in range(m):
                total[k] += short[k]
                short[k] = 0


cdef inline void _targets(const Rows* b, const real_t* q, Py_ssize_t c, Py_ssize_t m, real_t* out) noexcept nogil:
    """Compute the target weights of class c, without the label's part."""
    cdef real_t w = 1 if b.weight == NULL else (<const real_t*>b.weight)[c]
    cdef real_t rest = <real_t>(b.smoothing / b.classes) * w, keep = <real_t>(1 - b.smoothing) * w
    cdef Py_ssize_t k
    for k in range(m):
        out[k] = rest if b.labels != NULL else q[c * b.inner + k] * keep + rest


cdef void _cross_entropy_planes(Rows* b, Py_ssize_t begin, Py_ssize_t end, real_t* tag) noexcept nogil:
    cdef real_t[WIDE] top
    cdef real_t[WIDE] log_of
    cdef real_t[WIDE] wanted
    cdef real_t[WIDE] short
    cdef double[WIDE] total
    cdef double[WIDE] logs
    cdef const real_t* x
    cdef const real_t* row
    cdef const real_t* q = NULL
    cdef real_t* losses = <real_t*>b.losses
    cdef real_t* weights = <real_t*>b.weights
    cdef Py_ssize_t at, c, k, m
    cdef double wy
    cdef int64_t y
    while begin < end:
        m = min(min(<Py_ssize_t>WIDE, b.inner - begin % b.inner), end - begin)
        at = begin // b.inner * b.inner * b.classes + begin % b.inner
        x = <const real_t*>b.scores + at
        if b.labels == NULL:
            q = <const real_t*>b.probabilities + at
        _prepare_planes(x, b.classes, b.inner, m, top, total)
        for k in range(m):
            logs[k] = top[k] + math.log(total[k])
            log_of[k] = <real_t>logs[k]
            short[k] = total[k] = 0
        for c in range(b.classes if b.labels == NULL or b.smoothing > 0 else 0):
            _targets(b, q, c, m, wanted)
            row = x + c * b.inner
            for k in range(m):
                short[k] += wanted[k] * (log_of[k] - row[k])
            if c % FLUSH == FLUSH - 1 or c == b.classes - 1:
                for k in range(m):
                    total[k] += short[k]
                    short[k] = 0
        for k in range(m):
            weights[begin + k] = 1
            if b.labels != NULL:
                y = b.labels[begin + k]
                if y == b.ignored:
                    weights[begin + k] = 0
                    total[k] = 0
                else:
                    wy = 1 if b.weight == NULL else (<const real_t*>b.weight)[y]
                    weights[begin + k] = <real_t>wy
                    total[k] += (1 - b.smoothing) * wy * (logs[k] - x[y * b.inner + k])
            losses[begin + k] = <real_t>total[k]
        begin += m


cdef void _cross_entropy_backward_planes(Rows* b, Py_ssize_t begin, Py_ssize_t end, real_t* tag) noexcept nogil:
    cdef real_t[WIDE] top
    cdef real_t[WIDE] wanted
    cdef real_t[WIDE] scale
    cdef real_t[WIDE] slope
    cdef double[WIDE] total
    cdef double[WIDE] sums
    cdef const real_t* x
    cdef const real_t* row
    cdef const real_t* q = NULL
    cdef const real_t* grads = <const real_t*>b.grads
    cdef real_t* out
    cdef real_t* result
    cdef Py_ssize_t at, c, k, m
    cdef double g
    cdef int64_t y
    while begin < end:
        m = min(min(<Py_ssize_t>WIDE, b.inner - begin % b.inner), end - begin)
        at = begin // b.inner * b.inner * b.classes + begin % b.inner
        x, result = <const real_t*>b.scores + at, <real_t*>b.result + at
        _prepare_planes(x, b.classes, b.inner, m, top, total)
        for k in range(m):
            sums[k] = 0
        if b.labels == NULL:
            q = <const real_t*>b.probabilities + at
            for c in range(b.classes):
                _targets(b, q, c, m, wanted)
                for k in range(m):
                    sums[k] += wanted[k]
        else:
            for k in range(m):
                y = b.labels[begin + k]
                if y != b.ignored:
                    sums[k] = (1 - b.smoothing) * (1 if b.weight == NULL else (<const real_t*>b.weight)[y]) + \
                        b.smoothing / b.classes * b.total_weight
        for k in range(m):
            g = grads[(begin + k) * b.grad_step] * b.factor
            slope[k], scale[k] = <real_t>g, <real_t>(g * sums[k] / total[k])
        for c in range(b.classes):
            row, out = x + c * b.inner, result + c * b.inner
            for k in range(m):
                out[k] = fast_exp(row[k] - top[k]) * scale[k]
            if b.labels == NULL or b.smoothing > 0:
                _targets(b, q, c, m, wanted)
                for k in range(m):
                    out[k] -= slope[k] * wanted[k]
        for k in range(m if b.labels != NULL else 0):
            y = b.labels[begin + k]
            if y == b.ignored:
                for c in range(b.classes):
                    result[c * b.inner + k] = 0
            else:
                result[y * b.inner + k] -= <real_t>(slope[k] * (1 - b.smoothing) * (
                    1 if b.weight == NULL else (<const real_t*>b.weight)[y]))
        begin += m


# --- elementwise losses of two operands -----------------------------------------------------------------------------

cdef inline real_t _magnitude(real_t x) noexcept nogil:
    return -x if x < 0 else x


cdef inline real_t _direction(real_t x) noexcept nogil:
    return <real_t>1 if x > 0 else <real_t>-1 if x < 0 else <real_t>0


cdef void _mse(const real_t* x, const real_t* y, real_t* out, Py_ssize_t n, const double* p) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        out[i] = (x[i] - y[i]) * (x[i] - y[i])


cdef void _mse_backward(const real_t* x, const real_t* y, real_t* out, Py_ssize_t n, const double* p) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        out[i] = 2 * (x[i] - y[i])


cdef void _l1(const real_t* x, const real_t* y, real_t* out, Py_ssize_t n, const double* p) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        out[i] = _magnitude(x[i] - y[i])


cdef void _l1_backward(const real_t* x, const real_t* y, real_t* out, Py_ssize_t n, const double* p) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        out[i] = _direction(x[i] - y[i])


cdef void _smooth_l1(const real_t* x, const real_t* y, real_t* out, Py_ssize_t n, const double* p) noexcept nogil:
    cdef Py_ssize_t i
    cdef real_t beta = <real_t>p[0], d
    for i in range(n):
        d = _magnitude(x[i] - y[i])
        out[i] = <real_t>0.5 * d * d / beta if d < beta else d - <real_t>0.5 * beta


cdef void _smooth_l1_backward(const real_t* x, const real_t* y, real_t* out, Py_ssize_t n,
                              const double* p) noexcept nogil:
    cdef Py_ssize_t i
    cdef real_t beta = <real_t>p[0], d
    for i in range(n):
        d = x[i] - y[i]
        out[i] = _direction(d) if _magnitude(d) >= beta else d / beta  # NaN stays NaN


cdef void _huber(const real_t* x, const real_t* y, real_t* out, Py_ssize_t n, const double* p) noexcept nogil:
    cdef Py_ssize_t i
    cdef real_t delta = <real_t>p[0], d
    for i in range(n):
        d = _magnitude(x[i] - y[i])
        out[i] = <real_t>0.5 * d * d if d <= delta else delta * (d - <real_t>0.5 * delta)


cdef void _huber_backward(const real_t* x, const real_t* y, real_t* out, Py_ssize_t n, const double* p) noexcept nogil:
    cdef Py_ssize_t i
    cdef real_t delta = <real_t>p[0], d
    for i in range(n):
        d = x[i] - y[i]
        out[i] = -delta if d < -delta else delta if d > delta else d


cdef inline real_t _log(real_t x) noexcept nogil:
    """Return the logarithm, clamped to at least -100."""
    cdef real_t y
    if real_t is float:
        y = math.logf(x)
    else:
        y = math.log(x)
    return <real_t>-100 if y < -100 else y


cdef void _bce(const real_t* x, const real_t* y, real_t* out, Py_ssize_t n, const double* p) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        out[i] = (y[i] - 1) * _log(1 - x[i]) - y[i] * _log(x[i])


cdef void _bce_backward(const real_t* x, const real_t* y, real_t* out, Py_ssize_t n, const double* p) noexcept nogil:
    cdef Py_ssize_t i
    cdef real_t d
    for i in range(n):
        d = (1 - x[i]) * x[i]
        out[i] = (x[i] - y[i]) / (<real_t>1e-12 if d < <real_t>1e-12 else d)


cdef void _bce_logits(const real_t* x, const real_t* y, real_t* out, Py_ssize_t n, const double* p) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        out[i] = (<real_t>0 if x[i] < 0 else x[i]) - x[i] * y[i] + fast_log1p(fast_exp(-_magnitude(x[i])))


cdef void _bce_logits_backward(const real_t* x, const real_t* y, real_t* out, Py_ssize_t n,
                               const double* p) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        out[i] = <real_t>1 / (<real_t>1 + fast_exp(-x[i])) - y[i]


def _pair(size_t single, size_t double_):
    return {"float32": single, "float64": double_}


ROWS = {
    "cross_entropy": _pair(<size_t><void*>_cross_entropy[float], <size_t><void*>_cross_entropy[double]),
    "cross_entropy_backward": _pair(<size_t><void*>_cross_entropy_backward[float],
                                    <size_t><void*>_cross_entropy_backward[double]),
    "cross_entropy_planes": _pair(<size_t><void*>_cross_entropy_planes[float],
                                  <size_t><void*>_cross_entropy_planes[double]),
    "cross_entropy_backward_planes": _pair(<size_t><void*>_cross_entropy_backward_planes[float],
                                           <size_t><void*>_cross_entropy_backward_planes[double]),
}
PAIRS = {
    "mse_loss": _pair(<size_t><void*>_mse[float], <size_t><void*>_mse[double]),
    "mse_loss_backward": _pair(<size_t><void*>_mse_backward[float], <size_t><void*>_mse_backward[double]),
    "l1_loss": _pair(<size_t><void*>_l1[float], <size_t><void*>_l1[double]),
    "l1_loss_backward": _pair(<size_t><void*>_l1_backward[float], <size_t><void*>_l1_backward[double]),
    "smooth_l1_loss": _pair(<size_t><void*>_smooth_l1[float], <size_t><void*>_smooth_l1[double]),
    "smooth_l1_loss_backward": _pair(<size_t><void*>_smooth_l1_backward[float],
                                     <size_t><void*>_smooth_l1_backward[double]),
    "huber_loss": _pair(<size_t><void*>_huber[float], <size_t><void*>_huber[double]),
    "huber_loss_backward": _pair(<size_t><void*>_huber_backward[float], <size_t><void*>_huber_backward[double]),
    "binary_cross_entropy": _pair(<size_t><void*>_bce[float], <size_t><void*>_bce[double]),
    "binary_cross_entropy_backward": _pair(<size_t><void*>_bce_backward[float], <size_t><void*>_bce_backward[double]),
    "binary_cross_entropy_with_logits": _pair(<size_t><void*>_bce_logits[float], <size_t><void*>_bce_logits[double]),
    "binary_cross_entropy_with_logits_backward": _pair(<size_t><void*>_bce_logits_backward[float],
                                                       <size_t><void*>_bce_logits_backward[double]),
}
SUMS = _pair(<size_t><void*>_sum_of[float], <size_t><void*>_sum_of[double])
