from flambeau_nn.optim import *
