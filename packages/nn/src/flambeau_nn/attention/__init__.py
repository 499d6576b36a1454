"""``torch.nn.attention``: the selection of attention backends.

The CPU has two: attention in blocks (``FLASH_ATTENTION``), and a composition of other operations (``MATH``), which
supports what the first does not, such as dropout.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from enum import IntEnum

__all__ = ["SDPBackend", "WARN_FOR_UNFUSED_KERNELS", "sdpa_kernel"]

WARN_FOR_UNFUSED_KERNELS = False


class SDPBackend(IntEnum):
    """The attention backends of PyTorch. All but two are for other devices.

    Shape:
        none

    Raises:
        ValueError: the value does not exist.

    >>> SDPBackend.MATH
    <SDPBackend.MATH: 0>
    """

    ERROR = -1
    MATH = 0
    FLASH_ATTENTION = 1
    EFFICIENT_ATTENTION = 2
    CUDNN_ATTENTION = 3
    OVERRIDEABLE = 4

    def __repr__(self) -> str:
        return f"<SDPBackend.{self.name}: {self.value}>"

    def __str__(self) -> str:
        return f"SDPBackend.{self.name}"


class _Allowed:
    """The settings that the operator reads: whether each backend is allowed, and the order of preference."""

    def __init__(self) -> None:
        self.order = [
            SDPBackend.FLASH_ATTENTION,
            SDPBackend.EFFICIENT_ATTENTION,
            SDPBackend.MATH,
            SDPBackend.CUDNN_ATTENTION,
            SDPBackend.OVERRIDEABLE,
        ]
        self.allow(self.order)

    def allow(self, backends: Iterable[SDPBackend]) -> None:
        self.backends = frozenset(backends)
        self.blocks = SDPBackend.FLASH_ATTENTION in self.backends
        self.math = SDPBackend.MATH in self.backends

    def switch(self, backend: SDPBackend, enabled: bool) -> None:
        self.allow(self.backends | {backend} if enabled else self.backends - {backend})


ALLOWED = _Allowed()


@contextmanager
def sdpa_kernel(backends: list[SDPBackend] | SDPBackend, set_priority: bool = False) -> Iterator[dict[str, object]]:
    """A context or decorator that restricts ``scaled_dot_product_attention`` to the given backends.

    Args:
        backends: the allowed backends.
        set_priority: whether their order is the order of preference. It is stored, but has no effect.

    Raises:
        AssertionError: `backends` contains a value that is not an SDPBackend.

    >>> import flambeau_tensor as ft
    >>> from flambeau_nn.functional import scaled_dot_product_attention
    >>> x = ft.ones(1, 2, 4)
    >>> with sdpa_kernel(SDPBackend.MATH):
    ...     scaled_dot_product_attention(x, x, x).shape
    torch.Size([1, 2, 4])
    """
    if not isinstance(backends, (list, SDPBackend)):
        raise AssertionError(
            "Backend must be an instance of SDPBackend or a list of SDPBackend instances, got "
            f"{type(backends).__name__}"
        )
    wanted = list(dict.fromkeys([backends] if isinstance(backends, SDPBackend) else backends))
    before, order = ALLOWED.backends, ALLOWED.order
    try:
        ALLOWED.allow(wanted)
        if set_priority:
            ALLOWED.order = [*wanted, *(b for b in order if b not in wanted)]
        yield {}
    finally:
        ALLOWED.order = order
        ALLOWED.allow(before)


def _cur_sdpa_kernel_backends(with_priority: bool = False) -> list[SDPBackend]:
    """Return the allowed backends."""
    if with_priority:
        return [b for b in ALLOWED.order if b in ALLOWED.backends]
    return [
        b
        for b in (
            SDPBackend.CUDNN_ATTENTION,
            SDPBackend.FLASH_ATTENTION,
            SDPBackend.EFFICIENT_ATTENTION,
            SDPBackend.MATH,
            SDPBackend.OVERRIDEABLE,
        )
        if b in ALLOWED.backends
    ]
