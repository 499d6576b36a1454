"""Operations of ``torch.nn.functional``, one module per family: schemas bound to kernels.

Importing a family declares it. A family in ``LAZY`` is imported, with its rules, when one of its names is first used.
``lazy_names.py`` contains the names; ``python -m flambeau_nn.stubs`` writes it.
"""

from flambeau_nn.ops.lazy_names import NAMES as _NAMES
from flambeau_tensor.extend import declare_lazily as _declare_lazily
from flambeau_tensor.extend import import_declarations as _import_declarations

FAMILIES = (
    "activation",
    "softmax",
    "linear",
    "dropout",
    "pooling",
    "normalization",
    "padding",
    "distance",
    "loss",
    "convolution",
)
NAMESPACE = "torch.nn.functional"
INTERNAL = "torch._C._nn"  # operators that the functions call
# Functions of torch itself that are these, too.
OF_TORCH = ("conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d", "conv_tbc")
LATE_OF_TORCH = (
    "pixel_shuffle",
    "pixel_unshuffle",
    "channel_shuffle",
    "native_channel_shuffle",
    "celu_",
    "rrelu_",
    "selu_",
    "threshold_",
    "pdist",
)

for _family in FAMILIES:
    _import_declarations(f"flambeau_nn.ops.{_family}")

LAZY = ("unpooling", "resampling", "recurrent", "attention", "bags", "ctc", "margins", "native")
for _family in LAZY:
    _declare_lazily(f"flambeau_nn.ops.{_family}", _NAMES.get(_family, ""))
