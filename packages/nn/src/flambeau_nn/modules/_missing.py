"""Layers of ``torch.nn`` that are not built.

Their classes exist and take any arguments, so that programs which mention them can be read and the rest of their model
runs; calling one raises NotImplementedError. They have no parameters.
"""
from flambeau_nn.modules.module import Module

MISSING = (
    "AdaptiveLogSoftmaxWithLoss", "CTCLoss", "ChannelShuffle", "Conv1d", "Conv2d", "Conv3d", "ConvTranspose1d",
    "ConvTranspose2d", "ConvTranspose3d", "CrossMapLRN2d", "DataParallel", "EmbeddingBag", "Fold",
    "FractionalMaxPool2d", "FractionalMaxPool3d", "GRU", "GRUCell", "LSTM", "LSTMCell", "LazyBatchNorm1d",
    "LazyBatchNorm2d", "LazyBatchNorm3d", "LazyConv1d", "LazyConv2d", "LazyConv3d", "LazyConvTranspose1d",
    "LazyConvTranspose2d", "LazyConvTranspose3d", "LazyInstanceNorm1d", "LazyInstanceNorm2d", "LazyInstanceNorm3d",
    "LazyLinear", "LinearCrossEntropyLoss", "MultiLabelMarginLoss", "MultiLabelSoftMarginLoss", "MultiMarginLoss",
    "MultiheadAttention", "PixelShuffle", "PixelUnshuffle", "RNN", "RNNBase", "RNNCell", "RNNCellBase",
    "SyncBatchNorm", "Transformer", "TransformerDecoder", "TransformerDecoderLayer", "TransformerEncoder",
    "TransformerEncoderLayer", "TripletMarginWithDistanceLoss", "Unfold", "Upsample", "UpsamplingBilinear2d",
    "UpsamplingNearest2d",
)


def not_built(name: str) -> type:
    """A class of this name whose ``forward`` raises NotImplementedError."""
    def __init__(self, *args, **kwargs):
        Module.__init__(self)

    def forward(self, *args, **kwargs):
        raise NotImplementedError(f"torch.nn.{name} is not built")

    members = {"__init__": __init__, "forward": forward, "__not_built__": True, "__module__": __name__,
               "__doc__": "Not built: calling it raises NotImplementedError."}
    return type(name, (Module,), members)
