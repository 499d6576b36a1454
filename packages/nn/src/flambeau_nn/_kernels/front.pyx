# cython: language_level=3
"""Public functions whose usual form is one compiled operator on floats, and whose rarer arguments (`inplace`,
`size_average`, weights, operands that have to be broadcast, integers, complex numbers) are for others. Choosing costs
some nanoseconds; what is chosen records by itself."""
cimport cython
from cpython.object cimport PyObject

from flambeau_tensor.abi cimport (
    T_COMPLEX, T_FLOATING, TENSOR_ABI, Facts, OperatorFacts, look, look_operator, new_kernel,
)

from flambeau_tensor.abi import require

require(TENSOR_ABI, "flambeau-nn")

cdef extern from "Python.h":
    PyObject* PyObject_Vectorcall(PyObject*, PyObject* const*, size_t, PyObject*) except NULL
    PyObject* PyDict_GetItemWithError(PyObject*, PyObject*) except? NULL
    void Py_DECREF(PyObject*)

cdef enum:
    MOST = 16


@cython.auto_pickle(False)
cdef class _Choice:
    cdef object usual, other
    cdef int ntake, nabsent
    cdef int[MOST] take  # slots that `usual` gets
    cdef int[MOST] absent  # slots that have to hold their default for it
    cdef PyObject* defaults[MOST]  # None, True or False, of which there is one each
    cdef bint alike  # the first two arguments have to be of one size and dtype

cdef dict _choices = {}


cdef inline object _owned(PyObject* fresh):
    o = <object>fresh
    Py_DECREF(fresh)
    return o


cdef bint _usual(PyObject** slots, bint alike) noexcept:
    cdef Facts x, y
    cdef int d
    look(slots[0], &x)
    if not T_FLOATING <= x.dtype < T_COMPLEX:
        return False
    if not alike:
        return True
    look(slots[1], &y)
    if x.ndim != y.ndim or x.dtype != y.dtype:
        return False
    for d in range(x.ndim):
        if x.sizes[d] != y.sizes[d]:
            return False
    return True


cdef object _front(PyObject* op, PyObject** slots):
    cdef _Choice c = <_Choice>PyDict_GetItemWithError(<PyObject*>_choices, op)
    cdef OperatorFacts facts
    cdef PyObject* args[MOST]
    cdef int k
    cdef bint usual = _usual(slots, c.alike)
    for k in range(c.nabsent):
        usual = usual and slots[c.absent[k]] == c.defaults[k]
    if usual:
        for k in range(c.ntake):
            args[k] = slots[c.take[k]]
        return _owned(PyObject_Vectorcall(<PyObject*>c.usual, args, c.ntake, NULL))
    look_operator(op, &facts)
    return _owned(PyObject_Vectorcall(<PyObject*>c.other, slots, facts.nslots, NULL))


def connect(op, usual, other, tuple take not None, tuple absent not None, bint alike=False):
    """Say what ``op`` calls: ``usual`` with the arguments at the positions ``take`` when those at ``absent`` are left
    out, and the first is a tensor of floats (with ``alike``, the first two, of one size and dtype), else ``other`` with
    all arguments."""
    cdef _Choice c = _Choice.__new__(_Choice)
    if len(take) > MOST or len(absent) > MOST:
        raise ValueError(f"connect(): at most {MOST} arguments")
    c.usual, c.other, c.alike = usual, other, alike
    c.ntake, c.nabsent = len(take), len(absent)
    for k, position in enumerate(take):
        c.take[k] = position
    for k, position in enumerate(absent):
        default = op.schema.arguments[position].default
        if default not in (None, True, False):
            raise ValueError(f"connect(): argument {position} of {op.name} has the default {default!r}")
        c.absent[k], c.defaults[k] = position, <PyObject*>default
    _choices[op] = c


front = new_kernel(_front)
