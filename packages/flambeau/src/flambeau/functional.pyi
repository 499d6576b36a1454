from flambeau_tensor.functional import *
