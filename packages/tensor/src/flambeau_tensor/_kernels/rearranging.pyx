# cython: language_level=3
"""Rearranging elements: flip, repeat, roll, pad, and triangles of matrices."""
from cpython.object cimport PyObject
from libc.stdint cimport int64_t
from libc.string cimport memset

from flambeau_tensor._core.elementwise.dtype cimport ITEMSIZE, dtype_object
from flambeau_tensor._core.elementwise.copying cimport contiguous, copy_elements, fill_elements
from flambeau_tensor._core.memory.layout cimport empty_format, empty_like, suggested_format
from flambeau_tensor._core.call.operator cimport Operator, make_kernel
from flambeau_tensor._core.memory.overflow cimport sum_of_sizes
from flambeau_tensor._core.schema.registry cimport find
from flambeau_tensor._core.memory.tensor cimport Tensor, empty, plain_tuple, read_ints, view_of, wrap_dim
from flambeau_tensor._core.memory.types cimport *

from flambeau_tensor._core.elementwise.operands import wrapped_dim
from flambeau_tensor._kernels.factories import check_size
from flambeau_tensor.options import contiguous_format


cdef object _flip(Operator op, PyObject** a):  # (self, dims)
    cdef Tensor t = <Tensor>a[0]
    cdef Tensor out
    cdef Py_ssize_t[MAX_NDIM] dims
    cdef Py_ssize_t[MAX_NDIM] strides
    cdef bint[MAX_NDIM] reversed
    cdef int n = read_ints(a[1], dims, MAX_NDIM, b"flip", b"dims"), i, d
    cdef char* first = t.data
    for d in range(t.ndim):
        reversed[d] = False
        strides[d] = t.strides[d]
    for i in range(n):
        d = wrap_dim(dims[i], t.ndim)
        if t.ndim == 0:
            continue
        if reversed[d]:
            raise RuntimeError(f"dim {d} appears multiple times in the list of dims")
        reversed[d] = True
    out = empty_like(t, t.dtype)
    if t.numel == 0:
        return out
    for d in range(t.ndim):
        if reversed[d]:  # a view with a negative stride, only for this copy
            first += (t.sizes[d] - 1) * t.strides[d] * ITEMSIZE[t.dtype]
            strides[d] = -t.strides[d]
    copy_elements(out, view_of(t, t.ndim, t.sizes, strides, first))
    return out


cdef object _triangle(Operator op, PyObject** a, bint lower):  # (self, diagonal)
    cdef Tensor t = <Tensor>a[0]
    cdef Tensor out
    cdef Py_ssize_t diagonal = <object>a[1], rows, columns, row, cut, item = ITEMSIZE[t.dtype]
    cdef char* at
    if t.ndim < 2:
        raise RuntimeError(f"{op.name}: input tensor must have at least 2 dimensions")
    out = empty(t.dtype, t.ndim, t.sizes)
    if t.numel == 0:
        return out
    copy_elements(out, t)
    rows, columns = t.sizes[t.ndim - 2], t.sizes[t.ndim - 1]
    diagonal = min(max(diagonal, -rows), columns)  # diagonals beyond this are empty
    at = out.data
    for row in range(t.numel // columns):
        cut = row % rows + diagonal
        if lower:  # columns up to the diagonal are kept
            cut = min(max(cut + 1, 0), columns)
            memset(at + cut * item, 0, (columns - cut) * item)
        else:
            cut = min(max(cut, 0), columns)
            memset(at, 0, cut * item)
        at += columns * item
    return out


cdef object _tril(Operator op, PyObject** a):
    return _triangle(op, a, True)


cdef object _triu(Operator op, PyObject** a):
    return _triangle(op, a, False)


cdef object _repeated(Operator op, PyObject** a):
    """Slots: repeats. Returns each index as many times as its count."""
    cdef Tensor counts = contiguous(<Tensor>a[0], INT64)
    cdef const int64_t* count = <const int64_t*>counts.data
    cdef Py_ssize_t i, _, n, at = 0
    cdef double total = 0
    cdef bint negative = False
    for i in range(counts.numel):
        total += count[i]
        negative |= count[i] < 0
    if negative:
        raise RuntimeError("repeats can not be negative")
    check_size((int(total),), dtype_object(INT64))
    n = <Py_ssize_t>total
    out = empty(INT64, 1, &n)
    for i in range(counts.numel):
        for _ in range(count[i]):
            (<int64_t*>out.data)[at] = i
            at += 1
    return out


cdef object _padded(Operator op, PyObject** a):
    """Slots: self, pad, value, out."""
    cdef Tensor t = <Tensor>a[0]
    cdef Tensor out, inner
    cdef Py_ssize_t[2 * MAX_NDIM] pad
    cdef Py_ssize_t[MAX_NDIM] sizes, part
    cdef int n = read_ints(a[1], pad, 2 * MAX_NDIM, b"constant_pad_nd", b"pad"), i, d
    cdef Py_ssize_t before, after
    cdef char* source = t.data
    cdef char* to
    cdef bint grows = False
    if n % 2:
        raise RuntimeError(f"Length of pad must be even but instead it equals {n}")
    if n > 2 * t.ndim:
        raise RuntimeError("Length of pad should be no more than twice the number of dimensions of the input. Pad "
                           f"length is {n} while the input has {t.ndim} dimensions.")
    for d in range(t.ndim):
        sizes[d] = part[d] = t.sizes[d]
    for i in range(n // 2):
        d, before, after = t.ndim - 1 - i, pad[2 * i], pad[2 * i + 1]
        sizes[d] = sum_of_sizes(sum_of_sizes(sizes[d], before), after)
        part[d] += min(before, <Py_ssize_t>0) + min(after, <Py_ssize_t>0)
        grows |= before > 0 or after > 0
        if sizes[d] < 0 or part[d] < 0:
            raise RuntimeError(f"The input size {t.sizes[d]}, plus negative padding {before} and {after} resulted in a "
                               "negative output size, which is invalid.")
        source += max(-before, <Py_ssize_t>0) * t.strides[d] * ITEMSIZE[t.dtype]
    inner = view_of(t, t.ndim, part, t.strides, source)
    if not grows:  # a copy of a part has the layout of that part
        out = empty_like(inner, t.dtype)
        copy_elements(out, inner)
        return out
    out = empty_format(t.dtype, t.ndim, sizes, suggested_format(t.ndim, t.sizes, t.strides))
    fill_elements(out, <object>a[2])
    if inner.numel == 0:
        return out
    to = out.data
    for i in range(n // 2):
        d = t.ndim - 1 - i
        to += max(pad[2 * i], <Py_ssize_t>0) * out.strides[d] * ITEMSIZE[t.dtype]
    copy_elements(view_of(out, t.ndim, part, out.strides, to), inner)
    return out


cdef object _rolled(object x, Py_ssize_t shift, int dim):
    """Roll along one dimension."""
    cdef Tensor t = <Tensor>x
    cdef Py_ssize_t size = t.sizes[dim]
    shift = (shift % size + size) % size if size else 0
    if shift == 0:
        return x
    narrow = find("torch.narrow")
    return find("torch.cat")((narrow(x, dim, size - shift, shift), narrow(x, dim, 0, size - shift)), dim)


cdef object _roll(Operator op, PyObject** a):
    """Slots: self, shifts, dims. A composition."""
    cdef Tensor t = <Tensor>a[0]
    cdef Py_ssize_t[MAX_NDIM] shifts, dims
    cdef int n = read_ints(a[1], shifts, MAX_NDIM, b"roll", b"shifts"), i
    cdef int m = 0 if a[2] == <PyObject*>None else read_ints(a[2], dims, MAX_NDIM, b"roll", b"dims")
    if n == 0:
        raise RuntimeError("`shifts` required")
    rolled = t
    if m == 0 and n == 1:
        rolled = _rolled(find("torch.reshape")(t, (-1,) if t.numel else (0,)), shifts[0], 0)
        rolled = find("torch.reshape")(rolled, plain_tuple(t.ndim, t.sizes))
        return find("torch.clone")(rolled, memory_format=contiguous_format)  # no view
    if n != m:
        raise RuntimeError(f"shifts and dimensions must align. shifts: {n}, dims:{m}")
    for i in range(n):
        if t.ndim == 0:
            wrapped_dim(dims[i], 0, False)  # raises
        rolled = _rolled(rolled, shifts[i], wrap_dim(dims[i], t.ndim))
    return find("torch.clone")(rolled, memory_format=contiguous_format) if rolled is t else rolled


repeated, constant_pad, roll = make_kernel(_repeated), make_kernel(_padded), make_kernel(_roll)
flip = make_kernel(_flip)
tril = make_kernel(_tril)
triu = make_kernel(_triu)
