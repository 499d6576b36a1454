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
