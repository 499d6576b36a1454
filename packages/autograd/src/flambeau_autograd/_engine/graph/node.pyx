# cython: language_level=3
"""The graph's nodes and their lifetime.

References from nodes (edges, saved tensors, a context's attributes) are dropped through one worklist, so freeing a
graph of any depth needs no stack. Numbers of nodes increase along the recording: each node that an edge leads to has a
smaller number than the node itself, and the engine needs no other order.
"""
from cpython.mem cimport PyMem_Calloc, PyMem_Free, PyMem_Malloc, PyMem_Realloc
from cpython.object cimport PyObject, PyTypeObject, newfunc

from flambeau_tensor.abi cimport TensorInfo, dtype_of, tensor_info, plug_accumulators, set_accumulator, size_of

from flambeau_autograd._engine.graph.call_site cimport note_call_site
from flambeau_autograd._engine.refs cimport *

cdef extern from "Python.h":
    ctypedef int (*visitproc)(PyObject*, void*) noexcept
    ctypedef int (*traverseproc)(PyObject*, visitproc, void*) noexcept
    ctypedef int (*inquiry)(PyObject*) noexcept
    ctypedef void (*destructor)(PyObject*) noexcept
    ctypedef struct FullType "PyTypeObject":
        const char* tp_name
        PyTypeObject* tp_base
        Py_ssize_t tp_basicsize
        unsigned long tp_flags
        traverseproc tp_traverse
        inquiry tp_clear
        Py_ssize_t tp_weaklistoffset
        newfunc tp_new
        destructor tp_dealloc
        PyObject* tp_dict
    void PyType_Modified(PyTypeObject*)
    void PyObject_GC_UnTrack(PyObject*) noexcept
    void PyObject_ClearWeakRefs(PyObject*) noexcept
    unsigned long Py_TPFLAGS_HEAPTYPE

cdef extern from *:
    """
    /* Each kind of operation has its own type, so that type(grad_fn) identifies it, as fast as a static type. The
       types are created once and never freed. */
    static PyTypeObject *fl_static_type(const char *name, PyTypeObject *base) {
        PyTypeObject *t = (PyTypeObject *)PyMem_RawCalloc(1, sizeof(PyTypeObject));
        if (!t) { PyErr_NoMemory(); return NULL; }
        Py_SET_REFCNT((PyObject *)t, 1);
        Py_SET_TYPE((PyObject *)t, &PyType_Type);
        t->tp_name = name;
        t->tp_base = base;
        t->tp_basicsize = base->tp_basicsize;
        t->tp_flags = Py_TPFLAGS_DEFAULT;
        Py_INCREF((PyObject *)base);
        if (PyType_Ready(t) < 0) return NULL;
        return t;
    }
    static PyObject *fl_revive(PyObject *o, PyTypeObject *t) {
        Py_SET_TYPE(o, t);
        _Py_NewReference(o);
        PyObject_GC_Track(o);
        return o;
    }
    """
    PyObject* fl_revive(PyObject*, PyTypeObject*) noexcept
    PyTypeObject* fl_static_type(const char*, PyTypeObject*) except NULL

cdef extern from *:
    """
    #if defined(_MSC_VER)
    #define FL_THREAD __declspec(thread)
    #else
    #define FL_THREAD __thread
    #endif
    static FL_THREAD long long fl_tapes[64];
    """
    long long[64] fl_tapes  # by depth: the last node number before the tape at that depth began; 0: there is no tape

cdef long long _numbers = 0
any_tapes = False
cdef enum:
    SPARE = 512

cdef list _names = []  # owns the C strings of type names


cdef bint _recording_tracebacks = False


cdef void record_tracebacks(bint on) noexcept:
    global _recording_tracebacks
    _recording_tracebacks = on


cdef void begin_tape(int depth) noexcept:
    global _numbers, any_tapes
    any_tapes = True
    _numbers += 1
    fl_tapes[depth] = _numbers


def tapes():
    """Return for each depth of transforms the node number at which this thread's tape begins."""
    return tuple([fl_tapes[i] for i in range(64)])


def set_tapes(tuple numbers not None):
    """Set this thread's tapes to those of another thread."""
    for i in range(64):
        fl_tapes[i] = numbers[i]


cdef void end_tape(int depth) noexcept:
    fl_tapes[depth] = 0


cdef unsigned long long still_under_way(Node node) noexcept:
    # A node that is older than the tape at its depth belongs to an earlier tape.
    cdef unsigned long long bits = node.levels & 1
    cdef int depth = 1
    while node.levels >> depth:
        if node.levels >> depth & 1 and fl_tapes[depth] and node.seq > fl_tapes[depth]:
            bits |= <unsigned long long>1 << depth
        depth += 1
    return bits


cdef int number(Node node) except -1:
    global _numbers
    cdef int i
    _numbers += 1
    node.seq = _numbers
    node.levels = 0
    for i in range(node.nedges):
        if node.edges[i].node != NULL:
            node.levels |= levels_under_way(<Node>node.edges[i].node)
    if _recording_tracebacks:
        from flambeau_autograd.anomaly_mode import note_traceback

        note_traceback(node)
    return 0


# --- the worklist of references to drop -----------------------------------------------------------------------------

cdef PyObject** _doomed = NULL
cdef Py_ssize_t _ndoomed = 0, _room = 0
cdef bint _draining = False


cdef void discard(PyObject* o) noexcept:
    global _doomed, _ndoomed, _room
    cdef PyObject** more
    if o == NULL:
        return
    if _ndoomed == _room:
        more = <PyObject**>PyMem_Realloc(_doomed, (2 * _room + 64) * sizeof(PyObject*))
        if more == NULL:  # out of memory: recursion is the lesser evil
            decref(o)
            return
        _doomed, _room = more, 2 * _room + 64
    _doomed[_ndoomed] = o
    _ndoomed += 1


cdef void drain() noexcept:
    global _draining, _ndoomed
    if _draining:
        return
    _draining = True
    while _ndoomed:
        _ndoomed -= 1
        decref(_doomed[_ndoomed])
    _draining = False


# --- nodes ----------------------------------------------------------------------------------------------------------

cdef class Extra:
    pass


cdef Extra extra_of(Node node):
    if node.extra is None:
        node.extra = Extra.__new__(Extra)
    return node.extra


cdef class Node:
    """A recorded operation, such as ``tensor.grad_fn``; ``next_functions`` leads to the nodes of its inputs.

    Nodes are created by recording, never by calling the class.

    Raises:
        TypeError: the class is called.

    >>> y = torch.ones(1, requires_grad=True) * 2
    >>> isinstance(y.grad_fn, torch.autograd.graph.Node), y.grad_fn.name()
    (True, 'MulBackward0')
    """

    def __init__(self):
        raise TypeError(f"cannot create '{type(self).__name__}' instances")

    def name(self):
        """The operation's name, such as ``'MulBackward0'``."""
        name = type(self).__name__
        qualified = self.kind == NODE_LEAF or self.kind == NODE_COPY or name == "CopyBackwards"
        return f"torch::autograd::{name}" if qualified else name

    @property
    def next_functions(self):
        """Pairs (next node, output number), one per input; the node is None if no gradient is needed."""
        cdef int i
        return tuple([(<object>self.edges[i].node if self.edges[i].node != NULL else None, self.edges[i].output_nr)
                      for i in range(self.nedges)])

    @property
    def metadata(self):
        """A dict for the user's notes."""
        cdef Extra extra = extra_of(self)
        if extra.metadata is None:
            extra.metadata = {}
        return extra.metadata

    @property
    def requires_grad(self):
        return True

    def _sequence_nr(self):
        """The number of the node in the order of recording."""
        return self.seq

    def register_hook(self, fn):
        """Call ``fn(grad_inputs, grad_outputs)`` after each run; a result other than None replaces grad_inputs."""
        from flambeau_autograd.hooks import add_hook

        cdef Extra extra = extra_of(self)
        extra.post_hooks, handle = add_hook(extra.post_hooks, fn)
        return handle

    def register_prehook(self, fn):
        """Call ``fn(grad_outputs)`` before each run; a result other than None replaces grad_outputs."""
        from flambeau_autograd.hooks import add_hook

        cdef Extra extra = extra_of(self)
        extra.pre_hooks, handle = add_hook(extra.pre_hooks, fn)
        return handle

    @property
    def _input_metadata(self):
        """Shape and dtype of each output's gradient, or None for an output that is not a tensor."""
        from flambeau_autograd.graph import InputMetadata

        cdef int i
        return [InputMetadata(size_of(self.metas[i].ndim, self.metas[i].sizes), dtype_of(self.metas[i].dtype))
                if self.metas[i].ndim >= 0 else None for i in range(self.noutputs)]

    @property
    def _saves(self):
        """Whether it saves tensors for backward; after they are freed, whether it may have saved any."""
        cdef int i
        return any([self.saved[i].version != NOT_A_TENSOR and (self.saved[i].value != NULL or self.released)
                    for i in range(self.nsaved)])

    @property
    def _has_hooks(self):
        """Whether the node or one of its outputs has hooks, or an output retains its gradient."""
        cdef Extra extra = self.extra
        return extra is not None and bool(extra.pre_hooks or extra.post_hooks or extra.retained or
                                          any([hooks for _, hooks in extra.tensor_hooks or ()]))

    @property
    def _is_spent(self):
        """Whether a backward pass has run and freed the saved tensors."""
        return self.released

    @property
    def _call_site(self):
        """The code object of the user's function that made the call, and the instruction in it, or None."""
        return None if self.code == NULL else (<object>self.code, self.instruction)

    def _argument(self, int edge):
        """Return the name of the argument whose gradient flows along an edge, or None if it is unknown."""
        names = self.rule.argument_names if self.rule is not None else ()
        if len(names) == self.nedges:
            return names[edge]
        return f"{names[0]}[{edge}]" if len(names) == 1 else None

    def __reduce__(self):
        raise TypeError(f"cannot pickle '{type(self).__name__}' object")

    def __repr__(self):
        return f"<{type(self).__name__} object at {hex(<size_t><PyObject*>self)}>"

    def __call__(self, *grads):
        """Run only this node on the gradients of its outputs."""
        from flambeau_autograd._engine.graph.engine import run_node

        return run_node(self, grads)


cdef PyTypeObject* make_type(str name, PyTypeObject* base, dict attributes=None) except NULL:
    cdef PyTypeObject* t
    encoded = name.encode()
    _names.append(encoded)
    t = fl_static_type(encoded, base)
    if attributes is not None:
        (<dict>(<FullType*>t).tp_dict).update(attributes)
        PyType_Modified(t)
    return t


cdef tuple _nothing = ()
cdef newfunc _allocate = (<FullType*>Node).tp_new
cdef destructor _free_fields = (<FullType*>Node).tp_dealloc
cdef PyObject* _spare[SPARE]  # freed nodes, for reuse
cdef int _nspare = 0
cdef Py_ssize_t _size = (<FullType*>Node).tp_basicsize
cdef Py_ssize_t _weakrefs = (<FullType*>Node).tp_weaklistoffset


cdef Node new_node(PyTypeObject* cls, apply_t apply, int kind, int nedges, int nsaved):
    global _nspare
    cdef Node node
    if _nspare > 0:
        _nspare -= 1
        node = <Node>owned(fl_revive(_spare[_nspare], cls))
    else:
        node = <Node>_allocate(<type>cls, <PyObject*>_nothing, NULL)
    node.apply = apply
    node.kind = kind
    if nedges > INLINE_EDGES:
        node.edges = <Edge*>PyMem_Calloc(nedges, sizeof(Edge))
        if node.edges == NULL:
            raise MemoryError()
    else:
        node.edges = node.inline_edges
    if nsaved > INLINE_SAVED:
        node.saved = <Saved*>PyMem_Calloc(nsaved, sizeof(Saved))
        if node.saved == NULL:
            raise MemoryError()
    else:
        node.saved = node.inline_saved
    node.nedges = nedges
    node.nsaved = nsaved
    node.metas = &node.inline_meta
    node.pending = &node.pending_inline
    if kind != NODE_LEAF:  # a leaf is not a call
        note_call_site(&node.code, &node.instruction)
    return node


cdef void _dealloc(PyObject* o) noexcept:
    """Replace Cython's tp_dealloc: every recorded call creates and frees a node."""
    cdef bint holds_leaf = (<Node>o).kind == NODE_LEAF and (<Node>o).saved[0].value != NULL
    cdef bint watched = (<PyObject**>(<char*>o + _weakrefs))[0] != NULL
    PyObject_GC_UnTrack(o)
    if watched:
        if holds_leaf:
            set_accumulator((<Node>o).saved[0].value, NULL)  # callbacks of weak references may use the leaf
        PyObject_ClearWeakRefs(o)
    if holds_leaf and not watched and (<Node>o).extra is None:
        _make_dormant(<Node>o)
    else:
        _free(o)
    drain()


# Successive graphs use a leaf, and each needs the leaf's AccumulateGrad while it exists. Between graphs the node stays
# with the leaf, dormant: it has no references, the garbage collector does not track it, it does not hold the leaf, and
# it is freed with the leaf.

cdef void _make_dormant(Node node) noexcept:
    cdef PyObject* leaf = node.saved[0].value
    node.saved[0].value = NULL
    node.queued = False
    node.holder = 0
    discard(node.pending[0])
    node.pending[0] = NULL
    discard(leaf)


cdef void resurrect(PyObject* o, PyObject* leaf) noexcept:
    fl_revive(o, o.ob_type)
    hold_leaf(<Node>o, leaf)


cdef void hold_leaf(Node node, PyObject* leaf) noexcept:
    """Make an AccumulateGrad hold its leaf, and number it below all future nodes."""
    global _numbers
    incref(leaf)
    node.saved[0].value = leaf
    _numbers += 1
    node.seq = _numbers
    node.levels = 1


cdef void _forget(PyObject* leaf, PyObject* node) noexcept:
    cdef TensorInfo f
    tensor_info(leaf, &f)
    if f.accumulator == node:
        set_accumulator(leaf, NULL)


cdef void _free_dormant(PyObject* o) noexcept:
    _free(o)
    drain()


plug_accumulators(_free_dormant)


cdef void _free(PyObject* o) noexcept:
    global _nspare
    _drop_contents(<Node>o)
    if (<Node>o).edges != (<Node>o).inline_edges:
        PyMem_Free((<Node>o).edges)
    if (<Node>o).saved != (<Node>o).inline_saved:
        PyMem_Free((<Node>o).saved)
    _free_metas(<Node>o)
    if _nspare < SPARE and (<FullType*>o.ob_type).tp_basicsize == _size and \
            not (<FullType*>o.ob_type).tp_flags & Py_TPFLAGS_HEAPTYPE:
        _reset(<Node>o)
        _spare[_nspare] = o
        _nspare += 1
    else:
        _free_fields(o)


cdef inline void _reset(Node node) noexcept:
    """Reset a freed node to the state of a new one."""
    cdef int i
    node.rule = None
    node.released = node.queued = False
    node.mark = 0
    node.holder = 0
    node.noutputs = 0
    node.inline_meta.sizes = NULL
    for i in range(INLINE_EDGES):
        node.inline_edges[i].output_nr = 0
    for i in range(INLINE_SAVED):
        node.inline_saved[i].version = 0


cdef int make_outputs(Node node, int n) except -1:
    cdef OutputMeta* metas = <OutputMeta*>PyMem_Calloc(n, sizeof(OutputMeta))
    cdef PyObject** pending = <PyObject**>PyMem_Calloc(n, sizeof(PyObject*))
    if metas == NULL or pending == NULL:
        PyMem_Free(metas)
        PyMem_Free(pending)
        raise MemoryError()
    node.metas, node.pending = metas, pending
    node.noutputs = n
    return 0


cdef int describe(OutputMeta* meta, const TensorInfo* f) except -1:
    cdef int i
    if meta.sizes != NULL and meta.sizes != meta.inline_sizes:
        PyMem_Free(meta.sizes)
    meta.sizes = meta.inline_sizes
    if f.ndim > INLINE_DIMS:
        meta.sizes = <Py_ssize_t*>PyMem_Malloc(f.ndim * sizeof(Py_ssize_t))
        if meta.sizes == NULL:
            raise MemoryError()
    meta.dtype = f.dtype
    meta.ndim = f.ndim
    meta.on_meta = f.flags & T_META
    for i in range(f.ndim):
        meta.sizes[i] = f.sizes[i]
    return 0


cdef void _free_metas(Node node) noexcept:
    cdef int i
    if node.metas == NULL:
        return
    for i in range(node.noutputs):
        if node.metas[i].sizes != NULL and node.metas[i].sizes != node.metas[i].inline_sizes:
            PyMem_Free(node.metas[i].sizes)
    if node.metas != &node.inline_meta:
        PyMem_Free(node.metas)
        PyMem_Free(node.pending)


cdef void release_saved(Node node) noexcept:
    """Free the saved tensors; numbers and shapes stay, so a node that saves only those can run again."""
    cdef int i
    cdef PyObject* o
    if node.kind == NODE_LEAF:
        return
    if node.kind == NODE_COPY and node.saved[0].value != NULL:
        if refcount(node.saved[0].value) == 1:  # if anything else refers to the writing node, it may run again
            release_saved(<Node>node.saved[0].value)
        return
    for i in range(node.nsaved):
        if node.saved[i].version != NOT_A_TENSOR:
            o = node.saved[i].value
            node.saved[i].value = NULL
            discard(o)
    node.released = True
    drain()


cdef void _drop_contents(Node node) noexcept:
    cdef int i
    cdef PyObject* o
    if node.edges != NULL:
        for i in range(node.nedges):
            o = node.edges[i].node
            node.edges[i].node = NULL
            discard(o)
    if node.saved != NULL:
        for i in range(node.nsaved):
            o = node.saved[i].value
            node.saved[i].value = NULL
            if o != NULL and node.kind == NODE_LEAF:
                _forget(o, <PyObject*>node)
            discard(o)
    if node.pending != NULL:
        for i in range(node.noutputs):
            o = node.pending[i]
            node.pending[i] = NULL
            discard(o)
    o = node.code
    node.code = NULL
    xdecref(o)
    if node.extra is not None:
        o = <PyObject*>node.extra
        incref(o)
        node.extra = None
        discard(o)


# --- garbage collection: Cython does not see the arrays -------------------------------------------------------------

cdef traverseproc _traverse_fields = (<FullType*>Node).tp_traverse
cdef inquiry _clear_fields = (<FullType*>Node).tp_clear


cdef int _traverse(PyObject* o, visitproc visit, void* arg) noexcept:
    cdef int i, stop
    stop = _traverse_fields(o, visit, arg)
    if stop:
        return stop
    if (<Node>o).edges != NULL:
        for i in range((<Node>o).nedges):
            if (<Node>o).edges[i].node != NULL:
                stop = visit((<Node>o).edges[i].node, arg)
                if stop:
                    return stop
    if (<Node>o).saved != NULL:
        for i in range((<Node>o).nsaved):
            if (<Node>o).saved[i].value != NULL:
                stop = visit((<Node>o).saved[i].value, arg)
                if stop:
                    return stop
    return 0


cdef int _clear(PyObject* o) noexcept:
    incref(o)
    _drop_contents(<Node>o)
    drain()
    _clear_fields(o)
    decref(o)
    return 0


(<FullType*>Node).tp_traverse = _traverse
(<FullType*>Node).tp_clear = _clear
(<FullType*>Node).tp_dealloc = _dealloc
