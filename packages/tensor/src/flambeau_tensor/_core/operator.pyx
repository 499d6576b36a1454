# cython: language_level=3
"""The Operator: one object per operation, and the one path that every call takes.

1. bind the arguments to the schema's slots (positional calls with plain arguments take a fast lane);
2. ``__torch_function__``, when a mode is active or an argument's type overrides;
3. autograd, through a socket, when recording is on and an argument takes part; it runs step 4 itself;
4. the kernel.
"""
from cpython.bool cimport PyBool_Check
from cpython.float cimport PyFloat_Check, PyFloat_CheckExact
from cpython.list cimport PyList_Check, PyList_CheckExact, PyList_GET_ITEM, PyList_GET_SIZE
from cpython.long cimport PyLong_Check, PyLong_CheckExact
from cpython.object cimport Py_TPFLAGS_BASETYPE, PyObject, PyTypeObject
from cpython.ref cimport Py_DECREF, Py_INCREF
from cpython.tuple cimport PyTuple_Check, PyTuple_CheckExact, PyTuple_GET_ITEM, PyTuple_GET_SIZE, PyTuple_New, \
    PyTuple_SET_ITEM

from flambeau_overrides._dispatch cimport (
    active_modes_ptr, collect, dispatch, is_default, overridden, pop_disabled, push_disabled, subclass_disabled, type_overrides,
)

from flambeau_tensor._core cimport syntax as S
from flambeau_tensor._core cimport tensor as core
from flambeau_tensor._core.dtype cimport DType, dtype_from_npy, dtype_object
from flambeau_tensor._core.scalar cimport is_number
from flambeau_tensor._core.tensor cimport SizeType, Tensor, TensorType, as_subclass, grad_flags, is_plain
from flambeau_tensor._core.types cimport *

from flambeau_overrides.registry import ignore as ignore_override, register as register_override

from flambeau_tensor._core.schema import parse
from flambeau_tensor._core.tensor import set_constructor  # noqa: F401  (the module must be initialised)

cdef extern from "Python.h":
    Py_ssize_t PyVectorcall_NARGS(size_t)
    PyObject* PyObject_Vectorcall(PyObject*, PyObject* const*, size_t, PyObject*) except NULL
    int PyIndex_Check(object)
    object PyMethod_New(object, object)
    void PyType_Modified(PyTypeObject*)
    unsigned long Py_TPFLAGS_HAVE_VECTORCALL
    unsigned long Py_TPFLAGS_METHOD_DESCRIPTOR
    ctypedef struct FullType "PyTypeObject":
        Py_ssize_t tp_vectorcall_offset
        unsigned long tp_flags
        object (*tp_call)(object, object, object)
        PyObject* tp_dict
    object vectorcall_tp_call "PyVectorcall_Call"(object, object, object)

cdef extern from * nogil:
    """
    #if defined(_MSC_VER)
    #define FL_THREAD __declspec(thread)
    #else
    #define FL_THREAD __thread
    #endif
    typedef struct { int grad_enabled, inference, transforming, kernels; } fl_thread_state;
    static FL_THREAD fl_thread_state fl_state = {1, 0, 0, 0};
    """
    ctypedef struct fl_thread_state:
        bint grad_enabled
        bint inference
        bint transforming
        int kernels
    fl_thread_state fl_state

cdef ThreadState* thread_state() noexcept nogil:
    return <ThreadState*>&fl_state


cdef AutogradSocket _autograd
_autograd.abi = 1
_autograd.record = NULL


cdef AutogradSocket* autograd_socket() noexcept:
    return &_autograd


cdef int* _modes = active_modes_ptr()
cdef dict _registry = {}  # qualified name -> Operator
cdef PyObject* _syntax[64]  # S_… -> Operator (owned by the registry)
cdef dict _ACCESSORS = {"torch._get": "__get__", "torch._set": "__set__"}  # operators behind a tensor's attributes
cdef dict _dtype_of_python_type = {float: "float", int: "int64", bool: "bool", complex: "complex"}


cdef class Kernel:
    """A compiled kernel. Compiled modules make them; an Operator takes one or a Python function."""

    def __init__(self):
        raise TypeError("kernels are made by compiled modules")


cdef Kernel make_kernel(kernel_t run, bint handles_out=False):
    cdef Kernel k = Kernel.__new__(Kernel)
    k.run = run
    k.handles_out = handles_out
    return k


# --- step 1: binding ------------------------------------------------------------------------------------------------

cdef inline bint _quick(const ArgSpec* spec, PyObject* o) noexcept:
    """Whether `o` is already in the form that kernels read; tensors are the caller's."""
    cdef int kind = spec.kind
    cdef Py_ssize_t i
    if o == <PyObject*>None:
        return (spec.flags & A_OPTIONAL) != 0 or kind == K_ANY
    if kind == K_INT:
        return PyLong_CheckExact(<object>o)
    if kind == K_INTS:
        if o.ob_type == <PyTypeObject*>tuple or o.ob_type == <PyTypeObject*>SizeType:
            for i in range(PyTuple_GET_SIZE(<object>o)):
                if not PyLong_CheckExact(<object>PyTuple_GET_ITEM(<object>o, i)):
                    return False
            return True
        return spec.flags & A_SINGLE and PyLong_CheckExact(<object>o)
    if kind == K_BOOL:
        return PyBool_Check(<object>o)
    if kind == K_SCALAR:
        return is_number(o)
    if kind == K_FLOAT:
        return PyFloat_CheckExact(<object>o)
    if kind == K_DTYPE:
        return o.ob_type == <PyTypeObject*>DType
    if kind == K_STR:
        return o.ob_type == <PyTypeObject*>str
    return kind == K_ANY


cdef object _positional(Operator op, PyObject* const* args, Py_ssize_t n):
    """The fast lane: positional arguments of the expected types, nothing overridden."""
    cdef PyObject* slots[MAX_ARGS]
    cdef unsigned int flags = 0
    cdef Py_ssize_t i, j
    cdef PyObject* o
    cdef PyObject* element
    cdef ArgSpec* spec
    cdef bint tensors = False, numbers = False
    cdef PyObject* packed[MAX_ARGS]
    cdef tuple rest
    if _modes[0] != 0 or n < op.nrequired:
        return _general(op, args, n, NULL)
    if n > op.npos:
        if op.varargs < 0 or n == 0 or not PyLong_CheckExact(<object>args[op.varargs]):
            return _general(op, args, n, NULL)
        rest = PyTuple_New(n - op.varargs)  # `x.view(2, 3)`: the ints one by one
        for i in range(op.varargs, n):
            Py_INCREF(<object>args[i])
            PyTuple_SET_ITEM(rest, i - op.varargs, <object>args[i])
        for i in range(op.varargs):
            packed[i] = args[i]
        packed[op.varargs] = <PyObject*>rest
        return _positional(op, packed, op.varargs + 1)
    for i in range(n):
        o = args[i]
        spec = &op.args[i]
        if spec.kind == K_TENSOR:
            if is_plain(o):
                flags |= (<Tensor>o).flags
                tensors = True
            elif o == <PyObject*>None and spec.flags & A_OPTIONAL:
                pass
            elif spec.flags & A_NUMBER and is_number(o):
                numbers = True
            else:
                return _general(op, args, n, NULL)
        elif spec.kind == K_TENSORS:
            if not PyTuple_CheckExact(<object>o):
                return _general(op, args, n, NULL)
            for j in range(PyTuple_GET_SIZE(<object>o)):
                element = PyTuple_GET_ITEM(<object>o, j)
                if not is_plain(element):
                    return _general(op, args, n, NULL)
                flags |= (<Tensor>element).flags
        elif not _quick(spec, o):
            return _general(op, args, n, NULL)
        slots[i] = o
    if numbers and not tensors:
        return _general(op, args, n, NULL)
    for i in range(n, op.nslots):
        slots[i] = op.args[i].default
    return call_slots(op, slots, flags)


# How the call that is being bound was spelled: errors count a method's arguments without `self`.
cdef bint _as_method = False


cdef object _vectorcall(Operator op, PyObject* const* args, size_t nargsf, PyObject* kwnames):
    global _as_method
    _as_method = False
    if kwnames == NULL:
        return _positional(op, args, PyVectorcall_NARGS(nargsf))
    return _general(op, args, PyVectorcall_NARGS(nargsf), kwnames)


cdef dict _ALIASES = {"axis": "dim", "keepdims": "keepdim", "x": "self", "x1": "self", "x2": "other", "input": "self",
                      "a": "self", "axes": "dims"}


cdef int _slot_of(Operator op, object name) except -2:
    i = op.index.get(name)
    if i is None:
        other = _ALIASES.get(name)
        i = op.index.get(other)
        if i is None and other == "dim":
            i = op.index.get("dims")
        if i is None:
            return -1
    return i


cdef str _public_name(Operator op, int i):
    cdef str name = <str>op.args[i].name
    return "input" if name == "self" and op.is_function else name


cdef object _general(Operator op, PyObject* const* args, Py_ssize_t n, PyObject* kwnames):
    """Bind anything a schema allows, with PyTorch's errors; look for overrides on the way."""
    cdef PyObject* slots[MAX_ARGS]
    cdef list keep = []  # owns what binding converted
    cdef list overloaded = None
    cdef unsigned int flags = 0
    cdef Py_ssize_t i, j, m
    cdef int k
    cdef PyObject* o
    cdef ArgSpec* spec
    cdef bint tensors = False, numbers = False, watching = not subclass_disabled()
    for i in range(op.nslots):
        slots[i] = NULL
    if n > op.npos:
        if op.varargs >= 0 and n > op.varargs and _integer(<object>args[op.varargs]) is not None:
            rest = tuple([<object>args[j] for j in range(op.varargs, n)])
            keep.append(rest)
            for i in range(op.varargs):
                slots[i] = args[i]
            slots[op.varargs] = <PyObject*>rest
        else:
            raise TypeError(_arity(op, n))
    else:
        for i in range(n):
            slots[i] = args[i]
    if kwnames != NULL:
        m = PyTuple_GET_SIZE(<object>kwnames)
        for j in range(m):
            key = <object>PyTuple_GET_ITEM(<object>kwnames, j)
            k = _slot_of(op, key)
            if k < 0:
                raise TypeError(f"{op.name}() got an unexpected keyword argument '{key}'")
            if slots[k] != NULL:
                raise TypeError(f"{op.name}() got multiple values for argument '{key}'")
            slots[k] = args[n + j]
    for i in range(op.nslots):
        spec = &op.args[i]
        o = slots[i]
        if o == NULL:
            if spec.default == NULL:
                missing = [f'"{_public_name(op, j)}"' for j in range(op.nslots)
                           if slots[j] == NULL and op.args[j].default == NULL]
                raise TypeError(f"{op.name}() missing {len(missing)} required positional arguments: "
                                + ", ".join(missing))
            slots[i] = spec.default
        elif spec.kind == K_TENSOR:
            if o.ob_type == TensorType:
                tensors = True
                flags |= (<Tensor>o).flags
            elif o == <PyObject*>None and spec.flags & A_OPTIONAL:
                pass
            elif watching and type_overrides(o.ob_type):
                tensors = True
                if overloaded is None:
                    overloaded = []
                collect(overloaded, <object>o)
                if isinstance(<object>o, Tensor):
                    flags |= (<Tensor>o).flags
            elif isinstance(<object>o, Tensor):
                tensors = True
                flags |= (<Tensor>o).flags
            elif spec.flags & A_NUMBER and is_number(o):
                numbers = True
            else:
                converted = _array_operand(o) if spec.flags & A_NUMBER else None
                if converted is None:
                    raise _wrong(op, i, n, <object>o)
                if isinstance(converted, Tensor):
                    tensors = True
                keep.append(converted)
                slots[i] = <PyObject*>converted
        elif spec.kind == K_TENSORS:
            if not (PyTuple_Check(<object>o) or PyList_Check(<object>o)):
                if o == <PyObject*>None and spec.flags & A_OPTIONAL:
                    continue
                raise _wrong(op, i, n, <object>o)
            items = tuple(<object>o)
            keep.append(items)
            slots[i] = <PyObject*>items
            for j in range(len(items)):
                element = items[j]
                if type(element) is Tensor:
                    flags |= (<Tensor>element).flags
                elif watching and type_overrides((<PyObject*>element).ob_type):
                    if overloaded is None:
                        overloaded = []
                    collect(overloaded, element)
                    if isinstance(element, Tensor):
                        flags |= (<Tensor>element).flags
                elif isinstance(element, Tensor):
                    flags |= (<Tensor>element).flags
                elif element is not None or "?" not in op.schema.arguments[i].type:
                    raise TypeError(f"{op.name}(): expected Tensor as element {j} in argument {_position(op, i) - 1}, "
                                    f"but got {type(element).__name__}")
        elif not _quick(spec, o):
            converted = _convert(op, i, n, <object>o)
            keep.append(converted)
            slots[i] = <PyObject*>converted
    if numbers and not tensors:
        for i in range(op.nslots):
            if op.args[i].kind == K_TENSOR and not op.args[i].flags & (A_NUMBER | A_OUT):
                break
        else:
            numbers = False  # `torch.add(1, 2)`: every tensor may be a number
        for i in range(op.nslots):
            if numbers and op.args[i].kind == K_TENSOR and is_number(slots[i]):
                raise _wrong(op, i, n, <object>slots[i])
    if overloaded is not None or (_modes[0] != 0 and watching):
        if overloaded is None:
            overloaded = []
        if _modes[0] != 0 or not _all_default(overloaded):
            if overridden(op, overloaded):
                return _overridden(op, overloaded, args, n, kwnames)
        if not overloaded:
            return call_slots(op, slots, flags)
        return _as_subclass(op, overloaded, slots, flags, args, n, kwnames)
    return call_slots(op, slots, flags)


cdef str _arity(Operator op, Py_ssize_t n):
    cdef int least = op.nrequired
    takes = str(op.npos) if least == op.npos else f"from {least} to {op.npos}"
    return f"{op.name}() takes {takes} positional argument{'' if op.npos == 1 else 's'} but {n} " \
           f"{'was' if n == 1 else 'were'} given"


cdef int _position(Operator op, Py_ssize_t i):
    return <int>(i if i > 0 and (_as_method or not op.is_function) else i + 1)


cdef dict _EXPECTED = {
    K_TENSOR: "Tensor", K_TENSORS: "tuple of Tensors", K_INT: "int", K_INTS: "tuple of ints", K_BOOL: "bool",
    K_FLOAT: "float", K_SCALAR: "Number", K_DTYPE: "torch.dtype", K_STR: "str", K_SCALARS: "tuple of Scalars",
}


cdef object _wrong(Operator op, Py_ssize_t i, Py_ssize_t npositional, object got):
    where = f" (position {_position(op, i)})" if i < npositional else ""
    return TypeError(f"{op.name}(): argument '{_public_name(op, i)}'{where} must be {_EXPECTED[op.args[i].kind]}, "
                     f"not {type(got).__name__}")


cdef object _array_operand(PyObject* o):
    """A NumPy array or number standing where a tensor or number may stand, converted; else None."""
    cdef object obj = <object>o
    if PyFloat_Check(obj) or PyLong_Check(obj):
        return obj.__index__() if PyLong_Check(obj) else float(obj)
    module = type(obj).__module__
    if module == "numpy":
        if hasattr(obj, "__array_interface__"):
            from flambeau_tensor._kernels.interop import from_array_operand

            return from_array_operand(obj)
    if isinstance(obj, complex):
        return complex(obj)
    return None


cdef object _integer(object o):
    if PyBool_Check(o) or not PyIndex_Check(o):
        return None
    try:
        return o.__index__()
    except (TypeError, RuntimeError):
        return None


cdef object _convert(Operator op, Py_ssize_t i, Py_ssize_t npositional, object o):
    """Bring an argument into the form that kernels read, or raise PyTorch's TypeError."""
    cdef int kind = op.args[i].kind
    cdef list items
    if kind == K_INT:
        v = _integer(o)
        if v is not None:
            return v
    elif kind == K_INTS:
        if isinstance(o, (tuple, list)):
            items = []
            for position, item in enumerate(o):
                v = _integer(item)
                if v is None:
                    raise TypeError(
                        f"{op.name}(): argument '{_public_name(op, i)}' must be tuple of ints, but found element of "
                        f"type {type(item).__name__} at pos {position}")
                items.append(v)
            return tuple(items)
        v = _integer(o)
        if v is not None and (op.args[i].flags & A_SINGLE or op.varargs == i):
            return (v,)
    elif kind == K_BOOL:
        if type(o).__name__ in ("bool_", "bool") and hasattr(o, "item"):
            return bool(o)
    elif kind == K_FLOAT or kind == K_SCALAR:
        if isinstance(o, (int, float)) or (kind == K_SCALAR and isinstance(o, complex)):
            return float(o) if kind == K_FLOAT else o
        if hasattr(o, "item") and getattr(o, "ndim", 1) == 0:
            v = o.item()
            if is_number(<PyObject*>v):
                return float(v) if kind == K_FLOAT and not isinstance(v, complex) else v
    elif kind == K_DTYPE:
        name = _dtype_of_python_type.get(o) if isinstance(o, type) else None
        if name is not None:
            from flambeau_tensor._core.dtype import get_default_dtype

            if name == "float":
                return dtype_object(FLOAT64)
            return dtype_object(COMPLEX128) if name == "complex" else dtype_object(INT64 if name == "int64" else BOOL)
    elif kind == K_SCALARS:
        if isinstance(o, (tuple, list)):
            return tuple(o)
        if is_number(<PyObject*>o):
            return (o,)
    elif kind == K_STR:
        if isinstance(o, str):
            return o
    raise _wrong(op, i, npositional, o)


# --- step 2: overrides ----------------------------------------------------------------------------------------------

cdef bint _all_default(list overloaded) except -1:
    cdef object o
    for o in overloaded:
        if not is_default((<PyObject*>o).ob_type):
            return False
    return True


cdef object _overridden(Operator op, list overloaded, PyObject* const* args, Py_ssize_t n, PyObject* kwnames):
    cdef tuple positional = PyTuple_New(n)
    cdef Py_ssize_t i
    cdef dict kwargs = None
    for i in range(n):
        o = <object>args[i]
        Py_INCREF(o)
        PyTuple_SET_ITEM(positional, i, o)
    if kwnames != NULL:
        kwargs = {}
        for i in range(PyTuple_GET_SIZE(<object>kwnames)):
            kwargs[<object>PyTuple_GET_ITEM(<object>kwnames, i)] = <object>args[n + i]
    return dispatch(op, overloaded, positional, kwargs)


cdef object _as_subclass(Operator op, list overloaded, PyObject** slots, unsigned int flags,
                         PyObject* const* args, Py_ssize_t n, PyObject* kwnames):
    """What Tensor.__torch_function__ would do for subclasses that override nothing, without leaving C."""
    cdef object cls = None
    cdef object a, b
    for a in overloaded:
        cls = type(a)
        for b in overloaded:
            if not issubclass(cls, type(b)):
                cls = None
                break
        if cls is not None:
            break
    if cls is None:
        return _overridden(op, overloaded, args, n, kwnames)
    push_disabled()
    try:
        result = call_slots(op, slots, flags)
    finally:
        pop_disabled()
    if op.flags & OP_PLAIN_RESULT:
        return result
    return rewrap(result, cls)


cpdef object rewrap(object result, cls):
    """``result`` with every plain Tensor in it made an instance of ``cls``."""
    if type(result) is Tensor:
        return as_subclass(<Tensor>result, <PyTypeObject*>cls)
    if isinstance(result, tuple):
        items = [rewrap(r, cls) for r in result]
        return type(result)(items) if type(result) is tuple or hasattr(result, "n_fields") else tuple(items)
    if type(result) is list:
        return [rewrap(r, cls) for r in result]
    return result


# --- steps 3 and 4 --------------------------------------------------------------------------------------------------

cdef object call_slots(Operator op, PyObject** slots, unsigned int flags):
    if not fl_state.grad_enabled:
        return _call_unrecorded(op, slots, flags)
    if flags & (REQUIRES_GRAD | TANGENT | VIEW | INFERENCE) or fl_state.transforming:
        if op.flags & OP_RECORD:
            if flags & (REQUIRES_GRAD | TANGENT) or fl_state.transforming or (flags & VIEW and _of_recorded(op, slots)):
                return _record(op, slots, flags)
        if flags & INFERENCE:
            _check_inference(op, slots)
    return op.kernel(op, slots)


cdef object _record(Operator op, PyObject** slots, unsigned int flags):
    if _autograd.record == NULL:
        raise RuntimeError(f"{op.name}(): recording needs flambeau-autograd: pip install flambeau-autograd")
    return _autograd.record(op, slots, flags)


cdef bint _of_recorded(Operator op, PyObject** slots) noexcept:
    """Whether an argument is a view of a tensor that came to require grad after the view was made."""
    cdef Py_ssize_t i, j
    cdef object o
    for i in range(op.nslots):
        if op.args[i].kind == K_TENSOR:
            if isinstance(<object>slots[i], Tensor) and grad_flags(<Tensor>slots[i]) & REQUIRES_GRAD:
                return True
        elif op.args[i].kind == K_TENSORS and slots[i] != <PyObject*>None:
            for o in <tuple>slots[i]:
                if isinstance(o, Tensor) and grad_flags(<Tensor>o) & REQUIRES_GRAD:
                    return True
    return False


cdef int _check_inference(Operator op, PyObject** slots) except -1:
    if op.flags & OP_INPLACE and (<Tensor>slots[0]).flags & INFERENCE and not fl_state.inference:
        raise RuntimeError("Inplace update to inference tensor outside InferenceMode is not allowed. You can make a "
                           "clone to get a normal tensor before doing inplace update.")
    return 0


cdef object _call_unrecorded(Operator op, PyObject** slots, unsigned int flags):
    """Recording is off. The results remember it where that matters: views, and everything in inference mode."""
    if fl_state.kernels == 0:
        if flags & INFERENCE:
            _check_inference(op, slots)
        if op.flags & OP_RECORD and (flags & TANGENT or fl_state.transforming):
            return _record(op, slots, flags)
        if op.flags & OP_VIEW or fl_state.inference:
            result = op.kernel(op, slots)
            if not op.flags & OP_INPLACE:
                _mark_unrecorded(result, op, slots)
            return result
    return op.kernel(op, slots)


cdef int _mark_unrecorded(object result, Operator op, PyObject** slots) except -1:
    cdef Tensor t
    cdef int i
    if isinstance(result, Tensor):
        t = <Tensor>result
        for i in range(op.nslots):
            if <PyObject*>t == slots[i]:
                return 0
        if t.base is not None and not t.base.flags & INFERENCE:
            t.flags |= NO_GRAD_VIEW
        elif fl_state.inference:
            t.flags |= INFERENCE
    elif isinstance(result, (tuple, list)):
        for o in result:
            _mark_unrecorded(o, op, slots)
    return 0


cdef object call_kernel(Operator op, PyObject** slots):
    return op.kernel(op, slots)


cdef object call1(Operator op, object a):
    cdef PyObject* args = <PyObject*>a
    return _positional(op, &args, 1)


cdef object call2(Operator op, object a, object b):
    cdef PyObject* args[2]
    args[0], args[1] = <PyObject*>a, <PyObject*>b
    return _positional(op, args, 2)


cdef object _run_python(Operator op, PyObject** slots):
    """A kernel written in Python: what it calls is neither recorded nor overridden."""
    cdef bint recording = fl_state.grad_enabled
    fl_state.grad_enabled = False
    fl_state.kernels += 1
    push_disabled()
    try:
        return <object>_owned(PyObject_Vectorcall(<PyObject*>op.implementation, slots, op.nslots, NULL))
    finally:
        pop_disabled()
        fl_state.kernels -= 1
        fl_state.grad_enabled = recording


cdef object _run_composite(Operator op, PyObject** slots):
    return _owned(PyObject_Vectorcall(<PyObject*>op.implementation, slots, op.nslots, NULL))


cdef inline object _owned(PyObject* new_reference):
    o = <object>new_reference
    Py_DECREF(o)
    return o


cdef object _run_out(Operator op, PyObject** slots):
    """`out=` for kernels that only make fresh results: compute, then write into what was given."""
    cdef PyObject* out = slots[op.out_index]
    if out == <PyObject*>None:
        return _raw(op)(op, slots)
    slots[op.out_index] = <PyObject*>None
    try:
        result = _raw(op)(op, slots)
    finally:
        slots[op.out_index] = out
    from flambeau_tensor._core.elementwise import write_out

    return write_out(op.name, <object>out, result)


cdef object _run_inplace(Operator op, PyObject** slots):
    """In-place variants of kernels that only make fresh results."""
    result = _raw(op)(op, slots)
    from flambeau_tensor._core.elementwise import write_inplace

    return write_inplace(op.name, <object>slots[0], result)


cdef inline kernel_t _raw(Operator op):
    if isinstance(op.implementation, Kernel):
        return (<Kernel>op.implementation).run
    return _run_composite if op.flags & OP_COMPOSITE else _run_python


cdef object _run_named(Operator op, PyObject** slots):
    """Several named results come as a named tuple."""
    cdef kernel_t inner = _run_out if op.out_index >= 0 and not op.flags & OP_OUT else _raw(op)
    result = inner(op, slots)
    if op.result_type is None:
        from flambeau_tensor.return_types import named_result

        op.result_type = named_result(op.name, tuple([r.name for r in op.schema.returns]))
    return op.result_type(result)


# --- the object -----------------------------------------------------------------------------------------------------

cdef class Operator:
    """An operation: declared once, by a schema and a kernel; called like a function or placed as a method.

    Args:
        schema: in PyTorch's schema language. ``Tensor(a)`` results make it a view; ``out`` comes by naming it.
        implementation: a compiled Kernel, or a Python function that takes the arguments in the schema's order.
        namespace: where users find it: ``"torch"``, ``"torch.nn.functional"``, …
        variants: ``"function method"`` or one of them; ``"inplace"`` adds ``name_``, ``"inplace_function"`` also as
            a function.
        syntax: the names of Python's operators it answers, such as ``"add iadd"``.
        numbers: arguments that take a Python number in place of a tensor.
        composite: the implementation calls other operators, which record and batch by themselves.
        differentiable: False says that it never has gradients (integer results, random numbers, …).
        plain_result: subclasses get a plain result.
        doc: the documentation; a Python implementation's docstring serves as well.
    """

    def __init__(self, str schema not None, implementation, *, str namespace="torch",
                 str variants="function method", str syntax="", str numbers="", bint composite=False,
                 bint differentiable=True, bint plain_result=False, doc=None):
        _fill(self, parse(schema), implementation, namespace, variants, numbers, composite, differentiable, plain_result)
        self.doc = doc
        _declare(self, variants, syntax, numbers)

    def _make_inplace(self, bint as_function):
        """The operator ``name_`` over the same kernel."""
        cdef Operator v = Operator.__new__(Operator)
        schema = parse(f"{self.name}_({_inplace_arguments(self.schema.arguments)}) -> Tensor(a!)")
        v.functional = self
        words = ("function " if as_function else "") + ("method" if self.is_method or not as_function else "")
        _fill(v, schema, self.implementation, self.namespace, words, "",
               (self.flags & OP_COMPOSITE) != 0, (self.flags & OP_RECORD) != 0, True)
        for i in range(1, self.nslots):  # the same slots, but `out` may not be given
            v.args[i].flags = self.args[i].flags
        if self.out_index >= 0:
            v.out_index = self.out_index
            del v.index["out"]
        v.flags = (v.flags | OP_INPLACE) & ~OP_VIEW
        self.inplace = v
        return v

    def __get__(self, instance, owner):
        # Only what stands in Tensor's dictionary binds, and that is a Method; a class attribute stays a function.
        return self

    def __repr__(self):
        return f"<operator {self.__torch_name__}>"

    def __reduce__(self):
        return find_operator, (self.__torch_name__,)

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self

    @property
    def __name__(self):
        return _ACCESSORS.get(self.namespace, self.name)

    @property
    def __qualname__(self):
        return self.__torch_name__.removeprefix("torch.")

    @property
    def __module__(self):
        return "torch" if self.namespace in _ACCESSORS else self.namespace

    @property
    def __torch_name__(self):
        """How errors and overrides name it: ``torch.add``, ``torch.Tensor.add_``, ``torch.Tensor.shape.__get__``."""
        if self.namespace in _ACCESSORS:
            return f"torch.Tensor.{self.name}.{_ACCESSORS[self.namespace]}"
        return f"{self.namespace}.{self.name}" if self.is_function else f"torch.Tensor.{self.name}"

    @property
    def numbers(self):
        """The names of the tensor arguments for which a Python number may stand."""
        return tuple([a.name for i, a in enumerate(self.schema.arguments)
                      if self.args[i].kind == K_TENSOR and self.args[i].flags & A_NUMBER])

    def testing_signature(self):
        """The arguments that a test of an override has to pass, see `documentation.testing_signature`."""
        from flambeau_tensor.documentation import testing_signature

        return testing_signature(self)

    @property
    def __doc__(self):
        from flambeau_tensor.documentation import docstring

        return docstring(self, self.doc)

    @property
    def __signature__(self):
        from flambeau_tensor.documentation import signature

        return signature(self)

    @property
    def __dict__(self):
        if self.extra is None:
            self.extra = {}
        return self.extra

    @property
    def returns_view(self):
        return (self.flags & OP_VIEW) != 0

    @property
    def plain_result(self):
        return (self.flags & OP_PLAIN_RESULT) != 0

    @property
    def records(self):
        return (self.flags & OP_RECORD) != 0

    @property
    def is_composite(self):
        return (self.flags & OP_COMPOSITE) != 0


cdef int _fill(Operator self, schema, implementation, str namespace, str variants, str numbers, bint composite,
              bint differentiable, bint plain_result) except -1:
    cdef int i, kind
    cdef ArgSpec* spec
    cdef bint inplace = False
    number_names = numbers.split()
    words = variants.split()
    self.vectorcall = <vectorcallfunc>_vectorcall
    self.schema = schema
    self.name = schema.name
    self.namespace = namespace
    self.implementation = implementation
    self.is_function = "function" in words
    self.is_method = "method" in words
    self.out_index = -1
    self.varargs = -1
    self.index = {}
    self.nslots = len(schema.arguments)
    for i, a in enumerate(schema.arguments):
        spec = &self.args[i]
        kind = a.kind
        spec.kind = kind
        spec.flags = 0
        name = a.name
        self.index[name] = i
        spec.name = <PyObject*>name  # owned by the schema
        spec.default = NULL
        if a.has_default:
            default = a.default
            spec.default = <PyObject*>default  # likewise
        if a.optional:
            spec.flags |= A_OPTIONAL
        if name in number_names:
            spec.flags |= A_NUMBER
        if kind == K_INTS and a.size:
            spec.flags |= A_SINGLE
        if name == "out" and a.write:
            spec.flags |= A_OUT
            self.out_index = i
        if a.write and i == 0:
            inplace = True
        if not a.kwarg_only:
            self.npos = i + 1
            if not a.has_default:
                self.nrequired = i + 1
    for i in range(self.npos):  # `x.permute(0, 1)`: ints one by one where a list of ints is first after self
        if schema.arguments[i].is_list and self.args[i].kind in (K_INTS, K_ANY) and \
                (i == 0 or (i == 1 and self.args[0].kind == K_TENSOR)):
            self.varargs = i
    if self.varargs >= 0:
        self.args[self.varargs].flags |= A_SINGLE
    self.flags = 0
    if differentiable and not composite:
        self.flags |= OP_RECORD
    if inplace:
        self.flags |= OP_INPLACE
    if composite:
        self.flags |= OP_COMPOSITE
    if plain_result:
        self.flags |= OP_PLAIN_RESULT
    if not inplace and schema.returns and schema.returns[0].alias and not schema.returns[0].write:
        self.flags |= OP_VIEW
    _choose_kernel(self)
    return 0


cdef int _choose_kernel(Operator self) except -1:
    cdef bint native = isinstance(self.implementation, Kernel) and (<Kernel>self.implementation).handles_out
    if native:
        self.flags |= OP_OUT
    if not isinstance(self.implementation, Kernel) and not callable(self.implementation):
        raise TypeError(f"{self.name}: a kernel or a function is needed, not {self.implementation!r}")
    if len(self.schema.returns) > 1 and self.schema.returns[0].name:
        self.kernel = _run_named
    elif self.functional is not None and not native:
        self.kernel = _run_inplace
    elif self.out_index >= 0 and not native:
        self.kernel = _run_out
    else:
        self.kernel = _raw(self)
    return 0


cdef class Method:
    """An operator in the Tensor's dictionary: binds to tensors; seen from the class it is the operator itself."""

    cdef vectorcallfunc vectorcall
    cdef readonly Operator operator

    def __get__(self, instance, owner):
        if instance is None:
            return self.operator
        return PyMethod_New(self.operator, instance)

    def __repr__(self):
        return f"<method of {self.operator!r}>"


cdef class Property:
    """A tensor's attribute, answered by an operator of one argument; assignment by another of two."""

    cdef readonly Operator getter
    cdef readonly Operator setter
    cdef readonly str __name__

    def __init__(self, Operator getter not None, Operator setter=None):
        self.getter, self.setter = getter, setter
        self.__name__ = getter.name

    def __get__(self, instance, owner):
        cdef PyObject* slot
        if instance is None:
            return self
        if type(instance) is Tensor and _modes[0] == 0:
            slot = <PyObject*>instance
            return call_slots(self.getter, &slot, (<Tensor>instance).flags)
        return call1(self.getter, instance)

    def __set__(self, instance, value):
        if self.setter is None:
            raise AttributeError(f"attribute '{self.getter.name}' of 'torch.Tensor' objects is not writable")
        call2(self.setter, instance, value)

    def __delete__(self, instance):
        if self.setter is None:
            raise AttributeError(f"attribute '{self.getter.name}' of 'torch.Tensor' objects is not writable")
        call2(self.setter, instance, None)

    @property
    def __doc__(self):
        return self.getter.__doc__

    def __repr__(self):
        return f"<attribute '{self.__name__}' of 'torch.Tensor' objects>"


cdef object _method_vectorcall(Method m, PyObject* const* args, size_t nargsf, PyObject* kwnames):
    global _as_method
    _as_method = True
    if kwnames == NULL:
        return _positional(m.operator, args, PyVectorcall_NARGS(nargsf))
    return _general(m.operator, args, PyVectorcall_NARGS(nargsf), kwnames)


cdef str _inplace_arguments(tuple arguments):
    parts = []
    for i, a in enumerate(arguments):
        if i == 0:
            parts.append(f"Tensor(a!) {a.name}")
            continue
        if a.kwarg_only and "*" not in parts:
            parts.append("*")
        text = f"{a.type.replace('(a!)', '')} {a.name}"
        parts.append(f"{text}={_spell(a.default)}" if a.has_default else text)
    return ", ".join(parts)


cdef str _spell(value):
    if isinstance(value, str):
        return f"'{value}'"
    if isinstance(value, tuple):
        return "[" + ", ".join(_spell(v) for v in value) + "]"
    return repr(value)


cdef int _enable_vectorcall(type cls, Py_ssize_t offset, bint descriptor) except -1:
    cdef FullType* t = <FullType*>cls
    t.tp_vectorcall_offset = offset
    t.tp_flags |= Py_TPFLAGS_HAVE_VECTORCALL
    if descriptor:
        t.tp_flags |= Py_TPFLAGS_METHOD_DESCRIPTOR
    t.tp_call = vectorcall_tp_call
    PyType_Modified(<PyTypeObject*>cls)
    return 0


def _prepare():
    cdef Operator op = Operator.__new__(Operator)
    cdef Method m = Method.__new__(Method)
    _enable_vectorcall(Operator, <char*>&op.vectorcall - <char*><PyObject*>op, False)
    _enable_vectorcall(Method, <char*>&m.vectorcall - <char*><PyObject*>m, True)
    # `Tensor.shape.__get__` is what handlers get when `t.shape` is overridden: the operator behind the attribute.
    members = <dict>(<FullType*>Property).tp_dict
    members["__get__"], members["__set__"] = members["getter"], members["setter"]
    PyType_Modified(<PyTypeObject*>Property)


_prepare()


# --- the registry ---------------------------------------------------------------------------------------------------

cdef dict _SYNTAX = {
    "add": S.S_ADD, "sub": S.S_SUB, "mul": S.S_MUL, "truediv": S.S_TRUEDIV, "floordiv": S.S_FLOORDIV, "mod": S.S_MOD,
    "pow": S.S_POW, "matmul": S.S_MATMUL, "and": S.S_AND, "or": S.S_OR, "xor": S.S_XOR, "lshift": S.S_LSHIFT,
    "rshift": S.S_RSHIFT, "iadd": S.S_IADD, "isub": S.S_ISUB, "imul": S.S_IMUL, "itruediv": S.S_ITRUEDIV,
    "ifloordiv": S.S_IFLOORDIV, "imod": S.S_IMOD, "ipow": S.S_IPOW, "iand": S.S_IAND, "ior": S.S_IOR,
    "ixor": S.S_IXOR, "ilshift": S.S_ILSHIFT, "irshift": S.S_IRSHIFT, "lt": S.S_LT, "le": S.S_LE, "eq": S.S_EQ,
    "ne": S.S_NE, "gt": S.S_GT, "ge": S.S_GE, "neg": S.S_NEG, "pos": S.S_POS, "abs": S.S_ABS, "invert": S.S_INVERT,
    "bool": S.S_BOOL, "int": S.S_INT, "float": S.S_FLOAT, "complex": S.S_COMPLEX, "index": S.S_INDEX, "len": S.S_LEN,
    "iter": S.S_ITER, "contains": S.S_CONTAINS, "getitem": S.S_GETITEM, "setitem": S.S_SETITEM,
}


def set_attribute(str name not None, value):
    """Put ``value`` into the Tensor's dictionary."""
    cdef FullType* t = <FullType*>TensorType
    (<dict>t.tp_dict)[name] = value
    PyType_Modified(TensorType)


cdef int _place_method(str name, Operator op) except -1:
    cdef Method m = Method.__new__(Method)
    m.vectorcall = <vectorcallfunc>_method_vectorcall
    m.operator = op
    set_attribute(name, m)
    return 0


cdef bint _takes_tensors(Operator op) noexcept:
    cdef int i
    for i in range(op.nslots):
        if op.args[i].kind <= K_TENSORS and i != op.out_index:
            return True
    return False


cdef int _declare(Operator op, str variants, str syntax, str numbers) except -1:
    cdef Operator inplace
    cdef str key = op.__torch_name__
    words = variants.split()
    if key in _registry:
        raise ValueError(f"operator {key} is declared twice")
    _registry[key] = op
    if not _takes_tensors(op):
        ignore_override(op)
    elif op.is_function and not op.namespace.startswith("torch._"):
        register_override(op.namespace, op.name, op, op.testing_signature)
    if op.is_method:
        register_override("torch.Tensor", op.name, op, op.testing_signature)
        _place_method(op.name, op)
    if "inplace" in words or "inplace_function" in words:
        inplace = op._make_inplace("inplace_function" in words)
        _declare(inplace, "method", "", "")
        (<Operator>inplace).doc = f"In-place version of :func:`{op.__torch_name__}`."
    for word in syntax.split():
        target = op.inplace if word[0] == "i" and word in _SYNTAX and op.inplace is not None and word not in \
            ("invert", "int", "index", "iter") else op
        _syntax[<int>_SYNTAX[word]] = <PyObject*>target
    return 0


def place_property(str name not None, Operator getter not None, Operator setter=None):
    """Make an operator of one argument an attribute of tensors."""
    set_attribute(name, Property(getter, setter))
    for accessor, op in (("__get__", getter), ("__set__", setter)):
        if op is not None:
            register_override("torch.Tensor", f"{name}.{accessor}", op, op.testing_signature)


def alias(str name not None, Operator op not None, *, bint method=True):
    """A second name for an operator; the object stays one."""
    if op.is_function:
        _aliases[f"{op.namespace}.{name}"] = op
    if method and op.is_method:
        _place_method(name, op)
    if op.inplace is not None:
        alias(name + "_", op.inplace, method=method)
    return op


cdef dict _aliases = {}


cdef Operator find(str name):
    op = _registry.get(name)
    if op is None:
        op = _aliases.get(name)
    if op is None:
        raise AttributeError(f"no operator named '{name}'")
    return op


def find_operator(str name not None):
    """The operator of a qualified name, such as ``"torch.add"``."""
    return find(name)


def operators():
    """Every operator by qualified name."""
    return dict(_registry)


def syntax_operators():
    """The operators that answer Python's syntax, by the name of the syntax: ``{"add": <operator torch.add>, ...}``."""
    return {word: <object>_syntax[<int>i] for word, i in _SYNTAX.items() if _syntax[<int>i] != NULL}


def functions(str namespace not None):
    """What a namespace offers: names and operators, aliases included."""
    out = {}
    cdef Operator op
    for key, op in _registry.items():
        if op.is_function and op.namespace == namespace:
            out[op.name] = op
    for key, op in _aliases.items():
        if op.namespace == namespace:
            out[key.rpartition(".")[2]] = op
    return out


# --- Python's syntax ------------------------------------------------------------------------------------------------

cdef bint _acceptable(object o):
    cdef PyObject* p = <PyObject*>o
    if p.ob_type == TensorType or is_number(p) or isinstance(o, Tensor):
        return True
    if type_overrides(p.ob_type) and not subclass_disabled():
        return True
    return PyFloat_Check(o) or PyLong_Check(o) or type(o).__module__ == "numpy"


cdef object _call_syntax(int which, object a, object b):
    cdef Operator op
    cdef PyObject* args[3]
    if _syntax[which] == NULL:
        if S.S_ADD <= which <= S.S_GE:
            return NotImplemented
        raise NotImplementedError(f"no operator answers this syntax yet: {[k for k, v in _SYNTAX.items() if v == which]}")
    op = <Operator>_syntax[which]
    args[0], args[1] = <PyObject*>a, <PyObject*>b
    if which >= S.S_NEG:
        if which == S.S_SETITEM:
            args[1] = PyTuple_GET_ITEM(b, 0)
            args[2] = PyTuple_GET_ITEM(b, 1)
            return _positional(op, args, 3)
        return _positional(op, args, 1 if which < S.S_CONTAINS else 2)
    if (not is_plain(args[0]) and not _acceptable(a)) or \
            (not is_plain(args[1]) and not is_number(args[1]) and not _acceptable(b)):
        return NotImplemented
    return _positional(op, args, 2)


core.call_syntax = _call_syntax
for _i in range(64):
    _syntax[_i] = NULL


# --- grad mode ------------------------------------------------------------------------------------------------------

def is_grad_enabled():
    """Whether this thread records."""
    return fl_state.grad_enabled != 0


def set_grad_mode(bint on):
    """Switch recording in this thread; returns what it was."""
    was = fl_state.grad_enabled != 0
    fl_state.grad_enabled = on
    return was
