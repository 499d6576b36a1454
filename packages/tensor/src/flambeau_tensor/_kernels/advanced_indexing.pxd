"""Index tensors and masks as places in a tensor: what they select, where it lies."""
from cpython.object cimport PyObject

from flambeau_tensor._core.memory.tensor cimport Tensor
from flambeau_tensor._core.memory.types cimport *
from flambeau_tensor._kernels.index_loops cimport Rows

cdef enum:
    FEW = 64  # offsets kept on the stack

cdef struct AdvancedIndex:  # where index tensors point in a tensor
    Rows rows  # the indexed side; gathered() and scattered() set the plain one
    int ndim  # of the result: outer dimensions, those of the broadcast indices, inner dimensions
    Py_ssize_t[MAX_NDIM] sizes
    int first, nbroadcast
    bint ordered  # the result is contiguous; else it has these strides
    Py_ssize_t[MAX_NDIM] strides
    Py_ssize_t[FEW] few

# Fill `p`, which needs the object returned, from one index tensor, mask or NULL for each dimension of a tensor of the
# given geometry (a mask stands at the first dimension that it covers). Bounds are checked here, before any writing.
cdef object prepare_index(AdvancedIndex* p, int dtype, int ndim, const Py_ssize_t* sizes, const Py_ssize_t* strides,
                          char* data, PyObject** indices)
cdef Tensor gathered(AdvancedIndex* p, int dtype)  # what is there
# Writes (or adds) values, broadcast to the result's shape and of the dtype of `t`, to places in `t`.
cdef int scattered(AdvancedIndex* p, Tensor t, Tensor values, bint accumulate) except -1

cdef Tensor coordinates(Tensor t)  # of elements that are not zero, (ndim, count)
# Where a mask holds: its elements' numbers in order, times step.
cdef Tensor nonzero_offsets(Tensor mask, Py_ssize_t step)
cdef Tensor row_of(Tensor t, Py_ssize_t i)
cdef Tensor expanded(Tensor t, int ndim, const Py_ssize_t* sizes)  # contiguous; itself where it is that already
cdef Tensor filling(str name, Tensor t, object value)  # a value to write everywhere, in the dtype of `t`
