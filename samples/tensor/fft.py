"""Calls of Fourier transforms."""

import numpy as np

from samples import Dtypes, call, real

X = real(2, 4)
D = real(2, 3, 4)

TABLE = {
    "_fft_c2c": call(X, (1,), 0, True, dtypes=Dtypes.COMPLEX),
    "_fft_r2c": call(X, (0, 1), 1, False, dtypes=Dtypes.DOUBLE | Dtypes.SINGLE),
    "_fft_c2r": call(X, (1,), 2, 6, dtypes=Dtypes.COMPLEX),
    "fft.fft": call(X, like=np.fft.fft, dtypes=Dtypes.INTEGERS | Dtypes.LAPACK | Dtypes.BOOL),
    "fft.fft, shorter": call(X, 2, dtypes=Dtypes.INTEGERS | Dtypes.LAPACK | Dtypes.BOOL),
    "fft.ifft": call(X, 5, 0, "ortho", dtypes=Dtypes.INTEGERS | Dtypes.LAPACK | Dtypes.BOOL),
    "fft.rfft": call(X, like=np.fft.rfft, dtypes=Dtypes.INTEGERS | Dtypes.DOUBLE | Dtypes.SINGLE | Dtypes.BOOL),
    "fft.rfft, of odd size": call(
        X, 5, 0, "ortho", dtypes=Dtypes.INTEGERS | Dtypes.DOUBLE | Dtypes.SINGLE | Dtypes.BOOL
    ),
    "fft.irfft": call(X, like=np.fft.irfft, dtypes=Dtypes.INTEGERS | Dtypes.LAPACK | Dtypes.BOOL),
    "fft.irfft, of odd size": call(X, 5, dtypes=Dtypes.INTEGERS | Dtypes.LAPACK | Dtypes.BOOL),
    "fft.hfft": call(X, 5, dtypes=Dtypes.INTEGERS | Dtypes.LAPACK | Dtypes.BOOL),
    "fft.ihfft": call(X, 5, dtypes=Dtypes.INTEGERS | Dtypes.DOUBLE | Dtypes.SINGLE | Dtypes.BOOL),
    "fft.fft2": call(D, like=np.fft.fft2, dtypes=Dtypes.INTEGERS | Dtypes.LAPACK | Dtypes.BOOL),
    "fft.ifft2": call(D, dtypes=Dtypes.INTEGERS | Dtypes.LAPACK | Dtypes.BOOL),
    "fft.fftn": call(D, norm="forward", dtypes=Dtypes.INTEGERS | Dtypes.LAPACK | Dtypes.BOOL),
    "fft.ifftn": call(D, (2, 3), (0, 1), dtypes=Dtypes.INTEGERS | Dtypes.LAPACK | Dtypes.BOOL),
    "fft.rfft2": call(D, like=np.fft.rfft2, dtypes=Dtypes.INTEGERS | Dtypes.DOUBLE | Dtypes.SINGLE | Dtypes.BOOL),
    "fft.rfftn": call(D, dim=(2, 0), dtypes=Dtypes.INTEGERS | Dtypes.DOUBLE | Dtypes.SINGLE | Dtypes.BOOL),
    "fft.irfft2": call(D, dtypes=Dtypes.INTEGERS | Dtypes.LAPACK | Dtypes.BOOL),
    "fft.irfftn": call(D, (3, 4), (0, 2), "ortho", dtypes=Dtypes.INTEGERS | Dtypes.LAPACK | Dtypes.BOOL),
    "fft.hfft2": call(D, dtypes=Dtypes.INTEGERS | Dtypes.LAPACK | Dtypes.BOOL),
    "fft.hfftn": call(D, (3, 5), (0, 2), dtypes=Dtypes.INTEGERS | Dtypes.LAPACK | Dtypes.BOOL),
    "fft.ihfft2": call(D, dtypes=Dtypes.INTEGERS | Dtypes.DOUBLE | Dtypes.SINGLE | Dtypes.BOOL),
    "fft.ihfftn": call(D, (3, 5), (0, 2), dtypes=Dtypes.INTEGERS | Dtypes.DOUBLE | Dtypes.SINGLE | Dtypes.BOOL),
    "fft.fftfreq": call(5, 0.5),
    "fft.rfftfreq": call(5, 0.5),
    "fft.fftshift": call(D, like=np.fft.fftshift, dtypes=Dtypes.ALL),
    "fft.ifftshift": call(D, 1, dtypes=Dtypes.ALL),
}
