# cython: language_level=3
"""Matrix products on memory.

Small products use our own loop, because calling BLAS would cost more. NumPy contains OpenBLAS; its functions are looked
up in the library that NumPy has loaded. If they are not found (another BLAS, another platform), the inner loop of
``np.matmul`` is used. Large products are split into blocks over the thread pool. BLAS is limited to one thread
meanwhile, since its threads would spin beside ours.
"""
from cpython.object cimport PyObject
from cython cimport floating
from libc.stdlib cimport free, malloc

from flambeau_tensor._core.elementwise.dtype cimport ITEMSIZE, NPY_TYPE
from flambeau_tensor._core.memory.meta_device cimport is_dry
from flambeau_tensor._core.elementwise.parallel cimport num_threads, parallel_for
from flambeau_tensor._core.memory.types cimport *
from flambeau_tensor.grain cimport GIL_FREE, GRAIN

import os

import numpy as np

from flambeau_tensor._core.elementwise import parallel
from flambeau_tensor._core.elementwise.cpu_levels import LEVEL, hot

cdef extern from * nogil:
    """
    #if defined(_WIN32)
    static void* fl_symbol(const char* library, const char* name) { (void)library; (void)name; return NULL; }
    #else
    #include <dlfcn.h>
    /* Looks in a library that is already loaded and in the libraries that it is linked with. */
    static void* fl_symbol(const char* library, const char* name) {
        void* handle = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
        return handle ? dlsym(handle, name) : NULL;
    }
    #endif
    """
    void* fl_symbol(const char* library, const char* name)

ctypedef long long blas_int  # of the 64-bit interface in NumPy's wheels

ctypedef void (*sgemm_t)(int, int, int, blas_int, blas_int, blas_int, float, const void*, blas_int, const void*,
                         blas_int, float, void*, blas_int) noexcept nogil
ctypedef void (*dgemm_t)(int, int, int, blas_int, blas_int, blas_int, double, const void*, blas_int, const void*,
                         blas_int, double, void*, blas_int) noexcept nogil
ctypedef void (*cgemm_t)(int, int, int, blas_int, blas_int, blas_int, const void*, const void*, blas_int, const void*,
                         blas_int, const void*, void*, blas_int) noexcept nogil
ctypedef void (*sgemv_t)(int, int, blas_int, blas_int, float, const void*, blas_int, const void*, blas_int, float,
                         void*, blas_int) noexcept nogil
ctypedef void (*dgemv_t)(int, int, blas_int, blas_int, double, const void*, blas_int, const void*, blas_int, double,
                         void*, blas_int) noexcept nogil
ctypedef void (*cgemv_t)(int, int, blas_int, blas_int, const void*, const void*, blas_int, const void*, blas_int,
                         const void*, void*, blas_int) noexcept nogil
ctypedef void (*loop_t)(char** args, const Py_ssize_t* dimensions, const Py_ssize_t* strides, void* data) noexcept nogil

ctypedef void (*small_t)(Py_ssize_t m, Py_ssize_t n, Py_ssize_t k, const void* a, Py_ssize_t a_row, Py_ssize_t a_col,
                         const void* b, Py_ssize_t b_row, void* c, Py_ssize_t c_row, int add) noexcept nogil
ctypedef bint (*blocked_t)(Py_ssize_t m, Py_ssize_t n, Py_ssize_t k, const void* a, Py_ssize_t a_row, Py_ssize_t a_col,
                           const void* b, Py_ssize_t b_row, Py_ssize_t b_col, void* c, Py_ssize_t c_row,
                           int add) noexcept nogil

ctypedef void (*brain_t)(Py_ssize_t m, Py_ssize_t n, Py_ssize_t k, const void* a, Py_ssize_t a_row, Py_ssize_t a_col,
                         const void* b, Py_ssize_t b_row, Py_ssize_t b_col, void* c, Py_ssize_t c_row,
                         int add) noexcept nogil

cdef enum:  # CBLAS
    ROW_MAJOR = 101
    COL_MAJOR = 102
    AS_IS = 111
    TRANSPOSED = 112

cdef enum:  # numbers of multiplications
    SMALL = 4096  # up to this size, our own loop is faster
    BLOCKED = 1 << 19  # from this size, our own blocking is faster, if it exists
    BRAIN = 1 << 14  # from this size, bfloat16 is multiplied without conversion, if the processor supports it
    SPECIAL = 1_000_000  # up to this size, OpenBLAS has special kernels for AVX-512
    ACROSS = 1 << 15  # as BLOCKED, where these are slow
    ACROSS_ROWS = 24  # minimum numbers of rows and columns there
    ACROSS_COLUMNS = 32
    FEW_ROWS = 8  # rows of the left factor for which packing the right one does not pay
    TURNED = 512  # elements of a right factor that are worth transposing for our loop
    QUIET = 4096  # below this size, BLAS uses one thread
    CHEAP = 16  # multiplications that cost as much as one addition in `grain`, because the processor vectorizes them

cdef sgemm_t _sgemm = NULL
cdef dgemm_t _dgemm = NULL
cdef cgemm_t _cgemm = NULL
cdef cgemm_t _zgemm = NULL
cdef sgemv_t _sgemv = NULL
cdef dgemv_t _dgemv = NULL
cdef cgemv_t _cgemv = NULL
cdef cgemv_t _zgemv = NULL
cdef int (*_get_threads)() noexcept nogil
cdef void (*_set_threads)(int) noexcept nogil
cdef bint _found = False
cdef bytes _library = None
cdef str _prefix = ""
cdef small_t _small_float = NULL
cdef small_t _small_double = NULL
cdef blocked_t _blocked_float = NULL
cdef blocked_t _blocked_double = NULL
cdef brain_t _blocked_brain = NULL
cdef bint _skylake = False  # whether OpenBLAS has special kernels for small products, as with AVX-512
cdef loop_t[NDTYPES] _loops  # from np.matmul
cdef void* _loop_data[NDTYPES]


# --- finding the functions ------------------------------------------------------------------------------------------

cdef extern from "numpy/arrayobject.h":  # required by ufuncobject.h
    pass
cdef extern from "numpy/ufuncobject.h":
    ctypedef struct UFunc "PyUFuncObject":
        int nin
        int ntypes
        void** functions
        void** data
        char* types


def _find_loops():
    cdef UFunc* f = <UFunc*><PyObject*>np.matmul
    cdef int d, i
    for d in range(NDTYPES):
        _loops[d] = NULL
        for i in range(f.ntypes):
            if f.types[3 * i] == NPY_TYPE[d] and f.types[3 * i + 1] == NPY_TYPE[d]:
                _loops[d] = <loop_t>f.functions[i]
                _loop_data[d] = f.data[i] if f.data != NULL else NULL
                break


def _find_own():
    global _small_float, _small_double, _blocked_float, _blocked_double, _blocked_brain, _skylake
    loops = hot("matmul").LOOPS
    if "small" in loops:
        _small_float = <small_t><size_t>loops["small"]["float32"]
        _small_double = <small_t><size_t>loops["small"]["float64"]
    if "blocked" in loops:
        _blocked_float = <blocked_t><size_t>loops["blocked"]["float32"]
        _blocked_double = <blocked_t><size_t>loops["blocked"]["float64"]
        _blocked_brain = <brain_t><size_t>loops["blocked"].get("bfloat16", 0)
        if LEVEL == "v4":
            _skylake = True


def _find_blas():
    """Look up OpenBLAS's functions in the libraries of NumPy's core; return whether all were found."""
    global _sgemm, _dgemm, _cgemm, _zgemm, _sgemv, _dgemv, _cgemv, _zgemv, _get_threads, _set_threads, _found
    global _library, _prefix
    from numpy._core import _multiarray_umath

    cdef bytes library = os.fsencode(getattr(_multiarray_umath, "__file__", None) or "")
    cdef void* found[10]
    cdef int i
    if os.environ.get("FLAMBEAU_BLAS") == "numpy":
        return False
    for prefix in ("scipy_", ""):
        names = [f"{prefix}cblas_{letter}{kind}64_" for kind in ("gemm", "gemv") for letter in "sdcz"]
        names += [f"{prefix}openblas_get_num_threads64_", f"{prefix}openblas_set_num_threads64_"]
        for i, name in enumerate(names):
            found[i] = fl_symbol(library, <bytes>name.encode())
            if found[i] == NULL:
                break
        else:
            _sgemm, _dgemm, _cgemm, _zgemm = <sgemm_t>found[0], <dgemm_t>found[1], <cgemm_t>found[2], <cgemm_t>found[3]
            _sgemv, _dgemv, _cgemv, _zgemv = <sgemv_t>found[4], <dgemv_t>found[5], <cgemv_t>found[6], <cgemv_t>found[7]
            _get_threads = <int (*)() noexcept nogil>found[8]
            _set_threads = <void (*)(int) noexcept nogil>found[9]
            _found, _library, _prefix = True, library, prefix
            return True
    return False


cdef void* symbol(str name) except? NULL:
    return fl_symbol(_library, <bytes>f"{_prefix}{name}64_".encode()) if _found else NULL


def uses_blas():
    """Whether floating point products call BLAS directly; ``FLAMBEAU_BLAS=numpy`` makes them use NumPy's loop."""
    return _found


def _follow(int n):
    if _found:
        _set_threads(n)


_find_loops()
_find_own()
_find_blas()
parallel._followers.append(_follow)


# --- BLAS held to one thread ----------------------------------------------------------------------------------------
# Called with the GIL held, so several Python threads may be inside at once.

cdef int _inside = 0, _threads_before = 1


cdef void hold() noexcept:
    global _inside, _threads_before
    if _inside == 0:
        _threads_before = _get_threads()
        if _threads_before != 1:
            _set_threads(1)
    _inside += 1


cdef void release() noexcept:
    global _inside
    _inside -= 1
    if _inside == 0 and _threads_before != 1:
        _set_threads(_threads_before)


# --- one product ----------------------------------------------------------------------------------------------------

cdef bint fits(Py_ssize_t rows, Py_ssize_t cols, Py_ssize_t* row, Py_ssize_t* col) noexcept nogil:
    if rows == 1 and cols == 1:
        row[0] = col[0] = 1
    elif cols == 1:
        col[0] = 1
    elif rows == 1:
        row[0] = cols if col[0] == 1 else 1
    if rows == 1 and col[0] > 1:
        return True
    return (col[0] == 1 and row[0] >= cols) or (row[0] == 1 and col[0] >= rows)


cdef bint has_factors(int dtype) noexcept nogil:
    return _found and dtype >= FLOAT32


cdef bint has_brain(Py_ssize_t m, Py_ssize_t n, Py_ssize_t k) noexcept nogil:
    return _blocked_brain != NULL and m >= 2 and n >= 8 and m * n * k >= BRAIN


cdef inline Py_ssize_t _least(const Products* p, Py_ssize_t m, Py_ssize_t n) noexcept nogil:
    """Return the number of multiplications from which our own blocking is faster.

    OpenBLAS's special kernels are slow if both factors are contiguous along the summed dimension, unless that is long.
    """
    if not _skylake or p.a_col != 1 or p.b_col == 1:
        return BLOCKED
    if p.k >= 16 * max(m, n):
        return SPECIAL
    return ACROSS if m >= ACROSS_ROWS and n >= ACROSS_COLUMNS else BLOCKED


cdef bint _in_blocks(const Products* p, const char* a, const char* b, char* c, Py_ssize_t m,
                     Py_ssize_t n) noexcept nogil:
    """Compute the product by our own blocking if it is faster and memory suffices; return whether it was done."""
    cdef blocked_t blocked = _blocked_float if p.dtype == FLOAT32 else _blocked_double if p.dtype == FLOAT64 else NULL
    if blocked == NULL or m * n * p.k < _least(p, m, n) or m < FEW_ROWS or p.alpha[0] != 1 or \
            (p.beta[0] != 0 and p.beta[0] != 1):
        return False
    return blocked(m, n, p.k, a, p.a_row, p.a_col, b, p.b_row, p.b_col, c, p.c_row, p.beta[0] == 1)


cdef bint _turned(const Products* p, const float* a, Py_ssize_t lda, const char* b, Py_ssize_t ldb, char* c,
                  Py_ssize_t m, Py_ssize_t n) noexcept nogil:
    """Compute the product with `a` copied to column-major order; False if memory for that does not suffice.

    A small batch through a linear layer with more outputs than inputs takes half the time with the copy, where
    OpenBLAS is slow as in `_least`.
    """
    cdef float* turned = <float*>malloc(m * p.k * sizeof(float))
    cdef Py_ssize_t i, j
    if turned == NULL:
        return False
    for i in range(m):
        for j in range(p.k):
            turned[j * m + i] = a[i * lda + j]
    _sgemm(ROW_MAJOR, TRANSPOSED, TRANSPOSED, m, n, p.k, <float>p.alpha[0], turned, m, b, ldb, <float>p.beta[0], c,
           p.c_row)
    free(turned)
    return True


cdef inline void _gemm(const Products* p, const char* a, const char* b, char* c, Py_ssize_t m,
                       Py_ssize_t n) noexcept nogil:
    cdef int ta = AS_IS if p.a_col == 1 else TRANSPOSED
    cdef int tb = AS_IS if p.b_col == 1 else TRANSPOSED
    cdef Py_ssize_t lda = p.a_row if p.a_col == 1 else p.a_col
    cdef Py_ssize_t ldb = p.b_row if p.b_col == 1 else p.b_col
    cdef float[4] factors
    if _in_blocks(p, a, b, c, m, n):
        return
    if p.dtype == FLOAT32:
        if ta == AS_IS and tb == TRANSPOSED and 8 <= m <= n and 2 * n >= 3 * p.k and \
                100_000 < m * n * p.k <= SPECIAL:
            if _turned(p, <const float*>a, lda, b, ldb, c, m, n):
                return
        _sgemm(ROW_MAJOR, ta, tb, m, n, p.k, <float>p.alpha[0], a, lda, b, ldb, <float>p.beta[0], c, p.c_row)
    elif p.dtype == FLOAT64:
        _dgemm(ROW_MAJOR, ta, tb, m, n, p.k, p.alpha[0], a, lda, b, ldb, p.beta[0], c, p.c_row)
    elif p.dtype == COMPLEX64:
        factors[0], factors[1] = <float>p.alpha[0], <float>p.alpha[1]
        factors[2], factors[3] = <float>p.beta[0], <float>p.beta[1]
        _cgemm(ROW_MAJOR, ta, tb, m, n, p.k, factors, a, lda, b, ldb, &factors[2], c, p.c_row)
    else:
        _zgemm(ROW_MAJOR, ta, tb, m, n, p.k, p.alpha, a, lda, b, ldb, p.beta, c, p.c_row)


cdef inline void _gemv(const Products* p, const char* matrix, Py_ssize_t rows, Py_ssize_t row, Py_ssize_t col,
                       const char* x, Py_ssize_t x_step, char* y, Py_ssize_t y_step) noexcept nogil:
    """y[rows] = alpha * matrix[rows, k] @ x[k] + beta * y."""
    cdef int order = ROW_MAJOR if col == 1 else COL_MAJOR
    cdef Py_ssize_t ld = row if col == 1 else col
    cdef float[4] factors
    if p.dtype == FLOAT32:
        _sgemv(order, AS_IS, rows, p.k, <float>p.alpha[0], matrix, ld, x, x_step, <float>p.beta[0], y, y_step)
    elif p.dtype == FLOAT64:
        _dgemv(order, AS_IS, rows, p.k, p.alpha[0], matrix, ld, x, x_step, p.beta[0], y, y_step)
    elif p.dtype == COMPLEX64:
        factors[0], factors[1] = <float>p.alpha[0], <float>p.alpha[1]
        factors[2], factors[3] = <float>p.beta[0], <float>p.beta[1]
        _cgemv(order, AS_IS, rows, p.k, factors, matrix, ld, x, x_step, &factors[2], y, y_step)
    else:
        _zgemv(order, AS_IS, rows, p.k, p.alpha, matrix, ld, x, x_step, p.beta, y, y_step)


cdef void _numpy(const Products* p, const char* a, const char* b, char* c, Py_ssize_t m, Py_ssize_t n) noexcept nogil:
    cdef char* args[3]
    cdef Py_ssize_t item = ITEMSIZE[p.dtype]
    cdef Py_ssize_t[4] dimensions
    cdef Py_ssize_t[9] steps
    args[0], args[1], args[2] = <char*>a, <char*>b, c
    dimensions[0], dimensions[1], dimensions[2], dimensions[3] = 1, m, p.k, n
    steps[0] = steps[1] = steps[2] = 0
    steps[3], steps[4] = p.a_row * item, p.a_col * item
    steps[5], steps[6] = p.b_row * item, p.b_col * item
    steps[7], steps[8] = p.c_row * item, item
    _loops[p.dtype](args, dimensions, steps, _loop_data[p.dtype])


cdef inline void _product(const Products* p, const char* a, const char* b, char* c, Py_ssize_t m,
                          Py_ssize_t n) noexcept nogil:
    if p.brain:
        _blocked_brain(m, n, p.k, a, p.a_row, p.a_col, b, p.b_row, p.b_col, c, p.c_row, p.beta[0] == 1)
    elif not has_factors(p.dtype):
        _numpy(p, a, b, c, m, n)
    elif n == 1:
        _gemv(p, a, m, p.a_row, p.a_col, b, p.b_row, c, p.c_row)
    elif m == 1:
        _gemv(p, b, n, p.b_col, p.b_row, a, p.a_col, c, 1)
    else:
        _gemm(p, a, b, c, m, n)


# --- batches, and parts of large products ---------------------------------------------------------------------------

cdef void _task(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    cdef const Products* p = <const Products*>context
    cdef Py_ssize_t i, part, rest, at, lo, hi, out = ITEMSIZE[p.dtype], item = 2 if p.brain else out
    cdef const char* a
    cdef const char* b
    cdef char* c
    cdef int d
    for i in range(begin, end):
        rest, part = i // p.parts, i % p.parts
        a, b, c = p.a, p.b, p.c
        for d in range(p.nbatch - 1, -1, -1):
            at = rest % p.batch_sizes[d]
            rest = rest // p.batch_sizes[d]
            a += at * p.a_batch[d] * item
            b += at * p.b_batch[d] * item
            c += at * p.c_batch[d] * out
        if p.by_columns:
            lo, hi = p.n * part // p.parts, p.n * (part + 1) // p.parts
            _product(p, a, b + lo * p.b_col * item, c + lo * out, p.m, hi - lo)
        else:
            lo, hi = p.m * part // p.parts, p.m * (part + 1) // p.parts
            _product(p, a + lo * p.a_row * item, b, c + lo * p.c_row * out, hi - lo, p.n)


cdef inline bint _small(const Products* p) noexcept nogil:
    """Compute a single small product; return False if it is not one."""
    cdef small_t loop
    cdef double[TURNED] turned
    cdef const void* b = p.b
    cdef Py_ssize_t b_row = p.b_row
    if p.alpha[0] != 1 or (p.beta[0] != 0 and p.beta[0] != 1):
        return False
    if p.dtype == FLOAT32:
        loop = _small_float if p.n % 8 == 0 else NULL
    elif p.dtype == FLOAT64:
        loop = _small_double if p.n % 4 == 0 else NULL
    else:
        return False
    if loop == NULL:
        return False
    if p.b_col != 1:  # the loop reads rows of the right factor
        if p.k * p.n > TURNED:
            return False
        if p.dtype == FLOAT32:
            _turn(p, <float*>turned, <const float*>p.b)
        else:
            _turn(p, turned, <const double*>p.b)
        b, b_row = turned, p.n
    loop(p.m, p.n, p.k, p.a, p.a_row, p.a_col, b, b_row, p.c, p.c_row, p.beta[0] == 1)
    return True


cdef inline void _turn(const Products* p, floating* out, const floating* b) noexcept nogil:
    """Copy the right factor to row-major order."""
    cdef Py_ssize_t i, j
    for j in range(p.n):
        for i in range(p.k):
            out[i * p.n + j] = b[i * p.b_row + j * p.b_col]


cdef void multiply_here(Products* p) noexcept nogil:
    if p.m * p.n * p.k > SMALL or not _small(p):
        _product(p, p.a, p.b, p.c, p.m, p.n)


cdef int multiply(Products* p) except -1:
    cdef Py_ssize_t work = p.m * p.n * p.k, threads
    cdef int d
    if work <= SMALL and p.nbatch == 0 and not p.brain and _small(p):
        return 0
    p.batches = 1
    for d in range(p.nbatch):
        p.batches *= p.batch_sizes[d]
    if p.m == 0 or p.n == 0 or p.batches == 0:
        return 0
    p.parts = 1
    p.by_columns = False
    work *= p.batches
    if work < QUIET or not _found:
        if work < 4 * GIL_FREE:
            _task(p, 0, p.batches)
            return 0
    if work >= 4 * GIL_FREE and is_dry():
        return 0
    threads = min(<Py_ssize_t>num_threads(), work // (CHEAP * GRAIN))
    if threads > p.batches:
        p.by_columns = p.n > p.m
        p.parts = min((threads + p.batches - 1) // p.batches, max(p.n, p.m))
    if _found:
        hold()
    if work < 4 * GIL_FREE:
        _task(p, 0, p.batches)
    else:
        with nogil:
            parallel_for(p.batches * p.parts, 1, _task, p)
    if _found:
        release()
    return 0
