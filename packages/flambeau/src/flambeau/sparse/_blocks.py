"""Matrices of blocks: the layouts ``torch.sparse_bsr`` and ``torch.sparse_bsc``.

Such a tensor stores the places of its blocks, and values of shape (number of blocks, rows, columns) of a block.
"""

import flambeau as torch
from flambeau_tensor.extend import wrapped_dim
from flambeau_tensor.not_built import not_built

BLOCKS = (torch.sparse_bsr, torch.sparse_bsc)
_LAYOUTS = (torch.sparse_coo, torch.sparse_csr, torch.sparse_csc, *BLOCKS)


def size_of_blocks(x):
    """The sizes of the blocks of a tensor; () for other layouts."""
    return tuple(x._stored.shape[1:3]) if x.layout in BLOCKS else ()


def checked(blocksize, size, what):
    """Return a block size as two ints that divide the size of a matrix."""
    blocksize = (blocksize,) * 2 if isinstance(blocksize, int) else tuple(blocksize)
    if len(blocksize) != 2:
        raise RuntimeError(f"{what}: blocksize needs to be a tuple of size 2, but got {len(blocksize)}")
    if min(blocksize) <= 0:
        raise RuntimeError(f"{what}: blocksize needs to be positive, but got {list(blocksize)}")
    wrapped_dim(-2, len(size))  # raises an error for a vector
    if size[0] % blocksize[0] or size[1] % blocksize[1]:
        raise RuntimeError(
            f"{what}: tensor sparse size ({size[0]},{size[1]}) must be divisible by given blocksize "
            f"({blocksize[0]},{blocksize[1]})"
        )
    return blocksize


def blocks_of(dense, blocksize):
    """View a matrix as its blocks: (block rows, block columns, rows, columns of a block, dense dimensions)."""
    rows, columns = blocksize
    return dense.unflatten(1, (-1, columns)).unflatten(0, (-1, rows)).transpose(1, 2)


def check_given(old, layout, blocksize):
    """Check that there is a block size if a conversion needs one."""
    if layout is not None and layout not in _LAYOUTS:
        raise not_built(f"the layout {layout}")
    if layout in BLOCKS and blocksize is None:
        raise RuntimeError(
            f"to_sparse(): conversion from {old} to {layout} without blocksize argument given is not supported"
        )
    if old not in BLOCKS and layout not in BLOCKS and blocksize is not None:
        raise RuntimeError(
            f"to_sparse(): conversion from {old} to {layout} with blocksize argument given is not supported"
        )


def taken(dense, x):
    """The elements of a dense tensor at the places of a sparse one, in the form of its values."""
    size = size_of_blocks(x)
    return (blocks_of(dense, size) if size else dense)[tuple(x._places)]


def elements(x):
    """Return all elements of the blocks as a tensor of layout ``torch.sparse_coo``."""
    rows, columns = size_of_blocks(x)
    row, column = (x._places[i].reshape(-1, 1, 1) * n for i, n in enumerate((rows, columns)))
    row, column = torch.broadcast_tensors(row + torch.arange(rows).unsqueeze(1), column + torch.arange(columns))
    return type(x)._of(torch.stack([row.flatten(), column.flatten()]), x._stored.flatten(0, 2), x.shape).coalesce()


def _in_order(places, layout):
    """Return the order of blocks in a layout, for places in the order of rows."""
    if layout is torch.sparse_bsr:
        return None
    return torch.argsort(places[1], stable=True)


def from_dense(x, layout, blocksize, dense_dim, make):
    """Return the blocks of a dense matrix that are not zero; ``make`` creates the tensor from places and values."""
    if x.ndim - (dense_dim or 0) > 2:
        raise not_built(f"the layout {layout} of batches")
    blocks = blocks_of(x, checked(blocksize, x.shape, f"dense_to_{str(layout).removeprefix('torch.')}"))
    places = (blocks.detach() != 0).flatten(2).any(-1).nonzero().T.contiguous()
    order = _in_order(places, layout)
    places = places if order is None else places[:, order]
    return make(places, blocks[tuple(places)], x.shape, True, layout)


def from_elements(coo, layout, blocksize):
    """Return the blocks that have elements of a tensor of layout ``torch.sparse_coo``."""
    what = f"to_{str(layout).removeprefix('torch.')}"
    if coo.sparse_dim() != 2:
        raise RuntimeError(f"{what}(): expected a matrix, got a tensor with {coo.sparse_dim()} sparse dimensions")
    coo, (rows, columns) = coo.coalesce(), checked(blocksize, coo.shape, what)
    row, column = coo._places
    many = coo.shape[1] // columns
    found, which = torch.unique(row // rows * many + column // columns, return_inverse=True)
    places = torch.stack([found // many, found % many]) if many else coo._places
    values = coo._stored.new_zeros((len(found), rows, columns, *coo._stored.shape[1:]))
    values = values.index_put((which, row % rows, column % columns), coo._stored)
    order = _in_order(places, layout)
    if order is not None:
        places, values = places[:, order], values[order]
    return type(coo)._of(places, values, coo.shape, True, layout)
