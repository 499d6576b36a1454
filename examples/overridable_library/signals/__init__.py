"""Sampled signals. Every function can be overridden by the types of its arguments and by modes.

>>> tone = Signal([0.0, 1.0, 0.0, -1.0], rate=4.0)
>>> duration(tone), mean(amplified(tone, 2.0))
(1.0, 0.0)
"""

from flambeau_overrides import DisableTorchFunctionSubclass, overridable, register_base


class Signal:
    """Samples that were taken `rate` times a second."""

    def __init__(self, samples, rate: float = 1.0):
        self.samples, self.rate = list(samples), rate

    def __repr__(self):
        return f"{type(self).__name__}({self.samples}, rate={self.rate})"

    @overridable(namespace="signals.Signal", method=True)
    def __getitem__(self, index: int) -> float:
        return self.samples[index]

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        """What subclasses do that override nothing: compute, and give signals their own class."""
        if not all(issubclass(cls, t) for t in types):
            return NotImplemented
        with DisableTorchFunctionSubclass():
            result = func(*args, **(kwargs or {}))
        return cls(result.samples, result.rate) if type(result) is Signal else result


register_base(Signal)  # exact Signals are never asked: the functions below handle them


@overridable
def duration(signal: Signal) -> float:
    """How long the signal lasts, in seconds."""
    return len(signal.samples) / signal.rate


@overridable
def mean(signal: Signal) -> float:
    """The mean of the samples."""
    return sum(signal.samples) / len(signal.samples)


@overridable
def amplified(signal: Signal, factor: float) -> Signal:
    """The signal times a factor."""
    return Signal([factor * sample for sample in signal.samples], signal.rate)


@overridable
def joined(signals: list[Signal]) -> Signal:
    """One signal after the other. Their rates have to be the same."""
    if len({signal.rate for signal in signals}) != 1:
        raise ValueError("joined(): the signals have different rates")
    return Signal([sample for signal in signals for sample in signal.samples], signals[0].rate)
