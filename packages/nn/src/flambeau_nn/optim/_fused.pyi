from typing import Any

from flambeau_nn.optim.optimizer import Optimizer

class Rule:
    key: str
    counted: bool
    def __call__(self, optimizer: Optimizer) -> None: ...

def clear_grads(groups: list[dict[str, Any]]) -> None: ...
def __getattr__(name: str) -> Rule: ...
