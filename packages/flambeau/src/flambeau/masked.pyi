from flambeau_tensor.masked import *
