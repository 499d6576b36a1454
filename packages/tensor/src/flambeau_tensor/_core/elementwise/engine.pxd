"""The elementwise kernel: inner loops for broadcast, strided, mixed-dtype operands."""
from cpython.object cimport PyObject

from flambeau_tensor._core.elementwise.loops cimport loop_t
from flambeau_tensor._core.call.operator cimport Kernel, Operator
from flambeau_tensor._core.memory.types cimport *

cdef enum:
    MAX_PARAMS = 8  # doubles that a loop may read beside its operands

cdef struct Entry:  # what to run for operands that promote to one dtype
    loop_t loop
    void* data
    int compute  # the dtype that the loop reads
    int result  # the dtype of the result; may differ from what the loop writes
    int written  # the dtype that the loop writes

# Refuses operands that promote but must not be computed with; sees them as bound, and the dtype they promote to.
ctypedef int (*check_t)(Operator op, PyObject** operands, int dtype) except -1

cdef class Check:
    cdef check_t run

cdef Check make_check(check_t run)
cdef object run_elementwise(Operator op, PyObject** slots)

cdef class Elementwise(Kernel):
    cdef int nin
    cdef int[MAX_OPERANDS] fixed  # dtype of an operand outside promotion, else -1
    cdef Entry[NDTYPES] entries
    cdef readonly int nparams
    cdef int[MAX_PARAMS] params  # slots of the loop's float parameters
    cdef int alpha  # slot of a factor on the second operand, else -1
    cdef int mode  # slot of a string that picks among `modes`, else -1
    cdef dict modes
    cdef tuple names  # of alpha, mode and params, which stand in the same slots of all operators that take the kernel
    cdef bint default_float  # integers compute in the default dtype
    cdef readonly str name
    cdef Check check
    cdef bint exact_out  # a result of the operand's dtype is not converted to that of `out`
    cdef bint exact_numbers  # a Python number that the dtype cannot hold is an error, else it wraps
    cdef dict refusals  # family of dtypes -> what to say of operands that promote to it
