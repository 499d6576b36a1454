"""Gradients through geometries: the part of a base that a view sees, and back."""

import flambeau_tensor as torch


def slice_of(grad, base, view):
    """From the gradient of a base to that of its view, as a copy. Geometries are (sizes, strides, offset)."""
    sizes, strides, offset = base
    whole = torch.empty_strided(sizes, strides, dtype=grad.dtype).copy_(grad)
    view_sizes, view_strides, view_offset = view
    return whole.as_strided(view_sizes, view_strides, view_offset - offset).clone()


def embed(grad, changed, base, view):
    """The gradient of a base whose ``view`` was overwritten: ``grad`` elsewhere, ``changed`` (None: zeros) there."""
    sizes, strides, offset = base
    whole = torch.empty_strided(sizes, strides, dtype=grad.dtype).copy_(grad)
    view_sizes, view_strides, view_offset = view
    part = whole.as_strided(view_sizes, view_strides, view_offset - offset)
    if changed is None:
        part.zero_()
    else:
        part.copy_(changed)
    return whole


def as_strided_backward(grad, base, view):
    """The gradient of a base from that of a view with another geometry.

    Elements that the view sees several times get the sum.
    """
    sizes, strides, offset = base
    view_sizes, view_strides, view_offset = view
    if 0 in view_sizes or 0 in sizes:
        return torch.zeros(sizes, dtype=grad.dtype)
    # Dimensions that the view repeats are summed first.
    repeated = [i for i, (n, s) in enumerate(zip(view_sizes, view_strides, strict=True)) if s == 0 and n > 1]
    if repeated:
        grad = grad.sum(repeated, keepdim=True)
        view_sizes = tuple(1 if i in repeated else n for i, n in enumerate(view_sizes))
    first = min(offset, view_offset)
    last = max(_last(sizes, strides, offset), _last(view_sizes, view_strides, view_offset))
    flat = torch.zeros(last - first + 1, dtype=grad.dtype)
    if _overlaps(view_sizes, view_strides):
        places = torch.arange(last - first + 1).as_strided(view_sizes, view_strides, view_offset - first)
        flat = flat.index_add(0, places.reshape(-1), grad.reshape(-1))
    else:
        flat.as_strided(view_sizes, view_strides, view_offset - first).copy_(grad)
    return flat.as_strided(sizes, strides, offset - first)


def _last(sizes, strides, offset):
    return offset + sum((n - 1) * s for n, s in zip(sizes, strides, strict=True))


def _overlaps(sizes, strides):
    """Whether a geometry may reach an element twice."""
    reach = 0
    for stride, size in sorted((s, n) for n, s in zip(sizes, strides, strict=True) if n > 1):
        if stride <= reach:
            return True
        reach += stride * (size - 1)
    return False
