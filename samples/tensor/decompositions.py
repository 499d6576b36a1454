"""Calls of what PyTorch's decompositions are written with."""

import flambeau_tensor as torch
from samples import Dtypes, call, each, real, truth

TABLE = {
    "_addmm_activation": call(real(3), real(2, 4), real(4, 3), beta=0.5, use_gelu=True),
    "_compute_linear_combination": call(real(3, 2), real(4, 3), dtypes=Dtypes.NUMBERS),
    "_safe_softmax": call(real(2, 3), 1),
    "_softmax_backward_data": call(real(2, 3), real(2, 3, low=0.1, high=0.9), 1, torch.float64, dtypes=Dtypes.NUMBERS),
    "constant_pad_nd": call(real(2, 3), (1, -1, 2, 0), 0.5, dtypes=Dtypes.ALL),
    "_chunk_cat": call((real(3, 2), real(2, 2)), 0, 2, dtypes=Dtypes.ALL),
    "_unsafe_masked_index": call(real(3), truth(2), (each([0, 2], [1, 0], [2, 2]),), 1, dtypes=Dtypes.ALL),
    "_unsafe_masked_index_put_accumulate": call(
        real(3), truth(2), (each([0, 2], [1, 0], [2, 2]),), real(2), dtypes=Dtypes.ALL
    ),
}
