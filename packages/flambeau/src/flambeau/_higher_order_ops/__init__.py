"""``torch._higher_order_ops``: operations that take functions; those that packages use."""

from flambeau._higher_order_ops.associative_scan import associative_scan as associative_scan
from flambeau._higher_order_ops.cond import cond as cond
from flambeau._higher_order_ops.scan import scan as scan
from flambeau._higher_order_ops.while_loop import while_loop as while_loop
