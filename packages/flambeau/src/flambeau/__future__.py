"""``torch.__future__``: how ``Module.to`` and its like replace parameters.

>>> import flambeau.__future__ as future
>>> future.get_swap_module_params_on_conversion()
False
"""

from flambeau_nn.modules.conversions import (
    get_overwrite_module_params_on_conversion,
    get_swap_module_params_on_conversion,
    set_overwrite_module_params_on_conversion,
    set_swap_module_params_on_conversion,
)

__all__ = [
    "get_overwrite_module_params_on_conversion",
    "get_swap_module_params_on_conversion",
    "set_overwrite_module_params_on_conversion",
    "set_swap_module_params_on_conversion",
]
