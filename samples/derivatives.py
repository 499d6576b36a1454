"""Derivatives and batches of every operator, by the samples of its family.

First and second derivatives are compared with finite differences, forward mode with reverse mode, and calls under
``vmap`` with a loop over the examples.
"""

import itertools
import warnings

import numpy as np
import pytest

import flambeau_autograd as autograd
import flambeau_autograd.forward_ad as forward_ad
import flambeau_tensor as torch
from flambeau_autograd.func import grad, jvp, vmap
from samples import EXAMPLES, KINDS, Dtypes, flat, table
from samples.values import same

STEP = 1e-6


def check_derivatives(family):
    """The test class of a family's samples that have derivatives."""
    with warnings.catch_warnings(action="ignore"):
        chosen = [s for s in table(family).values() if has_derivative(s)]
    return pytest.mark.parametrize("sample", chosen, ids=str)(type("TestDerivatives", (Derivatives,), {}))


def check_batches(family):
    """The test class of a family's samples that work on many examples."""
    with warnings.catch_warnings(action="ignore"):
        chosen = [s for s in table(family).values() if is_batched(s)]
    return pytest.mark.parametrize("sample", chosen, ids=str)(type("TestBatches", (Batches,), {}))


def is_batched(sample):
    return sample.loop and bool(sample.drawn) and bool(flat(sample(*sample.one())))


def has_derivative(sample):
    return sample.derivative and bool(_moving(sample)) and bool(_real(sample, *sample.one()))


@pytest.mark.filterwarnings("ignore::UserWarning")  # of imaginary parts that go
class Derivatives:
    def test_by_differences(self, sample):
        """Gradients, their derivatives, and tangents, of real and of complex numbers."""
        if sample.cut:
            return
        for dtype in [KINDS[kind][0] for kind in (Dtypes.DOUBLE, Dtypes.COMPLEX) if kind in sample.dtypes]:
            tensors, where = sample.one(dtype), _moving(sample)
            inputs = [tensors[i].requires_grad_() for i in where]

            def function(*given, tensors=tensors, where=where):
                return tuple(t for t in flat(sample(*_put(tensors, where, given))) if _is_inexact(t))

            results = function(*inputs)
            assert any(t.requires_grad for t in results), "no result has a history"
            assert autograd.gradcheck(
                function, inputs, fast_mode=dtype.is_complex or sum(t.numel() for t in inputs) > 24
            )
            check_tangents(function, *inputs)
            if sample.second:
                assert autograd.gradgradcheck(function, inputs, atol=1e-4, check_fwd_over_rev=True, fast_mode=True)

    def test_forward_mode(self, sample):
        """Tangents against differences, for one example and for all of them at once."""
        stacked, where = sample.draw(), _moving(sample)
        state = np.random.RandomState(5)
        directions = [torch.from_numpy(np.asarray(state.uniform(-1, 1, tuple(stacked[i].shape)))) for i in where]

        def along(*args):
            values, tangents = args[: len(stacked)], args[len(stacked) :]

            def moved(*given):
                return _real(sample, *_put(values, where, given))

            return jvp(moved, tuple(values[i] for i in where), tuple(tangents))[1]

        found = [along(*[a[i].clone() for a in stacked], *[d[i] for d in directions]) for i in range(EXAMPLES)]
        for i in range(EXAMPLES):
            shifted = []
            for sign in (1, -1):
                values = [a[i].clone() for a in stacked]
                for k, d in zip(where, directions, strict=True):
                    values[k] = values[k] + sign * STEP * d[i]
                shifted.append(_real(sample, *values))
            for tangent, plus, minus in zip(found[i], *shifted, strict=True):
                if sample.cut:
                    assert not tangent.numpy().any()
                else:
                    np.testing.assert_allclose(
                        tangent.numpy(), (plus - minus).numpy() / (2 * STEP), rtol=1e-4, atol=1e-6
                    )
        if sample.loop:
            same(vmap(along)(*stacked, *directions), [torch.stack(column) for column in zip(*found, strict=True)])

    def test_for_each_example(self, sample):
        """``vmap(grad(f))`` and ``grad`` through ``vmap`` against a loop."""
        if not sample.loop:
            return
        stacked, where = sample.draw(), _moving(sample)

        def total(*args):
            return sum(((t * t).sum() for t in _real(sample, *args)), torch.zeros((), dtype=torch.float64))

        of = grad(total, argnums=tuple(where))
        expected = looped(of, stacked, [True] * len(stacked))
        same(vmap(of)(*stacked), expected)
        same(grad(lambda *args: vmap(total)(*args).sum(), argnums=tuple(where))(*stacked), expected)


@pytest.mark.filterwarnings("ignore::UserWarning")
class Batches:
    def test_vmap_is_a_loop(self, sample):
        """Wherever the examples lie, and whichever arguments they share."""
        stacked = sample.draw()
        for batched in itertools.product([True, False], repeat=len(stacked)):
            if not any(batched) or not all(batched[: sample.written]):
                continue  # no examples, or many that are written into one tensor
            expected = looped(sample, stacked, batched)
            for place in (0, -1):
                given = [a.movedim(0, place) if b else a[0] for a, b in zip(stacked, batched, strict=True)]
                found = vmap(_listed(sample), tuple(place if b else None for b in batched))(*given)
                same(found, expected)

    def test_nested(self, sample):
        """Examples of examples: the outer ones in the last dimension."""
        stacked = sample.draw()
        shuffled = [torch.stack([a, a[[1, 2, 0]]], -1) for a in stacked]
        found = vmap(vmap(_listed(sample)), in_dims=-1)(*shuffled)
        first = looped(sample, stacked, [True] * len(stacked))
        second = looped(sample, [a[[1, 2, 0]] for a in stacked], [True] * len(stacked))
        same(found, [torch.stack(pair) for pair in zip(first, second, strict=True)])

    def test_rows(self, sample):
        """A row that is refused by itself is refused as an example: many rows look like one tensor of the right shape.
        Masks are refused for their values."""
        tensors = sample.one()
        for i in range(sample.written, len(tensors)):

            def of_row(row, i=i):
                return sample(*tensors[:i], row, *tensors[i + 1 :])

            rows = tensors[i].ndim and len(tensors[i]) and tensors[i].dtype is not torch.bool
            if rows and _refuses(of_row, tensors[i][0]):
                assert _refuses(vmap(of_row), tensors[i]), f"argument {i}"


def _refuses(function, tensor):
    try:
        function(tensor)
    except (IndexError, RuntimeError, TypeError, ValueError):
        return True
    return False


def check_tangents(function, *inputs):
    """Forward mode against reverse mode: for tangents t and cotangents v, <v, J t> is <J* v, t>."""
    state = np.random.RandomState(1)

    def draw(t):
        values = state.standard_normal(tuple(t.shape))
        if t.is_complex():
            values = values + 1j * state.standard_normal(tuple(t.shape))
        return torch.tensor(values, dtype=t.dtype)

    def inner(a, b):
        return sum((x.conj() * y).real.sum().item() for x, y in zip(a, b, strict=True) if x is not None)

    tangents = [draw(t) for t in inputs]
    with forward_ad.dual_level():
        duals = [forward_ad.make_dual(x.detach(), t) for x, t in zip(inputs, tangents, strict=True)]
        found = [forward_ad.unpack_dual(r).tangent for r in flat(function(*duals))]
    pairs = [(r, t) for r, t in zip(flat(function(*inputs)), found, strict=True) if r.requires_grad]
    assert pairs and all(t is None or (t.shape, t.dtype) == (r.shape, r.dtype) for r, t in pairs)
    cotangents = [draw(r) for r, _ in pairs]
    gradients = autograd.grad([r for r, _ in pairs], inputs, cotangents, allow_unused=True)
    forward = inner(*zip(*[(t, v) for (_, t), v in zip(pairs, cotangents, strict=True)], strict=True))
    assert forward == pytest.approx(inner(gradients, tangents), rel=1e-9, abs=1e-9)


def looped(function, stacked, batched):
    """The results of a function for one example after the other, stacked."""
    rows = [
        flat(function(*[a[i] if b else a[0] for a, b in zip(stacked, batched, strict=True)])) for i in range(EXAMPLES)
    ]
    return [torch.stack(column) for column in zip(*rows, strict=True)]


def _moving(sample):
    """Which tensors derivatives are by."""
    return (
        []
        if not _is_inexact(torch.empty(0, dtype=sample.dtype))
        else [i for i, d in enumerate(sample.drawn) if d.kind == "real"]
    )


def _is_inexact(t):
    return t.is_floating_point() or t.is_complex()


def _real(sample, *tensors):
    """The results that are no integers, as real numbers."""
    out = [torch.view_as_real(t.resolve_conj()) if t.is_complex() else t.resolve_neg() for t in flat(sample(*tensors))]
    return tuple(t for t in out if t.is_floating_point())


def _put(tensors, where, given):
    full = list(tensors)
    for i, t in zip(where, given, strict=True):
        full[i] = t
    return full


def _listed(sample):
    return lambda *args: tuple(flat(sample(*args)))
