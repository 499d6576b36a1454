"""Written by flambeau.stubs from the table of the layout; do not edit."""

from . import common as common
from flambeau_data.datapipes.utils import *
