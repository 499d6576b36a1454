"""``torch._jit_internal``: names of `torch.jit` that programs take from here."""

from typing import Any, Final  # noqa: F401

from flambeau.jit import Future, _overload, _overload_method, _same, export, ignore, is_scripting, unused  # noqa: F401
from flambeau.jit import isinstance as _isinstance  # noqa: F401

_copy_to_script_wrapper = _same
BroadcastingList1 = BroadcastingList2 = BroadcastingList3 = list


def boolean_dispatch(arg_name: str, arg_index: int, default: bool, if_true: Any, if_false: Any, *_: Any) -> Any:
    """Return a function that calls one of two functions, selected by a flag among its arguments."""

    def dispatch(*args: Any, **kwargs: Any) -> Any:
        flag = kwargs[arg_name] if arg_name in kwargs else args[arg_index] if arg_index < len(args) else default
        return (if_true if flag else if_false)(*args, **kwargs)

    return dispatch
