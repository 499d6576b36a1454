"""Filling tensors with random numbers: checks of arguments, and the order in which elements receive numbers.

hot/random.pyx converts a generator's bits to numbers. Elements receive numbers in the order in which they are stored,
as in PyTorch.
"""
from cpython.object cimport PyObject
from libc.math cimport fabs
from libc.stdint cimport int64_t, uint8_t, uint64_t

from flambeau_tensor._core.elementwise.casts cimport CAST, cast_t
from flambeau_tensor._core.elementwise.dtype cimport CATEGORY, ITEMSIZE, dtype_object, family, real_of
from flambeau_tensor._core.elementwise.copying cimport copy_elements
from flambeau_tensor._core.memory.meta_device cimport is_dry
from flambeau_tensor._core.elementwise.operands cimport check_writable, out_tensor, same_sizes
from flambeau_tensor._core.call.operator cimport Operator, make_kernel
from flambeau_tensor._core.memory.tensor cimport Tensor, empty, empty_strided, is_dense, resize
from flambeau_tensor._core.memory.types cimport *
from flambeau_tensor._kernels.random_types cimport Params, Source, choose_t, draw_t, permute_t
from flambeau_tensor._kernels.generator cimport Generator, generator_of

from operator import index as as_index

from flambeau_tensor._core.elementwise.dtype import c_type_name, type_name
from flambeau_tensor._core.elementwise.cpu_levels import hot

cdef dict _loops = hot("random").LOOPS


cdef draw_t draw_of(str what, str dtype="float64") except NULL:
    return <draw_t><size_t>_loops[what][dtype]


cdef draw_t UNIFORM = draw_of("uniform"), UNIFORM_FLOAT = draw_of("uniform", "float32")
cdef draw_t NORMAL_BLOCK = draw_of("normal_block"), NORMAL_BLOCK_FLOAT = draw_of("normal_block", "float32")
cdef draw_t NORMAL = draw_of("normal"), LOG_NORMAL = draw_of("log_normal"), BERNOULLI = draw_of("bernoulli")
cdef draw_t EXPONENTIAL = draw_of("exponential"), GEOMETRIC = draw_of("geometric"), CAUCHY = draw_of("cauchy")
cdef draw_t INTEGERS = draw_of("integers", "int64")
cdef choose_t CHOOSE_FLOAT = <choose_t><size_t>_loops["choose"]["float32"]
cdef choose_t CHOOSE_DOUBLE = <choose_t><size_t>_loops["choose"]["float64"]
cdef permute_t PERMUTE = <permute_t><size_t>_loops["permutation"]["int64"]

cdef double SQRT_2 = 1.4142135623730951

cdef enum:
    CHUNK = 512  # numbers that are generated together if they need conversion; a multiple of 16
    LONG = 20_000  # fills of at least this length release the GIL

cdef int[NDTYPES] DIGITS  # bits that a dtype holds exactly, without the sign
DIGITS[:] = [1, 8, 7, 15, 31, 63, 16, 32, 63, 11, 8, 24, 53, 0, 0, 0]
cdef double[NDTYPES] LARGEST  # of the floating dtypes
LARGEST[:] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 65504.0, 3.3895313892515355e38, 3.4028234663852886e38, 1.7976931348623157e308,
              0, 0, 0]


# --- filling --------------------------------------------------------------------------------------------------------

cdef void fill(Source* s, draw_t draw, int made, const Params* p, char* out, Py_ssize_t n) noexcept nogil:
    """Write n numbers of p.dtype; `draw` generates them as `made`."""
    cdef double[CHUNK] numbers
    cdef cast_t cast = CAST[made][p.dtype]
    cdef Py_ssize_t k
    if made == p.dtype:
        draw(s, p, out, n)
        return
    while n > 0:
        k = min(n, CHUNK)
        draw(s, p, numbers, k)
        cast(<char*>numbers, ITEMSIZE[made], out, ITEMSIZE[p.dtype], k)
        out += k * ITEMSIZE[p.dtype]
        n -= k


cdef void fill_normal_blocks(Source* s, draw_t draw, int made, const Params* p, char* out, Py_ssize_t n) noexcept nogil:
    """Write normal numbers, which are generated in blocks of 16.

    If n is not a multiple of 16, the last 16 elements are generated again as a block. At full precision, numbers are
    drawn for the remainder first, and discarded."""
    cdef Py_ssize_t rest = n % 16
    cdef double[16] waste
    fill(s, draw, made, p, out, n - rest)
    if rest:
        if made == p.dtype:
            (UNIFORM if made == FLOAT64 else UNIFORM_FLOAT)(s, &UNIT, waste, rest)
        fill(s, draw, made, p, out + (n - 16) * ITEMSIZE[p.dtype], 16)


cdef Params UNIT
UNIT.a, UNIT.b, UNIT.dtype = 0, 1, FLOAT32

ctypedef void (*fill_t)(Source*, draw_t, int, const Params*, char*, Py_ssize_t) noexcept nogil


cdef Tensor dense_like(Tensor t):
    """Create an uninitialized dense tensor with the same shape and the same order of dimensions in memory."""
    cdef Py_ssize_t[MAX_NDIM] strides
    cdef int[MAX_NDIM] order
    cdef Py_ssize_t step = 1
    cdef int i, j
    for i in range(t.ndim):  # insertion sort, smallest stride first, later dimensions before earlier
        j = i
        while j > 0 and t.strides[order[j - 1]] >= t.strides[i]:
            order[j] = order[j - 1]
            j -= 1
        order[j] = i
    for i in range(t.ndim):
        strides[order[i]] = step
        step *= t.sizes[order[i]]
    return empty_strided(t.dtype, t.ndim, t.sizes, strides)


cdef int fill_tensor(str func, Tensor t, Generator g, fill_t filler, draw_t draw, int made, Params* p) except -1:
    """Fill a tensor with numbers, in the order of its elements in memory."""
    cdef Tensor dense = t
    cdef Py_ssize_t n = t.numel
    cdef Source* s
    check_writable(func, t)
    if n == 0:
        return 0
    if not is_dense(t):
        dense = dense_like(t)
    p.dtype = t.dtype
    if CATEGORY[t.dtype] == CAT_COMPLEX:  # real and imaginary parts alternate
        p.dtype = real_of(t.dtype)
        n *= 2
    with g.lock.mutex:
        s = &g.source
        if n < LONG:
            filler(s, draw, made, p, dense.data, n)
        elif is_dry():
            pass
        else:
            with nogil:
                filler(s, draw, made, p, dense.data, n)
    if dense is not t:
        copy_elements(t, dense)
    t.storage.version += 1
    return 0


cdef int real_dtype(Tensor t) noexcept:
    return real_of(t.dtype)


# --- distributions: checks, then fill -------------------------------------------------------------------------------
# Messages format numbers as C++ streams do, with six digits.

cdef int not_implemented(str what, Tensor t) except -1:
    raise NotImplementedError(f"\"{what}\" not implemented for '{type_name(dtype_object(t.dtype))}'")


cdef int uniform_(Tensor t, double low, double high, Generator g) except -1:
    cdef Params p
    cdef int dtype = real_dtype(t)
    cdef double most = LARGEST[dtype]
    if CATEGORY[dtype] != CAT_FLOAT:
        not_implemented("check_uniform_bounds", t)
    if not -most <= low <= most:
        raise RuntimeError(f"from is out of bounds for {c_type_name(dtype)}")
    if not -most <= high <= most:
        raise RuntimeError(f"to is out of bounds for {c_type_name(dtype)}")
    if low > high:
        raise RuntimeError(f"uniform_ expects to return a [from, to) range, but found from={low:g} > to={high:g}")
    if high - low > most:
        raise RuntimeError(f"uniform_ expects to-from <= std::numeric_limits<{type_name(dtype_object(dtype))}>::max(), "
                           f"but found to={high:g} and from={low:g} which result in to-from to exceed the limit")
    p.a, p.b = low, high
    if dtype == FLOAT64:
        return fill_tensor("uniform_", t, g, fill, UNIFORM, FLOAT64, &p)
    return fill_tensor("uniform_", t, g, fill, UNIFORM_FLOAT, FLOAT32, &p)


cdef int normal_(Tensor t, double mean, double std, Generator g) except -1:
    cdef Params p
    cdef int dtype = real_dtype(t)
    cdef Py_ssize_t n = 2 * t.numel if CATEGORY[t.dtype] == CAT_COMPLEX else t.numel
    if not std >= 0:
        raise RuntimeError(f"normal expects std >= 0.0, but found std {std:g}")
    if CATEGORY[dtype] != CAT_FLOAT:
        not_implemented("normal_kernel_cpu", t)
    p.a, p.b = mean, std / SQRT_2 if CATEGORY[t.dtype] == CAT_COMPLEX else std
    if n < 16 or not t.flags & CONTIGUOUS:
        return fill_tensor("normal_", t, g, fill, NORMAL, FLOAT64, &p)
    if dtype == FLOAT64:
        return fill_tensor("normal_", t, g, fill_normal_blocks, NORMAL_BLOCK, FLOAT64, &p)
    return fill_tensor("normal_", t, g, fill_normal_blocks, NORMAL_BLOCK_FLOAT, FLOAT32, &p)


cdef int log_normal_(Tensor t, double mean, double std, Generator g) except -1:
    cdef Params p
    if not std > 0:
        raise RuntimeError(f"log_normal_ expects std > 0.0, but found std={std:g}")
    if CATEGORY[t.dtype] != CAT_FLOAT:
        not_implemented("log_normal_cpu", t)
    p.a, p.b = mean, std
    return fill_tensor("log_normal_", t, g, fill, LOG_NORMAL, FLOAT64, &p)


cdef int exponential_(Tensor t, double rate, Generator g) except -1:
    cdef Params p
    if CATEGORY[t.dtype] != CAT_FLOAT:
        raise RuntimeError("Exponential distribution is a continuous probability distribution. dtype must be a "
                           f"floating point but you specified {type_name(dtype_object(t.dtype))}")
    if not rate > 0:
        raise RuntimeError(f"exponential_ expects lambda > 0.0, but found lambda={rate:g}")
    p.a = rate
    return fill_tensor("exponential_", t, g, fill, EXPONENTIAL, FLOAT64, &p)


cdef int geometric_(Tensor t, double probability, Generator g) except -1:
    cdef Params p
    if not 0 < probability < 1:
        raise RuntimeError(f"geometric_ expects p to be in (0, 1), but got p={probability:g}")
    if t.dtype == BOOL or CATEGORY[t.dtype] == CAT_COMPLEX:
        not_implemented("geometric_cpu", t)
    p.a = probability
    return fill_tensor("geometric_", t, g, fill, GEOMETRIC, FLOAT64, &p)


cdef int cauchy_(Tensor t, double median, double sigma, Generator g) except -1:
    cdef Params p
    if CATEGORY[t.dtype] != CAT_FLOAT:
        raise RuntimeError("Cauchy distribution is a continuous probability distribution. dtype must be a floating "
                           f"point but you specified {c_type_name(t.dtype)}")
    if not sigma > 0:
        raise RuntimeError(f"cauchy_ expects sigma > 0.0, but found sigma={sigma:g}")
    p.a, p.b = median, sigma
    return fill_tensor("cauchy_", t, g, fill, CAUCHY, FLOAT64, &p)


cdef int bernoulli_(Tensor t, double probability, Generator g) except -1:
    cdef Params p
    if not 0 <= probability <= 1:
        raise RuntimeError(f"bernoulli_ expects p to be in [0, 1], but got p={probability:g}")
    if CATEGORY[t.dtype] == CAT_COMPLEX:
        not_implemented("bernoulli_scalar_cpu_", t)
    p.a = probability
    return fill_tensor("bernoulli_", t, g, fill, BERNOULLI, FLOAT64, &p)


cdef int bernoulli_each_(Tensor t, Tensor probability, Generator g) except -1:
    """Use a separate probability for each element: floats consume a float's random bits, doubles a double's."""
    cdef Tensor dense, p, chosen
    cdef Py_ssize_t i, n = t.numel
    cdef float* floats
    cdef double* doubles
    if CATEGORY[probability.dtype] != CAT_FLOAT:
        not_implemented("bernoulli_tensor_cpu_p_", probability)
    if CATEGORY[t.dtype] == CAT_COMPLEX:
        not_implemented("bernoulli_tensor_cpu_self_", t)
    check_writable("bernoulli_", t)
    if probability.ndim > t.ndim:
        raise RuntimeError(f"bernoulli_(): the number of sizes provided ({t.ndim}) must be greater or equal to the "
                           f"number of dimensions in the tensor p ({probability.ndim})")
    dense = t if is_dense(t) else dense_like(t)
    p = empty_strided(FLOAT64 if probability.dtype == FLOAT64 else FLOAT32, t.ndim, t.sizes, dense.strides)
    copy_elements(p, probability)
    if is_dry():
        return 0
    floats, doubles = <float*>p.data, <double*>p.data
    for i in range(n):
        if not 0 <= (doubles[i] if p.dtype == FLOAT64 else floats[i]) <= 1:
            raise RuntimeError(f"bernoulli_ expects all elements of p to be in [0, 1], but got "
                               f"p={doubles[i] if p.dtype == FLOAT64 else floats[i]:g}")
    chosen = empty(UINT8, 1, &n)
    with g.lock.mutex:
        (CHOOSE_DOUBLE if p.dtype == FLOAT64 else CHOOSE_FLOAT)(&g.source, p.data, <uint8_t*>chosen.data, n)
    CAST[UINT8][t.dtype](chosen.data, 1, dense.data, ITEMSIZE[t.dtype], n)
    if dense is not t:
        copy_elements(t, dense)
    t.storage.version += 1
    return 0


# Integers. Ranges of at least 2**28 values consume 64 bits per number, shorter ones 32.

cdef int fill_integers(Tensor t, int64_t base, uint64_t modulus, bint wide, Generator g) except -1:
    cdef Params p
    p.base, p.modulus, p.wide = base, modulus, wide
    return fill_tensor("random_", t, g, fill, INTEGERS, INT64, &p)


cdef int random_all_(Tensor t, Generator g) except -1:
    """Draw from 0 to the dtype's largest integer; for floating dtypes, to the end of the integers without gaps."""
    if CATEGORY[t.dtype] == CAT_COMPLEX or UINT16 <= t.dtype <= UINT64:
        not_implemented("random_kernel_cpu", t)
    return fill_integers(t, 0, (<uint64_t>1 << DIGITS[t.dtype]) + (CATEGORY[t.dtype] == CAT_FLOAT),
                         ITEMSIZE[t.dtype] == 8, g)


cdef int check_bound(Tensor t, int64_t value, str name) except -1:
    cdef int64_t most = (<int64_t>1 << DIGITS[t.dtype]) - 1 if DIGITS[t.dtype] < 63 else 0x7fffffffffffffff
    cdef str type_ = c_type_name(t.dtype)
    if CATEGORY[t.dtype] == CAT_FLOAT:
        if fabs(<double>value) > LARGEST[t.dtype]:
            raise RuntimeError(f"{name} is out of bounds for {type_}")
        if not -most - 1 <= value <= most + 1:
            import warnings

            warnings.warn(f"{name} is out of bounds [-(2^{DIGITS[t.dtype]}), 2^{DIGITS[t.dtype]}]. {type_} does not "
                          "hold every integer beyond it, so the numbers are not uniformly distributed.",
                          UserWarning)
    elif not (0 if family(t.dtype) & (F_BOOL | F_UNSIGNED) or t.dtype == UINT8 else -most - 1) <= value <= most:
        raise RuntimeError(f"{name} is out of bounds for {type_}")
    return 0


cdef int64_t inward(int dtype, int64_t bound, int64_t step) noexcept:
    """Return `bound`, or the next integer inward that the floating dtype holds if bound + step would be rounded out
    of the range."""
    cdef float x
    cdef int64_t rounded, size
    cdef int n = 0
    if dtype == FLOAT64:
        rounded = <int64_t><double>(bound + step)
    else:
        x = <float>(bound + step)
        CAST[FLOAT32][dtype](<char*>&x, 4, <char*>&rounded, ITEMSIZE[dtype], 1)
        CAST[dtype][INT64](<char*>&rounded, ITEMSIZE[dtype], <char*>&size, 8, 1)
        rounded = size
    if (rounded - bound) * step > 0 or (rounded == bound and step > 0):
        return bound
    size = bound + step if bound + step > 0 else -(bound + step)
    while size > 1:
        size >>= 1
        n += 1
    return rounded + step * (<int64_t>1 << (n - DIGITS[dtype] + 1))


cdef int random_range_(Tensor t, int64_t low, int64_t high, Generator g) except -1:
    """Draw integers in [low, high)."""
    cdef uint64_t span
    if low >= high:
        raise RuntimeError(f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}")
    if CATEGORY[t.dtype] == CAT_COMPLEX:
        raise RuntimeError("check_random_bounds handles only integral, floating-point and boolean types")
    check_bound(t, low, "from")
    check_bound(t, high - 1, "to - 1")
    if CATEGORY[t.dtype] == CAT_FLOAT:
        low, high = inward(t.dtype, low, 1), inward(t.dtype, high, -1)
        if low >= high:
            raise RuntimeError("random_ expects 'from' casted to dtype to be less than 'to' casted to dtype, but got "
                               f"from={low} >= to={high}")
    span = <uint64_t>high - <uint64_t>low
    return fill_integers(t, low, span, span >= 1 << 28, g)


cdef int random_from_(Tensor t, int64_t low, Generator g) except -1:
    """Draw integers from low to the largest that the dtype holds without gaps."""
    cdef int64_t last = (<int64_t>1 << DIGITS[t.dtype]) - 1 if DIGITS[t.dtype] < 63 else 0x7fffffffffffffff
    cdef int64_t first = low
    cdef uint64_t span
    if CATEGORY[t.dtype] == CAT_COMPLEX:
        raise RuntimeError("random_from_to_impl handles only integral, floating-point and boolean types")
    if CATEGORY[t.dtype] == CAT_FLOAT:
        last += 1
        first = inward(t.dtype, low, 1)
        if first >= last:
            raise RuntimeError("random_ expects 'from' casted to dtype to be less than or equal to 'to_inc' casted to "
                               f"dtype, but got from={first} > to_inc={last}")
    check_bound(t, low, "from")
    low = first
    span = <uint64_t>last - <uint64_t>low + 1
    if span == 0:  # the range contains all 64-bit integers: the bits unchanged
        return fill_integers(t, 0, 0, True, g)
    return fill_integers(t, low, span, span >= 1 << 28, g)


cdef int randperm_(Tensor t, Generator g) except -1:
    """Write a permutation of 0 .. n - 1 to a contiguous vector."""
    cdef Py_ssize_t n = t.numel
    cdef Tensor numbers
    if t.dtype == BOOL or CATEGORY[t.dtype] == CAT_COMPLEX:
        not_implemented("randperm", t)
    if t.dtype != INT64 and n > (<int64_t>1 << DIGITS[t.dtype]) + (CATEGORY[t.dtype] == CAT_FLOAT):
        raise RuntimeError(f"n cannot be greater than {(1 << DIGITS[t.dtype]) + (CATEGORY[t.dtype] == CAT_FLOAT)} for "
                           f"{type_name(dtype_object(t.dtype))} type.")
    check_writable("randperm", t)
    numbers = t if t.dtype == INT64 and t.flags & CONTIGUOUS else empty(INT64, 1, &n)
    with g.lock.mutex:
        source = &g.source
        if n < LONG:
            PERMUTE(source, <int64_t*>numbers.data, n)
        elif is_dry():
            pass
        else:
            with nogil:
                PERMUTE(source, <int64_t*>numbers.data, n)
    if numbers is not t:
        copy_elements(t, numbers)
    t.storage.version += 1
    return 0


# --- operators: the kernels of the schemas in ops/random.py ---------------------------------------------------------

ctypedef int (*fill1_t)(Tensor, double, Generator) except -1
ctypedef int (*fill2_t)(Tensor, double, double, Generator) except -1


cdef object _fill1(Operator op, PyObject** a, fill1_t run):
    run(<Tensor>a[0], <double><object>a[1], generator_of(op.name, <object>a[2]))
    return <Tensor>a[0]


cdef object _fill2(Operator op, PyObject** a, fill2_t run):
    run(<Tensor>a[0], <double><object>a[1], <double><object>a[2], generator_of(op.name, <object>a[3]))
    return <Tensor>a[0]


cdef object _uniform_(Operator op, PyObject** a):
    return _fill2(op, a, uniform_)


cdef object _normal_(Operator op, PyObject** a):
    return _fill2(op, a, normal_)


cdef object _log_normal_(Operator op, PyObject** a):
    return _fill2(op, a, log_normal_)


cdef object _cauchy_(Operator op, PyObject** a):
    return _fill2(op, a, cauchy_)


cdef object _exponential_(Operator op, PyObject** a):
    return _fill1(op, a, exponential_)


cdef object _geometric_(Operator op, PyObject** a):
    return _fill1(op, a, geometric_)


cdef object _bernoulli_(Operator op, PyObject** a):
    cdef Tensor self = <Tensor>a[0]
    cdef Generator g = generator_of(op.name, <object>a[2])
    if isinstance(<object>a[1], Tensor):
        bernoulli_each_(self, <Tensor>a[1], g)
    elif isinstance(<object>a[1], (int, float)):
        bernoulli_(self, <double><object>a[1], g)
    else:
        raise TypeError(f"bernoulli_(): argument 'p' (position 1) must be float or Tensor, "
                        f"not {type(<object>a[1]).__name__}")
    return self


cdef object _bernoulli(Operator op, PyObject** a):
    """self, p, generator, out"""
    cdef Tensor self = <Tensor>a[0], result
    cdef Generator g = generator_of(op.name, <object>a[2])
    if <object>a[3] is None:
        result = empty(self.dtype, self.ndim, self.sizes)
    else:
        result = resized(op, <object>a[3], self.ndim, self.sizes)
    if <object>a[1] is None:
        bernoulli_each_(result, self, g)
    else:
        bernoulli_(result, <double><object>a[1], g)
    if <object>a[3] is None:
        result.storage.version = 0  # a new tensor counts no writes
    return result


cdef Tensor resized(Operator op, object out, int ndim, const Py_ssize_t* sizes):
    cdef Tensor t = <Tensor?>out
    if t.ndim != ndim or not same_sizes(ndim, t.sizes, sizes):
        resize(t, ndim, sizes)  # out_tensor() would warn
    return out_tensor(op.name, t, t.dtype, ndim, sizes)


cdef int64_t integer_argument(Operator op, str name, int position, object value) except? -1:
    if isinstance(value, (float, str)) or not hasattr(value, "__index__"):
        raise TypeError(f"{op.name}(): argument '{name}' (position {position}) must be int, not {type(value).__name__}")
    value = as_index(value)
    if not -0x8000000000000000 <= value <= 0x7fffffffffffffff:
        raise ValueError("Overflow when unpacking long long")
    return value


cdef object _random_(Operator op, PyObject** a):
    """self, from, to, generator: random_(), random_(to), random_(from, to), random_(from, None)"""
    cdef Tensor self = <Tensor>a[0]
    cdef object low = <object>a[1], high = <object>a[2]
    cdef Generator g = generator_of(op.name, <object>a[3])
    if high == "end":
        if low is None:
            random_all_(self, g)
        else:
            random_range_(self, 0, integer_argument(op, "to", 1, low), g)
    elif low is None:
        random_range_(self, 0, integer_argument(op, "to", 1, high), g)
    elif high is None:
        random_from_(self, integer_argument(op, "from", 1, low), g)
    else:
        random_range_(self, integer_argument(op, "from", 1, low), integer_argument(op, "to", 2, high), g)
    return self


uniform = make_kernel(_uniform_)
normal = make_kernel(_normal_)
log_normal = make_kernel(_log_normal_)
cauchy = make_kernel(_cauchy_)
exponential = make_kernel(_exponential_)
geometric = make_kernel(_geometric_)
random = make_kernel(_random_)
bernoulli_inplace = make_kernel(_bernoulli_)
bernoulli = make_kernel(_bernoulli, True)
