"""Written by flambeau.stubs from the table of the layout; do not edit."""

from . import coverage as coverage
from . import modes as modes
from . import registry as registry
from flambeau_overrides import *
