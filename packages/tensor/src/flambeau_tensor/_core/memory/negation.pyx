# cython: language_level=3
"""Changing the signs of elements in place, which resolves conjugate and negative views."""
from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t

from flambeau_tensor._core.elementwise.dtype cimport CATEGORY, ITEMSIZE, dtype_object
from flambeau_tensor._core.elementwise.loops cimport loop_t, run_loop
from flambeau_tensor._core.memory.tensor cimport Tensor
from flambeau_tensor._core.memory.types cimport *

from flambeau_tensor._core.elementwise.dtype import type_name

ctypedef fused bits_t:
    uint16_t
    uint32_t
    uint64_t

ctypedef fused int_t:
    uint8_t
    int8_t
    int16_t
    int32_t
    int64_t


cdef void _flip_signs(char** a, const Py_ssize_t* n, const Py_ssize_t* s, bits_t* parts) noexcept nogil:
    """Flip the signs of floating point numbers: of real ones, or of the parts of complex ones that a mask selects."""
    cdef bits_t sign = <bits_t>1 << (8 * sizeof(bits_t) - 1)
    cdef bits_t* x
    cdef Py_ssize_t i, which = <Py_ssize_t>parts
    for i in range(n[0]):
        x = <bits_t*>(a[0] + i * s[0])
        if which & 1:
            x[0] ^= sign
        if which & 2:
            x[1] ^= sign


cdef void _negate(char** a, const Py_ssize_t* n, const Py_ssize_t* s, int_t* unused) noexcept nogil:
    cdef Py_ssize_t i
    cdef int_t* x
    for i in range(n[0]):
        x = <int_t*>(a[0] + i * s[0])
        x[0] = <int_t>(0 - <uint64_t>x[0])


cdef loop_t[NDTYPES] _LOOPS
_LOOPS[BOOL] = NULL
_LOOPS[UINT8] = <loop_t>_negate[uint8_t]
_LOOPS[INT8] = <loop_t>_negate[int8_t]
_LOOPS[INT16] = <loop_t>_negate[int16_t]
_LOOPS[INT32] = <loop_t>_negate[int32_t]
_LOOPS[INT64] = <loop_t>_negate[int64_t]
_LOOPS[FLOAT16] = _LOOPS[BFLOAT16] = _LOOPS[COMPLEX32] = <loop_t>_flip_signs[uint16_t]
_LOOPS[FLOAT32] = _LOOPS[COMPLEX64] = <loop_t>_flip_signs[uint32_t]
_LOOPS[FLOAT64] = _LOOPS[COMPLEX128] = <loop_t>_flip_signs[uint64_t]


cdef int apply_lazy(Tensor t, unsigned int lazy) except -1:
    cdef Py_ssize_t[MAX_NDIM] strides
    cdef Py_ssize_t* rows[1]
    cdef char* ptrs[1]
    cdef int[1] types
    cdef int d
    cdef Py_ssize_t parts = 1  # the parts whose signs change: 1 the real part, 2 the imaginary part
    if CATEGORY[t.dtype] == CAT_COMPLEX:
        parts = (3 if lazy & NEG else 0) ^ (2 if lazy & CONJ else 0)
    elif not lazy & NEG:
        return 0
    if _LOOPS[t.dtype] == NULL:
        raise NotImplementedError(f"\"neg_cpu\" not implemented for '{type_name(dtype_object(t.dtype))}'")
    for d in range(t.ndim):
        strides[d] = t.strides[d] * ITEMSIZE[t.dtype]
    rows[0], ptrs[0], types[0] = strides, t.data, t.dtype
    return run_loop(_LOOPS[t.dtype], <void*>parts, 1, ptrs, types, types, t.ndim, t.sizes, rows)
