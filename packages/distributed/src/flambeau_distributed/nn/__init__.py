"""``torch.distributed.nn``: differentiable collectives.

The backward of a collective is a collective, so every rank must run backward.
"""

from flambeau_distributed.nn.functional import *  # noqa: F403
from flambeau_distributed.reduce_op import ReduceOp as ReduceOp
from flambeau_distributed.unbuilt import class_not_built as _class

RemoteModule = _class("nn.RemoteModule", ": calls of other processes (RPC) are not built")
