"""``torch.utils``: what stands beside the packages. ``_layout`` has the aliases, such as ``cpp_extension``."""

_HERE = ("_pytree", "benchmark", "hooks", "model_zoo", "tensorboard")


def __getattr__(name):
    from importlib import import_module

    from flambeau._layout import TABLE

    if name in _HERE or f"utils.{name}" in TABLE:
        return import_module(f"flambeau.utils.{name}")
    raise AttributeError(f"module 'flambeau.utils' has no attribute '{name}'")


def __dir__():
    from flambeau._layout import TABLE

    modules = (name.partition(".")[2] for name in TABLE if name.startswith("utils."))
    return sorted({*globals(), *_HERE, *(name for name in modules if "." not in name)})
