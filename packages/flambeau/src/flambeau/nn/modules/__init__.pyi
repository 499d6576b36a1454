"""Written by flambeau.stubs from the table of the layout; do not edit."""

from . import activation as activation
from . import adaptive as adaptive
from . import attention as attention
from . import batchnorm as batchnorm
from . import channelshuffle as channelshuffle
from . import container as container
from . import conv as conv
from . import distance as distance
from . import dropout as dropout
from . import flatten as flatten
from . import fold as fold
from . import instancenorm as instancenorm
from . import lazy as lazy
from . import linear as linear
from . import linear_cross_entropy_options as linear_cross_entropy_options
from . import loss as loss
from . import module as module
from . import normalization as normalization
from . import padding as padding
from . import pixelshuffle as pixelshuffle
from . import pooling as pooling
from . import rnn as rnn
from . import sizes as sizes
from . import sparse as sparse
from . import transformer as transformer
from . import unpooling as unpooling
from . import upsampling as upsampling
from . import utils as utils
from flambeau_nn.modules import *
