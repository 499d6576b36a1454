"""Short-time Fourier transforms against NumPy, and inverted; windows against their formulas."""

import sys
import warnings

import numpy as np
import pytest

import flambeau_tensor as ft
from flambeau_tensor import switches
from flambeau_tensor.signal import windows
from samples.values import check_values

g = np.random.default_rng(5)


def family():
    """Return the module of these operators, which is imported when one of them is used."""
    assert ft.stft
    return sys.modules["flambeau_tensor.ops.signal"]


@pytest.fixture(autouse=True)
def _unwarned(monkeypatch):
    """Suppress warnings that are given once."""
    signal = family()
    monkeypatch.setattr(
        switches, "_warned", {signal._NO_WINDOW, signal._NO_WINDOW_BACK, signal._AS_PARTS, signal._TOO_LONG}
    )


PADDINGS = {"constant": "constant", "reflect": "reflect", "replicate": "edge", "circular": "wrap"}


def reference(a, n_fft, hop, window, center=True, pad_mode="reflect", onesided=True, normalized=False):
    if center:
        a = np.pad(a, [(0, 0)] * (a.ndim - 1) + [(n_fft // 2, n_fft // 2)], PADDINGS[pad_mode])
    starts = range(0, a.shape[-1] - n_fft + 1, hop)
    pieces = [np.fft.fft(a[..., s : s + n_fft] * window, norm="ortho" if normalized else None) for s in starts]
    out = np.stack(pieces, -1)
    return out[..., : n_fft // 2 + 1, :] if onesided else out


OPTIONS = [
    {},
    {"center": False},
    {"pad_mode": "constant"},
    {"pad_mode": "replicate"},
    {"pad_mode": "circular"},
    {"onesided": False},
    {"normalized": True},
]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("hop", [1, 3, 4])
def test_transform(options, hop):
    for shape in [(30,), (2, 30)]:
        a, window = g.standard_normal(shape), g.standard_normal(8)
        got = ft.stft(ft.tensor(a), 8, hop, window=ft.tensor(window), return_complex=True, **options)
        np.testing.assert_allclose(got.numpy(), reference(a, 8, hop, window, **options), rtol=1e-12, atol=1e-12)
        parts = ft.tensor(a).stft(8, hop, window=ft.tensor(window), return_complex=False, **options)
        assert (ft.view_as_complex(parts.contiguous()) == got).all()
        assert got.stride()[-2:] == (1, got.shape[-2])


def test_short_windows_and_complex_signals():
    a, window = g.standard_normal(30), g.standard_normal(5)
    wide = np.pad(window, (1, 2))
    got = ft.stft(ft.tensor(a), 8, window=ft.tensor(window), win_length=5, return_complex=True)
    np.testing.assert_allclose(got.numpy(), reference(a, 8, 2, wide), rtol=1e-12, atol=1e-12)
    ones = np.pad(np.ones(5), (1, 2))
    got = ft.stft(ft.tensor(a), 8, win_length=5, return_complex=True)
    np.testing.assert_allclose(got.numpy(), reference(a, 8, 2, ones), rtol=1e-12, atol=1e-12)
    got = ft.stft(ft.tensor(a * 1j), 8, window=ft.ones(8, dtype=ft.float64))
    np.testing.assert_allclose(got.numpy(), reference(a * 1j, 8, 2, 1, onesided=False), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("options", [{}, {"onesided": False}, {"normalized": True}, {"hop_length": 3}], ids=str)
def test_there_and_back(options):
    for shape in [(31,), (2, 31)]:
        a = g.standard_normal(shape)
        for window in (None, ft.tensor(g.uniform(0.5, 1, 8))):
            spectrum = ft.stft(ft.tensor(a), 8, window=window, return_complex=True, **options)
            back = ft.istft(spectrum, 8, window=window, length=29, **options)
            np.testing.assert_allclose(back.numpy(), a[..., :29], rtol=1e-11, atol=1e-11)
        if options.get("onesided") is False:
            whole = ft.istft(spectrum, 8, window=window, return_complex=True, onesided=False)
            np.testing.assert_allclose(whole.numpy(), a[..., : whole.shape[-1]], rtol=1e-11, atol=1e-11)
            continue
        spectrum = ft.stft(ft.tensor(a), 8, 2, return_complex=True, center=False)
        back = ft.istft(spectrum, 8, 2, center=False)
        np.testing.assert_allclose(back.numpy(), a[..., :30], rtol=1e-11, atol=1e-11)
        longer = ft.istft(spectrum, 8, 2, center=False, length=40)
        assert longer.shape[-1] == 40 and not longer[..., 30:].any()


def test_what_is_said_once(monkeypatch):
    monkeypatch.setattr(switches, "_warned", set())
    with pytest.warns(UserWarning, match="A rectangular window will be applied,which is known"):
        ft.stft(ft.ones(20), 8, return_complex=True)
    with pytest.warns(UserWarning, match="stft with return_complex=False is deprecated"):
        ft.stft(ft.ones(20), 8, window=ft.ones(8), return_complex=False)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ft.stft(ft.ones(20), 8, return_complex=True)


x = ft.ones(20)
y = ft.ones(5, 11, dtype=ft.complex64)
ERRORS = [
    (lambda: ft.stft(x, 8), "stft requires the return_complex parameter be given for real inputs"),
    (lambda: ft.stft(x, 40, return_complex=True), r"but got: padding \(20, 20\) at dimension 2 of input \[1, 1, 20\]"),
    (
        lambda: ft.stft(x, 40, return_complex=True, center=False),
        r"stft\(torch.FloatTensor\[20\], n_fft=40, hop_length=10, win_length=40, window=None, normalized=0, "
        r"onesided=None, return_complex=1, align_to_window=None\) : expected 0 < n_fft < 20, but got n_fft=40",
    ),
    (lambda: ft.stft(x, 8, 0, return_complex=True), "expected hop_length > 0, but got hop_length=0"),
    (
        lambda: ft.stft(x, 8, win_length=9, return_complex=True),
        "expected 0 < win_length <= n_fft, but got win_length=9",
    ),
    (lambda: ft.stft(x, 8, window=x[:7], return_complex=True), r"window=torch.FloatTensor\{\[7\]\}.*with size \[7\]"),
    (lambda: ft.stft(x.long(), 8, return_complex=True), "expected a tensor of floating point or complex values"),
    (lambda: ft.stft(x[None, None], 8, return_complex=True), "expected a 1D or 2D tensor"),
    (lambda: ft.stft(x + 0j, 8, onesided=True), "Cannot have onesided output if window or input is complex"),
    (lambda: ft.stft(x, 8, align_to_window=True, return_complex=True), "should only be set when center = false"),
    (lambda: ft.istft(x, 8), "istft requires a complex-valued input tensor"),
    (lambda: ft.istft(y[:0], 8), "input tensor cannot be empty"),
    (lambda: ft.istft(y, 10, onesided=True), r"match n_fft / 2 \+ 1 when onesided=True, but got 5"),
    (lambda: ft.istft(y, 10, onesided=False), "match n_fft when onesided=False, but got 5"),
    (lambda: ft.istft(y, 8, 9), "expected 0 < hop_length <= win_length"),
    (lambda: ft.istft(y, 8, win_length=9), "expected 0 < win_length <= n_fft"),
    (lambda: ft.istft(y, 8, window=x[:3]), "Invalid window shape"),
    (lambda: ft.istft(y, 8, window=x[:8] * 0), "window overlap add min: 1"),
    (lambda: ft.istft(y, 8, return_complex=True), "Cannot have onesided output if window or input is complex"),
    (lambda: ft.istft(y, 8, window=x[:8] + 0j), "Complex windows are incompatible with return_complex=False"),
    (lambda: ft.hann_window(-1), "hann_window requires non-negative window_length, got window_length=-1"),
    (lambda: ft.hann_window(3, dtype=ft.int32), "hann_window expects floating point dtypes"),
]


@pytest.mark.parametrize(("call", "said"), ERRORS, ids=[case[1][:40] for case in ERRORS])
def test_errors(call, said):
    with pytest.raises(RuntimeError, match=said):
        call()


# --- windows --------------------------------------------------------------------------------------------------------


OLDER = {
    "hann_window": np.hanning,
    "hamming_window": np.hamming,
    "bartlett_window": np.bartlett,
    "blackman_window": np.blackman,
    "kaiser_window": lambda n: np.kaiser(n, 12.0),
}


@pytest.mark.parametrize("name", OLDER)
def test_older_windows(name):
    for n in (0, 1, 2, 5, 8):
        for periodic in (True, False):
            got = getattr(ft, name)(n, periodic, dtype=ft.float64)
            wanted = OLDER[name](n + 1)[:-1] if periodic and n > 1 else OLDER[name](n)
            np.testing.assert_allclose(got.numpy(), wanted, rtol=1e-12, atol=1e-12)
    assert getattr(ft, name)(4).dtype is ft.float32


def test_parameters_of_older_windows():
    wanted = 0.3 - 0.7 * np.cos(np.pi / 2 * np.arange(5))
    np.testing.assert_allclose(ft.hamming_window(5, False, 0.3, 0.7).numpy(), wanted, atol=1e-6)
    np.testing.assert_allclose(ft.kaiser_window(6, False, 3.0).numpy(), np.kaiser(6, 3.0), rtol=1e-6)


def cosines(n, *weights):
    k = 2 * np.pi * np.arange(n) / (n - 1)
    return sum((-1) ** i * w * np.cos(i * k) for i, w in enumerate(weights))


def middle(n):
    return np.arange(n) - (n - 1) / 2


SCIPYS = {
    "bartlett": np.bartlett,
    "blackman": np.blackman,
    "hamming": np.hamming,
    "hann": np.hanning,
    "cosine": lambda n: np.sin(np.pi * (np.arange(n) + 0.5) / n),
    "exponential": lambda n: np.exp(-np.abs(middle(n))),
    "gaussian": lambda n: np.exp(-(middle(n) ** 2) / 2),
    "kaiser": lambda n: np.kaiser(n, 12.0),
    "nuttall": lambda n: cosines(n, 0.3635819, 0.4891775, 0.1365995, 0.0106411),
    "general_cosine": lambda n: cosines(n, 0.5, 0.3, 0.2),
    "general_hamming": lambda n: cosines(n, 0.54, 0.46),
}


@pytest.mark.parametrize("name", windows.__all__)
def test_windows(name):
    options = {"a": [0.5, 0.3, 0.2]} if name == "general_cosine" else {}
    for n in (0, 1, 2, 5, 8):
        for sym in (True, False):
            got = getattr(windows, name)(n, sym=sym, dtype=ft.float64, **options)
            wanted = np.ones(n) if n < 2 else SCIPYS[name](n) if sym else SCIPYS[name](n + 1)[:-1]
            np.testing.assert_allclose(got.numpy(), wanted, rtol=1e-12, atol=1e-12)
    assert getattr(windows, name)(4, **options).dtype is ft.float32


def test_parameters_of_windows():
    for got, wanted in [
        (windows.exponential(4, center=1, tau=2, sym=False), np.exp(-np.abs(np.arange(4) - 1) / 2)),
        (windows.gaussian(5, std=2), np.exp(-(middle(5) ** 2) / 8)),
        (windows.kaiser(5, beta=3), np.kaiser(5, 3.0)),
        (windows.general_hamming(5, alpha=0.3), cosines(5, 0.3, 0.7)),
    ]:
        np.testing.assert_allclose(got.numpy(), wanted, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: windows.hann(-1), "general_cosine requires non-negative window length, got M=-1"),
        (lambda: windows.hann(3, dtype=ft.int32), "general_cosine expects float32 or float64 dtypes, got: torch.int32"),
        (lambda: windows.general_cosine(3, a=[]), "Coefficients cannot be empty"),
        (lambda: windows.gaussian(3, std=-1), "Standard deviation must be positive, got: -1 instead."),
        (lambda: windows.exponential(3, center=1), "Center must be None for symmetric windows"),
        (lambda: windows.exponential(3, tau=0), "Tau must be positive, got: 0 instead."),
        (lambda: windows.kaiser(3, beta=-1), "beta must be non-negative, got: -1 instead."),
    ],
)
def test_errors_of_windows(call, said):
    with pytest.raises(ValueError, match=said):
        call()
    with pytest.raises(TypeError, match="Coefficients must be a list/tuple"):
        windows.general_cosine(3, a=3)


TestSamples = check_values("tensor.signal")
