"""Write down what a TorchDispatchMode sees in PyTorch: ``python conformance/dispatch.py > …/pytorch_dispatch.txt``.

Each line of the record has a call and, after a tab, what the mode saw of it. Its calls are those of the record that
there is; `packages/flambeau/tests/test_torch_dispatch.py` reads it and makes them here.
"""

import sys
from importlib import import_module
from pathlib import Path

RECORD = Path(__file__).parent.parent / "packages/flambeau/tests/pytorch_dispatch.txt"


def shown(value, torch):
    """A value as text that is the same in every process."""
    if isinstance(value, torch.Tensor):
        return f"t{list(value.shape)}"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(shown(item, torch) for item in value)}]"
    return repr(value)


def seen(call, torch):
    """What a mode sees of a call."""
    TorchDispatchMode = import_module(f"{torch.__name__}.utils._python_dispatch").TorchDispatchMode
    lines = []

    class Record(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            given = [shown(a, torch) for a in args] + [f"{k}={shown(v, torch)}" for k, v in (kwargs or {}).items()]
            lines.append(f"{func}({', '.join(given)})")
            return func(*args, **(kwargs or {}))

    torch.manual_seed(0)
    names = {
        "torch": torch,
        "F": torch.nn.functional,
        "x": torch.rand(2, 3) + 0.5,
        "y": torch.rand(2, 3) + 0.5,
        "v": torch.rand(3),
        "w": torch.rand(4, 3, requires_grad=True),
        "b": torch.rand(4, requires_grad=True),
        "i": torch.tensor([0, 1]),
        "m": torch.rand(2, 3) > 0.5,
        "q": torch.rand(1, 2, 4, 4),
    }
    with Record():
        exec(call, names)
    return "; ".join(lines)


if __name__ == "__main__":
    import torch

    print(
        f"# What a TorchDispatchMode sees in PyTorch {torch.__version__.partition('+')[0]}; see "
        "test_torch_dispatch.py. Written by conformance/dispatch.py."
    )
    for line in (RECORD if len(sys.argv) < 2 else Path(sys.argv[1])).read_text().splitlines():
        if not line.startswith("#"):
            call = line.partition("\t")[0]
            print(f"{call}\t{seen(call, torch)}")
