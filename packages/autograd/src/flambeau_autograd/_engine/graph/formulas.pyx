# cython: language_level=3
"""The most frequent formulas, compiled; each is equivalent to a one-line formula in the table.

While recording, they call operators like any other formula. Otherwise some compute the same values in fewer steps.
"""
from cpython.object cimport PyObject

from flambeau_tensor.abi cimport (
    ABI_MAX_NDIM, TensorInfo, T_COMPLEX, T_DISPATCH, T_REQUIRES_GRAD, T_LAYERED, as_strided, copy_into, dtype_number,
    empty,
    flags_of, is_tensor, tensor_info, offset_of, repeated, thread_flags,
)

from flambeau_autograd._engine.graph.node cimport T_META
from flambeau_autograd._engine.refs cimport owned, tuple_item, vectorcall

from flambeau_tensor.extend import find_operator

cdef object _mul = find_operator("torch.mul")
cdef object _sin = find_operator("torch.sin"), _cos = find_operator("torch.cos")
cdef object _where = find_operator("torch.where"), _zeros_like = find_operator("torch.zeros_like")
cdef object _mm = find_operator("torch.mm")
cdef object _tanh_backward = find_operator("torch._ops.tanh_backward")
cdef object _sigmoid_backward = find_operator("torch._ops.sigmoid_backward")
cdef object _relu_backward = find_operator("torch._ops.relu_backward")

cdef enum:
    SMALL = 256  # up to this number of elements, a copy of a broadcast gradient is faster than a view


cdef inline bint _plain(PyObject* t) noexcept:
    """Whether calls with this gradient are neither recorded nor handled by a `__torch_dispatch__` handler."""
    return _unrecorded(flags_of(t) | thread_flags().dispatching)


cdef inline bint _unrecorded(unsigned int flags) noexcept:
    return not flags & (
        T_REQUIRES_GRAD | T_LAYERED | T_DISPATCH if thread_flags().grad_enabled else T_LAYERED | T_DISPATCH)


cdef inline object _call2(object op, object a, object b):
    cdef PyObject* args[2]
    args[0], args[1] = <PyObject*>a, <PyObject*>b
    return owned(vectorcall(<PyObject*>op, args, 2, NULL))


cdef inline object _call1(object op, object a):
    cdef PyObject* args = <PyObject*>a
    return owned(vectorcall(<PyObject*>op, &args, 1, NULL))


cpdef object conj(object x):
    """Return the complex conjugate of a tensor or number; real ones are returned unchanged."""
    if is_tensor(<PyObject*>x):
        return x if dtype_number(<PyObject*>x) < T_COMPLEX else x.conj()
    return x.conjugate() if isinstance(x, complex) else x


def vanishing(grad):
    """Return zeros: the gradient of an argument on which the result depends piecewise constantly.

    Without it, the second derivative of a piecewise linear function would be an error instead of zero.
    """
    return _call1(_zeros_like, grad)


def same(grad):
    """Return the gradient itself."""
    return grad


def scaled(grad, alpha):
    """The gradient of ``other`` in ``self + alpha · other``."""
    if type(alpha) is int and alpha == 1:
        return grad
    return _call2(_mul, grad, conj(alpha))


def scaled_negative(grad, alpha):
    """The gradient of ``other`` in ``self - alpha · other``."""
    if type(alpha) is int and alpha == 1:
        return -grad
    return _call2(_mul, grad, conj(-alpha))


def mul_self(grad, other):
    """Return the gradient of the first factor of a product."""
    return _call2(_mul, grad, conj(other))


def mul_other(grad, self):
    """Return the gradient of the second factor of a product."""
    return _call2(_mul, grad, conj(self))


def negated(grad):
    """Return the gradient of the operand of a negation."""
    return -grad


def div_self(grad, other, rounding_mode):
    """Return the gradient of a dividend; it is 0 if the quotient is rounded."""
    return grad / conj(other) if rounding_mode is None else _zeros_like(grad)


def div_other(grad, self, other, rounding_mode):
    """Return the gradient of a divisor."""
    return -grad * conj((self / other) / other) if rounding_mode is None else _zeros_like(grad)


def reciprocal_self(grad, result):
    """The gradient of 1 / x."""
    return -grad * conj(result * result)


def square_self(grad, self):
    """The gradient of x²."""
    return _call2(_mul, grad, conj(2 * self))


def pow_self(grad, self, exponent):
    """Return the gradient of a base; it is 0 if the exponent is 0."""
    if is_tensor(<PyObject*>exponent):
        return _where(exponent == 0.0, 0.0, grad * conj(exponent * self ** (exponent - 1)))
    if exponent == 0:
        return _zeros_like(grad)
    return _call2(_mul, grad, conj(exponent * self ** (exponent - 1)))


def sqrt_self(grad, result):
    """The gradient of a square root."""
    return grad / conj(2 * result)


def exp_self(grad, result):
    """The gradient of exp."""
    return _call2(_mul, grad, conj(result))


def log_self(grad, self):
    """The gradient of log."""
    return grad / conj(self)


def sin_self(grad, self):
    """The gradient of sin."""
    return _call2(_mul, grad, conj(_call1(_cos, self)))


def cos_self(grad, self):
    """The gradient of cos."""
    return _call2(_mul, -grad, conj(_call1(_sin, self)))


# --- products of matrices -------------------------------------------------------------------------------------------

cdef object _conj_transpose(object matrix):
    """The conjugate transpose."""
    cdef TensorInfo f
    cdef Py_ssize_t sizes[2]
    cdef Py_ssize_t strides[2]
    matrix = conj(matrix)
    if not _plain(<PyObject*>matrix):
        return matrix.t()
    tensor_info(<PyObject*>matrix, &f)
    sizes[0], sizes[1] = f.sizes[1], f.sizes[0]
    strides[0], strides[1] = f.strides[1], f.strides[0]
    return as_strided(<PyObject*>matrix, 2, sizes, strides, offset_of(<PyObject*>matrix))


def mm_self(grad, mat2):
    """The gradient of the left factor of a matrix product."""
    return _call2(_mm, grad, _conj_transpose(mat2))


def mm_mat2(grad, self):
    """The gradient of the right factor."""
    return _call2(_mm, _conj_transpose(self), grad)


# --- derivatives of activations in one pass -------------------------------------------------------------------------

def tanh_self(grad, result):
    """The gradient of tanh."""
    if dtype_number(<PyObject*>result) < T_COMPLEX:
        return _call2(_tanh_backward, grad, result)
    return grad * conj(1 - result * result)


def sigmoid_self(grad, result):
    """The gradient of sigmoid."""
    if dtype_number(<PyObject*>result) < T_COMPLEX:
        return _call2(_sigmoid_backward, grad, result)
    return grad * conj(result * (1 - result))


def relu_self(grad, result):
    """The gradient of relu."""
    return _call2(_relu_backward, grad, result)


# --- sums -----------------------------------------------------------------------------------------------------------

cdef object _spread(object grad, object shape, object dim, bint keepdim):
    """Broadcast ``grad``, the gradient of a reduction over ``dim``, to ``shape``: a view, or a copy if it is small."""
    cdef TensorInfo f
    cdef Py_ssize_t sizes[ABI_MAX_NDIM]
    cdef Py_ssize_t strides[ABI_MAX_NDIM]
    cdef bint reduced[ABI_MAX_NDIM]
    cdef Py_ssize_t numel = 1
    cdef int n = <int>len(shape), i, k = 0
    cdef bint everything = dim is None or (type(dim) is tuple and not dim)
    for i in range(n):
        sizes[i] = <object>tuple_item(<PyObject*>shape, i)  # the indexing of torch.Size is slow
        numel *= sizes[i]
        reduced[i] = everything
    if everything and numel <= SMALL and not flags_of(<PyObject*>grad) & T_META:
        return repeated(<PyObject*>grad, n, sizes)
    if not everything:
        for d in (dim if type(dim) is tuple else (dim,)):
            i = d
            if n:
                reduced[i + n if i < 0 else i] = True
    tensor_info(<PyObject*>grad, &f)
    for i in range(n):
        if reduced[i]:
            strides[i] = 0
            if keepdim:
                k += 1
        else:
            strides[i] = f.strides[k]
            k += 1
    view = as_strided(<PyObject*>grad, n, sizes, strides, offset_of(<PyObject*>grad))
    if numel > SMALL:
        return view
    if f.flags & T_META:
        return view.contiguous()
    out = empty(f.dtype, n, sizes)
    copy_into(<PyObject*>out, <PyObject*>view)
    return out


cdef object _recorded_spread(object grad, object shape, object dim, bint keepdim):
    cdef int n = <int>len(shape)
    if not keepdim and n and dim is not None and dim != ():
        dims = {d % n for d in (dim if type(dim) is tuple else (dim,))}
        grad = grad.reshape(tuple([1 if i in dims else shape[i] for i in range(n)]))
    grad = grad.expand(shape)
    if thread_flags().tracer != NULL and grad.numel() <= SMALL and _unrecorded(flags_of(<PyObject*>grad)):
        return grad.contiguous()  # same layout as without a Tracer
    return grad


def spread(grad, shape, dim, bint keepdim):
    """Return the gradient of a sum: ``grad`` repeated along the summed dimensions."""
    if _plain(<PyObject*>grad):
        return _spread(grad, shape, dim, keepdim)
    return _recorded_spread(grad, shape, dim, keepdim)


def sum_self(grad, self_shape, dim, keepdim):
    """The gradient of a sum."""
    if _plain(<PyObject*>grad):
        return _spread(grad, self_shape, dim, keepdim)
    return _recorded_spread(grad, self_shape, dim, keepdim)


def mean_self(grad, self_shape, dim, keepdim):
    """The gradient of a mean."""
    cdef Py_ssize_t count = 1
    cdef int n = <int>len(self_shape), i
    if dim is None or (type(dim) is tuple and not dim):
        for s in self_shape:
            count *= <Py_ssize_t>s
    elif n:
        for d in (dim if type(dim) is tuple else (dim,)):
            i = d
            count *= <Py_ssize_t>self_shape[i + n if i < 0 else i]
    grad = grad / (count if count else 1)
    return sum_self(grad, self_shape, dim, keepdim)


def reshaped(grad, self_shape):
    """Return the gradient of a view or copy with another shape."""
    return grad.reshape(self_shape)
