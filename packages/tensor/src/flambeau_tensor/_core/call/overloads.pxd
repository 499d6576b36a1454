"""The callables that users see besides operators: a method of Tensor, and a name with several schemas."""
from cpython.object cimport PyObject, PyTypeObject

from flambeau_tensor._core.call.operator cimport Operator, vectorcallfunc
from flambeau_tensor._core.call.sequences cimport Bound
from flambeau_tensor._core.call.function_object cimport Public

cdef enum:
    MAX_OVERLOADS = 12

cdef struct Signature:  # sets of slots of the operator `plain`, as bits
    unsigned int known  # the arguments that the signature has
    unsigned int required
    unsigned int filled  # the arguments that may not be None
    int npos  # the number of positional arguments; they have the operator's positions

cdef enum:
    COMPARED = 4  # the number of positional arguments whose kinds select a member

cdef struct Choice:  # a cached result: the operator for a positional call with arguments of these types
    PyObject* op  # NULL if the entry is empty
    bint straight  # it is called directly, without following Forwards
    unsigned int since  # `implementations` when the entry was stored
    PyTypeObject* types[COMPARED]  # only types that are never freed

cdef class OverloadSet(Public):
    cdef vectorcallfunc vectorcall
    cdef PyObject* members[MAX_OVERLOADS]  # borrowed from `overloads`
    cdef int count
    cdef unsigned long long[MAX_OVERLOADS] takes  # the kinds that each may accept by position, 16 bits each
    cdef PyObject* plain  # the operator to which all members forward their arguments unchanged, or NULL
    cdef Signature[MAX_OVERLOADS] signatures  # the members' signatures, if `plain` is set
    cdef Choice[COMPARED + 1][2] choices  # the last two choices for each number of arguments
    cdef readonly tuple overloads  # Operators, in the order in which they are tried
    cdef readonly str name, namespace
    cdef readonly bint of_methods  # whether the overloads are methods; else they are functions

cdef class Method:
    cdef vectorcallfunc vectorcall
    cdef readonly object target  # an Operator or an OverloadSet
    cdef readonly str name
    cdef object public  # the object that handlers receive instead of the method, unless None

cdef object call_object(PyObject* target, PyObject* const* args, Py_ssize_t n, PyObject* kwnames, PyObject* called)
cdef Method make_method(str name, object target)

# The fast path of calls with keywords: fills `bound`. Returns False if it cannot bind them. With `signatures`, the call
# has to match one of them.
cdef bint bind_named(Operator op, PyObject* const* args, Py_ssize_t n, PyObject* kwnames, Bound* bound,
                     OverloadSet signatures) except -1
cdef bint is_signature(Operator op, OverloadSet signatures, PyObject** slots, Py_ssize_t n) noexcept
