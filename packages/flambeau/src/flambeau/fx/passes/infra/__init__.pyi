"""Written by flambeau.stubs from the table of the layout; do not edit."""

from . import pass_base as pass_base
from . import pass_manager as pass_manager
from flambeau_fx.passes.infra import *
