from flambeau_tensor.return_types import *
