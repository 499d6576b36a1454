# cython: language_level=3
"""Kronecker products, chains of matrix products and cross products, as compositions.

A cross product that needs no gradient is computed in one pass.
"""
cimport cython
from cpython.object cimport PyObject
from libc.math cimport INFINITY
from libc.stdint cimport uint64_t

from flambeau_tensor._core.elementwise.copying cimport copy_elements
from flambeau_tensor._core.elementwise.operands cimport broadcast_shape
from flambeau_tensor._core.call.operator cimport Operator, make_kernel
from flambeau_tensor._core.schema.registry cimport find
from flambeau_tensor._core.memory.tensor cimport Tensor, empty, grad_flags, plain_tuple, shape_str, view_of
from flambeau_tensor._core.memory.types cimport *
from flambeau_tensor._kernels.advanced_indexing cimport expanded
from flambeau_tensor._kernels.recording cimport recorded

from flambeau_tensor._core.elementwise.dtype import c_type_name
from flambeau_tensor._core.elementwise.operands import wrapped_dim

ctypedef fused element_t:
    uint64_t  # products wrap around
    float
    double
    float complex
    double complex


cdef void _crossed(const element_t* x, const element_t* y, element_t* out, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        out[3 * i] = x[3 * i + 1] * y[3 * i + 2] - x[3 * i + 2] * y[3 * i + 1]
        out[3 * i + 1] = x[3 * i + 2] * y[3 * i] - x[3 * i] * y[3 * i + 2]
        out[3 * i + 2] = x[3 * i] * y[3 * i + 1] - x[3 * i + 1] * y[3 * i]


cdef Tensor swapped(Tensor t, int dim):
    cdef Py_ssize_t[MAX_NDIM] sizes, strides
    cdef int d, last = t.ndim - 1
    for d in range(t.ndim):
        sizes[d] = t.sizes[last if d == dim else dim if d == last else d]
        strides[d] = t.strides[last if d == dim else dim if d == last else d]
    return view_of(t, t.ndim, sizes, strides, t.data)


cdef object _composed(Tensor x, Tensor y, int dim):
    mul, roll = find("torch.mul"), find("torch.roll")
    return find("torch.sub")(mul(roll(x, -1, dim), roll(y, -2, dim)), mul(roll(x, -2, dim), roll(y, -1, dim)))


cdef object _cross_along(Tensor x, Tensor y, int dim):
    cdef PyObject* both[2]
    cdef Py_ssize_t[MAX_NDIM] sizes
    cdef Tensor out
    if x.sizes[dim] != 3 or y.sizes[dim] != 3:
        raise RuntimeError(f"linalg.cross: inputs dimension {dim} must have length 3. Got {x.sizes[dim]} and "
                           f"{y.sizes[dim]}")
    if x.dtype != y.dtype or x.dtype not in (INT64, FLOAT32, FLOAT64, COMPLEX64, COMPLEX128) or \
            recorded(grad_flags(x) | grad_flags(y)):
        return _composed(x, y, dim)
    x, y = swapped(x, dim), swapped(y, dim)
    both[0], both[1] = <PyObject*>x, <PyObject*>y
    broadcast_shape(2, both, sizes)
    x, y = expanded(x, x.ndim, sizes), expanded(y, x.ndim, sizes)
    out = empty(x.dtype, x.ndim, sizes)
    if x.dtype == INT64:
        _crossed(<const uint64_t*>x.data, <const uint64_t*>y.data, <uint64_t*>out.data, out.numel // 3)
    elif x.dtype == FLOAT32:
        _crossed(<const float*>x.data, <const float*>y.data, <float*>out.data, out.numel // 3)
    elif x.dtype == FLOAT64:
        _crossed(<const double*>x.data, <const double*>y.data, <double*>out.data, out.numel // 3)
    elif x.dtype == COMPLEX64:
        _crossed(<const cython.floatcomplex*>x.data, <const cython.floatcomplex*>y.data,
                 <cython.floatcomplex*>out.data, out.numel // 3)
    else:
        _crossed(<const cython.doublecomplex*>x.data, <const cython.doublecomplex*>y.data,
                 <cython.doublecomplex*>out.data, out.numel // 3)
    if dim == x.ndim - 1:
        return out
    out = swapped(out, dim)
    x = empty(out.dtype, out.ndim, out.sizes)
    copy_elements(x, out)
    return x


cdef object _linalg_cross(Operator op, PyObject** a):
    """Slots: self, other, dim, out."""
    cdef Tensor x = <Tensor>a[0]
    cdef Tensor y = <Tensor>a[1]
    if x.ndim != y.ndim:
        raise RuntimeError("linalg.cross: inputs must have the same number of dimensions.")
    return _cross_along(x, y, wrapped_dim(<object>a[2], x.ndim))


cdef object _cross(Operator op, PyObject** a):
    """Slots: self, other, dim, out. The default is the first dimension of size 3."""
    cdef Tensor x = <Tensor>a[0]
    cdef int d = 0
    if a[2] != <PyObject*>None or x.ndim != (<Tensor>a[1]).ndim:
        return _linalg_cross(op, a)
    while d < x.ndim and x.sizes[d] != 3:
        d += 1
    if d == x.ndim:
        raise RuntimeError("no dimension of size 3 in input")
    return _cross_along(x, <Tensor>a[1], d)


# --- Kronecker products and chains ----------------------------------------------------------------------------------

cdef object _kron(Operator op, PyObject** a):
    """Slots: self, other, out. Multiplies the operands after inserting dimensions of size 1 between theirs."""
    cdef Tensor x = <Tensor>a[0]
    cdef Tensor y = <Tensor>a[1]
    cdef int n = max(x.ndim, y.ndim), d
    cdef Py_ssize_t[2 * MAX_NDIM] left, right
    cdef Py_ssize_t[MAX_NDIM] sizes
    for d in range(n):
        left[2 * d] = x.sizes[d - n + x.ndim] if d >= n - x.ndim else 1
        right[2 * d + 1] = y.sizes[d - n + y.ndim] if d >= n - y.ndim else 1
        left[2 * d + 1] = right[2 * d] = 1
        sizes[d] = left[2 * d] * right[2 * d + 1]
    reshape = find("torch.reshape")
    product = find("torch.mul")(reshape(x, plain_tuple(2 * n, left)), reshape(y, plain_tuple(2 * n, right)))
    return reshape(product, plain_tuple(n, sizes))


cdef object _product(list chain, const int* split, int n, int i, int j, object mm):
    """Return the product of matrices i to j, split as `split` says."""
    cdef int k
    if i == j:
        return chain[i]
    k = split[i * n + j]
    return mm(_product(chain, split, n, i, k, mm), _product(chain, split, n, k + 1, j, mm))


cdef object _multiplied(list chain):
    """Multiply in the order with the fewest multiplications, found by the textbook dynamic program (Cormen et al.,
    Introduction to Algorithms, section 14.2)."""
    cdef int n = <int>len(chain), length, i, j, k
    cdef Tensor t
    cdef Tensor room
    cdef Py_ssize_t count = 2 * n * n + n + 1
    cdef double* cost
    cdef double* sizes
    cdef int* split
    cdef double total
    room = empty(FLOAT64, 1, &count)
    cost, sizes = <double*>room.data, <double*>room.data + 2 * n * n
    split = <int*>(cost + n * n)
    for i in range(n):
        t = <Tensor>chain[i]
        sizes[i], sizes[i + 1] = t.sizes[0], t.sizes[1]
        cost[i * n + i] = 0
    for length in range(1, n):
        for i in range(n - length):
            j = i + length
            cost[i * n + j] = INFINITY
            for k in range(i, j):
                total = cost[i * n + k] + cost[(k + 1) * n + j] + sizes[i] * sizes[k + 1] * sizes[j + 1]
                if total < cost[i * n + j]:
                    cost[i * n + j] = total
                    split[i * n + j] = k
    return _product(chain, split, n, 0, n - 1, find("torch.mm"))


cdef object _multi_dot(Operator op, PyObject** a):
    """Slots: tensors, out."""
    cdef list chain = list(<tuple>a[0])
    cdef Tensor t, first, following
    cdef int n = <int>len(chain), i
    cdef bint row, column
    if n < 2:
        raise RuntimeError(f"multi_dot(): expected at least 2 tensors but got {n}")
    first = <Tensor>chain[0]
    for i in range(n):
        t = <Tensor>chain[i]
        if t.ndim != 2 and not (t.ndim == 1 and (i == 0 or i == n - 1)):
            end = "last" if i else "first"
            where = f"tensor {i} must be 2D" if 0 < i < n - 1 else f"the {end} tensor must be 1D or 2D"
            raise RuntimeError(f"multi_dot(): {where} but got {t.ndim}D")
        if t.dtype != first.dtype:
            raise RuntimeError(f"multi_dot(): all tensors must have be the same dtype but tensor 0 is "
                               f"{c_type_name(first.dtype)} and tensor {i} {c_type_name(t.dtype)}")
    row, column = first.ndim == 1, (<Tensor>chain[n - 1]).ndim == 1
    if row:
        chain[0] = find("torch.unsqueeze")(first, 0)
    if column:
        chain[n - 1] = find("torch.unsqueeze")(chain[n - 1], 1)
    for i in range(n - 1):
        t, following = <Tensor>chain[i], <Tensor>chain[i + 1]
        if t.sizes[1] != following.sizes[0]:
            raise RuntimeError(f"multi_dot(): tensors {i} and {i + 1} with shapes {shape_str(t.ndim, t.sizes)} and "
                               f"{shape_str(following.ndim, following.sizes)} cannot be multiplied")
    result = _multiplied(chain)
    if row:
        result = result.squeeze(0)
    return result.squeeze(-1) if column else result


kron, multi_dot = make_kernel(_kron), make_kernel(_multi_dot)
linalg_cross, cross = make_kernel(_linalg_cross), make_kernel(_cross)
