from flambeau_tensor.special import *
