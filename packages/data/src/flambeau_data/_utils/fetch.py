"""Fetching a batch by its indices."""

from collections.abc import Callable
from typing import Any

from flambeau_data._utils.collate import collate_tensor_fn, default_collate, default_collate_fn_map
from flambeau_data.dataset import StackDataset, Subset, TensorDataset
from flambeau_tensor import Tensor, int64, tensor

Rows = Callable[[Any], Any]


def _rows(dataset: Any) -> "Rows | None":
    """Return a function from the tensor of a batch's indices to the result of ``default_collate`` on its items.

    Return None if the dataset does not consist of plain tensors only.
    """
    kind = type(dataset)  # not subclasses, which may define items otherwise
    if kind is TensorDataset:
        tensors = dataset.tensors
        if all(type(t) is Tensor and t.is_contiguous() for t in tensors):
            return lambda index: [t[index] for t in tensors]
    elif kind is Subset:
        inner = _rows(dataset.dataset)
        if inner is not None:
            return lambda index: inner(_index([dataset.indices[i] for i in index.tolist()]))
    elif kind is StackDataset:
        parts = dataset.datasets
        names = list(parts) if isinstance(parts, dict) else None
        columns = [_rows(d) for d in (parts.values() if names else parts)]
        if None not in columns:
            if names is None:
                return lambda index: [rows(index) for rows in columns]  # type: ignore[misc]
            return lambda index: {name: rows(index) for name, rows in zip(names, columns, strict=True)}  # type: ignore
    return None


def _index(indices: Any) -> Tensor:
    index = tensor(indices)
    if index.dtype != int64 or index.dim() != 1:
        raise TypeError("not a list of ints")
    return index


class _BaseDatasetFetcher:
    def __init__(self, dataset: Any, auto_collation: bool, collate_fn: Callable[[Any], Any], drop_last: bool) -> None:
        self.dataset = dataset
        self.auto_collation = auto_collation
        self.collate_fn = collate_fn
        self.drop_last = drop_last

    def fetch(self, possibly_batched_index: Any) -> Any:
        raise NotImplementedError


class _IterableDatasetFetcher(_BaseDatasetFetcher):
    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.dataset_iter = iter(self.dataset)
        self.ended = False

    def fetch(self, possibly_batched_index: Any) -> Any:
        if self.ended:
            raise StopIteration
        if not self.auto_collation:
            return self.collate_fn(next(self.dataset_iter))
        wanted = len(possibly_batched_index)
        data = []
        for item in self.dataset_iter:
            data.append(item)
            if len(data) == wanted:
                return self.collate_fn(data)
        self.ended = True
        if not data or self.drop_last:
            raise StopIteration
        return self.collate_fn(data)


class _MapDatasetFetcher(_BaseDatasetFetcher):
    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._items = getattr(self.dataset, "__getitems__", None) if self.auto_collation else None
        self._rows: Rows | None = None
        if self.auto_collation and self.collate_fn is default_collate:
            self._rows = _rows(self.dataset)

    def fetch(self, possibly_batched_index: Any) -> Any:
        """Return the batch for these indices; an error of an item gets a note with its index."""
        if (
            self._rows is not None
            and possibly_batched_index
            and (default_collate_fn_map.get(Tensor) is collate_tensor_fn)
        ):
            try:
                return self._rows(_index(possibly_batched_index))
            except Exception:  # fetching item by item succeeds, or raises a more precise error
                pass
        kind = type(self.dataset).__name__
        if not self.auto_collation or self._items:
            try:
                data = self._items(possibly_batched_index) if self._items else self.dataset[possibly_batched_index]
            except Exception as e:
                e.add_note(f"This was item {_few(possibly_batched_index)} of {kind}.")
                raise
        else:
            batch = list(possibly_batched_index)
            dataset, indices = self.dataset, iter(batch)
            try:
                data = [dataset[i] for i in indices]
            except Exception as e:
                index = batch[-1 - sum(1 for _ in indices)]
                e.add_note(f"This was item {index} of {kind}, in the batch of {_few(batch)}.")
                raise
        return self.collate_fn(data)


def _few(indices: Any) -> str:
    """The indices as a text of bearable length."""
    if isinstance(indices, list) and len(indices) > 10:
        return f"[{', '.join(map(str, indices[:10]))}, … {len(indices)} in all]"
    return str(indices)
