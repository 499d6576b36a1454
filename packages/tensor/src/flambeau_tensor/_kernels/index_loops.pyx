# cython: language_level=3
"""Reading, writing and combining indexed elements, shared by all indexing operations."""
from libc.stdint cimport int64_t

from flambeau_tensor._core.elementwise.dtype cimport ITEMSIZE, dtype_object
from flambeau_tensor._core.elementwise.copying cimport contiguous
from flambeau_tensor._core.elementwise.parallel cimport parallel_for
from flambeau_tensor._core.memory.tensor cimport Tensor
from flambeau_tensor._core.memory.types cimport *
from flambeau_tensor.grain cimport GIL_FREE, HEAVY_GRAIN

from flambeau_tensor._core.elementwise.cpu_levels import hot

ctypedef void (*loop_t)(char* plain, Py_ssize_t step, char* indexed, Py_ssize_t stride, const Py_ssize_t* offsets,
                        Py_ssize_t n, void* unused) noexcept nogil
ctypedef void (*blocks_t)(char* plain, Py_ssize_t step, char* indexed, Py_ssize_t size, const Py_ssize_t* offsets,
                          Py_ssize_t n) noexcept nogil

ctypedef bint (*within_t)(const int64_t* at, Py_ssize_t n, int64_t low, int64_t most) noexcept nogil
ctypedef bint (*wrapped_t)(const int64_t* at, Py_ssize_t n, int64_t size, int64_t step, int64_t* offsets) noexcept nogil
ctypedef void (*shifted_t)(const int64_t* at, Py_ssize_t n, int64_t step, const int64_t* shifts, int64_t* offsets) \
    noexcept nogil

cdef enum:
    CHUNK = 512  # offsets that are computed together

cdef loop_t[6][NDTYPES] _loops  # by mode
cdef blocks_t[2] _blocks  # GET, PUT
cdef within_t _all_within
cdef wrapped_t _wrapped
cdef shifted_t _shifted


def _find_loops():
    global _all_within, _wrapped, _shifted
    cdef int d, mode
    loops = hot("indexing").LOOPS
    for mode, name in enumerate(("get", "put", "add", "multiply", "least", "greatest")):
        for d in range(NDTYPES):
            _loops[mode][d] = <loop_t><size_t>loops[name].get(ITEMSIZE[d] if mode <= PUT else dtype_object(d).name, 0)
    _blocks[GET] = <blocks_t><size_t>loops["blocks"]["get"]
    _blocks[PUT] = <blocks_t><size_t>loops["blocks"]["put"]
    _all_within = <within_t><size_t>loops["offsets"]["all_within"]
    _wrapped = <wrapped_t><size_t>loops["offsets"]["wrapped"]
    _shifted = <shifted_t><size_t>loops["offsets"]["shifted"]


_find_loops()


cdef bint supports(int mode, int dtype) noexcept:
    return _loops[mode][dtype] != NULL


# --- rows -----------------------------------------------------------------------------------------------------------

cdef int _merge(int n, Py_ssize_t* sizes, Py_ssize_t* a, Py_ssize_t* b) noexcept nogil:
    """Drop dimensions of size 1 and merge dimensions that form one line on both sides; return how many remain."""
    cdef int d, m = 0
    for d in range(n):
        if sizes[d] == 1:
            continue
        if m and a[m - 1] == a[d] * sizes[d] and b[m - 1] == b[d] * sizes[d]:
            sizes[m - 1] *= sizes[d]
            a[m - 1], b[m - 1] = a[d], b[d]
        else:
            sizes[m], a[m], b[m] = sizes[d], a[d], b[d]
            m += 1
    return m


cdef struct RowsTask:
    Rows* r
    loop_t loop
    blocks_t blocks  # NULL if the inner elements do not form a block
    Py_ssize_t block


cdef void _rows_task(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    """Process indices [begin, end) of the outer dimensions times n."""
    cdef RowsTask* t = <RowsTask*>context
    cdef Rows* r = t.r
    cdef Py_ssize_t outer, first, m, rest, i
    cdef char* plain
    cdef char* indexed
    cdef int d
    while begin < end:
        rest, first = begin // r.n, begin % r.n
        m = min(r.n - first, end - begin)
        plain, indexed = r.plain + first * r.step, r.indexed
        for d in range(r.nouter - 1, -1, -1):
            outer = rest % r.outer_sizes[d]
            rest = rest // r.outer_sizes[d]
            plain += outer * r.outer_plain[d]
            indexed += outer * r.outer_indexed[d]
        if r.ninner == 0:
            t.loop(plain, r.step, indexed, 1, r.offsets + first, m, NULL)
        elif t.blocks != NULL:
            t.blocks(plain, r.step, indexed, t.block, r.offsets + first, m)
        else:
            for i in range(m):
                _inner(r, t.loop, plain + i * r.step, indexed + r.offsets[first + i])
        begin += m


cdef void _inner(Rows* r, loop_t loop, char* plain, char* indexed) noexcept nogil:
    cdef Py_ssize_t[MAX_NDIM] counter
    cdef int d, last = r.ninner - 1
    for d in range(last):
        counter[d] = 0
    while True:
        loop(plain, r.inner_plain[last], indexed, r.inner_indexed[last], NULL, r.inner_sizes[last], NULL)
        d = last - 1
        while d >= 0:
            counter[d] += 1
            plain += r.inner_plain[d]
            indexed += r.inner_indexed[d]
            if counter[d] < r.inner_sizes[d]:
                break
            plain -= counter[d] * r.inner_plain[d]
            indexed -= counter[d] * r.inner_indexed[d]
            counter[d] = 0
            d -= 1
        if d < 0:
            return


cdef int run_rows(Rows* r, int mode, int dtype) except -1:
    cdef RowsTask t
    cdef Py_ssize_t places = r.n, each = 1, item = ITEMSIZE[dtype]
    cdef int d
    r.nouter = _merge(r.nouter, r.outer_sizes, r.outer_plain, r.outer_indexed)
    r.ninner = _merge(r.ninner, r.inner_sizes, r.inner_plain, r.inner_indexed)
    for d in range(r.nouter):
        places *= r.outer_sizes[d]
    for d in range(r.ninner):
        each *= r.inner_sizes[d]
    if places == 0 or each == 0:
        return 0
    t.r = r
    t.loop = _loops[mode][dtype]
    t.blocks = NULL
    if mode <= PUT and r.ninner == 1 and r.inner_plain[0] == item and r.inner_indexed[0] == item:
        t.blocks = _blocks[mode]
        t.block = each * item
    if places * each < GIL_FREE:
        _rows_task(&t, 0, places)
    elif mode == GET:
        with nogil:
            parallel_for(places, max(HEAVY_GRAIN // each, 1), _rows_task, &t)
    else:
        with nogil:
            _rows_task(&t, 0, places)
    return 0


# --- along a dimension ----------------------------------------------------------------------------------------------

cdef struct AlongTask:
    Along* g
    loop_t loop
    Py_ssize_t together  # the number of rows processed together, if they are short and contiguous


cdef void _along_task(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    """Process rows [begin, end) of the index's last dimension."""
    cdef AlongTask* t = <AlongTask*>context
    cdef Along* g = t.g
    cdef int64_t[CHUNK] shifts
    cdef int64_t[CHUNK] offsets
    cdef Py_ssize_t row = begin, rest, at, m, j, done, length = 1, step = 0, stride = 0
    cdef const int64_t* index
    cdef char* plain
    cdef char* indexed
    cdef int d, last = g.ndim - 1
    if last >= 0:
        length = g.sizes[last]
        step = g.plain_strides[last]
        if g.dim != last:
            stride = g.indexed_strides[last]
            for j in range(min(<Py_ssize_t>CHUNK, length)):
                shifts[j] = j * stride
    if t.together > 1:
        for j in range(t.together * length):
            shifts[j] = j // length * g.indexed_strides[last - 1]
    while row < end:
        rest = row
        plain, indexed = g.plain, g.indexed
        for d in range(last - 1, -1, -1):
            at = rest % g.sizes[d]
            rest = rest // g.sizes[d]
            plain += at * g.plain_strides[d]
            if d != g.dim:
                indexed += at * g.indexed_strides[d]
        index = <const int64_t*>g.index + row * length
        if t.together > 1:
            m = min(t.together, end - row)
            _shifted(index, m * length, g.dim_stride, shifts, offsets)
            t.loop(plain, step, indexed, 1, <const Py_ssize_t*>offsets, m * length, NULL)
            row += m
            continue
        row += 1
        if last < 0 or g.dim == last:
            t.loop(plain, step, indexed, g.dim_stride, <const Py_ssize_t*>index, length, NULL)
            continue
        done = 0
        while done < length:
            m = min(<Py_ssize_t>CHUNK, length - done)
            _shifted(index + done, m, g.dim_stride, shifts, offsets)
            t.loop(plain + done * step, step, indexed + done * stride, 1, <const Py_ssize_t*>offsets, m, NULL)
            done += m


cdef Py_ssize_t _together(const Along* g) noexcept nogil:
    """Return the number of rows to process together."""
    cdef int d, last = g.ndim - 1
    if last < 1 or g.dim != last or g.sizes[last] > CHUNK // 8 or \
            g.plain_strides[last - 1] != g.sizes[last] * g.plain_strides[last]:
        return 1
    for d in range(last - 1):
        if g.plain_strides[d] != g.sizes[d + 1] * g.plain_strides[d + 1] or \
                g.indexed_strides[d] != g.sizes[d + 1] * g.indexed_strides[d + 1]:
            return 1
    return CHUNK // g.sizes[last]


cdef int run_along(Along* g, int mode, int dtype) except -1:
    cdef AlongTask t
    cdef Py_ssize_t rows = 1, length = 1
    cdef int d
    for d in range(g.ndim - 1):
        rows *= g.sizes[d]
    if g.ndim:
        length = g.sizes[g.ndim - 1]
    if rows == 0 or length == 0:
        return 0
    t.g = g
    t.loop = _loops[mode][dtype]
    t.together = _together(g)
    if rows * length < GIL_FREE:
        _along_task(&t, 0, rows)
    elif mode == GET:
        with nogil:
            parallel_for(rows, max(HEAVY_GRAIN // length, 1), _along_task, &t)
    else:
        with nogil:
            _along_task(&t, 0, rows)
    return 0


# --- indices --------------------------------------------------------------------------------------------------------

cdef Tensor long_index(Tensor index):
    return contiguous(index, INT64)


cdef bint within(Tensor index, Py_ssize_t low, Py_ssize_t high, long long* outside) noexcept nogil:
    cdef const int64_t* at = <const int64_t*>index.data
    cdef Py_ssize_t i
    if _all_within(at, index.numel, low, high - 1):
        return True
    for i in range(index.numel):  # the first one, for the error message
        if at[i] < low or at[i] >= high:
            outside[0] = at[i]
            break
    return False


cdef bint add_offsets(Tensor index, int ndim, const Py_ssize_t* shape, Py_ssize_t size, Py_ssize_t step, bint fresh,
                      Py_ssize_t* offsets, long long* outside) noexcept nogil:
    cdef Py_ssize_t[MAX_NDIM] counter
    cdef Py_ssize_t[MAX_NDIM] strides
    cdef Py_ssize_t n = 1, length, stride, j, v, done = 0
    cdef const int64_t* at = <const int64_t*>index.data
    cdef int d, lead = ndim - index.ndim
    cdef bint line = index.flags & CONTIGUOUS != 0
    for d in range(ndim):
        n *= shape[d]
        counter[d] = 0
        strides[d] = 0 if d < lead or index.sizes[d - lead] == 1 else index.strides[d - lead]
    if n == 0:
        return True
    if line and index.numel == n:
        if fresh and _wrapped(at, n, size, step, <int64_t*>offsets):
            return True
        length, stride = n, 1
        ndim = 0
    else:
        length, stride = shape[ndim - 1], strides[ndim - 1]
        ndim -= 1
    while True:
        for j in range(length):
            v = at[j * stride]
            if v < 0:
                v += size
            if v < 0 or v >= size:
                outside[0] = at[j * stride]
                return False
            offsets[done + j] = v * step if fresh else offsets[done + j] + v * step
        done += length
        if done == n:
            return True
        d = ndim - 1
        while d >= 0:
            counter[d] += 1
            at += strides[d]
            if counter[d] < shape[d]:
                break
            at -= counter[d] * strides[d]
            counter[d] = 0
            d -= 1
