"""Written by flambeau.stubs from the table of the layout; do not edit."""

from . import clip_grad as clip_grad
from . import convert_parameters as convert_parameters
from . import fusion as fusion
from . import init as init
from . import memory_format as memory_format
from . import parametrizations as parametrizations
from . import parametrize as parametrize
from . import prune as prune
from . import rnn as rnn
from . import stateless as stateless
from flambeau_nn.utils import *
from flambeau_nn.utils import convert_conv2d_weight_memory_format as convert_conv2d_weight_memory_format
from flambeau_nn.utils import convert_conv3d_weight_memory_format as convert_conv3d_weight_memory_format
from flambeau_nn.utils import fuse_conv_bn_eval as fuse_conv_bn_eval
from flambeau_nn.utils import fuse_conv_bn_weights as fuse_conv_bn_weights
from flambeau_nn.utils import fuse_linear_bn_eval as fuse_linear_bn_eval
from flambeau_nn.utils import fuse_linear_bn_weights as fuse_linear_bn_weights
