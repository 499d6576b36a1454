# cython: language_level=3
"""Public functions with a fast path: the usual arguments go to one compiled operator on floats, rarer ones (`inplace`,
`size_average`, weights, operands that need broadcasting, integers, complex numbers) to a general function. The choice
costs some nanoseconds; the chosen function records itself."""
cimport cython
from cpython.long cimport PyLong_Check
from cpython.object cimport PyObject

from flambeau_tensor.abi cimport (
    T_COMPLEX, T_FLOATING, TENSOR_ABI, TensorInfo, OperatorInfo, is_tensor, tensor_info, operator_info, new_kernel,
)

from flambeau_tensor.abi import require

require(TENSOR_ABI, "flambeau-nn")

cdef extern from "Python.h":
    PyObject* Py_False
    PyObject* PyObject_Vectorcall(PyObject*, PyObject* const*, size_t, PyObject*) except NULL
    PyObject* PyDict_GetItemWithError(PyObject*, PyObject*) except? NULL
    void Py_DECREF(PyObject*)

cdef enum:
    MOST = 16


@cython.auto_pickle(False)
cdef class _Choice:
    cdef object fast, general
    cdef int narguments, ndefaulted
    cdef int[MOST] arguments  # slots that are passed to `fast`
    cdef int[MOST] defaulted  # slots that must have their default value for `fast`
    cdef PyObject* defaults[MOST]  # None, True or False, which are singletons
    cdef bint matching  # the first two arguments must have the same size and dtype

cdef dict _choices = {}


cdef inline object _owned(PyObject* fresh):
    o = <object>fresh
    Py_DECREF(fresh)
    return o


cdef bint _is_simple(_Choice c, PyObject** slots) noexcept:
    cdef TensorInfo x, y
    cdef int d, k
    tensor_info(slots[0], &x)
    if not T_FLOATING <= x.dtype < T_COMPLEX:
        return False
    if not c.matching:
        for k in range(c.narguments):
            if is_tensor(slots[c.arguments[k]]):
                tensor_info(slots[c.arguments[k]], &y)
                if T_FLOATING <= y.dtype and y.dtype != x.dtype:
                    return False
        return True
    tensor_info(slots[1], &y)
    if x.ndim != y.ndim or x.dtype != y.dtype:
        return False
    for d in range(x.ndim):
        if x.sizes[d] != y.sizes[d]:
            return False
    return True


cdef object _fast_path(PyObject* op, PyObject** slots):
    cdef _Choice c = <_Choice>PyDict_GetItemWithError(<PyObject*>_choices, op)
    cdef OperatorInfo facts
    cdef PyObject* args[MOST]
    cdef int k
    cdef bint simple = _is_simple(c, slots)
    for k in range(c.ndefaulted):
        simple = simple and slots[c.defaulted[k]] == c.defaults[k]
    if simple:
        for k in range(c.narguments):
            args[k] = slots[c.arguments[k]]
        return _owned(PyObject_Vectorcall(<PyObject*>c.fast, args, c.narguments, NULL))
    operator_info(op, &facts)
    return _owned(PyObject_Vectorcall(<PyObject*>c.general, slots, facts.nslots, NULL))


def connect(op, fast, general, tuple arguments not None, tuple defaulted not None, bint matching=False):
    """Set the functions that ``op`` calls.

    It calls ``fast`` with the arguments at positions ``arguments`` if those at ``defaulted`` are omitted and the first
    is a float tensor whose dtype the other float tensors share (with ``matching``, the first two also have the same
    size). Otherwise it calls ``general`` with all arguments.
    """
    cdef _Choice c = _Choice.__new__(_Choice)
    if len(arguments) > MOST or len(defaulted) > MOST:
        raise ValueError(f"connect(): at most {MOST} arguments")
    c.fast, c.general, c.matching = fast, general, matching
    c.narguments, c.ndefaulted = len(arguments), len(defaulted)
    for k, position in enumerate(arguments):
        c.arguments[k] = position
    for k, position in enumerate(defaulted):
        default = op.schema.arguments[position].default
        if default not in (None, True, False):
            raise ValueError(f"connect(): argument {position} of {op.name} has the default {default!r}")
        c.defaulted[k], c.defaults[k] = position, <PyObject*>default
    _choices[op] = c


fast_path = new_kernel(_fast_path)


# --- conv1d, conv2d, conv3d ------------------------------------------------------------------------------------------

cdef object _convolution = None
cdef dict _convolutions = {}  # operator -> (function for unbatched inputs, number of dimensions, default padding)


def connect_convolution(op, operator, general, int dims):
    """Set the functions that ``op`` calls: `operator` for a batched input, else `general` with all arguments."""
    global _convolution
    _convolution = operator
    _convolutions[op] = general, dims, (0,) * dims


cdef object _convolve(PyObject* op, PyObject** a):
    """(input, weight, bias, stride, padding, dilation, groups)"""
    cdef tuple known = <tuple>_convolutions[<object>op]
    cdef int dims = <object>known[1], k
    cdef PyObject* args[9]
    cdef TensorInfo x
    tensor_info(a[0], &x)
    if x.ndim != dims + 2:
        return _owned(PyObject_Vectorcall(<PyObject*>known[0], a, 7, NULL))
    held = []
    args[0], args[1], args[2] = a[0], a[1], a[2]
    for k in range(3):
        args[3 + k] = a[3 + k]
        if PyLong_Check(<object>a[3 + k]):
            each = (<object>a[3 + k],) * dims
            held.append(each)
            args[3 + k] = <PyObject*>each
    args[6], args[7], args[8] = Py_False, <PyObject*>known[2], a[6]
    return _owned(PyObject_Vectorcall(<PyObject*>_convolution, args, 9, NULL))


convolve = new_kernel(_convolve)
