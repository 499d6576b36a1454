"""Written from the operators' schemas by flambeau_tensor.stubs; do not edit."""

from typing import Any, NamedTuple

from flambeau_tensor import Tensor

def named_result(name: str, fields: tuple[str, ...]) -> type: ...

class aminmax(NamedTuple):
    min: Tensor
    max: Tensor

class cummax(NamedTuple):
    values: Tensor
    indices: Tensor

class cummin(NamedTuple):
    values: Tensor
    indices: Tensor

class kthvalue(NamedTuple):
    values: Tensor
    indices: Tensor

class max(NamedTuple):
    values: Tensor
    indices: Tensor

class median(NamedTuple):
    values: Tensor
    indices: Tensor

class min(NamedTuple):
    values: Tensor
    indices: Tensor

class mode(NamedTuple):
    values: Tensor
    indices: Tensor

class nanmedian(NamedTuple):
    values: Tensor
    indices: Tensor

class sort(NamedTuple):
    values: Tensor
    indices: Tensor

class topk(NamedTuple):
    values: Tensor
    indices: Tensor
