# cython: language_level=3
"""`std` and `var` under PyTorch's signatures, which determine the divisor by different arguments."""
from cpython.object cimport PyObject

from flambeau_tensor._core.call.operator cimport Kernel, Operator, call_again, kernel_t, read_slot
from flambeau_tensor._core.elementwise.dtype cimport CATEGORY
from flambeau_tensor._core.memory.tensor cimport Tensor
from flambeau_tensor._core.memory.types cimport *

cdef object _ZERO = 0, _ONE = 1


cdef class Deviation(Kernel):
    """The kernel of a composition that calls `reduction(self, dim, *, correction, keepdim)`, for one of the
    signatures with `unbiased` or `correction`. Complex inputs use `of_complex(self, dim, correction, keepdim)`."""

    cdef Operator reduction
    cdef object of_complex
    cdef int dim, keepdim, correction, unbiased

    def __init__(self, Operator reduction not None, of_complex):
        self.reduction, self.of_complex = reduction, of_complex
        self.dim = self.keepdim = self.correction = self.unbiased = -1
        self.run = <kernel_t>_deviation

    def read_slots(self, dict slots not None):
        read_slot(&self.dim, "dim", slots, False)
        read_slot(&self.keepdim, "keepdim", slots, False)
        read_slot(&self.correction, "correction", slots, False)
        read_slot(&self.unbiased, "unbiased", slots, False)


cdef object _deviation(Operator op, PyObject** slots):
    cdef Deviation d = <Deviation>op.implementation
    cdef PyObject* bound[4]
    bound[0] = slots[0]
    bound[1] = <PyObject*>None if d.dim < 0 else slots[d.dim]
    bound[2] = <PyObject*>_ONE if d.correction < 0 else slots[d.correction]
    if bound[2] == <PyObject*>None:
        bound[2] = <PyObject*>_ONE
    if d.unbiased >= 0 and slots[d.unbiased] == Py_False:
        bound[2] = <PyObject*>_ZERO
    bound[3] = Py_False if d.keepdim < 0 else slots[d.keepdim]
    if CATEGORY[(<Tensor>slots[0]).dtype] == CAT_COMPLEX:
        return d.of_complex(<object>bound[0], <object>bound[1], <object>bound[2], <object>bound[3])
    return call_again(d.reduction, bound)
