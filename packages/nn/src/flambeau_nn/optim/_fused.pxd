"""Rules of optimizers, for code that counts steps and fills in coefficients without running their loops."""
from cpython.object cimport PyObject

cdef enum:
    STATES = 3
    COEFFICIENTS = 11

ctypedef void (*loop_t)(char* p, const char* g, char* a, char* b, char* c, Py_ssize_t n, const double* k,
                        int variant) noexcept nogil

cdef struct Plan:  # options and coefficients for the parameters of one group
    double[COEFFICIENTS] k
    double lr
    double[2] beta
    double taken  # the gradient's coefficient from the second step on, or the decay of the rate or momentum
    double[2] more  # coefficients that only one optimizer has
    double step  # the step to which `k` belongs
    bint[STATES] wanted
    int variant  # of the loop, see include/optim_loops.h

ctypedef int (*read_t)(dict group, Plan* plan) except -1
ctypedef int (*count_t)(Plan* plan, double step, dict entries) except -1


cdef class Rule:
    cdef str name
    cdef readonly str key  # the name of the loop
    cdef loop_t[2] loops  # for float32 and float64
    cdef read_t read
    cdef count_t count
    cdef readonly tuple states  # the names of the state tensors that the loop updates, in its order
    cdef readonly bint counted  # whether every parameter has a tensor `step` that counts its steps
    cdef tuple singles  # names of other one-element tensors, which `count` updates

    cdef int _step_heard(self, object optimizer, list groups, object state) except -1
    cdef int _update(self, object optimizer, dict group, object state, object p, Plan* plan) except -1
    cdef int _update_heard(self, object optimizer, dict group, object state, object p, Plan* plan, Py_ssize_t number,
                           list updated) except -1
    cdef int _update_by_operations(self, object optimizer, object p, object grad, dict group) except -1
    cdef int run(self, object p, object grad, dict entries, Plan* plan) except -1
    cdef int _computed_dtype(self, object p) except -1
    cdef int _collect(self, object p, object grad, dict entries, Plan* plan, PyObject** found) except -1

cdef double single(object value, str name) except? -1e300
cdef double set_single(object value, str name, double number) except? -1e300
cdef double next_step(object step) except -1
