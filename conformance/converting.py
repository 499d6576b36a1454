"""Samples of PyTorch's databases as flambeau's."""

import numpy as np
import torch

import flambeau


class Skip(Exception):
    """A sample that says nothing, or has no counterpart here."""


def convert(x):
    """A sample of PyTorch's, or what is in one, as one of ours; tensors keep their strides.

    Raises:
        Skip: it has no counterpart.
    """
    if isinstance(x, torch.Tensor):
        return _tensor(x)
    if isinstance(x, (torch.dtype, torch.memory_format, torch.layout)):
        return getattr(flambeau, str(x).partition(".")[2])
    if isinstance(x, torch.device):
        return flambeau.device(str(x))
    if isinstance(x, torch.Size):
        return flambeau.Size(x)
    if isinstance(x, torch.Generator):
        raise Skip("generator")
    if isinstance(x, (list, tuple)):
        items = [convert(item) for item in x]
        return type(x)(*items) if hasattr(x, "_fields") else type(x)(items)
    return {k: convert(v) for k, v in x.items()} if isinstance(x, dict) else x


def _tensor(x):
    if x.layout != torch.strided or x.is_nested:
        raise Skip("layout")
    plain = x.detach().resolve_conj().resolve_neg()
    if plain.dtype == torch.bfloat16:
        made = flambeau.tensor(plain.float().numpy()).to(flambeau.bfloat16)
    else:
        made = flambeau.from_numpy(np.array(plain.numpy(), copy=True))
    if not plain.is_contiguous() and plain.dim() and 0 not in plain.stride():
        order = sorted(range(plain.dim()), key=lambda d: -plain.stride(d))
        back = sorted(range(plain.dim()), key=order.__getitem__)
        made = flambeau.empty([plain.shape[d] for d in order], dtype=made.dtype).permute(back).copy_(made)
    return made.requires_grad_() if x.requires_grad else made
