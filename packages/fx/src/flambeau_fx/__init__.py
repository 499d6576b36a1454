"""Programs as graphs: `symbolic_trace` runs a module with stand-ins for its inputs and returns a GraphModule, whose
graph can be inspected, changed and run.

>>> import flambeau_tensor as torch
>>> from flambeau_fx import symbolic_trace
>>> def program(x, y):
...     return torch.relu(x + y).sum()
>>> traced = symbolic_trace(program)
>>> print(traced.graph)
graph():
    %x : [num_users=1] = placeholder[target=x]
    %y : [num_users=1] = placeholder[target=y]
    %add : [num_users=1] = call_function[target=operator.add](args = (%x, %y), kwargs = {})
    %relu : [num_users=1] = call_function[target=torch.relu](args = (%add,), kwargs = {})
    %sum_1 : [num_users=1] = call_method[target=sum](args = (%relu,), kwargs = {})
    return sum_1
>>> for node in traced.graph.find_nodes(op="call_function", target=torch.relu):
...     node.target = torch.tanh
>>> _ = traced.recompile()
>>> traced(torch.tensor([0.0]), torch.tensor([0.0]))
tensor(0.)
"""

from flambeau_fx import immutable_collections, node, passes, proxy
from flambeau_fx._symbolic_trace import PH, ProxyableClassMeta, Tracer, symbolic_trace, wrap
from flambeau_fx.graph import CodeGen, Graph
from flambeau_fx.graph_module import GraphModule
from flambeau_fx.interpreter import Interpreter, Transformer
from flambeau_fx.node import Node, has_side_effect, map_arg
from flambeau_fx.proxy import Proxy
from flambeau_fx.subgraph_rewriter import replace_pattern

__version__ = "0.1.0"
__all__ = [
    "PH",
    "CodeGen",
    "Graph",
    "GraphModule",
    "Interpreter",
    "Node",
    "Proxy",
    "ProxyableClassMeta",
    "Tracer",
    "Transformer",
    "has_side_effect",
    "immutable_collections",
    "map_arg",
    "node",
    "passes",
    "proxy",
    "replace_pattern",
    "symbolic_trace",
    "wrap",
]
