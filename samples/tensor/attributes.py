"""Calls of copies, conversions and fills, and of what a tensor tells of its elements."""

import flambeau_tensor as torch
from samples import Dtypes, call, real

X = real(2, 3)

TABLE = {
    "numel": call(X, dtypes=Dtypes.ALL),
    "Tensor.size": call(X, 1, dtypes=Dtypes.ALL),
    "Tensor.dim": call(X, dtypes=Dtypes.ALL),
    "Tensor.shape.__get__": call(X, dtypes=Dtypes.ALL),
    "Tensor.dtype.__get__": call(X, dtypes=Dtypes.ALL),
    "Tensor.ndim.__get__": call(X, dtypes=Dtypes.ALL),
    "Tensor.itemsize.__get__": call(X, dtypes=Dtypes.ALL),
    "Tensor.nbytes.__get__": call(X, dtypes=Dtypes.ALL),
    "Tensor.device.__get__": call(X, dtypes=Dtypes.ALL),
    "Tensor.element_size": call(X, dtypes=Dtypes.ALL),
    "is_floating_point": call(X, dtypes=Dtypes.ALL),
    "is_complex": call(X, dtypes=Dtypes.ALL),
    "is_signed": call(X, dtypes=Dtypes.ALL),
    "is_nonzero": call(real(1, low=1), dtypes=Dtypes.ALL),
    "Tensor.item": call(real(1), dtypes=Dtypes.ALL),
    "Tensor.tolist": call(X, dtypes=Dtypes.ALL),
    "Tensor.__len__": call(X, dtypes=Dtypes.ALL),
    "Tensor.__int__": call(real(1), dtypes=Dtypes.REALS),
    "Tensor.__float__": call(real(1), dtypes=Dtypes.REALS),
    "Tensor.__complex__": call(real(1), dtypes=Dtypes.ALL),
    "Tensor.__contains__": call(X, 0.5, derivative=False, loop=False, dtypes=Dtypes.ALL),
    "Tensor.__reversed__": call(X, dtypes=Dtypes.ALL),
    "clone": call(X, dtypes=Dtypes.ALL),
    "Tensor.contiguous": call(X, dtypes=Dtypes.ALL),
    "_ops.to_copy": call(X, torch.float64, dtypes=Dtypes.ALL),
    "Tensor.copy_": call(X, real(3), dtypes=Dtypes.ALL),
    "fill_": call(X, real(), dtypes=Dtypes.ALL),
    "fill": call(X, 2, dtypes=Dtypes.ALL),
    "zero_": call(X, dtypes=Dtypes.ALL),
    "Tensor.to": call(X, torch.float64, dtypes=Dtypes.ALL),
    "Tensor.to, as another": call(X, torch.ones(1, dtype=torch.float64), dtypes=Dtypes.ALL),
    "Tensor.to, a device": call(X, "cpu", dtypes=Dtypes.ALL),
    "Tensor.float": call(X, dtypes=Dtypes.ALL, derivative=False),
    "Tensor.double": call(X, dtypes=Dtypes.ALL),
    "Tensor.half": call(X, dtypes=Dtypes.ALL, derivative=False),
    "Tensor.bfloat16": call(X, dtypes=Dtypes.ALL, derivative=False),
    "Tensor.int": call(X, dtypes=Dtypes.ALL),
    "Tensor.long": call(X, dtypes=Dtypes.ALL),
    "Tensor.short": call(X, dtypes=Dtypes.ALL),
    "Tensor.char": call(X, dtypes=Dtypes.ALL),
    "Tensor.byte": call(real(2, 3, low=0, high=5), dtypes=Dtypes.ALL),
    "Tensor.bool": call(X, dtypes=Dtypes.ALL),
    "Tensor.cfloat": call(X, dtypes=Dtypes.ALL, derivative=False),
    "Tensor.cdouble": call(X, dtypes=Dtypes.ALL),
    "Tensor.chalf": call(X, dtypes=Dtypes.ALL, derivative=False),
    "Tensor.type_as": call(X, torch.ones(1, dtype=torch.float64), dtypes=Dtypes.ALL),
    "Tensor.type, dtype": call(X, torch.float64, dtypes=Dtypes.ALL),
    "Tensor.cpu": call(X, dtypes=Dtypes.ALL),
    "resolve_conj": call(X, dtypes=Dtypes.ALL),
    "resolve_neg": call(X, dtypes=Dtypes.ALL),
    "Tensor.apply_": call(X, lambda number: number * 10, derivative=False, loop=False, dtypes=Dtypes.ALL),
    "Tensor.map_": call(X, real(3), lambda a, b: a + b, derivative=False, loop=False, dtypes=Dtypes.ALL),
    "Tensor.map2_": call(X, real(3), X, lambda a, b, c: a * b * c, derivative=False, loop=False, dtypes=Dtypes.ALL),
}
EXCUSED = {
    "concerns the tensor itself, not its elements": "Tensor._base.__get__ Tensor._version.__get__ Tensor.as_subclass "
    "Tensor.cuda Tensor.xpu Tensor.data_ptr Tensor.is_contiguous Tensor.is_cpu.__get__ Tensor.is_cuda.__get__ "
    "Tensor.is_meta.__get__ Tensor.is_mkldnn.__get__ Tensor.is_mps.__get__ Tensor.is_ipu.__get__ "
    "Tensor.is_maia.__get__ Tensor.is_mtia.__get__ Tensor.is_vulkan.__get__ Tensor.is_xla.__get__ "
    "Tensor.is_nested.__get__ Tensor.is_pinned "
    "Tensor.is_quantized.__get__ Tensor.is_set_to Tensor.is_shared Tensor.is_sparse.__get__ "
    "Tensor.is_sparse_csr.__get__ Tensor.is_xpu.__get__ Tensor.layout.__get__ Tensor.name.__get__ "
    "Tensor.names.__get__ Tensor.numpy "
    "Tensor.storage_offset Tensor.stride Tensor.untyped_storage "
    "_ops.suggest_memory_format _ops.to_meta get_device is_conj is_inference is_neg",
    "classes of tensors": "Tensor.type.class Tensor.type.default Tensor.type.name",
}
