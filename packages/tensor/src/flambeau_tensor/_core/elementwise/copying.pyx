# cython: language_level=3
"""Copying, converting and filling: writing elements to a tensor, for any layouts and dtypes."""
from cpython.object cimport PyObject
from libc.float cimport FLT_MAX
from libc.math cimport INFINITY
from libc.string cimport memcpy

from flambeau_tensor._core.elementwise.casts cimport CAST, COPY, cast_t
from flambeau_tensor._core.elementwise.dtype cimport CATEGORY, ITEMSIZE, dtype_object
from flambeau_tensor._core.memory.layout cimport empty_like
from flambeau_tensor._core.elementwise.loops cimport run_loop
from flambeau_tensor._core.memory.meta_device cimport INDIRECT, META, OF_MEMORY, no_memory
from flambeau_tensor._core.elementwise.operands cimport (
    broadcast_shape, check_cast, check_writable, interleaves, out_tensor, same_sizes,
)
from flambeau_tensor._core.elementwise.scalar cimport Scalar, c_name, read_scalar, store_scalar
from flambeau_tensor._core.memory.negation cimport apply_lazy
from flambeau_tensor._core.call.sockets cimport find, sockets
from flambeau_tensor._core.memory.tensor cimport Tensor, detached, empty, grad_flags, is_dense, same_shape, set_geometry
from flambeau_tensor._core.memory.tensor cimport shape_str
from flambeau_tensor._core.call.thread_state cimport thread_state
from flambeau_tensor._core.elementwise.transposing cimport copy_transposed
from flambeau_tensor._core.memory.types cimport *
from flambeau_tensor.grain cimport GIL_FREE

cdef enum:
    STRETCH = 1 << 14  # bytes


cdef void _copy_loop(char** args, const Py_ssize_t* n, const Py_ssize_t* steps, void* data) noexcept nogil:
    cdef Py_ssize_t item = <Py_ssize_t>data
    cdef Py_ssize_t done, more
    if steps[0] == item and steps[1] == item:
        memcpy(args[1], args[0], n[0] * item)
    elif steps[0] == 0 and steps[1] == item and n[0] > 8:  # one value: fill a short range, then copy that
        done = min(<Py_ssize_t>256, n[0])
        COPY[item](args[0], 0, args[1], item, done)
        while done < n[0]:
            more = min(min(done, STRETCH // item), n[0] - done)
            memcpy(args[1] + done * item, args[1], more * item)
            done += more
    else:
        COPY[item](args[0], steps[0], args[1], steps[1], n[0])


cdef void _cast_loop(char** args, const Py_ssize_t* n, const Py_ssize_t* steps, void* data) noexcept nogil:
    (<cast_t>data)(args[0], steps[0], args[1], steps[1], n[0])


cdef int _check_fits(Tensor dst, Tensor src) except -1:
    """Raise if the source does not broadcast to the shape of `dst`."""
    cdef PyObject* both[2]
    cdef Py_ssize_t[MAX_NDIM] shape
    cdef int ndim
    both[0], both[1] = <PyObject*>dst, <PyObject*>src
    ndim = broadcast_shape(2, both, shape)
    if ndim != dst.ndim or not same_sizes(ndim, shape, dst.sizes):
        raise RuntimeError(f"output with shape {shape_str(dst.ndim, dst.sizes)} doesn't match the broadcast shape "
                           f"{shape_str(ndim, shape)}")
    return 0


cdef int copy_elements(Tensor dst, Tensor src) except -1:
    cdef Py_ssize_t[2][MAX_NDIM] strides
    cdef Py_ssize_t* stride_ptrs[2]
    cdef char* ptrs[2]
    cdef int[2] types
    cdef int d, lead = dst.ndim - src.ndim
    cdef bint same = same_shape(dst, src)
    if not same:
        _check_fits(dst, src)
    if dst.numel == 0:
        return 0
    if (dst.flags | src.flags) & INDIRECT:
        return _copy_resolved(dst, src)
    if dst.dtype == src.dtype and same and dst.flags & src.flags & CONTIGUOUS and dst.numel < GIL_FREE:
        memcpy(dst.data, src.data, dst.numel * ITEMSIZE[dst.dtype])
        return 0
    if interleaves(dst, src):
        src = copy_of(src)
    for d in range(dst.ndim):
        if d < lead or src.sizes[d - lead] == 1:
            strides[0][d] = 0
        else:
            strides[0][d] = src.strides[d - lead] * ITEMSIZE[src.dtype]
        strides[1][d] = dst.strides[d] * ITEMSIZE[dst.dtype]
    stride_ptrs[0], stride_ptrs[1] = strides[0], strides[1]
    ptrs[0], ptrs[1] = src.data, dst.data
    types[0], types[1] = src.dtype, dst.dtype  # the loop converts
    if src.dtype == dst.dtype:
        if copy_transposed(ITEMSIZE[dst.dtype], ptrs, dst.ndim, dst.sizes, stride_ptrs):
            return 0
        run_loop(_copy_loop, <void*><Py_ssize_t>ITEMSIZE[dst.dtype], 2, ptrs, types, types, dst.ndim, dst.sizes,
                 stride_ptrs)
    else:
        run_loop(_cast_loop, <void*>CAST[src.dtype][dst.dtype], 2, ptrs, types, types, dst.ndim, dst.sizes,
                 stride_ptrs)
    return 0


cdef int _copy_resolved(Tensor dst, Tensor src) except -1:
    """Copy if `dst` or `src` is a conjugate or negative view, or on device 'meta'.

    The elements that views represent are copied. On device 'meta', there is nothing to write and nothing to read."""
    cdef unsigned int lazy = (dst.flags ^ src.flags) & LAZY
    cdef Tensor memory, source
    if dst.flags & META:
        return 0
    if src.flags & META:
        raise no_memory()
    memory, source = detached(dst), detached(src)
    if dst.dtype != src.dtype and src.flags & LAZY:  # resolve before converting
        source = empty_like(src, src.dtype)
        copy_elements(source, src)
        lazy = dst.flags & LAZY
    memory.flags &= ~LAZY
    source.flags &= ~LAZY
    copy_elements(memory, source)
    return apply_lazy(memory, lazy) if lazy else 0


cdef bint _overflows(const Scalar* s, int dtype) noexcept:
    """Whether a finite number is beyond a floating-point dtype, or has an imaginary part that a real one loses."""
    cdef double largest = FLT_MAX if dtype == FLOAT32 else 65504.0 if dtype == FLOAT16 else \
        3.3895313892515355e38 if dtype == BFLOAT16 else INFINITY
    if s.category == CAT_COMPLEX:
        return CATEGORY[dtype] != CAT_COMPLEX and dtype != BOOL and s.im != 0
    return largest < (abs(s.re) if s.category == CAT_FLOAT else abs(<double>s.i)) != INFINITY


cdef int fill_elements(Tensor dst, object number) except -1:
    cdef Tensor value
    cdef Scalar s
    read_scalar(<PyObject*>number, &s)
    if s.category == CAT_FLOAT and CATEGORY[dst.dtype] <= CAT_INT and dst.dtype != BOOL and s.re == s.re and \
            -9e18 < s.re < 9e18:
        s.i = <long long>s.re  # fill truncates
        s.category = CAT_INT
    if _overflows(&s, dst.dtype):
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


cdef Tensor contiguous(Tensor t, int dtype):
    cdef Tensor out
    if t.flags & CONTIGUOUS and t.dtype == dtype:
        return t
    out = empty(dtype, t.ndim, t.sizes)
    copy_elements(out, t)
    return out


cdef Tensor copy_of(Tensor t):
    cdef Tensor out = empty_like(t, t.dtype)
    copy_elements(out, t)
    return out


# --- results into existing tensors ----------------------------------------------------------------------------------

cdef int check_out_dtype(str func, object out, object result) except -1:
    """Check that the tensors of `out` have the dtypes of the results."""
    if isinstance(result, tuple):
        for o, r in zip(out, result):
            check_out_dtype(func, o, r)
    elif isinstance(out, Tensor) and (<Tensor>out).dtype != (<Tensor>result).dtype:
        raise RuntimeError(f"{func}(): Expected out tensor to have dtype {dtype_object((<Tensor>result).dtype).name}, "
                           f"but got {dtype_object((<Tensor>out).dtype).name} instead")
    return 0


cdef object write_out(str func, object out, object result, bint composite=False):
    """Copy new results to the tensors of `out`; the write of a composition may be dispatched."""
    cdef Tensor r, o
    cdef bint resized
    if isinstance(result, tuple):
        if not isinstance(out, (tuple, list)) or len(out) != len(result):
            raise TypeError(f"{func}(): argument 'out' must be a tuple of {len(result)} Tensors")
        return type(result)([write_out(func, o1, r1, composite) for o1, r1 in zip(out, result)])
    if not isinstance(out, Tensor):
        raise TypeError(f"{func}(): argument 'out' must be Tensor, not {type(out).__name__}")
    r, o = <Tensor>result, <Tensor>out
    if r.flags & LAYERED or (r.flags & REQUIRES_GRAD and thread_state().grad_enabled):  # of a recorded composition
        raise RuntimeError(f"{func}(): functions with out=... arguments don't support automatic differentiation, but "
                           "one of the arguments requires grad.")
    resized = not same_shape(o, r)
    o = out_tensor(func, o, r.dtype, r.ndim, r.sizes)
    if resized and o.flags & CONTIGUOUS and not r.flags & CONTIGUOUS and is_dense(r):
        set_geometry(o, r.ndim, r.sizes, r.strides)  # a new size takes the layout of the result
    if composite and (o.flags | r.flags | thread_state().dispatching) & DISPATCH:
        return find("torch.Tensor.copy_")(o, r)
    copy_elements(o, r)
    o.storage.version += 1
    return o


cdef object write_inplace(str func, Tensor self, Tensor result, bint composite=False):
    """Copy a new result to the tensor that an in-place operator changes; the write of a composition is recorded."""
    if result is None:
        raise TypeError(f"{func}(): the implementation returned None, not a Tensor")
    check_writable(func, self)
    check_cast(result.dtype, self.dtype)
    if not same_shape(self, result):
        raise RuntimeError(f"output with shape {shape_str(self.ndim, self.sizes)} doesn't match the broadcast shape "
                           f"{shape_str(result.ndim, result.sizes)}")
    if composite and (grad_flags(self) | result.flags | thread_state().dispatching) & \
            (REQUIRES_GRAD | LAYERED | DISPATCH):
        return find("torch.Tensor.copy_")(self, result)
    copy_elements(self, result)
    self.storage.version += 1
    return self


cdef object become_view(Tensor self, Tensor view):
    """Turn a tensor into the given view of it; implements the in-place form of view operators."""
    if sockets.become is not None:
        sockets.become(self, view)
    self.storage.version += 1
    if view.grad_fn is not None:
        self.view_version = self.storage.version  # its history belongs to its new geometry
    set_geometry(self, view.ndim, view.sizes, view.strides)
    self.data = view.data
    if self.flags & DISPATCH and type(view) is type(self):
        (<object>self).__dict__.update((<object>view).__dict__)  # attributes that its handler set
    self.flags = self.flags & ~OF_MEMORY | view.flags & OF_MEMORY
    return self
