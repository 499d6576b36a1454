"""``torch.backends``: availability of libraries, and their switches. Switches of unavailable libraries are stored but
have no effect."""

from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

from flambeau_tensor.lazy_attributes import attach as _attach

MODULES = (
    "cpu",
    "cuda",
    "cudnn",
    "cusparselt",
    "mha",
    "miopen",
    "mkl",
    "mkldnn",
    "mps",
    "nnpack",
    "openmp",
    "opt_einsum",
    "quantized",
)
fp32_precision = "none"


@contextmanager
def switched(module: ModuleType, **values: Any) -> Iterator[None]:
    """A context manager that sets switches of a module; None leaves a switch unchanged."""
    values = {name: value for name, value in values.items() if value is not None}
    before = {name: getattr(module, name) for name in values}
    vars(module).update(values)
    try:
        yield
    finally:
        vars(module).update(before)


@contextmanager
def __allow_nonbracketed_mutation() -> Iterator[None]:  # noqa: N807
    """A context in which programs change frozen switches outside `flags()`; here they are never frozen."""
    yield


__getattr__, __dir__ = _attach(__name__, "torch.backends", modules=MODULES)
