"""The older weight normalization, which computes the weight before each call."""

from __future__ import annotations

import warnings
from typing import Any, cast

from flambeau_nn.modules.module import Module
from flambeau_nn.parameter import Parameter, is_lazy
from flambeau_nn.utils._older import remove_hook
from flambeau_tensor import Tensor
from flambeau_tensor.extend import find_operator

__all__ = ["WeightNorm", "remove_weight_norm", "weight_norm"]


def norm_except_dim(v: Tensor, dim: int) -> Tensor:
    """Return the norm of each slice along a dimension, in a shape that broadcasts; -1: of all elements."""
    return cast(Tensor, find_operator("torch.norm_except_dim")(v, 2, dim))


def normed(v: Tensor, g: Tensor, dim: int) -> Tensor:
    """The direction of `v` with the length `g`."""
    return cast(Tensor, find_operator("torch._weight_norm")(v, g, dim))


class WeightNorm:
    """The hook that computes a weight before each call."""

    def __init__(self, name: str, dim: int) -> None:
        self.name = name
        self.dim = -1 if dim is None else dim

    def compute_weight(self, module: Module) -> Tensor:
        """The weight."""
        return normed(getattr(module, f"{self.name}_v"), getattr(module, f"{self.name}_g"), self.dim)

    @staticmethod
    def apply(module: Module, name: str, dim: int) -> WeightNorm:
        """Split a weight, and have the hook called."""
        warnings.warn(
            "`torch.nn.utils.weight_norm` is deprecated in favor of `torch.nn.utils.parametrizations.weight_norm`.",
            FutureWarning,
            stacklevel=3,
        )
        for hook in module._forward_pre_hooks.values():
            if isinstance(hook, WeightNorm) and hook.name == name:
                raise RuntimeError(f"Cannot register two weight_norm hooks on the same parameter {name}")
        hook = WeightNorm(name, dim)
        weight = getattr(module, name)
        if is_lazy(weight):
            raise ValueError(
                "The module passed to `WeightNorm` can't have uninitialized parameters. Make sure to run the dummy "
                "forward before applying weight normalization"
            )
        del module._parameters[name]
        module.register_parameter(f"{name}_g", Parameter(norm_except_dim(weight, hook.dim).detach()))
        module.register_parameter(f"{name}_v", Parameter(weight.detach()))
        setattr(module, name, hook.compute_weight(module))
        module.register_forward_pre_hook(hook)
        return hook

    def remove(self, module: Module) -> None:
        """Make the weight a parameter again."""
        weight = self.compute_weight(module)
        delattr(module, self.name)
        del module._parameters[f"{self.name}_g"]
        del module._parameters[f"{self.name}_v"]
        setattr(module, self.name, Parameter(weight.detach()))

    def __call__(self, module: Module, inputs: Any) -> None:
        setattr(module, self.name, self.compute_weight(module))


def weight_norm(module: Module, name: str = "weight", dim: int = 0) -> Module:
    """Split a weight into its norms, `NAME_g`, and its direction, `NAME_v`; see
    ``torch.nn.utils.parametrizations.weight_norm``, which is newer.

    Raises:
        AttributeError: the module has no parameter of that name.

    >>> import warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     layer = weight_norm(torch.nn.Linear(2, 3))
    >>> {name: tuple(p.shape) for name, p in layer.named_parameters()}
    {'bias': (3,), 'weight_g': (3, 1), 'weight_v': (3, 2)}
    """
    WeightNorm.apply(module, name, dim)
    return module


def remove_weight_norm(module: Module, name: str = "weight") -> Module:
    """Undo :func:`weight_norm`.

    Raises:
        ValueError: it was not applied to that weight.

    >>> import warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     layer = torch.nn.utils.weight_norm(torch.nn.Linear(2, 3))
    >>> [name for name, _ in remove_weight_norm(layer).named_parameters()]
    ['bias', 'weight']
    """
    return remove_hook(module, WeightNorm, name, "weight_norm")
