"""``torch.nn.attention.flex_attention``: attention with functions that modify the scores and define the mask.

A function receives a score and the indices of its batch entry, head, query and key, all as 0-d tensors; ``vmap`` calls
it on all of them at once. A :class:`BlockMask` stores, in addition to its function, which blocks of the mask are not
empty.
"""

from __future__ import annotations

import inspect
import itertools
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import flambeau_tensor as ft
from flambeau_autograd.func import vmap
from flambeau_tensor import Tensor
from flambeau_tensor.options import Device

__all__ = [
    "AuxOutput",
    "AuxRequest",
    "BlockMask",
    "FlexKernelOptions",
    "and_masks",
    "create_block_mask",
    "create_mask",
    "flex_attention",
    "noop_mask",
    "or_masks",
]

_DEFAULT_SPARSE_BLOCK_SIZE = 128
_Modifier = Callable[..., Tensor]


class FlexKernelOptions(dict[str, Any]):
    """PyTorch's tuning options for kernels of other devices. They are accepted and have no effect.

    Shape:
        none

    >>> FlexKernelOptions(BLOCK_M=64)
    {'BLOCK_M': 64}
    """


class AuxRequest(NamedTuple):
    """The additional results that `flex_attention` should return.

    Shape:
        none

    >>> AuxRequest(lse=True)
    AuxRequest(lse=True, max_scores=False)
    """

    lse: bool = False
    max_scores: bool = False


class AuxOutput(NamedTuple):
    """The additional results of `flex_attention`, such as the log-sum-exp of each query's scores.

    Shape:
        lse: (B, Hq, L)

    >>> AuxOutput()
    AuxOutput(lse=None, max_scores=None)
    """

    lse: Tensor | None = None
    max_scores: Tensor | None = None


# --- masks as functions ---------------------------------------------------------------------------------------------


def noop_mask(batch: Tensor, head: Tensor, token_q: Tensor, token_kv: Tensor) -> Tensor:
    """The mask that hides nothing.

    >>> import flambeau_tensor as ft
    >>> noop_mask(*ft.zeros(4))
    tensor(True)
    """
    return ft.ones((), dtype=ft.bool)


def _joined(mask_mods: tuple[_Modifier, ...], join: Callable[[Tensor, Tensor], Tensor], empty: bool) -> _Modifier:
    if not all(callable(mod) for mod in mask_mods):
        raise RuntimeError(f"All inputs should be callable mask_mods: {mask_mods}")

    def mask(b: Tensor, h: Tensor, q_idx: Tensor, kv_idx: Tensor) -> Tensor:
        result = ft.full((), empty, dtype=ft.bool)
        for mod in mask_mods:
            result = join(result, mod(b, h, q_idx, kv_idx))
        return result

    return mask


def or_masks(*mask_mods: _Modifier) -> _Modifier:
    """A mask of all keys that at least one of the masks admits.

    Raises:
        RuntimeError: something is not a function.

    >>> mask = or_masks(lambda b, h, q, k: q >= k, lambda b, h, q, k: k < 2)
    >>> create_mask(mask, 1, 1, 2, 3)
    tensor([[[[ True,  True, False],
              [ True,  True, False]]]])
    """
    return _joined(mask_mods, ft.logical_or, False)


def and_masks(*mask_mods: _Modifier) -> _Modifier:
    """A mask of the keys that all given masks allow.

    Raises:
        RuntimeError: an argument is not a function.

    >>> mask = and_masks(lambda b, h, q, k: q >= k, lambda b, h, q, k: q - k < 2)
    >>> create_mask(mask, 1, 1, 3, 3)
    tensor([[[[ True, False, False],
              [ True,  True, False],
              [False,  True,  True]]]])
    """
    return _joined(mask_mods, ft.logical_and, True)


def _over_all(function: _Modifier, with_scores: bool) -> _Modifier:
    """Apply `function` to vectors of batch entries, heads, queries and keys, and to scores with these dimensions."""
    for place in (3, 2, 1, 0):
        in_dims: list[int | None] = [None] * 4
        in_dims[place] = 0
        function = vmap(function, in_dims=(0, *in_dims) if with_scores else tuple(in_dims))
    return function


def _takes_scores(function: _Modifier) -> bool:
    parameters = inspect.signature(function).parameters.values()
    given = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    count = sum(p.kind in given and p.default is inspect.Parameter.empty for p in parameters)
    if count not in (4, 5):
        raise AssertionError(f"Expected 4 or 5 positional args, got {count}")
    return count == 5


def create_mask(
    mod_fn: _Modifier, B: int | None, H: int | None, Q_LEN: int, KV_LEN: int, device: Device | None = None
) -> Tensor:
    """A mask as a tensor of booleans, True if a query attends to a key.

    Args:
        mod_fn: a mask (batch, head, query, key) or a function of scores (score, batch, head, query, key), which masks
            a key by returning minus infinity.
        B, H: the batch size and the number of heads; None for 1.
        Q_LEN, KV_LEN: the numbers of queries and keys.

    Shape:
        returns: (B, H, Q_LEN, KV_LEN)

    Raises:
        AssertionError: the function does not accept the arguments of its kind.

    >>> create_mask(lambda b, h, q, k: q >= k, 1, 1, 2, 3)
    tensor([[[[ True, False, False],
              [ True,  True, False]]]])
    """
    sizes = (B or 1, H or 1, Q_LEN, KV_LEN)
    places = [ft.arange(size, device=device) for size in sizes]
    if _takes_scores(mod_fn):
        return ~ft.isneginf(_over_all(mod_fn, True)(ft.zeros(sizes, device=device), *places))
    return _over_all(mod_fn, False)(*places)


# --- blocks ---------------------------------------------------------------------------------------------------------


def _sliced_mask_mod_error(*_: Any) -> Tensor:
    raise RuntimeError(
        "a slice of a BlockMask has no mask_mod, as its function counts examples and heads from the start"
    )


def _listed(blocks: Tensor) -> tuple[Tensor, Tensor]:
    """Return for each row of a matrix of blocks the number of nonempty blocks, and their columns, then the others."""
    indices = ft.argsort(blocks.to(ft.int32), dim=-1, descending=True, stable=True)
    return blocks.sum(-1).to(ft.int32), indices.to(ft.int32)


def _dense(counts: Tensor, indices: Tensor) -> Tensor:
    """The matrix that `_listed` has listed, of 0 and 1."""
    columns = indices.shape[-1]
    there = ft.arange(columns) < counts.unsqueeze(-1)
    return ft.zeros(indices.shape, dtype=ft.int32).scatter_(-1, indices.long(), there.to(ft.int32))


_TENSORS = ("kv", "full_kv", "q", "full_q")
_NAMES = tuple(f"{name}_{what}" for name in _TENSORS for what in ("num_blocks", "indices"))


class BlockMask:
    """A mask as a function, with its nonempty blocks. :func:`create_block_mask` creates it.

    Attributes:
        seq_lengths: the numbers of queries and keys of the mask.
        kv_num_blocks, kv_indices: for each row of blocks, the number and the columns of partially masked blocks; (B, H,
            rows) and (B, H, rows, columns).
        full_kv_num_blocks, full_kv_indices: the same for unmasked blocks, or None.
        q_num_blocks, q_indices, full_q_num_blocks, full_q_indices: the same by columns.
        BLOCK_SIZE: the numbers of queries and keys of a block.
        mask_mod: the function. It alone determines the result of attention.

    Shape:
        see above

    Raises:
        RuntimeError: ``kv_indices`` have fewer than two dimensions; by ``from_kv_blocks``, too.

    >>> create_block_mask(lambda b, h, q, k: q >= k, None, None, 256, 256).sparsity()
    25.0
    """

    def __init__(
        self,
        seq_lengths: tuple[int, int],
        kv_num_blocks: Tensor,
        kv_indices: Tensor,
        full_kv_num_blocks: Tensor | None,
        full_kv_indices: Tensor | None,
        q_num_blocks: Tensor | None,
        q_indices: Tensor | None,
        full_q_num_blocks: Tensor | None,
        full_q_indices: Tensor | None,
        BLOCK_SIZE: tuple[int, int] = (128, 128),
        mask_mod: _Modifier = noop_mask,
        *,
        dq_write_order: Tensor | None = None,
        dq_write_order_full: Tensor | None = None,
        dq_kv_order: Tensor | None = None,
        dq_kv_order_spt: bool | None = None,
    ) -> None:
        if kv_indices.dim() < 2:
            raise RuntimeError("BlockMask must have at least 2 dimensions")
        full = {"kv": (full_kv_num_blocks, full_kv_indices), "q": (full_q_num_blocks, full_q_indices)}
        for what, (counts, indices) in full.items():
            if (counts is None) != (indices is None):
                raise AssertionError(f"full_{what}_num_blocks and full_{what}_indices must be both provided or omitted")
        self.seq_lengths = seq_lengths
        self.kv_num_blocks, self.kv_indices = kv_num_blocks, kv_indices
        self.full_kv_num_blocks, self.full_kv_indices = full_kv_num_blocks, full_kv_indices
        self.q_num_blocks, self.q_indices = q_num_blocks, q_indices
        self.full_q_num_blocks, self.full_q_indices = full_q_num_blocks, full_q_indices
        self.BLOCK_SIZE, self.mask_mod = BLOCK_SIZE, mask_mod
        self.dq_write_order, self.dq_write_order_full = dq_write_order, dq_write_order_full
        self.dq_kv_order, self.dq_kv_order_spt = dq_kv_order, dq_kv_order_spt

    @classmethod
    def from_kv_blocks(
        cls,
        kv_num_blocks: Tensor,
        kv_indices: Tensor,
        full_kv_num_blocks: Tensor | None = None,
        full_kv_indices: Tensor | None = None,
        BLOCK_SIZE: int | tuple[int, int] = 128,
        mask_mod: _Modifier | None = None,
        seq_lengths: tuple[int, int] | None = None,
        compute_q_blocks: bool = True,
    ) -> BlockMask:
        """A mask from its blocks by rows; those by columns follow from them."""
        if kv_indices.dim() < 2:
            raise RuntimeError("BlockMask must have at least 2 dimensions")
        if (full_kv_num_blocks is None) != (full_kv_indices is None):
            raise AssertionError("full_kv_num_blocks and full_kv_indices must be both provided or omitted")
        size = _block_size(BLOCK_SIZE)
        by_columns: list[Tensor | None] = [None] * 4
        if compute_q_blocks:
            by_columns[:2] = _listed(_dense(kv_num_blocks, kv_indices).mT)
            if full_kv_num_blocks is not None and full_kv_indices is not None:
                by_columns[2:] = _listed(_dense(full_kv_num_blocks, full_kv_indices).mT)
        if seq_lengths is None:
            seq_lengths = kv_indices.shape[-2] * size[0], kv_indices.shape[-1] * size[1]
        return cls(  # type: ignore[misc]  # the list has four tensors
            seq_lengths,
            kv_num_blocks,
            kv_indices,
            full_kv_num_blocks,
            full_kv_indices,
            *by_columns,  # type: ignore[arg-type]
            BLOCK_SIZE=size,
            mask_mod=mask_mod or noop_mask,
        )

    def as_tuple(self, flatten: bool = True) -> tuple[Any, ...]:
        """Return the arguments of `__init__` in order, with sizes one by one or as pairs."""
        sizes = (tuple(self.seq_lengths), tuple(self.BLOCK_SIZE))
        first, last = sizes if flatten else ((sizes[0],), (sizes[1],))
        order = (self.dq_write_order, self.dq_write_order_full, self.dq_kv_order, self.dq_kv_order_spt)
        return (*first, *(getattr(self, name) for name in _NAMES), *order, *last, self.mask_mod)

    @property
    def shape(self) -> tuple[int, ...]:
        return (*self.kv_indices.shape[:-2], *self.seq_lengths)

    def numel(self) -> int:
        """Return the number of elements of the mask."""
        return math.prod(self.shape)

    def sparsity(self) -> float:
        """Return the percentage of elements in blocks that are masked completely."""
        blocks = int(self.kv_num_blocks.sum())
        if self.full_kv_num_blocks is not None:
            blocks += int(self.full_kv_num_blocks.sum())
        return 100 * (1 - blocks * math.prod(self.BLOCK_SIZE) / self.numel())

    def to_dense(self) -> Tensor:
        """Return the matrix of blocks: 1 for blocks that are not fully masked."""
        partly = _dense(self.kv_num_blocks, self.kv_indices)
        if self.full_kv_num_blocks is None or self.full_kv_indices is None:
            return partly
        return partly | _dense(self.full_kv_num_blocks, self.full_kv_indices)

    def to(self, device: Device) -> BlockMask:
        """The mask on a device."""
        return self._changed(lambda t: t.to(device), self.seq_lengths, self.mask_mod)

    def __getitem__(self, index: Any) -> BlockMask:
        """Select the blocks of some batch entries and heads, without the function."""
        index = index if isinstance(index, tuple) else (index,)
        index = tuple(slice(i, i + 1 or None) if isinstance(i, int) else i for i in index)
        return self._changed(lambda t: t[index], self.seq_lengths, _sliced_mask_mod_error)

    def _changed(self, change: Callable[[Tensor], Tensor], lengths: tuple[int, int], mask_mod: _Modifier) -> BlockMask:
        tensors = [getattr(self, name) for name in _NAMES]
        changed = [None if t is None else change(t) for t in tensors]
        return BlockMask(lengths, *changed, BLOCK_SIZE=self.BLOCK_SIZE, mask_mod=mask_mod)  # type: ignore[arg-type, misc]

    def _adjust(self, new_q_len: int, new_kv_len: int) -> BlockMask:
        """Return the upper left part of the mask for fewer queries and keys, or the same blocks for more."""
        rows, columns = (-(-n // size) for n, size in zip((new_q_len, new_kv_len), self.BLOCK_SIZE, strict=True))
        kept: list[Tensor | None] = []
        for name in ("kv", "full_kv"):
            counts, indices = getattr(self, f"{name}_num_blocks"), getattr(self, f"{name}_indices")
            kept += [None, None] if counts is None else _listed(_dense(counts, indices)[..., :rows, :columns])
        assert kept[0] is not None and kept[1] is not None
        return BlockMask.from_kv_blocks(  # type: ignore[misc]  # the rest of the list has two
            kept[0],
            kept[1],
            *kept[2:],  # type: ignore[arg-type]
            BLOCK_SIZE=self.BLOCK_SIZE,
            mask_mod=self.mask_mod,
            seq_lengths=(new_q_len, new_kv_len),
        )

    def to_string(self, grid_size: int | tuple[int, int] = (20, 20), limit: int = 4) -> str:
        """Draw the blocks of each batch element and head: masked, full, or partial, if several are drawn as one."""
        grid = (grid_size, grid_size) if isinstance(grid_size, int) else grid_size
        dense = self.to_dense()
        rows, columns = (-(-n // most) if most > 0 else 1 for n, most in zip(dense.shape[-2:], grid, strict=True))
        lines = []
        for number, place in enumerate(itertools.product(*map(range, dense.shape[:-2]))):
            if number == limit:
                lines.append("...")
                lines.append("To print out more, set BlockMask.to_string(limit=N)")
                lines.append("You can also index (BlockMask[batch, head]) to choose a specific batch or head")
                break
            lines.append(str(place))
            for strip in dense[place].split(rows, 0):
                seen = [float(part.float().mean()) for part in strip.split(columns, 1)]
                lines.append("".join("██" if part == 1 else "░░" if part else "  " for part in seen))
            lines.append("")
        return "\n".join(lines)

    def __str__(self) -> str:
        return f"BlockMask(shape={self.shape}, sparsity={self.sparsity():.2f}%, \n{self.to_string().strip()}\n)"

    def __repr__(self) -> str:
        lines = [f"    {n}={None if (t := getattr(self, n)) is None else t.shape},\n" for n in _NAMES]
        name = getattr(self.mask_mod, "__name__", repr(self.mask_mod))
        return (
            f"BlockMask(\n{''.join(lines)}    BLOCK_SIZE={self.BLOCK_SIZE},\n    shape={self.shape},\n"
            f"    sparsity={self.sparsity():.2f}%,\n    mask_mod={name}\n)"
        )


def _block_size(given: int | tuple[int, int] | list[int]) -> tuple[int, int]:
    first, second = (given, given) if isinstance(given, int) else given
    return first, second


def create_block_mask(
    mask_mod: _Modifier,
    B: int | None,
    H: int | None,
    Q_LEN: int,
    KV_LEN: int,
    device: Device | None = None,
    BLOCK_SIZE: int | tuple[int, int] = 128,
    _compile: bool = False,
    separate_full_blocks: bool = True,
    compute_dq_write_order: bool = False,
    dq_kv_order: bool = True,
) -> BlockMask:
    """Create a mask and its blocks.

    Args:
        mask_mod: returns whether a query attends to a key, given the indices of batch entry, head, query and key.
        B, H: the batch size and the number of heads if the mask depends on them; None for 1.
        Q_LEN, KV_LEN: the numbers of queries and keys.
        BLOCK_SIZE: the numbers of queries and keys of a block.
        separate_full_blocks: whether unmasked blocks are listed separately.
        _compile, compute_dq_write_order, dq_kv_order: for kernels on other devices; ignored.

    Shape:
        returns: a mask of (B, H, Q_LEN, KV_LEN)

    Raises:
        AssertionError: `mask_mod` is a function of scores.

    >>> create_block_mask(lambda b, h, q, k: q >= k, None, None, 384, 384).to_dense()
    tensor([[[[1, 0, 0],
              [1, 1, 0],
              [1, 1, 1]]]], dtype=torch.int32)
    """
    if _takes_scores(mask_mod):
        raise AssertionError(f"create-block_mask requires a mask_mod function! Got {mask_mod}")
    size = _block_size(BLOCK_SIZE)
    mask = create_mask(mask_mod, B, H, Q_LEN, KV_LEN, device)
    rows, columns = -(-Q_LEN // size[0]), -(-KV_LEN // size[1])
    blocks = ft.zeros((*mask.shape[:2], rows * size[0], columns * size[1]), dtype=ft.int32)
    blocks[..., :Q_LEN, :KV_LEN] = mask
    seen = blocks.view(*mask.shape[:2], rows, size[0], columns, size[1]).sum((3, 5))
    whole = (seen == math.prod(size)) if separate_full_blocks else None
    partly = seen > 0 if whole is None else (seen > 0) & ~whole
    full: tuple[Tensor | None, Tensor | None] = (None, None) if whole is None else _listed(whole)
    return BlockMask.from_kv_blocks(
        *_listed(partly), *full, BLOCK_SIZE=size, mask_mod=mask_mod, seq_lengths=(Q_LEN, KV_LEN)
    )


# --- attention ------------------------------------------------------------------------------------------------------


def _check(query: Tensor, key: Tensor, value: Tensor, block_mask: BlockMask | None, enable_gqa: bool) -> None:
    if not query.dim() == key.dim() == value.dim() == 4:
        raise NotImplementedError("NYI: query, key, and value must be 4D tensors")
    heads, key_heads = query.size(1), key.size(1)
    if not enable_gqa and heads != key_heads:
        raise ValueError(
            f"Expect query and key/value to have the same number of heads but got Hq={heads} and Hkv={key_heads}. "
            "Try setting enable_gqa=True for GQA."
        )
    if enable_gqa and heads % key_heads:
        raise ValueError(
            f"Expect number of query heads to be a multiple of kv heads for GQA but got Hq={heads} and Hkv={key_heads}."
        )
    if query.size(0) != key.size(0) and block_mask is None:
        raise ValueError(
            "Expect query and key/value to have the same batch size, or non-none block_mask, but got "
            f"block_mask=None, Bq={query.size(0)}, and Bkv={key.size(0)}."
        )
    if query.size(3) != key.size(3):
        raise ValueError(
            f"Expect query and key/value to have the same embedding dimension but got E={query.size(3)} and "
            f"E={key.size(3)}."
        )
    if block_mask is None:
        return
    made, lengths = block_mask.shape, (query.size(2), key.size(2))
    if made[-2:] == lengths:
        return
    told = (
        f"block_mask was created for block_mask.shape={made} but got q_len={lengths[0]} and kv_len={lengths[1]}. As "
        "the block mask was created for a "
    )
    if made[-2] < lengths[0] or made[-1] < lengths[1]:
        raise ValueError(f"{told}smaller length than you're using it for, you likely need to create a new block mask.")
    raise ValueError(
        f"{told}larger length than you're using it for, you can either 1. create a new block mask with the correct "
        "length, or 2. 'adjust' the existing block mask to the correct length by calling block_mask._adjust(q_len, "
        "kv_len). This essentially 'crops' the block mask to the upper left corner, which does not work for all "
        "mask_mods!"
    )


def flex_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    score_mod: _Modifier | None = None,
    block_mask: BlockMask | None = None,
    scale: float | None = None,
    enable_gqa: bool = False,
    return_lse: bool = False,
    kernel_options: FlexKernelOptions | None = None,
    *,
    return_aux: AuxRequest | None = None,
) -> Any:
    """Attention with functions that modify scores and define the mask.

    The scores of all queries and keys are in memory at once. The result is differentiable, also with respect to tensors
    that the functions use.

    Args:
        query, key, value: as for `scaled_dot_product_attention`.
        score_mod: returns the modified score, given a score and the indices of batch entry, head, query and key.
        block_mask: the mask.
        scale: the factor of the products; 1/sqrt(E) if None.
        enable_gqa: whether several query heads may share one head of keys and values.
        return_lse, return_aux: additional results; `return_aux` supports the logarithm of the sum of exp(score).
        kernel_options: ignored.

    Shape:
        query: (B, Hq, L, E)
        key: (B, Hkv, S, E)
        value: (B, Hkv, S, Ev)
        returns: (B, Hq, L, Ev), zeros for queries that attend to no key

    Raises:
        ValueError: sizes do not match each other or the mask, or both `return_lse` and `return_aux` are given.
        NotImplementedError: tensors without four dimensions, or `AuxRequest(max_scores=True)`.

    >>> import flambeau_tensor as ft
    >>> x = ft.eye(3).reshape(1, 1, 3, 3)
    >>> mask = create_block_mask(lambda b, h, q, k: q >= k, None, None, 3, 3)
    >>> flex_attention(x, x, x, lambda score, b, h, q, k: score - (q - k), mask).shape
    torch.Size([1, 1, 3, 3])
    """
    if return_lse and return_aux is not None:
        raise ValueError(
            "Cannot specify both return_lse and return_aux. return_lse is deprecated, please use "
            "return_aux=AuxRequest(lse=True) instead."
        )
    if return_aux is not None and return_aux.max_scores:
        raise NotImplementedError("Returning max scores is not supported on CPU/MPS.")
    _check(query, key, value, block_mask, enable_gqa)
    groups = query.size(1) // key.size(1)
    if groups != 1:
        key, value = key.repeat_interleave(groups, 1), value.repeat_interleave(groups, 1)
    wide = query.dtype if query.dtype is ft.float64 else ft.float32
    scale = 1 / math.sqrt(query.size(3)) if scale is None else scale
    scores = (query @ key.to(query.dtype).mT).to(wide) * scale
    places = [ft.arange(size) for size in scores.shape]
    if score_mod is not None:
        scores = _over_all(score_mod, True)(scores, *places).to(wide)
    if block_mask is not None:
        scores = ft.where(_over_all(block_mask.mask_mod, False)(*places), scores, -math.inf)
    lse = scores.logsumexp(-1)
    blind = (lse == -math.inf).unsqueeze(-1)  # without a key: no weights, and no gradients that are NaN
    weights = ft.where(blind, 0.0, ft.where(blind, 0.0, scores).softmax(-1))
    result = _laid_out(weights.to(query.dtype) @ value.to(query.dtype), query)
    if return_aux is not None:
        return result, AuxOutput(lse if return_aux.lse else None)
    return (result, lse) if return_lse else result


def _laid_out(result: Tensor, query: Tensor) -> Tensor:
    """The result with its dimensions in memory in the order of the queries'."""
    order = sorted(range(4), key=query.stride().__getitem__, reverse=True)
    back = sorted(range(4), key=order.__getitem__)
    return result.permute(order).contiguous().permute(back)
