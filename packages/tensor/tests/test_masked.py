"""Masked reductions against NumPy's on the remaining elements; PyTorch's rules as literals (2.13, CPU)."""

import math

import numpy as np
import pytest

import flambeau_tensor as ft
from flambeau_tensor import masked
from flambeau_tensor.not_built import NotBuiltError

RNG = np.random.default_rng(5)
A, KEEP = RNG.standard_normal((3, 4, 5)), RNG.random((3, 4, 5)) < 0.6
KEEP[0, :, 0] = False
X, MASK = ft.tensor(A), ft.tensor(KEEP)
NAN, INF = float("nan"), float("inf")


def expected(function, empty, axis):
    """Apply a function of vectors to the remaining elements along an axis; `empty` is the result without any."""
    out = np.empty(np.delete(A.shape, axis))
    for place in np.ndindex(out.shape):
        index = (*place[:axis], slice(None), *place[axis:])
        left = A[index][KEEP[index]]
        out[place] = function(left) if len(left) else empty
    return out


def lower_median(a):
    return np.sort(a)[(len(a) - 1) // 2]


CASES = {
    "sum": (masked.sum, np.sum, 0),
    "prod": (masked.prod, np.prod, 1),
    "mean": (masked.mean, np.mean, NAN),
    "amax": (masked.amax, np.max, -INF),
    "amin": (masked.amin, np.min, INF),
    "median": (masked.median, lower_median, NAN),
    "norm": (lambda x, d, **how: masked.norm(x, 3, d, **how), lambda a: (np.abs(a) ** 3).sum() ** (1 / 3), 0),
    "largest norm": (lambda x, d, **how: masked.norm(x, INF, d, **how), lambda a: np.abs(a).max(), 0),
    "smallest norm": (lambda x, d, **how: masked.norm(x, -INF, d, **how), lambda a: np.abs(a).min(), INF),
    "var": (lambda x, d, **how: masked.var(x, d, False, **how), np.var, NAN),
    "std": (lambda x, d, **how: masked.std(x, d, correction=0, **how), np.std, NAN),
    "logsumexp": (masked.logsumexp, lambda a: np.log(np.exp(a).sum()), -INF),
}


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("name", CASES)
def test_reductions(name, axis):
    function, of_left, empty = CASES[name]
    np.testing.assert_allclose(function(X, axis, mask=MASK), expected(of_left, empty, axis), rtol=1e-12)
    np.testing.assert_allclose(
        function(X, axis, mask=MASK, keepdim=True).squeeze(axis), expected(of_left, empty, axis), rtol=1e-12
    )
    if name != "median":
        np.testing.assert_allclose(function(X, None, mask=MASK).item(), of_left(A[KEEP]), rtol=1e-12)
        np.testing.assert_allclose(function(X, (0, 1, -1), mask=None).item(), of_left(A.reshape(-1)), rtol=1e-12)


def test_places():
    for function, extreme in (masked.argmax, np.argmax), (masked.argmin, np.argmin):
        filled = np.where(KEEP, A, -INF if extreme is np.argmax else INF)
        found = function(X, 1, mask=MASK)
        assert found.dtype is ft.float64  # the dtype of the input
        np.testing.assert_array_equal(found, extreme(filled, 1))
        assert function(X, mask=MASK, dtype=ft.int64).item() == extreme(filled)


def test_along_a_dimension():
    rows = np.where(KEEP, A, 0)
    np.testing.assert_allclose(masked.cumsum(X, 1, mask=MASK), rows.cumsum(1), rtol=1e-12)
    np.testing.assert_allclose(masked.cumprod(X, 1, mask=MASK), np.where(KEEP, A, 1).cumprod(1), rtol=1e-12)
    for function, sign in (masked.softmax, 1), (masked.softmin, -1):
        e = np.where(KEEP, np.exp(sign * A), 0)
        with np.errstate(invalid="ignore"):
            np.testing.assert_allclose(function(X, 1, mask=MASK), e / e.sum(1, keepdims=True), rtol=1e-12)
    with np.errstate(divide="ignore"):
        found = masked.log_softmax(X, -1, mask=MASK)
        np.testing.assert_allclose(found, np.log(masked.softmax(X, -1, mask=MASK).numpy()), rtol=1e-12, atol=1e-15)
    length = np.maximum(np.sqrt((rows**2).sum(2, keepdims=True)), 1e-12)
    np.testing.assert_allclose(masked.normalize(X, 2.0, 2, mask=MASK), rows / length, rtol=1e-12)
    found = masked.logaddexp(X, X, input_mask=MASK)
    np.testing.assert_allclose(found, np.where(KEEP, A + np.log(2), A), rtol=1e-12)


def test_dtypes_and_masks():
    i = ft.tensor([[1, 2, 4], [3, 5, 7]], dtype=ft.int32)
    m = ft.tensor([True, False, True])  # broadcast
    assert masked.sum(i, 1, mask=m).tolist() == [5, 10] and masked.sum(i, 1, mask=m).dtype is ft.int64
    assert masked.prod(i, (0, 1), mask=m.int()).item() == 84 and masked.amax(i, 1, mask=m).dtype is ft.int32
    assert masked.amax(i, 1, mask=ft.zeros(1)).tolist() == [-(2**31)] * 2
    assert masked.mean(i, 1, mask=m, dtype=ft.float32).tolist() == [2.5, 5]
    assert masked.var(i, 1, mask=m).tolist() == [4.5, 8] and masked.median(i, 1, mask=m).tolist() == [1, 3]
    assert masked.sum(ft.tensor(3.0), 0).item() == 3 and masked.cumsum(i, 1, mask=m).dtype is ft.int32
    assert masked.sum(i, (), mask=m, dtype=ft.float64).dtype is ft.float64


@pytest.mark.parametrize(
    "call, error, text",
    [
        (
            lambda: masked.sum(X, 1, mask=ft.ones(1, 3, 4, 5)),
            IndexError,
            "mask dimensionality higher than of the input",
        ),
        (lambda: masked.sum(X, 1, mask=ft.ones(2)), RuntimeError, "expanded size"),
        (lambda: masked.sum(X, (0, 0)), RuntimeError, "dim=0 appears multiple times in the list of dims"),
        (lambda: masked.sum(X, 5), IndexError, "Dimension out of range"),
        (lambda: masked.mean(X.int()), ValueError, "Could not infer output dtype.* Got: torch.int32"),
        (lambda: masked.median(X.int(), 1, mask=ft.zeros(1)), ValueError, "expects no fully masked out rows"),
        (lambda: masked.amax(X > 0), NotImplementedError, "identity of amax on torch.bool input"),
        (lambda: masked.var(X, None, True, correction=1), RuntimeError, "Only one of unbiased and correction"),
        (lambda: masked.MaskedTensor, NotBuiltError, "torch.masked.MaskedTensor is not built"),
        (lambda: masked.nothing, AttributeError, "module 'torch.masked' has no attribute 'nothing'"),
    ],
)
def test_errors(call, error, text):
    with pytest.raises(error, match=text):
        call()


def test_masks_and_identities_of_functions():
    """PyTorch's private functions, which test suites use."""
    x, mask = ft.ones(2, 3), ft.tensor([True, False, True])
    assert masked._input_mask(x, mask=mask).tolist() == [[True, False, True]] * 2
    assert masked._canonical_dim((-1,), 2) == (1,) and masked._canonical_dim(None, 2) == (0, 1)
    for op, args, options, expected in (
        (masked.sum, (0,), {}, [True, False, True]),
        (masked.norm, (2, 0), {}, [True, False, True]),
        (masked.argmax, (), {"keepdim": True}, [[True]]),
        (masked.median, (1,), {}, [True, True]),
        (masked.var, (0, True), {}, [True, False, True]),
        (masked.softmax, (1,), {}, [[True, False, True]] * 2),
    ):
        assert masked._output_mask(op, x, *args, mask=mask, **options).tolist() == expected
    with pytest.raises(ValueError, match="requires explicit mask"):
        masked._input_mask(x)
    with pytest.raises(ValueError, match="expected masked operation"):
        masked._output_mask(ft.sin, x, mask=mask)
    number = masked._reduction_identity
    assert [number(f"masked.{n}", x).item() for n in ("sum", "prod", "amax", "argmin")] == [0, 1, -INF, INF]
    assert number("amin", x.short()).item() == 32767 and number("norm", x, -INF).item() == INF
    assert number("var", x) is None and math.isnan(number("median", x).item())
    with pytest.raises(NotImplementedError, match="identity of softmax"):
        number("softmax", x)
    assert masked._where(mask, x, ft.tensor(9.0)).tolist() == [[1.0, 9.0, 1.0]] * 2
