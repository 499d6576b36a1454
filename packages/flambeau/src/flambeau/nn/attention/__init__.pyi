"""Written by flambeau.stubs from the table of the layout; do not edit."""

from . import bias as bias
from . import flex_attention as flex_attention
from flambeau_nn.attention import *
