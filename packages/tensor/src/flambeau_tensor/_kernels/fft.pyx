# cython: language_level=3
"""Fourier transforms by the loops of NumPy's pocketfft: one dimension after another, with rows on the thread pool.

There are three kernels: complex to complex, real to complex, complex to real. `Transform` implements the public
functions for one dimension, as a composition of checks and one of the kernels.

The loops are vectorized across rows. A single long row is therefore treated as a matrix: its columns are transformed,
each element is multiplied by a root of unity, and the rows are transformed ("four steps", Bailey 1990). A long row of
real numbers is treated as half as many complex numbers.
"""
from cpython.exc cimport PyErr_Occurred
from cpython.object cimport PyObject
from libc.math cimport cos, log2, sin, sqrt
from libc.stdlib cimport free, malloc

from flambeau_tensor._core.elementwise.copying cimport copy_of
from flambeau_tensor._core.elementwise.dtype cimport CATEGORY, ITEMSIZE, default_dtype, dtype_object
from flambeau_tensor._core.elementwise.loops cimport loop_t
from flambeau_tensor._core.call.operator cimport Kernel, Operator, call_slots, make_kernel
from flambeau_tensor._core.elementwise.parallel cimport parallel_for
from flambeau_tensor._core.memory.tensor cimport Tensor, empty, empty_strided, grad_flags, wrap_dim
from flambeau_tensor._core.memory.types cimport *
from flambeau_tensor.grain cimport GIL_FREE, GRAIN

from numpy.fft import _pocketfft_umath as pocketfft

from flambeau_tensor._core.elementwise.dtype import type_name
from flambeau_tensor._core.elementwise.operands import wrapped_dim
from flambeau_tensor._core.schema.registry import find_operator

cdef enum:
    LONG = 2048  # from this length, a single row is treated as a matrix
    LONG_REAL = 32768  # from this length, a real row is treated as half as many complex numbers

cdef enum:  # norms, by PyTorch's numbers
    AS_IS = 0
    BY_ROOT = 1
    BY_SIZE = 2

cdef extern from "numpy/arrayobject.h":  # required by ufuncobject.h
    pass
cdef extern from "numpy/ufuncobject.h":
    ctypedef struct UFunc "PyUFuncObject":
        void** functions
        void** data

cdef struct Loop:
    loop_t run
    void* data

cdef Loop[2] _forward, _backward, _even, _odd, _to_real  # for floats, for doubles


cdef int _find(Loop* loops, ufunc, str pattern) except -1:
    cdef UFunc* f = <UFunc*><PyObject*>ufunc
    cdef int i, k
    for k in range(2):
        i = ufunc.types.index(pattern.format("fd"[k], "FD"[k]))
        loops[k].run, loops[k].data = <loop_t>f.functions[i], f.data[i] if f.data != NULL else NULL
    return 0


_find(_forward, pocketfft.fft, "{1}{0}->{1}")
_find(_backward, pocketfft.ifft, "{1}{0}->{1}")
_find(_even, pocketfft.rfft_n_even, "{0}{0}->{1}")
_find(_odd, pocketfft.rfft_n_odd, "{0}{0}->{1}")
_find(_to_real, pocketfft.irfft, "{1}{0}->{0}")


# --- one dimension with many rows -----------------------------------------------------------------------------------

cdef struct Roots:
    int shift  # root of unity q is low[q % 2**shift] * high[q >> shift]; NULL: no multiplication
    double* low
    double* high

cdef struct Job:
    Loop loop
    Roots roots
    char* x
    char* out
    Py_ssize_t n_in, n_out, step_in, step_out  # per row: elements, and bytes between them
    Py_ssize_t full  # the length of the full spectrum of a real tensor, if it is needed; else 0
    int ndim  # the number of outer dimensions of the rows, without the innermost one
    Py_ssize_t[MAX_NDIM] sizes, steps_in, steps_out
    Py_ssize_t inner, inner_in, inner_out
    double factor
    float factor_f
    bint single


cdef void _mirror(Job* job, char* row) noexcept nogil:
    """Fill the second half of a real row's spectrum with the reversed conjugate of the first half."""
    cdef Py_ssize_t k
    cdef char* to
    cdef char* source
    for k in range(job.n_out, job.full):
        to, source = row + k * job.step_out, row + (job.full - k) * job.step_out
        if job.single:
            (<float*>to)[0], (<float*>to)[1] = (<float*>source)[0], -(<float*>source)[1]
        else:
            (<double*>to)[0], (<double*>to)[1] = (<double*>source)[0], -(<double*>source)[1]


ctypedef fused real_t:
    float
    double


cdef inline void _turn(const Roots* r, real_t* row, Py_ssize_t k, Py_ssize_t n) noexcept nogil:
    """Multiply element i of a row by the root of unity k i."""
    cdef Py_ssize_t i, q = 0, mask = (<Py_ssize_t>1 << r.shift) - 1
    cdef double a, b, re, im
    cdef const double* u
    cdef const double* v
    for i in range(n):
        u, v = r.low + 2 * (q & mask), r.high + 2 * (q >> r.shift)
        a, b = u[0] * v[0] - u[1] * v[1], u[0] * v[1] + u[1] * v[0]
        re, im = row[2 * i], row[2 * i + 1]
        row[2 * i], row[2 * i + 1] = <real_t>(re * a - im * b), <real_t>(re * b + im * a)
        q += k


cdef void _rows(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    """Process rows [begin, end); one call of the loop handles as many rows as have equal distances."""
    cdef Job* job = <Job*>context
    cdef Py_ssize_t[MAX_NDIM] counter
    cdef Py_ssize_t[3] counts
    cdef Py_ssize_t[5] steps
    cdef char* args[3]
    cdef char* x = job.x
    cdef char* out = job.out
    cdef Py_ssize_t row = begin // job.inner, at = begin % job.inner, n, k
    cdef int d
    for d in range(job.ndim - 1, -1, -1):
        counter[d] = row % job.sizes[d]
        row //= job.sizes[d]
        x += counter[d] * job.steps_in[d]
        out += counter[d] * job.steps_out[d]
    counts[1], counts[2] = job.n_in, job.n_out
    steps[0], steps[1], steps[2], steps[3], steps[4] = job.inner_in, 0, job.inner_out, job.step_in, job.step_out
    while begin < end:
        n = min(job.inner - at, end - begin)
        counts[0] = n
        args[0], args[2] = x + at * job.inner_in, out + at * job.inner_out
        args[1] = <char*>&job.factor_f if job.single else <char*>&job.factor
        if job.roots.low != NULL:  # then there are no outer dimensions
            for k in range(at, at + n):
                if job.single:
                    _turn(&job.roots, <float*>(x + k * job.inner_in), k, job.n_in)
                else:
                    _turn(&job.roots, <double*>(x + k * job.inner_in), k, job.n_in)
        job.loop.run(args, counts, steps, job.loop.data)
        if job.full:
            for k in range(n):
                _mirror(job, out + (at + k) * job.inner_out)
        begin += n
        at = 0
        for d in range(job.ndim - 1, -1, -1):
            counter[d] += 1
            x += job.steps_in[d]
            out += job.steps_out[d]
            if counter[d] < job.sizes[d]:
                break
            x -= job.sizes[d] * job.steps_in[d]
            out -= job.sizes[d] * job.steps_out[d]
            counter[d] = 0


cdef Py_ssize_t _divisor(Py_ssize_t n) noexcept nogil:
    """Return the largest divisor up to the square root if rows and columns then have similar lengths, else 1."""
    cdef Py_ssize_t d = <Py_ssize_t>sqrt(<double>n) + 1
    while d * d > n or n % d:
        d -= 1
    return d if 8 * d * d >= n else 1


cdef int _make_roots(Roots* r, Py_ssize_t n, bint forward) except -1:
    cdef double step = (-6.283185307179586 if forward else 6.283185307179586) / n
    cdef Py_ssize_t i, count
    r.shift = <int>(log2(<double>n) / 2)
    count = <Py_ssize_t>1 << r.shift
    r.low = <double*>malloc((2 * count + 2 * ((n >> r.shift) + 1)) * sizeof(double))
    if r.low == NULL:
        raise MemoryError()
    r.high = r.low + 2 * count
    for i in range(count):
        r.low[2 * i], r.low[2 * i + 1] = cos(step * i), sin(step * i)
    for i in range((n >> r.shift) + 1):
        r.high[2 * i], r.high[2 * i + 1] = cos(step * (i << r.shift)), sin(step * (i << r.shift))
    return 0


cdef int _start(Job* job) except -1:
    cdef Py_ssize_t rows = job.inner, n = max(job.n_in, job.n_out), work = <Py_ssize_t>(n * (2 + log2(<double>n)))
    cdef int d
    for d in range(job.ndim):
        rows *= job.sizes[d]
    if work * rows < GIL_FREE:
        _rows(job, 0, rows)
    else:
        with nogil:
            parallel_for(rows, 1 + GRAIN // work, _rows, job)
    return -1 if PyErr_Occurred() != NULL else 0  # pocketfft failed to allocate memory


cdef int _four_steps(Job* job, Py_ssize_t n1, int dtype, bint forward) except -1:
    """Transform a single row of n1 n2 elements as a matrix, in which element i1 n2 + i2 has row i1 and column i2."""
    cdef Py_ssize_t n = job.n_in, n2 = n // n1, item = ITEMSIZE[dtype]
    cdef Tensor between = empty(dtype, 1, &n)
    cdef Job columns = job[0]
    columns.n_in = columns.n_out = n1
    columns.step_in, columns.step_out = n2 * job.step_in, n2 * item
    columns.inner, columns.inner_in, columns.inner_out = n2, job.step_in, item
    columns.out, columns.factor, columns.factor_f = between.data, 1, 1
    _start(&columns)
    job.n_in = job.n_out = n2
    job.x, job.step_in = between.data, item
    job.inner, job.inner_in, job.inner_out = n1, n2 * item, job.step_out
    job.step_out *= n1
    _make_roots(&job.roots, n, forward)
    try:
        _start(job)
    finally:
        free(job.roots.low)
    return 0


cdef struct Halves:
    Roots roots
    char* z
    char* out
    Py_ssize_t m, step
    bint single


cdef inline void _part(Halves* h, real_t* z, Py_ssize_t k) noexcept nogil:
    """Compute two elements of a real row's spectrum from the spectrum of its elements taken as complex pairs."""
    cdef real_t* out = <real_t*>(h.out + k * h.step)
    cdef real_t* mirror = <real_t*>(h.out + (h.m - k) * h.step)
    cdef const double* u = h.roots.low + 2 * (k & ((<Py_ssize_t>1 << h.roots.shift) - 1))
    cdef const double* v = h.roots.high + 2 * (k >> h.roots.shift)
    cdef double a = u[0] * v[0] - u[1] * v[1], b = u[0] * v[1] + u[1] * v[0]
    cdef Py_ssize_t j = h.m - k if k else 0
    cdef double even = (<double>z[2 * k] + z[2 * j]) / 2, even_i = (<double>z[2 * k + 1] - z[2 * j + 1]) / 2
    cdef double odd = (<double>z[2 * k + 1] + z[2 * j + 1]) / 2, odd_i = (<double>z[2 * j] - z[2 * k]) / 2
    cdef double re = odd * a - odd_i * b, im = odd * b + odd_i * a
    out[0], out[1] = <real_t>(even + re), <real_t>(even_i + im)
    mirror[0], mirror[1] = <real_t>(even - re), <real_t>(im - even_i)


cdef void _parts(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    cdef Halves* h = <Halves*>context
    cdef Py_ssize_t k
    for k in range(begin, end):
        if h.single:
            _part(h, <float*>h.z, k)
        else:
            _part(h, <double*>h.z, k)


cdef int _real_steps(Job* job, Py_ssize_t divisor, int dtype) except -1:
    """Transform a single row of real numbers, which is contiguous and has an even length."""
    cdef Py_ssize_t m = job.n_in // 2
    cdef Tensor between = empty(dtype, 1, &m)
    cdef Job pairs = job[0]
    cdef Halves halves
    pairs.loop = _forward[not job.single]
    pairs.n_in = pairs.n_out = m
    pairs.step_in = pairs.step_out = ITEMSIZE[dtype]
    pairs.out, pairs.full = between.data, 0
    _four_steps(&pairs, divisor, dtype, True)
    halves.z, halves.out, halves.m, halves.step = between.data, job.out, m, job.step_out
    halves.single = job.single
    _make_roots(&halves.roots, 2 * m, True)
    with nogil:
        parallel_for(m // 2 + 1, GRAIN // 8, _parts, &halves)
    free(halves.roots.low)
    if job.full:
        _mirror(job, job.out)
    return 0


cdef int _along(Loop* loops, Tensor x, Tensor out, int dim, double factor, Py_ssize_t n_out, bint mirrored) except -1:
    """Transform the rows of `x` along `dim` into `out`, which may be `x`; `n_out` elements each."""
    cdef Job job
    cdef Py_ssize_t item_in = ITEMSIZE[x.dtype], item_out = ITEMSIZE[out.dtype], rows = 1, n
    cdef Py_ssize_t step_in, step_out
    cdef int d, e, k
    job.roots.low = NULL
    job.single = x.dtype == FLOAT32 or x.dtype == COMPLEX64
    job.loop = loops[not job.single]
    job.x, job.out = x.data, out.data
    job.n_in, job.step_in = x.sizes[dim], x.strides[dim] * item_in
    job.n_out, job.step_out = n_out, out.strides[dim] * item_out
    job.full = out.sizes[dim] if mirrored else 0
    job.factor, job.factor_f = factor, <float>factor
    job.ndim = 0
    for d in range(x.ndim):  # in the order of the result's strides, merged if both sides allow it
        if d == dim or x.sizes[d] == 1:
            continue
        n, step_in, step_out = x.sizes[d], x.strides[d] * item_in, out.strides[d] * item_out
        rows *= n
        k = job.ndim
        while k > 0 and job.steps_out[k - 1] < step_out:
            job.sizes[k], job.steps_in[k] = job.sizes[k - 1], job.steps_in[k - 1]
            job.steps_out[k] = job.steps_out[k - 1]
            k -= 1
        job.sizes[k], job.steps_in[k], job.steps_out[k] = n, step_in, step_out
        job.ndim += 1
    if rows == 0:
        return 0
    e = 0
    for d in range(1, job.ndim):
        n = job.sizes[d]
        if job.steps_in[e] == n * job.steps_in[d] and job.steps_out[e] == n * job.steps_out[d]:
            job.sizes[e] *= n
        else:
            e += 1
            job.sizes[e] = n
        job.steps_in[e], job.steps_out[e] = job.steps_in[d], job.steps_out[d]
    job.inner, job.inner_in, job.inner_out = 1, 0, 0
    if job.ndim:
        job.inner, job.inner_in, job.inner_out = job.sizes[e], job.steps_in[e], job.steps_out[e]
        job.ndim = e
    if rows == 1 and n_out >= LONG and x.dtype == out.dtype:
        n = _divisor(n_out)
        if n > 1:
            return _four_steps(&job, n, x.dtype, loops == &_forward[0])
    if rows == 1 and loops == &_even[0] and job.n_in >= LONG_REAL and job.step_in == item_in:
        n = _divisor(job.n_in // 2)
        if n > 1:
            return _real_steps(&job, n, out.dtype)
    return _start(&job)


# --- the three kernels ----------------------------------------------------------------------------------------------

cdef double _factor(Py_ssize_t norm, double n) except -1:
    if norm == AS_IS:
        return 1
    if norm == BY_ROOT:
        return 1 / sqrt(n)
    if norm == BY_SIZE:
        return 1 / n
    raise RuntimeError(f"Unsupported normalization type {norm}")


cdef int _by_stride(Tensor t, int* dims, int n) noexcept:
    """Sort dimensions by stride, largest first."""
    cdef int i, j, d
    for i in range(1, n):
        d, j = dims[i], i
        while j > 0 and t.strides[dims[j - 1]] < t.strides[d]:
            dims[j] = dims[j - 1]
            j -= 1
        dims[j] = d
    return 0


cdef Tensor _room(Tensor t, int dtype, const int* dims, int n, Py_ssize_t last):
    """Create the result: the transformed dimensions are innermost and in order, the last of them has size `last`,
    and the others have the order of `t`."""
    cdef int[MAX_NDIM] order
    cdef bint[MAX_NDIM] transformed
    cdef Py_ssize_t[MAX_NDIM] sizes
    cdef Py_ssize_t[MAX_NDIM] strides
    cdef Py_ssize_t step = 1
    cdef int d, i, k = 0
    for d in range(t.ndim):
        sizes[d], transformed[d] = t.sizes[d], False
    for i in range(n):
        transformed[dims[i]] = True
    sizes[dims[n - 1]] = last
    for d in range(t.ndim):
        if not transformed[d]:
            order[k] = d
            k += 1
    _by_stride(t, order, k)
    for i in range(n):
        order[k + i] = dims[i]
    for i in range(t.ndim - 1, -1, -1):
        strides[order[i]] = step
        step *= max(<Py_ssize_t>1, sizes[order[i]])
    return empty_strided(dtype, t.ndim, sizes, strides)


cdef int _read_dims(Tensor t, PyObject* slot, int* dims) except -1:
    cdef tuple given = <tuple>slot
    cdef int i, k, n = len(given)
    for i in range(n):
        dims[i] = wrap_dim(given[i], t.ndim)
        for k in range(i):
            if dims[k] == dims[i]:
                raise RuntimeError("FFT dims must be unique")
        if t.ndim == 0:
            raise IndexError("Dimension specified as 0 but tensor has no dimensions")
    return n


cdef Tensor _complex_to_complex(Tensor x, int* dims, int n, Py_ssize_t norm, bint forward):
    cdef Tensor out
    cdef Loop* loops = _backward
    cdef double total = 1
    cdef int i
    if forward:
        loops = _forward
    _by_stride(x, dims, n)
    out = _room(x, x.dtype, dims, n, x.sizes[dims[n - 1]])
    if x.numel == 0:
        return out
    for i in range(n):
        total *= x.sizes[dims[i]]
    for i in range(n - 1, -1, -1):
        _along(loops, x if i == n - 1 else out, out, dims[i], _factor(norm, total) if i == n - 1 else 1.0,
               x.sizes[dims[i]], False)
    return out


cdef object _c2c(Operator op, PyObject** slots):
    """Slots: self, dim, normalization, forward."""
    cdef Tensor x = <Tensor>slots[0]
    cdef int[MAX_NDIM] dims
    cdef int n = _read_dims(x, slots[1], dims)
    if CATEGORY[x.dtype] != CAT_COMPLEX:
        raise RuntimeError(f"Only supports complex dtypes, but found: {type_name(dtype_object(x.dtype))}")
    if n == 0:
        return copy_of(x)
    return _complex_to_complex(x, dims, n, <object>slots[2], <object>slots[3] is True)


cdef object _r2c(Operator op, PyObject** slots):
    """Slots: self, dim, normalization, onesided."""
    cdef Tensor x = <Tensor>slots[0], out
    cdef bint onesided = <object>slots[3] is True
    cdef int[MAX_NDIM] dims
    cdef int i, last, n = _read_dims(x, slots[1], dims)
    cdef Py_ssize_t size, half
    cdef double total = 1
    cdef Loop* loops = _even
    if x.dtype != FLOAT32 and x.dtype != FLOAT64:
        raise RuntimeError(f"Only supports floating-point dtypes, but found: {type_name(dtype_object(x.dtype))}")
    if n == 0:
        raise RuntimeError("rfftn must transform at least one axis")
    last = dims[n - 1]
    size = x.sizes[last]
    half = size // 2 + 1
    _by_stride(x, dims, n - 1)
    out = _room(x, COMPLEX64 if x.dtype == FLOAT32 else COMPLEX128, dims, n, half if onesided else size)
    if x.numel == 0:
        return out
    for i in range(n):
        total *= x.sizes[dims[i]]
    if size % 2:
        loops = _odd
    _along(loops, x, out, last, _factor(<object>slots[2], total), half, not onesided)
    for i in range(n - 2, -1, -1):
        _along(_forward, out, out, dims[i], 1, x.sizes[dims[i]], False)
    return out


cdef object _c2r(Operator op, PyObject** slots):
    """Slots: self, dim, normalization, last_dim_size."""
    cdef Tensor x = <Tensor>slots[0], out
    cdef int[MAX_NDIM] dims
    cdef int last, n = _read_dims(x, slots[1], dims)
    cdef Py_ssize_t size = <object>slots[3], norm = <object>slots[2]
    if CATEGORY[x.dtype] != CAT_COMPLEX:
        raise RuntimeError(f"Only supports complex dtypes, but found: {type_name(dtype_object(x.dtype))}")
    if n == 0:
        raise RuntimeError("irfftn must transform at least one axis")
    last = dims[n - 1]
    if n > 1:
        x = _complex_to_complex(x, dims, n - 1, norm, False)
    out = _room(x, FLOAT32 if x.dtype == COMPLEX64 else FLOAT64, &last, 1, size)
    if out.numel:
        _along(_to_real, x, out, last, _factor(norm, size), size, False)
    return out


c2c, r2c, c2r = make_kernel(_c2c), make_kernel(_r2c), make_kernel(_c2r)


# --- the public functions for one dimension -------------------------------------------------------------------------

def promoted(Tensor x not None, bint to_complex):
    """Convert to a dtype that can be transformed: a complex one or, unless `to_complex`, a real one."""
    cdef int dtype = x.dtype
    if CATEGORY[dtype] < CAT_FLOAT:
        dtype = default_dtype()
    if dtype != FLOAT32 and dtype < COMPLEX64 and dtype != FLOAT64:
        raise RuntimeError(f"Unsupported dtype {type_name(dtype_object(dtype))}")
    if to_complex and dtype < COMPLEX64:
        dtype = COMPLEX64 if dtype == FLOAT32 else COMPLEX128
    return x if x.dtype == dtype else x.to(dtype_object(dtype))


def norm_number(str norm, bint forward):
    """Return PyTorch's number of a norm."""
    if norm is None or norm == "backward":
        return AS_IS if forward else BY_SIZE
    if norm == "forward":
        return BY_SIZE if forward else AS_IS
    if norm == "ortho":
        return BY_ROOT
    raise RuntimeError(f'Invalid normalization mode: "{norm}"')


def fitted(x, int dim, Py_ssize_t size):
    """Truncate a dimension to a size, or pad it with zeros."""
    cdef Py_ssize_t have = (<Tensor?>x).sizes[dim]
    if have == size:
        return x
    if have > size:
        return x.narrow(dim, 0, size)
    sizes = list(x.shape)
    sizes[dim] = size
    return find_operator("torch._ops.slice_backward")(x, sizes, dim, 0, have, 1)


cdef object _run_kernel(Operator target, Tensor x, int dim, norm, argument):
    cdef PyObject* args[4]
    dims = (dim,)
    args[0], args[1], args[2], args[3] = <PyObject*>x, <PyObject*>dims, <PyObject*>norm, <PyObject*>argument
    return call_slots(target, args, grad_flags(x))


cdef class Transform(Kernel):
    """A transform along one dimension, as a composition with the slots self, n, dim, norm and perhaps out.

    Args:
        name: the function's name in errors.
        forward: the sign of the exponent.
        real: the real side: ``"input"`` (whose spectrum is cut in half), ``"result"``, or None: the input's dtype
            decides.
        c2c, r2c, c2r: the operators of the three kernels.
    """

    cdef Operator c2c, r2c, c2r
    cdef bint forward
    cdef int real  # 0: neither, 1: the input, 2: the result
    cdef str name

    def __init__(self, str name not None, bint forward, str real, Operator c2c, Operator r2c, Operator c2r):
        self.run = _transform
        self.name, self.forward, self.real = name, forward, (None, "input", "result").index(real)
        self.c2c, self.r2c, self.c2r = c2c, r2c, c2r


cdef object _transform(Operator op, PyObject** slots):
    cdef Transform kernel = <Transform>op.implementation
    cdef Tensor x = <Tensor>slots[0]
    cdef int dim
    cdef Py_ssize_t n
    if kernel.real == 1 and CATEGORY[x.dtype] == CAT_COMPLEX:
        raise RuntimeError(f"{kernel.name} expects a real input tensor, but got "
                           f"{type_name(dtype_object(x.dtype))}")
    if x.dtype < FLOAT32 or x.dtype == COMPLEX32 or (kernel.real == 2 and CATEGORY[x.dtype] != CAT_COMPLEX):
        x = promoted(x, kernel.real == 2)
    dim = wrapped_dim(<object>slots[2], x.ndim, False)
    if slots[1] != <PyObject*>None:
        n = <object>slots[1]
    else:
        n = 2 * (x.sizes[dim] - 1) if kernel.real == 2 else x.sizes[dim]
    if n < 1:
        raise RuntimeError(f"Invalid number of data points ({n}) specified")
    if slots[1] != <PyObject*>None:
        x = fitted(x, dim, n // 2 + 1 if kernel.real == 2 else n)
    norm = norm_number(<object>slots[3], kernel.forward)
    if kernel.real == 2:
        return _run_kernel(kernel.c2r, x.conj() if kernel.forward else x, dim, norm, n)
    if CATEGORY[x.dtype] == CAT_COMPLEX:
        return _run_kernel(kernel.c2c, x, dim, norm, kernel.forward)
    result = _run_kernel(kernel.r2c, x, dim, norm, kernel.real == 1)
    return result if kernel.forward else result.conj()
