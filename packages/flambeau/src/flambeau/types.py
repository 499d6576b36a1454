"""``torch.types``: names for annotations of programs."""

import os
from collections.abc import Sequence
from typing import IO, TypeAlias

import flambeau
from flambeau import Size, SymBool, SymFloat, SymInt, Tensor
from flambeau.autograd.graph import GradientEdge

_bool, _bytes, _complex, _float, _int, _str = bool, bytes, complex, float, int, str
_device, _dtype, _layout = flambeau.device, flambeau.dtype, flambeau.layout
_size: TypeAlias = Size | list[int] | tuple[int, ...]
_symsize: TypeAlias = Size | Sequence[int | SymInt]
_dispatchkey: TypeAlias = str
_Number = (int, float, bool)
_TensorOrTensors: TypeAlias = Tensor | Sequence[Tensor]
_TensorOrOptionalTensors: TypeAlias = Tensor | Sequence[Tensor | None]
_TensorOrTensorsOrGradEdge: TypeAlias = Tensor | Sequence[Tensor] | GradientEdge | Sequence[GradientEdge]

Number: TypeAlias = int | float | bool
Device: TypeAlias = flambeau.device | str | int | None
FileLike: TypeAlias = str | os.PathLike[str] | IO[bytes]
IntLikeType: TypeAlias = int | SymInt
FloatLikeType: TypeAlias = float | SymFloat
BoolLikeType: TypeAlias = bool | SymBool
PySymType: TypeAlias = SymInt | SymFloat | SymBool
py_sym_types = (SymInt, SymFloat, SymBool)
Storage: TypeAlias = flambeau.UntypedStorage | flambeau.TypedStorage
