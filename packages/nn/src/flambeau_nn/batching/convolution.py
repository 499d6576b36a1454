"""Batching of convolution: the batch joins the samples if the weights are shared, otherwise the groups of channels."""

from flambeau_autograd.batching.table import batch_first, batched, call, in_dim_0, looped
from flambeau_nn.ops.convolution import convolution, convolution_backward


def _as_samples(t):
    """(B, N, …) as (B·N, …)."""
    return t.reshape((t.shape[0] * t.shape[1], *t.shape[2:]))


def _as_channels(t):
    """(B, N, C, …) as (N, B·C, …)."""
    t = t.transpose(0, 1)
    return t.reshape((t.shape[0], t.shape[1] * t.shape[2], *t.shape[3:]))


def _from_channels(t, examples):
    """(N, B·C, …) as (B, N, C, …)."""
    return t.reshape((t.shape[0], examples, t.shape[1] // examples, *t.shape[2:])).transpose(0, 1)


def _with_bias(out, bias, dim):
    """`out` (B, N, C, …) plus a bias for each example, or one for all."""
    if bias is None:
        return in_dim_0(out)
    bias = batch_first(bias, dim)
    lead = (bias.shape[0], 1) if dim is not None else (1, 1)
    return in_dim_0(out + bias.reshape((*lead, bias.shape[-1]) + (1,) * (out.ndim - 3)))


def _convolution(level, op, args, dims):
    x, weight, bias, *geometry, groups = args
    n = level.size
    if n == 0:
        return looped(level, op, args, dims)
    if dims[1] is None:
        if dims[0] is None:
            out = call(op, x, weight, None, *geometry, groups)
            return _with_bias(out.expand((n, *out.shape)), bias, dims[2])
        x = batch_first(x, dims[0])
        shared = bias if dims[2] is None else None
        out = call(op, _as_samples(x), weight, shared, *geometry, groups)
        out = out.reshape((n, x.shape[1], *out.shape[1:]))
        return _with_bias(out, None if dims[2] is None else bias, dims[2])
    weight = batch_first(weight, dims[1])
    if dims[0] is None and groups == 1:
        weight = _as_channels(weight) if geometry[3] else _as_samples(weight)
        out = call(op, x, weight, None, *geometry, 1)
    else:
        x = batch_first(x, dims[0], n)
        out = call(op, _as_channels(x), _as_samples(weight), None, *geometry, groups * n)
    return _with_bias(_from_channels(out, n), bias, dims[2])


def _convolution_backward(level, op, args, dims):
    grad, x, weight, bias_sizes, *geometry, groups, mask = args
    n = level.size
    if n == 0:
        return looped(level, op, args, dims)
    grad, x = batch_first(grad, dims[0], n), batch_first(x, dims[1], n)
    if dims[2] is None and not mask[1] and not mask[2]:
        of_input, _, _ = call(op, _as_samples(grad), _as_samples(x), weight, bias_sizes, *geometry, groups, mask)
        return in_dim_0((of_input.reshape(x.shape), None, None))
    weight = batch_first(weight, dims[2], n)
    of_input, of_weight, of_bias = call(
        op,
        _as_channels(grad),
        _as_channels(x),
        _as_samples(weight),
        bias_sizes and (n * grad.shape[2],),
        *geometry,
        groups * n,
        mask,
    )
    return in_dim_0(
        (
            None if of_input is None else _from_channels(of_input, n),
            None if of_weight is None else of_weight.reshape(weight.shape),
            None if of_bias is None else of_bias.reshape((n, -1)),
        )
    )


batched(_convolution, convolution)
batched(_convolution_backward, convolution_backward)
