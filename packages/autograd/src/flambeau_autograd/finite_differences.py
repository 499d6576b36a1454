"""Derivatives by finite differences, and helpers for checks of derivatives: matrices in NumPy, random directions.

The matrix of a real function of a tensor has a row for each element of the tensor and a column for each element of the
result. For complex numbers the convention is PyTorch's: the row of an element z = x + iy contains d/dx + i d/dy, which
is the gradient.
"""

import numpy as np

import flambeau_tensor as torch


def is_inexact(t):
    return t.is_floating_point() or t.is_complex()


def tensors_in(items, keep=lambda t: True):
    """Return the tensors among ``items``, and in lists, tuples and dicts, for which ``keep`` is true."""
    if isinstance(items, torch.Tensor):
        if keep(items):
            yield items
    elif isinstance(items, (tuple, list, dict)):
        for item in items.values() if isinstance(items, dict) else items:
            yield from tensors_in(item, keep)


def replaced(items, new):
    """``items`` with ``new(tensor)`` in the place of each tensor, also in lists, tuples and dicts."""
    if isinstance(items, torch.Tensor):
        return new(items)
    if isinstance(items, (tuple, list)):
        return type(items)([replaced(item, new) for item in items])
    if isinstance(items, dict):
        return {key: replaced(item, new) for key, item in items.items()}
    return items


def _is_handled(t):
    """Whether the handler of a tensor's class manages its contents."""
    return type(t).__torch_dispatch__ is not torch.Tensor.__torch_dispatch__


class _Handled:
    """The elements of a tensor whose class handles calls; they are read and written by calls."""

    def __init__(self, x):
        self.x = x

    def __getitem__(self, place):
        return self.x[place].item()

    def __setitem__(self, place, value):
        if place is not Ellipsis:
            self.x[place].fill_(value)
            return
        for each in np.ndindex(*self.x.shape):
            self[each] = value[each].item()

    def copy(self):
        return flat(self.x).reshape(tuple(self.x.shape))


def _elements(x):
    x = x.detach()
    return _Handled(x) if _is_handled(x) else x.numpy()


def flat(t):
    """Return a copy of the elements as a NumPy vector."""
    t = t.detach()
    if _is_handled(t):
        name = "float32" if t.dtype is torch.bfloat16 else t.dtype.name
        return np.array([element.item() for element in t.reshape(-1)], dtype=name)
    return (t.float() if t.dtype.name == "bfloat16" else t).resolve_conj().resolve_neg().numpy().reshape(-1).copy()


def random_like(t, random, gapped=False):
    """Return a tensor of random numbers of the same shape and dtype, with gaps between its elements if `gapped`."""
    shape = (*t.shape, 2) if gapped else tuple(t.shape)
    values = random.standard_normal(shape)
    if t.is_complex():
        values = values + 1j * random.standard_normal(shape)
    made = torch.from_numpy(np.asarray(values)).to(t.dtype)
    return made.select(-1, 0) if gapped else made


def unit_like(t, random):
    """Return a random direction of length 1, so that differences along it move no element by more than one step."""
    made = random_like(t, random)
    return made / max(float(np.linalg.norm(flat(made))), 1e-300)


def units(t):
    """Return the directions in which an element moves: the real one, and for complex elements the imaginary one."""
    return (1.0, 1j) if t.is_complex() else (1.0,)


def joined(parts):
    """The derivatives along `units` as one array."""
    return parts[0] if len(parts) == 1 else parts[0] + 1j * parts[1]


def numerical(values, x, eps):
    """Return the Jacobians of the arrays of ``values()`` by central differences; ``x`` is changed and restored."""
    elements = _elements(x)
    first = values()
    rows = [[] for _ in first]
    for place in np.ndindex(*x.shape):
        was = elements[place]
        differences = []
        for unit in units(x):
            elements[place] = was + eps * unit
            plus = values()
            elements[place] = was - eps * unit
            minus = values()
            elements[place] = was
            for ends in (plus, minus):
                _expect_same_form(first, ends, eps)
            differences.append([(a - b) / (2 * eps) for a, b in zip(plus, minus, strict=True)])
        for k, row in enumerate(rows):
            row.append(joined([s[k] for s in differences]))
    return [np.array(row).reshape(len(row), v.size) for row, v in zip(rows, first, strict=True)]


def _expect_same_form(before, after, eps):
    for a, b in zip(before, after, strict=True):
        for what, was, now in (("shape", a.shape, b.shape), ("dtype", a.dtype, b.dtype)):
            if was != now:
                raise AssertionError(
                    f"Expected `func` to return outputs with the same {what} when inputs are perturbed by {eps}, but "
                    f"got {was} and then {now}"
                )


def directional_derivative(values, x, direction, eps):
    """Return the derivative of the arrays of ``values()`` along ``direction`` of ``x``, which is restored."""
    elements = _elements(x)
    was, first = elements.copy(), values()
    ends = []
    for sign in (1, -1):
        elements[...] = was + sign * eps * direction
        ends.append(values())
    elements[...] = was
    for end in ends:
        _expect_same_form(first, end, eps)
    return [(a - b) / (2 * eps) for a, b in zip(*ends, strict=True)]
