"""``torch.backends.cuda``: switches for CUDA, which is not here. They are kept, and change nothing."""
from contextlib import contextmanager
from types import SimpleNamespace

matmul = SimpleNamespace(allow_tf32=False, allow_fp16_reduced_precision_reduction=True, fp32_precision="none",
                         allow_bf16_reduced_precision_reduction=True, allow_fp16_accumulation=False)
_attention = {"flash": True, "math": True, "mem_efficient": True, "cudnn": True}


def is_built() -> bool:
    """False."""
    return False


def _switch(kind):
    def enabled() -> bool:
        """Whether this way to compute attention is allowed."""
        return _attention[kind]

    def enable(enabled: bool) -> None:
        """Allow, or forbid, this way to compute attention."""
        _attention[kind] = bool(enabled)

    return enabled, enable


flash_sdp_enabled, enable_flash_sdp = _switch("flash")
math_sdp_enabled, enable_math_sdp = _switch("math")
mem_efficient_sdp_enabled, enable_mem_efficient_sdp = _switch("mem_efficient")
cudnn_sdp_enabled, enable_cudnn_sdp = _switch("cudnn")


@contextmanager
def sdp_kernel(enable_flash=True, enable_math=True, enable_mem_efficient=True, enable_cudnn=True):
    """A ``with`` block that allows some ways to compute attention. There is one way on the CPU, so nothing changes."""
    before = dict(_attention)
    _attention.update(flash=enable_flash, math=enable_math, mem_efficient=enable_mem_efficient, cudnn=enable_cudnn)
    try:
        yield {}
    finally:
        _attention.update(before)


def is_flash_attention_available() -> bool:
    """False."""
    return False


def preferred_linalg_library(backend=None) -> str:
    """``"default"``; another one cannot be had."""
    return "default"


preferred_blas_library = preferred_linalg_library
