"""``torch._higher_order_ops.cond``, the module."""

from flambeau.control_flow import cond as cond

cond_op = cond  # PyTorch's name of what a handler of dispatched calls receives
