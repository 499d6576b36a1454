"""Batching of joining."""

import flambeau_autograd.batching.rule_kinds as kinds
from flambeau_autograd.batching.table import batched, looped, one_more
from flambeau_tensor.ops import joining as ops

batched(kinds.Joined(looped), ops.cat)
batched(one_more, ops.stack)
