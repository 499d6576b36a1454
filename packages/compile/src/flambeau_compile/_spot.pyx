# cython: language_level=3
"""Arguments of eager kernels that programs call: tensors over windows of their buffers; and matrix products."""
from cpython.object cimport PyObject
from libc.stdlib cimport free

from flambeau_tensor.abi cimport TensorInfo, copy_into, empty_strided, over_memory, tensor_info
from flambeau_tensor.compute cimport COMPUTE_ABI, Product, multiply

from flambeau_compile._geometry cimport set_geometry

from flambeau_tensor.compute import require

require(COMPUTE_ABI, "flambeau-compile")


cdef class Spot:
    """A window of a program as an argument of an opaque call."""
    def __cinit__(self, int slot, Py_ssize_t start, Py_ssize_t nbytes, int dtype, tuple sizes, tuple strides,
                  Py_ssize_t offset):
        self.slot, self.start, self.nbytes = slot, start, nbytes
        set_geometry(&self.g, dtype, sizes, strides, offset)

    def __dealloc__(self):
        free(self.g.sizes)

    cdef object tensor(self, char* memory, object owner):
        return over_memory(memory + self.start, self.nbytes, self.g.dtype, self.g.ndim, self.g.sizes,
                           self.g.sizes + self.g.ndim, self.g.offset, owner)

    cdef object laid_out(self, object value):
        """Return a tensor, or a copy of it if its layout differs from the traced one."""
        cdef TensorInfo f
        cdef int d
        tensor_info(<PyObject*>value, &f)
        same = f.dtype == self.g.dtype and f.ndim == self.g.ndim
        for d in range(f.ndim if same else 0):
            same = same and f.sizes[d] == self.g.sizes[d] and f.strides[d] == self.g.sizes[f.ndim + d]
        if same:
            return value
        copy = empty_strided(self.g.dtype, self.g.ndim, self.g.sizes, self.g.sizes + self.g.ndim)
        copy_into(<PyObject*>copy, <PyObject*>value)
        return copy


cdef int multiply_matrices(int dtype, int add, Py_ssize_t m, Py_ssize_t n, Py_ssize_t k,
                           const char* a, const char* b, char* c, Py_ssize_t a_row, Py_ssize_t a_col,
                           Py_ssize_t b_row, Py_ssize_t b_col, Py_ssize_t c_row) noexcept with gil:
    """Compute a matrix product as eager mode does, for programs."""
    cdef Product p
    p.dtype, p.add, p.m, p.n, p.k, p.a, p.b, p.c = dtype, add != 0, m, n, k, a, b, c
    p.a_row, p.a_col, p.b_row, p.b_col, p.c_row, p.count = a_row, a_col, b_row, b_col, c_row, 1
    p.a_step = p.b_step = p.c_step = 0
    try:
        multiply(&p)
    except BaseException:
        return -1
    return 0
