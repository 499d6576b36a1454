"""Methods that convert dense tensors to sparse ones, loaded when one is first used."""

from flambeau.sparse._tensor import SparseTensor, at_places, from_dense
from flambeau_tensor.extend import FUNCTION, METHOD, Operator
from flambeau_tensor.options import sparse_bsc, sparse_bsr

_HOW = {"variants": METHOD, "composite": True}
Operator(
    "to_sparse(Tensor self, int? sparse_dim=None, *, Object layout=None, Object blocksize=None, "
    "int? dense_dim=None) -> Object",
    from_dense,
    doc="The elements that are not zero, with their places.",
    **_HOW,
)
Operator(
    "to_sparse_coo(Tensor self) -> Object", from_dense, doc="The elements that are not zero, with their places.", **_HOW
)
Operator(
    "to_sparse_csr(Tensor self, int? dense_dim=None) -> Object",
    lambda self, dense_dim=None: from_dense(self).to_sparse_csr(),
    doc="The elements of a matrix that are not zero, row by row.",
    **_HOW,
)
Operator(
    "to_sparse_csc(Tensor self, int? dense_dim=None) -> Object",
    lambda self, dense_dim=None: from_dense(self).to_sparse_csc(),
    doc="The elements of a matrix that are not zero, column by column.",
    **_HOW,
)
Operator(
    "to_sparse_bsr(Tensor self, int[2] blocksize, int? dense_dim=None) -> Object",
    lambda self, blocksize, dense_dim=None: from_dense(self, None, sparse_bsr, blocksize, dense_dim),
    doc="The blocks of a matrix that are not zero, row by row.",
    **_HOW,
)
Operator(
    "to_sparse_bsc(Tensor self, int[2] blocksize, int? dense_dim=None) -> Object",
    lambda self, blocksize, dense_dim=None: from_dense(self, None, sparse_bsc, blocksize, dense_dim),
    doc="The blocks of a matrix that are not zero, column by column.",
    **_HOW,
)
Operator(
    "sparse_mask(Tensor self, Tensor mask) -> Object",
    at_places,
    doc="The elements at the places of a sparse tensor, sparse.",
    **_HOW,
)
Operator(
    "to_dense(Tensor self, Object dtype=None, *, bool? masked_grad=None) -> Tensor",
    lambda self, dtype=None, masked_grad=None: self if dtype is None else self.to(dtype),
    doc="The tensor itself: it is dense.",
    **_HOW,
)
Operator(
    "sparse_coo(Tensor places, Tensor values, int[] size) -> Object",
    SparseTensor._of,
    namespace="torch._ops",
    variants=FUNCTION,
    composite=True,
    doc="The tensor of layout `torch.sparse_coo` with these values at these places, which are not checked.",
)


# --- questions about places, of tensors that are dense --------------------------------------------------------------


def _refuse(name, layout):
    def refuse(self):
        raise RuntimeError(f"{name} expected {layout} tensor layout but got Strided")

    return refuse


Operator("sparse_dim(Tensor self) -> Object", lambda self: 0, doc="0: the tensor is dense.", **_HOW)
Operator("dense_dim(Tensor self) -> Object", lambda self: self.ndim, doc="The number of its dimensions.", **_HOW)
for _name, _layout in {
    "coalesce": "sparse coordinate",
    "is_coalesced": "sparse coordinate",
    "indices": "sparse coordinate",
    "values": "sparse",
    "crow_indices": "sparse row compressed",
    "col_indices": "sparse row compressed",
    "ccol_indices": "sparse column compressed",
    "row_indices": "sparse column compressed",
}.items():
    Operator(f"{_name}(Tensor self) -> Object", _refuse(_name, _layout), doc="Of sparse tensors alone.", **_HOW)
