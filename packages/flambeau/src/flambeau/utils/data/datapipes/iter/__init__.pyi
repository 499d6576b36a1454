"""Written by flambeau.stubs from the table of the layout; do not edit."""

from . import callable as callable
from . import combinatorics as combinatorics
from . import combining as combining
from . import files as files
from . import grouping as grouping
from . import selecting as selecting
from . import sharding as sharding
from . import splitting as splitting
from . import utils as utils
from flambeau_data.datapipes.iter import *
