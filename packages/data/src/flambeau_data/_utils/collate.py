"""Collation of items to a batch: tensors are stacked, numbers become tensors, containers are collated part by part."""

import copy
import re
from collections.abc import Callable, Mapping, MutableMapping, MutableSequence, Sequence
from typing import Any

import numpy as np

from flambeau_tensor import Tensor, as_tensor, float64, from_numpy, stack, tensor

__all__ = ["collate", "default_collate", "default_collate_fn_map", "default_convert"]

CollateMap = dict[type | tuple[type, ...], Callable[..., Any]]

default_collate_err_msg_format = (
    "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found {}"
)
np_str_obj_array_pattern = re.compile("[SaUO]")  # kinds of NumPy's dtypes that no tensor has


def _rebuilt(container: Any, part: Callable[[Any], Any]) -> Any:
    """A container like the given one, of ``part(key)`` for its keys or positions."""
    kind = type(container)
    if isinstance(container, Mapping):
        new: Any = {key: part(key) for key in container}
        try:
            if isinstance(container, MutableMapping):  # a copy keeps attributes that a subclass adds
                twin: Any = copy.copy(container)
                twin.update(new)
                return twin
            return kind(new)
        except TypeError:  # made with other arguments
            return new
    new = [part(i) for i in range(len(container))]
    if isinstance(container, tuple):
        return kind(*new) if hasattr(container, "_fields") else new
    try:
        if isinstance(container, MutableSequence):
            twin = copy.copy(container)
            for i, value in enumerate(new):
                twin[i] = value
            return twin
        return kind(new)
    except TypeError:
        return new


def default_convert(data: Any) -> Any:
    """Make tensors of the NumPy arrays and numbers in `data`, through containers. A tuple becomes a list.

    >>> import numpy as np
    >>> default_convert({"a": np.array([1, 2]), "b": "text"})
    {'a': tensor([1, 2]), 'b': 'text'}
    """
    if isinstance(data, Tensor) or isinstance(data, (str, bytes)):
        return data
    if type(data).__module__ == "numpy":
        return (
            data
            if isinstance(data, np.ndarray) and np_str_obj_array_pattern.match(data.dtype.kind)
            else as_tensor(data)
        )
    if isinstance(data, (Mapping, Sequence)):
        return _rebuilt(data, lambda key: default_convert(data[key]))
    return data


def collate(batch: Any, *, collate_fn_map: "CollateMap | None" = None) -> Any:
    """Combine several items into one, with functions for the types of their parts.

    Args:
        batch: items of the same structure.
        collate_fn_map: functions ``f(batch, collate_fn_map=…)`` by type or tuple of types. The type itself is looked up
            first, then base classes in the order of the dict; after that, mappings and sequences are collated part by
            part.

    Raises:
        TypeError: there is no function for a type.
        RuntimeError: sequences have different lengths, or tensors different shapes.
    """
    first = batch[0]
    if collate_fn_map is not None:
        function = collate_fn_map.get(type(first))
        if function is None:
            for kind, candidate in collate_fn_map.items():
                if isinstance(first, kind):
                    function = candidate
                    break
        if function is not None:
            return function(batch, collate_fn_map=collate_fn_map)
    if isinstance(first, Mapping):
        return _rebuilt(first, lambda key: collate([item[key] for item in batch], collate_fn_map=collate_fn_map))
    if isinstance(first, Sequence):
        named = isinstance(first, tuple) and hasattr(first, "_fields")
        try:
            columns = list(zip(*batch, strict=not named))
        except ValueError:
            raise RuntimeError("each element in list of batch should be of equal size") from None
        return _rebuilt(first, lambda i: collate(columns[i], collate_fn_map=collate_fn_map))
    raise TypeError(default_collate_err_msg_format.format(type(first)))


def collate_tensor_fn(batch: Any, *, collate_fn_map: "CollateMap | None" = None) -> Any:
    """Stack tensors along a new dimension 0."""
    return stack(batch, 0)


def collate_numpy_array_fn(batch: Any, *, collate_fn_map: "CollateMap | None" = None) -> Any:
    """Stack arrays as tensors."""
    if np_str_obj_array_pattern.match(batch[0].dtype.kind):
        raise TypeError(default_collate_err_msg_format.format(batch[0].dtype))
    if (
        collate_fn_map is not None
        and collate_fn_map.get(Tensor) is collate_tensor_fn
        and (len({array.dtype for array in batch}) == 1)
    ):
        try:
            array: Any = np.array(batch)
            return from_numpy(array)  # much cheaper than a tensor of each
        except (ValueError, TypeError):  # the shapes differ, or tensors have no such dtype
            pass
    return collate([as_tensor(array) for array in batch], collate_fn_map=collate_fn_map)


def collate_numpy_scalar_fn(batch: Any, *, collate_fn_map: "CollateMap | None" = None) -> Any:
    """A tensor of NumPy's numbers, in their dtype."""
    return as_tensor(batch)


def collate_float_fn(batch: Any, *, collate_fn_map: "CollateMap | None" = None) -> Any:
    """A float64 tensor of floats."""
    return tensor(batch, dtype=float64)


def collate_int_fn(batch: Any, *, collate_fn_map: "CollateMap | None" = None) -> Any:
    """An int64 tensor of ints."""
    return tensor(batch)


def collate_str_fn(batch: Any, *, collate_fn_map: "CollateMap | None" = None) -> Any:
    """Return strings unchanged."""
    return batch


default_collate_fn_map: CollateMap = {
    Tensor: collate_tensor_fn,
    np.ndarray: collate_numpy_array_fn,
    (np.bool_, np.number, np.object_): collate_numpy_scalar_fn,
    float: collate_float_fn,
    int: collate_int_fn,
    str: collate_str_fn,
    bytes: collate_str_fn,
}


def default_collate(batch: Any) -> Any:
    """Combine items into a batch; the default of :class:`DataLoader`.

    Tensors and arrays are stacked along a new dimension 0, numbers become a tensor, strings a sequence. Dicts, lists
    and tuples are collated part by part; a tuple becomes a list, unless it is a named tuple. Add entries to
    ``default_collate_fn_map`` for other types.

    Raises:
        TypeError: there is no rule for a type.
        RuntimeError: sequences have different lengths, or tensors different shapes.

    >>> default_collate([(0, {"a": 1.5}), (2, {"a": 2.5})])
    [tensor([0, 2]), {'a': tensor([1.5000, 2.5000], dtype=torch.float64)}]
    """
    return collate(batch, collate_fn_map=default_collate_fn_map)
