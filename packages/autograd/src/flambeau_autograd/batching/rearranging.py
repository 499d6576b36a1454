"""Batching of flips and triangles."""

from flambeau_autograd.batching.table import along, batched, matrices

batched(along, "torch.flip")
batched(matrices, "torch.tril", "torch.triu")
