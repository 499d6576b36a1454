"""The layers, one family a file; every class is exported here.

The files of ``LATE`` are imported when one of their classes is first named.
"""

# ruff: noqa: F403
import typing as _typing
from importlib import import_module as _import

from flambeau_nn.modules.activation import *
from flambeau_nn.modules.batchnorm import *
from flambeau_nn.modules.container import *
from flambeau_nn.modules.conv import *
from flambeau_nn.modules.distance import *
from flambeau_nn.modules.dropout import *
from flambeau_nn.modules.flatten import *
from flambeau_nn.modules.instancenorm import *
from flambeau_nn.modules.linear import *
from flambeau_nn.modules.loss import *
from flambeau_nn.modules.module import *
from flambeau_nn.modules.normalization import *
from flambeau_nn.modules.padding import *
from flambeau_nn.modules.pooling import *
from flambeau_nn.modules.sparse import *
from flambeau_tensor.lazy_attributes import attach as _attach
from flambeau_tensor.pytorch_names import LOCAL_NAMES as _LOCAL_NAMES

if _typing.TYPE_CHECKING:  # `LATE`
    from flambeau_nn.modules.adaptive import *
    from flambeau_nn.modules.attention import *
    from flambeau_nn.modules.channelshuffle import *
    from flambeau_nn.modules.fold import *
    from flambeau_nn.modules.lazy import *
    from flambeau_nn.modules.linear_cross_entropy_options import *
    from flambeau_nn.modules.pixelshuffle import *
    from flambeau_nn.modules.rnn import *
    from flambeau_nn.modules.transformer import *
    from flambeau_nn.modules.unpooling import *
    from flambeau_nn.modules.upsampling import *

# File -> names; or, for classes that PyTorch has in other files, those files -> names.
_LATE: dict[str, str | dict[str, str]] = {
    "adaptive": "AdaptiveLogSoftmaxWithLoss",
    "channelshuffle": "ChannelShuffle",
    "fold": "Fold Unfold",
    "linear_cross_entropy_options": "LinearCrossEntropyOptions",
    "pixelshuffle": "PixelShuffle PixelUnshuffle",
    "rnn": "GRU GRUCell LSTM LSTMCell RNN RNNBase RNNCell RNNCellBase",
    "transformer": "Transformer TransformerDecoder TransformerDecoderLayer TransformerEncoder TransformerEncoderLayer",
    "upsampling": "Upsample UpsamplingBilinear2d UpsamplingNearest2d",
    "attention": {"activation": "MultiheadAttention", "linear": "NonDynamicallyQuantizableLinear"},
    "unpooling": {"pooling": "FractionalMaxPool2d FractionalMaxPool3d MaxUnpool1d MaxUnpool2d MaxUnpool3d"},
    "lazy": {
        "linear": "LazyLinear",
        "batchnorm": "LazyBatchNorm1d LazyBatchNorm2d LazyBatchNorm3d",
        "instancenorm": "LazyInstanceNorm1d LazyInstanceNorm2d LazyInstanceNorm3d",
        "conv": "LazyConv1d LazyConv2d LazyConv3d LazyConvTranspose1d LazyConvTranspose2d LazyConvTranspose3d",
    },
}
_FILES = {"utils": ".sizes", **{file: f".{file}" for file in _LATE}}
LATE = {"consume_prefix_in_state_dict_if_present": ".sizes"}


def _place() -> None:
    moved: dict[str, dict[str, str]] = {}
    for file, places in _LATE.items():
        for place, names in places.items() if isinstance(places, dict) else [(file, places)]:
            for name in names.split():
                LATE[name] = f".{file}"
                if place != file:
                    moved.setdefault(place, {})[name] = f"{__name__}.{file}"
                    _LOCAL_NAMES[f"torch.nn.modules.{place}.{name}"] = f"{__name__}.{file}.{name}"
    for place, named in moved.items():
        module = _import(f".{place}", __name__)
        module.__getattr__, module.__dir__ = _attach(module.__name__, f"torch.nn.modules.{place}", named)  # type: ignore[method-assign]
    del LATE["NonDynamicallyQuantizableLinear"]  # not among torch.nn


_place()


__getattr__, __dir__ = _attach(__name__, "torch.nn.modules", LATE, _FILES)
