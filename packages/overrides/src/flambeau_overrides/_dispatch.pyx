"""The `__torch_function__` protocol: which types and modes can handle a call, in what order, and the call itself.

It is compiled because every call of every function of a tensor library passes through it. Two rules follow. First, a
call that nobody overrides costs only a few comparisons. Second, nothing that could go stale is cached: a type's handler
is looked up through the interpreter's own type cache, so classes may gain, lose and replace it at any time.
"""

cimport cython
from cpython.exc cimport PyErr_WarnEx
from cpython.list cimport PyList_GET_ITEM, PyList_GET_SIZE
from cpython.method cimport PyMethod_Check, PyMethod_GET_SELF
from cpython.object cimport Py_TPFLAGS_HEAPTYPE, PyObject, PyTypeObject
from cpython.ref cimport Py_INCREF
from cpython.tuple cimport PyTuple_GET_ITEM, PyTuple_GET_SIZE, PyTuple_New, PyTuple_SET_ITEM
from cpython.type cimport PyType_IsSubtype

from flambeau_overrides._thread cimport (
    ThreadState, has_mode, pop_disabled, push_disabled, subclass_disabled, take_skip, this_thread, thread_if_any,
)

from flambeau_overrides.registry import display_name


cdef extern from "Python.h":
    Py_ssize_t PyVectorcall_NARGS(size_t)
    object PyObject_Vectorcall(PyObject*, PyObject* const*, size_t, PyObject*)
    const size_t PY_VECTORCALL_ARGUMENTS_OFFSET
    PyObject* _PyType_Lookup(PyTypeObject*, PyObject*)
    PyTypeObject* Py_TYPE(PyObject*)
    bint PyCallable_Check(PyObject*)
    bint PyCFunction_Check(PyObject*)
    PyObject* PyCFunction_GET_SELF(PyObject*)
    PyTypeObject PyBool_Type, PyBytes_Type, PyClassMethod_Type, PyComplex_Type, PyDict_Type, PyEllipsis_Type
    PyTypeObject PyFloat_Type, PyFunction_Type, PyList_Type
    PyTypeObject PyLong_Type, PySlice_Type, PyStaticMethod_Type, PyTuple_Type, PyType_Type, PyUnicode_Type


cdef str HANDLER = "__torch_function__"
cdef PyTypeObject* NoneType = Py_TYPE(<PyObject*>None)


# --- around dispatch --------------------------------------------------------------------------------------------------

def redispatch_function(func, types, args, kwargs=None):
    """Call `func(*args, **kwargs)` and bypass one level of dispatch: the implementation of `func` runs, and the
    functions that it calls are overridable as usual.

    For use in handlers. `types` is ignored; it exists so that a handler can pass on its arguments.

    Raises:
        TypeError: ``func`` is not callable.

    >>> from flambeau_overrides import overridable
    >>> class Other:
    ...     @classmethod
    ...     def __torch_function__(cls, func, types, args=(), kwargs=None):
    ...         return redispatch_function(func, types, args, kwargs)
    >>> @overridable
    ... def kind(x):
    ...     return type(x).__name__
    >>> kind(Other())
    'Other'
    """
    cdef ThreadState state = this_thread()
    cdef PyObject* before = state.skip
    state.skip = <PyObject*>func
    try:
        return func(*args, **(kwargs or {}))
    finally:
        state.skip = before


@cython.binding(False)
def _disabled_torch_function_impl(func, types, args=(), kwargs=None):
    """Call `func` while types do not override. As a class's `__torch_function__`, it takes the class out of
    dispatch."""
    push_disabled()
    try:
        return func(*args, **(kwargs or {}))
    finally:
        pop_disabled()


cdef object _disabled_impl = _disabled_torch_function_impl


# --- types -----------------------------------------------------------------------------------------------------------

# An array of at most MAX_BASES pointers, compared on every call; _base_references keeps the objects alive.
cdef enum:
    MAX_BASES = 16
cdef PyTypeObject* _bases[MAX_BASES]
cdef PyObject* _defaults[MAX_BASES]
cdef int _base_count = 0
cdef list _base_references = []


def register_base(cls):
    """Declare `cls` the base class of a library's own types.

    Its exact instances are not asked for handlers, since the library's functions handle them anyway. Subclasses that
    inherit `__torch_function__` unchanged count as overriding nothing.

    Call it with the finished class, after `__torch_function__` is defined. Returns `cls`, so it can be used as a
    decorator. At most 16 classes can be registered.

    Raises:
        TypeError: ``cls`` is not a class or does not define ``__torch_function__``.

    >>> @register_base
    ... class Array:
    ...     @classmethod
    ...     def __torch_function__(cls, func, types, args=(), kwargs=None):
    ...         return func(*args, **(kwargs or {}))
    >>> class Named(Array): ...
    >>> has_torch_function_unary(Array()), is_tensor_like(Array()), has_torch_function_unary(Named())
    (False, True, True)
    """
    global _base_count
    if not isinstance(cls, type):
        raise TypeError(f"register_base(): argument 'cls' must be a class, not {type(cls).__name__}")
    cdef PyObject* found = _PyType_Lookup(<PyTypeObject*>cls, <PyObject*>HANDLER)
    if found == NULL:
        raise TypeError(f"register_base(): {cls.__name__} does not define __torch_function__")
    if _is_base(<PyTypeObject*>cls):
        return cls
    if _base_count == MAX_BASES:
        raise RuntimeError(f"register_base(): there is room for {MAX_BASES} classes only")
    _base_references.append((cls, <object>found))
    _bases[_base_count] = <PyTypeObject*>cls
    _defaults[_base_count] = found
    _base_count += 1
    return cls


cdef inline bint _is_base(PyTypeObject* t) noexcept:
    cdef int i
    for i in range(_base_count):
        if _bases[i] == t:
            return True
    return False


cdef inline bint _is_basic(PyTypeObject* t) noexcept:
    return (t == &PyFloat_Type or t == &PyLong_Type or t == NoneType or t == &PyBool_Type or t == &PyUnicode_Type
            or t == &PyTuple_Type or t == &PyList_Type or t == &PySlice_Type or t == &PyDict_Type
            or t == &PyComplex_Type or t == &PyEllipsis_Type or t == &PyBytes_Type or t == &PyType_Type)


cdef inline bint _overrides(PyTypeObject* t) noexcept:
    cdef PyObject* found
    if _is_base(t) or (not t.tp_flags & Py_TPFLAGS_HEAPTYPE and _is_basic(t)):
        return False
    found = _PyType_Lookup(t, <PyObject*>HANDLER)
    if found == NULL or found == <PyObject*>_disabled_impl:
        return False
    if Py_TYPE(found) == &PyStaticMethod_Type:
        return (<object>found).__func__ is not _disabled_impl
    return True


cdef bint type_overrides(PyTypeObject* t) noexcept:
    return _overrides(t)


cdef bint is_default(PyTypeObject* t) noexcept:
    cdef PyObject* found = _PyType_Lookup(t, <PyObject*>HANDLER)
    cdef int i
    if found != NULL:
        for i in range(_base_count):
            if _defaults[i] == found and PyType_IsSubtype(<type>t, <type>_bases[i]):
                return True
    return False


def is_tensor_like(inp, /):
    """Whether `inp` has a `__torch_function__`, including that of a registered base.

    >>> is_tensor_like(6)
    False
    """
    return _is_base(Py_TYPE(<PyObject*>inp)) or hasattr(inp, "__torch_function__")


# --- which arguments override ----------------------------------------------------------------------------------------

cdef int _insert(list overloaded, PyObject* candidate) except -1:
    """Insert candidate before the first instance of a superclass of its type; skip it if its type is in the list."""
    cdef PyTypeObject* t = Py_TYPE(candidate)
    cdef PyTypeObject* other
    cdef Py_ssize_t i, n = PyList_GET_SIZE(overloaded), index = n
    for i in range(n):
        other = Py_TYPE(PyList_GET_ITEM(overloaded, i))
        if other == t:
            return False
        # Checks real inheritance and bypasses metaclasses, so no Python code runs while a call is being set up.
        if index == n and PyType_IsSubtype(<type>t, <type>other):
            index = i
    overloaded.insert(index, <object>candidate)
    return True


cdef bint collect(list overloaded, object candidate) except -1:
    if subclass_disabled() or not _overrides(Py_TYPE(<PyObject*>candidate)):
        return False
    return _insert(overloaded, <PyObject*>candidate)


cdef bint collect_by_hand(list overloaded, object candidate) except -1:
    cdef PyTypeObject* t = Py_TYPE(<PyObject*>candidate)
    if subclass_disabled() or not (_is_base(t) or _overrides(t)):
        return False
    return _insert(overloaded, <PyObject*>candidate)


cdef list collect_vector(PyObject* const* objects, Py_ssize_t n):
    cdef list overloaded = None
    cdef PyObject* item
    cdef PyTypeObject* t
    cdef PyTypeObject* last
    cdef Py_ssize_t i, j
    if subclass_disabled():
        return None
    for i in range(n):
        if objects[i] == NULL:
            continue
        t = Py_TYPE(objects[i])
        if t == &PyList_Type or t == &PyTuple_Type:
            last = NULL
            j = 0
            # The size is read on each pass: no Python code runs here, but another thread may change the list.
            while j < (PyList_GET_SIZE(<object>objects[i]) if t == &PyList_Type
                       else PyTuple_GET_SIZE(<object>objects[i])):
                item = (PyList_GET_ITEM(<object>objects[i], j) if t == &PyList_Type
                        else PyTuple_GET_ITEM(<object>objects[i], j))
                j += 1
                if Py_TYPE(item) == last:
                    continue
                last = Py_TYPE(item)
                if _overrides(last):
                    overloaded = _with(overloaded, item)
        elif _overrides(t):
            overloaded = _with(overloaded, objects[i])
    return overloaded


cdef inline list _with(list overloaded, PyObject* candidate):
    if overloaded is None:
        return [<object>candidate]
    _insert(overloaded, candidate)
    return overloaded


cdef bint overridden(object func, list overloaded) except -1:
    cdef PyObject* state = thread_if_any()
    cdef bint asked = overloaded is not None and PyList_GET_SIZE(overloaded) != 0
    if state == NULL:
        return asked
    if (<ThreadState>state).skip == <PyObject*>func:
        (<ThreadState>state).skip = NULL
        return False
    return asked or (<ThreadState>state).handler_of(func) >= 0


# --- the call --------------------------------------------------------------------------------------------------------

cdef object dispatch(object func, list overloaded, tuple args, dict kwargs):
    return _dispatch(func, overloaded, args, kwargs, COMPILED)


cdef object dispatch_method(object func, object instance, list overloaded, tuple args, dict kwargs):
    if overloaded is None:
        overloaded = [instance]
    else:
        _insert(overloaded, <PyObject*>instance)
    return _dispatch(func, overloaded, args, kwargs, METHOD)


cdef object dispatch_by_hand(object func, list asked, list overloaded, tuple args, dict kwargs):
    cdef object o
    for o in asked:
        if not _is_base(Py_TYPE(<PyObject*>o)):
            overloaded = asked
            break
    else:
        if overloaded is None:
            overloaded = asked
    return _dispatch(func, overloaded, args, kwargs, BY_HAND)


cdef object dispatch_vectorcall(object func, list overloaded, PyObject* const* args, size_t nargsf, PyObject* kwnames):
    cdef Py_ssize_t i, n = PyVectorcall_NARGS(nargsf)
    cdef tuple positional = PyTuple_New(n)
    cdef dict kwargs = {}
    for i in range(n):
        item = <object>args[i]
        Py_INCREF(item)
        PyTuple_SET_ITEM(positional, i, item)
    if kwnames != NULL:
        for i in range(PyTuple_GET_SIZE(<tuple>kwnames)):
            kwargs[<object>PyTuple_GET_ITEM(<tuple>kwnames, i)] = <object>args[n + i]
    return _dispatch(func, overloaded, positional, kwargs, COMPILED)


cdef enum:  # what dispatches
    COMPILED
    METHOD  # a compiled method without arguments, or an attribute: the type of its tensor always counts
    BY_HAND  # a function written in Python: PyTorch's messages differ, and bases count among the types


cdef object _dispatch(object func, list overloaded, tuple args, dict kwargs, int kind):
    cdef ThreadState state = this_thread()
    cdef Py_ssize_t i, n = 0 if overloaded is None else PyList_GET_SIZE(overloaded)
    cdef Py_ssize_t index = state.handler_of(func)
    cdef tuple types = PyTuple_New(n)
    mode = None
    for i in range(n):
        item = <object>Py_TYPE(PyList_GET_ITEM(overloaded, i))
        Py_INCREF(item)
        PyTuple_SET_ITEM(types, i, item)
    if index >= 0:
        mode = state.modes[index]
        result = _ask_mode(state, index, func, types, args, kwargs)
        if result is not NotImplemented:
            return result
    for i in range(n):
        if (kind == METHOD or mode is not None) and not _overrides(Py_TYPE(PyList_GET_ITEM(overloaded, i))):
            continue  # a base would call the function, and the function would call the mode
        result = _ask(state, <object>PyList_GET_ITEM(overloaded, i), func, types, args, kwargs, kind == BY_HAND)
        if result is not NotImplemented:
            return result
    _raise_not_implemented(func, types, mode, kind == BY_HAND)


cdef object _ask_mode(ThreadState state, Py_ssize_t index, object func, tuple types, tuple args, dict kwargs):
    # While a mode handles a call, this mode and the modes inside it are set aside; calls in its handler go to the next
    # outer mode.
    cdef list aside = state.cut(index)
    cdef PyObject* vector[5]
    cdef object mode = aside[0]
    try:
        state.enter(func, args, kwargs, mode, aside)
        try:
            handler = _bind(<PyObject*>mode)
            vector[0] = NULL
            vector[1], vector[2], vector[3], vector[4] = (
                <PyObject*>func, <PyObject*>types, <PyObject*>args, <PyObject*>kwargs)
            return PyObject_Vectorcall(<PyObject*>handler, vector + 1,
                                       (3 if kwargs is None else 4) | PY_VECTORCALL_ARGUMENTS_OFFSET, NULL)
        finally:
            state.leave()
    finally:
        state.extend(aside)


cdef object _ask(ThreadState state, object candidate, object func, tuple types, tuple args, dict kwargs,
                 bint by_hand):
    cdef PyTypeObject* t = Py_TYPE(<PyObject*>candidate)
    cdef PyObject* vector[6]
    cdef PyObject* function = _function_of_class(_PyType_Lookup(t, <PyObject*>HANDLER))
    cdef size_t n = (3 if kwargs is None else 4)
    vector[0] = NULL
    vector[1], vector[2], vector[3], vector[4], vector[5] = (
        <PyObject*>t, <PyObject*>func, <PyObject*>types, <PyObject*>args, <PyObject*>kwargs)
    if function != NULL:
        handler = <object>function
    else:
        handler = _bind(<PyObject*>candidate)
        if _is_bound_to(<PyObject*>handler, <PyObject*>candidate):
            _warn_plain_method(by_hand)
    state.enter(func, args, kwargs, <object>t, None)
    try:
        if function != NULL:
            return PyObject_Vectorcall(<PyObject*>handler, vector + 1, (n + 1) | PY_VECTORCALL_ARGUMENTS_OFFSET, NULL)
        return PyObject_Vectorcall(<PyObject*>handler, vector + 2, n | PY_VECTORCALL_ARGUMENTS_OFFSET, NULL)
    finally:
        state.leave()


# The offset of the function in a classmethod object; 0 if this interpreter has another layout.
cdef Py_ssize_t _function_offset = sizeof(PyObject)


cdef inline PyObject* _function_of_class(PyObject* handler) noexcept:
    """Return the function of a plain classmethod, which can be called without creating a bound method; else NULL."""
    cdef PyObject* function
    if handler == NULL or _function_offset == 0 or Py_TYPE(handler) != &PyClassMethod_Type:
        return NULL
    function = (<PyObject**>(<char*>handler + _function_offset))[0]
    return function if Py_TYPE(function) == &PyFunction_Type else NULL


def _check_function_offset():
    global _function_offset
    method = classmethod(_check_function_offset)
    if (<PyObject**>(<char*><PyObject*>method + _function_offset))[0] != <PyObject*>method.__func__:
        _function_offset = 0


_check_function_offset()


cdef object _bind(PyObject* candidate):
    """Return candidate's handler, found on its type and bound as a class method, a method or a static method."""
    cdef PyTypeObject* t = Py_TYPE(candidate)
    cdef PyObject* found = _PyType_Lookup(t, <PyObject*>HANDLER)
    if found == NULL:
        raise TypeError(f"{(<object>t).__name__} no longer defines __torch_function__")
    raw = <object>found  # owned: the binding may run code that replaces it
    if Py_TYPE(found).tp_descr_get != NULL:
        raw = Py_TYPE(found).tp_descr_get(raw, <object>candidate, <object>t)
    if not PyCallable_Check(<PyObject*>raw):
        raise TypeError(f"{(<object>t).__name__}.__torch_function__ must be a method, not {type(raw).__name__}")
    return raw


cdef inline bint _is_bound_to(PyObject* handler, PyObject* candidate) noexcept:
    if PyMethod_Check(<object>handler):
        return PyMethod_GET_SELF(<object>handler) == candidate
    return PyCFunction_Check(handler) and PyCFunction_GET_SELF(handler) == candidate


cdef bint _warned = False


cdef int _warn_plain_method(bint by_hand) except -1:
    """Warn once per process for compiled functions, and at every call for functions written in Python."""
    global _warned
    if by_hand:
        PyErr_WarnEx(DeprecationWarning, b"Defining your `__torch_function__ as a plain method is deprecated and "
                     b"will be an error in future, please define it as a classmethod.", 2)
    elif not _warned:
        _warned = True
        PyErr_WarnEx(UserWarning, b"Defining your `__torch_function__` as a plain method is deprecated and will be an "
                                  b"error in future, please define it as a classmethod.", 1)
    return 0


cdef int _raise_not_implemented(object func, tuple types, object mode, bint by_hand) except -1:
    name = display_name(func)
    documented = f"no implementation found for '{name}' on types that implement __torch_function__: "
    if by_hand:
        nor = "" if mode is None else f" nor in mode {mode!r}"
        raise TypeError(f"{documented}{list(types)!r}{nor}")
    asked = [] if mode is None else [f"  - mode object {mode!r}"]
    asked += [f"  - tensor subclass {t!r}" for t in types]
    text = f"Multiple dispatch failed for '{name}'; all __torch_function__ handlers returned NotImplemented:\n\n"
    end = f"\n\n{documented}[{', '.join([t.__name__ for t in types])}]" if types else ""
    raise TypeError(text + "\n".join(asked) + end)


# --- for functions written in Python ---------------------------------------------------------------------------------

@cython.binding(False)
def has_torch_function(relevant_args, /):
    """Whether an element of the iterable overrides, or a mode is active: the check before handle_torch_function().

    Exact instances of registered bases do not count; is_tensor_like() recognizes them, too.

    Raises:
        TypeError: ``relevant_args`` is not iterable.

    >>> class Other:
    ...     @classmethod
    ...     def __torch_function__(cls, func, types, args=(), kwargs=None):
    ...         return "Other"
    >>> has_torch_function([1, "text"]), has_torch_function([1, Other()])
    (False, True)
    """
    cdef bint found = has_mode()
    if not found and not subclass_disabled():
        if not isinstance(relevant_args, (tuple, list)):
            try:
                relevant_args = tuple(relevant_args)
            except TypeError:
                raise TypeError("expected a sequence") from None
        for item in relevant_args:
            if _overrides(Py_TYPE(<PyObject*>item)):
                found = True
                break
    return found and not take_skip()


@cython.binding(False)
def has_torch_function_unary(arg, /):
    """Return has_torch_function((arg,)) without creating the tuple.

    >>> has_torch_function_unary("text")
    False
    """
    return ((has_mode() or (not subclass_disabled() and _overrides(Py_TYPE(<PyObject*>arg))))
            and not take_skip())


@cython.binding(False)
def has_torch_function_variadic(*args):
    """Return has_torch_function(args) for arguments that are passed one by one.

    >>> has_torch_function_variadic(1, "text")
    False
    """
    return has_torch_function(args)


@cython.binding(False)
def handle_torch_function(public_api, relevant_args, /, *args, **kwargs):
    """Let modes and types handle `public_api(*args, **kwargs)`.

    Only the types of `relevant_args` are asked.

    Raises:
        TypeError: all handlers return NotImplemented, or there are none.

    >>> def twice(x):
    ...     if has_torch_function_unary(x):
    ...         return handle_torch_function(twice, (x,), x)
    ...     return 2 * x
    """
    cdef list overloaded = []
    for item in relevant_args:
        collect_by_hand(overloaded, item)
    if not overloaded and has_mode() and this_thread().handler_of(public_api) < 0:
        # has_torch_function() cannot know that no mode handles this function: run it and bypass the check.
        return redispatch_function(public_api, (), args, kwargs)
    return _dispatch(public_api, overloaded, args, kwargs, BY_HAND)


def ask_modes(func, tuple args not None, dict kwargs=None):
    """Let the modes handle a call of a compiled function whose arguments cannot override.

    Raises:
        TypeError: ``args`` is not a tuple.

    >>> from flambeau_overrides import TorchFunctionMode
    >>> class Zero(TorchFunctionMode):
    ...     def __torch_function__(self, func, types, args=(), kwargs=None):
    ...         return 0
    >>> with Zero():
    ...     print(ask_modes(len, ()))
    0
    """
    if this_thread().handler_of(func) < 0:
        return redispatch_function(func, (), args, kwargs)
    return _dispatch(func, None, args, kwargs, COMPILED)


def overloaded_args(relevant_args):
    """Return the arguments whose types would be asked, in that order."""
    cdef list overloaded = []
    for item in relevant_args:
        collect_by_hand(overloaded, item)
    return overloaded
