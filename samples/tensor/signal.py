"""Calls of short-time transforms and of windows."""

import flambeau_tensor as torch
from samples import Dtypes, call, real


def _inverse(op, x):
    return op(x, 4, 2, window=torch.ones(4, dtype=x.real.dtype, device=x.device))


TABLE = {
    "stft": call(real(12), 4, 2, window=real(4, low=0.5), return_complex=True, dtypes=Dtypes.LAPACK),
    "istft": call(real(3, 4), via=_inverse, dtypes=Dtypes.COMPLEX),
    "hann_window": call(6),
    "hann_window, symmetric": call(6, False),
    "hamming_window": call(6),
    "hamming_window, symmetric": call(6, False),
    "hamming_window, with alpha": call(6, True, 0.5),
    "hamming_window, with both": call(6, True, 0.5, 0.4),
    "bartlett_window": call(6),
    "bartlett_window, symmetric": call(6, False),
    "blackman_window": call(6),
    "blackman_window, symmetric": call(6, False),
    "kaiser_window": call(6),
    "kaiser_window, symmetric": call(6, False),
    "kaiser_window, with beta": call(6, True, 7.0),
}
