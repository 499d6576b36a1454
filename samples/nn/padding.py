"""Calls of padding."""

import numpy as np

from samples import Dtypes, call, real

ROWS = real(2, 3, 6)

TABLE = {
    "_C._nn.constant_pad_nd": call(ROWS, (1, 2), 0.5, dtypes=Dtypes.ALL),
    "_C._nn.pad_by_copies": call(ROWS, (1, 2), "reflect", dtypes=Dtypes.ALL),
    "_C._nn.pad_by_copies_backward": call(real(2, 3, 9), (2, 3, 6), (1, 2), "reflect", dtypes=Dtypes.INEXACT),
    "nn.functional.pad": call(ROWS, (1, 2, 0, 1), value=1.0, dtypes=Dtypes.ALL),
    "nn.functional.pad, negative": call(ROWS, (-1, 2), dtypes=Dtypes.ALL),
    "nn.functional.pad, reflected": call(
        ROWS, (1, 2), "reflect", like=lambda x: np.pad(x, [(0, 0)] * 2 + [(1, 2)], "reflect"), dtypes=Dtypes.NUMBERS
    ),
    "nn.functional.pad, replicated": call(
        ROWS, (1, 2), "replicate", like=lambda x: np.pad(x, [(0, 0)] * 2 + [(1, 2)], "edge"), dtypes=Dtypes.NUMBERS
    ),
    "nn.functional.pad, circular": call(
        ROWS, (1, 2), "circular", like=lambda x: np.pad(x, [(0, 0)] * 2 + [(1, 2)], "wrap"), dtypes=Dtypes.ALL
    ),
}
