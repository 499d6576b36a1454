from flambeau_nn import *

from . import functional as functional
from . import init as init
