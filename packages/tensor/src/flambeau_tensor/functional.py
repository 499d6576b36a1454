"""``torch.functional``: functions of ``torch`` that are written in Python in PyTorch."""

from flambeau_tensor._core.schema.registry import first_use as _first_use
from flambeau_tensor._core.schema.registry import functions as _functions
from flambeau_tensor.lazy_attributes import attach as _attach
from flambeau_tensor.ops.contraction import chain_matmul as chain_matmul
from flambeau_tensor.ops.contraction import einsum as einsum
from flambeau_tensor.ops.joining import atleast_1d as atleast_1d
from flambeau_tensor.ops.joining import atleast_2d as atleast_2d
from flambeau_tensor.ops.joining import atleast_3d as atleast_3d
from flambeau_tensor.ops.joining import block_diag as block_diag
from flambeau_tensor.ops.joining import broadcast_shapes as broadcast_shapes
from flambeau_tensor.ops.joining import broadcast_tensors as broadcast_tensors
from flambeau_tensor.ops.joining import cartesian_prod as cartesian_prod
from flambeau_tensor.ops.joining import meshgrid as meshgrid
from flambeau_tensor.packing import FUNCTIONAL as _packed

globals().update({name: function for name, function in _functions("torch", lazy=False).items() if name in _packed})


_LATE = (
    *("cdist", "istft", "lu", "pca_lowrank", "stft", "svd_lowrank", "unique", "unique_consecutive", "unravel_index"),
)


def _first_named(name):
    return _first_use("torch", name) if name in _LATE else None


__getattr__, __dir__ = _attach(__name__, "torch.functional", find=_first_named)
