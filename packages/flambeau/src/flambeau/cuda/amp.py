"""``torch.cuda.amp``: the older names of ``torch.amp`` for CUDA. There is none, so they are switched off."""

from functools import partial

import flambeau_tensor as torch
from flambeau import amp as _amp
from flambeau.amp import custom_bwd as _bwd
from flambeau.amp import custom_fwd as _fwd
from flambeau.amp.deprecated import deprecated_names as _deprecated_names

autocast, GradScaler = _deprecated_names("cuda", torch.float16)
custom_fwd = partial(_fwd, device_type="cuda")
custom_bwd = partial(_bwd, device_type="cuda")
amp_definitely_not_available = _amp.amp_definitely_not_available
