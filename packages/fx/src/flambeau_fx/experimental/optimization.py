"""Optimization for inference: fusion of batch norms into preceding convolutions, and removal of dropout."""

from __future__ import annotations

import copy
from typing import Any

import flambeau_nn
from flambeau_fx._symbolic_trace import Tracer, symbolic_trace
from flambeau_fx.graph_module import GraphModule
from flambeau_fx.node import Node
from flambeau_nn.utils.fusion import fuse_conv_bn_eval

__all__ = ["fuse", "matches_module_pattern", "remove_dropout", "replace_node_module"]

_PAIRS = (
    (flambeau_nn.Conv1d, flambeau_nn.BatchNorm1d),
    (flambeau_nn.Conv2d, flambeau_nn.BatchNorm2d),
    (flambeau_nn.Conv3d, flambeau_nn.BatchNorm3d),
)


def matches_module_pattern(pattern: Any, node: Node, modules: dict[str, Any]) -> bool:
    """Whether a node calls a module of the last type of the pattern, its input a module of the type before, and so on.

    Raises:
        AttributeError: the node is none.

    >>> net = flambeau_nn.Sequential(flambeau_nn.Linear(1, 1), flambeau_nn.ReLU())
    >>> node = symbolic_trace(net).graph.find_nodes(op="call_module", target="1")[0]
    >>> matches_module_pattern([flambeau_nn.Linear, flambeau_nn.ReLU], node, dict(net.named_modules()))
    True
    """
    if not node.args:
        return False
    for kind, one in zip(pattern, (node.args[0], node), strict=False):
        if not isinstance(one, Node) or one.op != "call_module" or one.target not in modules:
            return False
        if type(modules[str(one.target)]) is not kind:
            return False
    return True


def replace_node_module(node: Node, modules: dict[str, Any], new_module: flambeau_nn.Module) -> None:
    """Replace the module that a node calls.

    Raises:
        KeyError: the node does not call any of these modules.

    >>> net = flambeau_nn.Sequential(flambeau_nn.ReLU())
    >>> node = symbolic_trace(net).graph.find_nodes(op="call_module", target="0")[0]
    >>> replace_node_module(node, dict(net.named_modules()), flambeau_nn.Tanh())
    >>> net
    Sequential(
      (0): Tanh()
    )
    """
    parent, _, name = str(node.target).rpartition(".")
    modules[str(node.target)] = new_module
    setattr(modules[parent], name, new_module)


def fuse(model: flambeau_nn.Module, inplace: bool = False, no_trace: bool = False) -> GraphModule:
    """Trace a model and fuse its batch norms into the preceding convolutions.

    Args:
        model: in evaluation mode.
        inplace: whether `model` itself is changed.
        no_trace: whether `model` is traced already.

    Raises:
        AttributeError: the model is not a module, or cannot be traced.

    >>> import flambeau_tensor as torch
    >>> net = flambeau_nn.Sequential(flambeau_nn.Conv2d(1, 2, 1), flambeau_nn.BatchNorm2d(2)).eval()
    >>> x = torch.ones(1, 1, 2, 2)
    >>> fused = fuse(net)
    >>> torch.allclose(fused(x), net(x)), [type(m).__name__ for m in fused.children()]
    (True, ['Conv2d'])
    """
    if not inplace:
        model = copy.deepcopy(model)
    traced: Any = model if no_trace and isinstance(model, GraphModule) else symbolic_trace(model)
    modules = dict(traced.named_modules())
    for pattern in _PAIRS:
        for node in list(traced.graph.nodes):
            if not matches_module_pattern(pattern, node, modules):
                continue
            source = node.args[0]
            bn = modules[str(node.target)]
            if len(source.users) > 1 or not bn.track_running_stats:
                continue
            replace_node_module(source, modules, fuse_conv_bn_eval(modules[str(source.target)], bn))
            node.replace_all_uses_with(source)
            traced.graph.erase_node(node)
    traced.delete_all_unused_submodules()
    traced.recompile()
    return traced


def remove_dropout(model: flambeau_nn.Module) -> GraphModule:
    """Trace a model and remove its dropout layers.

    Raises:
        AttributeError: the model is not a module, or cannot be traced.

    >>> net = flambeau_nn.Sequential(flambeau_nn.Linear(1, 1), flambeau_nn.Dropout())
    >>> [str(node.target) for node in remove_dropout(net).graph.nodes]
    ['input', '0', 'output']
    """
    tracer = Tracer()
    traced = GraphModule(model, tracer.trace(model))
    modules = dict(traced.named_modules())
    for node in list(traced.graph.nodes):
        if node.op == "call_module" and isinstance(modules[str(node.target)], flambeau_nn.Dropout):
            node.replace_all_uses_with(node.args[0])
            traced.graph.erase_node(node)
    traced.delete_all_unused_submodules()
    traced.recompile()
    return traced
