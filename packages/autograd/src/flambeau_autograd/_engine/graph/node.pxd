"""A node of the graph: the backward of one recorded call."""
from cpython.object cimport PyObject, PyTypeObject

from flambeau_tensor.abi cimport TensorInfo

cdef enum:
    INLINE_EDGES = 3
    INLINE_SAVED = 3
    INLINE_DIMS = 5

cdef enum:  # Node.kind
    NODE_OP = 0
    NODE_LEAF = 1  # AccumulateGrad: saved[0] is the leaf
    NODE_FUNCTION = 2
    NODE_OTHER = 3
    NODE_COPY = 4  # CopySlices: saved[0] is the writing node

cdef enum:
    T_META = 8192  # TensorInfo.flags: on device 'meta'

cdef struct Edge:
    PyObject* node  # owned; NULL if no gradient is needed
    int output_nr

cdef struct OutputMeta:  # shape and dtype of an output, which its gradient must have
    int dtype
    int ndim  # -1: not a tensor
    bint on_meta  # on device 'meta'
    Py_ssize_t* sizes
    Py_ssize_t[INLINE_DIMS] inline_sizes

cdef struct Saved:
    PyObject* value  # owned; NULL: not saved, or released
    Py_ssize_t version  # of a tensor's storage when it was saved, or one of the numbers below

cdef enum:
    NOT_A_TENSOR = -1
    IN_PLACE_OF_A_TENSOR = -2  # a Python number in place of a tensor; programs see it saved and released like a tensor

# Computes the gradients of the inputs (new references or NULL, one for each edge) from those of the outputs (borrowed,
# NULL if there is none). Bit i of `needs` is set if edge i leads to a node that needs its gradient.
ctypedef int (*apply_t)(Node node, unsigned long long needs, PyObject** grads, PyObject** out) except -1

cdef class Extra:
    """Rarely used fields of a node: hooks, metadata, the traceback of the forward call."""
    cdef public object metadata
    cdef object pre_hooks, post_hooks  # ordered dicts
    cdef list tensor_hooks  # of (output number, ordered dict that the tensor shares)
    cdef dict retained  # output number -> weak reference to the tensor that retains its gradient

cdef class Node:
    cdef object __weakref__
    cdef apply_t apply
    cdef long long seq
    # The transforms that its result depends on, as bits; bit 0 stands for none. See `levels_under_way`.
    cdef unsigned long long levels
    cdef int kind
    cdef int nedges
    cdef int noutputs
    cdef int nsaved
    cdef bint released  # saved tensors were freed
    cdef Edge* edges
    cdef Saved* saved
    cdef OutputMeta* metas
    cdef object rule
    cdef unsigned long holder  # of a leaf: the thread that is adding to the leaf's gradient, or 0
    cdef Extra extra
    cdef PyObject* code  # owned: the code object of the Python function that made the call; see call_site.pyx
    cdef int instruction
    # Used by the one run that stores gradients in the nodes, see engine.pyx:
    cdef PyObject** pending  # gradients that have arrived for the outputs
    cdef PyObject* pending_inline
    cdef bint queued
    cdef bint needed
    cdef long long mark  # `needed` is valid for the run with this number
    cdef Edge[INLINE_EDGES] inline_edges
    cdef Saved[INLINE_SAVED] inline_saved
    cdef OutputMeta inline_meta

cdef PyTypeObject* make_type(str name, PyTypeObject* base, dict attributes=*) except NULL
cdef Node new_node(PyTypeObject* cls, apply_t apply, int kind, int nedges, int nsaved)
cdef void resurrect(PyObject* dormant, PyObject* leaf) noexcept  # revives a leaf's dormant node
cdef void hold_leaf(Node node, PyObject* leaf) noexcept
cdef int make_outputs(Node node, int n) except -1

cdef inline int set_outputs(Node node, int n) except -1:
    """Allocate the descriptions of ``n`` outputs."""
    if n > 1:
        return make_outputs(node, n)
    node.noutputs = n
    return 0

cdef int describe(OutputMeta* meta, const TensorInfo* f) except -1
cdef bint any_tapes  # whether a transform has ever differentiated anything
cdef void begin_tape(int depth) noexcept  # start reverse mode at a level of this thread
cdef void end_tape(int depth) noexcept
cdef unsigned long long still_under_way(Node node) noexcept

cdef inline unsigned long long levels_under_way(Node node) noexcept:
    """Return the bits of ``node.levels`` whose transforms are still active."""
    return node.levels if node.levels <= 1 else still_under_way(node)

cdef inline bint is_over(Node node) noexcept:
    """Whether all transforms whose tapes the node is on have ended."""
    return node.levels > 1 and still_under_way(node) == 0

cdef int number(Node node) except -1  # call it when the edges are set: numbers are a topological order
cdef void release_saved(Node node) noexcept
cdef void record_tracebacks(bint on) noexcept  # whether to keep the traceback of every recorded call
cdef void discard(PyObject* owned) noexcept  # drop a reference without recursion
cdef void drain() noexcept
cdef Extra extra_of(Node node)
