"""What users call: a method of Tensor, or a name that several schemas answer."""
from cpython.object cimport PyObject, PyTypeObject

from flambeau_tensor._core.call.operator cimport Operator, vectorcallfunc
from flambeau_tensor._core.call.sequences cimport Bound
from flambeau_tensor._core.call.function_object cimport Public

cdef enum:
    MAX_OVERLOADS = 12

cdef struct Signature:  # sets of slots of the operator that it is a signature of
    unsigned int known  # those that it has
    unsigned int required
    unsigned int filled  # those that may not be None
    int npos  # so many positional arguments have the operator's places

cdef enum:
    COMPARED = 4  # positional arguments by whose kinds a member is chosen

cdef struct Choice:  # what a positional call goes to, by the types of its arguments
    PyObject* op  # NULL: nothing
    bint straight  # nothing more to be followed
    unsigned int since  # `implementations`, when it was made
    PyTypeObject* types[COMPARED]  # such as never go

cdef class OverloadSet(Public):
    cdef vectorcallfunc vectorcall
    cdef PyObject* members[MAX_OVERLOADS]  # borrowed from `overloads`
    cdef int count
    cdef unsigned long long[MAX_OVERLOADS] takes  # the kinds that each may take by position, 16 bits for an argument
    cdef PyObject* plain  # the operator that all members are signatures of, or NULL
    cdef Signature[MAX_OVERLOADS] signatures  # of the members, where there is one
    cdef Choice[COMPARED + 1][2] choices  # the last two for each number of arguments
    cdef readonly tuple overloads  # of Operators, in the order in which they are tried
    cdef readonly str name, namespace
    cdef readonly bint of_methods  # the overloads that are methods; else those that are functions

cdef class Method:
    cdef vectorcallfunc vectorcall
    cdef readonly object target  # an Operator or an OverloadSet
    cdef readonly str name
    cdef object public  # what handlers get in its place, unless None

cdef object call_object(PyObject* target, PyObject* const* args, Py_ssize_t n, PyObject* kwnames, PyObject* called)
cdef Method make_method(str name, object target)

# The fast lane of calls with keywords: fills `bound`; False where it cannot tell. With `signatures`, the call has to be
# one of these.
cdef bint bind_named(Operator op, PyObject* const* args, Py_ssize_t n, PyObject* kwnames, Bound* bound,
                     OverloadSet signatures) except -1
cdef bint is_signature(Operator op, OverloadSet signatures, PyObject** slots, Py_ssize_t n) noexcept
