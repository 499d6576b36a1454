"""A type for another library's functions: silence, of which only the length has to be known.

>>> silence = Silence(3, rate=10.0)
>>> signals.duration(silence)
0.3
>>> signals.amplified(silence, 100.0)
Silence(3, rate=10.0)
>>> signals.joined([silence, silence])
Silence(6, rate=10.0)
>>> signals.joined([signals.Signal([1.0], rate=10.0), silence])
Signal([1.0, 0.0, 0.0, 0.0], rate=10.0)
>>> silence_of = signals.Signal.__getitem__(silence, 0)  # doctest: +ELLIPSIS
Traceback (most recent call last):
    ...
TypeError: Multiple dispatch failed for 'signals.Signal.__getitem__'; ...
"""

import signals

HANDLED = {}


class Silence:
    def __init__(self, length, rate=1.0):
        self.length, self.rate = length, rate

    def __repr__(self):
        return f"Silence({self.length}, rate={self.rate})"

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        if func not in HANDLED:
            return NotImplemented
        return HANDLED[func](*args, **(kwargs or {}))


def implements(function):
    """Register the decorated function as the answer to `function`."""

    def register(answer):
        HANDLED[function] = answer
        return answer

    return register


@implements(signals.duration)
def _duration(signal):
    return signal.length / signal.rate


@implements(signals.mean)
def _mean(signal):
    return 0.0


@implements(signals.amplified)
def _amplified(signal, factor):
    return signal


@implements(signals.joined)
def _joined(signals_):
    if all(isinstance(s, Silence) for s in signals_):
        return Silence(sum(s.length for s in signals_), signals_[0].rate)
    return signals.joined([signals.Signal([0.0] * s.length, s.rate) if isinstance(s, Silence) else s for s in signals_])


if __name__ == "__main__":
    for value in (Silence(3, rate=10.0), signals.joined([signals.Signal([1.0]), Silence(2)])):
        print(value, "lasts", signals.duration(value), "s")
