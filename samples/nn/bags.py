"""Calls of means and sums of embeddings."""

import flambeau_tensor as torch
from samples import call, real, whole

TABLE = {
    f"nn.functional.embedding_bag, {mode}": call(whole(2, 3, high=4), real(4, 3), mode=mode, dtypes="dfhg?")
    for mode in ("mean", "sum", "max")
} | {
    "nn.functional.embedding_bag, weighed": call(
        whole(2, 3, high=4), real(4, 3), mode="sum", per_sample_weights=real(2, 3), dtypes="dfhgcliub"
    ),
    "nn.functional.embedding_bag, offsets": call(whole(5, high=4), real(4, 3), torch.tensor([0, 2]), dtypes="dfhgliub"),
}
