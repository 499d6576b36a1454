"""Batching of distances, which take batches of matrices anyway."""

from flambeau_autograd.batching.table import batched, matrices, plain
from flambeau_tensor.ops import distances as ops

batched(plain, ops.distances)
batched(matrices, ops.euclidean)
