"""Batching of Fourier transforms, which take batches anyway."""

from flambeau_autograd.batching.table import batched, shifted
from flambeau_tensor.ops import fft as ops

batched(shifted, ops.c2c, ops.r2c, ops.c2r)
