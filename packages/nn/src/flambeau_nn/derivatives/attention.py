"""Derivatives of attention: backward in blocks, and the derivatives of backward as a composition."""

from flambeau_autograd.derivatives import derivative
from flambeau_nn.ops import attention as ops


def _backward(grad, logsumexp, query, key, value, mask, is_causal, scale):
    from flambeau_autograd.func import vjp

    def run(q, k, v):
        return ops.composed(q, k, v, mask, 0.0, is_causal, scale)

    return vjp(run, query, key, value)[1](grad)


derivative(ops.attention_backward, composition=_backward)
derivative(
    ops.attention,
    {
        "query, key, value": lambda grad, result1, query, key, value, mask, is_causal, scale: ops.attention_backward(
            grad, result1, query, key, value, mask, is_causal, scale
        )
    },
    not_differentiable=("logsumexp",),
)
