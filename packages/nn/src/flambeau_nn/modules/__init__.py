"""The layers, one family a file; every class is exported here.

The files of ``LATE`` are imported when one of their classes is first named.
"""
# ruff: noqa: F403
from importlib import import_module as _import
from typing import Any as _Any

from flambeau_nn.modules.activation import *
from flambeau_nn.modules.batchnorm import *
from flambeau_nn.modules.container import *
from flambeau_nn.modules.conv import *
from flambeau_nn.modules.distance import *
from flambeau_nn.modules.dropout import *
from flambeau_nn.modules.flatten import *
from flambeau_nn.modules.linear import *
from flambeau_nn.modules.loss import *
from flambeau_nn.modules.module import *
from flambeau_nn.modules.normalization import *
from flambeau_nn.modules.padding import *
from flambeau_nn.modules.pooling import *
from flambeau_nn.modules.sparse import *

_RECURRENT = "GRU GRUCell LSTM LSTMCell RNN RNNBase RNNCell RNNCellBase"
_RESAMPLING = ("ChannelShuffle Fold PixelShuffle PixelUnshuffle Unfold Upsample UpsamplingBilinear2d "
               "UpsamplingNearest2d")
_TRANSFORMER = "Transformer TransformerDecoder TransformerDecoderLayer TransformerEncoder TransformerEncoderLayer"
LATE = {name: family if "." in family else f".{family}" for family, names in {
    "rnn": _RECURRENT, "attention": "MultiheadAttention", "transformer": _TRANSFORMER,
    "adaptive": "AdaptiveLogSoftmaxWithLoss", "flambeau_nn.parallel": "DataParallel", "resampling": _RESAMPLING,
    "unpooling": "FractionalMaxPool2d FractionalMaxPool3d MaxUnpool1d MaxUnpool2d MaxUnpool3d",
}.items() for name in names.split()}


def __getattr__(name: str) -> _Any:
    if name in LATE:
        globals()[name] = getattr(_import(LATE[name], __name__), name)
        return globals()[name]
    raise AttributeError(f"module 'torch.nn.modules' has no attribute '{name}'")
