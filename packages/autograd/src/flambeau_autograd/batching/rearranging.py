"""Batching of flips and triangles."""

from flambeau_autograd.batching.table import along, batched, plain

batched(along, "torch.flip")
batched(plain, "torch.tril", "torch.triu")
