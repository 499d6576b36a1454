"""Pipes that apply a function to each item."""

from collections.abc import Callable, Iterator
from typing import Any

from flambeau_data._utils.collate import default_collate
from flambeau_data.datapipes._decorator import functional_datapipe
from flambeau_data.datapipes._shared import check_columns, check_function, length
from flambeau_data.datapipes.datapipe import IterDataPipe

__all__ = ["CollatorIterDataPipe", "MapperIterDataPipe"]


@functional_datapipe("map")
class MapperIterDataPipe(IterDataPipe[Any]):
    """Apply ``fn`` to each item or, with columns, to parts of items that are tuples, lists or dicts.

    Args:
        datapipe: the input pipe.
        fn: the function.
        input_col: the index or key of its argument, or a list of these for several; None: the whole item.
        output_col: where to put the result; -1 appends it. By default it replaces the (first) argument, and the columns
            of the other arguments are removed.

    Raises:
        ValueError: `output_col` is given without `input_col`, or has several entries, or `fn` does not take as many
            arguments as there are columns.

    >>> from flambeau_data.datapipes.iter import IterableWrapper
    >>> list(IterableWrapper([(0, 1), (2, 3)]).map(lambda x: -x, input_col=1))
    [(0, -1), (2, -3)]
    """

    def __init__(self, datapipe: Any, fn: Callable[..., Any], input_col: Any = None, output_col: Any = None) -> None:
        if input_col is None and output_col is not None:
            raise ValueError("`output_col` must be None when `input_col` is None.")
        if isinstance(output_col, (list, tuple)):
            if len(output_col) > 1:
                raise ValueError("`output_col` must be a single-element list or tuple")
            output_col = output_col[0]
        check_function(fn)
        check_columns(fn, input_col)
        self.datapipe = datapipe
        self.fn = fn
        self.input_col = input_col
        self.output_col = output_col

    def _mapped(self, item: Any) -> Any:
        if self.input_col is None:
            return self.fn(item)
        columns = list(self.input_col) if isinstance(self.input_col, (list, tuple)) else [self.input_col]
        result = self.fn(*[item[column] for column in columns])
        out = dict(item) if isinstance(item, dict) else list(item)
        if self.output_col is None:
            out[columns[0]] = result
            for column in sorted(columns[1:], reverse=True) if isinstance(out, list) else columns[1:]:
                del out[column]
        elif self.output_col == -1 and isinstance(out, list):
            out.append(result)
        else:
            out[self.output_col] = result
        return tuple(out) if isinstance(item, tuple) else out

    def __iter__(self) -> Iterator[Any]:
        for item in self.datapipe:
            yield self._mapped(item)

    def __len__(self) -> int:
        return length(self, self.datapipe)


@functional_datapipe("collate")
class CollatorIterDataPipe(MapperIterDataPipe):
    """A tensor, or a structure of tensors, of each batch.

    Args:
        datapipe: the pipe of batches.
        conversion: converts a list of items to a batch; default: :func:`default_collate`.
        collate_fn: the same as `conversion`.

    Raises:
        NotImplementedError: `conversion` is a dict, as for data frames.

    >>> from flambeau_data.datapipes.iter import IterableWrapper
    >>> list(IterableWrapper(range(4)).batch(2).collate())
    [tensor([0, 1]), tensor([2, 3])]
    """

    def __init__(
        self,
        datapipe: Any,
        conversion: "Callable[..., Any] | dict[Any, Any] | None" = default_collate,
        collate_fn: "Callable[..., Any] | None" = None,
    ) -> None:
        fn = collate_fn or conversion
        if not callable(fn):
            from flambeau_tensor.not_built import NotBuiltError

            raise NotBuiltError("collate() of columns", "give a function")
        super().__init__(datapipe, fn)
