# cython: language_level=3
"""Sorting and selecting along one dimension, by unsigned keys.

Each element is mapped to an integer key with the same order (NaN last, -0.0 equal to 0.0; complemented for descending
order), stored with its index. Sorting is a radix sort from the lowest digit, so it is stable and takes linear time for
any dtype; the k-th element is found from the highest digit.
"""
from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc
from cpython.object cimport PyObject
from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memset

from flambeau_tensor._core.elementwise.dtype cimport CATEGORY, ITEMSIZE, dtype_object
from flambeau_tensor._core.elementwise.copying cimport copy_elements
from flambeau_tensor._core.memory.layout cimport empty_like
from flambeau_tensor._core.call.operator cimport Operator, make_kernel
from flambeau_tensor._core.elementwise.parallel cimport parallel_for
from flambeau_tensor._core.memory.tensor cimport Tensor, empty, view_of, wrap_dim
from flambeau_tensor._core.memory.types cimport *
from flambeau_tensor.grain cimport GIL_FREE, GRAIN

from flambeau_tensor._core.elementwise.dtype import type_name

cdef enum:
    BLOCK = 128  # keys per block
    FEW = 32  # up to this number of elements, insertion sort is used
    MANY = 8192  # from this number of elements, digits are larger
    MOST_BUCKETS = 2048
    COST = 8  # per element

cdef struct Pair32:
    uint32_t key
    uint32_t at

cdef struct Pair64:
    uint64_t key
    uint64_t at

ctypedef fused pair:
    Pair32
    Pair64

ctypedef fused integer:
    uint8_t
    int8_t
    int16_t
    int32_t
    int64_t
    uint16_t
    uint32_t
    uint64_t

cdef enum Task:
    SORT  # all elements
    TOP  # the first k
    KTH  # the element of rank k
    MEDIAN
    NANMEDIAN
    MODE

cdef struct Job:
    Task task
    char* x
    char* values
    int64_t* indices
    Py_ssize_t n, inner, k, nout
    int dtype, bits
    bint flip, failed


# --- keys -----------------------------------------------------------------------------------------------------------

ctypedef fused key_t:
    uint32_t
    uint64_t

ctypedef fused float_bits:
    uint16_t
    uint32_t
    uint64_t


cdef inline void _integer_keys(const integer* x, Py_ssize_t step, Py_ssize_t n, key_t flip, key_t* keys) noexcept nogil:
    # An offset maps the order of signed integers to that of unsigned ones.
    cdef key_t offset = 0
    cdef Py_ssize_t i
    if integer is int8_t or integer is int16_t or integer is int32_t or integer is int64_t:
        offset = <key_t>((<uint64_t>1) << (8 * sizeof(integer) - 1))
    for i in range(n):
        keys[i] = (<key_t>x[i * step] + offset) ^ flip


cdef inline void _float_keys(const float_bits* x, Py_ssize_t step, Py_ssize_t n, key_t infinity, key_t flip,
                             key_t* keys) noexcept nogil:
    # The bits of negative numbers have reverse order; -0.0 counts as 0.0, and NaN of either sign as the largest.
    cdef key_t sign = <key_t>((<uint64_t>1) << (8 * sizeof(float_bits) - 1))
    cdef key_t every = sign | (sign - 1), bits, key
    cdef Py_ssize_t i
    for i in range(n):
        bits = x[i * step]
        key = bits ^ (every if bits & sign else sign)
        key = sign if bits == sign else key
        key = every if (bits & (sign - 1)) > infinity else key
        keys[i] = key ^ flip


cdef void _keys(Job* job, const char* x, Py_ssize_t n, key_t* keys) noexcept nogil:
    """Compute the keys of n elements of a run."""
    cdef key_t flip = 0
    if job.flip:
        flip = <key_t>((~<uint64_t>0) >> (64 - job.bits))
    if job.dtype <= UINT8:
        _integer_keys(<const uint8_t*>x, job.inner, n, flip, keys)
    elif job.dtype == INT8:
        _integer_keys(<const int8_t*>x, job.inner, n, flip, keys)
    elif job.dtype == INT16:
        _integer_keys(<const int16_t*>x, job.inner, n, flip, keys)
    elif job.dtype == INT32:
        _integer_keys(<const int32_t*>x, job.inner, n, flip, keys)
    elif job.dtype == UINT16:
        _integer_keys(<const uint16_t*>x, job.inner, n, flip, keys)
    elif job.dtype == UINT32:
        _integer_keys(<const uint32_t*>x, job.inner, n, flip, keys)
    elif job.dtype == FLOAT32 and job.inner == 1:
        _float_keys(<const uint32_t*>x, 1, n, <key_t>0x7f800000, flip, keys)
    elif job.dtype == FLOAT32:
        _float_keys(<const uint32_t*>x, job.inner, n, <key_t>0x7f800000, flip, keys)
    elif ITEMSIZE[job.dtype] == 2:
        _float_keys(<const uint16_t*>x, job.inner, n, <key_t>(0x7c00 if job.dtype == FLOAT16 else 0x7f80), flip, keys)
    elif key_t is uint64_t:
        if job.dtype == INT64:
            _integer_keys(<const int64_t*>x, job.inner, n, flip, keys)
        elif job.dtype == UINT64:
            _integer_keys(<const uint64_t*>x, job.inner, n, flip, keys)
        else:
            _float_keys(<const uint64_t*>x, job.inner, n, (<uint64_t>0x7ff) << 52, flip, keys)


cdef void _pairs(Job* job, const char* x, pair* out) noexcept nogil:
    """Compute the pairs of a whole run, in order of index."""
    cdef uint32_t[BLOCK] short_keys
    cdef uint64_t[BLOCK] long_keys
    cdef Py_ssize_t first = 0, n, i
    while first < job.n:
        n = min(<Py_ssize_t>BLOCK, job.n - first)
        if pair is Pair32:
            _keys(job, x, n, &short_keys[0])
        else:
            _keys(job, x, n, &long_keys[0])
        for i in range(n):
            out[first + i].key = short_keys[i] if pair is Pair32 else long_keys[i]
            out[first + i].at = first + i
        first += n
        x += n * job.inner * ITEMSIZE[job.dtype]


cdef void long_keys(const char* x, Py_ssize_t n, int dtype, uint64_t* keys) noexcept nogil:
    """Compute the keys of n contiguous elements."""
    cdef Job job
    job.dtype, job.bits, job.inner, job.flip = dtype, 8 * <int>ITEMSIZE[dtype], 1, False
    _keys(&job, x, n, keys)


# --- sorting and selecting pairs ------------------------------------------------------------------------------------

cdef pair* _sorted(pair* a, pair* b, Py_ssize_t n, int bits) noexcept nogil:
    """Sort `a` stably with `b` as buffer; return the one with the result."""
    cdef Py_ssize_t[MOST_BUCKETS] place
    cdef Py_ssize_t i, j, total, count, buckets
    cdef int shift = 0, digit = 8 if n < MANY or bits <= 16 else 11
    cdef uint64_t mask
    cdef pair p
    if n <= FEW:
        for i in range(1, n):
            p = a[i]
            j = i
            while j > 0 and a[j - 1].key > p.key:
                a[j] = a[j - 1]
                j -= 1
            a[j] = p
        return a
    buckets = <Py_ssize_t>1 << digit
    mask = buckets - 1
    while shift < bits:
        memset(place, 0, buckets * sizeof(Py_ssize_t))
        for i in range(n):
            place[(a[i].key >> shift) & mask] += 1
        if place[(a[0].key >> shift) & mask] != n:  # otherwise all keys have this digit
            total = 0
            for i in range(buckets):
                count = place[i]
                place[i] = total
                total += count
            for i in range(n):
                j = (a[i].key >> shift) & mask
                b[place[j]] = a[i]
                place[j] += 1
            a, b = b, a
        shift += digit
    return a


cdef pair _selected(pair* a, pair* b, Py_ssize_t n, Py_ssize_t k, int bits) noexcept nogil:
    """Return the pair of rank k; among equal keys, earlier pairs come first. `b` is a buffer; `a` is not changed."""
    cdef Py_ssize_t[256] count
    cdef Py_ssize_t i, m, digit
    cdef int shift = bits - 8
    cdef pair* source = a
    while shift >= 0 and n > 1:
        memset(count, 0, sizeof(count))
        for i in range(n):
            count[(source[i].key >> shift) & 255] += 1
        digit = 0
        while k >= count[digit]:
            k -= count[digit]
            digit += 1
        m = 0
        for i in range(n):  # in place from the second pass: kept pairs move to the front
            if <Py_ssize_t>((source[i].key >> shift) & 255) == digit:
                b[m] = source[i]
                m += 1
        source, n = b, m
        shift -= 8
    return source[k]


# --- one run --------------------------------------------------------------------------------------------------------

cdef void _put(Job* job, const char* x, char* values, int64_t* indices, Py_ssize_t i, Py_ssize_t at) noexcept nogil:
    """Copy the element at index `at` of a run to result i."""
    cdef Py_ssize_t to = i * job.inner, source = at * job.inner
    cdef int item = <int>ITEMSIZE[job.dtype]
    if item == 4:
        (<uint32_t*>values)[to] = (<const uint32_t*>x)[source]
    elif item == 8:
        (<uint64_t*>values)[to] = (<const uint64_t*>x)[source]
    elif item == 2:
        (<uint16_t*>values)[to] = (<const uint16_t*>x)[source]
    else:
        (<uint8_t*>values)[to] = (<const uint8_t*>x)[source]
    indices[to] = at


cdef Py_ssize_t _mode(pair* a, Py_ssize_t n, bint floats, uint64_t nan) noexcept nogil:
    """Return the index of the last occurrence of the smallest mode, in sorted pairs. A NaN equals no other."""
    cdef Py_ssize_t i, start = 0, longest = 0, at = 0
    for i in range(n):
        if a[i].key != a[start].key or (floats and a[i].key == nan):
            start = i
        if i - start + 1 > longest:
            longest = i - start + 1
            at = a[i].at
    return at


cdef void _best(Job* job, const char* x, pair* a, pair* b) noexcept nogil:
    """Store the k best pairs of a run in `a`, sorted or in order of index.

    If k is small, the best pairs are kept sorted by insertion. Otherwise candidates are collected until the buffer is
    full, and then all but the best k are dropped. Elements that are not better than the worst of these are not
    collected afterwards.
    """
    cdef uint32_t[BLOCK] short_keys
    cdef uint64_t[BLOCK] long_keys
    cdef pair last, p
    cdef Py_ssize_t i, j, m = 0, first = 0, size, k = job.k, room = 2 * k + 2 * BLOCK, equals, hits
    cdef uint64_t bound = ~<uint64_t>0  # keys that are not below it are not among the best
    while first < job.n:
        size = min(<Py_ssize_t>BLOCK, job.n - first)
        hits = 0
        if pair is Pair32:
            _keys(job, x, size, &short_keys[0])
            for i in range(size):
                hits += short_keys[i] < bound
        else:
            _keys(job, x, size, &long_keys[0])
            for i in range(size):
                hits += long_keys[i] < bound
        for i in range(size if hits or m < k else 0):
            p.key = short_keys[i] if pair is Pair32 else long_keys[i]
            p.at = first + i
            if m >= k and p.key >= bound:
                continue
            if k > FEW:
                a[m] = p
                m += 1
                continue
            j = m if m < k else k - 1
            while j > 0 and a[j - 1].key > p.key:
                a[j] = a[j - 1]
                j -= 1
            a[j] = p
            m += m < k
            if m == k:
                bound = a[k - 1].key
        first += size
        x += size * job.inner * ITEMSIZE[job.dtype]
        if k <= FEW:
            continue
        if m + BLOCK <= room and first < job.n:
            continue
        last = _selected(a, b, m, k - 1, job.bits)
        bound = last.key
        equals = k
        for i in range(m):
            equals -= a[i].key < last.key
        j = 0
        for i in range(m):
            if a[i].key < last.key or (a[i].key == last.key and equals > 0):
                equals -= a[i].key == last.key
                a[j] = a[i]
                j += 1
        m = k


cdef void _one(Job* job, const char* x, char* values, int64_t* indices, pair* a, pair* b) noexcept nogil:
    cdef Py_ssize_t i, m, k = job.k, n = job.n
    cdef uint64_t largest = (~<uint64_t>0) >> (64 - job.bits)
    cdef pair p
    if job.task == TOP and 8 * k + 2 * BLOCK < n:
        _best(job, x, a, b)
        n = k
    else:
        _pairs(job, x, a)
    if job.task <= TOP:
        a = _sorted(a, b, n, job.bits)
        for i in range(job.nout):
            _put(job, x, values, indices, i, a[i].at)
        return
    if job.task == MODE:
        a = _sorted(a, b, n, job.bits)
        _put(job, x, values, indices, 0, _mode(a, n, CATEGORY[job.dtype] == CAT_FLOAT, largest))
        return
    if job.task != KTH:
        k = (n - 1) // 2
        if CATEGORY[job.dtype] == CAT_FLOAT:
            m = 0
            for i in range(n):
                m += a[i].key == largest
            if m and job.task == MEDIAN:
                k = n - m  # the first NaN
            elif job.task == NANMEDIAN:
                k = max(<Py_ssize_t>0, (n - m - 1) // 2)
    p = _selected(a, b, n, k, job.bits)
    _put(job, x, values, indices, 0, p.at)


cdef void _runs(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    cdef Job* job = <Job*>context
    cdef bint wide = job.bits == 64 or job.n >> 32 != 0
    cdef Py_ssize_t bytes = job.n * <Py_ssize_t>(sizeof(Pair64) if wide else sizeof(Pair32)), run, source, to
    cdef char* room = <char*>PyMem_RawMalloc(2 * bytes + 16)
    if room == NULL:
        job.failed = True
        return
    for run in range(begin, end):
        source = run // job.inner * job.n * job.inner + run % job.inner
        to = run // job.inner * job.nout * job.inner + run % job.inner
        if wide:
            _one(job, job.x + source * ITEMSIZE[job.dtype], job.values + to * ITEMSIZE[job.dtype], job.indices + to,
                 <Pair64*>room, <Pair64*>(room + bytes))
        else:
            _one(job, job.x + source * ITEMSIZE[job.dtype], job.values + to * ITEMSIZE[job.dtype], job.indices + to,
                 <Pair32*>room, <Pair32*>(room + bytes))
    PyMem_RawFree(room)


# --- kernels --------------------------------------------------------------------------------------------------------

cdef object _run(Task task, Tensor x, int dim, Py_ssize_t k, bint flip, bint keepdim):
    """`keepdim` applies to tasks with one result per run."""
    cdef Job job
    cdef Tensor values, indices, dense
    cdef Py_ssize_t[MAX_NDIM] sizes
    cdef Py_ssize_t runs = 1
    cdef int d, ndim = 0
    if not x.flags & CONTIGUOUS:
        dense = empty(x.dtype, x.ndim, x.sizes)
        copy_elements(dense, x)
        x = dense
    job.n, job.inner = 1, 1
    job.nout = 1
    for d in range(x.ndim):
        if d == dim:
            job.n = x.sizes[d]
            job.nout = job.n if task == SORT else k if task == TOP else 1
            if task <= TOP or keepdim:
                sizes[ndim] = job.nout
                ndim += 1
            continue
        sizes[ndim] = x.sizes[d]
        ndim += 1
        if d > dim:
            job.inner *= x.sizes[d]
        runs *= x.sizes[d]
    if x.ndim == 0 and task == TOP:
        job.nout = k
    values, indices = empty(x.dtype, ndim, sizes), empty(INT64, ndim, sizes)
    if values.numel:
        job.task, job.k, job.flip, job.failed = task, k, flip, False
        job.x, job.values, job.indices = x.data, values.data, <int64_t*>indices.data
        job.dtype, job.bits = x.dtype, 8 * <int>ITEMSIZE[x.dtype]
        if COST * x.numel < GIL_FREE:
            _runs(&job, 0, runs)
        else:
            with nogil:
                parallel_for(runs, GRAIN // (COST * job.n) + 1, _runs, &job)
        if job.failed:
            raise MemoryError()
    return values, indices


cdef int _refuse_empty(str name, Tensor x, int dim) except -1:
    if x.ndim and x.sizes[dim] == 0:
        raise IndexError(f"{name}(): Expected reduction dim {dim} to have non-zero size.")
    return 0


cdef int _refuse_complex(Tensor x, str text) except -1:
    if CATEGORY[x.dtype] == CAT_COMPLEX:
        raise RuntimeError(text)
    return 0


cdef int _refuse_unsigned(Tensor x, str name) except -1:
    if UINT16 <= x.dtype <= UINT64:
        raise NotImplementedError(f'"{name}_cpu" not implemented for \'{type_name(dtype_object(x.dtype))}\'')
    return 0


cdef object _sort(Operator op, PyObject** slots):
    """Slots: self, dim, descending."""
    cdef Tensor x = <Tensor>slots[0]
    cdef int dim = wrap_dim(<object>slots[1], x.ndim)
    _refuse_complex(x, "Sort does not support complex dtypes on CPU")
    cdef tuple both = _run(SORT, x, dim, 0, <object>slots[2] is True, True)
    return both if x.flags & CONTIGUOUS else (_ordered_as(x, both[0]), _ordered_as(x, both[1]))


cdef Tensor _ordered_as(Tensor x, Tensor t):
    cdef Tensor out = empty_like(x, t.dtype)
    copy_elements(out, t)
    return out


cdef Tensor sorting_order(Tensor x):
    """Return the sorting order of a contiguous tensor's elements, flattened."""
    cdef Py_ssize_t one = 1
    return _run(SORT, view_of(x, 1, &x.numel, &one, x.data), 0, 0, False, True)[1]


cdef object _argsort(Operator op, PyObject** slots):
    return _sort(op, slots)[1]


cdef object _topk(Operator op, PyObject** slots):
    """Slots: self, k, dim, largest."""
    cdef Tensor x = <Tensor>slots[0]
    cdef Py_ssize_t k = <object>slots[1]
    cdef int dim = wrap_dim(<object>slots[2], x.ndim)
    _refuse_complex(x, "topk does not support complex dtypes on CPU")
    if x.dtype == BOOL:
        raise RuntimeError("topk does not support bool dtypes on CPU")
    _refuse_unsigned(x, "topk")
    if k < 0 or k > (x.sizes[dim] if x.ndim else 1):
        raise RuntimeError("selected index k out of range")
    return _run(TOP, x, dim, k, <object>slots[3] is True, True)


cdef object _kthvalue(Operator op, PyObject** slots):
    """Slots: self, k, dim, keepdim."""
    cdef Tensor x = <Tensor>slots[0]
    cdef Py_ssize_t k = <object>slots[1]
    cdef int dim = wrap_dim(<object>slots[2], x.ndim)
    if CATEGORY[x.dtype] == CAT_COMPLEX or x.dtype == BOOL:
        raise NotImplementedError(f'"kthvalue_cpu" not implemented for \'{type_name(dtype_object(x.dtype))}\'')
    _refuse_unsigned(x, "kthvalue")
    _refuse_empty(op.name, x, dim)
    if k < 1 or k > (x.sizes[dim] if x.ndim else 1):
        raise RuntimeError(f"kthvalue(): selected number k out of range for dimension {dim}")
    return _run(KTH, x, dim, k - 1, False, <object>slots[3] is True)


cdef object _select(Task task, Operator op, PyObject** slots):
    """Slots: self, dim, keepdim."""
    cdef Tensor x = <Tensor>slots[0]
    cdef int dim = wrap_dim(<object>slots[1], x.ndim)
    if CATEGORY[x.dtype] == CAT_COMPLEX or (x.dtype == BOOL and task != MODE):
        raise NotImplementedError(f'"{op.name}_cpu" not implemented for \'{type_name(dtype_object(x.dtype))}\'')
    _refuse_unsigned(x, op.name)
    _refuse_empty(op.name, x, dim)
    return _run(task, x, dim, 0, False, <object>slots[2] is True)


cdef object _median(Operator op, PyObject** slots):
    return _select(MEDIAN, op, slots)


cdef object _nanmedian(Operator op, PyObject** slots):
    return _select(NANMEDIAN, op, slots)


cdef object _most_frequent(Operator op, PyObject** slots):
    return _select(MODE, op, slots)


sort, argsort, topk, kthvalue = make_kernel(_sort), make_kernel(_argsort), make_kernel(_topk), make_kernel(_kthvalue)
median, nanmedian, mode = make_kernel(_median), make_kernel(_nanmedian), make_kernel(_most_frequent)
