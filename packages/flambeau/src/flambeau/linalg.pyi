from flambeau_tensor.linalg import *
