"""Calls of means and sums of embeddings."""

import flambeau_tensor as torch
from samples import Dtypes, call, real, whole

OFFSETS = torch.tensor([0, 2])
F, N = "nn.functional.", "_C._nn."

TABLE = {
    f"{F}embedding_bag, {mode}": call(whole(2, 3, high=4), real(4, 3), mode=mode, dtypes=Dtypes.FLOATS | Dtypes.UNASKED)
    for mode in ("mean", "sum", "max")
}
TABLE |= {
    F + "embedding_bag, weighed": call(
        whole(2, 3, high=4), real(4, 3), mode="sum", per_sample_weights=real(2, 3), dtypes=Dtypes.ALL
    ),
    F + "embedding_bag, offsets": call(whole(5, high=4), real(4, 3), OFFSETS, dtypes=Dtypes.REALS),
    N + "embedding_bags": call(
        real(4, 3), whole(5, high=4), via=lambda op, w, i: op(w, i, OFFSETS, 1, False, None, False, 2)[0]
    ),
    N + "embedding_bags_backward": call(
        real(2, 3),
        real(4, 3),
        whole(5, high=4),
        real(5),
        via=lambda op, g, w, i, s: op(g, OFFSETS, w, i, OFFSETS, 0, False, s, False, -1, (True, True)),
    ),
}
