"""Written by flambeau.stubs from the table of the layout; do not edit."""

from . import optimization as optimization
from . import proxy_tensor as proxy_tensor
from . import symbolic_shapes as symbolic_shapes
from flambeau_fx.experimental import *
