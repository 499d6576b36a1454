"""Pipelines of items: a pipe is a dataset derived from another one, by a class or a method."""

from flambeau_data.datapipes import iter as iter
from flambeau_data.datapipes import map as map

__all__: list[str] = []  # they are not builtins, which `import *` would hide
