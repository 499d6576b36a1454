"""What every operator computes, by the samples of its family: dtypes, layouts, forms, device 'meta', no elements."""

import numpy as np
import pytest

import flambeau_tensor as torch
from flambeau_tensor.extend import OverloadSet
from samples import KINDS, Dtypes, flat, table

REFUSALS = (AssertionError, RuntimeError, TypeError, ValueError, NotImplementedError, IndexError)
# What is said of a call on 'meta' whose result depends on elements.
DEPENDS = (
    "attempted to run this operator with Meta tensors",
    "cannot be called on meta tensors",
    "Cannot copy out of meta tensor",
    "can't convert meta device type tensor to numpy",
    "cannot repeat_interleave a meta tensor without output_size",
)
RTOL = {torch.float16: 1e-2, torch.bfloat16: 6e-2, torch.float32: 1e-4, torch.complex64: 1e-4}


def check_values(family):
    """The test class of a family's samples: ``TestSamples = check_values("tensor.pointwise")``."""
    chosen = list(table(family).values())
    return pytest.mark.parametrize("sample", chosen, ids=str)(type("TestSamples", (Values,), {}))


@pytest.mark.filterwarnings("ignore::UserWarning")  # of degenerate sizes, of imaginary parts that go
class Values:
    def test_dtypes(self, sample):
        """Admitted dtypes agree with double precision and the reference; the others are refused."""
        for kind, dtypes in KINDS.items():
            for dtype in dtypes if any(d.kind == "real" for d in sample.drawn) else ():
                if kind in sample.dtypes:
                    agree(sample, dtype)
                elif Dtypes.UNASKED not in sample.dtypes:
                    with pytest.raises(REFUSALS):
                        sample(*sample.one(dtype))
                        pytest.fail(f"{dtype} is admitted")

    def test_layouts(self, sample):
        """However the arguments lie in memory, and they stay as they are."""
        if not sample.layouts:
            return
        tensors = sample.one()
        kept = [t.clone() for t in tensors]
        expected = sample(*tensors)
        for layout in (_transposed, _spread):
            given = [layout(t) for t in tensors]
            same(sample(*given), expected)
            for t, before in zip(given, kept, strict=True):
                assert t.equal(before), "an argument changed"

    def test_forms(self, sample):
        """As a method, and with ``out=``."""
        op = sample.operator
        if sample.via is not None or sample.writes:
            return
        tensors = sample.one()
        arguments, options = sample.bind(tensors)
        expected = op(*arguments, **options)
        if op.is_method and arguments and isinstance(arguments[0], torch.Tensor):
            method = getattr(arguments[0], op.name, None)
            if callable(method):
                same(method(*arguments[1:], **options), expected)
        if not isinstance(op, OverloadSet) and any(a.name == "out" for a in op.schema.arguments):
            shapes = flat(expected)
            outs = [torch.empty(0, dtype=t.dtype) for t in shapes]
            out = outs[0] if isinstance(expected, torch.Tensor) else tuple(outs)
            op(*arguments, **options, out=out)
            same(out, expected)

    def test_meta(self, sample):
        """What has no elements has the same geometry, and so has what has an axis of size 0."""
        tensors = sample.one()
        self.compare(sample, tensors)
        for size in {n for t in tensors for n in t.shape if n > 1}:
            empty = [t.new_empty([0 if n == size else n for n in t.shape]) for t in tensors]
            self.compare(sample, empty)

    def compare(self, sample, tensors):
        if not tensors:
            return
        try:
            expected = flat(sample(*tensors))
        except REFUSALS:
            return
        try:
            found = flat(sample(*[_on_meta(t) for t in tensors]))
        except (RuntimeError, TypeError, NotImplementedError) as error:
            if not any(text in str(error) for text in DEPENDS):
                raise
            return
        assert [_geometry(t) for t in found] == [_geometry(t) for t in expected]


def agree(sample, dtype):
    """Results of a dtype with those of the function, for what works in place, the reference, or double precision."""
    tensors = sample.one(dtype)
    if sample.in_place_of is not None:
        expected = sample.in_place_of(*tensors)
        if torch.can_cast(expected.dtype, tensors[0].dtype):
            same(sample(*tensors), expected.to(tensors[0].dtype))
        else:
            with pytest.raises(REFUSALS):
                sample(*tensors)
        return
    found, wide = sample(*tensors), [t.to(_wide(t.dtype)) for t in tensors]
    if sample.like is not None:
        with np.errstate(all="ignore"):
            close(found, sample.like(*[t.numpy() for t in wide]), dtype)
    elif dtype.is_floating_point or dtype.is_complex:
        close(found, flat(sample(*wide)), dtype)


def close(found, expected, dtype):
    """Results with those of a reference in NumPy or in double precision, to what their dtypes can hold."""
    found, expected = flat(found), expected if isinstance(expected, (tuple, list)) else [expected]
    for a, b in zip(found, expected, strict=True):
        b = _array(b) if isinstance(b, torch.Tensor) else np.asarray(b)
        rtol = max(RTOL.get(dtype, 1e-9), RTOL.get(a.dtype, 1e-9))
        assert tuple(a.shape) == b.shape
        finite = np.abs(b[np.isfinite(b)])
        np.testing.assert_allclose(_array(a), b, rtol=rtol, atol=rtol * max(1.0, finite.max(initial=0)))


def same(found, expected):
    """Results that are equal, tensors or not, with their dtypes."""
    if not flat(expected):
        assert found == expected
        return
    found, expected = flat(found), flat(expected)
    assert len(found) == len(expected)
    for a, b in zip(found, expected, strict=True):
        assert (a.shape, a.dtype) == (b.shape, b.dtype)
        np.testing.assert_allclose(_array(a), _array(b), rtol=1e-9, atol=1e-12)


def _array(t):
    return t.resolve_conj().resolve_neg().to(_wide(t.dtype)).numpy()


def _wide(dtype):
    if dtype.is_complex:
        return torch.complex128
    return torch.float64 if dtype.is_floating_point else dtype


def _transposed(t):
    return t.movedim(0, -1).contiguous().movedim(-1, 0) if t.ndim > 1 else _spread(t)


def _spread(t):
    """Every second element of memory that starts elsewhere."""
    out = t.new_zeros((*t.shape, 2)).select(-1, 1)
    return out.copy_(t)


def _on_meta(t):
    return torch.empty_strided(tuple(t.shape), t.stride(), dtype=t.dtype, device="meta")


def _geometry(t):
    """Of dimensions of size 1, and of what has no elements, strides say nothing."""
    strides = [s for n, s in zip(t.shape, t.stride(), strict=True) if n > 1] if t.numel() else None
    return tuple(t.shape), t.dtype, strides
