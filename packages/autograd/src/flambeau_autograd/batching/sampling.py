"""Batching of random numbers whose parameters stand in tensors, and of how they move with the parameters."""

from flambeau_autograd.batching.table import all_batch_first, batched, call
from flambeau_tensor.ops import sampling


def _each_element(level, op, args, dims):
    return call(op, *all_batch_first(level, args, dims)), 0


batched(_each_element, sampling._standard_gamma_grad, sampling._dirichlet_grad)
