"""Batching rules of elementwise operations that are not `Elementwise`; those need no rule."""

from flambeau_autograd.batching.table import batched, plain

batched(plain, "torch.frexp")
