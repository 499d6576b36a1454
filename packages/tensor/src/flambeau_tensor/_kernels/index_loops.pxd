"""Reading, writing and combining indexed elements, shared by all indexing operations."""
from flambeau_tensor._core.memory.tensor cimport Tensor
from flambeau_tensor._core.memory.types cimport *

cdef enum:  # modes
    GET  # indexed -> plain
    PUT  # plain -> indexed, as are the following
    ADD
    MULTIPLY
    LEAST
    GREATEST

# A space with dimensions [outer..., n, inner...]. The plain side is strided; on the indexed side, the n elements are at
# offsets from the outer position. All strides, steps and offsets are in bytes.
cdef struct Rows:
    char* plain
    char* indexed
    Py_ssize_t n, step  # step: of the plain side, between successive elements
    const Py_ssize_t* offsets
    int nouter, ninner
    Py_ssize_t[MAX_NDIM] outer_sizes, outer_plain, outer_indexed
    Py_ssize_t[MAX_NDIM] inner_sizes, inner_plain, inner_indexed

# A space with the shape of the index. Each element of the plain side corresponds to the element of the indexed side
# whose coordinate in `dim` is the index. The index is contiguous and checked.
cdef struct Along:
    int ndim, dim
    const long long* index
    Py_ssize_t size, dim_stride  # of dimension `dim` of the indexed side
    char* plain
    char* indexed
    Py_ssize_t[MAX_NDIM] sizes, plain_strides, indexed_strides

cdef int run_rows(Rows* r, int mode, int dtype) except -1
cdef int run_along(Along* g, int mode, int dtype) except -1
cdef bint supports(int mode, int dtype) noexcept

# offsets[i] (+)= index[i] * step for an int64 index, broadcast to a shape; negative indices count from the end. Returns
# False if an index is outside [-size, size), and stores it in `outside`.
cdef bint add_offsets(Tensor index, int ndim, const Py_ssize_t* shape, Py_ssize_t size, Py_ssize_t step, bint fresh,
                      Py_ssize_t* offsets, long long* outside) noexcept nogil
# Whether all elements of a contiguous int64 index are in [low, high); otherwise stores one that is not in `outside`.
cdef bint within(Tensor index, Py_ssize_t low, Py_ssize_t high, long long* outside) noexcept nogil
cdef Tensor long_index(Tensor index)  # as contiguous int64
