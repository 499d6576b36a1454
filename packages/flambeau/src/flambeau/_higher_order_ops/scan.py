"""``torch._higher_order_ops.scan``, the module."""

from flambeau.control_flow import scan as scan
