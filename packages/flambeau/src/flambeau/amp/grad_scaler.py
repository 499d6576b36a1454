"""``torch.amp.GradScaler``: losses are scaled so that gradients in float16 do not vanish."""

import math
import warnings
from enum import Enum
from typing import Any
from weakref import WeakKeyDictionary

import flambeau_tensor as torch
from flambeau_autograd import no_grad


class OptState(Enum):
    """The state of an optimizer within its step."""

    READY = 0
    UNSCALED = 1
    STEPPED = 2


class GradScaler:
    """Scales losses, divides gradients by the scale, and skips steps with infinite or NaN gradients.

    Args:
        device: the device of the parameters. For ``"cuda"``, which is not supported, the scaler is disabled.
        init_scale: the initial scale.
        growth_factor: the factor of the scale after ``growth_interval`` steps with finite gradients.
        backoff_factor: the factor of the scale after a step with other gradients.
        growth_interval: a number of steps.
        enabled: False disables the scaler.

    Raises:
        AssertionError: ``growth_factor`` is not above 1, or ``backoff_factor`` not below it.

    >>> scaler = GradScaler("cpu", init_scale=4.0)
    >>> w = torch.ones(1, requires_grad=True)
    >>> optimizer = torch.optim.SGD([w], lr=0.5)
    >>> scaler.scale(w.sum()).backward()
    >>> scaler.step(optimizer)
    >>> scaler.update()
    >>> w, scaler.get_scale()
    (tensor([0.5000], requires_grad=True), 4.0)
    """

    def __init__(
        self,
        device: str = "cuda",
        init_scale: float = 2.0**16,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        enabled: bool = True,
    ) -> None:
        self._device = device
        self._enabled = enabled and device != "cuda"
        if enabled and device == "cuda":
            warnings.warn("torch.cuda.amp.GradScaler is enabled, but CUDA is not available.  Disabling.", stacklevel=2)
        if self._enabled:
            if not growth_factor > 1.0:
                raise AssertionError("The growth factor must be > 1.0.")
            if not backoff_factor < 1.0:
                raise AssertionError("The backoff factor must be < 1.0.")
            self._scale = float(init_scale)
            self._growth_factor, self._backoff_factor = growth_factor, backoff_factor
            self._growth_interval, self._growth_tracker = growth_interval, 0
            # since the last update(): "unscaled" or "stepped", and all finite?
            self._optimizers: WeakKeyDictionary[Any, Any] = WeakKeyDictionary()

    def is_enabled(self) -> bool:
        """Return True if the scaler is enabled."""
        return self._enabled

    def scale(self, outputs: Any) -> Any:
        """The tensor, or the tensors in lists and tuples, times the scale."""
        if not self._enabled:
            return outputs
        if isinstance(outputs, torch.Tensor):
            return outputs * self._scale
        if isinstance(outputs, (list, tuple)):
            scaled = [self.scale(each) for each in outputs]
            return type(outputs)(*scaled) if hasattr(outputs, "_fields") else type(outputs)(scaled)
        raise ValueError("outputs must be a Tensor or an iterable of Tensors")

    def unscale_(self, optimizer: Any) -> None:
        """Divide the gradients of an optimizer's parameters by the scale, in place; `step` does so otherwise.

        Raises:
            RuntimeError: it was done since the last `update`, or the step was made.
        """
        if not self._enabled:
            return
        stage, _ = self._optimizers.get(optimizer, ("", True))
        if stage == "unscaled":
            raise RuntimeError("unscale_() has already been called on this optimizer since the last update().")
        if stage == "stepped":
            raise RuntimeError("unscale_() is being called after step().")
        finite = True
        with no_grad():
            for group in optimizer.param_groups:
                for p in group["params"]:
                    if p.grad is not None:
                        if p.grad.dtype is torch.float16:
                            raise ValueError("Attempting to unscale FP16 gradients.")
                        p.grad.mul_(1.0 / self._scale)
                        finite = finite and bool(p.grad.isfinite().all())
        self._optimizers[optimizer] = "unscaled", finite

    def step(self, optimizer: Any, *args: Any, **kwargs: Any) -> float | None:
        """Call ``optimizer.step(*args, **kwargs)`` unless a gradient is not finite; return its result, or None.

        Raises:
            RuntimeError: it is the second step since the last `update`, or a closure is given.
        """
        if not self._enabled:
            return optimizer.step(*args, **kwargs)
        if "closure" in kwargs:
            raise RuntimeError("Closure use is not currently supported if GradScaler is enabled.")
        stage, _ = self._optimizers.get(optimizer, ("", True))
        if stage == "stepped":
            raise RuntimeError("step() has already been called since the last update().")
        if stage != "unscaled":
            self.unscale_(optimizer)
        finite = self._optimizers[optimizer][1]
        result = optimizer.step(*args, **kwargs) if finite else None
        self._optimizers[optimizer] = "stepped", finite
        return result

    def update(self, new_scale: float | torch.Tensor | None = None) -> None:
        """Update the scale after the steps of all optimizers, or set it to ``new_scale``."""
        if not self._enabled:
            return
        if new_scale is not None:
            self._scale = float(new_scale)
        elif not self._optimizers:
            raise AssertionError("No inf checks were recorded prior to update.")
        elif all(finite for _, finite in self._optimizers.values()):
            self._growth_tracker += 1
            if self._growth_tracker == self._growth_interval:
                if math.isfinite(self._scale * self._growth_factor):
                    self._scale *= self._growth_factor
                self._growth_tracker = 0
        else:
            self._scale *= self._backoff_factor
            self._growth_tracker = 0
        self._optimizers = WeakKeyDictionary()

    def get_scale(self) -> float:
        """The scale; 1 if it is switched off."""
        return self._scale if self._enabled else 1.0

    def get_growth_factor(self) -> float:
        """Return the factor by which the scale grows."""
        return self._growth_factor

    def set_growth_factor(self, new_factor: float) -> None:
        """Set the factor by which the scale grows."""
        self._growth_factor = new_factor

    def get_backoff_factor(self) -> float:
        """Return the factor by which the scale shrinks."""
        return self._backoff_factor

    def set_backoff_factor(self, new_factor: float) -> None:
        """Set the factor by which the scale shrinks."""
        self._backoff_factor = new_factor

    def get_growth_interval(self) -> int:
        """After how many steps the scale grows."""
        return self._growth_interval

    def set_growth_interval(self, new_interval: int) -> None:
        """Set after how many steps the scale grows."""
        self._growth_interval = new_interval

    def state_dict(self) -> dict:
        """The scale, the factors and the interval; empty if it is switched off."""
        if not self._enabled:
            return {}
        return {
            "scale": self._scale,
            "growth_factor": self._growth_factor,
            "backoff_factor": self._backoff_factor,
            "growth_interval": self._growth_interval,
            "_growth_tracker": self._growth_tracker,
        }

    def load_state_dict(self, state_dict: dict) -> None:
        """Restore the state that `state_dict` returned.

        Raises:
            RuntimeError: it is empty, like the state of a disabled scaler.
        """
        if not self._enabled:
            return
        if not state_dict:
            raise RuntimeError(
                "The source state dict is empty, possibly because it was saved from a disabled instance of GradScaler."
            )
        self._scale = float(state_dict["scale"])
        self._growth_factor, self._backoff_factor = state_dict["growth_factor"], state_dict["backoff_factor"]
        self._growth_interval, self._growth_tracker = state_dict["growth_interval"], state_dict["_growth_tracker"]

    def __getstate__(self) -> dict[str, Any]:
        if self._enabled and self._optimizers:
            raise RuntimeError(
                "A GradScaler instance may only be pickled at the beginning of an iteration, or at the "
                "end after scaler.update()."
            )
        state = dict(self.__dict__)
        state.pop("_optimizers", None)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        if self._enabled:
            self._optimizers = WeakKeyDictionary()
