"""Generates files from the declarations: the type stub of ``torch.nn.functional`` and the names of lazy families.

``python -m flambeau_nn.stubs [folder]`` writes them; a test compares the files with what this module writes.
"""

import sys
from pathlib import Path

from flambeau_nn import functional
from flambeau_nn.ops import LATE_OF_TORCH, LAZY, NAMESPACE
from flambeau_tensor import stubs
from flambeau_tensor.extend import Operator, OverloadSet, functions


def files() -> dict[str, str]:
    """The texts of the files that are written, by name."""
    names = stubs.lazy_names_text("flambeau_nn", LAZY)  # first: later lines load families
    listed, more = functions(NAMESPACE), []
    late = {name: getattr(functional, name) for name in LATE_OF_TORCH}
    for name, value in sorted({**vars(functional), **late}.items()):
        if name.startswith("_") or name in listed:
            continue
        if isinstance(value, Operator | OverloadSet):
            more.append(stubs.function_stub(value, name, module="_torch."))
        elif callable(value):
            more.append(f"def {name}(*args: Any, **kwargs: Any) -> _torch.Tensor: ...")
    return {"functional.pyi": stubs.namespace_text(NAMESPACE, "\n".join(more)), "ops/lazy_names.py": names}


def main(arguments: list[str]) -> int:
    """Write the stubs; returns the process's exit status."""
    for name, text in files().items():
        if arguments:
            (Path(arguments[0]) / name).write_text(text, encoding="utf-8")
        else:
            sys.stdout.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
