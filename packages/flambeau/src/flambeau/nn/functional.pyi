from flambeau_nn.functional import *
