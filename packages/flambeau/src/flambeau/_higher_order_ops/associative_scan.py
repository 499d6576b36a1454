"""``torch._higher_order_ops.associative_scan``: prefix results of any associative function.

G. Blelloch, Prefix Sums and Their Applications, 1990: neighbors are combined, the sequence of half the length is
scanned, and the elements in between follow from it, so a scan of n elements takes 2 log2(n) calls of the function.
"""

import flambeau as torch
from flambeau.utils._pytree import tree_flatten, tree_unflatten


def associative_scan(combine_fn, xs, dim, reverse=False, combine_mode="pointwise"):
    """The running results ``x0``, ``f(x0, x1)``, ``f(f(x0, x1), x2)``, … along a dimension.

    Args:
        combine_fn: an associative function of two structures like `xs`, without the dimension. It returns a third one.
        xs: a tensor, or a structure of tensors of one size along `dim`.
        dim: the dimension.
        reverse: whether to begin at the end.
        combine_mode: "pointwise" or "generic"; both have the same result.

    Returns:
        Tensors like `xs`.

    Raises:
        ValueError: `combine_fn` is not callable or returns another structure, the mode is unknown, or sizes differ.
        IndexError: the dimension is out of range.

    >>> from flambeau._higher_order_ops import associative_scan
    >>> associative_scan(torch.maximum, torch.tensor([1.0, 3.0, 2.0, 5.0]), 0)
    tensor([1., 3., 3., 5.])
    """
    if not callable(combine_fn):
        raise ValueError(f"Combine_fn must be a callable, but got {combine_fn}")
    if combine_mode not in ("pointwise", "generic"):
        raise ValueError(f"Combine_mode must either 'pointwise' or 'generic', but got {combine_mode}")
    tensors, structure = tree_flatten(xs)
    if not tensors or not all(isinstance(t, torch.Tensor) for t in tensors):
        raise ValueError(f"xs must hold at least one tensor and nothing else, but got {xs}")
    tensors = [t.movedim(dim, 0) for t in tensors]
    if len({t.shape[0] for t in tensors}) > 1:
        raise ValueError(
            f"All xs leaves must have the same size along dim {dim}, but got {[t.shape[0] for t in tensors]}"
        )

    def combine(left, right):
        result = torch.vmap(combine_fn)(tree_unflatten(left, structure), tree_unflatten(right, structure))
        found, theirs = tree_flatten(result)
        if theirs != structure:
            raise ValueError(f"combine_fn must return what xs is, {structure}, but returned {theirs}")
        return found

    if reverse:
        tensors = [t.flip(0) for t in tensors]
    results = _scan(combine, tensors)
    if reverse:
        results = [t.flip(0) for t in results]
    return tree_unflatten([t.movedim(0, dim) for t in results], structure)


def _scan(combine, xs):
    n = xs[0].shape[0]
    if n < 2:
        return xs
    odd = _scan(combine, combine([x[: n - 1 : 2] for x in xs], [x[1::2] for x in xs]))
    if n == 2:
        even = [x[:1] for x in xs]
    else:
        between = combine([t[: (n - 1) // 2] for t in odd], [x[2::2] for x in xs])
        even = [torch.cat([x[:1], t]) for x, t in zip(xs, between, strict=True)]
    return [_woven(*pair) for pair in zip(even, odd, strict=True)]


def _woven(even, odd):
    """Elements of both in turns; `even` may have one more."""
    pairs = torch.stack([even[: len(odd)], odd], 1).flatten(0, 1)
    return torch.cat([pairs, even[len(odd) :]])
