# cython: language_level=3
"""Where declared operators are found: by name, in the Tensor's dictionary, and behind Python's syntax."""
from cpython.float cimport PyFloat_Check
from cpython.long cimport PyLong_Check
from cpython.object cimport PyObject, PyTypeObject
from cpython.tuple cimport PyTuple_GET_ITEM

from flambeau_overrides.abi cimport (
    active_modes_ptr, collect_vector, dispatch_method, overridden, pop_all_disabled, pop_disabled, push_all_disabled,
    push_disabled, subclass_disabled, type_overrides,
)

from flambeau_tensor._core cimport sockets as sockets_in_c
from flambeau_tensor._core cimport syntax as S
from flambeau_tensor._core.binding cimport hand_over
from flambeau_tensor._core.operator cimport (
    A_NUMBER, Operator, call1, call2, call_positional, call_slots, is_bare_subclass,
)
from flambeau_tensor._core.overloads cimport Method, OverloadSet, make_method
from flambeau_tensor._core.scalar cimport is_number
from flambeau_tensor._core.sockets cimport declare_t, find_t, sockets
from flambeau_tensor._core.subclass cimport is_light_subclass, is_tensor
from flambeau_tensor._core.tensor cimport Tensor, TensorType, grad_flags, is_plain
from flambeau_tensor._core.type_slots cimport type_members
from flambeau_tensor._core.types cimport K_TENSORS

from flambeau_tensor._core.once import OnceLock
from flambeau_tensor._core.schema import ACCESSORS

import sys
from importlib import import_module
from sys import intern

from flambeau_overrides.registry import (
    before_listing, ignore as ignore_override, register as register_override, unregister as unregister_override,
)

cdef extern from *:
    """
    #define new_reference(o) (o)
    """
    object new_reference(PyObject*)  # raises what is raised for NULL
    void PyErr_Clear()
    bint PyErr_ExceptionMatches(object)
    void PyType_Modified(PyTypeObject*)

ctypedef PyObject* (*positional_t)(Operator, PyObject* const*, Py_ssize_t, PyObject*) noexcept

cdef int* _modes = active_modes_ptr()
cdef dict _registry = {}  # qualified name -> Operator; with its overload where the name is shared: torch.max.dim
cdef dict _public = {}  # qualified name -> what users call: the Operator, or the OverloadSet of those that share it
cdef dict _functions = {}  # qualified name -> the Operator that has it, or a list of those that share it
cdef dict _methods = {}  # name of a method -> the same
cdef dict _method_objects = {}  # name of a method -> the Method in Tensor's dictionary
cdef dict _aliases = {}  # qualified name -> the first of the Operators that it is another name of
cdef dict _second_names = {}  # qualified name -> the names that are other names of it
cdef PyObject* _syntax[64]  # S_… -> Operator (owned by the registry)


# --- what stands in the Tensor's dictionary -------------------------------------------------------------------------

cdef class Property:
    """A tensor's attribute, answered by an operator of one argument; assignment by another of two."""

    cdef readonly Operator getter
    cdef readonly Operator setter
    cdef readonly str __name__
    cdef readonly str kept  # what is said of an attempt to delete it
    cdef readonly bint asks  # whether an assignment is one for handlers, too

    def __init__(self, Operator getter not None, Operator setter=None, str kept=None, bint asks=True):
        self.getter, self.setter, self.kept, self.asks = getter, setter, kept, asks
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
        cdef bint alone = is_plain(<PyObject*>instance) and not is_plain(<PyObject*>value)
        if not self.asks:
            push_all_disabled()
        elif alone:  # the value is not asked
            push_disabled()
        try:
            call2(self.setter, instance, value)
        finally:
            if not self.asks:
                pop_all_disabled()
            elif alone:
                pop_disabled()

    def __delete__(self, instance):
        if self.setter is None:
            raise AttributeError(f"attribute '{self.getter.name}' of 'torch.Tensor' objects is not writable")
        cdef PyObject* asked = <PyObject*>instance
        cdef list overriding = collect_vector(&asked, 1)
        if (overriding is not None and not is_bare_subclass(asked) or _modes[0] != 0) and \
                overridden(self.__delete__, overriding):
            dispatch_method(self.__delete__, instance, overriding, (instance,), None)
            return
        try:
            call2(self.setter, instance, None)
        except TypeError:
            if self.kept is None:
                raise
            raise RuntimeError(self.kept) from None

    @property
    def __doc__(self):
        return self.getter.__doc__

    def __repr__(self):
        return f"<attribute '{self.__name__}' of 'torch.Tensor' objects>"


# `Tensor.shape.__get__` is what handlers get when `t.shape` is overridden: the operator behind the attribute.
cdef dict _members = type_members(<PyTypeObject*>Property)
_members["__get__"], _members["__set__"] = _members["getter"], _members["setter"]
PyType_Modified(<PyTypeObject*>Property)


# --- the registry ---------------------------------------------------------------------------------------------------

cdef dict _SYNTAX = {
    "add": S.S_ADD, "sub": S.S_SUB, "mul": S.S_MUL, "truediv": S.S_TRUEDIV, "floordiv": S.S_FLOORDIV, "mod": S.S_MOD,
    "pow": S.S_POW, "matmul": S.S_MATMUL, "and": S.S_AND, "or": S.S_OR, "xor": S.S_XOR, "lshift": S.S_LSHIFT,
    "rshift": S.S_RSHIFT, "iadd": S.S_IADD, "isub": S.S_ISUB, "imul": S.S_IMUL, "itruediv": S.S_ITRUEDIV,
    "ifloordiv": S.S_IFLOORDIV, "imod": S.S_IMOD, "ipow": S.S_IPOW, "iand": S.S_IAND, "ior": S.S_IOR,
    "ixor": S.S_IXOR, "ilshift": S.S_ILSHIFT, "irshift": S.S_IRSHIFT, "lt": S.S_LT, "le": S.S_LE, "eq": S.S_EQ,
    "ne": S.S_NE, "gt": S.S_GT, "ge": S.S_GE, "neg": S.S_NEG, "pos": S.S_POS, "abs": S.S_ABS, "invert": S.S_INVERT,
    "bool": S.S_BOOL, "int": S.S_INT, "float": S.S_FLOAT, "complex": S.S_COMPLEX, "index": S.S_INDEX, "len": S.S_LEN,
    "repr": S.S_REPR,
    "iter": S.S_ITER, "contains": S.S_CONTAINS, "getitem": S.S_GETITEM, "setitem": S.S_SETITEM,
}


def set_attribute(str name not None, value):
    """Put ``value`` into the Tensor's dictionary."""
    type_members(TensorType)[intern(name)] = value
    PyType_Modified(TensorType)


cdef bint _takes_tensors(Operator op) except -1:
    """Whether an argument is made to be a tensor, or can only be known when it comes, like the data of a new tensor."""
    cdef int i
    for i in range(op.nslots):
        if op.args[i].kind <= K_TENSORS and i != op.out_index:
            return True
        if op.args[i].default == NULL and op.schema.arguments[i].type in ("Any", "Data", "Object"):
            return True
    return False


cdef int _declare(Operator op, str variants, str syntax) except -1:
    cdef Operator inplace
    words = variants.split()
    _check_family(op)
    if op.is_function or not op.is_method:
        _share(_functions, op.__torch_name__ if _stands_alone(op) else f"{op.namespace}.{op.name}", op)
    if op.is_method:
        _share(_methods, op.name, op)
    key = op.__torch_name__
    if key in _registry:
        raise ValueError(f"operator {key} is declared twice")
    _registry[key] = op
    _announce(op)
    if op.is_function or not op.is_method:
        _publish_function(op)
    if op.is_method:
        _publish_method(op.name, _listed(_methods[op.name]))
    if "inplace" in words or "inplace_function" in words:
        inplace = op._make_inplace("inplace_function" in words)
        _declare(inplace, "method", "")
        (<Operator>inplace).doc = f"In-place version of :func:`{op.namespace}.{op.name}`."
    for word in syntax.split():
        _answer(word, op.inplace if word[0] == "i" and word in _SYNTAX and op.inplace is not None and word not in
                ("invert", "int", "index", "iter") else op)
    return 0


cdef bint _stands_alone(Operator op) except -1:
    """Whether the name is its own: of what is behind an attribute, and of custom operators; `torch.ops` groups them."""
    return op.namespace in ACCESSORS or op.namespace.startswith("torch.ops.")


cdef int _share(dict names, str key, Operator op) except -1:
    """Let `op` answer a name, together with the operators that were declared under it before."""
    cdef Operator other
    known = names.setdefault(key, op)
    if known is not op:
        known = names[key] = [*_listed(known), op]
        for other in known:  # from now on, the name is that of all, and each has its overload's name behind it
            if not other.is_overload:
                if _registry.get(other.__torch_name__) is other:
                    del _registry[other.__torch_name__]
                other.is_overload = True
                if other is not op:
                    _registry[other.__torch_name__] = other
    return 0


cdef inline list _listed(known):
    return known if type(known) is list else [known]


cdef int _publish_function(Operator op) except -1:
    cdef str key = f"{op.namespace}.{op.name}"
    if _stands_alone(op):
        key, public = op.__torch_name__, op
    else:
        known = _listed(_functions[key])
        before, public = _public.get(key), op if len(known) == 1 else OverloadSet(known)
        if before is not None:
            unregister_override(before)
    _public[key] = public
    for name in _second_names.get(key, ()):
        _publish_alias(name, op)
    if op.namespace.startswith("torch.ops."):
        return 0  # overridable by the name they are called by, and not listed, as in PyTorch
    if not any([_takes_tensors(each) for each in getattr(public, "overloads", (public,))]):
        ignore_override(public)
    elif op.is_function and not op.namespace.startswith("torch._") and not op.name.endswith("_"):
        register_override(op.namespace, op.name, public)
    return 0


cdef int _publish_alias(str name, Operator op) except -1:
    """What handlers get for a second name is an object of its own, with the operators of the first one."""
    cdef str key = f"{op.namespace}.{name}"
    if key in _public:
        unregister_override(_public[key])
    public = _public[key] = OverloadSet(_listed(_functions[f"{op.namespace}.{op.name}"]), False, name)
    if not name.endswith("_"):
        register_override(op.namespace, name, public)
    return 0


cdef int _publish_method(str name, list known) except -1:
    cdef Method m = _method_objects.get(name)
    target = known[0] if len(known) == 1 else OverloadSet(known, True)
    if name == (<Operator>known[0]).name:
        if not (<Operator>known[0]).is_function:
            _public[f"torch.Tensor.{name}"] = target
        for other in _second_names.get(f"torch.Tensor.{name}", ()):
            _publish_method(other, known)
    if m is not None:
        m.target = target
        return 0
    m = _method_objects[name] = make_method(name, target)
    set_attribute(name, m)
    register_override("torch.Tensor", name, m)
    return 0


cdef int _announce(Operator op) except -1:
    if sockets.operator_changed is not None:
        sockets.operator_changed(op)
    return 0


def forget(Operator op not None):
    """Undo the declaration of a function. Who holds it can still call it."""
    if _registry.get(op.__torch_name__) is op:
        del _registry[op.__torch_name__]
        _public.pop(op.__torch_name__, None)
        _functions.pop(op.__torch_name__, None)
        unregister_override(op)
        _announce(op)


def define_property(str name not None, Operator getter not None, Operator setter=None, str kept=None, bint asks=True):
    """Make an operator of one argument an attribute of tensors; `kept` is the error of deleting it. Assignments that do
    not ask are not seen by handlers."""
    set_attribute(name, Property(getter, setter, kept, asks))
    register_override("torch.Tensor", f"{name}.__get__", getter)


def alias(str name not None, op not None, *, bint method=True, bint same=False):
    """A second name for an operator, or for all that share its name. What it names is an object of its own, which
    handlers get, unless it is the `same`."""
    cdef Operator first = op
    if first.is_function and not same:
        _aliases[f"{first.namespace}.{name}"] = first
        _second_names.setdefault(f"{first.namespace}.{first.name}", []).append(name)
        _publish_alias(name, first)
    if method and first.is_method:
        if same:
            set_attribute(name, _method_objects[first.name])
        else:
            _second_names.setdefault(f"torch.Tensor.{first.name}", []).append(name)
            _publish_method(name, _listed(_methods[first.name]))
    if first.inplace is not None:
        alias(name + "_", first.inplace, method=method, same=same)
    return op


cdef object find(str name):
    op = _public.get(name) or _registry.get(name)
    if op is None and _lazy and _load_for(name):
        return find(name)
    if op is None and _import_provider(name):
        op = find(name) if _lazy and _load_for(name) else _public.get(name)
    if op is None:
        raise AttributeError(f"no operator named '{name}'")
    return op


cdef bint _import_provider(str name) except -1:
    """Import the module that declares the operators of this name's prefix, if one says that it does."""
    cdef str prefix
    for prefix in sockets.providers:
        if name.startswith(prefix):
            import_module(sockets.providers[prefix])
            return True
    return False


def find_operator(str name not None):
    """What users call by a qualified name: ``"torch.add"``, ``"torch.max"`` (a set), ``"torch.max.dim"``."""
    return find(name)


def declared_operators():
    """The operators that are declared by now, by qualified name."""
    return dict(_registry)


def find_handled(str namespace not None, str name not None):
    """What handlers get for calls of a function or a method."""
    return _method_objects[name] if namespace == "torch.Tensor" else _public[f"{namespace}.{name}"]


def operators():
    """Every operator by qualified name; families that load when they are first named are loaded."""
    load_families()
    return dict(_registry)


def syntax_operators():
    """The operators that answer Python's syntax, by the name of the syntax: ``{"add": <operator torch.add>, ...}``."""
    return {word: op for word, (op, _) in _answers.items()}


def functions(str namespace not None, *, bint lazy=True):
    """What a namespace offers: names and operators (or their sets, of names with several schemas), aliases included.

    lazy: with those of families that load when they are first named, which are loaded; else what is declared by now.
    """
    out = {}
    if lazy:
        for name in lazy_names(namespace):
            find(f"{namespace}.{name}")
    for key, known in _functions.items():
        known = _listed(known)
        if (<Operator>known[0]).is_function and (<Operator>known[0]).namespace == namespace:
            out[(<Operator>known[0]).name] = _public[key]
    for key, op in _aliases.items():
        if (<Operator>op).namespace == namespace:
            out[intern(key.rpartition(".")[2])] = _public[key]
    return out


# --- families that are declared when they are first named -----------------------------------------------------------

cdef dict _lazy = {}  # qualified name -> module, of families that are not loaded
cdef set _named = set()  # the names of those that were loaded so
cdef dict _late = {}  # their modules -> those names
cdef bint _renewing = False  # whether the lists are being written, and may be wrong
cdef list _loading = []  # those that are being loaded
cdef object _lock = OnceLock()


cdef class LazyMethod:
    """Stands in the Tensor's dictionary for a method until its family is loaded."""

    cdef str name, module

    def __get__(self, instance, owner):
        load_family(self.module)
        if type_members(TensorType).get(self.name) is self:
            raise AttributeError(f"'Tensor' object has no attribute '{self.name}' before {self.module} is loaded")
        return getattr(owner if instance is None else instance, self.name)


def declare_lazily(str module not None, names):
    """Have a family of operators loaded when one of its names is first used: by users, handlers, extensions or `find`.

    Its rules come with it: of ``flambeau_tensor.ops.NAME`` those in ``flambeau_autograd.derivatives.NAME`` and
    ``flambeau_autograd.batching.NAME``, of ``package.ops.NAME`` those of the package itself.

    Args:
        module: what declares the operators when it is imported; nobody else imports it while the family is not loaded.
        names: all that it declares: ``"torch.det torch.linalg.det torch.Tensor.det"``. Loading fails where it declares
            something else.
    """
    names = names.split() if isinstance(names, str) else list(names)
    for name in names:
        if name in _lazy or name in _public or name in _aliases or \
                name.startswith("torch.Tensor.") and name.rpartition(".")[2] in _method_objects:
            raise ValueError(f"operator {name} is declared twice")
        _wait(name, module)


cdef int _wait(str name, str module) except -1:
    """Let a name wait for its family."""
    cdef LazyMethod method
    _lazy[name] = module
    place, _, attribute = name.rpartition(".")
    if place == "torch.Tensor":
        method = LazyMethod.__new__(LazyMethod)
        method.name, method.module = attribute, module
        set_attribute(attribute, method)
    return 0


def lazy_names(str namespace not None):
    """The names in a namespace that wait for their families."""
    return [name.rpartition(".")[2] for name in list(_lazy) if name.rpartition(".")[0] == namespace]


def first_use(str namespace not None, str name not None):
    """What a module's ``__getattr__`` answers for such a name, whose family is loaded then; None for others."""
    full = f"{namespace}.{name}"
    return find(full) if full in _lazy or full in _named or full in sockets.providers else None


def late_families():
    """The modules of families that were loaded when they were named."""
    return list(_late)


def load_families():
    """Load what waits to be named."""
    for module in dict.fromkeys(_lazy.values()):
        load_family(module)


def load_family(str module not None):
    """Import a family and its rules, and see that it declares what was said. Where that fails nothing is declared, and
    the next use of a name tries again."""
    with _lock:
        listed = {name for name, home in _lazy.items() if home == module}
        if module in _loading or module in _late or not listed and not _renewing:
            return
        before, modules, late = _names(), set(sys.modules), set(_late)
        _loading.append(module)
        try:
            import_module(module)
            found = {name for name in _names() - before if not name.startswith("torch.ops.")}
            found.difference_update(*_late.values())  # families that this one has loaded
            if found != listed and not _renewing:
                raise ImportError(f"{module} declares {' '.join(sorted(found - listed)) or 'nothing'} beyond its list "
                                  f"of names, and not {' '.join(sorted(listed - found)) or 'less'} (`python -m "
                                  "flambeau_tensor.stubs` writes the list of flambeau_tensor's own families)")
            if sockets.family_declared is not None:
                sockets.family_declared(module)
        except BaseException:
            _undo_load(_names() - before, set(sys.modules) - modules, set(_late) - late, listed, module)
            raise
        finally:
            _loading.remove(module)
        _named.update(found)
        for name in listed:
            del _lazy[name]
        _late[module] = found


cdef int _undo_load(set names, set modules, set families, set listed, str module) except -1:
    """Undo what the import of a family that failed has declared, with the families that it has loaded."""
    cdef Operator op
    for name in names:
        place, _, attribute = name.rpartition(".")
        if place == "torch.Tensor" and attribute in _method_objects:
            unregister_override(_method_objects.pop(attribute))
            type_members(TensorType).pop(attribute, None)
            operators = _listed(_methods.pop(attribute, []))
        else:
            operators = _listed(_functions.pop(name, []))
        if name in _public:
            unregister_override(_public.pop(name))
        _aliases.pop(name, None)
        _second_names.pop(name, None)
        for op in operators:
            _registry.pop(op.__torch_name__, None)
            _announce(op)
    PyType_Modified(TensorType)
    for family in families:
        _named.difference_update(_late[family])
        for name in _late.pop(family):
            _wait(name, family)
    for name in listed:
        _wait(name, module)
    for name in modules:  # what declares is to be run again
        if any([room in name for room in (".ops.", ".derivatives.", ".batching.")]):
            del sys.modules[name]
    return 0


def names_of_families(modules):
    """The names that these families declare, whatever has been said of them."""
    global _renewing
    _renewing = True
    for module in modules:
        load_family(module)
    _renewing = False
    return {module: sorted(_late[module]) for module in modules}


cdef set _names():
    """All names that users find operators by."""
    return {*_public, *_aliases, *[f"torch.Tensor.{name}" for name in _method_objects]}


cdef bint _load_for(str name) except -1:
    """Load the family that a name waits for; whether there was one. Names of overloads end with one more word."""
    module = _lazy.get(name) or _lazy.get(name.rpartition(".")[0])
    if module is not None:
        load_family(module)
    return module is not None and name not in _lazy


cdef int _check_family(Operator op) except -1:
    for name in (f"{op.namespace}.{op.name}", f"torch.Tensor.{op.name}" if op.is_method else ""):
        if name in _lazy and _lazy[name] not in _loading:
            raise ImportError(f"{name} is declared before its family is named: {_lazy[name]} is imported by "
                              f"find_operator({name!r}), with its rules, and not directly")
    return 0


# --- Python's syntax ------------------------------------------------------------------------------------------------

# What handlers get for an operator of Python's syntax: the method that PyTorch calls there, and the one for a left
# operand that is no tensor. Without a second name, the operands change places.
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
cdef tuple _ASKING = ("floordiv", "pow", "ipow", "eq")  # whose handlers are asked whatever the other operand is
cdef PyObject* _called[64]  # S_… -> what handlers get (owned by _answers)
cdef bint _commutes[64]
cdef bint _asks_anyway[64]
cdef list _reflected = [None] * 64
cdef dict _answers = {}


cdef int _answer(str word, Operator op) except -1:
    """Let `op` answer a piece of Python's syntax."""
    cdef int which = _SYNTAX[word]
    names = _METHODS.get(word, f"__{word}__").split()
    if names[0] not in _method_objects:  # PyTorch has a method of this name, not only the operator
        method = _method_objects[names[0]] = make_method(names[0], op)
        set_attribute(names[0], method)
        register_override("torch.Tensor", names[0], method)
    method = _method_objects[names[0]]
    _answers[word] = op, method
    _syntax[which], _called[which] = <PyObject*>op, <PyObject*>method
    _reflected[which] = names[1] if len(names) > 1 else None
    _commutes[which], _asks_anyway[which] = word in _COMMUTATIVE, word in _ASKING
    if S.S_ADD <= which <= S.S_GE and f"__{word}__" not in _method_objects:
        register_override("torch.Tensor", f"__{word}__", type_members(TensorType)[f"__{word}__"], "(self, other)")
    if word in _COMMUTATIVE:  # `x.__radd__(y)` is `x.add(y)`
        set_attribute(f"__r{word}__", _method_objects[names[1]])
    return 0


cdef inline bint _is_usual(PyObject* o):
    return is_plain(o) or is_number(o)


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
    cdef PyObject* called
    cdef PyObject* result
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
            return call_positional(op, args, 3, _called[which])
        if which == S.S_ITER:
            args[1] = <PyObject*>_FIRST
            return call_positional(op, args, 2, _called[which])
        return call_positional(op, args, 1 if which < S.S_CONTAINS else 2, _called[which])
    if not _is_operand(op, 0, args[0]) or not _is_operand(op, 1, args[1]):
        return _guarded(which, op, args)
    called = _called[which]
    if not is_tensor(args[0]):
        if _modes[0] != 0 or not is_plain(args[1]) or not is_number(args[0]):
            return _guarded(which, op, args)
        called = <PyObject*>op
        if _commutes[which]:
            args[0], args[1] = args[1], args[0]
    result = (<positional_t>call_positional)(op, args, 2, called)
    if result == NULL and _is_others_turn(args):
        return NotImplemented
    return new_reference(result)


cdef object _FIRST = 0  # the dimension that iteration goes along


cdef bint _is_others_turn(PyObject** args):
    """Whether what was raised gives the other operand its turn: a TypeError, handlers that give up included."""
    if (_modes[0] == 0 and _is_usual(args[0]) and _is_usual(args[1])) or not PyErr_ExceptionMatches(TypeError):
        return False
    PyErr_Clear()
    return True


cdef object _guarded(int which, Operator op, PyObject** args):
    try:
        return _call_unusual(which, op, args)
    except TypeError:  # gives the other operand its turn
        return NotImplemented


cdef object _call_unusual(int which, Operator op, PyObject** args):
    """A call with an operand that the operator does not take, or one that is no tensor on the left."""
    cdef bint fits = _is_operand(op, 0, args[0]) and _is_operand(op, 1, args[1])
    cdef bint reflected = not is_tensor(args[0])
    cdef object called = _method_objects[_reflected[which]] if reflected else <object>_called[which]
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


before_listing(load_families)
sockets_in_c.call_syntax = _call_syntax
sockets_in_c.declare = <declare_t>_declare
sockets_in_c.find = <find_t>find
for _i in range(64):
    _syntax[_i] = NULL
