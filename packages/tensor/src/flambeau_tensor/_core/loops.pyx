# cython: language_level=3
"""Running an inner loop over a strided space: dimensions merged, dtypes converted block by block, large work split.

Inner loops have NumPy's signature. The GIL is released for large work only; for small work that would cost more than
the arithmetic.
"""
from flambeau_tensor._core.casts cimport CAST
from flambeau_tensor._core.dtype cimport ITEMSIZE
from flambeau_tensor._core.parallel cimport parallel_for
from flambeau_tensor._core.types cimport *

cdef enum:
    BLOCK = 1024  # elements converted at a time
    GRAIN = 32768  # elements a thread should have at least
    STREAM_BYTES = 24 << 20  # size of a result from which it is written around the caches

cdef extern from "stream.h" nogil:
    bint STREAMS "FL_STREAMS"
    void stream "fl_stream"(char* to, const char* source, Py_ssize_t n)
    void stream_end "fl_stream_end"()


cdef struct Space:
    loop_t loop
    void* data
    int nop
    int ndim  # outer dimensions
    Py_ssize_t inner
    Py_ssize_t[MAX_NDIM] sizes
    Py_ssize_t[MAX_OPERANDS][MAX_NDIM] strides  # bytes, of the outer dimensions
    Py_ssize_t[MAX_OPERANDS] inner_strides
    char* ptrs[MAX_OPERANDS]
    bint converting
    bint streaming  # the result is larger than the caches and apart from the operands
    int[MAX_OPERANDS] have
    int[MAX_OPERANDS] want


cdef void _run_inner(Space* s, char** ptrs, Py_ssize_t n) noexcept nogil:
    """One run along the innermost dimension; the last operand is the result."""
    cdef char* args[MAX_OPERANDS]
    cdef Py_ssize_t[MAX_OPERANDS] steps
    cdef char[16 * BLOCK * MAX_OPERANDS] buffers
    cdef Py_ssize_t done = 0, m
    cdef int k, last = s.nop - 1
    cdef char* buffer
    if s.streaming:
        for k in range(s.nop):
            args[k] = ptrs[k]
        while done < n:
            m = min(<Py_ssize_t>BLOCK, n - done)
            args[last] = buffers
            s.loop(args, &m, s.inner_strides, s.data)
            stream(ptrs[last] + done * s.inner_strides[last], buffers, m * s.inner_strides[last])
            done += m
            for k in range(last):
                args[k] += m * s.inner_strides[k]
        stream_end()
        return
    if not s.converting:
        s.loop(ptrs, &n, s.inner_strides, s.data)
        return
    while done < n:
        m = min(<Py_ssize_t>BLOCK, n - done)
        for k in range(s.nop):
            args[k] = ptrs[k] + done * s.inner_strides[k]
            steps[k] = s.inner_strides[k]
            if s.have[k] != s.want[k]:
                buffer = buffers + 16 * BLOCK * k
                if k != last:
                    if steps[k] == 0:
                        CAST[s.have[k]][s.want[k]](args[k], 0, buffer, 0, 1)
                    else:
                        CAST[s.have[k]][s.want[k]](args[k], steps[k], buffer, ITEMSIZE[s.want[k]], m)
                        steps[k] = ITEMSIZE[s.want[k]]
                else:
                    steps[k] = ITEMSIZE[s.want[k]]
                args[k] = buffer
        s.loop(args, &m, steps, s.data)
        if s.have[last] != s.want[last]:
            CAST[s.want[last]][s.have[last]](args[last], steps[last], ptrs[last] + done * s.inner_strides[last],
                                             s.inner_strides[last], m)
        done += m


cdef void _run_range(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    """Elements [begin, end) of the space in order of its dimensions."""
    cdef Space* s = <Space*>context
    cdef Py_ssize_t[MAX_NDIM] counter
    cdef char* rows[MAX_OPERANDS]
    cdef char* ptrs[MAX_OPERANDS]
    cdef Py_ssize_t row = 0, at = 0, n
    cdef int d, k
    cdef bint plain = not s.converting and not s.streaming
    for k in range(s.nop):
        rows[k] = s.ptrs[k]
    if begin:
        row, at = begin // s.inner, begin % s.inner
    for d in range(s.ndim - 1, -1, -1):
        counter[d] = 0
        if row:
            counter[d] = row % s.sizes[d]
            row //= s.sizes[d]
            for k in range(s.nop):
                rows[k] += counter[d] * s.strides[k][d]
    while begin < end:
        n = min(s.inner - at, end - begin)
        for k in range(s.nop):
            ptrs[k] = rows[k] + at * s.inner_strides[k]
        if plain:
            s.loop(ptrs, &n, s.inner_strides, s.data)
        else:
            _run_inner(s, ptrs, n)
        begin += n
        at = 0
        for d in range(s.ndim - 1, -1, -1):
            counter[d] += 1
            for k in range(s.nop):
                rows[k] += s.strides[k][d]
            if counter[d] < s.sizes[d]:
                break
            for k in range(s.nop):
                rows[k] -= s.sizes[d] * s.strides[k][d]
            counter[d] = 0


cdef Py_ssize_t _prepare(Space* s, int nop, int ndim, const Py_ssize_t* sizes, Py_ssize_t** strides) noexcept nogil:
    """Order dimensions by the result's strides, merge what can be merged, and return the number of elements."""
    cdef int[MAX_NDIM] order
    cdef int n = 0, i, j, k, d, e
    cdef Py_ssize_t total = 1
    cdef bint merges
    cdef Py_ssize_t* lead = strides[nop - 1]
    for i in range(ndim):
        total *= sizes[i]
        if sizes[i] == 1:
            continue
        j = n  # outermost first: larger strides of the result before smaller ones, broadcast dimensions outside
        while j > 0 and lead[i] != 0 and lead[order[j - 1]] < lead[i] and lead[order[j - 1]] != 0:
            order[j] = order[j - 1]
            j -= 1
        order[j] = i
        n += 1
    s.ndim = 0
    s.nop = nop
    for i in range(n):
        d = order[i]
        merges = s.ndim > 0
        if merges:
            e = s.ndim - 1
            for k in range(nop):
                if s.strides[k][e] != strides[k][d] * sizes[d]:
                    merges = False
                    break
        if merges:
            s.sizes[e] *= sizes[d]
            for k in range(nop):
                s.strides[k][e] = strides[k][d]
        else:
            s.sizes[s.ndim] = sizes[d]
            for k in range(nop):
                s.strides[k][s.ndim] = strides[k][d]
            s.ndim += 1
    if s.ndim == 0:
        s.inner = 1
        for k in range(nop):
            s.inner_strides[k] = 0
    else:
        s.ndim -= 1
        s.inner = s.sizes[s.ndim]
        for k in range(nop):
            s.inner_strides[k] = s.strides[k][s.ndim]
    return total


cdef int run_loop(loop_t loop, void* data, int nop, char** ptrs, int* have, int* want, int ndim,
                  const Py_ssize_t* sizes, Py_ssize_t** strides) except -1:
    """Run over `ndim` dimensions; strides in bytes, the result last. `have`/`want`: stored and loop dtypes."""
    cdef Space s
    cdef Py_ssize_t total
    cdef int k
    total = _prepare(&s, nop, ndim, sizes, strides)
    if total == 0:
        return 0
    s.loop, s.data = loop, data
    s.converting = False
    for k in range(nop):
        s.ptrs[k] = ptrs[k]
        s.have[k], s.want[k] = have[k], want[k]
        if have[k] != want[k]:
            s.converting = True
    s.streaming = STREAMS and not s.converting and total * ITEMSIZE[want[nop - 1]] >= STREAM_BYTES and \
        s.inner >= BLOCK and s.inner_strides[nop - 1] == ITEMSIZE[want[nop - 1]]
    for k in range(nop - 1):
        if ptrs[k] == ptrs[nop - 1]:
            s.streaming = False
    if total < GIL_FREE:
        _run_range(&s, 0, total)
    else:
        with nogil:
            parallel_for(total, GRAIN, _run_range, &s)
    return 0
