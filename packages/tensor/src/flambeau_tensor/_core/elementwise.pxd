"""The elementwise engine: loops over broadcast, strided, mixed-dtype operands."""
from cpython.object cimport PyObject

from flambeau_tensor._core.operator cimport Kernel, Operator
from flambeau_tensor._core.tensor cimport Tensor
from flambeau_tensor._core.types cimport *

# NumPy's signature of inner loops; ours have the same.
ctypedef void (*loop_t)(char** args, const Py_ssize_t* dimensions, const Py_ssize_t* strides, void* data) noexcept nogil

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
    cdef int first_param  # slots of the loop's float parameters
    cdef int alpha  # slot of a factor on the second operand, else -1
    cdef int mode  # slot of a string that picks among `modes`, else -1
    cdef dict modes
    cdef bint default_float  # integers compute in the default dtype
    cdef readonly str name
    cdef Check check
    cdef bint exact_numbers  # a Python number that the dtype cannot hold is an error, else it wraps
    cdef dict refusals  # category -> what to say of operands that promote to it

cdef int copy_elements(Tensor dst, Tensor src) except -1  # broadcast, converting
cdef int fill_elements(Tensor dst, object number) except -1
cdef Tensor to_dtype(Tensor t, int dtype)  # t itself when it has that dtype
cdef Tensor copy_of(Tensor t)  # fresh, same layout where dense
cdef int promote(int n, PyObject** slots, const int* fixed) except -1
cdef Tensor out_tensor(str func, object out, int dtype, int ndim, const Py_ssize_t* shape)  # resized, checked
cdef int check_overlap(Tensor out, Tensor t) except -1
cdef int check_cast(int source, int target) except -1
cdef int check_writable(str func, Tensor t) except -1
cdef int broadcast_shape(int n, PyObject** tensors, Py_ssize_t* shape) except -1  # NULL entries are passed over
cdef int run_loop(loop_t loop, void* data, int nop, char** ptrs, int* have, int* want, int ndim,
                  const Py_ssize_t* sizes, Py_ssize_t** strides) except -1
