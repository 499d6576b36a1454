"""Optimizers, and schedules for their learning rates in :mod:`lr_scheduler`."""
from flambeau_nn.optim import lr_scheduler
from flambeau_nn.optim.adagrad import Adagrad
from flambeau_nn.optim.adam import Adam, AdamW
from flambeau_nn.optim.optimizer import Optimizer
from flambeau_nn.optim.rmsprop import RMSprop
from flambeau_nn.optim.sgd import SGD

__all__ = ["SGD", "Adagrad", "Adam", "AdamW", "Optimizer", "RMSprop", "lr_scheduler"]


def __getattr__(name):
    from flambeau_tensor.not_built import missing

    raise missing("torch.optim", name)
