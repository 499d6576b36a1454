# cython: language_level=3
"""Elementwise kernels that are not plain loops, and checks of operands for the others."""
from cpython.object cimport PyObject
from libc.math cimport isfinite
from libc.stdint cimport int16_t, int32_t, int64_t, uint8_t

from flambeau_tensor._core.elementwise.dtype cimport CATEGORY, ITEMSIZE, complex_of, real_of
from flambeau_tensor._core.memory.meta_device cimport META, is_dry
from flambeau_tensor._core.elementwise.copying cimport copy_elements, copy_of, to_dtype
from flambeau_tensor._core.elementwise.engine cimport Elementwise, make_check, run_elementwise
from flambeau_tensor._core.memory.layout cimport empty_like
from flambeau_tensor._core.elementwise.operands cimport broadcast_shape, promote, result_strides
from flambeau_tensor._core.call.operator cimport Operator, make_kernel
from flambeau_tensor._core.call.thread_state cimport thread_state
from flambeau_tensor._core.schema.registry cimport find
from flambeau_tensor._core.elementwise.scalar cimport Scalar, c_name, read_scalar
from flambeau_tensor._core.memory.tensor cimport (
    Tensor, alias_of, empty, empty_strided, is_plain, same_shape, view_of,
)
from flambeau_tensor._core.memory.types cimport *

from flambeau_tensor._core.elementwise.dtype import all_dtypes, c_type_name, type_name

cdef extern from "<math.h>" nogil:
    double frexp_of "frexp"(double, int*)

cdef tuple _DTYPES = all_dtypes()


cdef object _conj(Operator op, PyObject** a):
    cdef Tensor t = <Tensor>a[0]
    cdef Tensor v
    if CATEGORY[t.dtype] != CAT_COMPLEX:
        return t
    v = alias_of(t)
    v.flags ^= CONJ
    return v


cdef object _neg_view(Operator op, PyObject** a):
    cdef Tensor v = alias_of(<Tensor>a[0])
    v.flags ^= NEG
    return v


cdef object _result_type(Operator op, PyObject** a):
    cdef int[2] free = [-1, -1]
    return _DTYPES[promote(2, a, free)]


conj, neg_view = make_kernel(_conj), make_kernel(_neg_view)
result_type = make_kernel(_result_type)


cdef int check_parts(Tensor real, Tensor imag) except -1:
    if CATEGORY[real.dtype] != CAT_FLOAT or CATEGORY[imag.dtype] != CAT_FLOAT:
        raise RuntimeError("Expected both inputs to be Half, Float or Double tensors but got "
                           f"{type_name(_DTYPES[real.dtype])} and {type_name(_DTYPES[imag.dtype])}")
    if real.dtype != imag.dtype:
        raise RuntimeError(f"Expected object of scalar type {type_name(_DTYPES[real.dtype])} but got scalar type "
                           f"{type_name(_DTYPES[imag.dtype])} for second argument")
    return 0


cdef object _complex(Operator op, PyObject** a):
    """Slots: real, imag, out."""
    cdef Tensor real = <Tensor>a[0]
    cdef Tensor out, part
    cdef Py_ssize_t[MAX_NDIM] sizes, strides
    cdef int d, k, n
    check_parts(real, <Tensor>a[1])
    n = broadcast_shape(2, a, sizes)
    if result_strides(2, a, n, sizes, strides):
        out = empty_strided(complex_of(real.dtype), n, sizes, strides)
    else:
        out = empty(complex_of(real.dtype), n, sizes)
    for d in range(n):
        strides[d] = 2 * out.strides[d]
    for k in range(2):
        part = view_of(out, n, sizes, strides, out.data + k * ITEMSIZE[real_of(out.dtype)])
        part.dtype = real_of(out.dtype)
        copy_elements(part, <Tensor>a[k])
    return out


cdef object _frexp(Operator op, PyObject** a):
    """Slots: self, out."""
    cdef Tensor t = <Tensor>a[0]
    cdef Tensor wide, mantissas, exponents
    cdef Py_ssize_t i
    cdef double* x
    cdef int exponent
    if CATEGORY[t.dtype] != CAT_FLOAT:
        raise RuntimeError("torch.frexp() only supports floating-point dtypes")
    wide, exponents = empty_like(t, FLOAT64), empty_like(t, INT32)
    copy_elements(wide, t)
    x = <double*>wide.data
    for i in range(t.numel):
        exponent = 0
        if isfinite(x[i]):
            x[i] = frexp_of(x[i], &exponent)
        (<int32_t*>exponents.data)[i] = exponent
    mantissas = empty_like(t, t.dtype)
    copy_elements(mantissas, wide)
    return mantissas, exponents


cdef object _equal(Operator op, PyObject** a):
    """Slots: self, other. A composition, because the comparison may be recorded, or batched under vmap."""
    cdef Tensor same
    cdef Py_ssize_t i
    cdef bint all_same = True
    if not same_shape(<Tensor>a[0], <Tensor>a[1]):
        return False
    found = find("torch.eq")(<object>a[0], <object>a[1])
    if not is_plain(<PyObject*>found) or (<Tensor>found).flags & (META | LAYERED) or \
            not (<Tensor>found).flags & CONTIGUOUS or (<Tensor>found).numel > 1024 or thread_state().tracer != NULL:
        return bool(found.all())
    same = <Tensor>found
    for i in range(same.numel):
        all_same &= same.data[i]
    return all_same


complex, frexp, equal = make_kernel(_complex), make_kernel(_frexp), make_kernel(_equal)


cdef class Where(Elementwise):
    """The kernel of `where`; with only a condition, it returns the indices of nonzero elements."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.run = _where


cdef object _where(Operator op, PyObject** a):
    if a[1] == <PyObject*>None and a[2] == <PyObject*>None:
        return find("torch.nonzero")(<object>a[0], as_tuple=True)
    if a[1] == <PyObject*>None or a[2] == <PyObject*>None:
        raise TypeError('where() missing 1 required positional arguments: "'
                        + ("input" if a[1] == <PyObject*>None else "other") + '"')
    return run_elementwise(op, a)


# --- checks of operands ---------------------------------------------------------------------------------------------

cdef inline bint _is_bool(PyObject* o) noexcept:
    if isinstance(<object>o, Tensor):
        return (<Tensor>o).dtype == BOOL
    return o == Py_True or o == Py_False


cdef int _no_bool(Operator op, PyObject** o, int dtype) except -1:
    if _is_bool(o[0]) or _is_bool(o[1]):
        if _is_bool(o[0]) and _is_bool(o[1]):
            raise RuntimeError("Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or "
                               "`logical_xor()` operator instead.")
        raise RuntimeError("Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to "
                           "invert a mask, use the `~` or `logical_not()` operator instead.")
    return 0


ctypedef fused integer_t:
    uint8_t
    int16_t
    int32_t
    int64_t


cdef bint _has_zero(const integer_t* p, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    cdef bint found = False
    for i in range(n):
        found |= p[i] == 0
    return found


cdef int _nonzero_divisor(Operator op, PyObject** o, int dtype) except -1:
    cdef Tensor t
    cdef Scalar s
    cdef bint found
    if CATEGORY[dtype] > CAT_INT or is_dry():
        return 0
    if isinstance(<object>o[0], Tensor) and (<Tensor>o[0]).numel == 0:
        return 0
    if not isinstance(<object>o[1], Tensor):
        read_scalar(o[1], &s)
        found = (<unsigned long long>s.i << (64 - 8 * ITEMSIZE[dtype])) == 0  # compared as stored: 256 is 0 as uint8
    else:
        t = to_dtype(<Tensor>o[1], dtype)
        if not t.flags & CONTIGUOUS:
            t = copy_of(t)
        if t.dtype == BOOL or t.dtype == UINT8 or t.dtype == INT8:
            found = _has_zero(<const uint8_t*>t.data, t.numel)
        elif t.dtype == INT16:
            found = _has_zero(<const int16_t*>t.data, t.numel)
        elif t.dtype == INT32:
            found = _has_zero(<const int32_t*>t.data, t.numel)
        else:
            found = _has_zero(<const int64_t*>t.data, t.numel)
    if found:
        raise RuntimeError("ZeroDivisionError")
    return 0


cdef int _exponent(Operator op, PyObject** o, int dtype) except -1:
    if CATEGORY[dtype] <= CAT_INT and isinstance(<object>o[1], int) and <object>o[1] < 0:
        raise RuntimeError("Integers to negative integer powers are not allowed.")
    return 0


cdef int _condition(Operator op, PyObject** o, int dtype) except -1:
    cdef int given = (<Tensor>o[0]).dtype
    if given != BOOL and given != UINT8:
        raise RuntimeError("where expected condition to be a boolean tensor, but got a tensor with dtype "
                           + type_name(_DTYPES[given]))
    return 0


cdef int _same_dtypes(Operator op, PyObject** o, int dtype) except -1:
    cdef int k
    for k in range(1, 3):
        if isinstance(<object>o[k], Tensor) and (<Tensor>o[k]).dtype != (<Tensor>o[0]).dtype:
            raise RuntimeError(f"expected dtype {c_type_name((<Tensor>o[0]).dtype)} for "
                               f"`{op.schema.arguments[k].name}` but got dtype {c_type_name((<Tensor>o[k]).dtype)}")
    if CATEGORY[dtype] > CATEGORY[(<Tensor>o[0]).dtype]:
        raise RuntimeError(f"value cannot be converted to type {c_name((<Tensor>o[0]).dtype)} without overflow")
    return 0


cdef int _one_dtype(Operator op, PyObject** o, int dtype) except -1:
    if (<Tensor>o[0]).dtype != (<Tensor>o[1]).dtype:
        raise RuntimeError(f"{op.name.rstrip('_')} is not yet implemented for tensors with different dtypes.")
    return 0


cdef int _float_divisor(Operator op, PyObject** o, int dtype) except -1:
    if CATEGORY[(<Tensor>o[1]).dtype] <= CAT_INT and CATEGORY[(<Tensor>o[2]).dtype] <= CAT_INT:
        raise RuntimeError("Integer division with addcdiv is no longer supported: convert tensor1 or tensor2 to a "
                           "floating point dtype, or divide with torch.div(tensor1, tensor2, rounding_mode='trunc').")
    return 0


no_bool = make_check(_no_bool)
nonzero_divisor = make_check(_nonzero_divisor)
exponent = make_check(_exponent)
condition = make_check(_condition)
same_dtypes = make_check(_same_dtypes)
one_dtype = make_check(_one_dtype)
float_divisor = make_check(_float_divisor)
