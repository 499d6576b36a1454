"""Written by flambeau.stubs from the table of the layout; do not edit."""

from . import custom as custom
from . import examples as examples
from . import jacobians as jacobians
from . import transforms as transforms
from . import vectorize as vectorize
from flambeau_autograd.func import *
