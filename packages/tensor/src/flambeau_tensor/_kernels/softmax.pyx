# cython: language_level=3
"""softmax and log_softmax of contiguous tensors along one dimension, by the loops of ``hot/softmax``."""
from cpython.object cimport PyObject

from flambeau_tensor._core.elementwise.dtype cimport DType, ITEMSIZE, dtype_object
from flambeau_tensor._core.elementwise.copying cimport copy_elements, to_dtype
from flambeau_tensor._core.call.operator cimport Kernel, Operator
from flambeau_tensor._core.elementwise.parallel cimport parallel_for
from flambeau_tensor._core.memory.tensor cimport Tensor, empty, wrap_dim
from flambeau_tensor._core.memory.types cimport *
from flambeau_tensor.grain cimport GIL_FREE, GRAIN

from flambeau_tensor._core.elementwise.dtype import type_name
from flambeau_tensor._core.elementwise.cpu_levels import hot

cdef enum:
    COLUMNS = 512  # columns per call of the across loop
    COST = 4  # per element

ctypedef void (*along_t)(void* kind, const char* x, char* out, Py_ssize_t n) noexcept nogil
ctypedef void (*across_t)(void* kind, const char* x, char* out, Py_ssize_t step, Py_ssize_t n,
                          Py_ssize_t m) noexcept nogil

cdef struct Job:
    along_t along
    across_t across
    char* x
    char* out
    Py_ssize_t item, n, inner, tiles


cdef void _task(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    """Process runs, or tiles of columns, [begin, end)."""
    cdef Job* job = <Job*>context
    cdef Py_ssize_t i, at, offset
    for i in range(begin, end):
        if job.inner == 1:
            offset = i * job.n * job.item
            job.along(NULL, job.x + offset, job.out + offset, job.n)
        else:
            at = i % job.tiles * COLUMNS
            offset = (i // job.tiles * job.n * job.inner + at) * job.item
            job.across(NULL, job.x + offset, job.out + offset, job.inner, job.n,
                       min(<Py_ssize_t>COLUMNS, job.inner - at))


cdef class Softmax(Kernel):
    """A kernel with the slots self, dim, dtype; `loops` is its name in ``hot/softmax``."""

    cdef along_t[2] along  # of float and double
    cdef across_t[2] across
    cdef str name

    def __init__(self, str loops not None):
        table = hot("softmax").LOOPS[loops]
        self.run = _softmax
        self.name = loops
        for i, dtype in enumerate(("float32", "float64")):
            along, across = table[dtype]
            self.along[i], self.across[i] = <along_t><size_t>along, <across_t><size_t>across


cdef object _softmax(Operator op, PyObject** slots):
    cdef Softmax kernel = <Softmax>op.implementation
    cdef Tensor x = <Tensor>slots[0], out
    cdef int dim = wrap_dim(<object>slots[1], x.ndim), dtype = x.dtype, d
    cdef Job job
    cdef Py_ssize_t outer = 1, count
    cdef int compute
    if slots[2] != <PyObject*>None:
        dtype = (<DType>slots[2]).id
    if not FLOAT16 <= dtype <= FLOAT64:
        raise NotImplementedError(f'"{kernel.name}" not implemented for \'{type_name(dtype_object(dtype))}\'')
    compute = FLOAT64 if dtype == FLOAT64 else FLOAT32
    x = to_dtype(to_dtype(x, dtype), compute)
    if not x.flags & CONTIGUOUS:
        out = empty(compute, x.ndim, x.sizes)
        copy_elements(out, x)
        x = out
    out = empty(compute, x.ndim, x.sizes)
    if x.numel:
        job.n, job.inner = 1, 1
        for d in range(x.ndim):
            if d < dim:
                outer *= x.sizes[d]
            elif d == dim:
                job.n = x.sizes[d]
            else:
                job.inner *= x.sizes[d]
        job.along, job.across = kernel.along[compute == FLOAT64], kernel.across[compute == FLOAT64]
        job.x, job.out, job.item = x.data, out.data, ITEMSIZE[compute]
        job.tiles = (job.inner + COLUMNS - 1) // COLUMNS
        count = outer * job.tiles
        if COST * x.numel < GIL_FREE:
            _task(&job, 0, count)
        else:
            with nogil:
                parallel_for(count, GRAIN // (COST * (x.numel // count)) + 1, _task, &job)
    return to_dtype(out, dtype)
