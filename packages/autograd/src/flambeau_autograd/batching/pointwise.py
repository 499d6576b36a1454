"""Batching of what works element by element and is no `Elementwise`, which need no rule."""

from flambeau_autograd.batching.table import batched, plain

batched(plain, "torch.frexp")
