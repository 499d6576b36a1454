from flambeau_tensor.fft import *
