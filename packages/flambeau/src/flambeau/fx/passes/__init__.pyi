"""Written by flambeau.stubs from the table of the layout; do not edit."""

from . import graph_drawer as graph_drawer
from . import infra as infra
from . import shape_prop as shape_prop
from . import split_module as split_module
from . import tools_common as tools_common
from flambeau_fx.passes import *
