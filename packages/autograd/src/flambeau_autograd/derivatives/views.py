"""Derivatives of views and reshaping: a gradient is viewed back, or written into zeros of the original sizes."""

import flambeau_tensor as torch
from flambeau_autograd._engine.graph.rule import derivative
from flambeau_autograd.fresh import where, zeros
from flambeau_autograd.strided import extent, overlaps
from flambeau_tensor.ops import factories, pointwise
from flambeau_tensor.ops import views as ops

_back = {"linear": True}
_part = {"linear": True, "part": True}


def _zeros(like, shape):
    return zeros(like, shape)


def _bytes_as(t, dtype):
    """Reinterpret a gradient or tangent in the dtype that ``view`` gave to its tensor, in either direction."""
    if t.dtype is dtype:
        return t
    if {t.dtype, dtype} in (
        {torch.float16, torch.complex32},
        {torch.float32, torch.complex64},
        {torch.float64, torch.complex128},
    ):
        return t.contiguous().resolve_conj().view(dtype)
    raise RuntimeError(
        f"view(): the bytes of {dtype} numbers seen as {t.dtype} ones, or the other way round, have no "
        "derivative. Use detach() before view()."
    )


# Gradients may have another memory order than the viewed tensor, so they are reshaped.
derivative(
    ops.view,
    self=lambda grad, self_shape: grad.reshape(self_shape),
    jvp=lambda self_t, result: self_t.reshape(result.shape),
)
derivative(
    ops.view_dtype,
    self=lambda grad, self_dtype: _bytes_as(grad, self_dtype),
    jvp=lambda self_t, dtype: _bytes_as(self_t, dtype),
)
derivative(ops.reshape, self=lambda grad, self_shape: grad.reshape(self_shape), **_back)
derivative(ops.flatten, self=lambda grad, self_shape: grad.reshape(self_shape), **_back)
derivative(ops.squeeze, self=lambda grad, self_shape: grad.reshape(self_shape), **_back)
derivative(ops.unsqueeze, self=lambda grad, dim: grad.squeeze(dim), **_back)
derivative(ops.transpose, self=lambda grad, dim0, dim1: grad.transpose(dim0, dim1), **_back)
derivative(ops.t, self=lambda grad: grad.t(), **_back)
derivative(ops.reversed_dims, self=lambda grad: ops.reversed_dims(grad), **_back)
derivative(ops.permute, self=lambda grad, dims: grad.permute(_inverse(dims)), **_back)
derivative(ops.expand, self=lambda grad: grad, **_back)  # the sum over repeated elements is computed centrally
derivative(ops.alias_, self=lambda grad: grad, **_back)
derivative(
    ops.select, self=lambda grad, self_shape, dim, index: ops.select_backward(grad, self_shape, dim, index), **_part
)
derivative(
    ops.slice_,
    self=lambda grad, self_shape, dim, start, end, step: ops.slice_backward(grad, self_shape, dim, start, end, step),
    **_part,
)
derivative(
    ops.narrow,
    self=lambda grad, self_shape, dim, start, length: ops.slice_backward(
        grad, self_shape, dim, start, _end(start, length), 1
    ),
    **_part,
)
derivative(
    ops.unsafe_narrow,
    self=lambda grad, self_shape, dim, start, length: ops.slice_backward(
        grad, self_shape, dim, start, _end(start, length), 1
    ),
    **_back,
)
derivative(
    ops.diagonal,
    self=lambda grad, self_shape, offset, dim1, dim2: ops.diagonal_backward(grad, self_shape, offset, dim1, dim2),
    **_part,
)
derivative(
    ops.unfold,
    self=lambda grad, self_shape, dimension, size, step: ops.unfold_backward(grad, self_shape, dimension, size, step),
    **_back,
)
derivative(ops.real, self=lambda grad: grad, **_back)
derivative(ops.imag, self=lambda grad: grad * 1j, **_back)
derivative(ops.view_as_real, self=lambda grad: ops.view_as_complex(grad.contiguous()), **_back)
derivative(ops.view_as_complex, self=lambda grad: ops.view_as_real(grad.contiguous().resolve_conj()), **_back)

# --- writes through a view
derivative(
    ops.diagonal_scatter,
    src=lambda grad, offset, dim1, dim2: ops.diagonal(grad, offset, dim1, dim2),
    self=lambda grad, src_shape, offset, dim1, dim2: ops.diagonal_scatter(
        grad, _zeros(grad, src_shape), offset, dim1, dim2
    ),
    **_back,
)
derivative(
    ops.select_scatter,
    src=lambda grad, dim, index: ops.select(grad, dim, index),
    self=lambda grad, src_shape, dim, index: ops.select_scatter(grad, _zeros(grad, src_shape), dim, index),
    **_back,
)
derivative(
    ops.slice_scatter,
    src=lambda grad, dim, start, end, step: ops.slice_(grad, dim, start, end, step),
    self=lambda grad, src_shape, dim, start, end, step: ops.slice_scatter(
        grad, _zeros(grad, src_shape), dim, start, end, step
    ),
    **_back,
)

# The adjoints themselves
derivative(ops.select_backward, self=lambda grad, dim, index: ops.select(grad, dim, index), **_back)
derivative(
    ops.slice_backward, self=lambda grad, dim, start, end, step: ops.slice_(grad, dim, start, end, step), **_back
)
derivative(ops.diagonal_backward, self=lambda grad, offset, dim1, dim2: ops.diagonal(grad, offset, dim1, dim2), **_back)
derivative(
    ops.unfold_backward, self=lambda grad, dimension, size, step: ops.unfold(grad, dimension, size, step), **_back
)
derivative(
    ops.as_strided_backward,
    self=lambda grad, size, stride, offset: _window(grad.contiguous(), size, stride, offset),
    **_back,
)


def _window(t, size, stride, offset):
    """Counted from the first element of ``t``, which need not be that of its memory."""
    return ops.as_strided(t, size, stride, t.storage_offset() + offset)


def _as_strided(grad, self_geometry, size, stride, storage_offset):
    """Sum gradients up in the storage, and read those of the input from it; repeated elements of it get shares."""
    shape, steps, start = self_geometry[:3]
    offset = start if storage_offset is None else storage_offset
    places = [(shape, steps, start), (tuple(size), tuple(stride), offset)]
    first = min(o for _, _, o in places)
    end = max(o + extent(shape, steps) for shape, steps, o in places)
    flat = ops.as_strided_backward(grad, end - first, size, stride, offset - first)
    if overlaps(shape, steps):
        ones = factories.ones((), dtype=grad.dtype, device=where(grad)).expand(shape)
        times = ops.as_strided_backward(ones, end - first, shape, steps, start - first)
        flat = flat / pointwise.where(times == 0, 1.0, times)
    return _window(flat, shape, steps, start - first)


def _tangent_as_strided(self_t, self_geometry, size, stride, storage_offset):
    """Return the same view of the tangent's memory, so that writes affect both alike."""
    start = self_geometry[2]
    return self_t.as_strided(
        size, stride, self_t.storage_offset() + (0 if storage_offset is None else storage_offset - start)
    )


derivative(ops.as_strided, self=_as_strided, jvp=_tangent_as_strided)


def _inverse(dims):
    n = len(dims)
    out = [0] * n
    for i, d in enumerate(dims):
        out[d % n] = i
    return out


def _end(start, length):
    return None if start < 0 and start + length == 0 else start + length
