"""Pipelines of items: a pipe is a dataset made of another one, by a class or a method."""

from flambeau_data.datapipes import iter, map

__all__ = ["iter", "map"]
