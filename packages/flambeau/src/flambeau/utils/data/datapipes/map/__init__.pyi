"""Written by flambeau.stubs from the table of the layout; do not edit."""

from . import pipes as pipes
from flambeau_data.datapipes.map import *
