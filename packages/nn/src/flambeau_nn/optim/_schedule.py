"""The base of all schedules: the epoch, the rates of groups, saving and loading."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from flambeau_nn.optim.optimizer import Optimizer
from flambeau_tensor import Tensor
from flambeau_tensor.extend import is_tracing, trace_event, untraced

EPOCH_DEPRECATION_WARNING = (
    "The epoch parameter in `scheduler.step()` was not necessary and is being deprecated where possible. Please use "
    "`scheduler.step()` to step the scheduler. During the deprecation, if epoch is different from None, the closed "
    "form is used instead of the new chainable form, where available."
)
_MORE = "See more details at https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate"


def _values(optimizer: Optimizer, key: str) -> list[Any]:
    """`key` of every group; tensors are copied, since they may be changed in place."""
    return [g[key].clone() if isinstance(g[key], Tensor) else g[key] for g in optimizer.param_groups]


def _set(group: dict[str, Any], key: str, value: Any) -> None:
    if isinstance(group[key], Tensor):
        group[key].fill_(float(value))
    else:
        group[key] = value


def _check_optimizer(optimizer: object) -> None:
    if not isinstance(optimizer, Optimizer):
        raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")


def _one_a_group(name: str, optimizer: Optimizer, value: Any) -> list[Any]:
    n = len(optimizer.param_groups)
    if not isinstance(value, (list, tuple)):
        return [_own(value) for _ in range(n)]
    if len(value) != n:
        raise ValueError(
            f"{name} must have the same length as optimizer.param_groups. {name} has {len(value)} values, "
            f"param_groups has {n}."
        )
    return [_own(v) for v in value]


def _own(value: Any) -> Any:
    """Return a number unchanged, or a copy of a tensor, so that later writes do not affect the schedule."""
    return value.clone() if isinstance(value, Tensor) else value


def replayed(step: Callable[..., None]) -> Callable[..., None]:
    """Decorate the step of a schedule: compiled functions record the call, and repeat it after each run."""

    @functools.wraps(step)
    def run(self: LRScheduler, *args: Any, **kwargs: Any) -> None:
        if not is_tracing() or any(isinstance(group["lr"], Tensor) for group in self.optimizer.param_groups):
            return step(self, *args, **kwargs)
        trace_event(("schedule", step, self, args, kwargs))
        with untraced():
            return step(self, *args, **kwargs)

    return run


# Names that schedules of other packages import.


def _warn_get_lr_called_within_step(lr_scheduler: LRScheduler, stacklevel: int = 2) -> None:
    """Warn if ``get_lr`` is called by a program instead of a step."""
    if not lr_scheduler._get_lr_called_within_step:
        warnings.warn(
            "To get the last learning rate computed by the scheduler, please use `get_last_lr()`.",
            UserWarning,
            stacklevel=stacklevel,
        )


@contextmanager
def _enable_get_lr_call(o: LRScheduler) -> Iterator[LRScheduler]:
    """A context in which ``get_lr`` is called by a step."""
    o._get_lr_called_within_step = True
    try:
        yield o
    finally:
        o._get_lr_called_within_step = False


@contextmanager
def _initial_mode(scheduler: LRScheduler) -> Iterator[None]:
    """A context in which a scheduler takes its first step."""
    scheduler._is_initial = True
    try:
        yield
    finally:
        scheduler._is_initial = False


class LRScheduler:
    """Base of schedules: a subclass defines ``get_lr``, which returns the groups' rates for ``self.last_epoch``.

    Args:
        optimizer: the optimizer whose learning rates are set.
        last_epoch: -1 to start; otherwise the epoch to continue from (the groups then need an "initial_lr").

    Raises:
        TypeError: `optimizer` is not an Optimizer.
        KeyError: `last_epoch` is given and a group has no "initial_lr".

    >>> class Harmonic(LRScheduler):
    ...     def get_lr(self):
    ...         return [rate / (self.last_epoch + 1) for rate in self.base_lrs]
    >>> optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=1.0)
    >>> schedule = Harmonic(optimizer)
    >>> optimizer.step()
    >>> schedule.step()
    >>> schedule.get_last_lr()
    [0.5]
    """

    _get_lr_called_within_step = False
    _last_lr: list[Any]
    _get_closed_form_lr: Callable[[], list[Any]]  # optional: the rates of an epoch in closed form
    _is_initial = False

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        _check_optimizer(optimizer)
        self.optimizer = optimizer
        for i, (group, lr) in enumerate(zip(optimizer.param_groups, _values(optimizer, "lr"), strict=True)):
            if last_epoch == -1:
                group.setdefault("initial_lr", lr)
            elif "initial_lr" not in group:
                raise KeyError(
                    f"param 'initial_lr' is not specified in param_groups[{i}] when resuming scheduler with "
                    "last_epoch >= 0: load the optimizer's state first, or start with last_epoch=-1"
                )
        self.base_lrs = _values(optimizer, "initial_lr")
        optimizer._step_at_schedule = optimizer.__dict__.get("step")  # type: ignore[attr-defined]
        self.last_epoch = last_epoch
        self._initial_step()

    def _initial_step(self) -> None:
        self._step_count = 0
        with _initial_mode(self):
            self.step()

    def state_dict(self) -> dict[str, Any]:
        """All attributes except the optimizer."""
        return {key: value for key, value in self.__dict__.items() if key != "optimizer"}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Load the state that ``state_dict`` returned."""
        self.__dict__.update(state_dict)

    def get_last_lr(self) -> list[Any]:
        """The rates that the last step set, one per group."""
        return self._last_lr

    def get_lr(self) -> list[Any]:
        """Return the rate of each group for ``self.last_epoch``; called by ``step``."""
        raise NotImplementedError

    @replayed
    def step(self, epoch: int | None = None) -> None:
        """Advance to the next epoch. Call it after ``optimizer.step()``."""
        told = getattr(type(self.optimizer).step, "hooked", False)
        known = self.optimizer.__dict__.get("_step_at_schedule")
        if self._step_count == 1 and self.optimizer.__dict__.get("step", known) is not known:
            warnings.warn(
                "Seems like `optimizer.step()` has been overridden after learning rate scheduler initialization. "
                f"Please, make sure to call `optimizer.step()` before `lr_scheduler.step()`. {_MORE}",
                UserWarning,
                stacklevel=3,
            )
        elif told and self._step_count == 1 and not getattr(self.optimizer, "_opt_called", False):
            warnings.warn(
                "Detected call of `lr_scheduler.step()` before `optimizer.step()`. In PyTorch 1.1.0 and "
                "later, you should call them in the opposite order: `optimizer.step()` before "
                "`lr_scheduler.step()`.  Failure to do this will result in PyTorch skipping the first value "
                f"of the learning rate schedule. {_MORE}",
                UserWarning,
                stacklevel=3,
            )
        self._step_count += 1
        if epoch is not None:
            warnings.warn(EPOCH_DEPRECATION_WARNING, UserWarning, stacklevel=3)
        self._update_lr(epoch)

    def _update_lr(self, epoch: int | None = None) -> None:
        if epoch is None:
            self.last_epoch += 1
        else:
            self.last_epoch = epoch
        closed = epoch is not None and hasattr(self, "_get_closed_form_lr")
        self._apply(self._get_closed_form_lr if closed else self.get_lr)

    def _apply(self, rates: Callable[[], list[Any]]) -> None:
        """Set the rates that the function `rates` returns."""
        with _enable_get_lr_call(self):
            values = rates()
        for group, lr in zip(self.optimizer.param_groups, values, strict=True):
            _set(group, "lr", lr)
        self._last_lr = _values(self.optimizer, "lr")

    def _scaled(self, factor: float | None = None) -> list[Any]:
        """Return the present rates, times `factor` if given, for get_lr."""
        _warn_get_lr_called_within_step(self, 4)
        if factor is None:
            return _values(self.optimizer, "lr")
        return [group["lr"] * factor for group in self.optimizer.param_groups]
