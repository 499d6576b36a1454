# cython: language_level=3
"""One engine for everything that works element by element.

It promotes, broadcasts, merges dimensions, checks overlap, converts dtypes block by block, splits large work over the
pool, and hands plain strided runs to inner loops: NumPy's own (chosen for the CPU at run time), or ours of the same
signature. The GIL is released for large work only; for small work that would cost more than the arithmetic.
"""
cimport numpy as cnp
from cpython.object cimport PyObject
from libc.float cimport FLT_MAX
from libc.math cimport INFINITY
from libc.string cimport memcpy, memset

from flambeau_tensor._core cimport operator as calls
from flambeau_tensor._core.casts cimport CAST, cast_t
from flambeau_tensor._core.dtype cimport (
    CATEGORY, ITEMSIZE, NPY_TYPE, PROMOTED, default_dtype, dtype_from_npy, dtype_object,
)
from flambeau_tensor._core.operator cimport OP_INPLACE, Kernel, Operator
from flambeau_tensor._core.parallel cimport parallel_for
from flambeau_tensor._core.registry cimport find
from flambeau_tensor._core.scalar cimport Scalar, c_name, is_number, read_scalar, scalar_dtype, store_scalar
from flambeau_tensor._core.tensor cimport (
    Tensor, detached, empty, empty_like, empty_strided, is_dense, is_plain, resize, same_shape, shape_str,
)
from flambeau_tensor._core.types cimport *

from flambeau_tensor._core.dtype import _dtype_by_name

cdef enum:
    BLOCK = 1024  # elements converted at a time
    GIL_FREE = 20000  # elements from which the GIL is released
    GRAIN = 32768  # elements a thread should have at least
    STREAM_BYTES = 24 << 20  # size of a result from which it is written around the caches

cdef extern from "stream.h" nogil:
    bint STREAMS "FL_STREAMS"
    void stream "fl_stream"(char* to, const char* source, Py_ssize_t n)
    void stream_end "fl_stream_end"()

cdef object _ONE = 1
cdef dict _TYPE_NAMES = {
    BOOL: "Bool", UINT8: "Byte", INT8: "Char", INT16: "Short", INT32: "Int", INT64: "Long", FLOAT16: "Half",
    BFLOAT16: "BFloat16", FLOAT32: "Float", FLOAT64: "Double", COMPLEX64: "ComplexFloat", COMPLEX128: "ComplexDouble",
}


def type_name(dtype):
    """PyTorch's long-standing name of a dtype in error messages, such as ``Float``."""
    return _TYPE_NAMES[dtype.id]


# --- running a loop over a strided space ----------------------------------------------------------------------------

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


# --- operands -------------------------------------------------------------------------------------------------------

cdef int broadcast_shape(int n, PyObject** tensors, Py_ssize_t* shape) except -1:
    """The common shape of tensors (NULL among them is passed over); returns its length."""
    cdef int ndim = 0, i, k, d
    cdef Py_ssize_t a
    cdef Tensor t
    for k in range(n):
        if tensors[k] != NULL and (<Tensor>tensors[k]).ndim > ndim:
            ndim = (<Tensor>tensors[k]).ndim
    for d in range(ndim):
        shape[d] = 1
    for k in range(n):
        if tensors[k] == NULL:
            continue
        t = <Tensor>tensors[k]
        for i in range(t.ndim):
            d = ndim - t.ndim + i
            a = t.sizes[i]
            if a == shape[d] or a == 1:
                continue
            if shape[d] != 1:
                raise RuntimeError(
                    f"The size of tensor a ({shape[d]}) must match the size of tensor b ({a}) at non-singleton "
                    f"dimension {d}")
            shape[d] = a
    return ndim


cdef void _operand_strides(Tensor t, int ndim, const Py_ssize_t* shape, Py_ssize_t* out) noexcept:
    cdef int d, lead = ndim - t.ndim
    cdef Py_ssize_t item = ITEMSIZE[t.dtype]
    for d in range(ndim):
        if d < lead or (t.sizes[d - lead] == 1 and shape[d] != 1):
            out[d] = 0
        else:
            out[d] = t.strides[d - lead] * item


cdef int check_writable(str func, Tensor t) except -1:
    cdef int d
    if t.storage.readonly:
        raise RuntimeError(f"{func}(): cannot write to a tensor that shares memory with a read-only array; clone() it")
    for d in range(t.ndim):
        if t.strides[d] == 0 and t.sizes[d] > 1 and t.numel:
            raise RuntimeError(
                "unsupported operation: more than one element of the written-to tensor refers to a single memory "
                "location. Please clone() the tensor before performing the operation.")
    return 0


cdef void _extent(Tensor t, char** lo, char** hi) noexcept:
    cdef int d
    lo[0] = t.data
    hi[0] = t.data + ITEMSIZE[t.dtype]
    for d in range(t.ndim):
        hi[0] += (t.sizes[d] - 1) * t.strides[d] * ITEMSIZE[t.dtype]


cdef int check_overlap(Tensor out, Tensor t) except -1:
    """An input may be the result itself, or apart from it; not partly the same memory."""
    cdef char* a
    cdef char* b
    cdef char* c
    cdef char* d
    cdef int i
    if out is t or out.storage is not t.storage and out.storage.owner is None and t.storage.owner is None:
        return 0
    if out.numel == 0 or t.numel == 0:
        return 0
    if out.data == t.data and same_shape(out, t) and out.dtype == t.dtype:
        for i in range(out.ndim):
            if out.strides[i] != t.strides[i] and out.sizes[i] > 1:
                break
        else:
            return 0
    _extent(out, &a, &b)
    _extent(t, &c, &d)
    if a < d and c < b and is_dense(out) and is_dense(t):
        raise RuntimeError(
            "unsupported operation: some elements of the input tensor and the written-to tensor refer to a single "
            "memory location. Please clone() the tensor before performing the operation.")
    return 0


cdef bint _needs_copy(Tensor out, Tensor t) noexcept:
    # Layouts that may interleave (strided windows on one block) are read from a copy.
    cdef char* a
    cdef char* b
    cdef char* c
    cdef char* d
    if out is t or out.storage is not t.storage:
        return False
    if is_dense(out) and is_dense(t):
        return False
    if out.data == t.data and same_shape(out, t):
        return False
    _extent(out, &a, &b)
    _extent(t, &c, &d)
    return a < d and c < b


cdef int promote(int n, PyObject** slots, const int* fixed) except -1:
    """The dtype of the computation: tensors with dimensions rule 0-d tensors, which rule Python numbers."""
    cdef int dims = -1, zero = -1, number = -1, k, d
    cdef Scalar s
    cdef Tensor t
    for k in range(n):
        if fixed[k] >= 0:
            continue
        if isinstance(<object>slots[k], Tensor):
            t = <Tensor>slots[k]
            d = t.dtype
            if t.ndim:
                dims = d if dims < 0 else PROMOTED[dims][d]
            else:
                zero = d if zero < 0 else PROMOTED[zero][d]
        else:
            read_scalar(slots[k], &s)
            d = scalar_dtype(s.category)
            number = d if number < 0 else PROMOTED[number][d]
    return _combine(dims, _combine(zero, number))


cdef int _combine(int strong, int weak) noexcept:
    # The weaker group only counts when it is of a higher category.
    if strong < 0:
        return weak
    if weak < 0 or CATEGORY[strong] >= CATEGORY[weak]:
        return strong
    if CATEGORY[weak] == CAT_COMPLEX and CATEGORY[strong] == CAT_FLOAT:
        return COMPLEX128 if strong == FLOAT64 else COMPLEX64
    return weak


# --- the kernel -----------------------------------------------------------------------------------------------------

cdef object _fast(Operator op, Elementwise el, Tensor a, PyObject* second, PyObject** slots):
    """Contiguous operands of one dtype and shape (or a number beside a tensor), fresh result: the common case.

    Returns None where the general way has to be taken.
    """
    cdef Entry* e = &el.entries[a.dtype]
    cdef Tensor b, out
    cdef char* ptrs[3]
    cdef Py_ssize_t[3] steps
    cdef char[16] number
    cdef Scalar s
    cdef int nop = 2
    if e.loop == NULL or e.compute != a.dtype or e.result != e.written or not a.flags & CONTIGUOUS:
        return None
    if a.numel >= GIL_FREE:
        return None
    if el.check is not None:
        el.check.run(op, slots, a.dtype)
    ptrs[0] = a.data
    steps[0] = ITEMSIZE[a.dtype]
    if second != NULL:
        nop = 3
        if is_plain(second):
            b = <Tensor>second
            if b.dtype != a.dtype or not b.flags & CONTIGUOUS or not same_shape(a, b):
                return None
            ptrs[1] = b.data
            steps[1] = steps[0]
        elif is_number(second) and a.ndim:
            read_scalar(second, &s)
            if s.category > CATEGORY[a.dtype]:
                return None
            _store_number(el, &s, a.dtype, number)
            ptrs[1] = number
            steps[1] = 0
        else:
            return None
    out = empty(e.result, a.ndim, a.sizes)
    ptrs[nop - 1] = out.data
    steps[nop - 1] = ITEMSIZE[e.result]
    e.loop(ptrs, &out.numel, steps, e.data)
    return out


cdef object run_elementwise(Operator op, PyObject** slots):
    cdef Elementwise el = <Elementwise>op.implementation
    cdef object result
    cdef PyObject* out = slots[op.out_index] if op.out_index >= 0 else <PyObject*>None
    cdef PyObject* operands[MAX_OPERANDS]
    cdef int k
    if el.mode >= 0:
        el = _chosen(op, el, <object>slots[el.mode])
    if out == <PyObject*>None and not op.flags & OP_INPLACE and el.nparams == 0 and el.nin <= 2 and \
            is_plain(slots[0]) and el.fixed[0] < 0 and \
            (el.alpha < 0 or slots[el.alpha] == <PyObject*>_ONE):
        result = _fast(op, el, <Tensor>slots[0], slots[1] if el.nin == 2 else NULL, slots)
        if result is not None:
            return result
    if op.flags & OP_INPLACE:
        out = slots[0]
    for k in range(el.nin):
        operands[k] = slots[k]
    return _general(op, el, operands, out, slots)


cdef Elementwise _chosen(Operator op, Elementwise el, object mode):
    chosen = el.modes.get(mode)
    if chosen is None:
        raise RuntimeError(f"{op.name} expected {op.schema.arguments[el.mode].name} to be one of "
                           f"{', '.join(map(repr, el.modes))} but found '{mode}'")
    return <Elementwise>chosen


cdef object _general(Operator op, Elementwise el, PyObject** operands, PyObject* out_slot, PyObject** slots):
    cdef PyObject* tensors[MAX_OPERANDS]
    cdef Py_ssize_t[MAX_NDIM] shape
    cdef Py_ssize_t[MAX_OPERANDS][MAX_NDIM] strides
    cdef Py_ssize_t* stride_ptrs[MAX_OPERANDS]
    cdef char* ptrs[MAX_OPERANDS]
    cdef int[MAX_OPERANDS] have
    cdef int[MAX_OPERANDS] want
    cdef char[MAX_OPERANDS][16] numbers
    cdef double[8] params
    cdef Scalar s
    cdef Entry* e
    cdef Tensor out, t
    cdef list keep = []
    cdef int k, ndim, dtype, result, compute
    cdef int nop = el.nin + 1
    cdef bint inplace = (op.flags & OP_INPLACE) != 0
    cdef void* data

    dtype = promote(el.nin, operands, el.fixed)
    if el.check is not None:
        el.check.run(op, operands, dtype)
    if el.default_float and CATEGORY[dtype] <= CAT_INT:
        dtype = default_dtype()
    e = &el.entries[dtype]
    if e.loop == NULL:
        raise NotImplementedError(el.refusals.get(CATEGORY[dtype]) or
                                  f'"{el.name}" not implemented for \'{_TYPE_NAMES[dtype]}\'')
    compute, result = e.compute, e.result
    if el.alpha >= 0 and slots[el.alpha] != <PyObject*>_ONE:  # add and sub: scale the second operand first
        scaled = _scale(operands[1], slots[el.alpha], compute)
        keep.append(scaled)
        operands[1] = <PyObject*>scaled
    for k in range(el.nin):
        tensors[k] = operands[k] if isinstance(<object>operands[k], Tensor) else NULL
    ndim = broadcast_shape(el.nin, tensors, shape)

    if out_slot == <PyObject*>None:
        out = _fresh(el.nin, tensors, ndim, shape, result)
    elif inplace:
        out = <Tensor>out_slot
        check_writable(op.name, out)
        check_cast(result, out.dtype)
        if out.ndim != ndim or not _equal(ndim, out.sizes, shape):
            raise RuntimeError(f"output with shape {shape_str(out.ndim, out.sizes)} doesn't match the broadcast shape "
                               f"{shape_str(ndim, shape)}")
    else:
        out = out_tensor(op.name, <object>out_slot, result, ndim, shape)
    if out_slot != <PyObject*>None:
        for k in range(el.nin):
            if tensors[k] != NULL:
                t = <Tensor>tensors[k]
                check_overlap(out, t)
                if _needs_copy(out, t):
                    t = copy_of(t)
                    keep.append(t)
                    tensors[k] = <PyObject*>t

    for k in range(el.nin):
        stride_ptrs[k] = strides[k]
        want[k] = compute if el.fixed[k] < 0 else el.fixed[k]
        if tensors[k] != NULL:
            t = <Tensor>tensors[k]
            have[k] = t.dtype
            ptrs[k] = t.data
            _operand_strides(t, ndim, shape, strides[k])
        else:
            read_scalar(operands[k], &s)
            _store_number(el, &s, want[k], numbers[k])
            have[k] = want[k]
            ptrs[k] = numbers[k]
            memset(strides[k], 0, ndim * sizeof(Py_ssize_t))
    stride_ptrs[nop - 1] = strides[nop - 1]
    _operand_strides(out, ndim, shape, strides[nop - 1])
    ptrs[nop - 1] = out.data
    have[nop - 1] = out.dtype
    want[nop - 1] = e.written
    data = e.data
    if el.nparams:
        for k in range(el.nparams):
            if slots[el.first_param + k] == <PyObject*>None:
                params[k] = params[el.nparams + k] = 0
            else:
                read_scalar(slots[el.first_param + k], &s)
                if s.category == CAT_COMPLEX and CATEGORY[compute] != CAT_COMPLEX:
                    raise RuntimeError(f"value cannot be converted to type {c_name(compute)} without overflow")
                params[k], params[el.nparams + k] = s.re, s.im
        data = params
    run_loop(e.loop, data, nop, ptrs, have, want, ndim, shape, stride_ptrs)
    if out_slot != <PyObject*>None:
        out.storage.version += 1
    return out


cdef object _scale(PyObject* operand, PyObject* alpha, int dtype):
    """`operand` in the dtype of the computation, multiplied by `alpha`."""
    cdef Scalar s
    read_scalar(alpha, &s)
    if s.category == CAT_BOOL and dtype != BOOL:
        raise RuntimeError("Boolean alpha only supported for Boolean results.")
    if s.category == CAT_FLOAT and CATEGORY[dtype] <= CAT_INT:
        raise RuntimeError("For integral input tensors, argument alpha must not be a floating point number.")
    if s.category == CAT_COMPLEX and CATEGORY[dtype] != CAT_COMPLEX:
        raise RuntimeError("For non-complex input tensors, argument alpha must not be a complex number.")
    if not isinstance(<object>operand, Tensor):
        return <object>operand * <object>alpha
    factor = bool(<object>alpha) if dtype == BOOL else <object>alpha
    return calls.call2(find("torch.mul"), detached(to_dtype(<Tensor>operand, dtype)), factor)


cdef int _store_number(Elementwise el, const Scalar* s, int dtype, char* dst) except -1:
    """A Python number as an operand: integers wrap around in narrower integer dtypes."""
    if s.category <= CAT_INT and CATEGORY[dtype] == CAT_INT and not el.exact_numbers:
        CAST[INT64][dtype](<const char*>&s.i, 0, dst, 0, 1)
        return 0
    return store_scalar(s, dtype, dst)


cdef bint _equal(int ndim, const Py_ssize_t* a, const Py_ssize_t* b) noexcept:
    cdef int d
    for d in range(ndim):
        if a[d] != b[d]:
            return False
    return True


cdef Tensor _fresh(int n, PyObject** tensors, int ndim, const Py_ssize_t* shape, int dtype):
    """The result's tensor; it keeps the order of dimensions of the first operand that has the whole shape."""
    cdef int k
    cdef Tensor t
    for k in range(n):
        if tensors[k] != NULL:
            t = <Tensor>tensors[k]
            if t.ndim == ndim and _equal(ndim, t.sizes, shape):
                if t.flags & CONTIGUOUS or not is_dense(t):
                    break
                return empty_strided(dtype, ndim, shape, t.strides)
    return empty(dtype, ndim, shape)


cdef int check_cast(int source, int target) except -1:
    if CATEGORY[source] > CATEGORY[target]:
        raise RuntimeError(f"result type {_TYPE_NAMES[source]} can't be cast to the desired output type "
                           f"{_TYPE_NAMES[target]}")
    return 0


cdef Tensor out_tensor(str func, object out, int dtype, int ndim, const Py_ssize_t* shape):
    cdef Tensor t = <Tensor>out
    if t.flags & REQUIRES_GRAD and calls.thread_state().grad_enabled:
        raise RuntimeError(f"{func}(): functions with out=... arguments don't support automatic differentiation, but "
                           "one of the arguments requires grad.")
    check_cast(dtype, t.dtype)
    if t.ndim != ndim or not _equal(ndim, t.sizes, shape):
        if t.numel:
            import warnings

            warnings.warn(
                f"An output with one or more elements was resized since it had shape {shape_str(t.ndim, t.sizes)}, "
                f"which does not match the required output shape {shape_str(ndim, shape)}. This behavior is "
                "deprecated, and in a future PyTorch release outputs will not be resized unless they have zero "
                "elements. You can explicitly reuse an out tensor t by resizing it, inplace, to zero elements with "
                "t.resize_(0).", UserWarning, stacklevel=2)
        resize(t, ndim, shape)
    check_writable(func, t)
    return t


def write_out(str func, out, result):
    """Write fresh results into the tensors given as `out`."""
    cdef Tensor r, o
    if isinstance(result, tuple):
        if not isinstance(out, (tuple, list)) or len(out) != len(result):
            raise TypeError(f"{func}(): argument 'out' must be a tuple of {len(result)} Tensors")
        return type(result)([write_out(func, o1, r1) for o1, r1 in zip(out, result)])
    if not isinstance(out, Tensor):
        raise TypeError(f"{func}(): argument 'out' must be Tensor, not {type(out).__name__}")
    r, o = <Tensor>result, <Tensor>out
    o = out_tensor(func, o, r.dtype, r.ndim, r.sizes)
    copy_elements(o, r)
    o.storage.version += 1
    return o


def write_inplace(str func, Tensor self not None, Tensor result not None):
    """Write a fresh result into the tensor that an in-place operator changes."""
    check_writable(func, self)
    check_cast(result.dtype, self.dtype)
    if not same_shape(self, result):
        raise RuntimeError(f"output with shape {shape_str(self.ndim, self.sizes)} doesn't match the broadcast shape "
                           f"{shape_str(result.ndim, result.sizes)}")
    copy_elements(self, result)
    self.storage.version += 1
    return self


# --- copying, converting, filling -----------------------------------------------------------------------------------

cdef void _copy_loop(char** args, const Py_ssize_t* n, const Py_ssize_t* steps, void* data) noexcept nogil:
    cdef Py_ssize_t item = <Py_ssize_t>data
    cdef Py_ssize_t done
    if steps[0] == item and steps[1] == item:
        memcpy(args[1], args[0], n[0] * item)
    elif steps[0] == 0 and steps[1] == item and n[0] > 8:  # one value: a first stretch of it, then copies of that
        done = min(<Py_ssize_t>256, n[0])
        (<cast_t>_COPY[item])(args[0], 0, args[1], item, done)
        while done < n[0]:
            memcpy(args[1] + done * item, args[1], min(<Py_ssize_t>256, n[0] - done) * item)
            done += 256
    else:
        (<cast_t>_COPY[item])(args[0], steps[0], args[1], steps[1], n[0])


cdef void _cast_loop(char** args, const Py_ssize_t* n, const Py_ssize_t* steps, void* data) noexcept nogil:
    (<cast_t>data)(args[0], steps[0], args[1], steps[1], n[0])


cdef void* _COPY[17]
for _k in (BOOL, INT16, INT32, INT64, COMPLEX128):
    _COPY[ITEMSIZE[_k]] = <void*>CAST[_k][_k]
_COPY[1] = <void*>CAST[UINT8][UINT8]


cdef int copy_elements(Tensor dst, Tensor src) except -1:
    cdef Py_ssize_t[2][MAX_NDIM] strides
    cdef Py_ssize_t* stride_ptrs[2]
    cdef char* ptrs[2]
    cdef int[2] types
    cdef int d, lead = dst.ndim - src.ndim
    if lead < 0 or src.numel != dst.numel or lead:
        for d in range(src.ndim):
            if lead + d < 0 and src.sizes[d] == 1:
                continue
            if lead + d < 0 or (src.sizes[d] != 1 and src.sizes[d] != dst.sizes[lead + d]):
                raise RuntimeError(
                    f"The size of tensor a ({dst.sizes[lead + d] if lead + d >= 0 else 1}) must match the size of "
                    f"tensor b ({src.sizes[d]}) at non-singleton dimension {max(lead + d, 0)}")
    if dst.numel == 0:
        return 0
    if dst.dtype == src.dtype and dst.flags & src.flags & CONTIGUOUS and dst.numel == src.numel and \
            dst.numel < GIL_FREE:
        memcpy(dst.data, src.data, dst.numel * ITEMSIZE[dst.dtype])
        return 0
    if _needs_copy(dst, src):
        src = copy_of(src)
    for d in range(dst.ndim):
        if d < lead or src.sizes[d - lead] == 1:
            strides[0][d] = 0
        elif src.sizes[d - lead] != dst.sizes[d]:
            raise RuntimeError(
                f"The size of tensor a ({dst.sizes[d]}) must match the size of tensor b ({src.sizes[d - lead]}) at "
                f"non-singleton dimension {d}")
        else:
            strides[0][d] = src.strides[d - lead] * ITEMSIZE[src.dtype]
        strides[1][d] = dst.strides[d] * ITEMSIZE[dst.dtype]
    stride_ptrs[0], stride_ptrs[1] = strides[0], strides[1]
    ptrs[0], ptrs[1] = src.data, dst.data
    if lead < 0:
        ptrs[0] = src.data
    types[0] = types[1] = 0  # the loop converts by itself
    if src.dtype == dst.dtype:
        run_loop(_copy_loop, <void*><Py_ssize_t>ITEMSIZE[dst.dtype], 2, ptrs, types, types, dst.ndim, dst.sizes,
                 stride_ptrs)
    else:
        run_loop(_cast_loop, <void*>CAST[src.dtype][dst.dtype], 2, ptrs, types, types, dst.ndim, dst.sizes,
                 stride_ptrs)
    return 0


cdef int fill_elements(Tensor dst, object number) except -1:
    cdef Tensor value
    cdef Scalar s
    read_scalar(<PyObject*>number, &s)
    if s.category == CAT_FLOAT and CATEGORY[dst.dtype] <= CAT_INT and dst.dtype != BOOL and s.re == s.re and \
            -9e18 < s.re < 9e18:
        s.i = <long long>s.re  # fill truncates
        s.category = CAT_INT
    if s.category == CAT_FLOAT and dst.dtype == FLOAT32 and FLT_MAX < abs(s.re) != INFINITY:
        raise RuntimeError(f"value cannot be converted to type {c_name(dst.dtype)} without overflow")
    value = empty(dst.dtype, 0, NULL)
    store_scalar(&s, dst.dtype, value.data)
    return copy_elements(dst, value)


cdef Tensor to_dtype(Tensor t, int dtype):
    cdef Tensor out
    if t.dtype == dtype:
        return t
    out = empty_like(t, dtype)
    copy_elements(out, t)
    return out


cdef Tensor copy_of(Tensor t):
    cdef Tensor out = empty_like(t, t.dtype)
    copy_elements(out, t)
    return out


# --- declaring elementwise kernels ----------------------------------------------------------------------------------

cdef cnp.ufunc _as_ufunc(object u):
    return <cnp.ufunc>u


cdef class Elementwise(Kernel):
    """A kernel made of inner loops, one for each dtype that operands promote to.

    Args:
        name: how errors about dtypes call it.
        nin: number of operands.
        loops: a NumPy ufunc, a dict from dtype name to the address of a loop with NumPy's signature, or both, the
            dict first.
        result: ``"same"`` dtype as the operands, or the name of the result's dtype (``"bool"`` for comparisons), or
            ``"real"`` for the real dtype of complex operands.
        default_float: integers are computed in the default floating dtype.
        dtypes: categories that are accepted, letters of ``"bifc"``; the rest is "not implemented for".
        params: (first slot, how many) float arguments for the loop's data pointer.
        alpha: the slot of a factor on the second operand.
        fixed: {operand: dtype} outside promotion, such as a boolean condition.
        modes: (slot, {value: kernel or None for this one}): a string argument that picks another kernel.
        bool_as: the dtype in which booleans are computed, where it is not their own.
        check: a compiled check of the operands.
        exact_numbers: Python numbers that do not fit the dtype are errors; otherwise integers wrap around.
        refuse: {letter of dtypes: message} for dtypes that are not accepted, where there is more to say.
    """

    def __init__(self, str name not None, int nin, loops, *, str result="same", bint default_float=False,
                 str dtypes="bifc", tuple params=(), int alpha=-1, dict fixed=None, tuple modes=(), str bool_as="",
                 Check check=None, bint exact_numbers=False, dict refuse=None):
        cdef int d, k
        cdef Entry* e
        self.run = run_elementwise
        self.handles_out = True
        self.name = name
        self.nin = nin
        self.alpha = alpha
        self.default_float = default_float
        self.mode = -1
        if modes:
            self.mode = modes[0]
            self.modes = {key: self if kernel is None else kernel for key, kernel in modes[1].items()}
        self.check = check
        self.exact_numbers = exact_numbers
        self.refusals = {"bifc".index(letter): text for letter, text in (refuse or {}).items()}
        tables, ufunc = loops if isinstance(loops, tuple) else (loops, None) if isinstance(loops, dict) else ({}, loops)
        self.nparams = 0
        if params:
            self.first_param, self.nparams = params
        for k in range(MAX_OPERANDS):
            self.fixed[k] = -1
        if fixed:
            for k, dtype in fixed.items():
                self.fixed[k] = dtype.id
        for d in range(NDTYPES):
            e = &self.entries[d]
            e.loop = NULL
            if "bifc"[CATEGORY[d]] not in dtypes or (default_float and CATEGORY[d] <= CAT_INT):
                continue
            e.compute = FLOAT32 if d == FLOAT16 or d == BFLOAT16 else d
            if d == BOOL and bool_as:
                e.compute = _dtype_by_name(bool_as).id
            address = tables.get(dtype_object(e.compute).name)
            if address is not None:
                e.loop = <loop_t><size_t>address
                e.data = NULL
                e.written = BOOL if result == "bool" else _real(e.compute) if result == "real" else e.compute
            elif ufunc is None or not _from_ufunc(e, _as_ufunc(ufunc), nin, self.fixed):
                continue
            if result == "same":
                e.result = e.compute if d == BOOL else d
            elif result == "real":
                e.result = _real(d)
            else:
                e.result = e.written


cdef class Check:
    """A compiled check of operands; compiled modules make them."""


cdef Check make_check(check_t run):
    cdef Check c = Check.__new__(Check)
    c.run = run
    return c


def ufunc_loop(ufunc, str dtype not None):
    """The address of a ufunc's inner loop for a dtype, and that of the loop's data: for loops built on others."""
    cdef Entry e
    cdef int[MAX_OPERANDS] fixed
    cdef int k
    for k in range(MAX_OPERANDS):
        fixed[k] = -1
    e.compute = _dtype_by_name(dtype).id
    if not _from_ufunc(&e, _as_ufunc(ufunc), ufunc.nin, fixed):
        raise TypeError(f"{ufunc.__name__} has no loop for {dtype}")
    return <size_t>e.loop, <size_t>e.data


cdef int _real(int d) noexcept:
    return FLOAT32 if d == COMPLEX64 else FLOAT64 if d == COMPLEX128 else d


cdef bint _from_ufunc(Entry* e, cnp.ufunc u, int nin, int* fixed) except -1:
    """Find the loop of a NumPy ufunc for the entry's compute dtype."""
    cdef int i, j, wanted = NPY_TYPE[e.compute]
    cdef UFunc* f = <UFunc*><PyObject*>u
    if f.nin != nin or f.nout != 1:
        raise ValueError(f"{u.__name__} has {f.nin} inputs, not {nin}")
    for i in range(f.ntypes):
        for j in range(nin):
            if fixed[j] < 0 and f.types[i * (nin + 1) + j] != wanted:
                break
        else:
            if f.functions[i] == NULL:
                return False
            e.written = dtype_from_npy(f.types[i * (nin + 1) + nin])
            e.loop = <loop_t>f.functions[i]
            e.data = f.data[i] if f.data != NULL else NULL
            return True
    return False


cdef extern from "numpy/ufuncobject.h":
    ctypedef struct UFunc "PyUFuncObject":
        int nin
        int nout
        int ntypes
        void** functions
        void** data
        char* types


cnp.import_array()
