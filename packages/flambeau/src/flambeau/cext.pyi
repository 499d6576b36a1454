from flambeau_cext import *
