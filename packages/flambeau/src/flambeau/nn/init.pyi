"""Written by flambeau.stubs from the table of the layout; do not edit."""

from flambeau_nn.init import *
from flambeau_nn.init import constant as constant
from flambeau_nn.init import dirac as dirac
from flambeau_nn.init import eye as eye
from flambeau_nn.init import kaiming_normal as kaiming_normal
from flambeau_nn.init import kaiming_uniform as kaiming_uniform
from flambeau_nn.init import normal as normal
from flambeau_nn.init import orthogonal as orthogonal
from flambeau_nn.init import sparse as sparse
from flambeau_nn.init import uniform as uniform
from flambeau_nn.init import xavier_normal as xavier_normal
from flambeau_nn.init import xavier_uniform as xavier_uniform
