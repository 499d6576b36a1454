"""``torch._higher_order_ops.while_loop``, the module."""

from flambeau.control_flow import while_loop as while_loop
