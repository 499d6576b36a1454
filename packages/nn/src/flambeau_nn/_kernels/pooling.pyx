# cython: language_level=3
"""Pooling: sums and maxima over windows of up to three dimensions.

Every kind of pooling, adaptive or not, is a table of windows: for each axis and each output position along it, the
start and end of the window in the input, and how many elements it counts as. The loops depend only on this table.
float16 and bfloat16 are computed in float32, and maxima of integers in int64.
"""
from cpython.bytearray cimport PyByteArray_AS_STRING
from cpython.object cimport PyObject
from libc.stdint cimport int64_t

from flambeau_nn._kernels.channels_last_layout cimport as_channels_last, empty_in_format, operand
from flambeau_nn._kernels.pooling_types cimport AXES, CHANNELS, Pool, pooled_t
from flambeau_tensor.abi cimport TENSOR_ABI, new_kernel, type_string
from flambeau_tensor.compute cimport (
    COMPUTE_ABI, D_BFLOAT16, D_BOOL, D_FLOAT16, D_FLOAT32, D_FLOAT64, D_INT64, Array, array_of, converted,
    dense, in_format_of, parallel_for, read_ints, shape_text, wrap_dim,
)
from flambeau_tensor.grain cimport GIL_FREE, HEAVY_GRAIN

from operator import index as as_index

from flambeau_tensor.abi import require
from flambeau_tensor.compute import require as require_compute
from flambeau_tensor.extend import hot

require(TENSOR_ABI, "flambeau-nn")
require_compute(COMPUTE_ABI, "flambeau-nn")

cdef enum:
    MAX_NDIM = 64
    MOST = 0x7fffffff  # largest value of an argument
    SMALL = 192  # number of table entries that fit into stack memory

cdef enum:  # loops
    AVERAGE = 0
    MAXIMUM = 1
    SCATTER = 2
    SPREAD = 3

cdef pooled_t[4][3] _loops  # for float32, float64 and int64


def _read_loops(table):
    for i, name in enumerate(("average", "maximum", "scatter", "spread")):
        for j, dtype in enumerate(("float32", "float64", "int64")):
            _loops[i][j] = <pooled_t><size_t>table[name].get(dtype, 0)


_read_loops(hot("pooling", "flambeau_nn._kernels").LOOPS)

cdef struct Job:
    Pool* pool
    pooled_t loop


cdef void _planes(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    cdef Job* job = <Job*>context
    cdef Py_ssize_t i
    for i in range(begin, end):
        job.loop(job.pool, i, NULL)


cdef int _run(Pool* p, int loop, int dtype) except -1:
    cdef Job job
    cdef Py_ssize_t work = p.work * min(p.pixel, <Py_ssize_t>CHANNELS)
    job.pool, job.loop = p, _loops[loop][0 if dtype == D_FLOAT32 else 1 if dtype == D_FLOAT64 else 2]
    if p.planes * work < GIL_FREE:
        _planes(&job, 0, p.planes)
    else:
        with nogil:
            parallel_for(p.planes, max(<Py_ssize_t>1, HEAVY_GRAIN // max(work, <Py_ssize_t>1)), _planes, &job)
    return 0


# --- windows --------------------------------------------------------------------------------------------------------

cdef struct Steps:  # the arguments of non-adaptive pooling, by axis
    Py_ssize_t[AXES] kernel
    Py_ssize_t[AXES] stride
    Py_ssize_t[AXES] padding
    Py_ssize_t[AXES] dilation
    bint ceil_mode
    bint count_include_pad


cdef str WORDS = "one two three"


cdef int _read(PyObject* slot, Py_ssize_t* out, int dims, Py_ssize_t usual, str name, str argument,
               str wanted) except -1:
    """Read one integer per spatial dimension into the last axes, `usual` into the others; return 0 for None and ()."""
    cdef Py_ssize_t[MAX_NDIM] given
    cdef int n = 0 if slot == <PyObject*>None else read_ints(slot, given, MAX_NDIM, name, argument), d
    if n == 0 and argument == "stride":
        return 0
    if n != 1 and n != dims:
        if dims == 1:
            raise RuntimeError(f"{name}() argument '{argument}' should contain one int (got {n})")
        raise RuntimeError(f"{name}: {argument} must {wanted} a single int, or a tuple of {WORDS.split()[dims - 1]} "
                           "ints")
    for d in range(AXES):
        out[d] = usual
    for d in range(dims):
        out[AXES - dims + d] = given[d if n > 1 else 0]
        if out[AXES - dims + d] > MOST or out[AXES - dims + d] < -MOST:
            raise RuntimeError(f"{name}: integer out of range in argument '{argument}'")
    return 1


cdef int _read_steps(Steps* s, int dims, str name, PyObject* kernel, PyObject* stride, PyObject* padding,
                     PyObject* dilation, PyObject* ceil_mode, PyObject* count_include_pad) except -1:
    cdef int d
    _read(kernel, s.kernel, dims, 1, name, "kernel_size", "either be")
    if not _read(stride, s.stride, dims, 1, name, "stride", "either be omitted,"):
        for d in range(AXES):
            s.stride[d] = s.kernel[d]
    _read(padding, s.padding, dims, 0, name, "padding", "either be")
    if dilation != NULL:
        _read(dilation, s.dilation, dims, 1, name, "dilation", "be either")
    for d in range(AXES):
        if dilation == NULL:
            s.dilation[d] = 1
        if s.stride[d] == 0:
            raise RuntimeError("stride should not be zero")
        if s.kernel[d] < 0 or s.stride[d] < 0:
            raise RuntimeError(f"{name}: kernel size and stride should be greater than zero, but got kernel_size="
                               f"{s.kernel[d]} and stride={s.stride[d]}")
        if s.kernel[d] == 0:
            raise RuntimeError("kernel size should be greater than zero, but got kernel_size=0")
        if s.dilation[d] <= 0:
            raise RuntimeError(f"dilation should be greater than zero, but got dilation={s.dilation[d]}")
        if s.padding[d] < 0:
            raise RuntimeError(f"pad must be non-negative, but got pad: {s.padding[d]}")
        if s.padding[d] > ((s.kernel[d] - 1) * s.dilation[d] + 1) // 2:
            raise RuntimeError("pad should be at most half of effective kernel size, but got "
                               f"pad={s.padding[d]}, kernel_size={s.kernel[d]} and dilation={s.dilation[d]}")
    s.ceil_mode = <object>ceil_mode is True
    s.count_include_pad = count_include_pad != NULL and <object>count_include_pad is True
    return 0


cdef Py_ssize_t _positions(Steps* s, int d, Py_ssize_t size) noexcept:
    """Return the number of windows along an axis."""
    cdef Py_ssize_t room = size + 2 * s.padding[d] - s.dilation[d] * (s.kernel[d] - 1) - 1
    cdef Py_ssize_t n
    if s.ceil_mode:
        room += s.stride[d] - 1
    n = (room if room >= 0 else room - s.stride[d] + 1) // s.stride[d] + 1
    if s.ceil_mode and (n - 1) * s.stride[d] >= size + s.padding[d]:
        n -= 1  # the last one would begin in the padding on the right
    return n


cdef object _table(Pool* p, Py_ssize_t* at):
    """Return memory for the windows, which the caller keeps while it uses the pool; use `at` if it is large enough."""
    cdef int d
    memory = None
    if p.count[0] > SMALL or p.count[1] > SMALL or p.count[2] > SMALL or (
            3 * (p.count[0] + p.count[1] + p.count[2]) > SMALL):
        memory = bytearray(3 * sizeof(Py_ssize_t) * (<object>p.count[0] + p.count[1] + p.count[2]))
        at = <Py_ssize_t*><void*>PyByteArray_AS_STRING(memory)
    for d in range(AXES):
        p.begin[d], p.end[d], p.weight[d] = at, at + p.count[d], at + 2 * p.count[d]
        at += 3 * p.count[d]
    return memory


cdef void _measure(Pool* p) noexcept:
    """Compute the amount of work per plane."""
    cdef Py_ssize_t i, total
    cdef int d
    p.work = 1
    for d in range(AXES):
        total = 0
        for i in range(p.count[d]):
            total += (p.end[d][i] - p.begin[d][i] + p.step[d] - 1) // p.step[d]
        p.work *= max(total, p.size[d])


cdef object _fixed_windows(Pool* p, Steps* s, Py_ssize_t* small):
    cdef Py_ssize_t o, begin
    cdef int d
    memory = _table(p, small)
    p.stride, p.origin, p.taps = s.stride[2], -s.padding[2], s.kernel[2]
    for d in range(AXES):
        p.step[d] = s.dilation[d]
        for o in range(p.count[d]):
            begin = o * s.stride[d] - s.padding[d]
            p.end[d][o] = min(begin + (s.kernel[d] - 1) * s.dilation[d] + 1, p.size[d])
            p.weight[d][o] = min(begin + s.kernel[d], p.size[d] + s.padding[d]) - begin
            if begin < 0:
                begin += (-begin + s.dilation[d] - 1) // s.dilation[d] * s.dilation[d]
            p.begin[d][o] = min(begin, p.size[d] - 1)
            if begin >= p.size[d]:
                p.end[d][o] = p.begin[d][o]
            if not s.count_include_pad:
                p.weight[d][o] = p.end[d][o] - p.begin[d][o]
    _measure(p)
    return memory


cdef object _adaptive_windows(Pool* p, Py_ssize_t* small):
    """Set windows that cover an axis evenly: from floor(o · size / count) to ceil((o + 1) · size / count)."""
    cdef Py_ssize_t o, n, m
    cdef int d
    memory = _table(p, small)
    p.taps = 0
    for d in range(AXES):
        n, m = p.size[d], p.count[d]
        p.step[d] = 1
        for o in range(m):
            p.begin[d][o] = n // m * o + n % m * o // m
            p.end[d][o] = n // m * (o + 1) + (n % m * (o + 1) + m - 1) // m
            p.weight[d][o] = p.end[d][o] - p.begin[d][o]
    _measure(p)
    return memory


# --- arguments ------------------------------------------------------------------------------------------------------

cdef class _Name:
    """The properties that an operator's name implies: ``avg_pool2d`` pools over two dimensions."""
    cdef str text
    cdef int dims
    cdef bint maximum

cdef dict _names = {}


cdef _Name _name(PyObject* op):
    cdef _Name name = _names.get(<object>op)
    if name is None:
        name = _Name.__new__(_Name)
        name.text = (<object>op).__name__.removesuffix("_with_indices")
        name.dims = int(name.text[len(name.text) - 2])
        name.maximum = "max" in name.text
        _names[<object>op] = name
    return name


cdef void _set_sizes(Pool* p, int dims, int ndim, const Py_ssize_t* sizes) noexcept:
    """Merge the dimensions of a checked input into planes and three axes."""
    cdef int d
    p.dims, p.divisor, p.misplaced = dims, 0, False
    p.pixel = p.shares = 1
    p.planes = 1
    for d in range(ndim - dims):
        p.planes *= sizes[d]
    for d in range(AXES):
        p.size[d] = p.count[d] = 1
    for d in range(dims):
        p.size[AXES - dims + d] = sizes[ndim - dims + d]


cdef object _check_size(str name, int dims, bint maximum, int ndim, const Py_ssize_t* sizes):
    cdef int d
    cdef bint good = ndim == dims + 1 or ndim == dims + 2
    if dims == 1 and not maximum and not good:
        raise RuntimeError(f"Expected 2 to 3 dimensions, but got {ndim}-dimensional tensor for argument #1 'self' "
                           f"(while checking arguments for {name})")
    if dims == 2 and not maximum and ndim < 3:
        wrap_dim(-3, ndim)
    if dims == 3 and not good:
        raise RuntimeError("non-empty 4D or 5D (batch mode) tensor expected for input")
    for d in range(ndim - dims - 1 if good else 0, ndim):
        if sizes[d] == 0 and dims == 3:
            raise RuntimeError(f"{name}(): Expected input's non-batch dimensions to have positive length, but input "
                               f"has a shape of {shape_text(ndim, sizes)} and non-batch dimension {d - (ndim - 4)} "
                               "has length zero!")
        good = good and sizes[d] != 0
    if not good:
        raise RuntimeError(f"{name + ': ' if dims == 1 else ''}Expected {dims + 1}D or {dims + 2}D (batch mode) tensor "
                           f"with optional 0 dim batch size for input, but got:{shape_text(ndim, sizes)}")


cdef object _check_adaptive(_Name name, int ndim, const Py_ssize_t* sizes):
    cdef int d
    if ndim != name.dims + 1 and ndim != name.dims + 2:
        if name.dims == 1:
            raise RuntimeError(f"Expected 2 to 3 dimensions, but got {ndim}-dimensional tensor for argument #1 'self' "
                               f"(while checking arguments for {name.text})")
        raise RuntimeError(f"{name.text}(): Expected {name.dims + 1}D or {name.dims + 2}D tensor, but "
                           f"got{':' if name.maximum else ''} {shape_text(ndim, sizes)}")
    for d in range(max(ndim - name.dims - (1 if name.maximum else 0), 1), ndim):
        if sizes[d] == 0:
            raise RuntimeError(f"{name.text}(): Expected input to have non-zero size for non-batch dimensions, but "
                               f"input has sizes {shape_text(ndim, sizes)} with dimension {d} being empty")


cdef object _set_output_size(Pool* p, _Name name, object given, int ndim):
    """Read `output_size`: an int, or one for each spatial dimension; None keeps the size of the input."""
    cdef int d, dims = name.dims
    if isinstance(given, (tuple, list)):
        if dims > 1 and ndim <= len(given):
            raise ValueError(f"Input dimension should be at least {len(given) + 1}")
        if len(given) != dims:
            if dims == 1:
                raise RuntimeError(f"{name.text}() argument 'output_size' should contain one int (got {len(given)})")
            raise RuntimeError(f"{name.text}: output_size must be {dims}")
        entries = given
    else:
        entries = (given,) * dims
    for d, entry in enumerate(entries):
        if entry is None and entries is given:
            p.count[AXES - dims + d] = p.size[AXES - dims + d]
        elif not hasattr(entry, "__index__") or isinstance(entry, bool):
            what = f"but found element of type {type(entry).__name__} at pos {d}" if entries is given else \
                f"not {type(given).__name__}"
            raise TypeError(f"{name.text}(): argument 'output_size' (position 2) must be tuple of ints, {what}")
        else:
            p.count[AXES - dims + d] = as_index(entry)
    if not name.maximum:
        for d in range(AXES - dims, AXES):
            if p.count[d] < 0:
                received = ", ".join([str(p.count[k]) for k in range(AXES - dims, AXES)])
                raise RuntimeError(f"{name.text}: elements of output_size must be greater than or equal to 0 but "
                                   f"received {{{received}}}")


cdef object _set_count(Pool* p, Steps* s, str name, Array* x):
    cdef int d, first = AXES - max(p.dims, 2)  # of the axes that the message names
    cdef bint small = False
    if name == "avg_pool3d" and (p.size[0] < s.kernel[0] or p.size[1] < s.kernel[1] or p.size[2] < s.kernel[2]):
        raise RuntimeError(f"input image (T: {p.size[0]} H: {p.size[1]} W: {p.size[2]}) smaller than kernel size (kT: "
                           f"{s.kernel[0]} kH: {s.kernel[1]} kW: {s.kernel[2]})")
    for d in range(AXES):
        p.count[d] = _positions(s, d, p.size[d])
        small = small or p.count[d] < 1
    if small:
        channels = x.sizes[x.ndim - p.dims - 1]
        before = "x".join([str(n) for n in [channels, *[p.size[d] for d in range(first, AXES)]]])
        after = "x".join([str(n) for n in [channels, *[p.count[d] for d in range(first, AXES)]]])
        raise RuntimeError(f"Given input size: ({before}). Calculated output size: ({after}). Output size is too small")


cdef int _computed(int dtype, bint integers, str name) except -1:
    """Return the dtype to compute in."""
    if dtype == D_FLOAT16 or dtype == D_BFLOAT16:
        return D_FLOAT32
    if dtype == D_FLOAT32 or dtype == D_FLOAT64:
        return dtype
    if integers and dtype != D_BOOL and dtype < D_FLOAT16:
        return D_INT64
    raise NotImplementedError(f'"{name}" not implemented for \'{type_string(dtype)}\'')


cdef object _result(Pool* p, int ndim, const Py_ssize_t* sizes, int dtype, Array* out):
    """Create a tensor for the output."""
    cdef Py_ssize_t[MAX_NDIM] shape
    cdef int d
    for d in range(ndim):
        shape[d] = sizes[d] if d < ndim - p.dims else p.count[AXES - ndim + d]
    return empty_in_format(p.pixel > 1, dtype, ndim, shape, out)


cdef object _operand(Pool* p, PyObject* t, int dtype, bint may_be_channels_last, Array* a):
    """Return `t`, dense; channels last is preserved if the kernel supports it."""
    cdef bint channels_last
    array_of(t, a)
    if not may_be_channels_last or a.ndim != p.dims + 2:
        return dense(t, dtype, a)
    source = operand(t, dtype, &channels_last, a)
    if channels_last:
        p.pixel, p.shares = a.sizes[1], (a.sizes[1] + CHANNELS - 1) // CHANNELS
        p.planes = a.sizes[0] * p.shares
    return source


# --- kernels --------------------------------------------------------------------------------------------------------

cdef int _set_divisor(Pool* p, PyObject* slot) except -1:
    if slot != NULL and slot != <PyObject*>None:
        if <object>slot == 0:
            raise RuntimeError("divisor must be not zero")
        p.divisor = <object>slot
    return 0


cdef object _forward(_Name name, PyObject** a, Steps* s, PyObject* divisor):
    """Pool a[0] over the windows of `s`, or, if `s` is NULL, to the output size a[1]."""
    cdef Array x, y, at
    cdef Pool p
    cdef Py_ssize_t[SMALL] small
    cdef int dtype, original
    array_of(a[0], &x)
    original = x.dtype
    if s != NULL:
        _check_size(name.text, name.dims, name.maximum, x.ndim, x.sizes)
        _set_sizes(&p, name.dims, x.ndim, x.sizes)
        _set_divisor(&p, divisor)
        _set_count(&p, s, name.text, &x)
    else:
        _set_sizes(&p, min(name.dims, x.ndim), x.ndim, x.sizes)
        _set_output_size(&p, name, <object>a[1], x.ndim)
        _check_adaptive(name, x.ndim, x.sizes)
    dtype = _computed(original, s != NULL and (name.maximum or original == D_INT64), name.text)
    # whether it preserves channels_last
    stays = x.ndim == name.dims + 2 and (name.dims == 2 or (name.maximum and s != NULL))
    _source = _operand(&p, a[0], dtype, stays, &x)
    result = _result(&p, x.ndim, x.sizes, dtype, &y)
    if name.maximum:
        indices = _result(&p, x.ndim, x.sizes, D_INT64, &at)
        p.indices = <int64_t*>at.data
    _memory = _fixed_windows(&p, s, small) if s != NULL else _adaptive_windows(&p, small)
    p.x, p.y = x.data, y.data
    _run(&p, MAXIMUM if name.maximum else AVERAGE, dtype)
    result = converted(result, original)
    if stays and p.pixel == 1:
        result, indices = in_format_of(result, a[0]), in_format_of(indices, a[0]) if name.maximum else None
    return (result, indices) if name.maximum else result


cdef object _avg_pool(PyObject* op, PyObject** a):
    """(self, kernel_size, stride, padding, ceil_mode, count_include_pad, [divisor_override])"""
    cdef _Name name = _name(op)
    cdef Steps s
    _read_steps(&s, name.dims, name.text, a[1], a[2], a[3], NULL, a[4], a[5])
    return _forward(name, a, &s, a[6] if name.dims > 1 else NULL)


cdef object _max_pool(PyObject* op, PyObject** a):
    """(self, kernel_size, stride, padding, dilation, ceil_mode, return_indices)"""
    cdef _Name name = _name(op)
    cdef Steps s
    _read_steps(&s, name.dims, name.text, a[1], a[2], a[3], a[4], a[5], NULL)
    return _forward(name, a, &s, NULL)


cdef object _adaptive_pool(PyObject* op, PyObject** a):
    """(self, output_size, [return_indices])"""
    return _forward(_name(op), a, NULL, NULL)


cdef object _backward(str name, Pool* p, Steps* s, PyObject* slot, int dims, PyObject* size, PyObject* divisor,
                      PyObject* indices):
    """Compute the gradient, of size `size`, of averages over the windows of `s`, or of the elements at `indices`.

    If `s` is NULL, the windows are adaptive.
    """
    cdef Py_ssize_t[MAX_NDIM] sizes
    cdef int ndim = read_ints(size, sizes, MAX_NDIM, name, "input_size"), dtype, original, d
    cdef Array g, at, out
    cdef Py_ssize_t[SMALL] small
    cdef bint good = dims >= 1 and dims <= AXES and (ndim == dims + 1 or ndim == dims + 2)
    array_of(slot, &g)
    original = g.dtype
    good = good and g.ndim == ndim
    for d in range(ndim):
        good = good and sizes[d] >= (1 if d >= ndim - dims else 0)
        good = good and (d >= ndim - dims or g.sizes[d] == sizes[d])
    if good:
        _set_sizes(p, dims, ndim, sizes)
        _set_divisor(p, divisor)
        for d in range(dims):
            p.count[AXES - dims + d] = g.sizes[ndim - dims + d]
            if s != NULL:
                good = good and p.count[AXES - dims + d] == _positions(s, AXES - dims + d, p.size[AXES - dims + d])
    if indices != NULL:
        array_of(indices, &at)
        good = good and at.ndim == ndim and at.dtype == D_INT64
        for d in range(ndim if good else 0):
            good = good and at.sizes[d] == g.sizes[d]
    if not good:
        raise RuntimeError(f"{name}: grad_output of size {shape_text(g.ndim, g.sizes)} does not belong to an input of "
                           f"size {shape_text(ndim, sizes)}")
    for d in range(ndim - dims, ndim):
        if g.sizes[d] == 0:
            name = f"adaptive_{'avg' if indices == NULL else 'max'}_pool{max(dims, 2)}d_backward"
            raise RuntimeError(f"{name}(): Expected grad_output to have non-zero size for non-batch dimensions, but "
                               f"grad_output has sizes {shape_text(g.ndim, g.sizes)} with dimension {d} being empty")
    dtype = _computed(original, False, name)
    _source = _operand(p, slot, dtype, dims == 2 or indices != NULL and dims == 3, &g)
    if p.pixel > 1 and indices != NULL:
        _index = as_channels_last(indices, D_INT64, &at)
    elif indices != NULL:
        _index = dense(indices, D_INT64, &at)
    result = empty_in_format(p.pixel > 1, dtype, ndim, sizes, &out)
    p.x, p.y = g.data, out.data
    if indices != NULL:
        p.indices = <int64_t*>at.data
        p.work = p.size[0] * p.size[1] * p.size[2] + p.count[0] * p.count[1] * p.count[2]
        _run(p, SCATTER, dtype)
        if p.misplaced:
            raise RuntimeError(f"{name}: found an index outside its plane of "
                               f"{p.size[0] * p.size[1] * p.size[2]} elements")
    else:
        _memory = _fixed_windows(p, s, small) if s != NULL else _adaptive_windows(p, small)
        _run(p, SPREAD, dtype)
    return converted(result, original)


cdef object _avg_pool_backward(PyObject* op, PyObject** a):
    """(grad_output, input_size, dims, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)"""
    cdef Pool p
    cdef Steps s
    cdef int dims = <object>a[2]
    if not 1 <= dims <= AXES:
        raise RuntimeError(f"avg_pool_backward: dims must be 1, 2 or 3, but got {dims}")
    _read_steps(&s, dims, "avg_pool_backward", a[3], a[4], a[5], NULL, a[6], a[7])
    return _backward("avg_pool_backward", &p, &s, a[0], dims, a[1], a[8], NULL)


cdef object _adaptive_avg_pool_backward(PyObject* op, PyObject** a):
    """(grad_output, input_size, dims)"""
    cdef Pool p
    return _backward("adaptive_avg_pool_backward", &p, NULL, a[0], <object>a[2], a[1], NULL, NULL)


cdef object _max_pool_backward(PyObject* op, PyObject** a):
    """(grad_output, indices, input_size, dims)"""
    cdef Pool p
    return _backward("max_pool_backward", &p, NULL, a[0], <object>a[3], a[2], NULL, a[1])


avg_pool = new_kernel(_avg_pool)
max_pool = new_kernel(_max_pool)
adaptive_pool = new_kernel(_adaptive_pool)
avg_pool_backward = new_kernel(_avg_pool_backward)
adaptive_avg_pool_backward = new_kernel(_adaptive_avg_pool_backward)
max_pool_backward = new_kernel(_max_pool_backward)
