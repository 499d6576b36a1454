"""Written by flambeau.stubs from the table of the layout; do not edit."""

from . import windows as windows
from flambeau_tensor.signal import *
