from flambeau_tensor.random import *
