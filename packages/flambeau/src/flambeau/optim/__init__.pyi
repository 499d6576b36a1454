"""Written by flambeau.stubs from the table of the layout; do not edit."""

from . import adadelta as adadelta
from . import adafactor as adafactor
from . import adagrad as adagrad
from . import adam as adam
from . import adamax as adamax
from . import adamw as adamw
from . import asgd as asgd
from . import lbfgs as lbfgs
from . import lr_scheduler as lr_scheduler
from . import muon as muon
from . import nadam as nadam
from . import optimizer as optimizer
from . import radam as radam
from . import rmsprop as rmsprop
from . import rprop as rprop
from . import sgd as sgd
from . import sparse_adam as sparse_adam
from . import swa_utils as swa_utils
from flambeau_nn.optim import *
