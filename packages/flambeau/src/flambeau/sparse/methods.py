"""Methods by which dense tensors become sparse, loaded when one is first used."""

from flambeau.sparse._tensor import at_places, from_dense
from flambeau_tensor.extend import Operator

_HOW = {"variants": "method", "composite": True}
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
