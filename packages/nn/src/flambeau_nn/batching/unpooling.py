"""Batching of pooling over windows at random positions: each plane is pooled separately."""

from flambeau_autograd.batching.table import batched
from flambeau_nn.batching.samples import as_samples
from flambeau_nn.ops import unpooling as ops

batched(as_samples(None), ops.fractional_pool)
