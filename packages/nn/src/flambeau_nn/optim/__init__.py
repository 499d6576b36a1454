"""Optimizers, learning rate schedules in :mod:`lr_scheduler`, and averages of models in :mod:`swa_utils`."""

from __future__ import annotations

from flambeau_nn.optim import lr_scheduler
from flambeau_nn.optim.adadelta import Adadelta
from flambeau_nn.optim.adafactor import Adafactor
from flambeau_nn.optim.adagrad import Adagrad
from flambeau_nn.optim.adam import Adam, AdamW
from flambeau_nn.optim.asgd import ASGD
from flambeau_nn.optim.lbfgs import LBFGS
from flambeau_nn.optim.moments import Adamax, NAdam, RAdam
from flambeau_nn.optim.muon import Muon
from flambeau_nn.optim.optimizer import Optimizer
from flambeau_nn.optim.rmsprop import RMSprop
from flambeau_nn.optim.rprop import Rprop
from flambeau_nn.optim.sgd import SGD
from flambeau_nn.optim.sparse_adam import SparseAdam
from flambeau_tensor.lazy_attributes import attach as _attach

__all__ = [
    "ASGD",
    "LBFGS",
    "SGD",
    "Adadelta",
    "Adafactor",
    "Adagrad",
    "Adam",
    "AdamW",
    "Adamax",
    "Muon",
    "NAdam",
    "Optimizer",
    "RAdam",
    "RMSprop",
    "Rprop",
    "SparseAdam",
    "lr_scheduler",
    "swa_utils",
]


# Averaging needs modules, which need optimizers for nothing.
__getattr__, __dir__ = _attach(__name__, "torch.optim", modules=("swa_utils",))
