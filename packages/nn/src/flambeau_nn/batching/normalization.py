"""Batching of normalization."""

from math import prod

from flambeau_autograd.batching.table import batch_first, batched, call, in_dim_0, looped, plain
from flambeau_nn.ops import normalization as ops


def _behind(t, dim, rank):
    """A tensor for each example, or one for all, that broadcasts with tensors of `rank` dimensions for each."""
    t = batch_first(t, dim)
    return t if dim is None else t.reshape((t.shape[0],) + (1,) * (rank - t.ndim + 1) + tuple(t.shape[1:]))


def _fit(tensors, dims, shape):
    """Whether examples end in `shape`. Others are left to the loop, which raises: with the batch they might fit."""
    sizes = (shape,) if isinstance(shape, int) else tuple(shape)
    for t, dim in zip(tensors, dims, strict=True):
        if t is not None:
            own = [n for d, n in enumerate(t.shape) if dim is None or d != dim % t.ndim]
            if tuple(own[max(len(own) - len(sizes), 0) :]) != sizes:
                return False
    return True


def _rows(level, op, args, dims):
    """Apply weight and bias, if there is one, after the kernel if they differ between examples."""
    x, shape, *affine, eps = args
    if not _fit((x, *affine), (dims[0], *dims[2:-1]), shape):
        return looped(level, op, args, dims)
    x = batch_first(x, dims[0], level.size)
    if all(dim is None for dim in dims[2:-1]):
        return in_dim_0(call(op, x, shape, *affine, eps))
    out = call(op, x, shape, *[None] * len(affine), eps)
    if affine[0] is not None:
        out = out * _behind(affine[0], dims[2], x.ndim - 1)
    return out if not affine[1:] or affine[1] is None else out + _behind(affine[1], dims[3], x.ndim - 1), 0


def _rows_backward(level, op, args, dims):
    """Compute the gradients of weight and bias, which are sums over rows, separately for each batch element."""
    grad, x, shape, *affine, eps = args
    if not _fit((x, *affine), (dims[1], *dims[3:-1]), shape):
        return looped(level, op, args, dims)
    weight, nothing = affine[0], [None] * len(affine)
    grad, x = batch_first(grad, dims[0], level.size), batch_first(x, dims[1], level.size)
    sizes = (shape,) if isinstance(shape, int) else tuple(shape)
    scaled = grad if weight is None else grad * _behind(weight, dims[3], x.ndim - 1)
    of_x = call(op, scaled, x, shape, *nothing, eps)[0]

    def summed(t):
        return t.reshape((level.size, prod(t.shape[1 : t.ndim - len(sizes)]), *sizes)).sum(1)

    forward = ops.layer_norm if len(affine) == 2 else ops.rms_rows
    of_weight = None if weight is None else summed(grad * call(forward, x, shape, *nothing, eps))
    of_bias = [None if bias is None else summed(grad) for bias in affine[1:]]
    return in_dim_0((of_x, of_weight, *of_bias))


batched(_rows, ops.layer_norm, ops.rms_rows)
batched(_rows_backward, ops.layer_norm_backward, ops.rms_rows_backward)


def _folded(t, dim, size):
    """Reshape (N, C, …) per example to (N, examples · C, …): channels and groups of channels are independent."""
    t = batch_first(t, dim, size)
    return t.movedim(0, 1).reshape((t.shape[1], size * t.shape[2], *t.shape[3:]))


def _apart(t, size):
    return t.reshape((t.shape[0], size, t.shape[1] // size, *t.shape[2:]))


def _flat(t, dim, size):
    return t if t is None else batch_first(t, dim, size).reshape(-1)


def _channel_norm(level, op, args, dims):
    x, weight, bias, groups, eps = args
    size = level.size
    result, mean, variance = call(
        op,
        _folded(x, dims[0], size),
        _flat(weight, dims[1], size),
        _flat(bias, dims[2], size),
        groups * size,
        eps,
    )
    if groups:
        return (_apart(result, size), _apart(mean, size), _apart(variance, size)), (1, 1, 1)
    return (_apart(result, size), mean.reshape((size, -1)), variance.reshape((size, -1))), (1, 0, 0)


def _channel_norm_backward(level, op, args, dims):
    grad, x, weight, bias, mean, variance, groups, eps = args
    size = level.size
    statistics = [
        _folded(t, d, size) if groups else _flat(t, d, size) for t, d in zip((mean, variance), dims[4:6], strict=True)
    ]
    of_x, of_weight, of_bias = call(
        op,
        _folded(grad, dims[0], size),
        _folded(x, dims[1], size),
        _flat(weight, dims[2], size),
        _flat(bias, dims[3], size),
        *statistics,
        groups * size,
        eps,
    )
    of_both = tuple(t if t is None else t.reshape((size, -1)) for t in (of_weight, of_bias))
    return (_apart(of_x, size), *of_both), (1, *(t if t is None else 0 for t in of_both))


def _channel_scale(level, op, args, dims):
    x, *parameters, eps = args
    size = level.size
    flat = [_flat(t, d, size) for t, d in zip(parameters, dims[1:5], strict=True)]
    return _apart(call(op, _folded(x, dims[0], size), *flat, eps), size), 1


def _channel_scale_backward(level, op, args, dims):
    grad, x, *parameters, eps = args
    size = level.size
    flat = [_flat(t, d, size) for t, d in zip(parameters, dims[2:6], strict=True)]
    of_x, *of_both = call(op, _folded(grad, dims[0], size), _folded(x, dims[1], size), *flat, eps)
    of_both = tuple(t if t is None else t.reshape((size, -1)) for t in of_both)
    return (_apart(of_x, size), *of_both), (1, *(t if t is None else 0 for t in of_both))


batched(_channel_scale, ops.channel_scale)
batched(_channel_scale_backward, ops.channel_scale_backward)
batched(_channel_norm, ops.channel_norm)
batched(_channel_norm_backward, ops.channel_norm_backward)
batched(plain, ops.row_moments)
