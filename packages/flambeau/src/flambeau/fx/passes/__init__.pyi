"""Written by flambeau.stubs from the table of the layout; do not edit."""

from . import shape_prop as shape_prop
from flambeau_fx.passes import *
