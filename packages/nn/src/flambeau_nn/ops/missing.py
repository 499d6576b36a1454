"""What ``torch.nn.functional`` has beside the operations of this package: functions that say they are not built."""

MISSING = (
    "affine_grid", "channel_shuffle", "conv1d", "conv2d", "conv3d", "conv_tbc", "conv_transpose1d", "conv_transpose2d",
    "conv_transpose3d", "ctc_loss", "embedding_bag", "fold", "fractional_max_pool2d",
    "fractional_max_pool2d_with_indices", "fractional_max_pool3d", "fractional_max_pool3d_with_indices", "grid_sample",
    "grouped_mm", "interpolate", "linear_cross_entropy", "multi_head_attention_forward", "multi_margin_loss",
    "multilabel_margin_loss", "multilabel_soft_margin_loss", "native_channel_shuffle", "pdist", "pixel_shuffle",
    "pixel_unshuffle", "scaled_dot_product_attention", "scaled_grouped_mm", "scaled_mm",
    "triplet_margin_with_distance_loss", "unfold", "upsample", "upsample_bilinear", "upsample_nearest",
)


def not_built(name: str):
    """A function of this name that raises NotImplementedError."""
    def function(*args, **kwargs):
        raise NotImplementedError(f"torch.nn.functional.{name} is not built")
    function.__name__ = function.__qualname__ = name
    function.__doc__ = "Not built: raises NotImplementedError."
    function.__not_built__ = True  # for the list in the documentation
    return function
