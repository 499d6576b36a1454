"""The functions that packages built on flambeau_tensor use, in addition to the public ones.

Functions to declare and find operators and to fill sockets. Compiled code also has ``abi.pxd`` and ``compute.pxd``.
Everything else is private: folders that start with ``_`` change from release to release.

>>> from flambeau_tensor.extend import Operator, find_operator
>>> find_operator("torch.add")
<operator torch.add>
"""

from flambeau_tensor._core.call import dispatching
from flambeau_tensor._core.call.binding import rewrap
from flambeau_tensor._core.call.forwarding import Forward, overloads
from flambeau_tensor._core.call.meta import NoMetaKernel
from flambeau_tensor._core.call.operator import Operator
from flambeau_tensor._core.call.overloads import Method, OverloadSet
from flambeau_tensor._core.call.recursion import deeper
from flambeau_tensor._core.call.sockets import sockets
from flambeau_tensor._core.call.thread_state import set_grad_mode
from flambeau_tensor._core.call.tracing import Tracer, Window, is_tracing, trace_event, untraced, window
from flambeau_tensor._core.elementwise.cpu_levels import LEVEL, built_levels, hot
from flambeau_tensor._core.elementwise.engine import Elementwise, plan
from flambeau_tensor._core.elementwise.operands import wrapped_dim
from flambeau_tensor._core.memory.storage import memory_stats, over_descriptor, shared_descriptor
from flambeau_tensor._core.memory.subclass import name_type
from flambeau_tensor._core.memory.tensor import check_read, declare_plain_subclass, hides_values, is_layered
from flambeau_tensor._core.schema.custom import FunctionKernel, OperatorHandle, quick_calls, run_kernel, share_memory
from flambeau_tensor._core.schema.declaring import (
    BOOLS,
    COMPLEX,
    EVERY,
    FLOATS,
    FUNCTION,
    HALF_COMPLEX,
    INPLACE,
    INPLACE_FUNCTION,
    INTS,
    METHOD,
    REAL_PART,
    REALS,
    SAME,
    UNSIGNED,
    USUAL,
    WIDE,
    Dtypes,
    Variants,
)
from flambeau_tensor._core.schema.namespace import find_quickly
from flambeau_tensor._core.schema.registry import (
    Property,
    declare_lazily,
    declared_operators,
    define_property,
    find_operator,
    first_use,
    forget,
    functions,
    import_declarations,
    late_families,
    lazy_names,
    operators,
    set_attribute,
    syntax_operators,
)
from flambeau_tensor._core.schema.schema import parse
from flambeau_tensor._core.schema.transaction import Declaring
from flambeau_tensor._kernels.factories import is_meta
from flambeau_tensor._kernels.reductions import LOOPS as reduction_loops

__all__ = [
    "BOOLS",
    "COMPLEX",
    "Declaring",
    "Dtypes",
    "EVERY",
    "FLOATS",
    "FUNCTION",
    "HALF_COMPLEX",
    "INPLACE",
    "INPLACE_FUNCTION",
    "INTS",
    "METHOD",
    "REALS",
    "REAL_PART",
    "SAME",
    "UNSIGNED",
    "USUAL",
    "Variants",
    "WIDE",
    "Elementwise",
    "Forward",
    "FunctionKernel",
    "LEVEL",
    "Method",
    "Operator",
    "NoMetaKernel",
    "OperatorHandle",
    "OverloadSet",
    "Property",
    "Tracer",
    "Window",
    "built_levels",
    "check_read",
    "declare_lazily",
    "declare_plain_subclass",
    "declared_operators",
    "deeper",
    "dispatching",
    "find_operator",
    "find_quickly",
    "first_use",
    "forget",
    "functions",
    "hides_values",
    "hot",
    "import_declarations",
    "is_layered",
    "is_meta",
    "is_tracing",
    "late_families",
    "lazy_names",
    "memory_stats",
    "name_type",
    "operators",
    "over_descriptor",
    "overloads",
    "parse",
    "plan",
    "define_property",
    "quick_calls",
    "reduction_loops",
    "rewrap",
    "run_kernel",
    "set_attribute",
    "set_grad_mode",
    "share_memory",
    "shared_descriptor",
    "sockets",
    "syntax_operators",
    "trace_event",
    "untraced",
    "window",
    "wrapped_dim",
]
