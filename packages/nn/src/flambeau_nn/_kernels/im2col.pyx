# cython: language_level=3
"""Windows of images as columns (im2col), and columns added up into images (col2im)."""
from cpython.object cimport PyObject
from libc.string cimport memset

from flambeau_nn._kernels.compute_dtype cimport check_reach
from flambeau_nn._kernels.convolution_types cimport AXES, Geometry, Piece, convolved_t, measure
from flambeau_tensor.abi cimport TENSOR_ABI, new_kernel, type_string
from flambeau_tensor.compute cimport (
    COMPUTE_ABI, D_BFLOAT16, D_BOOL, D_COMPLEX32, D_COMPLEX64, D_COMPLEX128, D_FLOAT16, D_FLOAT32, D_FLOAT64, Array,
    array_of, converted, dense, fresh, itemsize, parallel_for, read_ints, shape_text, wrap_dim,
)
from flambeau_tensor.grain cimport GIL_FREE

from flambeau_tensor.abi import require
from flambeau_tensor.compute import require as require_compute
from flambeau_tensor.extend import hot

require(TENSOR_ABI, "flambeau-nn")
require_compute(COMPUTE_ABI, "flambeau-nn")

_loops = hot("convolution", "flambeau_nn._kernels").LOOPS

cdef struct Work:
    Geometry g
    Piece p
    convolved_t loop
    bint adds
    Py_ssize_t image_bytes, columns_bytes


cdef void _samples(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    cdef Work* w = <Work*>context
    cdef Piece p = w.p
    cdef Py_ssize_t n
    for n in range(begin, end):
        p.image, p.columns = w.p.image + n * w.image_bytes, w.p.columns + n * w.columns_bytes
        if w.adds:
            memset(p.image, 0, w.image_bytes)
        w.loop(&w.g, &p)


cdef int _run(Work* w, str loop, int dtype, Py_ssize_t samples) except -1:
    cdef Geometry* g = &w.g
    cdef Py_ssize_t item = itemsize(dtype)
    name = {D_FLOAT32: "float32", D_FLOAT64: "float64", D_COMPLEX64: "complex64", D_COMPLEX128: "complex128"}[dtype]
    w.loop = <convolved_t><size_t>_loops[loop][name]
    w.adds = loop == "scatter"
    measure(g)
    w.p.begin, w.p.end, w.p.first, w.p.last, w.p.width = 0, g.positions, 0, g.rows, g.positions
    w.image_bytes, w.columns_bytes = g.channels * g.plane * item, g.rows * g.positions * item
    if samples * g.rows * g.positions < GIL_FREE:
        _samples(w, 0, samples)
    else:
        with nogil:
            parallel_for(samples, 1, _samples, w)
    return 0


cdef int _pair(PyObject* slot, Py_ssize_t* out, Py_ssize_t usual, Py_ssize_t least, str argument, str words) except -1:
    cdef Py_ssize_t[64] given
    cdef int n = read_ints(slot, given, 64, "im2col", argument)
    out[0] = usual
    if n != 2 and not (n == 1 and isinstance(<object>slot, int)):
        raise RuntimeError(f"It is expected {argument} equals to 2, but got size {n}")
    out[1], out[2] = given[0], given[n - 1]
    if out[1] < least or out[2] < least:
        name = "pad" if argument == "padding" else "kernel" if argument == "kernel_size" else argument
        raise RuntimeError(f"{words} should be {'non-negative' if least == 0 else 'greater than zero'}, but got "
                           f"{name}_height: {out[1]} {name}_width: {out[2]}")
    return 0


cdef int _read(Geometry* g, PyObject** a) except -1:
    """(kernel_size, dilation, padding, stride) at `a`."""
    _pair(a[0], g.kernel, 1, 1, "kernel_size", "kernel size")
    _pair(a[1], g.dilation, 1, 1, "dilation", "dilation")
    _pair(a[2], g.padding, 0, 0, "padding", "padding")
    _pair(a[3], g.stride, 1, 1, "stride", "stride")
    g.size[0] = g.count[0] = 1
    g.features = 1
    return 0


cdef Py_ssize_t _count(const Geometry* g, int d) except? -1:
    check_reach(<double>g.dilation[d] * (g.kernel[d] - 1))
    check_reach(2.0 * g.padding[d] + g.size[d])
    cdef Py_ssize_t room = g.size[d] + 2 * g.padding[d] - g.dilation[d] * (g.kernel[d] - 1) - 1
    return (room if room >= 0 else room - g.stride[d] + 1) // g.stride[d] + 1


cdef int _computed(int dtype, str name) except -1:
    if dtype == D_FLOAT16 or dtype == D_BFLOAT16 or dtype == D_BOOL:
        return D_FLOAT32
    if dtype < D_FLOAT16 or dtype == D_COMPLEX32:
        raise NotImplementedError(f'"{name}" not implemented for \'{type_string(dtype)}\'')
    return dtype


cdef str _two(const Py_ssize_t* numbers):
    return f"({numbers[1]}, {numbers[2]})"


cdef object _im2col(PyObject* op, PyObject** a):
    """(self, kernel_size, dilation, padding, stride)"""
    cdef Array x, y
    cdef Work w
    cdef Py_ssize_t[3] shape
    cdef Py_ssize_t samples
    cdef int d, original, dtype, batched
    cdef bint good
    array_of(a[0], &x)
    original, batched = x.dtype, x.ndim == 4
    _read(&w.g, &a[1])
    if x.ndim < 3:
        wrap_dim(2, x.ndim)
    good = x.ndim == 3 or x.ndim == 4
    for d in range(1 if batched else 0, x.ndim):
        good = good and x.sizes[d] != 0
    if not good:
        raise RuntimeError("Expected 3D or 4D (batch mode) tensor with possibly 0 batch size and other non-zero "
                           f"dimensions for input, but got: {shape_text(x.ndim, x.sizes)}")
    samples, w.g.channels = x.sizes[0] if batched else 1, x.sizes[batched]
    for d in range(1, AXES):
        w.g.size[d] = x.sizes[batched + d]
        w.g.count[d] = _count(&w.g, d)
    if w.g.count[1] < 1 or w.g.count[2] < 1:
        raise RuntimeError(f"Given input with spatial size {_two(w.g.size)}, kernel_size={_two(w.g.kernel)}, dilation="
                           f"{_two(w.g.dilation)}, padding={_two(w.g.padding)}, calculated shape of the array of "
                           f"sliding blocks as {_two(w.g.count)}, but its components must be at least one.")
    check_reach(<double>w.g.channels * w.g.kernel[1] * w.g.kernel[2] * w.g.count[1] * w.g.count[2])
    dtype = _computed(original, "im2col_out_cpu")
    shape[0] = samples
    shape[batched] = w.g.channels * w.g.kernel[1] * w.g.kernel[2]
    shape[batched + 1] = w.g.count[1] * w.g.count[2]
    result = fresh(dtype, 2 + batched, shape, &y)
    _source = dense(a[0], dtype, &x)
    w.p.image, w.p.columns = x.data, y.data
    _run(&w, "gather", dtype, samples)
    return converted(result, original)


cdef object _col2im(PyObject* op, PyObject** a):
    """(self, output_size, kernel_size, dilation, padding, stride)"""
    cdef Array x, y
    cdef Work w
    cdef Py_ssize_t[4] shape
    cdef Py_ssize_t samples, blocks, taps
    cdef int original, dtype, batched
    cdef bint good
    array_of(a[0], &x)
    original, batched = x.dtype, x.ndim == 3
    _read(&w.g, &a[2])
    _pair(a[1], w.g.size, 1, 1, "output_size", "output size")
    good = (x.ndim == 2 or x.ndim == 3) and x.sizes[x.ndim - 1] != 0 and x.sizes[x.ndim - 2] != 0
    if not good:
        raise RuntimeError("Expected 2D or 3D (batch mode) tensor for input with possibly 0 batch size and non-zero "
                           f"dimensions for input, but got: {shape_text(x.ndim, x.sizes)}")
    check_reach(<double>w.g.kernel[1] * w.g.kernel[2])
    taps = w.g.kernel[1] * w.g.kernel[2]
    if x.sizes[batched] % taps:
        raise RuntimeError(f"Expected size of input's dimension 1 to be divisible by the product of kernel_size, but "
                           f"got input.size(1)={x.sizes[batched]} and kernel_size={_two(w.g.kernel)}.")
    w.g.count[1], w.g.count[2] = _count(&w.g, 1), _count(&w.g, 2)
    check_reach(<double>w.g.count[1] * w.g.count[2])
    if w.g.count[1] < 1 or w.g.count[2] < 1:
        raise RuntimeError(f"Given output_size={_two(w.g.size)}, kernel_size={_two(w.g.kernel)}, dilation="
                           f"{_two(w.g.dilation)}, padding={_two(w.g.padding)}, stride={_two(w.g.stride)}, calculated "
                           f"shape of the array of sliding blocks as ({w.g.count[1]}, {w.g.count[2]}), which is too "
                           "small (non-positive)")
    blocks = w.g.count[1] * w.g.count[2]
    if x.sizes[batched + 1] != blocks:
        raise RuntimeError(f"Given output_size={_two(w.g.size)}, kernel_size={_two(w.g.kernel)}, dilation="
                           f"{_two(w.g.dilation)}, padding={_two(w.g.padding)}, stride={_two(w.g.stride)}, expected "
                           f"size of input's dimension 2 to match the calculated number of sliding blocks "
                           f"{w.g.count[1]} "
                           f"* {w.g.count[2]} = {w.g.count[1] * w.g.count[2]}, but got input.size(2)="
                           f"{x.sizes[batched + 1]}.")
    dtype = _computed(original, "col2im_out_cpu")
    samples, w.g.channels = x.sizes[0] if batched else 1, x.sizes[batched] // taps
    shape[0] = samples
    shape[batched], shape[batched + 1], shape[batched + 2] = w.g.channels, w.g.size[1], w.g.size[2]
    result = fresh(dtype, 3 + batched, shape, &y)
    _source = dense(a[0], dtype, &x)
    w.p.image, w.p.columns = y.data, x.data
    _run(&w, "scatter", dtype, samples)
    return converted(result, original)


im2col = new_kernel(_im2col)
col2im = new_kernel(_col2im)
