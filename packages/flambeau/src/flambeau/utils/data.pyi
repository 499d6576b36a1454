from flambeau_data import *
