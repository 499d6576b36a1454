"""A node of the graph: one recorded call, seen from its outputs."""
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
    NODE_COPY = 4  # CopySlices: saved[0] is the node that wrote

cdef enum:
    T_META = 8192  # TensorInfo.flags: on device 'meta'

cdef struct Edge:
    PyObject* node  # owned; NULL where no gradient is wanted
    int output_nr

cdef struct OutputMeta:  # what the gradient of an output looks like
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
    IN_PLACE_OF_A_TENSOR = -2  # a number, which a program sees saved and released as a tensor would be

# From the gradients of the outputs (borrowed, NULL where there is none) to those of the inputs (new references or
# NULL, one for each edge). Bit i of `needs` is set where edge i leads somewhere that wants it.
ctypedef int (*apply_t)(Node node, unsigned long long needs, PyObject** grads, PyObject** out) except -1

cdef class Extra:
    """What few nodes have: hooks, metadata, the traceback of the forward call."""
    cdef public object metadata
    cdef object pre_hooks, post_hooks  # ordered dicts
    cdef list tensor_hooks  # of (output number, ordered dict that the tensor shares)
    cdef dict retained  # output number -> weak reference to the tensor that wants its gradient

cdef class Node:
    cdef object __weakref__
    cdef apply_t apply
    cdef long long seq
    # Of the transforms that what it computes depends on, as bits, bit 0: of none; see `levels_under_way`.
    cdef unsigned long long levels
    cdef int kind
    cdef int nedges
    cdef int noutputs
    cdef int nsaved
    cdef bint released  # saved tensors are gone
    cdef Edge* edges
    cdef Saved* saved
    cdef OutputMeta* metas
    cdef object rule
    cdef unsigned long holder  # of a leaf: the thread that is adding to its gradient, or 0
    cdef Extra extra
    cdef PyObject* code  # owned: of the Python function that made the call, and the instruction in it; call_site.pyx
    cdef int instruction
    # Of the run that holds the in-node places (one at a time, see engine.pyx):
    cdef PyObject** pending  # gradients of the outputs that have arrived
    cdef PyObject* pending_inline
    cdef bint queued
    cdef bint needed
    cdef long long mark  # `needed` is valid for the run of this number
    cdef Edge[INLINE_EDGES] inline_edges
    cdef Saved[INLINE_SAVED] inline_saved
    cdef OutputMeta inline_meta

cdef PyTypeObject* make_type(str name, PyTypeObject* base, dict attributes=*) except NULL
cdef Node new_node(PyTypeObject* cls, apply_t apply, int kind, int nedges, int nsaved)
cdef void resurrect(PyObject* dormant, PyObject* leaf) noexcept  # a leaf's node that no graph needed for a while
cdef void hold_leaf(Node node, PyObject* leaf) noexcept
cdef int make_outputs(Node node, int n) except -1

cdef inline int set_outputs(Node node, int n) except -1:
    """Make room for what the gradients of ``n`` outputs look like."""
    if n > 1:
        return make_outputs(node, n)
    node.noutputs = n
    return 0

cdef int describe(OutputMeta* meta, const TensorInfo* f) except -1
cdef bint any_tapes  # whether a transform ever differentiated anything
cdef void begin_tape(int depth) noexcept  # reverse mode at a level of this thread
cdef void end_tape(int depth) noexcept
cdef unsigned long long still_under_way(Node node) noexcept

cdef inline unsigned long long levels_under_way(Node node) noexcept:
    """Those of ``node.levels`` that are not over."""
    return node.levels if node.levels <= 1 else still_under_way(node)

cdef inline bint is_over(Node node) noexcept:
    """Whether all transforms whose tapes the node is on are over."""
    return node.levels > 1 and still_under_way(node) == 0

cdef int number(Node node) except -1  # after its edges are known: numbers are a topological order
cdef void release_saved(Node node) noexcept
cdef void record_tracebacks(bint on) noexcept  # keep the traceback of every recorded call from now on
cdef void discard(PyObject* owned) noexcept  # drop a reference without recursion
cdef void drain() noexcept
cdef Extra extra_of(Node node)
