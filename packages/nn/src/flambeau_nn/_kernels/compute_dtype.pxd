"""The dtype in which kernels compute, and temporary memory for them."""
from flambeau_tensor.compute cimport D_BFLOAT16, D_FLOAT16, D_FLOAT32, Array, fresh


cdef inline int computed(int dtype) noexcept:
    """Return the dtype in which a kernel computes for tensors of `dtype`: half types are computed in float32."""
    return D_FLOAT32 if dtype == D_FLOAT16 or dtype == D_BFLOAT16 else dtype


cdef inline int check_reach(double size) except -1:
    """Raise an error if a size, computed from arguments, is so large that sums of a few such sizes overflow 64 bits."""
    if not -2.0 ** 61 < size < 2.0 ** 61:
        raise RuntimeError("Storage size calculation overflowed: the kernel, strides, dilations, factors or paddings "
                           "are too large")
    return 0


cdef inline object memory(int dtype, Py_ssize_t numbers, void** out):
    """Allocate memory for `numbers` elements: set `out` to its address and return the object that owns it."""
    cdef Array a
    held = fresh(dtype, 1, &numbers, &a)
    out[0] = a.data
    return held
