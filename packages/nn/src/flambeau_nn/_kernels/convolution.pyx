# cython: language_level=3
"""Convolution in up to three dimensions, and its gradients.

There are three basic operations: values from an image, an image from values, weights from both. Transposed convolution
is the second, and the gradients of each are the other two. In single precision with two axes, 3 × 3 kernels with many
channels use tiles (winograd.pyx); other kernels with enough channels use products that read windows in place
(implicit_gemm.pyx), which also handle depthwise kernels on small planes with vectors of channels; few channels, wide
depthwise planes and three axes use sums over rows of positions (direct_convolution.pyx).

All other cases gather a block of positions into columns that fit into the cache and multiply it by the weights. Kernels
of one element need no columns, and small problems use loops that sum over windows directly. For channels-last operands,
kernels of one element and depthwise ones keep the format (channels_last.pyx), as tiles and products do. float16 and
bfloat16 are computed in float32, integers in int64.
"""
from cpython.object cimport PyObject
from libc.stdlib cimport free, malloc

from flambeau_nn._kernels cimport channels_last
from flambeau_nn._kernels.compute_dtype cimport check_reach
from flambeau_nn._kernels.convolution_types cimport AXES, IMAGE, VALUES, WEIGHTS, Geometry, Piece, convolved_t, measure
from flambeau_nn._kernels.implicit_gemm cimport in_products
from flambeau_nn._kernels.direct_convolution cimport in_windows
from flambeau_nn._kernels.winograd cimport in_tiles
from flambeau_tensor.abi cimport TENSOR_ABI, new_kernel, type_string
from flambeau_tensor.compute cimport (
    COMPUTE_ABI, D_BFLOAT16, D_BOOL, D_COMPLEX32, D_COMPLEX64, D_COMPLEX128, D_FLOAT16, D_FLOAT32, D_FLOAT64, D_INT64,
    Array, Product, array_of, converted, dense, fresh, hold_blas, in_format_of, itemsize, multiply_here, num_threads,
    parallel_for, read_ints, release_blas, shape_text,
)
from flambeau_tensor.grain cimport GIL_FREE

from flambeau_tensor.abi import require
from flambeau_tensor.compute import require as require_compute
from flambeau_tensor.extend import hot

require(TENSOR_ABI, "flambeau-nn")
require_compute(COMPUTE_ABI, "flambeau-nn")

cdef enum:
    MAX_NDIM = 64
    CACHE = 262144  # bytes of columns
    NARROW = 128  # minimum number of positions in a block
    DIRECT = 1500  # number of multiplications up to which a product does not pay its preparation

cdef struct Loops:
    convolved_t gather, scatter, values, image, weights, fill, add, accumulate, totals

cdef struct Job:
    Geometry g
    Loops* loops
    int dtype
    int kind
    Py_ssize_t item, batch, groups
    char* image
    char* values
    char* weight
    char* bias
    Py_ssize_t block, blocks, parts  # positions in a block; number of blocks; shares of the features, channels or rows
    bint direct, plain  # direct loops over windows; no columns needed
    bint failed

cdef Loops[5] _loops
_DTYPES = ("float32", "float64", "int64", "complex64", "complex128")


def _load():
    cdef Loops* loops
    table = hot("convolution", "flambeau_nn._kernels").LOOPS
    for i, name in enumerate(_DTYPES):
        loops = &_loops[<int>i]
        loops.gather = <convolved_t><size_t>table["gather"][name]
        loops.scatter = <convolved_t><size_t>table["scatter"][name]
        loops.values = <convolved_t><size_t>table["values"][name]
        loops.image = <convolved_t><size_t>table["image"][name]
        loops.weights = <convolved_t><size_t>table["weights"][name]
        loops.fill = <convolved_t><size_t>table["fill"][name]
        loops.add = <convolved_t><size_t>table["add"][name]
        loops.accumulate = <convolved_t><size_t>table["accumulate"][name]
        loops.totals = <convolved_t><size_t>table["totals"][name]


_load()


cdef Loops* _loops_of(int dtype) noexcept:
    return &_loops[0 if dtype == D_FLOAT32 else 1 if dtype == D_FLOAT64 else 2 if dtype == D_INT64 else
                   3 if dtype == D_COMPLEX64 else 4]


# --- the work -------------------------------------------------------------------------------------------------------

cdef inline void _product(const Job* job, Py_ssize_t m, Py_ssize_t n, Py_ssize_t k, const char* a, Py_ssize_t a_row,
                          Py_ssize_t a_col, const char* b, Py_ssize_t b_row, Py_ssize_t b_col, char* c,
                          Py_ssize_t c_row) noexcept nogil:
    cdef Product p
    p.dtype, p.add, p.m, p.n, p.k = job.dtype, False, m, n, k
    p.a, p.b, p.c = a, b, c
    p.a_row, p.a_col, p.b_row, p.b_col, p.c_row = a_row, a_col, b_row, b_col, c_row
    p.count, p.a_step, p.b_step, p.c_step = 1, 0, 0, 0
    multiply_here(&p)


cdef inline void _fill(const Job* job, char* at, Py_ssize_t width, char* bias, Py_ssize_t first,
                       Py_ssize_t last) noexcept nogil:
    cdef Piece p
    p.values, p.width, p.weight = at, width, bias
    p.begin, p.end, p.first, p.last = 0, width, first, last
    job.loops.fill(&job.g, &p)


cdef void _make_values(Job* job, Py_ssize_t sample, Py_ssize_t group, Py_ssize_t block, Py_ssize_t part,
                       char* columns) noexcept nogil:
    """Compute the features of a share for the positions of a block."""
    cdef Geometry* g = &job.g
    cdef Py_ssize_t at = sample * job.groups + group, item = job.item
    cdef Py_ssize_t first = g.features * part // job.parts, last = g.features * (part + 1) // job.parts
    cdef char* values = job.values + at * g.features * g.positions * item
    cdef char* weight = job.weight + (group * g.features + first) * g.rows * item
    cdef char* bias = NULL if job.bias == NULL else job.bias + group * g.features * item
    cdef const char* b
    cdef Py_ssize_t ld
    cdef Piece p
    p.image = job.image + at * g.channels * g.plane * item
    p.begin, p.end = block * job.block, min((block + 1) * job.block, g.positions)
    if job.direct:
        _fill(job, values, g.positions, bias, first, last)
        p.values, p.weight, p.first, p.last = values, job.weight + group * g.features * g.rows * item, first, last
        job.loops.values(g, &p)
        return
    if job.plain:
        b, ld = p.image + p.begin * item, g.plane
    else:
        p.columns, p.width, p.first, p.last = columns, p.end - p.begin, 0, g.rows
        job.loops.gather(g, &p)
        b, ld = columns, p.width
    _product(job, last - first, p.end - p.begin, g.rows, weight, g.rows, 1, b, ld, 1,
             values + (first * g.positions + p.begin) * item, g.positions)
    if bias != NULL:
        p.values, p.weight, p.width, p.first, p.last = values, bias, g.positions, first, last
        job.loops.add(g, &p)


cdef void _make_image(Job* job, Py_ssize_t sample, Py_ssize_t group, Py_ssize_t part, char* columns) noexcept nogil:
    """Compute the channels of a share from all positions."""
    cdef Geometry* g = &job.g
    cdef Py_ssize_t at = sample * job.groups + group, item = job.item, block, n, rows
    cdef Py_ssize_t first = g.channels * part // job.parts, last = g.channels * (part + 1) // job.parts
    cdef char* values = job.values + at * g.features * g.positions * item
    cdef char* weight = job.weight + group * g.features * g.rows * item
    cdef char* bias = NULL if job.bias == NULL else job.bias + group * g.channels * item
    cdef Piece p
    p.image, p.values, p.weight = job.image + at * g.channels * g.plane * item, values, weight
    if job.direct or not job.plain:
        _fill(job, p.image, g.plane, bias, first, last)
    if job.direct:
        p.first, p.last = first, last
        job.loops.image(g, &p)
        return
    p.columns, p.first, p.last = columns, first * g.taps, last * g.taps
    rows = p.last - p.first
    for block in range(job.blocks):
        p.begin, p.end = block * job.block, min((block + 1) * job.block, g.positions)
        n = p.width = p.end - p.begin
        if job.plain:
            _product(job, rows, n, g.features, weight + p.first * item, 1, g.rows, values + p.begin * item,
                     g.positions, 1, p.image + (first * g.plane + p.begin) * item, g.plane)
        else:
            _product(job, rows, n, g.features, weight + p.first * item, 1, g.rows, values + p.begin * item,
                     g.positions, 1, columns, n)
            job.loops.scatter(g, &p)
    if job.plain and bias != NULL:
        p.values, p.weight, p.width = p.image, bias, g.plane
        p.begin, p.end, p.first, p.last = 0, g.plane, first, last
        job.loops.add(g, &p)


cdef void _make_weights(Job* job, Py_ssize_t group, Py_ssize_t part, char* columns, char* sums) noexcept nogil:
    """Compute the rows of a share (features, if it is direct) from all samples and positions."""
    cdef Geometry* g = &job.g
    cdef Py_ssize_t item = job.item, _sample, block, n, rows, ld
    cdef char* weight = job.weight + group * g.features * g.rows * item
    cdef const char* b
    cdef bint begun = False
    cdef Piece p
    p.image, p.values = job.image + group * g.channels * g.plane * item, job.values + \
        group * g.features * g.positions * item
    p.weight, p.samples = weight, job.batch
    p.image_step, p.values_step = job.groups * g.channels * g.plane, job.groups * g.features * g.positions
    if job.direct:
        p.first, p.last = g.features * part // job.parts, g.features * (part + 1) // job.parts
        job.loops.weights(g, &p)
        return
    p.columns, p.first, p.last = columns, g.rows * part // job.parts, g.rows * (part + 1) // job.parts
    rows = p.last - p.first
    for _sample in range(job.batch):
        for block in range(job.blocks):
            p.begin, p.end = block * job.block, min((block + 1) * job.block, g.positions)
            n = p.end - p.begin
            if job.plain:
                b, ld = p.image + (p.first * g.plane + p.begin) * item, g.plane
            else:
                p.columns, p.width = columns, n
                job.loops.gather(g, &p)
                b, ld = columns, n
            if not begun:
                _product(job, g.features, rows, n, p.values + p.begin * item, g.positions, 1, b, 1, ld,
                         weight + p.first * item, g.rows)
            else:
                _product(job, g.features, rows, n, p.values + p.begin * item, g.positions, 1, b, 1, ld, sums, rows)
                p.columns = sums
                job.loops.accumulate(g, &p)
            begun = True
        p.image += p.image_step * item
        p.values += p.values_step * item


cdef void _work(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    cdef Job* job = <Job*>context
    cdef Geometry* g = &job.g
    cdef Py_ssize_t t, rest, part, share
    cdef char* columns = NULL
    cdef char* sums = NULL
    if not job.direct:
        share = 0 if job.plain else g.rows if job.kind == VALUES else g.rows // job.parts + g.taps
        columns = <char*>malloc(max(share * job.block, <Py_ssize_t>1) * job.item)
        if job.kind == WEIGHTS:
            sums = <char*>malloc(max((g.rows // job.parts + 1) * g.features, <Py_ssize_t>1) * job.item)
        if columns == NULL or (job.kind == WEIGHTS and sums == NULL):
            job.failed = True
            free(columns)
            free(sums)
            return
    for t in range(begin, end):
        part, rest = t % job.parts, t // job.parts
        if job.kind == VALUES:
            _make_values(job, rest // job.blocks // job.groups, rest // job.blocks % job.groups, rest % job.blocks,
                         part, columns)
        elif job.kind == IMAGE:
            _make_image(job, rest // job.groups, rest % job.groups, part, columns)
        else:
            _make_weights(job, rest, part, columns, sums)
    free(columns)
    free(sums)


cdef int _run(Job* job, int kind) except -1:
    """Compute image, values or weights, as `kind` says; memory for all three is allocated."""
    cdef Geometry* g = &job.g
    cdef Py_ssize_t tasks, threads, room, most, work
    cdef int d
    cdef bint large, held, small
    job.kind, job.item, job.loops, job.failed = kind, itemsize(job.dtype), _loops_of(job.dtype), False
    measure(g)
    job.plain = True
    for d in range(AXES):
        job.plain = job.plain and g.kernel[d] == g.stride[d] == 1 and g.size[d] == g.count[d]
    work = job.batch * job.groups * g.features * g.rows * g.positions
    if work == 0 and kind != VALUES and kind != IMAGE:
        _fill(job, job.weight, g.rows, NULL, 0, job.groups * g.features)
        return 0
    large = work >= GIL_FREE
    if job.dtype == D_FLOAT32 and work > DIRECT and (g.channels == 1 or not job.plain) and (
            large and in_tiles(g, kind, job.batch, job.groups, job.image, job.values, job.weight, job.bias) or
            large and in_products(g, kind, job.batch, job.groups, job.image, job.values, job.weight, job.bias) or
            in_windows(g, kind, job.batch, job.groups, job.image, job.values, job.weight, job.bias)):
        return 0
    small = job.plain and kind != WEIGHTS and job.dtype == D_FLOAT32 and g.positions % 8 == 0  # a loop of our own
    job.direct = (work <= DIRECT and not (small and g.channels > 1)) or \
        (g.channels == 1 and not (job.plain and g.features > 1))
    room = 1024 if job.plain else max(CACHE // (max(g.rows, <Py_ssize_t>1) * job.item), <Py_ssize_t>NARROW)
    job.block = g.positions if job.direct or job.plain and kind != VALUES else min(g.positions, room)
    job.block = max(job.block, <Py_ssize_t>1)
    job.blocks = 1 if job.direct else (g.positions + job.block - 1) // job.block
    threads = num_threads() if large else 1
    if kind == VALUES:
        tasks, most = job.batch * job.groups * job.blocks, g.features
    elif kind == IMAGE:
        tasks, most = job.batch * job.groups, g.channels
    else:
        tasks, most = job.groups, g.features if job.direct else g.rows
    job.parts = 1
    if threads > 1 and 0 < tasks < 2 * threads:
        job.parts = max(min((2 * threads + tasks - 1) // tasks, most), <Py_ssize_t>1)
    tasks *= job.parts
    held = not job.direct and work > 2 * DIRECT
    if held:
        hold_blas()
    if work < GIL_FREE:
        _work(job, 0, tasks)
    else:
        with nogil:
            parallel_for(tasks, 1, _work, job)
    if held:
        release_blas()
    if job.failed:
        raise MemoryError()
    return 0


# --- arguments ------------------------------------------------------------------------------------------------------

cdef struct Call:
    int dims
    bint transposed
    Py_ssize_t groups
    Py_ssize_t[AXES] output_padding
    Py_ssize_t[MAX_NDIM] result  # sizes of the forward result

cdef dict _CPP = {"Float": "float", "Double": "double", "Half": "c10::Half", "BFloat16": "c10::BFloat16", "Int": "int",
                  "Long": "long int", "Short": "short int", "Byte": "unsigned char", "Char": "signed char",
                  "Bool": "bool", "ComplexFloat": "c10::complex<float>", "ComplexDouble": "c10::complex<double>"}


cdef int _read(PyObject* slot, Py_ssize_t* out, int dims, Py_ssize_t usual, str name) except -1:
    """Read one integer per dimension into the last axes."""
    cdef Py_ssize_t[MAX_NDIM] given
    cdef int n = read_ints(slot, given, MAX_NDIM, "convolution", name), d
    if n != 1 and n != dims:
        raise RuntimeError(f"expected {name} to be a single integer value or a list of {dims} values to match the "
                           f"convolution dimensions, but got {name}={shape_text(n, given)}")
    for d in range(AXES):
        out[d] = usual
    for d in range(dims):
        out[AXES - dims + d] = given[d if n > 1 else 0]
    return 0


cdef str _by_axes(const Py_ssize_t* numbers, int dims):
    return " x ".join([str(numbers[AXES - dims + d]) for d in range(dims)])


cdef int _read_call(Job* job, Call* c, const Array* x, const Array* w, PyObject** a) except -1:
    """Read (stride, padding, dilation, transposed, output_padding, groups) at `a`, and check them."""
    cdef Geometry* g = &job.g
    cdef int d, dims = w.ndim - 2
    if dims < 1:
        raise RuntimeError("weight should have at least three dimensions")
    if dims > AXES:
        raise RuntimeError("unsupported ConvNd parameters")
    c.dims, c.transposed, c.groups = dims, <object>a[3] is True, <object>a[5]
    if c.groups <= 0:
        raise RuntimeError("non-positive groups is not supported")
    _read(a[0], g.stride, dims, 1, "stride")
    _read(a[1], g.padding, dims, 0, "padding")
    _read(a[2], g.dilation, dims, 1, "dilation")
    _read(a[4], c.output_padding, dims, 0, "output_padding")
    for d in range(AXES):
        if g.padding[d] < 0:
            raise RuntimeError("negative padding is not supported")
        if c.output_padding[d] < 0:
            raise RuntimeError("negative output_padding is not supported")
        if g.stride[d] <= 0:
            raise RuntimeError("non-positive stride is not supported")
        if g.dilation[d] <= 0:
            raise RuntimeError("non-positive dilation is not supported")
    if x.ndim != w.ndim:
        raise RuntimeError(f"Expected {w.ndim}-dimensional input for {w.ndim}-dimensional weight "
                           f"{shape_text(w.ndim, w.sizes)}, but got {x.ndim}-dimensional input of size "
                           f"{shape_text(x.ndim, x.sizes)} instead")
    if w.sizes[0] < c.groups:
        raise RuntimeError(f"Given groups={c.groups}, expected weight to be at least {c.groups} at dimension 0, but "
                           f"got weight of size {shape_text(w.ndim, w.sizes)} instead")
    if w.sizes[0] % c.groups:
        raise RuntimeError(f"Given groups={c.groups}, expected weight to be divisible by {c.groups} at dimension 0, "
                           f"but got weight of size [{shape_text(w.ndim, w.sizes)}] instead")
    expected = w.sizes[0] if c.transposed else w.sizes[1] * c.groups
    if x.sizes[1] != expected:
        raise RuntimeError(f"Given {'transposed=1' if c.transposed else f'groups={c.groups}'}, weight of size "
                           f"{shape_text(w.ndim, w.sizes)}, expected input{shape_text(x.ndim, x.sizes)} to have "
                           f"{expected} channels, but got {x.sizes[1]} channels instead")
    for d in range(AXES):
        g.size[d] = g.count[d] = g.kernel[d] = 1
    for d in range(dims):
        g.kernel[AXES - dims + d] = w.sizes[2 + d]
        if w.sizes[2 + d] <= 0:
            raise RuntimeError(f"kernel size should be greater than zero, but got weight of size "
                               f"{shape_text(w.ndim, w.sizes)}")
        if c.transposed:
            g.count[AXES - dims + d] = x.sizes[2 + d]
        else:
            g.size[AXES - dims + d] = x.sizes[2 + d]
    job.batch, job.groups = x.sizes[0], c.groups
    g.features, g.channels = w.sizes[0] // c.groups, w.sizes[1]
    return 0


cdef int _set_result(Job* job, Call* c, const Array* x, const Array* w) except -1:
    """Compute the sizes of the result, which must not be empty."""
    cdef Geometry* g = &job.g
    cdef int d, dims = c.dims
    cdef Py_ssize_t reach
    cdef bint fits = True, empty = False
    cdef Py_ssize_t[AXES] padded
    for d in range(AXES):
        check_reach(<double>g.dilation[d] * g.kernel[d])
        if c.transposed:
            check_reach(<double>g.count[d] * g.stride[d] + 2.0 * g.padding[d] + c.output_padding[d])
        reach = g.dilation[d] * (g.kernel[d] - 1) + 1
        if c.transposed:
            g.size[d] = (g.count[d] - 1) * g.stride[d] - 2 * g.padding[d] + reach + c.output_padding[d]
            fits = fits and g.size[d] >= 1
            if c.output_padding[d] >= g.stride[d] and c.output_padding[d] >= g.dilation[d]:
                raise RuntimeError("output padding must be smaller than either stride or dilation, but got " + " ".join(
                    [_named("output_padding", c.output_padding, dims), _named("stride", g.stride, dims),
                     _named("dilation", g.dilation, dims)]))
        else:
            if g.padding[d] > (<Py_ssize_t>0x7fffffffffffffff - g.size[d]) // 2:
                raise RuntimeError(f"Given padding={g.padding[d]} at dimension {d - AXES + dims} , expected padding to "
                                   f"be at most {(<Py_ssize_t>0x7fffffffffffffff - g.size[d]) // 2}")
            padded[d] = g.size[d] + 2 * g.padding[d]
            fits = fits and padded[d] >= reach
            g.count[d] = (padded[d] - reach) // g.stride[d] + 1
    for d in range(2, x.ndim):
        empty = empty or x.sizes[d] == 0
    if not fits and not c.transposed:
        raise RuntimeError(f"Calculated padded input size per channel: ({_by_axes(padded, dims)}). Kernel size: "
                           f"({_by_reach(g, dims)}). Kernel size can't be greater than actual input size")
    if empty and x.sizes[0] != 0 and x.sizes[1] != 0:
        raise RuntimeError("Only zero batch or zero channel inputs are supported, but got input shape: "
                           f"{shape_text(x.ndim, x.sizes)}")
    if not fits:
        raise RuntimeError(f"Given input size per channel: ({_by_axes(g.count, dims)}). Calculated output size per "
                           f"channel: ({_by_axes(g.size, dims)}). Output size is too small")
    c.result[0] = x.sizes[0]
    c.result[1] = g.channels * c.groups if c.transposed else w.sizes[0]
    for d in range(dims):
        c.result[2 + d] = g.size[AXES - dims + d] if c.transposed else g.count[AXES - dims + d]
    return 0


cdef str _named(str word, const Py_ssize_t* numbers, int dims):
    return " ".join([f"{word}_{('depth', 'height', 'width')[d]}: {numbers[d]}"
                     for d in range(AXES - max(dims, 2), AXES)])


cdef str _by_reach(const Geometry* g, int dims):
    cdef Py_ssize_t[AXES] reach
    cdef int d
    for d in range(AXES):
        reach[d] = g.dilation[d] * (g.kernel[d] - 1) + 1
    return _by_axes(reach, dims)


cdef int _computed(const Call* c, const Geometry* g, int dtype) except -1:
    """Return the dtype to compute in."""
    cdef bint dilated = g.dilation[0] > 1 or g.dilation[1] > 1 or g.dilation[2] > 1
    if dtype == D_FLOAT16 or dtype == D_BFLOAT16:
        return D_FLOAT32
    if dtype >= D_FLOAT32 or dtype == D_INT64:
        return D_COMPLEX64 if dtype == D_COMPLEX32 else dtype
    if c.transposed:
        name = "slow_conv_transpose3d_out_cpu" if c.dims == 3 else "slow_conv_transpose2d_out_cpu"
    elif dilated:
        name = "slow_conv_dilated<>"
    elif dtype == D_BOOL or dtype > D_INT64:
        name = "compute_columns3d" if c.dims == 3 else "slow_conv2d_cpu"
    else:
        return D_INT64
    raise NotImplementedError(f'"{name}" not implemented for \'{type_string(dtype)}\'')


cdef int _check_dtypes(const Array* x, const Array* w, PyObject* bias) except -1:
    cdef Array b
    if bias != NULL and bias != <PyObject*>None:
        array_of(bias, &b)
        if b.dtype != x.dtype:
            raise RuntimeError(f"Input type ({_CPP[type_string(x.dtype)]}) and bias type "
                               f"({_CPP[type_string(b.dtype)]}) should be the same")
    if w.dtype != x.dtype:
        if x.dtype == D_FLOAT32 or x.dtype == D_FLOAT16 or x.dtype == D_BFLOAT16:
            raise RuntimeError(f"Input type (torch.{type_string(x.dtype)}Tensor) and weight type (torch."
                               f"{type_string(w.dtype)}Tensor) should be the same or input should be a MKLDNN tensor "
                               "and weight is a dense tensor")
        raise RuntimeError(f"expected scalar type {type_string(x.dtype)} but found {type_string(w.dtype)}")
    return 0


cdef object _laid_out(object result, int dtype, int original, const Call* c, PyObject* input, PyObject* weight):
    """Return `result` in the right dtype and memory format: channels last if input or weight has this format."""
    result = converted(result, original)
    if c.dims == 1 or (c.dims == 3 and (dtype == D_FLOAT64 or dtype == D_COMPLEX128)):
        return result
    formatted = in_format_of(result, input)
    return in_format_of(result, weight) if formatted is result else formatted


cdef bint _is_channels_last(const Job* job, const Call* c, int original, PyObject* input) noexcept:
    """Whether to run the whole convolution in channels-last format."""
    return not c.transposed and original == job.dtype and (c.dims == 2 or (c.dims == 3 and original == D_FLOAT32)) and \
        channels_last.suits(&job.g, c.groups, job.dtype, input)


# --- kernels --------------------------------------------------------------------------------------------------------

cdef object _convolution(PyObject* op, PyObject** a):
    """(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups)"""
    cdef Array x, w, b, y
    cdef Job job
    cdef Call c
    cdef int original
    array_of(a[0], &x)
    array_of(a[1], &w)
    original = x.dtype
    _read_call(&job, &c, &x, &w, &a[3])
    if a[2] != <PyObject*>None:
        array_of(a[2], &b)
        wanted = w.sizes[1] * c.groups if c.transposed else w.sizes[0]
        if b.ndim != 1 or b.sizes[0] != wanted:
            raise RuntimeError(f"Given {'transposed=1, ' if c.transposed else ''}weight of size "
                               f"{shape_text(w.ndim, w.sizes)}, expected bias to be 1-dimensional with {wanted} "
                               f"elements, but got bias of size {shape_text(b.ndim, b.sizes)} instead")
    _set_result(&job, &c, &x, &w)
    _check_dtypes(&x, &w, a[2])
    job.dtype = _computed(&c, &job.g, original)
    _weight, job.bias = dense(a[1], job.dtype, &w), NULL
    job.weight = w.data
    if a[2] != <PyObject*>None:
        _bias = dense(a[2], job.dtype, &b)
        job.bias = b.data
    if _is_channels_last(&job, &c, original, a[0]):
        return channels_last.values_of(&job.g, job.batch, c.groups, &x, c.result, w.data, job.bias)
    result = fresh(job.dtype, x.ndim, c.result, &y)
    _input = dense(a[0], job.dtype, &x)
    job.image, job.values = (y.data, x.data) if c.transposed else (x.data, y.data)
    _run(&job, IMAGE if c.transposed else VALUES)
    return _laid_out(result, job.dtype, original, &c, a[0], a[1])


cdef object _bias_gradient(Job* job, const Array* grad, int original):
    """Sum a gradient (batch, channels, ...) over all dimensions except the channels."""
    cdef Array out
    cdef Piece p
    cdef Py_ssize_t n = grad.sizes[1]
    result = fresh(job.dtype, 1, &n, &out)
    p.width = grad.numel // (grad.sizes[0] * n) if grad.numel else 0
    p.samples, p.values, p.values_step, p.weight = grad.sizes[0], grad.data, n * p.width, out.data
    p.first, p.last = 0, n
    _loops_of(job.dtype).totals(&job.g, &p)
    return converted(result, original)


cdef object _convolution_backward(PyObject* op, PyObject** a):
    """(grad_output, input, weight, bias_sizes, stride, padding, dilation, transposed, output_padding, groups,
    output_mask)"""
    cdef Array g, x, w, out
    cdef Job job
    cdef Call c
    cdef int original, d
    cdef bint fits
    wanted = <object>a[10]
    if len(wanted) != 3:
        raise RuntimeError("convolution_backward: output_mask should have three elements")
    array_of(a[0], &g)
    array_of(a[1], &x)
    array_of(a[2], &w)
    original = x.dtype
    _read_call(&job, &c, &x, &w, &a[4])
    _set_result(&job, &c, &x, &w)
    fits = g.ndim == x.ndim
    for d in range(g.ndim if fits else 0):
        fits = fits and g.sizes[d] == c.result[d]
    if not fits:
        raise RuntimeError(f"convolution_backward: expected a gradient of size {shape_text(x.ndim, c.result)}, got "
                           f"{shape_text(g.ndim, g.sizes)}")
    _check_dtypes(&x, &w, a[0])
    job.dtype = _computed(&c, &job.g, original)
    job.bias = NULL
    of_input = of_weight = of_bias = None
    if g.numel and _is_channels_last(&job, &c, original, a[1]):
        return channels_last.gradients_of(&job.g, job.batch, c.groups, a[0], a[1], a[2], wanted)
    _grad = dense(a[0], job.dtype, &g)
    if wanted[2]:
        of_bias = _bias_gradient(&job, &g, original)
    if wanted[0]:
        of_input = fresh(job.dtype, x.ndim, x.sizes, &out)
        _weight = dense(a[2], job.dtype, &w)
        job.weight = w.data
        job.image, job.values = (g.data, out.data) if c.transposed else (out.data, g.data)
        _run(&job, VALUES if c.transposed else IMAGE)
        of_input = _laid_out(of_input, job.dtype, original, &c, a[1], a[2])
    if wanted[1]:
        of_weight = fresh(job.dtype, w.ndim, w.sizes, &out)
        _input = dense(a[1], job.dtype, &x)
        job.weight = out.data
        job.image, job.values = (g.data, x.data) if c.transposed else (x.data, g.data)
        _run(&job, WEIGHTS)
        of_weight = _laid_out(of_weight, job.dtype, original, &c, a[1], a[2])
    return of_input, of_weight, of_bias


convolution = new_kernel(_convolution)
convolution_backward = new_kernel(_convolution_backward)
