# cython: language_level=3
"""Convolution of `channels_last` operands without conversion: kernels of one element are a matrix product over all
positions, depthwise ones are sums of rows of channels (hot/channels_last.pyx), and in single precision others use
tiles or products that read either format (winograd.pyx, implicit_gemm.pyx)."""
from cpython.object cimport PyObject
from libc.string cimport memcpy, memset

from flambeau_nn._kernels cimport channels_last_layout as layout, implicit_gemm
from flambeau_nn._kernels.channels_last cimport Depthwise, depthwise_t
from flambeau_nn._kernels.compute_dtype cimport memory
from flambeau_nn._kernels.convolution_types cimport AXES, IMAGE, VALUES, WEIGHTS, Geometry, measure
from flambeau_nn._kernels.packed_products cimport pack_t, packed_t
from flambeau_nn._kernels.winograd cimport in_tiles
from flambeau_tensor.compute cimport (
    COMPUTE_ABI, D_FLOAT32, D_FLOAT64, Array, Product, array_of, dense, fresh, itemsize, multiply, parallel_for,
)
from flambeau_tensor.grain cimport GIL_FREE

from flambeau_tensor.compute import require as require_compute
from flambeau_tensor.extend import hot

require_compute(COMPUTE_ABI, "flambeau-nn")

cdef enum:
    LANES = 16  # the channels of a task are a multiple of this
    NEAR = 64  # rows that stay in the cache while they are multiplied by all panels
    PACKED = 1 << 18  # number of elements up to which a packed matrix is read again for each block of rows

_table = hot("channels_last", "flambeau_nn._kernels").LOOPS
cdef depthwise_t[2] _rows
cdef depthwise_t[2] _slopes
cdef pack_t[2] _pack
cdef packed_t[2] _packed_loop
cdef Py_ssize_t[2] _panel
for _k, _name in enumerate(("float32", "float64")):
    _rows[<int>_k] = <depthwise_t><size_t>_table[_name]["rows"]
    _slopes[<int>_k] = <depthwise_t><size_t>_table[_name]["slopes"]
    _pack[<int>_k] = <pack_t><size_t>_table[_name]["pack"]
    _packed_loop[<int>_k] = <packed_t><size_t>_table[_name]["multiply_packed"]
    _panel[<int>_k] = _table[_name]["panel"]


cdef bint _plain(const Geometry* g, Py_ssize_t groups) noexcept:
    cdef int d
    for d in range(AXES):
        if g.kernel[d] != 1 or g.stride[d] != 1 or g.padding[d] != 0:
            return False
    return groups == 1


cdef bint _one_channel(const Geometry* g) noexcept:
    return g.channels == 1 and g.features == 1 and g.kernel[0] == g.stride[0] == 1 and g.padding[0] == 0 and \
        g.size[0] == 1


cdef bint suits(const Geometry* g, Py_ssize_t groups, int dtype, PyObject* input) noexcept:
    if (dtype != D_FLOAT32 and dtype != D_FLOAT64) or not layout.is_channels_last(input):
        return False
    return _plain(g, groups) or _one_channel(g) or (dtype == D_FLOAT32 and implicit_gemm.suits(g, VALUES))


cdef int _product(int dtype, Py_ssize_t m, Py_ssize_t n, Py_ssize_t k, const char* a, bint a_across,
                  const char* b, bint b_across, char* c, bint add=False) except -1:
    """c[m, n] = a @ b, or c += a @ b; `across`: the operand is stored transposed."""
    cdef Product p
    p.dtype, p.add, p.m, p.n, p.k, p.a, p.b, p.c = dtype, add, m, n, k, a, b, c
    p.a_row, p.a_col = 1 if a_across else k, m if a_across else 1
    p.b_row, p.b_col = 1 if b_across else n, k if b_across else 1
    p.c_row, p.count, p.a_step, p.b_step, p.c_step = n, 1, 0, 0, 0
    return multiply(&p)


cdef int _run(const Geometry* g, int kind, Py_ssize_t batch, Py_ssize_t groups, int dtype, char* image, char* values,
              char* weight, char* bias) except -1:
    """Compute one of the three, as `kind` says: (batch, *size, channels), (batch, *count, features) and
    (features, taps, channels)."""
    cdef Py_ssize_t rows = batch * g.positions
    if not _plain(g, groups) and not _one_channel(g):
        if not in_tiles(g, kind, batch, groups, image, values, weight, bias, True):
            implicit_gemm.in_products(g, kind, batch, groups, image, values, weight, bias, True)
        return 0
    if not _plain(g, groups):
        return _depthwise(g, kind, batch, groups, dtype, image, values, weight, bias)
    if kind == WEIGHTS:
        return _product(dtype, g.features, g.channels, rows, values, True, image, False, weight)
    if kind == VALUES:
        return _rows_by(dtype, rows, g.features, g.channels, image, weight, True, bias, values)
    return _rows_by(dtype, rows, g.channels, g.features, values, weight, False, NULL, image)


cdef struct Shares:  # of rows that are multiplied by a packed matrix
    packed_t multiply
    Py_ssize_t n, k, item
    const char* a
    const void* packed
    const void* start
    char* c


cdef void _multiply(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    cdef const Shares* s = <const Shares*>context
    cdef Py_ssize_t first, m
    first = begin
    while first < end:
        m = min(end - first, <Py_ssize_t>NEAR)
        s.multiply(m, s.n, s.k, s.a + first * s.k * s.item, s.k, s.packed, s.start, s.c + first * s.n * s.item)
        first += m


cdef int _rows_by(int dtype, Py_ssize_t rows, Py_ssize_t n, Py_ssize_t k, const char* a, char* weight, bint across,
                  char* bias, char* c) except -1:
    """c[rows, n] = bias + a @ weight; the weight is (k, n), or (n, k) if `across`."""
    cdef Shares s
    cdef int which = dtype == D_FLOAT64
    cdef Py_ssize_t r, item = itemsize(dtype), columns = (n + _panel[which] - 1) // _panel[which] * _panel[which]
    cdef void* packed
    cdef void* start
    if _pack[which] == NULL or k * columns > PACKED:
        for r in range(rows if bias != NULL else 0):
            memcpy(c + r * n * item, bias, n * item)
        return _product(dtype, rows, n, k, a, False, weight, across, c, bias != NULL)
    _packed, _start = memory(dtype, k * columns, &packed), memory(dtype, n, &start)
    _pack[which](n, k, weight, 1 if across else n, k if across else 1, packed)
    memset(start, 0, n * item)
    if bias != NULL:
        memcpy(start, bias, n * item)
    s.multiply, s.n, s.k, s.item, s.a, s.packed, s.start, s.c = _packed_loop[which], n, k, item, a, packed, start, c
    if rows * n * k < GIL_FREE:
        _multiply(&s, 0, rows)
    else:
        with nogil:
            parallel_for(rows, max(<Py_ssize_t>NEAR, GIL_FREE // (n * k)), _multiply, &s)
    return 0


cdef int _sum_rows(int dtype, const char* x, Py_ssize_t rows, Py_ssize_t columns, char* out) except -1:
    cdef void* ones
    cdef Py_ssize_t r
    _ones = memory(dtype, rows, &ones)
    for r in range(rows):
        if dtype == D_FLOAT32:
            (<float*>ones)[r] = 1
        else:
            (<double*>ones)[r] = 1
    return _product(dtype, 1, columns, rows, <char*>ones, False, x, False, out)


cdef void _turn(int dtype, Py_ssize_t rows, Py_ssize_t columns, const void* x, void* out) noexcept:
    """Transpose a small matrix."""
    cdef Py_ssize_t r, c
    for r in range(rows):
        for c in range(columns):
            if dtype == D_FLOAT32:
                (<float*>out)[c * rows + r] = (<const float*>x)[r * columns + c]
            else:
                (<double*>out)[c * rows + r] = (<const double*>x)[r * columns + c]


cdef int _depthwise(const Geometry* g, int kind, Py_ssize_t batch, Py_ssize_t width, int dtype, char* image,
                    char* values, char* weight, char* bias) except -1:
    cdef Depthwise d
    cdef void* start
    cdef void* turned
    cdef Py_ssize_t rows, work, item = itemsize(dtype)
    cdef int which = dtype == D_FLOAT64
    cdef depthwise_t task = _slopes[which] if kind == WEIGHTS else _rows[which]
    _weight = memory(dtype, g.taps * width, &turned)
    _start = memory(dtype, width, &start)
    if bias != NULL:
        memcpy(start, bias, width * item)
    else:
        memset(start, 0, width * item)
    d.g, d.batch, d.channels, d.kind, d.failed = g[0], batch, width, kind, False
    d.image, d.values, d.weight, d.start = image, values, turned, start
    if kind == WEIGHTS:
        memset(turned, 0, g.taps * width * item)
        rows = width
    else:
        _turn(dtype, width, g.taps, weight, turned)
        rows = batch * (g.size[1] if kind == IMAGE else g.count[1])
    work = batch * g.count[1] * g.count[2] * g.taps * width
    if work < GIL_FREE or rows == 0:
        task(&d, 0, rows)
    else:
        with nogil:
            parallel_for(rows, LANES if kind == WEIGHTS else max(<Py_ssize_t>1, rows * GIL_FREE // work), task, &d)
    if d.failed:
        raise MemoryError()
    if kind == WEIGHTS:
        _turn(dtype, g.taps, width, turned, weight)
    return 0


cdef object values_of(Geometry* g, Py_ssize_t batch, Py_ssize_t groups, const Array* x, const Py_ssize_t* sizes,
                      char* weight, char* bias):
    cdef Array y
    result = layout.empty_in_format(True, x.dtype, x.ndim, sizes, &y)
    measure(g)
    if y.numel:
        _run(g, VALUES, batch, groups, x.dtype, x.data, y.data, weight, bias)
    return result


cdef tuple gradients_of(Geometry* g, Py_ssize_t batch, Py_ssize_t groups, PyObject* grad, PyObject* input,
                        PyObject* weight, wanted):
    cdef Array x, w, y, out
    cdef int dtype
    array_of(input, &x)
    dtype = x.dtype
    of_input = of_weight = of_bias = None
    measure(g)
    _grad, _weight = layout.as_channels_last(grad, dtype, &y), dense(weight, dtype, &w)
    if wanted[2]:
        of_bias = fresh(dtype, 1, &w.sizes[0], &out)
        _sum_rows(dtype, y.data, y.numel // w.sizes[0], w.sizes[0], out.data)
    if wanted[0]:
        of_input = layout.empty_in_format(True, dtype, x.ndim, x.sizes, &out)
        _run(g, IMAGE, batch, groups, dtype, out.data, y.data, w.data, NULL)
    if wanted[1]:
        of_weight = layout.empty_in_format(True, dtype, w.ndim, w.sizes, &out)
        _run(g, WEIGHTS, batch, groups, dtype, x.data, y.data, out.data, NULL)
    return of_input, of_weight, of_bias
