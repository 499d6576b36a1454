from flambeau_nn.init import *
