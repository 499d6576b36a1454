"""Batching of random numbers whose parameters are tensors, and of the derivatives of samples by parameters."""

from flambeau_autograd.batching.table import all_batch_first, batched, call
from flambeau_tensor.ops import sampling


def _each_element(level, op, args, dims):
    return call(op, *all_batch_first(level, args, dims)), 0


batched(_each_element, sampling._standard_gamma_grad, sampling._dirichlet_grad)
