"""``torch.nn.utils``: gradient clipping, parameters as one vector, and computed or modified weights.

Modules and rarely used functions are imported when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from flambeau_nn.utils.clip_grad import (
    clip_grad_norm,
    clip_grad_norm_,
    clip_grad_value_,
    clip_grads_with_norm_,
    get_total_norm,
)
from flambeau_nn.utils.convert_parameters import parameters_to_vector, vector_to_parameters
from flambeau_nn.utils.init import skip_init
from flambeau_nn.utils.spectral_norm import remove_spectral_norm, spectral_norm
from flambeau_nn.utils.weight_norm import remove_weight_norm, weight_norm
from flambeau_tensor.lazy_attributes import attach as _attach

__all__ = [
    "clip_grad_norm",
    "clip_grad_norm_",
    "clip_grad_value_",
    "clip_grads_with_norm_",
    "get_total_norm",
    "parameters_to_vector",
    "remove_spectral_norm",
    "remove_weight_norm",
    "skip_init",
    "spectral_norm",
    "vector_to_parameters",
    "weight_norm",
]

if TYPE_CHECKING:
    from flambeau_nn.utils.fusion import (
        fuse_conv_bn_eval as fuse_conv_bn_eval,
    )
    from flambeau_nn.utils.fusion import (
        fuse_conv_bn_weights as fuse_conv_bn_weights,
    )
    from flambeau_nn.utils.fusion import (
        fuse_linear_bn_eval as fuse_linear_bn_eval,
    )
    from flambeau_nn.utils.fusion import (
        fuse_linear_bn_weights as fuse_linear_bn_weights,
    )
    from flambeau_nn.utils.memory_format import (
        convert_conv2d_weight_memory_format as convert_conv2d_weight_memory_format,
    )
    from flambeau_nn.utils.memory_format import (
        convert_conv3d_weight_memory_format as convert_conv3d_weight_memory_format,
    )

_MODULES = ("fusion", "memory_format", "parametrizations", "parametrize", "prune", "rnn", "stateless")
_FUNCTIONS = {
    "convert_conv2d_weight_memory_format": ".memory_format",
    "convert_conv3d_weight_memory_format": ".memory_format",
    "fuse_conv_bn_eval": ".fusion",
    "fuse_conv_bn_weights": ".fusion",
    "fuse_linear_bn_eval": ".fusion",
    "fuse_linear_bn_weights": ".fusion",
}


__getattr__, __dir__ = _attach(__name__, "torch.nn.utils", _FUNCTIONS, _MODULES)
