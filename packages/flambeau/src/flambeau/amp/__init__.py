"""``torch.amp``: computations in bfloat16 or float16 where little precision is lost, and scaling of losses for it.

>>> import flambeau as torch
>>> x = torch.ones(2, 2)
>>> with torch.autocast("cpu"):
...     print((x @ x).dtype, (x + x).dtype)
torch.bfloat16 torch.float32
"""

from flambeau.amp.autocast_mode import autocast, custom_bwd, custom_fwd, is_autocast_available
from flambeau.amp.grad_scaler import GradScaler

__all__ = ["GradScaler", "autocast", "custom_bwd", "custom_fwd", "is_autocast_available"]


def amp_definitely_not_available() -> bool:
    """Return True: there is no CUDA."""
    return True
