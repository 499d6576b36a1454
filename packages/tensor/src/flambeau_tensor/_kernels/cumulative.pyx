# cython: language_level=3
"""Cumulative sums and similar operations along a dimension of contiguous tensors, by loops of ``hot/cumulative``."""
from cpython.object cimport PyObject
from libc.math cimport INFINITY
from libc.stdint cimport int64_t

from flambeau_tensor._core.elementwise.dtype cimport CATEGORY, DType, ITEMSIZE, dtype_object, family
from flambeau_tensor._core.elementwise.copying cimport copy_elements, to_dtype, write_inplace, write_out
from flambeau_tensor._core.elementwise.operands cimport check_out_overlap
from flambeau_tensor._core.call.operator cimport OP_INPLACE, Kernel, Operator, read_slot
from flambeau_tensor._core.elementwise.parallel cimport parallel_for
from flambeau_tensor._core.memory.tensor cimport Tensor, empty, wrap_dim
from flambeau_tensor._core.memory.types cimport *
from flambeau_tensor.grain cimport GIL_FREE, GRAIN

from flambeau_tensor._core.schema.declaring import USUAL, Dtypes, bits
from flambeau_tensor._core.elementwise.dtype import type_name
from flambeau_tensor._core.elementwise.cpu_levels import hot

cdef enum:
    COLUMNS = 512  # columns per call of an across loop
    RUNS = 8  # minimum number of runs per call of an along loop

ctypedef void (*along_t)(void* op, const char* x, char* out, char* extra, Py_ssize_t n, Py_ssize_t m) noexcept nogil
ctypedef void (*across_t)(void* op, const char* x, char* out, char* extra, Py_ssize_t step, Py_ssize_t n,
                          Py_ssize_t m) noexcept nogil

cdef struct Entry:
    along_t along
    across_t across
    int compute

cdef struct Job:
    Entry* e
    char* x
    char* out
    char* places
    int start  # the initial value: 0, 1, or -1 for -inf
    Py_ssize_t item, n, runs, inner, tiles


cdef void _start(Job* job, double* carry, Py_ssize_t m) noexcept nogil:
    cdef bint pairs = job.e.compute == COMPLEX128
    cdef Py_ssize_t k
    for k in range(m):
        if job.e.compute == INT64:
            (<int64_t*>carry)[k] = job.start
        else:
            carry[k << pairs] = -INFINITY if job.start < 0 else job.start
            if pairs:
                carry[2 * k + 1] = 0


cdef void _task(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    """Process groups of RUNS runs, or tiles of columns, [begin, end)."""
    cdef Job* job = <Job*>context
    cdef double[2 * COLUMNS] carry
    cdef char* extra = <char*>carry
    cdef Py_ssize_t i, at, m, first
    if job.inner == 1:
        first = begin * RUNS * job.n
        if job.places != NULL:
            extra = job.places + first * 8
        else:
            _start(job, carry, 1)
        job.e.along(NULL, job.x + first * job.item, job.out + first * job.item, extra, job.n,
                    min(end * RUNS, job.runs) - begin * RUNS)
        return
    for i in range(begin, end):
        at = i % job.tiles * COLUMNS
        m = min(<Py_ssize_t>COLUMNS, job.inner - at)
        first = i // job.tiles * job.n * job.inner + at
        if job.places != NULL:
            extra = job.places + first * 8
        else:
            _start(job, carry, m)
        job.e.across(NULL, job.x + first * job.item, job.out + first * job.item, extra, job.inner, job.n, m)


cdef class Cumulative(Kernel):
    """A kernel with the slots self, dim and, if the operator has it, `dtype`.

    Args:
        name: the kernel's name in errors about dtypes.
        loops: the name of a table in ``hot/cumulative``.
        start: the initial value (-1 means -inf).
        places: whether there is a second result with the index of each value; integers then keep their dtype.
        dtypes: the accepted families of dtypes, as in `Elementwise`.
        fallback: a Python function of (tensor, dim) for complex dtypes without a loop.
    """

    cdef Entry[NDTYPES] entries
    cdef int start, dtype
    cdef bint places
    cdef object fallback
    cdef str name

    def __init__(self, str name not None, str loops not None, *, int start=0, bint places=False,
                 dtypes=USUAL, fallback=None):
        cdef int d, compute, accepted = bits(name, "dtypes", dtypes, Dtypes)
        table = hot("cumulative").LOOPS[loops]
        self.run, self.handles_out = _run, True
        self.name, self.start, self.places, self.dtype = name, start, places, -1
        self.fallback = fallback
        for d in range(NDTYPES):
            compute = d
            if CATEGORY[d] <= CAT_INT:
                compute = INT64
            elif d == FLOAT16 or d == BFLOAT16:
                compute = FLOAT32
            elif d == COMPLEX64:
                compute = COMPLEX128
            self.entries[d].along = NULL
            self.entries[d].compute = compute
            reads = dtype_object(compute).name
            if family(d) & accepted and reads in table:
                along, across = table[reads]
                self.entries[d].along, self.entries[d].across = <along_t><size_t>along, <across_t><size_t>across

    def read_slots(self, dict slots not None):
        read_slot(&self.dtype, "dtype", slots, False)


cdef int _check_out_dtypes(object out, int dtype) except -1:
    """Raise if `out` does not have the dtypes of the values and, if it is a tuple, of their indices."""
    for t, wanted in zip(out if isinstance(out, tuple) else (out,), (dtype, INT64)):
        if isinstance(t, Tensor) and (<Tensor>t).dtype != wanted:
            raise RuntimeError(f"expected scalar_type {type_name(dtype_object(wanted))} but found "
                               f"{type_name(dtype_object((<Tensor>t).dtype))}")
    return 0


cdef object _run(Operator op, PyObject** slots):
    cdef Cumulative kernel = <Cumulative>op.implementation
    cdef Tensor x = <Tensor>slots[0], out, places = None
    cdef int dim = wrap_dim(<object>slots[1], x.ndim), dtype = x.dtype, d
    cdef Job job
    cdef Py_ssize_t count
    target = <object>slots[0 if op.flags & OP_INPLACE else op.out_index]
    if target is not None and not op.flags & OP_INPLACE:
        check_out_overlap(target, 1, slots)
    if kernel.dtype < 0:  # the input determines the dtype of the computation
        if target is not None:
            _check_out_dtypes(target, dtype)
    elif slots[kernel.dtype] != <PyObject*>None:
        dtype = (<DType>slots[kernel.dtype]).id
    elif target is not None:
        dtype = (<Tensor>target).dtype
    elif CATEGORY[dtype] <= CAT_INT:
        dtype = INT64
    job.e = &kernel.entries[dtype]
    if job.e.along == NULL or (kernel.dtype >= 0 and dtype == BOOL):
        if kernel.fallback is not None and family(dtype) == F_COMPLEX:
            out = kernel.fallback(x, dim)
            return out if target is None else write_out(op.name, target, out)
        raise NotImplementedError(f'"{kernel.name}" not implemented for \'{type_name(dtype_object(dtype))}\'')
    if x.dtype != dtype and x.dtype != job.e.compute:
        x = to_dtype(x, dtype)
    x = to_dtype(x, job.e.compute)
    if not x.flags & CONTIGUOUS:
        out = empty(x.dtype, x.ndim, x.sizes)
        copy_elements(out, x)
        x = out
    out = empty(x.dtype, x.ndim, x.sizes)
    job.places = NULL
    if kernel.places:
        places = empty(INT64, x.ndim, x.sizes)
        job.places = places.data
    if x.numel:
        job.n, job.inner, job.runs = 1, 1, 1
        for d in range(x.ndim):
            if d < dim:
                job.runs *= x.sizes[d]
            elif d == dim:
                job.n = x.sizes[d]
            else:
                job.inner *= x.sizes[d]
        job.x, job.out, job.item, job.start = x.data, out.data, ITEMSIZE[x.dtype], kernel.start
        job.tiles = (job.inner + COLUMNS - 1) // COLUMNS
        count = (job.runs + RUNS - 1) // RUNS if job.inner == 1 else job.runs * job.tiles
        if x.numel < GIL_FREE:
            _task(&job, 0, count)
        else:
            with nogil:
                parallel_for(count, GRAIN // (x.numel // count) + 1, _task, &job)
    out = to_dtype(out, dtype)
    if op.flags & OP_INPLACE:
        return write_inplace(op.name, target, out)
    result = (out, places) if kernel.places else out
    return result if target is None else write_out(op.name, target, result)
