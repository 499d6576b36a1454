"""Schedules: learning rates (and momenta) of an optimizer's parameter groups as functions of the epoch.

A schedule writes ``group["lr"]`` at every ``step()``. Most compute it from the value that is there (``get_lr``), so
that several can act on one optimizer; those with ``_get_closed_form_lr`` can also jump to an epoch.
"""
import math
import types
import warnings
from bisect import bisect_right
from collections import Counter

from flambeau_nn.optim.optimizer import Optimizer
from flambeau_tensor import Tensor

__all__ = [
    "ChainedScheduler", "ConstantLR", "CosineAnnealingLR", "CosineAnnealingWarmRestarts", "ExponentialLR",
    "LRScheduler", "LambdaLR", "LinearLR", "MultiStepLR", "MultiplicativeLR", "OneCycleLR", "PolynomialLR",
    "ReduceLROnPlateau", "SequentialLR", "StepLR",
]

_EPOCH_IS_DEPRECATED = (
    "The epoch parameter in `scheduler.step()` was not necessary and is being deprecated where possible. Please use "
    "`scheduler.step()` to step the scheduler. During the deprecation, if epoch is different from None, the closed "
    "form is used instead of the new chainable form, where available.")


def _values(optimizer, key):
    """`key` of every group; tensors are copied, since they may be changed in place."""
    return [g[key].clone() if isinstance(g[key], Tensor) else g[key] for g in optimizer.param_groups]


def _set(group, key, value):
    if isinstance(group[key], Tensor):
        group[key].fill_(float(value))
    else:
        group[key] = value


def _check_optimizer(optimizer):
    if not isinstance(optimizer, Optimizer):
        raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")


def _one_a_group(name, optimizer, value):
    n = len(optimizer.param_groups)
    if not isinstance(value, (list, tuple)):
        return [value] * n
    if len(value) != n:
        raise ValueError(f"{name} must have the same length as optimizer.param_groups. {name} has {len(value)} values, "
                         f"param_groups has {n}.")
    return list(value)


class LRScheduler:
    """Base of schedules: a subclass defines ``get_lr``, which returns the groups' rates for ``self.last_epoch``.

    Args:
        optimizer: whose rates are set.
        last_epoch: -1 to start; otherwise the epoch to go on from (the groups then have an "initial_lr").

    Raises:
        TypeError: `optimizer` is not an Optimizer.
        KeyError: `last_epoch` is given and a group has no "initial_lr".
    """

    _get_lr_called_within_step = False
    _is_initial = False

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        _check_optimizer(optimizer)
        self.optimizer = optimizer
        for i, (group, lr) in enumerate(zip(optimizer.param_groups, _values(optimizer, "lr"), strict=True)):
            if last_epoch == -1:
                group.setdefault("initial_lr", lr)
            elif "initial_lr" not in group:
                raise KeyError(f"param 'initial_lr' is not specified in param_groups[{i}] when resuming scheduler with "
                               "last_epoch >= 0: load the optimizer's state first, or start with last_epoch=-1")
        self.base_lrs = _values(optimizer, "initial_lr")
        self.last_epoch = last_epoch
        self._initial_step()

    def _initial_step(self):
        self._step_count = 0
        self._is_initial = True
        try:
            self.step()
        finally:
            self._is_initial = False

    def state_dict(self) -> dict:
        """All attributes but the optimizer."""
        return {key: value for key, value in self.__dict__.items() if key != "optimizer"}

    def load_state_dict(self, state_dict: dict) -> None:
        """Take over what ``state_dict`` returned."""
        self.__dict__.update(state_dict)

    def get_last_lr(self) -> list:
        """The rates that the last step set, one a group."""
        return self._last_lr

    def get_lr(self) -> list:
        """The rates for ``self.last_epoch``, one a group; for ``step`` to call."""
        raise NotImplementedError

    def step(self, epoch: "int | None" = None) -> None:
        """Go on to the next epoch; after ``optimizer.step()``."""
        if self._step_count == 1 and not getattr(self.optimizer, "_opt_called", False):
            warnings.warn("Detected call of `lr_scheduler.step()` before `optimizer.step()`. In PyTorch 1.1.0 and "
                          "later, you should call them in the opposite order: `optimizer.step()` before "
                          "`lr_scheduler.step()`.  Failure to do this will result in PyTorch skipping the first value "
                          "of the learning rate schedule.", UserWarning, stacklevel=2)
        self._step_count += 1
        if epoch is not None:
            warnings.warn(_EPOCH_IS_DEPRECATED, UserWarning, stacklevel=2)
        self._update_lr(epoch)

    def _update_lr(self, epoch=None):
        if epoch is None:
            self.last_epoch += 1
        else:
            self.last_epoch = epoch
        closed = epoch is not None and hasattr(self, "_get_closed_form_lr")
        self._apply(self._get_closed_form_lr if closed else self.get_lr)

    def _apply(self, rates):
        """Set what the function `rates` returns."""
        self._get_lr_called_within_step = True
        try:
            values = rates()
        finally:
            self._get_lr_called_within_step = False
        for group, lr in zip(self.optimizer.param_groups, values, strict=True):
            _set(group, "lr", lr)
        self._last_lr = _values(self.optimizer, "lr")

    def _scaled(self, factor=None):
        """For get_lr: the present rates times `factor`; None: as they are."""
        if not self._get_lr_called_within_step:
            warnings.warn("To get the last learning rate computed by the scheduler, please use `get_last_lr()`.",
                          UserWarning, stacklevel=3)
        if factor is None:
            return _values(self.optimizer, "lr")
        return [group["lr"] * factor for group in self.optimizer.param_groups]


class _LRScheduler(LRScheduler):
    """The former name of LRScheduler."""


# --- given by functions ---------------------------------------------------------------------------------------------

class _ByFunctions(LRScheduler):
    """Functions of the epoch, one a group; objects with a state have it saved."""

    def __init__(self, optimizer, lr_lambda, last_epoch=-1) -> None:
        n = len(optimizer.param_groups)
        if isinstance(lr_lambda, (list, tuple)) and len(lr_lambda) != n:
            raise ValueError(f"Expected {n} lr_lambdas, but got {len(lr_lambda)}")
        self.lr_lambdas = list(lr_lambda) if isinstance(lr_lambda, (list, tuple)) else [lr_lambda] * n
        for function in self.lr_lambdas:
            if not callable(function):
                raise TypeError(f"lr_lambda should be a function, but got {type(function).__name__}")
        super().__init__(optimizer, last_epoch)

    def state_dict(self):
        state = super().state_dict()
        state["lr_lambdas"] = [None if isinstance(f, types.FunctionType) else f.__dict__.copy()
                               for f in self.lr_lambdas]
        return state

    def load_state_dict(self, state_dict):
        self.__dict__.update({k: v for k, v in state_dict.items() if k != "lr_lambdas"})
        for function, state in zip(self.lr_lambdas, state_dict["lr_lambdas"], strict=True):
            if state is not None:
                function.__dict__.update(state)


class LambdaLR(_ByFunctions):
    """The initial rate times ``lr_lambda(epoch)``; one function, or one a group."""

    def get_lr(self):
        self._scaled()
        return [base * f(self.last_epoch) for f, base in zip(self.lr_lambdas, self.base_lrs, strict=True)]


class MultiplicativeLR(_ByFunctions):
    """Each epoch the rate is multiplied by ``lr_lambda(epoch)``; one function, or one a group."""

    def get_lr(self):
        rates = self._scaled()
        if self._is_initial:
            return rates
        return [lr * f(self.last_epoch) for f, lr in zip(self.lr_lambdas, rates, strict=True)]


# --- given by formulas ----------------------------------------------------------------------------------------------

class StepLR(LRScheduler):
    """Every ``step_size`` epochs the rate is multiplied by ``gamma``."""

    def __init__(self, optimizer: Optimizer, step_size: int, gamma: float = 0.1, last_epoch: int = -1) -> None:
        self.step_size = step_size
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        return self._scaled(self.gamma if self.last_epoch and self.last_epoch % self.step_size == 0 else None)

    def _get_closed_form_lr(self):
        return [base * self.gamma ** (self.last_epoch // self.step_size) for base in self.base_lrs]


class MultiStepLR(LRScheduler):
    """At each epoch in ``milestones`` the rate is multiplied by ``gamma``."""

    def __init__(self, optimizer: Optimizer, milestones, gamma: float = 0.1, last_epoch: int = -1) -> None:
        self.milestones = Counter(milestones)
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        times = self.milestones[self.last_epoch] if self.last_epoch in self.milestones else 0
        return self._scaled(self.gamma ** times if times else None)

    def _get_closed_form_lr(self):
        passed = bisect_right(sorted(self.milestones.elements()), self.last_epoch)
        return [base * self.gamma ** passed for base in self.base_lrs]


class ConstantLR(LRScheduler):
    """The rate times ``factor`` for ``total_iters`` epochs, then the rate itself."""

    def __init__(self, optimizer: Optimizer, factor: float = 1.0 / 3, total_iters: int = 5,
                 last_epoch: int = -1) -> None:
        if factor > 1.0 or factor < 0:
            raise ValueError("Constant multiplicative factor expected to be between 0 and 1.")
        self.factor = factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        if self.last_epoch == 0:
            return self._scaled(self.factor)
        return self._scaled(1.0 / self.factor if self.last_epoch == self.total_iters else None)

    def _get_closed_form_lr(self):
        factor = 1.0 if self.last_epoch >= self.total_iters else self.factor
        return [base * factor for base in self.base_lrs]


class LinearLR(LRScheduler):
    """A factor that goes from ``start_factor`` to ``end_factor`` over ``total_iters`` epochs."""

    def __init__(self, optimizer: Optimizer, start_factor: float = 1.0 / 3, end_factor: float = 1.0,
                 total_iters: int = 5, last_epoch: int = -1) -> None:
        if start_factor > 1.0 or start_factor <= 0:
            raise ValueError("Starting multiplicative factor expected to be greater than 0 and less or equal to 1.")
        if end_factor > 1.0 or end_factor < 0:
            raise ValueError("Ending multiplicative factor expected to be between 0 and 1.")
        self.start_factor = start_factor
        self.end_factor = end_factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        if self.last_epoch == 0:
            return self._scaled(self.start_factor)
        if self._is_initial or self.last_epoch > self.total_iters:
            return self._scaled()
        slope = self.end_factor - self.start_factor
        return self._scaled(1.0 + slope / (self.total_iters * self.start_factor + (self.last_epoch - 1) * slope))

    def _get_closed_form_lr(self):
        done = min(self.total_iters, self.last_epoch) / self.total_iters
        return [base * (self.start_factor + (self.end_factor - self.start_factor) * done) for base in self.base_lrs]


class ExponentialLR(LRScheduler):
    """Every epoch the rate is multiplied by ``gamma``."""

    def __init__(self, optimizer: Optimizer, gamma: float, last_epoch: int = -1) -> None:
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        return self._scaled(None if self._is_initial else self.gamma)

    def _get_closed_form_lr(self):
        return [base * self.gamma ** self.last_epoch for base in self.base_lrs]


class PolynomialLR(LRScheduler):
    """The initial rate times (1 - epoch / total_iters)^power, down to 0 at ``total_iters``."""

    def __init__(self, optimizer: Optimizer, total_iters: int = 5, power: float = 1.0, last_epoch: int = -1) -> None:
        self.total_iters = total_iters
        self.power = power
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        if self._is_initial or self.last_epoch > self.total_iters:
            return self._scaled()
        left = (1.0 - self.last_epoch / self.total_iters) / (1.0 - (self.last_epoch - 1) / self.total_iters)
        return self._scaled(left ** self.power)

    def _get_closed_form_lr(self):
        left = 1.0 - min(self.total_iters, self.last_epoch) / self.total_iters
        return [base * left ** self.power for base in self.base_lrs]


class CosineAnnealingLR(LRScheduler):
    """Half a cosine from the initial rate down to ``eta_min`` in ``T_max`` epochs, and up again.

    Source: I. Loshchilov and F. Hutter, SGDR: stochastic gradient descent with warm restarts, ICLR 2017 (without the
    restarts).
    """

    def __init__(self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0, last_epoch: int = -1) -> None:
        self.T_max = T_max
        self.eta_min = eta_min
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        rates = self._scaled()
        if self._is_initial:
            return rates
        if self._step_count == 1 and self.last_epoch > 0:
            return self._get_closed_form_lr()
        low = self.eta_min
        if (self.last_epoch - 1 - self.T_max) % (2 * self.T_max) == 0:  # from the minimum no factor leads away
            rise = (1 - math.cos(math.pi / self.T_max)) / 2
            return [lr + (base - low) * rise for base, lr in zip(self.base_lrs, rates, strict=True)]
        factor = ((1 + math.cos(math.pi * self.last_epoch / self.T_max))
                  / (1 + math.cos(math.pi * (self.last_epoch - 1) / self.T_max)))
        return [factor * (lr - low) + low for lr in rates]

    def _get_closed_form_lr(self):
        height = (1 + math.cos(math.pi * self.last_epoch / self.T_max)) / 2
        return [self.eta_min + (base - self.eta_min) * height for base in self.base_lrs]


class CosineAnnealingWarmRestarts(LRScheduler):
    """Half a cosine from the initial rate down to ``eta_min`` in ``T_0`` epochs, again and again; each time takes
    ``T_mult`` times as long as the one before. ``step`` also takes fractions of epochs.

    Source: I. Loshchilov and F. Hutter, SGDR: stochastic gradient descent with warm restarts, ICLR 2017.
    """

    def __init__(self, optimizer: Optimizer, T_0: int, T_mult: int = 1, eta_min: float = 0.0,
                 last_epoch: int = -1) -> None:
        if not isinstance(T_0, int) or T_0 <= 0:
            raise ValueError(f"Expected positive integer T_0, but got {T_0}")
        if not isinstance(T_mult, int) or T_mult < 1:
            raise ValueError(f"Expected integer T_mult >= 1, but got {T_mult}")
        if not isinstance(eta_min, (float, int)):
            raise ValueError(f"Expected float or int eta_min, but got {eta_min} of type {type(eta_min)}")
        self.T_0 = self.T_i = T_0
        self.T_mult = T_mult
        self.eta_min = eta_min
        self.T_cur = last_epoch
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        self._scaled()
        height = (1 + math.cos(math.pi * self.T_cur / self.T_i)) / 2
        return [self.eta_min + (base - self.eta_min) * height for base in self.base_lrs]

    def step(self, epoch=None):
        """Go on to the next epoch, or to any ``epoch``, whole or not."""
        if epoch is None and self.last_epoch < 0:
            epoch = 0
        if epoch is None:
            epoch = self.last_epoch + 1
            self.T_cur += 1
            if self.T_cur >= self.T_i:
                self.T_cur %= self.T_i
                self.T_i *= self.T_mult
        elif epoch < 0:
            raise ValueError(f"Expected non-negative epoch, but got {epoch}")
        elif epoch < self.T_0:
            self.T_cur, self.T_i = epoch, self.T_0
        elif self.T_mult == 1:
            self.T_cur = epoch % self.T_0
        else:  # the n-th restart is at T_0 (T_mult^n - 1) / (T_mult - 1)
            n = int(math.log(epoch / self.T_0 * (self.T_mult - 1) + 1, self.T_mult))
            self.T_cur = epoch - self.T_0 * (self.T_mult ** n - 1) / (self.T_mult - 1)
            self.T_i = self.T_0 * self.T_mult ** n
        self.last_epoch = math.floor(epoch)
        self._apply(self.get_lr)


def _cosine(start, end, part):
    return end + (start - end) / 2.0 * (math.cos(math.pi * part) + 1)


def _linear(start, end, part):
    return (end - start) * part + start


class OneCycleLR(LRScheduler):
    """Up from ``max_lr / div_factor`` to ``max_lr``, then down far below where it began; momentum the other way round.

    ``step`` is called after every batch.

    Args:
        optimizer: whose rates are set.
        max_lr: the highest rate, one or one a group.
        total_steps: the length of the cycle, or else ``epochs`` times ``steps_per_epoch``.
        pct_start: the part of the cycle that goes up.
        anneal_strategy: "cos" or "linear".
        cycle_momentum: whether ``momentum`` (or the first of ``betas``) goes between ``max_momentum`` and
            ``base_momentum``.
        div_factor: the initial rate is ``max_lr / div_factor``.
        final_div_factor: the last rate is the initial one divided by it.
        three_phase: go down as long as up, and to the last rate in what remains.

    Raises:
        ValueError: an option is out of its range; ``step`` was called more often than ``total_steps``.

    Source: L. N. Smith and N. Topin, Super-convergence: very fast training of neural networks using large learning
    rates, 2017.
    """

    def __init__(self, optimizer: Optimizer, max_lr, total_steps: "int | None" = None, epochs: "int | None" = None,
                 steps_per_epoch: "int | None" = None, pct_start: float = 0.3, anneal_strategy: str = "cos",
                 cycle_momentum: bool = True, base_momentum=0.85, max_momentum=0.95, div_factor: float = 25.0,
                 final_div_factor: float = 1e4, three_phase: bool = False, last_epoch: int = -1) -> None:
        _check_optimizer(optimizer)
        self.optimizer = optimizer
        if total_steps is None and (epochs is None or steps_per_epoch is None):
            raise ValueError("You must define either total_steps OR (epochs AND steps_per_epoch)")
        given = {"total_steps": total_steps} if total_steps is not None else {
            "epochs": epochs, "steps_per_epoch": steps_per_epoch}
        for name, value in given.items():
            if not isinstance(value, int) or value <= 0:
                raise ValueError(f"Expected positive integer {name}, but got {value}")
        if not isinstance(pct_start, float) or not 0 <= pct_start <= 1:
            raise ValueError(f"Expected float between 0 and 1 pct_start, but got {pct_start}")
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}")
        self.total_steps = math.prod(given.values())
        self._anneal_func_type = anneal_strategy
        up = float(pct_start * self.total_steps) - 1
        # (last step, rate and momentum at the start and at the end), as keys of the group
        phases = [(up, "initial_lr", "max_lr", "max_momentum", "base_momentum")]
        if three_phase:
            phases += [(float(2 * pct_start * self.total_steps) - 2, "max_lr", "initial_lr", "base_momentum",
                        "max_momentum"),
                       (self.total_steps - 1, "initial_lr", "min_lr", "max_momentum", "max_momentum")]
        else:
            phases.append((self.total_steps - 1, "max_lr", "min_lr", "base_momentum", "max_momentum"))
        names = "end_step", "start_lr", "end_lr", "start_momentum", "end_momentum"
        self._schedule_phases = [dict(zip(names, phase, strict=True)) for phase in phases]
        self.cycle_momentum = cycle_momentum
        self.use_beta1 = "betas" in optimizer.defaults
        if cycle_momentum and not self.use_beta1 and "momentum" not in optimizer.defaults:
            raise ValueError("optimizer must support momentum or beta1 with `cycle_momentum` option enabled")
        highest = _one_a_group("max_lr", optimizer, max_lr)
        strongest = _one_a_group("max_momentum", optimizer, max_momentum)
        weakest = _one_a_group("base_momentum", optimizer, base_momentum)
        if last_epoch == -1:
            for i, group in enumerate(optimizer.param_groups):
                initial = highest[i] / div_factor
                group.update(initial_lr=initial, max_lr=highest[i], min_lr=initial / final_div_factor)
                if cycle_momentum:
                    group.update(max_momentum=strongest[i], base_momentum=weakest[i])
                    self._set_momentum(group, strongest[i])
        super().__init__(optimizer, last_epoch)

    def _set_momentum(self, group, value):
        if self.use_beta1:
            group["betas"] = value, *group["betas"][1:]
        else:
            group["momentum"] = value

    def get_lr(self):
        self._scaled()
        step = self.last_epoch
        if step > self.total_steps:
            raise ValueError(f"Tried to step {step} times. The specified number of total steps is {self.total_steps}")
        begin, phase = 0.0, self._schedule_phases[0]
        for following in self._schedule_phases[1:]:
            if step <= phase["end_step"]:
                break
            begin, phase = phase["end_step"], following
        part = (step - begin) / (phase["end_step"] - begin)
        between = _cosine if self._anneal_func_type == "cos" else _linear
        rates = []
        for group in self.optimizer.param_groups:
            rates.append(between(group[phase["start_lr"]], group[phase["end_lr"]], part))
            if self.cycle_momentum:
                self._set_momentum(group, between(group[phase["start_momentum"]], group[phase["end_momentum"]], part))
        return rates


# --- made of others -------------------------------------------------------------------------------------------------

class _Composed(LRScheduler):
    """Holds other schedules of one optimizer."""

    def _hold(self, schedulers, optimizer):
        name = type(self).__name__
        for i, scheduler in enumerate(schedulers):
            if not hasattr(scheduler, "optimizer"):
                raise TypeError(f"{name} at index {i} should have `optimizer` as its attribute.")
            if isinstance(scheduler, ReduceLROnPlateau):
                raise ValueError(f"{name} does not support `ReduceLROnPlateau` scheduler as it requires additional "
                                 f"kwargs to be specified when calling `step`, but got one at index {i} in the given "
                                 "schedulers sequence.")
            if scheduler.optimizer is not optimizer:
                raise ValueError(f"{name} expects all schedulers to belong to the same optimizer, but got scheduler "
                                 f"{type(scheduler).__name__} at index {i} has {scheduler.optimizer}, which is "
                                 f"different from {type(optimizer).__name__}.")
        self._schedulers = schedulers
        self.optimizer = optimizer

    def state_dict(self):
        state = super().state_dict()
        state["_schedulers"] = [s.state_dict() for s in self._schedulers]
        return state

    def load_state_dict(self, state_dict):
        self.__dict__.update({k: v for k, v in state_dict.items() if k != "_schedulers"})
        for scheduler, state in zip(self._schedulers, state_dict["_schedulers"], strict=True):
            scheduler.load_state_dict(state)


class SequentialLR(_Composed):
    """One schedule after another; ``milestones`` are the epochs at which the next one begins."""

    def __init__(self, optimizer: Optimizer, schedulers: list, milestones: list, last_epoch: int = -1) -> None:
        if len(schedulers) < 1:
            raise ValueError(f"{type(self).__name__} expects at least one scheduler, but got no scheduler.")
        self._hold(schedulers, optimizer)
        if len(milestones) != len(schedulers) - 1:
            raise ValueError("Sequential Schedulers expects number of schedulers provided to be one more than the "
                             f"number of milestone points, but got number of schedulers {len(schedulers)} and the "
                             f"number of milestones to be equal to {len(milestones)}")
        self._milestones = milestones
        self.last_epoch = last_epoch + 1
        # Every schedule took its first step when it was made: take these back, and do the one that belongs here.
        for group in optimizer.param_groups:
            _set(group, "lr", group["initial_lr"])
        self._undo()
        first = schedulers[bisect_right(milestones, 0)]
        first._initial_step()
        self._last_lr = first.get_last_lr()

    def _undo(self):
        for scheduler in self._schedulers:
            if isinstance(scheduler, _Composed):
                SequentialLR._undo(scheduler)
            else:
                scheduler.last_epoch -= 1

    def step(self):
        """Go on to the next epoch."""
        self.last_epoch += 1
        i = bisect_right(self._milestones, self.last_epoch)
        scheduler = self._schedulers[i]
        if i > 0 and self._milestones[i - 1] == self.last_epoch:
            scheduler._update_lr(0)
        else:
            scheduler.step()
        self._last_lr = scheduler.get_last_lr()


class ChainedScheduler(_Composed):
    """Several schedules at once: each step is one of every one of them, in order."""

    def __init__(self, schedulers: list, optimizer: "Optimizer | None" = None) -> None:
        if len(schedulers) < 1:
            raise ValueError(f"{type(self).__name__} expects at least one scheduler to be chained, but got no "
                             "scheduler.")
        self._hold(schedulers, optimizer or schedulers[0].optimizer)
        self._last_lr = _values(self.optimizer, "lr")

    def step(self):
        """Go on to the next epoch."""
        for scheduler in self._schedulers:
            scheduler.step()
        self._last_lr = _values(self.optimizer, "lr")


# --- given by what is measured --------------------------------------------------------------------------------------

class ReduceLROnPlateau(LRScheduler):
    """The rate is multiplied by ``factor`` when what is given to ``step`` has not become better for some epochs.

    Args:
        optimizer: whose rates are set.
        mode: "min" or "max": which values are better.
        factor: below 1.
        patience: how many epochs without an improvement are accepted.
        threshold: what counts as one: a part of the best value (``threshold_mode="rel"``) or a difference ("abs").
        cooldown: epochs after a reduction that are not counted.
        min_lr: a lower bound, one or one a group.
        eps: smaller changes of the rate are left out.

    Raises:
        ValueError: `factor` is not below 1; `mode` or `threshold_mode` is unknown.
    """

    def __init__(self, optimizer: Optimizer, mode: str = "min", factor: float = 0.1, patience: int = 10,
                 threshold: float = 1e-4, threshold_mode: str = "rel", cooldown: int = 0, min_lr=0,
                 eps: float = 1e-8) -> None:
        if factor >= 1.0:
            raise ValueError("Factor should be < 1.0.")
        _check_optimizer(optimizer)
        if mode not in ("min", "max"):
            raise ValueError(f"mode {mode} is unknown!")
        if threshold_mode not in ("rel", "abs"):
            raise ValueError(f"threshold mode {threshold_mode} is unknown!")
        n = len(optimizer.param_groups)
        several = isinstance(min_lr, (list, tuple))
        if several and len(min_lr) != n:
            raise ValueError(f"expected {n} min_lrs, got {len(min_lr)}")
        self.optimizer = optimizer
        self.mode, self.factor, self.patience = mode, factor, patience
        self.threshold, self.threshold_mode = threshold, threshold_mode
        self.cooldown, self.eps = cooldown, eps
        self.default_min_lr = None if several else min_lr
        self.min_lrs = list(min_lr) if several else [min_lr] * n
        self.mode_worse = math.inf if mode == "min" else -math.inf
        self.last_epoch = 0
        self._last_lr = _values(optimizer, "lr")
        self._reset()

    def _reset(self):
        self.best = self.mode_worse
        self.cooldown_counter = 0
        self.num_bad_epochs = 0

    @property
    def in_cooldown(self) -> bool:
        """Whether epochs are not counted at present."""
        return self.cooldown_counter > 0

    def _is_better(self, value, best):
        sign = 1 if self.mode == "max" else -1
        margin = self.threshold * sign
        bar = best * (1.0 + margin) if self.threshold_mode == "rel" else best + margin
        return value > bar if self.mode == "max" else value < bar

    def step(self, metrics, epoch=None):
        """Take note of an epoch's value, a number or a tensor of one."""
        value = float(metrics)
        if epoch is None:
            epoch = self.last_epoch + 1
        else:
            warnings.warn(_EPOCH_IS_DEPRECATED, UserWarning, stacklevel=2)
        self.last_epoch = epoch
        if self._is_better(value, self.best):
            self.best = value
            self.num_bad_epochs = 0
        else:
            self.num_bad_epochs += 1
        if self.in_cooldown:
            self.cooldown_counter -= 1
            self.num_bad_epochs = 0
        if self.num_bad_epochs > self.patience:
            self._reduce_lr(epoch)
            self.cooldown_counter = self.cooldown
            self.num_bad_epochs = 0
        self._last_lr = _values(self.optimizer, "lr")

    def _reduce_lr(self, epoch):
        n = len(self.optimizer.param_groups)
        if n != len(self.min_lrs):
            if self.default_min_lr is None:
                raise RuntimeError(f"The number of param groups in the `optimizer` ({n}) differs from when "
                                   f"`ReduceLROnPlateau` was initialized ({len(self.min_lrs)}), usually due to a new "
                                   "param group being added to the optimizer. Please modify the `min_lrs` field to "
                                   "match the length of the `optimizer` param groups.")
            self.min_lrs = [self.default_min_lr] * n
        for group, least in zip(self.optimizer.param_groups, self.min_lrs, strict=True):
            old = float(group["lr"])
            new = max(old * self.factor, least)
            if old - new > self.eps:
                _set(group, "lr", new)


def __getattr__(name):
    from flambeau_tensor.not_built import missing

    raise missing("torch.optim.lr_scheduler", name)
