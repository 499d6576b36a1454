"""Written by flambeau.stubs from the table of the layout; do not edit."""

from . import distributed as distributed
from . import scatter_gather as scatter_gather
from flambeau_nn.parallel import *
