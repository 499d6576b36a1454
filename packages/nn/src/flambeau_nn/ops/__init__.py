"""Operations of ``torch.nn.functional``, one module a family: schemas bound to kernels. Importing a family declares
it.

A family of ``LAZY`` is imported, with its rules, when one of its names is first used; all that it declares stands
there.
"""
from importlib import import_module as _import

from flambeau_tensor.extend import declare_lazily as _declare_lazily

FAMILIES = ("activation", "softmax", "linear", "dropout", "pooling", "normalization", "padding", "distance", "loss",
            "convolution")
NAMESPACE = "torch.nn.functional"
INTERNAL = "torch._C._nn"  # what the functions are made of
# Functions of torch itself that are these, too.
OF_TORCH = ("conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d", "conv_tbc")
LATE_OF_TORCH = ("pixel_shuffle", "pixel_unshuffle", "channel_shuffle", "native_channel_shuffle")

for _family in FAMILIES:
    _import(f"flambeau_nn.ops.{_family}")

_CELLS = "lstm gru rnn_tanh rnn_relu"
LAZY = {
    "unpooling": [*(f"{NAMESPACE}.max_unpool{n}d" for n in (1, 2, 3)),
                  *(f"{NAMESPACE}.fractional_max_pool{n}d{end}" for n in (2, 3) for end in ("", "_with_indices"))],
    "resampling": [
        *(f"torch.{name}" for name in (*LATE_OF_TORCH, "affine_grid_generator", "grid_sampler", "grid_sampler_2d",
                                       "grid_sampler_3d")),
        *(f"{NAMESPACE}.{name}" for name in ("unfold", "fold", "interpolate", "upsample", "upsample_nearest",
                                             "upsample_bilinear", "affine_grid", "grid_sample")),
        *(f"{INTERNAL}.{name}" for name in ("resample", "resample_backward", "im2col", "col2im"))],
    "recurrent": [*(f"torch.{name}{end}" for name in _CELLS.split() for end in ("", "_cell")),
                  *(f"{INTERNAL}.{name}{end}" for name in ("lstm_layer", "rnn_layer") for end in ("", "_backward"))],
    "attention": [f"{NAMESPACE}.scaled_dot_product_attention", f"{INTERNAL}.attention",
                  f"{INTERNAL}.attention_backward"],
    "bags": [f"{NAMESPACE}.embedding_bag"],
    "ctc": [f"{NAMESPACE}.ctc_loss", f"{INTERNAL}.ctc_loss", f"{INTERNAL}.ctc_loss_backward"],
    "margins": [f"{NAMESPACE}.{name}" for name in
                ("multi_margin_loss", "multilabel_margin_loss", "multilabel_soft_margin_loss",
                 "triplet_margin_with_distance_loss", "linear_cross_entropy")],
}
for _family, _names in LAZY.items():
    _declare_lazily(f"flambeau_nn.ops.{_family}", _names)
