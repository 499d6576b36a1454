"""Written by flambeau.stubs from the table of the layout; do not edit."""

from . import dataloader as dataloader
from . import datapipes as datapipes
from . import dataset as dataset
from . import distributed as distributed
from . import graph as graph
from . import graph_settings as graph_settings
from . import sampler as sampler
from flambeau_data import *
