"""The default random number generator and its state.

Without a ``generator=`` of their own, random operations draw from :data:`default_generator`. Seeds give the numbers of
PyTorch's CPU generator, and states (uint8 tensors of 5056 elements) move between the two.
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
    """Start the default generator over from ``seed``.

    Args:
        seed: an int of up to 64 bits; negative ones count from 2**64. The lowest 32 bits decide the numbers.

    Returns:
        The default generator.

    Raises:
        ValueError: the seed has more than 64 bits.

    >>> manual_seed(7).initial_seed()
    7
    """
    return default_generator.manual_seed(int(seed))


def seed() -> int:
    """Start the default generator over from a seed of the operating system's randomness, and return it.

    >>> seed() == torch.initial_seed()
    True
    """
    return default_generator.seed()


def initial_seed() -> int:
    """The seed that the default generator was last given.

    >>> _ = torch.manual_seed(5)
    >>> initial_seed()
    5
    """
    return default_generator.initial_seed()


def get_rng_state() -> Tensor:
    """The default generator's state, a uint8 tensor of 5056 elements.

    >>> state = get_rng_state()
    >>> a = torch.rand(2)
    >>> set_rng_state(state)
    >>> torch.equal(a, torch.rand(2))
    True
    """
    return default_generator.get_state()


def set_rng_state(new_state: Tensor) -> None:
    """Let the default generator go on from a state that :func:`get_rng_state` gave.

    Raises:
        TypeError: ``new_state`` is no uint8 tensor.
        RuntimeError: it has another size, or holds no state.

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
        devices: accepted for programs that name accelerators, and ignored.
        enabled: False makes it a block like any other.
        device_type: ignored like ``devices``, but has to be the name of one.

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
