# cython: language_level=3
"""LAPACK on batches of matrices.

The library of NumPy's BLAS also exports LAPACK, in Fortran form: all arguments are addresses, and matrices are
column-major. A `Call` contains each argument for the first matrix and the distance to that for the next, so one loop
runs all routines, on the thread pool if there are many matrices. A single large matrix uses the library's own threads,
except for LU. If NumPy has another library, the functions in `lapack_on_numpy` replace the routines.
"""
from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from flambeau_tensor._core.elementwise.copying cimport copy_elements
from flambeau_tensor._core.elementwise.dtype cimport CATEGORY, ITEMSIZE, dtype_object, real_of
from flambeau_tensor._core.memory.meta_device cimport is_dry
from flambeau_tensor._core.elementwise.parallel cimport parallel_for
from flambeau_tensor._core.memory.tensor cimport Tensor, detached, empty, empty_strided, view_of
from flambeau_tensor._core.memory.types cimport *
from flambeau_tensor._kernels.blas cimport hold, release, symbol
from flambeau_tensor.grain cimport GIL_FREE, GRAIN

from flambeau_tensor._core.elementwise.dtype import type_name

cdef extern from *:
    """
    typedef void (*fl_lapack)(void*, void*, void*, void*, void*, void*, void*, void*, void*, void*, void*, void*, void*,
                              void*, void*, size_t, size_t, size_t);
    /* Fortran passes the lengths of strings after the arguments. A routine ignores arguments that it does not have. */
    static void fl_call_lapack(void* f, void** a) {
        ((fl_lapack)f)(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11], a[12], a[13], a[14],
                       1, 1, 1);
    }
    """
    void fl_call_lapack(void* f, void** a) noexcept nogil

cdef enum:
    SMALL = 64  # elements of a matrix that is copied one by one
    OWN_THREADS = 1_000_000_000  # work; up to this, the library's threads, which spin, cost more than they gain

UPPER = b"U"
LOWER = b"L"
LEFT = b"L"
RIGHT = b"R"
AS_IS = b"N"
TRANSPOSED = b"T"
ADJOINT = b"C"
YES = b"V"
SOME = b"S"
ALL = b"A"
UNIT = b"U"


class LinAlgError(RuntimeError):
    """A matrix does not meet the requirements of an operation: it is singular or not positive definite, or an iteration
    does not converge.

    >>> try:
    ...     torch.linalg.inv(torch.zeros(2, 2))
    ... except torch.linalg.LinAlgError as error:
    ...     print("singular" in str(error))
    True
    """

    __module__ = "flambeau_tensor.linalg"


cdef dict _found = {}, _instead = {}


cdef dict _PREFIXES = {FLOAT32: "s", FLOAT64: "d", COMPLEX64: "c", COMPLEX128: "z"}


cdef int begin(Call* call, str name, int dtype, str complex_name=None) except -1:
    memset(call, 0, sizeof(Call))
    if complex_name is not None and CATEGORY[dtype] == CAT_COMPLEX:
        name = complex_name
    key = (name, dtype)
    if key not in _found:
        _found[key] = <size_t>symbol(_PREFIXES[dtype] + name + "_")
    call.function, call.dtype = <void*><size_t>_found[key], dtype
    if call.function == NULL:
        if key not in _instead:
            from flambeau_tensor._kernels.lapack_on_numpy import routine

            _instead[key] = routine(name, dtype_object(dtype).name)
        call.instead = <PyObject*>_instead[key]
    return 0


cdef void add(Call* call, const void* argument, Py_ssize_t step=0) noexcept:
    call.args[call.nargs] = <void*>argument
    call.steps[call.nargs] = step
    call.nargs += 1


cdef void add_scratch(Call* call, Py_ssize_t bytes) noexcept:
    call.scratch[call.nargs] = max(bytes, 16)
    add(call, NULL)


cdef void add_workspace(Call* call, lapack_int* size) noexcept:
    size[0] = -1  # asks for the required size
    call.scratch[call.nargs] = -1
    add(call, NULL)
    add(call, size)


cdef int _ask(Call* call) except -1:
    """Ask the routine for the size of its workspace if `add_workspace` was called."""
    cdef double answers[MOST_ARGS][2]
    cdef void* args[MOST_ARGS]
    cdef double size
    cdef int i, at = -1
    for i in range(MOST_ARGS):
        args[i] = &answers[i][0] if call.scratch[i] else call.args[i]
        at = i if call.scratch[i] < 0 else at
    if at < 0:
        return 0
    memset(answers, 0, sizeof(answers))
    fl_call_lapack(call.function, args)
    size = (<float*>answers[at])[0] if call.dtype in (FLOAT32, COMPLEX64) else answers[at][0]
    # A large number may have been rounded down to a float.
    (<lapack_int*>call.args[at + 1])[0] = max(1, <lapack_int>(size * (1 + 2e-7)))
    call.scratch[at] = (<lapack_int*>call.args[at + 1])[0] * ITEMSIZE[call.dtype]
    return 0


cdef void _range(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    cdef Call* call = <Call*>context
    cdef void* args[MOST_ARGS]
    cdef Py_ssize_t i, k
    for k in range(MOST_ARGS):
        args[k] = call.args[k]
        if call.scratch[k]:
            args[k] = malloc(call.scratch[k])
            if args[k] == NULL:
                call.failed = True
    if not call.failed:
        for i in range(begin, end):
            for k in range(call.nargs):
                if call.steps[k]:
                    args[k] = <char*>call.args[k] + i * call.steps[k]
            if call.own != NULL:
                call.own(args)
            else:
                fl_call_lapack(call.function, args)
    for k in range(MOST_ARGS):
        if call.scratch[k]:
            free(args[k])


cdef int _run_instead(Call* call, Py_ssize_t count) except -1:
    cdef Py_ssize_t i
    cdef int k
    for i in range(count):
        (<object>call.instead)(*[0 if call.scratch[k] else <size_t>call.args[k] + i * call.steps[k]
                                 for k in range(call.nargs)])
    return 0


cdef int run(Call* call, Py_ssize_t count) except -1:
    if count == 0 or is_dry():
        return 0
    if call.own != NULL:
        if call.work * count < GIL_FREE:
            _range(call, 0, count)
        else:
            with nogil:
                parallel_for(count, max(1, GRAIN // max(1, call.work)), _range, call)
        return _done(call)
    if call.instead != NULL:
        return _run_instead(call, count)
    _ask(call)
    if count == 1 and call.work > OWN_THREADS:
        with nogil:
            _range(call, 0, 1)
        return _done(call)
    hold()
    if call.work * count < GIL_FREE:
        _range(call, 0, count)
    else:
        with nogil:
            parallel_for(count, max(1, GRAIN // max(1, call.work)), _range, call)
    release()
    return _done(call)


cdef int _done(Call* call) except -1:
    if call.failed:
        raise MemoryError()
    return 0


# --- LU of one matrix, in blocks of columns -------------------------------------------------------------------------

cdef enum:
    PANEL = 64  # columns that are factorized together
    STRIP = 32  # columns that a thread updates together

cdef struct Blocks:
    void* getrf
    void* laswp
    void* trsm
    void* gemm
    char* a
    lapack_int* pivots
    lapack_int m, n, k, info
    Py_ssize_t item
    lapack_int at, width, ahead  # the last factorized panel and its width, and the width of the next one
    double[2] one, minus_one


cdef char* _element(Blocks* b, lapack_int row, lapack_int column) noexcept nogil:
    return b.a + (row + column * b.m) * b.item


cdef void _exchange(Blocks* b, lapack_int first, lapack_int width, lapack_int begin, lapack_int end) noexcept nogil:
    """Exchange rows of some columns according to pivots [begin, end)."""
    cdef lapack_int one = 1
    cdef void* args[MOST_ARGS]
    memset(args, 0, sizeof(args))
    begin += 1
    args[0], args[1], args[2], args[3] = &width, _element(b, 0, first), &b.m, &begin
    args[4], args[5], args[6] = &end, b.pivots, &one
    fl_call_lapack(b.laswp, args)


cdef void _factorize(Blocks* b, lapack_int at, lapack_int width) noexcept nogil:
    cdef lapack_int rows = b.m - at, info = 0, i
    cdef void* args[MOST_ARGS]
    memset(args, 0, sizeof(args))
    args[0], args[1], args[2], args[3] = &rows, &width, _element(b, at, at), &b.m
    args[4], args[5] = b.pivots + at, &info
    fl_call_lapack(b.getrf, args)
    for i in range(at, at + width):
        b.pivots[i] += at
    if info and not b.info:
        b.info = at + info


cdef void _follow(Blocks* b, lapack_int first, lapack_int width) noexcept nogil:
    """Update columns with the last panel."""
    cdef lapack_int below = b.at + b.width, rows = b.m - below
    cdef void* args[MOST_ARGS]
    _exchange(b, first, width, b.at, below)
    memset(args, 0, sizeof(args))
    args[0], args[1], args[2], args[3] = <void*>LEFT, <void*>LOWER, <void*>AS_IS, <void*>UNIT
    args[4], args[5], args[6] = &b.width, &width, b.one
    args[7], args[8], args[9], args[10] = _element(b, b.at, b.at), &b.m, _element(b, b.at, first), &b.m
    fl_call_lapack(b.trsm, args)
    if rows:
        args[0], args[1], args[2], args[3], args[4] = <void*>AS_IS, <void*>AS_IS, &rows, &width, &b.width
        args[5], args[6], args[7] = b.minus_one, _element(b, below, b.at), &b.m
        args[8], args[9], args[10] = _element(b, b.at, first), &b.m, b.one
        args[11], args[12] = _element(b, below, first), &b.m
        fl_call_lapack(b.gemm, args)


cdef void _advance(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    """Task 0 factorizes the next panel, which all others would wait for; the other tasks update strips behind it."""
    cdef Blocks* b = <Blocks*>context
    cdef lapack_int ahead = b.at + b.width, first
    cdef Py_ssize_t i
    for i in range(begin, end):
        if i:
            first = ahead + b.ahead + (i - 1) * STRIP
            _follow(b, first, min(STRIP, b.n - first))
        elif b.ahead:
            _follow(b, ahead, b.ahead)
            _factorize(b, ahead, b.ahead)


cdef void _catch_up(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    """Apply the row exchanges of later panels to factorized panels."""
    cdef Blocks* b = <Blocks*>context
    cdef Py_ssize_t i
    for i in range(begin, end):
        _exchange(b, i * PANEL, PANEL, (i + 1) * PANEL, b.k)


cdef bint block_lu(int dtype, lapack_int m, lapack_int n, void* a, lapack_int* pivots, lapack_int* info) except -1:
    """Do the same as getrf on the thread pool; return False if LAPACK is not available."""
    cdef Blocks b
    cdef str prefix = _PREFIXES[dtype]
    b.getrf, b.laswp = symbol(prefix + "getrf_"), symbol(prefix + "laswp_")
    b.trsm, b.gemm = symbol(prefix + "trsm_"), symbol(prefix + "gemm_")
    if b.getrf == NULL or b.laswp == NULL or b.trsm == NULL or b.gemm == NULL:
        return False
    b.a, b.pivots, b.m, b.n, b.k, b.info, b.item = <char*>a, pivots, m, n, min(m, n), 0, ITEMSIZE[dtype]
    b.one[0], b.one[1], b.minus_one[0], b.minus_one[1] = 1, 0, -1, 0
    if real_of(dtype) == FLOAT32:
        (<float*>b.one)[0], (<float*>b.one)[1], (<float*>b.minus_one)[0], (<float*>b.minus_one)[1] = 1, 0, -1, 0
    hold()
    with nogil:
        b.at, b.width = 0, min(PANEL, b.k)
        _factorize(&b, 0, b.width)
        while b.width:
            b.ahead = min(PANEL, b.k - b.at - b.width)
            parallel_for(1 + (n - b.at - b.width - b.ahead + STRIP - 1) // STRIP, 1, _advance, &b)
            b.at += b.width
            b.width = b.ahead
        parallel_for((b.k - 1) // PANEL, 1, _catch_up, &b)
    release()
    info[0] = b.info
    return True


# --- matrices -------------------------------------------------------------------------------------------------------

cdef Tensor empty_columns(int dtype, int nbatch, const Py_ssize_t* batch, Py_ssize_t rows, Py_ssize_t columns):
    """Create uninitialized column-major matrices."""
    cdef Py_ssize_t[MAX_NDIM] sizes
    cdef Py_ssize_t[MAX_NDIM] strides
    cdef Py_ssize_t step = max(1, rows) * max(1, columns)
    cdef int d
    if nbatch + 2 > MAX_NDIM:
        raise RuntimeError(f"tensors have at most {MAX_NDIM} dimensions")
    sizes[nbatch], sizes[nbatch + 1] = rows, columns
    strides[nbatch], strides[nbatch + 1] = 1, max(1, rows)
    for d in range(nbatch - 1, -1, -1):
        sizes[d], strides[d] = batch[d], step
        step *= max(1, batch[d])
    return empty_strided(dtype, nbatch + 2, sizes, strides)


cdef Tensor in_columns(Tensor t, int nbatch=-1, const Py_ssize_t* batch=NULL, bint transposed=False):
    """Return a column-major copy; if `transposed`, of the transposed matrices, so the result itself is row-major."""
    cdef Tensor out, view
    cdef Py_ssize_t rows = t.sizes[t.ndim - 2], columns = t.sizes[t.ndim - 1]
    if nbatch < 0:
        nbatch, batch = t.ndim - 2, t.sizes
    if not transposed:
        out = empty_columns(t.dtype, nbatch, batch, rows, columns)
        if not (t.ndim == 2 and nbatch == 0 and t.numel <= SMALL and _copy_small(out, t)):
            copy_elements(out, t)
        return out
    out = empty_columns(t.dtype, nbatch, batch, columns, rows)
    view = matrix_transpose(out)
    copy_elements(view, t)
    return out


cdef bint _copy_small(Tensor out, Tensor t) noexcept:
    """Copy one small matrix element by element, since choosing the best method would cost more than the copy."""
    cdef Py_ssize_t i, j, rows = t.sizes[0], down = t.strides[0], right = t.strides[1]
    if ITEMSIZE[t.dtype] == 4:
        for j in range(t.sizes[1]):
            for i in range(rows):
                (<int32_t*>out.data)[i + j * rows] = (<int32_t*>t.data)[i * down + j * right]
    elif ITEMSIZE[t.dtype] == 8:
        for j in range(t.sizes[1]):
            for i in range(rows):
                (<int64_t*>out.data)[i + j * rows] = (<int64_t*>t.data)[i * down + j * right]
    else:
        return False
    return True


cdef Tensor as_int32(Tensor t):
    """Convert contiguous int64 to int32: PyTorch's pivots and infos, which LAPACK returns as 64-bit integers here."""
    cdef Tensor out = empty(INT32, t.ndim, t.sizes)
    cdef Py_ssize_t i
    for i in range(0 if is_dry() else t.numel):
        (<int32_t*>out.data)[i] = <int32_t>(<int64_t*>t.data)[i]
    return out


cdef Tensor matrix_transpose(Tensor t):
    """Return the transposed matrices on the same memory, as a tensor that is not a view."""
    cdef Py_ssize_t[MAX_NDIM] sizes
    cdef Py_ssize_t[MAX_NDIM] strides
    cdef int d, n = t.ndim
    for d in range(n):
        sizes[d], strides[d] = t.sizes[d], t.strides[d]
    sizes[n - 2], sizes[n - 1] = t.sizes[n - 1], t.sizes[n - 2]
    strides[n - 2], strides[n - 1] = t.strides[n - 1], t.strides[n - 2]
    return detached(view_of(t, n, sizes, strides, t.data))


cdef Tensor zeros_of(int dtype, int ndim, const Py_ssize_t* sizes):
    cdef Tensor out = empty(dtype, ndim, sizes)
    memset(out.data, 0, out.numel * ITEMSIZE[dtype])
    return out


cdef Tensor zero_vectors(int dtype, Tensor a, Py_ssize_t n):
    """Create a vector of n zeros for each matrix of `a`."""
    cdef Py_ssize_t[MAX_NDIM] sizes
    cdef int d
    for d in range(a.ndim - 2):
        sizes[d] = a.sizes[d]
    sizes[a.ndim - 2] = n
    return zeros_of(dtype, a.ndim - 1, sizes)


cdef Tensor identities(int dtype, int nbatch, const Py_ssize_t* batch, Py_ssize_t rows, Py_ssize_t columns):
    """Create column-major matrices with ones on the diagonal."""
    cdef Tensor out = empty_columns(dtype, nbatch, batch, rows, columns)
    cdef Py_ssize_t i, j, item = ITEMSIZE[dtype]
    if is_dry():
        return out
    memset(out.data, 0, out.numel * item)
    for i in range(count_matrices(out) if out.numel else 0):
        for j in range(min(rows, columns)):
            set_one(out.data + (i * rows * columns + j * (rows + 1)) * item, dtype)
    return out


cdef void set_one(char* at, int dtype) noexcept:
    if real_of(dtype) == FLOAT32:
        (<float*>at)[0] = 1
    else:
        (<double*>at)[0] = 1


cdef void clear_triangle(Tensor t, bint upper) noexcept:
    """Set one side of the diagonal of column-major matrices to zero."""
    cdef Py_ssize_t m = t.sizes[t.ndim - 2], n = t.sizes[t.ndim - 1], item = ITEMSIZE[t.dtype], i, j
    for i in range(count_matrices(t) if t.numel else 0):
        for j in range(n):
            if upper:
                memset(t.data + (i * n + j) * m * item, 0, min(j, m) * item)
            elif j < m:
                memset(t.data + ((i * n + j) * m + j + 1) * item, 0, (m - j - 1) * item)


cdef Py_ssize_t matrix_bytes(Tensor t) noexcept:
    """Return the bytes from one matrix to the next in tensors that were created here."""
    return t.sizes[t.ndim - 2] * t.sizes[t.ndim - 1] * ITEMSIZE[t.dtype]


cdef Py_ssize_t count_matrices(Tensor t, int last=2) noexcept:
    cdef Py_ssize_t count = 1
    cdef int d
    for d in range(t.ndim - last):
        count *= t.sizes[d]
    return count


cdef int check_matrices(str function, Tensor t, bint square, str name="A") except -1:
    if t.ndim < 2:
        raise RuntimeError(f"{function}: The input tensor {name} must have at least 2 dimensions.")
    if square and t.sizes[t.ndim - 2] != t.sizes[t.ndim - 1]:
        raise RuntimeError(f"{function}: {name} must be batches of square matrices, but they are "
                           f"{t.sizes[t.ndim - 2]} by {t.sizes[t.ndim - 1]} matrices")
    return 0


cdef int check_dtype(str function, Tensor t, str kernel=None) except -1:
    """Raise for dtypes other than float, double and their complex forms; `kernel` names the error for half types."""
    if CATEGORY[t.dtype] < CAT_FLOAT:
        raise RuntimeError(f"{function}: Expected a floating point or complex tensor as input. Got "
                           + type_name(dtype_object(t.dtype)))
    if kernel is not None:
        return check_kernel(kernel, t)
    if t.dtype < FLOAT32 or t.dtype == COMPLEX32:
        raise RuntimeError(f"{function}: Low precision dtypes not supported. Got {type_name(dtype_object(t.dtype))}")
    return 0


cdef int check_kernel(str function, Tensor t) except -1:
    if t.dtype < FLOAT32 or t.dtype == COMPLEX32:
        raise NotImplementedError(f'"{function}_cpu" not implemented for \'{type_name(dtype_object(t.dtype))}\'')
    return 0


cdef int broadcast_batches(Tensor a, int a_last, Tensor b, int b_last, Py_ssize_t* batch) except -1:
    """Broadcast the sizes before the last dimensions of both; return their number."""
    cdef int na = a.ndim - a_last, nb = b.ndim - b_last, n = max(na, nb), d
    cdef Py_ssize_t x, y
    for d in range(n):
        x = a.sizes[d - n + na] if d >= n - na else 1
        y = b.sizes[d - n + nb] if d >= n - nb else 1
        if x != y and x != 1 and y != 1:
            raise RuntimeError(f"The size of tensor a ({x}) must match the size of tensor b ({y}) at non-singleton "
                               f"dimension {d}")
        batch[d] = y if x == 1 else x
    return n
