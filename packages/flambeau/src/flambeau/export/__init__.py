"""``torch.export``: a model as a graph of operators, with its tensors, that runs and is stored without its Python."""

import os
from collections.abc import Mapping
from typing import Any

from flambeau.export.exported_program import ExportedProgram as ExportedProgram
from flambeau.export.graph_signature import ExportGraphSignature as ExportGraphSignature
from flambeau.export.graph_signature import InputKind as InputKind
from flambeau.export.graph_signature import InputSpec as InputSpec
from flambeau.export.graph_signature import OutputKind as OutputKind
from flambeau.export.graph_signature import OutputSpec as OutputSpec
from flambeau.export.graph_signature import TensorArgument as TensorArgument
from flambeau_tensor.lazy_attributes import attach as _attach
from flambeau_tensor.not_built import function_not_built

for _name in ("register_dataclass", "unflatten"):
    globals()[_name] = function_not_built(f"torch.export.{_name}")


def export(
    mod: Any,
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any] | None = None,
    *,
    dynamic_shapes: Any = None,
    strict: bool = False,
    **options: Any,
) -> ExportedProgram:
    """Run a module once and return the recorded operators as a graph.

    Python branches and loops, and numbers read from tensors, are those of that run. For dynamic sizes, the module runs
    again with larger sizes; the graph computes the numbers that change with them.

    Args:
        mod: a module.
        args: its arguments, a tuple; tensors in nested containers become inputs, all else is constant.
        kwargs: its keyword arguments.
        dynamic_shapes: for each argument, by its name or in order, the dimensions that vary: ``{"x": {0: Dim("n")}}``.
        strict, options: accepted; there is one way to export here.

    Returns:
        An `ExportedProgram`; its ``module()`` runs it, `save` stores it.

    Raises:
        RuntimeError: the module runs other operators for other sizes.
        ValueError: `mod` is not a module.

    >>> import flambeau as torch
    >>> program = torch.export.export(torch.nn.Linear(2, 3), (torch.ones(1, 2),), dynamic_shapes=({0: Dim("n")},))
    >>> program.module()(torch.ones(4, 2)).shape
    torch.Size([4, 3])
    """
    from flambeau.export import tracing

    return tracing.export(mod, args, kwargs, dynamic_shapes)


export_for_training = export


def save(ep: ExportedProgram, f: Any, **options: Any) -> None:
    """Save an exported program to a file, or to an object with ``write``.

    >>> import io
    >>> import flambeau as torch
    >>> file = io.BytesIO()
    >>> save(export(torch.nn.Linear(2, 3), (torch.ones(1, 2),)), file)
    >>> _ = file.seek(0)
    >>> load(file).module()(torch.ones(1, 2)).shape
    torch.Size([1, 3])
    """
    import flambeau as torch

    if not isinstance(ep, ExportedProgram):
        raise TypeError(
            f"The 'ep' parameter must be an instance of 'ExportedProgram', got '{type(ep).__name__}' instead."
        )
    torch.save(ep, f)


def load(f: Any, **options: Any) -> ExportedProgram:
    """Load a program that `save` wrote. This runs code from the file: load only trusted files, as with pickle.

    >>> load("missing.pt2")
    Traceback (most recent call last):
    FileNotFoundError: [Errno 2] No such file or directory: 'missing.pt2'
    """
    import flambeau as torch

    program = torch.load(os.fspath(f) if isinstance(f, os.PathLike) else f, weights_only=False)
    if not isinstance(program, ExportedProgram):
        raise RuntimeError(f"the file holds a {type(program).__name__}, not an exported program")
    return program


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


__getattr__, __dir__ = _attach(__name__, "torch.export", modules=("exported_program", "graph_signature"), unlisted=True)
