"""Reading, writing and combining elements that are found by index: the part that all indexing operations share."""
from flambeau_tensor._core.memory.tensor cimport Tensor
from flambeau_tensor._core.memory.types cimport *

cdef enum:  # modes
    GET  # indexed -> plain
    PUT  # plain -> indexed, as all that follow
    ADD
    MULTIPLY
    LEAST
    GREATEST

# A space of dimensions [outer..., n, inner...]: on the plain side a strided one, on the indexed side the n places are
# at offsets from the outer position. All strides, steps and offsets in bytes.
cdef struct Rows:
    char* plain
    char* indexed
    Py_ssize_t n, step  # of the plain side, from one place to the next
    const Py_ssize_t* offsets
    int nouter, ninner
    Py_ssize_t[MAX_NDIM] outer_sizes, outer_plain, outer_indexed
    Py_ssize_t[MAX_NDIM] inner_sizes, inner_plain, inner_indexed

# A space of the index's shape: each place of the plain side goes with the place of the indexed side that has the index
# as its coordinate in `dim`. Index contiguous and checked.
cdef struct Along:
    int ndim, dim
    const long long* index
    Py_ssize_t size, dim_stride  # of the indexed side's dimension `dim`
    char* plain
    char* indexed
    Py_ssize_t[MAX_NDIM] sizes, plain_strides, indexed_strides

cdef int run_rows(Rows* r, int mode, int dtype) except -1
cdef int run_along(Along* g, int mode, int dtype) except -1
cdef bint supports(int mode, int dtype) noexcept

# offsets[i] (+)= index[i] * step, the int64 index broadcast to a shape; negative ones count from the end. False: one
# was outside [-size, size), and is told.
cdef bint add_offsets(Tensor index, int ndim, const Py_ssize_t* shape, Py_ssize_t size, Py_ssize_t step, bint fresh,
                      Py_ssize_t* offsets, long long* outside) noexcept nogil
# Whether all of a contiguous int64 index lies in [low, high); else tells one that does not.
cdef bint within(Tensor index, Py_ssize_t low, Py_ssize_t high, long long* outside) noexcept nogil
cdef Tensor long_index(Tensor index)  # as contiguous int64
