"""``torch.backends.cuda``: switches for CUDA, which is not available.

Those of attention apply to the CPU, too; the others are stored and have no effect.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

matmul = SimpleNamespace(
    allow_tf32=False,
    allow_fp16_reduced_precision_reduction=True,
    fp32_precision="none",
    allow_bf16_reduced_precision_reduction=True,
    allow_fp16_accumulation=False,
)


def is_built() -> bool:
    """False."""
    return False


def _allowed():
    from flambeau_nn.attention import ALLOWED

    return ALLOWED


def _switch(name):
    def enabled() -> bool:
        """Return True if this way to compute attention is allowed."""
        return any(b.name == name for b in _allowed().backends)

    def enable(enabled: bool) -> None:
        """Allow, or forbid, this way to compute attention."""
        from flambeau_nn.attention import SDPBackend

        _allowed().switch(SDPBackend[name], enabled)

    return enabled, enable


flash_sdp_enabled, enable_flash_sdp = _switch("FLASH_ATTENTION")
math_sdp_enabled, enable_math_sdp = _switch("MATH")
mem_efficient_sdp_enabled, enable_mem_efficient_sdp = _switch("EFFICIENT_ATTENTION")
cudnn_sdp_enabled, enable_cudnn_sdp = _switch("CUDNN_ATTENTION")


@contextmanager
def sdp_kernel(
    enable_flash: bool = True, enable_math: bool = True, enable_mem_efficient: bool = True, enable_cudnn: bool = True
) -> Iterator[Any]:
    """The older form of :func:`torch.nn.attention.sdpa_kernel`."""
    before = _allowed().backends
    try:
        enable_flash_sdp(enable_flash)
        enable_math_sdp(enable_math)
        enable_mem_efficient_sdp(enable_mem_efficient)
        enable_cudnn_sdp(enable_cudnn)
        yield {}
    finally:
        _allowed().allow(before)


def is_flash_attention_available() -> bool:
    """False."""
    return False


def preferred_linalg_library(backend: str | None = None) -> str:
    """Return ``"default"``; no other library can be selected."""
    return "default"


preferred_blas_library = preferred_linalg_library
