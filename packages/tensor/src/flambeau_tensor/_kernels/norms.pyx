# cython: language_level=3
"""Vector norms: selects the reduction for an order."""
from cpython.object cimport PyObject
from libc.math cimport INFINITY

from flambeau_tensor._core.elementwise.dtype cimport CATEGORY, DType, ITEMSIZE, dtype_object, real_of
from flambeau_tensor._core.call.operator cimport Operator, call1, make_kernel
from flambeau_tensor._core.schema.registry cimport find
from flambeau_tensor._core.elementwise.scalar cimport Scalar, read_scalar
from flambeau_tensor._core.memory.tensor cimport Tensor
from flambeau_tensor._core.memory.types cimport *
from flambeau_tensor._kernels.reductions cimport Reduction, dim_mask, mask_t, reduce

from flambeau_tensor._core.elementwise.dtype import _dtype_by_name, type_name

cdef dict _norms = {
    0.0: Reduction("linalg_vector_norm", "sum", compute=_dtype_by_name("bool"), empty=0),
    1.0: Reduction("linalg_vector_norm", "abs_sum", empty=0),
    2.0: Reduction("linalg_vector_norm", "square_sum", finish="root", empty=0),
    INFINITY: Reduction("linalg_vector_norm", "abs_max"),
    -INFINITY: Reduction("linalg_vector_norm", "abs_min"),
}
cdef Reduction _norm_p = Reduction("linalg_vector_norm", "power_sum", finish="root_p", empty=0)


cdef bint _of_single_numbers(Tensor x, mask_t mask) noexcept:
    """Whether all reduced dimensions have size 1."""
    cdef int d
    for d in range(x.ndim):
        if mask >> d & 1 and x.sizes[d] != 1:
            return False
    return True


cdef object _vector_norm(Operator op, PyObject** slots):
    """Slots: self, ord, dim, keepdim, dtype."""
    cdef Tensor x = <Tensor>slots[0]
    cdef Scalar s
    cdef int dtype = -1, d
    cdef mask_t mask
    read_scalar(slots[1], &s)
    if CATEGORY[x.dtype] < CAT_FLOAT:
        raise RuntimeError("linalg.vector_norm: Expected a floating point or complex tensor as input. Got "
                           + type_name(dtype_object(x.dtype)))
    if slots[4] != <PyObject*>None:
        dtype = (<DType>slots[4]).id
        kind = "complex" if CATEGORY[x.dtype] == CAT_COMPLEX else "real"
        if CATEGORY[dtype] != CATEGORY[x.dtype]:
            raise RuntimeError(f"linalg.vector_norm: dtype should be {kind} for {kind} inputs, but got "
                               + type_name(dtype_object(dtype)))
        if ITEMSIZE[dtype] < ITEMSIZE[x.dtype]:
            raise RuntimeError(
                f"linalg.vector_norm: the dtype of the input ({type_name(dtype_object(x.dtype))}) should be "
                f"convertible without narrowing to the specified dtype ({type_name(dtype_object(dtype))})")
        if CATEGORY[dtype] == CAT_COMPLEX:
            dtype = real_of(dtype)
    if CATEGORY[x.dtype] == CAT_COMPLEX:
        x = <Tensor>call1(find("torch.abs"), x)
    if x.numel == 0 and (s.re < 0 or s.re == INFINITY):
        order = "inf" if s.re == INFINITY else f"{s.re:g}"
        if slots[2] == <PyObject*>None or <object>slots[2] == ():
            raise RuntimeError(f"linalg.vector_norm cannot compute the {order} norm on an empty tensor because the "
                               "operation does not have an identity")
        mask = dim_mask(slots[2], x.ndim, False)
        for d in range(x.ndim):
            if mask >> d & 1 and x.sizes[d] == 0:
                raise RuntimeError(f"linalg.vector_norm cannot compute the {order} norm on the dimension {d} because "
                                   "this dimension is empty and the operation does not have an identity")
    if s.re != 0 and x.numel and _of_single_numbers(x, dim_mask(slots[2], x.ndim, False)):
        s.re = INFINITY  # the result for any order, without powers, which could overflow
    return reduce(<Reduction>_norms.get(s.re, _norm_p), op.name, x, slots[2], <object>slots[3] is True, dtype, s.re)


vector_norm = make_kernel(_vector_norm)
