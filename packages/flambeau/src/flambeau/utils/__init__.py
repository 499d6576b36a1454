"""``torch.utils``: what stands beside the packages. ``_layout`` has the aliases, such as ``cpp_extension``."""


def __getattr__(name):
    from importlib import import_module

    from flambeau._layout import TABLE

    if f"utils.{name}" in TABLE or name in ("_pytree", "benchmark", "hooks", "model_zoo", "tensorboard"):
        return import_module(f"flambeau.utils.{name}")
    raise AttributeError(f"module 'flambeau.utils' has no attribute '{name}'")
