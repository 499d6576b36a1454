"""``torch.nn.utils``: gradient clipping, parameters as one vector, modules without initialization."""
from flambeau_nn.utils.clip_grad import (
    clip_grad_norm,
    clip_grad_norm_,
    clip_grad_value_,
    clip_grads_with_norm_,
    get_total_norm,
)
from flambeau_nn.utils.convert_parameters import parameters_to_vector, vector_to_parameters
from flambeau_nn.utils.init import skip_init

__all__ = ["clip_grad_norm", "clip_grad_norm_", "clip_grad_value_", "clip_grads_with_norm_", "get_total_norm",
           "parameters_to_vector", "skip_init", "vector_to_parameters"]

_MODULES = ("rnn", "stateless")  # imported when they are named
_MISSING = ("memory_format", "parametrizations", "parametrize", "prune")  # modules


def __getattr__(name):
    if name in _MODULES:
        from importlib import import_module

        return import_module(f"flambeau_nn.utils.{name}")
    from flambeau_tensor.not_built import missing, not_built

    if name in _MISSING:
        raise not_built(f"torch.nn.utils.{name}")
    raise missing("torch.nn.utils", name)
