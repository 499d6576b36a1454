"""Decorators for classes of pipes."""

from typing import Any, TypeVar

from flambeau_data.datapipes.datapipe import IterDataPipe, MapDataPipe

__all__ = ["functional_datapipe", "guaranteed_datapipes_determinism", "non_deterministic"]

_C = TypeVar("_C")
_guaranteed = False


class functional_datapipe:
    """Register a method for all pipes that creates the decorated class: ``pipe.NAME(...)`` is ``cls(pipe, ...)``.

    Args:
        name: the name of the method.
        enable_df_api_tracing: accepted and ignored, because there are no pipes of data frames.

    Raises:
        Exception: another class has the name.

    >>> from flambeau_data.datapipes.iter import IterableWrapper
    >>> @functional_datapipe("doubled")
    ... class Doubler(IterDataPipe):
    ...     def __init__(self, source):
    ...         self.source = source
    ...     def __iter__(self):
    ...         return (2 * x for x in self.source)
    >>> list(IterableWrapper([1, 2]).doubled())
    [2, 4]
    """

    def __init__(self, name: str, enable_df_api_tracing: bool = False) -> None:
        self.name = name

    def __call__(self, cls: _C) -> _C:
        made: Any = cls.cls if isinstance(cls, non_deterministic) else cls
        if issubclass(made, IterDataPipe):
            IterDataPipe.register_datapipe_as_function(self.name, cls)
        elif issubclass(made, MapDataPipe):
            MapDataPipe.register_datapipe_as_function(self.name, cls)
        return cls


class guaranteed_datapipes_determinism:
    """A context in which pipes that are declared :class:`non_deterministic` cannot be made.

    >>> with guaranteed_datapipes_determinism():
    ...     print(list(torch.utils.data.datapipes.iter.IterableWrapper("ab")))
    ['a', 'b']
    """

    def __init__(self) -> None:
        global _guaranteed
        self.before, _guaranteed = _guaranteed, True

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: Any) -> None:
        global _guaranteed
        _guaranteed = self.before


class non_deterministic:
    """Declare that a class of pipes yields its items in no particular order.

    The decorator may take a function of the class's arguments that returns whether this is the case.

    Raises:
        TypeError: it decorates something else; or, when a pipe is created, deterministic order is required.

    >>> @non_deterministic
    ... class Arrivals(IterDataPipe):
    ...     def __iter__(self):
    ...         return iter("ab")
    >>> list(Arrivals())
    ['a', 'b']
    """

    def __init__(self, arg: Any) -> None:
        self.cls: Any = None
        self.asked: Any = None
        if isinstance(arg, type):
            self._decorate(arg)
        elif callable(arg):
            self.asked = arg
        else:
            raise TypeError(f"{arg} can not be decorated by non_deterministic")

    def _decorate(self, cls: Any) -> None:
        if not (isinstance(cls, type) and issubclass(cls, IterDataPipe)):
            raise TypeError(f"Only `IterDataPipe` can be decorated with `non_deterministic`, but {cls} is found")
        self.cls = cls

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self.cls is None:
            self._decorate(*args)
            return self
        if _guaranteed and (self.asked is None or self.asked(*args, **kwargs)):
            raise TypeError(
                f"{self.cls.__name__} is non-deterministic, but you set 'guaranteed_datapipes_determinism'. "
                "You can turn off determinism for this DataPipe if that is acceptable for your application"
            )
        return self.cls(*args, **kwargs)
