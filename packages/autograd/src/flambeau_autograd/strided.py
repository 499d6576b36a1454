"""Gradients of views with any geometry: the part of a base that a view covers, and back.

A geometry is (sizes, strides, offset, complex, lazy). A complex tensor and a real view of it count the same memory in
different units. ``lazy`` has the flags of conjugate and negative views.
"""

import flambeau_tensor as torch

CONJ, NEG = 1024, 2048  # T_CONJ and T_NEG of flambeau_tensor.abi


def _counted_in_reals(geometry):
    sizes, strides, offset, is_complex, lazy = geometry
    if not is_complex:
        return geometry
    return (*sizes, 2), (*[2 * s for s in strides], 1), 2 * offset, False, lazy


def _meant(t, lazy):
    """A view of ``t`` as the flags mean it, and back."""
    if lazy & CONJ and t.is_complex():
        t = t.conj()
    return t._neg_view() if lazy & NEG else t


def part_of(whole, base, view):
    """Return the view of ``whole`` that corresponds to the geometry ``view`` of ``base``."""
    whole = _meant(whole, base[4])
    regrouped = base[3] != view[3]  # one is complex and the other its real view
    as_complex = regrouped and view[3]
    if regrouped:
        whole = torch.view_as_real(whole) if base[3] else whole
        base, view = _counted_in_reals(base), _counted_in_reals(view)
    sizes, strides, offset, _, lazy = view
    part = whole.as_strided(sizes, strides, whole.storage_offset() + offset - base[2])
    return _meant(torch.view_as_complex(part) if as_complex else part, lazy)


def slice_of(grad, base, view):
    """From the gradient of a base to that of its view, as a copy."""
    return part_of(_laid_out(grad, base), base, view).clone()


def embed(grad, changed, base, view):
    """The gradient of a base whose ``view`` was overwritten: ``grad`` elsewhere, ``changed`` (None: zeros) there."""
    whole = _laid_out(grad, base)
    part = part_of(whole, base, view)
    if changed is None:
        part.zero_()
    else:
        part.copy_(changed)
    return whole


def _laid_out(grad, geometry):
    sizes, strides = geometry[:2]
    return grad.new_empty_strided(sizes, strides).copy_(grad)


def as_strided_backward(grad, base, view):
    """The gradient of a base from that of a view with another geometry.

    Elements that the view repeats get the sum.
    """
    if base[4] or view[4]:
        grad = _meant(grad, view[4]).resolve_conj().resolve_neg()
        return _meant(as_strided_backward(grad, (*base[:4], 0), (*view[:4], 0)), base[4])
    if base[3] != view[3]:
        if view[3]:
            return as_strided_backward(torch.view_as_real(grad.resolve_conj()), base, _counted_in_reals(view))
        return torch.view_as_complex(as_strided_backward(grad, _counted_in_reals(base), view))
    sizes, strides, offset = base[:3]
    view_sizes, view_strides, view_offset = view[:3]
    if 0 in view_sizes or 0 in sizes:
        return grad.new_zeros(sizes)
    # Dimensions that the view repeats are summed first.
    repeated = [i for i, (n, s) in enumerate(zip(view_sizes, view_strides, strict=True)) if s == 0 and n > 1]
    if repeated:
        grad = grad.sum(repeated, keepdim=True)
        view_sizes = tuple(1 if i in repeated else n for i, n in enumerate(view_sizes))
    first = min(offset, view_offset)
    first -= first % 2  # a complex base begins at an even place
    end = max(offset + extent(sizes, strides), view_offset + extent(view_sizes, view_strides))
    flat = grad.new_zeros(end - first)
    if overlaps(view_sizes, view_strides):
        places = torch.arange(end - first).as_strided(view_sizes, view_strides, view_offset - first)
        flat = flat.index_add(0, places.reshape(-1), grad.reshape(-1))
    else:
        flat.as_strided(view_sizes, view_strides, view_offset - first).copy_(grad)
    return flat.as_strided(sizes, strides, offset - first)


def extent(sizes, strides):
    """Return the number of places that a geometry spans, from its first element to its last."""
    return 1 + sum((n - 1) * s for n, s in zip(sizes, strides, strict=True)) if 0 not in sizes else 0


def overlaps(sizes, strides):
    """Return True if a geometry may reach an element twice."""
    reach = 0
    for stride, size in sorted((s, n) for n, s in zip(sizes, strides, strict=True) if n > 1):
        if stride <= reach:
            return True
        reach += stride * (size - 1)
    return False
