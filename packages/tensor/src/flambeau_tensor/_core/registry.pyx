# cython: language_level=3
"""Where declared operators are found: by name, in the Tensor's dictionary, and behind Python's syntax."""
from cpython.float cimport PyFloat_Check
from cpython.long cimport PyLong_Check
from cpython.object cimport PyObject, PyTypeObject
from cpython.tuple cimport PyTuple_GET_ITEM

from flambeau_overrides._dispatch cimport type_overrides
from flambeau_overrides._thread cimport active_modes_ptr, subclass_disabled

from flambeau_tensor._core cimport operator as calls
from flambeau_tensor._core cimport syntax as S
from flambeau_tensor._core cimport tensor as core
from flambeau_tensor._core.operator cimport (
    A_NUMBER, Operator, call1, call2, call_positional, call_slots, enable_vectorcall, type_members, vectorcallfunc,
)
from flambeau_tensor._core.scalar cimport is_number
from flambeau_tensor._core.subclass cimport is_light_subclass, is_tensor
from flambeau_tensor._core.tensor cimport Tensor, TensorType, grad_flags, is_plain
from flambeau_tensor._core.types cimport K_TENSORS

from flambeau_overrides.registry import (
    ignore as ignore_override, register as register_override, unregister as unregister_override,
)

cdef extern from "Python.h":
    Py_ssize_t PyVectorcall_NARGS(size_t)
    object PyMethod_New(object, object)
    void PyType_Modified(PyTypeObject*)

cdef int* _modes = active_modes_ptr()
cdef dict _registry = {}  # qualified name -> Operator
cdef dict _aliases = {}
cdef list _listeners = []
cdef PyObject* _syntax[64]  # S_… -> Operator (owned by the registry)


# --- what stands in the Tensor's dictionary -------------------------------------------------------------------------

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
            return call_slots(self.getter, &slot, grad_flags(<Tensor>instance))
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
    calls.as_method = True
    if kwnames == NULL:
        return call_positional(m.operator, args, PyVectorcall_NARGS(nargsf))
    return calls.call_general(m.operator, args, PyVectorcall_NARGS(nargsf), kwnames)


def _prepare():
    cdef Method m = Method.__new__(Method)
    enable_vectorcall(Method, <char*>&m.vectorcall - <char*><PyObject*>m, True)
    # `Tensor.shape.__get__` is what handlers get when `t.shape` is overridden: the operator behind the attribute.
    members = type_members(<PyTypeObject*>Property)
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
    type_members(TensorType)[name] = value
    PyType_Modified(TensorType)


cdef int _place_method(str name, Operator op) except -1:
    cdef Method m = Method.__new__(Method)
    m.vectorcall = <vectorcallfunc>_method_vectorcall
    m.operator = op
    set_attribute(name, m)
    return 0


cdef bint _takes_tensors(Operator op) except -1:
    """Whether an argument is made to be a tensor, or can only be known when it comes, like the data of a new tensor."""
    cdef int i
    for i in range(op.nslots):
        if op.args[i].kind <= K_TENSORS and i != op.out_index:
            return True
        if op.args[i].default == NULL and op.schema.arguments[i].type == "Any":
            return True
    return False


cdef int _declare(Operator op, str variants, str syntax) except -1:
    cdef Operator inplace
    cdef str key = op.__torch_name__
    words = variants.split()
    if key in _registry:
        raise ValueError(f"operator {key} is declared twice")
    _registry[key] = op
    _announce(op)
    if op.namespace.startswith("torch.ops."):
        pass  # overridable by the name they are called by, and not listed, as in PyTorch
    elif not _takes_tensors(op):
        ignore_override(op)
    elif op.is_function and not op.namespace.startswith("torch._"):
        register_override(op.namespace, op.name, op, op.testing_signature)
    if op.is_method:
        register_override("torch.Tensor", op.name, op, op.testing_signature)
        _place_method(op.name, op)
    if "inplace" in words or "inplace_function" in words:
        inplace = op._make_inplace("inplace_function" in words)
        _declare(inplace, "method", "")
        (<Operator>inplace).doc = f"In-place version of :func:`{op.__torch_name__}`."
    for word in syntax.split():
        target = op.inplace if word[0] == "i" and word in _SYNTAX and op.inplace is not None and word not in \
            ("invert", "int", "index", "iter") else op
        _syntax[<int>_SYNTAX[word]] = <PyObject*>target
    return 0


def listen(listener not None):
    """Have ``listener(op)`` called whenever an operator has been declared or forgotten."""
    _listeners.append(listener)


cdef int _announce(Operator op) except -1:
    for listener in _listeners:
        listener(op)
    return 0


def forget(Operator op not None):
    """Undo the declaration of a function. Who holds it can still call it."""
    if _registry.get(op.__torch_name__) is op:
        del _registry[op.__torch_name__]
        unregister_override(op)
        _announce(op)


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


cdef Operator find(str name):
    op = _registry.get(name)
    if op is None:
        op = _aliases.get(name)
    if op is None and _import_provider(name):
        op = _registry.get(name)
    if op is None:
        raise AttributeError(f"no operator named '{name}'")
    return op


cdef dict _providers = {}  # prefix of qualified names -> module


def provide(str prefix not None, str module not None):
    """Say that operators whose qualified names begin with ``prefix`` come with a module: it is imported when one of
    them is first looked for."""
    _providers[prefix] = module


cdef bint _import_provider(str name) except -1:
    cdef str prefix
    for prefix in _providers:
        if name.startswith(prefix):
            import importlib

            importlib.import_module(_providers[prefix])
            return True
    return False


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
    for op in _registry.values():
        if op.is_function and op.namespace == namespace:
            out[op.name] = op
    for key, op in _aliases.items():
        if op.namespace == namespace:
            out[key.rpartition(".")[2]] = op
    return out


# --- Python's syntax ------------------------------------------------------------------------------------------------

cdef inline bint _is_operand(Operator op, int i, PyObject* o):
    """Whether the operator may take `o`; otherwise Python asks the other operand, as NumPy does for an array."""
    return is_plain(o) or is_light_subclass(o) or is_number(o) or _is_rare_operand(op, i, <object>o)


cdef bint _is_rare_operand(Operator op, int i, object o):
    if is_tensor(<PyObject*>o) or (type_overrides((<PyObject*>o).ob_type) and not subclass_disabled()):
        return True
    return PyFloat_Check(o) or PyLong_Check(o) or (op.args[i].flags & A_NUMBER and type(o).__module__ == "numpy")


cdef object _call_syntax(int which, object a, object b):
    cdef Operator op
    cdef PyObject* args[3]
    if _syntax[which] == NULL:
        if S.S_ADD <= which <= S.S_GE:
            return NotImplemented
        words = [word for word, number in _SYNTAX.items() if number == which]
        raise NotImplementedError(f"no operator answers this syntax yet: {words}")
    op = <Operator>_syntax[which]
    args[0], args[1] = <PyObject*>a, <PyObject*>b
    if which >= S.S_NEG:
        if which == S.S_SETITEM:
            args[1] = PyTuple_GET_ITEM(b, 0)
            args[2] = PyTuple_GET_ITEM(b, 1)
            return call_positional(op, args, 3)
        return call_positional(op, args, 1 if which < S.S_CONTAINS else 2)
    if not _is_operand(op, 0, args[0]) or not _is_operand(op, 1, args[1]):
        return NotImplemented
    return call_positional(op, args, 2)


core.call_syntax = _call_syntax
calls.declare = _declare
for _i in range(64):
    _syntax[_i] = NULL
