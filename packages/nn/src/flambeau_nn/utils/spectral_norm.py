"""The older spectral normalization, which computes the weight before each call."""

from __future__ import annotations

from typing import Any

import flambeau_tensor as ft
from flambeau_autograd import no_grad
from flambeau_nn import functional as F
from flambeau_nn.modules.module import Module
from flambeau_nn.parameter import Parameter, is_lazy
from flambeau_nn.utils._older import remove_hook
from flambeau_tensor import Tensor

__all__ = ["SpectralNorm", "remove_spectral_norm", "spectral_norm"]


def as_matrix(weight: Tensor, dim: int) -> Tensor:
    """The dimension as rows, all others as columns."""
    return weight.movedim(dim, 0).flatten(1)


def usual_dim(module: Module) -> int:
    """Return the output dimension of a weight."""
    return 1 if "ConvTranspose" in "".join(cls.__name__ for cls in type(module).__mro__) else 0


class SpectralNorm:
    """The hook that computes a weight before each call."""

    _version = 1

    def __init__(self, name: str = "weight", n_power_iterations: int = 1, dim: int = 0, eps: float = 1e-12) -> None:
        if n_power_iterations <= 0:
            raise ValueError(
                f"Expected n_power_iterations to be positive, but got n_power_iterations={n_power_iterations}"
            )
        self.name = name
        self.dim = dim
        self.n_power_iterations = n_power_iterations
        self.eps = eps

    def reshape_weight_to_matrix(self, weight: Tensor) -> Tensor:
        """The weight as a matrix."""
        return as_matrix(weight, self.dim)

    def compute_weight(self, module: Module, do_power_iteration: bool) -> Tensor:
        """Return the normalized weight, after power iterations for its largest singular value if requested."""
        weight, u, v = (getattr(module, f"{self.name}_{end}") for end in ("orig", "u", "v"))
        matrix = as_matrix(weight, self.dim)
        if do_power_iteration:
            with no_grad():
                for _ in range(self.n_power_iterations):
                    v.copy_(F.normalize(ft.mv(matrix.t(), u), dim=0, eps=self.eps))
                    u.copy_(F.normalize(ft.mv(matrix, v), dim=0, eps=self.eps))
                u, v = u.clone(), v.clone()  # the next step writes to them
        return weight / ft.dot(u, ft.mv(matrix, v))

    @staticmethod
    def apply(module: Module, name: str, n_power_iterations: int, dim: int, eps: float) -> SpectralNorm:
        """Replace a weight, and have the hook called."""
        for hook in module._forward_pre_hooks.values():
            if isinstance(hook, SpectralNorm) and hook.name == name:
                raise RuntimeError(f"Cannot register two spectral_norm hooks on the same parameter {name}")
        hook = SpectralNorm(name, n_power_iterations, dim, eps)
        weight = module._parameters[name]
        if weight is None:
            raise ValueError(f"`SpectralNorm` cannot be applied as parameter `{name}` is None")
        if is_lazy(weight):
            raise ValueError(
                "The module passed to `SpectralNorm` can't have uninitialized parameters. Make sure to run the dummy "
                "forward before applying spectral normalization"
            )
        with no_grad():
            h, w = as_matrix(weight, dim).shape
            u = F.normalize(weight.new_empty((h,)).normal_(0, 1), dim=0, eps=eps)
            v = F.normalize(weight.new_empty((w,)).normal_(0, 1), dim=0, eps=eps)
        del module._parameters[name]
        module.register_parameter(f"{name}_orig", weight)
        setattr(module, name, weight.data)
        module.register_buffer(f"{name}_u", u)
        module.register_buffer(f"{name}_v", v)
        module.register_forward_pre_hook(hook)
        module._register_state_dict_hook(SpectralNormStateDictHook(hook))
        module._register_load_state_dict_pre_hook(SpectralNormLoadStateDictPreHook(hook))
        return hook

    def remove(self, module: Module) -> None:
        """Make the weight a parameter again."""
        with no_grad():
            weight = self.compute_weight(module, do_power_iteration=False)
        delattr(module, self.name)
        for end in ("u", "v", "orig"):
            delattr(module, f"{self.name}_{end}")
        module.register_parameter(self.name, Parameter(weight.detach()))

    def __call__(self, module: Module, inputs: Any) -> None:
        setattr(module, self.name, self.compute_weight(module, do_power_iteration=module.training))


class SpectralNormStateDictHook:
    """Notes in the metadata of a state dict in which form it holds the weight."""

    def __init__(self, fn: SpectralNorm) -> None:
        self.fn = fn

    def __call__(self, module: Module, state_dict: Any, prefix: str, local_metadata: dict[str, Any]) -> None:
        local_metadata.setdefault("spectral_norm", {})[f"{self.fn.name}.version"] = self.fn._version


class SpectralNormLoadStateDictPreHook:
    """Converts state dicts of the first form, which hold the normalized weight and lack a vector."""

    def __init__(self, fn: SpectralNorm) -> None:
        self.fn = fn

    def __call__(
        self, state_dict: Any, prefix: str, local_metadata: dict[str, Any], strict: bool, missing: Any, *rest: Any
    ) -> None:
        name = prefix + self.fn.name
        if local_metadata.get("spectral_norm", {}).get(f"{self.fn.name}.version", 0) or name not in state_dict:
            return
        absent = [key for key in (f"{name}_orig", f"{name}_u") if key not in state_dict]
        if absent:
            missing.extend(absent if strict else ())
            return
        with no_grad():
            weight, u = state_dict[f"{name}_orig"], state_dict[f"{name}_u"]
            sigma, matrix = (weight / state_dict.pop(name)).mean(), as_matrix(weight, self.fn.dim)
            v = ft.mv(ft.linalg.pinv(matrix), u)
            state_dict[f"{name}_v"] = v * (sigma / ft.dot(u, ft.mv(matrix, v)))


def spectral_norm(
    module: Module, name: str = "weight", n_power_iterations: int = 1, eps: float = 1e-12, dim: int | None = None
) -> Module:
    """Divide a weight by its largest singular value before each call; see
    ``torch.nn.utils.parametrizations.spectral_norm``, which is newer.

    Raises:
        KeyError: the module has no parameter of that name.

    >>> layer = spectral_norm(torch.nn.Linear(4, 3), n_power_iterations=50)
    >>> _ = layer(torch.ones(1, 4))
    >>> torch.linalg.matrix_norm(layer.weight, 2).round(decimals=3)
    tensor(1., grad_fn=<RoundBackward0>)
    """
    SpectralNorm.apply(module, name, n_power_iterations, usual_dim(module) if dim is None else dim, eps)
    return module


def remove_spectral_norm(module: Module, name: str = "weight") -> Module:
    """Undo :func:`spectral_norm`.

    Raises:
        ValueError: it was not applied to that weight.

    >>> layer = torch.nn.utils.spectral_norm(torch.nn.Linear(4, 3))
    >>> [name for name, _ in remove_spectral_norm(layer).named_parameters()]
    ['bias', 'weight']
    """
    remove_hook(module, SpectralNorm, name, "spectral_norm")
    for hooks in (module._state_dict_hooks, module._load_state_dict_pre_hooks):
        for key, hook in list(hooks.items()):
            kinds = SpectralNormStateDictHook | SpectralNormLoadStateDictPreHook
            if isinstance(hook, kinds) and hook.fn.name == name:
                del hooks[key]
    return module
