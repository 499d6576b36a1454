"""``torch.cpu.amp``: the older names of ``torch.amp`` for the CPU."""

import flambeau_tensor as torch
from flambeau.amp.deprecated import deprecated_names as _deprecated_names

autocast, GradScaler = _deprecated_names("cpu", torch.bfloat16)
