"""Written by flambeau.stubs from the table of the layout; do not edit."""

from typing import Any

from . import anomaly_mode as anomaly_mode
from . import checkpoint as checkpoint
from . import forward_ad as forward_ad
from . import func as func
from . import function as function
from . import functional as functional
from . import grad_mode as grad_mode
from . import graph as graph
from . import hooks as hooks
from . import profiler as profiler
from . import selective_checkpoint as selective_checkpoint
from . import treespec as treespec
from . import variable as variable
from flambeau_autograd import *

def __getattr__(name: str) -> Any: ...
