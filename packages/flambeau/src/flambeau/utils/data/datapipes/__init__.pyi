"""Written by flambeau.stubs from the table of the layout; do not edit."""

from . import datapipe as datapipe
from . import iter as iter
from . import map as map
from . import utils as utils
from flambeau_data.datapipes import *
