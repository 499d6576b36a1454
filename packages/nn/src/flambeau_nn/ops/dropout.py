"""Dropout: elements, or whole channels, set to zero at random while training, and the rest scaled up."""

import math

import flambeau_tensor as ft
from flambeau_autograd.extend import BatchLevel, levels
from flambeau_nn.ops.declaring import composite

_ARGUMENTS = "float p=0.5, bool training=True, bool inplace=False"
_AT_REST = "float p=0.5, bool training=False, bool inplace=False"


def _check(p):
    if not 0 <= p <= 1:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")


def _noise(input, p, channels):
    """Ones with probability 1 - p: one for each element, or for each channel of each sample."""
    if not channels:
        noise = ft.empty_like(input, requires_grad=False)
    elif input.ndim < 2:
        raise RuntimeError("Feature dropout requires at least 2 dimensions in the input")
    else:
        noise = input.new_empty(tuple(input.shape[:2]) + (1,) * (input.ndim - 2))
    if any(isinstance(level, BatchLevel) for level in levels()):
        # All examples of a batch may share `input`, and yet each have their own noise.
        return ft.bernoulli(ft.empty(noise.shape, dtype=noise.dtype, device=noise.device), 1 - p)
    return noise.bernoulli_(1 - p)


def _drop(input, p, training, inplace, channels=False):
    _check(p)
    if p == 0 or not training or input.numel() == 0:
        return input
    if p == 1:
        factor = input.new_zeros(())
    else:
        factor = _noise(input, p, channels).div_(1 - p)
    return input.mul_(factor) if inplace else input * factor


# The limit of selu for large negative inputs, by which alpha dropout replaces the dropped elements.
_ALPHA = 1.7580993408473766


def _alpha_drop(input, p, training, inplace, channels=False):
    _check(p)
    if p == 0 or not training or input.numel() == 0:
        return input
    if p == 1:
        return _drop(input, p, training, inplace)
    a = 1 / math.sqrt((_ALPHA * _ALPHA * p + 1) * (1 - p))
    kept = _noise(input, p, channels)
    shift = kept.add(-1).mul_(_ALPHA * a).add_(_ALPHA * a * p)
    kept.mul_(a)
    return input.mul_(kept).add_(shift) if inplace else input * kept + shift


@composite(
    f"dropout(Tensor self, {_ARGUMENTS})",
    "Sets each element to zero with probability `p` and divides it by 1 - p otherwise (Hinton et al., 2012).",
    aten="dropout(Tensor self, float p, bool training)",
)
def dropout(input, p, training, inplace):
    return _drop(input, p, training, inplace)


@composite(
    f"alpha_dropout(Tensor self, {_AT_REST})",
    "Dropout that preserves the mean and variance of the results of selu (Klambauer et al., 2017).",
)
def alpha_dropout(input, p, training, inplace):
    return _alpha_drop(input, p, training, inplace)


@composite(f"feature_alpha_dropout(Tensor self, {_AT_REST})", "alpha_dropout of whole channels.")
def feature_alpha_dropout(input, p, training, inplace):
    return _alpha_drop(input, p, training, inplace, channels=True)


def _channels(name, sizes, batched):
    @composite(
        f"{name}(Tensor self, {_ARGUMENTS})", f"Dropout of whole channels; `input` is {sizes} (Tompson et al., 2014)."
    )
    def drop(input, p, training, inplace):
        _check(p)
        if input.ndim not in (batched - 1, batched):
            if name == "dropout1d":
                raise RuntimeError(
                    f"dropout1d: Expected 2D or 3D input, but received a {input.ndim}D input. Note that "
                    "dropout1d exists to provide channel-wise dropout on inputs with 1 spatial "
                    "dimension, a channel dimension, and an optional batch dimension (i.e. 2D or 3D "
                    "inputs)."
                )
            import warnings

            warnings.warn(
                f"{name}: Received a {input.ndim}-D input to {name}, which is deprecated and will result in "
                "an error in a future release. To retain the behavior and silence this warning, please use "
                f"dropout instead. Note that {name} drops channels of inputs of {batched - 1} or {batched} "
                "dimensions, the batch dimension being optional.",
                stacklevel=3,
            )
        elif input.ndim == 3 == batched - 1:
            import warnings

            warnings.warn(
                "dropout2d: Received a 3D input to dropout2d and assuming that channel-wise 1D dropout behavior is "
                "desired: its dimensions are (N, C, L). A later release will take them for (C, H, W); please use "
                "dropout1d instead.",
                stacklevel=3,
            )
        if input.ndim != batched and batched != 4:
            if inplace:
                return _drop(input.unsqueeze_(0), p, training, True, channels=True).squeeze_(0)
            return _drop(input.unsqueeze(0), p, training, False, channels=True).squeeze(0)
        return _drop(input, p, training, inplace, channels=True)

    return drop


dropout1d = _channels("dropout1d", "(N, C, L) or (C, L)", 3)
dropout2d = _channels("dropout2d", "(N, C, H, W)", 4)
dropout3d = _channels("dropout3d", "(N, C, D, H, W) or (C, D, H, W)", 5)
