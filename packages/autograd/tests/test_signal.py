"""Derivatives of short-time Fourier transforms, which are compositions."""

import warnings

import pytest

import flambeau_tensor as torch
from flambeau_autograd.func import vmap
from flambeau_tensor.signal import windows
from samples.derivatives import check_batches, check_derivatives

WINDOW = torch.hann_window(4, dtype=torch.float64) + 0.5


@pytest.mark.parametrize("mode", ["reflect", "constant", "replicate", "circular"])
def test_there(mode, random, check):
    check(
        lambda x, w: torch.stft(x, 4, window=w, pad_mode=mode, return_complex=True),
        random(2, 7),
        random(4, low=0.5, high=1),
        second=mode == "reflect",
    )


def test_back(random, check):
    check(lambda x, w: torch.istft(x, 4, window=w, length=5), random(3, 7, complex=True), random(4, low=0.5, high=1))
    check(lambda x: torch.istft(x, 4, window=WINDOW, onesided=False, return_complex=True), random(4, 5, complex=True))


@pytest.mark.parametrize("window", [torch.hann_window, torch.kaiser_window, windows.gaussian, windows.hann])
def test_windows_are_leaves(window):
    w = window(4, requires_grad=True)
    assert w.requires_grad and w.is_leaf and not window(4).requires_grad


def test_many_examples(random):
    x = random(3, 9, requires_grad=False)
    found = vmap(lambda x: torch.stft(x, 4, window=WINDOW, return_complex=True))(x)
    assert (found == torch.stft(x, 4, window=WINDOW, return_complex=True)).all()


def test_back_without_a_window_for_many_examples(random):
    x = torch.stft(random(3, 9, requires_grad=False), 4, window=WINDOW, return_complex=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = vmap(lambda x: torch.istft(x, 4))(x)
        assert (found == torch.istft(x, 4)).all()


TestDerivatives = check_derivatives("tensor.signal")
TestBatches = check_batches("tensor.signal")
