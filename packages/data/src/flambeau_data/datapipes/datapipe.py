"""The two bases of pipes: streams of items, and items by key."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, TypeVar

from flambeau_data.datapipes._hook_iterator import _SnapshotState, counted, single
from flambeau_data.dataset import Dataset, IterableDataset

__all__ = ["DataChunk", "IterDataPipe", "MapDataPipe"]

_T = TypeVar("_T")
_T_co = TypeVar("_T_co", covariant=True)


class DataChunk(list[_T]):
    """A batch of a pipe: a list with an attribute `items`, and iteration over nested batches.

    Raises:
        TypeError: the items cannot be iterated over.

    >>> DataChunk([1, 2]).as_str("  ")
    '  [1, 2]'
    """

    def __init__(self, items: Any) -> None:
        items = list(items)
        super().__init__(items)
        self.items = items

    def as_str(self, indent: str = "") -> str:
        """The items in brackets, after an indentation."""
        return indent + "[" + ", ".join(map(str, self)) + "]"

    def raw_iterator(self) -> Iterator[_T]:
        """Iterate over the items without unpacking nested batches."""
        yield from self.items


class _Functions:
    """Functions shared by both kinds of pipes: the methods that :func:`functional_datapipe` registers for a kind."""

    functions: dict[str, Callable[..., Any]]

    def __getattr__(self, name: str) -> Any:
        if name not in self.functions:
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
        return partial(self.functions[name], self)

    @classmethod
    def register_function(cls, function_name: str, function: Callable[..., Any]) -> None:
        """Make ``pipe.NAME(...)`` call `function(pipe, ...)`."""
        cls.functions[function_name] = function

    @classmethod
    def register_datapipe_as_function(
        cls, function_name: str, cls_to_register: Any, enable_df_api_tracing: bool = False
    ) -> None:
        """The same for a class of pipes, once a name.

        Raises:
            Exception: the name is taken.
        """
        if function_name in cls.functions:
            raise Exception(f"Unable to add DataPipe function name {function_name} as it is already taken")
        cls.functions[function_name] = cls_to_register

    def __repr__(self) -> str:
        return type(self).__qualname__

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.functions]


class IterDataPipe(_Functions, IterableDataset[_T_co]):
    """Base class of iterable pipes: a subclass defines ``__iter__``.

    Only one iterator over a pipe is valid: a second one invalidates the first, which then raises a RuntimeError.

    Raises:
        TypeError: a subclass has no ``__iter__``.
        AttributeError: the attribute or registered function does not exist.

    >>> from flambeau_data.datapipes.iter import IterableWrapper
    >>> pipe = IterableWrapper(range(10)).map(lambda x: x + 1).filter(lambda x: x % 2 == 0)
    >>> list(pipe.batch(2))
    [[2, 4], [6, 8], [10]]
    """

    functions: dict[str, Callable[..., Any]] = {}
    _valid_iterator_id = 0  # the number of the latest pass
    _number_of_samples_yielded = 0  # by that pass
    _snapshot_state = _SnapshotState.NotStarted
    _fast_forward_iterator: "Iterator[Any] | None" = None  # what the next pass of a restored pipe continues

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "__iter__" in cls.__dict__:
            cls.__iter__ = single(cls.__iter__)  # type: ignore[method-assign]
        if "__next__" in cls.__dict__:
            cls.__next__ = counted(cls.__next__)  # type: ignore[attr-defined]

    def __iter__(self) -> Iterator[_T_co]:
        return self

    def reset(self) -> None:
        """Called at the start of a pass; subclasses discard the state of the previous pass here."""


class MapDataPipe(_Functions, Dataset[_T_co]):
    """Base class of map-style pipes: a subclass defines ``__getitem__``, and ``__len__`` if it has a length.

    Raises:
        NotImplementedError: a subclass has no ``__getitem__``.
        AttributeError: the attribute or registered function does not exist.

    >>> from flambeau_data.datapipes.map import SequenceWrapper
    >>> list(SequenceWrapper(range(5)).map(lambda x: x + 1).batch(2))
    [[1, 2], [3, 4], [5]]
    """

    functions: dict[str, Callable[..., Any]] = {}


class _DataPipeSerializationWrapper:
    """Pickles a pipe by dill, if it is installed, when Python's pickle refuses one of its functions."""

    def __init__(self, datapipe: Any) -> None:
        self._datapipe = datapipe

    def __getstate__(self) -> tuple[bytes, bool]:
        import pickle

        try:
            return pickle.dumps(self._datapipe), False
        except (pickle.PicklingError, AttributeError, TypeError):
            try:
                import dill
            except ModuleNotFoundError:
                dill = None
            if dill is None:
                raise
            return dill.dumps(self._datapipe), True

    def __setstate__(self, state: tuple[bytes, bool]) -> None:
        import importlib

        pickled, by_dill = state
        self._datapipe = importlib.import_module("dill" if by_dill else "pickle").loads(pickled)

    def __len__(self) -> int:
        return len(self._datapipe)


class _IterDataPipeSerializationWrapper(_DataPipeSerializationWrapper, IterDataPipe):  # type: ignore[type-arg]
    def __iter__(self) -> Iterator[Any]:
        yield from self._datapipe


class _MapDataPipeSerializationWrapper(_DataPipeSerializationWrapper, MapDataPipe):  # type: ignore[type-arg]
    def __getitem__(self, index: Any) -> Any:
        return self._datapipe[index]
