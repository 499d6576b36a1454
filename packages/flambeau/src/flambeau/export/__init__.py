"""``torch.export``: programs are not exported. The names are here for programs that define what they would export."""

from typing import Any, NoReturn

from flambeau_tensor.not_built import function_not_built, not_built

for _name in ("export", "export_for_training", "load", "save", "register_dataclass", "unflatten"):
    globals()[_name] = function_not_built(f"torch.export.{_name}")


class ExportedProgram:
    """What PyTorch exports. Nothing is an instance."""

    def __init__(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise not_built("torch.export.ExportedProgram")


class Dim:
    """The name of a size that may vary: ``Dim("batch", min=1)``.

    >>> Dim("batch").__name__
    'batch'
    """

    AUTO, DYNAMIC, STATIC = object(), object(), object()

    def __init__(self, name: str, *, min: int | None = None, max: int | None = None) -> None:  # noqa: A002
        self.__name__, self.min, self.max = name, min, max


def dims(*names: str, min: int | None = None, max: int | None = None) -> tuple[Dim, ...]:  # noqa: A002
    """Several."""
    return tuple(Dim(name, min=min, max=max) for name in names)
