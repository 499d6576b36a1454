"""Derivatives of bags of rows of a table."""

from flambeau_autograd.derivatives import derivative
from flambeau_nn.ops import bags as ops


def _backward(grad_output, maxima, weight, indices, *options):
    from flambeau_autograd.func import vjp

    offsets, mode, scale, per_sample_weights, last, padding, mask = options
    given = (weight,) if per_sample_weights is None else (weight, per_sample_weights)

    def run(weight, weights=None):
        return ops.composed(weight, indices, offsets, mode, scale, weights, last, padding)

    by_both = (*vjp(run, *given)[1](grad_output), None)
    return tuple(g if asked else None for g, asked in zip(by_both[:2], mask, strict=True))


derivative(ops.embedding_bags_backward, composition=_backward)


def _gradients(
    grad,
    result2,
    weight,
    indices,
    offsets,
    mode,
    scale_grad_by_freq,
    per_sample_weights,
    include_last_offset,
    padding_idx,
    needs,
):
    return ops.embedding_bags_backward(
        grad,
        result2,
        weight,
        indices,
        offsets,
        mode,
        scale_grad_by_freq,
        per_sample_weights,
        include_last_offset,
        padding_idx,
        tuple(needs),
    )


derivative(ops.embedding_bags, {"weight, per_sample_weights": _gradients}, not_differentiable=(1, 2))
