# cython: language_level=3
"""Runs an inner loop over a strided space: merges dimensions, converts dtypes in blocks, splits large work.

Inner loops have NumPy's signature. The GIL is released only for large work, because for small work releasing it costs
more than the arithmetic.
"""
from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy

from flambeau_tensor._core.elementwise.casts cimport CAST
from flambeau_tensor._core.elementwise.dtype cimport ITEMSIZE
from flambeau_tensor._core.elementwise.parallel cimport parallel_for
from flambeau_tensor._core.memory.types cimport *
from flambeau_tensor.grain cimport GIL_FREE, GRAIN

cdef enum:
    BLOCK = 1024  # elements converted at a time
    SMALL = 256  # up to this number of elements, operands are gathered instead of processed row by row
    SHORT = 16  # rows of up to this length are processed by columns, since a call per row would cost more
    TILE = 1024  # elements per block when processing by columns

cdef void _run_constant(Space* s, char** ptrs, Py_ssize_t n) noexcept nogil:
    """Compute one element of a row, and copy it to the others: expanded gradients have such rows."""
    cdef Py_ssize_t one = 1, done = 1, item = s.inner_strides[s.nop - 1]
    cdef char* out = ptrs[s.nop - 1]
    s.loop(ptrs, &one, s.inner_strides, s.data)
    while done < n:
        memcpy(out + done * item, out, min(done, n - done) * item)
        done *= 2


cdef void _run_inner(Space* s, char** ptrs, Py_ssize_t n) noexcept nogil:
    """Run the loop once along the innermost dimension; the last operand is the result."""
    cdef char* args[MAX_OPERANDS]
    cdef Py_ssize_t[MAX_OPERANDS] steps
    cdef char[16 * BLOCK * MAX_OPERANDS + 64] buffers
    cdef char* aligned = buffers + (-<size_t>buffers & 63)  # vectors that cross cache lines take a third more time
    cdef Py_ssize_t done = 0, m
    cdef int k, last = s.nop - 1
    cdef char* buffer
    if not s.converting:
        s.loop(ptrs, &n, s.inner_strides, s.data)
        return
    while done < n:
        m = min(<Py_ssize_t>BLOCK, n - done)
        for k in range(s.nop):
            args[k] = ptrs[k] + done * s.inner_strides[k]
            steps[k] = s.inner_strides[k]
            if s.have[k] != s.want[k]:
                buffer = aligned + 16 * BLOCK * k
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
    """Run the loop on elements [begin, end) of the space, in the order of its dimensions."""
    cdef Space* s = <Space*>context
    cdef Py_ssize_t[MAX_NDIM] counter
    cdef char* rows[MAX_OPERANDS]
    cdef char* ptrs[MAX_OPERANDS]
    cdef Py_ssize_t[MAX_OPERANDS] across
    cdef Py_ssize_t row = 0, at = 0, n, i
    cdef int d, k
    cdef bint plain = not s.converting, short = plain and s.ndim and s.inner <= SHORT
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
    if short:
        for k in range(s.nop):
            across[k] = s.strides[k][s.ndim - 1]
    while begin < end:
        row = 1
        if short and at == 0:
            row = min(min(s.sizes[s.ndim - 1] - counter[s.ndim - 1], (end - begin) // s.inner), TILE // s.inner)
        if row > s.inner:
            for i in range(s.inner):
                for k in range(s.nop):
                    ptrs[k] = rows[k] + i * s.inner_strides[k]
                s.loop(ptrs, &row, across, s.data)
            begin += row * s.inner
        else:
            row = 1
            n = min(s.inner - at, end - begin)
            for k in range(s.nop):
                ptrs[k] = rows[k] + at * s.inner_strides[k]
            if s.constant:
                _run_constant(s, ptrs, n)
            elif plain:
                s.loop(ptrs, &n, s.inner_strides, s.data)
            else:
                _run_inner(s, ptrs, n)
            begin += n
        at = 0
        for d in range(s.ndim - 1, -1, -1):
            counter[d] += row
            for k in range(s.nop):
                rows[k] += row * s.strides[k][d]
            row = 1
            if counter[d] < s.sizes[d]:
                break
            for k in range(s.nop):
                rows[k] -= s.sizes[d] * s.strides[k][d]
            counter[d] = 0


cdef Py_ssize_t prepare(Space* s, int nop, int ndim, const Py_ssize_t* sizes, Py_ssize_t** strides) noexcept nogil:
    """Order dimensions by the result's strides, merge dimensions if possible, and return the number of elements."""
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


ctypedef double complex pair_t  # 16 bytes

ctypedef fused unit:
    uint8_t
    uint16_t
    uint32_t
    uint64_t
    pair_t


cdef void _gather(const Space* s, int k, unit* out) noexcept nogil:
    """Copy the elements of an operand in order."""
    cdef Py_ssize_t[MAX_NDIM] counter
    cdef Py_ssize_t i, step = s.inner_strides[k]
    cdef const char* row = s.ptrs[k]
    cdef int d
    for d in range(s.ndim):
        counter[d] = 0
    while True:
        for i in range(s.inner):
            out[i] = (<const unit*>(row + i * step))[0]
        out += s.inner
        d = s.ndim - 1
        while d >= 0:
            counter[d] += 1
            row += s.strides[k][d]
            if counter[d] < s.sizes[d]:
                break
            row -= s.sizes[d] * s.strides[k][d]
            counter[d] = 0
            d -= 1
        if d < 0:
            return


cdef bint _run_small(Space* s, Py_ssize_t total) noexcept nogil:
    """Run a small space in one call of the loop: gathering the elements costs less than a call per row.

    Returns False if the result is not contiguous in this order.
    """
    cdef char[(MAX_OPERANDS - 1) * 16 * SMALL] buffers
    cdef char* args[MAX_OPERANDS]
    cdef Py_ssize_t[MAX_OPERANDS] steps
    cdef Py_ssize_t item = ITEMSIZE[s.want[s.nop - 1]], row = item * s.inner
    cdef int d, k
    cdef bint in_order
    if s.inner_strides[s.nop - 1] != item:
        return False
    for d in range(s.ndim - 1, -1, -1):
        if s.strides[s.nop - 1][d] != row:
            return False
        row *= s.sizes[d]
    for k in range(s.nop):
        args[k], steps[k] = s.ptrs[k], ITEMSIZE[s.want[k]]
        in_order, row = s.inner_strides[k] == steps[k], steps[k] * s.inner
        for d in range(s.ndim - 1, -1, -1):
            in_order, row = in_order and s.strides[k][d] == row, row * s.sizes[d]
        if in_order:
            continue
        args[k] = buffers + 16 * SMALL * k
        if steps[k] == 4:
            _gather(s, k, <uint32_t*>args[k])
        elif steps[k] == 8:
            _gather(s, k, <uint64_t*>args[k])
        elif steps[k] == 1:
            _gather(s, k, <uint8_t*>args[k])
        elif steps[k] == 2:
            _gather(s, k, <uint16_t*>args[k])
        else:
            _gather(s, k, <pair_t*>args[k])
    s.loop(args, &total, steps, s.data)
    return True


cdef int run_loop(loop_t loop, void* data, int nop, char** ptrs, int* have, int* want, int ndim,
                  const Py_ssize_t* sizes, Py_ssize_t** strides, bint pure=False) except -1:
    """Run a loop over `ndim` dimensions; strides in bytes, result last. `have`/`want`: stored dtypes, loop dtypes.

    `pure`: results depend on the operands alone, so that those of equal operands are computed once.
    """
    cdef Space s
    cdef Py_ssize_t total
    cdef int k
    total = prepare(&s, nop, ndim, sizes, strides)
    if total == 0:
        return 0
    s.loop, s.data = loop, data
    s.converting = False
    for k in range(nop):
        s.ptrs[k] = ptrs[k]
        s.have[k], s.want[k] = have[k], want[k]
        if have[k] != want[k]:
            s.converting = True
    s.constant = pure and not s.converting and s.inner > SHORT and s.inner_strides[nop - 1] == ITEMSIZE[have[nop - 1]]
    for k in range(nop - 1):
        s.constant = s.constant and s.inner_strides[k] == 0
    if total <= SMALL and s.ndim and not s.converting and _run_small(&s, total):
        return 0
    if total < GIL_FREE:
        _run_range(&s, 0, total)
    else:
        with nogil:
            parallel_for(total, GRAIN, _run_range, &s)
    return 0
