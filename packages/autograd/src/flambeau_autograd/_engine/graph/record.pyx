# cython: language_level=3
"""Record a call of an operator, and run its formulas in backward."""
from cpython.object cimport PyObject
from cpython.tuple cimport PyTuple_New

from flambeau_overrides.abi cimport OVERRIDES_ABI, pop_all_disabled, push_all_disabled
from flambeau_tensor.abi cimport (
    TensorInfo, O_INPLACE, O_RANDOM, O_RECORD, O_VIEW, OperatorInfo, T_FLOATING, T_LAYERED, T_LAZY, T_MULTI_VIEW,
    T_NO_GRAD_VIEW, T_ODD_VIEW, T_REQUIRES_GRAD, TENSOR_ABI, dtype_of, flags_of, is_tensor, operator_info,
    plug_autograd, run_kernel, set_flags, set_history, shape_of, size_of, tensor_info, thread_flags,
)

from flambeau_autograd._engine.graph.edges cimport geometry, gradient_edge, requires_grad
from flambeau_autograd._engine.graph.inplace cimport check_write, rebase
from flambeau_autograd._engine.levels.histories cimport history_depth
from flambeau_autograd._engine.levels.layers cimport value_of
from flambeau_autograd._engine.graph.node cimport (
    Edge, IN_PLACE_OF_A_TENSOR, NODE_OP, NOT_A_TENSOR, Node, Saved, describe, new_node, number, set_outputs,
)
from flambeau_autograd._engine.refs cimport *
from flambeau_autograd._engine.graph.rule cimport *
from flambeau_autograd._engine.graph.saved cimport save, unpack
from flambeau_autograd._engine.graph.saved_tensor cimport saved_tensor

from flambeau_overrides.abi import require as require_overrides
from flambeau_tensor.abi import require

require_overrides(OVERRIDES_ABI, "flambeau-autograd")
require(TENSOR_ABI, "flambeau-autograd")

cdef PyObject* NONE = <PyObject*>None


# --- forward --------------------------------------------------------------------------------------------------------

cdef dispatcher_t _dispatch = NULL


cdef void set_dispatcher(dispatcher_t function) noexcept:
    global _dispatch
    _dispatch = function


cdef class LevelCall:
    cdef object run(self):
        raise NotImplementedError

    cdef int finish(self, object result) except -1:
        return 0


cdef object record(PyObject* op, PyObject** slots, unsigned int flags):
    """Run an operator's kernel and give its results a history."""
    cdef OperatorInfo o
    operator_info(op, &o)
    if o.derivative != NULL and not isinstance(<object>o.derivative, Rule):
        # The rule of a custom operator may be a function, which makes the call and records it itself.
        return owned(vectorcall(o.derivative, slots, o.nslots, NULL))
    if flags & T_LAYERED or (o.flags & O_RANDOM and thread_flags().transform_depth):
        return _dispatch(op, slots)
    if not flags & T_REQUIRES_GRAD or not thread_flags().grad_enabled or not (o.flags & O_RECORD or o.derivative):
        return run_kernel(op, slots, flags)  # inside transforms, every call comes here
    return _record(op, &o, slots, None, flags)


cdef inline bint _wants(PyObject* tensor, LevelCall inner) except -1:
    return requires_grad(tensor) and (inner is None or history_depth(tensor) > inner.batch_depth)


cdef bint _out_requires_grad(PyObject* out) except -1:
    if is_tensor(out):
        return requires_grad(out)
    for item in <object>out:
        if is_tensor(<PyObject*>item) and requires_grad(<PyObject*>item):
            return True
    return False


cdef object process_call(PyObject* op, OperatorInfo* o, PyObject** slots, LevelCall inner):
    if o.derivative != NULL and thread_flags().grad_enabled:
        return _record(op, o, slots, inner, T_LAZY)
    if inner is None:
        return run_kernel(op, slots, T_LAZY)
    if o.flags & O_RECORD and o.derivative == NULL:
        raise NotImplementedError(f"the derivative for '{(<object>op).name}' is not implemented.")
    result = inner.run()
    if o.derivative != NULL:
        inner.finish(result)
    return result


cdef object _record(PyObject* op, OperatorInfo* o, PyObject** slots, LevelCall inner, unsigned int flags):
    cdef Rule rule
    cdef Node node
    cdef unsigned int wanted = 0
    cdef int k, nedges = 0, nsaved
    cdef PyObject* p
    rule = <Rule>o.derivative if o.derivative != NULL else declared(<object>op)
    nsaved = rule.nitems
    if rule.varies:
        wanted = _wanted_with_lists(rule, slots, inner, &nedges, &nsaved)
    else:
        nedges = rule.nargs
        for k in range(nedges):
            p = slots[rule.slots[k]]
            if is_tensor(p) and _wants(p, inner):
                wanted |= 1 << k
    if o.out_index >= 0 and slots[o.out_index] != NONE and not o.flags & O_INPLACE:
        if wanted or _out_requires_grad(slots[o.out_index]):
            raise RuntimeError(f"{(<object>op).name}(): functions with out=... arguments don't support automatic "
                               "differentiation, but one of the arguments requires grad.")
    if not wanted:
        if inner is None:
            return run_kernel(op, slots, flags)
        result = inner.run()
        inner.finish(result)
        return result
    if rule.composition is not None:
        return compose(rule, slots, o.nslots)
    if o.flags & O_INPLACE:
        check_write(slots[0])
    node = new_node(type_of(rule), apply_op, NODE_OP, nedges, nsaved)
    node.rule = rule
    if rule.varies:
        _list_edges(node, rule, slots, inner)
    else:
        for k in range(nedges - 1, -1, -1):  # the first argument's leaf gets the highest number, so it runs first
            if wanted & (1 << k):
                node.edges[k].node = gradient_edge(slots[rule.slots[k]], &node.edges[k].output_nr)
    if rule.nitems:
        _save_arguments(node, rule, slots, wanted, (o.flags & O_INPLACE) != 0)
    result = run_kernel(op, slots, flags) if inner is None else inner.run()
    if is_tensor(<PyObject*>result):
        _finish_one(node, rule, <PyObject*>result, o, slots, wanted, inner)
    elif isinstance(result, (tuple, list)):
        _finish_several(node, rule, result, o, wanted, inner)
    return result


cdef object compose(Rule rule, PyObject** slots, Py_ssize_t n):
    return owned(vectorcall(<PyObject*>rule.composition, slots, n, NULL))


cdef int _finish_one(Node node, Rule rule, PyObject* t, OperatorInfo* o, PyObject** slots,
                     unsigned int wanted, LevelCall inner) except -1:
    """Attach the node to its single output."""
    cdef TensorInfo f
    cdef int k
    tensor_info(t, &f)
    if f.dtype < T_FLOATING or rule.not_outputs:
        return inner.finish(<object>t) if inner is not None else 0
    set_outputs(node, 1)
    describe(&node.metas[0], &f)
    if o.flags & O_INPLACE:
        number(node)
        rebase(t, node)
    else:
        if refcount(t) > 1:
            for k in range(o.nslots):
                if slots[k] == t:  # the operation had nothing to do and returned its argument
                    return 0
        number(node)
        set_history(t, <PyObject*>node, 0)
        if f.flags & T_NO_GRAD_VIEW and o.flags & O_VIEW:  # created by a Python kernel, which runs without recording
            set_flags(t, T_ODD_VIEW & flags_of(slots[0]), T_ODD_VIEW & ~flags_of(slots[0]))
    if inner is not None:
        inner.finish(<object>t)
    if rule.saves_results:
        for k in range(rule.nitems):
            if rule.items[k].kind == SAVE_RESULT and rule.items[k].users & wanted:
                save(&node.saved[k], t, True)
    return 0


cdef int _finish_several(Node node, Rule rule, object results, OperatorInfo* o, unsigned int wanted,
                         LevelCall inner) except -1:
    cdef TensorInfo f
    cdef int k, i, n = len(results)
    cdef PyObject* t
    cdef bint any_output = False
    set_outputs(node, n)
    number(node)
    for i in range(n):
        t = _item(results, i)
        node.metas[i].ndim = -1
        if not is_tensor(t):
            continue
        tensor_info(t, &f)
        describe(&node.metas[i], &f)
        if f.dtype < T_FLOATING or (i < 32 and rule.not_outputs & (<unsigned int>1 << i)):
            continue
        any_output = True
        set_history(t, <PyObject*>node, i)
        if o.flags & O_VIEW and f.base != NULL:
            set_flags(t, T_MULTI_VIEW, T_NO_GRAD_VIEW)
    if inner is not None:
        inner.finish(results)
    if rule.saves_results and any_output:
        for k in range(rule.nitems):
            if rule.items[k].kind == SAVE_RESULT and rule.items[k].users & wanted:
                t = _item(results, rule.items[k].index)
                if is_tensor(t):
                    save(&node.saved[k], t, True)
    return 0


cdef inline PyObject* _item(object results, Py_ssize_t i) noexcept:
    """Return an item of a tuple, perhaps a named one, whose own indexing is slow, or of a list."""
    if is_tuple_kind(<PyObject*>results):
        return tuple_item(<PyObject*>results, i)
    return list_item(<PyObject*>results, i)


cdef int _save_arguments(Node node, Rule rule, PyObject** slots, unsigned int wanted, bint inplace) except -1:
    """Save the values that the needed formulas read."""
    cdef int k, j, n, more = rule.nitems
    cdef Item* it
    cdef Saved* place
    cdef PyObject* p
    cdef PyObject* value
    cdef TensorInfo f
    for k in range(rule.nitems):
        it = &rule.items[k]
        if it.kind == SAVE_RESULT or not it.users & wanted:
            continue
        place = &node.saved[k]
        p = slots[it.index]
        if it.kind == SAVE_TENSOR and is_tensor(p):
            if inplace and it.index == 0:
                before = value_of(p)
                save(place, <PyObject*>before, False)
            else:
                save(place, p, False)
            continue
        if it.kind == SAVE_TENSOR and p != NONE:
            _keep(place, p)
            place.version = IN_PLACE_OF_A_TENSOR
            continue
        value = p
        if it.kind == SAVE_TENSORS or it.kind == SAVE_COUNT:
            n = <int>tuple_size(p) if p != NONE else 0
            if it.kind == SAVE_TENSORS:
                for j in range(n):
                    p = tuple_item(slots[it.index], j)
                    if is_tensor(p):
                        save(&node.saved[more], p, False)
                    else:
                        _keep(&node.saved[more], p)
                    more += 1
            _keep_object(place, n)
            continue
        if it.kind == SAVE_SHAPE:
            if is_tensor(p):
                if it.argument >= 0 and wanted & (1 << it.argument) and not rule.varies:
                    continue  # the next node stores the shape
                _keep_object(place, shape_of(p))
                continue
            if is_tuple(p):
                _keep_object(place, tuple([shape_of(tuple_item(p, j)) for j in range(tuple_size(p))]))
                continue
            value = <PyObject*>()  if p != NONE else NONE  # a number has no dimensions
        elif it.kind == SAVE_GEOMETRY:
            _keep_object(place, geometry(p))
            continue
        elif it.kind == SAVE_DTYPE:
            if is_tensor(p):
                tensor_info(p, &f)
                _keep_object(place, dtype_of(f.dtype))
                continue
            if is_tuple(p):
                _keep_object(place, tuple([_dtype_at(p, j) for j in range(tuple_size(p))]))
                continue
            value = NONE
        _keep(place, value)
    return 0


cdef object _dtype_at(PyObject* items, Py_ssize_t j):
    cdef TensorInfo f
    tensor_info(tuple_item(items, j), &f)
    return dtype_of(f.dtype)


cdef inline void _keep(Saved* place, PyObject* value) noexcept:
    incref(value)
    place.value, place.version = value, NOT_A_TENSOR


cdef inline int _keep_object(Saved* place, object value) except -1:
    _keep(place, <PyObject*>value)
    return 0


cdef unsigned int _wanted_with_lists(Rule rule, PyObject** slots, LevelCall inner, int* nedges,
                                     int* nsaved) except? 0xFFFFFFFF:
    cdef unsigned int wanted = 0
    cdef int k
    cdef Py_ssize_t j
    cdef PyObject* p
    nedges[0] = 0
    for k in range(rule.nargs):
        p = slots[rule.slots[k]]
        if not rule.is_list[k]:
            nedges[0] += 1
            if is_tensor(p) and _wants(p, inner):
                wanted |= 1 << k
        elif p != NONE:
            nedges[0] += <int>tuple_size(p)
            for j in range(tuple_size(p)):
                if is_tensor(tuple_item(p, j)) and _wants(tuple_item(p, j), inner):
                    wanted |= 1 << k
    for k in range(rule.nitems):
        if rule.items[k].kind == SAVE_TENSORS and slots[rule.items[k].index] != NONE:
            nsaved[0] += <int>tuple_size(slots[rule.items[k].index])
    return wanted


cdef int _list_edges(Node node, Rule rule, PyObject** slots, LevelCall inner) except -1:
    cdef int k, e = 0
    cdef Py_ssize_t j
    cdef PyObject* p
    for k in range(rule.nargs):
        p = slots[rule.slots[k]]
        if not rule.is_list[k]:
            if is_tensor(p) and _wants(p, inner):
                node.edges[e].node = gradient_edge(p, &node.edges[e].output_nr)
            e += 1
        elif p != NONE:
            for j in range(tuple_size(p)):
                if is_tensor(tuple_item(p, j)) and _wants(tuple_item(p, j), inner):
                    node.edges[e].node = gradient_edge(tuple_item(p, j), &node.edges[e].output_nr)
                e += 1
    return 0


# --- backward -------------------------------------------------------------------------------------------------------

cdef int apply_op(Node node, unsigned long long needs, PyObject** grads, PyObject** out) except -1:
    """Run the formulas of the needed gradients."""
    cdef Rule rule = <Rule>node.rule
    cdef PyObject* values[MAX_ITEMS]
    cdef PyObject* args[MAX_PARAMS]
    cdef PyObject* result
    cdef PyObject* temporary[2]
    cdef Formula* f
    cdef Param* p
    cdef int i, k, ntemporary
    cdef bint present
    cdef unsigned int wanted
    present = False
    for i in range(node.noutputs):
        if grads[i] != NULL:
            present = True
    if not present:
        return 0
    wanted = <unsigned int>needs if not rule.varies else _wanted_arguments(node, rule, needs)
    for i in range(rule.nitems):
        values[i] = NULL
    try:
        for i in range(rule.nformulas):
            f = &rule.formulas[i]
            if not f.results & wanted:
                continue
            present = True
            ntemporary = 0
            for k in range(f.nparams):
                p = &rule.params[f.params + k]
                if p.kind == FROM_ITEM:
                    if values[p.index] == NULL:
                        values[p.index] = _value(node, rule, p.index)
                    args[k] = values[p.index]
                elif p.kind == FROM_GRAD:
                    args[k] = grads[p.index] if p.index < node.noutputs else NULL
                    if args[k] == NULL:
                        if f.grads & (f.grads - 1) == 0:
                            present = False
                            break
                        args[k] = NONE
                else:
                    temporary[ntemporary] = _gradients(node, grads) if p.kind == FROM_GRADS else _flags(rule, wanted)
                    args[k] = temporary[ntemporary]
                    ntemporary += 1
            try:
                if present:
                    push_all_disabled()  # the formula is our code; hooks on saved tensors are the user's
                    try:
                        result = vectorcall(f.function, args, f.nparams, NULL)
                    finally:
                        pop_all_disabled()
                    _spread(node, rule, f, result, needs, out)
            finally:
                for k in range(ntemporary):
                    decref(temporary[k])
    finally:
        for i in range(rule.nitems):
            xdecref(values[i])
    return 0


cdef inline int _edge_of_argument(Node node, Rule rule, int argument) noexcept:
    # With lists, the first edge of an argument depends on the lengths of the lists before it.
    cdef int k, e = 0
    if not rule.varies:
        return argument
    for k in range(argument):
        if rule.is_list[k]:
            e += _count(node, rule, k)
        else:
            e += 1
    return e


cdef int _count(Node node, Rule rule, int argument) noexcept:
    cdef int i
    for i in range(rule.nitems):
        if rule.items[i].kind == SAVE_COUNT and rule.items[i].index == rule.slots[argument]:
            return <object>node.saved[i].value
    return 0


cdef unsigned int _wanted_arguments(Node node, Rule rule, unsigned long long needs) noexcept:
    cdef unsigned int wanted = 0
    cdef int k, e = 0, n
    for k in range(rule.nargs):
        n = _count(node, rule, k) if rule.is_list[k] else 1
        for _ in range(n):
            if e >= 64 or needs & (<unsigned long long>1 << e):
                wanted |= 1 << k
            e += 1
    return wanted


cdef PyObject* _value(Node node, Rule rule, int index) except NULL:
    """Return a saved value that a formula reads, as a new reference."""
    cdef Item* it = &rule.items[index]
    cdef Saved* place = &node.saved[index]
    cdef Edge* edge
    cdef int i, j, n, more, e
    cdef PyObject* t
    if it.kind == SAVE_SHAPE and place.value == NULL:
        edge = &node.edges[it.argument]
        size = size_of((<Node>edge.node).metas[edge.output_nr].ndim, (<Node>edge.node).metas[edge.output_nr].sizes)
        incref(<PyObject*>size)
        return <PyObject*>size
    if it.kind == SAVE_TENSORS:
        more = rule.nitems
        for i in range(index):
            if rule.items[i].kind == SAVE_TENSORS and node.saved[i].value != NULL:
                more += <int><object>node.saved[i].value
        n = <object>place.value
        items = PyTuple_New(n)
        e = _edge_of_argument(node, rule, it.argument) if it.argument >= 0 else -1
        for j in range(n):
            t = unpack(node, &node.saved[more + j], e + j if e >= 0 else -1, -1)
            set_tuple_item(<PyObject*>items, j, t)
        incref(<PyObject*>items)
        return <PyObject*>items
    if it.kind == SAVE_RESULT:
        return unpack(node, place, -1, it.index)
    if place.version == NOT_A_TENSOR and place.value != NULL:
        incref(place.value)
        return place.value
    return unpack(node, place, _edge_of_argument(node, rule, it.argument) if it.argument >= 0 else -1, -1)


cdef PyObject* _gradients(Node node, PyObject** grads) except NULL:
    cdef PyObject* t = new_tuple(node.noutputs)
    cdef int i
    cdef PyObject* g
    for i in range(node.noutputs):
        g = grads[i] if grads[i] != NULL else NONE
        incref(g)
        set_tuple_item(t, i, g)
    return t


cdef PyObject* _flags(Rule rule, unsigned int wanted) except NULL:
    flags = tuple([(wanted >> i) & 1 != 0 for i in range(rule.nargs)])
    incref(<PyObject*>flags)
    return <PyObject*>flags


cdef int _spread(Node node, Rule rule, Formula* f, PyObject* result, unsigned long long needs,
                 PyObject** out) except -1:
    """Store the result of a formula (a stolen reference) at the edges of its arguments."""
    cdef int k, position
    cdef object holder
    if not f.joint and not rule.is_list[f.result]:
        _put(rule, f.result if not rule.varies else _edge_of_argument(node, rule, f.result), result, needs, out)
        return 0
    holder = owned(result)
    if result == NONE:
        return 0
    if not f.joint:
        return _spread_list(node, rule, f.result, holder, needs, out)
    position = 0
    for k in range(rule.nargs):
        if f.results & (1 << k):
            item = holder[position]
            position += 1
            if rule.is_list[k]:
                if item is not None:
                    _spread_list(node, rule, k, item, needs, out)
            else:
                incref(<PyObject*>item)
                _put(rule, _edge_of_argument(node, rule, k), <PyObject*>item, needs, out)
    return 0


cdef int _spread_list(Node node, Rule rule, int argument, object items, unsigned long long needs,
                      PyObject** out) except -1:
    cdef int e = _edge_of_argument(node, rule, argument), j, n = _count(node, rule, argument)
    if len(items) != n:
        raise RuntimeError(f"derivative of {rule.op.__torch_name__}: expected {n} gradients for "
                           f"'{rule.argument_names[argument]}', got {len(items)}")
    for j in range(n):
        item = items[j]
        incref(<PyObject*>item)
        _put(rule, e + j, <PyObject*>item, needs, out)
    return 0


cdef inline int _put(Rule rule, int edge, PyObject* result, unsigned long long needs, PyObject** out) except -1:
    if result == NONE or (edge < 64 and not needs & (<unsigned long long>1 << edge)):
        decref(result)
        return 0
    if not is_tensor(result):
        kind = type(<object>result).__name__
        decref(result)
        raise RuntimeError(f"derivative of {rule.op.__torch_name__}: a formula returned {kind}, expected a Tensor or "
                           "None")
    out[edge] = result
    return 0


# --- saved values as attributes of grad_fn --------------------------------------------------------------------------

def saved_attributes(Rule rule not None):
    """Return the properties for the values that the rule's nodes save: ``_saved_self``, ``_saved_result``, …"""
    cdef int k
    attributes = {}
    arguments, returns = rule.op.schema.arguments, rule.op.schema.returns
    for k in range(rule.nitems):
        if rule.items[k].kind == SAVE_RESULT:
            i = rule.items[k].index
            name = (returns[i].name if i < len(returns) else "") or ("result" if i == 0 else f"result{i}")
        elif rule.items[k].kind <= SAVE_PLAIN:
            name = arguments[rule.items[k].index].name
        elif rule.items[k].kind == SAVE_SHAPE:
            attributes[f"_saved_{arguments[rule.items[k].index].name}_sym_sizes"] = property(_reader(k))
            continue
        else:
            continue
        attributes[f"_saved_{name}"] = property(_reader(k))
        if rule.items[k].kind != SAVE_PLAIN:
            attributes[f"_raw_saved_{name}"] = property(_raw_reader(k))
    return attributes


def _reader(int k):
    def read(Node node not None):
        """The saved value; None if no needed gradient reads it."""
        if node.saved[k].value == NULL and not node.released and (<Rule>node.rule).items[k].kind != SAVE_SHAPE:
            return None
        value = owned(_value(node, <Rule>node.rule, k))
        if node.saved[k].version == IN_PLACE_OF_A_TENSOR:
            from flambeau_tensor import tensor
            return tensor(value)
        return value
    return read


def _raw_reader(int k):
    def read(Node node not None):
        """The saved tensor as an object that accepts hooks; a tuple of these for a list of tensors."""
        cdef Rule rule = <Rule>node.rule
        cdef int i, more = rule.nitems
        if rule.items[k].kind != SAVE_TENSORS:
            return saved_tensor(node, k, rule.items[k].kind == SAVE_RESULT)
        for i in range(k):
            if rule.items[i].kind == SAVE_TENSORS and node.saved[i].value != NULL:
                more += <int><object>node.saved[i].value
        return tuple([saved_tensor(node, more + i, False) for i in range(<int><object>node.saved[k].value)])
    return read


plug_autograd(record)
