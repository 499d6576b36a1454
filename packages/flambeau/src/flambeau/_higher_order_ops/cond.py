"""``torch._higher_order_ops.cond``, the module."""

from flambeau.control_flow import cond as cond
