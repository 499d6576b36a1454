"""Written by flambeau.stubs from the table of the layout; do not edit."""

from . import capture as capture
from . import codegen as codegen
from . import experimental as experimental
from . import graph as graph
from . import graph_module as graph_module
from . import immutable_collections as immutable_collections
from . import interpreter as interpreter
from . import node as node
from . import passes as passes
from . import proxy as proxy
from . import subgraph_rewriter as subgraph_rewriter
from flambeau_fx import *
