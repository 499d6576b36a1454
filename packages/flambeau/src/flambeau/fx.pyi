from flambeau_fx import *
