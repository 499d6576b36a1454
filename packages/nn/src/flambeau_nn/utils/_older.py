"""What the older ways of computing a weight before each call have in common: hooks that know its name."""

from typing import Any

from flambeau_nn.modules.module import Module


def remove_hook(module: Module, kind: Any, name: str, what: str) -> Module:
    """Undo what the hook of that kind did to the weight `name`, and take it away; ValueError where there is none."""
    for key, hook in module._forward_pre_hooks.items():
        if isinstance(hook, kind) and hook.name == name:
            hook.remove(module)
            del module._forward_pre_hooks[key]
            return module
    raise ValueError(f"{what} of '{name}' not found in {module}")
