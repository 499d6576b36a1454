# cython: language_level=3
"""Operators in the C interface: calling them with values, and defining them with C kernels.

The functions here run Python code, so they do nothing while an error is recorded; they pass it on.
"""
from cpython.mem cimport PyMem_Malloc
from cpython.object cimport PyObject
from libc.string cimport memset

from flambeau_overrides.abi cimport active_modes_ptr, pop_disabled, push_disabled

from flambeau_tensor._core.capi.table cimport *
from flambeau_tensor._core.capi.values cimport *
from flambeau_tensor._core.elementwise.operands cimport check_writable
from flambeau_tensor._core.call.operator cimport A_NUMBER, A_OPTIONAL, A_SINGLE, ArgSpec, Kernel, OP_COMPOSITE
from flambeau_tensor._core.call.operator cimport Operator, call_slots, kernel_t
from flambeau_tensor._core.call.forwarding cimport target_of
from flambeau_tensor._core.schema.registry cimport find
from flambeau_tensor._core.memory.tensor cimport Tensor, grad_flags, is_plain
from flambeau_tensor._core.call.thread_state cimport ThreadState, thread_state
from flambeau_tensor._core.memory.types cimport *

from flambeau_tensor._core.schema.declaring import FUNCTION
from flambeau_tensor._core.schema.schema import parse

cdef extern from "Python.h":
    PyObject* PyErr_Occurred() noexcept
    Py_ssize_t Py_REFCNT(PyObject*) noexcept
    object PyObject_Vectorcall(object, PyObject* const*, size_t, PyObject*)
    PyObject* PyFloat_FromDouble(double) except NULL

cdef int* _modes = active_modes_ptr()


# --- finding --------------------------------------------------------------------------------------------------------

cdef object _find(str name):
    """Find an operator by a name such as ``add``, ``torch.add``, ``Tensor.add_`` or ``mine::muladd``."""
    space, _, rest = name.rpartition("::")
    full = f"torch.ops.{space}.{rest}" if space else name
    try:
        return find(full)
    except AttributeError:
        pass
    try:
        return find("torch." + full)
    except AttributeError:
        hint = " (it comes with flambeau-nn: import that first)" if "nn." in name else ""
        raise RuntimeError(f"no operator named '{name}'{hint}") from None


cdef set _given = set()  # operators whose address extensions know; they are kept alive even if they are forgotten


cdef fl_operator _give(object op) except NULL:
    _given.add(op)
    return <fl_operator><PyObject*>op


cdef fl_operator find_operator(const char* name) except NULL:
    if PyErr_Occurred() != NULL:
        return NULL
    return _give(_find(name.decode()))


cdef Operator _behind(Operator op, names):
    """Return the operator of which `op` is a signature, if it has all of the named arguments; else `op`."""
    cdef Operator target = target_of(op)
    return op if target is None or not set(names) <= {a.name for a in target.schema.arguments} else target


cdef Operator _overload(found, names):
    """Return the first of the operators with a shared name that accepts the named arguments and requires no others.
    If it is a signature of another operator, return that one, which accepts the arguments of all its signatures."""
    cdef Operator op
    for op in found.overloads if names is not None else ():
        order = [a.name for a in op.schema.arguments]
        if set(names) <= set(order) and all([a.has_default or a.name in names for a in op.schema.arguments]):
            return _behind(op, names)
    return found.overloads[0]


cdef struct Function:
    PyObject* op  # kept in _given
    int nargs
    int nreturns
    int[MAX_ARGS] slots  # the slot of each argument


cdef fl_function find_function(const char* name, const char* arguments) except NULL:
    cdef Function* f
    cdef Operator op
    cdef list names
    cdef int i
    if PyErr_Occurred() != NULL:
        return NULL
    op = _overload(_find(name.decode()), None if arguments == NULL else arguments.decode().split())
    order = [a.name for a in op.schema.arguments]
    names = order if arguments == NULL else arguments.decode().split()
    wrong = [a for a in names if a not in order]
    if wrong or len(set(names)) != len(names):
        raise RuntimeError(f"{op.name}() has no argument '{wrong[0]}': {op.schema}" if wrong else
                           f"an argument of {op.name}() stands twice in '{arguments.decode()}'")
    f = <Function*>PyMem_Malloc(sizeof(Function))
    if f == NULL:
        raise MemoryError()
    f.op, f.nargs, f.nreturns = <PyObject*>_give(op), <int>len(names), <int>len(op.schema.returns)
    for i in range(f.nargs):
        f.slots[i] = order.index(names[i])
    return <fl_function>f


# --- calling --------------------------------------------------------------------------------------------------------

cdef inline bint _fits(const ArgSpec* spec, const fl_value* v, unsigned int* flags) noexcept:
    """Whether the argument has the form in which binding would leave it."""
    cdef int kind = spec.kind, given = v.kind
    cdef int32_t i
    cdef PyObject* t
    if given == FL_VALUE_TENSORS:
        for i in range(v.count):
            t = <PyObject*>v.value.tensors[i]
            if t == NULL or not is_plain(t):
                return False
            flags[0] |= grad_flags(<Tensor>t)
        return kind == K_TENSORS
    if given == FL_VALUE_INT:
        return kind == K_INT or kind == K_SCALAR or (kind == K_TENSOR and spec.flags & A_NUMBER) or \
            (kind == K_INTS and spec.flags & A_SINGLE) or kind == K_ANY
    if given == FL_VALUE_DOUBLE:
        return kind == K_FLOAT or kind == K_SCALAR or (kind == K_TENSOR and spec.flags & A_NUMBER) or kind == K_ANY
    if given == FL_VALUE_BOOL:
        return kind == K_BOOL or kind == K_SCALAR or (kind == K_TENSOR and spec.flags & A_NUMBER) or kind == K_ANY
    if given == FL_VALUE_INTS:
        return kind == K_INTS or kind == K_ANY
    if given == FL_VALUE_NONE:
        return spec.flags & A_OPTIONAL or kind == K_ANY
    if given == FL_VALUE_DTYPE:
        return kind == K_DTYPE
    if given == FL_VALUE_STRING:
        return kind == K_STR
    return kind == K_ANY


cdef int32_t call_function(fl_function handle, const fl_value* args, fl_value* results, int32_t nresults) except -1:
    cdef Function* f = <Function*>handle
    cdef PyObject* slots[MAX_ARGS]
    cdef PyObject* made[MAX_ARGS]
    cdef PyObject* o
    cdef const fl_value* v
    cdef ArgSpec* spec
    cdef Operator op
    cdef int i, nmade = 0
    cdef unsigned int flags = 0
    cdef bint quick = _modes[0] == 0, tensors = False, numbers = False
    if PyErr_Occurred() != NULL:
        return -1
    if f == NULL:
        raise RuntimeError("got NULL for a function")
    op = <Operator>f.op
    for i in range(op.nslots):
        slots[i] = op.args[i].default
    try:
        for i in range(f.nargs):
            v = &args[i]
            spec = &op.args[f.slots[i]]
            if v.kind == FL_VALUE_TENSOR:
                o = <PyObject*>v.value.tensor
                if o == NULL:
                    raise RuntimeError(f"{op.name}(): argument '{<object>spec.name}' is no tensor (NULL)")
                if spec.kind == K_TENSOR and is_plain(o):
                    tensors = True
                    flags |= grad_flags(<Tensor>o)
                else:
                    quick = False
            elif v.kind == FL_VALUE_DEFAULT:
                continue
            else:
                if v.kind == FL_VALUE_INT and spec.kind == K_FLOAT:
                    o = PyFloat_FromDouble(<double>v.value.integer)
                else:
                    o = new_object(v)
                    if not _fits(spec, v, &flags):
                        quick = False
                made[nmade] = o
                nmade += 1
                numbers = numbers or (spec.kind == K_TENSOR and v.kind != FL_VALUE_NONE)
            slots[f.slots[i]] = o
        for i in range(op.nslots):
            if slots[i] == NULL:
                quick = False
        if quick and (tensors or not numbers):
            return _results(op, call_slots(op, slots, flags), f.nreturns, results, nresults)
        return _results(op, _bound(op, slots), f.nreturns, results, nresults)
    finally:
        for i in range(nmade):
            decref(made[i])


cdef object _bound(Operator op, PyObject** slots):
    """The general call: passes all arguments that are not defaults, by position first, then by keyword."""
    cdef PyObject* args[MAX_ARGS]
    cdef int i, n = 0, npositional = 0
    cdef list names = []
    for i in range(op.nslots):
        if slots[i] == NULL or (slots[i] == op.args[i].default and (names or i >= op.npos)):
            continue
        if i >= op.npos or names or npositional < i:
            names.append(<object>op.args[i].name)
        else:
            npositional += 1
        args[n] = slots[i]
        n += 1
    keywords = tuple(names)
    return PyObject_Vectorcall(op, args, npositional, <PyObject*>keywords if names else NULL)


cdef int32_t _results(object op, object got, int nreturns, fl_value* results, int32_t nresults) except -1:
    cdef int32_t i = 0
    if nresults == 0 or nreturns == 0:
        return 0
    if nreturns == 1:
        store(got, results)
        return 1
    if nresults < nreturns:
        raise RuntimeError(f"{op.name}() has {nreturns} results, but there is room for {nresults}")
    try:
        for i in range(nreturns):
            store(got[i], &results[i])
    except BaseException:
        while i > 0:
            i -= 1
            clear(&results[i])
        raise
    return nreturns


cdef int _check_list(const fl_value* v) except -1:
    cdef int32_t i
    if v.kind == FL_VALUE_TENSORS:
        for i in range(v.count):
            if v.value.tensors[i] == NULL:
                raise RuntimeError(f"got NULL for tensor {i} of a list")
    return 0


cdef int32_t call(fl_operator handle, const fl_value* args, int32_t nargs, fl_value* results,
                  int32_t nresults) except -1:
    cdef PyObject* objects[MAX_ARGS]
    cdef int32_t i = 0, npositional = 0, nmade = 0
    cdef list names = []
    if PyErr_Occurred() != NULL:
        return -1
    if handle == NULL:
        raise RuntimeError("got NULL for an operator")
    op = <object><PyObject*>handle  # an Operator or an OverloadSet
    if nargs > MAX_ARGS:
        raise TypeError(f"{op.name}() takes at most {MAX_ARGS} arguments, got {nargs}")
    try:
        for i in range(nargs):
            _check_list(&args[i])
            objects[i] = new_object(&args[i])
            nmade += 1
            if args[i].name != NULL:
                names.append(args[i].name.decode())
            elif names:
                raise TypeError(f"{op.name}(): positional argument {i + 1} follows one given by name")
            else:
                npositional += 1
        keywords = tuple(names)
        got = PyObject_Vectorcall(op, objects, npositional, <PyObject*>keywords if names else NULL)
    finally:
        for i in range(nmade):
            decref(objects[i])
    many = got if isinstance(got, (tuple, list)) else (got,)
    return _results(op, tuple(many), <int>len(many), results, nresults) if len(many) != 1 else \
        _results(op, many[0], 1, results, nresults)


# --- defining -------------------------------------------------------------------------------------------------------

cdef enum:
    MAX_RETURNS = 16

cdef struct Slot:  # of an argument or a result
    int kind
    int size
    bint optional
    bint write


cdef class CKernel(Kernel):
    """A kernel that an extension registered."""

    cdef fl_kernel function  # NULL if not implemented yet
    cdef void* context
    cdef int nreturns
    cdef Slot[MAX_ARGS] args
    cdef Slot[MAX_RETURNS] returns
    cdef bint writes

    def __repr__(self):
        return "<kernel of an extension>"


cdef int _describe(Slot* slot, argument) except -1:
    slot.kind, slot.size, slot.optional, slot.write = argument.kind, argument.size, argument.optional, argument.write
    if slot.kind == K_SCALARS:
        if argument.type.startswith("float"):
            slot.kind = K_FLOATS
        elif argument.type.startswith("bool"):
            slot.kind = K_BOOLS
    return 0


cdef object _run(Operator op, PyObject** slots):
    cdef CKernel k = <CKernel>op.implementation
    cdef fl_value args[MAX_ARGS]
    cdef fl_value results[MAX_RETURNS]
    cdef Arena arena
    cdef ThreadState* state = thread_state()
    cdef bint recording = state.grad_enabled
    cdef Py_ssize_t[MAX_ARGS] references
    cdef int32_t i, n
    if k.function == NULL:
        raise NotImplementedError(f"Could not run '{_qualified(op)}' with arguments from the 'CPU' backend: no kernel "
                                  "is registered for it.")
    arena.used, arena.blocks = 0, NULL
    try:
        for i in range(op.nslots):
            read(slots[i], k.args[i].kind, k.args[i].size, &args[i], &arena)
            if k.args[i].size and args[i].count != k.args[i].size and args[i].kind != FL_VALUE_NONE:
                raise TypeError(f"{op.name}(): argument '{<object>op.args[i].name}' must be {k.args[i].size} numbers, "
                                f"got {args[i].count}")
            if k.args[i].write and args[i].kind == FL_VALUE_TENSOR:
                check_writable(op.name, <Tensor>slots[i])
            references[i] = Py_REFCNT(slots[i])
        memset(results, 0, k.nreturns * sizeof(fl_value))
        if op.flags & OP_COMPOSITE:
            n = k.function(k.context, args, op.nslots, results, k.nreturns)
        else:  # its calls are neither recorded nor overridden
            state.grad_enabled = False
            state.kernels += 1
            push_disabled()
            n = k.function(k.context, args, op.nslots, results, k.nreturns)
            pop_disabled()
            state.kernels -= 1
            state.grad_enabled = recording
        if k.writes:
            for i in range(op.nslots):
                if k.args[i].write and args[i].kind == FL_VALUE_TENSOR:
                    (<Tensor>slots[i]).storage.version += 1
        _keep_arguments(slots, op.nslots, references, results, min(n, k.nreturns))
        return _returned(op, k, results, n)
    finally:
        if arena.blocks != NULL:
            decref(arena.blocks)


cdef void _keep_arguments(PyObject** slots, int nslots, Py_ssize_t* references, fl_value* results,
                          int32_t n) noexcept:
    """Arguments are borrowed: take a reference for a result that is an argument and that the kernel did not retain."""
    cdef int32_t i, j
    for i in range(n):
        if results[i].kind != FL_VALUE_TENSOR or results[i].value.tensor == NULL:
            continue
        for j in range(nslots):
            if slots[j] == <PyObject*>results[i].value.tensor:
                if Py_REFCNT(slots[j]) <= references[j]:
                    incref(slots[j])
                references[j] += 1  # it may be several results
                break


cdef int _recorded() except -1:
    return -1


cdef object _returned(Operator op, CKernel k, fl_value* results, int32_t n):
    """Convert the kernel's results to Python objects; releases them in any case."""
    cdef int32_t i
    try:
        if PyErr_Occurred() != NULL:
            _recorded()
        if n < 0:
            raise RuntimeError(f"{op.name}(): its kernel failed without saying why")
        if n != k.nreturns:
            raise RuntimeError(f"{op.name}(): its kernel returned {n} results, the schema has {k.nreturns}: "
                               f"{op.schema}")
        if n == 1:
            return _result(op, k, results, 0)
        return tuple([_result(op, k, results, i) for i in range(n)]) if n else None
    finally:
        if n > 0:
            for i in range(min(n, k.nreturns)):
                if results[i].kind in (FL_VALUE_TENSOR, FL_VALUE_TENSORS, FL_VALUE_OBJECT):
                    clear(&results[i])  # text and numbers remain the kernel's


cdef object _result(Operator op, CKernel k, fl_value* results, int i):
    cdef fl_value* v = &results[i]
    cdef Slot* slot = &k.returns[i]
    cdef PyObject* p
    if v.kind == FL_VALUE_TENSOR and v.value.tensor == NULL:
        v.kind = FL_VALUE_NONE
    if (slot.kind == K_TENSOR and v.kind != FL_VALUE_TENSOR) or (slot.kind == K_TENSORS and v.kind != FL_VALUE_TENSORS):
        if v.kind != FL_VALUE_NONE or not slot.optional:
            raise RuntimeError(f"{op.name}(): its kernel returned no tensor{'s' if slot.kind == K_TENSORS else ''} for "
                               f"result {i}: {op.schema}")
    p = new_object(v)
    o = <object>p
    decref(p)
    return list(o) if v.kind in (FL_VALUE_TENSORS, FL_VALUE_INTS, FL_VALUE_DOUBLES, FL_VALUE_BOOLS) else o


cdef str _qualified(Operator op):
    return f"{op.namespace.removeprefix('torch.ops.')}::{op.name}"


cdef CKernel _kernel(Operator op, fl_kernel function, void* context):
    cdef CKernel k = CKernel.__new__(CKernel)
    cdef int i
    k.run = <kernel_t>_run
    k.handles_out = True  # an argument named `out` has no special role
    k.function, k.context = function, context
    for i, argument in enumerate(op.schema.arguments):
        _describe(&k.args[i], argument)
        k.writes = k.writes or k.args[i].write
    k.nreturns = <int>len(op.schema.returns)
    for i, result in enumerate(op.schema.returns):
        _describe(&k.returns[i], result)
    return k


cdef fl_operator define(const char* schema, const char* doc) except NULL:
    cdef CKernel none = CKernel.__new__(CKernel)
    if PyErr_Occurred() != NULL:
        return NULL
    parsed = parse(schema.decode())
    if not parsed.namespace:
        raise ValueError(f"a schema of an extension's operator begins with its namespace, 'mine::{parsed.name}(...)', "
                         f"got '{parsed}'")
    if len(parsed.returns) > MAX_RETURNS:
        raise ValueError(f"more than {MAX_RETURNS} results in '{parsed}'")
    namespace = f"torch.ops.{parsed.namespace}"
    try:
        known = find(f"{namespace}.{parsed.name}")
    except AttributeError:
        none.run = <kernel_t>_run
        known = Operator(parsed.text, none, namespace=namespace, variants=FUNCTION,
                         doc=None if doc == NULL else doc.decode())
    else:  # an extension that was rebuilt in the same process
        if known.schema.text != parsed.text:
            raise ValueError(f"operator {_qualified(known)} is defined already, as '{known.schema}', not '{parsed}'")
    return _give(known)


cdef int32_t implement(fl_operator handle, fl_kernel run, void* context, int32_t flags, const char* types) except -1:
    cdef Operator op
    if PyErr_Occurred() != NULL:
        return -1
    if handle == NULL or run == NULL:
        raise RuntimeError("got NULL for an operator or its kernel")
    op = <Operator><PyObject*>handle
    if types != NULL:
        _check_types(op, types.decode())
    op.implement(_kernel(op, run, context), composite=(flags & FL_OP_COMPOSITE) != 0,
                 differentiable=(flags & FL_OP_NOT_DIFFERENTIABLE) == 0)
    return 0


cdef str _spelled(argument):
    """Return an argument's type as in C++: without aliases and lengths."""
    import re

    return re.sub(r"\[\d+\]", "[]", re.sub(r"\([^(),]*\)", "", argument.type)).replace("SymInt", "int")


cdef int _check_types(Operator op, str types) except -1:
    """Compare the types of a C++ function, ``"Tensor, float -> Tensor"``, with the schema."""
    taken = [t.type for t in parse(f"f() -> ({types.partition(' -> ')[0]})").returns]
    inferred = parse(f"f({', '.join([f'{t} _{i}' for i, t in enumerate(taken)])}) -> " + types.partition(" -> ")[2])
    for what, given, wanted in (("argument", inferred.arguments, op.schema.arguments),
                                ("return", inferred.returns, op.schema.returns)):
        reason = None
        if len(given) != len(wanted):
            reason = f"The number of {what}s is different. {len(wanted)} vs {len(given)}."
        for i, (g, w) in enumerate(zip(given, wanted)):
            if reason is None and _spelled(g) != _spelled(w):
                reason = f"Type mismatch in {what} {i + 1}: {_spelled(w)} vs {_spelled(g)}"
        if reason:
            raise RuntimeError("Inferred operator schema for a C++ kernel function doesn't match the expected function "
                               f"schema.\n  operator: {_qualified(op)}\n  expected schema: {op.schema}\n  inferred: "
                               f"({types.partition(' -> ')[0]}) -> {types.partition(' -> ')[2]}\n  reason: {reason}")
    return 0


cdef int32_t set_backward(fl_operator handle, const char* arguments, fl_operator backward) except -1:
    cdef Operator op
    if PyErr_Occurred() != NULL:
        return -1
    if handle == NULL or backward == NULL:
        raise RuntimeError("got NULL for an operator")
    op = <Operator><PyObject*>handle
    names = arguments.decode().split()
    known = {a.name for a in op.schema.arguments if a.kind == K_TENSOR or a.kind == K_TENSORS}
    wrong = [n for n in names if n not in known]
    if wrong or not names:
        raise RuntimeError(f"{_qualified(op)} has no tensor argument '{wrong[0] if wrong else ''}': {op.schema}")
    op.derivative = None  # built from the gradients on first use
    if op.gradients is None:
        op.gradients = {}
    op.gradients[", ".join(names)] = <Operator><PyObject*>backward
    return 0
