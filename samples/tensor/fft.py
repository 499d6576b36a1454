"""Calls of Fourier transforms."""

import numpy as np

from samples import call, real

X = real(2, 4)
D = real(2, 3, 4)

TABLE = {
    "_fft_c2c": call(X, (1,), 0, True, dtypes="c"),
    "_fft_r2c": call(X, (0, 1), 1, False, dtypes="df"),
    "_fft_c2r": call(X, (1,), 2, 6, dtypes="c"),
    "fft.fft": call(X, like=np.fft.fft, dtypes="dfcliub"),
    "fft.fft, shorter": call(X, 2, dtypes="dfcliub"),
    "fft.ifft": call(X, 5, 0, "ortho", dtypes="dfcliub"),
    "fft.rfft": call(X, like=np.fft.rfft, dtypes="dfliub"),
    "fft.rfft, of odd size": call(X, 5, 0, "ortho", dtypes="dfliub"),
    "fft.irfft": call(X, like=np.fft.irfft, dtypes="dfcliub"),
    "fft.irfft, of odd size": call(X, 5, dtypes="dfcliub"),
    "fft.hfft": call(X, 5, dtypes="dfcliub"),
    "fft.ihfft": call(X, 5, dtypes="dfliub"),
    "fft.fft2": call(D, like=np.fft.fft2, dtypes="dfcliub"),
    "fft.ifft2": call(D, dtypes="dfcliub"),
    "fft.fftn": call(D, norm="forward", dtypes="dfcliub"),
    "fft.ifftn": call(D, (2, 3), (0, 1), dtypes="dfcliub"),
    "fft.rfft2": call(D, like=np.fft.rfft2, dtypes="dfliub"),
    "fft.rfftn": call(D, dim=(2, 0), dtypes="dfliub"),
    "fft.irfft2": call(D, dtypes="dfcliub"),
    "fft.irfftn": call(D, (3, 4), (0, 2), "ortho", dtypes="dfcliub"),
    "fft.hfft2": call(D, dtypes="dfcliub"),
    "fft.hfftn": call(D, (3, 5), (0, 2), dtypes="dfcliub"),
    "fft.ihfft2": call(D, dtypes="dfliub"),
    "fft.ihfftn": call(D, (3, 5), (0, 2), dtypes="dfliub"),
    "fft.fftfreq": call(5, 0.5),
    "fft.rfftfreq": call(5, 0.5),
    "fft.fftshift": call(D, like=np.fft.fftshift, dtypes="dfhgcliub"),
    "fft.ifftshift": call(D, 1, dtypes="dfhgcliub"),
}
