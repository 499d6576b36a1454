"""``torch.ao``: of it, the names that mark where a network would be quantized."""


def __getattr__(name):
    from flambeau_tensor.not_built import not_built

    if name == "quantization":
        from importlib import import_module

        return import_module("flambeau.ao.quantization")
    if name.startswith("__"):
        raise AttributeError(f"module 'torch.ao' has no attribute {name!r}")
    raise not_built(f"torch.ao.{name}")
