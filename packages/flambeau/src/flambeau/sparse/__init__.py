"""``torch.sparse``: tensors that store elements with their indices, and products of sparse matrices with SciPy.

Layouts are ``torch.sparse_coo``, ``sparse_csr``, ``sparse_csc``, ``sparse_bsr`` and ``sparse_bsc``. Results have
gradients with respect to values and to dense operands. A function that does not support sparse tensors raises an error;
none treats one as a dense tensor of zeros.

>>> import flambeau as torch
>>> x = torch.sparse_coo_tensor([[0, 1], [1, 0]], [1.0, 2.0], (2, 2))
>>> torch.sparse.mm(x, torch.ones(2, 1))
tensor([[1.],
        [2.]])
"""

import contextlib
from collections.abc import Sequence
from types import TracebackType
from typing import Any, Self, cast

import flambeau as torch
from flambeau.sparse import _blocks as blocks
from flambeau.sparse import _joining as _joining
from flambeau.sparse import _tensor
from flambeau.sparse._tensor import SparseTensor
from flambeau_overrides import overridable
from flambeau_tensor.extend import wrapped_dim
from flambeau_tensor.lazy_attributes import attach as _attach

__all__ = ["SparseTensor", "addmm", "check_sparse_tensor_invariants", "log_softmax", "mm", "softmax", "spdiags", "sum"]


@overridable(namespace="torch")
def sparse_coo_tensor(
    indices: Any = None,
    values: Any = None,
    size: Sequence[int] | None = None,
    *,
    dtype: torch.dtype | None = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
    check_invariants: bool | None = None,
    is_coalesced: bool | None = None,
) -> SparseTensor:
    """Create a tensor with layout ``torch.sparse_coo``.

    Args:
        indices: the indices, one per column: (sparse dimensions, number of values). Without ``values``, the size of an
            empty tensor.
        values: the values, one per index; they may have dense dimensions.
        size: the size of the tensor; by default the smallest that contains all indices.
        dtype: of the values.
        requires_grad: whether gradients of the values are computed, see ``x.grad``.
        is_coalesced: whether the places are sorted and different.

    Raises:
        RuntimeError: indices, values and size do not fit together.

    >>> sparse_coo_tensor([[0, 1], [2, 0]], [3.0, 4.0], (2, 3)).to_dense()
    tensor([[0., 0., 3.],
            [4., 0., 0.]])
    """
    if values is None:
        if indices is None and size is None:
            raise TypeError("sparse_coo_tensor(): give indices and values, or a size")
        size = tuple(indices) if size is None else tuple(size)
        indices = torch.empty((len(size), 0), dtype=torch.int64)
        values = torch.empty(0, dtype=dtype)
    indices, values = torch.as_tensor(indices), torch.as_tensor(values, dtype=dtype)
    indices = indices.reshape(0, 0) if not indices.numel() and indices.ndim < 2 else indices
    if indices.ndim != 2:
        raise RuntimeError(f"indices must be sparse_dim x nnz, but got: {list(indices.shape)}")
    values = values.reshape(1) if values.ndim == 0 else values
    indices = indices.long().detach()
    if size is None:
        if not indices.numel():
            raise RuntimeError("found no elements to infer the size from: give size")
        size = [*(int(n) + 1 for n in indices.amax(1)), *values.shape[1:]]
    size = tuple(int(n) for n in size)
    sparse = indices.shape[0]
    if len(size) != sparse + values.ndim - 1:
        raise RuntimeError(
            f"number of dimensions must be sparse_dim ({sparse}) + dense_dim ({values.ndim - 1}), but got {len(size)}"
        )
    if indices.shape[1] != values.shape[0]:
        raise RuntimeError(
            f"indices and values must have same nnz, but got nnz from indices: {indices.shape[1]}, nnz "
            f"from values: {values.shape[0]}"
        )
    if tuple(values.shape[1:]) != size[sparse:]:
        raise RuntimeError(
            f"values has incorrect size, expected {[values.shape[0], *size[sparse:]]}, got {list(values.shape)}"
        )
    for d in range(sparse if indices.shape[1] else 0):
        lowest, highest = int(indices[d].min()), int(indices[d].max())
        if lowest < 0:
            raise RuntimeError(f"found negative index {lowest} for dim {d}")
        if highest >= size[d]:
            raise RuntimeError(
                f"size is inconsistent with indices: for dim {d}, size is {size[d]} but found index {highest}"
            )
    if requires_grad:
        values = values.detach().requires_grad_()
    return SparseTensor._of(indices, values, size, bool(is_coalesced))


@overridable(namespace="torch")
def sparse_csr_tensor(
    crow_indices: Any,
    col_indices: Any,
    values: Any,
    size: Sequence[int] | None = None,
    *,
    dtype: torch.dtype | None = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
    check_invariants: bool | None = None,
) -> SparseTensor:
    """Create a matrix with layout ``torch.sparse_csr``.

    Args:
        crow_indices: the start of each row among the values, and the end of the last row: (rows + 1,).
        col_indices: the column of each value.
        values: the values, row by row.
        size: the size of the matrix; by default the smallest that contains all columns.

    Raises:
        RuntimeError: the arguments do not match.

    >>> sparse_csr_tensor([0, 1, 2], [2, 0], [3.0, 4.0], (2, 3)).to_dense()
    tensor([[0., 0., 3.],
            [4., 0., 0.]])
    """
    return _by_rows(torch.sparse_csr, crow_indices, col_indices, values, size, dtype, requires_grad)


def _by_rows(layout, crow_indices, col_indices, values, size, dtype=None, requires_grad=False, by_columns=False):
    """Return a tensor by rows; ``by_columns``: it is the transpose of one by columns, which errors name."""
    names = ("ccol", "row", "column", "row") if by_columns else ("crow", "col", "row", "column")
    crow, col = (torch.as_tensor(x).long() for x in (crow_indices, col_indices))
    values = torch.as_tensor(values, dtype=dtype)
    extra = 2 if layout is torch.sparse_bsr else 0
    if crow.ndim != 1 or col.ndim != 1 or not values.ndim:
        raise _tensor.not_built(f"{layout} tensors of batches")
    if values.ndim < 1 + extra:
        raise RuntimeError(f"values must have dimensionality > {extra} (for blocks), got {values.ndim}")
    block = tuple(values.shape[1:3]) if extra else (1, 1)
    if size is None:
        size = (
            (len(crow) - 1) * block[0],
            (int(col.max()) + 1 if len(col) else 0) * block[1],
            *values.shape[1 + extra :],
        )
    size = tuple(int(n) for n in size)
    if extra:
        blocks.checked(block, size, "sparse_bsr_tensor")
    in_blocks = size[0] // block[0], size[1] // block[1], *size[2:]
    _check_compressed(crow, col, values, in_blocks, *names)
    if tuple(values.shape[1 + extra :]) != size[2:]:
        raise RuntimeError(f"values has incorrect size, expected dense dimensions {list(size[2:])}, got {values.shape}")
    places = torch.stack([torch.repeat_interleave(torch.arange(in_blocks[0]), crow.diff()), col])
    if requires_grad:
        values = values.detach().requires_grad_()
    return SparseTensor._of(places, values, size, True, layout)


def _check_compressed(starts, places, values, size, pointers, others, kind, other):
    """Check each part of a compressed layout; names are those of the layout, as in the errors of PyTorch."""
    pointers, others, count = f"{pointers}_indices", f"{others}_indices", f"n{other[:3]}s"
    wrong = None
    if len(starts) != size[0] + 1:
        found = f"but got {len(starts)}"
        wrong = f"{pointers}.shape[-1] must be equal to the number of {kind}s + 1 (={size[0] + 1}), {found}"
    elif len(places) != len(values):
        found = f"but got {len(places)}"
        wrong = f"{others}.shape[-1] must be equal to nnz (={len(values)}) as defined by values.shape[0], {found}"
    elif int(starts[0]):
        wrong = f"`{pointers}[..., 0] == 0` is not satisfied."
    elif int(starts[-1]) != len(places):
        wrong = f"`{pointers}[..., -1] == nnz` is not satisfied."
    elif bool((starts.diff() < 0).any()):
        wrong = f"`0 <= {pointers}[..., 1:] - {pointers}[..., :-1] <= {count}` is not satisfied."
    elif len(places) and not 0 <= int(places.min()) <= int(places.max()) < size[1]:
        wrong = f"`0 <= {others} < {count}` is not satisfied."
    if wrong is not None:
        raise RuntimeError(wrong)


@overridable(namespace="torch")
def sparse_csc_tensor(
    ccol_indices: Any, row_indices: Any, values: Any, size: Sequence[int] | None = None, **options: Any
) -> SparseTensor:
    """A matrix of layout ``torch.sparse_csc``: as `sparse_csr_tensor` with columns for rows, so of (n, m) with m + 1
    pointers.

    Raises:
        RuntimeError: sizes and indices do not fit.

    >>> sparse_csc_tensor([0, 1, 1, 2], [1, 0], [3.0, 4.0], (2, 3)).to_dense()
    tensor([[0., 0., 4.],
            [3., 0., 0.]])
    """
    return _by_columns(torch.sparse_csr, ccol_indices, row_indices, values, size, **options)


def _by_columns(
    layout,
    ccol_indices,
    row_indices,
    values,
    size,
    dtype=None,
    device=None,
    pin_memory=False,
    requires_grad=False,
    check_invariants=None,
):
    transposed = None if size is None else (size[1], size[0], *size[2:])
    made = _by_rows(layout, ccol_indices, row_indices, values, transposed, dtype, requires_grad, by_columns=True)
    return made._transposed()


@overridable(namespace="torch")
def sparse_bsr_tensor(
    crow_indices: Any,
    col_indices: Any,
    values: Any,
    size: Sequence[int] | None = None,
    *,
    dtype: torch.dtype | None = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
    check_invariants: bool | None = None,
) -> SparseTensor:
    """Create a matrix of blocks, with layout ``torch.sparse_bsr``.

    Args:
        crow_indices: the start of each row of blocks among the values, and the end of the last: (block rows + 1,).
        col_indices: the block column of each block.
        values: the blocks, row by row: (number of blocks, rows, columns of a block).
        size: of the matrix, a multiple of the size of a block; by default the smallest that contains all blocks.

    Raises:
        RuntimeError: the arguments do not match.

    >>> sparse_bsr_tensor([0, 1], [1], [[[1.0, 2.0], [3.0, 4.0]]], (2, 4)).to_dense()
    tensor([[0., 0., 1., 2.],
            [0., 0., 3., 4.]])
    """
    return _by_rows(torch.sparse_bsr, crow_indices, col_indices, values, size, dtype, requires_grad)


@overridable(namespace="torch")
def sparse_bsc_tensor(
    ccol_indices: Any, row_indices: Any, values: Any, size: Sequence[int] | None = None, **options: Any
) -> SparseTensor:
    """A matrix of blocks with layout ``torch.sparse_bsc``: as `sparse_bsr_tensor` with columns for rows.

    Raises:
        RuntimeError: the arguments do not match.

    >>> sparse_bsc_tensor([0, 0, 1], [0], [[[1.0, 2.0], [3.0, 4.0]]], (2, 4)).to_dense()
    tensor([[0., 0., 1., 2.],
            [0., 0., 3., 4.]])
    """
    values = torch.as_tensor(values)
    if values.ndim < 3:
        raise RuntimeError(f"values must have dimensionality > 2 (for blocks), got {values.ndim}")
    return _by_columns(torch.sparse_bsr, ccol_indices, row_indices, values.transpose(1, 2), size, **options)


@overridable(namespace="torch")
def sparse_compressed_tensor(
    compressed_indices: Any,
    plain_indices: Any,
    values: Any,
    size: Sequence[int] | None = None,
    *,
    layout: Any = None,
    **options: Any,
) -> SparseTensor:
    """A matrix (n, m) of a compressed layout: ``torch.sparse_csr``, ``sparse_csc``, ``sparse_bsr`` or ``sparse_bsc``.

    Raises:
        NotBuiltError: ``layout`` is missing, or another one.

    >>> sparse_compressed_tensor([0, 1, 2], [2, 0], [3.0, 4.0], (2, 3), layout=torch.sparse_csr).to_dense()
    tensor([[0., 0., 3.],
            [4., 0., 0.]])
    """
    make = {
        torch.sparse_csr: sparse_csr_tensor,
        torch.sparse_csc: sparse_csc_tensor,
        torch.sparse_bsr: sparse_bsr_tensor,
        torch.sparse_bsc: sparse_bsc_tensor,
    }.get(layout)
    if make is None:
        raise _tensor.not_built(f"the layout {layout}")
    return make(compressed_indices, plain_indices, values, size, **options)


def _validate_sparse_coo_tensor_args(
    indices: Any, values: Any, size: Sequence[int], is_coalesced: bool | None = None, check_pinning: bool = False
) -> None:
    """Check that the arguments create a tensor of layout ``torch.sparse_coo``."""
    sparse_coo_tensor(indices, values, size)


def _validate_sparse_compressed_tensor_args(
    compressed_indices: Any, plain_indices: Any, values: Any, size: Sequence[int], layout: Any, **options: Any
) -> None:
    """Check that the arguments create a tensor of a compressed layout."""
    sparse_compressed_tensor(compressed_indices, plain_indices, values, size, layout=layout)


def _rebuilt(layout, data):
    """Rebuild a tensor from the contents of a file; inconsistent contents raise the errors above."""
    if layout is torch.sparse_coo:
        indices, values, size, *coalesced = data
        return sparse_coo_tensor(indices, values, size, is_coalesced=any(coalesced))
    return sparse_compressed_tensor(*data, layout=layout)


def _rebuilt_later(layout, data):
    """Return a tensor without elements and a function that fills it in, for files whose storages follow."""
    *_, values, size = data[: 3 if layout is torch.sparse_coo else 4]
    made = SparseTensor._of(torch.empty((len(size), 0), dtype=torch.int64), values[:0], size, layout=layout)
    return made, lambda: made.__dict__.update(_rebuilt(layout, data).__dict__)


def _of_type(dtype):
    def make(indices, values, size=None):
        """Return a tensor of layout ``torch.sparse_coo``, as `torch.sparse_coo_tensor` does."""
        return sparse_coo_tensor(indices, values, size, dtype=dtype)

    return make


DoubleTensor, FloatTensor, HalfTensor = _of_type(torch.float64), _of_type(torch.float32), _of_type(torch.float16)
IntTensor, LongTensor = _of_type(torch.int32), _of_type(torch.int64)


def _convert_indices_from_coo_to_csr(input, size, *, out_int32=False):
    """Return the offset of each of ``size`` rows in the sorted row indices, and the end of the last row."""
    rows = torch.searchsorted(input, torch.arange(size + 1))
    return rows.int() if out_int32 else rows


def _convert_indices_from_csr_to_coo(crow_indices, col_indices, *, out_int32=False, transpose=False):
    """The row and the column of each value, below each other; the other way round if ``transpose``."""
    rows = torch.repeat_interleave(torch.arange(len(crow_indices) - 1), crow_indices.diff())
    places = torch.stack([col_indices.long(), rows] if transpose else [rows, col_indices.long()])
    return places.int() if out_int32 else places


def mm(mat1: torch.Tensor, mat2: torch.Tensor, reduce: str | None = None) -> torch.Tensor:
    """The product of a sparse matrix with a dense or a sparse one; the product of two sparse ones is sparse.

    Args:
        reduce: the reduction of the products of a row of a CSR matrix and a column of a dense one: ``"sum"``, or, over
            the stored elements, ``"mean"``, ``"amax"`` or ``"amin"``; 0 if there are none.

    Raises:
        RuntimeError: inner sizes differ, or an argument is not a matrix.

    >>> mm(torch.eye(2).to_sparse(), torch.tensor([[1.0], [2.0]]))
    tensor([[1.],
            [2.]])
    """
    if reduce in (None, "sum"):
        return torch.mm(mat1, mat2)
    reduce = {"max": "amax", "min": "amin"}.get(reduce, reduce)
    if reduce not in ("mean", "amax", "amin"):
        raise RuntimeError(f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}.")
    if not getattr(mat1, "is_sparse_csr", False) or mat2.layout is not torch.strided:
        raise RuntimeError("torch.sparse.mm: Expected `mat1` in compressed rows and a dense `mat2` for a reduction")
    matrix = cast(SparseTensor, mat1)
    rows, columns = matrix._indices()
    products = matrix.values().unsqueeze(1) * mat2[columns]
    index, out = rows.unsqueeze(1).expand_as(products), products.new_zeros(mat1.shape[0], mat2.shape[1])
    return out.scatter_reduce(0, index, products, reduce, include_self=False)


dsmm = hsmm = mm


def addmm(
    mat: torch.Tensor, mat1: torch.Tensor, mat2: torch.Tensor, *, beta: float = 1, alpha: float = 1
) -> torch.Tensor:
    """``beta * mat + alpha * (mat1 @ mat2)``, (n, p), with ``mat1`` (n, m) sparse and ``mat2`` (m, p).

    Raises:
        RuntimeError: sizes do not match.

    >>> a = torch.eye(2).to_sparse()
    >>> addmm(torch.ones(2, 2), a, torch.ones(2, 2))
    tensor([[2., 2.],
            [2., 2.]])
    """
    return torch.addmm(mat, mat1, mat2, beta=beta, alpha=alpha)


def sum(input: torch.Tensor, dim: int | Sequence[int] | None = None, dtype: torch.dtype | None = None) -> torch.Tensor:
    """The sum of all elements, or over some dimensions; dense if these include all sparse ones.

    Raises:
        IndexError: the dimension is out of range.

    >>> sum(torch.eye(3).to_sparse())
    tensor(3.)
    """
    return _tensor.total(input, dim, dtype)


def spdiags(
    diagonals: torch.Tensor, offsets: torch.Tensor, shape: Sequence[int], layout: torch.layout | None = None
) -> torch.Tensor:
    """A matrix with given diagonals.

    Args:
        diagonals: of shape (M, N), or (N,) for one: element j of a diagonal goes to column j.
        offsets: of shape (M,), or () for one, and dtype int64: 0 for the main diagonal, above 0 for those above it.
        shape: two sizes.
        layout: ``torch.sparse_coo``, ``torch.sparse_csr`` or ``torch.sparse_csc``.

    Raises:
        RuntimeError: shapes or dtypes do not match, or an offset occurs twice.

    >>> torch.sparse.spdiags(torch.tensor([[1, 2, 3], [4, 5, 6]]), torch.tensor([0, 1]), (2, 3)).to_dense()
    tensor([[1, 5, 0],
            [0, 2, 6]])
    """
    if len(shape) != 2:
        raise RuntimeError("Output shape must be 2d")
    if layout not in (None, torch.sparse_coo, torch.sparse_csr, torch.sparse_csc):
        raise RuntimeError(f"Only output layouts (Sparse, SparseCsc, SparseCsr) are supported, got {layout}")
    if diagonals.dim() not in (1, 2):
        raise RuntimeError("Diagonals must be vector or matrix")
    if offsets.dim() > 1:
        raise RuntimeError("Offsets must be scalar or vector")
    if offsets.dtype != torch.int64:
        raise RuntimeError(f"Offset Tensor must have dtype Long but got {offsets.dtype}")
    diagonals, offsets = torch.atleast_2d(diagonals), torch.atleast_1d(offsets)
    if len(diagonals) != len(offsets):
        raise RuntimeError(
            f"Number of diagonals ({len(diagonals)}) does not match the number of offsets ({len(offsets)})"
        )
    if len(offsets.unique()) != len(offsets):
        raise RuntimeError("Offset tensor contains duplicate values")
    columns = torch.arange(min(diagonals.shape[1], shape[1])).expand(len(offsets), -1)
    rows = columns - offsets[:, None]
    inside = (rows >= 0) & (rows < shape[0])
    values = diagonals[:, : columns.shape[1]][inside]
    made = sparse_coo_tensor(torch.stack((rows[inside], columns[inside])), values, tuple(shape))
    if layout is torch.sparse_csr:
        return made.to_sparse_csr()
    return made.to_sparse_csc() if layout is torch.sparse_csc else made


def _softmax(input, dim, dtype, log):
    x = input.coalesce()
    values = x.values() if dtype is None else x.values().to(dtype)
    if x.dense_dim():
        raise _tensor.not_built("softmax of sparse tensors with dense dimensions")
    dim = wrapped_dim(dim, x.ndim)
    others = [d for d in range(x.ndim) if d != dim]
    sizes = tuple(x.shape[d] for d in others)
    found, row = torch.unique(_tensor._flat(x.indices()[others], sizes), return_inverse=True)
    most = values.detach().new_full((len(found),), -torch.inf).scatter_reduce(0, row, values.detach(), "amax")
    shifted = values - most[row]
    total = values.new_zeros(len(found)).index_add(0, row, shifted.exp())
    return x._with(shifted - total.log()[row] if log else shifted.exp() / total[row])


def softmax(input: torch.Tensor, dim: int, *, dtype: torch.dtype | None = None) -> torch.Tensor:
    """`torch.softmax` over the elements that are stored, as if the others were minus infinity.

    Raises:
        IndexError: the dimension is out of range.

    >>> softmax(torch.tensor([[1.0, 2.0], [0.0, 3.0]]).to_sparse(), 1).to_dense()
    tensor([[0.2689, 0.7311],
            [0.0000, 1.0000]])
    """
    return _softmax(input, dim, dtype, False)


def log_softmax(input: torch.Tensor, dim: int, *, dtype: torch.dtype | None = None) -> torch.Tensor:
    """The logarithm of `softmax`, of the input's shape.

    Raises:
        IndexError: the dimension is out of range.

    >>> log_softmax(torch.tensor([[1.0, 2.0], [0.0, 3.0]]).to_sparse(), 1).to_dense()
    tensor([[-1.3133, -0.3133],
            [ 0.0000,  0.0000]])
    """
    return _softmax(input, dim, dtype, True)


class check_sparse_tensor_invariants(contextlib.ContextDecorator):  # noqa: N801
    """Nothing: the arguments of constructors are always checked.

    >>> with check_sparse_tensor_invariants():
    ...     print(torch.sparse_coo_tensor([[1]], [2.0], (3,)).to_dense())
    tensor([0., 2., 0.])
    """

    def __init__(self, enable: bool = True):
        self.state = enable

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        return None

    @staticmethod
    def is_enabled() -> bool:
        """True."""
        return True

    @staticmethod
    def enable() -> None:
        """Nothing."""

    @staticmethod
    def disable() -> None:
        """Nothing."""


__getattr__, __dir__ = _attach(__name__, "torch.sparse", unlisted=True)
