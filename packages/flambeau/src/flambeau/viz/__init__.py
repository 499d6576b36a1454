"""Seeing: the autograd graph as a picture, progress as a bar."""

from flambeau.viz._autograd_graph import Drawing, graph
from flambeau.viz._progress import progress

__all__ = ["Drawing", "graph", "progress"]
