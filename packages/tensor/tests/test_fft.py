"""Fourier transforms against NumPy's in double precision: dtypes, sizes, dimensions, norms, strides, errors."""

import numpy as np
import pytest

import flambeau_tensor as ft
from flambeau_tensor import fft
from samples.values import check_values

g = np.random.default_rng(3)
ONE = ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"]
REAL = {"rfft", "ihfft"}
NORMS = [None, "backward", "ortho", "forward"]
DTYPES = ["float32", "float64", "complex64", "complex128"]


def draw(shape, dtype):
    a = g.standard_normal(shape)
    return (a + 1j * g.standard_normal(shape) if dtype.startswith("complex") else a).astype(dtype)


def check(got, wanted, dtype):
    single = dtype in ("float32", "complex64")
    assert got.dtype.name == {"f": "float", "c": "complex"}[wanted.dtype.kind] + str(wanted.itemsize * 8 >> single)
    assert got.shape == wanted.shape
    scale = np.abs(wanted).max(initial=1e-300)  # errors are proportional to the largest result
    error = np.abs(got.resolve_conj().numpy() - wanted).max(initial=0) / scale
    assert error < (5e-7 if single else 1e-15 * 5)


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("name", ONE)
def test_one_dimension(name, norm):
    for dtype in DTYPES:
        if name in REAL and dtype.startswith("complex"):
            continue
        for shape, dim in [
            ((8,), -1),
            ((7,), 0),
            ((1, 5), 1),
            ((3, 4, 6), 1),
            ((40, 30), 0),
            ((2, 5, 3), -3),
            ((211,), 0),
        ]:
            a = draw(shape, dtype)
            for n in (None, 1, 4, 9):
                if n is None and name in ("irfft", "hfft") and shape[dim] < 2:
                    continue
                check(
                    getattr(fft, name)(ft.tensor(a), n, dim, norm),
                    getattr(np.fft, name)(a.astype("complex128" if a.dtype.kind == "c" else "float64"), n, dim, norm),
                    dtype,
                )


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "irfft"])
def test_several_dimensions(name, norm):
    for dtype in DTYPES:
        if name in REAL and dtype.startswith("complex"):
            continue
        a = draw((4, 6, 5), dtype)
        wide = a.astype("complex128" if a.dtype.kind == "c" else "float64")
        for s, dim in [(None, (0, 2)), ((3, 8), (2, 1)), ((4, 6, 5), None), ((5, 4), (-1, 0)), (None, (1,))]:
            wanted = getattr(np.fft, name + "n")(wide, s, (0, 1, 2) if dim is None else dim, norm)
            check(getattr(fft, name + "n")(ft.tensor(a), s, dim, norm), wanted, dtype)
        check(getattr(fft, name + "2")(ft.tensor(a), norm=norm), getattr(np.fft, name + "2")(wide, norm=norm), dtype)


def test_hermitian_signals_of_several_dimensions():
    a = draw((3, 4, 5), "float64")
    spectrum = fft.ihfftn(ft.tensor(a), dim=(0, 2))
    check(spectrum, np.fft.ifft(np.fft.ihfft(a), axis=0), "float64")
    check(fft.hfftn(spectrum, s=(3, 5), dim=(0, 2)), a, "float64")
    check(fft.hfft2(fft.ihfft2(ft.tensor(a)), s=(4, 5)), a, "float64")
    assert fft.ihfft(ft.tensor(a)).is_conj()  # a view, as in PyTorch


def test_all_of_a_real_spectrum_over_several_dimensions():
    a = draw((4, 3, 5), "float64")
    check(ft._fft_r2c(ft.tensor(a), (0, 2), 0, False), np.fft.fftn(a, axes=(0, 2)), "float64")
    check(ft._fft_c2c(ft.tensor(a + 0j), (), 1, True), a + 0j, "float64")


def test_integers_take_the_default_dtype():
    assert fft.fft(ft.arange(4)).tolist() == [6 + 0j, -2 + 2j, -2 + 0j, -2 - 2j]
    assert fft.rfft(ft.tensor([True, False])).dtype is ft.complex64
    assert fft.irfft(ft.tensor([4, 0, 0])).tolist() == [1.0, 1.0, 1.0, 1.0]
    assert fft.fftn(ft.tensor(2.0)).item() == 2 + 0j


# Strides of results in PyTorch with MKL, for an input with strides (12, 1, 4).
STRIDES = {
    ("fft", 0): (1, 3, 12),
    ("fft", 1): (12, 1, 4),
    ("fft", 2): (12, 3, 1),
    ("irfft", 2): (16, 4, 1),
    ("fftn", (0, 1)): (4, 1, 12),
    ("fftn", (2, 1)): (12, 1, 4),
    ("fftn", None): (12, 1, 4),
    ("rfftn", (1, 0)): (1, 2, 8),
    ("irfftn", (0, 2)): (4, 12, 1),
}


@pytest.mark.parametrize(("name", "dim"), STRIDES)
def test_strides(name, dim):
    x = ft.ones(3, 3, 4).transpose(1, 2)
    assert x.stride() == (12, 1, 4)
    assert getattr(fft, name)(x, dim=dim).stride() == STRIDES[name, dim]


def test_operands_of_any_strides():
    a = draw((6, 8, 10), "complex128")
    t = ft.tensor(a)
    for view, same in [
        (t[::2, 1::3], a[::2, 1::3]),
        (t.permute(2, 0, 1), a.transpose(2, 0, 1)),
        (t[:1].expand(4, 8, 10), np.broadcast_to(a[:1], (4, 8, 10))),
        (t.conj(), a.conj()),
    ]:
        for dim in range(3):
            check(fft.fft(view, dim=dim), np.fft.fft(same, axis=dim), "complex128")
    check(fft.rfft(t.imag[:, ::2], dim=1), np.fft.rfft(a.imag[:, ::2], axis=1), "float64")


def test_no_rows():
    assert fft.fft(ft.ones(0, 4)).shape == (0, 4) and fft.irfft(ft.ones(3, 0, 4)).shape == (3, 0, 6)


def test_out():
    out = ft.empty(0, dtype=ft.complex64)
    assert fft.fft(ft.ones(4), out=out) is out and out.tolist() == [4, 0, 0, 0]
    with pytest.raises(RuntimeError, match="can't be cast to"):
        fft.fft(ft.ones(4), out=ft.empty(4))


def test_many_threads_give_the_same():
    a = ft.randn(300, 64, 8)
    threads = ft.get_num_threads()
    try:
        ft.set_num_threads(1)
        one = fft.rfft2(a), fft.fft(a, dim=1)
        ft.set_num_threads(4)
        four = fft.rfft2(a), fft.fft(a, dim=1)
    finally:
        ft.set_num_threads(threads)
    assert all((x == y).all() for x, y in zip(one, four, strict=True))


@pytest.mark.parametrize("n", [0, 1, 2, 5, 8])
def test_frequencies_and_their_order(n):
    if n:
        check(fft.fftfreq(n, 0.25, dtype=ft.float64), np.fft.fftfreq(n, 0.25), "float64")
        check(fft.rfftfreq(n, 0.25, dtype=ft.float64), np.fft.rfftfreq(n, 0.25), "float64")
        assert fft.fftfreq(n, out=ft.empty(0, dtype=ft.float64)).dtype is ft.float64
    a = draw((n, 3), "float64")
    for dim in (None, 0, (1,), (0, 1)):
        for name in ("fftshift", "ifftshift"):
            assert (getattr(fft, name)(ft.tensor(a), dim).numpy() == getattr(np.fft, name)(a, dim)).all()


x = ft.ones(3, 3)
ERRORS = [
    (lambda: fft.fft(x.half()), RuntimeError, "Unsupported dtype Half"),
    (lambda: fft.fft(x, norm="x"), RuntimeError, 'Invalid normalization mode: "x"'),
    (lambda: fft.fft(x, n=0), RuntimeError, r"Invalid number of data points \(0\) specified"),
    (lambda: fft.irfft(x[:, :1]), RuntimeError, r"Invalid number of data points \(0\) specified"),
    (lambda: fft.fftn(x, s=(2, -2)), RuntimeError, r"Invalid number of data points \(-2\) specified"),
    (lambda: fft.rfft(x + 0j), RuntimeError, "rfft expects a real input tensor, but got ComplexFloat"),
    (lambda: fft.rfftn(x + 0j), RuntimeError, "rfftn expects a real-valued input tensor, but got ComplexFloat"),
    (lambda: fft.fft2(x[0]), IndexError, r"\(expected to be in range of \[-1, 0\], but got -2\)"),
    (lambda: fft.fftn(x, dim=(0, -2)), RuntimeError, "FFT dims must be unique"),
    (lambda: ft._fft_c2c(x + 0j, (0, -2), 0, True), RuntimeError, "FFT dims must be unique"),
    (lambda: fft.fftn(x, s=(1, 2, 3)), RuntimeError, "Got shape with 3 values but input tensor only has 2 dimensions."),
    (lambda: fft.fftn(x, (1, 2), 0), RuntimeError, "When given, dim and shape arguments must have the same length"),
    (lambda: fft.irfftn(x, dim=()), RuntimeError, "irfftn must transform at least one axis"),
    (lambda: fft.fft(ft.tensor(1.0)), IndexError, "Dimension specified as -1 but tensor has no dimensions"),
    (lambda: fft.fftn(ft.tensor(1.0), dim=0), IndexError, "Dimension specified as 0 but tensor has no dimensions"),
    (lambda: ft._fft_c2c(x, (0,), 0, True), RuntimeError, "Only supports complex dtypes, but found: Float"),
    (lambda: ft._fft_r2c(x + 0j, (0,), 0, True), RuntimeError, "Only supports floating-point dtypes, but found: Com"),
    (lambda: fft.fftfreq(3, dtype=ft.int32), RuntimeError, "fftfreq requires a floating point or complex dtype"),
    (lambda: fft.fftfreq(-1), RuntimeError, r"Trying to create tensor with negative dimension -1: \[-1\]"),
    (lambda: fft.nothing, AttributeError, "no attribute"),
]


@pytest.mark.parametrize(("call", "error", "said"), ERRORS, ids=[case[2][:40] for case in ERRORS])
def test_errors(call, error, said):
    with pytest.raises(error, match=said):
        call()


@pytest.mark.parametrize("n", [2048, 4096, 6000, 8192, 3**9, 2 * 5 * 7 * 11 * 13, 32770, 65536, 4099, 2 * 2003])
def test_a_single_long_row(n):
    for dtype in DTYPES:
        a = draw((n,), dtype)
        wide = a.astype("complex128" if a.dtype.kind == "c" else "float64")
        for norm in ("ortho", None):
            check(fft.fft(ft.tensor(a), norm=norm), np.fft.fft(wide, norm=norm), dtype)
            check(fft.ifft(ft.tensor(a), norm=norm), np.fft.ifft(wide, norm=norm), dtype)
        if a.dtype.kind == "f":
            check(fft.rfft(ft.tensor(a)), np.fft.rfft(wide), dtype)
    strided = ft.tensor(draw((n, 2), "complex128"))[:, 1]
    check(fft.fft(strided), np.fft.fft(strided.numpy()), "complex128")
    check(fft.rfft(strided.real), np.fft.rfft(strided.real.numpy()), "float64")
    check(
        fft.rfft2(strided.real.contiguous()[:, None], dim=(1, 0)),
        np.fft.rfft2(strided.real.numpy()[:, None], axes=(1, 0)),
        "float64",
    )


TestSamples = check_values("tensor.fft")


def test_frequencies_of_points_in_one_place():
    assert fft.rfftfreq(3, 0.0)[1] == float("inf") and fft.rfftfreq(3, -0.0)[1] == -float("inf")
