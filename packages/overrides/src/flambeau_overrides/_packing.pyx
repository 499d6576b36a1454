"""Rules for how a function written in Python passes its arguments to handlers.

Handlers of a compiled function receive the arguments as the caller wrote them. A function written in Python has already
bound its arguments: it passes some of them as `args` and the others, including defaults, as `kwargs`. A `Packing`
describes which.
"""

from cpython.object cimport PyObject
from cpython.ref cimport Py_INCREF
from cpython.tuple cimport PyTuple_GET_ITEM, PyTuple_GET_SIZE, PyTuple_New, PyTuple_SET_ITEM

from flambeau_overrides._dispatch cimport collect_by_hand, dispatch_by_hand


cdef object _MISSING = object()


cdef class Packing:
    """The arguments that a function's handlers receive.

    Args:
        text: the function's parameters, separated by blanks. Handlers receive those before a lone ``*`` by position and
            those after it by name. ``!`` marks the parameters whose arguments are asked for handlers, ``=`` precedes a
            default, a leading ``*`` collects all further positional arguments, and parameters in square brackets are
            not passed on.

    Raises:
        TypeError: ``text`` is not a string.

    >>> pack = Packing("input! * dim=None dtype=None")
    >>> pack("softmax", 5, dtype="int")
    ((5,), {'dim': None, 'dtype': 'int'})
    """

    def __init__(self, str text not None):
        from ast import literal_eval

        names, defaults, asked = [], [], []
        self.text, self.positional, self.shown, self.variadic = text, -1, -1, False
        for word in text.split():
            if word == "*":
                self.positional = len(names)
                continue
            if word[0] == "[":
                self.shown = len(names) if self.shown < 0 else self.shown
                word = word.strip("[]")
            name, equals, default = word.partition("=")
            if name[0] == "*":
                self.variadic = True
            asked.append(name.endswith("!"))
            names.append(name.strip("*!"))
            defaults.append(literal_eval(default) if equals else _MISSING)
        if self.positional < 0:
            self.positional = len(names)
        if self.shown < 0:
            self.shown = len(names)
        self.names, self.defaults, self.asked = tuple(names), tuple(defaults), tuple(asked)

    def __call__(self, str function, *args, **kwargs):
        """Return the `args` and `kwargs` that handlers receive for a call of the function with these arguments."""
        cdef list bound = [_MISSING] * len(self.names)
        cdef list vector = [*args, *kwargs.values()]
        cdef PyObject* pointers[64]
        if len(vector) > 64:
            raise TypeError("too many arguments")
        for i in range(len(vector)):
            pointers[i] = <PyObject*>vector[i]
        names = tuple(kwargs)
        rest = _bind(self, function, bound, pointers, len(args), <PyObject*>names)
        return _positional(self, bound, rest), _by_name(self, bound)

    def __repr__(self):
        return f"Packing({self.text!r})"


cdef tuple _bind(Packing packing, str function, list bound, PyObject* const* args, Py_ssize_t n, PyObject* kwnames):
    """Bind each parameter to its argument or default, as Python does; returns the arguments of a variadic one."""
    cdef Py_ssize_t i, j, count = PyTuple_GET_SIZE(packing.names), fixed = count
    cdef tuple rest = ()
    if packing.variadic:
        fixed = packing.positional - 1
        rest = tuple([<object>args[i] for i in range(fixed, n)])
    elif n > count:
        raise TypeError(f"{function}() takes {count} positional arguments but {n} were given")
    for i in range(min(n, fixed)):
        bound[i] = <object>args[i]
    if kwnames != NULL:
        for j in range(PyTuple_GET_SIZE(<object>kwnames)):
            name = <object>PyTuple_GET_ITEM(<object>kwnames, j)
            if name not in packing.names:
                from flambeau_overrides.suggestions import unexpected_keyword

                raise unexpected_keyword(function, name, packing.names)
            i = packing.names.index(name)
            if bound[i] is not _MISSING:
                raise TypeError(f"{function}() got multiple values for argument '{name}'")
            bound[i] = <object>args[n + j]
    for i in range(count):
        if bound[i] is _MISSING:
            default = <object>PyTuple_GET_ITEM(packing.defaults, i)
            if default is _MISSING and not (packing.variadic and i == fixed):
                raise TypeError(f"{function}() missing 1 required positional argument: '{packing.names[i]}'")
            bound[i] = default
    return rest


cdef tuple _positional(Packing packing, list bound, tuple rest):
    cdef Py_ssize_t i, n = packing.positional - (1 if packing.variadic else 0)
    cdef tuple args = PyTuple_New(n)
    for i in range(n):
        o = bound[i]
        Py_INCREF(o)
        PyTuple_SET_ITEM(args, i, o)
    return args + rest if rest else args


cdef dict _by_name(Packing packing, list bound):
    cdef dict kwargs = {}
    cdef Py_ssize_t i
    for i in range(packing.positional, packing.shown):
        kwargs[<object>PyTuple_GET_ITEM(packing.names, i)] = bound[i]
    return kwargs


cdef int _ask(list found, object o) except -1:
    if isinstance(o, (list, tuple)):
        for item in o:
            collect_by_hand(found, item)
    else:
        collect_by_hand(found, o)
    return 0


cdef object dispatch_packed(object func, Packing packing, list overloaded, PyObject* const* args, Py_ssize_t n,
                            PyObject* kwnames):
    cdef list bound = [_MISSING] * PyTuple_GET_SIZE(packing.names)
    cdef list found = []
    cdef Py_ssize_t i
    cdef tuple rest = _bind(packing, getattr(func, "__name__", None) or "", bound, args, n, kwnames)
    for i in range(PyTuple_GET_SIZE(packing.names)):
        if <object>PyTuple_GET_ITEM(packing.asked, i) is True:
            _ask(found, rest if packing.variadic and i == packing.positional - 1 else bound[i])
    return dispatch_by_hand(func, found, overloaded, _positional(packing, bound, rest), _by_name(packing, bound))
