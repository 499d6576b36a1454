# cython: language_level=3
"""Python's syntax on tensors: the operator and the method that each slot calls."""
from cpython.float cimport PyFloat_Check
from cpython.long cimport PyLong_Check
from cpython.object cimport PyObject
from cpython.tuple cimport PyTuple_GET_ITEM

from flambeau_overrides.abi cimport active_modes_ptr, collect_vector, overridden, subclass_disabled, type_overrides

from flambeau_tensor._core.call cimport sockets as sockets_in_c
from flambeau_tensor._core.call.binding cimport hand_over
from flambeau_tensor._core.call.operator cimport A_NUMBER, Operator, call_positional, is_bare_subclass
from flambeau_tensor._core.elementwise.scalar cimport is_number
from flambeau_tensor._core.memory.subclass cimport is_light_subclass, is_tensor
from flambeau_tensor._core.memory.tensor cimport TensorType, is_plain
from flambeau_tensor._core.call.syntax_slots cimport *
from flambeau_tensor._core.memory.type_slots cimport type_members

cdef extern from *:
    """
    #define new_reference(o) (o)
    """
    object new_reference(PyObject*)  # raises the current exception if it is NULL
    void PyErr_Clear()
    bint PyErr_ExceptionMatches(object)

ctypedef PyObject* (*positional_t)(Operator, PyObject* const*, Py_ssize_t, PyObject*) noexcept

cdef int* _modes = active_modes_ptr()
cdef PyObject* _syntax[S_COUNT]  # Operators (owned by `answers`)
cdef dict _SYNTAX = {
    "add": S_ADD, "sub": S_SUB, "mul": S_MUL, "truediv": S_TRUEDIV, "floordiv": S_FLOORDIV, "mod": S_MOD,
    "pow": S_POW, "matmul": S_MATMUL, "and": S_AND, "or": S_OR, "xor": S_XOR, "lshift": S_LSHIFT,
    "rshift": S_RSHIFT, "iadd": S_IADD, "isub": S_ISUB, "imul": S_IMUL, "itruediv": S_ITRUEDIV,
    "ifloordiv": S_IFLOORDIV, "imod": S_IMOD, "ipow": S_IPOW, "iand": S_IAND, "ior": S_IOR,
    "ixor": S_IXOR, "ilshift": S_ILSHIFT, "irshift": S_IRSHIFT, "lt": S_LT, "le": S_LE, "eq": S_EQ,
    "ne": S_NE, "gt": S_GT, "ge": S_GE, "neg": S_NEG, "pos": S_POS, "abs": S_ABS, "invert": S_INVERT,
    "bool": S_BOOL, "int": S_INT, "float": S_FLOAT, "complex": S_COMPLEX, "index": S_INDEX, "len": S_LEN,
    "repr": S_REPR,
    "iter": S_ITER, "contains": S_CONTAINS, "getitem": S_GETITEM, "setitem": S_SETITEM,
}
# The objects that handlers receive for an operator of Python's syntax: the method that PyTorch calls, and the method
# for a left operand that is not a tensor. If there is only one name, the operands are swapped.
cdef dict _METHODS = {
    "add": "add add", "sub": "sub __rsub__", "mul": "mul mul", "truediv": "div __rtruediv__",
    "mod": "remainder __rmod__",
    "floordiv": "__floordiv__ __rfloordiv__", "pow": "__pow__ __rpow__", "matmul": "matmul __rmatmul__",
    "and": "__and__ bitwise_and", "or": "__or__ bitwise_or", "xor": "__xor__ bitwise_xor",
    "lshift": "__lshift__ __rlshift__", "rshift": "__rshift__ __rrshift__", "iadd": "add_", "isub": "sub_",
    "imul": "mul_", "itruediv": "div_", "ifloordiv": "floor_divide_", "imod": "remainder_", "ipow": "__ipow__",
    "lt": "lt", "le": "le", "ne": "ne", "gt": "gt", "ge": "ge", "neg": "neg", "pos": "positive", "abs": "abs",
    "iter": "unbind",
}
cdef tuple _COMMUTATIVE = ("add", "mul", "and", "or", "xor")
cdef tuple _ANYWAY = ("floordiv", "pow", "ipow", "eq")  # handlers of these are called for any other operand
cdef PyObject* _called[S_COUNT]  # S_… -> the object that handlers receive (owned by `answers`)
cdef bint _commutes[S_COUNT]
cdef bint _asks_anyway[S_COUNT]
cdef list _reflected = [None] * S_COUNT
cdef dict answers = {}  # word -> the operator and the method that implement it


cdef tuple method_names(str word):
    """Return the name of a slot's method and, if it exists, of the method for a left operand that is not a tensor."""
    if word not in _SYNTAX:
        raise ValueError(f"'{word}' is no operator of Python's; known are {', '.join(_SYNTAX)}")
    return tuple(_METHODS.get(word, f"__{word}__").split())


cdef bint is_binary(str word):
    return S_ADD <= <int>_SYNTAX[word] <= S_GE


cdef bint commutes(str word):
    return word in _COMMUTATIVE


def point(str word not None, Operator op, method):
    """Let `op` implement a slot of Python's syntax from now on; None clears the slot."""
    cdef int which = _SYNTAX[word]
    names = method_names(word)
    _syntax[which] = <PyObject*>op if op is not None else NULL
    _called[which] = <PyObject*>method if op is not None else NULL
    _reflected[which] = names[1] if len(names) > 1 else None
    _commutes[which], _asks_anyway[which] = word in _COMMUTATIVE, word in _ANYWAY
    if op is None:
        answers.pop(word, None)
    else:
        answers[word] = op, method


cdef inline bint _is_usual(PyObject* o):
    return is_plain(o) or is_number(o)


cdef inline bint _is_operand(Operator op, int i, PyObject* o):
    """Whether the operator accepts `o`; otherwise Python tries the other operand, as NumPy does for an array."""
    return is_plain(o) or is_light_subclass(o) or (is_number(o) and op.args[i].flags & A_NUMBER) \
        or _is_rare_operand(op, i, <object>o)


cdef bint _is_rare_operand(Operator op, int i, object o):
    if is_tensor(<PyObject*>o) or (type_overrides((<PyObject*>o).ob_type) and not subclass_disabled()):
        return True
    return op.args[i].flags & A_NUMBER and (PyFloat_Check(o) or PyLong_Check(o) or type(o).__module__ == "numpy")


cdef object _call_syntax(int which, object a, object b):
    cdef Operator op
    cdef PyObject* args[3]
    cdef PyObject* called
    cdef PyObject* result
    if _syntax[which] == NULL:
        if S_ADD <= which <= S_GE:
            return NotImplemented
        words = [word for word, number in _SYNTAX.items() if number == which]
        raise NotImplementedError(f"no operator answers this syntax yet: {words}")
    op = <Operator>_syntax[which]
    args[0], args[1] = <PyObject*>a, <PyObject*>b
    if which >= S_NEG:
        if which == S_SETITEM:
            args[1] = PyTuple_GET_ITEM(b, 0)
            args[2] = PyTuple_GET_ITEM(b, 1)
            return call_positional(op, args, 3, _called[which])
        if which == S_ITER:
            args[1] = <PyObject*>_FIRST
            return call_positional(op, args, 2, _called[which])
        return call_positional(op, args, 1 if which < S_CONTAINS else 2, _called[which])
    if not _is_operand(op, 0, args[0]) or not _is_operand(op, 1, args[1]):
        return _guarded(which, op, args)
    called = _called[which]
    if which == S_EQ and not (is_tensor(args[1]) or is_number(args[1])) and hasattr(b, "__torch_function__"):
        called = <PyObject*>(<object>type_members(TensorType)["eq"])  # PyTorch's `__eq__` calls the method
    if not is_tensor(args[0]):
        if _modes[0] != 0 or not is_plain(args[1]) or not is_number(args[0]):
            return _guarded(which, op, args)
        called = <PyObject*>op
        if _commutes[which]:
            args[0], args[1] = args[1], args[0]
    result = (<positional_t>call_positional)(op, args, 2, called)
    if result == NULL and _is_others_turn(args):
        return _by_other_class(which, args)
    return new_reference(result)


cdef object _by_other_class(int which, PyObject** args):
    """Call the right operand's handler for the reflected method. Python tries only operands with another slot."""
    cdef PyObject* swapped[2]
    cdef list overriding
    if _reflected[which] is None or not is_tensor(args[0]) or not is_tensor(args[1]) or \
            args[0].ob_type == args[1].ob_type:
        return NotImplemented
    swapped[0], swapped[1] = args[1], args[0]
    called = type_members(TensorType)[_reflected[which]]
    overriding = collect_vector(swapped, 2)
    if overriding is None or not overridden(called, overriding):
        return NotImplemented
    try:
        return hand_over(<PyObject*>called, overriding, swapped, 2, NULL)
    except TypeError:
        return NotImplemented


cdef object _FIRST = 0  # the dimension of iteration


cdef bint _is_others_turn(PyObject** args):
    """Whether the exception lets Python try the other operand: a TypeError, including a handler's."""
    if (_modes[0] == 0 and _is_usual(args[0]) and _is_usual(args[1])) or not PyErr_ExceptionMatches(TypeError):
        return False
    PyErr_Clear()
    return True


cdef object _guarded(int which, Operator op, PyObject** args):
    try:
        return _call_unusual(which, op, args)
    except TypeError:  # Python then tries the other operand
        return NotImplemented


cdef object _call_unusual(int which, Operator op, PyObject** args):
    """A call with an operand that the operator does not accept, or with a left operand that is not a tensor."""
    cdef bint fits = _is_operand(op, 0, args[0]) and _is_operand(op, 1, args[1])
    cdef bint reflected = not is_tensor(args[0])
    cdef object called = type_members(TensorType)[_reflected[which]] if reflected else <object>_called[which]
    cdef list overriding
    if fits and _commutes[which]:
        args[0], args[1] = args[1], args[0]
        return call_positional(op, args, 2, <PyObject*>called)
    if not fits and (_commutes[which] if reflected else not _asks_anyway[which]):
        return NotImplemented
    overriding = collect_vector(args, 2)
    if _modes[0] == 0 and overriding is not None:
        if all([is_bare_subclass(<PyObject*>o) for o in overriding]):
            overriding = None
    if (overriding is not None or _modes[0] != 0) and overridden(called, overriding):
        if reflected:  # `2 - x` is `x.__rsub__(2)`
            args[0], args[1] = args[1], args[0]
        return hand_over(<PyObject*>called, overriding, args, 2, NULL)
    return call_positional(op, args, 2, <PyObject*>op) if fits else NotImplemented


sockets_in_c.call_syntax = _call_syntax
for _i in range(S_COUNT):
    _syntax[_i] = NULL
