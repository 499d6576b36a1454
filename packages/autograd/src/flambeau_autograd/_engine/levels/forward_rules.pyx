# cython: language_level=3
"""Forward mode: compute the tangents of an operation's results from those of its arguments.

Most rules follow from the reverse rules. A linear operation is its own tangent rule; an elementwise one multiplies the
tangent by the factor by which its reverse formula multiplies gradients. Other operations without a ``jvp`` transpose
their reverse formulas, see ``flambeau_autograd/tangents.py``.
"""
from cpython.object cimport PyObject

from flambeau_overrides.abi cimport pop_all_disabled, push_all_disabled
from flambeau_tensor.abi cimport (
    ABI_MAX_NDIM, TensorInfo, T_COMPLEX, T_DISPATCH, T_FLOATING, T_LAYERED, T_REQUIRES_GRAD, T_VIEW, as_strided,
    call_bound, dtype_number, dtype_of, is_tensor, offset_of, shape_of, tensor_info, thread_flags,
)

from flambeau_autograd._engine.graph.edges cimport geometry
from flambeau_autograd._engine.refs cimport *
from flambeau_autograd._engine.graph.rule cimport *

from flambeau_tensor.extend import find_operator

cdef enum:
    MAX_SLOTS = 32
    INDIRECT = T_REQUIRES_GRAD | T_LAYERED | T_DISPATCH

cdef PyObject* NONE = <PyObject*>None
cdef object _zeros_like = find_operator("torch.zeros_like"), _expand = find_operator("torch.Tensor.expand")
cdef object _transposed = None


cdef bint reads_results(Rule rule) noexcept:
    return rule.forward_reads_results if rule.jvp is not None else rule.saves_results and rule.linear is None


cdef object tangents_of(PyObject* op, Rule rule, PyObject** values, PyObject** tangents, int n, object result):
    push_all_disabled()  # the formulas are our own code
    try:
        if rule.jvp is not None:
            out = _own_formula(rule, values, tangents, result)
            if isinstance(result, tuple) and not isinstance(out, tuple):
                out = (out,) + (None,) * (len(result) - 1)
        elif rule.linear is not None:
            out = _linear(op, rule, values, tangents, n)
        elif rule.elementwise:
            out = _factors(rule, values, tangents, result)
        else:
            out = _by_transposing(op, values, tangents, n)
        if isinstance(result, tuple):
            return tuple([_matched(t, r) for t, r in zip(out, result, strict=True)])
        return _matched(out[0] if isinstance(out, tuple) else out, result)
    except NotImplementedError as error:
        raise NotImplementedError(f"Trying to use forward AD with {(<object>op).name} that does not support it because "
                                  f"{error}") from None
    finally:
        pop_all_disabled()


cdef object _matched(object tangent, object result):
    """Convert a tangent to the dtype and shape of its result; None if the result has no tangent."""
    cdef TensorInfo f, g
    if tangent is None or not is_tensor(<PyObject*>result):
        return None
    tensor_info(<PyObject*>result, &f)
    if f.dtype < T_FLOATING:
        return None
    if f.dtype < T_COMPLEX and dtype_number(<PyObject*>tangent) >= T_COMPLEX:
        tangent = tangent.real
    tensor_info(<PyObject*>tangent, &g)
    if g.dtype != f.dtype:
        tangent = tangent.to(dtype_of(f.dtype))
    return _expanded(tangent, &f)


cdef object _expanded(object tangent, TensorInfo* to):
    """Broadcast a tangent to the sizes of another tensor."""
    cdef Py_ssize_t strides[ABI_MAX_NDIM]
    cdef TensorInfo f
    cdef PyObject* t = <PyObject*>tangent
    cdef int i, new
    cdef bint same
    tensor_info(t, &f)
    same = f.ndim == to.ndim
    for i in range(f.ndim if same else 0):
        same = same and f.sizes[i] == to.sizes[i]
    if same:
        return tangent
    new = to.ndim - f.ndim
    same = new >= 0 and not (f.flags | thread_flags().dispatching) & INDIRECT and not f.flags & T_VIEW
    for i in range(to.ndim if same else 0):
        strides[i] = 0 if i < new or f.sizes[i - new] == 1 else f.strides[i - new]
        same = same and (i < new or f.sizes[i - new] == 1 or f.sizes[i - new] == to.sizes[i])
    if same:
        return as_strided(t, to.ndim, to.sizes, strides, offset_of(t))
    return _expand(tangent, tuple([to.sizes[i] for i in range(to.ndim)]))


cdef object _plus(object total, object term):
    if total is None:
        return term
    if isinstance(term, tuple):
        return tuple([a + b for a, b in zip(total, term, strict=True)])
    return total + term


# --- linear operations ----------------------------------------------------------------------------------------------

cdef object _linear(PyObject* op, Rule rule, PyObject** values, PyObject** tangents, int n):
    cdef unsigned int moving = 0, one
    cdef int k
    for k in range(rule.nargs):
        if tangents[rule.slots[k]] != NULL:
            moving |= <unsigned int>1 << k
    moving &= ~rule.vanishing
    if moving == 0:
        return None
    if rule.linear != "each":
        if moving & ~rule.linear_in:  # linear only in some arguments, and others have tangents
            return _by_transposing(op, values, tangents, n)
        return _once(op, rule, values, tangents, n, rule.linear_in)
    total = None
    for k in range(rule.nargs):
        one = <unsigned int>1 << k
        if moving & one:
            total = _plus(total, _once(op, rule, values, tangents, n, one))
    return total


cdef object _once(PyObject* op, Rule rule, PyObject** values, PyObject** tangents, int n, unsigned int which):
    """Apply the operation to the tangents of some differentiable arguments; zeros replace missing ones."""
    cdef PyObject* args[MAX_SLOTS]
    cdef list made = []
    cdef int k, s
    for k in range(n):
        args[k] = values[k]
    for k in range(rule.nargs):
        if not which & (<unsigned int>1 << k):
            continue
        s = rule.slots[k]
        if is_tuple(values[s]):
            given = <object>tangents[s] if tangents[s] != NULL else (None,) * len(<object>values[s])
            new = tuple([_zeros(v) if t is None else t for v, t in zip(<object>values[s], given, strict=True)])
            made.append(new)
        elif tangents[s] != NULL:
            args[s] = tangents[s]
            continue
        elif values[s] == NONE:
            continue
        else:
            new = 0 if rule.numbers & (<unsigned int>1 << k) else _zeros(<object>values[s])
            made.append(new)
        args[s] = <PyObject*>new
    return call_bound(op, args)


cdef object _zeros(object value):
    return _zeros_like(value) if is_tensor(<PyObject*>value) else None if value is None else 0


# --- elementwise operations -----------------------------------------------------------------------------------------

cdef object _factors(Rule rule, PyObject** values, PyObject** tangents, object result):
    """Apply to each tangent the gradient formula of its argument, and add the results."""
    cdef Formula* f
    cdef int i, k
    total = None
    for i in range(rule.nformulas):
        f = &rule.formulas[i]
        for k in range(rule.nargs):
            if f.results & (<unsigned int>1 << k) and tangents[rule.slots[k]] != NULL:
                total = _plus(total, _factor(rule, f, k, values, <object>tangents[rule.slots[k]], result))
    return total


cdef object _factor(Rule rule, Formula* f, int argument, PyObject** values, object tangent, object result):
    cdef TensorInfo r
    cdef PyObject* args[MAX_PARAMS]
    cdef Param* p
    cdef list made = []
    cdef int k, place
    tensor_info(<PyObject*>result, &r)
    tangent = _expanded(tangent, &r)
    if dtype_number(<PyObject*>tangent) >= T_COMPLEX:  # the formulas compute conjugate derivatives
        tangent = tangent.conj()
    for k in range(f.nparams):
        p = &rule.params[f.params + k]
        if p.kind == FROM_GRAD:
            args[k] = <PyObject*>tangent
            continue
        if p.kind == FROM_ITEM:
            args[k] = _direct(&rule.items[p.index], values, result)
            if args[k] != NULL:
                continue
            read = _fact(&rule.items[p.index], values, result)
        else:
            read = tuple([i == argument for i in range(rule.nargs)]) if p.kind == FROM_NEEDS else (tangent,)
        made.append(read)
        args[k] = <PyObject*>read
    term = owned(vectorcall(f.function, args, f.nparams, NULL))
    if f.joint:
        place = 0
        for k in range(argument):
            place += (f.results >> k) & 1
        term = term[place]
    return term.conj() if dtype_number(<PyObject*>term) >= T_COMPLEX else term


cdef PyObject* _direct(Item* it, PyObject** values, object result) noexcept:
    """Return the saved value that a formula reads as a borrowed reference, or NULL if it must be computed."""
    if it.kind == SAVE_RESULT:
        return NULL if isinstance(result, tuple) else <PyObject*>result
    return values[it.index] if it.kind <= SAVE_PLAIN else NULL


cdef object _fact(Item* it, PyObject** values, object result):
    cdef PyObject* value
    if it.kind == SAVE_RESULT:
        return result[it.index] if isinstance(result, tuple) else result
    value = values[it.index]
    if is_tuple(value) and it.kind > SAVE_PLAIN:
        return tuple([_of(it.kind, <PyObject*>v) for v in <tuple><object>value])
    return _of(it.kind, value)


cdef object _of(int kind, PyObject* value):
    if kind == SAVE_SHAPE:
        return shape_of(value) if is_tensor(value) else ()  # a number has no dimensions
    if kind <= SAVE_PLAIN:
        return <object>value
    return dtype_of(dtype_number(value)) if kind == SAVE_DTYPE else geometry(value)


# --- others ---------------------------------------------------------------------------------------------------------

cdef object _own_formula(Rule rule, PyObject** values, PyObject** tangents, object result):
    cdef PyObject* args[MAX_PARAMS]
    cdef Item* it
    cdef list made = []
    cdef int k
    for k in range(rule.nforward):
        it = &rule.forward[k]
        if it.argument == TANGENT:
            args[k] = tangents[it.index] if tangents[it.index] != NULL else NONE
            continue
        args[k] = _direct(it, values, result)
        if args[k] == NULL:
            read = _fact(it, values, result)
            made.append(read)
            args[k] = <PyObject*>read
    return owned(vectorcall(<PyObject*>rule.jvp, args, rule.nforward, NULL))


cdef object _by_transposing(PyObject* op, PyObject** values, PyObject** tangents, int n):
    global _transposed
    cdef int i
    if _transposed is None:
        from flambeau_autograd.tangents import transposed_call

        _transposed = transposed_call
    return _transposed(<object>op, [<object>values[i] for i in range(n)],
                       [<object>tangents[i] if tangents[i] != NULL else None for i in range(n)])
