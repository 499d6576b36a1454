# cython: language_level=3
"""Public callables other than operators: a method of Tensor, or a name with several schemas.

`torch.max` is an OverloadSet: three operators with the same name, each with its own schema, kernel and derivative. A
call tries one after the other; the fast path only compares types. `torch.Tensor.max` is a Method that calls the set. A
handler of `__torch_function__` receives the callable that was called: the function or the method.
"""
cimport cython
from cpython.dict cimport PyDict_GetItemWithError
from cpython.object cimport PyObject, PyTypeObject
from cpython.tuple cimport PyTuple_CheckExact, PyTuple_GET_ITEM, PyTuple_GET_SIZE
from libc.string cimport memset

from flambeau_overrides.abi cimport active_modes_ptr, mode_handles

from flambeau_tensor._core.elementwise.dtype cimport DType
from flambeau_tensor._core.call.forwarding cimport call_target, is_redirected, straight_target, target_of
from flambeau_tensor._core.memory.meta_device cimport META
from flambeau_tensor._core.call.operator cimport (
    A_NUMBER, A_OPTIONAL, A_OUT, A_SINGLE, OP_INPLACE, ArgSpec, Operator, bind_positional, call_bound,
    call_positional, implementations, is_ready, names_device, vectorcallfunc,
)
from flambeau_tensor._core.call.sequences cimport Bound, pack_list, release
from flambeau_tensor._core.elementwise.scalar cimport is_number
from flambeau_tensor._core.call.sockets cimport call_general, call_overloaded
from flambeau_tensor._core.memory.subclass cimport is_tensor
from flambeau_tensor._core.memory.tensor cimport SizeType, Tensor, grad_flags, is_plain
from flambeau_tensor._core.call.thread_state cimport thread_state
from flambeau_tensor._core.memory.type_slots cimport enable_vectorcall
from flambeau_tensor._core.memory.types cimport (
    K_BOOL, K_DTYPE, K_FLOAT, K_INT, K_INTS, K_SCALAR, K_SCALARS, K_STR, K_TENSOR, K_TENSORS,
)

cdef extern from "Python.h":
    Py_ssize_t PyVectorcall_NARGS(size_t)
    object PyMethod_New(object, object)
    bint PyUnicode_CHECK_INTERNED(PyObject*)

cdef int* _modes = active_modes_ptr()


cdef bint _allows(OverloadSet overloads, Py_ssize_t n, unsigned int given, unsigned int filled) noexcept:
    """Whether some signature accepts `n` positional arguments, the slots `given`, and None outside of `filled`."""
    cdef int i
    cdef Signature* s
    for i in range(overloads.count):
        s = &overloads.signatures[i]
        if n <= s.npos and not given & ~s.known and not s.required & ~given and not s.filled & given & ~filled:
            return True
    return False


cdef bint _bind_plain(OverloadSet overloads, PyObject* const* args, Py_ssize_t n, Bound* bound) noexcept:
    """The fast path of the operator `plain`, to which all members forward."""
    cdef Py_ssize_t i
    cdef unsigned int filled = 0
    if not bind_positional(<Operator>overloads.plain, args, n, bound):
        return False
    if n > (<Operator>overloads.plain).npos:
        n = (<Operator>overloads.plain).varargs + 1
    for i in range(n):
        filled |= <unsigned int>(args[i] != <PyObject*>None) << i
    return _allows(overloads, n, (<unsigned int>1 << n) - 1, filled) or release(bound)


cdef bint is_signature(Operator op, OverloadSet signatures, PyObject** slots, Py_ssize_t n) noexcept:
    """Whether the given arguments match one of the signatures of `op`."""
    cdef unsigned int given = 0, filled = 0
    cdef int i
    for i in range(op.nslots):
        given |= <unsigned int>(slots[i] != NULL) << i
        filled |= <unsigned int>(slots[i] != NULL and slots[i] != <PyObject*>None) << i
    return _allows(signatures, n if n <= op.npos else op.varargs + 1, given, filled)


cdef inline int _slot_named(Operator op, PyObject* key) except -2:
    """Return the slot of the argument with this name, or -1. Keywords and names are interned."""
    cdef int i
    cdef PyObject* found
    for i in range(op.nslots):
        if op.args[i].name == key:
            return -1 if i == op.out_index and op.flags & OP_INPLACE else i
    if PyUnicode_CHECK_INTERNED(key):
        return -1
    found = PyDict_GetItemWithError(op.index, <object>key)
    return -1 if found == NULL else <int><object>found


cdef bint bind_named(Operator op, PyObject* const* args, Py_ssize_t n, PyObject* kwnames, Bound* bound,
                     OverloadSet signatures) except -1:
    """The fast path of a call with keywords: arguments of the expected types, no overrides. False if it cannot bind
    them. With `signatures`, the call has to match one of them."""
    bound.packed, bound.cls = 0, NULL
    return _fill_named(op, args, n, kwnames, bound, signatures) or release(bound)


cdef bint _fill_named(Operator op, PyObject* const* args, Py_ssize_t n, PyObject* kwnames, Bound* bound,
                      OverloadSet signatures) except -1:
    cdef PyObject** slots = bound.slots
    cdef Py_ssize_t i, j
    cdef int k
    cdef PyObject* o
    cdef PyObject* element
    cdef ArgSpec* spec
    cdef bint tensors = False, numbers = False
    cdef unsigned int given, filled  # slots that have an argument, and slots whose argument is not None
    if n > op.npos:
        return False
    given = filled = (<unsigned int>1 << n) - 1
    for i in range(n, op.nslots):
        slots[i] = NULL
    for j in range(PyTuple_GET_SIZE(<object>kwnames)):
        k = _slot_named(op, PyTuple_GET_ITEM(<object>kwnames, j))
        if k < n:  # unknown, an alias, or also passed by position
            return False
        if slots[k] != NULL or (op.args[k].flags & A_OUT and args[n + j] != <PyObject*>None):
            return False
        slots[k] = args[n + j]
        given |= <unsigned int>1 << k
        filled |= <unsigned int>(args[n + j] != <PyObject*>None) << k
    for i in range(n):
        slots[i] = args[i]
        if args[i] == <PyObject*>None:
            filled &= ~(<unsigned int>1 << i)
    if signatures is not None and not _allows(signatures, n, given, filled):
        return False
    bound.flags = 0
    for i in range(op.nslots):
        spec = &op.args[i]
        o = slots[i]
        if o == NULL:
            if spec.default == NULL:
                return False
            slots[i] = spec.default
        elif spec.kind == K_TENSOR:
            if is_plain(o):
                bound.flags |= grad_flags(<Tensor>o)
                tensors = True
            elif spec.flags & A_NUMBER and is_number(o):
                numbers = True
            elif o != <PyObject*>None or not spec.flags & A_OPTIONAL:
                return False
        elif spec.kind == K_TENSORS:
            slots[i] = o = o if PyTuple_CheckExact(<object>o) else pack_list(bound, o)
            if o == NULL:
                return False
            for j in range(PyTuple_GET_SIZE(<object>o)):
                element = PyTuple_GET_ITEM(<object>o, j)
                if not is_plain(element):
                    return False
                bound.flags |= grad_flags(<Tensor>element)
        elif not is_ready(spec, o):
            slots[i] = o = pack_list(bound, o) if spec.kind == K_INTS or spec.kind == K_SCALARS else NULL
            if o == NULL or not is_ready(spec, o):
                return False
    if names_device(op, slots):
        bound.flags |= META
    return tensors or not numbers


cdef enum:  # kinds of arguments, as bits
    A_TENSOR = 1
    AN_INT = 2
    A_FLOAT = 4
    A_BOOL = 8
    A_NONE = 16
    A_TUPLE = 32
    A_STR = 64
    A_DTYPE = 128
    A_LIST = 256
    A_SUBCLASS = 512  # a subclass of Tensor
    ANOTHER = 1024
    ANY_KIND = 2047
    A_CLASS = 2048  # `x.to(float)`: a class that converts to a dtype; no fast path accepts it


cdef inline unsigned int _kind_of(PyObject* o) noexcept:
    if is_plain(o):
        return A_TENSOR
    if o.ob_type == <PyTypeObject*>int:
        return AN_INT
    if o.ob_type == <PyTypeObject*>float:
        return A_FLOAT
    if o.ob_type == <PyTypeObject*>tuple or o.ob_type == <PyTypeObject*>SizeType:
        return A_TUPLE
    if o == <PyObject*>None:
        return A_NONE
    return _odd_kind_of(o)


cdef unsigned int _odd_kind_of(PyObject* o) noexcept:
    if o.ob_type == <PyTypeObject*>list:
        return A_LIST
    if o.ob_type == <PyTypeObject*>bool:
        return A_BOOL
    if o.ob_type == <PyTypeObject*>str:
        return A_STR
    if o.ob_type == <PyTypeObject*>DType:
        return A_DTYPE
    if o.ob_type == <PyTypeObject*>type:
        return A_CLASS
    return A_SUBCLASS if is_tensor(o) else ANOTHER


cdef unsigned int _taken(Operator op, int i):
    """Return the kinds of arguments that the fast path may accept at a position: all those that it checks for."""
    cdef ArgSpec* spec
    cdef int kind
    cdef unsigned int optional
    if i >= op.npos:
        return AN_INT if op.varargs >= 0 else 0
    spec = &op.args[i]
    kind, optional = spec.kind, A_NONE if spec.flags & A_OPTIONAL else 0
    if kind == K_TENSOR:
        return A_TENSOR | A_SUBCLASS | optional | (AN_INT | A_FLOAT | A_BOOL | ANOTHER if spec.flags & A_NUMBER else 0)
    if kind == K_TENSORS or kind == K_INTS or kind == K_SCALARS:
        return A_TUPLE | A_LIST | optional | (AN_INT if spec.flags & A_SINGLE else 0)
    if kind == K_SCALAR:
        return AN_INT | A_FLOAT | A_BOOL | ANOTHER | optional
    for known, taken in ((K_INT, AN_INT), (K_FLOAT, A_FLOAT), (K_BOOL, A_BOOL), (K_STR, A_STR), (K_DTYPE, A_DTYPE)):
        if kind == known:
            return taken | optional
    return ANY_KIND


cdef object _call_member(PyObject* op, Bound* bound):
    if not bound.packed and is_redirected(op):
        return call_target(op, bound.slots, bound.flags, bound.cls)
    return call_bound(<Operator>op, bound)


cdef inline bint _is_alike(const Choice* c, PyObject* const* args, Py_ssize_t n) noexcept:
    cdef Py_ssize_t i
    for i in range(n):
        if args[i].ob_type != c.types[i]:
            return False
    return c.op != NULL and c.since == implementations


cdef inline Choice* _known_choice(OverloadSet overloads, PyObject* const* args, Py_ssize_t n) noexcept:
    """Return the cached choice for a call with arguments of these types, or NULL."""
    if _is_alike(&overloads.choices[n][0], args, n):
        return &overloads.choices[n][0]
    return &overloads.choices[n][1] if _is_alike(&overloads.choices[n][1], args, n) else NULL


cdef int _remember(OverloadSet overloads, PyObject* op, PyObject* const* args, Py_ssize_t n) except -1:
    """Cache the member, or `plain`, for calls with arguments of these types; replaces the older of two entries."""
    cdef Choice* c
    cdef Py_ssize_t i
    cdef PyObject* target = op
    if n > COMPARED or thread_state().dispatching:
        return 0
    for i in range(n):
        if _kind_of(args[i]) > A_LIST:  # a class may be freed, and another one may get its address
            return 0
    if op != overloads.plain:
        target = straight_target(<Operator>op, args, n)
    overloads.choices[n][1] = overloads.choices[n][0]
    c = &overloads.choices[n][0]
    c.op, c.straight, c.since = op if target == NULL else target, target != NULL, implementations
    for i in range(n):
        c.types[i] = args[i].ob_type
    return 0


cdef object _call_set(OverloadSet overloads, PyObject* const* args, Py_ssize_t n, PyObject* kwnames,
                      PyObject* called):
    cdef Bound bound
    cdef unsigned long long kinds = 0
    cdef Py_ssize_t i
    cdef int shift = 0
    cdef Choice* known
    if kwnames != NULL:
        return _call_named(overloads, args, n, kwnames, called)
    if _modes[0] != 0 and mode_handles(<object>called):
        return call_overloaded(overloads, args, n, kwnames, called)
    if n <= COMPARED and not thread_state().dispatching:
        known = _known_choice(overloads, args, n)
        if known != NULL and bind_positional(<Operator>known.op, args, n, &bound):
            if known.straight:
                return call_bound(<Operator>known.op, &bound)
            return _call_member(known.op, &bound)
    if overloads.plain != NULL:
        if _bind_plain(overloads, args, n, &bound):
            _remember(overloads, overloads.plain, args, n)
            return call_bound(<Operator>overloads.plain, &bound)
    for i in range(n):
        if shift < 16 * COMPARED:
            kinds |= <unsigned long long>_kind_of(args[i]) << shift
            shift += 16
        elif args[i].ob_type == <PyTypeObject*>type:
            return call_overloaded(overloads, args, n, kwnames, called)
    for i in range(overloads.count):
        if not kinds & ~overloads.takes[i]:
            if bind_positional(<Operator>overloads.members[i], args, n, &bound):
                _remember(overloads, overloads.members[i], args, n)
                return _call_member(overloads.members[i], &bound)
    return call_overloaded(overloads, args, n, kwnames, called)


cdef object _call_named(OverloadSet overloads, PyObject* const* args, Py_ssize_t n, PyObject* kwnames,
                        PyObject* called):
    """The same for a call with keywords."""
    cdef Bound bound
    cdef Py_ssize_t i
    if _modes[0] != 0:
        return call_overloaded(overloads, args, n, kwnames, called)
    for i in range(n + PyTuple_GET_SIZE(<object>kwnames)):
        if args[i].ob_type == <PyTypeObject*>type:
            return call_overloaded(overloads, args, n, kwnames, called)
    if overloads.plain != NULL:
        if bind_named(<Operator>overloads.plain, args, n, kwnames, &bound, overloads):
            return call_bound(<Operator>overloads.plain, &bound)
    else:
        for i in range(overloads.count):
            if bind_named(<Operator>overloads.members[i], args, n, kwnames, &bound, None):
                return _call_member(overloads.members[i], &bound)
    return call_overloaded(overloads, args, n, kwnames, called)


cdef object call_object(PyObject* target, PyObject* const* args, Py_ssize_t n, PyObject* kwnames, PyObject* called):
    """The whole path of a call to an Operator or an OverloadSet."""
    if target.ob_type == <PyTypeObject*>OverloadSet:
        return _call_set(<OverloadSet>target, args, n, kwnames, called)
    if kwnames == NULL:
        return call_positional(<Operator>target, args, n, called)
    return call_general(<Operator>target, args, n, kwnames, called)


cdef object _set_vectorcall(OverloadSet overloads, PyObject* const* args, size_t nargsf, PyObject* kwnames):
    return _call_set(overloads, args, PyVectorcall_NARGS(nargsf), kwnames, <PyObject*>overloads)


cdef object _method_vectorcall(Method m, PyObject* const* args, size_t nargsf, PyObject* kwnames):
    return call_object(<PyObject*>m.target, args, PyVectorcall_NARGS(nargsf), kwnames, <PyObject*>m)


cdef frozenset _BINARY = frozenset([
    f"__{side}{word}__" for side in ("", "r", "i") for word in (
        "add", "sub", "mul", "div", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or", "xor", "lshift",
        "rshift")
] + [f"__{word}__" for word in ("eq", "ne", "lt", "le", "gt", "ge")])


cdef object _syntax_vectorcall(Method m, PyObject* const* args, size_t nargsf, PyObject* kwnames):
    """Call a method of Python's syntax by its name, for example from a subclass; the other operand may get its turn."""
    cdef object called = m if m.public is None else m.public
    cdef Py_ssize_t n = PyVectorcall_NARGS(nargsf)
    try:
        return call_object(<PyObject*>m.target, args, n, kwnames, <PyObject*>called)
    except TypeError:
        if kwnames != NULL or n != 2 or (
                _modes[0] == 0 and (is_plain(args[1]) or is_number(args[1])) and not m.name.endswith("matmul__")):
            raise
        return NotImplemented


cdef class OverloadSet(Public):
    """The operators that share a name, in the order in which a call tries them.

    >>> from flambeau_tensor import max
    >>> [op.schema.overload for op in max.overloads]
    ['', 'dim', 'other']
    """

    def __init__(self, overloads, bint of_methods=False, str name=None):
        cdef int i, j
        self.overloads = tuple(overloads)
        if len(self.overloads) > MAX_OVERLOADS:
            raise ValueError(f"{self.overloads[0].name}: more than {MAX_OVERLOADS} overloads")
        self.count = <int>len(self.overloads)
        for i in range(self.count):
            self.members[i] = <PyObject*>self.overloads[i]
            self.takes[i] = 0
            for j in range(COMPARED):
                self.takes[i] |= <unsigned long long>_taken(self.overloads[i], j) << 16 * j
        self.name, self.namespace = name or self.overloads[0].name, self.overloads[0].namespace
        self.of_methods = of_methods
        memset(self.choices, 0, sizeof(self.choices))
        _find_plain(self)
        self.vectorcall = <vectorcallfunc>_set_vectorcall

    def __getattr__(self, name):
        # An overload by its name (`torch.max.dim`), or an attribute that all operators have: a bool is true if it is
        # true for all; of other attributes, the first operator's counts.
        cdef Operator op
        for op in self.overloads:
            if op.schema.overload == name or (name == "default" and not op.schema.overload):
                return op
        if self.extra is not None and name in self.extra:
            return self.extra[name]
        if name.startswith("_") or name in ("schema", "overload"):
            raise AttributeError(f"'{self.name}' has no overload or attribute '{name}'")
        values = [getattr(op, name) for op in self.overloads]
        if name == "inplace" and len(values) > 1 and values[0] is not None:
            from flambeau_tensor._core.schema.registry import find_operator

            return find_operator(values[0].__torch_name__.rpartition(".")[0])
        if all([value is True or value is False for value in values]):
            return any(values) if name.startswith("is_") else all(values)
        return values[0]

    def __repr__(self):
        names = ", ".join([op.schema.overload or "default" for op in self.overloads])
        return f"<operators {self.__torch_name__}: {names}>"

    @property
    def __name__(self):
        return self.name

    @property
    def __module__(self):
        return self.namespace

    @property
    def __torch_name__(self):
        return f"torch.Tensor.{self.name}" if self.of_methods else f"{self.namespace}.{self.name}"

    def testing_signature(self):
        """Return the signature of the dummy function for tests of overrides, see `documentation.testing_signature`."""
        from flambeau_tensor.documentation import testing_signature

        return testing_signature(*self.overloads)

    @property
    def __doc__(self):
        from flambeau_tensor.documentation import set_docstring

        return set_docstring(self)

    @property
    def __signature__(self):
        from flambeau_tensor.documentation import set_signature

        return set_signature(self)


@cython.no_gc  # it stays in Tensor's dictionary
cdef class Method:
    """An entry in Tensor's dictionary: it binds to tensors, and handlers receive it for a method call."""

    def __get__(self, instance, owner):
        if instance is None:
            return self
        return PyMethod_New(self, instance)

    def __getattr__(self, name):
        return getattr(self.target, name)

    def __repr__(self):
        return f"<method '{self.name}' of 'torch._C.TensorBase' objects>"

    def __reduce__(self):
        from flambeau_tensor._core.memory.tensor import Tensor

        return getattr, (Tensor, self.name)

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self

    @property
    def __name__(self):
        return self.name

    @property
    def __qualname__(self):
        return f"TensorBase.{self.name}"

    @property
    def __torch_name__(self):
        return f"torch.Tensor.{self.name}"

    @property
    def __objclass__(self):
        from flambeau_tensor._core.memory.tensor import Tensor

        return Tensor

    @property
    def __doc__(self):
        return self.target.__doc__

    @property
    def __signature__(self):
        return self.target.__signature__


cdef Method make_method(str name, object target):
    cdef Method m = Method.__new__(Method)
    m.vectorcall = <vectorcallfunc>_syntax_vectorcall if name in _BINARY else <vectorcallfunc>_method_vectorcall
    m.target, m.name = target, name
    return m


cdef int _find_plain(OverloadSet overloads) except -1:
    """Set `plain` if every member only omits arguments of one operator; calls then bypass the members."""
    cdef Operator target, op
    cdef Signature* s
    cdef int i
    singles = set()  # arguments that are a list in one signature and a single int in another
    overloads.plain = NULL
    target = target_of(overloads.overloads[0])
    if target is None:
        return 0
    order = [a.name for a in target.schema.arguments]
    for i, op in enumerate(overloads.overloads):
        if target_of(op) is not target:
            return 0
        s = &overloads.signatures[i]
        s.known = s.required = s.filled = s.npos = 0
        for position, a in enumerate(op.schema.arguments):
            if a.name not in order:
                return 0
            at = order.index(a.name)
            kind = target.args[at].kind
            if a.kind != kind:
                singles.add(at)
            if (a.kind != kind and not (a.kind == K_INT and kind == K_INTS)) or len(singles) > 1:
                return 0  # the operator would accept arguments of several signatures together
            s.known |= <unsigned int>1 << at
            s.required |= <unsigned int>(not a.has_default) << at
            s.filled |= <unsigned int>(not a.optional) << at
            if position == at == s.npos and not a.kwarg_only:
                s.npos += 1
    overloads.plain = <PyObject*>target
    return 0


def _prepare():
    cdef Method m = Method.__new__(Method)
    cdef OverloadSet s = OverloadSet.__new__(OverloadSet)
    enable_vectorcall(Method, <char*>&m.vectorcall - <char*><PyObject*>m, True)
    enable_vectorcall(OverloadSet, <char*>&s.vectorcall - <char*><PyObject*>s, False)


_prepare()
