"""Written by flambeau.stubs from the table of the layout; do not edit."""

from flambeau_cext import *
from flambeau_cext import BuildExtension as BuildExtension
from flambeau_cext import CppExtension as CppExtension
