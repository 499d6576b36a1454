from flambeau_tensor.signal import *
