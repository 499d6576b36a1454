"""Products of sparse matrices, computed by SciPy, with their gradients.

Derivatives are with respect to the stored values of a matrix and to the dense operand.
"""

import flambeau as torch
from flambeau.autograd import Function


def scipy_matrix(places, values, size):
    """SciPy's matrix over the places and values of a tensor; equal places add up."""
    try:
        from scipy import sparse
    except ImportError as e:
        raise ImportError(
            "products of sparse tensors are computed by SciPy, which the extra flambeau[sparse] installs"
        ) from e
    if values.dtype in (torch.float16, torch.bfloat16):
        raise NotImplementedError(
            f"products of sparse tensors of dtype {values.dtype} are not built: SciPy has no such matrices"
        )
    return sparse.coo_array((values.detach().numpy(), tuple(places.numpy())), shape=tuple(size)).tocsr()


class SparseByDense(Function):
    """``A @ b`` for the matrix A that has these values at these places."""

    @staticmethod
    def forward(ctx, values, places, size, dense):
        ctx.save_for_backward(values, dense)
        ctx.places, ctx.size = places, size
        return torch.from_numpy(scipy_matrix(places, values, size) @ dense.detach().numpy())

    @staticmethod
    def backward(ctx, grad):
        values, dense = ctx.saved_tensors
        row, col = ctx.places
        of_values = of_dense = None
        if ctx.needs_input_grad[0]:
            of_values = grad[row] * dense.conj()[col]
            of_values = of_values.sum(1) if dense.ndim > 1 else of_values
        if ctx.needs_input_grad[3]:
            of_dense = SparseByDense.apply(values.conj().resolve_conj(), ctx.places.flip(0), ctx.size[::-1], grad)
        return of_values, None, None, of_dense


class SparseBySparse(Function):
    """The values of ``A @ B`` at its indices, which `product_places` computes."""

    @staticmethod
    def forward(ctx, a, places_a, size_a, b, places_b, size_b, places):
        ctx.save_for_backward(a, b)
        ctx.where = places_a, size_a, places_b, size_b, places
        product = scipy_matrix(places_a, a, size_a) @ scipy_matrix(places_b, b, size_b)
        return _at(product, places)

    @staticmethod
    def backward(ctx, grad):
        a, b = ctx.saved_tensors
        places_a, size_a, places_b, size_b, places = ctx.where
        upper = scipy_matrix(places, grad, (size_a[0], size_b[1]))
        of_a = of_b = None
        if ctx.needs_input_grad[0]:
            of_a = _at(upper @ scipy_matrix(places_b, b, size_b).conj().T, places_a)
        if ctx.needs_input_grad[3]:
            of_b = _at(scipy_matrix(places_a, a, size_a).conj().T @ upper, places_b)
        return of_a, None, None, of_b, None, None, None


def product_places(places_a, size_a, places_b, size_b):
    """Return the sorted positions of the elements of ``A @ B``: all with a contribution, even if it adds up to zero."""
    ones = torch.ones(1, dtype=torch.float64)
    product = (
        scipy_matrix(places_a, ones.expand(places_a.shape[1]), size_a)
        @ scipy_matrix(places_b, ones.expand(places_b.shape[1]), size_b)
    ).tocsr()
    product.sort_indices()
    row, col = product.tocoo().coords
    return torch.stack([torch.from_numpy(row).long(), torch.from_numpy(col).long()])


def _at(matrix, places):
    """The elements of SciPy's matrix at some places."""
    row, col = places.numpy()
    if not len(row):
        return torch.empty(0, dtype=torch.from_numpy(matrix.data).dtype)
    import numpy as np

    return torch.from_numpy(np.asarray(matrix.tocsr()[row, col]).reshape(-1).copy())
