"""Cyclic schedules, with the momentum in the opposite direction."""

from __future__ import annotations

import math
import types
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from flambeau_nn.optim._schedule import LRScheduler, _check_optimizer, _one_a_group, _set
from flambeau_nn.optim.optimizer import Optimizer


def _cosine(start: float, end: float, part: float) -> float:
    return end + (start - end) / 2.0 * (math.cos(math.pi * part) + 1)


def _linear(start: float, end: float, part: float) -> float:
    return (end - start) * part + start


def _has_beta1(optimizer: Optimizer) -> bool:
    """Whether the momentum to cycle is the first of ``betas``."""
    if "betas" not in optimizer.defaults and "momentum" not in optimizer.defaults:
        raise ValueError("optimizer must support momentum or beta1 with `cycle_momentum` option enabled")
    return "betas" in optimizer.defaults


def _set_momentum(group: dict[str, Any], value: float, use_beta1: bool) -> None:
    if use_beta1:
        group["betas"] = value, *group["betas"][1:]
    else:
        group["momentum"] = value


class OneCycleLR(LRScheduler):
    """Increases the rate from ``max_lr / div_factor`` to ``max_lr``, then decreases it far below its initial value;
    momentum changes in the opposite direction.

    Call ``step`` after every batch.

    Args:
        optimizer: the optimizer whose learning rates are set.
        max_lr: the highest rate, one for all groups or one per group.
        total_steps: the length of the cycle, or else ``epochs`` times ``steps_per_epoch``.
        pct_start: the fraction of the cycle in which the rate increases.
        anneal_strategy: "cos" or "linear".
        cycle_momentum: whether to cycle ``momentum`` (or the first of ``betas``) between ``max_momentum`` and
            ``base_momentum``.
        div_factor: the initial rate is ``max_lr / div_factor``.
        final_div_factor: the last rate is the initial one divided by it.
        three_phase: whether the decrease takes as long as the increase, with a third phase down to the last rate.

    Raises:
        ValueError: an option is out of its range; ``step`` was called more often than ``total_steps``.

    Source: L. N. Smith and N. Topin, Super-convergence: very fast training of neural networks using large learning
    rates, 2017.

    >>> optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=1.0)
    >>> schedule = OneCycleLR(optimizer, max_lr=1.0, total_steps=5)
    >>> for epoch in range(4):
    ...     print(round(schedule.get_last_lr()[0], 4))
    ...     optimizer.step()
    ...     schedule.step()
    0.04
    0.9505
    0.6113
    0.1883
    """

    def __init__(
        self,
        optimizer: Optimizer,
        max_lr: float | Sequence[float],
        total_steps: int | None = None,
        epochs: int | None = None,
        steps_per_epoch: int | None = None,
        pct_start: float = 0.3,
        anneal_strategy: str = "cos",
        cycle_momentum: bool = True,
        base_momentum: float | Sequence[float] = 0.85,
        max_momentum: float | Sequence[float] = 0.95,
        div_factor: float = 25.0,
        final_div_factor: float = 1e4,
        three_phase: bool = False,
        last_epoch: int = -1,
    ) -> None:
        _check_optimizer(optimizer)
        self.optimizer = optimizer
        if total_steps is None and (epochs is None or steps_per_epoch is None):
            raise ValueError("You must define either total_steps OR (epochs AND steps_per_epoch)")
        given: dict[str, Any] = (
            {"total_steps": total_steps}
            if total_steps is not None
            else {"epochs": epochs, "steps_per_epoch": steps_per_epoch}
        )
        for name, value in given.items():
            if not isinstance(value, int) or value <= 0:
                raise ValueError(f"Expected positive integer {name}, but got {value}")
        if not isinstance(pct_start, float) or not 0 <= pct_start <= 1:
            raise ValueError(f"Expected float between 0 and 1 pct_start, but got {pct_start}")
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}")
        self.total_steps = math.prod(given.values())
        up = float(pct_start * self.total_steps) - 1
        # (last step, rate and momentum at the start and at the end), as keys of the group
        phases: list[tuple[Any, ...]] = [(up, "initial_lr", "max_lr", "max_momentum", "base_momentum")]
        if three_phase:
            phases += [
                (float(2 * pct_start * self.total_steps) - 2, "max_lr", "initial_lr", "base_momentum", "max_momentum"),
                (self.total_steps - 1, "initial_lr", "min_lr", "max_momentum", "max_momentum"),
            ]
        else:
            phases.append((self.total_steps - 1, "max_lr", "min_lr", "base_momentum", "max_momentum"))
        names = "end_step", "start_lr", "end_lr", "start_momentum", "end_momentum"
        self._schedule_phases = [dict(zip(names, phase, strict=True)) for phase in phases]
        self._anneal_func_type = anneal_strategy
        self.cycle_momentum = cycle_momentum
        highest = _one_a_group("max_lr", optimizer, max_lr)
        if last_epoch == -1:
            for group, high in zip(optimizer.param_groups, highest, strict=True):
                initial = high / div_factor
                group.update(initial_lr=initial, max_lr=high, min_lr=initial / final_div_factor)
        if cycle_momentum:
            self.use_beta1 = _has_beta1(optimizer)
            strongest = _one_a_group("max_momentum", optimizer, max_momentum)
            weakest = _one_a_group("base_momentum", optimizer, base_momentum)
            if last_epoch == -1:
                for group, high, low in zip(optimizer.param_groups, strongest, weakest, strict=True):
                    group.update(max_momentum=high, base_momentum=low)
                    _set_momentum(group, high, self.use_beta1)
        super().__init__(optimizer, last_epoch)

    _annealing_cos = staticmethod(_cosine)
    _annealing_linear = staticmethod(_linear)

    def _between(self) -> Callable[[float, float, float], float]:
        kind: str | None = getattr(self, "_anneal_func_type", None)
        if kind is None:  # old state dicts hold the function
            function: Callable[[float, float, float], float] = vars(self)["anneal_func"]
            return function
        return _cosine if kind == "cos" else _linear

    def get_lr(self) -> list[Any]:
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
        between = self._between()
        rates = []
        for group in self.optimizer.param_groups:
            rates.append(between(group[phase["start_lr"]], group[phase["end_lr"]], part))
            if self.cycle_momentum:
                momentum = between(group[phase["start_momentum"]], group[phase["end_momentum"]], part)
                _set_momentum(group, momentum, self.use_beta1)
        return rates


class CyclicLR(LRScheduler):
    """Cycles the rate between two values; momentum changes in the opposite direction.

    Call ``step`` after every batch.

    Args:
        optimizer: the optimizer whose learning rates are set.
        base_lr: the lowest rate, one for all groups or one per group.
        max_lr: the highest rate, one for all groups or one per group.
        step_size_up: the number of batches of the increase.
        step_size_down: the number of batches of the decrease; by default ``step_size_up``.
        mode: "triangular"; "triangular2": each cycle is half as high as the one before; "exp_range": the height is
            multiplied by ``gamma`` at each step.
        gamma: for "exp_range".
        scale_fn: a function that scales the amplitude, instead of `mode`.
        scale_mode: the argument of `scale_fn`: the number of the "cycle", from 1, or of "iterations".
        cycle_momentum: whether to cycle ``momentum`` (or the first of ``betas``) between ``max_momentum`` and
            ``base_momentum``.

    Raises:
        ValueError: `mode` is unknown, the length of a list does not match, or the optimizer has no momentum to cycle.

    Source: L. N. Smith, Cyclical learning rates for training neural networks, WACV 2017.

    >>> optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=1.0)
    >>> schedule = CyclicLR(optimizer, base_lr=0.25, max_lr=1.0, step_size_up=2, cycle_momentum=False)
    >>> for epoch in range(4):
    ...     print(schedule.get_last_lr()[0])
    ...     optimizer.step()
    ...     schedule.step()
    0.25
    0.625
    1.0
    0.625
    """

    def __init__(
        self,
        optimizer: Optimizer,
        base_lr: float | Sequence[float],
        max_lr: float | Sequence[float],
        step_size_up: int = 2000,
        step_size_down: int | None = None,
        mode: str = "triangular",
        gamma: float = 1.0,
        scale_fn: Callable[[float], float] | None = None,
        scale_mode: str = "cycle",
        cycle_momentum: bool = True,
        base_momentum: float | Sequence[float] = 0.8,
        max_momentum: float | Sequence[float] = 0.9,
        last_epoch: int = -1,
    ) -> None:
        _check_optimizer(optimizer)
        self.optimizer = optimizer
        base_lrs = _one_a_group("base_lr", optimizer, base_lr)
        if last_epoch == -1:
            for lr, group in zip(base_lrs, optimizer.param_groups, strict=True):
                _set(group, "lr", lr)
        self.max_lrs = _one_a_group("max_lr", optimizer, max_lr)
        up = float(step_size_up)
        self.total_size = up + (up if step_size_down is None else float(step_size_down))
        self.step_ratio = up / self.total_size
        if mode not in ("triangular", "triangular2", "exp_range") and scale_fn is None:
            raise ValueError("mode is invalid and scale_fn is None")
        self.mode = mode
        self.gamma = gamma
        self._scale_fn_custom = scale_fn
        self._init_scale_fn()
        self.scale_mode = scale_mode if scale_fn is not None else "iterations" if mode == "exp_range" else "cycle"
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self.use_beta1 = _has_beta1(optimizer)
            self.base_momentums = _one_a_group("base_momentum", optimizer, base_momentum)
            self.max_momentums = _one_a_group("max_momentum", optimizer, max_momentum)
            if last_epoch == -1:
                for high, low, group in zip(
                    self.max_momentums, self.base_momentums, optimizer.param_groups, strict=True
                ):
                    _set_momentum(group, high, self.use_beta1)
                    group.update(max_momentum=high, base_momentum=low)
        super().__init__(optimizer, last_epoch)
        self.base_lrs = base_lrs

    def scale_fn(self, x: float) -> float:
        """The factor for the height of cycle or step `x`."""
        return (self._scale_fn_custom or self._scale_fn_ref)(x)

    def _init_scale_fn(self) -> None:
        if self.mode == "exp_range":
            self._scale_fn_ref: Callable[[float], float] = partial(self._exp_range_scale_fn, self.gamma)
        else:
            two = self.mode == "triangular2"
            self._scale_fn_ref = self._triangular2_scale_fn if two else self._triangular_scale_fn

    @staticmethod
    def _triangular_scale_fn(x: float) -> float:
        return 1.0

    @staticmethod
    def _triangular2_scale_fn(x: float) -> float:
        return 1 / (2.0 ** (x - 1))

    @staticmethod
    def _exp_range_scale_fn(gamma: float, x: float) -> float:
        return gamma**x

    def get_lr(self) -> list[Any]:
        self._scaled()
        cycle = math.floor(1 + self.last_epoch / self.total_size)
        part = 1.0 + self.last_epoch / self.total_size - cycle
        height = part / self.step_ratio if part <= self.step_ratio else (part - 1) / (self.step_ratio - 1)
        at = cycle if self.scale_mode == "cycle" else self.last_epoch
        if self.cycle_momentum:
            for group, low, high in zip(
                self.optimizer.param_groups, self.base_momentums, self.max_momentums, strict=True
            ):
                _set_momentum(group, high - (high - low) * height * self.scale_fn(at), self.use_beta1)
        return [
            low + (high - low) * height * self.scale_fn(at)
            for low, high in zip(self.base_lrs, self.max_lrs, strict=True)
        ]

    def state_dict(self) -> dict[str, Any]:
        state = super().state_dict()
        del state["_scale_fn_ref"]
        function = state.pop("_scale_fn_custom")  # the last entry, as in PyTorch
        plain = function is None or isinstance(function, types.FunctionType)
        state["_scale_fn_custom"] = None if plain else function.__dict__.copy()
        return state

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        self.__dict__.update({k: v for k, v in state_dict.items() if k != "_scale_fn_custom"})
        if state_dict["_scale_fn_custom"] is not None:
            self._scale_fn_custom.__dict__.update(state_dict["_scale_fn_custom"])
        self._init_scale_fn()
