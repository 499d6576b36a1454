from typing import Any, Literal

from flambeau_nn.optim._fused import Rule
from flambeau_nn.optim.optimizer import Optimizer
from flambeau_tensor import Tensor

_DType = Literal["float32", "float64"]
_States = tuple[Tensor | None, Tensor | None, Tensor | None]

class Step:
    rule: Rule
    optimizer: Optimizer
    parameters: list[tuple[Tensor, Tensor, _States, dict[str, Any] | None, Tensor | None, bool]]
    bounds: list[tuple[int, int]]
    variants: list[int]
    key: tuple[str, tuple[tuple[int, int, int], ...]]
    def __init__(self, rule: Rule, optimizer: Optimizer, updated: list[tuple[int, Tensor, Tensor]]) -> None: ...
    def valid(self) -> bool: ...
    def fill(self) -> tuple[tuple[float, ...], ...]: ...
    def undo(self) -> None: ...
    def run(self, i: int, grad: Tensor) -> None: ...
    def c_source(self, dtype: _DType, group: int = 0) -> tuple[str, str]: ...

def c_source(key: str, dtype: _DType, variant: int) -> tuple[str, str]: ...
