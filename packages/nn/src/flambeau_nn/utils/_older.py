"""Helpers of the older functions that compute a weight before each call: hooks that store its name."""

from typing import Any

from flambeau_nn.modules.module import Module


def remove_hook(module: Module, kind: Any, name: str, what: str) -> Module:
    """Undo the effect of the hook of that kind on the weight `name`, and remove it; ValueError if there is none."""
    for key, hook in module._forward_pre_hooks.items():
        if isinstance(hook, kind) and hook.name == name:
            hook.remove(module)
            del module._forward_pre_hooks[key]
            return module
    raise ValueError(f"{what} of '{name}' not found in {module}")
