"""``torch.nested``: batches of unequal sizes in one tensor are not built.

Names that programs import without using them exist, and raise an error that names the feature when they are called.

>>> import flambeau as torch
>>> torch.nested.nested_tensor([torch.ones(2), torch.ones(3)])
Traceback (most recent call last):
flambeau_tensor.not_built.NotBuiltError: torch.nested.nested_tensor is not built: pad the parts
"""

from flambeau_tensor.lazy_attributes import attach as _attach
from flambeau_tensor.not_built import function_not_built

for _name in (
    "as_nested_tensor",
    "masked_select",
    "narrow",
    "nested_tensor",
    "nested_tensor_from_jagged",
    "to_padded_tensor",
):
    globals()[_name] = function_not_built(f"torch.nested.{_name}", ": pad the parts")


__getattr__, __dir__ = _attach(__name__, "torch.nested", unlisted=True)
