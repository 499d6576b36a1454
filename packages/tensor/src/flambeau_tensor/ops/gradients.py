"""The gradient attributes of tensors while no autograd package is loaded: there are no gradients. Also `volatile`, and
attributes that only PyTorch's tensors have.

``flambeau_autograd`` replaces these with the real attributes when it is imported.
"""

import warnings

from flambeau_tensor._core.call.operator import Operator
from flambeau_tensor._core.schema.declaring import FUNCTION
from flambeau_tensor._core.schema.registry import define_property, set_attribute
from flambeau_tensor.not_built import OF_TENSORS, NotBuiltAttribute


def _needs_autograd(what):
    raise RuntimeError(f"{what} needs flambeau-autograd: pip install flambeau-autograd, and import flambeau_autograd")


class _Constant:
    """An attribute with a fixed value; other values need autograd."""

    def __init__(self, name, value):
        self.name, self.value = name, value

    def __get__(self, instance, owner):
        return self if instance is None else self.value

    def __set__(self, instance, value):
        if value is not self.value:
            _needs_autograd(f"Tensor.{self.name}")


for _name, _value in (("requires_grad", False), ("grad", None), ("grad_fn", None), ("is_leaf", True)):
    set_attribute(_name, _Constant(_name, _value))


def _requires_grad_(self, requires_grad=True):
    """Raise unless `requires_grad` is False: it needs flambeau-autograd."""
    if requires_grad:
        _needs_autograd("Tensor.requires_grad_()")
    return self


def _backward(self, *args, **kwargs):
    """Raise: it needs flambeau-autograd."""
    _needs_autograd("Tensor.backward()")


set_attribute("requires_grad_", _requires_grad_)
set_attribute("backward", _backward)


def _volatile(input):
    warnings.warn("volatile was removed (Variable.volatile is always False)", stacklevel=2)
    return False


def _set_volatile(input, value):
    warnings.warn("volatile was removed and now has no effect. Use `with torch.no_grad():` instead.", stacklevel=2)


_FACT = {"variants": FUNCTION, "differentiable": False, "plain_result": True, "lazy": True, "meta": True}
_DOC = "Always False; formerly it disabled recording."
define_property(
    "volatile",
    Operator("volatile(Tensor self) -> bool", _volatile, namespace="torch._get", doc=_DOC, **_FACT),
    Operator("volatile.set(Tensor self, Object value) -> ()", _set_volatile, namespace="torch._set", doc=_DOC, **_FACT),
)


for _names, _why in OF_TENSORS.items():
    for _name in _names.split():
        set_attribute(_name, NotBuiltAttribute(f"torch.Tensor.{_name}", _why))
