"""The layers, one family a file; every class is exported here."""
# ruff: noqa: F403

from flambeau_nn.modules.activation import *
from flambeau_nn.modules.batchnorm import *
from flambeau_nn.modules.container import *
from flambeau_nn.modules.distance import *
from flambeau_nn.modules.dropout import *
from flambeau_nn.modules.flatten import *
from flambeau_nn.modules.linear import *
from flambeau_nn.modules.loss import *
from flambeau_nn.modules.module import *
from flambeau_nn.modules.normalization import *
from flambeau_nn.modules.padding import *
from flambeau_nn.modules.pooling import *
from flambeau_nn.modules.sparse import *
