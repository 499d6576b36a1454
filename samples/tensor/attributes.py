"""Calls of copies, conversions and fills, and of what a tensor tells of its elements."""

import flambeau_tensor as torch
from samples import call, real

X = real(2, 3)

TABLE = {
    "numel": call(X, dtypes="dfhgcliub"),
    "Tensor.size": call(X, 1, dtypes="dfhgcliub"),
    "Tensor.dim": call(X, dtypes="dfhgcliub"),
    "Tensor.shape.__get__": call(X, dtypes="dfhgcliub"),
    "Tensor.dtype.__get__": call(X, dtypes="dfhgcliub"),
    "Tensor.ndim.__get__": call(X, dtypes="dfhgcliub"),
    "Tensor.itemsize.__get__": call(X, dtypes="dfhgcliub"),
    "Tensor.nbytes.__get__": call(X, dtypes="dfhgcliub"),
    "Tensor.device.__get__": call(X, dtypes="dfhgcliub"),
    "Tensor.element_size": call(X, dtypes="dfhgcliub"),
    "is_floating_point": call(X, dtypes="dfhgcliub"),
    "is_complex": call(X, dtypes="dfhgcliub"),
    "is_signed": call(X, dtypes="dfhgcliub"),
    "is_nonzero": call(real(1, low=1), dtypes="dfhgcliub"),
    "Tensor.item": call(real(1), dtypes="dfhgcliub"),
    "Tensor.tolist": call(X, dtypes="dfhgcliub"),
    "Tensor.__len__": call(X, dtypes="dfhgcliub"),
    "Tensor.__int__": call(real(1), dtypes="dfhgliub"),
    "Tensor.__float__": call(real(1), dtypes="dfhgliub"),
    "Tensor.__complex__": call(real(1), dtypes="dfhgcliub"),
    "Tensor.__contains__": call(X, 0.5, derivative=False, loop=False, dtypes="dfhgcliub"),
    "Tensor.__reversed__": call(X, dtypes="dfhgcliub"),
    "clone": call(X, dtypes="dfhgcliub"),
    "Tensor.contiguous": call(X, dtypes="dfhgcliub"),
    "_ops.to_copy": call(X, torch.float64, dtypes="dfhgcliub"),
    "Tensor.copy_": call(X, real(3), dtypes="dfhgcliub"),
    "fill_": call(X, real(), dtypes="dfhgcliub"),
    "fill": call(X, 2, dtypes="dfhgcliub"),
    "zero_": call(X, dtypes="dfhgcliub"),
    "Tensor.to": call(X, torch.float64, dtypes="dfhgcliub"),
    "Tensor.to, as another": call(X, torch.ones(1, dtype=torch.float64), dtypes="dfhgcliub"),
    "Tensor.to, a device": call(X, "cpu", dtypes="dfhgcliub"),
    "Tensor.float": call(X, dtypes="dfhgcliub", derivative=False),
    "Tensor.double": call(X, dtypes="dfhgcliub"),
    "Tensor.half": call(X, dtypes="dfhgcliub", derivative=False),
    "Tensor.bfloat16": call(X, dtypes="dfhgcliub", derivative=False),
    "Tensor.int": call(X, dtypes="dfhgcliub"),
    "Tensor.long": call(X, dtypes="dfhgcliub"),
    "Tensor.short": call(X, dtypes="dfhgcliub"),
    "Tensor.char": call(X, dtypes="dfhgcliub"),
    "Tensor.byte": call(real(2, 3, low=0, high=5), dtypes="dfhgcliub"),
    "Tensor.bool": call(X, dtypes="dfhgcliub"),
    "Tensor.cfloat": call(X, dtypes="dfhgcliub", derivative=False),
    "Tensor.cdouble": call(X, dtypes="dfhgcliub"),
    "Tensor.chalf": call(X, dtypes="dfhgcliub", derivative=False),
    "Tensor.type_as": call(X, torch.ones(1, dtype=torch.float64), dtypes="dfhgcliub"),
    "Tensor.type, dtype": call(X, torch.float64, dtypes="dfhgcliub"),
    "Tensor.cpu": call(X, dtypes="dfhgcliub"),
    "resolve_conj": call(X, dtypes="dfhgcliub"),
    "resolve_neg": call(X, dtypes="dfhgcliub"),
    "Tensor.apply_": call(X, lambda number: number * 10, derivative=False, loop=False, dtypes="dfhgcliub"),
    "Tensor.map_": call(X, real(3), lambda a, b: a + b, derivative=False, loop=False, dtypes="dfhgcliub"),
    "Tensor.map2_": call(X, real(3), X, lambda a, b, c: a * b * c, derivative=False, loop=False, dtypes="dfhgcliub"),
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
