"""Calls of what gives a tensor other sizes; what concerns the memory under it has no sample calls."""

import warnings

from samples import Dtypes, call, real

X = real(3, 4)


def _deprecated(*numbers):
    def via(op, *tensors):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            return op(*tensors, *numbers)

    return via


TABLE = {
    "Tensor.resize": call(X, via=_deprecated((2, 6)), dtypes=Dtypes.ALL),
    "Tensor.resize_as": call(X, real(2, 6), via=_deprecated(), dtypes=Dtypes.ALL),
}
EXCUSED = {
    "concerns the memory under a tensor, not its elements": "Tensor.set_ Tensor.resize_ resize_as_ Tensor.storage "
    "Tensor.storage_type Tensor._typed_storage Tensor.share_memory_ from_file",
}
