"""Optimizers' loops in C; their text is that of eager's."""

from flambeau_compile.graph import Uncompilable, Update
from flambeau_compile.printing import Source


def function(source: Source, step: Update) -> str:
    """The name of the function that updates a parameter, whose text is put into the source."""
    raise Uncompilable("optimizers are not compiled yet")


def add_step(b, step, position):
    raise Uncompilable("optimizers are not compiled yet")
