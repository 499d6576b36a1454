"""Calls of attention."""

from samples import call, find, real

Q, K, V = real(1, 3, 4), real(1, 5, 4), real(1, 5, 2)
FLAT = real(1, 2, 3, 4), real(1, 2, 5, 4), real(1, 2, 5, 4)


def _backward(op, gradient, *operands):
    return op(gradient, find("_C._nn.attention")(*operands, None, False, 0.5)[1], *operands, None, False, 0.5)


TABLE = {
    "nn.functional.scaled_dot_product_attention": call(Q, K, V),
    "nn.functional.scaled_dot_product_attention, masked": call(Q, K, V, real(3, 5)),
    "nn.functional.scaled_dot_product_attention, causal": call(Q, K, V, is_causal=True, scale=0.3),
    "_C._nn.attention": call(*FLAT, via=lambda op, *a: op(*a, None, False, 0.5)[0]),
    "_C._nn.attention_backward": call(real(1, 2, 3, 4), *FLAT, via=_backward),
}
