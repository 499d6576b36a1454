"""Weight averaging: stochastic weight averaging and exponential moving averages."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from copy import deepcopy
from itertools import chain
from typing import Any

from flambeau_autograd import no_grad
from flambeau_nn.modules.batchnorm import _BatchNorm
from flambeau_nn.modules.module import Module
from flambeau_nn.optim._schedule import LRScheduler, _one_a_group
from flambeau_nn.optim.optimizer import Optimizer
from flambeau_tensor import Tensor, int64, tensor
from flambeau_tensor.options import Device

__all__ = [
    "SWALR",
    "AveragedModel",
    "get_ema_avg_fn",
    "get_ema_multi_avg_fn",
    "get_swa_avg_fn",
    "get_swa_multi_avg_fn",
    "update_bn",
]


def _check_decay(decay: float) -> None:
    if decay < 0.0 or decay > 1.0:
        raise ValueError(f"Invalid decay value {decay} provided. Please provide a value in [0,1] range.")


def get_ema_multi_avg_fn(decay: float = 0.999) -> Callable[..., Any]:
    """Return a function that replaces means by decay·mean + (1 - decay)·parameter, for lists of tensors.

    Raises:
        ValueError: ``decay`` is not between 0 and 1.

    >>> means = [torch.tensor(1.0)]
    >>> get_ema_multi_avg_fn(0.9)(means, [torch.tensor(2.0)], 5)
    >>> means
    [tensor(1.1000)]
    """
    _check_decay(decay)

    @no_grad()
    def ema_update(ema_param_list: Sequence[Tensor], current_param_list: Sequence[Tensor], _: object) -> None:
        for mean, current in zip(ema_param_list, current_param_list, strict=True):
            if mean.is_floating_point() or mean.is_complex():
                mean.lerp_(current, 1 - decay)
            else:
                mean.copy_(mean * decay + current * (1 - decay))

    return ema_update


def get_swa_multi_avg_fn() -> Callable[..., Any]:
    """Return a function that includes one more model in means with equal weights, for lists of tensors.

    >>> means = [torch.tensor(1.0)]
    >>> get_swa_multi_avg_fn()(means, [torch.tensor(2.0)], torch.tensor(1))
    >>> means
    [tensor(1.5000)]
    """

    @no_grad()
    def swa_update(
        averaged_param_list: Sequence[Tensor], current_param_list: Sequence[Tensor], num_averaged: Tensor | int
    ) -> None:
        for mean, current in zip(averaged_param_list, current_param_list, strict=True):
            mean.lerp_(current, float(1 / (num_averaged + 1)))

    return swa_update


def get_ema_avg_fn(decay: float = 0.999) -> Callable[..., Any]:
    """The function that returns decay·mean + (1 - decay)·parameter.

    Raises:
        ValueError: ``decay`` is not between 0 and 1.

    >>> get_ema_avg_fn(0.9)(torch.tensor(1.0), torch.tensor(2.0), 5)
    tensor(1.1000)
    """
    _check_decay(decay)

    @no_grad()
    def ema_update(ema_param: Tensor, current_param: Tensor, num_averaged: Tensor | int) -> Tensor:
        return decay * ema_param + (1 - decay) * current_param

    return ema_update


def get_swa_avg_fn() -> Callable[..., Any]:
    """The function that returns the mean with one more parameter, at equal weights.

    >>> get_swa_avg_fn()(torch.tensor(1.0), torch.tensor(2.0), torch.tensor(1))
    tensor(1.5000)
    """

    @no_grad()
    def swa_update(averaged_param: Tensor, current_param: Tensor, num_averaged: Tensor | int) -> Tensor:
        return averaged_param + (current_param - averaged_param) / (num_averaged + 1)

    return swa_update


class AveragedModel(Module):
    """A copy of a model whose parameters are the averages of the model's parameters at each call of
    ``update_parameters``.

    Args:
        model: the model to copy.
        device: the device of the copy.
        avg_fn: a function that computes the new mean from the mean, a parameter, and the number of averaged models; by
            default equal weights.
        multi_avg_fn: the same in place for lists of tensors.
        use_buffers: whether to average buffers, too, instead of copying them.

    Raises:
        AssertionError: both functions are given.

    Source: P. Izmailov et al., Averaging weights leads to wider optima and better generalization, UAI 2018.

    >>> import flambeau_nn as nn
    >>> model = nn.Linear(1, 1, bias=False)
    >>> mean = AveragedModel(model)
    >>> for value in (1.0, 2.0, 6.0):
    ...     _ = nn.init.constant_(model.weight, value)
    ...     mean.update_parameters(model)
    >>> mean.module.weight
    Parameter containing:
    tensor([[3.]], requires_grad=True)
    """

    n_averaged: Tensor

    def __init__(
        self,
        model: Module,
        device: Device | None = None,
        avg_fn: Callable[..., Any] | None = None,
        multi_avg_fn: Callable[..., Any] | None = None,
        use_buffers: bool = False,
    ) -> None:
        super().__init__()
        if avg_fn is not None and multi_avg_fn is not None:
            raise AssertionError("Only one of avg_fn and multi_avg_fn should be provided")
        self.module = deepcopy(model)
        if device is not None:
            self.module = self.module.to(device)
        self.register_buffer("n_averaged", tensor(0, dtype=int64, device=device))
        self.avg_fn = avg_fn
        self.multi_avg_fn = multi_avg_fn
        self.use_buffers = use_buffers

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """The result of the averaged model."""
        return self.module(*args, **kwargs)

    def update_parameters(self, model: Module) -> None:
        """Include the current parameters in the means; the first ones are copied."""

        def values(one: Module) -> list[Tensor]:
            tensors = chain(one.parameters(), one.buffers()) if self.use_buffers else one.parameters()
            return [t.detach() for t in tensors]

        means, present = values(self.module), values(model)
        if self.n_averaged == 0:
            for mean, current in zip(means, present, strict=True):
                mean.copy_(current)
        elif self.multi_avg_fn is not None:
            self.multi_avg_fn(means, present, self.n_averaged)
        else:
            function = self.avg_fn or get_swa_avg_fn()
            for mean, current in zip(means, present, strict=True):
                mean.copy_(function(mean, current, self.n_averaged))
        if not self.use_buffers:
            for own, current in zip(self.module.buffers(), model.buffers(), strict=True):
                own.detach().copy_(current.detach())
        self.n_averaged += 1


@no_grad()
def update_bn(loader: Iterable[Any], model: Module, device: Device | None = None) -> None:
    """Recompute the statistics of batch normalizations in one pass, with equal weights.

    Args:
        loader: the batches; the model receives the first entry of a tuple or list.
        model: called in training mode; its mode is restored.
        device: the device to which batches are moved.

    Raises:
        RuntimeError: the batches do not match the model.

    >>> model = torch.nn.Sequential(torch.nn.BatchNorm1d(1))
    >>> update_bn([torch.tensor([[1.0], [3.0]]), torch.tensor([[5.0], [7.0]])], model)
    >>> model[0].running_mean
    tensor([4.])
    """
    layers = [m for m in model.modules() if isinstance(m, _BatchNorm)]
    if not layers:
        return
    momenta = [layer.momentum for layer in layers]
    was_training = model.training
    model.train()
    for layer in layers:
        layer.reset_running_stats()
        layer.momentum = None
    for batch in loader:
        if isinstance(batch, (list, tuple)):
            batch = batch[0]
        model(batch if device is None else batch.to(device))
    for layer, momentum in zip(layers, momenta, strict=True):
        layer.momentum = momentum
    model.train(was_training)


def _linear(part: float) -> float:
    return part


def _cosine(part: float) -> float:
    return (1 - math.cos(math.pi * part)) / 2


class SWALR(LRScheduler):
    """Changes the rates to fixed values over some epochs, linearly or along half a cosine.

    Args:
        optimizer: the optimizer whose learning rates are set.
        swa_lr: the rate at the end, one for all groups or one per group.
        anneal_epochs: the number of epochs of the change.
        anneal_strategy: "cos" or "linear".
        last_epoch: -1 to start; otherwise the epoch to go on from.

    Raises:
        ValueError: an option is out of its range.

    >>> optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=1.0)
    >>> schedule = SWALR(optimizer, swa_lr=0.5, anneal_epochs=2, anneal_strategy="linear")
    >>> for epoch in range(3):
    ...     print(schedule.get_last_lr()[0])
    ...     optimizer.step()
    ...     schedule.step()
    1.0
    0.75
    0.5
    """

    def __init__(
        self,
        optimizer: Optimizer,
        swa_lr: float,
        anneal_epochs: int = 10,
        anneal_strategy: str = "cos",
        last_epoch: int = -1,
    ) -> None:
        for rate, group in zip(_one_a_group("swa_lr", optimizer, swa_lr), optimizer.param_groups, strict=True):
            group["swa_lr"] = rate
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}")
        self._set_anneal_func(anneal_strategy)
        if not isinstance(anneal_epochs, int) or anneal_epochs < 0:
            raise ValueError(f"anneal_epochs must be equal or greater than 0, got {anneal_epochs}")
        self.anneal_epochs = anneal_epochs
        super().__init__(optimizer, last_epoch)

    def _set_anneal_func(self, strategy: str) -> None:
        self._anneal_strategy = strategy
        self.anneal_func = _cosine if strategy == "cos" else _linear

    def get_lr(self) -> list[Any]:
        self._scaled()
        step = self._step_count - 1
        if self.anneal_epochs == 0:
            step = max(1, step)
        before, now = (self.anneal_func(max(0, min(1, n / max(1, self.anneal_epochs)))) for n in (step - 1, step))
        rates = []
        for group in self.optimizer.param_groups:
            end = group["swa_lr"]
            start = end if before == 1 else (group["lr"] - before * end) / (1 - before)
            rates.append(end * now + start * (1 - now))
        return rates

    def state_dict(self) -> dict[str, Any]:
        return {key: value for key, value in super().state_dict().items() if key != "anneal_func"}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        super().load_state_dict(state_dict)
        self._set_anneal_func(self._anneal_strategy)
