from flambeau_overrides import *
