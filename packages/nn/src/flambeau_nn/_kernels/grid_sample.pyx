# cython: language_level=3
"""Samples of images at given locations, and the gradients of both. float16 and bfloat16 are computed in float32."""
from cpython.object cimport PyObject

from flambeau_nn._kernels.compute_dtype cimport computed
from flambeau_nn._kernels.grid_sample_types cimport AXES, BICUBIC, BLOCK, Sampled, sampled_t
from flambeau_tensor.abi cimport TENSOR_ABI, new_kernel
from flambeau_tensor.compute cimport (
    COMPUTE_ABI, D_FLOAT32, D_FLOAT64, Array, array_of, converted, dense, fresh, parallel_for, shape_text,
)
from flambeau_tensor.grain cimport GIL_FREE

from flambeau_tensor.abi import require
from flambeau_tensor.compute import require as require_compute
from flambeau_tensor.extend import hot

require(TENSOR_ABI, "flambeau-nn")
require_compute(COMPUTE_ABI, "flambeau-nn")

cdef extern from "Python.h":
    PyObject* Py_True

cdef enum:
    MOST = 0x7fffffff  # maximum number of elements of a plane

_table = hot("grid_sample", "flambeau_nn._kernels").LOOPS
cdef sampled_t _forward_float = <sampled_t><size_t>_table["forward"]["float32"]
cdef sampled_t _forward_double = <sampled_t><size_t>_table["forward"]["float64"]
cdef sampled_t _backward_float = <sampled_t><size_t>_table["backward"]["float32"]
cdef sampled_t _backward_double = <sampled_t><size_t>_table["backward"]["float64"]
cdef object _refuse = None


def connect(refuse):
    """Set the function of input, grid and mode that raises the errors for invalid arguments."""
    global _refuse
    _refuse = refuse


cdef object _read(Sampled* s, PyObject** a, Array* x, Array* grid, int* dtype):
    """Read and check (input, grid, mode, padding, align_corners); return the objects that own their memory."""
    cdef int d, mode = <object>a[2]
    cdef bint good
    array_of(a[0], x)
    array_of(a[1], grid)
    dtype[0] = computed(x.dtype)
    s.dims, s.mode, s.padding, s.align_corners = x.ndim - 2, mode, <object>a[3], a[4] == Py_True
    good = (s.dims == 2 or (s.dims == 3 and mode != BICUBIC)) and grid.ndim == x.ndim
    good = good and grid.sizes[grid.ndim - 1] == s.dims and x.sizes[0] == grid.sizes[0] and x.dtype == grid.dtype
    good = good and (dtype[0] == D_FLOAT32 or dtype[0] == D_FLOAT64)
    for d in range(2, x.ndim if good else 0):
        good = good and x.sizes[d] > 0
    if not good:
        _refuse(<object>a[0], <object>a[1], mode)
        raise RuntimeError(f"grid_sampler(): unexpected sizes {shape_text(x.ndim, x.sizes)} and "
                           f"{shape_text(grid.ndim, grid.sizes)}")
    s.channels, s.plane, s.places = x.sizes[1], 1, 1
    for d in range(s.dims):
        s.size[d] = x.sizes[2 + d]
        s.plane *= x.sizes[2 + d]
        s.places *= grid.sizes[1 + d]
    if s.plane > MOST:
        raise NotImplementedError(f"grid_sampler(): planes of more than {MOST} elements")
    s.blocks = (s.places + BLOCK - 1) // BLOCK
    held = dense(a[0], dtype[0], x), dense(a[1], dtype[0], grid)
    s.x, s.grid = x.data, grid.data
    return held


cdef object _sample(PyObject* op, PyObject** a):
    """(input, grid, interpolation_mode, padding_mode, align_corners)"""
    cdef Sampled s
    cdef Array x, grid, y
    cdef Py_ssize_t[AXES + 2] sizes
    cdef int dtype, original, d
    array_of(a[0], &x)
    original = x.dtype
    _held = _read(&s, a, &x, &grid, &dtype)
    sizes[0], sizes[1] = x.sizes[0], x.sizes[1]
    for d in range(s.dims):
        sizes[2 + d] = grid.sizes[1 + d]
    result = fresh(dtype, x.ndim, sizes, &y)
    s.y = y.data
    cdef sampled_t loop = _forward_float if dtype == D_FLOAT32 else _forward_double
    if y.numel * 4 < GIL_FREE:
        loop(&s, 0, sizes[0] * s.blocks)
    else:
        with nogil:
            parallel_for(sizes[0] * s.blocks, max(<Py_ssize_t>1, GIL_FREE // (4 * BLOCK * max(s.channels, 1))), loop,
                         &s)
    return converted(result, original)


cdef object _sample_backward(PyObject* op, PyObject** a):
    """(grad_output, input, grid, interpolation_mode, padding_mode, align_corners, output_mask)"""
    cdef Sampled s
    cdef Array x, grid, g, gx, gg
    cdef int dtype, original, d
    cdef bint of_input, of_grid, good
    array_of(a[1], &x)
    original = x.dtype
    _held = _read(&s, a + 1, &x, &grid, &dtype)
    of_input, of_grid = <object>a[6]
    _grad = dense(a[0], dtype, &g)
    good = g.ndim == x.ndim and g.sizes[0] == x.sizes[0] and g.sizes[1] == x.sizes[1]
    for d in range(s.dims if good else 0):
        good = good and g.sizes[2 + d] == grid.sizes[1 + d]
    if not good:
        raise RuntimeError(f"grid_sampler_backward: grad_output of size {shape_text(g.ndim, g.sizes)} does not belong "
                           f"to an input of size {shape_text(x.ndim, x.sizes)}")
    by_input = by_grid = None
    s.grad, s.x_grad, s.grid_grad = g.data, NULL, NULL
    if of_input:
        by_input = fresh(dtype, x.ndim, x.sizes, &gx)
        s.x_grad = gx.data
    if of_grid:
        by_grid = fresh(dtype, grid.ndim, grid.sizes, &gg)
        s.grid_grad = gg.data
    cdef sampled_t loop = _backward_float if dtype == D_FLOAT32 else _backward_double
    if g.numel * 4 < GIL_FREE:
        loop(&s, 0, x.sizes[0])
    else:
        with nogil:
            parallel_for(x.sizes[0], 1, loop, &s)
    return (None if by_input is None else converted(by_input, original),
            None if by_grid is None else converted(by_grid, original))


sample = new_kernel(_sample)
sample_backward = new_kernel(_sample_backward)
