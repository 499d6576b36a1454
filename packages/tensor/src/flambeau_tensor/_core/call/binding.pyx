# cython: language_level=3
"""The general binding of arguments: keywords, overrides, and PyTorch's errors for arguments that a schema rejects.

Calls come here when the fast path in ``operator`` does not recognize an argument.
"""
from cpython.list cimport PyList_Check, PyList_GET_ITEM, PyList_GET_SIZE
from cpython.object cimport PyObject, PyTypeObject
from cpython.ref cimport Py_INCREF
from cpython.tuple cimport PyTuple_Check, PyTuple_GET_ITEM, PyTuple_GET_SIZE, PyTuple_New, PyTuple_SET_ITEM
from cpython.type cimport PyType_IsSubtype

from flambeau_overrides.abi cimport (
    active_modes_ptr, collect_vector, dispatch, dispatch_method, dispatch_packed, overridden, pop_all_disabled,
    pop_disabled, push_all_disabled, push_disabled, type_overrides,
)

from flambeau_tensor._core.call cimport sockets as sockets_in_c
from flambeau_tensor._core.call.conversion cimport NOTHING, array_operand, convert, integer_of, public_name
from flambeau_tensor._core.memory.meta_device cimport META
from flambeau_tensor._core.call.operator cimport (
    A_NUMBER, A_OPTIONAL, A_OUT, OP_PLAIN_RESULT, ArgSpec, Operator, call_bound, call_slots, is_bare_subclass,
    is_ready, names_device,
)
from flambeau_tensor._core.call.overloads cimport Method, OverloadSet, bind_named, is_signature
from flambeau_tensor._core.call.sequences cimport Bound
from flambeau_tensor._core.elementwise.scalar cimport is_number
from flambeau_tensor._core.call.sockets cimport for_subclass_t, general_t
from flambeau_tensor._core.memory.tensor cimport Tensor, grad_flags, is_plain, result_of
from flambeau_tensor._core.memory.types cimport *

from sys import intern

from flambeau_overrides import Packing
from flambeau_tensor._core.schema.schema import NO_DEFAULT

cdef extern from "Python.h":
    int Py_EnterRecursiveCall(const char*) except 1
    void Py_LeaveRecursiveCall() noexcept

cdef int* _modes = active_modes_ptr()

cdef dict _ALIASES = {"axis": "dim", "keepdims": "keepdim", "x": "self", "x1": "self", "x2": "other", "input": "self",
                      "a": "self", "axes": "dims", "tensor": "self",
                      "split_size_or_sections": "split_size"}


cdef int _slot_of(Operator op, object name) except -2:
    i = op.index.get(name)
    if i is None:
        other = _ALIASES.get(name)
        i = op.index.get(other)
        if i is not None and op.args[<int>i].kind == K_TENSORS:  # no alias for torch._foreach_*, as in PyTorch
            return -1
        if i is None and other == "dim":
            i = op.index.get("dims")
        if i is None:
            return -1
    return i


cdef enum:  # the result of binding
    FITS
    ACCEPTED  # like FITS, but an overriding type replaces a type of the schema
    MISFIT  # reported if several schemas are tried; else an error is raised


cdef object _general(Operator op, PyObject* const* args, Py_ssize_t n, PyObject* kwnames, PyObject* called):
    """Bind any arguments that a schema allows, or raise PyTorch's errors; look for overrides first."""
    cdef bint fits, asked = False
    cdef Bound bound
    if _modes[0] == 0:
        if kwnames != NULL:
            if bind_named(op, args, n, kwnames, &bound, None):
                return call_bound(op, &bound)
        elif _fits_but_for_overrides(op, args, n):
            overriding = collect_vector(args, n)
            if overriding is not None and _class_of_results(overriding) == NULL:
                asked = True
                if overridden(<object>called, overriding):
                    return hand_over(called, overriding, args, n, NULL)
    return _attempt(op, args, n, kwnames, called, False, &fits, &asked)


cdef bint _fits_but_for_overrides(Operator op, PyObject* const* args, Py_ssize_t n) noexcept:
    """Whether all arguments fit if overriding types count as tensors; handlers can then be called at once."""
    cdef Py_ssize_t i
    cdef PyObject* o
    cdef ArgSpec* spec
    cdef bint overriding = False
    if n < op.nrequired or n > op.npos:
        return False
    for i in range(n):
        o, spec = args[i], &op.args[i]
        if spec.kind == K_TENSOR:
            if is_plain(o) or (o == <PyObject*>None and spec.flags & A_OPTIONAL):
                pass
            elif type_overrides(o.ob_type):
                overriding = True
            elif not (spec.flags & A_NUMBER and is_number(o)):
                return False
        elif spec.kind == K_TENSORS or not is_ready(spec, o):
            return False
    return overriding


cdef object _overloaded(OverloadSet overloads, PyObject* const* args, Py_ssize_t n, PyObject* kwnames,
                        PyObject* called):
    """The same with several schemas: run the first one that accepts the arguments."""
    cdef bint fits, asked = False
    cdef Operator op
    cdef Py_ssize_t given = n + (0 if kwnames == NULL else PyTuple_GET_SIZE(<object>kwnames))
    if overloads.plain != NULL:
        result = _attempt(<Operator>overloads.plain, args, n, kwnames, called, True, &fits, &asked, overloads)
        if fits:
            return result
    for op in overloads.overloads:
        result = _attempt(op, args, n, kwnames, called, True, &fits, &asked)
        if fits:
            return result
    plausible = [op for op in overloads.overloads if given <= len(op.schema.arguments)
                 and given >= sum([a.default is NO_DEFAULT for a in op.schema.arguments])]
    if len(plausible) == 1:  # only this one can be meant
        _attempt(plausible[0], args, n, kwnames, called, False, &fits, &asked)
    raise _no_fit(overloads, args, n, kwnames, called)


cdef object _attempt(Operator op, PyObject* const* args, Py_ssize_t n, PyObject* kwnames, PyObject* called,
                     bint quiet, bint* fits, bint* asked, OverloadSet signatures=None):
    """The slow path for one schema. With `quiet`, `fits` reports whether the schema accepts the arguments. With
    `signatures`, the call has to match one of them. `asked` records whether overrides were looked up, which is done
    once for all schemas."""
    cdef PyObject* slots[MAX_ARGS]
    cdef list keep = []  # owns what binding converted
    cdef list overriding = None
    cdef unsigned int flags = 0
    cdef int found
    cdef PyTypeObject* cls = NULL
    cdef PyObject* first
    fits[0] = False
    if _modes[0] == 0:
        found = _fill_slots(op, slots, keep, args, n, kwnames, called, quiet)
    else:  # modes see only the call, not the calls that convert its arguments
        found = _fill_slots_quietly(op, slots, keep, args, n, kwnames, called, quiet)
    if found == MISFIT or (signatures is not None and not is_signature(op, signatures, slots, n)):
        return None
    first = slots[0]
    overriding = collect_vector(slots, op.nslots)
    if _modes[0] == 0:
        found = _bind(op, slots, keep, n, overriding, &flags, called, quiet)
    else:
        found = _bind_quietly(op, slots, keep, n, overriding, &flags, called, quiet)
    if found == MISFIT:
        return None
    if n > op.npos and op.varargs < 0:
        _warn_of_order(op, _deprecated_order(op, n, called), called)
    if overriding is not None or _modes[0] != 0:
        if _modes[0] == 0:
            cls = _class_of_results(overriding)
        if cls == NULL and not asked[0]:
            asked[0] = True
            if overridden(<object>called, overriding):
                fits[0] = True
                return hand_over(called, overriding, args, n, kwnames)
        if found == ACCEPTED:  # no handler handled the call, so only the schema's types count now
            if _bind(op, slots, keep, n, None, &flags, called, quiet) == MISFIT:
                return None
    fits[0] = True
    if names_device(op, slots):
        flags |= META
    if cls != NULL:
        return _as_subclass(op, cls, slots, flags)
    result = call_slots(op, slots, flags)
    if op.nslots and op.args[0].kind == K_TENSORS and slots[0] == <PyObject*>result:
        return <object>first  # an operator that writes to a list returns the caller's list
    return result


cdef int _fill_slots_quietly(Operator op, PyObject** slots, list keep, PyObject* const* args, Py_ssize_t n,
                             PyObject* kwnames, PyObject* called, bint quiet) except -1:
    push_all_disabled()
    try:
        return _fill_slots(op, slots, keep, args, n, kwnames, called, quiet)
    finally:
        pop_all_disabled()


cdef int _bind_quietly(Operator op, PyObject** slots, list keep, Py_ssize_t n, list overriding, unsigned int* flags,
                       PyObject* called, bint quiet) except -1:
    push_all_disabled()
    try:
        return _bind(op, slots, keep, n, overriding, flags, called, quiet)
    finally:
        pop_all_disabled()


cdef int _fill_slots(Operator op, PyObject** slots, list keep, PyObject* const* args, Py_ssize_t n, PyObject* kwnames,
                     PyObject* called, bint quiet) except -1:
    """Assign each argument to its slot; a slot without an argument is NULL."""
    cdef Py_ssize_t i, j
    cdef int k
    cdef tuple order = _deprecated_order(op, n, called) if n > op.npos else None
    for i in range(op.nslots):
        slots[i] = NULL
    if order is not None:
        for i in range(n):
            slots[<int>order[i]] = args[i]
    elif n > op.npos:
        if op.varargs < 0 or n <= op.varargs or not _may_be_one_of_several(args[op.varargs]):
            if quiet:
                return MISFIT
            raise TypeError(_arity(op, n))
        rest = tuple([<object>args[j] for j in range(op.varargs, n)])
        keep.append(rest)
        for i in range(op.varargs):
            slots[i] = args[i]
        slots[op.varargs] = <PyObject*>rest
    else:
        for i in range(n):
            slots[i] = args[i]
    if kwnames != NULL:
        for j in range(PyTuple_GET_SIZE(<object>kwnames)):
            key = <object>PyTuple_GET_ITEM(<object>kwnames, j)
            k = _slot_of(op, key)
            if k >= 0 and op.args[k].flags & A_OUT and isinstance(<object>called, Method) and \
                    args[n + j] != <PyObject*>None:
                k = -1  # only functions have `out=`; NumPy passes out=None to methods
            if quiet and (k < 0 or slots[k] != NULL):
                return MISFIT
            if k < 0:
                from flambeau_overrides.suggestions import unexpected_keyword

                raise unexpected_keyword(op.name, key, [public_name(op, i) for i in range(op.nslots)])
            if slots[k] != NULL:
                raise TypeError(f"{op.name}() got multiple values for argument '{key}'")
            slots[k] = args[n + j]
    for i in range(op.nslots):
        if slots[i] == NULL and op.args[i].default == NULL:
            if quiet:
                return MISFIT
            missing = [f'"{public_name(op, j)}"' for j in range(op.nslots)
                       if slots[j] == NULL and op.args[j].default == NULL]
            raise TypeError(f"{op.name}() missing {len(missing)} required positional arguments: " + ", ".join(missing))
    return FITS


# Operator -> the argument orders, as slots, that PyTorch used before it made alpha and beta keyword-only.
cdef dict _deprecated_orders = {}


def accept_deprecated(Operator op not None, *orders):
    """Also accept positional arguments in other orders, with a warning, as PyTorch still does.

    Each order lists names of the schema's arguments: ``accept_deprecated(add, "self alpha other")``."""
    for each in (op, op.inplace):
        if each is not None:
            _deprecated_orders[each] = [tuple([op.index[name] for name in order.split()]) for order in orders]


cdef tuple _deprecated_order(Operator op, Py_ssize_t n, PyObject* called):
    for order in _deprecated_orders.get(op, ()):
        if len(order) == n and (<object>called).__name__ == op.name:  # not for `subtract`
            return (0, *[i for i in order if i]) if isinstance(<object>called, Method) else order
    return None


cdef int _warn_of_order(Operator op, tuple order, PyObject* called) except -1:
    cdef int first = isinstance(<object>called, Method)
    from flambeau_tensor.switches import warn_once

    old = [f"{_EXPECTED[op.args[<int>i].kind]} {public_name(op, i)}" for i in order[first:]]
    if op.out_index >= 0 and not first:
        old += ["*", "Tensor out = None"]
    warn_once(f"This overload of {op.name} is deprecated:\n\t{op.name}({', '.join(old)})\nConsider using one of the "
              f"following signatures instead:\n\t{op.name}({_parameters(op, first)})", subject="deprecated overloads")
    return 0


cdef bint _may_be_one_of_several(PyObject* o) except -1:
    return integer_of(<object>o) is not None or type_overrides(o.ob_type)


cdef inline bint _among(PyObject* o, list overriding) noexcept:
    """Whether the type of `o` is one of the overriding types."""
    cdef Py_ssize_t i
    if overriding is not None:
        for i in range(PyList_GET_SIZE(overriding)):
            if PyList_GET_ITEM(overriding, i).ob_type == o.ob_type:
                return True
    return False


cdef int _bind(Operator op, PyObject** slots, list keep, Py_ssize_t n, list overriding, unsigned int* flags,
               PyObject* called, bint quiet) except -1:
    """Convert every slot to the form that kernels read, or raise PyTorch's TypeError.

    Overriding types are accepted in place of any type; the result tells whether one was.
    """
    cdef Py_ssize_t i
    cdef int found, result = FITS
    cdef PyObject* o
    cdef ArgSpec* spec
    cdef bint tensors = False, numbers = False
    for i in range(op.nslots):
        spec = &op.args[i]
        o = slots[i]
        found = FITS
        if o == NULL:
            slots[i] = spec.default
        elif spec.kind == K_TENSOR:
            if isinstance(<object>o, Tensor):
                tensors = True
                flags[0] |= grad_flags(<Tensor>o)
            elif o == <PyObject*>None and spec.flags & A_OPTIONAL:
                pass
            elif _among(o, overriding):
                tensors = True
                found = ACCEPTED
            elif spec.flags & A_NUMBER and is_number(o):
                numbers = True
            else:
                converted = array_operand(o) if spec.flags & A_NUMBER else None
                if converted is None:
                    found = MISFIT
                else:
                    if isinstance(converted, Tensor):
                        tensors = True
                    keep.append(converted)
                    slots[i] = <PyObject*>converted
        elif spec.kind == K_TENSORS:
            found = _bind_tensors(op, i, slots, keep, overriding, flags, called, quiet)
        elif spec.kind == K_ANY:
            if spec.flags & A_OUT:
                for each in <object>o if isinstance(<object>o, (tuple, list)) else (<object>o,):
                    flags[0] |= grad_flags(<Tensor>each) if isinstance(each, Tensor) else 0
        elif not is_ready(spec, o):
            if overriding is not None and collect_vector(&o, 1) is not None:
                found = ACCEPTED
            else:
                converted = convert(op, i, <object>o, quiet)
                if converted is NOTHING:
                    found = MISFIT
                else:
                    keep.append(converted)
                    slots[i] = <PyObject*>converted
        if found == MISFIT:
            if quiet:
                return MISFIT
            raise _wrong(op, i, n, <object>o, called)
        if found == ACCEPTED:
            result = ACCEPTED
    if numbers and not tensors:
        for i in range(op.nslots):
            if op.args[i].kind == K_TENSOR and not op.args[i].flags & (A_NUMBER | A_OUT):
                break
        else:
            numbers = False  # `torch.add(1, 2)`: all tensors may be numbers
        for i in range(op.nslots):
            if numbers and op.args[i].kind == K_TENSOR and is_number(slots[i]):
                if quiet:
                    return MISFIT
                raise _wrong(op, i, n, <object>slots[i], called)
    return result


cdef int _bind_tensors(Operator op, Py_ssize_t i, PyObject** slots, list keep, list overriding, unsigned int* flags,
                       PyObject* called, bint quiet) except -1:
    cdef PyObject* o = slots[i]
    cdef int result = FITS
    if not (PyTuple_Check(<object>o) or PyList_Check(<object>o)):
        if _among(o, overriding):
            return ACCEPTED
        return FITS if o == <PyObject*>None and op.args[i].flags & A_OPTIONAL else MISFIT
    items = tuple(<object>o)
    keep.append(items)
    slots[i] = <PyObject*>items
    for j, element in enumerate(items):
        if isinstance(element, Tensor):
            flags[0] |= grad_flags(<Tensor>element)
        elif _among(<PyObject*>element, overriding):
            result = ACCEPTED
        elif element is not None or "?[" not in op.schema.arguments[i].type:
            if quiet:
                return MISFIT
            raise TypeError(f"{op.name}(): expected Tensor as element {j} in argument "
                            f"{_position(op, i, called) - 1}, but got {type(element).__name__}")
    return result


cdef str _arity(Operator op, Py_ssize_t n):
    cdef int least = sum([not a.kwarg_only and not a.has_default for a in op.schema.arguments])
    takes = str(op.npos) if least == op.npos else f"from {least} to {op.npos}"
    return f"{op.name}() takes {takes} positional argument{'' if op.npos == 1 else 's'} but {n} " \
           f"{'was' if n == 1 else 'were'} given"


cdef int _position(Operator op, Py_ssize_t i, PyObject* called):
    """The position of an argument in errors; methods do not count `self`."""
    return <int>(i if i > 0 and (isinstance(<object>called, Method) or not op.is_function) else i + 1)


cdef dict _EXPECTED = {
    K_TENSOR: "Tensor", K_TENSORS: "tuple of Tensors", K_INT: "int", K_INTS: "tuple of ints", K_BOOL: "bool",
    K_FLOAT: "float", K_SCALAR: "Number", K_DTYPE: "torch.dtype", K_STR: "str", K_SCALARS: "tuple of Scalars",
}


cdef object _wrong(Operator op, Py_ssize_t i, Py_ssize_t npositional, object got, PyObject* called):
    where = f" (position {_position(op, i, called)})" if i < npositional else ""
    return TypeError(f"{op.name}(): argument '{public_name(op, i)}'{where} must be {_EXPECTED[op.args[i].kind]}, "
                     f"not {type(got).__name__}")


# --- several schemas ------------------------------------------------------------------------------------------------

cdef object _no_fit(OverloadSet overloads, PyObject* const* args, Py_ssize_t n, PyObject* kwnames, PyObject* called):
    """Return the error for a call that no schema accepts, with a note on a keyword that none of them has."""
    cdef Operator op
    from flambeau_overrides.suggestions import suggesting

    error = TypeError(_expected_one_of(overloads, args, n, kwnames, called))
    known = [public_name(op, i) for op in overloads.overloads for i in range(op.nslots)]
    for name in <tuple>kwnames if kwnames != NULL else ():
        if name not in known:
            return suggesting(error, name, known)
    return error


cdef str _expected_one_of(OverloadSet overloads, PyObject* const* args, Py_ssize_t n, PyObject* kwnames,
                          PyObject* called):
    """Return PyTorch's message for arguments that no schema accepts."""
    cdef Py_ssize_t i, first = isinstance(<object>called, Method)
    cdef Operator op
    from flambeau_tensor.documentation import given_text

    got = [given_text(<object>args[i]) for i in range(first, n)]
    if kwnames != NULL:
        got += [f"{name}={given_text(<object>args[n + i])}" for i, name in enumerate(<tuple>kwnames)]
    lines = [f"{overloads.name}() received an invalid combination of arguments - got ({', '.join(got)}), "
             "but expected one of:"]
    for op in overloads.overloads:
        lines.append(f" * ({_parameters(op, <int>first)})")
    return "\n".join(lines) + "\n"


cdef str _parameters(Operator op, int first):
    from flambeau_tensor.documentation import parameters_text

    names = [public_name(op, i) for i in range(first, op.nslots)]
    return parameters_text(names, op.schema.arguments[first:op.nslots], _EXPECTED)


# --- step 2: overrides ----------------------------------------------------------------------------------------------

cdef PyTypeObject* _class_of_results(list overriding) except? NULL:
    """Return the class of the results if nothing overrides; NULL if something does, or no class is lowest."""
    cdef PyTypeObject* lowest = NULL
    cdef object o
    for o in overriding:
        if not is_bare_subclass(<PyObject*>o):
            return NULL
        if lowest == NULL:  # subclasses come before their superclasses
            lowest = (<PyObject*>o).ob_type
        elif not PyType_IsSubtype(<type>lowest, type(o)):
            return NULL
    return lowest


cdef str _GETTERS = intern("torch._get"), _SETTERS = intern("torch._set")
# Callable -> its Packing, if handlers do not receive the arguments as the caller wrote them; a text until the first
# use.
cdef dict _packings = {}


def pack(called not None, str text not None):
    """Set how handlers receive the arguments of a function, method or accessor that is written in Python in PyTorch.
    See `flambeau_overrides.Packing`."""
    _packings[called] = text


cdef object hand_over(PyObject* called, list overriding, PyObject* const* args, Py_ssize_t n, PyObject* kwnames):
    packing = _packings.get(<object>called)
    if packing is not None:
        if type(packing) is str:
            packing = _packings[<object>called] = Packing(packing)
        return dispatch_packed(<object>called, packing, overriding, args, n, kwnames)
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
    if kwargs is None and n > 0 and _is_about(called, n):
        return dispatch_method(<object>called, <object>args[0], overriding, positional, None)
    return dispatch(<object>called, overriding, positional, kwargs)


cdef bint _is_about(PyObject* called, Py_ssize_t n):
    """Whether the call reads or sets an attribute of a tensor, or is a method without further arguments."""
    if isinstance(<object>called, Method):
        target = (<Method>called).target
        return n == 1 and isinstance(target, Operator) and \
            (<Operator>target).nslots == (1 if (<Operator>target).out_index < 0 else 2)
    if not isinstance(<object>called, Operator):
        return False
    return (<Operator>called).namespace is _GETTERS or (<Operator>called).namespace is _SETTERS  # interned


cdef object _as_subclass(Operator op, PyTypeObject* cls, PyObject** slots, unsigned int flags):
    """Do what Tensor.__torch_function__ does for subclasses that override nothing, without leaving C."""
    cdef int disabled = push_disabled()
    try:
        result = call_slots(op, slots, flags)
    finally:
        pop_disabled()
    if disabled or op.flags & OP_PLAIN_RESULT:
        return result
    return result_of(<Tensor>result, cls) if type(result) is Tensor else rewrap(result, <object>cls)


cpdef object rewrap(object result, cls):
    """Return ``result`` with every plain Tensor in it converted to ``cls``."""
    if type(result) is Tensor:
        return result_of(<Tensor>result, <PyTypeObject*>cls)
    if not isinstance(result, tuple) and type(result) is not list:
        return result
    Py_EnterRecursiveCall(" while looking for tensors in results")
    try:
        items = [rewrap(r, cls) for r in result]
    finally:
        Py_LeaveRecursiveCall()
    if type(result) is list:
        return items
    return type(result)(items) if type(result) is tuple or hasattr(result, "n_fields") else tuple(items)


sockets_in_c.call_general = <general_t>_general
sockets_in_c.call_overloaded = <general_t>_overloaded
sockets_in_c.call_for_subclass = <for_subclass_t>_as_subclass
