"""Sums, means and maxima of rows of a table."""

import warnings
from functools import partial

import flambeau_tensor as ft
from flambeau_nn._kernels import bags
from flambeau_nn.ops import INTERNAL
from flambeau_nn.ops.declaring import composite
from flambeau_tensor import Operator
from flambeau_tensor.extend import FUNCTION, find_operator
from flambeau_tensor.packing import apply

_MODES = {"sum": 0, "mean": 1, "max": 2}


def _check(input, weight, offsets, mode, scale_grad_by_freq, sparse, per_sample_weights, padding_idx):
    if per_sample_weights is not None and per_sample_weights.shape != input.shape:
        raise ValueError(
            f"embedding_bag: If per_sample_weights ({per_sample_weights.shape}) is not None, then it must "
            f"have the same shape as the input ({input.shape})"
        )
    if per_sample_weights is not None and per_sample_weights.dtype is not weight.dtype:
        raise RuntimeError(
            "Expected tensor for argument #1 'weight' to have the same type as tensor for argument #1 "
            f"'per_sample_weights'; but {weight.dtype} does not equal {per_sample_weights.dtype} (while checking "
            "arguments for embedding_bag)"
        )
    if weight.ndim != 2:
        raise ValueError(f"weight has to be a 2D Tensor, but got Tensor of dimension {weight.ndim}")
    if input.ndim == 2 and offsets is not None:
        raise ValueError(
            "if input is 2D, then offsets has to be None, as input is treated is a mini-batch of fixed "
            f"length sequences. However, found offsets of type {type(offsets)}"
        )
    if input.ndim == 1 and (offsets is None or offsets.ndim != 1):
        raise ValueError("offsets has to be a 1D Tensor" + (" but got None" if offsets is None else ""))
    if input.ndim not in (1, 2):
        raise ValueError(f"input has to be 1D or 2D Tensor, but got Tensor of dimension {input.ndim}")
    if mode not in ("sum", "mean", "max"):
        raise ValueError("mode has to be one of sum, mean or max")
    if mode == "max" and scale_grad_by_freq:
        raise ValueError("max mode does not support scaling the gradient by the frequency")
    if mode == "max" and sparse:
        raise ValueError("max mode does not support sparse weights")
    if per_sample_weights is not None and mode != "sum":
        raise NotImplementedError(
            "embedding_bag: per_sample_weights was not None. per_sample_weights is only "
            f"supported for mode='sum' (got mode='{mode}'). Please open a feature request on "
            "GitHub."
        )
    if input.dtype not in (ft.int64, ft.int32):
        raise RuntimeError(
            "Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, "
            f"Int; but got {input.type()} instead (while checking arguments for embedding_bag)"
        )
    if weight.ndim != 2:
        raise RuntimeError(f"weight has to be a 2D Tensor, but got Tensor of dimension {weight.ndim}")
    if padding_idx is not None and not -weight.shape[0] <= padding_idx < weight.shape[0]:
        raise RuntimeError(
            f"padding_idx must be within the number of embeddings, -{weight.shape[0]} through "
            f"{weight.shape[0] - 1}, but got {padding_idx}"
        )


def _bags(offsets, count, include_last_offset):
    """The bag of each index (beyond the last: none), and how many bags there are."""
    if offsets.numel() and offsets[0] != 0:
        raise RuntimeError(
            "offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start from position 0. However, "
            f"got {offsets[0].item()}"
        )
    if offsets.numel() and offsets.max() > count:
        raise RuntimeError(
            f"offsets[-1] can not be greater than input's length {count} but got offsets[-1] of {offsets.max().item()}"
        )
    places = ft.arange(count, dtype=offsets.dtype, device=offsets.device)
    return find_operator("torch.searchsorted")(offsets.contiguous(), places, right=True) - 1, offsets.numel() - bool(
        include_last_offset
    )


def composed(
    weight,
    input,
    offsets,
    mode,
    scale_grad_by_freq,
    per_sample_weights,
    include_last_offset,
    padding_idx,
    sparse=False,
):
    """Compute `embedding_bags` by other operations; -1 for no padding. The gradient may be sparse."""
    from flambeau_nn.functional import embedding

    if input.ndim == 2:
        count = input.shape[0]
        bag = ft.arange(count, device=input.device).repeat_interleave(input.shape[1])
        input = input.reshape((-1,))
        per_sample_weights = None if per_sample_weights is None else per_sample_weights.reshape((-1,))
    else:
        bag, count = _bags(offsets, input.numel(), include_last_offset)
    kept = (bag >= 0) & (bag < count)
    if padding_idx >= 0:
        kept = kept & (input != padding_idx)
    padding = padding_idx if sparse and padding_idx >= 0 else None
    rows = embedding(input, weight, padding, None, 2.0, scale_grad_by_freq, sparse)
    place = ft.where(kept, bag, count)  # ignored indices go to an additional last bag
    columns = weight.shape[1]
    if mode == 2:
        out = rows.new_zeros((count + 1, columns)).scatter_reduce(
            0, place.unsqueeze(1).expand((-1, columns)), rows, "amax", include_self=False
        )
        return out[:count]
    if per_sample_weights is not None:
        rows = rows * per_sample_weights.unsqueeze(1)
    out = rows.new_zeros((count + 1, columns)).index_add(0, place, rows)[:count]
    if mode == 0:
        return out
    sizes = weight.new_zeros(count + 1).index_add(0, place, weight.new_ones(place.shape))[:count]
    return out / sizes.clamp_min(1).unsqueeze(1)


_TABLE = (
    "Tensor weight, Tensor indices, Tensor? offsets, int mode, bool scale_grad_by_freq, Tensor? per_sample_weights, "
    "bool include_last_offset, int padding_idx"
)
embedding_bags = Operator(
    f"embedding_bags({_TABLE}) -> (Tensor, Tensor, Tensor)",
    bags.embedding_bags,
    namespace=INTERNAL,
    variants=FUNCTION,
    doc="What `embedding_bag` computes, how many indices of each bag count, and the rows that maxima are from. Modes "
    "are 0 (sum), 1 (mean) and 2 (max); an index of -1 is none.",
)
embedding_bags_backward = Operator(
    f"embedding_bags_backward(Tensor grad_output, Tensor maxima, {_TABLE}, bool[2] output_mask) -> (Tensor, Tensor)",
    bags.embedding_bags_backward,
    namespace=INTERNAL,
    variants=FUNCTION,
    doc="The gradients of `embedding_bags` with respect to table and weights, those that `output_mask` asks for.",
)


@composite(
    "embedding_bag(Tensor input, Tensor weight, Tensor? offsets=None, float? max_norm=None, "
    "float norm_type=2.0, bool scale_grad_by_freq=False, str mode='mean', bool sparse=False, "
    "Tensor? per_sample_weights=None, bool include_last_offset=False, int? padding_idx=None)",
    "The sum, mean or maximum of the rows of `weight` for each bag of indices: a bag is a row of a matrix, or a "
    "piece of a vector that begins at `offsets`. `padding_idx` does not count. Empty bags give zeros.",
)
def embedding_bag(
    input,
    weight,
    offsets,
    max_norm,
    norm_type,
    scale_grad_by_freq,
    mode,
    sparse,
    per_sample_weights,
    include_last_offset,
    padding_idx,
):
    if weight.dtype.name == "int64" and input.is_floating_point():
        warnings.warn(
            "Argument order of nn.functional.embedding_bag was changed. Usage `embedding_bag(weight, input, ...)` is "
            "deprecated, and should now be `embedding_bag(input, weight, ...)`.",
            stacklevel=2,
        )
        input, weight = weight, input
    _check(input, weight, offsets, mode, scale_grad_by_freq, sparse, per_sample_weights, padding_idx)
    if max_norm is not None:
        from flambeau_nn.functional import embedding

        embedding(input, weight, None, max_norm, norm_type)
    padding = -1 if padding_idx is None else padding_idx % weight.shape[0]
    run = partial(composed, sparse=sparse)
    if not sparse and weight.is_floating_point():
        run = embedding_bags
    out = run(
        weight,
        input,
        offsets,
        _MODES[mode],
        scale_grad_by_freq,
        per_sample_weights,
        include_last_offset,
        padding,
    )
    return out[0] if run is embedding_bags else out


_BAGS = "offsets!=None max_norm=None norm_type=2 scale_grad_by_freq=False mode='mean' sparse=False"
_WEIGHTS = "per_sample_weights!=None include_last_offset=False padding_idx=None"
apply("torch.nn.functional", {"embedding_bag": f"input! weight! * {_BAGS} {_WEIGHTS}"})
