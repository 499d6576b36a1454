"""The default random number generator and its state.

Random operations without a ``generator=`` argument draw from :data:`default_generator`. Seeds give the numbers of
PyTorch's CPU generator, and states (uint8 tensors of 5056 elements) can be exchanged with it.
"""

from contextlib import ContextDecorator

from flambeau_tensor._core.memory.tensor import Tensor
from flambeau_tensor._kernels.generator import Forked, Generator, default_generator
from flambeau_tensor.options import device

__all__ = [
    "Generator",
    "default_generator",
    "fork_rng",
    "get_rng_state",
    "initial_seed",
    "manual_seed",
    "seed",
    "set_rng_state",
]


def manual_seed(seed: int) -> Generator:
    """Restart the default generator from ``seed``.

    Args:
        seed: an int of up to 64 bits; negative ones count from 2**64. The lowest 32 bits determine the numbers.

    Returns:
        The default generator.

    Raises:
        ValueError: the seed has more than 64 bits.

    >>> manual_seed(7).initial_seed()
    7
    """
    return default_generator.manual_seed(int(seed))


def seed() -> int:
    """Restart the default generator from a random seed of the operating system, and return the seed.

    >>> seed() == torch.initial_seed()
    True
    """
    return default_generator.seed()


def initial_seed() -> int:
    """Return the last seed of the default generator.

    >>> _ = torch.manual_seed(5)
    >>> initial_seed()
    5
    """
    return default_generator.initial_seed()


def get_rng_state() -> Tensor:
    """Return the default generator's state, a uint8 tensor of 5056 elements.

    >>> state = get_rng_state()
    >>> a = torch.rand(2)
    >>> set_rng_state(state)
    >>> torch.equal(a, torch.rand(2))
    True
    """
    return default_generator.get_state()


def set_rng_state(new_state: Tensor) -> None:
    """Continue the default generator from a state that :func:`get_rng_state` returned.

    Raises:
        TypeError: ``new_state`` is not a uint8 tensor.
        RuntimeError: it has another size, or is not a state.

    >>> state = torch.get_rng_state()
    >>> a = torch.rand(2)
    >>> set_rng_state(state)
    >>> torch.equal(a, torch.rand(2))
    True
    """
    default_generator.set_state(new_state)


class fork_rng(Forked, ContextDecorator):
    """A context manager that restores the state of the default generator at exit.

    Args:
        devices: ignored; accepted for programs that name accelerators.
        enabled: whether to restore the state.
        device_type: ignored like ``devices``, but must be the name of a device type.

    Raises:
        RuntimeError: the device type is unknown.

    >>> g = manual_seed(0)
    >>> with fork_rng():
    ...     g = manual_seed(5)
    >>> initial_seed()
    0
    """

    def __init__(self, devices: object = None, enabled: bool = True, *, device_type: str = "cuda") -> None:
        device(device_type)
        super().__init__(default_generator if enabled else None)
