"""Written by flambeau.stubs from the table of the layout; do not edit."""

from flambeau_cext.classes import *
