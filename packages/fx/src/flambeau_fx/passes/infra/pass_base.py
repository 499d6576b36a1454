"""The class of passes."""

from __future__ import annotations

import abc
from typing import NamedTuple

from flambeau_fx.graph_module import GraphModule

__all__ = ["PassBase", "PassResult"]


class PassResult(NamedTuple):
    """The result of a pass: the program, and whether it was changed.

    >>> PassResult._fields
    ('graph_module', 'modified')
    """

    graph_module: GraphModule
    modified: bool


class PassBase(abc.ABC):
    """A transformation of programs: `call` performs it; `requires` and `ensures` check the program before and after it.

    Raises:
        TypeError: it is abstract: a subclass must define ``call``.

    >>> class Nothing(PassBase):
    ...     def call(self, graph_module):
    ...         return PassResult(graph_module, False)
    >>> from flambeau_fx import symbolic_trace
    >>> Nothing()(symbolic_trace(lambda x: x)).modified
    False
    """

    def __call__(self, graph_module: GraphModule) -> PassResult | None:
        self.requires(graph_module)
        result = self.call(graph_module)
        self.ensures(graph_module)
        return result

    @abc.abstractmethod
    def call(self, graph_module: GraphModule) -> PassResult | None:
        """Change the program."""

    def requires(self, graph_module: GraphModule) -> None:  # noqa: B027  (may be left out)
        """Raise if the program cannot be changed."""

    def ensures(self, graph_module: GraphModule) -> None:  # noqa: B027
        """Check the postconditions of the pass."""
