"""Factories of random tensors: rand, randn, randint, randperm and their _like forms."""
from cpython.object cimport PyObject
from libc.stdint cimport int64_t

from flambeau_tensor._core.elementwise.dtype cimport DType, default_dtype
from flambeau_tensor._core.memory.layout cimport empty_as, read_format
from flambeau_tensor._core.call.operator cimport Operator, make_kernel
from flambeau_tensor._core.memory.tensor cimport Tensor, empty, read_ints
from flambeau_tensor._core.memory.types cimport *
from flambeau_tensor._kernels.generator cimport Generator, generator_of
from flambeau_tensor._kernels.random cimport (
    integer_argument, normal_, random_range_, randperm_, resized, uniform_,
)
from flambeau_tensor._kernels.recording cimport check_out_dtype, finished

from flambeau_tensor.options import check_device, check_layout

ctypedef int (*fill2_t)(Tensor, double, double, Generator) except -1

cdef PyObject* NONE = <PyObject*>None

# Slots of the factories' keyword arguments, beginning with the generator.
cdef enum:
    F_GENERATOR = 0
    F_OUT = 1
    F_DTYPE = 2
    F_LAYOUT = 3
    F_DEVICE = 4
    F_PIN_MEMORY = 5
    F_REQUIRES_GRAD = 6


cdef Tensor _fresh(Operator op, PyObject** options, int ndim, const Py_ssize_t* sizes, int dtype):
    """Return the tensor to fill; its dtype is `dtype` unless the caller requested another."""
    cdef object out = <object>options[F_OUT]
    cdef bint given = <object>options[F_DTYPE] is not None
    if given:
        dtype = (<DType>options[F_DTYPE]).id
    check_layout(<object>options[F_LAYOUT])
    check_device(<object>options[F_DEVICE])
    if out is None:
        return empty(dtype, ndim, sizes)
    if given:
        check_out_dtype(<Tensor?>out, dtype)
    return resized(op, out, ndim, sizes)


cdef object _drawn(Tensor t, PyObject* out, PyObject* requires_grad):
    """Return the filled tensor; a new one counts no writes."""
    if out == NONE:
        t.storage.version = 0
    return finished(t, requires_grad)


cdef object _factory(Operator op, PyObject** a, fill2_t run, double first, double second):
    """size, then the options"""
    cdef Py_ssize_t[MAX_NDIM] sizes
    cdef int ndim = read_ints(a[0], sizes, MAX_NDIM, "rand", "size")
    cdef Tensor t = _fresh(op, a + 1, ndim, sizes, default_dtype())
    run(t, first, second, generator_of(op.name, <object>a[1]))
    return _drawn(t, a[1 + F_OUT], a[1 + F_REQUIRES_GRAD])


cdef object _rand(Operator op, PyObject** a):
    return _factory(op, a, uniform_, 0, 1)


cdef object _randn(Operator op, PyObject** a):
    return _factory(op, a, normal_, 0, 1)


cdef object _randperm(Operator op, PyObject** a):
    """n, then the options"""
    cdef Py_ssize_t n = integer_argument(op, "n", 1, <object>a[0])
    cdef Tensor t = _fresh(op, a + 1, 1, &n, INT64)
    randperm_(t, generator_of(op.name, <object>a[1]))
    return _drawn(t, a[1 + F_OUT], a[1 + F_REQUIRES_GRAD])


cdef object _randint(Operator op, PyObject** a):
    """low, high, size, then the options; called as (high, size) or (low, high, size)"""
    cdef Py_ssize_t[MAX_NDIM] sizes
    cdef object low = <object>a[0], high = <object>a[1], size = <object>a[2]
    cdef bint short = False
    cdef Py_ssize_t i
    cdef int64_t first = 0, end
    cdef Tensor t
    if size is None and isinstance(high, (tuple, list)):
        high, size = None, high
    if high is None:
        low, high, short = None, low, True
    if not isinstance(size, (tuple, list)):
        raise TypeError(f"randint(): argument 'size' (position {2 if short else 3}) must be tuple of ints, "
                        f"not {type(size).__name__}")
    if len(size) > MAX_NDIM:
        raise RuntimeError(f"randint(): argument 'size' takes at most {MAX_NDIM} values, got {len(size)}")
    if low is not None:
        first = integer_argument(op, "low", 1, low)
    end = integer_argument(op, "high", 1 if short else 2, high)
    for i in range(len(size)):
        sizes[i] = integer_argument(op, "size", 2 if short else 3, size[i])
    t = _fresh(op, a + 3, <int>len(size), sizes, INT64)
    random_range_(t, first, end, generator_of(op.name, <object>a[3]))
    return _drawn(t, a[3 + F_OUT], a[3 + F_REQUIRES_GRAD])


# The _like functions: self, …, dtype, layout, device, pin_memory, requires_grad, memory_format, generator.

cdef Tensor _like(Operator op, PyObject** a, PyObject** options):
    cdef Tensor self = <Tensor>a[0]
    cdef int dtype = self.dtype if <object>options[0] is None else (<DType>options[0]).id
    check_layout(<object>options[1])
    check_device(<object>options[2])
    return empty_as(self, dtype, read_format(op.name, options[5]))


cdef object _rand_like(Operator op, PyObject** a):
    cdef Tensor t = _like(op, a, a + 1)
    uniform_(t, 0, 1, generator_of(op.name, <object>a[7]))
    return _drawn(t, NONE, a[5])


cdef object _randn_like(Operator op, PyObject** a):
    cdef Tensor t = _like(op, a, a + 1)
    normal_(t, 0, 1, generator_of(op.name, <object>a[7]))
    return _drawn(t, NONE, a[5])


cdef object _randint_like(Operator op, PyObject** a):
    """self, low, high, then as the others; called as (self, high) or (self, low, high)"""
    cdef Tensor t = _like(op, a, a + 3)
    cdef Generator g = generator_of(op.name, <object>a[9])
    if <object>a[2] is None:
        random_range_(t, 0, integer_argument(op, "high", 1, <object>a[1]), g)
    else:
        random_range_(t, 0 if <object>a[1] is None else integer_argument(op, "low", 1, <object>a[1]),
                      integer_argument(op, "high", 2, <object>a[2]), g)
    return _drawn(t, NONE, a[7])


rand = make_kernel(_rand, True)
randn = make_kernel(_randn, True)
randint = make_kernel(_randint, True)
randperm = make_kernel(_randperm, True)
rand_like = make_kernel(_rand_like)
randn_like = make_kernel(_randn_like)
randint_like = make_kernel(_randint_like)
