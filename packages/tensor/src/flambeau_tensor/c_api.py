"""The table of ``flambeau/tensor.h`` for C extensions, and the numbers of dtypes for C++.

>>> abi_dtype(abi_number(flambeau_tensor.float32))
torch.float32
"""

from flambeau_tensor._core.capi.table import TABLE as API
from flambeau_tensor._core.capi.table import abi_dtype, abi_number

__all__ = ["API", "abi_dtype", "abi_number"]
