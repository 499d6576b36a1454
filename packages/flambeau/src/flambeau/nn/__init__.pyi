"""Written by flambeau.stubs from the table of the layout; do not edit."""

from . import attention as attention
from . import common_types as common_types
from . import func as func
from . import functional as functional
from . import grad as grad
from . import init as init
from . import modules as modules
from . import optim as optim
from . import parallel as parallel
from . import parameter as parameter
from . import utils as utils
from flambeau_nn import *
