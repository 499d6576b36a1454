# cython: language_level=3
"""The engine of reductions: any set of dimensions, layout and dtype, with loops from ``hot/reductions``.

Kept and reduced dimensions are each ordered by stride and merged. Results are computed in tiles: the accumulators of a
tile stay in the cache while all its elements are added, along runs or across rows, whichever reads memory in order. A
small buffer collects elements that are not contiguous in that direction or need conversion. Large work is split by
results or, if there are few, into parts whose accumulators are merged. The split depends only on sizes, so results do
not depend on the number of threads.
"""
from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc
from cpython.object cimport PyObject
from cpython.tuple cimport PyTuple_GET_ITEM, PyTuple_GET_SIZE
from libc.math cimport pow, sqrt

from flambeau_tensor._core.elementwise.casts cimport CAST
from flambeau_tensor._core.elementwise.dtype cimport CATEGORY, DType, ITEMSIZE, default_dtype, dtype_object, family
from flambeau_tensor._core.elementwise.copying cimport copy_elements, fill_elements, write_out
from flambeau_tensor._core.call.operator cimport Kernel, Operator, read_slot
from flambeau_tensor._core.elementwise.parallel cimport parallel_for
from flambeau_tensor._core.schema.registry cimport find
from flambeau_tensor._core.elementwise.scalar cimport Scalar, read_scalar
from flambeau_tensor._core.memory cimport tensor as core
from flambeau_tensor._core.memory.tensor cimport Tensor, wrap_dim
from flambeau_tensor._core.memory.types cimport *
from flambeau_tensor.grain cimport GIL_FREE, GRAIN

from flambeau_tensor._core.schema.declaring import SAME, USUAL, WIDE, Dtypes, bits
from flambeau_tensor._core.elementwise.dtype import type_name
from flambeau_tensor._core.elementwise.cpu_levels import hot

cdef enum:
    TILE = 512  # results per tile
    PACK = 1024  # elements per fill of the buffer
    PARTS = 64  # the maximum number of parts when reduced dimensions are split

cdef struct Job:
    Entry* e
    double p
    char* x
    int have
    bint along  # along runs; otherwise across rows
    bint direct  # whether the loops can read the tensor directly
    bint indexed
    int nk, nr  # kept and reduced dimensions, innermost first
    Py_ssize_t[MAX_NDIM] ksize
    Py_ssize_t[MAX_NDIM] kstride  # bytes
    Py_ssize_t[MAX_NDIM] ostride  # elements, of the results
    Py_ssize_t[MAX_NDIM] rsize
    Py_ssize_t[MAX_NDIM] rstride
    Py_ssize_t kept, count  # number of results, and of elements per result
    char* values
    char* indices
    int value_dtype
    char* parts  # for each part, the accumulators and then the auxiliaries
    Py_ssize_t part_size, part_length  # in bytes; in elements along the reduced dimensions


# --- one tile -------------------------------------------------------------------------------------------------------

cdef void _widened(Job* job, const char* x, Py_ssize_t step, Py_ssize_t n, Py_ssize_t m, char* acc, char* aux,
                   Py_ssize_t seen) noexcept nogil:
    """Reduce across dense rows of few elements: treats several rows as one long row and merges the parts."""
    cdef char[16 * 64] wide
    cdef char[8 * 64] wide_aux
    cdef Py_ssize_t fold = 64 // m, rows = n // fold, i
    job.e.across(&job.p, x, step * fold, rows, m * fold, wide, wide_aux, 0)
    for i in range(fold):
        job.e.merge(&job.p, acc, aux, seen, wide + i * m * ITEMSIZE[job.e.acc], wide_aux + i * m * 8, rows, m)
        seen += rows
    if n > rows * fold:
        job.e.across(&job.p, x + rows * fold * step, step, n - rows * fold, m, acc, aux, seen)


cdef void _add_block(Job* job, const char* x, Py_ssize_t n, Py_ssize_t m, char* acc, char* aux,
                     Py_ssize_t seen) noexcept nogil:
    """Add n elements along the innermost reduced dimension to each of m adjacent results."""
    cdef char[16 * PACK] buffer
    cdef Py_ssize_t ks = job.kstride[0], rs = job.rstride[0], item = ITEMSIZE[job.e.compute]
    cdef Py_ssize_t acc_item = ITEMSIZE[job.e.acc]
    cdef Py_ssize_t i, k, _k, size
    if job.along:
        for _k in range(m):
            if job.direct:
                job.e.along(&job.p, x, n, acc, aux, seen)
            else:
                i = 0
                while i < n:
                    size = min(<Py_ssize_t>PACK, n - i)
                    CAST[job.have][job.e.compute](x + i * rs, rs, buffer, item, size)
                    job.e.along(&job.p, buffer, size, acc, aux, seen + i)
                    i += size
            x += ks
            acc += acc_item
            aux += 8
    elif job.direct:
        if m <= 16 and rs == m * item and n >= 64 and not job.indexed:
            _widened(job, x, rs, n, m, acc, aux, seen)
        else:
            job.e.across(&job.p, x, rs, n, m, acc, aux, seen)
    else:
        i = 0
        while i < n:
            size = min(max(<Py_ssize_t>1, PACK // m), n - i)
            for k in range(size):
                CAST[job.have][job.e.compute](x + (i + k) * rs, ks, buffer + k * m * item, item, m)
            job.e.across(&job.p, buffer, m * item, size, m, acc, aux, seen + i)
            i += size


cdef void _add(Job* job, const char* x, Py_ssize_t m, char* acc, char* aux, Py_ssize_t begin,
               Py_ssize_t end) noexcept nogil:
    """Compute m adjacent results from elements [begin, end) of the reduced dimensions."""
    cdef Py_ssize_t[MAX_NDIM] counter
    cdef Py_ssize_t rest = begin, at, n, seen = 0
    cdef int d
    at = rest % job.rsize[0]
    rest //= job.rsize[0]
    for d in range(1, job.nr):
        counter[d] = rest % job.rsize[d]
        rest //= job.rsize[d]
        x += counter[d] * job.rstride[d]
    while begin < end:
        n = min(job.rsize[0] - at, end - begin)
        _add_block(job, x + at * job.rstride[0], n, m, acc, aux, seen)
        begin += n
        seen += n
        at = 0
        for d in range(1, job.nr):
            counter[d] += 1
            x += job.rstride[d]
            if counter[d] < job.rsize[d]:
                break
            x -= job.rsize[d] * job.rstride[d]
            counter[d] = 0


cdef void _write(Job* job, Py_ssize_t at, Py_ssize_t m, char* acc, char* aux) noexcept nogil:
    """Finish m results along the innermost kept dimension; `at` is the offset of the first, in elements."""
    cdef Py_ssize_t step = job.ostride[0]
    cdef int acc_dtype = job.e.acc
    if job.e.finish != NULL:
        job.e.finish(acc, aux, job.count, m, job.p)
    if job.values != NULL:
        CAST[acc_dtype][job.value_dtype](acc, ITEMSIZE[acc_dtype], job.values + at * ITEMSIZE[job.value_dtype],
                                         step * ITEMSIZE[job.value_dtype], m)
    if job.indices != NULL:
        CAST[INT64][INT64](aux, 8, job.indices + at * 8, step * 8, m)


# --- all tiles ------------------------------------------------------------------------------------------------------

cdef enum Phase:
    WHOLE  # elements to results
    PART  # elements of one part to its accumulators
    LAST  # merged accumulators of the first part to results


cdef void _tiles(Job* job, Py_ssize_t begin, Py_ssize_t end, Phase phase, Py_ssize_t part) noexcept nogil:
    cdef char[16 * TILE] acc_tile
    cdef char[8 * TILE] aux_tile
    cdef Py_ssize_t[MAX_NDIM] counter
    cdef char* acc = acc_tile
    cdef char* aux = aux_tile
    cdef char* x = job.x
    cdef Py_ssize_t rest = begin, at, m, out = 0, first = 0, last = job.count
    cdef int d
    if phase == PART:
        first = part * job.part_length
        last = min(last, first + job.part_length)
    at = rest % job.ksize[0]
    rest //= job.ksize[0]
    for d in range(1, job.nk):
        counter[d] = rest % job.ksize[d]
        rest //= job.ksize[d]
        x += counter[d] * job.kstride[d]
        out += counter[d] * job.ostride[d]
    while begin < end:
        m = min(min(<Py_ssize_t>TILE, job.ksize[0] - at), end - begin)
        if phase != WHOLE:
            acc = job.parts + part * job.part_size + begin * ITEMSIZE[job.e.acc]
            aux = job.parts + part * job.part_size + job.kept * ITEMSIZE[job.e.acc] + begin * 8
        if phase != LAST:
            _add(job, x + at * job.kstride[0], m, acc, aux, first, last)
        if phase != PART:
            _write(job, out + at * job.ostride[0], m, acc, aux)
        begin += m
        at += m
        if at < job.ksize[0]:
            continue
        at = 0
        for d in range(1, job.nk):
            counter[d] += 1
            x += job.kstride[d]
            out += job.ostride[d]
            if counter[d] < job.ksize[d]:
                break
            x -= job.ksize[d] * job.kstride[d]
            out -= job.ksize[d] * job.ostride[d]
            counter[d] = 0


cdef void _results_task(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    _tiles(<Job*>context, begin, end, WHOLE, 0)


cdef void _parts_task(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    cdef Py_ssize_t part
    for part in range(begin, end):
        _tiles(<Job*>context, 0, (<Job*>context).kept, PART, part)


cdef bint _run_large(Job* job) noexcept nogil:
    """Split the work; return False if memory for the parts does not suffice."""
    cdef Py_ssize_t total = job.kept * job.count, parts, i, acc_bytes, seen
    if job.kept >= (32 if job.along else 1024):
        parallel_for(job.kept, max(<Py_ssize_t>(1 if job.along else 256), GRAIN // job.count), _results_task, job)
        return True
    parts = min(<Py_ssize_t>PARTS, total // (2 * GRAIN))
    if parts < 2:
        _tiles(job, 0, job.kept, WHOLE, 0)
        return True
    job.part_length = (job.count + parts - 1) // parts
    parts = (job.count + job.part_length - 1) // job.part_length
    acc_bytes = job.kept * ITEMSIZE[job.e.acc]
    job.part_size = acc_bytes + job.kept * 8 + 64
    job.parts = <char*>PyMem_RawMalloc(parts * job.part_size)
    if job.parts == NULL:
        return False
    parallel_for(parts, 1, _parts_task, job)
    seen = job.part_length
    for i in range(1, parts):
        job.e.merge(&job.p, job.parts, job.parts + acc_bytes, seen, job.parts + i * job.part_size,
                    job.parts + i * job.part_size + acc_bytes, min(job.part_length, job.count - seen), job.kept)
        seen += job.part_length
    _tiles(job, 0, job.kept, LAST, 0)
    PyMem_RawFree(job.parts)
    return True


# --- geometry -------------------------------------------------------------------------------------------------------

cdef inline Py_ssize_t _rank(Py_ssize_t stride) noexcept nogil:
    # Expanded dimensions are outermost, so that the repeated part is completed first.
    return stride if stride else (<Py_ssize_t>1 << 62)


cdef void _lay_out(Job* job, Tensor x, mask_t mask) noexcept nogil:
    """Order and merge the dimensions."""
    cdef Py_ssize_t item = ITEMSIZE[x.dtype], stride, out = 1
    cdef int d, i, n
    job.nk = job.nr = 0
    for d in range(x.ndim - 1, -1, -1):
        if x.sizes[d] == 1:
            continue
        stride = x.strides[d] * item
        if mask >> d & 1:
            i = job.nr
            while i > 0 and _rank(job.rstride[i - 1]) > _rank(stride):
                job.rsize[i], job.rstride[i] = job.rsize[i - 1], job.rstride[i - 1]
                i -= 1
            job.rsize[i], job.rstride[i] = x.sizes[d], stride
            job.nr += 1
        else:
            i = job.nk
            while i > 0 and _rank(job.kstride[i - 1]) > _rank(stride):
                job.ksize[i], job.kstride[i], job.ostride[i] = job.ksize[i - 1], job.kstride[i - 1], job.ostride[i - 1]
                i -= 1
            job.ksize[i], job.kstride[i], job.ostride[i] = x.sizes[d], stride, out
            job.nk += 1
            out *= x.sizes[d]
    n = 0
    for i in range(1, job.nr):
        if job.rstride[i] == job.rstride[n] * job.rsize[n]:
            job.rsize[n] *= job.rsize[i]
        else:
            n += 1
            job.rsize[n], job.rstride[n] = job.rsize[i], job.rstride[i]
    job.nr = min(job.nr, n + 1)
    n = 0
    for i in range(1, job.nk):
        if job.kstride[i] == job.kstride[n] * job.ksize[n] and job.ostride[i] == job.ostride[n] * job.ksize[n]:
            job.ksize[n] *= job.ksize[i]
        else:
            n += 1
            job.ksize[n], job.kstride[n], job.ostride[n] = job.ksize[i], job.kstride[i], job.ostride[i]
    job.along = True
    if job.nk == 0:
        job.ksize[0], job.kstride[0], job.ostride[0] = 1, item, 1
    else:
        job.nk = n + 1
        job.along = job.nr > 0 and _rank(job.rstride[0]) < _rank(job.kstride[0])
    if job.nr == 0:
        job.rsize[0], job.rstride[0] = 1, item
    n = job.nr - 1
    if job.along and n > 0 and job.rstride[n] == 0 and job.rsize[0] < 32 < job.rsize[n]:
        # Runs of one element are faster than many runs of few elements.
        job.rsize[0], job.rsize[n] = job.rsize[n], job.rsize[0]
        job.rstride[0], job.rstride[n] = 0, job.rstride[0]


cdef mask_t dim_mask(PyObject* dims, int ndim, bint none_given) except? 0:
    """Return the reduced dimensions as bits; an absent or empty list means all dimensions, unless `none_given`."""
    cdef mask_t mask = 0
    cdef mask_t everything = ~(<mask_t>0) if ndim >= 64 else (<mask_t>1 << ndim) - 1
    cdef object o = <object>dims
    cdef Py_ssize_t i
    cdef int d
    if dims == <PyObject*>None:
        return everything
    if type(o) is int:
        d = wrap_dim(o, ndim)
        return <mask_t>1 << d if ndim else 0
    if PyTuple_GET_SIZE(o) == 0 and not none_given:
        return everything
    for i in range(PyTuple_GET_SIZE(o)):
        d = wrap_dim(<object>PyTuple_GET_ITEM(o, i), ndim)
        if mask >> d & 1:
            raise RuntimeError(f"dim {d} appears multiple times in the list of dims")
        mask |= <mask_t>1 << d
    return mask if ndim else 0


cdef int _refuse_empty(str name, PyObject* dims, Tensor x, mask_t mask) except -1:
    """Raise if there are no elements to select from, unless the result is empty, too."""
    cdef int d
    if dims == <PyObject*>None or (type(<object>dims) is tuple and PyTuple_GET_SIZE(<object>dims) == 0):
        error = IndexError if name in ("argmax", "argmin") else RuntimeError  # as in PyTorch
        raise error(f"{name}(): Expected reduction dim to be specified for input.numel() == 0. Specify the "
                    "reduction dim with the 'dim' argument.")
    for d in range(x.ndim):
        if mask >> d & 1 and x.sizes[d] == 0:
            raise IndexError(f"{name}(): Expected reduction dim {d} to have non-zero size.")
    return 0


# --- the kernel -----------------------------------------------------------------------------------------------------

cdef dict _WIDER = {BOOL: BOOL, UINT8: INT64, INT8: INT64, INT16: INT64, INT32: INT64, FLOAT16: FLOAT32,
                    BFLOAT16: FLOAT32, COMPLEX64: COMPLEX128, UINT16: INT64, UINT32: INT64, UINT64: INT64,
                    COMPLEX32: COMPLEX64}
LOOPS = hot("reductions").LOOPS | hot("extremes").LOOPS | hot("moments").LOOPS
LOOPS["sum"] = LOOPS["sum"] | {"bfloat16": hot("bfloat16_sums").SUMS + LOOPS["sum"]["float32"][2:]}
_FINISH = {
    "mean": {"float64": <size_t>&_mean, "complex128": <size_t>&_complex_mean},
    "root": {"float64": <size_t>&_root},
    "root_p": {"float64": <size_t>&_root_p},
    "var": {"float64": <size_t>&_var},
    "std": {"float64": <size_t>&_std},
    "logsumexp": {"float64": <size_t>hot("moments").FINISH["logsumexp"]},
}


cdef void _mean(double* acc, char* aux, Py_ssize_t count, Py_ssize_t m, double p) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(m):
        acc[k] /= count


cdef void _complex_mean(double complex* acc, char* aux, Py_ssize_t count, Py_ssize_t m, double p) noexcept nogil:
    _mean(<double*>acc, aux, count, 2 * m, p)


cdef void _root(double* acc, char* aux, Py_ssize_t count, Py_ssize_t m, double p) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(m):
        acc[k] = sqrt(acc[k])


cdef void _root_p(double* acc, char* aux, Py_ssize_t count, Py_ssize_t m, double p) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(m):
        acc[k] = pow(acc[k], 1 / p)


cdef void _var(double* acc, double* aux, Py_ssize_t count, Py_ssize_t m, double p) noexcept nogil:
    cdef double freedom = count - p
    cdef Py_ssize_t k
    for k in range(m):
        acc[k] = aux[k] / (freedom if freedom > 0 else 0.0)


cdef void _std(double* acc, double* aux, Py_ssize_t count, Py_ssize_t m, double p) noexcept nogil:
    _var(acc, aux, count, m, p)
    _root(acc, NULL, count, m, p)


cdef class Reduction(Kernel):
    """A kernel that reduces dimensions.

    Args:
        loops: the name of a table of loops in ``hot/reductions``.
        result: the result's dtype: ``SAME`` as the input's, ``WIDE`` (int64 for integers), or a dtype.
        finish: the function that converts accumulators to results.
        empty: the result of reducing no elements; by default, that is an error.
        dtypes: the accepted families of dtypes, as in `Elementwise`.
        compute: the dtype to which the input is converted first.
        values, indices: whether values and indices are returned.
        default_float: integers are computed in the default floating dtype.
        refusal: the error for other dtypes; `{}` stands for the dtype.
        fallback: a Python function of (tensor, dim, keepdim) for complex dtypes without a loop.
        each: whether an empty list of dimensions reduces none instead of all.
        skips_nan: whether NaN counts as zero, even if `dtype` is an integer dtype, which has no NaN.

    It reads the operator's arguments `dim`, `keepdim`, `dtype` and `correction`, if they exist.
    """

    def __init__(self, str name not None, str loops not None, *, result=SAME, str finish=None, empty=None,
                 dtypes=USUAL, DType compute=None, bint values=True, bint indices=False, bint default_float=False,
                 str refusal=None, fallback=None, bint each=False, bint skips_nan=False):
        from flambeau_tensor._core.elementwise.dtype import _dtype_by_name

        cdef int d, accepted = bits(name, "dtypes", dtypes, Dtypes)
        cdef Entry* e
        cdef dict table = LOOPS[loops]
        if result is not SAME and result is not WIDE and not isinstance(result, DType):
            raise TypeError(f"{name}: the result's dtype is SAME, WIDE or a dtype, not {result!r}")
        self.run = _run_reduction
        self.name, self.empty, self.default_float, self.refusal = name, empty, default_float, refusal
        self.fallback = fallback
        self.values, self.indices, self.each, self.skips_nan = values, indices, each, skips_nan
        self.dim = self.keepdim = self.dtype = self.p = -1
        self.finishes = finish is not None
        for d in range(NDTYPES):
            e = &self.entries[d]
            e.along = NULL
            reads = (compute or dtype_object(d)).name
            if reads not in table:
                reads = dtype_object(_WIDER.get(d, d)).name
            if not family(d) & accepted or reads not in table:
                continue
            along, across, merge, acc = table[reads]
            e.along, e.across, e.merge = <along_t><size_t>along, <across_t><size_t>across, <merge_t><size_t>merge
            e.finish = <finish_t><size_t>_FINISH[finish][acc] if finish else NULL
            e.compute = (<DType>_dtype_by_name(reads)).id
            e.acc = (<DType>_dtype_by_name(acc)).id
            if result is SAME:
                e.result = d
            elif result is WIDE:
                e.result = INT64 if CATEGORY[d] <= CAT_INT else d
            else:
                e.result = (<DType>result).id
                if e.result == BOOL and d == UINT8:
                    e.result = UINT8

    def read_slots(self, dict slots not None):
        read_slot(&self.dim, "dim", slots, False)
        read_slot(&self.keepdim, "keepdim", slots, False)
        read_slot(&self.dtype, "dtype", slots, False)
        read_slot(&self.p, "correction", slots, False)
        # If `out` determines the dtype of the computation, or must have one of two dtypes.
        self.handles_out = (self.dtype >= 0 and not self.finishes) or self.entries[FLOAT32].result == BOOL


cdef Tensor copy_to(Tensor out, Tensor x):
    copy_elements(out, x)
    return out


cdef object _without_loop(Reduction r, str name, Tensor x, PyObject* dims, bint keepdim, int dtype, double p):
    """Compute in the default dtype or by the fallback, or raise an error."""
    if r.default_float and dtype < 0 and CATEGORY[x.dtype] <= CAT_INT:
        return reduce(r, name, x, dims, keepdim, default_dtype(), p)
    cdef int of = family(x.dtype if dtype < 0 else dtype)
    if r.fallback is not None and of == F_COMPLEX:
        return r.fallback(x, <object>dims, keepdim)
    kind = type_name(dtype_object(x.dtype if dtype < 0 else dtype))
    if r.refusal is not None and not of & (F_UNSIGNED | F_HALF_COMPLEX):
        raise RuntimeError(r.refusal.format(kind))
    raise NotImplementedError(f'"{r.name}" not implemented for \'{kind}\'')


cdef object reduce(Reduction r, str name, Tensor x, PyObject* dims, bint keepdim, int dtype, double p):
    """`dtype`: the dtype of the reduced elements and of the result, or -1."""
    cdef Job job
    cdef Entry* e = &r.entries[x.dtype if dtype < 0 else dtype]
    cdef Py_ssize_t[MAX_NDIM] sizes
    cdef Tensor values = None, indices = None
    cdef mask_t mask
    cdef int d, ndim = 0
    cdef bint ok = True
    if e.along == NULL:
        return _without_loop(r, name, x, dims, keepdim, dtype, p)
    if r.indices and dims == <PyObject*>None and not x.flags & CONTIGUOUS:
        x = copy_to(core.empty(x.dtype, x.ndim, x.sizes), x)  # indices refer to the flattened tensor
    if dims == <PyObject*>None and x.flags & CONTIGUOUS and not keepdim:
        mask = ~<mask_t>0
        job.nk, job.nr, job.along = 0, 1, True
        job.ksize[0], job.kstride[0], job.ostride[0] = 1, 0, 1
        job.rsize[0], job.rstride[0] = x.numel, ITEMSIZE[x.dtype]
        job.kept = 1
    else:
        mask = dim_mask(dims, x.ndim, r.each)
        job.kept = 1
        for d in range(x.ndim):
            if not mask >> d & 1:
                sizes[ndim] = x.sizes[d]
                job.kept *= x.sizes[d]
                ndim += 1
            elif keepdim:
                sizes[ndim] = 1
                ndim += 1
        _lay_out(&job, x, mask)
    if x.numel == 0 and r.empty is None:
        _refuse_empty(name, dims, x, mask)
    if r.values:
        values = core.empty(e.result if dtype < 0 else dtype, ndim, sizes)
        job.values, job.value_dtype = values.data, values.dtype
    else:
        job.values = NULL
    job.indices = NULL
    if r.indices:
        indices = core.empty(INT64, ndim, sizes)
        job.indices = indices.data
    if r.p >= 0 and job.kept and x.numel // job.kept <= p:
        import warnings

        warnings.warn(f"{name}(): degrees of freedom is <= 0. Correction should be strictly less than the reduction "
                      "factor (input numel divided by output numel).", UserWarning, stacklevel=2)
    if x.numel == 0:
        if job.kept:
            fill_elements(values, r.empty)
    else:
        job.e, job.p, job.x, job.have, job.indexed, job.count = e, p, x.data, x.dtype, r.indices, x.numel // job.kept
        job.direct = job.have == e.compute and \
            (job.rstride[0] if job.along else job.kstride[0]) == ITEMSIZE[e.compute]
        if x.numel < GIL_FREE:
            _tiles(&job, 0, job.kept, WHOLE, 0)
        else:
            with nogil:
                ok = _run_large(&job)
            if not ok:
                raise MemoryError()
    if not r.indices:
        return values
    return (values, indices) if r.values else indices


cdef object _run_reduction(Operator op, PyObject** slots):
    cdef Reduction r = <Reduction>op.implementation
    cdef Tensor x = <Tensor>slots[0]
    cdef Scalar s
    cdef double p = 0
    cdef int dtype = -1
    out = <object>slots[op.out_index] if r.handles_out else None
    if r.dtype >= 0 and slots[r.dtype] != <PyObject*>None:
        dtype = (<DType>slots[r.dtype]).id
    elif out is not None and r.dtype >= 0:
        dtype = (<Tensor>out).dtype
    elif out is not None and (<Tensor>out).dtype != BOOL and (<Tensor>out).dtype != UINT8:
        raise RuntimeError(f"{op.name} only supports bool tensor for result, got: "
                           f"{type_name(dtype_object((<Tensor>out).dtype))}")
    if r.p >= 0:
        if slots[r.p] == <PyObject*>None:
            p = 1
        else:
            read_scalar(slots[r.p], &s)
            p = s.re
    if r.skips_nan and dtype >= 0 and CATEGORY[dtype] <= CAT_INT and CAT_INT < CATEGORY[x.dtype]:
        x = find("torch.masked_fill")(x, find("torch.isnan")(x), 0)
    if dtype >= 0 and CATEGORY[dtype] <= CAT_INT and CAT_INT < CATEGORY[x.dtype]:
        x = copy_to(core.empty(dtype, x.ndim, x.sizes), x)  # each element saturates, not the int64 accumulator
    result = reduce(r, op.name, x, slots[r.dim] if r.dim >= 0 else <PyObject*>None,
                    r.keepdim >= 0 and <object>slots[r.keepdim] is True, dtype, p)
    return result if out is None else write_out(op.name, out, result)
