"""The elementwise kernel: inner loops on operands that are broadcast, strided and of mixed dtypes."""
from cpython.object cimport PyObject

from flambeau_tensor._core.elementwise.loops cimport loop_t
from flambeau_tensor._core.call.operator cimport Kernel, Operator
from flambeau_tensor._core.memory.types cimport *

cdef enum:
    MAX_PARAMS = 8  # the number of doubles that a loop may read besides its operands

cdef struct Entry:  # the loop for operands that promote to one dtype
    loop_t loop
    void* data
    int compute  # the dtype that the loop reads
    int result  # the dtype of the result, which may differ from `written`
    int written  # the dtype that the loop writes

# Rejects operands that promote but must not be computed. Gets the bound operands and the dtype to which they promote.
ctypedef int (*check_t)(Operator op, PyObject** operands, int dtype) except -1

cdef class Check:
    cdef check_t run

cdef Check make_check(check_t run)
cdef object run_elementwise(Operator op, PyObject** slots)

cdef class Elementwise(Kernel):
    cdef int nin
    cdef int[MAX_OPERANDS] fixed  # dtype of an operand that takes no part in promotion, else -1
    cdef Entry[NDTYPES] entries
    cdef readonly int nparams
    cdef int[MAX_PARAMS] params  # slots of the loop's float parameters
    cdef int alpha  # slot of a factor on the second operand, else -1
    cdef Elementwise scaled  # the kernel for factors other than 1
    cdef bint scales  # whether it is such a kernel
    cdef int mode  # slot of a string that selects one of `modes`, else -1
    cdef dict modes
    cdef tuple names  # of alpha, mode and params; they have the same slots in all operators with this kernel
    cdef bint default_float  # integers are computed in the default dtype
    cdef readonly str name
    cdef Check check
    cdef bint exact_out  # whether `out` must have the dtype of the result, if that is the first operand's
    cdef bint exact_numbers  # whether Python numbers that do not fit the dtype are errors; otherwise they wrap around
    cdef dict refusals  # family of dtypes -> the error for operands that promote to it
