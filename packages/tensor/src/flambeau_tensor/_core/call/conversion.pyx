# cython: language_level=3
"""Conversion of arguments that do not have their schema's types but can be converted to them."""
from cpython.bool cimport PyBool_Check
from cpython.float cimport PyFloat_Check
from cpython.long cimport PyLong_AsLongLongAndOverflow, PyLong_Check
from cpython.object cimport PyObject

from flambeau_tensor._core.elementwise.dtype cimport dtype_object
from flambeau_tensor._core.call.operator cimport A_SINGLE, Operator
from flambeau_tensor._core.elementwise.scalar cimport is_number
from flambeau_tensor._core.call.sockets cimport sockets
from flambeau_tensor._core.memory.types cimport *

from flambeau_tensor._core.elementwise.dtype import refuse_named

cdef extern from "Python.h":
    object as_index "PyNumber_Index" (object)
    int PyIndex_Check(object)

cdef object NOTHING = object()
# Arguments of functions that PyTorch writes in Python as `if inplace:`.
cdef frozenset _TRUTHS = frozenset(["inplace", "size_average", "reduce", "hard"])


cdef str public_name(Operator op, int i):
    cdef str name = <str>op.args[i].name
    return "input" if name == "self" and op.is_function and op.args[i].kind == K_TENSOR else name


cdef object array_operand(PyObject* o):
    """Return a NumPy array or number as a tensor or Python number; None for other objects."""
    cdef object obj = <object>o
    if PyFloat_Check(obj) or PyLong_Check(obj):
        return as_index(obj) if PyLong_Check(obj) else float(obj)
    module = type(obj).__module__
    if module == "numpy":
        if hasattr(obj, "__array_interface__"):
            return sockets.from_operand(obj)
    if isinstance(obj, complex):
        return complex(obj)
    return None


cdef object integer_of(object o):
    if PyBool_Check(o) or not PyIndex_Check(o):
        return None
    try:
        return as_index(o)
    except RecursionError:  # asked again for each overload, it would take exponential time
        raise
    except (TypeError, RuntimeError):
        return None


cdef bint _fits(object v) except -1:
    """Whether an int has at most 64 bits."""
    cdef int overflow = 0
    PyLong_AsLongLongAndOverflow(v, &overflow)
    return overflow == 0


cdef object _too_large():
    return ValueError("Overflow when unpacking long long")


cdef object _too_large_at(Operator op, Py_ssize_t i, Py_ssize_t position):
    return TypeError(f"{op.name}(): argument '{public_name(op, i)}' failed to unpack the object at pos {position + 1} "
                     f"with error \"{_too_large()}\"")


cdef dict _DTYPES = {float: FLOAT64, int: INT64, bool: BOOL, complex: COMPLEX128}


cdef object _number_in_list(object o):
    """Return a number as a Python number; NOTHING for other objects, including tensors."""
    if isinstance(o, (int, float, complex)):
        return o
    return o.item() if type(o).__module__ == "numpy" and getattr(o, "ndim", 1) == 0 else NOTHING


cdef object convert(Operator op, Py_ssize_t i, object o, bint quiet):
    """Return an argument in the form that kernels read, or NOTHING."""
    cdef int kind = op.args[i].kind
    cdef list items
    if kind == K_INT:
        v = integer_of(o)
        if v is not None:
            if _fits(v):
                return v
            raise _too_large()
    elif kind == K_INTS:
        if isinstance(o, (tuple, list)):
            items = []
            for position, item in enumerate(o):
                v = integer_of(item)
                if v is None and quiet:
                    return NOTHING
                if v is None:
                    raise TypeError(f"{op.name}(): argument '{public_name(op, i)}' must be tuple of ints, but found "
                                    f"element of type {type(item).__name__} at pos {position}")
                if not _fits(v):
                    raise _too_large_at(op, i, position)
                items.append(v)
            return tuple(items)
        v = integer_of(o)
        if v is not None and (op.args[i].flags & A_SINGLE or op.varargs == i):
            if _fits(v):
                return (v,)
            raise _too_large() if op.schema.arguments[i].size else _too_large_at(op, i, 0)
    elif kind == K_BOOL:
        if type(o).__name__ in ("bool_", "bool") and hasattr(o, "item"):
            return bool(o)
        if op.namespace == "torch.nn.functional" and op.schema.arguments[i].name in _TRUTHS:
            return bool(o)
    elif kind == K_FLOAT or kind == K_SCALAR:
        if isinstance(o, (int, float)) or (kind == K_SCALAR and isinstance(o, complex)):
            return float(o) if kind == K_FLOAT else o
        # A number has no gradient, so a tensor that requires one is not taken for a number.
        if hasattr(o, "item") and getattr(o, "ndim", 1) == 0 and not getattr(o, "requires_grad", False):
            v = o.item()
            if is_number(<PyObject*>v):
                return float(v) if kind == K_FLOAT and not isinstance(v, complex) else v
    elif kind == K_DTYPE:
        v = _DTYPES.get(o) if isinstance(o, type) else refuse_named(o, op.name)
        if v is not None:
            return dtype_object(v)
    elif kind == K_SCALARS:
        if isinstance(o, (tuple, list)):
            items = [_number_in_list(item) for item in o]
            if NOTHING not in items:
                return tuple(items)
        elif op.args[i].flags & A_SINGLE and is_number(<PyObject*>o):
            return (o,)
    elif kind == K_STR:
        if isinstance(o, str):
            return o
    return NOTHING
