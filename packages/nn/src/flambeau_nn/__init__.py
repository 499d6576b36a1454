"""Neural network layers, losses and optimizers on flambeau tensors: users' ``torch.nn`` and ``torch.optim``.

>>> import flambeau_tensor as ft
>>> import flambeau_nn as nn
>>> nn.Sequential(nn.Linear(4, 2), nn.ReLU())(ft.ones(3, 4)).shape
torch.Size([3, 2])
"""
# ruff: noqa: F403

__version__ = "0.1.0"

import typing as _typing

import flambeau_autograd as _autograd  # noqa: F401  (its rules are checked before there are operations without one)
from flambeau_autograd.extend import batching_rules_in as _batching_rules_in
from flambeau_nn import _compiled  # noqa: F401  (finds the compiled modules)
from flambeau_nn import functional as functional

from flambeau_nn import derivatives as _derivatives  # noqa: F401, isort: skip  (importing declares)

from flambeau_nn import init as init
from flambeau_nn import modules as _modules
from flambeau_nn.modules import *
from flambeau_nn.modules import LATE as _LATE
from flambeau_nn.parameter import Buffer as Buffer
from flambeau_nn.parameter import Parameter as Parameter
from flambeau_nn.parameter import UninitializedBuffer as UninitializedBuffer
from flambeau_nn.parameter import UninitializedParameter as UninitializedParameter
from flambeau_tensor.extend import find_quickly as _find_quickly
from flambeau_tensor.lazy_attributes import attach as _attach

if _typing.TYPE_CHECKING:
    from flambeau_nn.parallel import DataParallel as DataParallel

_modules.__all__ = sorted({*_LATE, *(n for n, kind in vars(_modules).items() if isinstance(kind, type))})
_batching_rules_in("flambeau_nn.batching")
_find_quickly(__name__)


_SUBMODULES = ("_reduction", "attention", "common_types", "cpp", "grad", "optim", "parallel", "utils")
_names = {**dict.fromkeys(_LATE, ".modules"), "DataParallel": ".parallel"}
__getattr__, __dir__ = _attach(__name__, "torch.nn", _names, _SUBMODULES)
