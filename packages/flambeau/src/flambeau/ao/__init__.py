"""``torch.ao``: of it, the names that mark where a network would be quantized."""

from typing import Any


def __getattr__(name: str) -> Any:
    from flambeau_tensor.not_built import left_out

    if name == "quantization":
        from importlib import import_module

        return import_module("flambeau.ao.quantization")
    raise left_out("torch.ao", name)


def __dir__() -> list[str]:
    return sorted({*globals(), "quantization"})
