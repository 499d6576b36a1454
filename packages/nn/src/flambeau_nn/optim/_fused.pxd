"""Rules of optimizers, for what counts and fills in coefficients without running their loops."""
from cpython.object cimport PyObject

cdef enum:
    STATES = 3
    COEFFICIENTS = 11

ctypedef void (*loop_t)(char* p, const char* g, char* a, char* b, char* c, Py_ssize_t n, const double* k,
                        int variant) noexcept nogil

cdef struct Plan:  # how the parameters of one group are updated
    double[COEFFICIENTS] k
    double lr
    double[2] beta
    double taken  # the coefficient of a gradient from the second step on, or the decay of the rate or the momentum
    double[2] more  # what only one optimizer has
    double step  # the one that `k` is for
    bint[STATES] wanted
    int variant  # of the loop, see include/optim_loops.h

ctypedef int (*read_t)(dict group, Plan* plan) except -1
ctypedef int (*count_t)(Plan* plan, double step, dict entries) except -1


cdef class Rule:
    cdef str name
    cdef readonly str key  # what the loop is called
    cdef loop_t[2] loops  # of float32 and float64
    cdef read_t read
    cdef count_t count
    cdef readonly tuple states  # the names of tensors that go through the loop, in its order
    cdef readonly bint counted  # every parameter has a tensor `step` that counts its steps
    cdef tuple singles  # names of other tensors of one number, which `count` writes to

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
