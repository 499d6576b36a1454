"""Written by flambeau.stubs from the table of the layout; do not edit."""

from . import experimental as experimental
from . import parallel as parallel
from . import placement_types as placement_types
from flambeau.distributed.tensor import *
