"""Batching of resampling and of windows as columns."""

from flambeau_autograd.batching.table import batched, plain
from flambeau_nn.batching.samples import as_samples
from flambeau_nn.ops import resampling as ops

batched(as_samples(None), ops.resample)
batched(as_samples(None, 1), ops.resample_backward)
batched(as_samples(4), ops.im2col)
batched(as_samples(3), ops.col2im)
batched(as_samples(None), ops.sample, ops.sample_backward)
batched(plain, ops.pixel_shuffle, ops.pixel_unshuffle)
batched(as_samples(None), ops.channel_shuffle, ops.native_channel_shuffle)
