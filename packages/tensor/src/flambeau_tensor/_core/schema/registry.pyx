# cython: language_level=3
"""The registry of declared operators: by name, in Tensor's dictionary, and for Python's syntax."""
from cpython.object cimport PyObject, PyTypeObject

from flambeau_overrides.abi cimport (
    active_modes_ptr, collect_vector, dispatch_method, overridden, pop_all_disabled, pop_disabled, push_all_disabled,
    push_disabled,
)

from flambeau_tensor._core.call cimport sockets as sockets_in_c
from flambeau_tensor._core.schema.transaction cimport drop, note, put
from flambeau_tensor._core.call.operator cimport Operator, call1, call2, call_slots, is_bare_subclass
from flambeau_tensor._core.call.overloads cimport Method, OverloadSet, make_method
from flambeau_tensor._core.call.sockets cimport declare_t, find_t, sockets
from flambeau_tensor._core.call.python_syntax cimport answers, commutes, is_binary, method_names
from flambeau_tensor._core.memory.tensor cimport Tensor, TensorType, grad_flags, is_plain
from flambeau_tensor._core.memory.type_slots cimport type_members
from flambeau_tensor._core.memory.types cimport K_TENSORS

from flambeau_tensor._core.schema.transaction import Declaring
from flambeau_tensor._compiled import without_interrupts
from flambeau_tensor._core.schema.schema import ACCESSORS
from flambeau_tensor._core.call.python_syntax import point

import os
import sys
from _thread import RLock, get_ident  # importing threading would take longer
from importlib import _bootstrap, import_module
from sys import intern
from time import sleep

from flambeau_overrides.registry import before_listing, ignore, register, registered, restore, unregister

cdef extern from "Python.h":
    void PyType_Modified(PyTypeObject*)

cdef int* _modes = active_modes_ptr()
cdef enum:  # the bits of `declaring.Variants`
    V_INPLACE = 4
    V_INPLACE_FUNCTION = 8

cdef dict _registry = {}  # qualified name -> Operator; shared names include the overload: torch.max.dim
cdef dict _public = {}  # qualified name -> the public callable: the Operator, or the OverloadSet of those that share it
cdef dict _functions = {}  # qualified name -> the Operator with this name, or a list of those that share it
cdef dict _methods = {}  # name of a method -> the same
cdef dict _method_objects = {}  # name of a method -> the Method in Tensor's dictionary
cdef dict _aliases = {}  # qualified name -> the first of the Operators of which it is an alias
cdef dict _second_names = {}  # qualified name -> its aliases


# --- entries of Tensor's dictionary ---------------------------------------------------------------------------------

cdef class Property:
    """An attribute of tensors: an operator with one argument implements it; a second operator, assignment."""

    cdef readonly Operator getter
    cdef readonly Operator setter
    cdef readonly str __name__
    cdef readonly str kept  # the error message for deleting it
    cdef readonly bint asks  # whether handlers can override assignment

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
        elif alone:  # the value's type is not asked for a handler
            push_disabled()
        try:
            call2(self.setter, instance, value)
        finally:
            if not self.asks:
                pop_all_disabled()
            elif alone:
                pop_disabled()

    def __delete__(self, instance):
        if self.setter is None and self.kept is None:
            raise AttributeError(f"attribute '{self.getter.name}' of 'torch.Tensor' objects is not writable")
        cdef PyObject* asked = <PyObject*>instance
        cdef list overriding = collect_vector(&asked, 1)
        if (overriding is not None and not is_bare_subclass(asked) or _modes[0] != 0) and \
                overridden(self.__delete__, overriding):
            dispatch_method(self.__delete__, instance, overriding, (instance,), None)
            return
        if self.kept is not None:
            raise RuntimeError(self.kept)
        call2(self.setter, instance, None)

    @property
    def __doc__(self):
        return self.getter.__doc__

    def __repr__(self):
        return f"<attribute '{self.__name__}' of 'torch.Tensor' objects>"


# Handlers receive `Tensor.shape.__get__` if `t.shape` is overridden: the operator behind the attribute.
cdef dict _members = type_members(<PyTypeObject*>Property)
_members["__get__"], _members["__set__"] = _members["getter"], _members["setter"]
PyType_Modified(<PyTypeObject*>Property)


# --- the registry ---------------------------------------------------------------------------------------------------

def set_attribute(str name not None, value):
    """Store ``value`` in Tensor's dictionary."""
    note(_forget_lookups, ())
    put(type_members(TensorType), intern(name), value)
    PyType_Modified(TensorType)


def _forget_lookups():
    PyType_Modified(TensorType)


cdef int register_override(namespace, str name, func, signature=None) except -1:
    note(restore, (func, registered(func)))
    register(namespace, name, func, signature)
    return 0


cdef int ignore_override(func) except -1:
    note(restore, (func, registered(func)))
    ignore(func)
    return 0


cdef int unregister_override(func) except -1:
    note(restore, (func, registered(func)))
    unregister(func)
    return 0


cdef bint _takes_tensors(Operator op) except -1:
    """Whether an argument is a tensor, or has a type that only the call determines, like the data of a new tensor."""
    cdef int i
    for i in range(op.nslots):
        if op.args[i].kind <= K_TENSORS and i != op.out_index:
            return True
        if op.args[i].default == NULL and op.schema.arguments[i].type in ("Any", "Data", "Object"):
            return True
    return False


cdef int _declare(Operator op, int variants, tuple syntax) except -1:
    cdef Operator inplace
    _check_family(op)
    if op.is_function or not op.is_method:
        _share(_functions, op.__torch_name__ if _stands_alone(op) else f"{op.namespace}.{op.name}", op)
    if op.is_method:
        _share(_methods, op.name, op)
    key = op.__torch_name__
    if key in _registry:
        raise ValueError(f"operator {key} is declared twice, at first at {_registry[key].declared_at}")
    note(_announce, (op,))
    put(_registry, key, op)
    _announce(op)
    if op.is_function or not op.is_method:
        _publish_function(op)
    if op.is_method:
        _publish_method(op.name, _listed(_methods[op.name]))
    if variants & (V_INPLACE | V_INPLACE_FUNCTION):
        inplace = op._make_inplace((variants & V_INPLACE_FUNCTION) != 0)
        _declare(inplace, 0, ())
        full = f"{op.namespace}.{op.name}"
        named = f"``{full}``" if "._C." in full else f":func:`{full}`"  # private names have no page
        (<Operator>inplace).doc = f"In-place version of {named}."
    for word in syntax:
        _answer(word, op.inplace if word[0] == "i" and op.inplace is not None and word not in
                ("invert", "int", "index", "iter") else op)
    return 0


cdef bint _stands_alone(Operator op) except -1:
    """Whether the operator shares its name with no other: it is behind an attribute, or custom (see `torch.ops`)."""
    return op.namespace in ACCESSORS or op.namespace.startswith("torch.ops.")


cdef int _share(dict names, str key, Operator op) except -1:
    """Register `op` under a name, together with the operators that were declared under it before."""
    cdef Operator other
    known = names.get(key)
    if known is None:
        put(names, key, op)
    elif names is _functions and op.schema.overload in [other.schema.overload for other in _listed(known)]:
        before = [other for other in _listed(known) if other.schema.overload == op.schema.overload][0]
        raise ValueError(f"operator {'.'.join(filter(None, (key, op.schema.overload)))} is declared twice, at first at "
                         f"{before.declared_at}")
    else:
        known = [*_listed(known), op]
        put(names, key, known)
        for other in known:  # the name now belongs to all, and each operator's full name includes its overload
            if not other.is_overload:
                if _registry.get(other.__torch_name__) is other:
                    drop(_registry, other.__torch_name__)
                note(setattr, (other, "is_overload", False))
                other.is_overload = True
                if other is not op:
                    put(_registry, other.__torch_name__, other)
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
    put(_public, key, public)
    for name in _second_names.get(key, ()):
        _publish_alias(name, op)
    if op.namespace.startswith("torch.ops."):
        return 0  # overridable, but not listed, as in PyTorch
    if not any([_takes_tensors(each) for each in getattr(public, "overloads", (public,))]):
        ignore_override(public)
    elif op.is_function and not op.namespace.startswith("torch._") and not op.name.endswith("_"):
        register_override(op.namespace, op.name, public)
    return 0


cdef int _publish_alias(str name, Operator op) except -1:
    """Create a separate object with the operators of the first name, which handlers receive for a second name."""
    cdef str key = f"{op.namespace}.{name}"
    if key in _public:
        unregister_override(_public[key])
    public = OverloadSet(_listed(_functions[f"{op.namespace}.{op.name}"]), False, name)
    put(_public, key, public)
    if not name.endswith("_"):
        register_override(op.namespace, name, public)
    return 0


cdef int _publish_method(str name, list known) except -1:
    cdef Method m = _method_objects.get(name)
    target = known[0] if len(known) == 1 else OverloadSet(known, True)
    if name == (<Operator>known[0]).name:
        if not (<Operator>known[0]).is_function:
            put(_public, f"torch.Tensor.{name}", target)
        for other in _second_names.get(f"torch.Tensor.{name}", ()):
            _publish_method(other, known)
    if m is not None:
        note(_retarget, (m, m.target))
        m.target = target
        return 0
    _make_method(name, target)
    return 0


cdef Method _make_method(str name, target):
    method = make_method(name, target)
    put(_method_objects, name, method)
    set_attribute(name, method)
    register_override("torch.Tensor", name, method)
    return method


def _retarget(Method method not None, target):
    method.target = target


def _announce(Operator op not None):
    if sockets.operator_changed is not None:
        sockets.operator_changed(op)


def forget(Operator op not None):
    """Undo the declaration of a function. Code that holds the operator can still call it."""
    if _registry.get(op.__torch_name__) is op:
        del _registry[op.__torch_name__]
        _public.pop(op.__torch_name__, None)
        _functions.pop(op.__torch_name__, None)
        unregister_override(op)
        _announce(op)


def define_property(str name not None, Operator getter not None, Operator setter=None, str kept=None, bint asks=True):
    """Make an operator with one argument an attribute of tensors.

    `kept` is the error message for deleting it. Unless `asks`, handlers do not see assignments."""
    with Declaring():
        set_attribute(name, Property(getter, setter, kept, asks))
        register_override("torch.Tensor", f"{name}.__get__", getter)


def alias(str name not None, op not None, *, bint method=True, bint same=False):
    """Declare a second name for an operator, or for all operators with its name.

    The name denotes a separate object, which handlers receive, unless it is the `same`."""
    with Declaring():
        _place_alias(name, op, method, same)
    return op


cdef int _place_alias(str name, Operator first, bint method, bint same) except -1:
    if first.is_function and not same:
        put(_aliases, f"{first.namespace}.{name}", first)
        _add_second_name(f"{first.namespace}.{first.name}", name)
        _publish_alias(name, first)
    if method and first.is_method:
        if same:
            set_attribute(name, _method_objects[first.name])
        else:
            _add_second_name(f"torch.Tensor.{first.name}", name)
            _publish_method(name, _listed(_methods[first.name]))
    if first.inplace is not None:
        _place_alias(name + "_", first.inplace, method, same)
    return 0


cdef int _add_second_name(str key, str name) except -1:
    return put(_second_names, key, [*_second_names.get(key, ()), name])


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
    """Import the module that declares the operators with this name's prefix, if one is registered."""
    cdef str prefix
    for prefix in sockets.providers:
        if name.startswith(prefix):
            import_declarations(sockets.providers[prefix])
            return True
    return False


def find_operator(str name not None):
    """Return the callable with a qualified name: ``"torch.add"``, ``"torch.max"`` (a set), ``"torch.max.dim"``."""
    return find(name)


def declared_operators():
    """Return the operators that are declared by now, by qualified name."""
    return dict(_registry)


def find_handled(str namespace not None, str name not None):
    """Return the object that handlers receive for calls of a function or a method."""
    return _method_objects[name] if namespace == "torch.Tensor" else _public[f"{namespace}.{name}"]


def operators():
    """Return all operators by qualified name; loads lazy families."""
    load_families()
    return dict(_registry)


def syntax_operators():
    """Return the operators that implement Python's syntax, by slot: ``{"add": <operator torch.add>, ...}``."""
    return {word: op for word, (op, _) in answers.items()}


def functions(str namespace not None, *, bint lazy=True):
    """Return the operators of a namespace by name (or their sets, if a name has several schemas), including aliases.

    lazy: whether to include lazy families, which are then loaded; otherwise only what is declared by now.
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


# --- families that are declared when one of their names is first used -----------------------------------------------

cdef dict _lazy = {}  # qualified name -> module, for families that are not loaded
cdef dict _named = {}  # name -> module, for families that were loaded lazily
cdef dict _late = {}  # module -> its names, for families that were loaded lazily
cdef bint _renewing = False  # whether the lists of names are being rewritten and may be wrong
cdef list _loading = []  # the modules that are being loaded
cdef object _lock = RLock()


def _imported_elsewhere():
    """Whether another thread is importing a flambeau module. Python's locks of modules are no public interface."""
    own = get_ident()
    for name, reference in list(getattr(_bootstrap, "_module_locks", {}).items()):
        if name.startswith("flambeau") and getattr(reference(), "owner", None) not in (None, own):
            return True
    return False


def _before_fork():
    """Take the lock while no other thread imports: a forked child lacks that thread, and would wait for it for ever."""
    _lock.acquire()
    for _ in range(2000):
        if not _imported_elsewhere():
            return
        _lock.release()
        sleep(0.001)
        _lock.acquire()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_lock.release, after_in_child=_lock.release)


cdef class LazyMethod:
    """An entry in Tensor's dictionary for a method whose family is not loaded."""

    cdef str name, module

    def __get__(self, instance, owner):
        load_family(self.module)
        if type_members(TensorType).get(self.name) is self:
            raise AttributeError(f"'Tensor' object has no attribute '{self.name}' before {self.module} is loaded")
        return getattr(owner if instance is None else instance, self.name)


def declare_lazily(str module not None, names):
    """Load a family of operators when one of its names is first used: by users, handlers, extensions or `find`.

    Its rules are loaded with it: for ``flambeau_tensor.ops.NAME``, those in ``flambeau_autograd.derivatives.NAME`` and
    ``flambeau_autograd.batching.NAME``; for ``package.ops.NAME``, those in the package itself.

    Args:
        module: the module that declares the operators when it is imported; no other code may import it before the
            family is loaded.
        names: all names that it declares: ``"torch.det torch.linalg.det torch.Tensor.det"``. Loading fails if it
            declares other names.
    """
    names = names.split() if isinstance(names, str) else list(names)
    for name in names:
        if _lazy.get(name) == module or _named.get(name) == module:  # already listed by an import that was interrupted
            continue
        if name in _lazy or name in _public or name in _aliases or \
                name.startswith("torch.Tensor.") and name.rpartition(".")[2] in _method_objects:
            raise ValueError(f"operator {name} is declared twice")
        _wait(name, module)


cdef int _wait(str name, str module) except -1:
    """Record that a name belongs to a lazy family."""
    cdef LazyMethod method
    put(_lazy, name, module)
    place, _, attribute = name.rpartition(".")
    if place == "torch.Tensor":
        method = LazyMethod.__new__(LazyMethod)
        method.name, method.module = attribute, module
        set_attribute(attribute, method)
    return 0


def lazy_names(str namespace not None):
    """Return the names in a namespace whose families are not loaded."""
    return [name.rpartition(".")[2] for name in list(_lazy) if name.rpartition(".")[0] == namespace]


def first_use(str namespace not None, str name not None):
    """Load the family of a lazy name and return the callable, for modules' ``__getattr__``; None for other names."""
    full = f"{namespace}.{name}"
    return find(full) if full in _lazy or full in _named or full in sockets.providers else None


def late_families():
    """Return the modules of families that were loaded lazily."""
    return list(_late)


def load_families():
    """Load all lazy families."""
    for module in dict.fromkeys(_lazy.values()):
        load_family(module)


def load_family(str module not None):
    """Import a family and its rules, and check that it declares the listed names.

    If that fails, nothing is declared, and the next use of a name tries again. Ctrl-C waits until it is done."""
    without_interrupts(_load_family, module)


def _load_family(str module not None):
    with _lock:
        listed = {name for name, home in _lazy.items() if home == module}
        if module in _loading or module in _late or not listed and not _renewing:
            return
        before = _names()
        _loading.append(module)
        try:
            with Declaring():
                import_declarations(module)
                found = {name for name in _names() - before if not name.startswith("torch.ops.")}
                found.difference_update(*_late.values())  # families that were loaded by this one
                if found != listed and not _renewing:
                    raise ImportError(f"{module} declares {' '.join(sorted(found - listed)) or 'nothing'} beyond its "
                                      f"list of names, and not {' '.join(sorted(listed - found)) or 'less'} (`python "
                                      "-m flambeau_tensor.stubs` writes the list of flambeau_tensor's own families)")
                for name in found:
                    put(_named, name, module)
                for name in listed:
                    drop(_lazy, name)
                put(_late, module, found)
        finally:
            _loading.remove(module)


def import_declarations(str module not None):
    """Import a module that declares operators, and return it.

    If that fails, nothing is declared, and the modules with declarations are removed from sys.modules, so that the
    next import starts again. Ctrl-C waits until the import is done."""
    return without_interrupts(_import_declarations, module)


def _import_declarations(str module not None):
    with Declaring():
        note(_forget_modules, (set(sys.modules), module))
        found = import_module(module)
        if module in _loading and sockets.family_declared is not None:
            sockets.family_declared(module)
    return found


def _forget_modules(set before not None, str module not None):
    for name in set(sys.modules) - before:
        if name == module or any([room in name for room in _DECLARING]):
            del sys.modules[name]


cdef tuple _DECLARING = (".ops.", ".derivatives.", ".batching.")  # substrings of the names of modules with declarations


def names_of_families(modules):
    """Return the names that these families declare, regardless of the lists of names."""
    global _renewing
    _renewing = True
    for module in modules:
        load_family(module)
    _renewing = False
    return {module: sorted(_late[module]) for module in modules}


cdef set _names():
    """Return all names under which users find operators."""
    return {*_public, *_aliases, *[f"torch.Tensor.{name}" for name in _method_objects]}


cdef bint _load_for(str name) except -1:
    """Load the family of a lazy name; return whether there was one. Names of overloads have one more component."""
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

cdef int _answer(str word, Operator op) except -1:
    """Let `op` implement a slot of Python's syntax."""
    cdef Method reflected
    names = method_names(word)
    if names[0] not in _method_objects:  # PyTorch also has a method with this name
        _make_method(names[0], op)
    note(point, (word, *answers.get(word, (None, None))))
    point(word, op, _method_objects[names[0]])
    if is_binary(word) and f"__{word}__" not in _method_objects:
        register_override("torch.Tensor", f"__{word}__", type_members(TensorType)[f"__{word}__"], "(self, other)")
    if commutes(word):  # `x.__radd__(y)` is `x.add(y)`
        reflected = make_method(f"__r{word}__", op)
        reflected.public = _method_objects[names[1]]
        set_attribute(f"__r{word}__", reflected)
    return 0


before_listing(load_families)
sockets_in_c.declare = <declare_t>_declare
sockets_in_c.find = <find_t>find
