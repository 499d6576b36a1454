"""Parts of other operations, compared with these."""

import numpy as np
import pytest

import flambeau_tensor as ft
from samples.values import check_values

X = ft.arange(12.0).view(3, 4)


def test_softmax():
    rows = ft.where(X > 3, X, float("-inf"))
    found = ft._safe_softmax(rows, 1)
    assert not found[0].any() and ft.allclose(found[1:], ft.softmax(X[1:], 1))
    y = ft.softmax(X / 5, 1)
    jacobian = np.diag(y[0].numpy()) - np.outer(y[0].numpy(), y[0].numpy())
    np.testing.assert_allclose(ft._softmax_backward_data(X, y, 1, ft.float32)[0], jacobian @ X[0].numpy(), rtol=1e-4)


def test_products_with_an_activation():
    a, b, c = ft.tensor([1.0, -9.0]), X, ft.ones(4, 2)
    expected = a / 2 + X @ c
    assert ft.allclose(ft._addmm_activation(a, b, c, beta=0.5), expected.relu())
    assert ft._addmm_activation(a, b, c, beta=0.5, use_gelu=True)[0, 1].item() == pytest.approx(1.3997892)
    out = ft.empty(3, 2)
    assert ft._addmm_activation(a, b, -c, out=out) is out and not out[1:].any()
    assert ft._compute_linear_combination(X, ft.tensor([[1.0, 0.0, 2.0]])).tolist() == (X[:1] + 2 * X[2:]).tolist()


def test_padding():
    for pad, widths in (((1, 2), ((0, 0), (1, 2))), ((0, 1, 2, 0), ((2, 0), (0, 1)))):
        np.testing.assert_array_equal(ft.constant_pad_nd(X, pad, 7), np.pad(X.numpy(), widths, constant_values=7))
    assert ft.constant_pad_nd(X, (-1, -2, 1, 0)).tolist() == [[0], [1], [5], [9]]
    for pad, text in (
        ((1,), "Length of pad must be even"),
        ((0,) * 6, "no more than twice"),
        ((-3, -2), "negative output"),
    ):
        with pytest.raises(RuntimeError, match=text):
            ft.constant_pad_nd(X, pad)


def test_pieces_side_by_side():
    found = ft._chunk_cat((X, X[:1] * 10), 0, 2)
    assert found.tolist() == [[0, 1, 2, 3, 4, 5, 6, 7, 0, 10, 20, 30], [8, 9, 10, 11, 0, 0, 0, 0, 0, 0, 0, 0]]
    wrong = ((X, X), 0, "expects positive num_chunks"), ((), 1, "expects a non-empty input tensor list")
    for tensors, n, text in wrong:
        with pytest.raises(RuntimeError, match=text):
            ft._chunk_cat(tensors, 0, n)


def test_masked_places():
    mask, rows = ft.tensor([True, False]), ft.tensor([1, 99])
    columns = ft.tensor([2, -50])
    assert ft._unsafe_masked_index(X, mask, (rows, columns), 5).tolist() == [6, 5]
    found = ft._unsafe_masked_index_put_accumulate(X, mask, (rows, columns), ft.tensor([10.0, 20.0]))
    assert (found - X).nonzero().tolist() == [[1, 2]] and found[1, 2] == 16


TestSamples = check_values("tensor.decompositions")
