"""Written by flambeau.stubs from the table of the layout; do not edit."""

from . import legacy as legacy
from flambeau.profiler import *
