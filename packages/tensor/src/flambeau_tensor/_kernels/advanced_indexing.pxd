"""Advanced indexing: the elements that index tensors and masks select, and their addresses."""
from cpython.object cimport PyObject

from flambeau_tensor._core.memory.tensor cimport Tensor
from flambeau_tensor._core.memory.types cimport *
from flambeau_tensor._kernels.index_loops cimport Rows

cdef enum:
    FEW = 64  # offsets that are stored on the stack

cdef struct AdvancedIndex:  # the elements of a tensor to which index tensors point
    Rows rows  # the indexed side; gathered() and scattered() set the plain side
    int ndim  # of the result: outer dimensions, dimensions of the broadcast indices, inner dimensions
    Py_ssize_t[MAX_NDIM] sizes
    int first, nbroadcast
    bint ordered  # the result is contiguous; otherwise it has the following strides
    Py_ssize_t[MAX_NDIM] strides
    Py_ssize_t[FEW] few

# Fills `p` from one index tensor, mask or NULL per dimension of a tensor with the given geometry; a mask belongs to the
# first dimension that it covers. Checks the shape and dtype of `values` that will be written, if there are any, then
# bounds. `p` needs the returned object.
cdef object prepare_index(AdvancedIndex* p, int dtype, int ndim, const Py_ssize_t* sizes, const Py_ssize_t* strides,
                          char* data, PyObject** indices, Tensor values=*, int written=*)
cdef Tensor gathered(AdvancedIndex* p, int dtype)  # the selected elements
# Writes (or adds) values of the dtype of `t`, broadcast to the result's shape, to the selected elements of `t`.
cdef int scattered(AdvancedIndex* p, Tensor t, Tensor values, bint accumulate) except -1

cdef Tensor coordinates(Tensor t)  # of nonzero elements, (ndim, count)
# The indices of a mask's true elements in order, times step.
cdef Tensor nonzero_offsets(Tensor mask, Py_ssize_t step)
cdef Tensor row_of(Tensor t, Py_ssize_t i)
cdef Tensor expanded(Tensor t, int ndim, const Py_ssize_t* sizes)  # contiguous; `t` itself if it is so already
cdef Tensor filling(str name, Tensor t, object value)  # a fill value, in the dtype of `t`
