# cython: language_level=3
"""The frequent operations of a Module, compiled: finding attributes, assigning them, and being called.

A module's state stays in its ``__dict__`` (``_parameters``, ``_buffers``, ``_modules``), where programs expect it. The
class has no fields, so it can be combined with any other base class.

Python calls ``__getattr__`` only after an ordinary lookup has failed and raised an error. Classes that do not override
``__getattr__`` and ``__getattribute__`` get a slot function instead, which searches the three dicts directly. In the
same way, classes that do not override ``Module.__call__`` get an equivalent slot function.
"""
cimport cython
from cpython.dict cimport PyDict_CheckExact, PyDict_Next
from cpython.list cimport PyList_CheckExact
from cpython.object cimport Py_TYPE, PyObject, PyTypeObject
from cpython.ref cimport Py_DECREF
from cpython.tuple cimport PyTuple_CheckExact, PyTuple_GET_ITEM, PyTuple_GET_SIZE

from collections import OrderedDict

cdef extern from "Python.h":
    int Py_EnterRecursiveCall(const char*) except 1
    void Py_LeaveRecursiveCall() noexcept
    PyObject* _PyType_Lookup(PyTypeObject*, PyObject*)
    PyObject** _PyObject_GetDictPtr(PyObject*)
    int PyDict_SetItem(PyObject*, PyObject*, PyObject*) except -1
    object PyObject_GenericGetAttr(object, object)
    int PyObject_GenericSetAttr(object, object, PyObject*) except -1
    PyObject* PyDict_GetItemWithError(PyObject*, PyObject*) except? NULL
    int PyDict_Check(PyObject*)
    # Callers of these check for NULL.
    PyObject* PyObject_Vectorcall(PyObject*, PyObject* const*, size_t, PyObject*) noexcept
    PyObject* PyObject_VectorcallDict(PyObject*, PyObject* const*, size_t, PyObject*) noexcept
    PyObject* PyObject_Call(PyObject*, PyObject*, PyObject*) noexcept
    bint PyErr_ExceptionMatches(PyObject*) noexcept
    void PyErr_Fetch(PyObject**, PyObject**, PyObject**) noexcept
    void PyErr_NormalizeException(PyObject**, PyObject**, PyObject**) noexcept
    void PyErr_Restore(PyObject*, PyObject*, PyObject*) noexcept
    Py_ssize_t PyDict_GET_SIZE(PyObject*)
    void PyType_Modified(PyTypeObject*)
    unsigned long Py_TPFLAGS_METHOD_DESCRIPTOR
    ctypedef object (*getattro_t)(object, object)
    ctypedef object (*call_t)(object, PyObject*, PyObject*)
    ctypedef struct FullType "PyTypeObject":
        unsigned long tp_flags
        getattro_t tp_getattro
        call_t tp_call
        void* tp_new
        PyObject* tp_dict

cdef str _PARAMETERS = "_parameters", _BUFFERS = "_buffers", _MODULES = "_modules", _FORWARD = "forward"
cdef str _GETATTR = "__getattr__", _CALL = "__call__", _HOOKED = "_forward_hooks"

# Created at the first access: most modules never have a hook.
cdef dict _LATE = {
    "_forward_hooks": OrderedDict, "_forward_pre_hooks": OrderedDict, "_backward_hooks": OrderedDict,
    "_backward_pre_hooks": OrderedDict, "_forward_hooks_with_kwargs": OrderedDict,
    "_forward_hooks_always_called": OrderedDict, "_forward_pre_hooks_with_kwargs": OrderedDict,
    "_state_dict_hooks": OrderedDict, "_state_dict_pre_hooks": OrderedDict,
    "_load_state_dict_pre_hooks": OrderedDict, "_load_state_dict_post_hooks": OrderedDict,
    "_non_persistent_buffers_set": set, "_is_full_backward_hook": lambda: None,
}
CALL_HOOKS = frozenset(("_forward_pre_hooks", "_backward_hooks", "_backward_pre_hooks"))
cdef tuple _HOOK_DICTS = (_HOOKED, *CALL_HOOKS)
cdef frozenset _CALL_HOOKS = CALL_HOOKS


def late_state():
    """Return the initial values of attributes that are created at the first access."""
    return {name: make() for name, make in _LATE.items()}


cdef enum:
    GLOBAL_HOOKS = 4  # kinds of hooks for all modules that a call must check

cdef PyObject* _global_hooks[GLOBAL_HOOKS]  # dicts; _held_hooks holds references
cdef tuple _held_hooks = ()
cdef object _slow_call = None
cdef object _assign = None, _module_class = None
cdef PyObject* _module_call = NULL  # Module.__call__
cdef set _plain_values = {int, float, bool, str, type(None), tuple, list, dict}  # never a tensor or a module


cdef inline PyObject* _state(object self) except NULL:
    """The instance's ``__dict__``, borrowed."""
    cdef PyObject** place = _PyObject_GetDictPtr(<PyObject*>self)
    if place == NULL or place[0] == NULL:
        _fresh = PyObject_GenericGetAttr(self, "__dict__")  # creates it
        return _PyObject_GetDictPtr(<PyObject*>self)[0]
    return place[0]


# --- attributes -----------------------------------------------------------------------------------------------------

cdef object _ABSENT = object()


cdef inline object _entry(PyObject* state, str group, object name):
    """state[group][name], or _ABSENT."""
    cdef PyObject* g = PyDict_GetItemWithError(state, <PyObject*>group)
    cdef PyObject* found
    if g == NULL:
        return _ABSENT
    if PyDict_CheckExact(<object>g) or type(<object>g) is OrderedDict:
        found = PyDict_GetItemWithError(g, <PyObject*>name)
        return _ABSENT if found == NULL else <object>found
    entries = <object>g  # another mapping, with its own lookup
    return entries[name] if name in entries else _ABSENT


cdef inline object _registered(object self, object name):
    """Return the parameter, module or buffer of that name, or _ABSENT."""
    cdef PyObject* state = _state(self)
    found = _entry(state, _PARAMETERS, name)
    if found is _ABSENT:
        found = _entry(state, _MODULES, name)
        if found is _ABSENT:
            found = _entry(state, _BUFFERS, name)
    return found


cdef object _missing(object self, object name):
    """Create an attribute at its first access, or raise the error for a missing attribute."""
    make = _LATE.get(name)
    if make is None:
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
    value = make()
    PyDict_SetItem(_state(self), <PyObject*>name, <PyObject*>value)
    if name in _CALL_HOOKS:
        _mark_hooked(self)
    return value


cdef int _mark_hooked(object self) except -1:
    """Mark the module as hooked: calls check only for this entry, whatever kind of hook was added."""
    cdef PyObject* d = _state(self)
    if PyDict_GetItemWithError(d, <PyObject*>_HOOKED) == NULL:
        none = OrderedDict()
        PyDict_SetItem(d, <PyObject*>_HOOKED, <PyObject*>none)
    return 0


cdef object _getattro(object self, object name):
    """Look up attributes of classes that do not override ``__getattr__``."""
    cdef PyObject* found
    if _PyType_Lookup(<PyTypeObject*>Py_TYPE(self), <PyObject*>name) != NULL:
        try:
            return PyObject_GenericGetAttr(self, name)
        except AttributeError:  # a property raised it: a registered name may exist, too
            value = _registered(self, name)
            if value is _ABSENT:
                raise
            return value
    found = PyDict_GetItemWithError(_state(self), <PyObject*>name)
    if found != NULL:
        return <object>found
    value = _registered(self, name)
    return _missing(self, name) if value is _ABSENT else value


# --- calls ----------------------------------------------------------------------------------------------------------

cdef inline bint _hooked(PyObject* state) except -1:
    cdef Py_ssize_t present = 0
    cdef int i
    for i in range(GLOBAL_HOOKS):
        present |= PyDict_GET_SIZE(_global_hooks[i])
    if present:
        return True
    return PyDict_GetItemWithError(state, <PyObject*>_HOOKED) != NULL and _keeps_hooks(state)


cdef bint _keeps_hooks(PyObject* state) except -1:
    """Whether there is a hook; removing the last hook leaves an empty dict."""
    cdef PyObject* found
    for name in _HOOK_DICTS:
        found = PyDict_GetItemWithError(state, <PyObject*>name)
        if found != NULL and not (isinstance(<object>found, dict) and PyDict_GET_SIZE(found) == 0):
            return True
    return False


# Errors that invalid arguments cause. Programs use other exceptions for control flow.
cdef tuple _NOTED = (
    RuntimeError, TypeError, ValueError, LookupError, ArithmeticError, AssertionError, AttributeError,
)


cdef PyObject* _failed(object self, object args, PyObject* kwargs) except NULL:
    """Return NULL with the current error set, after adding a note that names the module in which it was raised."""
    cdef PyObject *kind = NULL
    cdef PyObject *error = NULL
    cdef PyObject *traceback = NULL
    if PyErr_ExceptionMatches(<PyObject*>_NOTED):
        PyErr_Fetch(&kind, &error, &traceback)
        PyErr_NormalizeException(&kind, &error, &traceback)
        try:
            from flambeau_nn.modules._notes import note_module

            note_module(<object>error, self, args, {} if kwargs == NULL else <object>kwargs)
        except Exception:  # report the first error
            pass
        PyErr_Restore(kind, error, traceback)
    return NULL


cdef inline object _owned(PyObject* owned):
    o = <object>owned
    Py_DECREF(o)
    return o


cdef object _call_forward(object self, PyObject* state, PyObject* args, PyObject* kwargs):
    """Return ``self.forward(*args, **kwargs)`` without creating a bound method."""
    cdef PyObject* own = PyDict_GetItemWithError(state, <PyObject*>_FORWARD)
    cdef PyObject* function
    cdef PyObject* result
    cdef PyObject* stack[8]
    cdef Py_ssize_t n, i
    if own != NULL:
        forward = <object>own
        result = PyObject_Call(<PyObject*>forward, args, kwargs)
        return _owned(result if result != NULL else _failed(self, <object>args, kwargs))
    function = _PyType_Lookup(<PyTypeObject*>Py_TYPE(self), <PyObject*>_FORWARD)
    n = PyTuple_GET_SIZE(<object>args)
    if function == NULL or n > 7 or not (<FullType*>Py_TYPE(<object>function)).tp_flags & Py_TPFLAGS_METHOD_DESCRIPTOR:
        forward = self.forward
        result = PyObject_Call(<PyObject*>forward, args, kwargs)
        return _owned(result if result != NULL else _failed(self, <object>args, kwargs))
    forward = <object>function  # hold it: the class may lose it meanwhile
    stack[0] = <PyObject*>self
    for i in range(n):
        stack[i + 1] = PyTuple_GET_ITEM(<object>args, i)
    result = PyObject_VectorcallDict(function, stack, n + 1, kwargs)
    return _owned(result if result != NULL else _failed(self, <object>args, kwargs))


cdef object _call(object self, PyObject* args, PyObject* kwargs):
    cdef PyObject* state = _state(self)
    if _hooked(state):
        return _slow_call(self, <object>args, {} if kwargs == NULL else <object>kwargs)
    return _call_forward(self, state, args, kwargs)


cdef object call_one(object module, object x):
    """Return ``module(x)`` without packing the argument."""
    cdef PyObject* function
    cdef PyObject* result
    cdef PyObject* stack[2]
    cdef PyObject* state
    if (<FullType*>Py_TYPE(module)).tp_call != _call:
        return module(x)
    state = _state(module)
    if _hooked(state) or PyDict_GetItemWithError(state, <PyObject*>_FORWARD) != NULL:
        return module(x)
    function = _PyType_Lookup(<PyTypeObject*>Py_TYPE(module), <PyObject*>_FORWARD)
    if function == NULL or not (<FullType*>Py_TYPE(<object>function)).tp_flags & Py_TPFLAGS_METHOD_DESCRIPTOR:
        return module(x)
    _held = <object>function
    stack[0], stack[1] = <PyObject*>module, <PyObject*>x
    result = PyObject_Vectorcall(function, stack, 2, NULL)
    return _owned(result if result != NULL else _failed(module, (x,), NULL))


def sequential_forward(self, input):
    """Run the modules in order, each on the result of the previous one."""
    cdef PyObject* modules = _group(self, _MODULES)
    cdef PyObject* key
    cdef PyObject* value
    cdef Py_ssize_t at = 0
    if not PyDict_Check(modules):
        for module in (<object>modules).values():
            input = module(input)
        return input
    held = <object>modules
    Py_EnterRecursiveCall(" while calling modules")  # a group may contain itself
    try:
        while PyDict_Next(held, &at, &key, &value):
            module = <object>value
            input = call_one(module, input)
    finally:
        Py_LeaveRecursiveCall()
    return input


cdef PyObject* _group(object self, str name) except NULL:
    cdef PyObject* g = PyDict_GetItemWithError(_state(self), <PyObject*>name)
    if g == NULL:
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
    return g


# --- assignment -----------------------------------------------------------------------------------------------------

def set_attribute(self, name, value):
    """``Module.__setattr__``. As a slot of the base class, it would make ``object.__setattr__(module, …)`` an error."""
    if type(value) not in _plain_values or _registered(self, name) is not _ABSENT:
        if _assign(self, name, value):
            return
    if name in _CALL_HOOKS:
        _mark_hooked(self)
    PyObject_GenericSetAttr(self, name, <PyObject*>value)


def delete_attribute(self, name):
    """``Module.__delattr__``."""
    for group in (_PARAMETERS, _BUFFERS, _MODULES):
        entries = (<dict>_state(self)).get(group)
        if entries is not None and name in entries:
            del entries[name]
            if group is _BUFFERS:
                self._non_persistent_buffers_set.discard(name)
            return
    if name in _LATE and name not in <dict>_state(self):
        return  # it would be created at its next access anyway
    PyObject_GenericSetAttr(self, name, NULL)


# --- walking --------------------------------------------------------------------------------------------------------

cdef str _NAMED_MODULES = "named_modules", _NAMED_MEMBERS = "_named_members"
cdef dict _NAMED = {_PARAMETERS: "named_parameters", _BUFFERS: "named_buffers"}
cdef tuple _OWN_STATE = (_PARAMETERS, _BUFFERS, _MODULES)

cdef enum:
    DEPTH = 200  # of nested modules; deeper ones are left to Python, which limits the recursion
    FEW = 64


cdef inline bint _leaves_alone(object module, str name) except -1:
    """Whether a module does not override Module's method of that name."""
    cdef PyObject* usual = PyDict_GetItemWithError((<FullType*>_module_class).tp_dict, <PyObject*>name)
    return (_PyType_Lookup(<PyTypeObject*>Py_TYPE(module), <PyObject*>name) == usual
            and PyDict_GetItemWithError(_state(module), <PyObject*>name) == NULL)


cdef bint _walk(object module, str prefix, bint once, set seen, list paths, list modules, int depth) except -1:
    """Append the modules and, unless `paths` is None, their paths; return False if a module overrides the traversal."""
    cdef PyObject* below
    if module in seen:
        return True
    if once:
        seen.add(module)
    if depth == DEPTH or not isinstance(module, ModuleBase) or not _leaves_alone(module, _NAMED_MODULES):
        return False
    modules.append(module)
    if paths is not None:
        paths.append(prefix)
    below = _group(module, _MODULES)
    for name, child in (<object>below).items():
        if child is not None:
            path = None if paths is None else f"{prefix}.{name}" if prefix else name
            if not _walk(child, path, once, seen, paths, modules, depth + 1):
                return False
    return True


def walk_modules(module, str prefix not None, bint once):
    """Return a list of (path, module) for a module and all below it; with `once`, each module is listed once.

    Return None if a module overrides `named_modules`.
    """
    paths, modules = [], []
    return list(zip(paths, modules)) if _walk(module, prefix, once, set(), paths, modules, 0) else None


cdef list _members(str group, list paths, list modules, bint once):
    """Return the entries of a group in these modules, with names if `paths` is given."""
    cdef list found = []
    cdef set memo = set()
    cdef Py_ssize_t i
    for i in range(len(modules)):
        for name, value in (<object>_group(modules[i], group)).items():
            if value is None or value in memo:
                continue
            if once:
                memo.add(value)
            if paths is None:
                found.append(value)
            else:
                found.append((f"{paths[i]}.{name}" if paths[i] else name, value))
    return found


def walk_members(module, str group not None, str prefix, bint recurse, bint once):
    """Return the entries of a group such as ``"_parameters"``, with names that begin with `prefix` unless it is None.

    Return None if a module overrides the traversal or the method that lists the entries.
    """
    cdef list paths = None if prefix is None else [], modules = []
    if not (_leaves_alone(module, _NAMED_MEMBERS) and _leaves_alone(module, _NAMED[group])):
        return None
    if not recurse:
        modules = [module]
        paths = None if prefix is None else [prefix]
    elif not _walk(module, prefix, once, set(), paths, modules, 0):
        return None
    return _members(group, paths, modules, once)


def walk_parameters(module):
    """Return the parameters of a module and all below it, and whether lists or dicts in attributes may hold modules.

    Return None if a module overrides the traversal or the method that lists the parameters.
    """
    cdef list modules = []
    if not (_leaves_alone(module, _NAMED_MEMBERS) and _leaves_alone(module, _NAMED[_PARAMETERS])):
        return None
    if not _walk(module, None, True, set(), None, modules, 0):
        return None
    return _members(_PARAMETERS, None, modules, True), _hold_modules(modules)


cdef bint _hold_modules(list modules) except -1:
    """Whether a list, tuple or dict among the modules' attributes holds a module or another container.

    Only the first few entries of each are checked.
    """
    cdef PyObject* key
    cdef PyObject* value
    cdef PyObject* item
    cdef Py_ssize_t at, i, place
    for owner in modules:
        at, state = 0, <object>_state(owner)
        while PyDict_Next(state, &at, &key, &value):
            if PyList_CheckExact(<object>value) or PyTuple_CheckExact(<object>value):
                for i in range(min(<Py_ssize_t>len(<object>value), <Py_ssize_t>FEW)):
                    if isinstance((<object>value)[i], (ModuleBase, list, tuple, dict)):
                        return True
            elif PyDict_CheckExact(<object>value) and <object>key not in _OWN_STATE:
                place = i = 0
                while i < FEW and PyDict_Next(<object>value, &place, NULL, &item):
                    if isinstance(<object>item, (ModuleBase, list, tuple, dict)):
                        return True
                    i += 1
    return False


# --- the class ------------------------------------------------------------------------------------------------------

@cython.auto_pickle(False)
cdef class ModuleBase:
    """The compiled half of :class:`flambeau_nn.Module`."""

    def __getattr__(self, name):
        value = _registered(self, name)
        return _missing(self, name) if value is _ABSENT else value

    def __reduce_ex__(self, protocol):
        # Include attributes that are created at the first access, which PyTorch's modules expect. Protocols 0 and 1
        # would copy the fields of this class, which has none.
        reduced = object.__reduce_ex__(self, max(protocol, 2))
        state = reduced[2] if len(reduced) > 2 else None
        if isinstance(state, dict) and "_parameters" in state:
            reduced = (*reduced[:2], late_state() | state, *reduced[3:])
        return reduced

    def _call(self, tuple args not None, dict kwargs not None):
        """Call the module with packed arguments."""
        return _call(self, <PyObject*>args, <PyObject*>kwargs)

    def _call_forward(self, args, kwargs):
        """Call ``forward`` with packed arguments."""
        args = args if type(args) is tuple else tuple(args)
        kwargs = kwargs if type(kwargs) is dict else dict(kwargs)
        return _call_forward(self, _state(self), <PyObject*>args, <PyObject*>kwargs)


def take_fast_slots(cls):
    """Replace Python's generic slots of a subclass by the functions above if these are equivalent."""
    cdef FullType* t = <FullType*>cls
    cdef PyObject* base = (<FullType*>ModuleBase).tp_dict
    cdef PyObject* own = PyDict_GetItemWithError(base, <PyObject*>_GETATTR)
    if _PyType_Lookup(<PyTypeObject*>cls, <PyObject*>_GETATTR) == own and \
            cls.__getattribute__ is object.__getattribute__:
        t.tp_getattro = _getattro
    if _PyType_Lookup(<PyTypeObject*>cls, <PyObject*>_CALL) == _module_call:
        t.tp_call = _call


def _prepare():
    cdef FullType* t = <FullType*>ModuleBase
    cdef dict names = <dict>t.tp_dict
    # Inherit object's own __getattribute__, so that a class with a __getattr__ uses the ordinary lookup first.
    names.pop("__getattribute__", None)
    t.tp_getattro = _getattro
    # Likewise __new__: nothing needs creating, and with our own __new__ Python would reject another first base class.
    names.pop("__new__", None)
    t.tp_new = (<FullType*>object).tp_new
    PyType_Modified(<PyTypeObject*>ModuleBase)


_prepare()


def connect(module, assign, slow_call):
    """Set what higher modules define.

    These are the class Module, the assignment of parameters, modules and buffers, and the call of modules with hooks.
    """
    global _assign, _slow_call, _module_call, _module_class
    _assign, _slow_call, _module_class = assign, slow_call, module
    _module_call = PyDict_GetItemWithError((<FullType*>module).tp_dict, <PyObject*>_CALL)
    take_fast_slots(module)


def set_global_hooks(*hooks):
    """Set the dicts of hooks for all modules; while they are empty, calls of modules without hooks skip the check."""
    global _held_hooks
    if len(hooks) != GLOBAL_HOOKS:
        raise ValueError(f"set_global_hooks(): {GLOBAL_HOOKS} dicts are needed")
    # Another mapping counts as never empty.
    held = tuple([h if isinstance(h, dict) else {None: h} for h in hooks])
    for i in range(GLOBAL_HOOKS):
        _global_hooks[i] = PyTuple_GET_ITEM(held, i)
    _held_hooks = held


set_global_hooks({}, {}, {}, {})
