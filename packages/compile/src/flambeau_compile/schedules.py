"""Steps of learning rate schedules inside a function: each call runs them in Python, after its program.

A schedule computes with Python numbers and sets options that optimizers read at each call. The Tracer records the call
of ``step``; its changes of the schedule and of the optimizer's groups are no effects of the function.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from flambeau_compile import _dicts, _objects
from flambeau_compile.effects import Effect
from flambeau_compile.graph import Uncompilable
from flambeau_compile.reaching import Walk, read_at_each_call
from flambeau_compile.symbols import symbols_in
from flambeau_nn.optim.optimizer import FusedOptimizer
from flambeau_tensor import Tensor

# Names by which a program reads what a step sets.
_READ = frozenset(("lr", "param_groups", "get_last_lr", "get_lr", "state_dict"))


class Call(NamedTuple):
    """A step to repeat, with the interface of a `Place`: what is set there are the step's arguments."""

    function: Callable[..., None]
    schedule: Any
    args: tuple[Any, ...]
    kwargs: dict[str, Any]

    @classmethod
    def of(cls, record: tuple[Any, ...], number: Callable[[Any], Any]) -> Call:
        """The call in a record; `number` returns what stands for the number in a tensor.

        Raises:
            Uncompilable: the arguments contain a number that is followed.
        """
        _, function, schedule, args, kwargs = record
        if next(symbols_in((args, kwargs)), None) is not None:
            raise Uncompilable("a schedule receives a number that changes")
        given = [number(a) if isinstance(a, Tensor) else a for a in args]
        named = {name: number(a) if isinstance(a, Tensor) else a for name, a in kwargs.items()}
        return cls(function, schedule, tuple(given), named)

    def set(self, arguments: tuple[tuple[Any, ...], dict[str, Any]]) -> None:
        """Run the step."""
        args, kwargs = arguments
        self.function(self.schedule, *args, **kwargs)


def _with_parts(schedule: Any) -> Iterator[Any]:
    yield schedule
    for part in getattr(schedule, "_schedulers", ()):
        yield from _with_parts(part)


class Schedules:
    """The schedules that stepped during a run.

    Args:
        trace: the records of the run.
        own_names: the names that the program's own code uses.
    """

    def __init__(self, trace: Sequence[Any], own_names: set[str]) -> None:
        found = [each for record in trace if record[0] == "schedule" for each in _with_parts(record[2])]
        self.all = {id(schedule): schedule for schedule in found}
        self.own_names = own_names
        self.named: set[str] = set()  # options that steps set, and whose names the program uses
        self.others: set[str] = set()  # options that steps set, but that programs have as constants
        self.set: dict[int, set[Any]] = {}  # the attributes that steps set, by the schedule's id
        self._groups = {
            id(group)
            for schedule in found
            if isinstance(schedule.optimizer, FusedOptimizer)
            for group in schedule.optimizer.param_groups
        }

    def covers(self, record: Any, container: Any, containers: Any, excluded: dict[int, set[Any]]) -> bool:
        """Whether steps made the changes that a record shows; those of options are added to `excluded`."""
        if not self.all:
            return False
        if id(container) in self._groups:
            keys = {key for key, *_ in record.changes()}
            self.named |= keys & self.own_names
            self.others |= keys - read_at_each_call
            excluded.setdefault(id(container), set()).update(keys)
            return True
        schedule = None
        above = record
        while schedule is None and above is not None:
            schedule = self.all.get(id(containers.get(id(above), (None, None))[1]))
            above = above.parent
        if schedule is None:
            return False
        if container is vars(schedule):
            self.set.setdefault(id(schedule), set()).update(key for key, *_ in record.changes())
        return True

    def read(self) -> list[Effect]:
        """The effects that something but the optimizer reads what steps set."""
        names = _READ.union(*self.set.values()) & self.own_names if self.all else set()
        found = [
            Effect("other", "", f"it names {name}, which a schedule's step sets") for name in sorted(names | self.named)
        ]
        return [*found, *(Effect("other", "", f"a schedule's step sets {name}") for name in sorted(self.others))]

    def guard(self, walk: Walk) -> None:
        """Let a walk record only the parts of schedules that steps leave alone and the program uses."""
        for schedule in self.all.values():
            walk.seen[id(schedule)] = schedule
            walk.meet_class(type(schedule))
            path, names = type(schedule).__name__, frozenset(self.own_names | {"step"})
            skipped = frozenset(self.set.get(id(schedule), ()))
            record = walk.add(_objects.ObjectRecord(None, path, "name", schedule), schedule)
            state = vars(schedule)
            walk.add(_dicts.DictRecord(record, None, "fields", state, names, "", skipped), state, schedule)
            walk.reach(schedule.optimizer, record, "optimizer", "attribute")
